//! A node by what a person typed: its id, else a unique prefix of it.

use rusqlite::{Connection, Row};

use super::sessions::prefix_end;
use crate::db::{Fault, Outcome, SEQ_MASK, key_by_id, key_of, public_id};
use crate::model::{Error, ErrorKind, NodeId};

/// By range, never LIKE: an id may hold any character.
const GIVEN: &str = "
  SELECT key, id FROM nodes WHERE key >> 32 = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT 2";

/// Ids of the form n<seq> are not stored: those with a prefix are a few ranges of keys.
const DERIVED: &str =
    "SELECT key, id FROM nodes WHERE key BETWEEN ?1 AND ?2 AND id IS NULL ORDER BY key LIMIT 2";

fn id_of(row: &Row<'_>) -> rusqlite::Result<NodeId> {
    Ok(public_id(row.get("id")?, row.get("key")?))
}

/// The node's id. Exactly the text comes first, so a node whose id begins another's can always be named.
pub(crate) fn find_node(conn: &Connection, session_key: i64, text: &str) -> Outcome<NodeId> {
    if key_by_id(conn, session_key, text)?.is_some() {
        return Ok(NodeId::from(text));
    }
    let mut fits: Vec<NodeId> = Vec::new();
    if !text.is_empty() {
        fits = conn
            .prepare_cached(GIVEN)?
            .query_map((session_key, text, prefix_end(text)), id_of)?
            .collect::<rusqlite::Result<_>>()?;
        for (first, last) in seqs_with_prefix(text) {
            if fits.len() < 2 {
                let keys = (key_of(session_key, first), key_of(session_key, last));
                let found = conn
                    .prepare_cached(DERIVED)?
                    .query_map(keys, id_of)?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                fits.extend(found);
            }
        }
    }
    match fits.as_slice() {
        [] => Err(Fault::Ours(Error::node_not_found(text))),
        [only] => Ok(only.clone()),
        [one, other, ..] => Err(Fault::Ours(
            Error::new(
                ErrorKind::AmbiguousId,
                format!(
                    "several nodes fit `{text}`, `{one}` and `{other}` among them; give more of the id"
                ),
            )
            .with_node(text),
        )),
    }
}

/// The ranges of seqs whose `n<seq>` begins with `prefix` and is longer.
fn seqs_with_prefix(prefix: &str) -> Vec<(u32, u32)> {
    let Some(digits) = prefix.strip_prefix('n') else {
        return Vec::new();
    };
    if digits.is_empty() {
        return vec![(0, u32::MAX)];
    }
    let number = match digits.parse::<u64>() {
        Ok(number) if number > 0 && !digits.starts_with(['0', '+']) => number,
        _ => return Vec::new(),
    };
    let mut ranges = Vec::new();
    let mut scale: u64 = 10;
    while let Some(first) = number.checked_mul(scale)
        && first <= u64::try_from(SEQ_MASK).unwrap_or(0)
    {
        let last = first + (scale - 1);
        ranges.push((
            u32::try_from(first).unwrap_or(u32::MAX),
            u32::try_from(last).unwrap_or(u32::MAX),
        ));
        scale *= 10;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_derived_ids_are_ranges() {
        assert_eq!(seqs_with_prefix("n"), [(0, u32::MAX)]);
        assert_eq!(seqs_with_prefix("n0"), []);
        assert_eq!(seqs_with_prefix("n+1"), []);
        assert_eq!(seqs_with_prefix("x1"), []);
        assert_eq!(
            seqs_with_prefix("n42949672"),
            [(429_496_720, 429_496_729), (4_294_967_200, u32::MAX)]
        );
        assert_eq!(seqs_with_prefix("n99999999999999999999"), []);
    }
}
