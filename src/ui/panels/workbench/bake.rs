//! The settings of a bake beside its agent, with units and ranges; each change bakes anew.

use crate::nav::bake::{BakeSettings, Partition, SpanMerge};
use crate::nav::mesh::off_mesh::LinkSettings;
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::widgets::{Drag, drag, value_or};
use crate::ui::{UiContext, edits};
use egui::{ComboBox, RichText, Ui};

/// Most cells of an agent's height.
pub(super) const MAX_HEIGHT_CELLS: f64 = 4096.0;
/// Most cells of an agent's radius.
pub(super) const MAX_RADIUS_CELLS: f64 = 120.0;

/// A row of the form: label, help, how the value is shown and where it lies.
struct BakeField {
    label: &'static str,
    help: &'static str,
    range: [f32; 2],
    speed: f32,
    suffix: &'static str,
    of: fn(&mut BakeSettings) -> &mut f32,
}

const fn metres(
    label: &'static str,
    range: [f32; 2],
    of: fn(&mut BakeSettings) -> &mut f32,
    help: &'static str,
) -> BakeField {
    BakeField { label, help, range, speed: 0.01, suffix: " m", of }
}

const VOXELS: &[BakeField] = &[
    metres(
        "Cell size",
        [0.02, 10.0],
        |s| &mut s.cell_size,
        "Edge of a voxel seen from above. Smaller: exacter, slower.",
    ),
    metres("Cell height", [0.01, 10.0], |s| &mut s.cell_height, "Height of a voxel."),
];

const SHAPE: &[BakeField] = &[
    metres("Edge length", [0.0, 200.0], |s| &mut s.edge_length, "Longest edge along a wall; 0 for no limit."),
    BakeField {
        label: "Edge error",
        help: "How far a simplified outline may leave that of the voxels, in cells.",
        range: [0.0, 20.0],
        speed: 0.02,
        suffix: " cells",
        of: |s| &mut s.edge_error_cells,
    },
    BakeField {
        label: "Height samples",
        help: "Spacing of the height samples in cells; below 0.9 none are taken.",
        range: [0.0, 100.0],
        speed: 0.1,
        suffix: " cells",
        of: |s| &mut s.detail_distance_cells,
    },
    BakeField {
        label: "Height error",
        help: "How far the heights may leave the voxels' surface, in cell heights.",
        range: [0.0, 50.0],
        speed: 0.05,
        suffix: " cells",
        of: |s| &mut s.detail_error_cells,
    },
];

/// A whole number of this range.
fn whole(range: std::ops::RangeInclusive<u32>) -> Drag {
    drag(f64::from(*range.start())..=f64::from(*range.end()), 0.1, "")
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    if nav.mesh != MeshSource::Baked {
        ui.add(egui::Label::new(RichText::new("These count for meshes that are baked from the level.").weak()).wrap());
    }
    let default = SceneNav::default().bake;
    let mut form = Form { to: nav.bake.clone(), default, changed: None };
    form.group(ui, "Voxels", |form, ui| form.rows(ui, VOXELS));
    form.group(ui, "Regions", Form::regions);
    form.group(ui, "Polygons", |form, ui| {
        form.rows(ui, SHAPE);
        form.whole(ui, "Corners", "Most corners of a polygon.", whole(3..=12), |s| &mut s.corners);
    });
    form.switches(ui);
    form.links(ui);
    ui.horizontal_wrapped(|ui| {
        if ui.button("Reset all").on_hover_text("All settings as by default; what was placed stays.").clicked() {
            let BakeSettings { volumes, seeds, placed_links, .. } = form.to.clone();
            form.to = BakeSettings { volumes, seeds, placed_links, ..form.default.clone() };
            form.changed = Some("bake settings");
        }
    });
    keep_possible(&mut form.to);
    if let Some(what) = form.changed.filter(|_| form.to != nav.bake) {
        let to = SceneNav { bake: form.to, ..nav.clone() };
        out.push(edits::set_nav(format!("change {}", what.to_lowercase()), what, to));
    }
}

/// Settings depend on one another: what was not changed follows.
pub(super) fn keep_possible(to: &mut BakeSettings) {
    to.agent_height = to.agent_height.clamp(to.cell_height, to.cell_height * MAX_HEIGHT_CELLS as f32);
    to.agent_climb = to.agent_climb.min(to.agent_height - to.cell_height * 0.01);
    to.agent_radius = to.agent_radius.min(to.cell_size * MAX_RADIUS_CELLS as f32);
}

/// The settings while they are edited.
struct Form {
    to: BakeSettings,
    default: BakeSettings,
    changed: Option<&'static str>,
}

impl Form {
    fn group(&mut self, ui: &mut Ui, title: &'static str, body: impl FnOnce(&mut Self, &mut Ui)) {
        ui.weak(title);
        let grid = egui::Grid::new(title).num_columns(3).min_col_width(20.0).spacing([8.0, 5.0]);
        grid.show(ui, |ui| body(self, ui));
        ui.add_space(4.0);
    }

    /// The end of a row: back to the default.
    fn reset(&mut self, ui: &mut Ui, label: &'static str, same: bool, back: impl FnOnce(&mut Self)) {
        if !same && ui.small_button("⟲").on_hover_text("Back to the default").clicked() {
            back(self);
            self.changed = Some(label);
        }
        ui.end_row();
    }

    fn name(ui: &mut Ui, label: &str, help: &str) -> egui::Response {
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(egui::vec2(104.0, 20.0), layout, |ui| {
            ui.set_min_width(104.0);
            ui.label(label).on_hover_text(help)
        })
        .inner
    }

    fn rows(&mut self, ui: &mut Ui, rows: &[BakeField]) {
        for row in rows {
            let name = Self::name(ui, row.label, row.help);
            let [low, high] = row.range;
            let value = (row.of)(&mut self.to);
            let field = drag(f64::from(low)..=f64::from(high), f64::from(row.speed), row.suffix).decimals(3);
            if ui.horizontal(|ui| field.show(ui, value, row.help)).inner.labelled_by(name.id).changed() {
                self.changed = Some(row.label);
            }
            let default = *(row.of)(&mut self.default);
            let same = (*(row.of)(&mut self.to) - default).abs() < 1e-6;
            self.reset(ui, row.label, same, |form| *(row.of)(&mut form.to) = default);
        }
    }

    fn whole(
        &mut self,
        ui: &mut Ui,
        label: &'static str,
        help: &str,
        field: Drag,
        of: fn(&mut BakeSettings) -> &mut u32,
    ) {
        let name = Self::name(ui, label, help);
        let value = of(&mut self.to);
        if ui.horizontal(|ui| field.show(ui, value, help)).inner.labelled_by(name.id).changed() {
            self.changed = Some(label);
        }
        let default = *of(&mut self.default);
        let same = *of(&mut self.to) == default;
        self.reset(ui, label, same, |form| *of(&mut form.to) = default);
    }

    fn regions(&mut self, ui: &mut Ui) {
        Self::name(ui, "Partition", "How the walkable surface is cut into regions.");
        let kinds = [
            (Partition::Watershed, "Watershed", "The fewest and roundest polygons."),
            (Partition::Monotone, "Monotone", "The fastest; long thin polygons."),
            (Partition::Layers, "Layers", "Swept, then joined; good for small tiles."),
        ];
        let (before, default) = (self.to.partition, self.default.partition);
        let label = |kind| kinds.iter().find(|k| k.0 == kind).map_or("", |k| k.1);
        ComboBox::from_id_salt("partition").selected_text(label(before)).width(110.0).show_ui(ui, |ui| {
            for (kind, label, help) in kinds {
                choice_row(ui, &mut self.to.partition, kind, label).on_hover_text(help);
            }
        });
        if self.to.partition != before {
            self.changed = Some("Partition");
        }
        let same = self.to.partition == default;
        self.reset(ui, "Partition", same, |form| form.to.partition = default);
        let help = "Regions smaller than a square of so many cells vanish.";
        self.whole(ui, "Least size", help, whole(0..=200), |s| &mut s.region_min_cells);
        let help = "Regions smaller than a square of so many cells are joined with a neighbour.";
        self.whole(ui, "Join below", help, whole(0..=400), |s| &mut s.region_merge_cells);
        let help = "Edge of the tiles that are made on all cores, in cells; 0 for one tile, else 8 or more.";
        self.whole(ui, "Tile edge", help, whole(0..=4096).zero_or(8.0), |s| &mut s.tile_cells);
        if (1..8).contains(&self.to.tile_cells) {
            self.to.tile_cells = 8;
        }
    }

    fn switches(&mut self, ui: &mut Ui) {
        ui.weak("Filters");
        let mut changed = false;
        let mut one = |ui: &mut Ui, value: &mut bool, label: &str, help: &str| {
            changed |= ui.checkbox(value, label).on_hover_text(help).changed();
        };
        let to = &mut self.to;
        let help = "Walk over lumps lower than a step.";
        one(ui, &mut to.filter_low_obstacles, "Low obstacles", help);
        one(ui, &mut to.filter_ledges, "Ledges", "Keep off the brink of drops.");
        one(ui, &mut to.filter_low_ceilings, "Low ceilings", "Keep off ground without room to stand.");
        let mut higher = to.span_merge == SpanMerge::Higher;
        one(ui, &mut higher, "Higher surface wins", "Where two surfaces meet within a step: else the larger area.");
        to.span_merge = if higher { SpanMerge::Higher } else { SpanMerge::LargerArea };
        if changed {
            self.changed = Some("Filters");
        }
        ui.add_space(4.0);
    }

    /// Jumps and drops that are found by themselves.
    fn links(&mut self, ui: &mut Ui) {
        ui.weak("Links");
        let mut on = self.to.links.is_some();
        let help = "Look for gaps to leap over and ledges to drop from.";
        if ui.checkbox(&mut on, "Find jumps and drops").on_hover_text(help).changed() {
            self.to.links = on.then(LinkSettings::default);
            self.changed = Some("Automatic links");
        }
        let Some(links) = &mut self.to.links else { return };
        let usual = LinkSettings::default();
        let rows = [
            ("Widest gap", "Widest leap, from mesh to mesh seen from above.", (&mut links.max_gap, usual.max_gap)),
            ("Highest rise", "Highest ground that a leap can reach.", (&mut links.max_rise, usual.max_rise)),
            ("Deepest drop", "Deepest fall.", (&mut links.max_drop, usual.max_drop)),
        ];
        let mut changed = false;
        egui::Grid::new("auto-links").num_columns(2).spacing([8.0, 5.0]).show(ui, |ui| {
            for (label, help, value) in rows {
                let name = Self::name(ui, label, help);
                let field = drag(0.0..=50.0, 0.02, " m").decimals(2);
                let row = ui.horizontal(|ui| value_or(ui, label, help, value, field));
                changed |= row.inner.labelled_by(name.id).changed();
                ui.end_row();
            }
        });
        if changed {
            self.changed = Some("Automatic links");
        }
    }
}
