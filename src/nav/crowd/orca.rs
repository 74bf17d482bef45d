//! Velocities that avoid: half-planes of allowed velocities and the best velocity inside of all of them.
//!
//! J. van den Berg, S. J. Guy, M. Lin, D. Manocha, "Reciprocal n-Body Collision Avoidance", ISRR 2009 (in print 2011):
//! section 4 for the half-planes, section 5 for the linear programs in two and three dimensions. A wall's half-plane is
//! taken at the velocity zero (section 5.3), so that standing still never breaks one. Plane vectors are x and z.

use glam::Vec2;

/// Most half-planes of one agent.
pub const MOST_PLANES: usize = 24;
/// Who comes straight on is passed to the right, also where the left would be nearer by this much, m/s.
const SIDE: f32 = 0.15;
/// Below this, lines count as parallel.
const PARALLEL: f32 = 1e-5;

/// Velocities on the left of a line, the line included: those `v` with `direction.perp_dot(v - point) >= 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HalfPlane {
    /// A velocity on the line, m/s.
    pub point: Vec2,
    /// Along the line, of length 1.
    pub direction: Vec2,
}

impl HalfPlane {
    /// The half-plane of `v` with `(v - point) · normal >= 0`; `normal` has length 1.
    pub fn new(point: Vec2, normal: Vec2) -> Self {
        Self { point, direction: Vec2::new(normal.y, -normal.x) }
    }

    /// How far a velocity lies outside, m/s; negative inside.
    #[inline]
    pub fn excess(&self, velocity: Vec2) -> f32 {
        self.direction.perp_dot(self.point - velocity)
    }
}

/// What a pair of discs is to each other, seen from the first.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// From the first's place to the second's, metres; not zero.
    pub offset: Vec2,
    /// Velocity of the first less that of the second, m/s.
    pub approach: Vec2,
    /// Sum of the radii, metres.
    pub radius: f32,
}

impl Pair {
    /// The least change of the relative velocity after which the discs stay apart for `horizon_secs` (or part within
    /// `parting_secs` if they overlap), and the normal of the half-plane that it leads to.
    pub fn change(&self, horizon_secs: f32, parting_secs: f32) -> (Vec2, Vec2) {
        let Self { offset, approach, radius } = *self;
        let distance_squared = offset.length_squared();
        let apart = distance_squared > radius * radius;
        let rate = 1.0 / if apart { horizon_secs } else { parting_secs };
        // From the middle of the disc that cuts the cone off.
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

/// The velocity on the line of plane `at`, inside of those before it and no faster than `max_speed`, that is nearest
/// to `wanted`; with `along`, the one farthest in the direction of `wanted`. The paper's one-dimensional program.
fn on_line(planes: &[HalfPlane], at: usize, max_speed: f32, wanted: Vec2, along: bool) -> Option<Vec2> {
    // From the line's place nearest to standing still: the given one may be far off, where nearly parallel lines meet.
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
        if wanted.dot(line.direction) > 0.0 { high } else { low }
    } else {
        line.direction.dot(wanted - line.point).clamp(low, high)
    };
    Some(line.point + line.direction * t)
}

/// The velocity inside of all planes and no faster than `max_speed` that is nearest to `wanted`; with `along`, the one
/// farthest in the direction of `wanted`. Where there is none, how many planes can be kept, and a velocity that keeps
/// those. The paper's two-dimensional program.
fn inside(planes: &[HalfPlane], max_speed: f32, wanted: Vec2, along: bool) -> Result<Vec2, (usize, Vec2)> {
    let mut best = if along { wanted * max_speed } else { wanted.clamp_length_max(max_speed) };
    for (i, plane) in planes.iter().enumerate() {
        if plane.excess(best) > 0.0 {
            best = on_line(planes, i, max_speed, wanted, along).ok_or((i, best))?;
        }
    }
    Ok(best)
}

/// The velocity nearest to `wanted` that all planes allow and that is no faster than `max_speed`. Where there is none,
/// the one that breaks the planes after the first `hard` least; those are kept. The paper's three-dimensional program.
pub fn best_velocity(planes: &[HalfPlane], hard: usize, max_speed: f32, wanted: Vec2) -> Vec2 {
    match inside(planes, max_speed, wanted, false) {
        Ok(best) => best,
        Err((failed, best)) => least_excess(planes, hard, failed, max_speed, best),
    }
}

fn least_excess(planes: &[HalfPlane], hard: usize, failed: usize, max_speed: f32, start: Vec2) -> Vec2 {
    let (mut best, mut excess) = (start, 0.0);
    let mut cuts = [HalfPlane::default(); MOST_PLANES];
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
        // A failure here is one of rounding: what there is stays.
        if let Ok(better) = inside(&cuts[..count], max_speed, plane.direction.perp(), true) {
            best = better;
        }
        excess = plane.excess(best);
    }
    best
}
