//! A tree as text, line by line as the walk goes.
//!
//! Only elder siblings are indented; a last child goes on below its parent. So a conversation that was rewound a thousand
//! times is still drawn one column deep, and a chain is drawn straight.

use std::collections::HashMap;

use session_tree::{Branch, NodeId, OutlineNode, SessionTree, WalkNode};

use super::failure::Outcome;
use super::output::Output;
use super::safe;

/// Deeper levels are told by their number, so that a line cannot grow without end.
const DRAWN_LEVELS: usize = 24;
const PREVIEW_CHARS: usize = 72;
const NAME_CHARS: usize = 60;

/// The branches by the nodes where they end.
pub(crate) struct Ends<'a>(HashMap<&'a NodeId, Vec<&'a Branch>>);

impl<'a> Ends<'a> {
    pub(crate) fn new(branches: &'a [Branch]) -> Ends<'a> {
        let mut ends: HashMap<&NodeId, Vec<&Branch>> = HashMap::new();
        for branch in branches {
            if let Some(leaf) = &branch.leaf {
                ends.entry(leaf).or_default().push(branch);
            }
        }
        Ends(ends)
    }

    pub(crate) fn at(&self, id: &NodeId) -> &[&'a Branch] {
        self.0.get(id).map_or(&[], Vec::as_slice)
    }
}

/// Draws the whole tree.
pub(crate) fn tree(out: &mut Output, tree: &SessionTree, branches: &[Branch]) -> Outcome<()> {
    let ends = Ends::new(branches);
    let mut first = true;
    for step in tree.walk()? {
        let step = step?;
        if step.node.parent.is_none() && !std::mem::take(&mut first) {
            out.line("")?;
        }
        out.line(line(&step, ends.at(&step.node.id)))?;
    }
    for branch in branches.iter().filter(|branch| branch.leaf.is_none()) {
        out.line(format_args!("(empty)  <- {}", name(branch)))?;
    }
    Ok(())
}

fn line(step: &WalkNode, ends: &[&Branch]) -> String {
    let mut line = String::new();
    indent(&mut line, step);
    line.push_str(&node(&step.node));
    if !ends.is_empty() {
        let names: Vec<String> = ends.iter().map(|branch| name(branch)).collect();
        line.push_str("  <- ");
        line.push_str(&names.join(", "));
    }
    line
}

fn indent(line: &mut String, step: &WalkNode) {
    let Some(columns) = step.level.checked_sub(1) else {
        return;
    };
    if columns >= DRAWN_LEVELS {
        line.push_str(&format!("│ {} more ", columns - DRAWN_LEVELS + 1));
    }
    line.push_str(&"│  ".repeat(columns.min(DRAWN_LEVELS - 1)));
    line.push_str(if step.has_younger_siblings {
        "├─ "
    } else {
        "│  "
    });
}

/// `n3 user: What a person sees of it  (label: …)`
pub(crate) fn node(node: &OutlineNode) -> String {
    let who = node.role.as_deref().unwrap_or(&node.kind);
    let mut line = format!(
        "{} {}: {}",
        safe::one_line(&node.id),
        safe::shortened(who, NAME_CHARS),
        safe::shortened(&node.preview, PREVIEW_CHARS)
    );
    if let Some(label) = &node.label {
        line.push_str(&format!(
            "  (label: {})",
            safe::shortened(label, NAME_CHARS)
        ));
    }
    if let (None, Some(missing)) = (&node.parent, &node.missing_parent)
        && !missing.is_empty()
    {
        let missing = safe::shortened(missing, NAME_CHARS);
        line.push_str(&format!("  (cut: its parent {missing} was never written)"));
    }
    line
}

/// A branch's name, with a star if the session is on it.
pub(crate) fn name(branch: &Branch) -> String {
    let star = if branch.is_active { "*" } else { "" };
    format!("{star}{}", safe::one_line(&branch.name))
}
