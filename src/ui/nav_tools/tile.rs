//! Tiles of a bake that are left out of the mesh, by a volume each.

use crate::nav::bake::tiles::BakeTile;
use crate::scene::SceneNav;
use crate::ui::command::EditStep;
use crate::ui::edits;

/// Leaves a tile out of the mesh, or builds it again where it is left out.
pub fn toggled(nav: &SceneNav, tile: &BakeTile) -> EditStep {
    let mut to = nav.clone();
    let before = to.bake.volumes.len();
    to.bake.volumes.retain(|volume| !tile.is_removed_by(volume));
    let name = if to.bake.volumes.len() < before {
        "build a tile"
    } else {
        to.bake.volumes.push(tile.removal());
        "remove a tile"
    };
    edits::nav_step(name, None, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Aabb;
    use crate::scene::edit::Edit;
    use glam::Vec3;

    #[test]
    fn a_tile_is_removed_and_built_again() {
        let bounds = Aabb::new(Vec3::new(3.2, -1.0, 6.4), Vec3::new(6.4, 2.0, 9.6));
        let tile = BakeTile { bounds, spans: 9, walkable: 9, regions: 1, polygons: 2, region_ms: 0.1 };
        let nav_of = |step: EditStep| match step.edit {
            Edit::SetNav(nav) => *nav,
            other => panic!("{other:?}"),
        };
        let removed = nav_of(toggled(&SceneNav::default(), &tile));
        assert_eq!(removed.bake.volumes, [tile.removal()]);
        // Without ground its heights are others, its square is the same.
        let flat = BakeTile { bounds: Aabb::new(bounds.min.with_y(0.0), bounds.max.with_y(0.0)), walkable: 0, ..tile };
        assert_eq!(nav_of(toggled(&removed, &flat)), SceneNav::default());
    }
}
