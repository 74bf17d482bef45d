//! A navigation mesh that is being opened: its file is read on another thread.

use crate::background::{BackgroundJob, Progress, Sources};
use crate::nav::exchange::{ExchangeError, JoinedMesh, MeshPlacement, read_mesh, read_unchecked};
use crate::vocab::counted;
use glam::Vec3;
use std::path::{Path, PathBuf};

/// What is shown and said of a mesh that was read.
#[derive(Debug)]
pub(super) struct MeshSummary {
    /// Its format and size, a sentence.
    pub text: String,
    /// What of it could not be read, a sentence each.
    pub notes: Vec<String>,
    /// Whether it has off-mesh links.
    pub has_links: bool,
    /// Its vertices in the world.
    pub points: Vec<Vec3>,
}

/// What came of reading a file.
#[derive(Debug)]
pub(super) enum OpenedMesh {
    /// A mesh.
    Read(MeshSummary),
    /// No mesh that can be walked on.
    Refused {
        /// Why.
        error: ExchangeError,
        /// Whether it can be read all the same, so that the doctor can examine it.
        is_examinable: bool,
    },
}

/// The file of a mesh.
#[derive(Clone, Debug)]
struct OpenedFile(PathBuf);

impl Sources for OpenedFile {
    /// None where reading it ended without a result.
    type Built = Option<OpenedMesh>;
    const NAME: &str = "open mesh";

    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn build(&self, _: &Progress) -> Self::Built {
        Some(match read_mesh(&self.0) {
            Ok(JoinedMesh { format, mesh, file, notes, .. }) => {
                let polygons = counted(mesh.len(), "polygon");
                let islands = counted(mesh.island_count() as usize, "island");
                let links = counted(file.links.len(), "link");
                OpenedMesh::Read(MeshSummary {
                    text: format!("{format}: {polygons}, {islands}, {links}."),
                    notes,
                    has_links: !file.links.is_empty(),
                    points: file.mesh.vertices.iter().map(|v| v.as_vec3()).collect(),
                })
            }
            Err(error) => {
                let is_examinable = read_unchecked(&self.0, &MeshPlacement::default()).is_ok();
                OpenedMesh::Refused { error, is_examinable }
            }
        })
    }
}

/// Reads the navigation mesh that was asked for last.
#[derive(Debug)]
pub(super) struct MeshOpener {
    job: BackgroundJob<OpenedFile>,
    file: Option<OpenedFile>,
}

impl Default for MeshOpener {
    fn default() -> Self {
        Self { job: BackgroundJob::in_background(), file: None }
    }
}

impl MeshOpener {
    /// Reads this file from now on, in place of another that is being read.
    pub(super) fn start(&mut self, file: &Path) {
        self.file = Some(OpenedFile(file.to_path_buf()));
    }

    /// Lets go of the file that is being read. Returns whether there was one.
    pub(super) fn cancel(&mut self) -> bool {
        self.job.cancel();
        self.file.take().is_some()
    }

    /// The file that is being read.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.0.as_path())
    }

    /// The file with what came of it, once it is read.
    pub(super) fn poll(&mut self) -> Option<(PathBuf, Option<OpenedMesh>)> {
        let opened = self.job.poll(self.file.as_ref()?)?;
        self.file.take().map(|OpenedFile(path)| (path, opened))
    }
}
