//! Debug drawing of the steps of a bake.

use glam::Vec3;

use super::baked::Baked;
use super::compact_heightfield::CompactHeightfield;
pub use super::debug_colors::{MAX_SHAPES, UNWALKABLE_COLOR, WALKABLE};
use super::debug_colors::{area_color, distinct};
use super::heightfield::GridFrame;
use super::step::BakeStep;
use super::tiles::TileGrid;
use super::voxel_debug::{self, VoxelColors};
use crate::debug::{Color, DebugDraw, Layer, shapes};

/// Height over the surface, metres, against z-fighting.
const LIFT: f32 = 0.04;
const TILE: Color = [0.95, 0.35, 0.75, 1.0];
const EMPTY_TILE: Color = [0.95, 0.35, 0.75, 0.25];
const OPEN: Color = [0.2, 0.65, 0.85, 0.45];
const WALL: Color = [0.1, 0.2, 0.3, 1.0];
const LINK: Color = [0.95, 0.75, 0.1, 1.0];
const INNER: Color = [0.1, 0.2, 0.3, 0.35];

/// Draws the result of a step. Voxel steps need [`super::BakeSettings::keep_stages`]. Returns whether all of it was
/// drawn.
pub fn draw(baked: &Baked, step: BakeStep, layer: Layer, d: &mut DebugDraw) -> bool {
    let Some(stages) = &baked.debug else {
        return match step {
            BakeStep::Polygons => polygons(baked, layer, d),
            BakeStep::Detail => detail(baked, layer, d),
            BakeStep::Links => links(baked, layer, d),
            _ => false,
        };
    };
    let (field, compact) = (&stages.field, &stages.compact);
    let floors = |color: &dyn Fn(usize) -> Option<Color>, d: &mut DebugDraw| {
        let y = |i: usize| compact.spans[i].y;
        surface(&compact.frame, &compact.columns, &|i| color(i).map(|c| (y(i), c)), layer, d)
    };
    match step {
        BakeStep::Rasterize | BakeStep::Filter => {
            let colors = if step == BakeStep::Rasterize { VoxelColors::Height } else { VoxelColors::Area };
            voxel_debug::draw(field, colors, layer, d)
        }
        BakeStep::Compact => floors(&|_| Some(OPEN), d),
        BakeStep::Erode => floors(&|i| Some(area_color(compact.areas[i])), d),
        BakeStep::Regions => {
            let ids = &stages.regions.ids;
            floors(&|i| (ids[i] != 0).then(|| distinct(ids[i], 0.55)), d)
        }
        BakeStep::Contours => contours(baked, compact, layer, d),
        BakeStep::Polygons => polygons(baked, layer, d),
        BakeStep::Detail => detail(baked, layer, d),
        BakeStep::Links => links(baked, layer, d),
    }
}

/// Draws rectangles over the cells of a field, runs of equal cells merged.
fn surface(
    frame: &GridFrame,
    columns: &[u32],
    look: &dyn Fn(usize) -> Option<(u16, Color)>,
    layer: Layer,
    d: &mut DebugDraw,
) -> bool {
    let mut count = 0;
    let at = |x: usize, y: u16, z: usize| {
        let scale = Vec3::new(frame.cell_size, frame.cell_height, frame.cell_size);
        frame.origin + Vec3::new(x as f32, f32::from(y), z as f32) * scale + Vec3::Y * LIFT
    };
    let mut runs: Vec<(usize, (u16, Color))> = Vec::new();
    let mut next = Vec::new();
    for z in 0..frame.depth {
        for x in 0..=frame.width {
            next.clear();
            if x < frame.width {
                let cell = z * frame.width + x;
                for found in (columns[cell]..columns[cell + 1]).filter_map(|i| look(i as usize)) {
                    let run = runs.iter().position(|r| r.1 == found).map(|r| runs.swap_remove(r));
                    next.push(run.unwrap_or((x, found)));
                }
            }
            for (first, (y, color)) in runs.drain(..) {
                if count == MAX_SHAPES {
                    return false;
                }
                count += 1;
                let [a, b, c, e] = [at(first, y, z), at(first, y, z + 1), at(x, y, z + 1), at(x, y, z)];
                d.triangle(layer, [a, b, c], color);
                d.triangle(layer, [a, c, e], color);
            }
            std::mem::swap(&mut runs, &mut next);
        }
    }
    true
}

fn contours(baked: &Baked, compact: &CompactHeightfield, layer: Layer, d: &mut DebugDraw) -> bool {
    let frame = &compact.frame;
    let scale = Vec3::new(frame.cell_size, frame.cell_height, frame.cell_size);
    let list = baked.debug.iter().flat_map(|s| &s.contours);
    let lines = list.flat_map(|c| {
        let corner = move |k: usize| {
            let v = &c.vertices[k % c.vertices.len()];
            frame.origin + Vec3::new(v.x as f32, v.y as f32, v.z as f32) * scale + Vec3::Y * LIFT
        };
        (0..c.vertices.len()).map(move |k| (corner(k), corner(k + 1), distinct(c.region, 1.0)))
    });
    draw_lines(lines, layer, d)
}

fn draw_lines(lines: impl Iterator<Item = (Vec3, Vec3, Color)>, layer: Layer, d: &mut DebugDraw) -> bool {
    for (count, (a, b, color)) in lines.enumerate() {
        if count == MAX_SHAPES {
            return false;
        }
        d.line(layer, a, b, color);
    }
    true
}

fn polygons(baked: &Baked, layer: Layer, d: &mut DebugDraw) -> bool {
    let mesh = &baked.mesh;
    let corner = |v: u32| mesh.vertices[v as usize].as_vec3() + Vec3::Y * LIFT;
    for p in mesh.polygons.iter().take(MAX_SHAPES) {
        let fill = area_color(p.area.saturating_add(1));
        for w in p.vertices[1..].windows(2) {
            d.triangle(layer, [corner(p.vertices[0]), corner(w[0]), corner(w[1])], fill);
        }
        for (k, &v) in p.vertices.iter().enumerate() {
            let wall = p.neighbors.as_ref().is_some_and(|n| n[k].is_none());
            let next = p.vertices[(k + 1) % p.vertices.len()];
            d.line(layer, corner(v), corner(next), if wall { WALL } else { INNER });
        }
    }
    mesh.polygons.len() <= MAX_SHAPES
}

fn detail(baked: &Baked, layer: Layer, d: &mut DebugDraw) -> bool {
    let Some(detail) = &baked.detail else { return true };
    let corner = |i: u32| detail.points[i as usize].as_vec3() + Vec3::Y * LIFT;
    for t in detail.triangles.iter().take(MAX_SHAPES) {
        shapes::triangle_edges(d, layer, &t.map(corner), INNER);
    }
    detail.triangles.len() <= MAX_SHAPES
}

/// Draws the squares of all tiles at the height of their lowest ground.
pub fn tiles(grid: &TileGrid, layer: Layer, d: &mut DebugDraw) {
    for tile in grid.tiles().iter().take(MAX_SHAPES) {
        let (min, max) = (tile.bounds.min + Vec3::Y * LIFT, tile.bounds.max);
        let corners = [min, min.with_z(max.z), max.with_y(min.y), min.with_x(max.x)];
        let color = if tile.walkable > 0 { TILE } else { EMPTY_TILE };
        (0..4).for_each(|i| d.line(layer, corners[i], corners[(i + 1) % 4], color));
    }
}

fn links(baked: &Baked, layer: Layer, d: &mut DebugDraw) -> bool {
    for l in baked.links.iter().take(MAX_SHAPES) {
        let (a, b) = (l.start.as_vec3() + Vec3::Y * LIFT, l.end.as_vec3() + Vec3::Y * LIFT);
        shapes::arrow(d, layer, a, b, LINK);
        if l.both_ways {
            shapes::arrow(d, layer, b, a, LINK);
        }
    }
    baked.links.len() <= MAX_SHAPES
}

#[cfg(test)]
mod tests {
    use super::super::{BakeSettings, bake, fixture, silent};
    use super::*;

    #[test]
    fn r_9_every_step_can_be_drawn_on_demand() {
        let t = fixture::floor([0.0, 12.0], [0.0, 9.0], 1.0);
        let layer = Layer::NavGround;
        for keep_stages in [true, false] {
            let baked = bake(&t, &BakeSettings { keep_stages, ..Default::default() }, &mut silent).unwrap();
            for step in BakeStep::ALL {
                let mut d = DebugDraw::wanting([layer]);
                let whole = draw(&baked, step, layer, &mut d);
                let shapes = d.triangles.len() + d.lines.len();
                let of_mesh = matches!(step, BakeStep::Polygons | BakeStep::Detail | BakeStep::Links);
                assert_eq!(whole, keep_stages || of_mesh, "{step:?}");
                assert_eq!(shapes > 0, whole && !matches!(step, BakeStep::Detail | BakeStep::Links), "{step:?}");
                let points = d.triangles.iter().flat_map(|t| t.points).chain(d.lines.iter().flat_map(|l| l.ends));
                for p in points {
                    assert!(
                        (0.0..=12.0).contains(&p.x) && (0.0..=9.0).contains(&p.z) && (0.9..=1.3).contains(&p.y),
                        "{p}"
                    );
                }
                if step == BakeStep::Rasterize {
                    // Five rectangles for each row of forty columns, and one for each side of a column at the border.
                    assert_eq!(d.triangles.len(), if keep_stages { 2 * (5 * 30 + 2 * (30 + 40)) } else { 0 });
                }
            }
        }
    }
}
