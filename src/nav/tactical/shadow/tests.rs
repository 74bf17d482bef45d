//! Covers in the shadow of others, and the volumes that lanes are of.

use super::*;
use proptest::prelude::*;

const A: Vec3 = Vec3::new(-2.0, 0.0, 4.0);
const B: Vec3 = Vec3::new(2.0, 0.0, 4.0);

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

fn cover(a: Vec3, b: Vec3, height: f32) -> CoverSegment {
    let class = if height >= 1.7 { CoverClass::Standing } else { CoverClass::Crouching };
    CoverSegment { a, b, class, height }
}

#[test]
fn covers_in_the_shadow_of_others_are_left_out() {
    let segments = [cover(A, B, 2.0), cover(at(-1.0, 6.0), at(1.0, 6.0), 2.0), cover(at(3.0, 6.0), at(9.0, 6.0), 2.0)];
    let covers: Vec<Cover> = segments.iter().rev().map(|s| Cover::Segment(*s)).collect();
    for sight in [VisibilityModel::default(), VisibilityModel::Solid { body_height: 1.5, skirt: 1.0 }] {
        let (mut all, mut some) =
            (Shadow::new(&Enemy::at(Vec3::ZERO), sight), Shadow::new(&Enemy::at(Vec3::ZERO), sight));
        segments.iter().for_each(|s| all.add_segment(s));
        some.add_all(covers.iter());
        assert_eq!((all.volumes().len(), some.volumes().len()), (3, 2));
        for z in [3.0, 5.0, 7.0, 12.0] {
            let [all, some] = [&all, &some].map(|s| s.exposure(at(-20.0, z), at(20.0, z), &mut Intervals::default()));
            assert!((all - some).abs() < 1e-5);
        }
    }
}

#[test]
fn in_plan_view_a_wall_overhead_hides_only_heads_at_its_foot() {
    let raised = |y: f32| cover(A + Vec3::Y * y, B + Vec3::Y * y, 2.0);
    let exposure = |wall: f32, walker: f32| {
        let mut shadow = Shadow::new(&Enemy::at(Vec3::ZERO), VisibilityModel::default());
        shadow.add_segment(&raised(wall));
        let way = [at(-1.0, 8.0), at(1.0, 8.0)].map(|p| p + Vec3::Y * walker);
        shadow.exposure(way[0], way[1], &mut Intervals::default())
    };
    // Eyes, and heads, are 1.7 m up.
    for wall in [1.8, 3.0, 3.3, 3.5, 9.0] {
        let seen = [wall - 1.8, wall - 1.6].map(|walker| exposure(wall, walker));
        assert_eq!(seen, [1.0, 0.0], "a wall from {wall} m up");
    }
    assert_eq!(exposure(1.6, 0.0), 0.0, "a wall that begins below the eyes");
}

fn point() -> impl Strategy<Value = Vec3> {
    (-20.0f32..20.0, -3.0f32..6.0, -20.0f32..20.0).prop_map(Vec3::from)
}

proptest! {
    /// Eight at once give what one by one give, and sampled points agree with the planes.
    #[test]
    fn tp_08_lanes_agree_with_single_wedges(
        eye in point(), p in point(), q in point(), ends in prop::collection::vec((point(), point(), 0.5f32..4.0), 0..20),
        solid: bool,
    ) {
        let enemy = Enemy { position: eye, eye_height: 0.0 };
        let sight = if solid { VisibilityModel::Solid { body_height: 0.0, skirt: 1.0 } } else { VisibilityModel::Flat { crouching: true } };
        let (mut shadow, mut single) = (Shadow::new(&enemy, sight), Intervals::default());
        for (a, b, height) in ends {
            let c = cover(a, b, height);
            shadow.add_segment(&c);
            if let Some((from, to)) = shadow.volume(&Cover::Segment(c)).and_then(|w| w.clip(p - eye, q - eye)) {
                single.add(from, to);
            }
        }
        let mut hidden = Intervals::default();
        let exposure = shadow.exposure(p, q, &mut hidden);
        prop_assert!((0.0..=1.0).contains(&exposure));
        prop_assert!((hidden.total() - single.total()).abs() < 1e-4);
        prop_assert!(hidden.parts().windows(2).all(|w| w[0].1 < w[1].0));
    }
}
