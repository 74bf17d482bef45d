//! What a scene says about navigation meshes: where its mesh comes from, what is placed on it, by which planner its
//! characters walk, and the path that the workbench tries.

use super::barred_cells::BarredCells;
use super::extra::Extra;
use crate::debug::shapes;
use crate::nav::bake::BakeSettings;
use crate::nav::exchange::MeshPlacement;
use crate::nav::mesh::Filter;
use crate::nav::planner::Planner;
use crate::nav::search::strategy::SearchStrategy;
use crate::nav::tactical::{Biases, Marks, Markup, TacticalQuery};
use glam::{Quat, Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// Where the navigation mesh comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeshSource {
    /// The level's own walkable triangles, by the `shared` rule; what earlier files call `none`.
    #[default]
    #[serde(alias = "none")]
    Triangles,
    /// Baked from the level.
    Baked,
    /// The meshes called `navmesh` in the level's files.
    Level,
    /// A saved mesh (`.navmesh`) or a JSON mesh, named as models are.
    File(String),
}

/// An upright convex hindrance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObstacleShape {
    /// A box that stands on `base`, the middle of its lower side.
    Box {
        /// Middle of the lower side, world space.
        base: Vec3,
        /// Width, height and depth, metres.
        size: Vec3,
        /// Turn about the up axis, degrees.
        yaw_deg: f32,
    },
    /// A cylinder.
    Cylinder {
        /// Middle of the lower disk, world space.
        base: Vec3,
        /// Radius, metres.
        radius: f32,
        /// Height, metres.
        height: f32,
    },
    /// An upright prism.
    Prism {
        /// Where it stands, world space; its outline counts from here.
        base: Vec3,
        /// Corners of its convex outline, x and z, counter-clockwise in that plane, metres.
        outline: Vec<Vec2>,
        /// Height, metres.
        height: f32,
    },
}

impl ObstacleShape {
    /// Middle of the lower side, world space.
    pub fn base(&self) -> Vec3 {
        match self {
            Self::Box { base, .. } | Self::Cylinder { base, .. } | Self::Prism { base, .. } => *base,
        }
    }

    /// Outline of the lower side in world space, and the height.
    pub fn outline(&self) -> (Vec<Vec3>, f32) {
        match self {
            Self::Cylinder { base, radius, height } => (shapes::rim(*base, *radius, 24), *height),
            Self::Prism { base, outline, height } => {
                (outline.iter().map(|p| *base + Vec3::new(p.x, 0.0, p.y)).collect(), *height)
            }
            Self::Box { base, size, yaw_deg } => {
                let turn = Quat::from_rotation_y(yaw_deg.to_radians());
                let corner = |x: f32, z: f32| *base + turn * Vec3::new(size.x * x, 0.0, size.z * z);
                (vec![corner(-0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5), corner(0.5, -0.5)], size.y)
            }
        }
    }

    /// Where it stands, to be changed.
    pub fn base_mut(&mut self) -> &mut Vec3 {
        match self {
            Self::Box { base, .. } | Self::Cylinder { base, .. } | Self::Prism { base, .. } => base,
        }
    }
}

/// Something in the way; a door when it can be opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlacedObstacle {
    /// Its shape.
    pub shape: ObstacleShape,
    /// Whether it is away: an open door.
    #[serde(default)]
    pub open: bool,
}

/// What designers say about ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// One gets on slowly: mud, undergrowth.
    Slow,
    /// For amphibious characters alone: deep water.
    Amphibious,
    /// A character in it is less exposed: bushes, smoke.
    Cover,
    /// Unsafe whether anyone is in sight or not.
    Vulnerable,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Slow, Self::Amphibious, Self::Cover, Self::Vulnerable];
}

impl From<Mark> for Marks {
    fn from(mark: Mark) -> Self {
        match mark {
            Mark::Slow => Self::SLOW,
            Mark::Amphibious => Self::AMPHIBIOUS,
            Mark::Cover => Self::COVER,
            Mark::Vulnerable => Self::VULNERABLE,
        }
    }
}

/// What the ground of an area is like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct AreaRule {
    /// The area, 0 to 63, as volumes give it to polygons.
    pub area: u8,
    /// What a metre on it costs by planners that weigh areas, at least 1.
    pub cost: f32,
    /// What the tactical planner weighs besides.
    pub marks: Vec<Mark>,
}

/// Factor on ground that a crowd may not walk on, and must be able to leave.
const FORBIDDING: f32 = 1000.0;

impl AreaRule {
    /// Its marks together.
    fn all_marks(&self) -> Marks {
        self.marks.iter().fold(Marks::NONE, |all, &mark| all | mark.into())
    }
}

impl Default for AreaRule {
    fn default() -> Self {
        Self { area: 0, cost: 1.0, marks: Vec::new() }
    }
}

/// How characters weigh marked ground: factors on the cost of a metre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct MarkWeights {
    /// On slow ground, at least 1.
    pub slow: f32,
    /// On ground for amphibious characters, at least 1; `None` for all others.
    pub amphibious: Option<f32>,
    /// On ground that provides cover: below 1 they look for it even where no enemy is known.
    pub cover: f32,
    /// How much of the exposure ground that provides cover takes away: 0 nothing, 1 all.
    pub concealment: f32,
    /// On unsafe ground, at least 1.
    pub vulnerable: f32,
}

impl Default for MarkWeights {
    fn default() -> Self {
        let Biases { slow, amphibious, cover, concealment, vulnerable, .. } = Biases::default();
        Self { slow, amphibious, cover, concealment, vulnerable }
    }
}

/// How it is judged what enemies see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct SightRule {
    /// Whether heights count: from a roof one sees over a wall, and floors hide a character above or below. Else all behind
    /// a wall is hidden, however far and high.
    pub heights: bool,
    /// Whether characters duck, so that walls up to the waist hide them.
    pub ducked: bool,
}

/// A path that the workbench tries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Probe {
    /// Where it starts, world space.
    pub start: Option<Vec3>,
    /// Where it ends.
    pub end: Option<Vec3>,
    /// Where the raycast starts.
    pub ray_start: Option<Vec3>,
    /// Where it is to lead.
    pub ray_end: Option<Vec3>,
    /// Where the distance to the nearest wall is measured from.
    pub wall_from: Option<Vec3>,
    /// Middle of the random places.
    pub around: Option<Vec3>,
    /// Planner that finds it.
    pub planner: Planner,
    /// Planner whose path is laid over it.
    pub beside: Option<Planner>,
    /// How the planner `centers` searches it.
    pub search: SearchStrategy,
    /// How it searches the path that is laid over it.
    pub beside_search: SearchStrategy,
    /// Distance to keep from the edges of the mesh, metres.
    pub radius: f32,
    /// Whether exact planners measure lengths along the surface, not as seen from above.
    pub along_surface: bool,
    /// How many random places are shown.
    pub random: u32,
    /// How far they lie from their middle, metres; 0 for anywhere on the mesh.
    pub reach: f32,
    /// Begin of the random numbers: the same number gives the same places.
    pub seed: u32,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            start: None,
            end: None,
            ray_start: None,
            ray_end: None,
            wall_from: None,
            around: None,
            planner: Planner::Funnel,
            beside: None,
            search: SearchStrategy::default(),
            beside_search: SearchStrategy::default(),
            radius: 0.0,
            along_surface: false,
            random: 0,
            reach: 0.0,
            seed: 0,
        }
    }
}

/// Agents without models that walk over the mesh, to see how a crowd gets through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlacedCrowd {
    /// Around which place they start, world space.
    pub from: Vec3,
    /// Where they walk to.
    pub to: Vec3,
    /// How many.
    pub count: u32,
    /// Radius of each, metres.
    pub radius: f32,
    /// Distance of each one's middle from walls, metres: 0 on a mesh that was baked for the radius.
    pub clearance: f32,
    /// Full speed, metres per second.
    pub speed: f32,
    /// Whether agents that have arrived walk back again.
    pub there_and_back: bool,
}

impl Default for PlacedCrowd {
    fn default() -> Self {
        Self {
            from: Vec3::ZERO,
            to: Vec3::ZERO,
            count: 20,
            radius: 0.25,
            clearance: 0.0,
            speed: 1.4,
            there_and_back: true,
        }
    }
}

/// How characters walk bends of ways over a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bends {
    /// By arcs of the turn radius, with straight legs between.
    #[default]
    Arcs,
    /// By a spline through the corners of the way, which is nowhere straight.
    Spline,
}

/// Everything about navigation meshes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SceneNav {
    /// Where the mesh comes from.
    pub mesh: MeshSource,
    /// How the mesh of a file is turned and scaled, on top of what its format says.
    pub mesh_placement: MeshPlacement,
    /// How it is baked, with volumes, seeds and links placed by hand.
    pub bake: BakeSettings,
    /// Planner by which characters find their ways.
    pub planner: Planner,
    /// How the planner `centers` searches.
    pub search: SearchStrategy,
    /// Whether exact planners measure lengths along the surface, not as seen from above.
    pub along_surface: bool,
    /// How they walk bends.
    pub bends: Bends,
    /// Radius of the arcs by which they turn where there is room, metres; 0 for sharp bends.
    pub turn_radius: f32,
    /// What is in the way.
    pub obstacles: Vec<PlacedObstacle>,
    /// Places on polygons of the mesh that no agent may walk on, world space.
    pub barred: Vec<Vec3>,
    /// Cells of ground that no path crosses.
    pub barred_cells: BarredCells,
    /// Crowds that try the mesh.
    pub crowds: Vec<PlacedCrowd>,
    /// Places on the ground, world space, where cover was destroyed: what passes them nearby hides no character any more.
    pub destroyed: Vec<Vec3>,
    /// Enemies, world space: where their feet are.
    pub threats: Vec<Vec3>,
    /// How it is judged what they see.
    pub sight: SightRule,
    /// How much dearer a metre is that all enemies see.
    pub bias: f32,
    /// A tactical search that expands more nodes than this per node of its way is called excessive.
    pub excessive_ratio: f32,
    /// What the areas of the mesh are like, those that are not as by default.
    pub areas: Vec<AreaRule>,
    /// How characters weigh marked ground.
    pub weights: MarkWeights,
    /// The path that is tried.
    pub probe: Probe,
    /// Keys that this version does not know, with their values as YAML; saved again.
    #[serde(skip)]
    pub extra: Extra,
}

impl Default for SceneNav {
    fn default() -> Self {
        Self {
            mesh: MeshSource::Triangles,
            mesh_placement: MeshPlacement::default(),
            bake: BakeSettings {
                cell_size: 0.15,
                cell_height: 0.1,
                agent_radius: 0.3,
                agent_climb: 0.4,
                agent_height: 1.8,
                ..BakeSettings::default()
            },
            planner: Planner::Funnel,
            search: SearchStrategy::default(),
            along_surface: false,
            bends: Bends::Arcs,
            turn_radius: 0.4,
            obstacles: Vec::new(),
            barred: Vec::new(),
            barred_cells: BarredCells::default(),
            crowds: Vec::new(),
            destroyed: Vec::new(),
            threats: Vec::new(),
            sight: SightRule::default(),
            bias: 4.0,
            excessive_ratio: TacticalQuery::EXCESSIVE,
            areas: Vec::new(),
            weights: MarkWeights::default(),
            probe: Probe::default(),
            extra: Extra::new(),
        }
    }
}

impl SceneNav {
    /// The planners that the scene's characters and its test path use.
    pub fn planners(&self) -> impl Iterator<Item = Planner> {
        [self.planner, self.probe.planner].into_iter().chain(self.probe.beside)
    }

    /// Everything may be walked on, at the costs of its areas.
    pub fn filter(&self) -> Filter {
        let mut filter = Filter::default();
        for rule in &self.areas {
            filter.cost[usize::from(rule.area) % filter.cost.len()] = rule.cost;
        }
        filter
    }

    /// As [`filter`](Self::filter), with the marks in the costs: for crowds, whose searches know costs alone. Ground for
    /// amphibious agents costs all others so much that they cross it only where no other way leads.
    pub fn crowd_filter(&self) -> Filter {
        let (mut filter, biases) = (self.filter(), self.biases());
        for rule in &self.areas {
            let factor = biases.factor(rule.all_marks()).min(FORBIDDING);
            filter.cost[usize::from(rule.area) % filter.cost.len()] *= factor;
        }
        // Ways are chosen by ratios; none below 1 keeps the search's estimate a lower bound.
        let least = filter.cost.iter().copied().fold(1.0, f32::min);
        filter.cost.iter_mut().for_each(|cost| *cost /= least);
        filter
    }

    /// The marks of the areas; `None` where nothing is marked.
    pub fn markup(&self) -> Option<Markup> {
        let is_marked = self.areas.iter().any(|rule| !rule.marks.is_empty());
        is_marked.then(|| Markup::from_areas(self.areas.iter().map(|rule| (rule.area, rule.all_marks()))))
    }

    /// How characters weigh what enemies see and what is marked.
    pub fn biases(&self) -> Biases {
        let MarkWeights { slow, amphibious, cover, concealment, vulnerable } = self.weights;
        let scaled = cover < 1.0;
        Biases { exposure: self.bias, slow, amphibious, cover, concealment, vulnerable, scaled }
    }
}
