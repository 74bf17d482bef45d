"""Generates marker.glb, the waypoint marker: an enamel pin on a stone base, 1.2 m high, base radius 0.4 m.

    python3 build_marker.py [OUTPUT]
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../levels"))

import palette  # noqa: E402,F401
from glb import write_glb  # noqa: E402
from townkit import Mesh, Node  # noqa: E402


def lathe(m, rows, n):
    """Smooth surface of revolution; rows are (radius, y, material of the band above)."""
    nr = []
    for i in range(len(rows)):
        a, b = rows[max(i - 1, 0)], rows[min(i + 1, len(rows) - 1)]
        dr, dy = b[0] - a[0], b[1] - a[1]
        nr.append((dy, -dr) if math.hypot(dr, dy) > 0 else (0.0, 1.0))
    nr[-1] = (0.0, 1.0)
    for (r0, y0, mat), (r1, y1, _), n0, n1 in zip(rows, rows[1:], nr, nr[1:]):
        for i in range(n):
            c = [(math.cos(2 * math.pi * (i + k) / n), -math.sin(2 * math.pi * (i + k) / n)) for k in (0, 1)]
            p = [(r0 * c[0][0], y0, r0 * c[0][1]), (r0 * c[1][0], y0, r0 * c[1][1]), (r1 * c[1][0], y1, r1 * c[1][1]), (r1 * c[0][0], y1, r1 * c[0][1])]
            q = [(n0[0] * c[0][0], n0[1], n0[0] * c[0][1]), (n0[0] * c[1][0], n0[1], n0[0] * c[1][1]),
                 (n1[0] * c[1][0], n1[1], n1[0] * c[1][1]), (n1[0] * c[0][0], n1[1], n1[0] * c[0][1])]
            if r1 < 1e-6:
                p, q = p[:3], q[:3]
            m.poly(p, mat, nrm=q)


def build():
    m = Mesh()
    m.frustum(0.40, 0.40, 0.0, 0.09, 16, "limestone", cap=False, shade=(0.6, 0.95))
    m.frustum(0.40, 0.34, 0.09, 0.14, 16, "limestone", shade=(1, 1))
    m.frustum(0.26, 0.23, 0.14, 0.24, 16, "limestone_dark", shade=(0.7, 1))
    m.frustum(0.05, 0.05, 0.24, 0.40, 10, "iron", cap=False)
    m.frustum(0.085, 0.085, 0.27, 0.31, 10, "bronze", bottom=True)
    # the pin: a drop, point down, with a white band
    rows = []
    for i in range(7):
        k = i / 6
        rows.append((0.035 + 0.225 * math.sin(k * math.pi / 2) ** 1.15, 0.36 + 0.56 * k, "enamel_white" if i == 6 else "enamel_orange"))
    for i in range(1, 7):
        a = math.pi / 2 * i / 6
        rows.append((0.26 * math.cos(a) if i < 6 else 0.0, 0.92 + 0.28 * math.sin(a), "enamel_orange"))
    rows[5] = (rows[5][0], rows[5][1], "enamel_white")
    lathe(m, rows, 20)
    root = Node("marker")
    root.add("marker_mesh", m)
    return root


if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../props/marker.glb")
    textures = "/tmp/walkabout_textures"
    os.makedirs(textures, exist_ok=True)
    print(write_glb(build(), out, textures))
