//! A steady frame of the demo title allocates nothing: neither between records and Plan, nor while the Plan is emitted. What the driver allocates is its own: it
//! does so behind the C library, where the counter does not look.

mod program;

use bevy_ecs::prelude::World;
use ferrograph_vulkan::{Device, DeviceOptions, Executor, ExecutorOptions};
use framegraph::tables::ShaderModules;
use framegraph_bench::allocator::{Counting, allocations};
use nvn_decode::memory::Guest;
use nvn_decode::memory::PageMemory;
use nvn_decode::trace::{TraceError, TraceReader};
use program::{folder, title};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use systems::run::{Engine, Slots};
use systems::state::maxwell::Maxwell;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Frames after which everything has its size.
const WARM: u64 = 10;
const FRAMES: u64 = 24;

/// A trace of the demo title; `None` where there is no device to play it on.
fn trace() -> Option<PathBuf> {
    let path = folder("steady").join("steady.fgt");
    let played = Command::new(env!("CARGO_BIN_EXE_ferrograph"))
        .arg("play")
        .arg(title())
        .args(["--headless", "--fixed-step", "--frames", &FRAMES.to_string(), "--record"])
        .arg(&path)
        .output()
        .expect("the program runs");
    let stderr = String::from_utf8_lossy(&played.stderr);
    if stderr.contains("no usable Vulkan device") {
        eprintln!("skipped: {stderr}");
        return None;
    }
    assert!(played.status.success(), "{stderr}");
    Some(path)
}

#[test]
fn gpu_a_steady_frame_of_the_demo_allocates_nothing() {
    let Some(path) = trace() else { return };
    let mut trace = TraceReader::open(std::fs::File::open(path).expect("a trace")).expect("whole");
    let memory = Arc::new(PageMemory::default());
    let guest = Guest { memory: memory.clone(), tracking: memory.clone() };
    let device = Device::new(&DeviceOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::new();
    systems::run::install(&mut world, guest, Arc::new(Maxwell::default()));
    world.insert_resource(device.caps.clone());
    let mut executor = Executor::new(device, &ExecutorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = Engine::new(Slots::default());
    let mut counts = Vec::new();
    for frame in 0..FRAMES {
        let (mut planned, mut emitted) = (0, 0);
        let known =
            (world.resource::<ShaderModules>().modules.len(), executor.pipeline_count(), executor.resource_count());
        let played = trace.play_frame::<TraceError>(frame, &memory, |part| {
            let before = allocations();
            engine.run_part(&mut world, part);
            let between = allocations();
            let submitted = executor.execute(&world);
            submitted.unwrap_or_else(|e| panic!("frame {frame}: {e}"));
            executor.poll().unwrap_or_else(|e| panic!("frame {frame}: {e}"));
            executor.completions().for_each(drop);
            planned += between - before;
            emitted += allocations() - between;
            Ok(())
        });
        played.unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        // A variant of a shader, a pipeline or a resource that was never asked for before is made then: such a frame is not steady.
        let knows =
            (world.resource::<ShaderModules>().modules.len(), executor.pipeline_count(), executor.resource_count());
        counts.push((planned, emitted, known != knows));
    }
    executor.finish().unwrap_or_else(|e| panic!("{e}"));
    assert!(counts[0].0 > 0 && counts[0].1 > 0, "the first frame allocates, so that the counter is seen to count");
    let steady: Vec<_> = counts[WARM as usize..].iter().filter(|(.., new)| !new).collect();
    assert!(steady.len() > 10, "{counts:?}");
    assert!(
        steady.iter().all(|(planned, emitted, _)| (*planned, *emitted) == (0, 0)),
        "allocations by frame: from records to plan, emitting it; and whether something is new: {counts:?}"
    );
}
