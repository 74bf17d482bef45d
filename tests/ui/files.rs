//! Opening, saving and quitting; unsaved changes, after a crash too.

use super::*;

#[test]
fn unsaved_changes_are_asked_about() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    press(&mut window, Modifiers::COMMAND, Key::Q);
    assert!(window.query_by_label("Save the changes first?").is_some());
    click(&mut window, "Cancel");
    assert!(window.query_by_label("Save the changes first?").is_none());
    assert!(!window.state().wish.as_ref().unwrap().exit);
    press(&mut window, Modifiers::COMMAND, Key::Q);
    click(&mut window, "Discard");
    assert!(window.state().wish.as_ref().unwrap().exit);
}

#[test]
fn questions_are_answered_from_the_keyboard() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Save the changes first?").is_none());
    assert!(window.state().app.is_dirty() && !window.state().wish.as_ref().unwrap().exit, "Escape stays");

    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().wish.as_ref().unwrap().exit, "Enter saves and goes on");
    let saved = walkabout::scene::file::load(&folder.path().join("two.acfg")).unwrap();
    assert!(saved.scene.settings.nav.enabled);
}

#[test]
fn tab_moves_to_another_answer() {
    let (folder, mut window) = two_markers();
    let before = std::fs::read(folder.path().join("two.acfg")).unwrap();
    click(&mut window, "Characters walk");
    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Tab);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().wish.as_ref().unwrap().exit, "the second answer is to discard");
    assert_eq!(std::fs::read(folder.path().join("two.acfg")).unwrap(), before);
}

#[test]
fn a_path_that_is_typed_into_the_file_dialog_opens() {
    let (_folder, mut window) = two_markers();
    let other = tempfile::tempdir().unwrap();
    let file = other.path().join("square.obj");
    std::fs::write(&file, "v 0 0 0\nv 0 0 9\nv 9 0 9\nf 1 2 3\n").unwrap();
    press(&mut window, Modifiers::COMMAND, Key::O);
    // The slash is the key that opens the field; slow frames bring it with what is typed behind it.
    let path = file.to_str().unwrap();
    let letters = path.chars().map(|letter| egui::Event::Text(letter.into()));
    let (first, rest): (Vec<_>, Vec<_>) = letters.enumerate().partition(|(i, _)| *i < 5);
    let key = |pressed| egui::Event::Key {
        key: Key::Slash,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    window.input_mut().events.push(key(true));
    window.input_mut().events.extend(first.into_iter().map(|(_, event)| event));
    window.input_mut().events.push(key(false));
    window.step();
    window.input_mut().events.extend(rest.into_iter().map(|(_, event)| event));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label_contains("square.obj").is_some(), "it is not asked what becomes of the file");
    assert!(window.query_by_label("Open a scene, a level or a navigation mesh").is_none());
}

#[test]
fn the_file_dialog_answers_to_enter_and_escape() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    let instances = window.state().app.scene().instances.len();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    assert!(window.query_by_label("Save the scene").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Save the scene").is_none());
    assert!(window.state().app.is_dirty());
    assert_eq!(window.state().app.scene().instances.len(), instances);

    std::fs::remove_file(folder.path().join("two.acfg")).unwrap();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Save the scene").is_none());
    assert!(!window.state().app.is_dirty(), "Enter saves under the name that stands there");
    assert!(folder.path().join("two.acfg").exists());
}

#[test]
fn quitting_is_forgotten_when_the_save_before_it_failed() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    std::fs::remove_dir_all(folder.path()).unwrap();
    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().app.is_dirty() && !window.state().wish.as_ref().unwrap().exit);
    std::fs::create_dir_all(folder.path()).unwrap();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!window.state().app.is_dirty());
    assert!(!window.state().wish.as_ref().unwrap().exit, "saving later must not quit");
}

#[test]
fn a_broken_scene_leaves_the_open_one_and_says_so() {
    let (folder, mut window) = two_markers();
    let broken = folder.path().join("broken.acfg");
    std::fs::write(&broken, "version: 9.0\ninstances: 7\n").unwrap();
    window.state_mut().app.file_dropped(broken);
    window.run_steps(4);
    assert_eq!(window.state().app.scene().instances.len(), 2);
    assert!(window.query_by_label_contains("broken.acfg").is_some(), "the notice is not on screen");
    window.state_mut().app.file_dropped(folder.path().join("two.acfg"));
    window.run_steps(4);
    assert_eq!(window.state().app.scene().instances.len(), 2);
}

#[test]
fn a_scene_of_recast_demo_opens_and_is_saved_under_another_name() {
    let (folder, mut window) = two_markers();
    let file = folder.path().join("yard.gset");
    let text = "f yard.obj\nc 1 0 2 3 0 4 0.5 1 5 8\nv 3 4 0 1\n0 0 0\n1 0 0\n1 0 1\n";
    std::fs::write(&file, text).unwrap();
    std::fs::write(folder.path().join("yard.obj"), "v 0 0 0\nv 0 0 9\nv 9 0 9\nf 1 2 3\n").unwrap();
    window.state_mut().app.file_dropped(file.clone());
    window.run_steps(4);
    let scene = window.state().app.scene();
    assert_eq!(scene.levels.values().next().unwrap().file, "yard.obj");
    assert_eq!((scene.nav.bake.volumes.len(), scene.nav.bake.placed_links.len()), (1, 1));
    assert!(!window.state().app.is_dirty());
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert!(window.query_by_label("Save the scene").is_some(), "what RecastDemo wrote stays as it is");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_dropped_model_asks_what_it_is() {
    let mut window = window(None);
    let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    window.state_mut().app.file_dropped(marker.clone());
    window.run_steps(4);
    click(&mut window, "Add as model");
    assert_eq!(window.state().app.scene().models.len(), 1);
    assert_eq!(window.state().app.scene().instances.len(), 1);
    window.state_mut().app.file_dropped(marker);
    window.run_steps(4);
    click(&mut window, "Add as level");
    assert_eq!(window.state().app.scene().levels.len(), 1);
}

#[test]
fn dropped_models_land_under_the_cursor() {
    let (_folder, mut window) = two_markers();
    let wanted = glam::Vec3::new(-2.0, 0.0, 2.0);
    let at = window.state().app.seen_at(wanted).unwrap();
    window.event(egui::Event::PointerMoved(egui::pos2(at.x, at.y)));
    window.run_steps(2);
    let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    (0..2).for_each(|_| window.state_mut().app.file_dropped(marker.clone()));
    window.run_steps(4);
    click(&mut window, "Add as model");
    click(&mut window, "Add as model");
    let [first, second] = positions(&window)[2..] else { panic!("{:?}", positions(&window)) };
    assert!(first.distance(wanted) < 0.05, "{first}");
    assert!((0.9..1.1).contains(&second.distance(first)), "beside the other: {second}");
    assert_eq!(window.state().app.steps().0, 2, "one step each");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((window.state().app.scene().models.len(), positions(&window).len()), (2, 3));
}

#[test]
fn a_dropped_file_that_is_damaged_leaves_nothing() {
    let (folder, mut window) = two_markers();
    let torn = folder.path().join("torn.glb");
    std::fs::write(&torn, "this is no model").unwrap();
    for answer in ["Add as model", "Add as level"] {
        window.state_mut().app.file_dropped(torn.clone());
        window.run_steps(4);
        click(&mut window, answer);
        wait_for(&mut window, "the end of the import", |window| !window.state().app.is_importing());
        window.run_steps(2);
        let app = &window.state().app;
        let said = &app.notices().all().last().unwrap().text;
        assert!(said.contains("torn.glb\nNothing was added."), "{said}");
        let scene = app.scene();
        assert_eq!((scene.models.len(), scene.instances.len(), scene.levels.len()), (1, 2, 0), "{answer}");
        assert_eq!((app.steps(), app.is_dirty()), ((0, 0), false), "{answer}");
    }
}

#[test]
fn what_is_odd_about_a_file_is_said_once() {
    let (folder, mut window) = two_markers();
    let odd = folder.path().join("odd.obj");
    std::fs::write(&odd, "mtllib lost.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap();
    for _ in 0..2 {
        window.state_mut().app.file_dropped(odd.clone());
        window.run_steps(4);
        click(&mut window, "Add as model");
        wait_for(&mut window, "the end of the import", |window| !window.state().app.is_importing());
        window.run_steps(2);
    }
    let notices = window.state().app.notices().all();
    let said: Vec<&str> =
        notices.iter().map(|notice| notice.text.as_str()).filter(|t| t.contains("lost.mtl")).collect();
    assert!(matches!(said[..], [one] if one.contains("odd.obj")), "{said:?}");
}

#[test]
fn of_files_that_are_dropped_together_each_is_asked_about() {
    let mut window = window(None);
    let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    (0..2).for_each(|_| window.state_mut().app.file_dropped(marker.clone()));
    window.run_steps(4);
    click(&mut window, "Add as model");
    click(&mut window, "Add as level");
    let scene = window.state().app.scene();
    assert_eq!((scene.models.len(), scene.levels.len()), (1, 1));
}

#[test]
fn saving_goes_to_the_same_file_and_leaves_nothing_dirty() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    assert!(window.state().wish.as_ref().unwrap().title.starts_with("two.acfg*"));
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert!(!window.state().app.is_dirty());
    let again = walkabout::scene::file::load(&folder.path().join("two.acfg")).unwrap();
    assert!(again.scene.settings.nav.enabled);
    press(&mut window, Modifiers::COMMAND, Key::Q);
    assert!(window.state().wish.as_ref().unwrap().exit, "nothing is lost, so nothing is asked");
}

/// Leaves unsaved work behind, as a program does that ends without a word.
fn leave_unsaved(scene: &Path, kept: &Path) {
    let mut left = window(Some(scene));
    left.state_mut().app.keep_unsaved_in(kept.to_path_buf());
    click(&mut left, "marker 2");
    press(&mut left, Modifiers::COMMAND, Key::D);
    for _ in 0..700 {
        left.step();
    }
}

#[test]
fn unsaved_work_is_offered_restored_undone_or_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, kept) = (scene_file(folder.path()), folder.path().join("kept"));
    leave_unsaved(&scene, &kept);
    let mut window = window(None);
    window.state_mut().app.keep_unsaved_in(kept.clone());
    window.run_steps(3);
    click(&mut window, "Later");
    click(&mut window, "File");
    click_containing(&mut window, "Restore unsaved work");
    click(&mut window, "Restore");
    let app = &window.state().app;
    assert_eq!((app.scene().instances.len(), app.is_dirty()), (3, true));
    assert!(window.state().wish.as_ref().unwrap().title.starts_with("two.acfg*"), "it keeps its place");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((window.state().app.scene().instances.len(), window.state().app.is_dirty()), (2, false));
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 0, "nothing is unsaved, nothing is kept");

    leave_unsaved(&scene, &kept);
    window.state_mut().app.keep_unsaved_in(kept.clone());
    window.run_steps(3);
    click(&mut window, "Delete");
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 0);
}

#[test]
fn recovery_offers_edits_with_the_view_but_no_view_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, kept) = (scene_file(folder.path()), folder.path().join("kept"));
    let look_around = |window: &mut Window| {
        window.key_down(Key::W);
        window.run_steps(20);
        window.key_up(Key::W);
        window.run_steps(20);
        click(window, "Wireframe");
        window.run_steps(700);
    };
    {
        let mut left = window(Some(&scene));
        left.state_mut().app.keep_unsaved_in(kept.clone());
        let before = left.state().app.eye().unwrap();
        look_around(&mut left);
        assert!(left.state().app.eye().unwrap().distance(before) > 0.5, "it flew");
        assert!(!left.state().app.is_dirty());
    }
    let mut next = window(None);
    next.state_mut().app.keep_unsaved_in(kept.clone());
    next.run_steps(300);
    assert!(next.query_by_label("Restore").is_none(), "nothing was lost");
    drop(next);

    let eye = {
        let mut left = window(Some(&scene));
        left.state_mut().app.keep_unsaved_in(kept.clone());
        press(&mut left, Modifiers::COMMAND, Key::A);
        press(&mut left, Modifiers::COMMAND, Key::D);
        look_around(&mut left);
        left.state().app.eye().unwrap()
    };
    let mut next = window(None);
    next.state_mut().app.keep_unsaved_in(kept);
    next.run_steps(3);
    assert!(!next.state().app.shows_overlay(Layer::LevelWireframe));
    click(&mut next, "Restore");
    let app = &next.state().app;
    assert_eq!((app.scene().instances.len(), app.shows_overlay(Layer::LevelWireframe)), (4, true));
    assert!(app.eye().unwrap().distance(eye) < 1e-3, "{:?} {eye}", app.eye());
}

#[test]
fn files_of_other_kinds_are_refused_at_once() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "milk, bread: {\n").unwrap();
    window.state_mut().app.file_dropped(notes);
    window.run_steps(4);
    assert!(window.query_by_label("Save the changes first?").is_none(), "nothing would be lost");
    let said = window.state().app.notices().all().last().unwrap().text.clone();
    assert!(said.starts_with("notes.txt is nothing that Walkabout opens"), "{said}");
    assert!([".acfg", ".fbx", ".navmesh"].iter().all(|ending| said.contains(ending)), "{said}");
    // A scene that can be read still asks.
    window.state_mut().app.file_dropped(folder.path().join("two.acfg"));
    window.run_steps(4);
    assert!(window.query_by_label("Save the changes first?").is_some());
}

#[test]
fn a_mesh_in_place_of_a_levels_is_taken_back_by_a_click() {
    let (folder, mut window) = ground_window();
    let mesh = folder.path().join("yard.json");
    let text = "{\"verts\": [[0,0,0],[1,0,0],[1,0,1],[0,0,1]], \"polys\": [[0,1,2,3]]}";
    std::fs::write(&mesh, text).unwrap();
    let is_baked = |window: &Window| window.state().app.scene().nav.mesh == walkabout::scene::nav::MeshSource::Baked;
    window.state_mut().app.file_dropped(mesh);
    wait_for(&mut window, "the mesh", |window| !is_baked(window));
    window.run_steps(4);
    let said: Vec<&str> = window.state().app.notices().all().iter().map(|n| n.text.as_str()).collect();
    assert!(said.iter().any(|text| text.contains("in place of the one of its level")), "{said:?}");
    click(&mut window, "Undo");
    assert!(is_baked(&window) && !window.state().app.is_dirty());
}

#[test]
fn a_level_that_cannot_be_read_is_marked_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let scene = ground_scene(folder.path(), [5.0, 5.0]);
    std::fs::write(folder.path().join("square.obj"), "f 1 2 3\n").unwrap();
    let mut window = window(Some(&scene));
    wait_for(&mut window, "the mark", |window| window.query_by_label("⚠ square").is_some());
    window.get_by_label("⚠ square").hover();
    window.run_steps(90);
    assert!(window.query_all_by_label_contains("It cannot be read.").next().is_some(), "nothing says why");
    click(&mut window, "⚠ square");
    assert!(window.query_by_label_contains("Nothing is selected").is_none());
}

#[test]
fn a_level_added_twice_has_another_name() {
    let (folder, mut window) = ground_window();
    for _ in 0..2 {
        window.state_mut().app.file_dropped(folder.path().join("square.obj"));
        window.run_steps(4);
        click(&mut window, "Add as level");
    }
    let names: Vec<String> = window.state().app.scene().levels.values().map(|level| level.name.clone()).collect();
    assert_eq!(names, ["square", "square-2", "square-3"]);
}

#[test]
fn another_scene_is_listed_without_the_filter_of_the_one_before() {
    let (folder, mut window) = two_markers();
    let field = egui::accesskit::Role::TextInput;
    window.get_all_by_role(field).next().unwrap().click();
    window.run_steps(2);
    window.get_all_by_role(field).next().unwrap().type_text("2");
    window.run_steps(4);
    assert!(window.query_by_label("marker 1").is_none());
    window.state_mut().app.file_dropped(folder.path().join("two.acfg"));
    window.run_steps(4);
    assert!(window.query_by_label("marker 1").is_some());
}

#[test]
fn a_dialog_about_a_scene_goes_with_it() {
    let (folder, mut window) = two_markers();
    let other = folder.path().join("other.acfg");
    std::fs::copy(folder.path().join("two.acfg"), &other).unwrap();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    assert!(window.query_by_label("Save the scene").is_some());
    window.state_mut().app.file_dropped(other);
    window.run_steps(4);
    assert!(window.state().wish.as_ref().unwrap().title.starts_with("other.acfg"));
    assert!(window.query_by_label("Save the scene").is_none(), "it would save this scene under the name of the other");
    // What opens something is about no scene.
    let title = "Open a scene, a level or a navigation mesh";
    press(&mut window, Modifiers::COMMAND, Key::O);
    assert!(window.query_by_label(title).is_some());
    window.state_mut().app.file_dropped(folder.path().join("two.acfg"));
    window.run_steps(4);
    assert!(window.state().wish.as_ref().unwrap().title.starts_with("two.acfg"));
    assert!(window.query_by_label(title).is_some());
}

#[test]
fn details_of_a_notice_that_have_no_room_are_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.acfg");
    let odd = "  - model-file: gone.glb\n".repeat(23);
    std::fs::write(&path, format!("version: 9.0\ninstances:\n{odd}")).unwrap();
    let mut window = window(Some(&path));
    click(&mut window, "Details (23)");
    assert!(window.query_by_label("3 more in the log").is_some());
}
