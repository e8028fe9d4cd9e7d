//! The second reading: an entry's bytes become a node.

use super::census::Entry;
use super::record;
use crate::interchange::source::Source;
use crate::model::clock::iso_from_ms;
use crate::model::fingerprint;
use crate::model::json::{Json, validate};
use crate::model::preview::js_whitespace;
use crate::ops::import::{ImportNode, LabelLine, LooseRecord};
use crate::{ErrorKind, Result};

/// What an entry says that no later line of the file says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Says {
    pub label: bool,
    pub title: bool,
}

/// Reads an entry again and makes a node of it.
///
/// # Errors
/// `Io` where the file is not what it was at the first reading.
pub(super) fn read(source: &Source, entry: &Entry, id: String, says: Says) -> Result<ImportNode> {
    let bytes = source.read(entry.span.offset, entry.span.length)?;
    let (mut text, raw) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let raw = LooseRecord {
                source_line: entry.span.line,
                byte_offset: entry.span.offset,
                reason: "not_utf8".to_owned(),
                raw: error.into_bytes(),
            };
            (text, Some(raw))
        }
    };
    if raw.is_some() != entry.is_lossy || validate(&text).is_err() {
        return Err(source.changed());
    }
    let value = Json::new(&text);
    let [kind, timestamp, message] = value.fields(["type", "timestamp", "message"]);
    let kind = record::kind_of(kind).into_owned();
    let time_text = record::time_text(timestamp);
    let time_text = (time_text != iso_from_ms(entry.at_ms)).then(|| time_text.into_owned());
    let label = says.label.then(|| label_line(value)).flatten();
    let title = says.title.then(|| title(value));
    let cut = record::payload_at(&text, &kind, message);
    // White space around the record is part of its line, and so of what an export gives back.
    let envelope = cut.map(|at| {
        let envelope = [&text[..at.start], &text[at.end..]].concat();
        text.truncate(at.end);
        text.drain(..at.start);
        (at.start, envelope)
    });
    if fingerprint(&kind, entry.parent.as_deref(), &text) != entry.print {
        return Err(source.changed());
    }
    Ok(ImportNode {
        id,
        parent: entry.parent.as_deref().map(str::to_owned),
        adoptable: true,
        kind,
        created_at_ms: entry.at_ms,
        time_text,
        source_line: Some(entry.span.line),
        envelope,
        payload: text,
        carrier: None,
        label,
        title,
        raw,
    })
}

fn label_line(value: Json<'_>) -> Option<LabelLine> {
    let target = record::text_of(value.get("targetId"))?.into_owned();
    let text = record::text_of(value.get("label")).map(Into::into);
    Some(LabelLine { target, text })
}

/// The title that a line sets, white space around it dropped; `None` takes it away.
fn title(value: Json<'_>) -> Option<String> {
    let name = record::text_of(value.get("name"))?;
    let trimmed = name.trim_matches(js_whitespace);
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// The bytes of a record that is kept beside the nodes.
pub(super) fn read_loose(source: &Source, loose: &super::census::Loose) -> Result<LooseRecord> {
    let raw = match loose.is_too_long {
        true => Vec::new(),
        false => source.read(loose.span.offset, loose.span.length)?,
    };
    Ok(LooseRecord {
        source_line: loose.span.line,
        byte_offset: loose.span.offset,
        reason: loose.reason.clone(),
        raw,
    })
}

/// The error for a source that a strict import refuses.
pub(super) fn refuse_damaged(source: &Source, problems: usize, first: &str) -> crate::Error {
    source.refuse(
        ErrorKind::Damaged,
        format_args!(
            "it is damaged in {problems} place(s), first {first}; nothing was imported. Without strict mode what is whole is taken"
        ),
    )
}
