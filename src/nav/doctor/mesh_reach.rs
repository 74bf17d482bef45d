//! What cannot be reached on a mesh: islands, ends of links, targets.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::alike::{PartFinding, gathered};
use super::finding::{FaultKind, Finding, LoneGround, Mend, MeshExamination, area_words, lone_ground};
use super::limits::{AgentLimits, NamedTarget};
use super::mesh_crossings::{IslandBorders, NOWHERE, TOUCH, crossing_finding};
use super::mesh_doors;
use super::mesh_shape::SoundMesh;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan;
use crate::nav::mesh::off_mesh::PlacedLink;
use crate::nav::mesh::{Filter, MeshFile, NavMesh, PolyId, RawMesh};
use crate::nav::query::island_gap::{IslandGap, island_gap};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// How far the end of a link is moved onto the mesh at most, metres.
const LINK_MOVE: f32 = 4.0;
/// Islands that are as large as furniture, in areas of the least island.
const SMALL_ISLANDS: f64 = 16.0;

/// What cannot be reached. `overlaps` are the polygons of the file in sets of those that lie upon each other: that is a
/// finding of its own.
pub(super) fn examine(
    sound: &SoundMesh,
    file: &MeshFile,
    limits: &AgentLimits,
    targets: &[NamedTarget],
    overlaps: &mut DisjointSets,
) -> MeshExamination {
    let Some(valid) = validated(sound, file) else { return MeshExamination::default() };
    let mut joined = DisjointSets::new(valid.island_count() as usize);
    let mut findings = Vec::new();
    for (number, link) in file.links.iter().enumerate() {
        match snapped_ends(&valid, link) {
            [Ok(a), Ok(b)] => {
                joined.join(a.island, b.island);
                findings
                    .extend([a, b].iter().filter_map(|end| end.wrong_floor(&format!("link {}", number + 1), limits)));
            }
            ends => findings.push(lost_link(&valid, link, number, &ends)),
        }
    }
    findings.extend(targets.iter().enumerate().filter_map(|(i, target)| lost_target(&valid, target, i, limits)));
    let passed_over = IslandAreas::new(&valid, &mut joined, limits).and_then(|islands| islands.passed_over());
    let mut first_of: BTreeMap<usize, usize> = BTreeMap::new();
    for id in valid.live_polygons() {
        let (set, island) =
            (overlaps.root(sound.numbers[valid.source(id) as usize]), valid.polygon(id).island as usize);
        joined.join(*first_of.entry(set).or_insert(island), island);
    }
    findings.extend(islands(&valid, &sound.mesh, &mut joined, limits));
    findings.extend(mesh_doors::examine(&valid, limits));
    MeshExamination { findings, passed_over }
}

/// The mesh, where queries accept it, with the file's height detail where it fits.
pub(super) fn validated(sound: &SoundMesh, file: &MeshFile) -> Option<NavMesh> {
    let mesh = &sound.mesh;
    // What is left of a damaged mesh may be refused for its neighbours: without them it is joined by its vertices.
    let plain = || {
        let mut plain = mesh.clone();
        plain.polygons.iter_mut().for_each(|p| p.neighbors = None);
        plain.validate()
    };
    let mut valid = mesh.validate().or_else(|_| plain()).ok()?;
    if let Some(detail) = file.detail.as_ref().filter(|_| mesh.polygons.len() == file.mesh.polygons.len()) {
        // Damaged detail leaves the mesh as it was.
        _ = valid.set_detail(detail);
    }
    Some(valid)
}

/// The ground at the start and the end of a link, as near as a mesh with links wants it.
pub(super) fn snapped_ends(mesh: &NavMesh, link: &PlacedLink) -> [Result<SnappedPoint, DVec3>; 2] {
    [link.start, link.end].map(|end| SnappedPoint::within(mesh, end, link.reach))
}

/// The ground that a point is taken to.
pub(super) struct SnappedPoint {
    asked: DVec3,
    found: DVec3,
    /// Its polygon.
    pub polygon: PolyId,
    island: usize,
    apart: f64,
}

impl SnappedPoint {
    /// The ground near a point, or the point.
    pub fn near(mesh: &NavMesh, asked: DVec3, reach: f32) -> Result<Self, DVec3> {
        let half_extents = Vec3::new(reach, SearchExtents::default().half_extents.y, reach);
        let extents = SearchExtents { half_extents, ..SearchExtents::default() };
        let is_near = |ground: &Self| (ground.found - asked).with_y(0.0).length() <= f64::from(reach);
        Self::found(mesh, asked, &extents).filter(is_near).ok_or(asked)
    }

    /// The ground at most `reach` away in space, or the point.
    fn within(mesh: &NavMesh, asked: DVec3, reach: f32) -> Result<Self, DVec3> {
        let extents = SearchExtents { half_extents: Vec3::splat(reach), climb: 0.0 };
        Self::found(mesh, asked, &extents)
            .filter(|ground| ground.found.distance(asked) <= f64::from(reach))
            .ok_or(asked)
    }

    fn found(mesh: &NavMesh, asked: DVec3, extents: &SearchExtents) -> Option<Self> {
        let found = nearest(mesh, mesh.local(asked), extents, &Filter::default())?;
        let place = mesh.world(found.point);
        let island = mesh.polygon(found.polygon).island as usize;
        Some(Self { asked, found: place, polygon: found.polygon, island, apart: (place.y - asked.y).abs() })
    }

    /// Whether it belongs to another floor. What is placed a little above the ground falls there.
    fn is_wrong(&self, limits: &AgentLimits) -> bool {
        let most = if self.found.y < self.asked.y { limits.climb.max(0.5 * limits.height) } else { limits.climb };
        self.apart > f64::from(most)
    }

    fn wrong_floor(&self, whose: &str, limits: &AgentLimits) -> Option<Finding> {
        self.is_wrong(limits).then(|| {
            let side = if self.found.y < self.asked.y { "below" } else { "above" };
            let cause = format!("The ground that {whose} is taken to lies {:.2} m {side} it.", self.apart);
            let remedy = "Move it to the floor that is meant.".into();
            let line = [self.asked, self.found];
            Finding::new(FaultKind::WrongFloor, self.asked, self.apart, [cause, remedy]).along(line)
        })
    }
}

fn lost_link(mesh: &NavMesh, link: &PlacedLink, number: usize, ends: &[Result<SnappedPoint, DVec3>; 2]) -> Finding {
    let lost: Vec<&str> = ["start", "end"].into_iter().zip(ends).filter(|(_, e)| e.is_err()).map(|(n, _)| n).collect();
    let place = ends.iter().find_map(|e| e.as_ref().err()).copied().unwrap_or(link.start);
    let ground = SnappedPoint::within(mesh, place, LINK_MOVE);
    let away =
        ground.map_or(String::new(), |g| format!("; the nearest ground is {:.2} m away", g.found.distance(place)));
    let which = lost.join(" and the ");
    let cause = format!("Nothing of the mesh is within {} m of the {which} of link {}{away}.", link.reach, number + 1);
    let remedy = "Move that end onto the mesh, raise the link's reach, or remove the link.".into();
    let size = (link.end - link.start).length();
    let finding = Finding::new(FaultKind::LinkOffMesh, place, size, [cause, remedy]);
    let mend = moved_link(mesh, link, number, ends).unwrap_or(Mend::RemoveLink(number));
    finding.along([link.start, link.end]).mended_by(mend)
}

/// The link with its lost ends on the ground near them; `None` where there is none, or where it would lead nowhere.
fn moved_link(
    mesh: &NavMesh,
    link: &PlacedLink,
    number: usize,
    ends: &[Result<SnappedPoint, DVec3>; 2],
) -> Option<Mend> {
    let moved = |end: usize| match &ends[end] {
        Ok(_) => Some([link.start, link.end][end]),
        Err(at) => SnappedPoint::near(mesh, *at, LINK_MOVE).ok().map(|ground| ground.found),
    };
    let ends = [moved(0)?, moved(1)?];
    (ends[0].distance(ends[1]) > TOUCH).then_some(Mend::MoveLink { link: number, ends })
}

/// A link whose ends are moved to the ground of a mesh near them, no farther than links are moved; `None` where there is
/// none, or where both would lie at one place.
pub fn link_on_mesh(mesh: &NavMesh, link: &PlacedLink) -> Option<PlacedLink> {
    let [start, end] =
        [link.start, link.end].map(|end| SnappedPoint::near(mesh, end, LINK_MOVE).ok().map(|ground| ground.found));
    let (start, end) = (start?, end?);
    (start.distance(end) > TOUCH).then(|| PlacedLink { start, end, ..link.clone() })
}

fn lost_target(mesh: &NavMesh, target: &NamedTarget, number: usize, limits: &AgentLimits) -> Option<Finding> {
    let reach = SearchExtents::default().half_extents.x;
    match SnappedPoint::near(mesh, target.position, reach) {
        Ok(ground) if !ground.is_wrong(limits) => {
            let off = (ground.found - target.position).with_y(0.0).length();
            (off > f64::from(limits.radius)).then(|| {
                let cause = format!("{} lies {off:.2} m beside the mesh.", target.name);
                let remedy = "Move it onto the mesh.".into();
                Finding::new(FaultKind::TargetOffMesh, target.position, off, [cause, remedy])
                    .along([target.position, ground.found])
                    .mended_by(Mend::MoveTarget { target: number, to: ground.found })
            })
        }
        Ok(ground) => ground
            .wrong_floor(&target.name, limits)
            .map(|finding| finding.mended_by(Mend::MoveTarget { target: number, to: ground.found })),
        Err(place) => {
            let cause = format!("Nothing of the mesh is within {reach} m of {}.", target.name);
            let remedy = "Move it onto the mesh, or bake the ground that is missing there.".into();
            Some(Finding::new(FaultKind::TargetOffMesh, place, f64::from(reach), [cause, remedy]))
        }
    }
}

/// Ground that is joined, by edges, by links, or since it lies upon each other.
struct IslandAreas {
    /// Of the islands that the others are joined to, square metres.
    areas: Vec<f64>,
    /// The largest.
    main: usize,
    /// A place on each.
    middles: Vec<DVec3>,
    /// Smaller ones are passed over, square metres.
    least: f64,
}

impl IslandAreas {
    fn new(mesh: &NavMesh, joined: &mut DisjointSets, limits: &AgentLimits) -> Option<Self> {
        let mut areas = vec![0.0; mesh.island_count() as usize];
        let mut middles = vec![(DVec3::ZERO, 0.0); areas.len()];
        for id in mesh.live_polygons() {
            let area = plan::area(mesh.corners_of(id)).abs();
            let root = joined.root(mesh.polygon(id).island as usize);
            areas[root] += area;
            // The place of an island is the middle of its largest polygon: the mean of an island may lie beside it.
            if area > middles[root].1 {
                middles[root] = (mesh.world(mesh.polygon(id).center), area);
            }
        }
        let main = (0..areas.len()).max_by(|&a, &b| areas[a].total_cmp(&areas[b]))?;
        let middles = middles.into_iter().map(|(middle, _)| middle).collect();
        Some(Self { areas, main, middles, least: limits.min_island() })
    }

    /// Whether an island is worth a finding.
    fn is_wanted(&self, root: usize) -> bool {
        root != self.main && self.areas[root] > 0.0 && self.areas[root] >= self.least
    }

    /// Those that are not.
    fn small(&self) -> impl Iterator<Item = usize> {
        (0..self.areas.len()).filter(|&root| root != self.main && self.areas[root] > 0.0 && !self.is_wanted(root))
    }

    /// How many islands are passed over because they are small, in a sentence.
    fn passed_over(&self) -> Option<String> {
        let areas: Vec<f64> = self.small().map(|root| self.areas[root]).collect();
        let first = self.small().next()?;
        let (least, all, at) = (self.least, areas.iter().sum::<f64>(), self.middles[first]);
        let what = match areas.len() {
            1 => format!("An island of {}", area_words(all)),
            count => format!("{count} islands of {} in all", area_words(all)),
        };
        let are = if areas.len() == 1 { "is" } else { "are" };
        let near = if areas.len() == 1 { "at" } else { "the first at" };
        Some(format!(
            "{what}, {near} ({:.2}, {:.2}, {:.2}), {are} passed over: smaller than {}, the square of the \
             agent's width.",
            at.x,
            at.y,
            at.z,
            area_words(least)
        ))
    }
}

/// How far apart ground is from the rest, a sentence.
fn gap_words(gap: IslandGap) -> String {
    let (width, rise) = (gap.width(), gap.rise());
    let side = if rise > 0.0 { "below" } else { "above" };
    match rise.abs() {
        height if height < 0.005 => format!("{width:.2} m are between."),
        height if width < 0.005 => format!("{height:.2} m straight {side} it."),
        height => format!("{width:.2} m apart, {height:.2} m {side} it."),
    }
}

/// Islands that no link joins to the largest.
fn islands(valid: &NavMesh, mesh: &RawMesh, joined: &mut DisjointSets, limits: &AgentLimits) -> Vec<Finding> {
    let Some(islands) = IslandAreas::new(valid, joined, limits) else { return Vec::new() };
    let (main, areas) = (islands.main, &islands.areas);
    let mut island_of = vec![NOWHERE; mesh.polygons.len()];
    for id in valid.live_polygons() {
        island_of[valid.source(id) as usize] = joined.root(valid.polygon(id).island as usize);
    }
    let mut crossings = IslandBorders::new(mesh, &island_of, limits).crossings();
    // Over small islands seams alone lead from ground to ground.
    let is_large = |island: usize| island == main || islands.is_wanted(island);
    crossings.retain(|(ends, crossing)| crossing.seam.is_some() || ends.iter().all(|&island| is_large(island)));
    crossings.retain(|(_, crossing)| !crossing.is_over_ground(valid, limits.climb));
    crossings.sort_by(|(_, a), (_, b)| a.cost.total_cmp(&b.cost));
    let mut found = Vec::new();
    for ([a, b], crossing) in crossings {
        let [root_a, root_b, root_main] = [a, b, main].map(|island| joined.root(island));
        if root_a == root_b {
            continue;
        }
        // From what is parted to the rest.
        let is_b = root_a == root_main || (root_b != root_main && areas[b] < areas[a]);
        let (island, crossing) = if is_b { (b, crossing.reversed()) } else { (a, crossing) };
        joined.join(a, b);
        // Seams are findings of their own.
        if crossing.seam.is_none() {
            found.push((island, crossing));
        }
    }
    // What parts roofs from roofs is no finding as long as no agent gets there.
    let root_main = joined.root(main);
    found.retain(|(island, _)| joined.root(*island) == root_main);
    let found = found.into_iter().map(|(island, crossing)| {
        let ground = format!("{:.1} m² of ground end", areas[island]);
        let finding = crossing_finding(&crossing, &ground, areas[island].sqrt(), limits);
        PartFinding { finding, is_small: areas[island] <= SMALL_ISLANDS * limits.min_island() }
    });
    let lone: Vec<usize> =
        (0..areas.len()).filter(|&island| islands.is_wanted(island) && joined.root(island) != root_main).collect();
    let largest = lone.iter().copied().max_by(|&a, &b| areas[a].total_cmp(&areas[b]));
    let gap = largest.and_then(|largest| island_gap(valid, (largest as u32, main as u32)));
    let lone =
        lone.into_iter().map(|island| LoneGround { place: islands.middles[island], area: areas[island] }).collect();
    gathered(found.collect()).into_iter().chain(lone_ground(lone, gap.map(gap_words))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::*;
    use crate::nav::mesh::RawPolygon;

    fn found_in(mesh: RawMesh) -> Vec<Finding> {
        let numbers: Vec<usize> = (0..mesh.polygons.len()).collect();
        let mut overlaps = DisjointSets::new(numbers.len());
        let file = MeshFile { mesh: mesh.clone(), ..MeshFile::default() };
        examine(&SoundMesh { mesh, numbers }, &file, &PERSON, &[], &mut overlaps).findings
    }

    /// Squares along x: from where to where, and how high.
    fn mesh_of(squares: &[[f64; 3]]) -> RawMesh {
        let mut mesh = RawMesh::default();
        for &[from, to, y] in squares {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend([[from, 0.0], [to, 0.0], [to, 4.0], [from, 4.0]].map(|[x, z]| DVec3::new(x, y, z)));
            mesh.polygons.push(RawPolygon::new([first, first + 1, first + 2, first + 3]));
        }
        mesh
    }

    #[test]
    fn what_parts_ground_is_found_once() {
        let faults = |squares: &[[f64; 3]]| -> Vec<(FaultKind, f64)> {
            let found = found_in(mesh_of(squares));
            found.iter().map(|f| (f.fault, (f.place.x * 10.0).round() / 10.0)).collect()
        };
        // Three in a row: a gap on each side of the one between, from the largest on.
        let row = [[0.0, 20.0, 0.0], [21.2, 24.0, 0.0], [25.4, 30.0, 0.0]];
        assert_eq!(faults(&row), [(FaultKind::GapTooWide, 20.6), (FaultKind::GapTooWide, 24.7)]);
        // What parts two roofs to which nothing leads is no finding: all such ground is one, at its largest.
        let roofs = [[0.0, 20.0, 0.0], [21.2, 24.0, 9.0], [25.2, 30.0, 9.0], [50.0, 52.0, 9.0]];
        assert_eq!(faults(&roofs), [(FaultKind::UnreachableIsland, 27.6)]);
    }

    #[test]
    fn ground_along_a_border_at_another_height_is_told() {
        // Borders of which one has a corner more, half as high as an agent climbs.
        let mut mesh = mesh_of(&[[0.0, 12.0, 0.0], [12.0, 20.0, 0.2]]);
        mesh.vertices.push(DVec3::new(12.0, 0.0, 1.0));
        mesh.polygons[0].vertices.insert(2, 8);
        let found = found_in(mesh);
        let [finding] = &found[..] else { panic!("{found:?}") };
        let told = "32.0 m² of ground end at a border of the rest, 0.20 m lower: they are not joined over 4.00 m, though \
                    an agent climbs 0.4 m.";
        assert_eq!((finding.fault, &finding.cause[..]), (FaultKind::UnreachableIsland, told));
        // A corner in a corner is still a point.
        let mut corner = mesh_of(&[[0.0, 12.0, 0.0], [12.0, 20.0, 0.2]]);
        corner.vertices[4..].iter_mut().for_each(|v| v.z += 4.0);
        assert!(found_in(corner)[0].cause.contains("in a point of the rest"));
    }

    #[test]
    fn ground_below_a_bridge_does_not_end_at_it() {
        let mut mesh = mesh_of(&[[0.0, 10.0, 3.0]]);
        let below = [(4.0, -5.0), (6.0, -5.0), (6.0, 9.0), (4.0, 9.0)];
        mesh.vertices.extend(below.map(|(x, z)| DVec3::new(x, 0.0, z)));
        mesh.polygons.push(RawPolygon::new([4, 5, 6, 7]));
        let findings = found_in(mesh);
        assert!(findings.iter().all(|finding| !finding.cause.contains("in a point")), "{findings:?}");
    }
}
