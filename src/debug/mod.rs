//! The sink for debug geometry: typed layers of coloured lines, triangles and labels, free of the GPU.

pub mod path_lanes;
pub mod shapes;

use glam::Vec3;

/// What a piece of debug geometry belongs to. One overlay row switches one layer, and says what it shows.
#[allow(missing_docs, reason = "the list of overlays says what each layer shows")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    NavPath,
    NavGround,
    NavNeighbors,
    NavMesh,
    NavLinks,
    ProbePath,
    ProbeCorridor,
    ProbePortals,
    SearchNodes,
    ProbeRay,
    ProbeWall,
    WallSegments,
    RandomPoints,
    Exposure,
    Cover,
    CoverMap,
    Threats,
    Obstacles,
    Volumes,
    Seeds,
    Findings,
    MeshDifferences,
    BakeVoxels,
    BakeFilters,
    BakeOpenSpace,
    BakeErosion,
    BakeRegions,
    BakeOutlines,
    BakeTiles,
    BakeHeights,
    NavCrowd,
    LevelWireframe,
    LevelOctree,
    LevelBox,
    InstanceBoxes,
    InstanceOctree,
    CollidingTriangles,
    /// Outline of what is selected.
    Selection,
    /// Handles on what is selected.
    Handles,
    Skeleton,
    CollisionSpheres,
    Interaction,
    InteractionView,
    InteractionCandidates,
    CollidingBoxes,
    SelectedBox,
    CollidingSpheres,
    SelectedSpheres,
    Legs,
    MotionTrajectories,
    Cameras,
    Zones,
    Grid,
}

impl Layer {
    /// Number of layers.
    pub const COUNT: usize = Self::Grid as usize + 1;

    fn bit(self) -> u64 {
        const { assert!(Self::COUNT <= u64::BITS as usize, "a bit for each layer") };
        1 << self as u32
    }
}

/// How a layer treats the geometry in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// Hidden behind geometry.
    Tested,
    /// Shown faintly behind geometry.
    Dimmed,
    /// Always on top.
    OnTop,
}

/// Linear RGBA, straight alpha, 0…1.
pub type Color = [f32; 4];

/// Width of a line where nothing else is said, in points on the display, however far away it lies.
pub const LINE_WIDTH: f32 = 2.2;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineStyle {
    /// Width in points.
    pub width: f32,
    /// How far it lies to the left of its ends as seen from the first, in points: lines along one segment lie side by side.
    pub shift: f32,
    /// Of a line of an even grid in the horizontal plane: distance to its neighbours in metres. The line fades where they come
    /// too close in the picture; 0 for all others.
    pub spacing: f32,
    /// How it treats the geometry in front of it, where it differs from its layer.
    pub depth: Option<Depth>,
}

impl Default for LineStyle {
    fn default() -> Self {
        Self { width: LINE_WIDTH, shift: 0.0, spacing: 0.0, depth: None }
    }
}

/// A coloured line in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugLine {
    /// Layer.
    pub layer: Layer,
    /// Ends in world space.
    pub ends: [Vec3; 2],
    /// Colour.
    pub color: Color,
    /// How it is drawn.
    pub style: LineStyle,
}

/// A coloured, filled triangle in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugTriangle {
    /// Layer.
    pub layer: Layer,
    /// Corners in world space.
    pub points: [Vec3; 3],
    /// Colour.
    pub color: Color,
}

/// A label at a world-space point.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugText {
    /// Layer.
    pub layer: Layer,
    /// Anchor in world space.
    pub at: Vec3,
    /// The label.
    pub text: String,
    /// Colour.
    pub color: Color,
}

/// Collects the debug geometry of one frame. Geometry of layers that are not wanted is dropped at once.
#[derive(Clone, Debug, Default)]
pub struct DebugDraw {
    wanted: u64,
    /// Lines, in order of drawing.
    pub lines: Vec<DebugLine>,
    /// Filled triangles, in order of drawing.
    pub triangles: Vec<DebugTriangle>,
    /// Labels.
    pub texts: Vec<DebugText>,
}

impl DebugDraw {
    /// A sink that takes the given layers.
    pub fn wanting(layers: impl IntoIterator<Item = Layer>) -> Self {
        let mut sink = Self::default();
        sink.restart(layers);
        sink
    }

    /// Empties the sink and sets the layers it takes; keeps its memory.
    pub fn restart(&mut self, layers: impl IntoIterator<Item = Layer>) {
        self.wanted = layers.into_iter().fold(0, |bits, layer| bits | layer.bit());
        self.lines.clear();
        self.triangles.clear();
        self.texts.clear();
    }

    /// Whether geometry of `layer` is taken: ask before computing anything dear.
    pub fn wants(&self, layer: Layer) -> bool {
        self.wanted & layer.bit() != 0
    }

    /// Adds a line. Lines with non-finite ends are dropped.
    pub fn line(&mut self, layer: Layer, from: Vec3, to: Vec3, color: Color) {
        self.styled_line(layer, [from, to], color, LineStyle::default());
    }

    /// Adds a line drawn in a style. Lines with non-finite ends are dropped.
    pub fn styled_line(&mut self, layer: Layer, ends: [Vec3; 2], color: Color, style: LineStyle) {
        if self.wants(layer) && ends.iter().all(|end| end.is_finite()) {
            self.lines.push(DebugLine { layer, ends, color, style });
        }
    }

    /// Adds a filled triangle. Triangles with non-finite corners are dropped.
    pub fn triangle(&mut self, layer: Layer, points: [Vec3; 3], color: Color) {
        if self.wants(layer) && points.iter().all(|p| p.is_finite()) {
            self.triangles.push(DebugTriangle { layer, points, color });
        }
    }

    /// Adds a label.
    pub fn text(&mut self, layer: Layer, at: Vec3, text: impl Into<String>, color: Color) {
        if self.wants(layer) && at.is_finite() {
            self.texts.push(DebugText { layer, at, text: text.into(), color });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_wanted_and_finite_geometry() {
        let mut d = DebugDraw::wanting([Layer::NavPath]);
        d.line(Layer::NavPath, Vec3::ZERO, Vec3::X, [1.0; 4]);
        d.line(Layer::NavPath, Vec3::NAN, Vec3::X, [1.0; 4]);
        d.line(Layer::NavGround, Vec3::ZERO, Vec3::X, [1.0; 4]);
        assert_eq!(d.lines.len(), 1);
        assert!(!d.wants(Layer::NavGround));
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Z];
        d.triangle(Layer::NavPath, corners, [1.0; 4]);
        d.triangle(Layer::NavPath, [Vec3::ZERO, Vec3::X, Vec3::INFINITY], [1.0; 4]);
        d.triangle(Layer::NavGround, corners, [1.0; 4]);
        assert_eq!(d.triangles.iter().map(|triangle| triangle.points).collect::<Vec<_>>(), [corners]);
        d.text(Layer::NavPath, Vec3::Y, "here", [1.0; 4]);
        d.text(Layer::NavPath, Vec3::NAN, "nowhere", [1.0; 4]);
        d.text(Layer::NavGround, Vec3::Y, "unwanted", [1.0; 4]);
        assert_eq!(d.texts.iter().map(|label| label.text.as_str()).collect::<Vec<_>>(), ["here"]);
        d.restart([Layer::NavGround]);
        assert!(d.lines.is_empty() && d.triangles.is_empty() && d.texts.is_empty() && d.wants(Layer::NavGround));
    }
}
