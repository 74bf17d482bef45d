//! The running behaviour of a character, and the compiled templates of a scene.

use crate::behavior::graph::BehaviorGraph;
use crate::behavior::patrol::{Patrol, PatrolOrder, Waypoints};
use crate::behavior::split_mix::{SplitMix64, mix};
use crate::behavior::{BehaviorTree, Effect, TreeInstance, compile};
use crate::ids::{BehaviorId, InstanceId};
use crate::scene::Scene;
use crate::vocab::MoveDirection;
use std::sync::Arc;

/// Where a character walks to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NavGoal {
    /// The scene's target.
    #[default]
    Saved,
    /// The target that its behaviour chose.
    To(InstanceId),
    /// Nowhere: it has been there.
    Done,
}

/// A character's running behaviour.
#[derive(Clone, Debug)]
pub struct BehaviorState {
    /// The template.
    pub(super) behavior: BehaviorId,
    pub(super) running: TreeInstance,
    /// Buffer for the effects of a step.
    pub(super) effects: Vec<Effect>,
    pub(super) intent: MovementIntent,
    /// Targets to choose from, while one is wanted.
    pub(super) waypoints: Option<Waypoints>,
    patrol: Patrol,
    /// Draws targets.
    random: SplitMix64,
    /// Steps until it may write to the log again.
    pub(super) log_pause: u32,
}

/// Movement that a behaviour asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MovementIntent {
    /// Whether the behaviour has asked for any.
    pub given: bool,
    pub heading_rad: f32,
    /// Speed as a multiple of the walking speed.
    pub pace: f32,
    pub direction: MoveDirection,
}

impl BehaviorState {
    /// A behaviour at its beginning.
    pub(super) fn new(behavior: BehaviorId, tree: Arc<BehaviorTree>, seed: u64) -> Self {
        Self {
            behavior,
            running: TreeInstance::new(tree, seed),
            effects: Vec::new(),
            intent: MovementIntent::default(),
            waypoints: None,
            patrol: Patrol::default(),
            random: SplitMix64::new(mix(seed)),
            log_pause: 0,
        }
    }

    /// Drops the movement and the target that it asked for.
    pub(super) fn stop(&mut self) {
        (self.intent, self.waypoints) = (MovementIntent::default(), None);
    }

    /// The target to walk to; `None` without one but `own`, and for a character that `has_target` already.
    pub(super) fn draw_target(
        &mut self,
        waypoints: Waypoints,
        targets: &[InstanceId],
        own: InstanceId,
        has_target: bool,
    ) -> Option<InstanceId> {
        let meant = waypoints.among(targets);
        let others = meant.len() - usize::from(meant.contains(&own));
        if others == 0 || has_target && waypoints.order != PatrolOrder::Random {
            return None;
        }
        let at = self.patrol.advance(waypoints.order, others, &mut self.random);
        let drawn = match waypoints.order {
            // The last one is never drawn otherwise.
            PatrolOrder::Random if meant[at] == own => meant[meant.len() - 1],
            PatrolOrder::Random => meant[at],
            _ => *meant.iter().filter(|target| **target != own).nth(at)?,
        };
        (!has_target).then_some(drawn)
    }

    /// Adds everything that later steps depend on to a hash.
    pub fn hash_state(&self, mut add: impl FnMut(u64)) {
        self.running.hash_state(&mut add);
        add(self.random.state());
        add(u64::from(self.intent.heading_rad.to_bits()) << 32 | u64::from(self.intent.pace.to_bits()));
        add(self.patrol.bits());
        add(self.intent.direction as u64 | u64::from(self.intent.given) << 32);
    }
}

/// A template and its tree.
#[derive(Clone, Debug)]
struct CompiledBehavior {
    id: BehaviorId,
    graph: Arc<BehaviorGraph>,
    tree: Arc<BehaviorTree>,
}

/// The compiled templates of a scene.
#[derive(Clone, Debug, Default)]
pub struct BehaviorTrees(Vec<CompiledBehavior>);

impl BehaviorTrees {
    /// Compiles the templates of a scene that have changed.
    pub(super) fn refresh(&mut self, scene: &Scene) {
        let same = self.0.len() == scene.behaviors.len()
            && self.0.iter().zip(scene.behaviors.iter()).all(|(a, b)| a.id == b.0 && Arc::ptr_eq(&a.graph, b.1));
        if same {
            return;
        }
        let old = std::mem::take(&mut self.0);
        let compiled = |(id, graph): (BehaviorId, &Arc<BehaviorGraph>)| {
            let kept = old.iter().find(|other| other.id == id && Arc::ptr_eq(&other.graph, graph));
            let tree = kept.map_or_else(|| Arc::new(compile(graph).0), |kept| kept.tree.clone());
            CompiledBehavior { id, graph: graph.clone(), tree }
        };
        self.0 = scene.behaviors.iter().map(compiled).collect();
    }

    /// The tree of a template.
    pub(super) fn tree(&self, id: BehaviorId) -> Option<&Arc<BehaviorTree>> {
        self.0.iter().find(|other| other.id == id).map(|other| &other.tree)
    }
}
