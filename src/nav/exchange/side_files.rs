//! Files that the file of a mesh names, within its folder.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use super::ExchangeError;
use crate::disk::{InsideFolder, absolute, folder_of};
use crate::nav::mesh::MAX_MESH_BYTES;

/// How many folders a file lies below its project at most.
const MAX_PROJECT_DEPTH: usize = 16;

/// The files beside one.
#[derive(Debug)]
pub struct SideFiles {
    file: PathBuf,
    inside: InsideFolder,
    /// The project that the file belongs to, where there is one.
    project: Option<InsideFolder>,
    /// Bytes that may still be read.
    left: Cell<u64>,
}

impl SideFiles {
    /// Those in the folder of a file.
    pub fn beside(file: &Path) -> Self {
        let project = project_of(file).map(|folder| InsideFolder::of(&folder));
        Self { file: file.into(), inside: InsideFolder::of(folder_of(file)), project, left: Cell::new(MAX_MESH_BYTES) }
    }

    /// The file that they lie beside.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The contents of a file by its name.
    ///
    /// # Errors
    /// It is not there, lies outside of the folder, or cannot be read.
    pub fn read(&self, name: &Path) -> Result<Vec<u8>, ExchangeError> {
        self.read_in(&self.inside, name)
    }

    fn read_in(&self, folder: &InsideFolder, name: &Path) -> Result<Vec<u8>, ExchangeError> {
        let said = |fault| ExchangeError::Text(format!("the file {} that it names: {fault}", name.display()));
        let bytes = folder.read(name, self.left.get()).map_err(said)?;
        self.left.set(self.left.get() - bytes.len() as u64);
        Ok(bytes)
    }

    /// The contents of a file by its path in the project; without one, below the file's folder, which may be any of it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_of_project(&self, path: &str) -> Result<Vec<u8>, ExchangeError> {
        let known = self.project.as_ref().and_then(|project| self.read_in(project, Path::new(inner(path))).ok());
        known.map_or_else(|| of_project(path, |name| self.read(name)), Ok)
    }

    /// Where a file lies by its path in a project; `None` where it is not there.
    pub fn place_of_project(&self, path: &str) -> Option<PathBuf> {
        let known = self.project.as_ref().and_then(|project| project.resolve(Path::new(inner(path))).ok());
        known.or_else(|| of_project(path, |name| self.inside.resolve(name)).ok())
    }
}

/// A path in a project without the word that marks it as one.
fn inner(path: &str) -> &str {
    path.split_once("://").map_or(path, |(_, rest)| rest)
}

/// The folder above a file that holds a project of Godot, told by its settings.
fn project_of(file: &Path) -> Option<PathBuf> {
    let file = absolute(file);
    let mut above = file.ancestors().skip(1).take(MAX_PROJECT_DEPTH);
    above.find(|folder| folder.join("project.godot").is_file()).map(Path::to_path_buf)
}

/// What `find` finds by a path in a project or, since the file may lie in any of its folders, by the end of that path: the first that it
/// finds, with at most [`MAX_PROJECT_DEPTH`] folders left out.
fn of_project<T, E>(path: &str, find: impl Fn(&Path) -> Result<T, E>) -> Result<T, E> {
    let mut rest = inner(path);
    for _ in 0..MAX_PROJECT_DEPTH {
        match (find(Path::new(rest)), rest.split_once('/')) {
            (Err(_), Some((_, below))) => rest = below,
            (found, _) => return found,
        }
    }
    find(Path::new(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_looked_for_a_limited_number_of_times() {
        let looks = Cell::new(0);
        let found = of_project(&"a/".repeat(1000), |_| {
            looks.set(looks.get() + 1);
            Err::<(), ()>(())
        });
        assert_eq!((found, looks.get()), (Err(()), MAX_PROJECT_DEPTH + 1));
    }

    #[test]
    fn files_beside_are_found_by_their_names_within_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("nav")).unwrap();
        std::fs::write(folder.path().join("nav/yard.tres"), "a").unwrap();
        let side = SideFiles::beside(&folder.path().join("yard.tscn"));
        assert_eq!(side.read_of_project("res://levels/nav/yard.tres").unwrap(), b"a");
        let error = side.read(Path::new("other.bin")).unwrap_err().to_string();
        assert!(error.starts_with("the file other.bin that it names: "), "{error}");
        assert!(SideFiles::beside(&folder.path().join("nav/a.gltf")).read(Path::new("../nav/../yard.tscn")).is_err());
    }
}
