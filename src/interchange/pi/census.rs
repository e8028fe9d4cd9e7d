//! The first reading of a session file: where each record is and what it is, but not what it holds.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::framing::Framing;
use super::record::{self, Part};
use crate::interchange::report::{Damage, Note, NoteKind};
use crate::interchange::source::Source;
use crate::lines::{Line, LineReader, MAX_RECORD_BYTES, Place, Record as Read};
use crate::model::json::{Json, compact};
use crate::model::{Fingerprint, fingerprint, hex};
use crate::{ErrorKind, Result};

/// A part of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub line: u64,
    pub offset: u64,
    pub length: usize,
}

/// A record that is a node.
#[derive(Debug)]
pub(super) struct Entry {
    pub span: Span,
    pub id: Box<str>,
    /// The parent it declares.
    pub parent: Option<Box<str>>,
    pub print: Fingerprint,
    /// Unix time in milliseconds. An entry without a readable time has that of the one before it.
    pub at_ms: i64,
    /// Some of its bytes are not UTF-8.
    pub is_lossy: bool,
}

/// A line, or a part of one, that is no node.
#[derive(Debug)]
pub(super) struct Loose {
    pub span: Span,
    pub reason: String,
    /// Its bytes are not kept: there are too many.
    pub is_too_long: bool,
}

/// What the first line says of the session.
#[derive(Debug)]
pub(super) struct Header {
    pub id: String,
    pub is_v1: bool,
    pub cwd: Option<String>,
    /// The file of the session it was forked from.
    pub parent_session: Option<String>,
    pub at_ms: Option<i64>,
    pub json: String,
}

/// What is in a file.
#[derive(Debug)]
pub(super) struct Census {
    pub header: Header,
    pub entries: Vec<Entry>,
    pub loose: Vec<Loose>,
    pub damaged: Vec<Damage>,
    pub notes: Vec<Note>,
    /// For each node that label lines name, the last of those lines: its place among the entries.
    pub labels: HashMap<String, usize>,
    /// The last line that sets the title.
    pub title: Option<usize>,
    pub framing: Framing,
    /// SHA-256 of the file.
    pub hash: String,
}

pub(super) fn take(source: &Source) -> Result<Census> {
    let mut reader = source.reader();
    let mut taker = Taker::default();
    let mut lines = LineReader::new(&mut reader, MAX_RECORD_BYTES);
    while let Some(found) = lines.next_record().map_err(|error| source.failed(error))? {
        match found {
            Read::Line(line) => taker.line(source, line)?,
            Read::Oversized(place) => taker.oversized(place),
        }
    }
    let hash = reader.get_ref().hash();
    taker.finish(source, hash)
}

#[derive(Default)]
struct Taker {
    header: Option<Header>,
    entries: Vec<Entry>,
    loose: Vec<Loose>,
    damaged: Vec<Damage>,
    notes: Vec<Note>,
    labels: HashMap<String, usize>,
    title: Option<usize>,
    framing: Framing,
    /// Ids that were made here; they get longer until they are unique.
    made: HashSet<Box<str>>,
}

impl Taker {
    fn line(&mut self, source: &Source, line: Line<'_>) -> Result<()> {
        let place = line.place;
        let bytes = record::without_bom(line.bytes, place.number);
        let bom = line.bytes.len() - bytes.len();
        self.framing.line(line, bom > 0);
        let start = place.offset + bom as u64;
        let whole_line = Span {
            line: place.number,
            offset: start,
            length: bytes.len(),
        };
        if record::is_blank(bytes) {
            self.keep(whole_line, "blank");
            return Ok(());
        }
        let parts = record::parts(bytes);
        let is_shared = parts.len() > 1;
        for part in parts {
            match part {
                Part::Whole { at, text } => {
                    let span = Span {
                        line: place.number,
                        offset: start + at.start as u64,
                        length: at.len(),
                    };
                    let is_lossy = matches!(text, Cow::Owned(_));
                    self.value(source, span, &text, is_lossy, is_shared)?;
                }
                Part::Fragment { at, problem } => {
                    self.damaged.push(Damage {
                        line: place.number,
                        byte_offset: start + at.start as u64,
                        length: at.len() as u64,
                        reason: problem.clone(),
                    });
                    if !is_shared {
                        self.keep(whole_line, format!("damaged: {problem}"));
                    }
                }
            }
        }
        if is_shared {
            // Its nodes are cut out of it; the line itself is what an export gives back.
            self.keep(whole_line, "shared");
        }
        Ok(())
    }

    fn oversized(&mut self, place: Place) {
        let length = place.length - u64::from(place.terminated);
        self.framing.oversized(place);
        self.damaged.push(Damage {
            line: place.number,
            byte_offset: place.offset,
            length,
            reason: format!(
                "the line is {length} bytes long and a record can have at most {MAX_RECORD_BYTES}; it was not kept"
            ),
        });
        self.loose.push(Loose {
            span: Span {
                line: place.number,
                offset: place.offset,
                length: 0,
            },
            reason: format!("oversized: {length} bytes, not kept"),
            is_too_long: true,
        });
    }

    fn keep(&mut self, span: Span, reason: impl Into<String>) {
        self.loose.push(Loose {
            span,
            reason: reason.into(),
            is_too_long: false,
        });
    }

    /// Takes a JSON value. What is kept beside the nodes is the value's line, unless it shares that with others: then the
    /// line is kept as a whole.
    fn value(
        &mut self,
        source: &Source,
        span: Span,
        text: &str,
        is_lossy: bool,
        is_shared: bool,
    ) -> Result<()> {
        let value = Json::new(text);
        let is_null = value.is_null();
        if self.header.is_none() && !is_null {
            self.header = Some(read_header(source, span, value)?);
            if !is_shared {
                self.keep(span, "header");
            }
            return Ok(());
        }
        let [kind, id] = value.fields(["type", "id"]);
        let reason = if !value.is_object() {
            Some("scalar")
        } else if record::is_header(value) {
            Some("header")
        } else if record::text_of(id).is_none() && record::text_of(kind).is_none() {
            Some("object")
        } else {
            None
        };
        match reason {
            None => self.entry(span, value, is_lossy),
            Some(reason) if !is_shared => self.keep(span, reason),
            Some(_) => {}
        }
        Ok(())
    }

    fn entry(&mut self, span: Span, value: Json<'_>, is_lossy: bool) {
        let text = value.text();
        let [kind, id, parent, timestamp, message] =
            value.fields(["type", "id", "parentId", "timestamp", "message"]);
        let header = self.header.as_ref();
        let id: Box<str> = match record::text_of(id) {
            Some(id) => id.into(),
            None => {
                let id = made_id(
                    &self.made,
                    header.map_or("", |header| &header.id),
                    span.line,
                );
                self.made.insert(id.clone());
                id
            }
        };
        let is_v1 = header.is_some_and(|header| header.is_v1);
        let parent: Option<Box<str>> = match record::declared_parent(parent) {
            None if is_v1 && parent.is_none() => {
                self.entries.last().map(|before| before.id.clone())
            }
            declared => declared.map(Into::into),
        };
        let kind = record::kind_of(kind);
        let payload = record::payload_at(text, &kind, message).map_or(text, |at| &text[at]);
        let before = self.entries.last().map(|entry| entry.at_ms);
        let at_ms = record::instant(timestamp)
            .or(before)
            .or(header.and_then(|header| header.at_ms))
            .unwrap_or(0);
        let place = self.entries.len();
        match &*kind {
            "label" => {
                if let Some(target) = record::text_of(value.get("targetId")) {
                    self.labels.insert(target.into_owned(), place);
                }
            }
            "session_info" => self.title = Some(place),
            _ => {}
        }
        if is_lossy {
            self.notes.push(Note::new(
                NoteKind::NotUtf8,
                Some(span.line),
                Some(&id),
                format!(
                    "line {} (byte {}) has bytes that are not UTF-8; they show as U+FFFD",
                    span.line, span.offset
                ),
            ));
        }
        self.entries.push(Entry {
            span,
            print: fingerprint(&kind, parent.as_deref(), payload),
            id,
            parent,
            at_ms,
            is_lossy,
        });
    }

    fn finish(self, source: &Source, hash: String) -> Result<Census> {
        let header = self.header.ok_or_else(|| {
            source.refuse(
                ErrorKind::UnknownFormat,
                "not of any known format: it has no session header",
            )
        })?;
        Ok(Census {
            header,
            entries: self.entries,
            loose: self.loose,
            damaged: self.damaged,
            notes: self.notes,
            labels: self.labels,
            title: self.title,
            framing: self.framing,
            hash,
        })
    }
}

fn read_header(source: &Source, span: Span, value: Json<'_>) -> Result<Header> {
    if !record::is_header(value) {
        return Err(source.refuse(
            ErrorKind::UnknownFormat,
            format_args!(
                "not of any known format: the record on line {} is no session header",
                span.line
            ),
        ));
    }
    let [id, version, cwd, parent, timestamp] =
        value.fields(["id", "version", "cwd", "parentSession", "timestamp"]);
    let Some(id) = record::text_of(id) else {
        return Err(source.refuse(
            ErrorKind::Damaged,
            format_args!(
                "the session header on line {} has no id, so the session cannot be told from others; nothing was imported",
                span.line
            ),
        ));
    };
    let version = version.and_then(Json::as_f64);
    Ok(Header {
        id: id.into_owned(),
        is_v1: version.is_none_or(|version| version < 2.0),
        cwd: record::text_of(cwd).map(Into::into),
        parent_session: record::text_of(parent).map(Into::into),
        at_ms: record::instant(timestamp),
        json: compact(value.text()).into_owned(),
    })
}

/// The id of an entry that has none: hexadecimal digits of a hash of where it stands, so that it gets the same one when the
/// file is read again. Eight, or as many as it takes to be unlike the others before it.
fn made_id(taken: &HashSet<Box<str>>, session: &str, line: u64) -> Box<str> {
    let digits = hex(&Sha256::digest(format!("{session}\n{line}")));
    let unique = (8..digits.len())
        .filter_map(|length| digits.get(..length))
        .find(|id| !taken.contains(*id));
    unique.unwrap_or(&digits).into()
}
