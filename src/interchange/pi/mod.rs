//! Session files of pi and dreb: JSON lines, one entry each after a header.

mod census;
mod export;
mod framing;
mod line;
mod node;
pub(super) mod record;
mod report;
mod ways;
mod write;

pub(super) use export::export;
pub(super) use write::import;
