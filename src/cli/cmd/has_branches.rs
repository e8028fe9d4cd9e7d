//! `has-branches`

use serde::Serialize;

use super::Context;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    has_branches: bool,
}

pub(super) fn run(context: &mut Context) -> Outcome<Exit> {
    let has_branches = context.session()?.has_branches()?;
    let word = if has_branches { "yes" } else { "no" };
    context.out.answer(&Answer { has_branches }, word)?;
    Ok(if has_branches { Exit::Done } else { Exit::No })
}
