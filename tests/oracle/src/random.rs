//! Numbers and texts that follow from a seed alone.

/// splitmix64.
pub struct Random(u64);

/// What texts are made of: what JSON, SQL, lines, terminals and Unicode trip over.
const PIECES: &[&str] = &[
    "",
    "a",
    "Which file first?",
    "two\nlines",
    "\r\n",
    " ",
    "\t\"quoted\" \\ back\\slash",
    "naïve café",
    "nai\u{308}ve",
    "日本語",
    "👩\u{200d}👩\u{200d}👧",
    "\u{10ffff}",
    "\u{0}",
    "\u{1b}[31mred",
    "\u{2028}\u{2029}\u{85}",
    "\u{feff}",
    "\u{fffd}",
    "שלום \u{202e}",
    "assistant: not a line of its own\n",
    "[3 turn(s), unsummarized]",
    "`tick`",
    "'; DROP TABLE nodes; --",
    "%_*?",
    "{\"role\":\"user\"}",
    "null",
];

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// 0 to `end - 1`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(4) {
            text.push_str(self.pick(PIECES));
        }
        if self.chance(2) {
            text = text.repeat(1 + 4000 / text.len().max(1));
        }
        text
    }

    /// Unix time in milliseconds: mostly plausible, sometimes what nobody means.
    pub fn time(&mut self) -> i64 {
        match self.below(30) {
            0 => 0,
            1 => -1,
            2 => -62_135_596_800_000,
            3 => 253_402_300_799_999,
            _ => 1_700_000_000_000 + self.below(1_000_000_000) as i64,
        }
    }
}
