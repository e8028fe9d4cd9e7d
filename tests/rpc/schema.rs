//! Messages against the JSON Schema that the server prints.

use std::sync::LazyLock;

use serde_json::Value;
use session_tree::rpc;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&rpc::schema()).unwrap());

/// What is wrong with a request. Of what is no command nothing is known.
pub fn problem_of_request(message: &Value) -> Option<String> {
    let command = message["type"].as_str().unwrap_or_default();
    problem(message, &SCHEMA["commands"].get(command)?["request"])
}

pub fn check_message(message: &Value) {
    let schema = match (&message["type"], &message["success"]) {
        (Value::String(kind), Value::Bool(true)) if kind == "response" => {
            let command = message["command"].as_str().unwrap();
            SCHEMA["commands"][command]["response"].clone()
        }
        (Value::String(kind), _) if kind == "response" => {
            serde_json::json!({ "$ref": "#/$defs/Failure" })
        }
        _ => serde_json::json!({ "$ref": "#/$defs/Event" }),
    };
    let problem = problem(message, &schema);
    assert_eq!(problem, None, "no message by the schema: {message}");
}

/// What is wrong with a value by a schema. Knows the words that the schema uses, and refuses others.
pub fn problem(value: &Value, schema: &Value) -> Option<String> {
    let schema = match schema {
        Value::Bool(true) => return None,
        Value::Bool(false) => return Some(format!("{value} is not allowed")),
        Value::Object(schema) => schema,
        other => return Some(format!("{other} is no schema")),
    };
    schema.iter().find_map(|(word, rule)| match word.as_str() {
        "$ref" => {
            let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
            let target = SCHEMA.pointer(path);
            target.map_or_else(
                || Some(format!("{rule} leads nowhere")),
                |target| problem(value, target),
            )
        }
        "type" => {
            let fits = match rule {
                Value::Array(kinds) => kinds.iter().any(|kind| is_of(value, kind)),
                kind => is_of(value, kind),
            };
            (!fits).then(|| format!("{value} is not of type {rule}"))
        }
        "const" => (value != rule).then(|| format!("{value} is not {rule}")),
        "enum" => {
            let known = rule.as_array().unwrap();
            (!known.contains(value)).then(|| format!("{value} is none of {rule}"))
        }
        "anyOf" => {
            let problems: Vec<String> = rule
                .as_array()
                .unwrap()
                .iter()
                .map_while(|schema| problem(value, schema))
                .collect();
            (problems.len() == rule.as_array().unwrap().len()).then(|| problems.join("; "))
        }
        "oneOf" => {
            let fits = rule
                .as_array()
                .unwrap()
                .iter()
                .filter(|schema| problem(value, schema).is_none());
            let fits = fits.count();
            (fits != 1).then(|| format!("{value} fits {fits} of {rule}"))
        }
        "allOf" => rule
            .as_array()
            .unwrap()
            .iter()
            .find_map(|schema| problem(value, schema)),
        "properties" => value.as_object().and_then(|object| {
            rule.as_object().unwrap().iter().find_map(|(name, schema)| {
                let member = object.get(name)?;
                problem(member, schema).map(|problem| format!("{name}: {problem}"))
            })
        }),
        "required" => value.as_object().and_then(|object| {
            let missing = rule
                .as_array()
                .unwrap()
                .iter()
                .find(|name| !object.contains_key(name.as_str().unwrap()))?;
            Some(format!("{missing} is missing"))
        }),
        "additionalProperties" if *rule == Value::Bool(false) => {
            value.as_object().and_then(|object| {
                let known = schema["properties"].as_object().unwrap();
                let unknown = object.keys().find(|name| !known.contains_key(*name))?;
                Some(format!("{unknown} is unknown"))
            })
        }
        "items" => value
            .as_array()
            .and_then(|items| items.iter().find_map(|item| problem(item, rule))),
        "minimum" => (value.as_f64() < rule.as_f64()).then(|| format!("{value} is below {rule}")),
        "maximum" => (value.as_f64() > rule.as_f64()).then(|| format!("{value} is above {rule}")),
        "description" | "default" | "format" | "title" => None,
        other => Some(format!(
            "the schema uses `{other}`, which this test does not know"
        )),
    })
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        _ => false,
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let failure = serde_json::json!({ "$ref": "#/$defs/Failure" });
    let good = serde_json::json!({"type": "response", "success": false, "error": "x", "code": "busy", "retryable": true});
    assert_eq!(problem(&good, &failure), None);
    for (member, wrong) in [
        ("code", serde_json::json!("unheard_of")),
        ("retryable", serde_json::json!("yes")),
        ("extra", serde_json::json!(1)),
        ("success", serde_json::json!(true)),
    ] {
        let mut bad = good.clone();
        bad[member] = wrong;
        assert!(problem(&bad, &failure).is_some(), "{bad}");
    }
}

#[test]
fn every_command_is_in_the_schema() {
    let names: Vec<&str> = rpc::command_names().collect();
    let commands = SCHEMA["commands"].as_object().unwrap();
    assert_eq!(commands.keys().collect::<Vec<_>>(), names);
    for command in commands.values() {
        // An answer may be a failure, whatever the command.
        let answers = &command["response"]["anyOf"];
        assert_eq!(answers[1]["$ref"], "#/$defs/Failure");
        for side in [&command["request"], &answers[0]] {
            let path = side["$ref"].as_str().unwrap();
            let found = SCHEMA.pointer(path.strip_prefix('#').unwrap()).unwrap();
            assert_eq!(found["type"], "object");
        }
    }
}
