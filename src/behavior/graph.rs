//! A behaviour graph as plain data, as saved in scene files.

/// A node of a behaviour graph. Kinds that this version does not know are kept as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphNode {
    /// Number of the kind in scene files (1 root … 13 random navigation).
    pub kind: i64,
    /// Identity within the graph.
    pub id: i64,
    /// Properties as text, in file order.
    pub properties: Vec<(String, String)>,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: Vec<(String, String)>,
}

/// Numbers of pins: those of a node begin at so many times its number, with its input.
pub const NODE_PINS: i64 = 1000;
/// Where a node's outputs begin among its pins.
pub const FIRST_OUTPUT: i64 = 200;

/// A connection from an output pin to an input pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphLink {
    /// Identity within the graph.
    pub id: i64,
    /// Output pin: `node * 1000 + 200 + n`; the root's is `node * 1000`.
    pub from_pin: i64,
    /// Input pin: `node * 1000`.
    pub to_pin: i64,
}

impl GraphLink {
    /// Numbers of the nodes that it leads from and to.
    pub fn nodes(&self) -> [i64; 2] {
        [self.from_pin, self.to_pin].map(|pin| pin.div_euclid(NODE_PINS))
    }

    /// The output that it leads from, counted from 0; `None` for a pin that is none.
    pub fn output(&self, of_root: bool) -> Option<usize> {
        match self.from_pin.rem_euclid(NODE_PINS) {
            0 if of_root => Some(0),
            pin => usize::try_from(pin - FIRST_OUTPUT).ok(),
        }
    }

    /// Whether it leads to an input.
    pub fn is_to_input(&self) -> bool {
        self.to_pin.rem_euclid(NODE_PINS) == 0
    }
}

/// A comment beside the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphComment {
    /// Position in the node editor.
    pub at: [f32; 2],
    /// Its text.
    pub text: String,
}

/// A behaviour template: what the original calls a node tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BehaviorGraph {
    /// Unique name.
    pub name: String,
    /// The original editor's layout text, kept as it is.
    pub editor_settings: String,
    /// Nodes.
    pub nodes: Vec<GraphNode>,
    /// Links.
    pub links: Vec<GraphLink>,
    /// Notes, which the original does not know and leaves out.
    pub comments: Vec<GraphComment>,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: Vec<(String, String)>,
}
