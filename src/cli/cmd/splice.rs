//! `splice`

use serde::Serialize;
use serde_json::value::RawValue;

use super::Context;
use crate::cli::dto::{self, Summary};
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Serialize)]
struct Answer<'a> {
    messages: Vec<Box<RawValue>>,
    summaries: Vec<Summary<'a>>,
}

pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let splice = context.session()?.splice_for_linear_export()?;
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer {
            messages: splice.messages.iter().filter_map(dto::raw).collect(),
            summaries: splice.summaries.iter().map(Summary::from).collect(),
        });
    }
    for message in &splice.messages {
        out.line(safe::one_line(&message.to_line()))?;
    }
    for summary in &splice.summaries {
        out.line(format_args!(
            "[branch {}] {}",
            safe::one_line(&summary.branch),
            safe::one_line(&summary.summary)
        ))?;
    }
    Ok(())
}
