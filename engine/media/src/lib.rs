//! Input of the host: keyboard, pads, scripts.
#![allow(unsafe_code)] // `input::gamepad` asks the kernel for the ranges of a pad's axes and waits for its events; no other module has unsafe code.

pub mod input;
