//! The tools of the navigation workbench in the picture: from the cursor to the ground, from a gesture to an edit.

use super::pick::{self, ground_at};
use super::state::App;
use crate::camera::View;
use crate::debug::{DebugDraw, Layer, shapes};
use crate::nav::bake::tiles::{BakeTile, TileGrid};
use crate::nav::mesh::Filter;
use crate::scene::SceneNav;
use crate::sim::nav_mesh::{locate, polygon_at};
use crate::ui::ViewportInput;
use crate::ui::nav_tools::{self, Gesture, NavTools, Tool};
use glam::Vec3;

/// Colour of what is picked: the accent of the user interface, linear.
const PICKED: [f32; 4] = [0.87, 0.30, 0.05, 1.0];
/// Height over its ground of the box around a tile, metres.
const MARK_HEIGHT: f32 = 0.3;
/// Why a click did nothing.
const NO_GROUND: &str = "There is no ground under the cursor: click on the level.";
const NO_TILE: &str = "There is no tile: tiles are those of a baked mesh.";
const OFF_MESH: &str = "There is no polygon of the navigation mesh there.";

impl App {
    /// Applies viewport input to the active tool. Returns whether there is one.
    pub(super) fn use_tool(&mut self, viewport: &ViewportInput, view: &View, scale: f32) -> bool {
        if self.ui.nav_tools.tool == Tool::None {
            return false;
        }
        let at = |point: egui::Pos2| view.ray_through(viewport.picture_px(point, scale), viewport.size_px(scale));
        if self.ui.nav_tools.tool == Tool::Tile {
            let under = viewport.hover.and_then(|point| ground_at(&self.world, &at(point)));
            self.ui.nav_tools.tile = under.and_then(|ground| self.tiles()?.at(ground)).or(self.ui.nav_tools.tile);
        }
        if viewport.press.is_some() {
            self.begin_drag();
            self.ui.nav_tools.leads = false;
        }
        if let Some(point) = viewport.press.filter(|_| self.ui.nav_tools.tool == Tool::Send) {
            let (at_px, size) = (viewport.picture_px(point, scale), viewport.size_px(scale));
            let under = pick::instance_at(&self.stage(), view, at_px, size);
            if let Some(walker) = under.filter(|id| self.is_walker(*id)) {
                self.ui.nav_tools.missed = None;
                self.click_on(Some(walker), viewport);
                return true;
            }
        }
        let gestures = [
            viewport.press.map(|p| {
                let ray = at(p);
                (ray, Gesture::Press { ray, shift: viewport.shift })
            }),
            viewport.drag.map(|p| (at(p), Gesture::Drag)),
            viewport.release.map(|p| (at(p), Gesture::Release)),
        ];
        for (ray, gesture) in gestures.into_iter().flatten() {
            let pressed = matches!(gesture, Gesture::Press { .. });
            if pressed {
                self.ui.nav_tools.missed = None;
            }
            let Some(ground) = ground_at(&self.world, &ray) else {
                if pressed {
                    self.ui.nav_tools.missed = Some(NO_GROUND);
                }
                if !matches!(gesture, Gesture::Drag) {
                    self.ui.nav_tools.let_go();
                }
                continue;
            };
            match self.ui.nav_tools.tool {
                Tool::Block if self.ui.nav_tools.brush.is_some() => self.paint(gesture, viewport.shift, ground),
                Tool::Block if pressed => self.switch_polygon(ground),
                Tool::Tile if pressed => self.switch_tile(ground),
                Tool::Send => self.send_chosen(gesture, ground),
                _ => {}
            }
            if matches!(self.ui.nav_tools.tool, Tool::Block | Tool::Tile | Tool::Send) {
                continue;
            }
            // At once and not in the next frame: a gesture is sealed when the button goes up.
            if let Some(step) = self.ui.nav_tools.act(&self.scene.nav, gesture, ground) {
                self.edit(step);
                // What was placed stays in sight when the tool is left.
                self.overlays.extend(self.ui.nav_tools.tool.info().and_then(|info| info.keeps));
            }
        }
        true
    }

    /// The tiles of the scene's bake.
    fn tiles(&self) -> Option<&TileGrid> {
        Some(&self.world.mesh().built()?.baked.as_ref()?.debug.as_ref()?.tiles)
    }

    /// The tile that the tool points at.
    pub(super) fn pointed_tile(&self) -> Option<BakeTile> {
        let number = self.ui.nav_tools.tile?;
        self.tiles()?.tiles().get(number).copied()
    }

    /// Removes the tile at a place, or builds it again.
    fn switch_tile(&mut self, at: Vec3) {
        let tile = self.tiles().and_then(|grid| grid.tiles().get(grid.at(at)?).copied());
        match tile {
            Some(tile) => self.edit(nav_tools::toggled(&self.scene.nav, &tile)),
            None => self.ui.nav_tools.missed = Some(NO_TILE),
        }
    }

    /// Paints ground as not passable, or as passable again.
    fn paint(&mut self, gesture: Gesture, erases: bool, at: Vec3) {
        let Some(mesh) = self.world.mesh().built().map(|built| built.mesh.clone()) else { return };
        let ground = |place: Vec3| {
            let found = locate(&mesh, place, &Filter::default())?;
            Some(mesh.world(found.point.with_y(mesh.height_at(found.polygon, found.point))).as_vec3())
        };
        if matches!(gesture, Gesture::Press { .. }) && ground(at).is_none() {
            self.ui.nav_tools.missed = Some(OFF_MESH);
        }
        if let Some(step) = self.ui.nav_tools.paint(&self.scene.nav, (gesture, erases), at, ground) {
            self.edit(step);
            self.overlays.insert(Layer::Obstacles);
        }
    }

    /// Bars the polygon at a place, or lets through again.
    fn switch_polygon(&mut self, at: Vec3) {
        let Some(mesh) = self.world.mesh().built().map(|built| built.mesh.clone()) else { return };
        let Some(polygon) = polygon_at(&mesh, at) else {
            self.ui.nav_tools.missed = Some(OFF_MESH);
            return;
        };
        let nav = self.scene.nav.clone();
        let known = nav.barred.iter().position(|p| polygon_at(&mesh, *p) == Some(polygon));
        // The mean of its corners lies well inside: a polygon is convex.
        let corners = mesh.corners_of(polygon);
        let center = corners.iter().sum::<Vec3>() / corners.len() as f32;
        let step = self.ui.nav_tools.switch(&nav, known, mesh.world(center).as_vec3());
        self.edit(step);
    }

    /// Places what the drawn outline spans.
    pub(super) fn close_outline(&mut self) {
        if let Some(step) = self.ui.nav_tools.close_outline(&self.scene.nav) {
            self.edit(step);
        }
    }

    /// Removes what the tool has picked. Returns whether there was something.
    pub(super) fn remove_picked(&mut self) -> bool {
        let Some(item) = self.ui.nav_tools.picked_with_tool(&self.scene.nav) else { return false };
        let step = self.ui.nav_tools.remove(&self.scene.nav, item);
        step.map(|step| self.edit(step)).is_some()
    }
}

/// Marks what the tool has picked, the tile it points at, and where a link begins whose end is not placed yet.
pub fn mark(nav_tools: &NavTools, nav: &SceneNav, tile: Option<BakeTile>, debug: &mut DebugDraw) {
    let mut mark = DebugDraw::wanting([Layer::Selection]);
    if let Some(tile) = tile {
        let mut bounds = tile.bounds;
        // Flat ground has no box: a little height makes one.
        bounds.max.y = bounds.max.y.max(bounds.min.y) + MARK_HEIGHT;
        shapes::aabb(&mut mark, Layer::Selection, &bounds, PICKED);
        let (min, max, [r, g, b, _]) = (bounds.min + Vec3::Y * 0.06, bounds.max, PICKED);
        let square = [min, min.with_z(max.z), max.with_y(min.y), min.with_x(max.x)];
        shapes::quad(&mut mark, Layer::Selection, square, [r, g, b, 0.25]);
    }
    if let Some(shape) = nav_tools.picked_with_tool(nav).and_then(|item| item.shape(nav)) {
        let shape = shape.expanded(0.06);
        shapes::prism(&mut mark, Layer::Selection, &shape.outline, shape.height, [0.0; 4], PICKED);
    }
    if let Some(at) = nav_tools.joint {
        shapes::pin(&mut mark, Layer::Selection, at + Vec3::Y * 0.05, 1.0, PICKED);
    }
    for (i, at) in nav_tools.outline.iter().enumerate() {
        let next = nav_tools.outline[(i + 1) % nav_tools.outline.len()];
        let up = Vec3::Y * 0.06;
        shapes::circle(&mut mark, Layer::Selection, *at + up, 0.12, 12, PICKED);
        mark.line(Layer::Selection, *at + up, next + up, PICKED);
    }
    if let Some(drawn) = nav_tools.drawn() {
        let outline: Vec<Vec3> = drawn.outline.iter().map(|p| Vec3::new(p.x, drawn.low, p.y)).collect();
        let [r, g, b, _] = PICKED;
        shapes::prism(&mut mark, Layer::Selection, &outline, drawn.high - drawn.low, [r, g, b, 0.12], PICKED);
    }
    debug.lines.append(&mut mark.lines);
    debug.triangles.append(&mut mark.triangles);
}
