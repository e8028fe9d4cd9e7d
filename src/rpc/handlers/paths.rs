//! Paths: messages and ids from root to leaf.

use super::{Answer, Connection};
use crate::model::Selection;
use crate::rpc::convert;
use crate::rpc::types::answers::{DiffDto, NodeIds, Path};
use crate::rpc::types::nodes::Messages;
use crate::rpc::types::requests::{
    ActivePath, Diff, LinearProjection, OnBranch, ProjectionWithReport,
};
use crate::tree::SessionTree;

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
    match request.max_bytes {
        None => convert::messages(&tree, &selection),
        Some(budget) => last_that_fit(&tree, selection, budget),
    }
}

/// The longest end of a selection whose messages have at most `budget` bytes together. Windows of growing size are read from
/// the end, so that the cost is that of the answer and not of the path.
fn last_that_fit(tree: &SessionTree, selection: Selection, budget: u64) -> Answer<Messages> {
    let wanted = selection.last.unwrap_or(u64::MAX);
    let mut window = 16.min(wanted);
    loop {
        let selection = Selection {
            last: Some(window),
            ..selection.clone()
        };
        let mut found = Vec::new();
        let mut bytes = 0_u64;
        let (mut read, mut is_full) = (0_u64, false);
        for message in tree.projection(&selection)? {
            let message = convert::raw(&message?);
            read += 1;
            bytes += message.text().len() as u64;
            found.push(message);
            // The first ones are too many: what is wanted ends with the last.
            let mut surplus = 0;
            while bytes > budget
                && let Some(first) = found.get(surplus)
            {
                bytes -= first.text().len() as u64;
                surplus += 1;
                is_full = true;
            }
            found.drain(..surplus);
        }
        if is_full || read < window || window == wanted {
            return Ok(Messages {
                messages: found,
                cut: None,
                more: is_full.then_some(true),
            });
        }
        window = window.saturating_mul(4).min(wanted);
    }
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
