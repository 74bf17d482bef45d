//! Plays and scrubs the clips of a model on one of its instances.

use super::{Animation, Chosen, clip_box};
use crate::anim::ClipAt;
use crate::ids::ClipId;
use egui::{DragValue, Slider, Ui};

/// The player.
#[derive(Clone, Debug)]
pub struct Player {
    on: bool,
    playing: bool,
    clip: u32,
    time_secs: f32,
    speed: f32,
}

impl Default for Player {
    fn default() -> Self {
        Self { on: false, playing: true, clip: 0, time_secs: 0.0, speed: 1.0 }
    }
}

impl Player {
    /// What it shows; nothing while it is off.
    pub fn at(&self) -> Option<ClipAt> {
        self.on.then_some(ClipAt { clip: ClipId(self.clip), time_secs: self.time_secs })
    }

    /// Plays a clip from its start.
    pub fn play(&mut self, clip: u32) {
        (self.on, self.playing, self.clip, self.time_secs) = (true, true, clip, 0.0);
    }

    /// Goes on by `dt_secs`, round and round.
    fn advance(&mut self, duration_secs: f32, dt_secs: f32) {
        let next = self.time_secs + dt_secs * self.speed;
        self.time_secs = if duration_secs > 0.0 { next.rem_euclid(duration_secs) } else { 0.0 };
    }
}

/// Draws the player.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, state: &mut Animation) {
    let player = &mut state.player;
    player.clip = player.clip.min(chosen.file.clips.len() as u32 - 1);
    let duration_secs = chosen.file.clips[player.clip as usize].duration_secs;
    if player.on && player.playing {
        player.advance(duration_secs, ui.input(|input| input.stable_dt).min(0.1));
        ui.ctx().request_repaint();
    }
    ui.horizontal_wrapped(|ui| {
        let help = "Show a clip on the selected instance, or the first of this model, in place of what it does.";
        ui.checkbox(&mut player.on, "Preview").on_hover_text(help);
        if state.shown_on.is_none() {
            ui.weak("Place an instance of this model to see its clips.");
        }
        let before = player.clip;
        clip_box(ui, "clip to play", chosen.file, &mut player.clip);
        if player.clip != before {
            player.play(player.clip);
        }
        let (label, help) = if player.playing { ("⏸ Hold", "Stop at this moment.") } else { ("▶ Play", "Go on.") };
        if ui.button(label).on_hover_text(help).clicked() {
            player.playing = !player.playing;
            player.on = true;
        }
        ui.spacing_mut().slider_width = 220.0;
        let scrub = Slider::new(&mut player.time_secs, 0.0..=duration_secs.max(1e-3)).suffix(" s").text("moment");
        if ui.add(scrub.max_decimals(3)).on_hover_text("Drag to see the clip moment by moment.").changed() {
            (player.on, player.playing) = (true, false);
        }
        let speed = DragValue::new(&mut player.speed).range(0.05..=4.0).speed(0.01).suffix("×");
        ui.add(speed).on_hover_text("Speed of the player; 1 plays the clip as it was made.");
        ui.checkbox(&mut state.names, "Bone names").on_hover_text("Write the names of the bones into the picture.");
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_round_and_shows_nothing_while_off() {
        let mut player = Player::default();
        assert_eq!(player.at(), None);
        player.play(2);
        player.speed = 2.0;
        player.advance(1.0, 0.7);
        let at = player.at().unwrap();
        assert!(at.clip == ClipId(2) && (at.time_secs - 0.4).abs() < 1e-5, "{at:?}");
        player.advance(0.0, 0.7);
        assert_eq!(player.time_secs, 0.0);
    }
}
