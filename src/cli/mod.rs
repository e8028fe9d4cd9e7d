//! The command line: one verb, one call of the library. Only here are the terminal, the environment and exit codes known.

mod args;
mod cmd;
mod context;
mod draw;
mod dto;
mod exit;
mod failure;
mod fresh;
mod output;
mod place;
mod safe;
mod time;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind as ClapKind;

use args::Arguments;
use context::Context;
use exit::Exit;
use failure::Failure;

pub(crate) fn main() -> ExitCode {
    start_tracing();
    let as_json = std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--json");
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refused) => return usage(&refused, as_json),
    };
    let mut context = Context::new(arguments.common);
    let done = cmd::run(&mut context, arguments.verb);
    // What was written before a failure is shown too: half an answer, but followed by an error and an exit code.
    let flushed = context.out.finish();
    match done.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(as_json),
    }
}

/// Says on stderr what the library does, if `SESSION_TREE_LOG` is set (as `session_tree=debug`). Texts of messages are not in it.
fn start_tracing() {
    let Some(filter) = place::variable("SESSION_TREE_LOG") else {
        return;
    };
    let filter = tracing_subscriber::EnvFilter::new(filter.to_string_lossy());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}

fn usage(refused: &clap::Error, as_json: bool) -> ExitCode {
    let asked_for = matches!(
        refused.kind(),
        ClapKind::DisplayHelp | ClapKind::DisplayVersion
    );
    if as_json && !asked_for {
        let text = refused.to_string();
        let sentence = text.lines().next().unwrap_or_default();
        let sentence = sentence.strip_prefix("error: ").unwrap_or(sentence);
        return Failure::usage(sentence).report(true);
    }
    match refused.print() {
        Ok(()) if asked_for => Exit::Done.into(),
        Ok(()) => Exit::Usage.into(),
        Err(error) => Failure::output(error).report(as_json),
    }
}
