//! The tools that observe a world, as one.

use super::contact_history::ContactHistory;
use super::crowd_demo::CrowdDemo;
use super::doctor::Doctor;
use super::mesh_compare::MeshCompare;
use super::mesh_legend::MeshLegend;
use super::overlay_style::OverlayStyle;
use super::query_tool::QueryTool;
use super::tree_compare::TreeCompare;
use crate::scene::Scene;
use crate::sim::{StateHash, World};

/// The tools that observe a world. [`World::reconcile`] and [`World::step`] are followed by the methods of the same name
/// here.
#[derive(Clone, Debug, Default)]
pub struct Inspector {
    query: QueryTool,
    crowd: CrowdDemo,
    contacts: ContactHistory,
    legend: MeshLegend,
    doctor: Doctor,
    compare: MeshCompare,
    trees: TreeCompare,
    style: OverlayStyle,
}

impl Inspector {
    /// Tools that work on other threads where they take long.
    pub fn in_background() -> Self {
        Self {
            doctor: Doctor::in_background(),
            compare: MeshCompare::in_background(),
            trees: TreeCompare::in_background(),
            ..Self::default()
        }
    }

    /// Brings all tools in line with a scene and its world. Cheap when nothing changed.
    pub fn reconcile(&mut self, world: &World, scene: &Scene) {
        self.query.reconcile(world, scene);
        self.doctor.reconcile(world, scene);
        self.compare.reconcile(world, scene);
        self.trees.reconcile();
        self.legend.reconcile(world.mesh(), &scene.nav);
        self.crowd.reconcile(&scene.nav.crowds, world.mesh().built().map(|built| &built.mesh));
    }

    /// Advances the crowd demo by a simulation step, and counts the contacts of the world after it.
    pub fn step(&mut self, world: &World, scene: &Scene) {
        self.contacts.push(world.contacts().len());
        self.crowd.step(world.mesh().current().map(|mesh| &**mesh), &scene.nav.crowd_filter());
    }

    /// Whether [`reconcile`](Self::reconcile) will have better answers once work on another thread is done.
    pub fn is_preparing(&self) -> bool {
        self.query.is_preparing() || self.doctor.is_busy() || self.compare.is_busy() || self.trees.is_busy()
    }

    /// The query tool.
    pub fn query(&self) -> &QueryTool {
        &self.query
    }

    /// The query tool, to step its search.
    pub fn query_mut(&mut self) -> &mut QueryTool {
        &mut self.query
    }

    /// How many pairs of instances touched each other in the last steps.
    pub fn contacts(&self) -> &ContactHistory {
        &self.contacts
    }

    /// What the colours of the mesh overlay mean.
    pub fn legend(&self) -> &MeshLegend {
        &self.legend
    }

    /// What the colours of the mesh overlay mean, to be changed; [`reconcile`](Self::reconcile) follows.
    pub fn legend_mut(&mut self) -> &mut MeshLegend {
        &mut self.legend
    }

    /// As at the start: what was counted and tried is forgotten, how things are coloured is not.
    pub fn restarted(self) -> Self {
        let Self { legend, doctor, compare, trees, style, .. } = self;
        Self { legend, doctor, compare, trees, style, ..Self::default() }
    }

    /// How overlays are drawn.
    pub fn style(&self) -> OverlayStyle {
        self.style
    }

    /// Draws overlays in another way from now on.
    pub fn set_style(&mut self, style: OverlayStyle) {
        self.style = style;
    }

    /// The doctor.
    pub fn doctor(&self) -> &Doctor {
        &self.doctor
    }

    /// The doctor, to be asked; [`reconcile`](Self::reconcile) takes its answer.
    pub fn doctor_mut(&mut self) -> &mut Doctor {
        &mut self.doctor
    }

    /// The comparison with another mesh.
    pub fn mesh_compare(&self) -> &MeshCompare {
        &self.compare
    }

    /// The comparison with another mesh, to be begun; [`reconcile`](Self::reconcile) takes its result.
    pub fn mesh_compare_mut(&mut self) -> &mut MeshCompare {
        &mut self.compare
    }

    /// What search trees over the level cost.
    pub fn tree_compare(&self) -> &TreeCompare {
        &self.trees
    }

    /// What search trees over the level cost, to be measured; [`reconcile`](Self::reconcile) takes the result.
    pub fn tree_compare_mut(&mut self) -> &mut TreeCompare {
        &mut self.trees
    }

    /// The crowd demo.
    pub fn crowd(&self) -> &CrowdDemo {
        &self.crowd
    }

    /// [`World::hash`] continued over the demo agents' positions, bit for bit.
    pub fn hash(&self, world: &World) -> u64 {
        let mut hash = StateHash::resume(world.hash());
        for agent in self.crowd.iter() {
            agent.position().to_array().iter().for_each(|x| hash.add(u64::from(x.to_bits())));
        }
        hash.value()
    }
}
