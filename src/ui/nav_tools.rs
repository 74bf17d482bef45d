//! The tools of the navigation workbench: what a click or drag into the picture does to the scene.
//!
//! A tool turns a gesture (press, drag, release) at a point of the ground into a new [`SceneNav`]; all edits of one
//! gesture carry one merge key, so that they are one step of the history.

pub mod answer;
mod brush;
mod item;
mod tile;
mod tools;

pub use item::{ItemShape, PlacedItem};
pub use tile::toggled;
pub use tools::{TOOLS, Tool, ToolInfo};

use super::command::EditStep;
use super::edits;
use crate::debug::Layer;
use crate::math::{Ray, hull};
use crate::nav::bake::{Volume, VolumeShape};
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::scene::SceneNav;
use crate::scene::limits::MAX_OUTLINE;
use crate::scene::nav::{MeshSource, ObstacleShape, PlacedCrowd, PlacedObstacle};
use glam::{Vec2, Vec3, Vec3Swizzles};
use item::shift_volume;
use std::collections::BTreeSet;

/// Size of the first box, metres.
pub const OBSTACLE: Vec3 = Vec3::new(2.0, 1.5, 1.0);
/// Radius and height of the first cylinder, metres.
pub const COLUMN: [f32; 2] = [0.7, 1.5];
/// Size of the first box of a volume, metres.
pub const VOLUME: Vec3 = Vec3::new(3.0, 2.5, 3.0);
/// Radius and height of the first cylinder of a volume, metres.
pub const POOL: [f32; 2] = [1.5, 2.5];
/// Radius of the brush at first, metres.
pub const BRUSH: f32 = 0.5;
/// How far a volume reaches into the ground, metres.
pub const SUNK: Vec3 = Vec3::new(0.0, -0.5, 0.0);

/// What is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grab {
    item: PlacedItem,
    /// Where the ground was under the cursor when it was last moved.
    at: Vec3,
}

/// What the workbench remembers between frames.
#[derive(Clone, Debug, PartialEq)]
pub struct NavTools {
    /// What clicks do.
    pub tool: Tool,
    /// What was placed or touched last.
    pub picked: Option<PlacedItem>,
    /// Where a link or a crowd begins whose end is not placed yet.
    pub joint: Option<Vec3>,
    /// Corners of the outline that is being drawn, on the ground, world space.
    pub outline: Vec<Vec3>,
    /// Whether the next obstacle or volume has an outline that is drawn.
    pub draws: bool,
    /// The next crowd; its places do not matter.
    pub crowd: PlacedCrowd,
    /// Shape of the next obstacle; its place does not matter.
    pub obstacle: ObstacleShape,
    /// Shape of the next volume; its place does not matter.
    pub volume: VolumeShape,
    /// Area of the next volume; `None` for unwalkable.
    pub area: Option<u8>,
    /// Whether the next link can be taken backwards.
    pub both_ways: bool,
    /// How the next link is taken.
    pub link_kind: LinkKind,
    /// Radius of the brush that bars ground, metres; `None` bars whole polygons.
    pub brush: Option<f32>,
    /// Where the brush was last.
    stroke: Option<Vec3>,
    /// Whether a drag leads the characters that its press has sent.
    pub leads: bool,
    /// Whether the search goes on by itself.
    pub search_runs: bool,
    /// Number of the tile under the cursor.
    pub tile: Option<usize>,
    /// Why the last click did nothing.
    pub missed: Option<&'static str>,
    grab: Option<Grab>,
    /// Overlays of the tool that were switched off while it is chosen.
    hidden: BTreeSet<Layer>,
}

impl Default for NavTools {
    fn default() -> Self {
        Self {
            tool: Tool::None,
            picked: None,
            joint: None,
            outline: Vec::new(),
            draws: false,
            crowd: PlacedCrowd::default(),
            obstacle: ObstacleShape::Box { base: Vec3::ZERO, size: OBSTACLE, yaw_deg: 0.0 },
            volume: VolumeShape::Box {
                min: SUNK - VOLUME.with_y(0.0) * 0.5,
                max: SUNK + VOLUME * Vec3::new(0.5, 1.0, 0.5),
            },
            area: Some(1),
            both_ways: true,
            link_kind: LinkKind::Placed,
            brush: Some(BRUSH),
            stroke: None,
            leads: false,
            search_runs: false,
            tile: None,
            missed: None,
            grab: None,
            hidden: BTreeSet::new(),
        }
    }
}

/// An upright prism that is being drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPrism {
    /// Convex outline seen from above, world space.
    pub outline: Vec<Vec2>,
    /// Height of its lower side, world space.
    pub low: f32,
    /// Height of its upper side.
    pub high: f32,
}

/// How a gesture goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gesture {
    /// The button went down.
    Press {
        /// Through the cursor.
        ray: Ray,
        /// Whether Shift is held.
        shift: bool,
    },
    /// It is held.
    Drag,
    /// It went up.
    Release,
}

/// Farthest drag of a press that still counts as a click, metres.
const CLICK_REACH: f32 = 0.6;
/// How near to the first corner a click closes an outline, metres.
const CLOSING_REACH: f32 = 0.5;
/// How far the ends of a link may lie from the mesh, metres.
const LINK_REACH: f32 = 1.0;

impl NavTools {
    /// Chooses a tool, or leaves it when it is chosen already.
    pub fn choose(&mut self, tool: Tool) {
        self.tool = if self.tool == tool { Tool::None } else { tool };
        (self.joint, self.grab, self.missed, self.tile) = (None, None, None, None);
        self.outline.clear();
        self.hidden.clear();
        if self.picked.is_some_and(|p| p.tool() != self.tool) {
            self.picked = None;
        }
    }

    /// Lets go of what names something of the scene by its place in a list, and of what is half done: the lists are others now.
    pub fn forget_places(&mut self) {
        (self.picked, self.joint, self.grab, self.missed, self.tile) = (None, None, None, None, None);
        (self.stroke, self.search_runs, self.leads) = (None, false, false);
        self.outline.clear();
    }

    /// Lets go of what is dragged or painted: the button went up where there is no ground, or down.
    pub fn let_go(&mut self) {
        (self.grab, self.stroke) = (None, None);
    }

    /// The overlays that the tool needs: they are shown as long as it is chosen.
    pub fn overlays(&self) -> &'static [Layer] {
        self.tool.info().map_or(&[], |info| info.overlays)
    }

    /// The overlays that the tool shows, beside those that are on anyway.
    pub fn shown(&self) -> impl Iterator<Item = Layer> + '_ {
        self.overlays().iter().copied().filter(|layer| !self.hidden.contains(layer))
    }

    /// Shows or hides an overlay of the tool, until another is chosen.
    pub fn show(&mut self, layer: Layer, on: bool) {
        if on {
            self.hidden.remove(&layer);
        } else if self.overlays().contains(&layer) {
            self.hidden.insert(layer);
        }
    }

    /// What a gesture over the ground at `at` asks for.
    pub fn act(&mut self, nav: &SceneNav, gesture: Gesture, at: Vec3) -> Option<EditStep> {
        match gesture {
            Gesture::Press { ray, shift } => self.press(nav, &ray, shift, at),
            Gesture::Drag => {
                let grab = self.grab.as_mut()?;
                let by = at - std::mem::replace(&mut grab.at, at);
                let (item, mut to) = (grab.item, nav.clone());
                if by == Vec3::ZERO {
                    return None;
                }
                item.shift(&mut to, by)?;
                Some(step(format!("move {}", item.label()), to))
            }
            Gesture::Release => {
                self.grab = None;
                let from = self.joint.filter(|from| from.distance(at) > CLICK_REACH)?;
                self.joint = None;
                Some(self.join(nav, from, at))
            }
        }
    }

    fn press(&mut self, nav: &SceneNav, ray: &Ray, shift: bool, at: Vec3) -> Option<EditStep> {
        self.grab = None;
        let mut to = nav.clone();
        let reach = ray.origin.distance(at) + 1.0;
        if self.is_drawing() && !self.outline.is_empty() {
            return self.corner(nav, at);
        }
        if let Some(item) = self.under(nav, ray, reach).filter(|_| !shift && self.joint.is_none()) {
            (self.picked, self.grab) = (Some(item), Some(Grab { item, at }));
            return None;
        }
        let place = |what: PlacedItem| format!("place {}", what.label());
        let item = match self.tool {
            Tool::None | Tool::Send | Tool::Block | Tool::Tile => return None,
            Tool::Obstacle | Tool::Volume if self.draws => return self.corner(nav, at),
            Tool::Path if shift || nav.probe.start.is_none() => {
                to.probe.start = Some(at);
                PlacedItem::Start
            }
            Tool::Path => {
                to.probe.end = Some(at);
                PlacedItem::End
            }
            Tool::Raycast if shift || nav.probe.ray_start.is_none() => {
                to.probe.ray_start = Some(at);
                PlacedItem::RayStart
            }
            Tool::Raycast => {
                to.probe.ray_end = Some(at);
                PlacedItem::RayEnd
            }
            Tool::Wall => {
                to.probe.wall_from = Some(at);
                PlacedItem::WallFrom
            }
            Tool::Random => {
                to.probe.around = Some(at);
                to.probe.seed = to.probe.seed.wrapping_add(1);
                if to.probe.random == 0 {
                    (to.probe.random, to.probe.reach) = (100, 8.0);
                }
                PlacedItem::Around
            }
            Tool::Threat => {
                to.threats.push(at);
                PlacedItem::Threat(nav.threats.len())
            }
            Tool::Destroy => {
                to.destroyed.push(at);
                PlacedItem::Destroyed(nav.destroyed.len())
            }
            Tool::Obstacle => {
                let mut shape = self.obstacle.clone();
                *shape.base_mut() = at;
                to.obstacles.push(PlacedObstacle { shape, open: false });
                PlacedItem::Obstacle(nav.obstacles.len())
            }
            Tool::Volume => {
                let mut shape = self.volume.clone();
                shift_volume(&mut shape, at);
                to.bake.volumes.push(Volume { shape, area: self.area });
                PlacedItem::Volume(nav.bake.volumes.len())
            }
            Tool::Seed => {
                to.bake.seeds.push(at.as_dvec3());
                PlacedItem::Seed(nav.bake.seeds.len())
            }
            Tool::Link | Tool::Crowd => {
                let from = self.joint.take();
                if from.is_none() {
                    self.joint = Some(at);
                }
                return from.filter(|from| *from != at).map(|from| self.join(nav, from, at));
            }
        };
        (self.picked, self.grab) = (Some(item), Some(Grab { item, at }));
        Some(step(place(item), to))
    }

    /// Whether clicks draw an outline.
    pub fn is_drawing(&self) -> bool {
        self.draws && matches!(self.tool, Tool::Obstacle | Tool::Volume)
    }

    /// Adds a corner to the outline; a click on the first one closes it.
    fn corner(&mut self, nav: &SceneNav, at: Vec3) -> Option<EditStep> {
        if self.outline.first().is_some_and(|first| self.outline.len() > 2 && first.distance(at) < CLOSING_REACH) {
            return self.close_outline(nav);
        }
        if self.outline.len() < MAX_OUTLINE {
            self.outline.push(at);
        }
        None
    }

    /// What the outline's corners span and how far it reaches up and down: their convex hull, from the lowest corner to
    /// above the highest. `None` where it has no area.
    pub fn drawn(&self) -> Option<DrawnPrism> {
        let outline = hull::convex(&self.outline.iter().map(|p| p.xz()).collect::<Vec<_>>());
        let low = self.outline.iter().map(|p| p.y).reduce(f32::min)?;
        let high = self.outline.iter().map(|p| p.y).fold(low, f32::max);
        let [below, above] = if self.tool == Tool::Obstacle {
            [0.0, obstacle_height(&self.obstacle)]
        } else {
            volume_heights(&self.volume)
        };
        (outline.len() >= 3).then_some(DrawnPrism { outline, low: low + below, high: high + above })
    }

    /// Places what the outline's corners span. Nothing when it has no area; it is forgotten in any case.
    pub fn close_outline(&mut self, nav: &SceneNav) -> Option<EditStep> {
        let drawn = self.drawn();
        self.outline.clear();
        let DrawnPrism { outline, low, high } = drawn?;
        let mut to = nav.clone();
        let item = if self.tool == Tool::Obstacle {
            let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
            let outline = outline.into_iter().map(|p| p - middle).collect();
            let shape = ObstacleShape::Prism { base: Vec3::new(middle.x, low, middle.y), outline, height: high - low };
            to.obstacles.push(PlacedObstacle { shape, open: false });
            PlacedItem::Obstacle(nav.obstacles.len())
        } else {
            let shape = VolumeShape::Convex { outline, low, high };
            to.bake.volumes.push(Volume { shape, area: self.area });
            PlacedItem::Volume(nav.bake.volumes.len())
        };
        self.picked = Some(item);
        Some(edits::nav_step(format!("place {}", item.label()), None, to))
    }

    /// Bars a polygon by a place on it, or lets through again where `known` says which place bars it.
    pub fn switch(&mut self, nav: &SceneNav, known: Option<usize>, center: Vec3) -> EditStep {
        let mut to = nav.clone();
        let name = if let Some(known) = known.filter(|i| *i < nav.barred.len()) {
            to.barred.remove(known);
            "let through a polygon"
        } else {
            to.barred.push(center);
            "block a polygon"
        };
        edits::nav_step(name, None, to)
    }

    /// Places what the tool lays between two places.
    fn join(&mut self, nav: &SceneNav, from: Vec3, end: Vec3) -> EditStep {
        let mut to = nav.clone();
        if self.tool == Tool::Crowd {
            // A baked mesh keeps off walls by itself.
            let clearance = if nav.mesh == MeshSource::Baked { 0.0 } else { self.crowd.radius };
            to.crowds.push(PlacedCrowd { from, to: end, clearance, ..self.crowd.clone() });
            let item = PlacedItem::CrowdGoal(nav.crowds.len());
            self.picked = Some(item);
            return step(format!("place {}", item.whole()), to);
        }
        let number = to.bake.placed_links.len();
        to.bake.placed_links.push(PlacedLink {
            both_ways: self.both_ways && self.link_kind != LinkKind::Drop,
            ..PlacedLink::new(self.link_kind, [from.as_dvec3(), end.as_dvec3()], LINK_REACH)
        });
        self.picked = Some(PlacedItem::LinkEnd(number));
        step(format!("place link {}", number + 1), to)
    }

    /// The placed thing of the tool's kind that the ray meets first within `reach` metres.
    pub fn under(&self, nav: &SceneNav, ray: &Ray, reach: f32) -> Option<PlacedItem> {
        let all: Vec<PlacedItem> = match self.tool {
            Tool::None | Tool::Send | Tool::Wall | Tool::Random | Tool::Block | Tool::Tile => Vec::new(),
            Tool::Path => vec![PlacedItem::Start, PlacedItem::End],
            Tool::Raycast => vec![PlacedItem::RayStart, PlacedItem::RayEnd],
            Tool::Threat => (0..nav.threats.len()).map(PlacedItem::Threat).collect(),
            Tool::Destroy => (0..nav.destroyed.len()).map(PlacedItem::Destroyed).collect(),
            Tool::Obstacle => (0..nav.obstacles.len()).map(PlacedItem::Obstacle).collect(),
            Tool::Volume => (0..nav.bake.volumes.len()).map(PlacedItem::Volume).collect(),
            Tool::Link => {
                let links = 0..nav.bake.placed_links.len();
                links.flat_map(|i| [PlacedItem::LinkStart(i), PlacedItem::LinkEnd(i)]).collect()
            }
            Tool::Seed => (0..nav.bake.seeds.len()).map(PlacedItem::Seed).collect(),
            Tool::Crowd => {
                (0..nav.crowds.len()).flat_map(|i| [PlacedItem::CrowdStart(i), PlacedItem::CrowdGoal(i)]).collect()
            }
        };
        let enter = |item: PlacedItem| Some((item.shape(nav)?.enter(ray)?, item));
        let met = all.into_iter().filter_map(enter).filter(|met| met.0 <= reach);
        met.min_by(|a, b| a.0.total_cmp(&b.0)).map(|met| met.1)
    }

    /// What was picked, while a tool is chosen: what Del means then.
    pub fn picked_with_tool(&self, nav: &SceneNav) -> Option<PlacedItem> {
        self.picked.filter(|item| self.tool != Tool::None && item.shape(nav).is_some())
    }

    /// Removes a placed thing.
    pub fn remove(&mut self, nav: &SceneNav, item: PlacedItem) -> Option<EditStep> {
        (self.picked, self.grab) = (None, None);
        let mut to = nav.clone();
        item.remove(&mut to)?;
        Some(edits::nav_step(format!("remove {}", item.whole()), None, to))
    }
}

/// Height of the next obstacle, metres.
fn obstacle_height(shape: &ObstacleShape) -> f32 {
    match shape {
        ObstacleShape::Box { size, .. } => size.y,
        ObstacleShape::Cylinder { height, .. } | ObstacleShape::Prism { height, .. } => *height,
    }
}

/// How far the next volume reaches below and above the ground, metres.
fn volume_heights(shape: &VolumeShape) -> [f32; 2] {
    match shape {
        VolumeShape::Box { min, max } => [min.y, max.y],
        VolumeShape::Cylinder { base, height, .. } => [base.y, base.y + height],
        VolumeShape::Convex { low, high, .. } => [*low, *high],
    }
}

/// Edits of one gesture are one step: releasing the button seals it.
fn step(name: String, to: SceneNav) -> EditStep {
    edits::nav_step(name, Some("gesture"), to)
}
