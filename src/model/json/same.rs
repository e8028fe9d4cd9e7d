//! Equality of JSON texts in value.

use std::collections::HashMap;

use super::value::Piece;
use super::{Json, compact, depth};

/// Beyond this depth a comparison level by level would read the innermost text too often.
const COMPARED_DEPTH: usize = 100;

/// Whether two JSON texts hold the same value: white space, the order of members and the spelling of strings and
/// numbers do not count, and of duplicate members only the last does. Single surrogate halves are told apart. Texts
/// nested deeper than 100 levels are the same only if they are so byte for byte, white space outside strings aside.
pub(crate) fn same_value(a: &str, b: &str) -> bool {
    let (a, b) = (compact(a), compact(b));
    if a == b {
        return true;
    }
    if depth(&a) > COMPARED_DEPTH || depth(&b) > COMPARED_DEPTH {
        return false;
    }
    let mut unequal_texts = vec![(Json::new(&a), Json::new(&b))];
    while let Some((a, b)) = unequal_texts.pop() {
        let same = if a.is_object() && b.is_object() {
            same_members(a, b, &mut unequal_texts)
        } else if a.is_array() && b.is_array() {
            same_elements(a, b, &mut unequal_texts)
        } else if a.is_string() && b.is_string() {
            code_points(a).eq(code_points(b))
        } else {
            same_number(a, b)
        };
        if !same {
            return false;
        }
    }
    true
}

fn same_members<'a>(a: Json<'a>, b: Json<'a>, rest: &mut Vec<(Json<'a>, Json<'a>)>) -> bool {
    let (a, b) = (members_by_name(a), members_by_name(b));
    a.len() == b.len()
        && a.into_iter().all(|(name, a)| match b.get(&name) {
            Some(b) => {
                push_unequal(a, *b, rest);
                true
            }
            None => false,
        })
}

/// Names as code points: as text, different single surrogate halves would be one name.
fn members_by_name(object: Json<'_>) -> HashMap<Vec<u32>, Json<'_>> {
    object
        .named_members()
        .map(|(name, value)| (code_points(name).collect(), value))
        .collect()
}

fn same_elements<'a>(a: Json<'a>, b: Json<'a>, rest: &mut Vec<(Json<'a>, Json<'a>)>) -> bool {
    let (mut a, mut b) = (a.elements(), b.elements());
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) => push_unequal(a, b, rest),
            (None, None) => return true,
            _ => return false,
        }
    }
}

fn push_unequal<'a>(a: Json<'a>, b: Json<'a>, rest: &mut Vec<(Json<'a>, Json<'a>)>) {
    if a.text() != b.text() {
        rest.push((a, b));
    }
}

fn code_points<'a>(string: Json<'a>) -> impl Iterator<Item = u32> + 'a {
    string.string_pieces().flat_map(|piece| {
        let (run, single) = match piece {
            Piece::Run(run) => (run, None),
            Piece::Char(c) => ("", Some(u32::from(c))),
            Piece::LoneSurrogate(unit) => ("", Some(u32::from(unit))),
        };
        run.chars().map(u32::from).chain(single)
    })
}

/// Two integers are the same only digit by digit; a float is what `f64` makes of it, as long as that is finite.
fn same_number(a: Json<'_>, b: Json<'_>) -> bool {
    let is_integer = |text: &str| !text.contains(['.', 'e', 'E']);
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) if is_integer(a.text()) && is_integer(b.text()) => x == 0.0 && y == 0.0,
        (Some(x), Some(y)) => x == y && x.is_finite(),
        _ => false,
    }
}
