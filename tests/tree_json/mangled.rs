//! Whatever happens to a text: it is refused in one sentence, or becomes a whole session whose snapshot can be read again.

use proptest::prelude::*;
use session_tree::CheckOptions;
use session_tree::interchange::Layout;

use crate::imports::store;
use crate::support::{full, runner};

/// A node `n<number>`, its parent as JSON.
fn node(number: u32, parent: &str) -> String {
    format!(
        r#""n{number}":{{"id":"n{number}","parent":{parent},"children":[],"message":{{"supercode_turn":1,"ts":"x","role":"user","content":"q"}},"label":null,"created_at_ms":{number}}}"#
    )
}

/// A text whose parents, leaves and other places are drawn at random, so that most are of the format and many are damaged.
fn text(parents: &[Option<u32>], leaf: Option<u32>, root: Option<u32>, next_id: u32) -> String {
    let id =
        |number: Option<u32>| number.map_or("null".to_owned(), |number| format!("\"n{number}\""));
    let nodes: Vec<String> = parents
        .iter()
        .zip(0..)
        .map(|(parent, number)| node(number, &id(*parent)))
        .collect();
    format!(
        r#"{{"nodes":{{{}}},"root":{},"branches":{{"main":{{"name":"main","leaf":{},"summary":null,"created_at_ms":0}}}},"active_branch":"main","next_id":{next_id}}}"#,
        nodes.join(","),
        id(root),
        id(leaf)
    )
}

fn check(text: &str) -> Result<bool, TestCaseError> {
    let store = store();
    let tree = match store.from_snapshot(text) {
        Ok(tree) => tree,
        Err(error) => {
            prop_assert!(!error.to_string().contains('\n'));
            prop_assert!(store.sessions().unwrap().is_empty());
            return Ok(false);
        }
    };
    let found = store.check(CheckOptions::new()).unwrap();
    prop_assert!(found.is_healthy(), "{text}: {:?}", found.problems);
    let json = tree.snapshot().unwrap().to_json(Layout::AsRead);
    let again = store
        .from_snapshot(&json)
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(again.snapshot().unwrap().to_json(Layout::AsRead), json);
    Ok(true)
}

#[test]
fn trees_of_any_shape_are_refused_or_whole() {
    let number = || proptest::option::of(0..9_u32);
    let drawn = (
        proptest::collection::vec(number(), 0..8),
        number(),
        number(),
        0..12_u32,
    );
    let bytes = proptest::collection::vec((any::<usize>(), any::<u8>()), 0..2);
    let mut runner = runner(if full() { 1500 } else { 150 });
    let taken = std::cell::Cell::new(0);
    runner
        .run(
            &(drawn, bytes),
            |((parents, leaf, root, next_id), bytes)| {
                let mut mangled = text(&parents, leaf, root, next_id).into_bytes();
                for (at, byte) in bytes {
                    let at = at % mangled.len();
                    mangled[at] = byte % 128;
                }
                let mangled = String::from_utf8(mangled).unwrap();
                taken.set(taken.get() + u32::from(check(&mangled)?));
                Ok(())
            },
        )
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{} texts were read, the others refused", taken.get());
    assert!(taken.get() > 10);
}

#[test]
fn a_refusal_is_one_line_whatever_the_text_holds() {
    for (id, shown) in [
        ("n\\n0", "n\\n0"),
        ("n\\u001b[2J", "n\\u{1b}[2J"),
        ("n\\u0000", "n\\0"),
    ] {
        let text = text(&[None], Some(0), Some(0), 1)
            .replace("\"leaf\":\"n0\"", &format!("\"leaf\":\"{id}\""));
        let error = store().from_snapshot(&text).unwrap_err().to_string();
        assert!(!error.contains(char::is_control), "{error:?}");
        assert!(error.contains(shown), "{error}");
    }
}
