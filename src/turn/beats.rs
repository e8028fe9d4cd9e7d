//! Signs of life: one thread of the store gives them for all its turns and navigations.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::db::Db;
use crate::model::{Clock, Error, Result};
use crate::ops;

/// A sixth of the time after which a silent holder is taken for dead.
const INTERVAL: Duration = Duration::from_secs(5);

/// The guards this store holds, and the thread that beats for them. The thread starts with the first guard and ends with
/// the store.
#[derive(Default)]
pub(crate) struct Beats {
    shared: Arc<Shared>,
    thread: Mutex<Option<Beating>>,
}

struct Beating {
    thread: JoinHandle<()>,
    /// A child that was forked off has this value, but not the thread.
    pid: u32,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// Fencing numbers by session key.
    held: BTreeMap<i64, i64>,
    is_closing: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Beats {
    /// Sees to it that the thread runs. Called before a guard is taken: without the thread it would expire.
    pub(crate) fn start(&self, db: &Arc<Db>, clock: &Arc<dyn Clock>) -> Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        let (shared, db, clock) = (
            Arc::clone(&self.shared),
            Arc::downgrade(db),
            Arc::clone(clock),
        );
        let spawned = std::thread::Builder::new()
            .name(String::from("session-tree"))
            .spawn(move || run(&shared, &db, clock.as_ref()))
            .map_err(|error| {
                Error::io("the thread that keeps turns alive cannot be started", error)
            })?;
        *thread = Some(Beating {
            thread: spawned,
            pid: std::process::id(),
        });
        Ok(())
    }

    pub(crate) fn add(&self, session_key: i64, fence: i64) {
        self.shared.lock().held.insert(session_key, fence);
    }

    pub(crate) fn remove(&self, session_key: i64, fence: i64) {
        let mut state = self.shared.lock();
        if state.held.get(&session_key) == Some(&fence) {
            state.held.remove(&session_key);
        }
    }
}

impl Drop for Beats {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.wake.notify_all();
        let beating = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(beating) = beating.take()
            && beating.pid == std::process::id()
        {
            // Waiting for it keeps the promise that the file is closed when the store is dropped.
            let _ = beating.thread.join();
        }
    }
}

fn run(shared: &Shared, db: &Weak<Db>, clock: &dyn Clock) {
    let mut state = shared.lock();
    while !state.is_closing {
        let held = state.held.clone();
        if !held.is_empty() {
            drop(state);
            let Some(db) = db.upgrade() else {
                return;
            };
            // A beat that fails is made up for by the next: five can be missed before the guard expires.
            let _ = db.write(|tx| ops::beat(tx, held.into_iter(), clock.boot_ms()));
            drop(db);
            state = shared.lock();
            if state.is_closing {
                return;
            }
        }
        state = shared
            .wake
            .wait_timeout(state, INTERVAL)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}
