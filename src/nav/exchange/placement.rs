//! Which axes of a file are ours, and how long its unit is: what a user says about a file that its format does not.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{ExchangeError, ForeignMesh, Joining};
use crate::nav::mesh::MeshFile;
use crate::nav::mesh::off_mesh::PlacedLink;

/// One axis of a file, forwards or backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileAxis {
    axis: usize,
    is_negative: bool,
}

/// Which axes of a file are x (right), y (up) and z (towards the viewer).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileAxes([FileAxis; 3]);

/// A text that names no axes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' names no axes; give the file's axes that are right, up and towards the viewer, each once, such as x,z,-y"
)]
pub struct AxesError(String);

impl Default for FileAxes {
    fn default() -> Self {
        Self([0, 1, 2].map(|axis| FileAxis { axis, is_negative: false }))
    }
}

impl FromStr for FileAxes {
    type Err = AxesError;

    fn from_str(text: &str) -> Result<Self, AxesError> {
        let axis = |part: &str| {
            let part = part.trim();
            let (is_negative, name) = part.strip_prefix('-').map_or((false, part), |name| (true, name));
            let axis = ["x", "y", "z"].iter().position(|known| name.eq_ignore_ascii_case(known))?;
            Some(FileAxis { axis, is_negative })
        };
        let axes: Option<Vec<FileAxis>> = text.split(',').map(axis).collect();
        let axes = axes.and_then(|all| <[FileAxis; 3]>::try_from(all).ok());
        let is_whole = |axes: &[FileAxis; 3]| (0..3).all(|n| axes.iter().any(|a| a.axis == n));
        axes.filter(is_whole).map(Self).ok_or_else(|| AxesError(text.to_owned()))
    }
}

impl FileAxes {
    /// The axes by which a file is read where `turn` are those of what is read of it by these.
    #[must_use]
    pub fn turned(self, turn: Self) -> Self {
        let of_file = |turn: FileAxis| {
            let FileAxis { axis, is_negative } = self.0[turn.axis];
            FileAxis { axis, is_negative: is_negative ^ turn.is_negative }
        };
        Self(turn.0.map(of_file))
    }
}

impl fmt::Display for FileAxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |a: FileAxis| format!("{}{}", if a.is_negative { "-" } else { "" }, ["x", "y", "z"][a.axis]);
        f.write_str(&self.0.map(name).join(","))
    }
}

impl TryFrom<String> for FileAxes {
    type Error = AxesError;

    fn try_from(text: String) -> Result<Self, AxesError> {
        text.parse()
    }
}

impl From<FileAxes> for String {
    fn from(axes: FileAxes) -> Self {
        axes.to_string()
    }
}

/// How what is read of a file is turned and scaled, on top of what its format says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeshPlacement {
    /// Its axes.
    pub axes: FileAxes,
    /// Metres to its unit.
    pub scale: f64,
}

impl Default for MeshPlacement {
    fn default() -> Self {
        Self { axes: FileAxes::default(), scale: 1.0 }
    }
}

impl MeshPlacement {
    /// Smallest and largest scale.
    pub const SCALES: [f64; 2] = [1e-6, 1e6];

    /// Whether the scale is one that is taken.
    pub fn is_valid(&self) -> bool {
        (Self::SCALES[0]..=Self::SCALES[1]).contains(&self.scale)
    }

    /// Whether nothing is changed.
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    fn is_mirror(&self) -> bool {
        let axes = self.axes.0;
        let is_odd = [[0, 1], [0, 2], [1, 2]].iter().filter(|[i, k]| axes[*i].axis > axes[*k].axis).count() % 2 == 1;
        is_odd ^ (axes.iter().filter(|a| a.is_negative).count() % 2 == 1)
    }

    fn apply(&self, point: &mut DVec3) {
        let part = |a: FileAxis| if a.is_negative { -point[a.axis] } else { point[a.axis] };
        *point = DVec3::from_array(self.axes.0.map(part)) * self.scale;
    }

    fn apply_to_link(&self, link: &mut PlacedLink) {
        [&mut link.start, &mut link.end].into_iter().for_each(|end| self.apply(end));
        link.reach *= self.scale as f32;
    }

    /// Places the mesh of another program.
    ///
    /// # Errors
    /// The scale is out of range.
    pub(super) fn place_foreign(&self, mesh: &mut ForeignMesh) -> Result<(), ExchangeError> {
        self.check()?;
        for polygon in &mut mesh.polygons {
            polygon.corners.iter_mut().chain(polygon.detail.as_flattened_mut()).for_each(|p| self.apply(p));
        }
        mesh.listed.iter_mut().flat_map(|part| &mut part.vertices).for_each(|p| self.apply(p));
        mesh.links.iter_mut().for_each(|link| self.apply_to_link(link));
        mesh.agent_radius = mesh.agent_radius.map(|radius| radius * self.scale as f32);
        mesh.cover.iter_mut().for_each(|p| self.apply(p));
        mesh.regions.iter_mut().for_each(|regions| regions.margin *= self.scale);
        mesh.detour.iter_mut().for_each(|values| values.scale(self.scale as f32));
        if let Joining::Explicit { climb, .. } = &mut mesh.joining {
            *climb *= self.scale;
        }
        Ok(())
    }

    /// Places a mesh of ours.
    ///
    /// # Errors
    /// The scale is out of range.
    pub(super) fn place_own(&self, file: &mut MeshFile) -> Result<(), ExchangeError> {
        self.check()?;
        file.mesh.vertices.iter_mut().for_each(|p| self.apply(p));
        file.links.iter_mut().for_each(|link| self.apply_to_link(link));
        file.values.iter_mut().for_each(|values| values.scale(self.scale as f32));
        if let Some(detail) = &mut file.detail {
            detail.points.iter_mut().for_each(|p| self.apply(p));
            if self.is_mirror() {
                detail.triangles.iter_mut().for_each(|t| t.swap(1, 2));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ExchangeError> {
        let [low, high] = Self::SCALES;
        let text =
            || ExchangeError::Text(format!("a scale of {} is none; give a number from {low} to {high}", self.scale));
        self.is_valid().then_some(()).ok_or_else(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::off_mesh::LinkKind;

    #[test]
    fn axes_are_read_as_they_are_written() {
        for text in ["x,y,z", "x,z,-y", "-x,z,-y", "z,-x,y"] {
            assert_eq!(text.parse::<FileAxes>().unwrap().to_string(), text);
        }
        for text in ["", "x,y", "x,y,y", "x,y,w", "x,y,z,x", "--x,y,z"] {
            assert!(text.parse::<FileAxes>().is_err(), "{text}");
        }
        let mirror = |text: &str| MeshPlacement { axes: text.parse().unwrap(), scale: 1.0 }.is_mirror();
        assert!(!mirror("x,z,-y") && mirror("-x,z,-y") && mirror("x,y,-z") && mirror("x,z,y") && !mirror("y,z,x"));
        let turned =
            |text: &str, turn: &str| text.parse::<FileAxes>().unwrap().turned(turn.parse().unwrap()).to_string();
        assert_eq!(turned("x,y,z", "x,z,-y"), "x,z,-y");
        assert_eq!(turned("x,z,-y", "x,-z,y"), "x,y,z");
        assert_eq!(turned("z,-x,y", "-y,x,z"), "x,z,y");
        let mut point = DVec3::new(1.0, 2.0, 3.0);
        MeshPlacement { axes: "x,z,-y".parse().unwrap(), scale: 0.5 }.apply(&mut point);
        assert_eq!(point, DVec3::new(0.5, 1.5, -1.0));
    }

    #[test]
    fn all_lengths_of_a_mesh_are_scaled() {
        let placement = MeshPlacement { scale: 0.5, ..MeshPlacement::default() };
        let link = PlacedLink::new(LinkKind::Jump, [DVec3::ZERO, DVec3::X], 2.0);
        let joining = Joining::Explicit { joints: Vec::new(), climb: 1.0 };
        let mut mesh = ForeignMesh::new(String::new(), joining);
        (mesh.links, mesh.agent_radius) = (vec![link.clone()], Some(0.75));
        placement.place_foreign(&mut mesh).unwrap();
        assert_eq!((mesh.links[0].reach, mesh.links[0].end, mesh.agent_radius), (1.0, DVec3::X * 0.5, Some(0.375)));
        let mut file = MeshFile { links: vec![link], ..MeshFile::default() };
        placement.place_own(&mut file).unwrap();
        assert_eq!(file.links, mesh.links);
    }
}
