//! The table of tools.

use crate::debug::Layer;

/// What a click into the picture does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Selects instances.
    #[default]
    None,
    /// Sends the selected characters.
    Send,
    /// Start and end of the test path.
    Path,
    /// The same, for the straight way.
    Raycast,
    /// Where the distance to a wall is asked.
    Wall,
    /// Where random places lie around.
    Random,
    /// Places enemies.
    Threat,
    /// Destroys cover.
    Destroy,
    /// Places obstacles and doors.
    Obstacle,
    /// Blocks ground and lets through again.
    Block,
    /// Places volumes that mark areas.
    Volume,
    /// Places links.
    Link,
    /// Places seeds of islands that are kept.
    Seed,
    /// Sends crowds from one place to another.
    Crowd,
    /// Removes tiles of a bake and builds them again.
    Tile,
}

impl Tool {
    /// Whether what it places joins two places.
    pub fn joins(self) -> bool {
        matches!(self, Self::Link | Self::Crowd)
    }

    /// Its row; the selection has none.
    pub fn info(self) -> Option<&'static ToolInfo> {
        TOOLS.iter().find(|row| row.tool == self)
    }
}

/// A row of the tool table.
#[derive(Clone, Copy, Debug)]
pub struct ToolInfo {
    /// The tool.
    pub tool: Tool,
    /// Label of its button.
    pub label: &'static str,
    /// What it is for, in a sentence.
    pub help: &'static str,
    /// What a click does, for the picture.
    pub hint: &'static str,
    /// Overlays that are shown as long as it is chosen.
    pub overlays: &'static [Layer],
    /// The overlay of what it places, which stays on once something was placed.
    pub keeps: Option<Layer>,
}

/// Makes [`TOOLS`]. A row holds: the tool, its label, the overlays that it shows, the overlay that stays on once something
/// was placed; what it is for, in a sentence; what a click does.
macro_rules! tools {
    ($($tool:ident $label:literal [$($layer:ident)+] $(keeps $kept:ident)?, $help:literal, $hint:literal;)+) => {
        /// All tools but the selection.
        pub const TOOLS: &[ToolInfo] = &[$(ToolInfo {
            tool: Tool::$tool,
            label: $label,
            help: $help,
            hint: $hint,
            overlays: &[$(Layer::$layer),+],
            keeps: tools!(@kept $($kept)?),
        },)+];
    };
    (@kept) => { None };
    (@kept $kept:ident) => { Some(Layer::$kept) };
}

tools! {
    Send "Walk here" [NavPath],
        "Send the selected characters to a place: a marker is put there, and they walk to it.",
        "Click: the selected walk there, or a character is selected · drag: lead them";
    Path "Path" [ProbePath NavMesh],
        "Try a path between two places.",
        "Click: start, then end · Shift+click: start · drag: move";
    Raycast "Raycast" [ProbeRay NavMesh],
        "See how far a straight line is free.",
        "Click: start, then end · Shift+click: start · drag: move";
    Wall "Wall" [ProbeWall WallSegments NavMesh],
        "Measure the distance to the nearest wall.",
        "Click or drag: where to measure from";
    Random "Random" [RandomPoints NavMesh],
        "Draw random places around a point.",
        "Click: draw random points around here · drag: move the middle";
    Threat "Threat" [Threats ProbePath Exposure] keeps Threats,
        "Place enemies that the tactical planner hides from.",
        "Click: place a threat · drag one: move it · Del: remove";
    Destroy "Destroy" [Threats Cover ProbePath],
        "Destroy cover that hides agents from threats.",
        "Click: destroy the cover beside this place · drag one: move it · Del: restore";
    Obstacle "Obstacle" [Obstacles NavMesh ProbePath] keeps Obstacles,
        "Place boxes, cylinders and doors as obstacles.",
        "Click: place an obstacle · drag one: move it · Del: remove";
    Block "Block" [Obstacles NavMesh ProbePath] keeps Obstacles,
        "Paint ground that no path crosses, by cells or whole polygons of the mesh.",
        "Drag: block ground · Shift+drag: let through again";
    Volume "Volume" [Volumes NavMesh] keeps Volumes,
        "Mark ground as another area, or as unwalkable; acts on baked meshes.",
        "Click: place a volume · drag one: move it · Del: remove";
    Link "Link" [NavLinks NavMesh] keeps NavLinks,
        "Join two places by an off-mesh link: a jump, a ladder, a door.",
        "Click: where a link begins, then where it ends · drag an end: move it · Del: remove";
    Seed "Seed" [Seeds NavMesh] keeps Seeds,
        "Keep the islands that hold a seed, prune the others; acts on baked meshes.",
        "Click: place a seed on an island to keep · drag one: move it · Del: remove";
    Crowd "Crowd" [NavCrowd NavMesh] keeps NavCrowd,
        "Send agents from one place to another, and see whether they jam.",
        "Click: where a crowd starts, then its goal · drag an end: move it · Del: remove";
    Tile "Tile" [BakeTiles NavMesh],
        "See the tiles of the bake, remove one and build it again.",
        "Point: what a tile holds · click: remove it, or build it again";
}
