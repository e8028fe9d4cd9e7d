//! Answers as text. Nothing here recurses: payloads are spliced in as the JSON text they are, and nested trees are written
//! with a stack of their own, so an answer of any depth is written.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::failure::Failure;
use crate::model::json::{Json, compact, escape_line_separators, push_string};

/// A JSON value as text. In an answer it stands on one line, white space outside strings dropped.
#[derive(Clone, Debug)]
pub(super) struct Raw(Box<RawValue>);

impl Raw {
    /// A stored text. One that is no JSON, which only another program can have stored, is handed out as a JSON string.
    pub fn new(text: &str) -> Raw {
        let on_one_line = compact(Json::new(text).text()).into_owned();
        Raw::written(on_one_line).unwrap_or_else(|| {
            let mut quoted = String::new();
            push_string(&mut quoted, text);
            Raw(RawValue::from_string(quoted).unwrap_or_default())
        })
    }

    /// Text that was written as JSON here.
    fn written(json: String) -> Option<Raw> {
        RawValue::from_string(json).ok().map(Raw)
    }

    pub fn into_string(self) -> String {
        Box::<str>::from(self.0).into_string()
    }

    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Raw)
    }
}

/// What stands at the head of an answer: the request's own id and type, as JSON text.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// The request's id, verbatim; `None` where it had none.
    pub id: Option<String>,
    /// The request's type as JSON text; `None` where it had none.
    pub command: Option<String>,
}

fn head(head: &Head, success: bool) -> String {
    let mut line = String::from("{");
    if let Some(id) = &head.id {
        line.push_str("\"id\":");
        line.push_str(id);
        line.push(',');
    }
    line.push_str("\"type\":\"response\"");
    if let Some(command) = &head.command {
        line.push_str(",\"command\":");
        line.push_str(command);
    }
    line.push_str(",\"success\":");
    line.push_str(if success { "true" } else { "false" });
    line
}

/// The line of a success; `data` is JSON text.
pub(super) fn success(request: &Head, data: Option<&str>) -> String {
    let mut line = head(request, true);
    if let Some(data) = data {
        line.push_str(",\"data\":");
        line.push_str(data);
    }
    line.push('}');
    one_line(line)
}

/// The line of a failure.
pub(super) fn failure(request: &Head, failure: &Failure) -> String {
    let mut line = head(request, false);
    line.push_str(",\"error\":");
    push_string(&mut line, &failure.text);
    line.push_str(",\"code\":");
    push_string(&mut line, failure.code);
    line.push_str(",\"retryable\":");
    line.push_str(if failure.retryable { "true}" } else { "false}" });
    one_line(line)
}

/// The line of an event or of any other JSON text that has no line ends outside strings.
pub(super) fn one_line(mut line: String) -> String {
    if let std::borrow::Cow::Owned(escaped) = escape_line_separators(&line) {
        line = escaped;
    }
    line.push('\n');
    line
}

/// A tree as nested JSON objects: each node is what `open` writes of it (an object without its closing brace, with at least
/// one member), `"children"`, and what `close` adds as further members.
pub(super) fn nested(
    roots: &[usize],
    children: &[Vec<usize>],
    mut open: impl FnMut(usize, &mut String) -> Result<(), Failure>,
    mut close: impl FnMut(usize, &mut String),
) -> Result<String, Failure> {
    let mut json = String::from("[");
    // The siblings being written, the next of them, and the node they hang below.
    let mut stack: Vec<(&[usize], usize, Option<usize>)> = vec![(roots, 0, None)];
    while let Some((siblings, next, above)) = stack.last_mut() {
        let Some(node) = siblings.get(*next).copied() else {
            json.push(']');
            if let Some(above) = *above {
                close(above, &mut json);
                json.push('}');
            }
            stack.pop();
            continue;
        };
        if *next > 0 {
            json.push(',');
        }
        *next += 1;
        open(node, &mut json)?;
        json.push_str(",\"children\":[");
        let below = children.get(node).map_or(&[][..], Vec::as_slice);
        stack.push((below, 0, Some(node)));
    }
    Ok(json)
}

/// JSON text of an object without its closing brace.
pub(super) fn push_opened(json: &mut String, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(Failure::internal)?;
    json.push_str(text.strip_suffix('}').unwrap_or(&text));
    Ok(())
}

/// JSON text that was put together here, to stand in an answer.
pub(super) fn raw(json: String) -> Result<Raw, Failure> {
    Raw::written(json).ok_or_else(|| Failure::internal("an answer was not written as JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_members_in_order_and_no_separators() {
        let request = Head {
            id: Some("[1, {\"a\":null}]".to_owned()),
            command: Some("\"x\"".to_owned()),
        };
        assert_eq!(
            success(&request, Some("{\"t\":\"a\u{2028}b\"}")),
            "{\"id\":[1, {\"a\":null}],\"type\":\"response\",\"command\":\"x\",\"success\":true,\"data\":{\"t\":\"a\\u2028b\"}}\n"
        );
        assert_eq!(
            failure(
                &Head::default(),
                &Failure::new("parse_error", "no \"JSON\"")
            ),
            "{\"type\":\"response\",\"success\":false,\"error\":\"no \\\"JSON\\\"\",\"code\":\"parse_error\",\"retryable\":false}\n"
        );
    }

    #[test]
    fn a_tree_of_any_depth_is_written() {
        let deep = 300_000;
        let mut children: Vec<Vec<usize>> = (1..deep).map(|child| vec![child]).collect();
        children.push(Vec::new());
        let open = |node: usize, json: &mut String| {
            json.push_str("{\"id\":");
            json.push_str(&node.to_string());
            Ok(())
        };
        let json = nested(&[0], &children, open, |_, _| ()).unwrap();
        assert!(json.starts_with("[{\"id\":0,\"children\":[{\"id\":1,\"children\":["));
        assert!(json.ends_with(&format!("[]{}]", "}]".repeat(deep - 1) + "}")));
        let small = nested(&[0, 2], &[vec![1], vec![], vec![]], open, |_, json| {
            json.push_str(",\"x\":1")
        });
        assert_eq!(
            small.unwrap(),
            "[{\"id\":0,\"children\":[{\"id\":1,\"children\":[],\"x\":1}],\"x\":1},{\"id\":2,\"children\":[],\"x\":1}]"
        );
    }

    #[test]
    fn stored_text_becomes_one_json_value() {
        for (stored, shown) in [
            ("{ \"a\" : \"x  y\" }\n", "{\"a\":\"x  y\"}"),
            ("{\"half", "\"{\\\"half\""),
            ("", "\"\""),
        ] {
            assert_eq!(Raw::new(stored).text(), shown);
        }
    }
}
