//! The button that bakes, its presets, and what tools show.

use super::*;
use std::sync::Arc;
use walkabout::nav::mesh::debug::MeshColoring;

fn mesh_of(window: &Window) -> *const walkabout::sim::nav_mesh::BuiltMesh {
    window.state().app.world().mesh().built().map_or(std::ptr::null(), Arc::as_ptr)
}

fn settled(window: &mut Window) {
    window.run_steps(4);
    wait_for(window, "the mesh", |window| !window.state().app.world().is_building());
    window.run_steps(2);
}

#[test]
fn baking_shows_the_mesh_and_one_up_to_date_stays() {
    let (_folder, mut window) = ground_window();
    let before = mesh_of(&window);
    assert!(!window.state().app.shows_overlay(Layer::NavMesh));
    click(&mut window, "Bake");
    settled(&mut window);
    assert!(window.state().app.shows_overlay(Layer::NavMesh), "what is baked is seen");
    assert!(window.state().app.notices().all().iter().any(|notice| notice.text.contains("up to date")));
    press(&mut window, Modifiers::COMMAND, Key::R);
    settled(&mut window);
    assert_eq!(mesh_of(&window), before, "neither the button nor a restart bakes the same mesh again");
}

#[test]
fn large_levels_are_baked_with_larger_cells() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(Some(&ground_scene(folder.path(), [4000.0, 2.0])));
    wait_for(&mut window, "the failure", |window| window.state().app.world().mesh().error().is_some());
    press(&mut window, Modifiers::NONE, Key::F7);
    click(&mut window, "Bake");
    settled(&mut window);
    let mesh = window.state().app.world().mesh();
    assert!(mesh.error().is_none() && mesh.built().is_some(), "{:?}", mesh.error());
    assert_eq!(window.state().app.scene().nav.bake.cell_size, 0.25);
    let said: Vec<&str> = window.state().app.notices().all().iter().map(|notice| notice.text.as_str()).collect();
    assert!(said.iter().any(|text| text.contains("cells of 0.25 m")), "{said:?}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().app.scene().nav.bake.cell_size, 0.15, "it is undone");
}

#[test]
fn two_kilometres_are_baked_in_tiles_until_it_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(Some(&ground_scene(folder.path(), [1000.0, 1000.0])));
    wait_for(&mut window, "the failure", |window| window.state().app.world().mesh().error().is_some());
    press(&mut window, Modifiers::NONE, Key::F7);
    // Cancelled, it begins again by the same button.
    for _ in 0..2 {
        click(&mut window, "Bake");
        let bake = &window.state().app.scene().nav.bake;
        assert_eq!((bake.cell_size, bake.tile_cells), (0.5, 128));
        assert!(window.state().app.world().mesh().is_building());
        click(&mut window, "Cancel");
        let mesh = window.state().app.world().mesh();
        assert!(!mesh.is_building() && mesh.built().is_none(), "{:?}", mesh.error());
        assert!(window.query_by_label_contains("the bake was cancelled").is_some());
        assert!(window.query_by_label("Cancel").is_none());
    }
}

#[test]
fn a_preset_bakes_for_its_agent_and_is_undone() {
    let (_folder, mut window) = ground_window();
    let radius = |window: &Window| window.state().app.scene().nav.bake.agent_radius;
    let (before, usual) = (mesh_of(&window), radius(&window));
    window.get_by_value("Person").click();
    window.run_steps(4);
    click(&mut window, "RecastDemo");
    settled(&mut window);
    assert_eq!(radius(&window), 0.6);
    assert_ne!(mesh_of(&window), before, "it is baked anew");
    assert!(window.query_by_value("RecastDemo").is_some(), "the list names the preset");
    type_number(&mut window, "Step", "0.3");
    assert_eq!(window.state().app.scene().nav.bake.agent_climb, 0.3);
    assert!(window.query_by_value("Custom").is_some());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(radius(&window), usual);
}

#[test]
fn the_mesh_is_coloured_by_choice_and_explained_by_a_legend() {
    let (_folder, mut window) = ground_window();
    for coloring in [MeshColoring::Island, MeshColoring::Region, MeshColoring::Area] {
        click(&mut window, coloring.label());
        let legend = window.state().app.inspector().legend();
        assert_eq!((legend.coloring(), legend.rows().len()), (coloring, 1), "{:?}", legend.rows());
        assert!(window.state().app.shows_overlay(Layer::NavMesh));
    }
    click(&mut window, "Area");
    assert!(!window.state().app.shows_overlay(Layer::NavMesh), "a second click hides it");
}

#[test]
fn what_a_tool_shows_goes_with_it_but_not_what_it_placed() {
    let (_folder, mut window) = ground_window();
    let shows = |window: &Window, layer| window.state().app.shows_overlay(layer);
    click(&mut window, "Obstacle");
    assert!(shows(&window, Layer::NavMesh) && shows(&window, Layer::Obstacles) && shows(&window, Layer::ProbePath));
    click_at(&mut window, 620.0, 450.0);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!shows(&window, Layer::NavMesh) && !shows(&window, Layer::ProbePath));
    assert!(shows(&window, Layer::Obstacles), "what was placed stays in sight");
}

#[test]
fn values_of_the_agent_are_set_back_and_told_their_range() {
    let (_folder, mut window) = ground_window();
    let height = |window: &Window| window.state().app.scene().nav.bake.agent_height;
    let left = |window: &Window| window.get_by_role_and_label(egui::accesskit::Role::SpinButton, "Slope").rect().left();
    let (usual, slope_at) = (height(&window), left(&window));
    type_number(&mut window, "Height", "1.5");
    assert_eq!(height(&window), 1.5);
    click(&mut window, "Reset agent height");
    assert_eq!(height(&window), usual);
    assert!(window.query_by_label("Reset agent height").is_none(), "there is nothing to set back");
    type_number(&mut window, "Height", "-1");
    assert_eq!(height(&window), usual, "what does not fit changes nothing");
    let told = window.query_all_by_label_contains("0.1 to ").next().expect("its range is told");
    let field = window.get_by_role_and_label(egui::accesskit::Role::SpinButton, "Height").rect();
    assert!(told.rect().top() >= field.bottom(), "below the field");
    assert!((left(&window) - slope_at).abs() < 0.5, "the others keep their places");
}
