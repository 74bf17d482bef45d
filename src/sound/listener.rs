//! How loud and from which side the listener hears something.

use glam::Vec3;

/// Farthest sound that is heard, metres.
pub const EARSHOT: f32 = 28.0;
/// Distance up to which a sound is as loud as it gets, metres.
const NEAR: f32 = 2.5;

/// Where the listener is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listener {
    /// World space.
    pub position: Vec3,
    /// Unit direction to the right.
    pub right: Vec3,
}

/// A sound as it is heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Amplitude, 0…1.
    pub volume: f32,
    /// -1 left … 1 right.
    pub pan: f32,
    /// Metres.
    pub distance: f32,
}

impl Listener {
    /// How something at a place is heard; `None` out of earshot.
    pub fn hear(&self, position: Vec3) -> Option<Heard> {
        self.hear_within(position, EARSHOT)
    }

    /// The same for something that is heard up to `reach` metres.
    pub fn hear_within(&self, position: Vec3, reach: f32) -> Option<Heard> {
        let toward = position - self.position;
        let distance = toward.length();
        // A distance that is not finite is out of earshot.
        (distance < reach).then(|| {
            let near = NEAR.min(reach);
            let pan = 0.8 * (self.right.dot(toward) / distance.max(1.0)).clamp(-1.0, 1.0);
            Heard { volume: (near / distance.max(near)) * (1.0 - distance / reach), pan, distance }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_sounds_are_loud_and_come_from_their_side() {
        let listener = Listener { position: Vec3::new(5.0, 1.7, 0.0), right: Vec3::X };
        let [near, right, far] =
            [Vec3::new(5.0, 0.0, -2.0), Vec3::new(9.0, 0.0, -4.0), Vec3::X * 500.0].map(|at| listener.hear(at));
        let (near, right) = (near.unwrap(), right.unwrap());
        assert_eq!(far, None);
        assert!(near.volume > 1.5 * right.volume && right.volume > 0.0, "{near:?} {right:?}");
        assert!(near.pan.abs() < 1e-3 && right.pan > 0.3, "{near:?} {right:?}");
        assert_eq!(listener.hear(Vec3::NAN), None);
    }
}
