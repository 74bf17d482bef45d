//! One character living by a behaviour tree.
//!
//! A node is active from when it is fired until its own work is over and everything that it fired has finished; then
//! it reports to the node that fired it. Firing an active node does nothing. Once nothing is active the root fires
//! again, at most once a step. Work that would make a step too long waits for the next one.

use super::check::Tree;
use super::effect::{Drawn, Effect};
use super::random::Random;
use super::task::{Movement, Range, Task};
use crate::vocab::{FaceExpression, NodeEvent};
use std::collections::HashMap;
use std::sync::Arc;

/// Most pieces of work per step.
const MOST_WORK: usize = 512;
/// Most effects per step, more than which nobody can see.
const MOST_EFFECTS: usize = 256;
/// Part of a step that is left over by rounding, which must not cost another step.
const ROUNDING: f32 = 1e-3;
/// No node.
const NONE: u32 = u32::MAX;

/// Events of one step, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSet(u8);

impl EventSet {
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

/// What a node is doing.
#[derive(Clone, Copy, Debug)]
struct State {
    active: bool,
    /// Seconds that its own work goes on; 0 when it is over.
    left: f32,
    /// Seconds that its own work takes in all.
    total: f32,
    /// The output fired last.
    output: u32,
    /// Nodes that it fired and that have not reported.
    open: u32,
    /// Who fired it.
    caller: u32,
}

impl State {
    const IDLE: Self = Self { active: false, left: 0.0, total: 0.0, output: 0, open: 0, caller: NONE };
}

/// A piece of work that is waiting.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// Fire a node for another one.
    Start { node: u32, caller: u32 },
    /// Tell a node that all it fired has finished.
    Report { node: u32 },
}

/// An active node, to be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watched {
    /// Its number in the graph.
    pub id: i64,
    /// Number of its kind.
    pub kind: i64,
    /// Seconds that its own work goes on and takes in all; `None` while it only waits for what it fired.
    pub time: Option<(f32, f32)>,
}

/// A running tree.
///
/// While all that is at work only waits, and nobody fires anything, a step is a look at a clock: the time that has gone
/// by is taken off the nodes when the first of them is due.
#[derive(Clone, Debug)]
pub struct Running {
    /// Seconds that have not been taken off the nodes yet.
    owed: f64,
    /// Seconds from then until there is work; 0 when there is some in every step.
    due: f64,
    /// Events that would fire a node.
    ears: EventSet,
    tree: Arc<Tree>,
    states: Vec<State>,
    /// Active nodes, in the order in which they were fired.
    active: Vec<u32>,
    work: Vec<Work>,
    random: Random,
}

impl Running {
    /// A tree that begins with its next step.
    pub fn new(tree: Arc<Tree>, seed: u64) -> Self {
        let states = vec![State::IDLE; tree.nodes.len()];
        let (active, work, random) = (Vec::new(), Vec::new(), Random::new(seed));
        Self { owed: 0.0, due: 0.0, ears: EventSet::default(), tree, states, active, work, random }
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// All active nodes, in the order in which they were fired.
    pub fn watch(&self) -> impl DoubleEndedIterator<Item = Watched> + '_ {
        self.active.iter().map(|&i| {
            let (node, state) = (&self.tree.nodes[i as usize], &self.states[i as usize]);
            let time = (state.left > 0.0).then_some(((state.left - self.owed as f32).max(0.0), state.total));
            Watched { id: node.id, kind: node.kind, time }
        })
    }

    /// The node that was fired last among those at work.
    pub fn current(&self) -> Option<Watched> {
        self.watch().rev().find(|w| w.time.is_some()).or_else(|| self.watch().next_back())
    }

    /// Fires a test node by hand, with the next step; says whether there is one with this number.
    pub fn fire(&mut self, id: i64) -> bool {
        let found = self.tree.position(id).filter(|&i| self.tree.nodes[i as usize].task == Task::Test);
        if let Some(node) = found.filter(|_| self.work.len() < MOST_WORK) {
            self.work.push(Work::Start { node, caller: NONE });
            self.due = 0.0;
        }
        found.is_some()
    }

    /// Ends an active node and all that it fired, at once: nothing that it would have fired later is fired, and who fired
    /// it goes on as if it had finished. Says whether a node with this number was active.
    pub fn deactivate(&mut self, id: i64) -> bool {
        let Some(node) = self.tree.position(id).filter(|&i| self.states[i as usize].active) else { return false };
        let mut ended = vec![false; self.states.len()];
        ended[node as usize] = true;
        // A node comes after the one that fired it.
        for &other in &self.active {
            let caller = self.states[other as usize].caller;
            ended[other as usize] |= ended.get(caller as usize).is_some_and(|ended| *ended);
        }
        self.work.retain(|work| match *work {
            Work::Start { caller, .. } => !ended.get(caller as usize).is_some_and(|ended| *ended),
            Work::Report { node } => !ended[node as usize],
        });
        self.active.retain(|&other| {
            let stays = other == node || !ended[other as usize];
            if !stays {
                self.states[other as usize] = State::IDLE;
            }
            stays
        });
        self.finish(node);
        self.due = 0.0;
        true
    }

    /// One step of `dt_secs` in which `events` happened. Events that no node listens to are gone with it.
    pub fn step(&mut self, dt_secs: f32, events: EventSet, out: &mut Vec<Effect>) {
        self.owed += f64::from(dt_secs);
        if self.owed < self.due - f64::from(dt_secs * ROUNDING) && !events.has_any(self.ears) {
            return;
        }
        let most = out.len() + MOST_EFFECTS;
        self.pass_time(dt_secs, out);
        let tree = self.tree.clone();
        for &node in &tree.events {
            if let Task::Event(event, _) = tree.nodes[node as usize].task
                && events.has(event)
                && !self.states[node as usize].active
                && !self.work.iter().any(|w| matches!(w, Work::Start { node: n, .. } if *n == node))
            {
                self.work.insert(0, Work::Start { node, caller: NONE });
            }
        }
        if self.active.is_empty()
            && self.work.is_empty()
            && let Some(root) = tree.root
        {
            self.work.push(Work::Start { node: root, caller: NONE });
        }
        for _ in 0..MOST_WORK {
            if out.len() >= most {
                break;
            }
            match self.work.pop() {
                Some(Work::Start { node, caller }) => self.start(node, caller, out),
                Some(Work::Report { node }) => self.reported(node),
                None => break,
            }
        }
        self.look_ahead();
    }

    /// Notes until when nothing happens by itself, and what would change that.
    fn look_ahead(&mut self) {
        let nodes = &self.tree.nodes;
        let waits = |&i: &u32| match self.states[i as usize].left {
            left if left <= 0.0 => f64::INFINITY,
            _ if shows(&nodes[i as usize].task) => 0.0,
            left => f64::from(left),
        };
        let idle = self.work.is_empty() && (!self.active.is_empty() || self.tree.root.is_none());
        self.due = if idle { self.active.iter().map(waits).fold(f64::INFINITY, f64::min) } else { 0.0 };
        self.ears = EventSet::default();
        for &node in &self.tree.events {
            if let (Task::Event(event, _), false) = (nodes[node as usize].task, self.states[node as usize].active) {
                self.ears.add(event);
            }
        }
    }

    /// Lets the work of all active nodes go on by the time that has gone by.
    fn pass_time(&mut self, dt_secs: f32, out: &mut Vec<Effect>) {
        let mut over = Vec::new();
        let gone_by = std::mem::take(&mut self.owed) as f32;
        for &i in &self.active {
            let state = &mut self.states[i as usize];
            if state.left <= 0.0 {
                continue;
            }
            state.left -= gone_by;
            if state.left < dt_secs * ROUNDING {
                state.left = 0.0;
                over.push(i);
            }
            blend(&self.tree.nodes[i as usize].task, state.total - state.left, out);
        }
        // Taken from the end: the first to be over comes last.
        over.into_iter().rev().for_each(|i| self.own_work_over(i));
    }

    fn start(&mut self, node: u32, caller: u32, out: &mut Vec<Effect>) {
        let i = node as usize;
        if self.states[i].active {
            self.finished_for(caller);
            return;
        }
        self.states[i] = State { active: true, caller, ..State::IDLE };
        self.active.push(node);
        let task = self.tree.nodes[i].task;
        let secs = match task {
            Task::Wait(secs) | Task::Selector(secs) | Task::Event(_, secs) => secs,
            Task::RandomWait(min, max) => self.random.between(min, max),
            Task::Face(_, face) => face.secs,
            Task::Head(None, None) => 1.0,
            Task::Head(x, y) => [x, y].into_iter().flatten().fold(0.0, |t, b| b.secs.max(t)),
            _ => 0.0,
        };
        (self.states[i].left, self.states[i].total) = (secs, secs);
        blend(&task, 0.0, out);
        match task {
            Task::Move(movement) => out.push(Effect::Move(self.draw(movement))),
            Task::Action(action) => out.push(Effect::Action(action)),
            Task::Log => out.push(Effect::Log(format!("node {} of {:?}", self.tree.nodes[i].id, self.tree.name))),
            Task::RandomNavigation => out.push(Effect::WalkSomewhere),
            _ => {}
        }
        match task {
            // It fires at once and is deaf meanwhile.
            Task::Event(..) => self.fire_output(node, 0),
            _ if secs <= 0.0 => self.own_work_over(node),
            _ => {}
        }
    }

    fn draw(&mut self, movement: Movement) -> Drawn {
        let mut value = |r: Range| if r.random { self.random.between(r.min, r.max) } else { r.min };
        Drawn {
            movement,
            turn_rad: movement.rotation_deg.map(|r| value(r).to_radians()),
            speed: movement.speed.map(value),
        }
    }

    fn own_work_over(&mut self, node: u32) {
        match self.tree.nodes[node as usize].task {
            Task::Selector(_) => {
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
            self.work.push(Work::Report { node });
        }
        // Taken from the end: the first child comes last.
        self.work.extend(children.iter().rev().map(|&child| Work::Start { node: child, caller: node }));
    }

    /// All that a node fired has finished.
    fn reported(&mut self, node: u32) {
        let state = self.states[node as usize];
        if !state.active || state.open > 0 {
            return;
        }
        let next = state.output as usize + 1;
        match self.tree.nodes[node as usize].task {
            Task::Sequence if next < self.tree.nodes[node as usize].outputs.len() => self.fire_output(node, next),
            Task::Event(..) if state.left > 0.0 => {}
            _ => self.finish(node),
        }
    }

    fn finish(&mut self, node: u32) {
        let caller = self.states[node as usize].caller;
        self.states[node as usize] = State::IDLE;
        self.active.retain(|&other| other != node);
        self.finished_for(caller);
    }

    fn finished_for(&mut self, caller: u32) {
        let Some(state) = self.states.get_mut(caller as usize) else { return };
        state.open = state.open.saturating_sub(1);
        if state.open == 0 {
            self.work.push(Work::Report { node: caller });
        }
    }

    /// Goes on with another tree, as it is after an edit: nodes that are still there, of the same kind, go on where
    /// they are; what was waiting for a node that is gone does not wait any more.
    pub fn adopt(&mut self, tree: &Arc<Tree>) {
        let gone_by = std::mem::take(&mut self.owed) as f32;
        for &i in &self.active {
            let left = &mut self.states[i as usize].left;
            *left = (*left - gone_by).max(0.0);
        }
        self.due = 0.0;
        let old = std::mem::replace(&mut self.tree, tree.clone());
        let by_id: HashMap<(i64, i64), u32> =
            tree.nodes.iter().rev().map(|n| (n.id, n.kind)).zip((0..tree.nodes.len() as u32).rev()).collect();
        let map: Vec<u32> = old.nodes.iter().map(|n| by_id.get(&(n.id, n.kind)).copied().unwrap_or(NONE)).collect();
        let to = |node: u32| map.get(node as usize).copied().unwrap_or(NONE);
        let states = std::mem::replace(&mut self.states, vec![State::IDLE; tree.nodes.len()]);
        self.active.retain_mut(|node| {
            let state = states[*node as usize];
            *node = to(*node);
            if let Some(new) = self.states.get_mut(*node as usize) {
                *new = State { caller: to(state.caller), open: 0, ..state };
                if let Some(longest) = longest(&tree.nodes[*node as usize].task) {
                    new.left = new.left.min(longest);
                    new.total = new.total.min(longest);
                }
            }
            *node != NONE
        });
        let mut kept = Vec::new();
        for work in self.work.drain(..) {
            match work {
                Work::Start { node, caller } if to(node) != NONE => {
                    kept.push(Work::Start { node: to(node), caller: to(caller) });
                }
                _ => {}
            }
        }
        self.work = kept;
        let callers = self.active.iter().map(|&i| self.states[i as usize].caller);
        let waiting = self.work.iter().map(|w| if let Work::Start { caller, .. } = w { *caller } else { NONE });
        for caller in callers.chain(waiting).collect::<Vec<_>>() {
            if let Some(state) = self.states.get_mut(caller as usize) {
                state.open += 1;
            }
        }
        for &node in &self.active {
            let state = &self.states[node as usize];
            if state.open == 0 && state.left <= 0.0 {
                self.work.push(Work::Report { node });
            }
        }
    }

    /// Hands all that decides how it goes on to `add`.
    pub fn fingerprint(&self, mut add: impl FnMut(u64)) {
        add(self.random.state());
        add(self.owed.to_bits());
        for &i in &self.active {
            let s = &self.states[i as usize];
            add(u64::from(i) << 32 | u64::from(s.left.to_bits()));
            add(u64::from(s.output) << 32 | u64::from(s.open));
        }
        add(self.work.len() as u64);
    }
}

/// Whether a node does something in every step while its time runs.
fn shows(task: &Task) -> bool {
    matches!(task, Task::Face(..) | Task::Head(..))
}

/// Longest time that a node's own work may still take.
fn longest(task: &Task) -> Option<f32> {
    match *task {
        Task::Wait(secs) | Task::Selector(secs) | Task::Event(_, secs) => Some(secs),
        Task::RandomWait(min, max) => Some(min.max(max)),
        _ => None,
    }
}

/// What a face or head shows some seconds after its node was fired.
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
