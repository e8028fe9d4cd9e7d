//! What lists of other programs show of a session besides its row, from few rows and short payloads.

use rusqlite::Connection;

use crate::db::{Outcome, first_key, last_key, public_id};
use crate::model::json::Json;
use crate::model::{MESSAGE, NodeId};

/// Rows that are looked at, from the end for the time and from the beginning for the first message.
const ROWS: i64 = 1024;
/// Messages of user and assistant, from the end, whose times are compared.
const SAID: usize = 16;
/// Longer payloads are not read: the time is that of the node then, the text the preview.
const PAYLOAD_BYTES: i64 = 64 * 1024;

const NEWEST: &str = "
  SELECT kind, role, created_at_ms,
    CASE WHEN kind = 'message' AND role IN ('user', 'assistant') AND octet_length(payload) <= ?4 THEN payload END
  FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT ?3";

/// When user or assistant said something last, as Unix time in milliseconds: the latest time among the last 16 such messages.
/// A message's own `timestamp` counts before the time of its node. `None` where none of the last 1024 nodes is one.
pub(crate) fn last_said_at(conn: &Connection, session_key: i64) -> Outcome<Option<i64>> {
    let mut statement = conn.prepare_cached(NEWEST)?;
    let keys = (first_key(session_key), last_key(session_key));
    let mut rows = statement.query((keys.0, keys.1, ROWS, PAYLOAD_BYTES))?;
    let (mut latest, mut seen) = (None, 0);
    while let Some(row) = rows.next()? {
        let role: Option<String> = row.get(1)?;
        if row.get_ref(0)?.as_str() != Ok(MESSAGE)
            || !matches!(role.as_deref(), Some("user" | "assistant"))
        {
            continue;
        }
        let own = row.get_ref(3)?.as_str().ok().and_then(own_time);
        latest = latest.max(Some(own.unwrap_or(row.get(2)?)));
        seen += 1;
        if seen == SAID {
            break;
        }
    }
    Ok(latest)
}

fn own_time(payload: &str) -> Option<i64> {
    let time = Json::new(payload).get("timestamp")?;
    let ms: f64 = time.text().parse().ok()?;
    // Beyond this no date has a name.
    (ms.abs() < 2.5e14).then_some(ms as i64)
}

/// What a user said.
pub(crate) struct Said {
    pub id: NodeId,
    pub preview: String,
    /// Its payload is short enough to be read for a list.
    pub is_short: bool,
}

const OLDEST: &str = "
  SELECT key, id, kind, role, preview, octet_length(payload) <= ?4
  FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key LIMIT ?3";

/// What users said among the first 1024 nodes, at most the first 16 that have a preview.
pub(crate) fn said_first(conn: &Connection, session_key: i64) -> Outcome<Vec<Said>> {
    let mut statement = conn.prepare_cached(OLDEST)?;
    let keys = (first_key(session_key), last_key(session_key));
    let mut rows = statement.query((keys.0, keys.1, ROWS, PAYLOAD_BYTES))?;
    let mut said = Vec::new();
    while let Some(row) = rows.next()? {
        let role: Option<String> = row.get(3)?;
        let preview: String = row.get(4)?;
        if row.get_ref(2)?.as_str() == Ok(MESSAGE)
            && role.as_deref() == Some("user")
            && !preview.is_empty()
        {
            said.push(Said {
                id: public_id(row.get(1)?, row.get(0)?),
                preview,
                is_short: row.get(5)?,
            });
            if said.len() == SAID {
                break;
            }
        }
    }
    Ok(said)
}
