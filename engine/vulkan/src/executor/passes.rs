//! Barriers and render scopes.

use super::{Executor, Part};
use crate::convert;
use crate::error::ExecuteError;
use crate::features::Feature;
use crate::formats;
use crate::frames::TIMED_PASSES;
use crate::gpu::{AttachmentInfo, RenderingInfo};
use crate::hostile::Lines;
use crate::pipelines::PassFormats;
use crate::resources::ViewUse;
use crate::stream::{Dependency, ImageDependency};
use ash::vk;
use framegraph::ids::{PassId, ResourceId};
use framegraph::pass::{LoadOp, PassArea, PassOps, PassTargets, StoreOp};
use framegraph::plan::{Batch, Step};
use framegraph::resource::{Layout, Part as Piece};
use framegraph::state::{Aspects, Attachment, AttachmentSet, Format, Subresources};
use framegraph::tables::uses;
use smallvec::SmallVec;

/// The pass that is open.
#[derive(Clone, Copy)]
pub(crate) struct OpenPass {
    pub(crate) pass: PassId,
    /// Row of the executor's table of formats.
    pub(crate) formats: u32,
    pub(crate) area: [u32; 2],
    pub(crate) layers: u32,
    pub(crate) timed: Option<u32>,
    /// How the scope is begun again after a barrier that may not stand inside one.
    resume: RenderingInfo,
    /// What the hostile mode needs at the end.
    end: PassEnd,
}

/// What the hostile mode needs to know of a pass at its end.
#[derive(Clone, Copy)]
pub(crate) struct PassEnd {
    info: RenderingInfo,
    ops: PassOps,
    formats: [Format; 9],
    targets: AttachmentSet,
    /// Colour slots written, bit 8 = depth and stencil.
    pub(crate) wrote: u16,
}

/// Layouts in which an image may be a colour attachment; the first is its own.
const COLOR: [Layout; 3] = [Layout::Color, Layout::General, Layout::Feedback];
const DEPTH: [Layout; 3] = [Layout::Depth, Layout::General, Layout::Feedback];
const DEPTH_READ: [Layout; 4] = [Layout::DepthRead, Layout::Depth, Layout::General, Layout::Feedback];

fn load_op(op: LoadOp) -> vk::AttachmentLoadOp {
    match op {
        LoadOp::Load => vk::AttachmentLoadOp::LOAD,
        LoadOp::Clear(_) => vk::AttachmentLoadOp::CLEAR,
        LoadOp::DontCare => vk::AttachmentLoadOp::DONT_CARE,
    }
}

fn store_op(op: StoreOp) -> vk::AttachmentStoreOp {
    match op {
        StoreOp::Store => vk::AttachmentStoreOp::STORE,
        StoreOp::DontCare => vk::AttachmentStoreOp::DONT_CARE,
        StoreOp::None => vk::AttachmentStoreOp::NONE,
    }
}

fn color_value(op: LoadOp) -> vk::ClearValue {
    let words = if let LoadOp::Clear(words) = op { words } else { [0; 4] };
    vk::ClearValue { color: vk::ClearColorValue { uint32: words } }
}

fn depth_value(depth: LoadOp, stencil: LoadOp) -> vk::ClearValue {
    let d = if let LoadOp::Clear(words) = depth { f32::from_bits(words[0]) } else { 0.0 };
    let s = if let LoadOp::Clear(words) = stencil { words[1] } else { 0 };
    vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: d, stencil: s } }
}

impl Executor {
    /// One barrier command: the batch's memory barrier and its layout changes.
    pub(crate) fn barrier(&mut self, part: &Part<'_>, row: u32, in_pass: bool) -> Result<(), ExecuteError> {
        let Some(&batch) = part.plan.batches.get(row as usize) else {
            return Err(self.bad(format!("no batch {row}")));
        };
        if in_pass != self.open.is_some() {
            let what = if in_pass { "a barrier of a pass outside of one" } else { "a barrier inside a pass" };
            return Err(self.bad(what));
        }
        let scope = self.scope_of(&batch);
        let first = batch.first_transition as usize;
        let Some(transitions) = part.plan.transitions.get(first..first + batch.transitions as usize) else {
            return Err(self.bad(format!("batch {row} names transitions that are not there")));
        };
        if in_pass {
            if !transitions.is_empty() {
                return Err(self.bad("a layout change inside a pass"));
            }
            self.self_barrier(scope);
            return Ok(());
        }
        let fresh = self.line(Lines::FRESH);
        let mut images: SmallVec<[(ImageDependency, bool); 16]> = SmallVec::new();
        for t in transitions {
            let separate = self.gpu.device.features.has(Feature::SeparateDepthStencil);
            let held = self.resources.image(&mut self.gpu, part.world, t.resource, part.serial)?;
            let mut sub = t.part;
            if !separate && held.desc_aspects() == Aspects::DEPTH_STENCIL {
                sub.aspects = Aspects::DEPTH_STENCIL;
            }
            let is_3d = held.image.info.kind == vk::ImageType::TYPE_3D;
            // A 3D image changes layout as a whole: content of other slices must not be dropped by a transition that drops one slice.
            let covers = u32::from(held.cut(&sub).layers) == held.image.info.slices();
            let old = if is_3d && (t.from != Layout::Undefined || !covers) { held.layout(&sub) } else { t.from };
            let mut old = convert::layout(old);
            let mut own = scope;
            if fresh && old == vk::ImageLayout::UNDEFINED {
                self.poison_dropped(part, t)?;
                old = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
                own.src_stage |= vk::PipelineStageFlags2::ALL_TRANSFER;
                own.src_access |= vk::AccessFlags2::TRANSFER_WRITE;
            }
            let held = self.resources.image(&mut self.gpu, part.world, t.resource, part.serial)?;
            images.push((
                ImageDependency {
                    scope: own,
                    image: held.image.raw,
                    range: held.range(&sub, true),
                    old,
                    new: convert::layout(t.to),
                },
                is_3d,
            ));
            held.set_layout(&sub, t.to);
        }
        if !images.is_empty() {
            self.tracked.layouts_changed();
        }
        let has_scope = batch.source_uses != 0 || batch.target_uses != 0;
        self.gpu.barrier(has_scope.then_some(scope), &images, false);
        if self.hostile.is_some() {
            self.hostile_barrier(&batch);
        }
        Ok(())
    }

    /// A barrier inside a pass. Dynamic rendering allows it with local read; without, the scope ends before it and resumes behind it.
    fn self_barrier(&mut self, scope: Dependency) {
        if self.gpu.device.features.has(Feature::LocalRead) && !self.line(Lines::FEEDBACK) {
            self.gpu.barrier(Some(self_scope(scope)), &[], true);
            return;
        }
        let Some(open) = self.open else { return };
        self.gpu.end_rendering();
        // Between two scopes the attachments' own load and store must be ordered too.
        let attachments = vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT
            | vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS
            | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS;
        let writes = vk::AccessFlags2::COLOR_ATTACHMENT_WRITE | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let reads = vk::AccessFlags2::COLOR_ATTACHMENT_READ | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ;
        let scope = Dependency {
            src_stage: scope.src_stage | attachments,
            src_access: scope.src_access | writes,
            dst_stage: scope.dst_stage | attachments,
            dst_access: scope.dst_access | writes | reads,
        };
        self.gpu.barrier(Some(scope), &[], false);
        for n in 0..self.feedback.len() {
            self.refresh_feedback(self.feedback[n]);
        }
        self.gpu.begin_rendering(&open.resume);
    }

    /// Whether the pass that begins at the current step has a barrier inside that will break its scope.
    fn will_break(&self, part: &Part<'_>) -> bool {
        (!self.gpu.device.features.has(Feature::LocalRead) || self.line(Lines::FEEDBACK))
            && part.plan.steps[self.step..]
                .iter()
                .take_while(|s| !matches!(s, Step::EndPass(_)))
                .any(|s| matches!(s, Step::SelfBarrier(_)))
    }

    fn scope_of(&self, batch: &Batch) -> Dependency {
        let stages = self.gpu.device.stages;
        let (src_stage, src_access) = convert::scope(batch.source_uses, batch.source_stages, stages);
        let (dst_stage, dst_access) = convert::scope(batch.target_uses, batch.target_stages, stages);
        // Reads need no availability: naming only writes keeps the barrier small and says the same.
        let writes = vk::AccessFlags2::SHADER_STORAGE_WRITE
            | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE
            | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE
            | vk::AccessFlags2::TRANSFER_WRITE
            | vk::AccessFlags2::HOST_WRITE;
        Dependency { src_stage, src_access: src_access & writes, dst_stage, dst_access }
    }

    /// Begins rendering to a pass.
    pub(crate) fn begin_pass(&mut self, part: &Part<'_>, pass: PassId) -> Result<(), ExecuteError> {
        if self.open.is_some() {
            return Err(self.bad(format!("{pass:?} begins inside a pass")));
        }
        let entity = part.passes.entity(pass).ok_or(ExecuteError::NoPass { pass })?;
        let missing = ExecuteError::NoPass { pass };
        let (Some(targets), Some(area), Some(ops)) = (
            part.world.get::<PassTargets>(entity),
            part.world.get::<PassArea>(entity),
            part.world.get::<PassOps>(entity),
        ) else {
            return Err(missing);
        };
        let mut info = RenderingInfo { layers: u32::from(area.layers.max(1)), ..RenderingInfo::default() };
        let mut extent = area.extent;
        let mut seen = PassFormats::default();
        for (n, slot) in targets.0.color.iter().enumerate() {
            let Some(a) = slot else { continue };
            let (load, store) = ops.color[n];
            let (view, layout, format, samples) = self.attach(part, a, &COLOR, &mut extent)?;
            info.color[n] = Some(AttachmentInfo {
                view,
                layout,
                load: load_op(load),
                store: store_op(store),
                clear: color_value(load),
            });
            info.slots = n + 1;
            seen.color[n] = format;
            seen.samples = samples;
        }
        if let Some(a) = &targets.0.depth {
            let allowed: &[Layout] = if ops.depth_read_only { &DEPTH_READ } else { &DEPTH };
            let (view, layout, format, samples) = self.attach(part, a, allowed, &mut extent)?;
            seen.samples = samples;
            // A read-only attachment keeps its content; a store operation would count as a write of it.
            let store_of = |store| match layout {
                vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL => vk::AttachmentStoreOp::NONE,
                _ => store_op(store),
            };
            let aspects = self.resources.peek(a.view.resource).map_or(Aspects::NONE, |h| h.desc_aspects());
            let clear = depth_value(ops.depth.0, ops.stencil.0);
            if aspects.intersects(Aspects::DEPTH) {
                seen.depth = format;
                let (load, store) = ops.depth;
                info.depth = Some(AttachmentInfo { view, layout, load: load_op(load), store: store_of(store), clear });
            }
            if aspects.intersects(Aspects::STENCIL) {
                seen.stencil = format;
                let (load, store) = ops.stencil;
                info.stencil =
                    Some(AttachmentInfo { view, layout, load: load_op(load), store: store_of(store), clear });
            }
        }
        seen.slots = info.slots as u8;
        info.area = vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D { width: extent[0], height: extent[1] },
        };
        let formats = match self.formats.iter().position(|f| *f == seen) {
            Some(n) => n,
            None => {
                self.formats.push(seen);
                self.formats.len() - 1
            }
        };
        let mut names = [Format::Undefined; 9];
        let mut attached: SmallVec<[(ResourceId, Subresources); 9]> = SmallVec::new();
        if self.hostile.is_some() {
            let depth_writable = !ops.depth_read_only;
            for (n, a) in targets.0.color.iter().chain([&targets.0.depth]).enumerate() {
                let Some(a) = a else { continue };
                names[n] = self.resources.peek(a.view.resource).map_or(Format::Undefined, |h| h.desc.host_format);
                if n < 8 || depth_writable {
                    attached.push((a.view.resource, a.view.part));
                }
            }
            self.feedback = self.feedback_stand_ins(part, &attached)?;
        }
        let end = PassEnd { info, ops: *ops, formats: names, targets: targets.0, wrote: 0 };
        if self.line(Lines::LOAD_STORE) {
            for (n, name) in names[..8].iter().enumerate() {
                if let Some(a) = &mut info.color[n] {
                    Self::poison_load(a, ops.color[n].0, *name);
                }
            }
            for (a, load) in [(&mut info.depth, ops.depth.0), (&mut info.stencil, ops.stencil.0)] {
                if let Some(a) = a {
                    Self::poison_load(a, load, names[8]);
                }
            }
        }
        let mut resume = info;
        let breaks = self.will_break(part);
        let attached = info.color.iter_mut().chain([&mut info.depth, &mut info.stencil]).flatten();
        let again = resume.color.iter_mut().chain([&mut resume.depth, &mut resume.stencil]).flatten();
        for (first, later) in attached.zip(again) {
            later.load = vk::AttachmentLoadOp::LOAD;
            if breaks && first.store == vk::AttachmentStoreOp::DONT_CARE {
                first.store = vk::AttachmentStoreOp::STORE;
                later.store = vk::AttachmentStoreOp::STORE;
            }
        }
        let timed = self.start_timing(pass);
        self.gpu.mark(|| format!("{pass:?}"));
        self.gpu.begin_rendering(&info);
        self.tracked.pass_began();
        self.open =
            Some(OpenPass { pass, formats: formats as u32, area: extent, layers: info.layers, timed, resume, end });
        Ok(())
    }

    fn start_timing(&mut self, pass: PassId) -> Option<u32> {
        let frame = &mut self.frames[self.slot];
        let n = frame.timed.len() as u32;
        if !self.timestamps || frame.queries == vk::QueryPool::null() || n >= TIMED_PASSES {
            return None;
        }
        frame.timed.push(pass);
        let pool = frame.queries;
        self.gpu.timestamp(pool, n * 2);
        Some(n)
    }

    fn attach(
        &mut self,
        part: &Part<'_>,
        a: &Attachment,
        allowed: &[Layout],
        extent: &mut [u32; 2],
    ) -> Result<(vk::ImageView, vk::ImageLayout, vk::Format, vk::SampleCountFlags), ExecuteError> {
        let held = self.resources.image(&mut self.gpu, part.world, a.view.resource, part.serial)?;
        let view = held.view(&mut self.gpu, ViewUse::Attachment, &a.view)?;
        let layout = held.layout_for(&a.view.part, allowed);
        let level = held.image.info.level(u32::from(held.cut(&a.view.part).base_level));
        extent[0] = extent[0].min(level[0]);
        extent[1] = extent[1].min(level[1]);
        Ok((view, convert::layout(layout), held.view_format(a.view.format), held.image.info.samples))
    }

    /// Ends rendering.
    pub(crate) fn end_pass(&mut self, pass: PassId) -> Result<(), ExecuteError> {
        let Some(open) = self.open.take() else { return Err(self.bad(format!("{pass:?} ends, but none is open"))) };
        if open.pass != pass {
            return Err(self.bad(format!("{pass:?} ends, but {:?} is open", open.pass)));
        }
        self.gpu.end_rendering();
        if self.hostile.is_some() {
            self.hostile_end(&open);
        }
        if let Some(n) = open.timed {
            let pool = self.frames[self.slot].queries;
            self.gpu.timestamp(pool, n * 2 + 1);
        }
        Ok(())
    }

    fn hostile_end(&mut self, open: &OpenPass) {
        let end = &open.end;
        if self.line(Lines::LOAD_STORE) {
            self.poison_stores(&end.info, &end.ops, &end.formats, end.wrote);
        }
        if !self.feedback.is_empty() {
            self.feedback.clear();
            self.tracked.layouts_changed();
        }
        let Some(h) = self.hostile.as_mut().filter(|h| h.has(Lines::CACHES)) else { return };
        for a in end.targets.color.iter().flatten() {
            h.wrote(a.view.resource, Piece::Image(a.view.part), uses::COLOR_WRITE, 0);
        }
        if let Some(a) = end.targets.depth.as_ref().filter(|_| !end.ops.depth_read_only) {
            h.wrote(a.view.resource, Piece::Image(a.view.part), uses::DEPTH_WRITE, 0);
        }
    }

    /// Notes what a draw or a clear writes, for the hostile mode.
    pub(crate) fn note_written(&mut self, slots: u16) {
        if let Some(open) = &mut self.open {
            open.end.wrote |= slots;
        }
    }

    /// Format of a colour slot of the open pass, for clears.
    pub(crate) fn open_format(&self, slot: usize) -> Option<vk::Format> {
        let open = self.open.as_ref()?;
        let format = self.formats.get(open.formats as usize)?.color[slot];
        (format != formats::format(framegraph::state::Format::Undefined)).then_some(format)
    }
}

/// Inside a render scope only framebuffer-space stages may be named.
fn self_scope(d: Dependency) -> Dependency {
    use vk::PipelineStageFlags2 as S;
    const ALLOWED: S = S::from_raw(
        S::FRAGMENT_SHADER.as_raw()
            | S::EARLY_FRAGMENT_TESTS.as_raw()
            | S::LATE_FRAGMENT_TESTS.as_raw()
            | S::COLOR_ATTACHMENT_OUTPUT.as_raw(),
    );
    Dependency { src_stage: d.src_stage & ALLOWED, dst_stage: d.dst_stage & ALLOWED, ..d }
}
