//! Many instances at once: where they go, and copies of what is selected.

use super::footing::LargeIslands;
use super::pick::ground_at;
use super::state::App;
use crate::behavior::split_mix::SplitMix64;
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::math::plan::to_plan;
use crate::nav::mesh::NavMesh;
use crate::scene::edit::Edit;
use crate::scene::instance::ModelRef;
use crate::scene::{SceneInstance, file};
use crate::ui::EditStep;
use crate::ui::creation::{Creation, Spread};
use crate::ui::names::{self, without_extension};
use crate::ui::notices::Level;
use crate::ui::panels::model;
use glam::{Vec2, Vec3};
use std::collections::HashMap;

/// Places that are tried for each one that is wanted.
const TRIES: usize = 40;
/// Most corners of a path.
const MAX_CORNERS: usize = 1000;
/// How far above and below a place its ground is looked for, metres.
const ABOVE: f32 = 2.0;
const BELOW: f32 = 20.0;

/// Places that keep their distance, found by cells of that size.
struct PoissonGrid {
    distance: f32,
    cells: HashMap<[i32; 3], Vec<Vec3>>,
    places: Vec<Vec3>,
}

impl PoissonGrid {
    fn new(distance: f32) -> Self {
        Self { distance, cells: HashMap::new(), places: Vec::new() }
    }

    fn cell(&self, at: Vec3) -> [i32; 3] {
        (at / self.distance).to_array().map(|v| v.floor() as i32)
    }

    /// Takes a place unless another one is too near.
    fn offer(&mut self, at: Vec3) {
        if self.distance > 0.0 {
            let [x, y, z] = self.cell(at);
            for i in 0..27 {
                // Cells of next to no size have no numbers of their own far from the origin.
                let cell = [(x, i % 3 - 1), (y, i / 3 % 3 - 1), (z, i / 9 - 1)].map(|(at, by)| at.saturating_add(by));
                if self.cells.get(&cell).into_iter().flatten().any(|other| other.distance(at) < self.distance) {
                    return;
                }
            }
            self.cells.entry([x, y, z]).or_default().push(at);
        }
        self.places.push(at);
    }
}

/// Random places on walkable ground, evenly by area as seen from above, at least `distance` metres apart. Fewer than
/// `count` when no more fit. Small islands get none ([`LargeIslands`]).
pub fn scattered(mesh: &NavMesh, count: usize, distance: f32, random: &mut SplitMix64) -> Vec<Vec3> {
    let islands = LargeIslands::of(mesh);
    // Triangles of the polygons' fans.
    let mut triangles = Vec::new();
    for id in mesh.live_polygons().filter(|id| islands.hold(mesh, *id)) {
        let outline: Vec<Vec3> = mesh.world_outline(id).collect();
        for pair in outline.get(1..).unwrap_or_default().windows(2) {
            let corners = [outline[0], pair[0], pair[1]];
            let [a, b, c] = corners.map(to_plan);
            triangles.push((f64::from((b - a).perp_dot(c - a).abs()), corners));
        }
    }
    // Each with the area up to and with it.
    let (mut fans, mut sum) = (Vec::new(), 0.0_f64);
    for (area, corners) in triangles.into_iter().filter(|(area, _)| *area > 0.0) {
        sum += area;
        fans.push((sum, corners));
    }
    let mut grid = PoissonGrid::new(distance);
    for _ in 0..count.saturating_mul(TRIES) {
        if grid.places.len() == count || fans.is_empty() {
            break;
        }
        let share = f64::from(random.between(0.0, 1.0)) * sum;
        let at = fans.partition_point(|(end, _)| *end <= share).min(fans.len() - 1);
        let (mut u, mut v) = (random.between(0.0, 1.0), random.between(0.0, 1.0));
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let [a, b, c] = fans[at].1;
        grid.offer(a + (b - a) * u + (c - a) * v);
    }
    grid.places
}

/// Random offsets within a square, at least `distance` metres apart. Fewer than `count` when no more fit.
fn scatter_in_square(count: usize, reach: f32, distance: f32, random: &mut SplitMix64) -> Vec<Vec2> {
    let mut grid = PoissonGrid::new(distance);
    for _ in 0..count.saturating_mul(TRIES) {
        if grid.places.len() == count {
            break;
        }
        let [x, z] = [0; 2].map(|_| random.between(-reach, reach));
        grid.offer(Vec3::new(x, 0.0, z));
    }
    grid.places.into_iter().map(to_plan).collect()
}

/// Offsets of a grid's places from its middle, row by row.
fn grid(count: usize, distance: f32) -> Vec<Vec2> {
    let columns = (count as f32).sqrt().ceil().max(1.0) as usize;
    let rows = count.div_ceil(columns);
    let middle = Vec2::new((columns - 1) as f32, rows.saturating_sub(1) as f32) * 0.5;
    (0..count).map(|i| (Vec2::new((i % columns) as f32, (i / columns) as f32) - middle) * distance).collect()
}

/// Places along a line of corners, from its first to its last, each as far from the next; none without a line.
fn place_along_path(count: usize, corners: &[Vec3]) -> Vec<Vec3> {
    let whole: f32 = corners.windows(2).map(|leg| leg[0].distance(leg[1])).sum();
    if corners.len() < 2 || !(whole > 0.0) {
        return Vec::new();
    }
    let step = whole / count.saturating_sub(1).max(1) as f32;
    let (mut places, mut passed) = (Vec::with_capacity(count), 0.0);
    for leg in corners.windows(2) {
        let length = leg[0].distance(leg[1]);
        while places.len() < count && places.len() as f32 * step <= passed + length + whole * 1e-5 {
            let share = (places.len() as f32 * step - passed) / length.max(1e-6);
            places.push(leg[0].lerp(leg[1], share.clamp(0.0, 1.0)));
        }
        passed += length;
    }
    places
}

impl App {
    /// Whether the window that creates many is open, and they are to stand along a path.
    fn draws_path(&self) -> bool {
        self.ui.create_many && self.ui.creation.spread == Spread::Path
    }

    /// While many are created along a path, a click in the picture adds a corner. Returns whether it does.
    pub(super) fn add_corner(&mut self, ray: &Ray) -> bool {
        let along = self.draws_path();
        if let Some(at) = ground_at(&self.world, ray).filter(|_| along)
            && self.ui.creation.corners.len() < MAX_CORNERS
        {
            self.ui.creation.corners.push(at);
        }
        along
    }

    /// Corners of the path along which many are to be created; none while they are not.
    pub(super) fn path_corners(&self) -> &[Vec3] {
        if self.draws_path() { &self.ui.creation.corners } else { &[] }
    }

    /// Opens or closes the window that creates many: of the model that is selected, if there is one.
    pub(super) fn ask_create_many(&mut self) {
        self.ui.create_many = !self.ui.create_many;
        let selected = model::of_selection(&self.scene, &self.selection);
        if let Some(model) = selected.filter(|_| self.ui.create_many) {
            self.ui.creation.model = Some(model);
        }
    }

    /// Creates many instances as one step, and selects them.
    pub(super) fn create_many(&mut self, wanted: &Creation) {
        let Some((id, model)) = wanted.model.and_then(|id| Some((id, self.scene.models.get(id)?))) else { return };
        let name = without_extension(&model.name).to_owned();
        let (count, mut random) = (wanted.count as usize, SplitMix64::new(wanted.seed));
        let places = self.places(wanted, &mut random);
        let targets: Vec<InstanceId> = names::nav_targets(&self.scene).into_iter().map(|target| target.0).collect();
        let known = self.assets.by_file(&**model).filter(|_| wanted.dressed);
        let dresses = known.map_or(Vec::new(), |(_, model)| model.material_variants.clone());
        let height = self.origin_height(&SceneInstance { model: ModelRef::Known(id), ..SceneInstance::default() });
        let add = |(number, at): (usize, Vec3)| {
            let yaw_deg = if wanted.turned { random.between(-180.0, 180.0) } else { 0.0 };
            let target = Some(&targets).filter(|t| wanted.walk && !t.is_empty()).map(|t| t[random.below(t.len())]);
            Edit::AddInstance(SceneInstance {
                model: ModelRef::Known(id),
                position: at + Vec3::Y * height,
                rotation_deg: Vec3::new(0.0, yaw_deg, 0.0),
                navigation: target.is_some(),
                target,
                // The model's own materials, then each variant.
                material_variant: (number % (dresses.len() + 1)).checked_sub(1).map(|i| dresses[i].clone()),
                ..SceneInstance::default()
            })
        };
        let edits: Vec<Edit> = places.into_iter().enumerate().map(add).collect();
        match edits.len() {
            0 => {
                return self.notices.error(match wanted.spread {
                    Spread::Path => "Nothing was created: all corners of the path are in one place. Click another one.",
                    _ => "Nothing was created: there is no ground to walk on yet. Add a level, or create in a grid.",
                });
            }
            made if made < count => {
                let text = format!("Only {made} of {count} have room at that distance.");
                self.notices.push(Level::Warning, text, Vec::new());
            }
            _ => {}
        }
        let name = format!("create {} of {name}", edits.len());
        self.edit(EditStep { name, edit: Edit::Many(edits), merge: None });
    }

    fn places(&self, wanted: &Creation, random: &mut SplitMix64) -> Vec<Vec3> {
        let count = wanted.count as usize;
        let offsets = match wanted.spread {
            Spread::Ground => {
                let mesh = self.world.mesh().current();
                return mesh.map_or_else(Vec::new, |mesh| scattered(mesh, count, wanted.distance, random));
            }
            Spread::Random => scatter_in_square(count, wanted.reach, wanted.distance, random),
            Spread::Grid => grid(count, wanted.distance),
            Spread::Path => {
                return place_along_path(count, &wanted.corners).into_iter().map(|at| self.dropped(at)).collect();
            }
        };
        let middle = self.place_in_view();
        offsets.into_iter().map(|by| self.dropped(middle + Vec3::new(by.x, 0.0, by.y))).collect()
    }

    /// The ground below a place, or a little above it; `None` where there is none.
    pub(super) fn ground_below(&self, at: Vec3) -> Option<Vec3> {
        let ray = Ray { origin: at + Vec3::Y * ABOVE, direction: Vec3::NEG_Y };
        ground_at(&self.world, &ray).filter(|hit| hit.y > at.y - BELOW)
    }

    /// The ground below a place; the place itself where there is none.
    fn dropped(&self, at: Vec3) -> Vec3 {
        self.ground_below(at).unwrap_or(at)
    }

    /// Text of the selected instances for the clipboard; `None` without any.
    pub(super) fn copied(&self) -> Option<String> {
        let ids = self.selected();
        (!ids.is_empty()).then(|| file::part::copy(&self.scene, &ids, self.assets.root()))
    }

    /// Adds what was copied, here or elsewhere, as one step; nodes go into the behaviour editor while it has the keys.
    pub(super) fn paste(&mut self, text: &str) {
        if self.ui.graph_has_keys()
            && let Some(nodes) = file::part::nodes(text)
        {
            return self.graph_with_keys().paste(nodes);
        }
        let name_of = |path: &std::path::Path| self.name_in_scene(path);
        match file::part::paste(&self.scene, text, name_of) {
            Ok(edits) => {
                let count = edits.iter().filter(|edit| matches!(edit, Edit::AddInstance(_))).count();
                let name = if count == 1 { "paste an instance".into() } else { format!("paste {count} instances") };
                self.edit(EditStep { name, edit: Edit::Many(edits), merge: None });
            }
            Err(error) => self.notices.error(format!("Nothing was pasted. {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::asset::LevelTriangle;
    use crate::nav::mesh::from_level::{GroundSettings, LevelMesh};
    use crate::scene::SceneModel;

    #[test]
    fn places_are_strung_along_the_corners() {
        let corners = [Vec3::ZERO, Vec3::X * 3.0, Vec3::new(3.0, 0.0, 1.0)];
        let at = place_along_path(5, &corners);
        let expected = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::X * 3.0, Vec3::new(3.0, 0.0, 1.0)];
        assert_eq!(at.len(), 5);
        assert!(at.iter().zip(expected).all(|(a, b)| a.abs_diff_eq(b, 1e-4)), "{at:?}");
        assert_eq!(place_along_path(1, &corners), [Vec3::ZERO]);
        assert!(place_along_path(3, &corners[..1]).is_empty() && place_along_path(3, &[Vec3::X; 4]).is_empty());
        assert_eq!(place_along_path(1000, &corners).len(), 1000);
    }

    #[test]
    fn many_are_created_of_the_model_that_is_selected() {
        let mut app = App::new(Recent::default());
        let [cone, ball] = [(); 2].map(|()| app.scene.models.insert(SceneModel::default().into()));
        app.selection.model = Some(ball);
        app.ask_create_many();
        assert_eq!((app.ui.create_many, app.ui.creation.model), (true, Some(ball)));
        let of_cone = SceneInstance { model: ModelRef::Known(cone), ..SceneInstance::default() };
        app.selection.instance = Some(app.scene.instances.insert(of_cone.into()));
        app.ask_create_many();
        app.ask_create_many();
        assert_eq!(app.ui.creation.model, Some(cone), "that of an instance comes first");
    }

    #[test]
    fn a_path_without_length_holds_no_instance_and_says_so() {
        let mut app = App::new(Recent::default());
        let model = Some(app.scene.models.insert(SceneModel::default().into()));
        let corners = vec![Vec3::X; 2];
        app.create_many(&Creation { model, spread: Spread::Path, corners, ..Creation::default() });
        assert!(app.scene.instances.is_empty());
        let said = &app.notices().all().last().unwrap().text;
        assert!(said.contains("all corners of the path are in one place"), "{said}");
    }

    #[test]
    fn grids_lie_around_their_middle() {
        assert_eq!(grid(1, 2.0), [Vec2::ZERO]);
        assert_eq!(grid(4, 2.0), [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(Vec2::from));
        assert_eq!(grid(5, 1.0).len(), 5);
        assert!(grid(0, 1.0).is_empty());
    }

    #[test]
    fn strewn_places_keep_their_distance_and_stop_when_it_is_full() {
        let places = scatter_in_square(30, 5.0, 1.0, &mut SplitMix64::new(3));
        assert_eq!(places.len(), 30);
        for (i, a) in places.iter().enumerate() {
            assert!(a.abs().max_element() <= 5.0);
            assert!(places[..i].iter().all(|b| a.distance(*b) >= 1.0));
        }
        assert_eq!(
            places,
            scatter_in_square(30, 5.0, 1.0, &mut SplitMix64::new(3)),
            "the same seed gives the same places"
        );
        assert!(scatter_in_square(1000, 1.0, 1.0, &mut SplitMix64::new(3)).len() < 12);
        assert_eq!(scatter_in_square(30, 900.0, 1e-9, &mut SplitMix64::new(3)).len(), 30, "next to no distance");
        assert_eq!(scatter_in_square(1000, 0.0, 0.0, &mut SplitMix64::new(3)).len(), 1000);
    }

    #[test]
    fn scattered_places_lie_on_the_ground_evenly_by_area() {
        let triangle = |points: [[f32; 3]; 3]| points.map(Vec3::from);
        // A square of 16 m² and, beside it, one of 4 m² that is a metre higher.
        let level = [
            triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 4.0]]),
            triangle([[0.0, 0.0, 0.0], [4.0, 0.0, 4.0], [4.0, 0.0, 0.0]]),
            triangle([[9.0, 1.0, 0.0], [9.0, 1.0, 2.0], [11.0, 1.0, 2.0]]),
            triangle([[9.0, 1.0, 0.0], [11.0, 1.0, 2.0], [11.0, 1.0, 0.0]]),
        ];
        let numbered = level.into_iter().enumerate();
        let level: Vec<_> =
            numbered.map(|(i, points)| LevelTriangle { index: i as u32, points, normal: Vec3::Y }).collect();
        let mesh = |level: &[LevelTriangle]| {
            let built = LevelMesh::build(level, &GroundSettings::default()).mesh;
            built.validate().unwrap()
        };
        let ground = mesh(&level);
        let places = scattered(&ground, 1000, 0.0, &mut SplitMix64::new(5));
        assert_eq!(places.len(), 1000);
        let high = places.iter().filter(|at| at.x > 8.0).count();
        assert!((150..250).contains(&high), "{high} of 1000 lie on a fifth of the area");
        for at in &places {
            assert!((at.y - if at.x > 8.0 { 1.0 } else { 0.0 }).abs() < 1e-5, "{at} is not on the ground");
        }
        // The top of a wall.
        let wall = [
            triangle([[5.0, 3.0, 0.0], [5.0, 3.0, 4.0], [5.3, 3.0, 4.0]]),
            triangle([[5.0, 3.0, 0.0], [5.3, 3.0, 4.0], [5.3, 3.0, 0.0]]),
        ];
        let numbered = wall.into_iter().enumerate();
        let walled: Vec<_> = level
            .iter()
            .copied()
            .chain(numbered.map(|(i, points)| LevelTriangle { index: 4 + i as u32, points, normal: Vec3::Y }))
            .collect();
        let walled = mesh(&walled);
        assert_eq!(walled.polygons().iter().filter(|p| walled.world(p.center).y > 2.0).count(), 1);
        assert!(scattered(&walled, 1000, 0.0, &mut SplitMix64::new(5)).iter().all(|at| at.y < 2.0));
        let few = scattered(&ground, 1000, 1.5, &mut SplitMix64::new(5));
        assert!((4..16).contains(&few.len()), "{} places", few.len());
    }
}
