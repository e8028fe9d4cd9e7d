//! The model: a tree as plain lists and maps, and what each operation does to it.

use std::collections::BTreeMap;

/// Why an operation is refused, as the kinds of the store name it.
pub type Refusal = session_tree::ErrorKind;
use session_tree::ErrorKind::{
    BranchExists, BranchNotFound, EmptyBranch, IdTaken, InvalidArgument, LeafMoved, NodeNotFound,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub id: String,
    pub parent: Option<usize>,
    pub kind: String,
    pub payload: String,
    pub branch: String,
    pub at_ms: i64,
}

#[derive(Clone, Debug)]
pub struct Summary {
    pub text: String,
    pub node_id: String,
    pub model_id: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Branch {
    pub leaf: Option<usize>,
    pub archived: bool,
    pub summaries: Vec<Summary>,
}

#[derive(Clone, Debug)]
pub struct World {
    pub nodes: Vec<Node>,
    pub branches: BTreeMap<String, Branch>,
    pub active: String,
    pub labels: BTreeMap<String, Option<String>>,
    pub name: Option<String>,
    /// The number the session counts its ids from, where it was given one; else a node's id is its place.
    pub next: Option<u64>,
}

/// What the caller believes the leaf to be.
#[derive(Clone, Debug)]
pub enum Expected {
    Any,
    Leaf(Option<String>),
}

#[derive(Clone, Debug)]
pub struct Append {
    pub kind: String,
    pub payload: String,
    pub id: Option<String>,
    pub branch: Option<String>,
    pub expected: Expected,
    pub at_ms: i64,
}

impl World {
    pub fn new() -> World {
        World {
            nodes: Vec::new(),
            branches: BTreeMap::from([(String::from("main"), Branch::default())]),
            active: String::from("main"),
            labels: BTreeMap::new(),
            name: None,
            next: None,
        }
    }

    pub fn find(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }

    pub fn known(&self, id: &str) -> Result<usize, Refusal> {
        self.find(id).ok_or(NodeNotFound)
    }

    pub fn id(&self, node: Option<usize>) -> Option<String> {
        node.map(|node| self.nodes[node].id.clone())
    }

    /// Root first.
    pub fn path(&self, leaf: Option<usize>) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(leaf, |node| self.nodes[*node].parent).collect();
        path.reverse();
        path
    }

    pub fn messages(&self, leaf: Option<usize>) -> Vec<String> {
        let path = self.path(leaf).into_iter().map(|node| &self.nodes[node]);
        path.filter(|node| node.kind == "message")
            .map(|node| node.payload.clone())
            .collect()
    }

    pub fn children(&self, of: Option<usize>) -> Vec<usize> {
        (0..self.nodes.len())
            .filter(|node| self.nodes[*node].parent == of)
            .collect()
    }

    pub fn append(&mut self, new: &Append) -> Result<String, Refusal> {
        let branch = new.branch.clone().unwrap_or_else(|| self.active.clone());
        let leaf = self.branches.get(&branch).ok_or(BranchNotFound)?.leaf;
        if let Some(id) = &new.id
            && let Some(there) = self.find(id)
        {
            let node = &self.nodes[there];
            let same =
                node.kind == new.kind && node.payload == new.payload && node.branch == branch;
            let fits = match &new.expected {
                Expected::Any => true,
                Expected::Leaf(expected) => self.id(node.parent) == *expected,
            };
            return if same && fits {
                Ok(id.clone())
            } else {
                Err(IdTaken)
            };
        }
        if let Expected::Leaf(expected) = &new.expected
            && self.id(leaf) != *expected
        {
            return Err(LeafMoved);
        }
        let id = match &new.id {
            Some(id) => self.given(id)?,
            None => self.next_id(),
        };
        self.nodes.push(Node {
            id: id.clone(),
            parent: leaf,
            kind: new.kind.clone(),
            payload: new.payload.clone(),
            branch: branch.clone(),
            at_ms: new.at_ms,
        });
        self.branches.get_mut(&branch).unwrap().leaf = Some(self.nodes.len() - 1);
        let object: serde_json::Value =
            serde_json::from_str(&new.payload.replace("\\ud83d", "")).unwrap();
        let field = |name: &str| object[name].as_str().map(str::to_owned);
        let filled = |name: &str| field(name).filter(|text| !text.is_empty());
        match (new.kind.as_str(), field("targetId")) {
            ("label", Some(target)) => drop(self.labels.insert(target, filled("label"))),
            ("session_info", _) => self.name = filled("name"),
            _ => {}
        }
        Ok(id)
    }

    /// An id of the form that sessions make themselves is fine for the first node: the session then counts on from it.
    fn given(&mut self, id: &str) -> Result<String, Refusal> {
        let number = id
            .strip_prefix('n')
            .and_then(|rest| rest.parse::<u64>().ok());
        if let (Some(number), None) = (number, self.next) {
            if !self.nodes.is_empty() {
                return Err(InvalidArgument);
            }
            self.next = Some(number + 1);
        }
        Ok(id.to_owned())
    }

    fn next_id(&mut self) -> String {
        loop {
            let number = self.next.unwrap_or(self.nodes.len() as u64);
            self.next = self.next.map(|next| next + 1);
            let id = format!("n{number}");
            if self.find(&id).is_none() {
                return id;
            }
        }
    }

    fn lowest_free(&self, base: &str) -> String {
        let names = (1..).map(|number| {
            if number == 1 {
                base.to_owned()
            } else {
                format!("{base}-{number}")
            }
        });
        names
            .into_iter()
            .find(|name| !self.branches.contains_key(name))
            .unwrap()
    }

    pub fn rewind(&mut self, id: &str) -> Result<Option<String>, Refusal> {
        let target = self.known(id)?;
        let old = self.branches[&self.active].leaf;
        if old == Some(target) {
            return Ok(None);
        }
        let preserved = old.map(|_| self.lowest_free(&format!("{}-rewound", self.active)));
        if let Some(name) = &preserved {
            self.branches.insert(
                name.clone(),
                Branch {
                    leaf: old,
                    ..Branch::default()
                },
            );
        }
        self.branches.get_mut(&self.active).unwrap().leaf = Some(target);
        Ok(preserved)
    }

    pub fn branch(
        &mut self,
        from: Option<&str>,
        name: Option<&str>,
        switch: bool,
    ) -> Result<String, Refusal> {
        let leaf = from.map(|id| self.known(id)).transpose()?;
        let name = match name {
            Some("") => return Err(InvalidArgument),
            Some(name) if self.branches.contains_key(name) => return Err(BranchExists),
            Some(name) => name.to_owned(),
            None => self.lowest_free("branch"),
        };
        self.branches.insert(
            name.clone(),
            Branch {
                leaf,
                ..Branch::default()
            },
        );
        if switch {
            self.active.clone_from(&name);
        }
        Ok(name)
    }

    pub fn switch(&mut self, name: &str) -> Result<(), Refusal> {
        self.branches.get(name).ok_or(BranchNotFound)?;
        self.active = name.to_owned();
        Ok(())
    }

    pub fn label(&mut self, id: &str, text: Option<&str>) -> Result<(), Refusal> {
        self.known(id)?;
        self.labels.insert(
            id.to_owned(),
            text.filter(|text| !text.is_empty()).map(str::to_owned),
        );
        Ok(())
    }

    pub fn archive(&mut self, branch: &str, archived: bool) -> Result<(), Refusal> {
        self.branches
            .get_mut(branch)
            .ok_or(BranchNotFound)?
            .archived = archived;
        Ok(())
    }

    pub fn summarize(
        &mut self,
        branch: &str,
        text: &str,
        model_id: Option<&str>,
    ) -> Result<(), Refusal> {
        let leaf = self
            .branches
            .get(branch)
            .ok_or(BranchNotFound)?
            .leaf
            .ok_or(EmptyBranch)?;
        let node_id = self.nodes[leaf].id.clone();
        let summary = Summary {
            text: text.to_owned(),
            node_id,
            model_id: model_id.map(str::to_owned),
        };
        self.branches
            .get_mut(branch)
            .unwrap()
            .summaries
            .push(summary);
        Ok(())
    }
}
