//! Executes a [`framegraph::plan::Plan`] with Vulkan; holds no rule.
//!
//! [`device::Device`] is the instance, the device and its memory; [`executor::Executor`] walks plans; [`stream`] is the log of every emitted command and
//! [`checker`] proves its hazards, sharing no code with the planner; [`hostile`] runs a plan with everything undefined made visibly wrong (tests only).
//!
//! All raw calls go through [`gpu`], so that the log sees every object and every command.
#![allow(unsafe_code)] // Vulkan is a C interface: every call through ash is unsafe. Calls are kept in `device` and `gpu`.

pub mod checker;
pub mod convert;
pub mod device;
pub mod error;
pub mod executor;
pub mod features;
pub mod formats;
pub mod gpu;
pub mod hostile;
pub mod messages;
pub mod spirv;
pub mod stream;
pub mod swapchain;

mod descriptors;
mod frames;
mod pipelines;
mod resources;
mod turns;

pub use device::{Device, DeviceOptions};
pub use error::{DeviceError, ExecuteError, WindowError};
pub use executor::{
    Completion, Executor, ExecutorOptions, Look, LookRequest, OVERLAY_FORMAT, OverlayTarget, PassTime, Screenshot,
    Submitted,
};
pub use swapchain::{Pace, Shown, Swapchain};
