//! `rpc`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use session_tree::rpc::{self, Access, Dialect, Options};

use super::Context;
use crate::cli::failure::{Failure, Outcome};

#[derive(Args)]
pub(crate) struct Rpc {
    /// Serve many clients over a Unix socket (mode 0600) instead of one over stdin and stdout
    #[arg(long, value_name = "unix:PATH")]
    listen: Option<String>,
    /// Answer in the counts, texts, events and tree shape of this program
    #[arg(long, value_enum, default_value_t = Program::Dreb)]
    dialect: Program,
    /// Only answer questions; the file is never written
    #[arg(long)]
    read_only: bool,
    /// Let clients do only this, of read, label, navigate, append and manage
    #[arg(
        long,
        value_name = "RIGHTS",
        value_delimiter = ',',
        conflicts_with = "read_only"
    )]
    allow: Option<Vec<Access>>,
    /// Let clients name files below this directory; default: the working directory
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Have branches summarised by this shell command: a JSON object on its stdin, the text on its stdout
    #[arg(long, value_name = "COMMAND")]
    summarizer: Option<String>,
    /// Stop the summariser after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    summarizer_timeout: f64,
    /// Print the JSON Schema of all messages
    #[arg(long)]
    schema: bool,
    /// What clients of agents pass on; without effect here
    #[arg(long, hide = true)]
    mode: Option<String>,
    #[arg(long, hide = true)]
    provider: Option<String>,
    #[arg(long, hide = true)]
    model: Option<String>,
    #[arg(long, hide = true)]
    no_session: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Program {
    Dreb,
    Pi,
}

pub(super) fn run(context: &mut Context, arguments: Rpc) -> Outcome<()> {
    if arguments.schema {
        return schema(context);
    }
    if let Some(mode) = arguments.mode.as_deref().filter(|mode| *mode != "rpc") {
        return Err(Failure::usage(format!(
            "the mode `{mode}` is not known; it is `rpc`"
        )));
    }
    let store = context.served(arguments.read_only)?;
    let options = options(context, &arguments, &store)?;
    match arguments.listen {
        Some(place) => {
            let socket = place.strip_prefix("unix:").ok_or_else(|| {
                Failure::usage(format!(
                    "`{place}` is no place to listen at; give unix:PATH"
                ))
            })?;
            Ok(rpc::listen(socket.as_ref(), &store, &options)?)
        }
        None => Ok(rpc::serve_stdio(&store, &options)?),
    }
}

/// For people on many lines, with `--json` on one.
fn schema(context: &mut Context) -> Outcome<()> {
    let schema = rpc::schema();
    match serde_json::from_str::<serde_json::Value>(&schema) {
        Ok(document) if context.out.json => context.out.json(&document),
        _ => context.out.text(&schema),
    }
}

fn options(context: &Context, arguments: &Rpc, store: &session_tree::Store) -> Outcome<Options> {
    let timeout = Duration::try_from_secs_f64(arguments.summarizer_timeout)
        .map_err(|error| Failure::usage(format!("--summarizer-timeout: {error}")))?;
    if timeout.is_zero() {
        return Err(Failure::usage(
            "--summarizer-timeout: 0 seconds leave no time for a summary; give more",
        ));
    }
    let mut options = Options::default()
        .dialect(match arguments.dialect {
            Program::Dreb => Dialect::Dreb,
            Program::Pi => Dialect::Pi,
        })
        .summarizer_timeout(timeout);
    if arguments.read_only {
        options = options.allow([Access::Read]);
    }
    if let Some(rights) = &arguments.allow {
        options = options.allow(rights.iter().copied());
    }
    if let Some(directory) = &arguments.files {
        if !directory.is_dir() {
            return Err(Failure::usage(format!(
                "--files: there is no directory `{}`; make it, or name another",
                directory.display()
            )));
        }
        options = options.files(directory);
    }
    if let Some(command) = &arguments.summarizer {
        if command.trim().is_empty() {
            return Err(Failure::usage(
                "--summarizer: the command is empty; leave it out to have no summariser",
            ));
        }
        options = options.summarizer(["sh", "-c", command]);
    }
    if let Some(session) = context.named_session(store)? {
        options = options.session(session.as_str());
    }
    Ok(options)
}
