//! The store's snapshots, as the peer reads them.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use serde_json::Value;
use supercode_interchange::session_tree::SessionTree;

use crate::state::{after, state};

/// Each line is `{sequence, snapshot, state, after}`: a text, and the peer's own answers at that point.
pub fn read_back(snapshots: &str) -> Result<String, Box<dyn Error>> {
    let mut read = 0;
    for line in BufReader::new(File::open(snapshots)?).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let about = format!("sequence {}", line["sequence"]);
        let text = line["snapshot"].as_str().ok_or("no snapshot in the line")?;
        let tree: SessionTree = serde_json::from_str(text)
            .map_err(|error| format!("{about}: the peer refuses the snapshot: {error}"))?;
        for (reads, said) in [
            (state(&tree), &line["state"]),
            (after(&tree), &line["after"]),
        ] {
            if reads != *said {
                return Err(
                    format!("{about}: the peer reads\n{reads}\nand had said\n{said}").into(),
                );
            }
        }
        read += 1;
    }
    match read {
        0 => Err("there is no snapshot to read".into()),
        _ => Ok(format!("peer: {read} snapshots of the store read")),
    }
}
