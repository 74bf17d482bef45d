//! The shaders: each resolves and validates, each structure lies in memory as the program's does, no loop is unbounded.

#![allow(clippy::unwrap_used, reason = "a test that cannot read a shader has to fail")]

use std::collections::BTreeMap;
use walkabout::gpu::shader::{SOURCES, built_in, resolve, validate};
use walkabout::render::draw_lists::CASCADE_SHIFT;
use walkabout::render::types;
use wgpu::naga;

/// Shaders with entry points; the others are only imported.
fn programs() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(name, _)| *name).filter(|name| !name.starts_with("shared/"))
}

fn module(name: &str) -> naga::Module {
    let text = resolve(name, &built_in).unwrap();
    validate(name, &text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_shader_resolves_and_validates() {
    for name in programs() {
        assert!(!module(name).entry_points.is_empty(), "{name} has no entry point");
    }
    for (name, _) in SOURCES {
        // Shared files stand on their own imports too.
        if name.starts_with("shared/") {
            module(name);
        }
    }
}

/// Whether a validator is installed.
fn has_spirv_val() -> bool {
    std::process::Command::new("spirv-val").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// What the pipelines set the constants of shaders to, beside both values of switches.
const NUMBERS: [(&str, &[f64]); 4] =
    [("SHADOW_SAMPLES", &[4.0, 12.0, 20.0]), ("SAMPLES", &[9.0, 16.0]), ("OPACITY", &[0.3]), ("SPHERE_STYLE", &[7.0])];

/// Sets of constants for a shader: its defaults, each constant at each of its values, and all at their last.
fn variants(module: &naga::Module) -> Vec<naga::back::PipelineConstants> {
    let mut sets = vec![naga::back::PipelineConstants::default()];
    let mut last = naga::back::PipelineConstants::default();
    for (_, constant) in module.overrides.iter() {
        let name = constant.name.clone().unwrap();
        let is_switch = matches!(&module.types[constant.ty].inner, naga::TypeInner::Scalar(naga::Scalar::BOOL));
        let numbers = NUMBERS.iter().find(|(known, _)| *known == name);
        let values = if is_switch { &[0.0, 1.0] } else { numbers.unwrap_or_else(|| panic!("values of {name}?")).1 };
        for value in values {
            sets.push([(name.clone(), *value)].into_iter().collect());
            last.insert(name.clone(), *value);
        }
    }
    sets.push(last);
    sets
}

#[test]
fn every_shader_is_translated_for_every_system() {
    let validates = has_spirv_val();
    for name in programs() {
        let written = module(name);
        let flags = naga::valid::ValidationFlags::all();
        let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&written).unwrap();
        for constants in variants(&written) {
            let (module, info) =
                naga::back::pipeline_constants::process_overrides(&written, &info, None, &constants).unwrap();
            translate(&format!("{name} with {constants:?}"), &module, &info, validates);
        }
    }
}

/// Translates a shader to all languages.
fn translate(name: &str, module: &naga::Module, info: &naga::valid::ModuleInfo, validates: bool) {
    use naga::back::{glsl, hlsl, msl, spv};
    let words = spv::write_vec(module, info, &spv::Options::default(), None).unwrap();
    assert!(words.len() > 100, "{name}: hardly any SPIR-V");
    if validates {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shader.spv");
        std::fs::write(&file, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
        let checked = std::process::Command::new("spirv-val").arg(&file).output().unwrap();
        assert!(checked.status.success(), "{name}: {}", String::from_utf8_lossy(&checked.stderr));
    }

    // The oldest version that knows the number of the instance.
    let bound = msl::Options { fake_missing_bindings: true, lang_version: (2, 0), ..Default::default() };
    let (metal, translated) =
        msl::write_string(module, info, &bound, &Default::default()).unwrap_or_else(|e| panic!("{name} as MSL: {e}"));
    assert!(metal.contains("#include <metal_stdlib>"), "{name}: no MSL");
    assert!(translated.entry_point_names.iter().all(Result::is_ok), "{name}: {:?}", translated.entry_point_names);

    let mut direct = String::new();
    let options = hlsl::Options { fake_missing_bindings: true, ..Default::default() };
    let pipeline = hlsl::PipelineOptions::default();
    let translated = hlsl::Writer::new(&mut direct, &options, &pipeline)
        .write(module, info, None)
        .unwrap_or_else(|e| panic!("{name} as HLSL: {e}"));
    assert!(translated.entry_point_names.iter().all(Result::is_ok), "{name}: {:?}", translated.entry_point_names);
    assert!(!direct.is_empty(), "{name}: no HLSL");

    // The least of OpenGL that has what drawing needs.
    let options = glsl::Options { version: glsl::Version::new_gles(310), ..Default::default() };
    for entry in &module.entry_points {
        let pipeline =
            glsl::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone(), multiview: None };
        let mut open = String::new();
        let writer = glsl::Writer::new(&mut open, module, info, &options, &pipeline, Default::default());
        writer.and_then(|mut w| w.write()).unwrap_or_else(|e| panic!("{name}, {} as GLSL: {e}", entry.name));
        assert!(open.contains("void main()"), "{name}, {}: no GLSL", entry.name);
    }
}

#[test]
fn texels_are_discarded_after_derivatives() {
    let text = built_in("model.wgsl").unwrap();
    let main = &text[text.find("fn fs_main").unwrap()..];
    assert!(main.find("mapped_normal(").unwrap() < main.find("discard;").unwrap());
}

#[test]
fn steps_of_shaders_rise() {
    // With falling edges `smoothstep` is undefined in SPIR-V, Metal and OpenGL.
    let mut read = 0;
    for (name, text) in SOURCES {
        for call in text.split("smoothstep(").skip(1) {
            let mut edges = call.split(',').map(|edge| edge.trim().parse::<f32>());
            if let (Some(Ok(from)), Some(Ok(to))) = (edges.next(), edges.next()) {
                assert!(from < to, "{name}: a step from {from} to {to}");
                read += 1;
            }
        }
    }
    assert!(read >= 8, "the edges of {read} steps alone are numbers");
}

#[test]
fn every_file_is_built_in() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut missing = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                if built_in(&name).is_none() {
                    missing.push(name);
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in gpu::shader::SOURCES: {missing:?}");
}

type Layout = (usize, Vec<(String, usize)>);

fn shader_structs(module: &naga::Module) -> BTreeMap<String, Layout> {
    module
        .types
        .iter()
        .filter_map(|(_, ty)| match (&ty.name, &ty.inner) {
            (Some(name), naga::TypeInner::Struct { members, span }) => {
                let fields = members.iter().map(|m| (m.name.clone().unwrap(), m.offset as usize)).collect();
                Some((name.clone(), (*span as usize, fields)))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn structures_lie_in_memory_as_the_shaders_expect() {
    let in_shader = shader_structs(&module("shared/types.wgsl"));
    let in_rust = types::layouts();
    for types::StructLayout { name, size, fields } in &in_rust {
        let (shader_size, shader_fields) =
            in_shader.get(*name).unwrap_or_else(|| panic!("{name} is not in shaders/shared/types.wgsl"));
        let fields: Vec<(String, usize)> = fields.iter().map(|(f, at)| ((*f).to_owned(), *at)).collect();
        assert_eq!(&fields, shader_fields, "fields of {name}");
        assert_eq!(size, shader_size, "size of {name}");
    }
    assert_eq!(in_shader.len(), in_rust.len(), "a structure is missing in src/render/types.rs: {in_shader:?}");
}

fn constant(text: &str, name: &str) -> u32 {
    let line = text.lines().find(|l| l.starts_with(&format!("const {name}:"))).unwrap_or_else(|| panic!("no {name}"));
    let value = line.split('=').nth(1).unwrap().trim().trim_end_matches(';').trim_end_matches('u');
    match value.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).unwrap(),
        None => value.parse().unwrap(),
    }
}

#[test]
fn constants_agree() {
    let read = |file: &str, name: &str| constant(&built_in(file).unwrap(), name);
    assert_eq!(read("shared/types.wgsl", "NO_PARENT"), types::NO_PARENT);
    assert_eq!(read("shared/types.wgsl", "NO_OFFSETS"), types::NO_OFFSETS);
    assert_eq!(read("shared/types.wgsl", "MAX_MORPHS"), types::MAX_MORPHS);
    assert_eq!(read("shared/types.wgsl", "MAX_OVERRIDES"), types::MAX_OVERRIDES);
    assert_eq!(read("shared/types.wgsl", "MAX_CASCADES") as usize, types::MAX_CASCADES);
    assert_eq!(read("shared/types.wgsl", "MAX_LAMPS") as usize, types::MAX_LAMPS);
    assert_eq!(read("anim/sample.wgsl", "SAMPLE_WORKGROUP"), types::SAMPLE_WORKGROUP);
    assert_eq!(read("anim/local_to_model.wgsl", "POSE_WORKGROUP"), types::POSE_WORKGROUP);
    assert_eq!(read("collide/bone_spheres.wgsl", "POSE_WORKGROUP"), types::POSE_WORKGROUP);
    assert_eq!(read("lines.wgsl", "SEGMENTS") * 3, walkabout::render::pass::bone_spheres::LINES_PER_SPHERE);
    assert_eq!(read("outline.wgsl", "OUTLINE_SHIFT"), types::OUTLINE_SHIFT);
    assert_eq!(read("shadow.wgsl", "CASCADE_SHIFT"), CASCADE_SHIFT);
    assert_eq!(read("shadow.wgsl", "INSTANCE_MASK"), (1 << CASCADE_SHIFT) - 1);
    let groups = |name: &str| module(name).entry_points.iter().map(|e| e.workgroup_size[0]).collect::<Vec<_>>();
    assert_eq!(groups("anim/sample.wgsl"), [types::SAMPLE_WORKGROUP]);
    assert_eq!(groups("anim/local_to_model.wgsl"), [types::POSE_WORKGROUP; 2]);
    assert_eq!(groups("collide/bone_spheres.wgsl"), [types::POSE_WORKGROUP]);
}

/// What is wrong with the loops of a WGSL text. Only counted loops are allowed: `for (var i = …; i < LIMIT; i++)`,
/// where the limit is a number, a constant in capitals, or a `let …_limit = min(…)`.
fn loop_faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("").trim();
        let words: Vec<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        if words.contains(&"loop") || words.contains(&"while") {
            faults.push(format!("line {}: {code}", i + 1));
        }
        if words.contains(&"for") && !is_counted(code, text) {
            faults.push(format!("line {}: {code}", i + 1));
        }
    }
    faults
}

fn is_counted(code: &str, text: &str) -> bool {
    let Some(head) = code.strip_prefix("for (").and_then(|c| c.strip_suffix(") {")) else { return false };
    let parts: Vec<&str> = head.split(';').map(str::trim).collect();
    let [start, condition, step] = parts[..] else { return false };
    let Some((counter, _)) = start.strip_prefix("var ").and_then(|s| s.split_once(" = ")) else { return false };
    let Some((left, limit)) = condition.split_once(" <= ").or_else(|| condition.split_once(" < ")) else {
        return false;
    };
    let number = limit.trim_end_matches('u').parse::<u32>().is_ok();
    let capitals =
        limit.chars().all(|c| c.is_ascii_uppercase() || c == '_') && text.contains(&format!("const {limit}"));
    let clamped = limit.ends_with("_limit") && text.contains(&format!("let {limit} = min("));
    left == counter && step == format!("{counter}++") && (number || capitals || clamped)
}

#[test]
fn no_loop_is_unbounded() {
    for name in programs() {
        let faults = loop_faults(&resolve(name, &built_in).unwrap());
        assert!(faults.is_empty(), "{name}: {faults:?}");
    }
    let bad = ["while (p != 0u) {", "loop {", "for (var i = 0u; i < count; i++) {", "for (;;) {"];
    for text in bad {
        assert_eq!(loop_faults(text).len(), 1, "{text}");
    }
    assert!(loop_faults("const MAX: u32 = 4u;\nfor (var i = 0u; i < MAX; i++) {").is_empty());
}
