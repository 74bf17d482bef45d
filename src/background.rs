//! Background jobs: builds that take longer than a frame, on another thread. One runs at a time; of the requests made
//! meanwhile only the last counts. Beside them: work whose panic ends it alone.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

thread_local! {
    /// How many calls of [`caught`] this thread is in.
    static CATCHERS: Cell<u32> = const { Cell::new(0) };
}

/// The result of some work; `None` where it panicked, which the panic hook has printed.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    CATCHERS.set(CATCHERS.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHERS.set(CATCHERS.get() - 1);
    result.ok()
}

/// Whether a panic of this thread would be [`caught`].
pub fn is_caught() -> bool {
    CATCHERS.get() > 0
}

/// The input of a job.
pub trait Sources: Clone + Send + 'static {
    /// The result. Its default is that of a job whose thread panicked.
    type Built: Default + std::fmt::Debug + Send + 'static;
    /// Name of the thread.
    const NAME: &str;

    /// Whether both give the same result.
    fn same(&self, other: &Self) -> bool;

    /// Builds the result. Should report its progress, and return early once it is cancelled.
    fn build(&self, progress: &Progress) -> Self::Built;
}

/// How far a job is, and whether it is cancelled.
#[derive(Debug, Default)]
pub struct Progress {
    /// Steps done.
    pub step: AtomicU32,
    cancelled: AtomicBool,
}

impl Progress {
    /// The flag that is set once the result is not wanted any more.
    pub fn stop(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Whether the result is not wanted any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Runs jobs of one kind.
#[derive(Debug)]
pub struct BackgroundJob<S: Sources> {
    /// Whether jobs run on another thread.
    in_background: bool,
    running: Option<Running<S>>,
}

#[derive(Debug)]
struct Running<S: Sources> {
    sources: S,
    wanted: bool,
    thread: JoinHandle<()>,
    progress: Arc<Progress>,
    /// The mutex makes the job `Sync`; it is never contended.
    result: Mutex<Receiver<S::Built>>,
}

impl<S: Sources> Default for BackgroundJob<S> {
    fn default() -> Self {
        Self { in_background: false, running: None }
    }
}

impl<S: Sources> Clone for BackgroundJob<S> {
    /// A running job stays with the original.
    fn clone(&self) -> Self {
        Self { in_background: self.in_background, running: None }
    }
}

impl<S: Sources> BackgroundJob<S> {
    /// Runs jobs on another thread.
    pub fn in_background() -> Self {
        Self { in_background: true, running: None }
    }

    /// Whether jobs run on another thread.
    pub fn is_in_background(&self) -> bool {
        self.in_background
    }

    /// Whether a job runs that is not cancelled.
    pub fn is_running(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.wanted)
    }

    /// Whether the thread of the job has ended, so that the next [`poll`](Self::poll) takes what came of it.
    pub fn has_ended(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.thread.is_finished())
    }

    /// Steps that the running job has done.
    pub fn step(&self) -> Option<u32> {
        let running = self.running.as_ref().filter(|running| running.wanted)?;
        Some(running.progress.step.load(Ordering::Relaxed))
    }

    /// Cancels the running job. Returns what it was made of.
    pub fn cancel(&mut self) -> Option<&S> {
        let running = self.running.as_mut()?;
        running.progress.cancelled.store(true, Ordering::Relaxed);
        std::mem::take(&mut running.wanted).then_some(&running.sources)
    }

    /// The result for these sources once it is there; starts the job if none runs for them. Without a background thread
    /// it runs here and now.
    pub fn poll(&mut self, sources: &S) -> Option<S::Built> {
        if !self.in_background {
            return Some(sources.build(&Progress::default()));
        }
        if let Some(running) = &mut self.running {
            let fits = running.sources.same(sources) && !running.progress.is_cancelled();
            running.wanted = true;
            if !fits {
                running.progress.cancelled.store(true, Ordering::Relaxed);
            }
            match running.result.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv() {
                Ok(built) => {
                    self.running = None;
                    if fits {
                        return Some(built);
                    }
                }
                Err(TryRecvError::Empty) => return None,
                // The thread ended without a result; what it printed says why.
                Err(TryRecvError::Disconnected) => {
                    self.running = None;
                    if fits {
                        return Some(S::Built::default());
                    }
                }
            }
        }
        let (sender, result) = channel();
        let progress = Arc::new(Progress::default());
        let (job, told) = (sources.clone(), progress.clone());
        // A receiver that is gone wants no result any more.
        let work = move || drop(sender.send(job.build(&told)));
        match std::thread::Builder::new().name(S::NAME.into()).spawn(work) {
            Ok(thread) => {
                let (sources, result) = (sources.clone(), Mutex::new(result));
                self.running = Some(Running { sources, wanted: true, thread, progress, result });
                None
            }
            Err(_) => Some(sources.build(&Progress::default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_is_caught_ends_its_work_alone() {
        assert_eq!((caught(is_caught), is_caught()), (Some(true), false));
        assert_eq!(caught(|| -> i32 { panic!("on purpose") }), None);
        assert!(!is_caught());
    }
}
