//! Why Assimp refuses a file, in other words than its own, which name its structures.

/// What its structures stand for.
const STRUCTURES: [(&str, &str); 11] = [
    ("aiMesh", "a mesh"),
    ("aiAnimMesh", "a morph target"),
    ("aiBone", "a bone"),
    ("aiNodeAnim", "a channel of a clip"),
    ("aiMeshMorphAnim", "a channel of a clip"),
    ("aiAnimation", "a clip"),
    ("aiMaterial", "a material"),
    ("aiNode", "a node"),
    ("aiTexture", "a picture"),
    ("aiString", "a name or text"),
    ("aiScene", "the whole"),
];

/// The reason for people who do not know the importer.
pub fn for_people(reason: &str) -> String {
    let reason = reason.strip_prefix("Validation failed: ").unwrap_or(reason).trim();
    if reason.is_empty() {
        return "the importer refuses it without a reason".to_owned();
    }
    if reason.contains("aiScene::mNumMeshes is 0") {
        return "it holds no mesh: it is empty, or text that is not of its format".to_owned();
    }
    if let Some((_, count)) = reason.split_once("has too many faces: ") {
        let (count, limit) = count.split_once(", but the limit is ").unwrap_or((count, "32767"));
        return format!("a polygon of it has {count} corners, and {limit} are the most that are read: split it");
    }
    if reason.contains("mIndices") && reason.contains("out of range") {
        return "a face of it names a vertex that is not there: it is cut off or damaged".to_owned();
    }
    if reason.contains("File came out empty") {
        return "it is no COLLADA file, or one without anything in it".to_owned();
    }
    if reason.contains("Failed to determine STL storage") {
        return "it is neither a text STL nor as long as its number of triangles says: it is cut off or of another \
                format"
            .to_owned();
    }
    if reason.contains("from an MDL sequence file") {
        return "it holds further clips of a Half-Life model, which are read with it: choose the file of the same name without \
                the number"
            .to_owned();
    }
    if let Some((_, file)) = reason.split_once("could not open referenced file ") {
        return format!("the file {file} that it names is not there: put it beside it");
    }
    if reason.contains("NUM_SURFACES is 0") {
        return "it holds no surfaces, only places at which the game joins other models to it, as a weapon to its hand"
            .to_owned();
    }
    if reason.contains("malformed XML") {
        return "its XML is damaged: it is cut off, or of another format".to_owned();
    }
    if reason.contains("has no faces") {
        return "a mesh of it has no face whose vertices are all there: it is damaged".to_owned();
    }
    if reason.contains("contains no faces") {
        return "it holds no faces, and points and lines are not shown".to_owned();
    }
    if reason.contains("Unable to extract mesh data") {
        return "it holds no vertices".to_owned();
    }
    let known_by = reason.split_once("Unknown MDL subformat").and_then(|(_, rest)| rest.split_once("Magic word ("));
    if let Some((word, _)) = known_by.and_then(|(_, rest)| rest.split_once(')')) {
        return format!("it is a model of another program, whose files begin with {word:?}; export it as glTF");
    }
    let named = STRUCTURES.iter().find(|(name, _)| reason.contains(&format!("{name}::")));
    match named {
        Some((_, what)) => format!("what it says of {what} is wrong: it is damaged"),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reason_names_a_structure_of_the_importer() {
        for (reason, said) in [
            ("", "refuses it"),
            ("Validation failed: aiScene::mNumMeshes is 0. At least one mesh must be there", "holds no mesh"),
            (
                "Validation failed: Face 0 has too many faces: 50000, but the limit is 32767",
                "has 50000 corners, and 32767",
            ),
            ("Validation failed: aiMesh::mFaces[0]::mIndices[0] is out of range", "a face of it names a vertex"),
            ("Validation failed: aiString::data is invalid: the terminal zero", "of a name or text is wrong"),
            ("Validation failed: aiNodeAnim::mPositionKeys is wrong", "of a channel of a clip is wrong"),
            ("Collada: File came out empty. Something is wrong here", "no COLLADA file"),
            ("Invalid md3 file: NUM_SURFACES is 0", "holds no surfaces"),
            ("Unable to read file, malformed XML", "its XML is damaged: it is cut off"),
            ("Mesh  contains no faces", "holds no faces"),
            ("Mesh \"a\" has no faces", "no face whose vertices are all there"),
            ("GLTF: could not open referenced file \"a.bin\"", "the file \"a.bin\" that it names is not there"),
            ("Impossible to properly load a model from an MDL sequence file.", "further clips of a Half-Life model"),
            ("Invalid .ply file: Unable to extract mesh data ", "holds no vertices"),
            ("Unknown MDL subformat a/b.mdl. Magic word (UMD2) is not known", "begin with \"UMD2\"; export"),
            ("Parser unexpected end of file", "Parser unexpected end of file"),
        ] {
            let text = for_people(reason);
            assert!(text.contains(said) && !text.contains("::"), "{text}");
        }
    }
}
