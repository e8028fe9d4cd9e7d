//! `release`

use serde::Serialize;

use super::Context;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;

#[derive(Serialize)]
struct Answer {
    released: bool,
}

/// Answers no where nobody held it.
pub(super) fn run(context: &mut Context) -> Outcome<Exit> {
    let released = context.session_to_change()?.release()?;
    let line = if released {
        "released"
    } else {
        "nobody held it"
    };
    context.out.answer(&Answer { released }, line)?;
    Ok(if released { Exit::Done } else { Exit::No })
}
