//! Textures: what the CPU wrote, storage shared by objects, views, mappings.

use ferrograph_nvn::recorder::{TextureSpec, ViewSpec};
use ferrograph_tests::scene::{SamplerSpec, Stage, format, knob, off, prove, prove_hostile};
use framegraph::resource::{ResourceFlags, ResourceKind};
use framegraph::tables::{Upload, Uploads};

/// Fetches a texture into an RGBA8 target of its own size.
fn fetch(stage: &Stage, label: &str, texture: u64, view: u64, size: [u32; 2]) -> Vec<u8> {
    submit_fetch(stage, label, texture, view, size);
    stage.read(label)
}

fn submit_fetch(stage: &Stage, label: &str, texture: u64, view: u64, size: [u32; 2]) {
    let target = stage.texture(label, TextureSpec::d2(format::RGBA8, size[0], size[1]));
    let commands = stage.begin();
    commands.targets(&[target], None, size);
    commands.program(&["vs_tri_full", "fs_fetch_2d"]);
    commands.block(&[[0i32; 4]]);
    commands.texture(0, texture, view, SamplerSpec::default());
    commands.draw_full();
    commands.submit();
}

/// Images that the last part filled from memory.
fn uploads(stage: &Stage) -> usize {
    stage.with_graph(|graph| {
        let rows = &graph.world().resource::<Uploads>().rows;
        rows.iter().filter(|upload| matches!(upload, Upload::Image { .. })).count()
    })
}

// rows: M-2.2a, A-088
#[test]
fn gpu_texels_of_the_cpu_are_seen_without_a_flush_and_taken_once() {
    let scene = |stage: &Stage| {
        let texture = stage.texture("", TextureSpec::d2(format::RGBA8, 8, 8));
        let (mut all, mut taken) = (Vec::new(), 0);
        for (label, color) in [("red", Some([255u8, 0, 0, 255])), ("blue", Some([0, 0, 255, 255])), ("same", None)] {
            if let Some(color) = color {
                stage.fill(texture, [8, 8], &[color; 64]);
            }
            submit_fetch(stage, label, texture, 0, [8, 8]);
            taken += uploads(stage);
            all.extend(stage.read(label));
        }
        all.push(taken as u8);
        all
    };
    let (red, blue) = ([255, 0, 0, 255].repeat(64), [0, 0, 255, 255].repeat(64));
    let expected = [&red[..], &blue, &blue, &[2]].concat();
    prove(scene, &expected, &[knob("M-2.2a"), knob("A-088"), off("upload_dirty_textures")]);
}

/// Host images of a description like the texture's.
fn images(stage: &Stage, extent: [u32; 2]) -> usize {
    stage.with_graph(|graph| {
        let world = graph.world_mut();
        let mut query = world.query::<(&ResourceKind, &ResourceFlags)>();
        let fits = |kind: &ResourceKind| matches!(kind, ResourceKind::Image(desc) if desc.extent[..2] == extent);
        query.iter(world).filter(|(kind, _)| fits(kind)).count()
    })
}

// rows: M-2.3a, R-019
#[test]
fn gpu_objects_over_one_storage_are_one_image() {
    const FRAMES: u8 = 60;
    let scene = |stage: &Stage| {
        let spec = TextureSpec::d2(format::RGBA8, 256, 256);
        let offset = stage.room(stage.api.texture_size(spec), 0x1_0000);
        for n in 0..FRAMES {
            // An object of its own in every frame, never finalised; what the frame before drew is added to. Mappings are no part of the storage.
            let swizzle = Some([2, 3, 4, 5 - u32::from(n % 2)]);
            let texture = stage.api.texture(stage.pool, offset, TextureSpec { swizzle, ..spec });
            stage.label(texture, "t");
            let commands = stage.begin();
            commands.targets(&[texture], None, [256, 256]);
            let color = stage.api.state("nvnColorStateSetDefaults");
            stage.api.call("nvnColorStateSetBlendEnable", &[color, 0, 1]);
            commands.call("nvnCommandBufferBindColorState", &[color]);
            let blend = stage.api.state("nvnBlendStateSetDefaults");
            stage.api.call("nvnBlendStateSetBlendFunc", &[blend, 2, 2, 2, 2]);
            commands.call("nvnCommandBufferBindBlendState", &[blend]);
            commands.program(&["vs_tri_full", "fs_color_ubo"]);
            commands.block(&[[1.0f32 / 255.0; 4]]);
            commands.draw_full();
            commands.submit();
        }
        let count = images(stage, [256, 256]);
        // The next object shows what was drawn through the last one.
        let texture = stage.api.texture(stage.pool, offset, spec);
        let mut bytes = fetch(stage, "seen", texture, 0, [16, 16]);
        bytes.push(count as u8);
        bytes
    };
    let mut expected = vec![FRAMES; 16 * 16 * 4];
    expected.push(1);
    prove(scene, &expected, &[knob("M-2.3a"), knob("R-019")]);
}

// rows: M-2.6a
#[test]
fn gpu_the_view_decides_whether_texels_are_decoded() {
    let scene = |stage: &Stage| {
        let texture = stage.texture("", TextureSpec::d2(format::RGBA8, 4, 4));
        stage.fill(texture, [4, 4], &[[188u8; 4]; 16]);
        let encoded = stage.api.view(ViewSpec { format: Some(format::RGBA8_SRGB), ..ViewSpec::default() });
        [fetch(stage, "decoded", texture, encoded, [4, 4]), fetch(stage, "plain", texture, 0, [4, 4])].concat()
    };
    let expected = [[128, 128, 128, 188].repeat(16), [188; 4].repeat(16)].concat();
    prove(scene, &expected, &[knob("M-2.6a")]);
}

// rows: M-2.7a, R-003a
#[test]
fn gpu_mappings_of_texture_and_view_apply_when_sampled() {
    let scene = |stage: &Stage| {
        let plain = TextureSpec::d2(format::R8, 4, 4);
        let offset = stage.room(stage.api.texture_size(plain), 0x1_0000);
        let with = |swizzle| stage.api.texture(stage.pool, offset, TextureSpec { swizzle, ..plain });
        // (1, 1, 1, R), (R, 0, 0, 1), and none, over the same storage.
        let (white, red, none) = (with(Some([1, 1, 1, 2])), with(Some([2, 0, 0, 1])), with(None));
        stage.fill(white, [4, 4], &[64u8; 16]);
        let same = stage.api.call("nvnTextureCompare", &[white, red]);
        // The view's mapping picks among what the texture's gives: (A, 0, R, 1).
        let view = stage.api.view(ViewSpec { swizzle: Some([5, 0, 2, 1]), ..ViewSpec::default() });
        let all = [
            fetch(stage, "white", white, 0, [4, 4]),
            fetch(stage, "red", red, 0, [4, 4]),
            fetch(stage, "none", none, 0, [4, 4]),
            fetch(stage, "view", white, view, [4, 4]),
        ];
        [all.concat(), vec![same as u8]].concat()
    };
    let texels = [[255, 255, 255, 64], [64, 0, 0, 255], [64, 0, 0, 255], [64, 0, 255, 255]];
    let expected = [texels.map(|texel| texel.repeat(16)).concat(), vec![0]].concat();
    prove(scene, &expected, &[knob("M-2.7a"), knob("R-003a")]);
}

// rows: M-2.7b
#[test]
fn gpu_components_that_a_format_lacks_read_zero_and_alpha_one() {
    let scene = |stage: &Stage| {
        let one = |label: &str, format: u32, texel: &[u8]| {
            let texture = stage.texture("", TextureSpec::d2(format, 4, 4));
            stage.fill(texture, [4, 4], &texel.repeat(16));
            fetch(stage, label, texture, 0, [4, 4])
        };
        let all = [
            one("r", format::R8, &[64]),
            one("rg", format::RG8, &[64, 32]),
            one("rgbx", format::RGBX8, &[64, 32, 16, 7]),
        ];
        all.concat()
    };
    let expected = [[64, 0, 0, 255], [64, 32, 0, 255], [64, 32, 16, 255]].map(|texel| texel.repeat(16)).concat();
    prove(scene, &expected, &[knob("M-2.7b")]);
}

// rows: R-001a
#[test]
fn gpu_a_command_acts_on_the_texture_as_it_was_when_recorded() {
    let scene = |stage: &Stage| {
        let texture = stage.texture("t", TextureSpec::d2(format::RGBA8, 64, 64));
        let commands = stage.begin();
        commands.targets(&[texture], None, [64, 64]);
        commands.clear([255, 0, 0, 255]);
        // The title uses the object's memory for something else before it submits.
        stage.api.write(texture, &[0x6Fu8; 0xC0]);
        commands.submit();
        stage.find("t").unwrap_or_default()
    };
    prove(scene, &[255, 0, 0, 255].repeat(4096), &[knob("R-001a")]);
}

// rows: M-1.9e, A-088
#[test]
fn gpu_what_the_cpu_writes_belongs_to_the_next_submission() {
    let scene = |stage: &Stage| {
        let texture = stage.texture("", TextureSpec::d2(format::RGBA8, 4, 4));
        stage.fill(texture, [4, 4], &[[255u8, 0, 0, 255]; 16]);
        submit_fetch(stage, "first", texture, 0, [4, 4]);
        stage.fill(texture, [4, 4], &[[0u8, 0, 255, 255]; 16]);
        submit_fetch(stage, "second", texture, 0, [4, 4]);
        stage.finish();
        [stage.read("first"), stage.read("second")].concat()
    };
    let expected = [[255, 0, 0, 255].repeat(16), [0, 0, 255, 255].repeat(16)].concat();
    prove_hostile(scene, &expected, &[knob("M-1.9e")]);
}
