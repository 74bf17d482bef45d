//! The camera looked through: what it does, whom it follows; new ones from the picture. The selected camera shows the same
//! among what is selected.

use crate::ids::CameraId;
use crate::scene::SceneCamera;
use crate::ui::command::{Action, Command, info};
use crate::ui::theme::color;
use crate::ui::widgets::{choice_width, form, number, section, text};
use crate::ui::{Shown, edits, names};
use crate::vocab::{CameraKind, Projection};
use egui::{ComboBox, DragValue, RichText, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Camera", false, |ui| {
        let current = shown.status.camera.and_then(|id| Some((id, shown.scene.cameras.get(id)?)));
        ui.horizontal(|ui| {
            if ui.button("◀").on_hover_text("Previous camera ([)").clicked() {
                out.push(Command::Run(Action::PreviousCamera));
            }
            let name = current.map_or("Free flight", |(_, camera)| camera.name.as_str());
            let list = ComboBox::from_id_salt("camera").selected_text(name).truncate();
            let list = list.width(choice_width(ui, 190.0, 40.0)).show_ui(ui, |ui| {
                for (id, camera) in shown.scene.cameras.iter() {
                    if ui.selectable_label(shown.status.camera == Some(id), camera.name.as_str()).clicked() {
                        out.push(Command::UseCamera(id));
                    }
                }
            });
            list.response.on_hover_text("The camera that the picture is taken from.");
            if ui.button("▶").on_hover_text("Next camera (])").clicked() {
                out.push(Command::Run(Action::NextCamera));
            }
        });
        // The one that is selected shows its own settings, above.
        let current = current.filter(|_| shown.camera.is_none());
        if let Some((id, camera)) = current {
            settings(ui, shown, id, camera, out);
        }
        ui.horizontal_wrapped(|ui| {
            if ui.button("➕ New").on_hover_text("A new camera that looks as the picture does now.").clicked() {
                out.push(Command::NewCamera);
            }
            if let Some((id, camera)) = current {
                deeds(ui, shown, id, camera, out);
            }
        });
    });
}

/// The selected camera: its name, what can be done to it, its settings.
pub fn selected(ui: &mut Ui, shown: &Shown<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    ui.add(egui::Label::new(RichText::new(&camera.name).heading().color(color::ACCENT)).truncate());
    ui.horizontal_wrapped(|ui| {
        for action in [Action::Focus, Action::Duplicate, Action::Rename] {
            let row = info(action);
            let label = if action == Action::Focus { "Focus" } else { row.label };
            let help = match action {
                Action::Focus => "Bring the eye to this camera (F)",
                Action::Duplicate => "Another camera like this one (Ctrl+D)",
                _ => "Type another name, in the outliner (F2)",
            };
            if ui.button(label).on_hover_text(help).clicked() {
                out.push(Command::Run(action));
            }
        }
        deeds(ui, shown, id, camera, out);
    });
    settings(ui, shown, id, camera, out);
}

/// What can be done to a camera.
fn deeds(ui: &mut Ui, shown: &Shown<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    if shown.status.camera != Some(id)
        && ui.button("Look through").on_hover_text("Take the picture from this camera.").clicked()
    {
        out.push(Command::UseCamera(id));
    }
    let help = "Move this camera to where the picture is taken from.";
    if ui.button("Move here").on_hover_text(help).clicked() {
        out.push(Command::CameraHere(id));
    }
    let first = shown.scene.cameras.at(0) == Some(id);
    let help = if first { "The first camera is the free one: it stays." } else { "Take this camera out." };
    if ui.add_enabled(!first, egui::Button::new("✖ Remove")).on_hover_text(help).on_disabled_hover_text(help).clicked()
    {
        out.push(Command::Edit(Box::new(edits::remove_camera(id, camera))));
    }
}

fn settings(ui: &mut Ui, shown: &Shown<'_>, id: CameraId, camera: &SceneCamera, out: &mut Vec<Command>) {
    let name = &camera.name;
    let first = shown.scene.cameras.ids().next() == Some(id);
    let mut to = camera.clone();
    let mut changed: Option<&str> = None;
    form(ui, "camera-form", |ui| {
        if first {
            text(ui, "Kind", camera.kind.label());
        } else {
            ui.label("Kind");
            ComboBox::from_id_salt("camera-kind").selected_text(to.kind.label()).width(150.0).show_ui(ui, |ui| {
                for &kind in CameraKind::ALL {
                    ui.selectable_value(&mut to.kind, kind, kind.label());
                }
            });
            ui.end_row();
            changed = changed.or((to.kind != camera.kind).then_some("kind"));
        }
        if !matches!(to.kind, CameraKind::Free | CameraKind::Stationary) {
            changed = follows(ui, shown, &mut to).or(changed);
        }
        if to.kind == CameraKind::ThirdPerson {
            let distance = DragValue::new(&mut to.third_person_distance).range(0.5..=50.0).speed(0.05).suffix(" m");
            if number(ui, "Distance", "How far behind whom it follows.", distance).changed() {
                changed = Some("distance");
            }
            let height = DragValue::new(&mut to.third_person_height).range(-10.0..=20.0).speed(0.02).suffix(" m");
            if number(ui, "Height", "How far above the line of sight.", height).changed() {
                changed = Some("height");
            }
        }
        match to.projection {
            Projection::Perspective => {
                let fov = DragValue::new(&mut to.fov_deg).range(10.0..=120.0).speed(0.2).suffix("°");
                if number(ui, "Field of view", "Vertical angle of the picture.", fov).changed() {
                    changed = Some("field of view");
                }
            }
            Projection::Orthogonal => {
                let half = DragValue::new(&mut to.ortho_scale).range(0.1..=500.0).speed(0.1).suffix(" m");
                if number(ui, "Half height", "Of what the picture shows.", half).changed() {
                    changed = Some("half height");
                }
            }
        }
        let mut flat = to.projection == Projection::Orthogonal;
        let help = "Parallel lines stay parallel.";
        if crate::ui::widgets::switch(ui, "Orthogonal", help, &mut flat).changed() {
            to.projection = if flat { Projection::Orthogonal } else { Projection::Perspective };
            changed = Some("projection");
        }
    });
    if let Some(field) = changed {
        out.push(edits::set_camera(format!("change the {field} of {name}"), id, field, to));
    }
}

/// Whom it follows.
fn follows(ui: &mut Ui, shown: &Shown<'_>, to: &mut SceneCamera) -> Option<&'static str> {
    let before = to.target;
    ui.label("Follows");
    ui.horizontal(|ui| {
        let name = before.map_or("none: flies freely".into(), |id| names::instance_name(shown.scene, id));
        ui.add(egui::Label::new(name).truncate());
        let selected = shown.selection.instance;
        let use_it = ui.add_enabled(selected.is_some(), egui::Button::new("Use selected"));
        if use_it.on_hover_text("Follow the selected instance.").clicked() {
            to.target = selected;
        }
        if before.is_some() && ui.button("Clear").clicked() {
            to.target = None;
        }
    });
    ui.end_row();
    (to.target != before).then_some("target")
}
