//! What exact planners need of a mesh before their first query, made beside the thread that asks.
//!
//! A net of cells takes milliseconds, a table of corners longer; a frame must not wait for either. Who shares a mesh
//! with [`Planning::share`](super::Planning::share) has them made on another thread, and gets paths by the next best
//! planner until they are there.

use std::sync::Arc;

use crate::background::{Builder, Progress, Sources};
use crate::nav::mesh::{Filter, NavMesh};

/// A mesh and the flags of a filter: all that counts for exact paths.
pub(super) type Key = (u64, u16, u16);

/// The key of a mesh and a filter.
pub(super) fn key(mesh: &NavMesh, filter: &Filter) -> Key {
    (mesh.id(), filter.include, filter.exclude)
}

/// What something is made from, and how.
struct Order<T> {
    mesh: Arc<NavMesh>,
    filter: Filter,
    make: fn(&NavMesh, &Filter) -> T,
}

impl<T> Clone for Order<T> {
    fn clone(&self) -> Self {
        Self { mesh: self.mesh.clone(), filter: self.filter.clone(), make: self.make }
    }
}

impl<T> std::fmt::Debug for Order<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Order of {:?}", key(&self.mesh, &self.filter))
    }
}

impl<T: std::fmt::Debug + Send + 'static> Sources for Order<T> {
    type Built = Option<T>;
    const NAME: &str = "exact";

    fn same(&self, other: &Self) -> bool {
        key(&self.mesh, &self.filter) == key(&other.mesh, &other.filter)
    }

    fn build(&self, _: &Progress) -> Self::Built {
        Some((self.make)(&self.mesh, &self.filter))
    }
}

/// Makes one thing at a time on another thread.
#[derive(Debug)]
pub(super) struct Maker<T: std::fmt::Debug + Send + 'static>(Builder<Order<T>>);

impl<T: std::fmt::Debug + Send + 'static> Default for Maker<T> {
    fn default() -> Self {
        Self(Builder::in_background())
    }
}

/// How something that is being made stands.
pub(super) enum Made<T> {
    /// It is not there yet.
    NotYet,
    /// Here it is.
    Done(T),
    /// Making it failed.
    Never,
}

impl<T: std::fmt::Debug + Send + 'static> Maker<T> {
    /// Whether something is being made.
    pub(super) fn is_busy(&self) -> bool {
        self.0.is_running()
    }

    /// What belongs to a mesh and a filter; begins to make it as soon as nothing else is being made.
    pub(super) fn ask(&mut self, mesh: &Arc<NavMesh>, filter: &Filter, make: fn(&NavMesh, &Filter) -> T) -> Made<T> {
        match self.0.poll(&Order { mesh: mesh.clone(), filter: filter.clone(), make }) {
            None => Made::NotYet,
            Some(Some(made)) => Made::Done(made),
            Some(None) => Made::Never,
        }
    }
}
