//! Why a glTF is refused before Assimp sees it.

use thiserror::Error;

/// Why a glTF file is refused before Assimp sees it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GltfFault {
    /// A tile of 3D Tiles of another kind, with what such tiles hold.
    #[error("it is a tile of 3D Tiles that holds {0}; of tiles, those with a batched model (b3dm) are read")]
    OtherTile(&'static str),
    /// A tile of another version of its format.
    #[error("it is a tile of version {0}, and 1 is what is read")]
    TileVersion(usize),
    /// A tile that is cut off, or whose tables are said to be larger than it.
    #[error("its tile ends within its header or its tables, or is older than 3D Tiles 1.0")]
    ShortTile,
    /// A tile without a model where it should be.
    #[error("its tile holds no binary glTF behind its tables, or is older than 3D Tiles 1.0")]
    EmptyTile,
    /// A binary file without the glTF magic number.
    #[error("it does not begin as a binary glTF")]
    NoMagic,
    /// The header of a binary file is cut off.
    #[error("it ends within its header")]
    ShortHeader,
    /// The first chunk of a binary file is of another type.
    #[error("its first chunk is not JSON")]
    NoJsonChunk,
    /// The JSON chunk is shorter than its header states.
    #[error("its JSON chunk is cut off")]
    ShortJsonChunk,
    /// The JSON does not parse.
    #[error("its JSON is wrong: {0}")]
    Json(String),
    /// The file is of another version of the format.
    #[error("it is glTF {0}, and 2.0 is what is read; convert it to 2.0")]
    Version(String),
    /// The file says that it cannot be read without an extension that the importer does not know.
    #[error("it requires the glTF extension {0}, which is not read; export it without")]
    RequiredExtension(String),
    /// A buffer or image refers to a file outside the model's folder.
    #[error("{list} {index} refers to {uri:?}, which lies outside the model's folder")]
    OutsideFolder {
        /// `buffers` or `images`.
        list: &'static str,
        /// Index into that list.
        index: usize,
        /// The reference.
        uri: String,
    },
    /// The accessor of a vertex attribute has a type that the specification does not allow.
    #[error("mesh {mesh} has {attribute} data of a type that glTF does not allow")]
    AttributeType {
        /// Index of the mesh.
        mesh: usize,
        /// Name of the attribute.
        attribute: String,
    },
    /// The meshes have more vertices than a model may.
    #[error("its meshes have {vertices} vertices or more, over the limit of {limit}")]
    TooManyVertices {
        /// Vertices counted so far.
        vertices: u64,
        /// Most that are imported.
        limit: u64,
    },
    /// The skinned primitives have more bones than a model may.
    #[error("its skinned primitives have {bones} bones, each those of its whole skin, over the limit of {limit}")]
    TooManyBones {
        /// Bones of all primitives.
        bones: u64,
        /// Most that are imported.
        limit: u64,
    },
    /// The skins have so many joints that comparing their names takes too long.
    #[error("the joints of its skins make {pairs} pairs in its primitives, over the limit of {limit}")]
    TooManyBonePairs {
        /// Pairs of bones in all primitives.
        pairs: u64,
        /// Most that are compared.
        limit: u64,
    },
    /// Accessors without data stand for more zeros than a file may ask for.
    #[error(
        "accessor {accessor} has no data and stands for zeros: {bytes} bytes with those before it, over the limit of {limit}"
    )]
    TooManyZeros {
        /// Index of the accessor.
        accessor: usize,
        /// Bytes that zeros take so far.
        bytes: u64,
        /// Most that they may take.
        limit: u64,
    },
    /// Compressed or converted parts take too much memory when they are decoded.
    #[error(
        "its compressed and converted parts take {bytes} bytes or more when they are decoded, over the limit of {limit}"
    )]
    TooMuchDecoded {
        /// Bytes so far.
        bytes: u64,
        /// Most that they may take.
        limit: u64,
    },
    /// Data that has to be decoded is damaged or not there.
    #[error("{element} {index} {reason}")]
    Data {
        /// `buffer`, `bufferView`, `accessor` or `skin`.
        element: &'static str,
        /// Its index.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A primitive that is compressed by Draco is damaged.
    #[error("primitive {primitive} of mesh {mesh} is compressed by Draco and cannot be decoded: {reason}")]
    Draco {
        /// Index of the mesh.
        mesh: usize,
        /// Index of the primitive in it.
        primitive: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A node is the child of two others.
    #[error("node {0} has two parents")]
    TwoParents(usize),
    /// A node names a child that is not there.
    #[error("a node names child {0}, which does not exist")]
    MissingChild(usize),
    /// The node tree is deeper than the importer's recursion survives.
    #[error("its nodes are nested more than {0} deep")]
    TooDeep(u32),
    /// The nodes do not form a forest.
    #[error("its nodes form a circle")]
    Cycle,
}
