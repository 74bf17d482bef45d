//! Maps of Quake III (`.bsp`, `IBSP` versions 46 and 47): lists ("lumps") of textures, vertices and faces. Their layout is that of
//! `qfiles.h` in the published source of the game.

use super::fault::QuakeMapFault;
use super::patch::{self, Patch};
use super::surface::{MapSurface, MapTexture, MapVertex, SurfaceKey};
use crate::asset::MeshPurpose;
use crate::asset::bytes::{length_at, u32_at};
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;

const MAGIC: &[u8] = b"IBSP";
const VERSIONS: [u32; 2] = [46, 47];
/// Bytes before the directory of lumps, which has a place and a length for each.
const HEADER_BYTES: usize = 8;
/// Numbers of lumps.
const ENTITIES: usize = 0;
const TEXTURES: usize = 1;
pub(super) const MODELS: usize = 7;
const VERTICES: usize = 10;
const MESH_VERTICES: usize = 11;
const FACES: usize = 13;
/// Sizes of their items.
const TEXTURE_BYTES: usize = 72;
const TEXTURE_NAME_BYTES: usize = 64;
pub(super) const MODEL_BYTES: usize = 40;
const VERTEX_BYTES: usize = 44;
const FACE_BYTES: usize = 104;
/// Kinds of faces.
const POLYGON: u32 = 1;
const PATCH: u32 = 2;
const MESH: u32 = 3;

/// A part of a map: the world, or a thing in it, such as a door.
pub(super) struct MapModel {
    pub number: usize,
    /// Where it stands, Y up.
    pub offset: Vec3,
}

/// A map whose lists were found.
pub(super) struct QuakeMap<'a> {
    bytes: &'a [u8],
}

impl<'a> QuakeMap<'a> {
    /// # Errors
    /// It is no map of Quake III.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, QuakeMapFault> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(QuakeMapFault::NoQuakeMap);
        }
        let version = u32_at(bytes, MAGIC.len()).ok_or(QuakeMapFault::CutOff)?;
        if !VERSIONS.contains(&version) {
            return Err(QuakeMapFault::Version(version));
        }
        let map = Self { bytes };
        if (0..=FACES).all(|lump| map.lump(lump).is_some()) { Ok(map) } else { Err(QuakeMapFault::CutOff) }
    }

    fn lump(&self, index: usize) -> Option<&'a [u8]> {
        let at = |place: usize| length_at(self.bytes, HEADER_BYTES + index * 8 + place);
        let (from, length) = (at(0)?, at(4)?);
        self.bytes.get(from..from.checked_add(length)?)
    }

    /// The items of a list, each of so many bytes.
    pub(super) fn items(&self, lump: usize, size: usize) -> Vec<&'a [u8]> {
        self.lump(lump).unwrap_or_default().chunks_exact(size).collect()
    }

    /// Its textures; `None` in the place of a damaged one.
    pub(super) fn textures(&self) -> Vec<Option<MapTexture>> {
        self.items(TEXTURES, TEXTURE_BYTES).into_iter().map(texture).collect()
    }

    /// What is drawn or stops characters, by `keys`, one for each texture; those without one are left out. `grant` is asked before so
    /// many vertices or corners of triangles are made.
    ///
    /// # Errors
    /// Those of `grant`.
    pub(super) fn surfaces<E>(
        &self,
        keys: &[Option<SurfaceKey>],
        mut grant: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<BTreeMap<SurfaceKey, MapSurface>, E> {
        let vertices: Vec<MapVertex> = self.items(VERTICES, VERTEX_BYTES).into_iter().map(vertex).collect();
        let offsets = self.items(MESH_VERTICES, 4);
        let (models, faces) = (self.items(MODELS, MODEL_BYTES), self.items(FACES, FACE_BYTES));
        let mut surfaces: BTreeMap<SurfaceKey, MapSurface> = BTreeMap::new();
        for model in self.drawn_models() {
            let own = models.get(model.number).and_then(|item| range(item, 24));
            for face in own.and_then(|own| faces.get(own)).unwrap_or_default() {
                let field = |at: usize| u32_at(face, at).unwrap_or(0);
                let Some(Some(key)) = keys.get(field(0) as usize) else { continue };
                // The game tests what is not drawn of curved surfaces alone: elsewhere it has the bodies behind.
                if key.purpose == MeshPurpose::SolidOnly && field(8) != PATCH {
                    continue;
                }
                let Some(corners) = range(face, 12).and_then(|own| vertices.get(own)) else { continue };
                let place = |vertex: &MapVertex| MapVertex { position: vertex.position + model.offset, ..*vertex };
                match field(8) {
                    POLYGON | MESH => {
                        grant(corners.len())?;
                        let surface = surfaces.entry(key.clone()).or_default();
                        let first = surface.vertices.len() as u32;
                        surface.vertices.extend(corners.iter().map(place));
                        let indices = range(face, 20).and_then(|own| offsets.get(own)).unwrap_or_default();
                        grant(indices.len())?;
                        let corner = |index: &[u8]| u32_at(index, 0).filter(|&i| (i as usize) < corners.len());
                        for triangle in indices.chunks_exact(3) {
                            if let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|i| corner(triangle[i])) {
                                surface.push([a, b, c].map(|i| first + i));
                            }
                        }
                    }
                    PATCH => {
                        let size = [field(96) as usize, field(100) as usize];
                        let Some(patch) = Patch::of(size, corners) else { continue };
                        grant(patch.vertex_count())?;
                        patch::append(&patch, place, surfaces.entry(key.clone()).or_default());
                    }
                    _ => {}
                }
            }
        }
        Ok(surfaces)
    }

    /// The world, and the things that are seen in it: what sets something off is not.
    pub(super) fn drawn_models(&self) -> Vec<MapModel> {
        let mut models = vec![MapModel { number: 0, offset: Vec3::ZERO }];
        let text = String::from_utf8_lossy(self.lump(ENTITIES).unwrap_or_default());
        for entity in text.split('}') {
            let words: Vec<&str> = entity.split('"').skip(1).step_by(2).collect();
            let value =
                |key: &str| words.chunks_exact(2).find(|pair| pair[0].eq_ignore_ascii_case(key)).map(|pair| pair[1]);
            let model = value("model").and_then(|model| model.strip_prefix('*')?.parse().ok());
            let is_trigger = value("classname").is_some_and(|class| class.starts_with("trigger_"));
            let Some(number) = model.filter(|&number| number > 0 && !is_trigger) else { continue };
            let origin =
                value("origin").map(|text| text.split_whitespace().filter_map(|part| part.parse().ok()).collect());
            let offset = match origin.unwrap_or_else(Vec::new)[..] {
                [x, y, z] => upright([x, y, z]),
                _ => Vec3::ZERO,
            };
            models.push(MapModel { number, offset });
        }
        // A thing is there once, whatever the text says.
        models.sort_by_key(|model| model.number);
        models.dedup_by_key(|model| model.number);
        models
    }
}

/// The items that a number at `at` and a count behind it name.
pub(super) fn range(item: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let (from, count) = (length_at(item, at)?, length_at(item, at + 4)?);
    Some(from..from.checked_add(count)?)
}

fn texture(item: &[u8]) -> Option<MapTexture> {
    let name = item.get(..TEXTURE_NAME_BYTES)?.split(|&byte| byte == 0).next()?;
    let name = String::from_utf8_lossy(name).to_lowercase().replace('\\', "/");
    let (flags, contents) = (u32_at(item, TEXTURE_NAME_BYTES)?, u32_at(item, TEXTURE_NAME_BYTES + 4)?);
    Some(MapTexture { name, flags, contents })
}

fn vertex(item: &[u8]) -> MapVertex {
    let at = |place: usize| u32_at(item, place).map(f32::from_bits).filter(|x| x.is_finite()).unwrap_or(0.0);
    MapVertex {
        position: upright([at(0), at(4), at(8)]),
        uv: Vec2::new(at(12), at(16)),
        normal: upright([at(28), at(32), at(36)]),
    }
}

/// Quake's Z is up, and its Y leads away from the viewer.
pub(super) fn upright([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x, z, -y)
}
