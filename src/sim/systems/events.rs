//! Collects the events of a step.

use super::behavior::notify_events;
use crate::scene::settings::LostRule;
use crate::sim::event::{Event, EventKind, EventLog};
use crate::sim::instance_arrays::InstanceArrays;

/// Tells the behaviours what happened, and moves the events of all instances to the log.
pub fn collect_events(log: &mut EventLog, instances: &mut InstanceArrays, lost: LostRule, step: u64) {
    for i in 0..instances.len() {
        if !instances.summaries[i].has_events {
            continue;
        }
        instances.summaries[i].has_events = false;
        let pending = std::mem::take(&mut instances.characters[i].pending_events);
        notify_events(pending, &mut instances.characters[i]);
        for kind in pending.kinds() {
            let is_lost = kind == EventKind::PutBack && lost == LostRule::Delete;
            let kind = if is_lost { EventKind::Lost } else { kind };
            log.push(Event { step, instance: instances.ids[i], kind });
        }
    }
}
