//! The API from Rust: the very calls that a guest makes, over memory of its own. Scenes and tests are written with it.

use crate::call::Call;
use crate::device::{GpuSink, Nvn, Options};
use crate::table;
use bytemuck::NoUninit;
use nvn_decode::memory::{GuestRead, GuestWrite, MemoryFault, WriteTracking};
use nvn_decode::record::Region;
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

const PAGE: u64 = 0x1000;

/// A run of memory at a guest address, with exact tracking of written pages.
#[derive(Debug)]
pub struct ScratchMemory {
    base: u64,
    state: Mutex<ScratchState>,
}

#[derive(Debug)]
struct ScratchState {
    bytes: Vec<u8>,
    /// Per page: tracked and written since.
    dirty: Vec<bool>,
}

impl ScratchMemory {
    /// `size` zero bytes at `base`; both multiples of 4096.
    #[must_use]
    pub fn new(base: u64, size: usize) -> Self {
        let pages = size.div_ceil(PAGE as usize);
        Self { base, state: Mutex::new(ScratchState { bytes: vec![0; size], dirty: vec![true; pages] }) }
    }

    /// Address of the first byte.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    fn with<R>(
        &self,
        address: u64,
        length: u64,
        run: impl FnOnce(&mut ScratchState, usize) -> R,
    ) -> Result<R, MemoryFault> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = MemoryFault { address, length };
        let first = address.checked_sub(self.base).ok_or(fault.clone())?;
        let end = first.checked_add(length).ok_or(fault.clone())?;
        if end > state.bytes.len() as u64 {
            return Err(fault);
        }
        Ok(run(&mut state, first as usize))
    }
}

impl GuestRead for ScratchMemory {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.with(address, out.len() as u64, |state, at| out.copy_from_slice(&state.bytes[at..at + out.len()]))
    }
}

impl GuestWrite for ScratchMemory {
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.with(address, bytes.len() as u64, |state, at| {
            state.bytes[at..at + bytes.len()].copy_from_slice(bytes);
            if !bytes.is_empty() {
                let pages = at / PAGE as usize..=(at + bytes.len() - 1) / PAGE as usize;
                state.dirty[pages].fill(true);
            }
        })
    }
}

impl WriteTracking for ScratchMemory {
    fn track(&self, address: u64, length: u64) -> Result<(), MemoryFault> {
        self.take_dirty(address, length, &mut Vec::new())
    }

    fn take_dirty(&self, address: u64, length: u64, out: &mut Vec<u64>) -> Result<(), MemoryFault> {
        self.with(address, length, |state, at| {
            let pages = at / PAGE as usize..(at + length as usize).div_ceil(PAGE as usize);
            for page in pages {
                if std::mem::take(&mut state.dirty[page]) {
                    out.push(self.base + page as u64 * PAGE);
                }
            }
        })
    }
}

/// Makes API calls as a guest would.
#[derive(Debug)]
pub struct Recorder {
    nvn: Nvn,
    memory: Arc<ScratchMemory>,
    top: Cell<u64>,
    device: u64,
    queue: u64,
}

/// A memory pool of a [`Recorder`].
#[derive(Debug, Clone, Copy)]
pub struct Pool {
    /// The pool object.
    pub object: u64,
    /// Its first byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
}

/// What a texture of a [`Recorder`] is made from; numbers are the API's.
#[derive(Debug, Clone, Copy)]
pub struct TextureSpec {
    /// Format.
    pub format: u32,
    /// Target.
    pub target: u32,
    /// Width, height, depth or layers.
    pub extent: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Flags.
    pub flags: u32,
    /// Component mapping; `None` = identity.
    pub swizzle: Option<[u32; 4]>,
}

impl TextureSpec {
    /// A 2D texture of one level.
    #[must_use]
    pub fn d2(format: u32, width: u32, height: u32) -> Self {
        Self { format, target: 1, extent: [width, height, 1], levels: 1, flags: 0, swizzle: None }
    }
}

/// Parts of a view of a [`Recorder`]; `None` = inherited.
#[derive(Debug, Clone, Copy, Default)]
pub struct ViewSpec {
    /// Format.
    pub format: Option<u32>,
    /// Target.
    pub target: Option<u32>,
    /// First level, levels.
    pub levels: Option<(u32, u32)>,
    /// First layer, layers.
    pub layers: Option<(u32, u32)>,
    /// Component mapping.
    pub swizzle: Option<[u32; 4]>,
    /// 1 = stencil.
    pub depth_stencil_mode: Option<u32>,
}

impl Recorder {
    /// A device and a queue over fresh memory of `size` bytes at `0x50_0000_0000`.
    #[must_use]
    pub fn new(size: usize, sink: Box<dyn GpuSink>) -> Self {
        Self::with_memory(Arc::new(ScratchMemory::new(0x50_0000_0000, size)), sink)
    }

    /// The same over memory that others (the decoder) share.
    #[must_use]
    pub fn with_memory(memory: Arc<ScratchMemory>, sink: Box<dyn GpuSink>) -> Self {
        Self::with_options(memory, sink, Options::default())
    }

    /// The same with an API of these options.
    #[must_use]
    pub fn with_options(memory: Arc<ScratchMemory>, sink: Box<dyn GpuSink>, options: Options) -> Self {
        let base = memory.base();
        let nvn = Nvn::new(options, sink);
        let mut recorder = Self { nvn, memory, top: Cell::new(base), device: 0, queue: 0 };
        let builder = recorder.alloc(0x40, 8);
        recorder.device = recorder.alloc(0x3000, 8);
        recorder.queue = recorder.alloc(0x2000, 8);
        recorder.call("nvnDeviceBuilderSetDefaults", &[builder]);
        recorder.call("nvnDeviceInitialize", &[recorder.device, builder]);
        recorder.call("nvnQueueBuilderSetDevice", &[builder, recorder.device]);
        recorder.call("nvnQueueBuilderSetDefaults", &[builder]);
        recorder.call("nvnQueueInitialize", &[recorder.queue, builder]);
        recorder
    }

    /// The API's state.
    #[must_use]
    pub fn nvn(&self) -> &Nvn {
        &self.nvn
    }

    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &Arc<ScratchMemory> {
        &self.memory
    }

    /// The device object.
    #[must_use]
    pub fn device(&self) -> u64 {
        self.device
    }

    /// The queue object.
    #[must_use]
    pub fn queue(&self) -> u64 {
        self.queue
    }

    /// Takes memory for an object. The recorder never gives memory back; scenes are short.
    pub fn alloc(&self, bytes: u64, alignment: u64) -> u64 {
        let at = self.top.get().next_multiple_of(alignment);
        self.top.set(at + bytes);
        at
    }

    /// Writes values as the guest's CPU does.
    ///
    /// # Panics
    /// When the address is outside the recorder's memory: a mistake of the scene.
    pub fn write<T: NoUninit>(&self, address: u64, values: &[T]) {
        if let Err(fault) = self.memory.write(address, bytemuck::cast_slice(values)) {
            panic!("{fault}: the scene needs more memory");
        }
    }

    /// Takes memory and fills it.
    pub fn place<T: NoUninit>(&self, values: &[T], alignment: u64) -> u64 {
        let at = self.alloc(size_of_val(values) as u64, alignment);
        self.write(at, values);
        at
    }

    /// Calls a function with integer and pointer arguments.
    pub fn call(&self, name: &'static str, x: &[u64]) -> u64 {
        self.call_with_floats(name, x, &[])
    }

    /// Calls a function with integer and float arguments.
    pub fn call_with_floats(&self, name: &'static str, x: &[u64], s: &[f32]) -> u64 {
        self.call_for_both(name, x, s).0
    }

    /// The same for a function that gives a float; 0 when it gives none.
    pub fn call_for_float(&self, name: &'static str, x: &[u64]) -> f32 {
        self.call_for_both(name, x, &[]).1.unwrap_or(0.0)
    }

    fn call_for_both(&self, name: &'static str, x: &[u64], s: &[f32]) -> (u64, Option<f32>) {
        let mut call = Call {
            nvn: &self.nvn,
            memory: &*self.memory,
            x: std::array::from_fn(|n| x.get(n).copied().unwrap_or(0)),
            s: std::array::from_fn(|n| s.get(n).copied().unwrap_or(0.0)),
            float_result: None,
            call_guest: &mut |_, _| 0,
            block: &mut |work| work(),
        };
        let result = table::call(name, &mut call);
        (result, call.float_result)
    }

    /// A pool of `size` bytes (rounded up to pages) with the API's flags.
    pub fn pool(&self, size: u64, flags: u32) -> Pool {
        let size = size.next_multiple_of(PAGE);
        let address = self.alloc(size, 0x1_0000);
        let builder = self.alloc(0x40, 8);
        let object = self.alloc(0x100, 8);
        self.call("nvnMemoryPoolBuilderSetDevice", &[builder, self.device]);
        self.call("nvnMemoryPoolBuilderSetDefaults", &[builder]);
        self.call("nvnMemoryPoolBuilderSetStorage", &[builder, address, size]);
        self.call("nvnMemoryPoolBuilderSetFlags", &[builder, u64::from(flags)]);
        self.call("nvnMemoryPoolInitialize", &[object, builder]);
        Pool { object, address, size }
    }

    /// A texture at an offset of a pool. Returns the object.
    pub fn texture(&self, pool: Pool, offset: u64, spec: TextureSpec) -> u64 {
        let builder = self.texture_builder(spec);
        self.call("nvnTextureBuilderSetStorage", &[builder, pool.object, offset]);
        let object = self.alloc(0xC0, 8);
        self.call("nvnTextureInitialize", &[object, builder]);
        object
    }

    /// Bytes of storage of such a texture.
    pub fn texture_size(&self, spec: TextureSpec) -> u64 {
        let builder = self.texture_builder(spec);
        self.call("nvnTextureBuilderGetStorageSize", &[builder])
    }

    fn texture_builder(&self, spec: TextureSpec) -> u64 {
        let builder = self.alloc(0x80, 8);
        self.call("nvnTextureBuilderSetDevice", &[builder, self.device]);
        self.call("nvnTextureBuilderSetDefaults", &[builder]);
        self.call("nvnTextureBuilderSetTarget", &[builder, spec.target.into()]);
        let [w, h, d] = spec.extent.map(u64::from);
        self.call("nvnTextureBuilderSetSize3D", &[builder, w, h, d]);
        self.call("nvnTextureBuilderSetLevels", &[builder, spec.levels.into()]);
        self.call("nvnTextureBuilderSetFormat", &[builder, spec.format.into()]);
        self.call("nvnTextureBuilderSetFlags", &[builder, spec.flags.into()]);
        if let Some(swizzle) = spec.swizzle {
            let [r, g, b, a] = swizzle.map(u64::from);
            self.call("nvnTextureBuilderSetSwizzle", &[builder, r, g, b, a]);
        }
        builder
    }

    /// A view object.
    pub fn view(&self, spec: ViewSpec) -> u64 {
        let view = self.alloc(0x28, 8);
        self.call("nvnTextureViewSetDefaults", &[view]);
        if let Some(format) = spec.format {
            self.call("nvnTextureViewSetFormat", &[view, format.into()]);
        }
        if let Some(target) = spec.target {
            self.call("nvnTextureViewSetTarget", &[view, target.into()]);
        }
        if let Some((first, count)) = spec.levels {
            self.call("nvnTextureViewSetLevels", &[view, first.into(), count.into()]);
        }
        if let Some((first, count)) = spec.layers {
            self.call("nvnTextureViewSetLayers", &[view, first.into(), count.into()]);
        }
        if let Some(swizzle) = spec.swizzle {
            let [r, g, b, a] = swizzle.map(u64::from);
            self.call("nvnTextureViewSetSwizzle", &[view, r, g, b, a]);
        }
        if let Some(mode) = spec.depth_stencil_mode {
            self.call("nvnTextureViewSetDepthStencilMode", &[view, mode.into()]);
        }
        view
    }

    /// A program from control and code sections, one pair per stage.
    pub fn program(&self, stages: &[(&[u8], &[u8])]) -> u64 {
        let object = self.alloc(0x30, 8);
        self.call("nvnProgramInitialize", &[object, self.device]);
        let data: Vec<u64> =
            stages.iter().flat_map(|(control, code)| [self.place(code, 256), self.place(control, 8)]).collect();
        let data = self.place(&data, 8);
        self.call("nvnProgramSetShaders", &[object, stages.len() as u64, data]);
        object
    }

    /// Uploads tight texels by the CPU into a region of a texture's level 0 (or the view's level).
    pub fn write_texels<T: NoUninit>(&self, texture: u64, view: u64, region: Region, texels: &[T]) {
        let region = self.place(&[region], 4);
        let data = self.place(texels, 16);
        self.call("nvnTextureWriteTexels", &[texture, view, region, data]);
    }

    /// A command buffer with generous memory, recording.
    pub fn begin(&self) -> CommandRecorder<'_> {
        let object = self.alloc(0xA0, 8);
        self.call("nvnCommandBufferInitialize", &[object, self.device]);
        self.call("nvnCommandBufferAddCommandMemory", &[object, 0, 0, 0x100_0000]);
        self.call("nvnCommandBufferAddControlMemory", &[object, 0, 0x100_0000]);
        self.call("nvnCommandBufferBeginRecording", &[object]);
        CommandRecorder { recorder: self, object }
    }

    /// Submits finished lists.
    pub fn submit(&self, handles: &[u64]) {
        let array = self.place(handles, 8);
        self.call("nvnQueueSubmitCommands", &[self.queue, handles.len() as u64, array]);
    }

    /// A window over display textures.
    pub fn window(&self, textures: &[u64]) -> u64 {
        let builder = self.alloc(0x40, 8);
        let object = self.alloc(0x180, 8);
        let array = self.place(textures, 8);
        self.call("nvnWindowBuilderSetDevice", &[builder, self.device]);
        self.call("nvnWindowBuilderSetDefaults", &[builder]);
        self.call("nvnWindowBuilderSetTextures", &[builder, textures.len() as u64, array]);
        self.call("nvnWindowInitialize", &[object, builder]);
        object
    }

    /// Presents a window texture.
    pub fn present(&self, window: u64, index: u32) {
        self.call("nvnQueuePresentTexture", &[self.queue, window, index.into()]);
    }

    /// A fresh object that a `SetDefaults` function initialises (state objects, builders).
    pub fn state(&self, set_defaults: &'static str) -> u64 {
        let object = self.alloc(0x60, 8);
        self.call(set_defaults, &[object]);
        object
    }
}

/// A command buffer of a [`Recorder`].
#[derive(Debug)]
pub struct CommandRecorder<'a> {
    recorder: &'a Recorder,
    /// The command buffer object.
    pub object: u64,
}

impl CommandRecorder<'_> {
    /// Calls a command-buffer function; the object is the first argument.
    pub fn call(&self, name: &'static str, rest: &[u64]) -> u64 {
        self.call_with_floats(name, rest, &[])
    }

    /// The same with float arguments.
    pub fn call_with_floats(&self, name: &'static str, rest: &[u64], s: &[f32]) -> u64 {
        let mut x = vec![self.object];
        x.extend_from_slice(rest);
        self.recorder.call_with_floats(name, &x, s)
    }

    /// Sets render targets: (texture, view or 0) per colour slot, then depth.
    pub fn set_render_targets(&self, colors: &[(u64, u64)], depth: Option<(u64, u64)>) {
        let textures: Vec<u64> = colors.iter().map(|c| c.0).collect();
        let views: Vec<u64> = colors.iter().map(|c| c.1).collect();
        let (textures, views) = (self.recorder.place(&textures, 8), self.recorder.place(&views, 8));
        let (texture, view) = depth.unwrap_or((0, 0));
        self.call("nvnCommandBufferSetRenderTargets", &[colors.len() as u64, textures, views, texture, view]);
    }

    /// Viewport and scissor.
    pub fn set_area(&self, x: i32, y: i32, width: u32, height: u32) {
        let rect = [x as u64, y as u64, width.into(), height.into()];
        self.call("nvnCommandBufferSetViewport", &rect);
        self.call("nvnCommandBufferSetScissor", &rect);
    }

    /// Clears a colour target.
    pub fn clear_color(&self, index: u32, color: [f32; 4], mask: u32) {
        let color = self.recorder.place(&color, 4);
        self.call("nvnCommandBufferClearColor", &[index.into(), color, mask.into()]);
    }

    /// Clears depth and stencil.
    pub fn clear_depth_stencil(&self, depth: f32, depth_mask: bool, stencil: u32, stencil_mask: u32) {
        let rest = [u64::from(depth_mask), stencil.into(), stencil_mask.into()];
        self.call_with_floats("nvnCommandBufferClearDepthStencil", &rest, &[depth]);
    }

    /// Ends recording; returns the handle.
    pub fn end(self) -> u64 {
        self.recorder.call("nvnCommandBufferEndRecording", &[self.object])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::SyncOutcome;
    use nvn_decode::record::{Op, Reader};
    use std::time::Duration;

    #[derive(Default, Clone)]
    struct Tape(Arc<Mutex<Vec<u8>>>);

    impl GpuSink for Tape {
        fn submit(&self, stream: Vec<u8>) {
            self.0.lock().expect("tape").extend(stream);
        }
        fn wait(&self, _: u64, _: u64, _: Duration) -> SyncOutcome {
            SyncOutcome::Already
        }
        fn finish(&self) {}
        fn timestamp(&self) -> u64 {
            7
        }
    }

    fn recorder() -> (Recorder, Tape) {
        let tape = Tape::default();
        (Recorder::new(0x80_0000, Box::new(tape.clone())), tape)
    }

    fn ops(tape: &Tape) -> Vec<Op> {
        let bytes = tape.0.lock().expect("tape").clone();
        Reader::new(&bytes).map(|r| r.expect("whole").op).collect()
    }

    // rows: R-001a, A-033
    #[test]
    fn a_texture_is_captured_by_value_when_it_is_named() {
        let (r, tape) = recorder();
        let pool = r.pool(0x10_0000, 0x21);
        let texture = r.texture(pool, 0, TextureSpec::d2(0x25, 64, 64));
        let commands = r.begin();
        commands.set_render_targets(&[(texture, 0)], None);
        // The title reuses the object's memory before it submits.
        r.write(texture, &[0xFFu8; 0xC0]);
        let list = commands.end();
        r.submit(&[list]);
        let bytes = tape.0.lock().expect("tape").clone();
        let list = Reader::new(&bytes).map(|x| x.expect("whole")).find(|x| x.op == Op::CommandList).expect("a list");
        let target = Reader::new(&list.payload[8..])
            .map(|x| x.expect("whole"))
            .find(|x| x.op == Op::SetRenderTargets)
            .expect("targets");
        let texture: nvn_decode::record::TextureRef = bytemuck::pod_read_unaligned(&target.payload[12..76]);
        assert_eq!((texture.extent, texture.format, texture.pool), ([64, 64, 1], 0x25, 0));
    }

    // rows: R-066b
    #[test]
    fn an_inline_update_keeps_the_bytes_of_the_call() {
        let (r, tape) = recorder();
        let pool = r.pool(0x1000, 0x22);
        let commands = r.begin();
        let data = r.place(&[1u32, 2, 3, 4], 4);
        commands.call("nvnCommandBufferUpdateUniformBuffer", &[pool.address, 256, 16, 16, data]);
        r.write(data, &[9u32; 4]);
        let list = commands.end();
        r.submit(&[list]);
        let bytes = tape.0.lock().expect("tape").clone();
        let list = Reader::new(&bytes).map(|x| x.expect("whole")).find(|x| x.op == Op::CommandList).expect("a list");
        let update = Reader::new(&list.payload[8..]).map(|x| x.expect("whole")).next().expect("one");
        assert_eq!(update.op, Op::UpdateUniformBuffer);
        assert_eq!(&update.payload[32..], bytemuck::cast_slice::<u32, u8>(&[1, 2, 3, 4]));
    }

    #[test]
    fn hostile_arguments_record_nothing_and_keep_going() {
        let (r, tape) = recorder();
        let commands = r.begin();
        assert_eq!(r.call("nvnTextureInitialize", &[0x10, 0x20]), 0);
        assert_eq!(r.call("nvnTextureInitialize", &[r.alloc(0xC0, 8), r.alloc(0x80, 8)]), 0);
        commands.call("nvnCommandBufferBindUniformBuffer", &[9, 0, 0, 0]);
        commands.call("nvnCommandBufferBindUniformBuffer", &[0, u64::MAX, 0, 0]);
        commands.call("nvnCommandBufferClearColor", &[0, 1, 15]);
        commands.call("nvnCommandBufferSetRenderTargets", &[8, u64::MAX - 7, 0, 0, 0]);
        let list = commands.end();
        r.submit(&[list]);
        let bytes = tape.0.lock().expect("tape").clone();
        let list = Reader::new(&bytes).map(|x| x.expect("whole")).find(|x| x.op == Op::CommandList).expect("a list");
        assert_eq!(list.payload.len(), 8, "no command was recorded");
        assert!(ops(&tape).contains(&Op::Submit));
    }

    #[test]
    fn every_function_survives_null_and_garbage() {
        let (r, _) = recorder();
        let garbage = r.place(&[0xA5u8; 0x400], 16);
        for name in table::names() {
            for x in [0, garbage, u64::MAX, 0x50_0000_0000 + 0x80_0000 - 4] {
                r.call_with_floats(name, &[x; 8], &[f32::NAN; 8]);
            }
        }
    }

    #[test]
    fn device_survives_set_defaults_in_either_order() {
        let (r, _) = recorder();
        let builder = r.alloc(0x40, 8);
        r.call("nvnMemoryPoolBuilderSetDevice", &[builder, 0x1234]);
        r.call("nvnMemoryPoolBuilderSetDefaults", &[builder]);
        let mut device = [0u8; 8];
        r.memory().read(builder + 8, &mut device).expect("mapped");
        assert_eq!(u64::from_le_bytes(device), 0x1234);
    }

    #[test]
    fn builders_tell_what_they_were_told() {
        let (r, _) = recorder();
        let word = |address: u64| {
            let mut bytes = [0u8; 4];
            r.memory().read(address, &mut bytes).expect("mapped");
            u32::from_le_bytes(bytes)
        };
        let (builder, out) = (r.alloc(0x60, 8), r.alloc(16, 4));
        r.call("nvnSamplerBuilderSetDefaults", &[builder]);
        r.call("nvnSamplerBuilderSetDevice", &[builder, 0x71_2345_6789]);
        r.call("nvnSamplerBuilderSetMinMagFilter", &[builder, 5, 1]);
        r.call("nvnSamplerBuilderSetWrapMode", &[builder, 1, 2, 3]);
        r.call_with_floats("nvnSamplerBuilderSetLodBias", &[builder], &[0.75]);
        r.call_with_floats("nvnSamplerBuilderSetMaxAnisotropy", &[builder], &[8.0]);
        let border = r.place(&[0.25f32, 0.5, 0.75, 1.0], 4);
        r.call("nvnSamplerBuilderSetBorderColor", &[builder, border]);
        assert_eq!(r.call("nvnSamplerBuilderGetDevice", &[builder]), 0x71_2345_6789);
        r.call("nvnSamplerBuilderGetMinMagFilter", &[builder, out, out + 4]);
        assert_eq!((word(out), word(out + 4)), (5, 1));
        r.call("nvnSamplerBuilderGetWrapMode", &[builder, out, out + 4, out + 8]);
        assert_eq!((word(out), word(out + 4), word(out + 8)), (1, 2, 3));
        assert_eq!(r.call_for_float("nvnSamplerBuilderGetLodBias", &[builder]), 0.75);
        let sampler = r.alloc(0x30, 8);
        r.call("nvnSamplerInitialize", &[sampler, builder]);
        assert_eq!(r.call_for_float("nvnSamplerGetMaxAnisotropy", &[sampler]), 8.0);
        r.call("nvnSamplerGetBorderColor", &[sampler, out]);
        assert_eq!((word(out), word(out + 12)), (0.25f32.to_bits(), 1f32.to_bits()));

        let queue = r.alloc(0x40, 8);
        r.call("nvnQueueBuilderSetDefaults", &[queue]);
        r.call("nvnQueueBuilderSetComputeMemorySize", &[queue, 0x8_0000]);
        r.call("nvnQueueBuilderSetQueueMemory", &[queue, 0x5000, 0x9000]);
        assert_eq!(r.call("nvnQueueBuilderGetComputeMemorySize", &[queue]), 0x8_0000);
        assert_eq!(r.call("nvnQueueBuilderGetMemory", &[queue]), 0x5000);
        assert_eq!(r.call("nvnQueueBuilderGetMemorySize", &[queue]), 0x9000);

        let window = r.alloc(0x40, 8);
        r.call("nvnWindowBuilderSetDefaults", &[window]);
        let textures = r.place(&[0x71_0000_1000u64, 0x71_0000_2000], 8);
        r.call("nvnWindowBuilderSetTextures", &[window, 2, textures]);
        assert_eq!(r.call("nvnWindowBuilderGetNumTextures", &[window]), 2);
        assert_eq!(r.call("nvnWindowBuilderGetTexture", &[window, 1]), 0x71_0000_2000);
        assert_eq!(r.call("nvnWindowBuilderGetTexture", &[window, 2]), 0, "there is no third");
        assert_eq!(r.call("nvnWindowBuilderGetNumActiveTextures", &[window]), 2);

        let blend = r.alloc(8, 8);
        r.call("nvnBlendStateSetDefaults", &[blend]);
        r.call("nvnBlendStateSetAdvancedMode", &[blend, 3]);
        assert_eq!(r.call("nvnBlendStateGetAdvancedMode", &[blend]), 3);
    }

    #[test]
    fn texels_written_by_the_cpu_are_read_back() {
        let (r, _) = recorder();
        let pool = r.pool(0x10_0000, 0x24);
        let texture = r.texture(pool, 0, TextureSpec { levels: 3, ..TextureSpec::d2(0x25, 40, 24) });
        let view = r.view(ViewSpec { levels: Some((1, 1)), ..ViewSpec::default() });
        let region = Region { offset: [3, 2, 0], extent: [10, 7, 1] };
        let texels: Vec<u32> = (0..70).collect();
        r.write_texels(texture, view, region, &texels);
        let (region, out) = (r.place(&[region], 4), r.alloc(280, 16));
        r.call("nvnTextureReadTexels", &[texture, view, region, out]);
        let mut back = vec![0u8; 280];
        r.memory().read(out, &mut back).expect("mapped");
        assert_eq!(bytemuck::cast_slice::<u8, u32>(&back), texels);
    }

    #[test]
    fn objects_fit_where_the_api_puts_them() {
        for (name, ours, apis) in crate::objects::SIZES {
            assert!(ours <= apis, "{name}: {ours:#x} bytes in {apis:#x}");
        }
    }
}
