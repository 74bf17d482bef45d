//! Which instances touch each other: by boxes, and where asked by the spheres of their bones.

use super::octree::InstanceOctree;
use crate::asset::Skeleton;
use crate::ids::NodeId;
use crate::math::{Aabb, Sphere};
use glam::{Mat4, Vec3, Vec4};

/// Spheres smaller than this count as none, metres at scale 1.
const SMALLEST: f32 = 0.05;
/// Radius of a root's sphere, which has no parent to measure from, at a factor of 1, metres at scale 1.
const ROOT_RADIUS: f32 = 1.0;

/// All pairs of boxes that share a point, smaller number first, sorted. `active` says who is tested at all.
pub fn box_pairs(boxes: &[Aabb], active: impl Fn(u32) -> bool, out: &mut Vec<(u32, u32)>) {
    out.clear();
    let usable = |i: usize| if active(i as u32) { boxes[i] } else { Aabb::EMPTY };
    let tree = InstanceOctree::build((0..boxes.len()).map(usable));
    for (i, aabb) in (0_u32..).zip(boxes) {
        if active(i) && !aabb.is_empty() {
            tree.query(aabb, &mut |other| {
                if other > i {
                    out.push((i, other));
                }
            });
        }
    }
    out.sort_unstable();
}

/// The spheres of nodes whose places are `origins` in model space, in world space: around the node, moved by the
/// adjustment's x, y, z along the world's axes, half as wide as the way to the parent, times the adjustment's w. Those
/// that are too small are left out.
pub fn bone_spheres(
    skeleton: &Skeleton,
    origins: &[Vec3],
    world_from_model: &Mat4,
    (adjustments, scale): (&[Vec4], f32),
    out: &mut Vec<Sphere>,
) {
    out.clear();
    let per_unit = world_from_model.x_axis.truncate().length();
    for (i, (origin, parent)) in origins.iter().zip(&skeleton.parents).enumerate() {
        let adjust = adjustments.get(i).copied().filter(|a| a.is_finite()).unwrap_or(Vec4::W);
        let half = match parent {
            Some(NodeId(parent)) if (*parent as usize) < i => {
                origin.distance(origins[*parent as usize]) * 0.5 * per_unit
            }
            _ => ROOT_RADIUS * scale,
        };
        let radius = half * adjust.w;
        if radius.is_finite() && radius >= SMALLEST * scale {
            let center = world_from_model.transform_point3(*origin) + adjust.truncate() * scale;
            out.push(Sphere { center, radius });
        }
    }
}

/// Spheres that belong together, and the box around them.
#[derive(Clone, Debug, Default)]
pub struct Spheres {
    all: Vec<Sphere>,
    bounds: Aabb,
}

impl Spheres {
    /// Takes over the spheres that `fill` puts into an empty list. The largest comes first: it is the likeliest to
    /// touch something.
    pub fn refill(&mut self, fill: impl FnOnce(&mut Vec<Sphere>)) {
        self.all.clear();
        fill(&mut self.all);
        let largest = (0..self.all.len()).max_by(|&a, &b| self.all[a].radius.total_cmp(&self.all[b].radius));
        if let Some(largest) = largest {
            self.all.swap(0, largest);
        }
        self.bounds = self.all.iter().fold(Aabb::EMPTY, |b, s| {
            b.union(&Aabb::new(s.center - Vec3::splat(s.radius), s.center + Vec3::splat(s.radius)))
        });
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Sphere> {
        self.all.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether any of them touches one of `other`.
    pub fn touch(&self, other: &Self) -> bool {
        if !self.bounds.intersects(&other.bounds) {
            return false;
        }
        let near = |s: &&Sphere| other.bounds.distance_squared(s.center) <= s.radius * s.radius;
        self.all.iter().filter(near).any(|s| other.all.iter().any(|o| s.intersects(o)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    #[test]
    fn pairs_agree_with_brute_force() {
        let mut state = 9_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let boxes: Vec<Aabb> = (0..300)
            .map(|_| {
                let p = Vec3::new(next() * 30.0, next() * 3.0, next() * 30.0);
                Aabb::new(p, p + Vec3::new(next() * 2.0, 1.8, next()))
            })
            .collect();
        let active = |i: u32| i % 9 != 4;
        let mut found = vec![(7, 7)];
        box_pairs(&boxes, active, &mut found);
        let all = (0..300_u32).flat_map(|i| (i + 1..300).map(move |k| (i, k)));
        let touch =
            |(i, k): &(u32, u32)| active(*i) && active(*k) && boxes[*i as usize].intersects(&boxes[*k as usize]);
        assert_eq!(found, all.filter(touch).collect::<Vec<_>>());
        assert!(found.len() > 20);
    }

    #[test]
    fn spheres_sit_at_their_nodes_and_follow_adjustments() {
        let step = Trs { translation: Vec3::Y, ..Trs::IDENTITY };
        let skeleton = Skeleton {
            names: vec![String::new(); 4],
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1)), Some(NodeId(2))],
            rest: vec![Trs::IDENTITY, step, step, step],
        };
        let origins: Vec<Vec3> = skeleton.rest_model_from_node().iter().map(|m| m.w_axis.truncate()).collect();
        // Turned a quarter about y, twice as large: adjustments keep to the world's axes.
        let turn = glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let world = Mat4::from_scale_rotation_translation(Vec3::splat(2.0), turn, Vec3::X * 10.0);
        let adjust = [Vec4::new(0.0, 0.0, 0.0, 0.3), Vec4::new(0.5, 0.0, 0.0, 1.5), Vec4::new(0.0, 0.0, 0.0, 0.01)];
        let mut out = Vec::new();
        bone_spheres(&skeleton, &origins, &world, (&adjust, 2.0), &mut out);
        let expected =
            [(Vec3::new(10.0, 0.0, 0.0), 0.6), (Vec3::new(11.0, 2.0, 0.0), 1.5), (Vec3::new(10.0, 6.0, 0.0), 1.0)];
        for (sphere, (center, radius)) in out.iter().zip(expected) {
            assert!(sphere.center.abs_diff_eq(center, 1e-4) && (sphere.radius - radius).abs() < 1e-4, "{sphere:?}");
        }
        assert_eq!(out.len(), 3, "the third is too small");
        let list = |spheres: &[Sphere]| {
            let mut list = Spheres::default();
            list.refill(|all| all.extend_from_slice(spheres));
            list
        };
        let out = list(&out);
        let near = list(&[Sphere { center: Vec3::new(12.9, 2.0, 0.0), radius: 0.5 }]);
        let far = list(&[Sphere { center: Vec3::new(13.1, 2.0, 0.0), radius: 0.5 }]);
        let nothing = list(&[]);
        assert!(out.touch(&near) && near.touch(&out));
        assert!(!out.touch(&far) && !out.touch(&nothing) && !nothing.touch(&out) && nothing.is_empty());
    }
}
