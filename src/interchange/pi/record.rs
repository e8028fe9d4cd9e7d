//! One line of a session file: the records in it, and what each is.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::clock::ms_from_iso;
use crate::model::json::{Json, validate};
use crate::model::preview::js_whitespace;

/// What begins every record that writers of the format make, and so where one may begin inside a damaged line.
const RECORD_START: &[u8] = b"{\"type\":";

/// Looking for a whole record inside a damaged line reads at most this many times the line's length.
const SEARCH_EFFORT: usize = 8;

/// The bytes of a line without a byte order mark, which is framing at the start of a file.
pub(in crate::interchange) fn without_bom(bytes: &[u8], line: u64) -> &[u8] {
    match bytes.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) if line == 1 => rest,
        _ => bytes,
    }
}

/// Whether there is nothing but white space in a line, as JavaScript's `trim` has it.
pub(in crate::interchange) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
        || std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(js_whitespace))
}

/// Whether a record begins a session.
pub(in crate::interchange) fn is_header(value: Json<'_>) -> bool {
    text_of(value.get("type")).as_deref() == Some("session")
}

/// A part of a line.
#[derive(Debug)]
pub(super) enum Part<'a> {
    /// A JSON value. Bytes that are not UTF-8 read as U+FFFD.
    Whole {
        at: Range<usize>,
        text: Cow<'a, str>,
    },
    /// What is no JSON value, nor contains one.
    Fragment { at: Range<usize>, problem: String },
}

/// Cuts a line into the records in it: one, as a rule. When a writer died in the middle of a line and another appended to
/// the file, a fragment and a whole record share a line.
pub(super) fn parts(bytes: &[u8]) -> Vec<Part<'_>> {
    let text = String::from_utf8_lossy(bytes);
    let problem = match validate(&text) {
        Ok(()) => {
            let at = 0..bytes.len();
            return vec![Part::Whole { at, text }];
        }
        Err(problem) => problem.to_string(),
    };
    let mut search = Search {
        bytes,
        text: match &text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        },
        effort: bytes.len().saturating_mul(SEARCH_EFFORT),
    };
    let mut parts = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let (end, whole) = match search.entry_at(from) {
            Some(end) => (end, std::str::from_utf8(&bytes[from..end]).ok()),
            None => (search.next_entry(from + 1).unwrap_or(bytes.len()), None),
        };
        let at = from..end;
        parts.push(match whole {
            Some(text) => Part::Whole {
                at,
                text: Cow::Borrowed(text),
            },
            None => Part::Fragment {
                at,
                problem: problem.clone(),
            },
        });
        from = end;
    }
    parts
}

/// A search for whole entries inside a line that is no JSON value.
struct Search<'a> {
    bytes: &'a [u8],
    /// The line, if all of it is UTF-8.
    text: Option<&'a str>,
    /// Bytes that may still be looked at.
    effort: usize,
}

impl Search<'_> {
    /// Where the whole entry ends that begins here, if one does. The first in the line may be any object.
    fn entry_at(&mut self, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        let (text, seen) = match self.text.and_then(|line| line.get(from..)) {
            Some(text) => (text, 0),
            // Up to the first byte that is not UTF-8; an entry with such a byte in it is not looked for.
            None => match std::str::from_utf8(rest) {
                Ok(text) => (text, rest.len()),
                Err(error) => (std::str::from_utf8(&rest[..error.valid_up_to()]).ok()?, 0),
            },
        };
        let end = match validate(text) {
            Ok(()) => text.len(),
            Err(error) => error.offset,
        };
        self.effort = self.effort.saturating_sub(seen + 2 * end);
        let whole = text.get(..end)?;
        let value = Json::new(whole);
        let counts = match from {
            0 => value.is_object(),
            _ => is_entry(value),
        };
        (counts && validate(whole).is_ok()).then_some(from + end)
    }

    /// Where the next whole entry begins.
    fn next_entry(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while self.effort > 0 {
            let rest = self.bytes.get(at..)?;
            at += rest
                .windows(RECORD_START.len())
                .position(|window| window == RECORD_START)?;
            if self.entry_at(at).is_some() {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

/// Whether an object found inside a damaged line is an entry, and not a part of one, such as a block of text.
fn is_entry(value: Json<'_>) -> bool {
    let [kind, id, parent, timestamp] = value.fields(["type", "id", "parentId", "timestamp"]);
    let has_time = timestamp.is_some_and(Json::is_string);
    text_of(kind).is_some() && (has_time || (text_of(id).is_some() && parent.is_some()))
}

/// A member that is a string of at least one character.
pub(super) fn text_of(member: Option<Json<'_>>) -> Option<Cow<'_, str>> {
    member?.as_str().filter(|text| !text.is_empty())
}

/// The parent an entry declares: `None` for no such member and for `null`.
pub(super) fn declared_parent(member: Option<Json<'_>>) -> Option<Cow<'_, str>> {
    let member = member.filter(|member| !member.is_null())?;
    Some(member.as_str().unwrap_or(Cow::Borrowed(member.text())))
}

/// The kind of an entry. One without a type of its own is kept under a name that says so.
pub(super) fn kind_of(member: Option<Json<'_>>) -> Cow<'_, str> {
    text_of(member).unwrap_or(Cow::Borrowed("untyped"))
}

/// The instant of an entry, Unix time in milliseconds; `None` where its timestamp says none.
pub(super) fn instant(timestamp: Option<Json<'_>>) -> Option<i64> {
    let timestamp = timestamp?;
    match timestamp.as_str() {
        Some(text) => ms_from_iso(&text),
        None => timestamp.as_i64(),
    }
}

/// An entry's timestamp as its source writes it; empty where there is none.
pub(super) fn time_text(timestamp: Option<Json<'_>>) -> Cow<'_, str> {
    match timestamp {
        Some(timestamp) => timestamp
            .as_str()
            .unwrap_or(Cow::Borrowed(timestamp.text())),
        None => Cow::Borrowed(""),
    }
}

/// Where the payload of an entry stands in its text: the message of a message, else all of it.
pub(super) fn payload_at(
    text: &str,
    kind: &str,
    message: Option<Json<'_>>,
) -> Option<Range<usize>> {
    let message = message.filter(|message| kind == "message" && message.is_object())?;
    Some(message.span_in(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(line: &[u8]) -> Vec<String> {
        let draw = |part: Part<'_>| match part {
            Part::Whole { at, text } => format!("whole {}..{} {text}", at.start, at.end),
            Part::Fragment { at, .. } => format!("fragment {}..{}", at.start, at.end),
        };
        parts(line).into_iter().map(draw).collect()
    }

    #[test]
    fn whole_records_are_taken_out_of_damaged_lines() {
        let entry = r#"{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":[{"type":"text","text":"x"}]}}"#;
        let timed = r#"{"type":"label","timestamp":"2026-01-01T00:00:00.000Z","targetId":"a"}"#;
        let length = entry.len();
        let cases: Vec<(String, Vec<String>)> = vec![
            (entry.into(), vec![format!("whole 0..{length} {entry}")]),
            (
                format!(r#"{{"type":"mess{entry}"#),
                vec![
                    "fragment 0..13".into(),
                    format!("whole 13..{} {entry}", 13 + length),
                ],
            ),
            (
                format!(r#"{{"type":"message","message":{entry}"#),
                vec![
                    "fragment 0..28".into(),
                    format!("whole 28..{} {entry}", 28 + length),
                ],
            ),
            (
                format!("{entry}{timed}"),
                vec![
                    format!("whole 0..{length} {entry}"),
                    format!("whole {length}..{} {timed}", length + timed.len()),
                ],
            ),
            (
                format!("{entry}{{\"type\":\"to"),
                vec![
                    format!("whole 0..{length} {entry}"),
                    format!("fragment {length}..{}", length + 11),
                ],
            ),
            // What is left of a record that was cut holds parts of it, and none is taken for a record.
            (
                entry[..length - 1].into(),
                vec![format!("fragment 0..{}", length - 1)],
            ),
            (
                entry[..length - 4].into(),
                vec![format!("fragment 0..{}", length - 4)],
            ),
            ("12 monkeys".into(), vec!["fragment 0..10".into()]),
            ("{bad".into(), vec!["fragment 0..4".into()]),
        ];
        for (line, expected) in cases {
            assert_eq!(drawn(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_show_as_replaced() {
        assert_eq!(
            drawn(b"{\"a\":\"caf\xe9\"}"),
            ["whole 0..12 {\"a\":\"caf\u{fffd}\"}"]
        );
        let entry = "{\"type\":\"label\",\"id\":\"b\",\"parentId\":null}";
        let line = [b"{\"type\":\"\xe6\x97", entry.as_bytes()].concat();
        assert_eq!(
            drawn(&line),
            [
                "fragment 0..11".to_owned(),
                format!("whole 11..{} {entry}", 11 + entry.len())
            ]
        );
    }

    #[test]
    fn a_line_of_many_starts_is_given_up_in_time() {
        let line = "{\"type\":".repeat(100_000);
        assert_eq!(drawn(line.as_bytes()).len(), 1);
    }
}
