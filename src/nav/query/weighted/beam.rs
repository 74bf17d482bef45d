//! Rays and beams: what leaves a point, or a line that is run along, and bends at sides where the cost changes.
//!
//! The cost of the best path over a given sequence of sides is a convex function of where it arrives, since it is the
//! least of a sum of norms. So rays of one beam never cross, and the ray to a point is found by bisection. All cells that
//! a beam crosses are laid flat in one plane, its development.

use glam::DVec2;

/// A turn and a shift: from the frame of a cell into the development of a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamFrame {
    turn: DVec2,
    shift: DVec2,
}

impl BeamFrame {
    pub(super) const IDENTITY: Self = Self { turn: DVec2::X, shift: DVec2::ZERO };

    /// The frame in which a segment of the cell, `from`, lies at `to`.
    pub(super) fn onto(from: [DVec2; 2], to: [DVec2; 2]) -> Self {
        if from == to {
            return Self::IDENTITY;
        }
        let (own, wanted) = ((from[1] - from[0]).normalize_or(DVec2::X), (to[1] - to[0]).normalize_or(DVec2::X));
        let turn = DVec2::new(own.dot(wanted), own.perp_dot(wanted));
        Self { turn, shift: to[0] - turn.rotate(from[0]) }
    }

    #[inline]
    pub(super) fn apply(&self, point: DVec2) -> DVec2 {
        self.turn.rotate(point) + self.shift
    }

    /// A direction of the development as the cell sees it.
    #[inline]
    pub(super) fn direction_in_cell(&self, direction: DVec2) -> DVec2 {
        DVec2::new(self.turn.x, -self.turn.y).rotate(direction)
    }
}

/// A ray that crosses a side, or arrives at a point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathRay {
    /// Which ray of its beam: metres along the first side where the cost changes, or along the line that is run.
    pub(super) s: f64,
    pub(super) at: DVec2,
    /// Unit direction in which it goes on.
    pub(super) dir: DVec2,
    /// Cost of the path to `at`.
    pub(super) cost: f64,
}

/// How a ray moves as its `s` grows by a metre.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RayMotion {
    /// Metres to the left.
    pub(super) aside: f64,
    /// Radians to the left.
    pub(super) turn: f64,
}

/// A side, seen in the direction of the beam: `a` lies on the right, `b` on the left.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamGate {
    pub(super) a: DVec2,
    /// Unit direction from `a` to `b`.
    pub(super) along: DVec2,
    pub(super) length: f64,
    /// Costs of a metre before and beyond.
    pub(super) before: f64,
    pub(super) beyond: f64,
    /// The first by the second, by which sines grow.
    pub(super) ratio: f64,
}

impl BeamGate {
    pub(super) fn new(a: DVec2, b: DVec2, before: f64, beyond: f64) -> Self {
        let length = a.distance(b);
        Self { a, along: (b - a) / length.max(f64::MIN_POSITIVE), length, before, beyond, ratio: before / beyond }
    }

    /// Snell's law: the direction beyond. A ray beyond the critical angle goes on along the side.
    #[inline]
    pub(super) fn refract(&self, dir: DVec2) -> DVec2 {
        if self.before == self.beyond {
            return dir;
        }
        let sine = (dir.dot(self.along) * self.ratio).clamp(-1.0, 1.0);
        // With `a` on the right and `b` on the left, beyond is to the right of the way from `a` to `b`.
        self.along * sine - self.along.perp() * (1.0 - sine * sine).max(0.0).sqrt()
    }

    /// The ray where it crosses the line of the side, bent.
    #[inline]
    pub(super) fn cross(&self, ray: &PathRay) -> PathRay {
        let speed = self.along.perp_dot(ray.dir);
        let far = self.along.perp_dot(self.a - ray.at);
        // A ray along the side stays where it is.
        let way = if speed.abs() < 1e-14 { 0.0 } else { (far / speed).max(0.0) };
        let at = ray.at + ray.dir * way;
        PathRay { s: ray.s, at, dir: self.refract(ray.dir), cost: ray.cost + self.before * way }
    }

    /// Metres from `a` to a point on the side.
    #[inline]
    pub(super) fn place_of(&self, point: DVec2) -> f64 {
        (point - self.a).dot(self.along)
    }
}

/// What a beam comes from, in its development.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// A point.
    Point(DVec2),
    /// A line that is run along at the cost of the cheaper side, left at the critical angle.
    Run { from: DVec2, along: DVec2, dir: DVec2, weight: f64 },
}

/// A beam in a cell: its origin, the sides where the cost changes on its way there, and its outermost rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beam<'a> {
    pub(super) origin: Origin,
    /// Cost of the path to the origin.
    pub(super) cost: f64,
    pub(super) gates: &'a [BeamGate],
    /// Cost of a metre on the cell.
    pub(super) weight: f64,
    pub(super) right: PathRay,
    pub(super) left: PathRay,
    /// Distances below this are none, metres.
    pub(super) tolerance: f64,
}

/// Where a point lies beside a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointSight {
    Right,
    /// On the outermost ray on the right.
    OnRight,
    Between,
    /// On the outermost ray on the left.
    OnLeft,
    Left,
}

impl Beam<'_> {
    /// The point that the beam comes from, if nothing bent it since.
    pub(super) fn straight_from(&self) -> Option<DVec2> {
        match self.origin {
            Origin::Point(from) if self.gates.is_empty() => Some(from),
            _ => None,
        }
    }

    /// The ray `s` behind the last side where the cost changes.
    pub(super) fn trace(&self, s: f64) -> PathRay {
        let (mut ray, gates) = match (self.origin, self.gates.split_first()) {
            (Origin::Point(from), Some((first, rest))) => {
                let at = first.a + first.along * s;
                let way = at - from;
                let ray = PathRay { s, at, dir: first.refract(way.normalize_or_zero()), cost: 0.0 };
                (PathRay { cost: self.cost + first.before * way.length(), ..ray }, rest)
            }
            _ => (self.run_ray(s), self.gates),
        };
        for gate in gates {
            ray = gate.cross(&ray);
        }
        ray
    }

    /// The ray that leaves the line that is run along after `s` metres.
    fn run_ray(&self, s: f64) -> PathRay {
        match self.origin {
            Origin::Run { from, along, dir, weight } => {
                PathRay { s, at: from + along * s, dir, cost: self.cost + weight * s }
            }
            Origin::Point(at) => PathRay { s, at, dir: self.right.dir, cost: self.cost },
        }
    }

    /// The ray `s`, and how it moves as `s` grows.
    fn trace_moving(&self, s: f64) -> (PathRay, RayMotion) {
        let (mut ray, mut motion, gates) = match (self.origin, self.gates.split_first()) {
            (Origin::Point(from), Some((first, rest))) => {
                let at = first.a + first.along * s;
                let way = at - from;
                let length = way.length();
                let before = way / length;
                let dir = first.refract(before);
                let (into, beyond) = (before.perp_dot(first.along), dir.perp_dot(first.along));
                let motion = RayMotion { aside: beyond, turn: first.ratio * into * into / (length * beyond) };
                (PathRay { s, at, dir, cost: self.cost + first.before * length }, motion, rest)
            }
            (Origin::Run { along, dir, .. }, _) => {
                (self.run_ray(s), RayMotion { aside: dir.perp_dot(along), turn: 0.0 }, self.gates)
            }
            (Origin::Point(_), None) => (self.trace(s), RayMotion::default(), self.gates),
        };
        for gate in gates {
            let beyond = gate.cross(&ray);
            let way = (beyond.at - ray.at).dot(ray.dir);
            let ratio = ray.dir.perp_dot(gate.along) / beyond.dir.perp_dot(gate.along);
            motion =
                RayMotion { aside: (motion.aside + way * motion.turn) / ratio, turn: motion.turn * gate.ratio * ratio };
            ray = beyond;
        }
        (ray, motion)
    }

    /// A ray that goes on over the cell to a point on it.
    fn extended(&self, ray: &PathRay, point: DVec2) -> PathRay {
        PathRay { at: point, cost: ray.cost + self.weight * ray.at.distance(point), ..*ray }
    }

    /// An outermost ray up to a point that lies on it within rounding. One that nothing bent points from the origin to the point: from
    /// vertex to vertex the rounding of its direction would add up.
    fn along(&self, ray: &PathRay, point: DVec2) -> PathRay {
        let dir = self.straight_from().map_or(ray.dir, |from| (point - from).normalize_or(ray.dir));
        PathRay { dir, ..self.extended(ray, point) }
    }

    /// The ray that arrives at a point between the outermost rays.
    fn ray_to(&self, point: DVec2) -> PathRay {
        let arriving = |ray: PathRay| {
            let way = point - ray.at;
            let dir = if way.length() > self.tolerance { way.normalize_or(ray.dir) } else { ray.dir };
            PathRay { dir, ..self.extended(&ray, point) }
        };
        match (self.origin, self.gates.is_empty()) {
            (Origin::Point(from), true) => arriving(PathRay { at: from, cost: self.cost, ..self.right }),
            (Origin::Run { from, along, dir, .. }, true) => {
                let s = dir.perp_dot(point - from) / dir.perp_dot(along);
                let (least, most) = (self.right.s.min(self.left.s), self.right.s.max(self.left.s));
                arriving(self.trace(s.clamp(least, most)))
            }
            _ => {
                let beside = |ray: &PathRay| ray.dir.perp_dot(point - ray.at);
                let growth =
                    |ray: &PathRay, motion: &RayMotion| -motion.turn * ray.dir.dot(point - ray.at) - motion.aside;
                arriving(self.search([self.right, self.left], beside, growth))
            }
        }
    }

    /// The ray between two others, right and left, at which a function that falls from right to left is 0, given how it grows
    /// with `s` (Newton's method, between bounds of the Illinois method, then bisection).
    pub(super) fn search(
        &self,
        [mut right, mut left]: [PathRay; 2],
        value: impl Fn(&PathRay) -> f64,
        growth: impl Fn(&PathRay, &RayMotion) -> f64,
    ) -> PathRay {
        let (mut high, mut low) = (value(&right), value(&left));
        if high <= 0.0 {
            return right;
        }
        if low >= 0.0 {
            return left;
        }
        let (mut best, mut side) = (if high < -low { (high, right) } else { (-low, left) }, 0);
        let mut newton = None;
        for round in 0..60 {
            let share = if round < 20 { high / (high - low) } else { 0.5 };
            let between = right.s + (left.s - right.s) * share;
            let (ray, motion) = self.trace_moving(newton.unwrap_or(between));
            let now = value(&ray);
            let is_nearer = now.abs() < 0.5 * best.0;
            if now.abs() < best.0 {
                best = (now.abs(), ray);
            }
            if now.abs() <= 1e-13 || (left.s - right.s).abs() <= 1e-14 * (1.0 + left.s.abs()) {
                break;
            }
            if now > 0.0 {
                (right, high) = (ray, now);
                if side == 1 {
                    low *= 0.5;
                }
                side = 1;
            } else {
                (left, low) = (ray, now);
                if side == 2 {
                    high *= 0.5;
                }
                side = 2;
            }
            let next = ray.s - now / growth(&ray, &motion);
            newton = (is_nearer && (next - right.s) * (next - left.s) < 0.0).then_some(next);
        }
        best.1
    }

    /// Whether the beam meets a point of its cell.
    pub(super) fn sight(&self, point: DVec2) -> PointSight {
        let (right, left) = (point - self.right.at, point - self.left.at);
        let (beside_right, beside_left) = (self.right.dir.perp_dot(right), self.left.dir.perp_dot(left));
        if beside_right < -self.tolerance {
            return PointSight::Right;
        }
        if beside_left > self.tolerance {
            return PointSight::Left;
        }
        let is_on = |ray: &PathRay, beside: f64, way: DVec2| {
            beside.abs() <= self.tolerance && ray.dir.dot(way) >= -self.tolerance
        };
        if is_on(&self.right, beside_right, right) {
            return PointSight::OnRight;
        }
        if is_on(&self.left, beside_left, left) {
            return PointSight::OnLeft;
        }
        PointSight::Between
    }

    /// The ray that arrives at a point that the beam meets.
    pub(super) fn ray_at(&self, point: DVec2, sight: PointSight) -> Option<PathRay> {
        match sight {
            PointSight::Right | PointSight::Left => None,
            PointSight::OnRight => Some(self.along(&self.right, point)),
            PointSight::OnLeft => Some(self.along(&self.left, point)),
            PointSight::Between => Some(self.ray_to(point)),
        }
    }

    /// What no path of the beam to a point of its cell costs less than: the cost is convex, so it lies above its tangents at the
    /// outermost rays.
    pub(super) fn least_cost(&self, point: DVec2) -> f64 {
        let tangent = |ray: &PathRay| ray.cost + self.weight * ray.dir.dot(point - ray.at);
        tangent(&self.right).max(tangent(&self.left))
    }
}
