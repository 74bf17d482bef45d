//! Poses that are not shared: which characters have one, and what it shows beside clips.

use super::frame::{CameraFrame, InstanceDraw};
use crate::anim::inertialization::NodeOffset;
use crate::anim::leg_solve::UnsolvedLeg;
use crate::anim::sample::PoseOverride;
use crate::ids::InstanceId;
use crate::math::{Aabb, Frustum};
use crate::sim::World;
use crate::sim::pose::inertia_at;
use glam::Vec3;
use rayon::prelude::*;

/// How far a character reaches around its place, at most, where it is asked whether it is in the picture, metres.
const AROUND: f32 = 2.5;

/// Poses of their own that are put together one after the other on one thread.
const OWN_POSES_PER_TASK: usize = 32;

/// Lets all but the nearest `most` of those that have a pose of their own take the poses of others; characters outside of the
/// picture count as farther than those in it.
pub fn share_beyond(most: usize, own: Vec<&mut InstanceDraw>, camera: &CameraFrame) {
    if own.len() <= most {
        return;
    }
    let frustum = Frustum::from_clip(&(camera.clip_from_view * camera.view_from_world));
    let rank = |draw: &InstanceDraw| {
        let at = draw.world_from_model.w_axis.truncate();
        let around = Aabb::new(at - Vec3::splat(AROUND), at + Vec3::splat(AROUND));
        (!frustum.may_contain(&around), at.distance_squared(camera.position))
    };
    let mut ranked: Vec<_> =
        own.into_par_iter().with_min_len(OWN_POSES_PER_TASK).map(|draw| (rank(draw), draw)).collect();
    ranked.select_nth_unstable_by(most, |((a_beside, a), _), ((b_beside, b), _)| {
        a_beside.cmp(b_beside).then(a.total_cmp(b))
    });
    ranked[most..].iter_mut().for_each(|(_, draw)| draw.shares_pose = true);
}

/// A character that shares no pose.
pub struct OwnPose<'a> {
    /// Its id.
    pub id: InstanceId,
    /// Its draw.
    pub draw: &'a mut InstanceDraw,
}

/// What poses of their own show beside their clips; draws have ranges of it.
#[derive(Debug, Default)]
pub struct OwnPoseData {
    /// Pose overrides.
    pub overrides: Vec<PoseOverride>,
    /// What is left of transitions, a node each.
    pub offsets: Vec<NodeOffset>,
    /// Legs that the device solves.
    pub legs: Vec<UnsolvedLeg>,
}

impl OwnPoseData {
    fn add(&mut self, one: &mut OwnPose<'_>, world: &World, alpha: f32) {
        let OwnPose { id, draw } = one;
        let firsts = self.ends();
        world.overrides_and_legs(*id, alpha, &mut self.overrides, &mut self.legs);
        let inertia = world.live(*id).and_then(|live| inertia_at(live, alpha));
        self.offsets.extend(inertia.iter().flat_map(|inertia| inertia.nodes()));
        let ends = self.ends();
        [draw.overrides, draw.offsets, draw.legs] = std::array::from_fn(|i| [firsts[i], ends[i]]);
    }

    /// Where what comes next begins: overrides, offsets, legs.
    fn ends(&self) -> [u32; 3] {
        [self.overrides.len() as u32, self.offsets.len() as u32, self.legs.len() as u32]
    }

    /// Appends that of other instances, whose draws have ranges of it.
    fn append(&mut self, mut other: Self, draws: &mut [OwnPose<'_>]) {
        let firsts = self.ends();
        for OwnPose { draw, .. } in draws {
            for (range, first) in [&mut draw.overrides, &mut draw.offsets, &mut draw.legs].into_iter().zip(firsts) {
                *range = range.map(|at| at + first);
            }
        }
        self.overrides.append(&mut other.overrides);
        self.offsets.append(&mut other.offsets);
        self.legs.append(&mut other.legs);
    }
}

/// Adds to `all` what poses of their own show beside their clips.
pub fn own_poses(mut own: Vec<OwnPose<'_>>, world: &World, alpha: f32, mut all: OwnPoseData) -> OwnPoseData {
    let of_task = |task: &mut [OwnPose<'_>]| {
        let mut data = OwnPoseData::default();
        task.iter_mut().for_each(|one| data.add(one, world, alpha));
        data
    };
    let parts: Vec<OwnPoseData> = own.par_chunks_mut(OWN_POSES_PER_TASK).map(of_task).collect();
    for (part, draws) in parts.into_iter().zip(own.chunks_mut(OWN_POSES_PER_TASK)) {
        all.append(part, draws);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::render::frame::static_instance;
    use glam::Mat4;

    #[test]
    fn all_but_the_nearest_in_the_picture_take_the_poses_of_others() {
        let view = View::new(Vec3::ZERO, Vec3::X, Lens::Perspective { fov_rad: 1.0 }, 1.5);
        let at = |x: f32| static_instance(Mat4::from_translation(Vec3::X * x));
        let mut draws = [15.0, -5.0, 9.0, 7.0].map(at);
        share_beyond(4, draws.iter_mut().collect(), &(&view).into());
        assert!(draws.iter().all(|draw| !draw.shares_pose));
        share_beyond(2, draws.iter_mut().collect(), &(&view).into());
        assert_eq!(draws.map(|draw| draw.shares_pose), [true, true, false, false], "one stands behind the eye");
    }
}
