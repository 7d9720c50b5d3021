//! Draw counts in memory.
//!
//! The hardware's front end reads draw arguments, and for multi-draws their number, from memory. The records have the layout that Vulkan wants. A count in
//! memory needs a feature of the device; without it all records up to the largest number are drawn, with a decision, which is right where unused records
//! draw nothing.
//!
//! Indices begin at any address on the hardware. A device whose indirect draws read them from the beginning of a buffer gets a buffer of their own over the
//! same memory, with a decision; that works at multiples of an alignment, and a draw whose indices begin elsewhere is skipped.
//!
//! Seen as: objects that were culled and appear anyway.
//! Rows: A-056, R-061a, R-062.  Proof: the unit tests below.  Cost: one look per draw.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::caps::DeviceCaps;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::DrawId;
use framegraph::schedule::Phase;
use framegraph::tables::{DrawCall, Draws, IndexType, Nodes, node_flags};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "lower_indirect",
    phase: Phase::Lowering,
    kind: Kind::Correctness,
    rows: &["A-056", "R-062"],
    after: &["translate_virtual_addresses"],
    off_means: "counts in memory are passed on whatever the device can",
    knobs: &[],
};

/// Replaces what the device cannot do.
pub fn lower_indirect(
    caps: Res<DeviceCaps>,
    switches: Res<Switches>,
    mut draws: ResMut<Draws>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) || (caps.index_u8 && caps.indirect_count && caps.indirect_index_alignment == 0) {
        return;
    }
    for draw in 0..draws.len() {
        let subject = Subject::Draw(DrawId(draw as u32));
        let bytes = |kind: IndexType| kind == IndexType::U8 && !caps.index_u8;
        let narrow = match &draws.call[draw] {
            DrawCall::Elements { index_type, .. } => bytes(*index_type),
            DrawCall::Indirect { indices: Some((_, index_type)), .. } => bytes(*index_type),
            _ => false,
        };
        if narrow {
            nodes.flags[draws.node[draw].index()] |= node_flags::SKIPPED;
            decisions.push(RULE.name, subject, Verdict::Skipped, "the device has no 8-bit indices", []);
        }
        let alignment = u64::from(caps.indirect_index_alignment);
        if let DrawCall::Indirect { indices: Some((indices, _)), .. } = &draws.call[draw]
            && alignment > 0
            && indices.offset > 0
        {
            let at = Evidence::Number(indices.offset as i64);
            if indices.offset.is_multiple_of(alignment) {
                let text = "indices at byte {0} are bound as a buffer of their own: indirect draws of this device ignore the offset in a buffer";
                decisions.push(RULE.name, subject, Verdict::Changed, text, [at]);
            } else {
                nodes.flags[draws.node[draw].index()] |= node_flags::SKIPPED;
                let text = "indices at byte {0}: indirect draws of this device begin at multiples of {1}";
                let evidence = [at, Evidence::Number(alignment as i64)];
                decisions.push(RULE.name, subject, Verdict::Skipped, text, evidence);
            }
        }
        if let DrawCall::Indirect { count, count_buffer, .. } = &mut draws.call[draw]
            && count_buffer.is_some()
            && !caps.indirect_count
        {
            *count_buffer = None;
            let text = "all {0} records are drawn: the device reads no draw count from memory";
            decisions.push(RULE.name, subject, Verdict::Degraded, text, [Evidence::Number(i64::from(*count))]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::caps::DeviceCaps;
    use framegraph::tables::DrawCall;
    use nvn_decode::record::{DrawIndirect, Op};

    fn run(caps: DeviceCaps) -> (DrawCall, Vec<String>) {
        run_at(caps, 0x1000)
    }

    fn run_at(caps: DeviceCaps, indices: u64) -> (DrawCall, Vec<String>) {
        let mut scene = Scene::with(&[], caps);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        let draw = DrawIndirect {
            arguments: Scene::address(0, 0x100),
            indices: Scene::address(0, indices),
            count_address: Scene::address(0, 0x40),
            primitive: 4,
            index_type: 2,
            count: 8,
            stride: 20,
        };
        scene.cmd(Op::DrawIndirect, &draw).run();
        (scene.draws().call[0], scene.decided(super::RULE.name))
    }

    // rows
    #[test]
    fn a_count_in_memory_needs_the_device() {
        let (call, decided) = run(DeviceCaps::default());
        let DrawCall::Indirect { arguments, count_buffer: Some(count), .. } = call else { panic!("{call:?}") };
        assert_eq!((arguments.offset, arguments.length, count.offset), (0x100, 7 * 20 + 20, 0x40));
        assert!(decided.is_empty());
        let (call, decided) = run(DeviceCaps { indirect_count: false, ..DeviceCaps::default() });
        assert!(matches!(call, DrawCall::Indirect { count: 8, count_buffer: None, .. }));
        assert_eq!(decided, ["Degraded: all 8 records are drawn: the device reads no draw count from memory"]);
    }

    #[test]
    fn indices_begin_a_buffer_where_the_device_ignores_the_offset() {
        let caps = || DeviceCaps { indirect_index_alignment: 64, ..DeviceCaps::default() };
        assert!(run_at(DeviceCaps::default(), 0x1008).1.is_empty());
        assert!(run_at(caps(), 0).1.is_empty());
        let (_, decided) = run_at(caps(), 0x1000);
        assert!(
            decided[0].starts_with("Changed: indices at byte 4096 are bound as a buffer of their own"),
            "{decided:?}"
        );
        let (_, decided) = run_at(caps(), 0x1008);
        assert_eq!(decided, ["Skipped: indices at byte 4104: indirect draws of this device begin at multiples of 64"]);
    }
}
