//! Whether a level is inside out: what has room above faces down, and what faces up has none.

use glam::Vec3;

use super::closed_bodies::SmallBodies;
use super::limits::AgentLimits;
use super::probe::LevelProbe;
use super::span_graph::least_area;
use super::welded::Welded;
use crate::math::triangle;

/// Most places of a level that are looked at.
const SAMPLES: f64 = 4096.0;
/// How much more of what an agent has room on must face down than up.
const MOSTLY: f64 = 4.0;
/// Least part of all that is flat that has to face down under the open sky, where what is under roofs does not tell.
const OPEN_SHARE: f64 = 0.1;
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

/// What tells that a level is inside out. Areas are square metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InsideOut {
    /// So much has room above it and faces down, and so much faces up.
    Ground { down: f64, up: f64 },
    /// So many closed bodies that no agent fits into face inwards, of so many.
    Bodies { inward: usize, all: usize },
}

/// Whether a level is inside out, and by what.
pub(super) fn examine(welded: &Welded<'_>, limits: &AgentLimits) -> Option<InsideOut> {
    let places = flat_places(welded.triangles, limits);
    let area = |is_counted: &dyn Fn(&FlatPlace) -> bool| {
        places.iter().filter(|place| is_counted(place)).map(|place| place.area).sum::<f64>()
    };
    let facing_down = area(&|place| !place.faces_up);
    let least = f64::from(least_area(limits));
    // Closed bodies have as much of both, open ones more that faces up.
    if facing_down < 0.5 * area(&|place| place.faces_up) || facing_down < least {
        return None;
    }
    let roomy = RoomyPlaces::of(&places, welded.triangles, limits);
    let is_mostly = |down: f64, up: f64| down >= least && down > MOSTLY * up;
    let [down, up] = [&roomy.down, &roomy.up].map(|list| list.iter().map(|place| place.area).sum::<f64>());
    if is_mostly(down, up) {
        return Some(InsideOut::Ground { down, up });
    }
    // Thick bodies that are turned look like rooms from inside, but none of those lies under the open sky.
    let open = |list: &[RoomyPlace]| list.iter().filter(|place| place.is_open).map(|place| place.area).sum::<f64>();
    let (open_down, open_up) = (open(&roomy.down), open(&roomy.up));
    if is_mostly(open_down, open_up) && open_down >= OPEN_SHARE * area(&|_| true) {
        return Some(InsideOut::Ground { down: open_down, up: open_up });
    }
    // Where the ground faces up, bodies alone are turned.
    if up > MOSTLY * (down + roomy.hanging) {
        return None;
    }
    let bodies = SmallBodies::of(welded, limits);
    bodies.are_inside_out().then_some(InsideOut::Bodies { inward: bodies.inward, all: bodies.all })
}

/// A place with room above it.
struct RoomyPlace {
    area: f64,
    /// Whether nothing is above it; the ceiling of a room whose floor faces down is not.
    is_open: bool,
}

/// The places with room above them.
struct RoomyPlaces {
    up: Vec<RoomyPlace>,
    /// Those that face down and are no ceilings.
    down: Vec<RoomyPlace>,
    /// Area of those that face down over ground: its ceilings.
    hanging: f64,
}

impl RoomyPlaces {
    fn of(places: &[FlatPlace], triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Self {
        let probe = LevelProbe::new(triangles);
        let flat = limits.slope_rad.cos();
        let mut of_side = [Vec::new(), Vec::new()];
        for place in places {
            let above = probe.facing_above(place.at, HERE);
            if above.is_none_or(|(y, _)| y - place.at.y >= limits.height) {
                of_side[usize::from(place.faces_up)].push((place, above.map(|(_, facing)| facing)));
            }
        }
        let [below, ground] = of_side;
        let highest = ground.iter().map(|(place, _)| place.at.y).fold(f32::NEG_INFINITY, f32::max);
        let sky = highest + SKY * limits.height;
        let hangs = |place: &FlatPlace| match probe.below(place.at, HERE) {
            Some((y, faces_up)) => faces_up && place.at.y - y >= limits.height,
            None => !ground.is_empty() && place.at.y > sky,
        };
        let is_over_turned_floor = |place: &FlatPlace| {
            let below = probe.below(place.at, HERE);
            !place.faces_up && below.is_some_and(|(y, faces_up)| !faces_up && place.at.y - y >= limits.height)
        };
        let roomy = |(place, above): &(&FlatPlace, Option<f32>)| {
            let is_open = above.is_none() && !is_over_turned_floor(place);
            RoomyPlace { area: place.area, is_open }
        };
        let (mut down, mut hanging) = (Vec::new(), 0.0);
        for found in &below {
            // Under slopes that face up it is the underside of a body, as of a rock.
            let is_underside = found.1.is_some_and(|up| up > 0.0 && up < flat);
            match hangs(found.0) {
                true => hanging += found.0.area,
                false if !is_underside => down.push(roomy(found)),
                false => (),
            }
        }
        Self { up: ground.iter().map(roomy).collect(), down, hanging }
    }
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
    use super::super::watch::DoctorWatch;
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

    fn told(triangles: &[[Vec3; 3]]) -> Option<InsideOut> {
        examine(&Welded::new(triangles, &DoctorWatch::default()).unwrap(), &PERSON)
    }

    #[test]
    fn bodies_are_told_inside_out_by_what_has_room_above() {
        let thin = body([0.0, -0.3, 0.0], [12.0, 0.0, 9.0]);
        let thick = body([0.0, -1.5, 0.0], [12.0, 0.0, 9.0]);
        let walls = [body([-0.3, 0.0, 0.0], [0.0, 2.8, 9.0]), body([12.0, 0.0, 0.0], [12.3, 2.8, 9.0])].concat();
        let house = [thin.clone(), walls, body([-0.3, 2.8, -0.3], [12.3, 3.0, 9.3])].concat();
        for (name, level) in [("thin", thin), ("thick", thick), ("house", house)] {
            assert_eq!(told(&level), None, "{name}");
            let told = told(&turned(&level));
            let is_right = |told| matches!(told, InsideOut::Ground { down, up } if down > 100.0 && up < 8.0);
            assert!(told.is_some_and(is_right), "{name}: {told:?}");
        }
    }

    #[test]
    fn rooms_with_one_turned_floor_are_not_inside_out() {
        // Rooms seen from inside, under the open sky.
        let room = |k: usize| turned(&body([8.0 * k as f32, 0.0, 0.0], [8.0 * k as f32 + 7.5, 3.0, 4.0]));
        let mut rooms: Vec<[Vec3; 3]> = (0..5).flat_map(room).collect();
        assert_eq!(told(&rooms), None);
        let floor = |t: &&mut [Vec3; 3]| t.iter().all(|p| p.y == 0.0 && (16.0..23.6).contains(&p.x));
        rooms.iter_mut().filter(floor).for_each(|t| t.swap(1, 2));
        assert_eq!(told(&rooms), None, "one of five floors is turned");
    }

    #[test]
    fn yards_between_thick_walls_are_told_inside_out() {
        // Ground without an underside.
        let ground = body([0.0, -0.3, 0.0], [12.0, 0.0, 12.0])[..2].to_vec();
        let walls = (0..4).flat_map(|k| body([3.0 * k as f32, 0.0, 0.0], [3.0 * k as f32 + 1.5, 4.0, 12.0]));
        let yard: Vec<[Vec3; 3]> = ground.into_iter().chain(walls).collect();
        assert_eq!(told(&yard), None);
        let told = told(&turned(&yard));
        assert!(matches!(told, Some(InsideOut::Ground { down, up }) if down > 60.0 && up < 1.0), "{told:?}");
    }

    #[test]
    fn rooms_are_told_inside_out_by_what_stands_in_them() {
        // A hall seen from inside, with tables and a partition; turned it is a block with hollows in it.
        let shell = turned(&body([0.0, 0.0, 0.0], [12.0, 3.0, 9.0]));
        let wall = body([6.0, 0.0, 0.0], [6.2, 3.0, 7.0]);
        let tables = (0..3).flat_map(|k| body([1.0, 0.7, 1.0 + 2.5 * k as f32], [2.4, 0.75, 2.0 + 2.5 * k as f32]));
        let hall: Vec<[Vec3; 3]> = shell.into_iter().chain(wall).chain(tables).collect();
        assert_eq!(told(&hall), None);
        assert_eq!(told(&turned(&hall)), Some(InsideOut::Bodies { inward: 4, all: 4 }));
        // A yard whose things are turned has ground all the same.
        let ground = body([-20.0, -0.5, -20.0], [20.0, 0.0, 20.0]);
        let crates = (0..3).flat_map(|k| turned(&body([4.0 * k as f32, 0.0, 0.0], [4.0 * k as f32 + 1.0, 1.0, 1.0])));
        assert_eq!(told(&ground.into_iter().chain(crates).collect::<Vec<_>>()), None);
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
            assert_eq!(told(&rock), None, "{top}");
        }
    }

    #[test]
    fn rooms_and_skies_are_not_inside_out() {
        // Seen from inside.
        let room = turned(&body([0.0, 0.0, 0.0], [10.0, 3.0, 8.0]));
        assert_eq!(told(&room), None);
        let sky = turned(&body([-200.0, -1.0, -200.0], [200.0, 150.0, 200.0]))[..2].to_vec();
        let yard = body([0.0, -0.5, 0.0], [20.0, 0.0, 20.0]);
        assert_eq!(told(&[sky, yard].concat()), None);
    }
}
