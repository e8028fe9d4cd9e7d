//! What happened, and what happens.

use super::{Answer, Connection, Nothing};
use crate::model::change::Cursor;
use crate::rpc::convert;
use crate::rpc::types::answers::{ChangesDto, Subscribed};
use crate::rpc::types::requests::{Changes, Subscribe, Unsubscribe};

/// Changes of a page, unless another number is asked for.
const PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 1_000;

pub(in crate::rpc) fn changes(connection: &mut Connection, request: Changes) -> Answer<ChangesDto> {
    let tree = connection.tree(request.session.as_deref())?;
    let since = cursor(request.since.as_deref())?;
    let limit = request.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE);
    let page = tree.changes(since, limit)?;
    let (cursor, more) = (page.cursor.to_string(), page.more);
    let changes = page
        .changes
        .into_iter()
        .map(|change| convert::change(&tree, change))
        .collect::<Result<_, _>>()?;
    Ok(ChangesDto {
        changes,
        cursor,
        more,
    })
}

fn cursor(text: Option<&str>) -> Answer<Option<Cursor>> {
    Ok(text.map(str::parse).transpose()?)
}

pub(in crate::rpc) fn subscribe(
    connection: &mut Connection,
    request: Subscribe,
) -> Answer<Subscribed> {
    if request.all {
        connection.watch_all()?;
        return Ok(Subscribed { cursor: None });
    }
    let tree = connection.tree(request.session.as_deref())?;
    let since = match cursor(request.since.as_deref())? {
        Some(since) => since,
        // Nothing has happened in a session that is not there yet.
        None if connection.is_pending(&tree) => Cursor::default(),
        None => tree.cursor()?,
    };
    connection.watch(tree.id(), since)?;
    Ok(Subscribed {
        cursor: Some(since.to_string()),
    })
}

pub(in crate::rpc) fn unsubscribe(
    connection: &mut Connection,
    request: Unsubscribe,
) -> Answer<Nothing> {
    if request.all {
        connection.unwatch_all();
    } else {
        let tree = connection.tree(request.session.as_deref())?;
        connection.unwatch(tree.id());
    }
    Ok(Nothing)
}
