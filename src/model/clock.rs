//! Time comes from outside: from the caller, or from the clock the store was opened with.

use std::time::{SystemTime, UNIX_EPOCH};

/// Where a store takes the time from when a call does not pass it in.
pub trait Clock: Send + Sync + 'static {
    /// Unix time in milliseconds.
    fn now_ms(&self) -> i64;

    /// Milliseconds since the machine was started, suspension included: by this the signs of life of turns and navigations
    /// are timed, so setting the wall clock has no effect on them. Only tests have a reason to give another answer.
    fn boot_ms(&self) -> i64 {
        let since = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        since
            .tv_sec
            .saturating_mul(1000)
            .saturating_add(since.tv_nsec / 1_000_000)
    }
}

/// The system's wall clock. Only ever used as data: nothing is ordered by it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
        }
    }
}

/// Unix time in milliseconds as ISO 8601 in UTC with three decimals: `2026-01-31T08:00:00.000Z`.
///
/// Times that no calendar here reaches (years -9999 to 9999) become the nearest one it does.
pub fn iso_from_ms(ms: i64) -> String {
    let nearest = if ms < 0 {
        jiff::Timestamp::MIN
    } else {
        jiff::Timestamp::MAX
    };
    let instant = jiff::Timestamp::from_millisecond(ms).unwrap_or(nearest);
    format!("{instant:.3}")
}

/// The instant of an ISO 8601 text as Unix time in milliseconds; `None` where it is none.
pub fn ms_from_iso(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_has_three_decimals_and_reads_back() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_796_000_001_000, "2026-11-30T00:53:21.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_500, "1970-01-01T00:00:01.500Z"),
        ] {
            assert_eq!(iso_from_ms(ms), text);
            assert_eq!(ms_from_iso(text), Some(ms));
        }
        assert_eq!(
            ms_from_iso("2025-01-01T02:00:00+02:00"),
            ms_from_iso("2025-01-01T00:00:00.000Z")
        );
        assert_eq!(ms_from_iso("bad"), None);
        assert!(iso_from_ms(i64::MAX).starts_with("9999"));
        assert!(iso_from_ms(i64::MIN).starts_with('-'));
    }
}
