//! `archive`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Archive {
    /// Archive this branch instead of the session
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Take it back into sight
    #[arg(long)]
    undo: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    archived: bool,
}

pub(super) fn run(context: &mut Context, arguments: &Archive) -> Outcome<()> {
    let tree = context.session_to_change()?;
    let archived = !arguments.undo;
    let what = match &arguments.branch {
        Some(branch) => {
            tree.archive_branch(branch, archived)?;
            format!("branch {}", safe::one_line(branch))
        }
        None => {
            tree.archive(archived)?;
            format!("session {}", safe::one_line(tree.id()))
        }
    };
    let word = if archived {
        "is archived"
    } else {
        "is in sight again"
    };
    let answer = Answer {
        session: tree.id(),
        branch: arguments.branch.as_deref(),
        archived,
    };
    context.out.answer(&answer, format_args!("{what} {word}"))
}
