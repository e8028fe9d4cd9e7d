//! `undo` and `redo`

use clap::Args;
use serde::Serialize;
use session_tree::Undone;

use super::Context;
use crate::cli::args::At;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Undo {
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    verb: Option<&'a str>,
    active_branch: Option<&'a str>,
    leaf: Option<&'a str>,
}

pub(super) fn undo(context: &mut Context, arguments: &Undo) -> Outcome<Exit> {
    let done = context.session_to_change()?.undo(arguments.at.at_ms)?;
    tell(context, "undone", done.as_ref())
}

pub(super) fn redo(context: &mut Context, arguments: &Undo) -> Outcome<Exit> {
    let done = context.session_to_change()?.redo(arguments.at.at_ms)?;
    tell(context, "redone", done.as_ref())
}

/// Answers no where there was no move.
fn tell(context: &mut Context, word: &str, done: Option<&Undone>) -> Outcome<Exit> {
    let answer = Answer {
        verb: done.map(|done| done.verb.as_str()),
        active_branch: done.map(|done| done.branch.as_str()),
        leaf: done.and_then(|done| done.leaf.as_deref()),
    };
    let line = match done {
        Some(done) => format!(
            "{word}: {}; on branch {} at {}",
            safe::one_line(&done.verb),
            safe::one_line(&done.branch),
            safe::one_line(done.leaf.as_deref().unwrap_or("no node"))
        ),
        None => format!("there is no move to be {word}"),
    };
    context.out.answer(&answer, line)?;
    Ok(if done.is_some() { Exit::Done } else { Exit::No })
}
