//! A tree as one line of conversation: the active branch, and a text for every other.

use std::io::Write;

use serde_json::json;

use super::chat::{self, failed};
use super::report::ExportReport;
use crate::{BranchSummary, Result, Selection, SessionTree};

/// How a splice is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpliceLayout {
    /// One object: `{"messages":[...],"summaries":[...]}`.
    #[default]
    Json,
    /// One message a line, then one line a summary: `{"type":"branch_summary",...}`.
    JsonLines,
}

fn summary_json(summary: &BranchSummary) -> serde_json::Map<String, serde_json::Value> {
    let members = json!({
        "branch": summary.branch,
        "node_id": summary.node_id,
        "summary": summary.summary,
        "model_id": summary.model_id,
        "created_at_ms": summary.created_at_ms,
    });
    match members {
        serde_json::Value::Object(members) => members,
        _ => serde_json::Map::new(),
    }
}

/// Writes the active branch's messages as chat programs send them, page by page, and what stands for every other branch.
pub(super) fn export(
    tree: &SessionTree,
    layout: SpliceLayout,
    out: &mut dyn Write,
) -> Result<ExportReport> {
    let mut report = ExportReport::default();
    let (open, between, middle, close) = match layout {
        SpliceLayout::Json => ("{\"messages\":[", ",", "],\"summaries\":[", "]}\n"),
        SpliceLayout::JsonLines => ("", "\n", "\n", "\n"),
    };
    let mut write = |text: &str| out.write_all(text.as_bytes()).map_err(failed);
    write(open)?;
    for message in tree.projection(&Selection::default())? {
        match chat::line(&message?) {
            Some(line) => {
                if report.lines > 0 {
                    write(between)?;
                }
                write(&line)?;
                report.lines += 1;
            }
            None => report.skipped_message(),
        }
    }
    let summaries = tree.stand_ins()?;
    let has_both = report.lines > 0 && !summaries.is_empty();
    if layout == SpliceLayout::Json || has_both {
        write(middle)?;
    }
    for (number, summary) in summaries.iter().enumerate() {
        if number > 0 {
            write(between)?;
        }
        let mut members = serde_json::Map::new();
        if layout == SpliceLayout::JsonLines {
            members.insert("type".to_owned(), json!("branch_summary"));
        }
        members.extend(summary_json(summary));
        write(&serde_json::Value::Object(members).to_string())?;
    }
    if layout == SpliceLayout::Json || report.lines > 0 || !summaries.is_empty() {
        write(close)?;
    }
    out.flush().map_err(failed)?;
    Ok(report)
}
