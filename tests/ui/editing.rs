//! The editor beyond its panels: behaviours, cameras, handles, the profiler.

use super::panels::{changes, press_button};
use super::*;
use egui::accesskit::Role;
use walkabout::anim::layer::LayerKind;

#[test]
fn a_behaviour_is_made_changed_and_undone_in_its_editor() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    let graph = |window: &Window| window.state().app.scene().behaviors.values().next().map(|graph| (**graph).clone());
    let made = graph(&window).unwrap();
    assert_eq!((made.nodes.len(), made.links.len()), (2, 1));
    window.run_steps(10);
    assert_eq!(graph(&window).unwrap(), made, "looking at it changes nothing");

    click(&mut window, "Add node");
    click(&mut window, "Selector");
    let changed = graph(&window).unwrap();
    assert_eq!((changed.nodes.len(), changed.nodes[2].kind), (3, 5));
    assert!(changed.editor_settings.contains("[node.2]"), "places are saved as the original saves them");
    assert!(window.query_by_label_contains("problems").is_some(), "nothing fires the new node");

    click(&mut window, "Add node");
    click(&mut window, "Movement");
    // The node is taller than the panel: a screen reader reaches all of it.
    for label in ["➕ Value", "Max speed"] {
        window.get_by_label(label).click_accesskit();
        window.run_steps(4);
    }
    let keys = &graph(&window).unwrap().nodes[3].properties;
    assert_eq!(*keys, [("instance-max-speed".to_owned(), "0".to_owned())]);
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(graph(&window).unwrap(), made);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(graph(&window), None);
    window.run_steps(4);
}

#[test]
fn the_profiler_shows_the_scopes_of_a_frame_and_holds_one() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F9);
    for name in ["update span", "panels span", "extract span", "simulate span"] {
        assert!(window.query_all_by_label(name).next().is_some(), "there is no {name}");
    }
    assert!(window.query_by_label_contains("Memory").is_some());
    click(&mut window, "Hold");
    press(&mut window, Modifiers::NONE, Key::Space);
    window.run_steps(5);
    assert!(window.query_all_by_label("simulate span").next().is_some(), "the frame that is held had a step");
    click(&mut window, "Hold");
    window.run_steps(5);
    assert!(window.query_all_by_label("simulate span").next().is_none(), "nothing is simulated now");
}

#[test]
fn an_instance_is_called_what_people_call_it() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    let field = window.get_by_role_and_label(egui::accesskit::Role::TextInput, "Name");
    field.focus();
    window.run_steps(2);
    window.get_by_role_and_label(egui::accesskit::Role::TextInput, "Name").type_text("Well");
    window.run_steps(4);
    assert!(window.query_all_by_label("Well").next().is_some(), "the list shows the name");
    assert_eq!(window.state().app.scene().instances.values().nth(1).unwrap().name, "Well");
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(window.query_all_by_label("marker 2").next().is_some());
}

/// Ada as the plaza has her, in the middle: the models and instances of a scene file.
pub fn ada() -> String {
    let plaza = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("config/plaza.acfg")).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/people/ada.glb");
    let (begin, end) =
        (plaza.find("  - model-name: ada.glb").unwrap(), plaza.find("  - model-name: bruno.glb").unwrap());
    let model = plaza[begin..end].replace("assets/people/ada.glb", file.to_str().unwrap());
    format!(
        "models:\n{model}    bone-numbers: nodes\ninstances:\n  - model-file: ada.glb\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    \
         scale: 1\n"
    )
}

/// A window with one person, whose model is there.
pub fn person() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("version: 9.0\nsettings:\n  selected-model: 0\n  selected-instance: 1\n{}", ada());
    let path = folder.path().join("one.acfg");
    std::fs::write(&path, text).unwrap();
    let mut window = window(Some(&path));
    for _ in 0..600 {
        if window.state().app.world().iter().any(|(_, live)| live.now.playback.clips[1].time_secs > 0.0) {
            return (folder, window);
        }
        std::thread::sleep(Duration::from_millis(20));
        window.run_steps(1);
    }
    panic!("the person never moved");
}

#[test]
fn clips_are_scrubbed_and_the_animation_of_a_model_is_changed() {
    let (_folder, mut window) = person();
    press(&mut window, Modifiers::NONE, Key::F3);
    let clip = |window: &Window| window.state().app.world().iter().next().unwrap().1.now.playback.clips[0].clip.0;
    let own = clip(&window);
    click(&mut window, "Actions");
    window.get_all_by_label("▶").last().unwrap().click_accesskit();
    window.run_steps(4);
    assert_eq!((own, clip(&window)), (0, 10), "the last action is waved");
    click(&mut window, "Preview");
    window.run_steps(4);
    assert_eq!(clip(&window), own, "without the player it does what it did");

    let entry = |window: &Window| (**window.state().app.scene().models.values().next().unwrap()).clone();
    let before = entry(&window);
    window.get_by_label("Wave").click_accesskit();
    window.run_steps(4);
    assert_eq!(entry(&window).actions.len() + 1, before.actions.len());
    click(&mut window, "Orders");
    window.get_by_label("Kick to Run").click_accesskit();
    window.run_steps(4);
    assert_eq!(entry(&window).allowed_orders.len(), before.allowed_orders.len() + 1);
    click(&mut window, "Head");
    window.get_by_label("Head up").click_accesskit();
    window.run_steps(4);
    assert_eq!(entry(&window).head_clips.len(), 3);
    click(&mut window, "Bones");
    assert!(window.query_by_label("Left leg begins at").is_some());
    click_containing(&mut window, "hips");
    window.get_by_label("Bone names").click_accesskit();
    window.run_steps(4);
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(entry(&window), before);
}

/// Moves the pointer, presses, moves on and releases, with keys held.
fn middle_drag(window: &mut Window, modifiers: Modifiers, button: egui::PointerButton, from: [f32; 2], to: [f32; 2]) {
    let [from, to] = [from, to].map(|[x, y]| egui::pos2(x, y));
    let middle = from + (to - from) * 0.5;
    window.event_modifiers(egui::Event::PointerMoved(from), modifiers);
    window.run_steps(2);
    window.event_modifiers(egui::Event::PointerButton { pos: from, button, pressed: true, modifiers }, modifiers);
    window.run_steps(2);
    for at in [middle, to] {
        window.event_modifiers(egui::Event::PointerMoved(at), modifiers);
        window.run_steps(2);
    }
    window.event_modifiers(egui::Event::PointerButton { pos: to, button, pressed: false, modifiers }, modifiers);
    window.run_steps(3);
}

#[test]
fn alt_drags_go_round_what_is_selected_and_home_shows_all() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    let around = glam::Vec3::new(3.0, 1.0, 0.0);
    let before = window.state().app.eye().unwrap();
    middle_drag(&mut window, Modifiers::ALT, egui::PointerButton::Primary, [700.0, 400.0], [900.0, 450.0]);
    let after = window.state().app.eye().unwrap();
    assert!(after.distance(before) > 0.5, "the eye went round: {before} {after}");
    assert!((after.distance(around) - before.distance(around)).abs() < 0.05, "at the same distance");
    assert!(window.state().app.selection().instance.is_some(), "Alt selects nothing else");
    middle_drag(&mut window, Modifiers::ALT, egui::PointerButton::Secondary, [700.0, 400.0], [700.0, 300.0]);
    let nearer = window.state().app.eye().unwrap();
    assert!(nearer.distance(around) < after.distance(around) * 0.9, "{after} {nearer}");
    press(&mut window, Modifiers::NONE, Key::Home);
    window.run_steps(40);
    let all = window.state().app.eye().unwrap();
    assert!(all.distance(glam::Vec3::new(1.5, 0.5, 0.0)) > 2.0 && all != nearer);
}

#[test]
fn k_holds_the_simulation_in_both_modes() {
    let (_folder, mut window) = two_markers();
    assert!(window.state().app.is_playing());
    press(&mut window, Modifiers::NONE, Key::K);
    assert!(!window.state().app.is_playing());
    click(&mut window, "marker 1");
    press(&mut window, Modifiers::NONE, Key::F10);
    press(&mut window, Modifiers::NONE, Key::K);
    assert!(window.state().app.is_playing());
}

#[test]
fn many_are_created_along_corners_that_are_clicked() {
    let (_folder, mut window) = ground_window();
    window.state_mut().app.file_dropped(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb"));
    window.run_steps(4);
    click(&mut window, "Add as model");
    press(&mut window, Modifiers::COMMAND, Key::M);
    window.get_by_value("Scattered on the ground").click();
    window.run_steps(4);
    click(&mut window, "Along a path");
    click(&mut window, "Create 50");
    assert_eq!(window.state().app.scene().instances.len(), 1, "a path has two corners at least");
    for x in [540.0, 720.0, 860.0] {
        let pos = egui::pos2(x, 560.0);
        let button = |pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        for event in [egui::Event::PointerMoved(pos), button(true), button(false)] {
            window.event(event);
        }
        window.run_steps(4);
    }
    assert!(window.query_by_label("3").is_some(), "the corners are counted");
    click(&mut window, "Create 50");
    let made: Vec<glam::Vec3> = positions(&window).split_off(1);
    assert_eq!(made.len(), 50);
    let gap = made[0].distance(made[1]);
    assert!(gap > 0.01 && made.windows(2).all(|two| (two[0].distance(two[1]) - gap).abs() < gap * 0.2), "{made:?}");
    assert!(made.iter().all(|at| at.y.abs() < 1e-3), "on the ground");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().app.scene().instances.len(), 1);
}

/// A window in which marker 2 lives by a new behaviour, which waits, in its editor.
fn a_life() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let path = scene_file(folder.path());
    let text = std::fs::read_to_string(&path).unwrap().replace("[3, 0, 0]", "[3, 0, 0]\n    node-tree: life");
    let text = text.replace("props/marker.glb", "people/ada.glb");
    let pairs = |pairs: &str| format!("      node-data:{pairs}\n");
    let trees = format!(
        "node-trees:\n  - node-tree-name: life\n    editor-settings: \"\"\n    nodes:\n    - node-type: 1\n      \
         node-id: 0\n{}    - node-type: 3\n      node-id: 1\n{}    - node-type: 2\n      node-id: 2\n{}    links:\n    \
         - 10000: [0, 1000]\n",
        pairs(" []"),
        pairs("\n      - wait-time: 20"),
        pairs(" []"),
    );
    std::fs::write(&path, text + &trees).unwrap();
    let mut window = window(Some(&path));
    press(&mut window, Modifiers::NONE, Key::F6);
    if !window.state().app.is_playing() {
        press(&mut window, Modifiers::NONE, Key::Space);
    }
    wait_for(&mut window, "an instance that lives by it", |window| !active(window).is_empty());
    (folder, window)
}

/// Numbers of the active nodes of the second instance.
fn active(window: &Window) -> Vec<i64> {
    let app = &window.state().app;
    let id = app.scene().instances.ids().nth(1).unwrap();
    app.world()
        .behavior(id)
        .map(|running| running.active_nodes().map(|watched| watched.id).collect())
        .unwrap_or_default()
}

/// Opens the menu of the node that lies farthest to the right in the editor: places of nodes are not those of labels.
fn open_last_node_menu(window: &mut Window) {
    let columns = (0..52).map(|i| 1090.0 - 15.0 * i as f32);
    for at in columns.flat_map(|x| (0..11).map(move |i| egui::pos2(x, 700.0 + 15.0 * i as f32))) {
        window.event(egui::Event::PointerMoved(at));
        let secondary = egui::PointerButton::Secondary;
        for pressed in [true, false] {
            window.event(egui::Event::PointerButton {
                pos: at,
                button: secondary,
                pressed,
                modifiers: Modifiers::NONE,
            });
        }
        window.run_steps(3);
        if window.query_by_label("Deactivate").is_some() {
            return;
        }
    }
    panic!("there is no node");
}

#[test]
fn node_menus_deactivate_nodes_and_fire_tests() {
    let (_folder, mut window) = a_life();
    assert_eq!(active(&window), [0, 1]);
    window.run_steps(20);
    let times = |window: &Window| window.query_all_by_label_contains("19.").count();
    assert_eq!(times(&window), 1, "the node shows how long it waits");
    press(&mut window, Modifiers::NONE, Key::Space);
    let saved = window.state().app.is_dirty();

    open_last_node_menu(&mut window);
    click(&mut window, "Deactivate");
    assert_eq!(active(&window), [0], "at once, while the simulation is held");
    assert_eq!(times(&window), 0, "it is not shown as waiting any more");
    assert_eq!(window.state().app.is_dirty(), saved, "it changes nothing that is saved");
    open_last_node_menu(&mut window);
    click(&mut window, "Deactivate");
    assert_eq!(active(&window), [0], "it is not active any more");
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.get_by_label("Fire").click_accesskit();
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Space);
    wait_for(&mut window, "the root to begin anew", |window| active(window).contains(&1));
}

#[test]
fn the_bar_of_the_behaviour_editor_leaves_the_nodes_their_room() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    let graph = |window: &Window| window.state().app.scene().behaviors.values().last().cloned().unwrap();
    let bar = |window: &Window, label: &str| window.get_by_role_and_label(Role::Button, label).rect();
    for size in [[1920.0, 1080.0], [1440.0, 900.0], [1200.0, 760.0], [960.0, 608.0]] {
        window.set_size(size.into());
        window.run_steps(4);
        let (tab, bottom) = (bar(&window, "Behaviour"), bar(&window, "Edit mode").top());
        let labels = ["Add node", "Arrange", "More"];
        let shown = labels.into_iter().filter(|label| window.query_by_role_and_label(Role::Button, label).is_some());
        let (new, rows) = (bar(&window, "➕ New"), shown.map(|label| bar(&window, label)).collect::<Vec<_>>());
        assert_eq!(rows.len(), 2, "all of it, or a menu: {size:?}");
        for row in rows {
            assert!((row.center().y - new.center().y).abs() < 2.0, "one row at {size:?}: {row} beside {new}");
        }
        let (nodes, panel) = (bottom - new.bottom(), bottom - tab.top());
        assert!(nodes >= panel * 0.5, "{nodes} of {panel} points are left at {size:?}");
    }
    // What the menu holds does what the bar did.
    click(&mut window, "More");
    click(&mut window, "Comment");
    assert_eq!(graph(&window).comments.len(), 1);
    assert!(window.query_by_label("Paste nodes").is_none(), "the menu closes");
    click(&mut window, "More");
    // The menu lies over the list of templates, which shows the same name.
    let rename = |window: &mut Window, from: &str, to: &str, end: Key| {
        window.get_all_by_value(from).last().unwrap().click();
        window.run_steps(4);
        press(window, Modifiers::COMMAND, Key::A);
        window.event(egui::Event::Text(to.into()));
        window.run_steps(2);
        press(window, Modifiers::NONE, end);
    };
    rename(&mut window, "Behaviour1", "patrol", Key::Enter);
    assert_eq!(graph(&window).name, "patrol");
    click(&mut window, "More");
    rename(&mut window, "patrol", "lost", Key::Escape);
    assert_eq!(graph(&window).name, "patrol", "Escape gives up what was typed");
    let steps = window.state().app.steps();
    click(&mut window, "More");
    rename(&mut window, "patrol", "patrol ", Key::Enter);
    assert_eq!(window.state().app.steps(), steps, "the same name is no step");
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "More");
    click(&mut window, "Copy");
    assert_eq!(window.state().app.scene().behaviors.len(), 2);
}

#[test]
fn comments_stand_beside_the_nodes() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    click(&mut window, "More");
    click(&mut window, "Comment");
    let graph = |window: &Window| window.state().app.scene().behaviors.values().next().cloned().unwrap();
    assert_eq!(graph(&window).comments.len(), 1);
    assert_eq!(graph(&window).nodes.len(), 2);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(graph(&window).comments.is_empty());
}

/// A window with a new behaviour in its editor, its two nodes in a selected box.
fn two_nodes() -> (tempfile::TempDir, Window) {
    let (folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    window.run_steps(5);
    assert_eq!(nodes(&window), (2, 1));
    select_nodes(&mut window);
    (folder, window)
}

/// Drags a box around all nodes of the behaviour editor.
fn select_nodes(window: &mut Window) {
    middle_drag(window, Modifiers::SHIFT, egui::PointerButton::Primary, [270.0, 690.0], [1100.0, 862.0]);
}

/// Nodes and links of the behaviour.
fn nodes(window: &Window) -> (usize, usize) {
    let graph = window.state().app.scene().behaviors.values().next().cloned().unwrap();
    (graph.nodes.len(), graph.links.len())
}

fn paste(window: &mut Window, text: &str) {
    window.event(egui::Event::Paste(text.into()));
    window.run_steps(4);
}

#[test]
fn clipboard_keys_mean_nodes_while_the_editor_has_focus() {
    let (_folder, mut window) = two_nodes();
    let text = copied(&mut window, egui::Event::Copy);
    paste(&mut window, &text);
    assert_eq!(nodes(&window), (4, 2), "what the box has selected was copied");
    assert_eq!(window.state().app.scene().instances.len(), 2, "no instance was");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(nodes(&window), (2, 1), "one step");
    let text = copied(&mut window, egui::Event::Cut);
    assert_eq!(nodes(&window), (0, 0), "links go with their nodes");
    paste(&mut window, &text);
    assert_eq!(nodes(&window), (2, 1));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(nodes(&window), (0, 0));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(nodes(&window), (2, 1), "two steps");

    window.get_by_role_and_label(egui::accesskit::Role::Button, "marker 2").click();
    window.run_steps(4);
    window.event(egui::Event::Cut);
    window.run_steps(4);
    assert_eq!(window.state().app.scene().instances.len(), 1, "in the list the keys mean instances");
    assert_eq!(nodes(&window), (2, 1));
}

#[test]
fn the_menu_deletes_the_nodes_that_del_means() {
    let (_folder, mut window) = two_nodes();
    click_in_menu(&mut window, "Edit", "Delete");
    assert_eq!((nodes(&window), window.state().app.scene().instances.len()), ((0, 0), 2));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(nodes(&window), (2, 1));
    // Without an instance, too.
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().app.selection().instance, None);
    select_nodes(&mut window);
    click_in_menu(&mut window, "Edit", "Delete");
    assert_eq!(nodes(&window), (0, 0));
}

#[test]
fn nodes_are_pasted_into_another_program() {
    let (_folder, mut window) = two_nodes();
    let text = copied(&mut window, egui::Event::Copy);
    let from = window.state().app.scene().behaviors.values().next().cloned().unwrap();
    drop(window);

    let (_folder, mut other) = two_nodes();
    paste(&mut other, &text);
    assert_eq!(nodes(&other), (4, 2));
    let graph = other.state().app.scene().behaviors.values().next().cloned().unwrap();
    assert_eq!([graph.nodes[2].kind, graph.nodes[3].kind], [from.nodes[0].kind, from.nodes[1].kind]);
    // Over the picture they mean nothing.
    click(&mut other, "marker 1");
    paste(&mut other, &text);
    assert_eq!((nodes(&other), other.state().app.scene().instances.len()), ((4, 2), 2));
    let said = other.state().app.notices().all().last().unwrap().text.clone();
    assert!(said.contains("nodes of a behaviour"), "{said}");
}

#[test]
fn layers_are_added_masked_and_undone() {
    let (_folder, mut window) = person();
    let layers = |scene: &walkabout::scene::Scene| scene.instances.values().next().unwrap().layers.clone();
    super::panels::open(&mut window, "Layers");
    window.run_steps(6);
    changes(&mut window, "Layers", |w| press_button(w, "➕ Layer"), |s| layers(s).len() == 1);
    press_button(&mut window, "➕ Layer");
    window.run_steps(6);
    let choose = |window: &mut Window, list: &str, value: &str| {
        window.get_by_role_and_label(Role::ComboBox, list).click_accesskit();
        window.run_steps(4);
        window.get_all_by_label(value).last().unwrap().click_accesskit();
        window.run_steps(4);
    };
    changes(&mut window, "Layers", |w| type_number(w, "Layer weight", "0.5"), |s| layers(s)[0].weight == 0.5);
    changes(&mut window, "Layers", |w| type_number(w, "Layer speed", "-1"), |s| layers(s)[0].speed == -1.0);
    changes(&mut window, "Layers", |w| choose(w, "From joint", "spine_02"), |s| layers(s)[0].joint == "spine_02");
    let is_override = |s: &walkabout::scene::Scene| layers(s)[0].kind == LayerKind::Override;
    changes(&mut window, "Layers", |w| choose(w, "Layer kind", "Override"), is_override);
    changes(&mut window, "Layers", |w| press_button(w, "✖ Remove layer"), |s| layers(s).is_empty());
}

#[test]
fn orders_are_tried_and_shown_as_a_graph() {
    let (_folder, mut window) = person();
    press(&mut window, Modifiers::NONE, Key::F3);
    let actions = |s: &walkabout::scene::Scene| s.models.values().next().unwrap().actions.clone();
    click(&mut window, "Actions");
    changes(
        &mut window,
        "Actions",
        |w| panels::switch(w, "Root motion of Roll"),
        |s| actions(s).iter().any(|action| action.root_motion),
    );
    click(&mut window, "Orders");
    window.get_by_label("▶ Walk to Jump").click_accesskit();
    let clips = |window: &Window| window.state().app.world().iter().next().unwrap().1.now.playback;
    let jumps = |window: &Window| clips(window).clips[0].clip.0 == 4 || clips(window).from.clips[0].clip.0 == 4;
    wait_for(&mut window, "the jump", jumps);
    click(&mut window, "Order graph");
    window.run_steps(4);
    changes(
        &mut window,
        "Order graph",
        |w| panels::switch(w, "Root motion of Roll"),
        |s| actions(s).iter().any(|action| action.root_motion),
    );
}

#[test]
fn a_step_is_undone_for_each_press_in_a_frame() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 1");
    for _ in 0..2 {
        press(&mut window, Modifiers::COMMAND, Key::D);
    }
    let steps = window.state().app.steps().0;
    let modifiers = Modifiers::COMMAND;
    let key = |pressed| egui::Event::Key { key: Key::Z, physical_key: None, pressed, repeat: false, modifiers };
    window.input_mut().events.push(egui::Event::ModifiersChanged(modifiers));
    window.input_mut().events.extend([true, false, true, false].map(key));
    window.run_steps(4);
    assert_eq!(window.state().app.steps().0, steps - 2);
}
