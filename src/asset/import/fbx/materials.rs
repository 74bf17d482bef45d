//! Materials and the pictures inside the file.

use super::nodes::first_name;
use crate::asset::Material;
use crate::asset::import::material::{EmbeddedPicture, FileMaterial, PictureContent};
use crate::asset::import::opacity::DeclaredAlpha;
use std::path::Path;
use ufbx::{MaterialMap, Scene, Texture};

/// All materials of a file, and behind them one for meshes that have none.
pub fn materials(scene: &Scene) -> Vec<FileMaterial> {
    let own = (0..scene.materials.len()).map(|i| said_of(&scene.materials[i]));
    own.chain([FileMaterial {
        values: Material::default(),
        alpha: DeclaredAlpha::Unsaid,
        base_color: None,
        emissive: None,
        surface: None,
        mask: None,
        normals: None,
    }])
    .collect()
}

/// The texture that a mesh of a material is shown with.
pub fn base_texture(material: &ufbx::Material) -> Option<&Texture> {
    texture_of(&[&material.pbr.base_color, &material.fbx.diffuse_color])
}

fn said_of(material: &ufbx::Material) -> FileMaterial {
    let (fbx, pbr) = (&material.fbx, &material.pbr);
    FileMaterial {
        values: values_of(material),
        alpha: DeclaredAlpha::Unsaid,
        base_color: base_texture(material).map(name_of),
        emissive: texture_of(&[&pbr.emission_color, &fbx.emission_color]).map(name_of),
        surface: None,
        // White covers, as in what writes such files.
        mask: texture_of(&[&fbx.transparency_color, &fbx.transparency_factor, &pbr.opacity]).map(name_of),
        normals: texture_of(&[&pbr.normal_map, &fbx.normal_map]).map(name_of),
    }
}

fn values_of(material: &ufbx::Material) -> Material {
    let (fbx, pbr) = (&material.fbx, &material.pbr);
    let is_pbr = material.features.pbr.enabled;
    let [color, emission] = [
        (&pbr.base_color, &pbr.base_factor, &fbx.diffuse_color, &fbx.diffuse_factor),
        (&pbr.emission_color, &pbr.emission_factor, &fbx.emission_color, &fbx.emission_factor),
    ]
    .map(|(color, factor, classic_color, classic_factor)| {
        let own = product(color, factor).filter(|_| is_pbr);
        own.or_else(|| product(classic_color, classic_factor))
    });
    let default = Material::default();
    let [red, green, blue] = color.unwrap_or([1.0; 3]).map(|c| c.clamp(0.0, 1.0));
    let unit = |map: &MaterialMap| number(map).filter(|_| is_pbr).map(|value| value.clamp(0.0, 1.0));
    Material {
        name: material.element.name.to_string(),
        base_color: [red, green, blue, opacity_of(material).clamp(0.0, 1.0)],
        metallic: unit(&pbr.metalness).unwrap_or(default.metallic),
        roughness: unit(&pbr.roughness).unwrap_or(default.roughness),
        emissive: emission.unwrap_or([0.0; 3]).map(|c| c.clamp(0.0, 1e3)),
        ..default
    }
}

/// How much a material covers. Of the classic materials the property of that name counts, which Autodesk's SDK and Blender write; without
/// it what the SDK computes of the colour of what is let through: Maya writes a factor of 1 whatever is let through.
fn opacity_of(material: &ufbx::Material) -> f32 {
    if let Some(said) = ufbx::find_prop(&material.element.props, "Opacity") {
        return finite(said.value_vec4.x).unwrap_or(1.0);
    }
    if material.features.pbr.enabled {
        let [red, green, blue] = color(&material.pbr.opacity).unwrap_or([1.0; 3]);
        return (red + green + blue) / 3.0;
    }
    let through = product(&material.fbx.transparency_color, &material.fbx.transparency_factor);
    through.map_or(1.0, |[red, green, blue]| 1.0 - (red + green + blue) / 3.0)
}

fn finite(value: f64) -> Option<f32> {
    Some(value as f32).filter(|value| value.is_finite())
}

/// The value of a map; `None` where the file has none, or a picture takes its place.
fn number(map: &MaterialMap) -> Option<f32> {
    finite(map.value_vec4.x).filter(|_| map.has_value && !map.texture_enabled)
}

/// The colour of a map; one value counts for all three.
fn color(map: &MaterialMap) -> Option<[f32; 3]> {
    let value = &map.value_vec4;
    let [x, y, z] = [finite(value.x)?, finite(value.y)?, finite(value.z)?];
    map.has_value.then_some(if map.value_components == 1 { [x; 3] } else { [x, y, z] })
}

fn product(map: &MaterialMap, factor: &MaterialMap) -> Option<[f32; 3]> {
    let factor = if factor.has_value { finite(factor.value_vec4.x).unwrap_or(1.0) } else { 1.0 };
    color(map).map(|color| color.map(|c| c * factor))
}

/// The picture of the first of these maps that has one; of textures in layers the lowest.
fn texture_of<'a>(maps: &[&'a MaterialMap]) -> Option<&'a Texture> {
    let texture = |map: &&'a MaterialMap| map.texture.as_ref().filter(|_| map.texture_enabled).map(AsRef::as_ref);
    maps.iter().filter_map(texture).find_map(|texture: &Texture| match texture.file_textures.len() {
        0 => texture.has_file.then_some(texture),
        _ => Some(&texture.file_textures[0]),
    })
}

/// How materials name a texture.
fn name_of(texture: &Texture) -> String {
    if !texture.content.is_empty() {
        return format!("*{}", texture.file_index);
    }
    first_name([&texture.relative_filename, &texture.absolute_filename, &texture.filename])
}

/// The pictures inside a file, by their numbers there.
pub fn pictures(scene: &Scene) -> Vec<EmbeddedPicture<'_>> {
    let files = scene.texture_files.iter().map(|file| {
        // A file that is named and not embedded lies on the disk.
        let name = match file.content.is_empty() {
            true => String::new(),
            false => first_name([&file.relative_filename, &file.absolute_filename, &file.filename]),
        };
        let ending = Path::new(&name).extension().map(|ending| ending.to_string_lossy().into_owned());
        EmbeddedPicture { name, ending: ending.unwrap_or_default(), content: PictureContent::File(&file.content) }
    });
    files.collect()
}
