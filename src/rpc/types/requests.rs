//! Requests.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{any_object, any_objects, given};
use crate::rpc::write::Raw;

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

/// Appends a message to the active branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct AppendMessage {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// One JSON object, kept byte for byte.
    #[schemars(schema_with = "any_object")]
    pub message: Raw,
    /// Unix time in milliseconds; the server's clock if absent.
    pub created_at_ms: Option<i64>,
    /// Fail with `leaf_moved` unless the branch ends here; null: unless it is empty.
    #[serde(default, deserialize_with = "given")]
    pub expected_leaf: Option<Option<String>>,
    /// The id of the new node; given again with the same message, nothing is appended.
    pub node_id: Option<String>,
}

/// Appends a node of any type to any branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Append {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// `message`, `compaction`, `label`, ... or any other text.
    pub kind: String,
    /// One JSON object: the message, or the fields of that type.
    #[schemars(schema_with = "any_object")]
    pub payload: Raw,
    /// The active one if absent.
    pub branch: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub created_at_ms: Option<i64>,
    /// Fail with `leaf_moved` unless the branch ends here; null: unless it is empty.
    #[serde(default, deserialize_with = "given")]
    pub expected_leaf: Option<Option<String>>,
    /// The id of the new node; given again with the same content, nothing is appended.
    pub node_id: Option<String>,
}

/// Appends several nodes, all or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct AppendMany {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Each is appended after the one before.
    pub nodes: Vec<NewNodeDto>,
}

/// One node to be appended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NewNodeDto {
    pub kind: String,
    #[schemars(schema_with = "any_object")]
    pub payload: Raw,
    pub branch: Option<String>,
    pub created_at_ms: Option<i64>,
    #[serde(default, deserialize_with = "given")]
    pub expected_leaf: Option<Option<String>>,
    pub node_id: Option<String>,
}

/// Makes a session of these messages. The connection stays where it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct FromLinear {
    #[schemars(schema_with = "any_objects")]
    pub messages: Vec<Raw>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub created_at_ms: Option<i64>,
}

/// Moves the active branch's leaf to a node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Rewind {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub node_id: String,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Makes a branch that ends at a node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct MakeBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub from_node: String,
    /// `branch`, `branch-2`, ... if absent.
    pub name: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Makes a branch without switching to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct CreateBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// An empty branch if absent.
    pub from_node: Option<String>,
    /// `branch`, `branch-2`, ... if absent.
    pub name: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Makes another branch active.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SwitchBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub name: String,
}

/// Puts a session out of sight, or back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Archive {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Absent: true.
    pub archived: Option<bool>,
}

/// Puts a branch out of sight, or back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ArchiveBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub name: String,
    /// Absent: true.
    pub archived: Option<bool>,
}

/// Sets a node's label.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Label {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub node_id: String,
    /// "" clears it.
    pub label: String,
}

/// A request about one node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct OnNode {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub node_id: String,
}

/// A request about two nodes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct TwoNodes {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub from: String,
    pub to: String,
}

/// A request about a branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct OnBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub branch: String,
}

/// Messages of a branch, root first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct LinearProjection {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// The active one if absent.
    pub branch: Option<String>,
    /// Only the last ones, this many.
    pub last: Option<u64>,
    /// Only those before this node, which must be on the path.
    pub before: Option<String>,
    /// Only the last ones that fit into this many bytes of text.
    pub max_bytes: Option<u64>,
}

/// Ids of a branch's nodes, root first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ActivePath {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// The active one if absent.
    pub branch: Option<String>,
    /// Answer a cut path from the cut on, instead of failing.
    #[serde(default)]
    pub allow_cut: bool,
}

/// Stores a text that stands for a branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SummarizeBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub branch: String,
    pub summary: String,
    pub model_id: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Has a branch summarised by the server's summariser.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SummarizeBranchWith {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub branch: String,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// How two branches differ.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Diff {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub left: String,
    pub right: String,
}

/// All messages of a branch, also where its path is cut.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ProjectionWithReport {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// The active one if absent.
    pub branch: Option<String>,
}

/// Begins a turn. It belongs to this connection, whose commands on that session are inside it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct BeginTurn {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// The active one if absent.
    pub branch: Option<String>,
}

/// Asks who is in a turn or navigation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Who {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Of all sessions of the store.
    #[serde(default)]
    pub all: bool,
}

/// Makes a move that was planned.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct CommitNavigation {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// A text that stands for what is left behind.
    pub summary: Option<String>,
    /// The model that wrote it.
    pub model_id: Option<String>,
}

/// Takes a move back, or makes it again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Undo {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Asks what happened in a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Changes {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// A `cursor` or `asOf` of an answer or event; the beginning if absent.
    pub since: Option<String>,
    /// At most this many, and at most 1,000; 100 if absent.
    pub limit: Option<u32>,
}

/// Asks to be told what happens from now on, whoever does it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Subscribe {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Go on after this `cursor` or `asOf` of an answer or event; after all that was so far if absent.
    pub since: Option<String>,
    /// Instead of one session: which sessions of the store change.
    #[serde(default)]
    pub all: bool,
}

/// Asks to be told no more.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Unsubscribe {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Instead of one session: which sessions of the store change.
    #[serde(default)]
    pub all: bool,
}

/// Imports a session file. The connection stays where it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Import {
    /// Inside the directory the server was started with.
    pub path: String,
    /// Refuse a damaged file instead of taking what is whole.
    #[serde(default)]
    pub strict: bool,
}

/// Makes a session of the text of a `.tree.json`. The connection stays where it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct FromSnapshot {
    /// The file's content, as a JSON object.
    #[schemars(schema_with = "any_object")]
    pub snapshot: Raw,
}

/// Looks for damage.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Check {
    /// Only this session; the whole store if absent.
    pub session: Option<String>,
}

/// Copies the store to a new file, while it is in use.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Backup {
    /// Inside the directory the server was started with.
    pub path: String,
}

/// What the model should see of a branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ContextOf {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// The active one if absent.
    pub branch: Option<String>,
}

/// Looks for words.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the command is described, and not built yet")]
pub(in crate::rpc) struct Search {
    pub query: String,
}
