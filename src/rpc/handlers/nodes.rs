//! Questions about nodes.

use super::{Answer, Connection};
use crate::rpc::convert;
use crate::rpc::types::answers::{MaybeNodeId, NodeAnswer, NodeIds};
use crate::rpc::types::requests::{OnNode, OnSession, TwoNodes};

pub(in crate::rpc) fn node(connection: &mut Connection, request: OnNode) -> Answer<NodeAnswer> {
    let tree = connection.tree(request.session.as_deref())?;
    let node = tree.node(&request.node_id)?.map(convert::node_full);
    Ok(NodeAnswer { node })
}

pub(in crate::rpc) fn children(connection: &mut Connection, request: OnNode) -> Answer<NodeIds> {
    let tree = connection.tree(request.session.as_deref())?;
    let node_ids = convert::strings(tree.children(&request.node_id)?);
    Ok(NodeIds { node_ids })
}

pub(in crate::rpc) fn roots(connection: &mut Connection, request: OnSession) -> Answer<NodeIds> {
    let tree = connection.tree(request.session.as_deref())?;
    let node_ids = convert::strings(tree.roots()?);
    Ok(NodeIds { node_ids })
}

pub(in crate::rpc) fn leaves(connection: &mut Connection, request: OnSession) -> Answer<NodeIds> {
    let tree = connection.tree(request.session.as_deref())?;
    let node_ids = convert::strings(tree.leaves()?);
    Ok(NodeIds { node_ids })
}

pub(in crate::rpc) fn subtree(connection: &mut Connection, request: OnNode) -> Answer<NodeIds> {
    let tree = connection.tree(request.session.as_deref())?;
    let node_ids = convert::strings(tree.subtree(&request.node_id)?);
    Ok(NodeIds { node_ids })
}

pub(in crate::rpc) fn common_ancestor(
    connection: &mut Connection,
    request: TwoNodes,
) -> Answer<MaybeNodeId> {
    let tree = connection.tree(request.session.as_deref())?;
    let found = tree.common_ancestor(&request.from, &request.to)?;
    let node_id = convert::string(found.as_ref());
    Ok(MaybeNodeId { node_id })
}

pub(in crate::rpc) fn path_between(
    connection: &mut Connection,
    request: TwoNodes,
) -> Answer<NodeIds> {
    let tree = connection.tree(request.session.as_deref())?;
    let node_ids = convert::strings(tree.path_between(&request.from, &request.to)?);
    Ok(NodeIds { node_ids })
}
