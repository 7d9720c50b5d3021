//! What reaches the display: the bytes of the window texture, and no overlay but the one that is seen.

use ferrograph::graph::{Graph, GraphOptions};
use ferrograph::sink::GraphSink;
use ferrograph_nvn::recorder::{Recorder, ScratchMemory, TextureSpec};
use ferrograph_tests::scene::{Stage, format, knob, prove};
use framegraph::tables::{NodeKind, Nodes};
use nvn_decode::memory::Guest;
use std::sync::Arc;

/// Usable for display.
const DISPLAY: u32 = 1;
const BGRA8_SRGB: u32 = 0x9C;

fn fill(stage: &Stage, texture: u64, [width, height]: [i32; 2], texels: &[[u8; 4]]) {
    let region = nvn_decode::record::Region { extent: [width, height, 1], ..Default::default() };
    stage.api.write_texels(texture, 0, region, texels);
}

/// A window of two textures in a format, the first with texels.
fn window(stage: &Stage, format: u32, [width, height]: [u32; 2], texels: &[[u8; 4]]) -> u64 {
    let spec = TextureSpec { flags: DISPLAY, ..TextureSpec::d2(format, width, height) };
    let textures = [stage.texture("w0", spec), stage.texture("w1", spec)];
    fill(stage, textures[0], [width as i32, height as i32], texels);
    stage.api.window(&textures)
}

fn shown(stage: &Stage) -> Vec<u8> {
    stage.with_graph(|graph| graph.screenshot().expect("a picture was presented").rgba)
}

// rows: R-021b
#[test]
fn gpu_the_display_shows_the_bytes_of_the_texture() {
    let scene = |stage: &Stage| {
        stage.api.call("nvnDeviceSetWindowOriginMode", &[stage.api.device(), 1]);
        let mut all = Vec::new();
        for format in [format::RGBA8_SRGB, BGRA8_SRGB, format::RGBA8] {
            let window = window(stage, format, [16, 8], &[[137; 4]; 128]);
            stage.api.present(window, 0);
            all.extend(shown(stage));
        }
        all
    };
    // Decoded once more, 137 would be 64.
    prove(scene, &[137; 3 * 128 * 4], &[knob("R-021b")]);
}

// rows: A-093
#[test]
fn gpu_an_srgb_window_is_turned_once_and_an_undrawn_one_is_zero() {
    let row = |n: u8| [[188, n, 255 - n, 255]; 16];
    let scene = |stage: &Stage| {
        stage.api.call("nvnDeviceSetWindowOriginMode", &[stage.api.device(), 0]);
        let texels: Vec<[u8; 4]> = (0..8).flat_map(row).collect();
        let window = window(stage, format::RGBA8_SRGB, [16, 8], &texels);
        stage.api.present(window, 0);
        let mut all = shown(stage);
        stage.api.present(window, 1);
        all.extend(shown(stage).chunks_exact(4).flat_map(|texel| [texel[0], texel[1], texel[2], 0]));
        all
    };
    let turned = (0..8).rev().flat_map(row).flatten();
    let expected: Vec<u8> = turned.chain([0; 16 * 8 * 4]).collect();
    prove(scene, &expected, &[knob("A-093")]);
}

/// A graph with the overlay open (or not), and one frame presented: the picture, the picture with the overlay, and the order of present and overlay.
fn with_overlay(open: bool, knobs: &[&str]) -> Option<(Vec<u8>, Vec<u8>, Vec<NodeKind>)> {
    const SIZE: u32 = 256;
    let memory = Arc::new(ScratchMemory::new(0x50_0000_0000, 16 << 20));
    let guest = Guest { memory: memory.clone(), tracking: memory.clone() };
    let knobs = knobs.iter().map(|row| (*row).to_owned()).collect();
    let options = GraphOptions { check: true, overlay: open, knobs, ..GraphOptions::default() };
    let graph = match Graph::new(&options, guest) {
        Ok(graph) => graph,
        Err(ferrograph::graph::GraphError::Device(error)) => {
            eprintln!("skipped: {error}");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let sink = GraphSink::new(graph, None);
    let api = Recorder::with_memory(memory, Box::new(sink.clone()));
    let pool = api.pool(4 << 20, 0x22);
    let spec = TextureSpec { flags: DISPLAY, ..TextureSpec::d2(format::RGBA8, SIZE, SIZE) };
    let texture = api.texture(pool, 0, spec);
    let window = api.window(&[texture, api.texture(pool, 1 << 20, spec)]);
    let commands = api.begin();
    commands.set_render_targets(&[(texture, 0)], None);
    commands.set_area(0, 0, SIZE, SIZE);
    commands.clear_color(0, [0.0, 1.0, 0.0, 1.0], 15);
    let list = commands.end();
    api.submit(&[list]);
    api.present(window, 0);
    let kinds = |graph: &Graph| {
        let nodes = graph.world().resource::<Nodes>();
        let mut ids: Vec<_> = nodes.ids().collect();
        ids.sort_by_key(|id| (nodes.order[id.index()], nodes.seq[id.index()]));
        let kinds = ids.into_iter().map(|id| nodes.kind[id.index()]);
        kinds.filter(|kind| matches!(kind, NodeKind::Present | NodeKind::Overlay)).collect::<Vec<_>>()
    };
    let result = sink.with_graph(|graph| {
        let order = kinds(graph);
        assert_eq!(graph.overlay().view().parts.is_empty(), !open, "a closed overlay gathers nothing");
        assert!(open || graph.executor().pass_times().next().is_none(), "nor is anything timed for it");
        let over = if open { graph.overlay_screenshot().expect("the overlay is open").rgba } else { Vec::new() };
        (graph.screenshot().expect("a picture").rgba, over, order)
    });
    let totals = sink.totals();
    assert_eq!((totals.hazards, totals.diagnostics), (vec![], vec![]));
    Some(result)
}

/// Whether the overlay is drawn behind the present, leaves the picture alone, and lies over a part of what is seen.
fn overlay_is_apart(knobs: &[&str]) -> Option<bool> {
    let (plain, _, order) = with_overlay(false, knobs)?;
    assert_eq!(order, [NodeKind::Present], "a closed overlay has no node");
    let (picture, over, order) = with_overlay(true, knobs)?;
    // The panel is at the bottom: the upper quarter is the picture.
    let above = plain.len() / 4;
    let apart = picture == plain && over[..above] == plain[..above] && over != plain;
    Some(apart && order == [NodeKind::Present, NodeKind::Overlay])
}

// rows: A-023
#[test]
fn gpu_the_overlay_is_drawn_behind_the_present_and_not_into_the_picture() {
    let Some(apart) = overlay_is_apart(&[]) else { return };
    assert!(apart);
    assert_eq!(overlay_is_apart(&["A-023"]), Some(false), "drawn before the present, it is in the game's own picture");
}
