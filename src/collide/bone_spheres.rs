//! Bounding spheres of bones, for collision between characters. The CPU twin of `shaders/collide/bone_spheres.wgsl`.

use crate::asset::Skeleton;
use crate::math::{Aabb, Sphere};
use glam::{Mat4, Vec3, Vec4};

/// Spheres of a block.
const LANES: usize = 4;

/// Smallest radius of a sphere, metres at scale 1; smaller ones are left out.
const MIN_RADIUS: f32 = 0.05;
/// Radius of a root's sphere, which has no bone to measure, at a factor of 1, metres at scale 1.
const ROOT_RADIUS: f32 = 1.0;

/// Parameters of the bounding sphere of one bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereBone {
    /// The node.
    pub node: u32,
    /// Its parent; `None` for a root.
    pub parent: Option<u32>,
    /// Offset from the node along the world's axes, metres at scale 1.
    pub offset: Vec3,
    /// Radius as a multiple of the bone's half length.
    pub factor: f32,
}

/// The spheres of a skeleton that can reach the smallest radius. `bone_length` returns the largest distance of a node
/// from its parent in any pose, in model space; `adjustment` returns offset (x, y, z) and factor (w) of a node, `None` for
/// one without a sphere: nodes below it count as roots.
pub fn sphere_bones(
    skeleton: &Skeleton,
    adjustment: impl Fn(u32) -> Option<Vec4>,
    bone_length: impl Fn(usize) -> f32,
) -> Vec<SphereBone> {
    let adjustments: Vec<Option<Vec4>> = (0..skeleton.len() as u32).map(adjustment).collect();
    let parents = skeleton.parents.iter().enumerate();
    let all = parents.filter_map(|(i, parent)| {
        let adjust = adjustments[i]?;
        let adjust = if adjust.is_finite() { adjust } else { Vec4::W };
        let is_bone = |p: &u32| (*p as usize) < i && adjustments[*p as usize].is_some();
        let parent = parent.map(|p| p.0).filter(is_bone);
        let most = if parent.is_some() { bone_length(i) * 0.5 } else { ROOT_RADIUS };
        let sphere = SphereBone { node: i as u32, parent, offset: adjust.truncate(), factor: adjust.w };
        (most * adjust.w >= MIN_RADIUS).then_some(sphere)
    });
    all.collect()
}

/// World-space spheres of `bones` for node positions `origins` in model space and a uniformly scaled model: centred on
/// the node plus its offset along the world's axes, with a radius of half the bone's length times its factor. Spheres
/// that are too small are left out.
pub fn bone_spheres(
    bones: &[SphereBone],
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
        if radius >= MIN_RADIUS {
            let center = world_from_model.transform_point3(*origin) + bone.offset * scale;
            out.push(Sphere { center, radius: radius * scale });
        }
    }
}

/// Four spheres, a lane for each; those that touch nothing have no place.
#[derive(Clone, Copy, Debug)]
struct SphereBlock {
    x: Vec4,
    y: Vec4,
    z: Vec4,
    radius: Vec4,
}

impl SphereBlock {
    fn new(spheres: &[Sphere]) -> Self {
        let lane = |i: usize| {
            let sphere = spheres.get(i).filter(|sphere| sphere.radius > 0.0);
            sphere.map_or(Vec4::NAN, |sphere| sphere.center.extend(sphere.radius))
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(lane);
        let rows = Mat4::from_cols(a, b, c, d).transpose();
        Self { x: rows.x_axis, y: rows.y_axis, z: rows.z_axis, radius: rows.w_axis }
    }

    /// The lanes whose spheres share a point with a box.
    fn near(&self, aabb: &Aabb) -> u32 {
        let off = |at: Vec4, low: f32, high: f32| at.clamp(Vec4::splat(low), Vec4::splat(high)) - at;
        let x = off(self.x, aabb.min.x, aabb.max.x);
        let y = off(self.y, aabb.min.y, aabb.max.y);
        let z = off(self.z, aabb.min.z, aabb.max.z);
        (x * x + y * y + z * z).cmple(self.radius * self.radius).bitmask()
    }

    /// Whether one of them shares a point with that of a lane of another block.
    fn touches(&self, other: &Self, lane: usize) -> bool {
        let [x, y, z] = [self.x - other.x[lane], self.y - other.y[lane], self.z - other.z[lane]];
        let reach = self.radius + other.radius[lane];
        (x * x + y * y + z * z).cmple(reach * reach).any()
    }
}

/// The spheres of one character with their common box.
#[derive(Clone, Debug, Default)]
pub struct SphereSet {
    all: Vec<Sphere>,
    blocks: Vec<SphereBlock>,
    bounds: Aabb,
}

impl SphereSet {
    /// Replaces the spheres by those that `fill` appends to an empty list. The largest is moved to the front, because it
    /// is the likeliest to touch another one.
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
        self.blocks.clear();
        self.blocks.extend(self.all.chunks(LANES).map(SphereBlock::new));
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
        self.blocks.iter().any(|own| {
            let mut near = own.near(&other.bounds);
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                if other.blocks.iter().any(|block| block.touches(own, lane)) {
                    return true;
                }
                near &= near - 1;
            }
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::math::Trs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sets_touch_where_any_of_their_spheres_do(
            one in prop::collection::vec((prop::array::uniform3(-1.0_f32..1.0), -0.1_f32..0.4), 0..11),
            other in prop::collection::vec((prop::array::uniform3(-1.0_f32..1.0), -0.1_f32..0.4), 0..11),
        ) {
            let spheres = |list: &[([f32; 3], f32)]| {
                list.iter().map(|&(at, radius)| Sphere { center: at.into(), radius: radius.max(0.0) }).collect::<Vec<_>>()
            };
            let (one, other) = (spheres(&one), spheres(&other));
            let set = |spheres: &[Sphere]| {
                let mut set = SphereSet::default();
                set.refill(|all| all.extend_from_slice(spheres));
                set
            };
            let expected = one.iter().any(|a| other.iter().any(|b| a.intersects(b)));
            prop_assert_eq!(set(&one).touch(&set(&other)), expected);
            prop_assert_eq!(set(&other).touch(&set(&one)), expected);
        }
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
        let bones =
            sphere_bones(&skeleton, |node| Some(adjust.get(node as usize).copied().unwrap_or(Vec4::W)), |_| 1.0);
        bone_spheres(&bones, &origins, &world, 2.0, &mut out);
        let expected =
            [(Vec3::new(10.0, 0.0, 0.0), 0.6), (Vec3::new(11.0, 2.0, 0.0), 1.5), (Vec3::new(10.0, 6.0, 0.0), 1.0)];
        for (sphere, (center, radius)) in out.iter().zip(expected) {
            assert!(sphere.center.abs_diff_eq(center, 1e-4) && (sphere.radius - radius).abs() < 1e-4, "{sphere:?}");
        }
        assert_eq!(out.len(), 3, "the third is too small");
        let skin = sphere_bones(&skeleton, |node| (node > 1).then_some(Vec4::W), |_| 1.0);
        let nodes: Vec<(u32, Option<u32>)> = skin.iter().map(|bone| (bone.node, bone.parent)).collect();
        assert_eq!(nodes, [(2, None), (3, Some(2))], "only what has an adjustment is a bone");
        let list = |spheres: &[Sphere]| {
            let mut list = SphereSet::default();
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
