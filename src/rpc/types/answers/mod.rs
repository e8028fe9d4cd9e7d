//! The `data` of answers.

mod agents;
mod moves;
mod nodes;

pub(in crate::rpc) use agents::*;
pub(in crate::rpc) use moves::*;
pub(in crate::rpc) use nodes::*;
