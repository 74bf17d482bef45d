//! Sun, sky and fog, the time of day, and what is heard.

use crate::scene::Settings;
use crate::scene::settings::Environment;
use crate::ui::command::Command;
use crate::ui::widgets::{choice, drag, form, number_or, reset, section, switch};
use crate::ui::{Shown, SoundSettings, edits};
use crate::vocab::DayPreset;
use egui::Ui;

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Environment", false, |ui| {
        let mut to = (*shown.scene.settings).clone();
        let usual = Environment::default();
        form(ui, "environment", |ui| {
            let help = "Degrees about the up axis; 0 is east, 90 north.";
            let turn = drag(-360.0..=360.0, 1.0, "°");
            let value = (&mut to.environment.light_east_west_deg, usual.light_east_west_deg);
            if number_or(ui, "Sun turn", help, value, turn).changed() {
                out.push(edits::set_settings("turn the sun", "sun-turn", to.clone()));
            }
            let height = drag(-90.0..=90.0, 1.0, "°");
            let value = (&mut to.environment.light_north_south_deg, usual.light_north_south_deg);
            if number_or(ui, "Sun height", "Degrees above the horizon.", value, height).changed() {
                out.push(edits::set_settings("raise the sun", "sun-height", to.clone()));
            }
            let strength = drag(0.0..=2.0, 0.01, "");
            let value = (&mut to.environment.light_intensity, usual.light_intensity);
            if number_or(ui, "Sun strength", "1 is full daylight.", value, strength).changed() {
                out.push(edits::set_settings("change the sun's strength", "sun-strength", to.clone()));
            }
            ui.label("Sun colour");
            let color = &mut to.environment.light_color;
            let picked = ui.horizontal(|ui| {
                // The button rounds what it is given.
                let mut rounded = *color;
                let button = ui.color_edit_button_rgb(&mut rounded);
                if button.changed() {
                    *color = rounded;
                }
                reset(ui, "Sun colour", color, usual.light_color, button)
            });
            if picked.inner.changed() {
                out.push(edits::set_settings("change the sun's colour", "sun-color", to.clone()));
            }
            ui.end_row();
            let fog = drag(0.0..=1.0, 0.0002, "").decimals(4);
            let value = (&mut to.environment.fog_density, usual.fog_density);
            if number_or(ui, "Fog", "Density per metre; 0 is none.", value, fog).changed() {
                out.push(edits::set_settings("change the fog", "fog", to.clone()));
            }
            day(ui, shown, &mut to, out);
            let sky = (&mut to.environment.sky_enabled, usual.sky_enabled);
            if switch(ui, "Sky", "Draw a sky, else a plain backdrop.", sky).changed() {
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
    let (mut to, usual) = (before, SoundSettings::default());
    let footsteps = (&mut to.footsteps, usual.footsteps);
    switch(ui, "Footsteps", "The steps of characters near the camera.", footsteps);
    switch(ui, "Music", "A quiet piece of music that repeats.", (&mut to.music, usual.music));
    let mut percent = to.volume * 100.0;
    let volume = drag(0.0..=100.0, 1.0, " %").decimals(0);
    if number_or(ui, "Volume", "Of steps and music.", (&mut percent, usual.volume * 100.0), volume).changed() {
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
    let usual = Environment::default();
    let help = "The sun's place by the time of day, in place of turn and height.";
    let preset = (&mut to.environment.day_preset, usual.day_preset);
    if choice(ui, "Time of day", help, preset, DayPreset::ALL, DayPreset::label) {
        out.push(edits::set_settings("change the time of day", "day-preset", to.clone()));
    }
    let help = "Lets the day go on while the simulation runs.";
    if switch(ui, "Clock", help, (&mut to.environment.day_enabled, usual.day_enabled)).changed() {
        out.push(edits::set_settings("switch the clock", "day-clock", to.clone()));
    }
    if to.environment.day_enabled {
        let speed = drag(0.0..=1440.0, 0.5, " min/s");
        let value = (&mut to.environment.day_minutes_per_sec, usual.day_minutes_per_sec);
        if number_or(ui, "Clock speed", "Minutes of the day per second.", value, speed).changed() {
            out.push(edits::set_settings("change the clock's speed", "day-speed", to.clone()));
        }
        if let Some(hour) = to.environment.hour(shown.world.secs()) {
            ui.label("Now");
            ui.label(format!("{:02}:{:02}", hour as u32 % 24, (hour.fract() * 60.0) as u32));
            ui.end_row();
        }
    }
}
