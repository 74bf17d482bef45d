//! What is placed on the ground, and moved and removed by the tools that place it.

use super::tools::Tool;
use crate::inspect::nav_gizmos::volume_outline;
use crate::math::{Aabb, Ray};
use crate::nav::bake::VolumeShape;
use crate::scene::SceneNav;
use glam::{Vec2, Vec3};

/// Something that was placed, by its place in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedItem {
    /// Start of the test path.
    Start,
    /// Its end.
    End,
    /// Start of the raycast.
    RayStart,
    /// Its end.
    RayEnd,
    /// Where the distance to the nearest wall is measured from.
    WallFrom,
    /// Middle of the random places.
    Around,
    /// An enemy.
    Threat(usize),
    /// A place of destroyed cover.
    Destroyed(usize),
    /// An obstacle.
    Obstacle(usize),
    /// A place that bars the polygon below it.
    Barred(usize),
    /// A volume.
    Volume(usize),
    /// The begin of a link.
    LinkStart(usize),
    /// The end of a link.
    LinkEnd(usize),
    /// A seed.
    Seed(usize),
    /// Where a crowd starts.
    CrowdStart(usize),
    /// Where it walks to.
    CrowdGoal(usize),
}

/// The upright prism that a placed thing fills.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemShape {
    /// Convex outline of its lower side, world space.
    pub outline: Vec<Vec3>,
    /// Height above that, metres.
    pub height: f32,
}

impl ItemShape {
    /// Where a ray enters it: the box around it, cut by its sides.
    pub fn enter(&self, ray: &Ray) -> Option<f32> {
        let (mut enter, mut leave) = ray.aabb_interval(&self.bounds())?;
        let middle = self.outline.iter().sum::<Vec3>() / self.outline.len().max(1) as f32;
        for (i, corner) in self.outline.iter().enumerate() {
            let side = self.outline[(i + 1) % self.outline.len()] - *corner;
            let normal = Vec3::new(side.z, 0.0, -side.x);
            // Away from the middle, whichever way the outline runs.
            let outward = if normal.dot(*corner - middle) < 0.0 { -normal } else { normal };
            let (off, along) = (outward.dot(ray.origin - *corner), outward.dot(ray.direction));
            match along {
                0.0 if off > 0.0 => return None,
                0.0 => {}
                _ if along < 0.0 => enter = enter.max(-off / along),
                _ => leave = leave.min(-off / along),
            }
        }
        (enter <= leave).then_some(enter)
    }

    /// The box around it.
    pub fn bounds(&self) -> Aabb {
        let flat = Aabb::from_points(self.outline.iter().copied());
        Aabb::new(flat.min, flat.max + Vec3::Y * self.height)
    }

    /// The same, a little larger to all sides.
    pub fn expanded(&self, by: f32) -> Self {
        let middle = self.outline.iter().sum::<Vec3>() / self.outline.len().max(1) as f32;
        let out = |corner: &Vec3| *corner + (*corner - middle).with_y(0.0).normalize_or_zero() * by - Vec3::Y * by;
        Self { outline: self.outline.iter().map(out).collect(), height: self.height + 2.0 * by }
    }
}

impl PlacedItem {
    /// What people call it.
    pub fn label(self) -> String {
        match self {
            Self::Start => "the start".into(),
            Self::End => "the end".into(),
            Self::RayStart => "the start of the raycast".into(),
            Self::RayEnd => "the end of the raycast".into(),
            Self::WallFrom => "the place of the wall distance".into(),
            Self::Around => "the middle of the random places".into(),
            Self::Threat(i) => format!("threat {}", i + 1),
            Self::Destroyed(i) => format!("destroyed cover {}", i + 1),
            Self::Obstacle(i) => format!("obstacle {}", i + 1),
            Self::Barred(i) => format!("blocked polygon {}", i + 1),
            Self::Volume(i) => format!("volume {}", i + 1),
            Self::LinkStart(i) => format!("the start of link {}", i + 1),
            Self::LinkEnd(i) => format!("the end of link {}", i + 1),
            Self::Seed(i) => format!("seed {}", i + 1),
            Self::CrowdStart(i) => format!("the start of crowd {}", i + 1),
            Self::CrowdGoal(i) => format!("the goal of crowd {}", i + 1),
        }
    }

    /// What people call the whole of which it may be an end.
    pub fn whole(self) -> String {
        match self {
            Self::LinkStart(i) | Self::LinkEnd(i) => format!("link {}", i + 1),
            Self::CrowdStart(i) | Self::CrowdGoal(i) => format!("crowd {}", i + 1),
            other => other.label(),
        }
    }

    /// How many of its kind a scene has: where that changes, its place in the list may be another's.
    pub fn of_its_kind(self, nav: &SceneNav) -> usize {
        match self {
            Self::Start | Self::End | Self::RayStart | Self::RayEnd | Self::WallFrom | Self::Around => 1,
            Self::Threat(_) => nav.threats.len(),
            Self::Destroyed(_) => nav.destroyed.len(),
            Self::Obstacle(_) => nav.obstacles.len(),
            Self::Barred(_) => nav.barred.len(),
            Self::Volume(_) => nav.bake.volumes.len(),
            Self::LinkStart(_) | Self::LinkEnd(_) => nav.bake.placed_links.len(),
            Self::Seed(_) => nav.bake.seeds.len(),
            Self::CrowdStart(_) | Self::CrowdGoal(_) => nav.crowds.len(),
        }
    }

    /// The tool that places its kind.
    pub fn tool(self) -> Tool {
        match self {
            Self::Start | Self::End => Tool::Path,
            Self::RayStart | Self::RayEnd => Tool::Raycast,
            Self::WallFrom => Tool::Wall,
            Self::Around => Tool::Random,
            Self::Threat(_) => Tool::Threat,
            Self::Destroyed(_) => Tool::Destroy,
            Self::Obstacle(_) => Tool::Obstacle,
            Self::Barred(_) => Tool::Block,
            Self::Volume(_) => Tool::Volume,
            Self::LinkStart(_) | Self::LinkEnd(_) => Tool::Link,
            Self::Seed(_) => Tool::Seed,
            Self::CrowdStart(_) | Self::CrowdGoal(_) => Tool::Crowd,
        }
    }

    /// The upright prism that it fills; `None` when it is not there.
    pub fn shape(self, nav: &SceneNav) -> Option<ItemShape> {
        let person = |at: Vec3, half: f32, height: f32| {
            let corner = |x: f32, z: f32| at + Vec3::new(half * x, -0.1, half * z);
            let outline = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
            ItemShape { outline, height: height + 0.1 }
        };
        let prism = |(outline, height): (Vec<Vec3>, f32)| ItemShape { outline, height };
        let link = |i: usize| nav.bake.placed_links.get(i);
        Some(match self {
            Self::Start => person(nav.probe.start?, 0.3, 1.4),
            Self::End => person(nav.probe.end?, 0.3, 1.4),
            Self::RayStart => person(nav.probe.ray_start?, 0.3, 1.4),
            Self::RayEnd => person(nav.probe.ray_end?, 0.3, 1.4),
            Self::WallFrom => person(nav.probe.wall_from?, 0.3, 1.4),
            Self::Around => person(nav.probe.around?, 0.3, 1.4),
            Self::Threat(i) => person(*nav.threats.get(i)?, 0.4, 1.8),
            Self::Destroyed(i) => person(*nav.destroyed.get(i)?, 0.4, 0.4),
            Self::Obstacle(i) => prism(nav.obstacles.get(i)?.shape.outline()),
            Self::Barred(i) => person(*nav.barred.get(i)?, 0.3, 0.3),
            Self::Volume(i) => prism(volume_outline(&nav.bake.volumes.get(i)?.shape)),
            Self::LinkStart(i) => person(link(i)?.start.as_vec3(), 0.35, 0.5),
            Self::LinkEnd(i) => person(link(i)?.end.as_vec3(), 0.35, 0.5),
            Self::Seed(i) => person(nav.bake.seeds.get(i)?.as_vec3(), 0.3, 1.0),
            Self::CrowdStart(i) => person(nav.crowds.get(i)?.from, 0.4, 0.6),
            Self::CrowdGoal(i) => person(nav.crowds.get(i)?.to, 0.4, 0.6),
        })
    }

    /// Moves it.
    pub(super) fn shift(self, nav: &mut SceneNav, by: Vec3) -> Option<()> {
        match self {
            Self::Start => *nav.probe.start.as_mut()? += by,
            Self::End => *nav.probe.end.as_mut()? += by,
            Self::RayStart => *nav.probe.ray_start.as_mut()? += by,
            Self::RayEnd => *nav.probe.ray_end.as_mut()? += by,
            Self::WallFrom => *nav.probe.wall_from.as_mut()? += by,
            Self::Around => *nav.probe.around.as_mut()? += by,
            Self::Threat(i) => *nav.threats.get_mut(i)? += by,
            Self::Destroyed(i) => *nav.destroyed.get_mut(i)? += by,
            Self::Obstacle(i) => *nav.obstacles.get_mut(i)?.shape.base_mut() += by,
            Self::Barred(i) => *nav.barred.get_mut(i)? += by,
            Self::Volume(i) => shift_volume(&mut nav.bake.volumes.get_mut(i)?.shape, by),
            Self::LinkStart(i) => nav.bake.placed_links.get_mut(i)?.start += by.as_dvec3(),
            Self::LinkEnd(i) => nav.bake.placed_links.get_mut(i)?.end += by.as_dvec3(),
            Self::Seed(i) => *nav.bake.seeds.get_mut(i)? += by.as_dvec3(),
            Self::CrowdStart(i) => nav.crowds.get_mut(i)?.from += by,
            Self::CrowdGoal(i) => nav.crowds.get_mut(i)?.to += by,
        }
        Some(())
    }

    /// Takes it out of the scene; links and crowds go whole.
    pub(super) fn remove(self, nav: &mut SceneNav) -> Option<()> {
        fn out<T>(list: &mut Vec<T>, i: usize) -> Option<()> {
            (i < list.len()).then(|| drop(list.remove(i)))
        }
        match self {
            Self::Start => nav.probe.start.take().map(drop),
            Self::End => nav.probe.end.take().map(drop),
            Self::RayStart => nav.probe.ray_start.take().map(drop),
            Self::RayEnd => nav.probe.ray_end.take().map(drop),
            Self::WallFrom => nav.probe.wall_from.take().map(drop),
            Self::Around => nav.probe.around.take().map(drop),
            Self::Threat(i) => out(&mut nav.threats, i),
            Self::Destroyed(i) => out(&mut nav.destroyed, i),
            Self::Obstacle(i) => out(&mut nav.obstacles, i),
            Self::Barred(i) => out(&mut nav.barred, i),
            Self::Volume(i) => out(&mut nav.bake.volumes, i),
            Self::LinkStart(i) | Self::LinkEnd(i) => out(&mut nav.bake.placed_links, i),
            Self::Seed(i) => out(&mut nav.bake.seeds, i),
            Self::CrowdStart(i) | Self::CrowdGoal(i) => out(&mut nav.crowds, i),
        }
    }
}

/// Moves a volume.
pub(super) fn shift_volume(shape: &mut VolumeShape, by: Vec3) {
    match shape {
        VolumeShape::Convex { outline, low, high } => {
            outline.iter_mut().for_each(|p| *p += Vec2::new(by.x, by.z));
            (*low, *high) = (*low + by.y, *high + by.y);
        }
        VolumeShape::Box { min, max } => (*min, *max) = (*min + by, *max + by),
        VolumeShape::Cylinder { base, .. } => *base += by,
    }
}
