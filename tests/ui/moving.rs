//! What moves by itself: cameras on rails, doors; zones of light and fog. Each is set, seen in the scene, and undone.

use super::panels::{changes, open, press_button, switch};
use super::*;
use walkabout::scene::{Scene, SceneCamera};

fn last_camera(scene: &Scene) -> SceneCamera {
    scene.cameras.values().last().map(|camera| (**camera).clone()).unwrap()
}

#[test]
fn cameras_are_rolled_shaken_and_put_on_rails() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Camera");
    click(&mut window, "➕ New");
    let is = |of: fn(&SceneCamera) -> bool| move |scene: &Scene| of(&last_camera(scene));
    changes(&mut window, "Camera", |w| type_number(w, "Roll", "12"), is(|c| c.motion.roll_deg == 12.0));
    changes(&mut window, "Camera", |w| type_number(w, "Shake turn", "2"), is(|c| c.motion.shake_angle_deg == 2.0));
    changes(&mut window, "Camera", |w| press_button(w, "➕ Point here"), is(|c| c.motion.rail.len() == 1));
    press_button(&mut window, "➕ Point here");
    press_button(&mut window, "➕ Point here");
    changes(&mut window, "Camera", |w| type_number(w, "Rail time", "5"), is(|c| c.motion.rail_secs == 5.0));
    changes(&mut window, "Camera", |w| switch(w, "Looks along the rail"), is(|c| c.motion.rail_looks_ahead));
    changes(&mut window, "Camera", |w| press_button(w, "Clear rail"), is(|c| c.motion.rail.is_empty()));
}

#[test]
fn zones_are_added_changed_and_undone() {
    let (_folder, mut window) = two_markers();
    open(&mut window, "Zones");
    window.run_steps(6);
    changes(&mut window, "Zones", |w| press_button(w, "➕ Zone"), |s| s.settings.zones.len() == 1);
    press_button(&mut window, "➕ Zone");
    press_button(&mut window, "Zone 1");
    window.run_steps(10);
    let zone = |scene: &Scene| scene.settings.zones.first().cloned().unwrap_or_default();
    changes(&mut window, "Zones", |w| type_number(w, "Seam", "5"), |s| zone(s).fade == 5.0);
    changes(&mut window, "Zones", |w| switch(w, "Zone fog"), |s| zone(s).fog_density.is_some());
    changes(&mut window, "Zones", |w| switch(w, "Zone light"), |s| zone(s).light_intensity.is_some());
    changes(&mut window, "Zones", |w| press_button(w, "✖ Remove zone"), |s| s.settings.zones.is_empty());
}

#[test]
fn zones_stay_closed_where_one_before_them_is_removed() {
    let (_folder, mut window) = two_markers();
    open(&mut window, "Zones");
    window.run_steps(6);
    press_button(&mut window, "➕ Zone");
    press_button(&mut window, "➕ Zone");
    press_button(&mut window, "Zone 1");
    window.run_steps(10);
    type_number(&mut window, "Seam", "5");
    press_button(&mut window, "✖ Remove zone");
    window.run_steps(10);
    let fades: Vec<f32> = window.state().app.scene().settings.zones.iter().map(|zone| zone.fade).collect();
    assert_eq!(fades, [2.0], "the second is left");
    assert!(window.query_by_label("✖ Remove zone").is_none(), "and is as closed as it was");
}

#[test]
fn an_instance_becomes_a_door_and_is_one_no_more() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    open(&mut window, "Door");
    window.run_steps(6);
    let door = |scene: &Scene| scene.instances.values().nth(1).and_then(|one| one.door.clone());
    changes(&mut window, "Door", |w| switch(w, "Moves as a door"), |s| door(s).is_some());
    switch(&mut window, "Moves as a door");
    changes(&mut window, "Door", |w| type_number(w, "Turn", "45"), |s| door(s).is_some_and(|one| one.turn == 45.0));
    switch(&mut window, "Moves as a door");
    assert!(door(window.state().app.scene()).is_none());
}
