//! Editors of behaviours in windows of their own.

use super::*;
use walkabout::behavior::graph::BehaviorGraph;

fn graphs(window: &Window) -> Vec<BehaviorGraph> {
    window.state().app.scene().behaviors.values().map(|graph| (**graph).clone()).collect()
}

#[test]
fn behaviours_are_edited_side_by_side_in_windows() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    for label in ["More", "Own window"] {
        if let Some(button) = window.query_by_role_and_label(egui::accesskit::Role::Button, label) {
            button.click_accesskit();
            window.run_steps(4);
        }
    }
    let editors = |window: &Window| window.query_all_by_label("➕ New").count();
    assert_eq!(editors(&window), 2, "the panel and a window");
    // The panel goes on to another template; the window stays with the first.
    window.get_all_by_label("➕ New").next().unwrap().click_accesskit();
    window.run_steps(6);
    assert!(window.query_all_by_label("Behaviour Behaviour1").next().is_some());
    let counts = |window: &Window| graphs(window).iter().map(|graph| graph.nodes.len()).collect::<Vec<_>>();
    assert_eq!(counts(&window), [2, 2]);
    window.get_all_by_label("Add node").last().unwrap().click_accesskit();
    window.run_steps(4);
    window.get_all_by_label("Selector").last().unwrap().click_accesskit();
    window.run_steps(4);
    assert_eq!(counts(&window), [3, 2], "each editor changes its own");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(counts(&window), [2, 2]);
}
