//! The driver's constants.
//!
//! On the console the driver keeps a constant bank (c0) that compiled programs read behind the game's back: per stage a table of storage buffers {address,
//! size}, the base vertex, base instance and draw number, and for compute the work-group counts. The translator turns most of these reads into the host's own
//! built-ins; where a program reads the bank in another way, it gets this block, composed anew for each draw or dispatch, as uniform slot 14.
//!
//! Seen as: an array length of zero; instances that all lie at the first one's place.
//! Rows: A-042.  Proof: the unit tests below.  Cost: 1616 bytes for each draw that reads it.

use crate::ingest::translate_virtual_addresses::{BankOf, BindingSources};
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::schedule::Phase;
use framegraph::tables::{BindSource, Bindings, Dispatches, DrawCall, Draws, Snapshots};
use nvn_decode::raw::{BufferRange, RawPart, RawSlots};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "fill_driver_bank",
    phase: Phase::Lowering,
    kind: Kind::Correctness,
    rows: &["A-042"],
    after: &["translate_virtual_addresses", "fit_views", "lower_indirect"],
    off_means: "the bank reads as zeros",
    knobs: &["A-042"],
};

/// Bytes of the bank.
pub const BANK: usize = 0x650;
/// Where the storage table of each graphics stage begins (vertex, tess control, tess eval, geometry, fragment).
const TABLES: [usize; 5] = [0x110, 0x210, 0x310, 0x410, 0x510];
/// Where the storage table of compute begins.
const COMPUTE_TABLE: usize = 0x310;
/// Where compute finds the uniform buffers from the sixth on.
const COMPUTE_UNIFORMS: usize = 0x260;

/// Composes the banks that are bound.
pub fn fill_driver_bank(
    raw: Res<RawPart>,
    switches: Res<Switches>,
    draws: Res<Draws>,
    dispatches: Res<Dispatches>,
    sources: Res<BindingSources>,
    mut bindings: ResMut<Bindings>,
    mut snapshots: ResMut<Snapshots>,
) {
    let zeros = !switches.on(&RULE) || switches.knob("A-042");
    let mut last: Option<(BankOf, u32)> = None;
    for (row, of) in &sources.banks {
        let offset = match last {
            Some((known, offset)) if known == *of => offset,
            _ => {
                let mut bank = [0; BANK];
                if !zeros {
                    match of {
                        BankOf::Draw(draw) => {
                            let bound = raw.bound[raw.draws[draw.index()].bound as usize];
                            let slots = bound.slots.map(|row| raw.slots[row as usize]);
                            graphics(&mut bank, &raw, slots, &draws.call[draw.index()]);
                        }
                        BankOf::Dispatch(row) => {
                            let slots = raw.slots[raw.dispatches[*row as usize].slots as usize];
                            compute(&mut bank, &raw, slots, dispatches.rows[*row as usize].groups);
                        }
                    }
                }
                snapshots.push(&bank)
            }
        };
        last = Some((*of, offset));
        bindings.rows[*row as usize].source = BindSource::Snapshot(offset, BANK as u32);
    }
}

fn put(bank: &mut [u8; BANK], at: usize, bytes: &[u8]) {
    bank[at..at + bytes.len()].copy_from_slice(bytes);
}

fn table(bank: &mut [u8; BANK], at: usize, ranges: &[BufferRange]) {
    for (n, range) in ranges.iter().enumerate() {
        put(bank, at + 16 * n, &range.address.to_le_bytes());
        put(bank, at + 16 * n + 8, &(range.size.min(u64::from(u32::MAX)) as u32).to_le_bytes());
    }
}

/// The bank of a draw.
fn graphics(bank: &mut [u8; BANK], raw: &RawPart, slots: [RawSlots; 5], call: &DrawCall) {
    for (at, slots) in TABLES.into_iter().zip(slots) {
        table(bank, at, raw.ranges(slots.storage));
    }
    let (first, instance) = match call {
        DrawCall::Arrays { first, base_instance, .. } => (*first, *base_instance),
        DrawCall::Elements { base_vertex, base_instance, .. } => (*base_vertex as u32, *base_instance),
        DrawCall::Indirect { .. } => (0, 0),
    };
    put(bank, 0x640, &first.to_le_bytes());
    put(bank, 0x644, &instance.to_le_bytes());
}

/// The bank of a dispatch.
fn compute(bank: &mut [u8; BANK], raw: &RawPart, slots: RawSlots, groups: [u32; 3]) {
    for (n, count) in groups.into_iter().enumerate() {
        put(bank, 0x200 + 4 * n, &count.to_le_bytes());
    }
    table(bank, COMPUTE_UNIFORMS, raw.ranges(slots.uniform).get(5..).unwrap_or_default());
    table(bank, COMPUTE_TABLE, raw.ranges(slots.storage));
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{StageFacts, StorageFact};
    use crate::testing::Scene;
    use framegraph::state::Stage;
    use framegraph::tables::{BindSource, Bindings};
    use nvn_decode::record::{Op, SlotRange};

    fn bank(scene: &Scene) -> Vec<u8> {
        let bindings = scene.res::<Bindings>();
        let bank = bindings.rows.iter().find(|row| row.slot == 14).expect("the bank");
        let BindSource::Snapshot(offset, length) = bank.source else { panic!("{bank:?}") };
        scene.bytes(offset, length as usize).to_vec()
    }

    fn word(bank: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bank[at..at + 4].try_into().expect("four bytes"))
    }

    fn run(knobs: &[&str]) -> Vec<u8> {
        let mut scene = Scene::new(knobs);
        let storage = vec![StorageFact { slot: 2, writes: false }];
        let facts = StageFacts { driver_bank: true, storage, ..StageFacts::default() };
        let program = scene.program(&[(Stage::Compute, facts)]);
        let range = SlotRange { address: Scene::address(0, 0x200), size: 96, stage: 5, index: 2 };
        scene.bind_program(program).cmd(Op::BindStorageBuffer, &range).cmd(Op::Dispatch, &[3_u32, 5, 7]).run();
        bank(&scene)
    }

    // rows: A-042
    #[test]
    fn compute_finds_its_group_counts_and_storage_table() {
        let filled = run(&[]);
        assert_eq!([0x200, 0x204, 0x208].map(|at| word(&filled, at)), [3, 5, 7]);
        assert_eq!(u64::from(word(&filled, 0x330)) | u64::from(word(&filled, 0x334)) << 32, Scene::address(0, 0x200));
        assert_eq!(word(&filled, 0x338), 96);
        assert!(run(&["A-042"]).iter().all(|byte| *byte == 0));
    }

    // rows: A-042
    #[test]
    fn each_draw_has_its_own_base_vertex() {
        let mut scene = Scene::new(&[]);
        let facts = StageFacts { driver_bank: true, ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, facts)]);
        scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).bind_program(program);
        for first in [7, 9] {
            let draw = nvn_decode::record::Draw {
                primitive: 4,
                count: 3,
                instances: 2,
                first,
                base_instance: 4,
                ..Default::default()
            };
            scene.cmd(Op::Draw, &draw);
        }
        scene.run();
        let banks: Vec<_> =
            scene.res::<Bindings>().rows.iter().filter(|row| row.slot == 14).map(|row| row.source).collect();
        let firsts = banks.iter().map(|source| {
            let BindSource::Snapshot(offset, _) = source else { panic!("{source:?}") };
            let bank = scene.bytes(*offset, super::BANK);
            (word(bank, 0x640), word(bank, 0x644))
        });
        assert_eq!(firsts.collect::<Vec<_>>(), [(7, 4), (9, 4)]);
    }
}
