//! Bytes to requests: LF-separated records of a stream, read ahead of the commands in a thread of their own.

use std::io::{BufReader, Read};
use std::sync::Arc;

use super::queue::Queue;
use crate::lines::{LineReader, MAX_RECORD_BYTES, Record};

/// The longest request: 128 MiB without its line end.
pub(super) const MAX_REQUEST_BYTES: usize = MAX_RECORD_BYTES;

/// One record as it came in.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A line without its line end.
    Line(Vec<u8>),
    /// A line of this many bytes, longer than is read.
    TooLong(u64),
}

/// Reads until the stream ends or fails, or nobody takes requests any more; then closes the queue. What was read until then
/// is still answered, so a stream that fails ends like one that is closed.
pub(super) fn read_all(stream: impl Read, queue: &Arc<Queue<Incoming>>) {
    let mut lines = LineReader::new(BufReader::new(stream), MAX_REQUEST_BYTES);
    while let Ok(Some(record)) = lines.next_record() {
        let (bytes, incoming) = match record {
            Record::Line(line) => (line.bytes.len(), Incoming::Line(line.bytes.to_vec())),
            Record::Oversized(place) => (0, Incoming::TooLong(place.length)),
        };
        if queue.push(bytes, incoming).is_err() {
            break;
        }
    }
    queue.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_at_lf_and_lose_one_cr() {
        let queue = Arc::new(Queue::new(1 << 20));
        read_all(&b"{\"a\":1}\r\n\n\xff\xe2\x80\xa8\x0b\nlast"[..], &queue);
        let lines: Vec<Vec<u8>> = std::iter::from_fn(|| queue.pop())
            .map(|incoming| match incoming {
                Incoming::Line(line) => line,
                Incoming::TooLong(_) => panic!("no line here is long"),
            })
            .collect();
        assert_eq!(
            lines,
            [&b"{\"a\":1}"[..], b"", b"\xff\xe2\x80\xa8\x0b", b"last"]
        );
    }
}
