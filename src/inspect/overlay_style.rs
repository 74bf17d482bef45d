//! How overlays are drawn, beside which of them are.

use crate::debug::{Depth, Layer};
use crate::vocab::labelled;

labelled! {
    /// Which lines are shown, faintly, where something lies in front of them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum OccludedLines: label {
        /// Those of all overlays.
        #[default]
        All = "All faintly",
        /// Those about the selected instance, and those of the tools.
        Selected = "Selected faintly",
        /// None.
        Nothing = "Nothing",
    }
}

/// How overlays are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayStyle {
    /// What is shown behind walls.
    pub occluded: OccludedLines,
    /// Cells of octrees this deep stand for those below; 0 for no limit.
    pub octree_depth: u32,
    /// Factor on the widths of lines.
    pub line_width: f32,
}

impl Default for OverlayStyle {
    fn default() -> Self {
        Self { occluded: OccludedLines::default(), octree_depth: 0, line_width: 1.0 }
    }
}

impl OverlayStyle {
    /// How a layer treats the geometry in front of it that is dimmed there as a rule.
    pub fn depth_of(self, layer: Layer, usual: Depth) -> Depth {
        let faint = match self.occluded {
            OccludedLines::All => true,
            OccludedLines::Selected => is_about_the_selected(layer),
            OccludedLines::Nothing => false,
        };
        if usual == Depth::Dimmed && !faint { Depth::Tested } else { usual }
    }

    /// The same for the path of an instance.
    pub fn path_depth(self, selected: bool) -> Option<Depth> {
        (selected && self.occluded == OccludedLines::Selected).then_some(Depth::Dimmed)
    }
}

/// Whether a layer shows the selected instance, or the answer of a tool.
fn is_about_the_selected(layer: Layer) -> bool {
    use Layer as L;
    let own = [L::NavNeighbors, L::SelectedBox, L::SelectedSpheres, L::Skeleton, L::Legs, L::Interaction];
    let tools =
        [L::ProbePath, L::ProbeCorridor, L::ProbePortals, L::ProbeRay, L::ProbeWall, L::SearchNodes, L::Exposure];
    let partners = [L::InteractionView, L::InteractionCandidates];
    own.contains(&layer) || tools.contains(&layer) || partners.contains(&layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_walls_is_faint_at_choice() {
        let depth =
            |occluded, layer, usual| OverlayStyle { occluded, ..OverlayStyle::default() }.depth_of(layer, usual);
        for layer in [Layer::NavPath, Layer::ProbePath] {
            assert_eq!(depth(OccludedLines::All, layer, Depth::Dimmed), Depth::Dimmed);
            assert_eq!(depth(OccludedLines::Nothing, layer, Depth::Dimmed), Depth::Tested);
            assert_eq!(depth(OccludedLines::Nothing, layer, Depth::OnTop), Depth::OnTop);
        }
        assert_eq!(depth(OccludedLines::Selected, Layer::NavPath, Depth::Dimmed), Depth::Tested);
        assert_eq!(depth(OccludedLines::Selected, Layer::ProbePath, Depth::Dimmed), Depth::Dimmed);
        let style = OverlayStyle { occluded: OccludedLines::Selected, ..OverlayStyle::default() };
        assert_eq!([true, false].map(|on| style.path_depth(on)), [Some(Depth::Dimmed), None]);
    }
}
