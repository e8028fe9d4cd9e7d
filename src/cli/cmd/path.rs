//! `path`

use clap::Args;
use serde::Serialize;
use session_tree::NodeId;

use super::Context;
use crate::cli::args::PathArgs;
use crate::cli::dto::Missing;
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

pub(super) fn run(context: &mut Context, arguments: Path) -> Outcome<()> {
    let tree = context.session()?;
    let selection = arguments.path.selection(&tree)?;
    let cut = tree.projection(&selection)?.cut().cloned();
    let ids = tree.path_ids(&selection)?;
    if context.out.json {
        return context.out.json(&Answer {
            node_ids: ids.iter().map(NodeId::as_str).collect(),
            cut: cut.as_ref().map(Missing::from),
        });
    }
    for id in &ids {
        context.out.line(safe::one_line(id))?;
    }
    context.note_cut(cut.as_ref());
    Ok(())
}
