//! Plain types and text: no SQL, no files.

#[allow(dead_code, unused_imports)]
pub(crate) mod json;
