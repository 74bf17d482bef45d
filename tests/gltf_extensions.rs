//! glTF files with pictures and geometry in the forms of extensions come in as plain ones do, and so do those that use what
//! few exporters write.

#![allow(clippy::unwrap_used, reason = "a test that cannot write or read its models has to fail")]

#[path = "gltf_extensions/animation.rs"]
mod animation;
#[path = "gltf_extensions/compressed.rs"]
mod compressed;
#[path = "common/glb.rs"]
mod glb;

use animation::rising;
use glam::Vec3;
use glb::binary_gltf;
use image::{ExtendedColorType, ImageFormat};
use serde_json::{Value, json};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use walkabout::asset::cache::Cache;
use walkabout::asset::{AlphaMode, Importer, Model};

/// Two texels, red and half transparent blue.
const TEXELS: [u8; 8] = [255, 0, 0, 255, 0, 0, 255, 128];

fn load(path: &Path) -> Model {
    let model = load_with_warnings(path);
    assert_eq!(model.warnings, Vec::<String>::new());
    model
}

fn load_with_warnings(path: &Path) -> Model {
    let importer = Importer {
        program: Some(env!("CARGO_BIN_EXE_walkabout").into()),
        cache: Cache::in_folder(path.with_file_name("cache")),
        ..Importer::default()
    };
    importer.load(path).unwrap_or_else(|e| panic!("{e}"))
}

/// Writes a binary glTF whose only buffer is `data`.
fn write_glb(folder: &Path, name: &str, json: &Value, data: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, binary_gltf(json, data)).unwrap();
    path
}

/// A triangle whose material shows the picture that `image` and `texture` tell of; its corners begin the buffer.
fn textured(image: &Value, texture: &Value, picture_bytes: usize, extension: &str) -> Value {
    json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "extensionsUsed": [extension], "extensionsRequired": [extension],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [texture], "images": [image],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24},
            {"buffer": 0, "byteOffset": 60, "byteLength": picture_bytes}],
        "buffers": [{"byteLength": 60 + picture_bytes}]
    })
}

/// Bytes of numbers, one behind the other.
fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Its corners, and their coordinates in the picture.
fn triangle() -> Vec<u8> {
    floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image::write_buffer_with_format(&mut out, &TEXELS, 2, 1, ExtendedColorType::Rgba8, format).unwrap();
    out.into_inner()
}

#[test]
fn webp_textures_are_decoded_within_the_file_and_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let picture = encoded(ImageFormat::WebP);
    let texture = json!({"extensions": {"EXT_texture_webp": {"source": 0}}});
    let embedded = json!({"bufferView": 2, "mimeType": "image/webp"});
    let json = textured(&embedded, &texture, picture.len(), "EXT_texture_webp");
    let inside = load(&write_glb(folder.path(), "in.glb", &json, &[triangle(), picture.clone()].concat()));
    std::fs::write(folder.path().join("leaf.webp"), &picture).unwrap();
    let json = textured(&json!({"uri": "leaf.webp"}), &texture, 0, "EXT_texture_webp");
    let beside = load(&write_glb(folder.path(), "beside.glb", &json, &triangle()));
    for model in [inside, beside] {
        assert_eq!(model.materials[0].base_color_image, Some(0), "{}", model.name);
        assert_eq!((model.images[0].width, &model.images[0].rgba[..]), (2, &TEXELS[..]), "{}", model.name);
    }
}

/// A model of one material, which may use texture 0, red and blue in equal parts; its file may be missing.
fn of_material(material: &Value, has_file: bool) -> Model {
    let folder = tempfile::tempdir().unwrap();
    if has_file {
        std::fs::write(folder.path().join("a.png"), encoded(ImageFormat::Png)).unwrap();
    }
    let mut json = textured(&json!({"uri": "a.png"}), &json!({"source": 0}), 0, "KHR_materials_unlit");
    json["bufferViews"].as_array_mut().unwrap().pop();
    json["materials"] = json!([material]);
    let extensions = material["extensions"].as_object().into_iter().flatten();
    json["extensionsUsed"] = extensions.map(|(name, _)| json!(name)).collect();
    let model = load_with_warnings(&write_glb(folder.path(), "a.glb", &json, &triangle()));
    assert_eq!(model.warnings.is_empty(), has_file, "{:?}", model.warnings);
    model
}

#[test]
fn textures_of_light_and_metal_are_kept() {
    let material = json!({"emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0},
        "pbrMetallicRoughness": {"metallicRoughnessTexture": {"index": 0}}});
    let model = of_material(&material, true);
    let shown = &model.materials[0];
    assert_eq!((shown.emissive_image, shown.surface_image, shown.base_color_image), (Some(0), Some(0), None));
    assert_eq!((shown.emissive, shown.metallic, shown.roughness), ([1.0; 3], 1.0, 1.0));
    assert!(model.emission(shown).abs_diff_eq(Vec3::new(0.5, 0.0, 0.5), 1e-3), "a lamp by the mean of its texture");
    assert_eq!(model.images.len(), 1, "decoded once");
    let missing = of_material(&material, false);
    let shown = &missing.materials[0];
    assert_eq!((shown.emissive, shown.metallic, shown.roughness), ([0.0; 3], 0.0, 1.0));
}

#[test]
fn panes_are_blended_and_lamps_shine_by_their_strength() {
    let colored = |alpha: f32| json!({"baseColorFactor": [1, 1, 1, alpha]});
    let mode = |material: &Value| of_material(material, true).materials[0].alpha;
    assert_eq!(mode(&json!({"alphaMode": "BLEND", "pbrMetallicRoughness": colored(0.3)})), AlphaMode::Blended);
    assert_eq!(mode(&json!({"pbrMetallicRoughness": colored(0.3)})), AlphaMode::Opaque);
    assert_eq!(mode(&json!({"alphaMode": "MASK", "alphaCutoff": 0.25})), AlphaMode::Cutout(0.25));
    let glass = json!({"extensions": {"KHR_materials_transmission": {"transmissionFactor": 1}}});
    let glass = &of_material(&glass, true).materials[0];
    assert!(glass.alpha == AlphaMode::Blended && glass.base_color[3] < 0.5, "{glass:?}");
    let strength = json!({"KHR_materials_emissive_strength": {"emissiveStrength": 4}});
    let lamp = of_material(&json!({"emissiveFactor": [1, 0, 0], "extensions": strength}), true);
    assert_eq!(lamp.materials[0].emissive, [4.0, 0.0, 0.0]);
}

#[test]
fn surfaces_told_by_glossiness_keep_their_colour() {
    let glossy = json!({"diffuseFactor": [1, 0, 0, 1], "diffuseTexture": {"index": 0}, "glossinessFactor": 0.25});
    let model = of_material(&json!({"extensions": {"KHR_materials_pbrSpecularGlossiness": glossy}}), true);
    let shown = &model.materials[0];
    assert_eq!((shown.base_color, shown.base_color_image), ([1.0, 0.0, 0.0, 1.0], Some(0)));
    assert_eq!((shown.metallic, shown.roughness), (0.0, 0.75));
    let unlit = of_material(&json!({"extensions": {"KHR_materials_unlit": {}}}), true);
    assert_eq!(unlit.materials[0].metallic, 0.0);
}

#[test]
fn bodies_may_share_a_mesh_and_the_names_of_bones() {
    let folder = tempfile::tempdir().unwrap();
    // Half of each weight lies in the second set, which stands first; inverse bind matrices are left out.
    let attributes = json!({"JOINTS_1": 1, "WEIGHTS_1": 2, "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2});
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1, 2, 3, 4]}, {"name": "Hips"}, {"name": "Body", "mesh": 0, "skin": 0},
            {"name": "Hips", "translation": [5, 0, 0]}, {"name": "Body", "mesh": 0, "skin": 1}],
        "skins": [{"joints": [1]}, {"joints": [3]}],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "animations": [{"name": "rise", "samplers": [{"input": 3, "output": 4}],
            "channels": [{"sampler": 0, "target": {"node": 3, "path": "translation"}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 4, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12},
            {"buffer": 0, "byteOffset": 48, "byteLength": 48}, {"buffer": 0, "byteOffset": 96, "byteLength": 8},
            {"buffer": 0, "byteOffset": 104, "byteLength": 24}],
        "buffers": [{"byteLength": 128}]
    });
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let weights = [0.5, 0.0, 0.0, 0.0].repeat(3);
    let keys = [0.0, 1.0, 5.0, 0.0, 0.0, 5.0, 2.0, 0.0];
    let data = [floats(&corners), vec![0; 12], floats(&weights), floats(&keys)].concat();
    let model = load(&write_glb(folder.path(), "two.glb", &json, &data));
    assert_eq!(model.meshes.len(), 2);
    let bounds = model.rest_bounds;
    assert!(bounds.min.length() < 1e-5 && bounds.max.distance(Vec3::new(6.0, 1.0, 0.0)) < 1e-5, "{bounds:?}");
    let names = &model.skeleton.names;
    assert_eq!(names.iter().filter(|name| *name == "Hips").count(), 2, "{names:?}");
    let moved = model.clips[0].channels[0].node;
    assert_eq!(model.skeleton.rest[moved.0 as usize].translation.x, 5.0, "the clip moves the second");
}

#[test]
fn names_of_files_may_be_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let picture = encoded(ImageFormat::Png);
    std::fs::create_dir(folder.path().join("parts of it")).unwrap();
    std::fs::write(folder.path().join("parts of it/größe.bin"), triangle()).unwrap();
    std::fs::write(folder.path().join("a leaf.png"), &picture).unwrap();
    std::fs::write(folder.path().join("100%25.png"), &picture).unwrap();
    let mut json = textured(&json!({"uri": "a%20leaf.png"}), &json!({"source": 0}), 0, "KHR_texture_transform");
    json["bufferViews"].as_array_mut().unwrap().pop();
    json["buffers"] = json!([{"byteLength": 60, "uri": "parts%20of%20it/gr%C3%B6%C3%9Fe.bin"}]);
    // A file that is called as its URI is written.
    json["images"].as_array_mut().unwrap().push(json!({"uri": "100%25.png"}));
    json["textures"].as_array_mut().unwrap().push(json!({"source": 1}));
    json["materials"][0]["normalTexture"] = json!({"index": 1});
    let path = folder.path().join("a model.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let model = load(&path);
    assert_eq!((model.meshes[0].vertices.len(), model.images.len()), (3, 2));
}

#[test]
fn coordinates_are_those_that_the_material_takes() {
    let folder = tempfile::tempdir().unwrap();
    let picture = encoded(ImageFormat::Png);
    let image = json!({"bufferView": 2, "mimeType": "image/png"});
    let mut json = textured(&image, &json!({"source": 0}), picture.len(), "KHR_texture_transform");
    json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0, "TEXCOORD_0": 2, "TEXCOORD_1": 1});
    json["accessors"].as_array_mut().unwrap().push(json!({"componentType": 5126, "count": 3, "type": "VEC2"}));
    let transform = json!({"offset": [0.5, 0.25], "scale": [2, 4]});
    json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] =
        json!({"index": 0, "texCoord": 1, "extensions": {"KHR_texture_transform": transform}});
    let model = load(&write_glb(folder.path(), "tiled.glb", &json, &[triangle(), picture].concat()));
    let uvs: Vec<[f32; 2]> = model.meshes[0].vertices.iter().map(|vertex| vertex.uv.to_array()).collect();
    assert_eq!(uvs, [[0.5, 0.25], [2.5, 0.25], [0.5, 4.25]]);
}

#[test]
fn copies_of_a_mesh_come_in_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let places = floats(&[0.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
    let sizes = floats(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let extension = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 1, "SCALE": 2}}});
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["EXT_mesh_gpu_instancing"], "extensionsRequired": ["EXT_mesh_gpu_instancing"],
        "nodes": [{"mesh": 0, "translation": [0, 0, 5], "extensions": extension}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24},
            {"buffer": 0, "byteOffset": 60, "byteLength": 24}],
        "buffers": [{"byteLength": 84}]
    });
    let data = [triangle()[..36].to_vec(), places, sizes].concat();
    let model = load(&write_glb(folder.path(), "copies.glb", &json, &data));
    assert_eq!(model.rest_bounds.min, Vec3::new(0.0, 0.0, 5.0));
    assert_eq!(model.rest_bounds.max, Vec3::new(12.0, 2.0, 5.0));
}

#[test]
fn lines_do_not_make_a_model_larger() {
    let folder = tempfile::tempdir().unwrap();
    let mut json = textured(&json!({"uri": "none.png"}), &json!({"source": 0}), 36, "KHR_texture_transform");
    json["materials"] = json!([{}]);
    json["accessors"].as_array_mut().unwrap().push(
        json!({"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3", "min": [9, 9, 9], "max": [9, 9, 9]}),
    );
    json["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({"attributes": {"POSITION": 2}, "mode": 3}));
    let model = load(&write_glb(folder.path(), "lines.glb", &json, &[triangle(), floats(&[9.0; 9])].concat()));
    assert_eq!((model.meshes.len(), model.rest_bounds.max), (1, Vec3::new(1.0, 1.0, 0.0)));
}

#[test]
fn textures_are_found_as_other_systems_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let texels = encoded(ImageFormat::Png);
    std::fs::create_dir(folder.path().join("textures")).unwrap();
    std::fs::write(folder.path().join("textures/Leaf.png"), &texels).unwrap();
    std::fs::write(folder.path().join("bark.png"), &texels).unwrap();
    let library = "newmtl leaf\nmap_Kd C:\\Art\\Textures\\LEAF.PNG\nnewmtl bark\nmap_Kd ../elsewhere/Bark.PNG\n";
    std::fs::write(folder.path().join("tree.mtl"), library).unwrap();
    let corners = "\u{feff}v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nmtllib tree.mtl\n";
    let faces = "usemtl leaf\nf 1/1 2/1 3/1\nusemtl bark\nf 1/1 3/1 2/1\n";
    std::fs::write(folder.path().join("tree.obj"), format!("{corners}{faces}")).unwrap();
    let model = load(&folder.path().join("tree.obj"));
    assert_eq!((model.images.len(), model.meshes.len()), (2, 2));
    assert!(model.images.iter().all(|image| image.rgba == TEXELS), "{:?}", model.images);
}

#[test]
fn nodes_of_scale_zero_and_hidden_nodes_are_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut json = textured(&json!({"uri": "none.png"}), &json!({"source": 0}), 0, "KHR_node_visibility");
    json["materials"] = json!([{}]);
    json["bufferViews"].as_array_mut().unwrap().pop();
    json["scenes"] = json!([{"nodes": [0, 1, 2]}]);
    json["nodes"] = json!([
        {"mesh": 0}, {"mesh": 0, "translation": [50, 0, 0], "scale": [0, 0, 0]}, {"translation": [0, 9, 0],
        "children": [3], "extensions": {"KHR_node_visibility": {"visible": false}}}, {"mesh": 0}]);
    let model = load(&write_glb(folder.path(), "hidden.glb", &json, &triangle()));
    assert_eq!(model.meshes.len(), 2, "one is hidden");
    assert_eq!((model.rest_bounds.min, model.rest_bounds.max), (Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)));
    assert!(model.skeleton.rest.iter().any(|rest| rest.scale == Vec3::ZERO), "{:?}", model.skeleton.rest);
}

#[test]
fn matrices_that_shear_keep_the_shape_of_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let mut json = textured(&json!({"uri": "none.png"}), &json!({"source": 0}), 0, "KHR_materials_unlit");
    json["materials"] = json!([{}]);
    json["bufferViews"].as_array_mut().unwrap().pop();
    // x grows by half of y; below that a node is turned by a right angle about y.
    json["nodes"] = json!([
        {"mesh": 0, "children": [1], "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 7, 0, 0, 1]},
        {"mesh": 0, "translation": [0, 2, 0], "rotation": [0, 0.707_106_77, 0, 0.707_106_77]}]);
    let model = load(&write_glb(folder.path(), "shear.glb", &json, &triangle()));
    let places = walkabout::asset::level::corners(&model).concat();
    for place in [[7.0, 0.0, 0.0], [8.0, 0.0, 0.0], [7.5, 1.0, 0.0], [8.0, 2.0, 0.0], [8.0, 2.0, -1.0], [8.5, 3.0, 0.0]]
    {
        assert!(places.iter().any(|p| p.abs_diff_eq(place.into(), 1e-5)), "{place:?} in {places:?}");
    }
}

#[test]
fn a_picture_under_many_names_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let png = encoded(ImageFormat::Png);
    std::fs::write(folder.path().join("a.png"), &png).unwrap();
    let mut json = textured(&json!({"uri": "a.png"}), &json!({"source": 0}), png.len(), "KHR_texture_transform");
    let view = json["bufferViews"].as_array_mut().unwrap().pop();
    let data = [triangle(), png].concat();
    let names = ["a.png", "./a.png", "././a.png", "x/../a.png", "A.PNG"];
    let list = |value: &dyn Fn(usize) -> Value| Value::from((0..names.len()).map(value).collect::<Vec<Value>>());
    json["images"] = list(&|i| json!({"uri": names[i]}));
    json["textures"] = list(&|i| json!({"source": i}));
    json["materials"] = list(&|i| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}}));
    let primitive = json["meshes"][0]["primitives"][0].clone();
    json["meshes"][0]["primitives"] = list(&|i| {
        let mut one = primitive.clone();
        one["material"] = i.into();
        one
    });
    let model = load(&write_glb(folder.path(), "many.glb", &json, &data));
    assert_eq!((model.meshes.len(), model.images.len()), (names.len(), 1));
    assert!(model.materials[..names.len()].iter().all(|material| material.base_color_image == Some(0)));
    json["bufferViews"].as_array_mut().unwrap().extend(view);
    json["images"] = list(&|_| json!({"bufferView": 2, "mimeType": "image/png"}));
    assert_eq!(load(&write_glb(folder.path(), "copies.glb", &json, &data)).images.len(), 1, "copies in the file");
}

#[test]
fn binary_files_may_name_their_data_and_texts_begin_with_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    let (mut json, data) = rising("LINEAR", &[0.0, 1.0, 2.0]);
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("lift.bin"), &data).unwrap();
    json["buffers"][0]["uri"] = "sub/../lift.bin".into();
    json["nodes"][0]["name"] = "li\0ft".into();
    let text = folder.path().join("lift.gltf");
    std::fs::write(&text, format!("\u{feff}{json}")).unwrap();
    for path in [text, write_glb(folder.path(), "lift.glb", &json, &[])] {
        let model = load(&path);
        assert_eq!(model.rest_bounds.max, Vec3::new(1.0, 1.0, 0.0));
        assert!(model.skeleton.names.iter().any(|name| name == "lift"), "{:?}", model.skeleton.names);
    }
}
