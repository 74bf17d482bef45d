//! Navigation meshes of the Source engine and its forebear: `.nav` of Counter-Strike 1.6 and Condition Zero (versions 1
//! to 5) and of Source games (6 to 16) with what Counter-Strike: Source, Global Offensive, Team Fortress 2 and
//! Left 4 Dead add. Insurgency writes a layout that is not public; it is refused.
//!
//! Areas of polygons: 0 ordinary, 1 to crouch in, 2 to jump in, 3 to avoid, 4 stairs; the first that holds counts.

mod file;
mod passages;
mod units;

use glam::DVec3;

use self::file::{IN_COVER, NavArea, NavFile};
use self::passages::{KeptAreas, twist};
use self::units::{METRES_PER_UNIT, STEP_UNITS, metres};
use super::{ExchangeError, ForeignMesh, ForeignPolygon, Joining};

/// Bits of an area's attributes, and the area of the polygon.
const AREAS: [[u32; 2]; 4] = [[0x1, 1], [0x2, 2], [0x80, 3], [0x1000, 4]];

/// Bit of an area that was blocked when the file was saved.
const BLOCKED: u32 = 0x8000_0000;

/// A rectangle that is less flat than this gets triangles around its middle, metres.
const FLAT_METRES: f64 = 0.01;

/// Whether a file begins as these meshes do.
pub fn is_source_nav(bytes: &[u8]) -> bool {
    bytes.starts_with(&file::MAGIC.to_le_bytes())
}

/// Reads a navigation mesh of the Source engine.
///
/// # Errors
/// Another format, a version whose layout is not known, a file that is cut short or damaged, no area to walk on.
pub fn read_source_nav(bytes: &[u8]) -> Result<ForeignMesh, ExchangeError> {
    if !is_source_nav(bytes) {
        return Err(ExchangeError::Unknown);
    }
    let file = file::read(bytes)?;
    let areas: Vec<NavArea> = file.areas.iter().copied().filter(NavArea::has_extent).collect();
    if areas.is_empty() {
        return Err(ExchangeError::Empty);
    }
    let mut next = 0..;
    let polygon_of: Vec<Option<u32>> =
        file.areas.iter().map(|area| if area.has_extent() { next.next() } else { None }).collect();
    let kept = KeptAreas::new(&areas);
    let passages = kept.connect(&file.connections, &polygon_of);
    let mut links = passages.links;
    let useless_ladders = kept.climb(&file, &mut links);
    let cover: Vec<DVec3> =
        file.spots.iter().filter(|spot| spot.flags & IN_COVER != 0).map(|spot| metres(spot.position)).collect();
    Ok(ForeignMesh {
        regions: None,
        detour: None,
        format: format!("Source engine navigation mesh, version {}", file.version),
        notes: notes(&file, [areas.len(), cover.len()], [passages.lost, useless_ladders]),
        polygons: areas.iter().map(polygon).collect(),
        listed: Vec::new(),
        agent_radius: None,
        joining: Joining::Explicit { joints: passages.joints, climb: STEP_UNITS * METRES_PER_UNIT },
        links,
        cover,
    })
}

fn polygon(area: &NavArea) -> ForeignPolygon {
    let corners = area.corners().map(metres);
    let mut detail = Vec::new();
    if twist(area) > FLAT_METRES {
        let middle = corners.iter().sum::<DVec3>() / 4.0;
        detail.extend((0..4).map(|n| [corners[n], corners[(n + 1) % 4], middle]));
    }
    let kind = AREAS.iter().find(|[bit, _]| area.attributes & bit != 0).map_or(0, |&[_, kind]| kind as u8);
    ForeignPolygon { corners: corners.to_vec(), area: kind, flags: 1, detail }
}

fn notes(file: &NavFile, [kept, cover]: [usize; 2], [lost, useless_ladders]: [usize; 2]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |count: usize, text: &str| {
        if count > 0 {
            notes.push(format!("{text}: {count}."));
        }
    };
    note(file.areas.len() - kept, "Areas without extent that were left out");
    note(lost, "Connections to areas that are missing or without extent");
    note(useless_ladders, "Ladders that lead from no area to another");
    note(file.spots.len() - cover, "Hiding spots without cover, for snipers, that were left out");
    note(file.leftover, "Bytes behind the mesh, which older games leave there of a longer one");
    let blocked = file.areas.iter().filter(|area| area.has_extent() && area.attributes & BLOCKED != 0).count();
    note(blocked, "Areas that can be walked on here, though the map blocked them when it was saved");
    notes.push(
        "Names of places, encounter paths, times, light, visibility and the game's own attributes were left out."
            .into(),
    );
    if file.version < 6 {
        notes.push("Files of this version hold no ladders; place links where there are any.".into());
    }
    notes
}
