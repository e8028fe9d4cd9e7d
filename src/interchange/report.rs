//! What an import did, and what it met.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::{Error, ErrorKind, SessionId};

/// A format of session files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Session files of pi and dreb: JSON lines, versions 1 to 3 and later.
    Pi,
    /// supercode's `.tree.json`: one JSON object with nodes, branches and the active branch.
    TreeJson,
}

impl Format {
    /// Every format that is read.
    pub const ALL: &'static [Format] = &[Format::Pi, Format::TreeJson];

    /// The format as a stable word: `pi`, `tree.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Pi => "pi",
            Format::TreeJson => "tree.json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format, Error> {
        let known = Format::ALL.iter().find(|format| format.as_str() == text);
        known.copied().ok_or_else(|| {
            let words: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
            Error::new(
                ErrorKind::UnknownFormat,
                format!(
                    "`{text}` is no format that is read; there are {}",
                    words.join(", ")
                ),
            )
        })
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How a source is imported.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Refuses a source that is damaged, instead of taking what is whole: one with a damaged record, with bytes that are not
    /// UTF-8, with a cycle, or with different records under one id.
    pub strict: bool,
    /// The format; `None` finds it out.
    pub format: Option<Format>,
}

impl ImportOptions {
    /// Takes what is whole, of whatever format.
    pub fn new() -> ImportOptions {
        ImportOptions::default()
    }

    /// Sets [`strict`](ImportOptions::strict).
    pub fn strict(mut self, strict: bool) -> ImportOptions {
        self.strict = strict;
        self
    }

    /// Sets [`format`](ImportOptions::format).
    pub fn format(mut self, format: Option<Format>) -> ImportOptions {
        self.format = format;
        self
    }
}

/// What an import did.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImportReport {
    /// The session that holds it now.
    #[serde(serialize_with = "as_text")]
    pub session: SessionId,
    /// The format it was read as.
    pub format: Format,
    /// Where it was read; `None` for a text that was handed over.
    pub source_path: Option<PathBuf>,
    /// Whether the session was made; else one that came from the same source has grown, or is as it was.
    pub created: bool,
    /// Nodes that are new in the store.
    pub nodes_added: u64,
    /// Nodes that were there already.
    pub nodes_known: u64,
    /// Records that are no nodes and were kept beside them: headers, repeats, damaged lines and the like.
    pub loose: u64,
    /// The branch that ends at the source's leaf, or that the source names as its active one.
    pub branch: Option<String>,
    /// Branches that the source does not name: one for each leaf that would have no name otherwise.
    pub branches_added: Vec<String>,
    /// What could not be taken.
    pub damaged: Vec<Damage>,
    /// What a person may want to know of what was taken.
    pub notes: Vec<Note>,
}

fn as_text<S: Serializer>(id: &SessionId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(id)
}

/// A part of a source that is no record, and so became no node. Its bytes are kept beside the nodes, unless the reason says
/// otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Damage {
    /// Its line in the source, from 1.
    pub line: u64,
    /// Its first byte in the source.
    pub byte_offset: u64,
    /// Its length in bytes, without the line end.
    pub length: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Something about a source that was taken as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Note {
    /// What it is, for programs.
    pub kind: NoteKind,
    /// Its line in the source, from 1, where the format has lines.
    pub line: Option<u64>,
    /// The node it speaks of.
    pub node: Option<String>,
    /// What it is, for people.
    pub text: String,
}

impl Note {
    pub(super) fn new(
        kind: NoteKind,
        line: Option<u64>,
        node: Option<&str>,
        text: impl Into<String>,
    ) -> Note {
        Note {
            kind,
            line,
            node: node.map(str::to_owned),
            text: text.into(),
        }
    }
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// A node whose declared parent is nowhere: it is a root that remembers that id.
    Orphan,
    /// An orphan that got its parent from this source.
    Adopted,
    /// An orphan that stays a root for good, because its parent is its own descendant.
    NeverAdopted,
    /// A node that declares a descendant, or itself, as its parent: it is a root that remembers that id.
    Cycle,
    /// A record that was there already, a second time.
    Repeat,
    /// A record that differs from the one that has its id: it has become `<id>~2`, or another number.
    Conflict,
    /// Bytes that are not UTF-8: they show as U+FFFD, and the record's own bytes are kept for the export.
    NotUtf8,
    /// What the store does not hold, so that an export will not have it.
    NotHeld,
}

impl NoteKind {
    /// Whether strict imports refuse a source with it.
    pub(super) fn is_damage(self) -> bool {
        matches!(
            self,
            NoteKind::Cycle | NoteKind::Conflict | NoteKind::NotUtf8
        )
    }
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExportReport {
    /// Lines, or messages where the format has no lines.
    pub lines: u64,
    /// Whether it is, byte for byte, what the session was imported from.
    pub is_unchanged: bool,
    /// What of the session the format cannot hold, for people.
    pub not_held: Vec<String>,
}

impl ExportReport {
    /// Notes a message that the format has no place for.
    pub(super) fn skipped_message(&mut self) {
        self.not_held
            .push("a message that is not meant for a model".to_owned());
    }
}
