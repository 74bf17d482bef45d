//! Axes of a file that may be up.

use glam::Vec3;

/// An axis of a file that may be up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpAxis {
    /// As everywhere here.
    Y,
    /// As in Blender, 3ds Max and Unreal.
    Z,
    /// Against z.
    MinusZ,
    /// Along x.
    X,
    /// Against x.
    MinusX,
}

impl UpAxis {
    pub(super) const OTHERS: [Self; 4] = [Self::Z, Self::MinusZ, Self::X, Self::MinusX];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
            Self::MinusZ => "-z",
            Self::X => "x",
            Self::MinusX => "-x",
        }
    }

    /// A place after the turn that brings the axis upwards.
    pub(super) const fn upright(self, p: Vec3) -> Vec3 {
        match self {
            Self::Y => p,
            Self::Z => Vec3::new(p.x, p.z, -p.y),
            Self::MinusZ => Vec3::new(p.x, -p.z, p.y),
            Self::X => Vec3::new(-p.y, p.x, p.z),
            Self::MinusX => Vec3::new(p.y, -p.x, p.z),
        }
    }

    /// Whether both lie along one line.
    pub(super) const fn is_along(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Z | Self::MinusZ, Self::Z | Self::MinusZ)
                | (Self::X | Self::MinusX, Self::X | Self::MinusX)
                | (Self::Y, Self::Y)
        )
    }
}
