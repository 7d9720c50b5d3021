//! Frames of a trace from records to Plan, without a device.

use crate::profile::Profile;
use bevy_ecs::prelude::World;
use framegraph::tables::ShaderModules;
use nvn_decode::memory::Guest;
use nvn_decode::memory::PageMemory;
use nvn_decode::trace::{TraceError, TraceReader};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use systems::state::maxwell::Maxwell;

/// Frames after which everything has its size: buffers have grown, shaders are translated.
pub const WARM: u64 = 10;

/// Runs all frames of a trace; the profile keeps those from [`WARM`] on in which no shader is new. Returns the number of those.
///
/// # Errors
/// The file is no trace, or is damaged.
pub fn run(trace: &Path, profile: &mut Profile) -> Result<u64, Box<dyn std::error::Error>> {
    let mut trace = TraceReader::open(File::open(trace)?)?;
    let memory = Arc::new(PageMemory::default());
    let guest = Guest { memory: memory.clone(), tracking: memory.clone() };
    let mut world = World::new();
    systems::run::install(&mut world, guest, Arc::new(Maxwell::default()));
    let frames = trace.frames().len() as u64;
    let mut kept = 0;
    for frame in 0..frames {
        if frame == WARM {
            profile.forget();
            profile.rows.iter_mut().for_each(|row| row.times.reserve(frames as usize));
        }
        let (known, counts) = (world.resource::<ShaderModules>().modules.len(), profile.counts());
        profile.begin_frame();
        trace.play_frame::<TraceError>(frame, &memory, |part| {
            profile.run_part(&mut world, part);
            Ok(())
        })?;
        if world.resource::<ShaderModules>().modules.len() > known {
            profile.forget_frame(&counts);
        } else if frame >= WARM {
            kept += 1;
        }
    }
    Ok(kept)
}
