//! Taking moves back.

use super::{Answer, Connection};
use crate::rpc::convert;
use crate::rpc::types::answers::{UndoneAnswer, UndoneDto};
use crate::rpc::types::requests::Undo;
use crate::undo::Undone;

pub(in crate::rpc) fn undo(connection: &mut Connection, request: Undo) -> Answer<UndoneAnswer> {
    let mover = connection.mover(request.session.as_deref())?;
    Ok(answer(mover.undo(request.timestamp_ms)?))
}

pub(in crate::rpc) fn redo(connection: &mut Connection, request: Undo) -> Answer<UndoneAnswer> {
    let mover = connection.mover(request.session.as_deref())?;
    Ok(answer(mover.redo(request.timestamp_ms)?))
}

fn answer(undone: Option<Undone>) -> UndoneAnswer {
    let undone = undone.map(|undone| UndoneDto {
        verb: undone.verb,
        branch: undone.branch,
        leaf_id: convert::string(undone.leaf.as_ref()),
    });
    UndoneAnswer { undone }
}
