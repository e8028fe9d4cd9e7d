//! The contexts that dreb and pi build of the same files.

use session_tree::CheckOptions;

use super::*;

fn compare(place: &str, tree: &SessionTree, expected: &Value) {
    let found = context(tree);
    assert_eq!(
        found.thinking_level,
        expected["thinkingLevel"].as_str().unwrap(),
        "{place}"
    );
    let model = found.model.as_ref().map_or(
        Value::Null,
        |model| json!({"provider": model.provider, "modelId": model.model_id}),
    );
    assert_eq!(model, expected["model"], "{place}");
    let messages = shown(&found);
    match expected["messages"].as_array() {
        Some(wanted) => assert_eq!(&messages, wanted, "{place}"),
        None => {
            let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
            let wanted: Vec<&Value> = expected["roles"].as_array().unwrap().iter().collect();
            assert_eq!(roles, wanted, "{place}");
        }
    }
}

#[test]
fn peculiar_files_give_the_contexts_of_dreb_and_pi() {
    for name in ["load-cases.json", "load-cases-pi16.json"] {
        let Some(path) = support::shared(&format!("golden/{name}")) else {
            return;
        };
        let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let mut compared = 0;
        for (case, value) in cases.as_object().unwrap() {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("case.jsonl");
            std::fs::write(&path, value["input"].as_str().unwrap()).unwrap();
            // An array or number is a loose record here, so the leaf stays on the node before it.
            let ruled = [
                "header without id",
                "number line",
                "array line",
                "missing id",
                "duplicate ids",
            ];
            let (Ok((_, tree)), false) = (import(&path), ruled.contains(&case.as_str())) else {
                continue;
            };
            compare(&format!("{name}: {case}"), &tree, &value["context"]);
            compared += 1;
        }
        assert!(compared >= 20, "{compared}");
    }
}

#[test]
fn files_of_pi_give_its_contexts_and_so_do_their_forks() {
    let Some(folder) = support::shared("corpus/pi/v1.6.0") else {
        return;
    };
    let answers: Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let mut compared = 0;
    for (name, expected) in answers["files"].as_object().unwrap() {
        let path = folder.join(name);
        if !expected["context"].is_object()
            || !path.exists()
            || name == "damaged-empty.jsonl"
            || name == "damaged-duplicate-id.jsonl"
        {
            continue;
        }
        let (_, tree) = import(&path).unwrap();
        compare(name, &tree, &expected["context"]);
        let fork = tree.clone_session().unwrap();
        compare(&format!("fork of {name}"), &fork, &expected["context"]);
        for (leaf, branch) in expected["branches"].as_object().unwrap() {
            if name == "legacy-v1.jsonl" {
                continue;
            }
            let selection = Selection {
                leaf: Some(leaf.clone()),
                ..Selection::default()
            };
            let found = tree.context(&selection).unwrap();
            assert_eq!(
                found.messages.len() as u64,
                branch["context_len"].as_u64().unwrap(),
                "{name} at {leaf}"
            );
        }
        let report = tree.store().check(CheckOptions::default()).unwrap();
        assert!(report.is_healthy(), "{name}: {report:?}");
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
    println!("{compared} files");
}
