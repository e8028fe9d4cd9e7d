//! `branches`

use serde::Serialize;

use super::Context;
use crate::cli::dto::BranchRow;
use crate::cli::failure::Outcome;
use crate::cli::{draw, safe};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    active_branch: Option<&'a str>,
    branches: Vec<BranchRow<'a>>,
}

pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let branches = context.session()?.branches()?;
    let out = &mut context.out;
    if out.json {
        let active = branches.iter().find(|branch| branch.is_active);
        return out.json(&Answer {
            active_branch: active.map(|branch| branch.name.as_str()),
            branches: branches.iter().map(BranchRow::from).collect(),
        });
    }
    for branch in &branches {
        let leaf = branch.leaf.as_deref().unwrap_or("(empty)");
        let mut line = format!("{}  {}", draw::name(branch), safe::one_line(leaf));
        if branch.is_archived {
            line.push_str("  (archived)");
        }
        if let Some(summary) = &branch.summary {
            line.push_str(&format!("  {}", safe::shortened(&summary.summary, 72)));
        }
        out.line(line)?;
    }
    Ok(())
}
