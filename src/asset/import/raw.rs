//! Safe access to what Assimp returns: every pointer is checked before it is followed.

use super::budget::over_memory;
use super::file_io::{ModelFolder, Replacement, name_for_assimp};
use super::reasons::for_people;
use crate::asset::AssetError;
use crate::disk::memory;
use glam::{Mat4, Quat, Vec3};
use russimp::sys;
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

/// What Assimp calls the root of a Half-Life model.
const HALF_LIFE_ROOT: &str = "<MDL_root>";

/// What is made of a file besides reading it: triangles as they are, missing normals, texture coordinates from the
/// top, and a look at whether all of it fits together.
const FLAGS: u32 = sys::aiPostProcessSteps_aiProcess_Triangulate
    | sys::aiPostProcessSteps_aiProcess_GenNormals
    | sys::aiPostProcessSteps_aiProcess_FlipUVs
    | sys::aiPostProcessSteps_aiProcess_ValidateDataStructure;

/// What Assimp says of the last file that it refused.
fn last_error() -> String {
    // SAFETY: Assimp returns a zero-terminated string that lives until the next import of this thread.
    unsafe { CStr::from_ptr(sys::aiGetErrorString()) }.to_string_lossy().into_owned()
}

/// An imported file; freed when dropped.
pub struct Imported {
    scene: *const sys::aiScene,
    /// The files beside the model that were asked for, relative to its folder, also those that are not there.
    pub files: Vec<PathBuf>,
}

impl Imported {
    /// Imports `path`, or what takes its place, with the flags that keep triangles as they are. Says too which files
    /// were left out. In a worker that takes at most `reading_bytes` of memory.
    pub fn open(
        path: &Path,
        replacement: Option<Replacement>,
        reading_bytes: u64,
    ) -> Result<(Self, Vec<String>), AssetError> {
        let malformed = |reason: &str| AssetError::Malformed { path: path.into(), reason: reason.into() };
        // Files beside one without a folder in its name are searched below it.
        let with_folder = Path::new(".").join(path);
        let path = if path.parent().is_some_and(|folder| folder.as_os_str().is_empty()) { &with_folder } else { path };
        let name = name_for_assimp(path);
        let name = CString::new(name.as_bytes()).map_err(|_| malformed("its name holds a zero byte"))?;
        let mut folder = ModelFolder::of(path, replacement);
        let mut io = folder.io();
        let reading = memory::hold_back(reading_bytes);
        // SAFETY: `name` is a zero-terminated string; it, the table and the folder behind it outlive the calls.
        let scene = unsafe { sys::aiImportFileEx(name.as_ptr(), FLAGS, &mut io) };
        drop(reading);
        let left_out = std::mem::take(&mut folder.faults);
        if scene.is_null() {
            let reason = last_error();
            let reason = reason.lines().next().unwrap_or("").trim_end_matches('.').to_owned();
            // In the words of the C++ library.
            if reason.contains("bad_alloc") {
                return Err(malformed(&over_memory(reading_bytes)));
            }
            if let Some(fault) = left_out.first() {
                return Err(malformed(fault));
            }
            return Err(malformed(&for_people(&reason)));
        }
        let imported = Self { scene, files: std::mem::take(&mut folder.named).into_iter().collect() };
        if imported.scene().mRootNode.is_null() {
            return Err(malformed("it holds no node"));
        }
        Ok((imported, left_out))
    }

    fn scene(&self) -> &sys::aiScene {
        // SAFETY: not null (checked in `open`) and alive until `drop`.
        unsafe { &*self.scene }
    }

    /// The root node.
    pub fn root(&self) -> &sys::aiNode {
        // SAFETY: checked in `open`.
        unsafe { &*self.scene().mRootNode }
    }

    /// All meshes.
    pub fn meshes(&self) -> Vec<&sys::aiMesh> {
        pointers(self.scene().mMeshes, self.scene().mNumMeshes)
    }

    /// All materials.
    pub fn materials(&self) -> Vec<&sys::aiMaterial> {
        pointers(self.scene().mMaterials, self.scene().mNumMaterials)
    }

    /// All embedded textures.
    pub fn textures(&self) -> Vec<&sys::aiTexture> {
        pointers(self.scene().mTextures, self.scene().mNumTextures)
    }

    /// All animations.
    pub fn animations(&self) -> Vec<&sys::aiAnimation> {
        pointers(self.scene().mAnimations, self.scene().mNumAnimations)
    }

    /// The root's own transform. Half-Life models look along X, which Assimp turns to the back.
    pub fn root_transform(&self) -> Mat4 {
        let stored = matrix(&self.root().mTransformation);
        if string(&self.root().mName) == HALF_LIFE_ROOT {
            return Mat4::from_rotation_y(std::f32::consts::PI) * stored;
        }
        stored
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: came from `aiImportFile` and is released once.
        unsafe { sys::aiReleaseImport(self.scene) };
    }
}

/// A C array as a slice; empty for null.
pub fn slice<'a, T>(data: *const T, count: u32) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: Assimp makes arrays of as many elements as it counts, which its validation checks.
    unsafe { std::slice::from_raw_parts(data, count as usize) }
}

/// A C array of pointers as references; nulls are left out.
pub fn pointers<'a, T>(data: *const *mut T, count: u32) -> Vec<&'a T> {
    // SAFETY: each non-null element points at an object that lives as long as the import.
    slice(data, count).iter().filter_map(|p| unsafe { p.as_ref() }).collect()
}

/// Mesh indices of a node.
pub fn meshes_of(node: &sys::aiNode) -> &[u32] {
    slice(node.mMeshes, node.mNumMeshes)
}

/// Children of a node.
pub fn children(node: &sys::aiNode) -> Vec<&sys::aiNode> {
    pointers(node.mChildren, node.mNumChildren)
}

/// Text, with what is not UTF-8 replaced.
pub fn string(text: &sys::aiString) -> String {
    let length = (text.length as usize).min(text.data.len());
    let bytes: Vec<u8> = text.data[..length].iter().map(|&c| c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A zero-terminated fixed array.
pub fn fixed_string(chars: &[std::os::raw::c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A vector; non-finite components become 0.
pub fn vec3(v: &sys::aiVector3D) -> Vec3 {
    let clean = |x: f32| if x.is_finite() { x } else { 0.0 };
    Vec3::new(clean(v.x), clean(v.y), clean(v.z))
}

/// A unit quaternion; the identity for one that cannot be normalised.
pub fn quat(q: &sys::aiQuaternion) -> Quat {
    let q = Quat::from_xyzw(q.x, q.y, q.z, q.w);
    if q.is_finite() && q.length_squared() > 1e-12 { q.normalize() } else { Quat::IDENTITY }
}

/// A matrix, from Assimp's rows.
pub fn matrix(m: &sys::aiMatrix4x4) -> Mat4 {
    Mat4::from_cols_array(&[
        m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4, m.d1, m.d2, m.d3, m.d4,
    ])
    .transpose()
}

/// A colour property of a material.
pub fn material_color(material: &sys::aiMaterial, key: &CStr) -> Option<[f32; 4]> {
    let mut color = sys::aiColor4D { r: 0.0, g: 0.0, b: 0.0, a: 1.0 };
    // SAFETY: valid material, key and output.
    let result = unsafe { sys::aiGetMaterialColor(material, key.as_ptr(), 0, 0, &mut color) };
    let rgba = [color.r, color.g, color.b, color.a];
    (result == sys::aiReturn_aiReturn_SUCCESS && rgba.iter().all(|c| c.is_finite())).then_some(rgba)
}

/// A number property of a material.
pub fn material_float(material: &sys::aiMaterial, key: &CStr) -> Option<f32> {
    let (mut value, mut count) = (0.0_f32, 1_u32);
    // SAFETY: valid material and key; room for one value, as `count` says.
    let result = unsafe { sys::aiGetMaterialFloatArray(material, key.as_ptr(), 0, 0, &mut value, &mut count) };
    (result == sys::aiReturn_aiReturn_SUCCESS && count == 1 && value.is_finite()).then_some(value)
}

/// A text property of a material.
pub fn material_string(material: &sys::aiMaterial, key: &CStr) -> Option<String> {
    let mut text = empty_string();
    // SAFETY: valid material, key and output.
    let result = unsafe { sys::aiGetMaterialString(material, key.as_ptr(), 0, 0, &mut text) };
    (result == sys::aiReturn_aiReturn_SUCCESS).then(|| string(&text))
}

/// File name (or `*N` for an embedded one) of the first texture of a kind.
pub fn material_texture(material: &sys::aiMaterial, kind: sys::aiTextureType) -> Option<String> {
    let mut path = empty_string();
    let null = std::ptr::null_mut;
    // SAFETY: valid material and output; Assimp leaves out what is null.
    let result = unsafe {
        sys::aiGetMaterialTexture(
            material,
            kind,
            0,
            &mut path,
            std::ptr::null_mut(),
            null(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    (result == sys::aiReturn_aiReturn_SUCCESS).then(|| string(&path)).filter(|p| !p.is_empty())
}

fn empty_string() -> sys::aiString {
    sys::aiString { length: 0, data: [0; 1024] }
}
