//! `--json` on every verb: one document, or one a line.

use super::bench::Bench;

/// The verbs as the program itself lists them.
pub fn verbs() -> Vec<String> {
    let help = Bench::new().bare().arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let verbs: Vec<String> = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect();
    assert!(verbs.len() > 15, "{verbs:?}");
    verbs
}

/// A way to call each verb that goes well on the store of `seeded`.
fn arguments(verb: &str) -> Vec<&str> {
    match verb {
        "new" => vec!["new", "--name", "other"],
        "node" => vec!["node", "n0"],
        "import" => vec!["import", "talk.jsonl"],
        "export" => vec!["export", "--format", "chat", "-o", "chat.jsonl"],
        "append" => vec!["append", "text\u{2028}"],
        "rewind" => vec!["rewind", "n1"],
        "navigate" => vec!["navigate", "n1", "--summary", "short"],
        "branch" => vec!["branch", "n1"],
        "switch" => vec!["switch", "main"],
        "label" => vec!["label", "n1", "here"],
        "summarize" => vec!["summarize", "x", "short"],
        "diff" => vec!["diff", "main", "x"],
        "rename" => vec!["rename", "Title"],
        "delete" => vec!["delete", "s"],
        "backup" => vec!["backup", "copy.db"],
        "rpc" => vec!["rpc", "--schema"],
        verb => vec![verb],
    }
}

fn seeded() -> Bench {
    let bench = Bench::new();
    bench.script("new --id s --name seed | append a | append b | branch n0 --name x | append c | switch main");
    bench
        .run(&["append", "separators \u{2028} \u{2029} \u{85}"])
        .ok();
    bench.script("switch x");
    std::fs::write(bench.path("talk.jsonl"), super::import::TALK).unwrap();
    bench
}

#[test]
fn every_verb_answers_in_json() {
    for verb in verbs() {
        let bench = seeded();
        let mut line = arguments(&verb);
        line.push("--json");
        let ran = bench.run(&line);
        let code = i32::from(matches!(verb.as_str(), "release" | "redo"));
        assert_eq!((ran.code, ran.err.as_str()), (code, ""), "{verb}: {ran:?}");
        assert!(!ran.out.trim().is_empty(), "{verb} says nothing");
        // Line by line as a reader splits it that takes every Unicode line end for one.
        for line in ran
            .out
            .split(['\n', '\u{2028}', '\u{2029}', '\u{85}'])
            .filter(|line| !line.is_empty())
        {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(line);
            assert!(
                parsed.is_ok_and(|value| value.is_object()),
                "{verb}: {line}"
            );
        }
        let is_stream = matches!(verb.as_str(), "tree" | "log" | "demo");
        assert!(
            is_stream || ran.out.lines().count() == 1,
            "{verb} is one document"
        );
    }
}

#[test]
fn messages_keep_every_byte_that_counts() {
    let bench = Bench::new();
    bench.script("new");
    let message = "{ \"role\": \"user\",\n  \"content\": \"half \\ud83d, NUL \\u0000\", \"n\": 1.0, \"n\": 1e400 }";
    bench.run(&["append", "--json-message", message]).ok();
    let expected =
        "{\"role\":\"user\",\"content\":\"half \\ud83d, NUL \\u0000\",\"n\":1.0,\"n\":1e400}";
    assert_eq!(bench.run(&["log", "--json"]).ok(), format!("{expected}\n"));
    let node = bench.run(&["node", "n0", "--json"]).ok();
    assert!(node.contains(expected), "{node}");
    let deep = format!(
        "{{\"role\":\"user\",\"deep\":{}{}}}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    bench
        .run_with_input(&["append", "--json-message", "-"], deep.as_bytes())
        .ok();
    assert_eq!(
        bench.run(&["log", "--json", "--last", "1"]).ok(),
        format!("{deep}\n")
    );
    assert!(bench.run(&["node", "n1", "--json"]).ok().contains(&deep));
}
