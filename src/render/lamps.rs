//! Light of the night: lamps, which are the small parts of a model whose material shines, and windows behind which
//! somebody is at home, told by the names of their materials.

use super::types::{LampData, MAX_LAMPS};
use crate::asset::{Material, Mesh, Model};
use crate::math::Aabb;
use glam::{Mat4, Vec3};

/// Longest edge of a lamp, metres: what is larger shines, but lights nothing.
const MAX_SIZE: f32 = 2.0;
/// Least emission of a lamp.
const MIN_EMISSION: f32 = 0.1;
/// Lamps this near to each other are one, metres.
const SAME_PLACE: f32 = 0.6;
/// Most lamps of a model.
const MAX_OF_MODEL: usize = 1024;
/// Distance at which nothing is left of a lamp's light, metres.
const RANGE: f32 = 13.0;
/// Radiance of a lamp at a metre's distance, for its brightest channel.
const STRENGTH: f32 = 9.0;
/// Daylight above which lamps are off.
const DUSK: f32 = 0.35;
/// Windows in a hundred that are lit.
const LIT_OF_HUNDRED: u32 = 45;

/// A lamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamp {
    /// Where it is.
    pub position: Vec3,
    /// Its linear colour; the brightest channel is 1.
    pub color: Vec3,
}

/// The lamps of a model, in model space.
pub fn lamps_of(model: &Model) -> Vec<Lamp> {
    let model_from_node = model.skeleton.rest_model_from_node();
    let mut lamps: Vec<Lamp> = Vec::new();
    for mesh in &model.meshes {
        let Some(material) = model.materials.get(mesh.material as usize) else { continue };
        let emission = Vec3::from(material.emissive);
        let brightest = emission.max_element();
        if !emission.is_finite() || brightest < MIN_EMISSION || lamps.len() >= MAX_OF_MODEL {
            continue;
        }
        let model_from_mesh = model_from_node.get(mesh.node.0 as usize).copied().unwrap_or_default();
        let bounds = Aabb::from_points(mesh.vertices.iter().map(|v| model_from_mesh.transform_point3(v.position)));
        let position = bounds.center();
        let is_known = lamps.iter().any(|lamp| lamp.position.distance(position) < SAME_PLACE);
        if !bounds.is_empty() && bounds.size().max_element() <= MAX_SIZE && !is_known {
            lamps.push(Lamp { position, color: emission / brightest });
        }
    }
    lamps
}

/// How much of the night's light is on: 0 by day.
pub fn night(daylight: f32) -> f32 {
    (1.0 - daylight / DUSK).clamp(0.0, 1.0)
}

/// The lamps that light a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLamps {
    /// The lamps; those beyond `count` are dark.
    pub lamps: [LampData; MAX_LAMPS],
    /// How many there are.
    pub count: usize,
    /// How much of the night's light is on.
    pub night: f32,
}

impl FrameLamps {
    /// The lamps of placed models that are nearest to the eye, the last ones fading so that none goes out at once.
    pub fn new<'a>(placed: impl Iterator<Item = (&'a [Lamp], Mat4)>, eye: Vec3, daylight: f32) -> Self {
        Self::nearest(MAX_LAMPS, placed, eye, daylight)
    }

    /// As [`Self::new`], at most `limit` of them.
    pub fn nearest<'a>(
        limit: usize,
        placed: impl Iterator<Item = (&'a [Lamp], Mat4)>,
        eye: Vec3,
        daylight: f32,
    ) -> Self {
        let night = night(daylight);
        let mut out = Self { lamps: [LampData { place: [0.0; 4], color: [0.0; 4] }; MAX_LAMPS], count: 0, night };
        if night <= 0.0 {
            return out;
        }
        let mut all: Vec<(f32, Vec3, Vec3)> = Vec::new();
        for (lamps, world_from_model) in placed {
            let world = |lamp: &Lamp| world_from_model.transform_point3(lamp.position);
            all.extend(lamps.iter().map(|lamp| (world(lamp).distance(eye), world(lamp), lamp.color)));
        }
        all.retain(|lamp| lamp.0.is_finite());
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Where there are more, the farthest that is drawn has faded to nothing.
        let limit = limit.min(MAX_LAMPS);
        let reach = all.get(limit).map_or(f32::INFINITY, |next| next.0);
        for (slot, (distance, position, color)) in out.lamps.iter_mut().zip(all).take(limit) {
            let near =
                if reach.is_finite() { ((reach - distance) / (0.2 * reach + 1e-3)).clamp(0.0, 1.0) } else { 1.0 };
            slot.place = position.extend(1.0 / (RANGE * RANGE)).to_array();
            slot.color = (color * (STRENGTH * night * near)).extend(0.0).to_array();
            out.count += 1;
        }
        out
    }
}

/// Whether a material is that of windows.
pub fn is_window(material: &Material) -> bool {
    let name = material.name.to_lowercase();
    name.contains("window") && !["frame", "sill"].iter().any(|part| name.contains(part))
}

/// Notes in the alpha of the vertex colours which windows of a mesh are lit by night. A window is what shares vertices.
pub fn light_windows(mesh: &mut Mesh) {
    let mut parent: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    let root = |parent: &[u32], mut i: u32| {
        while parent[i as usize] != i {
            i = parent[i as usize];
        }
        i
    };
    for triangle in mesh.indices.chunks_exact(3) {
        let first = root(&parent, triangle[0]);
        for other in &triangle[1..] {
            let other = root(&parent, *other);
            parent[other.max(first) as usize] = other.min(first);
        }
    }
    for i in 0..mesh.vertices.len() {
        let at = mesh.vertices[root(&parent, i as u32) as usize].position;
        mesh.vertices[i].color[3] = if is_lit(at) { 255 } else { 0 };
    }
}

/// Whether the window with its first corner at a place is lit: always the same.
fn is_lit(at: Vec3) -> bool {
    let cell = (at * 4.0).round().as_ivec3();
    let mixed = (cell.x as u32).wrapping_mul(0x9E37_79B1)
        ^ (cell.y as u32).wrapping_mul(0x85EB_CA77)
        ^ (cell.z as u32).wrapping_mul(0xC2B2_AE3D);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2C1B_3C6D);
    (mixed ^ (mixed >> 13)) % 100 < LIT_OF_HUNDRED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Vertex;

    fn part(material: u32, at: Vec3, size: f32) -> Mesh {
        let corners = [Vec3::ZERO, Vec3::Y, Vec3::X].map(|corner| at + corner * size);
        let vertex = |position| Vertex { position, color: [255; 4], ..Vertex::default() };
        Mesh { material, vertices: corners.map(vertex).to_vec(), indices: vec![0, 1, 2], ..Mesh::default() }
    }

    #[test]
    fn small_parts_that_shine_are_lamps() {
        let shining = Material { emissive: [0.5, 0.25, 0.0], ..Material::default() };
        let meshes = vec![
            part(0, Vec3::ZERO, 0.3),
            part(1, Vec3::X * 5.0, 0.3),
            part(1, Vec3::X * 5.2, 0.3),
            part(1, Vec3::X * 9.0, 30.0),
        ];
        let model = Model { materials: vec![Material::default(), shining], meshes, ..Model::default() };
        let lamps = lamps_of(&model);
        assert_eq!(lamps.len(), 1, "{lamps:?}");
        assert_eq!(lamps[0].color, Vec3::new(1.0, 0.5, 0.0));
        assert!(lamps[0].position.distance(Vec3::new(5.15, 0.15, 0.0)) < 1e-4);
    }

    #[test]
    fn the_nearest_lamps_light_by_night_only() {
        let lamps: Vec<Lamp> = (0..40).map(|i| Lamp { position: Vec3::X * i as f32, color: Vec3::ONE }).collect();
        let at = |daylight| FrameLamps::new([(lamps.as_slice(), Mat4::IDENTITY)].into_iter(), Vec3::ZERO, daylight);
        assert_eq!((at(1.0).count, at(1.0).night), (0, 0.0));
        let by_night = at(0.0);
        assert_eq!(by_night.count, MAX_LAMPS);
        assert_eq!(by_night.lamps[0].color[0], STRENGTH);
        let last = by_night.lamps[MAX_LAMPS - 1].color[0];
        assert!(last < 0.4 * STRENGTH, "the last one has nearly faded: {last}");
    }

    #[test]
    fn some_windows_are_lit_and_each_as_a_whole() {
        let mut lit = 0;
        for i in 0..200 {
            let mut mesh = part(0, Vec3::new(i as f32 * 3.0, 4.0, -7.5), 1.2);
            light_windows(&mut mesh);
            let alphas: Vec<u8> = mesh.vertices.iter().map(|v| v.color[3]).collect();
            assert!(alphas.iter().all(|alpha| *alpha == alphas[0]));
            lit += usize::from(alphas[0] == 255);
        }
        assert!((50..130).contains(&lit), "{lit} of 200");
        let named = |name: &str| is_window(&Material { name: name.into(), ..Material::default() });
        assert!(named("Window_02") && !named("window_frame") && !named("wall"));
    }
}
