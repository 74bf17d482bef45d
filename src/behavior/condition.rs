//! Conditions: what a selector can ask of its character.

/// What a selector asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Nothing.
    #[default]
    None,
    /// Whether the character is on its way to a target.
    OnTheWay,
    /// Whether it touches another instance.
    Contact,
    /// Whether a wall holds it.
    Wall,
    /// Whether the border holds it.
    Border,
}

impl Condition {
    /// Labels, by number in scene files.
    pub const LABELS: &'static [&'static str] =
        &["none", "on the way to a target", "touches an instance", "touches a wall", "touches the border"];

    /// The condition with this number.
    pub fn from_file(number: i64) -> Option<Self> {
        let all = [Self::None, Self::OnTheWay, Self::Contact, Self::Wall, Self::Border];
        all.get(usize::try_from(number).ok()?).copied()
    }
}

/// Conditions that hold for a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConditionSet(u8);

impl ConditionSet {
    /// Adds a condition if it `holds`.
    pub fn note(&mut self, condition: Condition, holds: bool) {
        self.0 |= u8::from(holds) << condition as u8;
    }

    /// Whether a condition holds.
    pub fn has(self, condition: Condition) -> bool {
        self.0 & 1 << condition as u8 != 0
    }

    /// Its bits, for hashes of a state.
    pub fn bits(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_noted() {
        let mut set = ConditionSet::default();
        set.note(Condition::Wall, true);
        set.note(Condition::Contact, false);
        assert!(set.has(Condition::Wall) && !set.has(Condition::Contact) && !set.has(Condition::None));
        assert_eq!(Condition::from_file(Condition::LABELS.len() as i64), None);
        assert_eq!(Condition::from_file(3), Some(Condition::Wall));
    }
}
