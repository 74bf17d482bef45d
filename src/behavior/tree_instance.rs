//! Execution of a behaviour tree for one character.
//!
//! A node is active from its start until its own work is over and all its started children have finished; then it
//! reports to its caller. Starting an active node does nothing. Once no node is active the root starts again, at most
//! once a step. Work beyond the budget of a step is deferred to the next one.

use super::compile::BehaviorTree;
use super::condition::{Condition, ConditionSet};
use super::effect::{Effect, MovementOrder};
use super::split_mix::SplitMix64;
use super::task::{Movement, Task, ValueRange};
use crate::vocab::{FaceExpression, NodeEvent};
use std::collections::HashMap;
use std::sync::Arc;

/// Work items per step.
const MAX_WORK_ITEMS: usize = 512;
/// Effects per step.
const MAX_EFFECTS: usize = 256;
/// Fraction of a step by which a timer may expire early, so that rounding does not cost a step.
const STEP_TOLERANCE: f32 = 1e-3;
/// No node.
const NONE: u32 = u32::MAX;

/// A set of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeEventSet(u8);

impl NodeEventSet {
    /// Adds an event.
    pub fn add(&mut self, event: NodeEvent) {
        self.0 |= 1 << event as u8;
    }

    /// Whether it holds an event.
    pub fn has(self, event: NodeEvent) -> bool {
        event != NodeEvent::None && self.0 & (1 << event as u8) != 0
    }

    /// Whether it holds any of another set's.
    pub fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Its bits, for hashes of a state.
    pub fn bits(self) -> u8 {
        self.0
    }
}

/// Execution state of a node.
#[derive(Clone, Copy, Debug)]
struct NodeExecution {
    active: bool,
    /// Remaining time of its own work, seconds; 0 when it is over.
    left: f32,
    /// Duration of its own work, seconds.
    total: f32,
    /// The output started last.
    output: u32,
    /// Rounds that a sequence has finished.
    rounds: u32,
    /// Started children that have not reported yet.
    open: u32,
    /// The node that started it, or [`NONE`].
    caller: u32,
}

impl NodeExecution {
    const IDLE: Self = Self { active: false, left: 0.0, total: 0.0, output: 0, rounds: 0, open: 0, caller: NONE };

    /// Takes over the duration of an edited task: a blend goes on from where it is, a wait lasts no longer than that.
    fn take_duration(&mut self, task: &Task) {
        let (gone_by, secs) = (self.total - self.left, max_duration_secs(task));
        let (left, total) = match is_continuous(task) {
            true => (secs - gone_by, secs),
            false => (self.left.min(secs), self.total.min(secs)),
        };
        // Where no time is left, its work ends in the next step, which fires its output.
        (self.left, self.total) = (left.max(f32::MIN_POSITIVE), total);
    }
}

/// A pending work item.
#[derive(Clone, Copy, Debug)]
enum WorkItem {
    /// Start a node on behalf of another one.
    Start { node: u32, caller: u32 },
    /// Tell a node that all its started children have finished.
    Report { node: u32 },
}

/// An active node, for inspection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveNode {
    /// Its number in the graph.
    pub id: i64,
    /// Number of its kind.
    pub kind: i64,
    /// Remaining time and duration of its own work, seconds; `None` while it only waits for its children.
    pub time: Option<(f32, f32)>,
}

/// A running tree.
///
/// While all active nodes only wait, a step only accumulates time: the timers are advanced when the first of them
/// expires or a subscribed event arrives.
#[derive(Clone, Debug)]
pub struct TreeInstance {
    /// Time that the timers have not been advanced by yet, seconds.
    deferred_secs: f64,
    /// Accumulated time at which the next step has work; 0 when every step has.
    wake_secs: f64,
    /// Events that would start a node.
    subscribed: NodeEventSet,
    /// What holds for the character in this step.
    conditions: ConditionSet,
    tree: Arc<BehaviorTree>,
    states: Vec<NodeExecution>,
    /// Active nodes, in starting order.
    active: Vec<u32>,
    work: Vec<WorkItem>,
    random: SplitMix64,
}

impl TreeInstance {
    /// An instance that starts with its next step.
    pub fn new(tree: Arc<BehaviorTree>, seed: u64) -> Self {
        let states = vec![NodeExecution::IDLE; tree.nodes.len()];
        let (active, work, random) = (Vec::new(), Vec::new(), SplitMix64::new(seed));
        Self {
            deferred_secs: 0.0,
            wake_secs: 0.0,
            subscribed: NodeEventSet::default(),
            conditions: ConditionSet::default(),
            tree,
            states,
            active,
            work,
            random,
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<BehaviorTree> {
        &self.tree
    }

    /// All active nodes, in starting order.
    pub fn active_nodes(&self) -> impl DoubleEndedIterator<Item = ActiveNode> + '_ {
        self.active.iter().map(|&i| {
            let (node, state) = (&self.tree.nodes[i as usize], &self.states[i as usize]);
            let time = (state.left > 0.0).then_some(((state.left - self.deferred_secs as f32).max(0.0), state.total));
            ActiveNode { id: node.id, kind: node.kind, time }
        })
    }

    /// The node started last among those with own work.
    pub fn current(&self) -> Option<ActiveNode> {
        self.active_nodes().rev().find(|w| w.time.is_some()).or_else(|| self.active_nodes().next_back())
    }

    /// Takes what holds for the character in the next step.
    pub fn set_conditions(&mut self, conditions: ConditionSet) {
        self.conditions = conditions;
    }

    /// Starts a test node in the next step; returns whether there is one with this number.
    pub fn fire(&mut self, id: i64) -> bool {
        let found = self.tree.position(id).filter(|&i| self.tree.nodes[i as usize].task == Task::Test);
        if let Some(node) = found.filter(|_| self.work.len() < MAX_WORK_ITEMS) {
            self.work.push(WorkItem::Start { node, caller: NONE });
            self.wake_secs = 0.0;
        }
        found.is_some()
    }

    /// Aborts an active node with all its descendants; its caller continues as if it had finished. Returns whether a node
    /// with this number was active.
    pub fn deactivate(&mut self, id: i64) -> bool {
        let Some(node) = self.tree.position(id).filter(|&i| self.states[i as usize].active) else { return false };
        let mut ended = vec![false; self.states.len()];
        ended[node as usize] = true;
        // A node comes after its caller.
        for &other in &self.active {
            let caller = self.states[other as usize].caller;
            ended[other as usize] |= ended.get(caller as usize).is_some_and(|ended| *ended);
        }
        self.work.retain(|work| match *work {
            WorkItem::Start { caller, .. } => !ended.get(caller as usize).is_some_and(|ended| *ended),
            WorkItem::Report { node } => !ended[node as usize],
        });
        self.active.retain(|&other| {
            let stays = other == node || !ended[other as usize];
            if !stays {
                self.states[other as usize] = NodeExecution::IDLE;
            }
            stays
        });
        self.finish(node);
        self.wake_secs = 0.0;
        true
    }

    /// Advances by `dt_secs` with the `events` of this step and appends the effects. Events without a subscribed node are
    /// dropped.
    pub fn step(&mut self, dt_secs: f32, events: NodeEventSet, out: &mut Vec<Effect>) {
        self.deferred_secs += f64::from(dt_secs);
        if self.deferred_secs < self.wake_secs - f64::from(dt_secs * STEP_TOLERANCE) && !events.has_any(self.subscribed)
        {
            return;
        }
        let most = out.len() + MAX_EFFECTS;
        self.advance_timers(dt_secs, out);
        let tree = self.tree.clone();
        for &node in &tree.events {
            if let Task::Event(event, _) = tree.nodes[node as usize].task
                && events.has(event)
                && !self.states[node as usize].active
                && !self.work.iter().any(|w| matches!(w, WorkItem::Start { node: n, .. } if *n == node))
            {
                self.work.insert(0, WorkItem::Start { node, caller: NONE });
            }
        }
        if self.active.is_empty()
            && self.work.is_empty()
            && let Some(root) = tree.root
        {
            self.work.push(WorkItem::Start { node: root, caller: NONE });
        }
        for _ in 0..MAX_WORK_ITEMS {
            if out.len() >= most {
                break;
            }
            match self.work.pop() {
                Some(WorkItem::Start { node, caller }) => self.start(node, caller, out),
                Some(WorkItem::Report { node }) => self.handle_report(node),
                None => break,
            }
        }
        self.schedule_wake();
    }

    /// Computes the time of the next work and the subscribed events.
    fn schedule_wake(&mut self) {
        let nodes = &self.tree.nodes;
        let waits = |&i: &u32| match self.states[i as usize].left {
            left if left <= 0.0 => f64::INFINITY,
            _ if is_continuous(&nodes[i as usize].task) => 0.0,
            left => f64::from(left),
        };
        let idle = self.work.is_empty() && (!self.active.is_empty() || self.tree.root.is_none());
        self.wake_secs = if idle { self.active.iter().map(waits).fold(f64::INFINITY, f64::min) } else { 0.0 };
        self.subscribed = NodeEventSet::default();
        for &node in &self.tree.events {
            if let (Task::Event(event, _), false) = (nodes[node as usize].task, self.states[node as usize].active) {
                self.subscribed.add(event);
            }
        }
    }

    /// Advances the timers of all active nodes by the accumulated time.
    fn advance_timers(&mut self, dt_secs: f32, out: &mut Vec<Effect>) {
        let mut over = Vec::new();
        let gone_by = std::mem::take(&mut self.deferred_secs) as f32;
        for &i in &self.active {
            let state = &mut self.states[i as usize];
            if state.left <= 0.0 {
                continue;
            }
            state.left -= gone_by;
            if state.left < dt_secs * STEP_TOLERANCE {
                state.left = 0.0;
                over.push(i);
            }
            blend(&self.tree.nodes[i as usize].task, state.total - state.left, out);
        }
        // The work list is a stack: the first to finish is pushed last.
        over.into_iter().rev().for_each(|i| self.finish_own_work(i));
    }

    fn start(&mut self, node: u32, caller: u32, out: &mut Vec<Effect>) {
        let i = node as usize;
        if self.states[i].active {
            self.notify_caller(caller);
            return;
        }
        self.states[i] = NodeExecution { active: true, caller, ..NodeExecution::IDLE };
        self.active.push(node);
        let task = self.tree.nodes[i].task;
        let secs = match task {
            Task::RandomWait(min, max) => self.random.between(min, max),
            _ => max_duration_secs(&task),
        };
        (self.states[i].left, self.states[i].total) = (secs, secs);
        blend(&task, 0.0, out);
        match task {
            Task::Move(movement) => out.push(Effect::Move(self.draw(movement))),
            Task::Action(action) => out.push(Effect::Action(action)),
            Task::Log => out.push(Effect::Log(format!("node {} of {:?}", self.tree.nodes[i].id, self.tree.name))),
            Task::Navigation(waypoints) => out.push(Effect::WalkTo(waypoints)),
            _ => {}
        }
        match task {
            // Fires at once; its time is the cooldown.
            Task::Event(..) => self.fire_output(node, 0),
            _ if secs <= 0.0 => self.finish_own_work(node),
            _ => {}
        }
    }

    fn draw(&mut self, movement: Movement) -> MovementOrder {
        let mut value = |r: ValueRange| if r.random { self.random.between(r.min, r.max) } else { r.min };
        MovementOrder {
            movement,
            turn_rad: movement.rotation_deg.map(|r| value(r).to_radians()),
            speed: movement.speed.map(value),
        }
    }

    fn finish_own_work(&mut self, node: u32) {
        match self.tree.nodes[node as usize].task {
            Task::Selector(_, condition) if condition != Condition::None => {
                self.fire_output(node, usize::from(!self.conditions.has(condition)));
            }
            Task::Selector(..) => {
                let output = self.random.below(self.tree.nodes[node as usize].outputs.len());
                self.fire_output(node, output);
            }
            Task::Event(..) if self.states[node as usize].open > 0 => {}
            Task::Event(..) => self.finish(node),
            _ => self.fire_output(node, 0),
        }
    }

    fn fire_output(&mut self, node: u32, output: usize) {
        let children = self.tree.nodes[node as usize].outputs.get(output).map_or(&[][..], Vec::as_slice);
        let state = &mut self.states[node as usize];
        state.output = output as u32;
        state.open = children.len() as u32;
        if children.is_empty() {
            self.work.push(WorkItem::Report { node });
        }
        // The work list is a stack: the first child is pushed last.
        self.work.extend(children.iter().rev().map(|&child| WorkItem::Start { node: child, caller: node }));
    }

    /// Handles that all started children of a node have finished.
    fn handle_report(&mut self, node: u32) {
        let state = self.states[node as usize];
        if !state.active || state.open > 0 {
            return;
        }
        let next = state.output as usize + 1;
        match self.tree.nodes[node as usize].task {
            Task::Sequence(_) if next < self.tree.nodes[node as usize].outputs.len() => self.fire_output(node, next),
            Task::Sequence(rounds) if state.rounds + 1 < rounds => {
                self.states[node as usize].rounds += 1;
                self.fire_output(node, 0);
            }
            Task::Event(..) if state.left > 0.0 => {}
            _ => self.finish(node),
        }
    }

    fn finish(&mut self, node: u32) {
        let caller = self.states[node as usize].caller;
        self.states[node as usize] = NodeExecution::IDLE;
        self.active.retain(|&other| other != node);
        self.notify_caller(caller);
    }

    fn notify_caller(&mut self, caller: u32) {
        let Some(state) = self.states.get_mut(caller as usize) else { return };
        state.open = state.open.saturating_sub(1);
        if state.open == 0 {
            self.work.push(WorkItem::Report { node: caller });
        }
    }

    /// Switches to an edited tree: nodes with the same number and kind keep their state; references to removed nodes are
    /// dropped.
    pub fn replace_tree(&mut self, tree: &Arc<BehaviorTree>) {
        let gone_by = std::mem::take(&mut self.deferred_secs) as f32;
        for &i in &self.active {
            let left = &mut self.states[i as usize].left;
            if *left > 0.0 {
                // Never over by rounding: the next step ends its work.
                *left = (*left - gone_by).max(f32::MIN_POSITIVE);
            }
        }
        self.wake_secs = 0.0;
        let old = std::mem::replace(&mut self.tree, tree.clone());
        let by_id: HashMap<(i64, i64), u32> =
            tree.nodes.iter().rev().map(|n| (n.id, n.kind)).zip((0..tree.nodes.len() as u32).rev()).collect();
        let map: Vec<u32> = old.nodes.iter().map(|n| by_id.get(&(n.id, n.kind)).copied().unwrap_or(NONE)).collect();
        let to = |node: u32| map.get(node as usize).copied().unwrap_or(NONE);
        let states = std::mem::replace(&mut self.states, vec![NodeExecution::IDLE; tree.nodes.len()]);
        self.active.retain_mut(|node| {
            let state = states[*node as usize];
            *node = to(*node);
            if let Some(new) = self.states.get_mut(*node as usize) {
                *new = NodeExecution { caller: to(state.caller), open: 0, ..state };
                if new.left > 0.0 {
                    new.take_duration(&tree.nodes[*node as usize].task);
                }
            }
            *node != NONE
        });
        let mut kept = Vec::new();
        for work in self.work.drain(..) {
            match work {
                WorkItem::Start { node, caller } if to(node) != NONE => {
                    kept.push(WorkItem::Start { node: to(node), caller: to(caller) });
                }
                _ => {}
            }
        }
        self.work = kept;
        let callers = self.active.iter().map(|&i| self.states[i as usize].caller);
        let waiting = self.work.iter().map(|w| if let WorkItem::Start { caller, .. } = w { *caller } else { NONE });
        for caller in callers.chain(waiting).collect::<Vec<_>>() {
            if let Some(state) = self.states.get_mut(caller as usize) {
                state.open += 1;
            }
        }
        for &node in &self.active {
            let state = &self.states[node as usize];
            if state.open == 0 && state.left <= 0.0 {
                self.work.push(WorkItem::Report { node });
            }
        }
    }

    /// Passes all state that determines the future to `add`.
    pub fn hash_state(&self, mut add: impl FnMut(u64)) {
        // Each field by name, so that none that is added is left out.
        let Self { deferred_secs, wake_secs, subscribed, conditions, tree: _, states, active, work, random } = self;
        add(random.state());
        add(deferred_secs.to_bits());
        add(wake_secs.to_bits());
        add(u64::from(subscribed.bits()));
        add(u64::from(conditions.bits()));
        add(active.len() as u64);
        for &node in active {
            // Nodes that are not active are idle.
            let NodeExecution { active: _, left, total, output, rounds, open, caller } = states[node as usize];
            let words = [node, left.to_bits(), total.to_bits(), output, rounds, open, caller];
            words.into_iter().for_each(|word| add(u64::from(word)));
        }
        add(work.len() as u64);
        for item in work {
            let words = match *item {
                WorkItem::Start { node, caller } => [0, node, caller],
                WorkItem::Report { node } => [1, node, NONE],
            };
            words.into_iter().for_each(|word| add(u64::from(word)));
        }
    }
}

/// Whether a node emits effects in every step while its time runs.
fn is_continuous(task: &Task) -> bool {
    matches!(task, Task::Face(..) | Task::Head(..))
}

/// Largest duration of a node's own work, seconds.
fn max_duration_secs(task: &Task) -> f32 {
    match *task {
        Task::Wait(secs) | Task::Selector(secs, _) | Task::Event(_, secs) => secs,
        Task::RandomWait(min, max) => min.max(max),
        Task::Face(_, face) => face.secs,
        Task::Head(None, None) => 1.0,
        Task::Head(x, y) => [x, y].into_iter().flatten().fold(0.0, |secs, axis| axis.secs.max(secs)),
        _ => 0.0,
    }
}

/// Emits the value of a face or head node at a time after its start.
fn blend(task: &Task, secs: f32, out: &mut Vec<Effect>) {
    match task {
        Task::Face(FaceExpression::None, _) if secs > 0.0 => {}
        Task::Face(face, weight) => out.push(Effect::Face(*face, weight.at(secs))),
        Task::Head(None, None) if secs > 0.0 => {}
        Task::Head(None, None) => out.push(Effect::Head { left_right: Some(0.0), up_down: Some(0.0) }),
        Task::Head(x, y) => {
            let [left_right, up_down] = [x, y].map(|axis| axis.map(|b| b.at(secs)));
            out.push(Effect::Head { left_right, up_down });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
