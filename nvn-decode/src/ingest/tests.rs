//! Streams in, nodes and raw state out.

use super::*;
use crate::memory::PageMemory;
use crate::record::Writer;
use proptest::prelude::*;

fn world(knobs: &[&str]) -> World {
    let mut world = World::new();
    framegraph::world::init(&mut world);
    let memory = Arc::new(PageMemory::default());
    install(&mut world, Guest { memory: memory.clone(), tracking: memory });
    for knob in knobs {
        world.resource_mut::<Switches>().set_knob(knob, true);
    }
    world
}

fn run(world: &mut World, stream: &[u8]) -> usize {
    framegraph::world::clear_part(world);
    world.resource_mut::<RawPart>().clear();
    walk_call_tree(world, stream);
    world.resource::<PartInfo>().consumed
}

fn list(writer: &mut Writer, handle: u64, commands: impl FnOnce(&mut Writer)) {
    let mut inner = Writer::default();
    commands(&mut inner);
    let header = record::ListHeader { handle };
    writer.open(Op::CommandList, 0, bytemuck::bytes_of(&header)).bytes(&inner.bytes).close();
}

fn submit(writer: &mut Writer, handles: &[u64]) {
    let header = record::Submit { queue: 0, count: handles.len() as u32 };
    writer.open(Op::Submit, 0, bytemuck::bytes_of(&header)).bytes(bytemuck::cast_slice(handles)).close();
}

fn draw(writer: &mut Writer, count: u32) {
    let draw = record::Draw { primitive: 4, count, instances: 1, base_instance: 7, ..record::Draw::default() };
    writer.record(Op::Draw, 0, &draw);
}

/// Vertex counts of the part's draws, in order: a draw's name in these tests.
fn counts(world: &World) -> Vec<u32> {
    let draws = world.resource::<Draws>();
    draws.call.iter().map(|call| if let DrawCall::Arrays { count, .. } = call { *count } else { 0 }).collect()
}

fn complaints(world: &World) -> Vec<String> {
    world.resource::<PartInfo>().diagnostics.iter().map(ToString::to_string).collect()
}

// rows: M-4.8a, A-089
#[test]
fn a_called_list_is_looked_up_when_the_caller_is_submitted() {
    let stream = || {
        let mut writer = Writer::default();
        list(&mut writer, 1, |w| draw(w, 10));
        list(&mut writer, 2, |w| {
            draw(w, 1);
            w.record(Op::CallCommands, 0, &1_u64);
            draw(w, 3);
        });
        // The handle gets another list before the submission, and yet another after it.
        list(&mut writer, 1, |w| draw(w, 20));
        submit(&mut writer, &[2]);
        list(&mut writer, 1, |w| draw(w, 30));
        writer.bytes
    };
    let mut now = world(&[]);
    run(&mut now, &stream());
    assert_eq!(counts(&now), [1, 20, 3]);
    for knob in ["M-4.8a", "A-089"] {
        let mut early = world(&[knob]);
        run(&mut early, &stream());
        assert_eq!(counts(&early), [1, 10, 3], "{knob}");
    }
}

// rows: M-4.8a
#[test]
fn nested_lists_replay_in_order() {
    let mut writer = Writer::default();
    for depth in (0..8_u64).rev() {
        list(&mut writer, depth + 1, |w| {
            draw(w, depth as u32);
            if depth < 7 {
                w.record(Op::CallCommands, 0, &(depth + 2));
            }
            draw(w, 100 + depth as u32);
        });
    }
    submit(&mut writer, &[1, 1]);
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let once: Vec<u32> = (0..8).chain((100..108).rev()).collect();
    assert_eq!(counts(&world), [once.clone(), once].concat());
    let nodes = world.resource::<Nodes>();
    assert!(nodes.seq.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_list_that_calls_itself_ends_with_a_diagnostic() {
    let mut writer = Writer::default();
    list(&mut writer, 1, |w| {
        draw(w, 1);
        w.record(Op::CallCommands, 0, &1_u64);
    });
    submit(&mut writer, &[1]);
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    assert_eq!(counts(&world).len(), MAX_DEPTH);
    assert_eq!(complaints(&world).len(), 1);
    assert!(complaints(&world)[0].contains("levels deep"), "{:?}", complaints(&world));
}

// rows: R-054
#[test]
fn stages_are_bound_one_by_one() {
    let stream = || {
        let mut writer = Writer::default();
        let program = |writer: &mut Writer, id: u32, stages: &[u32]| {
            let header = record::ProgramHeader { id, stages: stages.len() as u32 };
            let mut open = writer.open(Op::Program, 0, bytemuck::bytes_of(&header));
            for stage in stages {
                open = open.push(&record::StageHeader { stage: *stage, control: 4, code: 3 }).bytes(&[id as u8; 4]);
                open = open.bytes(&[*stage as u8; 4]);
            }
            open.close();
        };
        program(&mut writer, 1, &[0, 1]);
        program(&mut writer, 2, &[0, 1]);
        list(&mut writer, 1, |w| {
            let mut bind = |program, stages| w.record(Op::BindProgram, 0, &record::BindProgram { program, stages });
            bind(1, 3);
            bind(2, 2);
            draw(w, 1);
            // Fragment alone is taken off.
            w.record(Op::BindProgram, 0, &record::BindProgram { program: 0, stages: 2 });
            draw(w, 2);
        });
        submit(&mut writer, &[1]);
        writer.bytes
    };
    let ids = |world: &World| {
        let draws = world.resource::<Draws>();
        [0, 1].map(|n| [draws.programs[n][0], draws.programs[n][4]])
    };
    let mut one = world(&[]);
    run(&mut one, &stream());
    assert!(complaints(&one).is_empty(), "{:?}", complaints(&one));
    let [vertex_1, fragment_2] = [ProgramId(0), ProgramId(3)];
    assert_eq!(ids(&one), [[vertex_1, fragment_2], [vertex_1, ProgramId::NONE]]);
    let mut all = world(&["R-054"]);
    run(&mut all, &stream());
    assert_eq!(ids(&all), [[ProgramId(2), ProgramId(3)], [ProgramId::NONE; 2]]);
    // The same code again is the same stage.
    run(&mut one, &stream());
    assert_eq!(one.resource::<Device>().stages.len(), 4);
}

// rows: R-057
#[test]
fn instances_and_their_base_pass_through() {
    let mut writer = Writer::default();
    list(&mut writer, 1, |w| draw(w, 3));
    submit(&mut writer, &[1]);
    let base = |knobs: &[&str]| {
        let mut world = world(knobs);
        run(&mut world, &writer.bytes);
        match world.resource::<Draws>().call[0] {
            DrawCall::Arrays { base_instance, instances, .. } => (base_instance, instances),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(base(&[]), (7, 1));
    assert_eq!(base(&["R-057"]), (0, 1));
}

#[test]
fn state_persists_from_list_to_list_and_rows_are_shared() {
    let mut writer = Writer::default();
    list(&mut writer, 1, |w| {
        w.record(Op::SetStencilRef, 0, &record::StencilFaces { faces: 3, value: 9 });
        draw(w, 1);
    });
    list(&mut writer, 2, |w| {
        // Set to what it is.
        w.record(Op::SetStencilRef, 0, &record::StencilFaces { faces: 3, value: 9 });
        draw(w, 2);
    });
    submit(&mut writer, &[1]);
    submit(&mut writer, &[2]);
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let raw = world.resource::<RawPart>();
    assert_eq!(raw.depth.len(), 1);
    assert_eq!(raw.depth[0].reference, [9, 9]);
    assert_eq!(raw.draws[0], raw.draws[1]);
}

#[test]
fn a_part_ends_at_its_mark_and_the_next_begins_there() {
    let mut writer = Writer::default();
    list(&mut writer, 1, |w| draw(w, 1));
    submit(&mut writer, &[1]);
    writer.slice::<u8>(Op::PartEnd, 0, &[]);
    let first = writer.bytes.len();
    list(&mut writer, 1, |w| draw(w, 2));
    submit(&mut writer, &[1]);
    let mut world = world(&[]);
    assert_eq!(run(&mut world, &writer.bytes), first);
    assert!(world.resource::<PartInfo>().ended);
    assert_eq!(counts(&world), [1]);
    run(&mut world, &writer.bytes[first..]);
    assert_eq!((counts(&world), world.resource::<PartInfo>().index), (vec![2], 2));
    assert!(!world.resource::<PartInfo>().ended);
}

// rows: M-4.3
#[test]
fn fences_become_signals_in_order_and_a_wait_for_a_later_one_is_told() {
    let mut writer = Writer::default();
    let fence = |sync, value| record::Fence { sync, value, queue: 0, condition: 0 };
    writer.record(Op::FenceSync, 0, &fence(3, 1));
    writer.record(Op::WaitSync, 0, &fence(3, 1));
    writer.record(Op::FenceSync, 0, &fence(4, 9));
    writer.record(Op::WaitSync, 0, &fence(3, 2));
    writer.record(Op::WaitSync, 0, &fence(77, 1));
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let tags = &world.resource::<Signals>().rows;
    assert_eq!(tags.iter().map(|tag| signal_of(*tag)).collect::<Vec<_>>(), [(3, 1), (4, 9)]);
    let decisions: Vec<_> = world.resource::<Decisions>().rows().iter().map(|d| d.words()).collect();
    assert_eq!(decisions, ["sync 3 is waited for at 2, which is signalled later: the wait is taken as met"]);
}

#[test]
fn what_is_not_carried_out_is_never_silent() {
    let mut writer = Writer::default();
    list(&mut writer, 1, |w| {
        w.record(Op::Unsupported, 0, &42_u32);
        w.record(Op::ReportCounter, 0, &record::CounterReport { address: 0x40, counter: 1, value: 0 });
    });
    submit(&mut writer, &[1, 5]);
    writer.record(Op::Draw, 0, &record::Draw::default());
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let decisions: Vec<_> = world.resource::<Decisions>().rows().iter().map(|d| d.words()).collect();
    assert_eq!(
        decisions,
        ["call of function 42 is not carried out", "counter 1 is not counted: its report says 1 and no time"]
    );
    let complaints = complaints(&world);
    assert!(complaints[0].contains("list 0x5 was never recorded"), "{complaints:?}");
    assert!(complaints[1].contains("Draw does not belong here"), "{complaints:?}");
}

#[test]
fn a_pool_has_a_buffer_and_its_end_retires_it() {
    let mut writer = Writer::default();
    writer.record(Op::PoolCreate, 0, &record::Pool { address: 0x1000, size: 0x2000, ordinal: 0, flags: 0 });
    writer.record(Op::PoolCreate, 0, &record::Pool { address: 0x8000, size: 0x1000, ordinal: 1, flags: 0 });
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let device = world.resource::<Device>();
    let at = device.locate(0x2FFF).expect("in the first pool");
    assert_eq!((at.pool, at.offset, at.left), (0, 0x1FFF, 1));
    assert_eq!(device.locate(0x3000), None);
    assert_eq!(device.locate(0x8000).map(|at| at.pool), Some(1));
    let mut writer = Writer::default();
    writer.record(Op::PoolFinalize, 0, &record::PoolEnd { ordinal: 0 });
    run(&mut world, &writer.bytes);
    assert_eq!(world.resource::<Device>().locate(0x2000), None);
    let entity = world.resource::<ResourcePool>().entity(at.buffer).expect("an entity");
    assert!(world.get::<ResourceFlags>(entity).is_some_and(|flags| flags.has(ResourceFlags::RETIRED)));
}

#[test]
fn absurd_pools_are_refused() {
    let good = record::Pool { address: 0x1000, size: 0x1000, ordinal: 0, flags: 0 };
    let cases = [
        record::Pool { ordinal: 0x8000_0000, ..good },
        record::Pool { size: 1 << 42, ..good },
        record::Pool { address: u64::MAX - 0xFFF, size: 0x2000, ..good },
        // Each of these fits, and all of them together do not.
        record::Pool { ordinal: 1, size: 9 << 30, ..good },
        record::Pool { ordinal: 2, size: 9 << 30, ..good },
    ];
    let mut writer = Writer::default();
    for case in cases {
        writer.record(Op::PoolCreate, 0, &case);
    }
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let refused = complaints(&world).iter().filter(|words| words.contains("more than the console's memory")).count();
    assert_eq!((refused, world.resource::<Device>().pools.len()), (4, 1));
}

#[test]
fn absurd_descriptors_are_refused() {
    let mut writer = Writer::default();
    writer.record(Op::PoolCreate, 0, &record::Pool { address: 0x1000, size: 0x1000, ordinal: 0, flags: 0 });
    let good = TextureRef {
        extent: [8, 8, 1],
        format: 0x25,
        view_format: 0x25,
        target: 1,
        view_target: 1,
        levels: 1,
        ..TextureRef::default()
    };
    let cases = [
        TextureRef { pool: 9, ..good },
        TextureRef { offset: u64::MAX, ..good },
        TextureRef { format: 0, ..good },
        TextureRef { format: 0xFFFF, ..good },
        TextureRef { levels: 0, ..good },
        TextureRef { extent: [u32::MAX; 3], ..good },
        TextureRef { extent: [64, 64, 1], ..good },
    ];
    for (id, texture) in cases.into_iter().chain([good]).enumerate() {
        let id = id as u32;
        writer.record(Op::RegisterTexture, 0, &record::DescriptorTexture { pool_address: 0, id, reserved: 0, texture });
    }
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    assert_eq!(complaints(&world).len(), cases.len(), "{:#?}", complaints(&world));
    assert_eq!(world.resource::<Device>().textures.len(), 1);
}

/// A short run that is the same each time, or as the environment says: `cargo xtask soak` asks for many cases.
fn fuzz(cases: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        given
    } else {
        ProptestConfig { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
    }
}

proptest! {
    #![proptest_config(fuzz(256))]

    #[test]
    fn fuzz_records_are_answered(records in prop::collection::vec((0_usize..Op::ALL.len(), any::<u16>(), prop::collection::vec(any::<u8>(), 0..200)), 0..40), cut in 0_usize..64) {
        let mut writer = Writer::default();
        writer.record(Op::PoolCreate, 0, &record::Pool { address: 0x1000, size: 0x10000, ordinal: 0, flags: 0 });
        let mut inner = Writer::default();
        for (op, flags, payload) in &records {
            inner.slice(Op::ALL[*op], *flags, payload);
        }
        let header = record::ListHeader { handle: 1 };
        let end = inner.bytes.len().saturating_sub(cut);
        writer.open(Op::CommandList, 0, bytemuck::bytes_of(&header)).bytes(&inner.bytes[..end]).close();
        submit(&mut writer, &[1]);
        // The same records as events of the stream; pools of absurd size are the memory's to refuse.
        for (op, flags, payload) in &records {
            if Op::ALL[*op] != Op::PoolCreate {
                writer.slice(Op::ALL[*op], *flags, payload);
            }
        }
        let end = writer.bytes.len().saturating_sub(cut);
        let mut world = world(&[]);
        run(&mut world, &writer.bytes[..end]);
        let nodes = world.resource::<Nodes>();
        prop_assert_eq!(nodes.len(), nodes.seq.len());
    }
}

/// The records that bring the state of a world back, and the state of the world that read them.
fn state(world: &mut World) -> Vec<u8> {
    let mut writer = Writer::default();
    world.resource::<Decoder>().write_state(world.resource::<Device>(), 7, &mut writer);
    writer.bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_state_that_is_brought_back_is_the_same_state(commands in prop::collection::vec((0x100_u16..0x14A, 0_u16..3, prop::collection::vec(0_u8..5, 0..120)), 0..60)) {
        let mut writer = Writer::default();
        writer.record(Op::PoolCreate, 0, &record::Pool { address: 0x1000, size: 0x10000, ordinal: 1, flags: 3 });
        for id in 1..4_u32 {
            let header = record::ProgramHeader { id, stages: 2 };
            let stage = |stage: u32| record::StageHeader { stage, control: 3, code: 5 };
            let open = writer.open(Op::Program, 0, bytemuck::bytes_of(&header));
            let open = open.push(&stage(0)).bytes(&[id as u8, 0, 0]).pad().bytes(&[1; 5]).pad();
            open.push(&stage(1)).bytes(&[9, 9, 9]).pad().bytes(&[id as u8 & 1; 5]).pad().close();
        }
        let texture = record::TextureRef { format: 0x25, extent: [8, 8, 1], levels: 1, samples: 1, target: 1, view_target: 1, pool: 1, ..Default::default() };
        writer.record(Op::RegisterTexture, 0, &record::DescriptorTexture { pool_address: 0x2000, id: 3, reserved: 0, texture });
        writer.record(Op::RegisterSampler, 0, &record::DescriptorSampler { pool_address: 0x3000, id: 2, ..Default::default() });
        let window = record::Window { window: 1, count: 1 };
        writer.open(Op::Window, 0, bytemuck::bytes_of(&window)).push(&texture).close();
        let label = record::Label { kind: 1, object: 1, offset: 0 };
        writer.open(Op::Label, 0, bytemuck::bytes_of(&label)).bytes(b"scene colour").close();
        writer.record(Op::FenceSync, 0, &record::Fence { sync: 5, value: 6, queue: 2, condition: 0 });
        list(&mut writer, 4, |inner| {
            for (op, flags, payload) in &commands {
                if let Some(op) = Op::from_code(*op) {
                    inner.slice(op, *flags, payload);
                }
            }
            let head = record::SetRenderTargets { colors: 2, count: 2, depth: 0 };
            inner.open(Op::SetRenderTargets, 0, bytemuck::bytes_of(&head)).push(&texture).close();
            inner.record(Op::BindProgram, 0, &record::BindProgram { program: 2, stages: 3 });
        });
        submit(&mut writer, &[4]);
        let mut first = world(&[]);
        run(&mut first, &writer.bytes);
        let records = state(&mut first);
        let mut second = world(&[]);
        run(&mut second, &records);
        prop_assert_eq!(complaints(&second), Vec::<String>::new());
        prop_assert!(second.resource::<Restored>().active);
        prop_assert_eq!(second.resource::<Device>().pool(1).map(|p| p.buffer), first.resource::<Device>().pool(1).map(|p| p.buffer));
        prop_assert_eq!(&second.resource::<Device>().stages, &first.resource::<Device>().stages);
        // The second goes on with the number that the first would go on with.
        prop_assert_eq!(state(&mut second), records);
    }
}

#[test]
fn contents_of_a_keyframe_come_out_and_damaged_ones_are_refused() {
    let texture = record::TextureRef {
        format: 0x25,
        extent: [8, 8, 1],
        levels: 1,
        samples: 1,
        target: 1,
        view_target: 1,
        ..Default::default()
    };
    let mut writer = Writer::default();
    writer.record(Op::PoolCreate, 0, &record::Pool { address: 0x1000, size: 0x10000, ordinal: 0, flags: 0 });
    let head = record::ImageContents { texture, planes: 1, reserved: 0 };
    let plane = |length: u64| record::Plane { aspect: 0, encoding: 0, length };
    writer.open(Op::ImageContents, 0, bytemuck::bytes_of(&head)).push(&plane(5)).bytes(&[7; 5]).pad().close();
    writer.open(Op::ImageContents, 0, bytemuck::bytes_of(&head)).push(&plane(u64::MAX)).bytes(&[7; 5]).close();
    let bytes = |offset: u64| record::BufferContents { offset, length: 2, pool: 0, kind: 0 };
    writer.open(Op::BufferContents, 0, bytemuck::bytes_of(&bytes(9))).bytes(&[1, 2]).close();
    writer.open(Op::BufferContents, 0, bytemuck::bytes_of(&bytes(u64::MAX))).bytes(&[1, 2]).close();
    let mut world = world(&[]);
    run(&mut world, &writer.bytes);
    let restored = world.resource::<Restored>();
    assert_eq!((restored.images.len(), restored.images[0].planes[0].bytes.as_slice()), (1, [7; 5].as_slice()));
    assert_eq!((restored.buffers.len(), restored.buffers[0].bytes.as_slice()), (1, [1, 2].as_slice()));
    assert_eq!(complaints(&world).len(), 2, "{:?}", complaints(&world));
}
