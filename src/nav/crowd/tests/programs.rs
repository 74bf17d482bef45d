//! The linear programs against exhaustive sampling of velocities.

use glam::Vec2;
use proptest::prelude::*;

use crate::nav::crowd::orca::{DiscPair, HalfPlane, MAX_PLANES, best_velocity};

const MAX_SPEED: f32 = 2.0;

/// Velocities on rings up to the most speed.
fn velocities() -> impl Iterator<Item = Vec2> {
    (0..=40).flat_map(|ring| {
        (0..180)
            .map(move |i| Vec2::from_angle(i as f32 * std::f32::consts::TAU / 180.0) * (MAX_SPEED * ring as f32 / 40.0))
    })
}

fn excess(planes: &[HalfPlane], velocity: Vec2) -> f32 {
    planes.iter().map(|p| p.excess(velocity)).fold(f32::NEG_INFINITY, f32::max)
}

/// A plane by the direction of its normal and its distance from zero, m/s.
fn plane((angle, distance): (f32, f32)) -> HalfPlane {
    let normal = Vec2::from_angle(angle);
    HalfPlane::new(normal * distance, normal)
}

fn planes(distances: std::ops::Range<f32>, most: usize) -> impl Strategy<Value = Vec<HalfPlane>> {
    prop::collection::vec((0.0..std::f32::consts::TAU, distances).prop_map(plane), 0..most)
}

proptest! {
    #[test]
    fn n_08_the_best_velocity_is_what_a_look_at_many_finds(
        hard in planes(-2.0..0.0, 6), soft in planes(-2.0..1.5, 12), angle in 0.0f32..7.0, speed in 0.0f32..2.5,
    ) {
        let wanted = Vec2::from_angle(angle) * speed;
        let all: Vec<HalfPlane> = hard.iter().chain(&soft).copied().collect();
        let best = best_velocity(&all, hard.len(), MAX_SPEED, wanted);
        prop_assert!(best.length() <= MAX_SPEED + 1e-3);
        prop_assert!(excess(&hard, best) <= 2e-3, "{best} breaks a wall by {}", excess(&hard, best));
        let allowed = || velocities().filter(|&v| excess(&hard, v) <= 0.0);
        if let Some(seen) = allowed().filter(|&v| excess(&all, v) <= 0.0).min_by(|a, b| {
            a.distance(wanted).total_cmp(&b.distance(wanted))
        }) {
            prop_assert!(excess(&all, best) <= 2e-3, "{best} is outside by {}", excess(&all, best));
            prop_assert!(best.distance(wanted) <= seen.distance(wanted) + 2e-3, "{seen} is nearer than {best}");
        } else if let Some(seen) = allowed().map(|v| excess(&soft, v)).min_by(f32::total_cmp) {
            prop_assert!(excess(&soft, best).max(0.0) <= seen.max(0.0) + 5e-3, "{best}: {} > {seen}", excess(&soft, best));
        }
    }

    #[test]
    fn n_08_nearly_parallel_planes_do_not_make_anybody_faster(angle in 0.0f32..7.0, tilt in -0.01f32..0.01) {
        let apart = plane((angle + std::f32::consts::PI + tilt, 0.5));
        for first in [0.0, 0.3] {
            let best = best_velocity(&[plane((angle, first)), apart], 0, MAX_SPEED, Vec2::ZERO);
            prop_assert!(best.length() <= MAX_SPEED + 1e-3, "{best}");
        }
    }

    #[test]
    fn n_08_after_the_change_two_discs_stay_apart_for_the_horizon(
        x in -4.0f32..4.0, z in -4.0f32..4.0, vx in -3.0f32..3.0, vz in -3.0f32..3.0, share in 0.0f32..1.0,
    ) {
        let pair = DiscPair { offset: Vec2::new(x, z), approach: Vec2::new(vx, vz), radius: 0.6 };
        prop_assume!(pair.offset.length() > 0.61);
        let horizon = 1.5;
        let (change, normal) = pair.change(horizon, 0.4);
        prop_assert!((normal.length() - 1.0).abs() < 1e-3);
        let after = pair.approach + change;
        for i in 0..=100 {
            let apart = (pair.offset - after * (horizon * i as f32 / 100.0)).length();
            prop_assert!(apart > 0.6 - 2e-3, "{apart} after {}", horizon * i as f32 / 100.0);
        }
        // Both do their share: the half-planes of the two keep the same relative velocity allowed.
        let (other, back) = DiscPair { offset: -pair.offset, approach: -pair.approach, radius: 0.6 }.change(horizon, 0.4);
        prop_assert!((other + change).length() < 1e-3 && (back + normal).length() < 1e-3);
        let (mine, theirs) = (HalfPlane::new(change * share, normal), HalfPlane::new(other * (1.0 - share), back));
        prop_assert!(mine.excess(change * share) <= 1e-5 && theirs.excess(other * (1.0 - share)) <= 1e-5);
    }
}

#[test]
fn n_08_the_programs_take_what_is_degenerate() {
    let same = HalfPlane::new(Vec2::X, Vec2::X);
    let against = HalfPlane::new(-Vec2::X, -Vec2::X);
    for planes in [vec![], vec![same; MAX_PLANES], vec![same, against, same, against], vec![HalfPlane::default(); 5]] {
        for wanted in [Vec2::ZERO, Vec2::X * 9.0, -Vec2::Y] {
            for speed in [0.0, 1.0, 50.0] {
                let best = best_velocity(&planes, 0, speed, wanted);
                assert!(best.is_finite() && best.length() <= speed + 1e-3, "{planes:?} {wanted} {speed}: {best}");
            }
        }
    }
    for offset in [Vec2::splat(1e-4), Vec2::X, Vec2::Y * 1e4] {
        for approach in [Vec2::ZERO, Vec2::X, -Vec2::Y * 100.0] {
            for radius in [0.0, 1.0, 20.0] {
                let (change, normal) = DiscPair { offset, approach, radius }.change(1.5, 0.4);
                assert!(change.is_finite() && normal.is_finite(), "{offset} {approach} {radius}");
            }
        }
    }
}

#[test]
fn n_08_more_planes_than_an_agent_has_are_left_out() {
    // No velocity satisfies all of these: every plane is half a metre per second from zero, on all sides.
    let around = |count: usize| -> Vec<HalfPlane> { (0..count).map(|i| plane((i as f32 * 2.4, 0.5))).collect() };
    let best = best_velocity(&around(4 * MAX_PLANES), 0, MAX_SPEED, Vec2::X);
    assert_eq!(best, best_velocity(&around(MAX_PLANES), 0, MAX_SPEED, Vec2::X));
    let walls = best_velocity(&around(4 * MAX_PLANES), 4 * MAX_PLANES, MAX_SPEED, Vec2::X);
    assert!(walls.is_finite() && walls.length() <= MAX_SPEED + 1e-3, "{walls}");
}
