//! `context`

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use session_tree::Selection;

use super::Context;
use crate::cli::dto::{self, Missing};
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Show {
    /// Show what is seen on this branch instead of the active one
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Show what is seen at this node
    #[arg(long, value_name = "NODE", conflicts_with = "branch")]
    leaf: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    messages: Vec<Row<'a>>,
    thinking_level: &'a str,
    model: Option<Model<'a>>,
    cut: Option<Missing<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    node_id: &'a str,
    message: Option<Box<RawValue>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Model<'a> {
    provider: &'a str,
    model_id: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: Show) -> Outcome<()> {
    let tree = context.session()?;
    let leaf = match arguments.leaf {
        Some(leaf) => Some(tree.find_node(&leaf)?.to_string()),
        None => None,
    };
    let seen = tree.context(&Selection {
        branch: arguments.branch,
        leaf,
        ..Selection::default()
    })?;
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer {
            messages: seen
                .messages
                .iter()
                .map(|(node_id, message)| Row {
                    node_id,
                    message: dto::raw(message),
                })
                .collect(),
            thinking_level: &seen.thinking_level,
            model: seen.model.as_ref().map(|model| Model {
                provider: &model.provider,
                model_id: &model.model_id,
            }),
            cut: seen.cut.as_ref().map(Missing::from),
        });
    }
    for (node_id, message) in &seen.messages {
        out.line(format_args!(
            "{}  {}",
            safe::one_line(node_id),
            safe::one_line(&message.to_line())
        ))?;
    }
    context.note_cut(seen.cut.as_ref());
    Ok(())
}
