//! `diff`

use clap::Args;
use serde::Serialize;
use session_tree::NodeId;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Diff {
    /// Compare this branch
    left: String,
    /// Compare it with this one
    right: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    common_ancestor: Option<&'a str>,
    only_left: Vec<&'a str>,
    only_right: Vec<&'a str>,
}

fn ids(nodes: &[NodeId]) -> Vec<&str> {
    nodes.iter().map(NodeId::as_str).collect()
}

pub(super) fn run(context: &mut Context, arguments: &Diff) -> Outcome<()> {
    let diff = context.session()?.diff(&arguments.left, &arguments.right)?;
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer {
            common_ancestor: diff.common_ancestor.as_deref(),
            only_left: ids(&diff.only_left),
            only_right: ids(&diff.only_right),
        });
    }
    match &diff.common_ancestor {
        Some(node) => out.line(format_args!("= {}", safe::one_line(node)))?,
        None => out.line("= (nothing in common)")?,
    }
    for node in &diff.only_left {
        out.line(format_args!("< {}", safe::one_line(node)))?;
    }
    for node in &diff.only_right {
        out.line(format_args!("> {}", safe::one_line(node)))?;
    }
    Ok(())
}
