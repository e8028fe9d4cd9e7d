//! By which right a connection moves in a session: inside the turn it holds there, or as anybody.

use crate::model::{NewNode, NodeId, Result};
use crate::tree::SessionTree;
use crate::turn::Turn;
use crate::undo::Undone;

pub(super) enum Mover<'a> {
    Anybody(SessionTree),
    Turn(&'a Turn),
}

impl Mover<'_> {
    pub fn append(&self, node: NewNode) -> Result<NodeId> {
        match self {
            Mover::Anybody(tree) => tree.append(node),
            Mover::Turn(turn) => turn.append(node),
        }
    }

    pub fn append_many(&self, nodes: Vec<NewNode>) -> Result<Vec<NodeId>> {
        match self {
            Mover::Anybody(tree) => tree.append_many(nodes),
            Mover::Turn(turn) => turn.append_many(nodes),
        }
    }

    pub fn rewind(&self, node_id: &str, at: Option<i64>) -> Result<Option<String>> {
        match self {
            Mover::Anybody(tree) => tree.rewind(node_id, at),
            Mover::Turn(turn) => turn.rewind(node_id, at),
        }
    }

    pub fn branch(&self, from: &str, name: Option<&str>, at: Option<i64>) -> Result<String> {
        match self {
            Mover::Anybody(tree) => tree.branch(from, name, at),
            Mover::Turn(turn) => turn.branch(from, name, at),
        }
    }

    pub fn create_branch(
        &self,
        from: Option<&str>,
        name: Option<&str>,
        at: Option<i64>,
    ) -> Result<String> {
        match self {
            Mover::Anybody(tree) => tree.create_branch(from, name, at),
            Mover::Turn(turn) => turn.create_branch(from, name, at),
        }
    }

    pub fn undo(&self, at: Option<i64>) -> Result<Option<Undone>> {
        match self {
            Mover::Anybody(tree) => tree.undo(at),
            Mover::Turn(turn) => turn.undo(at),
        }
    }

    pub fn redo(&self, at: Option<i64>) -> Result<Option<Undone>> {
        match self {
            Mover::Anybody(tree) => tree.redo(at),
            Mover::Turn(turn) => turn.redo(at),
        }
    }

    pub fn switch_branch(&self, name: &str) -> Result<()> {
        match self {
            Mover::Anybody(tree) => tree.switch_branch(name),
            Mover::Turn(turn) => turn.switch_branch(name),
        }
    }
}
