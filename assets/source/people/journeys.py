"""Clips that travel: starts, stops, turns and curves, from a way of the body over the ground and the steps along it.

A foot that stands keeps its place on the ground: where the body's own place of that foot is at the middle of the stance.
Arms and trunk are blended between standing and walking by the speed.
"""

import numpy as np

from clips import FPS, WALK, arms, blend, cycle, idle, stand
from gait import ANKLE, BALL, HEEL
from rig import mul, quat, rotate

# Distance of the feet from the middle, walking and standing, in metres, and how far toes point out, in degrees.
WALK_SIDE, STAND_SIDE = 0.085, 0.10
WALK_OUT, STAND_OUT = 4, 9
FINE = 8  # Steps of the integration for each frame.
BEYOND = 8  # Frames before and after a clip in which the height of the hips is smoothed.


def ease(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * x * (x * (6 * x - 15) + 10)


class Way:
    """The way of a body: speed (m/s) and turn (degrees a second) over time, and the phase of its steps."""

    def __init__(self, seconds, speed, turn, cadence, phase=0.0):
        self.seconds, self.speed_at, self.cadence_at = seconds, speed, cadence
        count = int(round(seconds * FPS)) * FINE
        # Before and after, for the steps that reach over the ends.
        self.pad = 2 * FPS * FINE
        times = (np.arange(-self.pad, count + self.pad + 1)) / (FPS * FINE)
        step = 1.0 / (FPS * FINE)
        held = np.clip(times, 0, seconds)
        zero = self.pad
        self.yaw = np.radians(np.cumsum([turn(t) for t in held]) * step)
        self.yaw -= self.yaw[zero]
        speeds = np.array([speed(t) for t in held])
        self.at = np.cumsum(np.stack([np.sin(self.yaw), np.cos(self.yaw)], 1) * speeds[:, None], 0) * step
        self.phase = np.cumsum([cadence(t) for t in held]) * step
        self.at -= self.at[zero]
        self.phase += phase - self.phase[zero]
        self.times = times

    def index(self, time):
        return int(np.clip(round(time * FPS * FINE) + self.pad, 0, len(self.times) - 1))

    def root(self, time):
        i = self.index(time)
        return self.at[i], self.yaw[i]


def to_world(root, point):
    (x, z), yaw = root
    turned = rotate(quat([0, 1, 0], yaw), np.asarray(point, float))
    return turned + [x, 0, z]


class Step:
    """A foot's stance: when it begins and ends, and where it is."""

    def __init__(self, begin, end, place, yaw):
        self.begin, self.end, self.place, self.yaw = begin, end, place, yaw
        self.before = self.after = 0.0  # Lengths of the steps to and from it, in parts of a full step.


def steps_of(way, side, s, offset):
    """All stances of a foot. One that begins before the clip or outlasts it, while the body stands, is one of standing."""
    stances, i, last = [], 0, len(way.times) - 1
    in_stance = np.mod(way.phase + offset, 1.0) < WALK.stance
    walks = np.array([way.cadence_at(t) > 1e-3 for t in np.clip(way.times, 0, way.seconds)])
    in_stance |= ~walks
    while i <= last:
        if not in_stance[i]:
            i += 1
            continue
        j = i
        while j < last and in_stance[j + 1]:
            j += 1
        stands = ~walks[i : j + 1]
        middle = (i + j) // 2
        if stands.any():
            # It stands where it will be or has been without a step.
            middle = i + int(np.flatnonzero(stands)[0 if stands[-1] else -1])
        share = 0.0 if stands.any() else 1.0
        root = (way.at[middle], way.yaw[middle])
        width = STAND_SIDE + (WALK_SIDE - STAND_SIDE) * share
        out = STAND_OUT + (WALK_OUT - STAND_OUT) * share
        # In the middle of its stance the foot is as far behind the body as in the walk.
        behind = (WALK.ahead - WALK.speed * WALK.seconds * WALK.stance / 2) * way.speed_at(np.clip(way.times[middle], 0, way.seconds)) / WALK.speed
        place = to_world(root, [s * width, 0, behind * share])
        begin = way.times[i] if i > 0 else -9.0
        end = way.times[j] if j < last else 99.0
        stances.append(Step(begin, end, place, way.yaw[middle] + np.radians(s * out)))
        i = j + 1
    full = WALK.speed * WALK.seconds
    for a, b in zip(stances, stances[1:]):
        a.after = b.before = min(1.0, np.linalg.norm(b.place - a.place) / full)
    return stances


def standing_foot(step, time):
    """Ankle, pitch and toe bend of a foot in its stance: heel strike, flat, heel off, as far as the steps are long."""
    length = min(step.end - step.begin, WALK.stance * WALK.seconds)
    rise = WALK.flat_from * length
    fall = (1 - WALK.heel_off) * length
    turn = quat([0, 1, 0], step.yaw)
    pitch, pivot, toe = 0.0, HEEL, 0.0
    if time - step.begin < rise:
        pitch = -WALK.strike_pitch * step.before * (1 - (time - step.begin) / rise)
    elif step.end - time < fall:
        t = 1 - (step.end - time) / fall
        pitch = WALK.off_pitch * step.after * (t * t * (3 - 2 * t) * 0.7 + t * 0.3)
        pivot, toe = BALL, -pitch
    base = step.place + [0, ANKLE, 0]
    contact = base + rotate(turn, pivot)
    tilt = mul(turn, quat([1, 0, 0], np.radians(pitch)))
    return contact - rotate(tilt, pivot), pitch, toe, step.yaw


def foot_at(stances, time):
    for step in stances:
        if step.begin <= time <= step.end:
            return standing_foot(step, time)
    for a, b in zip(stances, stances[1:]):
        if a.end < time < b.begin:
            t = (time - a.end) / (b.begin - a.end)
            (from_at, from_pitch, from_toe, from_yaw) = standing_foot(a, a.end)
            (to_at, to_pitch, _, to_yaw) = standing_foot(b, b.begin)
            e = t * t * (3 - 2 * t)
            at = from_at + (to_at - from_at) * e
            far = max(a.after, 0.25)
            at[1] += WALK.lift * far * np.sin(np.pi * t) ** 2 * (1.15 - 0.6 * t)
            pitch = from_pitch + (to_pitch - from_pitch) * min(1.0, e * 1.15)
            return at, pitch, from_toe * (1 - min(1.0, t * 3)), from_yaw + (to_yaw - from_yaw) * e
    return standing_foot(stances[-1], time)


def smooth(values, sigma):
    reach = int(3 * sigma)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    padded = np.concatenate([np.full(reach, values[0]), values, np.full(reach, values[-1])])
    return np.convolve(padded, weights / weights.sum(), "valid")


def journey(rig, way):
    """The poses of a way, 30 a second, in the space in which it travels."""
    frames = int(round(way.seconds * FPS))
    walking, resting = cycle(rig, WALK, False), idle(rig)
    both = {"l": steps_of(way, "l", 1, 0.0), "r": steps_of(way, "r", -1, 0.5)}
    reach = sum(np.linalg.norm(rig.rest_local[rig.index[n]]) for n in ("lower_leg_l", "foot_l")) * 0.992
    rest = rig.head[rig.index["hips"]]
    hip = rig.rest_local[rig.index["upper_leg_l"]]
    poses, heights = [], []
    for f in range(-BEYOND, frames + 1 + BEYOND):
        time = f / FPS
        i = way.index(time)
        root = way.root(time)
        share = ease(min(1.0, abs(way.speed_at(np.clip(time, 0, way.seconds))) / WALK.speed))
        phase = np.mod(way.phase[i], 1.0) * (len(walking) - 1)
        a, b = walking[int(phase)], walking[min(int(phase) + 1, len(walking) - 1)]
        still = resting[int(f) % len(resting)]
        pose = blend(still, blend(a, b, phase - int(phase)), share)
        feet = {side: foot_at(both[side], time) for side in "lr"}
        low = np.inf
        for side, s in (("l", 1), ("r", -1)):
            ankle = feet[side][0]
            joint = to_world(root, [s * hip[0], 0, hip[2]])
            flat = np.hypot(ankle[0] - joint[0], ankle[2] - joint[2])
            low = min(low, ankle[1] + np.sqrt(max(reach**2 - flat**2, 0.01)) - hip[1])
        heights.append(min(low, pose["hips_at"][1] + rest[1]))
        pose["feet"] = {side: (at, pitch, toe, np.degrees(yaw)) for side, (at, pitch, toe, yaw) in feet.items()}
        poses.append((pose, root))
    heights = np.array(heights)
    even = smooth(heights, 2.0)
    even -= max(0.0, np.max(even - heights) - 0.004)
    out = []
    for (pose, root), height in list(zip(poses, even))[BEYOND : BEYOND + frames + 1]:
        hips = to_world(root, [rest[0] + pose["hips_at"][0], 0, rest[2] + pose["hips_at"][2]])
        pose["hips_at"] = np.array([hips[0], height, hips[2]]) - rest
        pose["rot"]["hips"] = mul(quat([0, 1, 0], root[1]), pose["rot"].get("hips", np.array([0.0, 0, 0, 1])))
        out.append(pose)
    return out


def starts(first):
    """From standing into a walk; `first` is the phase at which the first foot has just lifted."""
    speed = lambda t: WALK.speed * ease((t - 0.25) / 0.75)
    moves = lambda t: 0.0 if t < 0.3 else 1.0 / WALK.seconds
    return Way(2.3, speed, lambda t: 0.0, moves, first)


def stops(first):
    """From a walk to standing; the last foot comes beside the other."""
    speed = lambda t: WALK.speed * (1 - ease((t - 0.6) / 0.75))
    moves = lambda t: 1.0 / WALK.seconds if t < 1.4 else 0.0
    return Way(2.3, speed, lambda t: 0.0, moves, first)


def turns(angle, seconds, phase):
    """On the spot, in small steps."""
    rate = lambda t: angle / seconds * 30 * ((x := np.clip((t - 0.2) / seconds, 0, 1)) * (1 - x)) ** 2
    moves = lambda t: 1.0 / 0.8 if 0.2 <= t < 0.2 + seconds else 0.0
    return Way(seconds + 0.7, lambda t: 0.0, rate, moves, phase)


def curves(radius, speed):
    """Three strides along a circle; a radius below zero turns to the right."""
    return Way(3 * WALK.seconds, lambda t: speed, lambda t: np.degrees(speed / radius), lambda t: 1.0 / WALK.seconds)


def all_journeys(rig):
    """The clips that travel, by name."""
    lift_left, lift_right = WALK.stance, WALK.stance + 0.5
    ways = {
        "StartLeft": starts(lift_left), "StartRight": starts(lift_right),
        "StopLeft": stops(0.0), "StopRight": stops(0.5),
        "TurnLeft": turns(90, 1.2, lift_left), "TurnRight": turns(-90, 1.2, lift_right),
        "AboutLeft": turns(180, 1.6, lift_left), "AboutRight": turns(-180, 1.6, lift_right),
        "CurveLeft": curves(3.0, 1.5), "CurveRight": curves(-3.0, 1.5),
        "BendLeft": curves(1.2, 1.1), "BendRight": curves(-1.2, 1.1),
    }
    return {name: journey(rig, way) for name, way in ways.items()}
