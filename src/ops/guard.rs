//! The door every move goes through: a session in a turn or a navigation belongs to its holder.

use rusqlite::{Connection, OptionalExtension};

use super::Ctx;
use crate::db::{Fault, Outcome};
use crate::model::{Error, ErrorKind};

/// By which right a caller moves in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// It holds nothing: fine while nobody else does.
    Free,
    /// It holds the turn or navigation with this fencing number.
    Held { fence: i64 },
}

const GUARD: &str = "SELECT fence, kind, actor FROM guards WHERE session_key = ?1";

/// Lets the caller in, or says who is in the way.
pub(crate) fn admit(conn: &Connection, ctx: &Ctx<'_>) -> Outcome<()> {
    let row = conn
        .prepare_cached(GUARD)?
        .query_row((ctx.session_key,), |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, Option<String>>(1)?,
                row.get::<_, Option<String>>(2)?,
            ))
        })
        .optional()?;
    match (ctx.permit, row) {
        (Permit::Free, None | Some((_, None, _))) => Ok(()),
        (Permit::Free, Some((_, Some(kind), actor))) => Err(Fault::Ours(busy(&kind, actor))),
        (Permit::Held { fence }, Some((held, Some(_), _))) if held == fence => Ok(()),
        (Permit::Held { .. }, row) => {
            let actor = row.and_then(|(_, kind, actor)| kind.and(actor));
            let text = match &actor {
                Some(actor) => format!(
                    "the turn is over: `{actor}` holds the session now; nothing was changed"
                ),
                None => {
                    String::from("the turn is over: it ended or was released; nothing was changed")
                }
            };
            let error = Error::new(ErrorKind::TurnLost, text);
            Err(Fault::Ours(match actor {
                Some(actor) => error.with_actor(actor),
                None => error,
            }))
        }
    }
}

fn busy(kind: &str, actor: Option<String>) -> Error {
    let actor = actor.unwrap_or_else(|| String::from("somebody"));
    Error::new(
        ErrorKind::Busy,
        format!("the session is in a {kind} of `{actor}`; wait until it ends, or release it"),
    )
    .with_actor(actor)
}
