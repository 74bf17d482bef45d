//! Tests of the shadow of covers.

use glam::Vec3;
use walkabout::nav::tactical::*;

const A: Vec3 = Vec3::new(-2.0, 0.0, 4.0);
const B: Vec3 = Vec3::new(2.0, 0.0, 4.0);

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

fn cover(a: Vec3, b: Vec3, height: f32) -> CoverSegment {
    let class = if height >= 1.7 { CoverClass::Standing } else { CoverClass::Crouching };
    CoverSegment { a, b, class, height }
}

fn exposure(enemy: Enemy, sight: VisibilityModel, covers: &[CoverSegment], p: Vec3, q: Vec3) -> f32 {
    let mut shadow = Shadow::new(&enemy, sight);
    covers.iter().for_each(|c| shadow.add_segment(c));
    shadow.exposure(p, q, &mut Intervals::default())
}

fn flat(enemy: Vec3, covers: &[(Vec3, Vec3)], p: Vec3, q: Vec3) -> f32 {
    let covers: Vec<CoverSegment> = covers.iter().map(|c| cover(c.0, c.1, 2.0)).collect();
    exposure(Enemy::at(enemy), VisibilityModel::default(), &covers, p, q)
}

#[test]
fn tp_07_a_wedge_of_three_planes_clips_the_way() {
    // The enemy stands at the origin; at z = 8 the shadow reaches from x = -4 to 4.
    let cases = [
        ("fully behind", at(-2.0, 8.0), at(3.0, 8.0), 0.0),
        ("fully before", at(-2.0, 3.0), at(2.0, 3.0), 1.0),
        ("beside", at(5.0, 4.0), at(5.0, 8.0), 1.0),
        ("crossing one side", at(0.0, 8.0), at(8.0, 8.0), 0.5),
        ("crossing both", at(-8.0, 8.0), at(8.0, 8.0), 0.5),
        ("through the cover", at(0.0, 2.0), at(0.0, 6.0), 0.5),
        ("parallel, before", at(-1.0, 3.9), at(1.0, 3.9), 1.0),
        ("parallel, behind", at(-1.0, 4.1), at(1.0, 4.1), 0.0),
        ("touching A, outside", A, at(-6.0, 4.0), 1.0),
        ("touching A, inside", A, at(-2.0, 8.0), 0.0),
        ("zero length, hidden", at(1.0, 8.0), at(1.0, 8.0), 0.0),
        ("zero length, seen", at(1.0, 2.0), at(1.0, 2.0), 1.0),
    ];
    for (name, p, q, expected) in cases {
        for (p, q) in [(p, q), (q, p)] {
            for (a, b) in [(A, B), (B, A)] {
                let got = flat(Vec3::ZERO, &[(a, b)], p, q);
                assert!((got - expected).abs() < 2e-3, "{name}: {got}");
            }
        }
    }
    for on_the_line in [at(-9.0, 4.0), at(0.0, 4.0), A] {
        assert!(ShadowVolume::flat(on_the_line, A, B).is_none(), "sees along it");
        assert_eq!(flat(on_the_line, &[(A, B)], at(-5.0, 5.0), at(5.0, 3.0)), 1.0);
    }
    assert!(ShadowVolume::flat(Vec3::ZERO, A, A).is_none(), "no length");
    assert!(
        ShadowVolume::flat(Vec3::NAN, A, B).is_none() && ShadowVolume::flat(Vec3::ZERO, Vec3::INFINITY, B).is_none()
    );
}

#[test]
fn tp_07_along_a_wall_its_ground_side_decides() {
    // Ground lies on the left of A to B: at greater z.
    let (p, q) = (at(-1.0, 4.0), at(1.0, 4.0));
    assert_eq!(flat(at(0.0, 9.0), &[(A, B)], p, q), 1.0, "enemy and walker are on the ground side");
    assert_eq!(flat(Vec3::ZERO, &[(A, B)], p, q), 0.0, "the obstacle is between them");
}

#[test]
fn tp_08_hidden_parts_are_united() {
    let (p, q) = (at(-8.0, 8.0), at(8.0, 8.0));
    let first = (at(-3.0, 4.0), at(1.0, 4.0));
    let second = (at(-1.0, 4.0), at(3.0, 4.0));
    let both = flat(Vec3::ZERO, &[first, second], p, q);
    assert!((both - 0.25).abs() < 1e-5, "{both}");
    let twice = flat(Vec3::ZERO, &[first, first, first], p, q);
    assert!((twice - 0.5).abs() < 1e-5, "{twice}");
    let apart = flat(Vec3::ZERO, &[(at(-3.0, 4.0), at(-2.0, 4.0)), (at(2.0, 4.0), at(3.0, 4.0))], p, q);
    assert!((apart - 0.75).abs() < 1e-5, "{apart}");
}

#[test]
fn tp_09_exposure_is_a_ratio_of_lengths() {
    for (to, expected) in [(4.0, 0.0), (6.0, 1.0 / 3.0), (8.0, 0.5), (16.0, 0.75)] {
        let got = flat(Vec3::ZERO, &[(A, B)], at(0.0, 8.0), at(to, 8.0));
        assert!((got - expected).abs() < 1e-5, "{to}: {got}");
    }
    let (p, q) = (at(-1.0, 8.0), at(1.0, 8.0));
    for (height, crouching, expected) in [(1.0, false, 1.0), (1.0, true, 0.0), (2.0, false, 0.0), (2.0, true, 0.0)] {
        let got = exposure(Enemy::at(Vec3::ZERO), VisibilityModel::Flat { crouching }, &[cover(A, B, height)], p, q);
        assert_eq!(got, expected, "a wall of {height} m, ducking: {crouching}");
    }
}

#[test]
fn tp_15_small_steps_of_the_enemy_change_little() {
    // Only where a side of the volume passes over it does a way's exposure change: by what it sweeps.
    let mut worst = 0.0f32;
    let mut checked = 0;
    for i in 0..4000u32 {
        let noise = |k: u32| (i.wrapping_mul(2_654_435_761).wrapping_add(k.wrapping_mul(0x9E37_79B9)) >> 8) as f32;
        let unit = |k: u32| (noise(k) * 1.618_034).fract() * 2.0 - 1.0;
        let (p, q) = (at(unit(1) * 12.0, 5.0 + unit(2) * 7.0), at(unit(3) * 12.0, 5.0 + unit(4) * 7.0));
        let step = at(unit(5), unit(6)).normalize_or_zero() * 0.1;
        // How far a volume's side moves aside at a point beyond a tip: in proportion to the distances.
        let swept = |s: Vec3| 0.1 * (1.0 + s.distance(A).max(s.distance(B)) / 4.0);
        let near_side = (0..=200).filter(|&n| {
            let s = p.lerp(q, n as f32 / 200.0);
            [A, B].iter().any(|t| t.cross(s).length() / t.length() < swept(s)) || (s.z - 4.0).abs() < 0.11
        });
        let share = near_side.count() as f32 / 201.0;
        let change = flat(Vec3::ZERO, &[(A, B)], p, q) - flat(step, &[(A, B)], p, q);
        worst = worst.max(change.abs() - share);
        checked += usize::from(share < 0.05);
    }
    assert!(worst < 0.05 && checked > 500, "{worst} {checked}");
}

#[test]
fn tp_16_from_a_roof_one_sees_over_a_wall() {
    let sight = VisibilityModel::Solid { body_height: 1.8, skirt: 1.0 };
    let ducked = VisibilityModel::Solid { body_height: 0.9, skirt: 1.0 };
    let wall = [cover(A, B, 1.0)];
    let (p, q) = (at(-0.5, 4.2), at(0.5, 4.2));
    let level = Enemy::at(Vec3::ZERO);
    let roof = Enemy::at(Vec3::new(0.0, 6.0, 0.0));
    assert_eq!(exposure(level, ducked, &wall, p, q), 0.0, "ducked right behind it");
    assert_eq!(exposure(level, sight, &wall, p, q), 1.0, "upright, the head stands out");
    assert_eq!(exposure(roof, ducked, &wall, p, q), 1.0, "seen from above");
    let high = [cover(A, B, 3.0)];
    assert_eq!(exposure(level, sight, &high, p, q), 0.0);
    assert_eq!(exposure(roof, sight, &high, p, q), 0.0, "right behind a high wall");
    assert_eq!(exposure(roof, sight, &high, at(-0.5, 12.0), at(0.5, 12.0)), 1.0, "farther off he looks over it");
    // A parapet on the edge of the roof: nearby it hides nothing on the roof, far below it hides the foot of the house.
    let edge = Vec3::Y * 6.0;
    let parapet = [cover(A + edge, B + edge, 1.0)];
    assert_eq!(exposure(roof, sight, &parapet, p + edge, q + edge), 1.0, "near");
    let far = exposure(roof, sight, &parapet, at(0.0, 4.5), at(0.0, 40.0));
    assert!(far > 0.0 && far < 1.0, "far below the edge: {far}");
    // The line of sight from 7.7 over 7.0 at 4 m comes down to 1.8 at 4 · 5.9 / 0.7 metres; 4 to 5 pass the skirt.
    let deep = VisibilityModel::Solid { body_height: 1.8, skirt: 6.0 };
    let expected = (40.0 - 4.0 * 5.9 / 0.7) / 35.5;
    assert!((exposure(roof, deep, &parapet, at(0.0, 4.5), at(0.0, 40.0)) - expected).abs() < 1e-4);
}

#[test]
fn in_plan_view_covers_on_other_floors_hide_there_alone() {
    let seen = |enemy: f32, wall: f32, walker: f32| {
        let up = |p: Vec3, y: f32| p + Vec3::Y * y;
        let covers = [cover(up(A, wall), up(B, wall), 2.0)];
        let way = [at(-1.0, 8.0), at(1.0, 8.0)].map(|p| up(p, walker));
        exposure(Enemy::at(Vec3::Y * enemy), VisibilityModel::default(), &covers, way[0], way[1])
    };
    assert_eq!((seen(0.0, 0.0, 0.0), seen(0.0, 0.0, 4.0)), (0.0, 0.0), "a wall on the enemy's floor");
    assert_eq!((seen(0.0, 4.0, 0.0), seen(0.0, 4.0, 4.0)), (1.0, 0.0), "a wall of the floor above");
    assert_eq!((seen(4.0, 0.0, 4.0), seen(4.0, 0.0, 0.0)), (1.0, 0.0), "a wall of the floor below");
}

#[test]
fn tp_16_a_ceiling_between_two_floors_hides_everything() {
    let slab = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| Vec3::new(x, 3.0, z));
    let sight = VisibilityModel::Solid { body_height: 1.8, skirt: 1.0 };
    for (enemy, walker) in [(0.0, 3.0), (3.0, 0.0)] {
        let mut shadow = Shadow::new(&Enemy::at(Vec3::Y * enemy), sight);
        let way = |x: f32| (Vec3::new(x, walker, -8.0), Vec3::new(x, walker, 8.0));
        let (p, q) = way(5.0);
        assert_eq!(shadow.exposure(p, q, &mut Intervals::default()), 1.0);
        shadow.add_slab(slab);
        assert_eq!(shadow.exposure(p, q, &mut Intervals::default()), 0.0, "from {enemy} to {walker}");
        assert_eq!(
            shadow.exposure(p + Vec3::Y * (enemy - walker), q + Vec3::Y * (enemy - walker), &mut Intervals::default()),
            1.0,
            "on one floor it hides nothing"
        );
        let mut above = Shadow::new(&Enemy::at(Vec3::Y * enemy), VisibilityModel::default());
        above.add_slab(slab);
        assert_eq!(above.exposure(p, q, &mut Intervals::default()), 1.0, "flat: slabs hide nothing");
    }
}

#[test]
fn intervals_unite_and_intersect() {
    let of = |parts: &[(f32, f32)]| {
        let mut i = Intervals::default();
        parts.iter().for_each(|p| i.add(p.0, p.1));
        i
    };
    let some = of(&[(0.6, 0.7), (0.1, 0.2), (0.15, 0.3), (0.7, 0.8)]);
    assert_eq!(some.parts(), [(0.1, 0.3), (0.6, 0.8)]);
    let mut both = some.clone();
    both.intersect(&of(&[(0.2, 0.65), (0.75, 1.0)]));
    assert_eq!(both.parts(), [(0.2, 0.3), (0.6, 0.65), (0.75, 0.8)]);
    both.intersect(&Intervals::default());
    assert_eq!(both.total(), 0.0);
    assert_eq!(of(&[(0.5, 0.6), (0.2, 0.3), (0.0, 1.0)]).parts(), [(0.0, 1.0)]);
}
