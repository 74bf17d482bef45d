"""Houses, arches, arcades, roofs: the architecture of the levels.

A facade is drawn in its own frame: x along the wall (to the right seen from outside), y up, z outward.
Plans list their corners so that the outside lies to the right-hand side: south-west, south-east,
north-east, north-west for an upright rectangle.
"""
import math
import zlib

import numpy as np

from townkit import Mesh, rot_y, translate

UNIT = [(0, 1), (1, 1), (1, 0), (0, 0)]


def frame(p0, p1, y=0.0):
    """The facade frame of the wall p0 -> p1 (plan points) and its width."""
    d = np.array([p1[0] - p0[0], p1[1] - p0[1]])
    w = float(np.linalg.norm(d))
    return translate(p0[0], y, p0[1]) @ rot_y(math.atan2(-d[1], d[0])), w


def grid(m, us, vs, holes, mat):
    """A wall of quads between the cuts, leaving out the holes (u0, u1, v0, v1)."""
    us, vs = sorted(set(np.round(us, 4))), sorted(set(np.round(vs, 4)))
    for i in range(len(us) - 1):
        for j in range(len(vs) - 1):
            cu, cv = (us[i] + us[i + 1]) / 2, (vs[j] + vs[j + 1]) / 2
            if any(h[0] < cu < h[1] and h[2] < cv < h[3] for h in holes):
                continue
            m.quad((us[i], vs[j], 0), (us[i + 1], vs[j], 0), (us[i + 1], vs[j + 1], 0), (us[i], vs[j + 1], 0), mat)


def reveal(m, u0, u1, v0, v1, depth, mat, sill=True):
    """The four sides of a recess behind the wall plane."""
    m.quad((u0, v0, 0), (u0, v0, -depth), (u0, v1, -depth), (u0, v1, 0), mat)
    m.quad((u1, v0, -depth), (u1, v0, 0), (u1, v1, 0), (u1, v1, -depth), mat)
    m.quad((u0, v1, -depth), (u1, v1, -depth), (u1, v1, 0), (u0, v1, 0), mat)
    if sill:
        m.quad((u0, v0, 0), (u1, v0, 0), (u1, v0, -depth), (u0, v0, -depth), mat)


def bar(m, u0, u1, v0, v1, out, mat, skip="n"):
    """A moulding on the wall."""
    m.box(u0, u1, v0, v1, 0, out, mat, skip=skip)


def window(m, u0, u1, v0, v1, wall, paint, rng, shutters=True, flowers=False, lintel=True):
    reveal(m, u0, u1, v0, v1, 0.18, wall, sill=False)
    m.quad((u0, v0, -0.18), (u1, v0, -0.18), (u1, v1, -0.18), (u0, v1, -0.18), "window", uv=UNIT)
    m.box(u0 - 0.12, u1 + 0.12, v0 - 0.12, v0, -0.18, 0.13, "limestone", skip="n")
    if lintel:
        bar(m, u0 - 0.10, u1 + 0.10, v1, v1 + 0.16, 0.05, "limestone", skip="nuwe")
    if flowers:
        m.box(u0 + 0.04, u1 - 0.04, v0, v0 + 0.20, -0.02, 0.16, "wood_dark", skip="dn")
        m.box(u0, u1, v0 + 0.14, v0 + 0.34, -0.06, 0.24, "flowers", skip="dn")
        m.box(u0 - 0.03, u1 + 0.03, v0 + 0.02, v0 + 0.17, 0.1, 0.27, "foliage", skip="n")
    if not shutters:
        return
    half = (u1 - u0) / 2
    for side in (-1, 1):
        kind = rng.random()
        turn = 0.0 if kind < 0.60 else rng.uniform(0.35, 1.1) if kind < 0.82 else math.pi
        hinge = u0 if side < 0 else u1
        with m.at(translate(hinge, 0, 0.05) @ rot_y(side * turn if turn < 3 else math.pi * 0.0)):
            a, b = ((-half, 0.0) if side < 0 else (0.0, half))
            if turn > 3:  # closed over the window
                a, b = ((0.0, half) if side < 0 else (-half, 0.0))
            m.box(a, b, v0 + 0.01, v1 - 0.01, 0.0, 0.05, paint, skip="du" + ("" if 0 < turn < 3 else "n"), uv01=True)


def door(m, u0, u1, v1, wall, leaf, arched=False, sign=1):
    """A door recess from the ground to v1, with a stone surround."""
    reveal(m, u0, u1, 0, v1, 0.28, "limestone", sill=False)
    m.quad((u0, 0, -0.28), (u1, 0, -0.28), (u1, v1, -0.28), (u0, v1, -0.28), leaf, uv=UNIT)
    threshold(m, u0, u1, 0.28, 0.20)
    bar(m, u0 - 0.20, u0, 0, v1, 0.07, "limestone", skip="nud")
    bar(m, u1, u1 + 0.20, 0, v1, 0.07, "limestone", skip="nud")
    bar(m, u0 - 0.26, u1 + 0.26, v1, v1 + 0.26, 0.10, "limestone", skip="n")


def spandrel(m, u0, u1, spring, top, mat, segs=8, rise=None):
    """Fills the wall between an arch over u0..u1 (springing height, rise) and the line y = top."""
    c, r = (u0 + u1) / 2, (u1 - u0) / 2
    h = rise if rise is not None else r
    pts = [(c - r * math.cos(math.pi * i / segs), spring + h * math.sin(math.pi * i / segs)) for i in range(segs + 1)]
    for a, b in zip(pts, pts[1:]):
        m.quad((a[0], a[1], 0), (b[0], b[1], 0), (b[0], top, 0), (a[0], top, 0), mat)
    return pts


def intrados(m, pts, depth, mat):
    """The underside of an arch, from the wall plane back to z = -depth."""
    c = (pts[0][0] + pts[-1][0]) / 2
    low = min(p[1] for p in pts)
    for a, b in zip(pts, pts[1:]):
        na, nb = (c - a[0], low - a[1] - 0.3, 0), (c - b[0], low - b[1] - 0.3, 0)
        m.quad((a[0], a[1], -depth), (b[0], b[1], -depth), (b[0], b[1], 0), (a[0], a[1], 0), mat, nrm=[na, nb, nb, na])


def voussoirs(m, u0, u1, spring, rise=None, width=0.34, out=0.05, segs=8, mat="limestone"):
    """A projecting arch band."""
    c, r = (u0 + u1) / 2, (u1 - u0) / 2
    h = rise if rise is not None else r
    inner = [(c - r * math.cos(math.pi * i / segs), spring + h * math.sin(math.pi * i / segs)) for i in range(segs + 1)]
    k, kh = (r + width) / r, (h + width) / h
    outer = [(c + (p[0] - c) * k, spring + (p[1] - spring) * kh) for p in inner]
    for i in range(segs):
        a, b, d, e = inner[i], inner[i + 1], outer[i + 1], outer[i]
        m.quad((*a, out), (*b, out), (*d, out), (*e, out), mat)
        m.quad((*e, out), (*d, out), (*d, 0), (*e, 0), mat)


def threshold(m, u0, u1, depth, high):
    """The floor of a recess; a steep front keeps it apart from the street's floor."""
    m.quad((u0, 0, 0), (u1, 0, 0), (u1, high, -0.05), (u0, high, -0.05), "limestone")
    m.quad((u0, high, -0.05), (u1, high, -0.05), (u1, high, -depth), (u0, high, -depth), "limestone")


def shop(m, u0, u1, wall, rng):
    """An arched shop front with a recessed window or an open dark interior behind wooden boards."""
    spring = 1.95
    r = (u1 - u0) / 2
    pts = spandrel(m, u0, u1, spring, spring + r + 0.05, wall, 8)
    intrados(m, pts, 0.3, "limestone")
    m.quad((u0, 0, 0), (u0, 0, -0.3), (u0, spring, -0.3), (u0, spring, 0), "limestone")
    m.quad((u1, 0, -0.3), (u1, 0, 0), (u1, spring, 0), (u1, spring, -0.3), "limestone")
    voussoirs(m, u0, u1, spring, width=0.26, out=0.06)
    bar(m, u0 - 0.26, u0, 0, spring, 0.06, "limestone", skip="nud")
    bar(m, u1, u1 + 0.26, 0, spring, 0.06, "limestone", skip="nud")
    threshold(m, u0, u1, 0.3, 0.12)
    top = spring + r
    style = rng.random()
    m.quad((u0, 0, -0.3), (u1, 0, -0.3), (u1, top, -0.3), (u0, top, -0.3), "wood_dark" if style < 0.5 else "paint_green")
    if style < 0.65:
        with m.at(translate(0, 0, -0.29)):
            m.quad((u0 + 0.12, 0.95, 0), (u1 - 0.12, 0.95, 0), (u1 - 0.12, 2.5, 0), (u0 + 0.12, 2.5, 0), "window", uv=UNIT)
    return spring + r + 0.05


def awning(m, u0, u1, y, depth, mat):
    """A sloping cloth with a scalloped edge, fixed to the wall."""
    d, fall = depth, depth * 0.38
    m.quad((u0, y - fall, d), (u1, y - fall, d), (u1, y, 0.02), (u0, y, 0.02), mat, slope_uv=True)
    m.quad((u0, y - 0.04, 0.02), (u1, y - 0.04, 0.02), (u1, y - fall - 0.04, d), (u0, y - fall - 0.04, d), mat, shade=0.75, slope_uv=True)
    n = max(2, int((u1 - u0) / 0.3))
    s = 1.2
    for i in range(n):
        a, b = u0 + (u1 - u0) * i / n, u0 + (u1 - u0) * (i + 1) / n
        c = (a + b) / 2
        p = [(a, y - fall - 0.12, d), (c, y - fall - 0.26, d), (b, y - fall - 0.12, d), (b, y - fall, d), (a, y - fall, d)]
        m.poly(p, mat, uv=[(q[0] / s, -q[1] / s) for q in p])
        m.poly([(q[0], q[1], d - 0.01) for q in p[::-1]], mat, uv=[(q[0] / s, -q[1] / s) for q in p[::-1]], shade=0.8)


class Style:
    """Look of one house."""

    def __init__(self, name, color, paint, **kw):
        self.wall = "plaster_" + color if color in ("cream", "ochre", "rose", "terracotta", "white", "honey", "peach", "sage") else color
        self.paint = "shutter_" + paint
        self.leaf = kw.get("leaf", "door_oak")
        self.gh, self.fh = kw.get("gh", 3.7), kw.get("fh", 3.15)
        self.quoins = kw.get("quoins", False)
        self.roof = kw.get("roof", "roof")
        self.lintel = zlib.crc32(name.encode()) % 5 > 1
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))


def facade(m, w, floors, st, kinds=None, first=0, y_low=0.0, plinth=True, shutters=True, balcony=None, awn=None):
    """One wall with openings. `kinds`: ground-floor openings from left to right; `first`: lowest floor that is drawn."""
    rng = st.rng
    if kinds is None:
        n = max(1, int(round(w / 2.9)))
        kinds = ["window"] * n
        if n:
            kinds[int(rng.integers(0, n))] = "door"
    n = len(kinds)
    bay = w / n
    top = st.gh + (floors - 1) * st.fh
    doors = []
    for lo, hi in ((0, 1), (max(first, 1), floors)):
        if lo < first or lo >= hi:
            continue
        us, vs, holes, todo = [0, w], [0.0 if lo == 0 else st.gh, top if lo else st.gh], [], []
        for f, i in [(f, i) for f in range(lo, hi) for i in range(n)]:
            base = 0.0 if f == 0 else st.gh + (f - 1) * st.fh
            c = bay * (i + 0.5)
            kind = kinds[i] if f == 0 else "window"
            if kind == "door":
                u0, u1, v0, v1 = c - 0.65, c + 0.65, 0.0, 2.7
                doors.append((u0, u1))
            elif kind == "shop":
                r = min(1.05, bay / 2 - 0.4)
                u0, u1, v0, v1 = c - r, c + r, 0.0, 1.95 + r + 0.05
                doors.append((u0, u1))
            elif kind == "blank":
                continue
            elif f == 0:
                u0, u1, v0, v1 = c - 0.46, c + 0.46, 1.05, 2.7
            elif balcony and f == 1 and i in balcony:
                kind = "french"
                u0, u1, v0, v1 = c - 0.52, c + 0.52, base + 0.12, base + 2.35
            else:
                low = f == floors - 1 and floors > 2
                u0, u1, v0, v1 = c - 0.46, c + 0.46, base + 0.85, base + (2.05 if low else 2.35)
            us += [u0, u1]
            vs += [v0, v1]
            holes.append((u0, u1, v0, v1))
            todo.append((kind, u0, u1, v0, v1))
        grid(m, us, vs, holes, st.wall)
        for kind, u0, u1, v0, v1 in todo:
            if kind == "door":
                door(m, u0, u1, v1, st.wall, st.leaf)
            elif kind == "shop":
                shop(m, u0, u1, st.wall, rng)
                if awn:
                    awning(m, u0 - 0.45, u1 + 0.45, 3.35, 1.35, awn)
            elif kind == "french":
                window(m, u0, u1, v0, v1, st.wall, st.paint, rng, shutters=True)
                m.box(u0 - 0.55, u1 + 0.55, v0 - 0.24, v0 - 0.10, 0, 0.85, "limestone", skip="n")
                for x in (u0 - 0.35, u1 + 0.17):
                    m.box(x, x + 0.18, v0 - 0.52, v0 - 0.24, 0, 0.55, "limestone", skip="nu")
                m.box(u0 - 0.52, u1 + 0.52, v0 + 0.82, v0 + 0.87, 0.77, 0.82, "iron", skip="")
                for x in (u0 - 0.52, u1 + 0.47):
                    m.box(x, x + 0.05, v0 + 0.82, v0 + 0.87, 0, 0.77, "iron", skip="n")
                k = 9
                for j in range(k):
                    x = u0 - 0.52 + (u1 - u0 + 1.04 - 0.03) * j / (k - 1)
                    m.box(x, x + 0.03, v0 - 0.10, v0 + 0.82, 0.78, 0.81, "iron", skip="ud")
            else:
                window(m, u0, u1, v0, v1, st.wall, st.paint, rng, shutters=shutters and bay > 2.1,
                       flowers=lo > 0 and rng.random() < 0.20, lintel=st.lintel)
        if lo == 0 and floors > 1:
            bar(m, 0, w, st.gh - 0.10, st.gh + 0.10, 0.06, "limestone", skip="nwe")
    if first == 0 and plinth:
        cuts = [0.0] + [x for d in sorted(doors) for x in (d[0] - 0.26, d[1] + 0.26)] + [w]
        for a, b in zip(cuts[::2], cuts[1::2]):
            if b - a > 0.05:
                m.quad((a, y_low, 0.07), (b, y_low, 0.07), (b, 0.55, 0.07), (a, 0.55, 0.07), "stone_pale")
                m.quad((a, 0.55, 0.07), (b, 0.55, 0.07), (b, 0.68, 0), (a, 0.68, 0), "limestone")
    if y_low < 0 and not (first == 0 and plinth):
        m.quad((0, y_low, 0), (w, y_low, 0), (w, 0, 0), (0, 0, 0), st.wall)
    if st.quoins:
        for a in (0.0, w - 0.42):
            bar(m, a, a + 0.42, 0 if first == 0 else st.gh, top - 0.26, 0.04, "limestone", skip="nud")
    height = st.gh + (floors - 1) * st.fh
    bar(m, -0.02, w + 0.02, height - 0.26, height - 0.10, 0.10, "limestone", skip="nuwe")
    bar(m, -0.06, w + 0.06, height - 0.10, height + 0.05, 0.20, "limestone", skip="nu")
    return doors


def blind(m, w, y0, y1, mat):
    """A plain party wall, cut once per floor for even baked light."""
    k = max(1, int(round((y1 - y0) / 3.2)))
    j = max(1, int(round(w / 4.0)))
    for a in range(j):
        for i in range(k):
            u0, u1 = w * a / j, w * (a + 1) / j
            v0, v1 = y0 + (y1 - y0) * i / k, y0 + (y1 - y0) * (i + 1) / k
            m.quad((u0, v0, 0), (u1, v0, 0), (u1, v1, 0), (u0, v1, 0), mat)


def roof(m, c, y, kind, ridge, pitch, mat, wall, eave=0.5, verge=0.22, thick=0.13):
    """A gable, hip or shed roof over the plan corners c (4 of (x, z)) at wall height y."""
    y += 0.18  # clears the cornice
    c = [np.array([p[0], y, p[1]]) for p in (c if ridge == 0 else c[1:] + c[:1])]
    m1, m3 = (c[1] + c[2]) / 2, (c[3] + c[0]) / 2
    e = m1 - m3
    length = np.linalg.norm(e)
    e = e / length
    span = (np.linalg.norm(c[2] - c[1]) + np.linalg.norm(c[0] - c[3])) / 2
    rise = math.tan(math.radians(pitch)) * span / 2
    up = np.array([0, rise, 0])
    inset = min(span / 2, length / 2 - 0.05) if kind == "hip" else 0.0
    r3, r1 = m3 + up + e * inset, m1 + up - e * inset
    lift = np.array([0, thick, 0])
    if kind == "hip":
        def out(p, r):
            flat = np.array([p[0] - r[0], 0, p[2] - r[2]])
            k = eave * 1.3 / np.linalg.norm(flat)
            return p + (p - r) * k
        q = [out(c[0], r3), out(c[1], r1), out(c[2], r1), out(c[3], r3)]
        faces = [[q[0], q[1], r1, r3], [q[1], q[2], r1], [q[2], q[3], r3, r1], [q[3], q[0], r3]]
        eaves = [(q[0], q[1]), (q[1], q[2]), (q[2], q[3]), (q[3], q[0])]
    else:
        r3, r1 = r3 - e * verge, r1 + e * verge
        def out(p, r, s):
            d = p + e * s * verge - r
            return r + d * (1 + eave / np.linalg.norm([d[0], 0, d[2]]))
        q = [out(c[0], r3, -1), out(c[1], r1, 1), out(c[2], r1, 1), out(c[3], r3, -1)]
        faces = [[q[0], q[1], r1, r3], [q[2], q[3], r3, r1]]
        eaves = [(q[0], q[1]), (q[1], r1), (r1, q[2]), (q[2], q[3]), (q[3], r3), (r3, q[0])]
        for a, b, top in ((c[1], c[2], m1 + up), (c[3], c[0], m3 + up)):
            drop = np.array([0, 0.2, 0])
            m.poly([a - drop, b - drop, b, top, a], wall)
    for f in faces:
        n = max(1, int(round(np.linalg.norm(f[1] - f[0]) / 4.0))) if len(f) == 4 else 1
        for i in range(n):  # strips along the eave, for even light
            if len(f) == 3:
                m.poly([p + lift for p in f], mat, slope_uv=True)
                m.poly([p for p in f[::-1]], "wood_dark", slope_uv=True)
                continue
            a, b = i / n, (i + 1) / n
            s = [f[0] + (f[1] - f[0]) * a, f[0] + (f[1] - f[0]) * b, f[3] + (f[2] - f[3]) * b, f[3] + (f[2] - f[3]) * a]
            m.poly([p + lift for p in s], mat, slope_uv=True)
        if len(f) == 4:
            m.poly(f[::-1], "wood_dark", slope_uv=True)
    for a, b in eaves:
        m.quad(a, b, b + lift, a + lift, "limestone_dark" if kind != "hip" else mat)
    caps = [(r3, r1)] if np.linalg.norm(r1 - r3) > 0.3 else []
    if kind == "hip":
        caps += [(q[0], r3), (q[1], r1), (q[2], r1), (q[3], r3)]
    for a, b in caps:
        d = b - a
        side = np.cross(d, [0, 1, 0])
        side = side / np.linalg.norm(side) * 0.17
        hgt, base = lift + np.array([0, 0.13, 0]), lift - np.array([0, 0.05, 0])
        m.quad(a + side + base, b + side + base, b + hgt, a + hgt, mat, slope_uv=True)
        m.quad(b - side + base, a - side + base, a + hgt, b + hgt, mat, slope_uv=True)
        m.poly([a + side + base, a + hgt, a - side + base], mat)
        m.poly([b - side + base, b + hgt, b + side + base], mat)
    return y + rise


def chimney(m, x, z, y0, y1, wall):
    m.box(x - 0.35, x + 0.35, y0, y1, z - 0.28, z + 0.28, wall)
    m.box(x - 0.45, x + 0.45, y1, y1 + 0.12, z - 0.38, z + 0.38, "limestone", skip="")
    m.box(x - 0.28, x + 0.28, y1 + 0.12, y1 + 0.34, z - 0.2, z + 0.2, "dark")
    m.box(x - 0.42, x + 0.42, y1 + 0.34, y1 + 0.44, z - 0.34, z + 0.34, "roof", skip="")


def house(parent, name, corners, floors, st, faces, base=0.0, kind="gable", ridge=0, pitch=26, first=0, y_low=-0.3, stack=True):
    """Adds a house node. `faces`: per wall either None (party wall), 'open' (nothing) or keyword arguments of `facade`.

    Returns the door positions in plan: (x, z) of the middle and the outward direction.
    """
    p0, p1 = np.array(corners[0]), np.array(corners[1])
    d = (p1 - p0) / np.linalg.norm(p1 - p0)
    yaw = math.atan2(-d[1], d[0])
    back = np.array([[d[0], d[1]], [-d[1], d[0]]])  # plan rotation into the house's frame
    local = [tuple(back @ (np.array(c) - p0)) for c in corners]
    m = Mesh()
    m.uv_shift = tuple(st.rng.random(2))
    height = st.gh + (floors - 1) * st.fh
    found = []
    for i in range(4):
        xf, w = frame(local[i], local[(i + 1) % 4])
        face = faces[i]
        with m.at(xf):
            if face is None:
                blind(m, w, 5.0, height, st.wall)  # the neighbour hides what is below
            elif face != "open":
                opts = dict(first=first, y_low=y_low)
                opts.update(face)
                for u0, u1 in facade(m, w, floors, st, **opts):
                    a, b = np.array(corners[i]), np.array(corners[(i + 1) % 4])
                    t = (b - a) / np.linalg.norm(b - a)
                    found.append((a + t * (u0 + u1) / 2, np.array([-t[1], t[0]]), t, u1 - u0))
    roof(m, local, height, kind, ridge, pitch, st.roof, st.wall)
    if stack:
        cx = np.mean([c[0] for c in local]) + st.rng.uniform(-1.5, 1.5)
        cz = np.mean([c[1] for c in local]) + st.rng.uniform(0.8, 1.6) * st.rng.choice([-1, 1])
        chimney(m, cx, cz, height, height + 2.6, st.wall)
    parent.add(name, m, pos=(p0[0], base, p0[1]), yaw=yaw)
    return found
