//! From a file to a session: what is new is written, in the order in which parents come first.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;

use super::census::{self, Census, Loose, Span};
use super::node;
use crate::interchange::plan::{self, Candidate, Known, Nothing, Plan};
use crate::interchange::report::{Format, ImportOptions, ImportReport};
use crate::interchange::source::Source;
use crate::model::Fingerprint;
use crate::ops::import::{Finish, IdStyle, Identity, LooseRecord, NewImport, Run};
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

/// One import of one file.
pub(super) struct Import<'a> {
    pub store: &'a Store,
    pub source: &'a Source,
    pub options: &'a ImportOptions,
    pub census: &'a Census,
    pub path: PathBuf,
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
                (false, true) => {
                    // Nothing new, but what strict refuses is refused each time it is asked.
                    if self.options.strict {
                        self.refuse_if_strict(&self.plan(&Nothing)?)?;
                    }
                    return self.unchanged(session).map(Some);
                }
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
        // A line that several records share is kept as a whole already.
        let shared: HashSet<u64> = self
            .census
            .loose
            .iter()
            .filter(|loose| loose.reason == "shared")
            .map(|loose| loose.span.line)
            .collect();
        let repeats = plan.repeats.iter().filter_map(|repeat| {
            let entry = self.census.entries.get(repeat.record)?;
            let entry = Some(entry).filter(|entry| !shared.contains(&entry.span.line))?;
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
}

/// The session's id in the name of its file: `<time>_<id>.jsonl`.
fn session_id_in(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    stem.split_once('_').map_or(stem, |(_, id)| id)
}
