//! Render scopes of the emitted stream: work of the executor's own never stands inside an open pass.
#![allow(clippy::print_stdout)] // A skipped test prints why.

mod support;

mod gpu {
    use super::support::*;
    use ferrograph_vulkan::checker::{Kind, StreamChecker};
    use ferrograph_vulkan::stream::Event;
    use framegraph::ids::{NodeId, ResourceId, StateId};
    use framegraph::pass::{LoadOp, StoreOp};
    use framegraph::resource::Layout;
    use framegraph::state::*;
    use framegraph::tables::*;

    /// A small generator: the same sequence each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }
    }

    struct Scene {
        image: ResourceId,
        layout: Layout,
        pool: ResourceId,
    }

    const ALL: u32 = uses::COLOR_READ
        | uses::COLOR_WRITE
        | uses::COPY_READ
        | uses::COPY_WRITE
        | uses::SAMPLED
        | uses::STORAGE_READ
        | uses::STORAGE_WRITE
        | uses::UNIFORM;

    /// Everything waits for everything; the image changes its layout.
    fn ready(b: &mut Bench, s: &mut Scene, layout: Layout) {
        let all = (ALL, FRAGMENT | COMPUTE);
        let change = [(s.image, s.layout, layout)];
        b.barrier(all, all, if s.layout == layout { &[] } else { &change });
        s.layout = layout;
    }

    fn clear_in_pass(b: &mut Bench, mask: u8, rect: [i32; 4]) {
        b.clear(Clear {
            node: NodeId(0),
            target: ClearTarget::Attachment(StateId(0), 0),
            value: [f(0.5); 4],
            class: NumericClass::Float,
            mask,
            aspects: Aspects::COLOR,
            stencil_mask: 0,
            rect,
        });
    }

    /// One operation: an inline update, a pass with draws and clears, a capture, a copy, a dispatch.
    fn operation(b: &mut Bench, s: &mut Scene, which: u64, random: &mut Random) {
        match which {
            0 => {
                ready(b, s, s.layout);
                b.upload_buffer(slice(s.pool, 0, 16), &[1; 16]);
            }
            1 | 2 => {
                ready(b, s, Layout::Color);
                let pass = b.begin(&[(s.image, LoadOp::Load, StoreOp::Store)], None);
                for _ in 0..=random.below(3) {
                    match random.below(3) {
                        0 => clear_in_pass(b, 15, [0, 0, 2, 2]),
                        // Some components only: a draw of the executor's own.
                        1 => clear_in_pass(b, 0b0101, [0, 0, 4, 4]),
                        _ => {
                            let color = b.color_uniform([0.25; 4]);
                            b.draw(&Draw { bindings: vec![color], ..Draw::default() });
                        }
                    }
                }
                b.end(pass);
            }
            3 => {
                ready(b, s, Layout::CopySource);
                b.copy(Copy::ImageToBuffer {
                    source: s.image,
                    part: b.desc(s.image).all(),
                    region: TexelBox { offset: [0; 3], extent: [4, 4, 1] },
                    target: slice(s.pool, 1024, 64),
                    row_bytes: 16,
                    image_bytes: 64,
                });
            }
            4 => {
                ready(b, s, s.layout);
                b.copy(Copy::Buffer { source: slice(s.pool, 0, 64), target: slice(s.pool, 2048, 64) });
            }
            5 => {
                ready(b, s, s.layout);
                let add = b.uniform(3, Stage::Compute, &[0; 4]);
                let storage = |slot, at, written| Binding {
                    kind: BindKind::Storage,
                    stage: Stage::Compute,
                    slot,
                    written,
                    source: BindSource::Slice(at),
                };
                let rows = [storage(0, slice(s.pool, 0, 256), false), storage(1, slice(s.pool, 4096, 256), true), add];
                b.dispatch("triple.comp", [1, 1, 1], &rows);
            }
            6 => {
                ready(b, s, Layout::CopyTarget);
                b.clear_image(s.image, [f(1.0); 4]);
            }
            _ => {
                ready(b, s, s.layout);
                b.copy(Copy::Fill { target: slice(s.pool, 512, 64), word: 7 });
            }
        }
    }

    fn scene(b: &mut Bench) -> Scene {
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let pool = b.buffer(8192);
        let mut scene = Scene { image, layout: Layout::Undefined, pool };
        ready(b, &mut scene, Layout::CopyTarget);
        b.clear_image(image, [0; 4]);
        scene
    }

    /// Deepest nesting, scopes begun, scopes ended.
    fn scopes(log: &[Event]) -> (i32, u32, u32) {
        let (mut depth, mut deepest, mut begun, mut ended) = (0, 0, 0, 0);
        for event in log {
            match event {
                Event::BeginRendering { .. } => (depth, begun) = (depth + 1, begun + 1),
                Event::EndRendering => (depth, ended) = (depth - 1, ended + 1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        (deepest, begun, ended)
    }

    // rows: R-064
    #[test]
    fn an_update_a_capture_a_copy_and_a_dispatch_stand_between_passes() {
        let Some(mut b) = Bench::new() else { return };
        let mut random = Random(1);
        let mut s = scene(&mut b);
        for which in [0, 1, 3, 4, 5, 1] {
            operation(&mut b, &mut s, which, &mut random);
        }
        b.submit();
        b.executor.finish().expect("finish");
        let log = b.executor.take_log();
        assert_eq!(scopes(&log), (1, 2, 2));
        assert_eq!(StreamChecker::default().check(&log), []);
        assert_eq!(b.device().messages.errors(), 0, "{:#?}", b.device().messages.texts());
        // The row's mutant: whatever comes behind a pass is recorded while its scope is open.
        for at in (0..log.len()).filter(|&n| log[n] == Event::EndRendering) {
            let works =
                |e: &Event| matches!(e, Event::BeginRendering { .. } | Event::Dispatch { .. } | Event::Transfer { .. });
            let Some(next) = (at..log.len()).find(|&n| works(&log[n])) else { continue };
            let mut mutant = log.clone();
            let end = mutant.remove(at);
            mutant.insert(next, end);
            let found = StreamChecker::default().check(&mutant);
            assert!(found.iter().any(|o| o.kind == Kind::Misplaced), "{found:?}");
        }
    }

    // rows: R-064
    #[test]
    fn ten_thousand_random_operations_keep_scopes_balanced() {
        let Some(mut b) = Bench::new() else { return };
        let mut random = Random(7);
        for _ in 0..625 {
            let mut s = scene(&mut b);
            for _ in 0..16 {
                let which = random.below(8);
                operation(&mut b, &mut s, which, &mut random);
            }
            // The stream checker objects to what stands inside a scope and must not, and the validation layer to the same.
            b.run();
        }
    }
}
