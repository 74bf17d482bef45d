//! What happens to instances, for people, behaviours and counts.

use crate::ids::InstanceId;
use crate::vocab::labelled;
use std::collections::{VecDeque, vec_deque};

labelled! {
    /// Kinds of events.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum EventKind: name {
        /// A navigating character came to its target.
        TargetReached = "target_reached",
        /// No path leads to the target.
        NoPath = "no_path",
        /// A walking character made no progress for a while.
        Stuck = "stuck",
        /// A character came to a wall.
        Wall = "wall",
        /// A character came to the border of the level.
        Border = "border",
        /// A falling character came down.
        Landed = "landed",
        /// An instance had fallen out of the level and was put back.
        PutBack = "put_back",
        /// A walking character began to cross a link of the navigation mesh.
        LinkTaken = "link_taken",
        /// An instance came to touch another one.
        Contact = "contact",
        /// A character interacted with an instance.
        Interaction = "interaction",
        /// An instance has fallen out of the level and is to be deleted, as the scene says.
        Lost = "lost",
    }
}

impl EventKind {
    /// Its bit in an [`EventSet`].
    fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Number of the step in which it happened, from 1.
    pub step: u64,
    /// The instance that it happened to.
    pub instance: InstanceId,
    /// Its kind.
    pub kind: EventKind,
}

/// The events of one instance within a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSet(u32);

impl EventSet {
    /// Adds a kind.
    pub fn raise(&mut self, kind: EventKind) {
        self.0 |= kind.bit();
    }

    /// Whether it holds a kind.
    pub fn has(self, kind: EventKind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds in it.
    pub fn kinds(self) -> impl Iterator<Item = EventKind> {
        EventKind::ALL.into_iter().filter(move |k| self.0 & k.bit() != 0)
    }
}

/// Most pending events; older ones are dropped.
const MAX_PENDING: usize = 4096;

/// Pending events, and counts of all that ever happened.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    pending: VecDeque<Event>,
    counts: [u64; EventKind::ALL.len()],
}

impl EventLog {
    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        self.counts[event.kind as usize] += 1;
        if self.pending.len() == MAX_PENDING {
            self.pending.pop_front();
        }
        self.pending.push_back(event);
    }

    /// Takes all pending events, oldest first.
    pub fn drain(&mut self) -> vec_deque::Drain<'_, Event> {
        self.pending.drain(..)
    }

    /// How often each kind happened since the world began.
    pub fn counts(&self) -> impl Iterator<Item = (EventKind, u64)> + '_ {
        EventKind::ALL.into_iter().map(|k| (k, self.counts[k as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_each_kind_once() {
        let mut set = EventSet::default();
        assert!(set.is_empty());
        for kind in EventKind::ALL {
            set.raise(kind);
            set.raise(kind);
        }
        assert_eq!(set.kinds().collect::<Vec<_>>(), EventKind::ALL);
    }

    #[test]
    fn the_log_counts_all_and_keeps_the_newest() {
        let mut arena: crate::ids::Arena<crate::ids::kind::Instance, ()> = crate::ids::Arena::default();
        let instance = arena.insert(());
        let mut log = EventLog::default();
        for step in 0..10_000 {
            log.push(Event { step, instance, kind: EventKind::Wall });
        }
        assert!(log.counts().any(|count| count == (EventKind::Wall, 10_000)));
        let kept: Vec<Event> = log.drain().collect();
        assert_eq!((kept.len(), kept[0].step, kept[MAX_PENDING - 1].step), (MAX_PENDING, 10_000 - 4096, 9_999));
        assert_eq!(log.drain().count(), 0);
    }
}
