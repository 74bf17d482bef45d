//! Conditions: what a selector can ask of its character.

use crate::vocab::file_enum;

file_enum! {
    /// What a selector asks.
    Condition {
        /// Nothing.
        None = 0 "none",
        /// Whether the character is on its way to a target.
        OnTheWay = 1 "on the way to a target",
        /// Whether it touches another instance.
        Contact = 2 "touches an instance",
        /// Whether a wall holds it.
        Wall = 3 "touches a wall",
        /// Whether the border holds it.
        Border = 4 "touches the border",
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
        assert_eq!(Condition::from_file(Condition::ALL.len() as i64), None);
        assert_eq!(Condition::from_file(3), Some(Condition::Wall));
    }
}
