//! Navigation: a person's guarded move.

use std::sync::mpsc;
use std::thread;

use super::{Answer, Connection};
use crate::model::navigation::{
    HookDecision, NavigateOptions, Navigated, NavigationSummary, Unsummarized,
};
use crate::model::{Error, ErrorKind, GuardKind, Result};
use crate::navigation::{Navigation, NavigationHooks, NavigationSummarizer};
use crate::rpc::convert;
use crate::rpc::failure::Failure;
use crate::rpc::options::Dialect;
use crate::rpc::output::{Data, Ticket};
use crate::rpc::summarizer::ForNavigation;
use crate::rpc::types::answers::{
    Aborted, Navigated as NavigatedDto, NavigatedFull, Planned, UnsummarizedDto,
};
use crate::rpc::types::requests::{CommitNavigation, NavigateTree, OnSession};
use crate::tree::SessionTree;

/// No node has it, so asking for it fails as asking for no node does in the original.
const NO_TARGET: &str = "";

pub(in crate::rpc) fn navigate_tree(
    connection: &mut Connection,
    request: NavigateTree,
    ticket: Ticket,
) {
    navigate_with(connection, request, ticket, |done| NavigatedDto {
        cancelled: done.cancelled,
        editor_text: done.editor_text,
    });
}

pub(in crate::rpc) fn navigate(connection: &mut Connection, request: NavigateTree, ticket: Ticket) {
    navigate_with(connection, request, ticket, full);
}

/// Navigates. While a summariser runs, the commands after this one are carried out; they begin when the session is held.
fn navigate_with<A: Data + 'static>(
    connection: &mut Connection,
    request: NavigateTree,
    ticket: Ticket,
    answer: fn(Navigated) -> A,
) {
    let dialect = connection.dialect();
    let tree = match connection.tree_to_change(request.session.as_deref()) {
        Ok(tree) => tree,
        Err(failure) => return ticket.fail(failure),
    };
    let (target, options) = options(request);
    let summarizer = connection.summarizer().ok().map(ForNavigation);
    if !options.is_summarizing || summarizer.is_none() {
        let done = tree.navigate(&target, &options.navigate, None);
        return ticket.answer(
            done.map(answer)
                .map_err(|error| failure(error, &target, dialect)),
        );
    }
    let (planned, begun) = mpsc::channel();
    let run = move || {
        let summarizer = summarizer
            .as_ref()
            .map(|it| it as &dyn NavigationSummarizer);
        let hooks = Begun(planned);
        let done = tree.navigate_with_hooks(&target, &options.navigate, summarizer, &hooks);
        ticket.answer(
            done.map(answer)
                .map_err(|error| failure(error, &target, dialect)),
        );
    };
    let spawned = thread::Builder::new()
        .name("rpc-navigate".to_owned())
        .spawn(run);
    // Where no thread can be had, the ticket has answered as it was dropped.
    if let Ok(flight) = spawned {
        match begun.recv() {
            Ok(()) => connection.wait_at_the_end(flight),
            // It was over before it held the session, so its answer comes first.
            Err(_) => drop(flight.join()),
        }
    }
}

/// Tells when a navigation is planned.
struct Begun(mpsc::Sender<()>);

impl NavigationHooks for Begun {
    fn before(&self, _: &Navigation) -> Result<HookDecision> {
        // Nobody listens only where the connection has gone.
        let _ = self.0.send(());
        Ok(HookDecision::go_on())
    }
}

struct Options {
    navigate: NavigateOptions,
    is_summarizing: bool,
}

fn options(request: NavigateTree) -> (String, Options) {
    let is_summarizing = request.summarize.unwrap_or(false);
    let mut navigate = NavigateOptions::new().summarize(is_summarizing);
    if let Some(instructions) = request.custom_instructions.filter(|text| !text.is_empty()) {
        navigate = navigate
            .replace_instructions(request.replace_instructions.unwrap_or(false))
            .instructions(instructions);
    }
    if let Some(label) = request.label {
        navigate = navigate.label(label);
    }
    let target = request.target_id.unwrap_or_else(|| NO_TARGET.to_owned());
    (
        target,
        Options {
            navigate,
            is_summarizing,
        },
    )
}

/// The texts that clients of dreb and pi know.
fn failure(error: Error, target: &str, dialect: Dialect) -> Failure {
    let text = match (error.kind(), error.busy_with(), dialect) {
        (ErrorKind::Busy, Some(GuardKind::Turn), Dialect::Dreb) => {
            "Cannot navigate the session tree while the agent is streaming. Abort or wait for idle first."
        }
        (ErrorKind::Busy, Some(_), Dialect::Dreb) => {
            "Cannot navigate the session tree while summarization or compaction is in progress. Wait for idle first."
        }
        (ErrorKind::Busy, Some(GuardKind::Turn), Dialect::Pi) => {
            "Wait for the current response to finish before navigating the session tree."
        }
        (ErrorKind::Busy, Some(_), Dialect::Pi) => {
            "Wait for the current compaction or tree navigation to finish before navigating the session tree."
        }
        (ErrorKind::NodeNotFound, _, _) => {
            let shown = if target == NO_TARGET {
                "undefined"
            } else {
                target
            };
            return Failure::entry_not_found(shown);
        }
        _ => return error.into(),
    };
    Failure::exact(error.kind(), text)
}

fn full(done: Navigated) -> NavigatedFull {
    NavigatedFull {
        cancelled: done.cancelled,
        aborted: done.aborted,
        editor_text: done.editor_text,
        leaf_id: convert::string(done.leaf.as_ref()),
        preserved_branch: done.preserved_branch,
        summary_node: convert::string(done.summary_node.as_ref()),
        unsummarized: done.unsummarized.map(|why| match why {
            Unsummarized::NothingLeftBehind => UnsummarizedDto::NothingLeftBehind,
            Unsummarized::EmptySummary => UnsummarizedDto::EmptySummary,
        }),
    }
}

pub(in crate::rpc) fn plan_navigation(
    connection: &mut Connection,
    request: NavigateTree,
) -> Answer<Planned> {
    let dialect = connection.dialect();
    let tree = connection.tree_to_change(request.session.as_deref())?;
    let (target, options) = options(request);
    let plan = tree
        .plan_navigation(&target, &options.navigate)
        .map_err(|error| failure(error, &target, dialect))?;
    let planned = Planned {
        is_here: plan.is_here(),
        old_leaf_id: convert::string(plan.old_leaf()),
        new_leaf_id: convert::string(plan.new_leaf()),
        editor_text: plan.editor_text().map(str::to_owned),
        left_behind: convert::strings(plan.left_behind()?),
        branch_text: plan.branch_text()?,
    };
    connection.plans.insert(tree.id().to_string(), plan);
    Ok(planned)
}

fn planned(connection: &mut Connection, tree: &SessionTree) -> Answer<Navigation> {
    connection.plans.remove(tree.id().as_str()).ok_or_else(|| {
        Failure::of(
            ErrorKind::TurnLost,
            "no navigation is planned on this connection; plan one first",
        )
    })
}

pub(in crate::rpc) fn commit_navigation(
    connection: &mut Connection,
    request: CommitNavigation,
) -> Answer<NavigatedFull> {
    let tree = connection.tree(request.session.as_deref())?;
    let plan = planned(connection, &tree)?;
    let summary = request.summary.map(|text| {
        let summary = NavigationSummary::new(text);
        match request.model_id {
            Some(model) => summary.by_model(model),
            None => summary,
        }
    });
    Ok(full(plan.commit(summary)?))
}

/// Gives up whatever navigation goes on in the session: this connection's, another client's, or another process's.
pub(in crate::rpc) fn abort_navigation(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<Aborted> {
    let tree = connection.tree(request.session.as_deref())?;
    let aborted = tree.abort_navigation()?;
    // Its session is free, so it cannot be committed any more.
    connection.plans.remove(tree.id().as_str());
    Ok(Aborted { aborted })
}
