//! What a connection holds: the session it is on, and what it began and must end.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::failure::Failure;
use super::mover::Mover;
use super::options::Dialect;
use super::output::Output;
use super::peer::Peer;
use super::server::{InUse, Server};
use super::summarizer::CommandSummarizer;
use super::watch::Watch;
use crate::model::change::Cursor;
use crate::model::{ErrorKind, GuardKind, NewSession, Result, SessionId};
use crate::navigation::Navigation;
use crate::store::Store;
use crate::tree::SessionTree;
use crate::turn::Turn;

/// One client's place in the server.
pub(super) struct Connection {
    pub server: Arc<Server>,
    pub output: Output,
    pub peer: Peer,
    /// The store, as this client works in it.
    pub store: Store,
    current: Option<Current>,
    /// By session.
    turns: HashMap<String, Turn>,
    /// By session.
    pub plans: HashMap<String, Navigation>,
    /// Commands that are carried out in threads of their own.
    flights: Vec<JoinHandle<()>>,
    watch: Option<Watch>,
}

/// What a connection is to be told of.
pub(super) enum ToWatch {
    Session(String, Cursor),
    All(Vec<(SessionId, Cursor)>),
}

/// The session a connection is on.
struct Current {
    tree: SessionTree,
    /// It is in memory and empty, and stands for one that the store will have once something is written to it.
    is_pending: bool,
    _in_use: InUse,
}

impl Connection {
    pub fn new(server: &Arc<Server>, output: &Output, peer: &Peer) -> Connection {
        Connection {
            server: Arc::clone(server),
            output: Arc::clone(output),
            peer: peer.clone(),
            store: server.store.clone(),
            current: None,
            turns: HashMap::new(),
            plans: HashMap::new(),
            flights: Vec::new(),
            watch: None,
        }
    }

    pub fn dialect(&self) -> Dialect {
        self.server.options.dialect
    }

    /// Ends what the connection began.
    pub fn finish(&mut self) {
        for flight in self.flights.drain(..) {
            // One that panicked has answered that on its way out.
            let _ = flight.join();
        }
        self.watch = None;
        self.plans.clear();
        self.turns.clear();
        self.current = None;
    }

    /// Gives the client a name. What it has begun stays under the old one.
    pub fn act_as(&mut self, client: &str) -> Result<(), Failure> {
        self.store = self.server.store.acting_as(client);
        if let Some(current) = &mut self.current
            && !current.is_pending
        {
            current.tree = self.store.open_session(current.tree.id())?;
        }
        Ok(())
    }

    /// By which right the connection moves in the session of a request.
    pub fn mover(&mut self, session: Option<&str>) -> Result<Mover<'_>, Failure> {
        let tree = self.tree_to_change(session)?;
        Ok(match self.turns.get(tree.id().as_str()) {
            Some(turn) => Mover::Turn(turn),
            None => Mover::Anybody(tree),
        })
    }

    pub fn hold(&mut self, turn: Turn) {
        self.turns.insert(turn.tree().id().to_string(), turn);
    }

    pub fn let_go(&mut self, tree: &SessionTree) -> Option<Turn> {
        self.turns.remove(tree.id().as_str())
    }

    /// Whether anyone is in a turn, and in a navigation.
    pub fn who_is_in(&self, tree: &SessionTree) -> Result<(bool, bool)> {
        let holder = tree.who()?.filter(|holder| holder.is_alive);
        let is_in = |kind| holder.as_ref().is_some_and(|holder| holder.kind == kind);
        Ok((is_in(GuardKind::Turn), is_in(GuardKind::Navigation)))
    }

    pub fn summarizer(&self) -> Result<CommandSummarizer, Failure> {
        let options = &self.server.options;
        match &options.summarizer {
            Some(command) => Ok(CommandSummarizer {
                command: command.clone(),
                timeout: options.summarizer_timeout,
                peer: self.peer.clone(),
            }),
            None => Err(no_summarizer()),
        }
    }

    /// The connection does not end before this thread.
    pub fn wait_at_the_end(&mut self, flight: JoinHandle<()>) {
        self.flights.retain(|flight| !flight.is_finished());
        self.flights.push(flight);
    }

    /// What can fail of watching.
    pub fn be_ready_to_watch(&mut self) -> Result<(), Failure> {
        if self.watch.is_none() {
            let watch = Watch::start(&self.store, &self.output)
                .map_err(|error| Failure::internal(format!("no thread can be had: {error}")))?;
            self.watch = Some(watch);
        }
        Ok(())
    }

    pub fn watch(&self, what: ToWatch) {
        match (&self.watch, what) {
            (Some(watch), ToWatch::Session(session, since)) => watch.add(&session, since),
            (Some(watch), ToWatch::All(cursors)) => watch.add_all(cursors),
            (None, _) => {}
        }
    }

    pub fn unwatch(&self, session: &str) {
        if let Some(watch) = &self.watch {
            watch.remove(session);
        }
    }

    pub fn unwatch_all(&self) {
        if let Some(watch) = &self.watch {
            watch.remove_all();
        }
    }

    /// The failure of a move that only somebody outside a turn can make, put so for a connection whose own turn is in its way.
    pub fn outside_its_turn<T>(
        &self,
        tree: &SessionTree,
        command: &str,
        outcome: crate::model::Result<T>,
    ) -> Result<T, Failure> {
        outcome.map_err(|error| {
            let is_own = error.busy_with() == Some(GuardKind::Turn)
                && self.turns.contains_key(tree.id().as_str());
            if !is_own {
                return error.into();
            }
            let text = format!(
                "`{command}` cannot be part of a turn, and this connection is in one in session `{}`; end the turn first",
                tree.id()
            );
            // Waiting does not end the client's own turn.
            Failure {
                retryable: false,
                ..Failure::of(ErrorKind::Busy, text)
            }
        })
    }

    /// The session of a request, to look at.
    pub fn tree(&mut self, session: Option<&str>) -> Result<SessionTree, Failure> {
        match session {
            None => Ok(self.current()?.tree.clone()),
            Some(text) => {
                let id = self.server.session_of_path(text).unwrap_or(text);
                match &self.current {
                    Some(current) if *current.tree.id() == *id => Ok(current.tree.clone()),
                    _ => Ok(self.store.open_session(id)?),
                }
            }
        }
    }

    /// The session of a request, to change. One that was only there in name comes to be.
    pub fn tree_to_change(&mut self, session: Option<&str>) -> Result<SessionTree, Failure> {
        let tree = self.tree(session)?;
        if !self.is_pending(&tree) {
            return Ok(tree);
        }
        let new = new_session().id(tree.id().as_str());
        let made = self.store.create_session_with(&new)?;
        self.enter(made.clone());
        Ok(made)
    }

    /// Whether it is a session that comes to be with the first thing written to it.
    pub fn is_pending(&self, tree: &SessionTree) -> bool {
        self.current
            .as_ref()
            .is_some_and(|current| current.is_pending && current.tree.id() == tree.id())
    }

    /// Makes a session the current one.
    pub fn enter(&mut self, tree: SessionTree) {
        let in_use = self.server.enter(tree.id());
        self.current = Some(Current {
            tree,
            is_pending: false,
            _in_use: in_use,
        });
    }

    fn current(&mut self) -> Result<&Current, Failure> {
        if self.current.is_none() {
            let (tree, is_pending) = self.first_session()?;
            let in_use = self.server.enter(tree.id());
            self.current = Some(Current {
                tree,
                is_pending,
                _in_use: in_use,
            });
        }
        self.current
            .as_ref()
            .ok_or_else(|| Failure::internal("no session is current"))
    }

    fn first_session(&self) -> Result<(SessionTree, bool)> {
        let store = &self.store;
        if let Some(id) = &self.server.options.session {
            return Ok((store.open_session(id)?, false));
        }
        let newest = store
            .sessions()?
            .into_iter()
            .find(|session| !session.is_archived);
        match newest {
            Some(newest) => Ok((store.open_session(&newest.id)?, false)),
            None => Ok((stand_in(new_session())?, true)),
        }
    }
}

/// The text of the original, whose summariser is a model.
fn no_summarizer() -> Failure {
    Failure::of(
        ErrorKind::SummarizerFailed,
        "No model available for summarization",
    )
}

fn stand_in(new: NewSession) -> Result<SessionTree> {
    Store::builder().open_in_memory()?.create_session_with(&new)
}

/// A session in the server's working directory.
pub(super) fn new_session() -> NewSession {
    match working_directory() {
        Some(cwd) => NewSession::new().cwd(cwd),
        None => NewSession::new(),
    }
}

pub(super) fn working_directory() -> Option<String> {
    let directory = std::env::current_dir().ok()?;
    directory.to_str().map(str::to_owned)
}
