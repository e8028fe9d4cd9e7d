//! What a verb works with: the output, the store, the session.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use session_tree::{Cut, SessionId, SessionInfo, SessionTree, Store, StoreBuilder};

use super::args::Common;
use super::failure::{Failure, Outcome};
use super::output::{Output, json_line};
use super::place::{Place, variable};
use super::safe;

pub(crate) struct Context {
    common: Common,
    pub(crate) out: Output,
}

#[derive(Serialize)]
struct Note<'a> {
    note: &'a str,
}

impl Context {
    pub(crate) fn new(common: Common) -> Context {
        let out = Output::new(common.json);
        Context { common, out }
    }

    /// The file named with `--db`.
    pub(crate) fn named_file(&self) -> Option<&Path> {
        self.common.db.as_deref()
    }

    /// Sends the verbs that follow to this file and session.
    pub(crate) fn point_at(&mut self, db: PathBuf, session: Option<String>) {
        self.common.db = Some(db);
        self.common.session = session;
    }

    /// Says something on stderr that is no error.
    pub(crate) fn note(&self, sentence: &str) {
        let sentence = safe::one_line(sentence);
        let line = if self.out.json {
            json_line(&Note { note: &sentence }).unwrap_or(sentence)
        } else {
            sentence
        };
        // A note that cannot be delivered is no reason to fail.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }

    /// Says where a path is cut.
    pub(crate) fn note_cut(&self, cut: Option<&Cut>) {
        if let Some(cut) = cut {
            self.note(&format!(
                "the path is cut at node {}: its parent {} was never written",
                cut.node_id, cut.missing_parent
            ));
        }
    }

    pub(crate) fn place(&self) -> Outcome<Place> {
        Place::find(self.common.db.clone())
    }

    fn builder(&self) -> StoreBuilder {
        let actor = variable("SESSION_TREE_ACTOR");
        let actor = actor.map_or_else(
            || String::from("cli"),
            |actor| actor.to_string_lossy().into_owned(),
        );
        Store::builder().actor(actor)
    }

    /// The store for a verb that only reads. No file is ever made by one.
    pub(crate) fn reader(&self) -> Outcome<Store> {
        Ok(self.builder().read_only().open(self.place()?.path)?)
    }

    /// The store for a verb that changes what is there.
    pub(crate) fn writer(&self) -> Outcome<Store> {
        Ok(self.builder().existing().open(self.place()?.path)?)
    }

    /// The store for a verb that may be the first to use it.
    pub(crate) fn creator(&self) -> Outcome<Store> {
        let place = self.place()?;
        place.prepare()?;
        Ok(self.builder().open(place.path)?)
    }

    /// The store of [`creator`](Context::creator) at another place.
    pub(crate) fn creator_at(&self, path: PathBuf) -> Outcome<Store> {
        Ok(self.builder().open(path)?)
    }

    /// The store to serve to others, who wait less long for a lock than a person does.
    #[cfg(feature = "rpc")]
    pub(crate) fn served(&self, read_only: bool) -> Outcome<Store> {
        let builder = self.builder().patience(std::time::Duration::from_secs(10));
        let place = self.place()?;
        if read_only {
            return Ok(builder.read_only().open(place.path)?);
        }
        place.prepare()?;
        Ok(builder.open(place.path)?)
    }

    /// The session to read: the one that was named, else the latest, which is said where there was a choice.
    pub(crate) fn session(&self) -> Outcome<SessionTree> {
        let store = self.reader()?;
        if let Some(tree) = self.named(&store)? {
            return Ok(tree);
        }
        let sessions = store.sessions()?;
        match candidates(&sessions).first() {
            Some(latest) => {
                if sessions.len() > 1 {
                    self.note(&format!(
                        "session {} (the latest of {}; choose with -s)",
                        titled(latest),
                        sessions.len()
                    ));
                }
                Ok(store.open_session(&latest.id)?)
            }
            None => Err(no_session()),
        }
    }

    /// The session to change: the one that was named, else the only one.
    pub(crate) fn session_to_change(&self) -> Outcome<SessionTree> {
        let store = self.writer()?;
        self.session_in(&store)?.ok_or_else(no_session)
    }

    /// The session to change in an open store; `None` where there is none yet.
    pub(crate) fn session_in(&self, store: &Store) -> Outcome<Option<SessionTree>> {
        if let Some(tree) = self.named(store)? {
            return Ok(Some(tree));
        }
        let sessions = store.sessions()?;
        match candidates(&sessions).as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(store.open_session(&only.id)?)),
            several => Err(Failure::usage(format!(
                "there are {} sessions: name the one to change with -s (an id, a unique prefix of one, or a name)",
                several.len()
            ))),
        }
    }

    /// Whether somebody named a session.
    pub(crate) fn names_a_session(&self) -> bool {
        self.session_text().is_some()
    }

    fn session_text(&self) -> Option<String> {
        match &self.common.session {
            Some(text) => Some(text.clone()),
            None => {
                variable("SESSION_TREE_SESSION").map(|text| text.to_string_lossy().into_owned())
            }
        }
    }

    /// The id of the session that was named.
    pub(crate) fn named_session(&self, store: &Store) -> Outcome<Option<SessionId>> {
        match self.session_text() {
            Some(text) => Ok(Some(store.find_session(&text)?)),
            None => Ok(None),
        }
    }

    fn named(&self, store: &Store) -> Outcome<Option<SessionTree>> {
        match self.named_session(store)? {
            Some(id) => Ok(Some(store.open_session(&id)?)),
            None => Ok(None),
        }
    }
}

/// Archived sessions are chosen by name only, unless there is nothing else.
fn candidates(sessions: &[SessionInfo]) -> Vec<&SessionInfo> {
    let live: Vec<_> = sessions
        .iter()
        .filter(|session| !session.is_archived)
        .collect();
    if live.is_empty() {
        sessions.iter().collect()
    } else {
        live
    }
}

fn titled(session: &SessionInfo) -> String {
    match &session.name {
        Some(name) => format!("{} \"{}\"", session.id, safe::shortened(name, 60)),
        None => session.id.to_string(),
    }
}

pub(crate) fn no_session() -> Failure {
    Failure::NotFound(String::from(
        "the store holds no session yet; make one with `session-tree new`, or import one",
    ))
}
