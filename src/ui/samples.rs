//! The scenes that come with Walkabout.

/// A scene that comes with Walkabout.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Its file, relative to the program's folder.
    pub file: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What there is to see, in a few words.
    pub help: &'static str,
    /// A picture of it, JPEG.
    pub picture: &'static [u8],
}

/// All of them.
pub const SAMPLES: [Sample; 3] = [
    Sample {
        file: "config/plaza.acfg",
        title: "Plaza",
        help: "People stroll over a square with stairs.",
        picture: include_bytes!("../../assets/pictures/plaza.jpg"),
    },
    Sample {
        file: "config/courtyard.acfg",
        title: "Courtyard",
        help: "A yard with an arch, stairs and a gallery.",
        picture: include_bytes!("../../assets/pictures/courtyard.jpg"),
    },
    Sample {
        file: "config/arena.acfg",
        title: "Arena",
        help: "Stairs and crates within walls.",
        picture: include_bytes!("../../assets/pictures/arena.jpg"),
    },
];
