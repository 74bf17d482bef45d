//! The first minutes: the empty scene, the welcome window, the guide, and what a file looks like.

use super::*;

fn asset(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file)
}

#[test]
fn a_new_scene_is_held_and_offers_what_to_begin_with() {
    let mut window = window(None);
    assert!(!window.state().app.is_playing(), "what is put into it stays where it is");
    click(&mut window, "Open a level…");
    assert!(window.query_by_label("Open a level").is_some(), "the file dialog is not shown");
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "Open the sample plaza");
    assert!(!window.state().app.scene().levels.is_empty());
    assert!(window.state().app.is_playing(), "a scene that is opened plays");
}

#[test]
fn what_can_be_begun_with_stands_on_a_ground_of_its_own() {
    let mut window = window(None);
    window.run_steps(2);
    let text = window.get_by_label("This scene is empty.").rect();
    let is_ground = |shape: &egui::Shape| match shape {
        egui::Shape::Rect(ground) => {
            ground.rect.contains_rect(text) && ground.rect.width() < 500.0 && ground.fill.a() > 200
        }
        _ => false,
    };
    assert!(window.output().shapes.iter().any(|clipped| is_ground(&clipped.shape)), "the sky shows through");
}

#[test]
fn a_file_is_offered_as_what_it_looks_like() {
    let mut window = window(None);
    window.state_mut().app.file_dropped(asset("levels/courtyard.fbx"));
    window.run_steps(4);
    assert!(window.query_by_label_contains("looks like a level").is_some());
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.scene().levels.len(), 1);
    window.state_mut().app.file_dropped(asset("people/ada.glb"));
    window.run_steps(4);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.scene().models.len(), 1);
}

#[test]
fn the_welcome_window_opens_samples_and_is_closed_by_escape() {
    let mut window = window(None);
    assert!(window.query_by_label("Three first steps").is_none(), "tests and files begin without it");
    for _ in 0..2 {
        click(&mut window, "Help");
        click_containing(&mut window, "Welcome…");
        assert!(window.query_by_label("Three first steps").is_some());
        press(&mut window, Modifiers::NONE, Key::Escape);
        assert!(window.query_by_label("Three first steps").is_none());
    }
    click(&mut window, "Help");
    click_containing(&mut window, "Welcome…");
    window.get_by_role_and_label(egui::accesskit::Role::Button, "Courtyard").click();
    window.run_steps(4);
    assert!(window.query_by_label("Three first steps").is_none(), "what was chosen closes it");
    assert!(!window.state().app.scene().levels.is_empty());
}

#[test]
fn the_keyboard_begins_in_the_welcome_window() {
    let mut window = window(None);
    click(&mut window, "Help");
    click_containing(&mut window, "Welcome…");
    press(&mut window, Modifiers::NONE, Key::Tab);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Three first steps").is_none(), "the focus lies in the menus behind");
    assert!(!window.state().app.scene().levels.is_empty(), "the first sample is opened");
}

#[test]
fn the_guide_and_the_version_are_windows_of_the_help_menu() {
    let mut window = window(None);
    press(&mut window, Modifiers::SHIFT, Key::F1);
    assert!(window.query_by_label_contains("from an empty window to a saved scene").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "Help");
    click_containing(&mut window, "About Walkabout");
    assert!(window.query_by_label_contains(env!("CARGO_PKG_VERSION")).is_some());
}
