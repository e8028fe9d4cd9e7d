//! Labels, and what is out of sight.

use super::{Answer, Connection, Nothing};
use crate::rpc::types::requests::{Archive, ArchiveBranch, Label, OnNode};

pub(in crate::rpc) fn label(connection: &mut Connection, request: Label) -> Answer<Nothing> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    tree.label(&request.node_id, &request.label)?;
    Ok(Nothing)
}

pub(in crate::rpc) fn clear_label(connection: &mut Connection, request: OnNode) -> Answer<Nothing> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    tree.clear_label(&request.node_id)?;
    Ok(Nothing)
}

pub(in crate::rpc) fn archive(connection: &mut Connection, request: Archive) -> Answer<Nothing> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    tree.archive(request.archived.unwrap_or(true))?;
    Ok(Nothing)
}

pub(in crate::rpc) fn archive_branch(
    connection: &mut Connection,
    request: ArchiveBranch,
) -> Answer<Nothing> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    tree.archive_branch(&request.name, request.archived.unwrap_or(true))?;
    Ok(Nothing)
}
