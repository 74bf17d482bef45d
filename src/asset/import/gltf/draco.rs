//! Meshes compressed by Draco (`KHR_draco_mesh_compression`).

use super::super::guard::{DRACO, GltfFault};
use super::super::limits;
use super::data::{GltfData, MAX_DECODED_BYTES, index};
use super::values::{component_bytes, components, push_component};
use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};
use serde_json::{Value, json};

/// Where a primitive stands in the file.
#[derive(Clone, Copy)]
struct PrimitivePlace {
    mesh: usize,
    primitive: usize,
}

impl PrimitivePlace {
    fn fault(self, reason: impl Into<String>) -> GltfFault {
        GltfFault::Draco { mesh: self.mesh, primitive: self.primitive, reason: reason.into() }
    }
}

/// Decodes all compressed primitives into plain accessors. Returns whether there were any.
///
/// # Errors
/// A primitive is damaged, or the file asks for too much memory.
pub fn decode(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let mut changed = false;
    for mesh in 0..length(&root["meshes"]) {
        for primitive in 0..length(&root["meshes"][mesh]["primitives"]) {
            let value = &root["meshes"][mesh]["primitives"][primitive];
            if let Some(extension) = value.get("extensions").and_then(|list| list.get(DRACO)).cloned() {
                decode_primitive(root, data, PrimitivePlace { mesh, primitive }, &extension)?;
                changed = true;
            }
        }
    }
    Ok(changed)
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

fn decode_primitive(
    root: &mut Value,
    data: &mut GltfData,
    place: PrimitivePlace,
    extension: &Value,
) -> Result<(), GltfFault> {
    let view = index(extension, "bufferView").ok_or_else(|| place.fault("it names no buffer view"))?;
    let bounds = DecodeLimits::default()
        .with_max_points(limits::VERTICES as u64)
        .with_max_faces(limits::VERTICES as u64)
        .with_max_decoded_bytes(MAX_DECODED_BYTES);
    let mut mesh = Mesh::new();
    let mut source = DecoderBuffer::new(data.view(root, view)?).with_limits(bounds);
    MeshDecoder::new().decode(&mut source, &mut mesh).map_err(|e| place.fault(e.to_string()))?;
    let attributes = extension.get("attributes").and_then(Value::as_object);
    for (name, id) in attributes.into_iter().flatten() {
        let primitive = &root["meshes"][place.mesh]["primitives"][place.primitive];
        let accessor = primitive.get("attributes").and_then(|list| index(list, name));
        let accessor = accessor.ok_or_else(|| place.fault(format!("{name} has no accessor")))?;
        let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
        write_attribute(root, data, accessor, &mesh, id)?
            .ok_or_else(|| place.fault(format!("its data has no {name} that fits the accessor")))?;
    }
    let corners: Vec<u32> = mesh.faces().iter().flatten().map(|point| point.0).collect();
    let view = data.keep_as_view(root, bytemuck::cast_slice(&corners))?;
    let plain = json!({"bufferView": view, "componentType": 5125, "count": corners.len(), "type": "SCALAR"});
    let accessors = root.get_mut("accessors").and_then(Value::as_array_mut);
    let accessors = accessors.ok_or_else(|| place.fault("there are no accessors"))?;
    // An accessor of its own: the one of the file may be shared with primitives that are not compressed.
    accessors.push(plain);
    let indices = accessors.len() - 1;
    let primitive = &mut root["meshes"][place.mesh]["primitives"][place.primitive];
    primitive["indices"] = indices.into();
    primitive["mode"] = 4.into();
    if let Some(extensions) = primitive.get_mut("extensions").and_then(Value::as_object_mut) {
        extensions.remove(DRACO);
    }
    Ok(())
}

/// Puts the values of one attribute under an accessor; `None` where they do not belong together.
fn write_attribute(
    root: &mut Value,
    data: &mut GltfData,
    accessor: usize,
    mesh: &Mesh,
    id: Option<u32>,
) -> Result<Option<()>, GltfFault> {
    let Some(attribute) = id.and_then(|id| mesh.attribute_by_unique_id(id)) else { return Ok(None) };
    let Some(value) = root.get("accessors").and_then(|list| list.get(accessor)) else { return Ok(None) };
    let kind = index(value, "componentType").unwrap_or(0);
    let (Some(width), Some(size)) = (components(value), component_bytes(kind)) else { return Ok(None) };
    // Elements of vertex attributes begin at whole words.
    let stride = (width * size).next_multiple_of(4);
    data.check_room((mesh.num_points() as u64).saturating_mul(stride as u64))?;
    let mut bytes = Vec::with_capacity(mesh.num_points() * stride);
    for element in attribute.read_f32s(mesh.num_points(), width).chunks_exact(width) {
        for &x in element {
            push_component(&mut bytes, kind, x);
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let view = data.keep_as_view(root, &bytes)?;
    root["bufferViews"][view]["byteStride"] = stride.into();
    let value = &mut root["accessors"][accessor];
    value["bufferView"] = view.into();
    value["byteOffset"] = 0.into();
    value["count"] = mesh.num_points().into();
    Ok(Some(()))
}
