//! Files that change on disk while the window is open.

use super::*;
use std::time::SystemTime;

/// A square of ground, so many metres wide.
fn level(width: u32) -> String {
    format!("v 0 0 0\nv 0 0 9\nv {width} 0 9\nv {width} 0 0\nf 1 2 3 4\n")
}

/// A mesh of so many squares in a row.
fn mesh(squares: u32) -> String {
    let vertices: Vec<[u32; 3]> = (0..=squares).flat_map(|x| [[x, 0, 0], [x, 0, 1]]).collect();
    let polygons: Vec<[u32; 4]> = (0..squares).map(|i| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]).collect();
    serde_json::json!({ "verts": vertices, "polys": polygons }).to_string()
}

/// A scene of one camera, a level and the mesh of a file, with instances of no model at these places.
fn scene(places: &[u32]) -> String {
    let instances = places.iter().map(|x| format!("  - model-file: ghost\n    position: [{x}, 0, 0]\n"));
    format!(
        "version: 10.0\nlevels:\n  - level-name: yard\n    level-file: yard.obj\nwalkabout:\n  \
         navigation: {{mesh: {{file: yard.json}}}}\ninstances:\n{}",
        instances.collect::<String>()
    )
}

struct LiveYard {
    folder: tempfile::TempDir,
    window: Window,
    /// Seconds after the epoch of the next change.
    time: u64,
}

impl LiveYard {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("yard.obj", level(10)), ("yard.json", mesh(3)), ("yard.acfg", scene(&[1, 2]))] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut window = window(Some(&folder.path().join("yard.acfg")));
        window.state_mut().app.follow_files_by_calls();
        let mut yard = Self { folder, window, time: 1 };
        yard.settle();
        yard
    }

    fn settle(&mut self) {
        let is_quiet =
            |window: &Window| !window.state().app.is_importing() && !window.state().app.world().is_building();
        wait_for(&mut self.window, "the files", is_quiet);
        self.window.run_steps(3);
        wait_for(&mut self.window, "the files", is_quiet);
    }

    /// Writes a file, and lets the window see that it was written and is whole.
    fn change(&mut self, name: &str, text: &str) {
        let file = self.folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        self.time += 1;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(self.time);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        self.look();
    }

    fn look(&mut self) {
        for _ in 0..2 {
            self.window.state_mut().app.look_at_files();
            self.window.run_steps(3);
        }
        self.settle();
    }

    fn app(&self) -> &App {
        &self.window.state().app
    }

    fn says(&self, words: &str) -> bool {
        self.app().notices().all().iter().any(|notice| notice.text.contains(words))
    }

    fn width(&self) -> f32 {
        self.app().world().triangles().iter().flat_map(|t| t.points).map(|p| p.x).fold(0.0, f32::max)
    }

    fn polygons(&self) -> usize {
        self.app().world().mesh().current().unwrap().len()
    }
}

#[test]
fn levels_and_meshes_that_change_are_read_again() {
    let mut yard = LiveYard::open();
    assert_eq!((yard.width(), yard.polygons()), (10.0, 3));
    yard.change("yard.obj", &level(20));
    assert_eq!(yard.width(), 20.0);
    yard.change("yard.json", &mesh(5));
    assert_eq!(yard.polygons(), 5);
    assert!(!yard.app().is_dirty() && !yard.says("changed on disk"));
    // What is broken leaves what was there, and is mended by the next change.
    yard.change("yard.obj", "f 1 2 3\n");
    assert!(yard.width() == 20.0 && yard.says("It changed on disk; what was read of it before is kept"));
    yard.change("yard.json", "{\"verts\": 3");
    assert!(yard.polygons() == 5 && yard.says("mesh not read again") && yard.says("the mesh as it was is kept"));
    yard.change("yard.json", &mesh(4));
    yard.change("yard.obj", &level(30));
    assert_eq!((yard.width(), yard.polygons()), (30.0, 4));
}

#[test]
fn a_scene_that_changes_is_a_step_that_can_be_undone() {
    let mut yard = LiveYard::open();
    let places = |yard: &LiveYard| positions(&yard.window).iter().map(|p| p.x).collect::<Vec<_>>();
    yard.change("yard.acfg", &scene(&[1, 2, 3]));
    assert_eq!(places(&yard), [1.0, 2.0, 3.0]);
    assert!(yard.says("changed on disk and was read again") && !yard.app().is_dirty());
    press(&mut yard.window, Modifiers::COMMAND, Key::Z);
    assert_eq!(places(&yard), [1.0, 2.0]);
    // What is not saved is kept.
    yard.change("yard.acfg", &scene(&[7]));
    assert!(places(&yard) == [1.0, 2.0] && yard.says("Your unsaved changes are kept"));
    // What the window writes itself is no news.
    press(&mut yard.window, Modifiers::COMMAND, Key::S);
    let before = yard.app().notices().all().len();
    yard.look();
    assert_eq!((places(&yard), yard.app().notices().all().len()), (vec![1.0, 2.0], before));
    yard.change("yard.acfg", "version: 10.0\ninstances: 3\n");
    assert!(places(&yard) == [1.0, 2.0] && yard.says("the open scene is kept"));
}

#[test]
fn what_goes_on_stays_while_files_are_read_again() {
    let mut yard = LiveYard::open();
    // An edit, a selection and a running simulation.
    press(&mut yard.window, Modifiers::COMMAND, Key::A);
    press(&mut yard.window, Modifiers::COMMAND, Key::D);
    assert_eq!(positions(&yard.window).len(), 4);
    let state = |yard: &LiveYard| (yard.app().selected(), yard.app().steps(), yard.app().world().steps());
    let (selected, steps, begin) = state(&yard);
    assert_eq!((selected.len(), steps.0, yard.app().is_playing()), (2, 1, true));
    yard.change("yard.obj", &level(20));
    yard.change("yard.json", &mesh(5));
    let (now, after, later) = state(&yard);
    assert_eq!((yard.width(), yard.polygons(), now, after), (20.0, 5, selected, steps));
    assert!(later > begin, "the simulation stands still");
    press(&mut yard.window, Modifiers::COMMAND, Key::Z);
    assert_eq!((positions(&yard.window).len(), yard.width()), (2, 20.0), "undo takes back the edit, not the file");
}
