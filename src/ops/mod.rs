//! What changes a tree, one file an operation. Each runs inside a transaction that somebody else opened.

mod adopt;
mod append;
mod branch;
#[cfg(test)]
mod cost;
mod create;
mod fork;
mod guard;
pub(crate) mod import;
mod label;
mod names;
mod navigate;
mod record;
mod remove;
mod rename;
mod rewind;
mod summarize;
mod undo;

pub(crate) use append::{Appended, Tip, append, append_all, append_at, goes_on};
pub(crate) use branch::{BranchSpec, branch, switch};
pub(crate) use create::{create_session, from_linear};
pub(crate) use fork::fork;
pub(crate) use guard::{
    Permit, Place, abort_navigation, beat, end, place_of, release, take, was_aborted,
};
pub(crate) use label::{clear_label, label};
pub(crate) use navigate::{Planning, Route, commit_navigation, plan_navigation};
pub(crate) use record::nearest_time;
pub(crate) use remove::{deletable, delete_session};
pub(crate) use rename::{archive_branch, archive_session, rename};
pub(crate) use rewind::rewind;
pub(crate) use summarize::{empty_branch, summarize};
pub(crate) use undo::{Undone, redo, undo};

/// Who does something, in which session, when, and by which right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ctx<'a> {
    pub session_key: i64,
    pub actor: &'a str,
    /// Unix time in milliseconds of the operation.
    pub at_ms: i64,
    /// Milliseconds since the machine was started, by which the life of guards is judged.
    pub boot_ms: i64,
    pub permit: Permit,
}

impl<'a> Ctx<'a> {
    /// For a session that is being made: nobody can be in a turn in it.
    pub(crate) fn unguarded(session_key: i64, actor: &'a str, at_ms: i64) -> Ctx<'a> {
        Ctx {
            session_key,
            actor,
            at_ms,
            boot_ms: i64::MIN,
            permit: Permit::Free,
        }
    }
}
