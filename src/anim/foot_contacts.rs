//! Contact and swing phases of a foot, detected from its motion through a clip.

use glam::Vec3;

/// Largest height of the sole above its lowest point in contact, as a fraction of the leg's length.
const DOWN_SHARE: f32 = 0.025;
/// The same where a contact begins and ends: the sole comes down and lifts within a tenth of a second.
const TOUCH_SHARE: f32 = 0.008;
/// The first of the two above its ground in a clip whose root motion is known: the tenth part of all heights that are lowest lies below.
const CAPTURED_DOWN_SHARE: f32 = 0.05;
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
    /// The same at the last contact.
    pub lift_off: Vec3,
    /// Whether the foot alternates between contact and swing in its clip.
    pub steps: bool,
}

impl Default for FootContact {
    fn default() -> Self {
        let (landing, lift_off) = (Vec3::ZERO, Vec3::ZERO);
        Self { planted: true, landing_secs: 0.0, swing_secs: 0.0, landing, lift_off, steps: false }
    }
}

impl FootContact {
    /// The phase at the same time of the clip where it plays backwards: a foot comes down where it lifted off.
    pub fn backwards(&self) -> Self {
        let landing_secs = self.swing_secs - self.landing_secs;
        Self { landing_secs, landing: self.lift_off, lift_off: self.landing, ..*self }
    }
}

/// A foot's motion through a clip.
#[derive(Clone, Copy, Debug)]
pub struct SoleMotion<'a> {
    /// Heel and ball per frame in model space, the last frame at the clip's end.
    pub soles: &'a [[Vec3; 2]],
    /// The same where the root motion was taken out of the clip, with it: the clip is not played over and over, and the
    /// ground under it stands still.
    pub carried: Option<&'a [[Vec3; 2]]>,
    /// Upwards in model space.
    pub up: Vec3,
    /// Time between two frames, seconds.
    pub frame_secs: f32,
    /// Length of the leg.
    pub leg: f32,
}

impl SoleMotion<'_> {
    /// Number of different frames: the last of a clip that is played over and over is the first of the next round.
    fn round(&self) -> usize {
        if self.carried.is_some() { self.soles.len() } else { self.soles.len().saturating_sub(1) }
    }

    /// Whether there is too little to tell anything.
    fn is_too_short(&self) -> bool {
        self.soles.len() < 3 || self.frame_secs <= 0.0
    }

    /// The lower end of the sole in a frame: 0 the heel, 1 the ball.
    fn low(&self, f: usize) -> usize {
        usize::from(self.soles[f][1].dot(self.up) < self.soles[f][0].dot(self.up))
    }

    /// Velocity of that end over the ground of model space, or of the world where the root motion is known.
    fn velocity(&self, f: usize) -> Vec3 {
        let (round, k) = (self.round(), self.low(f));
        let v = match self.carried {
            Some(carried) => {
                let (a, b) = (f.saturating_sub(1), (f + 1).min(round - 1));
                (carried[b][k] - carried[a][k]) / ((b - a).max(1) as f32 * self.frame_secs)
            }
            None => {
                let (a, b) = ((f + round - 1) % round, (f + 1) % round);
                (self.soles[b][k] - self.soles[a][k]) / (2.0 * self.frame_secs)
            }
        };
        v - self.up * v.dot(self.up)
    }

    /// Height of the sole in each frame, in units of the model.
    fn heights(&self) -> Vec<f32> {
        (0..self.round()).map(|f| self.soles[f][self.low(f)].dot(self.up)).collect()
    }

    /// Frames in which the sole is low. Captured motion sways and dips below its ground by centimetres.
    fn down(&self) -> Vec<bool> {
        let heights = self.heights();
        let mut sorted = heights.clone();
        sorted.sort_by(f32::total_cmp);
        let (dips, share) =
            if self.carried.is_some() { (sorted.len() / 10, CAPTURED_DOWN_SHARE) } else { (0, DOWN_SHARE) };
        let ground = sorted.get(dips).copied().unwrap_or(0.0);
        heights.iter().map(|height| *height <= ground + share * self.leg).collect()
    }

    /// Velocity of the ground under the body in model space: it goes backwards at constant speed in an in-place walk,
    /// and stands in a clip that stands or whose root motion is known.
    pub fn ground_velocity(&self) -> Vec3 {
        if self.carried.is_some() || self.is_too_short() {
            return Vec3::ZERO;
        }
        drift(self.round(), &self.down(), |f| self.velocity(f))
    }
}

/// Detects the contacts of a foot over a clip. A foot is in contact while its sole is low and moves with the ground.
pub fn foot_contacts(motion: &SoleMotion<'_>) -> Vec<FootContact> {
    let (count, soles, frame_secs) = (motion.soles.len(), motion.soles, motion.frame_secs);
    if motion.is_too_short() {
        return vec![FootContact::default(); count];
    }
    let (round, down, drift) = (motion.round(), motion.down(), motion.ground_velocity());
    let slack = 0.5 * drift.length() + 0.25 * motion.leg;
    let mut planted: Vec<bool> =
        (0..round).map(|f| down[f] && (motion.velocity(f) - drift).length() <= slack).collect();
    let brief = ((MIN_PHASE_SECS / frame_secs).ceil() as usize).min(round / 4);
    smooth(&mut planted, true, brief);
    smooth(&mut planted, false, brief);
    if motion.carried.is_none() {
        let heights = motion.heights();
        let ground = heights.iter().copied().fold(f32::INFINITY, f32::min);
        let touches: Vec<bool> = heights.iter().map(|height| *height <= ground + TOUCH_SHARE * motion.leg).collect();
        trim(&mut planted, &touches, brief);
    }
    let all = planted.iter().all(|p| *p) || planted.iter().all(|p| !*p);
    let (behind, ahead) = distances(&planted);
    (0..count)
        .map(|f| {
            let f = f % round;
            if planted[f] || all {
                return FootContact { planted: planted[f], steps: !all, ..FootContact::default() };
            }
            let (behind, ahead) = (behind[f], ahead[f]);
            FootContact {
                planted: false,
                landing_secs: ahead as f32 * frame_secs,
                swing_secs: (ahead + behind) as f32 * frame_secs,
                landing: soles[(f + ahead) % round][1],
                lift_off: soles[(f + round - behind) % round][1],
                steps: true,
            }
        })
        .collect()
}

/// How many frames before each one the foot was planted last, and after how many it is again; frames go round.
fn distances(planted: &[bool]) -> (Vec<usize>, Vec<usize>) {
    let count = planted.len();
    let (mut behind, mut ahead) = (vec![0; count], vec![0; count]);
    let (mut since, mut until) = (0, 0);
    // Twice round: a swing may go on over the end.
    for i in 0..2 * count {
        let (f, g) = (i % count, count - 1 - i % count);
        since = if planted[f] { 0 } else { since + 1 };
        until = if planted[g] { 0 } else { until + 1 };
        (behind[f], ahead[g]) = (since, until);
    }
    (behind, ahead)
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

/// Ends every contact at the first and the last of its frames that `touches` the ground, unless that leaves no more than
/// `brief` frames.
fn trim(planted: &mut [bool], touches: &[bool], brief: usize) {
    let n = planted.len();
    let Some(start) = planted.iter().position(|p| !*p) else { return };
    let mut at = start;
    while at < start + n {
        let run = (at..start + n).take_while(|f| planted[f % n]).count();
        let mut touching = (at..at + run).filter(|f| touches[f % n]);
        if let Some(first) = touching.next() {
            let last = touching.next_back().unwrap_or(first);
            if last - first >= brief {
                (at..first).chain(last + 1..at + run).for_each(|f| planted[f % n] = false);
            }
        }
        at += run + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(soles: &[[Vec3; 2]]) -> SoleMotion<'_> {
        SoleMotion { soles, carried: None, up: Vec3::Y, frame_secs: 1.0 / 60.0, leg: 0.8 }
    }

    fn contacts(soles: &[[Vec3; 2]]) -> Vec<FootContact> {
        foot_contacts(&motion(soles))
    }

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
    fn distances_go_round_the_end() {
        let planted = [false, true, true, false, false, false];
        assert_eq!(distances(&planted), (vec![4, 0, 0, 1, 2, 3], vec![1, 0, 0, 4, 3, 2]));
        assert_eq!(distances(&[]), (vec![], vec![]));
    }

    #[test]
    fn contacts_begin_and_end_on_the_ground() {
        let runs = |text: &str| -> Vec<bool> { text.chars().map(|c| c == '1').collect() };
        let trimmed = |planted: &str, touches: &str| {
            let mut planted = runs(planted);
            trim(&mut planted, &runs(touches), 2);
            planted
        };
        assert_eq!(trimmed("0111111100", "0001010000"), runs("0001110000"), "a sole may rise amid a contact");
        assert_eq!(trimmed("1110001111", "1100000001"), runs("1100000001"), "round the end");
        for short in ["0000000000", "0001100000"] {
            assert_eq!(trimmed("0111111100", short), runs("0111111100"));
        }
        assert_eq!(trimmed("1111111111", "0001111000"), runs("1111111111"), "a foot that stands all along");
    }

    #[test]
    fn a_walk_stands_and_swings_in_turn() {
        let found = contacts(&walk());
        let stands = found.iter().take(60).filter(|s| s.planted).count();
        assert!((34..=38).contains(&stands), "{stands} of 60");
        assert!(found[20].planted && !found[48].planted);
        let swing = found[48];
        assert!((swing.landing_secs - 0.2).abs() < 0.04 && (swing.swing_secs - 0.4).abs() < 0.05, "{swing:?}");
        assert!((swing.landing.z - 0.57).abs() < 0.05, "{swing:?}");
        assert!(found.windows(2).filter(|w| w[0].planted != w[1].planted).count() <= 3);
    }

    #[test]
    fn a_walk_whose_root_motion_is_known_stands_on_still_ground() {
        let soles = walk();
        let carried: Vec<_> =
            soles.iter().enumerate().map(|(f, sole)| sole.map(|p| p + Vec3::Z * (1.5 * f as f32 / 60.0))).collect();
        let known = SoleMotion { carried: Some(&carried), ..motion(&soles) };
        assert_eq!(known.ground_velocity(), Vec3::ZERO);
        assert!((motion(&soles).ground_velocity() - Vec3::Z * -1.5).length() < 0.1);
        let (found, in_place) = (foot_contacts(&known), contacts(&soles));
        let same = found.iter().zip(&in_place).filter(|(a, b)| a.planted == b.planted).count();
        assert!(found[20].planted && !found[48].planted && same >= 58, "{same} of 61");
    }

    #[test]
    fn backwards_a_foot_comes_down_where_it_lifted_off() {
        let soles = walk();
        let reversed: Vec<_> = soles.iter().rev().copied().collect();
        let (forwards, backwards) = (contacts(&soles), contacts(&reversed));
        for f in [42, 48, 54] {
            let (one, other) = (forwards[f].backwards(), backwards[60 - f]);
            assert!(!one.planted && !other.planted, "{f}");
            assert!((one.landing_secs - other.landing_secs).abs() < 0.04, "{f}: {one:?} {other:?}");
            assert!(one.landing.distance(other.landing) < 0.06, "{f}: {one:?} {other:?}");
            assert!(one.landing.z < 0.0 && one.backwards().landing == forwards[f].landing, "{f}: {one:?}");
        }
    }

    #[test]
    fn a_still_foot_stands_and_a_leap_does_not() {
        let still = vec![[Vec3::ZERO, Vec3::Z * 0.2]; 40];
        assert!(contacts(&still).iter().all(|s| s.planted));
        let leap: Vec<_> = (0..=60)
            .map(|f| {
                let share = ((f as f32 - 15.0) / 30.0).clamp(0.0, 1.0);
                let y = 0.4 * (share * std::f32::consts::PI).sin();
                [Vec3::Y * y, Vec3::Y * y + Vec3::Z * 0.2]
            })
            .collect();
        let found = contacts(&leap);
        assert!(found[0].planted && !found[30].planted);
        assert_eq!(contacts(&[]).len(), 0);
        assert_eq!(contacts(&still[..2]), [FootContact::default(); 2]);
    }
}
