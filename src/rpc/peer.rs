//! Whether the client at the other end can still be answered.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};

/// Whether a client has gone: not one that has only closed its half of the stream, which can still read.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer(Arc<AtomicBool>);

impl Peer {
    pub fn is_gone(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub fn set_gone(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Calls `gone` once the other end of this stream, to which answers are written, is closed altogether. A file or a terminal
/// has no end that closes. The thread ends then, or with the process.
pub(super) fn look_after(stream: impl AsFd + Send + 'static, gone: impl FnOnce() + Send + 'static) {
    let run = move || loop {
        // With nothing asked for, only errors and hang-ups are told.
        let mut watched = [PollFd::new(&stream, PollFlags::empty())];
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
            Ok(_) => return gone(),
        }
    };
    // Where no thread can be had, the first answer that cannot be written says the same.
    drop(
        thread::Builder::new()
            .name("rpc-peer".to_owned())
            .spawn(run),
    );
}
