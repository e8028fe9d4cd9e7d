//! `demo`: a bundled session, and what can be done with it, as command lines that can be typed.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use serde::Serialize;

use super::Context;
use crate::cli::args::Arguments;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::safe;

/// Written for this demo, in the format of pi's session files.
const SESSION: &str = include_str!("../../../examples/demo-session.jsonl");
/// The id in its header.
const SESSION_ID: &str = "5f0c1e52-7d0b-4c7e-9d3a-2f6b8f1f7a10";
const FILE: &str = "demo-session.jsonl";

/// What the demo does after the import, with what is said about it.
const STEPS: &[(&str, &[&str])] = &[
    (
        "The tree as it was imported: an abandoned branch, labels, a title.",
        &["tree"],
    ),
    (
        "Back to before the last question. Nothing is lost: the old end keeps a name.",
        &["rewind", "a1000010"],
    ),
    (
        "The talk goes on from there.",
        &["append", "Print the plan as JSON too, for scripts."],
    ),
    (
        "",
        &[
            "append",
            "--role",
            "assistant",
            "`--dry-run --json` prints one object a file.",
        ],
    ),
    (
        "A branch at the fork, beside the others; the session is on it now.",
        &["branch", "a1000005"],
    ),
    ("", &["append", "What about a config file?"]),
    ("", &["label", "a1000005", "three ways from here"]),
    (
        "",
        &[
            "summarize",
            "main-rewound",
            "Prune should be split into plan and apply, as sync is.",
        ],
    ),
    ("The tree now.", &["tree"]),
    (
        "Two projections of it: what a model sees on each branch.",
        &["log", "--branch", "main", "--last", "6"],
    ),
    ("", &["log"]),
];

/// The same path, asked in SQL.
const QUERY: &str =
    "SELECT position, node_id, role, substr(preview, 1, 60) AS preview FROM active_path";

#[derive(Serialize)]
struct Command<'a> {
    command: &'a str,
}

pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let (store, source) = place(context)?;
    let store = std::path::absolute(&store).unwrap_or(store);
    context.point_at(store.clone(), None);
    let variable = format!(
        "export SESSION_TREE_DB={}",
        quoted(&store.to_string_lossy())
    );
    say(context, "", &variable)?;
    let source = source.to_string_lossy().into_owned();
    step(context, "", &["import", &source])?;
    let id = context.reader()?.find_session(SESSION_ID)?.to_string();
    context.point_at(store.clone(), Some(id.clone()));
    for (said, line) in STEPS {
        step(context, said, line)?;
    }
    let query = format!(
        "{QUERY} WHERE session_id = '{}' ORDER BY position",
        id.replace('\'', "''")
    );
    // Nothing in the query means something to a shell inside double quotes.
    let shell = format!(
        "sqlite3 -readonly -box {} \"{query}\"",
        quoted(&store.to_string_lossy())
    );
    say(
        context,
        "The same path in the sqlite3 shell; the store stays where it is:",
        &shell,
    )
}

/// A new directory for a new store, unless a file was named; and the bundled session beside the store as a file.
fn place(context: &Context) -> Outcome<(PathBuf, PathBuf)> {
    let failed =
        |error: std::io::Error| Failure::Io(format!("the demo cannot be written: {error}"));
    let directory = tempfile::Builder::new()
        .prefix("session-tree-demo-")
        .tempdir()
        .map_err(failed)?
        .keep();
    let source = directory.join(FILE);
    std::fs::File::create_new(&source)
        .and_then(|mut file| file.write_all(SESSION.as_bytes()))
        .map_err(failed)?;
    let store = context
        .named_file()
        .map_or_else(|| directory.join("demo.db"), Path::to_path_buf);
    Ok((store, source))
}

fn step(context: &mut Context, said: &str, line: &[&str]) -> Outcome<()> {
    let words: Vec<String> = line.iter().map(|word| quoted(word)).collect();
    say(context, said, &format!("session-tree {}", words.join(" ")))?;
    let arguments =
        Arguments::try_parse_from(std::iter::once("session-tree").chain(line.iter().copied()))
            .map_err(|error| Failure::usage(error.to_string()))?;
    super::run(context, arguments.verb)?;
    Ok(())
}

fn say(context: &mut Context, said: &str, command: &str) -> Outcome<()> {
    if context.out.json {
        return context.out.json(&Command { command });
    }
    if !said.is_empty() {
        context.out.line(format_args!("\n# {said}"))?;
    }
    context
        .out
        .line(format_args!("$ {}", safe::one_line(command)))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
