"""Materials shared by the levels and props."""
from townkit import material

WALLS = {
    "cream": (0.96, 0.88, 0.72), "ochre": (0.93, 0.74, 0.47), "rose": (0.92, 0.68, 0.56), "terracotta": (0.84, 0.56, 0.42),
    "white": (0.97, 0.94, 0.88), "honey": (0.95, 0.81, 0.56), "peach": (0.96, 0.77, 0.62), "sage": (0.80, 0.81, 0.68),
}
PAINT = {
    "green": (0.36, 0.50, 0.40), "blue": (0.42, 0.56, 0.66), "brown": (0.56, 0.38, 0.26), "teal": (0.30, 0.50, 0.50),
    "olive": (0.55, 0.56, 0.38), "red": (0.62, 0.28, 0.22),
}

for _k, _c in WALLS.items():
    material("plaster_" + _k, "plaster", _c, 0.92, 4.0)
for _k, _c in PAINT.items():
    material("shutter_" + _k, "shutter", _c, 0.7, None)
    material("paint_" + _k, "wood", tuple(min(1.0, c * 1.5) for c in _c), 0.7, 1.6)
material("paving", "paving", (1.0, 0.96, 0.89), 0.82, 4.0)
material("paving_warm", "paving", (1.0, 0.94, 0.85), 0.85, 4.0)
material("cobble", "cobble", (1, 1, 1), 0.88, 3.0)
material("cobble_dark", "cobble", (0.86, 0.84, 0.80), 0.85, 3.0)
material("limestone", "limestone", (1, 1, 1), 0.8, 2.0)
material("limestone_dark", "limestone", (0.84, 0.80, 0.74), 0.85, 2.0)
material("stone_wall", "stone", (1, 1, 1), 0.92, 2.4)
material("stone_pale", "stone", (1.0, 0.98, 0.94), 0.92, 2.4)
material("stone_dark", "stone", (0.80, 0.79, 0.76), 0.9, 2.4)
material("roof", "roof", (1, 1, 1), 0.85, 2.4)
material("roof_old", "roof", (0.96, 1.0, 0.92), 0.88, 2.4)
material("roof_dark", "roof", (0.80, 0.76, 0.76), 0.88, 2.4)
material("wood", "wood", (1, 1, 1), 0.8, 1.6)
material("wood_dark", "wood", (0.55, 0.48, 0.42), 0.82, 1.6)
material("wood_pale", "wood", (1.0, 1.0, 0.95), 0.8, 1.6)
material("bark", "wood", (0.62, 0.56, 0.50), 0.95, 1.0)
material("foliage", "foliage", (1, 1, 1), 0.95, 1.5)
material("foliage_dark", "foliage", (0.68, 0.80, 0.72), 0.95, 1.5)
material("foliage_pale", "foliage", (1.0, 0.98, 0.80), 0.95, 1.5)
material("flowers", "foliage", (1.0, 0.50, 0.55), 0.9, 0.9)
material("grass", "grass", (1, 1, 1), 0.95, 4.0)
material("soil", "soil", (1, 1, 1), 0.95, 1.0)
material("water", "water", (1, 1, 1), 0.18, 4.0)
material("window", "window", (1, 1, 1), 0.35, None)
material("door_oak", "door", (1, 1, 1), 0.7, None)
material("door_green", "door", (0.50, 0.72, 0.62), 0.7, None)
material("door_blue", "door", (0.52, 0.72, 0.95), 0.7, None)
material("door_dark", "door", (0.62, 0.52, 0.48), 0.7, None)
material("stripes", "stripes", (1, 1, 1), 0.9, 1.2)
material("stripes_blue", "stripes", (0.60, 0.85, 1.0), 0.9, 1.2)
material("stripes_gold", "stripes", (1.0, 1.0, 0.55), 0.9, 1.2)
material("cloth_white", "cloth", (1, 1, 0.98), 0.9, 1.2)
material("cloth_blue", "cloth", (0.50, 0.64, 0.80), 0.9, 1.2)
material("cloth_red", "cloth", (0.82, 0.36, 0.30), 0.9, 1.2)
material("cloth_gold", "cloth", (0.95, 0.74, 0.34), 0.9, 1.2)
material("fruit_orange", "fruit", (1, 1, 1), 0.6, 0.6)
material("fruit_green", "fruit", (0.55, 0.85, 0.45), 0.6, 0.6)
material("fruit_red", "fruit", (0.90, 0.42, 0.42), 0.6, 0.6)
material("iron", None, (0.16, 0.16, 0.17), 0.6, 1.0)
material("bronze", None, (0.45, 0.40, 0.28), 0.5, 1.0)
material("dark", None, (0.06, 0.055, 0.05), 1.0, 1.0)
material("lamp_glass", None, (1.0, 0.86, 0.58), 0.4, 1.0, emissive=(0.75, 0.55, 0.28))
material("enamel_orange", None, (0.93, 0.42, 0.16), 0.35, 1.0)
material("enamel_white", None, (0.95, 0.93, 0.88), 0.35, 1.0)
