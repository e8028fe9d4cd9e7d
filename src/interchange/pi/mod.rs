//! Session files of pi and dreb: JSON lines, one entry each after a header.

mod census;
mod framing;
mod node;
pub(super) mod record;
mod write;

pub(super) use write::import;
