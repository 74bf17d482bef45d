//! Tests of the tactical search.

use crate::tactical_fixture::{cells, place, threats, town};
use glam::Vec3;
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::tactical::*;

fn find(query: &TacticalQuery, from: u32, to: u32) -> Result<TacticalPath, TacticalError> {
    TacticalSearch::default().find(query, place(query.mesh, from), place(query.mesh, to))
}

#[test]
fn tp_09_bias_zero_is_shortest_and_more_is_less_exposed() {
    let (mesh, walls) = town();
    let filter = Filter::default();
    let mut changed = 0;
    for (from, to, enemy) in [(0, 100, 50), (5, 90, 40), (100, 3, 60), (20, 80, 55), (70, 10, 30)] {
        let threats = threats(&mesh, &walls, &[enemy]);
        let biased = |exposure: f32, threats: Option<&Threats>| {
            let biases = Biases { exposure, ..Biases::default() };
            find(&TacticalQuery { threats, ..TacticalQuery::new(&mesh, &filter, &biases) }, from, to).unwrap()
        };
        let plain = biased(5.0, None);
        let careless = biased(0.0, Some(&threats));
        let lines = [0.0, 5.0].map(|exposure| {
            let biases = Biases { exposure, ..Biases::default() };
            let threats = Some(&threats).filter(|_| exposure == 0.0);
            line(&TacticalQuery { threats, ..TacticalQuery::new(&mesh, &filter, &biases) }, from, to).0
        });
        assert_eq!(lines[0], lines[1], "bias 0 is the plain path");
        assert!(plain.legs.iter().all(|l| l.exposure == 0.0 && l.hidden.parts().is_empty()));
        let mut last = careless;
        for bias in [1.0, 2.0, 5.0, 10.0] {
            let path = biased(bias, Some(&threats));
            let expected: f32 = path.legs.iter().map(|l| l.length * (1.0 + bias * l.exposure)).sum();
            assert!((path.cost - expected).abs() < 1e-3 * expected);
            assert!(path.exposed_length <= last.exposed_length + 1e-3, "{bias}");
            assert!(path.length >= last.length - 1e-3, "{bias}");
            assert_eq!(path.legs.len() + 1, path.points.len());
            changed += usize::from(path.exposed_length < last.exposed_length - 0.5);
            last = path;
        }
    }
    assert!(changed >= 4, "the enemy has to matter: {changed}");
}

#[test]
fn tp_10_expanded_nodes_are_reported_and_too_many_are_called_so() {
    let (mesh, walls) = town();
    let filter = Filter::default();
    let threats = threats(&mesh, &walls, &[50]);
    let run = |exposure: f32, excessive_ratio: f32| {
        let biases = Biases { exposure, ..Biases::default() };
        let query =
            TacticalQuery { threats: Some(&threats), excessive_ratio, ..TacticalQuery::new(&mesh, &filter, &biases) };
        find(&query, 0, 100).unwrap()
    };
    let (plain, wary) = (run(0.0, 40.0), run(50.0, 40.0));
    assert!(plain.stats.expanded as usize >= plain.points.len() - 1 && wary.stats.expanded > plain.stats.expanded);
    assert!(!plain.stats.is_excessive);
    assert_eq!(wary.stats.ratio, wary.stats.expanded as f32 / wary.points.len() as f32);
    assert!(!run(50.0, wary.stats.ratio).stats.is_excessive);
    assert!(run(50.0, wary.stats.ratio * 0.99).stats.is_excessive);
}

/// A ring: from 3 to 4 the short way leads over 0, 1, 2, the long way over the rest.
fn ring() -> NavMesh {
    cells(&["...", ".#.", ".#.", "..."], 2.0)
}

#[test]
fn tp_11_every_mark_alone_changes_the_way() {
    let mesh = ring();
    let filter = Filter::default();
    let goes_short = |marks: &[(u32, Marks)], biases: &Biases, threats: Option<&Threats>| {
        let mut markup = Markup::new(&mesh);
        marks.iter().for_each(|m| markup.set(mesh.from_source(m.0).unwrap(), m.1));
        let query = TacticalQuery { markup: Some(&markup), threats, ..TacticalQuery::new(&mesh, &filter, biases) };
        let path = find(&query, 3, 4).unwrap();
        path.polygons.contains(&mesh.from_source(1).unwrap())
    };
    let (top, bottom) = ([0, 1, 2], [5, 6, 7, 8, 9]);
    let all = |which: &[u32], marks: Marks| which.iter().map(|&p| (p, marks)).collect::<Vec<_>>();
    let soldier = Biases { exposure: 3.0, slow: 4.0, vulnerable: 4.0, ..Biases::default() };
    let frog = Biases { amphibious: Some(1.0), ..soldier };
    let tank = Biases { slow: 1.0, vulnerable: 1.0, ..soldier };
    assert!(goes_short(&[], &soldier, None));
    assert!(!goes_short(&all(&top, Marks::SLOW), &soldier, None));
    assert!(goes_short(&all(&top, Marks::SLOW), &tank, None), "another agent, another way");
    assert!(!goes_short(&all(&top, Marks::VULNERABLE), &soldier, None));
    assert!(goes_short(&all(&top, Marks::VULNERABLE), &tank, None));
    assert!(!goes_short(&[(1, Marks::AMPHIBIOUS)], &soldier, None));
    assert!(goes_short(&[(1, Marks::AMPHIBIOUS)], &frog, None));
    let shy = Biases { cover: 0.3, scaled: true, ..soldier };
    assert!(!goes_short(&all(&bottom, Marks::COVER), &shy, None), "it looks for cover without an enemy");
    assert!(goes_short(&all(&bottom, Marks::COVER), &soldier, None));
    // In the open, seen by an enemy, ground that provides cover is the better way …
    let seen = threats(&mesh, &[], &[1]);
    assert!(!goes_short(&all(&bottom, Marks::COVER), &soldier, Some(&seen)));
    assert!(goes_short(&all(&bottom, Marks::COVER), &Biases { concealment: 0.0, ..soldier }, Some(&seen)));
    // … and thick bushes are slow, too: marks combine.
    assert!(goes_short(&all(&bottom, Marks::COVER | Marks::SLOW), &soldier, Some(&seen)));
    assert!((Marks::COVER | Marks::SLOW).has(Marks::SLOW) && !Marks::COVER.has(Marks::SLOW));
}

#[test]
fn tp_11_marks_can_be_kept_in_the_flags_of_polygons() {
    let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
    let raw = RawMesh {
        vertices: corners.map(|(x, z)| glam::DVec3::new(x, 0.0, z)).to_vec(),
        polygons: vec![RawPolygon { flags: 1 | (5 << 4), ..RawPolygon::new([0, 1, 2]) }],
    };
    let mesh = raw.validate().unwrap();
    assert_eq!(Markup::from_flags(&mesh, 4).get(&mesh, PolyId(0)), Marks::SLOW | Marks::COVER);
    assert_eq!(Markup::from_flags(&mesh, 99).get(&mesh, PolyId(0)), Marks::NONE);
    let mut markup = Markup::new(&mesh);
    markup.set(PolyId(9), Marks::SLOW);
    assert_eq!(markup.get(&mesh, PolyId(0)), Marks::NONE);
    let areas = [(0, Marks::SLOW), (3, Marks::VULNERABLE), (0, Marks::COVER), (99, Marks::AMPHIBIOUS)];
    assert_eq!(Markup::from_areas(areas).get(&mesh, PolyId(0)), Marks::SLOW | Marks::COVER);
}

#[test]
fn tp_13_factors_below_one_are_refused_unless_scaled() {
    let mesh = ring();
    let filter = Filter::default();
    let ask = |biases: Biases, filter: &Filter| find(&TacticalQuery::new(&mesh, filter, &biases), 3, 4).map(|p| p.cost);
    let usual = Biases::default();
    for bad in [
        Biases { slow: 0.5, ..usual },
        Biases { cover: 0.99, ..usual },
        Biases { vulnerable: f32::NAN, ..usual },
        Biases { amphibious: Some(0.0), ..usual },
        Biases { exposure: -1.0, ..usual },
        Biases { concealment: 1.1, ..usual },
        Biases { slow: 0.0, scaled: true, ..usual },
        Biases { slow: f32::INFINITY, scaled: true, ..usual },
    ] {
        let error = ask(bad, &filter).unwrap_err();
        assert!(matches!(error, TacticalError::BadFactor(..)), "{bad:?}");
    }
    let mut cheap = Filter::default();
    cheap.cost[7] = 0.5;
    assert_eq!(ask(usual, &cheap), Err(TacticalError::BadFactor("area 7".to_owned(), 0.5)));
    let scaled = Biases { slow: 0.5, scaled: true, ..usual };
    assert!(ask(scaled, &filter).is_ok() && ask(scaled, &cheap).is_ok());
}

#[test]
fn tp_17_after_removal_the_way_is_that_of_a_level_without_it() {
    let (mesh, walls) = town();
    let filter = Filter::default();
    let biases = Biases { exposure: 5.0, ..Biases::default() };
    let enemy = Enemy::at(place(&mesh, 50).point);
    let way = |map: &CoverMap| {
        let threats = Threats::new(map, &[enemy], VisibilityModel::default());
        find(&TacticalQuery { threats: Some(&threats), ..TacticalQuery::new(&mesh, &filter, &biases) }, 0, 100).unwrap()
    };
    let whole = CoverMap::build(&mesh, &walls, &[], MapSettings::default());
    let mut rerouted = 0;
    for gone in whole.covers_of(place(&mesh, 50).polygon) {
        let mut map = whole.clone();
        map.remove(&mesh, gone);
        let left: Vec<CoverSegment> = (0u32..).zip(&walls).filter(|w| CoverId(w.0) != gone).map(|w| *w.1).collect();
        let fresh = CoverMap::build(&mesh, &left, &[], MapSettings::default());
        assert_eq!(way(&map).points, way(&fresh).points);
        rerouted += usize::from(way(&map).points != way(&whole).points);
    }
    assert!(rerouted > 0, "the cover has to matter");
}

#[test]
fn tp_18_the_exposure_to_several_enemies_is_that_to_their_union() {
    let (mesh, walls) = town();
    let sets: Vec<Threats> = [&[50][..], &[20], &[50, 20], &[]].iter().map(|at| threats(&mesh, &walls, at)).collect();
    assert_eq!((sets[2].len(), sets[3].is_empty()), (2, true));
    let (mut out, mut scratch) = (Intervals::default(), Intervals::default());
    let mut mixed = 0;
    for p in 0..mesh.len() as u32 - 1 {
        let ends = (place(&mesh, p).point, place(&mesh, p + 1).point);
        let mut exposure = |t: &Threats| {
            t.hidden(ends.0, ends.1, &mut out, &mut scratch);
            1.0 - out.total()
        };
        let [first, second, both, none] = [0, 1, 2, 3].map(|i| exposure(&sets[i]));
        assert!(both >= first.max(second) - 1e-5 && both <= first + second + 1e-5);
        assert_eq!(none, 0.0);
        mixed += usize::from(both > first.max(second) + 0.01);
    }
    assert!(mixed > 0);
}

#[test]
fn ends_that_cannot_be_reached_are_named() {
    let mesh = cells(&["..#.."], 2.0);
    let mut filter = Filter::default();
    let biases = Biases::default();
    let mut markup = Markup::new(&mesh);
    markup.set(mesh.from_source(1).unwrap(), Marks::AMPHIBIOUS);
    let query = TacticalQuery { markup: Some(&markup), ..TacticalQuery::new(&mesh, &filter, &biases) };
    assert!(matches!(find(&query, 0, 2), Err(TacticalError::OtherIsland(..))));
    assert_eq!(find(&query, 0, 1).unwrap_err(), TacticalError::Barred("end"));
    let start = place(&mesh, 0);
    let mut search = TacticalSearch::default();
    assert_eq!(
        search.find(&query, NavPoint::new(PolyId(99), start.point), start).unwrap_err(),
        TacticalError::BadEnd("start")
    );
    assert_eq!(
        search.find(&query, start, NavPoint::new(start.polygon, Vec3::NAN)).unwrap_err(),
        TacticalError::BadEnd("end")
    );
    let same = search.find(&query, start, start).unwrap();
    assert_eq!((same.points.len(), same.length, same.stats.expanded), (2, 0.0, 1));
    let wide = cells(&["...", "###"], 2.0);
    let mut barrier = Markup::new(&wide);
    barrier.set(wide.from_source(1).unwrap(), Marks::AMPHIBIOUS);
    let query = TacticalQuery { markup: Some(&barrier), ..TacticalQuery::new(&wide, &filter, &biases) };
    assert_eq!(find(&query, 0, 2).unwrap_err(), TacticalError::NoWay(1));
    filter.exclude = 1;
    assert_eq!(find(&TacticalQuery::new(&wide, &filter, &biases), 0, 2).unwrap_err(), TacticalError::Barred("start"));
}

#[test]
fn enemies_stand_on_the_floor_below_them() {
    let (mesh, _) = town();
    let NavPoint { polygon, point: middle } = place(&mesh, 17);
    assert_eq!(polygon_below(&mesh, middle + Vec3::Y * 3.0), Some(polygon));
    assert_eq!(polygon_below(&mesh, Vec3::NAN), None);
    let beside = mesh.bounds().min - Vec3::new(5.0, 0.0, 5.0);
    assert_eq!(polygon_below(&mesh, beside), mesh.from_source(0));
    let floors = RawMesh {
        vertices: (0..8)
            .map(|i| glam::DVec3::new(f64::from(i & 1), f64::from(i >> 2) * 4.0, f64::from(i >> 1 & 1)))
            .collect(),
        polygons: [[0, 1, 3, 2], [4, 5, 7, 6]].map(RawPolygon::new).to_vec(),
    };
    let floors = floors.validate().unwrap();
    for (height, floor) in [(0.0, 0), (3.0, 0), (4.0, 1), (3.7, 1), (9.0, 1), (-1.0, 0)] {
        let point = floors.local(glam::DVec3::new(0.5, height, 0.5));
        assert_eq!(polygon_below(&floors, point), floors.from_source(floor), "{height}");
    }
}

/// A square of four metres with these flags, cut by an obstacle in its middle.
fn cut_square(flags: u16) -> walkabout::nav::mesh::DynamicMesh {
    let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)].map(|(x, z)| glam::DVec3::new(x, 0.0, z));
    let square = RawPolygon { flags, ..RawPolygon::new([0, 1, 2, 3]) };
    let raw = RawMesh { vertices: corners.to_vec(), polygons: vec![square] };
    let mut mesh = walkabout::nav::mesh::DynamicMesh::new(std::sync::Arc::new(raw.validate().unwrap()));
    let (middle, half) = (glam::DVec3::new(2.0, 0.0, 2.0), glam::DVec3::splat(0.5));
    mesh.add(&walkabout::nav::mesh::Obstacle::cuboid(middle, half, 0.0)).unwrap();
    mesh
}

#[test]
fn marks_in_flags_are_those_of_pieces_too() {
    let cut = cut_square(1 | (1 << 4));
    let (mesh, markup) = (cut.mesh(), Markup::from_flags(cut.mesh(), 4));
    assert!(mesh.live_polygons().count() > 1);
    for piece in mesh.live_polygons() {
        assert_eq!(markup.get(mesh, piece), Marks::SLOW);
    }
}

#[test]
fn enemies_beside_the_mesh_stand_on_what_obstacles_left() {
    let cut = cut_square(1);
    let mesh = cut.mesh();
    let beside = mesh.local(glam::DVec3::new(-2.0, 0.0, 2.0));
    let below = polygon_below(mesh, beside).unwrap();
    assert!(mesh.is_live(below) && mesh.contains_2d(below, beside + Vec3::X * 2.001), "{below:?}");
}

/// A line, and what its pieces show to the threats, in metres.
fn line(query: &TacticalQuery, from: u32, to: u32) -> (Vec<Vec3>, f32, f32) {
    let (mut points, mut polygons) = (Vec::new(), Vec::new());
    let (start, end) = (place(query.mesh, from), place(query.mesh, to));
    TacticalSearch::default().find_line(query, start, end, (&mut points, &mut polygons)).unwrap();
    assert_eq!((points.first(), points.last()), (Some(&start.point), Some(&end.point)));
    assert_eq!((polygons.first(), polygons.last()), (Some(&start.polygon), Some(&end.polygon)));
    let (mut hidden, mut scratch) = (Intervals::default(), Intervals::default());
    let (mut length, mut exposed) = (0.0, 0.0);
    for leg in points.windows(2) {
        let own = leg[0].distance(leg[1]);
        length += own;
        if let Some(threats) = query.threats {
            threats.hidden(leg[0], leg[1], &mut hidden, &mut scratch);
            exposed += own * (1.0 - hidden.total());
        }
    }
    (points, length, exposed)
}

#[test]
fn tp_09_paths_pulled_tight_cost_no_more() {
    let (mesh, walls) = town();
    let filter = Filter::default();
    let (mut sums, mut shorter) = ([0.0, 0.0], 0);
    for i in 0..60u32 {
        let (from, to, enemy) = (i * 37 % 100, i * 53 % 97, i * 71 % 90);
        let biases = Biases { exposure: 3.0, ..Biases::default() };
        let threats = threats(&mesh, &walls, &[enemy]);
        let fearful = TacticalQuery { threats: Some(&threats), ..TacticalQuery::new(&mesh, &filter, &biases) };
        let (middles, pulled) = (find(&fearful, from, to).unwrap(), line(&fearful, from, to));
        let cost = pulled.1 + 3.0 * pulled.2;
        assert!(cost <= middles.cost * (1.0 + 1e-3), "{from} {to} {enemy}: {cost} for {}", middles.cost);
        sums[0] += pulled.2;
        sums[1] += middles.exposed_length;
        shorter += usize::from(pulled.1 < 0.98 * middles.length);
    }
    assert!(sums[0] <= sums[1] && shorter > 20, "{sums:?} {shorter}");
}

#[test]
fn without_enemies_the_line_is_the_funnels() {
    let (mesh, _) = town();
    let (filter, biases) = (Filter::default(), Biases::default());
    let plain = TacticalQuery::new(&mesh, &filter, &biases);
    let (mut finder, mut corridor, mut turns) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    for (from, to) in [(0, 100), (5, 90), (99, 3)] {
        let (start, end) = (place(&mesh, from), place(&mesh, to));
        finder.find(&mesh, start, end, &filter, &mut corridor).unwrap();
        straight_path(&mesh, &corridor, start.point, end.point, Crossings::None, &mut turns);
        assert_eq!(line(&plain, from, to).0, turns.iter().map(|t| t.point).collect::<Vec<_>>());
    }
}

#[test]
fn tp_06_what_was_seen_is_remembered_for_the_same_enemies_alone() {
    let (mesh, walls) = town();
    let filter = Filter::default();
    let biases = Biases { exposure: 4.0, ..Biases::default() };
    let (mut search, ends) = (TacticalSearch::default(), [place(&mesh, 3), place(&mesh, 95)]);
    let enemies: Vec<Threats> = [50, 20, 50].iter().map(|&e| threats(&mesh, &walls, &[e])).collect();
    for enemy in [0, 0, 1, 2, 1] {
        let query = TacticalQuery { threats: Some(&enemies[enemy]), ..TacticalQuery::new(&mesh, &filter, &biases) };
        let fresh = TacticalSearch::default().find(&query, ends[0], ends[1]).unwrap();
        let again = search.find(&query, ends[0], ends[1]).unwrap();
        assert_eq!((again.points, again.cost, again.legs), (fresh.points, fresh.cost, fresh.legs), "{enemy}");
    }
    assert_ne!(enemies[0].id(), enemies[2].id());
    assert_eq!(enemies[0].id(), enemies[0].clone().id());
}

#[test]
fn tp_17_an_obstacle_hides_what_lies_behind_its_silhouette() {
    let (mesh, _) = town();
    let map = CoverMap::build(&mesh, &[], &[], MapSettings::default());
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let threats = |eye: Vec3, height: f32, reach: f32| {
        let mut threats = Threats::new(&map, &[Enemy::at(eye)], VisibilityModel::default());
        let outline = [at(1.0, -1.0), at(1.0, 1.0), at(2.0, 1.0), at(2.0, -1.0)];
        threats.add_obstacle(&outline, height, &CoverSettings::default(), reach);
        threats
    };
    let seen = |threats: &Threats, p: Vec3, q: Vec3| {
        let (mut hidden, mut scratch) = (Intervals::default(), Intervals::default());
        threats.hidden(p, q, &mut hidden, &mut scratch);
        1.0 - hidden.total()
    };
    let far = [at(4.0, -8.0), at(4.0, 8.0)];
    // From the origin the nearer corners are seen farthest apart: at x = 4 they hide z from -4 to 4.
    assert!((seen(&threats(Vec3::ZERO, 2.0, 40.0), far[0], far[1]) - 0.5).abs() < 1e-3);
    assert_eq!(seen(&threats(at(1.5, 0.0), 2.0, 40.0), far[0], far[1]), 1.0, "from inside nothing is hidden");
    assert_eq!(seen(&threats(Vec3::ZERO, 1.0, 40.0), far[0], far[1]), 1.0, "too low to stand behind");
    assert_eq!(seen(&threats(Vec3::ZERO, 2.0, 0.9), far[0], far[1]), 1.0, "too far off to matter");
}

#[test]
fn tp_17_a_long_obstacle_hides_what_is_behind_it() {
    let (mesh, _) = town();
    let map = CoverMap::build(&mesh, &[], &[], MapSettings::default());
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    for half in [35.0, 45.0, 400.0] {
        let mut threats = Threats::new(&map, &[Enemy::at(Vec3::ZERO)], VisibilityModel::default());
        let outline = [at(3.0, -half), at(3.0, half), at(4.0, half), at(4.0, -half)];
        threats.add_obstacle(&outline, 2.0, &CoverSettings::default(), 40.0);
        assert_eq!(threats.exposed_length(&[at(8.0, -10.0), at(8.0, 10.0)]), 0.0, "{half} m to either side");
    }
}

#[test]
fn tp_09_no_path_costs_more_than_the_plain_one() {
    let (mesh, walls) = town();
    let (filter, mut search) = (Filter::default(), TacticalSearch::default());
    let (mut points, mut polygons) = (Vec::new(), Vec::new());
    for i in 0..400u32 {
        let (from, to, enemy) = (i * 37 % 101, i * 53 % 97, i * 71 % 90);
        let bias = [0.5, 4.0, 30.0][i as usize % 3];
        let (biases, threats) = (Biases { exposure: bias, ..Biases::default() }, threats(&mesh, &walls, &[enemy]));
        let fearful = TacticalQuery { threats: Some(&threats), ..TacticalQuery::new(&mesh, &filter, &biases) };
        let (start, end) = (place(&mesh, from), place(&mesh, to));
        search.find_line(&fearful, start, end, (&mut points, &mut polygons)).unwrap();
        let cost = |points: &[Vec3]| {
            let length: f64 = points.windows(2).map(|l| f64::from(l[0].distance(l[1]))).sum();
            length + f64::from(bias) * threats.exposed_length(points)
        };
        let plain = line(&TacticalQuery::new(&mesh, &filter, &biases), from, to).0;
        assert!(cost(&points) <= cost(&plain) + 1e-3, "{from} {to} {enemy}: {points:?} for {plain:?}");
        assert_eq!((polygons.first(), polygons.last()), (Some(&start.polygon), Some(&end.polygon)));
    }
}
