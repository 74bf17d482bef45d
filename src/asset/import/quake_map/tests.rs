//! Maps that are put together here.

use super::*;
use crate::asset::AlphaMode;
use crate::asset::import::import_file;
use glam::Vec2;
use package::packed;

/// A map in the making, in the lists of the format.
#[derive(Default)]
struct MapWriter {
    entities: String,
    textures: Vec<u8>,
    models: Vec<u8>,
    vertices: Vec<u8>,
    mesh_vertices: Vec<u8>,
    faces: Vec<u8>,
    planes: Vec<u8>,
    bodies: Vec<u8>,
    body_sides: Vec<u8>,
}

fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl MapWriter {
    /// A texture with the flags of its surfaces, and what lies behind them.
    fn texture(&mut self, name: &str, [flags, contents]: [u32; 2]) {
        let mut item = name.as_bytes().to_vec();
        item.resize(64, 0);
        self.textures.extend([item, bytes_of(&[flags, contents])].concat());
    }

    /// Vertices in a row, Z up, which face up; returns the number of the first.
    fn vertices(&mut self, positions: &[[f32; 3]]) -> u32 {
        let first = self.vertices.len() as u32 / 44;
        for [x, y, z] in positions {
            let numbers = [*x, *y, *z, *x, *y, 0.0, 0.0, 0.0, 0.0, 1.0].map(f32::to_bits);
            self.vertices.extend([bytes_of(&numbers), vec![9; 4]].concat());
        }
        first
    }

    /// A face of `kind` with the vertices from `first` on, and triangles where it is flat.
    fn face(&mut self, [texture, kind]: [u32; 2], [first, count]: [u32; 2], triangles: &[u32], size: [u32; 2]) {
        let mut item = vec![0; 26];
        item[..7].copy_from_slice(&[
            texture,
            0,
            kind,
            first,
            count,
            self.mesh_vertices.len() as u32 / 4,
            triangles.len() as u32,
        ]);
        item[24..].copy_from_slice(&size);
        self.faces.extend(bytes_of(&item));
        self.mesh_vertices.extend(bytes_of(triangles));
    }

    /// A body behind planes, each a normal and a distance, Z up.
    fn body(&mut self, texture: u32, planes: &[[f32; 4]]) {
        let first = self.body_sides.len() as u32 / 8;
        for (plane, number) in planes.iter().zip(self.planes.len() as u32 / 16..) {
            self.planes.extend(bytes_of(&plane.map(f32::to_bits)));
            self.body_sides.extend(bytes_of(&[number, texture]));
        }
        self.bodies.extend(bytes_of(&[first, planes.len() as u32, texture]));
    }

    /// A part with some of the faces, the first with all bodies.
    fn model(&mut self, first_face: u32, faces: u32) {
        let bodies = if self.models.is_empty() { self.bodies.len() as u32 / 12 } else { 0 };
        self.models.extend(bytes_of(&[0, 0, 0, 0, 0, 0, first_face, faces, 0, bodies]));
    }

    fn finish(&self) -> Vec<u8> {
        let lists: [(usize, &[u8]); 9] = [
            (0, self.entities.as_bytes()),
            (1, &self.textures),
            (2, &self.planes),
            (7, &self.models),
            (8, &self.bodies),
            (9, &self.body_sides),
            (10, &self.vertices),
            (11, &self.mesh_vertices),
            (13, &self.faces),
        ];
        let mut header = vec![0_u32; 34];
        let mut data = Vec::new();
        for (lump, list) in lists {
            header[lump * 2] = 8 + 34 * 4 + data.len() as u32;
            header[lump * 2 + 1] = list.len() as u32;
            data.extend_from_slice(list);
        }
        [b"IBSP".to_vec(), bytes_of(&[46]), bytes_of(&header), data].concat()
    }
}

/// A floor of 64 by 32 units, a lift above it, something that sets it off, a sky, and a curved surface.
fn yard() -> MapWriter {
    let mut map = MapWriter::default();
    for (name, flags) in [("textures/yard/Floor", 0), ("textures/skies/dusk", 0x4), ("textures/common/trigger", 0)] {
        map.texture(name, [flags, 0]);
    }
    let quad = [[0.0, 0.0, 0.0], [64.0, 0.0, 0.0], [64.0, 32.0, 0.0], [0.0, 32.0, 0.0]];
    for texture in [0, 1, 0, 2] {
        let first = map.vertices(&quad);
        // Clockwise, as the game has them.
        map.face([texture, 1], [first, 4], &[0, 2, 1, 0, 3, 2], [0, 0]);
    }
    let grid: Vec<[f32; 3]> = (0..9_u8).map(|i| [f32::from(i % 3), f32::from(i / 3), 0.0]).collect();
    let first = map.vertices(&grid);
    map.face([0, 2], [first, 9], &[], [3, 3]);
    map.model(0, 2);
    map.model(2, 1);
    map.model(3, 1);
    map.model(4, 1);
    map.entities = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"func_plat\"\n\"model\" \"*1\"\n\"origin\" \"0 0 16\"\n}\n\
                    {\n\"classname\" \"trigger_push\"\n\"model\" \"*2\"\n}\n{\n\"model\" \"*3\"\n\"classname\" \"func_static\"\n}\n"
        .into();
    map
}

fn load(files: &[(&str, &[u8])]) -> Result<Model, AssetError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("yard.pk3");
    std::fs::write(&path, packed(files)).unwrap();
    import_file(&path)
}

/// A PNG file of two red texels.
fn picture() -> Vec<u8> {
    let image = crate::asset::Image { name: String::new(), width: 2, height: 1, rgba: [255, 0, 0, 255].repeat(2) };
    image.encoded(::image::ImageFormat::Png).unwrap()
}

#[test]
fn a_map_comes_in_upright_with_its_textures() {
    let (map, red) = (yard().finish(), picture());
    let model = load(&[("maps/Yard.bsp", &map), ("textures/yard/floor.PNG", &red)]).unwrap();
    assert_eq!(model.warnings, Vec::<String>::new());
    assert_eq!(
        model.materials.iter().map(|material| material.name.as_str()).collect::<Vec<_>>(),
        ["textures/yard/floor"]
    );
    assert_eq!((model.images.len(), model.materials[0].base_color_image), (1, Some(0)));
    // Two squares and a curved surface of 4 by 4.
    assert_eq!(model.triangle_count(), 2 + 2 + 32);
    assert_eq!(
        (model.rest_bounds.min, model.rest_bounds.max),
        (Vec3::new(0.0, 0.0, -32.0), Vec3::new(64.0, 16.0, 0.0))
    );
    let mesh = &model.meshes[0];
    assert_eq!(mesh.vertices[1].uv, Vec2::new(64.0, 0.0));
    for triangle in 0..mesh.indices.len() / 3 {
        let [a, b, c] = mesh.triangle(triangle).unwrap();
        assert!((b - a).cross(c - a).y > 0.0, "{triangle} faces down");
    }
}

#[test]
fn scripts_name_pictures_and_water_is_no_ground() {
    let mut map = MapWriter::default();
    for (name, flags) in [
        ("textures\\yard\\Sign", [0, 0x1]),
        ("textures/yard/pool", [0, 0x20]),
        ("textures/common/clip", [0x80, 0x10000]),
        ("textures/common/caulk", [0x80, 0x1]),
        ("textures/yard/spark", [0, 0x1]),
    ] {
        map.texture(name, flags);
    }
    for texture in [0, 1, 3, 4] {
        let first = map.vertices(&[[0.0, 0.0, 0.0], [64.0, 0.0, 0.0], [64.0, 32.0, 0.0], [0.0, 32.0, 0.0]]);
        map.face([texture, 1], [first, 4], &[0, 2, 1, 0, 3, 2], [0, 0]);
    }
    let grid: Vec<[f32; 3]> = (0..9_u8).map(|i| [f32::from(i % 3), f32::from(i / 3), 0.0]).collect();
    let first = map.vertices(&grid);
    map.face([2, 2], [first, 9], &[], [3, 3]);
    map.model(0, 5);
    let script =
        b"textures/yard/sign { cull none { map $lightmap } { map textures/art/sign.tga\nblendFunc filter } }\n\
                   textures/yard/spark { surfaceparm nonsolid { map textures/art/sign.tga\nblendFunc add } }";
    let (map, red) = (map.finish(), picture());
    let files: [(&str, &[u8]); 3] =
        [("maps/yard.bsp", &map), ("scripts/Yard.shader", script), ("textures/art/sign.png", &red)];
    let model = load(&files).unwrap();
    let found: Vec<_> = model.meshes.iter().map(|mesh| (mesh.name.as_str(), mesh.purpose)).collect();
    assert_eq!(
        found,
        [
            ("textures/common/clip", MeshPurpose::SolidOnly),
            ("textures/yard/pool", MeshPurpose::DrawnOnly),
            ("textures/yard/sign", MeshPurpose::DrawnAndSolid),
            ("textures/yard/spark", MeshPurpose::DrawnOnly),
        ]
    );
    let materials: Vec<_> = model.meshes.iter().map(|mesh| &model.materials[mesh.material as usize]).collect();
    assert_eq!(
        materials.iter().map(|material| material.base_color_image).collect::<Vec<_>>(),
        [None, None, Some(0), Some(1)]
    );
    assert_eq!(materials.iter().map(|material| material.double_sided).collect::<Vec<_>>(), [false, false, true, false]);
    assert_eq!((materials[2].alpha, model.images[0].rgba[3]), (AlphaMode::Opaque, 255));
    assert!(model.warnings[0].starts_with("1 of 3 textures are plain"), "{:?}", model.warnings);
    assert_eq!(crate::asset::level::corners(&model).len(), 32 + 2, "the clip and the sign");
}

/// A cube of 32 units with a plane that touches one of its edges, one that is there twice, and a wedge of it.
fn stairs(texture: u32) -> MapWriter {
    let mut map = MapWriter::default();
    for (name, flags) in [("textures/common/clip", [0x4080, 0x10000]), ("textures/common/caulk", [0x80, 0x1])] {
        map.texture(name, flags);
    }
    let cube: [[f32; 4]; 6] = [
        [1.0, 0.0, 0.0, 32.0],
        [-1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 32.0],
        [0.0, -1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 32.0],
        [0.0, 0.0, -1.0, 0.0],
    ];
    map.body(texture, &[&cube[..], &[[0.6, 0.8, 0.0, 44.8], cube[0]]].concat());
    map.body(texture, &[&cube[..], &[[0.6, 0.0, 0.8, 19.2]]].concat());
    map.model(0, 0);
    map
}

#[test]
fn bodies_that_stop_players_unseen_are_ground() {
    let model = load(&[("maps/stairs.bsp", &stairs(0).finish())]).unwrap();
    let [mesh] = &model.meshes[..] else { panic!("{} meshes", model.meshes.len()) };
    assert_eq!((mesh.name.as_str(), mesh.purpose), ("textures/common/clip", MeshPurpose::SolidOnly));
    // Six squares, then a slope over a floor and a wall, between two triangles.
    assert_eq!((mesh.vertices.len(), mesh.indices.len() / 3), (24 + 3 * 4 + 2 * 3, 12 + 3 * 2 + 2));
    assert!(model.rest_bounds.min.abs_diff_eq(Vec3::new(0.0, 0.0, -32.0), 1e-3), "{:?}", model.rest_bounds);
    assert!(model.rest_bounds.max.abs_diff_eq(Vec3::new(32.0, 32.0, 0.0), 1e-3), "{:?}", model.rest_bounds);
    for triangle in 0..mesh.indices.len() / 3 {
        let [a, b, c] = mesh.triangle(triangle).unwrap();
        let normal = mesh.vertices[mesh.indices[triangle * 3] as usize].normal;
        assert!((b - a).cross(c - a).dot(normal) > 0.0, "{triangle}");
    }
    assert_eq!(model.warnings, ["among ground and walls: 2 shapes by which the game stops players unseen"]);
    let filled = load(&[("maps/walls.bsp", &stairs(1).finish())]).unwrap();
    assert_eq!((filled.meshes.len(), filled.warnings.len()), (0, 0), "what fills walls");
}

#[test]
fn bodies_that_take_too_long_are_left_out_with_a_warning() {
    let mut map = MapWriter::default();
    map.texture("textures/common/clip", [0x4080, 0x10000]);
    map.body(0, &[[1.0, 0.0, 0.0, 32.0]; 600]);
    map.model(0, 0);
    let model = load(&[("maps/round.bsp", &map.finish())]).unwrap();
    assert_eq!(model.meshes.len(), 0);
    let [warning] = &model.warnings[..] else { panic!("{:?}", model.warnings) };
    assert!(warning.ends_with("are missing: they have too many sides; give them fewer"), "{warning}");
}

#[test]
fn damaged_bodies_are_read_or_left_out() {
    let map = stairs(0).finish();
    for at in 0..map.len() {
        for value in [0, 0x40, 0xff] {
            let mut damaged = map.clone();
            damaged[at] = value;
            let Ok(map) = QuakeMap::open(&damaged) else { continue };
            let keys = keys_of(&map.textures(), MapTexture::body_purpose);
            let mut surfaces = std::collections::BTreeMap::new();
            let grant = |count: usize| if count < 100 { Ok(()) } else { Err(()) };
            let _ = unseen_bodies::append(&map, &keys, grant, &mut surfaces);
            for surface in surfaces.into_values() {
                assert!(surface.vertices.iter().all(|vertex| vertex.position.is_finite()), "{at}");
            }
        }
    }
}

#[test]
fn what_adds_light_covers_as_far_as_it_is_bright() {
    let texels = [[200, 10, 0, 255], [0, 0, 0, 255]];
    let blended = |blend: ShaderBlend| {
        let mut image = Image { name: String::new(), width: 2, height: 1, rgba: texels.as_flattened().to_vec() };
        let declared = take_blend(&mut image, blend);
        assert_eq!(image.rgba[0] == 0, blend == ShaderBlend::Darken);
        (declared, [image.rgba[3], image.rgba[7]])
    };
    assert_eq!(blended(ShaderBlend::Darken), (DeclaredAlpha::Blend, [200, 0]));
    assert_eq!(blended(ShaderBlend::Add), (DeclaredAlpha::Blend, [200, 0]));
    assert_eq!(blended(ShaderBlend::Filter), (DeclaredAlpha::Blend, [55, 255]));
    assert_eq!(blended(ShaderBlend::Alpha), (DeclaredAlpha::Blend, [255; 2]));
    assert_eq!(blended(ShaderBlend::Mask(0.5)), (DeclaredAlpha::Mask(0.5), [255; 2]));
}

#[test]
fn what_a_package_lacks_is_said() {
    let map = yard().finish();
    let model = load(&[("maps/b.bsp", &map), ("maps/a.bsp", &map)]).unwrap();
    assert!(
        model.warnings[0].starts_with("it holds 2 maps, of which the first is shown, maps/a.bsp"),
        "{:?}",
        model.warnings
    );
    assert!(model.warnings[1].starts_with("1 of 1 textures are plain"), "{:?}", model.warnings);
    let fails = |files: &[(&str, &[u8])]| load(files).unwrap_err().to_string();
    assert!(fails(&[("models/a.md3", b"IDP3")]).contains("holds no map"));
    assert!(fails(&[("maps/a.bsp", b"\x1d\0\0\0")]).contains("of another game"));
    assert!(fails(&[("maps/a.bsp", b"IBSP\x26\0\0\0")]).contains("of version 38"));
    assert!(fails(&[("maps/a.bsp", &map[..map.len() - 1])]).contains("cut off"));
}

#[test]
fn damaged_maps_are_read_or_refused() {
    let map = yard().finish();
    for at in 0..map.len() {
        let mut damaged = map.clone();
        damaged[at] ^= 0xff;
        let Ok(map) = QuakeMap::open(&damaged) else { continue };
        let keys = keys_of(&map.textures(), MapTexture::purpose);
        let surfaces = map.surfaces(&keys, |count| if count < 100 { Ok(()) } else { Err(()) });
        for surface in surfaces.into_iter().flat_map(std::collections::BTreeMap::into_values) {
            assert!(surface.indices.iter().all(|&i| (i as usize) < surface.vertices.len()), "{at}");
        }
    }
}
