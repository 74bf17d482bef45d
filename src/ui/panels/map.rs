//! The ground from above, with all instances on it: drag to shift it, drag with the right button to turn it, turn the wheel to
//! zoom, click to bring the camera there.

use super::map_layers::{MapLayers, MapView};
use crate::math::plan::to_plan;
use crate::nav::mesh::NavMesh;
use crate::sim::NavStatus;
use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::theme::color;
use egui::{Color32, Mesh, Rect, Sense, Shape, Stroke, Ui, vec2};
use glam::{Vec2, Vec3};

/// Most triangles that are drawn.
const MAX_TRIANGLES: usize = 60_000;
/// Points per metre.
const SCALES: [f32; 2] = [0.02, 200.0];

/// What the map remembers between frames.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The mesh whose polygons these are.
    of: Option<u64>,
    triangles: Vec<([Vec2; 3], Color32)>,
    /// Whether there are more than [`MAX_TRIANGLES`].
    is_cut: bool,
    /// Least and greatest corner of the ground, seen from above.
    bounds: Option<[Vec2; 2]>,
    /// What lies in the middle, and points per metre; `None` shows everything.
    view: Option<(Vec2, f32)>,
    /// How far the map is turned, radians, clockwise.
    turn_rad: f32,
    layers: MapLayers,
}

impl Map {
    /// Fits the whole ground into the panel, north up.
    pub fn show_all(&mut self) {
        (self.view, self.turn_rad) = (None, 0.0);
    }

    /// Takes in another mesh.
    fn refresh(&mut self, mesh: Option<&NavMesh>) {
        let of = mesh.map(NavMesh::id);
        if self.of == of {
            return;
        }
        *self = Self { of, view: self.view, turn_rad: self.turn_rad, layers: self.layers, ..Self::default() };
        let Some(mesh) = mesh else { return };
        let height = |id| mesh.world(mesh.polygon(id).center).y as f32;
        let heights = || mesh.live_polygons().map(height);
        let [low, high] = [heights().fold(f32::INFINITY, f32::min), heights().fold(f32::NEG_INFINITY, f32::max)];
        let (mut least, mut most) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for id in mesh.live_polygons() {
            let outline: Vec<Vec3> = mesh.world_outline(id).collect();
            // The higher, the lighter.
            let light = (height(id) - low) / (high - low).max(0.5);
            let tint = Color32::from_gray((70.0 + 110.0 * light.clamp(0.0, 1.0)) as u8);
            for corner in &outline {
                (least, most) = (least.min(to_plan(*corner)), most.max(to_plan(*corner)));
            }
            for pair in outline.get(1..).unwrap_or_default().windows(2) {
                self.is_cut |= self.triangles.len() == MAX_TRIANGLES;
                if !self.is_cut {
                    self.triangles.push(([outline[0], pair[0], pair[1]].map(to_plan), tint));
                }
            }
        }
        self.bounds = (least.is_finite() && most.is_finite()).then_some([least, most]);
    }

    /// What lies in the middle of `rect`, and points per metre.
    fn view(&self, rect: Rect) -> (Vec2, f32) {
        self.view.unwrap_or_else(|| {
            let Some([least, most]) = self.bounds else { return (Vec2::ZERO, 10.0) };
            let size = (most - least).max(Vec2::splat(1.0));
            let scale = (rect.width() / size.x).min(rect.height() / size.y) * 0.97;
            ((least + most) * 0.5, scale.clamp(SCALES[0], SCALES[1]))
        })
    }
}

/// Turn of the map by a drag, radians per point.
const TURN_RAD_PER_POINT: f32 = 0.01;

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, map: &mut Map, out: &mut Vec<Command>) {
    map.refresh(cx.world.mesh().current().map(|mesh| &**mesh));
    ui.horizontal_wrapped(|ui| {
        if ui.button("Show all").on_hover_text("Fit the whole ground into the panel, north up").clicked() {
            map.show_all();
        }
        map.layers.switches(ui);
        if map.is_cut || map.layers.is_cut(cx.world) {
            ui.weak("There is too much ground: a part of it is not drawn.");
        }
    });
    let size = ui.available_size().max(vec2(40.0, 40.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, "Map of the ground"));
    hint(ui, rect, &response);
    let (middle, scale) = map.view(rect);
    if response.dragged_by(egui::PointerButton::Secondary) {
        map.turn_rad = crate::math::angle::wrap_rad(map.turn_rad + response.drag_delta().x * TURN_RAD_PER_POINT);
    }
    let mut place = MapView { rect, middle, scale, turn: Vec2::from_angle(map.turn_rad) };
    if response.dragged_by(egui::PointerButton::Primary) || response.dragged_by(egui::PointerButton::Middle) {
        place.middle -= place.of_panel(response.drag_delta());
        map.view = Some((place.middle, scale));
    }
    let wheel = if response.hovered() { ui.input(|input| input.smooth_scroll_delta.y) } else { 0.0 };
    if let Some(at) = response.hover_pos().filter(|_| wheel != 0.0) {
        let fixed = place.to_ground(at);
        place.scale = (scale * (wheel / 200.0).exp()).clamp(SCALES[0], SCALES[1]);
        // What is under the cursor stays there.
        place.middle += fixed - place.to_ground(at);
        map.view = Some((place.middle, place.scale));
    }
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        out.push(Command::LookAt(on_ground(cx, place.to_ground(at))));
    }
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    ground(&painter, map, place);
    map.layers.draw(&painter, cx.world, cx.chosen, place);
    people(&painter, cx, place);
    if let Some((eye, direction)) = cx.status.eye {
        let (at, ahead) = (place.to_panel(to_plan(eye)), place.turn.rotate(to_plan(direction).normalize_or(Vec2::Y)));
        painter.circle_filled(at, 4.0, color::ACCENT);
        painter.line_segment([at, at + vec2(ahead.x, ahead.y) * 18.0], Stroke::new(2.0, color::ACCENT));
    }
    super::map_labels::draw(&painter, cx, place);
}

/// What the mouse does, over the upper edge while the cursor is on the map.
fn hint(ui: &Ui, rect: Rect, response: &egui::Response) {
    if !response.hovered() {
        return;
    }
    let painter = ui.painter_at(rect).with_layer_id(egui::LayerId::new(egui::Order::Foreground, response.id));
    let text = "Click: camera there\nDrag: shift · right drag: turn · wheel: zoom";
    let galley = painter.layout(text.into(), egui::FontId::proportional(11.0), Color32::WHITE, rect.width() - 16.0);
    let back = Rect::from_min_size(rect.min + vec2(6.0, 6.0), galley.size() + vec2(8.0, 6.0));
    painter.rect_filled(back, 4.0, Color32::from_black_alpha(170));
    painter.galley(back.min + vec2(4.0, 3.0), galley, Color32::WHITE);
}

/// The highest ground at a place, or the height 0.
fn on_ground(cx: &UiContext<'_>, at: Vec2) -> Vec3 {
    let heights = cx.world.mesh().current().map(|mesh| {
        let local = mesh.local(Vec3::new(at.x, 0.0, at.y).as_dvec3());
        let under = mesh.live_polygons().filter(|id| mesh.contains_2d(*id, local));
        let height = |id| mesh.world(local.with_y(mesh.height_at(id, local))).y as f32;
        under.map(height).fold(f32::NEG_INFINITY, f32::max)
    });
    Vec3::new(at.x, heights.filter(|y| y.is_finite()).unwrap_or(0.0), at.y)
}

fn ground(painter: &egui::Painter, map: &Map, place: MapView) {
    let mut mesh = Mesh::default();
    for (corners, tint) in &map.triangles {
        let corners = corners.map(|at| place.to_panel(at));
        if !Rect::from_points(&corners).intersects(place.rect) {
            continue;
        }
        let first = mesh.vertices.len() as u32;
        corners.into_iter().for_each(|at| mesh.colored_vertex(at, *tint));
        mesh.add_triangle(first, first + 1, first + 2);
    }
    painter.add(Shape::mesh(mesh));
}

fn people(painter: &egui::Painter, cx: &UiContext<'_>, place: MapView) {
    for (id, live) in cx.world.iter() {
        let at = place.to_panel(to_plan(live.now.position));
        if !place.rect.contains(at) {
            continue;
        }
        let tint = match live.nav {
            NavStatus::Waiting => color::WARN,
            NavStatus::Walking => color::INFO,
            NavStatus::Arrived => color::GOOD,
            NavStatus::Failed(_) => color::BAD,
            NavStatus::Off => Color32::from_gray(200),
        };
        let [radius, rim] = if cx.chosen.contains(&id) { [5.0, 2.0] } else { [3.0, 0.5] };
        // Two discs, which are squares of a texture: the outline of a circle has six times as many corners, of ten thousands.
        painter.circle_filled(at, radius + rim, Color32::BLACK);
        painter.circle_filled(at, radius, tint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::plan;
    use egui::Pos2;

    #[test]
    fn ground_that_is_not_drawn_is_known() {
        let row = ".".repeat(250);
        for (rows, is_cut) in [(100, false), (130, true)] {
            let mesh = plan(&vec![row.as_str(); rows], false).validate().unwrap();
            let mut map = Map::default();
            map.refresh(Some(&mesh));
            assert_eq!((map.triangles.len(), map.is_cut), ((rows * 500).min(MAX_TRIANGLES), is_cut));
        }
    }

    #[test]
    fn places_go_to_the_panel_and_back() {
        let rect = Rect::from_min_size(Pos2::new(10.0, 20.0), vec2(200.0, 100.0));
        let at = Vec2::new(5.5, 2.25);
        for turn in [0.0, 0.5, -2.0] {
            let place = MapView { rect, middle: Vec2::new(3.0, -4.0), scale: 7.0, turn: Vec2::from_angle(turn) };
            assert!(place.to_ground(place.to_panel(at)).abs_diff_eq(at, 1e-4));
        }
        let place = MapView { rect, middle: Vec2::new(3.0, -4.0), scale: 7.0, turn: Vec2::X };
        assert_eq!(place.to_panel(place.middle), rect.center());
    }

    #[test]
    fn everything_fits_at_first() {
        let map = Map { bounds: Some([Vec2::ZERO, Vec2::new(40.0, 10.0)]), ..Map::default() };
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(200.0, 100.0));
        let (middle, scale) = map.view(rect);
        let place = MapView { rect, middle, scale, turn: Vec2::X };
        assert!(rect.contains(place.to_panel(Vec2::ZERO)) && rect.contains(place.to_panel(Vec2::new(40.0, 10.0))));
        assert_eq!(Map::default().view(rect).0, Vec2::ZERO);
    }
}
