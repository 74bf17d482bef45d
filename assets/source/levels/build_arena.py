"""Generates arena.obj (+ .mtl, two .jpg), an obstacle course for path finding.

    python3 build_arena.py [OUTPUT_FOLDER]

Slopes of 10..50 degrees and stairs with steps of 0.1..0.6 m lead to one deck at 2.4 m; gaps, a bridge with ground
below it, and passages of 0.5..1.6 m.
"""
import math
import os
import sys

import numpy as np

import props as pr
import textures as tx
from palette import material
from townkit import MATERIALS, Ground, Mesh, Node, srgb

HERE = os.path.dirname(os.path.abspath(__file__))
DECK = 2.4
TINTS = {10: (0.72, 0.86, 0.66), 20: (0.80, 0.88, 0.60), 30: (0.93, 0.86, 0.56), 40: (0.96, 0.72, 0.48), 50: (0.93, 0.52, 0.44)}
STEPS = {0.1: 24, 0.2: 12, 0.3: 8, 0.4: 6, 0.6: 4}

material("arena_floor", "paving", (0.86, 0.84, 0.80), 0.9, 4.0)
material("arena_wall", "stone", (0.78, 0.76, 0.74), 0.9, 2.4)
material("arena_deck", "paving", (1.0, 0.95, 0.86), 0.9, 4.0)
material("arena_crate", None, (0.66, 0.47, 0.30), 0.9, 2.4)
for _d, _c in TINTS.items():
    material(f"arena_slope_{_d}", None, _c, 0.9, 2.4)
MATERIALS["limestone"].texture = None  # low risers
MATERIALS["limestone"].tint = (0.80, 0.735, 0.635)

ground = Ground(2.4, "arena")
root = Node("arena")


def rect(x0, x1, z0, z1):
    return [(x0, z1), (x1, z1), (x1, z0), (x0, z0)]


def block(name, x0, x1, z0, z1, y0, y1, mat="arena_wall"):
    m = Mesh()
    m.box(x0, x1, y0, y1, z0, z1, mat)
    root.add(name, m)
    ground.obstacle(rect(x0, x1, z0, z1))


def build():
    g = ground
    g.region(rect(-20, 20, -16, 16), 0.0, "arena_floor", "floor")
    g.region(rect(-17, 3, -2, 0.5), DECK, "arena_deck", "deck", "arena_wall")
    for i, d in enumerate(sorted(TINTS)):
        x, run = -16.6 + 3.4 * i, DECK / math.tan(math.radians(d))
        t = math.tan(math.radians(d))
        g.region(rect(x, x + 2.4, 0.5, 0.5 + run), (DECK + 0.5 * t, 0.0, -t), f"arena_slope_{d}", f"slope_{d}", "arena_wall")
    for i, (h, n) in enumerate(sorted(STEPS.items())):
        x = -16.6 + 3.4 * i
        for k in range(1, n):
            z = -2 - 0.3 * (n - k)
            g.region(rect(x, x + 2.4, z, z + 0.3), round(h * k, 4), "arena_deck", f"stairs_{int(h * 100)}", "arena_wall")
    x = 3.0
    for i, gap in enumerate((0.3, 0.6, 1.0, 1.6)):
        x += gap
        g.region(rect(x, x + 2.0, -2, 0.5), DECK, "arena_deck", f"gap_{int(gap * 10)}", "arena_wall")
        x += 2.0
    g.region(rect(0.6, 4.0, -14.5, -11.5), DECK, "arena_deck", "far_platform", "arena_wall")
    # bridge from the deck to the far platform
    m = Mesh()
    x0, x1, z0, z1 = 1.0, 2.4, -11.5, -2.0
    k = 4
    for i in range(k):
        a, b = z0 + (z1 - z0) * i / k, z0 + (z1 - z0) * (i + 1) / k
        m.quad((x0, DECK, b), (x1, DECK, b), (x1, DECK, a), (x0, DECK, a), "arena_deck")
        m.quad((x0, DECK - 0.2, a), (x1, DECK - 0.2, a), (x1, DECK - 0.2, b), (x0, DECK - 0.2, b), "arena_wall")
        m.quad((x1, DECK - 0.2, b), (x1, DECK - 0.2, a), (x1, DECK, a), (x1, DECK, b), "arena_wall")
        m.quad((x0, DECK - 0.2, a), (x0, DECK - 0.2, b), (x0, DECK, b), (x0, DECK, a), "arena_wall")
    root.add("bridge", m)
    # narrow passages into the south-east room
    cuts = [5.0]
    for gap, mid in ((0.5, 7.0), (0.7, 10.0), (1.0, 13.0), (1.6, 16.5)):
        cuts += [mid - gap / 2, mid + gap / 2]
    cuts.append(20.0)
    for i in range(0, len(cuts), 2):
        block(f"passage_wall_{i // 2}", cuts[i], cuts[i + 1], 6.0, 6.4, 0, 2.2)
    block("room_wall", 5.0, 5.4, 6.4, 16.0, 0, 2.2)
    for i, (cx, cz, s) in enumerate(((12.0, -6.0, 1.2), (13.4, -6.4, 0.9), (8.0, -9.0, 1.2), (16.0, -11.0, 1.2), (9.5, 11.0, 1.2), (15.0, 12.0, 0.9), (6.5, 2.6, 0.9))):
        block(f"crate_{i}", cx - s / 2, cx + s / 2, cz - s / 2, cz + s / 2, 0, s, "arena_crate")
    t = 0.5
    for name, a in (("n", (-20.5, 20.5, -16 - t, -16)), ("s", (-20.5, 20.5, 16, 16 + t)), ("w", (-20 - t, -20, -16, 16)), ("e", (20, 20 + t, -16, 16))):
        block("border_" + name, *a, 0, 2.6)
    lamps()
    for name, mesh in sorted(g.build().items()):
        root.add("ground_" + name, mesh)


def lamps():
    """Lamps on the walls and beside the deck, where they take no ground away."""
    places = [(x, 2.6, z) for z in (-16.25, 16.25) for x in (-15.0, -5.0, 5.0, 15.0)]
    places += [(x, 2.6, z) for x in (-20.25, 20.25) for z in (-8.0, 0.0, 8.0)]
    places += [(5.2, 2.2, 6.2), (11.5, 2.2, 6.2), (5.2, 2.2, 12.0)]
    for i, place in enumerate(places):
        root.add(f"lamp_{i}", pr.mast(0.9), pos=place)
    for i, (x, z) in enumerate(((-13.7, 0.62), (-6.9, 0.62), (1.5, 0.62), (-13.7, -2.12), (-6.9, -2.12))):
        root.add(f"deck_lamp_{i}", pr.mast(3.0), pos=(x, 1.9, z))


def write_obj(folder):
    for name in ("stone", "paving"):
        made = tx.write(name, "/tmp", size=256, quality=80)
        os.replace(made, os.path.join(folder, f"arena_{name}.jpg"))
    used, lines, vb, nb, tb = set(), ["# Walkabout arena: metres, Y up", "mtllib arena.mtl"], 1, 1, 1
    for node, w in root.walk():
        if not node.mesh:
            continue
        lines.append(f"o {node.name}")
        for mat in sorted(node.mesh.prims):
            used.add(mat)
            p, n, uv, _, t, _ = node.mesh.arrays(mat)
            p = p @ w[:3, :3].T + w[:3, 3]
            p, pi = np.unique(np.round(p, 4) + 0.0, axis=0, return_inverse=True)
            n, ni = np.unique(np.round(n, 4) + 0.0, axis=0, return_inverse=True)
            uv, ui = np.unique(np.round(uv * [1, -1], 4) + 0.0, axis=0, return_inverse=True)
            lines += [f"v {a:g} {b:g} {c:g}" for a, b, c in p] + [f"vt {a:g} {b:g}" for a, b in uv] + [f"vn {a:g} {b:g} {c:g}" for a, b, c in n]
            lines.append(f"usemtl {mat}")
            lines += ["f " + " ".join(f"{pi[k] + vb}/{ui[k] + tb}/{ni[k] + nb}" for k in f) for f in t]
            vb, nb, tb = vb + len(p), nb + len(n), tb + len(uv)
    with open(os.path.join(folder, "arena.obj"), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "arena.mtl"), "w") as f:
        for mat in sorted(used):
            r, gr, b = (round(c, 4) for c in srgb(*MATERIALS[mat].tint))
            image = f"map_Kd arena_{MATERIALS[mat].texture}.jpg\n" if MATERIALS[mat].texture else ""
            glow = MATERIALS[mat].emissive
            glow = "Ke {:g} {:g} {:g}\n".format(*(round(c, 4) for c in srgb(*glow))) if glow else ""
            f.write(f"newmtl {mat}\nKd {r:g} {gr:g} {b:g}\nKs 0 0 0\n{glow}{image}\n")
    print({"bytes": os.path.getsize(os.path.join(folder, "arena.obj")), "triangles": sum(n.mesh.tri_count() for n, _ in root.walk() if n.mesh)})


if __name__ == "__main__":
    build()
    write_obj(sys.argv[1] if len(sys.argv) > 1 else os.path.normpath(os.path.join(HERE, "../../levels")))
