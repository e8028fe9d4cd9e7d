//! `who`

use serde::Serialize;
use session_tree::Holder;

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::{safe, time};

#[derive(Serialize)]
struct Answer<'a> {
    holders: Vec<Row<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    session: &'a str,
    kind: &'a str,
    actor: &'a str,
    branch: Option<&'a str>,
    leaf: Option<&'a str>,
    pid: Option<u32>,
    began_at_ms: i64,
    silent_ms: i64,
    alive: bool,
}

impl<'a> From<&'a Holder> for Row<'a> {
    fn from(holder: &'a Holder) -> Row<'a> {
        Row {
            session: &holder.session,
            kind: holder.kind.as_str(),
            actor: &holder.actor,
            branch: holder.branch.as_deref(),
            leaf: holder.leaf.as_deref(),
            pid: holder.pid,
            began_at_ms: holder.began_at_ms,
            silent_ms: holder.silent_ms,
            alive: holder.is_alive,
        }
    }
}

pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let holders = context.reader()?.who()?;
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer {
            holders: holders.iter().map(Row::from).collect(),
        });
    }
    for holder in &holders {
        let mut line = format!(
            "{}  {}  {}  since {}",
            safe::one_line(&holder.session),
            holder.kind.as_str(),
            safe::one_line(&holder.actor),
            time::shown(holder.began_at_ms),
        );
        if let Some(pid) = holder.pid {
            line.push_str(&format!("  process {pid}"));
        }
        if !holder.is_alive {
            line.push_str("  (gone: in nobody's way)");
        }
        out.line(line)?;
    }
    Ok(())
}
