//! Scenes without a level: everything stands on the horizontal plane at its own height, walks within a border and goes
//! straight to its target.

use super::STEP_SECS;
use super::body::Body;
use super::event::EventKind;
use super::level::LevelSources;
use super::navigate::{arrives, stay};
use super::presence::Role;
use super::reconcile::restart;
use super::world::{Live, NavStatus, World};
use crate::math::angle;
use crate::math::plan::to_plan;
use glam::{Vec2, Vec3};

/// The border: how far the plane reaches from the origin along x and z, metres.
pub const EXTENT: f32 = 160.0;

impl World {
    /// Whether characters walk on the plane that they stand on, because the scene has no level.
    pub fn is_on_plane(&self) -> bool {
        self.level.is_none() && self.level_sources.as_ref().is_some_and(LevelSources::is_empty)
    }

    /// One step of navigation: targets are walked to in a straight line.
    pub(super) fn navigate_on_plane(&mut self, enabled: bool) {
        self.arrivals.clear();
        self.arrivals.resize(self.live.len(), 0);
        let arrived = self.live.iter().zip(&self.bodies).filter(|(live, _)| live.nav == NavStatus::Arrived);
        for target in arrived.filter_map(|(_, body)| body.nav.target) {
            self.arrivals[target as usize] += 1;
        }
        for i in (0..self.live.len()).filter(|&i| self.presences[i].on_errand).collect::<Vec<_>>() {
            self.walk_straight(i, enabled);
            self.presences[i].stirred |= !self.bodies[i].raised.is_empty();
        }
    }

    /// Moves the navigation of one instance on.
    fn walk_straight(&mut self, i: usize, enabled: bool) {
        let goal = self.bodies[i].nav.target.map(|target| (target as usize, self.live[target as usize].now.position));
        let (live, body) = (&mut self.live[i], &mut self.bodies[i]);
        let walks = enabled && body.has_errand() && body.looks.role == Role::Character;
        let Some((target, goal)) = goal.filter(|_| walks) else {
            if live.nav != NavStatus::Off {
                body.reset_navigation();
                restart(live);
            }
            return;
        };
        if target == i {
            live.nav = NavStatus::Failed("it is its own target".into());
            return;
        }
        // Targets count as standing on the walker's plane.
        let goal = goal.with_y(live.now.position.y);
        match live.nav {
            NavStatus::Arrived => stay(live, body, goal),
            NavStatus::Walking => {
                head_for(live, goal);
                if arrives(live, body, goal, self.arrivals[target]) {
                    self.arrivals[target] += 1;
                }
            }
            NavStatus::Off | NavStatus::Waiting | NavStatus::Failed(_) => {
                live.nav = NavStatus::Walking;
                head_for(live, goal);
            }
        }
    }
}

/// Makes the straight line to `goal` the path.
fn head_for(live: &mut Live, goal: Vec3) {
    live.path.clear();
    live.path.push(goal);
    live.distance_left = Some(goal.distance(live.now.position));
}

impl Body {
    /// Moves by its pace for one step, over the plane at its own height.
    pub(super) fn move_on_plane(&mut self, live: &mut Live) {
        if !self.placed {
            (self.placed, live.on_ground, self.fall_speed) = (true, true, 0.0);
            self.floor = live.now.position.y;
        }
        let from = to_plan(live.now.position);
        let ahead = to_plan(angle::direction_of_yaw(self.pace.yaw_rad + self.course.1));
        let (to, touched) = within_border(from, from + (ahead * self.pace.speed + self.shove) * STEP_SECS);
        if touched && !self.touched.1 {
            self.raised.raise(EventKind::Border);
        }
        self.touched = (false, touched);
        live.now.position = Vec3::new(to.x, live.now.position.y, to.y);
        let velocity = (to - from) / STEP_SECS;
        live.now.velocity = Vec3::new(velocity.x, 0.0, velocity.y);
    }
}

/// Keeps a way that begins within the border inside. Returns its end, and whether the border shortened it.
fn within_border(from: Vec2, to: Vec2) -> (Vec2, bool) {
    let is_inside = |p: Vec2| p.abs().cmple(Vec2::splat(EXTENT)).all();
    if is_inside(to) || !is_inside(from) {
        return (to, false);
    }
    (to.clamp(Vec2::splat(-EXTENT), Vec2::splat(EXTENT)), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_shortens_ways_that_lead_out() {
        assert_eq!(within_border(Vec2::ZERO, Vec2::X), (Vec2::X, false));
        assert_eq!(within_border(Vec2::new(159.9, 3.0), Vec2::new(161.0, 4.0)), (Vec2::new(160.0, 4.0), true));
        let outside = (Vec2::new(170.0, 0.0), Vec2::new(169.0, 0.0));
        assert_eq!(within_border(outside.0, outside.1), (outside.1, false), "those outside may come back");
    }
}
