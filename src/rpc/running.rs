//! A program that is running and never outlives this process.

use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::summarizer::failed;
use crate::model::{Error, ErrorKind, Result};

/// How often a running program is looked after.
const LOOK: Duration = Duration::from_millis(10);
/// How often it is asked whether the summary was aborted, which reads the store.
const ASK: Duration = Duration::from_millis(50);

/// Waits for its input to end, which it does when this process ends, in whatever way, and kills its process group then.
const GUARD: &str = "while read -r _; do :; done; kill -KILL 0";

/// A program that is running, in the process group of a guard. It is killed with all it started when this is dropped, and by
/// the guard when this process is killed.
pub(super) struct Running {
    /// Leads the group, and is waited for last: no other process can have the group's number before.
    guard: Child,
    child: Child,
    is_over: bool,
}

impl Running {
    pub fn start(command: &[String]) -> Result<Running> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| failed("the summariser's command is empty"))?;
        let not_run = |program: &str, error: std::io::Error| {
            failed(format!("the summariser `{program}` cannot be run: {error}"))
        };
        let mut guard = Command::new("/bin/sh")
            .args(["-c", GUARD])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| not_run("/bin/sh", error))?;
        let started = i32::try_from(guard.id())
            .map_err(std::io::Error::other)
            .and_then(|group| {
                Command::new(program)
                    .args(arguments)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .process_group(group)
                    .spawn()
            });
        match started {
            Ok(child) => Ok(Running {
                guard,
                child,
                is_over: false,
            }),
            Err(error) => {
                drop(guard.kill());
                drop(guard.wait());
                Err(not_run(program, error))
            }
        }
    }

    pub fn streams(&mut self) -> Result<(ChildStdin, ChildStdout, ChildStderr)> {
        let streams = (
            self.child.stdin.take(),
            self.child.stdout.take(),
            self.child.stderr.take(),
        );
        match streams {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((stdin, stdout, stderr)),
            _ => Err(failed("the summariser has no streams")),
        }
    }

    pub fn wait(&mut self, timeout: Duration, is_aborted: &dyn Fn() -> bool) -> Result<ExitStatus> {
        let start = Instant::now();
        let mut asked = start;
        loop {
            if asked.elapsed() >= ASK {
                asked = Instant::now();
                if !is_aborted() {
                    continue;
                }
                return Err(Error::new(
                    ErrorKind::Cancelled,
                    "the summary was aborted; nothing was changed",
                ));
            }
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) => return Err(failed(format!("the summariser is lost: {error}"))),
            }
            if start.elapsed() >= timeout {
                return Err(failed(format!(
                    "the summariser took more than {} seconds and was stopped",
                    timeout.as_secs_f64()
                )));
            }
            thread::sleep(LOOK);
        }
    }

    pub fn kill(&mut self) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        if let Some(group) = i32::try_from(self.guard.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // The guard is of the group, so it fails only where that has been killed by one of its own.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        drop(self.child.wait());
        drop(self.guard.wait());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}
