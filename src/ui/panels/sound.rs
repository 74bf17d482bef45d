//! Music and sounds: what a person hears, and what the scene names.

use crate::scene::{SceneSounds, Settings};
use crate::sound::{MusicCommand, SoundSettings};
use crate::ui::command::Command;
use crate::ui::sound_choice::SoundChoice;
use crate::ui::theme::ROW_HEIGHT;
use crate::ui::widgets::{drag, form, number_or, section, switch};
use crate::ui::{UiContext, edits};
use crate::vocab::MoveState;
use egui::Ui;

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Sound", false, |ui| {
        form(ui, "sound", |ui| {
            sound_settings(ui, cx, out);
            folder(ui, cx, out);
        });
        music(ui, cx, out);
        scene_sounds(ui, cx, out);
    });
}

/// What is heard. It belongs to the person, not to the scene.
fn sound_settings(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let (before, usual) = (cx.status.sound.settings, SoundSettings::default());
    let mut to = before;
    let help = "The steps of characters near the camera.";
    switch(ui, "Footsteps", help, (&mut to.footsteps, usual.footsteps));
    let help = "Sounds that the scene names for actions and places.";
    switch(ui, "Actions and places", help, (&mut to.effects, usual.effects));
    switch(ui, "Music", "The tracks of a folder, one after the other.", (&mut to.music, usual.music));
    let volume = |ui: &mut Ui, label: &str, help: &str, value: &mut f32, usual: f32| {
        let mut percent = *value * 100.0;
        let field = drag(0.0..=100.0, 1.0, " %").decimals(0);
        if number_or(ui, label, help, (&mut percent, usual * 100.0), field).changed() {
            *value = percent / 100.0;
        }
    };
    let help = "Of steps, actions and places.";
    volume(ui, "Effects volume", help, &mut to.effects_volume, usual.effects_volume);
    volume(ui, "Music volume", "Of music.", &mut to.music_volume, usual.music_volume);
    if to != before {
        out.push(Command::Sound(to));
    }
    if cx.status.sound.is_missing {
        ui.label("");
        ui.weak("No sound device was found.");
        ui.end_row();
    }
}

/// The folder of the tracks.
fn folder(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let sounds = &cx.scene.settings.sounds;
    let help = "Its WAV, OGG, MP3 and FLAC files are the tracks.";
    let name = ui.label("Folder").on_hover_text(help);
    ui.horizontal(|ui| {
        let button = ui.add(egui::Button::new(sounds.folder()).truncate()).labelled_by(name.id);
        if button.on_hover_text(help).clicked() {
            out.push(Command::AskSound(SoundChoice::MusicFolder));
        }
        if !sounds.music_folder.is_empty() && ui.button("Usual").on_hover_text("The folder assets/music.").clicked() {
            let mut to = (*cx.scene.settings).clone();
            to.sounds.music_folder.clear();
            out.push(edits::set_settings("play the usual tracks", "music-folder", to));
        }
    });
    ui.end_row();
}

/// The track that plays, and the list of all.
fn music(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let music = &cx.status.sound.music;
    ui.horizontal_wrapped(|ui| {
        let play = if music.is_playing {
            ("⏸", "Pause the music", MusicCommand::Pause)
        } else {
            ("▶", "Play the music", MusicCommand::Play)
        };
        let buttons = [
            ("⏮", "Previous track", MusicCommand::Previous),
            play,
            ("⏹", "Stop the music", MusicCommand::Stop),
            ("⏭", "Next track", MusicCommand::Next),
            ("🔀", "Random track", MusicCommand::Random),
            ("⟳", "Read folder and sounds again", MusicCommand::Reload),
        ];
        for (sign, help, command) in buttons {
            let button = ui.button(sign).on_hover_text(help);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, help));
            if button.clicked() {
                out.push(Command::Music(command));
            }
        }
    });
    if music.current.is_some() && music.duration_secs > 0.0 {
        let mut secs = music.position_secs;
        let time =
            |secs: f64, _: std::ops::RangeInclusive<usize>| format!("{}:{:02}", secs as u64 / 60, secs as u64 % 60);
        let slider = egui::Slider::new(&mut secs, 0.0..=music.duration_secs).custom_formatter(time);
        if ui.add(slider).on_hover_text("Place in the track").changed() {
            out.push(Command::Music(MusicCommand::Seek(secs)));
        }
    }
    let area = egui::ScrollArea::vertical().id_salt("tracks").max_height(140.0);
    area.show_rows(ui, ROW_HEIGHT, music.tracks.len(), |ui, range| {
        for i in range {
            let row = egui::Button::selectable(music.current == Some(i), music.tracks[i].as_str()).truncate();
            if ui.add(row.min_size(egui::vec2(0.0, ROW_HEIGHT))).clicked() {
                out.push(Command::Music(MusicCommand::Track(i)));
            }
        }
    });
}

/// Sounds that the scene names, each with a button that takes it out.
fn scene_sounds(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let before = &cx.scene.settings;
    let mut to = (**before).clone();
    let sounds = &mut to.sounds;
    rows(ui, &mut sounds.actions, |ui, one| {
        ui.label(one.state.label());
        file(ui, &one.file);
    });
    rows(ui, &mut sounds.grounds, |ui, one| {
        ui.add(egui::TextEdit::singleline(&mut one.material).desired_width(80.0))
            .on_hover_text("Part of the name of the ground's material");
        file(ui, &one.file);
    });
    rows(ui, &mut sounds.places, |ui, one| {
        drag(0.1..=1000.0, 0.1, " m").show(ui, &mut one.reach, "How far away it is heard");
        file(ui, &one.file);
    });
    ui.horizontal_wrapped(|ui| {
        ui.menu_button("➕ Action", |ui| {
            for &state in MoveState::ALL {
                if ui.button(state.label()).clicked() {
                    out.push(Command::AskSound(SoundChoice::Action(state)));
                    ui.close();
                }
            }
        });
        let help = "Steps on a ground, by a part of its material's name.";
        if ui.button("➕ Ground").on_hover_text(help).clicked() {
            out.push(Command::AskSound(SoundChoice::Ground));
        }
        let help = "A sound that repeats where the selected instance stands, or before the camera.";
        if ui.button("➕ Place").on_hover_text(help).clicked() {
            out.push(Command::AskSound(SoundChoice::Place));
        }
    });
    changed(before, to, out);
}

fn changed(before: &Settings, to: Settings, out: &mut Vec<Command>) {
    let count = |sounds: &SceneSounds| sounds.files().count();
    if count(&to.sounds) < count(&before.sounds) {
        out.push(edits::set_settings("remove a sound", "remove-sound", to));
    } else if to.sounds != before.sounds {
        // The edits of one row become one step, those of two rows two.
        let (a, b) = (&before.sounds, &to.sounds);
        let ground = a.grounds.iter().zip(&b.grounds).position(|(a, b)| a != b).map(|i| format!("ground sound {i}"));
        let place = || a.places.iter().zip(&b.places).position(|(a, b)| a != b).map(|i| format!("sound of place {i}"));
        let key = ground.or_else(place).unwrap_or_else(|| "sound".to_owned());
        out.push(edits::set_settings("change a sound", &key, to));
    }
}

/// The name of a file; where it is long, its end is left out.
fn file(ui: &mut Ui, file: &str) {
    ui.add(egui::Label::new(file).truncate()).on_hover_text(file);
}

/// One row for each entry; the button before it takes it out: behind a long name it would lie outside of the panel.
fn rows<T>(ui: &mut Ui, list: &mut Vec<T>, show: impl Fn(&mut Ui, &mut T)) {
    list.retain_mut(|one| {
        let removed = ui
            .horizontal(|ui| {
                let removed = ui.small_button("✖").on_hover_text("Take it out").clicked();
                show(ui, one);
                removed
            })
            .inner;
        !removed
    });
}
