"""Renders contact sheets of a person with Blender's `bpy` package, to look at.

Usage: python3 preview.py PERSON.glb OUT.png CLIP FRAME[,FRAME…] [AZIMUTH_DEG]
       python3 preview.py PERSON.glb OUT.png face
"""

import math
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image


def stage():
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 12
    scene.render.fps = 30
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.55, 0.65, 0.8, 1)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 3
    sun.rotation_euler = (0.8, 0.2, 0.6)
    scene.collection.objects.link(sun)
    bpy.ops.mesh.primitive_plane_add(size=20)
    return scene


def aim(scene, center, distance, lens, azimuth):
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = lens
    scene.collection.objects.link(camera)
    scene.camera = camera
    center = Vector(center)
    camera.location = center + Vector((math.sin(azimuth) * distance, -math.cos(azimuth) * distance, distance * 0.05))
    camera.rotation_euler = (center - camera.location).to_track_quat("-Z", "Y").to_euler()


def shot(scene):
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "shot.png")
        bpy.ops.render.render(write_still=True)
        return np.asarray(Image.open(scene.render.filepath).convert("RGB"))


def play(armature, clip):
    data = armature.animation_data or armature.animation_data_create()
    for track in data.nla_tracks:
        track.mute = True
    data.action = next(a for a in bpy.data.actions if a.name.split("_")[0] == clip)
    if data.action.slots:
        data.action_slot = data.action.slots[0]


def faces(scene):
    keys = next(o for o in scene.objects if o.type == "MESH" and o.data.shape_keys).data.shape_keys.key_blocks
    for name in (None, "angry", "worried", "surprised", "happy"):
        for key in keys:
            key.value = float(key.name == name)
        yield shot(scene)


def main(person, out, clip, frames="0", azimuth="25"):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=person)
    scene = stage()
    armature = next(o for o in scene.objects if o.type == "ARMATURE")
    if clip == "face":
        play(armature, "Idle")
        scene.render.resolution_x, scene.render.resolution_y = 300, 320
        aim(scene, (0, 0, 1.62), 0.95, 70, math.radians(float(azimuth)))
        tiles = list(faces(scene))
    else:
        play(armature, clip)
        scene.render.resolution_x, scene.render.resolution_y = 230, 400
        aim(scene, (0, 0, 0.9), 5.0, 60, math.radians(float(azimuth)))
        tiles = []
        for frame in frames.split(","):
            scene.frame_set(int(frame))
            tiles.append(shot(scene))
    Image.fromarray(np.concatenate(tiles, 1)).save(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
