//! Baked meshes against the triangles they come from.

use crate::bake_fixture::{block, floor};
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use walkabout::nav::bake::*;
use walkabout::nav::mesh::{NavMesh, PolyId};

/// Hills of 40 × 40 m, `high` at most, in squares of half a metre.
fn hills(high: f32) -> Vec<[Vec3; 3]> {
    let y = |x: f32, z: f32| high * (0.5 + 0.25 * (x * 0.35).sin() + 0.25 * (z * 0.25).cos());
    let p = |i: i32, k: i32| {
        let (x, z) = (i as f32 * 0.5, k as f32 * 0.5);
        Vec3::new(x, y(x, z), z)
    };
    (0..80 * 80)
        .flat_map(|n| {
            let (i, k) = (n % 80, n / 80);
            let [a, b, c, d] = [p(i, k), p(i, k + 1), p(i + 1, k + 1), p(i + 1, k)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// Whether a triangle faces up and is not steeper than the slope.
fn is_walkable([a, b, c]: &[Vec3; 3], cos_slope: f32) -> bool {
    let normal = (b - a).cross(c - a);
    normal.y > cos_slope * normal.length() && normal.y > 0.0
}

/// Heights of the walkable triangles at x and z.
fn ground(t: &[[Vec3; 3]], x: f64, z: f64, cos_slope: f32) -> Vec<f64> {
    t.iter()
        .filter(|t| is_walkable(t, cos_slope))
        .filter_map(|t| {
            let [a, b, c] = t.map(|p| p.as_dvec3());
            let turn = |p: DVec3, q: DVec3| (q.x - p.x) * (z - p.z) - (x - p.x) * (q.z - p.z);
            let (u, v, w) = (turn(b, c), turn(c, a), turn(a, b));
            let one_side = (u <= 1e-9 && v <= 1e-9 && w <= 1e-9) || (u >= -1e-9 && v >= -1e-9 && w >= -1e-9);
            (one_side && (u + v + w).abs() > 1e-12).then(|| (a.y * u + b.y * v + c.y * w) / (u + v + w))
        })
        .collect()
}

/// Points spread over all polygons: world space, with the polygon.
fn spread(mesh: &NavMesh, per_polygon: usize) -> Vec<(PolyId, DVec3)> {
    let mut seed = 7u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..mesh.len() as u32)
        .flat_map(|i| (0..per_polygon).map(move |_| PolyId(i)))
        .map(|id| {
            let corners: Vec<Vec3> = mesh.corners(id).collect();
            let weights: Vec<f32> = corners.iter().map(|_| random() + 1e-3).collect();
            let sum: f32 = weights.iter().sum();
            let p: Vec3 = corners.iter().zip(&weights).map(|(c, w)| *c * (w / sum)).sum();
            (id, mesh.world(Vec3 { y: mesh.height_at(id, p), ..p }))
        })
        .collect()
}

/// Mean and greatest distance of the mesh's heights from the ground.
fn height_errors(t: &[[Vec3; 3]], settings: &BakeSettings) -> (f64, f64) {
    let mesh = bake(t, settings, &mut silent).unwrap().nav_mesh().unwrap();
    let errors: Vec<f64> = spread(&mesh, 40)
        .into_iter()
        .map(|(_, p)| {
            let near = ground(t, p.x, p.z, settings.slope_rad.cos()).into_iter().map(|y| (y - p.y).abs());
            near.fold(f64::INFINITY, f64::min)
        })
        .collect();
    (errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max))
}

#[test]
fn heights_follow_hills_within_the_detail_error() {
    let t = hills(6.0);
    let settings = BakeSettings::default();
    let (mean, worst) = height_errors(&t, &settings);
    // What the error allows, half of which a voxel's rounding up takes, and what a slope rises between two samples.
    assert!(mean < 0.2 && worst < 0.75, "mean {mean}, worst {worst}");
    let (plain_mean, plain_worst) = height_errors(&t, &BakeSettings { detail_distance_cells: 0.0, ..settings });
    assert!(
        plain_mean > 1.5 * mean && plain_worst > 1.5 * worst,
        "without detail: mean {plain_mean}, worst {plain_worst}"
    );
}

#[test]
fn r_4_steep_ramps_are_not_on_the_mesh() {
    // Ramps of 4 m, side by side, each steeper than the one before.
    let degrees = [10.0f32, 30.0, 44.0, 46.0, 60.0];
    let mut t = Vec::new();
    for (i, angle) in degrees.iter().enumerate() {
        let (x0, x1, rise) = (i as f32 * 8.0, i as f32 * 8.0 + 4.0, 6.0 * angle.to_radians().tan());
        let p = |x: f32, far: f32| Vec3::new(x, rise * far, 6.0 * far);
        let [a, b, c, d] = [p(x0, 0.0), p(x0, 1.0), p(x1, 1.0), p(x1, 0.0)];
        t.extend([[a, b, c], [a, c, d]]);
    }
    let settings = BakeSettings { agent_climb: 1.6, agent_radius: 0.3, region_min_cells: 2, ..Default::default() };
    let mesh = bake(&t, &settings, &mut silent).unwrap().nav_mesh().unwrap();
    let walked: Vec<bool> = (0..5)
        .map(|i| spread(&mesh, 3).iter().any(|(_, p)| (i as f64 * 8.0..i as f64 * 8.0 + 4.0).contains(&p.x)))
        .collect();
    assert_eq!(walked, [true, true, true, false, false]);
}

#[test]
fn hostile_numbers_are_errors_or_small_meshes() {
    let d = BakeSettings::default();
    let t = |p: [[f32; 3]; 3]| p.map(Vec3::from);
    let floor = [t([[0.0, 0.0, 0.0], [0.0, 0.0, 20.0], [20.0, 0.0, 20.0]])];
    let fails = |list: &[[Vec3; 3]]| bake(list, &d, &mut silent).unwrap_err();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(fails(&[floor[0], t([[0.0; 3], [1.0, bad, 0.0], [0.0, 0.0, 1.0]])]), BakeError::NotFinite(1));
    }
    for huge in [1e5, 1e9, 1e30, f32::MAX] {
        let far = t([[-huge, 0.0, 0.0], [huge, 0.0, huge], [huge, 0.0, -huge]]);
        assert!(matches!(fails(&[floor[0], far]), BakeError::TooLarge { .. }), "{huge}");
        let high = t([[0.0, -huge, 0.0], [1.0, huge, 0.0], [0.0, huge, 1.0]]);
        assert!(matches!(fails(&[floor[0], high]), BakeError::TooLarge { .. }), "{huge}");
    }
    let none = [[Vec3::ONE; 3], t([[0.0; 3], [5.0, 0.0, 0.0], [9.0, 0.0, 0.0]])];
    assert_eq!(fails(&none), BakeError::NothingWalkable);
    let with_lines = [floor[0], none[0], none[1]];
    assert!(bake(&with_lines, &d, &mut silent).unwrap().nav_mesh().is_ok());
    let tiny = BakeSettings { cell_size: 1e-3, cell_height: 1e-3, agent_radius: 0.1, ..d.clone() };
    assert!(matches!(bake(&floor, &tiny, &mut silent), Err(BakeError::TooLarge { .. })));
    // Far from the origin, single precision leaves steps of a tenth of a metre.
    let moved = floor.map(|t| t.map(|p| p + Vec3::new(1e6, 0.0, -1e6)));
    assert!(bake(&moved, &d, &mut silent).unwrap().nav_mesh().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Boxes on a plain, too low to stand inside: the mesh lies on walkable triangles, clear of walls, and covers what is clear by far.
    #[test]
    fn the_mesh_is_where_the_triangles_let_one_walk(
        boxes in proptest::collection::vec((2.0f32..22.0, 1.0f32..5.0, 2.0f32..22.0, 1.0f32..5.0, 0.1f32..1.9), 0..6),
        tile_cells in prop_oneof![Just(0u32), Just(24)],
    ) {
        let mut t = floor([0.0, 28.0], [0.0, 28.0], 0.0);
        for &(x, w, z, d, y) in &boxes {
            t.extend(block([x, x + w], [z, z + d], y));
        }
        let settings = BakeSettings { tile_cells, ..Default::default() };
        let mesh = bake(&t, &settings, &mut silent).unwrap().nav_mesh().unwrap();
        let top = |x: f64, z: f64| ground(&t, x, z, settings.slope_rad.cos()).into_iter().fold(f64::MIN, f64::max);
        // Points around at a distance: what a radius away is higher than a step is a wall.
        let around = |p: DVec3, r: f64| (0..16).map(move |k| {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / 16.0).sin_cos();
            (p.x + r * c, p.z + r * s)
        });
        for (_, p) in spread(&mesh, 12) {
            let y = top(p.x, p.z);
            prop_assert!(y > f64::MIN, "{p} is beside the level");
            // The simplified outline may leave the voxels by 1.3 cells, of the two that the radius takes.
            for (x, z) in around(p, 0.15) {
                prop_assert!(top(x, z) - p.y < f64::from(settings.agent_climb) + 0.45, "{p} is in a wall");
            }
        }
        for n in 0..40 * 40 {
            let p = DVec3::new(f64::from(n % 40) * 0.7 + 0.1, 0.0, f64::from(n / 40) * 0.7 + 0.1);
            let inside = |v: f64| (1.8..26.2).contains(&v);
            let clear = inside(p.x) && inside(p.z)
                && [0.0, 0.5, 1.0, 1.5].iter().all(|&r| around(p, r).all(|(x, z)| top(x, z) == 0.0));
            if clear {
                let local = mesh.local(p);
                let on = (0..mesh.len() as u32).map(PolyId).find(|&id| mesh.contains_2d(id, local));
                prop_assert!(on.is_some(), "{p} is clear but not on the mesh");
                prop_assert!(on.is_none_or(|id| (mesh.height_at(id, local) - local.y).abs() < 1.2));
            }
        }
    }
}
