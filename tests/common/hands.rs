//! Mouse and keys for a window: one without a screen, which tells where its widgets lie and what its scene has become,
//! and beside it, where there is a display, a real one in which the same is done by `xdotool`.

#![allow(dead_code, reason = "every test that includes it uses a part")]

use super::pictures::{SIZE, Window, root, settle};
use super::screen::{Display, PATIENCE, Program, wait_for};
use egui::{Key, Modifiers, PointerButton, Pos2, Rect, pos2};
use egui_kittest::kittest::Queryable;
use glam::Vec3;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a real window has to draw nothing until it has come to rest.
const REST: Duration = Duration::from_millis(250);
/// How long an action that changes nothing may leave a real window without a frame.
const NO_FRAME: Duration = Duration::from_secs(4);
/// A window that draws its next frame only after so long rests; notices that fade ask for such frames.
const SOON: Duration = Duration::from_millis(200);
/// Lines that a notch of the wheel turns: of a virtual display's pointer, winit takes press and release for one each.
const LINES_PER_NOTCH: f32 = 2.0;
/// Frames after an action in a scene that plays, which never rests.
const FRAMES_WHILE_PLAYING: u64 = 4;

/// What a real window has told about its frames.
#[derive(Clone, Copy, Default)]
struct Frames {
    count: u64,
    rests: bool,
}

/// A real window.
struct Real {
    display: Display,
    manager: Child,
    program: Program,
    window: String,
    frames: Arc<Mutex<Frames>>,
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.manager.kill();
        let _ = self.manager.wait();
    }
}

/// The programs that a real window needs and this machine lacks.
pub fn missing_programs() -> Vec<&'static str> {
    let programs = ["Xvfb", "openbox", "xdotool", "import"];
    let lacks = |name: &&str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        !std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    };
    programs.into_iter().filter(lacks).collect()
}

impl Real {
    /// Starts the program with everything that it writes below `folder`.
    fn start(folder: &Path, scene: Option<&Path>) -> Self {
        let display = Display::start();
        let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let manager = quiet(&mut display.command("openbox"));
        // A window that opens while the manager takes over stays hidden.
        wait_for("the window manager", || display.tried(&["get_num_desktops"]));
        let config = folder.join("config");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("layout.txt"), format!("\ndark 1 {} {}\n", SIZE[0], SIZE[1])).unwrap();
        let mut child = display
            .command(env!("CARGO_BIN_EXE_walkabout"))
            .args(scene)
            .current_dir(root())
            .env("WALKABOUT_CONFIG_DIR", &config)
            .env("RUST_LOG", "error,walkabout::app::window=trace")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let frames = Arc::new(Mutex::new(Frames::default()));
        let (told, log) = (Arc::clone(&frames), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(log).lines().map_while(Result::ok) {
                let value = |key: &str| line.split_once(key)?.1.split_whitespace().next();
                let Some(count) = value("frame=").and_then(|count| count.parse().ok()) else {
                    eprintln!("{line}");
                    continue;
                };
                let next = value("next_ms=").and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
                *told.lock().unwrap() = Frames { count, rests: next.is_none_or(|next| next > SOON) };
            }
        });
        let mut program = Program(child);
        let window = display.window(&mut program);
        let mut real = Self { display, manager, program, window, frames };
        real.focus();
        real
    }

    fn focus(&mut self) {
        // A window takes no focus while its manager takes it over.
        wait_for("the focus", || {
            self.window = self.display.window(&mut self.program);
            self.display.tried(&["windowactivate", &self.window])?;
            self.display.tried(&["windowfocus", "--sync", &self.window])
        });
    }

    fn xdotool(&mut self, arguments: &[&str], is_playing: bool) {
        self.program.assert_runs();
        let before = self.frames.lock().unwrap().count;
        self.display.xdotool(arguments);
        self.rest(before, is_playing);
    }

    /// Waits until what was done is on screen.
    fn rest(&self, before: u64, is_playing: bool) {
        let (begin, mut last, mut since) = (Instant::now(), before, Instant::now());
        loop {
            let Frames { count, rests } = *self.frames.lock().unwrap();
            if count != last {
                (last, since) = (count, Instant::now());
            }
            let is_drawn = count > before && (rests && since.elapsed() > REST);
            let is_idle = count == before && rests && since.elapsed() > NO_FRAME;
            if is_drawn || is_idle || (is_playing && count > before + FRAMES_WHILE_PLAYING) {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "the window does not come to rest");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn move_to(&mut self, at: Pos2, is_playing: bool) {
        let [x, y] = [at.x, at.y].map(|v| v.round().to_string());
        self.xdotool(&["mousemove", "--window", &self.window.clone(), &x, &y], is_playing);
    }
}

/// Both windows, and how much was done in them.
pub struct Hands {
    /// The window without a screen.
    pub twin: Window,
    real: Option<Real>,
    actions: usize,
}

impl Hands {
    /// Lays hands on a window; with a real one beside it, which keeps its files in a folder and is started on a scene.
    pub fn new(twin: Window, real: Option<(&Path, Option<&Path>)>) -> Self {
        let real = real.map(|(folder, scene)| Real::start(folder, scene));
        let mut hands = Self { twin, real, actions: 0 };
        hands.settle();
        hands
    }

    /// Clicks, drags, keys and texts since the last call.
    pub fn take_actions(&mut self) -> usize {
        std::mem::take(&mut self.actions)
    }

    fn is_playing(&self) -> bool {
        self.twin.state().is_playing()
    }

    /// Waits until models, level and mesh are there.
    pub fn settle(&mut self) {
        settle(&mut self.twin);
        let is_playing = self.is_playing();
        if let Some(real) = &self.real {
            real.rest(0, is_playing);
        }
    }

    /// What the real window shows, else what the other one does.
    pub fn picture(&mut self, otherwise: impl FnOnce(&mut Window) -> image::RgbImage) -> image::RgbImage {
        match &self.real {
            Some(real) => real.display.picture_of(&real.window),
            None => otherwise(&mut self.twin),
        }
    }

    fn event(&mut self, event: egui::Event) {
        self.twin.event(event);
        self.twin.run_steps(2);
    }

    /// Moves the cursor.
    pub fn hover(&mut self, at: Pos2) {
        self.event(egui::Event::PointerMoved(at));
        let is_playing = self.is_playing();
        if let Some(real) = &mut self.real {
            real.move_to(at, is_playing);
        }
    }

    /// Presses a button at one place and lets it go at another.
    pub fn drag_px(&mut self, button: PointerButton, from: Pos2, to: Pos2) {
        self.actions += 1;
        self.hover(from);
        let number = if button == PointerButton::Middle { "2" } else { "1" };
        let press = |pos, pressed| egui::Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
        self.event(press(from, true));
        if from == to {
            self.event(press(to, false));
            // In one go: a button that is held for longer than a moment does not click.
            self.real_xdotool(&["click", number]);
        } else {
            self.real_xdotool(&["mousedown", number]);
            for share in [0.3, 0.6, 1.0] {
                self.hover(from + (to - from) * share);
            }
            self.event(press(to, false));
            self.real_xdotool(&["mouseup", number]);
        }
        self.twin.run_steps(40);
    }

    fn real_xdotool(&mut self, arguments: &[&str]) {
        let is_playing = self.is_playing();
        if let Some(real) = &mut self.real {
            real.xdotool(arguments, is_playing);
        }
    }

    /// Clicks with the left button.
    pub fn click_px(&mut self, at: Pos2) {
        self.drag_px(PointerButton::Primary, at, at);
    }

    /// Where in the window a place of the scene is seen.
    pub fn seen(&self, place: Vec3) -> Pos2 {
        let at = self.twin.state().seen_at(place).expect("the place is in the picture");
        pos2(at.x, at.y)
    }

    /// Clicks on a place of the scene.
    pub fn click_at(&mut self, place: Vec3) {
        let at = self.seen(place);
        self.click_px(at);
    }

    /// Drags from one place of the scene to another.
    pub fn drag(&mut self, from: Vec3, to: Vec3) {
        let (from, to) = (self.seen(from), self.seen(to));
        self.drag_px(PointerButton::Primary, from, to);
    }

    /// Where something lies, if all of it can be clicked.
    fn open_rect(&self, whole: Rect) -> bool {
        let same = |rect: Rect| rect.min.distance(whole.min) < 0.5 && rect.max.distance(whole.max) < 0.5;
        self.twin.ctx.viewport(|viewport| {
            let widgets = &viewport.prev_pass.widgets;
            let found = widgets.layers().flat_map(|(_, all)| all.iter()).find(|widget| same(widget.rect));
            found.is_none_or(|widget| widget.interact_rect.height() > 0.5 * whole.height())
        })
    }

    /// Clicks the widget that `find` gives, after the wheel has brought it into sight.
    fn click_found(&mut self, what: &str, find: impl Fn(&Window) -> Option<Rect>) {
        for direction in [-1.0, 1.0] {
            for _ in 0..30 {
                let rect = find(&self.twin).unwrap_or_else(|| panic!("{what} is not there"));
                if self.open_rect(rect) {
                    self.click_px(rect.center());
                    return;
                }
                self.scroll(pos2(rect.center().x, 0.35 * SIZE[1] as f32), direction);
            }
        }
        panic!("{what} cannot be reached");
    }

    /// Turns the wheel by a notch.
    fn scroll(&mut self, at: Pos2, lines: f32) {
        self.hover(at);
        self.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: egui::vec2(0.0, LINES_PER_NOTCH * lines),
            phase: egui::TouchPhase::Move,
            modifiers: Modifiers::NONE,
        });
        self.twin.run_steps(40);
        self.real_xdotool(&["click", if lines < 0.0 { "5" } else { "4" }]);
    }

    /// Clicks what has this label; where several have it, the first.
    pub fn click(&mut self, label: &str) {
        self.click_found(label, |window| window.get_all_by_label(label).next().map(|node| node.rect()));
    }

    /// Opens a list by what it shows, and chooses from it.
    pub fn choose(&mut self, shown: &str, wanted: &str) {
        self.click_found(shown, |window| window.query_all_by_value(shown).next().map(|node| node.rect()));
        // The list lies over everything else that bears this name.
        self.click_found(wanted, |window| window.get_all_by_label(wanted).last().map(|node| node.rect()));
    }

    /// Presses a key, named as `xdotool` does: `ctrl+z`, `Home`, `KP_7`.
    pub fn key(&mut self, name: &str) {
        self.actions += 1;
        let (mut modifiers, mut key) = (Modifiers::NONE, name);
        while let Some((modifier, rest)) = key.split_once('+') {
            modifiers |= match modifier {
                "ctrl" => Modifiers::COMMAND | Modifiers::CTRL,
                "shift" => Modifiers::SHIFT,
                other => panic!("{other} is no modifier"),
            };
            key = rest;
        }
        let pressed = match key.strip_prefix("KP_") {
            Some(digit) => walkabout::ui::command::numpad_key(digit.parse().unwrap()),
            None if key == "Return" => Some(Key::Enter),
            None => Key::from_name(&key.to_uppercase()).or(Key::from_name(key)),
        };
        self.twin.key_press_modifiers(modifiers, pressed.unwrap_or_else(|| panic!("{key} is no key")));
        self.twin.run_steps(40);
        self.real_xdotool(&["key", name]);
    }

    /// Types a text.
    pub fn type_text(&mut self, text: &str) {
        self.actions += 1;
        self.event(egui::Event::Text(text.into()));
        self.twin.run_steps(10);
        self.real_xdotool(&["type", "--delay", "20", text]);
    }

    /// Lets the scene play for so long.
    pub fn play_secs(&mut self, secs: f32) {
        assert!(self.is_playing());
        self.twin.run_steps((secs * 60.0) as usize);
        if self.real.is_some() {
            std::thread::sleep(Duration::from_secs_f32(secs));
        }
    }

    /// Saves the scene.
    pub fn save(&mut self) {
        self.key("ctrl+s");
        assert!(!self.twin.state().is_dirty());
        if let Some(real) = &self.real {
            super::screen::wait_for("the title to lose its mark", || {
                (!real.display.title(&real.window).contains('*')).then_some(())
            });
        }
    }
}
