//! The bundled session, node by node. It stands in for `import` as long as there is none.

use serde_json::{Map, Value};
use session_tree::{Message, NewNode, NewSession, SessionTree, Store};

use crate::cli::failure::{Failure, Outcome};

pub(super) fn import(store: &Store, lines: &str) -> Outcome<SessionTree> {
    let broken =
        |error: &dyn std::fmt::Display| Failure::Io(format!("the bundled session: {error}"));
    let mut entries = lines
        .lines()
        .map(serde_json::from_str::<Map<String, Value>>);
    let header = entries
        .next()
        .unwrap_or_else(|| Ok(Map::new()))
        .map_err(|error| broken(&error))?;
    let text = |entry: &Map<String, Value>, name: &str| -> String {
        entry
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let tree = store.create_session_with(
        &NewSession::new()
            .id(text(&header, "id"))
            .cwd(text(&header, "cwd")),
    )?;
    let mut last: Option<String> = None;
    for entry in entries {
        let mut entry = entry.map_err(|error| broken(&error))?;
        let (id, kind) = (text(&entry, "id"), text(&entry, "type"));
        let parent = entry
            .get("parentId")
            .and_then(Value::as_str)
            .map(str::to_owned);
        if let (Some(parent), true) = (&parent, parent != last) {
            tree.rewind(parent, None)?;
        }
        let payload = match entry.remove("message") {
            Some(message) => message,
            None => {
                for common in ["id", "type", "parentId", "timestamp"] {
                    entry.remove(common);
                }
                Value::Object(entry)
            }
        };
        let payload = Message::new(payload.to_string()).map_err(|error| broken(&error))?;
        tree.append(NewNode::of_kind(kind, payload).id(&id))?;
        last = Some(id);
    }
    Ok(tree)
}
