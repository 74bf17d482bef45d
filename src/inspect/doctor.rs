//! The doctor of a scene: examines its level, its mesh, its links and its targets.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use glam::{DVec3, Vec3};

use super::mend_trial::MendTrial;
use crate::background::{BackgroundJob, Progress, Sources};
use crate::ids::{Arena, InstanceId, kind};
use crate::nav::bake::BakeSettings;
use crate::nav::doctor::{
    AgentLimits, Barrier, Blocker, DoctorError, DoctorStep, DoctorWatch, FaultKind, Finding, Mend, NamedTarget,
    PathAnswer, coarse_cells, examine_level_until, examine_mesh_until, link_on_mesh, what_blocks,
    why_no_path_on_placed, why_no_path_until,
};
use crate::nav::exchange::{MeshPlacement, read_unchecked};
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::off_mesh::PlacedLink;
use crate::scene::nav::{MeshSource, PlacedObstacle};
use crate::scene::{Scene, SceneInstance, SceneNav, Settings};
use crate::sim::nav_mesh::BuiltMesh;
use crate::sim::{LevelGeometry, World};

/// What the doctor is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Examination {
    /// What is wrong.
    #[default]
    Everything,
    /// Why no path leads from one place to another, world space.
    Path([DVec3; 2]),
}

/// What a scene's doctor examines.
#[derive(Clone, Debug)]
pub struct Patient {
    triangles: Arc<Vec<[Vec3; 3]>>,
    mesh: Option<Arc<BuiltMesh>>,
    /// Links placed by hand, of a mesh that comes from no file.
    placed_links: Vec<PlacedLink>,
    /// The mesh with obstacles and barred cells cut out of it.
    cut_mesh: Option<Arc<NavMesh>>,
    /// What is cut out of it.
    blockers: Vec<Blocker>,
    /// Whether the mesh comes from a file, so that its shape is worth a finding, too.
    is_mesh_from_file: bool,
    /// That file, and how it is placed.
    mesh_file: Option<(PathBuf, MeshPlacement)>,
    limits: AgentLimits,
    /// How the mesh is baked, where it is.
    bake: Option<BakeSettings>,
    targets: Vec<NamedTarget>,
    target_ids: Vec<InstanceId>,
    /// Why the scene has no mesh.
    mesh_error: Option<String>,
    examination: Examination,
}

/// What the doctor says.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// The findings, the gravest kind first.
    pub findings: Vec<Finding>,
    /// The instances that [`Mend::MoveTarget`](crate::nav::doctor::Mend::MoveTarget) counts.
    pub targets: Vec<InstanceId>,
    /// Why the level could not be examined, or why there is no mesh.
    pub error: Option<String>,
    /// What the size of the level keeps from being found, and what of a mesh is passed over.
    pub note: Option<String>,
    /// Why there is no path, where that was asked; the findings are what is between.
    pub answer: Option<String>,
}

impl Patient {
    /// A scene whose world is up to date with it.
    pub fn of(scene: &Scene, world: &World) -> Self {
        let mut target_ids: Vec<InstanceId> = scene.instances.values().filter_map(|i| i.target).collect();
        target_ids.sort_unstable();
        target_ids.dedup();
        // Numbered by their places in the scene, in one pass: to look each place up takes a pass of its own.
        let numbered = (1..).zip(scene.instances.iter());
        let mut known: Vec<(InstanceId, NamedTarget)> = numbered
            .filter(|(_, (id, _))| target_ids.binary_search(id).is_ok())
            .map(|(number, (id, instance))| {
                (id, NamedTarget { name: format!("Target {number}"), position: instance.position.as_dvec3() })
            })
            .collect();
        known.sort_unstable_by_key(|(id, _)| *id);
        let (target_ids, targets) = known.into_iter().unzip();
        let is_mesh_from_file = matches!(scene.nav.mesh, MeshSource::File(_));
        let placed_links = if is_mesh_from_file { Vec::new() } else { scene.nav.bake.placed_links.clone() };
        Self {
            triangles: Arc::new(world.triangles().iter().map(|t| t.points).collect()),
            mesh: world.mesh().built().cloned(),
            placed_links,
            cut_mesh: world.mesh().current().cloned(),
            blockers: blockers(scene),
            is_mesh_from_file,
            mesh_file: world.mesh().file().map(|(file, placement)| (file.to_owned(), *placement)),
            limits: limits_of(scene),
            bake: (scene.nav.mesh == MeshSource::Baked).then(|| scene.bake_settings()),
            targets,
            target_ids,
            mesh_error: world.mesh().error().map(ToString::to_string),
            examination: Examination::Everything,
        }
    }

    /// The triangles of its level, world space.
    pub fn triangles(&self) -> &[[Vec3; 3]] {
        &self.triangles
    }

    /// Its agents.
    pub fn limits(&self) -> &AgentLimits {
        &self.limits
    }

    /// The same, for other agents.
    pub fn with_limits(self, limits: AgentLimits) -> Self {
        let bake = self.bake.map(|bake| BakeSettings {
            agent_radius: limits.radius,
            agent_height: limits.height,
            agent_climb: limits.climb,
            slope_rad: limits.slope_rad,
            ..bake
        });
        Self { limits, bake, ..self }
    }

    /// The same, asked something else.
    pub fn asked(self, examination: Examination) -> Self {
        Self { examination, ..self }
    }

    /// Examines it.
    ///
    /// # Errors
    /// It was stopped, or its level cannot be laid out in cells.
    pub fn examine(&self, watch: &DoctorWatch<'_>) -> Result<Diagnosis, DoctorError> {
        let mut diagnosis = Diagnosis {
            targets: self.target_ids.clone(),
            error: self.mesh_error.clone(),
            note: note_on(&self.triangles, &self.limits),
            ..Diagnosis::default()
        };
        if let Examination::Path(ends) = self.examination {
            let PathAnswer { barrier, text } = self.why_no_path(ends, watch)?;
            diagnosis.answer = Some(text);
            if let Barrier::Findings(findings) = barrier {
                diagnosis.findings = findings;
            }
            return Ok(diagnosis);
        }
        if !self.triangles.is_empty() {
            match examine_level_until(&self.triangles, &self.links(), &self.limits, watch) {
                Ok(findings) => diagnosis.findings = self.with_mends(findings, watch),
                Err(DoctorError::Stopped) => return Err(DoctorError::Stopped),
                Err(error) => diagnosis.error = Some(error.to_string()),
            }
        }
        self.examine_mesh(&mut diagnosis, watch)?;
        Ok(diagnosis)
    }

    /// Examines the mesh, as it lies in its file where it comes from one.
    fn examine_mesh(&self, diagnosis: &mut Diagnosis, watch: &DoctorWatch<'_>) -> Result<(), DoctorError> {
        let (mut limits, mut listed) = (self.limits.clone(), None);
        let unchecked = self.mesh_file.as_ref().and_then(|(file, placement)| read_unchecked(file, placement).ok());
        let file = match (&self.mesh, unchecked) {
            (_, Some(unchecked)) => {
                // What keeps it from being one is a finding.
                diagnosis.error = None;
                limits.mesh_radius = unchecked.agent_radius.unwrap_or(limits.mesh_radius);
                listed = unchecked.listed;
                Some(unchecked.file)
            }
            (mesh, None) => mesh.as_ref().map(|mesh| mesh.file()),
        };
        watch.check()?;
        let Some(mut file) = file else { return Ok(()) };
        let about_people =
            |f: &Finding| matches!(f.fault, FaultKind::LinkOffMesh | FaultKind::TargetOffMesh | FaultKind::WrongFloor);
        if !self.is_mesh_from_file {
            file.links = self.placed_links.clone();
        }
        let found = examine_mesh_until((&file, &self.placement()), listed.as_ref(), &limits, &self.targets, watch)?;
        if self.is_mesh_from_file {
            let notes = [diagnosis.note.take(), found.passed_over];
            diagnosis.note = notes.into_iter().flatten().reduce(|notes, note| format!("{notes} {note}"));
        }
        diagnosis.findings.extend(found.findings.into_iter().filter(|f| self.is_mesh_from_file || about_people(f)));
        Ok(())
    }

    /// How the file of the mesh is turned and scaled.
    fn placement(&self) -> MeshPlacement {
        self.mesh_file.as_ref().map_or_else(MeshPlacement::default, |(_, placement)| *placement)
    }

    /// The links that lead over the level: those of the mesh where it has all of them, else those that are placed.
    fn links(&self) -> Vec<PlacedLink> {
        let whole = self.mesh.as_ref().filter(|mesh| mesh.left_out.is_empty());
        whole.map_or_else(|| self.placed_links.clone(), |mesh| mesh.file().links)
    }

    /// The findings with changes that help: links end on the mesh, and what a bake is to be made anew for is tried.
    fn with_mends(&self, findings: Vec<Finding>, watch: &DoctorWatch<'_>) -> Vec<Finding> {
        let trial = self.bake.as_ref().map(|bake| MendTrial::new(&self.triangles, bake, watch.stop()));
        let findings = findings.into_iter().map(|finding| self.on_mesh(finding));
        let tried = |finding| match &trial {
            Some(trial) => trial.tried(finding),
            None => finding,
        };
        findings.map(tried).collect()
    }

    /// A finding whose links, where it would be mended by some, end on the mesh; by none where the mesh has no ground there.
    fn on_mesh(&self, finding: Finding) -> Finding {
        let Some(built) = &self.mesh else { return finding };
        let moved = |mend: &Mend| match mend {
            Mend::Link(link) => link_on_mesh(&built.mesh, link).map(Mend::Link),
            other => Some(other.clone()),
        };
        let mend = match &finding.mend {
            Some(Mend::Many(all)) => Mend::all(all.iter().filter_map(moved)),
            one => one.as_ref().and_then(moved),
        };
        Finding { mend, ..finding }
    }

    /// Why no path leads from one place to another: what closes the way, what the level has between, or the mesh where it
    /// is the mesh alone that has no way.
    ///
    /// # Errors
    /// It was stopped, or its level cannot be laid out in cells.
    pub fn why_no_path(&self, ends: [DVec3; 2], watch: &DoctorWatch<'_>) -> Result<PathAnswer, DoctorError> {
        if let (false, Some(mesh), Some(built)) = (self.blockers.is_empty(), &self.cut_mesh, &self.mesh)
            && let Some(answer) = what_blocks(mesh, &built.file().links, &self.blockers, &self.limits, ends)
        {
            return Ok(answer);
        }
        let on_mesh = self.mesh.as_ref().map(|mesh| {
            let file = mesh.file();
            let made_for = file.values.as_ref().filter(|_| self.is_mesh_from_file).map(|values| values.agent.radius);
            let limits =
                AgentLimits { mesh_radius: made_for.unwrap_or(self.limits.mesh_radius), ..self.limits.clone() };
            why_no_path_on_placed((&file, &self.placement()), &limits, ends)
        });
        let from_file = on_mesh.as_ref().filter(|_| self.is_mesh_from_file);
        if let Some(answer) = from_file.filter(|answer| answer.barrier == Barrier::None || self.triangles.is_empty()) {
            return Ok(answer.clone());
        }
        let mut in_level = match why_no_path_until(&self.triangles, &self.links(), &self.limits, ends, watch) {
            Err(error) if error != DoctorError::Stopped => return from_file.cloned().ok_or(error),
            in_level => in_level?,
        };
        if let Barrier::Findings(findings) = &mut in_level.barrier {
            *findings = self.with_mends(std::mem::take(findings), watch);
        }
        Ok(match on_mesh {
            Some(on_mesh) if on_mesh.barrier != Barrier::None => self.combined(in_level, on_mesh),
            _ => in_level,
        })
    }

    /// What a level says, and its mesh, which has no way.
    fn combined(&self, in_level: PathAnswer, on_mesh: PathAnswer) -> PathAnswer {
        match in_level.barrier {
            Barrier::None if self.is_mesh_from_file => {
                let text = format!("The level has a way, its mesh has none; bake it anew. {}", on_mesh.text);
                PathAnswer { text, ..on_mesh }
            }
            Barrier::None => {
                let text = format!("The level has a way, its mesh has none; smaller cells may help. {}", on_mesh.text);
                PathAnswer { text, ..on_mesh }
            }
            // The level knows what the mesh does not, and with its measure.
            Barrier::Findings(_) if self.is_mesh_from_file => {
                let text = format!("{} On the mesh: {}", in_level.text, on_mesh.text);
                PathAnswer { text, ..in_level }
            }
            _ if self.is_mesh_from_file => on_mesh,
            _ => in_level,
        }
    }
}

/// The agents of a scene, whose mesh is baked in cells or not.
fn limits_of(scene: &Scene) -> AgentLimits {
    let bake = scene.bake_settings();
    let cells = (scene.nav.mesh == MeshSource::Baked).then_some([bake.cell_size, bake.cell_height]);
    AgentLimits { cells, ..AgentLimits::from(&bake) }
}

/// The closed obstacles, by their places in the list.
fn closed(nav: &SceneNav) -> impl Iterator<Item = (usize, &PlacedObstacle)> {
    nav.obstacles.iter().enumerate().filter(|(_, obstacle)| !obstacle.open)
}

/// The scene's closed obstacles, and its ground that is painted as not passable.
fn blockers(scene: &Scene) -> Vec<Blocker> {
    let obstacles = closed(&scene.nav).map(|(number, obstacle)| {
        let (outline, height) = obstacle.shape.outline();
        let name = format!("Obstacle {}", number + 1);
        Blocker { name, outline: outline.iter().map(|p| p.as_dvec3()).collect(), height: height.into() }
    });
    let cells = scene.nav.barred_cells.boxes();
    let painted = cells.iter().map(|cells| {
        let (low, high) = (cells.min.as_dvec3(), cells.max.as_dvec3());
        let outline = vec![low, low.with_z(high.z), high.with_y(low.y), low.with_x(high.x)];
        Blocker { name: "Ground that is painted as not passable".into(), outline, height: high.y - low.y }
    });
    obstacles.chain(painted).collect()
}

impl Sources for Patient {
    type Built = Option<Arc<Diagnosis>>;
    const NAME: &str = "doctor";

    fn same(&self, other: &Self) -> bool {
        let of_mesh = |p: &Self| p.mesh.as_ref().map(|mesh| mesh.mesh.id());
        (Arc::ptr_eq(&self.triangles, &other.triangles) || self.triangles == other.triangles)
            && of_mesh(self) == of_mesh(other)
            && self.placed_links == other.placed_links
            && self.mesh_file == other.mesh_file
            && self.limits == other.limits
            && self.targets == other.targets
            && self.blockers == other.blockers
            && self.examination == other.examination
    }

    fn build(&self, progress: &Progress) -> Self::Built {
        let tell = |step| {
            let done = DoctorStep::ALL.iter().position(|s| *s == step).unwrap_or(0);
            progress.step.store(done as u32, Ordering::Relaxed);
        };
        match self.examine(&DoctorWatch::new(&tell, progress.stop())) {
            Ok(diagnosis) => Some(Arc::new(diagnosis)),
            Err(DoctorError::Stopped) => None,
            Err(error) => Some(Arc::new(Diagnosis { error: Some(error.to_string()), ..Diagnosis::default() })),
        }
    }
}

/// What the size of a level keeps from being found.
pub fn note_on(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Option<String> {
    let cell = coarse_cells(triangles, limits)?;
    Some(format!(
        "The level is large: it is examined in cells of {cell:.2} m, and passages and gaps narrower than that are not \
         found. Examine a part of it for those."
    ))
}

/// The doctor at work.
#[derive(Clone, Debug, Default)]
pub struct Doctor {
    job: BackgroundJob<Patient>,
    /// What the scene shall be examined for once its world is ready.
    wanted: Option<Examination>,
    /// What it was asked last.
    question: Examination,
    /// What is examined, and in which state it was when that was asked.
    asked: Option<(Patient, ExaminedState)>,
    /// What the diagnosis is of.
    examined: Option<ExaminedState>,
    diagnosis: Option<Arc<Diagnosis>>,
    selected: Option<usize>,
    /// Whether the scene has changed since.
    is_outdated: bool,
}

/// What of a scene and its world is examined.
#[derive(Clone, Debug)]
struct ExaminedState {
    limits: AgentLimits,
    /// What it says about links, obstacles and painted ground.
    nav: Arc<SceneNav>,
    /// What agents can climb.
    settings: Arc<Settings>,
    mesh: Option<u64>,
    /// What the level's triangles are part of. It is not kept alive, but nothing else comes to lie where it lay.
    level: Weak<LevelGeometry>,
    /// The targets of instances, and where they are.
    targets: Vec<(InstanceId, Vec3)>,
    /// Instances with these targets.
    instances: Arena<kind::Instance, Arc<SceneInstance>>,
}

impl ExaminedState {
    fn of(scene: &Scene, world: &World) -> Self {
        Self {
            limits: limits_of(scene),
            nav: Arc::clone(&scene.nav),
            settings: Arc::clone(&scene.settings),
            mesh: world.mesh().built().map(|built| built.mesh.id()),
            level: world.level().map_or_else(Weak::new, Arc::downgrade),
            targets: targets_in(scene).collect(),
            instances: scene.instances.clone(),
        }
    }

    /// Whether a scene and its world are still in this state. Asked in every frame: nothing is copied or walked through for it where neither
    /// instances, settings nor what is said of navigation were edited.
    fn is_of(&mut self, scene: &Scene, world: &World) -> bool {
        let is_unedited = Arc::ptr_eq(&self.nav, &scene.nav) && Arc::ptr_eq(&self.settings, &scene.settings);
        Weak::ptr_eq(&self.level, &world.level().map_or_else(Weak::new, Arc::downgrade))
            && self.mesh == world.mesh().built().map(|built| built.mesh.id())
            && (is_unedited || self.says_the_same(scene))
            && self.has_the_same_targets(scene)
    }

    fn has_the_same_targets(&mut self, scene: &Scene) -> bool {
        if self.instances.is_shared_with(&scene.instances) {
            return true;
        }
        let is_same = self.targets.iter().copied().eq(targets_in(scene));
        if is_same {
            self.instances = scene.instances.clone();
        }
        is_same
    }

    /// Whether a scene's agents, links, obstacles and painted ground are those that were examined.
    fn says_the_same(&self, scene: &Scene) -> bool {
        let (before, now) = (&*self.nav, &*scene.nav);
        self.limits == limits_of(scene)
            && before.bake.placed_links == now.bake.placed_links
            && closed(before).eq(closed(now))
            && before.barred_cells == now.barred_cells
    }
}

/// The targets of instances, and where they are.
fn targets_in(scene: &Scene) -> impl Iterator<Item = (InstanceId, Vec3)> {
    let targets = scene.instances.values().filter_map(|instance| instance.target);
    targets.filter_map(move |id| Some((id, scene.instances.get(id)?.position)))
}

impl Doctor {
    /// A doctor that works on another thread.
    pub fn in_background() -> Self {
        Self { job: BackgroundJob::in_background(), ..Self::default() }
    }

    /// Asks for an examination; [`reconcile`](Self::reconcile) begins it and takes the result.
    pub fn examine(&mut self, examination: Examination) {
        (self.wanted, self.question) = (Some(examination), examination);
    }

    /// What it was asked last.
    pub fn question(&self) -> Examination {
        self.question
    }

    /// Begins what was asked once the world is ready, and takes the result once it is there.
    pub fn reconcile(&mut self, world: &World, scene: &Scene) {
        if !world.is_building()
            && let Some(examination) = self.wanted.take()
        {
            self.asked = Some((Patient::of(scene, world).asked(examination), ExaminedState::of(scene, world)));
        }
        if let Some((patient, _)) = &self.asked
            && let Some(diagnosis) = self.job.poll(patient)
        {
            self.diagnosis = Some(diagnosis.unwrap_or_default());
            self.examined = self.asked.take().map(|(_, state)| state);
            self.selected = None;
        }
        let is_said = self.diagnosis.is_some() && !self.is_busy() && !world.is_building();
        let is_as_examined = is_said && self.examined.as_mut().is_some_and(|one| one.is_of(scene, world));
        self.is_outdated = is_said && !is_as_examined;
    }

    /// Whether the scene is another than the one that was examined last.
    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Whether it is at work.
    pub fn is_busy(&self) -> bool {
        self.wanted.is_some() || self.asked.is_some()
    }

    /// What it is at; `None` while it waits for the world.
    pub fn step(&self) -> Option<DoctorStep> {
        DoctorStep::ALL.get(self.job.step()? as usize).copied()
    }

    /// Stops the examination; what was said last stays.
    pub fn cancel(&mut self) {
        self.job.cancel();
        (self.wanted, self.asked) = (None, None);
    }

    /// What it said last.
    pub fn diagnosis(&self) -> Option<&Arc<Diagnosis>> {
        self.diagnosis.as_ref()
    }

    /// Number of the finding that is looked at.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Looks at a finding.
    pub fn select(&mut self, number: usize) -> Option<&Finding> {
        self.selected = Some(number);
        self.diagnosis.as_ref()?.findings.get(number)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.cancel();
        (self.diagnosis, self.selected, self.is_outdated) = (None, None, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::nav::{ObstacleShape, PlacedObstacle};

    #[test]
    fn a_cancelled_examination_ends_and_is_forgotten() {
        let (scene, world) = (Scene::default(), World::default());
        let floor = [Vec3::ZERO, Vec3::Z * 9.0, Vec3::X * 9.0];
        let patient = Patient { triangles: Arc::new(vec![floor]), ..Patient::of(&scene, &world) };
        let progress = Progress::default();
        assert!(patient.build(&progress).is_some());
        progress.stop().store(true, Ordering::Relaxed);
        assert!(patient.build(&progress).is_none(), "nothing is examined for a result that is not wanted");

        let mut doctor = Doctor::default();
        doctor.examine(Examination::Everything);
        assert!(doctor.is_busy());
        doctor.cancel();
        doctor.reconcile(&world, &scene);
        assert!(!doctor.is_busy() && doctor.diagnosis().is_none());
    }

    #[test]
    fn what_was_said_is_outdated_once_the_scene_changes() {
        let (mut scene, world) = (Scene::default(), World::default());
        let mut doctor = Doctor::default();
        doctor.examine(Examination::Everything);
        while doctor.is_busy() {
            doctor.reconcile(&world, &scene);
        }
        assert!(doctor.diagnosis().is_some() && !doctor.is_outdated());
        let shape = ObstacleShape::Cylinder { base: Vec3::ZERO, radius: 1.0, height: 1.0 };
        Arc::make_mut(&mut scene.nav).obstacles.push(PlacedObstacle { shape, open: false });
        doctor.reconcile(&world, &scene);
        assert!(doctor.is_outdated(), "what closes ways is part of it");
        doctor.examine(Examination::Everything);
        doctor.cancel();
        doctor.reconcile(&world, &scene);
        assert!(doctor.is_outdated(), "nothing else was said since");
    }

    #[test]
    fn settings_of_agents_outdate_what_was_said() {
        let (mut scene, world) = (Scene::default(), World::default());
        let mut state = ExaminedState::of(&scene, &world);
        assert!(state.is_of(&scene, &world));
        Arc::make_mut(&mut scene.settings).nav.ground_slope_deg = 10.0;
        assert!(!state.is_of(&scene, &world), "agents climb less");
        let mut state = ExaminedState::of(&scene, &world);
        Arc::make_mut(&mut scene.settings).highlight_selection ^= true;
        assert!(state.is_of(&scene, &world), "agents are the same");
    }

    #[test]
    fn targets_outdate_what_was_said_and_other_instances_do_not() {
        let (mut scene, world) = (Scene::default(), World::default());
        let goal = scene.instances.insert(Arc::new(SceneInstance::default()));
        let walker = SceneInstance { target: Some(goal), ..SceneInstance::default() };
        let walker = scene.instances.insert(Arc::new(walker));
        let mut state = ExaminedState::of(&scene, &world);
        Arc::make_mut(scene.instances.get_mut(walker).unwrap()).position.x += 1.0;
        assert!(state.is_of(&scene, &world) && state.instances.is_shared_with(&scene.instances));
        Arc::make_mut(scene.instances.get_mut(goal).unwrap()).position.x += 1.0;
        assert!(!state.is_of(&scene, &world), "what it walks to has moved");
    }
}
