//! Bakes the scene's navigation mesh, and switches overlays.

use super::state::App;
use crate::debug::Layer;
use crate::nav::bake::BakeSettings;
use crate::nav::mesh::debug::MeshColoring;
use crate::scene::SceneNav;
use crate::scene::edit::Edit;
use crate::scene::nav::MeshSource;
use crate::ui::command::EditStep;
use std::borrow::Cow;
use std::collections::BTreeSet;

impl App {
    /// Bakes the mesh from the level and shows it. One that is up to date is not baked again.
    pub(super) fn bake(&mut self) {
        if self.scene.levels.is_empty() {
            self.notices.info("There is no level to bake a mesh from. Open one, or add one to the scene, first.");
            return;
        }
        self.overlays.insert(Layer::NavMesh);
        let fitted = self.fitted_bake();
        let nav = &*self.scene.nav;
        let failed = nav.mesh == MeshSource::Baked && self.world.mesh().error().is_some();
        if nav.mesh != MeshSource::Baked || (failed && fitted.is_some()) {
            let mut to = SceneNav { mesh: MeshSource::Baked, ..nav.clone() };
            if let Some(fitted) = fitted {
                self.notices.info(format!(
                    "The level is large: it is baked with cells of {} m{}. The cell size can be changed in the workbench.{}",
                    (fitted.cell_size * 100.0).round() / 100.0,
                    if fitted.tile_cells > 0 { " in tiles" } else { "" },
                    fitted.lost_slopes(),
                ));
                to.bake = fitted;
            }
            let name = "bake the navigation mesh".to_owned();
            return self.edit(EditStep { name, edit: Edit::SetNav(Box::new(to)), merge: None });
        }
        self.stale |= self.world.resume_bake();
        let mesh = self.world.mesh();
        if !mesh.is_building() && mesh.error().is_none() && mesh.built().is_some() {
            self.notices.info("The mesh is up to date: neither level nor settings have changed since it was baked.");
        }
        self.keep_unsaved();
    }

    /// The scene's bake for a level that is too large for it, unless its cells were chosen.
    fn fitted_bake(&self) -> Option<BakeSettings> {
        let (bake, usual) = (&self.scene.nav.bake, SceneNav::default().bake);
        let chosen = |s: &BakeSettings| (s.cell_size, s.cell_height, s.tile_cells);
        if chosen(bake) != chosen(&usual) {
            return None;
        }
        bake.fitted_to(self.world.triangle_tree()?.bounds().size())
    }

    /// Colours the mesh by something else, and shows it.
    pub(super) fn color_mesh(&mut self, coloring: MeshColoring) {
        self.overlays.insert(Layer::NavMesh);
        self.inspector.legend_mut().set_coloring(coloring);
        self.inspector.reconcile(&self.world, &self.scene);
    }

    /// Switches an overlay on or off. What the tool needs comes back with the next choice of a tool.
    pub(super) fn show_overlay(&mut self, layer: Layer, on: bool) {
        let is_lent = self.ui.nav_tools.overlays().contains(&layer);
        self.ui.nav_tools.show(layer, on);
        if on && !is_lent {
            self.overlays.insert(layer);
        } else if !on {
            self.overlays.remove(&layer);
        }
        self.keep_unsaved();
    }

    /// Shows these overlays in place of those that are on. The tool's own stay.
    pub(super) fn show_overlays(&mut self, layers: &[Layer]) {
        self.overlays = layers.iter().copied().collect();
        self.keep_unsaved();
    }

    /// The overlays that are shown: those that are on, and those of the tool.
    pub(super) fn shown_overlays(&self) -> Cow<'_, BTreeSet<Layer>> {
        let mut shown = Cow::Borrowed(&self.overlays);
        for layer in self.ui.nav_tools.shown().filter(|layer| !self.overlays.contains(layer)) {
            shown.to_mut().insert(layer);
        }
        shown
    }
}
