"""All clips as lists of poses at 30 frames a second."""

import numpy as np

from gait import ANKLE, BALL, HEEL, Gait
from rig import euler, mul, quat, rotate

FPS = 30
WALK = Gait(seconds=1.0, speed=1.5, stance=0.60, ahead=0.36, strike_pitch=20, flat_from=0.16, heel_off=0.50, off_pitch=48,
            lift=0.055, lean=3)
RUN = Gait(seconds=20 / 30, speed=3.6, stance=0.34, ahead=0.30, strike_pitch=8, flat_from=0.16, heel_off=0.45, off_pitch=55,
           lift=0.20, lean=11)


def arms(rot, swing_l, swing_r, bend_l, bend_r, spread=0.0):
    """Arms hang at the sides; swing forward and elbow bend in degrees."""
    for side, s, swing, bend in (("l", 1, swing_l, bend_l), ("r", -1, swing_r, bend_r)):
        # The rest arm points 52° below the horizontal; 30° more brings it to the side.
        rot[f"upper_arm_{side}"] = mul(euler(x=-swing), euler(z=s * (spread - 29)))
        rot[f"lower_arm_{side}"] = mul(euler(z=s * -4), elbow(s, bend))
        rot[f"hand_{side}"] = euler(x=-4)
        curl_fingers(rot, side, s, 14, 18)


def elbow(s, bend):
    """Elbow bend: the forearm swings forward about the axis across the arm."""
    axis = np.array([-np.sin(np.radians(52)), -s * np.cos(np.radians(52)), 0.0])
    return quat(axis, np.radians(bend))


def curl_fingers(rot, side, s, first, second):
    for finger in ("index", "middle", "ring"):
        rot[f"{finger}_01_{side}"] = quat([0, 0, 1], np.radians(-s * first))
        rot[f"{finger}_02_{side}"] = quat([0, 0, 1], np.radians(-s * second))
    rot[f"thumb_01_{side}"] = euler(y=-s * first * 0.6)
    rot[f"thumb_02_{side}"] = euler(y=-s * second * 0.6)


def cycle(rig, gait, run):
    frames = int(round(gait.seconds * FPS))
    height = gait.pelvis(rig)
    out = []
    for f in range(frames + 1):
        phase = f / frames
        wave = 2 * np.pi * phase
        feet, z_l = {}, 0.0
        for side, s, offset in (("l", 1, 0.0), ("r", -1, 0.5)):
            ankle, pitch, toe = gait.foot(phase + offset)
            ankle = ankle + [s * (0.075 if run else 0.085), 0, 0]
            feet[side] = (ankle, pitch, toe, s * 4)
        i = phase * len(height)
        i0 = int(i) % len(height)
        y = height[i0] + (height[(i0 + 1) % len(height)] - height[i0]) * (i - int(i))
        if run:
            y -= 0.028 * np.cos(2 * wave + 0.6)
        sway = (0.008 if run else 0.018) * np.sin(wave + 0.35)
        turn = (7 if run else 6) * np.cos(wave)
        rot = {
            "hips": euler(x=gait.lean * 0.5, y=-turn, z=(-2 if run else -3) * np.sin(wave + 0.35)),
            "spine_01": euler(x=gait.lean * 0.3, y=turn * 0.6, z=1.4 * np.sin(wave + 0.35)),
            "spine_02": euler(x=gait.lean * 0.3, y=turn * 0.7, z=1.4 * np.sin(wave + 0.35)),
            "spine_03": euler(x=gait.lean * 0.1, y=turn * 0.7),
            "neck": euler(x=-gait.lean * 0.5, y=-turn * 0.5),
            "head": euler(x=-gait.lean * 0.4 + 1.5 * np.cos(2 * wave), y=-turn * 0.5),
        }
        amount = 38 if run else 25
        lag = 0.25
        swing = amount * np.cos(wave - lag)
        bend = 82 if run else 18
        extra = 14 if run else 12
        arms(rot, -swing - (8 if run else 0), swing - (8 if run else 0), bend + extra * np.cos(wave - lag + np.pi),
             bend + extra * np.cos(wave - lag), spread=4 if run else 2)
        out.append({"rot": rot, "hips_at": np.array([sway, y - rig.rest_local[rig.index["hips"]][1], 0.0]), "feet": feet})
    return out


def stand(rig, drop=0.012, sway=0.0, feet=None, wide=0.0):
    base = {}
    for side, s in (("l", 1), ("r", -1)):
        base[side] = (np.array([s * (0.1 + wide), ANKLE, 0.0]), 0.0, 0.0, s * 9)
    base.update(feet or {})
    rot = {}
    arms(rot, 3, 3, 14, 14, spread=3)
    return {"rot": rot, "hips_at": np.array([sway, -drop, 0.0]), "feet": base}


def idle(rig):
    out = []
    frames = 90
    for f in range(frames + 1):
        w = 2 * np.pi * f / frames
        pose = stand(rig, drop=0.016 + 0.003 * np.cos(2 * w), sway=0.014 * np.sin(w))
        r = pose["rot"]
        r["hips"] = euler(z=-1.5 * np.sin(w))
        r["spine_01"] = euler(x=0.8 * np.sin(2 * w), z=1.5 * np.sin(w))
        r["spine_03"] = euler(x=-1.4 * np.sin(2 * w))
        r["head"] = euler(x=1.0 * np.sin(2 * w + 0.5), y=4 * np.sin(w + 0.8))
        arms(r, 3 + 1.2 * np.sin(2 * w), 3 + 1.2 * np.sin(2 * w + 0.3), 15 + 2 * np.sin(2 * w), 15 - 2 * np.sin(2 * w), spread=3)
        out.append(pose)
    return out


def blend(a, b, t):
    def slerp(p, q):
        d = p @ q
        q, d = (-q, -d) if d < 0 else (q, d)
        if d > 0.9995:
            r = p + (q - p) * t
            return r / np.linalg.norm(r)
        o = np.arccos(d)
        return (np.sin((1 - t) * o) * p + np.sin(t * o) * q) / np.sin(o)

    unit = np.array([0.0, 0, 0, 1])
    rot = {n: slerp(a["rot"].get(n, unit), b["rot"].get(n, unit)) for n in sorted(set(a["rot"]) | set(b["rot"]))}
    feet = {}
    for side in "lr":
        fa, fb = a["feet"][side], b["feet"][side]
        feet[side] = (fa[0] + (fb[0] - fa[0]) * t, *(x + (y - x) * t for x, y in zip(fa[1:], fb[1:])))
    return {"rot": rot, "hips_at": a["hips_at"] + (b["hips_at"] - a["hips_at"]) * t, "feet": feet}


def keyed(keys):
    """Frames from (seconds, pose) pairs, eased in and out."""
    out = []
    for f in range(int(round(keys[-1][0] * FPS)) + 1):
        time = f / FPS
        i = max(k for k in range(len(keys)) if keys[k][0] <= time + 1e-9)
        if i + 1 == len(keys):
            out.append(keys[i][1])
            continue
        t = (time - keys[i][0]) / (keys[i + 1][0] - keys[i][0])
        out.append(blend(keys[i][1], keys[i + 1][1], t * t * (3 - 2 * t)))
    return out


def posed(rig, changes=None, **stand_args):
    pose = stand(rig, **stand_args)
    pose["rot"].update(changes or {})
    return pose


def raised(pose, dy, dz=0.0, pitch=20):
    """The whole pose lifted off the ground, feet included."""
    feet = {s: (f[0] + [0, dy, dz], pitch, 0.0, f[3]) for s, f in pose["feet"].items()}
    return {**pose, "hips_at": pose["hips_at"] + [0, dy, 0], "feet": feet}


def arm(side, s, swing, spread, bend):
    rot = {}
    arms(rot, swing, swing, bend, bend, spread)
    return {k: v for k, v in rot.items() if k.endswith("_" + side)}


def actions(rig):
    rest = posed(rig)
    crouch = posed(rig, {"spine_01": euler(x=16), "spine_02": euler(x=12), "head": euler(x=-18), **arm("l", 1, -28, 6, 30), **arm("r", -1, -28, 6, 30)}, drop=0.16)
    up = {**arm("l", 1, 70, 12, 30), **arm("r", -1, 70, 12, 30)}
    air = posed(rig, {"spine_01": euler(x=-4), **up}, drop=0.02)
    hop = keyed([(0, rest), (0.2, crouch), (0.42, raised(air, 0.30)), (0.62, crouch), (0.9, rest)])
    tuck = raised(posed(rig, {"spine_01": euler(x=14), **up}, drop=0.0, feet={
        "l": (np.array([0.1, 0.30, 0.22]), 10, 0, 4), "r": (np.array([-0.1, 0.20, -0.22]), 45, 0, -4)}), 0.36, pitch=15)
    jump = keyed([(0, rest), (0.18, crouch), (0.40, tuck), (0.55, tuck), (0.72, crouch), (1.0, rest)])
    guard = posed(rig, {"spine_01": euler(y=12), "spine_02": euler(y=8), "head": euler(y=-18), **arm("l", 1, 46, 8, 100),
                        **arm("r", -1, 36, 10, 112)}, drop=0.06, feet={"r": (np.array([-0.13, ANKLE, -0.22]), 0, 0, -28), "l": (np.array([0.11, ANKLE, 0.16]), 0, 0, 6)})
    hit = posed(rig, {"hips": euler(y=24), "spine_01": euler(x=6, y=12), "spine_02": euler(y=14), "head": euler(y=-40), **arm("l", 1, 30, 12, 110),
                      **arm("r", -1, 88, -2, 6)}, drop=0.08, feet={"r": (np.array([-0.13, ANKLE + 0.03, -0.22]), 22, -22, -10), "l": (np.array([0.11, ANKLE, 0.16]), 0, 0, 6)})
    punch = keyed([(0, rest), (0.22, guard), (0.36, hit), (0.46, hit), (0.66, guard), (0.95, rest)])
    down = posed(rig, {"hips": euler(x=34), "spine_01": euler(x=22), "spine_02": euler(x=16), "neck": euler(x=-14), "head": euler(x=-14),
                       **arm("r", -1, 88, 4, 12), **arm("l", 1, 30, 8, 40)}, drop=0.36, feet={"r": (np.array([-0.12, ANKLE, 0.14]), 0, 0, -8), "l": (np.array([0.12, ANKLE + 0.05, -0.20]), 30, -30, 8)})
    lift = posed(rig, {"spine_01": euler(x=6), "head": euler(x=12), **arm("r", -1, 42, 4, 84), **arm("l", 1, 10, 4, 26)}, drop=0.03)
    pick = keyed([(0, rest), (0.55, down), (0.8, down), (1.3, lift), (1.6, lift), (2.0, rest)])
    cock = posed(rig, {"spine_01": euler(x=-4, y=-8), **arm("l", 1, 34, 26, 44), **arm("r", -1, -24, 26, 30)}, drop=0.03,
                 feet={"r": (np.array([-0.11, ANKLE + 0.16, -0.38]), 50, 0, -4)})
    strike = posed(rig, {"hips": euler(x=-12), "spine_01": euler(x=2, y=10), "head": euler(x=8), **arm("l", 1, -30, 32, 36), **arm("r", -1, 40, 30, 40)}, drop=0.03,
                   feet={"r": (np.array([-0.10, 0.74, 0.55]), -50, 0, -4)})
    kick = keyed([(0, rest), (0.26, cock), (0.44, strike), (0.54, strike), (0.8, cock), (1.1, rest)])
    reach = posed(rig, {"spine_01": euler(x=5), "spine_02": euler(y=8), "head": euler(x=6), **arm("r", -1, 62, 0, 34)}, drop=0.02)
    press = posed(rig, {"spine_01": euler(x=9), "spine_02": euler(y=12), "head": euler(x=8), **arm("r", -1, 78, 0, 14)}, drop=0.025)
    interact = keyed([(0, rest), (0.4, reach), (0.65, press), (0.85, reach), (1.05, press), (1.5, rest)])
    return {"Hop": hop, "Jump": jump, "Punch": punch, "Pick": pick, "Roll": roll(rig), "Kick": kick, "Interact": interact, "Wave": wave(rig)}


def wave(rig):
    rest = posed(rig)

    def hand(tilt):
        pose = posed(rig, {"spine_03": euler(z=3), "head": euler(z=-5, y=-4)})
        pose["rot"].update(arm("r", -1, 10, 62, 20))
        pose["rot"]["upper_arm_r"] = mul(euler(x=-20), euler(z=-62))
        pose["rot"]["lower_arm_r"] = mul(euler(z=-62 + tilt), euler(x=-14))
        pose["rot"]["hand_r"] = euler(z=tilt * 0.5)
        return pose

    keys = [(0, rest), (0.4, hand(-18))]
    for i in range(4):
        keys.append((0.62 + 0.22 * i, hand(20 if i % 2 == 0 else -18)))
    return keyed(keys + [(1.75, rest)])


def roll(rig):
    """A forward roll on the spot: the body curls up and turns once about its middle."""
    rest = posed(rig)
    out = []
    frames = 36
    for f in range(frames + 1):
        t = f / frames
        curl = np.clip(min(t / 0.22, (1 - t) / 0.25), 0, 1)
        curl = curl * curl * (3 - 2 * curl)
        spin_t = np.clip((t - 0.12) / 0.70, 0, 1)
        angle = 360 * spin_t * spin_t * (3 - 2 * spin_t)
        rot = {"spine_01": euler(x=38 * curl), "spine_02": euler(x=32 * curl), "spine_03": euler(x=22 * curl),
               "neck": euler(x=22 * curl), "head": euler(x=26 * curl)}
        for side, s in (("l", 1), ("r", -1)):
            rot.update(arm(side, s, 3 + 55 * curl, 3 + 6 * curl, 14 + 62 * curl))
            rot[f"upper_leg_{side}"] = mul(euler(x=-112 * curl), euler(z=s * 3 * curl))
            rot[f"lower_leg_{side}"] = euler(x=128 * curl)
            rot[f"foot_{side}"] = euler(x=10 * curl)
        rot["hips"] = euler(x=angle)
        pose = {"rot": rot, "hips_at": np.zeros(3), "feet": {}}
        # The middle of the curled body stays above the ground at the radius of the ball.
        _, _, heads, _ = rig.evaluate(pose)
        low = min(heads[i][1] - radius(rig, i) for i in range(len(rig.names)) if rig.names[i] != "root")
        pose["hips_at"] = np.array([0, -low, 0.0])
        out.append(pose)
    return out


def radius(rig, i):
    """How far the skin reaches from a bone's head, roughly."""
    name = rig.names[i]
    for start, r in (("spine", 0.11), ("hips", 0.11), ("head", 0.02), ("neck", 0.05), ("upper_leg", 0.09), ("lower_leg", 0.065),
                     ("foot", ANKLE), ("toes", 0.028), ("upper_arm", 0.06), ("clavicle", 0.06), ("lower_arm", 0.05)):
        if name.startswith(start):
            return r
    return 0.02


def heads(rig):
    rest = posed(rig)
    turned = {"HeadLeft": dict(y=62), "HeadRight": dict(y=-62), "HeadUp": dict(x=-38), "HeadDown": dict(x=34)}
    out = {}
    for name, angles in turned.items():
        half = {k: v * 0.42 for k, v in angles.items()}
        most = {k: v * 0.58 for k, v in angles.items()}
        pose = {**rest, "rot": {**rest["rot"], "neck": euler(**half), "head": euler(**most)}}
        out[name] = [blend(rest, pose, t / 30) for t in range(31)]
    return out


def all_clips(rig):
    clips = {"Idle": idle(rig), "Walk": cycle(rig, WALK, False), "Run": cycle(rig, RUN, True)}
    clips.update(actions(rig))
    clips.update(heads(rig))
    return clips


def slide(rig, gait, poses):
    """Farthest that a contact point of the left foot strays, in metres, from a mark that moves with the ground while
    the foot is planted, and the lowest point of the sole over the cycle."""
    frames = len(poses) - 1
    worst, lowest = 0.0, np.inf
    foot = rig.index["foot_l"]
    for pivot, start, end in ((HEEL, 0.0, gait.heel_off), (BALL, gait.flat_from, 1.0)):
        track = []
        for f in range(frames):
            share = f / frames / gait.stance
            _, _, heads, spin = rig.evaluate(poses[f])
            point = heads[foot] + rotate(spin[foot], pivot)
            lowest = min(lowest, point[1])
            if start <= share <= end:
                track.append(point[2] + gait.speed * f / FPS)
        worst = max(worst, max(track) - min(track))
    return worst, lowest
