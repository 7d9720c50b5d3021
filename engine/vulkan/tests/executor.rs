//! The executor on a real device: each test makes a world by hand and compares exact bytes.

#![allow(clippy::print_stdout, unsafe_code)] // A skipped test prints why; a pool is imported by pointer.

mod support;

mod gpu {
    use super::support::*;
    use ferrograph_vulkan::features::Feature;
    use ferrograph_vulkan::{Completion, DeviceOptions, ExecuteError};
    use framegraph::pass::{LoadOp, StoreOp};
    use framegraph::resource::Layout;
    use framegraph::state::*;
    use framegraph::tables::*;

    const STORE: StoreOp = StoreOp::Store;

    fn clear_to(color: [f32; 4]) -> LoadOp {
        LoadOp::Clear(color.map(f))
    }

    #[test]
    fn clear_and_read_back() {
        let Some(mut b) = Bench::new() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 16, 8));
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
        // No value lies in the middle between two steps: devices round that up or down.
        let pass = b.begin(&[(image, clear_to([1.0, 0.502, 0.0, 0.25]), STORE)], None);
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        b.signal(77);
        let done = b.run();
        let bytes = bytes_of(&done, tag);
        assert_eq!(bytes.len(), 16 * 8 * 4);
        assert!(bytes.chunks(4).all(|t| t == [255, 128, 0, 64]), "{:?}", &bytes[..8]);
        let order: Vec<_> = done
            .iter()
            .map(|c| match c {
                Completion::Download { .. } => 0,
                Completion::Signal { tag } => *tag,
                _ => 1,
            })
            .collect();
        assert_eq!(order, [0, 77, 1]);
        let times: Vec<_> = b.executor.pass_times().collect();
        assert_eq!(times.len(), 1);
        assert!(times[0].end >= times[0].start);
    }

    fn triangle(b: &mut Bench, color: [f32; 4], z: f32) -> Draw {
        let vertices: Vec<f32> = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]
            .iter()
            .flat_map(|p| [p[0], p[1], z, 1.0, color[0], color[1], color[2], color[3]])
            .collect();
        let bytes: Vec<u8> = vertices.iter().flat_map(|v| v.to_le_bytes()).collect();
        let buffer = b.buffer(4096);
        let at = slice(buffer, 256, bytes.len() as u64);
        b.upload_buffer(at, &bytes);
        let attribute = |location, offset| VertexAttribute { location, stream: 0, offset, format: Format::Rgba32Float };
        Draw {
            vertex_shader: "attributes.vert",
            fragment_shader: "color.frag",
            vertex: VertexInput {
                attributes: [attribute(0, 0), attribute(1, 16)].into_iter().collect(),
                streams: [VertexStream { stride: 32, divisor: 0 }].into_iter().collect(),
            },
            vertex_buffers: vec![at],
            ..Draw::default()
        }
    }

    #[test]
    fn triangle_with_attributes() {
        let Some(mut b) = Bench::new() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 16, 16));
        let draw = triangle(&mut b, [0.0, 1.0, 0.0, 1.0], 0.5);
        let viewport =
            Viewport { rect: [0.0, 0.0, 16.0, 16.0].map(f), depth: [f(0.0), f(1.0)], scissor: [0, 0, 8, 16] };
        b.barrier(to::COPY_WRITE, (uses::VERTEX | to::COLOR.0, 0), &[(image, Layout::Undefined, Layout::Color)]);
        let pass = b.begin(&[(image, clear_to([0.0; 4]), STORE)], None);
        b.draw(&Draw { viewport: Some(viewport), ..draw });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        let bytes = bytes_of(&done, tag);
        for y in 0..16 {
            for x in 0..16 {
                let want = if x < 8 { [0, 255, 0, 255] } else { [0; 4] };
                assert_eq!(texel(bytes, 16, 4, x, y), want, "{x} {y}");
            }
        }
    }

    fn whole_draw(color: Binding) -> Draw {
        Draw { bindings: vec![color], ..Draw::default() }
    }

    /// Clears, draws full-screen with each draw, reads back.
    fn picture(b: &mut Bench, desc: framegraph::resource::ImageDesc, load: LoadOp, draws: &[Draw]) -> Vec<u8> {
        let image = b.image(desc);
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
        let pass = b.begin(&[(image, load, STORE)], None);
        for draw in draws {
            b.draw(draw);
        }
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        bytes_of(&done, tag).to_vec()
    }

    #[test]
    fn uniforms_from_snapshots_blend_and_mask() {
        let Some(mut b) = Bench::new() else { return };
        let partly = b.color_uniform([1.0, 1.0, 0.0, 0.6]);
        let mut blend = BlendState::default();
        blend.targets[0] = TargetBlend {
            enabled: true,
            color: (BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha),
            color_op: BlendOp::Add,
            alpha: (BlendFactor::One, BlendFactor::Zero),
            alpha_op: BlendOp::Add,
        };
        let draw = Draw { blend, write_mask: 0b1011, ..whole_draw(partly) };
        let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 8, 8), clear_to([0.0, 0.0, 1.0, 1.0]), &[draw]);
        assert!(bytes.chunks(4).all(|t| t == [153, 153, 255, 153]), "{:?}", &bytes[..4]);
    }

    #[test]
    fn equal_state_shares_pipelines_across_parts() {
        let Some(mut b) = Bench::new() else { return };
        for n in 0..4u8 {
            let color = b.color_uniform([f32::from(n) / 255.0, 0.0, 0.0, 1.0]);
            let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), LoadOp::DontCare, &[whole_draw(color)]);
            assert_eq!(bytes[..4], [n, 0, 0, 255]);
        }
        assert_eq!(b.executor.pipeline_count(), 1);
    }

    #[test]
    fn textured_quad_with_levels_and_srgb_view() {
        let Some(mut b) = Bench::new() else { return };
        let texture = b.image(color_desc(Format::Rgba8Unorm, 2, 2));
        let part = b.desc(texture).all();
        b.barrier(to::NONE, to::COPY_WRITE, &[(texture, Layout::Undefined, Layout::CopyTarget)]);
        let texels = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [188, 188, 188, 255]];
        b.upload_image(texture, part, texels.as_flattened());
        b.barrier(to::COPY_WRITE, to::SAMPLED, &[(texture, Layout::CopyTarget, Layout::Sampled)]);
        let plain = b.texture(texture);
        let draw = Draw { fragment_shader: "texture.frag", bindings: vec![plain], ..Draw::default() };
        let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), LoadOp::DontCare, &[draw]);
        assert_eq!(texel(&bytes, 4, 4, 0, 0), texels[0]);
        assert_eq!(texel(&bytes, 4, 4, 3, 1), texels[1]);
        assert_eq!(texel(&bytes, 4, 4, 1, 3), texels[2]);
        assert_eq!(texel(&bytes, 4, 4, 3, 3), texels[3]);

        // The same texels through an sRGB view are decoded: 188 is 0.5.
        let decoded = b.texture_as(texture, Format::Rgba8Srgb, SamplerKey { max_lod: f(4.0), ..Default::default() });
        let draw = Draw { fragment_shader: "texture.frag", bindings: vec![decoded], ..Draw::default() };
        let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), LoadOp::DontCare, &[draw]);
        let got = texel(&bytes, 4, 4, 3, 3)[0];
        assert!((127..=129).contains(&got), "{got}");
    }

    #[test]
    fn nothing_bound_reads_zero() {
        if std::env::var_os("FERROGRAPH_HOSTILE").is_some() {
            println!("skipped: nothing bound is yellow in a hostile run");
            return;
        }
        for without in [vec![], vec![ferrograph_vulkan::features::Feature::NullDescriptor]] {
            let options = ferrograph_vulkan::DeviceOptions { without, take_turns: true, ..Default::default() };
            let Some(mut b) = Bench::with(&options) else { return };
            let unbound = Draw { fragment_shader: "texture.frag", ..Draw::default() };
            let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), clear_to([1.0; 4]), &[unbound]);
            assert!(bytes.chunks(4).all(|t| t[..3] == [0; 3]), "{:?}", &bytes[..4]);
            let unbound = Draw::default();
            let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), clear_to([1.0; 4]), &[unbound]);
            assert!(bytes.iter().all(|t| *t == 0), "{:?}", &bytes[..4]);
        }
    }

    #[test]
    fn depth_test_and_read_back() {
        let Some(mut b) = Bench::new() else { return };
        let color = b.image(color_desc(Format::Rgba8Unorm, 8, 8));
        let depth = b.image(color_desc(Format::D32Float, 8, 8));
        let near = b.color_uniform([1.0, 0.0, 0.0, 1.0]);
        let far = b.color_uniform([0.0, 1.0, 0.0, 1.0]);
        b.barrier(
            to::NONE,
            (to::COLOR.0 | to::DEPTH.0, 0),
            &[(color, Layout::Undefined, Layout::Color), (depth, Layout::Undefined, Layout::Depth)],
        );
        let pass =
            b.begin(&[(color, clear_to([0.0; 4]), STORE)], Some((depth, LoadOp::Clear([f(0.6), 0, 0, 0]), STORE)));
        let test = DepthState { test: Some(Compare::Less), write: true, ..DepthState::default() };
        b.draw(&Draw { depth: test, ..whole_draw(near) });
        // 0.5 again: not less than what the first wrote.
        b.draw(&Draw { depth: test, ..whole_draw(far) });
        b.end(pass);
        b.barrier(
            (to::COLOR.0 | to::DEPTH.0, 0),
            to::COPY_READ,
            &[(color, Layout::Color, Layout::CopySource), (depth, Layout::Depth, Layout::CopySource)],
        );
        let (c, d) = (b.download_image(color), b.download_image(depth));
        let done = b.run();
        assert!(bytes_of(&done, c).chunks(4).all(|t| t == [255, 0, 0, 255]));
        assert!(bytes_of(&done, d).chunks(4).all(|t| t == 0.5f32.to_le_bytes()));
    }

    #[test]
    fn combined_depth_stencil_goes_both_ways() {
        for format in [Format::D24UnormS8Uint, Format::D32FloatS8Uint] {
            let Some(mut b) = Bench::new() else { return };
            if !b.device().caps.allows(format, framegraph::caps::format_uses::DEPTH) {
                println!("skipped: no {}", format.name());
                continue;
            }
            let image = b.image(color_desc(format, 4, 4));
            let part = b.desc(image).all();
            let size = format.block().0 as usize;
            let mut texels = Vec::new();
            for n in 0..16u8 {
                if size == 4 {
                    texels.extend_from_slice(&[n, 0x40, 0x20, 200 - n]);
                } else {
                    texels.extend_from_slice(&(f32::from(n) / 16.0).to_le_bytes());
                    texels.extend_from_slice(&[n + 1, 0, 0, 0]);
                }
            }
            b.barrier(to::NONE, to::COPY_WRITE, &[(image, Layout::Undefined, Layout::CopyTarget)]);
            b.upload_image(image, part, &texels);
            b.barrier(to::COPY_WRITE, to::COPY_READ, &[(image, Layout::CopyTarget, Layout::CopySource)]);
            let tag = b.download_image(image);
            let done = b.run();
            assert_eq!(bytes_of(&done, tag), texels, "{}", format.name());
        }
    }

    #[test]
    fn several_targets() {
        let Some(mut b) = Bench::new() else { return };
        let first = b.image(color_desc(Format::Rgba16Float, 4, 4));
        let second = b.image(color_desc(Format::Rgba32Uint, 4, 4));
        b.barrier(
            to::NONE,
            to::COLOR,
            &[(first, Layout::Undefined, Layout::Color), (second, Layout::Undefined, Layout::Color)],
        );
        let color = b.color_uniform([0.5, 2.0, -1.0, 0.0]);
        let pass = b.begin(&[(first, LoadOp::DontCare, STORE), (second, LoadOp::Clear([9, 9, 9, 9]), STORE)], None);
        b.draw(&Draw { fragment_shader: "two_targets.frag", write_mask: 0xBF, ..whole_draw(color) });
        b.end(pass);
        b.barrier(
            to::COLOR,
            to::COPY_READ,
            &[(first, Layout::Color, Layout::CopySource), (second, Layout::Color, Layout::CopySource)],
        );
        let (x, y) = (b.download_image(first), b.download_image(second));
        let done = b.run();
        let halves: Vec<u8> = [0x3800u16, 0x4000, 0xBC00, 0].iter().flat_map(|h| h.to_le_bytes()).collect();
        assert_eq!(bytes_of(&done, x)[..8], halves);
        let words: Vec<u8> = [1u32, 2, 9, 4].iter().flat_map(|h| h.to_le_bytes()).collect();
        assert_eq!(bytes_of(&done, y)[..16], words);
    }

    fn storage(slot: u8, at: BufferSlice, written: bool) -> Binding {
        Binding { kind: BindKind::Storage, stage: Stage::Compute, slot, written, source: BindSource::Slice(at) }
    }

    #[test]
    fn compute_reads_and_writes_one_pool() {
        let Some(mut b) = Bench::new() else { return };
        let pool = b.buffer(8192);
        let input: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
        b.upload_buffer(slice(pool, 0, 256), &input);
        b.barrier(to::COPY_WRITE, to::STORAGE, &[]);
        let add = b.uniform(3, Stage::Compute, &[5, 0, 0, 0]);
        let bindings = [storage(0, slice(pool, 0, 256), false), storage(1, slice(pool, 4096, 256), true), add];
        b.dispatch("triple.comp", [1, 1, 1], &bindings);
        b.barrier(to::STORAGE, to::COPY_READ, &[]);
        let tag = b.download_buffer(slice(pool, 4096, 256));
        let done = b.run();
        let want: Vec<u8> = (0..64u32).flat_map(|n| (n * 3 + 5).to_le_bytes()).collect();
        assert_eq!(bytes_of(&done, tag), want);
    }

    #[test]
    fn indirect_draw_with_arguments_from_compute() {
        let Some(mut b) = Bench::new() else { return };
        let pool = b.buffer(4096);
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        b.dispatch("arguments.comp", [1, 1, 1], &[storage(0, slice(pool, 256, 16), true)]);
        b.barrier(to::STORAGE, (uses::INDIRECT | to::COLOR.0, 0), &[(image, Layout::Undefined, Layout::Color)]);
        let color = b.color_uniform([0.0, 0.0, 1.0, 1.0]);
        let pass = b.begin(&[(image, clear_to([0.0; 4]), STORE)], None);
        let call = DrawCall::Indirect {
            arguments: slice(pool, 256, 16),
            count: 1,
            stride: 0,
            indices: None,
            count_buffer: None,
        };
        b.draw(&Draw { call, ..whole_draw(color) });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        assert!(bytes_of(&done, tag).chunks(4).all(|t| t == [0, 0, 255, 255]));
    }

    /// Indices that lie at an offset of a buffer, drawn directly or with arguments in memory; at the buffer's beginning lie others, which draw nothing.
    fn draws_from_offset(without: &[Feature], imported: bool, indirect: bool) {
        let options = DeviceOptions { without: without.to_vec(), ..DeviceOptions::default() };
        let Some(mut b) = Bench::with(&options) else { return };
        let pool = b.buffer(65536);
        if imported {
            if !b.device().features.has(Feature::ExternalHostMemory) {
                println!("skipped: no import of host memory");
                return;
            }
            let layout = std::alloc::Layout::from_size_align(65536, 65536).expect("layout");
            // SAFETY: the layout has a size; the memory is never freed, and is reached through the pointer alone.
            let memory = unsafe { std::alloc::alloc_zeroed(layout) };
            // SAFETY: as above.
            unsafe { b.executor.import_pool(pool, std::ptr::NonNull::new(memory).expect("memory"), 65536) };
        }
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let words = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        b.upload_buffer(slice(pool, 0, 24), &words(&[0; 6]));
        b.upload_buffer(slice(pool, 8192, 24), &words(&[0, 0, 0, 0, 1, 2]));
        // Count, instances, first index, base vertex, first instance.
        b.upload_buffer(slice(pool, 256, 20), &words(&[3, 1, 3, 0, 0]));
        b.barrier(
            to::COPY_WRITE,
            (uses::INDIRECT | uses::INDEX | to::COLOR.0, 0),
            &[(image, Layout::Undefined, Layout::Color)],
        );
        let color = b.color_uniform([0.0, 0.0, 1.0, 1.0]);
        let pass = b.begin(&[(image, clear_to([0.0; 4]), STORE)], None);
        let call = if indirect {
            DrawCall::Indirect {
                arguments: slice(pool, 256, 20),
                count: 1,
                stride: 0,
                indices: Some((slice(pool, 8192, 65536 - 8192), IndexType::U32)),
                count_buffer: None,
            }
        } else {
            DrawCall::Elements {
                indices: slice(pool, 8192 + 12, 12),
                index_type: IndexType::U32,
                count: 3,
                base_vertex: 0,
                base_instance: 0,
                instances: 1,
            }
        };
        b.draw(&Draw { call, ..whole_draw(color) });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        let drawn = bytes_of(&done, tag).chunks(4).all(|t| t == [0, 0, 255, 255]);
        assert!(drawn, "without {without:?}, imported {imported}, indirect {indirect}");
    }

    #[test]
    fn indices_of_indirect_draws_begin_at_an_offset() {
        for imported in [false, true] {
            for without in [&[][..], &[Feature::IndirectIndexOffset]] {
                for indirect in [false, true] {
                    draws_from_offset(without, imported, indirect);
                }
            }
        }
    }

    #[test]
    fn storage_image_is_written() {
        let Some(mut b) = Bench::new() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 8, 8));
        let desc = b.desc(image);
        let key = ViewKey {
            resource: image,
            format: Format::Rgba8Unorm,
            dim: Dim::D2,
            part: desc.all(),
            swizzle: Default::default(),
        };
        let view = b.world.resource_mut::<States>().views.intern(&key);
        b.barrier(to::NONE, to::STORAGE, &[(image, Layout::Undefined, Layout::General)]);
        let binding = Binding {
            kind: BindKind::Image,
            stage: Stage::Compute,
            slot: 0,
            written: true,
            source: BindSource::Image(view),
        };
        b.dispatch("store.comp", [1, 1, 1], &[binding]);
        b.barrier(to::STORAGE, to::COPY_READ, &[]);
        let tag = b.download_image(image);
        let done = b.run();
        assert_eq!(texel(bytes_of(&done, tag), 8, 4, 3, 5), [3, 5, 0, 255]);
    }

    #[test]
    fn eight_bit_indices_with_restart() {
        let Some(mut b) = Bench::new() else { return };
        if !b.device().caps.index_u8 {
            println!("skipped: no 8-bit indices");
            return;
        }
        let image = b.image(color_desc(Format::Rgba8Unorm, 8, 8));
        let draw = triangle(&mut b, [1.0, 1.0, 1.0, 1.0], 0.0);
        let pool = b.buffer(256);
        let indices = slice(pool, 3, 4);
        // Without restart the strip 0, 255, 1, 2 reads out of range; with it, it is nothing and then a triangle of two points: nothing at all.
        b.upload_buffer(slice(pool, 0, 8), &[9, 9, 9, 0, 1, 2, 255, 0]);
        b.barrier(
            to::COPY_WRITE,
            (uses::INDEX | uses::VERTEX | to::COLOR.0, 0),
            &[(image, Layout::Undefined, Layout::Color)],
        );
        let call = DrawCall::Elements {
            indices,
            index_type: IndexType::U8,
            count: 4,
            base_vertex: 0,
            base_instance: 0,
            instances: 1,
        };
        let pass = b.begin(&[(image, clear_to([0.0; 4]), STORE)], None);
        b.draw(&Draw { call, restart: true, topology: Topology::TriangleStrip, ..draw });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        assert!(bytes_of(&done, tag).iter().all(|t| *t == 255));
    }

    #[test]
    fn slices_of_a_3d_image_as_layers() {
        let Some(mut b) = Bench::new() else { return };
        let mut desc = color_desc(Format::Rgba8Unorm, 4, 4);
        desc.dim = Dim::D3;
        desc.extent[2] = 4;
        let image = b.image(desc);
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
        let pass = b.begin(&[(image, clear_to([0.0; 4]), STORE)], None);
        let call = DrawCall::Arrays { first: 0, count: 3, base_instance: 0, instances: 3 };
        b.draw(&Draw { vertex_shader: "layers.vert", fragment_shader: "flat_color.frag", call, ..Draw::default() });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        let bytes = bytes_of(&done, tag);
        assert_eq!(bytes.len(), 4 * 64);
        for (slice, want) in [51, 102, 153].into_iter().enumerate() {
            assert!(bytes[slice * 64..][..64].chunks(4).all(|t| t == [want, 0, 0, 255]), "{slice}");
        }
        assert!(bytes[192..].iter().all(|t| *t == 0));
    }

    #[test]
    fn feedback_layout_reads_own_texel() {
        let Some(mut b) = Bench::new() else { return };
        if !b.device().caps.feedback_layout {
            println!("skipped: no feedback layout");
            return;
        }
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
        let pass = b.begin(&[(image, clear_to([0.25, 0.0, 0.0, 1.0]), STORE)], None);
        b.end(pass);
        b.barrier(to::COLOR, (to::COLOR.0 | uses::SAMPLED, FRAGMENT), &[(image, Layout::Color, Layout::Feedback)]);
        let own = b.texture(image);
        let draw =
            Draw { fragment_shader: "feedback.frag", bindings: vec![own], feedback: Aspects::COLOR, ..Draw::default() };
        let pass = b.begin(&[(image, LoadOp::Load, STORE)], None);
        b.draw(&draw);
        b.batch(to::COLOR, (uses::SAMPLED | to::COLOR.0, FRAGMENT), &[], true);
        b.draw(&draw);
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Feedback, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        let got = bytes_of(&done, tag)[0];
        assert!((190..=193).contains(&got), "{got}: 0.25 + 2 × 0.25 is 191");
    }

    #[test]
    fn copies_blits_and_fills() {
        let Some(mut b) = Bench::new() else { return };
        let pool = b.buffer(65536);
        let a = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let c = b.image(color_desc(Format::R32Uint, 4, 4));
        let d = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let z = b.image(color_desc(Format::D32Float, 4, 4));
        let bytes: Vec<u8> = (0..64).collect();
        let sub = b.desc(a).all();
        let depth_sub = b.desc(z).all();
        let texels = TexelBox { offset: [0; 3], extent: [4, 4, 1] };
        b.upload_buffer(slice(pool, 1, 64), &bytes);
        b.barrier(
            to::COPY_WRITE,
            (uses::COPY_READ | uses::COPY_WRITE, 0),
            &[a, c, d, z].map(|i| (i, Layout::Undefined, Layout::CopyTarget)),
        );
        let both = (uses::COPY_READ | uses::COPY_WRITE, 0);
        // From a misaligned place of the pool.
        b.copy(Copy::BufferToImage {
            source: slice(pool, 1, 64),
            target: a,
            part: sub,
            region: texels,
            row_bytes: 16,
            image_bytes: 64,
        });
        b.barrier(to::COPY_WRITE, both, &[(a, Layout::CopyTarget, Layout::CopySource)]);
        // Bit for bit into another format of the same size.
        let copy = |source, source_part, target, target_part| Copy::Image {
            source,
            source_part,
            source_offset: [0; 3],
            target,
            target_part,
            target_offset: [0; 3],
            extent: [4, 4, 1],
        };
        b.copy(copy(a, sub, c, sub));
        // Upside down.
        b.copy(Copy::Blit {
            source: a,
            source_part: sub,
            source_box: TexelBox { offset: [0, 4, 0], extent: [4, -4, 1] },
            target: d,
            target_part: sub,
            target_box: texels,
            filter: Filter::Linear,
            every: None,
        });
        b.barrier(to::COPY_WRITE, both, &[c, d].map(|i| (i, Layout::CopyTarget, Layout::CopySource)));
        // Colour bits into depth.
        b.copy(copy(c, sub, z, depth_sub));
        b.barrier(to::COPY_WRITE, both, &[(z, Layout::CopyTarget, Layout::CopySource)]);
        // Back into a misaligned place with a pitch; a fill; a copy that overlaps itself.
        b.copy(Copy::Fill { target: slice(pool, 4096, 128), word: 0xABCD_EF01 });
        b.barrier(to::COPY_WRITE, both, &[]);
        b.copy(Copy::ImageToBuffer {
            source: a,
            part: sub,
            region: texels,
            target: slice(pool, 4098, 126),
            row_bytes: 20,
            image_bytes: 0,
        });
        b.barrier(to::COPY_WRITE, both, &[]);
        b.copy(Copy::Buffer { source: slice(pool, 1, 32), target: slice(pool, 9, 32) });
        b.barrier(to::COPY_WRITE, both, &[]);
        let tags = [a, c, d, z].map(|i| b.download_image(i));
        let pitch = b.download_buffer(slice(pool, 4096, 128));
        let moved = b.download_buffer(slice(pool, 0, 64));
        let done = b.run();
        assert_eq!(bytes_of(&done, tags[0]), bytes);
        assert_eq!(bytes_of(&done, tags[1]), bytes);
        assert_eq!(bytes_of(&done, tags[3]), bytes);
        let flipped: Vec<u8> = bytes.chunks(16).rev().flatten().copied().collect();
        assert_eq!(bytes_of(&done, tags[2]), flipped);
        let got = bytes_of(&done, pitch);
        assert_eq!(got[..4], [0x01, 0xEF, 0, 1]);
        assert_eq!(got[2..18], bytes[..16]);
        assert_eq!(got[18..22], [0xCD, 0xAB, 0x01, 0xEF]);
        assert_eq!(got[22..38], bytes[16..32]);
        let moved = bytes_of(&done, moved);
        assert_eq!(moved[1..9], bytes[..8]);
        assert_eq!(moved[9..41], bytes[..32]);
    }

    // rows: R-075b
    #[test]
    fn a_blit_to_a_part_of_the_size_takes_the_texel_at_each_centre_of_depth_and_stencil_too() {
        let Some(mut b) = Bench::new() else { return };
        // Even and odd factors; a centre between two texels means the one behind.
        let desc = |width, height| color_desc(Format::D32FloatS8Uint, width, height);
        let (large, small) = (b.image(desc(12, 12)), b.image(desc(6, 4)));
        let depth = |x: u32, y: u32| (x * 12 + y) as f32 / 256.0;
        let mut bytes = Vec::new();
        for y in 0..12 {
            for x in 0..12 {
                bytes.extend(depth(x, y).to_le_bytes());
                bytes.extend([(x * 16 + y) as u8, 0, 0, 0]);
            }
        }
        let (all, part) = (b.desc(large).all(), b.desc(small).all());
        let changes = [large, small].map(|i| (i, Layout::Undefined, Layout::CopyTarget));
        b.barrier(to::NONE, to::COPY_WRITE, &changes);
        b.upload_image(large, all, &bytes);
        let both = (uses::COPY_READ | uses::COPY_WRITE, 0);
        b.barrier(to::COPY_WRITE, both, &[(large, Layout::CopyTarget, Layout::CopySource)]);
        b.copy(Copy::Blit {
            source: large,
            source_part: all,
            source_box: TexelBox { offset: [0; 3], extent: [12, 12, 1] },
            target: small,
            target_part: part,
            target_box: TexelBox { offset: [0; 3], extent: [6, 4, 1] },
            filter: Filter::Nearest,
            every: Some([2, 3]),
        });
        b.barrier(to::COPY_WRITE, both, &[(small, Layout::CopyTarget, Layout::CopySource)]);
        let tag = b.download_image(small);
        let done = b.run();
        let got = bytes_of(&done, tag);
        for y in 0..4 {
            for x in 0..6 {
                let texel = &got[(y * 6 + x) * 8..][..8];
                let (sx, sy) = (x as u32 * 2 + 1, y as u32 * 3 + 1);
                assert_eq!(texel[..4], depth(sx, sy).to_le_bytes(), "depth at ({x}, {y})");
                assert_eq!(u32::from(texel[4]), sx * 16 + sy, "stencil at ({x}, {y})");
            }
        }
    }

    #[test]
    fn clears_of_attachments_and_images() {
        let Some(mut b) = Bench::new() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 8, 8));
        b.barrier(to::NONE, to::COPY_WRITE, &[(image, Layout::Undefined, Layout::CopyTarget)]);
        b.clear_image(image, [1.0, 0.0, 0.0, 1.0].map(f));
        b.barrier(to::COPY_WRITE, to::COLOR, &[(image, Layout::CopyTarget, Layout::Color)]);
        let pass = b.begin(&[(image, LoadOp::Load, STORE)], None);
        let clear = |mask, rect, value: [f32; 4]| Clear {
            node: framegraph::ids::NodeId(0),
            target: ClearTarget::Attachment(framegraph::ids::StateId(0), 0),
            value: value.map(f),
            class: NumericClass::Float,
            mask,
            aspects: Aspects::COLOR,
            stencil_mask: 0,
            rect,
        };
        b.clear(clear(15, [-2, -2, 6, 6], [0.0, 1.0, 0.0, 0.0]));
        b.clear(clear(0b0100, [4, 4, 100, 100], [1.0; 4]));
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(image, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(image);
        let done = b.run();
        let bytes = bytes_of(&done, tag);
        assert_eq!(texel(bytes, 8, 4, 0, 0), [0, 255, 0, 0]);
        assert_eq!(texel(bytes, 8, 4, 3, 3), [0, 255, 0, 0]);
        assert_eq!(texel(bytes, 8, 4, 4, 3), [255, 0, 0, 255]);
        assert_eq!(texel(bytes, 8, 4, 7, 7), [255, 0, 255, 255]);
    }

    #[test]
    fn presents_keep_bytes_and_flip() {
        let Some(mut b) = Bench::new() else { return };
        for format in [Format::Rgba8Unorm, Format::Rgba8Srgb, Format::Bgra8Srgb] {
            let image = b.image(color_desc(format, 4, 4));
            let sub = b.desc(image).all();
            let bytes: Vec<u8> = (100..164).collect();
            for flip in [false, true] {
                let from = if flip { Layout::Present } else { Layout::Undefined };
                b.barrier((uses::PRESENT, 0), to::COPY_WRITE, &[(image, from, Layout::CopyTarget)]);
                b.upload_image(image, sub, &bytes);
                b.barrier(to::COPY_WRITE, (uses::PRESENT, 0), &[(image, Layout::CopyTarget, Layout::Present)]);
                let plain = ferrograph_vulkan::formats::linear(format);
                b.present(Present { source: image, crop: [0, 1, 4, 3], flip, format: plain, extent: [4, 3] });
                b.run();
                let shot = b.executor.take_screenshot().expect("screenshot");
                b.verdict();
                let mut rows: Vec<Vec<u8>> = bytes.chunks(16).skip(1).map(<[u8]>::to_vec).collect();
                if flip {
                    rows.reverse();
                }
                let mut want = rows.concat();
                if format == Format::Bgra8Srgb {
                    want.chunks_mut(4).for_each(|t| t.swap(0, 2));
                }
                assert_eq!(shot.extent, [4, 3]);
                assert_eq!(shot.rgba, want, "{} flip {flip}", format.name());
            }
        }
    }

    #[test]
    fn errors_are_typed_and_the_next_part_runs() {
        let Some(mut b) = Bench::new() else { return };
        let image = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        b.barrier(to::NONE, to::COLOR, &[(image, Layout::Undefined, Layout::Color)]);
        b.begin(&[(image, LoadOp::DontCare, STORE)], None);
        b.draw(&Draw { topology: Topology::Quads, ..Draw::default() });
        let error = b.executor.execute(&b.world).expect_err("quads");
        assert!(matches!(error, ExecuteError::Unsupported { .. }), "{error}");
        b.clear_tables();
        let color = b.color_uniform([1.0; 4]);
        let bytes = picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), LoadOp::DontCare, &[whole_draw(color)]);
        assert!(bytes.iter().all(|t| *t == 255));
    }

    // rows: A-077
    #[test]
    fn memory_returns_to_its_start_after_a_thousand_resources() {
        for memory_apart in [false, true] {
            thousand_resources(memory_apart);
        }
    }

    /// Makes and destroys resources, a hundred at a time; `memory_apart` is the row's mutant.
    fn thousand_resources(memory_apart: bool) {
        let options = DeviceOptions { memory_apart, ..DeviceOptions::default() };
        let Some(mut b) = Bench::with(&options) else { return };
        let color = b.color_uniform([1.0; 4]);
        picture(&mut b, color_desc(Format::Rgba8Unorm, 4, 4), LoadOp::DontCare, &[whole_draw(color)]);
        let mut start = None;
        for _ in 0..10 {
            let ids: Vec<_> = (0..100).map(|_| b.image(color_desc(Format::Rgba8Unorm, 16, 16))).collect();
            let changes: Vec<_> = ids.iter().map(|&i| (i, Layout::Undefined, Layout::CopyTarget)).collect();
            b.barrier(to::NONE, to::COPY_WRITE, &changes);
            b.run();
            // A hundred resources live: they share a few blocks, within a budget that is known with VK_EXT_memory_budget and without.
            let full = b.device().memory();
            assert!(full.allocations >= 100);
            assert_eq!(full.allocations == full.blocks, memory_apart, "{full:?}");
            assert_eq!(full.blocks < 16, !memory_apart, "{} blocks", full.blocks);
            let (used, budget) = b.device().budget();
            assert!(used > 0 && budget > used && full.block_bytes <= budget, "{used} of {budget}, {full:?}");
            for id in ids {
                let pool = b.world.resource::<framegraph::resource::ResourcePool>();
                let entity = pool.entity(id).expect("entity");
                b.world.entity_mut(entity).insert(framegraph::resource::ResourceKind::Free);
                b.world.resource_mut::<framegraph::resource::ResourcePool>().give_back(id);
            }
            for _ in 0..4 {
                b.run();
            }
            let now = b.device().memory();
            let first = *start.get_or_insert(now);
            assert_eq!((now.allocations, now.bytes), (first.allocations, first.bytes));
            assert!(memory_apart || now.blocks < 16, "{} blocks", now.blocks);
        }
    }

    #[test]
    fn an_imported_pool_is_the_process_memory() {
        let Some(mut b) = Bench::new() else { return };
        if !b.device().features.has(Feature::ExternalHostMemory) {
            println!("skipped: no import of host memory");
            return;
        }
        let layout = std::alloc::Layout::from_size_align(65536, 65536).expect("layout");
        // SAFETY: the layout has a size; the memory is never freed, and is reached through the pointer alone.
        let memory = unsafe { std::alloc::alloc_zeroed(layout) };
        let pointer = std::ptr::NonNull::new(memory).expect("memory");
        let pool = b.buffer(65536);
        // SAFETY: as above.
        unsafe { b.executor.import_pool(pool, pointer, 65536) };
        // SAFETY: as above.
        unsafe { memory.write_volatile(42) };
        b.copy(Copy::Buffer { source: slice(pool, 0, 4), target: slice(pool, 8192, 4) });
        b.barrier(to::COPY_WRITE, (uses::HOST_READ, 0), &[]);
        b.run();
        // SAFETY: as above; the part is done.
        assert_eq!(unsafe { memory.wrapping_add(8192).read_volatile() }, 42);
    }

    #[test]
    fn an_overlay_draws_over_a_copy_of_the_picture() {
        use ash::vk;
        use ferrograph_vulkan::LookRequest;
        let Some(mut b) = Bench::new() else { return };
        let device = b.device();
        let clear = |commands, view, value: [f32; 4]| {
            let attachments = [vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: value } })];
            let info = vk::RenderingInfo::default()
                .render_area(vk::Rect2D {
                    offset: vk::Offset2D::default(),
                    extent: vk::Extent2D { width: 2, height: 4 },
                })
                .layer_count(1)
                .color_attachments(&attachments);
            // SAFETY: the executor hands in an open command buffer and a live view.
            unsafe {
                device.raw.cmd_begin_rendering(commands, &info);
                device.raw.cmd_end_rendering(commands);
            }
        };
        assert!(matches!(b.executor.draw_overlay(&[], |_, _| ()), Err(ExecuteError::NothingPresented)));
        let image = b.image(color_desc(Format::Rgba8Srgb, 4, 4));
        let depth = b.image(color_desc(Format::D32Float, 4, 4));
        let sub = b.desc(image).all();
        b.barrier(
            to::NONE,
            (uses::COPY_WRITE | to::DEPTH.0, 0),
            &[(image, Layout::Undefined, Layout::CopyTarget), (depth, Layout::Undefined, Layout::Depth)],
        );
        b.upload_image(image, sub, &[7; 64]);
        b.barrier(to::COPY_WRITE, (uses::PRESENT, 0), &[(image, Layout::CopyTarget, Layout::Present)]);
        let format = Format::Rgba8Unorm;
        b.present(Present { source: image, crop: [0, 0, 4, 4], flip: false, format, extent: [4, 4] });
        b.run();
        let ask = |resource, level, aspect| LookRequest { resource, level, layer: 0, aspect };
        let requests = [ask(image, 0, Aspects::COLOR), ask(depth, 0, Aspects::DEPTH), ask(image, 9, Aspects::COLOR)];
        for _ in 0..5 {
            let seen = b
                .executor
                .draw_overlay(&requests, |target, looks| {
                    clear(target.commands, target.view, [1.0, 0.0, 0.0, 1.0]);
                    looks.iter().map(|l| l.map(|l| (l.linear, l.layout))).collect::<Vec<_>>()
                })
                .expect("overlay");
            assert_eq!(seen, [Some((true, vk::ImageLayout::GENERAL)), Some((true, vk::ImageLayout::GENERAL)), None]);
        }
        let over = b.executor.take_overlay_screenshot().expect("screenshot");
        assert_eq!(texel(&over.rgba, 4, 4, 1, 2), [255, 0, 0, 255]);
        assert_eq!(texel(&over.rgba, 4, 4, 2, 2), [7; 4]);
        let plain = b.executor.take_screenshot().expect("screenshot");
        assert!(plain.rgba.iter().all(|v| *v == 7));
        b.verdict();
    }

    #[test]
    fn multisampled_targets_resolve() {
        let Some(mut b) = Bench::new() else { return };
        let many = |format| {
            let mut desc = color_desc(format, 4, 4);
            desc.samples = 4;
            desc
        };
        let color = b.image(many(Format::Rgba8Unorm));
        let depth = b.image(many(Format::D32Float));
        let one = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let flat = b.image(color_desc(Format::D32Float, 4, 4));
        b.barrier(
            to::NONE,
            (to::COLOR.0 | to::DEPTH.0, 0),
            &[(color, Layout::Undefined, Layout::Color), (depth, Layout::Undefined, Layout::Depth)],
        );
        let bright = b.color_uniform([0.8; 4]);
        let pass =
            b.begin(&[(color, clear_to([0.0; 4]), STORE)], Some((depth, LoadOp::Clear([f(0.75), 0, 0, 0]), STORE)));
        // Two of four samples.
        let mut draw = whole_draw(bright);
        draw.raster.samples = 4;
        draw.raster.sample_mask = 0b0101;
        b.draw(&draw);
        b.end(pass);
        b.barrier(
            (to::COLOR.0 | to::DEPTH.0, 0),
            (uses::COPY_READ | uses::COPY_WRITE, 0),
            &[
                (color, Layout::Color, Layout::CopySource),
                (depth, Layout::Depth, Layout::CopySource),
                (one, Layout::Undefined, Layout::CopyTarget),
                (flat, Layout::Undefined, Layout::CopyTarget),
            ],
        );
        let (c, d) = (b.desc(one).all(), b.desc(flat).all());
        b.copy(Copy::Resolve { source: color, target: one, part: c, extent: [4, 4] });
        b.copy(Copy::Resolve { source: depth, target: flat, part: d, extent: [4, 4] });
        b.barrier(to::COPY_WRITE, to::COPY_READ, &[one, flat].map(|i| (i, Layout::CopyTarget, Layout::CopySource)));
        let tags = [one, flat].map(|i| b.download_image(i));
        let done = b.run();
        assert_eq!(bytes_of(&done, tags[0])[..4], [102; 4]);
        assert!(bytes_of(&done, tags[1]).chunks(4).all(|t| t == 0.75f32.to_le_bytes()));
    }

    #[test]
    fn a_read_only_depth_attachment_is_sampled_by_its_pass() {
        let Some(mut b) = Bench::new() else { return };
        let color = b.image(color_desc(Format::Rgba32Float, 4, 4));
        let depth = b.image(color_desc(Format::D32Float, 4, 4));
        b.barrier(
            to::NONE,
            (to::COLOR.0 | to::DEPTH.0, 0),
            &[(color, Layout::Undefined, Layout::Color), (depth, Layout::Undefined, Layout::Depth)],
        );
        let pass = b.begin(&[], Some((depth, LoadOp::Clear([f(0.75), 0, 0, 0]), STORE)));
        b.end(pass);
        b.barrier(
            to::DEPTH,
            (uses::DEPTH_READ | uses::SAMPLED, FRAGMENT),
            &[(depth, Layout::Depth, Layout::DepthRead)],
        );
        let own = b.texture(depth);
        let targets = AttachmentSet {
            color: std::array::from_fn(|n| (n == 0).then(|| b.attachment(color))),
            depth: Some(b.attachment(depth)),
            samples: 1,
        };
        let ops = framegraph::pass::PassOps { depth_read_only: true, ..Default::default() };
        let area = framegraph::pass::PassArea { extent: [4, 4], layers: 1 };
        let pass = b.begin_with(targets, ops, area);
        let test = DepthState { test: Some(Compare::Less), write: false, ..DepthState::default() };
        b.draw(&Draw { fragment_shader: "texture.frag", bindings: vec![own], depth: test, ..Draw::default() });
        b.end(pass);
        b.barrier(to::COLOR, to::COPY_READ, &[(color, Layout::Color, Layout::CopySource)]);
        let tag = b.download_image(color);
        let done = b.run();
        assert_eq!(bytes_of(&done, tag)[..4], 0.75f32.to_le_bytes());
    }

    #[test]
    fn no_device_is_a_typed_error_with_a_reason() {
        let options = ferrograph_vulkan::DeviceOptions { name: "no such device".to_owned(), ..Default::default() };
        let error = ferrograph_vulkan::Device::new(&options).expect_err("no device");
        assert!(matches!(error, ferrograph_vulkan::DeviceError::NoDevice { .. }), "{error}");
        assert!(error.to_string().contains("no usable Vulkan device"), "{error}");
    }
}
