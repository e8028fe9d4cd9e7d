//! How a connection waits for another process's lock.
//!
//! SQLite's own handler backs off to 100 ms and starves writers. This one sleeps 0.5 to 1.5 ms, with a jitter that differs
//! from process to process, until the deadline of the call.

use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    static PATIENCE: Cell<Duration> = const { Cell::new(Duration::from_secs(30)) };
    static WAITING_SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Sets how long calls of this thread wait for locks from now on.
pub(crate) fn set_patience(patience: Duration) {
    PATIENCE.with(|cell| cell.set(patience));
}

/// Sleeps a little and says whether to try again. SQLite calls it with 0 at the first failure of a lock.
pub(crate) fn wait(tries: i32) -> bool {
    let now = Instant::now();
    let since = WAITING_SINCE.with(|cell| {
        let since = if tries == 0 {
            now
        } else {
            cell.get().unwrap_or(now)
        };
        cell.set(Some(since));
        since
    });
    if now.duration_since(since) >= PATIENCE.with(Cell::get) {
        return false;
    }
    std::thread::sleep(nap(tries));
    true
}

fn nap(tries: i32) -> Duration {
    let seed = u64::from(std::process::id()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ u64::from(tries.unsigned_abs()).wrapping_mul(0xD1B5_4A32_D192_ED03);
    Duration::from_micros(500 + (seed >> 32) % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_up_at_the_deadline_and_naps_between() {
        set_patience(Duration::ZERO);
        assert!(!wait(0));
        set_patience(Duration::from_secs(3600));
        assert!(wait(0));
        for tries in 0..1000 {
            let nap = nap(tries);
            assert!(nap >= Duration::from_micros(500) && nap < Duration::from_micros(1500));
        }
    }
}
