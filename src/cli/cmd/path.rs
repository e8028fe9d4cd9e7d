//! `path`

use clap::Args;
use serde::Serialize;
use session_tree::{Cut, NodeId};

use super::Context;
use crate::cli::args::PathArgs;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Path {
    #[command(flatten)]
    path: PathArgs,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    node_ids: Vec<&'a str>,
    cut: Option<Missing<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Missing<'a> {
    node_id: &'a str,
    missing_parent: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: Path) -> Outcome<()> {
    let tree = context.session()?;
    let selection = arguments.path.selection(&tree)?;
    let cut = tree.projection(&selection)?.cut().cloned();
    let ids = tree.path_ids(&selection)?;
    if context.out.json {
        return context.out.json(&Answer {
            node_ids: ids.iter().map(NodeId::as_str).collect(),
            cut: cut.as_ref().map(missing),
        });
    }
    for id in &ids {
        context.out.line(safe::one_line(id))?;
    }
    if let Some(cut) = cut {
        context.note(&format!(
            "the path is cut at node {}: its parent {} was never written",
            cut.node_id, cut.missing_parent
        ));
    }
    Ok(())
}

fn missing(cut: &Cut) -> Missing<'_> {
    Missing {
        node_id: &cut.node_id,
        missing_parent: &cut.missing_parent,
    }
}
