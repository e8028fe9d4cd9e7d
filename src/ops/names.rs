//! Names that the store gives to branches: the lowest free number, without trying all the taken ones each time.

use rusqlite::Connection;

use crate::db::Outcome;
use crate::model::{Error, Result};

const IS_TAKEN: &str =
    "SELECT EXISTS (SELECT 1 FROM branches WHERE session_key = ?1 AND name = ?2)";

/// The lowest free one of `base`, `base-2`, `base-3`, ... and the number after it.
///
/// All numbers below `hint` are taken: that is kept beside the branch or session the names derive from, and starts over
/// when a name becomes free. So each number is looked at once, not once for every new name.
pub(super) fn lowest_free(
    conn: &Connection,
    session_key: i64,
    base: &str,
    hint: i64,
) -> Outcome<(String, i64)> {
    let mut number = hint.max(1);
    loop {
        let name = if number == 1 {
            base.to_owned()
        } else {
            format!("{base}-{number}")
        };
        number = number.saturating_add(1);
        let taken: bool = conn
            .prepare_cached(IS_TAKEN)?
            .query_row((session_key, &name), |row| row.get(0))?;
        if !taken {
            return Ok((name, number));
        }
    }
}

/// Refuses what cannot be a branch name: it stands on one line in lists and drawings.
pub(crate) fn valid_branch_name(name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid(
            "a branch needs a name of at least one character",
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "the branch name {name:?} has control characters in it; leave them out"
        )));
    }
    Ok(())
}
