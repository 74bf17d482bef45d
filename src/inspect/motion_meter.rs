//! How characters move, measured step by step: feet that drift or float, headings off the path, stops off the goal, joints
//! that jerk where one clip follows another, bodies in each other.

mod samples;
mod transitions;

use crate::ids::InstanceId;
use crate::math::plan::to_plan;
use crate::math::{Percentiles, angle};
use crate::sim::{STEP_SECS, World};
use samples::{CharacterTrack, MotionSamples};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use transitions::TransitionMeter;

/// Time for which a character counts as moving after it last did, seconds: stops are measured to their end.
const REST_SECS: f32 = 0.5;
/// Speed above which a character moves, metres per second.
const MOVING_SPEED: f32 = 0.02;
/// Turn above which a character moves, radians per second.
const MOVING_TURN_RAD: f32 = 0.05;
/// Depth to which two bodies may overlap, metres.
const MAX_OVERLAP: f32 = 0.05;
/// Edge of the cells in which overlaps are added up, metres.
const OVERLAP_CELL: f32 = 2.0;
/// Most places of overlaps that are told.
const MAX_OVERLAP_PLACES: usize = 8;

/// Where bodies overlap: a cube of [`OVERLAP_CELL`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OverlapPlace {
    /// Its middle, world space, metres.
    pub center: [f32; 3],
    /// How long bodies overlapped in it, seconds summed over pairs.
    pub secs: f64,
}

/// What was measured of all characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MotionReport {
    /// Simulated time, seconds.
    pub seconds: f64,
    /// Number of characters.
    pub characters: usize,
    /// Speed over the ground of the carrying part of a foot that its clip has planted, while its character moves.
    pub planted_drift_cm_per_sec: Percentiles,
    /// Turn of such a foot about the upright axis.
    pub planted_turn_deg_per_sec: Percentiles,
    /// Distance of the lowest part of a planted foot from the ground, and depth of a swinging one in it.
    pub off_ground_cm: Percentiles,
    /// Angle between heading and path, 0.3 s after a corner.
    pub heading_off_path_deg: Percentiles,
    /// Distance from the place at the target where a character comes to rest.
    pub stop_error_cm: Percentiles,
    /// Greatest acceleration of a joint within 0.3 s of a transition, over the greatest of that joint in its clips.
    pub transition_acceleration: Percentiles,
    /// How often two bodies came to overlap by more than 5 cm.
    pub overlaps: usize,
    /// How long they did, seconds summed over pairs.
    pub overlap_secs: f64,
    /// Where they did, the longest first; at most [`MAX_OVERLAP_PLACES`].
    pub overlap_places: Vec<OverlapPlace>,
    /// Distance walked, summed over characters, metres.
    pub walked_m: f64,
    /// Steps per second at walking speed.
    pub steps_per_sec: f64,
    /// Mean speed at which those steps were counted, metres per second.
    pub step_speed_m_per_sec: f64,
}

/// Measures the motion of the characters of a world, from after one step to after the next.
#[derive(Clone, Debug, Default)]
pub struct MotionMeter {
    tracks: BTreeMap<InstanceId, CharacterTrack>,
    transitions: TransitionMeter,
    overlapping: BTreeSet<(InstanceId, InstanceId)>,
    /// Steps of overlapping pairs by cell.
    overlap_cells: BTreeMap<[i32; 3], usize>,
    samples: MotionSamples,
}

impl MotionMeter {
    /// Measures the step that the world has just taken.
    pub fn observe(&mut self, world: &World) {
        self.samples.steps += 1;
        for (id, live) in world.iter().filter(|(id, _)| world.can_walk(*id)) {
            self.transitions.observe(world, id, live);
            let Some(drawn) = world.drawn_pose(id) else { continue };
            let feet = world.feet(id, &drawn);
            let full_speed = world.full_speed(id).unwrap_or(0.0);
            let before = self.tracks.entry(id).or_default();
            let speed = to_plan(live.now.velocity).length();
            let turn = angle::shortest_turn_rad(before.yaw_rad, live.now.yaw_rad).abs() / STEP_SECS;
            let moves = speed > MOVING_SPEED || turn > MOVING_TURN_RAD;
            before.rested_secs = if moves { 0.0 } else { before.rested_secs + STEP_SECS };
            if let (Some(old), Some(new)) = (before.feet, feet)
                && before.rested_secs < REST_SECS
            {
                self.samples.add_feet(world, &old, &new);
                self.samples.count_steps(&old, &new, speed, full_speed);
            }
            self.samples.walked += f64::from(speed * STEP_SECS);
            self.samples.follow(before, live, world.stop_error(id).filter(|_| !moves));
            before.feet = feet;
            before.yaw_rad = live.now.yaw_rad;
        }
        self.count_overlaps(world);
    }

    /// Counts pairs of bodies that overlap.
    fn count_overlaps(&mut self, world: &World) {
        let mut bodies: Vec<_> =
            world.iter().filter_map(|(id, live)| Some((id, live.now.position, world.body(id)?))).collect();
        bodies.sort_by(|a, b| a.1.x.total_cmp(&b.1.x));
        let widest = bodies.iter().map(|body| body.2.radius).fold(0.0, f32::max);
        let mut overlapping = BTreeSet::new();
        for (i, (a, at, size)) in bodies.iter().enumerate() {
            let near = bodies[i + 1..].iter().take_while(|other| other.1.x - at.x < size.radius + widest);
            for (b, other, other_size) in near {
                let distance = to_plan(*other).distance(to_plan(*at));
                let depth = size.radius + other_size.radius - distance;
                if depth > MAX_OVERLAP && (other.y - at.y).abs() < size.height.min(other_size.height) {
                    overlapping.insert((*a.min(b), *a.max(b)));
                    let cell = (at.midpoint(*other) / OVERLAP_CELL).floor().as_ivec3().to_array();
                    *self.overlap_cells.entry(cell).or_default() += 1;
                }
            }
        }
        self.samples.overlaps += overlapping.difference(&self.overlapping).count();
        self.samples.overlap_steps += overlapping.len();
        self.overlapping = overlapping;
    }

    /// The places with most overlaps.
    fn overlap_places(&self) -> Vec<OverlapPlace> {
        let place = |(cell, steps): (&[i32; 3], &usize)| OverlapPlace {
            center: cell.map(|i| (i as f32 + 0.5) * OVERLAP_CELL),
            secs: *steps as f64 * f64::from(STEP_SECS),
        };
        let mut places: Vec<OverlapPlace> = self.overlap_cells.iter().map(place).collect();
        places.sort_by(|a, b| b.secs.total_cmp(&a.secs));
        places.truncate(MAX_OVERLAP_PLACES);
        places
    }

    /// What was measured so far.
    pub fn report(&self) -> MotionReport {
        let (samples, secs) = (&self.samples, f64::from(STEP_SECS));
        let of = |samples: &Vec<f64>| Percentiles::of(samples.clone());
        let steady_secs = (samples.steady_steps as f64 * secs).max(secs);
        MotionReport {
            seconds: samples.steps as f64 * secs,
            characters: self.tracks.len(),
            planted_drift_cm_per_sec: of(&samples.drift),
            planted_turn_deg_per_sec: of(&samples.turn),
            off_ground_cm: of(&samples.off_ground),
            heading_off_path_deg: of(&samples.heading),
            stop_error_cm: of(&samples.stop),
            transition_acceleration: of(&self.transitions.ratios()),
            overlaps: samples.overlaps,
            overlap_secs: samples.overlap_steps as f64 * secs,
            overlap_places: self.overlap_places(),
            walked_m: samples.walked,
            steps_per_sec: samples.steady_landings as f64 / steady_secs,
            step_speed_m_per_sec: samples.steady_way / steady_secs,
        }
    }
}
