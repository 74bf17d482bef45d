"""Writes the scene files in config/ from the generated levels, so that both stay consistent.

    python3 build_scenes.py [plaza courtyard arena]

Heights are read off the levels' triangles; a position that is not clear, walkable ground stops the script.
"""
import json
import math
import os
import struct
import sys
import zlib

import numpy as np

from walkable import Level, check_scene

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "../../.."))

ACTIONS = {"hop": 3, "jump": 4, "punch": 5, "pick": 6, "roll": 7, "kick": 8, "interact": 9, "wave": 10}
# Foot, lower leg, upper leg of the people, counted from the root with each child before its siblings.
FEET = {"left": (37, 36, 35), "right": (41, 40, 39)}
HEADS = ("left", "right", "up", "down")
WALK, RUN, RUN_NATURAL = 1.5, 3.0, 3.6

# Kinds of behaviour nodes.
ROOT, WAIT, RANDOM_WAIT, SELECTOR, SEQUENCE, ACTION, FACE, HEAD, NAVIGATE = 1, 3, 4, 5, 6, 9, 11, 12, 13
HAPPY, ON_THE_WAY = 4, 1


def wait(least, most=None):
    return (WAIT, {"wait-time": least}) if most is None else (RANDOM_WAIT, {"random-wait-min-time": least, "random-wait-max-time": most})


def select(*outs, secs=0.3, condition=0):
    return (SELECTOR, {"selector-wait-time": secs, "selector-num-outs": len(outs), "selector-condition": condition}, *outs)


def sequence(*outs):
    return (SEQUENCE, {"sequence-num-outs": len(outs), "sequence-rounds": 1}, *outs)


def chain(*nodes):
    """Nodes of one output, one after the other."""
    out = nodes[-1]
    for kind, properties in nodes[-2::-1]:
        out = (kind, properties, out)
    return out


def head(axis, *weights, secs=0.8):
    """Turns or tilts the head from weight to weight."""
    a = f"head-anim-{axis}"
    return chain(*[(HEAD, {a: "true", f"{a}-start-weight": p, f"{a}-end-weight": q, f"{a}-blend-time": secs}) for p, q in zip(weights, weights[1:])])


def smile():
    face = lambda p, q: (FACE, {"face-anim": HAPPY, "face-anim-start-weight": p, "face-anim-end-weight": q, "face-anim-blend-time": 0.6})
    return chain(face(0.0, 1.0), wait(2.0), face(1.0, 0.0))


def action(word, secs):
    return chain((ACTION, {"action-move-state": ACTIONS[word]}), wait(secs))


# Who walks to a target looks around there, greets or rests for a while, and goes on to another one.
STROLL_NAME, TALK_NAME, BROWSE_NAME = "Stroll", "Talk", "Browse"
TREES = {
    STROLL_NAME: sequence(
        select(wait(1.0, 3.0),
               select(head("left-right", 0.0, -0.7, 0.6, 0.0, secs=0.9), wait(1.5, 5.0), action("wave", 2.0), smile(), wait(1.0, 2.5)),
               secs=0.5, condition=ON_THE_WAY),
        (NAVIGATE, {})),
    TALK_NAME: select(head("up-down", 0.0, 0.3, 0.0, secs=0.4), smile(), action("interact", 2.5), wait(1.0, 4.0), wait(2.0, 5.0),
                      head("left-right", 0.0, 0.5, 0.0), head("up-down", 0.0, 0.25, 0.0, 0.25, 0.0, secs=0.3), secs=0.6),
    BROWSE_NAME: select(head("up-down", 0.0, 0.4, 0.4, 0.0), action("interact", 2.5), wait(2.0, 6.0), head("left-right", 0.0, -0.6, 0.5, 0.0), wait(1.5, 4.0), smile(),
                        secs=0.6),
}


def tree_lines(name, top):
    """A node tree of the scene file: nodes numbered depth first, laid out by depth and order."""
    nodes, links, rows = [(ROOT, {})], [], {0: (40, 60)}
    height = [60]

    def add(node, from_pin, depth):
        number = len(nodes)
        kind, properties, *outs = node
        nodes.append((kind, properties))
        rows[number] = (40 + 230 * depth, height[0])
        links.append((from_pin, number * 1000))
        for k, out in enumerate(outs):
            if k:
                height[0] += 110
            add(out, number * 1000 + 200 + k, depth + 1)

    add(top, 0, 1)
    place = "".join(f"\\n[node.{n}]\\norigin={x},{y}\\n" for n, (x, y) in rows.items())
    out = [f"  - node-tree-name: {name}", f'    editor-settings: "[editor]\\n{place}"', "    nodes:"]
    for number, (kind, properties) in enumerate(nodes):
        out += [f"      - node-type: {kind}", f"        node-id: {number}"]
        if properties:
            out.append("        node-data:")
            out += [f"          - {k}: {v if isinstance(v, (int, str)) else f'{v:.6f}'}" for k, v in properties.items()]
    out.append("    links:")
    out += [f"      - {10000 + k}: [{a}, {b}]" for k, (a, b) in enumerate(links)]
    return out


# The mesh is baked when a scene opens, for the people's own radius. Small voxels keep narrow passages open and stay off walls.
NAVIGATION = ["", "walkabout:", "  transitions: inertial", "  navigation:", "    mesh: baked", "    planner: exact",
              "    bake:", "      cell_size: 0.08", "      cell_height: 0.05", "      agent_radius: 0.32"]


def clips_of(path):
    """[(name, seconds)] of a GLB in file order."""
    data = open(os.path.join(TOP, path), "rb").read()
    doc = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
    out = []
    for a in doc["animations"]:
        out.append((a["name"].lower(), max(doc["accessors"][s["input"]]["max"][0] for s in a["samplers"])))
    return out


def variants_of(path):
    """Names of a GLB's material variants in file order."""
    data = open(os.path.join(TOP, path), "rb").read()
    doc = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
    return [v["name"] for v in doc["extensions"]["KHR_materials_variants"]["variants"]]


def num(v):
    s = f"{v:.6g}"
    return "0" if s == "-0" else s


def vec(v):
    return "[" + ", ".join(num(c) for c in v) + "]"


def person_model(name, file):
    """The model entry of a person, with clip numbers by position in the file."""
    clips = clips_of(file)
    longest = max(s for _, s in clips)

    def find(name_):
        hits = [i for i, (n, _) in enumerate(clips) if n == name_]
        if not hits:
            raise SystemExit(f"{file} has no clip '{name_}': {[n for n, _ in clips]}")
        return hits[0]

    def speed(i):
        return longest / clips[i][1]

    idle, walk, run = find("idle"), find("walk"), find("run")
    out = [f"  - model-name: {name}", f"    model-file: {file}", "    is-nav-target: false", "    idle-walk-run-clips:", "      - 255:",
           f"          idle-clip: {idle}", f"          idle-clip-speed: {num(speed(idle))}",
           f"          walk-clip: {walk}", f"          walk-clip-speed: {num(speed(walk))}",
           f"          run-clip: {run}", f"          run-clip-speed: {num(speed(run) * RUN / RUN_NATURAL)}", "    action-clips:"]
    for word, state in ACTIONS.items():
        c = find(word)
        out += [f"      - {state}:", f"          clip: {c}", f"          clip-speed: {num(speed(c))}"]
    out.append("    action-sequences:")
    for word, state in ACTIONS.items():
        for source in ((1, 2) if word in ("jump", "roll") else (0,)):
            out.append(f"      - {source}: {state}")
    out.append(f"    forward-speed-factor: {num(WALK)}")
    out.append("    head-movement-mappings:")
    for i, word in enumerate(HEADS):
        out.append(f"      - {i}: {find('head' + word)}")
    for side, chain in FEET.items():
        out += [f"    {side}-foot-ik-chain:"] + [f"      - {node}" for node in chain]
    return out, idle, walk, speed(idle)


def camera(name, pos, look=None, kind=0, fov=60, ortho=None, azimuth=None, elevation=None, extra=()):
    if look is not None:
        d = np.array(look, float) - np.array(pos, float)
        azimuth = math.degrees(math.atan2(d[0], -d[2])) % 360
        elevation = math.degrees(math.asin(d[1] / np.linalg.norm(d)))
    out = [f"  - camera-name: {name}", f"    position: {vec(pos)}", f"    view-azimuth: {num(azimuth)}", f"    view-elevation: {num(elevation)}",
           f"    camera-type: {kind}", f"    camera-projection: {1 if ortho else 0}"]
    out.append(f"    ortho-scale: {ortho}" if ortho else f"    field-of-view: {fov}")
    return out + [f"    {e}" for e in extra]


class Scene:
    def __init__(self, level_file, sun=(116.1, 60.75), fog=0.002, color=(1.0, 0.93, 0.82), intensity=1.0):
        self.level_file, self.level = level_file, Level(os.path.join(TOP, level_file))
        self.sun, self.fog, self.color, self.intensity = sun, fog, color, intensity
        self.cameras, self.instances, self.markers = [], [], []
        self.clock = False
        self.models = {"ada.glb": "assets/people/ada.glb", "bruno.glb": "assets/people/bruno.glb", "carla.glb": "assets/people/carla.glb"}
        self.entries = {k: person_model(k, v) for k, v in self.models.items()}
        # Everybody is dressed differently from the one before; None is the model's own dress.
        self.dresses = {k: [None, *variants_of(v)] for k, v in self.models.items()}

    def ground(self, x, z, y=None, need=0.32):
        hit = self.level.at(x, z, y, self.level.main)
        if hit is None:
            raise SystemExit(f"{self.level_file}: no walkable ground at {x}, {z}")
        side, head = self.level.clearance(x, hit[0], z)
        if side < need or head < 1.9:
            raise SystemExit(f"{self.level_file}: ({x}, {z}) is not clear: wall at {side:.2f} m, headroom {head:.2f} m")
        return hit[0]

    def marker(self, x, z, y=None):
        h = self.ground(x, z, y, 0.46)
        self.markers.append((x, h, z))
        self.instances.append(("marker.glb", (x, h, z), 0.0, -1, (), None))

    def person(self, model, x, z, y=None, yaw=None, target=-1, cameras=(), look=None, tree=None):
        h = self.ground(x, z, y)
        if look is not None:
            yaw = math.degrees(math.atan2(look[0] - x, look[1] - z))
        if yaw is None:
            t = self.markers[target - 1]
            yaw = math.degrees(math.atan2(t[0] - x, t[2] - z))
        tree = tree or (STROLL_NAME if target != -1 else None)
        self.instances.append((model, (x, h, z), yaw, target, cameras, tree))

    def talk(self, models, x, z, yaw_deg, gap=1.15, y=None):
        """Two people who face each other."""
        dx, dz = gap / 2 * math.sin(math.radians(yaw_deg)), gap / 2 * math.cos(math.radians(yaw_deg))
        for model, s in zip(models, (-1, 1)):
            self.person(model, round(x + s * dx, 2), round(z + s * dz, 2), y, look=(x, z), tree=TALK_NAME)

    def crowd(self, count, seed, min_gap=2.2, min_travel=25.0):
        """Spreads people over the main component, area-weighted, each with a far target."""
        lv = self.level
        rng = np.random.default_rng(zlib.crc32(seed.encode()))
        tris = lv.walk[lv.comp == lv.main]
        area = np.linalg.norm(np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]), axis=1)
        taken = [np.array(i[1]) for i in self.instances]
        used = {k: 0 for k in range(len(self.markers))}
        tries = 0
        while count:
            tries += 1
            if tries > 5000:
                raise SystemExit("no room for the crowd")
            t = tris[rng.choice(len(tris), p=area / area.sum())]
            u, v = rng.random(2)
            if u + v > 1:
                u, v = 1 - u, 1 - v
            p = np.round(t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v, 2)
            if min(np.linalg.norm(p - q) for q in taken) < min_gap:
                continue
            side, head = lv.clearance(*p)
            hit = lv.at(p[0], p[2], p[1], lv.main)
            if hit is None or abs(hit[0] - p[1]) > 0.05 or side < 0.45 or head < 1.95:
                continue
            far = [k for k, m in enumerate(self.markers) if np.linalg.norm(np.array(m) - p) > min_travel]
            if not far:
                continue
            few = min(used[k] for k in far)
            k = int(rng.choice([k for k in far if used[k] == few]))
            used[k] += 1
            taken.append(p)
            self.person(("ada.glb", "bruno.glb", "carla.glb")[count % 3], float(p[0]), float(p[2]), float(p[1]), target=k + 1)
            count -= 1

    def next_dress(self, model):
        """The dresses of a model in turn."""
        number = self.dressed[model]
        self.dressed[model] += 1
        return self.dresses[model][number % len(self.dresses[model])]

    def write(self, name, selected_camera=0):
        out = ["# Walkabout scene", "version: 10.0", "", "settings:", "  selected-model: 1", "  selected-instance: 0", f"  selected-camera: {selected_camera}",
               "  selected-level: 1", "  highlight-selection: true", "  collision-enabled: 0", "  interaction-enabled: false", "  interaction-min-range: 1.5",
               "  interaction-max-range: 10", "  interaction-fov: 45", "  gravity-enabled: true", "  level-collision-ground-slope: 40",
               "  level-collision-max-stairstep-height: 0.4", "  inverse-kinematics-enabled: true", "  inverse-kinematics-iterations: 10",
               "  navigation-enabled: true", "  skybox-enabled: true", f"  fog-density: {num(self.fog)}",
               f"  light-source-angle-east-west: {num(self.sun[0])}", f"  light-source-angle-north-south: {num(self.sun[1])}",
               f"  light-source-intensity: {num(self.intensity)}", f"  light-source-color: {vec(self.color)}",
               f"  time-of-day-enabled: {'true' if self.clock else 'false'}", f"  time-of-day-scaling: {1 if self.clock else 10}", "  time-of-day-preset: 7", "",
               "levels:", f"  - level-name: {os.path.basename(self.level_file)}", f"    level-file: {self.level_file}", "    position: [0, 0, 0]",
               "    rotation: [0, 0, 0]", "    scale: 1", "    swap-axes: false", "", "cameras:"]
        for c in self.cameras:
            out += c
        out += ["", "models:"]
        for lines, _, _, _ in self.entries.values():
            out += lines
        out += ["  - model-name: marker.glb", "    model-file: assets/props/marker.glb", "    is-nav-target: true", ""]
        out.append("node-trees:")
        for word in TREES:
            if any(i[5] == word for i in self.instances):
                out += tree_lines(word, TREES[word])
        out += ["", "instances:"]
        self.dressed = dict.fromkeys(self.models, 0)
        for model, pos, yaw, target, cameras, tree in self.instances:
            person = model in self.entries
            _, idle, walk, speed = self.entries[model] if person else (0, 0, 0, 1.0)
            dress = self.next_dress(model) if person else None
            yaw = (yaw + 180) % 360 - 180
            out += [f"  - model-file: {model}", f"    position: {vec(pos)}", f"    rotation: [0, {num(yaw)}, 0]", "    scale: 1", "    swap-axes: false",
                    f"    1st-anim-clip-number: {idle}", f"    2nd-anim-clip-number: {walk}", f"    anim-clip-speed: {num(speed)}", "    anim-blend-factor: 0",
                    *([f"    node-tree: {tree}"] if tree else []), *([f"    material-variant: {dress}"] if dress else []),
                    f"    enable-navigation: {'true' if target != -1 else 'false'}", f"    path-target-instance: {target}"]
            if cameras:
                out.append("    target-of-cameras:")
                out += [f"      - {c}" for c in cameras]
        out += NAVIGATION
        path = os.path.join(TOP, "config", name + ".acfg")
        with open(path, "w") as f:
            f.write("\n".join(out) + "\n")
        if check_scene(self.level, path):
            raise SystemExit(f"{path}: see above")


def plaza():
    s = Scene("assets/levels/plaza.glb")
    hero = camera("FreeCam", (-11.6, 4.0, 11.2), (4.8, 1.7, -6.0), fov=64)
    s.cameras = [hero, camera("Overview", (27.0, 38.0, 46.0), (0.0, 0.0, -2.0), fov=60),
                 camera("Street", (4.5, 1.7, 27.5), (-12.0, 2.4, 26.0), fov=70),
                 camera("Bridge", (20.9, -1.7, 18.5), (23.4, -0.4, 0.0), fov=68),
                 camera("ThirdPersonCam", (0.0, 3.0, 12.0), (0.0, 1.5, 0.0), kind=2, fov=68, extra=("3rd-person-view-distance: 4", "3rd-person-height-offset: 0.6"))]
    for p in PLAZA_MARKERS:
        s.marker(*p[1:])
    A, B, C = "ada.glb", "bruno.glb", "carla.glb"
    # foreground of the first view, then a few who stand and look
    s.person(A, -5.4, 8.4, target=4, cameras=("ThirdPersonCam",))
    s.person(B, -3.6, 10.4, target=6)
    s.person(C, -9.2, 2.3, target=2)
    s.person(B, -2.2, 6.6, target=7)
    s.person(A, 4.6, 3.6, target=9)
    s.person(C, 6.8, -1.6, target=14)
    s.person(A, 0.8, -11.2, target=8)
    s.person(B, -2.4, -14.2, target=13)
    s.person(C, 9.3, -5.1, look=(9.6, -6.8), tree=BROWSE_NAME)
    s.person(B, 9.0, 6.7, look=(10.4, 8.0), tree=BROWSE_NAME)
    s.person(A, -9.2, -6.4, look=(-10.4, -7.6), tree=BROWSE_NAME)
    s.person(C, 3.6, 2.4, look=(-1.0, 0.8), tree=BROWSE_NAME)
    s.crowd(26, "plaza crowd")
    # pairs that talk: on the square, under the arcade, on the terrace
    s.talk((A, B), 5.4, -8.9, 60.0)
    s.talk((C, A), -7.6, 7.6, 20.0)
    s.talk((B, C), 12.6, 1.4, 100.0)
    s.talk((A, C), -5.6, -8.6, 150.0)
    s.talk((B, A), -15.3, 6.2, 10.0)
    s.talk((C, B), 9.0, -27.0, 10.0, y=2.4)
    s.clock = True
    s.write("plaza")


def courtyard():
    s = Scene("assets/levels/courtyard.fbx", sun=(70.92, 55.52))
    s.cameras = [camera("FreeCam", (9.4, 5.4, 7.4), (-3.5, 0.6, -2.5), fov=68), camera("Gallery", (-9.4, 5.2, 7.4), (0.0, 0.6, -4.0), fov=70)]
    for p in ((8.0, -0.5, 0.96), (-8.0, 3.0, 3.2), (-8.0, 3.2, 0.0), (3.6, -7.2, 0.0), (8.2, 5.6, 0.96)):
        s.marker(*p)
    A, B, C = "ada.glb", "bruno.glb", "carla.glb"
    for model, x, z, y, target in ((A, 3.0, 0.0, 0, 2), (B, -8.0, -4.0, 0, 1), (A, -8.2, -2.0, 3.2, 5), (B, 2.6, 4.6, 0, 3), (C, 8.0, 3.0, 0.96, 2), (B, 0.6, 6.0, 0, 4),
                                   (A, -4.5, 5.5, 0, 1), (C, -8.2, 6.5, 3.2, 3)):
        s.person(model, x, z, y, target=target)
    s.talk((A, C), 3.9, -1.2, 40.0)
    s.write("courtyard")


def arena():
    s = Scene("assets/levels/arena.obj", sun=(102.82, 52.45))
    s.cameras = [camera("FreeCam", (17.0, 13.0, 15.5), (-3.0, 0.5, -1.0), fov=62), camera("Deck", (-18.5, 5.0, 2.0), (4.0, 2.0, -1.0), fov=70)]
    for p in ((-14.0, -0.8, 2.4), (2.2, -13.0, 2.4), (16.5, 11.0, 0.0), (-18.0, 12.0, 0.0), (1.7, -6.5, 0.0), (17.5, -13.5, 0.0), (-18.2, -13.0, 0.0)):
        s.marker(*p)
    A, B, C = "ada.glb", "bruno.glb", "carla.glb"
    for model, x, z, y, target in ((A, 0.0, 10.0, 0, 1), (B, -2.0, 12.0, 0, 2), (A, 10.0, -3.5, 0, 4), (B, 14.0, 4.0, 0, 3), (C, -12.0, -13.0, 0, 3), (B, -6.0, -13.0, 0, 2),
                                   (A, 18.0, 8.5, 0, 7), (C, 7.0, 8.5, 0, 1), (A, 1.7, -9.0, 2.4, 6), (B, -8.0, -0.8, 2.4, 5), (C, 17.5, 0.0, 0, 2), (B, -18.5, 3.0, 0, 6)):
        s.person(model, x, z, y, target=target)
    s.write("arena")


PLAZA_MARKERS = [
    ("plaza, north of the fountain", 2.6, -8.2, 0.0), ("terrace, top of the stairs", 2.2, -19.6, 2.4), ("terrace, by the church", -12.4, -27.2, 2.4),
    ("on the bridge", 24.0, 1.2, 0.7), ("under the bridge", 21.3, 0.3, -3.5), ("foot of the canal ramp", 21.3, 21.4, -3.5),
    ("head of the north ramp", 16.6, -28.5, 2.4), ("south street, west end", -22.0, 27.0, 0.0), ("west street", -28.2, 3.0, 0.0),
    ("upper lane", -27.0, -23.0, 2.4), ("east bank, north", 31.4, -31.0, 0.0), ("east bank, south", 31.6, 33.0, 0.0),
    ("arcade", -15.3, 0.4, 0.0), ("promenade, south end", 17.0, 38.4, 0.0), ("quay, north end", 21.4, -37.0, -3.5),
]

if __name__ == "__main__":
    os.makedirs(os.path.join(TOP, "config"), exist_ok=True)
    for which in sys.argv[1:] or ["plaza", "courtyard", "arena"]:
        globals()[which]()
