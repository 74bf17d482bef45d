//! Morph targets that instances show by name, packed for the shaders.

use crate::asset::Mesh;
use std::collections::BTreeMap;

/// Targets that an instance shows at once; those with the largest weights.
pub const MAX_NAMED: usize = 8;
/// Targets of a model that can be shown by name.
pub const MAX_TARGETS: usize = 255;
/// A target that a mesh does not have.
const NONE: u8 = 255;

/// Up to [`MAX_NAMED`] targets with their weights in steps of 1/255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedMorphs {
    /// Numbers among the [names](crate::asset::Model::morph_names) of the model.
    targets: [u8; MAX_NAMED],
    /// 0 shows none of it, 255 all.
    weights: [u8; MAX_NAMED],
}

impl NamedMorphs {
    /// Those of a model with these [names](crate::asset::Model::morph_names) that are wanted, 0 to 1 by name; others are left out.
    pub fn of(names: &[&str], wanted: &BTreeMap<String, f32>) -> Self {
        let mut out = Self::default();
        if wanted.is_empty() {
            return out;
        }
        let number = |name: &str| names.iter().take(MAX_TARGETS).position(|one| *one == name);
        let weight = |weight: f32| (weight.clamp(0.0, 1.0) * 255.0).round() as u8;
        let mut shown: Vec<(u8, u8)> = wanted
            .iter()
            .filter_map(|(name, share)| Some((weight(*share), number(name)? as u8)))
            .filter(|(weight, _)| *weight > 0)
            .collect();
        shown.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        for (i, (weight, target)) in shown.into_iter().take(MAX_NAMED).enumerate() {
            (out.targets[i], out.weights[i]) = (target, weight);
        }
        out
    }

    /// Numbers of the targets, four to a word, the first in the lowest byte.
    pub fn target_words(&self) -> [u32; 2] {
        words(&self.targets)
    }

    /// Their weights, likewise.
    pub fn weight_words(&self) -> [u32; 2] {
        words(&self.weights)
    }
}

fn words(bytes: &[u8; MAX_NAMED]) -> [u32; 2] {
    bytemuck::cast::<_, [u32; 2]>(*bytes).map(u32::from_le)
}

/// Per target of the model the number of the mesh's own one, four to a word; 255 where it has none.
pub fn own_targets(mesh: &Mesh, names: &[&str]) -> [[u32; 4]; 16] {
    let mut own = [NONE; MAX_TARGETS + 1];
    for (slot, name) in own.iter_mut().zip(names).take(MAX_TARGETS) {
        let number = mesh.morphs.iter().position(|morph| morph.name == *name);
        *slot = number.and_then(|n| u8::try_from(n).ok()).unwrap_or(NONE);
    }
    bytemuck::cast::<_, [[u32; 4]; 16]>(own).map(|row| row.map(u32::from_le))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Model, Morph};

    fn mesh(names: &[&str]) -> Mesh {
        let morph = |name: &&str| Morph { name: (*name).into(), positions: Vec::new(), normals: Vec::new() };
        Mesh { morphs: names.iter().map(morph).collect(), ..Mesh::default() }
    }

    #[test]
    fn targets_of_one_name_are_one_over_all_meshes() {
        let model = Model { meshes: vec![mesh(&["blink", "smile"]), mesh(&["smile", "tongue"])], ..Model::default() };
        let names = model.morph_names();
        assert_eq!(names, ["blink", "smile", "tongue"]);
        assert_eq!(own_targets(&model.meshes[1], &names)[0][0].to_le_bytes(), [NONE, 0, 1, NONE]);
        let wanted = [("smile", 0.5), ("tongue", 1.0), ("blink", 0.0), ("wink", 1.0)].map(|(n, w)| (n.to_owned(), w));
        let shown = NamedMorphs::of(&names, &BTreeMap::from(wanted));
        assert_eq!((shown.target_words(), shown.weight_words()), ([0x0102, 0], [0x80ff, 0]));
    }

    #[test]
    fn the_largest_weights_are_shown_where_there_are_too_many() {
        let names: Vec<String> = (0..20).map(|i| format!("target {i:02}")).collect();
        let model =
            Model { meshes: vec![mesh(&names.iter().map(String::as_str).collect::<Vec<_>>())], ..Model::default() };
        let wanted = names.iter().zip(0..).map(|(name, i)| (name.clone(), i as f32 / 20.0)).collect();
        let shown = NamedMorphs::of(&model.morph_names(), &wanted);
        assert_eq!(shown.targets, [19, 18, 17, 16, 15, 14, 13, 12]);
        assert_eq!(shown.weights[0], 242);
    }
}
