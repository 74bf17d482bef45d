//! Sun, sky and fog, the time of day, and what is heard.

use crate::scene::Settings;
use crate::ui::command::Command;
use crate::ui::widgets::{form, number, section, switch};
use crate::ui::{Shown, edits};
use crate::vocab::DayPreset;
use egui::{ComboBox, DragValue, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Environment", false, |ui| {
        let mut to = (*shown.scene.settings).clone();
        form(ui, "environment", |ui| {
            let turn = DragValue::new(&mut to.environment.light_east_west_deg).range(-360.0..=360.0).suffix("°");
            if number(ui, "Sun turn", "Degrees about the up axis; 0 is east, 90 north.", turn).changed() {
                out.push(edits::set_settings("turn the sun", "sun-turn", to.clone()));
            }
            let height = DragValue::new(&mut to.environment.light_north_south_deg).range(-90.0..=90.0).suffix("°");
            if number(ui, "Sun height", "Degrees above the horizon.", height).changed() {
                out.push(edits::set_settings("raise the sun", "sun-height", to.clone()));
            }
            let strength = DragValue::new(&mut to.environment.light_intensity).range(0.0..=2.0).speed(0.01);
            if number(ui, "Sun strength", "1 is full daylight.", strength).changed() {
                out.push(edits::set_settings("change the sun's strength", "sun-strength", to.clone()));
            }
            ui.label("Sun colour");
            if ui.color_edit_button_rgb(&mut to.environment.light_color).changed() {
                out.push(edits::set_settings("change the sun's colour", "sun-color", to.clone()));
            }
            ui.end_row();
            let fog = DragValue::new(&mut to.environment.fog_density).range(0.0..=1.0).speed(0.0002).max_decimals(4);
            if number(ui, "Fog", "Density per metre; 0 is none.", fog).changed() {
                out.push(edits::set_settings("change the fog", "fog", to.clone()));
            }
            day(ui, shown, &mut to, out);
            if switch(ui, "Sky", "Draw a sky, else a plain backdrop.", &mut to.environment.sky_enabled).changed() {
                let what = if to.environment.sky_enabled { "show the sky" } else { "hide the sky" };
                out.push(edits::set_settings(what, "sky", to.clone()));
            }
            sound(ui, shown, out);
        });
    });
}

/// What is heard. It belongs to the person, not to the scene.
fn sound(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    let (before, missing) = shown.status.sound;
    let mut to = before;
    switch(ui, "Footsteps", "The steps of characters near the camera.", &mut to.footsteps);
    switch(ui, "Music", "A quiet piece of music that repeats.", &mut to.music);
    let mut percent = to.volume * 100.0;
    let volume = DragValue::new(&mut percent).range(0.0..=100.0).max_decimals(0).suffix(" %");
    if number(ui, "Volume", "Of steps and music.", volume).changed() {
        to.volume = percent / 100.0;
    }
    if to != before {
        out.push(Command::Sound(to));
    }
    if missing {
        ui.label("");
        ui.weak("No sound device was found.");
        ui.end_row();
    }
}

/// The time of day.
fn day(ui: &mut Ui, shown: &Shown<'_>, to: &mut Settings, out: &mut Vec<Command>) {
    let help = "The sun's place by the time of day, in place of turn and height.";
    ui.label("Time of day").on_hover_text(help);
    let before = to.environment.day_preset;
    ComboBox::from_id_salt("day").selected_text(before.label()).width(110.0).show_ui(ui, |ui| {
        for &preset in DayPreset::ALL {
            ui.selectable_value(&mut to.environment.day_preset, preset, preset.label());
        }
    });
    ui.end_row();
    if to.environment.day_preset != before {
        out.push(edits::set_settings("change the time of day", "day-preset", to.clone()));
    }
    let help = "Lets the day go on while the simulation runs.";
    if switch(ui, "Clock", help, &mut to.environment.day_enabled).changed() {
        out.push(edits::set_settings("switch the clock", "day-clock", to.clone()));
    }
    if to.environment.day_enabled {
        let speed = DragValue::new(&mut to.environment.day_minutes_per_sec).range(0.0..=1440.0).speed(0.5);
        if number(ui, "Clock speed", "Minutes of the day per second.", speed.suffix(" min/s")).changed() {
            out.push(edits::set_settings("change the clock's speed", "day-speed", to.clone()));
        }
        if let Some(hour) = to.environment.hour(shown.world.secs()) {
            ui.label("Now");
            ui.label(format!("{:02}:{:02}", hour as u32 % 24, (hour.fract() * 60.0) as u32));
            ui.end_row();
        }
    }
}
