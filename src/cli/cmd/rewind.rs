//! `rewind`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::args::At;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Rewind {
    /// Go to this node, earlier or later
    node: String,
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    leaf: &'a str,
    preserved_branch: Option<&'a str>,
}

pub(super) fn run(context: &mut Context, arguments: &Rewind) -> Outcome<()> {
    let tree = context.session_to_change()?;
    let leaf = tree.find_node(&arguments.node)?;
    let preserved = tree.rewind(&leaf, arguments.at.at_ms)?;
    let line = match &preserved {
        Some(name) => format!(
            "now at {}; the old leaf is kept as branch {}",
            safe::one_line(&leaf),
            safe::one_line(name)
        ),
        None => format!("now at {}", safe::one_line(&leaf)),
    };
    let answer = Answer {
        leaf: &leaf,
        preserved_branch: preserved.as_deref(),
    };
    context.out.answer(&answer, line)
}
