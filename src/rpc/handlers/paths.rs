//! Paths: messages and ids from root to leaf.

use super::budget::last_that_fit;
use super::{Answer, Connection};
use crate::model::Selection;
use crate::rpc::convert;
use crate::rpc::types::answers::{DiffDto, NodeIds, Path};
use crate::rpc::types::nodes::Messages;
use crate::rpc::types::requests::{
    ActivePath, Diff, LinearProjection, OnBranch, ProjectionWithReport,
};

pub(in crate::rpc) fn linear_projection(
    connection: &mut Connection,
    request: LinearProjection,
) -> Answer<Messages> {
    let tree = connection.tree(request.session.as_deref())?;
    let selection = Selection {
        branch: request.branch,
        before: request.before,
        last: request.last,
        ..Selection::default()
    };
    let Some(budget) = request.max_bytes else {
        return convert::messages(&tree, &selection);
    };
    let wanted = selection.last.unwrap_or(u64::MAX);
    let (messages, is_full) = last_that_fit(wanted, budget, |window| {
        let selection = Selection {
            last: Some(window),
            ..selection.clone()
        };
        Ok(tree.projection(&selection)?)
    })?;
    Ok(Messages {
        messages,
        cut: None,
        more: is_full.then_some(true),
    })
}

pub(in crate::rpc) fn linear_projection_of(
    connection: &mut Connection,
    request: OnBranch,
) -> Answer<Messages> {
    let tree = connection.tree(request.session.as_deref())?;
    let selection = Selection {
        branch: Some(request.branch),
        ..Selection::default()
    };
    convert::messages(&tree, &selection)
}

pub(in crate::rpc) fn projection_with_report(
    connection: &mut Connection,
    request: ProjectionWithReport,
) -> Answer<Messages> {
    let tree = connection.tree(request.session.as_deref())?;
    let selection = Selection {
        branch: request.branch,
        allow_cut: true,
        ..Selection::default()
    };
    convert::messages(&tree, &selection)
}

pub(in crate::rpc) fn active_path(
    connection: &mut Connection,
    request: ActivePath,
) -> Answer<Path> {
    let tree = connection.tree(request.session.as_deref())?;
    let selection = Selection {
        branch: request.branch,
        allow_cut: request.allow_cut,
        ..Selection::default()
    };
    // Where the path is cut is known from its plan, which reads no node.
    let cut = match request.allow_cut {
        true => tree.path_nodes(&selection)?.cut().map(convert::cut),
        false => None,
    };
    let node_ids = convert::strings(tree.path_ids(&selection)?);
    Ok(Path { node_ids, cut })
}

pub(in crate::rpc) fn path_of(connection: &mut Connection, request: OnBranch) -> Answer<NodeIds> {
    let tree = connection.tree(request.session.as_deref())?;
    let node_ids = convert::strings(tree.path_of(&request.branch)?);
    Ok(NodeIds { node_ids })
}

pub(in crate::rpc) fn diff(connection: &mut Connection, request: Diff) -> Answer<DiffDto> {
    let tree = connection.tree(request.session.as_deref())?;
    let diff = tree.diff(&request.left, &request.right)?;
    Ok(DiffDto {
        common_ancestor: convert::string(diff.common_ancestor.as_ref()),
        only_left: convert::strings(diff.only_left),
        only_right: convert::strings(diff.only_right),
    })
}
