//! Uniform blocks are copied when the part begins.
//!
//! Guest code writes its per-object blocks, submits, and at once writes them again for the next frame: on the console the GPU is close behind, or the title
//! cycles through blocks by fences that it believes. Here the GPU may run much later, so every uniform range that the part binds and that only the CPU writes
//! is copied when the part begins, and draws bind the copy. A range that the GPU writes (inline updates, copies, storage) stays bound to the pool's buffer,
//! where those writes land in order.
//!
//! Seen as: objects that shake, or show the transform of another.
//! Rows.  Proof: the unit tests below.  Cost: the bytes of the distinct ranges.

use super::translate_virtual_addresses::BindingSources;
use crate::resources::collect_storage_uses::GpuWritten;
use crate::resources::intervals::Intervals;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::resource::PhysicalRange;
use framegraph::schedule::Phase;
use framegraph::tables::{BindSource, Bindings, Snapshots};
use nvn_decode::ingest::Device;
use nvn_decode::memory::Guest;
use nvn_decode::raw::{RawCopyKind, RawPart};
use std::collections::HashMap;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "snapshot_uniform_ranges",
    phase: Phase::Ingest,
    kind: Kind::Correctness,
    rows: &["A-039"],
    after: &["translate_virtual_addresses"],
    off_means: "draws bind the pool's buffer",
    knobs: &["A-039"],
};

/// Copies what is bound.
pub fn snapshot_uniform_ranges(
    device: Res<Device>,
    guest: Res<Guest>,
    raw: Res<RawPart>,
    switches: Res<Switches>,
    gpu: Res<GpuWritten>,
    sources: Res<BindingSources>,
    mut bindings: ResMut<Bindings>,
    mut snapshots: ResMut<Snapshots>,
    mut written_here: Local<Intervals>,
    mut copies: Local<HashMap<(u64, u64), u32>>,
) {
    if !switches.on(&RULE) || switches.knob("A-039") {
        return;
    }
    copies.clear();
    written_here.clear();
    let mut writes = |address: u64, length: u64| {
        if let Some(at) = device.locate(address) {
            written_here.add(PhysicalRange { pool: at.pool, offset: at.offset, length: length.min(at.left) });
        }
    };
    for update in &raw.updates {
        writes(update.address, u64::from(update.length));
    }
    for copy in &raw.copies {
        match &copy.kind {
            RawCopyKind::Buffer(c) => writes(c.target, c.size),
            RawCopyKind::Fill(c) => writes(c.target, c.size),
            RawCopyKind::TextureToBuffer(c) => writes(c.address, super::texture_copy_bytes(c)),
            _ => {}
        }
    }
    for (row, range) in &sources.storage {
        if bindings.rows[*row as usize].written {
            writes(range.address, range.size);
        }
    }
    for (row, range) in &sources.uniforms {
        let binding = &mut bindings.rows[*row as usize];
        let BindSource::Slice(bound) = binding.source else { continue };
        let Some(at) = device.locate(range.address) else { continue };
        let physical = PhysicalRange { pool: at.pool, offset: at.offset, length: bound.length };
        if gpu.ranges.overlaps(physical) || written_here.overlaps(physical) {
            continue;
        }
        let key = (range.address, bound.length);
        let offset = match copies.get(&key) {
            Some(offset) => *offset,
            None => {
                let offset = snapshots.reserve(bound.length as usize);
                let bytes = &mut snapshots.bytes[offset as usize..][..bound.length as usize];
                // An unmapped block reads as zero.
                if guest.memory.read(range.address, bytes).is_err() {
                    bytes.fill(0);
                }
                copies.insert(key, offset);
                offset
            }
        };
        binding.source = BindSource::Snapshot(offset, bound.length as u32);
    }
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{StageFacts, UniformFact};
    use crate::testing::Scene;
    use framegraph::state::Stage;
    use framegraph::tables::{BindSource, Bindings, Snapshots};
    use nvn_decode::record::{Op, SlotRange};

    fn run(knobs: &[&str]) -> Scene {
        let mut scene = Scene::new(knobs);
        let uniforms = vec![UniformFact { slot: 0, bytes: 64 }];
        let vertex = StageFacts { uniforms: uniforms.clone(), ..StageFacts::default() };
        let fragment = StageFacts { uniforms, output_map: 0xF, ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)]);
        scene.write(0, 0x100, &[9; 64]);
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        for stage in [0, 1] {
            let range = SlotRange { address: Scene::address(0, 0x100), size: 256, stage, index: 0 };
            scene.cmd(Op::BindUniformBuffer, &range);
        }
        scene.draw().run();
        // The title writes its block again at once.
        scene.write(0, 0x100, &[1; 64]);
        scene
    }

    // rows: A-039
    #[test]
    fn draws_keep_what_their_block_held_when_they_were_submitted() {
        let scene = run(&[]);
        let rows = &scene.res::<Bindings>().rows;
        let BindSource::Snapshot(offset, 64) = rows[0].source else { panic!("{rows:?}") };
        assert_eq!(scene.bytes(offset, 64), [9; 64]);
        assert_eq!(rows[1].source, rows[0].source, "bound twice, copied once");
        assert_eq!(scene.res::<Snapshots>().bytes.len(), 64);
        let live = run(&["A-039"]);
        assert!(matches!(live.res::<Bindings>().rows[0].source, BindSource::Slice(_)));
    }
}
