//! The tree as a whole.

use super::{Answer, Connection};
use crate::model::Result;
use crate::rpc::convert;
use crate::rpc::entries::Entries;
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
    if request.flat && request.root.is_none() && request.depth.is_none() {
        return flat_page(&tree, leaf_id, &request);
    }
    let mut outline = Outline::read(&tree)?;
    let tops = match &request.root {
        None => outline.roots.clone(),
        Some(id) => {
            let found = outline.index_of(id);
            vec![found.ok_or_else(|| Failure::entry_not_found(id))?]
        }
    };
    if let Some(depth) = request.depth {
        outline.cut_below(&tops, depth);
    }
    if request.flat {
        return flat_part(&tree, leaf_id, &request, &outline, &tops);
    }
    match connection.dialect() {
        Dialect::Dreb => {
            let open = |node: usize, json: &mut String| match outline.nodes.get(node) {
                Some(node) => write::push_opened(json, &convert::node(&tree, node)?),
                None => Ok(()),
            };
            let roots = write::raw(write::nested(&tops, &outline.children, open, |_, _| ())?)?;
            Ok(AnyTree::Nested(Tree { roots, leaf_id }))
        }
        Dialect::Pi => {
            let tree = entries_tree(&tree, &outline, &tops)?;
            Ok(AnyTree::Entries(PiTree { tree, leaf_id }))
        }
    }
}

fn entries_tree(tree: &SessionTree, outline: &Outline, tops: &[usize]) -> Answer<Raw> {
    // Both are read in the order of writing; what was appended in between is in the second alone.
    let entries = Entries::read(tree)?.entries;
    let open = |node: usize, json: &mut String| {
        json.push_str("{\"entry\":");
        json.push_str(entries.get(node).map_or("null", |entry| entry.json.text()));
        Ok(())
    };
    let label_times = label_times(outline, &entries);
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
    write::raw(write::nested(tops, &outline.children, open, close)?)
}

/// Of each labelled node: the time of the last label line that names it. A label without such a line has none.
fn label_times(
    outline: &Outline,
    entries: &[crate::rpc::entries::Entry],
) -> std::collections::HashMap<String, String> {
    let mut times = std::collections::HashMap::new();
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
    let as_of = tree.cursor()?.to_string();
    let place = place(request)?;
    if place > tree.cursor()?.nodes {
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
        as_of,
    }))
}

/// One page of a part of the tree, parents first.
fn flat_part(
    tree: &SessionTree,
    leaf_id: Option<String>,
    request: &GetTree,
    outline: &Outline,
    tops: &[usize],
) -> Answer<AnyTree> {
    let as_of = tree.cursor()?.to_string();
    let (start, limit) = (place(request)? as usize, limit(request) as usize);
    let found = outline.below(tops, None);
    if start > found.len() {
        return Err(no_cursor(&start.to_string()));
    }
    let end = start.saturating_add(limit);
    let nodes = found
        .iter()
        .skip(start)
        .take(limit)
        .filter_map(|node| outline.nodes.get(*node))
        .map(|node| convert::node(tree, node))
        .collect::<Result<_>>()?;
    Ok(AnyTree::Flat(FlatTree {
        nodes,
        leaf_id,
        next_cursor: (end < found.len()).then(|| end.to_string()),
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
            Failure::of(
                crate::model::ErrorKind::NodeNotFound,
                format!("Entry not found: {since}"),
            )
        })?;
        entries.drain(..=at);
    }
    Ok(EntriesDto {
        entries: entries.into_iter().map(|entry| entry.json).collect(),
        leaf_id,
    })
}
