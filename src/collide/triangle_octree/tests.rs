//! The triangle octree against a look at every triangle, and what it does with odd levels.

use super::*;
use crate::collide::ground::tests::level_triangle;
use crate::collide::triangle_tree::TriangleTree;
use proptest::prelude::*;

/// Triangles all over a box: small ones, long ones, and some without extent.
fn level() -> impl Strategy<Value = Vec<LevelTriangle>> {
    let coordinate = -20.0_f32..20.0;
    let point = (coordinate.clone(), -4.0_f32..4.0, coordinate).prop_map(Vec3::from);
    let offset = || (-2.0_f32..2.0, -2.0_f32..2.0, -2.0_f32..2.0).prop_map(Vec3::from);
    let shape = (point, offset(), offset(), 0..10_u32).prop_map(|(a, ab, ac, kind)| match kind {
        0 => [a; 3],
        1 => [a, a + ab, a + ab * 2.0],
        2 => [a, a + ab * 8.0, a + ac * 8.0],
        _ => [a, a + ab, a + ac],
    });
    proptest::collection::vec(shape, 0..300)
        .prop_map(|shapes| (0_u32..).zip(shapes).map(|(i, points)| level_triangle(i, points)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn boxes_and_rays_find_what_a_look_at_every_triangle_finds(
        triangles in level(),
        threshold in 1_u32..20,
        depth in 0_u32..9,
        queries in proptest::collection::vec((-22.0_f32..22.0, -5.0_f32..5.0, -22.0_f32..22.0, 0.0_f32..6.0), 20),
    ) {
        let tree = TriangleTree::from(TriangleOctree::build(&triangles, threshold, depth));
        let boxes: Vec<Aabb> = triangles.iter().map(|t| crate::math::triangle::aabb(&t.points)).collect();
        let mut found = Vec::new();
        for (i, &(x, y, z, size)) in queries.iter().enumerate() {
            let corner = Vec3::new(x, y, z);
            let query = Aabb::new(corner, corner + Vec3::splat(size));
            tree.query_aabb(&query, &mut found);
            let expected: Vec<u32> =
                (0_u32..).zip(&boxes).filter(|(_, b)| b.intersects(&query)).map(|(i, _)| i).collect();
            prop_assert_eq!(&found, &expected);

            let (tx, ty, tz, _) = queries[(i + 1) % queries.len()];
            let ray = Ray { origin: corner, direction: Vec3::new(tx, ty, tz) - corner };
            let nearest = triangles
                .iter()
                .filter_map(|t| ray.triangle(&t.points).filter(|hit| *hit <= 1.0))
                .min_by(f32::total_cmp);
            prop_assert_eq!(tree.raycast(&ray, 1.0).map(|(_, hit)| hit), nearest);
        }
    }
}

#[test]
fn broken_triangles_are_kept_but_never_found() {
    let good = [Vec3::ZERO, Vec3::X, Vec3::Z];
    let mut triangles: Vec<LevelTriangle> = (0..100).map(|i| level_triangle(i, good)).collect();
    triangles[3].points[1] = Vec3::NAN;
    triangles[5].points[2] = Vec3::INFINITY;
    let tree = TriangleOctree::build(&triangles, 10, 8);
    let mut found = Vec::new();
    tree.query_aabb(&Aabb::new(Vec3::splat(-1.0), Vec3::ONE), &mut found);
    assert_eq!((tree.triangles().len(), found.len()), (100, 98));
    assert!(!found.contains(&3) && !found.contains(&5));
}

#[test]
fn a_level_that_nothing_divides_stays_small() {
    // Two thousand triangles that all span the whole level: every split would multiply them.
    let wide = |i: u32| {
        let h = i as f32 * 1e-3;
        level_triangle(i, [Vec3::new(-50.0, h, -50.0), Vec3::new(50.0, h, -50.0), Vec3::new(0.0, h, 50.0)])
    };
    let triangles: Vec<LevelTriangle> = (0..2000).map(wide).collect();
    let tree = TriangleOctree::build(&triangles, 1, 16);
    let filed: usize = tree.cells().map(|cell| cell.items as usize).sum();
    assert!(filed <= triangles.len() * (MAX_ENTRIES_PER_TRIANGLE + 1), "{filed}");
}

#[test]
fn cells_split_by_count_down_to_the_depth_limit() {
    let at = |i: u32| Vec3::new((i % 32) as f32, 0.0, (i / 32) as f32) * 2.0;
    let triangles: Vec<LevelTriangle> =
        (0..1024).map(|i| level_triangle(i, [at(i), at(i) + Vec3::X, at(i) + Vec3::Z])).collect();
    for (threshold, depth) in [(10, 8), (1, 3), (4, 0)] {
        let tree = TriangleTree::from(TriangleOctree::build(&triangles, threshold, depth));
        assert!(tree.cells().all(|c| c.depth <= depth && (c.items <= threshold || c.depth == depth)));
        assert!(tree.cells().count() > 4 || depth == 0);
    }
}
