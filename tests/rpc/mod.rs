//! The JSON-lines server.

mod calls;
mod checklist;
mod client;
mod edges;
mod events;
#[cfg(feature = "cli")]
mod examples;
mod files;
mod forks;
mod framing;
mod golden;
mod gone;
#[cfg(feature = "cli")]
mod memory;
mod moves;
mod navigation;
mod outside;
mod plans;
#[cfg(feature = "cli")]
mod program;
mod schema;
mod sessions;
mod trees;
mod versions;
mod windows;
