//! Whether a level is inside out: what has room above faces down, and what faces up has none.

use glam::Vec3;

use super::limits::AgentLimits;
use super::probe::LevelProbe;
use super::span_graph::least_area;
use crate::math::triangle;

/// Most places of a level that are looked at.
const SAMPLES: f64 = 4096.0;
/// How much more of what an agent has room on must face down than up.
const MOSTLY: f64 = 4.0;
/// What lies nearer above a place is the place itself, metres.
const HERE: f32 = 0.02;
/// How far above all ground, in agents' heights, nothing is ground any more, but a sky.
const SKY: f32 = 3.0;

/// A place on a triangle that is flat enough to walk on.
struct FlatPlace {
    at: Vec3,
    faces_up: bool,
    /// Square metres for which it stands.
    area: f64,
}

/// The area that faces down and has room above it, square metres, and the area that faces up and has; `None` where most of what
/// has room faces up. What hangs over ground is its ceiling, and counts for nothing.
pub(super) fn areas(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Option<[f64; 2]> {
    let places = flat_places(triangles, limits);
    let of = |up: bool| places.iter().filter(move |p| p.faces_up == up);
    let sum = |up: bool| of(up).map(|p| p.area).sum::<f64>();
    // Closed bodies have as much of both, open ones more that faces up.
    if sum(false) < 0.5 * sum(true) || sum(false) < f64::from(least_area(limits)) {
        return None;
    }
    let probe = LevelProbe::new(triangles);
    let has_room =
        |place: &&FlatPlace| probe.above(place.at, HERE).is_none_or(|(y, _)| y - place.at.y >= limits.height);
    let ground: Vec<&FlatPlace> = of(true).filter(has_room).collect();
    let up: f64 = ground.iter().map(|place| place.area).sum();
    let sky = ground.iter().map(|place| place.at.y).fold(f32::NEG_INFINITY, f32::max) + SKY * limits.height;
    let hangs = |place: &FlatPlace| match probe.below(place.at, HERE) {
        Some((y, faces_up)) => faces_up && place.at.y - y >= limits.height,
        None => !ground.is_empty() && place.at.y > sky,
    };
    // Under slopes that face up it is the underside of a body, as of a rock.
    let flat = limits.slope_rad.cos();
    let is_underside =
        |place: &FlatPlace| probe.facing_above(place.at, HERE).is_some_and(|(_, up)| up > 0.0 && up < flat);
    let down = of(false).filter(has_room).filter(|place| !hangs(place) && !is_underside(place));
    let down: f64 = down.map(|place| place.area).sum();
    (down >= f64::from(least_area(limits)) && down > MOSTLY * up).then_some([down, up])
}

/// Places all over what is flat enough to walk on.
fn flat_places(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Vec<FlatPlace> {
    let flat = limits.slope_rad.cos();
    let facing = |t: &[Vec3; 3]| {
        let y = triangle::normal(t)?.y;
        (y.abs() >= flat && t.iter().all(|p| p.is_finite())).then_some(y > 0.0)
    };
    let area = |t: &[Vec3; 3]| f64::from(triangle::area(t));
    let of_flat = || triangles.iter().filter_map(|t| Some((t, facing(t)?)));
    let each = of_flat().map(|(t, _)| area(t)).sum::<f64>() / SAMPLES;
    let (mut places, mut passed) = (Vec::new(), 0.0);
    for (t, faces_up) in of_flat() {
        passed += area(t);
        let count = (passed / each) as usize;
        passed -= count as f64 * each;
        places.extend((0..count).map(|k| FlatPlace { at: spread(t, k), faces_up, area: each }));
    }
    places
}

/// The place with this number of those that are spread over a triangle (R2 sequence of M. Roberts).
fn spread(t: &[Vec3; 3], number: usize) -> Vec3 {
    let along = |step: f64| (0.4 + step * number as f64).fract() as f32;
    let (mut u, mut v) = (along(0.754_877_666_246_692_7), along(0.569_840_290_998_053_2));
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::*;

    /// A closed body between two corners.
    fn body(low: [f32; 3], high: [f32; 3]) -> Vec<[Vec3; 3]> {
        let [a, b] = [low, high].map(Vec3::from_array);
        let corner = |k: usize| {
            let pick = |bit: usize, axis: usize| if k >> bit & 1 == 1 { b[axis] } else { a[axis] };
            Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2))
        };
        let faces = [[2, 6, 7, 3], [0, 1, 5, 4], [0, 4, 6, 2], [1, 3, 7, 5], [0, 2, 3, 1], [4, 5, 7, 6]];
        faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).map(|f| f.map(corner)).collect()
    }

    fn turned(triangles: &[[Vec3; 3]]) -> Vec<[Vec3; 3]> {
        triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()
    }

    #[test]
    fn bodies_are_told_inside_out_by_what_has_room_above() {
        let thin = body([0.0, -0.3, 0.0], [12.0, 0.0, 9.0]);
        let thick = body([0.0, -1.5, 0.0], [12.0, 0.0, 9.0]);
        let walls = [body([-0.3, 0.0, 0.0], [0.0, 2.8, 9.0]), body([12.0, 0.0, 0.0], [12.3, 2.8, 9.0])].concat();
        let house = [thin.clone(), walls, body([-0.3, 2.8, -0.3], [12.3, 3.0, 9.3])].concat();
        for (name, level) in [("thin", thin), ("thick", thick), ("house", house)] {
            assert_eq!(areas(&level, &PERSON), None, "{name}");
            let [down, up] = areas(&turned(&level), &PERSON).expect(name);
            assert!(down > 100.0 && up < 8.0, "{name}: {down} {up}");
        }
    }

    #[test]
    fn undersides_of_steep_bodies_are_not_inside_out() {
        // A rock with a top of a square metre, and one with none.
        for top in [0.5, 0.0] {
            let at = |x: f32, z: f32, y: f32| Vec3::new(x, y, z);
            let low = [at(-5.0, -5.0, 0.0), at(-5.0, 5.0, 0.0), at(5.0, 5.0, 0.0), at(5.0, -5.0, 0.0)];
            let high = low.map(|p| (p * top / 5.0).with_y(9.0));
            let mut rock = vec![[low[0], low[2], low[1]], [low[0], low[3], low[2]]];
            for k in 0..4 {
                let [a, b, c, d] = [low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]];
                rock.extend([[a, b, c], [a, c, d]]);
            }
            rock.extend([[high[0], high[1], high[2]], [high[0], high[2], high[3]]]);
            assert_eq!(areas(&rock, &PERSON), None, "{top}");
        }
    }

    #[test]
    fn rooms_and_skies_are_not_inside_out() {
        // Seen from inside.
        let room = turned(&body([0.0, 0.0, 0.0], [10.0, 3.0, 8.0]));
        assert_eq!(areas(&room, &PERSON), None);
        let sky = turned(&body([-200.0, -1.0, -200.0], [200.0, 150.0, 200.0]))[..2].to_vec();
        let yard = body([0.0, -0.5, 0.0], [20.0, 0.0, 20.0]);
        assert_eq!(areas(&[sky, yard].concat(), &PERSON), None);
    }
}
