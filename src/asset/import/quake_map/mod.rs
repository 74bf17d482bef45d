//! Maps of Quake III in their packages (`.pk3`). Assimp 5.2 leaves faces of them without vertices, so that its own check refuses every
//! map. A unit of the game stays a unit. What players pass through, as water, is drawn and no ground; what stops them
//! unseen is ground and not drawn.

mod bsp;
mod fault;
mod package;
mod patch;
mod shader_scripts;
mod surface;
mod unseen_bodies;

use super::budget::ModelBudget;
use super::opacity::{DeclaredAlpha, alpha_mode};
use super::{coverage, limits};
use crate::asset::image::PictureBudget;
use crate::asset::{AssetError, Image, Material, Mesh, MeshPurpose, Model, Vertex};
use crate::disk::has_extension;
use crate::ids::NodeId;
use crate::math::Trs;
use crate::vocab::{counted, quoted_names};
use bsp::QuakeMap;
use fault::QuakeMapFault;
use glam::Vec3;
use package::Package;
use shader_scripts::{MapShader, MapShaders, ShaderBlend, without_ending};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use surface::{MapSurface, MapTexture, MapVertex, SurfaceKey};

/// Endings of the pictures of textures, which maps name without: those of the game in its order, then those of its successors.
const PICTURE_ENDINGS: [&str; 5] = ["tga", "jpg", "png", "webp", "dds"];
/// Most textures that a warning lists.
const MAX_LISTED: usize = 4;
/// Bytes that a vertex and a corner of a triangle take in a model.
const VERTEX_BYTES: u64 = (size_of::<Vertex>() + size_of::<u32>()) as u64;

/// Whether a file is a package, by its name.
pub(super) fn is_package(path: &Path) -> bool {
    has_extension(path, &["pk3"])
}

/// Reads the first map of a package.
///
/// # Errors
/// [`AssetError::Malformed`] and [`AssetError::TooLarge`].
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Model, AssetError> {
    let malformed = |fault: QuakeMapFault| AssetError::Malformed { path: path.into(), reason: fault.to_string() };
    let mut budget = ModelBudget::new(bytes.len() as u64);
    let package = Package::open(bytes).map_err(malformed)?;
    let maps: Vec<&str> = package.names().filter(|name| name.ends_with(".bsp")).collect();
    let first = *maps.first().ok_or(QuakeMapFault::NoMap).map_err(malformed)?;
    let file = package.file(first, budget.reading_bytes()).unwrap_or(Err(QuakeMapFault::NoMap)).map_err(malformed)?;
    let map = QuakeMap::open(&file).map_err(malformed)?;
    let textures = map.textures();
    let named: BTreeSet<&str> = textures.iter().flatten().map(|texture| texture.name.as_str()).collect();
    let shaders = MapShaders::of(&package, &named);
    let textures: Vec<Option<MapTexture>> =
        textures.iter().map(|texture| Some(shaders.complete(texture.as_ref()?))).collect();
    let mut vertices = 0_u64;
    let mut grant = |count: usize| {
        vertices += count as u64;
        limits::check(path, "its number of vertices", vertices, limits::VERTICES as u64)?;
        budget.take(path, count as u64 * VERTEX_BYTES)
    };
    let mut surfaces = map.surfaces(&keys_of(&textures, MapTexture::purpose), &mut grant)?;
    let body_keys = keys_of(&textures, MapTexture::body_purpose);
    let (bodies, is_cut) = unseen_bodies::append(&map, &body_keys, &mut grant, &mut surfaces)?;
    let mut model = Model {
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        ..Model::default()
    };
    model.skeleton.names.push(first.to_owned());
    model.skeleton.parents.push(None);
    model.skeleton.rest.push(Trs::IDENTITY);
    if maps.len() > 1 {
        let said = format!(
            "it holds {} maps, of which the first is shown, {first}: put others into packages of their own",
            maps.len()
        );
        model.warnings.push(said);
    }
    model.warnings.extend(shaders.left_out());
    if bodies > 0 {
        let what = counted(bodies, "shape");
        model.warnings.push(format!("among ground and walls: {what} by which the game stops players unseen"));
    }
    if is_cut {
        let what =
            "shapes by which the game stops players unseen are missing: they have too many sides; give them fewer";
        model.warnings.push(what.to_owned());
    }
    let guessed = add_materials(&package, &shaders, surfaces.keys(), &mut model);
    for (key, surface) in &surfaces {
        // Both are in the order of names.
        let material = model.materials.binary_search_by(|material| material.name.cmp(&key.texture));
        model.meshes.push(mesh(key, material.unwrap_or(0) as u32, surface));
    }
    if model.materials.is_empty() {
        model.materials.push(Material::default());
    }
    coverage::revise_cutouts(&mut model, &guessed);
    model.rest_bounds = model.compute_rest_bounds();
    Ok(model)
}

/// The keys of textures, of those that have a purpose.
fn keys_of(
    textures: &[Option<MapTexture>],
    purpose_of: impl Fn(&MapTexture) -> Option<MeshPurpose>,
) -> Vec<Option<SurfaceKey>> {
    let key = |texture: &Option<MapTexture>| {
        let texture = texture.as_ref()?;
        Some(SurfaceKey { purpose: purpose_of(texture)?, texture: texture.name.clone() })
    };
    textures.iter().map(key).collect()
}

/// Adds a material for each texture with its picture, where that is in the package; answers those of whose alpha nothing is said.
fn add_materials<'a>(
    package: &Package,
    shaders: &MapShaders,
    keys: impl Iterator<Item = &'a SurfaceKey>,
    model: &mut Model,
) -> BTreeSet<u32> {
    let mut budget = PictureBudget::default();
    let (mut missing, mut drawn, mut guessed) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for SurfaceKey { texture: name, purpose } in keys {
        let is_known = model.materials.last().is_some_and(|material| material.name == *name);
        if !is_known {
            // The game draws the fronts of walls alone, so that maps, which are hollow, are seen into from outside.
            let double_sided = shaders.get(name).is_some_and(|shader| shader.is_double_sided);
            model.materials.push(Material { name: name.clone(), double_sided, ..Material::default() });
        }
        if *purpose == MeshPurpose::SolidOnly || !drawn.insert(name.as_str()) {
            continue;
        }
        let shader = shaders.get(name);
        let decoded = picture_file(package, name, shader).map(|PictureFile { name: file, bytes }| {
            let bytes = bytes.map_err(|fault| fault.to_string())?;
            budget.decode(&bytes, file).map_err(|error| error.to_string())
        });
        match decoded {
            Some(Ok(mut picture)) => {
                let declared =
                    shader.map_or(DeclaredAlpha::Unsaid, |shader| take_blend(&mut picture.image, shader.blend));
                let (index, image) = (model.materials.len() - 1, model.images.len() as u32);
                if declared == DeclaredAlpha::Unsaid {
                    guessed.insert(index as u32);
                }
                let material = &mut model.materials[index];
                material.alpha = alpha_mode(declared, 1.0, Some(&picture.image));
                material.base_color_image = Some(image);
                model.warnings.extend(picture.reduction.map(|reduction| format!("texture {name:?} is {reduction}")));
                model.images.push(Arc::new(picture.image));
            }
            Some(Err(error)) => model.warnings.push(format!("texture {name:?} is left out: {error}")),
            None => missing.push(name.as_str()),
        }
    }
    if !missing.is_empty() {
        model.warnings.push(format!(
            "{} of {} textures are plain, as their pictures lie in other packages of the game or under other names: {}",
            missing.len(),
            drawn.len(),
            quoted_names(&missing, MAX_LISTED)
        ));
    }
    guessed
}

/// A picture in a package.
struct PictureFile<'a> {
    name: String,
    bytes: Result<Cow<'a, [u8]>, QuakeMapFault>,
}

/// The picture of a texture: that of its script, else that of its own name.
fn picture_file<'a>(package: &Package<'a>, texture: &str, shader: Option<&MapShader>) -> Option<PictureFile<'a>> {
    let scripted = shader.map(|shader| shader.pictures.as_slice()).unwrap_or_default();
    let names = scripted.iter().map(String::as_str).chain([without_ending(texture)]);
    names.flat_map(|name| PICTURE_ENDINGS.map(|ending| format!("{name}.{ending}"))).find_map(|name| {
        let bytes = package.file(&name, limits::FILE_BYTES)?;
        Some(PictureFile { name, bytes })
    })
}

/// Gives a picture the alpha by which it covers what lies behind it about as the game has it; answers what that alpha means.
fn take_blend(image: &mut Image, blend: ShaderBlend) -> DeclaredAlpha {
    let mut set_alpha = |alpha_of: fn(u8) -> u8| {
        for texel in image.rgba.chunks_exact_mut(4) {
            texel[3] = alpha_of(texel[0].max(texel[1]).max(texel[2]));
            if blend == ShaderBlend::Darken {
                texel[..3].fill(0);
            }
        }
    };
    match blend {
        ShaderBlend::Opaque => return DeclaredAlpha::Opaque,
        ShaderBlend::Mask(cutoff) => return DeclaredAlpha::Mask(cutoff),
        ShaderBlend::Alpha => {}
        // Black adds and takes away nothing, and white lets all through.
        ShaderBlend::Add | ShaderBlend::Darken => set_alpha(|brightness| brightness),
        ShaderBlend::Filter => set_alpha(|brightness| u8::MAX - brightness),
    }
    DeclaredAlpha::Blend
}

fn mesh(key: &SurfaceKey, material: u32, surface: &MapSurface) -> Mesh {
    let vertex = |vertex: &MapVertex| Vertex {
        position: vertex.position,
        normal: vertex.normal.try_normalize().unwrap_or(Vec3::Y),
        uv: vertex.uv,
        color: [u8::MAX; 4],
    };
    Mesh {
        name: key.texture.clone(),
        node: NodeId(0),
        material,
        vertices: surface.vertices.iter().map(vertex).collect(),
        indices: surface.indices.clone(),
        purpose: key.purpose,
        ..Mesh::default()
    }
}

#[cfg(test)]
mod tests;
