//! ORCA: half-planes of permitted velocities, and the best velocity in their intersection.
//!
//! J. van den Berg, S. J. Guy, M. Lin, D. Manocha, "Reciprocal n-Body Collision Avoidance", ISRR 2009 (in print 2011):
//! section 4 for the half-planes, section 5 for the linear programs in two and three dimensions. The half-plane of a
//! wall is taken at velocity zero (section 5.3), so that standing still always satisfies it. Plane vectors are x and
//! z.

use glam::Vec2;

/// Most half-planes of an agent.
pub const MAX_PLANES: usize = 24;
/// Bias towards passing on the right, m/s: how much nearer the left has to be.
const SIDE: f32 = 0.3;
/// Lines with a smaller cross product count as parallel.
const PARALLEL: f32 = 1e-5;

/// Velocities left of a line, the line included: those `v` with `direction.perp_dot(v - point) >= 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HalfPlane {
    /// A velocity on the line, m/s.
    pub point: Vec2,
    /// Direction of the line, of length 1.
    pub direction: Vec2,
}

impl HalfPlane {
    /// The half-plane of `v` with `(v - point) · normal >= 0`; `normal` has length 1.
    pub fn new(point: Vec2, normal: Vec2) -> Self {
        Self { point, direction: Vec2::new(normal.y, -normal.x) }
    }

    /// Distance of a velocity outside, m/s; negative inside.
    #[inline]
    pub fn excess(&self, velocity: Vec2) -> f32 {
        self.direction.perp_dot(self.point - velocity)
    }
}

/// Two discs, as seen from the first.
#[derive(Clone, Copy, Debug)]
pub struct DiscPair {
    /// From the position of the first to that of the second, metres; not zero.
    pub offset: Vec2,
    /// Velocity of the first minus that of the second, m/s.
    pub approach: Vec2,
    /// Sum of the radii, metres.
    pub radius: f32,
}

impl DiscPair {
    /// The smallest change of the relative velocity that keeps the discs apart for `horizon_secs`, or separates them
    /// within `parting_secs` if they overlap, and the normal of its half-plane.
    pub fn change(&self, horizon_secs: f32, parting_secs: f32) -> (Vec2, Vec2) {
        let Self { offset, approach, radius } = *self;
        let distance_squared = offset.length_squared();
        let apart = distance_squared > radius * radius;
        let rate = 1.0 / if apart { horizon_secs } else { parting_secs };
        // From the centre of the disc that truncates the velocity obstacle.
        let from_disc = approach - offset * rate;
        let ahead = from_disc.dot(offset);
        let round = ahead < 0.0 && ahead * ahead > radius * radius * from_disc.length_squared();
        if !apart || round {
            let length = from_disc.length();
            let normal = if length > 1e-6 { from_disc / length } else { -offset.normalize_or_zero() };
            return (normal * (radius * rate - length), normal);
        }
        let leg = (distance_squared - radius * radius).max(0.0).sqrt();
        let (along, across) = (offset * leg, offset.perp() * radius);
        let direction = if offset.perp_dot(from_disc) > -SIDE * distance_squared.sqrt() {
            (along + across) / distance_squared
        } else {
            (across - along) / distance_squared
        };
        (direction * approach.dot(direction) - approach, direction.perp())
    }
}

/// The paper's one-dimensional program: the velocity on the line of plane `at`, inside the planes before it and no
/// faster than `max_speed`, nearest to `preferred`; with `along`, the one farthest in the direction of `preferred`.
fn solve_1d(planes: &[HalfPlane], at: usize, max_speed: f32, preferred: Vec2, along: bool) -> Option<Vec2> {
    // From the point of the line nearest to zero: the given one may be far off where nearly parallel lines meet.
    let direction = planes[at].direction;
    let line = HalfPlane { point: direction.perp() * direction.perp_dot(planes[at].point), direction };
    let under_root = max_speed * max_speed - line.point.length_squared();
    if !(under_root >= 0.0) {
        return None;
    }
    let root = under_root.sqrt();
    let (mut low, mut high) = (-root, root);
    for other in &planes[..at] {
        let across = line.direction.perp_dot(other.direction);
        let outside = other.direction.perp_dot(line.point - other.point);
        if across.abs() <= PARALLEL {
            if outside < 0.0 {
                return None;
            }
            continue;
        }
        let t = outside / across;
        if across >= 0.0 {
            high = high.min(t);
        } else {
            low = low.max(t);
        }
        if low > high {
            return None;
        }
    }
    let t = if along {
        if preferred.dot(line.direction) > 0.0 { high } else { low }
    } else {
        line.direction.dot(preferred - line.point).clamp(low, high)
    };
    Some(line.point + line.direction * t)
}

/// The paper's two-dimensional program: the velocity inside all planes and no faster than `max_speed` nearest to
/// `preferred`; with `along`, the one farthest in the direction of `preferred`. If there is none, the error is the
/// number of planes that can be satisfied and a velocity that does.
fn solve_2d(planes: &[HalfPlane], max_speed: f32, preferred: Vec2, along: bool) -> Result<Vec2, (usize, Vec2)> {
    let mut best = if along { preferred * max_speed } else { preferred.clamp_length_max(max_speed) };
    for (i, plane) in planes.iter().enumerate() {
        if plane.excess(best) > 0.0 {
            best = solve_1d(planes, i, max_speed, preferred, along).ok_or((i, best))?;
        }
    }
    Ok(best)
}

/// The paper's three-dimensional program: the velocity nearest to `preferred` that all planes permit and that is no
/// faster than `max_speed`. If there is none, the one with the least violation of the planes after the first `hard`,
/// which are kept. Planes after the first [`MAX_PLANES`] do not count.
pub fn best_velocity(planes: &[HalfPlane], hard: usize, max_speed: f32, preferred: Vec2) -> Vec2 {
    let planes = &planes[..planes.len().min(MAX_PLANES)];
    match solve_2d(planes, max_speed, preferred, false) {
        Ok(best) => best,
        Err((failed, best)) => solve_3d(planes, hard, failed, max_speed, best),
    }
}

fn solve_3d(planes: &[HalfPlane], hard: usize, failed: usize, max_speed: f32, start: Vec2) -> Vec2 {
    let (mut best, mut excess) = (start, 0.0);
    let mut cuts = [HalfPlane::default(); MAX_PLANES];
    for (i, plane) in planes.iter().enumerate().skip(failed) {
        if plane.excess(best) <= excess {
            continue;
        }
        let kept = hard.min(i);
        cuts[..kept].copy_from_slice(&planes[..kept]);
        let mut count = kept;
        for other in &planes[kept..i] {
            let across = plane.direction.perp_dot(other.direction);
            let point = if across.abs() <= PARALLEL {
                if plane.direction.dot(other.direction) > 0.0 {
                    continue;
                }
                (plane.point + other.point) * 0.5
            } else {
                plane.point + plane.direction * (other.direction.perp_dot(plane.point - other.point) / across)
            };
            let direction = (other.direction - plane.direction).normalize_or_zero();
            cuts[count] = HalfPlane { point, direction };
            count += 1;
        }
        // A failure here is due to rounding: the best so far stays.
        if let Ok(better) = solve_2d(&cuts[..count], max_speed, plane.direction.perp(), true) {
            best = better;
        }
        excess = plane.excess(best);
    }
    best
}
