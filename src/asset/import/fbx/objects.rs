//! The objects of an FBX 7 file, each with an id, and the connections between them.

use super::document::{FbxNode, FbxValue, written};

/// What objects say of their version, which no reader asks for.
const OBJECT_VERSION: i64 = 100;
/// Number of the first object: 0 is the root of all models.
const FIRST_ID: i64 = 1;

/// Objects and connections of version 7 as they come together.
#[derive(Debug, Default)]
pub struct FbxObjects {
    /// Each with the id of its place.
    objects: Vec<FbxNode>,
    connections: Vec<FbxNode>,
}

impl FbxObjects {
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

    /// Adds another material like one that is there, and takes its size off `bytes_left`. Returns its id; `None` once a copy was too
    /// large.
    pub fn add_copy(&mut self, material: i64, bytes_left: &mut usize) -> Option<i64> {
        let original = self.objects.get(usize::try_from(material - FIRST_ID).ok()?).filter(|_| *bytes_left > 0)?;
        let bytes = written(std::slice::from_ref(original)).len();
        // Without a rest nothing is measured again.
        *bytes_left = bytes_left.saturating_sub(bytes);
        if *bytes_left == 0 {
            return None;
        }
        let copy = original.clone();
        let label = copy.text(1).unwrap_or_default().to_vec();
        // Without the version, which is added again.
        Some(self.add("Material", &label, b"", copy.children.into_iter().skip(1).collect()))
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

    /// The nodes of a file that hold them.
    pub fn into_nodes(self) -> [FbxNode; 2] {
        [FbxNode::with_children("Objects", self.objects), FbxNode::with_children("Connections", self.connections)]
    }
}

/// Name and class as binary files write them.
pub fn joined(name: &[u8], class: &str) -> Vec<u8> {
    [name, b"\0\x01", class.as_bytes()].concat()
}

/// The same name with another class.
pub fn of_class(label: &[u8], class: &str) -> Vec<u8> {
    joined(&label[..memchr::memchr(0, label).unwrap_or(label.len())], class)
}
