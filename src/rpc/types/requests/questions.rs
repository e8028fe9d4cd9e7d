//! Questions, and files.

use crate::rpc::types::any_object;
use crate::rpc::write::Raw;
use schemars::JsonSchema;
use serde::Deserialize;

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

/// What the model should see of the active branch, or the end of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct GetMessages {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Only the last ones, this many.
    pub last: Option<u64>,
    /// Only those before the message of this node, which must have one in the context.
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

/// Writes a session to a file of another program's format.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Export {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub format: ExportFormat,
    /// A new file inside the directory the server was started with.
    pub path: String,
    /// Chat: the branch to write; the active one if absent.
    pub branch: Option<String>,
}

/// What is written.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(in crate::rpc) enum ExportFormat {
    /// The entries of pi and dreb, one a line.
    #[serde(rename = "pi")]
    Pi,
    /// supercode's tree, one object.
    #[serde(rename = "tree.json")]
    TreeJson,
    /// The messages of one branch, one a line.
    #[serde(rename = "chat")]
    Chat,
    /// The active branch's messages and a text for each other branch.
    #[serde(rename = "splice")]
    Splice,
}
