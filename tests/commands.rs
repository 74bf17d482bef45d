//! Ten thousand commands, keys and clicks without sense: nothing breaks, and every step is undone and done again.

#![allow(clippy::unwrap_used, reason = "a test that cannot make its scene has to fail")]

use egui::{Event, Key, Modifiers, PointerButton, Pos2};
use rayon::prelude::*;
use std::path::Path;
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::scene::Scene;
use walkabout::ui::{Action, COMMANDS};

/// Rounds, and commands in each: fewer than the steps that are remembered, so that a round can be taken back whole.
const ROUNDS: u32 = 60;
const EACH: u32 = 170;
const _: () = assert!(ROUNDS * EACH >= 10_000);
/// More instances than this are deleted, as doubling them makes them many in no time.
const MANY: usize = 200;

/// The application in a window of 1440 × 900.
struct Window {
    app: App,
    context: egui::Context,
}

impl Window {
    fn new(scene: &Path) -> Self {
        let mut app = App::new(Recent::default());
        app.open_at_start(scene);
        let mut window = Self { app, context: egui::Context::default() };
        window.frame(Vec::new());
        window
    }

    fn frame(&mut self, events: Vec<Event>) {
        let screen_rect = Some(egui::Rect::from_min_size(Pos2::ZERO, egui::vec2(1440.0, 900.0)));
        let input = egui::RawInput { events, screen_rect, focused: true, ..Default::default() };
        let mut output = self.context.run_ui(input, |ui| {
            self.app.update(ui, Duration::from_millis(16));
        });
        output.textures_delta.clear();
    }

    /// A key press, and the frame in which it takes effect.
    fn press(&mut self, modifiers: Modifiers, key: Key) {
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        self.frame(vec![Event::ModifiersChanged(modifiers), event(true), event(false)]);
        self.frame(vec![Event::ModifiersChanged(Modifiers::NONE)]);
    }

    fn drag(&mut self, button: PointerButton, modifiers: Modifiers, from: Pos2, to: Pos2) {
        let button = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers };
        self.frame(vec![Event::ModifiersChanged(modifiers), Event::PointerMoved(from)]);
        self.frame(vec![button(from, true)]);
        if from != to {
            self.frame(vec![Event::PointerMoved(from.lerp(to, 0.5))]);
            self.frame(vec![Event::PointerMoved(to)]);
        }
        self.frame(vec![button(to, false)]);
        self.frame(vec![Event::ModifiersChanged(Modifiers::NONE)]);
    }

    /// One senseless thing.
    fn do_something(&mut self, random: &mut SplitMix64) {
        if self.app.scene().instances.len() > MANY {
            self.press(CTRL, Key::A);
            self.press(PLAIN, Key::Delete);
            return;
        }
        // What edits comes up more often than what shows and hides.
        let often =
            [(CTRL, Key::D), (CTRL, Key::D), (PLAIN, Key::Delete), (CTRL, Key::A), (CTRL, Key::Z), (CTRL, Key::Z)];
        let all: Vec<_> =
            COMMANDS.iter().filter(|row| !LEAVES.contains(&row.action)).flat_map(|row| row.keys).collect();
        // Below the menu, above the status bar.
        let mut place = || Pos2::new(random.between(0.0, 1440.0), random.between(45.0, 865.0));
        let (from, to) = (place(), place());
        let modifiers = [PLAIN, PLAIN, Modifiers::SHIFT, CTRL][random.below(4)];
        match random.below(10) {
            0..2 => {
                let (modifiers, key) = often[random.below(often.len())];
                self.press(modifiers, key);
            }
            2..5 => {
                let shortcut = all[random.below(all.len())];
                self.press(shortcut.modifiers, shortcut.logical_key);
            }
            5..7 => self.drag(PointerButton::Primary, modifiers, from, from),
            7 => self.drag(PointerButton::Primary, modifiers, from, to),
            8 => self.drag(PointerButton::Middle, modifiers, from, to),
            _ => self.frame(vec![Event::Paste(PASTED.into())]),
        }
    }

    /// Leaves everything that holds commands up, so that undo and redo arrive.
    fn calm_down(&mut self) {
        for _ in 0..8 {
            self.press(Modifiers::NONE, Key::Escape);
        }
        self.context.memory_mut(|memory| memory.stop_text_input());
        self.frame(Vec::new());
        self.frame(Vec::new());
    }

    /// Takes back, or does again, as many steps as there are.
    fn hold_until_the_end(&mut self, key: Key) -> Scene {
        let (done, all) = self.app.steps();
        for _ in 0..if key == Key::Z { done } else { all - done } {
            self.press(Modifiers::COMMAND, key);
        }
        let (done, all) = self.app.steps();
        assert_eq!(done, if key == Key::Z { 0 } else { all }, "a key did not arrive, or made a step of its own");
        self.app.scene().clone()
    }
}

const CTRL: Modifiers = Modifiers::COMMAND;
const PLAIN: Modifiers = Modifiers::NONE;

/// Commands that leave the scene, or ask for or write files; the palette finds these too.
const LEAVES: [Action; 11] = [
    Action::New,
    Action::Open,
    Action::Save,
    Action::SaveAs,
    Action::ExportPicture,
    Action::ExportTurntable,
    Action::ExportFrames,
    Action::Recover,
    Action::ReportProblem,
    Action::Quit,
    Action::Palette,
];

const PASTED: &str =
    "version: 9.0\ninstances:\n  - model-file: ghost\n    position: [1, 0, 2]\n    rotation: [0, 0, 0]\n    scale: 1\n";

fn fixture(folder: &Path) -> std::path::PathBuf {
    let text = "version: 9.0\nsettings:\n  selected-model: 0\n  selected-instance: 1\n\
        cameras:\n  - camera-name: FreeCam\n    position: [0, 2, 8]\n    view-azimuth: 0\n    view-elevation: 0\n    \
        camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n\
        models:\n  - model-name: thing\n    model-file: thing.glb\n\
        instances:\n  - model-file: thing\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n  \
        - model-file: thing\n    position: [3, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n";
    let path = folder.join("things.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn ten_thousand_senseless_commands_are_undone_and_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let scene = fixture(folder.path());
    let changed = (0..ROUNDS).into_par_iter().filter(|round| changes_something(&scene, *round)).count();
    assert!(changed > ROUNDS as usize / 2, "only {changed} of {ROUNDS} rounds changed anything");
}

/// One round: says whether what it led to differs from the scene that it began with.
fn changes_something(scene: &Path, round: u32) -> bool {
    let mut random = SplitMix64::new(u64::from(round));
    let mut window = Window::new(scene);
    let start = window.app.scene().clone();
    assert_eq!(start.instances.len(), 2);
    for _ in 0..EACH {
        window.do_something(&mut random);
    }
    window.calm_down();
    // What had been taken back is done again first, so that both ends are known.
    let end = window.hold_until_the_end(Key::Y);
    assert!(end.is_valid(), "round {round} led to a scene that no file may hold");
    assert!(window.hold_until_the_end(Key::Z) == start, "round {round}: undoing all leads elsewhere");
    assert!(window.hold_until_the_end(Key::Y) == end, "round {round}: doing all again leads elsewhere");
    end != start
}
