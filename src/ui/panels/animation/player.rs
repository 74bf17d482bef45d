//! Plays and scrubs the clips of a model on one of its instances, and tries its gaits and head movements.

use super::clips::{Chosen, clip_box};
use super::order_preview::OrderPreview;
use crate::anim::gait::{Gait, GaitState};
use crate::anim::{Blend, ClipAt, Playback};
use crate::ids::ClipId;
use crate::sim::Ghost;
use crate::sim::model_rig::blended_gait;
use crate::ui::choices::choice_row;
use crate::ui::widgets::{drag, value_or};
use crate::vocab::{HeadMove, MoveDirection, MoveState};
use egui::{ComboBox, Slider, Ui, WidgetInfo, WidgetType};

/// What is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tries {
    /// A clip alone.
    #[default]
    Clip,
    /// A gait, with the head turned.
    Moves,
    /// An order.
    Order,
}

/// What comes after the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Replay {
    /// Its beginning.
    #[default]
    Again,
    /// Nothing: it stands at its end.
    Once,
    /// The way back.
    PingPong,
}

impl Replay {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Again, "again and again"), (Self::Once, "once"), (Self::PingPong, "there and back")];

    /// A time of the clip after `dt_secs` more, below zero backwards, and whether it turns back or stops there.
    fn go_on(self, time_secs: f32, dt_secs: f32, duration_secs: f32) -> (f32, bool) {
        let next = time_secs + dt_secs;
        if duration_secs <= 0.0 {
            return (0.0, false);
        }
        let ends = !(0.0..=duration_secs).contains(&next);
        match self {
            Self::Again => (next.rem_euclid(duration_secs), false),
            Self::Once => (next.clamp(0.0, duration_secs), ends),
            Self::PingPong if next > duration_secs => ((2.0 * duration_secs - next).max(0.0), true),
            Self::PingPong => (next.abs().min(duration_secs), ends),
        }
    }
}

/// A second clip that is shown besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Compares {
    #[default]
    Nothing,
    /// In the place of the first.
    Over(u32),
    /// To its left.
    Beside(u32),
}

/// The player.
#[derive(Clone, Debug)]
pub struct Player {
    /// Whether bones have their names in the viewport.
    pub(super) bone_names: bool,
    on: bool,
    playing: bool,
    tries: Tries,
    clip: u32,
    time_secs: f32,
    /// How long gaits or an order have been tried, seconds.
    tried_secs: f32,
    speed: f32,
    replay: Replay,
    compares: Compares,
    /// Whether it is on the way back.
    goes_back: bool,
    direction: MoveDirection,
    /// 0 stands, 1 walks, 2 runs.
    pace: f32,
    gait: GaitState,
    order: Option<OrderPreview>,
    /// Turn to the side and tilt, each -1…1.
    head: [f32; 2],
}

impl Default for Player {
    fn default() -> Self {
        Self {
            bone_names: false,
            on: false,
            playing: true,
            tries: Tries::Clip,
            clip: 0,
            time_secs: 0.0,
            tried_secs: 0.0,
            speed: 1.0,
            replay: Replay::default(),
            compares: Compares::default(),
            goes_back: false,
            direction: MoveDirection::Any,
            pace: 1.0,
            gait: GaitState::default(),
            order: None,
            head: [0.0; 2],
        }
    }
}

impl Player {
    /// What it shows of a model; nothing while it is off.
    pub(super) fn shows(&self, chosen: &Chosen<'_>) -> Option<Playback> {
        let at = ClipAt { clip: ClipId(self.clip), time_secs: self.time_secs };
        let clip = Blend { clips: [at; 2], weight: 0.0 };
        let shown = match self.tries {
            Tries::Clip => Playback::of(clip),
            Tries::Order => self.order.as_ref().map_or(Playback::of(clip), OrderPreview::shown),
            Tries::Moves => {
                let blend = gait_of(chosen, self.direction).map_or(clip, |gait| self.gait.blend(&gait));
                Playback { head: head_of(chosen, self.head), ..Playback::of(blend) }
            }
        };
        self.on.then_some(shown)
    }

    /// The clip that is chosen.
    pub(super) fn clip(&self) -> u32 {
        self.clip
    }

    /// Chooses a clip of another model, unless one is shown.
    pub(super) fn begin_with(&mut self, clip: u32) {
        if !self.on {
            (self.clip, self.time_secs) = (clip, 0.0);
        }
    }

    /// The moment of the clip, seconds.
    pub(super) fn time_secs(&self) -> f32 {
        self.time_secs
    }

    /// Holds the clip at a moment.
    pub(super) fn scrub(&mut self, time_secs: f32) {
        (self.on, self.playing, self.tries, self.time_secs) = (true, false, Tries::Clip, time_secs);
    }

    /// The second body, which plays another clip at the same moment; beside gaits and orders, which have none, again and again.
    pub(super) fn ghost(&self, chosen: &Chosen<'_>) -> Option<Ghost> {
        let (clip, beside) = match self.compares {
            Compares::Nothing => return None,
            Compares::Over(clip) => (clip, 0.0),
            Compares::Beside(clip) => (clip, BESIDE_SHARE * chosen.file.rest_bounds.size().y.clamp(0.1, 10.0)),
        };
        let duration_secs = chosen.file.clips.get(clip as usize).map_or(0.0, |clip| clip.duration_secs);
        let moment_secs = if self.tries == Tries::Clip { self.time_secs } else { self.tried_secs };
        let time_secs = if duration_secs > 0.0 { moment_secs.rem_euclid(duration_secs) } else { 0.0 };
        let shows = Playback::of(Blend::from(ClipAt { clip: ClipId(clip), time_secs }));
        self.on.then_some(Ghost { shows, beside })
    }

    /// Plays a clip from its start.
    pub fn play(&mut self, clip: u32) {
        (self.on, self.playing, self.clip, self.time_secs) = (true, true, clip, 0.0);
        self.goes_back = false;
        self.tries = Tries::Clip;
    }

    /// Plays a state and the action that follows it.
    pub fn play_order(&mut self, from: MoveState, to: MoveState) {
        (self.on, self.playing, self.tries, self.tried_secs) = (true, true, Tries::Order, 0.0);
        self.order = Some(OrderPreview::new(from, to));
    }

    /// Begins the order anew, without what another model played.
    pub(super) fn restart_order(&mut self) {
        self.order = self.order.as_ref().map(OrderPreview::restarted);
    }

    /// Goes on by `dt_secs`.
    fn advance(&mut self, chosen: &Chosen<'_>, dt_secs: f32) {
        let dt_secs = dt_secs * self.speed;
        self.tried_secs += dt_secs.abs();
        if let Some(order) = self.order.as_mut().filter(|_| self.tries == Tries::Order) {
            order.advance(chosen.animation_set(), dt_secs.abs());
            return;
        }
        if let Some(gait) = gait_of(chosen, self.direction).filter(|_| self.tries == Tries::Moves) {
            self.gait.advance(&gait, self.pace, dt_secs.abs());
            return;
        }
        let duration_secs = chosen.file.clips.get(self.clip as usize).map_or(0.0, |clip| clip.duration_secs);
        self.goes_back &= self.replay == Replay::PingPong;
        let by = if self.goes_back { -dt_secs } else { dt_secs };
        let (time_secs, ends) = self.replay.go_on(self.time_secs, by, duration_secs);
        self.time_secs = time_secs;
        self.goes_back ^= ends && self.replay == Replay::PingPong;
        self.playing &= !(ends && self.replay == Replay::Once);
    }

    fn try_moves(&mut self) {
        if self.tries != Tries::Moves {
            self.tried_secs = 0.0;
        }
        (self.on, self.playing, self.tries) = (true, true, Tries::Moves);
    }

    /// Tries the gaits: the way one moves, and how fast.
    pub(super) fn try_gait(&mut self, ui: &mut Ui, chosen: &Chosen<'_>) {
        ui.horizontal(|ui| {
            ui.label("Try").on_hover_text("Show the gait on the selected instance, or the first of this model.");
            let before = self.direction;
            let list = ComboBox::from_id_salt("gait to try").selected_text(before.label()).width(90.0);
            let list = list.show_ui(ui, |ui| {
                for set in &chosen.entry.blend_sets {
                    choice_row(ui, &mut self.direction, set.direction, set.direction.label());
                }
            });
            list.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "gait to try"));
            let pace = Slider::new(&mut self.pace, 0.0..=2.0).text("pace").max_decimals(2);
            let help = "0 stands, 1 walks at full speed, 2 runs; between them clips are blended.";
            if ui.add(pace).on_hover_text(help).changed() || self.direction != before {
                self.try_moves();
            }
        });
    }

    /// Tries the head movements, on top of the gait.
    pub(super) fn try_head(&mut self, ui: &mut Ui) {
        let sides = [("turn", "-1 to the left, 1 to the right."), ("tilt", "-1 up, 1 down.")];
        let mut is_changed = false;
        for (value, (name, help)) in self.head.iter_mut().zip(sides) {
            let slider = Slider::new(value, -1.0..=1.0).text(name).max_decimals(2);
            is_changed |= ui.add(slider).on_hover_text(help).changed();
        }
        if is_changed {
            self.try_moves();
        }
    }
}

/// The gait of a model in a direction; `None` without any.
fn gait_of(chosen: &Chosen<'_>, direction: MoveDirection) -> Option<Gait> {
    let sets = &chosen.entry.blend_sets;
    let set = chosen.entry.blend_set(direction).or(sets.first())?;
    Some(blended_gait(set, Some(&**chosen.file)))
}

/// The head layers for a turn and a tilt.
fn head_of(chosen: &Chosen<'_>, head: [f32; 2]) -> [ClipAt; 2] {
    let sides = [[HeadMove::Left, HeadMove::Right], [HeadMove::Up, HeadMove::Down]];
    std::array::from_fn(|i| {
        let movement = sides[i][usize::from(head[i] > 0.0)];
        let clip = chosen.entry.head_clips.iter().find(|(other, _)| *other == movement).map(|row| row.1);
        let file = clip.and_then(|clip| Some((clip, chosen.file.clips.get(clip as usize)?)));
        file.map_or(ClipAt::default(), |(clip, file)| ClipAt {
            clip: ClipId(clip),
            time_secs: head[i].abs() * file.duration_secs,
        })
    })
}

/// Least and greatest length of the slider that scrubs, and room for its value and name beside it, points.
const SCRUB: [f32; 2] = [80.0, 220.0];
const SCRUB_VALUE: f32 = 140.0;
/// Width of the list of what comes after a clip's end, points.
const REPLAY_WIDTH: f32 = 110.0;
/// Width of the list of how a second clip is shown, points.
const COMPARE_WIDTH: f32 = 150.0;
/// How far apart two bodies stand, as a share of the height of the model.
const BESIDE_SHARE: f32 = 0.6;

/// Draws the player; `is_shown` says whether an instance shows the model.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, is_shown: bool, player: &mut Player) {
    player.clip = player.clip.min(chosen.file.clips.len() as u32 - 1);
    let duration_secs = chosen.file.clips[player.clip as usize].duration_secs;
    // A clip that was cut or is another now may be over by then: the slider would go back as if it were dragged.
    player.time_secs = player.time_secs.min(duration_secs);
    if player.on && player.playing {
        player.advance(chosen, ui.input(|input| input.stable_dt).min(0.1));
        ui.ctx().request_repaint();
    }
    ui.horizontal_wrapped(|ui| {
        let help = "Show a clip on the selected instance, or the first of this model, in place of what it does.";
        ui.checkbox(&mut player.on, "Preview").on_hover_text(help);
        if !is_shown {
            ui.weak("Place an instance of this model to see its clips.");
        }
        let before = player.clip;
        clip_box(ui, "clip to play", chosen.file, &mut player.clip);
        if player.clip != before {
            player.play(player.clip);
        }
        let plays = player.on && player.playing;
        let (label, help) = if plays { ("⏸ Hold", "Stop at this moment.") } else { ("▶ Play", "Go on.") };
        if ui.button(label).on_hover_text(help).clicked() {
            (player.on, player.playing) = (true, !plays);
            let (start, end) = if player.speed < 0.0 { (duration_secs, 0.0) } else { (0.0, duration_secs) };
            if player.replay == Replay::Once && player.time_secs == end {
                player.time_secs = start;
            }
        }
        // The slider takes what is left of the row beside its value, or a row of its own where that is too little.
        if ui.available_size_before_wrap().x < SCRUB[0] + SCRUB_VALUE {
            ui.end_row();
        }
        let room = ui.available_size_before_wrap().x - SCRUB_VALUE;
        ui.spacing_mut().slider_width = room.clamp(SCRUB[0], SCRUB[1]);
        // The slider rounds what it is lent, which is no drag.
        let shown = (player.time_secs * 1000.0).round() / 1000.0;
        let mut moment = shown;
        let scrub = Slider::new(&mut moment, 0.0..=duration_secs.max(1e-3)).suffix(" s").text("moment");
        ui.add(scrub.max_decimals(3)).on_hover_text("Drag to see the clip moment by moment.");
        if moment != shown {
            player.scrub(moment);
        }
        let help = "Speed of the player; 1 plays the clip as it was made, -1 backwards.";
        value_or(ui, "speed of the player", help, (&mut player.speed, 1.0), drag(-4.0..=4.0, 0.01, "×"));
        // A list does not go to the next row by itself.
        if ui.available_size_before_wrap().x < REPLAY_WIDTH + ui.spacing().item_spacing.x {
            ui.end_row();
        }
        let label = Replay::ALL.iter().find(|row| row.0 == player.replay).map_or("", |row| row.1);
        let list = ComboBox::from_id_salt("replay").selected_text(label).width(REPLAY_WIDTH).show_ui(ui, |ui| {
            for (replay, label) in Replay::ALL {
                choice_row(ui, &mut player.replay, replay, label);
            }
        });
        list.response.on_hover_text("What comes after the end of the clip.");
        ui.checkbox(&mut player.bone_names, "Bone names")
            .on_hover_text("Write the names of the bones into the viewport.");
        compare(ui, chosen, player);
    });
}

/// Chooses a second clip, which a blue body plays in the place of the first or beside it.
fn compare(ui: &mut Ui, chosen: &Chosen<'_>, player: &mut Player) {
    if ui.available_size_before_wrap().x < COMPARE_WIDTH + ui.spacing().item_spacing.x {
        ui.end_row();
    }
    let clip = match player.compares {
        Compares::Nothing => player.clip,
        Compares::Over(clip) | Compares::Beside(clip) => clip,
    };
    let choices = [
        (Compares::Nothing, "no second clip"),
        (Compares::Over(clip), "second clip as ghost"),
        (Compares::Beside(clip), "second clip beside"),
    ];
    let label = choices.iter().find(|row| row.0 == player.compares).map_or("", |row| row.1);
    let list = ComboBox::from_id_salt("compare").selected_text(label).width(COMPARE_WIDTH).show_ui(ui, |ui| {
        for (compares, label) in choices {
            choice_row(ui, &mut player.compares, compares, label);
        }
    });
    let list = list.response.on_hover_text("Show another clip at the same moment, in blue.");
    list.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "compare"));
    if let Compares::Over(clip) | Compares::Beside(clip) = &mut player.compares {
        *clip = (*clip).min(chosen.file.clips.len() as u32 - 1);
        clip_box(ui, "second clip", chosen.file, clip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::asset::{Clip, Model};
    use crate::ids::Arena;
    use crate::scene::SceneModel;
    use crate::scene::model::{BlendSet, ClipSpeed};
    use std::sync::Arc;

    #[test]
    fn clips_go_round_gaits_blend_and_heads_turn() {
        let clip = |secs: f32| Clip { duration_secs: secs, ..Clip::default() };
        let file = Model { clips: vec![clip(1.0), clip(0.8), clip(0.5), clip(2.0)], ..Model::default() };
        let [idle, walk, run] = [0, 1, 2].map(|clip| ClipSpeed { clip, speed: 1.0 });
        let entry = SceneModel {
            blend_sets: vec![BlendSet { direction: MoveDirection::Any, idle, walk, run }],
            head_clips: vec![(HeadMove::Right, 3)],
            ..SceneModel::default()
        };
        let mut ids = Arena::default();
        let chosen = Chosen { id: ids.insert(()), entry: &entry, file: &Arc::new(file) };
        let mut player = Player::default();
        assert_eq!(player.shows(&chosen), None, "it is off");
        player.play(0);
        player.speed = 2.0;
        player.advance(&chosen, 0.7);
        let at = player.shows(&chosen).unwrap().clips[0];
        assert!(at.clip == ClipId(0) && (at.time_secs - 0.4).abs() < 1e-5, "{at:?}");

        (player.pace, player.head, player.compares) = (2.0, [0.5, 1.0], Compares::Over(1));
        player.try_moves();
        for _ in 0..105 {
            player.advance(&chosen, 0.02);
        }
        let shown = player.shows(&chosen).unwrap();
        assert_eq!((shown.clips[1].clip, shown.weight), (ClipId(2), 1.0), "it runs");
        let ghost = player.ghost(&chosen).unwrap().shows.clips[0];
        assert!((ghost.time_secs - 0.2).abs() < 1e-3, "twice 2.1 s, five times round: {ghost:?}");
        assert_eq!(shown.head[0], ClipAt { clip: ClipId(3), time_secs: 1.0 });
        assert_eq!(shown.head[1], ClipAt::default(), "nothing tilts it");
        player.play(9);
        player.advance(&chosen, 0.7);
        assert_eq!(player.time_secs, 0.0, "a clip that is not there");

        player.play(0);
        (player.speed, player.replay) = (1.0, Replay::PingPong);
        player.advance(&chosen, 1.25);
        player.replay = Replay::Once;
        player.advance(&chosen, 0.125);
        assert_eq!((player.time_secs, player.playing), (0.875, true), "only there and back has a way back");

        player.play_order(MoveState::Walk, MoveState::Punch);
        player.advance(&chosen, 0.1);
        assert_ne!(player.shows(&chosen), Some(Playback::default()));
        player.restart_order();
        assert_eq!(player.shows(&chosen), Some(Playback::default()), "as on another model");
    }

    #[test]
    fn a_clip_that_gets_shorter_is_not_shown_unasked() {
        let file = Arc::new(Model { clips: vec![Clip { duration_secs: 1.0, ..Clip::default() }], ..Model::default() });
        let (entry, mut ids, mut player) = (SceneModel::default(), Arena::default(), Player::default());
        let chosen = Chosen { id: ids.insert(()), entry: &entry, file: &file };
        // Of the clip before it was cut.
        player.time_secs = 3.0;
        let context = egui::Context::default();
        for _ in 0..2 {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| show(ui, &chosen, true, &mut player));
            output.textures_delta.clear();
        }
        assert_eq!((player.on, player.playing, player.time_secs), (false, true, 1.0));
    }

    #[test]
    fn clips_end_turn_back_or_begin_again() {
        let go = |replay: Replay, time, by| replay.go_on(time, by, 2.0);
        assert_eq!(go(Replay::Again, 1.5, 1.0), (0.5, false));
        assert_eq!(go(Replay::Again, 0.5, -1.0), (1.5, false), "backwards");
        assert_eq!((go(Replay::Once, 1.5, 1.0), go(Replay::Once, 0.5, -1.0)), ((2.0, true), (0.0, true)));
        assert_eq!((go(Replay::PingPong, 1.5, 1.0), go(Replay::PingPong, 0.5, -1.0)), ((1.5, true), (0.5, true)));
        assert_eq!(go(Replay::PingPong, 1.0, 0.5), (1.5, false));
        assert_eq!(Replay::Once.go_on(1.0, 1.0, 0.0), (0.0, false), "a clip without length");
    }
}
