//! From the text of a request to its type, by the rules of JavaScript where those are laxer.

use std::collections::HashMap;

use serde::de::DeserializeOwned;

use super::failure::Failure;
use crate::model::json::{Json, push_string, replace_lone_surrogates};

/// The member that is a list of objects of the protocol. What stands in other lists is a payload, and stays as it is.
const LIST: &str = "nodes";

/// No command, and no element of a list, has more members.
const MOST_MEMBERS: usize = 16;

/// Takes the text by value, so that a large request is not held twice while it is carried out.
pub(super) fn parsed<Q: DeserializeOwned>(text: String) -> Result<Q, Failure> {
    match serde_json::from_str(&text) {
        Ok(request) => Ok(request),
        Err(_) => parsed_as_javascript_does(&text),
    }
}

/// Of members with one name the last counts, and half of a surrogate pair in a text is U+FFFD.
fn parsed_as_javascript_does<Q: DeserializeOwned>(text: &str) -> Result<Q, Failure> {
    let mut members = last_members(text);
    for (name, value) in &mut members {
        if name == LIST && Json::new(value).is_array() {
            let list = Json::new(value).elements();
            *value = list_of(list.map(|element| match element.is_object() {
                true => object(&last_members(element.text()), None),
                false => element.text().to_owned(),
            }));
        }
    }
    let error = match serde_json::from_str::<Q>(&object(&members, None)) {
        Ok(request) => return Ok(request),
        Err(error) => error,
    };
    let problem = without_place(&error);
    let place = place_of::<Q>(&members, &problem);
    let place = place.map_or_else(String::new, |place| format!("`{place}`: "));
    let text = format!("the request cannot be used: {place}{problem}");
    Err(Failure::invalid(text))
}

/// The member without which the problem is another one.
fn place_of<Q: DeserializeOwned>(members: &[(String, String)], problem: &str) -> Option<String> {
    let list = members
        .iter()
        .find(|(name, value)| name == LIST && Json::new(value).is_array());
    if let Some((_, list)) = list
        && let Some(place) = place_in_list::<Q>(list, problem)
    {
        return Some(place);
    }
    let at = culprit(members, problem, |members, without| {
        is_another_problem::<Q>(&object(members, Some(without)), problem)
    });
    at.map(|(name, _)| name.clone())
}

fn culprit<'a>(
    members: &'a [(String, String)],
    problem: &str,
    mut is_well_without: impl FnMut(&[(String, String)], usize) -> bool,
) -> Option<&'a (String, String)> {
    // No member is to blame for one that is not there, and without another one that would be missed instead.
    if problem.starts_with("missing field") {
        return None;
    }
    let at = (0..members.len().min(MOST_MEMBERS)).find(|at| is_well_without(members, *at))?;
    members.get(at)
}

/// The first element that has the problem and, if it is one of its members that has it, that.
fn place_in_list<Q: DeserializeOwned>(list: &str, problem: &str) -> Option<String> {
    // A list of one element is enough of a request.
    let alone = |element: &str| {
        let list = list_of([element.to_owned()].into_iter());
        object(&[(LIST.to_owned(), list)], None)
    };
    let is_well = |element: &str| is_another_problem::<Q>(&alone(element), problem);
    let (at, element) = Json::new(list)
        .elements()
        .enumerate()
        .find(|(_, element)| !is_well(element.text()))?;
    let members = match element.is_object() {
        true => last_members(element.text()),
        false => Vec::new(),
    };
    let culprit = culprit(&members, problem, |members, without| {
        is_well(&object(members, Some(without)))
    });
    Some(match culprit {
        Some((name, _)) => format!("{LIST}[{at}].{name}"),
        None => format!("{LIST}[{at}]"),
    })
}

/// Whether a request fails otherwise, or not at all.
fn is_another_problem<Q: DeserializeOwned>(text: &str, problem: &str) -> bool {
    match serde_json::from_str::<Q>(text) {
        Ok(_) => true,
        Err(error) => without_place(&error) != problem,
    }
}

fn last_members(text: &str) -> Vec<(String, String)> {
    let mut members: Vec<(String, String)> = Vec::new();
    let mut places = HashMap::new();
    for (name, value) in Json::new(text).members() {
        let value = match value.is_string() {
            true => replace_lone_surrogates(value.text()).into_owned(),
            false => value.text().to_owned(),
        };
        let at = *places.entry(name.to_string()).or_insert(members.len());
        match members.get_mut(at) {
            Some((_, known)) => *known = value,
            None => members.push((name.into_owned(), value)),
        }
    }
    members
}

fn object(members: &[(String, String)], without: Option<usize>) -> String {
    let mut json = String::from("{");
    for (at, (name, value)) in members.iter().enumerate() {
        if without == Some(at) {
            continue;
        }
        if json.len() > 1 {
            json.push(',');
        }
        push_string(&mut json, name);
        json.push(':');
        json.push_str(value);
    }
    json.push('}');
    json
}

fn list_of(elements: impl Iterator<Item = String>) -> String {
    let mut json = String::from("[");
    for element in elements {
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(&element);
    }
    json.push(']');
    json
}

/// The place in the line says little to a person; the name of the member does.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}
