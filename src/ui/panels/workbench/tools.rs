//! The tool buttons, and what the next thing that is placed looks like.

use crate::inspect::overlays;
use crate::nav::bake::VolumeShape;
use crate::nav::mesh::off_mesh::LinkKind;
use crate::scene::SceneNav;
use crate::scene::limits::MAX_AREAS;
use crate::scene::nav::{AreaRule, Mark, ObstacleShape};
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::edit_rows;
use crate::ui::nav_tools::{BRUSH, COLUMN, NavTools, OBSTACLE, POOL, SUNK, TOOLS, Tool, ToolInfo, VOLUME, answer};
use crate::ui::widgets::{drag, form, number_or, switch, toggle};
use crate::ui::{UiContext, UiState, edits};
use crate::vocab::counted;
use egui::{Button, RichText, Ui};
use glam::Vec3;

/// Help of the height of a volume with an outline.
const HEIGHT_OF_OUTLINE: &str = "Size upwards, from half a metre below the lowest corner.";

/// Least width of the panel at which four tools stand in a row, points.
const FOUR_COLUMNS: f32 = 268.0;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    let nav_tools = &mut state.nav_tools;
    let spacing = ui.spacing().item_spacing.x;
    let columns = if ui.available_width() >= FOUR_COLUMNS { 4 } else { 3 };
    let width = ((ui.available_width() - (columns - 1) as f32 * spacing) / columns as f32).floor();
    for row in TOOLS.chunks(columns) {
        ui.horizontal(|ui| {
            for info in row {
                let button =
                    Button::new(info.label).selected(nav_tools.tool == info.tool).min_size(egui::vec2(width, 24.0));
                let help = format!("{} {}.", info.help, info.hint);
                if ui.add_sized([width, 24.0], button).on_hover_text(help).clicked() {
                    nav_tools.choose(info.tool);
                }
            }
        });
    }
    let Some(info) = nav_tools.tool.info() else {
        ui.add(egui::Label::new(RichText::new("Choose a tool, then click into the viewport.").weak()).wrap());
        return;
    };
    ui.add_space(2.0);
    ui.add(egui::Label::new(RichText::new(format!("{}. Esc: done.", info.hint)).weak()).wrap());
    options(ui, cx, nav_tools, out);
    shown(ui, cx, info, out);
}

/// The overlays that the tool shows as long as it is chosen.
fn shown(ui: &mut Ui, cx: &UiContext<'_>, info: &ToolInfo, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        ui.weak("Shows").on_hover_text("What the tool shows; it goes with the tool.");
        for overlay in info.overlays.iter().filter_map(|layer| overlays::of(*layer)) {
            let mut on = cx.overlays.contains(&overlay.layer);
            if ui.checkbox(&mut on, overlay.label).on_hover_text(overlay.help).changed() {
                out.push(Command::Overlay(overlay.layer, on));
            }
        }
    });
}

fn options(ui: &mut Ui, cx: &UiContext<'_>, nav_tools: &mut NavTools, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    match nav_tools.tool {
        Tool::Obstacle => obstacle(ui, nav_tools),
        Tool::Volume => {
            volume(ui, nav_tools);
            if let Some(area) = nav_tools.area {
                area_rule(ui, nav, area, out);
            }
        }
        Tool::Link => {
            form(ui, "next-link", |ui| {
                let kind = &mut nav_tools.link_kind;
                let label = ui.label("Taken by").on_hover_text("How the next off-mesh link is taken.");
                link_kind(ui, "next-link-kind", kind).labelled_by(label.id);
                ui.end_row();
                let help = "Whether the next off-mesh link leads back too.";
                if *kind != LinkKind::Drop {
                    switch(ui, "Both ways", help, (&mut nav_tools.both_ways, true));
                }
            });
        }
        Tool::Random => random(ui, nav, out),
        Tool::Raycast | Tool::Wall => {
            if let Some(found) = answer::of_tool(nav_tools.tool, cx.inspector.query(), &cx.scene.nav.probe) {
                ui.label(found);
            }
        }
        Tool::Threat => bias(ui, nav, out),
        Tool::Crowd => crowd(ui, cx, nav_tools),
        Tool::Tile => super::tiles::show(ui, cx, nav_tools, out),
        Tool::Block => block(ui, nav, nav_tools, out),
        Tool::Destroy if nav.threats.is_empty() => {
            ui.add(egui::Label::new(RichText::new("Cover is known once there is a threat.").weak()).wrap());
        }
        Tool::None | Tool::Send | Tool::Path | Tool::Seed | Tool::Destroy => {}
    }
}

/// What is blocked: cells by a brush, or whole polygons.
fn block(ui: &mut Ui, nav: &SceneNav, nav_tools: &mut NavTools, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let cells =
            toggle(ui, nav_tools.brush.is_some(), "Brush").on_hover_text("Drag over the ground to block its cells.");
        if cells.clicked() && nav_tools.brush.is_none() {
            nav_tools.brush = Some(BRUSH);
        }
        let help = "Click a polygon of the mesh to block it, and again to let through.";
        if toggle(ui, nav_tools.brush.is_none(), "Polygons").on_hover_text(help).clicked() {
            nav_tools.brush = None;
        }
    });
    if let Some(radius) = &mut nav_tools.brush {
        form(ui, "brush", |ui| {
            let range = drag(0.1..=20.0, 0.02, " m").decimals(2);
            number_or(ui, "Radius", "Of the brush.", (radius, BRUSH), range);
        });
    }
    let (cells, polygons) = (nav.barred_cells.len(), nav.barred.len());
    if cells + polygons == 0 {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("Blocked: {}, {}", counted(cells, "cell"), counted(polygons, "polygon")));
        if ui.button("Clear").on_hover_text("Let through everywhere.").clicked() {
            let mut to = nav.clone();
            to.barred.clear();
            to.barred_cells.clear();
            out.push(Command::Edit(Box::new(edits::nav_step("let through everywhere", None, to))));
        }
    });
}

/// The next crowd, and how those that are there get on.
fn crowd(ui: &mut Ui, cx: &UiContext<'_>, nav_tools: &mut NavTools) {
    let next = &mut nav_tools.crowd;
    form(ui, "next-crowd", |ui| {
        let usual = NavTools::default().crowd;
        let count = drag(1.0..=2000.0, 1.0, "");
        number_or(ui, "Agents", "How many the next crowd has.", (&mut next.count, usual.count), count);
        size(ui, "Radius", "Of each agent.", (&mut next.radius, usual.radius));
        let speed = drag(0.1..=10.0, 0.02, " m/s").decimals(2);
        number_or(ui, "Speed", "Full speed of each agent.", (&mut next.speed, usual.speed), speed);
        let help = "Whether agents that have arrived walk back again.";
        switch(ui, "There and back", help, (&mut next.there_and_back, usual.there_and_back));
    });
    let counts = cx.inspector.crowd().counts();
    if counts.agents > 0 {
        let crowd = format!(
            "{} agents: {} walk, {} arrived, {} without a path",
            counts.agents, counts.walking, counts.arrived, counts.failed
        );
        ui.add(egui::Label::new(crowd).wrap());
        let jam = format!("Longest stuck {:.1} s, deepest overlap {:.2} m", counts.stuck_secs, counts.overlap);
        ui.add(egui::Label::new(jam).wrap());
    }
}

fn size(ui: &mut Ui, label: &str, help: &str, value: (&mut f32, f32)) {
    number_or(ui, label, help, value, drag(0.05..=100.0, 0.02, " m").decimals(2));
}

fn obstacle(ui: &mut Ui, nav_tools: &mut NavTools) {
    let is_box = matches!(nav_tools.obstacle, ObstacleShape::Box { .. });
    ui.horizontal(|ui| {
        let (box_on, round_on) = shapes(ui, is_box, &mut nav_tools.draws, &mut nav_tools.outline);
        if box_on && !is_box {
            nav_tools.obstacle = NavTools::default().obstacle;
        }
        if round_on && is_box {
            nav_tools.obstacle = ObstacleShape::Cylinder { base: Vec3::ZERO, radius: COLUMN[0], height: COLUMN[1] };
        }
    });
    let draws = nav_tools.draws;
    form(ui, "next-obstacle", |ui| match &mut nav_tools.obstacle {
        ObstacleShape::Box { size: Vec3 { y: height, .. }, .. } | ObstacleShape::Cylinder { height, .. } if draws => {
            size(ui, "Height", "Size upwards, from the lowest corner.", (height, OBSTACLE.y));
        }
        ObstacleShape::Box { size: s, yaw_deg, .. } => {
            size(ui, "Width", "Size along x, before it is turned.", (&mut s.x, OBSTACLE.x));
            size(ui, "Depth", "Size along z, before it is turned.", (&mut s.z, OBSTACLE.z));
            size(ui, "Height", "Size upwards.", (&mut s.y, OBSTACLE.y));
            let turn = drag(-180.0..=180.0, 1.0, "°").decimals(0);
            number_or(ui, "Turn", "About the up axis, degrees.", (yaw_deg, 0.0), turn);
        }
        ObstacleShape::Cylinder { radius, height, .. } => {
            size(ui, "Radius", "Of the cylinder.", (radius, COLUMN[0]));
            size(ui, "Height", "Size upwards.", (height, COLUMN[1]));
        }
        ObstacleShape::Prism { .. } => {}
    });
}

/// The buttons of the shapes; answers whether the box, and whether the cylinder was chosen.
fn shapes(ui: &mut Ui, is_box: bool, draws: &mut bool, outline: &mut Vec<Vec3>) -> (bool, bool) {
    let box_on = toggle(ui, is_box && !*draws, "Box").clicked();
    let round_on = toggle(ui, !is_box && !*draws, "Cylinder").clicked();
    let help = "Click the corners of an outline in the viewport; what they span is placed, as high as the box was.";
    if toggle(ui, *draws, "Outline").on_hover_text(help).clicked() {
        *draws = true;
    }
    if box_on || round_on {
        *draws = false;
        outline.clear();
    }
    (box_on, round_on)
}

fn volume(ui: &mut Ui, nav_tools: &mut NavTools) {
    let is_box = matches!(nav_tools.volume, VolumeShape::Box { .. });
    ui.horizontal(|ui| {
        let (box_on, round_on) = shapes(ui, is_box, &mut nav_tools.draws, &mut nav_tools.outline);
        if box_on && !is_box {
            nav_tools.volume = NavTools::default().volume;
        }
        if round_on && is_box {
            nav_tools.volume = VolumeShape::Cylinder { base: SUNK, radius: POOL[0], height: POOL[1] };
        }
    });
    form(ui, "next-volume", |ui| {
        ui.label("Marks as").on_hover_text("What the ground inside becomes.");
        area(ui, "next-area", &mut nav_tools.area);
        ui.end_row();
        match &mut nav_tools.volume {
            VolumeShape::Box { min, max } if nav_tools.draws => {
                let mut height = max.y - min.y;
                size(ui, "Height", HEIGHT_OF_OUTLINE, (&mut height, VOLUME.y));
                max.y = min.y + height;
            }
            VolumeShape::Cylinder { height, .. } if nav_tools.draws => {
                size(ui, "Height", HEIGHT_OF_OUTLINE, (height, POOL[1]));
            }
            VolumeShape::Box { min, max } => {
                let mut extent = *max - *min;
                size(ui, "Width", "Size along x.", (&mut extent.x, VOLUME.x));
                size(ui, "Depth", "Size along z.", (&mut extent.z, VOLUME.z));
                size(ui, "Height", "Size upwards.", (&mut extent.y, VOLUME.y));
                let half = extent.with_y(0.0) * 0.5;
                (*min, *max) = (Vec3::Y * min.y - half, Vec3::Y * (min.y + extent.y) + half);
            }
            VolumeShape::Cylinder { radius, height, .. } => {
                size(ui, "Radius", "Of the cylinder.", (radius, POOL[0]));
                size(ui, "Height", "Size upwards.", (height, POOL[1]));
            }
            VolumeShape::Convex { .. } => {}
        }
    });
}

/// What the ground of an area is like, for all of its volumes.
fn area_rule(ui: &mut Ui, nav: &SceneNav, area: u8, out: &mut Vec<Command>) {
    let mut to = nav.clone();
    let usual = AreaRule { area, ..AreaRule::default() };
    let at = to.areas.iter().position(|rule| rule.area == area);
    let before = at.map_or_else(|| usual.clone(), |at| to.areas.remove(at));
    let mut rule = before.clone();
    form(ui, "area-rule", |ui| {
        let cost = drag(1.0..=100.0, 0.05, "").decimals(2);
        let help = "What a metre in this area costs. Where areas differ, the exact planners find the cheapest path for a radius \
            of 0, and search as the funnel does for others.";
        number_or(ui, "Cost", help, (&mut rule.cost, usual.cost), cost);
        for mark in Mark::ALL {
            let (label, help) = match mark {
                Mark::Slow => ("Slow", "Mud, undergrowth: the tactical planner takes it as longer."),
                Mark::Amphibious => ("Amphibious", "Water: only for amphibious characters, says the tactical planner."),
                Mark::Cover => ("Cover", "Bushes, smoke: to the tactical planner, agents in it are not seen."),
                Mark::Vulnerable => ("Vulnerable", "Open to attack: the tactical planner takes it as longer."),
            };
            let before = rule.marks.contains(&mark);
            let mut on = before;
            switch(ui, label, help, (&mut on, usual.marks.contains(&mark)));
            rule.marks.retain(|m| *m != mark || on);
            if on && !before {
                rule.marks.push(mark);
            }
        }
    });
    if rule != before {
        // The edits of one field of one area become one step.
        let key = format!("area-rule {area} {}", if rule.marks == before.marks { "cost" } else { "marks" });
        if rule != usual {
            to.areas.insert(at.unwrap_or(to.areas.len()), rule);
        }
        out.push(edits::set_nav(format!("change area {area}"), &key, to));
    }
}

/// A choice of how a link is taken.
pub(super) fn link_kind(ui: &mut Ui, id: &str, kind: &mut LinkKind) -> egui::Response {
    let help = kind.help();
    let list = egui::ComboBox::from_id_salt(id).selected_text(kind.label()).width(72.0);
    let shown = list.show_ui(ui, |ui| {
        for one in LinkKind::ALL {
            choice_row(ui, kind, one, one.label()).on_hover_text(one.help());
        }
    });
    shown.response.on_hover_text(help)
}

/// A choice of area. Returns whether it changed.
pub(super) fn area(ui: &mut Ui, id: &str, area: &mut Option<u8>) -> bool {
    let before = *area;
    let label = |area: Option<u8>| area.map_or("unwalkable".to_owned(), |a| format!("area {a}"));
    egui::ComboBox::from_id_salt(id).selected_text(label(before)).width(96.0).show_ui(ui, |ui| {
        for one in std::iter::once(None).chain((0..MAX_AREAS as u8).map(Some)) {
            choice_row(ui, area, one, label(one));
        }
    });
    *area != before
}

fn random(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    form(ui, "random", |ui| {
        let mut rows = edit_rows::of_nav(ui, nav, out);
        let row = rows.row("Points", "How many places are drawn.").edit("change the random points", "random");
        row.number(drag(0.0..=1000.0, 1.0, ""), |to| &mut to.probe.random);
        let help = "How far from their middle they may lie, along ground that can be reached; 0 for the whole mesh.";
        let row = rows.row("Within", help).edit("change the random points", "random");
        row.number(drag(0.0..=1000.0, 0.1, " m").decimals(1), |to| &mut to.probe.reach);
    });
}

/// How much enemies count.
pub(super) fn bias(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    form(ui, "bias", |ui| {
        let mut rows = edit_rows::of_nav(ui, nav, out);
        let help = "How much dearer a metre is that enemies see, for the tactical planner; 0: it does not care.";
        let row = rows.row("Exposure bias", help).edit("change what exposure weighs", "bias");
        row.number(drag(0.0..=100.0, 0.05, "").decimals(2), |to| &mut to.bias);
        rows.row("Warn above", "Warn when the tactical planner expands more nodes than this per node of its path.")
            .edit("change what exposure weighs", "bias")
            .number(drag(0.0..=10_000.0, 0.2, "").decimals(1), |to| &mut to.excessive_ratio);
        let help =
            "From a roof they see over a wall, and floors hide agents above or below. Else walls hide all behind.";
        let row = rows.row("Heights count", help).edit("change whether heights count", "heights");
        row.switch(|to| &mut to.sight.heights);
        rows.row("Ducked", "Characters duck: walls up to the waist hide them.")
            .edit("change whether characters duck", "ducked")
            .switch(|to| &mut to.sight.ducked);
    });
}
