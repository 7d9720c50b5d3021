//! Presents: the display texture's bytes, flipped and scaled as told, into an offscreen RGBA8 image; screenshots out of it.

use super::{Executor, Part, Screenshot};
use crate::error::ExecuteError;
use crate::formats;
use crate::frames::Pending;
use crate::gpu::{BufferImageCopy, Gpu, Image, ImageInfo, ImageRegion, Memory, Trash};
use crate::stream::{Dependency, ImageDependency};
use crate::{convert, gpu};
use ash::vk;
use framegraph::ids::NodeId;
use framegraph::resource::Layout;
use framegraph::state::Format;
use framegraph::tables::{Present, uses};

/// The picture last presented.
#[derive(Default)]
pub(crate) struct Presenter {
    pub(super) picture: Option<Image>,
    /// A twin of the source's raw bytes, where they must be read as another format than the source's own.
    twin: Option<Image>,
    pub(super) shown: bool,
    /// The picture with an overlay over it.
    pub(super) overlay: Option<Image>,
    pub(super) overlay_view: Option<vk::ImageView>,
    /// The overlay's node came before the present in the last part that has both: the overlay is drawn into the picture itself.
    pub(super) overlay_first: bool,
    /// Whether the open part has presented.
    pub(super) in_part: bool,
}

const PRESENTABLE: [Layout; 3] = [Layout::Present, Layout::CopySource, Layout::General];

pub(crate) fn plain(format: vk::Format, extent: [u32; 2]) -> ImageInfo {
    ImageInfo {
        kind: vk::ImageType::TYPE_2D,
        format,
        aspects: vk::ImageAspectFlags::COLOR,
        extent: [extent[0], extent[1], 1],
        levels: 1,
        layers: 1,
        samples: vk::SampleCountFlags::TYPE_1,
        usage: vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::COLOR_ATTACHMENT,
        flags: vk::ImageCreateFlags::empty(),
    }
}

pub(super) fn whole(image: &Image) -> ImageRegion {
    ImageRegion {
        aspect: vk::ImageAspectFlags::COLOR,
        level: 0,
        layer: 0,
        layers: 1,
        offset: [0; 2],
        extent: [image.info.extent[0], image.info.extent[1]],
    }
}

impl Presenter {
    /// An image of the executor's own with this format and size, remade where it differs.
    pub(super) fn fit<'a>(
        gpu: &mut Gpu,
        slot: &'a mut Option<Image>,
        serial: u64,
        info: ImageInfo,
    ) -> Result<&'a Image, ExecuteError> {
        if slot.as_ref().is_none_or(|i| i.info != info) {
            if let Some(old) = slot.take() {
                gpu.discard(serial, Trash::Image(old));
            }
            *slot = Some(gpu.create_image(info, &[])?);
        }
        slot.as_ref().ok_or(ExecuteError::NothingPresented)
    }

    pub(crate) fn destroy(&mut self, gpu: &mut Gpu) {
        if let Some(view) = self.overlay_view.take() {
            gpu.destroy(Trash::View(view));
        }
        for image in [self.picture.take(), self.twin.take(), self.overlay.take()].into_iter().flatten() {
            gpu.destroy(Trash::Image(image));
        }
    }
}

/// Layout changes of the presenter's own images: after all earlier transfers, before the next.
pub(super) fn change(gpu: &mut Gpu, image: &Image, old: vk::ImageLayout, new: vk::ImageLayout) {
    let scope = Dependency {
        src_stage: vk::PipelineStageFlags2::ALL_TRANSFER,
        src_access: vk::AccessFlags2::TRANSFER_WRITE,
        dst_stage: vk::PipelineStageFlags2::ALL_TRANSFER,
        dst_access: vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
    };
    gpu.barrier(
        None,
        &[(ImageDependency { scope, image: image.raw, range: image.info.all(), old, new }, false)],
        false,
    );
}

impl Executor {
    pub(crate) fn present(&mut self, part: &Part<'_>, node: NodeId, present: &Present) -> Result<(), ExecuteError> {
        const UNDEFINED: vk::ImageLayout = vk::ImageLayout::UNDEFINED;
        const SOURCE: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        const TARGET: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let extent = present.extent.map(|n| n.max(1));
        let picture = Presenter::fit(
            &mut self.gpu,
            &mut self.present.picture,
            self.serial,
            plain(vk::Format::R8G8B8A8_UNORM, extent),
        )?;
        change(&mut self.gpu, picture, UNDEFINED, TARGET);
        let held = self.resources.image(&mut self.gpu, part.world, present.source, part.serial)?;
        let all = held.desc.all();
        if let Some(h) = self.hostile.as_mut().filter(|h| h.has(crate::hostile::Lines::CACHES)) {
            h.reads(node, present.source, &framegraph::resource::Part::Image(all), uses::PRESENT);
        }
        let held = super::transfers::reader(held, &self.hostile, present.source, uses::PRESENT);
        let level = held.image.info.level(0);
        let [x, y, w, h] = present.crop;
        if x < 0 || y < 0 || w <= 0 || h <= 0 || x + w > level[0] as i32 || y + h > level[1] as i32 {
            let what = format!(
                "the crop {w}x{h} at ({x}, {y}) does not lie in the display texture of {}x{}",
                level[0], level[1]
            );
            return Err(ExecuteError::Unsupported { node, what });
        }
        let sub = held.desc.all();
        let layout = convert::layout(held.layout_for(&sub, &PRESENTABLE));
        let source = ImageRegion { offset: [x, y], extent: [w as u32, h as u32], ..whole(&held.image) };
        let raw = formats::format(present.format);
        if raw == vk::Format::UNDEFINED {
            return Err(ExecuteError::Unsupported { node, what: format!("presenting as {:?}", present.format) });
        }
        let rgba = present.format == Format::Rgba8Unorm;
        let straight = !present.flip && [w as u32, h as u32] == extent;
        if straight && rgba {
            self.gpu.copy_image(&held.image, layout, source, picture, TARGET, whole(picture));
        } else {
            // An sRGB texture's bytes are the picture: a blit must not decode them, so it reads a twin in the linear format.
            let (from, from_layout, from_region, [x, y]) = if raw == held.image.info.format {
                (&held.image, layout, source, [x, y])
            } else {
                let info = plain(raw, [w as u32, h as u32]);
                let twin = Presenter::fit(&mut self.gpu, &mut self.present.twin, self.serial, info)?;
                change(&mut self.gpu, twin, UNDEFINED, TARGET);
                self.gpu.copy_image(&held.image, layout, source, twin, TARGET, whole(twin));
                change(&mut self.gpu, twin, TARGET, SOURCE);
                (twin, SOURCE, whole(twin), [0, 0])
            };
            let corner = |x, y, z| vk::Offset3D { x, y, z };
            let (top, bottom) = if present.flip { (y + h, y) } else { (y, y + h) };
            let filter = if [w as u32, h as u32] == extent { vk::Filter::NEAREST } else { vk::Filter::LINEAR };
            self.gpu.blit(
                from,
                from_layout,
                from_region,
                [corner(x, top, 0), corner(x + w, bottom, 1)],
                picture,
                TARGET,
                whole(picture),
                [corner(0, 0, 0), corner(extent[0] as i32, extent[1] as i32, 1)],
                filter,
            );
        }
        change(&mut self.gpu, picture, TARGET, SOURCE);
        self.present.shown = true;
        self.present.in_part = true;
        self.presented += 1;
        self.pend(Pending::Present(self.presented));
        Ok(())
    }

    /// The picture last presented, as bytes, without any overlay. Waits for the GPU.
    ///
    /// # Errors
    /// [`ExecuteError::NothingPresented`]; device lost.
    pub fn take_screenshot(&mut self) -> Result<Screenshot, ExecuteError> {
        self.read_picture(false)
    }

    /// The picture that [`Executor::draw_overlay`] last drew on, as bytes. Waits for the GPU.
    ///
    /// # Errors
    /// [`ExecuteError::NothingPresented`]; device lost.
    pub fn take_overlay_screenshot(&mut self) -> Result<Screenshot, ExecuteError> {
        self.read_picture(true)
    }

    fn read_picture(&mut self, overlay: bool) -> Result<Screenshot, ExecuteError> {
        let image = if overlay { &self.present.overlay } else { &self.present.picture };
        let Some(info) = image.as_ref().filter(|_| self.present.shown).map(|i| i.info) else {
            return Err(ExecuteError::NothingPresented);
        };
        let [w, h, _] = info.extent;
        let bytes = u64::from(w) * u64::from(h) * 4;
        let (slot, serial) = self.open_own_part()?;
        let buffer = self.gpu.create_buffer(bytes, vk::BufferUsageFlags::TRANSFER_DST, Memory::Download)?;
        let image = if overlay { &self.present.overlay } else { &self.present.picture };
        if let Some(image) = image {
            let copy = BufferImageCopy { offset: 0, row_texels: 0, image_rows: 0, bytes, region: whole(image) };
            self.gpu.barrier(Some(super::transfers::TRANSFER_TO_TRANSFER), &[], false);
            self.gpu.copy_to_buffer(image, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, buffer.raw, &[copy]);
            self.gpu.barrier(Some(gpu::TO_HOST), &[], false);
        }
        self.close_own_part(slot, serial)?;
        self.wait(serial)?;
        let mut rgba = Vec::with_capacity(bytes as usize);
        self.gpu.read(&buffer, 0, bytes, &mut rgba);
        self.gpu.destroy(Trash::Buffer(buffer));
        Ok(Screenshot { extent: [w, h], rgba })
    }
}
