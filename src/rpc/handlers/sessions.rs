//! Sessions: lists, new ones, switching, names, deletion.

use super::{Answer, Connection, Nothing};
use crate::model::json::{Json, quote};
use crate::model::preview::js_whitespace;
use crate::model::{ErrorKind, SessionInfo, iso_from_ms};
use crate::rpc::connection::{new_session as in_working_directory, working_directory};
use crate::rpc::failure::Failure;
use crate::rpc::options::Dialect;
use crate::rpc::output::send_event;
use crate::rpc::types::answers::{Cancelled, Deleted, Sessions};
use crate::rpc::types::events::{NameChanged, NameChangedKind};
use crate::rpc::types::nodes::SessionDto;
use crate::rpc::types::requests::{Bare, NamedSession, NewSession, SetSessionName};
use crate::tree::SessionTree;

const NO_MESSAGES: &str = "(no messages)";

pub(in crate::rpc) fn new_session(
    connection: &mut Connection,
    request: NewSession,
) -> Answer<Cancelled> {
    let mut new = in_working_directory();
    if let Some(id) = request.new_id {
        new = new.id(id);
    }
    if let Some(name) = request.name {
        new = new.name(name);
    }
    if let Some(cwd) = request.cwd {
        new = new.cwd(cwd);
    }
    if let Some(parent) = request.parent_session {
        new = new.meta(format!("{{\"parentSession\":{}}}", quote(&parent)));
    }
    let tree = connection.store.create_session_with(&new)?;
    connection.enter(tree);
    Ok(Cancelled { cancelled: false })
}

pub(in crate::rpc) fn switch_session(
    connection: &mut Connection,
    request: NamedSession,
) -> Answer<Cancelled> {
    let id = match (&request.session, &request.session_path) {
        (Some(session), _) => connection
            .server
            .session_of_path(session)
            .unwrap_or(session),
        (None, Some(path)) => connection.server.session_of_path(path).ok_or_else(|| {
            Failure::of(
                ErrorKind::SessionNotFound,
                format!(
                    "`{path}` names no session of this store; use the `path` of a session in a list"
                ),
            )
        })?,
        (None, None) => return Err(names_no_session()),
    };
    // Opening never creates: a name that is not there is an error, not an empty session.
    let tree = connection.store.open_session(id)?;
    connection.enter(tree);
    Ok(Cancelled { cancelled: false })
}

fn names_no_session() -> Failure {
    Failure::invalid("the request cannot be used: it needs `session` or `sessionPath`")
}

pub(in crate::rpc) fn set_session_name(
    connection: &mut Connection,
    request: SetSessionName,
) -> Answer<Nothing> {
    let name = folded(&request.name, connection.dialect());
    let name = name.trim_matches(js_whitespace);
    if name.is_empty() {
        return Err(Failure::exact(
            ErrorKind::InvalidArgument,
            "Session name cannot be empty",
        ));
    }
    let tree = connection.tree_to_change(request.session.as_deref())?;
    tree.rename(Some(name))?;
    let kind = match connection.dialect() {
        Dialect::Dreb => NameChangedKind::SessionNameChanged,
        Dialect::Pi => NameChangedKind::SessionInfoChanged,
    };
    let name = name.to_owned();
    send_event(&connection.output, &NameChanged { kind, name });
    Ok(Nothing)
}

/// In pi, a name is one line: each run of line ends is one space.
fn folded(name: &str, dialect: Dialect) -> String {
    if dialect == Dialect::Dreb {
        return name.to_owned();
    }
    let mut folded = String::with_capacity(name.len());
    let mut is_at_end = false;
    for c in name.chars() {
        let is_end = matches!(c, '\r' | '\n');
        match (is_end, is_at_end) {
            (true, false) => folded.push(' '),
            (true, true) => {}
            (false, _) => folded.push(c),
        }
        is_at_end = is_end;
    }
    folded
}

/// Those of the directory of the session the connection is on; of the server's, where that has been deleted.
pub(in crate::rpc) fn list_sessions(connection: &mut Connection, _: Bare) -> Answer<Sessions> {
    let here = connection.tree(None).and_then(|tree| Ok(tree.info()?.cwd));
    let here = match here {
        Err(failure) if failure.code == ErrorKind::SessionNotFound.code() => working_directory(),
        found => found?,
    };
    list(connection, |session| session.cwd == here)
}

pub(in crate::rpc) fn list_all_sessions(connection: &mut Connection, _: Bare) -> Answer<Sessions> {
    list(connection, |_| true)
}

fn list(connection: &Connection, shown: impl Fn(&SessionInfo) -> bool) -> Answer<Sessions> {
    let store = &connection.store;
    let mut sessions = Vec::new();
    for info in store.sessions()?.into_iter().filter(shown) {
        // One that was deleted since the list was read is left out.
        let tree = match store.open_session(&info.id) {
            Err(error) if error.kind() == ErrorKind::SessionNotFound => continue,
            found => found?,
        };
        let modified = tree.last_said_at()?.unwrap_or(match info.messages {
            0 => info.created_at_ms,
            _ => info.last_node_at_ms,
        });
        let session = SessionDto {
            path: connection.server.session_path(&info.id),
            first_message: first_message(&tree)?,
            id: info.id.to_string(),
            cwd: info.cwd.unwrap_or_default(),
            name: info.name,
            created: iso_from_ms(info.created_at_ms),
            modified: iso_from_ms(modified),
            message_count: info.messages,
        };
        sessions.push((modified, session));
    }
    sessions.sort_by_key(|(modified, _)| std::cmp::Reverse(*modified));
    let sessions = sessions.into_iter().map(|(_, session)| session).collect();
    Ok(Sessions { sessions })
}

/// The first text of a user; of a long message, its preview.
fn first_message(tree: &SessionTree) -> Answer<String> {
    for said in tree.said_first()? {
        if !said.is_short {
            return Ok(said.preview);
        }
        if let Some(node) = tree.node(&said.id)? {
            let text = spaced_text(node.message.json());
            if !text.is_empty() {
                return Ok(text);
            }
        }
    }
    Ok(NO_MESSAGES.to_owned())
}

/// The text of a message, its parts joined with one space.
fn spaced_text(message: Json<'_>) -> String {
    let Some(content) = message.get("content") else {
        return String::new();
    };
    if let Some(text) = content.as_str() {
        return text.into_owned();
    }
    let mut texts = Vec::new();
    for part in content.elements() {
        let [kind, text] = part.fields(["type", "text"]);
        if kind.and_then(Json::as_str).as_deref() == Some("text") {
            texts.extend(text.and_then(Json::as_str));
        }
    }
    texts.join(" ")
}

/// The checks stand in the order of the original, with its texts.
pub(in crate::rpc) fn delete_session(
    connection: &mut Connection,
    request: NamedSession,
) -> Answer<Deleted> {
    let server = &connection.server;
    let (given, id) = match (&request.session, &request.session_path) {
        (None, None) => return Err(names_no_session()),
        (Some(session), _) => (session, server.session_of_path(session).unwrap_or(session)),
        (None, Some(path)) => match server.session_of_path(path) {
            Some(id) => (path, id),
            None => {
                let text = format!("Not a session file (expected .jsonl): {path}");
                return Err(Failure::exact(ErrorKind::InvalidArgument, text));
            }
        },
    };
    let active = || {
        Failure::exact(
            ErrorKind::Busy,
            "Cannot delete the currently active session",
        )
    };
    if server.is_in_use(id) {
        return Err(active());
    }
    match connection.store.delete_session(id) {
        Err(error) if error.kind() == ErrorKind::SessionNotFound => Err(Failure::exact(
            ErrorKind::SessionNotFound,
            format!("Session file does not exist: {given}"),
        )),
        // The file may be locked for long, too: only a holder is named.
        Err(error) if error.kind() == ErrorKind::Busy && error.actor().is_some() => Err(active()),
        done => {
            done?;
            Ok(Deleted {
                method: "unlink".to_owned(),
            })
        }
    }
}
