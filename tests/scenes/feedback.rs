//! Draws that read what they draw into, and passes that read what earlier ones drew.

use ferrograph_nvn::recorder::{TextureSpec, ViewSpec};
use ferrograph_tests::scene::{Commands, SamplerSpec, Stage, format, knob, nvn, off, prove, prove_hostile};
use framegraph::tables::{Copies, FeedbackLoops, FeedbackPlan, OrderPoints, uses};

/// Clears a target and draws over it: each draw adds one to what it samples of it.
fn count_draws(stage: &Stage, target: u64, draws: usize) -> Commands<'_> {
    let commands = stage.begin();
    commands.targets(&[target], None, [64, 64]);
    commands.clear_color(0, [0.0; 4], 15);
    commands.program(&["vs_tri_full", "fs_feedback_add1"]);
    commands.texture(0, target, 0, SamplerSpec::default());
    for _ in 0..draws {
        commands.barrier();
        commands.draw_full();
    }
    commands
}

// rows: M-1.9b
#[test]
fn gpu_each_draw_adds_to_what_the_draws_before_left() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::R8, 64, 64));
        let commands = count_draws(stage, target, 3);
        // A draw of the same pass that samples nothing.
        commands.call("nvnCommandBufferSetScissor", &[0, 0, 8, 8]);
        commands.block(&[[-1.0f32, -1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0], [1.0; 4]]);
        commands.program(&["vs_rect_ubo", "fs_color_varying"]);
        commands.draw(nvn::TRIANGLE_STRIP, 4);
        commands.submit();
        let loops = stage.with_graph(|graph| graph.world().resource::<FeedbackLoops>().rows.len());
        let mut bytes = stage.read("t");
        bytes.push(loops as u8);
        bytes
    };
    let mut expected: Vec<u8> = (0..4096).map(|n| if n % 64 < 8 && n / 64 < 8 { 255 } else { 3 }).collect();
    expected.push(3);
    prove_hostile(scene, &expected, &[off("resolve_feedback_loops"), knob("M-1.9b"), off("detect_feedback_loops")]);
}

// rows: R-038d
#[test]
fn gpu_draws_that_read_their_own_pixel_copy_nothing() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::R8, 64, 64));
        let commands = count_draws(stage, target, 100);
        commands.submit();
        let copies = stage.with_graph(|graph| graph.world().resource::<Copies>().rows.len());
        let passes = crate::live_passes(stage);
        let mut bytes = stage.read("t");
        bytes.extend([copies as u8, passes as u8]);
        bytes
    };
    prove(scene, &[vec![100; 4096], vec![0, 1]].concat(), &[knob("R-038d")]);
}

// rows: R-038a
#[test]
fn gpu_a_draw_reads_its_target_as_it_was_before_the_draw() {
    let scene = |stage: &Stage| {
        let spec = TextureSpec::d2(format::RGBA8, 64, 64);
        let (target, seen) = (stage.texture("t", spec), stage.texture("seen", spec));
        let (mut all, mut copied) = (Vec::new(), Vec::new());
        let red = [1.0f32, 0.0, 0.0, 1.0];
        let (green, blue) = ([0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
        for (n, color) in [green, blue].into_iter().enumerate() {
            let commands = stage.begin();
            if n == 0 {
                commands.targets(&[target], None, [64, 64]);
                commands.clear_color(0, red, 15);
            }
            commands.targets(&[target, seen], None, [64, 64]);
            commands.barrier();
            commands.program(&["vs_tri_full", "fs_feedback_offset"]);
            commands.block(&[color, [64, 64, 0, 0].map(f32::from_bits)]);
            commands.texture(0, target, 0, SamplerSpec::default());
            commands.draw_full();
            commands.submit();
            let loops = stage.with_graph(|graph| graph.world().resource::<FeedbackLoops>().rows.clone());
            copied.extend(loops.iter().map(|row| u8::from(row.plan == FeedbackPlan::Snapshot)));
            all.extend([stage.read("t"), stage.read("seen")].concat());
        }
        [all, copied].concat()
    };
    let texels = |color: [u8; 4]| color.repeat(4096);
    let (red, green, blue) = (texels([255, 0, 0, 255]), texels([0, 255, 0, 255]), texels([0, 0, 255, 255]));
    let expected = [&green[..], &red, &blue, &green, &[1, 1]].concat();
    // Left as it is, the last column may read what the draw wrote into the first; drivers that read through a cache happen to be right.
    prove(scene, &expected, &[off("resolve_feedback_loops"), knob("R-038a")]);
    prove_hostile(scene, &expected, &[]);
}

// rows: M-1.9a
#[test]
fn gpu_a_pass_sees_what_the_pass_before_drew() {
    let scene = |stage: &Stage| {
        let spec = TextureSpec::d2(format::RGBA8, 64, 64);
        let (first, second) = (stage.texture("first", spec), stage.texture("second", spec));
        let commands = stage.begin();
        commands.targets(&[first], None, [64, 64]);
        commands.program(&["vs_tri_full", "fs_red_loc0_only"]);
        commands.draw_full();
        commands.barrier();
        commands.targets(&[second], None, [64, 64]);
        commands.program(&["vs_tri_full", "fs_fetch_2d"]);
        commands.block(&[[0i32; 4]]);
        commands.texture(0, first, 0, SamplerSpec::default());
        commands.draw_full();
        commands.submit();
        stage.read("second")
    };
    prove_hostile(scene, &[255, 0, 0, 255].repeat(4096), &[knob("M-1.9a")]);
}

// rows: M-1.9a
#[test]
fn gpu_a_level_is_made_from_the_level_above_it() {
    let scene = |stage: &Stage| {
        let chain = stage.texture("chain", TextureSpec { levels: 7, ..TextureSpec::d2(format::RGBA8, 64, 64) });
        let texels: Vec<[u8; 4]> =
            (0..4096).map(|n| if n % 2 == 0 { [200, 0, 40, 255] } else { [0, 100, 40, 255] }).collect();
        stage.fill(chain, [64, 64], &texels);
        let commands = stage.begin();
        for level in 1..7u32 {
            let side = 64 >> level;
            let one = |n| stage.api.view(ViewSpec { levels: Some((n, 1)), ..ViewSpec::default() });
            commands.barrier();
            commands.set_render_targets(&[(chain, one(level))], None);
            commands.set_area(0, 0, side, side);
            commands.program(&["vs_tri_full", "fs_mip_from_previous"]);
            commands.block(&[[0u32; 4]; 2]);
            commands.texture(0, chain, one(level - 1), SamplerSpec::default());
            commands.draw_full();
        }
        commands.submit();
        (1..7).flat_map(|level| stage.read_level("chain", level)).collect()
    };
    let texels = (1..7).map(|level| (64usize >> level).pow(2)).sum();
    prove_hostile(scene, &[100, 50, 40, 255].repeat(texels), &[knob("M-1.9a")]);
}

// rows: R-038c
#[test]
fn gpu_a_view_of_all_levels_that_is_sampled_at_one_is_no_loop() {
    let scene = |stage: &Stage| {
        let chain = stage.texture("chain", TextureSpec { levels: 4, ..TextureSpec::d2(format::R8, 16, 16) });
        stage.fill(chain, [16, 16], &[100u8; 256]);
        stage.fill_level(chain, 3, [2, 2], &[30u8; 4]);
        let commands = stage.begin();
        // Down from the level above, and up from the level below.
        for (to, from) in [(1u32, 0u32), (2, 3)] {
            let one = stage.api.view(ViewSpec { levels: Some((to, 1)), ..ViewSpec::default() });
            commands.barrier();
            commands.set_render_targets(&[(chain, one)], None);
            commands.set_area(0, 0, 16 >> to, 16 >> to);
            commands.program(&["vs_tri_full", "fs_tex_2d_lod"]);
            commands.block(&[[from as f32, 0.0, 0.0, 0.0]]);
            let filters = [nvn::LINEAR_MIPMAP_NEAREST, nvn::LINEAR];
            commands.texture(0, chain, 0, SamplerSpec { filters, ..SamplerSpec::default() });
            commands.draw_full();
        }
        commands.submit();
        let (loops, copies) = stage.with_graph(|graph| {
            let world = graph.world();
            (world.resource::<FeedbackLoops>().rows.len(), world.resource::<Copies>().rows.len())
        });
        let mut bytes: Vec<u8> = (1..3).flat_map(|level| stage.read_level("chain", level)).collect();
        bytes.extend([loops as u8, copies as u8]);
        bytes
    };
    let expected = [vec![100; 64], vec![30; 16], vec![0, 0]].concat();
    prove(scene, &expected, &[off("narrow_sampled_levels")]);
    prove_hostile(scene, &expected, &[]);
}

// rows: M-1.9c, R-073
#[test]
fn gpu_a_barrier_between_draws_orders_what_they_load_and_store() {
    const ORDER_FRAGMENTS_AND_INVALIDATE_TEXTURE: u64 = 0x12;
    let scene = |stage: &Stage| {
        let target = stage.texture("", TextureSpec::d2(format::RGBA8, 16, 16));
        let image = stage.texture("image", TextureSpec::d2(format::R32UI, 16, 16));
        let commands = stage.begin();
        commands.targets(&[target], None, [16, 16]);
        commands.program(&["vs_tri_full", "fs_img_rmw_muladd"]);
        commands.image(0, image, 0);
        // Each draw stores a times what it loads plus b; in another order, or from old texels, the sum is another.
        for factors in [[1u32, 1, 0, 0], [3, 1, 0, 0], [1, 5, 0, 0]] {
            commands.block(&[factors]);
            commands.draw_full();
            commands.call("nvnCommandBufferBarrier", &[ORDER_FRAGMENTS_AND_INVALIDATE_TEXTURE]);
        }
        commands.submit();
        // A pass of its own for each draw: inside a pass the host orders no stores.
        let passes = crate::live_passes(stage);
        let mut bytes = stage.read("image");
        bytes.push(passes as u8);
        bytes
    };
    let expected = [crate::bytes(&[9; 256]), vec![3]].concat();
    prove_hostile(scene, &expected, &[knob("M-1.9c"), knob("R-073"), off("split_on_fragment_order")]);
}

// rows: R-073
#[test]
fn gpu_a_barrier_between_draws_that_store_nothing_splits_no_pass() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 16, 16));
        let commands = stage.begin();
        commands.targets(&[target], None, [16, 16]);
        commands.program(&["vs_tri_full", "fs_red_loc0_only"]);
        for _ in 0..3 {
            commands.draw_full();
            commands.call("nvnCommandBufferBarrier", &[0x12]);
        }
        commands.submit();
        vec![crate::live_passes(stage) as u8]
    };
    prove(scene, &[1], &[]);
}

// rows: M-1.9d
#[test]
fn gpu_a_barrier_refreshes_only_what_it_names() {
    const ORDER: u64 = 0x7;
    const TEXTURE: u64 = 0x10;
    const SHADER: u64 = 0x20;
    const DESCRIPTORS: u64 = 0x40;
    let scene = |stage: &Stage| {
        let commands = stage.begin();
        for bits in [ORDER, TEXTURE, SHADER, DESCRIPTORS] {
            commands.call("nvnCommandBufferBarrier", &[bits]);
        }
        commands.submit();
        let points = stage.with_graph(|graph| {
            let rows = &graph.world().resource::<OrderPoints>().rows;
            rows.iter().map(|point| [point.visible, point.descriptors.into()]).collect::<Vec<_>>()
        });
        crate::bytes(&points.concat())
    };
    let expected = [0, 0, uses::SAMPLED, 0, uses::UNIFORM | uses::STORAGE_READ, 0, 0, 1];
    prove(scene, &crate::bytes(&expected), &[knob("M-1.9d"), off("lower_nvn_barriers")]);
}
