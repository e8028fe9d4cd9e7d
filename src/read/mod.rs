//! What is asked of a tree, one file a question. Nothing here writes.

mod branches;
mod changes;
mod context;
mod family;
mod find;
mod left_behind;
#[cfg(feature = "rpc")]
mod listed;
mod node;
mod outline;
mod path;
mod projection;
mod render;
mod select;
mod sessions;
mod source;
mod stats;
mod text;
mod walk;
mod who;
mod whole;

pub(crate) use branches::{branches, has_branches, summaries};
pub(crate) use changes::{changes, head, heads};
pub use context::{Context, ModelRef};
#[cfg(feature = "rpc")]
pub(crate) use context::{ContextEnd, context_end};
pub(crate) use context::{context, named_by_place};
pub(crate) use family::{children, common_ancestor, leaves, roots, subtree};
pub(crate) use find::find_node;
pub(crate) use left_behind::{left_behind, text_left_behind};
#[cfg(feature = "rpc")]
pub(crate) use listed::{Said, last_said_at, said_first};
pub(crate) use node::node;
pub(crate) use outline::outline;
pub use path::Cut;
pub(crate) use path::{PathPlan, Run, Window, plan_from};
pub(crate) use projection::path_ids;
pub use projection::{PathNode, PathNodes, Projection};
pub(crate) use render::render_into;
pub(crate) use select::select;
pub(crate) use sessions::{list_sessions, resolve_session, session_info};
pub(crate) use source::{
    LooseKind, SourceIndex, SourceItem, SourceLine, SourceText, has_marks_of_its_own, labels,
    newest_root, next_id, node_of_record, source_hash, source_index, source_page,
};
pub use stats::SessionStats;
pub(crate) use text::turns_text;
#[cfg(feature = "rpc")]
pub(crate) use walk::Part;
pub use walk::{TreeWalk, WalkNode};
pub(crate) use who::{is_held, who, who_all};
pub use whole::AllNodes;
