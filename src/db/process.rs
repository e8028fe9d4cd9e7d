//! This process as other processes see it, and whether another one still runs.

use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// What tells a process from every other, on this machine and after a restart. What `/proc` does not tell is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub boot_id: Option<String>,
    pub pid: u32,
    /// Start in clock ticks since the machine was started: a pid that was given again is not taken for the old process.
    pub start: Option<i64>,
    /// Inode of the PID namespace. Containers share a boot id, but not their pids.
    pub pid_space: Option<i64>,
}

/// This process. Read once; again in a child that was forked off.
static CURRENT: Mutex<Option<Arc<Process>>> = Mutex::new(None);

impl Process {
    pub(crate) fn current() -> Arc<Process> {
        let pid = std::process::id();
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Some(process) if process.pid == pid => Arc::clone(process),
            _ => {
                let process = Arc::new(Process {
                    boot_id: boot_id(),
                    pid,
                    start: stat(pid).map(|stat| stat.start),
                    pid_space: pid_space(),
                });
                *current = Some(Arc::clone(&process));
                process
            }
        }
    }

    /// Whether the process runs; `None` where that cannot be known from here.
    pub(crate) fn is_running(&self) -> Option<bool> {
        let here = Process::current();
        match (&self.boot_id, &here.boot_id) {
            (Some(its), Some(ours)) if its != ours => return Some(false),
            (Some(_), Some(_)) => {}
            _ => return None,
        }
        if self.pid_space.is_none() || self.pid_space != here.pid_space {
            return None;
        }
        match stat(self.pid) {
            // A zombie holds nothing any more, whether or not its parent has asked for it.
            Some(stat) => {
                Some(self.start == Some(stat.start) && !matches!(stat.state, b'Z' | b'X'))
            }
            // `/proc` can hide the processes of other users.
            None => match i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
                Some(pid) => match test_kill_process(pid) {
                    Err(Errno::SRCH) => Some(false),
                    _ => None,
                },
                None => Some(false),
            },
        }
    }
}

struct Stat {
    state: u8,
    start: i64,
}

/// Fields 3 and 22 of `/proc/<pid>/stat`. The second holds the program's name, which can have anything in it but ends at the
/// last closing parenthesis.
fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(text: &[u8]) -> Option<Stat> {
    let name_end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(text.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    Some(Stat {
        state,
        start: fields.nth(18)?.parse().ok()?,
    })
}

fn boot_id() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

fn pid_space() -> Option<i64> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    link.to_str()?
        .strip_prefix("pid:[")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_others_are_told_apart() {
        let ours = Process::current();
        assert_eq!(ours.is_running(), Some(true));
        let other = |change: fn(&mut Process)| {
            let mut process = Process::clone(&ours);
            change(&mut process);
            process.is_running()
        };
        assert_eq!(
            other(|it| it.start = Some(1)),
            Some(false),
            "a pid given again"
        );
        assert_eq!(
            other(|it| it.boot_id = Some("x".into())),
            Some(false),
            "before a restart"
        );
        assert_eq!(other(|it| it.pid = 0), Some(false));
        assert_eq!(other(|it| it.pid = u32::MAX), Some(false));
        assert_eq!(
            other(|it| it.pid_space = Some(1)),
            None,
            "in another container"
        );
        assert_eq!(other(|it| it.boot_id = None), None);
    }

    #[test]
    fn names_of_programs_do_not_confuse() {
        let fields: Vec<String> = (4..=52).map(|field| field.to_string()).collect();
        let line = format!("77 (a) Z 1 (b)) S {}\n", fields.join(" "));
        let stat = parse_stat(line.as_bytes()).unwrap();
        assert_eq!((stat.state, stat.start), (b'S', 22));
        assert!(parse_stat(b"77 (a) S 1").is_none() && parse_stat(b"").is_none());
    }
}
