//! The tools of the navigation workbench: what a click or drag into the picture does to the scene.
//!
//! A tool turns a gesture (press, drag, release) at a point of the ground into a new [`SceneNav`]; all edits of one
//! gesture carry one merge key, so that they are one step of the history.

use super::command::{Command, EditStep};
use super::edits;
use crate::math::{Aabb, Ray};
use crate::nav::bake::{Volume, VolumeShape};
use crate::nav::mesh::links::{LinkKind, PlacedLink};
use crate::scene::SceneNav;
use crate::scene::nav::{MeshSource, ObstacleShape, PlacedCrowd, PlacedObstacle};
use crate::sim::placed::{obstacle_outline, volume_outline};
use glam::{Vec2, Vec3};

/// What a click into the picture does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Selects instances.
    #[default]
    None,
    /// Start and end of the tried path.
    Path,
    /// The same, for the straight way.
    Raycast,
    /// Where the distance to a wall is asked.
    Wall,
    /// Where random places lie around.
    Random,
    /// Places enemies.
    Threat,
    /// Places obstacles and doors.
    Obstacle,
    /// Places volumes that mark areas.
    Volume,
    /// Places links.
    Link,
    /// Places seeds of islands that are kept.
    Seed,
    /// Sends crowds from one place to another.
    Crowd,
}

impl Tool {
    /// Whether what it places joins two places.
    pub fn joins(self) -> bool {
        matches!(self, Self::Link | Self::Crowd)
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
    /// Overlays that go on with it.
    pub overlays: &'static [&'static str],
}

const fn row(
    tool: Tool,
    label: &'static str,
    help: &'static str,
    hint: &'static str,
    overlays: &'static [&'static str],
) -> ToolInfo {
    ToolInfo { tool, label, help, hint, overlays }
}

/// All tools but the selection.
pub const TOOLS: &[ToolInfo] = &[
    row(
        Tool::Path,
        "Path",
        "Try a path between two places.",
        "Click: start, then end · Shift+click: start · drag: move",
        &["tried-path", "nav-mesh"],
    ),
    row(
        Tool::Raycast,
        "Raycast",
        "See how far a straight way is free.",
        "Click: start, then end · Shift+click: start · drag: move",
        &["raycast", "nav-mesh"],
    ),
    row(
        Tool::Wall,
        "Wall distance",
        "Measure the distance to the nearest wall.",
        "Click or drag: where to measure from",
        &["wall-distance", "walls", "nav-mesh"],
    ),
    row(
        Tool::Random,
        "Random",
        "Draw random places around a point.",
        "Click: draw random points around here · drag: move the middle",
        &["random-points", "nav-mesh"],
    ),
    row(
        Tool::Threat,
        "Threat",
        "Place enemies from whom the tactical planner hides.",
        "Click: place a threat · drag one: move it · Del: remove",
        &["threats", "tried-path", "exposure"],
    ),
    row(
        Tool::Obstacle,
        "Obstacle",
        "Place boxes, cylinders and doors in the way.",
        "Click: place an obstacle · drag one: move it · Del: remove",
        &["obstacles", "nav-mesh", "tried-path"],
    ),
    row(
        Tool::Volume,
        "Volume",
        "Mark ground as another area, or as unwalkable; acts on baked meshes.",
        "Click: place a volume · drag one: move it · Del: remove",
        &["volumes", "nav-mesh"],
    ),
    row(
        Tool::Link,
        "Link",
        "Join two places by a jump, a ladder, a door.",
        "Click: where a link begins, then where it ends · drag an end: move it · Del: remove",
        &["nav-links", "nav-mesh"],
    ),
    row(
        Tool::Seed,
        "Seed",
        "Keep the islands that hold a seed, prune the others; acts on baked meshes.",
        "Click: place a seed on an island to keep · drag one: move it · Del: remove",
        &["seeds", "nav-mesh"],
    ),
    row(
        Tool::Crowd,
        "Crowd",
        "Send agents from one place to another, and see whether they jam.",
        "Click: where a crowd starts, then its goal · drag an end: move it · Del: remove",
        &["nav-crowd", "nav-mesh"],
    ),
];

impl Tool {
    /// Its row; the selection has none.
    pub fn info(self) -> Option<&'static ToolInfo> {
        TOOLS.iter().find(|row| row.tool == self)
    }
}

/// Something that was placed, by its place in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// Start of the tried path.
    Start,
    /// Its end.
    End,
    /// An enemy.
    Threat(usize),
    /// An obstacle.
    Obstacle(usize),
    /// A volume.
    Volume(usize),
    /// The begin of a link.
    LinkStart(usize),
    /// The end of a link.
    LinkEnd(usize),
    /// A seed.
    Seed(usize),
    /// Where a crowd starts.
    CrowdStart(usize),
    /// Where it walks to.
    CrowdGoal(usize),
}

impl Thing {
    /// What people call it.
    pub fn label(self) -> String {
        match self {
            Self::Start => "the start".into(),
            Self::End => "the end".into(),
            Self::Threat(i) => format!("threat {}", i + 1),
            Self::Obstacle(i) => format!("obstacle {}", i + 1),
            Self::Volume(i) => format!("volume {}", i + 1),
            Self::LinkStart(i) => format!("the start of link {}", i + 1),
            Self::LinkEnd(i) => format!("the end of link {}", i + 1),
            Self::Seed(i) => format!("seed {}", i + 1),
            Self::CrowdStart(i) => format!("the start of crowd {}", i + 1),
            Self::CrowdGoal(i) => format!("the goal of crowd {}", i + 1),
        }
    }

    /// What people call the whole of which it may be an end.
    pub fn whole(self) -> String {
        match self {
            Self::LinkStart(i) | Self::LinkEnd(i) => format!("link {}", i + 1),
            Self::CrowdStart(i) | Self::CrowdGoal(i) => format!("crowd {}", i + 1),
            other => other.label(),
        }
    }

    /// The tool that places its kind.
    pub fn tool(self) -> Tool {
        match self {
            Self::Start | Self::End => Tool::Path,
            Self::Threat(_) => Tool::Threat,
            Self::Obstacle(_) => Tool::Obstacle,
            Self::Volume(_) => Tool::Volume,
            Self::LinkStart(_) | Self::LinkEnd(_) => Tool::Link,
            Self::Seed(_) => Tool::Seed,
            Self::CrowdStart(_) | Self::CrowdGoal(_) => Tool::Crowd,
        }
    }

    /// Box around it; `None` when it is not there.
    pub fn bounds(self, nav: &SceneNav) -> Option<Aabb> {
        let person = |at: Vec3, half: f32, height: f32| {
            Aabb::new(at - Vec3::new(half, 0.1, half), at + Vec3::new(half, height, half))
        };
        let prism = |(outline, height): (Vec<Vec3>, f32)| {
            let bounds = Aabb::from_points(outline);
            Aabb::new(bounds.min, bounds.max + Vec3::Y * height)
        };
        let link = |i: usize| nav.bake.placed_links.get(i);
        Some(match self {
            Self::Start => person(nav.probe.start?, 0.3, 1.4),
            Self::End => person(nav.probe.end?, 0.3, 1.4),
            Self::Threat(i) => person(*nav.threats.get(i)?, 0.4, 1.8),
            Self::Obstacle(i) => prism(obstacle_outline(&nav.obstacles.get(i)?.shape)),
            Self::Volume(i) => prism(volume_outline(&nav.bake.volumes.get(i)?.shape)),
            Self::LinkStart(i) => person(link(i)?.start.as_vec3(), 0.35, 0.5),
            Self::LinkEnd(i) => person(link(i)?.end.as_vec3(), 0.35, 0.5),
            Self::Seed(i) => person(nav.bake.seeds.get(i)?.as_vec3(), 0.3, 1.0),
            Self::CrowdStart(i) => person(nav.crowds.get(i)?.from, 0.4, 0.6),
            Self::CrowdGoal(i) => person(nav.crowds.get(i)?.to, 0.4, 0.6),
        })
    }

    /// Moves it.
    fn shift(self, nav: &mut SceneNav, by: Vec3) -> Option<()> {
        match self {
            Self::Start => *nav.probe.start.as_mut()? += by,
            Self::End => *nav.probe.end.as_mut()? += by,
            Self::Threat(i) => *nav.threats.get_mut(i)? += by,
            Self::Obstacle(i) => *nav.obstacles.get_mut(i)?.shape.base_mut() += by,
            Self::Volume(i) => shift_volume(&mut nav.bake.volumes.get_mut(i)?.shape, by),
            Self::LinkStart(i) => nav.bake.placed_links.get_mut(i)?.start += by.as_dvec3(),
            Self::LinkEnd(i) => nav.bake.placed_links.get_mut(i)?.end += by.as_dvec3(),
            Self::Seed(i) => *nav.bake.seeds.get_mut(i)? += by.as_dvec3(),
            Self::CrowdStart(i) => nav.crowds.get_mut(i)?.from += by,
            Self::CrowdGoal(i) => nav.crowds.get_mut(i)?.to += by,
        }
        Some(())
    }

    /// Takes it out of the scene; links and crowds go whole.
    fn remove(self, nav: &mut SceneNav) -> Option<()> {
        fn out<T>(list: &mut Vec<T>, i: usize) -> Option<()> {
            (i < list.len()).then(|| drop(list.remove(i)))
        }
        match self {
            Self::Start => nav.probe.start.take().map(drop),
            Self::End => nav.probe.end.take().map(drop),
            Self::Threat(i) => out(&mut nav.threats, i),
            Self::Obstacle(i) => out(&mut nav.obstacles, i),
            Self::Volume(i) => out(&mut nav.bake.volumes, i),
            Self::LinkStart(i) | Self::LinkEnd(i) => out(&mut nav.bake.placed_links, i),
            Self::Seed(i) => out(&mut nav.bake.seeds, i),
            Self::CrowdStart(i) | Self::CrowdGoal(i) => out(&mut nav.crowds, i),
        }
    }
}

fn shift_volume(shape: &mut VolumeShape, by: Vec3) {
    match shape {
        VolumeShape::Convex { outline, low, high } => {
            outline.iter_mut().for_each(|p| *p += Vec2::new(by.x, by.z));
            (*low, *high) = (*low + by.y, *high + by.y);
        }
        VolumeShape::Box { min, max } => (*min, *max) = (*min + by, *max + by),
        VolumeShape::Cylinder { base, .. } => *base += by,
    }
}

/// What is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grab {
    thing: Thing,
    /// Where the ground was under the cursor when it was last moved.
    at: Vec3,
}

/// What the workbench remembers between frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// What clicks do.
    pub tool: Tool,
    /// What was placed or touched last.
    pub picked: Option<Thing>,
    /// Where a link or a crowd begins whose end is not placed yet.
    pub joint: Option<Vec3>,
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
    /// Whether the search goes on by itself.
    pub search_runs: bool,
    /// Whether a tool was chosen in this frame.
    pub chosen: bool,
    grab: Option<Grab>,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            tool: Tool::None,
            picked: None,
            joint: None,
            crowd: PlacedCrowd::default(),
            obstacle: ObstacleShape::Box { base: Vec3::ZERO, size: Vec3::new(2.0, 1.5, 1.0), yaw_deg: 0.0 },
            volume: VolumeShape::Box { min: Vec3::new(-1.5, -0.5, -1.5), max: Vec3::new(1.5, 2.0, 1.5) },
            area: Some(1),
            both_ways: true,
            search_runs: false,
            chosen: false,
            grab: None,
        }
    }
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
/// How far the ends of a link may lie from the mesh, metres.
const LINK_REACH: f32 = 1.0;

impl Bench {
    /// Chooses a tool, or leaves it when it is chosen already. Answers which overlays go on.
    pub fn choose(&mut self, tool: Tool) -> Vec<Command> {
        self.tool = if self.tool == tool { Tool::None } else { tool };
        (self.joint, self.grab, self.chosen) = (None, None, self.tool != Tool::None);
        if self.picked.is_some_and(|p| p.tool() != self.tool) {
            self.picked = None;
        }
        let overlays = self.tool.info().map_or(&[][..], |info| info.overlays);
        overlays.iter().map(|name| Command::Overlay(name, true)).collect()
    }

    /// What a gesture over the ground at `at` asks for.
    pub fn act(&mut self, nav: &SceneNav, gesture: Gesture, at: Vec3) -> Option<EditStep> {
        match gesture {
            Gesture::Press { ray, shift } => self.press(nav, &ray, shift, at),
            Gesture::Drag => {
                let grab = self.grab.as_mut()?;
                let by = at - std::mem::replace(&mut grab.at, at);
                let (thing, mut to) = (grab.thing, nav.clone());
                if by == Vec3::ZERO {
                    return None;
                }
                thing.shift(&mut to, by)?;
                Some(step(format!("move {}", thing.label()), to))
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
        if let Some(thing) = self.under(nav, ray, reach).filter(|_| !shift && self.joint.is_none()) {
            (self.picked, self.grab) = (Some(thing), Some(Grab { thing, at }));
            return None;
        }
        let place = |what: Thing| format!("place {}", what.label());
        let thing = match self.tool {
            Tool::None => return None,
            Tool::Path | Tool::Raycast if shift || nav.probe.start.is_none() => {
                to.probe.start = Some(at);
                Thing::Start
            }
            Tool::Path | Tool::Raycast => {
                to.probe.end = Some(at);
                Thing::End
            }
            Tool::Wall | Tool::Random => {
                to.probe.start = Some(at);
                if self.tool == Tool::Random {
                    to.probe.seed = to.probe.seed.wrapping_add(1);
                    if to.probe.random == 0 {
                        (to.probe.random, to.probe.reach) = (100, 8.0);
                    }
                }
                Thing::Start
            }
            Tool::Threat => {
                to.threats.push(at);
                Thing::Threat(nav.threats.len())
            }
            Tool::Obstacle => {
                let mut shape = self.obstacle.clone();
                *shape.base_mut() = at;
                to.obstacles.push(PlacedObstacle { shape, open: false });
                Thing::Obstacle(nav.obstacles.len())
            }
            Tool::Volume => {
                let mut shape = self.volume.clone();
                shift_volume(&mut shape, at);
                to.bake.volumes.push(Volume { shape, area: self.area });
                Thing::Volume(nav.bake.volumes.len())
            }
            Tool::Seed => {
                to.bake.seeds.push(at.as_dvec3());
                Thing::Seed(nav.bake.seeds.len())
            }
            Tool::Link | Tool::Crowd => {
                let from = self.joint.take();
                if from.is_none() {
                    self.joint = Some(at);
                }
                return from.filter(|from| *from != at).map(|from| self.join(nav, from, at));
            }
        };
        (self.picked, self.grab) = (Some(thing), Some(Grab { thing, at }));
        Some(step(place(thing), to))
    }

    /// Places what the tool lays between two places.
    fn join(&mut self, nav: &SceneNav, from: Vec3, end: Vec3) -> EditStep {
        let mut to = nav.clone();
        if self.tool == Tool::Crowd {
            // A baked mesh keeps off walls by itself.
            let clearance = if nav.mesh == MeshSource::Baked { 0.0 } else { self.crowd.radius };
            to.crowds.push(PlacedCrowd { from, to: end, clearance, ..self.crowd.clone() });
            let thing = Thing::CrowdGoal(nav.crowds.len());
            self.picked = Some(thing);
            return step(format!("place {}", thing.whole()), to);
        }
        let number = to.bake.placed_links.len();
        to.bake.placed_links.push(PlacedLink {
            start: from.as_dvec3(),
            end: end.as_dvec3(),
            kind: LinkKind::Placed,
            both_ways: self.both_ways,
            reach: LINK_REACH,
            area: 0,
            flags: 1,
        });
        self.picked = Some(Thing::LinkEnd(number));
        step(format!("place link {}", number + 1), to)
    }

    /// The placed thing of the tool's kind that the ray meets first within `reach` metres.
    pub fn under(&self, nav: &SceneNav, ray: &Ray, reach: f32) -> Option<Thing> {
        let all: Vec<Thing> = match self.tool {
            Tool::None | Tool::Wall | Tool::Random => Vec::new(),
            Tool::Path | Tool::Raycast => vec![Thing::Start, Thing::End],
            Tool::Threat => (0..nav.threats.len()).map(Thing::Threat).collect(),
            Tool::Obstacle => (0..nav.obstacles.len()).map(Thing::Obstacle).collect(),
            Tool::Volume => (0..nav.bake.volumes.len()).map(Thing::Volume).collect(),
            Tool::Link => {
                let links = 0..nav.bake.placed_links.len();
                links.flat_map(|i| [Thing::LinkStart(i), Thing::LinkEnd(i)]).collect()
            }
            Tool::Seed => (0..nav.bake.seeds.len()).map(Thing::Seed).collect(),
            Tool::Crowd => (0..nav.crowds.len()).flat_map(|i| [Thing::CrowdStart(i), Thing::CrowdGoal(i)]).collect(),
        };
        let enter = |thing: Thing| Some((ray.aabb_interval(&thing.bounds(nav)?)?.0, thing));
        let met = all.into_iter().filter_map(enter).filter(|met| met.0 <= reach);
        met.min_by(|a, b| a.0.total_cmp(&b.0)).map(|met| met.1)
    }

    /// Removes a placed thing.
    pub fn remove(&mut self, nav: &SceneNav, thing: Thing) -> Option<EditStep> {
        (self.picked, self.grab) = (None, None);
        let mut to = nav.clone();
        thing.remove(&mut to)?;
        Some(EditStep { merge: None, ..step(format!("remove {}", thing.whole()), to) })
    }
}

/// Edits of one gesture are one step: releasing the button seals it.
fn step(name: String, to: SceneNav) -> EditStep {
    edits::nav_step(name, Some("gesture"), to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Edit;

    fn down(at: Vec3) -> Gesture {
        Gesture::Press { ray: Ray { origin: at + Vec3::Y * 10.0, direction: Vec3::NEG_Y }, shift: false }
    }

    fn after(step: Option<EditStep>) -> SceneNav {
        match step.unwrap().edit {
            Edit::SetNav(nav) => nav,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn clicks_set_start_then_end_and_drag_them() {
        let mut bench = Bench::default();
        assert_eq!(bench.choose(Tool::Path).len(), 2);
        let nav = after(bench.act(&SceneNav::default(), down(Vec3::X), Vec3::X));
        assert_eq!((nav.probe.start, nav.probe.end), (Some(Vec3::X), None));
        bench.act(&nav, Gesture::Release, Vec3::X);
        let far = Vec3::new(9.0, 0.0, 2.0);
        let nav = after(bench.act(&nav, down(far), far));
        assert_eq!(nav.probe.end, Some(far));
        let nav = after(bench.act(&nav, Gesture::Drag, far + Vec3::Z));
        assert_eq!((nav.probe.start, nav.probe.end), (Some(Vec3::X), Some(far + Vec3::Z)));
        bench.act(&nav, Gesture::Release, far);
        assert!(bench.act(&nav, Gesture::Drag, far).is_none(), "nothing is held any more");
    }

    #[test]
    fn what_lies_under_the_cursor_is_moved_not_placed_again() {
        for tool in [Tool::Threat, Tool::Obstacle, Tool::Volume, Tool::Seed] {
            let mut bench = Bench::default();
            bench.choose(tool);
            let nav = after(bench.act(&SceneNav::default(), down(Vec3::ZERO), Vec3::ZERO));
            bench.act(&nav, Gesture::Release, Vec3::ZERO);
            assert!(bench.act(&nav, down(Vec3::ZERO), Vec3::ZERO).is_none(), "{tool:?} places two things at once");
            let thing = bench.picked.unwrap();
            let before = thing.bounds(&nav).unwrap();
            let nav = after(bench.act(&nav, Gesture::Drag, Vec3::X * 3.0));
            assert!((thing.bounds(&nav).unwrap().center() - before.center() - Vec3::X * 3.0).length() < 1e-4);
            let nav = after(bench.remove(&nav, thing));
            assert_eq!(nav, SceneNav::default(), "{tool:?}");
            assert!(bench.remove(&nav, thing).is_none());
        }
    }

    #[test]
    fn links_need_two_clicks_or_one_drag() {
        let mut bench = Bench::default();
        bench.choose(Tool::Link);
        let nav = SceneNav::default();
        assert!(bench.act(&nav, down(Vec3::ZERO), Vec3::ZERO).is_none());
        assert!(bench.act(&nav, Gesture::Release, Vec3::ZERO).is_none());
        let nav = after(bench.act(&nav, down(Vec3::X * 4.0), Vec3::X * 4.0));
        assert_eq!(nav.bake.placed_links.len(), 1);
        bench.act(&nav, Gesture::Release, Vec3::X * 4.0);
        assert!(bench.act(&nav, down(Vec3::Z * 9.0), Vec3::Z * 9.0).is_none());
        let nav = after(bench.act(&nav, Gesture::Release, Vec3::Z * 14.0));
        assert_eq!(nav.bake.placed_links.len(), 2);
        assert_eq!(nav.bake.placed_links[1].end.z, 14.0);
    }

    #[test]
    fn a_crowd_is_sent_from_one_click_to_the_next() {
        let mut bench = Bench::default();
        bench.choose(Tool::Crowd);
        bench.crowd.count = 7;
        let nav = SceneNav { mesh: MeshSource::Triangles, ..SceneNav::default() };
        assert!(bench.act(&nav, down(Vec3::ZERO), Vec3::ZERO).is_none());
        bench.act(&nav, Gesture::Release, Vec3::ZERO);
        let sent = after(bench.act(&nav, down(Vec3::X * 4.0), Vec3::X * 4.0));
        let crowd = &sent.crowds[0];
        assert_eq!((crowd.from, crowd.to, crowd.count), (Vec3::ZERO, Vec3::X * 4.0, 7));
        assert_eq!(crowd.clearance, crowd.radius, "this mesh reaches to the walls");
        bench.act(&sent, Gesture::Release, Vec3::X * 4.0);
        assert!(bench.act(&sent, down(Vec3::ZERO), Vec3::ZERO).is_none());
        let moved = after(bench.act(&sent, Gesture::Drag, Vec3::Z));
        assert_eq!((moved.crowds[0].from, moved.crowds[0].to), (Vec3::Z, Vec3::X * 4.0));
        let step = bench.remove(&moved, Thing::CrowdStart(0));
        assert_eq!(step.as_ref().map(|s| s.name.as_str()), Some("remove crowd 1"));
        assert_eq!(after(step), nav);
    }

    #[test]
    fn every_tool_says_what_it_does_and_shows_overlays_that_exist() {
        for info in TOOLS {
            assert!(info.help.ends_with('.') && !info.hint.is_empty(), "{}", info.label);
            for name in info.overlays {
                assert!(crate::sim::overlays::by_name(name).is_some(), "{name}");
            }
        }
        let mut bench = Bench::default();
        bench.choose(Tool::Seed);
        assert!(bench.choose(Tool::Seed).is_empty());
        assert_eq!(bench.tool, Tool::None, "choosing it again leaves it");
    }
}
