//! The camera looked through.

use crate::ui::Shown;
use crate::ui::command::{Action, Command};
use crate::ui::widgets::{form, section, text};
use crate::vocab::{CameraKind, Projection};
use egui::{ComboBox, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Camera", false, |ui| {
        let current = shown.status.camera.and_then(|id| shown.scene.cameras.get(id));
        ui.horizontal(|ui| {
            if ui.button("◀").on_hover_text("Previous camera ([)").clicked() {
                out.push(Command::Run(Action::PreviousCamera));
            }
            let name = current.map_or("Free flight", |camera| camera.name.as_str());
            ComboBox::from_id_salt("camera").selected_text(name).width(190.0).show_ui(ui, |ui| {
                for (id, camera) in shown.scene.cameras.iter() {
                    if ui.selectable_label(shown.status.camera == Some(id), camera.name.as_str()).clicked() {
                        out.push(Command::UseCamera(id));
                    }
                }
            });
            if ui.button("▶").on_hover_text("Next camera (])").clicked() {
                out.push(Command::Run(Action::NextCamera));
            }
        });
        let Some(camera) = current else { return };
        form(ui, "camera-form", |ui| {
            text(ui, "Kind", camera.kind.label());
            if camera.kind != CameraKind::Free && camera.kind != CameraKind::Stationary {
                let name = camera
                    .target
                    .map_or("none: flies freely".into(), |id| crate::ui::names::instance_name(shown.scene, id));
                text(ui, "Follows", name);
            }
            match camera.projection {
                Projection::Perspective => text(ui, "Field of view", format!("{:.0}°", camera.fov_deg)),
                Projection::Orthogonal => text(ui, "Half height", format!("{:.1} m", camera.ortho_scale)),
            }
        });
    });
}
