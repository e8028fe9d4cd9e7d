//! Plain types and text: no SQL, no files.

pub(crate) mod branch;
pub(crate) mod change;
pub(crate) mod chat;
pub(crate) mod clock;
pub(crate) mod error;
pub(crate) mod fingerprint;
pub(crate) mod guard;
pub(crate) mod id;
pub(crate) mod json;
pub(crate) mod message;
pub(crate) mod navigation;
pub(crate) mod node;
pub(crate) mod preview;
pub(crate) mod selection;
pub(crate) mod session;

pub(crate) use branch::{Branch, BranchSummarizer, BranchSummary, MAIN_BRANCH};
pub(crate) use change::{Change, Changes, Cursor, OperationRecord};
pub(crate) use clock::{Clock, SystemClock, iso_from_ms};
pub(crate) use error::{Error, ErrorKind, Result};
pub(crate) use fingerprint::{Fingerprint, fingerprint, hex};
pub(crate) use guard::{GuardKind, Holder};
pub(crate) use id::{NodeId, SessionId, counted, is_counted, new_session_id, random_hex};
pub(crate) use message::Message;
pub(crate) use navigation::{
    HookDecision, NavigateOptions, Navigated, NavigationSummary, Unsummarized,
};
pub(crate) use node::{Expecting, MESSAGE, NewNode, OutlineNode, TreeNode};
pub(crate) use preview::{content_text, preview, role, role_and_preview};
pub(crate) use selection::Selection;
pub(crate) use session::{NewSession, SessionInfo};
