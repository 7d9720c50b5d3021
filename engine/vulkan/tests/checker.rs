//! Planted hazards: each must be reported, and the same stream without it must not.
#![allow(clippy::print_stdout)] // A skipped test prints why.

mod support;

mod gpu {
    use super::support::*;
    use ferrograph_vulkan::DeviceOptions;
    use ferrograph_vulkan::checker::Kind;
    use ferrograph_vulkan::features::Feature;
    use ferrograph_vulkan::gpu::Fault;
    use framegraph::pass::{LoadOp, StoreOp};
    use framegraph::plan::Transition;
    use framegraph::resource::Layout;
    use framegraph::state::*;
    use framegraph::tables::*;

    /// Uploads a texture, samples it into a target, reads that back: three barriers, all needed.
    fn scene(b: &mut Bench) {
        let texture = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let target = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let part = b.desc(texture).all();
        b.barrier(
            to::NONE,
            (uses::COPY_WRITE | to::COLOR.0, 0),
            &[(texture, Layout::Undefined, Layout::CopyTarget), (target, Layout::Undefined, Layout::Color)],
        );
        b.upload_image(texture, part, &[7; 64]);
        b.barrier(to::COPY_WRITE, to::SAMPLED, &[(texture, Layout::CopyTarget, Layout::Sampled)]);
        let pass = b.begin(&[(target, LoadOp::DontCare, StoreOp::Store)], None);
        let source = b.texture(texture);
        b.draw(&Draw { fragment_shader: "texture.frag", bindings: vec![source], ..Draw::default() });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(target, Layout::Color, Layout::CopySource)]);
        b.download_image(target);
    }

    fn kinds(b: &mut Bench) -> Vec<Kind> {
        b.submit();
        b.executor.finish().expect("finish");
        let log = b.executor.take_log();
        let mut kinds: Vec<Kind> = b.checker.check(&log).into_iter().map(|o| o.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    fn with(fault: Fault) -> Option<Vec<Kind>> {
        // Without the layer: the faults are invalid on purpose.
        let device = match ferrograph_vulkan::Device::new(&Default::default()) {
            Ok(device) => device,
            Err(error) => {
                println!("skipped: {error}");
                return None;
            }
        };
        let mut b = Bench::on(device);
        scene(&mut b);
        b.executor.plant(fault);
        Some(kinds(&mut b))
    }

    #[test]
    fn a_clean_stream_has_no_objection() {
        let Some(found) = with(Fault::None) else { return };
        assert_eq!(found, []);
    }

    #[test]
    fn a_fault_planted_into_a_copy_is_reported_and_leaves_the_checker_as_it_was() {
        let Some(mut b) = bare() else { return };
        scene(&mut b);
        b.submit();
        let log = b.executor.take_log();
        // Three barriers with layout changes and two transfers; then around again.
        for n in 0..6 {
            let found = b.checker.plant(&log, n).expect("a place");
            let kinds: Vec<Kind> = found.iter().map(|o| o.kind).collect();
            let wanted = [Kind::WrongLayout, Kind::WriteAfterWrite];
            assert!(kinds.iter().any(|kind| wanted.contains(kind)), "fault {n}: {kinds:?}");
        }
        assert_eq!(b.checker.check(&log), []);
        assert_eq!(b.checker.plant(&[], 0), None);
    }

    #[test]
    fn each_dropped_barrier_is_reported() {
        for n in 0..3 {
            let Some(found) = with(Fault::DropBarrier(n)) else { return };
            assert!(found.contains(&Kind::WrongLayout), "barrier {n}: {found:?}");
        }
        // The last barrier of a stream with a download is the executor's own, to the host.
        let Some(found) = with(Fault::DropBarrier(3)) else { return };
        assert_eq!(found, [Kind::HostRace]);
    }

    #[test]
    fn each_wrong_source_is_reported() {
        for n in 1..3 {
            let Some(found) = with(Fault::WrongSource(n)) else { return };
            assert!(found.contains(&Kind::TransitionRace), "barrier {n}: {found:?}");
        }
    }

    #[test]
    fn each_wrong_target_is_reported() {
        let Some(found) = with(Fault::WrongTarget(1)) else { return };
        assert_eq!(found, [Kind::ReadNotVisible]);
        let Some(found) = with(Fault::WrongTarget(0)) else { return };
        assert_eq!(found, [Kind::WriteAfterWrite]);
    }

    #[test]
    fn each_missing_transition_is_reported() {
        for n in 0..3 {
            let Some(found) = with(Fault::DropTransitions(n)) else { return };
            assert!(found.contains(&Kind::WrongLayout), "barrier {n}: {found:?}");
        }
    }

    fn bare() -> Option<Bench> {
        let device = ferrograph_vulkan::Device::new(&Default::default());
        device.map_err(|error| println!("skipped: {error}")).ok().map(Bench::on)
    }

    #[test]
    fn a_write_of_what_the_draw_samples_is_reported() {
        let Some(mut b) = bare() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::General)]);
        let pass = b.begin(&[(image, LoadOp::Clear([0; 4]), StoreOp::Store)], None);
        let own = b.texture(image);
        b.draw(&Draw { fragment_shader: "feedback.frag", bindings: vec![own], ..Draw::default() });
        b.end(pass);
        let found = kinds(&mut b);
        assert!(found.contains(&Kind::FeedbackWithoutLayout), "{found:?}");
    }

    #[test]
    fn feedback_without_a_barrier_between_draws_is_reported() {
        for guarded in [true, false] {
            let Some(mut b) = bare() else { return };
            if !b.device().caps.feedback_layout {
                println!("skipped: no feedback layout");
                return;
            }
            let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
            b.barrier(to::NONE, to::COPY_WRITE, &[(image, Layout::Undefined, Layout::CopyTarget)]);
            b.clear_image(image, [0; 4]);
            b.barrier(
                to::COPY_WRITE,
                (to::COLOR.0 | uses::SAMPLED, FRAGMENT),
                &[(image, Layout::CopyTarget, Layout::Feedback)],
            );
            let pass = b.begin(&[(image, LoadOp::Load, StoreOp::Store)], None);
            let own = b.texture(image);
            let draw = Draw {
                fragment_shader: "feedback.frag",
                bindings: vec![own],
                feedback: Aspects::COLOR,
                ..Draw::default()
            };
            b.draw(&draw);
            if guarded {
                b.batch(to::COLOR, (uses::SAMPLED | to::COLOR.0, FRAGMENT), &[], true);
            }
            b.draw(&draw);
            b.end(pass);
            let found = kinds(&mut b);
            if guarded {
                assert_eq!(found, []);
            } else {
                assert_eq!(found, [Kind::ReadNotVisible]);
            }
        }
    }

    fn storage(slot: u8, at: BufferSlice, written: bool) -> Binding {
        Binding { kind: BindKind::Storage, stage: Stage::Compute, slot, written, source: BindSource::Slice(at) }
    }

    #[test]
    fn ranges_of_one_pool_are_told_apart() {
        // The second dispatch reads what the first wrote, or another range of the same buffer.
        for (offset, barrier, want) in
            [(4096, true, &[][..]), (4096, false, &[Kind::ReadNotVisible][..]), (12288, false, &[][..])]
        {
            let Some(mut b) = bare() else { return };
            let pool = b.buffer(16384);
            let add = b.uniform(3, Stage::Compute, &[0; 4]);
            let first = [storage(0, slice(pool, 0, 256), false), storage(1, slice(pool, 4096, 256), true), add];
            b.dispatch("triple.comp", [1, 1, 1], &first);
            if barrier {
                b.barrier(to::STORAGE, to::STORAGE, &[]);
            }
            let second = [storage(0, slice(pool, offset, 256), false), storage(1, slice(pool, 8192, 256), true), add];
            b.dispatch("triple.comp", [1, 1, 1], &second);
            assert_eq!(kinds(&mut b), want, "{offset} {barrier}");
        }
    }

    #[test]
    fn reading_what_another_reads_is_no_hazard_and_writing_it_is() {
        // Both dispatches read the same words, and select among them. Planted: the second also writes them.
        for (offset, want) in [(8192, &[][..]), (0, &[Kind::WriteAfterRead][..])] {
            let Some(mut b) = bare() else { return };
            let pool = b.buffer(16384);
            for target in [4096, offset] {
                let rows = [storage(0, slice(pool, 0, 256), false), storage(1, slice(pool, target, 256), true)];
                b.dispatch("pick.comp", [1, 1, 1], &rows);
            }
            assert_eq!(kinds(&mut b), want, "{offset}");
        }
    }

    #[test]
    fn bytes_have_one_history_under_both_names() {
        // The indices are uploaded by the pool's name and read by that of a buffer laid over it.
        for (to, want) in [(uses::INDIRECT | uses::INDEX, &[][..]), (uses::INDIRECT, &[Kind::ReadNotVisible][..])] {
            let without = vec![Feature::IndirectIndexOffset];
            let device = ferrograph_vulkan::Device::new(&DeviceOptions {
                without,
                take_turns: true,
                ..DeviceOptions::default()
            });
            let Some(mut b) = device.map_err(|error| println!("skipped: {error}")).ok().map(Bench::on) else { return };
            let pool = b.buffer(16384);
            let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
            b.upload_buffer(slice(pool, 8192, 4096), &[0; 4096]);
            b.upload_buffer(slice(pool, 0, 20), &[0; 20]);
            b.barrier(to::COPY_WRITE, (to, 0), &[]);
            b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
            let call = DrawCall::Indirect {
                arguments: slice(pool, 0, 20),
                count: 1,
                stride: 0,
                indices: Some((slice(pool, 8192, 8192), IndexType::U16)),
                count_buffer: None,
            };
            let color = b.color_uniform([0.0; 4]);
            let pass = b.begin(&[(image, LoadOp::DontCare, StoreOp::Store)], None);
            b.draw(&Draw { call, bindings: vec![color], ..Draw::default() });
            b.end(pass);
            assert_eq!(kinds(&mut b), want);
        }
    }

    #[test]
    fn write_after_read_needs_an_execution_dependency_alone() {
        for guard in [false, true] {
            let Some(mut b) = bare() else { return };
            let pool = b.buffer(4096);
            b.copy(Copy::Buffer { source: slice(pool, 0, 64), target: slice(pool, 1024, 64) });
            if guard {
                b.barrier(to::COPY_READ, to::COPY_WRITE, &[]);
            }
            b.copy(Copy::Fill { target: slice(pool, 0, 64), word: 5 });
            let found = kinds(&mut b);
            assert_eq!(found, if guard { &[][..] } else { &[Kind::WriteAfterRead][..] });
        }
    }

    #[test]
    fn other_levels_are_no_hazard() {
        let Some(mut b) = bare() else { return };
        let mut desc = color_desc(Format::Rgba8Unorm, 8, 8);
        desc.levels = 2;
        let image = b.image(desc);
        let level = |n| Subresources { base_level: n, levels: 1, ..desc.all() };
        b.batch(
            to::NONE,
            (uses::COPY_READ | uses::COPY_WRITE, 0),
            &[Transition { resource: image, part: desc.all(), from: Layout::Undefined, to: Layout::General }],
            false,
        );
        let texels = |n: i32| TexelBox { offset: [0; 3], extent: [n, n, 1] };
        b.upload_image(image, level(0), &[1; 256]);
        b.copy(Copy::Blit {
            source: image,
            source_part: level(0),
            source_box: texels(8),
            target: image,
            target_part: level(1),
            target_box: texels(4),
            filter: Filter::Nearest,
            every: None,
        });
        // The blit reads level 0 behind the upload: that is the hazard, not its write of level 1.
        assert_eq!(kinds(&mut b), [Kind::ReadNotVisible]);
    }

    #[test]
    fn a_part_that_was_never_submitted_has_not_happened() {
        let Some(mut b) = bare() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
        b.begin(&[(image, LoadOp::DontCare, StoreOp::Store)], None);
        b.draw(&Draw { topology: Topology::Quads, ..Draw::default() });
        b.executor.execute(&b.world).expect_err("quads");
        b.clear_tables();
        b.barrier(to::NONE, to::COPY_WRITE, &[(image, Layout::Undefined, Layout::CopyTarget)]);
        b.clear_image(image, [0; 4]);
        assert_eq!(kinds(&mut b), []);
    }
}
