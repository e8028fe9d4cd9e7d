//! A queue between two threads that holds a bounded number of bytes: who is faster waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What an item costs a queue besides its bytes, so that empty ones are bounded too.
const ITEM_BYTES: usize = 256;

#[derive(Debug)]
pub(super) struct Queue<T> {
    /// Bytes that may wait. One item that is larger may wait alone.
    limit: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<(usize, T)>,
    bytes: usize,
    closed: bool,
}

/// The queue was closed: nothing that is put into it is ever taken out.
#[derive(Debug)]
pub(super) struct Closed;

impl<T> Queue<T> {
    pub fn new(limit: usize) -> Queue<T> {
        Queue {
            limit,
            state: Mutex::new(State {
                items: VecDeque::new(),
                bytes: 0,
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// No thread panics while it holds the lock, and the state is whole between any two lines of this file.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item of this many bytes last, as soon as there is room.
    pub fn push(&self, bytes: usize, item: T) -> Result<(), Closed> {
        let bytes = bytes.saturating_add(ITEM_BYTES);
        let mut state = self.lock();
        while !state.closed && !state.items.is_empty() && state.bytes + bytes > self.limit {
            state = self.wait(state);
        }
        if state.closed {
            return Err(Closed);
        }
        state.bytes += bytes;
        state.items.push_back((bytes, item));
        self.changed.notify_all();
        Ok(())
    }

    /// Takes the first item, as soon as there is one; `None` once the queue is closed and empty.
    pub fn pop(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some((bytes, item)) = state.items.pop_front() {
                state.bytes -= bytes;
                self.changed.notify_all();
                return Some(item);
            }
            if state.closed {
                return None;
            }
            state = self.wait(state);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.lock().items.is_empty()
    }

    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Takes no more items. Those that wait can still be taken out.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Takes no more items and throws away those that wait.
    pub fn abandon(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.bytes = 0;
        state.items.clear();
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LIMIT: usize = 1 << 20;

    #[test]
    fn items_come_out_in_order_and_a_closed_queue_ends() {
        let queue = Queue::new(1000);
        for item in 0..3 {
            queue.push(10, item).unwrap();
        }
        queue.close();
        assert!(queue.push(10, 3).is_err());
        assert_eq!(
            std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(),
            [0, 1, 2]
        );
    }

    #[test]
    fn what_waits_is_bounded_in_bytes() {
        let queue = Arc::new(Queue::new(LIMIT));
        let pushed = Arc::new(AtomicUsize::new(0));
        let size = LIMIT / 4;
        let producer = {
            let (queue, pushed) = (Arc::clone(&queue), Arc::clone(&pushed));
            std::thread::spawn(move || {
                for item in 0..40 {
                    queue.push(size, item).unwrap();
                    pushed.fetch_add(1, Ordering::SeqCst);
                }
                queue.close();
            })
        };
        let mut taken = 0;
        while let Some(item) = queue.pop() {
            assert_eq!(item, taken);
            taken += 1;
            // Three fit beside each other; one more may have been taken but not counted yet.
            assert!(pushed.load(Ordering::SeqCst) <= taken + 3);
        }
        producer.join().unwrap();
        assert_eq!(taken, 40);
        let alone = Queue::new(LIMIT);
        alone.push(10 * LIMIT, ()).unwrap();
        assert_eq!(alone.pop(), Some(()));
    }
}
