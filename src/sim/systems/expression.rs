//! Shows head, face and the layers over the pose: head layers, layers of clips, weights of the morph targets.

use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::head_and_face::HeadAndFace;
use crate::sim::instance::InstanceState;

/// How head and face come to what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    /// At once.
    Snap,
    /// Smoothly, by one step.
    Step,
}

/// Updates head, face and layers of a character and shows them in its pose.
pub fn express(instance: &mut InstanceState, character: &mut CharacterState, approach: Approach) {
    let wanted = HeadAndFace::wanted(&character.params.features, &character.orders, character.look_at);
    match approach {
        Approach::Snap => character.features = wanted,
        Approach::Step => character.features.follow(&wanted),
    }
    if approach == Approach::Step {
        character.layers_secs += f64::from(STEP_SECS);
    }
    for (layer, binding) in instance.now.playback.layers.iter_mut().zip(&*character.binding.layers) {
        *layer = binding.after(character.layers_secs);
    }
    instance.now.playback.head = character.binding.rig.head_layers(character.features.head);
    instance.now.face = character.features.face;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::head_and_face::{FACE_PER_SEC, HEAD_PER_SEC};
    use crate::vocab::FaceExpression;
    use glam::Vec2;

    #[test]
    fn head_and_face_come_smoothly_and_several_at_once() {
        let mut character = CharacterState::default();
        let mut instance = InstanceState::default();
        character.orders.head = Some(Vec2::new(1.0, -9.0));
        character.orders.face = Some((FaceExpression::Angry, 1.0));
        let mut last = character.features;
        for i in 0..60 {
            if i == 20 {
                character.orders.face = Some((FaceExpression::Happy, 0.5));
            }
            express(&mut instance, &mut character, Approach::Step);
            let now = character.features;
            assert!((now.head - last.head).abs().max_element() <= HEAD_PER_SEC * STEP_SECS + 1e-6);
            assert!(now.face.iter().zip(&last.face).all(|(a, b)| (a - b).abs() <= FACE_PER_SEC * STEP_SECS + 1e-6));
            if i == 24 {
                assert!(now.face[0] > 0.1 && now.face[3] > 0.1, "the one goes while the other comes");
            }
            last = now;
        }
        assert_eq!((last.head, last.face), (Vec2::new(1.0, -1.0), [0.0, 0.0, 0.0, 0.5]));
        character.orders.face = Some((FaceExpression::None, f32::NAN));
        express(&mut instance, &mut character, Approach::Snap);
        assert_eq!(instance.now.face, [0.0; 4]);
    }
}
