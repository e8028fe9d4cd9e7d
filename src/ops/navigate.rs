//! Navigating: the guarded move of a person. Planned in one transaction, made in another; a summary is written between.

use rusqlite::{Connection, OptionalExtension};

use super::guard::{Place, admit, end, place_of, still_there, switched, take};
use super::record::{Operation, record};
use super::rewind::{KeepOld, move_leaf};
use super::{Ctx, append, label, summarize};
use crate::db::{Fault, Outcome, branch_by_key, key_by_id, public_id, session_by_key};
use crate::model::json::{Json, push_string};
use crate::model::{
    Error, ErrorKind, GuardKind, Message, NavigationSummary, NewNode, NodeId, content_text,
};

/// Where a navigation goes, and from where.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub target: NodeId,
    pub target_key: i64,
    pub from: Place,
    /// `None`: before the first node.
    pub to_key: Option<i64>,
    pub to: Option<NodeId>,
    /// The text of the target, where that is to be edited and sent anew.
    pub editor_text: Option<String>,
}

/// What became of a plan.
pub(crate) enum Planning {
    /// The target is the leaf: there is nothing to do.
    Here(Place),
    /// The guard is taken under this fencing number.
    Taken(i64, Route),
}

const TARGET: &str = "
  SELECT node.parent_key, parent.id, node.kind, node.role,
    CASE WHEN node.kind = 'custom_message' OR (node.kind = 'message' AND node.role = 'user') THEN node.payload END
  FROM nodes AS node LEFT JOIN nodes AS parent ON parent.key = node.parent_key
  WHERE node.key = ?1";

/// Finds the way and takes the guard. `lacks_summarizer`: a summary is asked for, and nobody could write it.
pub(crate) fn plan_navigation(
    conn: &Connection,
    ctx: &Ctx<'_>,
    target: &str,
    lacks_summarizer: bool,
) -> Outcome<Planning> {
    session_by_key(conn, ctx.session_key)?;
    admit(conn, ctx)?;
    let here = place_of(conn, ctx.session_key, None)?;
    let key = key_by_id(conn, ctx.session_key, target)?;
    if key.is_some() && key == here.pin.leaf_key {
        return Ok(Planning::Here(here));
    }
    if lacks_summarizer {
        return Err(Fault::Ours(Error::new(
            ErrorKind::SummarizerFailed,
            "No model available for summarization",
        )));
    }
    let target_key = key.ok_or_else(|| Error::node_not_found(target))?;
    let target = NodeId::from(target);
    let (parent, text) = conn
        .prepare_cached(TARGET)?
        .query_row((target_key,), |row| {
            let parent_key: Option<i64> = row.get(0)?;
            let parent_id: Option<String> = row.get(1)?;
            let text: Option<String> = row.get(4)?;
            Ok((parent_key.map(|key| (key, public_id(parent_id, key))), text))
        })?;
    let editor_text = text.map(|payload| content_text(Json::new(&payload)));
    let (to_key, to) = match (&editor_text, parent) {
        (None, _) => (Some(target_key), Some(target.clone())),
        (Some(_), Some((key, id))) => (Some(key), Some(id)),
        (Some(_), None) => (None, None),
    };
    let (fence, from) = take(conn, ctx, GuardKind::Navigation, None)?;
    Ok(Planning::Taken(
        fence,
        Route {
            target,
            target_key,
            from,
            to_key,
            to,
            editor_text,
        },
    ))
}

/// What a navigation did.
#[derive(Debug)]
pub(crate) struct Moved {
    pub leaf: Option<NodeId>,
    pub preserved: Option<String>,
    pub summary_node: Option<NodeId>,
}

/// The branch that still ends where the active one did.
const LEFT_BEHIND: &str = "
  SELECT name FROM branches WHERE leaf_key = ?1 AND resting = 1 AND key <> ?2 ORDER BY key LIMIT 1";

/// Makes the move and frees the guard, unless the guard was lost or the branch was moved since the plan.
pub(crate) fn commit_navigation(
    conn: &Connection,
    ctx: &Ctx<'_>,
    fence: i64,
    route: &Route,
    summary: Option<&NavigationSummary>,
    label_text: Option<&str>,
) -> Outcome<Moved> {
    let session = session_by_key(conn, ctx.session_key)?;
    let branch = branch_by_key(conn, session.key, session.active_branch_key)?;
    // That the place has changed says more than that the guard was lost, so it is looked at first.
    if branch.key != route.from.pin.branch_key {
        return Err(Fault::Ours(switched(&branch.name)));
    }
    still_there(conn, ctx, route.from.pin)?;
    admit(conn, ctx)?;
    let preserved = move_leaf(conn, ctx, &branch, route.to_key, KeepOld::IfUnnamed)?;
    let mut leaf = route.to.clone();
    let mut leaf_key = route.to_key;
    let mut summary_node = None;
    let summary = summary.filter(|summary| !summary.text.is_empty());
    if let Some(summary) = summary {
        let node = NewNode::of_kind("branch_summary", summary_payload(route, summary))
            .on_branch(&branch.name);
        let appended = append::append(conn, ctx, &node)?;
        leaf_key = appended.moved.and_then(|moved| moved.leaf_key);
        leaf = Some(appended.id.clone());
        summary_node = Some(appended.id);
    }
    record(
        conn,
        ctx,
        Operation {
            verb: "navigate",
            branch_key: Some(branch.key),
            from_key: branch.leaf_key,
            to_key: leaf_key,
            detail: Some(serde_json::json!({
                "target": route.target.as_str(),
                "preserved": preserved,
                "summary_node": summary_node.as_deref(),
            })),
        },
    )?;
    if let (Some(summary), Some(old_key), Some(old)) = (summary, branch.leaf_key, &route.from.leaf)
    {
        let left: Option<String> = conn
            .prepare_cached(LEFT_BEHIND)?
            .query_row((old_key, branch.key), |row| row.get(0))
            .optional()?;
        if let Some(left) = left {
            let model_id = summary.model_id.as_deref();
            summarize::summarize(conn, ctx, &left, Some(old), &summary.text, model_id)?;
        }
    }
    if let Some(text) = label_text.filter(|text| !text.is_empty()) {
        let marked = summary_node.as_ref().unwrap_or(&route.target);
        label::label(conn, ctx, marked, text)?;
    }
    end(conn, session.key, fence)?;
    Ok(Moved {
        leaf,
        preserved,
        summary_node,
    })
}

/// `fromId` names the leaf that was left, as the newer of the formats that know this kind have it.
fn summary_payload(route: &Route, summary: &NavigationSummary) -> Message {
    let mut json = String::from("{\"fromId\":");
    push_string(&mut json, route.from.leaf.as_deref().unwrap_or("root"));
    json.push_str(",\"summary\":");
    push_string(&mut json, &summary.text);
    json.push_str(",\"fromHook\":");
    json.push_str(if summary.from_hook { "true}" } else { "false}" });
    Message::from_stored(json)
}
