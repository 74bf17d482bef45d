//! An animator's tools: edits of clips, compression, events and curves on the timeline, weights, a second clip.

use super::*;

use egui::accesskit::Role;
use panels::{changes, press_button};
use walkabout::scene::{ClipEventKind, Scene, SceneModel};

fn model(scene: &Scene) -> &SceneModel {
    scene.models.values().next().unwrap()
}

/// Ada with the animation panel on a page, and the player on a clip.
fn page(name: &str, clip: &str) -> (tempfile::TempDir, Window) {
    let (folder, mut window) = editing::person();
    press(&mut window, Modifiers::NONE, Key::F3);
    choose(&mut window, "clip to play", clip);
    click(&mut window, name);
    (folder, window)
}

/// Takes a row of a list.
fn choose(window: &mut Window, list: &str, row: &str) {
    window.get_by_role_and_label(Role::ComboBox, list).click_accesskit();
    window.run_steps(4);
    window.get_all_by_label(row).last().unwrap().click_accesskit();
    window.run_steps(4);
}

/// The model as it is loaded; none while it is read.
fn loaded(window: &Window) -> Option<walkabout::asset::Model> {
    let world = window.state().app.world();
    let (id, _) = world.iter().next()?;
    world.model_of(id).cloned()
}

#[test]
fn clips_are_mirrored_as_copies_and_compressed() {
    let (_folder, mut window) = page("Edits", "Walk");
    let before = loaded(&window).unwrap().clips.len();
    window.get_by_role_and_label(Role::CheckBox, "Mirror").click_accesskit();
    window.run_steps(4);
    window.get_by_label("Copy as").focus();
    window.run_steps(2);
    window.get_by_label("Copy as").type_text("Walk mirrored");
    window.run_steps(4);
    let apply = |window: &mut Window| press_button(window, "Apply");
    let edits = |scene: &Scene| model(scene).clip_sources.edits.clone();
    apply(&mut window);
    let made = edits(window.state().app.scene());
    assert!(made.len() == 1 && made[0].is_mirrored && made[0].copy_name == "Walk mirrored", "{made:?}");
    wait_for(&mut window, "the copy", |w| loaded(w).is_some_and(|file| file.clips.len() == before + 1));
    assert!(window.query_by_label_contains("Walk as Walk mirrored: mirrored").is_some());
    changes(&mut window, "Edits", |w| press_button(w, "Compress"), |s| model(s).clip_sources.tolerance_um == 500);
    press_button(&mut window, "Compress");
    wait_for(&mut window, "fewer keys", |w| loaded(w).is_some_and(|file| file.compression.len() == before + 1));
    wait_for(&mut window, "their error", |w| w.query_all_by_label_contains(" mm").count() > before);
    let file = loaded(&window).unwrap();
    assert!(file.compression.iter().all(|clip| clip.error_mm <= 0.5));
    press_button(&mut window, "Keep all keys");
    assert_eq!(model(window.state().app.scene()).clip_sources.tolerance_um, 0);
}

#[test]
fn events_and_curves_go_along_with_a_clip() {
    let (_folder, mut window) = page("Timeline", "Walk");
    let events = |scene: &Scene| model(scene).clip_events.clone();
    let add = |w: &mut Window| press_button(w, "➕ Footsteps of the feet");
    changes(&mut window, "Timeline", add, |scene| events(scene).len() == 2);
    changes(
        &mut window,
        "Timeline",
        |w| press_button(w, "➕ Sound"),
        |s| events(s).first().is_some_and(|event| event.kind == ClipEventKind::Sound && event.clip == 1),
    );
    add(&mut window);
    // A drag of its mark moves an event; elsewhere it scrubs.
    let before = events(window.state().app.scene());
    let line = window.get_by_label("timeline").rect();
    let clip_secs = loaded(&window).unwrap().clips[1].duration_secs;
    let (left, width) = (line.left() + 76.0, line.width() - 80.0);
    let x = |secs: f32| left + width * secs / clip_secs;
    let y = line.top() + 18.0 + 28.0 + 10.0;
    drag(&mut window, [x(before[0].time), y], [x(before[0].time) + 30.0, y]);
    let after = events(window.state().app.scene());
    let moved = (after[0].time - before[0].time) / clip_secs * width;
    assert!((moved - 30.0).abs() < 3.0, "{moved} points");
    assert_eq!(after[1], before[1]);
    drag(&mut window, [x(0.2), line.top() + 5.0], [x(0.5), line.top() + 5.0]);
    assert_eq!(events(window.state().app.scene()), after);
    let shown = window.state().app.world().iter().next().unwrap().1.now.playback.clips[0];
    assert!((shown.time_secs - 0.5).abs() < 0.02 && shown.clip.0 == 1, "{shown:?}");
}

#[test]
fn a_clip_plays_on_at_any_speed() {
    let (_folder, mut window) = page("Gaits", "Walk");
    type_number(&mut window, "speed of the player", "0.33");
    let time = |window: &Window| window.state().app.world().iter().next().unwrap().1.now.playback.clips[0].time_secs;
    let mut passed = 0.0;
    for _ in 0..20 {
        let before = time(&window);
        window.run_steps(1);
        passed += (time(&window) - before).rem_euclid(1.0);
    }
    assert!((passed - 0.66).abs() < 0.1, "{passed} s of 0.66");
}

#[test]
fn weights_and_a_second_clip_are_shown() {
    let (_folder, mut window) = page("Weights", "Run");
    assert!(window.query_by_label_contains("No instance").is_none());
    choose(&mut window, "compare", "second clip beside");
    choose(&mut window, "second clip", "Walk");
    let ghost = window.state().app.world().ghost().unwrap().1;
    assert!(ghost.shows.clips[0].clip.0 == 1 && (0.5..2.0).contains(&ghost.beside), "{ghost:?}");
    choose(&mut window, "compare", "no second clip");
    assert!(window.state().app.world().ghost().is_none());
}
