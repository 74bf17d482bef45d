//! Why no path leads from one place of a mesh to another: what is between its parts where they come nearest.

use std::collections::BTreeSet;

use glam::DVec3;

use super::barriers::{Barrier, Passage, PathAnswer, WayOut, fewest_ways};
use super::finding::{FaultKind, Finding};
use super::limits::AgentLimits;
use super::mesh_crossings::{IslandBorders, NOWHERE, NearestCrossing, crossing_finding, slope_between};
use super::mesh_doors::WideGround;
use super::mesh_reach::{SnappedPoint, snapped_ends, validated};
use super::mesh_shape::SoundMesh;
use crate::math::plan;
use crate::nav::mesh::off_mesh::PlacedLink;
use crate::nav::mesh::{MeshFile, NONE, NavMesh, PolyId};
use crate::nav::query::island_gap::island_gap;
use crate::nav::query::nearest::SearchExtents;

/// A way from one part of a mesh to another.
enum MeshWay {
    /// The passage with this number.
    Passage(usize),
    /// Over what parts two borders.
    Crossing(Box<NearestCrossing>),
}

/// What is between two places of a mesh.
pub(super) fn why_no_path(sound: &SoundMesh, file: &MeshFile, limits: &AgentLimits, ends: [DVec3; 2]) -> PathAnswer {
    let Some(valid) = validated(sound, file) else { return off_ground(0, None) };
    let parts = WalkedParts::of(&valid);
    let reach = SearchExtents::default().half_extents.x;
    let ends = match ends.map(|end| SnappedPoint::near(&valid, end, reach)) {
        [Ok(start), Ok(goal)] => [start.polygon, goal.polygon],
        [start, goal] => {
            let end = usize::from(start.is_ok());
            let place = [start, goal].into_iter().find_map(Result::err);
            return off_ground(end, place.and_then(|place| barred_at(&valid, place)));
        }
    };
    // Wide agents do not get through all ways within a part.
    let wider = WalkedParts::wide(&valid, &parts, limits);
    let is_wide = wider.is_some();
    let (wide, mut passages) = wider.unwrap_or((parts.clone(), Vec::new()));
    passages.extend(wide.barred_passages(&valid));
    for (number, link) in file.links.iter().enumerate() {
        let there = wide.link_passage(&valid, link);
        passages.extend(there.into_iter().flat_map(|parts| Passage::over_link(number, link, parts)));
    }
    let mut part_of = vec![NOWHERE; sound.mesh.polygons.len()];
    let mut wide_of = part_of.clone();
    for id in valid.live_polygons() {
        let number = valid.source(id) as usize;
        (part_of[number], wide_of[number]) = (parts.of[id.index()], wide.of[id.index()]);
    }
    let borders = IslandBorders::new(&sound.mesh, &part_of, limits);
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); wide.count];
    passages.iter().enumerate().for_each(|(number, passage)| leaving[passage.parts[0]].push(number));
    let mut islands_in: Vec<Vec<usize>> = vec![Vec::new(); wide.count];
    for (&island, &part) in part_of.iter().zip(&wide_of).filter(|(island, _)| **island != NOWHERE) {
        islands_in[part].push(island);
    }
    islands_in.iter_mut().for_each(|islands| {
        islands.sort_unstable();
        islands.dedup();
    });
    // Crossings are looked for around what is reached alone: in piles of polygons there are very many.
    let ways_out = |at: usize, is_useful: &dyn Fn(usize) -> bool| {
        let mut ways: Vec<WayOut<MeshWay>> = Vec::new();
        for &number in &leaving[at] {
            let Passage { parts, finding } = &passages[number];
            ways.push(WayOut { to: parts[1], is_free: finding.is_none(), way: MeshWay::Passage(number) });
        }
        for &island in &islands_in[at] {
            // Where passages are too narrow an island is several parts.
            let is_wanted = |other: usize| is_wide || is_useful(other);
            for (_, crossing) in borders.near_island(island, is_wanted) {
                let [from, to] = crossing.polygons().map(|polygon| wide_of[polygon]);
                if from == at && is_useful(to) && !crossing.is_over_ground(&valid, limits.climb) {
                    ways.push(WayOut { to, is_free: false, way: MeshWay::Crossing(Box::new(crossing)) });
                }
            }
        }
        ways
    };
    let told = |way: MeshWay| match way {
        MeshWay::Passage(number) => passages[number].finding.clone(),
        MeshWay::Crossing(crossing) => Some(crossing_finding(&crossing, "The ground ends", 0.0, limits)),
    };
    let [start, goal] = ends.map(|polygon| wide.of[polygon.index()]);
    if let Some(way) = fewest_ways(wide.count, [start, goal], ways_out) {
        return PathAnswer::of(way.into_iter().filter_map(told).collect());
    }
    let islands = ends.map(|polygon| valid.polygon(polygon).island);
    let gap = island_gap(&valid, (islands[0], islands[1]));
    let nearest = gap.map_or(String::new(), |gap| format!(": {gap}"));
    let slope = gap.map_or(String::new(), |gap| slope_between(gap.width(), gap.rise().abs(), limits));
    let text =
        format!("The start and the goal are on islands that nothing an agent nearly can do joins{nearest}.{slope}");
    PathAnswer { barrier: Barrier::Far, text }
}

/// Nothing to stand on near an end; on a barred polygon, where there is one.
fn off_ground(end: usize, barred: Option<u32>) -> PathAnswer {
    let which = ["start", "goal"][end];
    let text = match barred {
        Some(polygon) => {
            format!("The {which} lies on polygon {polygon}, whose flags are 0, so that no search passes it.")
        }
        None => {
            let reach = SearchExtents::default().half_extents.x;
            format!("Nothing of the mesh is within {reach} m of the {which}.")
        }
    };
    PathAnswer { barrier: Barrier::OffGround(end), text }
}

/// The number of the barred polygon over or under a place.
fn barred_at(mesh: &NavMesh, place: DVec3) -> Option<u32> {
    let (at, reach) = (mesh.local(place), SearchExtents::default().half_extents.y);
    let is_there = |id: &PolyId| {
        let is_barred = mesh.polygon(*id).flags == 0 && mesh.contains_2d(*id, at);
        is_barred && (mesh.height_at(*id, at) - at.y).abs() <= reach
    };
    mesh.live_polygons().find(is_there).map(|id| mesh.source(id))
}

/// Polygons that are joined without a barred one between them make a part.
#[derive(Clone)]
pub(super) struct WalkedParts {
    /// The part of each polygon, [`NOWHERE`] of barred ones.
    pub of: Vec<usize>,
    /// Their number.
    pub count: usize,
}

impl WalkedParts {
    pub fn of(mesh: &NavMesh) -> Self {
        let mut parts = Self { of: vec![NOWHERE; mesh.polygons().len()], count: 0 };
        for seed in mesh.live_polygons().filter(|id| mesh.polygon(*id).flags != 0) {
            if parts.of[seed.index()] != NOWHERE {
                continue;
            }
            parts.of[seed.index()] = parts.count;
            let mut stack = vec![seed];
            while let Some(at) = stack.pop() {
                for next in neighbors(mesh, at).filter(|id| mesh.polygon(*id).flags != 0) {
                    if parts.of[next.index()] == NOWHERE {
                        parts.of[next.index()] = parts.count;
                        stack.push(next);
                    }
                }
            }
            parts.count += 1;
        }
        parts
    }

    /// The parts of wider agents than the mesh was made for, and the passages between that are too narrow for them; `None`
    /// of other agents.
    fn wide(mesh: &NavMesh, parts: &Self, limits: &AgentLimits) -> Option<(Self, Vec<Passage>)> {
        let mut ground = WideGround::of(mesh, limits)?;
        let mut wide = Self { of: parts.of.clone(), count: ground.count(mesh) };
        for id in mesh.live_polygons().filter(|id| parts.of[id.index()] != NOWHERE) {
            wide.of[id.index()] = ground.part_of(id);
        }
        let narrow = ground.narrow(mesh, limits).into_iter();
        let both = narrow.flat_map(|([a, b], finding)| {
            [[a, b], [b, a]].map(|parts| Passage { parts, finding: Some(finding.clone()) })
        });
        Some((wide, both.collect()))
    }

    /// The parts that a link leads from and to; `None` where one of its ends is off the mesh.
    pub fn link_passage(&self, mesh: &NavMesh, link: &PlacedLink) -> Option<[usize; 2]> {
        let [Ok(a), Ok(b)] = snapped_ends(mesh, link) else { return None };
        Some([a, b].map(|end| self.of[end.polygon.index()]))
    }

    /// Ways from part to part over barred polygons.
    fn barred_passages(&self, mesh: &NavMesh) -> Vec<Passage> {
        let mut passages = Vec::new();
        let mut seen = vec![false; self.of.len()];
        for seed in mesh.live_polygons().filter(|id| mesh.polygon(*id).flags == 0) {
            if std::mem::replace(&mut seen[seed.index()], true) {
                continue;
            }
            let (mut joined, mut barred, mut stack) = (BTreeSet::new(), Vec::new(), vec![seed]);
            while let Some(at) = stack.pop() {
                barred.push(at);
                for next in neighbors(mesh, at) {
                    match self.of[next.index()] {
                        NOWHERE if !std::mem::replace(&mut seen[next.index()], true) => stack.push(next),
                        NOWHERE => {}
                        part => _ = joined.insert(part),
                    }
                }
            }
            passages.extend(Passage::among(&joined, &barred_finding(mesh, &barred)));
        }
        passages
    }
}

fn neighbors(mesh: &NavMesh, of: PolyId) -> impl Iterator<Item = PolyId> {
    mesh.edges_of(of).iter().filter(|edge| edge.neighbor != NONE).map(|edge| PolyId(edge.neighbor))
}

/// Polygons that touch each other and that no search passes.
fn barred_finding(mesh: &NavMesh, barred: &[PolyId]) -> Finding {
    let area = |id: &PolyId| plan::area(mesh.corners_of(*id)).abs();
    let first = mesh.source(barred[0]);
    let cause = match barred.len() {
        1 => format!("Polygon {first} bars the way: its flags are 0, so that no search passes it."),
        count => format!(
            "{count} polygons bar the way, polygon {first} among them: their flags are 0, so that no search passes them."
        ),
    };
    let remedy = "Give them flags that searches ask for, or place a link over them.".into();
    let size = barred.iter().map(area).sum::<f64>().sqrt();
    let place = mesh.world(mesh.polygon(barred[0]).center);
    let outline = |id: &PolyId| mesh.corners_of(*id).iter().map(|corner| mesh.world(*corner)).collect::<Vec<_>>();
    let finding = Finding::new(FaultKind::Barred, place, size, [cause, remedy]);
    barred.iter().take(16).fold(finding, |finding, id| finding.around(&outline(id)))
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};

    /// Two squares of two metres, the second so far beyond the first and so much higher.
    fn two_squares(apart: f64, rise: f64) -> RawMesh {
        let corners =
            |x: f64, y: f64| [[x, 0.0], [x + 2.0, 0.0], [x + 2.0, 2.0], [x, 2.0]].map(|[x, z]| DVec3::new(x, y, z));
        let vertices = [corners(0.0, 0.0), corners(2.0 + apart, rise)].concat();
        RawMesh { vertices, polygons: vec![RawPolygon::new([0, 1, 2, 3]), RawPolygon::new([4, 5, 6, 7])] }
    }

    fn ask(mesh: &RawMesh) -> PathAnswer {
        let mid = |p: usize| mesh.polygons[p].vertices.iter().map(|&v| mesh.vertices[v as usize]).sum::<DVec3>() / 4.0;
        let file = MeshFile { mesh: mesh.clone(), ..MeshFile::default() };
        why_no_path(&SoundMesh { mesh: mesh.clone(), numbers: vec![0, 1] }, &file, &PERSON, [mid(0), mid(1)])
    }

    #[test]
    fn a_wall_that_the_neighbors_tell_is_the_answer() {
        // One edge that both have, by the same vertices, and lists of neighbours that do not join it.
        let mut mesh = two_squares(0.0, 0.0);
        mesh.polygons[1].vertices = vec![1, 5, 6, 2];
        assert_eq!(ask(&mesh).barrier, Barrier::None);
        mesh.polygons.iter_mut().for_each(|p| p.neighbors = Some(vec![None; 4]));
        let wall = "Polygons 0 and 1 lie along 2.00 m of one border, but their lists of neighbours have a wall there.";
        assert_eq!(ask(&mesh).text, wall);
        // Without lists it is the vertices that do not join them.
        let answer = ask(&two_squares(0.0, 0.0));
        assert_eq!(answer.text, "Polygons 0 and 1 share an edge of 2.00 m, but each has vertices of its own there.");
    }

    #[test]
    fn ground_between_two_seams_is_no_gap() {
        // Three rectangles in a row, each with vertices of its own, the middle one narrower than any agent jumps.
        for wide in [0.6, 1.0, 2.0, 4.0] {
            let mut mesh = RawMesh::default();
            for [from, to] in [[0.0, 4.0], [4.0, 4.0 + wide], [4.0 + wide, 8.0 + wide]] {
                let first = mesh.vertices.len() as u32;
                let ring = [[from, 0.0], [to, 0.0], [to, 2.0], [from, 2.0]];
                mesh.vertices.extend(ring.map(|[x, z]| DVec3::new(x, 0.0, z)));
                mesh.polygons.push(RawPolygon::new([first, first + 1, first + 2, first + 3]));
            }
            let file = MeshFile { mesh: mesh.clone(), ..MeshFile::default() };
            let ends = [1.0, 7.0 + wide].map(|x| DVec3::new(x, 0.0, 1.0));
            let answer = why_no_path(&SoundMesh { mesh, numbers: vec![0, 1, 2] }, &file, &PERSON, ends);
            let Barrier::Findings(between) = &answer.barrier else { panic!("{answer:?}") };
            let kinds: Vec<FaultKind> = between.iter().map(|f| f.fault).collect();
            assert_eq!(kinds, [FaultKind::DuplicateVertex; 2], "{wide} m wide: {answer:?}");
        }
    }

    #[test]
    fn what_a_mesh_cannot_know_is_bounded_by_its_radius() {
        let near = ask(&two_squares(0.3, 0.0)).text;
        assert!(near.starts_with("The ground ends 0.30 m from the rest, and no link leads there. In a mesh"), "{near}");
        assert!(near.contains("a radius of 0.3 m that is too near for a wall or a ledge between"), "{near}");
        let wall = ask(&two_squares(0.8, 0.0)).text;
        assert!(
            wall.ends_with("a gap from a wall: baked for a radius of 0.3 m, 0.20 m of either are there."),
            "{wall}"
        );
        // Half a metre up over as much ground, and the radius on both sides.
        let slope = ask(&two_squares(1.05, 0.5)).text;
        assert!(slope.ends_with("it can be a slope of 48°; an agent walks up to 45°."), "{slope}");
        let far = ask(&two_squares(2.6, 3.0)).text;
        assert!(
            far.ends_with(
                "3.00 m up. In a mesh baked for a radius of 0.3 m it can be a slope of 56°; an agent walks up to 45°."
            ),
            "{far}"
        );
        // A slope as flat as that would be walked: it is a step.
        let step = ask(&two_squares(1.4, 0.5)).text;
        assert!(step.ends_with("an agent climbs 0.4 m."), "{step}");
    }
}
