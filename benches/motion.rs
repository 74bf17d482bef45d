//! Motion matching over an hour of walking: what a search of the database takes, by boxes and by looking at every frame,
//! and how much memory the database and the keys of the clips take.
//!
//! Each query asks for the way and the look of one frame, with the way of another mixed in, as characters do whose way
//! changes.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

#[path = "../tests/common/hour.rs"]
mod hour;
#[path = "../tests/common/travelling.rs"]
mod travelling;

use criterion::{Criterion, criterion_group, criterion_main};
use hour::{CLIP_SECS, CLIPS, hour};
use std::hint::black_box;
use std::time::Instant;
use travelling::{legs, noise};
use walkabout::anim::motion_database::{MotionDatabase, MotionFrame, MotionQuery};
use walkabout::anim::sample::sample_clip;
use walkabout::asset::Model;
use walkabout::asset::clip_compression::{clip_size, compress_clips};
use walkabout::math::Trs;

/// Queries that are timed by hand.
const QUERIES: usize = 2000;
/// Poses that are timed by hand.
const POSES: usize = 100_000;

/// The queries, each with the cost of staying at its frame.
fn queries(database: &MotionDatabase) -> Vec<(MotionQuery, f32)> {
    let mut seed = 11;
    let mut frame = || MotionFrame {
        clip: ((noise(&mut seed) + 1.0) * 0.5 * CLIPS as f32) as u32 % CLIPS as u32,
        time_secs: (noise(&mut seed) + 1.0) * 0.5 * (CLIP_SECS - 2.0),
    };
    let mut made = Vec::with_capacity(QUERIES);
    while made.len() < QUERIES {
        let (like, towards) = (frame(), frame());
        let (Some(mut way), Some(other)) = (database.trajectory(like), database.trajectory(towards)) else { continue };
        for (at, to) in way.places.iter_mut().zip(&other.places) {
            *at = at.lerp(*to, 0.3);
        }
        made.extend(database.query(like, &way).map(|query| (query, database.cost(like, &query))));
    }
    made
}

fn search(criterion: &mut Criterion) {
    let model = hour();
    let start = Instant::now();
    let legs = legs(&model);
    let legs_secs = start.elapsed().as_secs_f32();
    let Some(database) = MotionDatabase::new(&model, &legs, 0..CLIPS) else { panic!("the hour has no frames") };
    let made_secs = start.elapsed().as_secs_f32() - legs_secs;
    let queries = queries(&database);
    let timed = |search: &dyn Fn(&MotionQuery, f32)| {
        let start = Instant::now();
        queries.iter().for_each(|(query, stays)| search(query, *stays));
        start.elapsed().as_secs_f32() * 1e6 / queries.len() as f32
    };
    let boxes = timed(&|query, stays| _ = black_box(database.nearest(query, stays)));
    let scan = timed(&|query, stays| _ = black_box(database.nearest_by_scan(query, stays)));
    println!(
        "an hour of clips, {} frames: {:.1} MB, legs read in {legs_secs:.1} s, database made in {made_secs:.1} s",
        database.len(),
        database.bytes() as f32 / 1e6
    );
    println!("a search: {boxes:.0} µs by boxes, {scan:.0} µs by all frames: {:.1} times", scan / boxes);
    println!("a character: {:.1} µs a step, with a search every sixth step", boxes / 6.0);
    keys(model);
    let mut at = 0;
    criterion.bench_function("motion matching, an hour", |b| {
        b.iter(|| {
            at = (at + 1) % queries.len();
            database.nearest(&queries[at].0, queries[at].1)
        });
    });
}

/// What the keys of the hour take, and what compression makes of them.
fn keys(model: Model) {
    let bytes = |model: &Model| model.clips.iter().map(|clip| clip_size(clip).1).sum::<usize>() as f32 / 1e6;
    for tolerance_mm in [0.5, 1.0, 2.0] {
        let mut smaller = model.clone();
        let start = Instant::now();
        let made = compress_clips(&mut smaller, tolerance_mm);
        let secs = start.elapsed().as_secs_f32();
        let error_mm = made.iter().map(|clip| clip.error_mm).fold(0.0, f32::max);
        let [before, after] = [&model, &smaller].map(bytes);
        println!("keys within {tolerance_mm} mm: {after:.1} of {before:.1} MB in {secs:.1} s, error {error_mm:.2} mm");
        println!("  a pose: {:.1} of {:.1} µs", pose_us(&smaller), pose_us(&model));
    }
}

/// What the pose of all nodes takes at moments all over the hour, microseconds.
fn pose_us(model: &Model) -> f32 {
    let mut seed = 5;
    let mut out = vec![Trs::IDENTITY; model.skeleton.len()];
    let start = Instant::now();
    for _ in 0..POSES {
        let clip = ((noise(&mut seed) + 1.0) * 0.5 * CLIPS as f32) as usize % CLIPS;
        let time_secs = (noise(&mut seed) + 1.0) * 0.5 * CLIP_SECS;
        sample_clip(&model.skeleton, Some(&model.clips[clip]), time_secs, &mut out);
        black_box(&mut out);
    }
    start.elapsed().as_secs_f32() * 1e6 / POSES as f32
}

criterion_group!(benches, search);
criterion_main!(benches);
