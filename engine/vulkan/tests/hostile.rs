//! Proof of the hostile executor: for each line a tiny plan whose guard was removed fails, and the same plan with it passes.
#![allow(clippy::print_stdout, unsafe_code)] // A skipped test prints why; a pool is imported by pointer.

mod support;

mod gpu {
    use super::support::*;
    use ferrograph_vulkan::hostile::{HostileOptions, Lines};
    use ferrograph_vulkan::{Completion, Device};
    use framegraph::pass::{LoadOp, PassArea, PassOps, StoreOp};
    use framegraph::resource::Layout;
    use framegraph::state::*;
    use framegraph::tables::*;

    /// A bench with these lines; `guarded` plans must please the checker and the layer too.
    fn bench(lines: Lines, seed: u64, guarded: bool) -> Option<Bench> {
        let device = if guarded { device(&Default::default()) } else { Device::new(&Default::default()).ok() };
        let Some(device) = device else {
            println!("skipped: no Vulkan device");
            return None;
        };
        let mut b = Bench::hostile(device, Some(HostileOptions { lines, seed }));
        b.check = guarded;
        Some(b)
    }

    fn rgba(done: &[Completion], tag: u64) -> [u8; 4] {
        bytes_of(done, tag)[..4].try_into().expect("a texel")
    }

    const MAGENTA: [u8; 4] = [255, 0, 255, 255];
    const ORANGE: [u8; 4] = [255, 128, 0, 255];
    const YELLOW: [u8; 4] = [255, 255, 0, 255];

    fn small(b: &mut Bench) -> framegraph::ids::ResourceId {
        b.image(color_desc(Format::Rgba8Unorm, 4, 4))
    }

    /// Reads an image back from this layout.
    fn read(b: &mut Bench, image: framegraph::ids::ResourceId, from: (u32, u8), layout: Layout) -> u64 {
        b.barrier(from, to::COPY_READ, &[(image, layout, Layout::CopySource)]);
        b.download_image(image)
    }

    #[test]
    fn line_1_fresh_images_and_buffers() {
        for guarded in [false, true] {
            let Some(mut b) = bench(Lines::FRESH, 1, guarded) else { return };
            let image = small(&mut b);
            let depth = b.image(color_desc(Format::D32Float, 4, 4));
            let words = b.image(color_desc(Format::R32Uint, 4, 4));
            let pool = b.buffer(64);
            b.barrier(
                to::NONE,
                to::COPY_WRITE,
                &[image, depth, words].map(|i| (i, Layout::Undefined, Layout::CopyTarget)),
            );
            if guarded {
                b.clear_image(image, [0; 4]);
                b.clear_image(depth, [0; 4]);
                b.clear_image(words, [0; 4]);
                b.copy(Copy::Fill { target: slice(pool, 0, 64), word: 0 });
            }
            b.barrier(
                to::COPY_WRITE,
                to::COPY_READ,
                &[image, depth, words].map(|i| (i, Layout::CopyTarget, Layout::CopySource)),
            );
            let tags = [image, depth, words].map(|i| b.download_image(i));
            let bytes = b.download_buffer(slice(pool, 0, 64));
            let done = b.run();
            if guarded {
                assert!(tags.iter().chain([&bytes]).all(|t| bytes_of(&done, *t).iter().all(|v| *v == 0)));
            } else {
                assert_eq!(rgba(&done, tags[0]), MAGENTA);
                assert_eq!(rgba(&done, tags[1]), 0.71f32.to_le_bytes());
                assert_eq!(rgba(&done, tags[2]), [0xCD; 4]);
                assert_eq!(rgba(&done, bytes), 0x7FC0_CDCDu32.to_le_bytes());
            }
        }
    }

    #[test]
    fn line_2_load_and_store() {
        for (load, store, want) in [
            (LoadOp::Clear([0, 0, f(1.0), f(1.0)]), StoreOp::Store, [0, 0, 255, 255]),
            (LoadOp::DontCare, StoreOp::Store, ORANGE),
            (LoadOp::Clear([0, 0, f(1.0), f(1.0)]), StoreOp::DontCare, ORANGE),
        ] {
            let Some(mut b) = bench(Lines::LOAD_STORE, 1, true) else { return };
            let image = small(&mut b);
            b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
            let pass = b.begin(&[(image, load, store)], None);
            b.end(pass);
            let tag = read(&mut b, image, to::COLOR, Layout::Color);
            assert_eq!(rgba(&b.run(), tag), want, "{load:?} {store:?}");
        }
    }

    #[test]
    fn line_2_a_pass_that_says_it_writes_nothing_but_does() {
        for guarded in [false, true] {
            let Some(mut b) = bench(Lines::LOAD_STORE, 1, true) else { return };
            let image = small(&mut b);
            b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
            let green = b.color_uniform([0.0, 1.0, 0.0, 1.0]);
            let store = if guarded { StoreOp::Store } else { StoreOp::None };
            let pass = b.begin(&[(image, LoadOp::Clear([0; 4]), store)], None);
            b.draw(&Draw { bindings: vec![green], ..Draw::default() });
            b.end(pass);
            let tag = read(&mut b, image, to::COLOR, Layout::Color);
            assert_eq!(rgba(&b.run(), tag), if guarded { [0, 255, 0, 255] } else { ORANGE });
        }
    }

    #[test]
    fn line_3_feedback_without_a_plan_is_magenta() {
        for guarded in [false, true] {
            let Some(mut b) = bench(Lines::FEEDBACK, 1, false) else { return };
            if !b.device().caps.feedback_layout {
                println!("skipped: no feedback layout");
                return;
            }
            let layout = if guarded { Layout::Feedback } else { Layout::General };
            let image = small(&mut b);
            b.barrier(to::NONE, to::COPY_WRITE, &[(image, Layout::Undefined, Layout::CopyTarget)]);
            b.clear_image(image, [f(0.25), f(0.502), 0, f(1.0)]);
            b.barrier(to::COPY_WRITE, (to::COLOR.0 | uses::SAMPLED, FRAGMENT), &[(image, Layout::CopyTarget, layout)]);
            let own = b.texture(image);
            let feedback = if guarded { Aspects::COLOR } else { Aspects::NONE };
            let draw = Draw { fragment_shader: "feedback.frag", bindings: vec![own], feedback, ..Draw::default() };
            let pass = b.begin(&[(image, LoadOp::Load, StoreOp::Store)], None);
            b.draw(&draw);
            b.end(pass);
            let tag = read(&mut b, image, to::COLOR, layout);
            let got = rgba(&b.run(), tag);
            // 0.25 more red than what was read.
            assert_eq!(got, if guarded { [128, 128, 0, 255] } else { MAGENTA });
        }
    }

    #[test]
    fn line_3_feedback_without_a_barrier_reads_what_was() {
        for guarded in [false, true] {
            let Some(mut b) = bench(Lines::FEEDBACK, 1, guarded) else { return };
            if !b.device().caps.feedback_layout {
                println!("skipped: no feedback layout");
                return;
            }
            let image = small(&mut b);
            b.barrier(to::NONE, to::COPY_WRITE, &[(image, Layout::Undefined, Layout::CopyTarget)]);
            b.clear_image(image, [0, 0, 0, f(1.0)]);
            b.barrier(
                to::COPY_WRITE,
                (to::COLOR.0 | uses::SAMPLED, FRAGMENT),
                &[(image, Layout::CopyTarget, Layout::Feedback)],
            );
            let own = b.texture(image);
            let draw = Draw {
                fragment_shader: "feedback.frag",
                bindings: vec![own],
                feedback: Aspects::COLOR,
                ..Draw::default()
            };
            let pass = b.begin(&[(image, LoadOp::Load, StoreOp::Store)], None);
            b.draw(&draw);
            if guarded {
                b.batch(to::COLOR, (uses::SAMPLED | to::COLOR.0, FRAGMENT), &[], true);
            }
            b.draw(&draw);
            b.end(pass);
            let tag = read(&mut b, image, to::COLOR, Layout::Feedback);
            assert_eq!(rgba(&b.run(), tag), if guarded { [128, 0, 0, 255] } else { [64, 0, 0, 255] });
        }
    }

    fn storage(slot: u8, at: BufferSlice, written: bool) -> Binding {
        Binding { kind: BindKind::Storage, stage: Stage::Compute, slot, written, source: BindSource::Slice(at) }
    }

    #[test]
    fn line_4_each_class_of_reader_needs_its_barrier() {
        // The barrier names the storage class, another class, or is not there.
        for (targets, fresh) in [
            (Some(uses::STORAGE_READ | uses::STORAGE_WRITE), true),
            (Some(uses::VERTEX | uses::STORAGE_WRITE), false),
            (None, false),
        ] {
            let Some(mut b) = bench(Lines::CACHES, 1, fresh) else { return };
            let pool = b.buffer(16384);
            b.copy(Copy::Fill { target: slice(pool, 0, 256), word: 7 });
            b.barrier(to::COPY_WRITE, to::STORAGE, &[]);
            let add = b.uniform(3, Stage::Compute, &[0; 4]);
            let first = [storage(0, slice(pool, 0, 256), false), storage(1, slice(pool, 4096, 256), true), add];
            b.dispatch("triple.comp", [1, 1, 1], &first);
            if let Some(targets) = targets {
                b.barrier(to::STORAGE, (targets, COMPUTE), &[]);
            }
            let second = [storage(0, slice(pool, 4096, 256), false), storage(1, slice(pool, 8192, 256), true), add];
            let reader = b.dispatch("triple.comp", [1, 1, 1], &second);
            b.barrier(to::STORAGE, to::COPY_READ, &[]);
            let tag = b.download_buffer(slice(pool, 8192, 256));
            let done = b.run();
            let got = u32::from_le_bytes(rgba(&done, tag));
            let stale = b.executor.stale_reads();
            if fresh {
                assert_eq!(got, 63);
                assert_eq!(stale, []);
            } else {
                assert_ne!(got, 63, "{targets:?}");
                assert_eq!(stale.len(), 1);
                assert_eq!((stale[0].node, stale[0].class), (reader, uses::STORAGE_READ));
            }
        }
    }

    #[test]
    fn line_4_a_texture_upload_that_no_barrier_shows() {
        for guarded in [false, true] {
            let Some(mut b) = bench(Lines::CACHES, 1, guarded) else { return };
            let (texture, target) = (small(&mut b), small(&mut b));
            let part = b.desc(texture).all();
            b.barrier(
                to::NONE,
                (uses::COPY_WRITE | to::COLOR.0, 0),
                &[(texture, Layout::Undefined, Layout::CopyTarget), (target, Layout::Undefined, Layout::Color)],
            );
            b.upload_image(texture, part, &[40; 64]);
            // The layout is right in both; only the class differs.
            let class = if guarded { uses::SAMPLED } else { uses::COPY_READ };
            b.barrier(to::COPY_WRITE, (class, FRAGMENT), &[(texture, Layout::CopyTarget, Layout::Sampled)]);
            let source = b.texture(texture);
            let pass = b.begin(&[(target, LoadOp::DontCare, StoreOp::Store)], None);
            b.draw(&Draw { fragment_shader: "texture.frag", bindings: vec![source], ..Draw::default() });
            b.end(pass);
            let tag = read(&mut b, target, to::COLOR, Layout::Color);
            let got = rgba(&b.run(), tag);
            assert_eq!(got == [40; 4], guarded, "{got:?}");
        }
    }

    #[test]
    fn line_5_unordered_nodes_change_places() {
        for guarded in [false, true] {
            let mut wrong = 0;
            for seed in 0..8 {
                let Some(mut b) = bench(Lines::ORDER, seed, guarded) else { return };
                let pool = b.buffer(64);
                b.copy(Copy::Fill { target: slice(pool, 0, 64), word: 1 });
                if guarded {
                    b.barrier(to::COPY_WRITE, to::COPY_WRITE, &[]);
                }
                b.copy(Copy::Fill { target: slice(pool, 0, 64), word: 2 });
                b.signal(1);
                b.signal(2);
                b.barrier(to::COPY_WRITE, to::COPY_READ, &[]);
                let tag = b.download_buffer(slice(pool, 0, 64));
                let done = b.run();
                wrong += usize::from(rgba(&done, tag)[0] != 2);
                // Signals complete in the plan's order all the same.
                let signals: Vec<u64> = done
                    .iter()
                    .filter_map(|c| if let Completion::Signal { tag } = c { Some(*tag) } else { None })
                    .collect();
                assert_eq!(signals, [1, 2]);
                if seed == 0 {
                    assert_eq!(wrong == 1, !guarded, "reversed");
                }
            }
            assert_eq!(wrong == 0, guarded, "{wrong} of 8");
        }
    }

    #[test]
    fn line_8_fences_come_late_and_in_a_bunch() {
        let Some(mut b) = bench(Lines::TIME, 1, true) else { return };
        b.signal(1);
        let (first, early) = b.submit();
        assert_eq!(early, []);
        b.signal(2);
        b.submit();
        b.device().wait_idle().expect("idle");
        b.executor.poll().expect("poll");
        let after_one_look = b.executor.completions().count();
        let mut looks = 1;
        let mut got = Vec::new();
        while got.is_empty() {
            looks += 1;
            assert!(looks < 8, "withheld for ever");
            b.executor.poll().expect("poll");
            got.extend(b.executor.completions());
        }
        assert_eq!(after_one_look, 0);
        assert_eq!(got.len(), 4, "{got:?}");
        b.executor.wait(first.serial).expect("wait");
        b.verdict();
    }

    #[test]
    fn line_8_pools_are_copies_until_the_fence() {
        // A page that is freed with the process: the executor may hold it for as long as it likes.
        let layout = std::alloc::Layout::from_size_align(65536, 65536).expect("layout");
        for host_barrier in [true, false] {
            let Some(mut b) = bench(Lines::TIME, 1, true) else { return };
            // SAFETY: the layout has a size.
            let memory = unsafe { std::alloc::alloc_zeroed(layout) };
            let pointer = std::ptr::NonNull::new(memory).expect("memory");
            let byte = |n: usize| -> *mut u8 { memory.wrapping_add(n) };
            let pool = b.buffer(65536);
            // SAFETY: the memory is never freed, and is reached through the pointer alone.
            unsafe {
                b.executor.import_pool(pool, pointer, 65536);
                byte(0).write_volatile(11);
            }
            b.copy(Copy::Buffer { source: slice(pool, 0, 4), target: slice(pool, 4096, 4) });
            let host = if host_barrier { uses::HOST_READ } else { uses::COPY_READ };
            b.barrier(to::COPY_WRITE, (host, 0), &[]);
            let (submitted, _) = b.submit();
            // What the game reuses too early does no harm, and what it reads too early is old.
            // SAFETY: as above.
            unsafe {
                byte(0).write_volatile(0x55);
                b.device().wait_idle().expect("idle");
                assert_eq!(byte(4096).read_volatile(), 0);
            }
            b.executor.wait(submitted.serial).expect("wait");
            // SAFETY: as above.
            let (seen, kept) = unsafe { (byte(4096).read_volatile(), byte(0).read_volatile()) };
            assert_eq!(seen, if host_barrier { 11 } else { 0 });
            assert_eq!(kept, 0x55);
            b.verdict();
        }
    }

    /// Two targets, a draw with attributes; the bytes of both.
    fn two_targets(b: &mut Bench, fragment: &'static str, write_mask: u32, format: Format) -> (Vec<u8>, Vec<u8>) {
        let first = b.image(color_desc(format, 4, 4));
        let second = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let vertices: Vec<u8> = [[-1.0f32, -1.0], [3.0, -1.0], [-1.0, 3.0]]
            .iter()
            .flat_map(|p| [p[0], p[1], 0.5, 1.0, 0.0, 1.0, 0.0, 1.0])
            .flat_map(f32::to_le_bytes)
            .collect();
        let pool = b.buffer(256);
        let at = slice(pool, 0, 96);
        b.upload_buffer(at, &vertices);
        b.barrier(
            to::COPY_WRITE,
            (uses::VERTEX | to::COLOR.0, 0),
            &[first, second].map(|i| (i, Layout::Undefined, Layout::Color)),
        );
        let attribute = |location, offset| VertexAttribute { location, stream: 0, offset, format: Format::Rgba32Float };
        let clear = LoadOp::Clear([0; 4]);
        let pass = b.begin(&[(first, clear, StoreOp::Store), (second, clear, StoreOp::Store)], None);
        b.draw(&Draw {
            vertex_shader: "attributes.vert",
            fragment_shader: fragment,
            vertex: VertexInput {
                attributes: [attribute(0, 0), attribute(1, 16)].into_iter().collect(),
                streams: [VertexStream { stride: 32, divisor: 0 }].into_iter().collect(),
            },
            vertex_buffers: vec![at],
            write_mask,
            ..Draw::default()
        });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[first, second].map(|i| (i, Layout::Color, Layout::CopySource)));
        let tags = [first, second].map(|i| b.download_image(i));
        let done = b.run();
        (bytes_of(&done, tags[0]).to_vec(), bytes_of(&done, tags[1]).to_vec())
    }

    #[test]
    fn line_9_inputs_and_outputs_that_nobody_writes() {
        // Guarded: every input is written, every target too, or masked.
        for (fragment, mask) in [("complete.frag", 0xFF), ("color.frag", 0x0F)] {
            let Some(mut b) = bench(Lines::INTERFACES, 1, true) else { return };
            let (first, second) = two_targets(&mut b, fragment, mask, Format::Rgba32Float);
            assert_eq!(first[..8], [0.0f32, 1.0].map(f32::to_le_bytes).concat());
            assert_eq!(second[..4], if mask == 0xFF { [0, 255, 0, 255] } else { [0; 4] });
        }
        // An input that the vertex stage does not write is 7.25; an output that is declared and not written is magenta.
        let Some(mut b) = bench(Lines::INTERFACES, 1, false) else { return };
        let (first, second) = two_targets(&mut b, "undefined.frag", 0xFF, Format::Rgba32Float);
        assert_eq!(first[..8], [7.25f32, 8.25].map(f32::to_le_bytes).concat());
        assert_eq!(second[..4], MAGENTA);
        // An output that is not even declared, of a target that is not masked.
        let Some(mut b) = bench(Lines::INTERFACES, 1, false) else { return };
        let (_, second) = two_targets(&mut b, "color.frag", 0xFF, Format::Rgba8Unorm);
        assert_eq!(second[..4], MAGENTA);
    }

    #[test]
    fn line_9_uninitialised_variables() {
        let Some(mut b) = bench(Lines::INTERFACES, 1, true) else { return };
        let (first, _) = two_targets(&mut b, "uninitialised.frag", 0x0F, Format::Rgba32Float);
        let texel = |x| texel(&first, 4, 16, x, 0)[..4].try_into().map(f32::from_le_bytes).expect("a float");
        assert_eq!(texel(0), 1.0);
        assert!(texel(3).is_nan(), "{}", texel(3));
    }

    #[test]
    fn line_9_unbound_descriptors() {
        for guarded in [false, true] {
            let Some(mut b) = bench(Lines::INTERFACES, 1, true) else { return };
            let (texture, target) = (small(&mut b), small(&mut b));
            b.barrier(
                to::NONE,
                (uses::COPY_WRITE | to::COLOR.0, 0),
                &[(texture, Layout::Undefined, Layout::CopyTarget), (target, Layout::Undefined, Layout::Color)],
            );
            b.clear_image(texture, [0; 4]);
            b.barrier(to::COPY_WRITE, to::SAMPLED, &[(texture, Layout::CopyTarget, Layout::Sampled)]);
            let bindings = if guarded { vec![b.texture(texture)] } else { Vec::new() };
            let pass = b.begin(&[(target, LoadOp::DontCare, StoreOp::Store)], None);
            b.draw(&Draw { fragment_shader: "texture.frag", bindings, ..Draw::default() });
            b.end(pass);
            let tag = read(&mut b, target, to::COLOR, Layout::Color);
            assert_eq!(rgba(&b.run(), tag), if guarded { [0; 4] } else { YELLOW });
        }
    }

    /// A plan with every guard, through all lines and eight seeds: always the same exact bytes.
    #[test]
    fn a_sound_plan_survives_all_lines_and_seeds() {
        for seed in 0..8 {
            let Some(mut b) = bench(Lines::ALL, seed, true) else { return };
            for round in 0..3u8 {
                let (texture, target) = (small(&mut b), small(&mut b));
                let part = b.desc(texture).all();
                b.barrier(
                    to::NONE,
                    (uses::COPY_WRITE | to::COLOR.0, 0),
                    &[(texture, Layout::Undefined, Layout::CopyTarget), (target, Layout::Undefined, Layout::Color)],
                );
                b.upload_image(texture, part, &[40 + round; 64]);
                b.barrier(to::COPY_WRITE, to::SAMPLED, &[(texture, Layout::CopyTarget, Layout::Sampled)]);
                let source = b.texture(texture);
                let targets = AttachmentSet {
                    color: std::array::from_fn(|n| (n == 0).then(|| b.attachment(target))),
                    samples: 1,
                    ..AttachmentSet::default()
                };
                let mut ops = PassOps::default();
                ops.color[0] = (LoadOp::DontCare, StoreOp::Store);
                let pass = b.begin_with(targets, ops, PassArea { extent: [4, 4], layers: 1 });
                b.draw(&Draw { fragment_shader: "texture.frag", bindings: vec![source], ..Draw::default() });
                b.end(pass);
                let tag = read(&mut b, target, to::COLOR, Layout::Color);
                let done = b.run();
                assert!(bytes_of(&done, tag).iter().all(|v| *v == 40 + round), "seed {seed}");
                assert_eq!(b.executor.stale_reads(), []);
            }
        }
    }
}
