//! The tiles of a bake: where they lie, what they hold, and how long their regions took.

use super::compact_heightfield::CompactHeightfield;
use super::heightfield::{GridFrame, UNWALKABLE};
use super::region::Regions;
use super::settings::{Volume, VolumeShape};
use crate::math::Aabb;
use crate::nav::mesh::RawMesh;
use glam::Vec3;

/// How far the volume that leaves a tile out reaches over its ground, metres.
const MARGIN: f32 = 0.5;

/// A tile of a bake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BakeTile {
    /// Its square, from its lowest to its highest ground.
    pub bounds: Aabb,
    /// Spans of open space.
    pub spans: u32,
    /// Those that are walkable after erosion.
    pub walkable: u32,
    /// Regions that begin in it.
    pub regions: u32,
    /// Polygons whose middle lies in it.
    pub polygons: u32,
    /// Milliseconds that its regions took; 0 where tiles are not made one by one, or the regions are of the bake before.
    pub region_ms: f32,
}

/// The tiles of a bake; one where it is not cut into tiles.
#[derive(Clone, Debug, Default)]
pub struct TileGrid {
    origin: Vec3,
    /// Edge of a tile, metres.
    edge: f32,
    across: usize,
    tiles: Vec<BakeTile>,
}

impl TileGrid {
    /// Counts what lies in each tile of `tile_cells` cells, 0 for a single one.
    pub(super) fn new(compact: &CompactHeightfield, regions: &Regions, mesh: &RawMesh, tile_cells: usize) -> Self {
        let frame = &compact.frame;
        let cells = if tile_cells == 0 { frame.width.max(frame.depth).max(1) } else { tile_cells };
        let (across, deep) = (frame.width.div_ceil(cells), frame.depth.div_ceil(cells));
        let edge = cells as f32 * frame.cell_size;
        let tiles = (0..across * deep).map(|i| empty_tile(frame, [i % across * cells, i / across * cells], cells));
        let mut grid = Self { origin: frame.origin, edge, across, tiles: tiles.collect() };
        for (tile, ms) in grid.tiles.iter_mut().zip(&regions.tile_ms) {
            tile.region_ms = *ms;
        }
        let mut first_tile = vec![None; regions.count as usize];
        for (cell, ends) in compact.columns.windows(2).enumerate() {
            let number = cell / frame.width / cells * across + cell % frame.width / cells;
            let tile = &mut grid.tiles[number];
            for i in ends[0] as usize..ends[1] as usize {
                tile.spans += 1;
                if compact.areas[i] == UNWALKABLE {
                    continue;
                }
                tile.walkable += 1;
                let y = frame.origin.y + f32::from(compact.spans[i].y) * frame.cell_height;
                tile.bounds.min.y = tile.bounds.min.y.min(y);
                tile.bounds.max.y = tile.bounds.max.y.max(y);
                if let Some(first) = first_tile.get_mut(regions.ids[i] as usize).filter(|_| regions.ids[i] != 0) {
                    first.get_or_insert(number);
                }
            }
        }
        for number in first_tile.into_iter().flatten() {
            grid.tiles[number].regions += 1;
        }
        for polygon in &mesh.polygons {
            let sum: glam::DVec3 = polygon.vertices.iter().map(|v| mesh.vertices[*v as usize]).sum();
            let middle = (sum / polygon.vertices.len().max(1) as f64).as_vec3();
            if let Some(number) = grid.at(middle) {
                grid.tiles[number].polygons += 1;
            }
        }
        for tile in grid.tiles.iter_mut().filter(|tile| tile.walkable == 0) {
            (tile.bounds.min.y, tile.bounds.max.y) = (frame.origin.y, frame.origin.y);
        }
        grid
    }

    /// All tiles, row by row.
    pub fn tiles(&self) -> &[BakeTile] {
        &self.tiles
    }

    /// Tiles in a row.
    pub fn across(&self) -> usize {
        self.across
    }

    /// Number of the tile that holds a place seen from above.
    pub fn at(&self, place: Vec3) -> Option<usize> {
        let along = |place: f32, origin: f32| {
            let tile = ((place - origin) / self.edge).floor();
            (0.0..1e6).contains(&tile).then_some(tile as usize)
        };
        let (x, z) = (along(place.x, self.origin.x)?, along(place.z, self.origin.z)?);
        let number = z * self.across + x;
        (x < self.across && number < self.tiles.len()).then_some(number)
    }
}

impl BakeTile {
    /// The volume that leaves the tile out of the mesh: exactly its cells, with room above and below.
    pub fn removal(&self) -> Volume {
        // Cells are inside by their middles: where edges meet, those of the neighbours stay out.
        let [min, max] = [self.bounds.min - Vec3::Y * MARGIN, self.bounds.max + Vec3::Y * MARGIN];
        Volume { shape: VolumeShape::Box { min, max }, area: None }
    }

    /// Its box without its edges, which it shares with its neighbours.
    pub fn inner(&self) -> Aabb {
        let (center, size) = (self.bounds.center(), self.bounds.size());
        let half = Vec3::new(size.x * 0.49, size.y * 0.5, size.z * 0.49);
        Aabb::new(center - half, center + half)
    }

    /// Whether it lies under or over a box, or beside it.
    pub fn is_under(&self, part: &Aabb) -> bool {
        let Aabb { min, max } = self.bounds;
        min.x <= part.max.x && max.x >= part.min.x && min.z <= part.max.z && max.z >= part.min.z
    }

    /// Whether a volume leaves the tile, or what of it is walkable, out of the mesh.
    pub fn is_removed_by(&self, volume: &Volume) -> bool {
        let VolumeShape::Box { min, max } = volume.shape else { return false };
        let same = |a: f32, b: f32| (a - b).abs() < 1e-3;
        let Aabb { min: low, max: high } = self.bounds;
        volume.area.is_none() && same(min.x, low.x) && same(max.x, high.x) && same(min.z, low.z) && same(max.z, high.z)
    }
}

fn empty_tile(frame: &GridFrame, [x, z]: [usize; 2], cells: usize) -> BakeTile {
    let corner = |x: usize, z: usize| {
        let along = |cell: usize, most: usize| cell.min(most) as f32 * frame.cell_size;
        frame.origin + Vec3::new(along(x, frame.width), 0.0, along(z, frame.depth))
    };
    let (min, max) = (corner(x, z).with_y(f32::INFINITY), corner(x + cells, z + cells).with_y(f32::NEG_INFINITY));
    BakeTile { bounds: Aabb { min, max }, spans: 0, walkable: 0, regions: 0, polygons: 0, region_ms: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::{BakeSettings, ChangedLevel, bake, bake_changed, bake_from, fixture, silent};
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn settings() -> BakeSettings {
        BakeSettings { tile_cells: 16, keep_stages: true, ..BakeSettings::default() }
    }

    #[test]
    fn tiles_count_everything_once() {
        let baked = bake(&fixture::floor([0.0, 12.0], [0.0, 9.0], 1.0), &settings(), &mut silent).unwrap();
        let stages = baked.debug.as_ref().unwrap();
        let tiles = stages.tiles.tiles();
        let sum = |of: fn(&BakeTile) -> u32| tiles.iter().map(of).sum::<u32>() as usize;
        assert_eq!((tiles.len(), stages.tiles.across()), (6, 3));
        assert_eq!(sum(|t| t.spans), stages.compact.len());
        assert_eq!(sum(|t| t.polygons), baked.mesh.polygons.len());
        assert_eq!(sum(|t| t.regions), baked.regions as usize);
        assert_eq!(stages.tiles.at(Vec3::new(5.0, 0.0, 5.0)), Some(4));
        assert_eq!(stages.tiles.at(Vec3::new(-0.1, 0.0, 5.0)), None);
    }

    #[test]
    fn a_removed_tile_is_gone_and_comes_back_as_it_was() {
        let level = fixture::floor([0.0, 12.0], [0.0, 9.0], 1.0);
        let whole = bake(&level, &settings(), &mut silent).unwrap();
        let tile = whole.debug.as_ref().unwrap().tiles.tiles()[1];
        let cut = BakeSettings { volumes: vec![tile.removal()], ..settings() };
        let stop = AtomicBool::new(false);
        let baked = bake_from(&whole, &cut, &mut silent, &stop).unwrap().unwrap();
        let now: Vec<_> = baked.debug.as_ref().unwrap().tiles.tiles().to_vec();
        assert!(now[1].polygons == 0 && now[0].polygons > 0 && now[2].polygons > 0);
        assert!(now[1].is_removed_by(&cut.volumes[0]) && !now[0].is_removed_by(&cut.volumes[0]));
        // From the stages of the bake before, as from the level.
        let fresh = bake(&level, &cut, &mut silent).unwrap();
        assert_eq!((&baked.mesh, &baked.detail), (&fresh.mesh, &fresh.detail));
        let back = bake_from(&baked, &settings(), &mut silent, &stop).unwrap().unwrap();
        assert_eq!((&back.mesh, &back.detail), (&whole.mesh, &whole.detail));
        assert!(back.log.iter().all(|(step, _)| *step != super::super::BakeStep::Rasterize));
    }

    #[test]
    fn a_part_that_changes_makes_only_its_tiles_anew() {
        let silent = &mut silent;
        let stop = AtomicBool::new(false);
        let level = |x: f32, z: f32| {
            let mut level = fixture::floor([0.0, 40.0], [0.0, 40.0], 0.0);
            level.extend(fixture::floor([36.0, 39.0], [36.0, 39.0], 3.0));
            level.extend(fixture::floor([x, x + 2.0], [z, z + 2.0], 1.0));
            level
        };
        let settings = BakeSettings { tile_cells: 20, ..settings() };
        let before = bake(&level(4.0, 5.0), &settings, silent).unwrap();
        let part = |x: f32, z: f32| Aabb::new(Vec3::new(x, 1.0, z), Vec3::new(x + 2.0, 1.0, z + 2.0));
        let (now, changed) = (level(20.0, 12.0), [part(4.0, 5.0), part(20.0, 12.0)]);
        let again = {
            let level = ChangedLevel { triangles: &now, changed: &changed, again: &[] };
            bake_changed(&before, &level, &settings, silent, &stop).unwrap().unwrap()
        };
        let whole = bake(&now, &settings, silent).unwrap();
        assert_eq!((&again.mesh, &again.detail, &again.links), (&whole.mesh, &whole.detail, &whole.links));
        let [again, whole] = [again, whole].map(|baked| baked.debug.unwrap());
        assert_eq!((&again.field.spans, &again.rasterized), (&whole.field.spans, &whole.rasterized));
        assert_eq!((&again.compact.areas, &again.regions.ids), (&whole.compact.areas, &whole.regions.ids));
        let made: Vec<_> = again.tiles.tiles().iter().filter(|tile| tile.region_ms > 0.0).collect();
        assert!(made.iter().any(|tile| tile.is_under(&changed[0])), "{made:?}");
        let is_near = |tile: &BakeTile| changed.iter().any(|c| tile.is_under(&c.expanded(Vec3::splat(4.0))));
        assert!(made.iter().all(|tile| is_near(tile)) && made.len() < 20, "{} tiles", made.len());
        // Without a change, what lies in a box is made anew all the same.
        let touched = [part(4.0, 5.0)];
        let same = ChangedLevel { triangles: &level(4.0, 5.0), changed: &[], again: &touched };
        let forced = bake_changed(&before, &same, &settings, silent, &stop).unwrap().unwrap();
        assert_eq!((&forced.mesh, &forced.detail), (&before.mesh, &before.detail));
        let forced = forced.debug.unwrap();
        assert!(forced.tiles.tiles().iter().all(|tile| (tile.region_ms > 0.0) == tile.is_under(&touched[0])));
    }

    #[test]
    fn only_settings_that_leave_the_voxels_alone_go_on_from_them() {
        let whole = bake(&fixture::floor([0.0, 12.0], [0.0, 9.0], 1.0), &settings(), &mut silent).unwrap();
        let stop = AtomicBool::new(false);
        let other = BakeSettings { agent_radius: 0.3, ..settings() };
        assert!(
            !settings().has_same_voxels(&other)
                && settings().has_same_voxels(&BakeSettings { corners: 4, ..settings() })
        );
        let bare = super::super::Baked { debug: None, ..whole };
        assert!(bake_from(&bare, &settings(), &mut silent, &stop).is_none());
    }
}
