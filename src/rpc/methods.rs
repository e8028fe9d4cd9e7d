//! The commands: one row each. `hello`, the schema and the rights are made from this table.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::dispatch::{
    Described, Method, answer_schema, late_request_schema, request_schema, run, run_late,
};
use super::handlers as does;
use super::options::Access::{Append, Label, Manage, Navigate, Read};
use super::output::Texts::{Plain, Prefixed};
use super::types::answers::{Navigated, NavigatedFull, Subscribed, SummaryText};

/// `late` stands before the type of an answer that may come after later ones.
macro_rules! methods {
    ($($name:literal $access:ident $texts:ident $handler:path $(, late $answer:path)?;)*) => {
        &[$(methods!(@one $name $access $texts $handler $(, $answer)?),)*]
    };
    (@one $name:literal $access:ident $texts:ident $handler:path) => {
        Method {
            name: $name,
            access: $access,
            texts: $texts,
            run: |connection, text, ticket| run($handler, connection, text, ticket),
            request: |generator| request_schema($handler, generator),
            answer: |generator| answer_schema($handler, generator),
        }
    };
    (@one $name:literal $access:ident $texts:ident $handler:path, $answer:path) => {
        Method {
            name: $name,
            access: $access,
            texts: $texts,
            run: |connection, text, ticket| run_late($handler, connection, text, ticket),
            request: |generator| late_request_schema($handler, generator),
            answer: |generator| <$answer>::described(generator),
        }
    };
}

/// Commands that dreb and pi have come first. Failures of dreb's, but for navigate_tree, have a prefix in its dialect.
pub(super) const METHODS: &[Method] = methods![
    "get_state" Read Prefixed does::state::get_state;
    "get_messages" Read Prefixed does::state::get_messages;
    "get_session_stats" Read Prefixed does::state::get_session_stats;
    "get_last_assistant_text" Read Prefixed does::state::get_last_assistant_text;
    "get_tree" Read Prefixed does::trees::get_tree;
    "get_entries" Read Plain does::trees::get_entries;
    "get_fork_messages" Read Prefixed does::forks::get_fork_messages;
    "fork" Navigate Prefixed does::forks::fork;
    "clone" Navigate Plain does::forks::clone;
    "navigate_tree" Navigate Plain does::navigation::navigate_tree, late Navigated;
    "new_session" Navigate Prefixed does::sessions::new_session;
    "switch_session" Read Prefixed does::sessions::switch_session;
    "set_session_name" Label Prefixed does::sessions::set_session_name;
    "list_sessions" Read Prefixed does::sessions::list_sessions;
    "list_all_sessions" Read Prefixed does::sessions::list_all_sessions;
    "delete_session" Manage Prefixed does::sessions::delete_session;
    "import_jsonl" Manage Prefixed does::files::import_jsonl;
    "export_html" Read Prefixed does::files::export_html;

    "hello" Read Plain does::server::hello;
    "from_linear" Append Plain does::appends::from_linear;
    "append_message" Append Plain does::appends::append_message;
    "append" Append Plain does::appends::append;
    "append_many" Append Plain does::appends::append_many;
    "rewind" Navigate Plain does::moves::rewind;
    "branch" Navigate Plain does::moves::branch;
    "create_branch" Navigate Plain does::moves::create_branch;
    "switch_branch" Navigate Plain does::moves::switch_branch;
    "label" Label Plain does::marks::label;
    "clear_label" Label Plain does::marks::clear_label;
    "archive" Manage Plain does::marks::archive;
    "archive_branch" Manage Plain does::marks::archive_branch;
    "node" Read Plain does::nodes::node;
    "children" Read Plain does::nodes::children;
    "roots" Read Plain does::nodes::roots;
    "leaves" Read Plain does::nodes::leaves;
    "subtree" Read Plain does::nodes::subtree;
    "common_ancestor" Read Plain does::nodes::common_ancestor;
    "path_between" Read Plain does::nodes::path_between;
    "linear_projection" Read Plain does::paths::linear_projection;
    "linear_projection_of" Read Plain does::paths::linear_projection_of;
    "projection_with_report" Read Plain does::paths::projection_with_report;
    "active_path" Read Plain does::paths::active_path;
    "path_of" Read Plain does::paths::path_of;
    "diff" Read Plain does::paths::diff;
    "list_branches" Read Plain does::branches::list_branches;
    "has_branches" Read Plain does::branches::has_branches;
    "summaries" Read Plain does::branches::summaries;
    "summarize_branch" Label Plain does::branches::summarize_branch;
    "summarize_branch_with" Label Plain does::branches::summarize_branch_with, late SummaryText;
    "render_branch_text" Read Plain does::branches::render_branch_text;
    "splice_for_linear_export" Read Plain does::branches::splice_for_linear_export;
    "context" Read Plain does::state::context;
    "import" Manage Plain does::files::import;
    "from_snapshot" Manage Plain does::files::from_snapshot;
    "snapshot" Read Plain does::files::snapshot;
    "export" Manage Plain does::files::export;
    "backup" Manage Plain does::files::backup;
    "check" Read Plain does::files::check;
    "search" Read Plain does::files::search;
    "begin_turn" Append Plain does::turns::begin_turn;
    "end_turn" Append Plain does::turns::end_turn;
    "navigate" Navigate Plain does::navigation::navigate, late NavigatedFull;
    "plan_navigation" Navigate Plain does::navigation::plan_navigation;
    "commit_navigation" Navigate Plain does::navigation::commit_navigation;
    "abort_navigation" Navigate Plain does::navigation::abort_navigation;
    "undo" Navigate Plain does::undo::undo;
    "redo" Navigate Plain does::undo::redo;
    "changes" Read Plain does::changes::changes;
    "subscribe" Read Plain does::changes::subscribe, late Subscribed;
    "unsubscribe" Read Plain does::changes::unsubscribe;
    "who" Read Plain does::turns::who;
    "release" Manage Plain does::turns::release;
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Method>> =
    LazyLock::new(|| METHODS.iter().map(|method| (method.name, method)).collect());

pub(super) fn by_name(name: &str) -> Option<&'static Method> {
    BY_NAME.get(name).copied()
}

/// The name of every command, in the order of the table.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_twice() {
        assert_eq!(BY_NAME.len(), METHODS.len());
    }
}
