//! What becomes of the records of a source: which are new, which are known or repeated, and how the new ones hang together.

use std::collections::{HashMap, HashSet};

use super::order::{parents_first, ways};
use super::report::{Note, NoteKind};
use crate::Result;
use crate::model::Fingerprint;

/// A record of a source that is a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub id: &'a str,
    /// The parent it declares; `None` and the empty text are none.
    pub parent: Option<&'a str>,
    pub print: Fingerprint,
    pub line: Option<u64>,
}

/// What the session holds already.
pub(super) trait Known {
    fn fingerprints(&self, ids: &[&str]) -> Result<Vec<Option<Fingerprint>>>;
    /// The nodes `<id>~2`, `<id>~3`, ...
    fn numbered(&self, id: &str) -> Result<Vec<(String, Fingerprint)>>;
}

/// A session that is not there yet holds nothing.
pub(super) struct Nothing;

impl Known for Nothing {
    fn fingerprints(&self, ids: &[&str]) -> Result<Vec<Option<Fingerprint>>> {
        Ok(vec![None; ids.len()])
    }

    fn numbered(&self, _id: &str) -> Result<Vec<(String, Fingerprint)>> {
        Ok(Vec::new())
    }
}

/// What becomes of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// A node, by its place among the new ones.
    New(usize),
    /// The node with this id, which is in the session.
    Known(String),
}

/// A node to be written.
#[derive(Debug)]
pub(super) struct NewNode {
    /// Its place among the records.
    pub record: usize,
    pub id: String,
    /// It lies in a cycle that is broken here.
    pub is_broken: bool,
    pub carrier: usize,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub fates: Vec<Fate>,
    /// Records that repeat another one.
    pub repeats: Vec<Repeat>,
    pub nodes: Vec<NewNode>,
    /// For each new node its parent, if that is new too.
    pub parents: Vec<Option<usize>>,
    /// The new nodes, parents before their children.
    pub order: Vec<usize>,
    /// For each branch that goes along with new nodes the one where it ends; the source's own is the first.
    pub ends: Vec<usize>,
    pub notes: Vec<Note>,
    /// Records that are in the session already.
    pub known: u64,
    /// For each id of the source the place among the new nodes, where it is new.
    new_by_id: HashMap<String, usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub record: usize,
    /// The record it repeats, if that is in the source.
    pub of: Option<usize>,
}

/// The records under one id.
struct Variants {
    plain: Variant,
    others: Option<HashMap<Fingerprint, Variant>>,
    next_number: u64,
}

struct Variant {
    print: Fingerprint,
    fate: Fate,
    /// The first record of the source that is this one.
    record: Option<usize>,
}

/// Ids looked up in one transaction.
const LOOKED_UP: usize = 500;

/// Finds out what becomes of each record.
pub(super) fn plan(candidates: &[Candidate<'_>], known: &dyn Known) -> Result<Plan> {
    let mut plan = Plan::default();
    let mut by_id: HashMap<&str, Variants> = HashMap::with_capacity(candidates.len());
    let mut looked_up = look_up(candidates, known)?;
    for (record, candidate) in candidates.iter().enumerate() {
        if let Some(variants) = by_id.get_mut(candidate.id) {
            let fate = plan.another(record, candidate, variants, &looked_up, known)?;
            plan.fates.push(fate);
            continue;
        }
        let found = looked_up.get_mut(candidate.id).and_then(Option::take);
        let mut plain = Variant {
            print: candidate.print,
            fate: Fate::New(plan.nodes.len()),
            record: Some(record),
        };
        if let Some(print) = found {
            plain = Variant {
                print,
                fate: Fate::Known(candidate.id.to_owned()),
                record: None,
            };
        } else {
            plan.push_new(record, candidate.id.to_owned());
        }
        let mut variants = Variants {
            plain,
            others: None,
            next_number: 2,
        };
        let fate = match variants.plain.record {
            Some(_) => variants.plain.fate.clone(),
            None => plan.another(record, candidate, &mut variants, &looked_up, known)?,
        };
        plan.fates.push(fate);
        by_id.insert(candidate.id, variants);
    }
    plan.link(candidates, &by_id);
    Ok(plan)
}

/// For each id of the source the session's node of that id, if there is one.
fn look_up<'a>(
    candidates: &[Candidate<'a>],
    known: &dyn Known,
) -> Result<HashMap<&'a str, Option<Fingerprint>>> {
    let mut found = HashMap::with_capacity(candidates.len());
    let mut wanted = Vec::with_capacity(LOOKED_UP);
    let mut ids = candidates.iter().map(|candidate| candidate.id);
    loop {
        wanted.clear();
        wanted.extend(
            ids.by_ref()
                .filter(|id| found.insert(*id, None).is_none())
                .take(LOOKED_UP),
        );
        if wanted.is_empty() {
            return Ok(found);
        }
        let prints = known.fingerprints(&wanted)?;
        found.extend(wanted.iter().copied().zip(prints));
    }
}

impl Plan {
    fn push_new(&mut self, record: usize, id: String) -> Fate {
        let place = self.nodes.len();
        self.new_by_id.insert(id.clone(), place);
        self.nodes.push(NewNode {
            record,
            id,
            is_broken: false,
            carrier: 0,
        });
        Fate::New(place)
    }

    /// A record whose id another one has.
    fn another(
        &mut self,
        record: usize,
        candidate: &Candidate<'_>,
        variants: &mut Variants,
        ids: &HashMap<&str, Option<Fingerprint>>,
        known: &dyn Known,
    ) -> Result<Fate> {
        if variants.plain.print == candidate.print {
            return Ok(self.same(record, &mut variants.plain));
        }
        if variants.others.is_none() {
            let numbered = known.numbered(candidate.id)?;
            variants.others = Some(
                numbered
                    .into_iter()
                    .map(|(id, print)| {
                        let fate = Fate::Known(id);
                        let record = None;
                        (
                            print,
                            Variant {
                                print,
                                fate,
                                record,
                            },
                        )
                    })
                    .collect(),
            );
        }
        let others = variants.others.get_or_insert_default();
        if let Some(variant) = others.get_mut(&candidate.print) {
            return Ok(self.same(record, variant));
        }
        let taken: HashSet<&str> = match variants.next_number {
            // Numbers below the next one are taken; those of the session can lie above it only the first time.
            2 => others
                .values()
                .filter_map(|variant| match &variant.fate {
                    Fate::Known(id) => Some(id.as_str()),
                    Fate::New(_) => None,
                })
                .collect(),
            _ => HashSet::new(),
        };
        let id = loop {
            let id = format!("{}~{}", candidate.id, variants.next_number);
            variants.next_number += 1;
            if !taken.contains(id.as_str()) && !ids.contains_key(id.as_str()) {
                break id;
            }
        };
        self.notes.push(Note::new(
            NoteKind::Conflict,
            candidate.line,
            Some(&id),
            format!(
                "{}another record under the id `{}`; it is kept as `{id}`",
                at(candidate.line),
                candidate.id
            ),
        ));
        let fate = self.push_new(record, id);
        let print = candidate.print;
        others.insert(
            print,
            Variant {
                print,
                fate: fate.clone(),
                record: Some(record),
            },
        );
        Ok(fate)
    }

    /// A record that is there already: in the session, where the source has it for the first time, else in the source.
    fn same(&mut self, record: usize, variant: &mut Variant) -> Fate {
        match (&variant.fate, variant.record) {
            (Fate::Known(_), None) => {
                self.known += 1;
                variant.record = Some(record);
            }
            (_, of) => self.repeats.push(Repeat { record, of }),
        }
        variant.fate.clone()
    }

    fn link(&mut self, candidates: &[Candidate<'_>], by_id: &HashMap<&str, Variants>) {
        for node in &self.nodes {
            let declared = candidates.get(node.record).and_then(|record| record.parent);
            let variants = declared.and_then(|id| by_id.get(id));
            self.parents
                .push(variants.and_then(|variants| match variants.plain.fate {
                    Fate::New(place) => Some(place),
                    Fate::Known(_) => None,
                }));
        }
        let found = parents_first(&mut self.parents);
        self.order = found.order;
        for place in found.broken {
            let Some(node) = self.nodes.get_mut(place) else {
                continue;
            };
            node.is_broken = true;
            let Some(candidate) = candidates.get(node.record) else {
                continue;
            };
            let declared = candidate.parent.unwrap_or_default();
            let what = if declared == candidate.id {
                "is its own parent".to_owned()
            } else {
                format!("is above its own parent `{declared}`")
            };
            self.notes.push(Note::new(
                NoteKind::Cycle,
                candidate.line,
                Some(&node.id),
                format!(
                    "{}the node `{}` {what}; it is kept as a root that remembers it",
                    at(candidate.line),
                    node.id
                ),
            ));
        }
    }

    /// Gives each new node its branch; `file_leaf` is the new node at which the source's own ends, if that goes along.
    pub fn find_ways(&mut self, file_leaf: Option<usize>) {
        let ways = ways(&self.order, &self.parents, file_leaf);
        for (node, carrier) in self.nodes.iter_mut().zip(ways.carrier) {
            node.carrier = carrier;
        }
        self.ends = ways.ends;
    }

    /// The new node of this id.
    pub fn new_node(&self, id: &str) -> Option<usize> {
        self.new_by_id.get(id).copied()
    }
}

/// `line N: ` for the start of a note.
pub(super) fn at(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

#[cfg(test)]
mod tests;
