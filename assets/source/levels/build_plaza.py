"""Generates plaza.glb, a small old town around a plaza.

    python3 build_plaza.py [OUTPUT] [TEXTURE_FOLDER] [--fast]

The plan is in (x, z), +x east, +z south; see ../../levels/README.md. `--fast` skips the baked light.
"""
import math
import os
import sys

import numpy as np

import palette  # noqa: F401  (fills the material table)
import props as pr
from buildings import bar, frame, voussoirs
from glb import write_glb
from plaza_base import (QUAY, RISE, TERRACE, WATER, X0, X1, Z0, Z1, ground, n_canal, n_ground, n_props, n_walls, ngon, rect,
                        root, turned)
from plaza_buildings import DOORSTEPS, church, houses, street_arches
from townkit import Mesh, bake_ao, rot_y, translate

# --- ground regions -------------------------------------------------------------------------

def regions():
    g = ground
    g.region(rect(X0, X1, Z0, Z1), 0.0, "cobble", "streets")
    g.region(rect(-17, 18.65, -16.5, 14.5), 0.0, "paving", "plaza")
    # light bands: a frame and a star around the fountain
    g.region(rect(-12.6, 13.6, -11.4, 12.0), 0.0, "limestone", "plaza")
    g.region(rect(-12.1, 13.1, -10.9, 11.5), 0.0, "paving", "plaza")
    for k in range(4):
        g.region(turned(FX, FZ, 22, 0.45, math.radians(45 * k + 22.5)), 0.0, "limestone", "plaza")
    g.region(rect(-17, -12.6, -16.5, 14.5), 0.0, "paving", "plaza")
    g.region(rect(13.6, 18.65, -16.5, 14.5), 0.0, "paving", "plaza")
    g.region(rect(-17, 18.65, -16.5, -11.4), 0.0, "paving", "plaza")
    g.region(rect(-17, 18.65, 12.0, 14.5), 0.0, "paving", "plaza")
    g.region(ngon(FX, FZ, 6.6, 28), 0.0, "limestone", "plaza")
    g.region(ngon(FX, FZ, 6.1, 28), 0.0, "cobble_dark", "plaza")
    g.region(ngon(FX, FZ, 3.7, 20), 0.17, "limestone", "plaza", "limestone")
    # raised terrace in the north
    g.region(rect(X0, 19, Z0, -16.5), TERRACE, "paving_warm", "terrace", "stone_wall")
    g.region(rect(-30, -26, -31, -16.5), TERRACE, "cobble", "terrace")
    g.region(rect(-41, -18, -31, -26), TERRACE, "cobble", "terrace")
    for i in range(1, 15):  # main stairs and west stairs
        z = -12.3 - 0.3 * i
        g.region(rect(-5.5, 5.5, z, z + 0.3), round(RISE * i, 4), "limestone", "stairs", "limestone")
        z = -16.5 - 0.3 * i
        g.region(rect(-30, -26, z, z + 0.3), round(RISE * i, 4), "limestone_dark", "stairs", "limestone")
    z = -16.5
    g.region(rect(14.5, 19, -24, -14), (-3.36, 0.0, -0.24), "cobble", "ramps")
    # canal: quay, water, the ramp from the south, the stairs by the bridge
    g.region(rect(19, 29, Z0, 36.5), QUAY, "cobble_dark", "quay", "stone_dark")
    g.region(rect(19, 23.9, 24, 36.5), (QUAY - 0.28 * 24, 0.0, 0.28), "cobble", "ramps", "stone_dark")
    g.region(rect(23.9, 29, Z0, 36.5), WATER, "water", "water", "stone_dark")
    g.region(rect(19, 20.8, 5, 6.6), 0.0, "limestone", "stairs", "stone_dark")
    for i in range(1, 20):
        g.region(rect(19, 20.8, 6.6 + 0.3 * (i - 1), 6.6 + 0.3 * i), round(-0.175 * i, 4), "limestone", "stairs", "stone_dark")


FX, FZ = -1.0, 0.8  # fountain


# --- walls along edges ----------------------------------------------------------------------

def low_wall(parent, name, p0, p1, thick, y0, y1=None, height=0.95, mat="stone_pale", depth=0.0, obstacle=True, cope=True):
    """A parapet from p0 to p1 (plan), the wall lying to the left of that direction; its foot goes from y0 to y1."""
    y1 = y0 if y1 is None else y1
    p0, p1 = np.array(p0, float), np.array(p1, float)
    d = p1 - p0
    w = float(np.linalg.norm(d))
    t = d / w
    nrm = np.array([-t[1], t[0]])  # outward of the wall's front
    if obstacle:
        ground.obstacle([p0, p1, p1 - nrm * thick, p0 - nrm * thick])
    m = Mesh()
    xf, _ = frame((0, 0), tuple(d))
    k = max(1, int(round(w / 3.0)))
    with m.at(xf):
        for i in range(k):
            a, b = w * i / k, w * (i + 1) / k
            ya, yb = (y1 - y0) * i / k, (y1 - y0) * (i + 1) / k
            h, e = height, 0.05
            m.quad((a, ya - depth, 0), (b, yb - depth, 0), (b, yb + h, 0), (a, ya + h, 0), mat)
            m.quad((b, yb - depth, -thick), (a, ya - depth, -thick), (a, ya + h, -thick), (b, yb + h, -thick), mat)
            if cope:
                c = 0.14
                f = [(a, ya + h), (b, yb + h)]
                m.quad((a, f[0][1], e), (b, f[1][1], e), (b, f[1][1] + c, e), (a, f[0][1] + c, e), "limestone")
                m.quad((b, f[1][1], -thick - e), (a, f[0][1], -thick - e), (a, f[0][1] + c, -thick - e), (b, f[1][1] + c, -thick - e), "limestone")
                m.quad((a, f[0][1] + c, e), (b, f[1][1] + c, e), (b, f[1][1] + c, -thick - e), (a, f[0][1] + c, -thick - e), "limestone")
                m.quad((a, f[0][1], -thick - e), (b, f[1][1], -thick - e), (b, f[1][1], e), (a, f[0][1], e), "limestone")
            else:
                m.quad((a, ya + h, 0), (b, yb + h, 0), (b, yb + h, -thick), (a, ya + h, -thick), mat)
        for u, y, s in ((0.0, 0.0, -1), (w, y1 - y0, 1)):
            q = [(u, y - depth, -thick), (u, y - depth, 0), (u, y + height, 0), (u, y + height, -thick)]
            m.poly(q if s < 0 else q[::-1], mat)
            if cope:
                e = 0.05
                q = [(u, y + height, -thick - e), (u, y + height, e), (u, y + height + 0.14, e), (u, y + height + 0.14, -thick - e)]
                m.poly(q if s < 0 else q[::-1], "limestone")
    parent.add(name, m, pos=(p0[0], y0, p0[1]))


def post(parent, name, x, z, y, size=0.5, height=1.35, ball=True):
    ground.obstacle(rect(x - size / 2, x + size / 2, z - size / 2, z + size / 2))
    m = Mesh()
    h = size / 2
    m.box(-h, h, 0, height, -h, h, "stone_pale", skip="du")
    m.box(-h - 0.06, h + 0.06, height, height + 0.14, -h - 0.06, h + 0.06, "limestone", skip="")
    if ball:
        v, f = pr.icosphere(1)
        for t in f:
            m.poly(v[list(t)] * 0.2 + [0, height + 0.33, 0], "limestone", nrm=v[list(t)])
    parent.add(name, m, pos=(x, y, z))


def parapets():
    c = n_canal.add("parapets")
    # terrace edge
    low_wall(c, "terrace_w", (-18, -16.5), (-6.3, -16.5), 0.4, TERRACE)
    low_wall(c, "terrace_e", (6.3, -16.5), (14.5, -16.5), 0.4, TERRACE)
    low_wall(c, "terrace_ramp", (14.5, -16.9), (14.5, -24), 0.4, TERRACE)
    low_wall(c, "cheek_e", (6.0, -12.3), (6.0, -16.5), 0.5, 0.16, 2.4, height=0.75, depth=0.5)
    low_wall(c, "cheek_w", (-6.0, -16.5), (-6.0, -12.3), 0.5, 2.4, 0.16, height=0.75, depth=0.5)
    for s in (-1, 1):
        post(c, f"stair_post_{s}", 5.75 * s, -12.0, 0.0, 0.62, 1.25)
        post(c, f"stair_top_{s}", 5.75 * s + 0.25 * s, -16.7, TERRACE, 0.62, 1.25)
    # canal, west bank (front towards the water = east)
    w = 0.35
    low_wall(c, "bank_nw", (19, -24), (19, Z0), w, TERRACE)
    low_wall(c, "bank_ramp", (19, -14), (19, -24), w, 0, TERRACE)
    low_wall(c, "bank_w1", (19, -2.5), (19, -14), w, 0)
    low_wall(c, "bank_w2", (19, 5), (19, 2.5), w, 0)
    low_wall(c, "bank_w3", (19, 36.5), (19, 6.6), w, 0)
    low_wall(c, "bank_e1", (29, Z0), (29, -2.5), w, 0)
    low_wall(c, "bank_e2", (29, 2.5), (29, 36.9), w, 0)
    low_wall(c, "bank_s", (29, 36.5), (23.55, 36.5), 0.4, 0)
    # kerb between quay and water
    low_wall(c, "kerb_n", (23.9, 24), (23.9, Z0), 0.35, QUAY, height=0.55, cope=False, mat="limestone_dark")
    low_wall(c, "kerb_s", (23.9, 36.5), (23.9, 24), 0.35, 0.0, QUAY, height=0.85, mat="stone_dark")
    # stairs to the quay: railing walls
    low_wall(c, "quay_stair_top", (19, 5), (21.05, 5), 0.25, 0, mat="stone_dark", depth=3.6)
    low_wall(c, "quay_stair_head", (21.05, 6.6), (21.05, 5), 0.25, 0, mat="stone_dark", depth=3.6)
    low_wall(c, "quay_stair_rail", (21.05, 12.3), (21.05, 6.6), 0.25, -3.325, 0, mat="stone_dark", depth=3.6)


def bridge():
    """Stone bridge over the canal, x 19..29, z -2.5..2.5; its deck meets both banks at y = 0."""
    m = Mesh()
    n, z0, z1 = 12, -2.5, 2.5
    xs = [19 + 10 * i / n for i in range(n + 1)]
    top = [round(0.72 * (1 - ((x - 24) / 5) ** 2), 5) for x in xs]
    low = [-1.0 + 1.2 * (1 - ((x - 24) / 5) ** 2) for x in xs]
    out = 0.35
    for i in range(n):
        a, b = xs[i], xs[i + 1]
        for za, zb in ((z0, 0.0), (0.0, z1)):
            m.quad((a, top[i], zb), (b, top[i + 1], zb), (b, top[i + 1], za), (a, top[i], za), "cobble")
        for z, s in ((z1 + out, 1), (z0 - out, -1)):
            q = [(a, low[i], z), (b, low[i + 1], z), (b, top[i + 1] + 0.95, z), (a, top[i] + 0.95, z)]
            mid = [(a, low[i] + 0.42, z), (b, low[i + 1] + 0.42, z)]
            lower, upper = [q[0], q[1], mid[1], mid[0]], [mid[0], mid[1], q[2], q[3]]
            for f, mat in ((lower, "limestone"), (upper, "stone_wall")):
                m.poly(f if s > 0 else f[::-1], mat)
            zi = z - s * out
            q = [(a, top[i], zi), (b, top[i + 1], zi), (b, top[i + 1] + 0.95, zi), (a, top[i] + 0.95, zi)]
            m.poly(q[::-1] if s > 0 else q, "stone_wall")
            e = 0.06
            zo, zn = z + s * e, zi - s * e
            ya, yb, c = top[i] + 0.95, top[i + 1] + 0.95, 0.15
            f = [[(a, ya, zo), (b, yb, zo), (b, yb + c, zo), (a, ya + c, zo)], [(b, yb, zn), (a, ya, zn), (a, ya + c, zn), (b, yb + c, zn)],
                 [(a, ya + c, zo), (b, yb + c, zo), (b, yb + c, zn), (a, ya + c, zn)], [(a, ya, zn), (b, yb, zn), (b, yb, zo), (a, ya, zo)]]
            for p in f:
                m.poly(p if s > 0 else p[::-1], "limestone")
        na, nb = (24 - a, -6, 0), (24 - b, -6, 0)
        k = 3
        for j in range(k):
            za, zb = z0 - out + (z1 - z0 + 2 * out) * j / k, z0 - out + (z1 - z0 + 2 * out) * (j + 1) / k
            m.quad((a, low[i], za), (b, low[i + 1], za), (b, low[i + 1], zb), (a, low[i], zb), "stone_dark", nrm=[na, nb, nb, na])
    # parapet blocks on the ground side where the bridge walls meet the banks are the posts below
    n_canal.add("bridge", m)
    for i, (x, z) in enumerate(((18.7, -2.68), (18.7, 2.68), (29.3, -2.68), (29.3, 2.68))):
        post(n_canal, f"bridge_post_{i}", x, z, 0.0, 0.6, 1.3)
    m = Mesh()  # culverts in the town wall
    for z, s in ((Z0 + 0.02, 1), (36.48, -1)):
        with m.at(translate(26.45, 0, z) @ rot_y(0 if s > 0 else math.pi)):
            u = 1.7
            pts = [(-u + 2 * u * i / 10, WATER + 1.0 + 1.1 * math.sin(math.pi * i / 10)) for i in range(11)]
            m.poly([(-u, WATER - 0.1, 0), (u, WATER - 0.1, 0)] + [(p[0], p[1], 0) for p in pts[::-1]], "dark")
            voussoirs(m, -u, u, WATER + 1.0, 1.1, 0.35, 0.08, 10)
            bar(m, -u - 0.35, -u, WATER - 0.1, WATER + 1.0, 0.08, "limestone")
            bar(m, u, u + 0.35, WATER - 0.1, WATER + 1.0, 0.08, "limestone")
            for k in range(7):
                x = -u + 2 * u * (k + 0.5) / 7
                m.box(x - 0.03, x + 0.03, WATER - 0.1, WATER + 1.0 + 1.05 * math.sin(math.pi * (x + u) / (2 * u)), 0.0, 0.05, "iron", skip="dun")
    n_canal.add("culverts", m)


# --- town wall ------------------------------------------------------------------------------

def town_wall():
    t = 1.4
    for name, p0, p1, y0, y1 in (
            ("south", (X1 + t, Z1), (X0 - t, Z1), -4.4, 5.6), ("north", (X0 - t, Z0), (X1 + t, Z0), -4.4, 8.0),
            ("east", (X1, Z0), (X1, Z1), -0.4, 5.6), ("west", (X0, Z1), (X0, Z0), -0.4, 6.5)):
        # front of this frame looks into the town
        xf, w = frame(p0, p1)
        m = Mesh()
        k = int(w / 6)
        with m.at(xf):
            for i in range(k):
                a, b = w * i / k, w * (i + 1) / k
                m.quad((a, y0, 0), (b, y0, 0), (b, y1, 0), (a, y1, 0), "stone_wall")
                m.quad((b, -2, -t), (a, -2, -t), (a, y1, -t), (b, y1, -t), "stone_wall")
                m.quad((a, y1, 0), (b, y1, 0), (b, y1, -t), (a, y1, -t), "limestone_dark")
            n = int(w / 3.0)
            for i in range(n):
                c = w * (i + 0.5) / n
                m.box(c - 0.85, c + 0.85, y1, y1 + 0.95, -t, -t + 0.5, "stone_wall")
        n_walls.add("wall_" + name, m)
    ground.obstacle(rect(X0 - t, X1 + t, Z1, Z1 + t))
    ground.obstacle(rect(X0 - t, X1 + t, Z0 - t, Z0))
    ground.obstacle(rect(X0 - t, X0, Z0, Z1))
    ground.obstacle(rect(X1, X1 + t, Z0, Z1))
    for i, (x, z, y) in enumerate(((X0 - 0.6, Z0 - 0.6, 10.5), (X1 + 0.6, Z0 - 0.6, 9.5), (X1 + 0.6, Z1 + 0.6, 8.5), (X0 - 0.6, Z1 + 0.6, 9.0))):
        m = Mesh()
        m.frustum(3.4, 3.1, -3, y - 1.2, 14, "stone_wall", cap=False)
        m.frustum(3.1, 3.4, y - 1.2, y - 0.8, 14, "limestone", cap=False)
        m.frustum(3.4, 3.4, y - 0.8, y, 14, "stone_wall", cap=False)
        m.frustum(3.9, 0.0, y, y + 3.4, 14, "roof", bottom=True)
        n_walls.add(f"tower_{i}", m, pos=(x, 0, z))
        ground.obstacle(ngon(x, z, 3.25, 14))
    # the hill: too steep to walk on
    m = Mesh()
    n = 18
    inner = [(X0 - t, Z1 + t), (X1 + t, Z1 + t), (X1 + t, Z0 - t), (X0 - t, Z0 - t)]
    ring = []
    for i in range(4):
        a, b = np.array(inner[i]), np.array(inner[(i + 1) % 4])
        ring += [a + (b - a) * j / n for j in range(n)]
    c = np.array([1.0, -0.5])
    rng = np.random.default_rng(7)
    outs = []
    for p in ring:
        d = (p - c) / np.abs((p - c) / np.array([X1 - c[0] + t, Z1 - c[1] + t])).max()
        d = (p - c) / np.linalg.norm(p - c)
        outs.append([(p[0], -0.6, p[1]), (*(p + d * 6)[:1], -7.5 + rng.uniform(-0.4, 0.4), (p + d * 6)[1]), ((p + d * 15)[0], -19.0, (p + d * 15)[1])])
    for i in range(len(outs)):
        a, b = outs[i], outs[(i + 1) % len(outs)]
        for j in range(2):
            m.quad(a[j + 1], b[j + 1], b[j], a[j], "grass")
    n_walls.add("hillside", m)
    # a closed gate at the end of the promenade
    m = Mesh()
    with m.at(translate(18.5, 0, Z1) @ rot_y(math.pi)):
        r, spring = 1.5, 2.2
        pts = [(1.5 - r * math.cos(math.pi * i / 10), spring + r * math.sin(math.pi * i / 10)) for i in range(11)]
        m.poly([(0, 0, 0.03), (3, 0, 0.03)] + [(p[0], p[1], 0.03) for p in pts[::-1]], "wood_dark")
        voussoirs(m, 0, 3, spring, width=0.45, out=0.14, segs=10)
        for a in (-0.45, 3.0):
            bar(m, a, a + 0.45, 0, spring, 0.14, "limestone")
        for v in (0.5, 1.4, 2.3):
            m.box(0.1, 2.9, v, v + 0.10, 0.03, 0.07, "iron", skip="n")
    n_walls.add("closed_gate", m)


# --- props ----------------------------------------------------------------------------------

SHARED = {}


def shared(key, make):
    if key not in SHARED:
        SHARED[key] = make()
    return SHARED[key]


def prop(group, name, mesh, x, z, y=0.0, yaw=0.0, hole=None, scale=None):
    g = next((c for c in n_props.children if c.name == group), None) or n_props.add(group)
    g.add(f"{name}_{len(g.children) + 1:02d}", mesh, pos=(x, y, z), yaw=yaw, scale=scale, bake=False)
    if hole is None:
        return
    if isinstance(hole, tuple):
        ground.obstacle(turned(x, z, hole[0], hole[1], yaw), patch=True)
    else:
        ground.obstacle(ngon(x, z, hole, 6 if hole < 0.4 else 8), patch=True)


def furniture():
    rng = np.random.default_rng(11)
    T = TERRACE
    prop("fountain", "fountain", pr.fountain(), FX, FZ, 0.17)
    ground.obstacle(ngon(FX, FZ, 2.9, 20))
    trees = [shared(f"tree{i}", lambda i=i: pr.tree(f"tree{i}", ["foliage", "foliage_pale", "foliage"][i], [4.8, 4.2, 5.4][i], [1.8, 1.6, 2.0][i])) for i in range(3)]
    spots = [(-10.2, -13.9, 0), (-14.6, -13.9, 0), (9.4, -14.2, 0), (15.7, 11.2, 0), (-14.5, -22.0, T), (-10.5, -19.6, T), (10.8, -22.5, T),
             (8.2, -19.6, T), (16.9, 27.0, 0), (16.9, 33.0, 0), (38.5, -38.8, 0), (33.0, -39.4, 0), (35.2, -3.3, 0), (35.2, 3.3, 0), (39.0, 38.6, 0), (32.0, 39.0, 0)]
    for i, (x, z, y) in enumerate(spots):
        s = rng.uniform(0.9, 1.12)
        prop("trees", "tree", trees[i % 3], x, z, y, rng.uniform(0, 6.28), scale=(s, s, s))
        if True:
            m = shared("tree_ring", tree_ring)
            prop("tree_rings", "tree_ring", m, x, z, y, 0.0, hole=(1.3, 1.3))
    cyp = shared("cypress", pr.cypress)
    for x, z, y in ((-8.2, -28.9, T), (6.6, -27.6, T), (11.2, -28.6, T), (41.4, -37.6, 0), (36.0, -40.6, 0), (41.2, 37.4, 0), (-19.0, -28.0, T)):
        s = rng.uniform(0.85, 1.15)
        if (x, z) == (-19.0, -28.0):
            continue
        prop("trees", "cypress", cyp, x, z, y, rng.uniform(0, 6), hole=0.55, scale=(s, s * 1.05, s))
    lamp = shared("lamp", pr.lamp)
    for x, z, y in ((-12.3, -9.0, 0), (-12.5, 10.9, 0), (6.6, -10.6, 0), (-6.6, -10.6, 0), (13.4, 11.2, 0), (17.6, -6.2, 0), (17.6, 9.0, 0), (17.6, 20.0, 0),
                    (-12.0, -24.5, T), (8.5, -25.0, T), (30.3, -8.0, 0), (30.3, 8.0, 0), (30.3, 22.0, 0), (30.3, -24.0, 0), (-28.9, 9.5, 0), (-26.9, 27.5, 0),
                    (-10, 28.9, 0), (5.0, 25.2, 0), (20.4, -12.0, QUAY), (20.2, 16.5, QUAY)):
        prop("lamps", "lamp", lamp, x, z, y, rng.uniform(0, 3), hole=0.22)
    bench = shared("bench", pr.bench)
    for x, z, y, yaw in ((-8.6, -3.4, 0, 0.9), (6.4, -4.2, 0, -0.9), (-8.3, 5.3, 0, 2.2), (6.2, 5.8, 0, -2.3), (-12.6, -17.5, T, math.pi * 0), (-8.6, -17.5, T, 0), (11.0, -17.5, T, 0),
                         (17.9, 13.0, 0, -math.pi / 2), (17.9, -9.4, 0, -math.pi / 2), (36.2, 0.0, 0, -math.pi / 2), (35.5, -37.4, 0, 0)):
        prop("benches", "bench", bench, x, z, y, yaw, hole=(1.95, 0.66))
    kinds = [("stripes", ["fruit_orange", "fruit_green", "fruit_red"]), ("stripes_gold", ["fruit_green", "fruit_red"]), ("stripes_blue", ["fruit_red", "fruit_orange", "fruit_green"])]
    for i, (x, z, yaw, k) in enumerate(((9.6, -6.8, -0.5, 0), (12.0, -2.6, -1.35, 1), (10.4, 8.0, -2.3, 2), (-10.4, -7.6, 0.75, 2), (-24.0, -15.0, 0.0, 1), (-19.6, -15.1, 0.1, 0), (32.4, -11.0, -math.pi / 2, 0))):
        m = shared(f"stall{k}", lambda k=k: pr.stall(kinds[k][0], kinds[k][1], k + 1))
        prop("stalls", "stall", m, x, z, 0, yaw, hole=(2.8, 1.75))
    crate, crate_s, barrel = shared("crate", pr.crate), shared("crate_s", lambda: pr.crate(0.62, "wood_pale")), shared("barrel", pr.barrel)
    for x, z, y, yaw, stack in ((10.9, -9.2, 0, 0.3, 2), (13.2, -4.9, 0, 0.1, 1), (13.3, 6.0, 0, 0.5, 2), (-11.9, -5.4, 0, 0.2, 1), (-25.2, 11.8, 0, 0.1, 2), (-22.0, -15.4, 0, 0.3, 2),
                                (-17.6, -15.2, 0, 0.2, 1), (18.0, 16.2, 0, 0.1, 2), (22.9, -8.0, QUAY, 0.2, 2), (22.7, -9.1, QUAY, 0.6, 1), (22.8, 5.5, QUAY, 0.1, 2), (32.9, 16.0, 0, 0.1, 2),
                                (-31.5 + 2.4, 17.0, 0, 0.2, 1), (-12.0, 25.3, 0, 0.3, 2), (33.0, -31.0, 0, 0.1, 1)):
        prop("crates", "crate", crate, x, z, y, yaw, hole=(0.8, 0.8))
        if stack > 1:
            prop("crates", "crate", crate_s, x + 0.04, z - 0.05, y + 0.8, yaw + 0.35)
    for x, z, y in ((11.75, -9.0, 0), (10.7, -10.1, 0), (-25.3, 10.7, 0), (-21.0, -15.6, 0), (22.95, -6.9, QUAY), (22.9, 6.5, QUAY), (22.3, 7.0, QUAY), (33.1, 17.0, 0), (33.2, 14.9, 0), (-11.1, 24.9, 0),
                    (18.1, 17.2, 0), (12.4, 6.4, 0), (20.2, -26.0, QUAY), (20.9, -26.4, QUAY)):
        prop("barrels", "barrel", barrel, x, z, y, rng.uniform(0, 6), hole=0.36)
    planter = shared("planter", pr.planter)
    for x, z, y, yaw in ((-8.6, -11.9, 0, 0), (8.6, -11.9, 0, 0), (-11.9, -1.0, 0, math.pi / 2), (-11.9, 3.4, 0, math.pi / 2), (17.8, 4.2, 0, math.pi / 2), (-3.9, 12.4, 0, 0), (3.9, 12.4, 0, 0),
                         (30.4, -5.0, 0, math.pi / 2), (30.4, 5.0, 0, math.pi / 2), (-16.0, -26.2, T, 0.0), (1.8 + 1.2, -26.6, T, 0), (-5.0, -26.6, T, 0)):
        prop("planters", "planter", planter, x, z, y, yaw, hole=(1.62, 0.64))
    pots = [shared(f"pot{i}", lambda i=i: pr.pot(f"pot{i}", i == 0)) for i in range(2)]
    for i, (x, z, y) in enumerate(((-26.6 + 1.2 - 1.2, -9.2, 0), (-29.2, -3.0, 0), (-29.3, 6.0, 0), (-29.6, 14.8, 0), (-15.5, 24.8, 0), (-6.0, 24.7, 0), (6.2, 24.8, 0), (-25.0, 29.2, 0),
                                  (-3.5, 29.3, 0), (9.5, 29.6, 0), (33.2, -16.5, 0), (33.2, 24.5, 0), (-29.4, -28.5, T), (-25.2, -27.0, T), (-13.0, -30.0, T), (13.7, -29.6, T), (-16.4, 8.0, 0), (-16.4, -9.2, 0))):
        prop("pots", "pot", pots[i % 2], x, z, y, rng.uniform(0, 6), hole=0.36)
    prop("carts", "cart", shared("cart", pr.cart), -8.0, 27.8, 0, 0.4, hole=(1.9, 1.15))
    prop("carts", "cart", shared("cart", pr.cart), 31.0, -16.0, 0, 1.9, hole=(1.9, 1.15))
    prop("wells", "well", shared("well", pr.well), 35.5, 38.4, 0, 0, hole=1.0)
    prop("wells", "well", shared("well", pr.well), -28.0, -28.4, T, 0.3, hole=1.0)


def lines():
    """Washing across the side streets, pennants over the market."""
    g = n_props.add("lines")
    for i, (a, b, k, flags) in enumerate((
            ((-30.3, 6.4, 8.0), (-26.0, 6.6, 7.2), 5, False), ((-30.2, 7.0, 1.2), (-26.0, 6.8, 0.2), 5, False), ((-18.6, 6.2, 23.7), (-18.0, 6.4, 30.2), 6, False),
            ((6.4, 6.6, 24.0), (7.2, 6.2, 30.2), 6, False), ((-24.0, 7.0, 23.7), (-25.2, 6.6, 30.0), 5, False),
            ((6.6, 3.3, -10.6), (17.6, 3.3, -6.2), 20, True), ((17.6, 3.3, -6.2), (17.6, 3.3, 9.0), 26, True), ((13.4, 3.3, 11.2), (17.6, 3.3, 9.0), 8, True))):
        g.add(f"line_{i + 1:02d}", pr.hanging((a, b), k, 20 + i, flags))


def tree_ring():
    m = Mesh()
    h = 0.65
    m.box(-h, h, 0, 0.45, -h, h, "limestone", skip="du", shade=0.95)
    for a in ((-h - 0.03, h + 0.03, -h - 0.03, -h + 0.12), (-h - 0.03, h + 0.03, h - 0.12, h + 0.03), (-h - 0.03, -h + 0.12, -h + 0.12, h - 0.12), (h - 0.12, h + 0.03, -h + 0.12, h - 0.12)):
        m.box(a[0], a[1], 0.42, 0.52, a[2], a[3], "limestone", skip="d")
    m.quad((-h, 0.44, h), (h, 0.44, h), (h, 0.44, -h), (-h, 0.44, -h), "soil")
    return m


def build():
    parapets()
    bridge()
    houses()
    street_arches()
    church()
    town_wall()
    furniture()
    lines()
    regions_first, ground.regions = ground.regions, []
    regions()
    for c, nrm, t, base in DOORSTEPS:
        a = 0.95
        ground.regions.append(type(ground.regions[0])([c + t * a, c - t * a, c - t * a + nrm * 0.38, c + t * a + nrm * 0.38], base + 0.16, "limestone", "stairs", "limestone"))
    ground.regions += regions_first
    print('narrow gaps closed:', ground.close_gaps(0.8))
    for name, mesh in sorted(ground.build().items()):
        n_ground.add("ground_" + name, mesh)


if __name__ == "__main__":
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    out = args[0] if args else os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../levels/plaza.glb")
    textures = args[1] if len(args) > 1 else "/tmp/walkabout_textures"
    os.makedirs(textures, exist_ok=True)
    build()
    if "--fast" not in sys.argv:
        bake_ao(root)
    print(write_glb(root, out, textures))
