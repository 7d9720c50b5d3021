//! What can go wrong.

use ash::vk;
use framegraph::ids::{NodeId, PassId, ResourceId};

/// Making a device failed.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No usable device: the loader is missing, there is no driver, or none reaches the baseline. The program exits with status 1.
    #[error("no usable Vulkan device: {why}; install a Vulkan 1.3 driver, or name one in VK_DRIVER_FILES")]
    NoDevice {
        /// What each candidate lacked, or what the loader said.
        why: String,
    },
    /// A call failed.
    #[error("{call} failed: {result}; the driver may be broken or out of memory")]
    Vulkan {
        /// Name of the call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// Validation was asked for, but the layer is not there.
    #[error(
        "the validation layer VK_LAYER_KHRONOS_validation is not installed; install vulkan-validationlayers or run without it"
    )]
    NoValidationLayer,
}

/// The window cannot be drawn to.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The loader or the driver knows no surfaces of this window system.
    #[error(
        "Vulkan cannot draw to windows of this window system: {call} gave {result}; install a driver that can, or run with --headless"
    )]
    System {
        /// The call.
        call: &'static str,
        /// What it gave.
        result: vk::Result,
    },
    /// The device was made without what a window needs.
    #[error(
        "the device {device} cannot present to this window: {why}; name another driver in VK_DRIVER_FILES, or run with --headless"
    )]
    Unable {
        /// The device.
        device: String,
        /// What it lacks.
        why: &'static str,
    },
    /// A call failed.
    #[error("the window cannot be drawn to: {call} gave {result}; close it and start again, or run with --headless")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it gave.
        result: vk::Result,
    },
    /// The executor failed.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

/// Executing a plan failed.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// A call failed.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// Name of the call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// The device was lost: the frame cannot be finished and the program must stop.
    #[error(
        "the Vulkan device was lost in {call}; stop, and replay the trace with --set vulkan.validation=true to find the command"
    )]
    DeviceLost {
        /// Name of the call.
        call: &'static str,
    },
    /// A step names something that is not in the world.
    #[error("step {step}: {what}; the plan and the tables disagree")]
    BadPlan {
        /// Index of the step.
        step: usize,
        /// What is wrong.
        what: String,
    },
    /// A resource is not of the kind that a use needs.
    #[error("{resource:?} is not {wanted}")]
    WrongKind {
        /// The resource.
        resource: ResourceId,
        /// What was needed.
        wanted: &'static str,
    },
    /// An image cannot be made on this device.
    #[error(
        "{resource:?}: this device cannot make {what}; a rule of the graph should have chosen another format or shape"
    )]
    Image {
        /// The resource.
        resource: ResourceId,
        /// Format, shape and samples.
        what: String,
    },
    /// A state id of a draw has no row.
    #[error("{node:?}: no row for its {group}")]
    MissingState {
        /// The node.
        node: NodeId,
        /// Which group.
        group: &'static str,
    },
    /// A shader variant is not in the table of modules.
    #[error("shader variant {variant} is not in the table of modules")]
    MissingShader {
        /// Its key.
        variant: u32,
    },
    /// A module is not SPIR-V that can be read.
    #[error("shader variant {variant}: {why}")]
    BadShader {
        /// Its key.
        variant: u32,
        /// What is wrong.
        why: String,
    },
    /// The graph asks for something that this device lacks.
    #[error("{what} needs {feature}, which this device lacks; a rule of the graph should have lowered it")]
    Lacks {
        /// What asked.
        what: String,
        /// Feature.
        feature: &'static str,
    },
    /// The graph asks for something that no Vulkan device has.
    #[error("{node:?}: {what}")]
    Unsupported {
        /// The node.
        node: NodeId,
        /// What.
        what: String,
    },
    /// A pass that is not in the pool.
    #[error("{pass:?} is not in the pool of passes")]
    NoPass {
        /// The pass.
        pass: PassId,
    },
    /// Nothing was presented yet.
    #[error("nothing was presented yet: there is no picture to take")]
    NothingPresented,
}

impl ExecuteError {
    /// The error of a call.
    #[must_use]
    pub fn of(call: &'static str, result: vk::Result) -> Self {
        if result == vk::Result::ERROR_DEVICE_LOST { Self::DeviceLost { call } } else { Self::Vulkan { call, result } }
    }
}

/// Names the call of a failed result.
pub(crate) trait Named<T> {
    /// The value, or the error with the call's name.
    fn named(self, call: &'static str) -> Result<T, ExecuteError>;
}

impl<T> Named<T> for Result<T, vk::Result> {
    fn named(self, call: &'static str) -> Result<T, ExecuteError> {
        self.map_err(|result| ExecuteError::of(call, result))
    }
}
