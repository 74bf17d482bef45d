//! The program as the tests of the command line run it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program.
pub fn walkabout(arguments: &[&str]) -> Output {
    program().args(arguments).output().unwrap()
}

/// The program with nothing of the developer's environment that could change what it does.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walkabout"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env_remove("RUST_LOG")
        .env("WALKABOUT_CONFIG_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-config"));
    command
}

/// What was printed, as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What was printed by a command that succeeded, as JSON.
pub fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The first answer of the command `path`, whose exit code says whether there is a path.
pub fn path_json(output: &Output) -> serde_json::Value {
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let code = i32::from(report["queries"][0]["reason"].is_string());
    assert_eq!(output.status.code(), Some(code), "{report}\n{}", text(&output.stderr));
    report
}

/// A file that a test writes.
pub fn out_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A mesh of an L: from (0, 0) east to (4, 0), then south to (4, 4), two metres wide; the corner inside is (2, 2).
pub fn write_corner_mesh(name: &str) -> String {
    let mesh = r#"{"verts": [[0,0,0],[2,0,0],[4,0,0],[4,0,2],[2,0,2],[0,0,2],[4,0,4],[2,0,4]],
        "polys": [[0,1,4,5],[1,2,3,4],[4,3,6,7]], "flags": [1,1,3], "areas": [0,0,1]}"#;
    let file = out_file(name);
    std::fs::write(&file, mesh).unwrap();
    file.to_str().unwrap().to_owned()
}
