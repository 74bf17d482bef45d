//! Inverse kinematics of a chain of joints: FABRIK (Aristidou and Lasenby, "FABRIK: a fast, iterative solver for the
//! inverse kinematics problem", Graphical Models 2011).
//!
//! Before the first iteration the chain is rotated towards the target and its inner joints are moved to the side of the
//! bend direction. FABRIK keeps a chain in its plane, so knees keep bending forward. The first iteration folds or
//! stretches the chain to the target's distance, because FABRIK alone converges slowly for a nearly straight chain.

use glam::{Quat, Vec3};

/// Most joints of a chain.
pub const MAX_CHAIN: usize = 5;

/// Convergence threshold, as a fraction of the chain's length.
const TOLERANCE: f32 = 1e-4;
/// A chain whose inner joints deviate by less than this fraction of its length is straight and gets a default bend.
const STRAIGHT_SHARE: f32 = 0.01;
/// Newton iterations that fold a chain.
const NEWTON_STEPS: u32 = 8;

/// Moves the joints of a chain, root first, so that the last one approaches `target`, in at most `iterations`
/// iterations; bone lengths stay. Inner joints deviate towards `bend`, a direction in the same space. Returns the
/// remaining distance.
///
/// Chains of fewer than two or more than [`MAX_CHAIN`] joints and non-finite values are left unchanged.
pub fn solve_chain(joints: &mut [Vec3], target: Vec3, bend: Vec3, iterations: u32) -> f32 {
    let n = joints.len();
    let usable = (2..=MAX_CHAIN).contains(&n) && target.is_finite() && joints.iter().all(|p| p.is_finite());
    if !usable {
        return joints.last().map_or(0.0, |end| end.distance(target));
    }
    let mut lengths = [0.0; MAX_CHAIN];
    for i in 0..n - 1 {
        lengths[i] = joints[i].distance(joints[i + 1]);
    }
    let total: f32 = lengths[..n - 1].iter().sum();
    let root = joints[0];
    let (from, to) = (joints[n - 1] - root, target - root);
    // Towards its own root a chain has no direction: it stays as it is.
    let Some(axis) = to.try_normalize() else { return joints[n - 1].distance(target) };
    if let Some(from) = from.try_normalize() {
        let turn = shortest_arc(from, axis);
        joints[1..].iter_mut().for_each(|p| *p = root + turn * (*p - root));
    }
    bend_to(joints, axis, bend, total);
    if to.length() >= total {
        for i in 1..n {
            joints[i] = joints[i - 1] + axis * lengths[i - 1];
        }
        return joints[n - 1].distance(target);
    }
    if iterations > 0 {
        fold(joints, &lengths, axis, to.length());
    }
    for _ in 0..iterations {
        if joints[n - 1].distance(target) <= TOLERANCE * total {
            break;
        }
        joints[n - 1] = target;
        for i in (0..n - 1).rev() {
            joints[i] = joints[i + 1] + (joints[i] - joints[i + 1]).normalize_or(-axis) * lengths[i];
        }
        joints[0] = root;
        for i in 0..n - 1 {
            joints[i + 1] = joints[i] + (joints[i + 1] - joints[i]).normalize_or(axis) * lengths[i];
        }
    }
    joints[n - 1].distance(target)
}

/// The shortest rotation from one unit vector to another. [`Quat::from_rotation_arc`] takes angles below 0.0007 rad for none,
/// and a foot jumps by half a millimetre where it begins to count them.
pub(super) fn shortest_arc(from: Vec3, to: Vec3) -> Quat {
    let cosine = from.dot(to);
    if cosine < 0.0 {
        return Quat::from_rotation_arc(from, to);
    }
    let axis = from.cross(to);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cosine).normalize()
}

/// Moves the inner joints to the side of `bend` of the line from the root along `axis`.
fn bend_to(joints: &mut [Vec3], axis: Vec3, bend: Vec3, total: f32) {
    let Some(side) = bend.reject_from_normalized(axis).try_normalize() else { return };
    let (root, n) = (joints[0], joints.len());
    let farthest =
        joints[1..n - 1].iter().map(|p| (*p - root).reject_from_normalized(axis).length()).fold(0.0, f32::max);
    for p in &mut joints[1..n - 1] {
        let out = (*p - root).dot(side);
        if farthest < STRAIGHT_SHARE * total {
            *p += side * (STRAIGHT_SHARE * total - out);
        } else if out < 0.0 {
            *p -= side * (2.0 * out);
        }
    }
}

/// Scales the deviation of the inner joints from the line along `axis` by one factor, so that the chain with its
/// `lengths` ends at `distance` along that line. For two bones this is the law of cosines. A chain that would have to
/// fold back along the line is left unchanged.
fn fold(joints: &mut [Vec3], lengths: &[f32; MAX_CHAIN], axis: Vec3, distance: f32) {
    let n = joints.len();
    // `aside` is the component of a bone orthogonal to the line. With the squared factor `u`, its extent along the line
    // is sqrt(length² - u·aside²).
    let mut aside = [Vec3::ZERO; MAX_CHAIN];
    let mut most = f32::INFINITY;
    for i in 0..n - 1 {
        aside[i] = (joints[i + 1] - joints[i]).reject_from_normalized(axis);
        most = most.min(lengths[i] * lengths[i] / aside[i].length_squared());
    }
    let along = |i: usize, u: f32| (lengths[i] * lengths[i] - u * aside[i].length_squared()).max(0.0).sqrt();
    let reached = |u: f32| (0..n - 1).map(|i| along(i, u)).sum::<f32>();
    if !(most.is_finite() && reached(most) <= distance) {
        return;
    }
    // The distance falls monotonically with `u`; the solution stays bracketed.
    let (mut low, mut high) = (0.0, most);
    let mut u = most.min(1.0);
    for _ in 0..NEWTON_STEPS {
        let over = reached(u) - distance;
        if over.abs() <= 0.1 * TOLERANCE * distance {
            break;
        }
        if over > 0.0 {
            low = u
        } else {
            high = u
        }
        let slope: f32 =
            (0..n - 1).map(|i| aside[i].length_squared() / along(i, u).max(f32::MIN_POSITIVE)).sum::<f32>() * 0.5;
        let next = u + over / slope;
        u = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    let factor = u.sqrt();
    for i in 0..n - 1 {
        joints[i + 1] = joints[i] + axis * along(i, u) + aside[i] * factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_angles_are_rotations() {
        for exponent in 1..7 {
            let angle = 10.0_f32.powi(-exponent);
            for from in [Vec3::X, Vec3::new(0.6, 0.0, 0.8), Vec3::new(-0.36, 0.48, 0.8)] {
                let to = Quat::from_axis_angle(from.any_orthonormal_vector(), angle) * from;
                let off = (shortest_arc(from, to) * from).distance(to);
                assert!(off < 2e-7, "{angle} rad from {from}: {off}");
            }
        }
        assert_eq!(shortest_arc(Vec3::Y, Vec3::Y), Quat::IDENTITY);
        assert!((shortest_arc(Vec3::Y, -Vec3::Y) * Vec3::Y).distance(-Vec3::Y) < 1e-6);
    }

    const THIGH: f32 = 0.41;
    const SHIN: f32 = 0.39;

    /// Hip, knee and ankle of a leg whose hip and ankle are `distance` apart, its knee towards +Z (law of cosines).
    fn leg(distance: f32) -> [Vec3; 3] {
        let along = (THIGH * THIGH - SHIN * SHIN + distance * distance) / (2.0 * distance);
        let out = (THIGH * THIGH - along * along).max(0.0).sqrt();
        [Vec3::ZERO, Vec3::new(0.0, -along, out), Vec3::NEG_Y * distance]
    }

    #[test]
    fn two_bones_come_to_the_analytic_answer() {
        for from in [0.79, 0.75, 0.6] {
            for to in [0.79, 0.78, 0.74, 0.7, 0.6, 0.5, 0.4, 0.3] {
                let expected = leg(to);
                let mut joints = leg(from);
                let left = solve_chain(&mut joints, expected[2], Vec3::Z, 200);
                assert!(left < 2e-4, "{from} -> {to}: {left}");
                assert!(joints[1].distance(expected[1]) < 4e-3, "{from} -> {to}: {} {}", joints[1], expected[1]);
                // Folding alone is exact, and so is one iteration of a scene file, nearly straight or not.
                let mut joints = leg(from);
                let left = solve_chain(&mut joints, expected[2], Vec3::Z, 1);
                assert!(left < 1e-4, "{from} -> {to}: {left} after 1");
            }
        }
    }

    #[test]
    fn more_iterations_come_nearer() {
        let left = [0, 1, 2, 5, 10, 50].map(|n| solve_chain(&mut leg(0.78), Vec3::new(0.1, -0.6, 0.1), Vec3::Z, n));
        assert!(left.windows(2).all(|w| w[1] <= w[0]), "{left:?}");
        assert!(left[0] > 0.05 && left[5] < 1e-3, "{left:?}");
    }

    #[test]
    fn lengths_stay_and_knees_bend_forward_whatever_is_asked() {
        let starts = [leg(0.7), leg(0.8), leg(0.7).map(|p| p * Vec3::new(1.0, 1.0, -1.0))];
        for start in starts {
            for i in 0..400_u32 {
                let a = i as f32;
                let target = Vec3::new((a * 0.7).sin() * 0.3, -0.9 + (a * 0.31).sin() * 0.4, (a * 1.3).cos() * 0.3);
                let mut joints = start;
                solve_chain(&mut joints, target, Vec3::Z, 10);
                assert!(joints.iter().all(|p| p.is_finite()));
                assert_eq!(joints[0], Vec3::ZERO);
                assert!((joints[0].distance(joints[1]) - THIGH).abs() < 1e-4);
                assert!((joints[1].distance(joints[2]) - SHIN).abs() < 1e-4);
                let axis = joints[2].normalize();
                let out = joints[1].reject_from_normalized(axis);
                let side = Vec3::Z.reject_from_normalized(axis);
                assert!(out.dot(side) >= -1e-3, "target {target}: knee at {}", joints[1]);
            }
        }
    }

    #[test]
    fn chains_point_at_targets_out_of_reach() {
        let mut joints = leg(0.7);
        let left = solve_chain(&mut joints, Vec3::new(0.0, -1.0, 0.5), Vec3::Z, 10);
        assert!((left - (1.25_f32.sqrt() - 0.8)).abs() < 1e-3);
        let mut five = [0.0, 1.0, 2.0, 3.0, 4.0].map(|y| Vec3::new(0.0, -y, 0.1 * y * (4.0 - y)));
        assert!(solve_chain(&mut five, Vec3::new(0.5, -2.5, 1.0), Vec3::Z, 30) < 1e-2);
        // Nothing that is no number gets in.
        let mut joints = leg(0.7);
        solve_chain(&mut joints, Vec3::NAN, Vec3::Z, 10);
        assert_eq!(joints, leg(0.7));
        let mut folded = leg(0.7);
        let left = solve_chain(&mut folded, Vec3::ZERO, Vec3::Z, 10);
        assert!((left - 0.7).abs() < 1e-5 && folded == leg(0.7), "{left} m from its own root");
        solve_chain(&mut joints, Vec3::ZERO, Vec3::ZERO, 10);
        assert!(joints.iter().all(|p| p.is_finite()));
        solve_chain(&mut [], Vec3::ZERO, Vec3::ZERO, 10);
    }
}
