//! Compiles a saved graph to an executable tree and lists its problems.
//!
//! A faulty graph still runs as far as possible: dangling links and links that close a cycle are left out, nodes of
//! unknown kinds finish at once. The saved graph is not changed.

use super::graph::{BehaviorGraph, GraphLink};
use super::kind;
use super::task::{self, Task};
use std::collections::HashMap;
use std::fmt;

/// Problems reported per graph; further ones are only counted.
const MAX_PROBLEMS: usize = 50;

/// Severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A part of the behaviour does not run.
    Error,
    /// It runs, possibly not as intended.
    Warning,
}

/// A problem of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its severity.
    pub severity: Severity,
    /// Name of the graph.
    pub graph: String,
    /// The node that it concerns, if any.
    pub node: Option<ProblemNode>,
    /// The cause and the remedy.
    pub text: String,
}

/// The node that a problem concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemNode {
    /// Its number in the graph.
    pub id: i64,
    /// Number of its kind.
    pub kind: i64,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node tree {:?}", self.graph)?;
        if let Some(ProblemNode { id, kind }) = self.node {
            write!(f, ", node {id} ({})", kind::label(kind).to_lowercase())?;
        }
        write!(f, " {}.", self.text)
    }
}

/// A node of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeNode {
    /// Its number in the graph.
    pub id: i64,
    /// Number of its kind.
    pub kind: i64,
    /// What it does.
    pub task: Task,
    /// Positions of the children of each output.
    pub outputs: Vec<Vec<u32>>,
}

/// A compiled graph: acyclic, every link between two existing nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BehaviorTree {
    /// Name of the template.
    pub name: String,
    /// Its nodes, in the order of the graph.
    pub nodes: Vec<TreeNode>,
    /// Position of the root.
    pub root: Option<u32>,
    /// Positions of the event nodes.
    pub events: Vec<u32>,
}

impl BehaviorTree {
    /// Position of the node with this number.
    pub fn position(&self, id: i64) -> Option<u32> {
        self.nodes.iter().position(|n| n.id == id).map(|i| i as u32)
    }
}

/// Compiles a graph.
pub fn compile(graph: &BehaviorGraph) -> (BehaviorTree, Vec<Problem>) {
    let mut compiler = Compiler { graph, tree: BehaviorTree::default(), problems: Vec::new(), omitted: 0 };
    compiler.tree.name.clone_from(&graph.name);
    let by_id = compiler.nodes();
    let links = compiler.links(&by_id);
    compiler.cut_cycles(&links);
    compiler.childless();
    let omitted = compiler.omitted;
    if omitted > 0 {
        let text = format!("has {omitted} further problems; mend these first");
        compiler.problems.push(Problem { severity: Severity::Warning, graph: graph.name.clone(), node: None, text });
    }
    (compiler.tree, compiler.problems)
}

struct Compiler<'a> {
    graph: &'a BehaviorGraph,
    tree: BehaviorTree,
    problems: Vec<Problem>,
    omitted: usize,
}

/// A link between two nodes, by position.
struct TreeEdge {
    id: i64,
    from: u32,
    output: usize,
    to: u32,
}

impl Compiler<'_> {
    fn report(&mut self, severity: Severity, node: Option<u32>, text: String) {
        if self.problems.len() >= MAX_PROBLEMS {
            self.omitted += 1;
            return;
        }
        let node = node.map(|i| &self.tree.nodes[i as usize]).map(|n| ProblemNode { id: n.id, kind: n.kind });
        self.problems.push(Problem { severity, graph: self.graph.name.clone(), node, text });
    }

    fn nodes(&mut self) -> HashMap<i64, u32> {
        let mut by_id = HashMap::new();
        for node in &self.graph.nodes {
            let mut wrong = Vec::new();
            let (task, outputs) = task::read(node, &mut wrong);
            let i = self.tree.nodes.len() as u32;
            self.tree.nodes.push(TreeNode { id: node.id, kind: node.kind, task, outputs: vec![Vec::new(); outputs] });
            wrong.into_iter().for_each(|text| self.report(Severity::Warning, Some(i), text));
            if task == Task::Unknown {
                let text =
                    format!("is of kind {}, which this version does not know: it does nothing; use 1 to 13", node.kind);
                self.report(Severity::Warning, Some(i), text);
            }
            if by_id.contains_key(&node.id) {
                self.report(
                    Severity::Error,
                    Some(i),
                    "has a number that another node has: it never runs; renumber it".into(),
                );
                continue;
            }
            by_id.insert(node.id, i);
            match task {
                Task::Root if self.tree.root.is_some() => {
                    self.report(Severity::Error, Some(i), "is a second root: it never runs; remove it".into());
                }
                Task::Root => self.tree.root = Some(i),
                Task::Event(..) => self.tree.events.push(i),
                _ => {}
            }
        }
        if self.tree.root.is_none() && self.tree.events.is_empty() {
            self.report(Severity::Error, None, "has neither a root nor an event: it never runs; add a root".into());
        }
        by_id
    }

    fn links(&mut self, by_id: &HashMap<i64, u32>) -> Vec<TreeEdge> {
        let mut edges = Vec::new();
        for link in &self.graph.links {
            match self.link(link, by_id) {
                Ok(edge) => edges.push(edge),
                Err((node, text)) => self.report(Severity::Error, node, text),
            }
        }
        edges
    }

    fn link(&self, link: &GraphLink, by_id: &HashMap<i64, u32>) -> Result<TreeEdge, (Option<u32>, String)> {
        let (GraphLink { id, from_pin, to_pin }, [from_node, to_node]) = (*link, link.nodes());
        let Some(&from) = by_id.get(&from_node) else {
            return Err((None, format!("has link {id} from node {from_node}, which does not exist; remove the link")));
        };
        let Some(&to) = by_id.get(&to_node) else {
            return Err((
                Some(from),
                format!("has link {id} to node {to_node}, which does not exist; remove the link"),
            ));
        };
        let (parent, child) = (&self.tree.nodes[from as usize], &self.tree.nodes[to as usize]);
        if parent.task == Task::Unknown {
            // What its outputs mean is not known.
            return Ok(TreeEdge { id, from, output: 0, to });
        }
        let count = parent.outputs.len();
        let Some(output) = link.output(parent.task == Task::Root).filter(|&n| n < count) else {
            let text =
                format!("has link {id} from pin {from_pin}, but only {count} outputs; give it more or remove the link");
            return Err((Some(from), text));
        };
        if !link.is_to_input() || matches!(child.task, Task::Root | Task::Event(..)) {
            let text = format!("has link {id} to pin {to_pin}, which is no input; remove the link");
            return Err((Some(from), text));
        }
        Ok(TreeEdge { id, from, output, to })
    }

    /// Leaves out the links that close a cycle: the back edges of a depth-first search in file order.
    fn cut_cycles(&mut self, edges: &[TreeEdge]) {
        #[derive(Clone, Copy, PartialEq)]
        enum VisitMark {
            New,
            Open,
            Done,
        }
        let count = self.tree.nodes.len();
        let mut leaving = vec![Vec::new(); count];
        edges.iter().for_each(|edge| leaving[edge.from as usize].push(edge));
        let mut marks = vec![VisitMark::New; count];
        let mut reached = vec![false; count];
        let starts = |task: &Task| matches!(task, Task::Root | Task::Event(..) | Task::Test);
        let (first, rest): (Vec<u32>, Vec<u32>) =
            (0..count as u32).partition(|&i| starts(&self.tree.nodes[i as usize].task));
        let runs = first.len();
        for (k, &start) in first.iter().chain(&rest).enumerate() {
            let mut stack = vec![(start, 0)];
            while let Some((node, next)) = stack.last_mut() {
                let (n, at) = (*node as usize, *next);
                *next += 1;
                if at == 0 {
                    if marks[n] != VisitMark::New {
                        stack.pop();
                        continue;
                    }
                    marks[n] = VisitMark::Open;
                    reached[n] = k < runs;
                }
                let Some(edge) = leaving[n].get(at) else {
                    marks[n] = VisitMark::Done;
                    stack.pop();
                    continue;
                };
                if marks[edge.to as usize] == VisitMark::Open {
                    let to = self.tree.nodes[edge.to as usize].id;
                    let text = format!(
                        "has link {} back to node {to}: a circle, which is cut there; remove the link, the root begins anew by itself",
                        edge.id
                    );
                    self.report(Severity::Error, Some(n as u32), text);
                    continue;
                }
                if let Some(output) = self.tree.nodes[n].outputs.get_mut(edge.output) {
                    output.push(edge.to);
                }
                stack.push((edge.to, 0));
            }
        }
        for (i, reached) in reached.into_iter().enumerate() {
            if !reached && self.tree.nodes[i].task != Task::Unknown {
                self.report(Severity::Warning, Some(i as u32), "is never reached; link it or remove it".into());
            }
        }
    }

    /// Reports nodes that should have children and have none.
    fn childless(&mut self) {
        for i in 0..self.tree.nodes.len() as u32 {
            let node = &self.tree.nodes[i as usize];
            let empty: Vec<String> = (1..)
                .zip(&node.outputs)
                .filter(|(_, children)| children.is_empty())
                .map(|(n, _)| n.to_string())
                .collect();
            let text = match node.task {
                _ if empty.is_empty() => continue,
                Task::Root | Task::Test | Task::Event(..) => {
                    "has no child: it does nothing; link its output to a node".into()
                }
                Task::Selector(..) | Task::Sequence(_) => {
                    let (list, count) = (empty.join(", "), node.outputs.len());
                    format!("has no child at output {list} of {count}; link it or lower the number of outputs")
                }
                _ => continue,
            };
            self.report(Severity::Warning, Some(i), text);
        }
    }
}
