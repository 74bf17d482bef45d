//! The brush that paints ground as not passable.

use super::{Gesture, NavTools, step};
use crate::scene::SceneNav;
use crate::scene::barred_cells::BarredCells;
use crate::ui::command::EditStep;
use glam::{Vec3, Vec3Swizzles};

impl NavTools {
    /// Paints the cells between the brush's last place and `at`: not passable, or passable again where `erases`.
    /// `ground` gives the ground of the mesh near a place. Nothing without a brush, and where nothing changes.
    pub fn paint(
        &mut self,
        nav: &SceneNav,
        (gesture, erases): (Gesture, bool),
        at: Vec3,
        ground: impl Fn(Vec3) -> Option<Vec3>,
    ) -> Option<EditStep> {
        let radius = self.brush?;
        let from = match gesture {
            Gesture::Press { .. } => at,
            Gesture::Drag => self.stroke?,
            Gesture::Release => {
                self.stroke = None;
                return None;
            }
        };
        self.stroke = Some(at);
        let steps = (from.distance(at) / (radius * 0.5)).ceil().clamp(1.0, 1000.0) as u32;
        let mut to = nav.clone();
        let mut has_changed = false;
        for i in 0..=steps {
            let middle = from.lerp(at, i as f32 / steps as f32);
            for place in disc(middle, radius) {
                if let Some(ground) = ground(place).filter(|ground| is_below(*ground, place)) {
                    has_changed |= to.barred_cells.set(BarredCells::cell_at(place.with_y(ground.y)), !erases);
                }
            }
        }
        let name = if erases { "let ground through" } else { "block ground" };
        has_changed.then(|| step(name.into(), to))
    }
}

/// Whether the mesh lies right below or above a cell's middle.
fn is_below(ground: Vec3, place: Vec3) -> bool {
    ground.xz().distance(place.xz()) < 0.5 * BarredCells::EDGE
}

/// The middles of the cells within a brush, at its height; that under it at least.
fn disc(middle: Vec3, radius: f32) -> impl Iterator<Item = Vec3> {
    let [low, high] = [-1.0, 1.0].map(|side| BarredCells::cell_at(middle + Vec3::new(side, 0.0, side) * radius));
    let own = BarredCells::cell_at(middle);
    let cells = (low[2]..=high[2]).flat_map(move |z| (low[0]..=high[0]).map(move |x| [x, own[1], z]));
    let near = move |cell: &[i32; 3]| *cell == own || BarredCells::middle(*cell).xz().distance(middle.xz()) <= radius;
    cells.filter(near).map(move |cell| BarredCells::middle(cell).with_y(middle.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Ray;
    use crate::scene::edit::Edit;

    #[test]
    fn a_stroke_bars_ground_without_gaps_and_is_erased() {
        let mut tools = NavTools::default();
        let press = Gesture::Press { ray: Ray { origin: Vec3::Y, direction: Vec3::NEG_Y }, shift: false };
        let ground = |place: Vec3| (place.x < 3.0).then(|| place.with_y(0.1));
        let nav_of = |step: Option<EditStep>| match step.unwrap().edit {
            Edit::SetNav(nav) => *nav,
            other => panic!("{other:?}"),
        };
        let start = Vec3::new(0.1, 0.0, 0.1);
        let first = nav_of(tools.paint(&SceneNav::default(), (press, false), start, ground));
        assert!(tools.paint(&first, (Gesture::Drag, false), start, ground).is_none(), "nothing is new");
        let stroke = nav_of(tools.paint(&first, (Gesture::Drag, false), start + Vec3::X * 5.0, ground));
        assert!(tools.paint(&stroke, (Gesture::Release, false), start, ground).is_none());
        let row: Vec<_> = stroke.barred_cells.iter().filter(|cell| cell[2] == 0).map(|cell| cell[0]).collect();
        assert_eq!(row, (-2..12).collect::<Vec<_>>(), "up to where the mesh ends");
        assert!(tools.paint(&stroke, (Gesture::Drag, true), start, ground).is_none(), "nothing is held any more");
        tools.brush = Some(9.0);
        let erased = nav_of(tools.paint(&stroke, (press, true), start, ground));
        assert!(erased.barred_cells.is_empty());
        tools.brush = None;
        assert!(tools.paint(&stroke, (press, true), start, ground).is_none());
    }
}
