//! Runs the behaviours: what each tree is told, and the effects that it asks for.
//!
//! A character with a target follows its path; its behaviour may only stop it and let it go on. A target that the
//! behaviour chose is dropped once it is reached; one of the scene is held. All other movement is by [`Steer`].

use crate::behavior::condition::{Condition, ConditionSet};
use crate::behavior::effect::MovementOrder;
use crate::behavior::{Effect, NodeEventSet};
use crate::ids::InstanceId;
use crate::math::angle;
use crate::scene::Scene;
use crate::sim::STEP_SECS;
use crate::sim::behavior_state::{BehaviorState, MovementIntent, NavGoal};
use crate::sim::character::CharacterState;
use crate::sim::event::{EventKind, EventSet};
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::orders::Steer;
use crate::vocab::{MoveDirection, MoveState, NodeEvent};
use glam::{Vec2, Vec3};

/// Steps between two lines that one character writes to the log.
const LOG_PAUSE: u32 = 60;

/// Draws a target for each character whose behaviour wants one and that has none or has come to it.
pub fn assign_targets(instances: &mut InstanceArrays, scene: &Scene) {
    let is_target = |id: &InstanceId| {
        let model = scene.instances.get(*id).and_then(|i| i.model_id());
        model.and_then(|m| scene.models.get(m)).is_some_and(|m| m.is_nav_target)
    };
    let targets: Vec<InstanceId> = instances.ids.iter().copied().filter(is_target).collect();
    for i in 0..instances.len() {
        let id = instances.ids[i];
        let character = &mut instances.characters[i];
        let arrived = instances.states[i].nav == NavStatus::Arrived;
        let has_target = !arrived && character.has_goal() && character.target().is_some();
        let Some(behavior) = character.behavior.as_mut() else { continue };
        let Some(waypoints) = behavior.waypoints.take().filter(|_| scene.settings.nav.enabled) else { continue };
        let Some(drawn) = behavior.draw_target(waypoints, &targets, id, has_target) else { continue };
        character.nav_goal = NavGoal::To(drawn);
        let target = instances.index_of(drawn).map(|t| t as u32);
        let (instance, character) = instances.at_mut(i);
        character.nav.target = target;
        character.nav.reset();
        instance.nav = NavStatus::Off;
        instances.summaries[i].navigates = true;
    }
}

/// Runs the behaviour of one character for one step.
pub fn tick_behavior(step: u64, instance: &mut InstanceState, character: &mut CharacterState) {
    if character.is_busy() {
        // A stationary action is not lack of progress.
        character.nav.progress_step = step;
    }
    character.interacts = character.orders.action == Some(MoveState::Interact) && !character.is_busy();
    let Some(mut behavior) = character.behavior.take() else { return };
    let mut events = std::mem::take(&mut character.node_events);
    if character.has_contact {
        events.add(NodeEvent::InstanceToInstance);
    }
    let given_up = matches!((&instance.nav, character.nav_goal), (NavStatus::Failed(_), NavGoal::To(_)));
    if given_up || (events.has(NodeEvent::TargetReached) && character.nav_goal != NavGoal::Saved) {
        character.nav_goal = NavGoal::Done;
    }
    let is_on_path = !matches!(instance.nav, NavStatus::Off | NavStatus::Failed(_)) && character.has_goal();
    if is_on_path || !behavior.intent.given {
        behavior.intent.heading_rad = character.locomotion.yaw_rad;
    }
    if character.binding.role == Role::Character {
        let mut effects = std::mem::take(&mut behavior.effects);
        behavior.running.set_conditions(conditions(is_on_path, character));
        behavior.running.step(STEP_SECS, events, &mut effects);
        behavior.log_pause = behavior.log_pause.saturating_sub(1);
        effects.drain(..).for_each(|effect| apply_effect(effect, &mut behavior, instance, character));
        behavior.effects = effects;
    }
    let MovementIntent { given, heading_rad, pace, direction } = behavior.intent;
    let pace = if direction == MoveDirection::None { 0.0 } else { pace };
    if is_on_path && given && pace == 0.0 {
        character.nav.progress_step = step;
    }
    character.orders.steer = (given && (!is_on_path || pace == 0.0)).then_some(Steer { heading_rad, pace, direction });
    character.interacts |= character.orders.action == Some(MoveState::Interact) && !character.is_busy();
    character.behavior = Some(behavior);
}

/// The conditions that selectors may ask for.
fn conditions(is_on_path: bool, character: &CharacterState) -> ConditionSet {
    let mut set = ConditionSet::default();
    for (condition, holds) in [
        (Condition::OnTheWay, is_on_path),
        (Condition::Contact, character.has_contact),
        (Condition::Wall, character.touches_wall),
        (Condition::Border, character.touches_border),
    ] {
        set.note(condition, holds);
    }
    set
}

/// Applies an effect to its character.
fn apply_effect(
    effect: Effect,
    behavior: &mut BehaviorState,
    instance: &mut InstanceState,
    character: &mut CharacterState,
) {
    match effect {
        Effect::Move(order) => apply_movement(&order, behavior, instance, character),
        Effect::Action(action) => character.orders.action = Some(action).filter(|a| a.is_action()),
        Effect::Face(face, weight) => character.orders.face = Some((face, weight)),
        Effect::Head { left_right, up_down } => {
            let now = character
                .orders
                .head
                .unwrap_or(Vec2::new(character.saved.head_left_right, character.saved.head_up_down));
            character.orders.head = Some(Vec2::new(left_right.unwrap_or(now.x), up_down.unwrap_or(now.y)));
        }
        Effect::Log(text) if behavior.log_pause == 0 => {
            behavior.log_pause = LOG_PAUSE;
            tracing::info!("Behaviour: {text}.");
        }
        Effect::Log(_) => {}
        Effect::WalkTo(waypoints) => behavior.waypoints = Some(waypoints),
    }
}

/// Takes the drawn values of a movement order into the intent.
fn apply_movement(
    order: &MovementOrder,
    behavior: &mut BehaviorState,
    instance: &mut InstanceState,
    character: &mut CharacterState,
) {
    let (movement, intent) = (&order.movement, &mut behavior.intent);
    if let Some(turn) = order.turn_rad {
        intent.heading_rad = angle::wrap_rad(if movement.relative { intent.heading_rad - turn } else { turn });
        intent.given = true;
    }
    if let Some(direction) = movement.direction {
        intent.direction = direction;
        intent.given = true;
    }
    if let Some(state) = movement.state {
        intent.pace = match state {
            MoveState::Walk => 1.0,
            MoveState::Run => 2.0,
            _ => 0.0,
        };
        if movement.direction.is_none() && intent.direction == MoveDirection::None {
            intent.direction = MoveDirection::Forward;
        }
        intent.given = true;
    }
    if let Some(speed) = order.speed {
        intent.pace = speed;
        intent.given = true;
    }
    if let Some(place) = movement.position {
        teleport(place, instance, character);
    }
}

/// Moves a character to a place at once and drops its path.
fn teleport(place: Vec3, instance: &mut InstanceState, character: &mut CharacterState) {
    (instance.now.position, instance.before.position) = (place, place);
    (instance.on_ground, instance.ground_triangle, instance.traversal) = (false, None, None);
    (character.is_placed, character.asleep, character.fall_speed) = (false, false, 0.0);
    character.vicinity.clear();
    if instance.nav != NavStatus::Off {
        character.nav.reset();
        instance.clear_path();
    }
}

/// Tells a character's behaviour what its movement touched in this step.
pub fn notify_movement(instance: &InstanceState, character: &mut CharacterState) {
    if character.behavior.is_none() {
        return;
    }
    let mut events = NodeEventSet::default();
    // Standing beside a wall is not told again in every step.
    let moves = character.locomotion.speed > 0.0;
    for (happened, event) in [
        (moves && character.touches_wall && instance.traversal.is_none(), NodeEvent::InstanceToLevel),
        (moves && character.touches_border, NodeEvent::InstanceToEdge),
    ] {
        if happened {
            events.add(event);
        }
    }
    character.node_events = events;
}

/// Tells a character's behaviour which events it had in this step.
pub fn notify_events(pending: EventSet, character: &mut CharacterState) {
    for (kind, event) in
        [(EventKind::Interaction, NodeEvent::Interaction), (EventKind::TargetReached, NodeEvent::TargetReached)]
    {
        if pending.has(kind) && character.behavior.is_some() {
            character.node_events.add(event);
        }
    }
}
