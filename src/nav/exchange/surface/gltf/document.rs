//! What of glTF's JSON is read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use glam::{DMat4, DQuat, DVec3};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::super::super::gltf_write::NGON_ENCODING;
use super::super::super::side_files::SideFiles;
use super::super::super::{Bytes, ExchangeError};
use crate::asset::import::uri::{data_of, file_of};
use crate::disk::base64::decode;

/// Primitives that are triangles: each of three vertices, strips and fans.
pub(super) const TRIANGLES: u32 = 4;

/// Most nodes of a document: three bytes of text make one of some hundred.
const MAX_LISTED_NODES: usize = 1 << 20;

/// The document.
#[derive(Deserialize)]
pub struct Document {
    scene: Option<usize>,
    #[serde(default)]
    scenes: Vec<GltfScene>,
    #[serde(default, deserialize_with = "nodes_of")]
    pub nodes: Vec<GltfNode>,
    #[serde(default)]
    pub meshes: Vec<GltfMesh>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default, rename = "bufferViews")]
    pub views: Vec<BufferView>,
    #[serde(default)]
    buffers: Vec<GltfBuffer>,
    #[serde(default, rename = "extensionsRequired")]
    extensions: Vec<String>,
}

#[derive(Deserialize)]
struct GltfScene {
    #[serde(default)]
    nodes: Vec<usize>,
}

/// A node: its place and its mesh.
#[derive(Deserialize)]
pub struct GltfNode {
    pub mesh: Option<usize>,
    #[serde(default)]
    pub children: Vec<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

/// A mesh.
#[derive(Deserialize)]
pub struct GltfMesh {
    pub primitives: Vec<Primitive>,
}

/// A part of a mesh.
#[derive(Deserialize)]
pub struct Primitive {
    pub attributes: HashMap<String, usize>,
    pub indices: Option<usize>,
    mode: Option<u32>,
    #[serde(default)]
    extensions: HashMap<String, serde::de::IgnoredAny>,
}

/// Numbers in a view of a buffer.
#[derive(Deserialize)]
pub struct Accessor {
    #[serde(rename = "bufferView")]
    pub view: Option<usize>,
    #[serde(default, rename = "byteOffset")]
    pub offset: usize,
    #[serde(rename = "componentType")]
    component: u32,
    pub count: usize,
    #[serde(rename = "type")]
    shape: String,
    pub sparse: Option<serde::de::IgnoredAny>,
}

/// A part of a buffer.
#[derive(Deserialize)]
pub struct BufferView {
    pub buffer: usize,
    #[serde(default, rename = "byteOffset")]
    pub offset: usize,
    #[serde(rename = "byteLength")]
    pub length: usize,
    #[serde(rename = "byteStride")]
    pub stride: Option<usize>,
}

#[derive(Deserialize)]
struct GltfBuffer {
    uri: Option<String>,
}

/// The nodes of a document, at most [`MAX_LISTED_NODES`].
fn nodes_of<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<GltfNode>, D::Error> {
    struct NodeList;
    impl<'de> Visitor<'de> for NodeList {
        type Value = Vec<GltfNode>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "a list of at most {MAX_LISTED_NODES} nodes")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut nodes = Vec::new();
            while let Some(node) = list.next_element()? {
                if nodes.len() == MAX_LISTED_NODES {
                    return Err(A::Error::invalid_length(nodes.len() + 1, &self));
                }
                nodes.push(node);
            }
            Ok(nodes)
        }
    }
    list.deserialize_seq(NodeList)
}

impl Document {
    /// The nodes at the top of the scene that is shown first; all that are below no other without one.
    pub fn roots(&self) -> Vec<usize> {
        if let Some(scene) = self.scenes.get(self.scene.unwrap_or(0)) {
            return scene.nodes.clone();
        }
        let below: std::collections::HashSet<usize> =
            self.nodes.iter().flat_map(|n| n.children.iter().copied()).collect();
        (0..self.nodes.len()).filter(|node| !below.contains(node)).collect()
    }

    /// An extension without which the geometry cannot be read.
    pub fn unread_extension(&self) -> Option<&str> {
        let is_looks =
            |name: &str| name.starts_with("KHR_materials_") || name == NGON_ENCODING || name.contains("_texture_");
        self.extensions.iter().map(String::as_str).find(|name| !is_looks(name))
    }

    /// The bytes of the buffers; `chunk` is that of a `.glb` file.
    ///
    /// # Errors
    /// One lies in a file that is not beside it, or is damaged.
    pub fn buffers<'a>(
        &'a self,
        chunk: Option<&'a [u8]>,
        side: Option<&SideFiles>,
    ) -> Result<Vec<Cow<'a, [u8]>>, ExchangeError> {
        let buffer = |(index, buffer): (usize, &'a GltfBuffer)| {
            let fault = ExchangeError::Element { what: "buffer", index };
            match &buffer.uri {
                None => chunk.map(Cow::Borrowed).ok_or(fault),
                Some(uri) if let Some(data) = data_of(uri) => {
                    let bytes = data.split_once(";base64,").and_then(|(_, text)| decode(text));
                    bytes.map(Cow::Owned).ok_or(fault)
                }
                Some(uri) if let Some(side) = side => Ok(Cow::Owned(side.read(Path::new(&file_of(uri)))?)),
                Some(uri) => {
                    let short: String = uri.chars().take(80).collect();
                    let error = format!("its vertices lie in another file, {short}; save it as one file (.glb)");
                    Err(ExchangeError::Text(error))
                }
            }
        };
        self.buffers.iter().enumerate().map(buffer).collect()
    }
}

impl Primitive {
    /// What its vertices are: triangles, where it does not say.
    pub fn mode(&self) -> u32 {
        self.mode.unwrap_or(TRIANGLES)
    }

    /// Whether triangles that begin at one vertex are a polygon.
    pub fn has_polygons(&self) -> bool {
        self.extensions.contains_key(NGON_ENCODING)
    }
}

impl GltfNode {
    /// Where the node stands.
    pub fn parent_from_node(&self) -> DMat4 {
        if let Some(matrix) = &self.matrix {
            return DMat4::from_cols_array(matrix);
        }
        DMat4::from_scale_rotation_translation(
            self.scale.map_or(DVec3::ONE, DVec3::from_array),
            self.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
            self.translation.map_or(DVec3::ZERO, DVec3::from_array),
        )
    }
}

impl Accessor {
    /// Bytes of a number.
    pub fn bytes(&self) -> Option<usize> {
        match self.component {
            5121 => Some(1),
            5123 => Some(2),
            5125 | 5126 => Some(4),
            _ => None,
        }
    }

    /// Numbers of an element.
    pub fn parts(&self) -> usize {
        match self.shape.as_str() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 0,
        }
    }

    /// The next number.
    pub fn read(&self, bytes: &mut Bytes<'_>) -> Option<f64> {
        match self.component {
            5121 => bytes.u8().map(f64::from),
            5123 => bytes.u16().map(f64::from),
            5125 => bytes.u32().map(f64::from),
            5126 => bytes.f32().map(f64::from),
            _ => None,
        }
    }
}
