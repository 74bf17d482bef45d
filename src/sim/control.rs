//! What moves instances from outside the step: orders, tests of behaviours, previews.

use super::orders::Orders;
use super::preview::{Ghost, Preview};
use super::world::World;
use crate::ids::InstanceId;

impl World {
    /// The orders to an instance, to be changed between steps.
    pub fn orders_mut(&mut self, id: InstanceId) -> Option<&mut Orders> {
        let i = self.index_of(id)?;
        Some(&mut self.instances.characters[i].orders)
    }

    /// Ends navigation and steering of an instance: it stands until its behaviour or another target moves it again.
    pub fn stop(&mut self, id: InstanceId) {
        let Some(i) = self.index_of(id) else { return };
        let (instance, character) = self.instances.at_mut(i);
        character.stop();
        character.nav.target = None;
        character.nav.reset();
        instance.clear_path();
    }

    /// Fires a test node of an instance's behaviour. Returns whether it has one with this number.
    pub fn fire(&mut self, id: InstanceId, node: i64) -> bool {
        let behavior = self.index_of(id).and_then(|i| self.instances.characters[i].behavior.as_mut());
        behavior.is_some_and(|behavior| behavior.running.fire(node))
    }

    /// Ends an active node of an instance's behaviour with all that it fired. Returns whether one with this number was
    /// active.
    pub fn deactivate(&mut self, id: InstanceId, node: i64) -> bool {
        let behavior = self.index_of(id).and_then(|i| self.instances.characters[i].behavior.as_mut());
        behavior.is_some_and(|behavior| behavior.running.deactivate(node))
    }

    /// Shows a moment of some clips on an instance, at once and after every step, until another is asked for or none. The
    /// instance stands still while the simulation runs. Such a run is no longer the same as one without.
    pub fn preview(&mut self, wanted: Option<Preview>) {
        self.preview.set(&mut self.instances, wanted);
    }

    /// The instance that shows a preview, and the second body of it.
    pub fn ghost(&self) -> Option<(InstanceId, Ghost)> {
        self.preview.ghost()
    }
}
