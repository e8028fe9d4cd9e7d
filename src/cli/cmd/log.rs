//! `log`

use clap::Args;

use super::Context;
use crate::cli::args::PathArgs;
use crate::cli::failure::Outcome;
use crate::cli::{safe, time};

#[derive(Args)]
pub(crate) struct Log {
    #[command(flatten)]
    path: PathArgs,
}

/// The projection: for people with ids and times, with `--json` the messages themselves, one a line.
pub(super) fn run(context: &mut Context, arguments: Log) -> Outcome<()> {
    let tree = context.session()?;
    let selection = arguments.path.selection(&tree)?;
    if context.out.json {
        let projection = tree.projection(&selection)?;
        let cut = projection.cut().cloned();
        for message in projection {
            context.out.line(message?.to_line())?;
        }
        context.note_cut(cut.as_ref());
        return Ok(());
    }
    let nodes = tree.path_nodes(&selection)?;
    let cut = nodes.cut().cloned();
    for node in nodes {
        let node = node?;
        if node.kind != "message" {
            continue;
        }
        let text = node.message.text();
        let text = if text.trim().is_empty() {
            &node.preview
        } else {
            &text
        };
        let out = &mut context.out;
        out.line(format_args!(
            "{} {}  {}",
            safe::one_line(&node.id),
            safe::shortened(node.role.as_deref().unwrap_or("message"), 60),
            time::shown(node.created_at_ms),
        ))?;
        for line in safe::lines(text).trim_end().lines() {
            out.line(format_args!("    {line}"))?;
        }
    }
    context.note_cut(cut.as_ref());
    Ok(())
}
