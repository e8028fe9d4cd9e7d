//! session-tree keeps the conversations of AI agents as trees in one SQLite file.
//!
//! Every turn is a node. Rewinding loses nothing: the old leaf stays under a branch of its own. The file defends itself,
//! can be queried with the `sqlite3` shell, and is backed up as one file.
//!
//! ```
//! # fn main() -> session_tree::Result<()> {
//! use session_tree::{Message, Store};
//!
//! # let directory = tempfile::tempdir().unwrap();
//! # let path = directory.path().join("agent.db");
//! let store = Store::open(&path)?;
//! let tree = store.create_session()?;
//! let question = tree.append_message(Message::user("Which file first?"), None)?;
//! tree.append_message(Message::assistant("Start with store.rs."), None)?;
//!
//! let preserved = tree.rewind(&question, None)?;
//! assert_eq!(preserved.as_deref(), Some("main-rewound"));
//! tree.append_message(Message::assistant("Start with the schema."), None)?;
//!
//! let texts: Vec<String> = tree.linear_projection()?.iter().map(|message| message.to_string()).collect();
//! assert_eq!(texts[1], r#"{"role":"assistant","content":"Start with the schema."}"#);
//! assert_eq!(tree.linear_projection_of("main-rewound")?.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! # The parts
//! [`Store`] is one SQLite file; [`SessionTree`] is a cheap handle on one conversation in it. Both are `Send`, `Sync` and
//! `'static`: clone them, share them, call them from any thread. Calls are synchronous, atomic, and durable on return; in an
//! async program, call them where blocking is allowed. [`Message`] is one message's JSON text, kept byte for byte.
//!
//! # Architecture
//! A request goes one way: adapter (`cli`, `rpc`, `interchange`) → this public API → an operation or a question → SQL.
//! Nothing but `db` and the operations know the database library, and it does not show in this API. No user code runs
//! inside a transaction. Nothing but SQLite opens the database file while a store is open.
//!
//! # Features
//! - `bundled` (default): compiles SQLite in. Without it the system's is linked, which must be 3.51.3 or later.
//! - `cli` (default): the `session-tree` command. A library user turns default features off and gets no clap.
//! - `rpc` (default): the JSON-lines server.

#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::dbg_macro,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

pub(crate) mod check;
pub(crate) mod db;
pub(crate) mod lines;
pub(crate) mod model;
pub(crate) mod ops;
pub(crate) mod read;

mod exporting;
mod fork;
mod importing;
pub mod interchange;
#[cfg(feature = "rpc")]
mod listed;
mod navigation;
#[cfg(feature = "rpc")]
pub mod rpc;
mod store;
mod tree;
mod turn;
mod undo;

pub use check::{CheckOptions, CheckReport, Problem, ProblemCode};
pub use db::Durability;
pub use fork::{ForkCandidate, ForkPoint};
pub use model::branch::{Branch, BranchSummarizer, BranchSummary, MAIN_BRANCH};
pub use model::change::{Change, Changes, Cursor, OperationRecord};
pub use model::chat::{ChatMessage, ToolCall};
pub use model::clock::{Clock, SystemClock};
pub use model::error::{Error, ErrorKind, Result};
pub use model::guard::{GuardKind, Holder};
pub use model::id::{NodeId, SessionId};
pub use model::message::{InvalidMessage, Message, TooDeep};
pub use model::navigation::{
    HookDecision, NavigateOptions, Navigated, NavigationSummary, Unsummarized,
};
pub use model::node::{NewNode, OutlineNode, TreeNode};
pub use model::selection::Selection;
pub use model::session::{NewSession, SessionInfo};
pub use navigation::{
    AbortHandle, Navigation, NavigationHooks, NavigationSummarizer, SummaryRequest,
};
pub use read::{
    AllNodes, Context, Cut, ModelRef, PathNode, PathNodes, Projection, SessionStats, TreeWalk,
    WalkNode,
};
pub use store::{Store, StoreBuilder};
pub use tree::{BranchDiff, SessionTree, Splice};
pub use turn::Turn;
pub use undo::Undone;

/// The README's examples are compiled and run as this crate's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
