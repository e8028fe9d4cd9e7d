//! The JSON Schema of every message, made from the types that are read and written.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::failure::code;
use super::methods::METHODS;
use super::types::events::EVENTS;
use crate::model::ErrorKind;

/// The JSON Schema (draft 2020-12) of the protocol, as JSON text: any line on either side is a `Request`, a `Response` or an
/// `Event` of it. Under `commands` stand the schemas of each command's request and answer.
pub fn schema() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut commands = Map::new();
    let (mut requests, mut responses) = (Vec::new(), Vec::new());
    for method in METHODS {
        let request = request(method.name, (method.request)(&mut generator).into());
        let response = response(
            method.name,
            (method.answer)(&mut generator).map(Value::from),
        );
        let camel = camel(method.name);
        requests.push(reference(&format!("{camel}Request")));
        responses.push(reference(&format!("{camel}Response")));
        commands.insert(
            method.name.to_owned(),
            json!({
                "request": reference(&format!("{camel}Request")),
                "response": { "anyOf": [reference(&format!("{camel}Response")), reference("Failure")] },
                "access": method.access.name(),
            }),
        );
        let definitions = generator.definitions_mut();
        definitions.insert(format!("{camel}Request"), request);
        definitions.insert(format!("{camel}Response"), response);
    }
    responses.push(reference("Failure"));
    let events: Vec<Value> = EVENTS.iter().map(|event| event(&mut generator)).collect();
    let definitions = generator.definitions_mut();
    definitions.insert("Failure".to_owned(), failure());
    definitions.insert("Request".to_owned(), json!({ "anyOf": requests }));
    definitions.insert("Response".to_owned(), json!({ "anyOf": responses }));
    definitions.insert("Event".to_owned(), json!({ "anyOf": events }));
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages of session-tree rpc",
        "anyOf": [reference("Request"), reference("Response"), reference("Event")],
        "commands": commands,
        "$defs": generator.take_definitions(true),
    });
    format!("{document:#}\n")
}

/// The schema of an event's type.
pub(super) fn event_schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().into()
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(chars)
        })
        .collect()
}

fn request(name: &str, fields: Value) -> Value {
    let mut schema = match fields {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let mut properties = Map::new();
    properties.insert("id".to_owned(), json!(true));
    properties.insert("type".to_owned(), json!({ "const": name }));
    if let Some(Value::Object(fields)) = schema.remove("properties") {
        properties.extend(fields);
    }
    let mut required = vec![json!("type")];
    if let Some(Value::Array(fields)) = schema.remove("required") {
        required.extend(fields);
    }
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), Value::Array(required));
    Value::Object(schema)
}

fn response(name: &str, data: Option<Value>) -> Value {
    let mut properties = json!({
        "id": true,
        "type": { "const": "response" },
        "command": { "const": name },
        "success": { "const": true },
    });
    let mut required = vec!["type", "command", "success"];
    if let (Some(data), Value::Object(properties)) = (data, &mut properties) {
        properties.insert("data".to_owned(), data);
        required.push("data");
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn failure() -> Value {
    let kinds = ErrorKind::ALL.iter().map(|kind| kind.code());
    let codes: Vec<&str> = kinds.chain(code::ALL).collect();
    json!({
        "description": "A command that failed. The text may change, but for those that clients of other programs compare; the code does not.",
        "type": "object",
        "properties": {
            "id": true,
            "type": { "const": "response" },
            "command": true,
            "success": { "const": false },
            "error": { "type": "string" },
            "code": { "enum": codes },
            "retryable": { "type": "boolean" },
        },
        "required": ["type", "success", "error", "code", "retryable"],
        "additionalProperties": false,
    })
}
