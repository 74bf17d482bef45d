//! Identities that survive deletion: generational ids and the ordered arena that hands them out.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

/// A generational id of a `Kind`. Ids of removed things never become valid again.
pub struct Id<Kind> {
    slot: u32,
    generation: u32,
    kind: PhantomData<fn() -> Kind>,
}

impl<Kind> Id<Kind> {
    /// A stable 64-bit form for sorting, hashing and merge keys; not for storage in files.
    pub fn to_bits(self) -> u64 {
        (u64::from(self.generation) << 32) | u64::from(self.slot)
    }

    /// The slot number: dense, reused after removal. Fit for side tables and pick targets of one frame.
    pub fn slot(self) -> u32 {
        self.slot
    }
}

impl<Kind> Clone for Id<Kind> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<Kind> Copy for Id<Kind> {}
impl<Kind> PartialEq for Id<Kind> {
    fn eq(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}
impl<Kind> Eq for Id<Kind> {}
impl<Kind> PartialOrd for Id<Kind> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<Kind> Ord for Id<Kind> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.to_bits().cmp(&other.to_bits())
    }
}
impl<Kind> Hash for Id<Kind> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}
impl<Kind> fmt::Debug for Id<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.slot, self.generation)
    }
}

/// Kind markers of the scene's ids.
pub mod kind {
    /// A placed character or thing.
    pub enum Instance {}
    /// A model entry of the scene.
    pub enum Model {}
    /// A level entry of the scene.
    pub enum Level {}
    /// A camera.
    pub enum Camera {}
    /// A behaviour template (node tree).
    pub enum Behavior {}
}

/// Id of a placed instance.
pub type InstanceId = Id<kind::Instance>;
/// Id of a model entry.
pub type ModelId = Id<kind::Model>;
/// Id of a level entry.
pub type LevelId = Id<kind::Level>;
/// Id of a camera.
pub type CameraId = Id<kind::Camera>;
/// Id of a behaviour template.
pub type BehaviorId = Id<kind::Behavior>;

/// Index of an animation clip within its model, in file order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct ClipId(pub u32);

/// Index of a node within its model's skeleton; parents come before children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct NodeId(pub u32);

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T: Clone> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self { generation: self.generation, value: self.value.clone() }
    }
}

/// Values under generational ids, iterated in the order in which they were inserted (the order of a file).
///
/// A clone shares everything with what it was cloned from until one of both is changed.
pub struct Arena<Kind, T> {
    slots: Arc<Vec<Slot<T>>>,
    free: Arc<Vec<u32>>,
    order: Arc<Vec<Id<Kind>>>,
}

impl<Kind, T> Clone for Arena<Kind, T> {
    fn clone(&self) -> Self {
        Self { slots: Arc::clone(&self.slots), free: Arc::clone(&self.free), order: Arc::clone(&self.order) }
    }
}

impl<Kind, T> Default for Arena<Kind, T> {
    fn default() -> Self {
        Self { slots: Arc::default(), free: Arc::default(), order: Arc::default() }
    }
}

impl<Kind, T: fmt::Debug> fmt::Debug for Arena<Kind, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Equal when the same values stand in the same order; ids are not compared.
impl<Kind, T: PartialEq> PartialEq for Arena<Kind, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|((_, a), (_, b))| a == b)
    }
}

impl<Kind, T> Arena<Kind, T> {
    /// Whether it is a clone of `other`, or the other way round, and neither was changed since.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slots, &other.slots) && Arc::ptr_eq(&self.order, &other.order)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The value of `id`, if it is here.
    pub fn get(&self, id: Id<Kind>) -> Option<&T> {
        let slot = self.slots.get(id.slot as usize)?;
        (slot.generation == id.generation).then_some(slot.value.as_ref())?
    }

    /// Whether `id` is here.
    pub fn contains(&self, id: Id<Kind>) -> bool {
        self.get(id).is_some()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = Id<Kind>> + '_ {
        self.order.iter().copied()
    }

    /// All values with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Id<Kind>, &T)> + '_ {
        self.order.iter().filter_map(|&id| Some((id, self.get(id)?)))
    }

    /// All values, in order.
    pub fn values(&self) -> impl Iterator<Item = &T> + '_ {
        self.iter().map(|(_, value)| value)
    }

    /// The id at `position` of the order.
    pub fn at(&self, position: usize) -> Option<Id<Kind>> {
        self.order.get(position).copied()
    }

    /// Position of `id` in the order: the index that is written into files. Linear.
    pub fn position(&self, id: Id<Kind>) -> Option<usize> {
        self.order.iter().position(|&other| other == id)
    }
}

impl<Kind, T: Clone> Arena<Kind, T> {
    /// Puts `value` at the end of the order.
    pub fn insert(&mut self, value: T) -> Id<Kind> {
        self.insert_at(self.order.len(), value)
    }

    /// Puts `value` at `position` of the order (clamped to the end).
    pub fn insert_at(&mut self, position: usize, value: T) -> Id<Kind> {
        let slots = Arc::make_mut(&mut self.slots);
        let free = if self.free.is_empty() { None } else { Arc::make_mut(&mut self.free).pop() };
        let slot = match free {
            Some(slot) => {
                slots[slot as usize].value = Some(value);
                slot
            }
            None => {
                slots.push(Slot { generation: 0, value: Some(value) });
                (slots.len() - 1) as u32
            }
        };
        let id = Id { slot, generation: slots[slot as usize].generation, kind: PhantomData };
        let order = Arc::make_mut(&mut self.order);
        order.insert(position.min(order.len()), id);
        id
    }

    /// Takes a value out; `None` for an id that is not (or no longer) here. Linear.
    pub fn remove(&mut self, id: Id<Kind>) -> Option<T> {
        let value = self.take(id)?;
        Arc::make_mut(&mut self.order).retain(|&other| other != id);
        Some(value)
    }

    /// Takes many values out in one go; ids that are not here do not count.
    pub fn remove_all(&mut self, ids: impl IntoIterator<Item = Id<Kind>>) {
        let taken = ids.into_iter().filter_map(|id| self.take(id)).count();
        if taken == 0 {
            return;
        }
        let slots = Arc::clone(&self.slots);
        let is_here = |id: &Id<Kind>| slots.get(id.slot as usize).is_some_and(|slot| slot.generation == id.generation);
        Arc::make_mut(&mut self.order).retain(is_here);
    }

    /// Empties a slot; its id still stands in the order.
    fn take(&mut self, id: Id<Kind>) -> Option<T> {
        if !self.contains(id) {
            return None;
        }
        let slot = Arc::make_mut(&mut self.slots).get_mut(id.slot as usize)?;
        slot.generation = slot.generation.wrapping_add(1);
        Arc::make_mut(&mut self.free).push(id.slot);
        slot.value.take()
    }

    /// The value of `id` for change, if it is here.
    pub fn get_mut(&mut self, id: Id<Kind>) -> Option<&mut T> {
        if !self.contains(id) {
            return None;
        }
        Arc::make_mut(&mut self.slots).get_mut(id.slot as usize)?.value.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_ids_never_return() {
        let mut arena: Arena<kind::Instance, &str> = Arena::default();
        let a = arena.insert("a");
        let b = arena.insert("b");
        assert_eq!(arena.remove(a), Some("a"));
        assert_eq!(arena.remove(a), None);
        let c = arena.insert("c");
        assert_eq!(c.slot(), a.slot());
        assert_ne!(c, a);
        assert_eq!(arena.get(a), None);
        assert_eq!(arena.ids().collect::<Vec<_>>(), vec![b, c]);
        assert_eq!(arena.position(c), Some(1));
    }

    #[test]
    fn many_are_removed_as_one_by_one() {
        let mut arena: Arena<kind::Instance, u32> = Arena::default();
        let ids: Vec<_> = (0..9).map(|i| arena.insert(i)).collect();
        let (before, mut single) = (arena.clone(), arena.clone());
        let gone = [ids[7], ids[2], ids[2], ids[4]];
        for id in gone {
            single.remove(id);
        }
        arena.remove_all(gone);
        assert_eq!(arena, single);
        assert_eq!(arena.values().copied().collect::<Vec<_>>(), vec![0, 1, 3, 5, 6, 8]);
        assert_eq!((arena.insert(9), arena.get(ids[4])), (single.insert(9), None));
        assert_eq!(before.values().copied().collect::<Vec<_>>(), (0..9).collect::<Vec<_>>(), "a clone stays as it was");
    }

    #[test]
    fn equality_looks_at_values_in_order() {
        let mut a: Arena<kind::Model, i32> = Arena::default();
        let first = a.insert(1);
        a.insert(2);
        a.remove(first);
        let mut b: Arena<kind::Model, i32> = Arena::default();
        b.insert(2);
        assert_eq!(a, b);
        b.insert_at(0, 1);
        assert_ne!(a, b);
        assert_eq!(b.values().copied().collect::<Vec<_>>(), vec![1, 2]);
    }
}
