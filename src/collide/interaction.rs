//! Whether two characters can interact: in range, not too near, and facing each other.

use crate::math::{Aabb, angle};
use glam::{Vec2, Vec3};

/// Interaction settings of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteractSettings {
    /// Smallest distance, metres.
    pub min_range: f32,
    /// Edge of the box around a character in which partners are searched, metres: the range is half of it.
    pub max_range: f32,
    /// Largest angle between the heading and the direction to the other character, radians.
    pub fov_rad: f32,
}

/// A character that may interact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facing {
    /// Position in world space.
    pub position: Vec3,
    /// Heading about +Y, radians.
    pub yaw_rad: f32,
    /// Its box, world space.
    pub bounds: Aabb,
}

impl InteractSettings {
    /// The box in which partners are searched.
    pub fn reach(&self, position: Vec3) -> Aabb {
        let half = Vec3::splat(self.max_range.max(0.0) * 0.5);
        Aabb::new(position - half, position + half)
    }

    /// Horizontal distance of two characters in metres when they can interact, else `None`.
    pub fn partners(&self, a: &Facing, b: &Facing) -> Option<f32> {
        let apart = Vec2::new(b.position.x - a.position.x, b.position.z - a.position.z);
        let distance = apart.length();
        let in_range = distance > self.min_range && self.reach(a.position).intersects(&b.bounds);
        (in_range && self.faces(a, b.position) && self.faces(b, a.position)).then_some(distance)
    }

    /// Whether a character faces a point.
    pub fn faces(&self, a: &Facing, place: Vec3) -> bool {
        let towards = angle::yaw_of_direction((place - a.position).with_y(0.0));
        towards.is_some_and(|yaw| angle::shortest_turn_rad(a.yaw_rad, yaw).abs() <= self.fov_rad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn at(x: f32, z: f32, yaw_rad: f32) -> Facing {
        let position = Vec3::new(x, 0.0, z);
        let side = Vec3::new(0.3, 0.9, 0.3);
        Facing { position, yaw_rad, bounds: Aabb::new(position - side, position + side) }
    }

    #[test]
    fn range_least_range_and_both_faces_count() {
        let rule = InteractSettings { min_range: 1.5, max_range: 10.0, fov_rad: 45_f32.to_radians() };
        let me = at(0.0, 0.0, 0.0);
        let cases = [
            (at(0.0, 4.0, PI), true, "eye to eye"),
            (at(0.0, 1.4, PI), false, "too near"),
            (at(0.0, 1.6, PI), true, "just far enough"),
            (at(0.0, 5.2, PI), true, "its box is in reach"),
            (at(0.0, 5.4, PI), false, "out of reach"),
            (at(0.0, 4.0, 0.0), false, "turns its back"),
            (at(0.0, -4.0, 0.0), false, "behind me"),
            (at(2.9, 3.0, PI + 0.7), true, "44 degrees aside"),
            (at(3.1, 3.0, PI + 0.7), false, "46 degrees aside"),
            (at(0.0, 4.0, FRAC_PI_2), false, "looks aside"),
        ];
        for (other, expected, what) in cases {
            assert_eq!(rule.partners(&me, &other).is_some(), expected, "{what}");
            if expected && what != "its box is in reach" {
                assert!(rule.partners(&other, &me).is_some(), "{what}, seen from the other");
            }
        }
        assert_eq!(rule.partners(&me, &at(0.0, 4.0, PI)), Some(4.0));
        let odd = Facing { position: Vec3::NAN, ..me };
        assert_eq!((rule.partners(&me, &odd), rule.partners(&odd, &me)), (None, None));
    }
}
