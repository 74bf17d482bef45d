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
from buildings import (Style, bar, blind, door, facade, frame, grid, house, intrados, reveal, roof, spandrel, voussoirs, UNIT)
from townkit import Ground, Mesh, Node, bake_ao, rot_y, translate, write_glb

TERRACE, QUAY, WATER = 2.4, -3.5, -4.15
X0, X1, Z0, Z1 = -41.0, 43.0, -42.0, 41.0  # inner faces of the town wall
RISE = 0.16

root = Node("plaza_town")
n_ground, n_houses, n_church = root.add("ground"), root.add("houses"), root.add("church")
n_canal, n_walls, n_props = root.add("canal"), root.add("town_wall"), root.add("props")
ground = Ground(2.3, "plaza")


def rect(x0, x1, z0, z1):
    return [(x0, z1), (x1, z1), (x1, z0), (x0, z0)]


def ngon(x, z, r, n, phase=0.0):
    return [(x + r * math.cos(2 * math.pi * i / n + phase), z - r * math.sin(2 * math.pi * i / n + phase)) for i in range(n)]


def turned(x, z, w, d, yaw):
    """A rectangle of width w (x) and depth d (z) about its centre."""
    c, s = math.cos(yaw), math.sin(yaw)
    return [(x + a * c + b * s, z - a * s + b * c) for a, b in ((-w / 2, d / 2), (w / 2, d / 2), (w / 2, -d / 2), (-w / 2, -d / 2))]


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


# --- houses ---------------------------------------------------------------------------------

DOORSTEPS = []


def put(name, corners, floors, color, paint, faces, obstacle=True, steps=True, base=0.0, **kw):
    skw = {k: kw.pop(k) for k in ("gh", "fh", "quoins", "roof", "leaf") if k in kw}
    st = Style(name, color, paint, **skw)
    if obstacle:
        ground.obstacle(corners)
    doors = house(n_houses, name, corners, floors, st, faces, base=base, **kw)
    if steps:
        for c, nrm, t, w in doors:
            if w < 1.5:
                DOORSTEPS.append((c, nrm, t, base))
    return st


F = dict


def houses():
    D, W, S, B = "door", "window", "shop", "blank"
    # arcade block, west side of the plaza: lower part x -26..-17, upper part to -13.5
    cuts = [(9.0, "honey", "green", 4), (2.6, "rose", "blue", 3), (-3.9, "cream", "brown", 4), (-10.0,)]
    for i in range(3):
        z1, col, paint, fl = cuts[i]
        z0 = cuts[i + 1][0]
        low, high = rect(-26, -17, z0, z1), rect(-26, -13.5, z0, z1)
        ground.obstacle(low)
        st = Style(f"arcade_{i}", col, paint, gh=4.4, quoins=i == 1, roof="roof" if i != 1 else "roof_old")
        name = f"house_{i + 1:02d}"
        south = F(first=1) if i == 0 else None
        north = F(first=1) if i == 2 else None
        faces = [south or F(first=1), F(first=1, balcony={1} if i == 1 else {0}), north or F(first=1), F(first=1)]
        if i != 0:
            faces[0] = None
        if i != 2:
            faces[2] = None
        d = house(n_houses, name, high, fl, st, faces, first=1, ridge=1, pitch=25)
        # ground floor: back, ends, and the wall under the arcade
        m = Mesh()
        for j, (a, b, kinds) in enumerate((
                ((-26, z0), (-26, z1), [W, D]),
                ((-17, z1), (-17, z0), [S, D, S] if i != 1 else [S, S]))):
            xf, w = frame(a, b)
            with m.at(xf):
                got = facade(m, w, 1, st, kinds=kinds, y_low=-0.3, awn=None)
            if j == 0:
                for u0, u1 in got:
                    DOORSTEPS.append((np.array([-26, z0 + (u0 + u1) / 2]), np.array([-1.0, 0]), np.array([0, 1.0]), 0.0))
        if i == 0:
            xf, w = frame((-26, z1), (-17, z1))
            with m.at(xf):
                facade(m, w, 1, st, kinds=[W, D, W], y_low=-0.3)
            DOORSTEPS.append((np.array([-21.5, z1]), np.array([0, 1.0]), np.array([1.0, 0]), 0.0))
        if i == 2:
            xf, w = frame((-17, z0), (-26, z0))
            with m.at(xf):
                facade(m, w, 1, st, kinds=[W, S, W], y_low=-0.3)
        n_houses.children[-1].add(name + "_ground", m, pos=(-high[0][0], 0, -high[0][1]))
    arcade(9.0, -10.0)

    # south side of the plaza
    xs = [-26, -17, -9.5, -2.3, 2.3, 8.8, 15]
    fz = [13.2, 13.0, 13.5, 13.2, 13.2, 13.6, 12.9]
    bz = [23.7, 23.7, 24.2, 23.8, 23.8, 24.2, 23.5]
    spec = [("ochre", "green", 3, [W, D, W], None), ("peach", "blue", 4, [S, D, W], "stripes"), ("white", "teal", 3, [W, S, D], "stripes_gold"),
            None, ("terracotta", "olive", 4, [D, S], "stripes"), ("cream", "green", 3, [S, D], "stripes_blue")]
    for i, s in enumerate(spec):
        c = [(xs[i], bz[i]), (xs[i + 1], bz[i + 1]), (xs[i + 1], fz[i + 1]), (xs[i], fz[i])]
        name = f"house_{i + 4:02d}"
        if s is None:
            passage(name, c)
            continue
        col, paint, fl, kinds, awn = s
        faces = [F(), None, F(kinds=kinds, awn=awn, balcony={1} if fl == 4 else None), None]
        if i == 0:
            faces[3] = F()
        if i == 5:
            faces[1] = F(kinds=[W, D, W, S])
        put(name, c, fl, col, paint, faces, pitch=24 + i % 3, roof=["roof", "roof_old", "roof_dark"][i % 3], quoins=i in (2, 5),
            leaf=["door_oak", "door_green", "door_blue", "door_oak", "door_dark", "door_green"][i])
    # west row
    zs = [-16.5, -9, -2, 5, 12.5, 20.5, 30]
    fx = [-30, -30.4, -29.8, -30.2, -30.5, -29.9, -30.2]
    cols = [("peach", "green", 3), ("honey", "brown", 3), ("white", "blue", 2), ("rose", "olive", 3), ("ochre", "teal", 3), ("cream", "red", 2)]
    for i, (col, paint, fl) in enumerate(cols):
        c = [(X0, zs[i + 1]), (fx[i + 1], zs[i + 1]), (fx[i], zs[i]), (X0, zs[i])]
        faces = [None, F(kinds=[[W, D, W], [D, S], [W, D], [S, D], [W, D, W], [W, D, W]][i], balcony={0} if i in (1, 3) else None), None, None]
        put(f"house_{i + 10:02d}", c, fl, col, paint, faces, ridge=1, pitch=23 + i % 3 * 2, roof=["roof", "roof_dark", "roof_old"][i % 3], quoins=i == 4)
    # south row along the wall, with the south-west corner
    xs = [X0, -30.2, -22, -14.5, -7, 0.5, 8, 15]
    fz = [30, 30, 30.4, 29.8, 30.3, 30, 30.5, 29.8]
    cols = [("sage", "brown", 3), ("terracotta", "green", 3), ("cream", "blue", 2), ("honey", "olive", 3), ("rose", "teal", 3), ("white", "green", 2), ("peach", "red", 3)]
    for i, (col, paint, fl) in enumerate(cols):
        c = [(xs[i], Z1), (xs[i + 1], Z1), (xs[i + 1], fz[i + 1]), (xs[i], fz[i])]
        faces = [None, F() if i == 6 else None, F(kinds=[[B, B, W], [W, D, W], [D, S], [W, D], [S, D], [W, D], [W, D, W]][i]), None]
        put(f"house_{i + 16:02d}", c, fl, col, paint, faces, pitch=23 + i % 3, roof=["roof_old", "roof", "roof_dark"][i % 3], quoins=i in (3,))
    # east row, behind a small square at the bridge
    zs = [-36, -28, -20, -12, -5, 5, 13, 20.5, 28, 36]
    fx = [34, 34.3, 33.8, 34.2, 34, 34, 34.3, 33.9, 34.3, 34]
    cols = [("white", "blue", 2), ("ochre", "green", 3), ("peach", "olive", 3), ("cream", "teal", 3), ("rose", "green", 4), ("honey", "blue", 3),
            ("terracotta", "brown", 3), ("white", "olive", 2), ("sage", "red", 3)]
    for i, (col, paint, fl) in enumerate(cols):
        a, b = fx[i], fx[i + 1]
        if i == 4:
            a = b = 37.0
        c = [(a, zs[i + 1]), (X1, zs[i + 1]), (X1, zs[i]), (a, zs[i])]
        if i != 4:
            c = [(b, zs[i + 1]), (X1, zs[i + 1]), (X1, zs[i]), (a, zs[i])]
        kinds = [[W, D, W], [D, S], [W, D, W], [S, D], [S, D, S], [S, D], [W, D], [W, D, W], [W, D, W]][i]
        faces = [None, None, None, F(kinds=kinds, balcony={1} if i in (2, 4, 6) else None, awn="stripes_blue" if i == 4 else "stripes" if i in (3, 5) else None)]
        if i == 0:
            faces[2] = F()
        if i == 8:
            faces[0] = F()
        if i == 3:
            faces[0] = F(kinds=[W, B, B])
        if i == 5:
            faces[2] = F(kinds=[B, B, W])
        put(f"house_{i + 23:02d}", c, fl, col, paint, faces, ridge=1, pitch=23 + i % 3, roof=["roof", "roof_old", "roof_dark"][i % 3], quoins=i in (4,))
    # upper town on the terrace
    T = TERRACE
    put("house_32", [(X0, -16.5), (-30, -16.5), (-30, -23.6), (X0, -23.6)], 2, "ochre", "blue", [None, F(kinds=[B, D]), None, None], base=T, ridge=1, y_low=-2.6)
    put("house_33", [(X0, -23.6), (-30, -23.6), (-30, -31), (X0, -31)], 3, "white", "green", [None, F(), None, None], base=T, ridge=1, roof="roof_old")
    put("house_34", [(X0, -31), (-31, -31), (-31, Z0), (X0, Z0)], 2, "rose", "olive", [None, None, None, None], base=T)
    put("house_35", [(-31, -31), (-23, -31.3), (-23, Z0), (-31, Z0)], 3, "honey", "teal", [F(kinds=[W, D, W]), None, None, None], base=T)
    put("house_36", [(-23, -31.3), (-15.3, -31), (-15.3, Z0), (-23, Z0)], 2, "peach", "brown", [F(kinds=[D, S]), None, None, None], base=T, roof="roof_dark")
    put("house_37", [(-15.3, -31), (-7, -30.6), (-7, Z0), (-15.3, Z0)], 3, "cream", "green", [F(kinds=[W, D, W]), None, None, None], base=T)
    put("house_38", [(-26, -16.5), (-18, -16.5), (-18, -26), (-26, -26)], 2, "terracotta", "green",
        [F(plinth=False), F(kinds=[W, D, W]), F(), F(kinds=[W, B, B])], base=T, ridge=1, kind="hip", quoins=True)
    put("house_39", [(9.6, -30.4), (14.6, -30.4), (14.6, Z0), (9.6, Z0)], 2, "sage", "brown", [F(kinds=[D]), F(kinds=[W, B, B, W]), None, None], base=T, ridge=1)


def arcade(z_south, z_north):
    """Columns and arches carrying the upper floors in front of the west block."""
    m = Mesh()
    top, spring, depth = 4.4, 2.75, 0.55
    x = -13.5
    w = z_south - z_north
    n = 6
    pitch = (w - 0.6) / n
    with m.at(translate(x, 0, z_south) @ rot_y(math.pi / 2)):
        arcade_front(m, n, pitch, top, spring, depth, w)
    for i in range(n + 1):
        z = z_south - 0.3 - pitch * i
        pier(m, x - depth / 2, z, spring, 0.6)
    for z, s in ((z_south, 1), (z_north, -1)):
        xf, width = frame((-17, z), (x, z)) if s > 0 else frame((x, z), (-17, z))
        with m.at(xf):
            u0, u1 = (0.0, width - 0.55) if s > 0 else (0.55, width)
            pts = spandrel(m, u0, u1, spring, top, "stone_pale", 8, rise=1.25)
            intrados(m, pts, 0.45, "limestone")
            voussoirs(m, u0, u1, spring, 1.25, 0.3, 0.05)
            a, b = (u1, width) if s > 0 else (0, u0)
            m.quad((a, spring, 0), (b, spring, 0), (b, top, 0), (a, top, 0), "stone_pale")
        with m.at(xf @ translate(0, 0, -0.45)):
            with m.at(translate(width, 0, 0) @ rot_y(math.pi)):
                v0, v1 = (0.55, width) if s > 0 else (0.0, width - 0.55)
                spandrel(m, v0, v1, spring, top, "stone_pale", 8, rise=1.25)
    # ceiling with beams
    k = 8
    for i in range(k):
        za, zb = z_north + w * i / k, z_north + w * (i + 1) / k
        m.quad((-17, top - 0.05, za), (x, top - 0.05, za), (x, top - 0.05, zb), (-17, top - 0.05, zb), "wood_dark")
        m.box(-17, x - 0.3, top - 0.27, top - 0.05, (za + zb) / 2 - 0.1, (za + zb) / 2 + 0.1, "wood", skip="uew")
    n_houses.add("arcade", m)


def arcade_front(m, n, pitch, top, spring, depth, w):
    for i in range(n):
        u0 = 0.3 + pitch * i + 0.3
        u1 = 0.3 + pitch * (i + 1) - 0.3
        rise = (u1 - u0) / 2 * 0.86
        pts = spandrel(m, u0, u1, spring, top, "stone_pale", 8, rise=rise)
        intrados(m, pts, depth, "limestone")
        voussoirs(m, u0, u1, spring, rise, 0.26, 0.05)
        with m.at(translate(u1 + u0, 0, -depth) @ rot_y(math.pi)):
            spandrel(m, u0, u1, spring, top, "stone_pale", 8, rise=rise)
    for i in range(n + 1):
        c = 0.3 + pitch * i
        m.quad((c - 0.3, spring, 0), (c + 0.3, spring, 0), (c + 0.3, top, 0), (c - 0.3, top, 0), "stone_pale")
        m.quad((c + 0.3, spring, -depth), (c - 0.3, spring, -depth), (c - 0.3, top, -depth), (c + 0.3, top, -depth), "stone_pale")
    bar(m, 0, w, top - 0.12, top + 0.12, 0.12, "limestone", skip="nwe")


def pier(m, x, z, spring, size):
    """A column on a square base, carrying a square cap of `size`."""
    ground.obstacle(rect(x - 0.3, x + 0.3, z - 0.3, z + 0.3))
    with m.at(translate(x, 0, z)):
        m.box(-0.32, 0.32, -0.05, 0.45, -0.32, 0.32, "stone_pale")
        m.frustum(0.30, 0.25, 0.45, 0.58, 12, "limestone", cap=True)
        m.frustum(0.235, 0.205, 0.58, spring - 0.42, 12, "limestone", cap=False)
        m.frustum(0.21, 0.30, spring - 0.42, spring - 0.2, 12, "limestone", cap=False)
        m.box(-0.33, 0.33, spring - 0.2, spring, -0.33, 0.33, "limestone", skip="")


def passage(name, c):
    """A house above a vaulted passage from the plaza to the south street."""
    st = Style(name, "rose", "green", gh=4.6, roof="roof_old")
    house(n_houses, name, c, 3, st, [F(first=1), None, F(first=1), None], first=1, pitch=25)
    node = n_houses.children[-1]
    m = Mesh()
    z1, z0 = c[0][1], c[3][1]
    spring, rise, w = 2.6, 1.25, 4.6
    depth = z1 - z0
    for k, xf in enumerate((translate(-2.3, 0, z1), translate(2.3, 0, z0) @ rot_y(math.pi))):
        with m.at(xf):
            pts = spandrel(m, 0.3, w - 0.3, spring, 4.6, "stone_pale", 10, rise=rise)
            for a in (0.0, w - 0.3):
                m.quad((a, 0, 0), (a + 0.3, 0, 0), (a + 0.3, 4.6, 0), (a, 4.6, 0), "stone_pale")
            voussoirs(m, 0.3, w - 0.3, spring, rise, 0.36, 0.07, 10)
            bar(m, 0.0, 0.3, 0, spring, 0.07, "limestone")
            bar(m, w - 0.3, w, 0, spring, 0.07, "limestone")
    with m.at(translate(-2.3, 0, z1)):
        for j in range(4):
            with m.at(translate(0, 0, -depth * j / 4)):
                intrados(m, pts, depth / 4, "stone_pale")
                for a, s in ((0.3, 1), (w - 0.3, -1)):
                    q = [(a, 0, 0), (a, 0, -depth / 4), (a, spring, -depth / 4), (a, spring, 0)]
                    m.poly(q if s > 0 else q[::-1], "stone_pale")
    node.add(name + "_passage", m, pos=(-c[0][0], 0, -c[0][1]))
    for x in (-2.3, 2.0):
        ground.obstacle(rect(x, x + 0.3, z0, z1))


def street_arches():
    # a room across the south-west street, from the arcade block to the south row
    st = Style("span", "cream", "olive", gh=3.9)
    c = [(-21.5, 13.2), (-18, 13.2), (-18, 9.0), (-21.5, 9.0)]
    m = Mesh()
    spring, rise, top = 2.7, 0.95, 3.9
    width = 4.2
    for x, yaw in ((-18, math.pi / 2), (-21.5, -math.pi / 2)):
        z = 13.2 if yaw > 0 else 9.0
        with m.at(translate(x, 0, z) @ rot_y(yaw)):
            pts = spandrel(m, 0.0, width, spring, top, "stone_pale", 10, rise=rise)
            voussoirs(m, 0.0, width, spring, rise, 0.34, 0.06, 10)
            if yaw > 0:
                intrados(m, pts, 3.5, "stone_pale")
    n_houses.add("street_span", m)
    house(n_houses, "street_span_room", c, 2, st, [None, F(first=1), None, F(first=1)], first=1, ridge=1, pitch=20, stack=False)
    # gateway at the top of the ramp
    gate(n_houses, "ramp_gate", 14.6, 18.65, -24.0, 0.9, TERRACE)
    gate(n_houses, "lane_gate", -30.0, -26.0, -25.2, 0.9, TERRACE, flip=True)


def gate(parent, name, x0, x1, z, depth, y, flip=False):
    """A free-standing stone arch between x0 and x1 with a tiled cap; 3 m or more wide inside."""
    m = Mesh()
    w = x1 - x0
    p = (w - 3.05) / 2
    spring, rise, top = 2.5, 1.15, 4.25
    for xf in (translate(x0, 0, z), translate(x1, 0, z - depth) @ rot_y(math.pi)):
        with m.at(xf):
            pts = spandrel(m, p, w - p, spring, top, "stone_wall", 10, rise=rise)
            for a in (0.0, w - p):
                m.quad((a, -0.1, 0), (a + p, -0.1, 0), (a + p, top, 0), (a, top, 0), "stone_wall")
            voussoirs(m, p, w - p, spring, rise, 0.36, 0.07, 10)
            bar(m, 0, w, top - 0.16, top, 0.12, "limestone", skip="nwe")
            bar(m, p - 0.3, p, spring - 0.2, spring, 0.1, "limestone", skip="n")
            bar(m, w - p, w - p + 0.3, spring - 0.2, spring, 0.1, "limestone", skip="n")
    with m.at(translate(x0, 0, z)):
        intrados(m, pts, depth, "limestone")
        m.quad((p, -0.1, 0), (p, -0.1, -depth), (p, spring, -depth), (p, spring, 0), "stone_wall")
        m.quad((w - p, -0.1, -depth), (w - p, -0.1, 0), (w - p, spring, 0), (w - p, spring, -depth), "stone_wall")
        m.quad((0, -0.1, -depth), (0, -0.1, 0), (0, top, 0), (0, top, -depth), "stone_wall")
        m.quad((w, -0.1, 0), (w, -0.1, -depth), (w, top, -depth), (w, top, 0), "stone_wall")
    roof(m, [(x0, z), (x1, z), (x1, z - depth), (x0, z - depth)], top - 0.18, "gable", 0, 32, "roof", "stone_wall", eave=0.28, verge=0.15, thick=0.1)
    parent.add(name, m, pos=(0, y, 0))
    for a in (x0, x1 - p):
        ground.obstacle(rect(a, a + p, z - depth, z))


# --- church ---------------------------------------------------------------------------------

def church():
    x0, x1, z1 = -7.0, 5.0, -28.0
    w = x1 - x0
    ground.obstacle(rect(x0, x1, Z0, z1))
    m = Mesh()
    h = 9.0
    with m.at(translate(x0, 0, z1)):
        portal(m, w, h)
    for p0, p1 in (((x1, z1), (x1, Z0)), ((x0, Z0), (x0, z1))):
        xf, ww = frame(p0, p1)
        with m.at(xf):
            holes, us, vs = [], [0, ww], [-0.3, 4.0, h]
            for c in (3.0, 7.0, 11.0):
                holes.append((c - 0.45, c + 0.45, 5.0, 7.6))
                us += [c - 0.45, c + 0.45]
            vs += [5.0, 7.6]
            grid(m, us, vs, holes, "plaster_cream")
            for o in holes:
                reveal(m, *o, 0.3, "limestone")
                m.quad((o[0], o[2], -0.3), (o[1], o[2], -0.3), (o[1], o[3], -0.3), (o[0], o[3], -0.3), "window", uv=UNIT)
                bar(m, o[0] - 0.15, o[1] + 0.15, o[3], o[3] + 0.2, 0.07, "limestone")
                bar(m, o[0] - 0.15, o[1] + 0.15, o[2] - 0.16, o[2], 0.12, "limestone")
            for c in (1.0, 5.0, 9.0, 13.0):
                bar(m, c - 0.35, c + 0.35, -0.3, h - 0.6, 0.35, "stone_pale")
            bar(m, 0, ww, h - 0.3, h + 0.05, 0.22, "limestone", skip="nwe")
    roof(m, rect(x0, x1, Z0, z1 + 0.02), h, "gable", 1, 24, "roof", "plaster_cream", eave=0.5, verge=0.3)
    n_church.add("nave", m, pos=(0, TERRACE, 0))
    tower(5.0, 9.6, -33.2, -28.6)
    for i in range(1, 3):  # steps before the portal
        ground.region(rect(-3.2 - 0.35 * (2 - i), 1.2 + 0.35 * (2 - i), z1, z1 + 0.45 + 0.4 * (2 - i)), TERRACE + 0.16 * i, "limestone", "stairs", "limestone")


def portal(m, w, h):
    """The church front: portal, round window, pilasters, pediment line."""
    c = w / 2
    r = 1.15
    spring = 2.6
    us = [0, 0.8, 3.4, c - r, c + r, w - 3.4, w - 0.8, w]
    grid(m, us, [-0.3, spring, spring + r + 0.1, 5.4, 8.2, h], [(c - r, c + r, -0.3, spring), (c - r, c + r, spring, spring + r + 0.1)], "plaster_cream")
    pts = spandrel(m, c - r, c + r, spring, spring + r + 0.1, "plaster_cream", 10)
    intrados(m, pts, 0.5, "limestone")
    m.quad((c - r, 0, 0), (c - r, 0, -0.5), (c - r, spring, -0.5), (c - r, spring, 0), "limestone")
    m.quad((c + r, 0, -0.5), (c + r, 0, 0), (c + r, spring, 0), (c + r, spring, -0.5), "limestone")
    m.quad((c - r, 0, -0.5), (c + r, 0, -0.5), (c + r, 2.9, -0.5), (c - r, 2.9, -0.5), "door_dark", uv=UNIT)
    m.quad((c - r, 2.9, -0.5), (c + r, 2.9, -0.5), (c + r, spring + r, -0.5), (c - r, spring + r, -0.5), "window", uv=UNIT)
    voussoirs(m, c - r, c + r, spring, width=0.42, out=0.12, segs=10)
    for a in (c - r - 0.42, c + r):
        bar(m, a, a + 0.42, 0, spring, 0.12, "limestone")
    for a in (0.0, 3.0, w - 3.6, w - 0.6):
        bar(m, a, a + 0.6, 0, h - 0.4, 0.16, "limestone", skip="nu")
        bar(m, a - 0.08, a + 0.68, 0, 0.7, 0.24, "stone_pale", skip="n")
        bar(m, a - 0.08, a + 0.68, h - 0.75, h - 0.4, 0.22, "limestone", skip="n")
    bar(m, 0, w, h - 0.4, h + 0.05, 0.28, "limestone", skip="nwe")
    bar(m, -0.1, w + 0.1, h + 0.05, h + 0.2, 0.4, "limestone", skip="n")
    bar(m, 0, w, 5.0, 5.2, 0.10, "limestone", skip="nwe")
    # round window
    n, rr = 16, 1.05
    with m.at(translate(c, 6.8, 0)):
        ring = [(math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)) for i in range(n + 1)]
        m.poly([(rr * a, rr * b, 0.03) for a, b in ring[:-1]], "window", uv=[((a + 1) / 2, (1 - b) / 2) for a, b in ring[:-1]])
        for p, q in zip(ring, ring[1:]):
            i0, i1, o0, o1 = rr, rr, 1.42, 1.42
            m.quad((i0 * p[0], i0 * p[1], 0.14), (o0 * p[0], o0 * p[1], 0.14), (o1 * q[0], o1 * q[1], 0.14), (i1 * q[0], i1 * q[1], 0.14), "limestone")
            m.quad((o0 * p[0], o0 * p[1], 0.14), (o0 * p[0], o0 * p[1], 0), (o1 * q[0], o1 * q[1], 0), (o1 * q[0], o1 * q[1], 0.14), "limestone")
            m.quad((i0 * p[0], i0 * p[1], 0.03), (i0 * p[0], i0 * p[1], 0.14), (i1 * q[0], i1 * q[1], 0.14), (i1 * q[0], i1 * q[1], 0.03), "limestone")
        for i in range(8):
            a = math.pi * i / 4
            with m.at(translate(0, 0, 0.04)):
                dx, dy = math.cos(a), math.sin(a)
                px, py = -dy * 0.05, dx * 0.05
                m.quad((px, py, 0.04), (-px, -py, 0.04), (rr * dx - px, rr * dy - py, 0.04), (rr * dx + px, rr * dy + py, 0.04), "limestone")


def tower(x0, x1, z0, z1):
    ground.obstacle(rect(x0, x1, z0, z1))
    ground.obstacle(rect(x0, 9.6, Z0, z0))
    m = Mesh()
    w = x1 - x0
    corners = rect(x0, x1, z0, z1)
    for i in range(4):
        xf, _ = frame(corners[i], corners[(i + 1) % 4])
        with m.at(xf):
            c = w / 2
            grid(m, [0, c - 0.4, c + 0.4, w], [-0.3, 4.2, 5.6, 8.0, 9.4, 12.2], [(c - 0.4, c + 0.4, 4.2, 5.6), (c - 0.4, c + 0.4, 8.0, 9.4)], "stone_wall")
            for v in (4.2, 8.0):
                reveal(m, c - 0.4, c + 0.4, v, v + 1.4, 0.35, "limestone")
                m.quad((c - 0.4, v, -0.35), (c + 0.4, v, -0.35), (c + 0.4, v + 1.4, -0.35), (c - 0.4, v + 1.4, -0.35), "dark")
                bar(m, c - 0.55, c + 0.55, v + 1.4, v + 1.62, 0.08, "limestone")
            bar(m, -0.12, w + 0.12, 12.1, 12.45, 0.16, "limestone", skip="n")
            # belfry with two arches
            for a, b in ((0.55, w / 2 - 0.22), (w / 2 + 0.22, w - 0.55)):
                pts = spandrel(m, a, b, 14.6, 16.4, "stone_wall", 8)
                intrados(m, pts, 0.5, "limestone")
                voussoirs(m, a, b, 14.6, width=0.22, out=0.06, segs=8)
            for a, b in ((0, 0.55), (w / 2 - 0.22, w / 2 + 0.22), (w - 0.55, w)):
                m.quad((a, 12.3, 0), (b, 12.3, 0), (b, 16.4, 0), (a, 16.4, 0), "stone_wall")
                if 0 < a < w - 1:
                    m.quad((a, 12.4, -0.5), (a, 12.4, 0), (a, 14.6, 0), (a, 14.6, -0.5), "stone_wall")
                    m.quad((b, 12.4, 0), (b, 12.4, -0.5), (b, 14.6, -0.5), (b, 14.6, 0), "stone_wall")
            m.quad((0.55, 12.4, 0), (0.55, 12.4, -0.5), (0.55, 14.6, -0.5), (0.55, 14.6, 0), "stone_wall")
            m.quad((w - 0.55, 12.4, -0.5), (w - 0.55, 12.4, 0), (w - 0.55, 14.6, 0), (w - 0.55, 14.6, -0.5), "stone_wall")
            bar(m, 0.5, w - 0.5, 12.45, 13.1, -0.1, "limestone", skip="")
            bar(m, -0.15, w + 0.15, 16.3, 16.7, 0.22, "limestone", skip="n")
    cx, cz = (x0 + x1) / 2, (z0 + z1) / 2
    m.box(x0, x1, 12.2, 12.4, z0, z1, "stone_wall", skip="dnsew")
    m.box(x0 + 0.4, x1 - 0.4, 16.2, 16.25, z0 + 0.4, z1 - 0.4, "wood_dark", skip="unsew")
    with m.at(translate(cx, 0, cz)):
        m.frustum(0.75, 0.62, 13.7, 14.0, 12, "bronze", cap=False)
        m.frustum(0.62, 0.30, 14.0, 14.7, 12, "bronze")
        m.box(-1.9, 1.9, 14.8, 14.95, -0.08, 0.08, "wood_dark", skip="")
        m.frustum(0.10, 0.10, 18.9, 20.0, 6, "iron")
        m.box(-0.4, 0.4, 20.3, 20.4, -0.04, 0.04, "iron", skip="")
        m.box(-0.05, 0.05, 19.9, 20.9, -0.04, 0.04, "iron", skip="")
    roof(m, corners, 16.6, "hip", 0, 48, "roof", "stone_wall", eave=0.35)
    # clock towards the plaza
    with m.at(translate(cx, 11.0, z1 + 0.06)):
        n = 20
        ring = [(math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)) for i in range(n)]
        m.poly([(0.95 * a, 0.95 * b, 0.0) for a, b in ring], "limestone_dark")
        m.poly([(0.82 * a, 0.82 * b, 0.02) for a, b in ring], "enamel_white")
        for k in range(12):
            a = math.pi * k / 6
            dx, dy = math.cos(a), math.sin(a)
            m.quad((0.66 * dx + 0.03 * dy, 0.66 * dy - 0.03 * dx, 0.03), (0.78 * dx + 0.03 * dy, 0.78 * dy - 0.03 * dx, 0.03),
                   (0.78 * dx - 0.03 * dy, 0.78 * dy + 0.03 * dx, 0.03), (0.66 * dx - 0.03 * dy, 0.66 * dy + 0.03 * dx, 0.03), "iron")
        for a, ln in ((1.0, 0.45), (2.6, 0.66)):
            dx, dy = math.cos(a), math.sin(a)
            m.quad((0.035 * dy, -0.035 * dx, 0.04), (ln * dx, ln * dy, 0.04), (ln * dx - 0.02 * dy, ln * dy + 0.02 * dx, 0.04), (-0.035 * dy, 0.035 * dx, 0.04), "iron")
    n_church.add("tower", m, pos=(0, TERRACE, 0))


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
