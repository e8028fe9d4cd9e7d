//! Many clients over a socket in the file system.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::failure::Failure;
use super::options::Options;
use super::server::Server;
use super::write::{self, Head};
use crate::model::{Error, ErrorKind, Result};
use crate::store::Store;

/// Clients that are served at once; one more is turned away.
const MOST_CLIENTS: usize = 256;

/// Serves any number of clients over a Unix socket that only its owner can open (mode 0600), each on a connection of its own,
/// until the process ends. A socket that a server left behind is replaced; one that is served is not.
///
/// # Errors
/// `Io` where the socket cannot be made; `Busy` where another server serves it.
pub fn listen(socket: &Path, store: &Store, options: &Options) -> Result<()> {
    let listener = bind(socket)?;
    let server = Server::new(store, options);
    let clients = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A client that went away before it was let in is no reason to stop; a table of files that is full empties again.
        let Ok(stream) = stream else {
            thread::sleep(std::time::Duration::from_millis(10));
            continue;
        };
        if clients.fetch_add(1, Ordering::SeqCst) >= MOST_CLIENTS {
            clients.fetch_sub(1, Ordering::SeqCst);
            turn_away(&stream);
            continue;
        }
        let place = Place(Arc::clone(&clients));
        let server = Arc::clone(&server);
        // Where no thread can be had, the client is turned away as its stream is dropped.
        drop(
            thread::Builder::new()
                .name("rpc-client".to_owned())
                .spawn(move || serve_client(&server, stream, &place)),
        );
    }
    Ok(())
}

/// Says why, as far as that can be said without waiting.
fn turn_away(mut stream: &UnixStream) {
    let text =
        format!("the server has {MOST_CLIENTS} clients, and serves no more; try again later");
    let line = write::failure(&Head::default(), &Failure::of(ErrorKind::Busy, text));
    if stream.set_nonblocking(true).is_ok() {
        drop(stream.write_all(line.as_bytes()));
    }
}

/// A place among the clients.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn serve_client(server: &Arc<Server>, stream: UnixStream, _: &Place) {
    let stream = Shared(Arc::new(stream));
    let closes = Arc::clone(&stream.0);
    // A client that goes away ends its own connection and nothing else.
    drop(server.run(stream.clone(), stream.clone(), Some(closes)));
    // The reading thread may still stand in a read, and the one that watches in its wait.
    drop(stream.0.shutdown(std::net::Shutdown::Both));
}

/// A stream that several threads use. Duplicates would use up the table of files, of which a client is to need one place.
#[derive(Clone)]
struct Shared(Arc<UnixStream>);

impl Read for Shared {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(bytes)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.0).flush()
    }
}

/// Makes the socket in a directory that nobody else can enter and moves it into place with its mode set, so that there is no
/// moment in which others can connect.
fn bind(socket: &Path) -> Result<UnixListener> {
    let failed = |error: io::Error| {
        Error::io(
            format!("the socket `{}` cannot be made", socket.display()),
            error,
        )
    };
    if SocketAddr::from_pathname(socket).is_err() {
        return Err(Error::invalid(format!(
            "the path `{}` is too long for a socket, or none; give a shorter one, of at most some 100 bytes",
            socket.display()
        )));
    }
    if let Ok(found) = fs::symlink_metadata(socket) {
        if !found.file_type().is_socket() {
            return Err(Error::invalid(format!(
                "`{}` is there already and is no socket",
                socket.display()
            )));
        }
        if UnixStream::connect(socket).is_ok() {
            return Err(Error::new(
                ErrorKind::Busy,
                format!("another server listens on `{}`", socket.display()),
            ));
        }
    }
    let parent = match socket.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let private = tempfile::Builder::new()
        .prefix(".rpc")
        .tempdir_in(parent)
        .map_err(failed)?;
    let made = private.path().join("s");
    let listener = bind_in(private.path(), &made).map_err(failed)?;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    fs::rename(&made, socket).map_err(failed)?;
    Ok(listener)
}

/// Binds `made`, the file `s` in this directory. Its path may be longer than a socket's can be where the one that it gets in
/// the end is not: the directory goes by its number then.
fn bind_in(directory: &Path, made: &Path) -> io::Result<UnixListener> {
    if SocketAddr::from_pathname(made).is_ok() {
        return UnixListener::bind(made);
    }
    let opened = fs::File::open(directory)?;
    UnixListener::bind(format!("/proc/self/fd/{}/s", opened.as_raw_fd()))
}
