//! Forks: a path copied into a session of its own.

use super::{Answer, Connection};
use crate::model::{ErrorKind, NodeId};
use crate::rpc::failure::Failure;
use crate::rpc::options::Dialect;
use crate::rpc::types::answers::{Cancelled, ForkMessage, ForkMessages, Forked};
use crate::rpc::types::requests::{Fork, OnSession};

const USER: &str = "user";

pub(in crate::rpc) fn get_fork_messages(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<ForkMessages> {
    let tree = connection.tree(request.session.as_deref())?;
    let is_dreb = connection.dialect() == Dialect::Dreb;
    let messages = tree
        .fork_candidates()?
        .into_iter()
        // In pi, only what a user said can be forked at.
        .filter(|candidate| is_dreb || candidate.role == USER)
        .map(|candidate| ForkMessage {
            entry_id: candidate.node.to_string(),
            text: candidate.text,
            role: is_dreb.then_some(candidate.role),
        })
        .collect();
    Ok(ForkMessages { messages })
}

pub(in crate::rpc) fn fork(connection: &mut Connection, request: Fork) -> Answer<Forked> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let invalid = || Failure::of(ErrorKind::InvalidArgument, "Invalid entry ID for forking");
    let entry = request.entry_id.ok_or_else(invalid)?;
    if connection.dialect() == Dialect::Pi && !is_of_user(&tree, &entry)? {
        return Err(invalid());
    }
    let point = tree.fork_point(&entry)?;
    let fork = tree.fork(point.at.as_ref().map(NodeId::as_str));
    let fork = connection.outside_its_turn(&tree, "fork", fork)?;
    connection.enter(fork);
    Ok(Forked {
        text: Some(point.text),
        cancelled: false,
    })
}

fn is_of_user(tree: &crate::tree::SessionTree, entry: &str) -> Answer<bool> {
    let node = tree.node(entry)?;
    let role = node
        .as_ref()
        .and_then(|node| node.message.json().get("role"));
    Ok(role.and_then(|role| role.as_str()).as_deref() == Some(USER))
}

pub(in crate::rpc) fn clone(connection: &mut Connection, request: OnSession) -> Answer<Cancelled> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let clone = connection.outside_its_turn(&tree, "clone", tree.clone_session())?;
    connection.enter(clone);
    Ok(Cancelled { cancelled: false })
}
