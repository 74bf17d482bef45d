//! A whole session in a real window under a virtual display, by the keyboard alone: a new scene, a level, models, a
//! crowd with targets, play, an overlay; all of it undone, done again, saved and opened again.
//!
//! Needs `Xvfb`, `xdotool` and ImageMagick's `import`; `scripts/test.sh` installs them. Nothing is waited for by time
//! alone: keys are answered by the picture of the palette, by the window's title and by what Ctrl+S writes.

#![allow(clippy::unwrap_used, reason = "a test without its display has to fail")]
#![cfg(target_os = "linux")]

#[path = "common/screen.rs"]
mod screen;

use screen::{Display, Program, differing, wait_for};
use std::path::{Path, PathBuf};
use walkabout::scene::Scene;
use walkabout::scene::file;

/// How many are created at once.
const CROWD: usize = 50;

/// An empty scene, and a square to walk on.
fn fixture(folder: &Path) -> PathBuf {
    let mut square = String::new();
    for (x, z) in [(-9, -9), (9, -9), (9, 9), (-9, 9)] {
        square += &format!("v {x} 0 {z}\n");
    }
    std::fs::write(folder.join("square.obj"), square + "f 4 3 2\nf 4 2 1\n").unwrap();
    let text = "version: 9.0\ncameras:\n  - camera-name: FreeCam\n    position: [0, 9, 12]\n    view-azimuth: 0\n    \
        view-elevation: -40\n    camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n";
    let path = folder.join("first.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

/// The window, the program in it, and the file that it saves.
struct Session {
    display: Display,
    program: Program,
    window: String,
    saved: PathBuf,
    window_fill: [u8; 3],
}

impl Session {
    fn title(&self) -> String {
        self.display.title(&self.window)
    }

    fn key(&self, key: &str) {
        self.display.xdotool(&["key", key]);
    }

    /// Whether the palette lies over the picture: most of its place has the colour of windows.
    fn palette_is_open(&self) -> bool {
        let place = image::imageops::crop_imm(&self.display.picture(), 510, 100, 420, 260).to_image();
        let of_windows = place.pixels().filter(|pixel| pixel.0 == self.window_fill).count();
        of_windows > 420 * 260 / 2
    }

    /// Types into the palette and takes the row that comes after so many: Ctrl+P, the text, Down, Enter.
    fn run(&mut self, text: &str, down: usize) {
        wait_for("the palette to be away", || (!self.palette_is_open()).then_some(()));
        self.key("ctrl+p");
        wait_for("the palette", || {
            self.program.assert_runs();
            self.palette_is_open().then_some(())
        });
        self.display.xdotool(&["type", "--delay", "2", text]);
        (0..down).for_each(|_| self.key("Down"));
        self.key("Return");
        wait_for("the palette to close", || (!self.palette_is_open()).then_some(()));
    }

    /// Saves again and again, with `key` before if there is one, until the saved scene is as wanted.
    fn saved(&self, what: &str, key: Option<&str>, wanted: impl Fn(&Scene) -> bool) -> Scene {
        wait_for(what, || {
            key.iter().for_each(|key| self.key(key));
            self.key("ctrl+s");
            let scene = file::load(&self.saved).ok()?.scene;
            wanted(&scene).then_some(scene)
        })
    }
}

/// What both scenes hold is the same.
fn is_like(a: &Scene, b: &Scene) -> bool {
    fn all<K, T: PartialEq>(a: &walkabout::ids::Arena<K, T>, b: &walkabout::ids::Arena<K, T>) -> bool {
        a.len() == b.len() && a.values().zip(b.values()).all(|(a, b)| a == b)
    }
    all(&a.instances, &b.instances) && all(&a.models, &b.models) && all(&a.levels, &b.levels)
}

/// The colour of windows over the picture.
fn window_fill() -> [u8; 3] {
    let ctx = egui::Context::default();
    walkabout::ui::theme::install(&ctx);
    let [r, g, b, _] = ctx.style_of(egui::Theme::Dark).visuals.window_fill.to_array();
    [r, g, b]
}

fn begin(folder: &Path, scene: &Path, saved: &str) -> Session {
    let display = Display::start();
    let mut program = Program::start(&display, folder, scene);
    let window = display.window(&mut program);
    display.xdotool(&["windowfocus", "--sync", &window]);
    let session = Session { display, program, window, saved: folder.join(saved), window_fill: window_fill() };
    let name = scene.file_name().unwrap().to_str().unwrap();
    wait_for("the scene", || session.title().starts_with(name).then_some(()));
    session
}

#[test]
fn the_keyboard_builds_walks_undoes_saves_and_opens_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = begin(folder.path(), &fixture(folder.path()), "scene.acfg");
    // A new scene under a name of its own.
    wait_for("a new scene", || {
        session.key("ctrl+n");
        session.title().starts_with("Untitled").then_some(())
    });
    wait_for("the scene under its name", || {
        // The dialog's field for the name has the keyboard.
        session.key("ctrl+s");
        std::thread::sleep(std::time::Duration::from_millis(500));
        session.key("Return");
        session.title().starts_with("scene.acfg").then_some(())
    });
    let empty = session.saved("the empty scene", None, |scene| scene.instances.is_empty() && scene.levels.is_empty());
    session.run("hide: paths", 0);
    session.saved("no paths", None, |scene| scene.settings.overlays.iter().all(|name| name != "paths"));
    session.run("square.obj", 0);
    session.saved("the level", None, |scene| scene.levels.len() == 1);
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for (i, model) in ["props/marker.glb", "people/ada.glb"].into_iter().enumerate() {
        session.run(assets.join(model).to_str().unwrap(), 0);
        session.saved("a model", None, |scene| scene.models.len() == i + 1 && scene.instances.len() == i + 1);
    }
    session.saved("the clips of the model", None, |scene| scene.models.values().any(|m| !m.blend_sets.is_empty()));
    session.run("can be walked to: marker", 0);
    session.saved("a target", None, |scene| scene.models.values().any(|model| model.is_nav_target));
    session.run("create 50 of ada: scattered", 0);
    let crowd = |scene: &Scene| {
        let sent = scene.instances.values().filter(|instance| instance.navigation && instance.target.is_some()).count();
        scene.instances.len() == CROWD + 2 && sent == CROWD
    };
    let full = session.saved("a crowd with targets", None, crowd);

    // A new scene is paused until it is played; then they walk, and the picture goes on changing.
    let mut last = session.display.picture();
    let mut changes = 0;
    session.key("k");
    wait_for("the crowd on its way", || {
        let now = session.display.picture();
        changes += usize::from(differing(&last, &now) > 100);
        last = now;
        (changes > 3).then_some(())
    });
    session.run("show: paths", 0);
    session.saved("the overlay", None, |scene| scene.settings.overlays.iter().any(|name| name == "paths"));

    session.saved("all undone", Some("ctrl+z"), |scene| is_like(scene, &empty));
    let again = session.saved("all done again", Some("ctrl+y"), |scene| is_like(scene, &full));
    assert_eq!(again.settings.nav, full.settings.nav);
    session.key("ctrl+q");
    let ended = wait_for("the program to end", || session.program.0.try_wait().unwrap());
    assert!(ended.success());
    let before = file::load(&session.saved).unwrap().scene;
    drop(session);

    let mut session = begin(folder.path(), &folder.path().join("scene.acfg"), "again.acfg");
    std::fs::remove_file(folder.path().join("scene.acfg")).unwrap();
    session.saved = folder.path().join("scene.acfg");
    let opened = session.saved("the scene as it was opened", None, |_| true);
    assert!(is_like(&opened, &before) && is_like(&opened, &full), "what was saved opens as it was");
    assert_eq!(opened.settings.overlays, before.settings.overlays);
}
