//! Which instances touch each other: by boxes, and where asked by the spheres of their bones.

use super::octree::InstanceOctree;
use crate::asset::Skeleton;
use crate::math::{Aabb, Sphere};
use glam::{Mat4, Vec3, Vec4};

/// Spheres smaller than this count as none, metres at scale 1.
const SMALLEST: f32 = 0.05;
/// Radius of a root's sphere, which has no parent to measure from, at a factor of 1, metres at scale 1.
const ROOT_RADIUS: f32 = 1.0;

/// All pairs of boxes that share a point and that `keep` keeps, the smaller number first, in an order that depends on
/// the boxes alone. Empty boxes touch nothing.
pub fn box_pairs(
    boxes: impl IntoIterator<Item = Aabb>,
    keep: impl Fn(u32, u32) -> bool + Sync,
    out: &mut Vec<(u32, u32)>,
) {
    out.clear();
    InstanceOctree::build(boxes).pairs(keep, out);
}

/// What the sphere of a node is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSphere {
    /// The node.
    pub node: u32,
    /// Its parent; `None` for a root.
    pub parent: Option<u32>,
    /// Added to the node's place along the world's axes, metres at scale 1.
    pub offset: Vec3,
    /// Part of the bone's half length.
    pub factor: f32,
}

/// The spheres of a skeleton that grow large enough to count. `reach` says how far a node gets from its parent, in
/// model space; `adjustments` hold offset (x, y, z) and factor (w) per node.
pub fn bones(skeleton: &Skeleton, adjustments: &[Vec4], reach: impl Fn(usize) -> f32) -> Vec<BoneSphere> {
    let parents = skeleton.parents.iter().enumerate();
    let all = parents.filter_map(|(i, parent)| {
        let adjust = adjustments.get(i).copied().filter(|a| a.is_finite()).unwrap_or(Vec4::W);
        let parent = parent.map(|p| p.0).filter(|p| (*p as usize) < i);
        let most = if parent.is_some() { reach(i) * 0.5 } else { ROOT_RADIUS };
        let sphere = BoneSphere { node: i as u32, parent, offset: adjust.truncate(), factor: adjust.w };
        (most * adjust.w >= SMALLEST).then_some(sphere)
    });
    all.collect()
}

/// The spheres of `bones` in world space, for nodes whose places are `origins` in model space and a model that is
/// scaled evenly: around the node, moved by its offset along the world's axes, half as wide as the way to the parent,
/// times its factor. Those that are too small are left out.
pub fn bone_spheres(
    bones: &[BoneSphere],
    origins: &[Vec3],
    world_from_model: &Mat4,
    scale: f32,
    out: &mut Vec<Sphere>,
) {
    out.clear();
    for bone in bones {
        let Some(origin) = origins.get(bone.node as usize) else { continue };
        let half = bone.parent.map_or(ROOT_RADIUS, |parent| origin.distance(origins[parent as usize]) * 0.5);
        let radius = half * bone.factor;
        if radius >= SMALLEST {
            let center = world_from_model.transform_point3(*origin) + bone.offset * scale;
            out.push(Sphere { center, radius: radius * scale });
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
    pub fn list(&self) -> &[Sphere] {
        &self.all
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
    use crate::ids::NodeId;
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
        let usable = (0..).zip(&boxes).map(|(i, aabb)| if active(i) { *aabb } else { Aabb::EMPTY });
        box_pairs(usable, |_, _| true, &mut found);
        found.sort_unstable();
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
        let bones = bones(&skeleton, &adjust, |_| 1.0);
        bone_spheres(&bones, &origins, &world, 2.0, &mut out);
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
