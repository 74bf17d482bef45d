//! RecastDemo's test cases for `walkabout nav-test`: paths and rays on the mesh of the level that their file names, baked
//! by the settings of its geometry set, or by RecastDemo's defaults.

use super::case_result::CaseResult;
use super::level::bake_level;
use crate::disk::read_text;
use crate::nav::exchange::recast_demo::{
    DemoCase, DemoQuestion, find_level, flags_of_area, is_demo_cases, read_demo_cases,
};
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::planner::{Planner, PlannerContext, Query};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::nav::query::raycast::raycast;
use anyhow::{Context, anyhow, bail};
use glam::Vec3;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Largest file that is read, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The mesh of a level.
struct DemoLevel {
    mesh: NavMesh,
    links: OffMeshLinks,
}

/// The level that a file of RecastDemo's test cases names; `None` where it is none, or the level is not there.
pub fn level_of(file: &Path) -> Option<PathBuf> {
    let text = read_text(file, MAX_BYTES).ok().filter(|text| is_demo_cases(text))?;
    find_level(file, &read_demo_cases(&text).ok()?.level)
}

/// Runs the cases of a file; `None` where it is none of RecastDemo's.
///
/// # Errors
/// The file is damaged or has no cases, or its level is not there or has no ground.
pub fn run(file: &Path) -> anyhow::Result<Option<Vec<CaseResult>>> {
    // What cannot be read is named by the reader of our own cases.
    let Ok(text) = read_text(file, MAX_BYTES) else { return Ok(None) };
    if !is_demo_cases(&text) {
        return Ok(None);
    }
    let say = || format!("test cases not read. File: {}", file.display());
    let cases = read_demo_cases(&text).with_context(say)?;
    if cases.cases.is_empty() {
        bail!("there are no test cases to run; add lines `pf` or `rc`. File: {}", file.display());
    }
    let path = find_level(file, &cases.level).ok_or_else(|| {
        let places = "neither beside the file nor in a folder Meshes there or above";
        anyhow!("the level {} was found {places}; put it there. File: {}", cases.level, file.display())
    })?;
    let level = DemoLevel::bake(&path).with_context(|| format!("level not baked: {}", path.display()))?;
    let numbered = cases.cases.iter().enumerate();
    Ok(Some(numbered.map(|(i, case)| level.answer(case, file, i + 1)).collect()))
}

impl DemoLevel {
    fn bake(path: &Path) -> anyhow::Result<Self> {
        let mut baked = bake_level(path, |_| {})?;
        for polygon in &mut baked.mesh.polygons {
            polygon.flags = flags_of_area(polygon.area);
        }
        let (mesh, links) = baked.check()?;
        Ok(Self { mesh, links })
    }

    fn answer(&self, case: &DemoCase, file: &Path, number: usize) -> CaseResult {
        let what = match case.question {
            DemoQuestion::Path => "path",
            DemoQuestion::Ray => "ray",
        };
        let mut result = CaseResult::new(file, format!("{what} {number}"));
        let filter = Filter { include: case.include, exclude: case.exclude, ..Filter::default() };
        let mesh = &self.mesh;
        let [start, end] = case.ends.map(|p| mesh.local(p.as_dvec3()));
        let on = |p: Vec3| nearest(mesh, p, &SearchExtents::default(), &filter).map(|near| near.nav_point());
        let (Some(from), Some(to)) = (on(start), on(end)) else {
            let which = if on(start).is_none() { "start" } else { "end" };
            result.failure = Some(format!("the {which} is off the navigation mesh; move it, or mend the level"));
            return result;
        };
        let begin = Instant::now();
        match case.question {
            DemoQuestion::Path => {
                let query = Query { links: Some(&self.links), skip_polygons: true, ..Query::new(from, to, &filter) };
                let found = Planner::Funnel.find(&mut PlannerContext::default(), mesh, &query);
                result.expanded = found.expanded;
                result.reason = found.reason.map(|reason| reason.to_string());
                result.length = result.reason.is_none().then_some(found.length);
                let wrong = |reason: &String| format!("there is no path: {reason}; mend the level");
                result.failure = result.reason.as_ref().map(wrong);
            }
            DemoQuestion::Ray => {
                let hit = raycast(mesh, from, end, &filter, |_| {});
                result.length = Some(f64::from(hit.point(mesh, from.point, end).distance(from.point)));
                result.reason = hit.wall.map(|_| "a wall ends it".into());
            }
        }
        result.micros = begin.elapsed().as_secs_f64() * 1e6;
        result.passed = result.failure.is_none();
        result
    }
}
