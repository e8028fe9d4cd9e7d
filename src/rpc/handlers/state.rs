//! Where the session stands, and what the model should see.

use super::budget::last_that_fit;
use super::{Answer, Connection};
use crate::model::json::Json;
use crate::model::{Selection, content_text};
use crate::read::ContextEnd;
use crate::rpc::convert;
use crate::rpc::failure::Failure;
use crate::rpc::options::Dialect;
use crate::rpc::types::answers::{ContextDto, LastText, ModelDto, State, Stats, Tokens};
use crate::rpc::types::nodes::Messages;
use crate::rpc::types::requests::{ContextOf, GetMessages, OnSession};
use crate::tree::SessionTree;

const ONE_AT_A_TIME: &str = "one-at-a-time";

pub(in crate::rpc) fn get_state(connection: &mut Connection, request: OnSession) -> Answer<State> {
    let tree = connection.tree(request.session.as_deref())?;
    let info = tree.info()?;
    let context = tree.context(&Selection::default())?;
    let is_dreb = connection.dialect() == Dialect::Dreb;
    let model = context.model.map(ModelDto::from);
    // Where no model is known, dreb leaves it out and pi names one that is unknown.
    let model = model.or_else(|| (!is_dreb).then(ModelDto::unknown));
    let (is_streaming, is_compacting) = connection.who_is_in(&tree)?;
    Ok(State {
        model,
        thinking_level: context.thinking_level,
        is_streaming,
        is_compacting,
        steering_mode: ONE_AT_A_TIME.to_owned(),
        follow_up_mode: ONE_AT_A_TIME.to_owned(),
        session_file: Some(connection.server.session_path(tree.id())),
        session_id: tree.id().to_string(),
        session_name: info.name,
        auto_compaction_enabled: false,
        message_count: context.messages.len() as u64,
        pending_message_count: 0,
        scoped_models: is_dreb.then(Vec::new),
        tasks: is_dreb.then(Vec::new),
        using_subscription: is_dreb.then_some(false),
        available_thinking_levels: is_dreb.then(Vec::new),
        is_retrying: is_dreb.then_some(false),
        retry_attempt: is_dreb.then_some(0),
        active_branch: info.active_branch,
        leaf_id: convert::string(info.leaf.as_ref()),
        cut: context.cut.as_ref().map(convert::cut),
    })
}

/// The whole context, or what is asked for of it.
pub(in crate::rpc) fn get_messages(
    connection: &mut Connection,
    request: GetMessages,
) -> Answer<Messages> {
    let tree = connection.tree(request.session.as_deref())?;
    let before = request.before.as_deref();
    let wanted = request.last.unwrap_or(u64::MAX);
    let Some(budget) = request.max_bytes else {
        let end = context_end(&tree, before, wanted)?;
        let messages = end
            .messages
            .iter()
            .map(|(_, message)| convert::raw(message));
        return Ok(Messages {
            messages: messages.collect(),
            more: None,
            cut: end.cut.as_ref().map(convert::cut),
        });
    };
    let mut cut = None;
    let (messages, is_full) = last_that_fit(wanted, budget, |window| {
        let end = context_end(&tree, before, window)?;
        cut = end.cut;
        Ok(end.messages.into_iter().map(|(_, message)| Ok(message)))
    })?;
    Ok(Messages {
        messages,
        more: is_full.then_some(true),
        cut: cut.filter(|_| !is_full).as_ref().map(convert::cut),
    })
}

/// The last messages of the context, or of what stands before the message of a node.
fn context_end(tree: &SessionTree, before: Option<&str>, wanted: u64) -> Answer<ContextEnd> {
    let is_whole = before.is_none() && wanted == u64::MAX;
    if !is_whole && let Some(end) = tree.context_end(before, wanted)? {
        return Ok(end);
    }
    let context = tree.context(&Selection::default())?;
    let mut messages = context.messages;
    if let Some(before) = before {
        let at = messages.iter().position(|(node, _)| *node == *before);
        let at = at.ok_or_else(|| {
            Failure::invalid(format!(
                "the node `{before}` has no message in the context; ask for those before one that has"
            ))
        })?;
        messages.truncate(at);
    }
    let most = usize::try_from(wanted).unwrap_or(usize::MAX);
    let surplus = messages.len().saturating_sub(most);
    messages.drain(..surplus);
    Ok(ContextEnd {
        messages,
        cut: context.cut.filter(|_| surplus == 0),
    })
}

/// What the model should see of any branch, with the node each message comes from.
pub(in crate::rpc) fn context(
    connection: &mut Connection,
    request: ContextOf,
) -> Answer<ContextDto> {
    let tree = connection.tree(request.session.as_deref())?;
    let selection = Selection {
        branch: request.branch,
        ..Selection::default()
    };
    let context = tree.context(&selection)?;
    let (node_ids, messages) = context
        .messages
        .iter()
        .map(|(node, message)| (node.to_string(), convert::raw(message)))
        .unzip();
    Ok(ContextDto {
        messages,
        node_ids,
        thinking_level: context.thinking_level,
        model: context.model.map(ModelDto::from),
        cut: context.cut.as_ref().map(convert::cut),
    })
}

pub(in crate::rpc) fn get_last_assistant_text(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<LastText> {
    let tree = connection.tree(request.session.as_deref())?;
    let messages = tree.context(&Selection::default())?.messages;
    let last = messages
        .iter()
        .rev()
        .map(|(_, message)| message.json())
        .find(|message| has_role(*message, "assistant") && !was_aborted_empty(*message));
    // The white space that JavaScript trims.
    let is_space = crate::model::preview::js_whitespace;
    let text = last
        .map(|message| content_text(message).trim_matches(is_space).to_owned())
        .filter(|text| !text.is_empty());
    Ok(LastText { text })
}

fn has_role(message: Json<'_>, role: &str) -> bool {
    message.get("role").and_then(Json::as_str).as_deref() == Some(role)
}

fn was_aborted_empty(message: Json<'_>) -> bool {
    let [reason, content] = message.fields(["stopReason", "content"]);
    reason.and_then(Json::as_str).as_deref() == Some("aborted")
        && content.is_none_or(|content| content.elements().next().is_none() && !content.is_string())
}

pub(in crate::rpc) fn get_session_stats(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<Stats> {
    let tree = connection.tree(request.session.as_deref())?;
    let counts = match connection.dialect() {
        Dialect::Dreb => tree.context_stats()?,
        Dialect::Pi => tree.stats()?,
    };
    let id = tree.id();
    Ok(Stats {
        session_file: Some(connection.server.session_path(id)),
        session_id: id.to_string(),
        user_messages: counts.user_messages,
        assistant_messages: counts.assistant_messages,
        tool_calls: counts.tool_calls,
        tool_results: counts.tool_results,
        total_messages: counts.total_messages,
        tokens: Tokens {
            input: counts.input_tokens,
            output: counts.output_tokens,
            cache_read: counts.cache_read_tokens,
            cache_write: counts.cache_write_tokens,
            total: counts.total_tokens(),
        },
        cost: counts.cost,
    })
}
