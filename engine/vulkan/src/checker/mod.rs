//! The stream checker: proves of the emitted commands that hazards are ordered and made visible, layouts are right, attachments and descriptors are
//! accounted for.
//!
//! Its input is the [log](crate::stream) of what was handed to the driver, in Vulkan's terms; it shares no code with whoever planned the barriers, and
//! knows nothing of the graph. It follows the specification's model: an access is ordered behind an earlier one by a chain of execution dependencies, a
//! write must be made available and then visible to the stage and access that reads it, a layout change is a write between the two scopes of its barrier.
//!
//! It works under dynamic rendering, where Debian's validation layer (1.3.239) reports nothing. State is kept from call to call, across submissions.

mod cells;
mod masks;

use crate::stream::{
    Attached, Bytes, Dependency, Descriptor, Dynamic, Event, ImageDependency, PipelineBinding, PipelineFacts, Range,
    Side,
};
use ash::vk;
use ash::vk::Handle;
use cells::{Access, Buffers, Cell, Fault, ImageState};
use masks::Scopes;
use std::collections::HashMap;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A read of something whose last write is not visible to it.
    ReadNotVisible,
    /// A write that an earlier read may still be waiting for.
    WriteAfterRead,
    /// A write whose predecessor is not finished and available.
    WriteAfterWrite,
    /// A layout change that does not wait for the accesses before it.
    TransitionRace,
    /// A use in another layout than the subresource is in.
    WrongLayout,
    /// A layout change from another layout than the subresource is in.
    WrongOldLayout,
    /// A draw reads what it writes as an attachment, not through the feedback layout and a pipeline that says so.
    FeedbackWithoutLayout,
    /// A pipeline declares a binding that no bound set holds.
    UnwrittenDescriptor,
    /// A pipeline fetches a vertex binding or an index buffer that is not bound.
    UnboundBuffer,
    /// Something that was destroyed, or never made.
    DeadObject,
    /// Destroyed or rewritten while the GPU may use it.
    BusyObject,
    /// The pipeline's targets are not those of the scope.
    TargetMismatch,
    /// A command where it must not stand.
    Misplaced,
    /// The host touches memory that the GPU has not passed, or that was not made visible to it.
    HostRace,
}

/// One objection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// What is wrong.
    pub kind: Kind,
    /// Index of the event in the stream, counted over all calls.
    pub event: usize,
    /// The earlier event that it conflicts with.
    pub prior: Option<usize>,
    /// The last mark before the event: which pass it belongs to.
    pub mark: String,
    /// In words.
    pub what: String,
}

#[derive(Debug, Clone)]
struct View {
    image: vk::Image,
    format: vk::Format,
    range: Range,
}

#[derive(Debug, Default, Clone)]
struct Set {
    descriptors: HashMap<(u32, u32), Descriptor>,
    used: u64,
}

#[derive(Debug, Default, Clone)]
struct Point {
    pipeline: vk::Pipeline,
    sets: [vk::DescriptorSet; 8],
}

#[derive(Debug, Default, Clone)]
struct Scope {
    id: u32,
    color: Vec<Option<Attached>>,
    depth: Option<Attached>,
    stencil: Option<Attached>,
}

#[derive(Debug, Default, Clone)]
struct State {
    depth_test: bool,
    depth_write: bool,
    stencil_test: bool,
    stencil_writes: bool,
    color: Option<(u8, u8)>,
    vertex_bindings: Option<u32>,
}

/// The checker.
#[derive(Debug, Default, Clone)]
pub struct StreamChecker {
    images: HashMap<vk::Image, ImageState>,
    buffers: Buffers,
    views: HashMap<vk::ImageView, View>,
    sets: HashMap<vk::DescriptorSet, Set>,
    pipelines: HashMap<vk::Pipeline, PipelineFacts>,
    /// Commands of the submission in recording: they happen when it is submitted, or never.
    recorded: Vec<(usize, Event)>,
    recording: bool,
    event: usize,
    submission: u64,
    values: Vec<(u64, u64)>,
    completed: u64,
    scope: Option<Scope>,
    scopes: u32,
    graphics: Point,
    compute: Point,
    vertex: HashMap<u32, Bytes>,
    index: Option<Bytes>,
    state: State,
    mark: String,
    objections: Vec<Objection>,
}

const FEEDBACK: vk::ImageLayout = vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT;

impl StreamChecker {
    /// Looks at the next events of the stream and says what is wrong with them.
    pub fn check(&mut self, events: &[Event]) -> Vec<Objection> {
        for event in events {
            let n = self.event;
            self.event += 1;
            self.take(n, event);
        }
        std::mem::take(&mut self.objections)
    }

    /// Plants a fault: what a checker in this state says of the next events when there is one hazard more among them. `None` when there is no place for
    /// one. The checker itself stays as it is: no event has happened.
    ///
    /// Faults are a barrier command with a layout change that is missing, and a transfer that runs twice with nothing between; `n` picks one of all
    /// (counted around). Each is a hazard for certain. A missing barrier without a layout change need not be one: a planner may be cautious. Barriers with
    /// no command behind them are left alone too: only later events need them (a picture that is read back when somebody asks for it).
    #[must_use]
    pub fn plant(&self, events: &[Event], n: usize) -> Option<Vec<Objection>> {
        let works = |e: &Event| {
            matches!(
                e,
                Event::BeginRendering { .. } | Event::Draw { .. } | Event::Dispatch { .. } | Event::Transfer { .. }
            )
        };
        let last = events.iter().rposition(works)?;
        let fits = |e: &Event| match e {
            Event::Barrier { images, .. } => images.iter().any(|i| i.old != i.new),
            Event::Transfer { to, .. } => !to.is_empty(),
            _ => false,
        };
        let places: Vec<usize> = (0..=last).filter(|&at| fits(&events[at])).collect();
        let at = *places.get(n % places.len().max(1))?;
        let mut copy = self.clone();
        let mut found = copy.check(&events[..at]);
        // A barrier is left out, a transfer runs again.
        let again = usize::from(matches!(events[at], Event::Barrier { .. }));
        if again == 0 {
            found.extend(copy.check(&events[at..=at]));
        }
        found.extend(copy.check(&events[at + again..]));
        Some(found)
    }

    fn object(&mut self, kind: Kind, event: usize, prior: Option<usize>, what: String) {
        self.objections.push(Objection { kind, event, prior, mark: self.mark.clone(), what });
    }

    fn take(&mut self, n: usize, event: &Event) {
        match event {
            Event::ImageCreated { image, format: _, aspects, levels, layers } => {
                self.images.insert(*image, ImageState::new(*aspects, *levels, *layers));
            }
            Event::ImageDestroyed(image) => {
                if let Some(state) = self.images.remove(image)
                    && state.cells().any(|c| c.busy_since(self.completed))
                {
                    self.object(Kind::BusyObject, n, None, format!("{image:?} is destroyed while the GPU may use it"));
                }
            }
            Event::BufferCreated { buffer, size } => self.buffers.insert(*buffer, *size),
            Event::BufferAliased { alias, bytes } => self.buffers.alias(*alias, *bytes),
            Event::BufferDestroyed(buffer) => {
                if self.buffers.remove(*buffer).is_some_and(|busy| busy > self.completed) {
                    self.object(Kind::BusyObject, n, None, format!("{buffer:?} is destroyed while the GPU may use it"));
                }
            }
            Event::ViewCreated { view, image, format, range } => {
                self.views.insert(*view, View { image: *image, format: *format, range: *range });
            }
            Event::ViewDestroyed(view) => {
                self.views.remove(view);
            }
            Event::PipelineCreated { pipeline, facts } => {
                self.pipelines.insert(*pipeline, (**facts).clone());
            }
            Event::DescriptorWritten { set, binding, element, descriptor } => {
                let completed = self.completed;
                let entry = self.sets.entry(*set).or_default();
                let busy = entry.used > completed;
                entry.descriptors.insert((*binding, *element), *descriptor);
                if busy {
                    self.object(Kind::BusyObject, n, None, format!("{set:?} is written while the GPU may read it"));
                }
            }
            Event::SetsReset(sets) => {
                for set in sets {
                    if self.sets.remove(set).is_some_and(|s| s.used > self.completed) {
                        self.object(Kind::BusyObject, n, None, format!("{set:?} is freed while the GPU may read it"));
                    }
                }
            }
            Event::HostWrite(bytes) => self.host_write(n, bytes),
            Event::HostRead(bytes) => self.host_read(n, bytes),
            Event::Begin => {
                // What was recorded and never submitted has not happened.
                self.recorded.clear();
                self.recording = true;
            }
            Event::Submit { value } => {
                self.submission += 1;
                self.values.push((*value, self.submission));
                self.graphics = Point::default();
                self.compute = Point::default();
                self.vertex.clear();
                self.index = None;
                self.state = State::default();
                self.scope = None;
                for (at, event) in std::mem::take(&mut self.recorded) {
                    self.command(at, &event);
                }
                if self.scope.is_some() {
                    self.object(Kind::Misplaced, n, None, "a submission inside a render scope".to_owned());
                }
                self.recording = false;
                self.buffers.merge();
            }
            Event::Waited { value } => {
                let done = self.values.iter().filter(|(v, _)| v <= value).map(|(_, s)| *s).max().unwrap_or(0);
                self.completed = self.completed.max(done);
                self.values.retain(|(v, _)| v > value);
                let completed = self.completed;
                self.each_cell(|cell| cell.complete(completed));
            }
            _ if self.recording => self.recorded.push((n, event.clone())),
            _ => self.object(Kind::Misplaced, n, None, format!("outside a command buffer: {event:?}")),
        }
    }

    fn each_cell(&mut self, mut f: impl FnMut(&mut Cell)) {
        self.images.values_mut().flat_map(ImageState::cells_mut).for_each(&mut f);
        self.buffers.cells_mut().for_each(&mut f);
    }

    fn host_write(&mut self, n: usize, bytes: &Bytes) {
        let completed = self.completed;
        let mut busy = false;
        let known = self.buffers.touch(bytes, |cell| {
            busy |= cell.busy_since(completed);
            // The submission that follows makes it visible to everything.
            *cell = Cell::default();
        });
        if busy {
            self.object(Kind::HostRace, n, None, format!("the host writes {bytes:?}, which the GPU may use"));
        }
        if !known {
            self.object(Kind::DeadObject, n, None, format!("the host writes {bytes:?}"));
        }
    }

    fn host_read(&mut self, n: usize, bytes: &Bytes) {
        let completed = self.completed;
        let mut faults = Vec::new();
        let known = self.buffers.touch(bytes, |cell| {
            if let Some(prior) = cell.host_read_fault(completed) {
                faults.push(prior);
            }
        });
        if let Some(prior) = faults.first() {
            let what = format!("the host reads {bytes:?}, which was not waited for or not made visible to it");
            self.object(Kind::HostRace, n, Some(*prior), what);
        }
        if !known {
            self.object(Kind::DeadObject, n, None, format!("the host reads {bytes:?}"));
        }
    }

    fn command(&mut self, n: usize, event: &Event) {
        match event {
            Event::Mark(text) => self.mark.clone_from(text),
            Event::Barrier { memory, images, by_region } => self.barrier(n, memory.as_ref(), images, *by_region),
            Event::BeginRendering { color, depth, stencil, .. } => {
                if self.scope.is_some() {
                    self.object(Kind::Misplaced, n, None, "a render scope inside another".to_owned());
                }
                self.scopes += 1;
                self.scope = Some(Scope { id: self.scopes, color: color.clone(), depth: *depth, stencil: *stencil });
                self.scope_edge(n, true);
            }
            Event::EndRendering => {
                if self.scope.is_none() {
                    self.object(Kind::Misplaced, n, None, "the end of no render scope".to_owned());
                }
                self.scope_edge(n, false);
                self.scope = None;
            }
            Event::BindPipeline { pipeline, compute } => {
                if !self.pipelines.contains_key(pipeline) {
                    self.object(Kind::DeadObject, n, None, format!("{pipeline:?} is bound"));
                }
                self.point(*compute).pipeline = *pipeline;
            }
            Event::BindSets { compute, first, sets } => {
                for (k, set) in sets.iter().enumerate() {
                    if let Some(place) = self.point(*compute).sets.get_mut(*first as usize + k) {
                        *place = *set;
                    }
                }
            }
            Event::BindVertex { binding, bytes } => {
                self.vertex.insert(*binding, *bytes);
            }
            Event::BindIndex(bytes) => self.index = Some(*bytes),
            Event::Dynamic(state) => match *state {
                Dynamic::DepthTest(on) => self.state.depth_test = on,
                Dynamic::DepthWrite(on) => self.state.depth_write = on,
                Dynamic::Stencil { test, writes } => {
                    self.state.stencil_test = test;
                    self.state.stencil_writes = writes;
                }
                Dynamic::Color { writes, reads } => self.state.color = Some((writes, reads)),
                Dynamic::VertexBindings(bits) => self.state.vertex_bindings = Some(bits),
            },
            Event::Draw { indexed, indirect } => self.draw(n, *indexed, indirect),
            Event::Dispatch { indirect } => {
                if self.scope.is_some() {
                    self.object(Kind::Misplaced, n, None, "a dispatch inside a render scope".to_owned());
                }
                if let Some(bytes) = indirect {
                    self.buffer_access(n, bytes, indirect_read());
                }
                self.shaders(n, true, &[]);
            }
            Event::Transfer { stage, from, to } => {
                if self.scope.is_some() {
                    self.object(Kind::Misplaced, n, None, "a transfer inside a render scope".to_owned());
                }
                let read = Access::read(*stage, vk::AccessFlags2::TRANSFER_READ);
                let write = Access::write(*stage, vk::AccessFlags2::TRANSFER_WRITE);
                for side in from {
                    self.side(n, side, read);
                }
                for side in to {
                    self.side(n, side, write);
                }
            }
            Event::ClearAttachments { color, aspects } => self.clear_attachments(n, *color, *aspects),
            _ => {}
        }
    }

    fn point(&mut self, compute: bool) -> &mut Point {
        if compute { &mut self.compute } else { &mut self.graphics }
    }

    fn barrier(&mut self, n: usize, memory: Option<&Dependency>, images: &[ImageDependency], by_region: bool) {
        if self.scope.is_some() {
            if !images.is_empty() {
                self.object(Kind::Misplaced, n, None, "an image barrier inside a render scope".to_owned());
            }
            if !by_region {
                self.object(Kind::Misplaced, n, None, "a barrier inside a render scope, not by region".to_owned());
            }
        }
        // Layout changes first: the accesses before the command are what they must wait for, and the memory barrier's target scope does not include them.
        let mut changed: Vec<(vk::Image, Range)> = Vec::new();
        for image in images {
            let scopes = Scopes::of(&image.scope);
            let (old, new, submission) = (image.old, image.new, self.submission);
            let Some(state) = self.images.get_mut(&image.image) else {
                self.object(Kind::DeadObject, n, None, format!("a barrier names {:?}", image.image));
                continue;
            };
            let mut faults: Vec<(Kind, Option<usize>, String)> = Vec::new();
            state.touch(&image.range, |cell, at| {
                if old == new {
                    if cell.layout != old && old != vk::ImageLayout::UNDEFINED {
                        faults.push((Kind::WrongOldLayout, None, format!("{at}: in {:?}, not {old:?}", cell.layout)));
                    }
                    cell.barrier(&scopes);
                    return;
                }
                if old != vk::ImageLayout::UNDEFINED && cell.layout != old {
                    faults.push((Kind::WrongOldLayout, None, format!("{at}: in {:?}, not {old:?}", cell.layout)));
                }
                if let Some(prior) = cell.transition(&scopes, n, submission) {
                    let what = format!("{at}: {old:?} to {new:?} does not wait for the access before it");
                    faults.push((Kind::TransitionRace, Some(prior), what));
                }
                cell.layout = new;
            });
            if old != new {
                changed.push((image.image, image.range));
            }
            if let Some((kind, prior, what)) = faults.into_iter().next() {
                self.object(kind, n, prior, format!("{:?} {what}", image.image));
            }
        }
        if let Some(memory) = memory {
            let scopes = Scopes::of(memory);
            self.each_cell(|cell| {
                // A change of this very command happens between its scopes: it is no access before it.
                if !cell.written_at(n) {
                    cell.barrier(&scopes);
                }
            });
        }
    }

    fn image_access(&mut self, n: usize, image: vk::Image, range: &Range, layout: vk::ImageLayout, access: Access) {
        let access = access.in_scope(self.scope.as_ref().map_or(0, |s| s.id));
        let in_scope = self.scope.as_ref().map(|s| s.id);
        let submission = self.submission;
        let Some(state) = self.images.get_mut(&image) else {
            self.object(Kind::DeadObject, n, None, format!("{image:?} is used"));
            return;
        };
        let mut faults: Vec<(Kind, Option<usize>, String)> = Vec::new();
        state.touch(range, |cell, at| {
            if cell.layout != layout {
                faults.push((Kind::WrongLayout, None, format!("{at}: used in {layout:?}, is in {:?}", cell.layout)));
            }
            if let Some((fault, prior)) = cell.access(access, n, submission, in_scope) {
                faults.push((fault.kind(), Some(prior), format!("{at}: {}", access.words())));
            }
        });
        for (kind, prior, what) in faults.into_iter().take(2) {
            self.object(kind, n, prior, format!("{image:?} {what}"));
        }
    }

    fn buffer_access(&mut self, n: usize, bytes: &Bytes, access: Access) {
        if bytes.length == 0 {
            return;
        }
        let in_scope = self.scope.as_ref().map(|s| s.id);
        let submission = self.submission;
        let mut fault = None;
        let known = self.buffers.touch(bytes, |cell| {
            if let Some(found) = cell.access(access, n, submission, in_scope) {
                fault.get_or_insert(found);
            }
        });
        if let Some((found, prior)) = fault {
            let what = format!(
                "{:?} bytes {}..{}: {}",
                bytes.buffer,
                bytes.offset,
                bytes.offset + bytes.length,
                access.words()
            );
            self.object(found.kind(), n, Some(prior), what);
        }
        if !known {
            self.object(Kind::DeadObject, n, None, format!("{bytes:?} is used"));
        }
    }

    fn side(&mut self, n: usize, side: &Side, access: Access) {
        match side {
            Side::Bytes(bytes) => self.buffer_access(n, bytes, access),
            Side::Image { image, range, layout } => self.image_access(n, *image, range, *layout, access),
        }
    }

    /// Load or store operations of the open scope.
    fn scope_edge(&mut self, n: usize, begin: bool) {
        let Some(scope) = self.scope.clone() else { return };
        let all = scope
            .color
            .iter()
            .flatten()
            .map(|a| (a, vk::ImageAspectFlags::COLOR))
            .chain(scope.depth.iter().map(|a| (a, vk::ImageAspectFlags::DEPTH)))
            .chain(scope.stencil.iter().map(|a| (a, vk::ImageAspectFlags::STENCIL)));
        for (a, aspect) in all {
            let access = match (begin, a.load, a.store) {
                (true, vk::AttachmentLoadOp::LOAD, _) => attachment(aspect, false),
                (true, _, _) => attachment(aspect, true),
                (false, _, vk::AttachmentStoreOp::NONE) => continue,
                (false, _, _) => attachment(aspect, true),
            };
            self.attachment_access(n, a, aspect, access);
        }
    }

    fn attachment_access(&mut self, n: usize, a: &Attached, aspect: vk::ImageAspectFlags, access: Access) {
        let Some(view) = self.views.get(&a.view).cloned() else {
            self.object(Kind::DeadObject, n, None, format!("{:?} is attached", a.view));
            return;
        };
        let range = Range { aspects: aspect, ..view.range };
        self.image_access(n, view.image, &range, a.layout, access);
    }

    fn clear_attachments(&mut self, n: usize, color: u8, aspects: vk::ImageAspectFlags) {
        let Some(scope) = self.scope.clone() else {
            self.object(Kind::Misplaced, n, None, "an attachment clear outside a render scope".to_owned());
            return;
        };
        for (slot, a) in scope.color.iter().enumerate() {
            if let Some(a) = a.as_ref().filter(|_| color >> slot & 1 == 1) {
                self.attachment_access(
                    n,
                    a,
                    vk::ImageAspectFlags::COLOR,
                    attachment(vk::ImageAspectFlags::COLOR, true),
                );
            }
        }
        for (a, aspect) in
            [(&scope.depth, vk::ImageAspectFlags::DEPTH), (&scope.stencil, vk::ImageAspectFlags::STENCIL)]
        {
            if let Some(a) = a.as_ref().filter(|_| aspects.contains(aspect)) {
                self.attachment_access(n, a, aspect, attachment(aspect, true));
            }
        }
    }

    fn draw(&mut self, n: usize, indexed: bool, indirect: &[Bytes]) {
        let Some(scope) = self.scope.clone() else {
            self.object(Kind::Misplaced, n, None, "a draw outside a render scope".to_owned());
            return;
        };
        let Some(facts) = self.pipelines.get(&self.graphics.pipeline).cloned() else {
            self.object(Kind::DeadObject, n, None, "a draw without a pipeline".to_owned());
            return;
        };
        self.targets(n, &scope, &facts);
        for bytes in indirect {
            self.buffer_access(n, bytes, indirect_read());
        }
        if indexed {
            match self.index {
                Some(bytes) => {
                    let access = Access::read(vk::PipelineStageFlags2::INDEX_INPUT, vk::AccessFlags2::INDEX_READ);
                    self.buffer_access(n, &bytes, access);
                }
                None => self.object(Kind::UnboundBuffer, n, None, "an indexed draw without indices".to_owned()),
            }
        }
        let bindings = self.state.vertex_bindings.unwrap_or(facts.vertex_bindings);
        for binding in (0..32).filter(|b| bindings >> b & 1 == 1) {
            match self.vertex.get(&binding).copied() {
                Some(bytes) => {
                    let access = Access::read(
                        vk::PipelineStageFlags2::VERTEX_ATTRIBUTE_INPUT,
                        vk::AccessFlags2::VERTEX_ATTRIBUTE_READ,
                    );
                    self.buffer_access(n, &bytes, access);
                }
                None => self.object(Kind::UnboundBuffer, n, None, format!("vertex binding {binding} is not bound")),
            }
        }
        // What the draw writes as an attachment, for the feedback check.
        let (writes, reads) = self.state.color.unwrap_or((facts.color_writes, facts.color_reads));
        let mut written: Vec<(Attached, vk::ImageAspectFlags)> = Vec::new();
        for (slot, a) in scope.color.iter().enumerate() {
            if let Some(a) = a.as_ref().filter(|_| writes >> slot & 1 == 1) {
                written.push((*a, vk::ImageAspectFlags::COLOR));
            }
        }
        if let Some(a) = scope.depth.filter(|_| self.state.depth_write) {
            written.push((a, vk::ImageAspectFlags::DEPTH));
        }
        if let Some(a) = scope.stencil.filter(|_| self.state.stencil_writes) {
            written.push((a, vk::ImageAspectFlags::STENCIL));
        }
        self.shaders(n, false, &written);
        for (slot, a) in scope.color.iter().enumerate() {
            if let Some(a) = a.as_ref().filter(|_| reads >> slot & 1 == 1) {
                let aspect = vk::ImageAspectFlags::COLOR;
                self.attachment_access(n, a, aspect, attachment(aspect, false));
            }
        }
        if let Some(a) = scope.depth.filter(|_| self.state.depth_test) {
            let aspect = vk::ImageAspectFlags::DEPTH;
            self.attachment_access(n, &a, aspect, attachment(aspect, false));
        }
        if let Some(a) = scope.stencil.filter(|_| self.state.stencil_test) {
            let aspect = vk::ImageAspectFlags::STENCIL;
            self.attachment_access(n, &a, aspect, attachment(aspect, false));
        }
        for (a, aspect) in written {
            if a.layout == vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL {
                self.object(Kind::WrongLayout, n, None, "a draw writes a read-only depth attachment".to_owned());
            }
            self.attachment_access(n, &a, aspect, attachment(aspect, true));
        }
    }

    /// The pipeline's targets against the scope's.
    fn targets(&mut self, n: usize, scope: &Scope, facts: &PipelineFacts) {
        let format = |a: &Option<Attached>| {
            a.as_ref().and_then(|a| self.views.get(&a.view)).map_or(vk::Format::UNDEFINED, |v| v.format)
        };
        let have: Vec<vk::Format> = scope.color.iter().map(format).collect();
        let depth = match format(&scope.depth) {
            vk::Format::UNDEFINED => format(&scope.stencil),
            depth => depth,
        };
        let color_ok = have.len() == facts.color.len()
            && have.iter().zip(&facts.color).all(|(a, b)| a == b || *a == vk::Format::UNDEFINED);
        if !color_ok || (depth != facts.depth && depth != vk::Format::UNDEFINED) {
            let what = format!(
                "the pipeline renders to {:?} and {:?}, the scope has {have:?} and {depth:?}",
                facts.color, facts.depth
            );
            self.object(Kind::TargetMismatch, n, None, what);
        }
    }

    /// Accesses of the bound pipeline's shaders through its descriptors: reads, then writes.
    fn shaders(&mut self, n: usize, compute: bool, written: &[(Attached, vk::ImageAspectFlags)]) {
        let point = self.point(compute).clone();
        let Some(facts) = self.pipelines.get(&point.pipeline).cloned() else {
            self.object(Kind::DeadObject, n, None, "no pipeline is bound".to_owned());
            return;
        };
        for writing in [false, true] {
            for binding in &facts.bindings {
                let stages = if writing { binding.writes } else { binding.reads };
                if stages.is_empty() {
                    continue;
                }
                for element in 0..binding.count {
                    self.binding(n, &point, binding, element, stages, writing, written, &facts);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // The context of one descriptor.
    fn binding(
        &mut self,
        n: usize,
        point: &Point,
        binding: &PipelineBinding,
        element: u32,
        stages: vk::PipelineStageFlags2,
        writing: bool,
        written: &[(Attached, vk::ImageAspectFlags)],
        facts: &PipelineFacts,
    ) {
        let handle = point.sets.get(binding.set as usize).copied().unwrap_or_default();
        let submission = self.submission;
        let descriptor = self.sets.get_mut(&handle).and_then(|set| {
            set.used = submission;
            set.descriptors.get(&(binding.binding, element)).copied()
        });
        let Some(descriptor) = descriptor else {
            let what = format!(
                "set {} binding {}[{element}] is declared, but {} holds nothing there",
                binding.set,
                binding.binding,
                if handle.is_null() { "no set".to_owned() } else { format!("{handle:?}") }
            );
            self.object(Kind::UnwrittenDescriptor, n, None, what);
            return;
        };
        let access = match (binding.kind, writing) {
            (_, true) => Access::write(stages, vk::AccessFlags2::SHADER_STORAGE_WRITE).shader(),
            (vk::DescriptorType::UNIFORM_BUFFER, _) => Access::read(stages, vk::AccessFlags2::UNIFORM_READ),
            (vk::DescriptorType::STORAGE_BUFFER | vk::DescriptorType::STORAGE_IMAGE, _)
            | (vk::DescriptorType::STORAGE_TEXEL_BUFFER, _) => {
                Access::read(stages, vk::AccessFlags2::SHADER_STORAGE_READ).shader()
            }
            _ => Access::read(stages, vk::AccessFlags2::SHADER_SAMPLED_READ),
        };
        match descriptor {
            Descriptor::Null => {}
            Descriptor::Buffer { buffer, offset, range } | Descriptor::Texels { buffer, offset, range } => {
                self.buffer_access(n, &Bytes { buffer, offset, length: range }, access);
            }
            Descriptor::Image { view, layout } => {
                let Some(view) = self.views.get(&view).cloned() else {
                    self.object(Kind::DeadObject, n, None, format!("{view:?} is in a bound set"));
                    return;
                };
                for (a, aspect) in written {
                    let Some(target) = self.views.get(&a.view) else { continue };
                    let same = target.image == view.image
                        && view.range.aspects.intersects(*aspect)
                        && overlaps(&target.range, &view.range);
                    let allowed = layout == FEEDBACK && facts.feedback.intersects(*aspect);
                    if same && !allowed {
                        let what = format!(
                            "{:?} is read through set {} binding {} and written as an attachment by the same draw",
                            view.image, binding.set, binding.binding
                        );
                        self.object(Kind::FeedbackWithoutLayout, n, None, what);
                    }
                }
                self.image_access(n, view.image, &view.range, layout, access);
            }
        }
    }
}

impl Fault {
    fn kind(self) -> Kind {
        match self {
            Self::ReadNotVisible => Kind::ReadNotVisible,
            Self::WriteAfterRead => Kind::WriteAfterRead,
            Self::WriteAfterWrite => Kind::WriteAfterWrite,
        }
    }
}

fn overlaps(a: &Range, b: &Range) -> bool {
    a.level < b.level + b.levels
        && b.level < a.level + a.levels
        && a.layer < b.layer + b.layers
        && b.layer < a.layer + a.layers
}

fn indirect_read() -> Access {
    Access::read(vk::PipelineStageFlags2::DRAW_INDIRECT, vk::AccessFlags2::INDIRECT_COMMAND_READ)
}

/// An access of an attachment: ordered with the others of its scope by rasterisation order.
fn attachment(aspect: vk::ImageAspectFlags, write: bool) -> Access {
    use vk::AccessFlags2 as A;
    use vk::PipelineStageFlags2 as S;
    let access = if aspect == vk::ImageAspectFlags::COLOR {
        let stage = S::COLOR_ATTACHMENT_OUTPUT;
        if write {
            Access::write(stage, A::COLOR_ATTACHMENT_WRITE)
        } else {
            Access::read(stage, A::COLOR_ATTACHMENT_READ)
        }
    } else {
        let stage = S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS;
        if write {
            Access::write(stage, A::DEPTH_STENCIL_ATTACHMENT_WRITE)
        } else {
            Access::read(stage, A::DEPTH_STENCIL_ATTACHMENT_READ)
        }
    };
    access.attachment()
}
