//! `new`

use clap::Args;
use serde::Serialize;
use session_tree::NewSession;

use super::Context;
use crate::cli::args::At;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct New {
    /// Give the session this id instead of a made one
    #[arg(long)]
    id: Option<String>,
    /// Set its title
    #[arg(long)]
    name: Option<String>,
    /// Note the agent's working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Keep this JSON object with it
    #[arg(long, value_name = "JSON")]
    meta: Option<String>,
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: New) -> Outcome<()> {
    let mut new = NewSession::new();
    if let Some(id) = arguments.id {
        new = new.id(id);
    }
    if let Some(name) = arguments.name {
        new = new.name(name);
    }
    if let Some(cwd) = arguments.cwd {
        new = new.cwd(cwd);
    }
    if let Some(meta) = arguments.meta {
        new = new.meta(meta);
    }
    if let Some(at_ms) = arguments.at.at_ms {
        new = new.at(at_ms);
    }
    let tree = context.creator()?.create_session_with(&new)?;
    let session = tree.id().as_str();
    context
        .out
        .answer(&Answer { session }, safe::one_line(session))
}
