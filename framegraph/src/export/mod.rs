//! A frame for people and programs: JSON, RON, DOT, one-file HTML, and the difference of two frames in words.
//!
//! [`gather`] copies one part out of a World into a [`FrameExport`]; parts of a frame are joined with [`FrameExport::join`]. Names are stable from run to run: a pass is
//! its attachments and how often they came before, a resource is its storage (pool ordinal, offset) and description, a node its place in command order.
//! No address ever appears. The same frame gives the same bytes.

mod diff;
mod html;

pub use diff::diff;
pub use html::html;

use crate::decision::{Decision, Decisions, Evidence, Subject};
use crate::ids::{NodeId, PassId, ResourceId};
use crate::pass::{LoadOp, PassArea, PassFlags, PassOps, PassOrder, PassPool, PassTargets, StoreOp};
use crate::plan::{Plan, Step};
use crate::resource::{Label, Part, PhysicalRange, ResourceKind, ResourcePool, Storage};
use crate::state::Subresources;
use crate::tables::{Accesses, Edges, Labels, Nodes, node_flags};
use crate::words::use_words;
use bevy_ecs::prelude::World;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the layout of an export.
pub const SCHEMA: u32 = 1;

/// A frame, ready to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameExport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Number of the frame, from 0.
    pub frame: u64,
    /// Nodes in order of execution.
    pub nodes: Vec<NodeExport>,
    /// Passes in order of execution.
    pub passes: Vec<PassExport>,
    /// Resources that the frame touches.
    pub resources: Vec<ResourceExport>,
    /// Dependencies.
    pub edges: Vec<EdgeExport>,
    /// Barriers in order of execution.
    pub barriers: Vec<BarrierExport>,
    /// Decisions in the order in which they were made.
    pub decisions: Vec<DecisionExport>,
    /// Sums.
    pub counters: BTreeMap<String, u64>,
}

/// A node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeExport {
    /// Stable name.
    pub id: String,
    /// Draw, Dispatch, Copy …
    pub kind: String,
    /// Command order: `command.sub.ordinal`.
    pub seq: String,
    /// Place in the order of execution; absent = does not run.
    pub order: Option<u32>,
    /// Name that the game gave.
    pub label: String,
    /// Its pass, or empty.
    pub pass: String,
    /// Facts: skipped, inserted, folded, feedback …
    pub flags: Vec<String>,
    /// Who it touches. Draws in a row with the same targets share accesses; they stand at the first of them.
    pub accesses: Vec<AccessExport>,
    /// Rows of the decisions about it.
    pub decisions: Vec<u32>,
}

/// An access.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessExport {
    /// Resource.
    pub resource: String,
    /// Levels and layers, or bytes.
    pub part: String,
    /// Uses with stages.
    pub uses: String,
    /// Whether it writes.
    pub write: bool,
    /// Layout it needs.
    pub layout: String,
}

/// A pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassExport {
    /// Stable name.
    pub id: String,
    /// Place in the schedule.
    pub order: u32,
    /// Attachments with their operations: `color0 … load/store`.
    pub targets: Vec<TargetExport>,
    /// Width, height, layers.
    pub area: [u32; 3],
    /// Feedback, clears only …
    pub flags: Vec<String>,
    /// Number of nodes.
    pub nodes: u32,
    /// Rows of the decisions about it.
    pub decisions: Vec<u32>,
}

/// An attachment of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetExport {
    /// `color0` … `color7`, `depth`.
    pub slot: String,
    /// Resource.
    pub resource: String,
    /// load, clear, any.
    pub load: String,
    /// store, drop, keep.
    pub store: String,
}

/// A resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceExport {
    /// Stable name.
    pub id: String,
    /// Name for people.
    pub label: String,
    /// Bytes of storage.
    pub bytes: u64,
}

/// A dependency.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeExport {
    /// Comes first.
    pub from: String,
    /// Comes later.
    pub to: String,
    /// RAW, WAR, WAW or ORDER.
    pub hazard: String,
    /// Resource, or empty.
    pub resource: String,
}

/// A barrier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierExport {
    /// The pass or node that it precedes.
    pub before: String,
    /// Inside a pass.
    pub by_region: bool,
    /// What has to be finished.
    pub source: String,
    /// What waits.
    pub target: String,
    /// Layout changes.
    pub changes: Vec<String>,
}

/// A decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionExport {
    /// Rule.
    pub rule: String,
    /// What it is about: a stable name.
    pub subject: String,
    /// Changed, Skipped …
    pub verdict: String,
    /// The reason in words, with stable names.
    pub reason: String,
    /// What the reason quotes.
    pub evidence: Vec<String>,
}

impl FrameExport {
    /// Appends another part of the same frame.
    pub fn join(&mut self, mut part: Self) {
        let shift = self.decisions.len() as u32;
        for row in part.nodes.iter_mut().flat_map(|n| &mut n.decisions) {
            *row += shift;
        }
        for row in part.passes.iter_mut().flat_map(|p| &mut p.decisions) {
            *row += shift;
        }
        self.nodes.append(&mut part.nodes);
        self.passes.append(&mut part.passes);
        self.edges.append(&mut part.edges);
        self.barriers.append(&mut part.barriers);
        self.decisions.append(&mut part.decisions);
        for resource in part.resources {
            if !self.resources.iter().any(|r| r.id == resource.id) {
                self.resources.push(resource);
            }
        }
        for (name, value) in part.counters {
            *self.counters.entry(name).or_default() += value;
        }
    }

    /// The JSON text.
    ///
    /// # Errors
    /// Never for a frame that [`gather`] made; kept as the writer's own error.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is no export; the error names line and column.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The RON text: the same structure.
    ///
    /// # Errors
    /// Never for a frame that [`gather`] made; kept as the writer's own error.
    pub fn ron(&self) -> Result<String, ron::Error> {
        ron::ser::to_string_pretty(self, ron::ser::PrettyConfig::default())
    }

    /// A graph of passes and pass-level nodes for Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut graph = petgraph::graph::DiGraph::<&str, String>::new();
        let mut index = BTreeMap::new();
        let unit_of: BTreeMap<&str, &str> = self
            .nodes
            .iter()
            .map(|n| (n.id.as_str(), if n.pass.is_empty() { n.id.as_str() } else { n.pass.as_str() }))
            .collect();
        for node in self.nodes.iter().filter(|n| n.order.is_some()) {
            let unit = unit_of[node.id.as_str()];
            index.entry(unit).or_insert_with(|| graph.add_node(unit));
        }
        let mut joined: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for edge in &self.edges {
            if let (Some(from), Some(to)) = (unit_of.get(edge.from.as_str()), unit_of.get(edge.to.as_str()))
                && from != to
            {
                let hazards = joined.entry((from, to)).or_default();
                if !hazards.contains(&edge.hazard.as_str()) {
                    hazards.push(&edge.hazard);
                }
            }
        }
        for ((from, to), hazards) in joined {
            if let (Some(from), Some(to)) = (index.get(from), index.get(to)) {
                graph.add_edge(*from, *to, hazards.join(" "));
            }
        }
        let display = graph.map(|_, name| (*name).to_owned(), |_, hazards| hazards.clone());
        format!("{}", petgraph::dot::Dot::new(&display))
    }
}

/// Stable names of a part.
struct Names {
    resources: Vec<String>,
    passes: Vec<String>,
    prefix: String,
}

fn resource_names(world: &World) -> Vec<String> {
    let pool = world.resource::<ResourcePool>();
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    (0..pool.capacity() as u32)
        .map(|n| {
            let entity = pool.entity(ResourceId(n))?;
            let (storage, kind) = (world.get::<Storage>(entity)?, world.get::<ResourceKind>(entity)?);
            let PhysicalRange { pool, offset, .. } = storage.range;
            let place = if pool >= PhysicalRange::HOST { "host".to_owned() } else { format!("p{pool}+{offset:#x}") };
            let what = match kind {
                ResourceKind::Free => return None,
                ResourceKind::Buffer { size } => format!("buffer {size}"),
                ResourceKind::Swapchain { extent: [w, h] } => format!("window {w}x{h}"),
                ResourceKind::Image(desc) => {
                    let [w, h, d] = desc.extent;
                    let mut text = format!("{} {w}x{h}", desc.format.name());
                    if d > 1 {
                        text += &format!("x{d}");
                    }
                    if desc.layers > 1 {
                        text += &format!(" layers={}", desc.layers);
                    }
                    if desc.levels > 1 {
                        text += &format!(" levels={}", desc.levels);
                    }
                    text
                }
            };
            let name = format!("{place} {what}");
            let again = taken.entry(name.clone()).or_default();
            *again += 1;
            Some(if *again > 1 { format!("{name} ~{again}") } else { name })
        })
        .map(Option::unwrap_or_default)
        .collect()
}

impl Names {
    fn resource(&self, id: ResourceId) -> String {
        self.resources.get(id.index()).cloned().unwrap_or_else(|| "anything".to_owned())
    }

    fn pass(&self, id: PassId) -> String {
        self.passes.get(id.index()).cloned().unwrap_or_default()
    }

    fn node(&self, nodes: &Nodes, id: NodeId) -> String {
        let Some(seq) = nodes.seq.get(id.index()) else { return String::new() };
        let kind = format!("{:?}", nodes.kind[id.index()]).to_lowercase();
        let inserted = if seq.sub == 0 { String::new() } else { format!(".{:+}.{}", seq.sub, seq.ordinal) };
        format!("{}{kind} {}{inserted}", self.prefix, seq.command)
    }
}

fn part_words(part: &Part) -> String {
    match part {
        Part::Bytes(offset, length) => format!("bytes {offset}..{}", offset.saturating_add(*length)),
        Part::Any => "anything".to_owned(),
        Part::Image(part) => image_words(part),
    }
}

fn image_words(part: &Subresources) -> String {
    let run =
        |first: u32, count: u32| if count == 1 { first.to_string() } else { format!("{first}-{}", first + count - 1) };
    let mut text = format!(
        "level {} layer {}",
        run(part.base_level.into(), part.levels.into()),
        run(part.base_layer.into(), part.layers.into())
    );
    match part.aspects.0 {
        2 => text += " depth",
        4 => text += " stencil",
        _ => {}
    }
    text
}

fn flag_names(flags: u32) -> Vec<String> {
    [
        (node_flags::SKIPPED, "skipped"),
        (node_flags::INSERTED, "inserted"),
        (node_flags::FOLDED, "folded"),
        (node_flags::FEEDBACK, "feedback"),
        (node_flags::PASS_BREAK, "begins a pass"),
        (node_flags::ANY_ACCESS, "unknown access"),
        (node_flags::SELF_BARRIER, "self barrier"),
        (node_flags::CARRIED, "carried into a later pass"),
    ]
    .into_iter()
    .filter(|(bit, _)| flags & bit != 0)
    .map(|(_, name)| name.to_owned())
    .collect()
}

fn decision(names: &Names, nodes: &Nodes, draws: &crate::tables::Draws, row: &Decision) -> DecisionExport {
    let draw = |id: crate::ids::DrawId| draws.node.get(id.index()).map(|n| names.node(nodes, *n)).unwrap_or_default();
    let subject = match row.subject {
        Subject::Part => "part".to_owned(),
        Subject::Node(id) => names.node(nodes, id),
        Subject::Draw(id) => draw(id),
        Subject::Pass(id) => names.pass(id),
        Subject::Resource(id) => names.resource(id),
        Subject::Target(id, slot) => format!("{} target {slot}", draw(id)),
        Subject::Binding(row) => format!("binding {row}"),
    };
    let plain = row.words_with(|value| match value {
        Evidence::Node(id) => Some(names.node(nodes, *id)),
        Evidence::Pass(id) => Some(names.pass(*id)),
        Evidence::Resource(id) => Some(names.resource(*id)),
        _ => None,
    });
    let evidence = row
        .evidence
        .iter()
        .filter_map(|value| match value {
            Evidence::None => None,
            Evidence::Node(id) => Some(names.node(nodes, *id)),
            Evidence::Pass(id) => Some(names.pass(*id)),
            Evidence::Resource(id) => Some(names.resource(*id)),
            Evidence::Number(v) => Some(v.to_string()),
            Evidence::Bits(v) => Some(format!("{v:#x}")),
            Evidence::Text(v) => Some((*v).to_owned()),
            Evidence::Float(v) => Some(f32::from_bits(*v).to_string()),
            Evidence::Mask(v) => Some(format!("{v:#x}")),
        })
        .collect();
    DecisionExport {
        rule: row.rule.to_owned(),
        subject,
        verdict: format!("{:?}", row.verdict),
        reason: plain,
        evidence,
    }
}

/// Copies the current part of a World. `part` is its number in the frame: names of later parts' nodes and passes carry it.
///
/// The tables that `framegraph::world::init` inserts must be there.
#[must_use]
pub fn gather(world: &World, frame: u64, part: u32) -> FrameExport {
    let nodes = world.resource::<Nodes>();
    let accesses = world.resource::<Accesses>();
    let edges = world.resource::<Edges>();
    let plan = world.resource::<Plan>();
    let pool = world.resource::<PassPool>();
    let labels = world.resource::<Labels>();
    let prefix = if part == 0 { String::new() } else { format!("part {part}: ") };
    let mut names = Names { resources: resource_names(world), passes: Vec::new(), prefix };
    let mut repeats: BTreeMap<String, u32> = BTreeMap::new();
    for entity in pool.entities() {
        let targets = world.get::<PassTargets>(*entity).copied().unwrap_or_default();
        let mut slots: Vec<String> = targets.0.color.iter().flatten().map(|a| target_name(&names, a)).collect();
        slots.extend(targets.0.depth.iter().map(|a| target_name(&names, a)));
        let what = if slots.is_empty() { "no targets".to_owned() } else { slots.join(" + ") };
        let repeat = repeats.entry(what.clone()).or_default();
        names.passes.push(format!("{}pass {what} #{repeat}", names.prefix));
        *repeat += 1;
    }
    let decisions: Vec<DecisionExport> =
        world.resource::<Decisions>().rows().iter().map(|row| decision(&names, nodes, world.resource(), row)).collect();
    let mut about: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (n, row) in decisions.iter().enumerate() {
        about.entry(row.subject.split(" target ").next().unwrap_or_default()).or_default().push(n as u32);
    }
    let of = |id: &str| about.get(id).cloned().unwrap_or_default();

    let mut export = FrameExport { schema: SCHEMA, frame, ..FrameExport::default() };
    let mut used = vec![false; names.resources.len()];
    let mut ids: Vec<NodeId> = nodes.ids().collect();
    ids.sort_by_key(|id| (nodes.order[id.index()], nodes.seq[id.index()], *id));
    for id in ids {
        let n = id.index();
        let name = names.node(nodes, id);
        let seq = nodes.seq[n];
        let mut rows = Vec::new();
        for row in nodes.accesses[n].range().filter(|row| accesses.uses[*row] != 0) {
            if let Some(used) = used.get_mut(accesses.resource[row].index()) {
                *used = true;
            }
            rows.push(AccessExport {
                resource: names.resource(accesses.resource[row]),
                part: part_words(&accesses.part[row]),
                uses: use_words(accesses.uses[row], accesses.stages[row]),
                write: accesses.writes(row),
                layout: format!("{:?}", accesses.layout[row]),
            });
        }
        export.nodes.push(NodeExport {
            decisions: of(&name),
            id: name,
            kind: format!("{:?}", nodes.kind[n]),
            seq: format!("{}.{}.{}", seq.command, seq.sub, seq.ordinal),
            order: (nodes.order[n] != u32::MAX).then_some(nodes.order[n]),
            label: labels.rows.get(nodes.label[n] as usize).map(|l| l.to_string()).unwrap_or_default(),
            pass: names.pass(nodes.pass[n]),
            flags: flag_names(nodes.flags[n]),
            accesses: rows,
        });
    }
    for (n, entity) in pool.entities().iter().enumerate() {
        let id = PassId(n as u32);
        let flags = world.get::<PassFlags>(*entity).copied().unwrap_or_default();
        if !flags.has(PassFlags::LIVE) {
            continue;
        }
        let mut row = pass(world, &names, *entity, id);
        row.decisions = of(&row.id);
        row.nodes = nodes.pass.iter().filter(|p| **p == id).count() as u32;
        export.passes.push(row);
    }
    export.passes.sort_by_key(|p| p.order);
    for (n, used) in used.into_iter().enumerate() {
        let entity = pool_entity(world, n).filter(|_| used);
        let Some(entity) = entity else { continue };
        export.resources.push(ResourceExport {
            id: names.resources[n].clone(),
            label: world.get::<Label>(entity).map(|l| l.0.clone()).unwrap_or_default(),
            bytes: world.get::<Storage>(entity).map_or(0, |s| s.range.length),
        });
    }
    for n in 0..edges.len() {
        let resource = accesses.resource.get(edges.access[n] as usize);
        export.edges.push(EdgeExport {
            from: names.node(nodes, edges.from[n]),
            to: names.node(nodes, edges.to[n]),
            hazard: format!("{:?}", edges.hazard[n]).to_uppercase(),
            resource: resource.map(|id| names.resource(*id)).unwrap_or_default(),
        });
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let (row, by_region) = match step {
            Step::Barrier(row) => (*row, false),
            Step::SelfBarrier(row) => (*row, true),
            _ => continue,
        };
        let batch = plan.batches[row as usize];
        let first = batch.first_transition as usize;
        export.barriers.push(BarrierExport {
            before: match plan.steps.get(at + 1) {
                Some(Step::BeginPass(id)) => names.pass(*id),
                Some(Step::Node(id)) => names.node(nodes, *id),
                _ => String::new(),
            },
            by_region,
            source: use_words(batch.source_uses, batch.source_stages),
            target: use_words(batch.target_uses, batch.target_stages),
            changes: plan.transitions[first..first + batch.transitions as usize]
                .iter()
                .map(|t| format!("{} {}: {:?} to {:?}", names.resource(t.resource), image_words(&t.part), t.from, t.to))
                .collect(),
        });
    }
    export.decisions = decisions;
    let counters = [
        ("nodes", export.nodes.len()),
        ("nodes run", export.nodes.iter().filter(|n| n.order.is_some()).count()),
        ("passes", export.passes.len()),
        ("resources", export.resources.len()),
        ("accesses", accesses.len()),
        ("dependencies", export.edges.len()),
        ("barriers", export.barriers.len()),
        ("layout changes", plan.transitions.len()),
        ("decisions", export.decisions.len()),
        ("parts", 1),
    ];
    export.counters = counters.into_iter().map(|(name, n)| (name.to_owned(), n as u64)).collect();
    export
}

fn pool_entity(world: &World, n: usize) -> Option<bevy_ecs::prelude::Entity> {
    world.resource::<ResourcePool>().entity(ResourceId(n as u32))
}

fn target_name(names: &Names, attachment: &crate::state::Attachment) -> String {
    let part = attachment.view.part;
    let mut name = names.resource(attachment.view.resource);
    if part.base_level != 0 || part.base_layer != 0 {
        name += &format!(" ({})", image_words(&part));
    }
    name
}

fn pass(world: &World, names: &Names, entity: bevy_ecs::prelude::Entity, id: PassId) -> PassExport {
    let targets = world.get::<PassTargets>(entity).copied().unwrap_or_default();
    let ops = world.get::<PassOps>(entity).copied().unwrap_or_default();
    let area = world.get::<PassArea>(entity).copied().unwrap_or_default();
    let flags = world.get::<PassFlags>(entity).copied().unwrap_or_default();
    let target = |slot: String, attachment: &crate::state::Attachment, (load, store): (LoadOp, StoreOp)| TargetExport {
        slot,
        resource: target_name(names, attachment),
        load: match load {
            LoadOp::Load => "load",
            LoadOp::Clear(_) => "clear",
            LoadOp::DontCare => "any",
        }
        .to_owned(),
        store: match store {
            StoreOp::Store => "store",
            StoreOp::DontCare => "drop",
            StoreOp::None => "keep",
        }
        .to_owned(),
    };
    let mut rows: Vec<TargetExport> = Vec::new();
    for (slot, attachment) in targets.0.color.iter().enumerate() {
        rows.extend(attachment.as_ref().map(|a| target(format!("color{slot}"), a, ops.color[slot])));
    }
    rows.extend(targets.0.depth.as_ref().map(|a| target("depth".to_owned(), a, ops.depth)));
    let mut words = Vec::new();
    for (bit, name) in [(PassFlags::FEEDBACK, "feedback"), (PassFlags::CLEARS_ONLY, "clears only")] {
        if flags.has(bit) {
            words.push(name.to_owned());
        }
    }
    if ops.depth_read_only {
        words.push("depth read-only".to_owned());
    }
    PassExport {
        id: names.pass(id),
        order: world.get::<PassOrder>(entity).map_or(0, |o| o.order),
        targets: rows,
        area: [area.extent[0], area.extent[1], u32::from(area.layers)],
        flags: words,
        ..PassExport::default()
    }
}
