//! Commands that the agents have too.

use schemars::JsonSchema;
use serde::Deserialize;

/// A request about a session as a whole.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct OnSession {
    /// The session; the current one if absent.
    pub session: Option<String>,
}

/// A request that needs nothing else.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Bare {}

/// Tells the server who talks to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Hello {
    pub client: Option<String>,
}

/// The tree of a session: nested, or flat in pages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct GetTree {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Pages of nodes in the order of writing instead of nested objects.
    #[serde(default)]
    pub flat: bool,
    /// Only this node and what hangs below it.
    pub root: Option<String>,
    /// Levels below the roots that are shown; 0 = the roots alone.
    pub depth: Option<u64>,
    /// Flat: nodes a page, at most 10,000; 1,000 if absent.
    pub limit: Option<u32>,
    /// Flat: `nextCursor` of the page before.
    pub cursor: Option<String>,
}

/// Whole entries in the order of the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct GetEntries {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Only those after this one.
    pub since: Option<String>,
}

/// A person's move in the tree.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NavigateTree {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Where to. To a user's message: before it, with its text handed back for editing.
    pub target_id: Option<String>,
    /// Have what is left behind summarised.
    #[serde(default)]
    pub summarize: Option<bool>,
    /// For the summariser.
    pub custom_instructions: Option<String>,
    /// The instructions replace the summariser's own.
    #[serde(default)]
    pub replace_instructions: Option<bool>,
    /// For the summary, else for the target.
    pub label: Option<String>,
}

/// Copies the path to a node into a new session and switches to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Fork {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub entry_id: Option<String>,
}

/// Makes a session and switches to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NewSession {
    /// Noted in the new session's meta.
    pub parent_session: Option<String>,
    /// Its id; a made one if absent.
    pub new_id: Option<String>,
    /// Its title.
    pub name: Option<String>,
    /// The agent's working directory; the server's own if absent.
    pub cwd: Option<String>,
}

/// Names a session, by its path in a list or by its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NamedSession {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// `<store file>#<session id>`.
    pub session_path: Option<String>,
}

/// Imports a session file and switches to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ImportJsonl {
    /// Inside the directory the server was started with.
    pub input_path: String,
}

/// Writes a session as HTML.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the command is described, and not built yet")]
pub(in crate::rpc) struct ExportHtml {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub output_path: Option<String>,
}

/// Sets the session's title.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SetSessionName {
    /// The session; the current one if absent.
    pub session: Option<String>,
    #[serde(default)]
    pub name: String,
}
