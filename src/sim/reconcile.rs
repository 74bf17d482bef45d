//! Brings the world in line with a scene that was loaded or edited, or got new assets.

use super::behave::Errand;
use super::body::{Body, Looks, Own};
use super::collide_pairs::presence_of;
use super::cover::CostChange;
use super::level::LevelSources;
use super::on_mesh::is_way_whole;
use super::rig::Rig;
use super::world::{Live, Motion, NavStatus, World};
use crate::asset::{AssetStore, Model};
use crate::ids::{InstanceId, ModelId};
use crate::nav::mesh::NavMesh;
use crate::nav::planner::Planner;
use crate::scene::{Scene, SceneInstance, SceneModel};
use crate::vocab::MoveState;
use std::sync::Arc;

/// The model entries and files that the bodies were made from.
#[derive(Clone, Debug, Default)]
pub struct ModelStamps(Vec<Stamp>);

#[derive(Clone, Debug)]
struct Stamp {
    id: ModelId,
    entry: Arc<SceneModel>,
    model: Option<Arc<Model>>,
    rig: Option<Arc<Rig>>,
}

impl Stamp {
    fn same(&self, other: &Self) -> bool {
        let same_file = match (&self.model, &other.model) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        self.id == other.id && Arc::ptr_eq(&self.entry, &other.entry) && same_file
    }
}

impl ModelStamps {
    fn of(scene: &Scene, assets: &AssetStore) -> Self {
        let stamp = |(id, entry): (ModelId, &Arc<SceneModel>)| {
            let model = assets.by_file(entry).map(|(_, model)| model.clone());
            Stamp { id, entry: entry.clone(), model, rig: None }
        };
        Self(scene.models.iter().map(stamp).collect())
    }

    fn same(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.same(b))
    }

    /// Makes the rigs that `old` has not.
    fn with_rigs(mut self, old: &Self) -> Self {
        for stamp in &mut self.0 {
            let kept = old.0.iter().find(|o| o.same(stamp)).and_then(|o| o.rig.clone());
            let earlier = old.0.iter().find(|o| o.id == stamp.id).and_then(|o| o.rig.as_deref());
            let make = || Arc::new(Rig::new(&stamp.entry, stamp.model.as_ref(), earlier));
            stamp.rig = Some(kept.unwrap_or_else(make));
        }
        self
    }

    fn looks(&self, instance: &SceneInstance) -> Looks {
        let stamp = instance.model_id().and_then(|id| self.0.iter().find(|s| s.id == id));
        Looks::of(instance, stamp.and_then(|s| s.rig.as_ref()))
    }
}

impl World {
    /// Brings the world in line with a scene that was loaded, edited or got new assets: live instances appear at
    /// their saved place, removed ones vanish, changed ones take over what changed. Cheap when nothing did.
    ///
    /// The level is derived anew only when its files, its placement or the settings of the ground changed. While
    /// files are still being loaded, characters stand where they are.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore) {
        let level_changed = self.reconcile_level(scene, assets);
        let mesh_changed = self.mesh.reconcile(scene, assets);
        self.reconcile_cover(scene);
        let mesh = self.mesh_of_walkers(&scene.nav);
        if mesh_changed {
            self.apart.1.clear();
        }
        let stamps = ModelStamps::of(scene, assets);
        let models_changed = !self.models.same(&stamps);
        if models_changed {
            self.models = stamps.with_rigs(&self.models);
        }
        let listed = self.reconcile_list(scene);
        let (models, mesh) = (&self.models, mesh.as_deref());
        let one = |((live, body), &id): ((&mut Live, &mut Body), &InstanceId)| {
            let Some(saved) = scene.instances.get(id) else { return (false, false) };
            let edited = !Arc::ptr_eq(saved, &body.saved);
            let retargeted = edited && saved.target != body.saved.target;
            if edited {
                take_over(id, live, body, saved.clone());
            }
            if edited || models_changed {
                body.looks = models.looks(saved);
                (body.resting, body.member) = (false, None);
                live.now.playback = body.advance_clips(live.state.gait(), None, 0.0);
                super::pose::express(live, body, true);
                live.before.playback = live.now.playback;
                live.before.face = live.now.face;
            }
            if level_changed {
                leave_level(live, body);
            } else if mesh_changed {
                look_over(live, body, mesh);
            }
            (edited, retargeted)
        };
        let all = self.live.iter_mut().zip(&mut self.bodies).zip(&self.ids);
        let (edited, retargeted) = all.map(one).fold((false, false), |a, b| (a.0 | b.0, a.1 | b.1));
        let (list_changed, changed) = (listed || retargeted, edited || models_changed || level_changed);
        if list_changed {
            self.resolve_targets();
        }
        self.reconcile_behaviors(scene);
        if changed || list_changed || self.presences.len() != self.live.len() {
            self.see_anew();
        }
    }

    /// Brings covers and threats in line with the scene. Walking characters look for another path when the costs that
    /// theirs was chosen by have changed.
    fn reconcile_cover(&mut self, scene: &Scene) {
        let nav = &*scene.nav;
        let mesh = self.mesh.built().map(|built| built.mesh.clone());
        let reroutes = match self.cover.reconcile(nav, mesh.as_ref(), self.level.as_ref()) {
            CostChange::None => false,
            CostChange::Exposure => nav.planner == Planner::Tactical,
            CostChange::Ground => true,
        };
        if reroutes {
            for (live, body) in self.live.iter().zip(&mut self.bodies) {
                body.nav.wants_path |= live.nav == NavStatus::Walking;
            }
        }
    }

    /// Lets everybody be seen by the others as he is now.
    fn see_anew(&mut self) {
        self.presences.clear();
        self.presences.extend(self.live.iter().zip(&self.bodies).map(|(live, body)| presence_of(live, body, false)));
    }

    /// Says whether there is a new level, or none any more.
    fn reconcile_level(&mut self, scene: &Scene, assets: &AssetStore) -> bool {
        let sources = LevelSources::of(scene, assets);
        let same = match (&self.level_sources, &sources) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        };
        if same {
            self.builder.cancel();
            return false;
        }
        let Some(sources) = sources else {
            self.builder.cancel();
            self.level_sources = None;
            return self.level.take().is_some();
        };
        match self.builder.poll(&sources) {
            Some(level) => {
                self.level = level;
                self.level_sources = Some(sources);
                true
            }
            // Other settings of the same ground: the old one serves meanwhile.
            None if self.level_sources.as_ref().is_some_and(|old| old.same_places(&sources)) => false,
            None => {
                self.level_sources = None;
                self.level.take().is_some()
            }
        }
    }

    /// Makes the arrays hold the scene's instances in its order; says whether they did not already.
    fn reconcile_list(&mut self, scene: &Scene) -> bool {
        if scene.instances.ids().eq(self.ids.iter().copied()) {
            return false;
        }
        // Bodies are large: whoever can stay in place does.
        let stays: Vec<bool> = self.ids.iter().map(|id| scene.instances.contains(*id)).collect();
        let mut which = [stays.iter(), stays.iter(), stays.iter()];
        self.live.retain(|_| which[0].next() == Some(&true));
        self.bodies.retain(|_| which[1].next() == Some(&true));
        self.ids.retain(|_| which[2].next() == Some(&true));
        if !scene.instances.ids().take(self.ids.len()).eq(self.ids.iter().copied()) {
            self.reorder(scene);
        }
        self.bring_to_life(scene);
        self.number_slots();
        true
    }

    /// Takes everybody in the order of the scene, with those who are new among them.
    fn reorder(&mut self, scene: &Scene) {
        self.number_slots();
        let seed = scene.settings.seed;
        let mut old: Vec<Option<(Live, Body)>> =
            std::mem::take(&mut self.live).into_iter().zip(std::mem::take(&mut self.bodies)).map(Some).collect();
        let mut ids = Vec::with_capacity(scene.instances.len());
        self.live.reserve(scene.instances.len());
        self.bodies.reserve(scene.instances.len());
        for (id, saved) in scene.instances.iter() {
            let kept = self.index_of(id).and_then(|i| old[i].take());
            let (live, body) = kept.unwrap_or_else(|| born(&self.models, id, saved, seed));
            ids.push(id);
            self.live.push(live);
            self.bodies.push(body);
        }
        self.ids = ids;
    }

    /// Adds those of the scene who come after all who are here.
    fn bring_to_life(&mut self, scene: &Scene) {
        let new = scene.instances.len() - self.ids.len();
        self.live.reserve(new);
        self.bodies.reserve(new);
        for (id, saved) in scene.instances.iter().skip(self.ids.len()) {
            let (live, body) = born(&self.models, id, saved, scene.settings.seed);
            self.live.push(live);
            self.bodies.push(body);
            self.ids.push(id);
        }
    }

    /// Notes where everybody is in the arrays.
    fn number_slots(&mut self) {
        self.by_slot.clear();
        for (i, id) in self.ids.iter().enumerate() {
            let slot = id.slot() as usize;
            if self.by_slot.len() <= slot {
                self.by_slot.resize(slot + 1, u32::MAX);
            }
            self.by_slot[slot] = i as u32;
        }
    }

    fn resolve_targets(&mut self) {
        for i in 0..self.bodies.len() {
            if let Errand::To(id) = self.bodies[i].errand
                && self.index_of(id).is_none()
            {
                self.bodies[i].errand = Errand::Done;
            }
            let target = self.bodies[i].target().and_then(|t| self.index_of(t)).map(|t| t as u32);
            // Positions in the arrays may have shifted; a target that went or came starts over.
            if self.bodies[i].nav.target.is_some() != target.is_some() {
                self.bodies[i].reset_navigation();
                restart(&mut self.live[i]);
            }
            self.bodies[i].nav.target = target;
        }
    }
}

/// An instance at its saved place.
fn born(models: &ModelStamps, id: InstanceId, saved: &Arc<SceneInstance>, seed: u64) -> (Live, Body) {
    let mut body = Body::new(id, saved.clone(), models.looks(saved), seed);
    let mut live = Live::default();
    live.now.playback = body.advance_clips(MoveState::Idle, None, 0.0);
    super::pose::express(&mut live, &mut body, true);
    put_at_saved_place(&mut live, saved);
    (live, body)
}

/// Takes over what was edited: a new place or scale puts the instance there, a new target starts a new walk.
fn take_over(id: InstanceId, live: &mut Live, body: &mut Body, saved: Arc<SceneInstance>) {
    let old = std::mem::replace(&mut body.saved, saved.clone());
    body.own = Own::of(&saved);
    if (old.position, old.rotation_deg, old.scale) != (saved.position, saved.rotation_deg, saved.scale) {
        let fresh = Body::new(id, saved.clone(), body.looks.clone(), 0);
        let (target, controller, orders) = (body.nav.target, body.controller, body.orders);
        let (mind, errand) = (body.mind.take(), body.errand);
        *body = Body { controller, orders, mind, errand, ..fresh };
        body.nav.target = target;
        put_at_saved_place(live, &saved);
        restart(live);
    }
    if (old.target, old.navigation) != (saved.target, saved.navigation) {
        body.errand = Errand::Saved;
        body.reset_navigation();
        restart(live);
    }
}

/// Makes the way of an instance fit another mesh: who walks and whose way is whole on `mesh` goes on; all others that
/// want a way search again, for a door may have opened.
fn look_over(live: &Live, body: &mut Body, mesh: Option<&NavMesh>) {
    let goes_on = match live.nav {
        NavStatus::Off | NavStatus::Arrived => true,
        NavStatus::Walking => mesh.is_some_and(|mesh| is_way_whole(live, mesh)),
        NavStatus::Waiting | NavStatus::Failed(_) => false,
    };
    body.nav.known_apart = None;
    if !goes_on {
        (body.nav.wants_path, body.nav.retry_at) = (true, 0);
    }
}

/// Forgets everything that was derived from the old level.
fn leave_level(live: &mut Live, body: &mut Body) {
    body.vicinity.clear();
    body.node = (None, glam::Vec3::NAN);
    body.placed = false;
    body.resting = false;
    body.safe = None;
    body.reset_navigation();
    live.ground_triangle = None;
    live.on_ground = false;
    live.crossing = None;
    restart(live);
}

fn put_at_saved_place(live: &mut Live, saved: &SceneInstance) {
    let position = if saved.position.is_finite() { saved.position } else { glam::Vec3::ZERO };
    let motion = Motion {
        position,
        yaw_rad: crate::math::angle::wrap_rad(saved.rotation_deg.y.to_radians()),
        playback: live.now.playback,
        face: live.now.face,
        ..Motion::default()
    };
    (live.now, live.before) = (motion, motion);
    live.crossing = None;
    live.on_ground = false;
    live.ground_triangle = None;
}

pub(super) fn restart(live: &mut Live) {
    live.leaps.clear();
    live.nav = NavStatus::Off;
    live.path.clear();
    live.distance_left = None;
}
