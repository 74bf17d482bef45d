//! FBX 6 as FBX 7. In version 6 objects are known by their class and name, a model holds its mesh, textures lie on models, and
//! the channels of clips lie in a list of takes.

use super::document::{FbxFault, FbxNode};
use super::takes;
use super::version_seven::VersionSevenScene;

/// The file of version 7 with the same models, materials and clips.
///
/// # Errors
/// [`FbxFault::NoObjects`].
pub fn converted(root: Vec<FbxNode>) -> Result<Vec<u8>, FbxFault> {
    let mut scene = VersionSevenScene::default();
    let (mut objects, mut connections, mut clips) = (None, Vec::new(), Vec::new());
    for node in root {
        match node.name.as_str() {
            "Objects" => objects = Some(node.children),
            "Connections" => connections = node.children,
            "Takes" => clips = node.children,
            _ => {}
        }
    }
    for object in objects.ok_or(FbxFault::NoObjects)? {
        scene.add_old(object);
    }
    for connection in &connections {
        scene.connect_old(connection);
    }
    scene.add_materials();
    for take in clips.iter().filter(|take| take.name == "Take") {
        takes::add_take(&mut scene, take);
    }
    Ok(scene.into_file())
}
