//! Stands in for reqwest, the HTTP client of the build scripts of Assimp's bindings, with the three names that they use.
//!
//! With their feature `prebuilt` they download a library. Walkabout never asks for that: it links the system's library or builds it from
//! the sources that the bindings carry. The client itself would bring more than a hundred crates, among them TLS in C, to every first build.

/// What the build scripts call.
pub mod blocking {
    use std::io::{Error, ErrorKind};

    /// Never made.
    #[derive(Debug)]
    pub struct Response(());

    impl Response {
        /// Never called.
        ///
        /// # Errors
        /// Always.
        pub fn bytes(self) -> Result<Vec<u8>, Error> {
            Err(ErrorKind::Unsupported.into())
        }
    }

    /// Downloads nothing.
    ///
    /// # Errors
    /// Always, with the remedy.
    pub fn get(url: String) -> Result<Response, Error> {
        let reason = format!("building Walkabout downloads nothing ({url}); leave out the feature 'prebuilt' of Assimp's bindings");
        Err(Error::new(ErrorKind::Unsupported, reason))
    }
}
