//! Loads that run a few at a time, in the order in which they were asked for: each may take a process of its own and
//! gigabytes of memory, and a scene may name thousands.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A load that waits for its thread.
type Load = Box<dyn FnOnce() + Send>;

/// Loads that wait, and threads that take them. What still waits when the queue is dropped is not done.
pub struct LoadQueue {
    most_threads: usize,
    shared: Arc<Mutex<WaitingLoads>>,
}

#[derive(Default)]
struct WaitingLoads {
    loads: VecDeque<Load>,
    /// Threads that take loads.
    threads: usize,
}

impl Default for LoadQueue {
    /// As many threads as the machine has.
    fn default() -> Self {
        Self::with_threads(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }
}

impl fmt::Debug for LoadQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadQueue").field("most_threads", &self.most_threads).finish_non_exhaustive()
    }
}

impl Drop for LoadQueue {
    fn drop(&mut self) {
        lock(&self.shared).loads.clear();
    }
}

impl LoadQueue {
    fn with_threads(most_threads: usize) -> Self {
        Self { most_threads, shared: Arc::default() }
    }

    /// Does `load` on another thread as soon as one is free. It must not panic.
    pub fn push(&self, load: impl FnOnce() + Send + 'static) {
        let mut waiting = lock(&self.shared);
        waiting.loads.push_back(Box::new(load));
        if waiting.threads >= self.most_threads {
            return;
        }
        waiting.threads += 1;
        let shared = Arc::clone(&self.shared);
        if std::thread::Builder::new().name("asset load".into()).spawn(move || take_loads(&shared)).is_ok() {
            return;
        }
        if waiting.threads > 1 {
            // Those that run take it too.
            waiting.threads -= 1;
        } else {
            drop(waiting);
            take_loads(&self.shared);
        }
    }
}

fn lock(shared: &Mutex<WaitingLoads>) -> MutexGuard<'_, WaitingLoads> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what waits, one after the other, until nothing does.
fn take_loads(shared: &Mutex<WaitingLoads>) {
    loop {
        let mut waiting = lock(shared);
        let Some(load) = waiting.loads.pop_front() else {
            waiting.threads -= 1;
            return;
        };
        drop(waiting);
        load();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn no_more_run_at_a_time_than_there_are_threads() {
        let queue = LoadQueue::with_threads(2);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (send, done) = channel();
        for i in 0..20 {
            let (running, most, send) = (Arc::clone(&running), Arc::clone(&most), send.clone());
            queue.push(move || {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(2));
                running.fetch_sub(1, Ordering::SeqCst);
                send.send(i).unwrap();
            });
        }
        drop(send);
        let mut all: Vec<i32> = done.iter().collect();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>());
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }

    #[test]
    fn what_waits_ends_with_the_queue() {
        let queue = LoadQueue::with_threads(1);
        let (send, done) = channel();
        let (go, wait) = channel::<()>();
        let first = send.clone();
        queue.push(move || {
            first.send("first").unwrap();
            // Until the queue is gone.
            let _ = wait.recv();
        });
        assert_eq!(done.recv(), Ok("first"));
        queue.push(move || send.send("second").unwrap());
        drop(queue);
        drop(go);
        assert!(done.recv().is_err(), "the second was never done");
    }
}
