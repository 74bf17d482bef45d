//! Zones: boxes in which fog, light and music are others.

use crate::scene::list_place::place_now;
use crate::scene::{Environment, SceneZone, Settings};
use crate::ui::command::Command;
use crate::ui::sound_choice::SoundChoice;
use crate::ui::widgets::{axis, drag, form, number_or, section, vector};
use crate::ui::{UiContext, edits};
use egui::{Id, Ui};
use glam::Vec3;
use std::sync::Arc;

/// How far before the eye a new zone begins, metres.
const AHEAD: f32 = 6.0;

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Zones", false, |ui| {
        let before = &cx.scene.settings;
        let mut to = (**before).clone();
        let mut removed = None;
        let numbers = numbers_of(ui, before);
        for (i, number) in numbers.into_iter().enumerate() {
            let name = label(&to.zones[i], i);
            let environment = &before.environment;
            let zone = &mut to.zones[i];
            egui::CollapsingHeader::new(name).id_salt(("zone", number)).show(ui, |ui| {
                form(ui, &format!("zone {number}"), |ui| fields(ui, i, zone, environment, out));
                ui.horizontal_wrapped(|ui| {
                    if let Some(here) = place(cx)
                        && ui.button("Move zone here").on_hover_text(HERE).clicked()
                    {
                        zone.center = here;
                    }
                    if ui.button("✖ Remove zone").on_hover_text("Take it out of the scene.").clicked() {
                        removed = Some(i);
                    }
                });
            });
        }
        if let Some(i) = removed {
            to.zones.remove(i);
        }
        let help = "A box in which fog, light and music are others: around what is selected, or before the camera.";
        if ui.button("➕ Zone").on_hover_text(help).clicked() {
            let center = place(cx).unwrap_or_default();
            to.zones.push(SceneZone { center, ..SceneZone::default() });
        }
        changed(before, to, out);
    });
}

/// Numbers of the zones, which stay with them where others come and go: each stays open or closed.
#[derive(Clone, Default)]
struct ZoneNumbers {
    settings: Arc<Settings>,
    numbers: Vec<u64>,
    last: u64,
}

/// The numbers of the zones, in their order.
fn numbers_of(ui: &Ui, settings: &Arc<Settings>) -> Vec<u64> {
    let key = Id::new("zone numbers");
    let mut known: ZoneNumbers = ui.data(|data| data.get_temp(key)).unwrap_or_default();
    if !Arc::ptr_eq(&known.settings, settings) {
        let mut numbers = vec![None; settings.zones.len()];
        for (i, number) in known.numbers.iter().enumerate() {
            if let Some(place) = place_now(&known.settings.zones, &settings.zones, i) {
                numbers[place] = Some(*number);
            }
        }
        let fresh = known.last + 1..;
        known.numbers = numbers.into_iter().zip(fresh).map(|(number, fresh)| number.unwrap_or(fresh)).collect();
        known.last += known.numbers.len() as u64;
        known.settings = Arc::clone(settings);
        ui.data_mut(|data| data.insert_temp(key, known.clone()));
    }
    known.numbers
}

const HERE: &str = "To what is selected, or before the camera.";

/// What people call a zone.
fn label(zone: &SceneZone, i: usize) -> String {
    if zone.name.is_empty() { format!("Zone {}", i + 1) } else { zone.name.clone() }
}

/// Where a zone is put: at the selected instance, or before the camera.
fn place(cx: &UiContext<'_>) -> Option<Vec3> {
    let selected = cx.selection.instance.and_then(|id| cx.world.live(id)).map(|live| live.now.position);
    selected.or(cx.status.eye.map(|(eye, direction)| eye + direction * AHEAD))
}

fn changed(before: &Settings, to: Settings, out: &mut Vec<Command>) {
    let (name, key) = match to.zones.len().cmp(&before.zones.len()) {
        std::cmp::Ordering::Less => ("remove a zone", "remove-zone".to_owned()),
        std::cmp::Ordering::Greater => ("add a zone", "add-zone".to_owned()),
        std::cmp::Ordering::Equal => match changed_field(&before.zones, &to.zones) {
            Some(field) => ("change a zone", field),
            None => return,
        },
    };
    out.push(edits::set_settings(name, &key, to));
}

/// The field and number of the zone that was changed: the edits of one field become one step, those of two fields two.
fn changed_field(before: &[SceneZone], to: &[SceneZone]) -> Option<String> {
    let i = before.iter().zip(to).position(|(before, to)| before != to)?;
    let (a, b) = (&before[i], &to[i]);
    let fields = [
        ("name", a.name != b.name),
        ("middle", a.center != b.center),
        ("size", a.size != b.size),
        ("seam", a.fade != b.fade),
        ("fog", a.fog_density != b.fog_density),
        ("light", a.light_intensity != b.light_intensity),
        ("colour", a.light_color != b.light_color),
        ("music", a.music != b.music),
    ];
    let field = fields.into_iter().find(|(_, is_changed)| *is_changed).map_or("", |(field, _)| field);
    Some(format!("zone {i} {field}"))
}

fn fields(ui: &mut Ui, i: usize, zone: &mut SceneZone, scene: &Environment, out: &mut Vec<Command>) {
    let usual = SceneZone::default();
    let name = ui.label("Zone name");
    ui.add(egui::TextEdit::singleline(&mut zone.name).desired_width(120.0).char_limit(200)).labelled_by(name.id);
    ui.end_row();
    let center = zone.center;
    vector(ui, "Middle", "Where its middle is.", (&mut zone.center, center), axis(0.05, "m"));
    vector(
        ui,
        "Size",
        "Width, height and depth.",
        (&mut zone.size, usual.size),
        drag(0.1..=1e6, 0.05, "m").decimals(2),
    );
    let fade = drag(0.0..=100.0, 0.05, " m");
    number_or(ui, "Seam", "How far around it the change reaches.", (&mut zone.fade, usual.fade), fade);
    let fog = drag(0.0..=1.0, 0.0002, "").decimals(4);
    optional(ui, "Zone fog", "Density per metre in it.", &mut zone.fog_density, scene.fog_density, |ui, value| {
        fog.show(ui, value, "");
    });
    let strength = drag(0.0..=2.0, 0.01, "");
    let now = scene.light_intensity;
    optional(ui, "Zone light", "Strength of the light in it.", &mut zone.light_intensity, now, |ui, value| {
        strength.show(ui, value, "");
    });
    let help = "Colour of the light in it.";
    optional(ui, "Zone colour", help, &mut zone.light_color, scene.light_color, |ui, value| {
        let mut rounded = *value;
        if ui.color_edit_button_rgb(&mut rounded).changed() {
            *value = rounded;
        }
    });
    let help = "Track that is played in it, over and over, while music is on.";
    let name = ui.label("Zone music").on_hover_text(help);
    ui.horizontal(|ui| {
        let file = zone.music.rsplit('/').next().unwrap_or_default();
        let text = if file.is_empty() { "Choose…" } else { file };
        if ui.add(egui::Button::new(text).truncate()).labelled_by(name.id).on_hover_text(help).clicked() {
            out.push(Command::AskSound(SoundChoice::Zone(i)));
        }
        if !file.is_empty() && ui.button("None").on_hover_text("The music of the scene.").clicked() {
            zone.music.clear();
        }
    });
    ui.end_row();
}

/// A row with a switch, and a value while it is on; at first that of the scene.
fn optional<T>(ui: &mut Ui, label: &str, help: &str, value: &mut Option<T>, usual: T, show: impl Fn(&mut Ui, &mut T)) {
    ui.label("");
    ui.horizontal(|ui| {
        let mut on = value.is_some();
        if ui.checkbox(&mut on, label).on_hover_text(help).changed() {
            *value = on.then_some(usual);
        }
        if let Some(value) = value {
            show(ui, value);
        }
    });
    ui.end_row();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_of_each_zone_is_a_step_of_its_own() {
        let before = [SceneZone::default(), SceneZone::default()];
        let changed = |i: usize, change: &dyn Fn(&mut SceneZone)| {
            let mut to = before.clone();
            change(&mut to[i]);
            changed_field(&before, &to)
        };
        let keys = [
            changed(0, &|zone| zone.fade = 5.0),
            changed(0, &|zone| zone.size.x = 5.0),
            changed(1, &|zone| zone.fade = 5.0),
            changed(0, &|_| ()),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(keys[i + 1..].iter().all(|other| other != key), "{key:?}");
        }
        assert_eq!(changed(0, &|zone| zone.fade = 6.0), keys[0], "a drag is one step");
    }
}
