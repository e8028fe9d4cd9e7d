//! From a text to a session of its own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::read::{self, Tree};
use super::read_text;
use crate::interchange::plan::{self, Candidate, Nothing, Plan};
use crate::interchange::report::{Format, ImportOptions, ImportReport, Note, NoteKind};
use crate::interchange::source::Source;
use crate::model::json::compact;
use crate::model::{MESSAGE, counted, fingerprint, hex};
use crate::ops::import::{
    BranchToMake, Finish, IdStyle, Identity, ImportNode, LabelLine, NewImport, Run, SummaryToMake,
};
use crate::{Error, ErrorKind, Result, Store};

/// Bytes that are made ready before they are written.
const QUEUED_BYTES: usize = 1024 * 1024;
const QUEUED_NODES: usize = 1024;

pub(in crate::interchange) fn import(
    store: &Store,
    source: &Source,
    options: &ImportOptions,
) -> Result<ImportReport> {
    let text = read_text(source)?;
    let hash = hex(&Sha256::digest(&text));
    let path = std::path::absolute(source.path()).unwrap_or_else(|_| source.path().to_owned());
    let origin = Origin {
        hash: Some(&hash),
        path: Some(path),
    };
    bring_in(store, &text, origin, options.strict).map_err(|error| {
        // Only what is wrong with the text is about the file.
        match error.kind() {
            ErrorKind::Damaged => source.about(error),
            _ => error,
        }
    })
}

/// Where a text came from. One that came from nowhere is a session of its own each time.
pub(in crate::interchange) struct Origin<'a> {
    pub hash: Option<&'a str>,
    pub path: Option<PathBuf>,
}

/// Makes a session of a text, unless one was made of the same text before.
pub(in crate::interchange) fn bring_in(
    store: &Store,
    text: &str,
    origin: Origin<'_>,
    strict: bool,
) -> Result<ImportReport> {
    let identity = Identity {
        format: Format::TreeJson.as_str(),
        id: origin.hash,
    };
    let tree = read::read(text)?;
    let (names, plan) = plan_of(&tree)?;
    let damage = plan.notes.iter().find(|note| note.kind.is_damage());
    if let Some(note) = damage.filter(|_| strict) {
        return Err(Error::new(
            ErrorKind::Damaged,
            format!("it is damaged: {}; nothing was imported", note.text),
        ));
    }
    let mut notes = tree.notes.clone();
    notes.extend(lying_children(&tree, &names, &plan));
    notes.extend(orphans(&tree, &names, &plan));
    notes.extend(plan.notes.iter().cloned());
    let found = match origin.hash {
        Some(_) => store.find_import(identity)?,
        None => None,
    };
    let session = match found {
        Some(session) => session,
        None => {
            let meta = meta_of(text, &tree, &names, &plan);
            let name = origin.path.as_deref().and_then(name_in);
            let times = tree.nodes.values().map(|node| node.created_at_ms);
            store.begin_import(&NewImport {
                identity,
                hash: origin.hash,
                path: origin.path.as_deref().and_then(|path| path.to_str()),
                wanted_id: None,
                name: name.as_deref(),
                cwd: None,
                meta: &meta,
                created_at_ms: times.min().unwrap_or_else(|| store.now_ms()),
                ids: IdStyle::Counter {
                    next_id: tree.next_id,
                },
                forked_from: None,
                with_main: false,
            })?
        }
    };
    let mut report = ImportReport {
        session: session.id.clone(),
        format: Format::TreeJson,
        source_path: origin.path.clone(),
        created: session.hidden,
        nodes_added: 0,
        nodes_known: 0,
        loose: 0,
        branch: Some(tree.active_branch.clone()),
        branches_added: Vec::new(),
        damaged: Vec::new(),
        notes,
    };
    let mut run = Run::new(session.key, session.hidden);
    if session.hidden && write(store, &mut run, &tree, (&names, &plan), &origin)? {
        report.branches_added = run.done.branches;
    } else {
        report.created = false;
    }
    report.nodes_added = run.done.nodes_added;
    report.nodes_known = (names.len() as u64).saturating_sub(run.done.nodes_added);
    Ok(report)
}

/// The nodes in the order in which they were made, as far as their ids tell, and how they hang together.
fn plan_of<'t>(tree: &'t Tree<'_>) -> Result<(Vec<&'t str>, Plan)> {
    let mut names: Vec<&str> = tree.nodes.keys().map(String::as_str).collect();
    names.sort_by_key(|name| (counted(name).is_none(), counted(name)));
    let candidates: Vec<Candidate<'_>> = names
        .iter()
        .filter_map(|name| {
            let node = tree.nodes.get(*name)?;
            Some(Candidate {
                id: name,
                parent: node.parent.as_deref(),
                print: fingerprint(MESSAGE, node.parent.as_deref(), node.message.text()),
                line: None,
            })
        })
        .collect();
    let plan = plan::plan(&candidates, &Nothing)?;
    Ok((names, plan))
}

/// Nodes whose list of children is not what the parents of the nodes say.
fn lying_children(tree: &Tree<'_>, names: &[&str], plan: &Plan) -> Vec<Note> {
    let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
    for place in &plan.order {
        let parent = plan.parents.get(*place).copied().flatten();
        if let (Some(name), Some(parent)) = (
            names.get(*place),
            parent.and_then(|parent| names.get(parent)),
        ) {
            children.entry(parent).or_default().push(name);
        }
    }
    let mut notes = Vec::new();
    for (name, node) in &tree.nodes {
        let is = children.get(name.as_str()).map_or(&[][..], Vec::as_slice);
        if node.children.as_ref().is_some_and(|listed| listed != is) {
            let text = format!(
                "node `{name}` lists other children than the nodes that have it as their parent; those count"
            );
            notes.push(Note::new(NoteKind::NotHeld, None, Some(name), text));
        }
    }
    notes
}

fn orphans(tree: &Tree<'_>, names: &[&str], plan: &Plan) -> Vec<Note> {
    let mut notes = Vec::new();
    for node in plan.nodes.iter().filter(|node| !node.is_broken) {
        let name = names.get(node.record).copied().unwrap_or_default();
        let parent = tree.nodes.get(name).and_then(|node| node.parent.as_deref());
        if let Some(parent) = parent.filter(|id| !id.is_empty() && !tree.nodes.contains_key(*id)) {
            let text = format!(
                "the parent `{parent}` of the node `{name}` is missing; it is kept as a root that remembers it"
            );
            notes.push(Note::new(NoteKind::Orphan, None, Some(name), text));
        }
    }
    notes
}

/// What a snapshot needs besides the tree, to give back the text it came from.
fn meta_of(text: &str, tree: &Tree<'_>, names: &[&str], plan: &Plan) -> String {
    let layout = match text.trim_end().contains('\n') {
        true => "pretty",
        false => "compact",
    };
    let added: serde_json::Map<String, serde_json::Value> = branches_to_make(tree, names, plan)
        .into_iter()
        .filter(|branch| !branch.is_of_source)
        .map(|branch| (branch.name, branch.leaf.into()))
        .collect();
    serde_json::json!({
        "treeJson": {
            "layout": layout,
            "finalNewline": text.ends_with('\n'),
            "root": tree.root,
            "addedBranches": added,
        }
    })
    .to_string()
}

/// A session is called as its file: `<name>.tree.json`.
fn name_in(path: &std::path::Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let stem = name
        .strip_suffix(".tree.json")
        .or_else(|| name.strip_suffix(".json"))
        .unwrap_or(name);
    Some(stem.to_owned()).filter(|stem| !stem.is_empty())
}

/// Writes everything and shows it. `false`: another process did so first.
fn write(
    store: &Store,
    run: &mut Run,
    tree: &Tree<'_>,
    (names, plan): (&[&str], &Plan),
    origin: &Origin<'_>,
) -> Result<bool> {
    let mut queue = VecDeque::new();
    let mut bytes = 0;
    let mut order = plan.order.iter().copied().peekable();
    while let Some(place) = order.next() {
        if let (Some(planned), Some(name)) = (plan.nodes.get(place), names.get(place))
            && let Some(node) = tree.nodes.get(*name)
        {
            let payload = compact(node.message.text()).into_owned();
            bytes += payload.len();
            queue.push_back(ImportNode {
                id: (*name).to_owned(),
                parent: node.parent.clone(),
                adoptable: !planned.is_broken,
                kind: MESSAGE.to_owned(),
                created_at_ms: node.created_at_ms,
                time_text: None,
                source_line: None,
                envelope: None,
                payload,
                carrier: None,
                label: node.label.as_ref().map(|label| LabelLine {
                    target: (*name).to_owned(),
                    text: Some(label.clone()),
                }),
                title: None,
                raw: None,
            });
        }
        let is_full = queue.len() >= QUEUED_NODES || bytes >= QUEUED_BYTES;
        if !is_full && order.peek().is_some() {
            continue;
        }
        while !queue.is_empty() {
            if !store.write_import_nodes(run, &mut queue)? {
                return Ok(false);
            }
        }
        bytes = 0;
    }
    let mut branches = branches_to_make(tree, names, plan);
    while !branches.is_empty() {
        if !store.write_import_branches(run, &mut branches)? {
            return Ok(false);
        }
    }
    let end = Finish {
        path: origin.path.as_deref().and_then(|path| path.to_str()),
        hash: origin.hash,
        file_leaf: None,
        active: Some(&tree.active_branch),
        detail: serde_json::json!({
            "format": Format::TreeJson.as_str(),
            "path": origin.path.as_ref().map(|path| path.to_string_lossy()),
            "nodes": names.len(),
        }),
    };
    store.finish_import(run, &end)
}

/// The branches of the text, and one for each node without children at which none of them ends.
fn branches_to_make(tree: &Tree<'_>, names: &[&str], plan: &Plan) -> VecDeque<BranchToMake> {
    let mut branches: VecDeque<BranchToMake> = VecDeque::new();
    let mut has_name: HashSet<&str> = HashSet::new();
    for (name, branch) in &tree.branches {
        has_name.extend(branch.leaf.as_deref());
        branches.push_back(BranchToMake {
            name: name.clone(),
            leaf: branch.leaf.clone(),
            created_at_ms: branch.created_at_ms,
            summary: branch.summary.as_ref().map(|summary| SummaryToMake {
                summary: summary.summary.clone(),
                node_id: summary.node_id.clone(),
                branch: summary.branch.clone(),
                model_id: summary.model_id.clone(),
                created_at_ms: summary.created_at_ms,
            }),
            is_of_source: true,
        });
    }
    let parents: HashSet<usize> = plan.parents.iter().copied().flatten().collect();
    let mut taken: HashSet<String> = tree.branches.keys().cloned().collect();
    for place in &plan.order {
        let Some(id) = names.get(*place) else {
            continue;
        };
        if parents.contains(place) || has_name.contains(id) {
            continue;
        }
        let base = format!("leaf-{}", id.replace(char::is_control, "\u{fffd}"));
        let free = std::iter::once(base.clone())
            .chain((2_u64..).map(|number| format!("{base}-{number}")))
            .find(|name| taken.insert(name.clone()));
        branches.push_back(BranchToMake {
            name: free.unwrap_or(base),
            leaf: Some((*id).to_owned()),
            created_at_ms: tree.nodes.get(*id).map_or(0, |node| node.created_at_ms),
            summary: None,
            is_of_source: false,
        });
    }
    branches
}
