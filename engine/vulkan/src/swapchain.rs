//! A window's swapchain: pictures to draw into, made again when the window changes.
//!
//! The swapchain's format is one without sRGB conversion in the sRGB colour space: what is presented are the bytes that the title's display texture holds.
//! All calls belong to the thread that has the executor. Nothing waits for long: a window that gives no picture in time (it is covered, minimised, or being
//! resized) shows the old one.

use crate::device::Device;
use crate::error::{ExecuteError, WindowError};
use crate::executor::{OVERLAY_FORMAT, plain};
use crate::gpu::{Gpu, Image, ImageInfo, Trash};
use crate::stream::Range;
use ash::{khr, vk};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};
use std::ffi::CStr;
use std::sync::Arc;

/// How presents follow the display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// A picture is shown when the display begins anew, and no picture is left out.
    #[default]
    Vsync,
    /// A picture is shown as soon as it can be (a title's present interval of 0).
    Free,
}

/// What became of a picture that was to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<R> {
    /// It is on its way to the display.
    Yes(R),
    /// The window has no picture to draw into now: it is minimised, covered or being resized. Try again later.
    NoPicture,
}

/// Nanoseconds that a picture is waited for.
const PATIENCE: u64 = 100_000_000;

/// Pictures whose acquisition may be unfinished.
const ACQUIRED: usize = 4;

/// One picture of the window.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) image: Image,
    pub(crate) view: vk::ImageView,
    /// Signalled when what is drawn is done.
    pub(crate) done: vk::Semaphore,
}

#[derive(Debug, Clone, Copy, Default)]
struct Acquired {
    semaphore: vk::Semaphore,
    /// The submission that waits for it.
    serial: u64,
}

/// A window's surface and its swapchain.
pub struct Swapchain {
    device: Arc<Device>,
    surfaces: khr::surface::Instance,
    functions: khr::swapchain::Device,
    surface: vk::SurfaceKHR,
    raw: vk::SwapchainKHR,
    format: vk::SurfaceFormatKHR,
    modes: Vec<vk::PresentModeKHR>,
    pub(crate) pictures: Vec<Picture>,
    acquired: [Acquired; ACQUIRED],
    turn: usize,
    /// Size of the pictures.
    extent: [u32; 2],
    /// Size of the window.
    window: [u32; 2],
    pace: Pace,
    mode: vk::PresentModeKHR,
    stale: bool,
}

impl std::fmt::Debug for Swapchain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Swapchain")
            .field("extent", &self.extent)
            .field("format", &self.format)
            .field("mode", &self.mode)
            .field("pictures", &self.pictures.len())
            .finish_non_exhaustive()
    }
}

fn failed(call: &'static str) -> impl Fn(vk::Result) -> WindowError {
    move |result| match result {
        vk::Result::ERROR_DEVICE_LOST => WindowError::Execute(ExecuteError::DeviceLost { call }),
        result => WindowError::Vulkan { call, result },
    }
}

/// Instance extensions that windows of a display need, for [`crate::DeviceOptions::instance_extensions`].
///
/// # Errors
/// The window system is not known.
pub fn instance_extensions(display: RawDisplayHandle) -> Result<Vec<&'static CStr>, WindowError> {
    let call = "the list of its extensions";
    let names =
        ash_window::enumerate_required_extensions(display).map_err(|result| WindowError::System { call, result })?;
    // SAFETY: the names are constants of the library, which live as long as the program.
    Ok(names.iter().map(|name| unsafe { CStr::from_ptr(*name) }).collect())
}

/// Where a picture lies in a window of another shape: (x, y, width, height), as large as fits, in the middle.
#[must_use]
pub fn fit(picture: [u32; 2], window: [u32; 2]) -> [i32; 4] {
    let [pw, ph] = picture.map(|n| u64::from(n.max(1)));
    let [ww, wh] = window.map(u64::from);
    let (width, height) = if ww * ph <= wh * pw {
        (ww, ((ww * ph + pw / 2) / pw).min(wh))
    } else {
        (((wh * pw + ph / 2) / ph).min(ww), wh)
    };
    [(ww - width) / 2, (wh - height) / 2, width.max(1), height.max(1)].map(|n| n as i32)
}

/// The order in which present modes are tried.
fn wanted_modes(pace: Pace) -> [vk::PresentModeKHR; 3] {
    match pace {
        Pace::Vsync => [vk::PresentModeKHR::FIFO; 3],
        Pace::Free => [vk::PresentModeKHR::IMMEDIATE, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::FIFO],
    }
}

/// Formats that hold the bytes of an RGBA8 picture; those that the overlay's own target has come first.
const FORMATS: [vk::Format; 3] = [vk::Format::B8G8R8A8_UNORM, OVERLAY_FORMAT, vk::Format::A8B8G8R8_UNORM_PACK32];

impl Swapchain {
    /// Makes the surface of a window. `size` is the window's size in pixels.
    ///
    /// # Errors
    /// The device cannot present to the window, or was made without [`instance_extensions`].
    ///
    /// # Safety
    /// The handles are those of a window that lives longer than what is made here.
    pub unsafe fn new(
        device: &Arc<Device>,
        display: RawDisplayHandle,
        window: RawWindowHandle,
        size: [u32; 2],
    ) -> Result<Self, WindowError> {
        let unable = |why| WindowError::Unable { device: device.name.clone(), why };
        let functions = device.ext.swapchain.clone().ok_or_else(|| unable("it has no VK_KHR_swapchain"))?;
        let surfaces = khr::surface::Instance::new(&device.entry, &device.instance);
        // SAFETY: the caller's promise about the handles; the instance has the extensions where the device has a swapchain.
        let surface = unsafe { ash_window::create_surface(&device.entry, &device.instance, display, window, None) }
            .map_err(|result| WindowError::System { call: "making a surface", result })?;
        // What was made before an error is destroyed with the swapchain.
        let mut made = Self {
            device: Arc::clone(device),
            surfaces,
            functions,
            surface,
            raw: vk::SwapchainKHR::null(),
            format: vk::SurfaceFormatKHR::default(),
            modes: Vec::new(),
            pictures: Vec::new(),
            acquired: [Acquired::default(); ACQUIRED],
            turn: 0,
            extent: [0; 2],
            window: size,
            pace: Pace::Vsync,
            mode: vk::PresentModeKHR::FIFO,
            stale: true,
        };
        // SAFETY: surface, device and family belong together; queries.
        unsafe {
            let able = made
                .surfaces
                .get_physical_device_surface_support(device.physical, device.family, surface)
                .map_err(failed("vkGetPhysicalDeviceSurfaceSupportKHR"))?;
            if !able {
                return Err(unable("its queue cannot present"));
            }
            made.modes = made
                .surfaces
                .get_physical_device_surface_present_modes(device.physical, surface)
                .map_err(failed("vkGetPhysicalDeviceSurfacePresentModesKHR"))?;
            let formats = made
                .surfaces
                .get_physical_device_surface_formats(device.physical, surface)
                .map_err(failed("vkGetPhysicalDeviceSurfaceFormatsKHR"))?;
            let drawable = |format| {
                let wanted = vk::FormatFeatureFlags::BLIT_DST | vk::FormatFeatureFlags::COLOR_ATTACHMENT;
                let all = device.instance.get_physical_device_format_properties(device.physical, format);
                all.optimal_tiling_features.contains(wanted)
            };
            let of = |format| {
                formats
                    .iter()
                    .find(|f| f.format == format && f.color_space == vk::ColorSpaceKHR::SRGB_NONLINEAR)
                    .filter(|_| drawable(format))
            };
            made.format = *FORMATS
                .into_iter()
                .find_map(of)
                .ok_or_else(|| unable("the window has no format of 8 bits without sRGB conversion"))?;
            for acquired in &mut made.acquired {
                acquired.semaphore = device
                    .raw
                    .create_semaphore(&vk::SemaphoreCreateInfo::default(), None)
                    .map_err(failed("vkCreateSemaphore"))?;
            }
        }
        Ok(made)
    }

    /// Format of the pictures.
    #[must_use]
    pub fn format(&self) -> vk::Format {
        self.format.format
    }

    /// Size of the pictures in pixels; they follow the window at the next one shown.
    #[must_use]
    pub fn extent(&self) -> [u32; 2] {
        self.extent
    }

    /// The window's size in pixels has changed; 0 = minimised.
    pub fn resize(&mut self, size: [u32; 2]) {
        if self.window != size {
            self.window = size;
            self.stale = true;
        }
    }

    /// Sets how presents follow the display.
    pub fn set_pace(&mut self, pace: Pace) {
        if self.pace != pace {
            self.pace = pace;
            self.stale |= self.mode_for(pace) != self.mode;
        }
    }

    fn mode_for(&self, pace: Pace) -> vk::PresentModeKHR {
        // Every surface has FIFO.
        wanted_modes(pace).into_iter().find(|m| self.modes.contains(m)).unwrap_or(vk::PresentModeKHR::FIFO)
    }

    /// A picture to draw into: its index, and the semaphore that the drawing must wait for. `None`: there is none now.
    pub(crate) fn acquire(
        &mut self,
        gpu: &mut Gpu,
        mut wait: impl FnMut(&mut Gpu, u64) -> Result<(), ExecuteError>,
    ) -> Result<Option<(usize, vk::Semaphore)>, WindowError> {
        for _ in 0..2 {
            if self.stale && !self.remake(gpu)? {
                return Ok(None);
            }
            let Acquired { semaphore, serial } = self.acquired[self.turn];
            wait(gpu, serial)?;
            // SAFETY: the semaphore is unsignalled: the submission that waited for it is done.
            let result = unsafe { self.functions.acquire_next_image(self.raw, PATIENCE, semaphore, vk::Fence::null()) };
            match result {
                Ok((index, suboptimal)) => {
                    self.stale |= suboptimal;
                    return Ok(Some((index as usize, semaphore)));
                }
                Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.stale = true,
                Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => return Ok(None),
                Err(result) => return Err(failed("vkAcquireNextImageKHR")(result)),
            }
        }
        Ok(None)
    }

    /// Presents a picture whose drawing was submitted as `serial`.
    pub(crate) fn present(&mut self, index: usize, serial: u64) -> Result<(), WindowError> {
        self.acquired[self.turn].serial = serial;
        self.turn = (self.turn + 1) % ACQUIRED;
        let waits = [self.pictures[index].done];
        let chains = [self.raw];
        let indices = [index as u32];
        let info = vk::PresentInfoKHR::default().wait_semaphores(&waits).swapchains(&chains).image_indices(&indices);
        // SAFETY: the queue belongs to the thread that has the executor, the caller; the picture was acquired and its semaphore will be signalled.
        match unsafe { self.functions.queue_present(self.device.queue, &info) } {
            Ok(suboptimal) => self.stale |= suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.stale = true,
            Err(result) => return Err(failed("vkQueuePresentKHR")(result)),
        }
        Ok(())
    }

    /// Makes the swapchain for the window as it is now; false while it has no size.
    fn remake(&mut self, gpu: &mut Gpu) -> Result<bool, WindowError> {
        let device = Arc::clone(&self.device);
        // SAFETY: a query on the window's surface.
        let can = unsafe { self.surfaces.get_physical_device_surface_capabilities(device.physical, self.surface) }
            .map_err(failed("vkGetPhysicalDeviceSurfaceCapabilitiesKHR"))?;
        let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        if !can.supported_usage_flags.contains(usage) {
            let why = "the window's pictures cannot be copied to";
            return Err(WindowError::Unable { device: device.name.clone(), why });
        }
        let extent = match can.current_extent {
            vk::Extent2D { width: u32::MAX, .. } => vk::Extent2D {
                width: self.window[0].clamp(can.min_image_extent.width, can.max_image_extent.width),
                height: self.window[1].clamp(can.min_image_extent.height, can.max_image_extent.height),
            },
            given => given,
        };
        if extent.width == 0 || extent.height == 0 || self.window.contains(&0) {
            return Ok(false);
        }
        let most = if can.max_image_count == 0 { u32::MAX } else { can.max_image_count };
        let alpha = [vk::CompositeAlphaFlagsKHR::OPAQUE, vk::CompositeAlphaFlagsKHR::INHERIT]
            .into_iter()
            .find(|flag| can.supported_composite_alpha.contains(*flag))
            .unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE);
        let mode = self.mode_for(self.pace);
        let old = self.raw;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count((can.min_image_count + 1).min(most))
            .image_format(self.format.format)
            .image_color_space(self.format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(usage)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(can.current_transform)
            .composite_alpha(alpha)
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(old);
        device.wait_idle().map_err(failed("vkDeviceWaitIdle"))?;
        self.drop_pictures(gpu);
        // SAFETY: the info is what the surface allows; the old swapchain's pictures are not used any more.
        let made = unsafe { self.functions.create_swapchain(&info, None) };
        // SAFETY: it was retired, and the device is idle.
        unsafe { self.functions.destroy_swapchain(old, None) };
        self.raw = vk::SwapchainKHR::null();
        self.raw = made.map_err(failed("vkCreateSwapchainKHR"))?;
        // SAFETY: the swapchain was just made.
        let images =
            unsafe { self.functions.get_swapchain_images(self.raw) }.map_err(failed("vkGetSwapchainImagesKHR"))?;
        self.extent = [extent.width, extent.height];
        let info = ImageInfo { usage, ..plain(self.format.format, self.extent) };
        for raw in images {
            let image = gpu.adopt_image(raw, info);
            let range = Range { aspects: vk::ImageAspectFlags::COLOR, level: 0, levels: 1, layer: 0, layers: 1 };
            let view = gpu.create_view(
                &image,
                vk::ImageViewType::TYPE_2D,
                self.format.format,
                range,
                vk::ComponentMapping::default(),
                vk::ImageUsageFlags::COLOR_ATTACHMENT,
            )?;
            // SAFETY: a complete create info.
            let done = unsafe { device.raw.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }
                .map_err(failed("vkCreateSemaphore"))?;
            self.pictures.push(Picture { image, view, done });
        }
        self.mode = mode;
        self.stale = false;
        Ok(true)
    }

    fn drop_pictures(&mut self, gpu: &mut Gpu) {
        for picture in self.pictures.drain(..) {
            gpu.destroy(Trash::View(picture.view));
            gpu.destroy(Trash::Image(picture.image));
            // SAFETY: the device is idle.
            unsafe { self.device.raw.destroy_semaphore(picture.done, None) };
        }
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        let _ = self.device.wait_idle();
        // SAFETY: the device is idle; nothing of this is used by anyone else.
        unsafe {
            for picture in &self.pictures {
                self.device.raw.destroy_image_view(picture.view, None);
                self.device.raw.destroy_semaphore(picture.done, None);
            }
            for acquired in &self.acquired {
                self.device.raw.destroy_semaphore(acquired.semaphore, None);
            }
            self.functions.destroy_swapchain(self.raw, None);
            self.surfaces.destroy_surface(self.surface, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_keeps_its_shape_in_a_window() {
        assert_eq!(fit([1280, 720], [1280, 720]), [0, 0, 1280, 720]);
        assert_eq!(fit([1280, 720], [1920, 1080]), [0, 0, 1920, 1080]);
        assert_eq!(fit([1280, 720], [1280, 1024]), [0, 152, 1280, 720], "bars above and below");
        assert_eq!(fit([1280, 720], [2000, 720]), [360, 0, 1280, 720], "bars at the sides");
        assert_eq!(fit([1280, 720], [333, 999]), [0, 406, 333, 187]);
        assert_eq!(fit([0, 0], [1, 1]), [0, 0, 1, 1]);
    }

    #[test]
    fn a_picture_never_leaves_its_window() {
        for picture in [[1280u32, 720u32], [1, 4096], [4096, 1], [3, 7]] {
            for w in (1..2000).step_by(37) {
                for h in (1..2000).step_by(41) {
                    let [x, y, width, height] = fit(picture, [w, h]);
                    assert!(x >= 0 && y >= 0 && width > 0 && height > 0);
                    assert!(x + width <= w as i32 && y + height <= h as i32, "{picture:?} in {w}x{h}");
                    assert!(width == w as i32 || height == h as i32, "as large as fits");
                }
            }
        }
    }

    #[test]
    fn an_interval_of_0_does_not_wait_for_the_display() {
        assert_eq!(wanted_modes(Pace::Vsync)[0], vk::PresentModeKHR::FIFO);
        assert_eq!(wanted_modes(Pace::Free)[0], vk::PresentModeKHR::IMMEDIATE);
        assert_eq!(wanted_modes(Pace::Free)[2], vk::PresentModeKHR::FIFO, "which every window has");
    }
}
