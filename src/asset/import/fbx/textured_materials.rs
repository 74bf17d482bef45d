//! The materials of FBX 6 models under their textures, which lie on the models: in version 7 a texture lies on a material, so
//! that one that is under several becomes as many.

use super::document::{FbxNode, FbxValue};
use super::model_surfaces::ModelSurfaces;
use super::objects::{FbxObjects, joined};
use std::collections::{HashMap, HashSet};

/// Bytes of all copies of materials that lie under several textures: some thousands of them.
const MAX_COPIED_BYTES: usize = 16 << 20;

/// The surfaces of all models that have a mesh, until each has its materials.
#[derive(Debug)]
pub struct TexturedMaterials {
    surfaces: Vec<ModelSurfaces>,
    /// Places in `surfaces` by model.
    places: HashMap<i64, usize>,
    /// What a material under a texture has become.
    textured: HashMap<(i64, Option<i64>), i64>,
    /// Materials that lie on a model.
    used: HashSet<i64>,
    /// What copies may still take.
    bytes_left: usize,
}

impl Default for TexturedMaterials {
    fn default() -> Self {
        let (surfaces, places) = (Vec::new(), HashMap::new());
        Self { surfaces, places, textured: HashMap::new(), used: HashSet::new(), bytes_left: MAX_COPIED_BYTES }
    }
}

impl TexturedMaterials {
    /// Adds a model that has a mesh.
    pub fn add(&mut self, id: i64, model: &FbxNode) {
        self.places.insert(id, self.surfaces.len());
        self.surfaces.push(ModelSurfaces::of(id, model));
    }

    /// What lies on a model with a mesh.
    pub fn surfaces_of(&mut self, model: i64) -> Option<&mut ModelSurfaces> {
        self.surfaces.get_mut(*self.places.get(&model)?)
    }

    /// Puts its materials on each model, each under its texture.
    pub fn connect_all(&mut self, objects: &mut FbxObjects) {
        for surfaces in std::mem::take(&mut self.surfaces) {
            let mut materials = surfaces.materials.clone();
            if materials.is_empty() && !surfaces.textures.is_empty() {
                let white = [1.0; 3].map(FbxValue::Real);
                let color = [&b"DiffuseColor"[..], b"Color", b"", b"A"].map(FbxValue::text);
                let color = FbxNode::with_values("P", color.into_iter().chain(white).collect());
                let children = vec![FbxNode::with_children("Properties70", vec![color])];
                materials.push(objects.add("Material", &joined(b"texture", "Material"), b"", children));
            }
            let textures = surfaces.textures_of_materials();
            for (number, &material) in materials.iter().enumerate() {
                let textured = self.textured_material(objects, material, textures.get(&number).copied());
                objects.connect(textured, surfaces.model);
            }
        }
    }

    /// A material under a texture: itself the first time, a copy of it under another one.
    fn textured_material(&mut self, objects: &mut FbxObjects, material: i64, texture: Option<i64>) -> i64 {
        if let Some(&known) = self.textured.get(&(material, texture)) {
            return known;
        }
        let is_first = self.used.insert(material);
        let mut textured = material;
        if !is_first && let Some(copy) = objects.add_copy(material, &mut self.bytes_left) {
            textured = copy;
        }
        self.textured.insert((material, texture), textured);
        if let Some(texture) = texture.filter(|_| is_first || textured != material) {
            objects.connect_property(texture, textured, b"DiffuseColor");
        }
        textured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many copies a material becomes that lies on nine models, each with a texture of its own.
    fn copies_of(material_bytes: usize) -> usize {
        let (mut objects, mut materials) = (FbxObjects::default(), TexturedMaterials::default());
        let shading = FbxNode::with_values("ShadingModel", vec![FbxValue::text(&vec![b'a'; material_bytes])]);
        let material = objects.add("Material", b"wood\0\x01Material", b"", vec![shading]);
        for texture in 100..109 {
            let model = objects.add("Model", b"box\0\x01Model", b"Mesh", Vec::new());
            materials.add(model, &FbxNode::empty("Model"));
            let surfaces = materials.surfaces_of(model).unwrap();
            surfaces.materials.push(material);
            surfaces.textures.push(texture);
        }
        materials.connect_all(&mut objects);
        let [listed, _] = objects.into_nodes();
        listed.children.iter().filter(|node| node.name == "Material").count() - 1
    }

    #[test]
    fn copies_of_materials_are_bounded_by_their_size() {
        assert_eq!(copies_of(10), 8, "the first model has the material itself");
        assert_eq!(copies_of(MAX_COPIED_BYTES / 4), 3);
        assert_eq!(copies_of(MAX_COPIED_BYTES), 0);
    }
}
