//! Recordings of simulations as glTF.

use super::program::{json, out_file, text, walkabout};

#[test]
fn a_recording_comes_in_as_a_model_that_moves() {
    let out = out_file("cli-recording.glb");
    let name = out.to_str().unwrap();
    let run = |extra: &[&str]| {
        let common = ["simulate", "config/plaza.acfg", "--seconds", "1", "--seed", "7", "--json"];
        walkabout(&[&common[..], extra].concat())
    };
    let recorded = run(&["--record", name, "--fps", "12"]);
    assert!(text(&recorded.stderr).contains("13 frames of 65 instances"), "{}", text(&recorded.stderr));
    assert!(text(&recorded.stderr).contains("morph targets"), "{}", text(&recorded.stderr));
    // Recording changes nothing.
    assert_eq!(json(&recorded)["hash"], json(&run(&[]))["hash"]);
    let report = json(&walkabout(&["import", name, "--json"]));
    assert_eq!(report["clips"].as_array().map(Vec::len), Some(1), "{report}");
    assert_eq!(report["clips"][0]["name"].as_str(), Some("simulation"), "{report}");
    assert_eq!(report["clips"][0]["seconds"].as_f64(), Some(1.0), "{report}");
    assert!(report["bones"].as_u64() > Some(20 * 20), "{report}");
    let output = run(&["--record", name, "--fps", "0"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let long = ["simulate", "config/plaza.acfg", "--seconds", "86400", "--record", name, "--fps", "240"];
    let output = walkabout(&long);
    assert!(!output.status.success() && text(&output.stderr).contains("--fps"), "{}", text(&output.stderr));
}
