//! `cargo bench --bench tree`: what the operations of a tree cost, each beside the least that SQLite could do.
//!
//! `cargo bench --bench tree -- --quick` runs small sizes for a minute, to see that it works. A word selects contests:
//! `cargo bench --bench tree -- append`. The files lie under the target directory; `ST_BENCH_DIR` names another place.

mod append;
mod contest;
mod files;
mod read;

use contest::Length;
use files::Bench;
use session_tree::Durability;

fn main() {
    let mut quick = false;
    let mut wanted: Vec<String> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => quick = true,
            word if word.starts_with("--") => {}
            word => wanted.push(word.to_owned()),
        }
    }
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    let sizes: &[usize] = if quick { &[1_000, 10_000] } else { &[1_000, 100_000, 1_000_000] };
    let rounds = |full: usize| if quick { (full / 20).max(3) } else { full };
    let writes = |full: usize| Length {
        rounds: rounds(full),
        burst: 5,
    };
    let bench = Bench::new();

    if runs("append-full") {
        let stores = append::stores(&bench, "append-full", sizes);
        append::sizes(&bench, &stores, writes(600), Durability::Full);
    }
    if runs("append-normal") {
        let stores = append::stores(&bench, "append-normal", sizes);
        append::sizes(&bench, &stores, writes(1_000), Durability::Normal);
    }
    if runs("append-interleaved") {
        append::interleaved(&bench, if quick { 100 } else { 1_000 }, writes(2_000));
    }
    if runs("rewind") {
        let stores = append::stores(&bench, "rewind", sizes);
        append::rewind(&bench, &stores, writes(400));
    }
    if runs("projection") {
        for nodes in sizes {
            let length = Length {
                rounds: rounds((2_000_000 / nodes).clamp(7, 200)),
                burst: 1,
            };
            read::projections(&bench, *nodes, length);
        }
    }
    if runs("last-100") {
        let stores = append::stores(&bench, "last-100", sizes);
        read::last_hundred(&bench, &stores, writes(300));
    }
}
