//! Objects and connections of FBX 7, from those of FBX 6.

use super::document::{FbxNode, FbxValue, written};
use super::morph_targets::MorphTargets;
use super::objects::{FbxObjects, of_class};
use super::textured_materials::TexturedMaterials;
use std::collections::HashMap;

/// What the root of all models is called.
const ROOT: &[u8] = b"Model::Scene";

/// A scene of version 7 as it comes together.
#[derive(Debug, Default)]
pub struct VersionSevenScene {
    /// Its objects and connections.
    pub objects: FbxObjects,
    settings: Option<FbxNode>,
    /// Ids by class and name.
    ids: HashMap<Vec<u8>, i64>,
    /// The mesh of each model that has one.
    geometries: HashMap<i64, i64>,
    targets: MorphTargets,
    materials: TexturedMaterials,
}

impl VersionSevenScene {
    /// The id of the object with this class and name, as files write them.
    pub fn id(&self, label: &[u8]) -> Option<i64> {
        let key = key_of(label);
        if key == ROOT { Some(0) } else { self.ids.get(&key).copied() }
    }

    /// The channel of a model's morph target by its name.
    pub fn target(&self, model: i64, name: &[u8]) -> Option<i64> {
        self.targets.channel(model, name)
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
                self.objects.add("Material", &label, b"", children)
            }
            "Texture" => {
                let names = kept(&["FileName", "RelativeFilename"]);
                let places = kept(&["ModelUVTranslation", "ModelUVScaling"]).into_iter().map(with_reals);
                let children = names.into_iter().chain(places).chain([properties(&object)]).collect();
                self.objects.add("Texture", &label, b"", children)
            }
            "Video" => {
                let children =
                    [kept(&["FileName", "Filename", "RelativeFilename", "Content"]), vec![properties(&object)]]
                        .concat();
                self.objects.add("Video", &label, b"Clip", children)
            }
            "Deformer" => {
                let kind = object.text(1).unwrap_or_default().to_vec();
                self.objects.add("Deformer", &label, &kind, kept(&["Indexes", "Weights", "Transform", "TransformLink"]))
            }
            _ => return,
        };
        self.ids.insert(key, id);
    }

    fn add_model(&mut self, label: &[u8], model: FbxNode) -> i64 {
        let kind = model.text(1).unwrap_or_default().to_vec();
        let id = self.objects.add("Model", label, &kind, vec![properties(&model)]);
        if model.child("Vertices").is_none() || model.child("PolygonVertexIndex").is_none() {
            return id;
        }
        self.materials.add(id, &model);
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
        let geometry = self.objects.add("Geometry", &of_class(label, "Geometry"), b"Mesh", mesh);
        self.objects.connect(geometry, id);
        self.geometries.insert(id, geometry);
        self.targets.add(&mut self.objects, id, geometry, shapes);
        id
    }

    /// Adds a connection of version 6; what lies on a model with a mesh waits for [`Self::add_materials`].
    pub fn connect_old(&mut self, connection: &FbxNode) {
        let (Some(kind), Some(from), Some(to)) = (connection.text(0), connection.text(1), connection.text(2)) else {
            return;
        };
        let (Some(source), Some(mut target)) = (self.id(from), self.id(to)) else { return };
        let class = key_of(from);
        if let Some(surfaces) = self.materials.surfaces_of(target) {
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
            (b"OO", _) => self.objects.connect(source, target),
            (b"OP", Some(property)) => self.objects.connect_property(source, target, property),
            _ => {}
        }
    }

    /// Puts its materials on each model, when all connections are known.
    pub fn add_materials(&mut self) {
        self.materials.connect_all(&mut self.objects);
    }

    /// The file of version 7.
    pub fn into_file(self) -> Vec<u8> {
        let version = FbxNode::with_values("FBXVersion", vec![FbxValue::Integer(7400)]);
        let settings = self.settings.unwrap_or_else(|| FbxNode::with_children("Properties70", Vec::new()));
        let [objects, connections] = self.objects.into_nodes();
        written(&[
            FbxNode::with_children("FBXHeaderExtension", vec![version]),
            FbxNode::with_children("GlobalSettings", vec![settings]),
            objects,
            connections,
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
