//! When a foot stands and when it swings, read from its way through a clip.

use glam::Vec3;

/// A foot whose sole is no higher than this part of the leg's length above its lowest is down.
const DOWN: f32 = 0.025;
/// Gaps and touches shorter than this are no steps, seconds.
const BRIEF_SECS: f32 = 0.05;

/// How a foot stands at a moment of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Whether it stands.
    pub planted: bool,
    /// Time until it comes down again, seconds of the clip.
    pub landing_secs: f32,
    /// How long it swings in all, seconds of the clip.
    pub swing_secs: f32,
    /// Under its ball where it comes down, in model space.
    pub landing: Vec3,
}

impl Default for Stance {
    fn default() -> Self {
        Self { planted: true, landing_secs: 0.0, swing_secs: 0.0, landing: Vec3::ZERO }
    }
}

/// The stances of a foot over a clip that repeats. `soles` holds heel and ball per frame in model space, the last
/// frame at the clip's end; `leg` is the length of the leg.
///
/// A foot stands while its sole is down and moves as the ground does: backwards at one speed in a walk, not at all in
/// a clip that stays in place.
pub fn stances(soles: &[[Vec3; 2]], up: Vec3, frame_secs: f32, leg: f32) -> Vec<Stance> {
    let count = soles.len();
    if count < 3 || frame_secs <= 0.0 {
        return vec![Stance::default(); count];
    }
    // The last frame is the first of the next round.
    let round = count - 1;
    let low = |f: usize| usize::from(soles[f][1].dot(up) < soles[f][0].dot(up));
    let height = |f: usize| soles[f][low(f)].dot(up);
    let ground = (0..round).map(height).fold(f32::INFINITY, f32::min);
    let velocity = |f: usize| {
        let (a, b, k) = ((f + round - 1) % round, (f + 1) % round, low(f));
        let v = (soles[b][k] - soles[a][k]) / (2.0 * frame_secs);
        v - up * v.dot(up)
    };
    let down: Vec<bool> = (0..round).map(|f| height(f) <= ground + DOWN * leg).collect();
    let drift = drift(round, &down, velocity);
    let slack = 0.5 * drift.length() + 0.25 * leg;
    let mut planted: Vec<bool> = (0..round).map(|f| down[f] && (velocity(f) - drift).length() <= slack).collect();
    let brief = ((BRIEF_SECS / frame_secs).ceil() as usize).min(round / 4);
    smooth(&mut planted, true, brief);
    smooth(&mut planted, false, brief);
    let all = planted.iter().all(|p| *p) || planted.iter().all(|p| !*p);
    (0..count)
        .map(|f| {
            let f = f % round;
            if planted[f] || all {
                return Stance { planted: planted[f], ..Stance::default() };
            }
            let ahead = (0..round).find(|i| planted[(f + i) % round]).unwrap_or(0);
            let behind = (0..round).find(|i| planted[(f + round - i) % round]).unwrap_or(0);
            Stance {
                planted: false,
                landing_secs: ahead as f32 * frame_secs,
                swing_secs: (ahead + behind) as f32 * frame_secs,
                landing: soles[(f + ahead) % round][1],
            }
        })
        .collect()
}

/// The velocity of the ground: that of a foot that is down, without those that come down or go up against the others.
fn drift(round: usize, down: &[bool], velocity: impl Fn(usize) -> Vec3) -> Vec3 {
    let mean = |keep: &dyn Fn(Vec3) -> bool| {
        let kept = (0..round).filter(|f| down[*f]).map(&velocity).filter(|v| keep(*v));
        let (sum, n) = kept.fold((Vec3::ZERO, 0), |(sum, n), v| (sum + v, n + 1));
        sum / (n.max(1)) as f32
    };
    let first = mean(&|_| true);
    let same = mean(&|v| v.dot(first) >= 0.0);
    mean(&|v| (v - same).length() <= 0.6 * same.length() + 0.1)
}

/// Turns runs of `value` that are no longer than `brief` frames into their opposite.
fn smooth(states: &mut [bool], value: bool, brief: usize) {
    let n = states.len();
    let Some(start) = states.iter().position(|s| *s != value) else { return };
    let mut run = 0;
    for i in 1..=n {
        let at = (start + i) % n;
        if states[at] == value {
            run += 1;
            continue;
        }
        if run > 0 && run <= brief {
            (1..=run).for_each(|back| states[(at + n - back) % n] = !value);
        }
        run = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that moves back at 1.5 m/s for six tenths of a second and swings for four.
    fn walk() -> Vec<[Vec3; 2]> {
        (0..=60)
            .map(|f| {
                let t = f as f32 / 60.0;
                let (z, y) = if t < 0.6 {
                    (0.45 - 1.5 * t, 0.0)
                } else {
                    let s = (t - 0.6) / 0.4;
                    (-0.45 + 0.9 * s * s * (3.0 - 2.0 * s), 0.08 * (s * std::f32::consts::PI).sin())
                };
                [Vec3::new(0.1, y, z - 0.05), Vec3::new(0.1, y, z + 0.12)]
            })
            .collect()
    }

    #[test]
    fn a_walk_stands_and_swings_in_turn() {
        let found = stances(&walk(), Vec3::Y, 1.0 / 60.0, 0.8);
        let stands = found.iter().take(60).filter(|s| s.planted).count();
        assert!((34..=38).contains(&stands), "{stands} of 60");
        assert!(found[20].planted && !found[48].planted);
        let swing = found[48];
        assert!((swing.landing_secs - 0.2).abs() < 0.04 && (swing.swing_secs - 0.4).abs() < 0.05, "{swing:?}");
        assert!((swing.landing.z - 0.57).abs() < 0.05, "{swing:?}");
        assert!(found.windows(2).filter(|w| w[0].planted != w[1].planted).count() <= 3);
    }

    #[test]
    fn who_stands_still_stands_and_a_leap_does_not() {
        let still = vec![[Vec3::ZERO, Vec3::Z * 0.2]; 40];
        assert!(stances(&still, Vec3::Y, 1.0 / 60.0, 0.8).iter().all(|s| s.planted));
        let leap: Vec<_> = (0..=60)
            .map(|f| {
                let share = ((f as f32 - 15.0) / 30.0).clamp(0.0, 1.0);
                let y = 0.4 * (share * std::f32::consts::PI).sin();
                [Vec3::Y * y, Vec3::Y * y + Vec3::Z * 0.2]
            })
            .collect();
        let found = stances(&leap, Vec3::Y, 1.0 / 60.0, 0.8);
        assert!(found[0].planted && !found[30].planted);
        assert_eq!(stances(&[], Vec3::Y, 1.0, 0.8).len(), 0);
        assert_eq!(stances(&still[..2], Vec3::Y, 0.0, 0.8), [Stance::default(); 2]);
    }
}
