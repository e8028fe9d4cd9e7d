//! Session files of other programs: importing them, and writing sessions out in their formats.
//!
//! A source is never written, and is read only as far as memory allows: record by record, however long it is. What is
//! damaged in it is reported with its place and kept beside the nodes; everything else is taken. See
//! [`Store::import`](crate::Store::import).

mod chat;
mod detect;
mod order;
mod pi;
mod plan;
mod report;
mod save;
mod source;
mod splice;
mod tree_json;

use std::io::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

pub use detect::detect;
pub use report::{Damage, ExportReport, Format, ImportOptions, ImportReport, Note, NoteKind};
pub use save::save;
pub use splice::SpliceLayout;
pub use tree_json::{Layout, Snapshot};

use crate::model::hex;
use crate::{Result, SessionTree, Store};
use source::Source;

/// Writes a session as a file that pi and dreb read. A session that came from such a file and has not changed is written byte
/// for byte as it was; what has been added since follows in lines of its own, after which the active leaf is the last entry.
///
/// # Errors
/// `Damaged`; `Io`, also where `out` fails.
pub fn export_pi(tree: &SessionTree, out: &mut dyn Write) -> Result<ExportReport> {
    let mut hashed = Hashed {
        out,
        hash: Sha256::new(),
    };
    let mut report = pi::export(tree, &mut hashed)?;
    let hash = hex(&hashed.hash.finalize());
    report.is_unchanged = tree.source_hash()?.as_deref() == Some(&hash);
    Ok(report)
}

/// Writes a session as supercode's `.tree.json`; see [`SessionTree::snapshot`].
///
/// # Errors
/// `Damaged`; `Io`, also where `out` fails.
pub fn export_tree_json(
    tree: &SessionTree,
    layout: Layout,
    out: &mut dyn Write,
) -> Result<ExportReport> {
    let snapshot = tree.snapshot()?;
    let text = snapshot.to_json(layout);
    let hash = hex(&Sha256::digest(&text));
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(chat::failed)?;
    Ok(ExportReport {
        lines: snapshot.node_count() as u64,
        is_unchanged: tree.source_hash()?.as_deref() == Some(&hash),
        not_held: snapshot.not_held().to_vec(),
    })
}

/// Writes the messages of a branch (`None`: the active one) as chat programs send them: one JSON object a line with `role`,
/// `content`, `tool_calls` and the like. Messages in that shape go out as they are, but for `metadata` and what supercode adds;
/// those of pi are put into it. Memory does not grow with the branch.
///
/// # Errors
/// `BranchNotFound`; `CutPath`; `Damaged`; `Io`, also where `out` fails.
pub fn export_chat(
    tree: &SessionTree,
    branch: Option<&str>,
    out: &mut dyn Write,
) -> Result<ExportReport> {
    chat::export(tree, branch, out)
}

/// Writes what a linear format can hold of a tree: the active branch's messages as [`export_chat`] does, and for every other
/// branch its newest summary, or a count of its turns.
///
/// # Errors
/// As [`export_chat`].
pub fn export_splice(
    tree: &SessionTree,
    layout: SpliceLayout,
    out: &mut dyn Write,
) -> Result<ExportReport> {
    splice::export(tree, layout, out)
}

/// Writes on, and hashes what it writes.
struct Hashed<'a> {
    out: &'a mut dyn Write,
    hash: Sha256,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl Store {
    /// Imports a session file. What the session has already is not imported again: importing a file that has not changed
    /// changes nothing, and one that has grown adds what is new.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// use session_tree::Store;
    /// use session_tree::interchange::ImportOptions;
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("session.jsonl");
    /// # let lines = concat!(
    /// #     r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-31T08:00:00.000Z","cwd":"/src"}"#, "\n",
    /// #     r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-31T08:00:01.000Z","#,
    /// #     r#""message":{"role":"user","content":"hi"}}"#, "\n",
    /// # );
    /// # std::fs::write(&path, lines).unwrap();
    /// # let store = Store::builder().open_in_memory()?;
    /// let report = store.import(&path, &ImportOptions::new())?;
    /// assert_eq!((report.nodes_added, report.damaged.len()), (1, 0));
    /// let tree = store.open_session(&report.session)?;
    /// assert_eq!(tree.linear_projection()?.len(), 1);
    /// assert_eq!(store.import(&path, &ImportOptions::new())?.nodes_added, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `UnknownFormat` for an empty file and for one of no known format; `InvalidArgument` for what is no regular file;
    /// `Damaged` for what `strict` refuses, for a session file without a session id, and for a `.tree.json` that its own
    /// program could not read either; `TooLarge` for more than a session can hold; `Busy` while somebody is in a turn or
    /// navigation in the session; `ReadOnly`, `Io`. Nothing is shown of an import that fails, unless a session that was there
    /// already was growing: then what has been written stays, and the next import goes on from there.
    pub fn import(&self, path: impl AsRef<Path>, options: &ImportOptions) -> Result<ImportReport> {
        let source = Source::open(path.as_ref(), Some(self))?;
        let format = match options.format {
            Some(format) => format,
            None => detect::detect_source(&source)?,
        };
        match format {
            Format::Pi => pi::import(self, &source, options),
            Format::TreeJson => tree_json::import(self, &source, options),
        }
    }

    /// Makes a session of the text of a `.tree.json`, a new one each time.
    ///
    /// # Errors
    /// `Damaged`, saying where, for a text that the format's own program could not read either, for an active branch that is
    /// not there, and for a branch that ends at no node; `ReadOnly`, `Busy`, `Io`. Nothing is stored then.
    pub fn from_snapshot(&self, text: &str) -> Result<SessionTree> {
        let origin = tree_json::Origin {
            hash: None,
            path: None,
        };
        let report = tree_json::bring_in(self, text, origin, false)?;
        self.open_session(&report.session)
    }
}
