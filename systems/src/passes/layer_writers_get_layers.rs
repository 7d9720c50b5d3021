//! Layered targets are attached with all their layers.
//!
//! On Maxwell a draw whose program selects the layer reaches every layer of a layered target. The PC must be told how many layers a pass has. So a pass has
//! the layers that all of its attachments have. A program that selects none writes layer 0 on both.
//!
//! Seen when wrong: only the first slice of a colour table or cube is drawn.
//! Rows: R-027.  Cost: one look per pass.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::PassId;
use framegraph::pass::{PassArea, PassPool, PassTargets};
use framegraph::schedule::Phase;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "layer_writers_get_layers",
    phase: Phase::Passes,
    kind: Kind::Correctness,
    rows: &["R-027"],
    after: &["form_passes"],
    off_means: "one layer is attached: every instance lands in it",
    knobs: &["R-027"],
};

/// Sets [`PassArea::layers`].
pub fn layer_writers_get_layers(
    pool: Res<PassPool>,
    switches: Res<Switches>,
    mut passes: Query<(&PassTargets, &mut PassArea)>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) || switches.knob("R-027") {
        return;
    }
    for (number, entity) in pool.entities().iter().enumerate() {
        let Ok((targets, mut area)) = passes.get_mut(*entity) else { continue };
        let attachments = targets.0.color.iter().chain([&targets.0.depth]).flatten();
        let layers = attachments.map(|a| a.view.part.layers.max(1)).min().unwrap_or(1);
        if layers > 1 {
            area.layers = layers;
            decisions.push(
                RULE.name,
                Subject::Pass(PassId(number as u32)),
                Verdict::Changed,
                "rendered to {0} layers",
                [Evidence::Number(i64::from(layers))],
            );
        }
    }
}
