//! Messages as chat programs send them: role, content, calls of tools.
//!
//! A message that is in that shape goes out as it is, but for what a store adds to it. One in pi's shape is put into it.

use std::borrow::Cow;
use std::io::Write;

use super::report::ExportReport;
use crate::model::json::{Json, compact, push_string, quote, replace_lone_surrogates};
use crate::{Error, Message, Result, Selection, SessionTree};

/// Writes the messages of a branch (`None`: the active one), one a line, as chat programs send them. Memory does not grow
/// with the branch.
pub(super) fn export(
    tree: &SessionTree,
    branch: Option<&str>,
    out: &mut dyn Write,
) -> Result<ExportReport> {
    let mut report = ExportReport::default();
    let selection = Selection {
        branch: branch.map(str::to_owned),
        ..Selection::default()
    };
    for message in tree.projection(&selection)? {
        match line(&message?) {
            Some(line) => {
                out.write_all(line.as_bytes()).map_err(failed)?;
                out.write_all(b"\n").map_err(failed)?;
                report.lines += 1;
            }
            None => report.skipped_message(),
        }
    }
    out.flush().map_err(failed)?;
    Ok(report)
}

pub(super) fn failed(error: std::io::Error) -> Error {
    Error::io("the export cannot be written", error)
}

/// A message on one line; `None` where it is not meant for a model. Half surrogates, which other parsers refuse, are U+FFFD.
pub(super) fn line(message: &Message) -> Option<String> {
    let json = message.json();
    let line = match is_chat(json) {
        true => as_it_is(json),
        false => Turn::of(json)?.chat(),
    };
    Some(replace_lone_surrogates(&line).into_owned())
}

/// Blocks of content that only pi has.
fn is_block_of_pi(block: Json<'_>) -> bool {
    let [kind, data] = block.fields(["type", "data"]);
    match kind.and_then(Json::as_str).as_deref() {
        Some("toolCall" | "thinking") => true,
        Some("image") => data.is_some(),
        _ => false,
    }
}

fn is_chat(message: Json<'_>) -> bool {
    let [role, content, time, stop, api] =
        message.fields(["role", "content", "timestamp", "stopReason", "api"]);
    let role = role.and_then(Json::as_str);
    let is_role_of_pi = matches!(
        role.as_deref(),
        Some("toolResult" | "bashExecution" | "custom" | "hookMessage")
    );
    let has_field_of_pi = time.is_some_and(Json::is_number) || stop.is_some() || api.is_some();
    let mut blocks = content.into_iter().flat_map(Json::elements);
    message.is_object() && !is_role_of_pi && !has_field_of_pi && !blocks.any(is_block_of_pi)
}

/// The message without what a store adds; parts take the place of a content beside them.
fn as_it_is(message: Json<'_>) -> String {
    let parts = message
        .get("content_parts")
        .filter(|parts| parts.is_array());
    let mut line = Object::new();
    for (name, value) in message.members() {
        match &*name {
            "supercode_turn" | "ts" | "metadata" => {}
            "content" if parts.is_some() => {}
            "content_parts" => {
                if let Some(parts) = parts {
                    line.raw("content", parts.text());
                }
            }
            "tool_calls" if value.elements().next().is_none() => {}
            name => line.raw(name, value.text()),
        }
    }
    line.end()
}

/// What a message says, in the words of chat programs. Texts are JSON already.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub role: String,
    pub content: Option<String>,
    pub parts: Option<String>,
    pub calls: Option<String>,
    pub call_id: Option<String>,
    pub name: Option<String>,
    /// Kinds of blocks that no chat message has.
    pub dropped: Vec<String>,
}

impl Turn {
    /// `None` for a message that is not meant for a model, and for one without a role.
    pub fn of(message: Json<'_>) -> Option<Turn> {
        let role = message.get("role")?.as_str()?;
        let mut turn = Turn::default();
        if role == "bashExecution" {
            turn.role = "user".to_owned();
            turn.content = Some(quote(&bash_text(message)?));
            return Some(turn);
        }
        turn.role = match &*role {
            "toolResult" => "tool".to_owned(),
            "custom" | "hookMessage" => "user".to_owned(),
            role => role.to_owned(),
        };
        let [content, parts, calls, call_id, name] = message.fields([
            "content",
            "content_parts",
            "tool_calls",
            "tool_call_id",
            "name",
        ]);
        let [pi_call_id, tool_name] = message.fields(["toolCallId", "toolName"]);
        let text = |member: Option<Json<'_>>| {
            member
                .filter(|member| member.is_string())
                .map(|member| member.text().to_owned())
        };
        turn.call_id = text(call_id).or(text(pi_call_id));
        turn.name = text(name).or(text(tool_name));
        turn.content = text(content);
        turn.parts = parts
            .filter(|parts| parts.is_array())
            .map(|parts| compact(parts.text()).into_owned());
        let mut calls: Vec<String> = calls
            .into_iter()
            .flat_map(Json::elements)
            .map(call)
            .collect();
        if let Some(blocks) = content.filter(|content| content.is_array()) {
            turn.take_blocks(blocks, &mut calls);
        }
        turn.calls = (!calls.is_empty()).then(|| format!("[{}]", calls.join(",")));
        Some(turn)
    }

    /// Takes a content of blocks apart. If all that is left is text, it is one text.
    fn take_blocks(&mut self, blocks: Json<'_>, calls: &mut Vec<String>) {
        let mut parts = Vec::new();
        let mut text = Some(String::new());
        for block in blocks.elements() {
            let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
            match &*kind {
                "text" => {
                    let said = block.get("text").and_then(Json::as_str).unwrap_or_default();
                    if let Some(text) = &mut text {
                        text.push_str(&said);
                    }
                    let mut part = Object::new();
                    part.raw("type", "\"text\"");
                    part.raw("text", &quote(&said));
                    parts.push(part.end());
                }
                "toolCall" => calls.push(pi_call(block)),
                "image" if block.get("data").is_some() => {
                    text = None;
                    parts.push(image(block));
                }
                "thinking" | "redactedThinking" => self.dropped.push(kind.into_owned()),
                _ => {
                    text = None;
                    parts.push(compact(block.text()).into_owned());
                }
            }
        }
        match text {
            Some(text) if self.parts.is_none() && !parts.is_empty() => {
                self.content = Some(quote(&text));
            }
            Some(_) => {}
            None if self.parts.is_none() => self.parts = Some(format!("[{}]", parts.join(","))),
            None => self.dropped.push("content".to_owned()),
        }
    }

    fn chat(&self) -> String {
        let mut line = Object::new();
        line.raw("role", &quote(&self.role));
        let content = self.parts.as_ref().or(self.content.as_ref());
        line.raw("content", content.map_or("null", String::as_str));
        for (name, value) in [
            ("tool_calls", &self.calls),
            ("tool_call_id", &self.call_id),
            ("name", &self.name),
        ] {
            if let Some(value) = value {
                line.raw(name, value);
            }
        }
        line.end()
    }
}

/// A call in the one shape there is for it.
fn call(call: Json<'_>) -> String {
    let [id, kind, function] = call.fields(["id", "type", "function"]);
    let [name, arguments] = function.map_or([None; 2], |it| it.fields(["name", "arguments"]));
    made_call(id, kind, name, arguments)
}

fn pi_call(block: Json<'_>) -> String {
    let [id, name, arguments] = block.fields(["id", "name", "arguments"]);
    made_call(id, None, name, arguments)
}

fn made_call(
    id: Option<Json<'_>>,
    kind: Option<Json<'_>>,
    name: Option<Json<'_>>,
    arguments: Option<Json<'_>>,
) -> String {
    let text = |member: Option<Json<'_>>, otherwise: &str| match member {
        Some(member) if member.is_string() => member.text().to_owned(),
        _ => quote(otherwise),
    };
    let arguments = match arguments {
        Some(arguments) if !arguments.is_string() => quote(&compact(arguments.text())),
        arguments => text(arguments, ""),
    };
    let mut function = Object::new();
    function.raw("name", &text(name, ""));
    function.raw("arguments", &arguments);
    let mut call = Object::new();
    call.raw("id", &text(id, ""));
    call.raw("type", &text(kind, "function"));
    call.raw("function", &function.end());
    call.end()
}

fn text_of(member: Option<Json<'_>>) -> Cow<'_, str> {
    member.and_then(Json::as_str).unwrap_or_default()
}

/// A picture as a URL that holds it.
fn image(block: Json<'_>) -> String {
    let [data, kind] = block.fields(["data", "mimeType"]);
    let mut url = Object::new();
    url.raw(
        "url",
        &quote(&format!("data:{};base64,{}", text_of(kind), text_of(data))),
    );
    let mut part = Object::new();
    part.raw("type", "\"image_url\"");
    part.raw("image_url", &url.end());
    part.end()
}

/// A command a person ran, as text; `None` where it was kept out of the conversation.
fn bash_text(message: Json<'_>) -> Option<String> {
    let [command, output, code, excluded] =
        message.fields(["command", "output", "exitCode", "excludeFromContext"]);
    if excluded.and_then(Json::as_bool) == Some(true) {
        return None;
    }
    let mut said = format!("$ {}\n{}", text_of(command), text_of(output));
    if let Some(code) = code.and_then(Json::as_i64).filter(|code| *code != 0) {
        said.push_str(&format!("\n(exit code {code})"));
    }
    Some(said)
}

/// A JSON object being written, without white space.
pub(super) struct Object(String);

impl Object {
    pub fn new() -> Object {
        Object(String::from("{"))
    }

    /// A member whose value is JSON already.
    pub fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_string(&mut self.0, name);
        self.0.push(':');
        self.0.push_str(&compact(value));
    }

    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_out_as_chat_programs_send_them() {
        let cases = [
            (
                r#"{ "role":"user", "content":"hi","cost":7 }"#,
                r#"{"role":"user","content":"hi","cost":7}"#,
            ),
            (
                r#"{"supercode_turn":1,"ts":"x","role":"user","content":"a","content_parts":[{"type":"text","text":"b"}],"metadata":{"k":"v"},"tool_calls":[]}"#,
                r#"{"role":"user","content":[{"type":"text","text":"b"}]}"#,
            ),
            (
                r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}"#,
                r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}"#,
            ),
            (
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"toolCall","id":"c","name":"ls","arguments":{"p": "."}}],"api":"x","stopReason":"toolUse"}"#,
                r#"{"role":"assistant","content":"ab","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"p\":\".\"}"}}]}"#,
            ),
            (
                r#"{"role":"toolResult","toolCallId":"c","toolName":"ls","content":[{"type":"image","data":"AA","mimeType":"image/png"}],"isError":false}"#,
                r#"{"role":"tool","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}],"tool_call_id":"c","name":"ls"}"#,
            ),
            (
                r#"{"role":"bashExecution","command":"false","output":"no","exitCode":1}"#,
                r#"{"role":"user","content":"$ false\nno\n(exit code 1)"}"#,
            ),
            (
                r#"{"role":"hookMessage","content":"x","timestamp":1}"#,
                r#"{"role":"user","content":"x"}"#,
            ),
            (
                r#"{"role":"user","content":"half \ud83d, \ud83d\ude00"}"#,
                r#"{"role":"user","content":"half \ufffd, \ud83d\ude00"}"#,
            ),
            (
                r#"{"role":"assistant","content":[],"stopReason":"error"}"#,
                r#"{"role":"assistant","content":null}"#,
            ),
        ];
        for (stored, sent) in cases {
            let message = Message::new(stored).unwrap();
            assert_eq!(line(&message).as_deref(), Some(sent));
        }
        let kept_out =
            r#"{"role":"bashExecution","command":"ls","output":"","excludeFromContext":true}"#;
        assert_eq!(line(&Message::new(kept_out).unwrap()), None);
    }
}
