//! Random operations against a plain model in memory: whatever is done, in whatever order, through two handles, with calls that
//! must fail and a reopen in the middle, the store answers as the model does.
//!
//! `cargo test` plays 500 sequences, `ST_FULL=1` plays 10,000. `ST_SEED=n` plays the one sequence that failed,
//! `ST_SEED=500..1000` a range of them.

mod compare;
mod dice;
mod play;
mod world;

use std::collections::BTreeMap;

use crate::support::full;
use play::Play;

/// How often each operation was done, and how often it was refused as foreseen.
type Statistics = BTreeMap<&'static str, (u64, u64)>;

fn range(text: &str) -> Option<std::ops::Range<u64>> {
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
        None => (text.parse().ok()?, text.parse::<u64>().ok()? + 1),
    };
    Some(from..to)
}

#[test]
fn the_store_answers_as_a_plain_model_does() {
    let seeds = match std::env::var("ST_SEED") {
        Ok(seeds) => range(&seeds).expect("ST_SEED is a number, or two as in 500..1000"),
        Err(_) => 0..if full() { 10_000 } else { 500 },
    };
    let mut statistics = Statistics::new();
    for seed in seeds.clone() {
        let mut play = Play::new(seed);
        play.run(&mut statistics);
    }
    let (mut done, mut refused) = (0, 0);
    for (operation, (times, failures)) in &statistics {
        println!("{operation:<24} {times:>8} times, {failures:>7} of them refused as foreseen");
        done += times;
        refused += failures;
    }
    println!(
        "{} sequences, {done} operations, {refused} refused as foreseen",
        seeds.end - seeds.start
    );
    if seeds.end - seeds.start >= 500 {
        assert!(
            done >= 50 * 500 && refused > done / 50,
            "the sequences are too tame to show anything"
        );
        assert!(
            statistics.values().all(|(times, _)| *times > 100),
            "an operation was hardly ever done"
        );
    }
}
