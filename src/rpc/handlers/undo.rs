//! Taking moves back.

use super::{Answer, Connection};
use crate::rpc::convert;
use crate::rpc::types::answers::{UndoneAnswer, UndoneDto};
use crate::rpc::types::requests::Undo;
use crate::undo::Undone;

pub(in crate::rpc) fn undo(connection: &mut Connection, request: Undo) -> Answer<UndoneAnswer> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let undone = tree.undo(request.timestamp_ms);
    Ok(answer(connection.outside_its_turn(&tree, "undo", undone)?))
}

pub(in crate::rpc) fn redo(connection: &mut Connection, request: Undo) -> Answer<UndoneAnswer> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let redone = tree.redo(request.timestamp_ms);
    Ok(answer(connection.outside_its_turn(&tree, "redo", redone)?))
}

fn answer(undone: Option<Undone>) -> UndoneAnswer {
    let undone = undone.map(|undone| UndoneDto {
        verb: undone.verb,
        branch: undone.branch,
        leaf_id: convert::string(undone.leaf.as_ref()),
    });
    UndoneAnswer { undone }
}
