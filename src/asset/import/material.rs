//! Materials and their textures, whatever read the file.

use super::gltf;
use super::limits;
use super::opacity::{self, DeclaredAlpha, alpha_mode};
use super::picture_names::{PICTURE_PLACES, in_other_formats, is_unread};
use super::uri::beside;
use crate::asset::image::{DecodedPicture, PictureBudget, PictureError};
use crate::asset::{AlphaMode, Image, Material, Model};
use crate::disk::read::{ReadFault, open, read};
use crate::disk::{InsideFolder, folder_of, has_extension};
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// What a file says of a material. Textures go by the names of their files, or as `*N` by their number among the embedded ones.
pub struct FileMaterial {
    /// Its values, without pictures.
    pub values: Material,
    /// What the file says of its alpha.
    pub alpha: DeclaredAlpha,
    /// Texture of its colour.
    pub base_color: Option<String>,
    /// Texture of what of it shines.
    pub emissive: Option<String>,
    /// Texture whose green is roughness and whose blue is metal.
    pub surface: Option<String>,
    /// Texture whose white covers.
    pub mask: Option<String>,
    /// Texture of its normals.
    pub normals: Option<String>,
}

/// A picture inside a model file.
pub struct EmbeddedPicture<'a> {
    /// The name of its file; may be empty.
    pub name: String,
    /// What tells its format where its bytes do not, as `png`; may be empty.
    pub ending: String,
    /// What it holds.
    pub content: PictureContent<'a>,
}

/// The form in which a file holds a picture.
pub enum PictureContent<'a> {
    /// That of a picture's file.
    File(&'a [u8]),
    /// Texels, row by row.
    Texels {
        /// In texels.
        width: u32,
        /// In texels.
        height: u32,
        /// Four bytes for each texel: blue, green, red and alpha.
        bgra: &'a [u8],
    },
}

/// Most parts of a texture's name that are looked for, from its end.
const MAX_NAME_PARTS: usize = 8;

/// Most names of a file for which pictures of other formats are looked for: each takes some eighty looks.
const MAX_OTHER_FORMATS: usize = 256;

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

/// What is known besides the materials once they are read.
pub struct ReadMaterials {
    /// Files that were looked for, relative to the model's folder, whether they are there or not.
    pub looked_for: BTreeSet<PathBuf>,
    /// Materials of whose alpha the file says nothing and whose picture looks like a cut-out.
    pub guessed_cutouts: BTreeSet<u32>,
}

/// Puts the materials of a file into its model, with the images that they name. A texture that cannot be read becomes a warning.
pub fn read_all(
    materials: Vec<FileMaterial>,
    embedded: &[EmbeddedPicture],
    path: &Path,
    model: &mut Model,
) -> ReadMaterials {
    let mut guessed_cutouts = BTreeSet::new();
    let mut loader = TextureLoader::of(path, embedded);
    let [is_gltf, is_fbx] = [gltf::EXTENSIONS, &["fbx"]].map(|kind| has_extension(path, kind));
    for said in materials {
        let mut material = said.values;
        if material.emissive != [0.0; 3]
            && let Some(name) = said.emissive
        {
            material.emissive_image = loader.image(&name, model);
            // The texture says which parts shine.
            material.emissive = material.emissive_image.map_or([0.0; 3], |_| material.emissive);
        }
        if let Some(name) = said.surface {
            material.surface_image = loader.image(&name, model);
            material.metallic = material.surface_image.map_or(0.0, |_| material.metallic);
        }
        if let Some(name) = &said.base_color {
            material.base_color_image = loader.image(name, model);
            // Without the texture that stands for its colour a black one says nothing.
            if material.base_color_image.is_none() && material.base_color[..3] == [0.0; 3] && !is_gltf {
                material.base_color[..3].copy_from_slice(&Material::default().base_color[..3]);
            }
            if material.base_color_image.is_some() && is_fbx {
                material.base_color = color_under_texture(material.base_color);
            }
        }
        let mut is_masked = said.mask.is_some() && said.mask == said.base_color && material.base_color_image.is_some();
        if let Some(name) = said.mask.filter(|name| said.base_color.as_ref() != Some(name))
            && let Some(mask) = loader.image(&name, model)
        {
            material.base_color_image = loader.masked(material.base_color_image, mask, model);
            is_masked = true;
        }
        if let Some(name) = said.normals {
            material.normal_image = loader.image(&name, model);
        }
        let mut declared = said.alpha;
        if is_masked && declared == DeclaredAlpha::Unsaid {
            declared = DeclaredAlpha::Blend;
            material.base_color[3] = opacity::alpha_under_mask(material.base_color[3]);
        }
        let picture = material.base_color_image.and_then(|i| model.images.get(i as usize));
        material.alpha = alpha_mode(declared, material.base_color[3], picture.map(Arc::as_ref));
        if declared == DeclaredAlpha::Unsaid && matches!(material.alpha, AlphaMode::Cutout(_)) {
            guessed_cutouts.insert(model.materials.len() as u32);
        }
        model.materials.push(material);
    }
    if model.materials.is_empty() {
        model.materials.push(Material::default());
    }
    ReadMaterials { looked_for: loader.looked_for, guessed_cutouts }
}

/// The colour of an FBX material that has a texture of it. In the format the texture takes its place, and modellers leave there what a
/// new material has, a grey: 0.8, 0.588 or 0.5. A tint is meant, and stays.
fn color_under_texture([red, green, blue, alpha]: [f32; 4]) -> [f32; 4] {
    if red == green && green == blue { [1.0, 1.0, 1.0, alpha] } else { [red, green, blue, alpha] }
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
    textures: &'a [EmbeddedPicture<'a>],
    /// The numbers of embedded textures by their file names.
    embedded: HashMap<String, usize>,
    /// For each embedded texture the first with the same bytes: a file may hold one any number of times.
    first_alike: Vec<usize>,
    by_name: HashMap<String, Option<u32>>,
    by_place: HashMap<PicturePlace, Option<u32>>,
    masked: HashMap<(Option<u32>, u32), u32>,
    /// Names for which pictures of other formats were looked for.
    other_formats: usize,
    /// Files beside the model, relative to its folder, also those that are not there.
    looked_for: BTreeSet<PathBuf>,
    budget: PictureBudget,
}

impl<'a> TextureLoader<'a> {
    fn of(path: &Path, textures: &'a [EmbeddedPicture<'a>]) -> Self {
        let mut embedded = HashMap::new();
        for (i, texture) in textures.iter().enumerate().filter(|(_, texture)| !texture.name.is_empty()) {
            embedded.entry(file_name(&texture.name).to_owned()).or_insert(i);
        }
        let bytes = |texture: &'a EmbeddedPicture<'a>| match texture.content {
            PictureContent::File(bytes) => Some((bytes, texture.ending.as_str())),
            PictureContent::Texels { .. } => None,
        };
        Self {
            first_alike: firsts(textures.iter().map(bytes)),
            folder: InsideFolder::with_siblings(folder_of(path)),
            textures,
            embedded,
            by_name: HashMap::new(),
            by_place: HashMap::new(),
            masked: HashMap::new(),
            other_formats: 0,
            looked_for: BTreeSet::new(),
            budget: PictureBudget::default(),
        }
    }

    /// The number of the picture `base`, white without one, with another one as its alpha; `base` where there is no memory for it.
    fn masked(&mut self, base: Option<u32>, mask: u32, model: &mut Model) -> Option<u32> {
        if let Some(&known) = self.masked.get(&(base, mask)) {
            return Some(known);
        }
        let picture = |i: u32| model.images[i as usize].as_ref();
        let size = picture(base.unwrap_or(mask));
        if let Err(error) = self.budget.take(size.width, size.height) {
            model.warnings.push(format!("texture {:?} is left out: {error}", picture(mask).name));
            return base;
        }
        let masked = opacity::masked(base.map(picture), picture(mask));
        let index = model.images.len() as u32;
        model.images.push(Arc::new(masked));
        self.masked.insert((base, mask), index);
        Some(index)
    }

    fn image(&mut self, name: &str, model: &mut Model) -> Option<u32> {
        let name = name.trim();
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let place = self.place(name);
        let known = place.as_ref().ok().and_then(|place| self.by_place.get(place)).copied();
        let index = match known {
            Some(known) => known,
            None => self.decoded(name, place, model),
        };
        self.by_name.insert(name.to_owned(), index);
        index
    }

    /// Decodes a picture into the model; `None` where it is left out, which a warning says.
    fn decoded(&mut self, name: &str, place: Result<PicturePlace, TextureError>, model: &mut Model) -> Option<u32> {
        let decoded = place.as_ref().map_err(TextureError::clone).and_then(|place| match place {
            PicturePlace::Embedded(i) => decode_embedded(&self.textures[*i], name, &mut self.budget),
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
            Some(i) => Ok(PicturePlace::Embedded(self.first_alike[i])),
            None => self.file(name),
        }
    }

    /// A texture beside the model, or in a folder beside the model's own where the name says so. Of a name that another
    /// machine or another folder gave it, as much of the end is taken as leads to a file: `C:\art\textures\leaf.png` is
    /// `textures/leaf.png`, `leaf.png` or `../textures/leaf.png`. One that is in none of these places is looked for where pictures
    /// are kept, as `../materials/textures/leaf.png`, and at last in other formats, as `leaf.jpg`.
    fn file(&mut self, name: &str) -> Result<PicturePlace, TextureError> {
        let named = PathBuf::from(name.replace('\\', "/"));
        let parts: Vec<_> = named.components().filter(|c| matches!(c, Component::Normal(_))).collect();
        let ends = (parts.len().saturating_sub(MAX_NAME_PARTS)..parts.len())
            .map(|from| parts[from..].iter().collect::<PathBuf>());
        // Then in the folder of the same name beside the model's own, and where pictures are kept.
        let last =
            parts.len().checked_sub(2).map(|from| Path::new("..").join(parts[from..].iter().collect::<PathBuf>()));
        let usual = parts.last().into_iter().flat_map(|file| PICTURE_PLACES.map(|place| Path::new(place).join(file)));
        let places: Vec<PathBuf> = beside(name).into_iter().chain(ends).chain(last).chain(usual).collect();
        let found = self.first_of(places);
        let is_settled = match &found {
            Ok(PicturePlace::File(path)) => !is_unread(path),
            Ok(PicturePlace::Embedded(_)) => true,
            Err(fault) => !matches!(fault, TextureError::Missing),
        };
        let file = parts.last().and_then(|part| part.as_os_str().to_str()).filter(|_| !is_settled);
        let Some(file) = file.filter(|_| self.other_formats < MAX_OTHER_FORMATS) else { return found };
        self.other_formats += 1;
        match self.first_of(in_other_formats(file)) {
            Err(TextureError::Missing) => found,
            Err(fault) => found.or(Err(fault)),
            in_other_format => in_other_format,
        }
    }

    /// The first of these files, relative to the model's folder, that can be opened.
    fn first_of(&mut self, files: impl IntoIterator<Item = PathBuf>) -> Result<PicturePlace, TextureError> {
        let mut fault = TextureError::Missing;
        for file in files {
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

/// For each key the position of the first that is equal; its own without one.
fn firsts<K: Eq + Hash>(keys: impl Iterator<Item = Option<K>>) -> Vec<usize> {
    let mut known = HashMap::new();
    keys.enumerate().map(|(i, key)| key.map_or(i, |key| *known.entry(key).or_insert(i))).collect()
}

fn decode_embedded(
    texture: &EmbeddedPicture,
    name: &str,
    budget: &mut PictureBudget,
) -> Result<DecodedPicture, TextureError> {
    let told_by = format!("{name}.{}", texture.ending);
    let name = if texture.name.is_empty() { told_by.clone() } else { texture.name.clone() };
    match &texture.content {
        PictureContent::File(bytes) => {
            let DecodedPicture { image, reduction } = budget.decode(bytes, told_by)?;
            Ok(DecodedPicture { image: Image { name, ..image }, reduction })
        }
        &PictureContent::Texels { width, height, bgra } => {
            budget.take(width, height)?;
            let rgba = bgra.as_chunks().0.iter().flat_map(|&[b, g, r, a]| [r, g, b, a]).collect();
            Ok(DecodedPicture { image: Image { name, width, height, rgba }, reduction: None })
        }
    }
}

fn decode_file(path: &Path, name: &str, budget: &mut PictureBudget) -> Result<DecodedPicture, TextureError> {
    let bytes = read(path, limits::FILE_BYTES)?;
    // The file may be of another format than the name says, and some formats are told by the name alone.
    let told_by = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let DecodedPicture { image, reduction } = budget.decode(&bytes, told_by)?;
    Ok(DecodedPicture { image: Image { name: file_name(name).to_owned(), ..image }, reduction })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greys_of_fbx_give_way_to_textures_and_tints_stay() {
        assert_eq!(color_under_texture([0.588, 0.588, 0.588, 0.5]), [1.0, 1.0, 1.0, 0.5]);
        assert_eq!(color_under_texture([0.0, 0.0, 0.0, 1.0]), [1.0; 4]);
        assert_eq!(color_under_texture([0.6, 0.5, 0.4, 1.0]), [0.6, 0.5, 0.4, 1.0]);
    }

    #[test]
    fn equal_pictures_are_the_first_of_them() {
        let keys = [Some("a"), None, Some("b"), Some("a"), None, Some("b"), Some("a")];
        assert_eq!(firsts(keys.into_iter()), [0, 1, 2, 0, 4, 2, 0]);
    }

    #[test]
    fn pictures_may_be_of_another_format_than_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("textures")).unwrap();
        for file in ["bark.png", "textures/Leaf.TGA", "moss.jpg", "stone.psd", "stone.png", "sand.tif"] {
            std::fs::write(folder.path().join(file), "a").unwrap();
        }
        let mut loader = TextureLoader::of(&folder.path().join("tree.fbx"), &[]);
        let mut found = |name: &str| match loader.file(name) {
            Ok(PicturePlace::File(path)) => path.file_name().map(|file| file.to_string_lossy().into_owned()),
            _ => None,
        };
        for (name, file) in [
            ("C:\\art\\bark.psd", "bark.png"),
            ("../sources/leaf.tif", "Leaf.TGA"),
            ("models/players/moss", "moss.jpg"),
            ("stone.psd", "stone.png"),
            ("sand.tif", "sand.tif"),
        ] {
            assert_eq!(found(name).as_deref(), Some(file), "{name}");
        }
        assert_eq!([found("bark.v2"), found("none.png"), found(".")], [None, None, None]);
    }

    #[test]
    fn other_formats_are_looked_for_a_limited_number_of_times() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bark.png"), "a").unwrap();
        let mut loader = TextureLoader::of(&folder.path().join("tree.fbx"), &[]);
        for number in 0..MAX_OTHER_FORMATS {
            assert!(loader.file(&format!("{number}.psd")).is_err());
        }
        assert!(loader.file("bark.psd").is_err() && loader.file("bark.png").is_ok());
    }
}
