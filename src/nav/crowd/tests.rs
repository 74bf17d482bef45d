//! People who meet, on floors made for it.

mod stage;

use super::*;
use stage::*;

/// Two rooms of 12 by 16 metres with a door of this width between them.
fn rooms(door: f64) -> NavMesh {
    let half = door / 2.0;
    floor(&[-12.0, -6.0, -0.2, 0.2, 6.0, 12.0], &[-8.0, -4.0, -half, half, 4.0, 8.0], |x, z| x != 2 || z == 2)
}

/// A corridor along x.
fn corridor(width: f64) -> NavMesh {
    floor(&[-10.0, -5.0, 0.0, 5.0, 10.0], &[-width / 2.0, width / 2.0], |_, _| true)
}

#[test]
fn n_08_two_who_meet_head_on_pass() {
    for width in [4.0, 2.0, 1.3, 1.2] {
        let mesh = corridor(width);
        let mut crowd = Crowd::new();
        walker(&mesh, &mut crowd, (-8.0, 0.0), (8.0, 0.0));
        walker(&mesh, &mut crowd, (8.0, 0.0), (-8.0, 0.0));
        let mut record = run(&mesh, &mut crowd, 60.0);
        record.tell(&format!("head-on, {width} m wide"));
    }
}

#[test]
fn n_08_in_a_corridor_too_narrow_for_two_both_squeeze_through() {
    for width in [1.0, 0.9, 0.75] {
        let mesh = corridor(width);
        let mut crowd = Crowd::new();
        walker(&mesh, &mut crowd, (-8.0, 0.0), (8.0, 0.0));
        walker(&mesh, &mut crowd, (8.0, 0.0), (-8.0, 0.0));
        let mut record = run(&mesh, &mut crowd, 60.0);
        record.tell(&format!("narrow, {width} m wide"));
    }
}

#[test]
fn n_08_a_circle_swaps_places() {
    let mesh = floor(&[-15.0, -5.0, 5.0, 15.0], &[-15.0, -5.0, 5.0, 15.0], |_, _| true);
    for (count, radius) in [(20, 6.0), (40, 8.0)] {
        let mut crowd = Crowd::new();
        for i in 0..count {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / f64::from(count)).sin_cos();
            walker(&mesh, &mut crowd, (radius * cos, radius * sin), (-radius * cos, -radius * sin));
        }
        let mut record = run(&mesh, &mut crowd, 90.0);
        record.tell(&format!("circle of {count}"));
    }
}

#[test]
fn n_08_a_doorway_is_shared_by_200_in_both_directions() {
    let mesh = rooms(1.2);
    let mut crowd = Crowd::new();
    for i in 0..100 {
        let (column, row) = (f64::from(i % 10), f64::from(i / 10));
        let (x, z) = (2.0 + 0.9 * column, -4.05 + 0.9 * row);
        walker(&mesh, &mut crowd, (-x, z), (x, z + 0.01));
        walker(&mesh, &mut crowd, (x, z), (-x, z + 0.01));
    }
    let mut record = run(&mesh, &mut crowd, 240.0);
    record.tell("doorway, both directions");
}
#[test]
fn n_08_a_doorway_one_way() {
    let mesh = rooms(1.2);
    let mut crowd = Crowd::new();
    for i in 0..100 {
        let (column, row) = (f64::from(i % 10), f64::from(i / 10));
        let (x, z) = (2.0 + 0.9 * column, -4.05 + 0.9 * row);
        walker(&mesh, &mut crowd, (-x, z), (x, z + 0.01));
    }
    let mut record = run(&mesh, &mut crowd, 240.0);
    record.tell("doorway, one direction");
}
#[test]
fn n_08_rings() {
    let mesh = rooms(1.2);
    let mut crowd = Crowd::new();
    for i in 0..100 {
        let (column, row) = (f64::from(i % 10), f64::from(i / 10));
        let (x, z) = (2.0 + 0.9 * column, -4.05 + 0.9 * row);
        walker(&mesh, &mut crowd, (x, z), (6.0, 0.0));
    }
    let mut record = run(&mesh, &mut crowd, 60.0);
    record.tell("rings");
}
