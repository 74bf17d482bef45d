"""Walk and run cycles from designed foot paths: a planted foot moves backwards at exactly the ground speed."""

import numpy as np

from rig import Rig, quat, rotate

ANKLE = 0.085
HEEL = np.array([0.0, -ANKLE, -0.055])
BALL = np.array([0.0, -ANKLE, 0.125])


class Gait:
    """Timing and size of a cycle, all phases as shares of it."""

    def __init__(self, seconds, speed, stance, ahead, strike_pitch, flat_from, heel_off, off_pitch, lift, lean):
        self.seconds, self.speed, self.stance, self.ahead = seconds, speed, stance, ahead
        self.strike_pitch, self.flat_from, self.heel_off = strike_pitch, flat_from, heel_off
        self.off_pitch, self.lift, self.lean = off_pitch, lift, lean

    def planted(self, s):
        """Ankle (y, z), pitch and toe bend at share `s` of the stance; the ground reference moves with the speed."""
        ground = self.ahead - self.speed * self.seconds * self.stance * s
        if s < self.flat_from:
            pitch = -self.strike_pitch * (1 - s / self.flat_from)
            pivot = HEEL
            toe = 0.0
        elif s < self.heel_off:
            return np.array([0, ANKLE, ground]), 0.0, 0.0
        else:
            t = (s - self.heel_off) / (1 - self.heel_off)
            pitch = self.off_pitch * t * t * (3 - 2 * t) * 0.7 + self.off_pitch * t * 0.3
            pivot = BALL
            toe = -pitch
        q = quat([1, 0, 0], np.radians(pitch))
        contact = np.array([0, ANKLE, ground]) + pivot
        return contact - rotate(q, pivot), pitch, toe

    def foot(self, phase):
        """Ankle, pitch and toe bend of a foot that strikes at phase 0."""
        phase %= 1.0
        if phase <= self.stance:
            return self.planted(phase / self.stance)
        t = (phase - self.stance) / (1 - self.stance)
        swing = self.seconds * (1 - self.stance)
        (a, pitch_a, toe_a), (b, pitch_b, _) = self.planted(1.0), self.planted(0.0)
        h = 1e-3
        va = (a - self.planted(1.0 - h)[0]) / (h * self.seconds * self.stance) * swing
        vb = (self.planted(h)[0] - b) / (h * self.seconds * self.stance) * swing
        ankle = (2 * t**3 - 3 * t**2 + 1) * a + (t**3 - 2 * t**2 + t) * va + (-2 * t**3 + 3 * t**2) * b + (t**3 - t**2) * vb
        ankle[1] += self.lift * np.sin(np.pi * t) ** 2 * (1.15 - 0.6 * t)
        e = t * t * (3 - 2 * t)
        pitch = pitch_a + (pitch_b - pitch_a) * min(1.0, e * 1.15)
        return ankle, pitch, toe_a * (1 - min(1.0, t * 3))

    def pelvis(self, rig: Rig, samples=120):
        """Smooth pelvis height over the cycle that keeps both legs within its reach."""
        reach = sum(np.linalg.norm(rig.rest_local[rig.index[n]]) for n in ("lower_leg_l", "foot_l")) * 0.992
        hip = rig.rest_local[rig.index["upper_leg_l"]]
        phases = np.arange(samples) / samples
        limit = np.full(samples, np.inf)
        for i, phase in enumerate(phases):
            for offset in (0.0, 0.5):
                p = (phase + offset) % 1.0
                ankle, _, _ = self.foot(p)
                flat = np.hypot(ankle[2] - hip[2], 0.01)
                limit[i] = min(limit[i], ankle[1] + np.sqrt(max(reach**2 - flat**2, 0.01)) - hip[1])
        mean = np.fft.rfft(np.minimum(limit, 0.93))
        mean[5:] = 0
        smooth = np.fft.irfft(mean, samples)
        return smooth - max(0.0, np.max(smooth - limit))
