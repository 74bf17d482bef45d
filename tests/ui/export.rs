//! The export of pictures: files in a folder, drawn in the background.

use super::*;
use egui::accesskit::Role;

/// Types into a field in place of what it holds.
fn set(window: &mut Window, role: Role, label: &str, text: &str) {
    if role == Role::SpinButton {
        window.get_by_role_and_label(role, label).click();
    } else {
        window.get_by_role_and_label(role, label).focus();
    }
    window.run_steps(3);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(text.into()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

/// Two markers and the export window, set to small pictures in a folder.
fn export_window(command: &str) -> (tempfile::TempDir, Window, PathBuf) {
    let (folder, mut window) = two_markers();
    wait_for(&mut window, "the model", |window| !window.state().app.is_importing());
    click(&mut window, "File");
    click_containing(&mut window, command);
    let out = folder.path().join("new/pictures");
    set(&mut window, Role::TextInput, "Export folder", out.to_str().unwrap());
    set(&mut window, Role::SpinButton, "Width", "64");
    set(&mut window, Role::SpinButton, "Height", "48");
    (folder, window, out)
}

/// Runs frames until a notice has come; its text.
fn notice(window: &mut Window) -> String {
    wait_for(window, "the end of the export", |window| !window.state().app.notices().all().is_empty());
    window.state().app.notices().all().last().unwrap().text.clone()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_turn_is_written_as_numbered_pictures_that_differ() {
    let (_folder, mut window, out) = export_window("Export turntable");
    set(&mut window, Role::SpinButton, "Per second", "4");
    set(&mut window, Role::SpinButton, "Takes", "1");
    let steps = window.state().app.world().steps();
    click(&mut window, "Export 4 images");
    let text = notice(&mut window);
    assert!(text.starts_with("4 pictures were written"), "{text}");
    assert_eq!(files(&out), ["two_turn_0001.png", "two_turn_0002.png", "two_turn_0003.png", "two_turn_0004.png"]);
    let pictures: Vec<_> = files(&out).iter().map(|name| image::open(out.join(name)).unwrap().to_rgb8()).collect();
    assert!(pictures.iter().all(|picture| picture.dimensions() == (64, 48)));
    assert!(pictures[0] != pictures[1], "the eye goes round");
    assert!(window.state().app.world().steps() > steps, "the window runs on meanwhile");
    assert!(window.query_by_label_contains("are replaced").is_some(), "the next ones have the same names");
}

#[test]
fn frames_can_be_cancelled_and_what_is_written_stays_whole() {
    let (_folder, mut window, out) = export_window("Export frames");
    set(&mut window, Role::SpinButton, "Takes", "600");
    click(&mut window, "Export 18000 images");
    wait_for(&mut window, "some pictures", |_| files(&out).len() > 2);
    click(&mut window, "Cancel");
    let text = notice(&mut window);
    assert!(text.contains("cancelled") && text.contains("of 18000"), "{text}");
    let names = files(&out);
    assert!(names.len() > 2 && names.iter().all(|name| name.ends_with(".png")), "{names:?}");
    for name in names {
        assert_eq!(image::open(out.join(name)).unwrap().to_rgb8().dimensions(), (64, 48));
    }
}

#[test]
fn an_export_that_cannot_write_says_where() {
    let (folder, mut window, _) = export_window("Export image");
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "a file").unwrap();
    set(&mut window, Role::TextInput, "Export folder", taken.to_str().unwrap());
    click(&mut window, "Export 1 image");
    let text = notice(&mut window);
    assert!(text.contains("after 0 of 1") && text.contains("taken"), "{text}");
}

#[test]
fn files_are_named_after_the_scene_or_as_typed_and_found_again() {
    let (_folder, mut window, out) = export_window("Export image");
    let name = window.get_by_role_and_label(Role::TextInput, "Name").value();
    assert_eq!(name.as_deref(), Some("two"), "the scene's name is proposed");
    set(&mut window, Role::TextInput, "Name", "poster/1");
    click(&mut window, "Export 1 image");
    let text = notice(&mut window);
    assert!(text.starts_with("The image was written") && text.contains("poster1.png"), "{text}");
    assert_eq!(files(&out), ["poster1.png"]);
    window.run_steps(2);
    assert!(window.query_by_label("Show folder").is_some(), "nothing leads there");
}
