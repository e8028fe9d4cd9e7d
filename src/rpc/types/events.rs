//! Events: messages that answer no request.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::nodes::ChangeDto;
use crate::rpc::schema::event_schema;

/// Every kind of event, for the schema.
pub(in crate::rpc) const EVENTS: &[fn(&mut SchemaGenerator) -> Value] =
    &[event_schema::<NameChanged>, event_schema::<TreeEvent>];

/// A session got another title: `session_name_changed` (dialect dreb) or `session_info_changed` (dialect pi).
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::rpc) struct NameChanged {
    #[serde(rename = "type")]
    pub kind: NameChangedKind,
    pub name: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names)]
pub(in crate::rpc) enum NameChangedKind {
    SessionNameChanged,
    SessionInfoChanged,
}

/// What a subscriber is told.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    tag = "type"
)]
pub(in crate::rpc) enum TreeEvent {
    /// Something happened in a session.
    Changes {
        session: String,
        /// In order.
        changes: Vec<ChangeDto>,
        /// The place after the last of them: a subscription `since` it goes on from there.
        cursor: String,
    },
    /// Something happened in a session (subscription to all sessions).
    SessionChanged {
        session: String,
        /// The place after all that has happened.
        cursor: String,
    },
    /// A session was deleted. A subscription to it is over.
    SessionDeleted { session: String },
}
