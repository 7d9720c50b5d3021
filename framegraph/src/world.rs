//! A World with every table, column and working memory of this crate, empty.

use crate::barriers::{BarrierScratch, SubresourceStates};
use crate::caps::DeviceCaps;
use crate::decision::Decisions;
use crate::dependencies::{DependencyScratch, HazardKeys};
use crate::layouts::LayoutScratch;
use crate::order::OrderScratch;
use crate::pass::PassPool;
use crate::plan::{ComputePipelines, Pipelines, Plan, Schedule};
use crate::resource::ResourcePool;
use crate::resource_table::ResourceTable;
use crate::rule::Switches;
use crate::tables::{
    Accesses, Bindings, Clears, CommandOrder, Copies, Dispatches, Downloads, Draws, Edges, FeedbackLoops, GameBarriers,
    Labels, Nodes, OrderPoints, PassMembers, Presents, ShaderModules, Signals, Slices, Snapshots, States, Uploads,
};
use bevy_ecs::prelude::World;

/// Inserts every resource of this crate that is not there yet, and makes room for a first frame's passes and snapshots.
pub fn init(world: &mut World) {
    macro_rules! all {
        ($($table:ty),* $(,)?) => { $(world.init_resource::<$table>();)* };
    }
    all!(
        Nodes,
        Draws,
        Dispatches,
        Copies,
        Clears,
        Uploads,
        Downloads,
        GameBarriers,
        Signals,
        Presents,
        Labels,
        Bindings,
        Slices,
        Snapshots,
        States,
        Accesses,
        Edges,
        CommandOrder,
        FeedbackLoops,
        OrderPoints,
        PassMembers,
        ShaderModules,
        Decisions,
        PassPool,
        ResourcePool,
        ResourceTable,
        SubresourceStates,
        Plan,
        Schedule,
        Pipelines,
        ComputePipelines,
        Switches,
        DeviceCaps,
        HazardKeys,
        DependencyScratch,
        OrderScratch,
        LayoutScratch,
        BarrierScratch,
    );
    PassPool::reserve(world, 64);
    ResourcePool::reserve(world, 16);
}

/// Forgets the current part: all tables that describe it. Resources, states that persist across parts, switches and working memory stay.
pub fn clear_part(world: &mut World) {
    macro_rules! rows {
        ($($table:ty),* $(,)?) => { $(world.resource_mut::<$table>().rows.clear();)* };
    }
    world.resource_mut::<Nodes>().clear();
    world.resource_mut::<Draws>().clear();
    world.resource_mut::<States>().clear();
    world.resource_mut::<Snapshots>().bytes.clear();
    world.resource_mut::<Accesses>().clear();
    world.resource_mut::<Edges>().clear();
    world.resource_mut::<Decisions>().clear();
    world.resource_mut::<Pipelines>().clear();
    world.resource_mut::<ComputePipelines>().variants.clear();
    rows!(
        Dispatches,
        Copies,
        Clears,
        Uploads,
        Downloads,
        GameBarriers,
        Signals,
        Presents,
        Labels,
        Bindings,
        Slices,
        FeedbackLoops,
        OrderPoints,
        PassMembers,
    );
}
