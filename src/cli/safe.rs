//! Stored text on a terminal: it comes from models, tools and files, and must not be able to give the terminal commands.

use std::borrow::Cow;

/// Characters that steer a terminal or turn the direction of text around, so that it reads as something else.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is shown instead: control characters have pictures of their own.
fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

/// Text on its own lines: line feeds and tabs stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t');
    if !text.contains(|c| steers(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    // The line ends of other systems are no reason for a picture.
    let text = text.replace("\r\n", "\n");
    let shown = |c| {
        if steers(c) && !stays(c) {
            picture(c)
        } else {
            c
        }
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Text on one line: white space that breaks it becomes a blank.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        c if steers(c) => picture(c),
        c => c,
    };
    text.chars().map(shown).collect()
}

/// One line of at most `most` characters, with `…` where it was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => {
            let kept: String = line.chars().take(most.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let bad: String = (0..=0x9f)
            .filter_map(char::from_u32)
            .chain("\u{202e}\u{2066}\u{2028}".chars())
            .collect();
        assert!(!one_line(&bad).contains(steers));
        assert!(!lines(&bad).replace(['\n', '\t'], "").contains(steers));
        assert_eq!(one_line("a\u{1b}[31m\nb"), "a␛[31m b");
        assert_eq!(lines("a\r\nb\u{7}\n"), "a\nb␇\n");
        assert_eq!(lines("plain\n\ttext"), "plain\n\ttext");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöüß", 3), "äö…");
    }
}
