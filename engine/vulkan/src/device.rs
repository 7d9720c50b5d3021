//! The instance, the device, its queue, its memory, and what it can do.

use crate::error::DeviceError;
use crate::features::{Feature, Features, TABLE};
use crate::formats;
use crate::messages::{Messages, Severity};
use crate::turns::Turn;
use ash::{ext, khr, vk};
use framegraph::caps::{DeviceCaps, format_uses};
use framegraph::state::Format;
use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// How to make a device.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// Part of the device's name; the first that fits is taken. Empty = the best by kind (discrete before integrated before software).
    /// The driver itself is chosen through the loader's own `VK_DRIVER_FILES`.
    pub name: String,
    /// Whether the validation layer runs.
    pub validation: bool,
    /// Features left off though the device has them, so that the fallback is drawn.
    pub without: Vec<Feature>,
    /// Every image and buffer gets device memory of its own instead of a piece of a block: the mutant of row A-077, for tests.
    pub memory_apart: bool,
    /// Where the driver cannot have devices in several threads, wait until no other thread has one that was made with this. For tests.
    pub take_turns: bool,
    /// Instance extensions that a window needs (its surface extensions).
    pub instance_extensions: Vec<&'static CStr>,
}

/// Limits that the executor respects.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(missing_docs)] // Vulkan's own names.
pub struct Limits {
    pub max_uniform_range: u64,
    pub max_storage_range: u64,
    pub uniform_alignment: u64,
    pub storage_alignment: u64,
    pub max_anisotropy: f32,
    pub max_lod_bias: f32,
    pub max_viewports: u32,
    pub timestamp_period: f32,
    pub timestamp_bits: u32,
    pub host_import_alignment: u64,
    pub line_width: [f32; 2],
    pub max_push_constants: u32,
    pub non_coherent_atom: u64,
}

/// Which states of VK_EXT_extended_dynamic_state3 the device has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)] // Vulkan's own names.
pub struct DynamicStates {
    pub polygon_mode: bool,
    pub sample_mask: bool,
    pub alpha_to_coverage: bool,
    pub logic_op_enable: bool,
    pub logic_op: bool,
    pub color_blend: bool,
    pub write_mask: bool,
    pub depth_clamp: bool,
    pub depth_clip: bool,
    pub negative_one: bool,
    pub provoking: bool,
    pub patch_points: bool,
}

/// Function tables of extensions, present where the extension is on.
pub struct Extensions {
    /// VK_EXT_extended_dynamic_state3.
    pub state3: Option<ext::extended_dynamic_state3::Device>,
    /// VK_EXT_extended_dynamic_state2 (patch points and logic op, which core 1.3 left out).
    pub state2: Option<ext::extended_dynamic_state2::Device>,
    /// VK_EXT_vertex_input_dynamic_state.
    pub vertex_input: Option<ext::vertex_input_dynamic_state::Device>,
    /// VK_EXT_external_memory_host.
    pub host_memory: Option<ext::external_memory_host::Device>,
    /// VK_EXT_debug_utils.
    pub debug: Option<ext::debug_utils::Device>,
    /// VK_KHR_swapchain.
    pub swapchain: Option<khr::swapchain::Device>,
}

/// A Vulkan device. Shared by reference count; destroyed with its last holder.
pub struct Device {
    /// The loaded library; everything else is invalid once it is dropped.
    pub entry: ash::Entry,
    /// Instance.
    pub instance: ash::Instance,
    /// Physical device.
    pub physical: vk::PhysicalDevice,
    /// Device functions.
    pub raw: ash::Device,
    /// Extension functions.
    pub ext: Extensions,
    /// The one queue in use: graphics, compute and transfer.
    pub queue: vk::Queue,
    /// Its family.
    pub family: u32,
    /// Memory allocator.
    pub allocator: ManuallyDrop<vk_mem::Allocator>,
    /// See [`DeviceOptions::memory_apart`].
    pub memory_apart: bool,
    /// Features in use.
    pub features: Features,
    /// Dynamic states in use.
    pub dynamic: DynamicStates,
    /// Limits.
    pub limits: Limits,
    /// Pipeline stages that exist (tessellation and geometry are features).
    pub stages: vk::PipelineStageFlags2,
    /// Neutral capabilities.
    pub caps: DeviceCaps,
    /// Name of the device and version of its driver, for people.
    pub name: String,
    /// Messages of the validation layer.
    pub messages: Arc<Messages>,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Given back when the device is destroyed.
    _turn: Option<Turn>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.name).field("features", &self.features).finish_non_exhaustive()
    }
}

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid strings, and `user` is the sink that outlives the messenger.
    unsafe {
        let text = |p: *const c_char| if p.is_null() { "".into() } else { CStr::from_ptr(p).to_string_lossy() };
        let sink = &*user.cast::<Messages>();
        let level = if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
            Severity::Error
        } else {
            Severity::Warning
        };
        sink.take(level, &text((*data).p_message_id_name), &text((*data).p_message));
    }
    vk::FALSE
}

fn failed(call: &'static str) -> impl Fn(vk::Result) -> DeviceError {
    move |result| DeviceError::Vulkan { call, result }
}

/// The feature structures that are asked and then handed back to enable.
#[derive(Default)]
struct Chain<'a> {
    v11: vk::PhysicalDeviceVulkan11Features<'a>,
    v12: vk::PhysicalDeviceVulkan12Features<'a>,
    v13: vk::PhysicalDeviceVulkan13Features<'a>,
    clip_control: vk::PhysicalDeviceDepthClipControlFeaturesEXT<'a>,
    clip_enable: vk::PhysicalDeviceDepthClipEnableFeaturesEXT<'a>,
    bias_control: vk::PhysicalDeviceDepthBiasControlFeaturesEXT<'a>,
    provoking: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'a>,
    index_u8: vk::PhysicalDeviceIndexTypeUint8FeaturesEXT<'a>,
    list_restart: vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'a>,
    border: vk::PhysicalDeviceCustomBorderColorFeaturesEXT<'a>,
    border_swizzle: vk::PhysicalDeviceBorderColorSwizzleFeaturesEXT<'a>,
    robust: vk::PhysicalDeviceRobustness2FeaturesEXT<'a>,
    feedback: vk::PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT<'a>,
    state2: vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT<'a>,
    state3: vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'a>,
    vertex_input: vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT<'a>,
    line: vk::PhysicalDeviceLineRasterizationFeaturesEXT<'a>,
    divisor: vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT<'a>,
    view_3d: vk::PhysicalDeviceImage2DViewOf3DFeaturesEXT<'a>,
    min_lod: vk::PhysicalDeviceImageViewMinLodFeaturesEXT<'a>,
    xfb: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'a>,
    conditional: vk::PhysicalDeviceConditionalRenderingFeaturesEXT<'a>,
    local_read: vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR<'a>,
}

impl Chain<'_> {
    /// Links every structure whose extension exists behind `head`, and runs `f` with it.
    fn with<R>(
        &mut self,
        have: &HashSet<String>,
        head: vk::PhysicalDeviceFeatures2<'_>,
        f: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R,
    ) -> R {
        let mut head = vk::PhysicalDeviceFeatures2 { features: head.features, ..Default::default() };
        macro_rules! link {
            ($($field:ident $name:literal),*) => {
                head = head.push_next(&mut self.v11).push_next(&mut self.v12).push_next(&mut self.v13);
                $( if have.contains($name) { head = head.push_next(&mut self.$field); } )*
            };
        }
        link!(
            clip_control "VK_EXT_depth_clip_control", clip_enable "VK_EXT_depth_clip_enable",
            bias_control "VK_EXT_depth_bias_control", provoking "VK_EXT_provoking_vertex",
            index_u8 "VK_EXT_index_type_uint8", list_restart "VK_EXT_primitive_topology_list_restart",
            border "VK_EXT_custom_border_color", border_swizzle "VK_EXT_border_color_swizzle",
            robust "VK_EXT_robustness2", feedback "VK_EXT_attachment_feedback_loop_layout",
            state2 "VK_EXT_extended_dynamic_state2", state3 "VK_EXT_extended_dynamic_state3",
            vertex_input "VK_EXT_vertex_input_dynamic_state", line "VK_EXT_line_rasterization",
            divisor "VK_EXT_vertex_attribute_divisor", view_3d "VK_EXT_image_2d_view_of_3d",
            min_lod "VK_EXT_image_view_min_lod", xfb "VK_EXT_transform_feedback",
            conditional "VK_EXT_conditional_rendering", local_read "VK_KHR_dynamic_rendering_local_read"
        );
        f(&mut head)
    }

    /// Cuts the links, so that the structures may move.
    fn unlink(&mut self) {
        macro_rules! cut {
            ($($field:ident),*) => { $( self.$field.p_next = std::ptr::null_mut(); )* };
        }
        cut!(
            v11,
            v12,
            v13,
            clip_control,
            clip_enable,
            bias_control,
            provoking,
            index_u8,
            list_restart,
            border,
            border_swizzle,
            robust,
            feedback,
            state2,
            state3,
            vertex_input,
            line,
            divisor,
            view_3d,
            min_lod,
            xfb,
            conditional,
            local_read
        );
    }
}

impl Device {
    /// Makes a device, without a window.
    ///
    /// # Errors
    /// [`DeviceError::NoDevice`] when the loader, a driver, or the baseline (Vulkan 1.3 with dynamic rendering, synchronization2, timeline semaphores) is missing.
    pub fn new(options: &DeviceOptions) -> Result<Arc<Self>, DeviceError> {
        // SAFETY: loading the system's Vulkan loader runs its initialisers, which are safe to run at any time.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|e| DeviceError::NoDevice { why: format!("the Vulkan loader cannot be loaded ({e})") })?;
        let messages = Arc::new(Messages::default());
        let (instance, messenger) = make_instance(&entry, options, &messages)?;
        // A second holder of the library: when no device is made, the instance must be destroyed before the library is let go.
        match Self::on_instance(entry.clone(), &instance, messenger.clone(), options, messages) {
            Ok(device) => Ok(Arc::new(device)),
            Err(error) => {
                // SAFETY: the device was not made, nothing uses the instance any more.
                unsafe {
                    if let Some((debug, handle)) = messenger {
                        debug.destroy_debug_utils_messenger(handle, None);
                    }
                    instance.destroy_instance(None);
                }
                Err(error)
            }
        }
    }

    fn on_instance(
        entry: ash::Entry,
        instance: &ash::Instance,
        messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
        options: &DeviceOptions,
        messages: Arc<Messages>,
    ) -> Result<Self, DeviceError> {
        let (physical, family) = choose(instance, &options.name)?;
        let apart = driver(instance, physical).0 == vk::DriverId::NVIDIA_PROPRIETARY;
        let turn = (options.take_turns && apart).then(Turn::take);
        // SAFETY: `physical` came from this instance, for all queries below.
        let (properties, have) = unsafe {
            let list = instance
                .enumerate_device_extension_properties(physical)
                .map_err(failed("vkEnumerateDeviceExtensionProperties"))?;
            let have: HashSet<String> = list
                .iter()
                .filter_map(|e| e.extension_name_as_c_str().ok())
                .map(|n| n.to_string_lossy().into_owned())
                .collect();
            (instance.get_physical_device_properties(physical), have)
        };

        let mut chain = Chain::default();
        let core = chain.with(&have, vk::PhysicalDeviceFeatures2::default(), |head| {
            // SAFETY: the chain is made of structures that the device's extensions define.
            unsafe { instance.get_physical_device_features2(physical, head) };
            head.features
        });
        chain.unlink();
        let mut features = found(&core, &chain, &have);
        features.set(Feature::IndirectIndexOffset, !ignores_index_offset(&driver(instance, physical)));
        for &off in &options.without {
            features.set(off, false);
        }
        let core = trim(core, &mut chain, features);

        let mut extensions: Vec<&'static str> = TABLE
            .iter()
            .filter(|row| !row.extension.is_empty() && features.has(row.feature) && ENABLED.contains(&row.extension))
            .map(|row| row.extension)
            .collect();
        let state2 = have.contains("VK_EXT_extended_dynamic_state2") && features.has(Feature::DynamicState3);
        if state2 {
            extensions.push("VK_EXT_extended_dynamic_state2");
        }
        if !options.instance_extensions.is_empty() && features.has(Feature::Swapchain) {
            extensions.push("VK_KHR_swapchain");
        }
        extensions.sort_unstable();
        extensions.dedup();
        let enabled: HashSet<String> = extensions.iter().map(|&e| e.to_owned()).collect();
        let names: Vec<std::ffi::CString> = extensions.iter().filter_map(|e| std::ffi::CString::new(*e).ok()).collect();
        let pointers: Vec<*const c_char> = names.iter().map(|n| n.as_ptr()).collect();

        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let head = vk::PhysicalDeviceFeatures2 { features: core, ..Default::default() };
        let raw = chain
            .with(&enabled, head, |head| {
                let info = vk::DeviceCreateInfo::default()
                    .queue_create_infos(&queues)
                    .enabled_extension_names(&pointers)
                    .push_next(head);
                // SAFETY: queues, extensions and features are what the device reported.
                unsafe { instance.create_device(physical, &info, None) }
            })
            .map_err(failed("vkCreateDevice"))?;
        chain.unlink();

        let mut allocator_info = vk_mem::AllocatorCreateInfo::new(instance, &raw, physical);
        allocator_info.vulkan_api_version = vk::API_VERSION_1_3;
        if features.has(Feature::MemoryBudget) {
            allocator_info.flags |= vk_mem::AllocatorCreateFlags::EXT_MEMORY_BUDGET;
        }
        // SAFETY: instance and device outlive the allocator (see `Drop`).
        let allocator = match unsafe { vk_mem::Allocator::new(allocator_info) } {
            Ok(allocator) => allocator,
            Err(result) => {
                // SAFETY: nothing was made from the device yet.
                unsafe { raw.destroy_device(None) };
                return Err(DeviceError::Vulkan { call: "vmaCreateAllocator", result });
            }
        };
        // SAFETY: the family was asked for one queue.
        let queue = unsafe { raw.get_device_queue(family, 0) };

        let on = |name: &str| enabled.contains(name);
        let ext = Extensions {
            state3: on("VK_EXT_extended_dynamic_state3")
                .then(|| ext::extended_dynamic_state3::Device::new(instance, &raw)),
            state2: state2.then(|| ext::extended_dynamic_state2::Device::new(instance, &raw)),
            vertex_input: on("VK_EXT_vertex_input_dynamic_state")
                .then(|| ext::vertex_input_dynamic_state::Device::new(instance, &raw)),
            host_memory: on("VK_EXT_external_memory_host")
                .then(|| ext::external_memory_host::Device::new(instance, &raw)),
            debug: messenger.is_some().then(|| ext::debug_utils::Device::new(instance, &raw)),
            swapchain: on("VK_KHR_swapchain").then(|| khr::swapchain::Device::new(instance, &raw)),
        };
        let dynamic = dynamic_states(&chain, features, state2);
        let limits = limits(instance, physical, family, &properties, features);
        let mut stages = vk::PipelineStageFlags2::VERTEX_SHADER
            | vk::PipelineStageFlags2::FRAGMENT_SHADER
            | vk::PipelineStageFlags2::COMPUTE_SHADER;
        if features.has(Feature::Tessellation) {
            stages |= vk::PipelineStageFlags2::TESSELLATION_CONTROL_SHADER
                | vk::PipelineStageFlags2::TESSELLATION_EVALUATION_SHADER;
        }
        if features.has(Feature::Geometry) {
            stages |= vk::PipelineStageFlags2::GEOMETRY_SHADER;
        }
        let caps = caps(instance, physical, &raw, &properties, features);
        let name = format!(
            "{}, driver {}, Vulkan {}.{}.{}",
            properties.device_name_as_c_str().unwrap_or(c"unnamed").to_string_lossy(),
            properties.driver_version,
            vk::api_version_major(properties.api_version),
            vk::api_version_minor(properties.api_version),
            vk::api_version_patch(properties.api_version)
        );
        Ok(Self {
            entry,
            instance: instance.clone(),
            physical,
            raw,
            ext,
            queue,
            family,
            allocator: ManuallyDrop::new(allocator),
            memory_apart: options.memory_apart,
            features,
            dynamic,
            limits,
            stages,
            caps,
            name,
            messages,
            messenger,
            _turn: turn,
        })
    }

    /// Waits until the device has nothing to do.
    ///
    /// # Errors
    /// The result of the call.
    pub fn wait_idle(&self) -> Result<(), vk::Result> {
        // SAFETY: the one queue is used by the thread that owns the executor, which is the caller.
        unsafe { self.raw.device_wait_idle() }
    }

    /// Bytes allocated, allocations, and device memory blocks: what an allocation test watches.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        let Ok(stats) = self.allocator.calculate_statistics() else { return MemoryUse::default() };
        let total = stats.total.statistics;
        MemoryUse {
            bytes: total.allocationBytes,
            allocations: total.allocationCount,
            blocks: total.blockCount,
            block_bytes: total.blockBytes,
        }
    }

    /// (used, budget) in bytes, summed over device-local heaps; without VK_EXT_memory_budget the budget is an estimate from the heap's size.
    #[must_use]
    pub fn budget(&self) -> (u64, u64) {
        let Ok(budgets) = self.allocator.get_heap_budgets() else { return (0, 0) };
        // SAFETY: the allocator lives.
        let properties = unsafe { self.allocator.get_memory_properties() };
        let local = properties
            .memory_heaps_as_slice()
            .iter()
            .zip(&budgets)
            .filter(|(heap, _)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        local.fold((0, 0), |(used, budget), (_, b)| (used + b.usage, budget + b.budget))
    }
}

/// Memory in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryUse {
    /// Bytes handed out.
    pub bytes: u64,
    /// Allocations handed out.
    pub allocations: u32,
    /// Device memory blocks.
    pub blocks: u32,
    /// Bytes of those blocks.
    pub block_bytes: u64,
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: this is the last holder; executors wait for the device before they let go of it. The order is the reverse of creation.
        unsafe {
            let _ = self.raw.device_wait_idle();
            ManuallyDrop::drop(&mut self.allocator);
            self.raw.destroy_device(None);
            if let Some((debug, handle)) = self.messenger.take() {
                debug.destroy_debug_utils_messenger(handle, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}

fn make_instance(
    entry: &ash::Entry,
    options: &DeviceOptions,
    messages: &Arc<Messages>,
) -> Result<(ash::Instance, Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>), DeviceError> {
    let app = vk::ApplicationInfo::default().application_name(c"ferrograph").api_version(vk::API_VERSION_1_3);
    let mut layers: Vec<*const c_char> = Vec::new();
    let mut extensions: Vec<*const c_char> = options.instance_extensions.iter().map(|e| e.as_ptr()).collect();
    let mut messenger_info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(on_message))
        .user_data(Arc::as_ptr(messages).cast_mut().cast());
    if options.validation {
        // SAFETY: a query of the loader.
        let known = unsafe { entry.enumerate_instance_layer_properties() }
            .map_err(failed("vkEnumerateInstanceLayerProperties"))?;
        if !known.iter().any(|l| l.layer_name_as_c_str() == Ok(VALIDATION)) {
            return Err(DeviceError::NoValidationLayer);
        }
        layers.push(VALIDATION.as_ptr());
        extensions.push(ext::debug_utils::NAME.as_ptr());
    }
    let mut info = vk::InstanceCreateInfo::default()
        .application_info(&app)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions);
    if options.validation {
        info = info.push_next(&mut messenger_info);
    }
    // SAFETY: layers and extensions were checked or come from the window system.
    let instance = unsafe { entry.create_instance(&info, None) }
        .map_err(|result| DeviceError::NoDevice { why: format!("no instance can be made ({result})") })?;
    if !options.validation {
        return Ok((instance, None));
    }
    let debug = ext::debug_utils::Instance::new(entry, &instance);
    messenger_info.p_next = std::ptr::null();
    // SAFETY: the sink lives in the Device, which destroys the messenger before it lets go of the sink.
    match unsafe { debug.create_debug_utils_messenger(&messenger_info, None) } {
        Ok(handle) => Ok((instance, Some((debug, handle)))),
        Err(result) => {
            // SAFETY: nothing was made from the instance.
            unsafe { instance.destroy_instance(None) };
            Err(DeviceError::Vulkan { call: "vkCreateDebugUtilsMessengerEXT", result })
        }
    }
}

/// The device and its queue family, or why there is none.
fn choose(instance: &ash::Instance, name: &str) -> Result<(vk::PhysicalDevice, u32), DeviceError> {
    // SAFETY: queries on a live instance.
    let devices = unsafe { instance.enumerate_physical_devices() }
        .map_err(|result| DeviceError::NoDevice { why: format!("no driver answers ({result})") })?;
    if devices.is_empty() {
        return Err(DeviceError::NoDevice { why: "no driver is installed".to_owned() });
    }
    let mut best: Option<(u32, vk::PhysicalDevice, u32)> = None;
    let mut reasons = Vec::new();
    for physical in devices {
        // SAFETY: `physical` came from this instance.
        let (properties, families) = unsafe {
            (
                instance.get_physical_device_properties(physical),
                instance.get_physical_device_queue_family_properties(physical),
            )
        };
        let title = properties.device_name_as_c_str().unwrap_or(c"unnamed").to_string_lossy().into_owned();
        if !name.is_empty() && !title.to_lowercase().contains(&name.to_lowercase()) {
            reasons.push(format!("{title} is not the device asked for, {name:?}"));
            continue;
        }
        if properties.api_version < vk::API_VERSION_1_3 {
            reasons.push(format!("{title} has Vulkan below 1.3"));
            continue;
        }
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut head = vk::PhysicalDeviceFeatures2::default().push_next(&mut v12).push_next(&mut v13);
        // SAFETY: a 1.3 device knows these structures.
        unsafe { instance.get_physical_device_features2(physical, &mut head) };
        if v13.dynamic_rendering == 0 || v13.synchronization2 == 0 || v12.timeline_semaphore == 0 {
            reasons.push(format!("{title} lacks dynamic rendering, synchronization2 or timeline semaphores"));
            continue;
        }
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let Some(family) = families.iter().position(|f| f.queue_flags.contains(wanted)) else {
            reasons.push(format!("{title} has no queue for both graphics and compute"));
            continue;
        };
        let rank = match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => 4,
            vk::PhysicalDeviceType::INTEGRATED_GPU => 3,
            vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
            _ => 1,
        };
        if best.is_none_or(|(r, _, _)| rank > r) {
            best = Some((rank, physical, family as u32));
        }
    }
    best.map(|(_, physical, family)| (physical, family)).ok_or(DeviceError::NoDevice { why: reasons.join("; ") })
}

/// Extensions that the executor uses; the others of the table are only reported.
const ENABLED: &[&str] = &[
    "VK_EXT_depth_clip_control",
    "VK_EXT_depth_clip_enable",
    "VK_EXT_depth_bias_control",
    "VK_EXT_provoking_vertex",
    "VK_EXT_index_type_uint8",
    "VK_EXT_primitive_topology_list_restart",
    "VK_EXT_custom_border_color",
    "VK_EXT_border_color_swizzle",
    "VK_EXT_robustness2",
    "VK_EXT_attachment_feedback_loop_layout",
    "VK_EXT_extended_dynamic_state3",
    "VK_EXT_vertex_input_dynamic_state",
    "VK_EXT_external_memory_host",
    "VK_EXT_memory_budget",
    "VK_EXT_line_rasterization",
    "VK_EXT_vertex_attribute_divisor",
    "VK_EXT_image_2d_view_of_3d",
    "VK_EXT_image_view_min_lod",
    "VK_EXT_transform_feedback",
    "VK_EXT_conditional_rendering",
    "VK_EXT_shader_stencil_export",
    "VK_KHR_dynamic_rendering_local_read",
];

fn found(core: &vk::PhysicalDeviceFeatures, chain: &Chain<'_>, have: &HashSet<String>) -> Features {
    use Feature as F;
    let mut set = Features::default();
    let mut put = |feature: F, on: bool| set.set(feature, on);
    let has = |name: &str| have.contains(name);
    put(F::DepthClipControl, chain.clip_control.depth_clip_control != 0);
    put(F::DepthClipEnable, chain.clip_enable.depth_clip_enable != 0);
    put(F::DepthClamp, core.depth_clamp != 0);
    put(F::DepthBounds, core.depth_bounds != 0);
    put(F::DepthBiasControl, chain.bias_control.depth_bias_control != 0);
    put(F::ProvokingVertex, chain.provoking.provoking_vertex_last != 0);
    put(F::IndexU8, chain.index_u8.index_type_uint8 != 0);
    put(F::ListRestart, chain.list_restart.primitive_topology_list_restart != 0);
    put(
        F::CustomBorderColor,
        chain.border.custom_border_colors != 0 && chain.border.custom_border_color_without_format != 0,
    );
    put(F::BorderColorSwizzle, chain.border_swizzle.border_color_swizzle != 0);
    put(F::NullDescriptor, chain.robust.null_descriptor != 0);
    put(F::RobustBuffer2, chain.robust.robust_buffer_access2 != 0);
    put(F::RobustImage2, chain.robust.robust_image_access2 != 0);
    put(F::FeedbackLayout, chain.feedback.attachment_feedback_loop_layout != 0);
    put(F::FeedbackDynamic, has("VK_EXT_attachment_feedback_loop_dynamic_state"));
    put(F::DynamicState3, has("VK_EXT_extended_dynamic_state3"));
    put(F::DynamicVertexInput, chain.vertex_input.vertex_input_dynamic_state != 0);
    put(F::DynamicTopology, false);
    put(F::ExternalHostMemory, has("VK_EXT_external_memory_host"));
    put(F::MemoryBudget, has("VK_EXT_memory_budget"));
    put(F::LineRasterization, chain.line.bresenham_lines != 0);
    put(F::WideLines, core.wide_lines != 0);
    put(F::LargePoints, core.large_points != 0);
    put(F::FillModes, core.fill_mode_non_solid != 0);
    put(F::VertexDivisor, chain.divisor.vertex_attribute_instance_rate_divisor != 0);
    put(F::View2dOf3d, chain.view_3d.image2_d_view_of3_d != 0);
    put(F::ViewMinLod, chain.min_lod.min_lod != 0);
    put(F::TransformFeedback, chain.xfb.transform_feedback != 0);
    put(F::ConditionalRendering, chain.conditional.conditional_rendering != 0);
    put(F::VertexLayer, chain.v12.shader_output_layer != 0);
    put(F::MultiViewport, core.multi_viewport != 0);
    put(F::IndependentBlend, core.independent_blend != 0);
    put(F::DualSourceBlend, core.dual_src_blend != 0);
    put(F::LogicOp, core.logic_op != 0);
    put(F::SampleShading, core.sample_rate_shading != 0);
    put(F::Anisotropy, core.sampler_anisotropy != 0);
    put(F::CubeArray, core.image_cube_array != 0);
    put(F::IndirectCount, chain.v12.draw_indirect_count != 0);
    put(F::MultiDrawIndirect, core.multi_draw_indirect != 0);
    put(F::IndirectFirstInstance, core.draw_indirect_first_instance != 0);
    put(F::DescriptorIndexing, chain.v12.descriptor_indexing != 0);
    put(F::SeparateDepthStencil, chain.v12.separate_depth_stencil_layouts != 0);
    put(F::StencilExport, has("VK_EXT_shader_stencil_export"));
    put(F::SamplerMinmax, chain.v12.sampler_filter_minmax != 0);
    put(F::MirrorClamp, chain.v12.sampler_mirror_clamp_to_edge != 0);
    put(F::FragmentInterlock, has("VK_EXT_fragment_shader_interlock"));
    put(F::LocalRead, chain.local_read.dynamic_rendering_local_read != 0);
    put(F::ShaderObject, has("VK_EXT_shader_object"));
    put(F::PipelineLibrary, has("VK_EXT_graphics_pipeline_library"));
    put(F::MeshShader, has("VK_EXT_mesh_shader"));
    put(F::Geometry, core.geometry_shader != 0);
    put(F::Tessellation, core.tessellation_shader != 0);
    put(F::FragmentStores, core.fragment_stores_and_atomics != 0);
    put(F::VertexStores, core.vertex_pipeline_stores_and_atomics != 0);
    put(F::Int64, core.shader_int64 != 0);
    put(F::Float64, core.shader_float64 != 0);
    put(F::BlockCompressed, core.texture_compression_bc != 0);
    put(F::AstcCompressed, core.texture_compression_astc_ldr != 0);
    put(F::Swapchain, has("VK_KHR_swapchain"));
    set
}

/// Switches off what is not used and costs something, and what `without` took away.
fn trim(mut core: vk::PhysicalDeviceFeatures, chain: &mut Chain<'_>, set: Features) -> vk::PhysicalDeviceFeatures {
    use Feature as F;
    let bit = |f: F, now: vk::Bool32| if set.has(f) { now } else { 0 };
    core.sparse_binding = 0;
    core.sparse_residency_buffer = 0;
    core.sparse_residency_image2_d = 0;
    core.sparse_residency_image3_d = 0;
    core.sparse_residency_aliased = 0;
    core.depth_clamp = bit(F::DepthClamp, core.depth_clamp);
    core.depth_bounds = bit(F::DepthBounds, core.depth_bounds);
    core.wide_lines = bit(F::WideLines, core.wide_lines);
    core.sampler_anisotropy = bit(F::Anisotropy, core.sampler_anisotropy);
    chain.v11.protected_memory = 0;
    chain.v12.buffer_device_address = 0;
    chain.v12.buffer_device_address_capture_replay = 0;
    chain.v12.buffer_device_address_multi_device = 0;
    chain.v12.draw_indirect_count = bit(F::IndirectCount, chain.v12.draw_indirect_count);
    chain.v12.separate_depth_stencil_layouts = bit(F::SeparateDepthStencil, chain.v12.separate_depth_stencil_layouts);
    chain.robust.null_descriptor = bit(F::NullDescriptor, chain.robust.null_descriptor);
    chain.robust.robust_buffer_access2 = bit(F::RobustBuffer2, chain.robust.robust_buffer_access2);
    chain.robust.robust_image_access2 = bit(F::RobustImage2, chain.robust.robust_image_access2);
    core
}

fn dynamic_states(chain: &Chain<'_>, set: Features, state2: bool) -> DynamicStates {
    if !set.has(Feature::DynamicState3) {
        return DynamicStates::default();
    }
    let s = &chain.state3;
    DynamicStates {
        polygon_mode: s.extended_dynamic_state3_polygon_mode != 0,
        sample_mask: s.extended_dynamic_state3_sample_mask != 0,
        alpha_to_coverage: s.extended_dynamic_state3_alpha_to_coverage_enable != 0,
        logic_op_enable: s.extended_dynamic_state3_logic_op_enable != 0,
        logic_op: state2 && chain.state2.extended_dynamic_state2_logic_op != 0,
        color_blend: s.extended_dynamic_state3_color_blend_enable != 0
            && s.extended_dynamic_state3_color_blend_equation != 0,
        write_mask: s.extended_dynamic_state3_color_write_mask != 0,
        depth_clamp: s.extended_dynamic_state3_depth_clamp_enable != 0 && set.has(Feature::DepthClamp),
        depth_clip: s.extended_dynamic_state3_depth_clip_enable != 0 && set.has(Feature::DepthClipEnable),
        negative_one: s.extended_dynamic_state3_depth_clip_negative_one_to_one != 0
            && set.has(Feature::DepthClipControl),
        provoking: s.extended_dynamic_state3_provoking_vertex_mode != 0 && set.has(Feature::ProvokingVertex),
        patch_points: state2 && chain.state2.extended_dynamic_state2_patch_control_points != 0,
    }
}

fn limits(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    family: u32,
    properties: &vk::PhysicalDeviceProperties,
    set: Features,
) -> Limits {
    let l = &properties.limits;
    let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut more = vk::PhysicalDeviceProperties2::default();
    if set.has(Feature::ExternalHostMemory) {
        more = more.push_next(&mut host);
    }
    // SAFETY: the extension whose structure is chained exists.
    let families = unsafe {
        instance.get_physical_device_properties2(physical, &mut more);
        instance.get_physical_device_queue_family_properties(physical)
    };
    Limits {
        max_uniform_range: u64::from(l.max_uniform_buffer_range),
        max_storage_range: u64::from(l.max_storage_buffer_range),
        uniform_alignment: l.min_uniform_buffer_offset_alignment,
        storage_alignment: l.min_storage_buffer_offset_alignment,
        max_anisotropy: l.max_sampler_anisotropy,
        max_lod_bias: l.max_sampler_lod_bias,
        max_viewports: l.max_viewports,
        timestamp_period: l.timestamp_period,
        timestamp_bits: families.get(family as usize).map_or(0, |f| f.timestamp_valid_bits),
        host_import_alignment: host.min_imported_host_pointer_alignment,
        line_width: l.line_width_range,
        max_push_constants: l.max_push_constants_size,
        non_coherent_atom: l.non_coherent_atom_size,
    }
}

/// The driver: its id, and what it says of its version.
fn driver(instance: &ash::Instance, physical: vk::PhysicalDevice) -> (vk::DriverId, String) {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut more = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: a 1.3 device knows the structure.
    unsafe { instance.get_physical_device_properties2(physical, &mut more) };
    let info = driver.driver_info_as_c_str().unwrap_or_default().to_string_lossy().into_owned();
    (driver.driver_id, info)
}

/// Whether the driver draws indirectly from the beginning of the index buffer, whatever offset was bound: Mesa's software driver does in 22.3, and no
/// longer in 25. A version between them, or one that cannot be read, is taken for an old one: the way around works on any.
fn ignores_index_offset((id, info): &(vk::DriverId, String)) -> bool {
    const RIGHT_SINCE: u32 = 25;
    let major = info.strip_prefix("Mesa ").and_then(|v| v.split('.').next()).and_then(|v| v.parse::<u32>().ok());
    *id == vk::DriverId::MESA_LLVMPIPE && major.is_none_or(|major| major < RIGHT_SINCE)
}

/// What the memory of a buffer must be aligned to.
fn buffer_alignment(raw: &ash::Device, usage: vk::BufferUsageFlags) -> u32 {
    let create = vk::BufferCreateInfo::default().size(65536).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
    let ask = vk::DeviceBufferMemoryRequirements::default().create_info(&create);
    let mut needs = vk::MemoryRequirements2::default();
    // SAFETY: a query with complete create info; a 1.3 device knows it.
    unsafe { raw.get_device_buffer_memory_requirements(&ask, &mut needs) };
    u32::try_from(needs.memory_requirements.alignment.max(1)).unwrap_or(u32::MAX)
}

fn caps(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    raw: &ash::Device,
    properties: &vk::PhysicalDeviceProperties,
    set: Features,
) -> DeviceCaps {
    use Feature as F;
    let mut table = vec![0; Format::ALL.len() + 1];
    for &f in Format::ALL {
        let name = formats::format(f);
        if name == vk::Format::UNDEFINED {
            continue;
        }
        // SAFETY: a query with a core format.
        let p = unsafe { instance.get_physical_device_format_properties(physical, name) };
        table[f as usize] = uses_of(p.optimal_tiling_features, p.buffer_features);
    }
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut more = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
    // SAFETY: a 1.3 device knows the structure.
    unsafe { instance.get_physical_device_properties2(physical, &mut more) };
    let l = &properties.limits;
    DeviceCaps {
        formats: table,
        depth_clip_control: set.has(F::DepthClipControl),
        depth_clamp: set.has(F::DepthClamp) && set.has(F::DepthClipEnable),
        feedback_layout: set.has(F::FeedbackLayout),
        last_vertex_provokes: set.has(F::ProvokingVertex),
        index_u8: set.has(F::IndexU8),
        // Only portability implementations lack them, and those have no conformant 1.3.
        triangle_fans: true,
        vertex_layer: set.has(F::VertexLayer),
        depth_bounds: set.has(F::DepthBounds),
        depth_bias_control: set.has(F::DepthBiasControl),
        indirect_count: set.has(F::IndirectCount),
        indirect_index_alignment: if set.has(F::IndirectIndexOffset) {
            0
        } else {
            buffer_alignment(raw, crate::resources::POOL_USAGE)
        },
        null_descriptor: set.has(F::NullDescriptor),
        descriptor_indexing: set.has(F::DescriptorIndexing),
        uniform_buffers: l.max_per_stage_descriptor_uniform_buffers,
        uniform_alignment: l.min_uniform_buffer_offset_alignment as u32,
        storage_alignment: l.min_storage_buffer_offset_alignment as u32,
        subgroup_size: subgroup.subgroup_size,
    }
}

fn uses_of(image: vk::FormatFeatureFlags, buffer: vk::FormatFeatureFlags) -> u32 {
    use vk::FormatFeatureFlags as V;
    const PAIRS: [(V, u32); 9] = [
        (V::SAMPLED_IMAGE, format_uses::SAMPLED),
        (V::SAMPLED_IMAGE_FILTER_LINEAR, format_uses::FILTERED),
        (V::COLOR_ATTACHMENT, format_uses::COLOR),
        (V::COLOR_ATTACHMENT_BLEND, format_uses::BLEND),
        (V::DEPTH_STENCIL_ATTACHMENT, format_uses::DEPTH),
        (V::STORAGE_IMAGE, format_uses::STORAGE),
        (V::STORAGE_IMAGE_ATOMIC, format_uses::ATOMIC),
        (V::BLIT_SRC, format_uses::BLIT_SOURCE),
        (V::BLIT_DST, format_uses::BLIT_TARGET),
    ];
    let mut uses = PAIRS.iter().filter(|(v, _)| image.contains(*v)).fold(0, |all, (_, u)| all | u);
    if buffer.contains(V::VERTEX_BUFFER) {
        uses |= format_uses::VERTEX;
    }
    if buffer.contains(V::UNIFORM_TEXEL_BUFFER) {
        uses |= format_uses::TEXEL_BUFFER;
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_software_drivers_ignore_the_index_offset() {
        let llvmpipe = |info: &str| ignores_index_offset(&(vk::DriverId::MESA_LLVMPIPE, info.to_owned()));
        assert!(llvmpipe("Mesa 22.3.6 (LLVM 15.0.6)"));
        assert!(llvmpipe("Mesa 24.1.0"));
        assert!(!llvmpipe("Mesa 25.0.7 (LLVM 15.0.6)"));
        assert!(llvmpipe("a build of one's own"));
        assert!(!ignores_index_offset(&(vk::DriverId::NVIDIA_PROPRIETARY, "550.54".to_owned())));
    }
}
