//! `leaves`

use serde::Serialize;
use session_tree::NodeId;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    node_ids: Vec<&'a str>,
}

pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let leaves = context.session()?.leaves()?;
    if context.out.json {
        return context.out.json(&Answer {
            node_ids: leaves.iter().map(NodeId::as_str).collect(),
        });
    }
    for leaf in &leaves {
        context.out.line(safe::one_line(leaf))?;
    }
    Ok(())
}
