//! How much memory the geometry and the clips of one file may take.
//!
//! Files say a thing once and refer to it often: a mesh by many nodes, numbers by many meshes and clips. So a small file
//! could ask for any amount. Memory is granted by the bytes of the file.

use crate::asset::AssetError;
use std::path::Path;

/// Bytes that Assimp may take for any file, and more for each byte of it: geometry that Draco has compressed grows a
/// hundred times and more.
const READING_BYTES: u64 = 448 << 20;
const READING_PER_FILE_BYTE: u64 = 256;
/// Bytes that a model may take, whatever its file, and more for each byte of this.
const MODEL_BYTES: u64 = 224 << 20;
const MODEL_PER_FILE_BYTE: u64 = 96;

/// What there is to say of a file that takes more memory to read.
pub fn over_memory(reading_bytes: u64) -> String {
    let mebibytes = reading_bytes >> 20;
    format!(
        "reading it takes more than {mebibytes} MiB of memory, and a file of its size may take no more: the numbers in it ask for \
         more than it can hold, or it is of another format than its name says"
    )
}

/// The memory of one model.
#[derive(Clone, Copy, Debug)]
pub struct ModelBudget {
    file_bytes: u64,
    taken: u64,
}

impl ModelBudget {
    /// That of a model whose files are of this size.
    pub fn new(file_bytes: u64) -> Self {
        Self { file_bytes, taken: 0 }
    }

    /// Bytes of address space that reading the files may take.
    pub fn reading_bytes(&self) -> u64 {
        READING_BYTES.saturating_add(self.file_bytes.saturating_mul(READING_PER_FILE_BYTE))
    }

    /// Takes memory for meshes or clips, before they are made.
    ///
    /// # Errors
    /// [`AssetError::TooLarge`].
    pub fn take(&mut self, path: &Path, bytes: u64) -> Result<(), AssetError> {
        self.taken = self.taken.saturating_add(bytes);
        let limit = MODEL_BYTES.saturating_add(self.file_bytes.saturating_mul(MODEL_PER_FILE_BYTE));
        if self.taken <= limit {
            return Ok(());
        }
        let what = format!(
            "its size in memory in bytes, from {} bytes of files and with meshes once for each node and instance that carries them",
            self.file_bytes
        );
        Err(AssetError::TooLarge { path: path.into(), what, value: self.taken, limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_granted_by_the_bytes_of_the_file() {
        let mut budget = ModelBudget::new(1000);
        assert!(budget.take(Path::new("a.glb"), 100 << 20).is_ok());
        let error = budget.take(Path::new("a.glb"), 150 << 20).unwrap_err().to_string();
        assert!(error.contains("1000 bytes of files") && error.contains(&(250 << 20).to_string()), "{error}");
        assert!(ModelBudget::new(1 << 20).take(Path::new("a.glb"), 250 << 20).is_ok());
        let mut endless = ModelBudget::new(u64::MAX);
        assert!(endless.take(Path::new("a.glb"), u64::MAX).is_ok() && endless.reading_bytes() == u64::MAX);
    }
}
