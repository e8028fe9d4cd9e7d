//! A directory, a store in it, and the program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_session-tree");

pub struct Bench {
    directory: tempfile::TempDir,
}

/// What one run of the program left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("the program ended by itself"),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("errors are UTF-8"),
        }
    }
}

impl Ran {
    /// The answer of a run that must have gone well and had nothing else to say.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{self:?}");
        self.out
    }

    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).expect("one JSON document")
    }

    /// The error of a run that must have failed with this code, after one sentence and no answer.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (code, ""), "{self:?}");
        let lines: Vec<&str> = self.err.lines().collect();
        match lines.as_slice() {
            [line] => line
                .strip_prefix("error: ")
                .unwrap_or_else(|| panic!("no error: {self:?}"))
                .to_owned(),
            _ => panic!("not one sentence: {self:?}"),
        }
    }
}

impl Bench {
    pub fn new() -> Bench {
        Bench {
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path("store.db")
    }

    /// The program without anything of the tester's environment.
    pub fn bare(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .env_clear()
            .env("HOME", self.directory.path())
            .env("TMPDIR", self.directory.path())
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        command
    }

    /// The program on this bench's store.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bare();
        command.arg("--db").arg(self.store()).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments)
            .output()
            .expect("the program starts")
            .into()
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The program may end without reading it all.
        let _ = stdin.write_all(input);
        drop(stdin);
        child.wait_with_output().expect("the program ends").into()
    }

    /// Runs verbs that stand between bars, each of which must go well.
    #[track_caller]
    pub fn script(&self, script: &str) {
        for line in script.split('|') {
            let words: Vec<&str> = line.split_whitespace().collect();
            let ran = self.run(&words);
            assert_eq!(ran.code, 0, "{line}: {ran:?}");
        }
    }

    /// Changes the file from outside, as the sqlite3 shell would.
    pub fn sql(&self, sql: &str) {
        let conn = rusqlite::Connection::open(self.store()).expect("the store is a database");
        conn.execute_batch(sql).expect("the guards let it through");
    }
}

/// Every file below a directory with its bytes, for comparisons before and after.
pub fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let kind = std::fs::symlink_metadata(&path)
                .expect("its kind")
                .file_type();
            if kind.is_dir() {
                open.push(path.clone());
            }
            let bytes = match std::fs::symlink_metadata(&path) {
                // Of a file that is mostly a hole its length says enough.
                Ok(found) if found.len() > 100_000_000 => found.len().to_le_bytes().to_vec(),
                _ if kind.is_file() => std::fs::read(&path).expect("its bytes"),
                _ => Vec::new(),
            };
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}
