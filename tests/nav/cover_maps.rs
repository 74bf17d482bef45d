//! Tests of cover maps.

use crate::cover_rays::exposure_by_rays;
use crate::tactical_fixture::{cells, cells_at};
use glam::{DVec3, Vec3};
use walkabout::nav::mesh::{NavMesh, PolyId};
use walkabout::nav::tactical::*;

fn wall(a: (f32, f32), b: (f32, f32)) -> CoverSegment {
    let at = |p: (f32, f32)| Vec3::new(p.0, 0.0, p.1);
    CoverSegment { a: at(a), b: at(b), class: CoverClass::Standing, height: 2.0 }
}

fn ids(map: &CoverMap, polygon: u32) -> Vec<u32> {
    map.covers_of(PolyId(polygon)).map(|c| c.0).collect()
}

fn build(mesh: &NavMesh, walls: &[CoverSegment], capacity: usize) -> CoverMap {
    CoverMap::build(mesh, walls, &[], MapSettings { capacity, ..MapSettings::default() })
}

/// A town of blocks, all walls 2 m high.
fn town() -> (NavMesh, Vec<CoverSegment>) {
    let mesh = cells(
        &[
            "............",
            ".##.#..##...",
            ".#..#..##.#.",
            "..........#.",
            ".###.#......",
            ".....#.####.",
            ".#.#...#....",
            ".#.###.#.##.",
            ".......#.#..",
            ".###.#...#..",
        ],
        4.0,
    );
    let walls = extract(&mesh, &CoverSettings::default(), |_, _, _| 2.0);
    (mesh, walls)
}

#[test]
fn tp_03_maps_are_small_and_never_exceed_their_capacity() {
    let (mesh, walls) = town();
    for capacity in [0, 1, 2, 8, 16] {
        let map = build(&mesh, &walls, capacity);
        assert_eq!((map.len(), map.table_bytes()), (mesh.len(), mesh.len() * capacity * 2));
        let most = (0..mesh.len() as u32).map(|p| ids(&map, p).len()).max();
        assert_eq!(most, Some(capacity));
        assert!((0..mesh.len() as u32).all(|p| ids(&map, p).iter().all(|&c| map.cover(CoverId(c)).is_some())));
    }
    assert_eq!(build(&mesh, &walls, usize::MAX).settings().capacity, 255);
    assert!(ids(&build(&mesh, &[], 8), 0).is_empty());
    let odd = [wall((f32::NAN, 0.0), (1.0, 1.0)), wall((1.0, 1.0), (1.0, 1.0))];
    assert!(ids(&build(&mesh, &odd, 8), 0).is_empty());
    for reach in [f32::NAN, -1.0, f32::INFINITY] {
        CoverMap::build(&mesh, &walls, &[], MapSettings { reach, ..MapSettings::default() });
    }
}

#[test]
fn tp_04_direction_distance_and_occlusion_decide() {
    let mesh = cells(&["."], 2.0);
    // East near and, hidden behind it, east far; then a second east wall beside, wide open; west, south, north small.
    let walls = [
        wall((10.0, -4.0), (10.0, 4.0)),
        wall((4.0, -3.0), (4.0, 3.0)),
        wall((-9.0, -1.0), (-9.0, 1.0)),
        wall((-1.0, 9.0), (1.0, 9.0)),
        wall((-1.0, -9.0), (1.0, -9.0)),
    ];
    assert_eq!(ids(&build(&mesh, &walls, 1), 0), [1], "the near one before the far one behind it");
    let mut four = ids(&build(&mesh, &walls, 4), 0);
    assert_eq!(four[0], 1);
    four.sort_unstable();
    assert_eq!(four, [1, 2, 3, 4], "all four sides");
    // A second wall in the east that hides far more than the small ones has to wait until all sides have one.
    let mut clear = walls;
    clear[0] = wall((4.0, 3.5), (5.0, -5.0));
    let five = ids(&build(&mesh, &clear, 5), 0);
    assert_eq!((five.len(), five[4] < 2), (5, true), "{five:?}");
    // Occluded as a whole: never chosen, although there is room.
    assert!(!ids(&build(&mesh, &[wall((4.0, -9.0), (4.0, 9.0)), wall((20.0, -1.0), (20.0, 1.0))], 8), 0).contains(&1));
    assert!(ids(&build(&mesh, &[wall((90.0, -9.0), (90.0, 9.0))], 8), 0).is_empty(), "out of reach");
}

#[test]
fn tp_04_covers_on_other_floors_come_last() {
    let mesh = cells(&["."], 2.0);
    let mut above = wall((4.0, -3.0), (4.0, 3.0));
    (above.a.y, above.b.y) = (6.0, 6.0);
    let here = wall((8.0, -3.0), (8.0, 3.0));
    assert_eq!(ids(&build(&mesh, &[above, here], 1), 0), [1]);
    assert_eq!(ids(&build(&mesh, &[above, here], 2), 0), [1, 0]);
    // A slab over the enemy is a side of its own.
    let slab = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| Vec3::new(x, 3.0, z));
    let sides = [here, wall((-3.0, 8.0), (3.0, 8.0)), wall((8.5, -3.0), (8.5, 9.0))];
    let map = CoverMap::build(&mesh, &sides, &[slab], MapSettings { capacity: 3, ..MapSettings::default() });
    assert!(ids(&map, 0).contains(&3));
    let sight = VisibilityModel::Solid { body_height: 1.8, skirt: 1.0 };
    let shadow = map.shadow(&Enemy::at(mesh.bounds().center()), PolyId(0), sight);
    let way = (Vec3::new(-5.0, 3.0, 0.0), Vec3::new(5.0, 3.0, 0.0));
    assert_eq!(shadow.exposure(way.0, way.1, &mut Intervals::default()), 0.0);
}

/// Mean error of the exposure of all polygons' edges for enemies in every polygon.
fn error(mesh: &NavMesh, walls: &[CoverSegment], capacity: usize) -> f32 {
    let map = build(mesh, walls, capacity);
    let (mut sum, mut count) = (0.0, 0);
    for p in (0..mesh.len() as u32).step_by(7) {
        let enemy = mesh.polygon(PolyId(p)).center;
        let shadow = map.shadow(&Enemy::at(enemy), PolyId(p), VisibilityModel::default());
        for q in (0..mesh.len() as u32).step_by(3) {
            let middle = mesh.polygon(PolyId(q)).center;
            let to = middle + (mesh.corners(PolyId(q)).next().unwrap() - middle) * 0.9;
            let truth = exposure_by_rays(walls.iter(), enemy, middle, to, 40);
            sum += (shadow.exposure(middle, to, &mut Intervals::default()) - truth).abs();
            count += 1;
        }
    }
    sum / count as f32
}

#[test]
fn tp_05_more_entries_are_more_exact() {
    let (mesh, walls) = town();
    let errors: Vec<f32> = [2, 4, 8, 16].iter().map(|&k| error(&mesh, &walls, k)).collect();
    assert!(errors.windows(2).all(|w| w[1] < w[0]), "{errors:?}");
    assert!(errors[2] < 0.04 && errors[3] < 0.02, "{errors:?}");
}

#[test]
fn tp_06_the_list_is_that_of_the_enemys_polygon() {
    let (mesh, walls) = town();
    let map = build(&mesh, &walls, 8);
    // A way's exposure follows from the list alone: rebuilt by hand from the polygon's covers it is the same from
    // everywhere inside, and the list of another polygon is another.
    let lists: Vec<Vec<u32>> = (0..mesh.len() as u32).map(|p| ids(&map, p)).collect();
    let polygon = PolyId(11);
    let corners: Vec<Vec3> = mesh.corners(polygon).collect();
    let (p, q) = (mesh.polygon(PolyId(40)).center, mesh.polygon(PolyId(60)).center);
    for corner in corners {
        let enemy = Enemy::at(mesh.polygon(polygon).center.lerp(corner, 0.8));
        let mut shadow = Shadow::new(&enemy, VisibilityModel::default());
        lists[11].iter().for_each(|&c| shadow.add_segment(&walls[c as usize]));
        let mut scratch = Intervals::default();
        let whole = map.shadow(&enemy, polygon, VisibilityModel::default()).exposure(p, q, &mut scratch);
        assert_eq!(whole, shadow.exposure(p, q, &mut scratch));
    }
    let crossed = mesh.edges().iter().filter(|e| e.neighbor != walkabout::nav::mesh::NONE);
    let differ = crossed.clone().filter(|e| lists[e.polygon as usize] != lists[e.neighbor as usize]).count();
    assert!(differ * 10 > crossed.count() * 9, "{differ}");
}

#[test]
fn tp_17_removal_leaves_the_map_of_a_level_without_it() {
    let (mesh, walls) = town();
    let mut map = build(&mesh, &walls, 4);
    let mut left: Vec<u32> = (0..walls.len() as u32).collect();
    for removed in [3, 17, 0, 30] {
        let named = (0..mesh.len() as u32).filter(|&p| ids(&map, p).contains(&removed)).count();
        assert_eq!(map.remove(&mesh, CoverId(removed)), named);
        left.retain(|c| *c != removed);
        let fresh_walls: Vec<CoverSegment> = left.iter().map(|&c| walls[c as usize]).collect();
        let fresh = build(&mesh, &fresh_walls, 4);
        for p in 0..mesh.len() as u32 {
            let renamed: Vec<u32> = ids(&fresh, p).iter().map(|&c| left[c as usize]).collect();
            assert_eq!(ids(&map, p), renamed, "polygon {p} without {removed}");
        }
        assert_eq!(map.remove(&mesh, CoverId(removed)), 0, "it is gone");
        assert_eq!(map.segments().count(), left.len());
    }
    assert_eq!(map.remove(&mesh, CoverId(9_999)), 0);
}

#[test]
fn maps_are_the_same_far_from_the_origin() {
    let rows = ["....", ".#..", "...."];
    let lists = |offset: DVec3| {
        let mesh = cells_at(&rows, 3.0, offset);
        let walls = extract(&mesh, &CoverSettings::default(), |_, _, _| 2.0);
        let map = build(&mesh, &walls, 4);
        (0..mesh.len() as u32).map(|p| ids(&map, p)).collect::<Vec<_>>()
    };
    assert_eq!(lists(DVec3::ZERO), lists(DVec3::new(50_000.0, 0.0, -50_000.0)));
}
