//! The inspector drawn on a device, read back. The pictures go to `target/`, to be looked at.

mod gpu {
    use super::super::*;
    use crate::Overlay;
    use crate::input::headless;
    use crate::sample;
    use crate::ui::Tab;
    use ferrograph_vulkan::{Device, DeviceOptions};
    use framegraph::ids::PassId;
    use framegraph::rule::Switches;

    const SIZE: [u32; 2] = [1280, 720];

    /// An image of the test's own.
    struct Picture {
        device: Arc<Device>,
        image: vk::Image,
        allocation: vk_mem::Allocation,
        view: vk::ImageView,
        aspect: vk::ImageAspectFlags,
        size: [u32; 2],
    }

    impl Picture {
        fn new(device: &Arc<Device>, format: vk::Format, size: [u32; 2], usage: vk::ImageUsageFlags) -> Self {
            let aspect = match format {
                vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
                _ => vk::ImageAspectFlags::COLOR,
            };
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(format)
                .extent(vk::Extent3D { width: size[0], height: size[1], depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(usage | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC);
            let how = vk_mem::AllocationCreateInfo { usage: vk_mem::MemoryUsage::Auto, ..Default::default() };
            // SAFETY: complete create infos in formats that every device has for this use.
            unsafe {
                let (image, allocation) = device.allocator.create_image(&info, &how).unwrap();
                let info = vk::ImageViewCreateInfo::default()
                    .image(image)
                    .view_type(vk::ImageViewType::TYPE_2D)
                    .format(format)
                    .subresource_range(vk::ImageSubresourceRange { aspect_mask: aspect, ..COLOR_RANGE });
                let view = device.raw.create_image_view(&info, None).unwrap();
                Self { device: Arc::clone(device), image, allocation, view, aspect, size }
            }
        }

        fn to(&self, command: vk::CommandBuffer, from: vk::ImageLayout, to: vk::ImageLayout) {
            let all = vk::PipelineStageFlags2::ALL_COMMANDS;
            let access = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
            let barriers = [vk::ImageMemoryBarrier2::default()
                .old_layout(from)
                .new_layout(to)
                .src_stage_mask(all)
                .src_access_mask(access)
                .dst_stage_mask(all)
                .dst_access_mask(access)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(self.image)
                .subresource_range(vk::ImageSubresourceRange { aspect_mask: self.aspect, ..COLOR_RANGE })];
            let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
            // SAFETY: the command buffer records outside a rendering.
            unsafe { self.device.raw.cmd_pipeline_barrier2(command, &info) };
        }
    }

    impl Drop for Picture {
        fn drop(&mut self) {
            // SAFETY: every test waits until its commands are done.
            unsafe {
                self.device.raw.destroy_image_view(self.view, None);
                self.device.allocator.destroy_image(self.image, &mut self.allocation);
            }
        }
    }

    /// A buffer that the host reads and writes.
    struct Bytes {
        device: Arc<Device>,
        raw: vk::Buffer,
        allocation: vk_mem::Allocation,
        size: usize,
    }

    impl Bytes {
        fn new(device: &Arc<Device>, size: usize) -> Self {
            let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
            let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
            let how = vk_mem::AllocationCreateInfo {
                usage: vk_mem::MemoryUsage::Auto,
                flags: vk_mem::AllocationCreateFlags::HOST_ACCESS_RANDOM | vk_mem::AllocationCreateFlags::MAPPED,
                required_flags: vk::MemoryPropertyFlags::HOST_COHERENT,
                ..Default::default()
            };
            // SAFETY: a complete create info.
            let (raw, allocation) = unsafe { device.allocator.create_buffer(&info, &how).unwrap() };
            Self { device: Arc::clone(device), raw, allocation, size }
        }

        fn bytes(&mut self) -> &mut [u8] {
            let mapped = self.device.allocator.get_allocation_info(&self.allocation).mapped_data;
            // SAFETY: the buffer is mapped for its whole life and no command uses it while the slice lives.
            unsafe { std::slice::from_raw_parts_mut(mapped.cast(), self.size) }
        }
    }

    impl Drop for Bytes {
        fn drop(&mut self) {
            // SAFETY: every test waits until its commands are done.
            unsafe { self.device.allocator.destroy_buffer(self.raw, &mut self.allocation) };
        }
    }

    /// Records, submits and waits.
    fn run(device: &Device, record: impl FnOnce(vk::CommandBuffer)) {
        let raw = &device.raw;
        // SAFETY: complete create infos; the queue is this test's alone; the pool goes when all is done.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
            let pool = raw.create_command_pool(&info, None).unwrap();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = raw.allocate_command_buffers(&info).unwrap();
            raw.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default()).unwrap();
            record(commands[0]);
            raw.end_command_buffer(commands[0]).unwrap();
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            raw.queue_submit(device.queue, &submit, vk::Fence::null()).unwrap();
            raw.device_wait_idle().unwrap();
            raw.destroy_command_pool(pool, None);
        }
    }

    fn region(picture: &Picture) -> [vk::BufferImageCopy; 1] {
        [vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: picture.aspect,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            },
            image_extent: vk::Extent3D { width: picture.size[0], height: picture.size[1], depth: 1 },
            ..Default::default()
        }]
    }

    fn device() -> Option<Arc<Device>> {
        make_device(std::env::var_os("FERROGRAPH_TEST_VALIDATION").is_some())
    }

    fn make_device(validation: bool) -> Option<Arc<Device>> {
        match Device::new(&DeviceOptions { validation, take_turns: true, ..DeviceOptions::default() }) {
            Ok(device) => Some(device),
            Err(error) => {
                eprintln!("skipped: {error}");
                None
            }
        }
    }

    /// A picture of the game: sky above, sea below.
    fn scene(x: u32, y: u32, [w, h]: [u32; 2]) -> [u8; 4] {
        let t = y as f32 / h as f32;
        let wave = ((x as f32 / w as f32 * 25.0).sin() * 0.02 + 0.45 < t) as u8;
        let hill = ((x as f32 / w as f32 - 0.6).powi(2) * 2.2 + 0.26 < t && t < 0.47) as u8;
        match (hill, wave) {
            (1, 0) => [96, 120, 64, 255],
            (_, 1) => [30, (90.0 + 60.0 * (1.0 - t)) as u8, 140, 255],
            _ => [(120.0 + 80.0 * t) as u8, (160.0 + 50.0 * t) as u8, 224, 255],
        }
    }

    /// An overlay over the sample, after three frames of its interface (it lays itself out anew as it learns sizes).
    fn overlay(tab: Tab, pass: &str, resource: &str) -> Overlay {
        let mut overlay = Overlay::new(sample::RULES);
        overlay.set_open(true);
        let world = sample::island();
        for n in 40..46 {
            overlay.begin_frame(n);
            overlay.add_part(&world, n);
            overlay.end_frame(&Switches::default(), []);
            for pass in 0..12 {
                let start = u64::from(pass) * 400_000;
                overlay.gpu_time(n, PassId(pass), start, start + 90_000 + u64::from(pass * 7 % 5) * 120_000);
            }
            overlay.end_gpu_times();
        }
        overlay.state.tab = tab;
        let unit = overlay.view.units.iter().position(|u| overlay.view.text(u.name) == pass);
        if let Some(unit) = unit {
            overlay.state.select_unit(&overlay.view, unit as u32);
        }
        let id = overlay.view.resources.iter().find(|r| overlay.view.text(r.name) == resource).map(|r| r.id);
        if let Some(id) = id {
            overlay.state.select_resource(id);
        }
        overlay
    }

    /// Paints over the scene, twice (the second frame uses another slot), and gives the pixels. Every thumbnail shows the scene, or a ramp of depth.
    fn paint(device: &Arc<Device>, format: vk::Format, overlay: &mut Overlay, name: &str) -> Vec<u8> {
        let pixels = paint_with(device, format, overlay, name, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        assert_eq!(device.messages.errors(), 0, "{:?}", device.messages.texts());
        pixels
    }

    /// As [`paint`], with the layout that the thumbnails are said to be in.
    fn paint_with(
        device: &Arc<Device>,
        format: vk::Format,
        overlay: &mut Overlay,
        name: &str,
        layout: vk::ImageLayout,
    ) -> Vec<u8> {
        let target = Picture::new(device, format, SIZE, vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let small = [320, 180];
        let color = Picture::new(device, vk::Format::R8G8B8A8_UNORM, small, vk::ImageUsageFlags::SAMPLED);
        let depth = Picture::new(device, vk::Format::D32_SFLOAT, small, vk::ImageUsageFlags::SAMPLED);
        let count = (SIZE[0] * SIZE[1] * 4) as usize;
        let mut back = Bytes::new(device, count);
        for (n, texel) in back.bytes().chunks_exact_mut(4).enumerate() {
            texel.copy_from_slice(&scene(n as u32 % SIZE[0], n as u32 / SIZE[0], SIZE));
        }
        let mut texels = Bytes::new(device, (small[0] * small[1] * 4) as usize);
        for (n, texel) in texels.bytes().chunks_exact_mut(4).enumerate() {
            texel.copy_from_slice(&scene(n as u32 % small[0], n as u32 / small[0], small));
        }
        let mut ramp = Bytes::new(device, (small[0] * small[1] * 4) as usize);
        for (n, texel) in ramp.bytes().chunks_exact_mut(4).enumerate() {
            let depth = n as u32 % small[0];
            texel.copy_from_slice(&(depth as f32 / small[0] as f32).to_le_bytes());
        }
        let mut renderer = OverlayRenderer::new(device, format, 2).unwrap();
        run(device, |command| {
            for (picture, bytes) in [(&color, &texels), (&depth, &ramp)] {
                picture.to(command, vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
                let to = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
                // SAFETY: recording; the region is the whole image.
                unsafe {
                    device.raw.cmd_copy_buffer_to_image(command, bytes.raw, picture.image, to, &region(picture));
                }
                picture.to(command, to, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
            }
        });
        for frame in 0..3 {
            overlay.run(headless(SIZE, f64::from(frame) / 60.0));
            let thumbnails: Vec<Thumbnail> = overlay
                .output()
                .thumbnails
                .iter()
                .map(|request| {
                    let deep = request.key.aspect != framegraph::state::Aspects::COLOR;
                    Thumbnail {
                        id: request.id,
                        view: if deep { depth.view } else { color.view },
                        layout,
                        class: NumericClass::Float,
                        linear: false,
                    }
                })
                .collect();
            run(device, |command| {
                target.to(command, vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
                let to = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
                // SAFETY: recording; the region is the whole image; the target is in the layout that `paint` asks for.
                unsafe {
                    device.raw.cmd_copy_buffer_to_image(command, back.raw, target.image, to, &region(&target));
                    target.to(command, to, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
                    let at = Target { view: target.view, extent: SIZE };
                    renderer.paint(command, &at, overlay.output(), &thumbnails).unwrap();
                }
            });
            assert!(overlay.output().textures.set.is_empty(), "the textures were taken");
        }
        let mut out = Bytes::new(device, count);
        run(device, |command| {
            let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            target.to(command, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, from);
            // SAFETY: recording; the region is the whole image.
            unsafe { device.raw.cmd_copy_image_to_buffer(command, target.image, from, out.raw, &region(&target)) };
        });
        let pixels = out.bytes().to_vec();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target");
        let file = std::fs::File::create(format!("{folder}/{name}.png")).unwrap();
        let mut encoder = png::Encoder::new(file, SIZE[0], SIZE[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        drop(renderer);
        pixels
    }

    fn pixel(pixels: &[u8], x: u32, y: u32) -> [u8; 4] {
        let at = ((y * SIZE[0] + x) * 4) as usize;
        [pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]]
    }

    /// Row of the panel's upper edge.
    fn panel_top(pixels: &[u8]) -> u32 {
        (0..SIZE[1]).find(|y| pixel(pixels, 3, *y) != scene(3, *y, SIZE)).expect("a panel")
    }

    #[test]
    fn overlay_is_drawn_over_the_picture() {
        let Some(device) = device() else { return };
        let mut overlay = overlay(Tab::Grid, "g-buffer", "gNormal");
        let pixels = paint(&device, vk::Format::R8G8B8A8_UNORM, &mut overlay, "overlay-test");
        let top = panel_top(&pixels);
        assert!((200..400).contains(&top), "the panel begins at row {top}");
        // Outside its rectangle nothing changed.
        for y in 0..top {
            for x in 0..SIZE[0] {
                assert_eq!(pixel(&pixels, x, y), scene(x, y, SIZE), "at {x},{y}");
            }
        }
        // Text is there: bright pixels on the dark panel, in the header, the names and the details.
        let bright = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
            let all = y.flat_map(|y| x.clone().map(move |x| (x, y)));
            all.filter(|&(x, y)| pixel(&pixels, x, y)[..3].iter().all(|c| *c > 110)).count()
        };
        assert!(bright(8..500, top..top + 26) > 150, "no text in the header");
        assert!(bright(8..180, top + 160..SIZE[1]) > 300, "no names of resources");
        assert!(bright(930..1270, top + 60..SIZE[1]) > 300, "no details");
    }

    #[test]
    fn overlay_pages_are_drawn() {
        let Some(device) = device() else { return };
        for (tab, name) in [
            (Tab::Pass, "overlay-pass"),
            (Tab::Resource, "overlay-resource"),
            (Tab::Decisions, "overlay-decisions"),
            (Tab::Rules, "overlay-rules"),
            (Tab::Counters, "overlay-counters"),
            (Tab::Flame, "overlay-flame"),
        ] {
            let mut overlay = overlay(tab, "g-buffer", "shadow");
            if tab == Tab::Pass {
                overlay.state.select_node(&overlay.view, 17);
            }
            crate::profile::new_frame();
            let pixels = paint(&device, vk::Format::R8G8B8A8_UNORM, &mut overlay, name);
            assert!(panel_top(&pixels) < 400, "{name}");
        }
    }

    #[test]
    fn overlay_thumbnails_show_the_images_content() {
        let Some(device) = device() else { return };
        let mut overlay = overlay(Tab::Resource, "", "shadow");
        let pixels = paint(&device, vk::Format::R8G8B8A8_UNORM, &mut overlay, "overlay-depth");
        // The ramp of depth: a run of greys that grow from left to right.
        let top = panel_top(&pixels);
        let longest = (top..SIZE[1])
            .map(|y| {
                let (mut best, mut run) = (0, 0);
                for x in 1..SIZE[0] {
                    let ([a, ..], [r, g, b, _]) = (pixel(&pixels, x - 1, y), pixel(&pixels, x, y));
                    run = if r == g && g == b && r >= a && r - a < 4 && r > 4 { run + 1 } else { 0 };
                    best = best.max(run);
                }
                best
            })
            .max();
        assert!(longest > Some(200), "the longest ramp has {longest:?} pixels");
    }

    #[test]
    fn overlay_looks_the_same_on_a_target_that_encodes() {
        let Some(device) = device() else { return };
        let plain = paint(&device, vk::Format::R8G8B8A8_UNORM, &mut overlay(Tab::Rules, "", ""), "overlay-unorm");
        let encoded = paint(&device, vk::Format::R8G8B8A8_SRGB, &mut overlay(Tab::Rules, "", ""), "overlay-srgb");
        // Blending differs, opaque colours do not: most of the panel is nearly opaque.
        let far = plain.iter().zip(&encoded).filter(|(a, b)| a.abs_diff(**b) > 24).count();
        assert!(far * 100 < plain.len() * 3, "{far} of {} bytes differ", plain.len());
    }

    #[test]
    fn overlay_over_the_executors_picture() {
        use ferrograph_vulkan::{Executor, ExecutorOptions};
        use framegraph::tables::{Presents, Snapshots, TexelBox, Upload, Uploads};
        let Some(device) = device() else { return };
        let mut executor = Executor::new(Arc::clone(&device), &ExecutorOptions::default()).unwrap();
        let mut world = framegraph::testing::world("image shown RGBA8 1280x720\nupload shown\npresent shown\nsignal");
        let bytes: Vec<u8> = (0..SIZE[0] * SIZE[1]).flat_map(|n| scene(n % SIZE[0], n / SIZE[0], SIZE)).collect();
        let at = world.resource_mut::<Snapshots>().push(&bytes);
        let extent = [SIZE[0] as i32, SIZE[1] as i32, 1];
        if let Upload::Image { bytes, region, .. } = &mut world.resource_mut::<Uploads>().rows[0] {
            *bytes = at;
            *region = TexelBox { offset: [0; 3], extent };
        }
        let present = &mut world.resource_mut::<Presents>().rows[0];
        (present.crop, present.extent, present.flip) = ([0, 0, extent[0], extent[1]], SIZE, false);
        sample::plan(&mut world);

        let mut overlay = Overlay::new(sample::RULES);
        let mut renderer = OverlayRenderer::for_executor(&executor).unwrap();
        overlay.set_open(true);
        let early = renderer.draw(&mut executor, overlay.output());
        assert!(matches!(early, Err(DrawError::Executor(ferrograph_vulkan::ExecuteError::NothingPresented))));
        // More frames than are in flight.
        for frame in 0..6 {
            overlay.begin_frame(frame);
            let serial = executor.execute(&world).unwrap().serial;
            overlay.add_part(&world, serial);
            overlay.end_frame(&Switches::default(), []);
            overlay.state.tab = Tab::Resource;
            overlay.state.select_resource(framegraph::testing::id(&world, "shown"));
            overlay.run_headless(SIZE);
            renderer.draw(&mut executor, overlay.output()).unwrap();
        }
        let over = executor.take_overlay_screenshot().unwrap();
        assert_eq!(over.extent, SIZE);
        let top = panel_top(&over.rgba);
        assert!((200..400).contains(&top), "the panel begins at row {top}");
        // The thumbnail shows the image that was uploaded: its sky, inside the panel.
        let sky = |[r, g, b, _]: [u8; 4]| b > 215 && g > 150 && g < 215 && r > 110 && r < 200;
        let seen = (top + 80..SIZE[1]).flat_map(|y| (230..720).map(move |x| (x, y)));
        let seen = seen.filter(|&(x, y)| sky(pixel(&over.rgba, x, y))).count();
        assert!(seen > 10_000, "{seen} pixels of sky in the thumbnail");
        // The picture itself has no overlay in it.
        let plain = executor.take_screenshot().unwrap();
        assert!(plain.rgba == bytes, "the presented picture changed");
        drop(renderer);
        assert_eq!(device.messages.errors(), 0, "{:?}", device.messages.texts());
    }

    #[test]
    fn overlay_thumbnail_in_a_wrong_layout_is_reported_by_the_layer() {
        let Some(device) = make_device(true) else { return };
        let mut overlay = overlay(Tab::Resource, "", "shadow");
        let format = vk::Format::R8G8B8A8_UNORM;
        paint_with(&device, format, &mut overlay, "overlay-planted", vk::ImageLayout::GENERAL);
        assert!(device.messages.errors() > 0, "the planted fault went unseen");
    }

    #[test]
    fn overlay_closed_draws_nothing() {
        let Some(device) = device() else { return };
        let mut overlay = overlay(Tab::Grid, "", "");
        overlay.set_open(false);
        let pixels = paint(&device, vk::Format::R8G8B8A8_UNORM, &mut overlay, "overlay-closed");
        for (n, texel) in pixels.chunks_exact(4).enumerate() {
            assert_eq!(texel, scene(n as u32 % SIZE[0], n as u32 / SIZE[0], SIZE));
        }
    }
}
