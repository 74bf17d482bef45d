//! Models as parts of a glTF file that is written: geometry, materials and textures once, nodes and skins for each copy.

use super::glb::GlbWriter;
use super::{AlphaMode, Material, Mesh, Model, SkinVertex};
use crate::math::Trs;
use ::image::ImageFormat;
use glam::Vec2;
use serde_json::{Value, json};

/// The extension by which a material emits more light than a factor of 1.
const EMISSIVE_STRENGTH: &str = "KHR_materials_emissive_strength";

/// A model whose geometry is written.
#[derive(Clone, Debug)]
pub struct GlbModel {
    /// The mesh of each mesh of the model that is drawn; `None` for authored navigation meshes and others that
    /// are not drawn.
    meshes: Vec<Option<GlbMesh>>,
    /// Inverse bind matrices, where the model is skinned.
    inverse_binds: Option<usize>,
}

/// A mesh that is written.
#[derive(Clone, Copy, Debug)]
struct GlbMesh {
    index: usize,
    is_skinned: bool,
}

/// A copy of a model.
#[derive(Clone, Debug, Default)]
pub struct GlbCopy {
    /// The node that carries all others but those of skinned meshes.
    pub root: usize,
    /// Nodes of skinned meshes, which belong at the root of the scene: their joints place them.
    pub skinned: Vec<usize>,
    /// The node of each node of the model's skeleton.
    pub nodes: Vec<usize>,
}

/// The place of a node as glTF writes it.
fn placed(name: &str, at: &Trs) -> Value {
    json!({
        "name": name,
        "translation": at.translation.to_array(),
        "rotation": at.rotation.to_array(),
        "scale": at.scale.to_array(),
    })
}

fn material(writer: &mut GlbWriter, material: &Material, textures: &[Option<usize>]) -> usize {
    let mut surface = json!({
        "baseColorFactor": material.base_color,
        "metallicFactor": material.metallic,
        "roughnessFactor": material.roughness,
    });
    let texture = |image: Option<u32>| Some(json!({ "index": textures.get(image? as usize).copied().flatten()? }));
    if let Some(texture) = texture(material.base_color_image) {
        surface["baseColorTexture"] = texture;
    }
    if let Some(texture) = texture(material.surface_image) {
        surface["metallicRoughnessTexture"] = texture;
    }
    // A factor of the format is at most 1.
    let strength = material.emissive.iter().copied().fold(1.0, f32::max);
    let emissive = material.emissive.map(|c| (c / strength).clamp(0.0, 1.0));
    let mut out = json!({
        "name": material.name,
        "pbrMetallicRoughness": surface,
        "emissiveFactor": emissive,
        "doubleSided": material.double_sided,
    });
    if strength > 1.0 {
        writer.use_extension(EMISSIVE_STRENGTH);
        out["extensions"] = json!({ EMISSIVE_STRENGTH: { "emissiveStrength": strength } });
    }
    for (key, image) in [("normalTexture", material.normal_image), ("emissiveTexture", material.emissive_image)] {
        if let Some(texture) = texture(image) {
            out[key] = texture;
        }
    }
    match material.alpha {
        AlphaMode::Opaque => {}
        AlphaMode::Cutout(cutoff) => {
            out["alphaMode"] = json!("MASK");
            out["alphaCutoff"] = json!(cutoff);
        }
        AlphaMode::Blended => out["alphaMode"] = json!("BLEND"),
    }
    writer.push("materials", out)
}

/// The joints of a vertex; 0 where the weight is none, as the format asks for (specification 2.0, section 3.7.3.3).
fn used_joints(skin: &SkinVertex) -> [u16; 4] {
    std::array::from_fn(|i| if skin.weights[i] == 0.0 { 0 } else { skin.joints[i] })
}

fn geometry(writer: &mut GlbWriter, mesh: &Mesh, materials: &[usize]) -> GlbMesh {
    let mesh = &*mesh.with_own_corners();
    let positions: Vec<_> = mesh.vertices.iter().map(|v| v.position).collect();
    let normals: Vec<_> = mesh.vertices.iter().map(|v| v.normal).collect();
    let coordinates: Vec<Vec2> = mesh.vertices.iter().map(|v| v.uv).collect();
    let mut attributes = json!({
        "POSITION": writer.positions(&positions),
        "NORMAL": writer.normals(&normals),
        "TEXCOORD_0": writer.coordinates(&coordinates),
    });
    if mesh.vertices.iter().any(|v| v.color != [u8::MAX; 4]) {
        let colors: Vec<[u8; 4]> = mesh.vertices.iter().map(|v| v.color).collect();
        attributes["COLOR_0"] = json!(writer.colors(&colors));
    }
    let is_skinned = mesh.skin.len() == mesh.vertices.len();
    if is_skinned {
        let joints: Vec<[u16; 4]> = mesh.skin.iter().map(used_joints).collect();
        let weights: Vec<[f32; 4]> = mesh.skin.iter().map(|s| s.weights).collect();
        attributes["JOINTS_0"] = json!(writer.joints(&joints));
        attributes["WEIGHTS_0"] = json!(writer.weights(&weights));
    }
    let mut primitive = json!({ "attributes": attributes, "indices": writer.indices(&mesh.indices) });
    if let Some(material) = materials.get(mesh.material as usize) {
        primitive["material"] = json!(material);
    }
    let index = writer.push("meshes", json!({ "name": mesh.name, "primitives": [primitive] }));
    GlbMesh { index, is_skinned }
}

impl GlbModel {
    /// Writes the geometry of a model, its materials and their pictures.
    pub fn write(writer: &mut GlbWriter, model: &Model) -> Self {
        let is_used = |i: usize| model.materials.iter().any(|m| m.images().any(|image| image == i as u32));
        let mut textures = Vec::with_capacity(model.images.len());
        for (i, image) in model.images.iter().enumerate() {
            // What cannot be encoded is left to the colour of the material.
            let bytes = is_used(i).then(|| image.encoded(ImageFormat::Png).ok()).flatten();
            textures.push(bytes.map(|bytes| {
                let view = writer.view(&bytes);
                let source = writer.push("images", json!({ "bufferView": view, "mimeType": "image/png" }));
                writer.push("textures", json!({ "source": source }))
            }));
        }
        let materials: Vec<usize> = model.materials.iter().map(|m| material(writer, m, &textures)).collect();
        let is_drawn = |mesh: &&Mesh| model.is_drawn(mesh) && !mesh.vertices.is_empty() && !mesh.indices.is_empty();
        let meshes = model.meshes.iter().map(|m| Some(m).filter(is_drawn).map(|m| geometry(writer, m, &materials)));
        let meshes = meshes.collect();
        let binds: Vec<_> = model.joints.iter().map(|joint| joint.node_from_mesh).collect();
        let inverse_binds = model.is_skinned().then(|| writer.matrices(&binds));
        Self { meshes, inverse_binds }
    }

    /// Writes a copy of the model below a new node: the nodes of its skeleton at rest, its meshes, its skin.
    pub fn copy(&self, writer: &mut GlbWriter, model: &Model, name: &str, at: &Trs) -> GlbCopy {
        let skeleton = &model.skeleton;
        let root = writer.push("nodes", placed(name, at));
        let mut copy = GlbCopy { root, skinned: Vec::new(), nodes: Vec::with_capacity(skeleton.len()) };
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
        let mut below_root = Vec::new();
        for (i, (name, rest)) in skeleton.names.iter().zip(&skeleton.rest).enumerate() {
            let node = writer.push("nodes", placed(name, rest));
            copy.nodes.push(node);
            match skeleton.parents.get(i).copied().flatten() {
                Some(parent) => children[parent.0 as usize].push(node),
                None => below_root.push(node),
            }
        }
        let skin = self.inverse_binds.map(|binds| {
            let joints: Vec<usize> =
                model.joints.iter().filter_map(|j| copy.nodes.get(j.node.0 as usize)).copied().collect();
            writer.push("skins", json!({ "joints": joints, "inverseBindMatrices": binds, "skeleton": root }))
        });
        for (mesh, written) in model.meshes.iter().zip(&self.meshes) {
            let Some(written) = written else { continue };
            match skin.filter(|_| written.is_skinned) {
                Some(skin) => {
                    let name = format!("{name} {}", mesh.name);
                    let node = json!({ "name": name, "mesh": written.index, "skin": skin });
                    copy.skinned.push(writer.push("nodes", node));
                }
                None => {
                    let node = writer.push("nodes", json!({ "name": mesh.name, "mesh": written.index }));
                    children.get_mut(mesh.node.0 as usize).unwrap_or(&mut below_root).push(node);
                }
            }
        }
        let parents = std::iter::once((root, below_root)).chain(copy.nodes.iter().copied().zip(children));
        for (node, list) in parents.filter(|(_, list)| !list.is_empty()) {
            if let Some(Value::Object(entry)) = writer.entry("nodes", node) {
                entry.insert("children".into(), json!(list));
            }
        }
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_beyond_a_factor_of_one_is_strength() {
        let mut writer = GlbWriter::default();
        for emissive in [[4.0, 2.0, 0.0], [8.0; 3], [0.5, 1.0, 0.0]] {
            material(&mut writer, &Material { emissive, ..Material::default() }, &[]);
        }
        let mut written =
            |i: usize, path: &str| writer.entry("materials", i).and_then(|entry| entry.pointer(path).cloned());
        let strength = format!("/extensions/{EMISSIVE_STRENGTH}/emissiveStrength");
        assert_eq!([0, 1, 2].map(|i| written(i, &strength)), [Some(json!(4.0)), Some(json!(8.0)), None]);
        let factors = [json!([1.0, 0.5, 0.0]), json!([1.0, 1.0, 1.0]), json!([0.5, 1.0, 0.0])];
        assert_eq!([0, 1, 2].map(|i| written(i, "/emissiveFactor")), factors.map(Some));
        assert_eq!(writer.entry("extensionsUsed", 0), Some(&mut json!(EMISSIVE_STRENGTH)));
        assert_eq!(writer.entry("extensionsUsed", 1), None, "it is named once");
    }

    #[test]
    fn joints_without_weight_are_written_as_zero() {
        let skin = SkinVertex { joints: [7, 42, 3, 42], weights: [0.75, 0.0, 0.25, 0.0] };
        assert_eq!(used_joints(&skin), [7, 0, 3, 0]);
    }
}
