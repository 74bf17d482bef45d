//! What the doctor found.

use glam::{DVec3, Vec3};

use super::axis::UpAxis;
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::vocab::labelled;

/// Most findings of one kind that are listed, the largest; one more says how many there are beside them.
pub const MAX_LISTED: usize = 1000;
/// Most lines that show what several places have in common.
pub(super) const MAX_LINES: usize = 512;
/// How wide and how high a link leads at most that is jumped, metres.
const JUMP: [f32; 2] = [5.0, 1.2];
/// How far apart the ends of a ladder are at most, seen from above, metres.
const LADDER: f32 = 1.5;

labelled! {
    /// A kind of fault.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FaultKind: label {
        /// The level is many times too large or too small for its agents.
        Units = "Units",
        /// Nothing to walk on.
        NoGround = "No ground",
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
        /// Two parts of the ground that a gap parts which is a little too wide to be jumped, or over which no link leads.
        GapTooWide = "Gap in the ground",
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
    /// Bake in cells with edges this long, metres.
    CellSize(f32),
    /// All of these.
    Many(Vec<Mend>),
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
    /// Turn the level so that this axis of its file is up.
    StandUp(UpAxis),
}

impl Mend {
    /// A link from one place on the ground to another for agents of a radius: of the first kind that gets over.
    pub(super) fn link(line: [Vec3; 2], radius: f32) -> Self {
        let [from, to] = line;
        let (run, rise) = ((to - from).with_y(0.0).length(), (to.y - from.y).abs());
        let kind = match () {
            () if run <= JUMP[0] && rise <= JUMP[1] => LinkKind::Jump,
            () if run <= LADDER => LinkKind::Ladder,
            () => LinkKind::Teleport,
        };
        Self::Link(PlacedLink::new(kind, line.map(|p| p.as_dvec3()), radius.max(0.2)))
    }

    /// A change of agents or of the bake in words; empty for others.
    fn words(&self) -> String {
        match self {
            Self::Climb(height) => format!("let agents climb {height:.2} m"),
            Self::Slope(slope) => format!("let agents walk slopes of {:.0}°", slope.to_degrees()),
            Self::Radius(radius) => format!("make agents {:.2} m wide", 2.0 * radius),
            Self::Height(height) => format!("make agents {height:.2} m tall"),
            Self::CellSize(edge) => format!("bake in cells of {edge:.2} m"),
            Self::Many(all) => all.iter().map(Self::words).collect::<Vec<_>>().join(" and "),
            _ => String::new(),
        }
    }

    /// All of these that there are; `None` of none.
    pub fn all(mends: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all: Vec<Self> = mends.into_iter().collect();
        if all.len() > 1 { Some(Self::Many(all)) } else { all.pop() }
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
    /// From ground on the one side of what parts it to ground on the other, in the world; for each place that is alike.
    #[serde(skip)]
    pub crossings: Vec<[DVec3; 2]>,
    /// How many further findings of the kind this one stands for, which are not listed; 0 for a finding of its own.
    pub unlisted: usize,
}

impl Finding {
    /// A finding without lines and without a change that mends it.
    pub fn new(fault: FaultKind, place: DVec3, size: f64, [cause, remedy]: [String; 2]) -> Self {
        let (lines, crossings) = (Vec::new(), Vec::new());
        Self { fault, place, size, cause, remedy, lines, mend: None, crossings, unlisted: 0 }
    }

    /// What stands for findings that are not listed, one of which lies at `place`.
    fn standing_for(count: usize, fault: FaultKind, place: DVec3) -> Self {
        let cause = match count {
            1 => "One more of this kind is not listed.".to_owned(),
            count => format!("{count} more of this kind are not listed."),
        };
        let remedy = "Mend the ones that are listed, and examine it again.".into();
        Self { unlisted: count, ..Self::new(fault, place, 0.0, [cause, remedy]) }
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

    /// With a change of agents or of the bake that mends it, or without one; the remedy says so.
    pub fn mended_by_agents(mut self, mend: Option<Mend>) -> Self {
        let (own, link) = match self.fault {
            FaultKind::StepTooHigh => {
                ("Lower it or add a stair, place a link", "Lower it, add a stair, or place a link.")
            }
            FaultKind::CeilingTooLow => ("Raise the ceiling", "Raise the ceiling, or place a link."),
            FaultKind::SlopeTooSteep => {
                ("Make it flatter, add stairs", "Make it flatter, add stairs, or place a link.")
            }
            _ => ("Widen it", "Widen it, or place a link."),
        };
        self.remedy = mend.as_ref().map_or_else(|| link.to_owned(), |mend| format!("{own}, or {}.", mend.words()));
        self.mend = mend;
        self
    }
}

/// What was found of a mesh.
#[derive(Clone, Debug, Default)]
pub struct MeshExamination {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What is passed over, a sentence: islands that are too small for a finding.
    pub passed_over: Option<String>,
}

/// By kind, the largest first, and of each kind no more than are listed.
pub(super) fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    let key = |f: &Finding| (f.fault, f.unlisted > 0);
    findings.sort_by(|a, b| key(a).cmp(&key(b)).then(b.size.total_cmp(&a.size)));
    let mut listed = Vec::new();
    for kind in findings.chunk_by(|a, b| a.fault == b.fault) {
        let own = kind.iter().take(MAX_LISTED).take_while(|f| f.unlisted == 0).count();
        listed.extend_from_slice(&kind[..own]);
        let count: usize = kind[own..].iter().map(|f| f.unlisted.max(1)).sum();
        listed.extend(kind.get(own).map(|first| Finding::standing_for(count, first.fault, first.place)));
    }
    listed
}

/// The largest of many faults of a kind, so that only those are put into words that are listed.
pub(super) struct LargestFaults<T> {
    kept: Vec<(f64, usize, T)>,
    count: usize,
}

impl<T> LargestFaults<T> {
    pub fn new() -> Self {
        Self { kept: Vec::new(), count: 0 }
    }

    /// Adds a fault; of equal ones the first stays.
    pub fn push(&mut self, size: f64, fault: T) {
        self.kept.push((size, self.count, fault));
        self.count += 1;
        if self.kept.len() > 2 * MAX_LISTED {
            self.drop_small();
        }
    }

    fn drop_small(&mut self) {
        self.kept.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.kept.truncate(MAX_LISTED);
    }

    /// The largest, the first of them first.
    pub fn kept(mut self) -> impl Iterator<Item = T> {
        self.drop_small();
        self.kept.into_iter().map(|(_, _, fault)| fault)
    }
}

/// An area, square metres, in words; small ones in square centimetres.
pub(super) fn area_words(area: f64) -> String {
    if area >= 0.01 {
        return format!("{area:.2} m²");
    }
    if area >= 1e-5 { format!("{:.1} cm²", area * 1e4) } else { "less than 0.1 cm²".into() }
}

/// A measure and its limit as numbers of so many digits, or of one more where these would not tell them apart.
fn told_apart(measures: [f64; 2], digits: usize) -> [String; 2] {
    let told = |digits: usize| measures.map(|measure| format!("{measure:.digits$}"));
    let short = told(digits);
    if short[0] == short[1] { told(digits + 1) } else { short }
}

/// A slope and the steepest that an agent walks, degrees, from radians.
pub(super) fn slope_words(slopes_rad: [f64; 2]) -> [String; 2] {
    told_apart(slopes_rad.map(f64::to_degrees), 0).map(|degrees| degrees + "°")
}

/// A length and its limit, metres.
pub(super) fn length_words(lengths: [f32; 2]) -> [String; 2] {
    told_apart(lengths.map(f64::from), 2).map(|metres| metres + " m")
}

/// Ground that nothing leads to.
pub(super) struct LoneGround {
    /// A place on it.
    pub place: DVec3,
    /// Square metres.
    pub area: f64,
}

/// One finding for all ground that nothing leads to.
/// `between` is what parts the largest of it from the rest, a sentence.
pub(super) fn lone_ground(mut lone: Vec<LoneGround>, between: Option<String>) -> Option<Finding> {
    lone.sort_by(|a, b| b.area.total_cmp(&a.area));
    let largest = lone.first()?;
    let all: f64 = lone.iter().map(|l| l.area).sum();
    let what = match lone.len() {
        1 => format!("{all:.1} m² of ground"),
        count => format!("{count} parts of the ground ({all:.1} m², the largest {:.1} m²)", largest.area),
    };
    let whose = if lone.len() == 1 { "it comes" } else { "the largest of them comes" };
    let between = between.map_or(String::new(), |cause| format!(" Where {whose} nearest to the rest: {cause}"));
    let cause = format!(
        "{what} cannot be reached from the largest part, and nothing that an agent nearly can do leads there.{between}"
    );
    let remedy = "Place links or stairs where agents shall get there; roofs and table tops may stay.".into();
    let mut finding = Finding::new(FaultKind::UnreachableIsland, largest.place, largest.area.sqrt(), [cause, remedy]);
    for ground in &lone {
        finding = finding.along([ground.place, ground.place + DVec3::Y]);
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_areas_are_told_in_square_centimetres() {
        let told = [1234.5, 0.01, 0.0042, 2e-5, 1e-7].map(area_words);
        assert_eq!(told, ["1234.50 m²", "0.01 m²", "42.0 cm²", "0.2 cm²", "less than 0.1 cm²"]);
    }

    #[test]
    fn what_is_a_little_beyond_a_limit_is_told_apart_from_it() {
        let told = |slope: f64| slope_words([slope, 45.0].map(f64::to_radians)).join(" ");
        assert_eq!([told(60.4), told(45.4), told(44.6)], ["60° 45°", "45.4° 45.0°", "44.6° 45.0°"]);
        assert_eq!(
            [length_words([0.5, 0.4]), length_words([0.402, 0.4])].concat().join(" "),
            "0.50 m 0.40 m 0.402 m 0.400 m"
        );
    }

    #[test]
    fn of_many_findings_the_largest_are_listed_and_the_rest_counted() {
        let texts = || ["A cause.".to_owned(), "A remedy.".to_owned()];
        let of = |fault, size: usize| Finding::new(fault, DVec3::splat(size as f64), size as f64, texts());
        let few = vec![of(FaultKind::Sliver, 1), of(FaultKind::Spike, 2), of(FaultKind::Spike, 3)];
        let sizes = |findings: &[Finding]| findings.iter().map(|f| (f.size as usize, f.unlisted)).collect::<Vec<_>>();
        assert_eq!(sizes(&sorted(few)), [(3, 0), (2, 0), (1, 0)]);
        // As many as are listed, one more, and two lists of which each is too long.
        let many = |count: usize| (0..count).map(|i| of(FaultKind::Overlap, i)).collect::<Vec<_>>();
        assert!(sorted(many(MAX_LISTED)).iter().all(|f| f.unlisted == 0));
        let over = sorted(many(MAX_LISTED + 1));
        assert_eq!(over.len(), MAX_LISTED + 1);
        let last = over.last().unwrap();
        assert_eq!((last.unlisted, &last.cause[..]), (1, "One more of this kind is not listed."));
        let last = sorted(many(4 * MAX_LISTED)).pop().unwrap();
        assert_eq!(last.cause, format!("{} more of this kind are not listed.", 3 * MAX_LISTED));
        let mut largest = LargestFaults::new();
        (0..3 * MAX_LISTED).for_each(|i| largest.push(((i * 7919) % (3 * MAX_LISTED)) as f64, i));
        let kept: Vec<usize> = largest.kept().map(|i| (i * 7919) % (3 * MAX_LISTED)).collect();
        assert_eq!((kept.len(), kept[0], kept[MAX_LISTED - 1]), (MAX_LISTED, 3 * MAX_LISTED - 1, 2 * MAX_LISTED));
    }
}
