//! Runs phases of a step over all instances, on all cores.

use super::character::CharacterState;
use super::instance::{InstanceState, InstanceSummary};
use super::instance_arrays::InstanceArrays;
use crate::prefetch;
use crate::profile::Profiler;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Instances that one thread takes at a time. Each is handled on its own, so that the number changes no result.
const CHUNK: usize = 64;

/// Instances from which on what is not done in every step has twice its period.
const MIN_RARER: usize = 4096;

/// Factor of the periods of what is not done in every step, contacts and probes ahead of feet, with so many instances: it
/// takes a tenth off a step of 10,000.
pub fn period_factor(instances: usize) -> u64 {
    if instances < MIN_RARER { 1 } else { 2 }
}

/// Whether work on so many instances is worth more than one thread. The result is the same.
pub fn is_parallel(count: usize) -> bool {
    count > CHUNK && rayon::current_num_threads() > 1
}

/// One instance with everything that a phase may change about it.
pub struct InstanceMut<'a> {
    pub instance: &'a mut InstanceState,
    pub character: &'a mut CharacterState,
    pub summary: &'a mut InstanceSummary,
}

/// A named phase of a step, which reads and changes only the instance that it is given, with its position in the
/// arrays.
pub type Phase<'a> = (&'static str, &'a (dyn Fn(usize, InstanceMut<'_>) + Sync));

/// The same instances in each of the arrays.
type Block<'a> = ((&'a mut [InstanceState], &'a mut [CharacterState]), &'a mut [InstanceSummary]);

/// Runs phases one after the other on a chunk of instances at a time, so that these stay in the caches from phase to
/// phase. Meanwhile the next ones are prefetched, a part in each phase. The time is attributed to the phases.
pub fn run_chunked(profiler: &mut Profiler, instances: &mut InstanceArrays, phases: &[Phase<'_>]) {
    let begin = Instant::now();
    let spent: Vec<AtomicU64> = phases.iter().map(|_| AtomicU64::new(0)).collect();
    let run = |(block, ((states, characters), summaries)): (usize, Block<'_>)| {
        let mut start = Instant::now();
        for (phase, ((_, work), spent)) in phases.iter().zip(&spent).enumerate() {
            let all = states.iter_mut().zip(characters.iter_mut()).zip(summaries.iter_mut());
            for (i, ((instance, character), summary)) in all.enumerate() {
                prefetch::chunk(std::ptr::from_ref(instance).wrapping_add(CHUNK), phase, phases.len());
                prefetch::chunk(std::ptr::from_ref(character).wrapping_add(CHUNK), phase, phases.len());
                work(block * CHUNK + i, InstanceMut { instance, character, summary });
            }
            let end = Instant::now();
            spent.fetch_add((end - start).as_nanos() as u64, Ordering::Relaxed);
            start = end;
        }
    };
    let InstanceArrays { states, characters, summaries, .. } = instances;
    if is_parallel(states.len()) {
        let blocks = states.par_chunks_mut(CHUNK).zip(characters.par_chunks_mut(CHUNK));
        blocks.zip(summaries.par_chunks_mut(CHUNK)).enumerate().for_each(run);
    } else {
        let blocks = states.chunks_mut(CHUNK).zip(characters.chunks_mut(CHUNK));
        blocks.zip(summaries.chunks_mut(CHUNK)).enumerate().for_each(run);
    }
    let spent: Vec<_> = phases.iter().zip(spent).map(|((name, _), spent)| (*name, spent.into_inner())).collect();
    profiler.attribute(begin, &spent);
}
