//! Navigation meshes of Godot 3 and 4 as text: `NavigationMesh` resources (`.tres`), and scenes (`.tscn`) whose regions
//! (`NavigationRegion3D`, Godot 3's `NavigationMeshInstance`) hold such meshes. Metres, Y up, as here.
//!
//! The first 16 navigation layers of a region are the flags of its polygons; one that is on others alone counts as on the first.
//! Links (`NavigationLink3D`) become off-mesh links.

mod text;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use glam::{DMat3, DMat4, DQuat, DVec3, EulerRot};

use self::text::{GodotSection, lists, numbers, sections};
use super::indexed::{IndexedPolygons, MAX_CORNERS, SAME_BORDER, SAME_HEIGHT};
use super::side_files::SideFiles;
use super::{DetourValues, ExchangeAgent, ExchangeError, ForeignMesh, JoinedRegions, Joining};
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};

/// Most nodes above another.
const MAX_DEPTH: usize = 256;
/// Most vertices and corners of all regions: many may have one mesh.
const MAX_NUMBERS: usize = 2 * MAX_CORNERS;
/// Most scenes that one instances which are looked into.
const MAX_INSTANCED: usize = 64;
/// Nodes with navigation meshes, of Godot 4 and 3.
const REGION_NODES: [&[u8]; 2] = [b"\"NavigationRegion3D\"", b"\"NavigationMeshInstance\""];
/// How far the ends of a link may lie from the mesh, metres; Godot's own radius.
const LINK_REACH: f32 = 1.0;
/// Largest gap over which regions are joined, metres; Godot's own.
const EDGE_CONNECTION_MARGIN: f64 = 0.25;
/// The first version of the text format of Godot 4, whose settings have the defaults below.
const FORMAT_4: u32 = 3;
/// The agent of Godot 4 where a mesh has no other.
const AGENT_4: ExchangeAgent = ExchangeAgent { height: 1.5, radius: 0.5, climb: 0.25 };
/// Size and height of the cells of Godot 4, metres.
const CELL_4: [f32; 2] = [0.25; 2];

/// Whether a text begins as Godot's resources and scenes do, behind comments.
pub fn is_godot(mut text: &[u8]) -> bool {
    while text.starts_with(b";") {
        let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
        text = text[end..].trim_ascii_start();
    }
    text.starts_with(b"[gd_resource") || text.starts_with(b"[gd_scene")
}

/// Reads a resource or a scene.
///
/// # Errors
/// It is damaged, or holds no navigation mesh.
pub fn read_godot(text: &str, side: Option<&SideFiles>) -> Result<ForeignMesh, ExchangeError> {
    let sections = sections(text)?;
    let head = sections.first().ok_or(ExchangeError::Unknown)?;
    if head.kind() == "gd_scene" {
        let outside = OutsideMeshes::read(&sections, side);
        return read_scene(&sections, &outside);
    }
    let kind = head.attribute("type").unwrap_or("");
    if kind != "NavigationMesh" {
        let error = format!("the resource is a {kind}, no NavigationMesh; choose another file");
        return Err(ExchangeError::Text(error));
    }
    let resource = sections.iter().find(|s| s.kind() == "resource").ok_or(ExchangeError::Empty)?;
    let joining = Joining::Nearby { reach: SAME_BORDER, climb: SAME_HEIGHT };
    let bake = GodotBake::new(head, resource);
    let mut mesh = ForeignMesh::new(format!("Godot navigation mesh, metres, Y up{}", bake.words()), joining);
    add(&mut mesh, resource, &DMat4::IDENTITY, 1, &mut 0)?;
    if mesh.polygons.is_empty() {
        let error = "the resource holds no polygon: it is not baked; bake it in Godot and save it";
        return Err(ExchangeError::Text(error.into()));
    }
    bake.give(&mut mesh);
    Ok(mesh)
}

/// The files with meshes that a scene names and that lie beside it.
pub fn resources_beside(text: &str, side: &SideFiles) -> Vec<PathBuf> {
    let sections = sections(text).unwrap_or_default();
    let paths = sections.iter().filter(is_outside_mesh).filter_map(|section| section.attribute("path"));
    paths.filter_map(|path| side.place_of_project(path)).collect()
}

/// Whether a section names a mesh in a file of its own.
fn is_outside_mesh(section: &&GodotSection<'_>) -> bool {
    section.kind() == "ext_resource" && section.attribute("type") == Some("NavigationMesh")
}

/// How a mesh was baked, as far as its file tells: Godot writes what differs from its defaults, which were others in the
/// versions of Godot 3.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct GodotBake {
    agent: Option<ExchangeAgent>,
    radius: Option<f32>,
    /// Size and height.
    cell: Option<[f32; 2]>,
}

impl GodotBake {
    fn new(head: &GodotSection<'_>, resource: &GodotSection<'_>) -> Self {
        let is_new = head.attribute("format").and_then(|f| f.parse::<u32>().ok()).is_some_and(|f| f >= FORMAT_4);
        // Godot 3 has a slash in its keys.
        let value = |name: &str, usual: f32| {
            let text = resource.value(name).or_else(|| resource.value(&name.replacen('_', "/", 1)));
            let number = text.and_then(|text| text.parse::<f32>().ok()).filter(|n| n.is_finite() && *n >= 0.0);
            number.or(is_new.then_some(usual))
        };
        let radius = value("agent_radius", AGENT_4.radius);
        let [height, climb] = [value("agent_height", AGENT_4.height), value("agent_max_climb", AGENT_4.climb)];
        let agent = || Some(ExchangeAgent { height: height?, radius: radius?, climb: climb? });
        let cell = || Some([value("cell_size", CELL_4[0])?, value("cell_height", CELL_4[1])?]);
        Self { agent: agent(), radius, cell: cell() }
    }

    /// For the format in words.
    fn words(&self) -> String {
        let cell = self.cell.map(|[size, height]| format!(", cells of {size} m and {height} m of height"));
        let radius = self.radius.map(|radius| format!(", agents of {radius} m radius"));
        cell.into_iter().chain(radius).collect()
    }

    fn give(&self, mesh: &mut ForeignMesh) {
        mesh.agent_radius = self.radius;
        mesh.detour = self.agent.map(|agent| DetourValues { cell: self.cell, ..DetourValues::new(agent) });
    }
}

/// A node that is part of navigation, or above one that is.
struct GodotNode {
    parent: Option<String>,
    parent_from_node: DMat4,
}

/// The resources in files of their own that a scene names.
struct OutsideMeshes {
    /// By their numbers: the text, or why there is none.
    texts: HashMap<String, Result<String, ExchangeError>>,
    /// Paths of the scenes that it instances and that have regions of their own.
    scenes: Vec<String>,
}

impl OutsideMeshes {
    fn read(sections: &[GodotSection<'_>], side: Option<&SideFiles>) -> Self {
        let text = |section: &GodotSection<'_>| {
            let path = section.attribute("path").unwrap_or("");
            let none = || ExchangeError::Text("it lies in a file of its own".into());
            let bytes = side.ok_or_else(none)?.read_of_project(path)?;
            let is_text = is_godot(bytes.trim_ascii_start());
            let binary = || ExchangeError::Text(format!("the file {path} is no resource as text; save it as .tres"));
            String::from_utf8(bytes).ok().filter(|_| is_text).ok_or_else(binary)
        };
        let named = sections.iter().filter(is_outside_mesh);
        let named = named.filter_map(|s| Some((s.attribute("id")?.to_owned(), text(s))));
        let has_regions = |path: &str| {
            let bytes = side.and_then(|side| side.read_of_project(path).ok()).unwrap_or_default();
            REGION_NODES.iter().any(|node| memchr::memmem::find(&bytes, node).is_some())
        };
        let scenes = instanced_scenes(sections).filter(|path| has_regions(path)).map(str::to_owned);
        Self { texts: named.collect(), scenes: scenes.collect() }
    }

    /// The resources by their numbers, each with its head before it.
    fn resources(&self) -> HashMap<&str, Result<[GodotSection<'_>; 2], ExchangeError>> {
        self.texts.iter().map(|(id, text)| (id.as_str(), resource_in(text))).collect()
    }
}

/// Paths of the scenes in files of their own that nodes of a scene are made of.
fn instanced_scenes<'a>(sections: &'a [GodotSection<'a>]) -> impl Iterator<Item = &'a str> {
    let is_scene = |s: &&GodotSection<'_>| s.kind() == "ext_resource" && s.attribute("type") == Some("PackedScene");
    let instanced: HashSet<&str> = sections
        .iter()
        .filter(|s| s.kind() == "node")
        .filter_map(|s| s.attribute("instance"))
        .filter_map(number_in)
        .collect();
    let named =
        sections.iter().filter(is_scene).filter(move |s| s.attribute("id").is_some_and(|id| instanced.contains(id)));
    named.filter_map(|s| s.attribute("path")).filter(|path| path.ends_with(".tscn")).take(MAX_INSTANCED)
}

/// The number of a resource in `ExtResource("1_a")` or `SubResource( 1 )`.
fn number_in(reference: &str) -> Option<&str> {
    Some(reference.split_once('(')?.1.trim_matches([')', '"', ' ']))
}

/// The head of a resource's text and the resource.
fn resource_in(text: &Result<String, ExchangeError>) -> Result<[GodotSection<'_>; 2], ExchangeError> {
    let text = text.as_ref().map_err(|error| ExchangeError::Text(error.to_string()))?;
    let mut all = sections(text)?;
    let is_mesh = all.first().is_some_and(|head| head.attribute("type") == Some("NavigationMesh"));
    let at = all.iter().position(|s| s.kind() == "resource").filter(|_| is_mesh);
    let found = at.map(|at| all.swap_remove(at)).zip(all.into_iter().next());
    let none = || ExchangeError::Text("its file holds no NavigationMesh".into());
    found.map(|(resource, head)| [head, resource]).ok_or_else(none)
}

fn read_scene(sections: &[GodotSection<'_>], outside: &OutsideMeshes) -> Result<ForeignMesh, ExchangeError> {
    let is_mesh = |s: &&GodotSection<'_>| s.kind() == "sub_resource" && s.attribute("type") == Some("NavigationMesh");
    let meshes: HashMap<&str, &GodotSection<'_>> =
        sections.iter().filter(is_mesh).filter_map(|s| Some((s.attribute("id")?, s))).collect();
    let nodes = nodes(sections)?;
    let joining = Joining::Nearby { reach: SAME_BORDER, climb: SAME_HEIGHT };
    let mut mesh = ForeignMesh::new(String::new(), joining);
    let mut found = SceneRegions { instanced: &outside.scenes, ..SceneRegions::default() };
    let meshes_outside = outside.resources();
    for section in sections.iter().filter(|s| s.kind() == "node") {
        let world = || world_from_node(&nodes, &path_of(section));
        let name = section.attribute("name").unwrap_or("");
        let is_off = section.value("enabled") == Some("false");
        if section.attribute("type") == Some("NavigationLink3D") {
            if is_off {
                mesh.notes.push(format!("The link '{name}' is not enabled and is left out."));
                continue;
            }
            mesh.notes.extend(lost_costs("link", section).into_iter().chain(lost_layers("link", section)));
            mesh.links.extend(link(section, &world()));
        }
        let Some(named) = section.value("navigation_mesh").or(section.value("navmesh")) else { continue };
        let id = number_in(named).unwrap_or("");
        if is_off {
            mesh.notes.push(format!("The region '{name}' is not enabled and is left out."));
            continue;
        }
        let beside = meshes_outside.get(id).filter(|_| named.starts_with("ExtResource"));
        let (head, resource) = match (beside, meshes.get(id).filter(|_| named.starts_with("SubResource"))) {
            (_, Some(resource)) => (&sections[0], *resource),
            (Some(Ok([head, resource])), None) => (head, resource),
            (Some(Err(why)), None) => {
                mesh.notes.push(format!("The mesh of the region '{name}' is left out: {why}."));
                found.outside.push(name);
                continue;
            }
            (None, None) => {
                found.outside.push(name);
                continue;
            }
        };
        mesh.notes.extend(lost_costs("region", section).into_iter().chain(lost_layers("region", section)));
        add(&mut mesh, resource, &world(), layers(section), &mut found.numbers)?;
        found.add(&mesh, section, GodotBake::new(head, resource));
    }
    if found.bakes.is_empty() && found.outside.is_empty() {
        // A mesh that no node of this scene names is taken as it is.
        for resource in sections.iter().filter(is_mesh) {
            add(&mut mesh, resource, &DMat4::IDENTITY, 1, &mut found.numbers)?;
            found.bakes.push(GodotBake::new(&sections[0], resource));
        }
    }
    found.finish(mesh)
}

/// The regions of a scene.
#[derive(Default)]
struct SceneRegions<'a> {
    /// How each was baked.
    bakes: Vec<GodotBake>,
    /// Names of those whose meshes lie in files of their own.
    outside: Vec<&'a str>,
    /// Paths of the scenes with regions that it instances.
    instanced: &'a [String],
    /// For each polygon its region, where that is joined over gaps.
    of: Vec<Option<u32>>,
    /// Vertices and corners of all.
    numbers: usize,
}

impl SceneRegions<'_> {
    /// Counts the polygons that a region added to a mesh.
    fn add(&mut self, mesh: &ForeignMesh, section: &GodotSection<'_>, bake: GodotBake) {
        let is_joined = section.value("use_edge_connections") != Some("false");
        self.of.resize(mesh.polygons.len(), is_joined.then_some(self.bakes.len() as u32));
        self.bakes.push(bake);
    }

    fn finish(self, mut mesh: ForeignMesh) -> Result<ForeignMesh, ExchangeError> {
        let regions = self.bakes.len();
        if !self.outside.is_empty() {
            let names = self.outside.join("', '");
            mesh.notes.push(format!("The meshes of the regions '{names}' lie in files of their own; open those."));
        }
        if let ([first, ..], true) = (self.instanced, regions == 0 && self.outside.is_empty()) {
            let error =
                format!("the scene holds no NavigationMesh, but the scene {first} that it instances does; open that");
            return Err(ExchangeError::Text(error));
        }
        mesh.notes.extend(self.instanced.iter().map(|path| {
            format!("The regions of the scene {path} that it instances are left out; open that by itself.")
        }));
        if mesh.polygons.is_empty() {
            let error = match self.outside.is_empty() {
                true if regions > 0 => {
                    "the scene's navigation meshes are not baked; bake them in Godot and save the scene"
                }
                true => "the scene holds no NavigationMesh; choose another file",
                false => {
                    let why = mesh.notes.iter().find_map(|note| Some(note.split_once("left out: ")?.1));
                    let why = why.map_or(String::new(), |why| format!(" ({})", why.trim_end_matches('.')));
                    let error =
                        format!("the scene's navigation meshes lie in files of their own{why}; choose those (.tres)");
                    return Err(ExchangeError::Text(error));
                }
            };
            return Err(ExchangeError::Text(error.into()));
        }
        let Some(&first) = self.bakes.first() else { return Ok(mesh) };
        let largest = |a: GodotBake, b: &GodotBake| if b.radius > a.radius { *b } else { a };
        let bake = self.bakes.iter().fold(first, largest);
        if self.bakes.iter().any(|b| *b != first) {
            let radius = bake.radius.unwrap_or(0.0);
            mesh.notes.push(format!("The regions were baked for different agents: the largest radius is {radius} m."));
        }
        let meshes = if regions == 1 { "mesh" } else { "meshes" };
        mesh.format = format!("Godot scene with {regions} navigation {meshes}, metres, Y up{}", bake.words());
        bake.give(&mut mesh);
        if regions > 1 && self.of.len() == mesh.polygons.len() {
            mesh.regions = Some(JoinedRegions { margin: EDGE_CONNECTION_MARGIN, of: self.of });
        }
        Ok(mesh)
    }
}

/// Says that the costs of a region or a link are left out, where it has any.
fn lost_costs(what: &str, section: &GodotSection<'_>) -> Option<String> {
    let cost = |key: &str| section.value(key).map(|text| format!("{key} {text}"));
    let costs: Vec<String> = ["enter_cost", "travel_cost"].into_iter().filter_map(cost).collect();
    let name = section.attribute("name").unwrap_or("");
    (!costs.is_empty()).then(|| format!("The costs of the {what} '{name}' are left out: {}.", costs.join(", ")))
}

/// The path of a node below the root; empty for the root itself.
fn path_of(section: &GodotSection<'_>) -> String {
    let name = section.attribute("name").unwrap_or("");
    match section.attribute("parent") {
        None => String::new(),
        Some(".") => name.to_owned(),
        Some(parent) => format!("{parent}/{name}"),
    }
}

/// The nodes of a scene by their paths.
fn nodes(sections: &[GodotSection<'_>]) -> Result<HashMap<String, GodotNode>, ExchangeError> {
    let mut nodes = HashMap::new();
    for (index, section) in sections.iter().filter(|s| s.kind() == "node").enumerate() {
        let fault = || ExchangeError::Element { what: "transform of node", index };
        let parent_from_node = placement(section).ok_or_else(fault)?;
        let path = path_of(section);
        // What is on top does not move with its parent.
        let is_below = !path.is_empty() && section.value("top_level") != Some("true");
        let parent = is_below.then(|| path.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned()));
        nodes.insert(path, GodotNode { parent, parent_from_node });
    }
    Ok(nodes)
}

/// Where a node stands in the scene.
fn world_from_node(nodes: &HashMap<String, GodotNode>, path: &str) -> DMat4 {
    let (mut world, mut path) = (DMat4::IDENTITY, path);
    for _ in 0..MAX_DEPTH {
        let Some(node) = nodes.get(path) else { break };
        world = node.parent_from_node * world;
        match &node.parent {
            Some(parent) => path = parent,
            None => break,
        }
    }
    world
}

/// Where a node stands in its parent: by its transform, as Godot writes it, or by what programs and people write in its
/// place. Nodes of the plane stand where their parents do.
fn placement(section: &GodotSection<'_>) -> Option<DMat4> {
    match section.value("transform") {
        Some(text) if text.starts_with("Transform2D") => return Some(DMat4::IDENTITY),
        Some(text) => return transform(text),
        None => {}
    }
    let value = |key: &str| section.value(key).and_then(vector);
    let degrees = value("rotation_degrees").map(|angles| DVec3::from_array(angles.to_array().map(f64::to_radians)));
    // Godot turns about y, x and z, unless another order is set.
    let angles = value("rotation").or(degrees).unwrap_or_default();
    let turn = DQuat::from_euler(EulerRot::YXZ, angles.y, angles.x, angles.z);
    let (scale, place) = (value("scale").unwrap_or(DVec3::ONE), value("position").unwrap_or_default());
    Some(DMat4::from_scale_rotation_translation(scale, turn, place))
}

/// `Vector3(…)`.
fn vector(text: &str) -> Option<DVec3> {
    Some(DVec3::from_array(<[f64; 3]>::try_from(numbers(text)?).ok()?))
}

/// `Transform3D(…)`: the rows of the basis, then the origin.
fn transform(text: &str) -> Option<DMat4> {
    let n = <[f64; 12]>::try_from(numbers(text)?).ok()?;
    let basis = DMat3::from_cols_slice(&n[..9]).transpose();
    Some(DMat4::from_translation(DVec3::from_slice(&n[9..])) * DMat4::from_mat3(basis))
}

/// The navigation layers of a node, a bit each.
fn all_layers(section: &GodotSection<'_>) -> u32 {
    section.value("navigation_layers").and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The navigation layers of a node as flags, of which no filter passes none.
fn layers(section: &GodotSection<'_>) -> u16 {
    let all = all_layers(section);
    if all & 0xffff == 0 && all != 0 { 1 } else { all as u16 }
}

/// Says that layers of a region or a link are left out, where it is on any that are.
fn lost_layers(what: &str, section: &GodotSection<'_>) -> Option<String> {
    let all = all_layers(section);
    let numbers: Vec<String> = (17..=32).filter(|n| (all >> (n - 1)) & 1 == 1).map(|n| n.to_string()).collect();
    let name = section.attribute("name").unwrap_or("");
    let rest = if all & 0xffff == 0 { ", and the first takes their place" } else { "" };
    let layers = numbers.join(", ");
    (!numbers.is_empty())
        .then(|| format!("The navigation layers {layers} of the {what} '{name}' are left out: there are 16{rest}."))
}

fn link(section: &GodotSection<'_>, world_from_node: &DMat4) -> Option<PlacedLink> {
    let place =
        |key: &str| Some(world_from_node.transform_point3(section.value(key).map_or(Some(DVec3::ZERO), vector)?));
    Some(PlacedLink {
        start: place("start_position")?,
        end: place("end_position")?,
        kind: LinkKind::Placed,
        both_ways: section.value("bidirectional") != Some("false"),
        reach: LINK_REACH,
        area: 0,
        flags: layers(section),
    })
}

/// Adds the polygons of a `NavigationMesh`, and its vertices and corners to those that were taken before.
fn add(
    mesh: &mut ForeignMesh,
    resource: &GodotSection<'_>,
    world_from_mesh: &DMat4,
    flags: u16,
    taken: &mut usize,
) -> Result<(), ExchangeError> {
    let mut take = |more: usize| {
        *taken += more;
        let (what, count, limit) = ("vertices and corners", *taken, MAX_NUMBERS);
        if count > limit { Err(ExchangeError::TooMany { what, count, limit }) } else { Ok(()) }
    };
    let fault = ExchangeError::element;
    let numbers = resource.value("vertices").map_or(Some(Vec::new()), numbers).ok_or(fault("vertices, entry", 0))?;
    let (places, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(fault("vertex", places.len()));
    }
    take(places.len())?;
    let vertices = places.iter().map(|&p| world_from_mesh.transform_point3(DVec3::from_array(p))).collect();
    let mut polygons = IndexedPolygons::new(vertices)?;
    for (index, list) in resource.value("polygons").into_iter().flat_map(lists).enumerate() {
        let number = |n: f64| (n >= 0.0 && n.fract() == 0.0 && n < f64::from(u32::MAX)).then_some(n as u32);
        let corners = list.and_then(|list| list.into_iter().map(number).collect::<Option<Vec<u32>>>());
        let mut corners = corners.ok_or(fault("polygon", index))?;
        take(corners.len())?;
        // Godot's polygons face up: ours wind the other way, and those of mirrored nodes as the file has them.
        if world_from_mesh.determinant() > 0.0 {
            corners.reverse();
        }
        polygons.add(&corners, 0, flags)?;
    }
    polygons.add_to(mesh);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_one_mesh_are_bounded_together() {
        let text = "[resource]\nvertices = PackedVector3Array(0, 0, 0, 1, 0, 0, 0, 0, 1)\n\
            polygons = [PackedInt32Array(0, 1, 2)]\n";
        let resource = &sections(text).unwrap()[0];
        let mut mesh = ForeignMesh::new(String::new(), Joining::Nearby { reach: SAME_BORDER, climb: SAME_HEIGHT });
        let mut taken = MAX_NUMBERS - 11;
        let mut region = || add(&mut mesh, resource, &DMat4::IDENTITY, 1, &mut taken);
        assert!(region().is_ok());
        let error = region().unwrap_err();
        assert!(
            matches!(error, ExchangeError::TooMany { count, limit: MAX_NUMBERS, .. } if count > MAX_NUMBERS),
            "{error}"
        );
        assert_eq!(mesh.polygons.len(), 1);
    }
}
