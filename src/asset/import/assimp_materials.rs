//! Materials as Assimp has read them.

use super::gltf;
use super::material::{self, EmbeddedPicture, FileMaterial, PictureContent, ReadMaterials};
use super::opacity::{self, DeclaredAlpha};
use super::raw::{self, Imported};
use crate::asset::{Material, Model};
use crate::disk::has_extension;
use russimp::sys;
use std::path::Path;

/// Kinds of textures as Assimp names them.
const LIGHTS: [sys::aiTextureType; 2] =
    [sys::aiTextureType_aiTextureType_EMISSIVE, sys::aiTextureType_aiTextureType_EMISSION_COLOR];
const METAL: sys::aiTextureType = sys::aiTextureType_aiTextureType_METALNESS;
const COLORS: [sys::aiTextureType; 2] =
    [sys::aiTextureType_aiTextureType_BASE_COLOR, sys::aiTextureType_aiTextureType_DIFFUSE];
const NORMALS: [sys::aiTextureType; 2] =
    [sys::aiTextureType_aiTextureType_NORMALS, sys::aiTextureType_aiTextureType_NORMAL_CAMERA];

/// Puts the materials of a file into its model, with the images that they name.
pub fn read_all(imported: &Imported, path: &Path, model: &mut Model) -> ReadMaterials {
    material::read_all(materials(imported, path), &pictures(imported), path, model)
}

/// All materials of a file.
fn materials(imported: &Imported, path: &Path) -> Vec<FileMaterial> {
    let [is_gltf, is_obj] = [gltf::EXTENSIONS, &["obj"]].map(|kind| has_extension(path, kind));
    let read = |raw_material: &sys::aiMaterial| {
        let named = |kinds: [sys::aiTextureType; 2]| {
            kinds.into_iter().find_map(|kind| raw::material_texture(raw_material, kind))
        };
        let mut values = read_values(raw_material);
        FileMaterial {
            alpha: declared_alpha(raw_material, &mut values),
            values,
            base_color: named(COLORS),
            emissive: named(LIGHTS),
            // Green is roughness, blue is metal (glTF 2.0, section 3.9.2); other formats have no such texture.
            surface: raw::material_texture(raw_material, METAL).filter(|_| is_gltf),
            // `map_d` of MTL. White covers, as in what writes such files.
            mask: raw::material_texture(raw_material, sys::aiTextureType_aiTextureType_OPACITY).filter(|_| is_obj),
            normals: named(NORMALS),
        }
    };
    imported.materials().into_iter().map(read).collect()
}

fn read_values(raw_material: &sys::aiMaterial) -> Material {
    let default = Material::default();
    let color = [c"$clr.base", c"$clr.diffuse"].into_iter().find_map(|key| raw::material_color(raw_material, key));
    let mut base_color = color.unwrap_or(default.base_color).map(|c| c.clamp(0.0, 1.0));
    if let Some(opacity) = raw::material_float(raw_material, c"$mat.opacity") {
        base_color[3] = base_color[3].min(opacity.clamp(0.0, 1.0));
    }
    let emissive = raw::material_color(raw_material, c"$clr.emissive").unwrap_or([0.0; 4]);
    Material {
        name: raw::material_string(raw_material, c"?mat.name").unwrap_or_default(),
        base_color,
        metallic: raw::material_float(raw_material, c"$mat.metallicFactor").unwrap_or(0.0).clamp(0.0, 1.0),
        roughness: raw::material_float(raw_material, c"$mat.roughnessFactor")
            .unwrap_or(default.roughness)
            .clamp(0.0, 1.0),
        emissive: [emissive[0], emissive[1], emissive[2]].map(|c| c.clamp(0.0, 1e3)),
        ..default
    }
}

/// What the file says of the alpha of a material. That of glass is lowered by what it lets through (KHR_materials_transmission).
fn declared_alpha(raw_material: &sys::aiMaterial, material: &mut Material) -> DeclaredAlpha {
    let transmission = raw::material_float(raw_material, c"$mat.transmission.factor").unwrap_or(0.0);
    if transmission > 0.0 {
        material.base_color[3] = opacity::glass_alpha(material.base_color[3], transmission);
        return DeclaredAlpha::Blend;
    }
    match raw::material_string(raw_material, c"$mat.gltf.alphaMode").as_deref() {
        Some("MASK") => DeclaredAlpha::Mask(raw::material_float(raw_material, c"$mat.gltf.alphaCutoff").unwrap_or(0.5)),
        Some("BLEND") => DeclaredAlpha::Blend,
        Some(_) => DeclaredAlpha::Opaque,
        None => DeclaredAlpha::Unsaid,
    }
}

/// The pictures inside a file.
fn pictures(imported: &Imported) -> Vec<EmbeddedPicture<'_>> {
    imported.textures().into_iter().map(picture).collect()
}

fn picture(texture: &sys::aiTexture) -> EmbeddedPicture<'_> {
    let name = raw::string(&texture.mFilename);
    let ending = Path::new(&name).extension().map(|ending| ending.to_string_lossy().into_owned());
    let ending = ending.unwrap_or_else(|| raw::fixed_string(&texture.achFormatHint));
    let (width, height) = (texture.mWidth, texture.mHeight);
    let texels = texture.pcData.cast::<u8>();
    let content = if height == 0 {
        // The width is the number of bytes then.
        PictureContent::File(raw::slice(texels, width))
    } else {
        PictureContent::Texels {
            width,
            height,
            bgra: raw::slice(texels, width.saturating_mul(height).saturating_mul(4)),
        }
    };
    EmbeddedPicture { name, ending, content }
}
