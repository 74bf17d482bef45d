//! Lenses: perspective and orthogonal projection, and the view they make.

use glam::camera::rh::proj::directx;
use glam::camera::rh::view::look_to_mat4;
use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::math::Ray;

/// How a camera maps view space to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Perspective with a vertical field of view in radians.
    Perspective {
        /// Vertical field of view.
        fov_rad: f32,
    },
    /// Orthogonal.
    Orthogonal {
        /// Half the height of what is seen, metres.
        half_height: f32,
    },
}

/// A view of the world: what drawing and picking need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// View space (right-handed, looking along -Z) from world space.
    pub view_from_world: Mat4,
    /// Clip space (depth 0 near … 1 far) from view space.
    pub clip_from_view: Mat4,
    /// Eye in world space.
    pub position: Vec3,
    /// Unit view direction in world space.
    pub direction: Vec3,
    /// Near plane distance, metres.
    pub near: f32,
    /// Far plane distance, metres; infinite in perspective.
    pub far: f32,
}

impl View {
    /// Nearest distance drawn in perspective, metres.
    pub const NEAR: f32 = 0.1;
    /// Least distance before and behind the eye that is drawn in orthographic views, metres: what was seen whole stays in
    /// the picture when only a part of it is.
    pub const ORTHOGONAL_DEPTH: f32 = 20_000.0;

    /// A view from `position` along `direction` (any length; -Z when it vanishes), for a picture of the given width
    /// over height. Lens values are brought into a usable range, so that the matrices are always finite.
    pub fn new(position: Vec3, direction: Vec3, lens: Lens, aspect: f32) -> Self {
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let position = if position.is_finite() { position } else { Vec3::ZERO };
        let direction = direction.try_normalize().unwrap_or(Vec3::NEG_Z);
        let up = if direction.y.abs() > 0.999_999_9 { Vec3::NEG_Z } else { Vec3::Y };
        let (clip_from_view, near, far) = match lens {
            Lens::Perspective { fov_rad } => {
                let fov = if fov_rad.is_finite() { fov_rad.clamp(0.02, 3.0) } else { 1.0 };
                // Without a far plane: depth is reversed and of floating point where it is drawn, so that one costs
                // nothing, and levels may be of any size.
                (directx::perspective_infinite(fov, aspect, Self::NEAR), Self::NEAR, f32::INFINITY)
            }
            Lens::Orthogonal { half_height } => {
                let h = if half_height.is_finite() { half_height.clamp(0.01, 1e5) } else { 20.0 };
                let depth = (75.0 * h).max(Self::ORTHOGONAL_DEPTH);
                (directx::orthographic(-h * aspect, h * aspect, -h, h, -depth, depth), -depth, depth)
            }
        };
        Self { view_from_world: look_to_mat4(position, direction, up), clip_from_view, position, direction, near, far }
    }

    /// This view turned about its direction, clockwise as the camera sees itself from behind, radians.
    pub fn rolled(self, roll_rad: f32) -> Self {
        if roll_rad == 0.0 || !roll_rad.is_finite() {
            return self;
        }
        Self { view_from_world: Mat4::from_rotation_z(roll_rad) * self.view_from_world, ..self }
    }

    /// View space from places relative to the eye: far from the origin the translation of the whole matrix has no digits for
    /// pixels.
    fn view_from_relative(&self) -> Mat4 {
        Mat4 { w_axis: Vec4::W, ..self.view_from_world }
    }

    /// The ray into the world through a point of the picture, in pixels from its top left.
    pub fn ray_through(&self, point_px: Vec2, size_px: Vec2) -> Ray {
        let size = size_px.max(Vec2::ONE);
        let ndc = Vec2::new(point_px.x / size.x * 2.0 - 1.0, 1.0 - point_px.y / size.y * 2.0);
        let half = Vec2::new(self.clip_from_view.x_axis.x, self.clip_from_view.y_axis.y).recip();
        let at = half * ndc;
        let relative_from_view = self.view_from_relative().inverse();
        let (start, ahead) = if self.near > 0.0 {
            let ahead = at.extend(-1.0);
            (ahead * self.near, ahead)
        } else {
            (at.extend(-self.near), Vec3::NEG_Z)
        };
        let direction = relative_from_view.transform_vector3(ahead).try_normalize().unwrap_or(self.direction);
        Ray { origin: self.position + relative_from_view.transform_vector3(start), direction }
    }

    /// Where a world-space point lies in the picture, in pixels from its top left; `None` behind the eye.
    pub fn project(&self, point: Vec3, size_px: Vec2) -> Option<Vec2> {
        let clip = self.clip_from_view * self.view_from_relative() * (point - self.position).extend(1.0);
        let ndc = clip / clip.w;
        (clip.w > 1e-6 && ndc.is_finite() && (0.0..=1.0).contains(&ndc.z))
            .then(|| Vec2::new((ndc.x + 1.0) * 0.5 * size_px.x, (1.0 - ndc.y) * 0.5 * size_px.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picking_is_the_inverse_of_projecting() {
        let size = Vec2::new(800.0, 600.0);
        for lens in [Lens::Perspective { fov_rad: 1.0 }, Lens::Orthogonal { half_height: 12.0 }] {
            let view = View::new(Vec3::new(3.0, 5.0, 9.0), Vec3::new(-0.2, -0.4, -1.0), lens, 800.0 / 600.0);
            let point = Vec3::new(1.0, 2.0, -1.0);
            let px = view.project(point, size).unwrap();
            let ray = view.ray_through(px, size);
            let off = (point - ray.origin).reject_from(ray.direction).length();
            assert!(off < 1e-2, "{lens:?}: the ray passes {off} m beside the point");
        }
    }

    #[test]
    fn what_is_many_kilometres_away_is_seen_and_hit() {
        let size = Vec2::new(800.0, 600.0);
        let eye = Vec3::new(3000.0, 12_000.0, -9000.0);
        let view = View::new(eye, -eye, Lens::Perspective { fov_rad: 1.0 }, 800.0 / 600.0).rolled(0.3);
        for point in [Vec3::ZERO, Vec3::new(2000.0, 100.0, 5000.0), Vec3::new(-9000.0, 0.0, 30_000.0)] {
            let ray = view.ray_through(view.project(point, size).unwrap(), size);
            let off = (point - ray.origin).reject_from(ray.direction).length();
            assert!(off < 2e-5 * point.distance(eye), "the ray passes {off} m beside {point}");
        }
    }

    #[test]
    fn far_from_the_origin_points_are_seen_and_hit_as_near_it() {
        let (size, point) = (Vec2::new(800.0, 600.0), Vec3::new(1.5, 2.0, -7.25));
        for lens in [Lens::Perspective { fov_rad: 1.0 }, Lens::Orthogonal { half_height: 12.0 }] {
            // Single precision holds quarters of a metre at either place.
            let [near, far] = [Vec3::ZERO, Vec3::new(50_000.0, 0.0, -60_000.0)].map(|origin| {
                let view =
                    View::new(origin + Vec3::new(3.0, 5.0, 9.0), Vec3::new(-0.2, -0.4, -1.0), lens, 800.0 / 600.0);
                let px = view.project(origin + point, size).unwrap();
                (px, view.ray_through(px, size).direction)
            });
            assert!(near.0.abs_diff_eq(far.0, 1e-3) && near.1.abs_diff_eq(far.1, 1e-6), "{lens:?}: {near:?} {far:?}");
        }
    }

    #[test]
    fn a_roll_turns_the_picture_about_its_middle() {
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        let size = Vec2::splat(100.0);
        let rolled = view.rolled(std::f32::consts::FRAC_PI_2);
        let above = Vec3::new(0.0, 1.0, -5.0);
        let (straight, turned) = (view.project(above, size).unwrap(), rolled.project(above, size).unwrap());
        assert!(straight.y < 45.0 && (turned.y - 50.0).abs() < 1e-3 && turned.x < 45.0, "{straight} {turned}");
        assert_eq!(view.rolled(f32::NAN), view);
    }

    #[test]
    fn views_are_finite_whatever_comes_in() {
        for direction in [Vec3::Y, Vec3::NEG_Y, Vec3::ZERO, Vec3::NAN] {
            for lens in [Lens::Perspective { fov_rad: f32::NAN }, Lens::Orthogonal { half_height: 0.0 }] {
                let view = View::new(Vec3::NAN, direction, lens, 0.0);
                assert!(view.view_from_world.is_finite() && view.clip_from_view.is_finite());
            }
        }
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        assert_eq!(view.project(Vec3::Z * 5.0, Vec2::ONE), None);
    }
}
