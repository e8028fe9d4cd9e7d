//! Writing JSON text, and rewriting it without changing its value.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::scan::{find_any, find_unplain, is_space, skip_space, string_end};
use super::value::{Piece, resolve_escape};

/// `text` without the white space outside strings.
pub(crate) fn compact(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut is_compact = text.is_empty();
    compact_runs(text, |run| {
        is_compact = run.len() == text.len();
        if !is_compact {
            if kept.capacity() == 0 {
                kept.reserve_exact(text.len());
            }
            kept.push_str(run);
        }
    });
    match is_compact {
        true => Cow::Borrowed(text),
        false => Cow::Owned(kept),
    }
}

/// Hands out the parts of `text` between the white space that stands outside strings.
pub(crate) fn compact_runs<'a>(text: &'a str, mut run: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' {
            at = string_end(bytes, at + 1).unwrap_or(bytes.len());
            continue;
        }
        if is_space(*byte) {
            if from < at {
                run(&text[from..at]);
            }
            from = at + 1;
        }
        at += 1;
    }
    if from < text.len() {
        run(&text[from..]);
    }
}

/// Appends `text` to `json` laid out over lines: two spaces a level, of which `depth` are there already, as serde_json does it.
pub(crate) fn push_pretty(json: &mut String, text: &str, depth: usize) {
    let bytes = text.as_bytes();
    let mut depth = depth;
    let mut at = 0;
    let new_line = |json: &mut String, depth: usize| {
        json.push('\n');
        json.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(byte) = bytes.get(at) {
        let from = at;
        at += 1;
        match byte {
            b'"' => {
                at = string_end(bytes, at).unwrap_or(bytes.len());
                json.push_str(&text[from..at]);
            }
            b'{' | b'[' => {
                json.push(char::from(*byte));
                let next = skip_space(bytes, at);
                match bytes.get(next) {
                    Some(close @ (b'}' | b']')) => {
                        json.push(char::from(*close));
                        at = next + 1;
                    }
                    _ => {
                        depth += 1;
                        new_line(json, depth);
                    }
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(json, depth);
                json.push(char::from(*byte));
            }
            b',' => {
                json.push(',');
                new_line(json, depth);
            }
            b':' => json.push_str(": "),
            byte if is_space(*byte) => {}
            byte => json.push(char::from(*byte)),
        }
    }
}

/// `text` with U+2028, U+2029 and U+0085 written as escapes: in JSON they stand only inside strings, and readers of
/// lines may take them for line ends.
pub(crate) fn escape_line_separators(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut escaped = String::new();
    let (mut copied, mut at) = (0, 0);
    loop {
        // The first bytes of the three characters in UTF-8.
        at = find_any(bytes, at, [0xC2, 0xE2]);
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else {
            break;
        };
        let (escape, length) = match rest {
            [0xC2, 0x85, ..] => ("\\u0085", 2),
            [0xE2, 0x80, 0xA8, ..] => ("\\u2028", 3),
            [0xE2, 0x80, 0xA9, ..] => ("\\u2029", 3),
            _ => {
                at += 1;
                continue;
            }
        };
        escaped.push_str(&text[copied..at]);
        escaped.push_str(escape);
        at += length;
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[copied..]);
    Cow::Owned(escaped)
}

/// `text` with every escape of a surrogate half that has no other half written as `\ufffd`, so that parsers which
/// refuse such escapes can read it.
pub(crate) fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut replaced = String::new();
    let (mut copied, mut at) = (0, 0);
    loop {
        // In JSON a backslash stands only inside strings, so strings need no tracking.
        at = find_any(bytes, at, [b'\\']);
        if at >= bytes.len() {
            break;
        }
        let (piece, length) = resolve_escape(bytes, at);
        if let Piece::LoneSurrogate(_) = piece {
            replaced.push_str(&text[copied..at]);
            replaced.push_str("\\ufffd");
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(&text[copied..]);
    Cow::Owned(replaced)
}

/// `text` as a JSON string, quotes included.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_string(&mut quoted, text);
    quoted
}

/// Appends [`quote`] of `text` to `json`.
pub(crate) fn push_string(json: &mut String, text: &str) {
    let bytes = text.as_bytes();
    json.push('"');
    let mut copied = 0;
    loop {
        let at = find_unplain(bytes, copied);
        json.push_str(&text[copied..at]);
        match bytes.get(at) {
            None => break,
            Some(b'"') => json.push_str("\\\""),
            Some(b'\\') => json.push_str("\\\\"),
            Some(b'\n') => json.push_str("\\n"),
            Some(b'\r') => json.push_str("\\r"),
            Some(b'\t') => json.push_str("\\t"),
            Some(0x08) => json.push_str("\\b"),
            Some(0x0c) => json.push_str("\\f"),
            // Writing to a String cannot fail.
            Some(control) => drop(write!(json, "\\u{control:04x}")),
        }
        copied = at + 1;
    }
    json.push('"');
}
