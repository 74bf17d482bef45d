//! Builds what takes longer than a frame beside the caller's thread: at most one thing at a time, and of what is asked
//! for while one is being built only the last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What something is built from.
pub trait Sources: Clone + Send + 'static {
    /// What is built; by default nothing, which is also what comes of a builder that died.
    type Built: Default + std::fmt::Debug + Send + 'static;
    /// Name of the thread.
    const NAME: &str;

    /// Whether both give the same.
    fn same(&self, other: &Self) -> bool;

    /// Builds it. Should tell how far it is, and end early once it is not wanted any more.
    fn build(&self, progress: &Progress) -> Self::Built;
}

/// How far a build is, and whether anybody still wants it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Steps done.
    pub step: AtomicU32,
    cancelled: AtomicBool,
}

impl Progress {
    /// Set once nobody wants the result any more.
    pub fn stop(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Whether nobody wants the result any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Builds things of one kind.
#[derive(Debug)]
pub struct BackgroundJob<S: Sources> {
    /// Whether building happens on another thread.
    in_background: bool,
    running: Option<Running<S>>,
}

#[derive(Debug)]
struct Running<S: Sources> {
    sources: S,
    wanted: bool,
    progress: Arc<Progress>,
    result: Receiver<S::Built>,
}

impl<S: Sources> Default for BackgroundJob<S> {
    fn default() -> Self {
        Self { in_background: false, running: None }
    }
}

impl<S: Sources> Clone for BackgroundJob<S> {
    /// Builds for itself: what is under way stays with the original.
    fn clone(&self) -> Self {
        Self { in_background: self.in_background, running: None }
    }
}

impl<S: Sources> BackgroundJob<S> {
    /// One that builds on another thread.
    pub fn in_background() -> Self {
        Self { in_background: true, running: None }
    }

    /// Whether building happens on another thread.
    pub fn is_in_background(&self) -> bool {
        self.in_background
    }

    /// Whether something wanted is being built.
    pub fn is_running(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.wanted)
    }

    /// Steps done of what is being built.
    pub fn step(&self) -> Option<u32> {
        let running = self.running.as_ref().filter(|running| running.wanted)?;
        Some(running.progress.step.load(Ordering::Relaxed))
    }

    /// What is being built is not wanted any more.
    pub fn cancel(&mut self) {
        if let Some(running) = &mut self.running {
            running.wanted = false;
            running.progress.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// What these sources give, once it is built; starts building it where that has not happened. Waits for it when
    /// this builder has no thread.
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
            match running.result.try_recv() {
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
            Ok(_) => {
                self.running = Some(Running { sources: sources.clone(), wanted: true, progress, result });
                None
            }
            Err(_) => Some(sources.build(&Progress::default())),
        }
    }
}
