//! A second process for the races: this test binary again, taking one command a line and answering each with one line. Both
//! sides wait for lines, so what happens before what is never a matter of time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use session_tree::{Message, NavigateOptions, Navigation, Result, SessionTree, Store, Turn};

const PATH: &str = "ST_OTHER_PROCESS";
const ACTOR: &str = "ST_OTHER_ACTOR";

/// Another process that has the same session open.
pub struct Other {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Other {
    /// Starts it. Its actor is `other`.
    pub fn start(path: &Path, tree: &SessionTree) -> Other {
        Other::named(path, tree, "other")
    }

    pub fn named(path: &Path, tree: &SessionTree, actor: &str) -> Other {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "process::other_process",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(PATH, path)
            .env(ACTOR, actor)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut other = Other {
            child,
            input,
            output,
        };
        assert_eq!(other.ask(&format!("open {}", tree.id())), "ok");
        other
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, command: &str) -> String {
        writeln!(self.input, "{command}").unwrap();
        self.answer()
    }

    pub fn send(&mut self, command: &str) {
        writeln!(self.input, "{command}").unwrap();
    }

    pub fn answer(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "the other process ended"
            );
            if let Some(answer) = line.trim_end().strip_prefix("=> ") {
                return answer.to_owned();
            }
        }
    }

    /// Kills it as the system would in want of memory. It stays a zombie: nobody has asked for its end yet.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        let stat = format!("/proc/{}/stat", self.child.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
    }

    /// Kills it and takes its pid out of the table.
    pub fn kill_and_bury(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a promise of its own: the body of the other process. Without the variable it has nothing to do.
#[test]
fn other_process() {
    let (Ok(path), Ok(actor)) = (std::env::var(PATH), std::env::var(ACTOR)) else {
        return;
    };
    let store = Store::builder().actor(actor).existing().open(path).unwrap();
    let mut tree = None;
    let mut turn = None;
    let mut navigation = None;
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        if command == "open" {
            tree = Some(store.open_session(rest).unwrap());
            answer("ok");
            continue;
        }
        let tree = tree.as_ref().unwrap();
        match perform(tree, &mut turn, &mut navigation, command, rest) {
            Ok(text) => answer(&text),
            Err(error) => answer(&format!("{}: {error}", error.kind().code())),
        }
    }
}

fn answer(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n=> {text}").unwrap();
    out.flush().unwrap();
}

fn perform(
    tree: &SessionTree,
    turn: &mut Option<Turn>,
    navigation: &mut Option<Navigation>,
    command: &str,
    rest: &str,
) -> Result<String> {
    let said = Message::assistant(rest);
    Ok(match (command, turn.as_ref()) {
        ("begin", _) => {
            *turn = Some(tree.begin_turn(None)?);
            String::from("ok")
        }
        ("end", Some(_)) => {
            turn.take().unwrap().end()?;
            String::from("ok")
        }
        ("append", Some(turn)) => turn.append_message(said, None)?.to_string(),
        ("append", None) => tree.append_message(said, None)?.to_string(),
        ("rewind", Some(turn)) => format!("{:?}", turn.rewind(rest, None)?),
        ("rewind", None) => format!("{:?}", tree.rewind(rest, None)?),
        ("fork", _) => tree.fork(Some(rest))?.id().to_string(),
        ("plan", _) => {
            *navigation = Some(tree.plan_navigation(rest, &NavigateOptions::default())?);
            String::from("ok")
        }
        ("commit", _) => {
            let done = navigation.take().unwrap().commit(None)?;
            format!("cancelled={} leaf={:?}", done.cancelled, done.leaf)
        }
        ("abort_navigation", _) => tree.abort_navigation()?.to_string(),
        ("release", _) => tree.release()?.to_string(),
        (unknown, _) => format!("unknown command {unknown}"),
    })
}
