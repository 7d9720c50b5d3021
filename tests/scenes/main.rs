//! Proof scenes: each draws through the whole path and fails when its rule is off.

mod buffers;
mod clears;
mod depth;
mod draws;
mod feedback;
mod fresh;
mod indirect;
mod origin;
mod presents;
mod samplers;
mod scanout;
mod settled;
mod shaders;
mod targets;
mod textures;
mod updates;
mod vertex_inputs;

use ferrograph_tests::scene::Stage;
use framegraph::pass::PassFlags;

/// Passes of the last part.
fn live_passes(stage: &Stage) -> usize {
    stage.with_graph(|graph| {
        let world = graph.world_mut();
        world.query::<&PassFlags>().iter(world).filter(|flags| flags.has(PassFlags::LIVE)).count()
    })
}

/// Words as bytes.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Floats as bytes.
fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
