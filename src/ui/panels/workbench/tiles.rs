//! The tile under the cursor, and what becomes of it.

use crate::nav::bake::tiles::{BakeTile, TileGrid};
use crate::scene::nav::MeshSource;
use crate::ui::command::Command;
use crate::ui::nav_tools::{NavTools, toggled};
use crate::ui::widgets::{fixed, form, text};
use crate::ui::{UiContext, edits};
use egui::{Button, Label, RichText, Ui};

/// Cells along a tile's edge where the bake has no tiles yet: RecastDemo's default.
const TILE_CELLS: u32 = 32;

/// Draws what the tool Tile shows.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, nav_tools: &NavTools, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    let Some(grid) = grid(cx) else {
        let said = if nav.mesh == MeshSource::Baked {
            "The mesh is being baked."
        } else {
            "Tiles are those of a baked mesh: bake it first."
        };
        ui.add(Label::new(RichText::new(said).weak()).wrap());
        return;
    };
    if nav.bake.tile_cells == 0 {
        ui.add(Label::new(RichText::new("The bake is one tile.").weak()).wrap());
        let help = "Sets Tile edge in Bake settings, and bakes anew.";
        if ui.button(format!("Cut into tiles of {TILE_CELLS} cells")).on_hover_text(help).clicked() {
            let mut to = nav.clone();
            to.bake.tile_cells = TILE_CELLS;
            out.push(edits::set_nav("cut the bake into tiles".to_owned(), "Tile edge", to));
        }
    }
    let with_ground = grid.tiles().iter().filter(|tile| tile.walkable > 0).count();
    let count = grid.tiles().len();
    if count > 1 {
        ui.label(format!("{count} tiles, {with_ground} with ground"));
        let made = grid.tiles().iter().filter(|tile| tile.region_ms > 0.0).count();
        let said = format!("{made} made by the last bake, {} kept", count - made);
        ui.weak(said).on_hover_text("What changes in a part of the level, or by a volume, makes only its tiles anew.");
    }
    let Some((number, tile)) = nav_tools.tile.and_then(|number| Some((number, grid.tiles().get(number)?))) else {
        ui.weak("Point at a tile.");
        return;
    };
    figures(ui, grid, number, tile);
    let removed = nav.bake.volumes.iter().any(|volume| tile.is_removed_by(volume));
    ui.horizontal(|ui| {
        let label = if removed { "Build" } else { "Remove" };
        let help =
            "Leaves the tile out of the mesh by a volume, or builds it again; the voxels are kept. As a click on it.";
        if ui.button(label).on_hover_text(help).clicked() {
            out.push(Command::Edit(Box::new(toggled(nav, tile))));
        }
        let help = "Makes voxels and regions of this tile anew from the level; all others are kept.";
        if ui.add_enabled(!removed, Button::new("Rebuild")).on_hover_text(help).clicked() {
            out.push(Command::RebuildTile(tile.inner()));
        }
    });
}

/// The tiles of the scene's bake.
fn grid<'a>(cx: &UiContext<'a>) -> Option<&'a TileGrid> {
    Some(&cx.world.mesh().built()?.baked.as_ref()?.debug.as_ref()?.tiles)
}

fn figures(ui: &mut Ui, grid: &TileGrid, number: usize, tile: &BakeTile) {
    let (min, max) = (tile.bounds.min, tile.bounds.max);
    let across = grid.across().max(1);
    form(ui, "tile", |ui| {
        text(ui, "Tile", format!("{}, {}", number % across, number / across));
        let span = |low: f32, high: f32| format!("{} to {} m", fixed(low, 1), fixed(high, 1));
        text(ui, "X", span(min.x, max.x));
        text(ui, "Y", span(min.y, max.y));
        text(ui, "Z", span(min.z, max.z));
        text(ui, "Polygons", tile.polygons.to_string());
        text(ui, "Regions", tile.regions.to_string());
        text(ui, "Spans", format!("{}, {} walkable", tile.spans, tile.walkable));
        if tile.region_ms > 0.0 {
            text(ui, "Its regions", format!("{:.2} ms", tile.region_ms));
        }
    });
}
