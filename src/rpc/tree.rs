//! A session, or a part of it, as a tree in memory: who hangs below whom, in the order in which clients show it.

use std::cmp::Ordering;

use super::failure::Failure;
use crate::model::clock::ms_from_iso;
use crate::model::{Error, OutlineNode, Result};
use crate::read::Part;
use crate::tree::SessionTree;

/// Nodes that are read in one go.
const PAGE: u32 = 4096;

/// Nodes of a session, without their payloads.
pub(super) struct Outline {
    /// In the order of writing.
    pub nodes: Vec<OutlineNode>,
    /// Roots in the order of the file; of a part, what it hangs from.
    pub roots: Vec<usize>,
    /// Of each node: its children, oldest first.
    pub children: Vec<Vec<usize>>,
}

impl Outline {
    /// Reads a session.
    ///
    /// # Errors
    /// `Damaged` where a node hangs below no root.
    pub fn read(tree: &SessionTree) -> Result<Outline, Failure> {
        Outline::of(all_nodes(tree)?, None)
    }

    /// Reads what hangs below a node, or below all roots, so many levels deep.
    ///
    /// # Errors
    /// `NodeNotFound`; `Damaged` where the top hangs below no root.
    pub fn read_part(
        tree: &SessionTree,
        top: Option<&str>,
        depth: Option<u64>,
    ) -> Result<Outline, Failure> {
        let part = Part {
            top,
            depth,
            after: None,
        };
        let mut nodes = tree
            .walk_part(part)?
            .map(|step| Ok(step?.node))
            .collect::<Result<Vec<OutlineNode>>>()?;
        nodes.sort_unstable_by_key(|node| node.seq);
        Outline::of(nodes, top)
    }

    fn of(nodes: Vec<OutlineNode>, top: Option<&str>) -> Result<Outline, Failure> {
        let mut roots = Vec::new();
        let mut children = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let siblings = match node.parent_seq {
                None => Some(&mut roots),
                Some(_) if Some(node.id.as_str()) == top => Some(&mut roots),
                Some(seq) => nodes
                    .binary_search_by_key(&seq, |node| node.seq)
                    .ok()
                    .and_then(|parent| children.get_mut(parent)),
            };
            let Some(siblings) = siblings else {
                return Err(damaged(node).into());
            };
            siblings.push(index);
        }
        roots.sort_by(|one, other| file_order(&nodes, *one, *other));
        for siblings in &mut children {
            sort_siblings(&nodes, siblings);
        }
        let outline = Outline {
            nodes,
            roots,
            children,
        };
        outline.refuse_cycles()?;
        Ok(outline)
    }

    /// All nodes in the order of the file.
    pub fn in_file_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|one, other| file_order(&self.nodes, *one, *other));
        order
    }

    fn refuse_cycles(&self) -> Result<()> {
        let mut reached = self.roots.clone();
        let mut next = 0;
        while let Some(children) = reached.get(next).and_then(|node| self.children.get(*node)) {
            reached.extend_from_slice(children);
            next += 1;
        }
        if reached.len() == self.nodes.len() {
            return Ok(());
        }
        let mut is_reached = vec![false; self.nodes.len()];
        for node in reached {
            if let Some(slot) = is_reached.get_mut(node) {
                *slot = true;
            }
        }
        let lost = self
            .nodes
            .iter()
            .zip(is_reached)
            .find(|(_, reached)| !reached);
        match lost {
            Some((node, _)) => Err(damaged(node)),
            None => Ok(()),
        }
    }
}

fn damaged(node: &OutlineNode) -> Error {
    let text = format!(
        "the node `{}` hangs below no root; run `session-tree check`",
        node.id
    );
    Error::damaged(text).with_node(node.id.as_str())
}

pub(super) fn all_nodes(tree: &SessionTree) -> Result<Vec<OutlineNode>> {
    let mut nodes: Vec<OutlineNode> = Vec::new();
    loop {
        let from = nodes.last().map_or(0, |last| last.seq.saturating_add(1));
        let page = tree.outline(from, PAGE)?;
        let is_last = page.len() < PAGE as usize;
        nodes.extend(page);
        if is_last {
            return Ok(nodes);
        }
    }
}

/// By line in the source; what was made here comes after it, in the order of writing.
fn file_order(nodes: &[OutlineNode], one: usize, other: usize) -> Ordering {
    let place = |index: usize| {
        let node = nodes.get(index);
        let line = node.and_then(|node| node.source_line);
        (line.is_none(), line, node.map(|node| node.seq))
    };
    place(one).cmp(&place(other))
}

/// Oldest first, by instant; equal ones in the order of the file, and one without a time beside the one before it there.
fn sort_siblings(nodes: &[OutlineNode], siblings: &mut [usize]) {
    if siblings.len() < 2 {
        return;
    }
    siblings.sort_by(|one, other| file_order(nodes, *one, *other));
    let mut last = i64::MIN;
    let mut timed: Vec<(i64, usize)> = siblings
        .iter()
        .map(|index| {
            let text = nodes.get(*index).map(|node| node.timestamp.as_str());
            last = text.and_then(ms_from_iso).unwrap_or(last);
            (last, *index)
        })
        .collect();
    timed.sort_by_key(|(instant, _)| *instant);
    for (slot, (_, index)) in siblings.iter_mut().zip(timed) {
        *slot = index;
    }
}
