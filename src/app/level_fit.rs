//! Notices levels that come in lying on their sides or in another unit than metres, and mends them on request; brings the camera to
//! levels.

use super::state::App;
use crate::asset::NodeTransforms;
use crate::asset::level::append_triangles;
use crate::ids::LevelId;
use crate::math::{Aabb, triangle};
use crate::scene::SceneLevel;
use crate::scene::edit::Edit;
use crate::ui::command::EditStep;
use crate::ui::names::{capitalized, without_extension};
use crate::ui::notices::{NoticeAction, NoticeOffer};
use glam::Vec3;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// How large levels usually are across, metres.
const USUAL_SIZE: RangeInclusive<f32> = 2.0..=1500.0;
/// Factors to metres of levels that are larger, and of levels that are smaller, the more likely first.
const SHRINKING: [f32; 2] = [0.01, 0.001];
const GROWING: [f32; 2] = [100.0, 1000.0];
/// Smallest level whose walls are looked at, metres across.
const MIN_GIANT: f32 = 270.0;
/// Height of the lowest tenth of walls beyond which such a level is taken for one in centimetres: its steps and doors are as tall as
/// houses, metres.
const GIANT_WALLS: f32 = 5.4;
/// Fewest triangles of walls that tell something.
const MIN_WALLS: usize = 12;
/// Least part of the normal of what is flat, and greatest of what is upright, along the axis upwards.
const FLAT: f32 = 0.7;
const UPRIGHT: f32 = 0.1;
/// Height of a level that may lie on its side, at most, as a part of its shorter side.
const LYING_HEIGHT: f32 = 0.7;
/// How much more of a level that lies on its side is flat along Z than along Y.
const LYING_AREA: f64 = 1.2;
/// Least share of it that faces along Z, and not against it: floors.
const LYING_UP: f64 = 0.4;

/// What would make a level as it was most likely meant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LevelFit {
    /// Longest side of its plan as it is, metres.
    across: f32,
    /// Factor to its size.
    scale: f32,
    /// Whether its Z axis is up.
    is_lying: bool,
}

impl LevelFit {
    /// Looks at a level as it is placed. `None` where nothing is strange.
    fn of(triangles: &[[Vec3; 3]]) -> Option<Self> {
        let bounds = Aabb::from_points(triangles.iter().flatten().copied());
        let size = bounds.size();
        if bounds.is_empty() || !size.is_finite() {
            return None;
        }
        let is_lying = is_lying(triangles, size);
        let (up, side) = if is_lying { (Vec3::Z, size.y) } else { (Vec3::Y, size.z) };
        let across = size.x.max(side);
        let is_giant = across > MIN_GIANT && lowest_walls(triangles, up).is_some_and(|height| height > GIANT_WALLS);
        let scale = match () {
            () if across > *USUAL_SIZE.end() => usual_factor(across, SHRINKING),
            () if across < *USUAL_SIZE.start() => usual_factor(across, GROWING),
            () if is_giant => SHRINKING[0],
            () => 1.0,
        };
        (scale != 1.0 || is_lying).then_some(Self { across, scale, is_lying })
    }

    /// What is strange, as it follows the name of the level.
    fn problems(&self) -> String {
        let unit = match self.scale {
            scale if scale == SHRINKING[0] => ", as one in centimetres is",
            scale if scale < 1.0 => ", as one in millimetres is",
            _ => ", too small to walk in",
        };
        let places = if self.across < 10.0 { 2 } else { 0 };
        let size = (self.scale != 1.0).then(|| format!("is {:.places$} m across{unit}", self.across));
        let lies = self.is_lying.then(|| "lies on its side, with Z up in the file".to_owned());
        size.into_iter().chain(lies).collect::<Vec<_>>().join(" and ")
    }

    /// What would mend it, as an order.
    fn remedies(&self) -> String {
        let scale = (self.scale != 1.0).then(|| format!("scale by {}", self.scale));
        let turn = self.is_lying.then(|| "stand it up".to_owned());
        scale.into_iter().chain(turn).collect::<Vec<_>>().join(", ")
    }
}

/// The first factor that makes a level of usual size, else the last.
fn usual_factor(across: f32, factors: [f32; 2]) -> f32 {
    factors.into_iter().find(|factor| USUAL_SIZE.contains(&(across * factor))).unwrap_or(factors[1])
}

/// Whether a level is flat along Z, and what is flat in it looks that way.
fn is_lying(triangles: &[[Vec3; 3]], size: Vec3) -> bool {
    if size.z > LYING_HEIGHT * size.x.min(size.y) {
        return false;
    }
    let (mut along_y, mut along_z, mut faces_z) = (0.0, 0.0, 0.0);
    for t in triangles {
        let (area, Some(normal)) = (f64::from(triangle::area(t)), triangle::normal(t)) else { continue };
        if normal.y.abs() > FLAT {
            along_y += area;
        } else if normal.z.abs() > FLAT {
            along_z += area;
            faces_z += if normal.z > 0.0 { area } else { 0.0 };
        }
    }
    along_z > LYING_AREA * along_y && faces_z > LYING_UP * along_z
}

/// Height below which a tenth of the walls are, metres; `None` of a level with few.
fn lowest_walls(triangles: &[[Vec3; 3]], up: Vec3) -> Option<f32> {
    let upright = triangles.iter().filter(|t| triangle::normal(t).is_some_and(|normal| normal.dot(up).abs() < UPRIGHT));
    let height = |t: &[Vec3; 3]| {
        let [a, b, c] = t.map(|p| p.dot(up));
        a.max(b).max(c) - a.min(b).min(c)
    };
    let mut heights: Vec<f32> = upright.map(height).filter(|height| *height > 0.0).collect();
    let at = heights.len() / 10;
    (heights.len() >= MIN_WALLS).then(|| *heights.select_nth_unstable_by(at, f32::total_cmp).1)
}

impl App {
    /// The triangles of a level where the scene places it; none while its file is not there.
    fn triangles_of(&self, level: &Arc<SceneLevel>) -> Vec<[Vec3; 3]> {
        let Some((_, model)) = self.assets.by_file(level) else { return Vec::new() };
        let mut triangles = Vec::new();
        append_triangles(model, &level.world_from_model(), NodeTransforms::All, &mut triangles);
        triangles.into_iter().map(|triangle| triangle.points).collect()
    }

    /// Says what is strange about levels that were added and whose files are there now, with a button that mends it.
    pub(super) fn note_levels(&mut self) {
        for id in std::mem::take(&mut self.importing_levels) {
            let Some(level) = self.scene.levels.get(id) else { continue };
            if self.assets.by_file(level).is_none() {
                if !self.assets.has_failed(level) {
                    self.importing_levels.push(id);
                }
                continue;
            }
            let Some(fit) = LevelFit::of(&self.triangles_of(level)) else { continue };
            let more = if fit.scale == 1.0 { "" } else { " The doctor (Shift+F7) says more about its unit." };
            let text = format!("{} {}.{more}", without_extension(&level.name), fit.problems());
            let action = NoticeAction::FitLevel(id);
            self.notices.offer(text, NoticeOffer { label: capitalized(&fit.remedies()), action });
        }
    }

    /// Scales a level and stands it up as it was most likely meant, in one step, and brings the camera to it.
    pub(super) fn fit_level(&mut self, id: LevelId) {
        let Some(level) = self.scene.levels.get(id) else { return };
        let Some(fit) = LevelFit::of(&self.triangles_of(level)) else { return };
        let name = format!("fit level {}", without_extension(&level.name));
        let mut to = SceneLevel::clone(level);
        to.scale *= fit.scale;
        to.swap_axes |= fit.is_lying;
        self.edit(EditStep { name, edit: Edit::SetLevel { id, to }, merge: None });
        self.show_levels(&[id]);
    }

    /// Brings the camera to where levels are seen whole, as the scene places them: the world may still have them as they were.
    pub(super) fn show_levels(&mut self, ids: &[LevelId]) {
        let levels = ids.iter().filter_map(|id| self.scene.levels.get(*id));
        let points: Vec<Vec3> = levels.flat_map(|level| self.triangles_of(level)).flatten().collect();
        if !points.is_empty() {
            self.awaits_level = false;
            self.show_from_above(&points);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A room of this size, metres, with steps of 0.2 m in it, times a factor: floor, four walls, and the risers.
    fn room(size: Vec3, factor: f32) -> Vec<[Vec3; 3]> {
        let mut triangles = Vec::new();
        let mut quad = |a: Vec3, u: Vec3, v: Vec3| {
            let [a, b, c, d] = [a, a + u, a + u + v, a + v].map(|p| p * factor);
            triangles.extend([[a, b, c], [a, c, d]]);
        };
        let (x, y, z) = (Vec3::X * size.x, Vec3::Y * size.y, Vec3::Z * size.z);
        quad(Vec3::ZERO, z, x);
        for (at, along) in [(Vec3::ZERO, x), (z, x), (Vec3::ZERO, z), (x, z)] {
            quad(at, along, y);
        }
        for step in 0..4 {
            quad(Vec3::Z * step as f32, x, Vec3::Y * 0.2);
        }
        triangles
    }

    #[test]
    fn levels_in_metres_that_stand_are_left_alone() {
        for size in [Vec3::new(20.0, 6.0, 20.0), Vec3::new(120.0, 3.0, 4.0), Vec3::new(400.0, 6.0, 400.0)] {
            assert_eq!(LevelFit::of(&room(size, 1.0)), None, "{size}");
        }
        assert_eq!(LevelFit::of(&[]), None);
    }

    #[test]
    fn other_units_are_told_by_the_size_and_by_walls() {
        let scale = |size: Vec3, factor: f32| LevelFit::of(&room(size, factor)).map(|fit| fit.scale);
        assert_eq!(scale(Vec3::new(40.0, 6.0, 30.0), 100.0), Some(0.01));
        assert_eq!(scale(Vec3::new(10.0, 3.0, 8.0), 100.0), Some(0.01), "a small room is told by its steps");
        assert_eq!(scale(Vec3::new(2000.0, 6.0, 300.0), 1000.0), Some(0.001));
        assert_eq!(scale(Vec3::new(20.0, 6.0, 20.0), 0.01), Some(100.0));
        let fit = LevelFit::of(&room(Vec3::new(40.0, 6.0, 30.0), 100.0)).unwrap();
        assert_eq!(fit.problems(), "is 4000 m across, as one in centimetres is");
        assert_eq!(fit.remedies(), "scale by 0.01");
    }

    #[test]
    fn a_level_on_its_side_is_noticed() {
        // Y of the room is Z of the file.
        let lying: Vec<[Vec3; 3]> =
            room(Vec3::new(20.0, 4.0, 16.0), 1.0).iter().map(|t| t.map(|p| Vec3::new(p.x, -p.z, p.y))).collect();
        let fit = LevelFit::of(&lying).unwrap();
        assert_eq!((fit.scale, fit.is_lying), (1.0, true));
        assert_eq!(fit.problems(), "lies on its side, with Z up in the file");
        assert_eq!(fit.remedies(), "stand it up");
    }
}
