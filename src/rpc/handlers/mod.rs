//! The commands, a function each.

pub(super) mod appends;
pub(super) mod branches;
mod budget;
pub(super) mod changes;
pub(super) mod files;
pub(super) mod forks;
pub(super) mod marks;
pub(super) mod moves;
pub(super) mod navigation;
pub(super) mod nodes;
pub(super) mod paths;
pub(super) mod server;
pub(super) mod sessions;
pub(super) mod state;
pub(super) mod trees;
pub(super) mod turns;
pub(super) mod undo;

use super::connection::Connection;
use super::failure::Failure;
use super::types::answers::Nothing;

type Answer<A> = Result<A, Failure>;
