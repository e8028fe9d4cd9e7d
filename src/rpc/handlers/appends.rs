//! Appending.

use super::{Answer, Connection};
use crate::model::MESSAGE;
use crate::rpc::convert;
use crate::rpc::types::answers::{NodeId, NodeIds, SessionId};
use crate::rpc::types::requests::{Append, AppendMany, AppendMessage, FromLinear};

pub(in crate::rpc) fn append_message(
    connection: &mut Connection,
    request: AppendMessage,
) -> Answer<NodeId> {
    let node = convert::new_node(
        MESSAGE.to_owned(),
        request.message,
        None,
        request.expected_leaf,
        request.node_id,
        request.created_at_ms,
    )?;
    let mover = connection.mover(request.session.as_deref())?;
    let node_id = mover.append(node)?.to_string();
    Ok(NodeId { node_id })
}

pub(in crate::rpc) fn append(connection: &mut Connection, request: Append) -> Answer<NodeId> {
    let node = convert::new_node(
        request.kind,
        request.payload,
        request.branch,
        request.expected_leaf,
        request.node_id,
        request.created_at_ms,
    )?;
    let mover = connection.mover(request.session.as_deref())?;
    let node_id = mover.append(node)?.to_string();
    Ok(NodeId { node_id })
}

pub(in crate::rpc) fn append_many(
    connection: &mut Connection,
    request: AppendMany,
) -> Answer<NodeIds> {
    let mut nodes = Vec::with_capacity(request.nodes.len());
    for (at, node) in request.nodes.into_iter().enumerate() {
        let node = convert::new_node(
            node.kind,
            node.payload,
            node.branch,
            node.expected_leaf,
            node.node_id,
            node.created_at_ms,
        );
        nodes.push(node.map_err(|failure| failure.at(&format!("nodes[{at}].payload")))?);
    }
    let mover = connection.mover(request.session.as_deref())?;
    let node_ids = convert::strings(mover.append_many(nodes)?);
    Ok(NodeIds { node_ids })
}

pub(in crate::rpc) fn from_linear(
    connection: &mut Connection,
    request: FromLinear,
) -> Answer<SessionId> {
    let mut messages = Vec::with_capacity(request.messages.len());
    for (at, payload) in request.messages.into_iter().enumerate() {
        let message = convert::message(payload);
        messages.push(message.map_err(|failure| failure.at(&format!("messages[{at}]")))?);
    }
    let tree = connection
        .store
        .from_linear(messages, request.created_at_ms)?;
    let session = tree.id().to_string();
    Ok(SessionId { session })
}
