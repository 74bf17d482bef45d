"""Procedural, tileable base-colour textures for the levels and props (numpy only).

Every function returns a float array (height, width, 3) in sRGB, 0..1, row 0 at the top.
All noise is periodic (filtered in the frequency domain), so that opposite borders match.
`write(name, folder)` stores a texture as JPEG through Blender's image writer.
"""
import os
import zlib

import numpy as np


def rng_for(name):
    """A generator that depends on the name only."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def noise(n, rng, beta=1.6, lo=1.0, hi=1e9, stretch=(1.0, 1.0)):
    """Periodic 1/f^beta noise, mean 0, deviation 1; `stretch` scales the (y, x) frequencies: below 1 packs detail along that axis."""
    fy = np.fft.fftfreq(n)[:, None] * n * stretch[0]
    fx = np.fft.fftfreq(n)[None, :] * n * stretch[1]
    f = np.hypot(fy, fx)
    amp = np.where((f >= lo) & (f <= hi), 1.0 / np.maximum(f, 1.0) ** beta, 0.0)
    spec = amp * np.exp(2j * np.pi * rng.random((n, n)))
    out = np.fft.ifft2(spec).real
    return (out - out.mean()) / out.std()


def relief(height, strength):
    """Light from the upper left on a periodic height field: 1 +- strength."""
    gx = np.roll(height, 1, 1) - np.roll(height, -1, 1)
    gy = np.roll(height, 1, 0) - np.roll(height, -1, 0)
    return 1.0 + strength * np.clip(-(gx * 0.7 + gy), -1, 1)


def mix(a, b, t):
    """Blend two colours or images by a mask."""
    return np.asarray(a) * (1 - t[..., None]) + np.asarray(b) * t[..., None]


def smooth(e0, e1, x):
    """Hermite step."""
    t = np.clip((x - e0) / (e1 - e0), 0, 1)
    return t * t * (3 - 2 * t)


def cells(n, k, rng, jitter=0.8, ky=None):
    """Voronoi diagram of a jittered k x k grid: F1, F2 (in cells) and the cell's number."""
    ky = ky or k
    px = rng.random((ky, k)) * jitter + (1 - jitter) / 2
    py = rng.random((ky, k)) * jitter + (1 - jitter) / 2
    if jitter < 0.95:
        px = px + 0.5 * (np.arange(ky)[:, None] % 2) - 0.25
    y, x = np.mgrid[0:n, 0:n].astype(np.float64)
    x, y = x / n * k, y / n * ky
    ix, iy = np.floor(x).astype(int), np.floor(y).astype(int)
    f1 = np.full((n, n), 9.0)
    f2 = np.full((n, n), 9.0)
    who = np.zeros((n, n), int)
    for dy in (-2, -1, 0, 1, 2):
        for dx in (-2, -1, 0, 1, 2):
            cx, cy = ix + dx, iy + dy
            wx, wy = cx % k, cy % ky
            d = np.hypot(cx + px[wy, wx] - x, cy + py[wy, wx] - y)
            closer = d < f1
            f2 = np.where(closer, f1, np.minimum(f2, d))
            who = np.where(closer, wy * k + wx, who)
            f1 = np.minimum(f1, d)
    return f1, f2, who


def blocks(n, rows, rng, per_row=(4, 7), even=False):
    """Running bond of rectangular stones: distance to the joint (in pixels) and stone number."""
    y, x = np.mgrid[0:n, 0:n].astype(np.float64)
    heights = np.ones(rows) if even else 0.75 + 0.5 * rng.random(rows)
    cuts_y = np.concatenate([[0], np.cumsum(heights) / heights.sum()]) * n
    dist = np.zeros((n, n))
    who = np.zeros((n, n), int)
    number = 0
    for r in range(rows):
        band = (y >= cuts_y[r]) & (y < cuts_y[r + 1])
        count = int(rng.integers(per_row[0], per_row[1] + 1))
        widths = 0.6 + 0.8 * rng.random(count)
        cuts = np.concatenate([[0], np.cumsum(widths) / widths.sum()]) * n
        off = rng.random() * n
        xs = (x + off) % n
        col = np.clip(np.searchsorted(cuts, xs[0], side="right") - 1, 0, count - 1)
        dx = np.minimum(xs - cuts[col][None, :], cuts[col + 1][None, :] - xs)
        dy = np.minimum(y - cuts_y[r], cuts_y[r + 1] - y)
        dist = np.where(band, np.minimum(dx, dy), dist)
        who = np.where(band, number + col[None, :], who)
        number += count
    return dist, who, number


def tone(who, count, rng, base, spread, warm=0.03):
    """One colour per stone around `base`."""
    v = 1 + spread * rng.standard_normal(count)
    w = warm * rng.standard_normal(count)
    cols = np.stack([base[0] * v * (1 + w), base[1] * v, base[2] * v * (1 - w)], 1)
    return cols[who]


def paving():
    """Plaza flagstones, 1024 pixels for 4 m."""
    n, rng = 1024, rng_for("paving")
    warp = 2.2 * noise(n, rng, 1.8, 4)
    dist, who, count = blocks(n, 7, rng, (5, 8))
    dist = dist + warp
    img = tone(who, count, rng, (0.70, 0.635, 0.54), 0.075, 0.025)
    grain = noise(n, rng, 1.0, 8)
    img = img * (1 + 0.035 * grain + 0.045 * noise(n, rng, 1.7, 1, 40))[..., None]
    pits = smooth(1.5, 2.3, noise(n, rng, 0.6, 40))
    img = img * (1 - 0.16 * pits)[..., None]
    edge = smooth(0, 9, dist)
    img = img * relief(edge * 2 + 0.05 * grain, 0.13)[..., None]
    joint = 1 - smooth(2.2, 5.0, dist)
    img = mix(img, np.array([0.40, 0.345, 0.28]) * np.ones((n, n, 3)), 0.85 * joint)
    moss = smooth(0.9, 2.2, noise(n, rng, 1.7, 1, 60)) * (1 - smooth(3, 12, dist))
    return mix(img, (0.36, 0.37, 0.22), 0.55 * moss)


def cobble():
    """Rounded cobbles, 1024 pixels for 3 m."""
    n, rng = 1024, rng_for("cobble")
    f1, f2, who = cells(n, 20, rng, 0.42, ky=22)
    gap = f2 - f1 + 0.03 * noise(n, rng, 1.5, 8)
    img = tone(who, 20 * 22, rng, (0.58, 0.525, 0.455), 0.13, 0.04)
    dome = 1 - np.clip(f1, 0, 0.75) ** 2
    img = img * (0.66 + 0.42 * dome)[..., None]
    img = img * relief(dome * 5, 0.20)[..., None]
    img = img * (1 + 0.05 * noise(n, rng, 0.9, 10) + 0.05 * noise(n, rng, 1.8, 1, 20))[..., None]
    joint = 1 - smooth(0.05, 0.17, gap)
    img = mix(img, (0.33, 0.285, 0.225), 0.9 * joint)
    moss = smooth(0.8, 2.0, noise(n, rng, 1.8, 1, 30)) * (1 - smooth(0.1, 0.35, gap))
    return mix(img, (0.34, 0.36, 0.21), 0.5 * moss)


def plaster():
    """Lime plaster in a neutral light tone (tinted by the materials), 512 pixels for 4 m."""
    n, rng = 512, rng_for("plaster")
    v = 0.90 + 0.022 * noise(n, rng, 1.9, 1, 12) + 0.016 * noise(n, rng, 1.2, 10)
    strokes = noise(n, rng, 1.1, 6, 200, (0.35, 1.0))
    v = v + 0.010 * strokes
    streak = smooth(0.9, 2.6, noise(n, rng, 1.5, 2, 90, (1.0, 0.10)))
    img = np.stack([v, v * 0.985, v * 0.955], -1)
    img = mix(img, (0.66, 0.60, 0.52), 0.33 * streak)
    patch = smooth(1.35, 1.6, noise(n, rng, 1.9, 2, 60))
    img = mix(img, img * np.array([0.97, 0.955, 0.93]), patch)
    rim = smooth(1.25, 1.35, noise(n, rng_for("plaster2"), 1.9, 2, 60))
    img = img * (1 - 0.012 * rim)[..., None]
    crack = np.abs(noise(n, rng, 1.7, 2, 120))
    img = img * (1 - 0.10 * (1 - smooth(0.0, 0.022, crack)))[..., None]
    return img * relief(0.6 * noise(n, rng, 1.3, 8), 0.03)[..., None]


def stone():
    """Ashlar masonry, 512 pixels for 2.4 m."""
    n, rng = 512, rng_for("stone")
    dist, who, count = blocks(n, 7, rng, (3, 5))
    dist = dist + 1.6 * noise(n, rng, 1.7, 4)
    img = tone(who, count, rng, (0.70, 0.60, 0.465), 0.095, 0.035)
    grain = noise(n, rng, 1.1, 6)
    img = img * (1 + 0.055 * grain + 0.05 * noise(n, rng, 1.8, 1, 16))[..., None]
    img = img * relief(smooth(0, 8, dist) * 2.2 + 0.10 * grain, 0.17)[..., None]
    joint = 1 - smooth(1.3, 3.4, dist)
    img = mix(img, (0.45, 0.385, 0.30), 0.85 * joint)
    stain = smooth(0.8, 2.4, noise(n, rng, 1.6, 1, 60, (1.0, 0.2)))
    return mix(img, img * np.array([0.72, 0.70, 0.66]), 0.7 * stain)


def limestone():
    """Smooth dressed stone for steps, sills, columns, 512 pixels for 2 m."""
    n, rng = 512, rng_for("limestone")
    v = 1 + 0.030 * noise(n, rng, 1.7, 1, 30) + 0.032 * noise(n, rng, 0.8, 16)
    img = np.array([0.80, 0.735, 0.635]) * v[..., None]
    vein = 1 - smooth(0.0, 0.05, np.abs(noise(n, rng, 1.9, 1, 60)))
    img = img * (1 - 0.06 * vein)[..., None]
    pits = smooth(1.6, 2.4, noise(n, rng, 0.5, 50))
    return img * (1 - 0.22 * pits)[..., None]


def roof():
    """Barrel tiles, 512 pixels for 2.4 m; the slope's upper end is the top row."""
    n, rng = 512, rng_for("roof")
    cols, rows = 10, 6
    y, x = np.mgrid[0:n, 0:n].astype(np.float64)
    cx = x / n * cols
    ci = np.floor(cx).astype(int)
    shift = (rng.random(cols) * 0.22 - 0.11)[ci]
    cy = (y / n * rows + shift) % rows
    ri = np.floor(cy).astype(int)
    fx, fy = cx - ci, cy - ri
    cover = np.abs(fx - 0.5) < 0.33
    arch = np.where(cover, np.sqrt(np.clip(1 - ((fx - 0.5) / 0.34) ** 2, 0, 1)), 0.0)
    who = np.where(cover, ri * cols + ci, cols * rows + ri * cols + (np.floor(cx + 0.5).astype(int) % cols))
    img = tone(who, 2 * cols * rows, rng, (0.74, 0.455, 0.325), 0.14, 0.06)
    pale = rng.random(2 * cols * rows)[who] > 0.86
    img = np.where(pale[..., None], img * np.array([1.05, 1.2, 1.3]), img)
    light = np.where(cover, 0.62 + 0.46 * arch * (0.80 + 0.45 * (0.5 - fx)), 0.46 + 0.10 * np.cos(fx * 2 * np.pi))
    img = img * light[..., None]
    lip = smooth(0.0, 0.15, fy)
    img = img * (0.55 + 0.45 * lip)[..., None]
    img = img * (1 + 0.10 * smooth(0.86, 0.96, fy) * cover)[..., None]
    img = img * (1 + 0.06 * noise(n, rng, 1.0, 8) + 0.06 * noise(n, rng, 1.8, 1, 12))[..., None]
    lichen = smooth(1.3, 2.0, noise(n, rng, 1.2, 6))
    return mix(img, (0.60, 0.54, 0.38), 0.35 * lichen * cover)


def wood():
    """Planks along the vertical axis, 512 pixels for 1.6 m, neutral brown (tinted)."""
    n, rng = 512, rng_for("wood")
    y, x = np.mgrid[0:n, 0:n].astype(np.float64)
    planks = 8
    px = x / n * planks
    pi = np.floor(px).astype(int)
    fx = px - pi
    grain = np.zeros((n, n))
    for p in range(planks):
        g = noise(n, rng, 1.3, 3, 260, (1.0, 0.06))
        grain = np.where(pi == p, np.roll(g, p * 37, 0), grain)
    img = tone(pi, planks, rng, (0.66, 0.47, 0.30), 0.10, 0.04)
    img = img * (1 + 0.11 * grain)[..., None]
    gap = 1 - smooth(0.0, 0.045, np.minimum(fx, 1 - fx))
    img = img * (1 - 0.72 * gap)[..., None]
    return img * (1 + 0.04 * noise(n, rng, 1.5, 2, 60))[..., None]


def foliage():
    """Clumps of leaves, 512 pixels for 1.5 m."""
    n, rng = 512, rng_for("foliage")
    img = np.array([0.22, 0.25, 0.13]) * np.ones((n, n, 3))
    for layer, k in enumerate((26, 30, 24, 28)):
        f1, _, who = cells(n, k, rng, 0.98)
        ang = (rng.random(k * k) * np.pi)[who]
        keep = (rng.random(k * k) < 0.72)[who]
        leaf = (f1 < 0.40 + 0.06 * np.sin(ang * 7)) & keep
        base = np.array([0.42, 0.46, 0.22]) * (0.74 + 0.20 * layer)
        col = tone(who, k * k, rng, base, 0.16, 0.12) * (1.15 - 0.75 * f1)[..., None]
        shade = np.roll(np.roll(leaf, 4, 0), 3, 1) & ~leaf
        img = np.where(shade[..., None], img * 0.62, img)
        img = np.where(leaf[..., None], col, img)
    return img * (1 + 0.10 * noise(n, rng, 1.6, 1, 12))[..., None]


def grass():
    """Dry grass with herbs, 512 pixels for 4 m."""
    n, rng = 512, rng_for("grass")
    a = noise(n, rng, 1.0, 4, 256, (1.0, 0.5))
    b = noise(n, rng, 1.7, 1, 20)
    img = mix((0.44, 0.43, 0.22), (0.54, 0.49, 0.28), smooth(-1.6, 1.8, b))
    img = img * (1 + 0.13 * a)[..., None]
    return img * relief(a * 0.7, 0.10)[..., None]


def soil():
    """Raked soil and gravel, 256 pixels for 1 m."""
    n, rng = 256, rng_for("soil")
    f1, _, who = cells(n, 26, rng, 0.9)
    img = tone(who, 676, rng, (0.36, 0.27, 0.19), 0.18, 0.06)
    return img * (1.18 - 0.5 * f1)[..., None]


def water():
    """Green-blue water with soft caustics, 512 pixels for 4 m."""
    n, rng = 512, rng_for("water")
    f1, f2, _ = cells(n, 9, rng, 0.95)
    line = 1 - smooth(0.0, 0.24, f2 - f1 + 0.05 * noise(n, rng, 1.7, 3))
    deep = noise(n, rng, 1.8, 1, 16)
    img = mix((0.16, 0.37, 0.39), (0.22, 0.47, 0.46), smooth(-1.4, 1.4, deep))
    img = mix(img, (0.46, 0.66, 0.62), 0.36 * line)
    return img * (1 + 0.03 * noise(n, rng, 1.1, 6, 200, (1.0, 0.4)))[..., None]


def stripes():
    """Awning cloth: broad stripes with a weave, 256 pixels for 1.2 m (neutral red and cream)."""
    n, rng = 256, rng_for("stripes")
    y, x = np.mgrid[0:n, 0:n]
    on = ((x // 32) % 2).astype(float)
    on = (on + np.roll(on, 1, 1) + np.roll(on, -1, 1)) / 3
    img = mix((0.90, 0.84, 0.71), (0.70, 0.22, 0.16), on)
    weave = 1 + 0.025 * (((x + y) % 4) < 2) + 0.03 * noise(n, rng, 1.4, 2)
    return img * weave[..., None]


def cloth():
    """Plain linen, 256 pixels for 1.2 m (tinted)."""
    n, rng = 256, rng_for("cloth")
    y, x = np.mgrid[0:n, 0:n]
    v = 0.88 + 0.03 * (((x // 2 + y // 2) % 2) == 0) + 0.02 * noise(n, rng, 1.4, 2)
    fold = 0.06 * np.sin(2 * np.pi * 5 * x / n + 0.6 * np.sin(2 * np.pi * y / n))
    return np.stack([v + fold, v * 0.98 + fold, v * 0.94 + fold], -1)


def window():
    """A wooden casement with six panes, one window per image."""
    h, w, rng = 256, 256, rng_for("window")
    n = 256
    y, x = np.mgrid[0:h, 0:w].astype(float)
    sky = np.clip(1.0 - y / h, 0, 1)
    glass = mix((0.085, 0.095, 0.11), (0.25, 0.30, 0.34), smooth(0.1, 1.0, sky + 0.18 * noise(n, rng, 1.9, 1, 8)))
    diag = smooth(0.25, 0.32, ((x + y * 0.6) / w) % 1.0) * (1 - smooth(0.40, 0.47, ((x + y * 0.6) / w) % 1.0))
    glass = glass * (1 + 0.30 * diag)[..., None]
    cur = (np.abs(x - w / 2) > 78 + 8 * np.sin(y / 23)) & (y < 235)
    glass = np.where(cur[..., None], glass * 0.5 + np.array([0.26, 0.25, 0.22]), glass)
    bar = np.zeros((h, w), bool)
    bar |= (x < 14) | (x > w - 15) | (y < 14) | (y > h - 15)
    bar |= np.abs(x - w / 2) < 9
    bar |= (np.abs(y - 88) < 4.5) | (np.abs(y - 168) < 4.5)
    paint = np.array([0.83, 0.79, 0.70]) * (1 + 0.04 * noise(n, rng, 1.4, 3, 100, (0.2, 1)))[..., None]
    shade = np.roll(bar, 5, 0) & ~bar | np.roll(bar, 4, 1) & ~bar
    out = np.where(shade[..., None], glass * 0.55, glass)
    return np.where(bar[..., None], paint, out)


def door():
    """A panelled door with a transom light and iron fittings, one door per image."""
    n, rng = 512, rng_for("door")
    y, x = np.mgrid[0:n, 0:n].astype(float)
    u, v = x / n, y / n
    grain = noise(n, rng, 1.3, 3, 260, (1.0, 0.06))
    img = np.array([0.60, 0.42, 0.27]) * (1 + 0.10 * grain)[..., None]
    light = np.ones((n, n))
    for x0, x1 in ((0.07, 0.46), (0.54, 0.93)):
        for y0, y1 in ((0.24, 0.50), (0.54, 0.70), (0.74, 0.95)):
            d = np.minimum(np.minimum(u - x0, x1 - u), np.minimum(v - y0, y1 - v))
            inside = d > 0
            top = inside & (d < 0.022) & ((v - y0 < 0.03) | (u - x0 < 0.03))
            low = inside & (d < 0.022) & ~top
            light = np.where(top, 0.55, np.where(low, 1.22, light))
            light = np.where(inside & (d > 0.04), light * 1.06, light)
    light = np.where(np.abs(u - 0.5) < 0.006, 0.35, light)
    light = np.where((u < 0.03) | (u > 0.97) | (v < 0.03), 0.72, light)
    img = img * light[..., None]
    transom = (v > 0.05) & (v < 0.19) & (u > 0.06) & (u < 0.94)
    bars = (np.abs((u - 0.06) / 0.88 * 4 - np.round((u - 0.06) / 0.88 * 4)) < 0.05)
    img = np.where(transom[..., None], np.where(bars[..., None], img * 0.8, np.array([0.13, 0.15, 0.17])), img)
    img = np.where(((np.abs(v - 0.20) < 0.015))[..., None], img * 0.75, img)
    for cx in (0.455, 0.545):
        r = np.hypot(u - cx, (v - 0.60))
        img = np.where((r < 0.018)[..., None], np.array([0.60, 0.48, 0.22]) * (1.3 - 20 * r)[..., None], img)
    return np.clip(img, 0, 1)


def shutter():
    """Louvred shutter leaf in a neutral light tone (tinted), one leaf per image."""
    n, rng = 256, rng_for("shutter")
    y, x = np.mgrid[0:n, 0:n].astype(float)
    v = np.full((n, n), 0.86) + 0.035 * noise(n, rng, 1.3, 3, 120, (0.2, 1))
    slat = (y / n * 26) % 1.0
    louver = (x > 30) & (x < n - 31) & (((y > 20) & (y < 120)) | ((y > 136) & (y < 236)))
    v = np.where(louver, v * (0.50 + 0.55 * slat), v)
    d = np.minimum(np.minimum(x, n - 1 - x), np.minimum(y, n - 1 - y))
    v = np.where(d < 4, v * 0.72, v)
    wear = smooth(1.3, 2.2, noise(n, rng, 1.4, 3))
    img = np.stack([v, v, v], -1)
    return mix(img, (0.72, 0.64, 0.54), 0.35 * wear)


def fruit():
    """Piled fruit, 256 pixels for 0.6 m (tinted orange to green)."""
    n, rng = 256, rng_for("fruit")
    f1, f2, who = cells(n, 8, rng, 0.45)
    img = tone(who, 64, rng, (0.90, 0.56, 0.17), 0.09, 0.12)
    img = img * (1.15 - 0.95 * f1 ** 1.6)[..., None]
    img = img * (0.45 + 0.55 * smooth(0.0, 0.22, f2 - f1))[..., None]
    return img


ALL = {
    f.__name__: f
    for f in (paving, cobble, plaster, stone, limestone, roof, wood, foliage, grass, soil, water,
              stripes, cloth, window, door, shutter, fruit)
}
QUALITY = {"paving": 80, "cobble": 78, "foliage": 80}


def write(name, folder, quality=None, file_format="JPEG", size=None):
    """Generates texture `name` (or takes it from the folder if present) and returns its path."""
    import bpy

    ext = "jpg" if file_format == "JPEG" else "png"
    path = os.path.join(folder, f"{name}.{ext}")
    pixels = np.clip(ALL[name](), 0, 1).astype(np.float32)
    if size:
        step = pixels.shape[0] // size
        pixels = pixels.reshape(size, step, size, step, 3).mean((1, 3))
    h, w, _ = pixels.shape
    img = bpy.data.images.new(name, w, h, alpha=False)
    img.colorspace_settings.name = "sRGB"
    rgba = np.ones((h, w, 4), np.float32)
    rgba[..., :3] = pixels[::-1]
    img.pixels.foreach_set(rgba.ravel())
    img.file_format = file_format
    img.save(filepath=path, quality=quality or QUALITY.get(name, 82))
    bpy.data.images.remove(img)
    return path


if __name__ == "__main__":
    import sys

    os.makedirs(sys.argv[1], exist_ok=True)
    for key in sys.argv[2:] or ALL:
        p = write(key, sys.argv[1])
        print(key, os.path.getsize(p))
