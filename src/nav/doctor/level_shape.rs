//! The shape of a level's triangles: units that look wrong, triangles that face down, holes, triangles upon each other.

use std::collections::{BTreeMap, HashMap};

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding, MAX_LINES, area_words};
use super::limits::AgentLimits;
use super::outlines::{extent, middle};
use super::probe::LevelProbe;
use super::spikes::CornerGraph;
use super::units;
use super::watch::{DoctorError, DoctorWatch};
use super::welded::{Welded, is_whole};
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan;
use crate::math::triangle;

/// Largest hole that is no opening made on purpose, square metres.
const MAX_HOLE: f64 = 1.0;
/// Largest hole of four corners that a missing piece of a regular grid leaves, square metres.
const MAX_GRID_HOLE: f64 = 2.5;
/// By how much the triangles beside such a hole differ at most from half of it, as a factor.
const GRID_ERROR: f64 = 1.5;
/// What is as large as the bounds on holes or a little larger in the numbers of a file is within them, square metres.
const ROUNDING: f64 = 0.01;
/// Largest hole that a single missing triangle leaves, square metres.
const MAX_TRIANGLE_HOLE: f64 = 25.0;
/// Areas that differ by no more than this factor are the same.
const SAME_AREA: f64 = 1.001;
/// Least vertical part of the normal of a triangle of a spike.
const FACES_UP: f32 = 0.02;
/// Least area of a hole, as a part of the square of its extent: what is longer and narrower is a crack between triangles that do
/// not meet exactly.
const CRACK: f64 = 2e-3;
/// Most corners of such a hole.
const MAX_HOLE_CORNERS: usize = 64;

/// The findings in the triangles themselves.
pub(super) fn examine(
    welded: &Welded<'_>,
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    let mut findings: Vec<Finding> = units::examine(welded, limits).into_iter().collect();
    if findings.is_empty() {
        findings.extend(units::examine_objects(&welded.objects(), limits));
    }
    findings.extend(flipped(welded, watch)?);
    findings.extend(holes(welded, limits, watch)?);
    watch.check()?;
    findings.extend(doubled(welded));
    findings.extend(spikes(welded, limits));
    Ok(findings)
}

/// The middle of a level and its largest extent, metres; `None` without triangles.
pub(super) fn extent_of(triangles: &[[Vec3; 3]]) -> Option<(DVec3, f64)> {
    let corners = || triangles.iter().flatten().filter(|p| p.is_finite()).map(|p| p.as_dvec3());
    let (low, high) = (corners().reduce(DVec3::min)?, corners().reduce(DVec3::max)?);
    Some(((low + high) * 0.5, (high - low).max_element()))
}

/// Patches that face down in a surface that faces up: their edges run the same way as those of their neighbours.
fn flipped(welded: &Welded, watch: &DoctorWatch<'_>) -> Result<Vec<Finding>, DoctorError> {
    let mut patches = DisjointSets::new(welded.corners.len());
    let mut against = Vec::new();
    for (_, users) in welded.sorted_edges() {
        watch.check()?;
        let &[first, second] = users else { continue };
        let (a, b) = (first.triangle, second.triangle);
        let (n, m) = (welded.normal(a), welded.normal(b));
        if first.is_forward != second.is_forward {
            // Smooth parts only: a patch of the ground ends at its walls.
            if n.dot(m) > 0.5 {
                patches.join(a as usize, b as usize);
            }
        } else if n.dot(m) < -0.5 && n.y.abs() > 0.5 && m.y.abs() > 0.5 {
            against.push(if n.y > m.y { [a, b] } else { [b, a] });
        }
    }
    let mut areas: HashMap<usize, f64> = HashMap::new();
    let mut members: HashMap<usize, Vec<u32>> = HashMap::new();
    for i in 0..welded.corners.len() {
        let root = patches.root(i);
        *areas.entry(root).or_default() += f64::from(triangle::area(&welded.triangles[i]));
        members.entry(root).or_default().push(i as u32);
    }
    let mut found: Vec<usize> = Vec::new();
    for [up, down] in against {
        let [up, down] = [up, down].map(|t| patches.root(t as usize));
        // Of two halves that face against each other the one is ground that faces up.
        if areas[&down] <= areas[&up] * SAME_AREA {
            found.push(down);
        }
    }
    found.sort_unstable();
    found.dedup();
    let findings = found
        .into_iter()
        .map(|root| {
            let list = &members[&root];
            let corners: Vec<DVec3> =
                list.iter().flat_map(|&t| welded.triangles[t as usize]).map(|p| p.as_dvec3()).collect();
            let count = if list.len() == 1 { "A triangle".into() } else { format!("{} triangles", list.len()) };
            let face = if list.len() == 1 { "faces" } else { "face" };
            let cause = format!(
                "{count} of the ground ({}) {face} down, so that no agent walks there.",
                area_words(areas[&root])
            );
            let remedy = "Turn them over in the modelling program (recalculate normals).".into();
            let mut finding = Finding::new(FaultKind::Flipped, middle(&corners), areas[&root].sqrt(), [cause, remedy]);
            for &t in list {
                finding = finding.around(&welded.triangles[t as usize].map(|p| p.as_dvec3()));
            }
            finding
        })
        .collect();
    Ok(findings)
}

/// Small holes that are surrounded by ground.
fn holes(welded: &Welded, limits: &AgentLimits, watch: &DoctorWatch<'_>) -> Result<Vec<Finding>, DoctorError> {
    let walkable = limits.slope_rad.cos();
    let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
    for (ends, users) in welded.sorted_edges() {
        if let &[user] = users
            && welded.normal(user.triangle).y >= walkable
        {
            let (a, b) = if user.is_forward { (ends[0], ends[1]) } else { (ends[1], ends[0]) };
            next.entry(a).or_default().push(b);
        }
    }
    let mut starts: Vec<u32> = next.keys().copied().collect();
    starts.sort_unstable();
    let probe = LevelProbe::new(welded.triangles);
    let mut findings = Vec::new();
    for start in starts {
        watch.check()?;
        while let Some(outline) = trace(start, &mut next, &welded.places) {
            let corners: Vec<DVec3> = outline.iter().map(|&v| welded.places[v as usize].as_dvec3()).collect();
            let half = 0.5 * plan::area(&corners);
            let is_alike = |area: &f64| *area < half * GRID_ERROR && *area > half / GRID_ERROR;
            let is_of_grid = outline.len() == 4 && welded.areas_beside(&outline).iter().all(is_alike);
            findings.extend(hole(&corners, is_of_grid, &probe, limits));
        }
    }
    Ok(findings)
}

/// A closed line of open edges from a corner, taken out of the list. Where several meet in a corner it goes on along that which
/// closes what lies beside it, so that a hole that touches the border in a corner is one.
fn trace(start: u32, next: &mut HashMap<u32, Vec<u32>>, places: &[Vec3]) -> Option<Vec<u32>> {
    let mut outline = vec![start];
    let mut at = next.get_mut(&start)?.pop()?;
    while at != start {
        let before = outline[outline.len() - 1];
        outline.push(at);
        let Some(list) = next.get_mut(&at).filter(|list| !list.is_empty()) else { return Some(Vec::new()) };
        let away = |to: u32| (places[to as usize] - places[at as usize]).with_y(0.0);
        // Seen from above, ground lies to the left: the hole is what one sweeps turning left from the way back.
        let (back, turn) = (away(before), |v: Vec3| (-v.z).atan2(v.x));
        let sweep = |&to: &u32| (turn(away(to)) - turn(back)).rem_euclid(std::f32::consts::TAU);
        let best = (0..list.len()).min_by(|&i, &k| sweep(&list[i]).total_cmp(&sweep(&list[k]))).unwrap_or(0);
        at = list.swap_remove(best);
    }
    Some(outline)
}

/// `is_of_grid` is whether the hole is what a piece of a regular grid leaves.
fn hole(corners: &[DVec3], is_of_grid: bool, probe: &LevelProbe, limits: &AgentLimits) -> Option<Finding> {
    // Ground lies to the left of its own outline as seen from below: a line with positive area runs around nothing.
    let area = plan::area(corners);
    let scale = f64::from(limits.height / 2.0).max(0.01);
    // Agents a little smaller than people walk in levels for people.
    let scale = if (0.5..1.0).contains(&scale) { 1.0 } else { scale };
    let most = match corners.len() {
        3 => MAX_TRIANGLE_HOLE,
        _ if is_of_grid => MAX_GRID_HOLE,
        _ => MAX_HOLE,
    };
    let most = (most + ROUNDING) * scale * scale;
    if !(3..=MAX_HOLE_CORNERS).contains(&corners.len()) || area <= 1e-4 * scale * scale || area > most {
        return None;
    }
    let (place, size) = (middle(corners), extent(corners));
    if area < CRACK * size * size {
        return None;
    }
    let at = place.as_vec3();
    // Something that closes it: ground within a step, or a body that stands in it. What faces down there is the underside of a slab.
    let is_ground = probe.nearest_facing_up(at, limits.climb).is_some();
    if is_ground || probe.above(at, 0.0).is_some_and(|(_, faces_up)| faces_up) {
        return None;
    }
    let cause = format!("The ground has a hole of {} with nothing within a step under it.", area_words(area));
    let remedy = "Fill it in the modelling program, or cover it with an unwalkable volume.".into();
    Some(Finding::new(FaultKind::Hole, place, size, [cause, remedy]).around(corners))
}

/// Triangles with the same corners that face the same way; those that share corners are one finding.
fn doubled(welded: &Welded) -> Vec<Finding> {
    let mut seen: HashMap<[u32; 3], u32> = HashMap::new();
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for (i, c) in welded.corners.iter().enumerate().filter(|(_, c)| is_whole(c)) {
        // The order of corners counts, where it begins does not.
        let least = (0..3).min_by_key(|&k| c[k]).unwrap_or(0);
        let key = [c[least], c[(least + 1) % 3], c[(least + 2) % 3]];
        pairs.extend(seen.insert(key, i as u32).map(|first| [first, i as u32]));
    }
    let mut joined = DisjointSets::new(pairs.len());
    let mut owners: HashMap<u32, usize> = HashMap::new();
    for (number, [_, triangle]) in pairs.iter().enumerate() {
        for corner in welded.corners[*triangle as usize] {
            joined.join(*owners.entry(corner).or_insert(number), number);
        }
    }
    let mut groups: BTreeMap<usize, Vec<[u32; 2]>> = BTreeMap::new();
    for (number, &pair) in pairs.iter().enumerate() {
        groups.entry(joined.root(number)).or_default().push(pair);
    }
    groups.values().map(|group| doubles(welded, group)).collect()
}

/// Triangles beside each other that are there twice.
fn doubles(welded: &Welded, pairs: &[[u32; 2]]) -> Finding {
    let corners_of = |triangle: u32| welded.triangles[triangle as usize].map(|p| p.as_dvec3());
    let all: Vec<DVec3> = pairs.iter().flat_map(|pair| corners_of(pair[1])).collect();
    let center = middle(&all);
    let off = |pair: &&[u32; 2]| middle(&corners_of(pair[1])).distance_squared(center);
    let nearest = pairs.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(&pairs[0]);
    let [first, second] = pairs[0];
    let (cause, them) = match pairs.len() {
        1 => (format!("Triangles {first} and {second} are the same."), "one"),
        count => (format!("{count} triangles are there twice, {first} as {second} among them."), "the copies"),
    };
    let remedy = format!("Remove {them}: they flicker when drawn, and cost time.");
    let finding = Finding::new(FaultKind::Overlap, middle(&corners_of(nearest[1])), extent(&all), [cause, remedy]);
    pairs.iter().take(MAX_LINES / 3).fold(finding, |finding, pair| finding.around(&corners_of(pair[1])))
}

/// Corners of the ground far above or below everything around them, which is ground to walk on: beyond most of the triangles
/// around such a corner, or walls that rise there, and beyond none of them something else; at its border ground ends, or walls fall.
fn spikes(welded: &Welded, limits: &AgentLimits) -> Vec<Finding> {
    let walkable = limits.slope_rad.cos();
    let places: Vec<DVec3> = welded.places.iter().map(|p| p.as_dvec3()).collect();
    let mut ground = CornerGraph::new("A corner of the ground", "corners of the ground", &places);
    let mut is_inner = vec![true; places.len()];
    let mut around = vec![[0_u32; 2]; places.len()];
    for (i, c) in welded.corners.iter().enumerate().filter(|(_, c)| is_whole(c)) {
        ground.add_ring(c);
        let faces_up = welded.normal(i as u32).y > FACES_UP;
        for k in 0..3 {
            let [corner, next, last] = [c[k], c[(k + 1) % 3], c[(k + 2) % 3]];
            let users = |a: u32, b: u32| welded.edges.get(&[a.min(b), a.max(b)]).map_or(&[][..], Vec::as_slice);
            let mut beyond = users(next, last).iter().filter(|user| user.triangle != i as u32).peekable();
            let is_closed = [next, last].iter().all(|&other| users(corner, other).len() == 2);
            let mut is_border = beyond.peek().is_none();
            let mut is_ground_around = true;
            for user in beyond {
                let rise = welded.rise_from(user.triangle, [next, last]);
                let is_ground = welded.normal(user.triangle).y >= walkable;
                is_border |= !is_ground && rise < -limits.climb;
                is_ground_around &= is_ground || rise.abs() > limits.climb;
            }
            is_inner[corner as usize] &= faces_up && is_closed && is_ground_around;
            around[corner as usize][usize::from(is_border)] += 1;
        }
    }
    let is_ground = |v: usize| is_inner[v] && around[v][0] > around[v][1];
    let singles = ground.singles(limits).into_iter().filter(|&(v, _)| is_ground(v));
    singles.map(|(v, rise)| spike(places[v], rise)).collect()
}

fn spike(place: DVec3, rise: f64) -> Finding {
    let (height, side) = (rise.abs(), if rise > 0.0 { "above" } else { "below" });
    let cause = format!("A corner of the ground lies {height:.2} m {side} everything around it.");
    let remedy = "Move it to the height of its neighbours in the modelling program.".into();
    let foot = place.with_y(place.y - rise);
    Finding::new(FaultKind::Spike, place, height, [cause, remedy]).along([place, foot])
}
