//! The doctor: finds what is wrong with a level or a navigation mesh, and why there is no path.
//!
//! [`examine_mesh`] reads a mesh as it lies in a file, also one that validation refuses. [`examine_level`] reads the
//! triangles of a level for one size of agent. Both give [`Finding`]s: what, where, how large, the cause and a remedy.

mod barriers;
mod finding;
mod level_shape;
mod mesh_reach;
mod mesh_shape;
mod overlaps;
mod probe;
mod seams;
mod span_graph;

use glam::{DVec3, Vec3};

use crate::nav::bake::{BakeError, BakeSettings};
use crate::nav::mesh::MeshFile;

pub use barriers::{Barrier, NoPath, why_no_path};
pub use finding::{Fault, Finding, Mend};

/// A place where somebody shall go, with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTarget {
    /// Its name, for the finding.
    pub name: String,
    /// In the world.
    pub position: DVec3,
}

/// For whom a level or mesh is examined. Metres and radians.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentLimits {
    /// Half the width of the agent.
    pub radius: f32,
    /// Free height that it needs.
    pub height: f32,
    /// Highest step.
    pub climb: f32,
    /// Steepest slope.
    pub slope_rad: f32,
    /// Widest gap that it jumps.
    pub jump: f32,
    /// Whether links are found where it can jump.
    pub has_links: bool,
}

impl From<&BakeSettings> for AgentLimits {
    fn from(settings: &BakeSettings) -> Self {
        Self {
            radius: settings.agent_radius,
            height: settings.agent_height,
            climb: settings.agent_climb,
            slope_rad: settings.slope_rad,
            jump: settings.links.as_ref().map_or(1.0, |links| links.max_gap),
            has_links: settings.links.is_some(),
        }
    }
}

/// Examines a mesh as it lies in a file, with its links and the places where somebody shall go.
pub fn examine_mesh(file: &MeshFile, limits: &AgentLimits, targets: &[NamedTarget]) -> Vec<Finding> {
    let (mut findings, sound) = mesh_shape::examine(file, limits);
    findings.extend(seams::examine(&file.mesh));
    findings.extend(overlaps::examine(&file.mesh, limits));
    findings.extend(mesh_reach::examine(&sound, &file.links, limits, targets));
    finding::sorted(findings)
}

/// Examines the triangles of a level, world space, counter-clockwise as seen from above where they face up.
///
/// # Errors
/// The limits are out of range, a corner is not finite, or the level is too large to be laid out in cells.
pub fn examine_level(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Result<Vec<Finding>, BakeError> {
    let mut findings = level_shape::examine(triangles, limits);
    if !findings.iter().any(|f| f.fault == Fault::Units) {
        findings.extend(barriers::examine(triangles, limits)?);
    }
    Ok(finding::sorted(findings))
}
