//! Off-mesh links of small generated meshes.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use walkabout::math::plan;
use walkabout::nav::mesh::off_mesh::*;
use walkabout::nav::mesh::{NavMesh, PolyId, RawMesh, RawPolygon};

/// Rectangles: x from, x to, z from, z to, y.
fn plates(list: &[[f64; 5]]) -> NavMesh {
    let mut raw = RawMesh::default();
    for &[x0, x1, z0, z1, y] in list {
        let first = raw.vertices.len() as u32;
        raw.vertices.extend([[x0, z0], [x0, z1], [x1, z1], [x1, z0]].map(|[x, z]| DVec3::new(x, y, z)));
        raw.polygons.push(RawPolygon::new([first, first + 1, first + 2, first + 3]));
    }
    raw.validate().unwrap()
}

fn found(mesh: &NavMesh, settings: &LinkSettings) -> Vec<OffMeshLink> {
    settings.find(mesh, &|_, _| true).unwrap()
}

fn world(mesh: &NavMesh, p: Vec3) -> Vec3 {
    mesh.world(p).as_vec3()
}

#[test]
fn n_7_a_gap_is_jumped_both_ways_within_its_limits() {
    // Two plates of ten metres, two metres apart: links every two metres.
    let mesh = plates(&[[0.0, 10.0, 0.0, 10.0, 0.0], [12.0, 22.0, 0.0, 10.0, 0.3]]);
    let links = found(&mesh, &LinkSettings::default());
    assert_eq!(links.len(), 5);
    for l in &links {
        assert!(l.kind == LinkKind::Jump && l.both_ways);
        let (a, b) = (world(&mesh, l.start), world(&mesh, l.end));
        assert!((distance(a.x, b.x) - 2.0).abs() < 0.06 && (a.z - b.z).abs() < 1e-3, "{a} {b}");
    }
    let none = |s: LinkSettings| assert_eq!(found(&mesh, &s).len(), 0);
    none(LinkSettings { max_gap: 1.9, ..Default::default() });
    let up = found(&mesh, &LinkSettings { max_rise: 0.2, ..Default::default() });
    assert!(up.len() == 5 && up.iter().all(|l| l.kind == LinkKind::Drop && world(&mesh, l.start).x > 11.0));
    none(LinkSettings { max_rise: 0.2, max_drop: 0.2, ..Default::default() });
    assert_eq!(LinkSettings::default().find(&mesh, &|_, _| false).unwrap().len(), 0, "a wall stands between");
}

fn distance(a: f32, b: f32) -> f32 {
    (a - b).abs()
}

#[test]
fn n_7_a_ledge_is_dropped_from_one_way() {
    // A plate of six metres on the middle of another, 2.5 m up, 1.2 m from its ground on each side.
    let mesh = plates(&[[0.0, 6.0, 0.0, 6.0, 2.5], [7.2, 20.0, 0.0, 6.0, 0.0], [-9.0, -1.2, 0.0, 6.0, -9.0]]);
    let links = found(&mesh, &LinkSettings::default());
    assert_eq!(links.len(), 3);
    assert!(links.iter().all(|l| l.kind == LinkKind::Drop && !l.both_ways && l.end.y < l.start.y - 2.0));
    let links = OffMeshLinks::new(&mesh, links, &[]).unwrap();
    let island = |raw| mesh.polygon(mesh.from_source(raw).unwrap()).island;
    assert_eq!(links.reachable(&mesh, island(0)).iter().filter(|r| **r).count(), 2);
    assert_eq!(links.reachable(&mesh, island(1)).iter().filter(|r| **r).count(), 1);
    assert_eq!(links.exits(mesh.from_source(0).unwrap()).len(), 3);
    assert!(links.exits(mesh.from_source(1).unwrap()).is_empty() && links.exits(PolyId(99)).is_empty());
}

#[test]
fn n_7_what_is_a_few_steps_away_is_no_jump() {
    // A U of three plates that share edges: across its narrow slit lead links, but not at its closed end.
    let mut raw = RawMesh::default();
    let rows = [[0.0, 0.0], [4.0, 0.0], [5.0, 0.0], [9.0, 0.0]];
    for z in [0.0, 2.0, 30.0] {
        raw.vertices.extend(rows.map(|[x, _]| DVec3::new(x, 0.0, z)));
    }
    let quad = |a: u32| RawPolygon::new([a, a + 4, a + 5, a + 1]);
    raw.polygons = [0, 1, 2, 4, 6].map(quad).to_vec();
    let mesh = raw.validate().unwrap();
    let links = found(&mesh, &LinkSettings::default());
    assert!(!links.is_empty());
    for l in &links {
        // Round the end it is twice the way to it and the slit: to be saved are three times a metre.
        assert!(world(&mesh, l.start).z > 2.9, "{}", world(&mesh, l.start));
    }
    assert_eq!(found(&mesh, &LinkSettings { min_detour: 100.0, ..Default::default() }).len(), 0);
}

#[test]
fn n_7_links_placed_by_hand_stand_on_the_mesh() {
    let mesh = plates(&[[0.0, 10.0, 0.0, 10.0, 0.0], [30.0, 40.0, 0.0, 10.0, 8.0]]);
    let link = PlacedLink {
        start: DVec3::new(9.0, 0.2, 5.0),
        end: DVec3::new(29.5, 8.0, 5.0),
        kind: LinkKind::Placed,
        both_ways: true,
        reach: 1.0,
        area: 5,
        flags: 2,
    };
    let links = OffMeshLinks::new(&mesh, Vec::new(), std::slice::from_ref(&link)).unwrap();
    let (near, far) = (mesh.from_source(0).unwrap(), mesh.from_source(1).unwrap());
    let there = links.taken(links.exits(near)[0]);
    let back = links.taken(links.exits(far)[0]);
    assert_eq!((there.from, there.to, back.from, back.to), (near, far, far, near));
    assert_eq!(world(&mesh, there.start), Vec3::new(9.0, 0.0, 5.0));
    assert_eq!((world(&mesh, back.start), there.area, there.flags), (Vec3::new(30.0, 8.0, 5.0), 5, 2));
    let error = |l: PlacedLink| OffMeshLinks::new(&mesh, Vec::new(), &[link.clone(), l]).unwrap_err().to_string();
    assert!(error(PlacedLink { end: DVec3::new(20.0, 0.0, 5.0), ..link.clone() }).contains("end of link 2"));
    assert!(error(PlacedLink { start: DVec3::NAN, ..link.clone() }).contains("start of link 2"));
    assert!(error(PlacedLink { reach: f32::NAN, ..link.clone() }).contains("start of link 2"));
    assert!(error(PlacedLink { area: 64, ..link.clone() }).contains("link 2 has area 64"));
}

#[test]
fn settings_that_cannot_be_are_named() {
    let mesh = plates(&[[0.0, 1.0, 0.0, 1.0, 0.0]]);
    let name = |s: LinkSettings| match s.find(&mesh, &|_, _| true) {
        Err(LinkError::Setting { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(LinkSettings { max_gap: f32::NAN, ..Default::default() }), "max_gap");
    assert_eq!(name(LinkSettings { spacing: 0.0, ..Default::default() }), "spacing");
    assert_eq!(name(LinkSettings { area: 64, ..Default::default() }), "area");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn n_7_every_link_keeps_the_limits(
        list in proptest::collection::vec((0.0f64..30.0, 0.5f64..8.0, 0.0f64..30.0, 0.5f64..8.0, -4.0f64..4.0), 1..12),
    ) {
        let list: Vec<[f64; 5]> = list.into_iter().map(|(x, w, z, d, y)| [x, x + w, z, z + d, y]).collect();
        let mesh = plates(&list);
        let s = LinkSettings::default();
        for l in found(&mesh, &s) {
            let rise = l.end.y - l.start.y;
            prop_assert!(plan::distance(l.start, l.end) <= s.max_gap + 1e-3);
            prop_assert!(rise <= s.max_rise + 1e-4 && rise >= -s.max_drop - 1e-4);
            prop_assert_eq!(l.both_ways, rise >= -s.max_rise);
            prop_assert!(mesh.contains_2d(l.to, l.end) && l.from != l.to);
            prop_assert!((mesh.height_at(l.to, l.end) - l.end.y).abs() < 1e-3);
        }
    }
}

#[test]
fn n_07_links_stand_on_the_pieces_that_obstacles_leave() {
    let base = std::sync::Arc::new(plates(&[[0.0, 10.0, 0.0, 10.0, 0.0], [12.0, 22.0, 0.0, 10.0, 0.0]]));
    let placed = |z: f64| PlacedLink::new(LinkKind::Jump, [DVec3::new(9.9, 0.0, z), DVec3::new(12.1, 0.0, z)], 0.2);
    let links = OffMeshLinks::new(&base, Vec::new(), &[placed(2.0), placed(8.0)]).unwrap();
    let mut dynamic = walkabout::nav::mesh::DynamicMesh::new(base.clone());
    let half = DVec3::new(1.0, 1.0, 1.0);
    let id = dynamic.add(&walkabout::nav::mesh::Obstacle::cuboid(DVec3::new(9.5, 0.0, 8.0), half, 0.3)).unwrap();
    let now = links.on(dynamic.mesh());
    let exits = |l: &OffMeshLinks, m: &NavMesh| -> Vec<(PolyId, OffMeshExit)> {
        let of = |p: u32| l.exits(PolyId(p)).iter().map(move |e| (PolyId(p), *e));
        (0..m.len() as u32).flat_map(of).collect()
    };
    let all = exits(&now, dynamic.mesh());
    assert_eq!(all.len(), 2, "the end of the other is covered");
    for (polygon, exit) in all {
        assert_eq!((exit.link, now.taken(exit).from), (0, polygon));
        assert!(dynamic.mesh().is_live(polygon) && dynamic.mesh().contains_2d(polygon, now.taken(exit).start));
    }
    dynamic.remove(id).unwrap();
    let again = links.on(dynamic.mesh());
    assert_eq!((again.all(), exits(&again, &base)), (links.all(), exits(&links, &base)));
}

#[test]
fn n_07_links_lead_from_what_obstacles_leave_only() {
    let base = std::sync::Arc::new(plates(&[[0.0, 10.0, 0.0, 10.0, 0.0], [12.0, 22.0, 0.0, 10.0, 0.0]]));
    let mut dynamic = walkabout::nav::mesh::DynamicMesh::new(base.clone());
    let half = DVec3::new(0.5, 1.0, 0.5);
    let block = |x: f64| walkabout::nav::mesh::Obstacle::cuboid(DVec3::new(x, 0.0, 5.0), half, 0.3);
    let check = |mesh: &NavMesh| {
        let links = found(mesh, &LinkSettings::default());
        assert!(!links.is_empty());
        for l in &links {
            assert!(mesh.is_live(l.from) && mesh.is_live(l.to), "{l:?}");
        }
    };
    let near = dynamic.add(&block(5.0)).unwrap();
    check(dynamic.mesh());
    let far = dynamic.add(&block(17.0)).unwrap();
    check(dynamic.mesh());
    dynamic.remove(far).unwrap();
    check(dynamic.mesh());
    dynamic.remove(near).unwrap();
    assert_eq!(found(dynamic.mesh(), &LinkSettings::default()), found(&base, &LinkSettings::default()));
}

#[test]
fn n_07_links_from_slanted_walls_outlast_obstacles_elsewhere() {
    // Rounding puts the starts of about half of the links outside of their polygon.
    let turned = |[x, z]: [f64; 2]| DVec3::new(0.8 * x - 0.6 * z, 0.0, 0.6 * x + 0.8 * z);
    let mut raw = RawMesh::default();
    for x in [0.0, 12.0] {
        let first = raw.vertices.len() as u32;
        raw.vertices.extend([[x, 0.0], [x, 10.0], [x + 10.0, 10.0], [x + 10.0, 0.0]].map(turned));
        raw.polygons.push(RawPolygon::new([first, first + 1, first + 2, first + 3]));
    }
    let base = std::sync::Arc::new(raw.validate().unwrap());
    let list = found(&base, &LinkSettings { spacing: 0.25, ..Default::default() });
    let links = OffMeshLinks::new(&base, list, &[]).unwrap();
    let mut dynamic = walkabout::nav::mesh::DynamicMesh::new(base.clone());
    for x in [2.0, 20.0] {
        let half = DVec3::new(0.5, 1.0, 0.5);
        dynamic.add(&walkabout::nav::mesh::Obstacle::cuboid(turned([x, 5.0]), half, 0.3)).unwrap();
    }
    let now = links.on(dynamic.mesh());
    let exits =
        |l: &OffMeshLinks, m: &NavMesh| -> usize { (0..m.len() as u32).map(|p| l.exits(PolyId(p)).len()).sum() };
    let before = exits(&links, &base);
    assert!(before > 60, "{before}");
    assert_eq!(exits(&now, dynamic.mesh()), before);
}
