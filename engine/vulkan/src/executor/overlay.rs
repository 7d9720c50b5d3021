//! Drawing over the presented picture: the inspector records its own commands, the executor gives it a target, looks at the game's images, and a submission.

use super::Executor;
use super::present::{Presenter, change, plain, whole};
use crate::convert;
use crate::error::ExecuteError;
use crate::features::Feature;
use crate::resources::ViewUse;
use crate::stream::{Dependency, ImageDependency, Range};
use ash::vk;
use framegraph::ids::ResourceId;
use framegraph::resource::Layout;
use framegraph::state::{Aspects, Dim, Format, NumericClass, Subresources, Swizzle, ViewKey};
use smallvec::SmallVec;

/// Format of the picture that an overlay draws on.
pub const OVERLAY_FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Where an overlay draws: the presented picture, in the layout of colour attachments.
#[derive(Debug, Clone, Copy)]
pub struct OverlayTarget {
    /// The open command buffer, outside of render scopes. It is submitted by the executor.
    pub commands: vk::CommandBuffer,
    /// A view in [`OVERLAY_FORMAT`].
    pub view: vk::ImageView,
    /// Width and height in pixels.
    pub extent: [u32; 2],
}

/// A wish to look at an image of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookRequest {
    /// The image.
    pub resource: ResourceId,
    /// Level.
    pub level: u8,
    /// Layer, or slice.
    pub layer: u16,
    /// One aspect.
    pub aspect: Aspects,
}

/// A look at an image of the game, while the commands of the overlay run.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// A 2D view.
    pub view: vk::ImageView,
    /// The layout that the image is in.
    pub layout: vk::ImageLayout,
    /// How a shader reads it.
    pub class: NumericClass,
    /// Sampled values are linear light.
    pub linear: bool,
    /// Size of the level.
    pub extent: [u32; 2],
}

const SAMPLED: [Layout; 4] = [Layout::Sampled, Layout::General, Layout::DepthRead, Layout::Feedback];

/// Everything before, fragment shaders and attachments behind; and back.
pub(super) const FULL: Dependency = Dependency {
    src_stage: vk::PipelineStageFlags2::ALL_COMMANDS,
    src_access: vk::AccessFlags2::MEMORY_WRITE,
    dst_stage: vk::PipelineStageFlags2::ALL_COMMANDS,
    dst_access: vk::AccessFlags2::from_raw(
        vk::AccessFlags2::MEMORY_READ.as_raw() | vk::AccessFlags2::MEMORY_WRITE.as_raw(),
    ),
};

impl Executor {
    /// Draws over the presented picture. The picture itself stays as it is: the overlay gets a copy, which [`Executor::take_overlay_screenshot`] reads. Where
    /// the plan has the overlay's node before the present, the picture gets the overlay, too.
    ///
    /// `record` gets the target and, for each request, a look at the image, or `None` where there is no such image or it cannot be sampled. What it
    /// returns is handed back.
    ///
    /// # Errors
    /// [`ExecuteError::NothingPresented`]; out of memory; device lost.
    pub fn draw_overlay<R>(
        &mut self,
        requests: &[LookRequest],
        record: impl FnOnce(&OverlayTarget, &[Option<Look>]) -> R,
    ) -> Result<R, ExecuteError> {
        const COLOR: vk::ImageLayout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        const SOURCE: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        const TARGET: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        if !self.present.shown {
            return Err(ExecuteError::NothingPresented);
        }
        let (slot, serial) = self.open_own_part()?;
        let Some(picture) = &self.present.picture else { return Err(ExecuteError::NothingPresented) };
        let extent = [picture.info.extent[0], picture.info.extent[1]];
        let remade = self.present.overlay.as_ref().is_none_or(|i| i.info != picture.info);
        if remade && let Some(view) = self.present.overlay_view.take() {
            self.gpu.discard(serial, crate::gpu::Trash::View(view));
        }
        let over = Presenter::fit(&mut self.gpu, &mut self.present.overlay, serial, plain(OVERLAY_FORMAT, extent))?;
        let view = match self.present.overlay_view {
            Some(view) => view,
            None => {
                let range = Range { aspects: vk::ImageAspectFlags::COLOR, level: 0, levels: 1, layer: 0, layers: 1 };
                let kind = vk::ImageViewType::TYPE_2D;
                let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
                let made =
                    self.gpu.create_view(over, kind, OVERLAY_FORMAT, range, vk::ComponentMapping::default(), usage)?;
                *self.present.overlay_view.insert(made)
            }
        };
        self.gpu.barrier(Some(FULL), &[], false);
        change(&mut self.gpu, over, vk::ImageLayout::UNDEFINED, TARGET);
        self.gpu.copy_image(picture, SOURCE, whole(picture), over, TARGET, whole(over));
        let one = |old, new| {
            let range = over.info.all();
            [(ImageDependency { scope: FULL, image: over.raw, range, old, new }, false)]
        };
        self.gpu.barrier(Some(FULL), &one(TARGET, COLOR), false);
        let mut looks: SmallVec<[Option<Look>; 16]> = SmallVec::new();
        let mut back: SmallVec<[(ImageDependency, bool); 16]> = SmallVec::new();
        for request in requests {
            looks.push(look(&mut self.gpu, &mut self.resources, request, &mut back)?);
        }
        let target = OverlayTarget { commands: self.gpu.command_buffer(), view, extent };
        let result = record(&target, &looks);
        self.gpu.barrier(Some(FULL), &back, false);
        self.gpu.barrier(Some(FULL), &one(COLOR, SOURCE), false);
        if self.present.overlay_first {
            change(&mut self.gpu, picture, vk::ImageLayout::UNDEFINED, TARGET);
            self.gpu.copy_image(over, SOURCE, whole(over), picture, TARGET, whole(picture));
            change(&mut self.gpu, picture, TARGET, SOURCE);
        }
        self.close_own_part(slot, serial)?;
        Ok(result)
    }
}

/// A view of one subresource, brought into a layout that can be sampled; how it gets back is appended to `back`.
pub(super) fn look(
    gpu: &mut crate::gpu::Gpu,
    resources: &mut crate::resources::Resources,
    request: &LookRequest,
    back: &mut SmallVec<[(ImageDependency, bool); 16]>,
) -> Result<Option<Look>, ExecuteError> {
    let Some(held) = resources.peek_mut(request.resource) else { return Ok(None) };
    let info = held.image.info;
    let is_3d = info.kind == vk::ImageType::TYPE_3D;
    let fits = info.samples == vk::SampleCountFlags::TYPE_1
        && info.kind != vk::ImageType::TYPE_1D
        && info.usage.contains(vk::ImageUsageFlags::SAMPLED)
        && u32::from(request.level) < info.levels
        && u32::from(request.layer) < info.slices()
        && (!is_3d || gpu.device.features.has(Feature::View2dOf3d));
    let part = Subresources {
        aspects: request.aspect,
        base_level: request.level,
        levels: 1,
        base_layer: request.layer,
        layers: 1,
    };
    let now = held.layout(&part);
    if !fits || now == Layout::Undefined {
        return Ok(None);
    }
    let key = ViewKey {
        resource: request.resource,
        format: Format::Undefined,
        dim: Dim::D2,
        part,
        swizzle: [Swizzle::Identity; 4],
    };
    let view = held.view(gpu, ViewUse::Sampled, &key)?;
    let old = convert::layout(now);
    let mut layout = old;
    if !SAMPLED.contains(&now) {
        layout = vk::ImageLayout::GENERAL;
        let whole = Subresources { aspects: held.desc_aspects(), ..part };
        let range = held.range(&whole, true);
        let one = |old, new| (ImageDependency { scope: FULL, image: held.image.raw, range, old, new }, is_3d);
        // A second look at the same subresource finds it changed already.
        let again = back.iter().any(|(d, _)| d.image == held.image.raw && d.range == range);
        if !again {
            gpu.barrier(Some(FULL), &[one(old, layout)], false);
            back.push(one(layout, old));
        }
    }
    let format = held.desc.host_format;
    let class = if request.aspect == Aspects::STENCIL { NumericClass::Uint } else { format.class() };
    let float = format.name().ends_with("Float") || format.name().ends_with("float");
    let [w, h, _] = info.level(u32::from(request.level));
    Ok(Some(Look { view, layout, class, linear: format.is_srgb() || float, extent: [w, h] }))
}
