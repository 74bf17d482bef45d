"""Writes the people: assets/people/*.glb with rig, clips and face morphs, and the measured ground speeds.

Needs numpy and Pillow only. Usage: python3 build_people.py [output folder]
"""

import io
import json
import struct
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import clips as clip_maker
from body import parts, skeleton
from journeys import all_journeys
from rig import Rig

PEOPLE = {
    "ada": {
        "shoulders": 0.150, "width": 0.92, "jaw": 0.92, "hem": 0.98, "long_sleeves": False, "cuff": 0.050, "hair": "long", "hairline": 1.672,
        "colors": {"skin": "e8b08c", "shirt": "d9573f", "trousers": "34507a", "belt": "6a4a32", "shoe": "f0ebe0", "sole": "b9b2a4",
                   "hair": "6b3a22", "white": "ffffff", "iris": "2f5d50", "lips": "b4564a", "pupil": "14100e"},
    },
    "bruno": {
        "shoulders": 0.172, "width": 1.06, "jaw": 1.08, "hem": 0.97, "long_sleeves": True, "cuff": 0.054, "hair": "quiff", "hairline": 1.678,
        "colors": {"skin": "c68a62", "shirt": "3f7f6b", "trousers": "7c6a52", "belt": "3b2a20", "shoe": "5a3a26", "sole": "2c2420",
                   "hair": "241a16", "white": "ffffff", "iris": "3a2a1c", "lips": "96513f", "pupil": "14100e"},
    },
    "carla": {
        "shoulders": 0.156, "width": 0.97, "jaw": 0.96, "hem": 0.99, "long_sleeves": True, "cuff": 0.046, "hair": "bun", "hairline": 1.676,
        "colors": {"skin": "8a5a3c", "shirt": "e0b23c", "trousers": "3c3a4e", "belt": "9a6a3a", "shoe": "8c3a34", "sole": "d8d0c0",
                   "hair": "17120f", "white": "ffffff", "iris": "2a1a10", "lips": "7c3a36", "pupil": "0c0a08"},
    },
}
# Other dresses, skins and hair of each person, as material variants: what differs from the first.
VARIANTS = {
    "ada": {
        "blue blouse": {"shirt": "5f86b3", "trousers": "cbbf9f", "shoe": "7a4a34", "belt": "7a4a34"},
        "white shirt": {"shirt": "eee9dc", "trousers": "2f3b4c", "hair": "b98a4e", "shoe": "2c2a2e", "skin": "f0c2a0"},
        "olive": {"shirt": "7d8450", "trousers": "4b3f36", "hair": "2a1b14", "skin": "b9794f", "iris": "3a2a1c"},
        "plum": {"shirt": "7c4164", "trousers": "3a3d46", "hair": "8c3f24", "skin": "f2c8ac", "shoe": "3a2a2e"},
        "mustard": {"shirt": "d0a23a", "trousers": "5b6f86", "hair": "1d1512", "skin": "7c4f36", "iris": "2a1a10", "lips": "7c3a36"},
        "grey": {"shirt": "9aa0a2", "trousers": "6e3b34", "hair": "8f8a84", "shoe": "d9d3c6"},
        "mint": {"shirt": "a9cdb4", "trousers": "e4ddcc", "hair": "4a2c1a", "belt": "b98a5a", "shoe": "c9895a"},
    },
    "bruno": {
        "white shirt": {"shirt": "ece6d8", "trousers": "46546b", "shoe": "3b2a20"},
        "navy": {"shirt": "2f4166", "trousers": "b8a888", "hair": "6b4a2c", "skin": "e6b48e", "lips": "b0695a"},
        "brick": {"shirt": "a5493a", "trousers": "3d4148", "hair": "17120f", "skin": "8a5a3c", "lips": "7c3a36"},
        "sky blue": {"shirt": "8fb3cf", "trousers": "2f3b4c", "hair": "a87b45", "skin": "f0c4a2", "iris": "40607a", "lips": "b4665a"},
        "sand": {"shirt": "c9b088", "trousers": "5d6b4a", "hair": "3a2418", "shoe": "8a6a44"},
        "black": {"shirt": "33343a", "trousers": "5f6673", "hair": "8d8880", "skin": "dcab86", "shoe": "222024"},
        "wine": {"shirt": "6d2f3f", "trousers": "8a8478", "hair": "120d0b", "skin": "6b4330", "lips": "643029", "shoe": "dcd6c8"},
    },
    "carla": {
        "coral": {"shirt": "e07a5f", "trousers": "e6ddca", "shoe": "b98a5a"},
        "turquoise": {"shirt": "3f9c9a", "trousers": "4d4036", "hair": "5a3520", "skin": "e4b08a", "iris": "2f5d50", "lips": "b4564a"},
        "white shirt": {"shirt": "f0ebe0", "trousers": "7a3540", "hair": "2a1b14", "skin": "c68a62", "lips": "96513f"},
        "denim": {"shirt": "6f8fb0", "trousers": "39506e", "hair": "c79a58", "skin": "f2c8a8", "iris": "40607a", "lips": "c0685c", "shoe": "efe9dd"},
        "lilac": {"shirt": "a690bf", "trousers": "4a4a55", "shoe": "3a3238"},
        "forest": {"shirt": "3f6a4a", "trousers": "b59b70", "hair": "94908a", "skin": "d9a47e", "lips": "a05a4c"},
        "rose": {"shirt": "d39aa0", "trousers": "5a6f86", "hair": "3b2016", "skin": "5f3b2a", "lips": "5e2c2a"},
    },
}
CELL = 16
COLORS = ["skin", "shirt", "trousers", "belt", "shoe", "sole", "hair", "white", "iris", "lips", "pupil"]


def palette(colors):
    """One column of soft vertical shading per colour: darker below, lighter above, with a little grain."""
    rng = np.random.default_rng(7)
    image = np.zeros((64, CELL * 16, 3))
    for i, name in enumerate(COLORS):
        rgb = np.array([int(colors[name][k : k + 2], 16) for k in (0, 2, 4)]) / 255
        shade = np.linspace(1.06, 0.86, 64)[:, None, None]
        grain = 1 + rng.normal(0, 0.012 if name in ("shirt", "trousers", "hair") else 0.004, (64, CELL, 1))
        image[:, i * CELL : (i + 1) * CELL] = rgb * shade * grain
    out = io.BytesIO()
    Image.fromarray((np.clip(image, 0, 1) * 255).astype(np.uint8)).save(out, "PNG", optimize=True)
    return out.getvalue()


def weights(part, rig, at):
    """Up to four bones per vertex by distance to the bone's segment, softened around the joints."""
    segments = []
    for name in part.bones:
        i = rig.index[name]
        kids = [k for k, p in enumerate(rig.parent) if p == i]
        tip = np.mean([rig.head[k] for k in kids], axis=0) if kids else rig.head[i] + (rig.head[i] - rig.head[rig.parent[i]]) * 0.8
        if name == "head":
            tip = rig.head[i] + [0, 0.2, 0]
        if name.startswith("toes"):
            tip = rig.head[i] + [0, 0, 0.08]
        if name == "hips":
            tip = rig.head[i] + [0, 0.08, 0]
        segments.append((i, rig.head[i], tip))
    d = []
    for _, a, b in segments:
        ab = b - a
        t = np.clip((part.vertices - a) @ ab / max(ab @ ab, 1e-9), 0, 1)
        d.append(np.linalg.norm(part.vertices - (a + t[:, None] * ab), axis=1))
    d = np.array(d).T
    soft = 0.030
    w = np.exp(-np.maximum(d - d.min(1, keepdims=True), 0) / soft * 1.6)
    order = np.argsort(-w, axis=1)[:, :4]
    picked = np.take_along_axis(w, order, 1)
    picked[picked < 0.03] = 0
    picked /= picked.sum(1, keepdims=True)
    joints = np.array([s[0] for s in segments])[order]
    if order.shape[1] < 4:
        pad = 4 - order.shape[1]
        joints = np.pad(joints, ((0, 0), (0, pad)))
        picked = np.pad(picked, ((0, 0), (0, pad)))
    return joints.astype(np.uint8), picked.astype(np.float32)


def face_morphs(part):
    """Vertex offsets for angry, worried, surprised and happy."""
    v = part.vertices
    x = np.abs(v[:, 0])
    zero = np.zeros_like(v)
    out = [zero.copy() for _ in range(4)]
    angry, worried, surprised, happy = out
    if part.name == "brow":
        inner = np.clip(1 - (x - 0.016) / 0.04, 0, 1)
        angry[:, 1] = -0.013 * inner + 0.004 * (1 - inner)
        angry[:, 2] = 0.004 * inner
        worried[:, 1] = 0.013 * inner - 0.006 * (1 - inner)
        surprised[:, 1] = 0.017
        happy[:, 1] = 0.006
    elif part.name == "mouth":
        side = np.clip(x / 0.024, 0, 1)
        rel = (v[:, 1] - 1.5405) / 0.006
        angry[:, 1] = -0.007 * side**2 + 0.003 * (1 - side)
        worried[:, 1] = -0.006 * side**2 + 0.002 * rel
        worried[:, 0] = -v[:, 0] * 0.25
        surprised[:, 1] = rel * 0.011 * np.sqrt(np.clip(1 - side**2, 0, 1))
        surprised[:, 0] = -v[:, 0] * 0.42
        happy[:, 1] = 0.012 * side**2 - 0.004 * (1 - side) + rel * 0.003 * (1 - side)
        happy[:, 0] = v[:, 0] * 0.35
        happy[:, 2] = -0.009 * side**2
        for m in (angry, worried):
            m[:, 2] = -0.001
    elif part.name == "white":
        rel = v[:, 1] - 1.606
        angry[:, 1] = -np.clip(rel, 0, 1) * 0.35
        surprised[:, 1] = rel * 0.22
        happy[:, 1] = np.clip(-rel, 0, 1) * 0.35
        worried[:, 1] = -np.clip(rel, 0, 1) * 0.12
    elif part.name == "face":
        cheek = np.exp(-(((x - 0.045) / 0.02) ** 2 + ((v[:, 1] - 1.563) / 0.02) ** 2)) * (v[:, 2] > 0.03)
        happy[:, 1] = 0.007 * cheek
        happy[:, 2] = 0.006 * cheek
        chin = np.exp(-(((v[:, 1] - 1.505) / 0.02) ** 2)) * (v[:, 2] > 0.02) * np.clip(1 - x / 0.06, 0, 1)
        surprised[:, 1] = -0.012 * chin
        angry[:, 1] = 0.002 * chin
    return out


class Glb:
    def __init__(self):
        self.views, self.accessors, self.blob = [], [], bytearray()

    def view(self, data, target=None):
        self.blob += b"\0" * (-len(self.blob) % 4)
        view = {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data)}
        if target:
            view["target"] = target
        self.views.append(view)
        self.blob += data
        return len(self.views) - 1

    def accessor(self, array, kind, component, target=None, bounds=False):
        array = np.ascontiguousarray(array)
        out = {"bufferView": self.view(array.tobytes(), target), "componentType": component, "count": len(array), "type": kind}
        if bounds:
            low, high = array.min(0), array.max(0)
            out["min"], out["max"] = [float(x) for x in np.atleast_1d(low)], [float(x) for x in np.atleast_1d(high)]
        self.accessors.append(out)
        return len(self.accessors) - 1

    def save(self, document, path):
        document["bufferViews"], document["accessors"] = self.views, self.accessors
        document["buffers"] = [{"byteLength": len(self.blob)}]
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        blob = bytes(self.blob) + b"\0" * (-len(self.blob) % 4)
        with open(path, "wb") as f:
            f.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(blob)))
            f.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
            f.write(struct.pack("<II", len(blob), 0x004E4942) + blob)


FACE = {"face", "white", "iris", "brow", "mouth"}


def mesh_arrays(group, rig, at, morphs):
    position, normal, uv, joint, weight, index = [], [], [], [], [], []
    offsets = [[] for _ in range(4)]
    base = 0
    for part in group:
        low, high = part.vertices[:, 1].min(), part.vertices[:, 1].max()
        v = (high - part.vertices[:, 1]) / max(high - low, 1e-6)
        u = (COLORS.index(part.color) + 0.5 + 0.6 * np.sin(part.vertices[:, 0] * 40) * 0.5) / 16
        j, w = weights(part, rig, at)
        position.append(part.vertices)
        normal.append(part.normals)
        uv.append(np.stack([u, np.clip(v, 0.02, 0.98)], 1))
        joint.append(j)
        weight.append(w)
        index.append(part.triangles + base)
        base += len(part.vertices)
        if morphs:
            for k, m in enumerate(face_morphs(part)):
                offsets[k].append(m)
    cat = np.concatenate
    return cat(position), cat(normal), cat(uv), cat(joint), cat(weight), cat(index), [cat(o) if morphs else None for o in offsets]


def build(name, look, folder):
    bones = skeleton(look)
    rig = Rig(bones)
    at = {b[0]: b[2] for b in bones}
    made = parts(look, at)
    glb = Glb()
    names = [name, *VARIANTS[name]]
    f4, u1, u2, u4 = 5126, 5121, 5123, 5125
    nodes = [{"name": name, "children": [1]}]
    for i, bone in enumerate(rig.names):
        node = {"name": bone, "translation": [float(x) for x in rig.rest_local[i]]}
        kids = [k + 1 for k, p in enumerate(rig.parent) if p == i]
        if kids:
            node["children"] = kids
        nodes.append(node)
    meshes = []
    for group, is_face in (([p for p in made if p.name not in FACE], False), ([p for p in made if p.name in FACE], True)):
        position, normal, uv, joint, weight, index, offsets = mesh_arrays(group, rig, at, is_face)
        primitive = {
            "attributes": {
                "POSITION": glb.accessor(position.astype("<f4"), "VEC3", f4, 34962, True),
                "NORMAL": glb.accessor(normal.astype("<f4"), "VEC3", f4, 34962),
                "TEXCOORD_0": glb.accessor(uv.astype("<f4"), "VEC2", f4, 34962),
                "JOINTS_0": glb.accessor(joint, "VEC4", u1, 34962),
                "WEIGHTS_0": glb.accessor(weight.astype("<f4"), "VEC4", f4, 34962),
            },
            "indices": glb.accessor(index.astype("<u2").reshape(-1), "SCALAR", u2, 34963),
            "material": 0,
            "extensions": {"KHR_materials_variants": {"mappings": [{"material": k, "variants": [k - 1]} for k in range(1, len(names))]}},
        }
        mesh = {"name": f"{name}_{'face' if is_face else 'body'}", "primitives": [primitive]}
        if is_face:
            primitive["targets"] = [{"POSITION": glb.accessor(o.astype("<f4"), "VEC3", f4, 34962, True)} for o in offsets]
            mesh["weights"] = [0.0] * 4
            mesh["extras"] = {"targetNames": ["angry", "worried", "surprised", "happy"]}
        meshes.append(mesh)
        nodes.append({"name": mesh["name"], "mesh": len(meshes) - 1, "skin": 0})
        nodes[0]["children"].append(len(nodes) - 1)
    inverse = np.tile(np.eye(4, dtype="<f4"), (len(rig.names), 1, 1))
    inverse[:, 3, :3] = -rig.head
    skin = {"inverseBindMatrices": glb.accessor(inverse.reshape(-1, 16), "MAT4", f4), "joints": list(range(1, len(rig.names) + 1)), "skeleton": 1}
    animations, seconds = [], {}
    for clip, poses in (clip_maker.all_clips(rig) | all_journeys(rig)).items():
        animations.append(animation(glb, rig, clip, poses))
        seconds[clip] = (len(poses) - 1) / clip_maker.FPS
    textures = [glb.view(palette(look["colors"] | VARIANTS[name].get(dress, {}))) for dress in names]
    document = {
        "asset": {"version": "2.0", "generator": "Walkabout build_people.py", "copyright": "CC0"},
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "meshes": meshes, "skins": [skin], "animations": animations,
        "extensionsUsed": ["KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": dress} for dress in names[1:]]}},
        "materials": [{"name": dress, "pbrMetallicRoughness": {"baseColorTexture": {"index": k}, "metallicFactor": 0.0, "roughnessFactor": 0.85}}
                      for k, dress in enumerate(names)],
        "textures": [{"source": k, "sampler": 0} for k in range(len(names))], "samplers": [{"magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33071}],
        "images": [{"bufferView": view, "mimeType": "image/png", "name": dress} for view, dress in zip(textures, names)],
    }
    glb.save(document, folder / f"{name}.glb")
    motion = {"model": f"{name}.glb", "longest_clip_seconds": max(seconds.values()), "clips": {}}
    for clip, gait in (("Walk", clip_maker.WALK), ("Run", clip_maker.RUN)):
        slide, lowest = clip_maker.slide(rig, gait, clip_maker.cycle(rig, gait, clip == "Run"))
        assert slide < 0.015 and lowest > -0.01, f"{clip} slides {slide:.3f} m, sinks to {lowest:.3f} m"
        motion["clips"][clip] = {"seconds": seconds[clip], "ground_speed_m_per_s": gait.speed, "slide_m_per_step": round(slide, 4)}
    (folder / f"{name}.motion.json").write_text(json.dumps(motion, indent=2) + "\n")
    triangles = sum(len(p.triangles) for p in made)
    print(f"{name}: {len(rig.names)} bones, {triangles} triangles, {len(animations)} clips, {(folder / f'{name}.glb').stat().st_size // 1024} KiB")


def animation(glb, rig, name, poses):
    times = np.arange(len(poses), dtype="<f4") / clip_maker.FPS
    spins, shifts = [], []
    for pose in poses:
        local, shift, _, _ = rig.evaluate(pose)
        spins.append(local)
        shifts.append(shift)
    spins, shifts = np.array(spins), np.array(shifts)
    for f in range(1, len(spins)):
        flip = (spins[f] * spins[f - 1]).sum(1) < 0
        spins[f][flip] *= -1
    time_at, start = (glb.accessor(keys, "SCALAR", 5126, bounds=True) for keys in (times, times[:1]))
    samplers, channels = [], []

    def channel(node, path, values, kind):
        still = np.abs(values - values[0]).max() < 1e-6
        values = values[:1] if still else values
        samplers.append({"input": start if still else time_at, "output": glb.accessor(values.astype("<f4"), kind, 5126), "interpolation": "LINEAR"})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node + 1, "path": path}})

    for i, bone in enumerate(rig.names):
        if bone.startswith(("eye", "jaw", "root")):
            continue
        channel(i, "rotation", spins[:, i], "VEC4")
    hips = rig.index["hips"]
    channel(hips, "translation", shifts[:, hips], "VEC3")
    return {"name": name, "samplers": samplers, "channels": channels}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "people")
    out.mkdir(parents=True, exist_ok=True)
    for person, look in PEOPLE.items():
        build(person, look, out)
