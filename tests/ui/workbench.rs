//! The tools of the navigation workbench.

use super::*;
use egui::accesskit::Role;
use walkabout::nav::mesh::off_mesh::LinkKind;
use walkabout::nav::search::strategy::{Heuristic, SearchAlgorithm};
use walkabout::scene::nav::Bends;

#[test]
fn z_4_the_path_tool_tries_paths_and_undoes_its_ends() {
    let (_folder, mut window) = ground_window();
    let probe = |window: &Window| window.state().app.scene().nav.probe.clone();
    click(&mut window, "Path");
    assert!(window.state().app.shows_overlay(Layer::ProbePath), "the tool shows what it finds");
    assert!(window.query_all_by_label_contains("Shift+click").count() > 0, "nothing says what a click does");
    click_at(&mut window, 600.0, 450.0);
    assert!(probe(&window).start.is_some() && probe(&window).end.is_none());
    drag(&mut window, [700.0, 450.0], [800.0, 500.0]);
    let end = probe(&window).end.unwrap();
    assert!(end.y.abs() < 1e-3 && end.x > probe(&window).start.unwrap().x, "{end}");
    let length = window.state().app.inspector().query().results()[0].length;
    assert!(length > 0.5, "{length}");
    let straight = f64::from(probe(&window).start.unwrap().distance(end));
    assert!((length - straight).abs() < 0.3, "on open ground the path is straight: {length}, {straight}");
    assert!(window.query_by_label("funnel").is_some(), "the table of results is not shown");

    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(probe(&window).end.is_none() && probe(&window).start.is_some(), "a drag is one step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(probe(&window).start.is_none());
    press(&mut window, Modifiers::COMMAND, Key::Y);
    press(&mut window, Modifiers::COMMAND, Key::Y);
    assert_eq!(probe(&window).end, Some(end));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_all_by_label_contains("Shift+click").count() == 0, "Escape leaves the tool");
}

#[test]
fn obstacles_are_placed_dragged_and_removed_and_cut_the_mesh() {
    let (_folder, mut window) = ground_window();
    let bases = |window: &Window| -> Vec<f32> {
        window.state().app.scene().nav.obstacles.iter().map(|o| o.shape.base().x).collect()
    };
    let polygons = |window: &Window| window.state().app.world().mesh().current().unwrap().len();
    let before = polygons(&window);
    click(&mut window, "Obstacle");
    click_at(&mut window, 620.0, 450.0);
    assert_eq!(bases(&window).len(), 1);
    assert!(polygons(&window) > before, "the obstacle does not lie on the mesh");
    let first = bases(&window)[0];
    drag(&mut window, [620.0, 447.0], [760.0, 447.0]);
    assert_eq!(bases(&window).len(), 1, "what lies under the cursor is moved");
    assert!(bases(&window)[0] > first + 0.5, "{first} {:?}", bases(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(bases(&window), [first], "a drag is one step");
    press(&mut window, Modifiers::COMMAND, Key::Y);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!((bases(&window).len(), polygons(&window)), (0, before));
    assert_eq!(window.state().app.selection().instance, None, "with a tool clicks select nothing");
    // Where undo takes the last of two away, the other one is not what was picked.
    click_at(&mut window, 620.0, 450.0);
    click_at(&mut window, 760.0, 450.0);
    assert_eq!(bases(&window).len(), 2);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(bases(&window).len(), 1);
    // The menu means what the key means.
    click_at(&mut window, 760.0, 450.0);
    assert_eq!(bases(&window).len(), 2);
    click_in_menu(&mut window, "Edit", "Delete");
    assert_eq!(bases(&window).len(), 1);
}

#[test]
fn every_tool_can_be_chosen_and_the_workbench_is_not_cut_off() {
    let (_folder, mut window) = ground_window();
    for label in ["Raycast", "Wall", "Random", "Threat", "Volume", "Link", "Seed", "Crowd"] {
        click(&mut window, label);
        assert!(window.query_all_by_label_contains("Esc: done.").count() > 0, "{label} is not chosen");
        // While the level or the mesh is being built anew there is nothing to click on.
        for (x, y) in [(600.0, 450.0), (740.0, 480.0)] {
            let top = window.get_by_label("Crowd").rect().top();
            wait_for(&mut window, "the mesh", |window| {
                let is_building = window.state().app.world().is_building();
                let now = window.get_by_label("Crowd").rect().top();
                assert!(!is_building || now == top, "the tools jump from {top} to {now} while the mesh is built");
                !is_building
            });
            click_at(&mut window, x, y);
        }
        let errors: Vec<_> = window.state().app.notices().all().iter().map(|n| n.text.clone()).collect();
        assert!(errors.is_empty(), "{label}: {errors:?}");
    }
    let nav = window.state().app.scene().nav.clone();
    let counts = [nav.threats.len(), nav.bake.volumes.len(), nav.bake.placed_links.len(), nav.bake.seeds.len()];
    assert_eq!(counts, [2, 2, 1, 2]);
    assert_eq!((nav.crowds.len(), nav.probe.random), (1, 100));
    for section in ["Bake settings", "Search step by step", "Shown in the viewport"] {
        click(&mut window, section);
        click(&mut window, section);
    }
}

#[test]
fn tp_11_weights_of_marks_are_typed_undone_and_set_back() {
    let (_folder, mut window) = ground_window();
    let weights = |window: &Window| window.state().app.scene().nav.weights.clone();
    let usual = weights(&window);
    let press_button = |window: &mut Window, label: &str| {
        // Wherever it lies in its panel.
        window.get_by_label(label).click_accesskit();
        window.run_steps(4);
    };
    press_button(&mut window, "Agent settings");
    press_button(&mut window, "Amphibious characters");
    assert_eq!(weights(&window).amphibious, Some(1.0));
    type_number(&mut window, "On slow ground", "3.5");
    assert_eq!(weights(&window).slow, 3.5);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((weights(&window).slow, weights(&window).amphibious), (usual.slow, Some(1.0)));
    press(&mut window, Modifiers::COMMAND, Key::Y);
    press_button(&mut window, "Reset On slow ground");
    assert_eq!(weights(&window).slow, usual.slow);
    press_button(&mut window, "Amphibious characters");
    assert_eq!(weights(&window), usual);
}

#[test]
fn tp_16_what_enemies_see_is_chosen_in_the_tool_threat() {
    let (_folder, mut window) = ground_window();
    let sight =
        |window: &Window| (window.state().app.scene().nav.sight.heights, window.state().app.scene().nav.sight.ducked);
    click(&mut window, "Threat");
    for label in ["Heights count", "Ducked"] {
        // Wherever it lies in its panel.
        window.get_by_label(label).click_accesskit();
        window.run_steps(4);
    }
    assert_eq!(sight(&window), (true, true));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(sight(&window), (true, false));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(sight(&window), (false, false));
}

#[test]
fn e_1_bends_are_chosen_and_the_turn_radius_is_typed() {
    let (_folder, mut window) = ground_window();
    let bends = |window: &Window| window.state().app.scene().nav.bends;
    let radius = |window: &Window| window.state().app.scene().nav.turn_radius;
    let usual = radius(&window);
    window.get_by_label("Agent settings").click_accesskit();
    window.run_steps(4);
    type_number(&mut window, "Turn radius", "0.75");
    assert_eq!(radius(&window), 0.75);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(radius(&window), usual);
    window.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Bends by").click_accesskit();
    window.run_steps(3);
    click(&mut window, "Spline");
    assert_eq!(bends(&window), Bends::Spline);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(bends(&window), Bends::Arcs);
}

#[test]
fn searches_of_triangles_are_chosen_and_undone() {
    let (_folder, mut window) = ground_window();
    click(&mut window, "Path");
    click_at(&mut window, 600.0, 450.0);
    drag(&mut window, [700.0, 450.0], [800.0, 500.0]);
    let probe = |window: &Window| window.state().app.scene().nav.probe.clone();
    let choose = |window: &mut Window, list: &str, one: &str| {
        // The planner of the scene stands above that of the test path.
        window.query_all_by_role_and_label(Role::ComboBox, list).last().unwrap().click_accesskit();
        window.run_steps(3);
        click(window, one);
    };
    choose(&mut window, "Planner", "Centres of triangles");
    window.get_by_role_and_label(Role::CheckBox, "Compare with").click_accesskit();
    window.run_steps(3);
    choose(&mut window, "Compare with", "Centres of triangles");
    choose(&mut window, "Its search", "Breadth first");
    choose(&mut window, "Estimate", "Manhattan");
    assert_eq!(probe(&window).beside_search.algorithm, SearchAlgorithm::BreadthFirst);
    assert_eq!(probe(&window).search.heuristic, Heuristic::Manhattan);
    assert!(window.query_by_label("Its estimate").is_none(), "breadth-first search estimates nothing");
    assert!(window.query_by_label("A*, Manhattan").is_some(), "the table says how each searched");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(probe(&window).search.heuristic, Heuristic::Landmarks);
}

#[test]
fn escape_closes_an_open_menu_before_the_tool() {
    let (_folder, mut window) = ground_window();
    click(&mut window, "Raycast");
    let is_chosen = |window: &Window| window.query_all_by_label_contains("Esc: done.").count() > 0;
    assert!(is_chosen(&window));
    click(&mut window, "Edit");
    assert!(window.query_by_label_contains("Create many").is_some(), "the menu is open");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label_contains("Create many").is_none() && is_chosen(&window), "the menu goes first");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!is_chosen(&window));
}

#[test]
fn a_click_beside_the_level_says_so() {
    let (_folder, mut window) = ground_window();
    let missed = |window: &Window| window.state().app.missed_click();
    click(&mut window, "Wall");
    click_at(&mut window, 400.0, 110.0);
    assert!(missed(&window).is_some_and(|text| text.contains("no ground")), "{:?}", missed(&window));
    assert!(window.state().app.scene().nav.probe.wall_from.is_none());
    click_at(&mut window, 600.0, 450.0);
    assert!(missed(&window).is_none() && window.state().app.scene().nav.probe.wall_from.is_some());
    assert!(window.state().app.scene().nav.probe.start.is_none(), "the test path has its own places");
}

#[test]
fn links_have_kinds_and_are_doubted_beyond_their_limits() {
    let (_folder, mut window) = ground_window();
    click(&mut window, "Link");
    window.get_by_role_and_label(Role::ComboBox, "Taken by").click_accesskit();
    window.run_steps(4);
    click(&mut window, "Ladder");
    click_at(&mut window, 480.0, 450.0);
    click_at(&mut window, 800.0, 450.0);
    let links = window.state().app.scene().nav.bake.placed_links.clone();
    assert_eq!(links.iter().map(|link| link.kind).collect::<Vec<_>>(), [LinkKind::Ladder]);
    assert!(window.query_by_label_contains("apart seen from above").is_some(), "a ladder as long as a bridge");
}

#[test]
fn ground_is_painted_and_a_tile_is_built_again() {
    let (_folder, mut window) = ground_window();
    click(&mut window, "Block");
    let cells = |window: &Window| window.state().app.scene().nav.barred_cells.len();
    let mesh = |window: &Window| window.state().app.world().mesh().current().unwrap().id();
    let before = mesh(&window);
    drag(&mut window, [560.0, 450.0], [700.0, 470.0]);
    let painted = cells(&window);
    assert!(painted > 10 && mesh(&window) != before, "{painted} cells");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((cells(&window), mesh(&window)), (0, before), "a stroke is one step");
    press(&mut window, Modifiers::COMMAND, Key::Y);
    click(&mut window, "Clear");
    assert_eq!(cells(&window), 0);
    window.get_by_role_and_label(egui::accesskit::Role::Button, "Polygons").click();
    window.run_steps(4);
    click_at(&mut window, 620.0, 450.0);
    assert_eq!((cells(&window), window.state().app.scene().nav.barred.len()), (0, 1));

    click(&mut window, "Tile");
    window.event(egui::Event::PointerMoved(egui::pos2(620.0, 450.0)));
    window.run_steps(4);
    let tree = |window: &Window| {
        let built = window.state().app.world().mesh().built().unwrap().clone();
        (std::sync::Arc::as_ptr(&built), built.mesh.len())
    };
    let (first, polygons) = tree(&window);
    window.get_by_label("Rebuild").click_accesskit();
    window.run_steps(4);
    wait_for(&mut window, "the tile", |window| tree(window).0 != first);
    assert_eq!(tree(&window).1, polygons, "built again it is the same");
}

#[test]
fn recording_a_test_case_offers_to_save_the_scene_first() {
    let (_folder, mut window) = ground_window();
    click(&mut window, "Path");
    click_at(&mut window, 560.0, 450.0);
    click_at(&mut window, 760.0, 480.0);
    window.run_steps(6);
    assert!(window.state().app.is_dirty());
    window.get_by_label("Record as test case…").click_accesskit();
    window.run_steps(4);
    assert!(window.query_by_label("Save the scene first?").is_some());
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(4);
    assert!(!window.state().app.is_dirty(), "it is saved");
    assert!(window.query_by_label("Save the scene first?").is_none());
    assert!(window.query_by_label_contains("Record a test case").is_some(), "and then the file is asked for");
}

#[test]
fn the_test_path_is_seen_without_scrolling_at_1000_points() {
    let (_folder, mut window) = ground_window();
    window.set_size(egui::vec2(1600.0, 1000.0));
    window.run_steps(6);
    let tool = |window: &Window| window.get_by_label("Block").rect();
    let before = tool(&window);
    click(&mut window, "Path");
    assert_eq!(tool(&window), before, "the first tool moves nothing under the mouse");
    click_at(&mut window, 760.0, 450.0);
    click_at(&mut window, 860.0, 480.0);
    window.run_steps(6);
    let overlays = window.get_by_label("Overlays").rect().top();
    for label in ["Planner", "Compare with", "Length", "Expanded"] {
        let lowest = window.get_all_by_label(label).map(|node| node.rect().bottom()).fold(0.0, f32::max);
        assert!(lowest < overlays, "{label} ends at {lowest}, the panel at {overlays}");
    }
}
