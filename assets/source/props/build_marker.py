"""Generates marker.glb, the waypoint marker: an enamel pin on a stone base, 1.2 m high, base radius 0.4 m.

    python3 build_marker.py [OUTPUT]
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../levels"))

import palette  # noqa: E402,F401
from townkit import Mesh, Node, write_glb  # noqa: E402


def lathe(m, rows, n):
    """Surface of revolution; rows are (radius, y, material of the band above, normal slope)."""
    for (r0, y0, mat), (r1, y1, _) in zip(rows, rows[1:]):
        m.frustum(r0, r1, y0, y1, n, mat, cap=False, shade=(1, 1))


def build():
    m = Mesh()
    m.frustum(0.40, 0.40, 0.0, 0.09, 16, "limestone", cap=False, shade=(0.6, 0.95))
    m.frustum(0.40, 0.34, 0.09, 0.14, 16, "limestone", shade=(1, 1))
    m.frustum(0.26, 0.23, 0.14, 0.24, 16, "limestone_dark", shade=(0.7, 1))
    m.frustum(0.05, 0.05, 0.24, 0.40, 10, "iron", cap=False)
    m.frustum(0.085, 0.085, 0.27, 0.31, 10, "bronze", bottom=True)
    # the pin: a drop, point down, with a white band
    rows, n = [], 10
    for i in range(n + 1):
        t = i / n
        y = 0.36 + 0.84 * t
        if t < 0.62:
            k = t / 0.62
            r = 0.035 + 0.225 * math.sin(k * math.pi / 2) ** 1.15
        else:
            k = (t - 0.62) / 0.38
            r = 0.26 * math.sqrt(max(0.0, 1 - k * k))
        mat = "enamel_white" if i == 6 else "enamel_orange"
        rows.append((r, y, mat))
    lathe(m, rows, 18)
    root = Node("marker")
    root.add("marker_mesh", m)
    return root


if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../props/marker.glb")
    textures = "/tmp/walkabout_textures"
    os.makedirs(textures, exist_ok=True)
    print(write_glb(build(), out, textures))
