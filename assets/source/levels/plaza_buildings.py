"""The plaza's buildings: houses, arcade, passage, street arches, church and tower."""
import math

import numpy as np

from buildings import (UNIT, Style, bar, facade, frame, grid, house, intrados, reveal, roof, spandrel, voussoirs)
from plaza_base import TERRACE, X0, X1, Z0, Z1, ground, n_church, n_houses, rect
from townkit import Mesh, rot_y, translate

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


D, W, S, B = "door", "window", "shop", "blank"


def houses():
    arcade_block()
    plaza_south()
    west_row()
    south_row()
    east_row()
    upper_town()


def arcade_block():
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
        house(n_houses, name, high, fl, st, faces, first=1, ridge=1, pitch=25)
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


def plaza_south():
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


def west_row():
    # west row
    zs = [-16.5, -9, -2, 5, 12.5, 20.5, 30]
    fx = [-30, -30.4, -29.8, -30.2, -30.5, -29.9, -30.2]
    cols = [("peach", "green", 3), ("honey", "brown", 3), ("white", "blue", 2), ("rose", "olive", 3), ("ochre", "teal", 3), ("cream", "red", 2)]
    for i, (col, paint, fl) in enumerate(cols):
        c = [(X0, zs[i + 1]), (fx[i + 1], zs[i + 1]), (fx[i], zs[i]), (X0, zs[i])]
        faces = [None, F(kinds=[[W, D, W], [D, S], [W, D], [S, D], [W, D, W], [W, D, W]][i], balcony={0} if i in (1, 3) else None), None, None]
        put(f"house_{i + 10:02d}", c, fl, col, paint, faces, ridge=1, pitch=23 + i % 3 * 2, roof=["roof", "roof_dark", "roof_old"][i % 3], quoins=i == 4)


def south_row():
    # south row along the wall, with the south-west corner
    xs = [X0, -30.2, -22, -14.5, -7, 0.5, 8, 15]
    fz = [30, 30, 30.4, 29.8, 30.3, 30, 30.5, 29.8]
    cols = [("sage", "brown", 3), ("terracotta", "green", 3), ("cream", "blue", 2), ("honey", "olive", 3), ("rose", "teal", 3), ("white", "green", 2), ("peach", "red", 3)]
    for i, (col, paint, fl) in enumerate(cols):
        c = [(xs[i], Z1), (xs[i + 1], Z1), (xs[i + 1], fz[i + 1]), (xs[i], fz[i])]
        faces = [None, F() if i == 6 else None, F(kinds=[[B, B, W], [W, D, W], [D, S], [W, D], [S, D], [W, D], [W, D, W]][i]), None]
        put(f"house_{i + 16:02d}", c, fl, col, paint, faces, pitch=23 + i % 3, roof=["roof_old", "roof", "roof_dark"][i % 3], quoins=i in (3,))


def east_row():
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


def upper_town():
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
