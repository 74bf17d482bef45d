//! What is selected: of an instance, what is written about it and how it fares; a camera.

use crate::ids::InstanceId;
use crate::inspect::doctor::Examination;
use crate::nav::mesh::NONE;
use crate::scene::limits::SCALE_RANGE;
use crate::scene::{SceneInstance, Settings};
use crate::sim::nav_mesh::polygon_at;
use crate::sim::{InstanceState, NavStatus};
use crate::ui::choices::choice_row;
use crate::ui::command::{Action, Command, info, tip, with_keys};
use crate::ui::edit_rows;
use crate::ui::panels::cameras;
use crate::ui::rename::{MAX_NAME_LETTERS, Named, Rename};
use crate::ui::theme::{color, ink};
use crate::ui::widgets::{axis, choice_width, coordinates, drag, form, section, text, vector};
use crate::ui::{UiContext, edits, menu, names};
use egui::{RichText, TextEdit, Ui};
use glam::Vec3;

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    ui.add_space(6.0);
    if let Some((id, camera)) = cx.camera.and_then(|id| Some((id, cx.scene.cameras.get(id)?))) {
        return section(ui, "Selection", true, |ui| cameras::selected(ui, cx, id, camera, out));
    }
    let Some((id, instance)) = cx.selection.instance.and_then(|id| Some((id, cx.scene.instances.get(id)?))) else {
        return section(ui, "Selection", true, |ui| entry(ui, cx, out));
    };
    let name = names::name_of_all(cx.scene, cx.chosen);
    section(ui, "Selection", true, |ui| {
        ui.add(egui::Label::new(RichText::new(&name).heading().color(ink(ui, color::ACCENT))).truncate());
        ui.horizontal_wrapped(|ui| {
            for (action, label, help) in [
                (Action::Focus, "Focus", "Bring the camera to it"),
                (Action::Duplicate, "Duplicate", "Put a copy beside it"),
                (Action::Delete, "Delete", "Remove it from the scene"),
            ] {
                if ui.button(label).on_hover_text(with_keys(ui.ctx(), help, action)).clicked() {
                    out.push(Command::Run(action));
                }
            }
        });
        if cx.chosen.len() > 1 {
            together(ui, out);
        }
        form(ui, "place", |ui| {
            if cx.chosen.len() == 1 {
                rename(ui, cx, id, instance, out);
            }
            place(ui, cx, instance, &name, out);
        });
        buttons(ui, cx, &name, out);
        ui.add_space(4.0);
        form(ui, "walk", |ui| walk(ui, cx, id, instance, &name, out));
        if let Some(live) = cx.world.live(id) {
            ui.add_space(4.0);
            form(ui, "live", |ui| nav_status_rows(ui, cx, (id, instance, live), out));
        }
    });
}

/// The level or model that is selected in the list, where no instance is.
fn entry(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let title = |ui: &mut Ui, name: &str| {
        let name = RichText::new(names::without_extension(name)).heading().color(ink(ui, color::ACCENT));
        ui.add(egui::Label::new(name).truncate());
    };
    let mut fault = None;
    match (cx.selected_level(), cx.selected_model()) {
        (Some((id, level)), _) => {
            title(ui, &level.name);
            if ui.button("Show").on_hover_text("Bring the camera to where the level is seen whole.").clicked() {
                out.push(Command::ShowLevels(vec![id]));
            }
            ui.weak("A level. Its place, size and axes are in the section Level below.");
            fault = cx.file_fault(level);
        }
        (None, Some((id, model))) => {
            title(ui, &model.name);
            let help = "Put an instance on the ground in the middle of the viewport.";
            if ui.button("Place one").on_hover_text(help).clicked() {
                out.push(Command::Place(id));
            }
            ui.weak("A model. Its speed, clips and instances are in the section Model below.");
            fault = cx.file_fault(model);
        }
        (None, None) => {
            ui.weak("Nothing is selected. Click a character in the viewport, or anything in the list.");
        }
    }
    if let Some(fault) = fault {
        ui.add(egui::Label::new(RichText::new(fault).color(ink(ui, color::BAD))).wrap());
    }
}

/// What people call it.
fn rename(ui: &mut Ui, cx: &UiContext<'_>, id: InstanceId, instance: &SceneInstance, out: &mut Vec<Command>) {
    let help = "What it is called; leave it empty to go by model and number.";
    let name = names::instance_name(cx.scene, id);
    let label = ui.label("Name").on_hover_text(help);
    // Spaces at its ends stay in the field while it is typed, and are none of the name.
    let key = ui.id().with("typed name");
    let typed = ui.data(|data| data.get_temp::<String>(key)).filter(|text| text.trim() == instance.name);
    let mut text = typed.unwrap_or_else(|| instance.name.clone());
    let field = TextEdit::singleline(&mut text).hint_text(name).desired_width(150.0).char_limit(MAX_NAME_LETTERS);
    let response = ui.add(field).labelled_by(label.id).on_hover_text(help);
    if response.changed() {
        out.extend(Rename { text: text.clone(), ..Rename::of(cx.scene, Named::Instance(id)) }.step(cx.scene));
    }
    let has_focus = response.has_focus();
    ui.data_mut(|data| match has_focus {
        true => drop(data.insert_temp(key, text)),
        false => data.remove::<String>(key),
    });
    ui.end_row();
}

/// What can be done to several at once.
fn together(ui: &mut Ui, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        for action in [Action::Drop, Action::LineUpX, Action::LineUpZ, Action::TurnAlike] {
            let row = info(action);
            if ui.button(row.label).on_hover_text(row.help).clicked() {
                out.push(Command::Run(action));
            }
        }
    });
}

fn place(ui: &mut Ui, cx: &UiContext<'_>, instance: &SceneInstance, name: &str, out: &mut Vec<Command>) {
    let mut to = instance.clone();
    let position = mixed(cx, "Position", |one| one.position);
    if vector(ui, &position, "Where it starts.", (&mut to.position, Vec3::ZERO), axis(0.05, "m")).changed() {
        out.push(edits::change_chosen(format!("move {name}"), cx, "position", |one| {
            one.position = edits::moved_along(one.position, instance.position, to.position);
        }));
    }
    let rotation = mixed(cx, "Rotation", |one| one.rotation_deg);
    if vector(ui, &rotation, "Turn about each axis.", (&mut to.rotation_deg, Vec3::ZERO), axis(0.5, "°")).changed() {
        out.push(edits::change_chosen(format!("turn {name}"), cx, "rotation", |one| {
            one.rotation_deg = edits::moved_along(one.rotation_deg, instance.rotation_deg, to.rotation_deg);
        }));
    }
    let label = mixed(cx, "Scale", |one| one.scale);
    edit_rows::of_chosen(ui, cx, instance, out)
        .row(&label, "Size as a factor of the model's own.")
        .edit(format!("scale {name}"), "scale")
        .number(drag(f64::from(SCALE_RANGE[0])..=f64::from(SCALE_RANGE[1]), 0.01, "×").decimals(3), |to| {
            &mut to.scale
        });
}

/// The name of a row; where several are selected whose values differ, it says so. A change goes to all of them.
fn mixed<T: PartialEq>(cx: &UiContext<'_>, label: &str, value: impl Fn(&SceneInstance) -> T) -> String {
    let mut values = cx.chosen.iter().filter_map(|id| cx.scene.instances.get(*id)).map(|one| value(one));
    let first = values.next();
    let differ = values.any(|other| Some(&other) != first.as_ref());
    if differ { format!("{label}: mixed") } else { label.to_owned() }
}

/// What is done to all that is selected at once, and whether it is marked in the picture.
fn buttons(ui: &mut Ui, cx: &UiContext<'_>, name: &str, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let row = info(Action::WalkHere);
        if ui.button(row.label).on_hover_text(tip(ui.ctx(), Action::WalkHere)).clicked() {
            out.push(Command::Run(Action::WalkHere));
        }
        let help = "Stand still, until a behaviour or another target moves it again.";
        if ui.button("Stop").on_hover_text(help).clicked() {
            out.push(Command::Stop(cx.chosen.iter().copied().collect()));
        }
        let help = "Put it to the origin, unturned and in its own size.";
        if ui.button("All to zero").on_hover_text(help).clicked() {
            out.push(edits::change_chosen(format!("put {name} to zero"), cx, "zero", |one| {
                (one.position, one.rotation_deg, one.scale, one.swap_axes) = (Vec3::ZERO, Vec3::ZERO, 1.0, false);
            }));
        }
        let mut highlight_selection = cx.scene.settings.highlight_selection;
        let help = "Mark what is selected by a line around it and a ring at its feet.";
        if ui.checkbox(&mut highlight_selection, "Highlight").on_hover_text(help).changed() {
            let what = if highlight_selection { "highlight the selection" } else { "hide the highlight" };
            let to = Settings { highlight_selection, ..(*cx.scene.settings).clone() };
            out.push(edits::set_settings(what, "highlight", to));
        }
    });
}

fn walk(ui: &mut Ui, cx: &UiContext<'_>, id: InstanceId, instance: &SceneInstance, name: &str, out: &mut Vec<Command>) {
    let label = mixed(cx, "Walks to its target", |one| one.navigation);
    edit_rows::of_chosen(ui, cx, instance, out)
        .row(&label, "Whether it navigates.")
        .either(format!("let {name} walk"), format!("stop {name} walk"), "navigation")
        .switch(|to| &mut to.navigation);
    ui.label(mixed(cx, "Target", |one| one.target));
    let of =
        |target: Option<InstanceId>| target.map_or("none".to_owned(), |target| names::instance_name(cx.scene, target));
    let mut chosen = instance.target;
    ui.horizontal(|ui| {
        let width = choice_width(ui, 130.0, 96.0);
        let list = egui::ComboBox::from_id_salt("target").selected_text(of(instance.target)).width(width).truncate();
        list.show_ui(ui, |ui| {
            choice_row(ui, &mut chosen, None, "none");
            // Looked up while the list is open: there may be thousands.
            for (target, label) in names::nav_targets(cx.scene).into_iter().filter(|(target, _)| *target != id) {
                choice_row(ui, &mut chosen, Some(target), label);
            }
        });
        let centre = egui::Button::new("Centre");
        let help = with_keys(ui.ctx(), "Bring the camera to the target", Action::FocusTarget);
        let possible = menu::is_possible(Action::FocusTarget, cx);
        if ui.add_enabled(possible, centre).on_hover_text(help).clicked() {
            out.push(Command::Run(Action::FocusTarget));
        }
    });
    if chosen != instance.target {
        let what = format!("send {name} to {}", of(chosen));
        out.push(edits::change_chosen(what, cx, "target", |one| {
            one.target = chosen;
            // A character that is sent somewhere walks.
            one.navigation |= chosen.is_some();
        }));
    }
    ui.end_row();
}

/// How it fares in the running simulation.
fn nav_status_rows(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    (id, instance, live): (InstanceId, &SceneInstance, &InstanceState),
    out: &mut Vec<Command>,
) {
    let (status, tint) = match &live.nav {
        NavStatus::Off => ("Off".to_owned(), ui.visuals().weak_text_color()),
        NavStatus::Waiting => ("Waiting for a path".to_owned(), ink(ui, color::WARN)),
        NavStatus::Walking => {
            let status = names::interrupted_walk(&live.nav, live.state).unwrap_or_else(|| "Walking".to_owned());
            (status, ink(ui, color::INFO))
        }
        NavStatus::Arrived => ("Arrived".to_owned(), ink(ui, color::GOOD)),
        NavStatus::Failed(reason) => {
            let reason = cx.world.path_failure(id).unwrap_or(reason.into());
            (format!("No path: {reason}"), ink(ui, color::BAD))
        }
    };
    ui.label("Navigation");
    ui.add(egui::Label::new(RichText::new(status).color(tint)).wrap());
    ui.end_row();
    let target = instance.target.and_then(|id| cx.world.live(id));
    if let (NavStatus::Failed(_), Some(target)) = (&live.nav, target) {
        let help = "Let the doctor say what is between it and its target: a step, a slope, a gap, a narrow passage.";
        ui.label("");
        if ui.button("Why?").on_hover_text(help).clicked() {
            let ends = [live.now.position, target.now.position].map(|at| at.as_dvec3());
            out.push(Command::Examine(Examination::Path(ends)));
        }
        ui.end_row();
    }
    if let Some(left) = live.distance_left {
        text(ui, "Path left", format!("{left:.1} m"));
    }
    let speed = live.now.velocity.with_y(0.0).length();
    text(ui, "State", format!("{}, {speed:.1} m/s", live.state.label()));
    let p = live.now.position;
    text(ui, "Position now", coordinates(p, 2));
    let ground = match (live.on_ground, live.ground_triangle) {
        (_, Some(triangle)) => format!("triangle {triangle}"),
        (true, None) => "yes".to_owned(),
        (false, None) if cx.status.playing => "in the air".to_owned(),
        // What was just placed has not looked for it.
        (false, None) => "looked up while it runs".to_owned(),
    };
    text(ui, "Ground", ground);
    // Named also where there is none: the rows below stay where they are.
    let polygon = cx.world.mesh().current().and_then(|mesh| {
        let polygon = polygon_at(mesh, p).filter(|_| live.ground_triangle.is_some() || !cx.status.playing)?;
        let neighbors = mesh.edges_of(polygon).iter().filter(|edge| edge.neighbor != NONE).count();
        Some(format!("{}, {neighbors} neighbours", polygon.0))
    });
    text(ui, "Polygon", polygon.unwrap_or_else(|| "not on the mesh".to_owned()));
}
