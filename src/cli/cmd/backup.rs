//! `backup`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Backup {
    /// Write the copy to this file, which must not be there yet
    target: PathBuf,
}

#[derive(Serialize)]
struct Answer<'a> {
    backup: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: &Backup) -> Outcome<()> {
    context.reader()?.backup(&arguments.target)?;
    let target = arguments.target.to_string_lossy();
    let line = format!("copied to {}", safe::one_line(&target));
    context.out.answer(&Answer { backup: &target }, line)
}
