//! Session files of pi: what becomes of them, whole and damaged.

mod cases;
mod corpus;
mod damage;
pub mod draw;
mod golden;
mod grown;
mod growth;
mod interrupted;
mod mangled;
mod memory;
mod refused;
mod shapes;
mod written;

use std::path::Path;

use session_tree::interchange::{ImportOptions, ImportReport};
use session_tree::{CheckOptions, SessionTree, Store};

pub fn store() -> Store {
    Store::builder().open_in_memory().unwrap()
}

/// Imports a file into a store, and checks that the file is as it was and the store is whole.
pub fn import_into(
    store: &Store,
    path: &Path,
    options: &ImportOptions,
) -> session_tree::Result<(ImportReport, SessionTree)> {
    let before = std::fs::read(path).unwrap();
    let outcome = store.import(path, options);
    assert!(
        std::fs::read(path).unwrap() == before,
        "{} was written",
        path.display()
    );
    let report = outcome?;
    let found = store.check(CheckOptions::new())?;
    assert!(
        found.is_healthy(),
        "{}: {:?}",
        path.display(),
        found.problems
    );
    let tree = store.open_session(&report.session)?;
    Ok((report, tree))
}

/// Imports a file into a store of its own.
pub fn import(path: &Path) -> session_tree::Result<(ImportReport, SessionTree)> {
    import_into(&store(), path, &ImportOptions::new())
}

pub fn texts<T: ToString>(ids: impl IntoIterator<Item = T>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}
