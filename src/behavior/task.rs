//! Tasks: what nodes do, parsed from their properties.

use super::condition::Condition;
use super::graph::GraphNode;
use super::kind::{self, Property, PropertyType};
use super::patrol::{PatrolOrder, Waypoints};
use crate::vocab::{FaceExpression, MoveDirection, MoveState, NodeEvent};
use glam::Vec3;

/// A linear ramp over time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ramp {
    /// Value at the beginning.
    pub from: f32,
    /// Value at the end.
    pub to: f32,
    /// Duration, seconds.
    pub secs: f32,
}

impl Ramp {
    /// The value after a time.
    pub fn at(&self, secs: f32) -> f32 {
        if secs >= self.secs { self.to } else { self.from + (self.to - self.from) * (secs / self.secs).max(0.0) }
    }
}

/// A value, or a range to draw one from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueRange {
    /// Least value, or the value.
    pub min: f32,
    /// Greatest value; not used unless random.
    pub max: f32,
    /// Whether it is drawn.
    pub random: bool,
}

/// A change of movement; `None` leaves a value unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Movement {
    /// Standing, walking, running.
    pub state: Option<MoveState>,
    /// Direction relative to the heading.
    pub direction: Option<MoveDirection>,
    /// Angle in degrees.
    pub rotation_deg: Option<ValueRange>,
    /// Whether the angle is relative to the heading and subtracted from it.
    pub relative: bool,
    /// Speed as a multiple of the full walking speed.
    pub speed: Option<ValueRange>,
    /// Teleport target, world space.
    pub position: Option<Vec3>,
}

/// The task of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Task {
    /// Starts the tree.
    Root,
    /// Started by hand.
    Test,
    /// Waits, seconds.
    Wait(f32),
    /// Waits between two times, seconds.
    RandomWait(f32, f32),
    /// Waits, seconds; then starts one output at random, or as a condition says.
    Selector(f32, Condition),
    /// Starts all outputs in turn, so many times.
    Sequence(u32),
    /// Changes the movement.
    Move(Movement),
    /// Starts its output on an event; then ignores events for a cooldown, seconds.
    Event(NodeEvent, f32),
    /// Starts an action.
    Action(MoveState),
    /// Writes to the log.
    Log,
    /// Blends a face.
    Face(FaceExpression, Ramp),
    /// Turns and tilts the head.
    Head(Option<Ramp>, Option<Ramp>),
    /// Walks to one of some targets.
    Navigation(Waypoints),
    /// Of a kind that this version does not know.
    #[default]
    Unknown,
}

/// The number that the text of a property stands for: `true` is 1, `false` is 0.
pub fn number(text: &str) -> Option<f32> {
    match text.trim() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => text.parse().ok().filter(|x: &f32| x.is_finite()),
    }
}

/// Parses a node's properties and collects the faulty ones.
struct PropertyReader<'a> {
    node: &'a GraphNode,
    known: &'static [Property],
    wrong: &'a mut Vec<String>,
}

/// Parses a node: its task and its number of outputs. Faults of its properties are appended to `wrong`.
pub fn read(node: &GraphNode, wrong: &mut Vec<String>) -> (Task, usize) {
    let Some(kind) = kind::by_number(node.kind) else { return (Task::Unknown, 0) };
    let mut r = PropertyReader { node, known: kind.properties, wrong };
    r.unknown_keys();
    let task = match kind.number {
        kind::ROOT => Task::Root,
        kind::TEST => Task::Test,
        kind::WAIT => Task::Wait(r.value("wait-time")),
        4 => Task::RandomWait(r.value("random-wait-min-time"), r.value("random-wait-max-time")),
        5 => {
            let condition = r.one_of("selector-condition", Condition::from_file).unwrap_or_default();
            Task::Selector(r.value("selector-wait-time"), condition)
        }
        6 => Task::Sequence(r.value("sequence-rounds") as u32),
        7 => Task::Move(r.movement()),
        kind::EVENT => r.event(),
        9 => Task::Action(r.one_of("action-move-state", MoveState::from_file).unwrap_or_default()),
        10 => Task::Log,
        11 => r.face(),
        12 => {
            let axes = ["left-right", "up-down"].map(|axis| r.head(axis));
            Task::Head(axes[0], axes[1])
        }
        _ => Task::Navigation(Waypoints {
            order: r.one_of("navigation-order", PatrolOrder::from_file).unwrap_or_default(),
            first: r.value("navigation-first") as u32,
            last: r.value("navigation-last") as u32,
        }),
    };
    let outputs = match kind.number {
        5 => r.value("selector-num-outs") as usize,
        6 => r.value("sequence-num-outs") as usize,
        _ => 1,
    };
    (task, outputs)
}

impl PropertyReader<'_> {
    fn unknown_keys(&mut self) {
        for (key, _) in &self.node.properties {
            if !self.known.iter().any(|p| p.key == key) {
                self.wrong.push(format!("has the property '{key}', which this kind of node does not have; remove it"));
            }
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.node.properties.iter().find(|(k, _)| k == key).map(|(_, text)| text.trim())
    }

    /// A valid number of the file; out-of-range numbers are clamped.
    fn given(&mut self, key: &str) -> Option<f32> {
        let property = *self.known.iter().find(|p| p.key == key)?;
        let text = self.text(key)?.to_owned();
        let (low, high) = match property.ty {
            PropertyType::Number(low, high) => (low, high),
            PropertyType::Whole(low, high) => (low as f32, high as f32),
            PropertyType::Flag => (0.0, 1.0),
            _ => (f32::MIN, f32::MAX),
        };
        match number(&text) {
            Some(x) if (low..=high).contains(&x) => Some(x),
            Some(x) => {
                let used = x.clamp(low, high);
                self.wrong.push(format!("has '{key}' {text}; {used} is used, choose {low} to {high}"));
                Some(used)
            }
            None => {
                let used = property.default.map_or("nothing".into(), |d| d.to_string());
                self.wrong.push(format!("has '{key}' {text:?}, which is no number; {used} is used, give a number"));
                None
            }
        }
    }

    /// The given number, else the default.
    fn value(&mut self, key: &str) -> f32 {
        let default = self.known.iter().find(|p| p.key == key).and_then(|p| p.default);
        self.given(key).or(default).unwrap_or(0.0)
    }

    fn flag(&mut self, key: &str) -> bool {
        self.value(key) != 0.0
    }

    fn one_of<T>(&mut self, key: &str, from_file: impl Fn(i64) -> Option<T>) -> Option<T> {
        let number = self.given(key)?;
        let found = from_file(number as i64);
        if found.is_none() {
            self.wrong.push(format!("has '{key}' {number}, which stands for nothing; choose one of the documented"));
        }
        found
    }

    fn range(&mut self, what: &str) -> Option<ValueRange> {
        let min = self.given(&format!("instance-min-{what}"));
        let max = self.given(&format!("instance-max-{what}"));
        let random = self.flag(&format!("instance-random-{what}"));
        let least = min.or(max)?;
        Some(ValueRange { min: least, max: max.unwrap_or(least), random })
    }

    fn movement(&mut self) -> Movement {
        let place = ["x", "y", "z"].map(|axis| self.given(&format!("instance-position-{axis}")));
        let position = match place {
            [Some(x), Some(y), Some(z)] => Some(Vec3::new(x, y, z)),
            [None, None, None] => None,
            _ => {
                self.wrong.push("has only a part of 'instance-position-x', '-y' and '-z'; give all three".into());
                None
            }
        };
        let state = self.one_of("instance-move-state", MoveState::from_file);
        let moves = |s: &MoveState| matches!(s, MoveState::Idle | MoveState::Walk | MoveState::Run);
        if let Some(state) = state.filter(|s| !moves(s)) {
            let label = state.label();
            self.wrong.push(format!("has the 'instance-move-state' {label}; choose 0, 1 or 2, or an action node"));
        }
        Movement {
            state: state.filter(moves),
            direction: self.one_of("instance-move-direction", MoveDirection::from_file),
            rotation_deg: self.range("rotation"),
            relative: self.flag("instance-relative-rotation"),
            speed: self.range("speed"),
            position,
        }
    }

    fn event(&mut self) -> Task {
        let event = self.one_of("event-type", NodeEvent::from_file).unwrap_or_default();
        if event == NodeEvent::None {
            self.wrong.push("listens to no event; choose an 'event-type' from 1 to 5".into());
        }
        Task::Event(event, self.value("event-cooldown"))
    }

    fn face(&mut self) -> Task {
        let face = self.one_of("face-anim", FaceExpression::from_file).unwrap_or_default();
        let [from, to, secs] =
            ["start-weight", "end-weight", "blend-time"].map(|p| self.value(&format!("face-anim-{p}")));
        match face {
            FaceExpression::None => Task::Face(face, Ramp { secs: 1.0, ..Ramp::default() }),
            _ => Task::Face(face, Ramp { from, to, secs }),
        }
    }

    fn head(&mut self, axis: &str) -> Option<Ramp> {
        let on = self.flag(&format!("head-anim-{axis}"));
        let [from, to, secs] =
            ["start-weight", "end-weight", "blend-time"].map(|p| self.value(&format!("head-anim-{axis}-{p}")));
        on.then_some(Ramp { from, to, secs })
    }
}
