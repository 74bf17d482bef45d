//! What Unreal Engine adds to the OBJ files of its navigation export: `rd_bbox`, the box of the mesh in Recast's axes
//! and centimetres.
//!
//! The engine writes vertices so, too; plug-ins write the engine's axes, or metres. That is told by which of these
//! brings the vertices into the box.

use glam::{DMat3, DVec3};

/// The engine's centimetres.
const CENTIMETRE: f64 = 0.01;
/// Height of an agent in metres that none has.
const TALLEST: f64 = 10.0;

/// What the lines say.
#[derive(Debug, Default)]
pub struct UnrealExport {
    bounds: Option<[DVec3; 2]>,
    /// Of the agent, as it stands in the file.
    height: Option<f64>,
    radius: Option<f64>,
}

/// A way in which vertices are written.
struct Writing {
    words: &'static str,
    /// To Recast's axes.
    recast_from_file: DMat3,
    metres: f64,
}

/// Recast's x, y and z are the engine's -x, z and -y.
const RECAST_FROM_ENGINE: DMat3 = DMat3::from_cols(DVec3::NEG_X, DVec3::NEG_Z, DVec3::Y);

const WRITINGS: [Writing; 4] = [
    Writing {
        words: "Unreal Engine OBJ, centimetres, Recast's axes",
        recast_from_file: DMat3::IDENTITY,
        metres: CENTIMETRE,
    },
    Writing { words: "Unreal Engine OBJ, metres, Recast's axes", recast_from_file: DMat3::IDENTITY, metres: 1.0 },
    Writing { words: "Unreal Engine OBJ, centimetres, Z up", recast_from_file: RECAST_FROM_ENGINE, metres: CENTIMETRE },
    Writing { words: "Unreal Engine OBJ, metres, Z up", recast_from_file: RECAST_FROM_ENGINE, metres: 1.0 },
];

impl UnrealExport {
    /// Takes a line.
    pub fn take<'a>(&mut self, word: &str, numbers: impl Iterator<Item = &'a str>) {
        let numbers: Vec<f64> = numbers.map_while(|n| n.parse::<f64>().ok()).collect();
        if let ("rd_bbox", &[a, b, c, d, e, f]) = (word, &numbers[..]) {
            self.bounds = Some([DVec3::new(a, b, c), DVec3::new(d, e, f)]);
        }
        let first = numbers.first().copied().filter(|n| n.is_finite() && *n > 0.0);
        match word {
            "rd_agh" => self.height = first,
            "rd_agr" => self.radius = first,
            _ => {}
        }
    }

    /// Radius of the agents that the mesh was made for, metres.
    pub fn agent_radius(&self) -> Option<f32> {
        self.radius.map(|radius| (radius * CENTIMETRE) as f32)
    }

    /// Brings vertices to metres in our axes, and says how they were written; `None` for files of other programs.
    pub fn place(&self, vertices: &mut [DVec3]) -> Option<&'static str> {
        let Some(bounds) = self.bounds.map(|bounds| bounds.map(|p| p * CENTIMETRE)) else {
            // Without the box the engine's own writing; no character is ten metres tall.
            self.height.filter(|height| *height > TALLEST)?;
            vertices.iter_mut().for_each(|v| *v *= CENTIMETRE);
            return Some(
                "Unreal Engine OBJ without its box, taken as centimetres with Recast's axes by its agents' height",
            );
        };
        let misfit = |writing: &Writing| {
            let placed = vertices.iter().map(|&v| writing.recast_from_file * v * writing.metres);
            let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
            let ends = placed.fold(start, |[low, high], p| [low.min(p), high.max(p)]);
            ends[0].distance(bounds[0]) + ends[1].distance(bounds[1])
        };
        let fits = WRITINGS.iter().min_by(|a, b| misfit(a).total_cmp(&misfit(b)))?;
        vertices.iter_mut().for_each(|v| *v = fits.recast_from_file * *v * fits.metres);
        Some(fits.words)
    }
}
