//! Threads that stay awake between the short steps of a bake.
//!
//! A step on a small level takes some tenths of a millisecond, and there are dozens of them, of which each is shared
//! out to all threads. Those that have nothing to do in between fall asleep, and waking them costs as much as such a
//! step. So they look for work until the bake is over, or for as long as somebody would not notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long a thread looks for work without finding any.
const PATIENCE: Duration = Duration::from_millis(2);

/// Pauses of the processor between two looks for work.
const PAUSES: u32 = 20;

/// The other threads of the caller's pool stay awake until this is dropped, or until they have found nothing to do for
/// two milliseconds.
#[derive(Debug)]
pub struct Awake(Arc<AtomicBool>);

impl Awake {
    /// Wakes them.
    pub fn new() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        if rayon::current_num_threads() > 1 {
            let (seen, own) = (over.clone(), rayon::current_thread_index());
            rayon::spawn_broadcast(move |thread| {
                // The caller has work.
                if Some(thread.index()) != own {
                    look_for_work(&seen);
                }
            });
        }
        Self(over)
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn look_for_work(over: &AtomicBool) {
    let mut since = Instant::now();
    while !over.load(Relaxed) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            since = Instant::now();
        } else if since.elapsed() > PATIENCE {
            return;
        }
        // Some tenths of a microsecond in which a thread on the same core, or one that has work to give, is not disturbed.
        (0..PAUSES).for_each(|_| std::hint::spin_loop());
    }
}
