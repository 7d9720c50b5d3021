//! The one table of all systems.

use crate::rule::{Kind, Rule};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleConfigs;
use bevy_ecs::system::ScheduleSystem;
use framegraph::schedule::Phase;

use crate::{hazards, ingest, lowering, passes, pipelines, resources, state};

/// Where a system's body comes from.
#[derive(Clone, Copy)]
pub enum Body {
    /// The reader of the part's bytes. It runs before the schedule, straight from the caller's memory.
    Reader(fn(&mut World, &[u8])),
    /// A function, added to the schedule.
    System(fn() -> ScheduleConfigs<ScheduleSystem>),
    /// A slot that the engine fills at start-up.
    Slot,
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reader(_) => "Reader",
            Self::System(_) => "System",
            Self::Slot => "Slot",
        })
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The descriptor.
    pub rule: &'static Rule,
    /// The crate that holds the body.
    pub krate: &'static str,
    /// The file, relative to the crate's `src`.
    pub file: &'static str,
    /// Tables and columns that it reads, by name.
    pub reads: &'static [&'static str],
    /// Tables and columns that it writes, by name.
    pub writes: &'static [&'static str],
    /// The body.
    pub body: Body,
}

const fn slot(
    name: &'static str,
    phase: Phase,
    kind: Kind,
    rows: &'static [&'static str],
    after: &'static [&'static str],
) -> Rule {
    Rule { name, phase, kind, rows, after, off_means: "cannot be off", knobs: &[] }
}

/// The overlay's node.
pub const DRAW_OVERLAY: Rule = slot("draw_overlay", Phase::Lowering, Kind::Policy, &["A-023"], &["prepare_present"]);
/// Execution of the Plan.
pub const EMIT_VULKAN: Rule =
    slot("emit_vulkan", Phase::Emit, Kind::Plumbing, &["M-4.6"], &["place_barriers", "pick_pipelines"]);
/// Completions in order of submission.
pub const COMPLETE_IN_ORDER: Rule = Rule {
    knobs: &["M-4.3"],
    ..slot("complete_in_order", Phase::Emit, Kind::Plumbing, &["M-4.3", "M-4.2h"], &["emit_vulkan"])
};

macro_rules! systems {
    ($( $krate:literal $file:literal $rule:path, $body:expr, reads [$($read:ident)*], writes [$($write:ident)*]; )*) => {
        /// All systems, in order.
        pub const TABLE: &[Entry] = &[$(Entry {
            rule: &$rule,
            krate: $krate,
            file: $file,
            reads: &[$(stringify!($read)),*],
            writes: &[$(stringify!($write)),*],
            body: $body,
        }),*];
    };
}

macro_rules! system {
    ($path:path) => {
        Body::System(|| $path.into_configs())
    };
}

systems! {
    // Phase 0: ingest.
    "nvn-decode" "ingest/mod.rs" nvn_decode::ingest::WALK_CALL_TREE, Body::Reader(nvn_decode::ingest::walk_call_tree),
        reads [Stream], writes [Nodes Draws Dispatches GameBarriers Signals Presents Labels RawPart Device PartInfo];
    "systems" "ingest/snapshot_cpu_writes.rs" ingest::snapshot_cpu_writes::RULE, system!(ingest::snapshot_cpu_writes::snapshot_cpu_writes),
        reads [Device PartInfo], writes [DirtyPages];
    "systems" "ingest/translate_virtual_addresses.rs" ingest::translate_virtual_addresses::RULE, system!(ingest::translate_virtual_addresses::translate_virtual_addresses),
        reads [Device RawPart], writes [ShaderStore DrawCall VertexBuffers Bindings BindingSources Slices];
    "systems" "ingest/snapshot_uniform_ranges.rs" ingest::snapshot_uniform_ranges::RULE, system!(ingest::snapshot_uniform_ranges::snapshot_uniform_ranges),
        reads [Device RawPart GpuWritten BindingSources], writes [Bindings Snapshots];
    // Phase 1: state.
    "systems" "state/pick_host_formats.rs" state::pick_host_formats::RULE, system!(state::pick_host_formats::pick_host_formats),
        reads [RawPart Device BindingSources DeviceCaps], writes [HostFormats Textures];
    "systems" "state/settle_sample_ties.rs" state::settle_sample_ties::RULE, system!(state::settle_sample_ties::settle_sample_ties),
        reads [Device BindingSources HostFormats], writes [BindingSources];
    "systems" "state/resolve_target_state.rs" state::resolve_target_state::RULE, system!(state::resolve_target_state::resolve_target_state),
        reads [RawPart Device HostFormats Textures], writes [Targets TargetRows WriteMask];
    "systems" "state/mask_unwritten_outputs.rs" state::mask_unwritten_outputs::RULE, system!(state::mask_unwritten_outputs::mask_unwritten_outputs),
        reads [RawPart ShaderStore Targets], writes [WriteMask Blend];
    "systems" "state/drop_duplicate_attachments.rs" state::drop_duplicate_attachments::RULE, system!(state::drop_duplicate_attachments::drop_duplicate_attachments),
        reads [WriteMask], writes [Targets TargetRows WriteMask];
    "systems" "state/normalise_depth_state.rs" state::normalise_depth_state::RULE, system!(state::normalise_depth_state::normalise_depth_state),
        reads [RawPart DeviceCaps Targets], writes [Depth];
    "systems" "state/rescale_depth_bias.rs" state::rescale_depth_bias::RULE, system!(state::rescale_depth_bias::rescale_depth_bias),
        reads [RawPart Device HostFormats], writes [DrawBias];
    "systems" "state/flip_window_origin.rs" state::flip_window_origin::RULE, system!(state::flip_window_origin::flip_window_origin),
        reads [RawPart ShaderStore DrawBias Targets], writes [Viewport Raster];
    "systems" "state/classify_vertex_inputs.rs" state::classify_vertex_inputs::RULE, system!(state::classify_vertex_inputs::classify_vertex_inputs),
        reads [RawPart ShaderStore DeviceCaps], writes [Vertex InputClasses];
    "systems" "state/specialise_shader_keys.rs" state::specialise_shader_keys::RULE, system!(state::specialise_shader_keys::specialise_shader_keys),
        reads [RawPart Device DeviceCaps InputClasses Bindings BindingSources Targets Blend Depth], writes [Shaders ShaderModules ShaderStore];
    "systems" "state/bare_pass_area.rs" state::bare_pass_area::RULE, system!(state::bare_pass_area::bare_pass_area),
        reads [Targets Viewport], writes [BareArea];
    // Phase 2: resources.
    "systems" "resources/alias_by_storage.rs" resources::alias_by_storage::RULE, system!(resources::alias_by_storage::alias_by_storage),
        reads [Textures Device], writes [Textures ResourcePool Targets];
    "systems" "resources/upload_dirty_buffers.rs" resources::upload_dirty_buffers::RULE, system!(resources::upload_dirty_buffers::upload_dirty_buffers),
        reads [Device RawPart DrawCall Bindings BindingSources Slices], writes [GpuWritten DirtyPages Nodes Uploads Snapshots];
    "systems" "resources/upload_dirty_textures.rs" resources::upload_dirty_textures::RULE, system!(resources::upload_dirty_textures::upload_dirty_textures),
        reads [Device DirtyPages ResourcePool], writes [Textures Covered Nodes Uploads Snapshots];
    "systems" "resources/collect_storage_uses.rs" resources::collect_storage_uses::RULE, system!(resources::collect_storage_uses::collect_storage_uses),
        reads [Device RawPart Targets TargetRows WriteMask Depth Bindings BindingSources], writes [GpuWritten Textures];
    "systems" "resources/zero_initialise.rs" resources::zero_initialise::RULE, system!(resources::zero_initialise::zero_initialise),
        reads [Textures Covered ResourcePool], writes [Nodes Clears Uploads Snapshots];
    "systems" "resources/fit_views.rs" resources::fit_views::RULE, system!(resources::fit_views::fit_views),
        reads [Device HostFormats Textures], writes [Views BindingSources Bindings];
    "systems" "resources/pick_compare_samplers.rs" resources::pick_compare_samplers::RULE, system!(resources::pick_compare_samplers::pick_compare_samplers),
        reads [Device BindingSources Views], writes [Samplers Bindings];
    "systems" "resources/narrow_sampled_levels.rs" resources::narrow_sampled_levels::RULE, system!(resources::narrow_sampled_levels::narrow_sampled_levels),
        reads [ShaderStore Targets Bindings Snapshots Views Samplers], writes [Bindings Views];
    // Phase 3: lowering.
    "systems" "lowering/lower_indirect.rs" lowering::lower_indirect::RULE, system!(lowering::lower_indirect::lower_indirect),
        reads [DeviceCaps], writes [DrawCall];
    "systems" "state/fill_driver_bank.rs" state::fill_driver_bank::RULE, system!(state::fill_driver_bank::fill_driver_bank),
        reads [RawPart DrawCall Dispatches BindingSources], writes [Bindings Snapshots];
    "systems" "lowering/lower_copies.rs" lowering::lower_copies::RULE, system!(lowering::lower_copies::lower_copies),
        reads [RawPart Device Textures HostFormats], writes [Copies Nodes];
    "systems" "lowering/pick_blit_texels.rs" lowering::pick_blit_texels::RULE, system!(lowering::pick_blit_texels::pick_blit_texels),
        reads [Copies ResourcePool], writes [Copies];
    "systems" "lowering/lower_clears.rs" lowering::lower_clears::RULE, system!(lowering::lower_clears::lower_clears),
        reads [RawPart Device Textures HostFormats TargetRows], writes [Clears Targets Nodes];
    "systems" "lowering/order_inline_updates.rs" lowering::order_inline_updates::RULE, system!(lowering::order_inline_updates::order_inline_updates),
        reads [RawPart Device], writes [Uploads Nodes Snapshots];
    "systems" "lowering/prepare_present.rs" lowering::prepare_present::RULE, system!(lowering::prepare_present::prepare_present),
        reads [RawPart Textures], writes [Presents];
    "engine/overlay" "lib.rs" DRAW_OVERLAY, Body::Slot,
        reads [Nodes Decisions], writes [Nodes];
    // Phase 4: hazards.
    "systems" "hazards/collect_accesses.rs" hazards::collect_accesses::RULE, system!(hazards::collect_accesses::collect_accesses),
        reads [Draws Dispatches Copies Clears Uploads Presents Bindings Slices Targets Depth WriteMask DrawCall VertexBuffers Views ResourcePool], writes [Accesses CommandOrder ResourceTable];
    "systems" "hazards/lower_nvn_barriers.rs" hazards::lower_nvn_barriers::RULE, system!(hazards::lower_nvn_barriers::lower_nvn_barriers),
        reads [GameBarriers CommandOrder], writes [OrderPoints];
    "framegraph" "dependencies.rs" framegraph::dependencies::BUILD_DEPENDENCIES, system!(framegraph::dependencies::build_dependencies),
        reads [Accesses ResourceTable OrderPoints], writes [Edges];
    "systems" "hazards/split_on_fragment_order.rs" hazards::split_on_fragment_order::RULE, system!(hazards::split_on_fragment_order::split_on_fragment_order),
        reads [OrderPoints Accesses Edges Draws], writes [Nodes];
    "systems" "hazards/detect_feedback_loops.rs" hazards::detect_feedback_loops::RULE, system!(hazards::detect_feedback_loops::detect_feedback_loops),
        reads [Accesses Targets ResourceTable], writes [FeedbackLoops];
    "systems" "hazards/resolve_feedback_loops.rs" hazards::resolve_feedback_loops::RULE, system!(hazards::resolve_feedback_loops::resolve_feedback_loops),
        reads [FeedbackLoops DeviceCaps ShaderStore Edges], writes [FeedbackLoops Nodes Copies Bindings Accesses];
    // Phase 5: passes.
    "systems" "passes/form_passes.rs" passes::form_passes::RULE, system!(passes::form_passes::form_passes),
        reads [Targets BareArea FeedbackLoops CommandOrder], writes [Passes PassMembers];
    "systems" "passes/layer_writers_get_layers.rs" passes::layer_writers_get_layers::RULE, system!(passes::layer_writers_get_layers::layer_writers_get_layers),
        reads [PassMembers], writes [Passes];
    "framegraph" "dependencies.rs" framegraph::dependencies::RELINK_INSERTED_NODES, system!(framegraph::dependencies::relink_inserted_nodes),
        reads [Accesses], writes [Edges];
    "systems" "passes/merge_passes.rs" passes::merge_passes::RULE, system!(passes::merge_passes::merge_passes),
        reads [Edges], writes [Passes PassMembers];
    "systems" "passes/fold_lazy_clears.rs" passes::fold_lazy_clears::RULE, system!(passes::fold_lazy_clears::fold_lazy_clears),
        reads [Clears Edges PassMembers CommandOrder], writes [Passes PassMembers Nodes Accesses Edges];
    "systems" "passes/choose_load_store_ops.rs" passes::choose_load_store_ops::RULE, system!(passes::choose_load_store_ops::choose_load_store_ops),
        reads [Accesses Edges], writes [Passes];
    // Phase 6: schedule.
    "framegraph" "layouts.rs" framegraph::layouts::CONVERT_LAYOUTS, system!(framegraph::layouts::convert_layouts),
        reads [Passes FeedbackLoops], writes [Accesses];
    "framegraph" "order.rs" framegraph::order::SCHEDULE_NODES, system!(framegraph::order::schedule_nodes),
        reads [Edges Passes PassMembers], writes [Schedule];
    "framegraph" "barriers.rs" framegraph::barriers::PLACE_BARRIERS, system!(framegraph::barriers::place_barriers),
        reads [Schedule Accesses Edges], writes [Plan SubresourceStates];
    // Phase 7: pipelines.
    "systems" "pipelines/pick_pipelines.rs" pipelines::pick_pipelines::RULE, system!(pipelines::pick_pipelines::pick_pipelines),
        reads [Shaders Vertex Blend Depth Raster Targets WriteMask FeedbackLoops DeviceCaps], writes [Pipelines ComputePipelines];
    // Phase 8: emit.
    "engine/vulkan" "lib.rs" EMIT_VULKAN, Body::Slot,
        reads [Plan Nodes Draws Dispatches Copies Clears Uploads Presents Signals Labels Bindings Slices Snapshots Viewport Pipelines ComputePipelines ShaderModules Passes Samplers Views], writes [];
    "engine/vulkan" "lib.rs" COMPLETE_IN_ORDER, Body::Slot,
        reads [Signals], writes [];
}

/// A row by the name of its system.
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.rule.name == name)
}

/// Whether `rules.NAME` or `knob.ROW` names something that exists.
#[must_use]
pub fn is_known_switch(key: &str) -> bool {
    if let Some(name) = key.strip_prefix("rules.") {
        return entry(name).is_some_and(|entry| entry.rule.kind != Kind::Plumbing);
    }
    key.strip_prefix("knob.").is_some_and(|row| TABLE.iter().any(|entry| entry.rule.knobs.contains(&row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::{Path, PathBuf};

    fn place(name: &str) -> Option<usize> {
        TABLE.iter().position(|entry| entry.rule.name == name)
    }

    #[test]
    fn every_system_comes_after_what_it_names_and_phases_never_go_back() {
        for (n, entry) in TABLE.iter().enumerate() {
            for before in entry.rule.after {
                if let Some(at) = place(before) {
                    assert!(at < n, "{} must come after {before}", entry.rule.name);
                }
            }
            if n > 0 {
                let last = TABLE[n - 1].rule;
                assert!(last.phase <= entry.rule.phase, "{} stands behind a later phase", entry.rule.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_knobs_belong_to_their_rule() {
        let names: HashSet<_> = TABLE.iter().map(|entry| entry.rule.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for entry in TABLE {
            for knob in entry.rule.knobs {
                assert!(entry.rule.rows.contains(knob), "{}: knob {knob} is of no row that it owns", entry.rule.name);
            }
        }
    }

    fn source(entry: &Entry) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(entry.krate).join("src").join(entry.file)
    }

    #[test]
    fn every_system_has_its_file_and_its_file_names_it() {
        for entry in TABLE.iter().filter(|entry| matches!(entry.body, Body::System(_))) {
            let text = std::fs::read_to_string(source(entry)).unwrap_or_else(|e| panic!("{:?}: {e}", source(entry)));
            assert!(text.contains(&format!("name: \"{}\"", entry.rule.name)), "{} has no descriptor", entry.file);
            assert!(text.contains(&format!("pub fn {}", entry.rule.name)), "{} has no body", entry.file);
        }
    }

    #[test]
    fn every_file_of_a_rule_is_in_the_table() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for folder in ["ingest", "state", "resources", "lowering", "hazards", "passes", "schedule", "pipelines"] {
            for file in std::fs::read_dir(root.join(folder)).expect(folder) {
                let path = file.expect("entry").path();
                let text = std::fs::read_to_string(&path).expect("text");
                if text.contains("pub const RULE: Rule") {
                    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("name");
                    assert!(entry(stem).is_some(), "{stem} is not in the table");
                }
            }
        }
    }

    /// What is written by some system, outside the table, or by hand before the schedule runs.
    #[test]
    fn whatever_is_read_was_written_and_whatever_is_written_is_read() {
        let outside = ["Stream", "DeviceCaps"];
        let mut written: HashSet<&str> = outside.into();
        // Kept from the part before.
        written.extend(["GpuWritten", "Decisions"]);
        for entry in TABLE {
            for read in entry.reads {
                assert!(written.contains(read), "{} reads {read}, which nobody wrote before it", entry.rule.name);
            }
            written.extend(entry.writes);
        }
        let read: HashSet<&str> = TABLE.iter().flat_map(|entry| entry.reads).copied().collect();
        for entry in TABLE {
            for write in entry.writes {
                let kept = ["SubresourceStates"].contains(write);
                assert!(kept || read.contains(write), "{} writes {write}, which nobody reads", entry.rule.name);
            }
        }
    }

    #[test]
    fn switches_are_checked_against_the_table() {
        assert!(is_known_switch("rules.mask_unwritten_outputs"));
        assert!(!is_known_switch("rules.resolve_target_state"), "plumbing cannot be off");
        assert!(is_known_switch("knob.M-1.1a"));
        assert!(!is_known_switch("knob.M-99"));
    }
}
