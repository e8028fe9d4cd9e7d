//! `delete`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Delete {
    /// Delete the session with exactly this id; there is no default, and no prefix or name will do
    #[arg(value_name = "ID")]
    id: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    deleted: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: &Delete) -> Outcome<()> {
    let id = arguments.id.as_str();
    context.writer()?.delete_session(id)?;
    let line = format!("session {} is deleted", safe::one_line(id));
    context.out.answer(&Answer { deleted: id }, line)
}
