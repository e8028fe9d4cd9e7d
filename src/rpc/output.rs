//! What goes to a client: answers, each exactly once, and events.

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use super::failure::Failure;
use super::options::Dialect;
use super::queue::Queue;
use super::write::{self, Head};

/// The way to one client. Pushing waits while the client does not read and enough is queued.
pub(super) type Output = Arc<Queue<String>>;

/// Puts a line on its way. A client that is gone is nobody's failure: its commands are still carried out.
pub(super) fn send(output: &Output, line: String) {
    drop(output.push(line.len(), line));
}

pub(super) fn send_event(output: &Output, event: &impl Serialize) {
    if let Ok(json) = serde_json::to_string(event) {
        send(output, write::one_line(json));
    }
}

/// Writes what is queued until the queue is closed and empty, or writing fails; then nothing more is taken.
pub(super) fn write_all(mut stream: impl Write, queue: &Output) -> io::Result<()> {
    let mut run = || -> io::Result<()> {
        while let Some(line) = queue.pop() {
            stream.write_all(line.as_bytes())?;
            if queue.is_empty() {
                stream.flush()?;
            }
        }
        stream.flush()
    };
    let done = run();
    queue.abandon();
    done
}

/// How the texts of a command's failures are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    /// As they are.
    Plain,
    /// In the dialect dreb with `Command failed: ` before them.
    Prefixed,
}

/// The one answer to one request. Dropped without an answer, as a panic drops it, it answers that the server failed.
pub(super) struct Ticket {
    head: Head,
    prefixed: bool,
    output: Output,
    answered: bool,
}

impl Ticket {
    pub fn new(head: Head, texts: Texts, dialect: Dialect, output: &Output) -> Ticket {
        Ticket {
            head,
            prefixed: texts == Texts::Prefixed && dialect == Dialect::Dreb,
            output: Arc::clone(output),
            answered: false,
        }
    }

    pub fn answer<A: Data>(self, outcome: Result<A, Failure>) {
        match outcome.and_then(|answer| answer.data()) {
            Ok(data) => self.send(|head| write::success(head, data.as_deref())),
            Err(failure) => self.fail(failure),
        }
    }

    pub fn fail(self, mut failure: Failure) {
        if self.prefixed && !failure.is_exact {
            failure.text.insert_str(0, "Command failed: ");
        }
        self.send(|head| write::failure(head, &failure));
    }

    fn send(mut self, line: impl FnOnce(&Head) -> String) {
        self.answered = true;
        send(&self.output, line(&self.head));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.answered {
            let failure = Failure::internal("the command ended without an answer");
            send(&self.output, write::failure(&self.head, &failure));
        }
    }
}

/// What an answer carries as `data`, as JSON text.
pub(super) trait Data {
    fn data(&self) -> Result<Option<String>, Failure>;
}

impl<T: Serialize> Data for T {
    fn data(&self) -> Result<Option<String>, Failure> {
        serde_json::to_string(self)
            .map(Some)
            .map_err(Failure::internal)
    }
}

impl Data for super::types::answers::Nothing {
    fn data(&self) -> Result<Option<String>, Failure> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_command_that_panics_is_answered() {
        let output: Output = Arc::new(Queue::new(1000));
        let head = Head {
            id: Some("7".to_owned()),
            command: Some("\"x\"".to_owned()),
        };
        let ticket = Ticket::new(head, Texts::Prefixed, Dialect::Dreb, &output);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _ticket = ticket;
            panic!("a mistake");
        }));
        assert!(panicked.is_err());
        assert_eq!(
            output.pop().unwrap(),
            "{\"id\":7,\"type\":\"response\",\"command\":\"x\",\"success\":false,\"error\":\"the server made a mistake: \
             the command ended without an answer\",\"code\":\"internal\",\"retryable\":false}\n"
        );
    }
}
