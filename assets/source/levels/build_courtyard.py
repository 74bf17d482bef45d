"""Generates courtyard.fbx, a small walled courtyard with a gallery, through Blender's FBX exporter.

    python3 build_courtyard.py [OUTPUT_FOLDER]

Textures are 256-pixel JPEG files beside the level, referenced by relative paths.
"""
import math
import os
import sys

import bpy
import numpy as np

import palette  # noqa: F401
import props as pr
import textures as tx
from buildings import UNIT, bar, grid, intrados, reveal, spandrel, voussoirs
from townkit import MATERIALS, Ground, Mesh, Node, rot_y, srgb, translate

if os.environ.get("PYTHONHASHSEED") != "0":  # the exporter derives its object numbers from hashes
    os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, "PYTHONHASHSEED": "0"})

HERE = os.path.dirname(os.path.abspath(__file__))
root = Node("courtyard")
ground = Ground(1.8, "courtyard")
GALLERY = 3.2
TEXTURES = ("stone", "wood", "paving", "window")


def rect(x0, x1, z0, z1):
    return [(x0, z1), (x1, z1), (x1, z0), (x0, z0)]


def box(parent, name, x0, x1, y0, y1, z0, z1, mat, skip="d", hole=True, top=None):
    m = Mesh()
    m.box(x0, x1, y0, y1, z0, z1, mat, skip=skip, top=top)
    parent.add(name, m)
    if hole:
        ground.obstacle(rect(x0, x1, z0, z1))


def floors():
    """Court x -10..10, z -8..8 at 0; dais in the east at 0.96, reached by stairs and a ramp."""
    g = ground
    g.region(rect(-10, 10, -8, 8), 0.0, "paving", "floor")
    g.region(rect(6, 10, -8, 8), 0.96, "paving", "floor", "stone_wall")
    for i in range(1, 6):  # stairs to the dais
        g.region(rect(6 - 0.3 * (6 - i), 6 - 0.3 * (5 - i), 1.0, 4.0), round(0.16 * i, 4), "stone_pale", "floor", "stone_wall")
    # ramp to the dais, 13.5 degrees
    g.region(rect(2, 6, -5.6, -3.4), (0.96 - 0.24 * 6, 0.24, 0.0), "paving", "floor", "stone_wall")
    # stairs to the gallery along the north wall: 20 risers of 0.16, from x 2.5 west to x -3.2
    for i in range(1, 20):
        g.region(rect(2.5 - 0.3 * i, 2.5 - 0.3 * (i - 1), -8, -6.2), round(0.16 * i, 4), "stone_pale", "floor", "stone_wall")


def gallery():
    """Upper floor x -10..-6.2 (all z) and x -6.2..-3.2 at the stair head; open below, on square piers."""
    top = Ground(1.8, "gallery")
    top.region(rect(-10, -6.2, -8, 8), GALLERY, "wood", "gallery")
    top.region(rect(-6.2, -3.2, -8, -6.2), GALLERY, "wood", "gallery")
    rails = [(-6.35, -6.2, -6.2, 8.0), (-6.2, -3.2, -6.35, -6.2)]
    for r in rails:
        top.obstacle(rect(*r))
    for name, mesh in top.build().items():
        root.add(name, mesh)
    m = Mesh()
    t = 0.3
    # edge beams and the ceiling below
    m.quad((-6.2, GALLERY - t, 8), (-6.2, GALLERY - t, -6.2), (-6.2, GALLERY, -6.2), (-6.2, GALLERY, 8), "wood")
    m.quad((-6.2, GALLERY - t, -6.2), (-3.2, GALLERY - t, -6.2), (-3.2, GALLERY, -6.2), (-6.2, GALLERY, -6.2), "wood")
    m.quad((-3.2, GALLERY - t, -6.2), (-3.2, GALLERY - t, -8), (-3.2, GALLERY - 0.16, -8), (-3.2, GALLERY - 0.16, -6.2), "wood")
    m.quad((-10, GALLERY - t, -8), (-6.2, GALLERY - t, -8), (-6.2, GALLERY - t, 8), (-10, GALLERY - t, 8), "wood_dark")
    m.quad((-6.2, GALLERY - t, -8), (-3.2, GALLERY - t, -8), (-3.2, GALLERY - t, -6.2), (-6.2, GALLERY - t, -6.2), "wood_dark")
    root.add("gallery_beams", m)
    n = root.add("railings")
    for i, r in enumerate(rails):
        box(n, f"rail_{i}", r[0], r[1], GALLERY, GALLERY + 0.95, r[2], r[3], "wood_dark", skip="d", hole=False)
    # the stairs' outer side: a parapet that follows them
    m = Mesh()
    a, b, w = 2.5, -3.2, 0.18
    ya, yb, h = 0.16, GALLERY, 0.9
    z0, z1 = -6.2, -6.2 + w
    m.quad((b, 0, z1), (a, 0, z1), (a, ya + h, z1), (b, yb + h, z1), "stone_wall")
    m.quad((a, 0, z0), (b, 0, z0), (b, yb + h, z0), (a, ya + h, z0), "stone_wall")
    m.quad((b, yb + h, z1), (a, ya + h, z1), (a, ya + h, z0), (b, yb + h, z0), "limestone")
    m.quad((a, 0, z1), (a, 0, z0), (a, ya + h, z0), (a, ya + h, z1), "stone_wall")
    m.quad((b, 0, z0), (b, 0, z1), (b, yb + h, z1), (b, yb + h, z0), "stone_wall")
    n.add("stair_parapet", m)
    ground.obstacle(rect(b, a, z0, z1))
    for i, z in enumerate((-5.0, -1.0, 3.0, 7.0)):
        box(root, f"pier_{i}", -6.6, -6.2, 0, GALLERY - t, z - 0.2, z + 0.2, "limestone", skip="du")


def walls():
    n = root.add("walls")
    m = Mesh()
    h = 6.0
    for p, w in (((-10, -8), 20.0), ((10, -8), 16.0), ((10, 8), 20.0), ((-10, 8), 16.0)):
        yaw = {(-10, -8): 0.0, (10, -8): -math.pi / 2, (10, 8): math.pi, (-10, 8): math.pi / 2}[p]
        with m.at(translate(p[0], 0, p[1]) @ rot_y(yaw)):
            holes, us = [], [0, w]
            for c in np.arange(2.0, w - 1, 4.0):
                holes.append((c - 0.5, c + 0.5, 4.0, 5.4))
                us += [c - 0.5, c + 0.5]
            grid(m, us, [-0.1, 2.0, 4.0, 5.4, h], holes, "plaster_cream")
            for o in holes:
                reveal(m, *o, 0.2, "limestone")
                m.quad((o[0], o[2], -0.2), (o[1], o[2], -0.2), (o[1], o[3], -0.2), (o[0], o[3], -0.2), "window", uv=UNIT)
                bar(m, o[0] - 0.1, o[1] + 0.1, o[2] - 0.12, o[2], 0.1, "limestone")
            bar(m, 0, w, h - 0.25, h, 0.15, "limestone", skip="nwe")
            m.quad((0, h, 0.15), (w, h, 0.15), (w, h, -0.4), (0, h, -0.4), "limestone")
            # the outer face, without which light would find its way in at the corners
            m.quad((w + 0.4, -0.6, -0.4), (-0.4, -0.6, -0.4), (-0.4, h, -0.4), (w + 0.4, h, -0.4), "plaster_cream")
    n.add("enclosure", m)
    # a free-standing arch across the court at x = -1.6
    m = Mesh()
    x0, x1, z0, z1 = -1.9, -1.3, -6.02, 8.0
    w = z1 - z0
    us = (w - 3.2) / 2
    for x, yaw, z in ((x1, math.pi / 2, z1), (x0, -math.pi / 2, z0)):
        with m.at(translate(x, 0, z) @ rot_y(yaw)):
            pts = spandrel(m, us, w - us, 2.4, 4.4, "stone_wall", 8, rise=1.3)
            for a in (0.0, w - us):
                m.quad((a, 0, 0), (a + us, 0, 0), (a + us, 4.4, 0), (a, 4.4, 0), "stone_wall")
            voussoirs(m, us, w - us, 2.4, 1.3, 0.3, 0.06, 8)
            if yaw > 0:
                intrados(m, pts, x1 - x0, "limestone")
                for a, s in ((us, 1), (w - us, -1)):
                    q = [(a, 0, 0), (a, 0, -0.6), (a, 2.4, -0.6), (a, 2.4, 0)]
                    m.poly(q if s > 0 else q[::-1], "stone_wall")
                m.quad((0, 4.4, 0), (w, 4.4, 0), (w, 4.4, -0.6), (0, 4.4, -0.6), "limestone")
    m.quad((x1, 0, z0), (x0, 0, z0), (x0, 4.4, z0), (x1, 4.4, z0), "stone_wall")
    n.add("arch", m)
    ground.obstacle(rect(x0, x1, z0, z0 + us))
    ground.obstacle(rect(x0, x1, z1 - us, z1))


# Lanterns by the plan: place of the bracket, heading of the wall's outside, radians from +z to +x.
LANTERNS = (
    (-1.3, 2.75, -1.5, math.pi / 2), (-1.3, 2.75, 3.5, math.pi / 2), (-1.9, 2.75, -1.5, -math.pi / 2), (-1.9, 2.75, 3.5, -math.pi / 2),
    (-6.2, 2.7, 7.0, math.pi / 2), (10.0, 3.6, -4.0, -math.pi / 2), (10.0, 3.6, 4.0, -math.pi / 2), (3.0, 3.2, 8.0, math.pi), (7.6, 3.6, 8.0, math.pi),
    (6.0, 3.4, -8.0, 0.0), (-8.2, 2.75, 8.0, math.pi), (-10.0, 5.75, -2.0, math.pi / 2), (-10.0, 5.75, 6.0, math.pi / 2), (-10.0, 2.75, -6.0, math.pi / 2),
)


def lanterns():
    n = root.add("lanterns")
    for i, (x, y, z, yaw) in enumerate(LANTERNS):
        n.add(f"lantern_{i}", pr.lantern(), pos=(x, y, z), yaw=yaw)


def crates():
    n = root.add("crates")
    for i, (x, z, y, s, yaw) in enumerate(((4.4, 6.6, 0, 0.9, 0.3), (5.3, 7.2, 0, 0.8, 0.0), (4.5, 6.65, 0.9, 0.6, 0.8), (-8.8, -6.4, 0, 0.9, 0.2), (-8.9, 6.0, 0, 0.8, 0.5),
                                           (0.8, -4.8, 0, 0.8, 0.4), (8.8, -6.9, 0.96, 0.9, 0.1))):
        m = Mesh()
        h = s / 2
        m.box(-h, h, 0, s, -h, h, "wood", skip="d" if y == 0 else "")
        n.add(f"crate_{i}", m, pos=(x, y, z), yaw=yaw)
        if y in (0, 0.96):
            c, k = math.cos(yaw), math.sin(yaw)
            ground.obstacle([(x + a * c + b * k, z - a * k + b * c) for a, b in ((-h, h), (h, h), (h, -h), (-h, -h))])


def to_blender(folder):
    """Turns the tree into Blender objects (Z up); meshes keep their own transforms."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mats = {}
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)

    def material(name):
        if name in mats:
            return mats[name]
        src = MATERIALS[name]
        mat = bpy.data.materials.new(name)
        mat.use_nodes = True
        bsdf = mat.node_tree.nodes["Principled BSDF"]
        bsdf.inputs["Roughness"].default_value = src.rough
        tint = (0.80, 0.735, 0.635) if src.texture == "limestone" else src.tint
        bsdf.inputs["Base Color"].default_value = srgb(*tint) + [1.0]
        if src.emissive:
            bsdf.inputs["Emission Color"].default_value = srgb(*src.emissive) + [1.0]
            bsdf.inputs["Emission Strength"].default_value = 1.0
        if src.texture in TEXTURES:
            node = mat.node_tree.nodes.new("ShaderNodeTexImage")
            path = os.path.join(folder, f"courtyard_{src.texture}.jpg")
            node.image = bpy.data.images.load(path, check_existing=True)
            mat.node_tree.links.new(node.outputs["Color"], bsdf.inputs["Base Color"])
        mats[name] = mat
        return mat

    def make(node, parent):
        if node.mesh:
            names = sorted(node.mesh.prims)
            verts, faces, uvs, slot, cols, base = [], [], [], [], [], 0
            for k, mat in enumerate(names):
                p, _, uv, s, t, _ = node.mesh.arrays(mat)
                verts += (p @ turn.T).tolist()
                faces += (t + base).tolist()
                uvs.append(uv[t.ravel()])
                cols.append(s[t.ravel()])
                slot += [k] * len(t)
                base += len(p)
            me = bpy.data.meshes.new(node.name)
            me.from_pydata(verts, [], faces)
            layer = me.uv_layers.new(name="UVMap")
            uv = np.concatenate(uvs)
            uv[:, 1] = 1 - uv[:, 1]
            layer.data.foreach_set("uv", uv.ravel())
            for mat in names:
                me.materials.append(material(mat))
            me.polygons.foreach_set("material_index", slot)
            obj = bpy.data.objects.new(node.name, me)
        else:
            obj = bpy.data.objects.new(node.name, None)
        bpy.context.scene.collection.objects.link(obj)
        obj.location = turn @ np.array(node.pos, float)
        obj.rotation_euler = (0, 0, node.yaw)
        obj.parent = parent
        for c in node.children:
            make(c, obj)

    make(root, None)


def fix_export_stamps():
    """Gives every export the same time stamp, and images without folders."""
    import datetime
    import types

    from io_scene_fbx import export_fbx_bin

    class Fixed(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 1, tzinfo=tz)

    export_fbx_bin.datetime = types.SimpleNamespace(datetime=Fixed)
    export_fbx_bin._gen_vid_path = lambda img, scene_data: (os.path.basename(img.filepath),) * 2


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.normpath(os.path.join(HERE, "../../levels"))
    for name in TEXTURES:
        made = tx.write(name, "/tmp", size=256, quality=80)
        os.replace(made, os.path.join(folder, f"courtyard_{name}.jpg"))
    gallery()
    walls()
    crates()
    lanterns()
    floors()
    for name, mesh in sorted(ground.build().items()):
        root.add("ground_" + name, mesh)
    to_blender(folder)
    out = os.path.join(folder, "courtyard.fbx")
    fix_export_stamps()
    bpy.ops.export_scene.fbx(filepath=out, use_selection=False, apply_unit_scale=True, apply_scale_options="FBX_SCALE_ALL", axis_forward="-Z", axis_up="Y",
                             mesh_smooth_type="FACE", path_mode="STRIP", bake_anim=False, use_custom_props=False)
    print({"bytes": os.path.getsize(out), "triangles": sum(n.mesh.tri_count() for n, _ in root.walk() if n.mesh)})


main()
