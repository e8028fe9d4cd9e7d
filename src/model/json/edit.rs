//! Changing one member of a JSON object, in its text.

use super::value::Json;
use super::write::push_string;

/// The object with the member of this name set to a JSON text; everything else stays as it is written. Of several members of
/// the name the last is set, as it is the one that counts. What is no object stays as it is.
pub(crate) fn with_member(object: &str, name: &str, value: &str) -> String {
    let json = Json::new(object);
    if let Some(old) = json.get(name) {
        let at = old.span_in(object);
        return [&object[..at.start], value, &object[at.end..]].concat();
    }
    let end = json.span_in(object).end;
    let Some(brace) = end.checked_sub(1).filter(|_| json.is_object()) else {
        return object.to_owned();
    };
    let mut text = object[..brace].to_owned();
    if json.members().next().is_some() {
        text.push(',');
    }
    push_string(&mut text, name);
    text.push(':');
    text.push_str(value);
    text.push_str(&object[brace..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_member_is_set_and_the_rest_stays() {
        for (object, expected) in [
            (r#"{"a":1,"b":2}"#, r#"{"a":1,"b":[]}"#),
            (
                r#" { "b" : {"x":1} , "a":1 } "#,
                r#" { "b" : [] , "a":1 } "#,
            ),
            (r#"{"b":1,"b":null}"#, r#"{"b":1,"b":[]}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":[]}"#),
            ("{ }", r#"{ "b":[]}"#),
            ("null", "null"),
            ("", ""),
        ] {
            assert_eq!(with_member(object, "b", "[]"), expected);
        }
    }
}
