//! The bones of a human body, as VRM and game engines name them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A side of the body, as its owner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Left.
    Left,
    /// Right.
    Right,
}

impl Side {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A bone of an arm or a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Limb {
    /// Collar bone.
    Shoulder,
    /// Upper arm.
    UpperArm,
    /// Forearm.
    LowerArm,
    /// Hand.
    Hand,
    /// Thigh.
    UpperLeg,
    /// Shin.
    LowerLeg,
    /// Foot, from the ankle on.
    Foot,
    /// Toes, from the ball of the foot on.
    Toes,
}

/// A finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Finger {
    /// Thumb.
    Thumb,
    /// Index finger.
    Index,
    /// Middle finger.
    Middle,
    /// Ring finger.
    Ring,
    /// Little finger.
    Little,
}

/// A bone of a finger, from the hand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phalanx {
    /// The first.
    Proximal,
    /// The second.
    Intermediate,
    /// The last.
    Distal,
}

/// A bone of a human body; in their order parents stand before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HumanBone {
    /// Pelvis, which carries the body.
    Hips,
    /// Lowest bone of the back.
    Spine,
    /// Bone of the back in the middle.
    Chest,
    /// Uppermost bone of the back, where there are three.
    UpperChest,
    /// Neck.
    Neck,
    /// Head.
    Head,
    /// Bone of an arm or a leg.
    Limb(Side, Limb),
    /// Bone of a finger.
    Finger(Side, Finger, Phalanx),
}

const SIDES: [(Side, &str); 2] = [(Side::Left, "left"), (Side::Right, "right")];
const TRUNK: [(HumanBone, &str); 6] = [
    (HumanBone::Hips, "hips"),
    (HumanBone::Spine, "spine"),
    (HumanBone::Chest, "chest"),
    (HumanBone::UpperChest, "upper-chest"),
    (HumanBone::Neck, "neck"),
    (HumanBone::Head, "head"),
];
const LIMBS: [(Limb, &str); 8] = [
    (Limb::Shoulder, "shoulder"),
    (Limb::UpperArm, "upper-arm"),
    (Limb::LowerArm, "lower-arm"),
    (Limb::Hand, "hand"),
    (Limb::UpperLeg, "upper-leg"),
    (Limb::LowerLeg, "lower-leg"),
    (Limb::Foot, "foot"),
    (Limb::Toes, "toes"),
];
const FINGERS: [(Finger, &str); 5] = [
    (Finger::Thumb, "thumb"),
    (Finger::Index, "index"),
    (Finger::Middle, "middle"),
    (Finger::Ring, "ring"),
    (Finger::Little, "little"),
];
const PHALANGES: [(Phalanx, &str); 3] =
    [(Phalanx::Proximal, "proximal"), (Phalanx::Intermediate, "intermediate"), (Phalanx::Distal, "distal")];

impl Finger {
    /// All five, the thumb first.
    pub const ALL: [Self; 5] = [Self::Thumb, Self::Index, Self::Middle, Self::Ring, Self::Little];
}

impl Phalanx {
    /// All three, from the hand on.
    pub const ALL: [Self; 3] = [Self::Proximal, Self::Intermediate, Self::Distal];
}

impl HumanBone {
    /// All bones, parents before children.
    pub fn all() -> impl Iterator<Item = Self> {
        let limbs = SIDES.into_iter().flat_map(|(side, _)| LIMBS.into_iter().map(move |(l, _)| Self::Limb(side, l)));
        let fingers = SIDES.into_iter().flat_map(|(side, _)| {
            FINGERS.into_iter().flat_map(move |(finger, _)| Phalanx::ALL.map(|p| Self::Finger(side, finger, p)))
        });
        TRUNK.into_iter().map(|(bone, _)| bone).chain(limbs).chain(fingers)
    }

    /// The bone of a limb or a finger that this one points to; `None` of the trunk and of bones at the end.
    pub fn next_along(self) -> Option<Self> {
        match self {
            Self::Limb(side, Limb::UpperArm) => Some(Self::Limb(side, Limb::LowerArm)),
            Self::Limb(side, Limb::LowerArm) => Some(Self::Limb(side, Limb::Hand)),
            Self::Limb(side, Limb::UpperLeg) => Some(Self::Limb(side, Limb::LowerLeg)),
            Self::Limb(side, Limb::LowerLeg) => Some(Self::Limb(side, Limb::Foot)),
            Self::Finger(side, finger, Phalanx::Proximal) => Some(Self::Finger(side, finger, Phalanx::Intermediate)),
            Self::Finger(side, finger, Phalanx::Intermediate) => Some(Self::Finger(side, finger, Phalanx::Distal)),
            _ => None,
        }
    }

    /// The bone that this one hangs from in a body that has all; `None` for the hips.
    pub fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Hips => return None,
            Self::Spine => Self::Hips,
            Self::Chest => Self::Spine,
            Self::UpperChest => Self::Chest,
            Self::Neck => Self::UpperChest,
            Self::Head => Self::Neck,
            Self::Limb(side, limb) => match limb {
                Limb::Shoulder => Self::UpperChest,
                Limb::UpperArm => Self::Limb(side, Limb::Shoulder),
                Limb::LowerArm => Self::Limb(side, Limb::UpperArm),
                Limb::Hand => Self::Limb(side, Limb::LowerArm),
                Limb::UpperLeg => Self::Hips,
                Limb::LowerLeg => Self::Limb(side, Limb::UpperLeg),
                Limb::Foot => Self::Limb(side, Limb::LowerLeg),
                Limb::Toes => Self::Limb(side, Limb::Foot),
            },
            Self::Finger(side, finger, phalanx) => match phalanx {
                Phalanx::Proximal => Self::Limb(side, Limb::Hand),
                Phalanx::Intermediate => Self::Finger(side, finger, Phalanx::Proximal),
                Phalanx::Distal => Self::Finger(side, finger, Phalanx::Intermediate),
            },
        })
    }
}

fn name_of<T: PartialEq + Copy>(table: &[(T, &'static str)], one: T) -> &'static str {
    table.iter().find(|(other, _)| *other == one).map_or("", |(_, name)| name)
}

impl fmt::Display for HumanBone {
    /// Its name in files: `left-upper-leg`, `right-index-distal`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Limb(side, limb) => write!(f, "{}-{}", name_of(&SIDES, side), name_of(&LIMBS, limb)),
            Self::Finger(side, finger, phalanx) => {
                let [finger, phalanx] = [name_of(&FINGERS, finger), name_of(&PHALANGES, phalanx)];
                write!(f, "{}-{finger}-{phalanx}", name_of(&SIDES, side))
            }
            trunk => f.write_str(name_of(&TRUNK, trunk)),
        }
    }
}

/// Names of nodes by the bones that they are; an empty name says that there is none.
pub type BoneNames = BTreeMap<HumanBone, String>;

/// A name that is none of a bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no bone of a human body has this name; bones are hips, spine, chest, neck, head, left-upper-leg and so on")]
pub struct UnknownBone;

impl FromStr for HumanBone {
    type Err = UnknownBone;

    fn from_str(name: &str) -> Result<Self, UnknownBone> {
        Self::all().find(|bone| bone.to_string() == name).ok_or(UnknownBone)
    }
}
