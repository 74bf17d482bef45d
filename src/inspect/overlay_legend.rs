//! What the colours of overlays mean, where they are always the same.

use super::crowd_demo;
use super::mesh_compare_debug;
use super::query_tool::debug::{CORRIDOR_COLORS, NEAR_WALL, NODE_COLORS, PATH_COLORS, PORTAL, SEEN_COLORS};
use crate::collide::debug::{CONTACT_BOX, INSTANCE_BOX, SELECTED_BOX, depth_color};
use crate::debug::{Color, Layer};
use crate::nav::bake::debug as bake;
use crate::nav::debug as nav;

/// A colour and what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegendEntry {
    /// The colour in the picture, linear.
    pub color: Color,
    /// What it means.
    pub text: &'static str,
}

/// The colours of a layer's overlay; none where they only tell things apart, or where one says enough.
pub fn entries(layer: Layer) -> Vec<LegendEntry> {
    let rows: &[(Color, &'static str)] = match layer {
        Layer::NavNeighbors => &[(nav::HERE, "Ground under the selected"), (nav::NEIGHBOR, "One hop away")],
        Layer::ProbePath => &[(PATH_COLORS[0], "Test path"), (PATH_COLORS[1], "Compared with")],
        Layer::ProbeCorridor => &[
            (CORRIDOR_COLORS[0], "First polygon"),
            (CORRIDOR_COLORS[1], "Polygons between"),
            (CORRIDOR_COLORS[2], "Last polygon"),
        ],
        Layer::ProbePortals => &[(PORTAL, "Edge that is crossed")],
        Layer::SearchNodes => &[(NODE_COLORS[0], "Open node"), (NODE_COLORS[1], "Closed node")],
        Layer::ProbeRay => &[(SEEN_COLORS[1], "Free"), (SEEN_COLORS[0], "Beyond the wall")],
        Layer::WallSegments => &[(NEAR_WALL, "Wall")],
        Layer::Exposure => &[(SEEN_COLORS[0], "Seen by a threat"), (SEEN_COLORS[1], "Hidden")],
        Layer::BakeFilters | Layer::BakeErosion => {
            &[(bake::WALKABLE, "Walkable"), (bake::UNWALKABLE_COLOR, "Not walkable")]
        }
        Layer::MeshDifferences => &mesh_compare_debug::LEGEND,
        Layer::NavCrowd => &crowd_demo::LEGEND,
        Layer::InstanceBoxes | Layer::CollisionSpheres => {
            &[(INSTANCE_BOX, "Free"), (CONTACT_BOX, "Touches another"), (SELECTED_BOX, "Selected")]
        }
        Layer::LevelOctree | Layer::InstanceOctree => return octree(),
        _ => &[],
    };
    rows.iter().map(|&(color, text)| LegendEntry { color, text }).collect()
}

/// The depths of an octree's cells.
fn octree() -> Vec<LegendEntry> {
    let entry = |(depth, text)| LegendEntry { color: depth_color(depth), text };
    [(1, "Depth 1"), (3, "Depth 3"), (6, "Depth 6 and more")].map(entry).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::overlays::OVERLAYS;

    #[test]
    fn no_two_colours_of_an_overlay_are_the_same() {
        for overlay in OVERLAYS {
            let all = entries(overlay.layer);
            for (i, one) in all.iter().enumerate() {
                assert!(
                    all[..i].iter().all(|other| other.color != one.color && other.text != one.text),
                    "{}",
                    overlay.name
                );
            }
        }
    }
}
