//! The JSON-lines server: other programs, in any language, read a store and move in it while agents work there.
//!
//! One request a line on the input, one answer a line on the output, in the order of the requests. The protocol is the one of
//! the coding agents dreb and pi, whose own clients work against it, and has a command for every call of
//! [`SessionTree`](crate::SessionTree) and [`Store`](crate::Store) besides. [`schema`] describes every message.
//!
//! A request goes one way: `framing` (bytes to lines) → `dispatch` (the table in `methods`, rights, errors) → one function in
//! `handlers` → the public API of this crate → `write` (text on the output).

mod connection;
mod convert;
mod dispatch;
mod entries;
mod failure;
mod files;
mod framing;
mod handlers;
mod listen;
mod methods;
mod mover;
mod options;
mod output;
mod peer;
mod queue;
mod reading;
mod running;
mod schema;
mod server;
mod summarizer;
mod tree;
mod types;
mod watch;
mod write;

pub use listen::listen;
pub use methods::command_names;
pub use options::{Access, Dialect, Options};
pub use schema::schema;
pub use server::{serve, serve_stdio};
