//! What a session has used: messages, calls, tokens and money, as the messages themselves say.

use crate::model::json::Json;
use crate::model::{MESSAGE, Message};

/// Counts over messages.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionStats {
    /// Messages of role `user`.
    pub user_messages: u64,
    /// Messages of role `assistant`.
    pub assistant_messages: u64,
    /// Calls of tools that they ask for.
    pub tool_calls: u64,
    /// Messages of role `toolResult` or `tool`.
    pub tool_results: u64,
    /// Messages of all roles.
    pub total_messages: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens written to a cache.
    pub cache_write_tokens: u64,
    /// In the currency of the source, which is US dollars in every format known so far.
    pub cost: f64,
}

impl SessionStats {
    /// Tokens of all four sorts.
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens
    }

    /// Counts a message of a context or a projection.
    pub fn count(&mut self, message: &Message) {
        self.add(message.json());
    }

    /// Counts a node of any kind: messages, and the usage that other kinds report.
    pub fn count_node(&mut self, kind: &str, payload: &Message) {
        match kind {
            MESSAGE => self.add(payload.json()),
            "usage" | "compaction" | "branch_summary" => self.add_usage(payload.json()),
            _ => {}
        }
    }

    fn add(&mut self, message: Json<'_>) {
        self.total_messages += 1;
        let [role, content, calls] = message.fields(["role", "content", "tool_calls"]);
        match role.and_then(Json::as_str).as_deref() {
            Some("user") => self.user_messages += 1,
            Some("toolResult" | "tool") => self.tool_results += 1,
            Some("assistant") => {
                self.assistant_messages += 1;
                let blocks = content.into_iter().flat_map(Json::elements);
                let is_call = |block: &Json<'_>| {
                    block.get("type").and_then(Json::as_str).as_deref() == Some("toolCall")
                };
                let listed = calls.into_iter().flat_map(Json::elements);
                self.tool_calls += (blocks.filter(is_call).count() + listed.count()) as u64;
                self.add_usage(message);
            }
            _ => {}
        }
    }

    fn add_usage(&mut self, holder: Json<'_>) {
        let Some(usage) = holder.get("usage") else {
            return;
        };
        let [input, output, cache_read, cache_write, cost] =
            usage.fields(["input", "output", "cacheRead", "cacheWrite", "cost"]);
        let tokens = |value: Option<Json<'_>>| {
            let tokens = value.and_then(Json::as_f64).filter(|tokens| *tokens > 0.0);
            tokens.unwrap_or(0.0) as u64
        };
        self.input_tokens = self.input_tokens.saturating_add(tokens(input));
        self.output_tokens = self.output_tokens.saturating_add(tokens(output));
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(tokens(cache_read));
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(tokens(cache_write));
        let cost = cost
            .and_then(|cost| cost.get("total"))
            .and_then(Json::as_f64);
        self.cost += cost.filter(|cost| cost.is_finite()).unwrap_or(0.0);
    }
}
