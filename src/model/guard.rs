//! What keeps a session to one turn or navigation at a time, as callers see it.

use std::fmt;

use super::id::{NodeId, SessionId};

/// What a session can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GuardKind {
    /// An agent produces an answer.
    Turn,
    /// A person moves to another place in the tree.
    Navigation,
}

impl GuardKind {
    /// As a word: `turn`, `navigation`.
    pub fn as_str(self) -> &'static str {
        match self {
            GuardKind::Turn => "turn",
            GuardKind::Navigation => "navigation",
        }
    }

    /// The kind a row names. A word of a later version is taken for a turn: something is going on.
    pub(crate) fn from_word(word: &str) -> GuardKind {
        match word {
            "navigation" => GuardKind::Navigation,
            _ => GuardKind::Turn,
        }
    }
}

impl fmt::Display for GuardKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Who is in a turn or navigation of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// The session.
    pub session: SessionId,
    /// What it is in.
    pub kind: GuardKind,
    /// Who holds it, as given when their store was opened.
    pub actor: String,
    /// The branch it pins.
    pub branch: Option<String>,
    /// That branch's leaf when it began; `None` while the branch was empty.
    pub leaf: Option<NodeId>,
    /// The holder's process on this machine.
    pub pid: Option<u32>,
    /// Unix time in milliseconds.
    pub began_at_ms: i64,
    /// Milliseconds since the last sign of life.
    pub silent_ms: i64,
    /// Whether it still counts. A holder whose process is gone, or that has shown no sign of life for 30 seconds, is in
    /// nobody's way: the next caller goes on.
    pub is_alive: bool,
}
