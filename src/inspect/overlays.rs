//! The list of overlays: what can be drawn over the viewport, by layer and by name.
//!
//! To add one: a [`Layer`], a function in the subject's `debug.rs`, a row here. Panels build their switches from the
//! list, scene files save the names of those that are on.

pub use super::context::OverlayContext;
use super::instances::{self, Which};
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

const fn row(layer: Layer, name: &'static str, label: &'static str, group: &'static str) -> Overlay {
    Overlay { layer, name, label, group, on: false, depth: Depth::Dimmed, help: "", draw: nothing }
}

/// Group of what belongs to navigation meshes.
pub const MESH: &str = "Navigation mesh";
/// Group of a bake's steps.
pub const BAKE: &str = "Bake steps";

/// All overlays.
pub const OVERLAYS: &[Overlay] = &[
    Overlay {
        on: true,
        help: "The remaining path of every character that walks to a target.",
        draw: paths,
        ..row(Layer::NavPath, "paths", "Paths", "Navigation")
    },
    Overlay {
        depth: Depth::Tested,
        help: "All ground that can be walked on.",
        draw: ground,
        ..row(Layer::NavGround, "ground", "Walkable ground", "Navigation")
    },
    Overlay {
        help: "The ground under the selected instance and what can be reached from it in one hop.",
        draw: neighbors,
        ..row(Layer::NavNeighbors, "neighbors", "Ground neighbours", "Navigation")
    },
    Overlay {
        help: "The polygons of the navigation mesh, coloured by area, island or region; walls are dark.",
        draw: nav_mesh,
        ..row(Layer::NavMesh, "nav-mesh", "Polygons", MESH)
    },
    Overlay {
        help: "Off-mesh links: jumps, drops and those placed by hand.",
        draw: nav_links,
        ..row(Layer::NavLinks, "nav-links", "Off-mesh links", MESH)
    },
    Overlay {
        help: "The test path of the workbench, and the one laid over it, with start and end.",
        draw: query::path,
        ..row(Layer::ProbePath, "test-path", "Test path", MESH)
    },
    Overlay {
        help: "The polygons that the test path leads over.",
        draw: query::corridor,
        ..row(Layer::ProbeCorridor, "corridor", "Corridor", MESH)
    },
    Overlay {
        help: "The edges through which the test path leads.",
        draw: query::portals,
        ..row(Layer::ProbePortals, "portals", "Portals", MESH)
    },
    Overlay {
        help: "The search that is stepped by hand: open nodes yellow, closed ones blue.",
        draw: query::search,
        ..row(Layer::SearchNodes, "search-nodes", "Search nodes", MESH)
    },
    Overlay {
        help: "The raycast from its start to its end: green as far as it is free, red beyond the wall.",
        draw: query::ray,
        ..row(Layer::ProbeRay, "raycast", "Raycast", MESH)
    },
    Overlay {
        help: "The wall nearest to the place that was clicked.",
        draw: query::wall,
        ..row(Layer::ProbeWall, "wall-distance", "Wall distance", MESH)
    },
    Overlay {
        help: "All walls within five metres of the place of the wall distance, else of the start.",
        draw: query::walls,
        ..row(Layer::WallSegments, "walls", "Walls nearby", MESH)
    },
    Overlay {
        help: "Random points, as many as the workbench asks for.",
        draw: query::random,
        ..row(Layer::RandomPoints, "random-points", "Random points", MESH)
    },
    Overlay {
        help: "What threats see of the test path in red, what is hidden from them in green.",
        draw: query::exposure,
        ..row(Layer::Exposure, "exposure", "Exposure", MESH)
    },
    Overlay {
        help: "Parts of obstacles that give cover: violet to a standing agent, ochre to a crouching one.",
        draw: query::cover,
        ..row(Layer::Cover, "cover", "Cover", MESH)
    },
    Overlay {
        help: "The polygon under the first threat, and the covers that matter from there.",
        draw: query::cover_map,
        ..row(Layer::CoverMap, "cover-map", "Cover map", MESH)
    },
    Overlay {
        help: "Enemies that were placed.",
        draw: nav_gizmos::threats,
        ..row(Layer::Threats, "threats", "Threats", MESH)
    },
    Overlay {
        help: "Obstacles that were placed; open doors in outline.",
        draw: nav_gizmos::obstacles,
        ..row(Layer::Obstacles, "obstacles", "Obstacles", MESH)
    },
    Overlay {
        help: "Volumes that mark areas, coloured as these; unwalkable ones red.",
        draw: nav_gizmos::volumes,
        ..row(Layer::Volumes, "volumes", "Volumes", MESH)
    },
    Overlay {
        help: "Places whose islands are kept; the others are pruned.",
        draw: nav_gizmos::seeds,
        ..row(Layer::Seeds, "seeds", "Seeds", MESH)
    },
    Overlay {
        on: true,
        help: "What the doctor found; the finding that is looked at stands out.",
        draw: nav_gizmos::findings,
        ..row(Layer::Findings, "findings", "Findings", MESH)
    },
    Overlay {
        help: "What differs between the mesh and the one that it is compared with: polygons, islands, paths.",
        draw: mesh_compare_debug::differences,
        ..row(Layer::MeshDifferences, "mesh-differences", "Differences", MESH)
    },
    Overlay {
        depth: Depth::Tested,
        help: "The level as voxels, dark below and light above; every second height is darker.",
        draw: |c, d| bake_step(c, d, BakeStep::Rasterize, Layer::BakeVoxels),
        ..row(Layer::BakeVoxels, "bake-voxels", "Voxels", BAKE)
    },
    Overlay {
        depth: Depth::Tested,
        help: "Voxels after the filters: green where one can stand.",
        draw: |c, d| bake_step(c, d, BakeStep::Filter, Layer::BakeFilters),
        ..row(Layer::BakeFilters, "bake-filters", "Filters", BAKE)
    },
    Overlay {
        help: "The open space over walkable voxels.",
        draw: |c, d| bake_step(c, d, BakeStep::Compact, Layer::BakeOpenSpace),
        ..row(Layer::BakeOpenSpace, "bake-open-space", "Open space", BAKE)
    },
    Overlay {
        help: "The open space after erosion by the radius and marking by volumes.",
        draw: |c, d| bake_step(c, d, BakeStep::Erode, Layer::BakeErosion),
        ..row(Layer::BakeErosion, "bake-erosion", "Erosion, areas", BAKE)
    },
    Overlay {
        help: "The regions into which the open space is cut.",
        draw: |c, d| bake_step(c, d, BakeStep::Regions, Layer::BakeRegions),
        ..row(Layer::BakeRegions, "bake-regions", "Regions", BAKE)
    },
    Overlay {
        help: "The tiles of the bake; those without ground are faint.",
        draw: bake_tiles,
        ..row(Layer::BakeTiles, "bake-tiles", "Tiles", BAKE)
    },
    Overlay {
        help: "The simplified outlines of the regions.",
        draw: |c, d| bake_step(c, d, BakeStep::Contours, Layer::BakeOutlines),
        ..row(Layer::BakeOutlines, "bake-outlines", "Outlines", BAKE)
    },
    Overlay {
        help: "The triangles that follow the heights of the ground.",
        draw: |c, d| bake_step(c, d, BakeStep::Detail, Layer::BakeHeights),
        ..row(Layer::BakeHeights, "bake-heights", "Heights", BAKE)
    },
    Overlay {
        on: true,
        help: "Agents of crowds: walking green, squeezing orange, arrived blue, without a path red.",
        draw: |c, d| c.inspector.crowd().draw(d, c.world.mesh().current().map(|mesh| &**mesh)),
        ..row(Layer::NavCrowd, "nav-crowd", "Crowds", MESH)
    },
    Overlay {
        help: "The edges of all triangles of the level.",
        draw: |c, d| collide_debug::wireframe(d, c.world.triangles()),
        ..row(Layer::LevelWireframe, "wireframe", "Wireframe", "Level")
    },
    Overlay {
        help: "The cells of the octree over the level's triangles, coloured by depth.",
        draw: level_octree,
        ..row(Layer::LevelOctree, "octree", "Octree", "Level")
    },
    Overlay {
        help: "The box around the level.",
        draw: level_box,
        ..row(Layer::LevelBox, "level-box", "Level box", "Level")
    },
    Overlay {
        help: "The boxes around all instances; red where one touches another, the selected one's in green.",
        draw: |c, d| instances::boxes(c, d, Which::All, Layer::InstanceBoxes),
        ..row(Layer::InstanceBoxes, "instance-boxes", "Instance boxes", "Instances")
    },
    Overlay {
        help: "The boxes around instances that touch another one.",
        draw: |c, d| instances::boxes(c, d, Which::Colliding, Layer::CollidingBoxes),
        ..row(Layer::CollidingBoxes, "colliding-boxes", "Colliding boxes", "Instances")
    },
    Overlay {
        help: "The box around the selected instance.",
        draw: |c, d| instances::boxes(c, d, Which::Selected, Layer::SelectedBox),
        ..row(Layer::SelectedBox, "selected-box", "Selected box", "Instances")
    },
    Overlay {
        help: "The cells of the octree over the instances, coloured by depth.",
        draw: instance_octree,
        ..row(Layer::InstanceOctree, "instance-octree", "Instance octree", "Instances")
    },
    Overlay {
        help: "The level triangles that characters touch.",
        draw: collisions,
        ..row(Layer::CollidingTriangles, "collisions", "Colliding triangles", "Instances")
    },
    Overlay {
        help: "The bounding spheres of all characters' bones; red where one touches another character.",
        // Found and drawn on the device, in the pose that the picture shows.
        draw: nothing,
        ..row(Layer::CollisionSpheres, "collision-spheres", "Bounding spheres", "Instances")
    },
    Overlay {
        help: "The bounding spheres of characters that touch another one.",
        draw: nothing,
        ..row(Layer::CollidingSpheres, "colliding-spheres", "Colliding spheres", "Instances")
    },
    Overlay {
        help: "The bounding spheres of the selected character's bones; red where it touches another one.",
        draw: instances::selected_spheres,
        ..row(Layer::SelectedSpheres, "selected-spheres", "Selected spheres", "Instances")
    },
    Overlay {
        help: "The box in which the selected character's partners are sought, and the circle within which none answers.",
        draw: interaction::range,
        ..row(Layer::Interaction, "interaction", "Interaction range", "Instances")
    },
    Overlay {
        help: "The field of view in which the selected character interacts.",
        draw: interaction::view,
        ..row(Layer::InteractionView, "interaction-view", "Interaction view", "Instances")
    },
    Overlay {
        help: "The characters in reach of the selected one; the one that would answer in green.",
        draw: interaction::candidates,
        ..row(Layer::InteractionCandidates, "interaction-candidates", "Interaction partners", "Instances")
    },
    Overlay {
        depth: Depth::OnTop,
        help: "The bones of the selected instance.",
        draw: instances::bones,
        ..row(Layer::Skeleton, "skeleton", "Skeleton", "Instances")
    },
    Overlay {
        depth: Depth::OnTop,
        help: "The joints of the selected character's legs, from hip to foot, after inverse kinematics.",
        draw: instances::legs,
        ..row(Layer::Legs, "legs", "Legs", "Instances")
    },
    Overlay {
        help: "Of characters that walk by motion matching: in yellow where they are about to go, in green where the clip that \
               plays would lead; of the selected one, the clip and its cost.",
        draw: instances::motion_trajectories,
        ..row(Layer::MotionTrajectories, "motion-trajectories", "Motion trajectories", "Instances")
    },
    Overlay {
        help: "The cameras of the scene with what they show, and the rails they travel on; a click selects one.",
        // Drawn by the room that knows where cameras look.
        draw: nothing,
        ..row(Layer::Cameras, "cameras", "Cameras", "Cameras and zones")
    },
    Overlay {
        help: "Zones of fog, light and music, and the seams over which they fade.",
        draw: zones::draw,
        ..row(Layer::Zones, "zones", "Zones", "Cameras and zones")
    },
    Overlay {
        on: true,
        depth: Depth::Tested,
        help: "Lines on the ground around the level, metres or ten metres apart; X in red, Z in blue.",
        draw: grid::draw,
        ..row(Layer::Grid, "grid", "Ground grid", "Grid")
    },
];

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
const EARLIER_NAMES: [(&str, &str); 1] = [("tried-path", "test-path")];

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
    if !d.wants(Layer::NavPath) {
        return;
    }
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
    if let Some(baked) = context.world.mesh().built().and_then(|built| built.baked.as_ref()).filter(|_| d.wants(layer))
    {
        bake_debug::draw(baked, step, layer, d);
    }
}

fn bake_tiles(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let baked = context.world.mesh().built().and_then(|built| built.baked.as_ref());
    if let Some(stages) = baked.and_then(|baked| baked.debug.as_ref()).filter(|_| d.wants(Layer::BakeTiles)) {
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
    if !d.wants(Layer::InstanceOctree) {
        return;
    }
    let tree = InstanceOctree::build(context.world.instance_boxes());
    collide_debug::octree(d, Layer::InstanceOctree, tree.cells(), context.inspector.style().octree_depth);
}

fn collisions(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    if !d.wants(Layer::CollidingTriangles) {
        return;
    }
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
