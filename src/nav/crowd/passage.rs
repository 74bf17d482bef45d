//! Right of way in narrow passages: one direction at a time goes through a door, and the right of way changes.
//!
//! Where two streams meet in a doorway, each blocks the other. D. Helbing and P. Molnár ("Social force model for
//! pedestrian dynamics", Physical Review E 51, 1995, section IV) saw that people pass a narrow door in turns: once one
//! has got through, others follow easily, until the pressure on the other side has grown and turns the flow. Here that
//! is a rule: a passage belongs to one direction; it changes hands when nobody of that direction is left, or, not
//! before [`SERVED_SECS`], when more press from the other side or it has lasted long enough. Who does not have the
//! right of way keeps some distance, so that those who come out find room. Where all go one way nothing is changed.

use std::collections::HashMap;

use glam::{IVec2, Vec2, Vec3};

use super::ground::Ground;
use super::{Agent, Slot};
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{NavMesh, NavPoint, PolyId};

/// Widest passage, metres.
const WIDEST: f32 = 5.0;
/// Longest passage, metres: in longer ones nobody waits, for who waits in a corridor bars it.
const LONGEST: f32 = 8.0;
/// Gates of one passage lie in one direction: least cosine.
const STRAIGHT: f32 = 0.5;
/// Right of way matters from so many people on per metre of width; fewer pass each other.
const CROWD: f32 = 3.0;
/// From how far one counts as coming, metres.
const SIGHT: f32 = 6.0;
/// How far from it those wait who do not have the right of way: metres, and share of its width.
const WAIT: (f32, f32) = (2.0, 0.25);
/// How long a direction keeps the right of way at least, and at most while others wait, seconds; wider passages are
/// kept for longer, by these seconds per metre of width.
const SERVED_SECS: (f32, f32) = (8.0, 16.0);
const SERVED_PER_WIDTH: (f32, f32) = (1.5, 4.0);
/// From which pressure on the other side on it changes: so many times, and so many people more.
const PRESSURE: (f32, f32) = (1.5, 3.0);
/// How long those inside get to leave, seconds.
const CLEAR_SECS: f32 = 5.0;
/// Who is so near when the right of way changes goes through all the same, metres, for so long, seconds: to step back
/// into those behind takes longer.
const COMMITTED: (f32, f32) = (1.0, 2.0);
/// How fast one steps back who waits too near, as a share of the wanted speed.
const BACK: f32 = 0.3;
/// How long before the place where one waits one slows down, seconds.
const SLOW_SECS: f32 = 0.7;
/// Edge of a cell of the map of gates, metres.
const CELL: f32 = 8.0;
/// How far behind a gate one is who is through for sure, metres.
const TELLING: f32 = 0.6;
/// How far floors lie apart, metres.
const FLOOR: f32 = 1.5;

const NO_PASSAGE: u32 = u32::MAX;

/// How much wider than its portal a gate is on either side, metres: ways turn exactly at its ends.
const EDGE: f32 = 0.05;

/// A narrow portal.
#[derive(Clone, Copy, Debug)]
struct Gate {
    a: Vec3,
    b: Vec3,
    passage: u32,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default)]
struct Passage {
    axis: Vec2,
    middle: Vec2,
    width: f32,
    /// It is too long or bent.
    unruly: bool,
    /// The direction that has the right of way: 1 along the axis, 0 against it.
    holder: Option<usize>,
    served_secs: f32,
    /// The other direction had it before.
    changed: bool,
    /// So many come from both sides that they would bar each other's way.
    crowded: bool,
    coming: [u32; 2],
    inside: [u32; 2],
}

/// A passage on somebody's way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Approach {
    passage: u32,
    direction: usize,
    /// How far it is, metres; 0 inside.
    pub(super) distance: f32,
}

/// All passages of a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Passages {
    gates: Vec<Gate>,
    /// The polygons on both sides of each gate.
    leads_to: Vec<[u32; 2]>,
    /// Gates that can be seen from a cell.
    cells: HashMap<IVec2, Vec<u32>>,
    /// The passage that a polygon lies in: one between two of its gates.
    of_polygon: Vec<u32>,
    list: Vec<Passage>,
}

fn cell_of(at: Vec2) -> IVec2 {
    (at / CELL).floor().as_ivec2()
}

impl Passages {
    /// Finds the passages of a mesh.
    pub(super) fn find(&mut self, mesh: &NavMesh, ground: &Ground) {
        *self = Self { of_polygon: vec![NO_PASSAGE; mesh.len()], ..Self::default() };
        for polygon in 0..mesh.len() as u32 {
            for way in mesh.portals().of(polygon) {
                let gate = mesh.portals().gate(way.number);
                let width = to_plan(gate.left).distance(to_plan(gate.right));
                let open = ground.passes(polygon) && ground.passes(way.neighbor);
                if polygon < way.neighbor && open && width > 0.0 && width <= WIDEST && ground.is_door(way.number) {
                    self.add(mesh, gate.left, gate.right, [polygon, way.neighbor]);
                }
            }
        }
        for (number, gate) in (0..).zip(&self.gates) {
            let reach = Vec2::splat(SIGHT + WIDEST);
            let middle = to_plan((gate.a + gate.b) * 0.5);
            let (low, high) = (cell_of(middle - reach), cell_of(middle + reach));
            for z in low.y..=high.y {
                for x in low.x..=high.x {
                    self.cells.entry(IVec2::new(x, z)).or_default().push(number);
                }
            }
        }
    }

    /// Adds a gate between two polygons: to the passage of a gate that leads out of one of them, if there is one.
    fn add(&mut self, mesh: &NavMesh, a: Vec3, b: Vec3, polygons: [u32; 2]) {
        let (axis, middle) = (to_plan(b - a).perp().normalize_or_zero(), to_plan((a + b) * 0.5));
        let mut passage = NO_PASSAGE;
        for (number, gate) in self.gates.iter().enumerate() {
            let Some(&between) = self.leads_to[number].iter().find(|g| polygons.contains(g)) else { continue };
            let length = to_plan((gate.a + gate.b) * 0.5).distance(middle);
            // A room with two doors is no passage.
            if area(mesh, between) <= WIDEST * length && (passage == NO_PASSAGE || passage == gate.passage) {
                passage = gate.passage;
                self.of_polygon[between as usize] = passage;
            }
        }
        if let Some(p) = self.list.get_mut(passage as usize) {
            p.unruly |= p.axis.dot(axis).abs() < STRAIGHT || p.middle.distance(middle) > LONGEST;
        }
        if passage == NO_PASSAGE {
            self.list.push(Passage { axis, middle, width: to_plan(a).distance(to_plan(b)), ..Passage::default() });
            passage = self.list.len() as u32 - 1;
        }
        let edge = (b - a).normalize_or_zero() * EDGE;
        self.gates.push(Gate { a: a - edge, b: b + edge, passage });
        self.leads_to.push(polygons);
    }

    /// The passage that someone is in.
    fn inside(&self, at: Vec3, polygon: PolyId, radius: f32) -> Option<u32> {
        let passage = self.of_polygon.get(polygon.index()).copied().filter(|&p| p != NO_PASSAGE);
        passage.or_else(|| {
            let gates = self.cells.get(&cell_of(to_plan(at)))?.iter().map(|&g| &self.gates[g as usize]);
            let touches = |g: &&Gate| {
                plan::closest_on_segment(to_plan(g.a), to_plan(g.b), to_plan(at)).distance(to_plan(at)) < radius
            };
            gates.filter(|g| (g.a.y - at.y).abs() < FLOOR).find(touches).map(|g| g.passage)
        })
    }

    /// The passage on the way of someone at a place who goes over these corners, or the one that he is in.
    pub(super) fn ahead(
        &self,
        NavPoint { polygon, point: at }: NavPoint,
        radius: f32,
        corners: &[Vec3],
    ) -> Option<Approach> {
        let last = corners.last().filter(|_| !self.gates.is_empty())?;
        if let Some(passage) = self.inside(at, polygon, radius) {
            // A corner beside the gate tells nothing.
            let axis = self.list[passage as usize].axis;
            let tells = |c: &&Vec3| (to_plan(**c) - to_plan(at)).dot(axis).abs() > TELLING;
            let direction = self.direction(passage, to_plan(*corners.iter().find(tells).unwrap_or(last)) - to_plan(at));
            return Some(Approach { passage, direction, distance: 0.0 });
        }
        let gates = self.cells.get(&cell_of(to_plan(at)))?;
        let (mut from, mut gone) = (to_plan(at), 0.0);
        for &corner in corners {
            let to = to_plan(corner);
            let length = from.distance(to);
            let nearest = gates
                .iter()
                .map(|&g| &self.gates[g as usize])
                .filter(|g| (g.a.y - at.y).abs().min((g.b.y - at.y).abs()) < FLOOR)
                .filter_map(|g| Some((crossing(from, to, to_plan(g.a), to_plan(g.b))? * length, g.passage)))
                .min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            if let Some((distance, passage)) = nearest {
                let direction = self.direction(passage, to - from);
                return Some(Approach { passage, direction, distance: gone + distance }).filter(|a| a.distance < SIGHT);
            }
            gone += length;
            if gone > SIGHT {
                return None;
            }
            from = to;
        }
        None
    }

    fn direction(&self, passage: u32, way: Vec2) -> usize {
        usize::from(way.dot(self.list[passage as usize].axis) > 0.0)
    }

    /// Gives the right of way, from who comes and who is inside.
    pub(super) fn direct(&mut self, slots: &[Slot], dt_secs: f32) {
        if self.list.is_empty() {
            return;
        }
        self.list.iter_mut().for_each(|p| (p.coming, p.inside) = ([0; 2], [0; 2]));
        for agent in slots.iter().filter(|s| s.live && s.agent.walks()).map(|s| &s.agent) {
            let Some(approach) = agent.approach else { continue };
            let Some(passage) = self.list.get_mut(approach.passage as usize) else { continue };
            let count = if approach.distance > 0.0 { &mut passage.coming } else { &mut passage.inside };
            count[approach.direction] += 1;
        }
        self.list.iter_mut().for_each(|p| p.turn(dt_secs));
    }

    /// How far from a passage one waits, metres.
    fn waiting_distance(&self, approach: &Approach) -> f32 {
        WAIT.0 + WAIT.1 * self.list.get(approach.passage as usize).map_or(0.0, |p| p.width)
    }

    /// Whether one has to wait.
    pub(super) fn bars(&self, approach: &Approach) -> bool {
        let Some(passage) = self.list.get(approach.passage as usize) else { return false };
        let (mine, other) = (approach.direction, 1 - approach.direction);
        if approach.distance <= 0.0 || !passage.crowded {
            return false;
        }
        let fresh = passage.served_secs < COMMITTED.1 && passage.changed;
        if fresh && passage.holder == Some(other) && approach.distance < COMMITTED.0 && passage.inside[other] == 0 {
            return false;
        }
        passage.holder != Some(mine) || passage.inside[other] > 0 && passage.served_secs < CLEAR_SECS
    }
}

impl Passage {
    fn turn(&mut self, dt_secs: f32) {
        let all = [0, 1].map(|i| self.coming[i] + self.inside[i]);
        let enough = CROWD * self.width * if self.crowded { 0.5 } else { 1.0 };
        self.crowded = !self.unruly && all[0].min(all[1]) > 0 && (all[0] + all[1]) as f32 > enough;
        let first = usize::from(all[1] > all[0]);
        let holder = *self.holder.get_or_insert(first);
        let other = 1 - holder;
        self.served_secs += dt_secs;
        let pressed = self.coming[other] as f32 > self.coming[holder] as f32 * PRESSURE.0 + PRESSURE.1;
        let served = |secs: f32, per_width: f32| secs + per_width * self.width;
        let least = served(SERVED_SECS.0, SERVED_PER_WIDTH.0);
        let most = served(SERVED_SECS.1, SERVED_PER_WIDTH.1);
        let over = self.served_secs > if pressed { least } else { most };
        if all[other] == 0 {
            (self.served_secs, self.changed) = (0.0, false);
        } else if self.coming[holder] == 0 || over {
            (self.holder, self.served_secs, self.changed) = (Some(other), 0.0, true);
        }
    }
}

impl Agent {
    /// Slows down before a passage where others have the right of way, and stands some way off it.
    pub(super) fn mind_passages(&mut self, passages: &Passages) {
        let corners = match &self.drive {
            Some(drive) => &drive.ahead[..],
            None => &self.corners.list[..self.corners.count],
        };
        self.approach = passages.ahead(self.place(), self.settings.radius, corners);
        let Some(approach) = self.approach.filter(|a| passages.bars(a)) else {
            self.held = false;
            return;
        };
        let room = approach.distance - passages.waiting_distance(&approach);
        let speed = self.wanted.length();
        self.held = room < 0.5 || self.velocity.length() < 0.3 * self.settings.max_speed;
        if room < 0.0 {
            self.wanted *= -BACK;
        } else if room < speed * SLOW_SECS {
            self.wanted *= room / (speed * SLOW_SECS);
        }
    }
}

/// Area of a polygon seen from above, square metres.
fn area(mesh: &NavMesh, polygon: u32) -> f32 {
    plan::area(mesh.corners_of(PolyId(polygon))) as f32
}

/// How far along the way from `from` to `to` it crosses the line from `a` to `b`, as a share.
fn crossing(from: Vec2, to: Vec2, a: Vec2, b: Vec2) -> Option<f32> {
    let (way, line) = (to - from, b - a);
    let across = way.perp_dot(line);
    let t = (a - from).perp_dot(line) / across;
    let s = (a - from).perp_dot(way) / across;
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s)).then_some(t)
}
