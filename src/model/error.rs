//! The one error type: a kind for programs, a sentence for people, the ids it speaks of, the cause kept inside.

use std::error::Error as StdError;
use std::fmt;

use super::guard::GuardKind;
use super::message::{InvalidMessage, TooDeep};

/// What went wrong, for programs. RPC codes and exit codes derive from it; the texts of errors may change, kinds do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No session has this id or name.
    SessionNotFound,
    /// No node of the session has this id.
    NodeNotFound,
    /// No branch of the session has this name.
    BranchNotFound,
    /// A prefix or name that fits several sessions or nodes.
    AmbiguousId,
    /// A session with this id is there already.
    SessionExists,
    /// A branch with this name is there already.
    BranchExists,
    /// A node with this id is there already, and it is not the same node.
    IdTaken,
    /// An id, name or option that cannot be used.
    InvalidArgument,
    /// Text that is not the JSON object it should be.
    InvalidMessage,
    /// The branch has no leaf yet.
    EmptyBranch,
    /// The leaf is not the one the caller expected: somebody moved it in between.
    LeafMoved,
    /// The turn or navigation was ended, released or replaced by somebody else.
    TurnLost,
    /// Somebody else holds the session or the file; trying again later can work.
    Busy,
    /// An ancestor's parent was never written, so the path does not reach a root.
    CutPath,
    /// The tree or the file is damaged.
    Damaged,
    /// JSON nested too deep for a typed view. Storing it is no problem.
    TooDeep,
    /// A record above the stated limit.
    TooLarge,
    /// The file is no store: not a database, or a database of another program.
    NotAStore,
    /// The file was written by a later version of this program.
    TooNew,
    /// The store was opened, or can only be opened, for reading.
    ReadOnly,
    /// The file lies on a network file system, where SQLite's locks and shared memory do not hold.
    NetworkFilesystem,
    /// Input in no format that is known.
    UnknownFormat,
    /// The summariser failed.
    SummarizerFailed,
    /// A hook failed after the move was made.
    HookFailed,
    /// The call was cancelled or aborted; nothing was changed.
    Cancelled,
    /// Reading or writing failed below the store.
    Io,
    /// The store cannot be used any more: it crossed a fork, or its worker is gone.
    Closed,
}

impl ErrorKind {
    /// Every kind, for lists in documentation and tests.
    pub const ALL: &'static [ErrorKind] = &[
        ErrorKind::SessionNotFound,
        ErrorKind::NodeNotFound,
        ErrorKind::BranchNotFound,
        ErrorKind::AmbiguousId,
        ErrorKind::SessionExists,
        ErrorKind::BranchExists,
        ErrorKind::IdTaken,
        ErrorKind::InvalidArgument,
        ErrorKind::InvalidMessage,
        ErrorKind::EmptyBranch,
        ErrorKind::LeafMoved,
        ErrorKind::TurnLost,
        ErrorKind::Busy,
        ErrorKind::CutPath,
        ErrorKind::Damaged,
        ErrorKind::TooDeep,
        ErrorKind::TooLarge,
        ErrorKind::NotAStore,
        ErrorKind::TooNew,
        ErrorKind::ReadOnly,
        ErrorKind::NetworkFilesystem,
        ErrorKind::UnknownFormat,
        ErrorKind::SummarizerFailed,
        ErrorKind::HookFailed,
        ErrorKind::Cancelled,
        ErrorKind::Io,
        ErrorKind::Closed,
    ];

    /// The kind as a stable word, as RPC sends it: `node_not_found`.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::SessionNotFound => "session_not_found",
            ErrorKind::NodeNotFound => "node_not_found",
            ErrorKind::BranchNotFound => "branch_not_found",
            ErrorKind::AmbiguousId => "ambiguous_id",
            ErrorKind::SessionExists => "session_exists",
            ErrorKind::BranchExists => "branch_exists",
            ErrorKind::IdTaken => "id_taken",
            ErrorKind::InvalidArgument => "invalid_argument",
            ErrorKind::InvalidMessage => "invalid_message",
            ErrorKind::EmptyBranch => "empty_branch",
            ErrorKind::LeafMoved => "leaf_moved",
            ErrorKind::TurnLost => "turn_lost",
            ErrorKind::Busy => "busy",
            ErrorKind::CutPath => "cut_path",
            ErrorKind::Damaged => "damaged",
            ErrorKind::TooDeep => "too_deep",
            ErrorKind::TooLarge => "too_large",
            ErrorKind::NotAStore => "not_a_store",
            ErrorKind::TooNew => "too_new",
            ErrorKind::ReadOnly => "read_only",
            ErrorKind::NetworkFilesystem => "network_filesystem",
            ErrorKind::UnknownFormat => "unknown_format",
            ErrorKind::SummarizerFailed => "summarizer_failed",
            ErrorKind::HookFailed => "hook_failed",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Io => "io",
            ErrorKind::Closed => "closed",
        }
    }
}

/// An error of this crate: [`kind`](Error::kind) for programs, `Display` for people (one sentence; its text is not stable).
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    session: Option<String>,
    node: Option<String>,
    branch: Option<String>,
    actor: Option<String>,
    guard: Option<GuardKind>,
    cause: Option<Box<dyn StdError + Send + Sync>>,
}

/// The result of nearly everything here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind with a sentence for people. Summarisers and hooks make their errors with it too.
    ///
    /// It is one line whatever ids and texts it names: control characters are written as `\n` or `\u{1b}`.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            kind,
            message: one_line(message.into()),
            session: None,
            node: None,
            branch: None,
            actor: None,
            guard: None,
            cause: None,
        }))
    }

    /// What went wrong, for programs.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether the same call can succeed later without any change by the caller.
    pub fn is_retryable(&self) -> bool {
        self.0.kind == ErrorKind::Busy
    }

    /// The session it speaks of, if it speaks of one.
    pub fn session(&self) -> Option<&str> {
        self.0.session.as_deref()
    }

    /// The node it speaks of, if it speaks of one.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// The branch it speaks of, if it speaks of one.
    pub fn branch(&self) -> Option<&str> {
        self.0.branch.as_deref()
    }

    /// Who is in the way: the holder of a turn, or the one who moved the leaf.
    pub fn actor(&self) -> Option<&str> {
        self.0.actor.as_deref()
    }

    /// Of `Busy`: what the session is in, if it is somebody's turn or navigation that is in the way and not a lock.
    pub fn busy_with(&self) -> Option<GuardKind> {
        self.0.guard
    }

    /// The same error, said as its caller must hear it.
    pub(crate) fn saying(mut self, message: String) -> Error {
        self.0.message = one_line(message);
        self
    }

    pub(crate) fn with_guard(mut self, kind: GuardKind) -> Error {
        self.0.guard = Some(kind);
        self
    }

    pub(crate) fn with_session(mut self, id: impl Into<String>) -> Error {
        self.0.session = Some(id.into());
        self
    }

    pub(crate) fn with_node(mut self, id: impl Into<String>) -> Error {
        self.0.node = Some(id.into());
        self
    }

    pub(crate) fn with_branch(mut self, name: impl Into<String>) -> Error {
        self.0.branch = Some(name.into());
        self
    }

    pub(crate) fn with_actor(mut self, actor: impl Into<String>) -> Error {
        self.0.actor = Some(actor.into());
        self
    }

    pub(crate) fn caused_by(mut self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.0.cause = Some(cause.into());
        self
    }

    pub(crate) fn session_not_found(id: &str) -> Error {
        Error::new(
            ErrorKind::SessionNotFound,
            format!("there is no session `{id}` in this store"),
        )
        .with_session(id)
    }

    pub(crate) fn node_not_found(id: &str) -> Error {
        Error::new(
            ErrorKind::NodeNotFound,
            format!("session tree has no node `{id}`"),
        )
        .with_node(id)
    }

    pub(crate) fn branch_not_found(name: &str) -> Error {
        Error::new(
            ErrorKind::BranchNotFound,
            format!("session tree has no branch `{name}`"),
        )
        .with_branch(name)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidArgument, message)
    }

    pub(crate) fn damaged(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Damaged, message)
    }

    pub(crate) fn io(message: impl Into<String>, cause: std::io::Error) -> Error {
        Error::new(ErrorKind::Io, format!("{}: {cause}", message.into())).caused_by(cause)
    }
}

fn one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let mut line = String::with_capacity(text.len() + 8);
    for c in text.trim_end().chars() {
        if c.is_control() {
            line.extend(c.escape_debug());
        } else {
            line.push(c);
        }
    }
    line
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.0.message)?;
        match &self.0.cause {
            Some(cause) => write!(f, " ({cause})"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .cause
            .as_deref()
            .map(|cause| cause as &(dyn StdError + 'static))
    }
}

impl From<InvalidMessage> for Error {
    fn from(cause: InvalidMessage) -> Error {
        Error::new(ErrorKind::InvalidMessage, cause.to_string()).caused_by(cause)
    }
}

impl From<TooDeep> for Error {
    fn from(cause: TooDeep) -> Error {
        Error::new(ErrorKind::TooDeep, cause.to_string()).caused_by(cause)
    }
}
