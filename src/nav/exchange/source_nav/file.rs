//! The layout of the file, by version: what Valve's games wrote from Counter-Strike 1.6 on.
//!
//! | version | what it brings |
//! | --- | --- |
//! | 1 | hiding spots are points, encounter paths hold theirs |
//! | 2 | hiding spots have a number and flags |
//! | 3 | encounter paths name hiding spots by number |
//! | 4 | size of the map's file |
//! | 5 | names of places |
//! | 6 | ladders |
//! | 7 | areas name their ladders, so that a ladder may be one way |
//! | 8 | times of arrival |
//! | 9 | attributes of 16 bits |
//! | 10 | number of the game's own format |
//! | 11 | light |
//! | 12 | whether areas without a place exist |
//! | 13 | attributes of 32 bits |
//! | 14 | whether the mesh is analyzed |
//! | 15 | no approach areas |
//! | 16 | visibility |
//!
//! Games add a part of their own, told by a second number from version 10 on: to each area, and Left 4 Dead also before
//! the areas and behind the ladders (its layout: the SourcePawn library `sourcepawn-navmesh`). Condition Zero wrote
//! shorter meshes over longer ones without cutting the file, so that bytes of the old mesh may follow the new one.

use std::collections::HashSet;

use glam::DVec3;

use crate::nav::exchange::{Bytes, ExchangeError};

/// The first four bytes as a number.
pub(super) const MAGIC: u32 = 0xFEED_FACE;

/// Flag of a hiding spot in a corner with hard cover nearby.
pub(super) const IN_COVER: u8 = 1;

/// Fewest bytes of an area, those of version 1.
const AREA_BYTES: usize = 59;

/// Fewest bytes of a ladder.
const LADDER_BYTES: usize = 60;

/// A rectangle seen from above. North is towards lower y, east towards higher x, z is up, in units of the game.
#[derive(Clone, Copy, Debug)]
pub(super) struct NavArea {
    pub id: u32,
    pub attributes: u32,
    pub north_west: DVec3,
    pub south_east: DVec3,
    /// Heights of the other two corners.
    pub north_east_z: f64,
    pub south_west_z: f64,
}

/// A way from an area to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    /// Index of the area.
    pub from: u32,
    /// Edge of that area, from north clockwise.
    pub direction: u32,
    /// Number of the other area.
    pub to: u32,
}

/// A place for a bot to wait at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub position: DVec3,
    pub flags: u8,
}

/// An area from which a ladder can be climbed.
#[derive(Clone, Copy, Debug)]
pub(super) struct LadderUse {
    /// Number of the area.
    pub area: u32,
    /// Number of the ladder.
    pub ladder: u32,
    pub up: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ladder {
    pub id: u32,
    pub top: DVec3,
    pub bottom: DVec3,
    /// Whether its lower end hangs too high to climb up. Told by version 6 alone.
    pub dangling: bool,
    /// Numbers of the areas before it, left, right and behind it at its top; 0 is none. The last serves the way down only.
    pub tops: [u32; 4],
    /// Number of the area at its bottom; 0 is none.
    pub bottom_area: u32,
}

/// All that is used of a file.
#[derive(Debug, Default)]
pub(super) struct NavFile {
    pub version: u32,
    pub areas: Vec<NavArea>,
    pub connections: Vec<Connection>,
    pub spots: Vec<Spot>,
    pub ladder_uses: Vec<LadderUse>,
    pub ladders: Vec<Ladder>,
    /// Bytes behind the mesh.
    pub leftover: usize,
}

/// What a game adds.
#[derive(Clone, Copy, Debug)]
enum Extra {
    Nothing,
    /// Counter-Strike: Source and Global Offensive.
    ApproachAreas,
    /// Team Fortress 2.
    Attributes,
    /// Left 4 Dead: where zombies appear, fog and visibility, by the number of its own format.
    Terror(u32),
}

/// The number of the newest format of Left 4 Dead.
const NEWEST_TERROR: u32 = 14;

/// Reads a file whose first bytes have been looked at.
pub(super) fn read(bytes: &[u8]) -> Result<NavFile, ExchangeError> {
    let mut rest = Bytes::new(bytes);
    let header = |what: &str| ExchangeError::Text(format!("the {what} is cut short; copy the file again"));
    rest.u32().ok_or_else(|| header("magic number"))?;
    let version = rest.u32().ok_or_else(|| header("version"))?;
    if !(1..=16).contains(&version) {
        let format = "a Source engine navigation mesh";
        return Err(ExchangeError::Version { format, found: version, read: "1 to 16" });
    }
    let sub_version = if version >= 10 { rest.u32().ok_or_else(|| header("version"))? } else { 0 };
    let extras: &[Extra] = match sub_version {
        0 => &[Extra::Nothing],
        // Team Fortress 2 once wrote nothing under this number.
        1 if version >= 15 => &[Extra::ApproachAreas, Extra::Nothing, Extra::Terror(1)],
        1 => &[Extra::Nothing, Extra::Terror(1)],
        2 => &[Extra::Attributes, Extra::Terror(2)],
        // Some mods count on without adding anything.
        number => &[Extra::Terror(number), Extra::Nothing, Extra::Attributes],
    };
    skip_header(&mut rest, version).ok_or_else(|| header("list of places"))?;
    let is_known = sub_version <= 2 || sub_version == NEWEST_TERROR;
    let (mut longer, mut refused) = (None, None);
    for &extra in extras {
        match read_areas(rest, version, extra) {
            Ok(file) if file.leftover == 0 => return Ok(file),
            // What follows the mesh is left of an older one only where the mesh itself is sound.
            Ok(file) if is_known && file.is_sound() => longer = longer.or(Some(file)),
            Ok(file) => {
                refused.get_or_insert(ExchangeError::Text(format!(
                    "{} bytes follow where the navigation mesh ends, and its connections lead nowhere; save it anew",
                    file.leftover
                )));
            }
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
    }
    match (longer, refused) {
        (Some(file), _) => Ok(file),
        (None, Some(error)) if is_known => Err(error),
        _ => Err(ExchangeError::Version {
            format: "the game's own part of a Source engine navigation mesh",
            found: sub_version,
            read: "0 (Garry's Mod and others), 1 (Counter-Strike), 2 (Team Fortress 2) and up to 14 (Left 4 Dead)",
        }),
    }
}

impl NavFile {
    /// Whether nearly all connections lead to areas that are there.
    fn is_sound(&self) -> bool {
        let areas: HashSet<u32> = self.areas.iter().map(|area| area.id).collect();
        let lost = self.connections.iter().filter(|way| !areas.contains(&way.to)).count();
        !self.areas.is_empty() && lost * 20 <= self.connections.len()
    }
}

/// From the size of the map to the names of places.
fn skip_header(rest: &mut Bytes, version: u32) -> Option<()> {
    if version >= 4 {
        rest.u32()?;
    }
    if version >= 14 {
        rest.u8()?;
    }
    if version >= 5 {
        for _ in 0..rest.u16()? {
            let length = rest.u16()?;
            rest.take(length.into())?;
        }
    }
    if version > 11 {
        rest.u8()?;
    }
    Some(())
}

/// Areas and ladders, to the end of the file.
fn read_areas(mut rest: Bytes, version: u32, extra: Extra) -> Result<NavFile, ExchangeError> {
    let too_many =
        |what| ExchangeError::Text(format!("the number of {what} is more than the file can hold; copy it again"));
    let mut file = NavFile { version, ..NavFile::default() };
    if let Extra::Terror(number) = extra {
        skip_terror_header(&mut rest, number).ok_or(ExchangeError::Element { what: "place of fog", index: 0 })?;
    }
    let count = rest.count(AREA_BYTES).ok_or_else(|| too_many("areas"))?;
    for index in 0..count {
        read_area(&mut rest, &mut file, extra).ok_or(ExchangeError::Element { what: "area", index })?;
    }
    if version >= 6 {
        let count = rest.count(LADDER_BYTES).ok_or_else(|| too_many("ladders"))?;
        for index in 0..count {
            let ladder = read_ladder(&mut rest, version).ok_or(ExchangeError::Element { what: "ladder", index })?;
            file.ladders.push(ladder);
        }
    }
    if matches!(extra, Extra::Terror(_)) {
        // How far agents see.
        rest.take(4).ok_or(ExchangeError::Element { what: "distance of sight", index: 0 })?;
    }
    file.leftover = rest.rest().len();
    Ok(file)
}

fn read_area(rest: &mut Bytes, file: &mut NavFile, extra: Extra) -> Option<()> {
    let version = file.version;
    let id = rest.u32()?;
    let attributes = match version {
        ..=8 => rest.u8()?.into(),
        9..=12 => rest.u16()?.into(),
        _ => rest.u32()?,
    };
    let north_west = rest.vec3()?;
    let south_east = rest.vec3()?;
    let north_east_z = rest.f32()?.into();
    let south_west_z = rest.f32()?.into();
    let from = u32::try_from(file.areas.len()).ok()?;
    file.areas.push(NavArea { id, attributes, north_west, south_east, north_east_z, south_west_z });
    // North, east, south, west.
    for direction in 0..4 {
        for _ in 0..rest.count(4)? {
            file.connections.push(Connection { from, direction, to: rest.u32()? });
        }
    }
    for _ in 0..rest.u8()? {
        if version >= 2 {
            rest.u32()?;
        }
        let position = rest.vec3()?;
        let flags = if version >= 2 { rest.u8()? } else { IN_COVER };
        file.spots.push(Spot { position, flags });
    }
    if version < 15 {
        skip_approach_areas(rest)?;
    }
    skip_encounter_paths(rest, version)?;
    if version >= 5 {
        rest.u16()?;
    }
    if version >= 7 {
        for up in [true, false] {
            for _ in 0..rest.count(4)? {
                file.ladder_uses.push(LadderUse { area: id, ladder: rest.u32()?, up });
            }
        }
    }
    // Earliest times of arrival of two teams, and light at four corners.
    rest.take(if version >= 8 { 8 } else { 0 })?;
    rest.take(if version >= 11 { 16 } else { 0 })?;
    if version >= 16 && !matches!(extra, Extra::Terror(_)) {
        let visible = rest.count(5)?;
        rest.take(visible * 5)?;
        rest.u32()?;
    }
    match extra {
        Extra::Nothing => Some(()),
        Extra::ApproachAreas => skip_approach_areas(rest),
        Extra::Attributes => rest.u32().map(|_| ()),
        Extra::Terror(number) => skip_terror_area(rest, number),
    }
}

/// What Left 4 Dead writes before its areas: the usual crowd of zombies, and names of places with fog.
fn skip_terror_header(rest: &mut Bytes, number: u32) -> Option<()> {
    if number >= 12 {
        while rest.u8()? != 0 {}
    }
    if number >= 8 {
        for _ in 0..rest.u16()? {
            let length = rest.u16()?;
            rest.take(length.into())?;
        }
    }
    Some(())
}

/// What Left 4 Dead adds to an area.
fn skip_terror_area(rest: &mut Bytes, number: u32) -> Option<()> {
    if number == 0 {
        return Some(());
    }
    let spawns = rest.u32()?;
    // Numbers whose meaning changed from format to format.
    let numbers = match number {
        0 | 1 | 13.. => 0,
        2 | 3 => 1,
        4 => 2,
        5..=9 => 3,
        10..=12 => 1,
    };
    rest.take(4 * numbers)?;
    rest.take(if number >= 8 { 2 } else { 0 })?;
    rest.take(if number < 10 && spawns & 8 != 0 { 20 } else { 0 })?;
    if (3..=9).contains(&number) {
        let count = usize::from(rest.u8()?);
        rest.take(4 * count)?;
    }
    if number >= 5 {
        let visible = if number >= 9 { 5 } else { 4 };
        let count = rest.count(visible)?;
        rest.take(count * visible)?;
    }
    rest.take(if number >= 11 { 4 } else { 0 }).map(|_| ())
}

fn skip_approach_areas(rest: &mut Bytes) -> Option<()> {
    let count = usize::from(rest.u8()?);
    rest.take(count * 14).map(|_| ())
}

fn skip_encounter_paths(rest: &mut Bytes, version: u32) -> Option<()> {
    // Bytes of a path before the number of its spots, and of a spot.
    let [path, spot] = if version < 3 { [32, 16] } else { [10, 5] };
    for _ in 0..rest.count(path + 1)? {
        rest.take(path)?;
        let spots = usize::from(rest.u8()?);
        rest.take(spots * spot)?;
    }
    Some(())
}

fn read_ladder(rest: &mut Bytes, version: u32) -> Option<Ladder> {
    let id = rest.u32()?;
    // Its width.
    rest.u32()?;
    let top = rest.vec3()?;
    let bottom = rest.vec3()?;
    // Its length and the direction it looks to.
    rest.take(8)?;
    let dangling = version == 6 && rest.u8()? != 0;
    let tops = [rest.u32()?, rest.u32()?, rest.u32()?, rest.u32()?];
    Some(Ladder { id, top, bottom, dangling, tops, bottom_area: rest.u32()? })
}
