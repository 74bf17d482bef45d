//! No circles of files: which file needs which, from the paths in the code.
//!
//! A path leads to the file that defines what it names: re-exports are followed and are no needs of the file that makes
//! them. Tests are left out.

use super::parts::{code, is_word, production};
use super::ratchet;
use std::collections::{BTreeMap, BTreeSet};

/// A path as its segments; `*` for all of a module.
type Segments = Vec<String>;

/// What a file says of others.
#[derive(Default)]
struct File {
    name: String,
    /// Paths of `use` lines, with the name that each goes by, and whether others may import it from here.
    imports: Vec<(Segments, String, bool)>,
    /// Paths that stand in the code.
    inline: Vec<Segments>,
}

/// The module of a file of `src`: `nav::mesh` for `src/nav/mesh.rs`, empty for the root.
fn module_of(file: &str) -> Segments {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// Splits the tree of a `use` line into paths, each with the name that it goes by.
fn flatten(tree: &str, prefix: &[String], out: &mut Vec<(Segments, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut path = prefix.to_vec();
        path.extend(tree[..open].split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned));
        let inside = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
        let (mut depth, mut from) = (0, 0);
        for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    flatten(&inside[from..at], &path, out);
                    from = at + 1;
                }
                _ => {}
            }
        }
    } else if !tree.is_empty() {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
        let mut full = prefix.to_vec();
        full.extend(path.split("::").map(|s| s.trim().to_owned()).filter(|s| s != "self" || prefix.is_empty()));
        let name = alias.map(|a| a.trim().to_owned()).or_else(|| full.last().cloned()).unwrap_or_default();
        out.push((full, name));
    }
}

/// The path that begins at a place in the code.
fn path_at(code: &str) -> Segments {
    let end = code.find(|c: char| !is_word(c) && c != ':').unwrap_or(code.len());
    code[..end].split("::").filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

/// Reads a file; `children` are the modules below its own.
fn read(name: &str, text: &str, children: &BTreeSet<String>) -> File {
    let mut file = File { name: name.to_owned(), ..File::default() };
    let mut rest = String::new();
    let code = code(text);
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let is_public = start.starts_with("pub");
        let tree = start.strip_prefix("use ").or_else(|| {
            is_public
                .then(|| start.split_once(' ')?.1.strip_prefix("use ").or(start.strip_prefix("pub use ")))
                .flatten()
        });
        let Some(tree) = tree else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut tree = tree.to_owned();
        while !tree.contains(';') {
            let Some(more) = lines.next() else { break };
            tree.push_str(more);
        }
        let mut paths = Vec::new();
        flatten(tree.split(';').next().unwrap_or_default(), &[], &mut paths);
        file.imports.extend(paths.into_iter().map(|(path, name)| (path, name, is_public)));
    }
    for (at, _) in rest.match_indices("::") {
        let start = rest[..at].rfind(|c: char| !is_word(c)).map_or(0, |i| i + 1);
        let first = &rest[start..at];
        if !rest[..start].ends_with(':') && (first == "crate" || first == "super" || children.contains(first)) {
            file.inline.push(path_at(&rest[start..]));
        }
    }
    file
}

/// All files by their modules.
struct Crate(BTreeMap<Segments, File>);

impl Crate {
    fn read(sources: &[(String, String)]) -> Self {
        let modules: BTreeSet<Segments> = sources.iter().map(|(name, _)| module_of(name)).collect();
        let read = |(name, text): &(String, String)| {
            let own = module_of(name);
            let below = modules.iter().filter(|m| m.len() == own.len() + 1 && m.starts_with(&own));
            let children = below.filter_map(|m| m.last().cloned()).collect();
            (own, read(name, text, &children))
        };
        Self(sources.iter().map(read).collect())
    }

    /// The path from the root, if it names something of this crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Segments> {
        let mut at = module.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {}
            first => {
                at.push(first.to_owned());
                let known = self.0.contains_key(&at) || self.0.get(module)?.imports.iter().any(|i| i.1 == first);
                at.pop();
                if !known {
                    return None;
                }
            }
        }
        while rest.first().is_some_and(|s| s == "super") {
            at.pop();
            rest = &rest[1..];
        }
        at.extend_from_slice(rest);
        Some(at)
    }

    /// The module whose file defines what a path from the root names.
    fn home(&self, path: &[String], depth: u32) -> Option<Segments> {
        let long = (0..=path.len()).rev().find(|&n| self.0.contains_key(&path[..n]))?;
        let (module, item) = (&path[..long], path.get(long));
        if let (Some(item), true) = (item, depth < 8) {
            for (import, name, _) in &self.0[module].imports {
                let is_glob = name == "*";
                if name != item && !is_glob {
                    continue;
                }
                let Some(mut target) = self.absolute(module, import).filter(|t| t.as_slice() != path) else { continue };
                if is_glob {
                    target.pop();
                    if !self.defines(&target, item) {
                        continue;
                    }
                    target.push(item.clone());
                } else {
                    target.extend_from_slice(&path[long + 1..]);
                }
                return self.home(&target, depth + 1);
            }
        }
        Some(module.to_vec())
    }

    /// Whether a module makes a name known to others.
    fn defines(&self, module: &[String], item: &str) -> bool {
        self.0
            .get(module)
            .is_some_and(|file| file.imports.iter().any(|(_, name, is_public)| *is_public && name == item))
    }

    /// The modules that each module needs.
    fn needs(&self) -> BTreeMap<Segments, BTreeSet<Segments>> {
        let of = |(module, file): (&Segments, &File)| {
            let used = file.imports.iter().filter(|import| !import.2).map(|import| &import.0);
            let paths = used.chain(&file.inline).map(|path| match path.split_last() {
                Some((last, module)) if last == "*" => module.to_vec(),
                _ => path.clone(),
            });
            let homes = paths.filter_map(|path| self.home(&self.absolute(module, &path)?, 0));
            (module.clone(), homes.filter(|home| home != module).collect())
        };
        self.0.iter().map(of).collect()
    }
}

/// The files that lie on a circle: those that can be reached from themselves.
fn on_circles(sources: &[(String, String)]) -> BTreeSet<String> {
    let all = Crate::read(sources);
    let needs = all.needs();
    let comes_back = |start: &Segments| {
        let mut seen: BTreeSet<&Segments> = BTreeSet::new();
        let mut stack: Vec<&Segments> = needs[start].iter().collect();
        while let Some(module) = stack.pop() {
            if seen.insert(module) {
                stack.extend(&needs[module]);
            }
        }
        seen.contains(start)
    };
    needs.keys().filter(|module| comes_back(module)).map(|module| all.0[module].name.clone()).collect()
}

#[test]
fn files_form_no_circles() {
    ratchet::check("circles", "no file needs itself by way of others", &on_circles(&production()));
}

#[test]
fn circles_are_found_through_re_exports() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let facade = file("src/room/mod.rs", "pub mod a;\nmod b;\npub use b::{B, C as D};\n");
    let apart = [facade.clone(), file("src/room/a.rs", "use super::B;\n"), file("src/room/b.rs", "pub struct B;\n")];
    assert!(on_circles(&apart).is_empty());
    let circle =
        [facade, file("src/room/a.rs", "use super::D;\n"), file("src/room/b.rs", "fn f() { crate::room::a::g() }")];
    assert_eq!(on_circles(&circle).into_iter().collect::<Vec<_>>(), ["src/room/a.rs", "src/room/b.rs"]);
    let parent =
        [file("src/p.rs", "mod c;\nfn f() { c::g(); }\n"), file("src/p/c.rs", "use super::{\n    f,\n    h,\n};\n")];
    assert_eq!(on_circles(&parent).len(), 2);
}
