//! Requests.

mod agents;
mod moves;
mod questions;

pub(in crate::rpc) use agents::*;
pub(in crate::rpc) use moves::*;
pub(in crate::rpc) use questions::*;
