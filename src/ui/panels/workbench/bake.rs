//! The settings of a bake beside its agent, with units and ranges; each change bakes anew.

use crate::nav::bake::{BakeSettings, Partition, SpanMerge};
use crate::nav::mesh::off_mesh::LinkSettings;
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::widgets::{Drag, drag, number_or, reset};
use crate::ui::{UiContext, edits};
use egui::{ComboBox, RichText, Ui};

/// Most cells of an agent's height.
pub(super) const MAX_HEIGHT_CELLS: f64 = 4096.0;
/// Most cells of an agent's radius.
pub(super) const MAX_RADIUS_CELLS: f64 = 120.0;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    if nav.mesh != MeshSource::Baked {
        ui.add(egui::Label::new(RichText::new("These count for meshes that are baked from the level.").weak()).wrap());
    }
    group(ui, "Voxels", |ui| voxels(&mut edit_rows::of_bake(ui, nav, keep_possible, out)));
    group(ui, "Regions", |ui| regions(&mut edit_rows::of_bake(ui, nav, keep_possible, out)));
    group(ui, "Polygons", |ui| polygons(&mut edit_rows::of_bake(ui, nav, keep_possible, out)));
    switches(&mut edit_rows::of_bake(ui, nav, keep_possible, out));
    links(&mut edit_rows::of_bake(ui, nav, keep_possible, out));
    ui.horizontal_wrapped(|ui| {
        if ui.button("Reset all").on_hover_text("All settings as by default; what was placed stays.").clicked() {
            let BakeSettings { volumes, seeds, placed_links, .. } = nav.bake.clone();
            let bake = BakeSettings { volumes, seeds, placed_links, ..SceneNav::default().bake };
            out.push(edits::set_nav("change bake settings", "bake settings", SceneNav { bake, ..nav.clone() }));
        }
    });
}

/// Settings depend on one another: what was not changed follows.
pub(super) fn keep_possible(to: &mut BakeSettings) {
    to.agent_height = to.agent_height.clamp(to.cell_height, to.cell_height * MAX_HEIGHT_CELLS as f32);
    to.agent_climb = to.agent_climb.min(to.agent_height - to.cell_height * 0.01);
    to.agent_radius = to.agent_radius.min(to.cell_size * MAX_RADIUS_CELLS as f32);
    if (1..8).contains(&to.tile_cells) {
        to.tile_cells = 8;
    }
}

/// Rows below a title, whose values stand below each other.
fn group(ui: &mut Ui, title: &str, body: impl FnOnce(&mut Ui)) {
    ui.weak(title);
    egui::Grid::new(title).num_columns(2).min_col_width(104.0).spacing([8.0, 5.0]).show(ui, body);
    ui.add_space(4.0);
}

/// The settings while they are edited.
type BakeRows<'a> = EditRows<'a, BakeSettings>;

fn voxels(rows: &mut BakeRows<'_>) {
    let metres = |low: f64| drag(low..=10.0, 0.01, " m").decimals(3);
    rows.row("Cell size", "Edge of a voxel seen from above. Smaller: exacter, slower.")
        .number(metres(0.02), |to| &mut to.cell_size);
    rows.row("Cell height", "Height of a voxel.").number(metres(0.01), |to| &mut to.cell_height);
}

/// A whole number of this range.
fn whole(range: std::ops::RangeInclusive<u32>) -> Drag {
    drag(f64::from(*range.start())..=f64::from(*range.end()), 0.1, "")
}

fn regions(rows: &mut BakeRows<'_>) {
    partition(rows);
    rows.row("Least size", "Regions smaller than a square of so many cells vanish.")
        .number(whole(0..=200), |to| &mut to.region_min_cells);
    rows.row("Join below", "Regions smaller than a square of so many cells are joined with a neighbour.")
        .number(whole(0..=400), |to| &mut to.region_merge_cells);
    rows.row("Tile edge", "Edge of the tiles that are made on all cores, in cells; 0 for one tile, else 8 or more.")
        .number(whole(0..=4096).zero_or(8.0), |to| &mut to.tile_cells);
}

fn partition(rows: &mut BakeRows<'_>) {
    let name = rows.ui.label("Partition").on_hover_text("How the walkable surface is cut into regions.");
    let kinds = [
        (Partition::Watershed, "Watershed", "The fewest and roundest polygons."),
        (Partition::Monotone, "Monotone", "The fastest; long thin polygons."),
        (Partition::Layers, "Layers", "Swept, then joined; good for small tiles."),
    ];
    let before = rows.to.partition;
    let mut chosen = before;
    let label = kinds.iter().find(|kind| kind.0 == before).map_or("", |kind| kind.1);
    rows.ui.horizontal(|ui| {
        let list = ComboBox::from_id_salt("partition").selected_text(label).width(110.0).show_ui(ui, |ui| {
            for (kind, label, help) in kinds {
                choice_row(ui, &mut chosen, kind, label).on_hover_text(help);
            }
        });
        reset(ui, "Partition", &mut chosen, SceneNav::default().bake.partition, list.response.labelled_by(name.id));
    });
    rows.ui.end_row();
    if chosen != before {
        rows.ask("change partition", "Partition", |to| to.partition = chosen);
    }
}

fn polygons(rows: &mut BakeRows<'_>) {
    let cells = |most: f64, speed: f64| drag(0.0..=most, speed, " cells").decimals(3);
    rows.row("Edge length", "Longest edge along a wall; 0 for no limit.")
        .number(drag(0.0..=200.0, 0.01, " m").decimals(3), |to| &mut to.edge_length);
    rows.row("Edge error", "How far a simplified outline may leave that of the voxels, in cells.")
        .number(cells(20.0, 0.02), |to| &mut to.edge_error_cells);
    rows.row("Height samples", "Spacing of the height samples in cells; below 0.9 none are taken.")
        .number(cells(100.0, 0.1), |to| &mut to.detail_distance_cells);
    rows.row("Height error", "How far the heights may leave the voxels' surface, in cell heights.")
        .number(cells(50.0, 0.05), |to| &mut to.detail_error_cells);
    rows.row("Corners", "Most corners of a polygon.").number(whole(3..=12), |to| &mut to.corners);
}

fn switches(rows: &mut BakeRows<'_>) {
    rows.ui.weak("Filters");
    let mut to = rows.to.clone();
    let mut changed = false;
    let mut one = |value: &mut bool, label: &str, help: &str| {
        changed |= rows.ui.checkbox(value, label).on_hover_text(help).changed();
    };
    one(&mut to.filter_low_obstacles, "Low obstacles", "Walk over lumps lower than a step.");
    one(&mut to.filter_ledges, "Ledges", "Keep off the brink of drops.");
    one(&mut to.filter_low_ceilings, "Low ceilings", "Keep off ground without room to stand.");
    let mut higher = to.span_merge == SpanMerge::Higher;
    one(&mut higher, "Higher surface wins", "Where two surfaces meet within a step: else the larger area.");
    to.span_merge = if higher { SpanMerge::Higher } else { SpanMerge::LargerArea };
    if changed {
        rows.ask("change filters", "Filters", |now| now.clone_from(&to));
    }
    rows.ui.add_space(4.0);
}

/// Jumps and drops that are found by themselves.
fn links(rows: &mut BakeRows<'_>) {
    rows.ui.weak("Links");
    let before = rows.to.links.clone();
    let mut to = before.clone();
    let mut on = to.is_some();
    let help = "Look for gaps to leap over and ledges to drop from.";
    if rows.ui.checkbox(&mut on, "Find jumps and drops").on_hover_text(help).changed() {
        to = on.then(LinkSettings::default);
    }
    if let Some(links) = &mut to {
        let usual = LinkSettings::default();
        egui::Grid::new("auto-links").num_columns(2).min_col_width(104.0).spacing([8.0, 5.0]).show(rows.ui, |ui| {
            let metres = drag(0.0..=50.0, 0.02, " m").decimals(2);
            let help = "Widest leap, from mesh to mesh seen from above.";
            number_or(ui, "Widest gap", help, (&mut links.max_gap, usual.max_gap), metres);
            let help = "Highest ground that a leap can reach.";
            number_or(ui, "Highest rise", help, (&mut links.max_rise, usual.max_rise), metres);
            number_or(ui, "Deepest drop", "Deepest fall.", (&mut links.max_drop, usual.max_drop), metres);
        });
    }
    if to != before {
        rows.ask("change automatic links", "Automatic links", |now| now.links.clone_from(&to));
    }
}
