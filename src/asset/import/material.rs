//! Materials and their textures.

use super::gltf::is_gltf;
use super::limits;
use super::raw::{self, Imported};
use crate::asset::image::{DecodedPicture, PictureBudget, PictureError, PictureMean};
use crate::asset::{AssetError, Image, Material, Model};
use crate::disk::read::{ReadFault, open, read};
use crate::disk::{InsideFolder, folder_of};
use glam::Vec3;
use russimp::sys;
use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Most parts of a texture's name that are looked for, from its end.
const MAX_NAME_PARTS: usize = 8;

/// Why a texture is left out of a model. Its text becomes a warning.
#[derive(Clone, Debug, Error)]
enum TextureError {
    /// The file that the material names does not exist.
    #[error("there is no such file in the model's folder")]
    Missing,
    /// The file is not read.
    #[error("{0}")]
    Unread(#[from] ReadFault),
    /// The image does not decode, or takes too much memory.
    #[error("{0}")]
    Decode(Arc<PictureError>),
}

impl From<PictureError> for TextureError {
    fn from(error: PictureError) -> Self {
        Self::Decode(Arc::new(error))
    }
}

/// Reads all materials and the images that they name. A texture that cannot be read becomes a warning. Of textures of light
/// and of metal, which are not drawn, the means count. Returns the files that were looked for, relative to the model's
/// folder, whether they are there or not.
pub fn read_all(imported: &Imported, path: &Path, model: &mut Model) -> Result<BTreeSet<PathBuf>, AssetError> {
    let textures = imported.textures();
    let mut loader = TextureLoader::of(path, &textures);
    for raw_material in imported.materials() {
        let mut material = read_values(raw_material);
        let lights = [sys::aiTextureType_aiTextureType_EMISSIVE, sys::aiTextureType_aiTextureType_EMISSION_COLOR];
        if material.emissive != [0.0; 3]
            && let Some(name) = lights.into_iter().find_map(|kind| raw::material_texture(raw_material, kind))
        {
            let light = loader.mean(&name).map_or(Vec3::ZERO, |mean| mean.light);
            material.emissive = (Vec3::from(material.emissive) * light).to_array();
        }
        // Green is roughness, blue is metal (glTF 2.0, section 3.9.2).
        if is_gltf(path)
            && let Some(name) = raw::material_texture(raw_material, sys::aiTextureType_aiTextureType_METALNESS)
        {
            let mean = loader.mean(&name).map_or(Vec3::Y, |mean| mean.stored);
            material.metallic *= mean.z;
            material.roughness *= mean.y;
        }
        let base = [sys::aiTextureType_aiTextureType_BASE_COLOR, sys::aiTextureType_aiTextureType_DIFFUSE];
        if let Some(name) = base.into_iter().find_map(|kind| raw::material_texture(raw_material, kind)) {
            material.base_color_image = loader.image(&name, model)?;
        }
        let normals = [sys::aiTextureType_aiTextureType_NORMALS, sys::aiTextureType_aiTextureType_NORMAL_CAMERA];
        if let Some(name) = normals.into_iter().find_map(|kind| raw::material_texture(raw_material, kind)) {
            material.normal_image = loader.image(&name, model)?;
        }
        model.materials.push(material);
    }
    if model.materials.is_empty() {
        model.materials.push(Material::default());
    }
    Ok(loader.looked_for)
}

fn read_values(raw_material: &sys::aiMaterial) -> Material {
    let default = Material::default();
    let color = [c"$clr.base", c"$clr.diffuse"].into_iter().find_map(|key| raw::material_color(raw_material, key));
    let mut base_color = color.unwrap_or(default.base_color).map(|c| c.clamp(0.0, 1.0));
    if let Some(opacity) = raw::material_float(raw_material, c"$mat.opacity") {
        base_color[3] = base_color[3].min(opacity.clamp(0.0, 1.0));
    }
    let mode = raw::material_string(raw_material, c"$mat.gltf.alphaMode").unwrap_or_default();
    let cutoff = raw::material_float(raw_material, c"$mat.gltf.alphaCutoff").unwrap_or(0.5);
    let emissive = raw::material_color(raw_material, c"$clr.emissive").unwrap_or([0.0; 4]);
    Material {
        name: raw::material_string(raw_material, c"?mat.name").unwrap_or_default(),
        base_color,
        metallic: raw::material_float(raw_material, c"$mat.metallicFactor").unwrap_or(0.0).clamp(0.0, 1.0),
        roughness: raw::material_float(raw_material, c"$mat.roughnessFactor")
            .unwrap_or(default.roughness)
            .clamp(0.0, 1.0),
        emissive: [emissive[0], emissive[1], emissive[2]].map(|c| c.clamp(0.0, 1e3)),
        alpha_cutoff: match mode.as_str() {
            "MASK" => cutoff.clamp(0.0, 1.0),
            // Nothing is drawn see-through: leaves and fences are cut out where their texture is less than half there, panes stay.
            "BLEND" => base_color[3].clamp(0.0, 1.0) * 0.5,
            _ => 0.0,
        },
        ..default
    }
}

/// Where a picture lies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PicturePlace {
    /// In the model file, by its number there.
    Embedded(usize),
    /// In a file, with all links resolved.
    File(PathBuf),
}

/// Decodes the textures of a file, each once, however many names lead to it.
struct TextureLoader<'a> {
    folder: InsideFolder,
    textures: &'a [&'a sys::aiTexture],
    /// The numbers of embedded textures by their file names.
    embedded: HashMap<String, usize>,
    by_name: HashMap<String, Option<u32>>,
    by_place: HashMap<PicturePlace, Option<u32>>,
    means: HashMap<String, Option<PictureMean>>,
    /// Files beside the model, relative to its folder, also those that are not there.
    looked_for: BTreeSet<PathBuf>,
    budget: PictureBudget,
}

impl<'a> TextureLoader<'a> {
    fn of(path: &Path, textures: &'a [&'a sys::aiTexture]) -> Self {
        let mut embedded = HashMap::new();
        for (i, texture) in textures.iter().enumerate() {
            let own = raw::string(&texture.mFilename);
            if !own.is_empty() {
                embedded.entry(file_name(&own).to_owned()).or_insert(i);
            }
        }
        Self {
            folder: InsideFolder::of(folder_of(path)),
            textures,
            embedded,
            by_name: HashMap::new(),
            by_place: HashMap::new(),
            means: HashMap::new(),
            looked_for: BTreeSet::new(),
            budget: PictureBudget::default(),
        }
    }

    /// The means of a picture that is not kept; `None` where it cannot be read.
    fn mean(&mut self, name: &str) -> Option<PictureMean> {
        if let Some(&known) = self.means.get(name) {
            return known;
        }
        let mean = self.place(name).ok().and_then(|place| match place {
            PicturePlace::Embedded(i) => {
                let texture = self.textures[i];
                let told_by = format!("{name}.{}", raw::fixed_string(&texture.achFormatHint));
                let bytes = compressed_bytes(texture)?;
                self.budget.mean(bytes, &told_by).ok()
            }
            PicturePlace::File(path) => self.budget.mean(&read(&path, limits::FILE_BYTES).ok()?, name).ok(),
        });
        self.means.insert(name.to_owned(), mean);
        mean
    }

    fn image(&mut self, name: &str, model: &mut Model) -> Result<Option<u32>, AssetError> {
        if let Some(&known) = self.by_name.get(name) {
            return Ok(known);
        }
        let place = self.place(name);
        let known = place.as_ref().ok().and_then(|place| self.by_place.get(place)).copied();
        let index = match known {
            Some(known) => known,
            None => self.decoded(name, place, model),
        };
        self.by_name.insert(name.to_owned(), index);
        Ok(index)
    }

    /// Decodes a picture into the model; `None` where it is left out, which a warning says.
    fn decoded(&mut self, name: &str, place: Result<PicturePlace, TextureError>, model: &mut Model) -> Option<u32> {
        let decoded = place.as_ref().map_err(TextureError::clone).and_then(|place| match place {
            PicturePlace::Embedded(i) => decode_embedded(self.textures[*i], name, &mut self.budget),
            PicturePlace::File(path) => decode_file(path, name, &mut self.budget),
        });
        let index = match decoded {
            Ok(DecodedPicture { image, reduction }) => {
                model.warnings.extend(reduction.map(|reduction| format!("texture {name:?} is {reduction}")));
                model.images.push(Arc::new(image));
                Some(model.images.len() as u32 - 1)
            }
            Err(error) => {
                model.warnings.push(format!("texture {name:?} is left out: {error}"));
                None
            }
        };
        self.by_place.extend(place.ok().map(|place| (place, index)));
        index
    }

    fn place(&mut self, name: &str) -> Result<PicturePlace, TextureError> {
        let embedded = match name.strip_prefix('*') {
            Some(number) => number.parse().ok().filter(|&i: &usize| i < self.textures.len()),
            None => self.embedded.get(file_name(name)).copied(),
        };
        match embedded {
            Some(i) => Ok(PicturePlace::Embedded(i)),
            None => self.file(name),
        }
    }

    /// A texture beside the model. Of a name that another machine or another folder gave it, as much of the end is taken as
    /// leads to a file: `C:\art\textures\leaf.png` is `textures/leaf.png` or `leaf.png`.
    fn file(&mut self, name: &str) -> Result<PicturePlace, TextureError> {
        let named = PathBuf::from(name.replace('\\', "/"));
        let parts: Vec<_> = named.components().filter(|c| matches!(c, Component::Normal(_))).collect();
        let mut fault = TextureError::Missing;
        for from in parts.len().saturating_sub(MAX_NAME_PARTS)..parts.len() {
            let file: PathBuf = parts[from..].iter().collect();
            let found = self.folder.resolve(&file);
            self.looked_for.insert(file);
            match found.and_then(|path| open(&path, limits::FILE_BYTES).map(|_| path)) {
                Ok(path) => return Ok(PicturePlace::File(path)),
                Err(ReadFault::Missing) => {}
                Err(other) => fault = other.into(),
            }
        }
        Err(fault)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The bytes of an embedded picture in the form of a file; `None` of one that is decoded already.
fn compressed_bytes(texture: &sys::aiTexture) -> Option<&[u8]> {
    // The width is the number of bytes then.
    (texture.mHeight == 0).then(|| raw::slice(texture.pcData.cast::<u8>(), texture.mWidth))
}

fn decode_embedded(
    texture: &sys::aiTexture,
    name: &str,
    budget: &mut PictureBudget,
) -> Result<DecodedPicture, TextureError> {
    let own = raw::string(&texture.mFilename);
    let hint = raw::fixed_string(&texture.achFormatHint);
    let hinted = format!("{name}.{hint}");
    let name = if own.is_empty() { hinted.clone() } else { own };
    if let Some(bytes) = compressed_bytes(texture) {
        let told_by = if Path::new(&name).extension().is_some() { name.clone() } else { hinted };
        let DecodedPicture { image, reduction } = budget.decode(bytes, told_by)?;
        return Ok(DecodedPicture { image: Image { name, ..image }, reduction });
    }
    let (width, height) = (texture.mWidth, texture.mHeight);
    budget.take(width, height)?;
    let texels = raw::slice(texture.pcData, width * height);
    let rgba = texels.iter().flat_map(|t| [t.r, t.g, t.b, t.a]).collect();
    Ok(DecodedPicture { image: Image { name, width, height, rgba }, reduction: None })
}

fn decode_file(path: &Path, name: &str, budget: &mut PictureBudget) -> Result<DecodedPicture, TextureError> {
    let bytes = read(path, limits::FILE_BYTES)?;
    Ok(budget.decode(&bytes, file_name(name).to_owned())?)
}
