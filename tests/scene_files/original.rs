//! What is written is what the original's reader asks for, and the model of that reader finds what is missing.

use crate::original_reader::readable;
use std::path::Path;
use std::sync::Arc;
use walkabout::scene::file::{load_str, to_string};
use walkabout::scene::{Scene, SceneCamera, Selection};

#[test]
fn an_empty_scene_has_all_that_the_original_asks_for() {
    let text = to_string(&Scene::default(), &Selection::default());
    assert_eq!(readable(&text), Ok(()));
    assert!(text.contains("\nmodels: []\n") && text.contains("\ninstances: []\n"), "{text}");
    for key in ["models: []", "instances: []", "  camera-type: 0", "  navigation-enabled: false"] {
        let without = text.replacen(key, "", 1);
        let said = readable(&without).unwrap_err().to_string();
        assert!(said.contains(key.trim().split(':').next().unwrap()), "{said}");
    }
    let moved = text.replacen("models: []\n", "", 1) + "models: []\n";
    assert!(readable(&moved).unwrap_err().to_string().contains("behind a later key"));
}

#[test]
fn a_field_of_view_is_a_whole_number_and_none_is_lost() {
    let mut scene = Scene::default();
    scene.cameras.insert(Arc::new(SceneCamera { fov_deg: 64.25, ..SceneCamera::default() }));
    let text = to_string(&scene, &Selection::default());
    assert!(text.contains("field-of-view: 64\n"), "{text}");
    assert!(readable(&text.replacen("field-of-view: 64\n", "field-of-view: 64.25\n", 1)).is_err());
    let read = |text: &str| load_str(text, Path::new("a.acfg")).unwrap().scene;
    assert_eq!(read(&text).cameras.values().next().unwrap().fov_deg, 64.25);
    // Changed by the original, which keeps no other key.
    let changed = text.replacen("field-of-view: 64\n", "field-of-view: 70\n", 1);
    assert_eq!(read(&changed).cameras.values().next().unwrap().fov_deg, 70.0);
}
