//! `stats`

use clap::Args;
use serde::Serialize;
use session_tree::SessionStats;

use super::Context;
use crate::cli::failure::Outcome;

#[derive(Args)]
pub(crate) struct Stats {
    /// Count only what the model sees now, instead of all nodes on all branches
    #[arg(long)]
    context: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    user_messages: u64,
    assistant_messages: u64,
    tool_calls: u64,
    tool_results: u64,
    total_messages: u64,
    tokens: Tokens,
    cost: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    total: u64,
}

impl From<&SessionStats> for Answer {
    fn from(stats: &SessionStats) -> Answer {
        Answer {
            user_messages: stats.user_messages,
            assistant_messages: stats.assistant_messages,
            tool_calls: stats.tool_calls,
            tool_results: stats.tool_results,
            total_messages: stats.total_messages,
            tokens: Tokens {
                input: stats.input_tokens,
                output: stats.output_tokens,
                cache_read: stats.cache_read_tokens,
                cache_write: stats.cache_write_tokens,
                total: stats.total_tokens(),
            },
            cost: stats.cost,
        }
    }
}

pub(super) fn run(context: &mut Context, arguments: &Stats) -> Outcome<()> {
    let tree = context.session()?;
    let stats = if arguments.context {
        tree.context_stats()?
    } else {
        tree.stats()?
    };
    let out = &mut context.out;
    if out.json {
        return out.json(&Answer::from(&stats));
    }
    out.line(format_args!(
        "messages  {} ({} user, {} assistant, {} tool results)",
        stats.total_messages, stats.user_messages, stats.assistant_messages, stats.tool_results
    ))?;
    out.line(format_args!("calls     {}", stats.tool_calls))?;
    out.line(format_args!(
        "tokens    {} ({} in, {} out, {} from cache, {} to cache)",
        stats.total_tokens(),
        stats.input_tokens,
        stats.output_tokens,
        stats.cache_read_tokens,
        stats.cache_write_tokens
    ))?;
    out.line(format_args!("cost      {}", stats.cost))
}
