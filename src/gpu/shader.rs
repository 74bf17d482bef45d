//! Shaders: WGSL files with imports, built into the program, reloaded from disk in debug builds.
//!
//! Imports are textual, in fifty lines. The crate naga_oil (0.23, ten thousand lines with a regular expression engine)
//! composes modules instead and mangles the names of what they export: error messages and the comparison of structures
//! with the program would have to demangle them, and conditional compilation is not needed beside WGSL's overrides.

use super::GpuError;
use crate::disk::read_text;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

macro_rules! sources {
    ($($name:literal)+) => {
        &[$((concat!($name, ".wgsl"), include_str!(concat!("../../shaders/", $name, ".wgsl")))),+]
    };
}

/// All WGSL files by their path below `shaders/`.
pub const SOURCES: &[(&str, &str)] = sources![
    "anim/local_to_model" "anim/sample" "anim/leg_ik" "collide/bone_spheres" "bloom" "dust" "lines" "model"
    "occlusion" "occlusion_blur" "outline" "pick" "quality_probe" "shadow" "shared/dome" "shared/frame" "shared/light"
    "shared/placement" "shared/screen" "shared/sky" "shared/tone" "shared/types" "shared/vertex" "sky" "sky_picture"
    "tonemap"
];

const IMPORT: &str = "#import \"";

/// Deepest chain of imports.
const MAX_DEPTH: usize = 8;
/// Largest shader that is read, bytes.
const MAX_SHADER_BYTES: u64 = 4 << 20;

/// The text of the WGSL file `name` with each `#import "path"` line replaced by that file, each file once.
///
/// # Errors
/// [`GpuError::ShaderImport`] when a file does not exist or imports nest too deeply.
pub fn resolve(name: &str, source: &dyn Fn(&str) -> Option<String>) -> Result<String, GpuError> {
    let mut out = String::new();
    include(name, name, source, &mut Vec::new(), 0, &mut out)?;
    Ok(out)
}

fn include(
    shader: &str,
    file: &str,
    source: &dyn Fn(&str) -> Option<String>,
    seen: &mut Vec<String>,
    depth: usize,
    out: &mut String,
) -> Result<(), GpuError> {
    let fault = |reason: String| GpuError::ShaderImport { shader: shader.to_owned(), reason };
    if depth > MAX_DEPTH {
        return Err(fault(format!("the imports nest more than {MAX_DEPTH} deep at '{file}'")));
    }
    if seen.iter().any(|s| s == file) {
        return Ok(());
    }
    seen.push(file.to_owned());
    let text = source(file).ok_or_else(|| fault(format!("there is no file '{file}'")))?;
    for (i, line) in text.lines().enumerate() {
        if let Some(rest) = line.trim().strip_prefix(IMPORT) {
            let path = rest
                .strip_suffix('"')
                .ok_or_else(|| fault(format!("{file}:{}: the import is not closed by a quote", i + 1)))?;
            include(shader, path, source, seen, depth + 1, out)?;
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    Ok(())
}

/// The built-in text of a WGSL file.
pub fn built_in(file: &str) -> Option<String> {
    SOURCES.iter().find(|(name, _)| *name == file).map(|(_, text)| (*text).to_owned())
}

/// Parses and validates WGSL text.
///
/// # Errors
/// [`GpuError::ShaderBroken`] with the place and the reason.
pub fn validate(name: &str, text: &str) -> Result<wgpu::naga::Module, GpuError> {
    let broken = |reason| GpuError::ShaderBroken { shader: name.to_owned(), reason };
    let module =
        wgpu::naga::front::wgsl::parse_str(text).map_err(|e| broken(e.emit_to_string_with_path(text, name)))?;
    let mut validator = wgpu::naga::valid::Validator::new(
        wgpu::naga::valid::ValidationFlags::all(),
        wgpu::naga::valid::Capabilities::all(),
    );
    validator.validate(&module).map_err(|e| broken(e.emit_to_string_with_path(text, name)))?;
    Ok(module)
}

/// Source of shader text: the binary, or in debug builds the folder that it was built from.
#[derive(Debug)]
pub struct ShaderLibrary {
    folder: Option<PathBuf>,
    newest: Option<SystemTime>,
}

impl Default for ShaderLibrary {
    fn default() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
        let folder = (cfg!(debug_assertions) && folder.is_dir()).then_some(folder);
        let newest = folder.as_deref().and_then(newest_change);
        Self { folder, newest }
    }
}

impl ShaderLibrary {
    /// A library that reads `folder`, in release builds too.
    pub fn from_folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { newest: newest_change(&folder), folder: Some(folder) }
    }

    fn read(&self, file: &str) -> Option<String> {
        let on_disk = self.folder.as_ref().and_then(|folder| read_text(&folder.join(file), MAX_SHADER_BYTES).ok());
        on_disk.or_else(|| built_in(file))
    }

    /// The resolved and validated text of a shader.
    ///
    /// # Errors
    /// [`GpuError::ShaderImport`] and [`GpuError::ShaderBroken`].
    pub fn text(&self, name: &str) -> Result<String, GpuError> {
        let text = resolve(name, &|file| self.read(file))?;
        validate(name, &text)?;
        Ok(text)
    }

    /// Creates a shader module.
    ///
    /// # Errors
    /// As [`ShaderLibrary::text`].
    pub fn module(&self, device: &wgpu::Device, name: &str) -> Result<wgpu::ShaderModule, GpuError> {
        let text = self.text(name)?;
        Ok(device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        }))
    }

    /// Whether a file on disk changed since the last call.
    pub fn changed(&mut self) -> bool {
        let newest = self.folder.as_deref().and_then(newest_change);
        let changed = newest > self.newest;
        if changed {
            self.newest = newest;
        }
        changed
    }
}

fn newest_change(folder: &Path) -> Option<SystemTime> {
    SOURCES.iter().filter_map(|(name, _)| std::fs::metadata(folder.join(name)).ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_put_in_once() {
        let files = |name: &str| match name {
            "a" => Some("#import \"b\"\n#import \"c\"\nA".to_owned()),
            "b" => Some("#import \"c\"\nB".to_owned()),
            "c" => Some("#import \"a\"\nC".to_owned()),
            _ => None,
        };
        assert_eq!(resolve("a", &files).unwrap(), "C\nB\nA\n");
    }

    #[test]
    fn a_missing_import_is_named() {
        let files = |name: &str| (name == "a").then(|| "#import \"gone\"".to_owned());
        let error = resolve("a", &files).unwrap_err();
        assert!(error.to_string().contains("'gone'"), "{error}");
    }

    #[test]
    fn broken_text_is_reported_with_its_place() {
        let error = validate("x.wgsl", "fn f() -> u32 { return 1.5; }").unwrap_err();
        assert!(error.to_string().contains("x.wgsl:1"), "{error}");
    }

    #[test]
    fn a_changed_file_is_noticed_and_a_broken_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sky.wgsl");
        std::fs::write(&path, "fn f() {}").unwrap();
        let mut library = ShaderLibrary::from_folder(folder.path());
        assert!(!library.changed());
        std::fs::write(&path, "fn f( {}").unwrap();
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(library.changed());
        assert!(!library.changed());
        assert!(matches!(library.text("sky.wgsl"), Err(GpuError::ShaderBroken { .. })));
    }
}
