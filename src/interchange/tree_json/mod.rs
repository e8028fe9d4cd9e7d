//! supercode's `.tree.json`: one JSON object with all nodes, the branches, and the active branch.

mod fields;
mod read;
mod snapshot;
mod turn;
mod write;

use crate::interchange::source::Source;
use crate::model::json::Json;
use crate::{ErrorKind, Result};

pub use snapshot::{Layout, Snapshot};
pub(super) use write::{Origin, bring_in, import};

/// The longest text that is read. It is held in memory as a whole.
const MAX_TEXT_BYTES: u64 = 512 * 1024 * 1024;

/// Whether a JSON value looks like a tree, whole or not.
pub(super) fn is_tree(value: Json<'_>) -> bool {
    let [nodes, branches] = value.fields(["nodes", "branches"]);
    nodes.is_some_and(Json::is_object) && branches.is_some_and(Json::is_object)
}

/// All of a file, as text.
///
/// # Errors
/// `TooLarge` above the limit; `Damaged` where it is not UTF-8.
pub(super) fn read_text(source: &Source) -> Result<String> {
    if source.length() > MAX_TEXT_BYTES {
        return Err(source.refuse(
            ErrorKind::TooLarge,
            format_args!(
                "it is {} bytes long, and a JSON text can have at most {MAX_TEXT_BYTES}",
                source.length()
            ),
        ));
    }
    let bytes = source.read(0, source.length() as usize)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        source.refuse(
            ErrorKind::Damaged,
            format_args!("byte {at} is not UTF-8, so it is no JSON text; nothing was imported"),
        )
    })
}
