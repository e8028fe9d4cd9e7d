//! What the test modules share.

use std::path::PathBuf;

/// The folder of shared inputs with right answers, or `None` (printed) where it is not there.
pub fn shared(part: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("SESSION_TREE_SHARED") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let path = root.join(part);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: the shared inputs are not here ({part})");
    None
}

/// Whether the full counts were asked for (`ST_FULL=1`).
pub fn full() -> bool {
    std::env::var_os("ST_FULL").is_some_and(|value| value == "1")
}

/// Writes to a store as any program may: with the `sqlite3` shell. `false` (printed) where there is none.
pub fn sqlite3(path: &std::path::Path, sql: &str) -> bool {
    let shell = std::process::Command::new("sqlite3")
        .arg("-bail")
        .arg(path)
        .arg(format!("PRAGMA busy_timeout = 10000; {sql}"))
        .output();
    match shell {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "the shell refused: {errors}");
            true
        }
        Err(_) => {
            println!("skipped: no sqlite3 shell");
            false
        }
    }
}

/// A runner of drawn inputs. What is drawn is the same in every run, and other with each number in `ST_DRAW`: a failure can be
/// looked at again, and more inputs are a loop over numbers.
pub fn runner(cases: u32) -> proptest::test_runner::TestRunner {
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let number: u64 = match std::env::var("ST_DRAW") {
        Ok(number) => number.parse().expect("ST_DRAW is a number"),
        Err(_) => 0,
    };
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let mut config = Config::with_cases(cases);
    config.failure_persistence = None;
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}
