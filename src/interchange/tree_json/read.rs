//! A `.tree.json` text as what it says: refused wherever the format's own program refuses it.

use std::collections::BTreeMap;

use super::fields::{Fields, Place};
use crate::interchange::report::{Note, NoteKind};
use crate::model::json::{Json, validate};
use crate::{Error, ErrorKind, Result};

/// What a text says. Strings are resolved, messages stand as they are written.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    /// In the order of their names, byte for byte.
    pub nodes: BTreeMap<String, Node<'a>>,
    pub root: Option<String>,
    pub branches: BTreeMap<String, Branch>,
    pub active_branch: String,
    pub next_id: u64,
    pub notes: Vec<Note>,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    pub parent: Option<String>,
    /// As they are listed. The parents decide; a list that says otherwise is reported.
    pub children: Option<Vec<String>>,
    pub message: Json<'a>,
    pub label: Option<String>,
    pub created_at_ms: i64,
}

#[derive(Debug)]
pub(super) struct Branch {
    pub leaf: Option<String>,
    pub summary: Option<Summary>,
    pub created_at_ms: i64,
}

#[derive(Debug)]
pub(super) struct Summary {
    pub summary: String,
    pub node_id: String,
    pub branch: String,
    pub model_id: Option<String>,
    pub created_at_ms: i64,
}

/// Reads a text.
///
/// # Errors
/// `Damaged`, saying what is wrong and where, for what is no JSON or not of the format's shape; for an active branch that is
/// not there; and for a branch that ends at no node.
pub(super) fn read(text: &str) -> Result<Tree<'_>> {
    if text.starts_with('\u{feff}') {
        return Err(Place::default()
            .error("it begins with a byte order mark, which a JSON text must not; take it out"));
    }
    validate(text)
        .map_err(|error| Place::default().error(format_args!("it is no JSON text: {error}")))?;
    let top = Fields::read(
        Json::new(text),
        ["nodes", "root", "branches", "active_branch", "next_id"],
        Place::default(),
    )?;
    let (nodes, branches) = (top.object("nodes")?, top.object("branches")?);
    let mut tree = Tree {
        nodes: BTreeMap::new(),
        root: top.optional_text("root")?.map(Into::into),
        branches: BTreeMap::new(),
        active_branch: top.text("active_branch")?.into_owned(),
        next_id: top.unsigned("next_id")?,
        notes: Vec::new(),
    };
    tree.not_held(&top);
    for (name, value) in nodes.members() {
        let node = tree.node(&name, value)?;
        if tree.nodes.insert(name.clone().into_owned(), node).is_some() {
            tree.note(
                format!("node `{name}` is there twice; the last one counts"),
                Some(&name),
            );
        }
    }
    for (name, value) in branches.members() {
        let branch = tree.branch(&name, value)?;
        if tree
            .branches
            .insert(name.clone().into_owned(), branch)
            .is_some()
        {
            tree.note(
                format!("branch `{name}` is there twice; the last one counts"),
                None,
            );
        }
    }
    tree.refuse_dangling()?;
    Ok(tree)
}

impl<'a> Tree<'a> {
    fn note(&mut self, text: String, node: Option<&str>) {
        self.notes
            .push(Note::new(NoteKind::NotHeld, None, node, text));
    }

    /// Notes the members that are not of the shape.
    fn not_held<const N: usize>(&mut self, fields: &Fields<'_, N>) {
        for name in &fields.unknown {
            let place = fields.place().as_str();
            self.note(
                format!("{place}the unknown field `{name}` is not kept"),
                None,
            );
        }
    }

    fn node(&mut self, name: &str, value: Json<'a>) -> Result<Node<'a>> {
        let place = Place::of("node", name);
        if name.is_empty() {
            return Err(place.error("a node needs an id of at least one character"));
        }
        let fields = Fields::read(
            value,
            [
                "id",
                "parent",
                "children",
                "message",
                "label",
                "created_at_ms",
            ],
            place,
        )?;
        let id = fields.text("id")?;
        if id != name {
            self.note(
                format!("node `{name}` calls itself `{id}`; its name in the map counts"),
                Some(name),
            );
        }
        let children = match fields.array("children")? {
            Some(listed) => {
                let ids: Option<Vec<String>> = listed
                    .elements()
                    .map(|id| Some(id.as_str()?.into_owned()))
                    .collect();
                Some(ids.ok_or_else(|| fields.wrong("children", "an array of strings"))?)
            }
            None => None,
        };
        let message = fields.required("message")?;
        check_message(message, &fields.place().inside("message"))?;
        self.not_held(&fields);
        Ok(Node {
            parent: fields.optional_text("parent")?.map(Into::into),
            children,
            message,
            label: fields.optional_text("label")?.map(Into::into),
            created_at_ms: fields.integer("created_at_ms")?,
        })
    }

    fn branch(&mut self, name: &str, value: Json<'_>) -> Result<Branch> {
        let place = Place::of("branch", name);
        if name.is_empty() {
            return Err(place.error("a branch needs a name of at least one character"));
        }
        let fields = Fields::read(value, ["name", "leaf", "summary", "created_at_ms"], place)?;
        let inner = fields.text("name")?;
        if inner != name {
            self.note(
                format!("branch `{name}` calls itself `{inner}`; its name in the map counts"),
                None,
            );
        }
        self.not_held(&fields);
        let summary = match fields.get("summary").filter(|summary| !summary.is_null()) {
            Some(summary) => Some(self.summary(summary, fields.place().inside("summary"))?),
            None => None,
        };
        Ok(Branch {
            leaf: fields.optional_text("leaf")?.map(Into::into),
            summary,
            created_at_ms: fields.integer("created_at_ms")?,
        })
    }

    fn summary(&mut self, value: Json<'_>, place: Place) -> Result<Summary> {
        let fields = Fields::read(
            value,
            ["summary", "node_id", "branch", "model_id", "created_at_ms"],
            place,
        )?;
        self.not_held(&fields);
        Ok(Summary {
            summary: fields.text("summary")?.into_owned(),
            node_id: fields.text("node_id")?.into_owned(),
            branch: fields.text("branch")?.into_owned(),
            model_id: fields.optional_text("model_id")?.map(Into::into),
            created_at_ms: fields.integer("created_at_ms")?,
        })
    }

    /// A branch that ends at no node, and an active branch that is not there, cannot be kept as they are.
    fn refuse_dangling(&self) -> Result<()> {
        let nothing = "nothing was imported";
        for (name, branch) in &self.branches {
            if let Some(leaf) = branch
                .leaf
                .as_ref()
                .filter(|leaf| !self.nodes.contains_key(*leaf))
            {
                let text = format!(
                    "session tree has no node `{leaf}`, at which its branch `{name}` ends; {nothing}"
                );
                let error = Error::new(ErrorKind::Damaged, text);
                return Err(error.with_branch(name.as_str()).with_node(leaf.as_str()));
            }
        }
        let active = &self.active_branch;
        if self.branches.contains_key(active) {
            return Ok(());
        }
        let text =
            format!("session tree has no branch `{active}`, which is its active one; {nothing}");
        Err(Error::new(ErrorKind::Damaged, text).with_branch(active.as_str()))
    }
}

/// Checks a message without taking it apart: it is kept as it is.
pub(super) fn check_message(message: Json<'_>, place: &Place) -> Result<()> {
    let fields = Fields::read(
        message,
        [
            "supercode_turn",
            "ts",
            "role",
            "content",
            "content_parts",
            "tool_calls",
            "tool_call_id",
            "name",
            "metadata",
        ],
        place.clone(),
    )?;
    fields.required("supercode_turn")?;
    fields.unsigned("supercode_turn")?;
    fields.text("ts")?;
    let role = fields.text("role")?;
    if !matches!(&*role, "system" | "user" | "assistant" | "tool") {
        let text = format_args!(
            "unknown role `{role}`; it must be `system`, `user`, `assistant` or `tool`"
        );
        return Err(place.error(text));
    }
    for name in ["content", "tool_call_id", "name"] {
        fields.optional_text(name)?;
    }
    for name in ["content_parts", "tool_calls"] {
        if !fields.get(name).is_some_and(Json::is_null) {
            fields.array(name)?;
        }
    }
    for call in fields
        .get("tool_calls")
        .into_iter()
        .flat_map(Json::elements)
    {
        check_call(call, place.inside("tool_calls"))?;
    }
    if let Some(metadata) = fields.get("metadata") {
        let is_texts =
            metadata.is_object() && metadata.members().all(|(_, value)| value.is_string());
        if !is_texts {
            return Err(fields.wrong("metadata", "an object of strings"));
        }
    }
    Ok(())
}

fn check_call(call: Json<'_>, place: Place) -> Result<()> {
    let fields = Fields::read(call, ["id", "type", "function"], place.clone())?;
    fields.text("id")?;
    fields.optional_text("type")?;
    let function = Fields::read(
        fields.required("function")?,
        ["name", "arguments"],
        place.inside("function"),
    )?;
    function.text("name")?;
    function.text("arguments")?;
    Ok(())
}
