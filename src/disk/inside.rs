//! Reads files that another file names, in its folder alone.

use super::read::{ReadFault, read};
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Most names in a folder that are looked at for one in other upper and lower case.
const MAX_FOLDER_ENTRIES: usize = 10_000;

/// Folders in which collections keep their pictures, beside those of their models or one level up: `NAME/meshes/part/a.dae`
/// beside `NAME/materials/textures`.
pub const PICTURE_FOLDERS: [&str; 3] = ["textures", "Textures", "materials"];

/// A folder with the files that another file in it may name, for as long as one import or look-up takes: what lies in it
/// is listed once.
#[derive(Debug)]
pub struct InsideFolder {
    folder: PathBuf,
    /// Whether names may lead into the folders beside this one.
    has_siblings: bool,
    /// With all links resolved.
    root: Result<PathBuf, ReadFault>,
    /// Names by their lower case, of each folder that was searched; of several the first.
    names: RefCell<HashMap<PathBuf, Rc<HashMap<String, OsString>>>>,
}

impl InsideFolder {
    /// The folder at a path; the empty one is the current.
    pub fn of(folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let root = std::fs::canonicalize(folder).map_err(ReadFault::from);
        Self { folder: folder.into(), has_siblings: false, root, names: RefCell::default() }
    }

    /// The folder at a path and, for names that say so, those beside it: `../textures/leaf.png` is a file of it too.
    pub fn with_siblings(folder: &Path) -> Self {
        Self { has_siblings: true, ..Self::of(folder) }
    }

    /// The folder of this name beside this one, with all links resolved: there it has to lie itself. `None` of a folder at the top of
    /// the file system.
    pub fn sibling(&self, name: &OsStr) -> Option<PathBuf> {
        let root = self.root.as_ref().ok()?;
        // Beside a folder at the top of the file system lies the system.
        let around = root.parent().filter(|around| around.parent().is_some())?;
        let path = std::fs::canonicalize(around.join(name)).ok()?;
        (path.parent() == Some(around) && path != *root && path.is_dir()).then_some(path)
    }

    /// The folders of [`PICTURE_FOLDERS`] that lie beside this one and one level up.
    pub fn picture_folders(&self) -> impl Iterator<Item = PathBuf> {
        let names = || PICTURE_FOLDERS.iter().map(OsStr::new);
        names().filter_map(|name| self.sibling(name)).chain(names().filter_map(|name| self.picture_folder_above(name)))
    }

    /// The folder of this name beside the one that this one lies in.
    fn picture_folder_above(&self, name: &OsStr) -> Option<PathBuf> {
        let is_known = PICTURE_FOLDERS.iter().any(|known| name == *known);
        Self::of(self.root.as_ref().ok()?.parent().filter(|_| is_known)?).sibling(name)
    }

    /// The folder beside this one, or of pictures one level up, into which a name leads, and the rest of the name.
    fn beside<'a>(&self, file: &'a Path) -> Option<(PathBuf, &'a Path)> {
        let mut parts = file.components();
        match (parts.next()?, parts.next()?) {
            (Component::ParentDir, Component::Normal(name)) => Some((self.sibling(name)?, parts.as_path())),
            (Component::ParentDir, Component::ParentDir) => {
                let Component::Normal(name) = parts.next()? else { return None };
                Some((self.picture_folder_above(name)?, parts.as_path()))
            }
            _ => None,
        }
    }

    /// Names of what lies beside this folder, and its own; at most as many as are searched for a name.
    pub fn siblings(&self) -> impl Iterator<Item = String> {
        let around = self.root.as_ref().ok().and_then(|root| root.parent());
        let entries = around.and_then(|around| std::fs::read_dir(around).ok()).into_iter().flatten();
        entries.take(MAX_FOLDER_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok())
    }

    /// The contents of a regular file; it has to lie in the folder with all links resolved.
    ///
    /// # Errors
    /// As [`read`], and [`ReadFault::Outside`].
    pub fn read(&self, file: &Path, limit: u64) -> Result<Vec<u8>, ReadFault> {
        read(&self.resolve(file)?, limit)
    }

    /// Where a file lies, with all links resolved. Where there is none of that name, one whose name differs in upper and
    /// lower case will do: not all systems tell them apart.
    ///
    /// # Errors
    /// [`ReadFault::Missing`] and [`ReadFault::Outside`].
    pub fn resolve(&self, file: &Path) -> Result<PathBuf, ReadFault> {
        if let Some((beside, rest)) = self.has_siblings.then(|| self.beside(file)).flatten() {
            return Self::of(&beside).resolve(rest);
        }
        let root = self.root.as_ref().map_err(Clone::clone)?;
        let path = match std::fs::canonicalize(self.folder.join(file)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                std::fs::canonicalize(self.find_in_any_case(root, file).ok_or(error)?)?
            }
            found => found?,
        };
        if path.starts_with(root) { Ok(path) } else { Err(ReadFault::Outside(self.folder.clone())) }
    }

    /// A file below the folder by a name in other upper and lower case.
    fn find_in_any_case(&self, root: &Path, file: &Path) -> Option<PathBuf> {
        let mut at = root.to_path_buf();
        for component in file.components() {
            let Component::Normal(name) = component else { return None };
            let wanted = name.to_str()?.to_lowercase();
            let names = self.names_in(&at)?;
            at.push(names.get(&wanted)?);
        }
        Some(at)
    }

    fn names_in(&self, folder: &Path) -> Option<Rc<HashMap<String, OsString>>> {
        if let Some(known) = self.names.borrow().get(folder) {
            return Some(known.clone());
        }
        let mut names = HashMap::new();
        for entry in std::fs::read_dir(folder).ok()?.take(MAX_FOLDER_ENTRIES).flatten() {
            let name = entry.file_name();
            let Some(lower) = name.to_str().map(str::to_lowercase) else { continue };
            match names.entry(lower) {
                Entry::Vacant(place) => _ = place.insert(name),
                Entry::Occupied(mut first) if name < *first.get() => _ = first.insert(name),
                Entry::Occupied(_) => {}
            }
        }
        let names = Rc::new(names);
        self.names.borrow_mut().insert(folder.into(), names.clone());
        Some(names)
    }
}

/// The contents of one regular file that another file in `folder` names.
///
/// # Errors
/// As [`InsideFolder::read`].
pub fn read_inside(folder: &Path, file: &Path, limit: u64) -> Result<Vec<u8>, ReadFault> {
    InsideFolder::of(folder).read(file, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Leaf.PNG"), "a").unwrap();
        let inside = InsideFolder::of(folder.path());
        assert_eq!(inside.read(Path::new("bark.png"), 9), Err(ReadFault::Missing));
        std::fs::write(folder.path().join("Bark.PNG"), "b").unwrap();
        assert_eq!(inside.read(Path::new("bark.png"), 9), Err(ReadFault::Missing), "as it was listed");
        assert_eq!(inside.read(Path::new("Bark.PNG"), 9).unwrap(), b"b");
        assert_eq!(inside.read(Path::new("leaf.png"), 9).unwrap(), b"a");
    }

    #[test]
    fn names_may_differ_in_upper_and_lower_case() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Textures")).unwrap();
        std::fs::write(folder.path().join("Textures/Größe.PNG"), "a").unwrap();
        let inside = |name: &str| InsideFolder::of(folder.path()).read(Path::new(name), 9);
        assert_eq!(inside("textures/GRÖSSE.png"), Err(ReadFault::Missing), "ß has no upper case of one letter");
        assert_eq!(inside("textures/größe.png").unwrap(), b"a");
        std::fs::write(folder.path().join("Textures/größe.png"), "b").unwrap();
        assert_eq!(inside("Textures/größe.png").unwrap(), b"b", "the name itself goes before");
        assert_eq!(inside("../textures/größe.png"), Err(ReadFault::Missing));
    }

    #[test]
    fn folders_beside_are_reached_where_they_may() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("model");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir_all(outer.path().join("textures/deep")).unwrap();
        for file in ["secret", "textures/leaf.png", "textures/deep/bark.png"] {
            std::fs::write(outer.path().join(file), "a").unwrap();
        }
        let beside = |name: &str| InsideFolder::with_siblings(&folder).read(Path::new(name), 9);
        for name in ["../textures/leaf.png", "../textures/LEAF.png", "../textures/deep/bark.png"] {
            assert_eq!(beside(name).unwrap(), b"a", "{name}");
        }
        for name in ["../secret", "../textures/../secret", "../../secret", "../textures", "../none/leaf.png"] {
            assert!(beside(name).is_err(), "{name}");
        }
        #[cfg(unix)]
        assert_eq!(InsideFolder::with_siblings(Path::new("/etc")).sibling(OsStr::new("usr")), None);
        let leaf = Path::new("../textures/leaf.png");
        assert_eq!(InsideFolder::of(&folder).read(leaf, 9), Err(ReadFault::Outside(folder.clone())));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc", outer.path().join("linked")).unwrap();
            assert_eq!(beside("../linked/passwd"), Err(ReadFault::Outside(folder.clone())));
        }
    }

    #[test]
    fn folders_of_pictures_are_reached_one_level_up() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("arm/meshes/left");
        std::fs::create_dir_all(&folder).unwrap();
        for place in ["arm/materials/textures", "arm/secrets", "materials"] {
            std::fs::create_dir_all(outer.path().join(place)).unwrap();
            std::fs::write(outer.path().join(place).join("a.png"), "a").unwrap();
        }
        let read = |name: &str| InsideFolder::with_siblings(&folder).read(Path::new(name), 9);
        assert_eq!(read("../../materials/textures/a.png").unwrap(), b"a");
        for name in ["../../secrets/a.png", "../../../materials/a.png", "../../materials/../secrets/a.png"] {
            assert!(read(name).is_err(), "{name}");
        }
        assert!(InsideFolder::of(&folder).read(Path::new("../../materials/textures/a.png"), 9).is_err());
        let found: Vec<PathBuf> = InsideFolder::with_siblings(&folder).picture_folders().collect();
        assert_eq!(found, [std::fs::canonicalize(outer.path().join("arm/materials")).unwrap()]);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_no_further_than_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("model");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(outer.path().join("secret"), "s").unwrap();
        std::fs::write(folder.join("deep/near"), "n").unwrap();
        std::os::unix::fs::symlink("../secret", folder.join("far")).unwrap();
        std::os::unix::fs::symlink("deep/near", folder.join("link")).unwrap();
        let inside = |name: &str| InsideFolder::of(&folder).read(Path::new(name), 9);
        assert_eq!(inside("link").unwrap(), b"n");
        assert_eq!(inside("deep/../deep/near").unwrap(), b"n");
        for name in ["far", "../secret"] {
            assert_eq!(inside(name), Err(ReadFault::Outside(folder.clone())), "{name}");
        }
    }
}
