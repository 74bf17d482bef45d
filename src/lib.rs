//! Walkabout: a workbench for game characters that find their way.
//!
//! # Where to begin
//!
//! | to do | take |
//! | --- | --- |
//! | read a level | [`asset::load_model()`], [`asset::level::corners()`] |
//! | bake a navigation mesh, or make one of polygons | [`nav::bake::bake()`], [`nav::mesh::RawMesh`] |
//! | read and write meshes of other programs | [`nav::exchange`] |
//! | find paths | [`nav::planner::Planner`] with a [`nav::planner::Query`]; many at once: [`nav::planner::find_all()`] |
//! | ask for the nearest ground, walls, rays, places | [`nav::query`] |
//! | put obstacles into a mesh while it is used | [`nav::mesh::DynamicMesh`] |
//! | let many agents walk | [`nav::crowd::Crowd`] |
//! | hide from enemies | [`nav::tactical`] |
//! | say what is wrong with a level or a mesh | [`nav::doctor`] |
//! | load a scene and let its characters walk | [`scene::file::load()`], [`sim::World`] |
//! | draw it | [`render::extract()`], [`render::Renderer`] |
//!
//! The programs under `examples/` show each in a page.
//!
//! # What holds everywhere
//!
//! - Lengths are metres, times seconds, angles radians (degrees in [`scene`], as in its files); axes are right-handed, Y
//!   is up. The unit stands in the name where it is another: `_secs`, `_rad`, `_deg`, `_ms`, `_px`.
//! - The points of a [`NavMesh`](nav::mesh::NavMesh) are single precision around an origin in double precision:
//!   [`local`](nav::mesh::NavMesh::local) and [`world`](nav::mesh::NavMesh::world) convert. Polygons are convex and in
//!   the mesh's own order; those that an obstacle has cut are not [live](nav::mesh::NavMesh::is_live), so go through
//!   [`live_polygons`](nav::mesh::NavMesh::live_polygons).
//! - A mesh never changes under a shared reference: any number of threads may ask it while another one bakes the next or
//!   changes a [`DynamicMesh`](nav::mesh::DynamicMesh). Each thread has working memory of its own, such as
//!   [`PlannerContext`](nav::planner::PlannerContext). A new mesh has a new [id](nav::mesh::NavMesh::id).
//! - Whatever numbers come in, nothing panics but an id of another mesh or list: what cannot be done is an error that names
//!   the element and says what to do.
//! - The same input gives the same bits on any number of threads.
//!
//! # How it is built
//!
//! Rooms by subject, floors by dependency; a room imports only from floors below it.
//!
//! | floor | rooms |
//! | --- | --- |
//! | 0 ground | [`prefetch`] [`disk`] [`background`] [`math`] [`ids`] [`vocab`] [`input`] [`debug`] [`profile`] |
//! | 1 what is loaded | [`asset`] |
//! | 2 subjects | [`anim`] [`collide`] [`nav`] [`behavior`] [`camera`] [`sound`] |
//! | 3 the written scene | [`scene`] |
//! | 4 the live world | [`sim`] |
//! | 5 look into it | [`inspect`] |
//! | side stair | [`gpu`] |
//! | 6 show it | [`render`] [`ui`] |
//! | 7 the front door | [`app`] |

// Tests of both kinds share what they are built on.
#[cfg(test)]
extern crate self as walkabout;

pub mod math;

pub mod background;
pub mod debug;
pub mod disk;
pub mod ids;
pub mod input;
pub mod prefetch;
pub mod profile;
pub mod vocab;

pub mod asset;

pub mod anim;
pub mod behavior;
pub mod camera;
pub mod collide;
pub mod nav;
pub mod sound;

pub mod scene;

pub mod sim;

pub mod inspect;

pub mod gpu;

pub mod render;
pub mod ui;

pub mod app;
