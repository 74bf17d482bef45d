//! Root tracks: where a clip would take its body, for a clip that plays on the spot.

use crate::math::plan::to_plan;
use glam::{Mat4, Quat, Vec2, Vec3, Vec3Swizzles};
use std::sync::Arc;

/// Where a root is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RootPlace {
    /// Place on the ground in model space, x and z, metres.
    pub at: Vec2,
    /// Heading about +Y from +Z, radians; turns add up beyond half a turn.
    pub yaw_rad: f32,
}

impl RootPlace {
    /// The space in which the clip travels from the space of this root.
    pub fn to_mat4(&self) -> Mat4 {
        Mat4::from_rotation_translation(Quat::from_rotation_y(self.yaw_rad), self.at.extend(0.0).xzy())
    }

    /// A point from the space of this root, in which the clip plays on the spot, to the space in which it travels.
    pub fn carry(&self, point: Vec3) -> Vec3 {
        Quat::from_rotation_y(self.yaw_rad) * point + self.at.extend(0.0).xzy()
    }

    /// A point on the ground or a direction in the space of this root from one where it travels.
    pub fn local_point(&self, point: Vec2) -> Vec2 {
        self.local_direction(point - self.at)
    }

    /// A direction on the ground in the space of this root.
    pub fn local_direction(&self, direction: Vec2) -> Vec2 {
        to_plan(Quat::from_rotation_y(-self.yaw_rad) * direction.extend(0.0).xzy())
    }
}

/// The way of a clip's root, in keys of equal distance in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RootTrack {
    keys: Arc<[RootPlace]>,
    duration_secs: f32,
}

impl RootTrack {
    /// A root that moves at a constant velocity, x and z in metres per second, and never turns.
    pub fn steady(velocity: Vec2, duration_secs: f32) -> Self {
        let end = RootPlace { at: velocity * duration_secs, yaw_rad: 0.0 };
        Self { keys: [RootPlace::default(), end].into(), duration_secs }
    }

    /// The track of a clip of this length with keys of equal distance in time, the first at its start and the last at its
    /// end.
    pub fn new(keys: Vec<RootPlace>, duration_secs: f32) -> Self {
        Self { keys: keys.into(), duration_secs }
    }

    /// Memory of its keys, bytes; copies share it.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.keys[..])
    }

    /// The part of the track between two times of its clip, of which the first is less than the second.
    pub fn trimmed(&self, [start_secs, end_secs]: [f32; 2]) -> Self {
        let gap_secs = self.duration_secs / (self.keys.len().max(2) - 1) as f32;
        let secs = end_secs - start_secs;
        let count = (secs / gap_secs.max(1e-3)).ceil().max(1.0) as usize;
        let keys = (0..=count).map(|i| self.at(start_secs + secs * i as f32 / count as f32)).collect();
        Self { keys, duration_secs: secs }
    }

    /// The track with left and right in each other's place.
    pub fn mirrored(&self) -> Self {
        let key = |key: &RootPlace| RootPlace { at: key.at * Vec2::new(-1.0, 1.0), yaw_rad: -key.yaw_rad };
        Self { keys: self.keys.iter().map(key).collect(), ..*self }
    }

    /// The root at a time of the clip; before the start and after the end it goes on as it did there.
    pub fn at(&self, time_secs: f32) -> RootPlace {
        let Some(last) = self.keys.len().checked_sub(1).filter(|last| *last > 0 && self.duration_secs > 0.0) else {
            return self.keys.first().copied().unwrap_or_default();
        };
        let at = time_secs / self.duration_secs * last as f32;
        let i = (at.floor().max(0.0) as usize).min(last - 1);
        let (a, b, share) = (self.keys[i], self.keys[i + 1], at - i as f32);
        RootPlace { at: a.at.lerp(b.at, share), yaw_rad: a.yaw_rad + (b.yaw_rad - a.yaw_rad) * share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_goes_on_beyond_its_ends() {
        let track = RootTrack::steady(Vec2::new(0.0, 1.5), 2.0);
        for time_secs in [-0.5, 0.0, 1.0, 2.0, 3.0] {
            assert!((track.at(time_secs).at.y - 1.5 * time_secs).abs() < 1e-5);
        }
        assert_eq!(RootTrack::default().at(1.0), RootPlace::default());
    }

    #[test]
    fn places_go_into_the_space_of_a_root_and_back() {
        let root = RootPlace { at: Vec2::new(3.0, -2.0), yaw_rad: 0.7 };
        let point = Vec3::new(0.4, 1.0, 1.3);
        let there = root.carry(point);
        assert!(root.local_point(to_plan(there)).abs_diff_eq(to_plan(point), 1e-5));
        assert!((there.y - point.y).abs() < 1e-6);
    }
}
