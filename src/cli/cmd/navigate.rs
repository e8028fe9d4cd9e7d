//! `navigate`

use clap::Args;
use serde::Serialize;
use session_tree::{NavigateOptions, NavigationSummary};

use super::Context;
use super::append::given;
use crate::cli::args::At;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Navigate {
    /// Go to this node; to a user's message, go before it to say it anew
    node: String,
    /// Leave this summary of what is left behind, or - to read it from standard input
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Name the model that wrote the summary
    #[arg(long, value_name = "ID", requires = "summary")]
    model: Option<String>,
    /// Label the summary, or without one the node
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    cancelled: bool,
    aborted: bool,
    leaf: Option<&'a str>,
    editor_text: Option<&'a str>,
    preserved_branch: Option<&'a str>,
    summary_node: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsummarized: Option<&'a str>,
}

pub(super) fn run(context: &mut Context, arguments: Navigate) -> Outcome<()> {
    let summary = match arguments.summary.as_deref() {
        Some(text) => Some(given(text)?),
        None => None,
    };
    let mut options = NavigateOptions::new().summarize(summary.is_some());
    if let Some(label) = arguments.label {
        options = options.label(label);
    }
    if let Some(at_ms) = arguments.at.at_ms {
        options = options.at(at_ms);
    }
    let tree = context.session_to_change()?;
    let target = tree.find_node(&arguments.node)?;
    let summary = summary.map(|text| {
        let summary = NavigationSummary::new(text);
        match arguments.model {
            Some(model) => summary.by_model(model),
            None => summary,
        }
    });
    let done = tree.plan_navigation(&target, &options)?.commit(summary)?;
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer {
            cancelled: done.cancelled,
            aborted: done.aborted,
            leaf: done.leaf.as_deref(),
            editor_text: done.editor_text.as_deref(),
            preserved_branch: done.preserved_branch.as_deref(),
            summary_node: done.summary_node.as_deref(),
            unsummarized: done.unsummarized.map(|why| why.code()),
        });
    }
    match &done.leaf {
        Some(leaf) => out.line(format_args!("now at {}", safe::one_line(leaf)))?,
        None => out.line("now before the first node")?,
    }
    if let Some(name) = &done.preserved_branch {
        out.line(format_args!(
            "the old leaf is kept as branch {}",
            safe::one_line(name)
        ))?;
    }
    if let Some(why) = done.unsummarized {
        out.line(why)?;
    }
    if let Some(text) = &done.editor_text {
        out.line(format_args!("to be said anew: {}", safe::lines(text)))?;
    }
    Ok(())
}
