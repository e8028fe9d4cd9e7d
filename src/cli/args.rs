//! What can stand on the command line.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::cmd::Verb;

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the answer is no, or damage was found
  2  the command or its input cannot be used
  3  a session, node or branch is not there
  4  busy or a conflict: somebody else holds it, has moved it, or has taken the name
  5  refused because the tree or the file is damaged
  6  the file, the disk or the output cannot be used

Nodes and sessions are named by their ids or by a unique prefix of one; sessions also by name.
Variables: SESSION_TREE_DB, SESSION_TREE_SESSION, SESSION_TREE_ACTOR, SESSION_TREE_LOG.";

/// Keep the conversations of AI agents as trees in one SQLite file
#[derive(Parser)]
#[command(name = "session-tree", version, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// They stand before or after the verb.
#[derive(Args)]
pub(crate) struct Common {
    /// Use this store; default: $SESSION_TREE_DB, else session-tree/store.db in the user's data directory
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Use this session: an id, a unique prefix of one, or a name; default: $SESSION_TREE_SESSION
    #[arg(short, long, global = true, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Answer in JSON: one document, or one a line where the answer can be long
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// When something happened, for those who bring their own time.
#[derive(Args)]
pub(crate) struct At {
    /// Record this time, in milliseconds since 1970, instead of the present one
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) at_ms: Option<i64>,
}

/// Which path to read.
#[derive(Args)]
pub(crate) struct PathArgs {
    /// Read this branch instead of the active one
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Read the path that ends at this node
    #[arg(long, value_name = "NODE", conflicts_with = "branch")]
    leaf: Option<String>,
    /// Stop before this node of the path
    #[arg(long, value_name = "NODE")]
    before: Option<String>,
    /// Read only the last K messages
    #[arg(long, value_name = "K")]
    last: Option<u64>,
    /// Read a path with a missing ancestor from there on instead of refusing it
    #[arg(long)]
    allow_cut: bool,
}

impl PathArgs {
    pub(crate) fn selection(
        self,
        tree: &session_tree::SessionTree,
    ) -> session_tree::Result<session_tree::Selection> {
        let node = |text: Option<String>| -> session_tree::Result<Option<String>> {
            text.map(|text| Ok(tree.find_node(&text)?.to_string()))
                .transpose()
        };
        Ok(session_tree::Selection {
            branch: self.branch,
            leaf: node(self.leaf)?,
            before: node(self.before)?,
            last: self.last,
            allow_cut: self.allow_cut,
        })
    }
}
