//! Light of the night: lamps, which are the small parts of a model whose material shines, and lit windows, told by the
//! names of their materials.

use super::frame::CameraFrame;
use super::types::{LAMP_GRID_CELLS, LAMP_GRID_VECTORS, LAMPS_PER_CELL, LampData, MAX_LAMPS};
use crate::asset::{Material, Mesh, Model};
use crate::math::Aabb;
use crate::math::disjoint_sets::DisjointSets;
use glam::{Mat4, Vec2, Vec3, Vec3Swizzles};
use smallvec::SmallVec;

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
/// Edge of a cell of the lamp grid, metres.
const CELL: f32 = 4.0;
/// Distance from the eye to the middle of the lamp grid, metres.
const AHEAD: f32 = 40.0;
/// Radiance of a lamp at a metre's distance, for its brightest channel.
const STRENGTH: f32 = 12.0;
/// Daylight from which lamps are off, and below which they are fully on.
const LAMPS_OFF: f32 = 0.85;
const LAMPS_ON: f32 = 0.55;
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
    let mut emissions: Vec<Option<Vec3>> = vec![None; model.materials.len()];
    for mesh in &model.meshes {
        let Some(material) = model.materials.get(mesh.material as usize) else { continue };
        let emission = *emissions[mesh.material as usize].get_or_insert_with(|| model.emission(material));
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
    ((LAMPS_OFF - daylight) / (LAMPS_OFF - LAMPS_ON)).clamp(0.0, 1.0)
}

/// The lamps that light a frame, and a grid in plan view that tells each place the nearest of them.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameLamps {
    /// The lamps; those beyond their number are dark.
    pub lamps: [LampData; MAX_LAMPS],
    /// Corner of the grid (x, z), cells per metre, and lamps per cell that are used; nothing by day.
    pub grid_place: [f32; 4],
    /// Indices of lamps by cell, as in `FrameUniforms`.
    pub grid: [[u32; 4]; LAMP_GRID_VECTORS],
    /// How much of the night's light is on.
    pub night: f32,
}

/// A lamp in world space, with its distance from the middle of the grid.
#[derive(Clone, Copy, Debug)]
struct PlacedLamp {
    distance: f32,
    position: Vec3,
    color: Vec3,
}

impl FrameLamps {
    /// The lamps of placed models that are nearest to `focus`, the last ones fading so that none goes out at once; at most
    /// `per_cell` of them light a point.
    pub fn new<'a>(
        per_cell: usize,
        placed: impl Iterator<Item = (&'a [Lamp], Mat4)>,
        focus: Vec3,
        daylight: f32,
    ) -> Self {
        let night = night(daylight);
        let mut out = Self {
            lamps: [LampData { place: [0.0; 4], color: [0.0; 4] }; MAX_LAMPS],
            grid_place: [0.0; 4],
            grid: [[u32::MAX; 4]; LAMP_GRID_VECTORS],
            night,
        };
        if night <= 0.0 || !focus.is_finite() {
            return out;
        }
        let mut all: Vec<PlacedLamp> = Vec::new();
        for (lamps, world_from_model) in placed {
            all.extend(lamps.iter().map(|lamp| {
                let position = world_from_model.transform_point3(lamp.position);
                PlacedLamp { distance: position.distance(focus), position, color: lamp.color }
            }));
        }
        all.retain(|lamp| lamp.distance.is_finite());
        if all.is_empty() {
            return out;
        }
        all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        // Where there are more, the farthest that is drawn has faded to nothing.
        let reach = all.get(MAX_LAMPS).map_or(f32::INFINITY, |next| next.distance);
        all.truncate(MAX_LAMPS);
        for (slot, lamp) in out.lamps.iter_mut().zip(&all) {
            let near = (reach - lamp.distance) / (0.2 * reach + 1e-3);
            let near = if reach.is_finite() { near.clamp(0.0, 1.0) } else { 1.0 };
            slot.place = lamp.position.extend(1.0 / (RANGE * RANGE)).to_array();
            slot.color = (lamp.color * (STRENGTH * night * near)).extend(0.0).to_array();
        }
        out.fill_grid(&all, per_cell.min(LAMPS_PER_CELL), focus);
        out
    }

    /// Notes for each cell of a grid around `focus` the lamps that reach it, those nearest to its middle first.
    fn fill_grid(&mut self, lamps: &[PlacedLamp], per_cell: usize, focus: Vec3) {
        // The grid moves in whole cells, so that what lies at their edges does not flicker.
        let half = LAMP_GRID_CELLS as f32 * 0.5;
        let corner = |x: f32| ((x / CELL).round() - half) * CELL;
        let corner = Vec2::new(corner(focus.x), corner(focus.z));
        self.grid_place = [corner.x, corner.y, 1.0 / CELL, per_cell as f32];
        for number in 0..LAMP_GRID_CELLS * LAMP_GRID_CELLS {
            let cell = Vec2::new((number % LAMP_GRID_CELLS) as f32, (number / LAMP_GRID_CELLS) as f32);
            let middle = corner + (cell + 0.5) * CELL;
            let mut near: SmallVec<[(f32, u32); 16]> = SmallVec::new();
            for (i, lamp) in lamps.iter().enumerate() {
                let away = (lamp.position.xz() - middle).abs();
                if (away - 0.5 * CELL).max(Vec2::ZERO).length() < RANGE {
                    near.push((away.length_squared(), i as u32));
                }
            }
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (slot, (_, lamp)) in near.iter().take(per_cell).enumerate() {
                let word = &mut self.grid[number / 2][(number % 2) * 2 + slot / 4];
                let shift = (slot % 4) * 8;
                *word = (*word & !(0xff << shift)) | (lamp << shift);
            }
        }
    }

    /// The lamps that light a place, as the shader finds them.
    #[cfg(test)]
    fn at(&self, position: Vec3) -> Vec<usize> {
        let cell = ((position.xz() - Vec2::new(self.grid_place[0], self.grid_place[1])) * self.grid_place[2]).floor();
        let number = cell.y as usize * LAMP_GRID_CELLS + cell.x as usize;
        let words = self.grid[number / 2];
        let bytes = [words[(number % 2) * 2], words[(number % 2) * 2 + 1]].map(u32::to_le_bytes).concat();
        bytes.iter().map(|byte| usize::from(*byte)).take_while(|lamp| *lamp < MAX_LAMPS).collect()
    }
}

/// Middle of the lamp grid of a view: a place before the camera.
pub fn lamp_focus(camera: &CameraFrame) -> Vec3 {
    let forward = camera.view_from_world.inverse().transform_vector3(Vec3::NEG_Z).normalize_or_zero();
    camera.position + forward * AHEAD
}

/// Whether a material is that of windows.
pub fn is_window(material: &Material) -> bool {
    let name = material.name.to_lowercase();
    name.contains("window") && !["frame", "sill"].iter().any(|part| name.contains(part))
}

/// Notes in the alpha of the vertex colours which windows of a mesh are lit by night. A window is what shares vertices.
pub fn light_windows(mesh: &mut Mesh) {
    let mut windows = DisjointSets::new(mesh.vertices.len());
    for triangle in mesh.indices.chunks_exact(3) {
        triangle[1..].iter().for_each(|&other| windows.join(triangle[0] as usize, other as usize));
    }
    for i in 0..mesh.vertices.len() {
        let at = mesh.vertices[windows.root(i)].position;
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
        let lamps: Vec<Lamp> =
            (0..90).map(|i| Lamp { position: Vec3::X * (i as f32 - 45.0), color: Vec3::ONE }).collect();
        let at = |daylight| FrameLamps::new(4, [(lamps.as_slice(), Mat4::IDENTITY)].into_iter(), Vec3::ZERO, daylight);
        assert_eq!((at(1.0).grid_place[3], at(1.0).night), (0.0, 0.0));
        let evening = at(0.75);
        assert!(evening.night > 0.2 && evening.night < 0.5, "{}", evening.night);
        let by_night = at(0.0);
        assert_eq!(by_night.lamps[0].color[0], STRENGTH);
        let last = by_night.lamps[MAX_LAMPS - 1].color[0];
        assert!(last < 0.4 * STRENGTH, "the last one has nearly faded: {last}");
    }

    #[test]
    fn each_place_finds_the_lamps_that_light_it() {
        let lamps: Vec<Lamp> =
            [-30.0, 0.0, 3.0, 30.0].map(|x| Lamp { position: Vec3::new(x, 3.0, 1.0), color: Vec3::ONE }).to_vec();
        let frame =
            |per_cell| FrameLamps::new(per_cell, [(lamps.as_slice(), Mat4::IDENTITY)].into_iter(), Vec3::ZERO, 0.0);
        let lit = frame(LAMPS_PER_CELL);
        let position = |lamp: &usize| lit.lamps[*lamp].place[0];
        let found = |x: f32| lit.at(Vec3::new(x, 0.0, 0.5)).iter().map(position).collect::<Vec<_>>();
        assert_eq!(found(3.5), [3.0, 0.0]);
        assert_eq!(found(-29.0), [-30.0]);
        assert!(found(-60.0).is_empty());
        assert_eq!(frame(1).at(Vec3::new(3.5, 0.0, 0.5)).len(), 1, "no more than are wanted");
    }

    #[test]
    fn some_windows_are_lit_and_each_as_a_whole() {
        let mut lit = 0;
        for i in 0..200 {
            let mut mesh = part(0, Vec3::new(i as f32 * 3.0, 4.0, -7.5), 1.2);
            // In whatever order triangles name their corners.
            mesh.indices.rotate_left(i % 3);
            mesh.indices.reverse();
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
