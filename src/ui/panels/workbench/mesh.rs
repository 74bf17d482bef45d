//! Where the navigation mesh comes from, how it stands, and by which planner characters walk on it.

use crate::debug::Layer;
use crate::nav::exchange::MeshPlacement;
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::debug::MeshColoring;
use crate::nav::planner::Planner;
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use crate::sim::nav_mesh::BuiltMesh;
use crate::ui::choices::{choice_row, is_taken};
use crate::ui::command::{Command, Purpose};
use crate::ui::theme::{color, ink};
use crate::ui::widgets::form;
use crate::ui::widgets::{drag, toggle, value_or};
use crate::ui::{UiContext, edit_rows, edits};
use crate::vocab::counted;
use egui::{ComboBox, Label, ProgressBar, RichText, Ui};
use std::collections::BTreeSet;

/// Help of the button that saves the mesh.
const SAVE_HELP: &str =
    "Save the mesh with its off-mesh links: for Walkabout, Recast and Detour, Unity, Godot, or as JSON, OBJ or glTF.";

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    super::agent::show(ui, cx, out);
    ui.add_space(4.0);
    form(ui, "mesh-source", |ui| {
        ui.label("Source").on_hover_text("Where the navigation mesh comes from.");
        source(ui, nav, out);
        ui.end_row();
        if matches!(nav.mesh, MeshSource::File(_)) {
            ui.label("Axes and unit")
                .on_hover_text("How the file is turned and scaled, on top of what its format says.");
            ui.horizontal(|ui| placement(ui, nav, out));
            ui.end_row();
        }
        let name = ui.label("Planner").on_hover_text("The planner that finds the paths of this scene's characters.");
        let mut to = nav.clone();
        if super::parts::planner_choice(ui, ("scene-planner", name.id), &mut to.planner) {
            let name = format!("let characters walk by {}", to.planner.label());
            out.push(edits::set_nav(name, "planner", to));
        }
        ui.end_row();
        if nav.planner == Planner::Centers {
            let mut to = nav.clone();
            if super::parts::search_rows(ui, ["Search", "Estimate"], &mut to.search) {
                let name = format!("let characters search by {}", to.search.label());
                out.push(edits::set_nav(name, "search", to));
            }
        }
        if nav.planner.is_exact() {
            let mut rows = edit_rows::of_nav(ui, nav, out);
            super::parts::along_surface(&mut rows, "along-surface", |to| &mut to.along_surface);
        }
        coloring(ui, cx, out);
    });
    ui.horizontal(|ui| {
        let there = cx.world.mesh().built().is_some();
        let save = ui.add_enabled(there, egui::Button::new("Save mesh…")).on_hover_text(SAVE_HELP);
        if save.on_disabled_hover_text("There is no mesh yet.").clicked() {
            out.push(Command::Ask(Purpose::SaveMesh));
        }
        progress(ui, cx, out);
    });
    standing(ui, cx);
}

fn source(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    let label = |source: &MeshSource| match source {
        MeshSource::Baked => "Baked from the level".to_owned(),
        MeshSource::Triangles => "Level's triangles".to_owned(),
        MeshSource::Level => "Mesh inside the level".to_owned(),
        MeshSource::File(file) => file.rsplit('/').next().unwrap_or(file).to_owned(),
    };
    let mut mesh = nav.mesh.clone();
    let combo = ComboBox::from_id_salt("mesh-source").selected_text(label(&mesh)).width(160.0).truncate();
    let mut ask = false;
    combo.show_ui(ui, |ui| {
        for one in [MeshSource::Triangles, MeshSource::Baked, MeshSource::Level] {
            let text = label(&one);
            choice_row(ui, &mut mesh, one, text);
        }
        if let MeshSource::File(file) = &nav.mesh {
            choice_row(ui, &mut mesh, nav.mesh.clone(), label(&nav.mesh)).on_hover_text(file);
        }
        let row = ui.selectable_label(false, "File…");
        ask = is_taken(ui, &row, false);
    });
    if ask {
        out.push(Command::Ask(Purpose::Mesh));
    }
    if mesh != nav.mesh {
        let name = format!("take the mesh: {}", label(&mesh).to_lowercase());
        if mesh == MeshSource::Baked {
            out.push(Command::Overlay(Layer::NavMesh, true));
        }
        out.push(edits::set_nav(name, "mesh", SceneNav { mesh, ..nav.clone() }));
    }
}

/// The axes of a file that are right, up and towards the viewer.
const AXES: [[&str; 2]; 4] =
    [["x,y,z", "Y up"], ["x,z,-y", "Z up"], ["x,y,-z", "Y up, mirrored"], ["-x,z,-y", "Z up, mirrored"]];

/// How the mesh of a file is turned and scaled.
fn placement(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    let mut to = nav.mesh_placement;
    let axes = to.axes.to_string();
    let label = AXES.iter().find(|[known, _]| *known == axes).map_or(axes.as_str(), |&[_, label]| label);
    ComboBox::from_id_salt("mesh-axes").selected_text(label).width(100.0).show_ui(ui, |ui| {
        for [axes, label] in AXES {
            if let Ok(axes) = axes.parse() {
                choice_row(ui, &mut to.axes, axes, label);
            }
        }
    });
    let [low, high] = MeshPlacement::SCALES;
    let usual = MeshPlacement::default().scale;
    let help = "Metres to the unit of the file.";
    value_or(ui, "Unit", help, (&mut to.scale, usual), drag(low..=high, 0.001, " m").decimals(6));
    if to != nav.mesh_placement {
        out.push(edits::set_nav(
            "place the mesh's file",
            "mesh-placement",
            SceneNav { mesh_placement: to, ..nav.clone() },
        ));
    }
}

/// Whether the mesh is shown, and what its colours mean.
fn coloring(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    ui.label("Shown by").on_hover_text("What the colours of the mesh mean; the legend is in the viewport.");
    ui.horizontal(|ui| {
        let is_shown = cx.overlays.contains(&Layer::NavMesh);
        for coloring in MeshColoring::ALL {
            let is_on = is_shown && cx.inspector.legend().coloring() == coloring;
            if toggle(ui, is_on, coloring.label()).on_hover_text(coloring.help()).clicked() {
                // A second click hides the mesh.
                out.push(if is_on { Command::Overlay(Layer::NavMesh, false) } else { Command::ColorMesh(coloring) });
            }
        }
    });
    ui.end_row();
}

/// Height of the bar that shows how far a bake is, points.
const BAR_HEIGHT: f32 = 18.0;

/// How far a bake is, in the rest of a row that is there in any case: nothing jumps away under the cursor.
fn progress(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let state = cx.world.mesh();
    if state.is_building() {
        let is_baked = cx.scene.nav.mesh == MeshSource::Baked;
        if is_baked && ui.button("Cancel").on_hover_text("Stop; the mesh from before stays.").clicked() {
            out.push(Command::CancelBake);
        }
        let (step, share) = state.progress().map_or(("Starting", 0.0), |(step, share)| (step.label(), share));
        let bar = ProgressBar::new(share).text(step).desired_height(BAR_HEIGHT).desired_width(ui.available_width());
        ui.add(bar).on_hover_text("Change any setting to cancel this bake and begin another.");
    }
}

/// Error or counts.
fn standing(ui: &mut Ui, cx: &UiContext<'_>) {
    let state = cx.world.mesh();
    if cx.scene.levels.is_empty() && !matches!(cx.scene.nav.mesh, MeshSource::File(_)) {
        let said = "The mesh comes as soon as there is a level.";
        ui.add(Label::new(RichText::new(said).weak()).wrap());
        return;
    }
    if let Some(error) = state.error() {
        ui.add(Label::new(RichText::new(error.to_string()).color(ink(ui, color::BAD))).wrap());
    }
    if let Some(built) = state.built() {
        counts(ui, built, state.current().unwrap_or(&built.mesh));
    }
}

/// Polygons and islands of a mesh with obstacles: counted when it has changed, and not in every frame.
fn live_counts(ui: &Ui, mesh: &NavMesh) -> (usize, usize) {
    let slot = egui::Id::new("live counts");
    let known: Option<(u64, (usize, usize))> = ui.data(|data| data.get_temp(slot));
    if let Some((_, counts)) = known.filter(|(of, _)| *of == mesh.id()) {
        return counts;
    }
    let islands: BTreeSet<u32> = mesh.live_polygons().map(|id| mesh.polygon(id).island).collect();
    let counts = (mesh.live_polygons().count(), islands.len());
    ui.data_mut(|data| data.insert_temp(slot, (mesh.id(), counts)));
    counts
}

/// What the mesh consists of, with the obstacles that stand on it.
fn counts(ui: &mut Ui, built: &BuiltMesh, mesh: &NavMesh) {
    let (polygons, islands) = match mesh.id() == built.mesh.id() {
        true => (mesh.len(), mesh.island_count() as usize),
        false => live_counts(ui, mesh),
    };
    let (polygons, islands) = (counted(polygons, "polygon"), counted(islands, "island"));
    let said = format!("{polygons}, {islands}, {}", counted(built.links.all().len(), "link"));
    let help = "Polygons of the mesh, islands between which no edge leads, and off-mesh links.";
    ui.add(Label::new(said).wrap()).on_hover_text(help);
    if let Some(format) = &built.format {
        ui.add(Label::new(RichText::new(format).weak()).wrap()).on_hover_text("The format of the mesh's file.");
    }
    if let Some(values) = built.raw.as_ref().and_then(|raw| raw.values.as_ref()) {
        let agent = values.agent;
        let said = format!(
            "Made for agents {:.2} m tall, of {:.2} m radius, that climb {:.2} m",
            agent.height, agent.radius, agent.climb
        );
        let help = "What the mesh's file says; the agents above are those of bakes and of the doctor.";
        ui.add(Label::new(RichText::new(said).weak()).wrap()).on_hover_text(help);
    }
    let Some(baked) = &built.baked else { return };
    let title = format!("Build log: {:.1} ms", baked.total_ms());
    egui::CollapsingHeader::new(title).id_salt("build-log").show(ui, |ui| {
        let (triangles, regions) = (counted(baked.triangles, "triangle"), counted(baked.regions as usize, "region"));
        let said = format!("{triangles}, {} spans in {} columns, {regions}", baked.spans, baked.cells);
        ui.add(Label::new(said).wrap());
        let most = baked.log.iter().map(|(_, ms)| *ms).fold(1e-6, f32::max);
        egui::Grid::new("build-log-grid").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
            for (step, ms) in &baked.log {
                ui.label(step.label());
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.monospace(format!("{ms:.2} ms"));
                });
                let (rect, _) = ui.allocate_exact_size(egui::vec2(60.0, 10.0), egui::Sense::hover());
                let filled = egui::Rect::from_min_size(rect.min, egui::vec2(rect.width() * ms / most, 10.0));
                ui.painter().rect_filled(filled, 2.0, color::INFO);
                ui.end_row();
            }
        });
    });
}
