//! Motion matching over an hour of walking: what a search of the database takes, by boxes and by looking at every frame,
//! and how much memory the database and the keys of the clips take.
//!
//! The hour is Ada's walk along ways whose speed and turn wander; each query asks for the way and the look of one
//! frame, with the way of another mixed in, as characters do whose way changes.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

#[path = "../tests/common/travelling.rs"]
mod travelling;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec2;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use travelling::{KEY_SECS, legs, noise, travelling};
use walkabout::anim::motion_database::{MotionDatabase, MotionFrame, MotionQuery};
use walkabout::asset::clip_compression::{clip_size, compress_clips};
use walkabout::asset::import::import_file;
use walkabout::asset::root_track::RootPlace;
use walkabout::asset::{ClipSources, Model};

/// Clips of the hour, and the length of each in seconds.
const CLIPS: usize = 60;
const CLIP_SECS: f32 = 60.0;
/// Queries that are timed by hand.
const QUERIES: usize = 2000;

/// Ways that wander: speed between standing and a fast walk, turns of up to a quarter turn a second.
fn wandering(seed: &mut u64) -> Vec<RootPlace> {
    let (mut place, mut speed, mut turn) = (RootPlace::default(), 1.4, 0.0);
    let mut keys = vec![place];
    for _ in 0..(CLIP_SECS / KEY_SECS) as usize {
        speed = (speed + 0.15 * noise(seed)).clamp(0.0, 1.9);
        turn = (turn * 0.97 + 0.35 * noise(seed)).clamp(-1.6, 1.6);
        place.yaw_rad += turn * KEY_SECS;
        place.at += Vec2::from(place.yaw_rad.sin_cos()) * speed * KEY_SECS;
        keys.push(place);
    }
    keys
}

fn hour() -> Model {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/people/ada.glb");
    let mut model = import_file(&file).unwrap_or_else(|error| panic!("{error}"));
    let mut seed = 3;
    let walk = |_| {
        let way = wandering(&mut seed);
        travelling(&model, "Walk", CLIP_SECS, |time| way[((time / KEY_SECS).round() as usize).min(way.len() - 1)])
    };
    model.clips = (0..CLIPS).map(walk).collect();
    let sources = ClipSources { root_tracks: true, ..ClipSources::default() };
    sources.add_to(&mut model, |file| panic!("{} is not asked for", file.display()));
    model
}

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
    }
}

criterion_group!(benches, search);
criterion_main!(benches);
