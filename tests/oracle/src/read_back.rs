//! The store's snapshots, as the peer reads them.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use serde_json::Value;
use supercode_interchange::session_tree::SessionTree;

use crate::state::{after, state};

/// The snapshots are JSON strings, one a line: one for each line of the script that holds a state, in that order.
pub fn read_back(script: &str, snapshots: &str) -> Result<String, Box<dyn Error>> {
    let mut snapshots = BufReader::new(File::open(snapshots)?).lines();
    let (mut read, mut sequence, mut step) = (0, 0, 0);
    for line in BufReader::new(File::open(script)?).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        if let Some(number) = line["start"]["sequence"].as_u64() {
            (sequence, step) = (number, 0);
            continue;
        }
        step += 1;
        if line["state"].is_null() {
            continue;
        }
        let about = format!("sequence {sequence}, step {step}");
        let snapshot = snapshots
            .next()
            .ok_or(format!("{about}: there is no snapshot"))??;
        let text: String = serde_json::from_str(&snapshot)?;
        let tree: SessionTree = serde_json::from_str(&text)
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
