//! The README and the demo say what is so.

use std::path::Path;

use super::bench::{Bench, Ran};
use super::json::verbs;

fn readme() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join("README.md")).unwrap()
}

#[test]
fn the_readme_names_every_verb() {
    let readme = readme();
    let missing: Vec<String> = verbs()
        .into_iter()
        .filter(|verb| !readme.contains(&format!("`{verb}`")))
        .collect();
    assert!(missing.is_empty(), "the README does not name {missing:?}");
}

#[test]
fn the_tests_that_the_readme_names_are_there() {
    let named: Vec<String> = readme()
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.contains("::") && !code.contains(char::is_whitespace))
        .map(str::to_owned)
        .collect();
    assert!(named.len() >= 7, "{named:?}");
    for name in named {
        let parts: Vec<&str> = name.split("::").collect();
        let (test, modules) = parts.split_last().unwrap();
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let file = modules.iter().fold(tests, |path, module| path.join(module));
        let source = std::fs::read_to_string(file.with_extension("rs"))
            .or_else(|_| std::fs::read_to_string(file.join("mod.rs")))
            .unwrap_or_else(|_| panic!("there is no module for {name}"));
        let at = source
            .find(&format!("fn {test}()"))
            .unwrap_or_else(|| panic!("there is no {name}"));
        assert!(
            source[..at].trim_end().ends_with("#[test]"),
            "{name} is no test"
        );
    }
}

#[test]
fn exit_codes_and_variables_in_the_help_are_those_of_the_readme() {
    let readme = readme();
    let help: Ran = Bench::new().bare().arg("--help").output().unwrap().into();
    let help = help.ok();
    for variable in ["SESSION_TREE_DB", "SESSION_TREE_SESSION"] {
        assert!(
            help.contains(variable) && readme.contains(variable),
            "{variable}"
        );
    }
    for code in 0..=6 {
        assert!(help.contains(&format!("\n  {code}  ")), "exit code {code}");
    }
}

#[test]
fn the_demo_keeps_its_store_and_its_query_shows_the_same() {
    let bench = Bench::new();
    let ran: Ran = bench.bare().arg("demo").output().unwrap().into();
    let out = ran.ok();
    let query = out.lines().last().unwrap();
    let (before, sql) = query.split_once(" \"").unwrap();
    let store = before.strip_prefix("$ sqlite3 -readonly -box ").unwrap();
    assert!(
        store.starts_with(bench.path("").to_str().unwrap()),
        "{store}"
    );

    let conn = rusqlite::Connection::open(store).unwrap();
    let ids: Vec<String> = conn
        .prepare(sql.strip_suffix('"').unwrap())
        .unwrap()
        .query_map((), |row| row.get("node_id"))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let path: Ran = bench
        .bare()
        .args(["--db", store, "path"])
        .output()
        .unwrap()
        .into();
    assert_eq!(path.ok().lines().collect::<Vec<_>>(), ids);
    assert!(ids.len() > 4);

    for part in [
        "├─ ",
        "  <- *",
        "(label: ",
        "kept as branch main-rewound",
        "is summarised",
        "$ session-tree log",
    ] {
        assert!(out.contains(part), "{part}");
    }
    let again: Ran = bench
        .bare()
        .args(["demo", "--json"])
        .output()
        .unwrap()
        .into();
    for line in again.ok().lines() {
        let parsed: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(parsed.is_object());
    }
}

#[test]
fn the_demo_takes_a_file_that_is_named() {
    let bench = Bench::new();
    let out = bench.run(&["demo"]).ok();
    assert!(out.contains("store.db"));
    assert_eq!(
        bench.run(&["sessions", "--json"]).json()["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
