//! What makes the map readable: names of targets and of what is selected, a scale, and the axes.

use super::map_layers::MapView;
use crate::ids::InstanceId;
use crate::math::plan::to_plan;
use crate::scene::SceneInstance;
use crate::ui::UiContext;
use crate::ui::names;
use crate::ui::theme::color;
use crate::ui::widgets::AXIS_COLORS;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, pos2, vec2};
use glam::Vec2;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Longest bar of the scale, points.
const MAX_BAR: f32 = 140.0;
/// Distance of scale and axes from the edges, points.
const MARGIN: f32 = 14.0;
/// Length of the axes, points.
const AXIS: f32 = 22.0;
/// Most instances in view whose names are drawn.
const MAX_NAMES: usize = 60;
/// Size of the text, points.
const TEXT: f32 = 11.0;

/// Draws names, scale and axes over the map.
pub fn draw(painter: &Painter, cx: &UiContext<'_>, place: MapView) {
    names(painter, cx, place);
    scale(painter, place);
    axes(painter, place);
}

/// The length of the scale: the longest of 1, 2 and 5 times a power of ten metres that fits, with its length in points.
fn scale_length(points_per_metre: f32) -> (f32, f32) {
    let longest = MAX_BAR / points_per_metre;
    let power = 10_f32.powf(longest.log10().floor());
    let metres = [5.0, 2.0].into_iter().map(|factor| factor * power).find(|metres| *metres <= longest);
    let metres = metres.unwrap_or(power);
    (metres, metres * points_per_metre)
}

fn text(painter: &Painter, at: Pos2, align: Align2, said: &str, color: Color32) {
    let galley = painter.layout_no_wrap(said.to_owned(), FontId::proportional(TEXT), color);
    let rect = align.anchor_size(at, galley.size());
    painter.rect_filled(rect.expand(2.0), 2.0, Color32::from_black_alpha(150));
    painter.galley(rect.min, galley, color);
}

fn scale(painter: &Painter, place: MapView) {
    let (metres, points) = scale_length(place.scale);
    let left = place.rect.left_bottom() + vec2(MARGIN, -MARGIN);
    let right = left + vec2(points, 0.0);
    let stroke = Stroke::new(1.5, Color32::WHITE);
    painter.line_segment([left, right], stroke);
    for end in [left, right] {
        painter.line_segment([end - vec2(0.0, 4.0), end + vec2(0.0, 4.0)], stroke);
    }
    let said = if metres < 1.0 { format!("{:.0} cm", metres * 100.0) } else { format!("{metres:.0} m") };
    text(painter, left.lerp(right, 0.5) - vec2(0.0, 6.0), Align2::CENTER_BOTTOM, &said, Color32::WHITE);
}

/// The axes of the world as the map is turned.
fn axes(painter: &Painter, place: MapView) {
    let origin = place.rect.right_bottom() - vec2(MARGIN + AXIS, MARGIN + AXIS);
    for (axis, name, tint) in [(Vec2::X, "X", AXIS_COLORS[0]), (Vec2::Y, "Z", AXIS_COLORS[2])] {
        let along = place.turn.rotate(axis) * AXIS;
        let end = origin + vec2(along.x, along.y);
        painter.line_segment([origin, end], Stroke::new(1.5, tint));
        text(painter, end + vec2(along.x, along.y) * 0.35, Align2::CENTER_CENTER, name, tint);
    }
}

/// Of instances with their places on the ground, the first that are seen: where their names begin on the panel.
fn in_view(all: impl Iterator<Item = (InstanceId, Vec2)>, place: MapView) -> Vec<(InstanceId, Pos2)> {
    let begins = all.map(|(id, at)| (id, place.to_panel(at) + vec2(7.0, 0.0)));
    begins.filter(|(_, at)| place.rect.contains(*at)).take(MAX_NAMES).collect()
}

/// The names of what is selected, then of what can be walked to; one that would cover another is left out.
fn names(painter: &Painter, cx: &UiContext<'_>, place: MapView) {
    let chosen = cx.chosen.iter().copied();
    let is_target = |one: &(InstanceId, &Arc<SceneInstance>)| names::is_nav_target(cx.scene, one.1);
    let targets = cx.scene.instances.iter().filter(is_target).map(|(id, _)| id).filter(|id| !cx.chosen.contains(id));
    let standing = |id: InstanceId| Some((id, to_plan(cx.world.live(id)?.now.position)));
    let seen = in_view(chosen.chain(targets).filter_map(standing), place);
    let ids: BTreeSet<InstanceId> = seen.iter().map(|(id, _)| *id).collect();
    let names: BTreeMap<InstanceId, String> = names::named(cx.scene, &ids).into_iter().collect();
    let mut taken: Vec<Rect> = Vec::new();
    for (id, at) in seen {
        let Some(name) = names.get(&id) else { continue };
        let size = vec2(TEXT * 0.62 * name.chars().count() as f32, TEXT + 4.0);
        let rect = Rect::from_min_size(pos2(at.x, at.y - 0.5 * size.y), size);
        if !place.rect.contains_rect(rect) || taken.iter().any(|other| other.intersects(rect)) {
            continue;
        }
        taken.push(rect);
        let tint = if cx.chosen.contains(&id) { color::ACCENT } else { Color32::WHITE };
        text(painter, at, Align2::LEFT_CENTER, name, tint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Arena;

    #[test]
    fn names_are_those_of_what_is_in_view() {
        let (mut ids, rect) = (Arena::default(), Rect::from_min_size(Pos2::ZERO, vec2(200.0, 100.0)));
        let row: Vec<(InstanceId, Vec2)> = (0..200).map(|i| (ids.insert(()), Vec2::X * i as f32)).collect();
        let place = |metre: f32, scale: f32| MapView { rect, middle: Vec2::X * metre, scale, turn: Vec2::X };
        let seen: Vec<InstanceId> = in_view(row.iter().copied(), place(150.0, 50.0)).iter().map(|one| one.0).collect();
        assert_eq!(seen, [148, 149, 150, 151].map(|i| row[i].0), "however many come before them");
        assert_eq!(in_view(row.iter().copied(), place(100.0, 0.5)).len(), MAX_NAMES);
    }

    #[test]
    fn the_scale_is_a_round_length_that_fits() {
        for (scale, metres) in [(7.0, 20.0), (10.0, 10.0), (14.0, 10.0), (28.1, 2.0), (200.0, 0.5), (0.02, 5000.0)] {
            let (found, points) = scale_length(scale);
            assert!((found - metres).abs() < 1e-3 * metres, "{found} at {scale}");
            assert!(points <= MAX_BAR * 1.001 && points > 0.3 * MAX_BAR);
        }
    }
}
