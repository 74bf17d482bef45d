//! Checks before Assimp sees a file: rejects contents that are known to crash it or to make it read out of bounds.

use super::batched_tile::model_in;
pub use super::gltf_fault::GltfFault;
use super::obj::libraries::{Libraries, texts_of};
use super::ply::header_fault;
use super::ranges::{check_ranges, element_bytes, items};
use super::uri::{beside, file_of, is_data, plain};
use super::{collada, limits};
use crate::asset::AssetError;
use crate::asset::bytes::length_at;
use crate::disk::excerpt::shortened;
use crate::disk::read::unmarked;
use crate::disk::{InsideFolder, folder_of, has_extension};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Bytes of the largest element of an accessor: sixteen floats.
const MAX_ELEMENT_BYTES: u64 = 64;

/// Extensions beside those of materials that a file may require: the importer reads them, or its picture is the same
/// without them.
const KNOWN_EXTENSIONS: [&str; 10] = [
    INSTANCING,
    VISIBILITY,
    "KHR_lights_punctual",
    "KHR_texture_transform",
    "FB_ngon_encoding",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "EXT_texture_webp",
    "KHR_texture_basisu",
    "MSFT_texture_dds",
];

/// Extensions of geometry that are decoded before the importer sees the file.
pub const COMPRESSIONS: [&str; 4] = [DRACO, MESHOPT[0], MESHOPT[1], QUANTIZATION];
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
/// These differ in their versions of the codec; the decoder reads all.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
const QUANTIZATION: &str = "KHR_mesh_quantization";
/// Copies of a mesh, which become nodes before the importer sees the file.
pub(super) const INSTANCING: &str = "EXT_mesh_gpu_instancing";
/// Nodes that are hidden with all below them.
pub(super) const VISIBILITY: &str = "KHR_node_visibility";

/// A model file that may be imported.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Files that it refers to, relative to its folder.
    pub files: Vec<PathBuf>,
    /// The JSON of a glTF.
    pub(super) document: Option<Value>,
    /// The material libraries of an OBJ.
    pub(super) libraries: Option<Libraries>,
}

/// Looks at a model file without importing it.
///
/// # Errors
/// [`AssetError::Malformed`] for a glTF that is no JSON, is nested too deeply, refers outside its folder, or has
/// attributes of a type that the importer crashes on; for a PLY whose header has no end.
pub fn check(path: &Path, bytes: &[u8]) -> Result<Checked, AssetError> {
    if let Some(reason) = header_fault(bytes).or_else(|| foreign(path, bytes)) {
        return Err(AssetError::Malformed { path: path.into(), reason });
    }
    let malformed = |fault: GltfFault| AssetError::Malformed { path: path.into(), reason: fault.to_string() };
    let gltf =
        |document: Value| Ok(Checked { files: check_gltf(&document)?, document: Some(document), ..Checked::default() });
    match json_of(path, bytes) {
        Some(json) => json.and_then(document_of).and_then(gltf).map_err(malformed),
        None if has_extension(path, &["obj"]) => {
            let libraries = Libraries::of(path, bytes);
            Ok(Checked { files: obj_files(path, &libraries), libraries: Some(libraries), ..Checked::default() })
        }
        None => Ok(Checked::default()),
    }
}

/// What a file is in place of a model, as downloads give it.
fn foreign(path: &Path, bytes: &[u8]) -> Option<String> {
    let start = bytes.get(..bytes.len().min(200)).map(<[u8]>::to_ascii_lowercase).unwrap_or_default();
    let start = start.trim_ascii_start();
    if bytes.is_empty() {
        return Some("it is empty".to_owned());
    }
    if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") {
        return Some("it is an HTML page in place of a model: download the file itself".to_owned());
    }
    if start.starts_with(b"version https://git-lfs") {
        return Some("it is a pointer of Git LFS in place of a model: fetch it with `git lfs pull`".to_owned());
    }
    if has_extension(path, &["dae"])
        && let Some(fault) = collada::fault(bytes)
    {
        return Some(fault);
    }
    let is_text = has_extension(path, &["obj", "bvh"]);
    unmarked(bytes).err().filter(|_| is_text).map(|fault| fault.to_string())
}

/// The JSON of a glTF file; `None` of other files.
fn json_of<'a>(path: &Path, bytes: &'a [u8]) -> Option<Result<&'a [u8], GltfFault>> {
    match path.extension()?.to_string_lossy().to_lowercase().as_str() {
        "gltf" => Some(Ok(bytes)),
        "glb" | "vrm" | "b3dm" => Some(model_in(bytes).and_then(json_chunk)),
        _ => None,
    }
}

/// Files that a model file refers to, in its folder or below, and pictures in folders beside it, relative to it; without a
/// look at the rest of the file.
pub fn files_of(path: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    /// What of a glTF may name files.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct NamedFiles {
        buffers: Vec<Reference>,
        images: Vec<Reference>,
    }
    #[derive(Deserialize)]
    struct Reference {
        uri: Option<String>,
    }
    let json = match json_of(path, bytes) {
        Some(json) => json.unwrap_or_default(),
        None if has_extension(path, &["obj"]) => return obj_files(path, &Libraries::of(path, bytes)),
        None => return Vec::new(),
    };
    let json = unmarked(without_zeros(json));
    let named: NamedFiles = json.ok().and_then(|json| serde_json::from_slice(json).ok()).unwrap_or_default();
    let names = |list: Vec<Reference>| {
        let uris = list.into_iter().filter_map(|reference| reference.uri).filter(|uri| !is_data(uri));
        uris.flat_map(|uri| names_of(&uri)).collect::<Vec<_>>()
    };
    let (mut files, mut pictures) = (names(named.buffers), names(named.images));
    files.retain(|file| is_inside(file));
    pictures.retain(|file| is_picture_place(file));
    files.extend(pictures);
    files
}

/// The names that a reference may stand for: without escapes, and as it is.
fn names_of(uri: &str) -> Vec<PathBuf> {
    let mut names = vec![plain(&file_of(uri)), plain(uri)];
    names.dedup();
    names
}

/// Text without zeros behind it, with which some programs fill up the chunk of a binary glTF in place of spaces.
pub fn without_zeros(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
}

/// The JSON of a glTF.
pub(super) fn document_of(json: &[u8]) -> Result<Value, GltfFault> {
    let json = unmarked(without_zeros(json)).map_err(|fault| GltfFault::Json(fault.to_string()))?;
    serde_json::from_slice(json).map_err(|e| GltfFault::Json(shortened(&e)))
}

/// The JSON chunk of a binary glTF (specification 2.0, section 4.4).
pub(super) fn json_chunk(bytes: &[u8]) -> Result<&[u8], GltfFault> {
    if bytes.get(..4) != Some(b"glTF") {
        return Err(GltfFault::NoMagic);
    }
    if let Some(version) = length_at(bytes, 4).filter(|&version| version != 2) {
        return Err(GltfFault::Version(format!("{version}.0")));
    }
    let length = length_at(bytes, 12).ok_or(GltfFault::ShortHeader)?;
    if bytes.get(16..20) != Some(b"JSON") {
        return Err(GltfFault::NoJsonChunk);
    }
    length.checked_add(20).and_then(|end| bytes.get(20..end)).ok_or(GltfFault::ShortJsonChunk)
}

/// The JSON chunk of a binary glTF, and its data where it has any.
///
/// # Errors
/// The header or the JSON chunk is damaged, or of another version.
pub fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), GltfFault> {
    let json = json_chunk(bytes)?;
    let rest = &bytes[20 + json.len()..];
    let length = length_at(rest, 0).filter(|_| rest.get(4..8) == Some(b"BIN\0"));
    Ok((json, length.and_then(|length| rest.get(8..)?.get(..length))))
}

/// The files that a glTF refers to.
pub(super) fn check_gltf(root: &Value) -> Result<Vec<PathBuf>, GltfFault> {
    check_version(root)?;
    let mut files = Vec::new();
    for list in ["buffers", "images"] {
        for (i, item) in items(root, list) {
            let Some(uri) = item.get("uri").and_then(Value::as_str) else { continue };
            if is_data(uri) {
                continue;
            }
            let names = names_of(uri);
            let may_be_there = if list == "images" { is_picture_place } else { is_inside };
            if !names.iter().all(|file| may_be_there(file)) {
                return Err(GltfFault::OutsideFolder { list, index: i, uri: uri.to_owned() });
            }
            files.extend(names);
        }
    }
    check_attributes(root)?;
    check_sizes(root)?;
    check_sparse(root)?;
    check_ranges(root)?;
    check_joints(root)?;
    check_tree(root)?;
    Ok(files)
}

/// Checks the version, and that nothing is required which the importer passes over without a word: it would show
/// compressed geometry as none, and pictures of other formats as white.
fn check_version(root: &Value) -> Result<(), GltfFault> {
    let version = root.get("asset").and_then(|asset| asset.get("version")).and_then(Value::as_str);
    if let Some(version) = version.filter(|version| !version.starts_with("2.")) {
        return Err(GltfFault::Version(version.to_owned()));
    }
    let is_known = |name: &str| {
        [&KNOWN_EXTENSIONS[..], &COMPRESSIONS].concat().contains(&name) || name.starts_with("KHR_materials_")
    };
    let required = items(root, "extensionsRequired").find_map(|(_, name)| name.as_str().filter(|name| !is_known(name)));
    required.map_or(Ok(()), |name| Err(GltfFault::RequiredExtension(name.to_owned())))
}

/// Whether a relative path stays below the folder it starts from.
fn is_inside(file: &Path) -> bool {
    !file.to_string_lossy().contains("://")
        && file.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

/// Whether a relative path stays below the folder it starts from, or below one beside that.
fn is_picture_place(file: &Path) -> bool {
    is_inside(file) || beside(&file.to_string_lossy()).is_some()
}

/// Checks the accessor types of vertex attributes: the importer assumes them and reads out of bounds otherwise.
fn check_attributes(root: &Value) -> Result<(), GltfFault> {
    let is_quantized = items(root, "extensionsUsed").any(|(_, name)| name == QUANTIZATION);
    let numbers: &[u64] = if is_quantized { &[5120, 5121, 5122, 5123, 5126] } else { &[5126] };
    for (m, mesh) in items(root, "meshes") {
        for (_, primitive) in items(mesh, "primitives") {
            let Some(attributes) = primitive.get("attributes").and_then(Value::as_object) else { continue };
            for (name, index) in attributes {
                let (kind, types): (&str, &[u64]) = match name.split('_').next().unwrap_or("") {
                    "JOINTS" => ("VEC4", &[5121, 5123]),
                    "WEIGHTS" => ("VEC4", &[5121, 5123, 5126]),
                    "POSITION" | "NORMAL" => ("VEC3", numbers),
                    _ => continue,
                };
                let accessor = index.as_u64().and_then(|i| root.get("accessors")?.get(i as usize));
                let fits = accessor.is_some_and(|a| {
                    a.get("type").and_then(Value::as_str) == Some(kind)
                        && a.get("componentType").and_then(Value::as_u64).is_some_and(|t| types.contains(&t))
                });
                if !fits {
                    return Err(GltfFault::AttributeType { mesh: m, attribute: name.clone() });
                }
            }
        }
    }
    Ok(())
}

/// Checks how much memory the importer would take for what the file only announces.
fn check_sizes(root: &Value) -> Result<(), GltfFault> {
    let count = |accessor: &Value| accessor.get("count").and_then(Value::as_u64).unwrap_or(0);
    let mut bytes = 0_u64;
    let filled = draco_accessors(root);
    let empty = |(i, accessor): &(usize, &Value)| accessor.get("bufferView").is_none() && !filled.contains(i);
    for (i, accessor) in items(root, "accessors").filter(empty) {
        let element = element_bytes(accessor).unwrap_or(MAX_ELEMENT_BYTES);
        bytes = bytes.saturating_add(count(accessor).saturating_mul(element));
        if bytes > limits::ZERO_BYTES {
            return Err(GltfFault::TooManyZeros { accessor: i, bytes, limit: limits::ZERO_BYTES });
        }
    }
    let mut vertices = 0_u64;
    let primitives = items(root, "meshes").flat_map(|(_, mesh)| items(mesh, "primitives"));
    for (_, primitive) in primitives {
        let position = primitive.get("attributes").and_then(|a| a.get("POSITION")).and_then(Value::as_u64);
        let accessor = position.and_then(|i| root.get("accessors")?.get(i as usize));
        vertices = vertices.saturating_add(accessor.map_or(0, count));
        let limit = limits::VERTICES as u64;
        if vertices > limit {
            return Err(GltfFault::TooManyVertices { vertices, limit });
        }
    }
    check_bones(root)
}

/// Checks that sparse accessors have the places and the values that they replace: the importer takes them for granted.
fn check_sparse(root: &Value) -> Result<(), GltfFault> {
    let count = |value: &Value| value.get("count").and_then(Value::as_u64);
    for (index, accessor) in items(root, "accessors") {
        let Some(sparse) = accessor.get("sparse") else { continue };
        let fault = |what: &str| {
            let reason = format!("is sparse {what}");
            Err(GltfFault::Data { element: "accessor", index, reason })
        };
        let has_view = |part: &str| sparse.get(part).and_then(|part| part.get("bufferView")).is_some_and(Value::is_u64);
        if let Some(part) = ["indices", "values"].into_iter().find(|part| !has_view(part)) {
            return fault(&format!("without `{part}` in a buffer view"));
        }
        if count(sparse).is_none_or(|replaced| Some(replaced) > count(accessor)) {
            return fault("without a `count` that is at most its own");
        }
    }
    Ok(())
}

/// Checks that skins have joints: the importer takes them for granted.
fn check_joints(root: &Value) -> Result<(), GltfFault> {
    let has_none = |skin: &Value| skin.get("joints").and_then(Value::as_array).is_none_or(Vec::is_empty);
    match items(root, "skins").find(|(_, skin)| has_none(skin)) {
        Some((index, _)) => Err(GltfFault::Data { element: "skin", index, reason: "has no `joints`".into() }),
        None => Ok(()),
    }
}

/// Checks how many bones the importer would make: for every part of a skinned mesh all joints of its skin.
fn check_bones(root: &Value) -> Result<(), GltfFault> {
    let count = |list: &str, index: &Value, of: &str| {
        let item = root.get(list)?.get(usize::try_from(index.as_u64()?).ok()?)?;
        Some(item.get(of)?.as_array()?.len() as u64)
    };
    let of_node = |(_, node): (usize, &Value)| {
        let (mesh, skin) = (node.get("mesh")?, node.get("skin")?);
        Some((count("meshes", mesh, "primitives")?, count("skins", skin, "joints")?))
    };
    let (mut bones, mut pairs) = (0_u64, 0_u64);
    for (primitives, joints) in items(root, "nodes").filter_map(of_node) {
        let own = primitives.saturating_mul(joints);
        bones = bones.saturating_add(own);
        pairs = pairs.saturating_add(own.saturating_mul(joints));
    }
    let (limit, most_pairs) = (limits::BONES, limits::BONE_PAIRS);
    if bones > limit {
        return Err(GltfFault::TooManyBones { bones, limit });
    }
    if pairs > most_pairs { Err(GltfFault::TooManyBonePairs { pairs, limit: most_pairs }) } else { Ok(()) }
}

/// The accessors whose data is compressed by Draco.
fn draco_accessors(root: &Value) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (_, primitive) in items(root, "meshes").flat_map(|(_, mesh)| items(mesh, "primitives")) {
        let extension = primitive.get("extensions").and_then(|list| list.get(DRACO));
        let Some(names) = extension.and_then(|e| e.get("attributes")).and_then(Value::as_object) else { continue };
        let attributes = names.keys().filter_map(|name| primitive.get("attributes")?.get(name)?.as_u64());
        found.extend(attributes.chain(primitive.get("indices").and_then(Value::as_u64)).map(|i| i as usize));
    }
    found
}

/// Checks that the nodes form a forest of limited depth: the importer walks it recursively.
fn check_tree(root: &Value) -> Result<(), GltfFault> {
    const MAX_DEPTH: u32 = 1000;
    let children: Vec<Vec<usize>> = items(root, "nodes")
        .map(|(_, node)| {
            let list = node.get("children").and_then(Value::as_array);
            list.into_iter().flatten().filter_map(|c| usize::try_from(c.as_u64()?).ok()).collect()
        })
        .collect();
    let mut is_child = vec![false; children.len()];
    for &child in children.iter().flatten() {
        match is_child.get_mut(child) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => return Err(GltfFault::TwoParents(child)),
            None => return Err(GltfFault::MissingChild(child)),
        }
    }
    let mut visited = 0;
    let mut stack: Vec<(usize, u32)> = (0..children.len()).filter(|&n| !is_child[n]).map(|n| (n, 1)).collect();
    while let Some((node, depth)) = stack.pop() {
        visited += 1;
        if depth > MAX_DEPTH {
            return Err(GltfFault::TooDeep(MAX_DEPTH));
        }
        stack.extend(children[node].iter().map(|&c| (c, depth + 1)));
    }
    if visited < children.len() { Err(GltfFault::Cycle) } else { Ok(()) }
}

/// Material libraries of an OBJ file and the textures that they name.
fn obj_files(path: &Path, libraries: &Libraries) -> Vec<PathBuf> {
    let names: BTreeSet<&str> = libraries.names().collect();
    let mut files: Vec<PathBuf> = names.iter().map(PathBuf::from).filter(|file| is_inside(file)).collect();
    let folder = InsideFolder::of(folder_of(path));
    for text in texts_of(&folder, names.into_iter().map(Path::new), limits::SIDE_TEXT_BYTES) {
        files.extend(pictures_in(&text).into_iter().filter(|file| is_picture_place(file)));
    }
    files
}

/// Pictures that a material library may name: all behind the first word of a line, which may hold spaces, and the last word,
/// in front of which options stand.
fn pictures_in(text: &[u8]) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for line in text.split(|&b| b == b'\n') {
        let line = String::from_utf8_lossy(line);
        let Some((key, rest)) = line.trim().split_once(char::is_whitespace) else { continue };
        if key.starts_with("map_") || key == "norm" {
            let rest = rest.trim_start();
            names.push(rest.into());
            names.extend(rest.rsplit_once(char::is_whitespace).map(|(_, last)| last.into()));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gltf(json: &str) -> Result<Vec<PathBuf>, GltfFault> {
        check_gltf(&document_of(json.as_bytes())?)
    }

    #[test]
    fn unknown_versions_and_required_extensions_are_named() {
        assert_eq!(gltf(r#"{"asset": {"version": "1.0"}}"#), Err(GltfFault::Version("1.0".into())));
        assert_eq!(json_chunk(b"glTF\x01\0\0\0\x20\0\0\0\x04\0\0\0\0\0\0\0{} "), Err(GltfFault::Version("1.0".into())));
        let requires =
            |name: &str| gltf(&format!(r#"{{"asset": {{"version": "2.0"}}, "extensionsRequired": ["{name}"]}}"#));
        for name in ["EXT_lights_image_based", "KHR_texture_video"] {
            assert_eq!(requires(name), Err(GltfFault::RequiredExtension(name.into())));
        }
        for name in
            ["KHR_materials_unlit", "KHR_texture_transform", "EXT_texture_webp", DRACO, QUANTIZATION, INSTANCING]
        {
            assert_eq!(requires(name), Ok(Vec::new()));
        }
        let used = r#"{"asset": {"version": "2.0"}, "extensionsUsed": ["EXT_lights_image_based"]}"#;
        assert_eq!(gltf(used), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_model_at_all_is_told() {
        let reason = |name: &str, bytes: &[u8]| check(Path::new(name), bytes).unwrap_err().to_string();
        assert!(reason("a.glb", b"\n<!DOCTYPE html><html>").contains("an HTML page"));
        assert!(reason("a.fbx", b"version https://git-lfs.github.com/spec/v1\n").contains("git lfs pull"));
        assert!(reason("a.obj", b"\xff\xfev\0 \0").contains("UTF-16"));
        assert!(reason("a.gltf", b"\xff\xfe{\0").contains("UTF-16"));
        assert!(reason("a.stl", b"").contains("it is empty"));
        assert!(check(Path::new("a.gltf"), b"\xef\xbb\xbf{}").is_ok());
    }

    #[test]
    fn skins_without_joints_are_refused() {
        for skin in [r#"{"inverseBindMatrices":0}"#, r#"{"joints":[]}"#] {
            let error = gltf(&format!(r#"{{"nodes":[{{}}],"skins":[{{"joints":[0]}},{skin}]}}"#)).unwrap_err();
            assert_eq!(error.to_string(), "skin 1 has no `joints`");
        }
        assert_eq!(gltf(r#"{"nodes":[{}],"skins":[{"joints":[0]}]}"#), Ok(Vec::new()));
    }

    #[test]
    fn files_beside_the_model_are_listed_and_others_refused() {
        let files = gltf(r#"{"buffers":[{"uri":"a.bin"},{"uri":"data:;base64,AA=="}],"images":[{"uri":"t/x.png"}]}"#);
        assert_eq!(files.unwrap(), [PathBuf::from("a.bin"), PathBuf::from("t/x.png")]);
        let escaped = gltf(r#"{"buffers":[{"uri":"a%20b.bin"}]}"#).unwrap();
        assert_eq!(escaped, [PathBuf::from("a b.bin"), PathBuf::from("a%20b.bin")]);
        let named = |json: &[u8]| files_of(Path::new("a.gltf"), json);
        let broken =
            br#"{"asset":{"version":"1.0"},"buffers":[{"uri":"../b"},{"uri":"c%20d"},{}],"images":[{"uri":"data:,"}]}"#;
        assert_eq!(named(broken), [PathBuf::from("c d"), PathBuf::from("c%20d")], "whatever else is wrong");
        assert_eq!(named(b"["), Vec::<PathBuf>::new());
        let beside = gltf(r#"{"images":[{"uri":"../t/x.png"}]}"#);
        assert_eq!(beside.unwrap(), [PathBuf::from("../t/x.png")]);
        for image in ["../x.png", "../../t/x.png", "/t/x.png"] {
            let error = gltf(&format!(r#"{{"images":[{{"uri":"{image}"}}]}}"#)).unwrap_err();
            assert!(matches!(error, GltfFault::OutsideFolder { .. }), "{error}");
        }
        for uri in ["/etc/passwd", "../t/x.bin", "../../secret.bin", "file:///etc/passwd", "%2e%2e/secret.bin"] {
            let error = gltf(&format!(r#"{{"buffers":[{{"uri":"{uri}"}}]}}"#)).unwrap_err();
            assert!(matches!(error, GltfFault::OutsideFolder { .. }), "{error}");
        }
    }

    #[test]
    fn pictures_of_a_library_may_have_spaces_in_their_names() {
        let text = b"newmtl a\nKd 1 0 0\n\tmap_Kd my wood.png\r\nmap_Bump -bm 0.2 n.png\nnorm deep/n.png\nnormal no.png\nmap_Kd\n";
        let names: Vec<String> = pictures_in(text).iter().map(|name| name.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["my wood.png", "wood.png", "-bm 0.2 n.png", "n.png", "deep/n.png"]);
    }

    #[test]
    fn what_crashes_the_importer_is_refused() {
        let joints = r#"{"accessors":[{"type":"SCALAR","componentType":5126}],
            "meshes":[{"primitives":[{"attributes":{"JOINTS_0":0}}]}]}"#;
        assert!(matches!(gltf(joints), Err(GltfFault::AttributeType { attribute, .. }) if attribute == "JOINTS_0"));
        assert!(matches!(gltf(&"[".repeat(100_000)), Err(GltfFault::Json(_))));
        let chain: Vec<String> = (1..20_000).map(|i| format!(r#"{{"children":[{i}]}}"#)).collect();
        assert!(matches!(gltf(&format!(r#"{{"nodes":[{},{{}}]}}"#, chain.join(","))), Err(GltfFault::TooDeep(_))));
        assert_eq!(gltf(r#"{"nodes":[{"children":[1]},{"children":[0]}]}"#), Err(GltfFault::Cycle));
    }

    #[test]
    fn sparse_accessors_without_their_parts_are_named() {
        let file = |sparse: &str| {
            let accessor = r#""componentType":5126,"count":4,"type":"VEC3","bufferView":0"#;
            let json = format!(
                r#"{{"asset":{{"version":"2.0"}},"accessors":[{{{accessor}}},{{{accessor},"sparse":{sparse}}}],
                "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteLength":2}}],
                "buffers":[{{"byteLength":48}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":1}}}}]}}]}}"#
            );
            check(Path::new("a.gltf"), json.as_bytes()).map(|checked| checked.files).map_err(|e| e.to_string())
        };
        let (indices, values) = (r#""indices":{"bufferView":1,"componentType":5123}"#, r#""values":{"bufferView":0}"#);
        assert_eq!(file(&format!(r#"{{"count":1,{indices},{values}}}"#)), Ok(Vec::new()));
        for (sparse, missing) in [
            (format!(r#"{{"count":1,{values}}}"#), "`indices`"),
            (format!(r#"{{"count":1,"indices":{{}},{values}}}"#), "`indices`"),
            (format!(r#"{{"count":1,{indices}}}"#), "`values`"),
            (format!(r#"{{{indices},{values}}}"#), "`count`"),
            (format!(r#"{{"count":5,{indices},{values}}}"#), "`count`"),
        ] {
            let error = file(&sparse).unwrap_err();
            assert!(error.contains("accessor 1 is sparse") && error.contains(missing), "{error}");
        }
    }

    #[test]
    fn what_would_take_gigabytes_is_refused_with_figures() {
        let zeros = gltf(
            r#"{"accessors":[{"count":3},
            {"count":300000000,"type":"VEC3","componentType":5126,"sparse":{"count":1}}]}"#,
        );
        assert_eq!(
            zeros,
            Err(GltfFault::TooManyZeros { accessor: 1, bytes: 3 * 64 + 300_000_000 * 12, limit: limits::ZERO_BYTES })
        );
        let position = r#"{"count":9000000,"type":"VEC3","componentType":5126,"bufferView":0}"#;
        let primitive = r#"{"attributes":{"POSITION":0}}"#;
        let many = |n: usize| {
            let list = vec![primitive; n].join(",");
            gltf(&format!(
                r#"{{"bufferViews":[{{"byteLength":108000000}}],"accessors":[{position}],"meshes":[{{"primitives":[{list}]}}]}}"#
            ))
        };
        assert!(many(2).is_ok());
        let joints = vec!["0"; 40_000].join(",");
        let skinned = format!(
            r#"{{"nodes":[{{"mesh":0,"skin":0}}],"meshes":[{{"primitives":[{{}}]}}],"skins":[{{"joints":[{joints}]}}]}}"#
        );
        assert!(matches!(gltf(&skinned), Err(GltfFault::TooManyBonePairs { pairs: 1_600_000_000, .. })));
        assert!(matches!(many(900), Err(GltfFault::TooManyVertices { vertices: 27_000_000, .. })));
    }
}
