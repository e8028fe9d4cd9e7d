//! The peer's tree as an oracle.
//!
//! `oracle write SCRIPT SEQUENCES FIRST` writes random operations with the peer's answers, one JSON object a line; the test
//! `peer::` repeats them on the store and compares. A sequence depends on nothing but its number.
//!
//! `oracle read SCRIPT SNAPSHOTS` loads the store's snapshots with the peer and compares what it then says with what it said itself.
//!
//! Lines of a script: `{"start": {sequence, linear?, at}, "place"}` begins a sequence; `{"step": {op, ...}, "answer", "place",
//! "state"?, "after"?}` is one operation. An answer is `{"ok": value}` or `{"error": text}`; one that holds messages is
//! `{"answer", "messages"}` and names each by its place in the latter. `place` is where the tree is then, `state` everything
//! that can be asked of it. Messages stand as values without `supercode_turn` and `ts`.

mod apply;
mod generate;
mod message;
mod random;
mod read_back;
mod state;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["write", script, sequences, first] => write(script, sequences, first),
        ["read", script, snapshots] => read_back::read_back(script, snapshots),
        _ => {
            Err("usage: oracle write SCRIPT SEQUENCES FIRST | oracle read SCRIPT SNAPSHOTS".into())
        }
    };
    match done {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("oracle: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(script: &str, sequences: &str, first: &str) -> Result<String, Box<dyn Error>> {
    let (count, first): (u64, u64) = (sequences.parse()?, first.parse()?);
    let mut out = BufWriter::new(File::create(script)?);
    let mut lines = 0;
    for sequence in first..first.saturating_add(count) {
        for line in generate::sequence(sequence) {
            writeln!(out, "{line}")?;
            lines += 1;
        }
    }
    out.flush()?;
    Ok(format!("peer: {count} sequences, {lines} lines written"))
}
