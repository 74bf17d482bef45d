//! How a test case for paths went: for `walkabout nav-test`.

use serde::Serialize;
use std::path::{Path, PathBuf};

/// How a case went.
#[derive(Serialize)]
pub struct CaseResult {
    /// The file of cases.
    #[serde(serialize_with = "super::output::as_shown")]
    pub file: PathBuf,
    /// Its name.
    pub name: String,
    /// Whether all is as expected.
    pub passed: bool,
    /// What is wrong, and what can be done about it.
    pub failure: Option<String>,
    /// Length of the path, metres.
    pub length: Option<f64>,
    /// Nodes that the search expanded.
    pub expanded: u32,
    /// Time of the query, microseconds.
    pub micros: f64,
    /// Why there is no path.
    pub reason: Option<String>,
}

impl CaseResult {
    /// Of a case that was not tried yet.
    pub fn new(file: &Path, name: String) -> Self {
        let file = file.to_path_buf();
        Self { file, name, passed: false, failure: None, length: None, expanded: 0, micros: 0.0, reason: None }
    }
}
