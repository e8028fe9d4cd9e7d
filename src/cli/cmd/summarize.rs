//! `summarize`

use clap::Args;
use serde::Serialize;

use super::Context;
use super::append::given;
use crate::cli::args::At;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Summarize {
    /// Stand for this branch
    branch: String,
    /// Stand for it with this text, or - to read it from standard input
    text: String,
    /// Name the model that wrote it
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    branch: &'a str,
    summary: &'a str,
    model_id: Option<&'a str>,
}

pub(super) fn run(context: &mut Context, arguments: Summarize) -> Outcome<()> {
    let summary = given(&arguments.text)?;
    let tree = context.session_to_change()?;
    let (branch, model_id) = (arguments.branch.as_str(), arguments.model.as_deref());
    tree.summarize_branch(branch, &summary, model_id, arguments.at.at_ms)?;
    let answer = Answer {
        branch,
        summary: &summary,
        model_id,
    };
    let line = format!("branch {} is summarised", safe::one_line(branch));
    context.out.answer(&answer, line)
}
