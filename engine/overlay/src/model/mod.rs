//! A plain snapshot of a frame: what the inspector shows, apart from the World it was taken from.
//!
//! The tables of a World describe one *part* and are gone with the next; a frame is all parts between two presents. A [`FrameView`] joins them: ids of nodes
//! and passes, which count from 0 in each part, become rows of one table each. Words are kept in one arena of text, so that a view which is filled again
//! allocates nothing once it has grown. Gathering costs a walk over the tables; nobody gathers while the inspector is closed.
//!
//! [`FrameView::begin`], then [`FrameView::add_part`] for each part after its Plan is made, then [`FrameView::finish`].

mod gather;
mod history;
mod words;

pub use history::{CounterHistory, HISTORY};
pub use words::{
    about_part, blend_words, call_words, count, depth_words, mask_words, raster_words, resource_kind_words, seconds,
    size_words, use_words, verdict_word,
};

use framegraph::decision::{Subject, Verdict};
use framegraph::ids::{NodeId, PassId, ResourceId, Rows, Seq};
use framegraph::pass::PassOps;
use framegraph::resource::{Layout, Part, ResourceFlags, ResourceKind, Storage};
use framegraph::rule::{Kind, Rule, Switches};
use framegraph::schedule::Phase;
use framegraph::state::{AttachmentSet, SamplerKey, StageSet, Subresources, Topology, ViewKey, WriteMask};
use framegraph::tables::{Binding, DrawCall, FeedbackPlan, Hazard, NodeKind};

/// No row.
pub const NONE: u32 = u32::MAX;

/// Words in a view's arena; see [`FrameView::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Text {
    start: u32,
    end: u32,
}

impl Text {
    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A part of the frame, and where its tables begin in the view's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartView {
    /// The executor's number of this part.
    pub serial: u64,
    /// Row of its node 0.
    pub first_node: u32,
    /// Row of its draw 0.
    pub first_draw: u32,
    /// Row of its pass 0.
    pub first_pass: u32,
    /// Its passes.
    pub passes: u32,
    /// Row of its binding 0.
    pub first_binding: u32,
    /// Row of its view 0.
    pub first_view: u32,
    /// Row of its sampler 0.
    pub first_sampler: u32,
}

/// A node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeView {
    /// Row of [`FrameView::parts`].
    pub part: u32,
    /// Id in its part.
    pub id: NodeId,
    /// Kind.
    pub kind: NodeKind,
    /// Command order.
    pub seq: Seq,
    /// Bits of [`framegraph::tables::node_flags`].
    pub flags: u32,
    /// Row of [`FrameView::passes`], or [`NONE`].
    pub pass: u32,
    /// Row of [`FrameView::units`], or [`NONE`] where the node does not run. A clear that became a load operation runs with its pass.
    pub unit: u32,
    /// Row of [`FrameView::draws`], or [`NONE`].
    pub draw: u32,
    /// The game's label.
    pub label: Text,
    /// What it does, for nodes other than draws.
    pub words: Text,
}

/// A draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawView {
    /// Row of [`FrameView::nodes`].
    pub node: u32,
    /// What is drawn; see [`call_words`].
    pub call: DrawCall,
    /// Topology.
    pub topology: Topology,
    /// Effective write masks.
    pub write_mask: WriteMask,
    /// Blending.
    pub blend: Text,
    /// Depth and stencil.
    pub depth: Text,
    /// Rasteriser.
    pub raster: Text,
    /// Viewport and scissor.
    pub viewport: Text,
    /// Attributes and streams.
    pub vertex: Text,
    /// Variant of each stage; 0 = stage absent.
    pub variants: [u32; 6],
    /// Row of the part's pipelines; [`NONE`] = none picked.
    pub pipeline: u32,
    /// Rows of [`FrameView::bindings`].
    pub bindings: Rows,
    /// Vertex buffers bound.
    pub vertex_buffers: u32,
}

/// A pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassView {
    /// Row of [`FrameView::parts`].
    pub part: u32,
    /// Id in its part.
    pub id: PassId,
    /// The game's label or the names of its attachments, with a repeat index where the frame has several of that name.
    pub name: Text,
    /// Width and height in texels.
    pub extent: [u32; 2],
    /// Layers rendered to.
    pub layers: u16,
    /// Attachments.
    pub targets: AttachmentSet,
    /// Load and store operations.
    pub ops: PassOps,
    /// Bits of [`framegraph::pass::PassFlags`].
    pub flags: u32,
    /// Rows of [`FrameView::members`].
    pub members: Rows,
    /// Draws among its members.
    pub draws: u32,
    /// Row of [`FrameView::units`], or [`NONE`] where it does not run (merged away).
    pub unit: u32,
    /// Bytes that its load operations read and its store operations write, from the sizes of its attachments.
    pub traffic: u64,
    /// Start and end on the GPU in nanoseconds, where known.
    pub gpu: Option<(u64, u64)>,
}

/// What runs as a whole, in order of execution: a pass, or a node outside passes. A column of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitView {
    /// Row of [`FrameView::passes`], or [`NONE`].
    pub pass: u32,
    /// Row of [`FrameView::nodes`], or [`NONE`] for a pass.
    pub node: u32,
    /// Name.
    pub name: Text,
    /// Barriers just before it and inside it: rows of [`FrameView::barriers`].
    pub barriers: Rows,
}

/// A barrier batch of the Plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierView {
    /// The unit that it precedes, or that holds it.
    pub unit: u32,
    /// Row of [`FrameView::nodes`]: the node inside a pass that it precedes (feedback), else [`NONE`].
    pub inside: u32,
    /// Bits of [`framegraph::tables::uses`] that must have finished, and stages of the shader uses.
    pub source: (u32, StageSet),
    /// Bits of uses that wait, and stages of the shader uses.
    pub target: (u32, StageSet),
    /// Rows of [`FrameView::transitions`].
    pub transitions: Rows,
}

/// A layout change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransitionView {
    /// Row of [`FrameView::barriers`].
    pub barrier: u32,
    /// The image.
    pub resource: ResourceId,
    /// Which part.
    pub part: Subresources,
    /// From.
    pub from: Layout,
    /// To.
    pub to: Layout,
}

/// A resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceView {
    /// Id.
    pub id: ResourceId,
    /// Name.
    pub name: Text,
    /// What it is.
    pub kind: ResourceKind,
    /// Which bytes.
    pub storage: Storage,
    /// Facts.
    pub flags: ResourceFlags,
    /// Cells of the grid: rows of [`FrameView::cells`].
    pub cells: Rows,
    /// First and last unit that touches it; `None` where no unit does.
    pub life: Option<(u32, u32)>,
    /// Last unit of this frame that writes it; [`NONE`] = not written in this frame, what it shows is older.
    pub last_writer: u32,
}

/// What a unit does to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellView {
    /// The resource.
    pub resource: ResourceId,
    /// Row of [`FrameView::units`].
    pub unit: u32,
    /// Bits of [`framegraph::tables::uses`].
    pub uses: u32,
    /// Stages of the shader uses.
    pub stages: StageSet,
}

/// An access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessView {
    /// First node that makes it: row of [`FrameView::nodes`].
    pub node: u32,
    /// Last node that makes it.
    pub last: u32,
    /// The resource; `NONE` with [`Part::Any`].
    pub resource: ResourceId,
    /// Which part of it.
    pub part: Part,
    /// Bits of [`framegraph::tables::uses`].
    pub uses: u32,
    /// Stages of the shader uses.
    pub stages: StageSet,
    /// Layout that it needs.
    pub layout: Layout,
}

/// A dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeView {
    /// Must come first: row of [`FrameView::nodes`].
    pub from: u32,
    /// Must come later.
    pub to: u32,
    /// Kind.
    pub hazard: Hazard,
    /// The resource, where an access caused it.
    pub resource: ResourceId,
}

/// A draw that reads an attachment of its own pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedbackView {
    /// Row of [`FrameView::nodes`].
    pub node: u32,
    /// The image.
    pub resource: ResourceId,
    /// Attachment slots, as bits; bit 8 = depth/stencil.
    pub slots: u16,
    /// Whether the draw writes what it reads.
    pub written: bool,
    /// How it is resolved.
    pub plan: FeedbackPlan,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionView {
    /// Row of [`FrameView::parts`].
    pub part: u32,
    /// Name of the rule.
    pub rule: &'static str,
    /// What was decided.
    pub verdict: Verdict,
    /// What it is about, as the part names it.
    pub subject: Subject,
    /// Node that it is about, or [`NONE`].
    pub node: u32,
    /// Pass that it is about, or that holds the node; [`NONE`] = none.
    pub pass: u32,
    /// Resource that it is about.
    pub resource: ResourceId,
    /// What it is about, in words.
    pub about: Text,
    /// The reason, as [`framegraph::decision::Decision::words`] gives it, with the names of resources that have one.
    pub words: Text,
}

/// A rule and its switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleView {
    /// Name.
    pub name: &'static str,
    /// Why it exists.
    pub kind: Kind,
    /// When it runs.
    pub phase: Phase,
    /// What happens when it is off.
    pub off_means: &'static str,
    /// Catalogue rows.
    pub rows: &'static [&'static str],
    /// Whether it is on.
    pub on: bool,
    /// Decisions of this frame that it made.
    pub decisions: u32,
}

/// A number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterView {
    /// Name.
    pub name: &'static str,
    /// Value.
    pub value: u64,
    /// What the value counts, for showing: bytes and nanoseconds are scaled.
    pub unit: CounterUnit,
    /// Largest value that is in order; above it the counter is shown in red (`catalogue/rendering-numbers.md` section 4).
    pub budget: Option<u64>,
}

/// What a counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CounterUnit {
    /// Things.
    #[default]
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    Nanoseconds,
}

/// A frame.
#[derive(Debug, Default)]
pub struct FrameView {
    /// Number of the frame, from 0.
    pub number: u64,
    arena: String,
    /// Parts.
    pub parts: Vec<PartView>,
    /// Nodes.
    pub nodes: Vec<NodeView>,
    /// Draws.
    pub draws: Vec<DrawView>,
    /// Bindings of draws and dispatches.
    pub bindings: Vec<Binding>,
    /// Views that bindings name.
    pub views: Vec<ViewKey>,
    /// Samplers that bindings name.
    pub samplers: Vec<SamplerKey>,
    /// Passes.
    pub passes: Vec<PassView>,
    /// Nodes by pass.
    pub members: Vec<u32>,
    /// What runs, in order.
    pub units: Vec<UnitView>,
    /// Barriers, in order.
    pub barriers: Vec<BarrierView>,
    /// Layout changes, in order.
    pub transitions: Vec<TransitionView>,
    /// Resources in use, by id.
    pub resources: Vec<ResourceView>,
    resource_rows: Vec<u32>,
    /// What each unit does to each resource, sorted by resource, then unit.
    pub cells: Vec<CellView>,
    /// Accesses.
    pub accesses: Vec<AccessView>,
    /// Dependencies.
    pub edges: Vec<EdgeView>,
    /// Feedback.
    pub feedback: Vec<FeedbackView>,
    /// Decisions, in the order in which they were made.
    pub decisions: Vec<DecisionView>,
    /// Rules.
    pub rules: Vec<RuleView>,
    /// Counters: the view's own, then those that were handed in.
    pub counters: Vec<CounterView>,
    scratch: gather::Scratch,
}

impl FrameView {
    /// An empty view.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The words that a [`Text`] of this view stands for.
    #[must_use]
    pub fn text(&self, text: Text) -> &str {
        self.arena.get(text.start as usize..text.end as usize).unwrap_or_default()
    }

    /// A resource's row.
    #[must_use]
    pub fn resource(&self, id: ResourceId) -> Option<&ResourceView> {
        let row = *self.resource_rows.get(id.index())?;
        self.resources.get(row as usize)
    }

    /// A resource's name; `any memory` for [`ResourceId::NONE`].
    #[must_use]
    pub fn resource_name(&self, id: ResourceId) -> &str {
        match self.resource(id) {
            Some(row) => self.text(row.name),
            None if id == ResourceId::NONE => "any memory",
            None => "a resource that is gone",
        }
    }

    /// The row of a node of a part.
    #[must_use]
    pub fn node_row(&self, part: u32, id: NodeId) -> u32 {
        self.row(part, id.0, |p| p.first_node, self.nodes.len())
    }

    /// The row of a pass of a part.
    #[must_use]
    pub fn pass_row(&self, part: u32, id: PassId) -> u32 {
        self.row(part, id.0, |p| p.first_pass, self.passes.len())
    }

    fn row(&self, part: u32, id: u32, first: impl Fn(&PartView) -> u32, len: usize) -> u32 {
        if id == NONE {
            return NONE;
        }
        let row = self.parts.get(part as usize).map_or(NONE, |p| first(p).saturating_add(id));
        if (row as usize) < len { row } else { NONE }
    }

    /// The member nodes of a pass.
    #[must_use]
    pub fn members_of(&self, pass: &PassView) -> &[u32] {
        self.members.get(pass.members.range()).unwrap_or_default()
    }

    /// The barriers of a unit.
    #[must_use]
    pub fn barriers_of(&self, unit: u32) -> &[BarrierView] {
        self.units.get(unit as usize).and_then(|u| self.barriers.get(u.barriers.range())).unwrap_or_default()
    }

    /// The cells of a resource, by unit.
    #[must_use]
    pub fn cells_of(&self, resource: &ResourceView) -> &[CellView] {
        self.cells.get(resource.cells.range()).unwrap_or_default()
    }

    /// The cell of a resource and a unit.
    #[must_use]
    pub fn cell(&self, resource: &ResourceView, unit: u32) -> Option<&CellView> {
        let cells = self.cells_of(resource);
        cells.binary_search_by_key(&unit, |c| c.unit).ok().map(|n| &cells[n])
    }

    /// The kind of the node that a unit outside passes is; `Draw` for a pass.
    #[must_use]
    pub fn unit_kind(&self, unit: &UnitView) -> NodeKind {
        self.nodes.get(unit.node as usize).map_or(NodeKind::Draw, |n| n.kind)
    }

    /// Words for a node: `draw 12`, `copy 3`; nodes of later parts say which part.
    pub fn node_name(&self, node: u32, into: &mut String) {
        use std::fmt::Write as _;
        let Some(row) = self.nodes.get(node as usize) else {
            into.push_str("no node");
            return;
        };
        let _ = write!(into, "{} {}", words::kind_word(row.kind), row.id.0);
        if row.part != 0 {
            let _ = write!(into, " of part {}", row.part);
        }
    }

    /// Sets the counters that the view cannot know (the executor's, the guest's). Call after [`FrameView::finish`]; names that are there already are set.
    pub fn set_counters(&mut self, counters: impl IntoIterator<Item = CounterView>) {
        for counter in counters {
            match self.counters.iter_mut().find(|c| c.name == counter.name) {
                Some(there) => *there = counter,
                None => self.counters.push(counter),
            }
        }
    }

    /// Sets what a pass took on the GPU: start and end in nanoseconds. A part that is not of this frame is ignored.
    pub fn set_gpu_time(&mut self, serial: u64, pass: PassId, start: u64, end: u64) {
        if let Some(part) = self.parts.iter().find(|p| p.serial == serial)
            && pass.0 < part.passes
            && let Some(row) = self.passes.get_mut((part.first_pass + pass.0) as usize)
        {
            row.gpu = Some((start, end));
        }
    }

    /// Time of all passes on the GPU, in nanoseconds.
    #[must_use]
    pub fn gpu_total(&self) -> u64 {
        self.passes.iter().filter_map(|p| p.gpu).map(|(start, end)| end.saturating_sub(start)).sum()
    }

    /// Sets the rules and their switches.
    pub fn set_rules<'a>(&mut self, rules: impl IntoIterator<Item = &'a Rule>, switches: &Switches) {
        self.rules.clear();
        for rule in rules {
            let decisions = self.decisions.iter().filter(|d| d.rule == rule.name).count() as u32;
            self.rules.push(RuleView {
                name: rule.name,
                kind: rule.kind,
                phase: rule.phase,
                off_means: rule.off_means,
                rows: rule.rows,
                on: switches.on(rule),
                decisions,
            });
        }
    }

    /// Decisions about a node, and about the pass as such: row numbers.
    pub fn decisions_about(&self, what: About) -> impl Iterator<Item = usize> + '_ {
        self.decisions.iter().enumerate().filter(move |(_, d)| what.covers(d)).map(|(n, _)| n)
    }

    fn arena_from(&mut self, start: usize) -> Text {
        Text { start: start as u32, end: self.arena.len() as u32 }
    }
}

/// A subject to list decisions of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum About {
    /// A node and what belongs to it (targets, bindings): row of [`FrameView::nodes`].
    Node(u32),
    /// A pass and everything in it: row of [`FrameView::passes`].
    Pass(u32),
    /// A pass as such.
    PassAlone(u32),
    /// A resource.
    Resource(ResourceId),
}

impl About {
    fn covers(self, decision: &DecisionView) -> bool {
        match self {
            Self::Node(row) => decision.node == row,
            Self::Pass(row) => decision.pass == row,
            Self::PassAlone(row) => decision.pass == row && decision.node == NONE,
            Self::Resource(id) => decision.resource == id,
        }
    }
}

#[cfg(test)]
mod tests;
