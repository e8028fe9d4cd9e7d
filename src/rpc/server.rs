//! What the connections of one server share, and how one connection runs.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::connection::Connection;
use super::dispatch::handle;
use super::framing::{Incoming, read_all};
use super::options::Options;
use super::output::{Output, write_all};
use super::peer::{Peer, look_after};
use super::queue::Queue;
use crate::model::{Error, Result};
use crate::store::Store;

/// Requests that are read ahead of the one that is carried out, in bytes.
const REQUEST_BYTES: usize = 1024 * 1024;
/// Answers and events that wait for their client to read, in bytes.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// What the connections of one server share.
pub(super) struct Server {
    pub store: Store,
    pub options: Options,
    /// The store file as it stands in the paths of sessions.
    store_path: String,
    /// How many connections are on a session.
    in_use: Mutex<HashMap<String, usize>>,
}

impl Server {
    pub fn new(store: &Store, options: &Options) -> Arc<Server> {
        let path = store.path().unwrap_or(Path::new(":memory:"));
        let absolute = match store.path() {
            Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
            None => path.to_path_buf(),
        };
        Arc::new(Server {
            store: store.clone(),
            options: options.clone(),
            store_path: absolute.to_string_lossy().into_owned(),
            in_use: Mutex::new(HashMap::new()),
        })
    }

    /// The path by which clients of other programs name a session.
    pub fn session_path(&self, id: &str) -> String {
        format!("{}#{id}", self.store_path)
    }

    /// The session a path names; `None` for any path that does not lead into this store.
    pub fn session_of_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.store_path.as_str())?
            .strip_prefix('#')
    }

    pub fn is_in_use(&self, id: &str) -> bool {
        let in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.contains_key(id)
    }

    pub fn enter(self: &Arc<Server>, id: &str) -> InUse {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        *in_use.entry(id.to_owned()).or_insert(0) += 1;
        InUse {
            server: Arc::clone(self),
            id: id.to_owned(),
        }
    }

    /// Serves one client until its stream ends and all it asked for is answered. `closes` is what closes when the client goes
    /// away and can no longer be answered, where that can be told.
    pub fn run(
        self: &Arc<Server>,
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        closes: Option<impl AsFd + Send + 'static>,
    ) -> io::Result<()> {
        let line = Line {
            requests: Arc::new(Queue::new(REQUEST_BYTES)),
            output: Arc::new(Queue::new(ANSWER_BYTES)),
            peer: Peer::default(),
        };
        // Not waited for: it may stand in a read of a stream that its client never closes.
        let read = Arc::clone(&line.requests);
        thread::Builder::new()
            .name("rpc-read".to_owned())
            .spawn(move || read_all(reader, &read))?;
        let written = line.clone();
        let write = thread::Builder::new()
            .name("rpc-write".to_owned())
            .spawn(move || {
                write_all(writer, &written.output).inspect_err(|_| written.client_is_gone())
            })?;
        if let Some(closes) = closes {
            let watched = line.clone();
            look_after(closes, move || watched.client_is_gone());
        }

        let mut connection = Connection::new(self, &line.output, &line.peer);
        // Settles which session the connection is on. Where that fails, the first command that needs one says why.
        drop(connection.tree(None));
        while let Some(incoming) = line.requests.pop() {
            handle(&mut connection, incoming);
            // Who cannot be answered is not listened to.
            if line.output.is_closed() {
                break;
            }
        }
        line.requests.abandon();
        connection.finish();
        line.output.close();
        write
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the writing thread panicked")))
    }
}

/// Both ways to one client.
#[derive(Clone)]
struct Line {
    requests: Arc<Queue<Incoming>>,
    output: Output,
    peer: Peer,
}

impl Line {
    /// Nobody waits for an answer any more: what runs is aborted, and the connection ends after the command in hand.
    fn client_is_gone(&self) {
        self.peer.set_gone();
        self.output.abandon();
        self.requests.close();
    }
}

/// A connection is on a session as long as this lives.
pub(super) struct InUse {
    server: Arc<Server>,
    id: String,
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut in_use = self
            .server
            .in_use
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = in_use.get_mut(&self.id) {
            *count -= 1;
            if *count == 0 {
                in_use.remove(&self.id);
            }
        }
    }
}

/// Serves one client over a pair of streams, such as standard input and output, until the input ends. Everything that was
/// asked until then is finished and answered first.
///
/// ```
/// # fn main() -> session_tree::Result<()> {
/// use session_tree::{Message, Store, rpc};
///
/// let store = Store::builder().open_in_memory()?;
/// store.from_linear([Message::user("hi")], 1_700_000_000_000)?;
/// let (answers, output) = std::io::pipe().expect("the system has pipes");
/// let requests = &b"{\"id\":1,\"type\":\"linear_projection\"}\n"[..];
/// rpc::serve(requests, output, &store, &rpc::Options::default())?;
/// assert_eq!(
///     std::io::read_to_string(answers).expect("it is text"),
///     "{\"id\":1,\"type\":\"response\",\"command\":\"linear_projection\",\"success\":true,\
///      \"data\":{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}}\n"
/// );
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `Io` where the output fails, other than by its reader going away.
pub fn serve(
    reader: impl Read + Send + 'static,
    writer: impl Write + Send + 'static,
    store: &Store,
    options: &Options,
) -> Result<()> {
    served(Server::new(store, options).run(reader, writer, None::<OwnedFd>))
}

/// Serves one client over standard input and output, as [`serve`] does. Once the client has closed both, or does not read any
/// more, a navigation that runs for it is aborted.
///
/// # Errors
/// As [`serve`].
pub fn serve_stdio(store: &Store, options: &Options) -> Result<()> {
    let stdout = || io::stdout().as_fd().try_clone_to_owned();
    let run = || {
        // Standard output itself may be locked by the caller; the server writes from a thread of its own.
        let writer = std::fs::File::from(stdout()?);
        Server::new(store, options).run(io::stdin(), writer, Some(stdout()?))
    };
    served(run())
}

fn served(outcome: io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io("the answers cannot be written", error))
        }
        _ => Ok(()),
    }
}
