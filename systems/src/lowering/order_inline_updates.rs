//! Inline updates land in order.
//!
//! An inline update is a command: draws before it see the old bytes, draws after it the new ones, and two updates of one place keep their order. Its data was
//! copied when it was recorded. It becomes a copy into the pool's buffer at its place, and what it writes is bound from that buffer.
//!
//! Seen as: all objects with the colour of the last one.
//! Rows: M-4.4, R-066a.  Proof: the unit tests below.  Cost: one node per update.

use crate::ingest::translate_virtual_addresses::slice;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::Seq;
use framegraph::schedule::Phase;
use framegraph::tables::{BufferSlice, Nodes, Snapshots, Upload, Uploads, node_flags};
use nvn_decode::ingest::Device;
use nvn_decode::raw::{RawPart, RawUpdate};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "order_inline_updates",
    phase: Phase::Lowering,
    kind: Kind::Plumbing,
    rows: &["M-4.4", "R-066a"],
    after: &["translate_virtual_addresses"],
    off_means: "cannot be off",
    knobs: &["M-4.4", "R-066a"],
};

/// The bytes of pools that inline updates write.
pub fn update_slices<'a>(device: &'a Device, raw: &'a RawPart) -> impl Iterator<Item = (&'a RawUpdate, BufferSlice)> {
    raw.updates.iter().filter_map(|update| Some((update, slice(device, update.address, u64::from(update.length))?)))
}

/// Fills the payload of each update node.
pub fn order_inline_updates(
    raw: Res<RawPart>,
    device: Res<Device>,
    switches: Res<Switches>,
    mut nodes: ResMut<Nodes>,
    mut uploads: ResMut<Uploads>,
    mut snapshots: ResMut<Snapshots>,
    mut decisions: ResMut<Decisions>,
) {
    let early = switches.knob("M-4.4") || switches.knob("R-066a");
    for (n, update) in raw.updates.iter().enumerate() {
        let node = update.node.index();
        nodes.payload[node] = uploads.rows.len() as u32;
        let target = slice(&device, update.address, u64::from(update.length)).unwrap_or_default();
        let first = update.bytes as usize;
        let bytes = snapshots.push(&raw.update_bytes[first..first + target.length as usize]);
        uploads.rows.push(Upload::Buffer { bytes, target });
        if target.length == 0 {
            nodes.flags[node] |= node_flags::SKIPPED;
            let text = "address {0} lies in no pool";
            let evidence = [Evidence::Bits(update.address)];
            decisions.push(RULE.name, Subject::Node(update.node), Verdict::Skipped, text, evidence);
        }
        if early {
            nodes.seq[node] = Seq { command: 0, sub: -1, ordinal: n as u16 };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{StageFacts, UniformFact};
    use crate::testing::Scene;
    use framegraph::state::Stage;
    use framegraph::tables::{BindSource, Bindings, NodeKind};
    use nvn_decode::record::{InlineUpdate, Op, SlotRange};

    /// Kinds of the nodes in command order, uploads with their first byte.
    fn run(knobs: &[&str]) -> (Vec<String>, BindSource) {
        let mut scene = Scene::new(knobs);
        let uniforms = vec![UniformFact { slot: 0, bytes: 16 }];
        let vertex = StageFacts { uniforms, ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, vertex)]);
        let range = SlotRange { address: Scene::address(0, 0x100), size: 256, stage: 0, index: 0 };
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        scene.cmd(Op::BindUniformBuffer, &range);
        for byte in [1, 2] {
            let update = InlineUpdate { address: range.address, buffer_size: 256, offset: 0, size: 4 };
            let mut bytes = bytemuck::bytes_of(&update).to_vec();
            bytes.extend([byte; 4]);
            scene.slice(Op::UpdateUniformBuffer, &bytes).draw();
        }
        scene.run();
        let nodes = scene.nodes();
        let mut order: Vec<_> = nodes.ids().filter(|n| nodes.flags[n.index()] & 2 == 0).collect();
        order.sort_by_key(|n| nodes.seq[n.index()]);
        let words = order.iter().map(|n| match nodes.kind[n.index()] {
            NodeKind::Upload => match scene.uploads()[nodes.payload[n.index()] as usize] {
                framegraph::tables::Upload::Buffer { bytes, .. } => format!("update {}", scene.bytes(bytes, 1)[0]),
                framegraph::tables::Upload::Image { .. } => "image".to_owned(),
            },
            kind => format!("{kind:?}").to_lowercase(),
        });
        (words.collect(), scene.res::<Bindings>().rows[0].source)
    }

    // rows: M-4.4, R-066a
    #[test]
    fn each_draw_sees_the_update_before_it() {
        let (order, source) = run(&[]);
        assert_eq!(order, ["update 1", "draw", "update 2", "draw"]);
        assert!(matches!(source, BindSource::Slice(_)), "draws read the buffer that is updated: {source:?}");
        for knob in ["M-4.4", "R-066a"] {
            assert_eq!(run(&[knob]).0, ["update 1", "update 2", "draw", "draw"], "{knob}");
        }
    }
}
