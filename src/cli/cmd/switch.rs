//! `switch`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Switch {
    /// Go to this branch
    branch: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    active_branch: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: &Switch) -> Outcome<()> {
    context
        .session_to_change()?
        .switch_branch(&arguments.branch)?;
    let answer = Answer {
        active_branch: &arguments.branch,
    };
    let line = format!("on branch {}", safe::one_line(&arguments.branch));
    context.out.answer(&answer, line)
}
