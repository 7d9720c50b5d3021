//! The overlay's node comes after the present.
//!
//! The game's own targets hold what the game drew: a title that reads its last picture back, and a recording of a frame, must not see the overlay. So the
//! overlay is drawn onto the picture that goes to the window, after the copy out of the game's display texture, and its node touches no resource of the graph.
//!
//! Seen as: the inspector inside a screenshot, or smeared by a title's own feedback effect.
//! Rows: A-023.  Proof: the unit tests below, and `gpu_overlay_*` in `render`.  Cost: one node per present while the overlay is open.

use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::rule::{Kind, Rule, Switches};
use framegraph::schedule::Phase;
use framegraph::tables::{NodeKind, Nodes, node_flags};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "draw_overlay",
    phase: Phase::Lowering,
    kind: Kind::Policy,
    rows: &["A-023"],
    after: &["prepare_present"],
    off_means: "no overlay is drawn",
    knobs: &["A-023"],
};

/// Whether the overlay is to be drawn; the owner sets it before a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Resource)]
pub struct OverlayOpen(pub bool);

/// Inserts the overlay's node behind each present.
pub fn draw_overlay(
    open: Option<Res<OverlayOpen>>,
    switches: Res<Switches>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    if !open.is_some_and(|o| o.0) || !switches.on(&RULE) {
        return;
    }
    for n in 0..nodes.len() {
        if nodes.kind[n] == NodeKind::Present && nodes.flags[n] & node_flags::SKIPPED == 0 {
            let seq = nodes.seq[n];
            // The mutant draws into the game's own target.
            let seq = if switches.knob("A-023") { seq.before(0) } else { seq.after(0) };
            let node = nodes.push(NodeKind::Overlay, seq, u32::MAX, node_flags::INSERTED);
            let text = "the overlay is open: drawn over the presented picture";
            decisions.push(RULE.name, Subject::Node(node), Verdict::Inserted, text, []);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use framegraph::tables::CommandOrder;

    const FRAME: &str = "image a RGBA8 64x64\npass rt0=a\ndraw\npresent a\nsignal";

    fn order(open: bool, set: &[(&str, &str)]) -> Vec<NodeKind> {
        let mut world = framegraph::testing::world(FRAME);
        world.insert_resource(OverlayOpen(open));
        for (key, value) in set {
            world.resource_mut::<Switches>().set(key, value).unwrap();
        }
        let mut schedule = Schedule::default();
        schedule.add_systems(draw_overlay);
        schedule.run(&mut world);
        world.resource_scope(|world, mut order: Mut<CommandOrder>| order.refresh(world.resource::<Nodes>()));
        let nodes = world.resource::<Nodes>();
        world.resource::<CommandOrder>().nodes.iter().map(|id| nodes.kind[id.index()]).collect()
    }

    // rows: A-023
    #[test]
    fn the_overlay_comes_after_the_present() {
        use NodeKind::{Draw, Overlay, Present, Signal};
        assert_eq!(order(true, &[]), [Draw, Present, Overlay, Signal]);
        assert_eq!(order(false, &[]), [Draw, Present, Signal]);
        assert_eq!(order(true, &[("rules.draw_overlay", "false")]), [Draw, Present, Signal]);
    }

    #[test]
    fn the_mutant_is_seen() {
        use NodeKind::{Draw, Overlay, Present, Signal};
        assert_eq!(order(true, &[("knob.A-023", "true")]), [Draw, Overlay, Present, Signal]);
    }
}
