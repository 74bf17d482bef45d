//! Draws what differs between two navigation meshes.

use super::context::OverlayContext;
use super::mesh_compare::{Comparison, DifferenceKind};
use crate::debug::{Color, DebugDraw, Layer, LineStyle, shapes};
use crate::nav::diff::LonePolygon;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::debug::{LIFT, MAX_POLYGONS, fill};
use glam::{DVec3, Vec3};

const WENT: Color = [0.85, 0.06, 0.05, 0.55];
const CAME: Color = [0.1, 0.7, 0.12, 0.55];
const RELABELLED: Color = [0.95, 0.75, 0.05, 0.5];
const SPLIT: Color = [0.8, 0.1, 0.75, 1.0];
const JOINED: Color = [0.1, 0.4, 1.0, 1.0];
const WORSE: Color = [1.0, 0.4, 0.05, 1.0];
const BETTER: Color = [0.05, 0.75, 0.75, 1.0];
const SELECTED: Color = [1.0, 0.9, 0.3, 1.0];
/// Share of the colour of polygons that are only cut otherwise.
const CUT_OTHERWISE: f32 = 0.3;

/// What the colours mean.
pub(super) const LEGEND: [(Color, &str); 7] = [
    (WENT, "Went; pale where cut otherwise"),
    (CAME, "Came; pale where cut otherwise"),
    (RELABELLED, "Other area or flags"),
    (SPLIT, "Parts of an island that split"),
    (JOINED, "Parts of an island that joined"),
    (WORSE, "Path impossible or longer"),
    (BETTER, "Path possible or shorter"),
];

/// The colour of a difference.
pub fn color_of(kind: DifferenceKind) -> Color {
    match kind {
        DifferenceKind::Split => SPLIT,
        DifferenceKind::Joined => JOINED,
        DifferenceKind::IslandWent | DifferenceKind::Went => WENT,
        DifferenceKind::IslandCame | DifferenceKind::Came => CAME,
        DifferenceKind::Impossible | DifferenceKind::Longer => WORSE,
        DifferenceKind::Possible | DifferenceKind::Shorter => BETTER,
    }
}

/// What differs.
pub(super) fn differences(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let compare = context.inspector.mesh_compare();
    let Some(Ok(comparison)) = compare.result() else { return };
    // Over the mesh's own overlay, which lies over the heights that a bake rounds.
    let lift = LIFT + Vec3::Y * (context.scene.nav.bake.cell_height + 0.03);
    draw(comparison, compare.selected(), lift, d);
}

/// Draws a comparison, so far over the ground.
fn draw(comparison: &Comparison, selected: Option<usize>, lift: Vec3, d: &mut DebugDraw) {
    polygons(comparison, lift, d);
    marks(comparison, selected, lift, d);
}

fn polygons(comparison: &Comparison, lift: Vec3, d: &mut DebugDraw) {
    let [before, after] = &comparison.meshes;
    let diff = &comparison.diff;
    lone(before, &diff.went, WENT, lift, d);
    lone(after, &diff.came, CAME, lift, d);
    for change in diff.relabelled.iter().take(MAX_POLYGONS) {
        outlined(after, change.polygons[1], RELABELLED, lift, d);
    }
}

fn lone(mesh: &NavMesh, polygons: &[LonePolygon], color: Color, lift: Vec3, d: &mut DebugDraw) {
    for polygon in polygons.iter().take(MAX_POLYGONS) {
        let [r, g, b, a] = color;
        let share = if polygon.bare_m2 > 0.0 { 1.0 } else { CUT_OTHERWISE };
        outlined(mesh, polygon.polygon, [r, g, b, a * share], lift, d);
    }
}

fn outlined(mesh: &NavMesh, number: u32, color: Color, lift: Vec3, d: &mut DebugDraw) {
    let Some(id) = mesh.from_source(number) else { return };
    fill(d, Layer::MeshDifferences, mesh, id, lift, color);
    let corners = mesh.corners_of(id);
    let at = |k: usize| mesh.world(corners[k % corners.len()]).as_vec3() + lift;
    let [r, g, b, a] = color;
    for k in 0..corners.len() {
        d.line(Layer::MeshDifferences, at(k), at(k + 1), [r, g, b, (a * 1.6).min(1.0)]);
    }
}

/// Pins and lines of islands and paths, and of what is looked at.
fn marks(comparison: &Comparison, selected: Option<usize>, lift: Vec3, d: &mut DebugDraw) {
    let lifted = |p: DVec3| p.as_vec3() + lift;
    for (number, difference) in comparison.differences.iter().enumerate() {
        let is_selected = selected == Some(number);
        let is_polygon = matches!(difference.kind, DifferenceKind::Went | DifferenceKind::Came);
        if is_polygon && !is_selected {
            continue;
        }
        let color = if is_selected { SELECTED } else { color_of(difference.kind) };
        let ends = difference.lines.iter().flatten().copied();
        let pins: Vec<DVec3> = if difference.lines.is_empty() { vec![difference.at] } else { ends.collect() };
        for place in pins {
            let [r, g, b, _] = color;
            shapes::pin(d, Layer::MeshDifferences, lifted(place), 1.0, [r, g, b, 1.0]);
        }
        let style = LineStyle { width: if is_selected { 5.0 } else { 3.0 }, ..LineStyle::default() };
        for [a, b] in &difference.lines {
            d.styled_line(Layer::MeshDifferences, [lifted(*a), lifted(*b)], color, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::NavMesh;
    use crate::nav::mesh::fixture::plan;
    use std::sync::Arc;

    #[test]
    fn polygons_islands_and_paths_are_drawn_in_their_colours() {
        let mesh = |rows: &[&str]| -> Arc<NavMesh> { Arc::new(plan(rows, true).validate().unwrap()) };
        let meshes = [mesh(&["......", "......"]), mesh(&["..#...", "..#..."])];
        let comparison = Comparison::between(meshes.clone());
        let drawn = |comparison: &Comparison, selected: Option<usize>| {
            let mut d = DebugDraw::wanting([Layer::MeshDifferences]);
            draw(comparison, selected, LIFT, &mut d);
            d
        };
        let d = drawn(&comparison, None);
        let filled = |d: &DebugDraw, color: Color| d.triangles.iter().filter(|t| t.color == color).count();
        assert_eq!((filled(&d, WENT), filled(&d, CAME)), (4, 0), "two squares of two triangles each");
        let lines =
            |d: &DebugDraw, color: Color| d.lines.iter().any(|line| line.color == color && line.style.width > 2.5);
        let shown = [SPLIT, WORSE, JOINED, BETTER].map(|color| lines(&d, color));
        assert_eq!(shown, [true, true, false, false], "{:?}", comparison.differences);
        let d = drawn(&comparison, Some(0));
        assert!(lines(&d, SELECTED) && !lines(&d, SPLIT), "the one that is looked at stands out");
        let [before, after] = meshes;
        let d = drawn(&Comparison::between([after, before.clone()]), None);
        assert!(filled(&d, CAME) == 4 && lines(&d, JOINED) && lines(&d, BETTER));
        let d = drawn(&Comparison::between([before.clone(), before]), None);
        assert!(d.triangles.is_empty() && d.lines.is_empty());
    }
}
