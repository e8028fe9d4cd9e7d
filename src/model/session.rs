//! Sessions as lists and callers see them.

use super::id::{NodeId, SessionId};

/// What a list of sessions shows of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its id in the store.
    pub id: SessionId,
    /// Its title, if it has one.
    pub name: Option<String>,
    /// The agent's working directory, if known.
    pub cwd: Option<String>,
    /// The branch it is on.
    pub active_branch: String,
    /// The active branch's leaf; `None` while that branch is empty.
    pub leaf: Option<NodeId>,
    /// Nodes of kind `message`, on all branches.
    pub messages: u64,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
    /// Time of the node written last, else of creation; Unix time in milliseconds.
    pub last_node_at_ms: i64,
    /// Whether it was archived.
    pub is_archived: bool,
    /// JSON object: the caller's, or the header of the source.
    pub meta: String,
    /// Import: the format it came from.
    pub source_format: Option<String>,
    /// Import: where the source was read last.
    pub source_path: Option<String>,
    /// Fork: the session it was copied from.
    pub origin_session: Option<SessionId>,
    /// Fork: the node at which the copied path ended.
    pub origin_node: Option<NodeId>,
}

/// A session to be made. Everything is optional.
#[derive(Clone, Debug, Default)]
pub struct NewSession {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) meta: Option<String>,
    pub(crate) created_at_ms: Option<i64>,
}

impl NewSession {
    /// A session with a made id, on an empty branch `main`.
    pub fn new() -> NewSession {
        NewSession::default()
    }

    /// Gives the id. Without it the store makes a UUID.
    pub fn id(mut self, id: impl Into<String>) -> NewSession {
        self.id = Some(id.into());
        self
    }

    /// Sets the title.
    pub fn name(mut self, name: impl Into<String>) -> NewSession {
        self.name = Some(name.into());
        self
    }

    /// Sets the agent's working directory.
    pub fn cwd(mut self, cwd: impl Into<String>) -> NewSession {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets the caller's own data: one JSON object, kept as it is.
    pub fn meta(mut self, json: impl Into<String>) -> NewSession {
        self.meta = Some(json.into());
        self
    }

    /// Sets the time of creation, Unix time in milliseconds, instead of taking it from the store's clock.
    pub fn at(mut self, created_at_ms: i64) -> NewSession {
        self.created_at_ms = Some(created_at_ms);
        self
    }
}
