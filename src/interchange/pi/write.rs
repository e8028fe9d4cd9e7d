//! From a file to a session: what is new is written, in the order in which parents come first.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use super::census::{self, Census, Loose, Span};
use super::node::{self, Says};
use crate::interchange::plan::{self, Candidate, Fate, Known, Nothing, Plan, at};
use crate::interchange::report::{Format, ImportOptions, ImportReport, Note, NoteKind};
use crate::interchange::source::Source;
use crate::model::Fingerprint;
use crate::ops::import::{Carrier, Finish, Found, IdStyle, Identity, LooseRecord, NewImport, Run};
use crate::{Error, ErrorKind, Result, Store};

/// How often an import starts over because another process was faster.
const TRIES: usize = 5;

/// Nodes and bytes that are read before they are written.
const QUEUED_NODES: usize = 1024;
const QUEUED_BYTES: usize = 1024 * 1024;

pub(in crate::interchange) fn import(
    store: &Store,
    source: &Source,
    options: &ImportOptions,
) -> Result<ImportReport> {
    let census = census::take(source)?;
    let import = Import {
        store,
        source,
        options,
        census: &census,
        path: std::path::absolute(source.path()).unwrap_or_else(|_| source.path().to_owned()),
    };
    for _ in 0..TRIES {
        if let Some(report) = import.attempt()? {
            return Ok(report);
        }
    }
    Err(Error::new(
        ErrorKind::Busy,
        "other processes are importing the same source; try again",
    ))
}

struct Import<'a> {
    store: &'a Store,
    source: &'a Source,
    options: &'a ImportOptions,
    census: &'a Census,
    path: std::path::PathBuf,
}

/// The session as it is before the import.
struct InSession<'a> {
    store: &'a Store,
    key: i64,
}

impl Known for InSession<'_> {
    fn fingerprints(&self, ids: &[&str]) -> Result<Vec<Option<Fingerprint>>> {
        self.store.import_fingerprints(self.key, ids)
    }

    fn numbered(&self, id: &str) -> Result<Vec<(String, Fingerprint)>> {
        self.store.import_numbered(self.key, id)
    }
}

impl Import<'_> {
    /// `None`: another process has finished the same import meanwhile.
    fn attempt(&self) -> Result<Option<ImportReport>> {
        let identity = Identity {
            format: Format::Pi.as_str(),
            id: Some(&self.census.header.id),
        };
        let mut found = self.store.find_import(identity)?;
        let hash = Some(self.census.hash.as_str());
        if let Some(session) = &found {
            match (session.hidden, session.hash.as_deref() == hash) {
                (false, true) => return self.unchanged(session).map(Some),
                (true, false) => {
                    self.store.discard_import(session.key)?;
                    found = None;
                }
                _ => {}
            }
        }
        let mut plan = match &found {
            Some(session) => self.plan(&InSession {
                store: self.store,
                key: session.key,
            })?,
            None => self.plan(&Nothing)?,
        };
        let orphans = self.orphans(&plan, found.as_ref())?;
        plan.notes.extend(orphans);
        self.refuse_if_strict(&plan)?;
        let was_there = found.is_some();
        let session = match found {
            Some(session) => session,
            None => self.store.begin_import(&self.new_import(identity))?,
        };
        if !was_there && !session.hidden {
            return Ok(None);
        }
        let mut run = Run::new(session.key, session.hidden);
        let file_leaf = self.set_out(&mut plan, &mut run)?;
        if !self.write_nodes(&plan, &mut run)? {
            return Ok(None);
        }
        self.write_loose(&plan, &run)?;
        let end = Finish {
            path: self.path.to_str(),
            hash,
            file_leaf: file_leaf.as_deref(),
            active: None,
            detail: serde_json::json!({
                "format": Format::Pi.as_str(),
                "path": self.path.to_string_lossy(),
                "nodes": run.done.nodes_added,
                "damaged": self.census.damaged.len(),
            }),
        };
        if !self.store.finish_import(&mut run, &end)? {
            return Ok(None);
        }
        Ok(Some(self.report(&session, plan, run)))
    }

    fn new_import<'a>(&'a self, identity: Identity<'a>) -> NewImport<'a> {
        let header = &self.census.header;
        let first = self.census.entries.first().map(|entry| entry.at_ms);
        NewImport {
            identity,
            hash: Some(&self.census.hash),
            path: self.path.to_str(),
            wanted_id: Some(&header.id),
            name: None,
            cwd: header.cwd.as_deref(),
            meta: &header.json,
            created_at_ms: header
                .at_ms
                .or(first)
                .unwrap_or_else(|| self.store.now_ms()),
            ids: IdStyle::Hex,
            forked_from: header
                .parent_session
                .as_deref()
                .map(|path| (session_id_in(path), path)),
            with_main: true,
        }
    }

    fn plan(&self, known: &dyn Known) -> Result<Plan> {
        let candidates: Vec<Candidate<'_>> = self
            .census
            .entries
            .iter()
            .map(|entry| Candidate {
                id: &entry.id,
                parent: entry.parent.as_deref(),
                print: entry.print,
                line: Some(entry.span.line),
            })
            .collect();
        plan::plan(&candidates, known)
    }

    /// New nodes whose declared parent is nowhere.
    fn orphans(&self, plan: &Plan, session: Option<&Found>) -> Result<Vec<Note>> {
        let is_in_file: std::collections::HashSet<&str> =
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

    fn refuse_if_strict(&self, plan: &Plan) -> Result<()> {
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

    /// Says which branches go along with the new nodes. Returns the node to which the branch that follows the file is to go
    /// if that is one that was there before.
    fn set_out(&self, plan: &mut Plan, run: &mut Run) -> Result<Option<String>> {
        let last = plan.fates.last().cloned();
        let follows = match run.hidden {
            true => Some(self.store.hidden_branch(run.session_key)?),
            false => self.store.followed_branch(run.session_key)?,
        };
        let leaf_key = follows.and_then(|(_, leaf_key)| leaf_key);
        let (goes_along, goes_to) = match last {
            None => (None, None),
            Some(Fate::New(place)) => {
                let stays = match leaf_key {
                    Some(key) if !run.hidden => {
                        self.ends_below(plan, run.session_key, place, key)?
                    }
                    _ => false,
                };
                ((!stays).then_some(place), None)
            }
            Some(Fate::Known(id)) => {
                let stays = match leaf_key {
                    _ if run.hidden => false,
                    // An older copy of the file has nothing new, and takes nobody back.
                    _ if plan.nodes.is_empty() => true,
                    Some(key) => self.store.is_above(run.session_key, &id, key)?,
                    None => false,
                };
                (None, (!stays).then_some(id))
            }
        };
        plan.find_ways(goes_along);
        let id_of = |place: &usize| {
            let node = plan.nodes.get(*place);
            node.map_or_else(String::new, |node| node.id.clone())
        };
        run.carriers = plan
            .ends
            .iter()
            .enumerate()
            .map(|(way, end)| match goes_along {
                Some(_) if way == 0 => Carrier::to_file_leaf(id_of(end), follows),
                _ => Carrier::to_leaf(id_of(end)),
            })
            .collect();
        Ok(goes_to)
    }

    /// Whether the branch that follows the file will end below a new node once the orphans have their parents.
    fn ends_below(&self, plan: &Plan, session: i64, place: usize, leaf_key: i64) -> Result<bool> {
        let mut at = leaf_key;
        // Each round goes up through new nodes to a known one; a path that comes back to where it was ends the search.
        for _ in 0..=plan.nodes.len() {
            let Some((_, Some(missing))) = self.store.top_of(at)? else {
                return Ok(false);
            };
            let Some(mut node) = plan.new_node(&missing) else {
                return Ok(false);
            };
            loop {
                if node == place {
                    return Ok(true);
                }
                match plan.parents.get(node).copied().flatten() {
                    Some(parent) => node = parent,
                    None => break,
                }
            }
            let record = plan.nodes.get(node).map(|node| node.record);
            let entry = record.and_then(|record| self.census.entries.get(record));
            let Some(parent) = entry.and_then(|entry| entry.parent.as_deref()) else {
                return Ok(false);
            };
            match self.store.key_of(session, parent)? {
                Some(key) if key != leaf_key => at = key,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    /// What the new nodes say about labels and the title, where no later line of the file says otherwise.
    fn sayings(&self, plan: &Plan) -> HashMap<usize, Says> {
        let mut sayings: HashMap<usize, Says> = HashMap::new();
        let place_of = |record: usize| match plan.fates.get(record) {
            Some(Fate::New(place)) => Some(*place),
            _ => None,
        };
        for place in self.census.labels.values().copied().filter_map(place_of) {
            sayings.entry(place).or_default().label = true;
        }
        if let Some(place) = self.census.title.and_then(place_of) {
            sayings.entry(place).or_default().title = true;
        }
        sayings
    }

    fn write_nodes(&self, plan: &Plan, run: &mut Run) -> Result<bool> {
        let sayings = self.sayings(plan);
        let mut queue = VecDeque::new();
        let mut bytes = 0;
        let mut order = plan.order.iter().copied().peekable();
        while let Some(place) = order.next() {
            if let Some(planned) = plan.nodes.get(place)
                && let Some(entry) = self.census.entries.get(planned.record)
            {
                let says = sayings.get(&place).copied().unwrap_or_default();
                let mut node = node::read(self.source, entry, planned.id.clone(), says)?;
                node.adoptable = !planned.is_broken;
                node.carrier = Some(planned.carrier);
                bytes += node.payload.len();
                queue.push_back(node);
            }
            let is_full = queue.len() >= QUEUED_NODES || bytes >= QUEUED_BYTES;
            if !is_full && order.peek().is_some() {
                continue;
            }
            while !queue.is_empty() {
                if !self.store.write_import_nodes(run, &mut queue)? {
                    return Ok(false);
                }
            }
            bytes = 0;
        }
        Ok(true)
    }

    fn write_loose(&self, plan: &Plan, run: &Run) -> Result<()> {
        let repeats = plan.repeats.iter().filter_map(|repeat| {
            let entry = self.census.entries.get(repeat.record)?;
            Some(Loose {
                span: Span { ..entry.span },
                reason: "repeat".to_owned(),
                is_too_long: false,
            })
        });
        let repeats: Vec<Loose> = repeats.collect();
        let mut queue = VecDeque::new();
        let mut bytes = 0;
        let framing = &self.census.framing;
        // A plain framing is only worth a record where another one was kept before.
        if !framing.is_plain() || !run.hidden {
            queue.push_back(LooseRecord {
                source_line: 0,
                byte_offset: 0,
                reason: "framing".to_owned(),
                raw: framing.to_json().into_bytes(),
            });
        }
        for loose in self.census.loose.iter().chain(&repeats) {
            let record = node::read_loose(self.source, loose)?;
            bytes += record.raw.len();
            queue.push_back(record);
            if queue.len() >= QUEUED_NODES || bytes >= QUEUED_BYTES {
                while !queue.is_empty() {
                    self.store.write_import_loose(run, &mut queue)?;
                }
                bytes = 0;
            }
        }
        while !queue.is_empty() {
            self.store.write_import_loose(run, &mut queue)?;
        }
        Ok(())
    }

    fn unchanged(&self, session: &Found) -> Result<ImportReport> {
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
            source_path: Some(Path::to_owned(&self.path)),
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

    fn report(&self, session: &Found, plan: Plan, run: Run) -> ImportReport {
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

    fn repeat_note(&self, repeat: &plan::Repeat) -> Option<Note> {
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

/// The session's id in the name of its file: `<time>_<id>.jsonl`.
fn session_id_in(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    stem.split_once('_').map_or(stem, |(_, id)| id)
}
