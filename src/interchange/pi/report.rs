//! What an import of a file did, and what it met.

use std::collections::HashSet;

use super::census::{Loose, Span};
use super::node;
use super::write::Import;
use crate::Result;
use crate::interchange::plan::{Plan, Repeat, at};
use crate::interchange::report::{Format, ImportReport, Note, NoteKind};
use crate::ops::import::{Found, Run};

impl Import<'_> {
    /// New nodes whose declared parent is nowhere.
    pub(super) fn orphans(&self, plan: &Plan, session: Option<&Found>) -> Result<Vec<Note>> {
        let is_in_file: HashSet<&str> =
            self.census.entries.iter().map(|entry| &*entry.id).collect();
        let mut notes = Vec::new();
        for node in plan.nodes.iter().filter(|node| !node.is_broken) {
            let Some(entry) = self.census.entries.get(node.record) else {
                continue;
            };
            let Some(parent) = entry.parent.as_deref().filter(|id| !id.is_empty()) else {
                continue;
            };
            if is_in_file.contains(parent) {
                continue;
            }
            if let Some(session) = session
                && self.store.key_of(session.key, parent)?.is_some()
            {
                continue;
            }
            let line = Some(entry.span.line);
            notes.push(Note::new(
                NoteKind::Orphan,
                line,
                Some(&node.id),
                format!(
                    "{}the parent `{parent}` of the node `{}` is missing; it is kept as a root that remembers it",
                    at(line),
                    node.id
                ),
            ));
        }
        Ok(notes)
    }

    pub(super) fn refuse_if_strict(&self, plan: &Plan) -> Result<()> {
        if !self.options.strict {
            return Ok(());
        }
        let notes = self.census.notes.iter().chain(&plan.notes);
        let mut notes = notes.filter(|note| note.kind.is_damage()).peekable();
        let first = match (self.census.damaged.first(), notes.peek()) {
            (Some(damage), _) => format!(
                "on line {} (byte {}): {}",
                damage.line, damage.byte_offset, damage.reason
            ),
            (None, Some(note)) => note.text.clone(),
            (None, None) => return Ok(()),
        };
        let problems = self.census.damaged.len() + notes.count();
        Err(node::refuse_damaged(self.source, problems, &first))
    }

    pub(super) fn unchanged(&self, session: &Found) -> Result<ImportReport> {
        let mut report = self.empty_report(session);
        report.nodes_known = self.census.entries.len() as u64;
        let branch = self.store.imported(session).info()?.active_branch;
        report.branch = Some(branch);
        Ok(report)
    }

    fn empty_report(&self, session: &Found) -> ImportReport {
        ImportReport {
            session: session.id.clone(),
            format: Format::Pi,
            source_path: Some(self.path.clone()),
            created: false,
            nodes_added: 0,
            nodes_known: 0,
            loose: 0,
            branch: None,
            branches_added: Vec::new(),
            damaged: self.census.damaged.clone(),
            notes: self.census.notes.clone(),
        }
    }

    pub(super) fn report(&self, session: &Found, plan: Plan, run: Run) -> ImportReport {
        let mut report = self.empty_report(session);
        let kept = |loose: &&Loose| loose.reason != "blank";
        report.created = session.hidden;
        report.nodes_added = run.done.nodes_added;
        report.nodes_known = plan.known;
        report.loose = (self.census.loose.iter().filter(kept).count() + plan.repeats.len()) as u64;
        report.branch = run.done.file_branch;
        report.branches_added = run.done.branches;
        for repeat in &plan.repeats {
            report.notes.extend(self.repeat_note(repeat));
        }
        report.notes.extend(plan.notes);
        let orphans = [
            (
                NoteKind::Adopted,
                run.done.adopted,
                "has the parent it waited for",
            ),
            (
                NoteKind::NeverAdopted,
                run.done.never_adopted,
                "stays a root: the parent it declares is its own descendant",
            ),
        ];
        for (kind, ids, what) in orphans {
            let note =
                |id: String| Note::new(kind, None, Some(&id), format!("the node `{id}` {what}"));
            report.notes.extend(ids.into_iter().map(note));
        }
        report
    }

    fn repeat_note(&self, repeat: &Repeat) -> Option<Note> {
        let entry = self.census.entries.get(repeat.record)?;
        let line = entry.span.line;
        let first = repeat.of.and_then(|of| self.census.entries.get(of));
        let (of, is_same) = match first {
            Some(first) => (
                format!(" of line {}", first.span.line),
                self.is_same_line(&first.span, &entry.span),
            ),
            None => (String::new(), true),
        };
        let how = match is_same {
            true => "",
            false => ", but for what stands around it",
        };
        Some(Note::new(
            NoteKind::Repeat,
            Some(line),
            Some(&entry.id),
            format!(
                "line {line}: a repeat{of}{how}; the node `{}` is there once",
                entry.id
            ),
        ))
    }

    fn is_same_line(&self, one: &Span, other: &Span) -> bool {
        let read = |span: &Span| self.source.read(span.offset, span.length).ok();
        one.length == other.length && read(one) == read(other)
    }
}
