//! Bakes of small generated levels.

use crate::bake_fixture::{block, floor};
use glam::{DVec3, Vec2, Vec3};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use walkabout::math::plan;
use walkabout::nav::bake::compact_heightfield::CompactHeightfield;
use walkabout::nav::bake::heightfield::Heightfield;
use walkabout::nav::bake::*;
use walkabout::nav::mesh::off_mesh::LinkSettings;
use walkabout::nav::mesh::{ISLAND_REACH, NavMesh, NavPoint, PolyId};

/// A yard of 20 × 20 with a pillar in its middle, a step and a roof.
fn yard() -> Vec<[Vec3; 3]> {
    let mut t = floor([0.0, 20.0], [0.0, 20.0], 0.0);
    t.extend(block([8.0, 11.0], [8.0, 12.0], 3.0));
    t.extend(block([2.0, 6.0], [3.0, 4.5], 0.5));
    t.extend(floor([12.0, 18.0], [2.0, 8.0], 4.0));
    t
}

fn run(t: &[[Vec3; 3]], settings: &BakeSettings) -> (Baked, NavMesh) {
    let baked = bake(t, settings, &mut silent).unwrap();
    let mesh = baked.nav_mesh().unwrap();
    (baked, mesh)
}

fn partitions() -> impl Iterator<Item = BakeSettings> {
    [Partition::Watershed, Partition::Monotone, Partition::Layers]
        .into_iter()
        .map(|partition| BakeSettings { partition, ..Default::default() })
}

fn on_ground(mesh: &NavMesh, x: f64, y: f64, z: f64) -> Option<PolyId> {
    let p = mesh.local(DVec3::new(x, y, z));
    (0..mesh.len() as u32).map(PolyId).find(|&id| mesh.contains_2d(id, p) && (mesh.height_at(id, p) - p.y).abs() < 0.5)
}

fn area(mesh: &NavMesh) -> f64 {
    (0..mesh.len() as u32).map(|i| plan::area(mesh.corners_of(PolyId(i)))).sum()
}

#[test]
fn r_3_every_partition_makes_a_mesh_clear_of_walls() {
    for settings in partitions() {
        let (baked, mesh) = run(&yard(), &settings);
        let name = format!("{:?}", settings.partition);
        assert!(on_ground(&mesh, 16.0, 0.0, 16.0).is_some(), "{name}");
        assert!(on_ground(&mesh, 4.0, 0.5, 3.7).is_some(), "{name}: the step can be climbed");
        assert!(on_ground(&mesh, 15.0, 0.0, 5.0).is_some() && on_ground(&mesh, 15.0, 4.0, 5.0).is_some(), "{name}");
        for (x, z) in [(9.5, 10.0), (7.8, 10.0), (11.3, 9.0), (0.3, 10.0), (10.0, 19.8)] {
            assert!(on_ground(&mesh, x, 0.0, z).is_none(), "{name}: {x} {z} is too near to a wall");
        }
        assert_eq!(mesh.island_count(), 2, "{name}: yard and roof; the pillar is too small to stand on");
        assert!(baked.polygons() < 60 && baked.regions >= 2, "{name}: {}", baked.polygons());
    }
}

#[test]
fn r_1_polygons_are_convex_and_their_neighbors_share_edges() {
    for settings in partitions() {
        let (_, mesh) = run(&yard(), &settings);
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1u64 << 24) as f32
        };
        // A point inside: weights of the corners that sum to one.
        let mut inside = |corners: &[Vec3]| {
            let w: Vec<f32> = corners.iter().map(|_| random()).collect();
            let sum: f32 = w.iter().sum();
            corners.iter().zip(&w).map(|(c, w)| *c * (w / sum)).sum::<Vec3>()
        };
        let rounds = 100_000 / mesh.len() / 3 + 1;
        for id in (0..mesh.len() as u32).map(PolyId) {
            let corners: Vec<Vec3> = mesh.corners(id).collect();
            assert!(corners.len() <= 6);
            let off = |p: Vec3| {
                (0..corners.len())
                    .map(|i| plan::cross(corners[i], corners[(i + 1) % corners.len()], p))
                    .fold(f64::INFINITY, f64::min)
            };
            for _ in 0..rounds {
                let (a, b) = (inside(&corners), inside(&corners));
                assert!(off(a) > -1e-3 && off(b) > -1e-3 && off(a.lerp(b, 0.37)) > -1e-3);
            }
            for e in mesh.edges_of(id).iter().filter(|e| e.twin != walkabout::nav::mesh::NONE) {
                let (a, b) = mesh.edge_points(e.twin);
                assert!(mesh.edge_points(mesh.edges()[e.twin as usize].twin) == (b, a));
            }
        }
    }
}

#[test]
fn r_9_stages_are_kept_when_asked_for_and_every_step_is_told() {
    let settings = BakeSettings { keep_stages: true, ..Default::default() };
    let mut told = Vec::new();
    let baked = bake(&yard(), &settings, &mut |step, share| {
        told.push((step, share));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(told.iter().map(|t| t.0).take(BakeStep::ALL.len()).collect::<Vec<_>>(), BakeStep::ALL);
    assert!(told.windows(2).all(|w| w[0].1 < w[1].1) && told.last().unwrap().1 == 1.0);
    assert_eq!(baked.log.iter().map(|l| l.0).collect::<Vec<_>>(), BakeStep::ALL);
    let stages = baked.debug.unwrap();
    assert_eq!(stages.field.spans.len(), baked.spans);
    assert_eq!(stages.regions.ids.len(), stages.compact.spans.len());
    assert!(stages.contours.len() >= 2 && stages.contours.iter().all(|c| c.vertices.len() >= 3));
    assert!(bake(&yard(), &BakeSettings::default(), &mut silent).unwrap().debug.is_none());
}

#[test]
fn volumes_become_areas_with_edges_along_their_outline() {
    let shape = VolumeShape::Box { min: Vec3::new(12.9, -1.0, 12.9), max: Vec3::new(17.1, 1.0, 17.1) };
    for settings in partitions() {
        let mark = |area| BakeSettings { volumes: vec![Volume { shape: shape.clone(), area }], ..settings.clone() };
        let (_, mesh) = run(&yard(), &mark(Some(7)));
        for (x, z, expected) in [(15.0, 15.0, 7), (13.5, 16.5, 7), (11.9, 15.0, 0), (15.0, 18.5, 0)] {
            let id = on_ground(&mesh, x, 0.0, z).unwrap();
            assert_eq!(mesh.polygon(id).area, expected, "{:?} {x} {z}", settings.partition);
        }
        let (_, cut) = run(&yard(), &mark(None));
        assert!(on_ground(&cut, 15.0, 0.0, 15.0).is_none() && on_ground(&cut, 11.9, 0.0, 15.0).is_some());
        assert!((area(&mesh) - area(&cut) - 4.2 * 4.2).abs() < 1.5);
    }
}

#[test]
fn nothing_to_walk_on_is_an_error() {
    let fails = |t: &[[Vec3; 3]], s: &BakeSettings| bake(t, s, &mut silent).unwrap_err();
    let d = BakeSettings::default();
    assert_eq!(fails(&[], &d), BakeError::Empty);
    assert_eq!(fails(&[[Vec3::ZERO; 3]], &d), BakeError::NothingWalkable);
    assert_eq!(fails(&floor([0.0, 1.0], [0.0, 1.0], 0.0), &d), BakeError::NothingWalkable);
    let s = BakeSettings { cell_size: -1.0, ..d };
    assert!(matches!(fails(&yard(), &s), BakeError::Setting { name: "cell_size", .. }));
}

#[test]
fn one_core_and_many_make_the_same_mesh() {
    let t = yard();
    let meshes = [1, 3].map(|n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| bake(&t, &BakeSettings::default(), &mut silent)).unwrap().mesh
    });
    assert!(meshes[0] == meshes[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_soup_bakes_to_a_valid_mesh_or_an_error(
        soup in proptest::collection::vec(proptest::array::uniform9(-12.0f32..12.0), 1..25),
        yard_too in any::<bool>(), partition in 0usize..3, corners in 3u32..=12, radius in 0.0f32..1.0,
    ) {
        let mut t: Vec<[Vec3; 3]> =
            soup.iter().map(|p| [0, 3, 6].map(|k| Vec3::new(p[k], p[k + 1] * 0.3, p[k + 2]))).collect();
        if yard_too {
            t.extend(yard());
        }
        let partition = [Partition::Watershed, Partition::Monotone, Partition::Layers][partition];
        let s = BakeSettings { partition, corners, agent_radius: radius, region_min_cells: 2, ..Default::default() };
        match bake(&t, &s, &mut silent) {
            Ok(baked) => {
                let mesh = baked.nav_mesh();
                prop_assert!(mesh.is_ok(), "{:?}", mesh.err());
                prop_assert!(baked.mesh.polygons.iter().all(|p| p.vertices.len() <= corners as usize));
            }
            Err(e) => prop_assert_eq!(e, BakeError::NothingWalkable),
        }
    }
}

#[test]
fn contours_that_touch_themselves_give_convex_polygons() {
    // Found by random soups; the contour of one region passes a vertex twice, and the bake made a polygon of a triangle
    // and an inverted one.
    let p = Vec3::new;
    let soup = [
        [p(-2.5672283, 0.0, 0.0), Vec3::ZERO, p(0.0, -3.1103259, 0.0)],
        [p(5.6078544, 2.4750195, -2.9247715), p(-11.214277, 2.3425194, -9.264389), p(-2.3442745, 3.2884326, 6.519142)],
        [Vec3::ZERO, Vec3::ZERO, p(-5.4376545, 3.4945155, -3.4087706)],
        [Vec3::ZERO, p(0.0, 0.0, -4.8246875), p(-8.358192, 3.391_696, 0.0)],
        // No ground, but it moves the grid.
        [Vec3::ZERO, Vec3::ZERO, p(-11.675829, 0.0, 0.0)],
    ];
    let settings = BakeSettings {
        partition: Partition::Layers,
        corners: 4,
        agent_radius: 0.08000233,
        region_min_cells: 2,
        ..Default::default()
    };
    let (_, mesh) = run(&soup, &settings);
    // As much as the contours hold.
    assert!((area(&mesh) - 92.88).abs() < 0.01, "{} m²", area(&mesh));
}

#[test]
fn a_thousand_pillars_are_holes_of_one_region() {
    const SIDE: usize = 32;
    let size = 3.0 * SIDE as f32;
    let mut t = floor([0.0, size], [0.0, size], 0.0);
    for i in 0..SIDE * SIDE {
        let (x, z) = (1.0 + 3.0 * (i % SIDE) as f32, 1.0 + 3.0 * (i / SIDE) as f32);
        t.extend(block([x, x + 0.6], [z, z + 0.6], 3.0));
    }
    let settings = BakeSettings { partition: Partition::Layers, ..Default::default() };
    let (baked, mesh) = run(&t, &settings);
    assert_eq!((baked.regions, mesh.island_count()), (1, 1));
    // Of each nine square metres a pillar takes its foot and a margin of 0.6 m, in whole cells; the border takes its own.
    let expected = f64::from(size - 1.2).powi(2) - (SIDE * SIDE) as f64 * 1.8 * 1.8;
    assert!((area(&mesh) / expected - 1.0).abs() < 0.1, "{} m² of {expected}", area(&mesh));
}

#[test]
fn spiral_stairs_of_changing_width_hang_together() {
    let edge = |i: u8| {
        let (i, angle) = (f32::from(i), f32::from(i) * std::f32::consts::TAU / 24.0);
        let at = |radius: f32, i: f32| Vec3::new(angle.cos() * radius, i * 0.17, -angle.sin() * radius);
        [1.3 + 0.4 * (i * 0.29).sin(), 4.5 + 0.8 * (i * 0.113).sin() + 0.3 * (i * 0.5).sin()].map(|r| at(r, i))
    };
    let treads = (0..200).flat_map(|i| {
        let ([a, b], [d, c]) = (edge(i), edge(i + 1).map(|p| p - Vec3::Y * 0.17));
        [[a, b, c], [a, c, d]]
    });
    let (_, mesh) = run(&treads.collect::<Vec<_>>(), &BakeSettings::default());
    assert_eq!(mesh.island_count(), 1);
    // What erosion by the agent's radius leaves, in cells.
    assert!((area(&mesh) - 268.2).abs() < 0.1, "{} m²", area(&mesh));
}

#[test]
fn islands_without_a_seed_vanish() {
    let settings = |seeds: &[[f64; 3]]| BakeSettings {
        seeds: seeds.iter().map(|s| DVec3::from(*s)).collect(),
        ..Default::default()
    };
    let (_, yard_alone) = run(&yard(), &settings(&[[1.0, 0.0, 18.0]]));
    assert_eq!(yard_alone.island_count(), 1);
    assert!(on_ground(&yard_alone, 15.0, 4.0, 5.0).is_none() && on_ground(&yard_alone, 15.0, 0.0, 5.0).is_some());
    let (_, both) = run(&yard(), &settings(&[[15.0, 0.5, 5.0], [15.0, 4.5, 5.0]]));
    assert_eq!(both.island_count(), 2);
    let error = bake(&yard(), &settings(&[[1.0, 0.0, 18.0], [900.0, 0.0, 0.0]]), &mut silent).unwrap_err();
    assert_eq!(error, BakeError::Seed { point: 1, reach: ISLAND_REACH });
    assert!(error.to_string().starts_with("seed 2 has no polygon"), "as the workbench counts them: {error}");
}

#[test]
fn a_bake_ends_at_the_step_where_it_is_told_to() {
    for (i, last) in BakeStep::ALL.into_iter().enumerate() {
        let mut told = 0;
        let mut progress = |step, _| {
            told += 1;
            if step == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let error = bake(&yard(), &BakeSettings::default(), &mut progress).unwrap_err();
        assert_eq!((error, told), (BakeError::Cancelled(last.label()), i + 1));
    }
}

#[test]
fn a_bake_ends_within_the_step_where_it_is_stopped() {
    for (settings, last) in partitions().flat_map(|s| BakeStep::ALL.map(|last| (s.clone(), last))) {
        for tile_cells in [0, 16] {
            let stop = AtomicBool::new(false);
            let mut told = Vec::new();
            let mut progress = |step, _| {
                told.push(step);
                stop.fetch_or(step == last, Ordering::Relaxed);
                ControlFlow::Continue(())
            };
            let settings = BakeSettings { tile_cells, ..settings.clone() };
            let error = bake_until(&yard(), &settings, &mut progress, &stop).unwrap_err();
            assert_eq!((error, told.last()), (BakeError::Cancelled(last.label()), Some(&last)));
        }
    }
    // A stopped bake does no work.
    let (stop, settings) = (AtomicBool::new(true), BakeSettings::default());
    let field = Heightfield::rasterize(&yard(), &settings, 1, &stop).unwrap();
    assert_eq!(field.spans.len(), 0);
    let voxels = settings.voxels().unwrap();
    let go = AtomicBool::new(false);
    let mut field = Heightfield::rasterize(&yard(), &settings, voxels.climb, &go).unwrap();
    let areas = |field: &Heightfield| field.spans.iter().map(|s| s.area).collect::<Vec<_>>();
    let before = areas(&field);
    filter::filter(&mut field, &settings, voxels, &stop);
    assert_eq!(areas(&field), before);
    filter::filter(&mut field, &settings, voxels, &go);
    assert_ne!(areas(&field), before);
    let mut compact = CompactHeightfield::new(&field, voxels);
    let before = compact.areas.clone();
    let volume = Volume { shape: VolumeShape::Box { min: Vec3::splat(-1e3), max: Vec3::splat(1e3) }, area: Some(7) };
    let settings = BakeSettings { volumes: vec![volume], ..settings };
    compact.erode(voxels.radius, &stop);
    compact.mark_all(&settings, &stop);
    assert_eq!(compact.areas, before);
    compact.erode(voxels.radius, &go);
    compact.mark_all(&settings, &go);
    assert_ne!(compact.areas, before);
    let (_, mesh) = run(&yard(), &BakeSettings::default());
    let find = |stop: &AtomicBool| {
        let settings = LinkSettings { max_drop: 100.0, max_gap: 10.0, min_detour: 1.0, ..LinkSettings::default() };
        settings.find_until(&mesh, &|_, _| true, stop).unwrap().len()
    };
    assert!(find(&stop) == 0 && find(&go) > 0);
}

#[test]
fn tiles_make_one_mesh_across_their_seams() {
    for (settings, tile_cells) in partitions().flat_map(|s| [8, 13, 20, 64].map(|t| (s.clone(), t))) {
        let (_, whole) = run(&yard(), &settings);
        let settings = BakeSettings { tile_cells, ..settings };
        let (_, tiled) = run(&yard(), &settings);
        let name = format!("{:?} {tile_cells}", settings.partition);
        assert_eq!(tiled.island_count(), 2, "{name}");
        let (a, b) = (area(&whole), area(&tiled));
        assert!((a - b).abs() < 0.03 * a, "{name}: {a} m² in one, {b} m² in tiles");
        // No polygon crosses a seam.
        let seam = f64::from(tile_cells) * 0.3;
        for id in (0..tiled.len() as u32).map(PolyId) {
            let tile = |f: fn(Vec3) -> f32| {
                let at = tiled.corners(id).map(|c| f64::from(f(c))).collect::<Vec<_>>();
                let origin = if f(Vec3::X) > 0.0 { tiled.origin().x } else { tiled.origin().z };
                let low = at.iter().fold(f64::INFINITY, |m, v| m.min(*v)) + origin;
                let high = at.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v)) + origin;
                ((low / seam + 1e-3).floor(), (high / seam - 1e-3).floor())
            };
            let ((x0, x1), (z0, z1)) = (tile(|c| c.x), tile(|c| c.z));
            assert!(x0 == x1 && z0 == z1, "{name}: polygon {} crosses a seam", id.0);
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = one.install(|| bake(&yard(), &settings, &mut silent)).unwrap();
        let many = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert!(again.mesh == many.install(|| bake(&yard(), &settings, &mut silent)).unwrap().mesh, "{name}");
    }
}

#[test]
fn tp_12_outlines_of_marked_ground_stay_polygon_edges() {
    use walkabout::nav::mesh::Filter;
    use walkabout::nav::tactical::{Biases, Marks, Markup, TacticalQuery, TacticalSearch};
    const BUSHES: u8 = 7;
    let outline = [Vec2::new(7.0, 2.0), Vec2::new(13.0, 4.0), Vec2::new(12.0, 16.0), Vec2::new(6.0, 14.0)];
    let shape = VolumeShape::Convex { outline: outline.to_vec(), low: -1.0, high: 1.0 };
    let settings = BakeSettings {
        volumes: vec![Volume { shape, area: Some(BUSHES) }],
        edge_error_cells: 0.75,
        cell_size: 0.2,
        agent_radius: 0.4,
        ..BakeSettings::default()
    };
    let (_, mesh) = run(&floor([0.0, 20.0], [0.0, 20.0], 0.0), &settings);
    let marked = |p: PolyId| mesh.polygon(p).area == BUSHES;
    let plan = |v: Vec3| Vec2::new(mesh.world(v).x as f32, mesh.world(v).z as f32);
    let mut length = 0.0;
    for id in (0..mesh.len() as u32).map(PolyId).filter(|&p| marked(p)) {
        for (k, edge) in mesh.edges_of(id).iter().enumerate() {
            if edge.neighbor != walkabout::nav::mesh::NONE && marked(PolyId(edge.neighbor)) {
                continue;
            }
            let (a, b) = mesh.edge_points(mesh.polygon(id).first_edge + k as u32);
            for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let p = plan(a.lerp(b, t));
                let side = |i: usize| (outline[i], outline[(i + 1) % 4]);
                let off = (0..4).map(side).map(|(a, b)| {
                    let along = (b - a).normalize();
                    let t = (p - a).dot(along).clamp(0.0, (b - a).length());
                    (a + along * t).distance(p)
                });
                let off = off.fold(f32::INFINITY, f32::min);
                assert!(off <= settings.cell_size, "{p} lies {off} m off the outline");
            }
            length += plan(a).distance(plan(b));
        }
    }
    let around: f32 = (0..4).map(|i| outline[i].distance(outline[(i + 1) % 4])).sum();
    assert!((length - around).abs() < 0.08 * around, "{length} m of edges for an outline of {around} m");
    let mut markup = Markup::new(&mesh);
    (0..mesh.len() as u32).map(PolyId).filter(|&p| marked(p)).for_each(|p| markup.set(p, Marks::SLOW));
    let at = |x: f64, z: f64| {
        let p = mesh.local(DVec3::new(x, 0.0, z));
        let polygon = (0..mesh.len() as u32).map(PolyId).find(|&i| mesh.contains_2d(i, p)).unwrap();
        NavPoint::new(polygon, p)
    };
    let filter = Filter::default();
    let length = |slow: f32| {
        let biases = Biases { slow, ..Biases::default() };
        let query = TacticalQuery { markup: Some(&markup), ..TacticalQuery::new(&mesh, &filter, &biases) };
        let path = TacticalSearch::default().find(&query, at(2.0, 9.0), at(18.0, 9.0)).unwrap();
        let slowed: f32 = path.legs.iter().zip(&path.polygons).filter(|l| marked(*l.1)).map(|l| l.0.length).sum();
        (path.length, slowed)
    };
    let (straight, around) = (length(1.0), length(20.0));
    assert!(straight.1 > 4.0 && around.1 < 1.0 && around.0 > straight.0, "{straight:?} {around:?}");
}
