//! Walkabout: a workbench for game characters that find their way.
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
