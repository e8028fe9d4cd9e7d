//! Branches and the texts that stand for them.

use std::thread;

use super::{Answer, Connection, Nothing};
use crate::rpc::convert;
use crate::rpc::failure::Failure;
use crate::rpc::output::Ticket;
use crate::rpc::types::answers::{Branches, HasBranches, SpliceDto, Summaries, SummaryText, Text};
use crate::rpc::types::requests::{OnBranch, OnSession, SummarizeBranch, SummarizeBranchWith};

pub(in crate::rpc) fn list_branches(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<Branches> {
    let tree = connection.tree(request.session.as_deref())?;
    let branches = tree.branches()?;
    let active = branches.iter().find(|branch| branch.is_active);
    Ok(Branches {
        active_branch: active.map(|branch| branch.name.clone()).unwrap_or_default(),
        branches: branches.into_iter().map(convert::branch).collect(),
    })
}

pub(in crate::rpc) fn has_branches(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<HasBranches> {
    let tree = connection.tree(request.session.as_deref())?;
    let has_branches = tree.has_branches()?;
    Ok(HasBranches { has_branches })
}

pub(in crate::rpc) fn summaries(
    connection: &mut Connection,
    request: OnBranch,
) -> Answer<Summaries> {
    let tree = connection.tree(request.session.as_deref())?;
    let summaries = tree.summaries(&request.branch)?;
    let summaries = summaries.into_iter().map(convert::summary).collect();
    Ok(Summaries { summaries })
}

pub(in crate::rpc) fn summarize_branch(
    connection: &mut Connection,
    request: SummarizeBranch,
) -> Answer<Nothing> {
    let tree = connection.tree_to_change(request.session.as_deref())?;
    tree.summarize_branch(
        &request.branch,
        &request.summary,
        request.model_id.as_deref(),
        request.timestamp_ms,
    )?;
    Ok(Nothing)
}

/// While the summariser runs, the commands after this one are carried out.
pub(in crate::rpc) fn summarize_branch_with(
    connection: &mut Connection,
    request: SummarizeBranchWith,
    ticket: Ticket,
) {
    let begin = connection
        .tree_to_change(request.session.as_deref())
        .and_then(|tree| Ok((tree, connection.summarizer()?)));
    let (tree, summarizer) = match begin {
        Ok(begun) => begun,
        Err(failure) => return ticket.fail(failure),
    };
    let run = move || {
        let summary =
            tree.summarize_branch_with(&request.branch, &summarizer, request.timestamp_ms);
        ticket.answer(
            summary
                .map(|summary| SummaryText { summary })
                .map_err(Failure::from),
        );
    };
    let spawned = thread::Builder::new()
        .name("rpc-summarize".to_owned())
        .spawn(run);
    // Where no thread can be had, the ticket has answered as it was dropped.
    if let Ok(flight) = spawned {
        connection.wait_at_the_end(flight);
    }
}

pub(in crate::rpc) fn render_branch_text(
    connection: &mut Connection,
    request: OnBranch,
) -> Answer<Text> {
    let tree = connection.tree(request.session.as_deref())?;
    let text = tree.render_branch_text(&request.branch)?;
    Ok(Text { text })
}

pub(in crate::rpc) fn splice_for_linear_export(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<SpliceDto> {
    let tree = connection.tree(request.session.as_deref())?;
    let splice = tree.splice_for_linear_export()?;
    Ok(SpliceDto {
        messages: splice.messages.iter().map(convert::raw).collect(),
        summaries: splice.summaries.into_iter().map(convert::summary).collect(),
    })
}
