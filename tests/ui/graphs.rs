//! Editors of behaviours in windows of their own.

use super::*;
use egui::pos2;
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
    assert!(window.query_all_by_value("Behaviour2").next().is_some(), "what was made is shown");
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

#[test]
fn a_template_is_given_to_all_that_are_selected() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    let name = graphs(&window)[0].name.clone();
    click(&mut window, "marker 1");
    window.get_by_label("marker 2").click_modifiers(Modifiers::SHIFT);
    window.run_steps(4);
    window.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Template").click_accesskit();
    window.run_steps(4);
    window.get_by_role_and_label(egui::accesskit::Role::Button, &name).click_accesskit();
    window.run_steps(4);
    let living = |window: &Window| {
        window.state().app.scene().instances.values().filter(|instance| instance.behavior.is_some()).count()
    };
    assert_eq!(living(&window), 2);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(living(&window), 0, "one step");
}

/// Lets a wire go over the empty part of the editor, from the pin of the root; opens the menu. Returns where.
fn let_a_wire_go(window: &mut Window) -> Option<egui::Pos2> {
    let title = window.get_by_label("Root 0").rect();
    // Pins are drawn, and have no labels: that of the root lies below the end of its title.
    for down in [28.0_f32, 26.0, 30.0, 32.0, 34.0, 36.0] {
        for right in [-5.0_f32, -2.0, -8.0] {
            // Graphs are shifted as a whole, also by a drag that begins beside the pin.
            let shown = window.ctx.memory(|memory| {
                memory.to_global.values().find(|t| **t != egui::emath::TSTransform::IDENTITY).copied()
            });
            let pin = shown.unwrap_or_default() * pos2(title.right() + right, title.top() + down);
            drag(window, pin.into(), [pin.x + 40.0, pin.y + 60.0]);
            if window.query_by_label("Fires a new").is_some() {
                return Some(pos2(pin.x + 40.0, pin.y + 60.0));
            }
            press(window, Modifiers::NONE, Key::Escape);
            drag(window, [pin.x + 40.0, pin.y + 60.0], pin.into());
        }
    }
    None
}

/// Whether the title of a node lies to the right of the place at which its node begins.
fn lies_at(window: &Window, label: &str, at: egui::Pos2) -> bool {
    let shown = window
        .ctx
        .memory(|memory| memory.to_global.values().find(|t| **t != egui::emath::TSTransform::IDENTITY).copied());
    let off = (shown.unwrap_or_default() * window.get_by_label(label).rect()).left_top() - at;
    (0.0..60.0).contains(&off.x) && off.y.abs() < 60.0
}

#[test]
fn a_wire_that_is_let_go_offers_the_node_after_it() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    window.run_steps(6);
    let at = let_a_wire_go(&mut window).expect("no pin lets a wire go");
    let before = graphs(&window)[0].clone();
    assert!(window.query_by_label("Event").is_none(), "an event is fired by nothing");
    window.get_all_by_label("Selector").last().unwrap().click_accesskit();
    window.run_steps(4);
    let after = graphs(&window)[0].clone();
    assert_eq!((after.nodes.len(), after.links.len()), (before.nodes.len() + 1, before.links.len() + 1));
    assert!(lies_at(&window, "Selector 2", at), "it lies where the wire was let go, not where the menu had room");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(graphs(&window)[0] == before, "node and wire are one step");
}

#[test]
fn a_node_of_the_bar_lands_at_the_cursor() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    window.run_steps(6);
    let item = pos2(700.0, 780.0);
    window.event(egui::Event::PointerMoved(item));
    window.run_steps(4);
    // The keys open the menu and choose from it.
    window.get_by_label("Add node").click_accesskit();
    window.run_steps(4);
    window.event(egui::Event::Text("selector".into()));
    window.run_steps(4);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(4);
    assert_eq!(graphs(&window)[0].nodes.len(), 3);
    assert!(lies_at(&window, "Selector 2", item));
}

#[test]
fn a_node_of_the_menu_lands_where_it_was_asked_for() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    window.run_steps(6);
    let at = pos2(700.0, 780.0);
    let button = |pressed| {
        let button = egui::PointerButton::Secondary;
        egui::Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE }
    };
    for event in [egui::Event::PointerMoved(at), button(true), button(false)] {
        window.event(event);
        window.run_steps(2);
    }
    window.get_all_by_label("Selector").last().unwrap().click_accesskit();
    window.run_steps(4);
    assert!(lies_at(&window, "Selector 2", at));
}
