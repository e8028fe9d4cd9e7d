//! What happened, and what happens.

use super::{Answer, Connection, Nothing};
use crate::model::change::Cursor;
use crate::rpc::connection::ToWatch;
use crate::rpc::convert;
use crate::rpc::output::Ticket;
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

/// It is answered before anything is watched, so that the answer comes before every event.
pub(in crate::rpc) fn subscribe(connection: &mut Connection, request: Subscribe, ticket: Ticket) {
    match begin(connection, &request) {
        Ok((subscribed, watched)) => {
            ticket.answer(Ok(subscribed));
            connection.watch(watched);
        }
        Err(failure) => ticket.fail(failure),
    }
}

fn begin(connection: &mut Connection, request: &Subscribe) -> Answer<(Subscribed, ToWatch)> {
    connection.be_ready_to_watch()?;
    if request.all {
        let cursors = connection.store.cursors()?;
        return Ok((Subscribed { cursor: None }, ToWatch::All(cursors)));
    }
    let tree = connection.tree(request.session.as_deref())?;
    let since = match cursor(request.since.as_deref())? {
        // One that is not of this session is an error here, and not silence later.
        Some(since) if since != Cursor::default() => {
            tree.changes(Some(since), 1)?;
            since
        }
        Some(since) => since,
        // Nothing has happened in a session that is not there yet.
        None if connection.is_pending(&tree) => Cursor::default(),
        None => tree.cursor()?,
    };
    let cursor = Some(since.to_string());
    let watched = ToWatch::Session(tree.id().to_string(), since);
    Ok((Subscribed { cursor }, watched))
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
