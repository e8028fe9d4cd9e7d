//! Plain types and text: no SQL, no files.

pub(crate) mod chat;
#[allow(dead_code, unused_imports)]
pub(crate) mod json;
#[allow(dead_code)]
pub(crate) mod message;
#[allow(dead_code)]
pub(crate) mod preview;
