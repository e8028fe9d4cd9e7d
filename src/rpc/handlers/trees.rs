//! The tree as a whole.

use std::collections::HashMap;

use super::{Answer, Connection};
use crate::model::{ErrorKind, Result};
use crate::read::Part;
use crate::rpc::convert;
use crate::rpc::entries::{Entries, Entry};
use crate::rpc::failure::Failure;
use crate::rpc::options::Dialect;
use crate::rpc::tree::Outline;
use crate::rpc::types::answers::{AnyTree, Entries as EntriesDto, FlatTree, PiTree, Tree};
use crate::rpc::types::requests::{GetEntries, GetTree};
use crate::rpc::write::{self, Raw};
use crate::tree::SessionTree;

/// Nodes of a page, unless another number is asked for.
const PAGE: u32 = 1_000;
const LARGEST_PAGE: u32 = 10_000;

pub(in crate::rpc) fn get_tree(connection: &mut Connection, request: GetTree) -> Answer<AnyTree> {
    let tree = connection.tree(request.session.as_deref())?;
    // Read before the nodes: nodes are never removed from a live session, so the leaf is among them.
    let leaf_id = convert::string(tree.info()?.leaf.as_ref());
    let is_part = request.root.is_some() || request.depth.is_some();
    match (request.flat, is_part) {
        (true, false) => return flat_page(&tree, leaf_id, &request),
        (true, true) => return flat_part(&tree, leaf_id, &request),
        (false, _) => {}
    }
    let outline = match is_part {
        false => Outline::read(&tree)?,
        true => Outline::read_part(&tree, request.root.as_deref(), request.depth)
            .map_err(|failure| unknown_top(failure, &request))?,
    };
    match connection.dialect() {
        Dialect::Dreb => {
            let open = |node: usize, json: &mut String| match outline.nodes.get(node) {
                Some(node) => write::push_opened(json, &convert::node(&tree, node)?),
                None => Ok(()),
            };
            let nested = write::nested(&outline.roots, &outline.children, open, |_, _| ())?;
            let roots = write::raw(nested)?;
            Ok(AnyTree::Nested(Tree { roots, leaf_id }))
        }
        Dialect::Pi => {
            let tree = entries_tree(&tree, &outline, is_part)?;
            Ok(AnyTree::Entries(PiTree { tree, leaf_id }))
        }
    }
}

/// What other programs say of an id that is not there.
fn unknown_top(failure: Failure, request: &GetTree) -> Failure {
    match &request.root {
        Some(top) if failure.code == ErrorKind::NodeNotFound.code() => {
            Failure::entry_not_found(top)
        }
        _ => failure,
    }
}

fn entries_tree(tree: &SessionTree, outline: &Outline, is_part: bool) -> Answer<Raw> {
    // Both are in the order of writing; what was appended in between is in the entries of a whole session alone.
    let entries = match is_part {
        false => Entries::read(tree)?.entries,
        true => Entries::read_of(tree, &outline.nodes)?.entries,
    };
    let open = |node: usize, json: &mut String| {
        json.push_str("{\"entry\":");
        json.push_str(entries.get(node).map_or("null", |entry| entry.json.text()));
        Ok(())
    };
    let label_times = match is_part {
        false => label_times(outline, &entries),
        // The line of a label may stand anywhere in the session.
        true if outline.nodes.iter().any(|node| node.label.is_some()) => {
            let whole = Outline::read(tree)?;
            label_times(&whole, &Entries::read(tree)?.entries)
        }
        true => HashMap::new(),
    };
    let close = |node: usize, json: &mut String| {
        let Some(node) = outline.nodes.get(node) else {
            return;
        };
        if let Some(label) = &node.label {
            json.push_str(",\"label\":");
            crate::model::json::push_string(json, label);
            if let Some(time) = label_times.get(&*node.id) {
                json.push_str(",\"labelTimestamp\":");
                crate::model::json::push_string(json, time);
            }
        }
    };
    write::raw(write::nested(
        &outline.roots,
        &outline.children,
        open,
        close,
    )?)
}

/// Of each labelled node: the time of the last label line that names it. A label without such a line has none.
fn label_times(outline: &Outline, entries: &[Entry]) -> HashMap<String, String> {
    let mut times = HashMap::new();
    for index in outline.in_file_order() {
        let (Some(node), Some(entry)) = (outline.nodes.get(index), entries.get(index)) else {
            continue;
        };
        if node.kind == "label"
            && let Some(target) = crate::model::json::Json::new(entry.json.text())
                .get("targetId")
                .and_then(|target| target.as_str())
        {
            times.insert(target.into_owned(), node.timestamp.clone());
        }
    }
    times
}

fn limit(request: &GetTree) -> u32 {
    request.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE)
}

fn place(request: &GetTree) -> Answer<u32> {
    match &request.cursor {
        None => Ok(0),
        Some(cursor) => cursor.parse().map_err(|_| no_cursor(cursor)),
    }
}

fn no_cursor(cursor: &str) -> Failure {
    Failure::invalid(format!(
        "`{cursor}` is no cursor of a page of this tree; use the `nextCursor` of the page before"
    ))
}

/// One page of the whole session. It costs the page, whatever the size of the tree.
fn flat_page(tree: &SessionTree, leaf_id: Option<String>, request: &GetTree) -> Answer<AnyTree> {
    let limit = limit(request);
    let as_of = tree.cursor()?;
    let place = place(request)?;
    if place > as_of.nodes {
        return Err(no_cursor(&place.to_string()));
    }
    let page = tree.outline(place, limit)?;
    let next_cursor = match page.last() {
        Some(last) if page.len() == limit as usize => Some(last.seq.saturating_add(1).to_string()),
        _ => None,
    };
    let nodes = page
        .iter()
        .map(|node| convert::node(tree, node))
        .collect::<Result<_>>()?;
    Ok(AnyTree::Flat(FlatTree {
        nodes,
        leaf_id,
        next_cursor,
        as_of: as_of.to_string(),
    }))
}

/// One page of a part of the tree, depth first. It costs the page and the path above it, whatever the size of the part.
fn flat_part(tree: &SessionTree, leaf_id: Option<String>, request: &GetTree) -> Answer<AnyTree> {
    let as_of = tree.cursor()?.to_string();
    let after = match &request.cursor {
        Some(_) => Some(place(request)?),
        None => None,
    };
    let part = Part {
        top: request.root.as_deref(),
        depth: request.depth,
        after,
    };
    let walk = tree.walk_part(part).map_err(|error| match error.kind() {
        ErrorKind::InvalidArgument => no_cursor(request.cursor.as_deref().unwrap_or_default()),
        _ => unknown_top(error.into(), request),
    })?;
    let mut walk = walk.peekable();
    let mut nodes = Vec::new();
    let mut last = 0;
    for step in walk.by_ref().take(limit(request) as usize) {
        let node = step?.node;
        last = node.seq;
        nodes.push(convert::node(tree, &node)?);
    }
    // An error of the node after the page is told by the page that holds it.
    let next_cursor = walk.peek().map(|_| last.to_string());
    Ok(AnyTree::Flat(FlatTree {
        nodes,
        leaf_id,
        next_cursor,
        as_of,
    }))
}

pub(in crate::rpc) fn get_entries(
    connection: &mut Connection,
    request: GetEntries,
) -> Answer<EntriesDto> {
    let tree = connection.tree(request.session.as_deref())?;
    let leaf_id = convert::string(tree.info()?.leaf.as_ref());
    let mut entries = Entries::read(&tree)?.in_file_order();
    if let Some(since) = &request.since {
        let at = entries.iter().position(|entry| entry.id == *since);
        let at = at.ok_or_else(|| {
            Failure::of(ErrorKind::NodeNotFound, format!("Entry not found: {since}"))
        })?;
        entries.drain(..=at);
    }
    Ok(EntriesDto {
        entries: entries.into_iter().map(|entry| entry.json).collect(),
        leaf_id,
    })
}
