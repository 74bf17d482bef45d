//! The thirteen node kinds and their properties: one table for parsing, checking, panels and documentation.

/// Type of a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropertyType {
    /// A number from the first to the second value.
    Number(f32, f32),
    /// A whole number from the first to the second value.
    Whole(i64, i64),
    /// 0 or 1.
    Flag,
    /// The number of a state of movement.
    State,
    /// The number of a direction of movement.
    Direction,
    /// The number of a face.
    Face,
    /// The number of an event.
    Event,
    /// The number of a condition.
    Condition,
    /// The number of an order of patrols.
    Order,
}

/// A property of a kind of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// Its key in scene files.
    pub key: &'static str,
    /// Its type.
    pub ty: PropertyType,
    /// Default; `None` for an optional property without effect when absent.
    pub default: Option<f32>,
    /// Its meaning, in a sentence.
    pub help: &'static str,
}

/// A kind of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeKind {
    /// Its number in scene files.
    pub number: i64,
    /// Its name for people.
    pub label: &'static str,
    /// Its function, in a sentence.
    pub help: &'static str,
    /// Its properties.
    pub properties: &'static [Property],
}

/// Number of the kind that begins a tree.
pub const ROOT: i64 = 1;
/// Number of the kind that the user starts by hand.
pub const TEST: i64 = 2;
/// Number of the kind that a new tree begins with.
pub const WAIT: i64 = 3;
/// Number of the kind that waits for an event; no wire leads to it.
pub const EVENT: i64 = 8;
/// Largest duration of a node, seconds: a day.
pub const MAX_SECS: f32 = 86_400.0;
/// Most outputs of a selector or sequence.
pub const MAX_OUTPUTS: i64 = 64;
/// Most rounds of a sequence.
pub const MAX_ROUNDS: i64 = 1_000_000;
/// Greatest number of a target.
pub const MAX_TARGETS: i64 = 1_000_000;
const FAR: f32 = 1e6;

const fn property(key: &'static str, ty: PropertyType, default: f32, help: &'static str) -> Property {
    Property { key, ty, default: Some(default), help }
}

const fn optional(key: &'static str, ty: PropertyType, help: &'static str) -> Property {
    Property { key, ty, default: None, help }
}

const fn secs(key: &'static str, default: f32, help: &'static str) -> Property {
    property(key, PropertyType::Number(0.0, MAX_SECS), default, help)
}

const fn weight(key: &'static str, lowest: f32, default: f32, help: &'static str) -> Property {
    property(key, PropertyType::Number(lowest, 1.0), default, help)
}

const fn kind(number: i64, label: &'static str, help: &'static str, properties: &'static [Property]) -> NodeKind {
    NodeKind { number, label, help, properties }
}

const MOVEMENT: &[Property] = &[
    optional("instance-move-state", PropertyType::State, "Stands (0), walks (1) or runs (2) from now on."),
    optional(
        "instance-move-direction",
        PropertyType::Direction,
        "Direction of the movement relative to where it faces.",
    ),
    optional("instance-min-rotation", PropertyType::Number(-FAR, FAR), "Angle in degrees, or the least one."),
    optional("instance-max-rotation", PropertyType::Number(-FAR, FAR), "Greatest angle in degrees, if it is random."),
    property("instance-random-rotation", PropertyType::Flag, 0.0, "Draws the angle between the two."),
    property(
        "instance-relative-rotation",
        PropertyType::Flag,
        0.0,
        "Takes the angle off the heading: positive turns right.",
    ),
    optional(
        "instance-min-speed",
        PropertyType::Number(0.0, 2.0),
        "Speed, or the least one; 1 is a full walk, 2 a run.",
    ),
    optional("instance-max-speed", PropertyType::Number(0.0, 2.0), "Greatest speed, if it is random."),
    property("instance-random-speed", PropertyType::Flag, 0.0, "Draws the speed between the two."),
    optional(
        "instance-position-x",
        PropertyType::Number(-FAR, FAR),
        "Puts it there at once; all three belong together.",
    ),
    optional("instance-position-y", PropertyType::Number(-FAR, FAR), "Height of that place."),
    optional("instance-position-z", PropertyType::Number(-FAR, FAR), "The third coordinate of that place."),
];

const HEAD: &[Property] = &[
    property("head-anim-left-right", PropertyType::Flag, 0.0, "Turns the head."),
    weight("head-anim-left-right-start-weight", -1.0, 0.0, "Where the turn begins: -1 left, 1 right."),
    weight("head-anim-left-right-end-weight", -1.0, 0.0, "Where the turn ends."),
    secs("head-anim-left-right-blend-time", 1.0, "How long the turn takes."),
    property("head-anim-up-down", PropertyType::Flag, 0.0, "Tilts the head."),
    weight("head-anim-up-down-start-weight", -1.0, 0.0, "Where the tilt begins: -1 up, 1 down."),
    weight("head-anim-up-down-end-weight", -1.0, 0.0, "Where the tilt ends."),
    secs("head-anim-up-down-blend-time", 1.0, "How long the tilt takes."),
];

/// All kinds, by number from 1.
pub const KINDS: &[NodeKind] = &[
    kind(ROOT, "Root", "Begins the tree, and begins it anew once nothing in it is active.", &[]),
    kind(TEST, "Test", "Fires its output when it is asked to by hand.", &[]),
    kind(WAIT, "Wait", "Waits.", &[secs("wait-time", 3.0, "How long.")]),
    kind(
        4,
        "Random wait",
        "Waits for a random time.",
        &[secs("random-wait-min-time", 3.0, "Shortest time."), secs("random-wait-max-time", 5.0, "Longest time.")],
    ),
    kind(
        5,
        "Selector",
        "Waits, then fires one of its outputs at random.",
        &[
            secs("selector-wait-time", 3.0, "How long it waits before."),
            property("selector-num-outs", PropertyType::Whole(1, MAX_OUTPUTS), 3.0, "Number of outputs."),
            property(
                "selector-condition",
                PropertyType::Condition,
                0.0,
                "Fires the first output where this holds, else the second; without one, any at random.",
            ),
        ],
    ),
    kind(
        6,
        "Sequence",
        "Fires its outputs one after the other, each when all that the one before set off has finished.",
        &[
            property("sequence-num-outs", PropertyType::Whole(1, MAX_OUTPUTS), 3.0, "Number of outputs."),
            property("sequence-rounds", PropertyType::Whole(1, MAX_ROUNDS), 1.0, "How often all are fired."),
        ],
    ),
    kind(7, "Movement", "Changes how the character moves, and goes on at once.", MOVEMENT),
    kind(
        EVENT,
        "Event",
        "Fires its output when its event happens; has no input.",
        &[
            property("event-type", PropertyType::Event, 0.0, "The event."),
            secs("event-cooldown", 0.0, "Time after an event for which further ones are ignored."),
        ],
    ),
    kind(
        9,
        "Action",
        "Starts an action, or ends it with 0, and goes on at once.",
        &[property("action-move-state", PropertyType::State, 0.0, "The action.")],
    ),
    kind(10, "Debug log", "Writes to the log, and goes on at once.", &[]),
    kind(
        11,
        "Face",
        "Blends a face in or out; without a face it takes a second to go back to the neutral one.",
        &[
            property("face-anim", PropertyType::Face, 0.0, "The face."),
            weight("face-anim-start-weight", 0.0, 0.0, "Its weight at the beginning."),
            weight("face-anim-end-weight", 0.0, 0.0, "Its weight at the end."),
            secs("face-anim-blend-time", 1.0, "How long the blend takes."),
        ],
    ),
    kind(12, "Head", "Turns and tilts the head; with neither it takes a second to look ahead again.", HEAD),
    kind(
        13,
        "Random navigation",
        "Walks to a random target unless there is one already, and goes on at once.",
        &[
            property(
                "navigation-order",
                PropertyType::Order,
                0.0,
                "Takes targets at random, or as the waypoints of a patrol.",
            ),
            property(
                "navigation-first",
                PropertyType::Whole(1, MAX_TARGETS),
                1.0,
                "Number of the first target that is meant, in the order of the scene.",
            ),
            property("navigation-last", PropertyType::Whole(0, MAX_TARGETS), 0.0, "Number of the last; 0 means all."),
        ],
    ),
];

/// The kind with this number.
pub fn by_number(number: i64) -> Option<&'static NodeKind> {
    KINDS.iter().find(|kind| kind.number == number)
}

/// Name of the kind with this number, for people.
pub fn label(number: i64) -> &'static str {
    by_number(number).map_or("unknown kind", |kind| kind.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete_and_its_defaults_are_allowed() {
        assert!(KINDS.iter().map(|k| k.number).eq(1..=13));
        for property in KINDS.iter().flat_map(|k| k.properties) {
            assert!(property.help.ends_with('.'), "{}", property.key);
            let Some(default) = property.default else { continue };
            let allowed = match property.ty {
                PropertyType::Number(low, high) => (low..=high).contains(&default),
                PropertyType::Whole(low, high) => (low as f32..=high as f32).contains(&default),
                _ => default == 0.0,
            };
            assert!(allowed, "{}", property.key);
        }
        assert_eq!((label(5), label(99)), ("Selector", "unknown kind"));
    }

    #[test]
    fn every_kind_and_property_is_documented() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/behavior.md");
        let text = std::fs::read_to_string(path).unwrap();
        for kind in KINDS {
            assert!(text.contains(&format!("| {} | {} |", kind.number, kind.label)), "{}", kind.label);
            kind.properties.iter().for_each(|p| assert!(text.contains(&format!("`{}`", p.key)), "{}", p.key));
        }
    }
}
