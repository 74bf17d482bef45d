//! The list of overlays: what can be drawn over the viewport, by layer and by name.
//!
//! To add one: a [`Layer`], a function in the subject's `debug.rs`, a row here. Panels build their switches from the
//! list, scene files save the names of those that are on.

pub use super::context::OverlayContext;
use super::instances::{self, BoxFilter};
use super::overlay_style::OverlayStyle;
use super::query_tool::debug as query;
use super::{grid, interaction, mesh_compare_debug, nav_gizmos, zones};
use crate::collide::debug as collide_debug;
use crate::collide::instance_octree::InstanceOctree;
use crate::debug::path_lanes::PathLanes;
use crate::debug::{DebugDraw, Depth, Layer, shapes};
use crate::nav::bake::{BakeStep, debug as bake_debug};
use crate::nav::debug as nav_debug;
use crate::nav::mesh::debug as mesh_debug;
use crate::scene::nav::MeshSource;
use crate::sim::{self, InstanceState};
use std::str::FromStr;
use thiserror::Error;

/// An overlay.
#[derive(Clone, Copy)]
pub struct Overlay {
    /// The layer its geometry goes to.
    pub layer: Layer,
    /// Name in scene files and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Heading under which panels show it.
    pub group: &'static str,
    /// Whether it is on in a new scene.
    pub on: bool,
    /// How it treats the geometry in front of it.
    pub depth: Depth,
    /// What it shows, in a sentence.
    pub help: &'static str,
    /// Draws it.
    pub draw: fn(&OverlayContext<'_>, &mut DebugDraw),
}

/// Group of what belongs to navigation meshes.
pub const MESH: &str = "Navigation mesh";
/// Group of a bake's steps.
pub const BAKE: &str = "Bake steps";

/// Makes [`OVERLAYS`]. A group holds rows of: the layer, its name in scene files and on the command line, its name for
/// people, whether it is on in a new scene, its [`Depth`], what draws it, and what it shows, in a sentence.
macro_rules! overlays {
    (@is_on on) => { true };
    (@is_on off) => { false };
    ($($group:expr => {
        $($layer:ident $name:literal $label:literal $on:ident $depth:ident $draw:expr, $help:literal;)+
    })+) => {
        /// All overlays.
        pub const OVERLAYS: &[Overlay] = &[$($(Overlay {
            layer: Layer::$layer,
            name: $name,
            label: $label,
            group: $group,
            on: overlays!(@is_on $on),
            depth: Depth::$depth,
            help: $help,
            draw: $draw,
        },)+)+];
    };
}

overlays! {
    "Navigation" => {
        NavPath "paths" "Paths" on Dimmed paths,
            "The remaining path of every character that walks to a target.";
        NavGround "ground" "Walkable ground" off Tested ground,
            "All ground that can be walked on.";
        NavNeighbors "neighbors" "Ground neighbours" off Dimmed neighbors,
            "The ground under the selected instance and what can be reached from it in one hop.";
    }
    MESH => {
        NavMesh "nav-mesh" "Polygons" off Dimmed nav_mesh,
            "The polygons of the navigation mesh, coloured by area, island or region; walls are dark.";
        NavLinks "nav-links" "Off-mesh links" off Dimmed nav_links,
            "Off-mesh links: jumps, drops and those placed by hand.";
        ProbePath "test-path" "Test path" off Dimmed query::path,
            "The test path of the workbench, and the one laid over it, with start and end.";
        ProbeCorridor "corridor" "Corridor" off Dimmed query::corridor,
            "The polygons that the test path leads over.";
        ProbePortals "portals" "Portals" off Dimmed query::portals,
            "The edges through which the test path leads.";
        SearchNodes "search-nodes" "Search nodes" off Dimmed query::search,
            "The search that is stepped by hand: open nodes yellow, closed ones blue.";
        ProbeRay "raycast" "Raycast" off Dimmed query::ray,
            "The raycast from its start to its end: green as far as it is free, red beyond the wall.";
        ProbeWall "wall-distance" "Wall distance" off Dimmed query::wall,
            "The wall nearest to the place that was clicked.";
        WallSegments "walls" "Walls nearby" off Dimmed query::walls,
            "All walls within five metres of the place of the wall distance, else of the start.";
        RandomPoints "random-points" "Random points" off Dimmed query::random,
            "Random points, as many as the workbench asks for.";
        Exposure "exposure" "Exposure" off Dimmed query::exposure,
            "What threats see of the test path in red, what is hidden from them in green.";
        Cover "cover" "Cover" off Dimmed query::cover,
            "Parts of obstacles that give cover: violet to a standing agent, ochre to a crouching one.";
        CoverMap "cover-map" "Cover map" off Dimmed query::cover_map,
            "The polygon under the first threat, and the covers that matter from there.";
        Threats "threats" "Threats" off Dimmed nav_gizmos::threats,
            "Enemies that were placed.";
        Obstacles "obstacles" "Obstacles" off Dimmed nav_gizmos::obstacles,
            "Obstacles that were placed; open doors in outline.";
        Volumes "volumes" "Volumes" off Dimmed nav_gizmos::volumes,
            "Volumes that mark areas, coloured as these; unwalkable ones red.";
        Seeds "seeds" "Seeds" off Dimmed nav_gizmos::seeds,
            "Places whose islands are kept; the others are pruned.";
        Findings "findings" "Findings" on Dimmed nav_gizmos::findings,
            "What the doctor found; the finding that is looked at stands out.";
        MeshDifferences "mesh-differences" "Differences" off Dimmed mesh_compare_debug::differences,
            "What differs between the mesh and the one that it is compared with: polygons, islands, paths.";
    }
    BAKE => {
        BakeVoxels "bake-voxels" "Voxels" off Tested |c, d| bake_step(c, d, BakeStep::Rasterize, Layer::BakeVoxels),
            "The level as voxels, dark below and light above; every second height is darker.";
        BakeFilters "bake-filters" "Filters" off Tested |c, d| bake_step(c, d, BakeStep::Filter, Layer::BakeFilters),
            "Voxels after the filters: green where one can stand.";
        BakeOpenSpace "bake-open-space" "Open space" off Dimmed
            |c, d| bake_step(c, d, BakeStep::Compact, Layer::BakeOpenSpace),
            "The open space over walkable voxels.";
        BakeErosion "bake-erosion" "Erosion, areas" off Dimmed
            |c, d| bake_step(c, d, BakeStep::Erode, Layer::BakeErosion),
            "The open space after erosion by the radius and marking by volumes.";
        BakeRegions "bake-regions" "Regions" off Dimmed |c, d| bake_step(c, d, BakeStep::Regions, Layer::BakeRegions),
            "The regions into which the open space is cut.";
        BakeTiles "bake-tiles" "Tiles" off Dimmed bake_tiles,
            "The tiles of the bake; those without ground are faint.";
        BakeOutlines "bake-outlines" "Outlines" off Dimmed
            |c, d| bake_step(c, d, BakeStep::Contours, Layer::BakeOutlines),
            "The simplified outlines of the regions.";
        BakeHeights "bake-heights" "Heights" off Dimmed |c, d| bake_step(c, d, BakeStep::Detail, Layer::BakeHeights),
            "The triangles that follow the heights of the ground.";
    }
    MESH => {
        NavCrowd "nav-crowd" "Crowds" on Dimmed
            |c, d| c.inspector.crowd().draw(d, c.world.mesh().current().map(|mesh| &**mesh)),
            "Agents of crowds: walking green, squeezing orange, arrived blue, without a path red.";
    }
    "Level" => {
        LevelWireframe "wireframe" "Wireframe" off Dimmed |c, d| collide_debug::wireframe(d, c.world.triangles()),
            "The edges of all triangles of the level.";
        LevelOctree "octree" "Octree" off Dimmed level_octree,
            "The cells of the octree over the level's triangles, coloured by depth.";
        LevelBox "level-box" "Level box" off Dimmed level_box,
            "The box around the level.";
    }
    "Instances" => {
        InstanceBoxes "instance-boxes" "Instance boxes" off Dimmed
            |c, d| instances::boxes(c, d, BoxFilter::All, Layer::InstanceBoxes),
            "The boxes around all instances; red where one touches another, the selected one's in green.";
        CollidingBoxes "colliding-boxes" "Colliding boxes" off Dimmed
            |c, d| instances::boxes(c, d, BoxFilter::Colliding, Layer::CollidingBoxes),
            "The boxes around instances that touch another one.";
        SelectedBox "selected-box" "Selected box" off Dimmed
            |c, d| instances::boxes(c, d, BoxFilter::Selected, Layer::SelectedBox),
            "The box around the selected instance.";
        InstanceOctree "instance-octree" "Instance octree" off Dimmed instance_octree,
            "The cells of the octree over the instances, coloured by depth.";
        CollidingTriangles "collisions" "Colliding triangles" off Dimmed collisions,
            "The level triangles that characters touch.";
        // Found and drawn on the device, in the pose that the picture shows.
        CollisionSpheres "collision-spheres" "Bounding spheres" off Dimmed nothing,
            "The bounding spheres of all characters' bones; red where one touches another character.";
        CollidingSpheres "colliding-spheres" "Colliding spheres" off Dimmed nothing,
            "The bounding spheres of characters that touch another one.";
        SelectedSpheres "selected-spheres" "Selected spheres" off Dimmed instances::selected_spheres,
            "The bounding spheres of the selected character's bones; red where it touches another one.";
        Interaction "interaction" "Interaction range" off Dimmed interaction::range,
            "The box in which the selected character's partners are sought, and the circle within which none answers.";
        InteractionView "interaction-view" "Interaction view" off Dimmed interaction::view,
            "The field of view in which the selected character interacts.";
        InteractionCandidates "interaction-candidates" "Interaction partners" off Dimmed interaction::candidates,
            "The characters in reach of the selected one; the one that would answer in green.";
        Skeleton "skeleton" "Skeleton" off OnTop instances::bones,
            "The bones of the selected instance.";
        Legs "legs" "Legs" off OnTop instances::legs,
            "The joints of the selected character's legs, from hip to foot, after inverse kinematics.";
        MotionTrajectories "motion-trajectories" "Motion trajectories" off Dimmed instances::motion_trajectories,
            "Of characters that walk by motion matching: in yellow where they are about to go, in green where the \
             clip that plays would lead; of the selected one, the clip and its cost.";
    }
    "Cameras and zones" => {
        // Drawn by the room that knows where cameras look.
        Cameras "cameras" "Cameras" off Dimmed nothing,
            "The cameras of the scene with what they show, and the rails they travel on; a click selects one.";
        Zones "zones" "Zones" off Dimmed zones::draw,
            "Zones of fog, light and music, and the seams over which they fade.";
    }
    "Grid" => {
        Grid "grid" "Ground grid" on Tested grid::draw,
            "Lines on the ground around the level, metres or ten metres apart; X in red, Z in blue.";
    }
}

fn nothing(_: &OverlayContext<'_>, _: &mut DebugDraw) {}

/// How each layer of the overlays treats depth.
pub fn depths(style: OverlayStyle) -> impl Iterator<Item = (Layer, Depth)> {
    OVERLAYS.iter().map(move |overlay| (overlay.layer, style.depth_of(overlay.layer, overlay.depth)))
}

/// Overlays that are shown together.
#[derive(Clone, Copy, Debug)]
pub struct OverlayPreset {
    /// Name for people.
    pub label: &'static str,
    /// What it shows, in a sentence.
    pub help: &'static str,
    /// The layers that it switches on; all others go off.
    pub layers: &'static [Layer],
}

/// All presets.
pub const PRESETS: &[OverlayPreset] = &[
    OverlayPreset {
        label: "Walking",
        help: "Where characters and crowds walk, as in a new scene.",
        layers: &[Layer::NavPath, Layer::NavCrowd, Layer::Findings, Layer::Grid],
    },
    OverlayPreset {
        label: "Nav mesh",
        help: "The navigation mesh with its links and what was placed on it.",
        layers: &[Layer::NavMesh, Layer::NavLinks, Layer::Obstacles, Layer::Volumes, Layer::Findings, Layer::Grid],
    },
    OverlayPreset {
        label: "Tactics",
        help: "Threats, cover, and what threats see of the test path.",
        layers: &[Layer::ProbePath, Layer::Exposure, Layer::Cover, Layer::Threats, Layer::Grid],
    },
    OverlayPreset {
        label: "Contacts",
        help: "The boxes and spheres of characters, and what they touch.",
        layers: &[Layer::InstanceBoxes, Layer::CollidingSpheres, Layer::CollidingTriangles, Layer::Grid],
    },
    OverlayPreset {
        label: "Last bake",
        help: "The regions of a bake and their outlines.",
        layers: &[Layer::BakeRegions, Layer::BakeOutlines, Layer::Volumes, Layer::Grid],
    },
];

/// The overlay of a layer; none for layers that no switch belongs to.
pub fn of(layer: Layer) -> Option<&'static Overlay> {
    OVERLAYS.iter().find(|overlay| overlay.layer == layer)
}

/// A name that no overlay has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no overlay '{name}'; use one of {}", names())]
pub struct UnknownOverlay {
    /// The name as given.
    pub name: String,
}

/// All names, for error messages and help.
pub fn names() -> String {
    OVERLAYS.iter().map(|overlay| overlay.name).collect::<Vec<_>>().join(", ")
}

/// Names in earlier scene files, and what they are now.
pub const EARLIER_NAMES: [(&str, &str); 1] = [("tried-path", "test-path")];

/// The layer of the overlay with a name, as in scene files and on the command line.
impl FromStr for Layer {
    type Err = UnknownOverlay;

    fn from_str(name: &str) -> Result<Self, UnknownOverlay> {
        let name = EARLIER_NAMES.iter().find(|(earlier, _)| *earlier == name).map_or(name, |(_, now)| now);
        let named = OVERLAYS.iter().find(|overlay| overlay.name == name);
        named.map(|overlay| overlay.layer).ok_or_else(|| UnknownOverlay { name: name.to_owned() })
    }
}

/// Empties `d` and draws the overlays of these layers, in their order.
pub fn draw(layers: impl IntoIterator<Item = Layer>, context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let on: Vec<&Overlay> = layers.into_iter().filter_map(of).collect();
    d.restart(on.iter().map(|o| o.layer));
    for overlay in on {
        (overlay.draw)(context, d);
    }
}

fn paths(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let (style, mut lanes, mut points) = (context.inspector.style(), PathLanes::default(), Vec::new());
    let has_way = |live: &InstanceState| !live.path.is_empty() || live.traversal.is_some();
    for (i, (id, live)) in context.world.iter().enumerate().filter(|(_, (_, live))| has_way(live)) {
        points.clear();
        points.push(live.now.position);
        points.extend(live.line_ahead());
        let depth = style.path_depth(context.selection.instance == Some(id));
        nav_debug::path(d, &mut lanes, &points, nav_debug::distinct_color(i), depth);
    }
}

fn ground(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    if let Some(mesh) = context.world.mesh().current() {
        nav_debug::ground(d, mesh);
    }
}

fn neighbors(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let live = context.selection.instance.and_then(|id| context.world.live(id));
    if let (Some(live), Some(mesh)) = (live, context.world.mesh().current())
        && let Some(here) = sim::nav_mesh::polygon_at(mesh, live.now.position)
    {
        nav_debug::neighbors(d, mesh, here);
    }
}

fn nav_mesh(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let state = context.world.mesh();
    if let (Some(mesh), Some(built)) = (state.current(), state.built()) {
        // A bake knows heights to a voxel: what lies that much below its ground would not be seen.
        let nav = &context.scene.nav;
        let above = if nav.mesh == MeshSource::Baked { nav.bake.cell_height } else { 0.0 };
        let legend = context.inspector.legend();
        mesh_debug::polygons(d, Layer::NavMesh, mesh, above, |id| legend.color_of(built, mesh, id));
    }
}

fn nav_links(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    if let Some(built) = context.world.mesh().built() {
        mesh_debug::links(d, Layer::NavLinks, &built.mesh, &built.links);
    }
    nav_gizmos::links(context, d);
}

fn bake_step(context: &OverlayContext<'_>, d: &mut DebugDraw, step: BakeStep, layer: Layer) {
    if let Some(baked) = context.world.mesh().built().and_then(|built| built.baked.as_ref()) {
        bake_debug::draw(baked, step, layer, d);
    }
}

fn bake_tiles(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let baked = context.world.mesh().built().and_then(|built| built.baked.as_ref());
    if let Some(stages) = baked.and_then(|baked| baked.debug.as_ref()) {
        bake_debug::tiles(&stages.tiles, Layer::BakeTiles, d);
    }
}

fn level_octree(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    if let Some(octree) = context.world.triangle_tree() {
        collide_debug::octree(d, Layer::LevelOctree, octree.cells(), context.inspector.style().octree_depth);
    }
}

fn level_box(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    if let Some(octree) = context.world.triangle_tree() {
        shapes::aabb(d, Layer::LevelBox, &octree.bounds(), collide_debug::LEVEL_BOX);
    }
}

fn instance_octree(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let tree = InstanceOctree::build(context.world.instance_boxes());
    collide_debug::octree(d, Layer::InstanceOctree, tree.cells(), context.inspector.style().octree_depth);
}

fn collisions(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let (mut touched, mut all) = (Vec::new(), std::collections::BTreeSet::new());
    for (id, _) in context.world.iter() {
        context.world.touching(id, &mut touched);
        all.extend(touched.iter().copied());
    }
    let triangles = context.world.triangles();
    collide_debug::contact_triangles(d, all.into_iter().filter_map(|i| triangles.get(i as usize).copied()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_first_preset_is_that_of_new_scenes() {
        for preset in PRESETS {
            let layers: BTreeSet<_> = preset.layers.iter().collect();
            assert!(layers.len() == preset.layers.len() && preset.help.ends_with('.'), "{}", preset.label);
            assert!(preset.layers.iter().all(|layer| of(*layer).is_some()), "{}", preset.label);
        }
        let usual: BTreeSet<_> = OVERLAYS.iter().filter(|o| o.on).map(|o| o.layer).collect();
        assert_eq!(PRESETS[0].layers.iter().copied().collect::<BTreeSet<_>>(), usual);
    }

    #[test]
    fn every_layer_but_the_selection_has_one_row_with_texts() {
        let names: BTreeSet<_> = OVERLAYS.iter().map(|o| o.name).collect();
        let layers: BTreeSet<_> = OVERLAYS.iter().map(|o| o.layer).collect();
        assert_eq!((names.len(), layers.len()), (OVERLAYS.len(), OVERLAYS.len()));
        assert_eq!(OVERLAYS.len() + 2, Layer::COUNT);
        for o in OVERLAYS {
            assert!(!o.label.is_empty() && !o.group.is_empty() && o.help.ends_with('.'), "{}", o.name);
            assert_eq!(o.name.parse(), Ok(o.layer));
        }
        assert_eq!("tried-path".parse(), Ok(Layer::ProbePath), "scenes of earlier versions");
        assert!("no-such-overlay".parse::<Layer>().unwrap_err().to_string().contains("paths, ground"));
    }
}
