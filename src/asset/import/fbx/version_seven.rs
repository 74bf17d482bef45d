//! Objects and connections of FBX 7, from those of FBX 6.

use super::document::{FbxNode, FbxValue, written};
use super::model_surfaces::ModelSurfaces;
use std::collections::{HashMap, HashSet};

/// What objects say of their version, which no reader asks for.
const OBJECT_VERSION: i64 = 100;
/// Number of the first object: 0 is the root of all models.
const FIRST_ID: i64 = 1;
/// What the root of all models is called.
const ROOT: &[u8] = b"Model::Scene";
/// Most copies of materials, of those that lie under several textures.
const MAX_MATERIAL_COPIES: usize = 1000;

/// Objects and connections of version 7 as they come together.
#[derive(Debug, Default)]
pub struct VersionSevenScene {
    settings: Option<FbxNode>,
    /// Each with the id of its place.
    objects: Vec<FbxNode>,
    connections: Vec<FbxNode>,
    /// Ids by class and name.
    ids: HashMap<Vec<u8>, i64>,
    /// The mesh of each model that has one.
    geometries: HashMap<i64, i64>,
    /// The morph targets of models by their names.
    targets: HashMap<(i64, Vec<u8>), i64>,
    /// What lies on models that have a mesh.
    surfaces: Vec<ModelSurfaces>,
    surfaces_of: HashMap<i64, usize>,
    /// The material that a material under a texture has become.
    dressed: HashMap<(i64, Option<i64>), i64>,
    worn: HashSet<i64>,
    material_copies: usize,
}

impl VersionSevenScene {
    /// The id of the object with this class and name, as files write them.
    pub fn id(&self, label: &[u8]) -> Option<i64> {
        let key = key_of(label);
        if key == ROOT { Some(0) } else { self.ids.get(&key).copied() }
    }

    /// The morph target of a model by its name.
    pub fn target(&self, model: i64, name: &[u8]) -> Option<i64> {
        self.targets.get(&(model, name.to_vec())).copied()
    }

    /// Adds an object with its class, name and kind. Returns its id.
    pub fn add(&mut self, class: &str, label: &[u8], kind: &[u8], children: Vec<FbxNode>) -> i64 {
        let id = FIRST_ID + self.objects.len() as i64;
        let values = vec![FbxValue::Long(id), FbxValue::text(label), FbxValue::text(kind)];
        // Readers ask for a list below each object, if only of this.
        let version = FbxNode::with_values("Version", vec![FbxValue::Integer(OBJECT_VERSION)]);
        let children = [version].into_iter().chain(children).collect();
        self.objects.push(FbxNode { children, ..FbxNode::with_values(class, values) });
        id
    }

    /// Puts one object below another.
    pub fn connect(&mut self, from: i64, to: i64) {
        let values = vec![FbxValue::text(b"OO"), FbxValue::Long(from), FbxValue::Long(to)];
        self.connections.push(FbxNode::with_values("C", values));
    }

    /// Makes an object the source of a property of another.
    pub fn connect_property(&mut self, from: i64, to: i64, property: &[u8]) {
        let values = vec![FbxValue::text(b"OP"), FbxValue::Long(from), FbxValue::Long(to), FbxValue::text(property)];
        self.connections.push(FbxNode::with_values("C", values));
    }

    /// Adds an object of version 6 with all that became objects of their own.
    pub fn add_old(&mut self, object: FbxNode) {
        if object.name == "GlobalSettings" {
            self.settings = Some(properties(&object));
            return;
        }
        let Some(key) = object.text(0).map(key_of) else { return };
        if self.ids.contains_key(&key) {
            return;
        }
        let label = label_of(&key);
        if object.name == "Model" {
            let id = self.add_model(&label, object);
            self.ids.insert(key, id);
            return;
        }
        let kept = |names: &[&str]| {
            let children = object.children.iter().filter(|child| names.contains(&child.name.as_str()));
            children.cloned().collect::<Vec<_>>()
        };
        let id = match object.name.as_str() {
            "Material" => {
                let children = [kept(&["ShadingModel"]), vec![properties(&object)]].concat();
                self.add("Material", &label, b"", children)
            }
            "Texture" => {
                let names = kept(&["FileName", "RelativeFilename"]);
                let places = kept(&["ModelUVTranslation", "ModelUVScaling"]).into_iter().map(with_reals);
                let children = names.into_iter().chain(places).chain([properties(&object)]).collect();
                self.add("Texture", &label, b"", children)
            }
            "Video" => {
                let children =
                    [kept(&["FileName", "Filename", "RelativeFilename", "Content"]), vec![properties(&object)]]
                        .concat();
                self.add("Video", &label, b"Clip", children)
            }
            "Deformer" => {
                let kind = object.text(1).unwrap_or_default().to_vec();
                self.add("Deformer", &label, &kind, kept(&["Indexes", "Weights", "Transform", "TransformLink"]))
            }
            _ => return,
        };
        self.ids.insert(key, id);
    }

    fn add_model(&mut self, label: &[u8], model: FbxNode) -> i64 {
        let kind = model.text(1).unwrap_or_default().to_vec();
        let id = self.add("Model", label, &kind, vec![properties(&model)]);
        if model.child("Vertices").is_none() || model.child("PolygonVertexIndex").is_none() {
            return id;
        }
        self.surfaces_of.insert(id, self.surfaces.len());
        self.surfaces.push(ModelSurfaces::of(id, &model));
        let (mut mesh, mut shapes) = (Vec::new(), Vec::new());
        for child in model.children {
            match child.name.as_str() {
                "Vertices" | "PolygonVertexIndex" | "Edges" | "GeometryVersion" | "Layer" => mesh.push(child),
                // The textures are those of the materials.
                "LayerElementTexture" => {}
                _ if child.name.starts_with("LayerElement") => mesh.push(child),
                "Shape" => shapes.push(child),
                _ => {}
            }
        }
        let geometry = self.add("Geometry", &of_class(label, "Geometry"), b"Mesh", mesh);
        self.connect(geometry, id);
        self.geometries.insert(id, geometry);
        self.add_targets(id, geometry, shapes);
        id
    }

    /// Adds the morph targets of a mesh.
    fn add_targets(&mut self, model: i64, geometry: i64, shapes: Vec<FbxNode>) {
        let mut morph = None;
        for shape in shapes {
            let (Some(name), Some(indexes), Some(vertices)) =
                (shape.text(0), shape.child("Indexes"), shape.child("Vertices"))
            else {
                continue;
            };
            let Some(FbxValue::Reals(moves)) = vertices.values.first() else { continue };
            let normals = shape.child("Normals").filter(
                |normals| matches!(normals.values.first(), Some(FbxValue::Reals(list)) if list.len() == moves.len()),
            );
            // Readers ask for them.
            let flat = || FbxNode::with_values("Normals", vec![FbxValue::Reals(vec![0.0; moves.len()])]);
            let children = vec![indexes.clone(), vertices.clone(), normals.cloned().unwrap_or_else(flat)];
            let morph = *morph.get_or_insert_with(|| {
                let morph = self.add("Deformer", &joined(b"", "Deformer"), b"BlendShape", Vec::new());
                self.connect(morph, geometry);
                morph
            });
            let weights = vec![
                FbxNode::with_values("DeformPercent", vec![FbxValue::Real(0.0)]),
                FbxNode::with_values("FullWeights", vec![FbxValue::Reals(vec![100.0])]),
            ];
            let channel = self.add("Deformer", &joined(name, "SubDeformer"), b"BlendShapeChannel", weights);
            self.connect(channel, morph);
            let target = self.add("Geometry", &joined(name, "Geometry"), b"Shape", children);
            self.connect(target, channel);
            self.targets.insert((model, name.to_vec()), channel);
        }
    }

    /// Adds a connection of version 6; what lies on a model with a mesh waits for [`Self::dress_models`].
    pub fn connect_old(&mut self, connection: &FbxNode) {
        let (Some(kind), Some(from), Some(to)) = (connection.text(0), connection.text(1), connection.text(2)) else {
            return;
        };
        let (Some(source), Some(mut target)) = (self.id(from), self.id(to)) else { return };
        let class = key_of(from);
        if let Some(surfaces) = self.surfaces_of.get(&target).and_then(|&i| self.surfaces.get_mut(i)) {
            if class.starts_with(b"Material::") {
                surfaces.materials.push(source);
                return;
            }
            if class.starts_with(b"Texture::") {
                surfaces.textures.push(source);
                return;
            }
        }
        if class.starts_with(b"Deformer::") {
            target = self.geometries.get(&target).copied().unwrap_or(target);
        }
        match (kind, connection.text(3)) {
            (b"OO", _) => self.connect(source, target),
            (b"OP", Some(property)) => self.connect_property(source, target, property),
            _ => {}
        }
    }

    /// Puts its materials on each model, when all connections are known.
    pub fn dress_models(&mut self) {
        for surfaces in std::mem::take(&mut self.surfaces) {
            self.dress(&surfaces);
        }
    }

    /// Puts its materials on a model, each under its texture.
    fn dress(&mut self, surfaces: &ModelSurfaces) {
        let mut materials = surfaces.materials.clone();
        if materials.is_empty() && !surfaces.textures.is_empty() {
            let white = [1.0; 3].map(FbxValue::Real);
            let color = [&b"DiffuseColor"[..], b"Color", b"", b"A"].map(FbxValue::text);
            let color = FbxNode::with_values("P", color.into_iter().chain(white).collect());
            let children = vec![FbxNode::with_children("Properties70", vec![color])];
            materials.push(self.add("Material", &joined(b"texture", "Material"), b"", children));
        }
        let textures = surfaces.textures_of_materials();
        for (number, &material) in materials.iter().enumerate() {
            let dressed = self.dressed_material(material, textures.get(&number).copied());
            self.connect(dressed, surfaces.model);
        }
    }

    /// A material under a texture: itself the first time, a copy of it under another one.
    fn dressed_material(&mut self, material: i64, texture: Option<i64>) -> i64 {
        if let Some(&known) = self.dressed.get(&(material, texture)) {
            return known;
        }
        let is_first = self.worn.insert(material);
        let mut dressed = material;
        if !is_first
            && self.material_copies < MAX_MATERIAL_COPIES
            && let Some(copy) = self.objects.get((material - FIRST_ID) as usize).cloned()
        {
            self.material_copies += 1;
            let label = copy.text(1).unwrap_or_default().to_vec();
            // Without the version, which is added again.
            dressed = self.add("Material", &label, b"", copy.children.into_iter().skip(1).collect());
        }
        self.dressed.insert((material, texture), dressed);
        if let Some(texture) = texture.filter(|_| is_first || dressed != material) {
            self.connect_property(texture, dressed, b"DiffuseColor");
        }
        dressed
    }

    /// The file of version 7.
    pub fn into_file(self) -> Vec<u8> {
        let version = FbxNode::with_values("FBXVersion", vec![FbxValue::Integer(7400)]);
        let settings = self.settings.unwrap_or_else(|| FbxNode::with_children("Properties70", Vec::new()));
        written(&[
            FbxNode::with_children("FBXHeaderExtension", vec![version]),
            FbxNode::with_children("GlobalSettings", vec![settings]),
            FbxNode::with_children("Objects", self.objects),
            FbxNode::with_children("Connections", self.connections),
        ])
    }
}

/// Class and name as text files write them: `Model::cube`. Binary files write `cube\0\x01Model`.
fn key_of(label: &[u8]) -> Vec<u8> {
    match memchr::memmem::find(label, b"\0\x01") {
        Some(at) => [&label[at + 2..], b"::", &label[..at]].concat(),
        None => label.to_vec(),
    }
}

/// Name and class as binary files write them, of a key.
fn label_of(key: &[u8]) -> Vec<u8> {
    match memchr::memmem::find(key, b"::") {
        Some(at) => [&key[at + 2..], b"\0\x01", &key[..at]].concat(),
        None => key.to_vec(),
    }
}

/// Name and class as binary files write them.
pub fn joined(name: &[u8], class: &str) -> Vec<u8> {
    [name, b"\0\x01", class.as_bytes()].concat()
}

/// The same name with another class.
fn of_class(label: &[u8], class: &str) -> Vec<u8> {
    joined(&label[..memchr::memchr(0, label).unwrap_or(label.len())], class)
}

/// The properties of an object in the form of version 7.
fn properties(object: &FbxNode) -> FbxNode {
    let listed = object.child("Properties60").map(|list| list.children.as_slice()).unwrap_or_default();
    FbxNode::with_children("Properties70", listed.iter().filter_map(property).collect())
}

fn property(old: &FbxNode) -> Option<FbxNode> {
    let [name, kind, flags, values @ ..] = old.values.as_slice() else { return None };
    let FbxValue::Text(type_name) = kind else { return None };
    // What it is for, which version 6 does not say.
    let head = [name.clone(), kind.clone(), FbxValue::text(b""), flags.clone()];
    let values = values.iter().map(|value| typed(value, type_name));
    Some(FbxNode::with_values("P", head.into_iter().chain(values).collect()))
}

/// A value in the form that readers ask for by the type of its property: text files write `1` for fractions, too.
fn typed(value: &FbxValue, type_name: &[u8]) -> FbxValue {
    let whole = |form: fn(i64) -> FbxValue| value.whole().map(form);
    let typed = match type_name.to_ascii_lowercase().as_slice() {
        b"bool" | b"int" | b"integer" | b"enum" | b"short" => whole(FbxValue::Integer),
        b"ktime" | b"ulonglong" | b"longlong" => whole(FbxValue::Long),
        _ => value.number().map(FbxValue::Real),
    };
    typed.unwrap_or_else(|| value.clone())
}

/// A node whose numbers are fractions.
fn with_reals(node: FbxNode) -> FbxNode {
    let values = node.values.iter().map(|value| typed(value, b"double")).collect();
    FbxNode { values, ..node }
}
