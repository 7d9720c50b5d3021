//! Phases 4 to 6 as one run: from tables of nodes to a Plan.
//!
//! The table of all systems orders the same functions among those of the other phases; this is the piece from accesses to barriers, for tests, benches and the
//! checkers.

use crate::hazards::collect_accesses::{CollectScratch, collect_accesses};
use crate::hazards::detect_feedback_loops::detect_feedback_loops;
use crate::hazards::lower_nvn_barriers::lower_nvn_barriers;
use crate::hazards::resolve_feedback_loops::{FeedbackSnapshots, resolve_feedback_loops};
use crate::hazards::split_on_fragment_order::split_on_fragment_order;
use crate::passes::choose_load_store_ops::{FateScratch, choose_load_store_ops};
use crate::passes::fold_lazy_clears::{FoldScratch, fold_lazy_clears};
use crate::passes::form_passes::{PassDrafts, form_passes};
use crate::passes::layer_writers_get_layers::layer_writers_get_layers;
use crate::passes::merge_passes::{MergeScratch, merge_passes};
use bevy_ecs::prelude::*;
use framegraph::barriers::place_barriers;
use framegraph::dependencies::{build_dependencies, relink_inserted_nodes};
use framegraph::layouts::convert_layouts;
use framegraph::order::schedule_nodes;

/// Inserts the working memory of the systems of phases 4 to 6. `framegraph::world::init` comes first.
pub fn init(world: &mut World) {
    world.init_resource::<CollectScratch>();
    world.init_resource::<FeedbackSnapshots>();
    world.init_resource::<PassDrafts>();
    world.init_resource::<MergeScratch>();
    world.init_resource::<FoldScratch>();
    world.init_resource::<FateScratch>();
}

/// The systems of phases 4 to 6, chained.
#[must_use]
pub fn hazards_to_plan() -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_executor(bevy_ecs::schedule::SingleThreadedExecutor::new());
    schedule.add_systems(
        (
            collect_accesses,
            lower_nvn_barriers,
            build_dependencies,
            split_on_fragment_order,
            detect_feedback_loops,
            resolve_feedback_loops,
            form_passes,
            layer_writers_get_layers,
            relink_inserted_nodes,
            merge_passes,
            fold_lazy_clears,
            choose_load_store_ops,
            convert_layouts,
            schedule_nodes,
            place_barriers,
        )
            .chain(),
    );
    schedule
}
