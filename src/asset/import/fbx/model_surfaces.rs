//! Materials and textures of a model of FBX 6, where textures lie on the model: which of them lies on which material.

use super::document::FbxNode;
use std::collections::HashMap;

/// What lies on a model, and on which of its polygons.
#[derive(Clone, Debug, Default)]
pub struct ModelSurfaces {
    /// The id of the model.
    pub model: i64,
    /// Ids of its materials in the order of the connections.
    pub materials: Vec<i64>,
    /// Ids of its textures, likewise.
    pub textures: Vec<i64>,
    /// The number of the material of each polygon; one number for all.
    material_of_polygon: Vec<i32>,
    /// The number of the texture of each polygon; one number for all.
    texture_of_polygon: Vec<i32>,
}

impl ModelSurfaces {
    /// Of a model that has a mesh, before anything is connected with it.
    pub fn of(id: i64, model: &FbxNode) -> Self {
        let numbers = |layer: &str, list: &str| {
            model
                .child(layer)
                .and_then(|layer| layer.child(list))
                .map(|list| list.integers().to_vec())
                .unwrap_or_default()
        };
        Self {
            model: id,
            material_of_polygon: numbers("LayerElementMaterial", "Materials"),
            texture_of_polygon: numbers("LayerElementTexture", "TextureId"),
            ..Self::default()
        }
    }

    /// The texture of each material by its number: that of the first polygon of the material which has one. Without numbers the
    /// first lies on all.
    pub fn textures_of_materials(&self) -> HashMap<usize, i64> {
        let texture = |number: i32| usize::try_from(number).ok().and_then(|i| self.textures.get(i)).copied();
        let mut textures = HashMap::new();
        if self.texture_of_polygon.len() <= 1 {
            let all = texture(self.texture_of_polygon.first().copied().unwrap_or(0));
            let count = self.materials.len().max(1);
            textures.extend(all.into_iter().flat_map(|texture| (0..count).map(move |material| (material, texture))));
            return textures;
        }
        for (polygon, &number) in self.texture_of_polygon.iter().enumerate() {
            let material = self.material_of_polygon.get(polygon).or(self.material_of_polygon.first());
            let material = material.and_then(|&number| usize::try_from(number).ok()).unwrap_or(0);
            if let Some(texture) = texture(number) {
                textures.entry(material).or_insert(texture);
            }
        }
        textures
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::FbxValue;
    use super::*;

    fn layer(name: &str, list: &str, numbers: &[i32]) -> FbxNode {
        let list = FbxNode::with_values(list, vec![FbxValue::Integers(numbers.to_vec())]);
        FbxNode::with_children(name, vec![list])
    }

    fn surfaces(materials: &[i32], textures: &[i32]) -> ModelSurfaces {
        let layers = vec![
            layer("LayerElementMaterial", "Materials", materials),
            layer("LayerElementTexture", "TextureId", textures),
        ];
        let model = FbxNode::with_children("Model", layers);
        ModelSurfaces { materials: vec![10, 11], textures: vec![20, 21], ..ModelSurfaces::of(1, &model) }
    }

    #[test]
    fn materials_have_the_texture_of_their_first_polygon() {
        let sorted = |surfaces: ModelSurfaces| {
            let mut list: Vec<_> = surfaces.textures_of_materials().into_iter().collect();
            list.sort_unstable();
            list
        };
        assert_eq!(sorted(surfaces(&[1, 0, 1], &[1, 0, 0])), [(0, 20), (1, 21)]);
        assert_eq!(sorted(surfaces(&[0, 1], &[-1, 0])), [(1, 20)], "none on the first");
        assert_eq!(sorted(surfaces(&[0], &[1])), [(0, 21), (1, 21)], "one for all");
        assert_eq!(sorted(surfaces(&[], &[])), [(0, 20), (1, 20)], "no numbers");
        assert!(sorted(surfaces(&[0], &[7])).is_empty(), "there is no such texture");
    }
}
