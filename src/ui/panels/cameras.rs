//! The camera looked through: what it does, what it follows; new ones from the viewport. The selected camera shows the same
//! among what is selected.

use crate::asset::head::Head;
use crate::asset::{BoneNumbers, Model};
use crate::camera::azimuth_elevation;
use crate::ids::CameraId;
use crate::scene::SceneCamera;
use crate::ui::choices::{choice_row, is_taken};
use crate::ui::command::{Action, Command, SelectionMode, info, tip, with_keys};
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::panels::camera_motion;
use crate::ui::theme::{color, ink};
use crate::ui::widgets::{axis, choice_width, drag, form, number_or, section, text, vector};
use crate::ui::{UiContext, edits, names};
use crate::vocab::{CameraKind, Projection};
use egui::{ComboBox, RichText, Ui};

/// Help of the button that makes a camera.
pub const NEW_HELP: &str = "A new camera with the view of the viewport; it follows what is selected.";

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Camera", false, |ui| {
        let current = cx.status.camera.and_then(|id| Some((id, cx.scene.cameras.get(id)?)));
        ui.horizontal(|ui| {
            if ui.button("◀").on_hover_text(tip(ui.ctx(), Action::PreviousCamera)).clicked() {
                out.push(Command::Run(Action::PreviousCamera));
            }
            let name = current.map_or("Free flight", |(_, camera)| camera.name.as_str());
            let list = ComboBox::from_id_salt("camera").selected_text(name).truncate();
            let list = list.width(choice_width(ui, 190.0, 40.0)).show_ui(ui, |ui| {
                for (id, camera) in cx.scene.cameras.iter() {
                    let is_chosen = cx.status.camera == Some(id);
                    let row = ui.selectable_label(is_chosen, camera.name.as_str());
                    if is_taken(ui, &row, is_chosen) {
                        out.push(Command::UseCamera(id));
                    }
                }
            });
            list.response.on_hover_text("The camera that the viewport looks through.");
            if ui.button("▶").on_hover_text(tip(ui.ctx(), Action::NextCamera)).clicked() {
                out.push(Command::Run(Action::NextCamera));
            }
        });
        // The one that is selected shows its own settings, above.
        let current = current.filter(|_| cx.camera.is_none());
        ui.horizontal_wrapped(|ui| {
            if ui.button("➕ New").on_hover_text(NEW_HELP).clicked() {
                out.push(Command::NewCamera);
            }
            if let Some((id, camera)) = current {
                actions(ui, cx, id, camera, out);
            }
        });
        if let Some((id, camera)) = current {
            settings(ui, cx, id, camera, out);
        }
    });
}

/// The selected camera: its name, what can be done to it, its settings.
pub fn selected(ui: &mut Ui, cx: &UiContext<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    ui.add(egui::Label::new(RichText::new(&camera.name).heading().color(ink(ui, color::ACCENT))).truncate());
    ui.horizontal_wrapped(|ui| {
        for action in [Action::Focus, Action::Duplicate, Action::Rename] {
            let row = info(action);
            let label = if action == Action::Focus { "Focus" } else { row.label };
            let help = match action {
                Action::Focus => "Bring the eye to this camera",
                Action::Duplicate => "Another camera like this one",
                _ => "Type another name, in the outliner",
            };
            if ui.button(label).on_hover_text(with_keys(ui.ctx(), help, action)).clicked() {
                out.push(Command::Run(action));
            }
        }
        actions(ui, cx, id, camera, out);
    });
    settings(ui, cx, id, camera, out);
}

/// What can be done to a camera.
fn actions(ui: &mut Ui, cx: &UiContext<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    if cx.status.camera != Some(id)
        && ui.button("Look through").on_hover_text("Show the viewport through this camera.").clicked()
    {
        out.push(Command::UseCamera(id));
    }
    let help = "Move this camera to the viewport's eye.";
    if ui.button("Move here").on_hover_text(help).clicked() {
        out.push(Command::CameraHere(id));
    }
    let first = cx.scene.cameras.at(0) == Some(id);
    let help = if first { "The first camera is the free one: it stays." } else { "Take this camera out." };
    if ui.add_enabled(!first, egui::Button::new("✖ Remove")).on_hover_text(help).on_disabled_hover_text(help).clicked()
    {
        out.push(Command::Edit(Box::new(edits::remove_camera(id, camera))));
    }
}

fn settings(ui: &mut Ui, cx: &UiContext<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    form(ui, "camera-form", |ui| {
        let finish = |to: &mut SceneCamera| {
            let is_other = (to.kind, to.target) != (camera.kind, camera.target);
            if is_other && to.kind == CameraKind::FirstPerson {
                look_through_head(cx, to);
            }
        };
        let mut rows = edit_rows::of_camera(ui, (id, camera), finish, out);
        if cx.scene.cameras.at(0) == Some(id) {
            text(rows.ui, "Kind", camera.kind.label());
        } else {
            let row = rows.row("Kind", "What it does by itself.").field("kind");
            row.choice(CameraKind::ALL, CameraKind::label, |to| &mut to.kind);
        }
        if !matches!(rows.to.kind, CameraKind::Free | CameraKind::Stationary) {
            follows(&mut rows, cx);
        }
        of_kind(&mut rows, cx);
        lens(&mut rows, cx);
        camera_motion::show(&mut rows, cx);
    });
    place(ui, cx, id, camera, out);
}

/// What cameras of its kind have alone.
fn of_kind(rows: &mut EditRows<'_, SceneCamera>, cx: &UiContext<'_>) {
    match rows.to.kind {
        CameraKind::ThirdPerson => {
            let row = rows.row("Distance", "How far behind the instance that it follows.").field("distance");
            row.number(drag(0.5..=50.0, 0.05, " m"), |to| &mut to.third_person_distance);
            let row = rows.row("Height", "How far above the line of sight.").field("height");
            row.number(drag(-10.0..=20.0, 0.02, " m"), |to| &mut to.third_person_height);
        }
        CameraKind::StationaryFollowing => {
            let row = rows.row("Looks at", "Height above its feet of what it looks at.").field("height");
            row.number(drag(0.0..=5.0, 0.02, " m"), |to| &mut to.follow_height);
        }
        CameraKind::FirstPerson => {
            bone(rows, cx);
            let help = "Whether it turns with the bone; else it looks where its own angles say, seen from the head.";
            let row = rows.row("Turns with the bone", help).field("lock");
            row.switch(|to| &mut to.first_person_lock);
            let row = rows.row("Offset", "From the bone: to the left, up, ahead.").field("offset");
            row.vector(axis(0.005, "m"), |to| &mut to.first_person_offset);
        }
        CameraKind::Free | CameraKind::Stationary => {}
    }
}

/// The model of what a camera follows, and what the numbers of its bones count.
fn followed<'a>(cx: &UiContext<'a>, camera: &SceneCamera) -> Option<(&'a Model, BoneNumbers)> {
    let model = cx.scene.models.get(cx.scene.instances.get(camera.target?)?.model_id()?)?;
    cx.assets.by_file(model).map(|(_, file)| (&**file, model.bone_numbers))
}

/// Looks through the eyes of what the camera follows, where its model has a head.
fn look_through_head(cx: &UiContext<'_>, to: &mut SceneCamera) {
    let Some((file, numbers)) = followed(cx, to) else { return };
    let Some(head) = Head::of(file) else { return };
    if let Some(bone) = numbers.number(file, head.node.0) {
        (to.first_person_bone, to.first_person_offset) = (bone, head.eyes);
    }
}

/// The bone that a camera looks through.
fn bone(rows: &mut EditRows<'_, SceneCamera>, cx: &UiContext<'_>) {
    let followed = followed(cx, &rows.to);
    let names: Vec<(u32, &str)> = followed.map_or_else(Vec::new, |(file, numbers)| {
        let named = (0..).zip(&file.skeleton.names);
        named.filter_map(|(node, name)| Some((numbers.number(file, node)?, name.as_str()))).collect()
    });
    let before = rows.to.first_person_bone;
    let mut chosen = before;
    let name = |bone: u32| match names.iter().find(|(number, _)| *number == bone) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("bone {bone}"),
    };
    let ui = &mut *rows.ui;
    ui.label("Bone").on_hover_text("The bone that it looks through, of the instance that it follows.");
    let list = ComboBox::from_id_salt("camera bone").selected_text(name(before)).width(choice_width(ui, 150.0, 4.0));
    list.truncate().show_ui(ui, |ui| {
        for &(bone, name) in &names {
            choice_row(ui, &mut chosen, bone, name);
        }
    });
    ui.end_row();
    if chosen != before {
        rows.ask("", "bone", |to| to.first_person_bone = chosen);
    }
}

/// Projection and angle, as far as they count: a camera that follows in first or third person shows perspective.
fn lens(rows: &mut EditRows<'_, SceneCamera>, cx: &UiContext<'_>) {
    let follows = rows.to.target.is_some_and(|target| cx.world.live(target).is_some());
    match rows.to.shown_projection(follows) {
        Projection::Perspective => {
            let row = rows.row("Field of view", "Vertical angle of view.").field("field of view");
            row.number(drag(10.0..=120.0, 0.2, "°"), |to| &mut to.fov_deg);
        }
        Projection::Orthogonal => {
            let row = rows.row("Half height", "Of what the viewport shows.").field("half height");
            row.number(drag(0.1..=500.0, 0.1, " m"), |to| &mut to.ortho_scale);
        }
    }
    let orthogonal = SceneCamera { projection: Projection::Orthogonal, ..rows.to.clone() };
    if orthogonal.shown_projection(follows) == Projection::Perspective {
        return;
    }
    let row = rows.row("Orthogonal", "Parallel lines stay parallel.").field("projection");
    row.switch_between([Projection::Orthogonal, Projection::Perspective], |to| &mut to.projection);
}

/// Where it stands and looks, as far as it does not follow an instance: as the viewport has it while it is looked through.
fn place(ui: &mut Ui, cx: &UiContext<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    let follows = !matches!(camera.kind, CameraKind::Free | CameraKind::Stationary)
        && camera.target.is_some_and(|target| cx.world.live(target).is_some());
    let stands = !follows || camera.kind == CameraKind::StationaryFollowing;
    let looks = !follows || (camera.kind == CameraKind::FirstPerson && !camera.first_person_lock);
    let mut to = camera.clone();
    to.azimuth_deg = to.azimuth_deg.rem_euclid(360.0);
    let flies = !follows && camera.kind != CameraKind::Stationary && cx.status.camera == Some(id);
    if let Some((eye, direction)) = cx.status.eye.filter(|_| flies) {
        let (azimuth_rad, elevation_rad) = azimuth_elevation(direction);
        to.position = eye;
        (to.azimuth_deg, to.elevation_deg) = (azimuth_rad.to_degrees().rem_euclid(360.0), elevation_rad.to_degrees());
    }
    let mut changed = None;
    form(ui, "camera-place", |ui| {
        let here = to.position;
        if stands && vector(ui, "Stands at", "Where it is.", (&mut to.position, here), axis(0.05, "m")).changed() {
            changed = Some("place");
        }
        let (azimuth, elevation) = (to.azimuth_deg, to.elevation_deg);
        let turn = drag(-360.0..=720.0, 0.3, "°").decimals(1);
        let help = "Angle about the up axis: 0 looks along -Z, 90 along +X.";
        if looks && number_or(ui, "Azimuth", help, (&mut to.azimuth_deg, azimuth), turn).changed() {
            to.azimuth_deg = to.azimuth_deg.rem_euclid(360.0);
            changed = Some("azimuth");
        }
        let tilt = drag(-89.0..=89.0, 0.2, "°").decimals(1);
        let help = "Angle above the horizon.";
        if looks && number_or(ui, "Elevation", help, (&mut to.elevation_deg, elevation), tilt).changed() {
            changed = Some("elevation");
        }
    });
    if let Some(field) = changed.filter(|_| to.position.is_finite()) {
        out.push(edits::set_camera(format!("change the {field} of {}", camera.name), id, field, to));
    }
}

/// What it follows.
fn follows(rows: &mut EditRows<'_, SceneCamera>, cx: &UiContext<'_>) {
    let before = rows.to.target;
    let mut chosen = before;
    let out = &mut *rows.out;
    rows.ui.label("Follows");
    let name = before.map_or("none: flies freely".into(), |id| names::instance_name(cx.scene, id));
    rows.ui.add(egui::Label::new(name).truncate());
    rows.ui.end_row();
    // A row of their own: below a name in the same cell they would lie on the next row.
    rows.ui.label("");
    rows.ui.horizontal(|ui| {
        let selected = cx.selection.instance;
        let use_it = ui.add_enabled(selected.is_some(), egui::Button::new("Use selected"));
        if use_it.on_hover_text("Follow the selected instance.").clicked() {
            chosen = selected;
        }
        if let Some(target) = before {
            if ui.button("Select").on_hover_text("Select the instance that it follows.").clicked() {
                out.push(Command::Choose(vec![target], SelectionMode::Only));
            }
            if ui.button("Clear").on_hover_text("Follow no instance: it flies freely.").clicked() {
                chosen = None;
            }
        }
    });
    rows.ui.end_row();
    if chosen != before {
        rows.ask("", "target", |to| to.target = chosen);
    }
}
