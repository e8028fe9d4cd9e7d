//! The store's answers beside the model's.

use session_tree::{Message, Selection, SessionTree};

use super::dice::Dice;
use super::world::{Branch, World};

fn texts(messages: Vec<Message>) -> Vec<String> {
    messages.into_iter().map(Message::into_string).collect()
}

fn ids<T: ToString>(ids: Vec<T>) -> Vec<String> {
    ids.iter().map(T::to_string).collect()
}

impl World {
    fn ids(&self, nodes: &[usize]) -> Vec<String> {
        nodes
            .iter()
            .map(|node| self.nodes[*node].id.clone())
            .collect()
    }
}

/// What is cheap enough to look at after every operation.
pub fn glance(world: &World, tree: &SessionTree, story: &str) {
    let info = tree.info().unwrap();
    let leaf = world.branches[&world.active].leaf;
    assert_eq!(info.active_branch, world.active, "{story}");
    assert_eq!(
        info.leaf.map(|leaf| leaf.to_string()),
        world.id(leaf),
        "{story}"
    );
    assert_eq!(info.name, world.name, "{story}");
    let messages = world
        .nodes
        .iter()
        .filter(|node| node.kind == "message")
        .count();
    assert_eq!(info.messages, messages as u64, "{story}");
    assert_eq!(
        texts(tree.linear_projection().unwrap()),
        world.messages(leaf),
        "{story}"
    );
}

/// Everything that can be asked.
pub fn compare(world: &World, tree: &SessionTree, dice: &mut Dice, story: &str) {
    glance(world, tree, story);
    branches(world, tree, story);
    splice(world, tree, story);
    nodes(world, tree, story);
    if !world.nodes.is_empty() {
        for _ in 0..4 {
            let (one, other) = (dice.below(world.nodes.len()), dice.below(world.nodes.len()));
            pair(world, tree, one, other, story);
        }
    }
}

fn branches(world: &World, tree: &SessionTree, story: &str) {
    let listed = tree.branches().unwrap();
    let mut names: Vec<&String> = world.branches.keys().collect();
    names.sort();
    assert_eq!(
        listed.iter().map(|branch| &branch.name).collect::<Vec<_>>(),
        names,
        "{story}"
    );
    assert_eq!(tree.has_branches().unwrap(), names.len() > 1, "{story}");
    for branch in listed {
        let must = &world.branches[&branch.name];
        assert_eq!(
            branch.leaf.map(|leaf| leaf.to_string()),
            world.id(must.leaf),
            "{story}"
        );
        assert_eq!(
            (branch.is_archived, branch.is_active),
            (must.archived, branch.name == world.active),
            "{story}"
        );
        let newest = branch.summary.map(|summary| {
            (
                summary.summary,
                summary.node_id,
                summary.model_id,
                summary.branch,
            )
        });
        let must_be = must.summaries.last().map(|summary| {
            (
                summary.text.clone(),
                summary.node_id.clone(),
                summary.model_id.clone(),
                branch.name.clone(),
            )
        });
        assert_eq!(newest, must_be, "{story}");
        assert_eq!(
            tree.summaries(&branch.name).unwrap().len(),
            must.summaries.len(),
            "{story}"
        );
        paths(world, tree, &branch.name, must, story);
    }
}

fn paths(world: &World, tree: &SessionTree, name: &str, branch: &Branch, story: &str) {
    let (path, messages) = (world.path(branch.leaf), world.messages(branch.leaf));
    assert_eq!(
        ids(tree.path_of(name).unwrap()),
        world.ids(&path),
        "{story}"
    );
    assert_eq!(
        texts(tree.linear_projection_of(name).unwrap()),
        messages,
        "{story}"
    );
    let lines = tree.render_branch_text(name).unwrap().matches('\n').count();
    assert_eq!(lines, messages.len(), "{story}");
    for last in [0, 1, 2, 7, messages.len(), messages.len() + 3] {
        let selection = Selection {
            branch: Some(name.to_owned()),
            last: Some(last as u64),
            ..Selection::default()
        };
        let projection = tree.projection(&selection).unwrap();
        let must = &messages[messages.len().saturating_sub(last)..];
        assert_eq!(
            projection.remaining(),
            must.len() as u64,
            "last {last} of {name}\n{story}"
        );
        assert_eq!(
            texts(projection.map(Result::unwrap).collect()),
            must,
            "last {last} of {name}\n{story}"
        );
    }
    for before in [path.first(), path.get(path.len() / 2), path.last()]
        .into_iter()
        .flatten()
    {
        let selection = Selection {
            branch: Some(name.to_owned()),
            before: Some(world.nodes[*before].id.clone()),
            ..Selection::default()
        };
        let page = texts(
            tree.projection(&selection)
                .unwrap()
                .map(Result::unwrap)
                .collect(),
        );
        assert_eq!(
            page,
            world.messages(world.nodes[*before].parent),
            "before {before} of {name}\n{story}"
        );
    }
}

fn splice(world: &World, tree: &SessionTree, story: &str) {
    let splice = tree.splice_for_linear_export().unwrap();
    assert_eq!(
        texts(splice.messages),
        world.messages(world.branches[&world.active].leaf),
        "{story}"
    );
    let must: Vec<(String, String)> = world
        .branches
        .iter()
        .filter(|(name, _)| **name != world.active)
        .map(|(name, branch)| {
            let text = match (branch.summaries.last(), branch.leaf) {
                (Some(summary), _) => summary.text.clone(),
                (None, None) => format!("[branch `{name}` has no leaf yet — nothing to summarize]"),
                (None, leaf) => format!("[{} turn(s), unsummarized]", world.messages(leaf).len()),
            };
            (name.clone(), text)
        })
        .collect();
    let is: Vec<(String, String)> = splice
        .summaries
        .into_iter()
        .map(|summary| (summary.branch, summary.summary))
        .collect();
    assert_eq!(is, must, "{story}");
}

fn nodes(world: &World, tree: &SessionTree, story: &str) {
    let outline = tree.outline(0, 10_000).unwrap();
    assert_eq!(outline.len(), world.nodes.len(), "{story}");
    for (place, (listed, must)) in outline.into_iter().zip(&world.nodes).enumerate() {
        let node = tree.node(&must.id).unwrap().unwrap();
        let label = world.labels.get(&must.id).cloned().flatten();
        assert_eq!(
            (listed.id.as_str(), listed.seq as usize),
            (must.id.as_str(), place),
            "{story}"
        );
        assert_eq!(
            (&listed.kind, &listed.label, listed.created_at_ms),
            (&must.kind, &label, must.at_ms),
            "{story}"
        );
        assert_eq!(node.message.as_str(), must.payload, "{story}");
        assert_eq!(
            (node.label, node.kind),
            (label, must.kind.clone()),
            "{story}"
        );
        assert_eq!(
            node.parent.map(|parent| parent.to_string()),
            world.id(must.parent),
            "{story}"
        );
        assert_eq!(
            ids(node.children),
            world.ids(&world.children(Some(place))),
            "{story}"
        );
        assert_eq!(
            ids(tree.children(&must.id).unwrap()),
            world.ids(&world.children(Some(place))),
            "{story}"
        );
    }
    assert_eq!(
        ids(tree.roots().unwrap()),
        world.ids(&world.children(None)),
        "{story}"
    );
    let childless: Vec<usize> = (0..world.nodes.len())
        .filter(|node| world.children(Some(*node)).is_empty())
        .collect();
    assert_eq!(
        ids(tree.leaves().unwrap()),
        world.ids(&childless),
        "{story}"
    );
}

fn pair(world: &World, tree: &SessionTree, one: usize, other: usize, story: &str) {
    let (up, down) = (world.path(Some(one)), world.path(Some(other)));
    let shared = up
        .iter()
        .zip(&down)
        .take_while(|(one, other)| one == other)
        .count();
    let (one_id, other_id) = (&world.nodes[one].id, &world.nodes[other].id);
    let ancestor = tree
        .common_ancestor(one_id, other_id)
        .unwrap()
        .map(|id| id.to_string());
    assert_eq!(
        ancestor,
        shared
            .checked_sub(1)
            .and_then(|last| world.id(Some(up[last]))),
        "{story}"
    );
    let between = tree.path_between(one_id, other_id);
    match shared {
        0 => assert!(between.is_err(), "{story}"),
        _ => {
            let mut must: Vec<usize> = up[shared..].iter().rev().copied().collect();
            must.extend(&down[shared - 1..]);
            assert_eq!(ids(between.unwrap()), world.ids(&must), "{story}");
        }
    }
    let below: Vec<usize> = (0..world.nodes.len())
        .filter(|node| world.path(Some(*node)).contains(&one))
        .collect();
    assert_eq!(
        ids(tree.subtree(one_id).unwrap()),
        world.ids(&below),
        "{story}"
    );
}
