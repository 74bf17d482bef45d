//! Fans: faces of ground around one corner, found by the angles that they take up there.
//!
//! The rectangles of the faces around a corner all meet, so a grid of rectangles finds every pair of them: n² for n
//! faces. Seen from above, two of them have an area in common only where their angles at the corner overlap.
//! Faces around one corner of several storeys are a fan of each, for storeys are found by their heights.

use super::convex::Corners;
use crate::math::interval_tree;
use crate::math::plan::to_plan;
use crate::nav::rect_grid::{Rect, TallGrid};
use foldhash::{HashMap, HashMapExt};
use glam::{DVec2, Vec3};
use std::f64::consts::{PI, TAU};

/// Faces around a corner from which on they are a fan: all pairs of fewer are looked at as quickly.
pub(super) const MIN_FAN: usize = 64;
/// Corners above each other are parted into heights of this extent, metres: what rounding of one corner comes to, and less
/// than storeys lie apart.
const CORNER_HEIGHT: f32 = 0.1;
/// Sectors this near to half a turn or wider are taken for a whole turn, radians.
const STRAIGHT: f64 = 1e-9;

/// Directions in plan view from one angle to another, radians; less than half a turn, and `start` in -π to π.
#[derive(Clone, Copy, Debug)]
struct Sector {
    start: f64,
    end: f64,
}

impl Sector {
    /// The sector that a convex face takes up as seen from a place; `None` where the place lies in the face or on an edge.
    fn new(apex: DVec2, corners: &[Vec3]) -> Option<Self> {
        let away = corners.iter().map(|&p| to_plan(p).as_dvec2() - apex).filter(|away| *away != DVec2::ZERO);
        let mut angles = away.map(DVec2::to_angle);
        let first = angles.next()?;
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for angle in angles {
            let turn = angle - first;
            let turn = if turn > PI {
                turn - TAU
            } else if turn < -PI {
                turn + TAU
            } else {
                turn
            };
            (low, high) = (low.min(turn), high.max(turn));
        }
        let start = first + low;
        let start = if start < -PI { start + TAU } else { start };
        (high - low < PI - STRAIGHT).then_some(Self { start, end: start + (high - low) })
    }
}

/// A face around a corner.
struct FanFace {
    sector: Sector,
    face: u32,
}

/// Faces around one corner.
struct CornerFan {
    apex: DVec2,
    /// By the starts of their sectors.
    members: Vec<FanFace>,
    /// The latest ends of their sectors, see [`interval_tree`].
    latest: Vec<f64>,
}

impl CornerFan {
    fn new(apex: DVec2, mut members: Vec<FanFace>) -> Self {
        members.sort_unstable_by(|a, b| a.sector.start.total_cmp(&b.sector.start).then(a.face.cmp(&b.face)));
        let mut latest: Vec<f64> = members.iter().map(|member| member.sector.end).collect();
        interval_tree::latest_ends(&mut latest);
        Self { apex, members, latest }
    }

    /// Calls `f` with the faces that may have an area in common with a triangle.
    fn for_each_over(&self, triangle: &[Vec3; 3], f: &mut impl FnMut(u32)) {
        let Some(Sector { start, end }) = Sector::new(self.apex, triangle) else {
            return self.members.iter().for_each(|member| f(member.face));
        };
        // Sectors begin within one turn and may end in the next one.
        for turn in [-TAU, 0.0, TAU] {
            let interval = |member: &FanFace| [member.sector.start, member.sector.end];
            let around = [start + turn, end + turn];
            interval_tree::for_each_meeting((&self.members, &self.latest), around, interval, |member| f(member.face));
        }
    }
}

/// All fans of a level.
#[derive(Default)]
pub(super) struct Fans {
    list: Vec<CornerFan>,
    rects: Vec<Rect>,
    heights: Vec<[f32; 2]>,
    grid: TallGrid,
}

impl Fans {
    /// The fans that some faces of ground make, by their numbers. A face belongs to one at most: to that around the corner
    /// where most of them meet.
    pub fn find(faces: &[u32], corners: impl Fn(u32) -> Corners) -> Self {
        // Adding zero makes both zeros one.
        let key = |p: Vec3| ((to_plan(p) + 0.0).to_array().map(f32::to_bits), (p.y / CORNER_HEIGHT).floor() as i32);
        let mut meeting: HashMap<([u32; 2], i32), usize> = HashMap::new();
        for &face in faces {
            corners(face).into_iter().for_each(|p| *meeting.entry(key(p)).or_default() += 1);
        }
        meeting.retain(|_, count| *count >= MIN_FAN);
        let mut fans = Self::default();
        let mut of_corner: HashMap<([u32; 2], i32), usize> = HashMap::new();
        let mut members: Vec<Vec<FanFace>> = Vec::new();
        for &face in faces.iter().filter(|_| !meeting.is_empty()) {
            let corners = corners(face);
            let most = corners.iter().filter_map(|&p| Some((*meeting.get(&key(p))?, p)));
            let Some((_, p)) = most.max_by_key(|(count, _)| *count) else { continue };
            let Some(sector) = Sector::new(to_plan(p).as_dvec2(), &corners) else { continue };
            let fan = *of_corner.entry(key(p)).or_insert_with(|| {
                fans.rects.push(Rect::EMPTY);
                fans.heights.push([f32::INFINITY, f32::NEG_INFINITY]);
                members.push(Vec::new());
                members.len() - 1
            });
            fans.rects[fan] = corners.iter().fold(fans.rects[fan], |rect, &p| rect.including(to_plan(p)));
            let [low, high] = &mut fans.heights[fan];
            corners.iter().for_each(|p| (*low, *high) = (low.min(p.y), high.max(p.y)));
            members[fan].push(FanFace { sector, face });
        }
        let mut list: Vec<Option<CornerFan>> = members.iter().map(|_| None).collect();
        for ((plan, _), number) in of_corner {
            let apex = DVec2::from(plan.map(|bits| f64::from(f32::from_bits(bits))));
            list[number] = Some(CornerFan::new(apex, std::mem::take(&mut members[number])));
        }
        fans.list = list.into_iter().flatten().collect();
        fans.grid = TallGrid::build(&fans.rects, &fans.heights);
        fans
    }

    /// The faces of all fans.
    pub fn faces(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().flat_map(|fan| &fan.members).map(|member| member.face)
    }

    /// Calls `f` with the faces of fans that may have an area in common with a triangle, seen from above. `rect` is the
    /// rectangle around it; fans that lie below or above the heights `among` are left out.
    pub fn for_each_over(&self, triangle: &[Vec3; 3], rect: &Rect, among: [f32; 2], mut f: impl FnMut(u32)) {
        let near = (&self.rects[..], &self.heights[..]);
        self.grid.for_each_meeting(near, rect, among, |fan| self.list[fan as usize].for_each_over(triangle, &mut f));
    }
}

#[cfg(test)]
mod tests {
    use super::super::GroundSettings;
    use super::super::obstacles::{Faces, Heights};
    use super::super::subtraction::examine;
    use super::*;
    use crate::asset::LevelTriangle;

    /// Triangles around a corner, with a rim 30 m away; `turns` of the whole.
    fn fan(count: usize, apex: Vec3, turns: f64, level: &mut Vec<LevelTriangle>) {
        let rim = |i: usize| {
            let angle = -(i as f64 + 0.3) / count as f64 * TAU * turns;
            apex + Vec3::new(angle.cos() as f32, 0.0, angle.sin() as f32) * 30.0
        };
        for i in 0..count {
            let index = level.len() as u32;
            level.push(LevelTriangle { index, points: [apex, rim(i), rim(i + 1)], normal: Vec3::Y });
        }
    }

    /// The pairs of triangle and face that are looked at.
    fn pairs(level: &[LevelTriangle]) -> Vec<[u32; 2]> {
        let ground = vec![true; level.len()];
        let faces = Faces::new(level, &ground, &vec![false; level.len()]);
        let heights = Heights { ground: -1.0, other: 0.0, high: 1.0 };
        let mut pairs = Vec::new();
        for own in 0..level.len() as u32 {
            faces.for_each_near(faces.points(own), 0.05, heights, |face| pairs.push([own, face]));
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn pairs_of_a_fan_grow_with_its_triangles() {
        for apex in [Vec3::ZERO, Vec3::new(-70.3, 2.0, 11.1)] {
            for count in [200, 2000, 10_000] {
                let mut level = Vec::new();
                fan(count, apex, 1.0, &mut level);
                let found = pairs(&level).len();
                assert!((count..=5 * count).contains(&found), "{found} pairs of {count} triangles");
            }
        }
    }

    #[test]
    fn storeys_around_one_corner_are_fans_of_their_own() {
        for sectors in [16, 200] {
            for storeys in [10, 200] {
                let mut level = Vec::new();
                (0..storeys).for_each(|storey| fan(sectors, Vec3::Y * (3.0 * storey as f32), 1.0, &mut level));
                let found = pairs(&level).len();
                // Few sectors are no fan: all pairs of one storey are looked at.
                let most = if sectors < MIN_FAN { sectors } else { 5 };
                assert!((level.len()..=most * level.len()).contains(&found), "{found} pairs of {} faces", level.len());
            }
        }
    }

    #[test]
    fn all_that_overlaps_in_a_fan_is_found() {
        let step = GroundSettings::default().step_height;
        // Wound more than twice, a wide triangle among narrow ones, and one that holds the corner.
        let mut level = Vec::new();
        fan(300, Vec3::ZERO, 2.3, &mut level);
        for points in [
            [Vec3::ZERO, Vec3::new(-20.0, 0.0, 1.0), Vec3::new(5.0, 0.0, -20.0)],
            [Vec3::new(-2.0, 0.0, -2.0), Vec3::new(0.0, 0.0, 3.0), Vec3::new(2.0, 0.0, -2.0)],
            [Vec3::new(-9.0, 0.0, -2.0), Vec3::new(-9.0, 0.0, 3.0), Vec3::new(-8.0, 0.0, -2.0)],
        ] {
            level.push(LevelTriangle { index: level.len() as u32, points, normal: Vec3::Y });
        }
        let found = pairs(&level);
        assert!(found.len() > 1000 && found.windows(2).all(|w| w[0] != w[1]), "each once");
        let (ground, repeated) = (vec![true; level.len()], vec![false; level.len()]);
        let faces = Faces::new(&level, &ground, &repeated);
        // What two of them alone have in common is found in no fan.
        for own in (0..level.len() as u32).step_by(7).chain(300..303) {
            for other in (0..level.len() as u32).filter(|&other| other != own) {
                let two = [own, other].map(|i| level[i as usize]);
                let alone = Faces::new(&two, &[true; 2], &[false; 2]);
                let is_same = examine(&alone, &[0, 1], 2, step).same.are_joined(0, 1);
                let is_found =
                    || found.iter().any(|&[i, face]| i == own && faces.face(face).triangles().contains(&other));
                assert!(!is_same || is_found(), "triangle {other} on {own}");
            }
        }
    }
}
