//! Guesses whether a model is meant in other units, with another axis up, or to stand elsewhere.

use super::Model;
use crate::ids::NodeId;
use glam::Vec3;
use std::collections::HashSet;

/// Usual range of the longest side, metres: of characters, and of static models.
const CHARACTER_SIZE: [f32; 2] = [0.2, 8.0];
const THING_SIZE: [f32; 2] = [0.01, 100.0];
/// Height of a character that is assumed where its own cannot be right, metres.
const USUAL_HEIGHT: f32 = 1.75;
/// Units that files are made in, as factors to metres: millimetres, centimetres, inches, and such read as others.
const CHARACTER_FACTORS: [f32; 7] = [0.001, 0.01, 0.0254, 0.1, 10.0, 100.0, 1000.0];
/// The same for things, the more likely first; the first that makes a likely size counts.
const SHRINKING_FACTORS: [f32; 3] = [0.01, 0.001, 0.0001];
const GROWING_FACTORS: [f32; 3] = [100.0, 1000.0, 10_000.0];
/// Sides that a thing may have once it is scaled, metres.
const LIKELY_THING: [f32; 2] = [0.1, 30.0];
/// Nodes with meshes from which on what is large is a level, not a thing in other units: plazas have hundreds, things a few.
const MIN_LEVEL_NODES: usize = 100;
/// A model is far from its origin from this many of its longest sides on.
const FAR_SIDES: f32 = 2.0;
/// Nearer than that it is in sight, metres.
const MIN_FAR: f32 = 5.0;
/// Tallest body that counts as lying, as a part of its length along Z.
const LYING_SHARE: f32 = 0.35;
/// Share of the way from foot to head that has to go along an axis.
const UPRIGHT_SHARE: f32 = 0.8;
/// How far from its end on the side of the feet a lying body may have feet, as a part of its length.
const FOOT_SHARE: f32 = 0.3;

/// What would make a model as it was most likely meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitGuess {
    /// Longest side as it is, metres.
    pub size: f32,
    /// Factor to its size.
    pub scale: f32,
    /// Whether its Z axis is up.
    pub is_lying: bool,
    /// How far it stands from its origin, metres; 0 where that is near enough.
    pub distance: f32,
    /// Shift in model space that brings the middle of its base to the origin; 0 where it is near enough.
    pub shift: Vec3,
}

impl FitGuess {
    /// Looks at a model. `None` where nothing is strange.
    pub fn of(model: &Model) -> Option<Self> {
        let bounds = model.rest_bounds;
        let size = bounds.size().max_element();
        if bounds.is_empty() || !(size > 0.0 && size.is_finite()) {
            return None;
        }
        let is_character = model.is_skinned() && !model.clips.is_empty();
        let scale = match is_character {
            true => character_scale(size),
            false if size > THING_SIZE[1] && is_level(model) => 1.0,
            false => thing_scale(size),
        };
        let is_lying = is_lying(model);
        let distance = bounds.distance_squared(Vec3::ZERO).sqrt();
        let is_far = distance > FAR_SIDES * size && distance * scale > MIN_FAR;
        let (center, low) = (bounds.center(), bounds.min);
        let base = if is_lying { center.with_z(low.z) } else { center.with_y(low.y) };
        let (distance, shift) = if is_far { (distance, -base) } else { (0.0, Vec3::ZERO) };
        (scale != 1.0 || is_lying || is_far).then_some(Self { size, scale, is_lying, distance, shift })
    }
}

impl FitGuess {
    /// What is strange, as it follows the name of the model.
    pub fn problems(&self) -> String {
        let mut said = Vec::new();
        if self.scale != 1.0 {
            let (times, what) = if self.scale < 1.0 { (1.0 / self.scale, "large") } else { (self.scale, "small") };
            said.push(format!("looks {} times too {what}: it measures {} m", rounded(times), rounded(self.size)));
        }
        if self.is_lying {
            said.push("lies on its back, with Z up in the file".to_owned());
        }
        if self.distance > 0.0 {
            said.push(format!("stands {} m away from its origin", rounded(self.distance)));
        }
        said.join(" and ")
    }

    /// What would mend it, as an order.
    pub fn remedies(&self) -> String {
        let scale = (self.scale != 1.0).then(|| format!("scale by {}", self.scale));
        let turn = self.is_lying.then(|| "stand it up".to_owned());
        let shift = (self.distance > 0.0).then(|| "bring it near".to_owned());
        scale.into_iter().chain(turn).chain(shift).collect::<Vec<_>>().join(", ")
    }

    /// The warning about a model where something is strange.
    pub fn warning(model: &Model) -> Option<String> {
        let fit = Self::of(model)?;
        // Levels may have any size.
        let unless = if fit.scale < 1.0 && model.clips.is_empty() { "unless it is a level, " } else { "" };
        Some(format!("{unless}it {}; {}", fit.problems(), fit.remedies()))
    }
}

/// A number to two digits that count.
fn rounded(x: f32) -> String {
    let digits = (1.0 - x.abs().max(1e-6).log10().floor()).max(0.0) as usize;
    format!("{x:.digits$}")
}

fn character_scale(size: f32) -> f32 {
    if (CHARACTER_SIZE[0]..=CHARACTER_SIZE[1]).contains(&size) {
        return 1.0;
    }
    let off = |factor: f32| (size * factor / USUAL_HEIGHT).ln().abs();
    CHARACTER_FACTORS.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(1.0)
}

fn thing_scale(size: f32) -> f32 {
    let fits = |factor: &f32| (LIKELY_THING[0]..=LIKELY_THING[1]).contains(&(size * factor));
    let likely = |factors: [f32; 3]| factors.into_iter().find(fits).unwrap_or(factors[2]);
    if size > THING_SIZE[1] {
        likely(SHRINKING_FACTORS)
    } else if size < THING_SIZE[0] {
        likely(GROWING_FACTORS)
    } else {
        1.0
    }
}

/// Whether a model is built of as many parts as levels are.
fn is_level(model: &Model) -> bool {
    let nodes: HashSet<NodeId> = model.meshes.iter().map(|mesh| mesh.node).collect();
    nodes.len() >= MIN_LEVEL_NODES
}

/// Whether the way from the feet to the head goes along Z, in a body that is flat: animals on four legs have their heads in front, but
/// also feet.
fn is_lying(model: &Model) -> bool {
    let (low, size) = (model.rest_bounds.min, model.rest_bounds.size());
    if size.y > LYING_SHARE * size.z {
        return false;
    }
    let places = model.skeleton.rest_model_from_node();
    let named = |words: &[&str]| -> Vec<Vec3> {
        let names = model.skeleton.names.iter().map(|name| name.to_lowercase());
        let found = names.zip(&places).filter(|(name, _)| words.iter().any(|word| name.contains(word)));
        found.map(|(_, at)| at.w_axis.truncate()).collect()
    };
    let middle = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f32;
    let (heads, feet) = (named(&["head"]), named(&["foot", "ankle", "toe"]));
    // Without any, the middle is no number and no direction.
    let up = (middle(&heads) - middle(&feet)).try_normalize();
    up.is_some_and(|up| up.z > UPRIGHT_SHARE) && feet.iter().all(|foot| foot.z < low.z + FOOT_SHARE * size.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Clip, Joint, Mesh, Skeleton};
    use crate::math::{Aabb, Trs};
    use glam::Mat4;

    fn thing(low: Vec3, high: Vec3) -> Model {
        Model { rest_bounds: Aabb::from_points([low, high]), ..Model::default() }
    }

    fn character(head: Vec3) -> Model {
        let place = |translation| Trs { translation, ..Trs::IDENTITY };
        let skeleton = Skeleton {
            names: ["root", "mixamorig:Head", "mixamorig:LeftFoot"].map(String::from).to_vec(),
            parents: vec![None, Some(NodeId(0)), Some(NodeId(0))],
            rest: vec![Trs::IDENTITY, place(head), Trs::IDENTITY],
        };
        let joints = vec![Joint { node: NodeId(1), node_from_mesh: Mat4::IDENTITY }];
        let side = head.length() * 0.1;
        let rest_bounds = Aabb::from_points([Vec3::splat(-side), head + side]);
        Model { skeleton, joints, rest_bounds, clips: vec![Clip::default()], ..Model::default() }
    }

    #[test]
    fn what_is_strange_is_said_in_one_sentence() {
        let fit = FitGuess { size: 180.4, scale: 0.01, is_lying: true, distance: 0.0, shift: Vec3::ZERO };
        assert_eq!(
            fit.problems(),
            "looks 100 times too large: it measures 180 m and lies on its back, with Z up in the file"
        );
        assert_eq!(fit.remedies(), "scale by 0.01, stand it up");
        let fit = FitGuess { size: 0.017, scale: 100.0, is_lying: false, distance: 512.0, shift: Vec3::X };
        assert_eq!(
            fit.problems(),
            "looks 100 times too small: it measures 0.017 m and stands 512 m away from its origin"
        );
        assert_eq!(fit.remedies(), "scale by 100, bring it near");
        let warning = FitGuess::warning(&thing(Vec3::ZERO, Vec3::splat(250.0)));
        assert_eq!(
            warning.as_deref(),
            Some("unless it is a level, it looks 100 times too large: it measures 250 m; scale by 0.01")
        );
        assert_eq!(FitGuess::warning(&Model::default()), None);
    }

    #[test]
    fn animals_with_their_heads_in_front_stand() {
        let mut fox = character(Vec3::new(0.0, 0.1, 1.5));
        assert!(is_lying(&fox), "flat");
        let mut newt = fox.clone();
        fox.rest_bounds = Aabb::from_points([Vec3::new(-0.1, 0.0, -0.2), Vec3::new(0.1, 0.8, 1.6)]);
        assert!(!is_lying(&fox));
        // As long and as low as that, but with feet below its shoulders as well.
        newt.skeleton.names.push("FrontFoot.L".to_owned());
        newt.skeleton.parents.push(Some(NodeId(0)));
        newt.skeleton.rest.push(Trs { translation: Vec3::Z, ..Trs::IDENTITY });
        assert!(!is_lying(&newt));
    }

    #[test]
    fn usual_models_are_left_alone() {
        assert_eq!(FitGuess::of(&Model::default()), None);
        assert_eq!(FitGuess::of(&thing(Vec3::ZERO, Vec3::splat(40.0))), None);
        assert_eq!(FitGuess::of(&thing(Vec3::new(3.0, 0.0, 0.0), Vec3::splat(4.0))), None);
        assert_eq!(FitGuess::of(&character(Vec3::Y * 1.7)), None);
    }

    #[test]
    fn other_units_are_recognized() {
        let scale = |model: &Model| FitGuess::of(model).map(|fit| fit.scale);
        assert_eq!(scale(&character(Vec3::Y * 170.0)), Some(0.01));
        assert_eq!(scale(&character(Vec3::Y * 66.0)), Some(0.0254));
        assert_eq!(scale(&character(Vec3::Y * 0.017)), Some(100.0));
        assert_eq!(scale(&thing(Vec3::ZERO, Vec3::splat(250.0))), Some(0.01));
        assert_eq!(scale(&thing(Vec3::ZERO, Vec3::splat(9000.0))), Some(0.001));
        assert_eq!(scale(&thing(Vec3::ZERO, Vec3::splat(0.004))), Some(100.0));
    }

    #[test]
    fn levels_of_many_parts_may_be_large() {
        let of_parts = |count: u32| {
            let meshes = (0..count).map(|node| Mesh { node: NodeId(node), ..Mesh::default() }).collect();
            FitGuess::of(&Model { meshes, ..thing(Vec3::ZERO, Vec3::splat(250.0)) })
        };
        assert_eq!(of_parts(273), None);
        assert_eq!(of_parts(4).map(|fit| fit.scale), Some(0.01));
    }

    #[test]
    fn characters_on_their_backs_and_models_far_away_are_noticed() {
        let fit = FitGuess::of(&character(Vec3::Z * 1.7)).unwrap();
        assert_eq!((fit.scale, fit.is_lying, fit.shift), (1.0, true, Vec3::ZERO));
        let far = FitGuess::of(&thing(Vec3::new(500.0, 10.0, 0.0), Vec3::new(502.0, 12.0, 2.0))).unwrap();
        assert_eq!((far.scale, far.is_lying, far.shift), (1.0, false, Vec3::new(-501.0, -10.0, -1.0)));
        assert!(far.distance > 499.0);
    }
}
