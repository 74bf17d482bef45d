//! Cover on the town level: maps against rays, ways against their promises.

use super::cover_rays::exposure_by_rays;
use super::pairs::{Case, Pair};
use glam::{DVec3, Vec3};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use walkabout::asset::LevelTriangle;
use walkabout::collide::triangle_octree::TriangleOctree;
use walkabout::collide::triangle_tree::TriangleTree;
use walkabout::math::ray::Ray;
use walkabout::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use walkabout::nav::tactical::{
    Biases, CoverClass, CoverId, CoverMap, CoverSegment, CoverSettings, Enemy, Intervals, MapSettings, ObstacleHeights,
    TacticalPath, TacticalQuery, TacticalSearch, Threats, VisibilityModel, extract,
};

struct Town {
    mesh: NavMesh,
    triangles: Vec<LevelTriangle>,
    covers: Vec<CoverSegment>,
    pairs: Vec<Pair>,
}

fn town(data: &Path) -> Town {
    let Case { mesh, pairs, .. } = Case::read(data, "de_dust_x5", 0.0);
    let triangles = super::town(data, 5.0);
    let obstacles = ObstacleHeights::new(triangles.iter().map(|t| t.points), mesh.origin());
    let covers = extract(&mesh, &CoverSettings::default(), |a, b, out| obstacles.height(a, b, out));
    Town { mesh, triangles, covers, pairs }
}

fn tp_02_walls_of_the_town_have_heights(data: PathBuf) {
    let town = town(&data);
    let of =
        |class: CoverClass| -> f32 { town.covers.iter().filter(|c| c.class == class).map(CoverSegment::length).sum() };
    let (high, low) = (of(CoverClass::Standing), of(CoverClass::Crouching));
    println!("{} segments; {high:.0} m standing, {low:.0} m crouching", town.covers.len());
    assert!(town.covers.iter().all(|c| c.height.is_finite() && c.length() > 0.0));

    // Rays off the mesh at the heights of the body find a wall where there is cover for it, and there alone.
    let tree = TriangleTree::from(TriangleOctree::build(&town.triangles, 10, 8));
    let origin = town.mesh.origin();
    let blocked = |foot: Vec3, outward: Vec3, height: f32| {
        let from = (foot.as_dvec3() + origin).as_vec3() + Vec3::Y * height - outward * 0.02;
        tree.raycast(&Ray { origin: from, direction: outward }, 1.02).is_some()
    };
    let walled = |a: Vec3, b: Vec3, to: f32| {
        let outward = Vec3::new(b.z - a.z, 0.0, a.x - b.x).normalize_or_zero();
        let heights = || (0..).map(|i| 0.5 + 0.1 * i as f32).take_while(|h| *h < to - 0.05);
        [0.2, 0.5, 0.8].iter().all(|&part| heights().all(|h| blocked(a.lerp(b, part), outward, h)))
    };
    let standing: Vec<_> = town.covers.iter().filter(|c| c.class == CoverClass::Standing).collect();
    let confirmed = standing.iter().filter(|c| walled(c.a, c.b, 1.7)).count();
    let covered = |p: Vec3| standing.iter().any(|c| distance_to(c, p) < 0.1);
    let walls: Vec<_> = (0u32..)
        .zip(town.mesh.edges())
        .filter(|(_, e)| e.neighbor == NONE)
        .map(|(i, _)| town.mesh.edge_points(i))
        .filter(|(a, b)| (a.x - b.x).hypot(a.z - b.z) <= CoverSettings::default().piece_length && walled(*a, *b, 1.8))
        .collect();
    let found = walls.iter().filter(|(a, b)| covered(a.lerp(*b, 0.5))).count();
    println!(
        "rays confirm {confirmed} of {} standing covers; {found} of {} walls are covers",
        standing.len(),
        walls.len()
    );
    assert!(standing.len() > 100 && walls.len() > 50);
    assert!(confirmed * 100 >= standing.len() * 95 && found * 100 >= walls.len() * 95);
}

/// How far a point lies from a segment, in metres.
fn distance_to(cover: &CoverSegment, p: Vec3) -> f32 {
    let d = cover.b - cover.a;
    let t = ((p - cover.a).dot(d) / d.length_squared()).clamp(0.0, 1.0);
    (cover.a + d * t).distance(p)
}

/// Enemies and the ways that they look at: polygons' middles to corners, two in three of them near by.
fn looks(mesh: &NavMesh) -> Vec<(PolyId, Vec3, Vec3, Vec3)> {
    let mut seed = 7u32;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let mut found = Vec::new();
    for _ in 0..80 {
        let polygon = PolyId(random(mesh.len()) as u32);
        let corners: Vec<Vec3> = mesh.corners(polygon).collect();
        let middle = mesh.polygon(polygon).center;
        let enemy = middle.lerp(corners[random(corners.len())], 0.7);
        for i in 0..60 {
            let other = PolyId(random(mesh.len()) as u32);
            let from = mesh.polygon(other).center;
            if i % 3 == 0 || from.distance(middle) < 80.0 {
                let corner = mesh.corners(other).next().unwrap();
                found.push((polygon, enemy, from, from.lerp(corner, 0.9)));
            }
        }
    }
    found
}

fn errors(town: &Town, truth: impl Fn(Vec3, Vec3, Vec3) -> f32) -> Vec<f32> {
    let looks = looks(&town.mesh);
    let truths: Vec<f32> = looks.iter().map(|&(_, enemy, p, q)| truth(enemy, p, q)).collect();
    let error = |capacity: usize| {
        let settings = MapSettings { capacity, ..MapSettings::default() };
        let map = CoverMap::build(&town.mesh, &town.covers, &[], settings);
        let mut scratch = Intervals::default();
        let sum: f32 = looks
            .iter()
            .zip(&truths)
            .map(|(&(polygon, enemy, p, q), truth)| {
                let shadow = map.shadow(&Enemy::at(enemy), polygon, VisibilityModel::default());
                (shadow.exposure(p, q, &mut scratch) - truth).abs()
            })
            .sum();
        sum / looks.len() as f32
    };
    [2, 4, 8, 16].map(error).to_vec()
}

fn tp_05_more_entries_come_nearer_to_exhaustive_rays(data: PathBuf) {
    let mut town = town(&data);
    town.covers.retain(|c| c.class == CoverClass::Standing);
    let over_covers = errors(&town, |enemy, p, q| exposure_by_rays(town.covers.iter(), enemy, p, q, 10));
    println!("error for k = 2, 4, 8, 16 against rays over all covers: {over_covers:.4?}");
    assert!(over_covers.windows(2).all(|w| w[1] < w[0]), "{over_covers:?}");
    let tree = TriangleTree::from(TriangleOctree::build(&town.triangles, 10, 8));
    let origin = town.mesh.origin();
    let over_triangles = errors(&town, |enemy, p, q| {
        let eye = (enemy.as_dvec3() + origin).as_vec3() + Vec3::Y * 1.7;
        let seen = (0..10).filter(|&i| {
            let body = (p.lerp(q, (i as f32 + 0.5) / 10.0).as_dvec3() + origin).as_vec3() + Vec3::Y * 1.7;
            tree.raycast(&Ray { origin: eye, direction: body - eye }, 1.0).is_none()
        });
        seen.count() as f32 / 10.0
    });
    println!("… against rays at the level's triangles: {over_triangles:.4?}");
    assert!(over_triangles.windows(2).all(|w| w[1] < w[0]), "{over_triangles:?}");
}

fn way(town: &Town, map: &CoverMap, search: &mut TacticalSearch, pair: usize, exposure: f32) -> TacticalPath {
    let (filter, biases) = (Filter::default(), Biases { exposure, ..Biases::default() });
    let enemy = PolyId(((pair * 977 + 13) % town.mesh.len()) as u32);
    let enemies = [Enemy::at(town.mesh.polygon(enemy).center)];
    let threats = Threats::new(map, &enemies, VisibilityModel::default());
    let query = TacticalQuery { threats: Some(&threats), ..TacticalQuery::new(&town.mesh, &filter, &biases) };
    let p = &town.pairs[pair];
    let end = |polygon: u32, at: DVec3| NavPoint::new(town.mesh.from_source(polygon).unwrap(), town.mesh.local(at));
    search.find(&query, end(p.start_poly, p.start), end(p.end_poly, p.end)).unwrap()
}

fn tp_09_more_bias_is_less_exposed_and_longer(data: PathBuf) {
    let town = town(&data);
    let map = CoverMap::build(&town.mesh, &town.covers, &[], MapSettings::default());
    let mut search = TacticalSearch::default();
    let mut sums = [[0.0f64; 3]; 5];
    for pair in 0..town.pairs.len() {
        let mut last: Option<TacticalPath> = None;
        for (bias, sum) in [0.0, 1.0, 2.0, 5.0, 10.0].into_iter().zip(&mut sums) {
            let path = way(&town, &map, &mut search, pair, bias);
            if let Some(last) = last {
                assert!(path.exposed_length <= last.exposed_length + 1e-2, "pair {pair}, bias {bias}");
                assert!(path.length >= last.length - 1e-2, "pair {pair}, bias {bias}");
            }
            let figures = [path.length, path.exposed_length, path.stats.expanded as f32];
            sum.iter_mut().zip(figures).for_each(|(s, f)| *s += f64::from(f) / town.pairs.len() as f64);
            last = Some(path);
        }
    }
    println!("length, exposed length, expanded nodes by bias: {sums:.1?}");
    assert!(sums[4][1] < sums[0][1]);
    assert!(sums[1][2] < 1.5 * sums[0][2], "a usual bias does not make the search stray");
}

fn tp_17_removal_equals_a_level_built_without(data: PathBuf) {
    let town = town(&data);
    let whole = CoverMap::build(&town.mesh, &town.covers, &[], MapSettings::default());
    let mut search = TacticalSearch::default();
    for pair in (0..town.pairs.len()).step_by(199) {
        let enemy = PolyId(((pair * 977 + 13) % town.mesh.len()) as u32);
        let Some(gone) = whole.covers_of(enemy).next() else { continue };
        let mut map = whole.clone();
        assert!(map.remove(&town.mesh, gone) > 0);
        let left: Vec<CoverSegment> = (0..).zip(&town.covers).filter(|c| CoverId(c.0) != gone).map(|c| *c.1).collect();
        let fresh = CoverMap::build(&town.mesh, &left, &[], MapSettings::default());
        for p in 0..town.mesh.len() as u32 {
            let named = |m: &CoverMap| m.covers_of(PolyId(p)).map(|c| m.cover(c).copied()).collect::<Vec<_>>();
            assert_eq!(named(&map), named(&fresh), "polygon {p}");
        }
        let ways = [&map, &fresh].map(|m| way(&town, m, &mut search, pair, 5.0).points);
        assert_eq!(ways[0], ways[1], "pair {pair}");
    }
}

/// All tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        super::trial("tp_02_walls_of_the_town_have_heights", tp_02_walls_of_the_town_have_heights),
        super::trial(
            "tp_05_more_entries_come_nearer_to_exhaustive_rays",
            tp_05_more_entries_come_nearer_to_exhaustive_rays,
        ),
        super::trial("tp_09_more_bias_is_less_exposed_and_longer", tp_09_more_bias_is_less_exposed_and_longer),
        super::trial("tp_17_removal_equals_a_level_built_without", tp_17_removal_equals_a_level_built_without),
    ]
}
