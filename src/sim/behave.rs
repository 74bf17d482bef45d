//! Behaviours at work: which tree each character lives by, what the tree hears, and what comes of what it asks for.
//!
//! Whoever walks to a target follows its path; its behaviour may let it stand and go on, no more. Who has reached a
//! target that its behaviour chose has none any more; one that the scene gives holds it. Everything else is walked by
//! [`Steer`].

use super::STEP_SECS;
use super::body::{Body, mix};
use super::event::{self, EventKind};
use super::orders::Steer;
use super::presence::Role;
use super::world::{Live, NavStatus, World};
use crate::behavior::condition::{Condition, ConditionSet};
use crate::behavior::effect::MovementOrder;
use crate::behavior::graph::BehaviorGraph;
use crate::behavior::patrol::{Patrol, PatrolOrder, Waypoints};
use crate::behavior::split_mix::SplitMix64;
use crate::behavior::{BehaviorTree, Effect, NodeEventSet, TreeInstance, compile};
use crate::ids::{BehaviorId, InstanceId};
use crate::math::angle;
use crate::scene::Scene;
use crate::vocab::{MoveDirection, MoveState, NodeEvent};
use glam::{Vec2, Vec3};
use std::sync::Arc;

/// Makes a behaviour's random numbers others than those of the body.
const OWN_SEED: u64 = 0x6265_6861_7669_6f72;
/// Steps between two lines that one character writes to the log.
const LOG_PAUSE: u32 = 60;

/// Where a character walks to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Errand {
    /// Where the scene says.
    #[default]
    Saved,
    /// Where its behaviour sent it.
    To(InstanceId),
    /// Nowhere: it has been there.
    Done,
}

/// A character's behaviour.
#[derive(Clone, Debug)]
pub struct Mind {
    behavior: BehaviorId,
    running: TreeInstance,
    effects: Vec<Effect>,
    drive: Drive,
    /// The targets that it wants to walk to one of.
    wants_walk: Option<Waypoints>,
    patrol: Patrol,
    /// Draws targets.
    random: SplitMix64,
    silent: u32,
}

/// How a behaviour wants a character to move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Drive {
    /// Whether it has said so.
    given: bool,
    heading_rad: f32,
    pace: f32,
    direction: MoveDirection,
}

impl Mind {
    /// The target to walk to; `None` without one but `own`, and for one that is sent already.
    fn draw_target(
        &mut self,
        waypoints: Waypoints,
        targets: &[InstanceId],
        own: InstanceId,
        is_sent: bool,
    ) -> Option<InstanceId> {
        let meant = waypoints.among(targets);
        let others = meant.len() - usize::from(meant.contains(&own));
        if others == 0 || is_sent && waypoints.order != PatrolOrder::Random {
            return None;
        }
        let at = self.patrol.advance(waypoints.order, others, &mut self.random);
        let drawn = match waypoints.order {
            // The last one is never drawn otherwise.
            PatrolOrder::Random if meant[at] == own => meant[meant.len() - 1],
            PatrolOrder::Random => meant[at],
            _ => *meant.iter().filter(|target| **target != own).nth(at)?,
        };
        (!is_sent).then_some(drawn)
    }
}

/// The templates as trees.
#[derive(Clone, Debug, Default)]
pub struct Templates(Vec<(BehaviorId, Arc<BehaviorGraph>, Arc<BehaviorTree>)>);

impl Templates {
    /// Takes in a scene's templates; those that are the same stay.
    fn refresh(&mut self, scene: &Scene) {
        let same = self.0.len() == scene.behaviors.len()
            && self.0.iter().zip(scene.behaviors.iter()).all(|(a, b)| a.0 == b.0 && Arc::ptr_eq(&a.1, b.1));
        if same {
            return;
        }
        let old = std::mem::take(&mut self.0);
        self.0 = scene
            .behaviors
            .iter()
            .map(|(id, graph)| {
                let kept = old.iter().find(|(other, g, _)| *other == id && Arc::ptr_eq(g, graph));
                let tree = kept.map_or_else(|| Arc::new(compile(graph).0), |k| k.2.clone());
                (id, graph.clone(), tree)
            })
            .collect();
    }

    fn tree(&self, id: BehaviorId) -> Option<&Arc<BehaviorTree>> {
        self.0.iter().find(|(other, ..)| *other == id).map(|(.., tree)| tree)
    }
}

impl Mind {
    fn new(behavior: BehaviorId, tree: Arc<BehaviorTree>, seed: u64) -> Self {
        Self {
            behavior,
            running: TreeInstance::new(tree, seed),
            effects: Vec::new(),
            drive: Drive::default(),
            wants_walk: None,
            patrol: Patrol::default(),
            random: SplitMix64::new(mix(seed)),
            silent: 0,
        }
    }

    /// Hands all that decides how it goes on to `add`.
    pub fn fingerprint(&self, mut add: impl FnMut(u64)) {
        self.running.hash_state(&mut add);
        add(self.random.state());
        add(u64::from(self.drive.heading_rad.to_bits()) << 32 | u64::from(self.drive.pace.to_bits()));
        add(self.patrol.bits());
        add(self.drive.direction as u64 | u64::from(self.drive.given) << 32);
    }
}

impl Body {
    /// Whether it has a target, by the scene or by its behaviour.
    pub fn has_errand(&self) -> bool {
        match self.errand {
            Errand::Saved => self.own.walks,
            Errand::To(_) => true,
            Errand::Done => false,
        }
    }

    /// Forgets where it goes, by the scene or by its behaviour, and stands.
    pub(super) fn halt(&mut self) {
        self.errand = Errand::Done;
        if let Some(mind) = &mut self.mind {
            (mind.drive, mind.wants_walk) = (Drive::default(), None);
        }
        (self.orders.steer, self.orders.player) = (None, None);
        self.pace.speed = 0.0;
    }

    /// Whether its behaviour asks for a target to walk to.
    pub fn wants_target(&self) -> bool {
        self.mind.as_ref().is_some_and(|mind| mind.wants_walk.is_some())
    }

    /// Where it walks to, if anywhere.
    pub fn target(&self) -> Option<InstanceId> {
        match self.errand {
            Errand::Saved => self.saved.target,
            Errand::To(id) => Some(id),
            Errand::Done => None,
        }
    }
}

impl World {
    /// The running behaviour of an instance.
    pub fn behavior(&self, id: InstanceId) -> Option<&TreeInstance> {
        self.bodies[self.index_of(id)?].mind.as_ref().map(|mind| &mind.running)
    }

    /// Fires a test node of an instance's behaviour; says whether it has one with this number.
    pub fn fire(&mut self, id: InstanceId, node: i64) -> bool {
        let i = self.index_of(id);
        i.and_then(|i| self.bodies[i].mind.as_mut()).is_some_and(|mind| mind.running.fire(node))
    }

    /// Ends an active node of an instance's behaviour with all that it fired; says whether one with this number was
    /// active.
    pub fn deactivate(&mut self, id: InstanceId, node: i64) -> bool {
        let i = self.index_of(id);
        i.and_then(|i| self.bodies[i].mind.as_mut()).is_some_and(|mind| mind.running.deactivate(node))
    }

    /// Gives everyone the behaviour that the scene says. A changed template goes on where it was.
    pub(super) fn reconcile_behaviors(&mut self, scene: &Scene) {
        self.templates.refresh(scene);
        for (id, body) in self.ids.iter().zip(&mut self.bodies) {
            let wanted = body.saved.behavior.and_then(|b| Some((b, self.templates.tree(b)?)));
            match (wanted, &mut body.mind) {
                (None, None) => {}
                (None, Some(_)) => {
                    body.mind = None;
                    body.errand = Errand::Saved;
                    body.orders = super::orders::Orders::default();
                }
                (Some((behavior, tree)), Some(mind)) if mind.behavior == behavior => {
                    if !Arc::ptr_eq(mind.running.tree(), tree) {
                        mind.running.replace_tree(tree);
                    }
                }
                (Some((behavior, tree)), _) => {
                    let seed = mix(scene.settings.seed ^ OWN_SEED ^ mix(id.to_bits()));
                    body.mind = Some(Box::new(Mind::new(behavior, tree.clone(), seed)));
                    body.orders = super::orders::Orders::default();
                }
            }
        }
    }

    /// Draws a target for everyone whose behaviour wants one and who has none.
    pub(super) fn send_out(&mut self, scene: &Scene) {
        let is_target = |id: &InstanceId| {
            let model = scene.instances.get(*id).and_then(|i| i.model_id());
            model.and_then(|m| scene.models.get(m)).is_some_and(|m| m.is_nav_target)
        };
        let targets: Vec<InstanceId> = self.ids.iter().copied().filter(is_target).collect();
        for i in 0..self.bodies.len() {
            let id = self.ids[i];
            let body = &mut self.bodies[i];
            let is_sent = body.has_errand() && body.target().is_some();
            let Some(mind) = body.mind.as_mut() else { continue };
            let Some(waypoints) = mind.wants_walk.take().filter(|_| scene.settings.nav.enabled) else { continue };
            let Some(drawn) = mind.draw_target(waypoints, &targets, id, is_sent) else { continue };
            body.errand = Errand::To(drawn);
            let target = self.index_of(drawn).map(|t| t as u32);
            let body = &mut self.bodies[i];
            body.nav.target = target;
            body.reset_navigation();
            self.live[i].nav = NavStatus::Off;
            self.presences[i].on_errand = true;
        }
    }
}

/// What one character's behaviour makes of a step.
pub(super) fn think(steps: u64, live: &mut Live, body: &mut Body) {
    if body.is_busy() {
        // Who stops to do something is not stuck.
        body.nav.best.1 = steps;
    }
    body.interacts = body.orders.action == Some(MoveState::Interact) && !body.is_busy();
    let Some(mut mind) = body.mind.take() else { return };
    let mut heard = std::mem::take(&mut body.heard);
    if body.contact {
        heard.add(NodeEvent::InstanceToInstance);
    }
    let given_up = matches!((&live.nav, body.errand), (NavStatus::Failed(_), Errand::To(_)));
    if given_up || (heard.has(NodeEvent::TargetReached) && body.errand != Errand::Saved) {
        body.errand = Errand::Done;
    }
    let on_the_way = !matches!(live.nav, NavStatus::Off | NavStatus::Failed(_)) && body.has_errand();
    if on_the_way || !mind.drive.given {
        mind.drive.heading_rad = body.pace.yaw_rad;
    }
    if body.looks.role == Role::Character {
        let mut effects = std::mem::take(&mut mind.effects);
        mind.running.set_conditions(conditions(on_the_way, body));
        mind.running.step(STEP_SECS, heard, &mut effects);
        mind.silent = mind.silent.saturating_sub(1);
        effects.drain(..).for_each(|effect| carry_out(effect, &mut mind, live, body));
        mind.effects = effects;
    }
    let Drive { given, heading_rad, pace, direction } = mind.drive;
    let pace = if direction == MoveDirection::None { 0.0 } else { pace };
    if on_the_way && given && pace == 0.0 {
        body.nav.best.1 = steps;
    }
    body.orders.steer = (given && (!on_the_way || pace == 0.0)).then_some(Steer { heading_rad, pace, direction });
    body.interacts |= body.orders.action == Some(MoveState::Interact) && !body.is_busy();
    body.mind = Some(mind);
}

/// What a selector may ask of a character.
fn conditions(on_the_way: bool, body: &Body) -> ConditionSet {
    let mut set = ConditionSet::default();
    let (wall, border) = body.touched;
    for (condition, holds) in [
        (Condition::OnTheWay, on_the_way),
        (Condition::Contact, body.contact),
        (Condition::Wall, wall),
        (Condition::Border, border),
    ] {
        set.note(condition, holds);
    }
    set
}

fn carry_out(effect: Effect, mind: &mut Mind, live: &mut Live, body: &mut Body) {
    match effect {
        Effect::Move(drawn) => steer(&drawn, mind, live, body),
        Effect::Action(action) => body.orders.action = Some(action).filter(|a| a.is_action()),
        Effect::Face(face, weight) => body.orders.face = Some((face, weight)),
        Effect::Head { left_right, up_down } => {
            let now = body.orders.head.unwrap_or(Vec2::new(body.saved.head_left_right, body.saved.head_up_down));
            body.orders.head = Some(Vec2::new(left_right.unwrap_or(now.x), up_down.unwrap_or(now.y)));
        }
        Effect::Log(text) if mind.silent == 0 => {
            mind.silent = LOG_PAUSE;
            tracing::info!("Behaviour: {text}.");
        }
        Effect::Log(_) => {}
        Effect::WalkTo(waypoints) => mind.wants_walk = Some(waypoints),
    }
}

fn steer(drawn: &MovementOrder, mind: &mut Mind, live: &mut Live, body: &mut Body) {
    let (movement, drive) = (&drawn.movement, &mut mind.drive);
    if let Some(turn) = drawn.turn_rad {
        drive.heading_rad = angle::wrap_rad(if movement.relative { drive.heading_rad - turn } else { turn });
        drive.given = true;
    }
    if let Some(direction) = movement.direction {
        drive.direction = direction;
        drive.given = true;
    }
    if let Some(state) = movement.state {
        drive.pace = match state {
            MoveState::Walk => 1.0,
            MoveState::Run => 2.0,
            _ => 0.0,
        };
        if movement.direction.is_none() && drive.direction == MoveDirection::None {
            drive.direction = MoveDirection::Forward;
        }
        drive.given = true;
    }
    if let Some(speed) = drawn.speed {
        drive.pace = speed;
        drive.given = true;
    }
    if let Some(place) = movement.position {
        put_at(place, live, body);
    }
}

/// Puts a character somewhere at once.
fn put_at(place: Vec3, live: &mut Live, body: &mut Body) {
    (live.now.position, live.before.position) = (place, place);
    (live.on_ground, live.ground_triangle, live.crossing) = (false, None, None);
    (body.placed, body.resting, body.fall_speed) = (false, false, 0.0);
    body.vicinity.clear();
    if live.nav != NavStatus::Off {
        body.reset_navigation();
        live.nav = NavStatus::Off;
        live.path.clear();
        live.leaps.clear();
    }
}

/// What a character's behaviour hears of the way that it has come in a step.
pub(super) fn hear_the_way(live: &Live, body: &mut Body) {
    if body.mind.is_none() {
        return;
    }
    let mut heard = NodeEventSet::default();
    // Who stands beside a wall is not told so again and again.
    let moves = body.pace.speed > 0.0;
    for (happened, event) in [
        (moves && body.touched.0 && live.crossing.is_none(), NodeEvent::InstanceToLevel),
        (moves && body.touched.1, NodeEvent::InstanceToEdge),
    ] {
        if happened {
            heard.add(event);
        }
    }
    body.heard = heard;
}

/// What a character's behaviour hears of what happened to it in a step.
pub(super) fn hear_of(raised: event::EventSet, body: &mut Body) {
    for (kind, event) in
        [(EventKind::Interaction, NodeEvent::Interaction), (EventKind::TargetReached, NodeEvent::TargetReached)]
    {
        if raised.has(kind) && body.mind.is_some() {
            body.heard.add(event);
        }
    }
}
