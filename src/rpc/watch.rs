//! Subscriptions: a thread of a connection looks for what happened, in whatever process, and tells the client.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::convert;
use super::output::{Output, send_event};
use super::types::events::TreeEvent;
use crate::model::change::Cursor;
use crate::model::{ErrorKind, Result, SessionId};
use crate::store::Store;
use crate::tree::SessionTree;

/// How long something that happened may go unseen.
const LOOK: Duration = Duration::from_millis(100);
/// Changes told in one event.
const PAGE: u32 = 100;

/// The thread, which ends when this is dropped.
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_over: bool,
    /// Subscriptions that there were so far.
    subscriptions: u64,
    sessions: HashMap<String, Watched>,
    all: Option<WatchedAll>,
}

impl State {
    fn number(&mut self) -> u64 {
        self.subscriptions += 1;
        self.subscriptions
    }
}

#[derive(Clone)]
struct WatchedAll {
    number: u64,
    cursors: HashMap<SessionId, Cursor>,
}

#[derive(Clone)]
struct Watched {
    /// Tells a subscription from a later one to the same session.
    number: u64,
    since: Cursor,
    /// `None`: it was not there yet.
    tree: Option<SessionTree>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    pub fn start(store: &Store, output: &Output) -> io::Result<Watch> {
        let shared = Arc::new(Shared::default());
        let watcher = Watcher {
            shared: Arc::clone(&shared),
            store: store.clone(),
            output: Arc::clone(output),
        };
        let thread = thread::Builder::new()
            .name("rpc-watch".to_owned())
            .spawn(move || watcher.run())?;
        Ok(Watch {
            shared,
            thread: Some(thread),
        })
    }

    /// Tells of a session from now on. It may be one that comes to be later.
    pub fn add(&self, session: &str, since: Cursor) {
        let mut state = self.shared.lock();
        let watched = Watched {
            number: state.number(),
            since,
            tree: None,
        };
        state.sessions.insert(session.to_owned(), watched);
        self.shared.changed.notify_all();
    }

    pub fn add_all(&self, cursors: Vec<(SessionId, Cursor)>) {
        let mut state = self.shared.lock();
        state.all = Some(WatchedAll {
            number: state.number(),
            cursors: cursors.into_iter().collect(),
        });
        self.shared.changed.notify_all();
    }

    /// No event of the subscription is put on its way after this.
    pub fn remove(&self, session: &str) {
        self.shared.lock().sessions.remove(session);
    }

    /// As [`remove`](Watch::remove).
    pub fn remove_all(&self) {
        self.shared.lock().all = None;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Watcher {
    shared: Arc<Shared>,
    store: Store,
    output: Output,
}

impl Watcher {
    fn run(&self) {
        loop {
            let (sessions, all) = {
                let state = self.shared.lock();
                if state.is_over || self.output.is_closed() {
                    return;
                }
                (state.sessions.clone(), state.all.clone())
            };
            // A look that fails, as while the file is locked, is made up for by the next.
            for (session, watched) in sessions {
                if let Ok(seen) = self.look_at(&session, watched.clone()) {
                    self.keep(&session, &watched, seen);
                }
            }
            if let Some(before) = all
                && let Ok(now) = self.look_at_all(&before)
                && let Some(slot) = &mut self.shared.lock().all
                && slot.number == before.number
            {
                slot.cursors = now;
            }
            let state = self.shared.lock();
            if state.is_over {
                return;
            }
            let waited = self.shared.changed.wait_timeout(state, LOOK);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Notes what was seen, unless the subscription was changed meanwhile.
    fn keep(&self, session: &str, before: &Watched, seen: Option<Watched>) {
        let mut state = self.shared.lock();
        let is_same = state
            .sessions
            .get(session)
            .is_some_and(|watched| watched.number == before.number);
        match seen {
            _ if !is_same => {}
            Some(seen) => drop(state.sessions.insert(session.to_owned(), seen)),
            None => drop(state.sessions.remove(session)),
        }
    }

    /// Tells what happened in a session; `None` where it was deleted.
    fn look_at(&self, session: &str, mut watched: Watched) -> Result<Option<Watched>> {
        let tree = match &watched.tree {
            Some(tree) => tree.clone(),
            None => match self.store.open_session(session) {
                Err(error) if error.kind() == ErrorKind::SessionNotFound => {
                    return Ok(Some(watched));
                }
                found => found?,
            },
        };
        watched.tree = Some(tree.clone());
        loop {
            let page = match tree.changes(Some(watched.since), PAGE) {
                Err(error) if error.kind() == ErrorKind::SessionNotFound => {
                    let event = TreeEvent::SessionDeleted {
                        session: session.to_owned(),
                    };
                    self.tell(session, watched.number, &event);
                    return Ok(None);
                }
                page => page?,
            };
            watched.since = page.cursor;
            if page.changes.is_empty() {
                return Ok(Some(watched));
            }
            let changes = page
                .changes
                .into_iter()
                .map(|change| convert::change(&tree, change))
                .collect::<Result<_>>()?;
            let event = TreeEvent::Changes {
                session: session.to_owned(),
                changes,
                cursor: page.cursor.to_string(),
            };
            if !self.tell(session, watched.number, &event) || !page.more {
                return Ok(Some(watched));
            }
        }
    }

    /// Puts an event of a subscription on its way, unless it is over. Returns whether to go on with it.
    ///
    /// The state is held meanwhile, so that a subscription does not end between the question and the event. Only the client,
    /// which takes from the output, can keep this waiting.
    fn tell(&self, session: &str, number: u64, event: &TreeEvent) -> bool {
        let state = self.shared.lock();
        let is_on = state
            .sessions
            .get(session)
            .is_some_and(|watched| watched.number == number);
        if is_on && !state.is_over {
            send_event(&self.output, event);
        }
        is_on && !state.is_over && !self.output.is_closed()
    }

    /// As [`tell`](Watcher::tell), of the subscription to all sessions.
    fn tell_of_all(&self, number: u64, event: &TreeEvent) {
        let state = self.shared.lock();
        let is_on = state.all.as_ref().is_some_and(|all| all.number == number);
        if is_on && !state.is_over {
            send_event(&self.output, event);
        }
    }

    fn look_at_all(&self, before: &WatchedAll) -> Result<HashMap<SessionId, Cursor>> {
        let now: HashMap<SessionId, Cursor> = self.store.cursors()?.into_iter().collect();
        for (session, cursor) in &now {
            if before.cursors.get(session) != Some(cursor) {
                let event = TreeEvent::SessionChanged {
                    session: session.to_string(),
                    cursor: cursor.to_string(),
                };
                self.tell_of_all(before.number, &event);
            }
        }
        let gone = before.cursors.keys();
        for session in gone.filter(|session| !now.contains_key(*session)) {
            let session = session.to_string();
            self.tell_of_all(before.number, &TreeEvent::SessionDeleted { session });
        }
        Ok(now)
    }
}
