//! What fuzzing found stays found: the files of `tests/fixtures/fuzz`, each below the name of its target, and a few bytes
//! that no target may choke on.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files has to fail")]

#[path = "../fuzz/src/targets.rs"]
mod targets;

use std::path::Path;

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 8] = [
    ("mesh", targets::mesh),
    ("parse", targets::parse),
    ("scene", targets::scene),
    ("picture", targets::picture),
    ("model", targets::model),
    ("import", targets::import),
    ("cases", targets::cases),
    ("window", targets::window),
];

#[test]
fn what_fuzzing_found_is_mended() {
    let finds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fuzz");
    let mut tried = 0;
    for (name, run) in TARGETS {
        for bytes in [&b""[..], b"\0", b"\xff\xff\xff\xff", b"{}", b"1 2 3"] {
            run(bytes);
        }
        for entry in std::fs::read_dir(finds.join(name)).into_iter().flatten() {
            let file = entry.unwrap().path();
            println!("{}", file.display());
            run(&std::fs::read(file).unwrap());
            tried += 1;
        }
    }
    assert!(tried > 0, "no finds below {}", finds.display());
    for folder in std::fs::read_dir(&finds).unwrap().map(|entry| entry.unwrap().file_name()) {
        let is_known = TARGETS.iter().any(|(name, _)| folder.to_str() == Some(*name));
        assert!(is_known, "finds of {} are not tried: no target has that name", folder.display());
    }
}

#[test]
fn every_target_has_its_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let program = std::fs::read_to_string(root.join("fuzz_targets").join(name).with_extension("rs")).unwrap();
        assert!(
            program.contains(&format!("targets::{name}(bytes)")) && manifest.contains(&format!("\"{name}\"")),
            "{name}"
        );
    }
}
