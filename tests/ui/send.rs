//! The tool that sends the selected characters to a place.

use super::*;
use glam::Vec3;
use walkabout::ids::InstanceId;

/// A person in the middle of a square of ground with a mesh, which stands still.
fn person_on_ground() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let path = ground_scene(folder.path(), [5.0, 5.0]);
    let text = std::fs::read_to_string(&path).unwrap() + &editing::ada();
    std::fs::write(&path, text).unwrap();
    let mut window = window(Some(&path));
    wait_for(&mut window, "the mesh", |window| window.state().app.world().mesh().built().is_some());
    (folder, window)
}

fn place(window: &Window, id: InstanceId) -> Vec3 {
    window.state().app.world().live(id).unwrap().now.position
}

#[test]
fn the_selected_walk_where_a_click_sends_them() {
    let (_folder, mut window) = person_on_ground();
    let counts = |window: &Window| {
        let scene = window.state().app.scene();
        (scene.models.len(), scene.instances.len())
    };
    let ada = window.state().app.scene().instances.at(0).unwrap();
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::NONE, Key::T);
    click_at(&mut window, 800.0, 400.0);
    assert!(window.state().app.missed_click().is_some_and(|text| text.contains("No character is selected")));
    assert_eq!(counts(&window), (1, 1));
    // A click on a character selects it, with the tool in hand.
    let at = window.state().app.seen_at(place(&window, ada) + Vec3::Y).unwrap();
    click_at(&mut window, at.x, at.y);
    assert_eq!(window.state().app.selection().instance, Some(ada));
    click_at(&mut window, 800.0, 400.0);
    let sent = |window: &Window| {
        let scene = window.state().app.scene();
        let walker = scene.instances.get(ada).unwrap();
        walker.target.map(|marker| (marker, scene.instances.get(marker).unwrap().position))
    };
    let (marker, goal) = sent(&window).unwrap();
    assert_eq!(counts(&window), (2, 2));
    let app = &window.state().app;
    assert!(app.is_playing() && app.scene().settings.nav.enabled && app.scene().instances.get(ada).unwrap().navigation);
    assert_eq!(app.selection().instance, Some(ada), "what is sent stays selected");
    wait_for(&mut window, "the walk", |window| place(window, ada).distance(goal) < 1.0);
    drag(&mut window, [600.0, 420.0], [560.0, 440.0]);
    let (led_to, second) = sent(&window).unwrap();
    assert_eq!((led_to, counts(&window)), (marker, (2, 2)), "the same marker goes with the drag");
    assert!(second.distance(goal) > 1.0);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(sent(&window), Some((marker, goal)), "a drag is one step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((sent(&window), counts(&window)), (None, (1, 1)), "so are a press and all that it puts there");
}
