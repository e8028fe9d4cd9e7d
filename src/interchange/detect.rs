//! What format a file is in, by what is in it.

use std::path::Path;

use super::pi::record;
use super::report::Format;
use super::source::Source;
use super::tree_json;
use crate::lines::{LineReader, MAX_RECORD_BYTES, Record};
use crate::model::json::{Json, validate};
use crate::{ErrorKind, Result};

/// So many lines that are no JSON may stand before the header of a session file.
const LINES_BEFORE_HEADER: u64 = 10_000;

const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// What the first records of a file say.
enum Beginning {
    Is(Format),
    /// Another record than those that begin a known format.
    Other(&'static str),
    /// No line of its own is a record: perhaps one JSON text over many lines.
    NoRecord,
}

/// The format of a file. Reads no more than it needs.
///
/// # Errors
/// `UnknownFormat` for an empty file and for one of no known format; `InvalidArgument` for what is no regular file; `Io`.
pub fn detect(path: impl AsRef<Path>) -> Result<Format> {
    detect_source(&Source::open(path.as_ref(), None)?)
}

pub(super) fn detect_source(source: &Source) -> Result<Format> {
    let head = source.read(0, SQLITE_MAGIC.len().min(source.length() as usize))?;
    if head == SQLITE_MAGIC {
        return Err(unknown(source, "it is a SQLite database"));
    }
    match beginning(source)? {
        Beginning::Is(format) => Ok(format),
        Beginning::Other(what) => by_name(source, what),
        Beginning::NoRecord => whole_text(source),
    }
}

fn unknown(source: &Source, what: &str) -> crate::Error {
    source.refuse(
        ErrorKind::UnknownFormat,
        format_args!("not of any known format (pi session JSONL, supercode .tree.json): {what}"),
    )
}

/// A file named as a tree is read as one, so that the error says what is wrong with it.
fn by_name(source: &Source, what: &str) -> Result<Format> {
    let name = source.path().as_os_str().as_encoded_bytes();
    match name.ends_with(b".tree.json") {
        true => Ok(Format::TreeJson),
        false => Err(unknown(source, what)),
    }
}

fn beginning(source: &Source) -> Result<Beginning> {
    let mut lines = LineReader::new(source.reader(), MAX_RECORD_BYTES);
    while let Some(found) = lines.next_record().map_err(|error| source.failed(error))? {
        let Record::Line(line) = found else {
            continue;
        };
        if line.place.number > LINES_BEFORE_HEADER {
            break;
        }
        let bytes = record::without_bom(line.bytes, line.place.number);
        let text = String::from_utf8_lossy(bytes);
        if record::is_blank(bytes) || validate(&text).is_err() {
            continue;
        }
        let value = Json::new(&text);
        if value.is_null() {
            continue;
        }
        if record::is_header(value) {
            return Ok(Beginning::Is(Format::Pi));
        }
        if tree_json::is_tree(value) {
            return Ok(Beginning::Is(Format::TreeJson));
        }
        if !value.is_object() {
            // A line of a JSON text that goes over many lines can be a value by itself.
            return Ok(Beginning::NoRecord);
        }
        let [kind, message] = value.fields(["type", "message"]);
        return Ok(Beginning::Other(match (kind, message) {
            (Some(_), Some(_)) => "its first record is an entry; the session header is missing",
            _ => "its first record is a JSON object of an unknown shape",
        }));
    }
    Ok(Beginning::NoRecord)
}

fn whole_text(source: &Source) -> Result<Format> {
    let head = source.read(0, source.length().min(64) as usize)?;
    let first = record::without_bom(&head, 1)
        .iter()
        .find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return by_name(source, "it is neither JSON lines nor a JSON object");
    }
    let text = tree_json::read_text(source)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if validate(text).is_ok() && tree_json::is_tree(Json::new(text)) {
        return Ok(Format::TreeJson);
    }
    by_name(source, "no line of it is a session header")
}
