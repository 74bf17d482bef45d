//! Findings that are alike, as the steps to a row of benches are, become one with a change that mends them all.

use std::collections::BTreeMap;

use super::finding::{FaultKind, Finding, MAX_LINES, Mend};

/// Measures that differ by no more are the same, metres or degrees.
const SAME: f64 = 0.011;

/// A finding about two parts of the ground.
pub(super) struct PartFinding {
    /// It.
    pub finding: Finding,
    /// Whether it leads to ground as small as furniture is, whose measures may differ.
    pub is_small: bool,
}

/// The findings, those that are alike as one: with equal measures, or of small ground.
pub(super) fn gathered(found: Vec<PartFinding>) -> Vec<Finding> {
    let mut kinds: BTreeMap<(FaultKind, bool), Vec<Finding>> = BTreeMap::new();
    for PartFinding { finding, is_small } in found {
        kinds.entry((finding.fault, is_small)).or_default().push(finding);
    }
    let mut all = Vec::new();
    for ((_, is_small), mut list) in kinds {
        list.sort_by(|a, b| a.size.total_cmp(&b.size));
        let groups = list.chunk_by(|a, b| is_small || b.size - a.size <= SAME);
        all.extend(groups.map(|group| if group.len() == 1 { group[0].clone() } else { merged(group) }));
    }
    all
}

/// One finding for several, whose sizes rise.
fn merged(group: &[Finding]) -> Finding {
    let fault = group[0].fault;
    // What mends the gravest mends the others.
    let is_least = matches!(fault, FaultKind::DoorTooThin | FaultKind::CeilingTooLow);
    let (smallest, largest) = (&group[0], &group[group.len() - 1]);
    let gravest = if is_least { smallest } else { largest };
    let which = match largest.size - smallest.size > SAME {
        false => "",
        true if is_least => "the smallest: ",
        true => "the largest: ",
    };
    let cause = format!("{} places are alike: {which}{}", group.len(), gravest.cause);
    let links: Vec<&Mend> =
        group.iter().filter_map(|f| f.mend.as_ref()).filter(|m| matches!(m, Mend::Link(_))).collect();
    let mend = if links.is_empty() { gravest.mend.clone() } else { Mend::all(links.into_iter().cloned()) };
    let mut lines = gravest.lines.clone();
    lines.extend(group.iter().filter(|f| !std::ptr::eq(*f, gravest)).flat_map(|f| f.lines.iter().copied()));
    lines.truncate(MAX_LINES.max(gravest.lines.len()));
    let crossings = group.iter().flat_map(|f| f.crossings.iter().copied()).collect();
    Finding { cause, mend, lines, crossings, ..gravest.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn equal_measures_and_small_ground_are_one() {
        let of = |fault, size: f64, is_small| {
            let texts = [format!("{size} m."), "A remedy.".into()];
            let finding = Finding::new(fault, DVec3::X * size, size, texts).mended_by(Mend::Climb(size as f32));
            PartFinding { finding: finding.along([DVec3::ZERO; 2]), is_small }
        };
        let (step, door) = (FaultKind::StepTooHigh, FaultKind::DoorTooThin);
        let list = vec![of(step, 0.5, false), of(step, 0.505, false), of(step, 0.58, false), of(door, 0.4, true)];
        let found = gathered([list, vec![of(door, 0.3, true), of(step, 0.45, true)]].into_iter().flatten().collect());
        let told: Vec<(FaultKind, &str)> = found.iter().map(|f| (f.fault, &f.cause[..])).collect();
        let expected = [
            (step, "2 places are alike: 0.505 m."),
            (step, "0.58 m."),
            (step, "0.45 m."),
            (door, "2 places are alike: the smallest: 0.3 m."),
        ];
        assert_eq!(told, expected);
        assert_eq!((&found[0].mend, found[0].lines.len()), (&Some(Mend::Climb(0.505)), 2));
        assert_eq!(found[3].mend, Some(Mend::Climb(0.3)));
    }
}
