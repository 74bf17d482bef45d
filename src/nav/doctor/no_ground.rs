//! Why a level has no ground to walk on: it faces down, lies on its side, is too steep, too narrow or too low.

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding};
use super::inside_out::{self, InsideOut};
use super::level_shape::extent_of;
use super::limits::AgentLimits;
use super::span_graph::least_area;
use super::up_axis::on_its_side;
use super::welded::Welded;
use crate::math::triangle;

/// How much more of a level must face along another axis than up, for that to be its axis upwards.
const ON_SIDE: f64 = 3.0;
/// Least share of its area for that.
const ON_SIDE_SHARE: f64 = 0.1;

/// What to do about triangles that face down.
const TURN_OVER: &str = "Turn them over in the modelling program (recalculate normals).";

/// What the triangles of a level face.
#[derive(Default)]
struct Facing {
    /// Area that is flat enough to walk on, and of it what faces down, square metres.
    up: f64,
    down: f64,
    /// Number of the triangles that are flat enough and face down.
    down_count: usize,
    /// Area.
    all: f64,
    /// Sum of the normals by area: what closed bodies do not cancel.
    net: DVec3,
}

impl Facing {
    fn of(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Self {
        let (mut facing, flat) = (Self::default(), limits.slope_rad.cos());
        for t in triangles {
            let (area, Some(normal)) = (f64::from(triangle::area(t)), triangle::normal(t)) else { continue };
            facing.all += area;
            facing.net += normal.as_dvec3() * area;
            if normal.y >= flat {
                facing.up += area;
            } else if -normal.y >= flat {
                facing.down += area;
                facing.down_count += 1;
            }
        }
        facing
    }

    /// That what is flat enough faces down, a sentence.
    fn all_down(&self) -> String {
        format!(
            "All ground faces down: {} triangles ({:.1} m²) are flat enough to walk on, but are wound so that they are seen \
             from below.",
            self.down_count, self.down
        )
    }

    /// The axis that seems to be up instead of y.
    fn other_up(&self) -> Option<&'static str> {
        let axes = [(self.net.z, "z"), (-self.net.z, "-z"), (self.net.x, "x"), (-self.net.x, "-x")];
        let (net, name) = axes.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
        // What faces up is not in the sum where the level is made of closed bodies.
        let upright = self.up.max(self.net.y.abs());
        (net > ON_SIDE * upright && net > ON_SIDE_SHARE * self.all).then_some(name)
    }
}

/// That a level is inside out or faces down as a whole, if it does.
pub(super) fn inside_out(welded: &Welded<'_>, limits: &AgentLimits) -> Option<Finding> {
    let told = inside_out::examine(welded, limits)?;
    let (place, size) = extent_of(welded.triangles)?;
    let facing = Facing::of(welded.triangles, limits);
    let cause = match told {
        InsideOut::Ground { .. } if facing.up < f64::from(least_area(limits)) => facing.all_down(),
        InsideOut::Ground { down, up } => {
            let rest =
                if up < 0.05 { "nothing has that faces up".into() } else { format!("{up:.1} m² have that face up") };
            format!(
                "The level is inside out: {down:.1} m² that are flat enough to walk on and have room above face down, so \
                 that they are seen from below; {rest}."
            )
        }
        InsideOut::Bodies { inward, all } => {
            format!(
                "The level is inside out: of {all} closed bodies in it that no agent fits into, as walls, slabs and furniture \
                 are, {inward} face inwards."
            )
        }
    };
    Some(Finding::new(FaultKind::NoGround, place, size, [cause, TURN_OVER.into()]))
}

/// The area of what would be ground if it did not face down, square metres.
pub fn area_facing_down<'a>(triangles: impl Iterator<Item = &'a [Vec3; 3]>, slope_rad: f32) -> f64 {
    let flat = slope_rad.cos();
    let down = triangles.filter(|t| triangle::normal(t).is_some_and(|n| -n.y >= flat));
    down.map(|t| f64::from(triangle::area(t))).sum()
}

/// Why there is no ground with room for the agent in a level that is not [inside out](inside_out); `None` where there are no
/// triangles.
pub(super) fn finding(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Option<Finding> {
    let (facing, least) = (Facing::of(triangles, limits), f64::from(least_area(limits)));
    let (place, size) = extent_of(triangles)?;
    let degrees = limits.slope_rad.to_degrees();
    let (cause, remedy) = if facing.up >= least {
        let cause = format!(
            "{:.1} m² are flat enough to walk on, but nowhere is there room for an agent {:.2} m wide and {:.2} m tall.",
            facing.up,
            2.0 * limits.radius,
            limits.height
        );
        (cause, "Make agents smaller, or scale the level.".to_owned())
    } else if let Some(axis) = facing.other_up() {
        (on_its_side(axis), "Export the level with y up, or swap its axes.".to_owned())
    } else {
        // What is flat and faces down is an underside: bodies inside out were told above.
        let cause = format!("No triangles that face up are flatter than {degrees:.0}°: there is nothing to walk on.");
        (cause, "Add a floor, or let agents walk steeper slopes.".to_owned())
    };
    Some(Finding::new(FaultKind::NoGround, place, size, [cause, remedy]))
}
