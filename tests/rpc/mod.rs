//! The JSON-lines server.

mod calls;
mod client;
mod events;
mod framing;
mod golden;
mod navigation;
mod schema;
mod sessions;
mod trees;
