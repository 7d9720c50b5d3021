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
