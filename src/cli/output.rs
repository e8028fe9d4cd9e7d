//! Standard output: one locked buffer, flushed before the program ends, with a closed pipe as a quiet end.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;

use super::failure::{Failure, Outcome};

pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    /// What a writer from outside met.
    failed: Option<io::Error>,
    /// Answers are JSON.
    pub(crate) json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output {
            out: BufWriter::with_capacity(64 * 1024, io::stdout().lock()),
            failed: None,
            json,
        }
    }

    /// A line of text. Whatever came from a store must have gone through [`safe`](super::safe).
    pub(crate) fn line(&mut self, text: impl fmt::Display) -> Outcome<()> {
        writeln!(self.out, "{text}").map_err(Failure::output)
    }

    /// Text that brings its own line ends.
    pub(crate) fn text(&mut self, text: &str) -> Outcome<()> {
        self.out.write_all(text.as_bytes()).map_err(Failure::output)
    }

    /// One JSON document on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Outcome<()> {
        let line = json_line(value)?;
        self.line(line)
    }

    /// The answer of a verb that says one thing: as JSON, or as the line for people.
    pub(crate) fn answer(
        &mut self,
        value: &impl Serialize,
        line: impl fmt::Display,
    ) -> Outcome<()> {
        if self.json {
            self.json(value)
        } else {
            self.line(line)
        }
    }

    /// Fails as a writer from outside has failed.
    pub(crate) fn take_failure(&mut self) -> Outcome<()> {
        match self.failed.take() {
            Some(error) => Err(Failure::output(error)),
            None => Ok(()),
        }
    }

    fn keep(&mut self, error: io::Error) -> io::Error {
        let told = io::Error::from(error.kind());
        if error.kind() != io::ErrorKind::Interrupted {
            self.failed = Some(error);
        }
        told
    }

    pub(crate) fn finish(&mut self) -> Outcome<()> {
        self.out.flush().map_err(Failure::output)
    }
}

/// For what writes by itself. It is told of a failure; what the failure was is kept for [`Output::take_failure`].
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| self.keep(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| self.keep(error))
    }
}

/// JSON on one line for every reader: U+2028, U+2029 and U+0085 can stand only in strings, and are escaped there.
pub(crate) fn json_line(value: &impl Serialize) -> Outcome<String> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::Io(format!("the answer cannot be written as JSON: {error}")))?;
    if text.contains(['\u{2028}', '\u{2029}', '\u{85}']) {
        return Ok(text
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029")
            .replace('\u{85}', "\\u0085"));
    }
    Ok(text)
}
