//! One texture in two colour slots.
//!
//! On Maxwell two slots may name the same texture, level and layer; a slot whose mask is 0 writes nothing and so never disturbs what the other writes. In
//! Vulkan attaching one subresource twice in a pass is not allowed to be written from both. A duplicate that no draw of these targets writes is detached; the
//! decision is made over all draws with the targets, so that a pass is not split. If both slots are written, the first keeps the attachment, with a decision.
//!
//! Seen as: half a picture, or a device error.
//! Rows: M-1.10, R-025.  Proof: the unit tests below.  Cost: one pass over draws, one over distinct targets.

use super::resolve_target_state::TargetRows;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, StateId};
use framegraph::schedule::Phase;
use framegraph::state::{Attachment, AttachmentSet, WriteMask};
use framegraph::tables::{Draws, States};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "drop_duplicate_attachments",
    phase: Phase::State,
    kind: Kind::Correctness,
    rows: &["M-1.10", "R-025"],
    after: &["mask_unwritten_outputs"],
    off_means: "both slots stay attached",
    knobs: &["M-1.10", "R-025"],
};

/// Detaches duplicates.
pub fn drop_duplicate_attachments(
    switches: Res<Switches>,
    mut states: ResMut<States>,
    mut rows: ResMut<TargetRows>,
    mut draws: ResMut<Draws>,
    mut decisions: ResMut<Decisions>,
    mut written: Local<Vec<WriteMask>>,
    mut renamed: Local<Vec<StateId>>,
) {
    if !switches.on(&RULE) || switches.knob("M-1.10") || switches.knob("R-025") {
        return;
    }
    let count = states.targets.values().len();
    let twice = |set: &AttachmentSet| (1..8).any(|slot| first_of(set, slot).is_some());
    if !states.targets.values().iter().any(twice) {
        return;
    }
    written.clear();
    written.resize(count, 0);
    for draw in 0..draws.len() {
        written[draws.targets[draw].index()] |= draws.write_mask[draw];
    }
    renamed.clear();
    for row in 0..count {
        let set = &states.targets.values()[row];
        if !twice(set) {
            renamed.push(StateId(row as u32));
            continue;
        }
        let mut set = *set;
        for slot in 1..8 {
            let Some(first) = first_of(&set, slot) else { continue };
            let writes = |n: usize| written[row] >> (4 * n) & 0xF != 0;
            let drop = if writes(first) || !writes(slot) { slot } else { first };
            let (verdict, text) = if writes(first) && writes(slot) {
                (Verdict::Degraded, "slots {0} and {1} write the same texels: only slot {0} does")
            } else {
                (Verdict::Changed, "slots {0} and {1} hold the same texels: slot {2} is detached")
            };
            let subject = draws.ids().find(|d| draws.targets[d.index()].index() == row).unwrap_or(DrawId::NONE);
            let number = |n: usize| Evidence::Number(n as i64);
            decisions.push(
                RULE.name,
                Subject::Target(subject, drop as u8),
                verdict,
                text,
                [number(first), number(slot), number(drop)],
            );
            set.color[drop] = None;
        }
        let id = states.targets.intern(&set);
        renamed.push(id);
    }
    let keep = |id: StateId, mask: WriteMask| {
        let new = renamed.get(id.index()).copied().unwrap_or(id);
        if new == id {
            return (id, mask);
        }
        let set = &states.targets[new];
        let attached = (0..8).filter(|n| set.color[*n].is_some()).fold(0, |bits, n| bits | 0xF << (4 * n));
        (new, mask & attached)
    };
    for draw in 0..draws.len() {
        (draws.targets[draw], draws.write_mask[draw]) = keep(draws.targets[draw], draws.write_mask[draw]);
    }
    for row in &mut rows.0 {
        *row = keep(*row, 0).0;
    }
}

/// The earlier slot that holds the same texels.
fn first_of(set: &AttachmentSet, slot: usize) -> Option<usize> {
    let same =
        |a: &Attachment, b: &Attachment| a.view.resource == b.view.resource && a.view.part.overlaps(&b.view.part);
    let this = set.color[slot].as_ref()?;
    (0..slot).find(|other| set.color[*other].as_ref().is_some_and(|attachment| same(attachment, this)))
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use nvn_decode::record::Op;

    /// Which of two slots over one texture stay attached, with these channel masks.
    fn run(knobs: &[&str], masks: [u32; 2]) -> ([bool; 2], Vec<String>) {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(0xFF);
        let texture = Scene::texture(0, 0x25, 64, 64);
        scene.targets(&[texture, texture], None).bind_program(program);
        scene.slice(Op::BindChannelMask, &[masks[0], masks[1], 0, 0, 0, 0, 0, 0]).draw().run();
        let set = scene.states().targets[scene.draws().targets[0]];
        ([set.color[0].is_some(), set.color[1].is_some()], scene.decided(super::RULE.name))
    }

    // rows: M-1.10, R-025
    #[test]
    fn the_slot_that_is_not_written_is_detached() {
        assert_eq!(run(&[], [0xF, 0]).0, [true, false]);
        assert_eq!(run(&[], [0, 0xF]).0, [false, true]);
        for knob in ["M-1.10", "R-025"] {
            assert_eq!(run(&[knob], [0xF, 0]).0, [true, true], "{knob}");
        }
    }

    // rows: M-1.10
    #[test]
    fn two_written_slots_are_reported_once() {
        let (attached, decided) = run(&[], [0xF, 0xF]);
        assert_eq!(attached, [true, false]);
        assert_eq!(decided, ["Degraded: slots 0 and 1 write the same texels: only slot 0 does"]);
    }
}
