//! Buffers that the CPU and the GPU share.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Stage, format, knob, nvn, off, prove, prove_hostile};
use framegraph::tables::{Upload, Uploads};

/// Bytes of buffers that the last part filled from memory.
fn uploaded(stage: &Stage) -> u32 {
    stage.with_graph(|graph| {
        let rows = &graph.world().resource::<Uploads>().rows;
        let bytes = |upload: &Upload| match upload {
            Upload::Buffer { target, .. } => target.length as u32,
            Upload::Image { .. } => 0,
        };
        rows.iter().map(bytes).sum()
    })
}

/// Runs a compute program over storage buffers 0 and 1.
fn compute(stage: &Stage, program: &str, buffers: &[(u64, u64)], block: [u32; 4], groups: [u64; 3]) {
    let commands = stage.begin();
    commands.program(&[program]);
    for (n, (address, bytes)) in buffers.iter().enumerate() {
        commands.storage(nvn::COMPUTE, n as u64, *address, *bytes);
    }
    let block = stage.buffer(&block);
    commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::COMPUTE, 0, block, 256]);
    commands.call("nvnCommandBufferDispatchCompute", &groups);
    commands.submit();
}

// rows: M-2.2b, A-037
#[test]
fn gpu_a_write_of_the_cpu_next_to_results_of_the_gpu_keeps_them() {
    let scene = |stage: &Stage| {
        let address = stage.pool.address + stage.room(0x1_0000, 0x1_0000);
        compute(stage, "cs_fill_words", &[(address, 256)], [0x11, 0, 0, 0], [1, 1, 1]);
        stage.api.write(address + 0x200, &[0x22u32]);
        let copy = stage.buffer(&[0u32; 256]);
        compute(stage, "cs_copy_words", &[(address, 1024), (copy, 1024)], [0; 4], [4, 1, 1]);
        crate::bytes(&stage.read_words(copy, 256))
    };
    let expected: Vec<u32> = (0..256)
        .map(|n| {
            if n < 64 {
                0x11
            } else if n == 128 {
                0x22
            } else {
                0
            }
        })
        .collect();
    prove_hostile(scene, &crate::bytes(&expected), &[knob("M-2.2b"), off("upload_dirty_buffers")]);
}

// rows: A-036
#[test]
fn gpu_what_the_cpu_writes_to_a_pool_is_what_the_gpu_reads() {
    let scene = |stage: &Stage| {
        let words = 0x4000usize;
        let bytes = 4 * words as u64;
        let (address, copy) = (stage.room(bytes, 0x1_0000), stage.room(bytes, 0x1_0000));
        let (address, copy) = (stage.pool.address + address, stage.pool.address + copy);
        let run = || {
            compute(stage, "cs_copy_words", &[(address, bytes), (copy, bytes)], [0; 4], [words as u64 / 64, 1, 1]);
            stage.read_words(copy, words)
        };
        let before = run();
        let values: Vec<u32> = (0..words as u32).map(|n| n.wrapping_mul(0x9E37_79B9)).collect();
        stage.api.write(address, &values);
        let after = run();
        assert!(before.iter().all(|word| *word == 0), "nothing was written yet");
        crate::bytes(&after)
    };
    let expected: Vec<u32> = (0..0x4000u32).map(|n| n.wrapping_mul(0x9E37_79B9)).collect();
    prove(scene, &crate::bytes(&expected), &[knob("A-036")]);
}

// rows: A-037
#[test]
fn gpu_only_pages_that_the_cpu_wrote_cross_the_bus() {
    const PAGES: u64 = 64;
    let scene = |stage: &Stage| {
        let bytes = PAGES * 4096;
        let address = stage.pool.address + stage.room(bytes, 0x1_0000);
        let copy = stage.pool.address + stage.room(bytes, 0x1_0000);
        let words = bytes / 4;
        let run = || compute(stage, "cs_copy_words", &[(address, bytes), (copy, bytes)], [0; 4], [words / 64, 1, 1]);
        run();
        for page in (0..PAGES).step_by(7) {
            stage.api.write(address + page * 4096 + 8, &[page as u32 + 1]);
        }
        // The block of the dispatch goes along with the commands, and is no page of the pool.
        run();
        let crossed = uploaded(stage);
        let copied = stage.read_words(copy, words as usize);
        let seen = (0..PAGES as usize).step_by(7).map(|page| copied[page * 1024 + 2]);
        crate::bytes(&seen.chain([crossed]).collect::<Vec<_>>())
    };
    let expected: Vec<u32> = (0..64).step_by(7).map(|page| page + 1).chain([40960]).collect();
    assert_eq!(expected.len(), 11, "ten pages");
    prove(scene, &crate::bytes(&expected), &[knob("A-037")]);
}

// rows: A-039
#[test]
fn gpu_a_block_is_read_as_it_was_at_its_submission() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 10, 10));
        let block = stage.buffer(&[[1.0f32, 0.0, 0.0, 1.0]]);
        let commands = stage.begin();
        commands.targets(&[target], None, [10, 10]);
        commands.program(&["vs_tri_full", "fs_color_ubo"]);
        stage.uniform(&commands, 0, block, 16);
        commands.draw_full();
        commands.submit();
        stage.api.write(block, &[0.0f32, 0.0, 1.0, 1.0]);
        // The copy goes along with the commands: no page of the pool crosses the bus.
        let crossed = uploaded(stage);
        [stage.read("t"), crate::bytes(&[crossed])].concat()
    };
    let expected = [[255, 0, 0, 255].repeat(100), crate::bytes(&[0])].concat();
    prove_hostile(scene, &expected, &[knob("A-039"), off("snapshot_uniform_ranges")]);
}

// rows: A-042
#[test]
fn gpu_compute_knows_its_group_counts_and_its_uniform_buffers() {
    let scene = |stage: &Stage| {
        let counts = stage.buffer(&[0u32; 64]);
        compute(stage, "cs_record_group_counts", &[(counts, 32)], [0; 4], [3, 5, 7]);
        let counts = stage.read_words(counts, 8);
        // Buffers from the sixth on are found through the bank.
        let sum = stage.buffer(&[0u32; 64]);
        let commands = stage.begin();
        commands.program(&["cs_ubo_0_to_6"]);
        commands.storage(nvn::COMPUTE, 0, sum, 16);
        for (slot, value) in [(0, 1u32), (1, 2), (4, 3), (5, 4), (6, 5)] {
            let block = stage.buffer(&[value; 8]);
            commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::COMPUTE, slot, block, 256]);
        }
        commands.call("nvnCommandBufferDispatchCompute", &[1, 1, 1]);
        commands.submit();
        crate::bytes(&[counts, stage.read_words(sum, 1)].concat())
    };
    let expected = [3, 5, 7, 105, 2, 4, 6, 7, 1 + 20 + 300 + 4000 + 50000];
    prove(scene, &crate::bytes(&expected), &[knob("A-042")]);
}

// rows: M-4.3
#[test]
fn gpu_fences_are_passed_in_their_order() {
    let scene = |stage: &Stage| {
        let sync = stage.api.alloc(0x40, 8);
        stage.api.call("nvnSyncInitialize", &[sync, stage.api.device()]);
        let words = stage.buffer(&[0u32; 64]);
        for n in 0..10 {
            compute(stage, "cs_semaphore_values", &[(words, 256)], [n * 2, 1 + n * 2, 0, 0], [1, 1, 1]);
            for _ in 0..10 {
                stage.api.call("nvnQueueFenceSync", &[stage.api.queue(), sync, 0, 0]);
            }
        }
        // Condition satisfied, within a second.
        let waited = stage.api.call("nvnSyncWait", &[sync, 1_000_000_000]);
        assert!(waited < 2, "the fences are passed");
        let out_of_order = stage.complaints().len() as u32;
        crate::bytes(&[stage.read_words(words, 20), vec![out_of_order]].concat())
    };
    let expected: Vec<u32> = (1..=20).chain([0]).collect();
    prove_hostile(scene, &crate::bytes(&expected), &[knob("M-4.3")]);
}
