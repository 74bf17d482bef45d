//! What exact planners need of a mesh before their first query, built in the background.
//!
//! A mesh of cells takes milliseconds, an index of corners longer; a frame must not wait for either. A mesh that is
//! shared by [`PlannerContext::share`](super::PlannerContext::share) has them built on another thread, and paths come
//! from the next best planner until then.

use std::sync::Arc;

use crate::background::{BackgroundJob, Progress, Sources};
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::query::weighted::Metric;

/// A mesh and the flags of a filter: everything that exact paths depend on.
pub(super) type Key = (u64, u16, u16);

/// The key of a mesh and a filter.
pub(super) fn key(mesh: &NavMesh, filter: &Filter) -> Key {
    (mesh.id(), filter.include, filter.exclude)
}

/// A function that builds something for paths on a mesh, through a filter, in a metric.
pub(super) type Make<T> = fn(&NavMesh, &Filter, Metric) -> T;

/// The input of a build, and the function that runs it.
struct BuildInput<T> {
    mesh: Arc<NavMesh>,
    filter: Filter,
    metric: Metric,
    make: Make<T>,
}

impl<T> Clone for BuildInput<T> {
    fn clone(&self) -> Self {
        Self { mesh: self.mesh.clone(), filter: self.filter.clone(), ..*self }
    }
}

impl<T> std::fmt::Debug for BuildInput<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BuildInput of {:?}", key(&self.mesh, &self.filter))
    }
}

impl<T: std::fmt::Debug + Send + 'static> Sources for BuildInput<T> {
    type Built = Option<T>;
    const NAME: &str = "exact";

    fn same(&self, other: &Self) -> bool {
        (self.mesh.id(), &self.filter, self.metric) == (other.mesh.id(), &other.filter, other.metric)
    }

    fn build(&self, _: &Progress) -> Self::Built {
        Some((self.make)(&self.mesh, &self.filter, self.metric))
    }
}

/// Builds one thing at a time on another thread.
#[derive(Debug)]
pub(super) struct AsyncBuild<T: std::fmt::Debug + Send + 'static>(BackgroundJob<BuildInput<T>>);

impl<T: std::fmt::Debug + Send + 'static> Default for AsyncBuild<T> {
    fn default() -> Self {
        Self(BackgroundJob::in_background())
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

impl<T: std::fmt::Debug + Send + 'static> AsyncBuild<T> {
    /// Whether a build is running.
    pub(super) fn is_busy(&self) -> bool {
        self.0.is_running()
    }

    /// Polls the build for a mesh, a filter and a metric; starts it as soon as no other is running.
    pub(super) fn ask(&mut self, mesh: &Arc<NavMesh>, (filter, metric): (&Filter, Metric), make: Make<T>) -> Poll<T> {
        match self.0.poll(&BuildInput { mesh: mesh.clone(), filter: filter.clone(), metric, make }) {
            None => Poll::NotYet,
            Some(Some(made)) => Poll::Done(made),
            Some(None) => Poll::Never,
        }
    }
}
