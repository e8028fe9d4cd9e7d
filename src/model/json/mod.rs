//! JSON text as text. Payloads are kept byte for byte and may be huge, deep, or hold what typed parsers refuse (escapes
//! of single surrogate halves), so the store reads them through a cursor over their text and never builds a value.

mod edit;
mod same;
mod scan;
mod value;
mod write;

#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use edit::with_member;
pub(crate) use same::same_value;
pub(crate) use scan::{depth, find_any, validate};
pub(crate) use value::Json;
pub(crate) use write::{
    compact, compact_runs, escape_line_separators, push_pretty, push_string, quote,
    replace_lone_surrogates,
};

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    /// Byte at which the text stops being JSON; the length of the text when it ends too early.
    pub offset: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl JsonError {
    const fn new(offset: usize, problem: &'static str) -> Self {
        Self { offset, problem }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.problem, self.offset)
    }
}

impl std::error::Error for JsonError {}
