//! `branch`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::args::At;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Branch {
    /// Begin at this node
    #[arg(required_unless_present = "empty", conflicts_with = "empty")]
    node: Option<String>,
    /// Give the branch this name instead of the next free of branch, branch-2, ...
    #[arg(long)]
    name: Option<String>,
    /// Begin without a node, so that the next append makes another root
    #[arg(long)]
    empty: bool,
    /// Stay on the present branch
    #[arg(long)]
    no_switch: bool,
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
struct Answer<'a> {
    branch: &'a str,
    leaf: Option<&'a str>,
    active: bool,
}

pub(super) fn run(context: &mut Context, arguments: &Branch) -> Outcome<()> {
    let tree = context.session_to_change()?;
    let node = match &arguments.node {
        Some(node) => Some(tree.find_node(node)?),
        None => None,
    };
    let (name, at_ms) = (arguments.name.as_deref(), arguments.at.at_ms);
    let made = match &node {
        Some(node) if !arguments.no_switch => tree.branch(node, name, at_ms)?,
        node => {
            let made = tree.create_branch(node.as_deref(), name, at_ms)?;
            if !arguments.no_switch {
                tree.switch_branch(&made)?;
            }
            made
        }
    };
    let answer = Answer {
        branch: &made,
        leaf: node.as_deref(),
        active: !arguments.no_switch,
    };
    context.out.answer(&answer, safe::one_line(&made))
}
