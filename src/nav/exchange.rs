//! Navigation meshes of other programs: what they are told by, how they are read and written.
//!
//! A reader turns bytes into a [`ForeignMesh`]; [`foreign`] joins its polygons into a mesh of ours. Files are untrusted:
//! memory is bounded by a small multiple of their bytes.

mod byte_reader;
mod error;
pub mod foreign;

pub use byte_reader::Bytes;
pub use error::ExchangeError;
pub use foreign::{ForeignMesh, ForeignPolygon, Joining, Joint};
