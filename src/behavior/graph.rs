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

/// A connection from an output pin to an input pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphLink {
    /// Identity within the graph.
    pub id: i64,
    /// Output pin: `node * 1000 + 200 + n`.
    pub from_pin: i64,
    /// Input pin: `node * 1000`.
    pub to_pin: i64,
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
