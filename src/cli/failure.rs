//! What ends a verb early, and the one place that tells of it.

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;
use session_tree::{Error, ErrorKind};

use super::exit::Exit;
use super::output::json_line;
use super::safe;

pub(crate) type Outcome<T> = std::result::Result<T, Failure>;

#[derive(Debug)]
pub(crate) enum Failure {
    Store(Error),
    /// The command cannot be used as it was given: one sentence.
    Usage(String),
    /// Something is not there: one sentence.
    NotFound(String),
    /// The input or the output cannot be read or written: one sentence.
    Io(String),
    /// Whoever read the output has seen enough.
    ClosedPipe,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Store(error)
    }
}

#[derive(Serialize)]
struct Report<'a> {
    error: Told<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    kind: &'a str,
    message: &'a str,
    retryable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<&'a str>,
    exit_code: u8,
}

impl Failure {
    pub(crate) fn usage(sentence: impl Into<String>) -> Failure {
        Failure::Usage(sentence.into())
    }

    pub(crate) fn input(what: &str, error: &io::Error) -> Failure {
        Failure::Io(format!("{what} cannot be read: {error}"))
    }

    pub(crate) fn output(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Io(format!("the output cannot be written: {error}")),
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Failure::Store(error) => Exit::from(error.kind()),
            Failure::Usage(_) => Exit::Usage,
            Failure::NotFound(_) => Exit::NotFound,
            Failure::Io(_) => Exit::Io,
            Failure::ClosedPipe => Exit::Done,
        }
    }

    fn sentence(&self) -> String {
        let text = match self {
            Failure::Store(error) => error.to_string(),
            Failure::Usage(text) | Failure::NotFound(text) | Failure::Io(text) => text.clone(),
            Failure::ClosedPipe => String::new(),
        };
        safe::one_line(&text)
    }

    /// One sentence on stderr, or one JSON object; then the exit code.
    pub(crate) fn report(&self, as_json: bool) -> ExitCode {
        let exit = self.exit();
        if !matches!(self, Failure::ClosedPipe) {
            let sentence = self.sentence();
            let line = if as_json {
                json_line(&self.told(&sentence, exit)).unwrap_or(sentence)
            } else {
                format!("error: {sentence}")
            };
            // Nobody is left to be told where stderr cannot be written; the exit code says it.
            let _ = writeln!(io::stderr().lock(), "{line}");
        }
        exit.into()
    }

    fn told<'a>(&'a self, message: &'a str, exit: Exit) -> Report<'a> {
        let error = match self {
            Failure::Store(error) => Some(error),
            _ => None,
        };
        Report {
            error: Told {
                kind: match self {
                    Failure::Store(error) => error.kind().code(),
                    Failure::Usage(_) => "usage",
                    Failure::NotFound(_) => ErrorKind::SessionNotFound.code(),
                    Failure::Io(_) | Failure::ClosedPipe => ErrorKind::Io.code(),
                },
                message,
                retryable: error.is_some_and(Error::is_retryable),
                session: error.and_then(Error::session),
                node: error.and_then(Error::node),
                branch: error.and_then(Error::branch),
                actor: error.and_then(Error::actor),
                exit_code: exit as u8,
            },
        }
    }
}
