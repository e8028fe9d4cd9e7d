//! `sessions`

use serde::Serialize;

use super::Context;
use crate::cli::dto::Session;
use crate::cli::failure::Outcome;
use crate::cli::{safe, time};

#[derive(Serialize)]
struct Answer<'a> {
    sessions: Vec<Session<'a>>,
}

pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let sessions = context.reader()?.sessions()?;
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer {
            sessions: sessions.iter().map(Session::from).collect(),
        });
    }
    for session in &sessions {
        let mut line = format!(
            "{}  {}  {} message(s)",
            safe::one_line(&session.id),
            time::shown(session.last_node_at_ms),
            session.messages,
        );
        if let Some(name) = &session.name {
            line.push_str(&format!("  \"{}\"", safe::shortened(name, 60)));
        }
        if let Some(cwd) = &session.cwd {
            line.push_str(&format!("  in {}", safe::one_line(cwd)));
        }
        if session.is_archived {
            line.push_str("  (archived)");
        }
        out.line(line)?;
    }
    Ok(())
}
