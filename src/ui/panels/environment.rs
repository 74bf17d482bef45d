//! Light, sky and fog, and the time of day.

use crate::scene::Settings;
use crate::scene::settings::Environment;
use crate::ui::command::{Command, Purpose};
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::widgets::{drag, form, reset, section, text};
use crate::ui::{UiContext, edits};
use crate::vocab::DayPreset;
use egui::Ui;

/// Presets that have a button.
pub const PRESETS: [DayPreset; 5] =
    [DayPreset::FullLight, DayPreset::Morning, DayPreset::Noon, DayPreset::Evening, DayPreset::Midnight];

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Environment", false, |ui| {
        presets(ui, cx, out);
        // What the clock sets is shown, and cannot be changed.
        let by_clock = cx.scene.settings.environment.day_enabled;
        let mut ignored = Vec::new();
        ui.add_enabled_ui(!by_clock, |ui| {
            let out = if by_clock { &mut ignored } else { &mut *out };
            form(ui, "light", |ui| light(ui, cx, out));
        });
        form(ui, "environment", |ui| {
            let mut rows = edit_rows::of_settings(ui, cx, out);
            clock(&mut rows, cx);
            let help = "Density per metre: at 1 / density metres, fog takes away 63 % of the light; 0 is none.";
            let row = rows.row("Fog", help).edit("change the fog", "fog");
            row.number(drag(0.0..=1.0, 0.0002, "").decimals(4), |to| &mut to.environment.fog_density);
            rows.row("Sky", "Draw a sky, else a plain background.")
                .either("show the sky", "hide the sky", "sky")
                .switch(|to| &mut to.environment.sky_enabled);
            sky_picture(&mut rows);
        });
    });
}

/// The picture that is the sky, where there is one.
fn sky_picture(rows: &mut EditRows<'_, Settings>) {
    if !rows.to.environment.sky_enabled {
        return;
    }
    let help = "A picture all around, twice as wide as high, or a cross of a cube's sides; it lights the scene.";
    let name = rows.ui.label("Sky picture").on_hover_text(help);
    let file = rows.to.environment.sky_picture.rsplit('/').next().unwrap_or_default();
    let text = if file.is_empty() { "Choose…" } else { file };
    let [asks, clears] = rows
        .ui
        .horizontal(|ui| {
            let button = ui.add(egui::Button::new(text).truncate()).labelled_by(name.id).on_hover_text(help);
            let help = "Draw Walkabout's sky in place of the picture.";
            [button.clicked(), !file.is_empty() && ui.button("Own sky").on_hover_text(help).clicked()]
        })
        .inner;
    if asks {
        rows.out.push(Command::Ask(Purpose::Sky));
    }
    if clears {
        rows.ask("draw Walkabout's sky", "sky-picture", |to| to.environment.sky_picture.clear());
    }
    rows.ui.end_row();
}

/// One button for each preset: it sets direction, strength and colour of the light.
fn presets(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let now = &cx.scene.settings.environment;
    // Outside of the form, whose rows do not grow where buttons wrap.
    ui.horizontal_wrapped(|ui| {
        ui.label("Light").on_hover_text("Sets direction, strength and colour of the light.");
        for preset in PRESETS {
            let mut environment = now.clone();
            environment.apply_preset(preset);
            let is_set = !now.day_enabled && environment == *now;
            let button = ui.add_enabled(!now.day_enabled, egui::Button::new(preset.label()).selected(is_set));
            let button = button.on_disabled_hover_text("The clock sets the light; switch it off first.");
            if button.clicked() && !is_set {
                out.push(set_light(&cx.scene.settings, preset));
            }
        }
    });
}

/// Sets the light to that of a preset; the clock, which would change it, stops.
pub fn set_light(settings: &Settings, preset: DayPreset) -> Command {
    let mut to = settings.clone();
    to.environment.day_enabled = false;
    to.environment.apply_preset(preset);
    edits::set_settings(&format!("set the light: {}", preset.label().to_lowercase()), "light-preset", to)
}

/// Direction, strength and colour.
fn light(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let mut rows = edit_rows::of_settings(ui, cx, out);
    if rows.to.environment.day_enabled {
        rows.to.environment = rows.to.environment.at(cx.world.secs());
    }
    let angle = drag(0.0..=180.0, 1.0, "°");
    rows.row("East-west", "Degrees from east, 0, over the meridian, 90, to west, 180.")
        .edit("turn the light east-west", "light-east-west")
        .number(angle, |to| &mut to.environment.light_east_west_deg);
    rows.row("North-south", "Degrees from south, 0, over the zenith, 90, to north, 180.")
        .edit("turn the light north-south", "light-north-south")
        .number(angle, |to| &mut to.environment.light_north_south_deg);
    let row = rows.row("Strength", "1 is full daylight.").edit("change the light's strength", "light-strength");
    row.number(drag(0.0..=2.0, 0.01, ""), |to| &mut to.environment.light_intensity);
    rows.ui.label("Colour");
    let mut color = rows.to.environment.light_color;
    let picked = rows.ui.horizontal(|ui| {
        // The button rounds what it is given.
        let mut rounded = color;
        let button = ui.color_edit_button_rgb(&mut rounded);
        if button.changed() {
            color = rounded;
        }
        reset(ui, "Colour", &mut color, Environment::of_new_scene().light_color, button)
    });
    if picked.inner.changed() {
        rows.ask("change the light's colour", "light-color", |to| to.environment.light_color = color);
    }
    rows.ui.end_row();
}

/// The clock of the day.
fn clock(rows: &mut EditRows<'_, Settings>, cx: &UiContext<'_>) {
    rows.row("Clock", "Lets the light follow the time of day, from noon on, while the simulation runs.")
        .either("start the clock", "stop the clock", "day-clock")
        .switch(|to| &mut to.environment.day_enabled);
    if !rows.to.environment.day_enabled {
        return;
    }
    let row = rows.row("Clock speed", "Minutes of the day per second.").edit("change the clock's speed", "day-speed");
    row.number(drag(0.0..=1440.0, 0.5, " min/s"), |to| &mut to.environment.day_minutes_per_sec);
    if let Some(minute) = rows.to.environment.minute(cx.world.secs()) {
        text(rows.ui, "Now", format!("{:02}:{:02}", minute as u32 / 60 % 24, minute as u32 % 60));
    }
}
