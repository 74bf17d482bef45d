//! Files read in two parts are what Assimp alone makes of them.

use super::super::budget::ModelBudget;
use super::super::file_io::Replacement;
use super::super::raw::Imported;
use super::super::{assimp_materials, geometry, nodes};
use super::{LARGE_BYTES, SplitObj};
use crate::asset::{AlphaMode, Image, Material, Mesh, Model};
use image::ImageFormat;
use std::path::Path;

const BOX: &str = "\
# a box with everything
mtllib box.mtl
v -1 -1 -1 1 0 0
v 1 -1 -1 0 1 0
v 1 1 -1 0 0 1
v -1 1 -1 1 1 0
v -1 -1 1 0 1 1
v 1 -1 1 1 0 1
v 1 1 1 0.5 0.5 0.5
v -1 1 1 0 0 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 -1
vn 0 0 1
o first
usemtl red
f 1/1/1 4/4/1 3/3/1 2/2/1
f 5/1/2 6/2/2 7/3/2
f -4/-4/-1 -2/-2/-1 -1/-1/-1
g second part
usemtl blue
s 1
f 1/1 2/2 6/3 5/4
f 2 3 7 6
usemtl red
f 3/1 4/2 8/3 \\
7/4
l 1 2
usemtl unknown
f 4 1 5 8
o first
f 1 2 3
";

// All faces are flat and do not cross themselves: only then is it defined how they are split.
const POLYGONS: &str = "\
v 0 0 0
v 4 0 0
v 4 0 3
v 2 0 1
v 0 0 3
v 2 5 -2
f 1 4 2
f 1 2 3 4 5
f 1 2 3 4
f 4 3 2 1
l 1 2 3
f 1 2
f 2 3 6
";

fn import(bytes: &[u8], split: Option<SplitObj>) -> Model {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("box.mtl"), "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nd 0.5\n").unwrap();
    let path = folder.path().join("box.obj");
    std::fs::write(&path, bytes).unwrap();
    let (outline, large) = split.map(|split| (split.outline, split.geometry)).unzip();
    let replacement = outline.map(Replacement::of);
    read(&path, replacement, large)
}

fn read(path: &Path, replacement: Option<Replacement>, large: Option<super::ObjGeometry>) -> Model {
    let (imported, left_out) = Imported::open(path, replacement, u64::MAX).unwrap();
    let mut model = Model { warnings: left_out, ..Model::default() };
    let table = nodes::read(&imported, path, &mut model).unwrap();
    assimp_materials::read_all(&imported, path, &mut model);
    geometry::read(&imported, &table, large, (path, &mut ModelBudget::new(u64::MAX)), &mut model).unwrap();
    model
}

/// Corners of all triangles, each with what its vertex holds.
fn soup(mesh: &Mesh) -> Vec<crate::asset::Vertex> {
    let mesh = mesh.with_own_corners();
    mesh.indices.iter().map(|&i| mesh.vertices[i as usize]).collect()
}

fn assert_same(text: &str) {
    let split = SplitObj::read(text.as_bytes()).unwrap();
    let (ours, theirs) = (import(text.as_bytes(), Some(split)), import(text.as_bytes(), None));
    assert_eq!(ours.skeleton, theirs.skeleton, "{text}");
    assert_eq!(ours.materials, theirs.materials, "{text}");
    let outline = |model: &Model| -> Vec<_> {
        model.meshes.iter().map(|m| (m.name.clone(), m.node, m.material, m.indices.len())).collect()
    };
    assert_eq!(outline(&ours), outline(&theirs), "{text}");
    for (our, their) in ours.meshes.iter().zip(&theirs.meshes) {
        for (i, (a, b)) in soup(our).iter().zip(&soup(their)).enumerate() {
            let is_same = a.position.abs_diff_eq(b.position, 1e-6) && a.uv.abs_diff_eq(b.uv, 1e-6);
            assert!(is_same && a.color == b.color, "corner {i} of {}: {a:?}, {b:?}", our.name);
            assert!(a.normal.abs_diff_eq(b.normal, 1e-5), "corner {i} of {}: {a:?}, {b:?}", our.name);
        }
    }
}

#[test]
fn meshes_materials_and_corners_are_those_of_the_importer() {
    assert_same(BOX);
    assert_same(POLYGONS);
    let bent = format!("{POLYGONS}f 6 5 4 3 2 1\n");
    assert!(SplitObj::read(bent.as_bytes()).is_none(), "left to the importer");
    assert_same(&BOX.replace('\n', "\r\n"));
}

#[test]
fn hills_share_the_vertices_of_their_triangles() {
    let mut text = String::new();
    let side = 20;
    for z in 0..=side {
        for x in 0..=side {
            text += &format!("v {x}.25 {} {z}e0\n", (x * 7 + z * 3) % 5);
        }
    }
    let corner = |x: i32, z: i32| z * (side + 1) + x + 1;
    for z in 0..side {
        for x in 0..side {
            let [a, b, c, d] = [corner(x, z), corner(x, z + 1), corner(x + 1, z), corner(x + 1, z + 1)];
            text += &format!("f {a} {b} {c}\nf {c} {b} {d}\n");
        }
    }
    assert_same(&text);
    let split = SplitObj::read(text.as_bytes()).unwrap();
    let model = import(text.as_bytes(), Some(split));
    assert_eq!((model.meshes.len(), model.triangle_count()), (1, 800));
    assert_eq!((model.meshes[0].vertices.len(), model.meshes[0].is_flat), (441, true));
}

#[test]
fn what_is_unusual_is_left_to_the_importer() {
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for line in [
        "f 1 2 4",
        "f 0 1 2",
        "f 1 2 x",
        "f 1/1 2/1 3/1",
        "f 1//1 2 3",
        " f 1 2 3",
        "v 1 2",
        "v 1 2 nan",
        "v 1 2 3 0",
        "cstype bezier",
        "faces",
        "f 1 2 -4",
        "f",
        "f 1 2 4294967297",
        "v 1 2 3 0 1 0",
        "# a\rv 1 2 3",
    ] {
        assert!(SplitObj::read(format!("{start}{line}\n").as_bytes()).is_none(), "{line}");
    }
    assert!(SplitObj::read(format!("{start}f 1 2 3").as_bytes()).is_some());
}

#[test]
fn one_vertex_with_many_normals_takes_no_longer() {
    let count = 20_000;
    let mut text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
    for i in 0..count {
        text += &format!("vn {i} 1 0\nf 1//-1 2//-1 3//-1\n");
    }
    let split = SplitObj::read(text.as_bytes()).unwrap();
    assert!(text.len() < LARGE_BYTES);
    let mesh = split.geometry.mesh(&[[[0, 0]; 3]], &mut super::VertexFinder::default());
    assert_eq!((mesh.indices.len(), mesh.is_flat), (count * 3, false));
}

/// A triangle of a material with this library, beside pictures of two texels, red and half transparent blue, and of a mask.
fn of_library(library: &str) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let picture = |rgba: [u8; 8]| Image { name: "a".into(), width: 2, height: 1, rgba: rgba.into() };
    let skin = picture([255, 0, 0, 255, 0, 0, 255, 128]).encoded(ImageFormat::Tga).unwrap();
    let mask = picture([255, 255, 255, 255, 0, 0, 0, 255]).encoded(ImageFormat::Png).unwrap();
    let obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n";
    let files = [("a.obj", obj.as_bytes()), ("a.mtl", library.as_bytes()), ("Skin.TGA", &skin), ("mask.png", &mask)];
    files.into_iter().for_each(|(name, contents)| std::fs::write(folder.path().join(name), contents).unwrap());
    read(&folder.path().join("a.obj"), None, None)
}

/// The material of the triangle: Assimp adds one of its own.
fn of_name(model: &Model) -> &Material {
    model.materials.iter().find(|material| material.name == "m").unwrap()
}

#[test]
fn tga_textures_of_a_material_library_are_told_by_name() {
    let model = of_library("newmtl m\nmap_Kd Skin.TGA\n");
    assert_eq!((&model.images[0].rgba[..], &model.warnings[..]), (&[255, 0, 0, 255, 0, 0, 255, 128][..], &[][..]));
    assert_eq!(of_name(&model).alpha, AlphaMode::Opaque);
}

#[test]
fn masks_of_a_material_library_cut_out() {
    for (colors, texels) in
        [("map_Kd Skin.TGA", [255, 0, 0, 255, 0, 0, 255, 0]), ("", [255, 255, 255, 255, 255, 255, 255, 0])]
    {
        let model = of_library(&format!("newmtl m\n{colors}\nmap_d mask.png\n"));
        let material = of_name(&model);
        assert_eq!(
            material.alpha,
            AlphaMode::Cutout(0.5),
            "{colors} {material:?} {:?} {:?}",
            model.images,
            model.warnings
        );
        assert_eq!(model.images[material.base_color_image.unwrap() as usize].rgba, texels, "{colors}");
    }
    assert_eq!(of_name(&of_library("newmtl m\nd 0.5\n")).alpha, AlphaMode::Blended);
    // The alpha of the picture is a mask where the library says so, half clear as it is.
    assert_eq!(of_name(&of_library("newmtl m\nmap_Kd Skin.TGA\nmap_d Skin.TGA\n")).alpha, AlphaMode::Blended);
}
