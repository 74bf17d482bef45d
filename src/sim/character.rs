//! The inner state of a character, and of a thing that falls: what the systems of a step keep of it.

use super::behavior_state::{BehaviorState, NavGoal};
use super::event::EventSet;
use super::foot_state::{FeetState, UnsolvedLegs};
use super::head_and_face::{HeadAndFace, LookAt};
use super::instance::Role;
use super::model_rig::{ModelBinding, usable_scale};
use super::orders::{Orders, Steer};
use super::path_state::{PathState, RadiusScale};
use crate::anim::animation_step::{AnimationInput, AnimationStep};
use crate::anim::controller::AnimationController;
use crate::anim::inertialization::Transition;
use crate::anim::motion_matcher::MotionMatcher;
use crate::anim::root_motion::RootShift;
use crate::anim::{ClipAt, Playback};
use crate::behavior::NodeEventSet;
use crate::behavior::split_mix::mix;
use crate::collide::ground::Vicinity;
use crate::collide::settings::BodySize;
use crate::ids::{ClipId, InstanceId};
use crate::math::angle;
use crate::nav::crowd::AgentId;
use crate::nav::follow::{Locomotion, LocomotionParams};
use crate::nav::original::GroundNode;
use crate::prefetch;
use crate::scene::SceneInstance;
use crate::scene::instance::Tilt;
use crate::vocab::{MoveDirection, MoveState};
use glam::{Vec2, Vec3};
use std::sync::{Arc, LazyLock};

/// Rate at which the direction of movement turns relative to the facing, radians per second.
const MOVE_TURN_RATE_RAD: f32 = 10.0;

/// The parameters of the scene's instance that every step reads, as a copy, so that a step follows no pointer to it.
#[derive(Clone, Copy, Debug)]
pub struct InstanceParams {
    /// Scale of the model, above zero.
    pub scale: f32,
    /// Rotation of the model besides its heading.
    pub tilt: Tilt,
    /// Whether it walks to the scene's target.
    pub walks: bool,
    /// Head and face without orders.
    pub(super) features: HeadAndFace,
}

impl Default for InstanceParams {
    fn default() -> Self {
        Self { scale: 1.0, tilt: Tilt::default(), walks: false, features: HeadAndFace::default() }
    }
}

impl InstanceParams {
    /// The parameters of `saved`.
    pub(super) fn new(saved: &SceneInstance) -> Self {
        let (scale, features) = (usable_scale(saved.scale), HeadAndFace::saved(saved));
        Self { scale, tilt: saved.tilt(), walks: saved.navigation, features }
    }
}

/// The state that all characters begin with: a clone of it allocates nothing.
static BARE: LazyLock<CharacterState> = LazyLock::new(CharacterState::default);

/// The inner state of an instance.
#[derive(Clone, Debug, Default)]
pub struct CharacterState {
    /// The scene's instance that it was made from.
    pub saved: Arc<SceneInstance>,
    /// Parameters of the scene's instance.
    pub params: InstanceParams,
    /// What its model gives it.
    pub binding: ModelBinding,
    /// Its cylinder.
    pub size: BodySize,
    /// Heading and speed.
    pub locomotion: Locomotion,
    /// Gaits, actions and fades.
    pub controller: AnimationController,
    /// What it plays in place of gaits, where its model walks by motion matching.
    pub matcher: Option<MotionMatcher>,
    /// How its animation goes from one state into another.
    pub transition: Transition,
    /// How long the layers over its animation have played, seconds.
    pub layers_secs: f64,
    /// State of the foot IK.
    pub(super) feet: FeetState,
    /// Its legs, where the graphics device solves them.
    pub(super) unsolved_legs: Option<Box<UnsolvedLegs>>,
    /// Head and face as shown.
    pub(super) features: HeadAndFace,
    /// Orders from outside its own walk.
    pub(super) orders: Orders,
    /// Direction of movement relative to the facing.
    pub move_direction: MoveDirection,
    /// Angle of the movement relative to the facing about +Y, which follows `move_direction` smoothly, radians.
    pub move_yaw_rad: f32,
    /// Its agent of the crowd on the mesh.
    pub agent_id: Option<AgentId>,
    /// Whether it was looked for on the mesh and was not there.
    pub is_off_mesh: bool,
    /// Velocity that it asks the crowd for, x and z, metres per second.
    pub preferred_velocity: Vec2,
    /// Heading to turn to at the start of an off-mesh link, about +Y in radians.
    pub target_yaw_rad: Option<f32>,
    /// Velocity that other agents force on it, x and z, metres per second.
    pub push_velocity: Vec2,
    /// Velocity by the root motion of its action, x and z, metres per second.
    pub root_velocity: Vec2,
    /// Downward speed, metres per second.
    pub fall_speed: f32,
    /// Height of the ground below it; its own height follows smoothly, metres.
    pub ground_height: f32,
    /// Whether it has been put on the ground.
    pub is_placed: bool,
    /// Whether nothing moves it: contact is not tested then.
    pub asleep: bool,
    /// Whether it touched a wall in the last step.
    pub touches_wall: bool,
    /// Whether it touched the border in the last step.
    pub touches_border: bool,
    /// Last position on walkable ground, world space.
    pub last_safe_position: Option<Vec3>,
    /// Triangles around it.
    pub vicinity: Vicinity,
    /// Node of the triangle graph under it.
    pub ground_node: Option<GroundNode>,
    /// Position for which `ground_node` was found, world space.
    pub ground_node_at: Vec3,
    /// Share of its radius that it shows to walls: a body that is held up between walls shrinks.
    pub radius_scale: RadiusScale,
    /// State of its path.
    pub nav: PathState,
    /// Events of this step.
    pub pending_events: EventSet,
    /// Neighbour that its head turns to.
    pub(super) look_at: Option<LookAt>,
    /// Its running behaviour.
    pub behavior: Option<Box<BehaviorState>>,
    /// Where it walks to.
    pub nav_goal: NavGoal,
    /// Events of the last step for its behaviour.
    pub node_events: NodeEventSet,
    /// Whether it begins to interact in this step.
    pub interacts: bool,
    /// Whether it touches another instance.
    pub has_contact: bool,
}

impl CharacterState {
    /// The state of an instance at its saved place.
    pub fn new(id: InstanceId, saved: Arc<SceneInstance>, binding: ModelBinding, seed: u64) -> Self {
        let phase = (mix(seed ^ mix(id.to_bits())) >> 40) as f32 / (1_u64 << 24) as f32;
        Self {
            params: InstanceParams::new(&saved),
            size: BodySize::PERSON.scaled(saved.scale),
            locomotion: Locomotion { yaw_rad: angle::wrap_rad(saved.rotation_deg.y.to_radians()), speed: 0.0 },
            controller: AnimationController::at_phase(phase),
            ground_node_at: Vec3::NAN,
            saved,
            binding,
            ..BARE.clone()
        }
    }

    /// Its scale.
    #[inline]
    pub fn scale(&self) -> f32 {
        self.params.scale
    }

    /// Prefetches the allocations behind it for the step that begins, see [`prefetch`].
    #[inline]
    pub(super) fn prefetch(&self) {
        if let Some(behavior) = &self.behavior {
            prefetch::value(&**behavior);
        }
        prefetch::slice(&self.vicinity.supports, 512);
        prefetch::slice(&self.vicinity.walls, 256);
    }

    /// Whether an action plays.
    pub fn is_busy(&self) -> bool {
        self.controller.action().is_some()
    }

    /// Speed over full walking speed: 1 walks, 2 runs.
    pub fn relative_speed(&self) -> f32 {
        let full = self.binding.locomotion_params.map_or(0.0, |s| s.full_speed);
        if full > 0.0 { self.locomotion.speed / full } else { 0.0 }
    }

    /// How it walks and turns, `None` for a thing: on the spot as fast as legs step where its motion is inertialized.
    pub(super) fn locomotion_params(&self) -> Option<LocomotionParams> {
        let locomotion_params = self.binding.locomotion_params?;
        Some(if self.transition == Transition::Inertial {
            locomotion_params.stepping(self.locomotion.speed)
        } else {
            locomotion_params
        })
    }

    /// Movement by orders in place of navigation.
    pub fn steering(&self) -> Option<Steer> {
        self.orders.player.or(self.orders.steer).filter(|s| s.heading_rad.is_finite())
    }

    /// Whether it moves by orders in place of navigation.
    pub fn is_steered(&self) -> bool {
        self.steering().is_some()
    }

    /// Whether its velocity is its own and not that of the crowd: by orders, or by the root motion of an action.
    pub fn moves_itself(&self) -> bool {
        self.is_steered() || self.root_velocity != Vec2::ZERO
    }

    /// Turns the movement towards a direction, at once from standing.
    pub fn turn_move_direction(&mut self, direction: MoveDirection) {
        let direction = if matches!(direction, MoveDirection::None | MoveDirection::Any) {
            MoveDirection::Forward
        } else {
            direction
        };
        let turn = angle::shortest_turn_rad(self.move_yaw_rad, direction.angle_rad());
        let most =
            if self.locomotion.speed == 0.0 { std::f32::consts::PI } else { MOVE_TURN_RATE_RAD * super::STEP_SECS };
        self.move_direction = direction;
        self.move_yaw_rad = angle::wrap_rad(self.move_yaw_rad + turn.clamp(-most, most));
    }

    /// Advances the animation by `dt_secs`, begins `order`, and returns the clips to show.
    pub fn advance_clips(&mut self, state: MoveState, order: Option<MoveState>, dt_secs: f32) -> AnimationStep {
        if self.binding.role != Role::Character {
            let clips = self.saved.clips.map(|c| ClipAt { clip: ClipId(c), time_secs: 0.0 });
            return AnimationStep { playback: Playback { clips, ..Playback::default() }, departed: None };
        }
        let input = self.animation_input(state, order);
        self.controller.advance(&self.binding.rig.moves, &self.binding.fixed, &input, dt_secs)
    }

    /// The clips of the next step if nothing changes, and what takes the root motion out of them.
    pub(super) fn next_clips(&self, state: MoveState) -> (Playback, [RootShift; 2]) {
        if let Some((database, matcher)) = self.binding.rig.matching.as_ref().zip(self.matcher)
            && let Some(playback) = matcher.playback_after(database, super::STEP_SECS)
        {
            return (playback, [RootShift::default(); 2]);
        }
        let mut ahead = self.controller;
        let (moves, input) = (&self.binding.rig.moves, self.animation_input(state, None));
        let shown = ahead.advance(moves, &self.binding.fixed, &input, super::STEP_SECS);
        (shown.playback, ahead.root_shifts(moves))
    }

    fn animation_input(&self, state: MoveState, order: Option<MoveState>) -> AnimationInput {
        let direction = if state == MoveState::Idle { MoveDirection::None } else { self.move_direction };
        let (pace, shortening) = (self.relative_speed(), self.feet.shortening);
        AnimationInput { pace, state, direction, order, transition: self.transition, shortening }
    }

    /// Whether it has a target, by the scene or by its behaviour.
    pub fn has_goal(&self) -> bool {
        match self.nav_goal {
            NavGoal::Saved => self.params.walks,
            NavGoal::To(_) => true,
            NavGoal::Done => false,
        }
    }

    /// The target that it walks to.
    pub fn target(&self) -> Option<InstanceId> {
        match self.nav_goal {
            NavGoal::Saved => self.saved.target,
            NavGoal::To(id) => Some(id),
            NavGoal::Done => None,
        }
    }

    /// Whether its behaviour asks for a target to walk to.
    pub fn wants_target(&self) -> bool {
        self.behavior.as_ref().is_some_and(|behavior| behavior.waypoints.is_some())
    }

    /// Drops its target, by the scene or by its behaviour, and its orders to move; it stands.
    pub(super) fn stop(&mut self) {
        self.nav_goal = NavGoal::Done;
        if let Some(behavior) = &mut self.behavior {
            behavior.stop();
        }
        (self.orders.steer, self.orders.player) = (None, None);
        self.locomotion.speed = 0.0;
    }
}
