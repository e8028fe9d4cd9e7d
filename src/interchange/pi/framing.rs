//! What stands around the records of a file: byte order mark, line ends, the end of the last line.
//!
//! It is kept only where it is not the plain one, as a loose record of line 0, so that a file that has not changed can be
//! given back byte for byte.

use crate::lines::{Line, Place};
use crate::model::json::{Json, validate};

/// The framing of a file. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Framing {
    pub bom: bool,
    /// Ranges of lines, both ends included, that end with CR LF.
    pub crlf: Vec<(u64, u64)>,
    /// Whether the last line has a line end.
    pub final_newline: bool,
    pub lines: u64,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing {
            bom: false,
            crlf: Vec::new(),
            final_newline: true,
            lines: 0,
        }
    }
}

impl Framing {
    pub fn line(&mut self, line: Line<'_>, bom: bool) {
        self.bom |= bom;
        self.end_of(line.place);
        if line.carriage_return {
            let number = line.place.number;
            match self.crlf.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => self.crlf.push((number, number)),
            }
        }
    }

    pub fn oversized(&mut self, place: Place) {
        self.end_of(place);
    }

    fn end_of(&mut self, place: Place) {
        self.lines = place.number;
        self.final_newline = place.terminated;
    }

    pub fn is_plain(&self) -> bool {
        !self.bom && self.crlf.is_empty() && self.final_newline
    }

    /// Whether a line ends with CR LF; those beyond the file's end as its last one does.
    pub fn has_carriage_return(&self, line: u64) -> bool {
        let line = line.min(self.lines);
        let after = self.crlf.partition_point(|(first, _)| *first <= line);
        after
            .checked_sub(1)
            .and_then(|at| self.crlf.get(at))
            .is_some_and(|(_, last)| line <= *last)
    }

    pub fn to_json(&self) -> String {
        let ranges: Vec<[u64; 2]> = self
            .crlf
            .iter()
            .map(|(first, last)| [*first, *last])
            .collect();
        serde_json::json!({
            "bom": self.bom, "crlf": ranges, "finalNewline": self.final_newline, "lines": self.lines,
        })
        .to_string()
    }

    pub fn from_json(text: &str) -> Option<Framing> {
        validate(text).ok()?;
        let [bom, crlf, final_newline, lines] =
            Json::new(text).fields(["bom", "crlf", "finalNewline", "lines"]);
        let range = |range: Json<'_>| {
            let mut ends = range.elements().filter_map(Json::as_u64);
            Some((ends.next()?, ends.next()?))
        };
        Some(Framing {
            bom: bom?.as_bool()?,
            crlf: crlf?.elements().filter_map(range).collect(),
            final_newline: final_newline?.as_bool()?,
            lines: lines?.as_u64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_line_ends_are_kept_and_found() {
        let framing = Framing {
            bom: true,
            crlf: vec![(2, 3), (7, 7)],
            final_newline: false,
            lines: 7,
        };
        assert_eq!(
            Framing::from_json(&framing.to_json()),
            Some(framing.clone())
        );
        let ends: Vec<u64> = (1..10)
            .filter(|line| framing.has_carriage_return(*line))
            .collect();
        assert_eq!(ends, [2, 3, 7, 8, 9]);
        assert!(Framing::default().is_plain() && !framing.is_plain());
    }
}
