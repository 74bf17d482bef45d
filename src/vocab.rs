//! The small shared enumerations, with the integers under which scene files know them, and how counts and names are written.

/// The words and numbers in a name, in lower case: `LeftUpLeg` is left, up, leg; `Bip01_L_Thigh` is bip, 01, l, thigh.
pub fn parts_of_name(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut parts: Vec<String> = Vec::new();
    let mut is_open = false;
    for (i, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            is_open = false;
            continue;
        }
        let before = i.checked_sub(1).map(|i| letters[i]);
        let is_next_low = letters.get(i + 1).is_some_and(|next| next.is_lowercase());
        let begins = match before {
            Some(before) if is_open => {
                before.is_numeric() != letter.is_numeric()
                    || letter.is_uppercase() && (before.is_lowercase() || is_next_low)
            }
            _ => true,
        };
        let low = letter.to_lowercase();
        match parts.last_mut().filter(|_| !begins) {
            Some(part) => part.extend(low),
            None => parts.push(low.collect()),
        }
        is_open = true;
    }
    parts
}

/// A count with what is counted, for people: "1 island", "2 islands". The plural of `noun` ends in s.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `name`, or where that is taken one like it: with a number behind it that counts up from its own, if it has one.
pub fn free_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.to_owned();
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let (stem, first) = match name[stem.len()..].parse::<u64>() {
        Ok(number) if !stem.is_empty() && number < u64::MAX => (stem.to_owned(), number + 1),
        _ => (format!("{name}-"), 2),
    };
    (first..=u64::MAX).map(|i| format!("{stem}{i}")).find(|name| !taken(name)).unwrap_or_default()
}

/// Names for people, in quotation marks and at most so many of them: `"a", "b" and 3 more`.
pub fn quoted_names(names: &[&str], most: usize) -> String {
    let listed: Vec<String> = names.iter().take(most).map(|name| format!("{name:?}")).collect();
    let rest = names.len().saturating_sub(most);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    listed.join(", ") + &more
}

/// Defines an enum whose variants scene files know by numbers, each with its name for people.
macro_rules! file_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $value:literal $label:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant = $value,)+ }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $name {
            /// All values in file order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The integer in scene files.
            pub fn to_file(self) -> i64 {
                self as i64
            }

            /// The value behind a scene file's integer; `None` for one that no version has written.
            pub fn from_file(value: i64) -> Option<Self> {
                match value {
                    $($value => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Name for people.
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)+
                }
            }
        }
    };
}
pub(crate) use file_enum;

/// Defines an enum with what each of its variants is called. Which columns follow a variant stands behind the enum's name:
/// `name`, for programs; `label`, for people; `help`, a sentence. Each column is a method, and `ALL` lists the variants.
macro_rules! labelled {
    (
        $(#[$meta:meta])*
        pub enum $kind:ident: $($column:ident),+ { $($(#[$of:meta])* $variant:ident = $($text:literal)+,)+ }
    ) => {
        $(#[$meta])*
        pub enum $kind { $($(#[$of])* $variant,)+ }

        impl $kind {
            /// All of them, in their order.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }

        $crate::vocab::labelled!(@columns $kind ($($column)+) $($variant ($($text)+))+);
    };
    (@columns $kind:ident (name) $($variant:ident ($name:literal))+) => {
        $crate::vocab::labelled!(@column $kind name "Name for programs: in files and on command lines." $($variant $name)+);
    };
    (@columns $kind:ident (label) $($variant:ident ($label:literal))+) => {
        $crate::vocab::labelled!(@column $kind label "Name for people." $($variant $label)+);
    };
    (@columns $kind:ident (label help) $($variant:ident ($label:literal $help:literal))+) => {
        $crate::vocab::labelled!(@columns $kind (label) $($variant ($label))+);
        $crate::vocab::labelled!(@column $kind help "What it is, in a sentence." $($variant $help)+);
    };
    (@columns $kind:ident (name label help) $($variant:ident ($name:literal $label:literal $help:literal))+) => {
        $crate::vocab::labelled!(@columns $kind (name) $($variant ($name))+);
        $crate::vocab::labelled!(@columns $kind (label help) $($variant ($label $help))+);
    };
    (@column $kind:ident $method:ident $what:literal $($variant:ident $text:literal)+) => {
        impl $kind {
            #[doc = $what]
            pub const fn $method(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}
pub(crate) use labelled;

labelled! {
    /// Quality level of the drawing: by the measured speed of the adapter, where none is chosen.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Quality: name, label, help {
        /// For software rasterizers: one sample with post-process anti-aliasing, two small shadow maps, eight bits per
        /// channel, coarse levels of detail.
        Software = "software" "Software"
            "For drawing on the processor: coarse shadows and levels of detail.",
        /// For slow GPUs: as that, with finer shadows.
        Low = "low" "Low" "For slow graphics processors and very many characters: as software, with finer shadows.",
        /// For faster ones: multisampling, finer levels of detail, ambient occlusion, bloom, adapting exposure.
        Medium = "medium" "Medium" "Smooth edges, ambient occlusion, bloom, an exposure that adapts.",
        /// Contact-hardening shadows.
        High = "high" "High" "As medium, with shadows that are sharper where they begin.",
        /// Larger shadow maps, more samples of shadows and occlusion.
        Ultra = "ultra" "Ultra" "As high, with larger shadow maps and more samples.",
    }
}

file_enum! {
    /// What a character is doing.
    MoveState {
        /// Standing.
        Idle = 0 "Idle",
        /// Walking.
        Walk = 1 "Walk",
        /// Running.
        Run = 2 "Run",
        /// Hopping on the spot.
        Hop = 3 "Hop",
        /// Jumping while moving.
        Jump = 4 "Jump",
        /// Punching.
        Punch = 5 "Punch",
        /// Picking something up.
        Pick = 6 "Pick",
        /// Rolling over.
        Roll = 7 "Roll",
        /// Kicking.
        Kick = 8 "Kick",
        /// Interacting.
        Interact = 9 "Interact",
        /// Waving.
        Wave = 10 "Wave",
    }
}

impl MoveState {
    /// Whether it is an action rather than a gait.
    pub fn is_action(self) -> bool {
        !matches!(self, Self::Idle | Self::Walk | Self::Run)
    }

    /// The gait itself; standing for an action.
    pub fn gait(self) -> Self {
        if self.is_action() { Self::Idle } else { self }
    }
}

file_enum! {
    /// Direction of movement relative to where the character faces.
    MoveDirection {
        /// Not moving.
        None = 0 "None",
        /// Forward.
        Forward = 1 "Forward",
        /// Backward.
        Back = 2 "Back",
        /// To the right.
        Right = 4 "Right",
        /// Forward and to the right.
        ForwardRight = 5 "Forward right",
        /// Backward and to the right.
        BackRight = 6 "Back right",
        /// To the left.
        Left = 8 "Left",
        /// Forward and to the left.
        ForwardLeft = 9 "Forward left",
        /// Backward and to the left.
        BackLeft = 10 "Back left",
        /// Any direction: the fallback of blend sets.
        Any = 255 "Any",
    }
}

impl MoveDirection {
    /// Its angle about +Y as seen from where one faces, radians: left is positive.
    pub fn angle_rad(self) -> f32 {
        match self {
            Self::None | Self::Forward | Self::Any => 0.0,
            Self::Back => std::f32::consts::PI,
            Self::Right => -std::f32::consts::FRAC_PI_2,
            Self::Left => std::f32::consts::FRAC_PI_2,
            Self::ForwardRight => -std::f32::consts::FRAC_PI_4,
            Self::ForwardLeft => std::f32::consts::FRAC_PI_4,
            Self::BackRight => -3.0 * std::f32::consts::FRAC_PI_4,
            Self::BackLeft => 3.0 * std::f32::consts::FRAC_PI_4,
        }
    }

    /// The two directions between which a diagonal one lies: along the view, and across it.
    pub fn components(self) -> Option<[Self; 2]> {
        match self {
            Self::ForwardRight => Some([Self::Forward, Self::Right]),
            Self::ForwardLeft => Some([Self::Forward, Self::Left]),
            Self::BackRight => Some([Self::Back, Self::Right]),
            Self::BackLeft => Some([Self::Back, Self::Left]),
            _ => None,
        }
    }
}

file_enum! {
    /// Facial expression; all but `None` are morph targets.
    FaceExpression {
        /// Neutral.
        None = 0 "None",
        /// Angry.
        Angry = 1 "Angry",
        /// Worried.
        Worried = 2 "Worried",
        /// Surprised.
        Surprised = 3 "Surprised",
        /// Happy.
        Happy = 4 "Happy",
    }
}

file_enum! {
    /// Head movement that a clip is mapped to.
    HeadMove {
        /// Turn to the left.
        Left = 0 "Left",
        /// Turn to the right.
        Right = 1 "Right",
        /// Look up.
        Up = 2 "Up",
        /// Look down.
        Down = 3 "Down",
    }
}

file_enum! {
    /// How collisions between instances are tested.
    CollisionMode {
        /// Not at all.
        Off = 0 "None",
        /// By bounding boxes.
        Boxes = 1 "Bounding boxes",
        /// By bounding spheres per bone.
        Spheres = 2 "Bounding spheres",
    }
}

file_enum! {
    /// A light of the day, by the original's numbers.
    DayPreset {
        /// The day's first minute.
        Midnight = 0 "Midnight",
        /// An hour before the morning.
        PreMorning = 1 "Pre-morning",
        /// Low light from the east.
        Morning = 2 "Morning",
        /// The day's strongest light.
        Noon = 3 "Noon",
        /// Low light from the west.
        Evening = 4 "Evening",
        /// An hour after the evening.
        PostEvening = 5 "Post-evening",
        /// The day's last minute: the light of midnight.
        PreMidnight = 6 "Pre-midnight",
        /// White light that no time of day has.
        FullLight = 7 "Full light",
    }
}

file_enum! {
    /// Kind of camera.
    CameraKind {
        /// Flies freely.
        Free = 0 "Free",
        /// Through a bone of an instance.
        FirstPerson = 1 "First person",
        /// Behind an instance.
        ThirdPerson = 2 "Third person",
        /// Fixed.
        Stationary = 3 "Stationary",
        /// Fixed position, looking at an instance.
        StationaryFollowing = 4 "Stationary, following",
    }
}

file_enum! {
    /// Camera projection.
    Projection {
        /// Perspective.
        Perspective = 0 "Perspective",
        /// Orthogonal.
        Orthogonal = 1 "Orthogonal",
    }
}

file_enum! {
    /// Events that behaviours listen to.
    NodeEvent {
        /// No event.
        None = 0 "None",
        /// Two instances touched.
        InstanceToInstance = 1 "Instance to instance",
        /// The border of the world was touched.
        InstanceToEdge = 2 "Instance to edge",
        /// Another instance interacted.
        Interaction = 3 "Interaction",
        /// A wall was touched.
        InstanceToLevel = 4 "Instance to level",
        /// The navigation target was reached.
        TargetReached = 5 "Navigation target reached",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_the_first_are_listed() {
        let listed = |most| quoted_names(&["a", "b", "c"], most);
        assert_eq!([listed(3), listed(2)], ["\"a\", \"b\", \"c\"", "\"a\", \"b\" and 1 more"]);
        assert_eq!(quoted_names(&[], 4), "");
    }

    #[test]
    fn free_names_count_up() {
        let long = "x99999999999999999999";
        let taken = |name: &str| ["Camera1", "Camera2", "Camera09", "gate", "7", long].contains(&name);
        assert_eq!(free_name("Camera7", taken), "Camera7");
        assert_eq!(free_name("Camera1", taken), "Camera3");
        assert_eq!(free_name("Camera09", taken), "Camera10");
        assert_eq!(free_name("gate", taken), "gate-2");
        assert_eq!(free_name("7", taken), "7-2", "a number alone stays what it is");
        assert_eq!(free_name(long, taken), format!("{long}-2"));
    }

    #[test]
    fn file_integers_round_trip_and_unknown_ones_are_refused() {
        for &s in MoveState::ALL {
            assert_eq!(MoveState::from_file(s.to_file()), Some(s));
        }
        assert_eq!(MoveState::from_file(11), None);
        assert_eq!(MoveDirection::from_file(255), Some(MoveDirection::Any));
        assert_eq!(MoveDirection::from_file(3), None);
        assert_eq!(NodeEvent::TargetReached.to_file(), 5);
    }
}
