//! Light, sky and fog, and the time of day.

use crate::scene::Settings;
use crate::scene::settings::Environment;
use crate::ui::command::{Command, Purpose};
use crate::ui::widgets::{drag, form, number_or, reset, section, switch};
use crate::ui::{UiContext, edits};
use crate::vocab::DayPreset;
use egui::Ui;

/// Presets that have a button.
const PRESETS: [DayPreset; 5] =
    [DayPreset::FullLight, DayPreset::Morning, DayPreset::Noon, DayPreset::Evening, DayPreset::Midnight];

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Environment", false, |ui| {
        let mut to = (*cx.scene.settings).clone();
        let usual = Environment::of_new_scene();
        presets(ui, &mut to, out);
        // What the clock sets is shown, and cannot be changed.
        let by_clock = to.environment.day_enabled;
        let mut shown = Settings { environment: to.environment.at(cx.world.secs()), ..to.clone() };
        let mut ignored = Vec::new();
        ui.add_enabled_ui(!by_clock, |ui| {
            let (to, out) = if by_clock { (&mut shown, &mut ignored) } else { (&mut to, &mut *out) };
            form(ui, "light", |ui| light(ui, to, out));
        });
        form(ui, "environment", |ui| {
            clock(ui, cx, &mut to, out);
            let fog = drag(0.0..=1.0, 0.0002, "").decimals(4);
            let value = (&mut to.environment.fog_density, usual.fog_density);
            let help = "Density per metre: at 1 / density metres, fog takes away 63 % of the light; 0 is none.";
            if number_or(ui, "Fog", help, value, fog).changed() {
                out.push(edits::set_settings("change the fog", "fog", to.clone()));
            }
            let sky = (&mut to.environment.sky_enabled, usual.sky_enabled);
            if switch(ui, "Sky", "Draw a sky, else a plain background.", sky).changed() {
                let what = if to.environment.sky_enabled { "show the sky" } else { "hide the sky" };
                out.push(edits::set_settings(what, "sky", to.clone()));
            }
            sky_picture(ui, &mut to, out);
        });
    });
}

/// The picture that is the sky, where there is one.
fn sky_picture(ui: &mut Ui, to: &mut Settings, out: &mut Vec<Command>) {
    if !to.environment.sky_enabled {
        return;
    }
    let help = "A picture all around, twice as wide as high, or a cross of a cube's sides; it lights the scene.";
    let name = ui.label("Sky picture").on_hover_text(help);
    ui.horizontal(|ui| {
        let file = to.environment.sky_picture.rsplit('/').next().unwrap_or_default();
        let text = if file.is_empty() { "Choose…" } else { file };
        if ui.add(egui::Button::new(text).truncate()).labelled_by(name.id).on_hover_text(help).clicked() {
            out.push(Command::Ask(Purpose::Sky));
        }
        if !file.is_empty()
            && ui.button("Own sky").on_hover_text("Draw Walkabout's sky in place of the picture.").clicked()
        {
            to.environment.sky_picture.clear();
            out.push(edits::set_settings("draw Walkabout's sky", "sky-picture", to.clone()));
        }
    });
    ui.end_row();
}

/// One button for each preset: it sets direction, strength and colour of the light.
fn presets(ui: &mut Ui, to: &mut Settings, out: &mut Vec<Command>) {
    // Outside of the form, whose rows do not grow where buttons wrap.
    ui.horizontal_wrapped(|ui| {
        ui.label("Light").on_hover_text("Sets direction, strength and colour of the light.");
        for preset in PRESETS {
            let mut environment = to.environment.clone();
            environment.apply_preset(preset);
            let is_set = !to.environment.day_enabled && environment == to.environment;
            let button =
                ui.add_enabled(!to.environment.day_enabled, egui::Button::new(preset.label()).selected(is_set));
            let button = button.on_disabled_hover_text("The clock sets the light; switch it off first.");
            if button.clicked() && !is_set {
                to.environment = environment;
                let what = format!("set the light: {}", preset.label().to_lowercase());
                out.push(edits::set_settings(&what, "light-preset", to.clone()));
            }
        }
    });
}

/// Direction, strength and colour.
fn light(ui: &mut Ui, to: &mut Settings, out: &mut Vec<Command>) {
    let usual = Environment::of_new_scene();
    let angle = drag(0.0..=180.0, 1.0, "°");
    let help = "Degrees from east, 0, over the meridian, 90, to west, 180.";
    let value = (&mut to.environment.light_east_west_deg, usual.light_east_west_deg);
    if number_or(ui, "East-west", help, value, angle).changed() {
        out.push(edits::set_settings("turn the light east-west", "light-east-west", to.clone()));
    }
    let help = "Degrees from south, 0, over the zenith, 90, to north, 180.";
    let value = (&mut to.environment.light_north_south_deg, usual.light_north_south_deg);
    if number_or(ui, "North-south", help, value, angle).changed() {
        out.push(edits::set_settings("turn the light north-south", "light-north-south", to.clone()));
    }
    let strength = drag(0.0..=2.0, 0.01, "");
    let value = (&mut to.environment.light_intensity, usual.light_intensity);
    if number_or(ui, "Strength", "1 is full daylight.", value, strength).changed() {
        out.push(edits::set_settings("change the light's strength", "light-strength", to.clone()));
    }
    ui.label("Colour");
    let color = &mut to.environment.light_color;
    let picked = ui.horizontal(|ui| {
        // The button rounds what it is given.
        let mut rounded = *color;
        let button = ui.color_edit_button_rgb(&mut rounded);
        if button.changed() {
            *color = rounded;
        }
        reset(ui, "Colour", color, usual.light_color, button)
    });
    if picked.inner.changed() {
        out.push(edits::set_settings("change the light's colour", "light-color", to.clone()));
    }
    ui.end_row();
}

/// The clock of the day.
fn clock(ui: &mut Ui, cx: &UiContext<'_>, to: &mut Settings, out: &mut Vec<Command>) {
    let usual = Environment::of_new_scene();
    let help = "Lets the light follow the time of day, from noon on, while the simulation runs.";
    if switch(ui, "Clock", help, (&mut to.environment.day_enabled, usual.day_enabled)).changed() {
        let what = if to.environment.day_enabled { "start the clock" } else { "stop the clock" };
        out.push(edits::set_settings(what, "day-clock", to.clone()));
    }
    if !to.environment.day_enabled {
        return;
    }
    let speed = drag(0.0..=1440.0, 0.5, " min/s");
    let value = (&mut to.environment.day_minutes_per_sec, usual.day_minutes_per_sec);
    if number_or(ui, "Clock speed", "Minutes of the day per second.", value, speed).changed() {
        out.push(edits::set_settings("change the clock's speed", "day-speed", to.clone()));
    }
    if let Some(minute) = to.environment.minute(cx.world.secs()) {
        ui.label("Now");
        ui.label(format!("{:02}:{:02}", minute as u32 / 60 % 24, minute as u32 % 60));
        ui.end_row();
    }
}
