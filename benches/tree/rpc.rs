//! The server: a page of the tree and a navigation, each beside the SQL without which neither could be.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::Path;
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OpenFlags};
use session_tree::{Durability, rpc};

use crate::contest::{Contestant, Length, Outcome, contest};
use crate::files::{Sized, floor_connection, open, session_name};

/// Nodes of a page from the start, and of one from further on: the smallest tree has the second from its middle.
const PAGE: usize = 1_000;
const LATER_PAGE: usize = 500;

/// A client of a server that runs in a thread, over pipes. One request is on its way at a time.
struct Client {
    requests: Option<PipeWriter>,
    answers: BufReader<PipeReader>,
    line: String,
    server: Option<JoinHandle<session_tree::Result<()>>>,
}

impl Client {
    fn on(store: &Path) -> Client {
        let (input, requests) = pipe().expect("a pipe");
        let (answers, output) = pipe().expect("a pipe");
        let store = open(store, Durability::Full);
        let options = rpc::Options::default().session(session_name(0));
        let server = thread::spawn(move || rpc::serve(input, output, &store, &options));
        Client {
            requests: Some(requests),
            answers: BufReader::with_capacity(1 << 16, answers),
            line: String::new(),
            server: Some(server),
        }
    }

    fn ask(&mut self, request: &str) -> &str {
        let requests = self.requests.as_mut().expect("the server listens");
        requests.write_all(request.as_bytes()).expect("a request");
        self.line.clear();
        self.answers.read_line(&mut self.line).expect("an answer");
        assert!(
            self.line.contains("\"success\":true"),
            "{request}{}",
            self.line
        );
        &self.line
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(server) = self.server.take() {
            let ended = server.join().expect("the server does not panic");
            ended.expect("the server ends well");
        }
    }
}

/// The columns of a page by a bare connection to the same file.
const PAGE_SCAN: &str = "
  SELECT key, id, parent_key, kind, role, preview, created_at_ms, time_text FROM nodes
  WHERE key >= ?1 ORDER BY key LIMIT ?2";

/// The same rows each time or, through a `walk` of so many rows, those after the ones before.
fn floor_page<'a>(
    store: &Path,
    place: usize,
    from: usize,
    rows: usize,
    walk: Option<usize>,
) -> Contestant<'a> {
    let conn =
        Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the store");
    let first: i64 = conn
        .query_row("SELECT min(key) FROM nodes", (), |row| row.get(0))
        .expect("a node");
    Contestant::new(
        match walk {
            None => format!("bare scan of {rows} rows from row {from}"),
            Some(nodes) => format!("bare scan of the next {rows} rows of {nodes}"),
        },
        place,
        move |nth| {
            let from = walk.map_or(from, |nodes| nth * rows % nodes);
            let mut scan = conn.prepare_cached(PAGE_SCAN).expect("a statement");
            let mut text = String::new();
            let mut count = 0;
            let mut found = scan
                .query((first + from as i64, rows as i64))
                .expect("rows");
            while let Some(row) = found.next().expect("a row") {
                for column in 0..8 {
                    if let Ok(value) = row.get_ref(column).expect("a column").as_str() {
                        text.push_str(value);
                    }
                }
                count += 1;
            }
            assert!(count == rows && text.len() > 10 * rows);
        },
    )
}

fn page<'a>(store: &Path, floor: usize, from: usize, limit: usize, nodes: usize) -> Contestant<'a> {
    let mut client = Client::on(store);
    let request = format!(
        "{{\"type\":\"get_tree\",\"flat\":true,\"limit\":{limit},\"cursor\":\"{from}\"}}\n"
    );
    let (first, last) = (
        format!("\"n{from}\""),
        format!("\"id\":\"n{}\"", from + limit - 1),
    );
    Contestant::new(
        format!("get_tree, {limit} of {nodes} nodes from node {from}"),
        floor,
        move |_| {
            let answer = client.ask(&request);
            assert!(answer.contains(&first) && answer.contains(&last));
        },
    )
}

/// Page after page, each from the `nextCursor` of the one before; from the start again after the last.
fn next_page<'a>(store: &Path, floor: usize, nodes: usize) -> Contestant<'a> {
    let mut client = Client::on(store);
    let mut cursor = String::from("0");
    Contestant::new(
        format!("get_tree, the next {LATER_PAGE} of {nodes} nodes"),
        floor,
        move |_| {
            let answer = client.ask(&format!(
                "{{\"type\":\"get_tree\",\"flat\":true,\"limit\":{LATER_PAGE},\"cursor\":\"{cursor}\"}}\n"
            ));
            let next = answer
                .split_once("\"nextCursor\":\"")
                .and_then(|(_, rest)| rest.split_once('"'))
                .map_or("0", |(next, _)| next);
            cursor = match next.parse::<usize>() {
                Ok(place) if place < nodes => next.to_owned(),
                _ => String::from("0"),
            };
        },
    )
}

/// A page of the tree from the start, from the middle, and one after the other.
pub fn pages(sizes: &[Sized], length: Length) -> Outcome {
    let mut contestants = Vec::new();
    for Sized { nodes, store, .. } in sizes {
        let (nodes, middle) = (*nodes, nodes / 2);
        let floor = contestants.len();
        contestants.push(floor_page(store, floor, 0, PAGE, None));
        contestants.push(page(store, floor, 0, PAGE, nodes));
        contestants.push(floor_page(store, floor + 2, middle, LATER_PAGE, None));
        contestants.push(page(store, floor + 2, middle, LATER_PAGE, nodes));
        contestants.push(floor_page(store, floor + 4, 0, LATER_PAGE, Some(nodes)));
        contestants.push(next_page(store, floor + 4, nodes));
    }
    let outcome = contest(length, contestants);
    outcome.print("get_tree, a flat page through rpc::serve");
    outcome.print_growth(sizes, "page from the start", 1);
    outcome.print_growth(sizes, "page from the middle", 3);
    outcome.print_growth(sizes, "next page", 5);
    outcome
}

/// Ten levels below a node of the middle, nested, and the first nodes below it as a page: each beside a scan of as many rows.
pub fn parts(sizes: &[Sized], length: Length) -> Outcome {
    const LEVELS: usize = 10;
    let mut contestants = Vec::new();
    for Sized { nodes, store, .. } in sizes {
        let (nodes, middle) = (*nodes, nodes / 2);
        for (name, rows, request) in [
            (
                format!("{LEVELS} levels"),
                LEVELS + 1,
                format!("\"root\":\"n{middle}\",\"depth\":{LEVELS}"),
            ),
            (
                format!("{LATER_PAGE} nodes"),
                LATER_PAGE,
                format!("\"root\":\"n{middle}\",\"flat\":true,\"limit\":{LATER_PAGE}"),
            ),
        ] {
            let floor = contestants.len();
            contestants.push(floor_page(store, floor, middle, rows, None));
            let mut client = Client::on(store);
            let request = format!("{{\"type\":\"get_tree\",{request}}}\n");
            let last = format!("\"id\":\"n{}\"", middle + rows - 1);
            contestants.push(Contestant::new(
                format!("get_tree, {name} below a node of {nodes}"),
                floor,
                move |_| assert!(client.ask(&request).contains(&last)),
            ));
        }
    }
    let outcome = contest(length, contestants);
    outcome.print("get_tree, a part through rpc::serve");
    outcome.print_growth(sizes, "levels below a node", 1);
    outcome.print_growth(sizes, "page below a node", 3);
    outcome
}

/// What a navigation cannot do without, in one transaction: a leaf that is moved, and a row that says so.
fn floor_navigation<'a>(path: &Path, place: usize, name: &str) -> Contestant<'a> {
    let conn = floor_connection(path, "FULL");
    conn.execute_batch(
        "CREATE TABLE IF NOT EXISTS moved (key INTEGER PRIMARY KEY, leaf INTEGER, name TEXT);
         CREATE TABLE IF NOT EXISTS moves (key INTEGER PRIMARY KEY, verb TEXT, actor TEXT, at_ms INTEGER, was INTEGER, leaf INTEGER);
         INSERT OR REPLACE INTO moved VALUES (1, 0, 'main');",
    )
    .expect("tables");
    Contestant::new(
        format!("bare UPDATE and INSERT, {name}"),
        place,
        move |nth| {
            let run = |sql| {
                conn.prepare_cached(sql)
                    .and_then(|mut it| it.execute(()))
                    .expect("a transaction");
            };
            run("BEGIN IMMEDIATE");
            let moved = conn
                .prepare_cached("UPDATE moved SET leaf = ?1 WHERE key = 1 AND name = 'main'")
                .and_then(|mut it| it.execute((nth as i64,)))
                .expect("a move");
            let noted = conn
                .prepare_cached("INSERT INTO moves (verb, actor, at_ms, was, leaf) VALUES ('navigate', 'bench', ?1, ?1, ?1)")
                .and_then(|mut it| it.execute((nth as i64,)))
                .expect("a row");
            assert_eq!((moved, noted), (1, 1));
            run("COMMIT");
        },
    )
}

/// A navigation without a summary to the second node and back to the last.
pub fn navigations(sizes: &[Sized], length: Length) -> Outcome {
    let mut contestants = Vec::new();
    for Sized {
        nodes,
        store,
        floor,
    } in sizes
    {
        let name = format!("{nodes} nodes, FULL");
        let place = contestants.len();
        contestants.push(floor_navigation(floor, place, &name));
        let mut client = Client::on(store);
        // Both are assistants' messages, so that the leaf becomes the node itself.
        let last = nodes - 1 - nodes % 2;
        let to =
            |target: usize| format!("{{\"type\":\"navigate_tree\",\"targetId\":\"n{target}\"}}\n");
        // The contest must not begin at the last node, where there is nothing to do.
        let targets = [to(1), to(last)];
        contestants.push(Contestant::new(
            format!("navigate_tree, {name}"),
            place,
            move |nth| {
                let answer = client.ask(&targets[nth % 2]);
                assert!(answer.contains("\"cancelled\":false"));
            },
        ));
    }
    let outcome = contest(length, contestants);
    outcome.print("navigate_tree without a summary through rpc::serve");
    outcome.print_growth(sizes, "navigation", 1);
    outcome
}
