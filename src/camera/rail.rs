//! Camera rails: a spline through points that a camera travels at constant speed.

use crate::math::spline::catmull_rom;
use crate::vocab::labelled;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Straight pieces by which a span between two points is measured.
const PIECES: usize = 24;

labelled! {
    /// What a camera does at the end of its rail.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum RailEnd: label {
        /// It goes on from the last point to the first: the rail is closed.
        #[default]
        Loop = "Round and round",
        /// It goes back the same way.
        ThereAndBack = "There and back",
        /// It stays there.
        Once = "Stays at the end",
    }
}

impl RailEnd {
    /// How far along the rail a camera is after `secs`, 0 to 1, if the whole takes `duration_secs`, and whether it goes
    /// forward.
    pub fn share_at(self, secs: f64, duration_secs: f32) -> (f32, bool) {
        let laps = secs.max(0.0) / f64::from(duration_secs.max(1e-3));
        if !laps.is_finite() {
            return (0.0, true);
        }
        match self {
            Self::Loop => (laps.fract() as f32, true),
            Self::ThereAndBack => {
                let share = laps.rem_euclid(2.0);
                if share <= 1.0 { (share as f32, true) } else { ((2.0 - share) as f32, false) }
            }
            Self::Once => (laps.min(1.0) as f32, true),
        }
    }
}

/// A spline through points, measured by its length.
#[derive(Clone, Debug, PartialEq)]
pub struct Rail {
    points: Vec<Vec3>,
    is_closed: bool,
    /// Length up to each sample, metres; [`PIECES`] samples to a span.
    lengths: Vec<f32>,
}

impl Rail {
    /// The rail through `points`; none for fewer than two or for points that are not finite.
    pub fn new(points: &[Vec3], end: RailEnd) -> Option<Self> {
        if points.len() < 2 || !points.iter().all(|p| p.is_finite()) {
            return None;
        }
        let mut rail = Self { points: points.to_vec(), is_closed: end == RailEnd::Loop, lengths: vec![0.0] };
        let (mut before, mut length) = (points[0], 0.0);
        for sample in 1..=rail.spans() * PIECES {
            let at = rail.sample(sample as f32 / PIECES as f32);
            length += at.distance(before);
            rail.lengths.push(length);
            before = at;
        }
        Some(rail)
    }

    fn spans(&self) -> usize {
        if self.is_closed { self.points.len() } else { self.points.len() - 1 }
    }

    /// Point `i` of the rail, which goes on beyond its ends.
    fn point(&self, i: isize) -> Vec3 {
        let (count, last) = (self.points.len() as isize, self.points.len() - 1);
        if self.is_closed {
            return self.points[i.rem_euclid(count) as usize];
        }
        match usize::try_from(i) {
            Err(_) => self.points[0] * 2.0 - self.points[1],
            Ok(i) if i > last => self.points[last] * 2.0 - self.points[last - 1],
            Ok(i) => self.points[i],
        }
    }

    /// The place so many spans along.
    fn sample(&self, spans: f32) -> Vec3 {
        let span = (spans as usize).min(self.spans() - 1);
        let four = [-1, 0, 1, 2].map(|by| self.point(span as isize + by));
        catmull_rom(four, Vec3::distance, spans - span as f32)
    }

    /// Place and unit direction at a share of the length, 0 to 1.
    pub fn at(&self, share: f32) -> (Vec3, Vec3) {
        let whole = self.lengths.last().copied().unwrap_or_default();
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let length = whole * share;
        let after = self.lengths.partition_point(|l| *l < length).clamp(1, self.lengths.len() - 1);
        let (from, to) = (self.lengths[after - 1], self.lengths[after]);
        let part = if to > from { (length - from) / (to - from) } else { 0.0 };
        let spans = (after as f32 - 1.0 + part) / PIECES as f32;
        // Within one span: a closed rail of two points turns back at each of them.
        let span = (spans as usize).min(self.spans() - 1) as f32;
        let (a, b) = ((spans - 0.01).max(span), (spans + 0.01).min(span + 1.0));
        let direction = (self.sample(b) - self.sample(a)).try_normalize().unwrap_or(Vec3::NEG_Z);
        (self.sample(spans), direction)
    }

    /// Places from one end to the other, for drawing.
    pub fn line(&self) -> impl Iterator<Item = Vec3> {
        (0..=self.spans() * PIECES).map(|sample| self.sample(sample as f32 / PIECES as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> [Vec3; 4] {
        [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0]
    }

    #[test]
    fn rails_go_through_their_points_at_constant_speed() {
        for end in RailEnd::ALL {
            let rail = Rail::new(&square(), end).unwrap();
            for point in square() {
                assert!(rail.line().any(|at| at.distance(point) < 1e-4), "{end:?} misses {point}");
            }
            let steps: Vec<f32> =
                (0..100).map(|i| rail.at(i as f32 / 100.0).0.distance(rail.at((i + 1) as f32 / 100.0).0)).collect();
            let (least, most) = steps.iter().fold((f32::MAX, 0.0_f32), |(a, b), s| (a.min(*s), b.max(*s)));
            assert!(most < least * 1.1, "{end:?}: steps of {least} to {most} m");
        }
        let rail = Rail::new(&square(), RailEnd::Loop).unwrap();
        assert!(rail.at(0.0).0.distance(rail.at(1.0).0) < 1e-4, "a loop is closed");
        assert!(Rail::new(&square(), RailEnd::Once).unwrap().at(1.0).0.distance(Vec3::Z * 4.0) < 1e-4);
    }

    #[test]
    fn a_loop_of_two_points_goes_back_without_a_jump() {
        let far = Vec3::X * 4.0;
        let rail = Rail::new(&[Vec3::ZERO, far], RailEnd::Loop).unwrap();
        let places: Vec<Vec3> = (0..=100).map(|i| rail.at(i as f32 / 100.0).0).collect();
        assert!(places[50].distance(far) < 1e-2 && places[100].distance(places[0]) < 1e-2, "{places:?}");
        assert!(places.windows(2).all(|pair| pair[0].distance(pair[1]) < 0.12), "{places:?}");
        assert!(rail.at(0.25).1.x > 0.99 && rail.at(0.75).1.x < -0.99, "it looks where it goes");
        assert!(rail.at(0.5).1.x.abs() > 0.99 && rail.at(1.0).1.x.abs() > 0.99, "also where it turns");
    }

    #[test]
    fn ends_lead_on_back_or_nowhere() {
        assert_eq!(RailEnd::Loop.share_at(15.0, 10.0), (0.5, true));
        assert_eq!(RailEnd::ThereAndBack.share_at(12.5, 10.0), (0.75, false));
        assert_eq!(RailEnd::Once.share_at(99.0, 10.0), (1.0, true));
        assert_eq!(RailEnd::Loop.share_at(f64::NAN, 0.0).0, 0.0);
    }

    #[test]
    fn strange_points_make_no_rail_or_finite_places() {
        assert_eq!(Rail::new(&[Vec3::ONE], RailEnd::Once), None);
        assert_eq!(Rail::new(&[Vec3::ONE, Vec3::NAN], RailEnd::Once), None);
        let still = Rail::new(&[Vec3::ONE; 3], RailEnd::Loop).unwrap();
        let (at, direction) = still.at(f32::NAN);
        assert!(at == Vec3::ONE && direction.is_normalized());
    }
}
