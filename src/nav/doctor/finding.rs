//! What the doctor found.

use glam::{DVec3, Vec3};

use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::vocab::labelled;

labelled! {
    /// A kind of fault.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FaultKind: label {
        /// The level is many times too large or too small for its agents.
        Units = "Units",
        /// A polygon that no query accepts: not convex, without area, with corners that are not there.
        BadPolygon = "Bad polygon",
        /// A polygon or triangle that faces down among others that face up.
        Flipped = "Flipped",
        /// A hole in the ground.
        Hole = "Hole in the ground",
        /// A corner far above or below all around it.
        Spike = "Spike",
        /// A polygon much longer than wide.
        Sliver = "Sliver",
        /// Vertices at one place, so that the polygons there are not joined.
        DuplicateVertex = "Duplicate vertices",
        /// A vertex of one polygon within the edge of another, so that they are not joined.
        TJunction = "T-junction",
        /// Edges that nearly meet, and are not joined.
        OpenSeam = "Open seam",
        /// Polygons or triangles that lie upon each other.
        Overlap = "Overlap",
        /// Ground that no path leads to.
        UnreachableIsland = "Unreachable ground",
        /// Two parts of the ground that a step parts.
        StepTooHigh = "Step too high",
        /// Two parts of the ground that a slope parts.
        SlopeTooSteep = "Slope too steep",
        /// Two parts of the ground that a passage parts which is too narrow.
        DoorTooThin = "Passage too narrow",
        /// Two parts of the ground that a ceiling parts.
        CeilingTooLow = "Ceiling too low",
        /// Two parts of the ground that a gap parts which is a little too wide to be jumped.
        GapTooWide = "Gap too wide",
        /// Polygons that no search passes, and obstacles, where a way is asked for.
        Barred = "Barred ground",
        /// A link that starts or ends off the mesh.
        LinkOffMesh = "Link off the mesh",
        /// A target off the mesh.
        TargetOffMesh = "Target off the mesh",
        /// A target or an end of a link that belongs to another floor than the one it is taken to.
        WrongFloor = "Wrong floor",
    }
}

/// A change that mends a fault.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mend {
    /// Let agents climb this high, metres.
    Climb(f32),
    /// Let agents walk slopes this steep, radians.
    Slope(f32),
    /// Make agents this wide, metres of radius.
    Radius(f32),
    /// Make agents this tall, metres.
    Height(f32),
    /// Place a link.
    Link(PlacedLink),
    /// Remove the link with this number.
    RemoveLink(usize),
    /// Move the ends of the link with this number onto the ground.
    MoveLink {
        /// Its number among the links.
        link: usize,
        /// Its new start and end, in the world.
        ends: [DVec3; 2],
    },
    /// Move the target with this number onto the ground.
    MoveTarget {
        /// Its number among the targets.
        target: usize,
        /// Its new place, in the world.
        to: DVec3,
    },
    /// Scale the level by this factor.
    Scale(f32),
}

impl Mend {
    /// A link over which agents of a radius jump.
    pub(super) fn jump(line: [Vec3; 2], radius: f32) -> Self {
        Self::Link(PlacedLink::new(LinkKind::Jump, line.map(|p| p.as_dvec3()), radius.max(0.2)))
    }
}

/// Something that is wrong, and where.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Finding {
    /// What it is.
    pub fault: FaultKind,
    /// Where, in the world.
    pub place: DVec3,
    /// How large it is, metres: its length, or the measure that the cause names.
    pub size: f64,
    /// The cause, a sentence.
    pub cause: String,
    /// What to do, a sentence.
    pub remedy: String,
    /// Lines that show it, in the world.
    pub lines: Vec<[DVec3; 2]>,
    /// The change that mends it, where the program can make it.
    pub mend: Option<Mend>,
}

impl Finding {
    /// A finding without lines and without a change that mends it.
    pub fn new(fault: FaultKind, place: DVec3, size: f64, [cause, remedy]: [String; 2]) -> Self {
        Self { fault, place, size, cause, remedy, lines: Vec::new(), mend: None }
    }

    /// With a closed line around it.
    pub fn around(mut self, corners: &[DVec3]) -> Self {
        let next = corners.iter().cycle().skip(1);
        self.lines.extend(corners.iter().zip(next).map(|(&a, &b)| [a, b]));
        self
    }

    /// With a line that shows it.
    pub fn along(mut self, line: [DVec3; 2]) -> Self {
        self.lines.push(line);
        self
    }

    /// With a change that mends it.
    pub fn mended_by(mut self, mend: Mend) -> Self {
        self.mend = Some(mend);
        self
    }
}

/// By kind, the largest first.
pub(super) fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| (a.fault, b.size).partial_cmp(&(b.fault, a.size)).unwrap_or(std::cmp::Ordering::Equal));
    findings
}

/// Ground that nothing leads to.
pub(super) struct LoneGround {
    /// A place on it.
    pub place: DVec3,
    /// Square metres.
    pub area: f64,
}

/// One finding for all ground that nothing leads to.
pub(super) fn lone_ground(mut lone: Vec<LoneGround>) -> Option<Finding> {
    lone.sort_by(|a, b| b.area.total_cmp(&a.area));
    let largest = lone.first()?;
    let all: f64 = lone.iter().map(|l| l.area).sum();
    let what = match lone.len() {
        1 => format!("{all:.1} m² of ground"),
        count => format!("{count} parts of the ground ({all:.1} m², the largest {:.1} m²)", largest.area),
    };
    let cause =
        format!("{what} cannot be reached from the largest part, and nothing that an agent nearly can do leads there.");
    let remedy = "Place links or stairs where somebody shall get there; roofs and table tops may stay.".into();
    let mut finding = Finding::new(FaultKind::UnreachableIsland, largest.place, largest.area.sqrt(), [cause, remedy]);
    for ground in &lone {
        finding = finding.along([ground.place, ground.place + DVec3::Y]);
    }
    Some(finding)
}
