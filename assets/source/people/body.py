"""Skeleton and body parts of a stylised person, 1.75 m tall, facing +Z, left side at +X."""

import numpy as np

from nets import polygonise, sd_capsule, sd_ellipsoid, smooth_union

ARM = np.array([np.cos(np.radians(52)), -np.sin(np.radians(52)), 0.0])


def skeleton(look):
    """Names, parents and model-space heads of all bones; parents come before children."""
    bones = []

    def add(name, parent, at):
        bones.append((name, parent, np.asarray(at, float)))

    add("root", None, [0, 0, 0])
    add("hips", "root", [0, 0.93, 0])
    add("spine_01", "hips", [0, 1.03, 0.0])
    add("spine_02", "spine_01", [0, 1.15, 0.0])
    add("spine_03", "spine_02", [0, 1.28, -0.005])
    add("neck", "spine_03", [0, 1.435, -0.01])
    add("head", "neck", [0, 1.505, 0.005])
    add("jaw", "head", [0, 1.52, 0.04])
    add("eye_l", "head", [0.036, 1.60, 0.085])
    add("eye_r", "head", [-0.036, 1.60, 0.085])
    for side, s in (("l", 1.0), ("r", -1.0)):
        arm = ARM * [s, 1, 1]
        shoulder = np.array([s * look["shoulders"], 1.385, -0.01])
        elbow = shoulder + arm * 0.265
        wrist = elbow + arm * 0.245 + [0, 0, 0.02]
        add(f"clavicle_{side}", "spine_03", [s * 0.03, 1.385, -0.005])
        add(f"upper_arm_{side}", f"clavicle_{side}", shoulder)
        add(f"lower_arm_{side}", f"upper_arm_{side}", elbow)
        add(f"hand_{side}", f"lower_arm_{side}", wrist)
        for finger, offset, length in (
            ("thumb", [0.004 * s, -0.004, 0.028], 0.034),
            ("index", [0.0, 0.0, 0.024], 0.036),
            ("middle", [0.0, 0.0, 0.002], 0.039),
            ("ring", [0.0, 0.0, -0.020], 0.035),
        ):
            base = wrist + arm * (0.03 if finger == "thumb" else 0.085) + offset
            along = arm + ([0, 0, 0.7] if finger == "thumb" else [0, 0, 0])
            add(f"{finger}_01_{side}", f"hand_{side}", base)
            add(f"{finger}_02_{side}", f"{finger}_01_{side}", base + along / np.linalg.norm(along) * length)
        add(f"upper_leg_{side}", "hips", [s * 0.095, 0.89, 0.0])
        add(f"lower_leg_{side}", f"upper_leg_{side}", [s * 0.10, 0.48, 0.012])
        add(f"foot_{side}", f"lower_leg_{side}", [s * 0.105, 0.085, -0.01])
        add(f"toes_{side}", f"foot_{side}", [s * 0.11, 0.028, 0.115])
    return bones


class Part:
    """A closed surface with one palette colour and the bones that move it."""

    def __init__(self, name, vertices, triangles, normals, color, bones):
        self.name, self.vertices, self.triangles, self.normals = name, vertices, triangles, normals
        self.color, self.bones = color, bones


def surface(name, distance, low, high, cell, color, bones):
    return Part(name, *polygonise(distance, low, high, cell), color, bones)


def joined(distances, k):
    def distance(p):
        out = distances[0](p)
        for d in distances[1:]:
            out = smooth_union(out, d(p), k)
        return out

    return distance


def capsule(a, b, ra, rb):
    return lambda p: sd_capsule(p, a, b, ra, rb)


def ellipsoid(center, radii):
    return lambda p: sd_ellipsoid(p, center, radii)


def parts(look, at):
    """All parts of a person; `at` gives bone heads by name."""
    out = []
    w = look["width"]
    torso = joined(
        [
            ellipsoid([0, 1.02, 0.0], [0.150 * w, 0.11, 0.105 * w]),
            ellipsoid([0, 1.17, 0.004], [0.142 * w, 0.14, 0.100 * w]),
            ellipsoid([0, 1.31, -0.004], [0.172 * w, 0.115, 0.105 * w]),
            capsule([-look["shoulders"] * 0.95, 1.378, -0.01], [look["shoulders"] * 0.95, 1.378, -0.01], 0.062, 0.062),
            capsule([0, 1.38, -0.01], [0, 1.435, -0.012], 0.062, 0.058),
        ],
        0.07,
    )
    hem = look["hem"]

    def shirt(p):
        arms = torso(p)
        for side in "lr":
            a, b, c = at[f"upper_arm_{side}"], at[f"lower_arm_{side}"], at[f"hand_{side}"]
            arms = smooth_union(arms, sd_capsule(p, a, b, 0.062 * w, 0.050), 0.05)
            if look["long_sleeves"]:
                arms = smooth_union(arms, sd_capsule(p, b, b + (c - b) * 0.86, 0.050, 0.042), 0.02)
            else:
                arms = np.maximum(arms, -(sd_capsule(p, b - (b - a) * 0.18, c, 0.11, 0.11)))
        return np.maximum(arms, hem - p[..., 1])

    reach = 0.62
    out.append(surface("shirt", shirt, [-reach, 0.85, -0.2], [reach, 1.53, 0.2], 0.043, "shirt",
                       ["hips", "spine_01", "spine_02", "spine_03", "neck", "clavicle_l", "clavicle_r", "upper_arm_l",
                        "upper_arm_r", "lower_arm_l", "lower_arm_r"]))

    def trousers(p):
        d = sd_ellipsoid(p, [0, 0.955, -0.005], [0.152 * w, 0.105, 0.112 * w])
        for side in "lr":
            hip, knee, foot = at[f"upper_leg_{side}"], at[f"lower_leg_{side}"], at[f"foot_{side}"]
            d = smooth_union(d, sd_capsule(p, hip, knee, 0.088 * w, 0.062), 0.03)
            d = smooth_union(d, sd_capsule(p, knee, foot + [0, 0.035, 0], 0.062, look["cuff"]), 0.02)
        return d

    out.append(surface("trousers", trousers, [-0.3, 0.06, -0.22], [0.3, 1.1, 0.22], 0.043, "trousers",
                       ["hips", "spine_01", "upper_leg_l", "upper_leg_r", "lower_leg_l", "lower_leg_r"]))
    belt = lambda p: np.maximum(sd_ellipsoid(p, [0, 1.0, 0.0], [0.160 * w, 0.2, 0.118 * w]), np.abs(p[..., 1] - hem - 0.005) - 0.02)
    out.append(surface("belt", belt, [-0.25, 0.85, -0.2], [0.25, 1.1, 0.2], 0.033, "belt", ["hips", "spine_01"]))
    for side, s in (("l", 1.0), ("r", -1.0)):
        out += limbs(look, at, side, s)
    return out + head(look, at)


def limbs(look, at, side, s):
    elbow, wrist = at[f"lower_arm_{side}"], at[f"hand_{side}"]
    arm = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    out = []
    if not look["long_sleeves"]:
        upper = at[f"upper_arm_{side}"]
        start = upper + (elbow - upper) * 0.55
        d = joined([capsule(start, elbow, 0.043, 0.040), capsule(elbow, wrist, 0.040, 0.029)], 0.02)
        low, high = np.minimum(start, wrist) - 0.07, np.maximum(start, wrist) + 0.07
        out.append(surface(f"arm_{side}", d, low, high, 0.030, "skin",
                           [f"upper_arm_{side}", f"lower_arm_{side}", f"hand_{side}"]))
    fingers = [lambda p, a=wrist - arm * 0.03, b=wrist + arm * 0.02: sd_capsule(p, a, b, 0.027, 0.030)]
    palm = wrist + arm * 0.055
    fingers.append(lambda p: np.linalg.norm((p - palm) * [1.25, 1.0, 0.85], axis=-1) - 0.038)
    for finger in ("thumb", "index", "middle", "ring"):
        a, b = at[f"{finger}_01_{side}"], at[f"{finger}_02_{side}"]
        tip = b + (b - a) * 0.8
        fingers.append(lambda p, a=a, tip=tip: sd_capsule(p, a, tip, 0.0135, 0.0105))
    d = joined(fingers, 0.012)
    low, high = np.minimum(wrist, wrist + arm * 0.2) - 0.065, np.maximum(wrist, wrist + arm * 0.2) + 0.065
    names = [f"hand_{side}", f"lower_arm_{side}"]
    names += [f"{f}_{n}_{side}" for f in ("thumb", "index", "middle", "ring") for n in ("01", "02")]
    out.append(surface(f"hand_{side}", d, low, high, 0.0175, "skin", names))
    foot, toes = at[f"foot_{side}"], at[f"toes_{side}"]
    x = foot[0] + 0.004 * s

    def shoe(p):
        d = sd_capsule(p, [x, 0.055, -0.045], [x + 0.006 * s, 0.046, 0.13], 0.052, 0.044)
        d = smooth_union(d, sd_capsule(p, [foot[0], 0.075, -0.025], [foot[0], 0.125, -0.015], 0.05, 0.047), 0.04)
        return np.maximum(d, 0.016 - p[..., 1])

    def sole(p):
        d = sd_capsule(p, [x, 0.014, -0.05], [x + 0.006 * s, 0.014, 0.135], 0.052, 0.047)
        return np.maximum(np.maximum(d, p[..., 1] - 0.024), -p[..., 1])

    names = [f"foot_{side}", f"toes_{side}", f"lower_leg_{side}"]
    out.append(surface(f"shoe_{side}", shoe, [x - 0.09, 0.0, -0.13], [x + 0.09, 0.2, 0.22], 0.030, "shoe", names))
    out.append(surface(f"sole_{side}", sole, [x - 0.09, -0.03, -0.13], [x + 0.09, 0.05, 0.22], 0.026, "sole", names[:2]))
    return out


def head(look, at):
    skull = joined(
        [
            ellipsoid([0, 1.625, -0.005], [0.090, 0.105, 0.100]),
            ellipsoid([0, 1.565, 0.026], [0.068 * look["jaw"], 0.070, 0.068]),
            ellipsoid([0, 1.575, 0.103], [0.015, 0.019, 0.017]),
            capsule([0, 1.612, 0.094], [0, 1.580, 0.108], 0.009, 0.013),
        ],
        0.028,
    )
    neck = capsule([0, 1.42, -0.012], [0, 1.53, -0.002], 0.052, 0.047)

    def face(p):
        d = smooth_union(skull(p), neck(p), 0.03)
        for s in (1, -1):
            d = smooth_union(d, sd_ellipsoid(p, [s * 0.090, 1.598, -0.005], [0.014, 0.028, 0.019]), 0.01)
        return np.maximum(d, 1.425 - p[..., 1])

    out = [surface("face", face, [-0.13, 1.39, -0.14], [0.13, 1.76, 0.14], 0.020, "skin", ["head", "neck", "jaw", "spine_03"])]
    for s in (1, -1):
        eye = "eye_l" if s > 0 else "eye_r"
        out.append(surface("white", ellipsoid([s * 0.034, 1.606, 0.083], [0.0185, 0.0185, 0.012]),
                           [s * 0.034 - 0.03, 1.57, 0.06], [s * 0.034 + 0.03, 1.64, 0.11], 0.0115, "white", [eye]))
        out.append(surface("iris", ellipsoid([s * 0.0335, 1.605, 0.0925], [0.0098, 0.0108, 0.005]),
                           [s * 0.0335 - 0.02, 1.585, 0.08], [s * 0.0335 + 0.02, 1.625, 0.105], 0.0062, "iris", [eye]))
        out.append(surface("iris", ellipsoid([s * 0.033, 1.605, 0.0965], [0.0052, 0.0060, 0.0030]),
                           [s * 0.033 - 0.012, 1.592, 0.088], [s * 0.033 + 0.012, 1.618, 0.104], 0.0042, "pupil", [eye]))
        brow = capsule([s * 0.016, 1.641, 0.0945], [s * 0.054, 1.643, 0.079], 0.0062, 0.0046)
        out.append(surface("brow", brow, [s * 0.035 - 0.035, 1.62, 0.055], [s * 0.035 + 0.035, 1.665, 0.115], 0.0072, "hair", ["head"]))
    mouth = lambda p: sd_capsule(p * [1, 1, 1], [-0.021, 1.5405, 0.0905], [0.021, 1.5405, 0.0905], 0.0062, 0.0062)
    out.append(surface("mouth", mouth, [-0.045, 1.52, 0.07], [0.045, 1.56, 0.11], 0.0056, "lips", ["head", "jaw"]))
    cap = ellipsoid([0, 1.640, -0.012], [0.102, 0.111, 0.110])
    line = look["hairline"]

    def hair(p):
        d = cap(p)
        if look["hair"] == "long":
            d = smooth_union(d, sd_capsule(p, [0, 1.60, -0.075], [0, 1.46, -0.085], 0.062, 0.045), 0.05)
            for s in (1, -1):
                d = smooth_union(d, sd_capsule(p, [s * 0.078, 1.65, -0.01], [s * 0.080, 1.51, -0.025], 0.026, 0.018), 0.02)
        if look["hair"] == "bun":
            d = smooth_union(d, np.linalg.norm(p - [0, 1.735, -0.075], axis=-1) - 0.045, 0.012)
        if look["hair"] == "quiff":
            d = smooth_union(d, sd_ellipsoid(p, [0.0, 1.735, 0.045], [0.062, 0.032, 0.045]), 0.03)
        # The face stays free: in front of the ears and below the hairline nothing grows.
        front = -0.030 if look["hair"] != "long" else 0.0
        free = np.maximum(p[..., 1] - line + np.abs(p[..., 0]) * 0.25, front - p[..., 2])
        d = -smooth_union(-d, free, 0.022)
        return d if look["hair"] == "long" else np.maximum(d, 1.555 - p[..., 1])

    out.append(surface("hair", hair, [-0.15, 1.38, -0.17], [0.15, 1.8, 0.13], 0.021, "hair", ["head", "neck"]))
    return [enlarged(part) for part in out]


def enlarged(part):
    """Heads are drawn a little larger than life; the neck keeps its size."""
    pivot = np.array([0, 1.49, 0.0])
    rise = np.clip((part.vertices[:, 1:2] - 1.47) / 0.07, 0, 1)
    part.vertices = pivot + (part.vertices - pivot) * (1 + 0.10 * rise)
    return part
