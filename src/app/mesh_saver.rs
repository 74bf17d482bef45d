//! Navigation meshes that are being saved: each is put into its format and written on another thread, one after the other.

use crate::disk::write;
use crate::nav::exchange::{ExchangeAgent, ExchangeError, write_as};
use crate::sim::nav_mesh::BuiltMesh;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// What the format does not hold, a sentence each, or why nothing is written.
pub(super) type SavedMesh = Result<Vec<String>, ExchangeError>;

/// A mesh and where it goes.
#[derive(Debug)]
pub(super) struct MeshSave {
    pub built: Arc<BuiltMesh>,
    /// The agent that it is for.
    pub agent: ExchangeAgent,
    /// The file, whose ending tells the format.
    pub path: PathBuf,
}

impl MeshSave {
    fn run(&self) -> SavedMesh {
        let written = write_as(&self.built.mesh, &self.built.file(), &self.path, &self.agent)?;
        write(&self.path, &written.bytes)?;
        Ok(written.notes)
    }
}

/// Saves meshes. Dropping it waits until all are saved.
#[derive(Debug, Default)]
pub(super) struct MeshSaver {
    running: Option<(PathBuf, JoinHandle<SavedMesh>)>,
    waiting: VecDeque<MeshSave>,
}

impl MeshSaver {
    /// Saves a mesh after those that wait.
    pub(super) fn start(&mut self, save: MeshSave) {
        self.waiting.push_back(save);
        self.begin_next();
    }

    /// The file that is being written.
    pub(super) fn file(&self) -> Option<&Path> {
        self.running.as_ref().map(|(path, _)| path.as_path())
    }

    /// A file with what came of it, once it is done; the next one begins.
    pub(super) fn poll(&mut self) -> Option<(PathBuf, SavedMesh)> {
        let (path, worker) = self.running.take_if(|(_, worker)| worker.is_finished())?;
        self.begin_next();
        let panicked = |_| Err(ExchangeError::Text("writing it ended without a result; the log says why".to_owned()));
        Some((path, worker.join().unwrap_or_else(panicked)))
    }

    fn begin_next(&mut self) {
        if self.running.is_none()
            && let Some(save) = self.waiting.pop_front()
        {
            self.running = Some((save.path.clone(), std::thread::spawn(move || save.run())));
        }
    }
}

impl Drop for MeshSaver {
    fn drop(&mut self) {
        while let Some((path, worker)) = self.running.take() {
            if let Ok(Err(error)) = worker.join() {
                tracing::error!("mesh not saved: {error}. File: {}", path.display());
            }
            self.begin_next();
        }
    }
}
