//! Lines of a stream of bytes. Only LF ends a line: U+2028 and the like are text inside JSON strings, and what is read
//! need not even be UTF-8.

use std::io::{self, BufRead, ErrorKind};

use crate::model::json::find_any;

/// The longest record that is read: 128 MiB without its line end. It bounds the memory one line can take, in files and
/// over RPC, and leaves room for a message with a few large images; a longer line is skipped and reported.
pub(crate) const MAX_RECORD_BYTES: usize = 128 * 1024 * 1024;

/// A buffer grown beyond this for one long line is given back at the next.
const KEPT_CAPACITY: usize = 1024 * 1024;

/// Where a line stands in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Counted from 1.
    pub number: u64,
    /// The byte the line starts at.
    pub offset: u64,
    /// Bytes from there to the start of the next line: text, CR and LF.
    pub length: u64,
    /// Whether a LF ended the line; only the last one of a stream can lack it.
    pub terminated: bool,
}

/// One line that was read. Its bytes, then a CR if `carriage_return`, then a LF if `terminated`, are the stream's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub place: Place,
    pub bytes: &'a [u8],
    /// Whether a CR stood at the end of the line; it is framing and not in `bytes`.
    pub carriage_return: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    Line(Line<'a>),
    /// A line longer than the limit: skipped, and never held in memory as a whole.
    Oversized(Place),
}

/// Cuts a stream into lines. It holds one line at a time, so its memory is bounded by the limit.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: R,
    limit: usize,
    /// The line being read, up to `limit` + 1 bytes: the last may turn out to be a CR.
    buffer: Vec<u8>,
    place: Place,
    /// The line in `buffer` was handed out.
    finished: bool,
}

impl<R: BufRead> LineReader<R> {
    /// `limit` is the longest line that is handed out, in bytes without CR and LF.
    pub fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            buffer: Vec::new(),
            place: Place {
                number: 1,
                offset: 0,
                length: 0,
                terminated: false,
            },
            finished: false,
        }
    }

    /// The next line; `None` at the end of the stream. After an error the same line can be read on. A stream that has
    /// grown since it ended can be read on too: what follows starts a new line.
    pub fn next_record(&mut self) -> io::Result<Option<Record<'_>>> {
        if self.finished {
            self.start_next_line();
        }
        while !self.place.terminated {
            let available = match self.reader.fill_buf() {
                Ok([]) => break,
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let text = find_any(available, 0, [b'\n']);
            let kept = text.min(
                self.limit
                    .saturating_add(1)
                    .saturating_sub(self.buffer.len()),
            );
            self.buffer.extend_from_slice(&available[..kept]);
            self.place.terminated = text < available.len();
            let consumed = text + usize::from(self.place.terminated);
            self.place.length += consumed as u64;
            self.reader.consume(consumed);
        }
        if self.place.length == 0 {
            return Ok(None);
        }
        self.finished = true;
        Ok(Some(self.record()))
    }

    fn start_next_line(&mut self) {
        self.finished = false;
        self.buffer.clear();
        self.buffer.shrink_to(KEPT_CAPACITY);
        self.place = Place {
            number: self.place.number + 1,
            offset: self.place.offset + self.place.length,
            length: 0,
            terminated: false,
        };
    }

    fn record(&self) -> Record<'_> {
        let place = self.place;
        let text = place.length - u64::from(place.terminated);
        if text > self.buffer.len() as u64 {
            return Record::Oversized(place);
        }
        let (bytes, carriage_return) = match self.buffer.as_slice() {
            [bytes @ .., b'\r'] => (bytes, true),
            bytes => (bytes, false),
        };
        if bytes.len() > self.limit {
            return Record::Oversized(place);
        }
        Record::Line(Line {
            place,
            bytes,
            carriage_return,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    fn drawn(stream: &[u8], capacity: usize, limit: usize) -> Vec<String> {
        let mut lines = LineReader::new(BufReader::with_capacity(capacity, stream), limit);
        let mut drawn = Vec::new();
        while let Some(record) = lines.next_record().unwrap() {
            let (place, text) = match record {
                Record::Line(line) => (line.place, {
                    let text = line.bytes.escape_ascii().to_string();
                    text + if line.carriage_return { "<CR>" } else { "" }
                }),
                Record::Oversized(place) => (place, "<oversized>".to_owned()),
            };
            let end = if place.terminated { "<LF>" } else { "" };
            drawn.push(format!(
                "{} {}+{} {text}{end}",
                place.number, place.offset, place.length
            ));
        }
        drawn
    }

    #[test]
    fn only_a_line_feed_ends_a_line() {
        let cases: [(&[u8], &[&str]); 6] = [
            (b"", &[]),
            (b"\n", &["1 0+1 <LF>"]),
            (b"a\r\n\nb", &["1 0+3 a<CR><LF>", "2 3+1 <LF>", "3 4+1 b"]),
            (b"a\rb\r\r\n", &["1 0+6 a\\rb\\r<CR><LF>"]),
            (
                b"a\xff\xe2\x80\xa8\x85\x0b\r",
                &["1 0+8 a\\xff\\xe2\\x80\\xa8\\x85\\x0b<CR>"],
            ),
            (
                b"1234\r\n12345\n123456\r\n1\n",
                &[
                    "1 0+6 1234<CR><LF>",
                    "2 6+6 12345<LF>",
                    "3 12+8 <oversized><LF>",
                    "4 20+2 1<LF>",
                ],
            ),
        ];
        for (stream, expected) in cases {
            let limit = if stream.starts_with(b"1234") { 5 } else { 64 };
            for capacity in 1..10 {
                assert_eq!(
                    drawn(stream, capacity, limit),
                    expected,
                    "{}",
                    stream.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn a_skipped_line_takes_no_memory_to_speak_of() {
        let stream = io::repeat(b'x')
            .take(64 * 1024 * 1024)
            .chain(&b"\nnext"[..]);
        let mut lines = LineReader::new(BufReader::new(stream), 1000);
        let record = lines.next_record().unwrap();
        assert!(
            matches!(record, Some(Record::Oversized(place)) if place.length == 64 * 1024 * 1024 + 1)
        );
        assert!(lines.buffer.capacity() < 4096);
        let record = lines.next_record().unwrap();
        assert!(matches!(record, Some(Record::Line(line)) if line.bytes == b"next"));
    }

    #[test]
    fn memory_of_a_long_line_is_given_back() {
        let stream = io::repeat(b'x').take(8 * 1024 * 1024).chain(&b"\nnext"[..]);
        let mut lines = LineReader::new(BufReader::new(stream), MAX_RECORD_BYTES);
        let record = lines.next_record().unwrap();
        assert!(matches!(record, Some(Record::Line(line)) if line.bytes.len() == 8 * 1024 * 1024));
        assert!(lines.next_record().unwrap().is_some());
        assert!(lines.buffer.capacity() <= KEPT_CAPACITY);
    }

    /// Fails between any two bytes, as a socket with a timeout does.
    struct Stuttering<'a>(&'a [u8], bool);

    impl Read for Stuttering<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            match self.1 {
                true => Err(ErrorKind::WouldBlock.into()),
                false => self.0.read(&mut into[..1]),
            }
        }
    }

    #[test]
    fn an_error_loses_nothing_that_was_read() {
        let mut lines = LineReader::new(BufReader::new(Stuttering(b"one\ntwo", false)), 10);
        let mut read = Vec::new();
        let mut failures = 0;
        loop {
            match lines.next_record() {
                Ok(Some(Record::Line(line))) => read.push(line.bytes.to_vec()),
                Ok(_) => break,
                Err(_) => failures += 1,
            }
        }
        assert_eq!(read, [b"one", b"two"]);
        assert!(failures > 7);
    }

    proptest! {
        #[test]
        fn lines_add_up_to_the_stream(
            stream in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            capacity in 1_usize..50,
        ) {
            let mut lines = LineReader::new(BufReader::with_capacity(capacity, &stream[..]), 200);
            let mut joined = Vec::new();
            while let Some(record) = lines.next_record().unwrap() {
                let Record::Line(line) = record else { panic!("nothing is longer than the stream") };
                prop_assert_eq!(line.place.offset, joined.len() as u64);
                joined.extend_from_slice(line.bytes);
                joined.extend(line.carriage_return.then_some(b'\r'));
                joined.extend(line.place.terminated.then_some(b'\n'));
            }
            prop_assert_eq!(joined, stream);
        }
    }
}
