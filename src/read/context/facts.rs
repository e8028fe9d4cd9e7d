//! What decides about a context: the last compaction on the path, the model and the level of thinking.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};

use super::ModelRef;
use crate::db::{Outcome, first_key, id_by_key, key_by_id, last_key};
use crate::model::Message;
use crate::model::json::{Json, quote, with_member};
use crate::read::path::PathPlan;
use crate::read::projection::{NODES, PathNode, path_node};

pub(super) struct Facts {
    pub thinking_level: Option<String>,
    pub model: Option<ModelRef>,
    pub compaction: Option<PathNode>,
    /// The first node that is kept; `None`: all are.
    pub start: Option<i64>,
}

/// The nodes that decide, without the text of answers: only the last of those is ever needed.
const DECIDING: &str = "
  SELECT key, kind, CASE WHEN kind <> 'message' THEN payload END
  FROM nodes
  WHERE key BETWEEN ?1 AND ?2
    AND (kind IN ('compaction', 'model_change', 'thinking_level_change') OR (kind = 'message' AND role = 'assistant'))
  ORDER BY key";

const PAYLOAD: &str = "SELECT payload FROM nodes WHERE key = ?1";

pub(super) fn facts(conn: &Connection, session_key: i64, plan: &PathPlan) -> Outcome<Facts> {
    let mut thinking_level = None;
    let mut changed_to = None;
    let mut answers = Vec::new();
    let mut compaction_key = None;
    let mut statement = conn.prepare_cached(DECIDING)?;
    for run in &plan.runs {
        let mut rows = statement.query((run.first, run.last))?;
        while let Some(row) = rows.next()? {
            let key: i64 = row.get(0)?;
            let payload: Option<String> = row.get(2)?;
            let payload = Json::new(payload.as_deref().unwrap_or_default());
            match row.get_ref(1)?.as_str().unwrap_or_default() {
                "compaction" => compaction_key = Some(key),
                "thinking_level_change" => {
                    thinking_level = text(payload, "thinkingLevel").or(thinking_level);
                }
                "model_change" => {
                    changed_to = model(payload, "modelId").or(changed_to);
                    answers.clear();
                }
                _ => answers.push(key),
            }
        }
    }
    drop(statement);
    let compaction = match compaction_key {
        Some(key) => Some(
            conn.prepare_cached(NODES)?
                .query_row((key, key), path_node)?,
        ),
        None => None,
    };
    let start = match (&compaction, compaction_key) {
        (Some(compaction), Some(key)) => {
            Some(first_kept(conn, session_key, plan, compaction, key)?.unwrap_or(key))
        }
        _ => None,
    };
    Ok(Facts {
        thinking_level,
        model: answered_by(conn, &answers)?.or(changed_to),
        compaction,
        start,
    })
}

/// The model of the last answer that names one.
fn answered_by(conn: &Connection, answers: &[i64]) -> Outcome<Option<ModelRef>> {
    for key in answers.iter().rev() {
        let payload: String = conn
            .prepare_cached(PAYLOAD)?
            .query_row((key,), |row| row.get(0))?;
        if let Some(model) = model(Json::new(&payload), "model") {
            return Ok(Some(model));
        }
    }
    Ok(None)
}

fn text(json: Json<'_>, name: &str) -> Option<String> {
    Some(json.get(name)?.as_str()?.into_owned())
}

fn model(json: Json<'_>, name: &str) -> Option<ModelRef> {
    Some(ModelRef {
        provider: text(json, "provider")?,
        model_id: text(json, name)?,
    })
}

/// The first node before the compaction that it keeps, if it is on the path.
fn first_kept(
    conn: &Connection,
    session_key: i64,
    plan: &PathPlan,
    compaction: &PathNode,
    compaction_key: i64,
) -> Outcome<Option<i64>> {
    let json = compaction.message.json();
    let kept = match text(json, "firstKeptEntryId") {
        Some(id) => key_by_id(conn, session_key, &id)?,
        None => by_index(
            conn,
            session_key,
            compaction.source_line,
            &compaction.message,
        )?,
    };
    let Some(kept) = kept else {
        return Ok(None);
    };
    let place = |key: i64| {
        let holds = |run: &crate::read::path::Run| (run.first..=run.last).contains(&key);
        plan.runs.iter().position(holds).map(|run| (run, key))
    };
    let is_before = place(kept).is_some_and(|kept| Some(kept) < place(compaction_key));
    Ok(is_before.then_some(kept))
}

/// Line ?2 (from 0) of those that hold a value, in the file the session came from.
const LINE_AT: &str = "
  SELECT source_line FROM (
    SELECT source_line FROM nodes WHERE key BETWEEN ?3 AND ?4 AND source_line IS NOT NULL
    UNION
    SELECT source_line FROM loose_records
    WHERE session_key = ?1 AND reason IN ('header', 'scalar', 'object', 'repeat'))
  ORDER BY source_line LIMIT 1 OFFSET ?2";

const BY_LINE: &str = "SELECT key FROM nodes WHERE key BETWEEN ?1 AND ?2 AND source_line = ?3";

/// The oldest files name the first kept entry by its place among the file's lines, the header being the first. They name
/// earlier ones only: a later one was not known yet when the place was turned into an id.
fn by_index(
    conn: &Connection,
    session_key: i64,
    source_line: Option<u64>,
    compaction: &Message,
) -> Outcome<Option<i64>> {
    let index = compaction.json().get("firstKeptEntryIndex");
    let (Some(index), Some(own)) = (
        index.and_then(Json::as_i64).filter(|index| *index >= 0),
        source_line,
    ) else {
        return Ok(None);
    };
    let (first, last) = (first_key(session_key), last_key(session_key));
    let line: Option<i64> = conn
        .prepare_cached(LINE_AT)?
        .query_row((session_key, index, first, last), |row| row.get(0))
        .optional()?;
    let Some(line) = line.filter(|line| u64::try_from(*line).is_ok_and(|line| line < own)) else {
        return Ok(None);
    };
    Ok(conn
        .prepare_cached(BY_LINE)?
        .query_row((first, last, line), |row| row.get(0))
        .optional()?)
}

const BY_PLACE: &str = "
  SELECT key, source_line, payload FROM nodes
  WHERE key BETWEEN ?1 AND ?2 AND kind = 'compaction' AND source_line IS NOT NULL
    AND instr(payload, 'firstKeptEntryIndex') > 0";

/// The compactions of a path that name what they keep by its place in their file: their keys, and their payloads with the id
/// beside it. Away from the file the place would mean nothing.
pub(crate) fn named_by_place(
    conn: &Connection,
    session_key: i64,
    plan: &PathPlan,
) -> Outcome<BTreeMap<i64, String>> {
    let mut found = BTreeMap::new();
    for run in &plan.runs {
        let compactions: Vec<(i64, i64, String)> = conn
            .prepare_cached(BY_PLACE)?
            .query_map((run.first, run.last), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        for (key, line, payload) in compactions {
            let compaction = Message::from_stored(payload);
            if text(compaction.json(), "firstKeptEntryId").is_some() {
                continue;
            }
            let kept = by_index(conn, session_key, u64::try_from(line).ok(), &compaction)?;
            if let Some(kept) = kept
                && let Some(id) = id_by_key(conn, kept)?
            {
                let id = quote(&id);
                let payload = with_member(compaction.as_str(), "firstKeptEntryId", &id);
                found.insert(key, payload);
            }
        }
    }
    Ok(found)
}
