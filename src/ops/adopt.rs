//! Adoption: an orphan gets the parent it declared, when that parent comes.

use rusqlite::Connection;

use super::Ctx;
use super::append::note_adoption;
use crate::db::Outcome;

const WAITING: &str = "
  SELECT key FROM nodes
  WHERE key >> 32 = ?1 AND missing_parent = ?2 AND parent_key IS NULL AND adoptable = 1";

/// Whether ?1 is an ancestor of ?2, by the starts of the runs above it: an orphan is the start of its run.
const IS_ANCESTOR: &str = "
  WITH RECURSIVE ancestor_run (run_start) AS (
    SELECT run_start FROM nodes WHERE key = ?2
    UNION
    SELECT above.run_start
    FROM ancestor_run
    JOIN nodes AS head ON head.key = ancestor_run.run_start
    JOIN nodes AS above ON above.key = head.parent_key)
  SELECT EXISTS (SELECT 1 FROM ancestor_run WHERE run_start = ?1)";

const ADOPT: &str = "UPDATE nodes SET parent_key = ?2 WHERE key = ?1";
const NEVER_ADOPT: &str = "UPDATE nodes SET adoptable = 0 WHERE key = ?1";

/// Gives the orphans that wait for `id` the node `key` as their parent. One that would close a cycle stays a root for good.
/// Returns the keys of the adopted and of those that were not.
pub(crate) fn adopt_waiting(
    conn: &Connection,
    ctx: &Ctx<'_>,
    key: i64,
    id: &str,
) -> Outcome<(Vec<i64>, Vec<i64>)> {
    let waiting: Vec<i64> = conn
        .prepare_cached(WAITING)?
        .query_map((ctx.session_key, id), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let (mut adopted, mut refused) = (Vec::new(), Vec::new());
    for orphan in waiting {
        let closes_cycle: bool = conn
            .prepare_cached(IS_ANCESTOR)?
            .query_row((orphan, key), |row| row.get(0))?;
        if closes_cycle {
            conn.prepare_cached(NEVER_ADOPT)?.execute((orphan,))?;
            refused.push(orphan);
        } else {
            conn.prepare_cached(ADOPT)?.execute((orphan, key))?;
            note_adoption(conn, ctx, orphan, key)?;
            adopted.push(orphan);
        }
    }
    Ok((adopted, refused))
}
