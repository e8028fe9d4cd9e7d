use std::borrow::Cow;

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::*;

fn parser_accepts(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[test]
fn names_the_byte_and_what_was_expected_there() {
    let cases = [
        ("", 0, "expected a value"),
        (" \n", 2, "expected a value"),
        ("nul", 0, "expected a value"),
        ("\u{feff}{}", 0, "expected a value"),
        ("{} {}", 3, "expected nothing more"),
        ("[1 2]", 3, "expected a comma or `]`"),
        ("[1,]", 3, "expected a value"),
        ("{\"a\":1 \"b\"", 7, "expected a comma or `}`"),
        ("{\"a\":1", 6, "expected a comma or `}`"),
        ("{\"a\":1,}", 7, "expected a member name in quotes"),
        ("{a:1}", 1, "expected a member name in quotes or `}`"),
        ("{\"a\" 1}", 5, "expected a colon"),
        ("[\"abc", 5, "expected the end of a string"),
        ("\"ab\\\"", 5, "expected the end of a string"),
        (
            "\"0123456789\n\"",
            11,
            "unescaped control character in a string",
        ),
        ("\"\\x\"", 1, "unknown escape in a string"),
        ("\"\\u12g4\"", 1, "unknown escape in a string"),
        ("01", 1, "expected nothing more"),
        ("-", 1, "expected a digit"),
        ("1.e5", 2, "expected a digit"),
        ("1e+", 3, "expected a digit"),
    ];
    for (text, offset, problem) in cases {
        assert_eq!(
            validate(text),
            Err(JsonError { offset, problem }),
            "{text:?}"
        );
        assert!(!parser_accepts(text), "{text:?}");
    }
    let error = validate("[1 2]").unwrap_err();
    assert_eq!(error.to_string(), "expected a comma or `]` at byte 3");
}

#[test]
fn accepts_what_the_grammar_allows() {
    let texts = [
        " null ",
        "true",
        "false",
        "-0",
        "1E+5",
        "1.50e-3",
        "{}",
        "[ ]",
        "\t[{\"\":[]},\r\n\"\\ud83d\"]",
        "\"\\u0000 \\uDC00 \u{7f} \u{2028}\"",
        "{\"a\":1,\"a\":2}",
    ];
    for text in texts {
        assert_eq!(validate(text), Ok(()), "{text:?}");
    }
}

#[test]
fn depth_needs_no_stack() {
    const LEVELS: usize = 1_000_000;
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let objects = "{\"a\":".repeat(LEVELS) + "1" + &"}".repeat(LEVELS);
    for text in [&arrays, &objects] {
        assert_eq!(validate(text), Ok(()));
        assert_eq!(depth(text), LEVELS);
        assert_eq!(Json::new(text).text().len(), text.len());
        assert!(matches!(compact(text), Cow::Borrowed(_)));
        assert!(same_value(text, &format!(" {text}\n")));
    }
    assert_eq!(Json::new(&arrays).elements().count(), 1);
    assert_eq!(Json::new(&objects).members().count(), 1);
    let crossed = "[".repeat(70) + "{\"a\":1]" + &"]".repeat(69);
    assert_eq!(
        validate(&crossed).unwrap_err().problem,
        "expected a comma or `}`"
    );
    assert_eq!([depth("1"), depth("\"[[\""), depth("[[],{}]")], [0, 0, 2]);
}

#[test]
fn the_cursor_reads_values_by_name_and_place() {
    let text = r#" {"a" : [1, {"x":"]"}, "s\n"], "n":null, "a\u0062":true, "n": -12, "f":2.5e3} "#;
    let json = Json::new(text);
    let names: Vec<_> = json.members().map(|(name, _)| name.into_owned()).collect();
    assert_eq!(names, ["a", "n", "ab", "n", "f"]);
    assert_eq!(json.get("n").and_then(Json::as_i64), Some(-12));
    assert_eq!(json.get("ab").and_then(Json::as_bool), Some(true));
    assert_eq!(json.get("f").and_then(Json::as_f64), Some(2500.0));
    assert_eq!(json.get("f").and_then(Json::as_i64), Some(2500));
    assert_eq!(json.get("f").and_then(Json::as_u64), None);
    assert!(json.get("b").is_none());
    let [n, a, missing] = json.fields(["n", "a", "missing"]);
    assert!(n.is_some() && missing.is_none());
    let elements: Vec<_> = a.unwrap().elements().collect();
    assert_eq!(elements[0].text(), "1");
    assert_eq!(elements[1].text(), r#"{"x":"]"}"#);
    assert_eq!(elements[2].as_str().unwrap(), "s\n");
    assert_eq!(&text[elements[1].span_in(text)], r#"{"x":"]"}"#);
    assert_eq!(elements[1].span_in("elsewhere"), 0..0);
    assert_eq!(json.span_in(text), 1..text.len() - 1);
}

#[test]
fn the_cursor_answers_only_what_a_value_is() {
    let string = Json::new("\"1\"");
    assert!(string.is_string() && string.as_i64().is_none() && string.as_bool().is_none());
    assert!(Json::new("null").is_null() && Json::new("null").as_str().is_none());
    assert_eq!(Json::new("18446744073709551615").as_u64(), Some(u64::MAX));
    assert_eq!(Json::new("18446744073709551615").as_i64(), None);
    assert_eq!(Json::new("1e999").as_f64(), Some(f64::INFINITY));
    assert_eq!(Json::new("-inf").as_f64(), None);
    assert_eq!(Json::new("[{\"a\":1}]").members().count(), 0);
    assert_eq!(Json::new("{\"a\":[1]}").elements().count(), 0);
}

#[test]
fn strings_lose_only_lone_surrogate_halves() {
    let cases = [
        (r#""plain""#, "plain"),
        (r#""\"\\\/\b\f\n\r\t\u0041""#, "\"\\/\u{8}\u{c}\n\r\tA"),
        (r#""\ud83d\ude00""#, "\u{1f600}"),
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ud83dx\ude00""#, "\u{fffd}x\u{fffd}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
        (r#""a\u0000b""#, "a\0b"),
    ];
    for (text, expected) in cases {
        let json = Json::new(text);
        assert_eq!(json.as_str().unwrap(), expected, "{text}");
        let parts = json
            .parts()
            .flat_map(|(run, single)| run.chars().chain(single));
        assert_eq!(parts.collect::<String>(), expected, "{text}");
        let replaced = replace_lone_surrogates(text);
        let parsed: String = serde_json::from_str(&replaced).unwrap();
        assert_eq!(parsed, expected, "{text}");
    }
    let proper = r#"{"a":"\ud83d\ude00 \\ud83d"}"#;
    assert!(matches!(replace_lone_surrogates(proper), Cow::Borrowed(_)));
    assert_eq!(
        replace_lone_surrogates(r#"["\\\ud83d"]"#),
        r#"["\\\ufffd"]"#
    );
}

#[test]
fn rewriting_keeps_strings() {
    assert_eq!(
        compact(" { \"a b\" :\t[ 1 , \" \\\" \" ]\r\n}\n"),
        "{\"a b\":[1,\" \\\" \"]}"
    );
    assert!(matches!(compact("{\"a b\":1}"), Cow::Borrowed(_)));
    assert_eq!(
        escape_line_separators("\"\u{2028}x\u{2029}\u{85}\u{e9}\u{2027}\""),
        "\"\\u2028x\\u2029\\u0085\u{e9}\u{2027}\""
    );
    assert!(matches!(
        escape_line_separators("\"\u{e2}\u{2030}\""),
        Cow::Borrowed(_)
    ));
    assert_eq!(
        quote("a\"\\\n\u{1}\u{7f}\u{e9}"),
        "\"a\\\"\\\\\\n\\u0001\u{7f}\u{e9}\""
    );
}

#[test]
fn sameness_is_of_values() {
    let same = [
        (r#"{"a":1,"b":[2]}"#, r#" {"b" : [2], "a":1.0}"#),
        (r#""\u0041\/""#, r#""A/""#),
        (r#"{"\u0061":1}"#, r#"{"a":1}"#),
        (r#"{"a":0,"a":1}"#, r#"{"a":1}"#),
        ("-0", "0"),
        ("1e2", "100"),
        (r#"["\ud83d"]"#, r#"["\uD83D"]"#),
    ];
    for (a, b) in same {
        assert!(same_value(a, b) && same_value(b, a), "{a} {b}");
    }
    let different = [
        ("[1,2]", "[2,1]"),
        ("[1]", "[1,1]"),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        (r#"{"a":1,"c":1}"#, r#"{"a":1,"b":1}"#),
        (r#""\ud83d""#, r#""\ufffd""#),
        (r#"{"\ud83d":1}"#, r#"{"\ud83e":1}"#),
        ("18446744073709551617", "18446744073709551618"),
        ("1e400", "2e400"),
        ("1", "\"1\""),
        ("null", "false"),
        ("[]", "{}"),
    ];
    for (a, b) in different {
        assert!(!same_value(a, b) && !same_value(b, a), "{a} {b}");
    }
}

/// Text of JSON's own pieces in any order: mostly not JSON, and often nearly so.
fn jsonish() -> impl Strategy<Value = String> {
    let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\\", "\\\"", "\\u00", "\\ud83d",
        "\\ude00", "0", "-", "1.5", "e+1", "null", "true", " ", "\n", "x", "\u{e9}", "\u{1}",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..12)
        .prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(|float: f64| Value::from(float)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Asks everything of a text, JSON or not.
fn walk(text: &str) {
    let mut rest = vec![Json::new(text)];
    while let Some(json) = rest.pop() {
        assert_eq!(&text[json.span_in(text)], json.text());
        let _ = (json.as_str(), json.as_i64(), json.as_f64());
        rest.extend(json.members().map(|(_, value)| value));
        rest.extend(json.elements());
    }
    let _ = (depth(text), compact(text), same_value(text, "{"));
    let _ = (replace_lone_surrogates(text), escape_line_separators(text));
}

fn assert_reads_as(json: Json<'_>, value: &Value) {
    assert_eq!(json.is_null(), value.is_null());
    assert_eq!(json.as_bool(), value.as_bool());
    assert_eq!(json.as_str().as_deref(), value.as_str());
    match value {
        Value::Object(members) => {
            assert_eq!(json.members().count(), members.len());
            for (name, member) in members {
                assert_reads_as(json.get(name).unwrap(), member);
            }
        }
        Value::Array(elements) => {
            assert_eq!(json.elements().count(), elements.len());
            for (read, element) in json.elements().zip(elements) {
                assert_reads_as(read, element);
            }
        }
        _ => assert_eq!(json.members().count() + json.elements().count(), 0),
    }
}

proptest! {
    #[test]
    fn agrees_with_a_parser_on_what_is_json(text in jsonish()) {
        prop_assert_eq!(validate(&text).is_ok(), parser_accepts(&text), "{:?}", text);
        walk(&text);
    }

    #[test]
    fn agrees_with_a_parser_on_nearly_json(value in value(), place: prop::sample::Index, wrong: char) {
        let mut text = value.to_string();
        let place = text.char_indices().nth(place.index(text.chars().count())).unwrap().0;
        text.remove(place);
        prop_assert_eq!(validate(&text).is_ok(), parser_accepts(&text), "{:?}", text);
        walk(&text);
        text.insert(place, wrong);
        prop_assert_eq!(validate(&text).is_ok(), parser_accepts(&text), "{:?}", text);
        walk(&text);
    }

    #[test]
    fn agrees_with_a_parser_on_what_values_are(value in value()) {
        let (spread, dense) = (format!("{value:#}"), value.to_string());
        prop_assert_eq!(validate(&spread), Ok(()));
        prop_assert_eq!(compact(&spread), dense.as_str());
        prop_assert!(same_value(&spread, &escape_line_separators(&dense)));
        assert_reads_as(Json::new(&spread), &value);
    }

    #[test]
    fn strings_come_back(text: String, units: Vec<u16>) {
        let quoted = quote(&text);
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text.as_str());
        prop_assert_eq!(Json::new(&quoted).as_str().unwrap(), text);
        let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let escaped = format!("\"{escaped}\"");
        prop_assert_eq!(validate(&escaped), Ok(()));
        prop_assert_eq!(Json::new(&escaped).as_str().unwrap(), String::from_utf16_lossy(&units));
        prop_assert!(serde_json::from_str::<String>(&replace_lone_surrogates(&escaped)).is_ok());
    }
}
