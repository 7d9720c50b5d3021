//! A frame in steady state allocates nothing on the Rust heap: an allocator that counts.
#![allow(unsafe_code, clippy::print_stdout)] // A global allocator is unsafe by nature; a skipped test prints why.

mod support;

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Memory) -> *mut u8 {
        // A thread that ends has no counter any more; it is not the one that is measured.
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Memory) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Memory, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

mod gpu {
    use super::support::*;
    use ferrograph_vulkan::{Device, Executor, ExecutorOptions};
    use framegraph::ids::ResourceId;
    use framegraph::pass::{LoadOp, StoreOp};
    use framegraph::resource::Layout;
    use framegraph::state::*;
    use framegraph::tables::*;

    fn frame(b: &mut Bench, texture: ResourceId, targets: &[ResourceId], first: bool) {
        let part = b.desc(texture).all();
        let from = if first { Layout::Undefined } else { Layout::Sampled };
        b.barrier(to::SAMPLED, to::COPY_WRITE, &[(texture, from, Layout::CopyTarget)]);
        b.upload_image(texture, part, &[9; 64]);
        for &target in targets {
            let old = if first { Layout::Undefined } else { Layout::Color };
            b.barrier(
                (uses::COPY_WRITE | to::COLOR.0, 0),
                (uses::SAMPLED | to::COLOR.0, FRAGMENT),
                &[(target, old, Layout::Color)],
            );
            if target == targets[0] {
                b.barrier(to::COPY_WRITE, to::SAMPLED, &[(texture, Layout::CopyTarget, Layout::Sampled)]);
            }
            let pass = b.begin(&[(target, LoadOp::Clear([0; 4]), StoreOp::Store)], None);
            for n in 0..10 {
                let source = b.texture(texture);
                let color = b.color_uniform([n as f32 / 10.0, 0.0, 0.0, 1.0]);
                b.draw(&Draw { fragment_shader: "texture.frag", bindings: vec![source], ..Draw::default() });
                b.draw(&Draw { bindings: vec![color], ..Draw::default() });
            }
            b.end(pass);
        }
        b.signal(1);
    }

    #[test]
    fn steady_state_allocates_nothing() {
        let device = match Device::new(&Default::default()) {
            Ok(device) => device,
            Err(error) => return println!("skipped: {error}"),
        };
        let options = ExecutorOptions { timestamps: true, ..ExecutorOptions::default() };
        let mut b = Bench::with_executor(Executor::new(device, &options).expect("executor"));
        let texture = b.image(color_desc(Format::Rgba8Unorm, 4, 4));
        let targets: Vec<_> = (0..4).map(|_| b.image(color_desc(Format::Rgba8Unorm, 16, 16))).collect();
        let mut counts = Vec::new();
        for n in 0..12 {
            frame(&mut b, texture, &targets, n == 0);
            let before = super::COUNT.with(std::cell::Cell::get);
            let submitted = b.executor.execute(&b.world).expect("execute");
            let after = super::COUNT.with(std::cell::Cell::get);
            counts.push(after - before);
            assert_eq!(submitted.counters.draws, 80);
            b.clear_tables();
            b.executor.completions().for_each(drop);
            b.executor.pass_times().for_each(drop);
        }
        assert_eq!(counts[6..], [0; 6], "{counts:?}");
    }
}
