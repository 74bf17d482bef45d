//! A real window under a virtual display, and under a Wayland compositor: it opens, reacts to mouse and keys, closes.
//!
//! Needs `Xvfb`, `xdotool` and ImageMagick's `import`, and `sway`, `grim`, `wtype` and `wl-clipboard`; `scripts/test.sh` installs them.

#![allow(clippy::unwrap_used, reason = "a test without its display has to fail")]
#![cfg(target_os = "linux")]

#[path = "common/compositor.rs"]
mod compositor;
#[path = "common/screen.rs"]
mod screen;

use compositor::Compositor;
use screen::{Display, Program, differing, wait_for};
use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// The part of the screen between the panels: where the scene is drawn, without what may lie over its edges.
fn scene_part(picture: &image::RgbImage) -> image::RgbImage {
    image::imageops::crop_imm(picture, 300, 120, 700, 640).to_image()
}

fn colors(picture: &image::RgbImage) -> usize {
    picture.pixels().collect::<std::collections::HashSet<_>>().len()
}

/// A picture of the scene that stays the same for a while.
fn settled(picture: impl Fn() -> image::RgbImage) -> image::RgbImage {
    let mut last = scene_part(&picture());
    wait_for("a picture that stands still", || {
        let now = scene_part(&picture());
        let same = differing(&last, &now) == 0;
        last = now;
        same.then(|| last.clone())
    })
}

/// Waits until the scene is drawn: the background is of one colour, and so are the panels before the scene is there.
fn wait_for_scene(program: &mut Program, picture: impl Fn() -> image::RgbImage) {
    wait_for("the scene on screen", || {
        program.assert_runs();
        (colors(&scene_part(&picture())) > 10).then_some(())
    });
}

fn exit_code(program: &mut Program) -> Option<i32> {
    wait_for("the program to end", || program.0.try_wait().unwrap()).code()
}

/// The program with a scene in its window, and the window's number. The simulation is held, so that nothing but the test changes the
/// picture.
fn start_paused(display: &Display, folder: &Path) -> (Program, String) {
    let scene = fixture(folder);
    let mut program = Program::start(display, folder, &scene);
    wait_for_scene(&mut program, || display.picture());
    let window = display.window(&mut program);
    display.xdotool(&["windowfocus", "--sync", &window]);
    display.xdotool(&["key", "space"]);
    (program, window)
}

#[test]
fn the_window_opens_draws_reacts_and_closes() {
    let folder = tempfile::tempdir().unwrap();
    let display = Display::start();
    let (mut program, window) = start_paused(&display, folder.path());
    let before = settled(|| display.picture());
    let (x, y) = WIREFRAME_SWITCH;
    display.xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
    std::thread::sleep(Duration::from_millis(300));
    display.xdotool(&["click", "1"]);
    wait_for("the wireframe in the picture", || {
        (differing(&before, &scene_part(&display.picture())) > 200).then_some(())
    });
    settled(|| display.picture());
    display.xdotool(&["click", "1"]);
    wait_for("the wireframe to go", || (differing(&before, &scene_part(&display.picture())) == 0).then_some(()));

    display.xdotool(&["windowfocus", "--sync", &window]);
    display.xdotool(&["key", "ctrl+q"]);
    assert_eq!(exit_code(&mut program), Some(0));
}

#[test]
fn files_that_change_wake_a_window_that_rests() {
    let folder = tempfile::tempdir().unwrap();
    let display = Display::start();
    let (mut program, _) = start_paused(&display, folder.path());
    // Nothing moves: what is drawn from now on is drawn since the level has changed.
    let before = settled(|| display.picture());
    std::thread::sleep(Duration::from_secs(1));
    let wall = "v -4 0 -4\nv 4 0 -4\nv 4 5 -4\nv -4 5 -4\nf 1 2 3 4\n";
    std::fs::write(folder.path().join("room.obj"), wall).unwrap();
    wait_for("the changed level in the picture", || {
        (differing(&before, &scene_part(&display.picture())) > 200).then_some(())
    });
    display.xdotool(&["key", "ctrl+q"]);
    assert_eq!(exit_code(&mut program), Some(0));
}

/// Where the switch of the wireframe overlay stands in a window of [`SIZE`].
const WIREFRAME_SWITCH: (u32, u32) = (1132, 846);

#[test]
fn the_window_works_under_wayland() {
    let folder = tempfile::tempdir().unwrap();
    let scene = fixture(folder.path());
    let compositor = Compositor::start();
    let mut program = compositor.start_program(folder.path(), &scene);
    let picture = || compositor.picture();
    wait_for_scene(&mut program, picture);
    let tree = String::from_utf8(compositor.run("swaymsg", &["-t", "get_tree"])).unwrap();
    assert!(
        tree.contains("\"app_id\": \"invalid.walkabout.walkabout\""),
        "desktops find the program's entry by its application id: {tree}"
    );

    // Hold the simulation; then the search for commands finds what is typed, and Return takes it.
    compositor.type_keys(&["-k", "space"]);
    let before = settled(picture);
    compositor.type_keys(&["-M", "ctrl", "-k", "p", "-m", "ctrl"]);
    wait_for("the palette", || (differing(&before, &scene_part(&picture())) > 200).then_some(()));
    // What is typed goes out by the clipboard; what comes in by it is found as if it had been typed.
    compositor.type_keys(&["Show: Grid"]);
    compositor.type_keys(&["-M", "ctrl", "-k", "a", "-k", "c", "-m", "ctrl"]);
    wait_for("the copied text", || (compositor.clipboard().as_deref() == Some("Show: Grid")).then_some(()));
    compositor.set_clipboard("Show: Wireframe");
    compositor.type_keys(&["-M", "ctrl", "-k", "a", "-k", "v", "-m", "ctrl"]);
    settled(picture);
    compositor.type_keys(&["-k", "Return"]);
    wait_for("the wireframe in the picture", || (differing(&before, &scene_part(&picture())) > 200).then_some(()));
    let plain = settled(picture);

    // On a display of twice the density everything is twice as large.
    compositor.run("swaymsg", &["output", "HEADLESS-1", "scale", "2"]);
    wait_for("another picture", || (differing(&plain, &scene_part(&picture())) > 200).then_some(()));
    wait_for_scene(&mut program, picture);
    let large = settled(picture);
    compositor.run("swaymsg", &["output", "HEADLESS-1", "scale", "1"]);
    wait_for("smaller widgets", || (differing(&large, &scene_part(&picture())) > 200).then_some(()));
    let plain = settled(picture);
    for command in ["floating enable", "resize set 900 600"] {
        compositor.run("swaymsg", &[command]);
    }
    wait_for("the smaller window", || (differing(&plain, &scene_part(&picture())) > 200).then_some(()));

    compositor.type_keys(&["-M", "ctrl", "-k", "q", "-m", "ctrl"]);
    assert_eq!(exit_code(&mut program), Some(0));
}
