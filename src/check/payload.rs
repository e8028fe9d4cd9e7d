//! Payloads: JSON text, and where they were cut out of the line they came in.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::report::{Findings, Problem, ProblemCode};
use crate::db::Outcome;
use crate::model::json::validate;

/// Looks at the payload of a row that has `payload`, `envelope_at` and `envelope`.
pub(super) fn check(
    row: &Row<'_>,
    id: impl Fn() -> String,
    findings: &mut Findings,
) -> Outcome<()> {
    let problem = match row.get_ref("payload")? {
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => validate(text)
                .err()
                .map(|error| format!("is not JSON: {} at byte {}", error.problem, error.offset)),
            Err(error) => Some(format!(
                "is not valid UTF-8 at byte {}",
                error.valid_up_to()
            )),
        },
        _ => Some(String::from("is not text")),
    };
    if let Some(problem) = problem {
        let id = id();
        findings.add(
            Problem::new(
                ProblemCode::Payload,
                format!("the payload of node `{id}` {problem}"),
            )
            .at_node(id),
        );
    }
    let at: Option<i64> = row.get("envelope_at")?;
    let bytes = match row.get_ref("envelope")? {
        ValueRef::Text(bytes) => i64::try_from(bytes.len()).ok(),
        _ => None,
    };
    let fits = match (at, bytes) {
        (None, None) => true,
        (Some(at), Some(bytes)) => (0..=bytes).contains(&at),
        _ => false,
    };
    if !fits {
        let id = id();
        let text = format!(
            "the payload of node `{id}` was cut out of its line at a place that is not in it"
        );
        findings.add(Problem::new(ProblemCode::Payload, text).at_node(id));
    }
    Ok(())
}
