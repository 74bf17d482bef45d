//! What can be laid over the map: the boxes of the instances, the cells of their octree, the level's edges.

use crate::collide::instance_octree::InstanceOctree;
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::math::plan::to_plan;
use crate::sim::World;
use crate::ui::theme::color;
use egui::{Color32, Painter, Pos2, Rect, Stroke, Ui, vec2};
use glam::Vec2;
use std::collections::BTreeSet;

/// Most edges of the level that are drawn.
const MAX_EDGES: usize = 60_000;

/// From the ground to the panel and back.
#[derive(Clone, Copy)]
pub struct MapView {
    /// Where the map lies.
    pub rect: Rect,
    /// What lies in the middle of it.
    pub middle: Vec2,
    /// Points per metre.
    pub scale: f32,
    /// Cosine and sine of the turn.
    pub turn: Vec2,
}

impl MapView {
    /// Where a place on the ground is seen.
    pub fn to_panel(self, at: Vec2) -> Pos2 {
        let by = self.turn.rotate((at - self.middle) * self.scale);
        self.rect.center() + vec2(by.x, by.y)
    }

    /// The place on the ground that is seen there.
    pub fn to_ground(self, at: Pos2) -> Vec2 {
        self.middle + self.of_panel(at - self.rect.center())
    }

    /// A way over the panel as one over the ground.
    pub fn of_panel(self, by: egui::Vec2) -> Vec2 {
        Vec2::new(self.turn.x, -self.turn.y).rotate(Vec2::new(by.x, by.y) / self.scale)
    }
}

/// What is laid over the map.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapLayers {
    /// The boxes of the instances.
    pub boxes: bool,
    /// The cells of their octree.
    pub octree: bool,
    /// The edges of the level's triangles.
    pub wires: bool,
}

impl MapLayers {
    /// The switches.
    pub fn switches(&mut self, ui: &mut Ui) {
        let help = "The boxes of the instances; red where one touches another, the selected ones green.";
        ui.checkbox(&mut self.boxes, "Boxes on the map").on_hover_text(help);
        ui.checkbox(&mut self.octree, "Octree on the map").on_hover_text("The cells of the octree over the instances.");
        ui.checkbox(&mut self.wires, "Wires on the map").on_hover_text("The edges of the level's triangles.");
    }

    /// Whether there are more edges than are drawn.
    pub fn is_cut(self, world: &World) -> bool {
        self.wires && world.triangles().len() > MAX_EDGES / 3
    }

    /// Draws what is on; `chosen` are selected.
    pub fn draw(self, painter: &Painter, world: &World, chosen: &BTreeSet<InstanceId>, place: MapView) {
        if self.wires {
            wires(painter, world, place);
        }
        if self.octree {
            let cells = InstanceOctree::build(world.instance_boxes());
            for cell in cells.cells() {
                outline(painter, &cell.bounds, place, Stroke::new(0.7, Color32::from_white_alpha(110)));
            }
        }
        if self.boxes {
            for ((id, _), bounds) in world.iter().zip(world.instance_boxes()) {
                let tint = match (chosen.contains(&id), world.is_touching(id)) {
                    (true, _) => color::GOOD,
                    (_, true) => color::BAD,
                    _ => color::WARN,
                };
                outline(painter, &bounds, place, Stroke::new(1.0, tint));
            }
        }
    }
}

/// A box as it is seen from above.
fn outline(painter: &Painter, bounds: &Aabb, place: MapView, stroke: Stroke) {
    if bounds.is_empty() {
        return;
    }
    let (low, high) = (to_plan(bounds.min), to_plan(bounds.max));
    let corners = [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)].map(|at| place.to_panel(at));
    if Rect::from_points(&corners).intersects(place.rect) {
        painter.add(egui::Shape::closed_line(corners.to_vec(), stroke));
    }
}

fn wires(painter: &Painter, world: &World, place: MapView) {
    let stroke = Stroke::new(0.5, color::INFO.gamma_multiply(0.6));
    for triangle in world.triangles().iter().take(MAX_EDGES / 3) {
        let corners = triangle.points.map(|at| place.to_panel(to_plan(at)));
        if Rect::from_points(&corners).intersects(place.rect) {
            painter.add(egui::Shape::closed_line(corners.to_vec(), stroke));
        }
    }
}
