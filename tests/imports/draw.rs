//! Small session files by hand, and trees as drawings to compare with.

use std::path::{Path, PathBuf};

use session_tree::SessionTree;

/// A header for session `s-1`, without a line end.
pub const HEADER: &str = r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}"#;

/// A user's message, a second after the header for each letter from `a` on.
pub fn says(id: &str, parent: Option<&str>, text: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    let second = id.bytes().next().unwrap_or(b'a') % 60;
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-03-01T10:00:{second:02}.000Z","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

/// An entry of any kind; `fields` begins with a comma if there are any.
pub fn entry(kind: &str, id: &str, parent: &str, fields: &str) -> String {
    format!(
        r#"{{"type":"{kind}","id":"{id}","parentId":"{parent}","timestamp":"2026-03-01T10:01:00.000Z"{fields}}}"#
    )
}

/// Lines with a line end each.
pub fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.as_ref());
        text.push('\n');
    }
    text.into_bytes()
}

/// A directory for one test, and files in it.
pub struct Files(tempfile::TempDir);

impl Files {
    pub fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// Every node in the order of the file, then every branch: `id < parent kind "preview"`, with `?` before a parent that is
/// missing.
pub fn draw(tree: &SessionTree) -> String {
    let mut nodes = tree.outline(0, u32::MAX).unwrap();
    nodes.sort_by_key(|node| (node.source_line.is_none(), node.source_line, node.seq));
    let mut drawn = String::new();
    for node in nodes {
        let parent = match (&node.parent, &node.missing_parent) {
            (Some(parent), _) => format!(" < {parent}"),
            (None, Some(missing)) => format!(" < ?{missing}"),
            (None, None) => String::new(),
        };
        let kind = match node.kind.as_str() {
            "message" => String::new(),
            kind => format!(" {kind}"),
        };
        let label = node
            .label
            .map_or(String::new(), |label| format!(" #{label}"));
        drawn.push_str(&format!(
            "{}{parent}{kind} {:?}{label}\n",
            node.id, node.preview
        ));
    }
    for branch in tree.branches().unwrap() {
        let active = if branch.is_active { "*" } else { "" };
        let leaf = branch
            .leaf
            .map_or("(empty)".to_owned(), |leaf| leaf.to_string());
        drawn.push_str(&format!("{active}{} = {leaf}\n", branch.name));
    }
    drawn
}

/// Compares a drawing with one whose lines may be indented.
#[track_caller]
pub fn assert_drawn(tree: &SessionTree, expected: &str) {
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let is = draw(tree);
    assert_eq!(is.lines().collect::<Vec<_>>(), expected, "\n{is}");
}
