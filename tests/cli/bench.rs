//! What the graphics device takes for a frame.

use super::program::{json, out_file, text, walkabout};

#[test]
fn frames_are_measured_by_passes_and_drawn_as_a_plot() {
    let plot = out_file("cli-passes.png");
    let small = ["bench", "config/courtyard.acfg", "--gpu", "--instances", "20", "--size", "160x90", "--json"];
    let report = json(&walkabout(&[&small[..], &["--plot", plot.to_str().unwrap()]].concat()));
    assert_eq!(report["size_px"], serde_json::json!([160, 90]));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["view"].as_str().unwrap()).collect::<Vec<_>>(), ["scene", "all"]);
    for row in rows {
        assert_eq!(row["instances"], 20);
        for figure in ["fps", "fps_with_steps", "passes", "draws", "dispatches", "triangles", "uploaded_bytes"] {
            assert!(row[figure].as_f64() > Some(0.0), "{figure}: {row}");
        }
        assert!(row["pass_ms"]["scene"].as_f64() > Some(0.0), "{row}");
    }
    // The level, and everybody.
    assert!(rows[1]["visible"].as_u64() >= Some(21), "{}", rows[1]);
    let picture = image::open(&plot).unwrap().to_rgba8();
    let colors: std::collections::HashSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(colors.len() > 20, "{} colours", colors.len());
    let output = walkabout(&["bench", "--gpu", "--plot", "plot.txt"]);
    assert!(!output.status.success() && text(&output.stderr).contains("png"), "{}", text(&output.stderr));
}
