//! A cursor over one value of a JSON text.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::ops::Range;
use std::str;

use super::scan::{find_any, hex_unit, is_space, skip_space, string_end, value_end};

/// One value inside a JSON text. Copying it is free; a question costs at most one pass over the value. The text should
/// have passed [`validate`](super::validate); in any other text the answers may be missing, but nothing panics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a> {
    text: &'a str,
}

impl<'a> Json<'a> {
    /// The value that `text` holds, white space around it left out.
    pub fn new(text: &'a str) -> Self {
        let text = text.trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
        Self { text }
    }

    /// The value as it is written.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// Where in `outer`, the text it was cut from, the value stands (in bytes); 0..0 for any other text.
    pub fn span_in(self, outer: &str) -> Range<usize> {
        let start = (self.text.as_ptr() as usize).checked_sub(outer.as_ptr() as usize);
        start
            .map(|start| start..start.saturating_add(self.text.len()))
            .filter(|span| span.end <= outer.len())
            .unwrap_or(0..0)
    }

    fn first(self) -> Option<u8> {
        self.text.bytes().next()
    }

    pub fn is_object(self) -> bool {
        self.first() == Some(b'{')
    }

    pub fn is_array(self) -> bool {
        self.first() == Some(b'[')
    }

    pub fn is_string(self) -> bool {
        self.first() == Some(b'"')
    }

    pub fn is_null(self) -> bool {
        self.text == "null"
    }

    pub fn is_number(self) -> bool {
        let digits = self.text.strip_prefix('-').unwrap_or(self.text);
        digits.starts_with(|c: char| c.is_ascii_digit())
    }

    pub fn as_bool(self) -> Option<bool> {
        self.text.parse().ok()
    }

    /// The number as a float. Beyond the range of `f64` it is infinite, as in JavaScript.
    pub fn as_f64(self) -> Option<f64> {
        self.number()?.parse().ok()
    }

    /// The number as an integer, also when it is written as a float without a fraction (`1e3`) up to 2^53.
    pub fn as_i64(self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let text = self.number()?;
        text.parse().ok().or_else(|| {
            let float: f64 = text.parse().ok()?;
            (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
        })
    }

    /// The number as an unsigned integer, if it is written as one.
    pub fn as_u64(self) -> Option<u64> {
        self.number()?.parse().ok()
    }

    fn number(self) -> Option<&'a str> {
        self.is_number().then_some(self.text)
    }

    /// The string with its escapes resolved. A surrogate half without its other half becomes U+FFFD.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let body = self.string_body()?;
        if !body.contains('\\') {
            return Some(Cow::Borrowed(body));
        }
        let mut text = String::with_capacity(body.len());
        for piece in Pieces::of(body) {
            match piece {
                Piece::Run(run) => text.push_str(run),
                Piece::Char(c) => text.push(c),
                Piece::LoneSurrogate(_) => text.push(char::REPLACEMENT_CHARACTER),
            }
        }
        Some(Cow::Owned(text))
    }

    /// The text of [`as_str`](Self::as_str) in parts, resolved as they are asked for: a run as it is written, or the
    /// character that an escape stands for. None if the value is no string.
    pub fn parts(self) -> impl Iterator<Item = (&'a str, Option<char>)> {
        self.string_pieces().map(|piece| match piece {
            Piece::Run(run) => (run, None),
            Piece::Char(c) => ("", Some(c)),
            Piece::LoneSurrogate(_) => ("", Some(char::REPLACEMENT_CHARACTER)),
        })
    }

    pub(super) fn string_pieces(self) -> Pieces<'a> {
        Pieces::of(self.string_body().unwrap_or_default())
    }

    /// What stands between the quotes.
    fn string_body(self) -> Option<&'a str> {
        self.text.strip_prefix('"')?.strip_suffix('"')
    }

    fn is_string_of(self, wanted: &str) -> bool {
        match self.string_body() {
            Some(body) if !body.contains('\\') => body == wanted,
            _ => self.as_str().as_deref() == Some(wanted),
        }
    }

    /// The members of an object in their order, duplicates included; none if the value is no object.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> {
        self.named_members()
            .map(|(name, value)| (name.as_str().unwrap_or_default(), value))
    }

    pub(super) fn named_members(self) -> Members<'a> {
        Members {
            text: if self.is_object() { self.text } else { "" },
            at: 1,
        }
    }

    /// The member of this name; of several the last, as JavaScript takes it.
    pub fn get(self, name: &str) -> Option<Json<'a>> {
        let [value] = self.fields([name]);
        value
    }

    /// Several members in one pass, each as [`get`](Self::get) finds it.
    pub fn fields<const N: usize>(self, names: [&str; N]) -> [Option<Json<'a>>; N] {
        let mut found = [None; N];
        for (name, value) in self.named_members() {
            for (wanted, slot) in names.iter().zip(&mut found) {
                if name.is_string_of(wanted) {
                    *slot = Some(value);
                }
            }
        }
        found
    }

    /// The elements of an array; none if the value is no array.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        Elements {
            text: if self.is_array() { self.text } else { "" },
            at: 1,
        }
    }
}

/// Index of the next member or element at or after `at`: past white space and one comma.
fn next_item(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    match bytes.get(at) {
        Some(b',') => skip_space(bytes, at + 1),
        _ => at,
    }
}

pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Json<'a>, Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let name = next_item(bytes, self.at);
        // Whatever is found amiss ends the walk for good.
        self.at = bytes.len();
        if bytes.get(name) != Some(&b'"') {
            return None;
        }
        let name_end = string_end(bytes, name + 1)?;
        let colon = skip_space(bytes, name_end);
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let start = skip_space(bytes, colon + 1);
        let end = value_end(bytes, start)?;
        self.at = end;
        Some((
            Json::new(self.text.get(name..name_end)?),
            Json::new(self.text.get(start..end)?),
        ))
    }
}

impl FusedIterator for Members<'_> {}

struct Elements<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let start = next_item(bytes, self.at);
        self.at = bytes.len();
        let end = value_end(bytes, start)?;
        self.at = end;
        Some(Json::new(self.text.get(start..end)?))
    }
}

impl FusedIterator for Elements<'_> {}

/// A part of a string whose escapes are being resolved.
pub(super) enum Piece<'a> {
    Run(&'a str),
    Char(char),
    LoneSurrogate(u16),
}

/// The longest run of a [`Pieces`], in bytes.
const RUN: usize = 512;

pub(super) struct Pieces<'a> {
    body: &'a str,
    at: usize,
}

impl<'a> Pieces<'a> {
    /// The parts of what stands between a string's quotes.
    pub fn of(body: &'a str) -> Self {
        Self { body, at: 0 }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let bytes = self.body.as_bytes();
        let start = self.at;
        if *bytes.get(start)? != b'\\' {
            // Not too much at once: who shows the beginning of a long text does not wait for its end.
            let limit = self.body.floor_char_boundary(start + RUN);
            self.at = find_any(bytes.get(..limit)?, start, [b'\\']);
            return Some(Piece::Run(self.body.get(start..self.at)?));
        }
        let (piece, length) = resolve_escape(bytes, start);
        self.at = start + length;
        Some(piece)
    }
}

/// What the escape at `backslash` stands for, and its length in bytes. An unknown escape stands for its backslash.
pub(super) fn resolve_escape<'a>(bytes: &[u8], backslash: usize) -> (Piece<'a>, usize) {
    let c = match bytes.get(backslash + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return resolve_units(bytes, backslash),
        _ => return (Piece::Char('\\'), 1),
    };
    (Piece::Char(c), 2)
}

fn resolve_units<'a>(bytes: &[u8], backslash: usize) -> (Piece<'a>, usize) {
    let Some(unit) = hex_unit(bytes, backslash + 2) else {
        return (Piece::Char('\\'), 1);
    };
    if let Some(c) = char::from_u32(u32::from(unit)) {
        return (Piece::Char(c), 6);
    }
    let second = match bytes.get(backslash + 6..backslash + 8) {
        Some(b"\\u") => hex_unit(bytes, backslash + 8),
        _ => None,
    };
    match second.map(|second| char::decode_utf16([unit, second]).next()) {
        Some(Some(Ok(c))) => (Piece::Char(c), 12),
        _ => (Piece::LoneSurrogate(unit), 6),
    }
}
