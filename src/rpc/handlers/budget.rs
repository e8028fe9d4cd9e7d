//! Messages from the end of a list, as many as fit.

use super::Answer;
use crate::model::{Message, Result};
use crate::rpc::convert;
use crate::rpc::write::Raw;

/// The longest end of a list whose messages have at most `budget` bytes together, of the last `wanted`; and whether that left
/// some out. `read` reads the last so many: windows of growing size, so that the cost is that of the answer and not of the list.
pub(super) fn last_that_fit<I: Iterator<Item = Result<Message>>>(
    wanted: u64,
    budget: u64,
    mut read: impl FnMut(u64) -> Answer<I>,
) -> Answer<(Vec<Raw>, bool)> {
    let mut window = 16.min(wanted);
    loop {
        let mut found = Vec::new();
        let mut bytes = 0_u64;
        let (mut count, mut is_full) = (0_u64, false);
        for message in read(window)? {
            let message = convert::raw(&message?);
            count += 1;
            bytes += message.text().len() as u64;
            found.push(message);
            // The first ones are too many: what is wanted ends with the last.
            let mut surplus = 0;
            while bytes > budget
                && let Some(first) = found.get(surplus)
            {
                bytes -= first.text().len() as u64;
                surplus += 1;
                is_full = true;
            }
            found.drain(..surplus);
        }
        if is_full || count < window || window == wanted {
            return Ok((found, is_full));
        }
        window = window.saturating_mul(4).min(wanted);
    }
}
