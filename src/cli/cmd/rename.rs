//! `rename`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Rename {
    /// Give the session this title
    #[arg(required_unless_present = "clear", conflicts_with = "clear")]
    name: Option<String>,
    /// Take its title away
    #[arg(long)]
    clear: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    name: Option<&'a str>,
}

pub(super) fn run(context: &mut Context, arguments: &Rename) -> Outcome<()> {
    let tree = context.session_to_change()?;
    tree.rename(arguments.name.as_deref())?;
    let name = tree.info()?.name;
    let answer = Answer {
        session: tree.id(),
        name: name.as_deref(),
    };
    let line = match &name {
        Some(name) => format!("the session is called {}", safe::one_line(name)),
        None => String::from("the session has no title"),
    };
    context.out.answer(&answer, line)
}
