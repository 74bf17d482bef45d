//! What the program says of slips of the pen, and of what a file does not have.

use super::program::{text, walkabout};

#[test]
fn a_camera_that_a_scene_lacks_is_a_matter_of_the_scene() {
    let refused = walkabout(&["render", "config/courtyard.acfg", "--out", "x.png", "--camera", "nope"]);
    let said = text(&refused.stderr);
    let is_told = said.contains("no camera 'nope'. It has: ") && said.contains("courtyard.acfg");
    assert!(refused.status.code() == Some(1) && is_told, "{said}");
}

#[test]
fn pictures_larger_than_the_device_allows_are_refused_at_once() {
    let refused = walkabout(&["bench", "config/arena.acfg", "--gpu", "--size", "999999x9"]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("larger than this device's limit"), "{said}");
    assert!(!said.contains("Validation Error"), "{said}");
}

#[test]
fn the_manual_goes_to_no_standard_output() {
    let refused = walkabout(&["man", "--out", "-"]);
    let said = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("--out - is no folder"), "{said}");
}
