"""Street furniture, trees and stalls. Each function returns a mesh around its own origin, standing on y = 0."""
import math
import zlib

import numpy as np

from townkit import Mesh, rot_axis, rot_y, translate


def icosphere(level):
    t = (1 + 5 ** 0.5) / 2
    v = [(-1, t, 0), (1, t, 0), (-1, -t, 0), (1, -t, 0), (0, -1, t), (0, 1, t), (0, -1, -t), (0, 1, -t), (t, 0, -1), (t, 0, 1),
         (-t, 0, -1), (-t, 0, 1)]
    v = [np.array(p) / np.linalg.norm(p) for p in v]
    f = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
         (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    for _ in range(level):
        mid, nf = {}, []

        def half(a, b):
            k = (min(a, b), max(a, b))
            if k not in mid:
                p = v[a] + v[b]
                v.append(p / np.linalg.norm(p))
                mid[k] = len(v) - 1
            return mid[k]

        for a, b, c in f:
            ab, bc, ca = half(a, b), half(b, c), half(c, a)
            nf += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        f = nf
    return np.array(v), f


def blob(m, center, radius, mat, rng, level=1, squash=0.85, rough=0.16, dark=0.5, floor=-2.0):
    """A lumpy ball of leaves; darker below."""
    v, f = icosphere(level)
    k = 1 + rough * (rng.random(len(v)) - 0.5) * 2
    p = v * k[:, None] * radius * np.array([1, squash, 1]) + np.asarray(center)
    shade = np.clip(dark + (1 - dark) * (v[:, 1] * 0.5 + 0.62), 0, 1)
    for t in f:
        if v[list(t)][:, 1].mean() > floor:
            m.poly(p[list(t)], mat, nrm=v[list(t)], shade=shade[list(t)])


def tree(name="tree", mat="foliage", height=4.6, spread=1.7, blobs=4):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    m = Mesh()
    m.frustum(0.24, 0.15, 0, height * 0.5, 7, "bark", cap=False, shade=(0.6, 0.9))
    for i in range(3):
        a = 2 * math.pi * (i + rng.random() * 0.5) / 3
        with m.at(translate(0, height * 0.40, 0) @ rot_y(a) @ rot_axis((0, 0, 1), -0.6)):
            m.frustum(0.10, 0.05, 0, height * 0.32, 5, "bark", cap=False, shade=(0.7, 0.7))
    blob(m, (0, height * 0.80, 0), spread * 0.72, mat, rng, 1, floor=-0.35)
    for i in range(blobs):
        a = 2 * math.pi * i / blobs + rng.random() * 0.6
        r = spread * rng.uniform(0.50, 0.68)
        y = height * rng.uniform(0.60, 0.78)
        blob(m, (r * math.cos(a), y, r * math.sin(a)), spread * rng.uniform(0.56, 0.70), mat, rng, 1)
    return m


def cypress(name="cypress", height=7.5):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    m = Mesh()
    m.frustum(0.16, 0.12, 0, 0.8, 6, "bark", cap=False, shade=(0.6, 0.6))
    rings, n = 7, 9
    prof = [0.25, 0.62, 0.78, 0.74, 0.60, 0.36, 0.0]
    pts = []
    for i in range(rings):
        y = 0.55 + (height - 0.55) * i / (rings - 1)
        pts.append([(prof[i] * (1 + 0.22 * (rng.random() - 0.5)) * math.cos(2 * math.pi * j / n + i * 0.3), y + rng.uniform(-0.15, 0.15) * (i < 6),
                     -prof[i] * (1 + 0.22 * (rng.random() - 0.5)) * math.sin(2 * math.pi * j / n + i * 0.3)) for j in range(n)])
    for i in range(rings - 1):
        for j in range(n):
            a, b, c, d = pts[i][j], pts[i][(j + 1) % n], pts[i + 1][(j + 1) % n], pts[i + 1][j]
            nr = [(q[0], 0.25, q[2]) if math.hypot(q[0], q[2]) > 1e-6 else (0.01, 1, 0) for q in (a, b, c, d)]
            sh = [0.55 + 0.45 * i / rings] * 2 + [0.55 + 0.45 * (i + 1) / rings] * 2
            if i == rings - 2:
                m.poly([a, b, c], "foliage_dark", nrm=nr[:3], shade=sh[:3])
            else:
                m.quad(a, b, c, d, "foliage_dark", nrm=nr, shade=sh)
    return m


def bush(name="bush", mat="foliage", r=0.6):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    m = Mesh()
    for i in range(3):
        blob(m, (rng.uniform(-0.4, 0.4) * r, r * 0.6, rng.uniform(-0.4, 0.4) * r), r * rng.uniform(0.7, 0.95), mat, rng, 1, dark=0.45)
    return m


def planter(length=1.6, depth=0.6, height=0.62, flower=True):
    rng = np.random.default_rng(int(length * 100))
    m = Mesh()
    x, z = length / 2, depth / 2
    m.box(-x, x, 0, height, -z, z, "limestone", skip="du", shade=0.95)
    for a in ((-x - 0.04, x + 0.04, -z - 0.04, -z + 0.08), (-x - 0.04, x + 0.04, z - 0.08, z + 0.04),
              (-x - 0.04, -x + 0.08, -z + 0.08, z - 0.08), (x - 0.08, x + 0.04, -z + 0.08, z - 0.08)):
        m.box(a[0], a[1], height - 0.12, height, a[2], a[3], "limestone", skip="")
    m.quad((-x, height - 0.06, z), (x, height - 0.06, z), (x, height - 0.06, -z), (-x, height - 0.06, -z), "soil")
    n = max(2, int(length / 0.5))
    for i in range(n):
        cx = -x + length * (i + 0.5) / n
        blob(m, (cx, height + 0.12, 0), 0.32, "foliage" if i % 2 or not flower else "flowers", rng, 1, 0.9, dark=0.5, floor=-0.45)
    return m


def bench():
    m = Mesh()
    for x in (-0.75, 0.55):
        m.box(x, x + 0.2, 0, 0.46, -0.22, 0.22, "limestone", shade=0.95)
    for z in (-0.24, -0.08, 0.08):
        m.box(-0.95, 0.95, 0.46, 0.52, z, z + 0.14, "wood", skip="", shade=0.95)
    for x in (-0.70, 0.62):
        m.box(x, x + 0.08, 0.46, 0.95, -0.28, -0.22, "wood_dark")
    for y in (0.66, 0.82):
        m.box(-0.95, 0.95, y, y + 0.11, -0.23, -0.19, "wood", skip="", shade=0.95)
    return m


def lamp():
    m = Mesh()
    m.frustum(0.20, 0.20, 0, 0.12, 8, "iron")
    m.frustum(0.16, 0.07, 0.12, 0.55, 8, "iron", cap=False)
    m.frustum(0.06, 0.045, 0.55, 3.15, 6, "iron", cap=False)
    m.box(-0.32, 0.32, 2.86, 2.90, -0.02, 0.02, "iron", skip="")
    m.frustum(0.07, 0.15, 3.15, 3.24, 6, "iron", bottom=False)
    m.frustum(0.12, 0.17, 3.24, 3.62, 6, "lamp_glass", cap=False, smooth=False)
    for i in range(0, 6, 2):
        a = 2 * math.pi * i / 6
        with m.at(rot_y(a)):
            m.quad((0.115, 3.24, 0.012), (0.115, 3.24, -0.012), (0.178, 3.62, -0.012), (0.178, 3.62, 0.012), "iron")
    m.frustum(0.23, 0.06, 3.62, 3.80, 6, "iron", smooth=False, bottom=True)
    m.frustum(0.03, 0.0, 3.80, 3.95, 6, "iron")
    return m


def lantern(drop=0.0):
    """A lantern that hangs before a wall: the wall in the plane z = 0, out towards +z, the bracket's root at the origin."""
    m = Mesh()
    m.box(-0.05, 0.05, -0.16, 0.10, 0.0, 0.03, "iron", skip="n")
    m.box(-0.02, 0.02, 0.0, 0.04, 0.03, 0.36, "iron", skip="n")
    with m.at(translate(0, -drop, 0.32)):
        m.frustum(0.015, 0.015, -0.04, drop + 0.01, 4, "iron", cap=False)
        m.frustum(0.16, 0.03, -0.12, -0.04, 6, "iron", smooth=False, bottom=True)
        m.frustum(0.09, 0.13, -0.40, -0.12, 6, "lamp_glass", cap=False, smooth=False)
        m.frustum(0.06, 0.10, -0.44, -0.40, 6, "iron", smooth=False, bottom=True)
    return m


def mast(height):
    """A lamp on a post that stands on a wall: the post's foot at the origin."""
    m = Mesh()
    m.frustum(0.09, 0.05, 0, 0.12, 6, "iron", cap=False)
    m.frustum(0.045, 0.04, 0.12, height, 6, "iron", cap=False)
    m.frustum(0.07, 0.15, height, height + 0.08, 6, "iron", bottom=False)
    m.frustum(0.12, 0.17, height + 0.08, height + 0.44, 6, "lamp_glass", cap=False, smooth=False)
    m.frustum(0.23, 0.05, height + 0.44, height + 0.62, 6, "iron", smooth=False, bottom=True)
    return m


def crate(size=0.8, mat="wood"):
    m = Mesh()
    h = size / 2
    m.box(-h + 0.03, h - 0.03, 0.03, size - 0.03, -h + 0.03, h - 0.03, mat, shade=0.9)
    w = 0.09
    for yaw in range(4):
        with m.at(rot_y(yaw * math.pi / 2)):
            m.box(-h, h, 0, w, h - 0.04, h, "wood_dark", skip="ndew")
            m.box(-h, h, size - w, size, h - 0.04, h, "wood_dark", skip="new")
            m.box(-h, -h + w, w, size - w, h - 0.04, h, "wood_dark", skip="nud")
            m.box(h - w, h, w, size - w, h - 0.04, h, "wood_dark", skip="nud")
    return m


def barrel():
    m = Mesh()
    prof = [(0.27, 0.0), (0.33, 0.22), (0.355, 0.45), (0.33, 0.68), (0.27, 0.90)]
    for (r0, y0), (r1, y1) in zip(prof, prof[1:]):
        m.frustum(r0, r1, y0, y1, 10, "wood", cap=False, shade=(0.75 if y0 == 0 else 1, 1))
    m.frustum(0.245, 0.245, 0.86, 0.87, 10, "wood_pale")
    m.frustum(0.27, 0.245, 0.90, 0.90001, 10, "wood_dark", cap=False)
    for y, r in ((0.16, 0.325), (0.68, 0.335)):
        m.frustum(r, r + (0.006 if y < 0.4 else -0.006), y, y + 0.06, 10, "iron", cap=False)
    return m


def pot(name="pot", flower=True):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    m = Mesh()
    m.frustum(0.20, 0.32, 0, 0.50, 10, "plaster_terracotta", cap=False, shade=(0.7, 0.95))
    m.frustum(0.36, 0.36, 0.50, 0.58, 10, "plaster_terracotta", cap_mat="soil", bottom=True)
    blob(m, (0, 0.85, 0), 0.40, "foliage", rng, 1, 0.95, floor=-0.6)
    if flower:
        blob(m, (0.08, 1.02, 0.05), 0.30, "flowers", rng, 1, 0.8, rough=0.3, floor=-0.1)
    return m


def stall(cloth, goods, seed=1):
    """A market stall, 2.8 x 1.8 m, counter towards +z."""
    rng = np.random.default_rng(seed)
    m = Mesh()
    for x in (-1.35, 1.27):
        m.box(x, x + 0.08, 0, 2.75, -0.85, -0.77, "wood_dark")
        m.box(x, x + 0.08, 0, 2.15, 0.77, 0.85, "wood_dark")
    m.box(-1.3, 1.3, 0.0, 0.92, 0.05, 0.72, "wood", skip="du", shade=0.95)
    m.box(-1.4, 1.4, 0.92, 0.98, -0.05, 0.80, "wood_pale", skip="")
    m.box(-1.38, 1.38, 0.32, 0.80, 0.725, 0.735, cloth, skip="nud")
    n = len(goods)
    for i, g in enumerate(goods):
        a = -1.3 + 2.6 * i / n + 0.05
        b = -1.3 + 2.6 * (i + 1) / n - 0.05
        m.box(a, b, 0.98, 1.10, 0.0, 0.72, "wood", skip="du")
        m.quad((a, 1.08, 0.72), (b, 1.08, 0.72), (b, 1.22, 0.02), (a, 1.22, 0.02), g)
        c = (a + b) / 2
        for k in range(4):
            r = 0.11
            with m.at(translate(c + rng.uniform(-0.25, 0.25), 1.10 + rng.uniform(0, 0.05), 0.36 + rng.uniform(-0.2, 0.2))):
                blob(m, (0, 0.06, 0), r, g, rng, 0, 0.9, 0.05, dark=0.7)
    y0, y1, z0, z1 = 2.2, 2.85, 1.15, -0.95
    u = 1.55
    m.quad((-u, y0, z0), (u, y0, z0), (u, y1, z1), (-u, y1, z1), cloth, slope_uv=True)
    m.quad((-u, y1 - 0.02, z1), (u, y1 - 0.02, z1), (u, y0 - 0.02, z0), (-u, y0 - 0.02, z0), cloth, slope_uv=True, shade=0.7)
    k, s = 10, 1.2
    for i in range(k):
        a, b = -u + 2 * u * i / k, -u + 2 * u * (i + 1) / k
        c = (a + b) / 2
        p = [(a, y0 - 0.14, z0), (c, y0 - 0.30, z0), (b, y0 - 0.14, z0), (b, y0, z0), (a, y0, z0)]
        m.poly(p, cloth, uv=[(q[0] / s, -q[1] / s) for q in p])
        m.poly([(q[0], q[1], z0 - 0.01) for q in p[::-1]], cloth, uv=[(q[0] / s, -q[1] / s) for q in p[::-1]], shade=0.75)
    return m


def fountain():
    """Round basin (radius 2.9) with a column, two bowls and a finial; stands on the step around it."""
    m = Mesh()
    n = 20
    m.frustum(2.90, 2.80, 0, 0.14, n, "limestone_dark", cap=False, shade=(0.6, 0.9))
    m.frustum(2.72, 2.72, 0.14, 0.62, n, "limestone", cap=False, shade=(0.8, 1))
    m.frustum(2.80, 2.72, 0.1399, 0.14, n, "limestone_dark", cap=False)
    ring(m, 2.92, 2.92, 0.62, 0.80, n, "limestone")
    annulus(m, 2.40, 2.92, 0.80, n, "limestone")
    annulus(m, 2.72, 2.92, 0.62, n, "limestone", down=True)
    ring(m, 2.40, 2.40, 0.40, 0.80, n, "limestone_dark", inward=True)
    m.frustum(2.41, 2.41, 0.55, 0.58, n, "water")
    m.frustum(0.55, 0.50, 0.3, 0.95, 8, "limestone", smooth=False)
    m.frustum(0.30, 0.22, 0.95, 1.75, 12, "limestone")
    m.frustum(0.22, 1.10, 1.75, 2.05, 16, "limestone", cap=False)
    ring(m, 1.10, 1.12, 2.05, 2.17, 16, "limestone")
    annulus(m, 0.98, 1.12, 2.17, 16, "limestone")
    m.frustum(0.99, 0.99, 2.10, 2.12, 16, "water")
    m.frustum(0.18, 0.14, 2.12, 2.75, 10, "limestone")
    m.frustum(0.14, 0.55, 2.75, 2.92, 14, "limestone", cap=False)
    ring(m, 0.55, 0.56, 2.92, 3.0, 14, "limestone")
    m.frustum(0.555, 0.555, 2.99, 3.0, 14, "water")
    m.frustum(0.10, 0.13, 3.0, 3.25, 8, "bronze")
    v, f = icosphere(1)
    for t in f:
        m.poly(v[list(t)] * 0.2 + [0, 3.42, 0], "bronze", nrm=v[list(t)])
    m.frustum(0.05, 0.0, 3.6, 3.95, 6, "bronze")
    return m


def ring(m, r0, r1, y0, y1, n, mat, inward=False):
    if not inward:
        m.frustum(r0, r1, y0, y1, n, mat, cap=False)
        return
    for i in range(n):
        a, b = 2 * math.pi * i / n, 2 * math.pi * (i + 1) / n
        p = [(r0 * math.cos(b), y0, -r0 * math.sin(b)), (r0 * math.cos(a), y0, -r0 * math.sin(a)), (r1 * math.cos(a), y1, -r1 * math.sin(a)),
             (r1 * math.cos(b), y1, -r1 * math.sin(b))]
        m.poly(p, mat, shade=[0.7, 0.7, 1, 1])


def annulus(m, r0, r1, y, n, mat, down=False):
    for i in range(n):
        a, b = 2 * math.pi * i / n, 2 * math.pi * (i + 1) / n
        p = [(r * math.cos(t), y, -r * math.sin(t)) for r, t in ((r1, a), (r1, b), (r0, b), (r0, a))]
        m.poly(p[::-1] if down else p, mat)


def well():
    m = Mesh()
    m.frustum(0.95, 0.90, 0, 0.80, 14, "stone_pale", cap=False, shade=(0.7, 1))
    ring(m, 1.0, 1.0, 0.80, 0.92, 14, "limestone")
    annulus(m, 0.65, 1.0, 0.92, 14, "limestone")
    ring(m, 0.65, 0.65, 0.2, 0.92, 14, "stone_dark", inward=True)
    m.frustum(0.66, 0.66, 0.25, 0.3, 14, "water")
    for x in (-0.85, 0.73):
        m.box(x, x + 0.12, 0.92, 2.4, -0.06, 0.06, "wood_dark", skip="d")
    m.box(-0.95, 0.95, 2.35, 2.47, -0.07, 0.07, "wood_dark", skip="")
    m.frustum(1.3, 0.1, 2.5, 3.2, 4, "roof", smooth=False, bottom=True, phase=math.pi / 4)
    return m


def cart():
    m = Mesh()
    m.box(-0.9, 0.9, 0.62, 0.70, -0.5, 0.5, "wood", skip="")
    for z0, z1 in ((-0.5, -0.44), (0.44, 0.5)):
        m.box(-0.9, 0.9, 0.70, 1.05, z0, z1, "wood", skip="d")
    m.box(-0.9, -0.84, 0.70, 1.05, -0.44, 0.44, "wood", skip="d")
    m.quad((-0.84, 0.98, 0.44), (0.9, 0.86, 0.44), (0.9, 0.86, -0.44), (-0.84, 0.98, -0.44), "fruit_green")
    for z in (-0.40, 0.36):
        m.box(0.9, 1.9, 0.60, 0.66, z, z + 0.06, "wood_dark", skip="")
    m.box(0.7, 0.78, 0, 0.62, -0.04, 0.04, "wood_dark")
    for z in (-0.58, 0.52):
        with m.at(translate(-0.2, 0.48, z + 0.03) @ rot_axis((1, 0, 0), math.pi / 2)):
            m.frustum(0.48, 0.48, -0.03, 0.03, 12, "wood_dark", cap=True, bottom=True, cap_mat="wood_dark")
    return m


def hanging(points, pieces, seed=3, flags=False):
    """A sagging cord through two points with washing (or pennants) on it; absolute coordinates."""
    rng = np.random.default_rng(seed)
    m = Mesh()
    a, b = np.array(points[0], float), np.array(points[1], float)
    d = b - a
    flat = np.array([d[0], 0, d[2]]) / math.hypot(d[0], d[2])
    side = np.array([-flat[2], 0, flat[0]]) * 0.012
    sag = 0.035 * np.linalg.norm(d)

    def at(t):
        return a + d * t - np.array([0, sag * 4 * t * (1 - t), 0])

    n = 8
    up = np.array([0, 0.012, 0])
    for i in range(n):
        p, q = at(i / n), at((i + 1) / n)
        for s in (1, -1):
            f = [p - up, q - up, q + up, p + up]
            m.poly([v + side * 0.3 * s for v in (f if s > 0 else f[::-1])], "iron")
    mats = ["cloth_white", "cloth_red", "cloth_gold", "cloth_blue"]
    for i in range(pieces):
        t0 = (i + 0.5 + (0 if flags else rng.uniform(-0.2, 0.2))) / pieces
        w = 0.26 if flags else rng.uniform(0.45, 0.85)
        h = 0.34 if flags else rng.uniform(0.55, 0.95)
        p, q = at(t0 - w / 2 / np.linalg.norm(d)), at(t0 + w / 2 / np.linalg.norm(d))
        mat = mats[i % 4] if flags else mats[int(rng.choice([0, 0, 0, 1, 2, 3]))]
        low = np.array([0, h, 0])
        sway = side * rng.uniform(-6, 6)
        f = [(p + q) / 2 - low + sway, q, p] if flags else [p - low + sway, q - low + sway, q, p]
        uv = [(0.1, 0.6), (0.3, 0.1), (0.0, 0.1)] if flags else [(0, h), (w, h), (w, 0), (0, 0)]
        m.poly(f, mat, uv=uv)
        m.poly([v - side * 0.2 for v in f][::-1], mat, uv=uv[::-1], shade=0.85)
    return m
