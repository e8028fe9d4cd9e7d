//! Files that are written whole or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::{Error, ErrorKind, Result};

/// Writes a file through a neighbour of another name, which is synced and then takes the file's own: under that name there is
/// all of it or nothing. A file that is there already is not overwritten, and where `write` fails nothing is left. The file
/// can be read by its owner alone, as the store can.
///
/// ```
/// # fn main() -> session_tree::Result<()> {
/// use session_tree::interchange::{export_chat, save};
/// use session_tree::{ErrorKind, Message, Store};
///
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("chat.jsonl");
/// let store = Store::builder().open_in_memory()?;
/// let tree = store.from_linear([Message::user("hi")], None)?;
/// save(&path, |out| export_chat(&tree, None, out))?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"role\":\"user\",\"content\":\"hi\"}\n");
/// let again = save(&path, |out| export_chat(&tree, None, out));
/// assert_eq!(again.unwrap_err().kind(), ErrorKind::InvalidArgument);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `InvalidArgument` where the file is there already; `Io`; whatever `write` fails with.
pub fn save<T>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    let path = path.as_ref();
    let shown = path.display();
    let failed = |error| Error::io(format!("`{shown}` cannot be written"), error);
    let exists = || {
        Error::new(
            ErrorKind::InvalidArgument,
            format!("`{shown}` is there already; give another name, or move it away first"),
        )
    };
    if path.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let directory = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Err(exists()),
    };
    if !directory.is_dir() {
        let directory = directory.display();
        let text = format!("the directory `{directory}` does not exist; create it first");
        return Err(Error::new(ErrorKind::Io, text));
    }
    let partial = tempfile::Builder::new()
        .prefix(".session-tree-export-")
        .tempfile_in(directory)
        .map_err(failed)?;
    let mut out = BufWriter::with_capacity(256 * 1024, partial.as_file());
    let done = write(&mut out)?;
    out.flush().map_err(failed)?;
    drop(out);
    partial.as_file().sync_all().map_err(failed)?;
    partial
        .persist_noclobber(path)
        .map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(),
            _ => failed(error.error),
        })?;
    std::fs::File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(failed)?;
    Ok(done)
}
