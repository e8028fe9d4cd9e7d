//! The program that writes summaries: a request as JSON on its input, the text on its output.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::peer::Peer;
use super::running::Running;
use crate::model::{BranchSummarizer, Error, ErrorKind, Result};
use crate::navigation::{NavigationSummarizer, SummaryRequest};

/// The longest summary that is taken.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What the program reads.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Order<'a> {
    /// The branch, one line a message as `role: content`.
    pub text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<&'a str>,
    pub replace_instructions: bool,
}

/// The program, for one summary.
#[derive(Clone, Debug)]
pub(super) struct CommandSummarizer {
    pub command: Vec<String>,
    pub timeout: Duration,
    /// Who waits for the summary: once nobody does, it is aborted.
    pub peer: Peer,
}

/// The program, for what a navigation leaves behind. Another thread, client or process can abort it.
pub(super) struct ForNavigation(pub CommandSummarizer);

impl NavigationSummarizer for ForNavigation {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String> {
        let order = Order {
            text: request.branch_text,
            custom_instructions: request.instructions,
            replace_instructions: request.replace_instructions,
        };
        self.0.run(&order, &|| request.abort.is_aborted())
    }

    fn model_id(&self) -> &str {
        BranchSummarizer::model_id(&self.0)
    }
}

impl BranchSummarizer for CommandSummarizer {
    fn summarize(&self, branch_text: &str) -> Result<String> {
        let order = Order {
            text: branch_text,
            custom_instructions: None,
            replace_instructions: false,
        };
        self.run(&order, &|| false)
    }

    /// The program's name; what model it asks is its own business.
    fn model_id(&self) -> &str {
        let program = self.command.first().map_or("", String::as_str);
        let name = Path::new(program).file_name();
        name.and_then(|name| name.to_str()).unwrap_or(program)
    }
}

impl CommandSummarizer {
    /// Runs the program.
    ///
    /// # Errors
    /// `Cancelled` where it was aborted; `SummarizerFailed`.
    fn run(&self, order: &Order<'_>, is_aborted: &dyn Fn() -> bool) -> Result<String> {
        let request = serde_json::to_vec(order).map_err(|error| failed(error.to_string()))?;
        let mut running = Running::start(&self.command)?;
        let (stdin, stdout, stderr) = running.streams()?;
        // Its end of the pipe may be closed, or never read: neither says that the summary fails.
        thread::spawn(move || {
            let mut stdin = stdin;
            drop(stdin.write_all(&request));
        });
        let text = read_in_thread(stdout);
        let complaint = read_in_thread(stderr);
        let is_over = || self.peer.is_gone() || is_aborted();
        let status = running.wait(self.timeout, &is_over)?;
        // What it left running would hold the pipes open.
        running.kill();
        let text = received(&text)?;
        if !status.success() {
            let complaint = received(&complaint).unwrap_or_default();
            let last = complaint.lines().last().unwrap_or_default().trim();
            let text = if last.is_empty() {
                format!("the summariser ended with {status}")
            } else {
                format!("the summariser ended with {status}: {last}")
            };
            return Err(failed(text));
        }
        if text.len() as u64 > LONGEST {
            return Err(failed(format!(
                "the summariser wrote more than {LONGEST} bytes"
            )));
        }
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }
}

pub(super) fn failed(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::SummarizerFailed, text)
}

fn read_in_thread(stream: impl Read + Send + 'static) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.take(LONGEST + 1).read_to_end(&mut bytes);
        drop(sender.send(read.map(|_| bytes)));
    });
    receiver
}

fn received(from: &mpsc::Receiver<io::Result<Vec<u8>>>) -> Result<String> {
    let bytes = from
        .recv_timeout(Duration::from_secs(5))
        .map_err(|_| failed("the summariser ended, but its output did not"))?
        .map_err(|error| failed(format!("the summariser's output cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| failed("the summariser's output is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summarizer(script: &str) -> CommandSummarizer {
        CommandSummarizer {
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            timeout: Duration::from_secs(60),
            peer: Peer::default(),
        }
    }

    fn summary(summarizer: &CommandSummarizer, text: &str) -> Result<String> {
        BranchSummarizer::summarize(summarizer, text)
    }

    #[test]
    fn the_request_is_json_and_the_text_comes_back() {
        let text = summary(&summarizer("cat"), "user: hi\n").unwrap();
        assert_eq!(text, r#"{"text":"user: hi\n","replaceInstructions":false}"#);
        assert_eq!(BranchSummarizer::model_id(&summarizer("")), "sh");
    }

    #[test]
    fn a_program_that_fails_hangs_or_is_missing_is_an_error() {
        let failing = summarizer("echo first >&2; echo no model >&2; exit 3");
        let error = summary(&failing, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SummarizerFailed);
        assert!(error.to_string().ends_with(": no model"), "{error}");

        let mut hanging = summarizer("sleep 1000");
        hanging.timeout = Duration::from_millis(50);
        let error = summary(&hanging, "").unwrap_err();
        assert!(error.to_string().contains("was stopped"), "{error}");

        let mut missing = summarizer("");
        missing.command = vec!["/nonexistent/summarizer".to_owned()];
        assert_eq!(
            summary(&missing, "").unwrap_err().kind(),
            ErrorKind::SummarizerFailed
        );
    }

    #[test]
    fn what_it_started_dies_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pid");
        let script = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
        let mut hanging = summarizer(&script);
        hanging.timeout = Duration::from_millis(300);
        summary(&hanging, "").unwrap_err();
        let started = std::fs::read_to_string(&file).unwrap();
        let is_running = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", started.trim()));
            // A dead one may wait for its new parent to take note.
            stat.is_ok_and(|stat| stat.contains("(sleep)") && !stat.contains(") Z "))
        };
        // Without the signal this would not end before the sleep does.
        while is_running() {
            thread::yield_now();
        }
        // A child that lives on does not hold up a summary that is done.
        let leaving = summarizer("sleep 1000 & echo done");
        assert_eq!(summary(&leaving, "").unwrap(), "done");
    }

    /// A summary that nobody can be told is not paid for to its end.
    #[test]
    fn it_ends_with_who_waits_for_it() {
        let waiting = summarizer("sleep 1000");
        waiting.peer.set_gone();
        let error = summary(&waiting, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn an_abort_ends_it() {
        let order = Order {
            text: "",
            custom_instructions: None,
            replace_instructions: true,
        };
        let asked = std::cell::Cell::new(0);
        let error = summarizer("sleep 1000").run(&order, &|| asked.replace(asked.get() + 1) == 2);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(asked.get(), 3);
    }
}
