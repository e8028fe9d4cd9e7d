//! The `session-tree` command as a person or a script meets it: the real program, in an environment of its own.

mod bad_files;
mod bench;
mod docs;
mod drawing;
mod exit_codes;
mod import;
mod json;
mod output;
mod sessions;
mod verbs;
