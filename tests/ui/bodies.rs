//! Bodies of others: a character without clips is dropped, walks with those of our people, and gets other bones.

use super::*;

use walkabout::asset::human_bone::{BoneNames, HumanBone};
use walkabout::scene::SceneModel;

/// Ada without her clips, as programs export a character that is not animated yet.
fn without_clips(folder: &Path) -> PathBuf {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/people/ada.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut root: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert!(root.as_object_mut().unwrap().remove("animations").is_some());
    let mut json = root.to_string().into_bytes();
    json.resize(length, b' ');
    let file = folder.join("stranger.glb");
    std::fs::write(&file, [&bytes[..20], &json, &bytes[20 + length..]].concat()).unwrap();
    file
}

fn model(window: &Window) -> SceneModel {
    (**window.state().app.scene().models.values().next().unwrap()).clone()
}

#[test]
fn a_body_without_clips_walks_once_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let stranger = without_clips(folder.path());
    let mut window = window(None);
    window.state_mut().app.file_dropped(stranger);
    window.run_steps(4);
    click(&mut window, "Add as model");
    wait_for(&mut window, "the clips of our people", |window| !model(window).blend_sets.is_empty());
    let lent = model(&window);
    assert!(lent.clip_sources.files[0].file.ends_with("assets/people/ada.glb"), "{:?}", lent.clip_sources);
    assert_eq!((lent.blend_sets[0].walk.clip, lent.actions.len(), lent.left_foot_chain.len()), (1, 8, 3));
    assert!((lent.forward_speed_factor - 1.5).abs() < 0.1, "{} m/s", lent.forward_speed_factor);
}

#[test]
fn the_bones_of_a_body_are_shown_and_changed() {
    let (_folder, mut window) = editing::person();
    press(&mut window, Modifiers::NONE, Key::F3);
    click(&mut window, "Body");
    assert!(window.query_by_label_contains("38 bones").is_some());
    let bones = |scene: &walkabout::scene::Scene| scene.models.values().next().unwrap().clip_sources.bones.clone();
    let choose = |window: &mut Window| {
        window.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Neck").click_accesskit();
        window.run_steps(4);
        window.get_all_by_label("spine_03").last().unwrap().click_accesskit();
        window.run_steps(4);
    };
    let wanted = BoneNames::from([(HumanBone::Neck, "spine_03".to_owned())]);
    panels::changes(&mut window, "Body", choose, |scene| bones(scene) == wanted);
}

#[test]
fn a_person_walks_by_motion_matching_at_a_click() {
    let (_folder, mut window) = editing::person();
    press(&mut window, Modifiers::NONE, Key::F3);
    click(&mut window, "Matching");
    let on = |scene: &walkabout::scene::Scene| scene.models.values().next().unwrap().clip_sources.root_tracks;
    let switch = |window: &mut Window| click(window, "Walk by motion matching");
    panels::changes(&mut window, "Matching", switch, on);
    switch(&mut window);
    wait_for(&mut window, "the database", |window| window.query_by_label_contains("15 clips").is_some());
    let taken = |scene: &walkabout::scene::Scene| scene.models.values().next().unwrap().matching_clips.clone();
    let all_but_run: Vec<u32> = [0, 1].into_iter().chain(15..27).collect();
    let leave_out = |window: &mut Window| {
        window.get_by_role_and_label(egui::accesskit::Role::CheckBox, "Run").click_accesskit();
        window.run_steps(4);
    };
    panels::changes(&mut window, "Matching", leave_out, |scene| taken(scene) == all_but_run);
    leave_out(&mut window);
    wait_for(&mut window, "the smaller database", |window| window.query_by_label_contains("14 clips").is_some());
    window.get_by_label("⟲ Usual clips").click_accesskit();
    window.run_steps(4);
    assert_eq!(taken(&window.state().app.scene().clone()), [0_u32; 0]);
}
