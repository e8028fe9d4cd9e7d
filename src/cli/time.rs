//! Times for people.

/// Unix time in milliseconds as UTC, to the second: `2026-01-31 08:00:00Z`.
pub(crate) fn shown(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(instant) => {
            let text = format!("{instant:.0}");
            text.replacen('T', " ", 1)
        }
        Err(_) => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn seconds_of_utc() {
        assert_eq!(super::shown(1_796_000_001_999), "2026-11-30 00:53:21Z");
        assert_eq!(super::shown(i64::MAX), "9223372036854775807 ms");
    }
}
