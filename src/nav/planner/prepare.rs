//! What exact planners need of a mesh before their first query, built in the background.
//!
//! A mesh of cells takes milliseconds, an index of corners longer; a frame must not wait for either. A mesh that is
//! shared by [`PlannerContext::share`](super::PlannerContext::share) has them built on another thread, and paths come
//! from the next best planner until then.

use std::fmt::Debug;
use std::sync::Arc;

use crate::background::{BackgroundJob, Progress, Sources};
use crate::nav::mesh::{Filter, NavMesh};

/// A mesh and the flags of a filter: everything that exact paths depend on.
pub(super) type Key = (u64, u16, u16);

/// The key of a mesh and a filter.
pub(super) fn key(mesh: &NavMesh, filter: &Filter) -> Key {
    (mesh.id(), filter.include, filter.exclude)
}

/// The flags of a filter without its costs.
pub(super) fn flags(filter: &Filter) -> Filter {
    Filter { include: filter.include, exclude: filter.exclude, ..Filter::default() }
}

/// The input of a build: a mesh, what else the result depends on, and the function that makes it.
struct BuildInput<K, T> {
    mesh: Arc<NavMesh>,
    of: K,
    make: Make<K, T>,
}

/// A function that builds something for paths on a mesh.
type Make<K, T> = fn(&NavMesh, &K) -> T;

impl<K: Clone, T> Clone for BuildInput<K, T> {
    fn clone(&self) -> Self {
        Self { mesh: self.mesh.clone(), of: self.of.clone(), make: self.make }
    }
}

impl<K: Debug, T> Debug for BuildInput<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BuildInput of mesh {} and {:?}", self.mesh.id(), self.of)
    }
}

impl<K: Clone + Debug + PartialEq + Send + 'static, T: Debug + Send + 'static> Sources for BuildInput<K, T> {
    type Built = Option<T>;
    const NAME: &str = "exact";

    fn same(&self, other: &Self) -> bool {
        self.mesh.id() == other.mesh.id() && self.of == other.of
    }

    fn build(&self, _: &Progress) -> Self::Built {
        Some((self.make)(&self.mesh, &self.of))
    }
}

/// Builds one thing at a time on another thread.
#[derive(Debug)]
pub(super) struct AsyncBuild<K, T>
where
    K: Clone + Debug + PartialEq + Send + 'static,
    T: Debug + Send + 'static,
{
    job: BackgroundJob<BuildInput<K, T>>,
    /// Whether a query was answered in another way for want of it.
    is_awaited: bool,
}

impl<K: Clone + Debug + PartialEq + Send + 'static, T: Debug + Send + 'static> Default for AsyncBuild<K, T> {
    fn default() -> Self {
        Self { job: BackgroundJob::in_background(), is_awaited: false }
    }
}

/// State of a build.
pub(super) enum Poll<T> {
    /// It is not finished.
    NotYet,
    /// The result.
    Done(T),
    /// It failed.
    Never,
}

impl<K: Clone + Debug + PartialEq + Send + 'static, T: Debug + Send + 'static> AsyncBuild<K, T> {
    /// Whether a query was answered in another way for want of it, since the last [`Self::forget_queries`].
    pub(super) fn is_awaited(&self) -> bool {
        self.is_awaited
    }

    /// Whether the next query that waits for it may have it, or starts it where another build was in the way.
    pub(super) fn has_ended(&self) -> bool {
        self.is_awaited && self.job.has_ended()
    }

    /// No query waits for it any more. It goes on all the same.
    pub(super) fn forget_queries(&mut self) {
        self.is_awaited = false;
    }

    /// Polls the build for a mesh and what else it depends on; starts it as soon as no other is running.
    pub(super) fn ask(&mut self, mesh: &Arc<NavMesh>, of: K, make: Make<K, T>) -> Poll<T> {
        let polled = self.job.poll(&BuildInput { mesh: mesh.clone(), of, make });
        self.is_awaited = polled.is_none();
        match polled {
            None => Poll::NotYet,
            Some(Some(made)) => Poll::Done(made),
            Some(None) => Poll::Never,
        }
    }
}
