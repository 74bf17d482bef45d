//! A real window under a virtual display: it opens, reacts to the mouse, closes.
//!
//! Needs `Xvfb`, `xdotool` and ImageMagick's `import`; `scripts/test.sh` installs them.

#![allow(clippy::unwrap_used, reason = "a test without its display has to fail")]
#![cfg(target_os = "linux")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for anything: generous, as the software driver compiles its shaders on the way.
const PATIENCE: Duration = Duration::from_secs(120);
const SIZE: (u32, u32) = (1440, 900);

/// A virtual display, gone with its value.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", &format!("{}x{}x24", SIZE.0, SIZE.1)])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs Xvfb (Debian: apt-get install xvfb xdotool imagemagick)");
        let mut out = server.stdout.take().unwrap();
        let mut number = String::new();
        let mut byte = [0];
        while out.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            number.push(char::from(byte[0]));
        }
        assert!(!number.is_empty(), "Xvfb did not start");
        Self { server, name: format!(":{number}") }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command
    }

    fn xdotool(&self, arguments: &[&str]) {
        let done = self.command("xdotool").args(arguments).stdout(Stdio::null()).status();
        assert!(done.expect("this test needs xdotool").success(), "xdotool {arguments:?} failed");
    }

    /// What is on screen, as RGB.
    fn picture(&self) -> image::RgbImage {
        let shot = self.command("import").args(["-silent", "-window", "root", "png:-"]).output();
        let shot = shot.expect("this test needs ImageMagick's import");
        assert!(shot.status.success(), "import failed: {}", String::from_utf8_lossy(&shot.stderr));
        image::load_from_memory(&shot.stdout).unwrap().to_rgb8()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Nothing can be done about a server that is already gone.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program, stopped with its value if it is still running.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A folder with a small scene: one box level, two markers, navigation off, so that the picture stands still.
fn fixture(folder: &Path) -> PathBuf {
    let cube = "v -4 0 -4\nv 4 0 -4\nv 4 0 4\nv -4 0 4\nv -4 3 -4\nv 4 3 -4\nf 4 3 2 1\nf 1 2 6 5\n";
    std::fs::write(folder.join("room.obj"), cube).unwrap();
    let text = "version: 9.0\n\
        settings:\n  selected-model: 0\n  selected-instance: 0\n  selected-level: 1\n  navigation-enabled: false\n\
        levels:\n  - level-name: room\n    level-file: room.obj\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    \
        scale: 1\n    swap-axes: false\n\
        cameras:\n  - camera-name: FreeCam\n    position: [0, 4, 10]\n    view-azimuth: 0\n    \
        view-elevation: -15\n    camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n";
    let path = folder.join("room.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

fn start(display: &Display, folder: &Path, scene: &Path) -> Program {
    let child = display
        .command(env!("CARGO_BIN_EXE_walkabout"))
        .arg(scene)
        .env("WALKABOUT_CONFIG_DIR", folder.join("config"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Program(child)
}

/// Waits until `found` gives something; says what was waited for when it does not come.
fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = found() {
            return value;
        }
        assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The part of the screen between the panels: where the scene is drawn, without what may lie over its edges.
fn scene_part(picture: &image::RgbImage) -> image::RgbImage {
    image::imageops::crop_imm(picture, 300, 120, 700, 640).to_image()
}

fn colors(picture: &image::RgbImage) -> usize {
    picture.pixels().collect::<std::collections::HashSet<_>>().len()
}

fn differing(a: &image::RgbImage, b: &image::RgbImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(x, y)| x.abs_diff(y) > 24)).count()
}

/// A picture of the scene that stays the same for a while.
fn settled(display: &Display) -> image::RgbImage {
    let mut last = scene_part(&display.picture());
    wait_for("a picture that stands still", || {
        let now = scene_part(&display.picture());
        let same = differing(&last, &now) == 0;
        last = now;
        same.then(|| last.clone())
    })
}

fn exit_code(program: &mut Program) -> Option<i32> {
    wait_for("the program to end", || program.0.try_wait().unwrap()).code()
}

#[test]
fn the_window_opens_draws_reacts_and_closes() {
    let folder = tempfile::tempdir().unwrap();
    let scene = fixture(folder.path());
    let display = Display::start();
    let mut program = start(&display, folder.path(), &scene);
    wait_for("the scene on screen", || {
        assert!(program.0.try_wait().unwrap().is_none(), "the program ended by itself");
        (colors(&scene_part(&display.picture())) > 40).then_some(())
    });

    // Hold the simulation, so that only the switch can change the picture.
    let window = window_id(&display);
    display.xdotool(&["windowfocus", "--sync", &window]);
    display.xdotool(&["key", "space"]);
    let before = settled(&display);
    let (x, y) = WIREFRAME_SWITCH;
    display.xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
    std::thread::sleep(Duration::from_millis(300));
    display.xdotool(&["click", "1"]);
    wait_for("the wireframe in the picture", || {
        (differing(&before, &scene_part(&display.picture())) > 200).then_some(())
    });
    settled(&display);
    display.xdotool(&["click", "1"]);
    wait_for("the wireframe to go", || (differing(&before, &scene_part(&display.picture())) == 0).then_some(()));

    display.xdotool(&["windowfocus", "--sync", &window]);
    display.xdotool(&["key", "ctrl+q"]);
    assert_eq!(exit_code(&mut program), Some(0));
}

/// Where the switch of the wireframe overlay stands in a window of [`SIZE`].
const WIREFRAME_SWITCH: (u32, u32) = (1132, 741);

fn window_id(display: &Display) -> String {
    wait_for("the window", || {
        let found = display.command("xdotool").args(["search", "--name", "Walkabout"]).output().ok()?;
        String::from_utf8(found.stdout).ok()?.lines().next().map(str::to_owned)
    })
}
