//! `label`

use clap::Args;
use serde::Serialize;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Label {
    /// Mark this node
    node: String,
    /// Mark it with this text
    #[arg(required_unless_present = "clear", conflicts_with = "clear")]
    text: Option<String>,
    /// Take its mark away
    #[arg(long)]
    clear: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    node_id: &'a str,
    label: Option<&'a str>,
}

pub(super) fn run(context: &mut Context, arguments: &Label) -> Outcome<()> {
    let tree = context.session_to_change()?;
    let id = tree.find_node(&arguments.node)?;
    let label = arguments.text.as_deref().filter(|text| !text.is_empty());
    let shown = safe::one_line(&id);
    let line = match label {
        Some(text) => {
            tree.label(&id, text)?;
            format!("{shown} is labelled: {}", safe::one_line(text))
        }
        None => {
            tree.clear_label(&id)?;
            format!("{shown} has no label")
        }
    };
    context.out.answer(
        &Answer {
            node_id: &id,
            label,
        },
        line,
    )
}
