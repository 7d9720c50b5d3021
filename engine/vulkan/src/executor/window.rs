//! The presented picture in a window: scaled in its own shape, with an overlay drawn in the window's own pixels over it.

use super::overlay::{FULL, Look, LookRequest, OverlayTarget, look};
use super::present::whole;
use super::{Executor, transfers};
use crate::error::WindowError;
use crate::stream::ImageDependency;
use crate::swapchain::{Shown, Swapchain, fit};
use ash::vk;
use smallvec::SmallVec;

const UNDEFINED: vk::ImageLayout = vk::ImageLayout::UNDEFINED;
const COLOR: vk::ImageLayout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
const SOURCE: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
const TARGET: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
const PRESENT: vk::ImageLayout = vk::ImageLayout::PRESENT_SRC_KHR;

impl Executor {
    /// Shows the picture last presented in a window; black where nothing was presented yet.
    ///
    /// # Errors
    /// The window is gone, out of memory, device lost.
    pub fn show(&mut self, chain: &mut Swapchain) -> Result<Shown<()>, WindowError> {
        self.show_over(chain, None::<(&[LookRequest], fn(&OverlayTarget, &[Option<Look>]))>).map(|shown| match shown {
            Shown::Yes(_) => Shown::Yes(()),
            Shown::NoPicture => Shown::NoPicture,
        })
    }

    /// As [`Executor::show`], with an overlay over it. `record` gets the window's picture as its target, in [`Swapchain::format`], and a look at each
    /// requested image, or `None` where there is no such image or it cannot be sampled. It is not called where the window has no picture to draw into.
    ///
    /// # Errors
    /// As [`Executor::show`].
    pub fn show_with<R>(
        &mut self,
        chain: &mut Swapchain,
        requests: &[LookRequest],
        record: impl FnOnce(&OverlayTarget, &[Option<Look>]) -> R,
    ) -> Result<Shown<R>, WindowError> {
        Ok(match self.show_over(chain, Some((requests, record)))? {
            Shown::Yes(Some(result)) => Shown::Yes(result),
            _ => Shown::NoPicture,
        })
    }

    fn show_over<R, F: FnOnce(&OverlayTarget, &[Option<Look>]) -> R>(
        &mut self,
        chain: &mut Swapchain,
        over: Option<(&[LookRequest], F)>,
    ) -> Result<Shown<Option<R>>, WindowError> {
        let timeline = self.timeline;
        let wait = |gpu: &mut crate::gpu::Gpu, serial: u64| {
            if serial == 0 { Ok(()) } else { wait_for(gpu, timeline, serial) }
        };
        let Some((index, acquired)) = chain.acquire(&mut self.gpu, wait)? else { return Ok(Shown::NoPicture) };
        let (slot, serial) = self.open_own_part()?;
        let target = &chain.pictures[index];
        let extent = chain.extent();
        let change = |old, new| {
            let range = target.image.info.all();
            [(ImageDependency { scope: FULL, image: target.image.raw, range, old, new }, false)]
        };
        self.gpu.barrier(Some(FULL), &change(UNDEFINED, TARGET), false);
        let picture = self.present.picture.as_ref().filter(|_| self.present.shown);
        let size = picture.map_or([0; 2], |p| [p.info.extent[0], p.info.extent[1]]);
        let [x, y, width, height] = fit(size, extent);
        if picture.is_none() || [width, height] != extent.map(|n| n as i32) {
            let black = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } };
            self.gpu.clear_image(&target.image, TARGET, target.image.info.all(), black);
            self.gpu.barrier(Some(transfers::TRANSFER_TO_TRANSFER), &[], false);
        }
        if let Some(picture) = picture {
            let corner = |x, y, z| vk::Offset3D { x, y, z };
            let filter =
                if [width, height] == size.map(|n| n as i32) { vk::Filter::NEAREST } else { vk::Filter::LINEAR };
            self.gpu.blit(
                picture,
                SOURCE,
                whole(picture),
                [corner(0, 0, 0), corner(size[0] as i32, size[1] as i32, 1)],
                &target.image,
                TARGET,
                whole(&target.image),
                [corner(x, y, 0), corner(x + width, y + height, 1)],
                filter,
            );
        }
        let mut result = None;
        let mut layout = TARGET;
        if let Some((requests, record)) = over {
            self.gpu.barrier(Some(FULL), &change(TARGET, COLOR), false);
            layout = COLOR;
            let mut looks: SmallVec<[Option<Look>; 16]> = SmallVec::new();
            let mut back: SmallVec<[(ImageDependency, bool); 16]> = SmallVec::new();
            for request in requests {
                looks.push(look(&mut self.gpu, &mut self.resources, request, &mut back)?);
            }
            let at = OverlayTarget { commands: self.gpu.command_buffer(), view: target.view, extent };
            result = Some(record(&at, &looks));
            self.gpu.barrier(Some(FULL), &back, false);
        }
        self.gpu.barrier(Some(FULL), &change(layout, PRESENT), false);
        let done = target.done;
        self.close_own_part_with(slot, serial, Some((acquired, done)))?;
        chain.present(index, serial)?;
        Ok(Shown::Yes(result))
    }
}

fn wait_for(gpu: &crate::gpu::Gpu, timeline: vk::Semaphore, serial: u64) -> Result<(), crate::error::ExecuteError> {
    use crate::error::Named;
    let (semaphores, values) = ([timeline], [serial]);
    let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
    // SAFETY: the semaphore lives; the value was handed to the queue before.
    unsafe { gpu.device.raw.wait_semaphores(&info, u64::MAX) }.named("vkWaitSemaphores")
}
