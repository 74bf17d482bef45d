"""Renders previews of a level with Cycles on the CPU.

    python3 render_preview.py MODEL OUT_FOLDER [VIEW...] [--samples N] [--size WxH] [--plain]

VIEW is NAME:x,y,z:tx,ty,tz:lens_mm in the level's (glTF) frame. `--plain` ignores the baked light.
"""
import math
import sys

import bpy
from mathutils import Vector

VIEWS = {
    "hero": ((-11.6, 4.0, 11.2), (4.8, 1.7, -6.0), 20),
    "street": ((4.5, 1.7, 27.5), (-12.0, 2.6, 26.0), 22),
    "bridge": ((21.5, -1.8, 17.5), (23.0, -0.6, -2.0), 26),
    "stairs": ((3.0, 1.7, -3.0), (-0.5, 4.5, -20.0), 22),
    "top": ((1.0, 95.0, 45.0), (1.0, 0.0, 2.0), 32),
    "east": ((31.0, 2.2, 6.5), (16.0, 1.0, -6.0), 22),
    "west": ((-28.0, 1.7, 20.0), (-28.0, 2.4, -20.0), 24),
    "terrace": ((-16.5, 4.2, -25.5), (6.0, 3.0, -18.0), 22),
}


def to_blender(p):
    return Vector((p[0], -p[2], p[1]))


def main():
    args, opts, skip = [], {}, False
    for i, a in enumerate(sys.argv[1:]):
        if skip:
            skip = False
        elif a in ("--samples", "--size"):
            opts[a] = sys.argv[i + 2]
            skip = True
        elif a.startswith("--"):
            opts[a] = True
        else:
            args.append(a)
    model, folder, names = args[0], args[1], args[2:] or list(VIEWS)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if model.endswith(".fbx"):
        bpy.ops.import_scene.fbx(filepath=model)
    elif model.endswith(".obj"):
        bpy.ops.wm.obj_import(filepath=model)
    else:
        bpy.ops.import_scene.gltf(filepath=model)
    for mat in bpy.data.materials:
        if not mat.use_nodes or "--plain" in opts:
            continue
        tree = mat.node_tree
        bsdf = next((n for n in tree.nodes if n.type == "BSDF_PRINCIPLED"), None)
        if bsdf is None or any(n.type == "VERTEX_COLOR" for n in tree.nodes):
            continue
        vc = tree.nodes.new("ShaderNodeVertexColor")
        mixn = tree.nodes.new("ShaderNodeMix")
        mixn.data_type, mixn.blend_type = "RGBA", "MULTIPLY"
        mixn.inputs[0].default_value = 1.0
        base = bsdf.inputs["Base Color"]
        if base.links:
            tree.links.new(base.links[0].from_socket, mixn.inputs[6])
        else:
            mixn.inputs[6].default_value = base.default_value
        tree.links.new(vc.outputs[0], mixn.inputs[7])
        tree.links.new(mixn.outputs[2], base)
    scene = bpy.context.scene
    world = bpy.data.worlds.new("w")
    scene.world = world
    world.use_nodes = True
    bg = world.node_tree.nodes["Background"]
    bg.inputs[0].default_value = (0.45, 0.62, 0.90, 1)
    bg.inputs[1].default_value = 0.9
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.data.color = 4.2, math.radians(0.8), (1.0, 0.90, 0.74)
    az, el = math.radians(228), math.radians(50)  # as in config/plaza.acfg: 0 = from the east, 90 = from the north
    d = -to_blender((math.cos(az) * math.cos(el), math.sin(el), -math.sin(az) * math.cos(el)))
    sun.rotation_euler = d.to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(sun)
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = int(opts.get("--samples", 16))
    scene.cycles.max_bounces = 3
    scene.cycles.use_denoising = True
    scene.render.threads_mode, scene.render.threads = "FIXED", 2
    w, h = (int(v) for v in opts.get("--size", "960x540").split("x"))
    scene.render.resolution_x, scene.render.resolution_y = w, h
    scene.view_settings.view_transform = "AgX" if "AgX" in bpy.types.ColorManagedViewSettings.bl_rna.properties["view_transform"].enum_items.keys() else "Standard"
    scene.view_settings.look = "None"
    cam = bpy.data.objects.new("cam", bpy.data.cameras.new("cam"))
    cam.data.clip_end = 500
    scene.collection.objects.link(cam)
    scene.camera = cam
    for n in names:
        if ":" in n:
            n, a, b, lens = n.split(":")
            view = ([float(v) for v in a.split(",")], [float(v) for v in b.split(",")], float(lens))
        else:
            view = VIEWS[n]
        cam.location = to_blender(view[0])
        cam.rotation_euler = (to_blender(view[1]) - cam.location).to_track_quat("-Z", "Y").to_euler()
        cam.data.lens = view[2]
        scene.render.filepath = f"{folder}/{n}.png"
        bpy.ops.render.render(write_still=True)


main()
