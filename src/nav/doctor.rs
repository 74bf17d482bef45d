//! The doctor: finds what is wrong with a level or a navigation mesh, and why there is no path.
//!
//! [`examine_mesh`] reads a mesh as it lies in a file, also one that validation refuses. [`examine_level`] reads the
//! triangles of a level for one size of agent. Both give [`Finding`]s: what, where, how large, the cause and a remedy.

mod alike;
mod axis;
mod barriers;
mod blockers;
mod closed_bodies;
mod doorways;
mod far_ground;
mod finding;
mod flights;
mod ground_gap;
mod inside_out;
mod layered_rects;
mod level_shape;
mod limits;
mod measures;
mod mesh_crossings;
mod mesh_doors;
mod mesh_reach;
mod mesh_refusals;
mod mesh_shape;
mod mesh_why;
mod near_places;
mod necks;
mod no_ground;
mod open_edges;
mod outlines;
mod overlaps;
mod probe;
mod roofs;
mod scale_evidence;
mod seams;
mod span_graph;
mod spikes;
mod units;
mod up_axis;
mod watch;
mod welded;

use glam::{DVec3, Vec3};

use crate::nav::exchange::MeshPlacement;
use crate::nav::mesh::MeshFile;
use crate::nav::mesh::off_mesh::PlacedLink;

pub use axis::UpAxis;
pub use barriers::{Barrier, PathAnswer, why_no_path, why_no_path_until};
pub use blockers::{Blocker, what_blocks};
pub use finding::{FaultKind, Finding, MAX_LISTED, Mend, MeshExamination};
pub use limits::{AgentLimits, NamedTarget};
pub use mesh_reach::link_on_mesh;
pub use no_ground::area_facing_down;
pub use span_graph::coarse_cells;
pub use watch::{DoctorError, DoctorStep, DoctorWatch};

use welded::Welded;

/// Examines a mesh as it lies in a file, with its links and the places that agents are sent to.
pub fn examine_mesh(file: &MeshFile, limits: &AgentLimits, targets: &[NamedTarget]) -> Vec<Finding> {
    // What nothing stops has findings.
    let (read, watch) = (MeshPlacement::default(), DoctorWatch::default());
    examine_mesh_until((file, &read), None, limits, targets, &watch).unwrap_or_default().findings
}

/// As [`examine_mesh`], watched, of a mesh that was read with a placement. Where the polygons that the file lists are joined as it is read, `listed` are those: their
/// shape, seams and overlaps are examined there, and what can be reached on the mesh that is made of them.
///
/// # Errors
/// It was stopped.
pub fn examine_mesh_until(
    (file, placement): (&MeshFile, &MeshPlacement),
    listed: Option<&MeshFile>,
    limits: &AgentLimits,
    targets: &[NamedTarget],
    watch: &DoctorWatch<'_>,
) -> Result<MeshExamination, DoctorError> {
    watch.begin(DoctorStep::Mesh)?;
    if let Some(lying) = mesh_refusals::on_its_side(&listed.unwrap_or(file).mesh, placement) {
        return Ok(MeshExamination { findings: vec![lying], passed_over: None });
    }
    let (mut findings, mut sound) = match listed {
        Some(listed) => mesh_refusals::examine_listed(listed, limits),
        None => mesh_refusals::examine_shape(file, limits),
    };
    let examined = &listed.unwrap_or(file).mesh;
    // A file that says for whom it was made says in which unit.
    if file.values.is_none()
        && let Some(unit) = units::examine_mesh(examined, limits, placement)
    {
        return Ok(MeshExamination { findings: vec![unit], passed_over: None });
    }
    findings.extend(seams::examine(examined, limits, watch)?);
    let (found, mut overlaps) = overlaps::examine(examined, limits, watch)?;
    findings.extend(found);
    if listed.is_some() {
        (_, sound) = mesh_refusals::examine_shape(file, limits);
        (_, overlaps) = overlaps::examine(&file.mesh, limits, watch)?;
    }
    watch.begin(DoctorStep::Reach)?;
    let reach = mesh_reach::examine(&sound, file, limits, targets, &mut overlaps);
    findings.extend(reach.findings);
    watch.check()?;
    Ok(MeshExamination { findings: finding::sorted(findings), passed_over: reach.passed_over })
}

/// Why an agent cannot walk from one place of a mesh to another: the islands between, and what parts them where they come
/// nearest. A mesh tells steps, gaps, barred polygons and links of one way; slopes, ceilings and narrow passages only
/// [its level](why_no_path) does.
pub fn why_no_path_on_mesh(file: &MeshFile, limits: &AgentLimits, ends: [DVec3; 2]) -> PathAnswer {
    why_no_path_on_placed((file, &MeshPlacement::default()), limits, ends)
}

/// As [`why_no_path_on_mesh`], on a mesh that was read with a placement.
pub fn why_no_path_on_placed(
    (file, placement): (&MeshFile, &MeshPlacement),
    limits: &AgentLimits,
    ends: [DVec3; 2],
) -> PathAnswer {
    let (found, sound) = mesh_refusals::examine_shape(file, limits);
    let answer = mesh_why::why_no_path(&sound, file, limits, ends);
    if answer.barrier != Barrier::None {
        return answer;
    }
    let is_refusal = |f: &Finding| matches!(f.fault, FaultKind::BadPolygon | FaultKind::NoGround);
    let refusal = mesh_refusals::on_its_side(&file.mesh, placement).or_else(|| found.into_iter().find(is_refusal));
    refusal.map_or(answer, |refusal| PathAnswer::of(vec![refusal]))
}

/// Examines the triangles of a level, world space, counter-clockwise as seen from above where they face up.
///
/// # Errors
/// The limits are out of range, a corner is not finite, or the level is too large to be laid out in cells.
pub fn examine_level(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Result<Vec<Finding>, DoctorError> {
    examine_level_until(triangles, &[], limits, &DoctorWatch::default())
}

/// Examines how a level was exported: whether it is in another unit than metres, and whether another axis than y is up in it.
///
/// # Errors
/// It was stopped.
pub fn examine_export(
    triangles: &[[Vec3; 3]],
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    let unit = units::examine(&Welded::new(triangles, watch)?, limits);
    let lying = up_axis::lies_on_side(triangles, unit.as_ref(), limits, watch)?;
    Ok(lying.unwrap_or(unit.into_iter().collect()))
}

/// As [`examine_level`], watched, of a level over which links lead.
///
/// # Errors
/// As [`examine_level`], or it was stopped.
pub fn examine_level_until(
    triangles: &[[Vec3; 3]],
    links: &[PlacedLink],
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    watch.begin(DoctorStep::Shape)?;
    let welded = Welded::new(triangles, watch)?;
    let mut findings = level_shape::examine(&welded, limits, watch)?;
    let inside_out = no_ground::inside_out(&welded, limits);
    drop(welded);
    if let Some(inside_out) = inside_out {
        // What one walks on in it is none of what is meant to be ground.
        findings.retain(|f| f.fault != FaultKind::Flipped);
        findings.push(inside_out);
        return Ok(finding::sorted(findings));
    }
    // Of another unit nothing can be measured; one object in another is beside the rest.
    let unit = findings.iter().find(|f| f.fault == FaultKind::Units && f.mend.is_some());
    if let Some(lying) = up_axis::lies_on_side(triangles, unit, limits, watch)? {
        // What it looks like as it lies is none of what is meant.
        return Ok(lying);
    }
    if unit.is_none() {
        findings.extend(barriers::examine(triangles, links, limits, watch)?);
    }
    Ok(finding::sorted(findings))
}
