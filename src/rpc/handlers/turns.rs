//! Turns, and who holds a session.

use super::{Answer, Connection, Nothing};
use crate::rpc::convert;
use crate::rpc::types::answers::{Holders, Released, TurnBegun};
use crate::rpc::types::requests::{BeginTurn, OnSession, Who};

pub(in crate::rpc) fn begin_turn(
    connection: &mut Connection,
    request: BeginTurn,
) -> Answer<TurnBegun> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let turn = tree.begin_turn(request.branch.as_deref());
    let turn = connection.outside_its_turn(&tree, "begin_turn", turn)?;
    let begun = TurnBegun {
        branch: turn.branch_name(),
        leaf_id: convert::string(turn.leaf().as_ref()),
    };
    connection.hold(turn);
    Ok(begun)
}

/// Ending what is over, or was never begun, is a success: the session is free of it.
pub(in crate::rpc) fn end_turn(connection: &mut Connection, request: OnSession) -> Answer<Nothing> {
    let tree = connection.tree(request.session.as_deref())?;
    if let Some(turn) = connection.let_go(&tree) {
        turn.end()?;
    }
    Ok(Nothing)
}

pub(in crate::rpc) fn who(connection: &mut Connection, request: Who) -> Answer<Holders> {
    let holders = if request.all {
        connection.store.who()?
    } else {
        let tree = connection.tree(request.session.as_deref())?;
        tree.who()?.into_iter().collect()
    };
    let holders = holders.into_iter().map(convert::holder).collect();
    Ok(Holders { holders })
}

pub(in crate::rpc) fn release(connection: &mut Connection, request: OnSession) -> Answer<Released> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let released = tree.release()?;
    Ok(Released { released })
}
