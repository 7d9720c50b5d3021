//! A frame made by hand, for tests: the shape of a deferred renderer with shadows, feedback, compute, bloom and a present.

use bevy_ecs::prelude::{IntoScheduleConfigs, Res, ResMut, Schedule, World};
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, NodeId, PassId, ResourceId, Rows, StateId};
use framegraph::pass::{LoadOp, PassArea, PassFlags, PassOps, PassPool, PassRows, PassTargets, StoreOp};
use framegraph::resource::{Layout, Part};
use framegraph::resource_table::{ResourceQuery, ResourceTable};
use framegraph::rule::{Kind, Rule};
use framegraph::schedule::Phase;
use framegraph::state::{BlendFactor, BlendState, Cull, RasterState, TargetBlend};
use framegraph::tables::{
    Accesses, BindKind, BindSource, Bindings, BufferSlice, ClearTarget, Clears, CommandOrder, Copies, Copy, Dispatches,
    DrawCall, Draws, FeedbackLoop, FeedbackLoops, FeedbackPlan, Labels, NodeKind, Nodes, PassMembers, Presents, Slices,
    States, Upload, Uploads, node_flags, uses,
};

/// Rules as a table of rules would list them.
pub(crate) const RULES: &[Rule] = &[
    rule("mask_unwritten_outputs", Phase::State, Kind::Correctness, "the channel mask is used as the game set it"),
    rule("zero_initialise", Phase::Resources, Kind::Correctness, "new images hold what the memory held before"),
    rule("lower_clears", Phase::Lowering, Kind::Correctness, "clears ignore the scissor and the window origin"),
    rule("resolve_feedback_loops", Phase::Hazards, Kind::Correctness, "a draw reads its target while it is written"),
    rule("merge_passes", Phase::Passes, Kind::Optimisation, "each change of targets begins a pass"),
    rule("choose_load_store_ops", Phase::Passes, Kind::Optimisation, "every attachment is loaded and stored"),
    rule("reduce_resolution", Phase::State, Kind::Policy, "targets have the size that the game asked for"),
    rule("build_dependencies", Phase::Hazards, Kind::Plumbing, "cannot be off"),
];

const fn rule(name: &'static str, phase: Phase, kind: Kind, off_means: &'static str) -> Rule {
    Rule { name, phase, kind, rows: &["R-042"], after: &[], off_means, knobs: &[] }
}

const FRAME: &str = "
image gAlbedo Rgba8Srgb 1280x720
image gNormal RGB10A2 1280x720
image gMaterial RGBA8 1280x720
image gEmissive R11G11B10F 1280x720
image depth D24S8 1280x720
image halfDepth D24S8 640x360
image ao R8 640x360
image shadow D32 1024x1024 layers=4
image hdr R11G11B10F 1280x720
image hdrCopy R11G11B10F 1280x720
image bloom R11G11B10F 640x360 levels=5
image ldr RGBA8 1280x720
image window0 Rgba8Srgb 1280x720
image waveA RG16F 256x256
image waveB RG16F 256x256
image tSand Rgba8Srgb 256x256 levels=9
image panel RGBA8 256x128
buffer pool0 4194304
buffer particles 65536
buffer lights 4096
upload pool0[0..8192]
dispatch stores particles uniform pool0[0..256] stage=compute
dispatch reads lights writes particles
pass rt0=waveB
draw reads waveA
copy waveB -> waveA
pass depth=shadow@layer0
clear depth 1
draw vertex pool0[65536..90112] index pool0[90112..98304] depth=write
draw vertex pool0[65536..90112] depth=write
pass depth=shadow@layer1
clear depth 1
draw vertex pool0[65536..90112] index pool0[90112..98304] depth=write
draw depth=write
pass rt0=gAlbedo rt1=gNormal rt2=gMaterial rt3=gEmissive depth=depth
clear rt0 0 0 0 0
clear rt1 0.5 0.5 1 0
clear depth 1
draw reads tSand uniform pool0[0..304] vertex pool0[65536..90112] index pool0[90112..98304] depth=write stencil=write
draw reads tSand uniform pool0[512..816] vertex pool0[131072..155648] index pool0[155648..163840] depth=write mask=rgba,rgba,rgb
draw reads tSand uniform pool0[1024..1328] indirect particles depth=write
draw reads gNormal uniform pool0[1536..1600] mask=rgba,- depth=test
blit depth -> halfDepth
pass rt0=ao
draw reads halfDepth,gNormal
pass rt0=hdr depth=depth
draw reads gAlbedo,gNormal,gMaterial,shadow,ao uniform pool0[2048..2320]
draw reads gEmissive depth=test
copy hdr -> hdrCopy
pass rt0=hdr depth=depth
draw reads hdrCopy,waveA uniform pool0[4096..4400] vertex pool0[200000..240000] index pool0[240000..250000] depth=write
draw reads particles depth=test
pass rt0=bloom@level0
draw reads hdr
pass rt0=bloom@level1
draw reads bloom@level0
pass rt0=bloom@level2
draw reads bloom@level1
pass rt0=ldr
draw reads hdr,bloom uniform pool0[6144..6208]
pass rt0=window0
draw reads ldr
draw reads panel vertex pool0[300000..304000] index pool0[304000..305000]
present window0
signal
";

const LABELS: &[(u32, &str)] = &[
    (3, "waves"),
    (6, "shadow 0"),
    (9, "shadow 1"),
    (11, "g-buffer"),
    (19, "ambient occlusion"),
    (20, "lighting"),
    (23, "water"),
    (25, "bloom"),
    (26, "bloom"),
    (27, "bloom"),
    (28, "grade"),
    (29, "hud"),
];

/// The frame, with passes, accesses, barriers and a few decisions.
pub(crate) fn island() -> World {
    let mut world = framegraph::testing::world(FRAME);
    for (n, label) in LABELS {
        let row = world.resource::<Labels>().rows.len() as u32;
        world.resource_mut::<Labels>().rows.push((*label).into());
        world.resource_mut::<Nodes>().label[*n as usize] = row;
    }
    let id = |world: &World, name: &str| framegraph::testing::id(world, name);
    plan(&mut world);

    let feedback = FeedbackLoop {
        node: NodeId(17),
        access: 0,
        resource: id(&world, "gNormal"),
        slots: 0b10,
        written: false,
        plan: FeedbackPlan::Layout,
    };
    world.resource_mut::<FeedbackLoops>().rows.push(feedback);
    world.resource_mut::<Nodes>().flags[17] |= node_flags::FEEDBACK;
    let (normal, shadow) = (id(&world, "gNormal"), id(&world, "shadow"));
    let (wave, panel) = (id(&world, "waveA"), id(&world, "panel"));
    let mut decisions = world.resource_mut::<Decisions>();
    decisions.push(
        "mask_unwritten_outputs",
        Subject::Target(DrawId(6), 2),
        Verdict::Changed,
        "outputs not written: kept {0}",
        [Evidence::Mask(0b111)],
    );
    decisions.push(
        "zero_initialise",
        Subject::Resource(wave),
        Verdict::Inserted,
        "never cleared by the game: starts as zero",
        [],
    );
    decisions.push(
        "zero_initialise",
        Subject::Resource(panel),
        Verdict::Inserted,
        "read before anything wrote it: starts as zero",
        [],
    );
    decisions.push(
        "lower_clears",
        Subject::Node(NodeId(6)),
        Verdict::Changed,
        "became the load operation of pass {0}",
        [Evidence::Number(1)],
    );
    decisions.push(
        "resolve_feedback_loops",
        Subject::Draw(DrawId(8)),
        Verdict::Taken,
        "reads {0} while it is attached: feedback layout, barrier by region",
        [Evidence::Resource(normal)],
    );
    decisions.push(
        "merge_passes",
        Subject::Pass(PassId(2)),
        Verdict::Refused,
        "not merged into pass {0}: {1} is attached with another layer",
        [Evidence::Number(1), Evidence::Resource(shadow)],
    );
    decisions.push(
        "merge_passes",
        Subject::Pass(PassId(6)),
        Verdict::Refused,
        "not merged into pass {0}: a copy reads its target between them",
        [Evidence::Number(5)],
    );
    decisions.push("zero_initialise", Subject::Binding(9), Verdict::Changed, "bound to nothing: reads as zero", []);
    decisions.push(
        "choose_load_store_ops",
        Subject::Pass(PassId(6)),
        Verdict::Taken,
        "depth is not stored: nobody reads it again in this frame",
        [],
    );
    world
}

/// Forms passes out of neighbours with equal targets, writes what each node accesses, and runs the framegraph's own systems on it.
pub(crate) fn plan(world: &mut World) {
    style(world);
    form_passes(world);
    collect_accesses(world);
    let mut schedule = Schedule::default();
    schedule.add_systems(
        (
            refresh,
            framegraph::dependencies::build_dependencies,
            framegraph::order::schedule_nodes,
            framegraph::layouts::convert_layouts,
            framegraph::barriers::place_barriers,
        )
            .chain(),
    );
    schedule.run(world);
}

fn refresh(
    mut table: ResMut<ResourceTable>,
    resources: ResourceQuery,
    mut order: ResMut<CommandOrder>,
    nodes: Res<Nodes>,
) {
    table.refresh(&resources);
    order.refresh(&nodes);
}

/// Some state to look at.
fn style(world: &mut World) {
    let mut states = world.resource_mut::<States>();
    let opaque = states.blend.intern(&BlendState::default());
    let mut over = BlendState::default();
    over.targets[0] = TargetBlend {
        enabled: true,
        color: (BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha),
        alpha: (BlendFactor::One, BlendFactor::OneMinusSrcAlpha),
        ..TargetBlend::default()
    };
    let over = states.blend.intern(&over);
    let culled =
        states.raster.intern(&RasterState { cull: Cull::Back, samples: 1, sample_mask: !0, ..RasterState::default() });
    let plain = states.raster.intern(&RasterState { samples: 1, sample_mask: !0, ..RasterState::default() });
    let mut draws = world.resource_mut::<Draws>();
    for n in 0..draws.len() {
        let mesh = matches!(draws.call[n], DrawCall::Elements { .. });
        draws.blend[n] = if n % 5 == 4 { over } else { opaque };
        draws.raster[n] = if mesh { culled } else { plain };
        draws.pipeline[n] = n as u32 % 7;
        if let DrawCall::Elements { count, .. } = &mut draws.call[n] {
            *count = 960 * (n as u32 + 1);
        }
    }
}

fn targets_of(world: &World, node: usize) -> StateId {
    let nodes = world.resource::<Nodes>();
    let row = nodes.payload[node] as usize;
    match nodes.kind[node] {
        NodeKind::Draw => world.resource::<Draws>().targets[row],
        NodeKind::Clear => match world.resource::<Clears>().rows[row].target {
            ClearTarget::Attachment(set, _) => set,
            ClearTarget::Image(..) => StateId::NONE,
        },
        _ => StateId::NONE,
    }
}

fn form_passes(world: &mut World) {
    let mut open = StateId::NONE;
    for node in 0..world.resource::<Nodes>().len() {
        let set = targets_of(world, node);
        if set == StateId::NONE {
            open = set;
            continue;
        }
        if set != open {
            let id = world.resource::<PassPool>().live;
            world.resource_mut::<PassPool>().live += 1;
            let entity = world.resource::<PassPool>().entity(PassId(id)).expect("a pooled pass");
            let targets = *world.resource::<States>().targets.get(set).expect("targets");
            let extent = targets.color[0].or(targets.depth).map_or([0; 2], |a| a.extent);
            let start = world.resource::<PassMembers>().rows.len() as u32;
            let mut ops = PassOps::default();
            for (slot, op) in ops.color.iter_mut().enumerate() {
                *op = if slot == 3 { (LoadOp::DontCare, StoreOp::Store) } else { (LoadOp::Load, StoreOp::Store) };
            }
            world.entity_mut(entity).insert((
                PassTargets(targets),
                PassRows(Rows { start, len: 0 }),
                PassArea { extent, layers: 1 },
                PassFlags(PassFlags::LIVE),
                ops,
            ));
            open = set;
        }
        let id = PassId(world.resource::<PassPool>().live - 1);
        let entity = world.resource::<PassPool>().entity(id).expect("a pooled pass");
        world.resource_mut::<Nodes>().pass[node] = id;
        world.resource_mut::<PassMembers>().rows.push(NodeId(node as u32));
        world.get_mut::<PassRows>(entity).expect("rows").0.len += 1;
        let row = world.resource::<Nodes>().payload[node] as usize;
        if world.resource::<Nodes>().kind[node] == NodeKind::Clear {
            let clear = world.resource::<Clears>().rows[row];
            world.resource_mut::<Nodes>().flags[node] |= node_flags::FOLDED;
            let mut ops = world.get_mut::<PassOps>(entity).expect("operations");
            match clear.target {
                ClearTarget::Attachment(_, 8) => ops.depth.0 = LoadOp::Clear(clear.value),
                ClearTarget::Attachment(_, slot) => ops.color[usize::from(slot)].0 = LoadOp::Clear(clear.value),
                ClearTarget::Image(..) => {}
            }
        }
    }
}

struct Row(ResourceId, Part, u32, u8, Layout);

fn bytes(slice: &BufferSlice, used: u32, stages: u8) -> Row {
    Row(slice.resource, Part::Bytes(slice.offset, slice.length), used, stages, Layout::Undefined)
}

fn collect_accesses(world: &mut World) {
    for node in 0..world.resource::<Nodes>().len() {
        let mut rows = Vec::new();
        let nodes = world.resource::<Nodes>();
        let payload = nodes.payload[node] as usize;
        let set = targets_of(world, node);
        if let Some(set) = world.resource::<States>().targets.get(set) {
            for attachment in set.color.iter().flatten() {
                let part = Part::Image(attachment.view.part);
                rows.push(Row(attachment.view.resource, part, uses::COLOR_WRITE, 0, Layout::Color));
            }
            if let Some(attachment) = &set.depth {
                let part = Part::Image(attachment.view.part);
                rows.push(Row(attachment.view.resource, part, uses::DEPTH_WRITE, 0, Layout::Depth));
            }
        }
        let mut bindings = Rows::default();
        match nodes.kind[node] {
            NodeKind::Draw => {
                let draws = world.resource::<Draws>();
                bindings = draws.bindings[payload];
                for slice in &world.resource::<Slices>().rows[draws.vertex_buffers[payload].range()] {
                    rows.push(bytes(slice, uses::VERTEX, 0));
                }
                match &draws.call[payload] {
                    DrawCall::Elements { indices, .. } => rows.push(bytes(indices, uses::INDEX, 0)),
                    DrawCall::Indirect { arguments, .. } => rows.push(bytes(arguments, uses::INDIRECT, 0)),
                    DrawCall::Arrays { .. } => {}
                }
            }
            NodeKind::Dispatch => bindings = world.resource::<Dispatches>().rows[payload].bindings,
            NodeKind::Upload => match &world.resource::<Uploads>().rows[payload] {
                Upload::Buffer { target, .. } => rows.push(bytes(target, uses::COPY_WRITE, 0)),
                Upload::Image { target, part, .. } => {
                    rows.push(Row(*target, Part::Image(*part), uses::COPY_WRITE, 0, Layout::CopyTarget));
                }
            },
            NodeKind::Copy => match &world.resource::<Copies>().rows[payload] {
                Copy::Image { source, source_part, target, target_part, .. }
                | Copy::Blit { source, source_part, target, target_part, .. } => {
                    rows.push(Row(*source, Part::Image(*source_part), uses::COPY_READ, 0, Layout::CopySource));
                    rows.push(Row(*target, Part::Image(*target_part), uses::COPY_WRITE, 0, Layout::CopyTarget));
                }
                other => panic!("the sample has no {other:?}"),
            },
            NodeKind::Present => {
                let source = world.resource::<Presents>().rows[payload].source;
                let all = framegraph::state::Subresources {
                    aspects: framegraph::state::Aspects::COLOR,
                    base_level: 0,
                    levels: 1,
                    base_layer: 0,
                    layers: 1,
                };
                rows.push(Row(source, Part::Image(all), uses::PRESENT, 0, Layout::Present));
            }
            _ => {}
        }
        for binding in &world.resource::<Bindings>().rows[bindings.range()] {
            let stages = 1u8 << binding.stage as u8;
            match binding.source {
                BindSource::Slice(slice) => {
                    let used = match (binding.kind, binding.written) {
                        (BindKind::Uniform, _) => uses::UNIFORM,
                        (_, true) => uses::STORAGE_WRITE,
                        (_, false) => uses::STORAGE_READ,
                    };
                    rows.push(bytes(&slice, used, stages));
                }
                BindSource::Texture(view, _) => {
                    let view = &world.resource::<States>().views[view];
                    let attached = rows.iter().any(|r| r.0 == view.resource);
                    let layout = if attached { Layout::Feedback } else { Layout::Sampled };
                    let part = Part::Image(view.part);
                    rows.iter_mut().filter(|r| r.0 == view.resource).for_each(|r| r.4 = layout);
                    rows.push(Row(view.resource, part, uses::SAMPLED, stages, layout));
                }
                _ => {}
            }
        }
        let mut accesses = world.resource_mut::<Accesses>();
        let start = accesses.len() as u32;
        for Row(resource, part, used, stages, layout) in rows {
            accesses.push(NodeId(node as u32), resource, part, used, stages, layout);
        }
        let len = accesses.len() as u32 - start;
        world.resource_mut::<Nodes>().accesses[node] = Rows { start, len };
    }
}
