//! `render`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Render {
    /// Print this branch instead of the active one
    branch: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    branch: &'a str,
    text: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: Render) -> Outcome<()> {
    let tree = context.session()?;
    let branch = match arguments.branch {
        Some(branch) => branch,
        None => tree.active_branch()?,
    };
    let text = tree.render_branch_text(&branch)?;
    if context.out.json {
        return context.out.json(&Answer {
            branch: &branch,
            text: &text,
        });
    }
    context.out.text(&safe::lines(&text))
}
