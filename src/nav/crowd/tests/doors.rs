//! People who meet at doors from both sides, at random places of two halls.

use super::stage::{Record, run};
use crate::nav::crowd::{AgentSettings, Crowd};
use crate::nav::mesh::{NavMesh, RawMesh, RawPolygon};
use glam::DVec3;

/// Numbers between 0 and 1, by a linear congruential generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }

    /// A place in the one hall of 12 by 10 metres or in the other, away from walls and from other places.
    fn place(&mut self, side: u32, right: f64, taken: &mut Vec<DVec3>) -> DVec3 {
        loop {
            let x = 0.5 + 11.0 * self.next();
            let place = DVec3::new(if side == 0 { x } else { right + x }, 0.0, 0.5 + 9.0 * self.next());
            if taken.iter().all(|other| other.distance(place) > 0.75) {
                taken.push(place);
                return place;
            }
        }
    }
}

/// Two halls with a door of 0.9 to 1.8 m, and so many people in either who go to places in the other.
fn through_a_door(seed: u64, people: u32) -> Record {
    let mut random = Random(seed * 7919 + 1);
    (0..8).for_each(|_| _ = random.next());
    let (width, depth, middle) = (0.9 + 0.9 * random.next(), 0.2 + 0.6 * random.next(), 3.0 + 4.0 * random.next());
    let (left, right, near, far) = (12.0, 12.0 + depth, middle - width / 2.0, middle + width / 2.0);
    let end = 24.0 + depth;
    let places = [
        [(0.0, 0.0), (left, 0.0), (left, near), (left, far), (left, 10.0), (0.0, 10.0)],
        [(right, 0.0), (end, 0.0), (end, 10.0), (right, 10.0), (right, far), (right, near)],
    ];
    let vertices = places.as_flattened().iter().map(|&(x, z)| DVec3::new(x, 0.0, z)).collect();
    let halls = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]].map(RawPolygon::new);
    let polygons = halls.into_iter().chain([RawPolygon::new([2, 11, 10, 3])]).collect();
    let mesh: NavMesh = RawMesh { vertices, polygons }.validate().unwrap();
    let (mut crowd, mut starts, mut goals) = (Crowd::new(), Vec::new(), Vec::new());
    for i in 0..people {
        let start = random.place(i % 2, right, &mut starts);
        let goal = random.place(1 - i % 2, right, &mut goals);
        let id = crowd.add(&mesh, mesh.local(start), &AgentSettings::default()).unwrap();
        crowd.set_goal(id, Some(mesh.local(goal)));
    }
    run(&mesh, &mut crowd, 150.0)
}

#[test]
fn n_08_who_meets_in_a_doorway_gets_past() {
    // In each of these two waited for each other for ever: who went first stood turned into the wall, because the other
    // was avoided as it meant to go, and the other waited.
    for (seed, people) in [(4, 40), (7, 40), (23, 40), (37, 40), (17, 60), (52, 60)] {
        let mut record = through_a_door(seed, people);
        record.tell(&format!("{people} through door {seed}"));
        assert!(record.all_secs < 120.0, "door {seed}: {} of {people} arrived", record.arrived);
    }
}

/// Two halls and a passage between them of this length and width, metres, on the mesh. The passage is two triangles, as a
/// bake may cut it.
fn passage_of_triangles(length: f64, width: f64) -> NavMesh {
    let (end, side, far) = (length / 2.0, width / 2.0, length / 2.0 + 10.0);
    let places = [
        [(-far, -4.0), (-end, -4.0), (-end, -side), (-end, side), (-end, 4.0), (-far, 4.0)],
        [(far, 4.0), (end, 4.0), (end, side), (end, -side), (end, -4.0), (far, -4.0)],
    ];
    let vertices = places.as_flattened().iter().map(|&(x, z)| DVec3::new(x, 0.0, z)).collect();
    let halls = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]].map(RawPolygon::new);
    let passage = [[2, 9, 8], [2, 8, 3]].map(RawPolygon::new);
    RawMesh { vertices, polygons: halls.into_iter().chain(passage).collect() }.validate().unwrap()
}

#[test]
fn n_08_a_passage_for_one_is_taken_in_turns() {
    for length in [1.0, 3.0, 6.0, 10.0, 14.0, 18.0] {
        for width in [0.1, 0.3, 0.5] {
            let mesh = passage_of_triangles(length, width);
            let mut crowd = Crowd::new();
            for side in [-1.0, 1.0] {
                let [from, to] = [side * (length / 2.0 + 2.5), -side * (length / 2.0 + 7.0)];
                let settings = AgentSettings { clearance: 0.0, ..AgentSettings::default() };
                let id = crowd.add(&mesh, mesh.local(DVec3::new(from, 0.0, 0.0)), &settings).unwrap();
                crowd.set_goal(id, Some(mesh.local(DVec3::new(to, 0.0, -2.0))));
            }
            let mut record = run(&mesh, &mut crowd, 60.0);
            record.tell(&format!("two in a passage of {length} by {width} m"));
            assert_eq!(record.arrived, 2, "{length} by {width} m");
            assert!(record.overlap(1.0) < 0.05, "{length} by {width} m: {}", record.overlap(1.0));
        }
    }
}

/// A hall, a neck of 0.8 to 0.2 m that a pillar leaves beside a wall, and a lane of 1.6 m, on the mesh, which is cut into
/// triangles that reach from the neck along the wall of the lane.
fn neck_beside_a_pillar() -> NavMesh {
    let places = [
        (-2.0, -9.0),
        (1.7, -9.0),
        (1.7, 4.7),
        (1.1, 4.7),
        (0.0, 4.6),
        (-2.0, 4.4),
        (0.7, 5.1),
        (0.0, 5.1),
        (0.7, 6.0),
        (0.9, 6.3),
        (0.25, 6.7),
        (0.15, 7.1),
        (0.1, 12.0),
        (0.6, 7.6),
        (1.2, 7.6),
        (1.7, 7.2),
        (1.7, 12.0),
        (0.1, 22.0),
        (1.7, 22.0),
    ];
    let vertices = places.iter().map(|&(x, z)| DVec3::new(x, 0.0, z)).collect();
    let polygons: [&[u32]; 10] = [
        &[0, 1, 2, 3, 4, 5],
        &[4, 3, 6, 7],
        &[7, 6, 8, 10],
        &[10, 8, 9],
        &[7, 10, 11],
        &[7, 11, 12],
        &[11, 13, 12],
        &[12, 13, 14, 16],
        &[14, 15, 16],
        &[12, 16, 18, 17],
    ];
    let polygons = polygons.into_iter().map(RawPolygon::new).collect();
    RawMesh { vertices, polygons }.validate().unwrap()
}

#[test]
fn n_08_a_bent_neck_is_taken_in_turns() {
    let mesh = neck_beside_a_pillar();
    for people in 2..=6_u32 {
        for seed in 0..4 {
            let mut random = Random(seed * 7919 + u64::from(people));
            let mut crowd = Crowd::new();
            for i in 0..people {
                let mut ends = [DVec3::new(0.9, 0.0, 12.5 + f64::from(i)), DVec3::new(-1.0, 0.0, 1.0 - f64::from(i))];
                ends.iter_mut().for_each(|end| end.x += 0.6 * random.next());
                if i % 2 == 0 {
                    ends.reverse();
                }
                let settings = AgentSettings { clearance: 0.0, ..AgentSettings::default() };
                let id = crowd.add(&mesh, mesh.local(ends[0]), &settings).unwrap();
                crowd.set_goal(id, Some(mesh.local(ends[1])));
            }
            let mut record = run(&mesh, &mut crowd, 150.0);
            record.tell(&format!("{people} through a bent neck, {seed}"));
            assert_eq!(record.arrived, people as usize, "{people}, {seed}");
            assert!(record.overlap(1.0) < 0.08, "{people}, {seed}: {}", record.overlap(1.0));
        }
    }
}
