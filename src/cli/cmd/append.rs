//! `append`

use std::io::Read;

use clap::Args;
use serde::Serialize;
use session_tree::{MAIN_BRANCH, Message, NewNode};

use super::Context;
use crate::cli::args::At;
use crate::cli::context::no_session;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Append {
    /// Say this, or - to read it from standard input
    #[arg(
        required_unless_present = "json_message",
        conflicts_with = "json_message"
    )]
    text: Option<String>,
    /// Say it in this role
    #[arg(long, default_value = "user")]
    role: String,
    /// Append this JSON object byte for byte, or - to read it from standard input
    #[arg(long, value_name = "JSON", conflicts_with = "role")]
    json_message: Option<String>,
    /// Append a node of this kind instead of a message
    #[arg(long, requires = "json_message")]
    kind: Option<String>,
    /// Give the node this id; doing so again is a success without effect
    #[arg(long)]
    id: Option<String>,
    /// Append to this branch instead of the active one, without switching
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Append only if the branch ends at this node, else fail
    #[arg(long, value_name = "NODE")]
    expecting: Option<String>,
    /// Append only if the branch is empty, else fail
    #[arg(long, conflicts_with = "expecting")]
    expecting_empty: bool,
    #[command(flatten)]
    at: At,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    node_id: &'a str,
    session: &'a str,
    created_session: bool,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'a str,
    content: &'a str,
}

pub(super) fn run(context: &mut Context, arguments: Append) -> Outcome<()> {
    // What is to be appended is known before a store is opened, or made.
    let message = message(&arguments)?;
    let mut node = match arguments.kind {
        Some(kind) => NewNode::of_kind(kind, message),
        None => NewNode::message(message),
    };
    if let Some(id) = arguments.id {
        node = node.id(id);
    }
    let branch = arguments.branch.as_deref();
    if let Some(branch) = branch {
        node = node.on_branch(branch);
    }
    if let Some(at_ms) = arguments.at.at_ms {
        node = node.at(at_ms);
    }
    // Where something is named that must be there, nothing is made up.
    let names_something = context.names_a_session()
        || arguments.expecting.is_some()
        || branch.is_some_and(|branch| branch != MAIN_BRANCH);
    let store = if names_something {
        context.writer()?
    } else {
        context.creator()?
    };
    let found = context.session_in(&store)?;
    if found.is_none() && names_something {
        return Err(no_session());
    }
    let created_session = found.is_none();
    let tree = match found {
        Some(tree) => tree,
        None => {
            let tree = store.create_session()?;
            context.note(&format!("session {} (made for this)", tree.id()));
            tree
        }
    };
    if arguments.expecting_empty {
        node = node.expecting_leaf(None);
    }
    if let Some(text) = arguments.expecting {
        let leaf = tree.find_node(&text)?;
        node = node.expecting_leaf(Some(&leaf));
    }
    let id = tree.append(node)?;
    let answer = Answer {
        node_id: &id,
        session: tree.id(),
        created_session,
    };
    context.out.answer(&answer, safe::one_line(&id))
}

fn message(arguments: &Append) -> Outcome<Message> {
    let refused = |error| Failure::usage(format!("{error}"));
    if let Some(json) = &arguments.json_message {
        return Message::new(given(json)?).map_err(refused);
    }
    let content = given(arguments.text.as_deref().unwrap_or_default())?;
    let said = Said {
        role: &arguments.role,
        content: &content,
    };
    let json = serde_json::to_string(&said)
        .map_err(|error| Failure::usage(format!("the message cannot be written: {error}")))?;
    Message::new(json).map_err(refused)
}

/// The argument itself, or for `-` all of standard input.
pub(super) fn given(argument: &str) -> Outcome<String> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::input("standard input", &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!(
            "standard input is not UTF-8 at byte {at}; nothing was stored"
        ))
    })
}
