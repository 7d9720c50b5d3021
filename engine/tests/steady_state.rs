//! A steady frame of the demo title allocates nothing between records and Plan.

use bevy_ecs::prelude::World;
use framegraph::tables::ShaderModules;
use framegraph_bench::allocator::{Counting, allocations};
use nvn_decode::memory::Guest;
use nvn_decode::memory::PageMemory;
use nvn_decode::trace::{TraceError, TraceReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use systems::run::{Engine, Slots};
use systems::state::maxwell::Maxwell;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Frames after which everything has its size.
const WARM: u64 = 10;
const FRAMES: u64 = 24;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A trace of the demo title; `None` where there is no device to play it on.
fn trace() -> Option<PathBuf> {
    let title = root().join("target/titles/island");
    if !titles::is_current(&root(), "island", &title) {
        titles::build(&root(), "island", &title).unwrap_or_else(|e| panic!("{e}"));
    }
    let path = root().join("target/island-tests/steady.fgt");
    std::fs::create_dir_all(path.parent()?).expect("a folder");
    let played = Command::new(env!("CARGO_BIN_EXE_ferrograph"))
        .arg("play")
        .arg(&title)
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
    let mut world = World::new();
    systems::run::install(&mut world, guest, Arc::new(Maxwell::default()));
    let mut engine = Engine::new(Slots::default());
    let mut counts = Vec::new();
    for frame in 0..FRAMES {
        let mut count = 0;
        let known = world.resource::<ShaderModules>().modules.len();
        let played = trace.play_frame::<TraceError>(frame, &memory, |part| {
            let before = allocations();
            engine.run_part(&mut world, part);
            count += allocations() - before;
            Ok(())
        });
        played.unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        // A variant of a shader that was never asked for before is translated then: such a frame is not steady.
        let translated = world.resource::<ShaderModules>().modules.len() > known;
        counts.push((count, translated));
    }
    assert!(counts[0].0 > 0, "the first frame allocates, so that the counter is seen to count");
    let steady: Vec<_> = counts[WARM as usize..].iter().filter(|(_, translated)| !translated).collect();
    assert!(steady.len() > 10, "{counts:?}");
    assert!(
        steady.iter().all(|(count, _)| *count == 0),
        "allocations by frame, and whether a shader is new: {counts:?}"
    );
}
