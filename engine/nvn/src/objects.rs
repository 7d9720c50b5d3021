//! Layouts of the API's objects in guest memory. They are ours; only their sizes are the API's, and ours never exceed them.
//!
//! Bytes are deterministic: the same calls give the same bytes, so that titles may compare and hash objects (row R-004). A `tag` tells an initialised
//! object from memory that merely looks like one.

use crate::call::{Call, CallError};
use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use nvn_decode::record::{Sampler, TextureRef};

/// An object kept in guest memory.
pub trait Object: NoUninit + AnyBitPattern + Zeroable {
    /// Name for messages.
    const NAME: &'static str;
    /// Value of the tag of an initialised object.
    const TAG: u32;
    /// Bytes that the API gives the object.
    const SIZE: usize;
    /// The tag.
    fn tag(&self) -> u32;
}

/// Reads an object and checks its tag.
///
/// # Errors
/// When it is not mapped or not initialised.
pub fn load<T: Object>(call: &Call<'_>, address: u64) -> Result<T, CallError> {
    let object: T = call.read(address)?;
    if object.tag() == T::TAG { Ok(object) } else { Err(CallError::NotInitialised { what: T::NAME, address }) }
}

/// Reads an object, changes it, writes it back.
///
/// # Errors
/// When it is not mapped or not initialised.
pub fn update<T: Object>(call: &Call<'_>, address: u64, change: impl FnOnce(&mut T)) -> Result<u64, CallError> {
    let mut object: T = load(call, address)?;
    change(&mut object);
    call.write(address, &object)?;
    Ok(0)
}

macro_rules! objects {
    ($( $(#[$doc:meta])* struct $name:ident = $tag:literal, $size:literal { $( $(#[$fdoc:meta])* $field:ident : $ty:ty ),* $(,)? } )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Default, NoUninit, AnyBitPattern)]
            #[repr(C)]
            pub struct $name {
                /// Says that the object is initialised.
                pub tag: u32,
                $( $(#[$fdoc])* pub $field: $ty ),*
            }

            impl Object for $name {
                const NAME: &'static str = stringify!($name);
                const TAG: u32 = u32::from_le_bytes(*$tag);
                const SIZE: usize = $size;
                fn tag(&self) -> u32 { self.tag }
            }

            impl $name {
                /// An initialised object of default values.
                #[must_use]
                pub fn fresh() -> Self { Self { tag: <Self as Object>::TAG, ..Self::default() } }
            }

            const _: () = assert!(size_of::<$name>() <= $size, "larger than the guest's object");
        )*

        /// Name, our size and the API's size of every object: for the table test.
        pub const SIZES: &[(&str, usize, usize)] = &[$((stringify!($name), size_of::<$name>(), $size)),*];
    };
}

objects! {
    /// The device.
    struct Device = b"DEVC", 0x3000 {
        /// Flags of the builder.
        flags: u32,
        /// 0 = lower left, 1 = upper left.
        window_origin: u32,
        /// 0 = near is -w, 1 = near is zero.
        depth_mode: u32,
    }
    /// Device builder.
    struct DeviceBuilder = b"DEVB", 0x40 {
        /// Flags.
        flags: u32,
    }
    /// Queue.
    struct Queue = b"QUEU", 0x2000 {
        /// Ordinal.
        ordinal: u32,
    }
    /// Queue builder.
    struct QueueBuilder = b"QUEB", 0x40 {
        /// Flags.
        flags: u32,
        /// Device.
        device: u64,
        /// Memory.
        memory: u64,
        /// Its bytes.
        memory_size: u64,
        /// Command memory.
        command: u32,
        /// Compute memory.
        compute: u32,
        /// Control memory.
        control: u32,
        /// Flush threshold.
        threshold: u32,
        /// Priority.
        priority: u32,
        /// Zero.
        reserved: u32,
    }
    /// Window.
    struct Window = b"WIND", 0x180 {
        /// Ordinal.
        ordinal: u32,
        /// Native window.
        native: u64,
        /// Present interval.
        interval: u32,
        /// Textures.
        count: u32,
        /// Active textures.
        active: u32,
        /// Next index to acquire.
        next: u32,
        /// Crop.
        crop: [i32; 4],
        /// Textures.
        textures: [u64; 4],
    }
    /// Window builder.
    struct WindowBuilder = b"WINB", 0x40 {
        /// Textures.
        count: u32,
        /// Device.
        device: u64,
        /// Native window.
        native: u64,
        /// Present interval.
        interval: u32,
        /// Active textures; 0 = all.
        active: u32,
        /// Textures (four fit: larger counts are refused).
        textures: [u32; 8],
    }
    /// Memory pool.
    struct MemoryPool = b"POOL", 0x100 {
        /// Ordinal.
        ordinal: u32,
        /// First byte, CPU and GPU.
        address: u64,
        /// Bytes.
        size: u64,
        /// Flags.
        flags: u32,
        /// Zero.
        reserved: u32,
    }
    /// Memory pool builder.
    struct MemoryPoolBuilder = b"POOB", 0x40 {
        /// Flags.
        flags: u32,
        /// Device.
        device: u64,
        /// Storage.
        memory: u64,
        /// Its bytes.
        size: u64,
    }
    /// Texture descriptor pool.
    struct TexturePool = b"TXPL", 0x20 {
        /// Descriptors.
        count: u32,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
    }
    /// Sampler descriptor pool.
    struct SamplerPool = b"SMPL", 0x20 {
        /// Descriptors.
        count: u32,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
    }
    /// Buffer.
    struct Buffer = b"BUFF", 0x30 {
        /// Debug id.
        id: u32,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
        /// Bytes.
        size: u64,
        /// First byte.
        address: u64,
    }
    /// Buffer builder.
    struct BufferBuilder = b"BUFB", 0x40 {
        /// Zero.
        reserved: u32,
        /// Device.
        device: u64,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
        /// Bytes.
        size: u64,
    }
    /// Texture.
    struct Texture = b"TEXT", 0xC0 {
        /// Debug id.
        id: u32,
        /// Memory pool object.
        pool: u64,
        /// First byte of storage.
        address: u64,
        /// By value, with the whole texture as its view.
        value: TextureRef,
    }
    /// Texture builder.
    struct TextureBuilder = b"TEXB", 0x80 {
        /// Flags.
        flags: u32,
        /// Device.
        device: u64,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
        /// Packaged data.
        packaged: u64,
        /// Packaged layout.
        packaged_layout: u64,
        /// Stride of a linear texture.
        stride: u64,
        /// Width, height, depth.
        extent: [u32; 3],
        /// Format.
        format: u32,
        /// Target.
        target: u32,
        /// Levels.
        levels: u32,
        /// Samples.
        samples: u32,
        /// Depth/stencil mode.
        mode: u32,
        /// Component mapping.
        swizzle: [u8; 4],
        /// GL name.
        gl_name: u32,
    }
    /// Texture view. Bits of `set` say which parts were named.
    struct TextureView = b"TEXV", 0x28 {
        /// 1 levels, 2 layers, 4 format, 8 swizzle, 16 depth/stencil mode, 32 target.
        set: u32,
        /// First level, levels.
        levels: [u32; 2],
        /// First layer, layers.
        layers: [u16; 2],
        /// Format.
        format: u32,
        /// Component mapping.
        swizzle: [u8; 4],
        /// Depth/stencil mode.
        mode: u32,
        /// Target.
        target: u32,
    }
    /// Sync.
    struct Sync = b"SYNC", 0x40 {
        /// Zero.
        reserved: u32,
        /// Id.
        id: u64,
    }
    /// Event.
    struct Event = b"EVEN", 0x40 {
        /// Zero.
        reserved: u32,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
    }
    /// Event builder.
    struct EventBuilder = b"EVEB", 0x20 {
        /// Zero.
        reserved: u32,
        /// Memory pool object.
        pool: u64,
        /// Offset in it.
        offset: u64,
    }
    /// Program.
    struct Program = b"PROG", 0x30 {
        /// Id of the last `SetShaders`; 0 = none yet.
        id: u32,
        /// The API's stage bits of its shaders.
        stages: u32,
    }
    /// Command buffer.
    struct CommandBuffer = b"CMDB", 0xA0 {
        /// Row of the recorder's table.
        row: u32,
    }
    /// Sampler builder.
    struct SamplerBuilder = b"SAMB", 0x60 {
        /// Device, as two words to keep the layout packed.
        device: [u32; 2],
        /// Values.
        value: Sampler,
        /// Level snapping.
        lod_snap: f32,
    }
}

/// Sampler: 0x30 bytes hold it all, packed, so that byte comparison is sampler comparison.
#[derive(Debug, Clone, Copy, PartialEq, Default, NoUninit, AnyBitPattern)]
#[repr(C)]
pub struct PackedSampler {
    /// `0x5A` in the low byte, then min, mag, reduction.
    pub head: [u8; 4],
    /// Wrap of s, t, r; border class.
    pub wrap: [u8; 4],
    /// Compare mode, compare function, zero.
    pub compare: [u8; 4],
    /// Smallest and largest level of detail.
    pub lod: [f32; 2],
    /// Bias.
    pub lod_bias: f32,
    /// Anisotropy.
    pub anisotropy: f32,
    /// Border colour words.
    pub border: [u32; 4],
    /// Zero.
    pub reserved: u32,
}

const _: () = assert!(size_of::<PackedSampler>() == 0x30);

impl PackedSampler {
    const HEAD: u8 = 0x5A;

    /// Packs a sampler.
    #[must_use]
    pub fn pack(value: &Sampler) -> Self {
        Self {
            head: [Self::HEAD, value.min_mag[0] as u8, value.min_mag[1] as u8, value.reduction as u8],
            wrap: [value.wrap[0] as u8, value.wrap[1] as u8, value.wrap[2] as u8, value.border_class as u8],
            compare: [value.compare[0] as u8, value.compare[1] as u8, 0, 0],
            lod: value.lod,
            lod_bias: value.lod_bias,
            anisotropy: value.anisotropy,
            border: value.border,
            reserved: 0,
        }
    }

    /// The sampler, or `None` when the bytes were never initialised.
    #[must_use]
    pub fn unpack(&self) -> Option<Sampler> {
        (self.head[0] == Self::HEAD).then(|| Sampler {
            min_mag: [u32::from(self.head[1]), u32::from(self.head[2])],
            reduction: u32::from(self.head[3]),
            wrap: [u32::from(self.wrap[0]), u32::from(self.wrap[1]), u32::from(self.wrap[2])],
            border_class: u32::from(self.wrap[3]),
            compare: [u32::from(self.compare[0]), u32::from(self.compare[1])],
            lod: self.lod,
            lod_bias: self.lod_bias,
            anisotropy: self.anisotropy,
            border: self.border,
        })
    }
}
