//! Levels for the tests of bakes.

use glam::Vec3;

/// A rectangle facing up at height y.
pub fn floor(x: [f32; 2], z: [f32; 2], y: f32) -> Vec<[Vec3; 3]> {
    let p = |x, z| Vec3::new(x, y, z);
    let (a, b, c, d) = (p(x[0], z[0]), p(x[0], z[1]), p(x[1], z[1]), p(x[1], z[0]));
    vec![[a, b, c], [a, c, d]]
}

/// A box from y = 0 up, without its underside.
pub fn block(x: [f32; 2], z: [f32; 2], y: f32) -> Vec<[Vec3; 3]> {
    let mut out = floor(x, z, y);
    let corners = [[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
    for i in 0..4 {
        let ([ax, az], [bx, bz]) = (corners[i], corners[(i + 1) % 4]);
        let (a, b) = (Vec3::new(ax, 0.0, az), Vec3::new(bx, 0.0, bz));
        out.extend([[a, a + Vec3::Y * y, b], [b, a + Vec3::Y * y, b + Vec3::Y * y]]);
    }
    out
}
