"""Writes a node tree as GLB and reads the triangles of one back."""
import json
import math
import os
import struct

import numpy as np

from townkit import MATERIALS, srgb


class Writer:
    """Collects buffers, materials and meshes of one file; textures are embedded as JPEG."""

    def __init__(self, texture_dir):
        self.texture_dir = texture_dir
        self.blob, self.views, self.accs, self.meshes, self.nodes = bytearray(), [], [], [], []
        self.mats, self.mat_index, self.images, self.image_index, self.mesh_index = [], {}, [], {}, {}

    def view(self, data, target=None):
        while len(self.blob) % 4:
            self.blob.append(0)
        entry = {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data)}
        self.views.append({**entry, **({"target": target} if target else {})})
        self.blob.extend(data)
        return len(self.views) - 1

    def accessor(self, arr, ctype, kind, target, norm=False, bounds=False):
        acc = {"bufferView": self.view(arr.tobytes(), target), "componentType": ctype, "count": len(arr), "type": kind}
        if norm:
            acc["normalized"] = True
        if bounds:
            acc["min"], acc["max"] = arr.min(0).tolist(), arr.max(0).tolist()
        self.accs.append(acc)
        return len(self.accs) - 1

    def image(self, texture):
        import textures as tx

        if texture not in self.image_index:
            file = os.path.join(self.texture_dir, texture + ".jpg")
            if not os.path.exists(file):
                tx.write(texture, self.texture_dir)
            data = open(file, "rb").read()
            self.images.append({"name": texture, "mimeType": "image/jpeg", "bufferView": self.view(data)})
            self.image_index[texture] = len(self.images) - 1
        return self.image_index[texture]

    def material(self, name):
        if name in self.mat_index:
            return self.mat_index[name]
        m = MATERIALS[name]
        pbr = {"baseColorFactor": [round(c, 5) for c in srgb(*m.tint)] + [1.0], "metallicFactor": 0.0, "roughnessFactor": m.rough}
        if m.texture:
            pbr["baseColorTexture"] = {"index": self.image(m.texture)}
        entry = {"name": name, "pbrMetallicRoughness": pbr}
        if m.emissive:
            entry["emissiveFactor"] = srgb(*m.emissive)
        self.mats.append(entry)
        self.mat_index[name] = len(self.mats) - 1
        return self.mat_index[name]

    def primitive(self, mesh, mat):
        p, n, uv, s, t, _ = mesh.arrays(mat)
        c = np.clip(np.round(np.repeat(np.clip(s, 0, 1)[:, None], 4, 1) * 255), 0, 255).astype(np.uint8)
        c[:, 3] = 255
        # keep coordinates near zero so that 32-bit precision suffices
        uv = uv - np.floor(uv.min(0))
        rows = np.concatenate([np.round(p, 5), np.round(n, 4), np.round(uv, 5), c], 1).astype(np.float64)
        _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        sel = first[order]
        t = rank[inverse.ravel()][t]
        p, n, uv, c = p[sel], n[sel], uv[sel], c[sel]
        idx = t.ravel().astype(np.uint16 if len(p) < 65536 else np.uint32)
        return {
            "attributes": {
                "POSITION": self.accessor(p.astype(np.float32), 5126, "VEC3", 34962, bounds=True),
                "NORMAL": self.accessor(n.astype(np.float32), 5126, "VEC3", 34962),
                "TEXCOORD_0": self.accessor(uv.astype(np.float32), 5126, "VEC2", 34962),
                "COLOR_0": self.accessor(c, 5121, "VEC4", 34962, norm=True),
            },
            "indices": self.accessor(idx, 5123 if idx.dtype == np.uint16 else 5125, "SCALAR", 34963),
            "material": self.material(mat),
        }

    def mesh(self, mesh, name):
        if id(mesh) not in self.mesh_index:
            self.meshes.append({"name": name, "primitives": [self.primitive(mesh, mat) for mat in sorted(mesh.prims)]})
            self.mesh_index[id(mesh)] = len(self.meshes) - 1
        return self.mesh_index[id(mesh)]

    def node(self, node):
        entry = {"name": node.name}
        self.nodes.append(entry)
        me = len(self.nodes) - 1
        if any(node.pos):
            entry["translation"] = [round(float(c), 5) for c in node.pos]
        if node.yaw:
            entry["rotation"] = [0.0, math.sin(node.yaw / 2), 0.0, math.cos(node.yaw / 2)]
        if node.scale:
            entry["scale"] = [float(c) for c in node.scale]
        if node.mesh and node.mesh.prims:
            entry["mesh"] = self.mesh(node.mesh, node.name)
        kids = [self.node(c) for c in node.children]
        if kids:
            entry["children"] = kids
        return me


def write_glb(root, path, texture_dir, generator="Walkabout level scripts"):
    """Writes the tree as plain glTF 2.0 binary with embedded JPEG textures and COLOR_0."""
    w = Writer(texture_dir)
    top = w.node(root)
    doc = {
        "asset": {"version": "2.0", "generator": generator}, "scene": 0, "scenes": [{"name": root.name, "nodes": [top]}],
        "nodes": w.nodes, "meshes": w.meshes, "materials": w.mats, "accessors": w.accs, "bufferViews": w.views,
        "buffers": [{"byteLength": 0}],
    }
    if w.images:
        doc["images"] = w.images
        doc["samplers"] = [{"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497}]
        doc["textures"] = [{"source": i, "sampler": 0} for i in range(len(w.images))]
    while len(w.blob) % 4:
        w.blob.append(0)
    doc["buffers"][0]["byteLength"] = len(w.blob)
    text = json.dumps(doc, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, 12 + 8 + len(text) + 8 + len(w.blob)))
        out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
        out.write(struct.pack("<II", len(w.blob), 0x004E4942) + bytes(w.blob))
    tris = sum(n.mesh.tri_count() for n, _ in root.walk() if n.mesh)
    return {"bytes": os.path.getsize(path), "triangles": tris, "nodes": len(w.nodes), "meshes": len(w.meshes)}


def read_glb(path):
    """World-space triangles (n, 3, 3) of a GLB in node pre-order, and the node name of each."""
    data = open(path, "rb").read()
    jl = struct.unpack_from("<I", data, 12)[0]
    doc = json.loads(data[20:20 + jl])
    blob = data[20 + jl + 8:]
    kinds = {5126: np.float32, 5123: np.uint16, 5125: np.uint32, 5121: np.uint8}
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}

    def acc(i):
        a = doc["accessors"][i]
        v = doc["bufferViews"][a["bufferView"]]
        w = width[a["type"]]
        start = v.get("byteOffset", 0) + a.get("byteOffset", 0)
        return np.frombuffer(blob, kinds[a["componentType"]], a["count"] * w, start).reshape(-1, w)

    tris, names = [], []

    def visit(i, world):
        n = doc["nodes"][i]
        m = np.eye(4)
        if "matrix" in n:
            m = np.array(n["matrix"]).reshape(4, 4).T
        else:
            x, y, z, w = n.get("rotation", (0, 0, 0, 1))
            m[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
            m[:3, :3] = m[:3, :3] * np.array(n.get("scale", (1, 1, 1)))
            m[:3, 3] = n.get("translation", (0, 0, 0))
        world = world @ m
        if "mesh" in n:
            for pr in doc["meshes"][n["mesh"]]["primitives"]:
                p = acc(pr["attributes"]["POSITION"]).astype(float) @ world[:3, :3].T + world[:3, 3]
                t = p[acc(pr["indices"]).ravel().astype(int)].reshape(-1, 3, 3)
                tris.append(t)
                names.extend([n["name"]] * len(t))
        for c in n.get("children", []):
            visit(c, world)

    for r in doc["scenes"][doc.get("scene", 0)]["nodes"]:
        visit(r, np.eye(4))
    return np.concatenate(tris), names
