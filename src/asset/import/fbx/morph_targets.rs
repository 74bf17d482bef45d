//! The morph targets of an FBX 6 mesh as deformers of version 7.

use super::document::{FbxNode, FbxValue};
use super::objects::{FbxObjects, joined};
use std::collections::HashMap;

/// The channels of morph targets by their model and name.
#[derive(Debug, Default)]
pub struct MorphTargets(HashMap<(i64, Vec<u8>), i64>);

impl MorphTargets {
    /// The channel of a model's target.
    pub fn channel(&self, model: i64, name: &[u8]) -> Option<i64> {
        self.0.get(&(model, name.to_vec())).copied()
    }

    /// Adds the targets of a model's mesh: a deformer with a channel and a shape for each.
    pub fn add(&mut self, objects: &mut FbxObjects, model: i64, geometry: i64, shapes: Vec<FbxNode>) {
        let mut morph = None;
        for shape in shapes {
            let (Some(name), Some(indexes), Some(vertices)) =
                (shape.text(0), shape.child("Indexes"), shape.child("Vertices"))
            else {
                continue;
            };
            let Some(FbxValue::Reals(moves)) = vertices.values.first() else { continue };
            let normals = shape.child("Normals").filter(
                |normals| matches!(normals.values.first(), Some(FbxValue::Reals(list)) if list.len() == moves.len()),
            );
            // Readers ask for them.
            let flat = || FbxNode::with_values("Normals", vec![FbxValue::Reals(vec![0.0; moves.len()])]);
            let children = vec![indexes.clone(), vertices.clone(), normals.cloned().unwrap_or_else(flat)];
            let morph = *morph.get_or_insert_with(|| {
                let morph = objects.add("Deformer", &joined(b"", "Deformer"), b"BlendShape", Vec::new());
                objects.connect(morph, geometry);
                morph
            });
            let weights = vec![
                FbxNode::with_values("DeformPercent", vec![FbxValue::Real(0.0)]),
                FbxNode::with_values("FullWeights", vec![FbxValue::Reals(vec![100.0])]),
            ];
            let channel = objects.add("Deformer", &joined(name, "SubDeformer"), b"BlendShapeChannel", weights);
            objects.connect(channel, morph);
            let target = objects.add("Geometry", &joined(name, "Geometry"), b"Shape", children);
            objects.connect(target, channel);
            self.0.insert((model, name.to_vec()), channel);
        }
    }
}
