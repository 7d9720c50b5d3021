//! The NVN API that a guest calls, and the recorder behind it.
//!
//! Every function reads its arguments from a [`Call`] (registers and guest memory), so that a guest and the Rust [`recorder`] run the very same code.
//! Objects live in the guest's own memory in layouts of ours that never exceed the API's sizes ([`objects`]); everything a command names is copied into a
//! record when it is recorded (rows R-001a, R-066b, A-033). Nothing here knows how a frame is drawn: finished records go to a [`GpuSink`].

pub mod call;
pub mod command;
pub mod device;
mod getters;
pub mod guest;
pub mod objects;
pub mod pool;
pub mod program;
pub mod queue;
pub mod recorder;
pub mod sampler;
pub mod state;
pub mod table;
pub mod texels;
pub mod texture;

pub use call::{Call, CallError};
pub use device::{GpuSink, Nvn, Options, SyncOutcome};
