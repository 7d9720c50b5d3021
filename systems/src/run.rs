//! One part, from bytes to a Plan.

use crate::ingest::snapshot_cpu_writes::DirtyPages;
use crate::ingest::translate_virtual_addresses::BindingSources;
use crate::keyframe::Keyframe;
use crate::resources::collect_storage_uses::GpuWritten;
use crate::resources::upload_dirty_textures::Covered;
use crate::state::classify_vertex_inputs::InputClasses;
use crate::state::pick_host_formats::HostFormats;
use crate::state::rescale_depth_bias::DrawBias;
use crate::state::resolve_target_state::TargetRows;
use crate::state::shader_store::{ShaderStore, Translator};
use crate::state::textures::Textures;
use crate::table::{Body, TABLE};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleConfigs;
use bevy_ecs::system::ScheduleSystem;
use framegraph::pass::PassPool;
use framegraph::resource::{ResourceFlags, ResourcePool};
use framegraph::schedule::Phase;
use nvn_decode::ingest::PartInfo;
use nvn_decode::memory::Guest;
use nvn_decode::raw::RawPart;
use std::sync::Arc;

/// The place of one system in the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, SystemSet)]
struct Named(&'static str);

/// The systems in their order, ready to run.
pub struct Engine {
    /// Called where a phase begins.
    observe: Option<fn(Option<Phase>)>,
    /// What reads the part's bytes, before everything else.
    readers: Vec<fn(&mut World, &[u8])>,
    schedule: Schedule,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("systems", &self.schedule.systems_len()).finish()
    }
}

/// Names of what watches the phases, by phase.
const WATCH: [&str; 9] = ["@0", "@1", "@2", "@3", "@4", "@5", "@6", "@7", "@8"];

/// Systems that the engine puts into the slots of the table.
#[derive(Default)]
pub struct Slots {
    /// `draw_overlay`.
    pub draw_overlay: Option<ScheduleConfigs<ScheduleSystem>>,
    /// `emit_vulkan`.
    pub emit_vulkan: Option<ScheduleConfigs<ScheduleSystem>>,
    /// `complete_in_order`.
    pub complete_in_order: Option<ScheduleConfigs<ScheduleSystem>>,
    /// Told when a phase begins, and (`None`) when the last one has ended: for a profiler.
    pub observe: Option<fn(Option<Phase>)>,
}

impl std::fmt::Debug for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slots")
            .field("draw_overlay", &self.draw_overlay.is_some())
            .field("emit_vulkan", &self.emit_vulkan.is_some())
            .field("complete_in_order", &self.complete_in_order.is_some())
            .finish()
    }
}

/// Inserts everything that the systems need into a world: tables, decoder, stores.
pub fn install(world: &mut World, guest: Guest, translator: Arc<dyn Translator + Send + Sync>) {
    framegraph::world::init(world);
    nvn_decode::ingest::install(world, guest);
    crate::schedule::init(world);
    world.insert_resource(ShaderStore::new(translator));
    world.init_resource::<DirtyPages>();
    world.init_resource::<BindingSources>();
    world.init_resource::<HostFormats>();
    world.init_resource::<Textures>();
    world.init_resource::<TargetRows>();
    world.init_resource::<DrawBias>();
    world.init_resource::<InputClasses>();
    world.init_resource::<GpuWritten>();
    world.init_resource::<Covered>();
    world.init_resource::<Keyframe>();
    world.init_resource::<FlagsQuery>();
}

/// The query over the flags of all resources, made once.
#[derive(Default, Resource)]
struct FlagsQuery(Option<QueryState<&'static mut ResourceFlags>>);

/// Forgets the last part.
pub fn clear_part(world: &mut World) {
    framegraph::world::clear_part(world);
    world.resource_mut::<RawPart>().clear();
    world.resource_mut::<BindingSources>().clear();
    let known = world.resource_mut::<FlagsQuery>().0.take();
    let mut query = known.unwrap_or_else(|| world.query());
    for mut flags in query.iter_mut(world) {
        flags.0 &= !ResourceFlags::NEW;
    }
    world.resource_mut::<FlagsQuery>().0 = Some(query);
    // Pools grow between parts alone.
    let passes = world.resource::<PassPool>();
    let (live, room) = (passes.live as usize, passes.capacity());
    if live + live / 2 + 16 > room {
        PassPool::reserve(world, live * 2 + 32);
    }
    if world.resource::<ResourcePool>().free() < 16 {
        ResourcePool::reserve(world, 64);
    }
}

impl Engine {
    /// Builds the schedule from the table; slots that are left empty do nothing.
    #[must_use]
    pub fn new(mut slots: Slots) -> Self {
        let mut schedule = Schedule::default();
        schedule.set_executor(bevy_ecs::schedule::SingleThreadedExecutor::new());
        schedule.configure_sets(
            (
                Phase::Ingest,
                Phase::State,
                Phase::Resources,
                Phase::Lowering,
                Phase::Hazards,
                Phase::Passes,
                Phase::Schedule,
                Phase::Pipelines,
                Phase::Emit,
            )
                .chain(),
        );
        let mut readers = Vec::new();
        let mut last: Option<Named> = None;
        // The first phase begins with the readers.
        let mut phase = Some(Phase::Ingest);
        for entry in TABLE {
            let system = match entry.body {
                Body::Reader(read) => {
                    readers.push(read);
                    None
                }
                Body::System(make) => Some(make()),
                Body::Slot => match entry.rule.name {
                    "draw_overlay" => slots.draw_overlay.take(),
                    "emit_vulkan" => slots.emit_vulkan.take(),
                    _ => slots.complete_in_order.take(),
                },
            };
            let Some(system) = system else { continue };
            if let Some(observe) = slots.observe
                && phase.replace(entry.rule.phase) != Some(entry.rule.phase)
            {
                let begins = entry.rule.phase;
                let watch = (move || observe(Some(begins))).in_set(begins).in_set(Named(WATCH[begins as usize]));
                schedule.add_systems(match last {
                    Some(before) => watch.after(before),
                    None => watch.into_configs(),
                });
                last = Some(Named(WATCH[begins as usize]));
            }
            let name = Named(entry.rule.name);
            let system = system.in_set(entry.rule.phase).in_set(name);
            match last {
                Some(before) => schedule.add_systems(system.after(before)),
                None => schedule.add_systems(system),
            };
            last = Some(name);
        }
        if let (Some(observe), Some(before)) = (slots.observe, last) {
            schedule.add_systems((move || observe(None)).after(before));
        }
        Self { observe: slots.observe, readers, schedule }
    }

    /// Runs one part from `stream`; returns the number of bytes that it took. Bytes behind them belong to the next part. What the part was is in the
    /// tables of `world` until the next call, facts about it in [`PartInfo`].
    pub fn run_part(&mut self, world: &mut World, stream: &[u8]) -> usize {
        clear_part(world);
        if let Some(observe) = self.observe {
            observe(Some(Phase::Ingest));
        }
        for read in &self.readers {
            read(world, stream);
        }
        self.schedule.run(world);
        world.resource::<PartInfo>().consumed
    }
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{HandleSource, StageFacts, StageKey, TextureFact};
    use crate::testing::Scene;
    use framegraph::decision::Decisions;
    use framegraph::ids::{ResourceId, Rows};
    use framegraph::state::{
        AttachmentSet, BlendState, DepthState, Dim, RasterState, SamplerKey, Stage, ViewKey, ViewportState,
    };
    use framegraph::tables::{BindSource, Bindings};
    use nvn_decode::record::{self, Op, TextureRef};

    /// Everything about a draw that the systems find out, but for the numbers of resources and rows.
    #[derive(Debug, PartialEq)]
    struct Seen {
        views: Vec<Option<(ViewKey, SamplerKey)>>,
        keys: Vec<Option<StageKey>>,
        targets: AttachmentSet,
        mask: u32,
        blend: BlendState,
        depth: DepthState,
        raster: RasterState,
        viewport: ViewportState,
    }

    fn seen(scene: &Scene) -> (Vec<Seen>, Vec<String>) {
        let (draws, states, bindings) = (scene.draws(), scene.states(), scene.res::<Bindings>());
        let keys = scene.translator.keys.lock().expect("lock");
        let unnumbered = |view: ViewKey| ViewKey { resource: ResourceId(0), ..view };
        let all = (0..draws.len()).map(|draw| {
            let rows: Rows = draws.bindings[draw];
            let view = |row: usize| match bindings.rows[row].source {
                BindSource::Texture(view, sampler) => Some((unnumbered(states.views[view]), states.samplers[sampler])),
                _ => None,
            };
            let mut targets = states.targets[draws.targets[draw]];
            for attachment in targets.color.iter_mut().chain([&mut targets.depth]).flatten() {
                attachment.view = unnumbered(attachment.view);
            }
            let variants = states.shaders[draws.shaders[draw]].variant;
            Seen {
                views: rows.range().map(view).collect(),
                // Variants are numbered from 1 in the order of their translation.
                keys: variants.map(|n| keys.get((n as usize).wrapping_sub(1)).cloned()).to_vec(),
                targets,
                mask: draws.write_mask[draw],
                blend: states.blend[draws.blend[draw]],
                depth: states.depth[draws.depth[draw]],
                raster: states.raster[draws.raster[draw]],
                viewport: states.viewports[draws.viewport[draw]].clone(),
            }
        });
        // That an image is new, or a format stands in for another, is told once.
        let once = ["zero_initialise", "pick_host_formats"];
        let rows = scene.res::<Decisions>().rows().iter().filter(|row| !once.contains(&row.rule));
        (all.collect(), rows.map(|row| format!("{} {:?} {}", row.rule, row.verdict, row.words())).collect())
    }

    fn scene() -> Scene {
        let mut scene = Scene::new(&[]);
        let texture = |slot: u8, dim, compare| TextureFact { slot, source: HandleSource::Bound(slot), dim, compare };
        for (outputs, count, dim, compare) in
            [(0xF, 3, Dim::D2, false), (0xFF, 2, Dim::D2Array, false), (0x7, 12, Dim::D2, true)]
        {
            let textures = (0..count).map(|slot| texture(slot, dim, compare)).collect();
            let fragment = StageFacts { output_map: outputs, textures, ..StageFacts::default() };
            scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
        }
        scene
    }

    // rows: M-2.3a, M-2.6a, M-2.7a, M-1.2a
    #[test]
    fn what_is_remembered_from_part_to_part_changes_nothing() {
        const IDS: u32 = 6;
        let mut state = 99_u64;
        let mut next = |limit: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % limit
        };
        let texture = |next: &mut dyn FnMut(u32) -> u32| TextureRef {
            swizzle: [2, 3, 4, 2 + next(4) as u8],
            flags: next(2) * 4,
            ..Scene::texture(u64::from(next(3)) << 20, [0x25, 0x27, 0x38, 0x01, 0x34, 0x35][next(6) as usize], 64, 64)
        };
        let sampler = |next: &mut dyn FnMut(u32) -> u32| record::Sampler {
            min_mag: [next(4), next(2)],
            lod: [0.0, 1000.0],
            anisotropy: 1.0,
            ..Default::default()
        };
        let mut kept = scene();
        let mut textures: Vec<Option<TextureRef>> = vec![None; IDS as usize];
        let mut samplers: Vec<record::Sampler> = vec![record::Sampler::default(); 2];
        let (mut views, mut part) = (0, 0);
        while part < 150 {
            part += 1;
            let mut written = Vec::new();
            for _ in 0..next(3) {
                let id = next(IDS);
                textures[id as usize] = Some(texture(&mut next));
                written.push(id);
            }
            let sampled = next(4) == 0;
            if sampled {
                samplers[next(2) as usize] = sampler(&mut next);
            }
            // The same commands in a scene that saw all before, and in one that only knows the descriptors.
            let mut fresh = scene();
            for (id, held) in textures.iter().enumerate().filter_map(|(id, held)| Some((id as u32, (*held)?))) {
                fresh.register(256 + id, held);
                if written.contains(&id) {
                    kept.register(256 + id, held);
                }
            }
            for (n, held) in samplers.iter().enumerate() {
                fresh.register_sampler(256 + n as u32, *held);
                if sampled || part == 1 {
                    kept.register_sampler(256 + n as u32, *held);
                }
            }
            type Command = Box<dyn Fn(&mut Scene)>;
            let mut commands: Vec<Command> = Vec::new();
            for _ in 0..4 {
                let color = [Scene::texture(0x80_0000, [0x25, 0x27][next(2) as usize], 64, 64); 2];
                let (count, depth) =
                    (1 + next(2) as usize, (next(2) == 0).then(|| Scene::texture(0x90_0000, 0x34, 64, 64)));
                commands.push(Box::new(move |scene| {
                    scene.targets(&color[..count], depth);
                }));
                let blend = record::ColorState { blend_enable: next(2), logic_op: 3, alpha_test: 8 };
                let depth = record::DepthStencilState {
                    depth_test: next(2),
                    depth_write: 1,
                    depth_func: 4,
                    ..Default::default()
                };
                commands.push(Box::new(move |scene| {
                    scene.cmd(Op::BindColor, &blend).cmd(Op::BindDepthStencil, &depth).viewport([0.0, 0.0, 64.0, 64.0]);
                }));
                for _ in 0..3 {
                    let program = 1 + next(3);
                    let bound: Vec<(u32, u32)> = (0..12).map(|_| (256 + next(IDS), 256 + next(2))).collect();
                    commands.push(Box::new(move |scene| {
                        for (slot, (texture, sampler)) in bound.iter().enumerate() {
                            scene.bind_texture(slot as u32, *texture, *sampler);
                        }
                        scene.bind_program(program).draw();
                    }));
                }
            }
            for command in &commands {
                command(&mut kept);
                command(&mut fresh);
            }
            kept.run();
            fresh.run();
            let (known, new) = (seen(&kept), seen(&fresh));
            views += known.0.iter().flat_map(|draw| &draw.views).flatten().count();
            assert_eq!(known, new, "part {part}");
        }
        assert!(views > 1000, "{views} views were compared");
    }
}
