//! Walking over JSON bytes: validation, depth, and the ends of values. Nothing here recurses, so depth costs memory
//! (one bit a level) and never stack.

use memchr::memchr2;

use super::JsonError;

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH_BITS: u64 = ONES << 7;

/// The high bit of the first byte of `word` (in memory order) below `limit` is set; later bytes may be marked wrongly.
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * limit as u64) & !word & HIGH_BITS
}

/// Like [`below`], for the first byte that equals `byte`.
const fn equal_to(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * byte as u64), 1)
}

/// Index of the first byte at or after `from` that `marks` marks in the lowest lane, or the length.
fn find(bytes: &[u8], from: usize, marks: impl Fn(u64) -> u64) -> usize {
    let mut at = from.min(bytes.len());
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let hits = marks(u64::from_le_bytes(*chunk));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < bytes.len() && marks(u64::from(bytes[at])) & 0x80 == 0 {
        at += 1;
    }
    at
}

/// Index of the first byte at or after `from` that is one of `wanted`, or the length.
pub(crate) fn find_any<const N: usize>(bytes: &[u8], from: usize, wanted: [u8; N]) -> usize {
    find(bytes, from, |word| {
        wanted
            .iter()
            .fold(0, |marks, byte| marks | equal_to(word, *byte))
    })
}

/// Index of the first byte at or after `from` that a JSON string cannot hold as it is, or the length.
pub(super) fn find_unplain(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, |word| {
        equal_to(word, b'"') | equal_to(word, b'\\') | below(word, 0x20)
    })
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Index of the first byte at or after `from` that is no JSON white space, or the length.
pub(super) fn skip_space(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while bytes.get(at).is_some_and(|byte| is_space(*byte)) {
        at += 1;
    }
    at
}

/// Index after the closing quote of the string whose opening quote stands before `from`. Escapes are not checked.
pub(super) fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// Index after the value that starts at `from`. The value is not checked; `None` when it does not end.
pub(super) fn value_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at + 1)?,
            b'{' | b'[' => {
                open += 1;
                at += 1;
            }
            b'}' | b']' => {
                open = open.checked_sub(1)?;
                at += 1;
            }
            _ if open > 0 => {
                at += 1;
                continue;
            }
            _ => at = scalar_end(bytes, at)?,
        }
        if open == 0 {
            return Some(at);
        }
    }
}

fn scalar_end(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let length = rest
        .iter()
        .position(|byte| is_space(*byte) || matches!(byte, b',' | b':' | b'}' | b']'))
        .unwrap_or(rest.len());
    (length > 0).then_some(from + length)
}

/// How many objects and arrays the deepest place of `text` lies in: 0 for a bare string or number, 1 for `{}`.
pub(crate) fn depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut open, mut deepest, mut at) = (0_usize, 0, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => match string_end(bytes, at) {
                Some(end) => at = end,
                None => break,
            },
            b'{' | b'[' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[derive(Clone, Copy, PartialEq)]
enum Container {
    Array,
    Object,
}

/// The containers around a place, one bit each.
#[derive(Default)]
struct Nesting {
    words: Vec<u64>,
    length: usize,
}

impl Nesting {
    fn enter(&mut self, container: Container) {
        let bit = self.length % 64;
        if bit == 0 {
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word = (*word & !(1 << bit)) | (u64::from(container == Container::Object) << bit);
        }
        self.length += 1;
    }

    fn leave(&mut self) {
        self.length = self.length.saturating_sub(1);
        if self.length.is_multiple_of(64) {
            self.words.pop();
        }
    }

    fn innermost(&self) -> Option<Container> {
        let word = self.words.last()?;
        let bit = (self.length - 1) % 64;
        Some(match word >> bit & 1 {
            1 => Container::Object,
            _ => Container::Array,
        })
    }
}

/// Accepts exactly one JSON value with white space around it, as RFC 8259 has it. An escape of one surrogate half is
/// accepted, as the grammar does. Any depth is.
pub(crate) fn validate(text: &str) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let mut nesting = Nesting::default();
    let mut at = skip_space(bytes, 0);
    loop {
        at = match bytes.get(at) {
            Some(b'"') => check_string(bytes, at + 1)?,
            Some(b'{') => {
                nesting.enter(Container::Object);
                let first = skip_space(bytes, at + 1);
                if bytes.get(first) != Some(&b'}') {
                    at = check_name(bytes, first, "expected a member name in quotes or `}`")?;
                    continue;
                }
                nesting.leave();
                first + 1
            }
            Some(b'[') => {
                nesting.enter(Container::Array);
                let first = skip_space(bytes, at + 1);
                if bytes.get(first) != Some(&b']') {
                    at = first;
                    continue;
                }
                nesting.leave();
                first + 1
            }
            Some(b'-' | b'0'..=b'9') => check_number(bytes, at)?,
            Some(b't') => check_word(bytes, at, b"true")?,
            Some(b'f') => check_word(bytes, at, b"false")?,
            Some(b'n') => check_word(bytes, at, b"null")?,
            _ => return Err(JsonError::new(at, "expected a value")),
        };
        // A value ends before `at`: close what ends with it, then go on to the next value.
        loop {
            at = skip_space(bytes, at);
            match (nesting.innermost(), bytes.get(at)) {
                (None, None) => return Ok(()),
                (None, Some(_)) => return Err(JsonError::new(at, "expected nothing more")),
                (Some(Container::Object), Some(b'}')) | (Some(Container::Array), Some(b']')) => {
                    nesting.leave();
                    at += 1;
                }
                (Some(Container::Object), Some(b',')) => {
                    let name = skip_space(bytes, at + 1);
                    at = check_name(bytes, name, "expected a member name in quotes")?;
                    break;
                }
                (Some(Container::Array), Some(b',')) => {
                    at = skip_space(bytes, at + 1);
                    break;
                }
                (Some(Container::Object), _) => {
                    return Err(JsonError::new(at, "expected a comma or `}`"));
                }
                (Some(Container::Array), _) => {
                    return Err(JsonError::new(at, "expected a comma or `]`"));
                }
            }
        }
    }
}

/// Checks a member name, the colon after it and the white space around them; returns where the value must start.
fn check_name(bytes: &[u8], at: usize, otherwise: &'static str) -> Result<usize, JsonError> {
    if bytes.get(at) != Some(&b'"') {
        return Err(JsonError::new(at, otherwise));
    }
    let colon = skip_space(bytes, check_string(bytes, at + 1)?);
    if bytes.get(colon) != Some(&b':') {
        return Err(JsonError::new(colon, "expected a colon"));
    }
    Ok(skip_space(bytes, colon + 1))
}

fn check_string(bytes: &[u8], from: usize) -> Result<usize, JsonError> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let plain = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        // Looking at all of them is quicker than stopping at the first.
        let is_control = |byte: &u8| *byte < 0x20;
        let found = &rest[..plain];
        if found.iter().fold(false, |any, byte| any | is_control(byte)) {
            let offset = at + found.iter().position(is_control).unwrap_or(plain);
            return Err(JsonError::new(
                offset,
                "unescaped control character in a string",
            ));
        }
        at += plain;
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(_) => at += check_escape(bytes, at)?,
            None => return Err(JsonError::new(at, "expected the end of a string")),
        }
    }
}

fn check_escape(bytes: &[u8], backslash: usize) -> Result<usize, JsonError> {
    match bytes.get(backslash + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
        Some(b'u') if hex_unit(bytes, backslash + 2).is_some() => Ok(6),
        _ => Err(JsonError::new(backslash, "unknown escape in a string")),
    }
}

/// The UTF-16 unit written as four hexadecimal digits at `at`.
pub(super) fn hex_unit(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |unit, byte| {
        let digit = char::from(*byte).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}

fn check_word(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, JsonError> {
    match bytes[at..].starts_with(word) {
        true => Ok(at + word.len()),
        false => Err(JsonError::new(at, "expected a value")),
    }
}

fn check_number(bytes: &[u8], from: usize) -> Result<usize, JsonError> {
    let mut at = from + usize::from(bytes.get(from) == Some(&b'-'));
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        _ => check_digits(bytes, at)?,
    };
    if bytes.get(at) == Some(&b'.') {
        at = check_digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = check_digits(bytes, at)?;
    }
    Ok(at)
}

fn check_digits(bytes: &[u8], from: usize) -> Result<usize, JsonError> {
    let mut at = from;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    match at > from {
        true => Ok(at),
        false => Err(JsonError::new(at, "expected a digit")),
    }
}
