//! What exact planners need of a mesh before their first query, made beside the thread that asks.
//!
//! A net of cells takes milliseconds, a table of corners longer; a frame must not wait for either. Who shares a mesh
//! with [`Planning::share`](super::Planning::share) has them made on another thread, and gets paths by the next best
//! planner until they are there.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use crate::nav::mesh::{Filter, NavMesh};

/// A mesh and the flags of a filter: all that counts for exact paths.
pub(super) type Key = (u64, u16, u16);

/// The key of a mesh and a filter.
pub(super) fn key(mesh: &NavMesh, filter: &Filter) -> Key {
    (mesh.id(), filter.include, filter.exclude)
}

/// Makes one thing at a time on another thread.
#[derive(Debug)]
pub(super) struct Maker<T> {
    running: Option<(Key, Receiver<T>)>,
}

impl<T> Default for Maker<T> {
    fn default() -> Self {
        Self { running: None }
    }
}

/// How something that is being made stands.
pub(super) enum Made<T> {
    /// It is not there yet.
    NotYet,
    /// Here it is.
    Done(T),
    /// No thread makes it.
    Never,
}

impl<T: Send + 'static> Maker<T> {
    /// Whether something is being made.
    pub(super) fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// What belongs to a mesh and a filter; begins to make it as soon as nothing else is being made.
    pub(super) fn ask(
        &mut self,
        mesh: &Arc<NavMesh>,
        filter: &Filter,
        make: impl FnOnce(&NavMesh, &Filter) -> T + Send + 'static,
    ) -> Made<T> {
        let key = key(mesh, filter);
        if let Some((of, result)) = &self.running {
            let (of, received) = (*of, result.try_recv());
            if matches!(received, Err(TryRecvError::Empty)) {
                return Made::NotYet;
            }
            self.running = None;
            match received {
                Ok(made) if of == key => return Made::Done(made),
                Err(_) if of == key => return Made::Never,
                _ => {}
            }
        }
        let (sender, result) = channel();
        let (mesh, filter) = (mesh.clone(), filter.clone());
        let begun = std::thread::Builder::new().name("exact".into()).spawn(move || {
            // Nobody may want it any more.
            let _ = sender.send(make(&mesh, &filter));
        });
        if begun.is_err() {
            return Made::Never;
        }
        self.running = Some((key, result));
        Made::NotYet
    }
}
