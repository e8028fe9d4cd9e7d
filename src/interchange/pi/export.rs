//! From a session to a file that pi and dreb read: the lines it came from, and lines for what is new.

use std::collections::BTreeMap;
use std::io::Write;

use sha2::{Digest, Sha256};

use super::framing::Framing;
use super::line::{self, Entry};
use super::record;
use crate::interchange::report::ExportReport;
use crate::model::clock::iso_from_ms;
use crate::model::hex;
use crate::model::json::{Json, push_string, validate};
use crate::model::preview::js_whitespace;
use crate::read::{LooseKind, SourceIndex, SourceItem, SourceLine, SourceText};
use crate::{Error, Result, SessionInfo, SessionTree};

/// Writes a session as lines. One that was imported from such a file and has not changed is written byte for byte as it was.
pub(in crate::interchange) fn export(
    tree: &SessionTree,
    out: &mut dyn Write,
) -> Result<ExportReport> {
    let index = tree.source_index()?;
    let info = tree.info()?;
    let is_from_file = info.source_format.as_deref() == Some("pi")
        && index.lines.iter().all(|line| line.line.is_some());
    let is_unchanged = is_from_file && tree.is_at_file_leaf()? && !tree.has_marks_of_its_own()?;
    let (marks, leaf_is_last) = match is_unchanged {
        true => (Marks::default(), true),
        false => {
            let reader = Reader::of(tree, &index)?;
            let marks = Marks {
                labels: reader.other_labels(tree.labels()?),
                title: (reader.title != info.name).then(|| info.name.clone()),
            };
            (marks, reader.leaf.as_deref() == info.leaf.as_deref())
        }
    };
    let framing = index
        .framing
        .as_deref()
        .and_then(|json| Framing::from_json(std::str::from_utf8(json).ok()?))
        .unwrap_or_default();
    let mut export = Export {
        tree,
        info: &info,
        framing,
        is_unchanged,
        out,
        report: ExportReport::default(),
        line_end: None,
        shared: None,
        torn: None,
    };
    export.write(&index, &marks, leaf_is_last)?;
    Ok(export.report)
}

/// What a program that reads the lines of a session would make of it.
#[derive(Debug, Default)]
struct Reader {
    leaf: Option<String>,
    labels: BTreeMap<String, String>,
    title: Option<String>,
}

/// What a reader of the lines alone would not see.
#[derive(Debug, Default)]
struct Marks {
    /// Labels by node; `None` takes one away.
    labels: Vec<(String, Option<String>)>,
    title: Option<Option<String>>,
}

impl Marks {
    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.title.is_none()
    }
}

impl Reader {
    fn of(tree: &SessionTree, index: &SourceIndex) -> Result<Reader> {
        let mut reader = Reader::default();
        let marks: Vec<SourceLine> = index
            .lines
            .iter()
            .filter(|line| line.is_mark)
            .copied()
            .collect();
        let mut left = marks.as_slice();
        while !left.is_empty() {
            let page = tree.source_page(index, left)?;
            left = left.get(page.len()..).unwrap_or_default();
            for text in page {
                if let SourceText::Node(node, _) = text {
                    reader.mark(&node.kind, Json::new(node.message.as_str()));
                }
            }
        }
        if let Some(last) = index.lines.iter().rfind(|line| line.is_node())
            && let Some(SourceText::Node(node, _)) =
                tree.source_page(index, std::slice::from_ref(last))?.pop()
        {
            reader.leaf = Some(node.id.to_string());
        }
        Ok(reader)
    }

    fn mark(&mut self, kind: &str, payload: Json<'_>) {
        if kind == "label" {
            let [target, label] = payload.fields(["targetId", "label"]);
            if let Some(target) = record::text_of(target) {
                match record::text_of(label) {
                    Some(label) => self.labels.insert(target.into_owned(), label.into_owned()),
                    None => self.labels.remove(&*target),
                };
            }
        } else {
            let name = record::text_of(payload.get("name")).unwrap_or_default();
            let name = name.trim_matches(js_whitespace);
            self.title = Some(name.to_owned()).filter(|name| !name.is_empty());
        }
    }

    fn other_labels(
        &self,
        labels: BTreeMap<String, Option<String>>,
    ) -> Vec<(String, Option<String>)> {
        labels
            .into_iter()
            .filter(|(node, label)| self.labels.get(node) != label.as_ref())
            .collect()
    }
}

struct Export<'a> {
    tree: &'a SessionTree,
    info: &'a SessionInfo,
    framing: Framing,
    is_unchanged: bool,
    out: &'a mut dyn Write,
    report: ExportReport,
    /// The end of the line that was written last, which is not written yet.
    line_end: Option<&'static [u8]>,
    /// A line with several records in it, which was written as a whole: its number and bytes.
    shared: Option<(u64, Vec<u8>)>,
    /// A damaged line that is still to be written: a later import may have found it whole.
    torn: Option<(u64, Vec<u8>)>,
}

impl Export<'_> {
    fn write(&mut self, index: &SourceIndex, marks: &Marks, leaf_is_last: bool) -> Result<()> {
        if self.is_unchanged && self.framing.bom {
            self.out.write_all("\u{feff}".as_bytes()).map_err(failed)?;
        }
        // Where the header shares its line with other records, that line is written as it is, and a later line may repeat it.
        let first = |line: &&SourceLine| line.is_header() || line.is_node();
        let mut needs_header = !index
            .lines
            .iter()
            .find(first)
            .is_some_and(SourceLine::is_header);
        if needs_header && !self.is_unchanged {
            self.line(self.header().as_bytes(), None)?;
            needs_header = false;
        }
        let last = match (leaf_is_last || !marks.is_empty(), &self.info.leaf) {
            (false, Some(leaf)) => self.tree.store().key_of(self.tree.key(), leaf)?,
            _ => None,
        };
        // A line that sets something must keep its place among those that set the same; any other can go last.
        let is_last =
            |line: &SourceLine| last.is_some_and(|key| line.item == SourceItem::Node(key));
        let leaf_line = index.lines.iter().find(|line| is_last(line)).copied();
        let moved = leaf_line.filter(|line| !line.is_mark);
        let lines: Vec<SourceLine> = index
            .lines
            .iter()
            .filter(|line| moved.is_none() || !is_last(line))
            .copied()
            .chain(moved.map(|line| SourceLine { line: None, ..line }))
            .collect();
        let mut left = lines.as_slice();
        let mut is_first_header = !needs_header;
        while !left.is_empty() {
            let page = self.tree.source_page(index, left)?;
            let texts = left.iter().zip(page);
            let mut done = 0;
            for (line, text) in texts {
                done += 1;
                let is_header = line.is_header() && std::mem::take(&mut is_first_header);
                self.item(line.line, text, is_header)?;
            }
            left = left.get(done..).unwrap_or_default();
        }
        self.flush_torn()?;
        self.write_marks(marks, leaf_line.filter(|line| line.is_mark).is_some())?;
        self.finish()
    }

    fn item(&mut self, line: Option<u64>, text: SourceText, is_header: bool) -> Result<()> {
        match text {
            SourceText::Node(node, raw) => {
                let mut bytes = line::of_node(self.tree, &node, self.is_unchanged)?.into_bytes();
                if let Some(raw) = raw.filter(|_| bytes == node.line().as_bytes()) {
                    bytes = raw;
                }
                if let (Some((at, whole)), Some(line)) = (&self.shared, line)
                    && *at == line
                    && contains(whole, &bytes)
                {
                    return Ok(());
                }
                if let (Some((at, start)), Some(line)) = (&self.torn, line)
                    && *at == line
                    && bytes.starts_with(start)
                {
                    self.torn = None;
                }
                self.line(&bytes, line)
            }
            SourceText::Loose(LooseKind::Header, _) if is_header && !self.is_unchanged => {
                self.line(self.header().as_bytes(), line)
            }
            SourceText::Loose(LooseKind::Shared, raw) => {
                let number = line.unwrap_or_default();
                if self.is_unchanged {
                    self.line(&raw, line)?;
                    self.shared = Some((number, raw));
                } else {
                    self.not_held(format!(
                        "what stood beside the records on line {number} of the source"
                    ));
                }
                Ok(())
            }
            SourceText::Loose(LooseKind::Damaged, raw) => {
                self.flush_torn()?;
                self.torn = line.map(|line| (line, raw));
                Ok(())
            }
            SourceText::Loose(LooseKind::Oversized, _) => {
                let number = line.unwrap_or_default();
                self.not_held(format!(
                    "line {number} of the source, which was too long to keep"
                ));
                Ok(())
            }
            // Behind something new a repeat would move a reader's leaf, and says nothing.
            SourceText::Loose(LooseKind::Repeat, _) if !self.is_unchanged => Ok(()),
            SourceText::Loose(_, raw) => self.line(&raw, line),
        }
    }

    fn flush_torn(&mut self) -> Result<()> {
        match self.torn.take() {
            Some((number, raw)) => self.line_now(&raw, Some(number)),
            None => Ok(()),
        }
    }

    fn line(&mut self, bytes: &[u8], number: Option<u64>) -> Result<()> {
        self.flush_torn()?;
        self.line_now(bytes, number)
    }

    /// Writes a line, after the end of the one before.
    fn line_now(&mut self, bytes: &[u8], number: Option<u64>) -> Result<()> {
        self.end_line()?;
        self.out.write_all(bytes).map_err(failed)?;
        let number = number.unwrap_or(u64::MAX);
        self.line_end = Some(match self.framing.has_carriage_return(number) {
            true => b"\r\n",
            false => b"\n",
        });
        self.report.lines += 1;
        Ok(())
    }

    fn end_line(&mut self) -> Result<()> {
        match self.line_end.take() {
            Some(end) => self.out.write_all(end).map_err(failed),
            None => Ok(()),
        }
    }

    /// The first line: the one the session came with, in the version its entries are written in, or a made one.
    fn header(&self) -> String {
        let info = self.info;
        let meta = Json::new(&info.meta);
        let mut header = String::from("{\"type\":\"session\"");
        let is_source = info.source_format.as_deref() == Some("pi")
            && validate(&info.meta).is_ok()
            && record::is_header(meta);
        if !is_source {
            header.push_str(",\"version\":3,\"id\":");
            push_string(&mut header, &info.id);
            header.push_str(",\"timestamp\":");
            push_string(&mut header, &iso_from_ms(info.created_at_ms));
            header.push_str(",\"cwd\":");
            push_string(&mut header, info.cwd.as_deref().unwrap_or_default());
            header.push('}');
            return header;
        }
        let version = meta.get("version").and_then(Json::as_f64);
        if version.is_some_and(|version| version >= 2.0) {
            return info.meta.clone();
        }
        header.push_str(",\"version\":3");
        for (name, value) in meta.members() {
            if name != "type" && name != "version" {
                header.push(',');
                push_string(&mut header, &name);
                header.push(':');
                header.push_str(value.text());
            }
        }
        header.push('}');
        header
    }

    /// Writes entries for what the lines do not say, one below the other at the active leaf, as pi itself does for a copy.
    fn write_marks(&mut self, marks: &Marks, keeps_leaf: bool) -> Result<()> {
        let mut parent = self.info.leaf.as_ref().map(|leaf| leaf.to_string());
        let time = iso_from_ms(self.info.last_node_at_ms);
        for (node, label) in &marks.labels {
            let id = self.made_id(&format!("label\n{node}\n{label:?}"))?;
            let mut entry = Entry::new("label", &id, parent.as_deref());
            entry.text("timestamp", &time);
            entry.text("targetId", node);
            if let Some(label) = label {
                entry.text("label", label);
            }
            self.line(entry.end().as_bytes(), None)?;
            parent = Some(id);
        }
        let title = match &marks.title {
            Some(title) => title.clone(),
            // The leaf's own line could not go last: this one says again what the title is, below that leaf.
            None if keeps_leaf && marks.labels.is_empty() => self.info.name.clone(),
            None => return Ok(()),
        };
        let title = title.unwrap_or_default();
        let id = self.made_id(&format!("session_info\n{title}"))?;
        let mut entry = Entry::new("session_info", &id, parent.as_deref());
        entry.text("timestamp", &time);
        entry.text("name", &title);
        self.line(entry.end().as_bytes(), None)
    }

    /// An id for an entry that is only in the export: the same each time, and unlike those of all nodes.
    fn made_id(&self, what: &str) -> Result<String> {
        let digits = hex(&Sha256::digest(format!("{}\n{what}", self.info.id)));
        for length in 8..digits.len() {
            let id = digits.get(..length).unwrap_or(&digits);
            if !self.tree.contains(id)? {
                return Ok(id.to_owned());
            }
        }
        Ok(digits)
    }

    fn finish(&mut self) -> Result<()> {
        if !self.is_unchanged || self.framing.final_newline {
            self.end_line()?;
        }
        self.out.flush().map_err(failed)?;
        if self.info.leaf.is_none() && self.report.lines > 1 {
            self.not_held("that the active branch is empty".to_owned());
        }
        for branch in self.tree.branches()? {
            let own_name = branch.leaf.as_ref().map(|leaf| format!("leaf-{leaf}"));
            let is_made = branch.name == "main" || own_name.as_deref() == Some(&branch.name);
            if !is_made {
                self.not_held(format!("the name of the branch `{}`", branch.name));
            }
            if branch.summary.is_some() {
                self.not_held(format!("the summary of the branch `{}`", branch.name));
            }
        }
        Ok(())
    }

    fn not_held(&mut self, what: String) {
        self.report.not_held.push(what);
    }
}

fn contains(whole: &[u8], part: &[u8]) -> bool {
    part.len() <= whole.len() && whole.windows(part.len()).any(|window| window == part)
}

fn failed(error: std::io::Error) -> Error {
    Error::io("the export cannot be written", error)
}
