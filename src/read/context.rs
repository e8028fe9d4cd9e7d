//! What the model should see of a path: compactions, edits and summaries applied.
//!
//! The path is walked twice. First its nodes are looked at without the text of messages, for what decides: the last
//! compaction, the model, the level of thinking. Then only what is kept is read.

mod emit;
#[cfg(feature = "rpc")]
mod end;
mod facts;

use std::collections::HashMap;
use std::sync::Arc;

use super::path::{Cut, PathPlan, Run, Window};
use super::projection::PathNodes;
use super::select::select;
use crate::db::Db;
use crate::model::{Message, NodeId, Result, Selection};
use emit::{Edit, edit_of, edited, said, summary_of};
use facts::facts;

#[cfg(feature = "rpc")]
pub(crate) use end::{ContextEnd, context_end};
pub(crate) use facts::named_by_place;

/// What the model should see.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The messages in order, each with the node it comes from. Those of nodes that are no messages are made up, with the roles
    /// `compactionSummary`, `branchSummary` and `custom`.
    pub messages: Vec<(NodeId, Message)>,
    /// The level of thinking that was set last, else `off`.
    pub thinking_level: String,
    /// The model that was set or that answered last.
    pub model: Option<ModelRef>,
    /// Where the path was cut, if it does not reach a root.
    pub cut: Option<Cut>,
}

/// A model, as its provider names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelRef {
    /// Its provider.
    pub provider: String,
    /// Its id there.
    pub model_id: String,
}

/// Builds the context of the selected path.
pub(crate) fn context(db: &Arc<Db>, session_key: i64, selection: &Selection) -> Result<Context> {
    let (plan, facts) = db.read(|tx| {
        let plan = select(tx, session_key, selection, Window::FromCut)?;
        let facts = facts(tx, session_key, &plan)?;
        Ok((plan, facts))
    })?;
    let mut context = Context {
        thinking_level: facts.thinking_level.unwrap_or_else(|| String::from("off")),
        model: facts.model,
        cut: plan.cut.clone(),
        ..Context::default()
    };
    let mut system_is_given = false;
    if let Some(compaction) = &facts.compaction {
        if let Some(system) = compaction.message.json().get("systemMessage")
            && system.is_object()
        {
            system_is_given = true;
            let message = Message::from_stored(system.text().to_owned());
            context.messages.push((compaction.id.clone(), message));
        }
        context.messages.push(summary_of(compaction));
    }
    let before = facts
        .compaction
        .as_ref()
        .map_or(0, |compaction| compaction.seq);
    let mut edits: HashMap<String, Edit> = HashMap::new();
    for node in PathNodes::new(Arc::clone(db), from(&plan, facts.start)) {
        let node = node?;
        // The system message of the compaction takes the place of those before it.
        if system_is_given && node.role.as_deref() == Some("system") && node.seq < before {
            continue;
        }
        match edit_of(&node) {
            Some((target, edit)) => drop(edits.insert(target, edit)),
            None => context.messages.extend(said(&node)),
        }
    }
    if !edits.is_empty() {
        context.messages = edited(context.messages, &edits);
    }
    Ok(context)
}

/// The part of a path from a key of it on; nothing for a key that is not on it.
fn from(plan: &PathPlan, start: Option<i64>) -> PathPlan {
    let Some(start) = start else {
        return plan.clone();
    };
    let holds = |run: &Run| (run.first..=run.last).contains(&start);
    let runs = plan.runs.iter().skip_while(|run| !holds(run));
    PathPlan {
        runs: runs
            .map(|run| Run {
                first: if holds(run) { start } else { run.first },
                last: run.last,
            })
            .collect(),
        ..PathPlan::default()
    }
}
