//! Many queries on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{PathResult, Planner, PlannerContext, Query};
use crate::nav::mesh::NavMesh;

/// Queries that a thread takes at a time.
const TURN: usize = 32;

/// Answers queries on as many threads as there are contexts, at least one. The answers stand in the order of the
/// queries, and are the same for any number of threads.
pub fn find_all(
    contexts: &mut [PlannerContext],
    planner: Planner,
    mesh: &NavMesh,
    queries: &[Query<'_>],
) -> Vec<PathResult> {
    let Some((first, others)) = contexts.split_first_mut() else {
        return find_all(&mut [PlannerContext::new()], planner, mesh, queries);
    };
    if others.is_empty() || queries.len() <= TURN {
        return queries.iter().map(|query| planner.find(first, mesh, query)).collect();
    }
    // The first query prepares what the others share: the index of corners is large.
    let mut answers: Vec<PathResult> = Vec::with_capacity(queries.len());
    answers.push(planner.find(first, mesh, &queries[0]));
    others.iter_mut().for_each(|other| other.index.clone_from(&first.index));
    let next = AtomicUsize::new(1);
    let work = |context: &mut PlannerContext| {
        let mut found = Vec::new();
        loop {
            let begin = next.fetch_add(TURN, Ordering::Relaxed);
            let Some(turn) = queries.get(begin..).filter(|rest| !rest.is_empty()) else { return found };
            let turn = turn.iter().take(TURN).map(|query| planner.find(context, mesh, query));
            found.push((begin, turn.collect::<Vec<_>>()));
        }
    };
    let mut turns = thread::scope(|scope| {
        let threads: Vec<_> = others.iter_mut().map(|other| scope.spawn(|| work(other))).collect();
        let mut turns = work(first);
        for thread in threads {
            match thread.join() {
                Ok(found) => turns.extend(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        turns
    });
    turns.sort_unstable_by_key(|(begin, _)| *begin);
    answers.extend(turns.into_iter().flat_map(|(_, found)| found));
    answers
}

#[cfg(test)]
impl PlannerContext {
    /// Whether both answer from one index of corners.
    pub(in crate::nav) fn shares_index(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|context| context.index.as_ref()?.1.as_ref());
        own.zip(others).is_some_and(|(own, others)| std::sync::Arc::ptr_eq(own, others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{Filter, fixture};

    #[test]
    fn answers_are_the_same_on_any_number_of_threads() {
        let mesh = fixture::random_mesh(7, 24, 0.3).validate().unwrap();
        let filter = Filter::default();
        let places: Vec<_> = mesh.live_polygons().map(|id| mesh.world(mesh.polygon(id).center)).collect();
        let pair = |i: usize| [places[i % places.len()], places[(i * 37 + 11) % places.len()]];
        let query = |i: usize| Query::between(&mesh, pair(i)[0], pair(i)[1], &filter).unwrap();
        let queries: Vec<Query> = (0..500).map(query).collect();
        for planner in [Planner::Funnel, Planner::Exact, Planner::ExactIndex] {
            let on = |threads: usize| {
                let mut contexts: Vec<_> = (0..threads).map(|_| PlannerContext::new()).collect();
                find_all(&mut contexts, planner, &mesh, &queries)
            };
            let expected: Vec<_> =
                queries.iter().map(|query| planner.find(&mut PlannerContext::new(), &mesh, query)).collect();
            assert!(expected.iter().any(|found| found.reason.is_none()));
            for threads in [0, 1, 2, 5] {
                assert!(on(threads) == expected, "{planner} on {threads} threads");
            }
        }
    }
}
