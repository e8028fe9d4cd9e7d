//! Reading a path, beside a bare sequential scan of the same payloads into strings.

use std::path::Path;

use rusqlite::Connection;
use session_tree::{Durability, Message, Selection, SessionTree};

use crate::contest::{Contestant, Length, Outcome, contest};
use crate::files::{Bench, Shape, Sized, floor_connection, open, payload, session_name, settings};

fn tree(path: &Path) -> SessionTree {
    open(path, Durability::Full)
        .open_session(&session_name(0))
        .expect("the session")
}

/// What both must have read: so many texts, so many bytes, these ends.
fn check(texts: &[impl AsRef<str>], first: usize, after: usize) {
    assert_eq!(texts.len(), after - first);
    assert_eq!(texts[0].as_ref(), payload(first));
    assert_eq!(texts[texts.len() - 1].as_ref(), payload(after - 1));
}

fn floor_scan<'a>(path: &Path, place: usize, rows: usize) -> Contestant<'a> {
    let conn = floor_connection(path, "FULL");
    Contestant::new(format!("bare scan of {rows} rows"), place, move |_| {
        let mut scan = conn
            .prepare_cached("SELECT payload FROM floor ORDER BY id")
            .expect("a statement");
        let texts: Vec<String> = scan
            .query_map((), |row| row.get(0))
            .expect("rows")
            .collect::<Result<_, _>>()
            .expect("rows");
        check(&texts, 0, rows);
    })
}

/// The same rows as the projection reads, from the same file, with nothing checked: what is left is the cost of the layout.
fn bare_nodes<'a>(path: &Path, rows: usize) -> Contestant<'a> {
    let conn = Connection::open(path).expect("a file");
    settings(&conn, "FULL");
    let (first, last) = (1_i64 << 32, (1_i64 << 32) + rows as i64 - 1);
    Contestant::new(
        format!("bare scan of {rows} nodes, payloads only"),
        0,
        move |_| {
            let mut scan = conn
                .prepare_cached(
                    "SELECT payload FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
                )
                .expect("a statement");
            let texts: Vec<String> = scan
                .query_map((first, last), |row| row.get(0))
                .expect("rows")
                .collect::<Result<_, _>>()
                .expect("rows");
            check(&texts, 0, rows);
        },
    )
}

fn projection<'a>(path: &Path, name: &str, floor: usize, nodes: usize) -> Contestant<'a> {
    let tree = tree(path);
    Contestant::new(name, floor, move |_| {
        let messages = tree.linear_projection_of("main").expect("messages");
        check(&messages, 0, nodes);
    })
}

/// The whole path: unbroken, in runs of ten, and in runs of one.
pub fn projections(bench: &Bench, sized: &Sized, length: Length) -> Outcome {
    let nodes = sized.nodes;
    let mut contestants = vec![
        floor_scan(&sized.floor, 0, nodes),
        bare_nodes(&sized.store, nodes),
        projection(
            &sized.store,
            &format!("projection of {nodes}, unbroken"),
            0,
            nodes,
        ),
    ];
    // A path in runs of one needs a file of twice its size, and each page of it twice.
    let broken: &[_] = match nodes {
        0..=100_000 => &[("runs of ten", 10), ("runs of one", 1)],
        _ => &[("runs of ten", 10)],
    };
    for (name, run) in broken {
        let path = bench.store(&format!("runs-{run}-{nodes}.db"), nodes, Shape::Runs(*run));
        contestants.push(projection(
            &path,
            &format!("projection of {nodes}, {name}"),
            0,
            nodes,
        ));
    }
    let outcome = contest(length, contestants);
    outcome.print(&format!("Projection of {nodes} nodes"));
    println!(
        "\nunbroken projection / bare scan of the same nodes: {:.2}",
        outcome.ratio(2, 1)
    );
    outcome
}

/// The last 100 messages of a path of any length.
pub fn last_hundred(sizes: &[Sized], length: Length) -> Outcome {
    let mut contestants = Vec::new();
    for Sized {
        nodes,
        store,
        floor,
    } in sizes
    {
        let nodes = *nodes;
        let conn = floor_connection(floor, "FULL");
        let place = contestants.len();
        contestants.push(Contestant::new(
            format!("bare last 100 of {nodes} rows"),
            place,
            move |_| {
                let mut scan = conn
                    .prepare_cached("SELECT payload FROM floor ORDER BY id DESC LIMIT 100")
                    .expect("a statement");
                let mut texts: Vec<String> = scan
                    .query_map((), |row| row.get(0))
                    .expect("rows")
                    .collect::<Result<_, _>>()
                    .expect("rows");
                texts.reverse();
                check(&texts, nodes - 100, nodes);
            },
        ));
        let tree = tree(store);
        let last = Selection {
            last: Some(100),
            ..Selection::default()
        };
        contestants.push(Contestant::new(
            format!("last 100 of {nodes} nodes"),
            place,
            move |_| {
                let messages: Vec<Message> = tree
                    .projection(&last)
                    .expect("a plan")
                    .collect::<Result<_, _>>()
                    .expect("messages");
                check(&messages, nodes - 100, nodes);
            },
        ));
    }
    let outcome = contest(length, contestants);
    outcome.print("Last 100 messages");
    outcome.print_growth(sizes, "last 100", 1);
    outcome
}
