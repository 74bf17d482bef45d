//! Which triangles of a level are others than before.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};
use glam::Vec3;

use crate::math::Aabb;

/// Boxes around changed triangles are put together by the cells that their middles lie in: the edge of one, metres.
const CELL: f32 = 2.0;

/// The coordinates of a triangle to the last bit.
type TriangleKey = [u32; 9];

fn key(triangle: &[Vec3; 3]) -> TriangleKey {
    let mut key = [0; 9];
    let coordinates = triangle.iter().flat_map(|p| p.to_array());
    key.iter_mut().zip(coordinates).for_each(|(bits, c)| *bits = c.to_bits());
    key
}

/// Boxes around all triangles of a level that came or went: outside of them the triangles are the same, in the same order.
/// Empty where all are. `None` where triangles that stayed follow each other otherwise than before.
pub fn changed_boxes(before: &[[Vec3; 3]], now: &[[Vec3; 3]]) -> Option<Vec<Aabb>> {
    let is_same = |(a, b): &(&[Vec3; 3], &[Vec3; 3])| key(a) == key(b);
    let head = before.iter().zip(now).take_while(is_same).count();
    let (before, now) = (&before[head..], &now[head..]);
    let tail = before.iter().rev().zip(now.iter().rev()).take_while(is_same).count();
    let (before, now) = (&before[..before.len() - tail], &now[..now.len() - tail]);

    let mut spare: HashMap<TriangleKey, u32> = HashMap::with_capacity(before.len());
    before.iter().for_each(|triangle| *spare.entry(key(triangle)).or_default() += 1);
    let mut kept: HashMap<TriangleKey, u32> = HashMap::with_capacity(before.len());
    let mut boxes = ChangedBoxes::default();
    let mut order = Vec::with_capacity(now.len());
    for triangle in now {
        let key = key(triangle);
        match spare.get_mut(&key).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                *kept.entry(key).or_default() += 1;
                order.push(key);
            }
            None => boxes.add(triangle),
        }
    }
    let mut order = order.into_iter();
    for triangle in before {
        let key = key(triangle);
        match kept.get_mut(&key).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                if order.next() != Some(key) {
                    return None;
                }
            }
            None => boxes.add(triangle),
        }
    }
    Some(boxes.by_cell.into_values().collect())
}

/// Boxes around triangles, one for each cell.
#[derive(Default)]
struct ChangedBoxes {
    by_cell: BTreeMap<[i32; 3], Aabb>,
}

impl ChangedBoxes {
    fn add(&mut self, triangle: &[Vec3; 3]) {
        let bounds = Aabb::from_points(*triangle);
        // Saturates; what is no number lies in the first cell.
        let cell = (bounds.center() / CELL).to_array().map(|c| c.floor() as i32);
        let known = self.by_cell.entry(cell).or_insert(Aabb::EMPTY);
        *known = known.union(&bounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(x: f32) -> [Vec3; 3] {
        [Vec3::new(x, 0.0, 0.0), Vec3::new(x, 0.0, 1.0), Vec3::new(x + 1.0, 0.0, 0.0)]
    }

    fn row(places: &[f32]) -> Vec<[Vec3; 3]> {
        places.iter().map(|&x| triangle(x)).collect()
    }

    #[test]
    fn what_came_and_went_lies_in_the_boxes() {
        let before = row(&[0.0, 10.0, 20.0, 30.0, 30.0, 40.0]);
        assert_eq!(changed_boxes(&before, &before), Some(Vec::new()));
        let boxes = |now: &[f32]| {
            let boxes = changed_boxes(&before, &row(now)).unwrap();
            boxes.iter().map(|b| [b.min.x, b.max.x]).collect::<Vec<_>>()
        };
        // Moved, gone, one of two alike gone, and come; those of one cell share a box.
        assert_eq!(boxes(&[0.0, 10.0, 23.0, 30.0, 30.0, 40.0]), [[20.0, 21.0], [23.0, 24.0]]);
        assert_eq!(boxes(&[0.0, 20.0, 30.0, 30.0, 40.0]), [[10.0, 11.0]]);
        assert_eq!(boxes(&[0.0, 10.0, 20.0, 30.0, 40.0]), [[30.0, 31.0]]);
        assert_eq!(boxes(&[0.0, 10.0, 50.0, 50.25, 20.0, 30.0, 30.0, 40.0]), [[50.0, 51.25]]);
        assert_eq!(boxes(&[]).len(), 5);
    }

    #[test]
    fn triangles_in_another_order_are_another_level() {
        let before = row(&[0.0, 10.0, 20.0, 30.0]);
        assert_eq!(changed_boxes(&before, &row(&[0.0, 20.0, 10.0, 30.0])), None);
        assert_eq!(changed_boxes(&before, &row(&[10.0, 20.0, 30.0, 0.0])), None);
    }
}
