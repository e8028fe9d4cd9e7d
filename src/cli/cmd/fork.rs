//! `fork`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Fork {
    /// Copy the path that ends at this node instead of at the active branch's leaf
    node: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: &Fork) -> Outcome<()> {
    let tree = context.session_to_change()?;
    let fork = match &arguments.node {
        Some(node) => tree.fork(Some(&tree.find_node(node)?))?,
        None => tree.clone_session()?,
    };
    let session = fork.id().as_str();
    context
        .out
        .answer(&Answer { session }, safe::one_line(session))
}
