//! Moving leaves, making and switching branches.

use super::{Answer, Connection, Nothing};
use crate::rpc::types::answers::{BranchName, Rewound};
use crate::rpc::types::requests::{CreateBranch, MakeBranch, Rewind, SwitchBranch};

pub(in crate::rpc) fn rewind(connection: &mut Connection, request: Rewind) -> Answer<Rewound> {
    let mover = connection.mover(request.session.as_deref())?;
    let preserved_branch = mover.rewind(&request.node_id, request.timestamp_ms)?;
    Ok(Rewound { preserved_branch })
}

pub(in crate::rpc) fn branch(
    connection: &mut Connection,
    request: MakeBranch,
) -> Answer<BranchName> {
    let mover = connection.mover(request.session.as_deref())?;
    let name = request.name.as_deref();
    let branch = mover.branch(&request.from_node, name, request.timestamp_ms)?;
    Ok(BranchName { branch })
}

pub(in crate::rpc) fn create_branch(
    connection: &mut Connection,
    request: CreateBranch,
) -> Answer<BranchName> {
    let mover = connection.mover(request.session.as_deref())?;
    let from = request.from_node.as_deref();
    let branch = mover.create_branch(from, request.name.as_deref(), request.timestamp_ms)?;
    Ok(BranchName { branch })
}

pub(in crate::rpc) fn switch_branch(
    connection: &mut Connection,
    request: SwitchBranch,
) -> Answer<Nothing> {
    let mover = connection.mover(request.session.as_deref())?;
    mover.switch_branch(&request.name)?;
    Ok(Nothing)
}
