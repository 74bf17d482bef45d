//! Contact and swing phases of a foot, detected from its motion through a clip.

use glam::Vec3;

/// Largest height of the sole above its lowest point in contact, as a fraction of the leg's length.
const DOWN_SHARE: f32 = 0.025;
/// Shortest contact or swing phase, seconds; shorter ones are noise.
const MIN_PHASE_SECS: f32 = 0.05;

/// The phase of a foot at one time of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootContact {
    /// Whether the foot is in contact.
    pub planted: bool,
    /// Time until the next contact, seconds of the clip.
    pub landing_secs: f32,
    /// Duration of the whole swing, seconds of the clip.
    pub swing_secs: f32,
    /// Position of the ball's contact point at the next contact, in model space.
    pub landing: Vec3,
    /// Whether the foot alternates between contact and swing in its clip.
    pub steps: bool,
}

impl Default for FootContact {
    fn default() -> Self {
        Self { planted: true, landing_secs: 0.0, swing_secs: 0.0, landing: Vec3::ZERO, steps: false }
    }
}

/// Detects the contacts of a foot over a looping clip. `soles` holds heel and ball per frame in model space, the last
/// frame at the clip's end; `leg` is the length of the leg.
///
/// A foot is in contact while its sole is low and moves with the ground: backwards at constant speed in an in-place
/// walk, not at all in a clip that stands.
pub fn foot_contacts(soles: &[[Vec3; 2]], up: Vec3, frame_secs: f32, leg: f32) -> Vec<FootContact> {
    let count = soles.len();
    if count < 3 || frame_secs <= 0.0 {
        return vec![FootContact::default(); count];
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
    let down: Vec<bool> = (0..round).map(|f| height(f) <= ground + DOWN_SHARE * leg).collect();
    let drift = drift(round, &down, velocity);
    let slack = 0.5 * drift.length() + 0.25 * leg;
    let mut planted: Vec<bool> = (0..round).map(|f| down[f] && (velocity(f) - drift).length() <= slack).collect();
    let brief = ((MIN_PHASE_SECS / frame_secs).ceil() as usize).min(round / 4);
    smooth(&mut planted, true, brief);
    smooth(&mut planted, false, brief);
    let all = planted.iter().all(|p| *p) || planted.iter().all(|p| !*p);
    (0..count)
        .map(|f| {
            let f = f % round;
            if planted[f] || all {
                return FootContact { planted: planted[f], steps: !all, ..FootContact::default() };
            }
            let ahead = (0..round).find(|i| planted[(f + i) % round]).unwrap_or(0);
            let behind = (0..round).find(|i| planted[(f + round - i) % round]).unwrap_or(0);
            FootContact {
                planted: false,
                landing_secs: ahead as f32 * frame_secs,
                swing_secs: (ahead + behind) as f32 * frame_secs,
                landing: soles[(f + ahead) % round][1],
                steps: true,
            }
        })
        .collect()
}

/// Velocity of the ground: the mean of low feet without outliers that land or lift off.
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

/// Inverts runs of `value` that are at most `brief` frames long.
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
        let found = foot_contacts(&walk(), Vec3::Y, 1.0 / 60.0, 0.8);
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
        assert!(foot_contacts(&still, Vec3::Y, 1.0 / 60.0, 0.8).iter().all(|s| s.planted));
        let leap: Vec<_> = (0..=60)
            .map(|f| {
                let share = ((f as f32 - 15.0) / 30.0).clamp(0.0, 1.0);
                let y = 0.4 * (share * std::f32::consts::PI).sin();
                [Vec3::Y * y, Vec3::Y * y + Vec3::Z * 0.2]
            })
            .collect();
        let found = foot_contacts(&leap, Vec3::Y, 1.0 / 60.0, 0.8);
        assert!(found[0].planted && !found[30].planted);
        assert_eq!(foot_contacts(&[], Vec3::Y, 1.0, 0.8).len(), 0);
        assert_eq!(foot_contacts(&still[..2], Vec3::Y, 0.0, 0.8), [FootContact::default(); 2]);
    }
}
