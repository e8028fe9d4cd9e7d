//! `changes`

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use session_tree::{Change, Cursor, OperationRecord};

use super::Context;
use crate::cli::dto::Outline;
use crate::cli::failure::Outcome;
use crate::cli::{draw, safe, time};

#[derive(Args)]
pub(crate) struct Changes {
    /// Begin after this place, as an earlier answer named it, instead of at the beginning
    #[arg(long, value_name = "CURSOR")]
    since: Option<String>,
    /// Stop after this many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: u32,
}

#[derive(Serialize)]
struct Answer<'a> {
    changes: Vec<Row<'a>>,
    cursor: String,
    more: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Row<'a> {
    Node(Outline<'a>),
    Operation(Operation<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Operation<'a> {
    verb: &'a str,
    actor: &'a str,
    at_ms: i64,
    branch: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    detail: Option<Box<RawValue>>,
}

impl<'a> From<&'a OperationRecord> for Operation<'a> {
    fn from(operation: &'a OperationRecord) -> Operation<'a> {
        Operation {
            verb: &operation.verb,
            actor: &operation.actor,
            at_ms: operation.at_ms,
            branch: operation.branch.as_deref(),
            from: operation.from.as_deref(),
            to: operation.to.as_deref(),
            detail: RawValue::from_string(operation.detail.clone()).ok(),
        }
    }
}

pub(super) fn run(context: &mut Context, arguments: &Changes) -> Outcome<()> {
    let since: Option<Cursor> = arguments.since.as_deref().map(str::parse).transpose()?;
    let page = context.session()?.changes(since, arguments.limit)?;
    let out = &mut context.out;
    if out.json {
        let rows = page.changes.iter().filter_map(|change| match change {
            Change::Node(node) => Some(Row::Node(Outline::new(node, &[]))),
            Change::Operation(operation) => Some(Row::Operation(Operation::from(operation))),
            _ => None,
        });
        return out.json(&Answer {
            changes: rows.collect(),
            cursor: page.cursor.to_string(),
            more: page.more,
        });
    }
    for change in &page.changes {
        match change {
            Change::Node(node) => out.line(format_args!(
                "{}  append  {}",
                time::shown(node.created_at_ms),
                draw::node(node)
            ))?,
            Change::Operation(operation) => out.line(told(operation))?,
            _ => {}
        }
    }
    let more = if page.more { "; there is more" } else { "" };
    out.line(format_args!("cursor {}{more}", page.cursor))
}

fn told(operation: &OperationRecord) -> String {
    let mut line = format!(
        "{}  {}  by {}",
        time::shown(operation.at_ms),
        safe::one_line(&operation.verb),
        safe::one_line(&operation.actor)
    );
    for (word, text) in [
        ("branch", operation.branch.as_deref()),
        ("from", operation.from.as_deref()),
        ("to", operation.to.as_deref()),
    ] {
        if let Some(text) = text {
            line.push_str(&format!("  {word} {}", safe::one_line(text)));
        }
    }
    line
}
