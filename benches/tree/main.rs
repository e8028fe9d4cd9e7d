//! `cargo bench --bench tree`: what the operations of a tree cost, each beside the least that SQLite could do.
//!
//! `cargo bench --bench tree -- --quick` runs small sizes for a minute, to see that it works. Words select contests,
//! numbers sizes: `cargo bench --bench tree -- append-normal 1000 100000`. The files lie under the target directory; `ST_BENCH_DIR` names another place.

mod append;
mod contest;
mod files;
mod read;
#[cfg(feature = "rpc")]
mod rpc;

use contest::Length;
use files::{Bench, Sized};
use session_tree::Durability;

fn main() {
    let mut quick = false;
    let mut wanted: Vec<String> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => quick = true,
            word if word.starts_with("--") => {}
            word => match word.parse() {
                Ok(nodes) => sizes.push(nodes),
                Err(_) => wanted.push(word.to_owned()),
            },
        }
    }
    let runs =
        |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    if sizes.is_empty() {
        sizes = if quick {
            vec![1_000, 10_000]
        } else {
            vec![1_000, 100_000, 1_000_000]
        };
    }
    let rounds = |full: usize| if quick { (full / 20).max(3) } else { full };
    // Each burst has a message of each size.
    let writes = |full: usize| Length {
        rounds: rounds(full),
        burst: 16,
    };
    let bench = Bench::new();
    // Built once: those that read come first, and those that append go on from where the ones before them stopped.
    let sized: Vec<Sized> = sizes.iter().map(|nodes| bench.sized(*nodes)).collect();

    if runs("projection") {
        for one in &sized {
            let length = Length {
                rounds: rounds((2_000_000 / one.nodes).clamp(7, 200)),
                burst: 1,
            };
            read::projections(&bench, one, length);
        }
    }
    if runs("last-100") {
        read::last_hundred(&sized, writes(100));
    }
    if runs("append-full") {
        append::sizes(&bench, &sized, writes(200), Durability::Full);
    }
    if runs("append-normal") {
        append::sizes(&bench, &sized, writes(400), Durability::Normal);
    }
    if runs("append-interleaved") {
        append::interleaved(&bench, if quick { 100 } else { 1_000 }, writes(600));
    }
    if runs("rewind") {
        append::rewind(&sized, writes(150));
    }
    #[cfg(feature = "rpc")]
    if runs("rpc") {
        rpc::pages(&sized, writes(100));
        rpc::parts(&sized, writes(100));
        rpc::navigations(&sized, writes(400));
    }
}
