//! Overlays of a picture: what they need and the scene has not is made for them, and what shows nothing is said.

use crate::asset::AssetStore;
use crate::debug::{DebugDraw, Layer};
use crate::inspect::Inspector;
use crate::inspect::overlays::{self, BAKE, OverlayContext};
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, SceneNav};
use crate::sim::World;
use glam::Vec3;
use std::sync::Arc;

/// Overlays as drawn, and what is to be said about them.
#[derive(Debug, Default)]
pub(super) struct DrawnOverlays {
    /// Their geometry.
    pub debug: DebugDraw,
    /// What was made for them, and which show nothing, and why.
    pub notes: Vec<String>,
}

impl DrawnOverlays {
    /// Draws the overlays of some layers. Steps of a bake are those of a bake with the scene's settings, also where the
    /// scene's mesh has another source; its characters keep the mesh that they have.
    pub(super) fn new(layers: &[Layer], context: &OverlayContext<'_>) -> Self {
        let mut drawn = Self::default();
        // One that is named twice is drawn once: drawn over itself it would be brighter.
        let named = layers.iter().enumerate().filter(|(i, layer)| !layers[..*i].contains(layer));
        let layers: Vec<Layer> = named.map(|(_, layer)| *layer).collect();
        overlays::draw(layers.iter().copied(), context, &mut drawn.debug);
        let lacking: Vec<Layer> = layers.iter().copied().filter(|layer| lacks_source(*layer, context.scene)).collect();
        if !lacking.is_empty() {
            drawn.draw_from(&completed(&lacking, context.scene), &lacking, context);
        }
        drawn.say_what_is_empty(&layers, context);
        drawn
    }

    /// Draws the overlays of some layers from another scene with the same selection.
    fn draw_from(&mut self, scene: &Scene, layers: &[Layer], context: &OverlayContext<'_>) {
        let (world, inspector) = settled(scene, context.assets);
        let mut debug = DebugDraw::default();
        overlays::draw(
            layers.iter().copied(),
            &OverlayContext { world: &world, inspector: &inspector, scene, ..*context },
            &mut debug,
        );
        self.debug.lines.append(&mut debug.lines);
        self.debug.triangles.append(&mut debug.triangles);
        self.debug.texts.append(&mut debug.texts);
        if let Some(error) = world.mesh().error() {
            self.notes.push(format!("The mesh for {} could not be baked: {error}.", names(layers)));
        } else if world.mesh().built().is_some() && scene.nav.mesh != context.scene.nav.mesh {
            self.notes.push(format!(
                "The scene's mesh is not baked: for {} one was baked with the scene's settings; characters walk on theirs.",
                names(layers)
            ));
        }
    }

    /// Notes the overlays that show nothing.
    fn say_what_is_empty(&mut self, layers: &[Layer], context: &OverlayContext<'_>) {
        for &layer in layers {
            let is_seen = self.debug.lines.iter().any(|line| line.layer == layer)
                || self.debug.triangles.iter().any(|triangle| triangle.layer == layer);
            let error = context.world.mesh().error().filter(|_| layer == Layer::NavMesh);
            let why = error.map(ToString::to_string).or_else(|| why_empty(layer, context).map(str::to_owned));
            if let Some(why) = why.filter(|_| !is_seen) {
                self.notes.push(format!("The overlay {} shows nothing: {why}.", names(&[layer])));
            }
        }
    }
}

fn names(layers: &[Layer]) -> String {
    let names: Vec<&str> = layers.iter().filter_map(|layer| Some(overlays::of(*layer)?.name)).collect();
    names.join(", ")
}

fn is_of_bake(layer: Layer) -> bool {
    overlays::of(layer).is_some_and(|overlay| overlay.group == BAKE)
}

/// Whether an overlay needs a bake or covers that this scene does not have.
fn lacks_source(layer: Layer, scene: &Scene) -> bool {
    let is_bare = layer == Layer::Cover && scene.nav.threats.is_empty();
    !scene.levels.is_empty() && (is_bare || (is_of_bake(layer) && scene.nav.mesh != MeshSource::Baked))
}

/// The scene with what these layers lack.
fn completed(layers: &[Layer], scene: &Scene) -> Scene {
    let mut nav = SceneNav::clone(&scene.nav);
    if layers.iter().any(|layer| is_of_bake(*layer)) {
        nav.mesh = MeshSource::Baked;
    }
    if layers.contains(&Layer::Cover) && nav.threats.is_empty() {
        // Covers are found where there is a threat to hide from, wherever that is.
        nav.threats.push(Vec3::ZERO);
    }
    Scene { nav: Arc::new(nav), ..scene.clone() }
}

/// The world of a scene at its start.
fn settled(scene: &Scene, assets: &AssetStore) -> (World, Inspector) {
    let (mut world, mut inspector) = (World::default(), Inspector::default());
    world.reconcile(scene, assets);
    inspector.reconcile(&world, scene);
    (world, inspector)
}

/// Why an overlay shows nothing; none for those drawn elsewhere.
fn why_empty(layer: Layer, context: &OverlayContext<'_>) -> Option<&'static str> {
    let scene = context.scene;
    Some(match layer {
        Layer::Cameras | Layer::CollisionSpheres | Layer::CollidingSpheres => return None,
        _ if is_of_bake(layer) && scene.levels.is_empty() => "the scene has no level to bake a mesh from",
        _ if is_of_bake(layer) => "the bake has nothing of it",
        Layer::NavPath => "no character walks at this moment; see --seconds",
        Layer::NavMesh | Layer::NavGround | Layer::Cover if scene.levels.is_empty() => "the scene has no level",
        Layer::ProbePath | Layer::ProbeCorridor | Layer::ProbePortals => "the scene has no test path",
        Layer::Exposure | Layer::CoverMap if scene.nav.threats.is_empty() => "the scene has no threats",
        Layer::Exposure => "the scene has no test path that threats could see",
        Layer::Threats => "the scene has no threats",
        Layer::Obstacles => "the scene has no obstacles",
        Layer::Volumes => "the scene has no volumes",
        Layer::Seeds => "the scene has no seeds",
        Layer::NavCrowd => "the scene has no crowds",
        Layer::NavLinks => "the mesh has no off-mesh links",
        Layer::SearchNodes => "no search is stepped by hand",
        Layer::Findings => "the doctor was not asked; see walkabout doctor",
        Layer::MeshDifferences => "the mesh is compared with no other; see walkabout diff",
        Layer::Zones => "the scene has no zones",
        Layer::MotionTrajectories => "no model of the scene walks by motion matching",
        Layer::CollidingBoxes | Layer::CollidingTriangles => "nothing touches",
        _ if context.selection.instance.is_none() => "there is nothing of it in the scene, or nothing is selected",
        _ => "there is nothing of it in the scene",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Selection;

    #[test]
    fn an_overlay_that_shows_nothing_says_why() {
        let (scene, assets, selection) = (Scene::default(), AssetStore::default(), Selection::default());
        let (world, inspector) = settled(&scene, &assets);
        let context = OverlayContext {
            world: &world,
            inspector: &inspector,
            scene: &scene,
            assets: &assets,
            selection: &selection,
        };
        let notes = |layer| DrawnOverlays::new(&[layer], &context).notes.join(" ");
        assert_eq!(notes(Layer::Grid), "");
        assert!(notes(Layer::BakeRegions).contains("bake-regions shows nothing: the scene has no level"));
        assert!(notes(Layer::Threats).contains("the scene has no threats"));
        let twice = DrawnOverlays::new(&[Layer::Threats, Layer::Grid, Layer::Threats], &context);
        assert_eq!(twice.notes.len(), 1, "an overlay that is named twice is one: {:?}", twice.notes);
    }

    #[test]
    fn a_mesh_that_is_not_there_says_why() {
        let mut scene = Scene::default();
        let nav = SceneNav { mesh: MeshSource::File("missing.navmesh".into()), ..SceneNav::default() };
        scene.nav = Arc::new(nav);
        let (assets, selection) = (AssetStore::default(), Selection::default());
        let (world, inspector) = settled(&scene, &assets);
        let context = OverlayContext {
            world: &world,
            inspector: &inspector,
            scene: &scene,
            assets: &assets,
            selection: &selection,
        };
        let error = world.mesh().error().expect("the file is not there").to_string();
        let notes = DrawnOverlays::new(&[Layer::NavMesh], &context).notes;
        assert_eq!(notes, [format!("The overlay nav-mesh shows nothing: {error}.")]);
    }

    #[test]
    fn a_scene_is_completed_with_what_its_overlays_lack() {
        let scene = Scene::default();
        assert!(!lacks_source(Layer::BakeRegions, &scene), "without a level nothing can be baked");
        let baked = completed(&[Layer::BakeRegions], &scene);
        assert!(baked.nav.mesh == MeshSource::Baked && baked.nav.threats.is_empty());
        assert_eq!(completed(&[Layer::Cover], &scene).nav.threats.len(), 1);
    }
}
