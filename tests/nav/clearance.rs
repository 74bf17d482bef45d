//! Paths with a radius: distances to walls, known lengths, and the plain path for radius 0.

use crate::fixture;
use glam::{DVec3, Vec3};
use walkabout::math::plan;
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use walkabout::nav::query::QueryError;
use walkabout::nav::query::clearance::*;
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::query::polyanya::{Polyanya, ShortestPath};
use walkabout::nav::query::raycast::raycast;
use walkabout::nav::query::surface::Surface;

fn plan(rows: &[&str], cut: bool) -> NavMesh {
    fixture::plan(rows, cut).validate().unwrap()
}

fn at(mesh: &NavMesh, x: f64, z: f64) -> NavPoint {
    let point = mesh.local(DVec3::new(x, 0.0, z));
    NavPoint::new(PolyId((0..mesh.len() as u32).find(|&i| mesh.contains_2d(PolyId(i), point)).unwrap()), point)
}

fn length(path: &ClearancePath) -> f64 {
    path.points.windows(2).map(|w| f64::from(plan::distance(w[0].point, w[1].point))).sum()
}

/// The least distance of the path from walls, less the radius; points every centimetre.
fn clearance(mesh: &NavMesh, path: &ClearancePath, radius: f32) -> f32 {
    let (mut surface, filter) = (Surface::new(), Filter::default());
    let mut least = f32::INFINITY;
    for leg in path.points.windows(2) {
        let steps = (plan::distance(leg[0].point, leg[1].point) / 0.01).ceil().max(1.0) as usize;
        let from = NavPoint::new(PolyId(leg[0].polygon), leg[0].point);
        for k in 0..=steps {
            let point = leg[0].point.lerp(leg[1].point, k as f32 / steps as f32);
            let hit = raycast(mesh, from, point, &filter, |_| ());
            assert_eq!(hit.wall, None, "a path that leaves the ground");
            if let Some(wall) = surface.wall_distance(mesh, NavPoint::new(hit.polygon, point), radius, &filter) {
                least = least.min(wall.distance - radius);
            }
        }
    }
    least
}

#[test]
fn n_01_a_path_around_a_corner_is_two_lines_and_an_arc() {
    for cut in [false, true] {
        let mesh = plan(&["....", "....", "##..", "##.."], cut);
        let (start, end) = (at(&mesh, 0.5, 1.5), at(&mesh, 2.5, 3.5));
        let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
        for radius in [0.1f32, 0.25, 0.4] {
            paths.find(&mesh, start, end, &Filter::default(), radius, &mut path).unwrap();
            // Both ends lie √2.5 from the corner at (2, 2), their directions acos(−0.6) apart on the solid side.
            let (far, r) = (2.5f64.sqrt(), f64::from(radius));
            let turn = std::f64::consts::TAU - (-0.6f64).acos() - 2.0 * (r / far).acos();
            let expected = 2.0 * (far * far - r * r).sqrt() + r * turn;
            assert!((length(&path) - expected).abs() < 1e-3, "radius {radius}: {} for {expected}", length(&path));
            assert!(clearance(&mesh, &path, radius) > -1e-3, "radius {radius}");
        }
    }
}

#[test]
fn n_01_a_portal_seen_edge_on_is_entered_around_its_near_end() {
    // A landing along x with a stair from below at its left end and a corridor back down between x = 5 and 6.4.
    let stair = [(-2.0, -1.0), (0.0, -1.0), (0.0, 0.0), (-2.0, 0.0)];
    let landing = [(5.0, 0.0), (6.4, 0.0), (8.0, 0.0), (8.0, 2.0), (-2.0, 2.0)];
    let corridor = [(5.0, -10.0), (6.4, -10.0)];
    let corners = stair.iter().chain(&landing).chain(&corridor);
    let vertices = corners.map(|&(x, z)| DVec3::new(x, 0.0, z)).collect();
    let polygons = [vec![0, 1, 2, 3], vec![3, 2, 4, 5, 6, 7, 8], vec![9, 10, 5, 4]].map(RawPolygon::new).to_vec();
    let mesh = RawMesh { vertices, polygons }.validate().unwrap();
    let (start, end) = (at(&mesh, -1.0, -0.8), at(&mesh, 6.2, -8.0));
    let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
    paths.find(&mesh, start, end, &Filter::default(), 0.0, &mut path).unwrap();
    let shortest = length(&path);
    for radius in [0.1, 0.315, 0.6] {
        for (start, end) in [(start, end), (end, start)] {
            paths.find(&mesh, start, end, &Filter::default(), radius, &mut path).unwrap();
            // Both bends together turn by less than a half circle.
            let (long, most) = (length(&path) - shortest, std::f64::consts::PI * f64::from(radius));
            assert!(long > 0.0 && long < most, "radius {radius}: {long} m more than without");
            assert!(clearance(&mesh, &path, radius) > -1e-3, "radius {radius}");
        }
    }
}

#[test]
fn n_01_a_post_with_a_stepped_foot_is_passed_closely() {
    // A post in the middle of a round room; the steps of its foot are rings of polygons narrower than any agent.
    const SIDES: u32 = 10;
    let rings = [0.1, 0.16, 0.22, 5.0];
    let corner = |r: f64, k: u32| {
        let turn = std::f64::consts::TAU * f64::from(k) / f64::from(SIDES);
        DVec3::new(r * turn.cos(), 0.0, r * turn.sin())
    };
    let vertices = rings.iter().flat_map(|&r| (0..SIDES).map(move |k| corner(r, k))).collect();
    let polygons = (0..rings.len() as u32 - 1)
        .flat_map(|ring| (0..SIDES).map(move |k| (ring * SIDES + k, ring * SIDES + (k + 1) % SIDES)))
        .map(|(a, b)| RawPolygon::new(vec![a, b, b + SIDES, a + SIDES]))
        .collect();
    let mesh = RawMesh { vertices, polygons }.validate().unwrap();
    let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
    for k in 0..60 {
        let place = |turn: f64| at(&mesh, 4.0 * turn.cos(), 4.0 * turn.sin());
        let turn = 0.1 * f64::from(k);
        let (start, end) = (place(turn), place(turn + 3.0));
        for radius in [0.05, 0.1, 0.315, 0.6, 1.0] {
            paths.find(&mesh, start, end, &Filter::default(), radius, &mut path).unwrap();
            // Around a disc of the post's and the agent's radius, in the worst case half around.
            let (long, reach) = (length(&path), f64::from(radius) + rings[0]);
            assert!(long < 8.0 + (std::f64::consts::PI - 2.0) * reach, "turn {turn:.1}, radius {radius}: {long} m");
            assert!(clearance(&mesh, &path, radius) > -1e-3, "turn {turn:.1}, radius {radius}");
        }
    }
}

#[test]
fn n_01_radius_0_is_the_plain_path() {
    let mesh = plan(&["......", ".##.#.", "......", ".#.##.", "......"], true);
    let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
    let (mut plain, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    for (start, end) in [((0.5, 0.5), (5.5, 4.5)), ((0.2, 4.7), (5.9, 0.1)), ((3.3, 0.5), (2.5, 3.5))] {
        let (start, end) = (at(&mesh, start.0, start.1), at(&mesh, end.0, end.1));
        for radius in [0.0, -1.0, f32::NAN] {
            paths.find(&mesh, start, end, &Filter::default(), radius, &mut path).unwrap();
            plain.find(&mesh, start, end, &Filter::default(), &mut corridor).unwrap();
            straight_path(&mesh, &corridor, start.point, end.point, Crossings::None, &mut line);
            assert_eq!((&path.corridor, &path.points), (&corridor, &line));
        }
    }
}

#[test]
fn n_01_nobody_of_endless_radius_fits_anywhere() {
    let mesh = plan(&["......", ".##.#.", "......"], false);
    let (start, end) = (at(&mesh, 0.5, 0.5), at(&mesh, 5.5, 2.5));
    let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
    let (mut exact, mut shortest) = (Polyanya::new(), ShortestPath::default());
    let narrow = Err(QueryError::TooNarrow(start.polygon.0, end.polygon.0));
    assert_eq!(paths.find(&mesh, start, end, &Filter::default(), f32::INFINITY, &mut path), narrow);
    let found = exact.find_for_disc(&mesh, [start, end], &Filter::default(), f32::INFINITY, &mut shortest);
    assert_eq!(found, narrow);
    assert!(path.points.is_empty() && shortest.points.is_empty());
}

/// Requirement: E-4
#[test]
fn n_01_narrow_doors_pass_thin_agents_alone() {
    // Both rooms are joined by a door 1 wide and, below, by one 2 wide.
    let mesh = plan(&["...#...", "...#...", ".......", "...#...", "...#...", ".......", ".......", "...#..."], false);
    let (start, end) = (at(&mesh, 1.5, 2.5), at(&mesh, 5.5, 2.5));
    let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
    let mut request =
        |radius: f32| paths.find(&mesh, start, end, &Filter::default(), radius, &mut path).map(|()| path.clone());
    let straight = request(0.49).unwrap();
    assert!((length(&straight) - 4.0).abs() < 1e-3 && clearance(&mesh, &straight, 0.49) > -1e-3);
    let around = request(0.7).unwrap();
    assert!(length(&around) > 7.0 && clearance(&mesh, &around, 0.7) > -1e-3, "{}", length(&around));
    assert_eq!(request(1.2).unwrap_err(), QueryError::TooNarrow(start.polygon.0, end.polygon.0));
    assert!(QueryError::TooNarrow(1, 2).to_string().contains("too narrow"));
}

#[test]
fn n_01_random_rooms_keep_their_distance() {
    let (mut paths, mut path, filter) = (ClearancePaths::new(), ClearancePath::default(), Filter::default());
    let mut state = 7u64;
    let mut chance = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let (mut found, mut whole) = (0, 0);
    for round in 0..25 {
        let rows: Vec<String> =
            (0..9).map(|_| (0..9).map(|_| if chance() < 0.2 { '#' } else { '.' }).collect()).collect();
        let mesh = plan(&rows.iter().map(String::as_str).collect::<Vec<_>>(), round % 2 == 0);
        for radius in [0.05, 0.2, 0.35] {
            for _ in 0..6 {
                let places =
                    [0; 2].map(|_| walkabout::nav::query::random::random_point(&mesh, &filter, &mut chance).unwrap());
                let (start, end) = (places[0], places[1]);
                if mesh.polygon(start.polygon).island != mesh.polygon(end.polygon).island {
                    continue;
                }
                whole += 1;
                // Cells are 1 wide, doors too: there is room, but for cells that touch at a corner alone.
                let Ok(()) = paths.find(&mesh, start, end, &filter, radius, &mut path) else { continue };
                found += 1;
                let least = clearance(&mesh, &path, radius);
                assert!(least > -1e-3, "round {round}, radius {radius}: {least}");
            }
        }
    }
    assert!(whole > 200 && found * 100 > whole * 97, "{found} of {whole}");
}

/// What a corridor costs along the middles of its portals.
fn cost(mesh: &NavMesh, (start, end): (Vec3, Vec3), corridor: &Corridor) -> f32 {
    let middles = corridor.portals.iter().map(|&p| {
        let gate = mesh.portals().portal(p);
        (gate.left + gate.right) * 0.5
    });
    let points: Vec<Vec3> = std::iter::once(start).chain(middles).chain([end]).collect();
    points.windows(2).map(|w| w[0].distance(w[1])).sum()
}

#[test]
fn n_01_agents_with_one_goal_share_a_search_and_lose_nothing() {
    let mut seed = 11u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let (mut found, mut blocked, mut shares) = (0, 0, [0.0f64; 2]);
    let (mut one, mut all) = (ClearancePaths::new(), ClearancePaths::new());
    for round in 0..40 {
        let rows: Vec<String> =
            (0..9).map(|_| (0..12).map(|_| if random(4) == 0 { '#' } else { '.' }).collect()).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let mesh = plan(&rows, round % 2 == 0);
        let mut place = || {
            (0..100).find_map(|_| {
                let point = mesh.local(DVec3::new(random(1200) as f64 / 100.0, 0.0, random(900) as f64 / 100.0));
                let polygon = (0..mesh.len() as u32).map(PolyId).find(|&p| mesh.contains_2d(p, point))?;
                Some(NavPoint::new(polygon, point))
            })
        };
        let goal = place().unwrap();
        for radius in [0.15f32, 0.3] {
            for _ in 0..12 {
                let (start, filter) = (place().unwrap(), Filter::default());
                let (mut alone, mut shared) = (ClearancePath::default(), ClearancePath::default());
                let query = |shared| {
                    let (filter, hints) = (&filter, SearchHints { shared, sketched: true });
                    ClearanceQuery { start, end: goal, filter, radius, hints }
                };
                let answer = one.find_with_hints(&mesh, &query(false), &mut alone);
                let same = all.find_with_hints(&mesh, &query(true), &mut shared);
                assert_eq!(answer, same, "from {start:?} to {goal:?} on {rows:?}");
                blocked += u32::from(answer.is_err());
                if answer.is_err() {
                    continue;
                }
                found += 1;
                let (polygons, portals) = (&shared.corridor.polygons, &shared.corridor.portals);
                assert_eq!(polygons.len(), portals.len() + 1);
                for (i, &portal) in portals.iter().enumerate() {
                    let gate = mesh.portals().portal(portal);
                    assert_eq!(gate.polygon, polygons[i].0);
                    assert_eq!(mesh.edges()[gate.edge as usize].neighbor, polygons[i + 1].0);
                }
                let costs = [&alone, &shared].map(|p| cost(&mesh, (start.point, goal.point), &p.corridor));
                // Ends without room have been moved.
                let ends = (shared.points[0].point, shared.points[shared.points.len() - 1].point);
                let (said, is) = (shared.corridor.cost, cost(&mesh, ends, &shared.corridor));
                assert!((said - is).abs() < 1e-3, "{said} {is} from {start:?} to {goal:?} on {rows:?}");
                assert!(costs[1] < costs[0] * 1.15 + 0.3, "{costs:?} from {start:?} to {goal:?} on {rows:?}");
                shares[0] += f64::from(costs[0]);
                shares[1] += f64::from(costs[1]);
            }
        }
    }
    assert!(found > 300 && blocked > 50, "{found} found, {blocked} blocked");
    assert!(shares[1] < shares[0] * 1.005, "{shares:?}");
}

#[test]
fn n_01_after_the_widest_the_thin_and_the_wide_go_as_before() {
    // A hall with pillars, 6 m apart, and a door 3 m wide into another.
    let rows: Vec<String> = (0..30)
        .map(|z| {
            let solid = |x: i32| x % 7 == 6 && z % 7 == 6 || x == 20 && !(9..12).contains(&z);
            (0..40).map(|x| if solid(x) { '#' } else { '.' }).collect()
        })
        .collect();
    let mesh = plan(&rows.iter().map(String::as_str).collect::<Vec<_>>(), false);
    let ends = [((2.5, 2.5), (17.5, 26.5)), ((3.5, 25.5), (36.5, 4.5))]
        .map(|(a, b): ((f64, f64), (f64, f64))| (at(&mesh, a.0, a.1), at(&mesh, b.0, b.1)));
    let (mut same, mut refused) = (ClearancePaths::new(), 0);
    for radius in [0.3, 1.4, 2.4, 0.3, 1.6, 2.6, 1.4] {
        for (start, end) in ends {
            let (mut path, mut new) = (ClearancePath::default(), ClearancePath::default());
            let filter = Filter::default();
            let answers = [
                same.find(&mesh, start, end, &filter, radius, &mut path),
                ClearancePaths::new().find(&mesh, start, end, &filter, radius, &mut new),
            ];
            assert_eq!((answers[0], &path), (answers[1], &new), "radius {radius}");
            refused += u32::from(answers[0].is_err());
            assert!(answers[0].is_err() || clearance(&mesh, &path, radius) > -1e-3, "radius {radius}");
        }
    }
    assert_eq!(refused, 3, "the door is 3 m wide, the way between pillars 6 m");
}
