//! Where the session stands, and what the model should see.

use super::{Answer, Connection};
use crate::model::json::Json;
use crate::model::{MESSAGE, content_text};
use crate::rpc::context;
use crate::rpc::convert;
use crate::rpc::options::Dialect;
use crate::rpc::types::answers::{LastText, ModelDto, State, Stats, Tokens};
use crate::rpc::types::nodes::Messages;
use crate::rpc::types::requests::OnSession;
use crate::rpc::write::Raw;

const ONE_AT_A_TIME: &str = "one-at-a-time";

pub(in crate::rpc) fn get_state(connection: &mut Connection, request: OnSession) -> Answer<State> {
    let tree = connection.tree(request.session.as_deref())?;
    let info = tree.info()?;
    let context = context::read(&tree)?;
    let is_dreb = connection.dialect() == Dialect::Dreb;
    // Where no model is known, dreb leaves it out and pi names one that is unknown.
    let (provider, id) = match (context.model, is_dreb) {
        (None, true) => (None, None),
        (None, false) => (Some("unknown".to_owned()), Some("unknown".to_owned())),
        (Some((provider, id)), _) => (Some(provider), Some(id)),
    };
    let model = id.zip(provider).map(|(id, provider)| ModelDto {
        name: id.clone(),
        id,
        provider,
    });
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
        cut: context.cut,
    })
}

pub(in crate::rpc) fn get_messages(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<Messages> {
    let tree = connection.tree(request.session.as_deref())?;
    let context = context::read(&tree)?;
    Ok(Messages {
        messages: context.messages,
        cut: context.cut,
    })
}

pub(in crate::rpc) fn get_last_assistant_text(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<LastText> {
    let tree = connection.tree(request.session.as_deref())?;
    let messages = context::read(&tree)?.messages;
    let last = messages
        .iter()
        .rev()
        .map(|message| Json::new(message.text()))
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
    let mut counts = Counts::default();
    match connection.dialect() {
        Dialect::Dreb => {
            for message in context::read(&tree)?.messages {
                counts.add(&message);
            }
        }
        Dialect::Pi => {
            for node in tree.nodes() {
                let node = node?;
                match node.kind.as_str() {
                    MESSAGE => counts.add(&convert::raw(&node.message)),
                    // Summaries and usage entries carry what they cost.
                    _ => counts.add_usage(node.message.json().get("usage")),
                }
            }
        }
    }
    let id = tree.id();
    Ok(Stats {
        session_file: Some(connection.server.session_path(id)),
        session_id: id.to_string(),
        user_messages: counts.user,
        assistant_messages: counts.assistant,
        tool_calls: counts.tool_calls,
        tool_results: counts.tool_results,
        total_messages: counts.total,
        tokens: counts.tokens(),
        cost: counts.cost,
    })
}

#[derive(Default)]
struct Counts {
    user: u64,
    assistant: u64,
    tool_calls: u64,
    tool_results: u64,
    total: u64,
    /// Input, output, cache read, cache write.
    tokens: [u64; 4],
    cost: f64,
}

impl Counts {
    fn add(&mut self, message: &Raw) {
        let [role, content, usage] = Json::new(message.text()).fields(["role", "content", "usage"]);
        self.total += 1;
        match role.and_then(Json::as_str).as_deref() {
            Some("user") => self.user += 1,
            Some("toolResult") => self.tool_results += 1,
            Some("assistant") => {
                self.assistant += 1;
                let parts = content.into_iter().flat_map(Json::elements);
                let calls = parts.filter(|part| {
                    part.get("type").and_then(Json::as_str).as_deref() == Some("toolCall")
                });
                self.tool_calls += calls.count() as u64;
                self.add_usage(usage);
            }
            _ => {}
        }
    }

    fn add_usage(&mut self, usage: Option<Json<'_>>) {
        let Some(usage) = usage else {
            return;
        };
        let counts = usage.fields(["input", "output", "cacheRead", "cacheWrite"]);
        for (sum, count) in self.tokens.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count.and_then(Json::as_u64).unwrap_or(0));
        }
        let cost = usage.get("cost").and_then(|cost| cost.get("total"));
        self.cost += cost
            .and_then(Json::as_f64)
            .filter(|cost| cost.is_finite())
            .unwrap_or(0.0);
    }

    fn tokens(&self) -> Tokens {
        let [input, output, cache_read, cache_write] = self.tokens;
        let total = self
            .tokens
            .iter()
            .fold(0, |sum: u64, part| sum.saturating_add(*part));
        Tokens {
            input,
            output,
            cache_read,
            cache_write,
            total,
        }
    }
}
