//! One-line previews of nodes, and the text of messages.

use super::json::Json;

/// The longest preview, in UTF-16 units.
const PREVIEW_UNITS: usize = 200;

/// The preview of a node, on one line: white space folded, trimmed, then cut to 200 UTF-16 units at a character border.
///
/// `payload` is the message object for kind `message`; for every other kind an object with the fields of that kind.
/// NUL, which would end the text for many readers of the file, is shown as U+2400.
pub(crate) fn preview(kind: &str, payload: Json<'_>) -> String {
    role_and_preview(kind, payload).1
}

/// What [`role`] and [`preview`] say, from one pass over the payload.
pub(crate) fn role_and_preview(kind: &str, payload: Json<'_>) -> (Option<String>, String) {
    let mut role = None;
    let mut line = Line {
        shown: String::with_capacity(PREVIEW_UNITS),
        ..Line::default()
    };
    match kind {
        "message" => role = show_message(&mut line, payload),
        "custom_message" => {
            let [custom_type, content] = payload.fields(["customType", "content"]);
            line.text("[").value(custom_type).text("]: ");
            line.content(content);
        }
        "compaction" => {
            let tokens = thousands(payload.get("tokensBefore"));
            line.text("[compaction: ").text(&tokens).text("k tokens]");
        }
        "branch_summary" => {
            line.text("[branch summary]: ");
            line.value(payload.get("summary"));
        }
        "model_change" => line.tagged("model", payload.get("modelId")),
        "thinking_level_change" => line.tagged("thinking", payload.get("thinkingLevel")),
        "custom" => line.tagged("custom", payload.get("customType")),
        "label" => match given(payload.get("label")) {
            Some(label) => line.tagged("label", Some(label)),
            None => drop(line.text("[label: (cleared)]")),
        },
        "session_info" => match given(payload.get("name")).filter(|name| is_truthy(*name)) {
            Some(name) => line.tagged("title", Some(name)),
            None => drop(line.text("[title: empty]")),
        },
        unknown => drop(line.text("[").text(unknown).text("]")),
    }
    (role, line.shown)
}

/// Returns the message's role.
fn show_message(line: &mut Line, message: Json<'_>) -> Option<String> {
    let [role, content] = message.fields(["role", "content"]);
    let name = role.and_then(Json::as_str);
    let name = name.as_deref().map(shown_role);
    match name {
        Some("user") => line.content(content),
        Some("assistant") => {
            line.content(content);
            if line.shown.is_empty() {
                show_assistant_without_text(line, message);
            }
        }
        Some("toolResult") => match given(message.get("toolName")) {
            Some(tool) => drop(line.text("[").value(Some(tool)).text("]")),
            None => drop(line.text("[tool]")),
        },
        Some("bashExecution") => {
            line.text("[bash]: ");
            if let Some(command) = given(message.get("command")) {
                line.value(Some(command));
            }
        }
        Some(other) => drop(line.text("[").text(other).text("]")),
        None => drop(line.text("[").value(role).text("]")),
    }
    name.map(str::to_owned)
}

fn show_assistant_without_text(line: &mut Line, message: Json<'_>) {
    let [stop_reason, error] = message.fields(["stopReason", "errorMessage"]);
    let stop_reason = stop_reason.and_then(Json::as_str);
    if stop_reason.as_deref() == Some("aborted") {
        line.text("(aborted)");
    } else if let Some(error) = error.filter(|error| is_truthy(*error)) {
        line.value(Some(error));
    } else {
        line.text("(no content)");
    }
}

/// The role of a node: the `role` of its message, as [`shown_role`] shows it; `None` for other kinds, and for a message
/// that has none or whose role is no string.
pub(crate) fn role(kind: &str, payload: Json<'_>) -> Option<String> {
    role_and_preview(kind, payload).0
}

/// The name a role has today: pi's `hookMessage` became `custom`.
pub(crate) fn shown_role(role: &str) -> &str {
    match role {
        "hookMessage" => "custom",
        role => role,
    }
}

/// The text of a message: its `content` if that is a string, the joined texts of its text parts if it is an array.
pub(crate) fn content_text(message: Json<'_>) -> String {
    let mut text = String::new();
    for part in texts(message.get("content")) {
        text.push_str(&part.as_str().unwrap_or_default());
    }
    text
}

/// The strings that make up the text of a `content`.
fn texts(content: Option<Json<'_>>) -> impl Iterator<Item = Json<'_>> {
    let whole = content.filter(|content| content.is_string());
    let parts = content.into_iter().flat_map(|content| content.elements());
    whole.into_iter().chain(parts.filter_map(|part| {
        let [kind, text] = part.fields(["type", "text"]);
        let is_text = kind.and_then(Json::as_str).as_deref() == Some("text");
        text.filter(|text| is_text && text.is_string())
    }))
}

/// White space as JavaScript's `\s` and `trim` have it: with U+FEFF and without U+0085.
pub(crate) fn js_whitespace(c: char) -> bool {
    c == '\u{feff}' || c != '\u{85}' && c.is_whitespace()
}

fn given(value: Option<Json<'_>>) -> Option<Json<'_>> {
    value.filter(|value| !value.is_null())
}

/// Whether JavaScript takes the value for true.
fn is_truthy(value: Json<'_>) -> bool {
    let is_zero = value.as_f64() == Some(0.0);
    !is_zero && !matches!(value.text(), "\"\"" | "null" | "false")
}

/// A number of tokens in thousands, halves rounded up, written as JavaScript writes numbers.
fn thousands(tokens: Option<Json<'_>>) -> String {
    let tokens = match tokens {
        Some(tokens) if tokens.is_null() => 0.0,
        tokens => tokens.and_then(Json::as_f64).unwrap_or(f64::NAN),
    };
    let exact = tokens / 1000.0;
    let down = exact.floor();
    let rounded = if exact - down >= 0.5 {
        down + 1.0
    } else {
        // Adding makes a negative zero a plain one.
        down + 0.0
    };
    if rounded.is_infinite() {
        let sign = if rounded < 0.0 { "-" } else { "" };
        return format!("{sign}Infinity");
    }
    if rounded.abs() < 1e21 || rounded.is_nan() {
        return rounded.to_string();
    }
    format!("{rounded:e}").replace('e', "e+")
}

/// How many bytes at the start, at most `room`, are printable ASCII with single spaces between.
fn plain_run(bytes: &[u8], room: usize) -> usize {
    let bytes = &bytes[..room.min(bytes.len())];
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let between = *byte == b' ' && length > 0;
        let follows = || bytes.get(length + 1).is_some_and(u8::is_ascii_graphic);
        if !(byte.is_ascii_graphic() || between && follows()) {
            break;
        }
        length += 1;
    }
    length
}

/// A preview being put together. It takes what still fits and ignores the rest.
#[derive(Default)]
struct Line {
    shown: String,
    units: usize,
    /// White space was met since the last character that was shown.
    gap: bool,
    /// A character did not fit, so none after it is shown.
    cut: bool,
}

impl Line {
    fn push(&mut self, c: char) {
        if js_whitespace(c) {
            self.gap = !self.shown.is_empty();
            return;
        }
        if self.gap {
            self.gap = false;
            self.show(' ');
        }
        self.show(if c == '\0' { '\u{2400}' } else { c });
    }

    fn show(&mut self, c: char) {
        self.cut |= self.units + c.len_utf16() > PREVIEW_UNITS;
        if !self.cut {
            self.shown.push(c);
            self.units += c.len_utf16();
        }
    }

    fn is_full(&self) -> bool {
        self.cut || self.units == PREVIEW_UNITS
    }

    fn text(&mut self, text: &str) -> &mut Self {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if self.is_full() {
                break;
            }
            // Plain text goes in whole: a preview is made for every append.
            let room = PREVIEW_UNITS - self.units - usize::from(self.gap);
            let plain = plain_run(rest.as_bytes(), room);
            if plain == 0 {
                self.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
            if self.gap {
                self.gap = false;
                self.show(' ');
            }
            let (run, after) = rest.split_at(plain);
            self.shown.push_str(run);
            self.units += plain;
            rest = after;
        }
        self
    }

    fn string(&mut self, value: Json<'_>) -> &mut Self {
        for (run, single) in value.parts() {
            if self.is_full() {
                break;
            }
            self.text(run);
            if let Some(c) = single {
                self.push(c);
            }
        }
        self
    }

    /// A value as JavaScript puts it into text, save that an array stands as its JSON.
    fn value(&mut self, value: Option<Json<'_>>) -> &mut Self {
        match value {
            None => self.text("undefined"),
            Some(value) if value.is_string() => self.string(value),
            Some(value) if value.is_object() => self.text("[object Object]"),
            Some(value) => self.text(value.text()),
        }
    }

    fn tagged(&mut self, tag: &str, value: Option<Json<'_>>) {
        self.text("[").text(tag).text(": ").value(value).text("]");
    }

    fn content(&mut self, content: Option<Json<'_>>) {
        for text in texts(content) {
            if self.is_full() {
                break;
            }
            self.string(text);
        }
    }
}

#[cfg(test)]
mod tests;
