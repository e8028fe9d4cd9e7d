//! The messages of the protocol, as types: what is read, what is written, and what the JSON Schema says are the same.
//!
//! Times are Unix time in milliseconds. Every request may also hold `id`, any JSON value, which its answer repeats; where it
//! may hold `session`, that is a session's id or its path in a list, and the connection's current session if it is absent.

pub(super) mod answers;
pub(super) mod events;
pub(super) mod nodes;
pub(super) mod requests;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::write::Raw;

/// In the schema: any JSON value.
impl JsonSchema for Raw {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::from(true)
    }
}

/// A member that may be absent, null, or a text, where the three differ.
pub(super) fn given<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

/// A JSON object of any content.
pub(super) fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// JSON objects of any content.
pub(super) fn any_objects(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "object" } })
}
