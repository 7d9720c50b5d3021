/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NVN_H
#define NVN_H

#include <stddef.h>
#include <stdint.h>

typedef uint8_t NVNboolean;
typedef uint64_t NVNbufferAddress;
typedef uint64_t NVNtextureAddress;
typedef uint64_t NVNtextureHandle;
typedef uint64_t NVNimageHandle;
typedef uint64_t NVNcommandHandle;
typedef int NVNdebugDomainId;
typedef int NVNstorageClass;
typedef void* NVNnativeWindow;
typedef struct NVNqueueErrorInfo NVNqueueErrorInfo;
typedef struct NVNmappingRequest NVNmappingRequest;
typedef struct NVNtextureSparseTileLayout NVNtextureSparseTileLayout;
typedef struct NVNdrawTextureRegion NVNdrawTextureRegion;

typedef enum NVNdeviceInfo {
    NVN_DEVICE_INFO_API_MAJOR_VERSION = 0x0,
    NVN_DEVICE_INFO_API_MINOR_VERSION = 0x1,
    NVN_DEVICE_INFO_UNIFORM_BUFFER_BINDINGS_PER_STAGE = 0x2,
    NVN_DEVICE_INFO_MAX_UNIFORM_BUFFER_SIZE = 0x3,
    NVN_DEVICE_INFO_UNIFORM_BUFFER_ALIGNMENT = 0x4,
    NVN_DEVICE_INFO_COLOR_BUFFER_BINDINGS = 0x5,
    NVN_DEVICE_INFO_VERTEX_BUFFER_BINDINGS = 0x6,
    NVN_DEVICE_INFO_TRANSFORM_FEEDBACK_BUFFER_BINDINGS = 0x7,
    NVN_DEVICE_INFO_SHADER_STORAGE_BUFFER_BINDINGS_PER_STAGE = 0x8,
    NVN_DEVICE_INFO_TEXTURE_BINDINGS_PER_STAGE = 0x9,
    NVN_DEVICE_INFO_COUNTER_ALIGNMENT = 0xA,
    NVN_DEVICE_INFO_TRANSFORM_FEEDBACK_BUFFER_ALIGNMENT = 0xB,
    NVN_DEVICE_INFO_TRANSFORM_FEEDBACK_CONTROL_ALIGNMENT = 0xC,
    NVN_DEVICE_INFO_INDIRECT_DRAW_ALIGNMENT = 0xD,
    NVN_DEVICE_INFO_VERTEX_ATTRIBUTES = 0xE,
    NVN_DEVICE_INFO_TEXTURE_DESCRIPTOR_SIZE = 0xF,
    NVN_DEVICE_INFO_SAMPLER_DESCRIPTOR_SIZE = 0x10,
    NVN_DEVICE_INFO_RESERVED_TEXTURE_DESCRIPTORS = 0x11,
    NVN_DEVICE_INFO_RESERVED_SAMPLER_DESCRIPTORS = 0x12,
    NVN_DEVICE_INFO_COMMAND_BUFFER_COMMAND_ALIGNMENT = 0x13,
    NVN_DEVICE_INFO_COMMAND_BUFFER_CONTROL_ALIGNMENT = 0x14,
    NVN_DEVICE_INFO_COMMAND_BUFFER_MIN_COMMAND_SIZE = 0x15,
    NVN_DEVICE_INFO_COMMAND_BUFFER_MIN_CONTROL_SIZE = 0x16,
    NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_SCALE_FACTOR_MINIMUM = 0x17,
    NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_SCALE_FACTOR_RECOMMENDED = 0x18,
    NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_ALIGNMENT = 0x19,
    NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_GRANULARITY = 0x1A,
    NVN_DEVICE_INFO_MAX_TEXTURE_ANISOTROPY = 0x1B,
    NVN_DEVICE_INFO_MAX_COMPUTE_WORK_GROUP_SIZE_X = 0x1C,
    NVN_DEVICE_INFO_MAX_COMPUTE_WORK_GROUP_SIZE_Y = 0x1D,
    NVN_DEVICE_INFO_MAX_COMPUTE_WORK_GROUP_SIZE_Z = 0x1E,
    NVN_DEVICE_INFO_MAX_COMPUTE_WORK_GROUP_SIZE_THREADS = 0x1F,
    NVN_DEVICE_INFO_MAX_COMPUTE_DISPATCH_WORK_GROUPS_X = 0x20,
    NVN_DEVICE_INFO_MAX_COMPUTE_DISPATCH_WORK_GROUPS_Y = 0x21,
    NVN_DEVICE_INFO_MAX_COMPUTE_DISPATCH_WORK_GROUPS_Z = 0x22,
    NVN_DEVICE_INFO_IMAGE_BINDINGS_PER_STAGE = 0x23,
    NVN_DEVICE_INFO_MAX_TEXTURE_POOL_SIZE = 0x24,
    NVN_DEVICE_INFO_MAX_SAMPLER_POOL_SIZE = 0x25,
    NVN_DEVICE_INFO_MAX_VIEWPORTS = 0x26,
    NVN_DEVICE_INFO_MEMPOOL_TEXTURE_OBJECT_PAGE_ALIGNMENT = 0x27,
    NVN_DEVICE_INFO_SUPPORTS_MIN_MAX_FILTERING = 0x28,
    NVN_DEVICE_INFO_SUPPORTS_STENCIL8_FORMAT = 0x29,
    NVN_DEVICE_INFO_SUPPORTS_ASTC_FORMATS = 0x2A,
    NVN_DEVICE_INFO_L2_SIZE = 0x2B,
    NVN_DEVICE_INFO_MAX_TEXTURE_LEVELS = 0x2C,
    NVN_DEVICE_INFO_MAX_TEXTURE_LAYERS = 0x2D,
    NVN_DEVICE_INFO_GLSLC_MAX_SUPPORTED_GPU_CODE_MAJOR_VERSION = 0x2E,
    NVN_DEVICE_INFO_GLSLC_MIN_SUPPORTED_GPU_CODE_MAJOR_VERSION = 0x2F,
    NVN_DEVICE_INFO_GLSLC_MAX_SUPPORTED_GPU_CODE_MINOR_VERSION = 0x30,
    NVN_DEVICE_INFO_GLSLC_MIN_SUPPORTED_GPU_CODE_MINOR_VERSION = 0x31,
    NVN_DEVICE_INFO_SUPPORTS_CONSERVATIVE_RASTER = 0x32,
    NVN_DEVICE_INFO_SUBPIXEL_BITS = 0x33,
    NVN_DEVICE_INFO_MAX_SUBPIXEL_BIAS_BITS = 0x34,
    NVN_DEVICE_INFO_INDIRECT_DISPATCH_ALIGNMENT = 0x35,
    NVN_DEVICE_INFO_ZCULL_SAVE_RESTORE_ALIGNMENT = 0x36,
    NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_COMPUTE_SCALE_FACTOR_MINIMUM = 0x37,
    NVN_DEVICE_INFO_LINEAR_TEXTURE_STRIDE_ALIGNMENT = 0x38,
    NVN_DEVICE_INFO_LINEAR_RENDER_TARGET_STRIDE_ALIGNMENT = 0x39,
    NVN_DEVICE_INFO_MEMORY_POOL_PAGE_SIZE = 0x3A,
    NVN_DEVICE_INFO_SUPPORTS_ZERO_FROM_UNMAPPED_VIRTUAL_POOL_PAGES = 0x3B,
    NVN_DEVICE_INFO_UNIFORM_BUFFER_UPDATE_ALIGNMENT = 0x3C,
    NVN_DEVICE_INFO_MAX_TEXTURE_SIZE = 0x3D,
    NVN_DEVICE_INFO_MAX_BUFFER_TEXTURE_SIZE = 0x3E,
    NVN_DEVICE_INFO_MAX_3D_TEXTURE_SIZE = 0x3F,
    NVN_DEVICE_INFO_MAX_CUBE_MAP_TEXTURE_SIZE = 0x40,
    NVN_DEVICE_INFO_MAX_RECTANGLE_TEXTURE_SIZE = 0x41,
    NVN_DEVICE_INFO_SUPPORTS_PASSTHROUGH_GEOMETRY_SHADERS = 0x42,
    NVN_DEVICE_INFO_SUPPORTS_VIEWPORT_SWIZZLE = 0x43,
    NVN_DEVICE_INFO_SUPPORTS_SPARSE_TILED_PACKAGED_TEXTURES = 0x44,
    NVN_DEVICE_INFO_SUPPORTS_ADVANCED_BLEND_MODES = 0x45,
    NVN_DEVICE_INFO_MAX_PRESENT_INTERVAL = 0x46,
    NVN_DEVICE_INFO_SUPPORTS_DRAW_TEXTURE = 0x47,
    NVN_DEVICE_INFO_SUPPORTS_TARGET_INDEPENDENT_RASTERIZATION = 0x48,
    NVN_DEVICE_INFO_SUPPORTS_FRAGMENT_COVERAGE_TO_COLOR = 0x49,
    NVN_DEVICE_INFO_SUPPORTS_POST_DEPTH_COVERAGE = 0x4A,
    NVN_DEVICE_INFO_SUPPORTS_IMAGES_USING_TEXTURE_HANDLES = 0x4B,
    NVN_DEVICE_INFO_SUPPORTS_SAMPLE_LOCATIONS = 0x4C,
    NVN_DEVICE_INFO_MAX_SAMPLE_LOCATION_TABLE_ENTRIES = 0x4D,
    NVN_DEVICE_INFO_SHADER_CODE_MEMORY_POOL_PADDING_SIZE = 0x4E,
    NVN_DEVICE_INFO_MAX_PATCH_SIZE = 0x4F,
    NVN_DEVICE_INFO_QUEUE_COMMAND_MEMORY_GRANULARITY = 0x50,
    NVN_DEVICE_INFO_QUEUE_COMMAND_MEMORY_MIN_SIZE = 0x51,
    NVN_DEVICE_INFO_QUEUE_COMMAND_MEMORY_DEFAULT_SIZE = 0x52,
    NVN_DEVICE_INFO_QUEUE_COMPUTE_MEMORY_GRANULARITY = 0x53,
    NVN_DEVICE_INFO_QUEUE_COMPUTE_MEMORY_MIN_SIZE = 0x54,
    NVN_DEVICE_INFO_QUEUE_COMPUTE_MEMORY_DEFAULT_SIZE = 0x55,
    NVN_DEVICE_INFO_QUEUE_COMMAND_MEMORY_MIN_FLUSH_THRESHOLD = 0x56,
    NVN_DEVICE_INFO_SUPPORTS_FRAGMENT_SHADER_INTERLOCK = 0x57,
    NVN_DEVICE_INFO_MAX_TEXTURES_PER_WINDOW = 0x58,
    NVN_DEVICE_INFO_MIN_TEXTURES_PER_WINDOW = 0x59,
    NVN_DEVICE_INFO_SUPPORTS_DEBUG_LAYER = 0x5A,
    NVN_DEVICE_INFO_QUEUE_CONTROL_MEMORY_MIN_SIZE = 0x5B,
    NVN_DEVICE_INFO_QUEUE_CONTROL_MEMORY_DEFAULT_SIZE = 0x5C,
    NVN_DEVICE_INFO_QUEUE_CONTROL_MEMORY_GRANULARITY = 0x5D,
    NVN_DEVICE_INFO_SEPARATE_TEXTURE_BINDINGS_PER_STAGE = 0x5E,
    NVN_DEVICE_INFO_SEPARATE_SAMPLER_BINDINGS_PER_STAGE = 0x5F,
    NVN_DEVICE_INFO_DEBUG_GROUPS_MAX_DOMAIN_ID = 0x60,
    NVN_DEVICE_INFO_EVENTS_SUPPORT_REDUCTION_OPERATIONS = 0x61,
} NVNdeviceInfo;

typedef enum NVNdeviceFlagBits {
    NVN_DEVICE_FLAG_DEBUG_ENABLE = 0x1,
    NVN_DEVICE_FLAG_DEBUG_SKIP_CALLS_ON_ERROR = 0x2,
    NVN_DEVICE_FLAG_DEBUG_DRAW_VALIDATION = 0x4,
    NVN_DEVICE_FLAG_DEFERRED_FINALIZE = 0x8,
    NVN_DEVICE_FLAG_DEBUG_DRAW_VALIDATION_HEAVY = 0x10,
    NVN_DEVICE_FLAG_DEBUG_ENABLE_LEVEL_0 = 0x20,
    NVN_DEVICE_FLAG_DEBUG_ENABLE_LEVEL_1 = 0x40,
    NVN_DEVICE_FLAG_DEBUG_ENABLE_LEVEL_2 = 0x1,
    NVN_DEVICE_FLAG_DEBUG_ENABLE_LEVEL_3 = 0x4,
    NVN_DEVICE_FLAG_DEBUG_ENABLE_LEVEL_4 = 0x10,
    NVN_DEVICE_FLAG_DEFERRED_FIRMWARE_MEMORY_RECLAIM = 0x80,
    NVN_DEVICE_FLAG_ENABLE_SEPARATE_SAMPLER_TEXTURE_SUPPORT = 0x100,
} NVNdeviceFlagBits;

typedef enum NVNclearColorMask {
    NVN_CLEAR_COLOR_MASK_R_BIT = 0x1,
    NVN_CLEAR_COLOR_MASK_G_BIT = 0x2,
    NVN_CLEAR_COLOR_MASK_B_BIT = 0x4,
    NVN_CLEAR_COLOR_MASK_A_BIT = 0x8,
    NVN_CLEAR_COLOR_MASK_RGBA = 0xF,
} NVNclearColorMask;

typedef enum NVNdebugCallbackSource {
    NVN_DEBUG_CALLBACK_SOURCE_API = 0x0,
} NVNdebugCallbackSource;

typedef enum NVNdebugCallbackType {
    NVN_DEBUG_CALLBACK_TYPE_API_ERROR = 0x0,
    NVN_DEBUG_CALLBACK_TYPE_API_WARNING = 0x1,
} NVNdebugCallbackType;

typedef enum NVNdebugCallbackSeverity {
    NVN_DEBUG_CALLBACK_SEVERITY_HIGH = 0x0,
    NVN_DEBUG_CALLBACK_SEVERITY_MEDIUM = 0x1,
    NVN_DEBUG_CALLBACK_SEVERITY_LOW = 0x2,
    NVN_DEBUG_CALLBACK_SEVERITY_NOTIFICATION = 0x3,
} NVNdebugCallbackSeverity;

typedef enum NVNwindowOriginMode {
    NVN_WINDOW_ORIGIN_MODE_LOWER_LEFT = 0x0,
    NVN_WINDOW_ORIGIN_MODE_UPPER_LEFT = 0x1,
} NVNwindowOriginMode;

typedef enum NVNdepthMode {
    NVN_DEPTH_MODE_NEAR_IS_MINUS_W = 0x0,
    NVN_DEPTH_MODE_NEAR_IS_ZERO = 0x1,
} NVNdepthMode;

typedef enum NVNformat {
    NVN_FORMAT_NONE = 0x0,
    NVN_FORMAT_R8 = 0x1,
    NVN_FORMAT_R8SN = 0x2,
    NVN_FORMAT_R8UI = 0x3,
    NVN_FORMAT_R8I = 0x4,
    NVN_FORMAT_R16F = 0x5,
    NVN_FORMAT_R16 = 0x6,
    NVN_FORMAT_R16SN = 0x7,
    NVN_FORMAT_R16UI = 0x8,
    NVN_FORMAT_R16I = 0x9,
    NVN_FORMAT_R32F = 0xA,
    NVN_FORMAT_R32UI = 0xB,
    NVN_FORMAT_R32I = 0xC,
    NVN_FORMAT_RG8 = 0xD,
    NVN_FORMAT_RG8SN = 0xE,
    NVN_FORMAT_RG8UI = 0xF,
    NVN_FORMAT_RG8I = 0x10,
    NVN_FORMAT_RG16F = 0x11,
    NVN_FORMAT_RG16 = 0x12,
    NVN_FORMAT_RG16SN = 0x13,
    NVN_FORMAT_RG16UI = 0x14,
    NVN_FORMAT_RG16I = 0x15,
    NVN_FORMAT_RG32F = 0x16,
    NVN_FORMAT_RG32UI = 0x17,
    NVN_FORMAT_RG32I = 0x18,
    NVN_FORMAT_RGB8 = 0x19,
    NVN_FORMAT_RGB8SN = 0x1A,
    NVN_FORMAT_RGB8UI = 0x1B,
    NVN_FORMAT_RGB8I = 0x1C,
    NVN_FORMAT_RGB16F = 0x1D,
    NVN_FORMAT_RGB16 = 0x1E,
    NVN_FORMAT_RGB16SN = 0x1F,
    NVN_FORMAT_RGB16UI = 0x20,
    NVN_FORMAT_RGB16I = 0x21,
    NVN_FORMAT_RGB32F = 0x22,
    NVN_FORMAT_RGB32UI = 0x23,
    NVN_FORMAT_RGB32I = 0x24,
    NVN_FORMAT_RGBA8 = 0x25,
    NVN_FORMAT_RGBA8SN = 0x26,
    NVN_FORMAT_RGBA8UI = 0x27,
    NVN_FORMAT_RGBA8I = 0x28,
    NVN_FORMAT_RGBA16F = 0x29,
    NVN_FORMAT_RGBA16 = 0x2A,
    NVN_FORMAT_RGBA16SN = 0x2B,
    NVN_FORMAT_RGBA16UI = 0x2C,
    NVN_FORMAT_RGBA16I = 0x2D,
    NVN_FORMAT_RGBA32F = 0x2E,
    NVN_FORMAT_RGBA32UI = 0x2F,
    NVN_FORMAT_RGBA32I = 0x30,
    NVN_FORMAT_STENCIL8 = 0x31,
    NVN_FORMAT_DEPTH16 = 0x32,
    NVN_FORMAT_DEPTH24 = 0x33,
    NVN_FORMAT_DEPTH32F = 0x34,
    NVN_FORMAT_DEPTH24_STENCIL8 = 0x35,
    NVN_FORMAT_DEPTH32F_STENCIL8 = 0x36,
    NVN_FORMAT_RGBX8_SRGB = 0x37,
    NVN_FORMAT_RGBA8_SRGB = 0x38,
    NVN_FORMAT_RGBA4 = 0x39,
    NVN_FORMAT_RGB5 = 0x3A,
    NVN_FORMAT_RGB5A1 = 0x3B,
    NVN_FORMAT_RGB565 = 0x3C,
    NVN_FORMAT_RGB10A2 = 0x3D,
    NVN_FORMAT_RGB10A2UI = 0x3E,
    NVN_FORMAT_R11G11B10F = 0x3F,
    NVN_FORMAT_RGB9E5F = 0x40,
    NVN_FORMAT_RGB_DXT1 = 0x41,
    NVN_FORMAT_RGBA_DXT1 = 0x42,
    NVN_FORMAT_RGBA_DXT3 = 0x43,
    NVN_FORMAT_RGBA_DXT5 = 0x44,
    NVN_FORMAT_RGB_DXT1_SRGB = 0x45,
    NVN_FORMAT_RGBA_DXT1_SRGB = 0x46,
    NVN_FORMAT_RGBA_DXT3_SRGB = 0x47,
    NVN_FORMAT_RGBA_DXT5_SRGB = 0x48,
    NVN_FORMAT_RGTC1_UNORM = 0x49,
    NVN_FORMAT_RGTC1_SNORM = 0x4A,
    NVN_FORMAT_RGTC2_UNORM = 0x4B,
    NVN_FORMAT_RGTC2_SNORM = 0x4C,
    NVN_FORMAT_BPTC_UNORM = 0x4D,
    NVN_FORMAT_BPTC_UNORM_SRGB = 0x4E,
    NVN_FORMAT_BPTC_SFLOAT = 0x4F,
    NVN_FORMAT_BPTC_UFLOAT = 0x50,
    NVN_FORMAT_R8_UI2F = 0x51,
    NVN_FORMAT_R8_I2F = 0x52,
    NVN_FORMAT_R16_UI2F = 0x53,
    NVN_FORMAT_R16_I2F = 0x54,
    NVN_FORMAT_R32_UI2F = 0x55,
    NVN_FORMAT_R32_I2F = 0x56,
    NVN_FORMAT_RG8_UI2F = 0x57,
    NVN_FORMAT_RG8_I2F = 0x58,
    NVN_FORMAT_RG16_UI2F = 0x59,
    NVN_FORMAT_RG16_I2F = 0x5A,
    NVN_FORMAT_RG32_UI2F = 0x5B,
    NVN_FORMAT_RG32_I2F = 0x5C,
    NVN_FORMAT_RGB8_UI2F = 0x5D,
    NVN_FORMAT_RGB8_I2F = 0x5E,
    NVN_FORMAT_RGB16_UI2F = 0x5F,
    NVN_FORMAT_RGB16_I2F = 0x60,
    NVN_FORMAT_RGB32_UI2F = 0x61,
    NVN_FORMAT_RGB32_I2F = 0x62,
    NVN_FORMAT_RGBA8_UI2F = 0x63,
    NVN_FORMAT_RGBA8_I2F = 0x64,
    NVN_FORMAT_RGBA16_UI2F = 0x65,
    NVN_FORMAT_RGBA16_I2F = 0x66,
    NVN_FORMAT_RGBA32_UI2F = 0x67,
    NVN_FORMAT_RGBA32_I2F = 0x68,
    NVN_FORMAT_RGB10A2SN = 0x69,
    NVN_FORMAT_RGB10A2I = 0x6A,
    NVN_FORMAT_RGB10A2_UI2F = 0x6B,
    NVN_FORMAT_RGB10A2_I2F = 0x6C,
    NVN_FORMAT_RGBX8 = 0x6D,
    NVN_FORMAT_RGBX8SN = 0x6E,
    NVN_FORMAT_RGBX8UI = 0x6F,
    NVN_FORMAT_RGBX8I = 0x70,
    NVN_FORMAT_RGBX16F = 0x71,
    NVN_FORMAT_RGBX16 = 0x72,
    NVN_FORMAT_RGBX16SN = 0x73,
    NVN_FORMAT_RGBX16UI = 0x74,
    NVN_FORMAT_RGBX16I = 0x75,
    NVN_FORMAT_RGBX32F = 0x76,
    NVN_FORMAT_RGBX32UI = 0x77,
    NVN_FORMAT_RGBX32I = 0x78,
    NVN_FORMAT_RGBA_ASTC_4x4 = 0x79,
    NVN_FORMAT_RGBA_ASTC_5x4 = 0x7A,
    NVN_FORMAT_RGBA_ASTC_5x5 = 0x7B,
    NVN_FORMAT_RGBA_ASTC_6x5 = 0x7C,
    NVN_FORMAT_RGBA_ASTC_6x6 = 0x7D,
    NVN_FORMAT_RGBA_ASTC_8x5 = 0x7E,
    NVN_FORMAT_RGBA_ASTC_8x6 = 0x7F,
    NVN_FORMAT_RGBA_ASTC_8x8 = 0x80,
    NVN_FORMAT_RGBA_ASTC_10x5 = 0x81,
    NVN_FORMAT_RGBA_ASTC_10x6 = 0x82,
    NVN_FORMAT_RGBA_ASTC_10x8 = 0x83,
    NVN_FORMAT_RGBA_ASTC_10x10 = 0x84,
    NVN_FORMAT_RGBA_ASTC_12x10 = 0x85,
    NVN_FORMAT_RGBA_ASTC_12x12 = 0x86,
    NVN_FORMAT_RGBA_ASTC_4x4_SRGB = 0x87,
    NVN_FORMAT_RGBA_ASTC_5x4_SRGB = 0x88,
    NVN_FORMAT_RGBA_ASTC_5x5_SRGB = 0x89,
    NVN_FORMAT_RGBA_ASTC_6x5_SRGB = 0x8A,
    NVN_FORMAT_RGBA_ASTC_6x6_SRGB = 0x8B,
    NVN_FORMAT_RGBA_ASTC_8x5_SRGB = 0x8C,
    NVN_FORMAT_RGBA_ASTC_8x6_SRGB = 0x8D,
    NVN_FORMAT_RGBA_ASTC_8x8_SRGB = 0x8E,
    NVN_FORMAT_RGBA_ASTC_10x5_SRGB = 0x8F,
    NVN_FORMAT_RGBA_ASTC_10x6_SRGB = 0x90,
    NVN_FORMAT_RGBA_ASTC_10x8_SRGB = 0x91,
    NVN_FORMAT_RGBA_ASTC_10x10_SRGB = 0x92,
    NVN_FORMAT_RGBA_ASTC_12x10_SRGB = 0x93,
    NVN_FORMAT_RGBA_ASTC_12x12_SRGB = 0x94,
    NVN_FORMAT_BGR565 = 0x95,
    NVN_FORMAT_BGR5 = 0x96,
    NVN_FORMAT_BGR5A1 = 0x97,
    NVN_FORMAT_A1BGR5 = 0x98,
    NVN_FORMAT_BGRX8 = 0x99,
    NVN_FORMAT_BGRA8 = 0x9A,
    NVN_FORMAT_BGRX8_SRGB = 0x9B,
    NVN_FORMAT_BGRA8_SRGB = 0x9C,
} NVNformat;

typedef enum NVNdebugObjectType {
    NVN_DEBUG_OBJECT_TYPE_WINDOW = 0x0,
    NVN_DEBUG_OBJECT_TYPE_QUEUE = 0x1,
    NVN_DEBUG_OBJECT_TYPE_COMMAND_BUFFER = 0x2,
    NVN_DEBUG_OBJECT_TYPE_MEMORY_POOL = 0x3,
    NVN_DEBUG_OBJECT_TYPE_SYNC = 0x7,
    NVN_DEBUG_OBJECT_TYPE_PROGRAM = 0x9,
    NVN_DEBUG_OBJECT_TYPE_TEXTURE_POOL = 0xA,
    NVN_DEBUG_OBJECT_TYPE_SAMPLER_POOL = 0xB,
} NVNdebugObjectType;

typedef enum NVNqueueGetErrorResult {
    NVN_QUEUE_GET_ERROR_RESULT_GPU_NO_ERROR = 0x0,
    NVN_QUEUE_GET_ERROR_RESULT_GPU_ERROR_UNKNOWN = 0x1,
    NVN_QUEUE_GET_ERROR_RESULT_GPU_ERROR_MMU_FAULT = 0x2,
    NVN_QUEUE_GET_ERROR_RESULT_GPU_ERROR_PBDMA_EXCEPTION = 0x3,
    NVN_QUEUE_GET_ERROR_RESULT_GPU_ERROR_ENGINE_EXCEPTION = 0x4,
    NVN_QUEUE_GET_ERROR_RESULT_GPU_ERROR_TIMEOUT = 0x5,
} NVNqueueGetErrorResult;

typedef enum NVNqueueBuilderFlags {
    NVN_QUEUE_BUILDER_FLAGS_NONE = 0x0,
    NVN_QUEUE_BUILDER_FLAGS_NO_FRAGMENT_INTERLOCK = 0x1,
    NVN_QUEUE_BUILDER_FLAGS_NO_ZCULL = 0x2,
} NVNqueueBuilderFlags;

typedef enum NVNqueueAcquireTextureResult {
    NVN_QUEUE_ACQUIRE_TEXTURE_RESULT_SUCCESS = 0x0,
    NVN_QUEUE_ACQUIRE_TEXTURE_RESULT_NATIVE_ERROR = 0x1,
} NVNqueueAcquireTextureResult;

typedef enum NVNwindowAcquireTextureResult {
    NVN_WINDOW_ACQUIRE_TEXTURE_RESULT_SUCCESS = 0x0,
    NVN_WINDOW_ACQUIRE_TEXTURE_RESULT_NATIVE_ERROR = 0x1,
} NVNwindowAcquireTextureResult;

typedef enum NVNmemoryPoolFlags {
    NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS = 0x1,
    NVN_MEMORY_POOL_FLAGS_CPU_UNCACHED = 0x2,
    NVN_MEMORY_POOL_FLAGS_CPU_CACHED = 0x4,
    NVN_MEMORY_POOL_FLAGS_GPU_NO_ACCESS = 0x8,
    NVN_MEMORY_POOL_FLAGS_GPU_UNCACHED = 0x10,
    NVN_MEMORY_POOL_FLAGS_GPU_CACHED = 0x20,
    NVN_MEMORY_POOL_FLAGS_SHADER_CODE = 0x40,
    NVN_MEMORY_POOL_FLAGS_COMPRESSIBLE = 0x80,
    NVN_MEMORY_POOL_FLAGS_PHYSICAL = 0x100,
    NVN_MEMORY_POOL_FLAGS_VIRTUAL = 0x200,
} NVNmemoryPoolFlags;

typedef enum NVNtextureSwizzle {
    NVN_TEXTURE_SWIZZLE_ZERO = 0x0,
    NVN_TEXTURE_SWIZZLE_ONE = 0x1,
    NVN_TEXTURE_SWIZZLE_R = 0x2,
    NVN_TEXTURE_SWIZZLE_G = 0x3,
    NVN_TEXTURE_SWIZZLE_B = 0x4,
    NVN_TEXTURE_SWIZZLE_A = 0x5,
} NVNtextureSwizzle;

typedef enum NVNshaderStage {
    NVN_SHADER_STAGE_VERTEX = 0x0,
    NVN_SHADER_STAGE_FRAGMENT = 0x1,
    NVN_SHADER_STAGE_GEOMETRY = 0x2,
    NVN_SHADER_STAGE_TESS_CONTROL = 0x3,
    NVN_SHADER_STAGE_TESS_EVALUATION = 0x4,
    NVN_SHADER_STAGE_COMPUTE = 0x5,
} NVNshaderStage;

typedef enum NVNshaderStageBits {
    NVN_SHADER_STAGE_VERTEX_BIT = 0x1,
    NVN_SHADER_STAGE_FRAGMENT_BIT = 0x2,
    NVN_SHADER_STAGE_GEOMETRY_BIT = 0x4,
    NVN_SHADER_STAGE_TESS_CONTROL_BIT = 0x8,
    NVN_SHADER_STAGE_TESS_EVALUATION_BIT = 0x10,
    NVN_SHADER_STAGE_COMPUTE_BIT = 0x20,
    NVN_SHADER_STAGE_ALL_GRAPHICS_BITS = 0x1F,
} NVNshaderStageBits;

typedef enum NVNeventWaitMode {
    NVN_EVENT_WAIT_MODE_EQUAL = 0x0,
    NVN_EVENT_WAIT_MODE_GEQUAL_WRAP = 0x1,
} NVNeventWaitMode;

typedef enum NVNeventSignalMode {
    NVN_EVENT_SIGNAL_MODE_WRITE = 0x0,
    NVN_EVENT_SIGNAL_MODE_ADD = 0x1,
} NVNeventSignalMode;

typedef enum NVNeventSignalLocation {
    NVN_EVENT_SIGNAL_LOCATION_TOP = 0x0,
    NVN_EVENT_SIGNAL_LOCATION_VERTEX_PIPE = 0x1,
    NVN_EVENT_SIGNAL_LOCATION_BOTTOM = 0x2,
} NVNeventSignalLocation;

typedef enum NVNsyncCondition {
    NVN_SYNC_CONDITION_ALL_GPU_COMMANDS_COMPLETE = 0x0,
    NVN_SYNC_CONDITION_GRAPHICS_WORLD_SPACE_COMPLETE = 0x1,
} NVNsyncCondition;

typedef enum NVNcounterType {
    NVN_COUNTER_TYPE_TIMESTAMP = 0x0,
    NVN_COUNTER_TYPE_SAMPLES_PASSED = 0x1,
    NVN_COUNTER_TYPE_INPUT_VERTICES = 0x2,
    NVN_COUNTER_TYPE_INPUT_PRIMITIVES = 0x3,
    NVN_COUNTER_TYPE_VERTEX_SHADER_INVOCATIONS = 0x4,
    NVN_COUNTER_TYPE_TESS_CONTROL_SHADER_INVOCATIONS = 0x5,
    NVN_COUNTER_TYPE_TESS_EVALUATION_SHADER_INVOCATIONS = 0x6,
    NVN_COUNTER_TYPE_GEOMETRY_SHADER_INVOCATIONS = 0x7,
    NVN_COUNTER_TYPE_FRAGMENT_SHADER_INVOCATIONS = 0x8,
    NVN_COUNTER_TYPE_TESS_EVALUATION_SHADER_PRIMITIVES = 0x9,
    NVN_COUNTER_TYPE_GEOMETRY_SHADER_PRIMITIVES = 0xA,
    NVN_COUNTER_TYPE_CLIPPER_INPUT_PRIMITIVES = 0xB,
    NVN_COUNTER_TYPE_CLIPPER_OUTPUT_PRIMITIVES = 0xC,
    NVN_COUNTER_TYPE_PRIMITIVES_GENERATED = 0xD,
    NVN_COUNTER_TYPE_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN = 0xE,
    NVN_COUNTER_TYPE_ZCULL_STATS = 0xF,
    NVN_COUNTER_TYPE_TIMESTAMP_TOP = 0x10,
} NVNcounterType;

typedef enum NVNface {
    NVN_FACE_NONE = 0x0,
    NVN_FACE_FRONT = 0x1,
    NVN_FACE_BACK = 0x2,
    NVN_FACE_FRONT_AND_BACK = 0x3,
} NVNface;

typedef enum NVNcommandBufferMemoryEvent {
    NVN_COMMAND_BUFFER_MEMORY_EVENT_OUT_OF_COMMAND_MEMORY = 0x0,
    NVN_COMMAND_BUFFER_MEMORY_EVENT_OUT_OF_CONTROL_MEMORY = 0x1,
} NVNcommandBufferMemoryEvent;

typedef enum NVNdrawPrimitive {
    NVN_DRAW_PRIMITIVE_POINTS = 0x0,
    NVN_DRAW_PRIMITIVE_LINES = 0x1,
    NVN_DRAW_PRIMITIVE_LINE_LOOP = 0x2,
    NVN_DRAW_PRIMITIVE_LINE_STRIP = 0x3,
    NVN_DRAW_PRIMITIVE_TRIANGLES = 0x4,
    NVN_DRAW_PRIMITIVE_TRIANGLE_STRIP = 0x5,
    NVN_DRAW_PRIMITIVE_TRIANGLE_FAN = 0x6,
    NVN_DRAW_PRIMITIVE_QUADS = 0x7,
    NVN_DRAW_PRIMITIVE_QUAD_STRIP = 0x8,
    NVN_DRAW_PRIMITIVE_POLYGON = 0x9,
    NVN_DRAW_PRIMITIVE_LINES_ADJACENCY = 0xA,
    NVN_DRAW_PRIMITIVE_LINE_STRIP_ADJACENCY = 0xB,
    NVN_DRAW_PRIMITIVE_TRIANGLES_ADJACENCY = 0xC,
    NVN_DRAW_PRIMITIVE_TRIANGLE_STRIP_ADJACENCY = 0xD,
    NVN_DRAW_PRIMITIVE_PATCHES = 0xE,
} NVNdrawPrimitive;

typedef enum NVNindexType {
    NVN_INDEX_TYPE_UNSIGNED_BYTE = 0x0,
    NVN_INDEX_TYPE_UNSIGNED_SHORT = 0x1,
    NVN_INDEX_TYPE_UNSIGNED_INT = 0x2,
} NVNindexType;

typedef enum NVNtextureFlags {
    NVN_TEXTURE_FLAGS_DISPLAY = 0x1,
    NVN_TEXTURE_FLAGS_VIDEO_DECODE = 0x2,
    NVN_TEXTURE_FLAGS_IMAGE = 0x4,
    NVN_TEXTURE_FLAGS_COMPRESSIBLE = 0x8,
    NVN_TEXTURE_FLAGS_LINEAR = 0x10,
    NVN_TEXTURE_FLAGS_SPARSE = 0x20,
    NVN_TEXTURE_FLAGS_LINEAR_RENDER_TARGET = 0x40,
    NVN_TEXTURE_FLAGS_ADAPTIVE_ZCULL = 0x80,
    NVN_TEXTURE_FLAGS_DEPTH16_PREFER_FAST_CLEAR = 0x100,
    NVN_TEXTURE_FLAGS_MINIMAL_LAYOUT = 0x200,
    NVN_TEXTURE_FLAGS_ZCULL_SUPPORT_STENCIL = 0x400,
} NVNtextureFlags;

typedef enum NVNbarrierBits {
    NVN_BARRIER_ORDER_PRIMITIVES_BIT = 0x1,
    NVN_BARRIER_ORDER_FRAGMENTS_BIT = 0x2,
    NVN_BARRIER_ORDER_FRAGMENTS_TILED_BIT = 0x4,
    NVN_BARRIER_ORDER_INDIRECT_DATA_BIT = 0x8,
    NVN_BARRIER_INVALIDATE_TEXTURE_BIT = 0x10,
    NVN_BARRIER_INVALIDATE_SHADER_BIT = 0x20,
    NVN_BARRIER_INVALIDATE_TEXTURE_DESCRIPTOR_BIT = 0x40,
    NVN_BARRIER_INVALIDATE_ZCULL_BIT = 0x80,
    NVN_BARRIER_INVALIDATE_L2_CACHE_BIT = 0x100,
} NVNbarrierBits;

typedef enum NVNtextureTarget {
    NVN_TEXTURE_TARGET_1D = 0x0,
    NVN_TEXTURE_TARGET_2D = 0x1,
    NVN_TEXTURE_TARGET_3D = 0x2,
    NVN_TEXTURE_TARGET_1D_ARRAY = 0x3,
    NVN_TEXTURE_TARGET_2D_ARRAY = 0x4,
    NVN_TEXTURE_TARGET_2D_MULTISAMPLE = 0x5,
    NVN_TEXTURE_TARGET_2D_MULTISAMPLE_ARRAY = 0x6,
    NVN_TEXTURE_TARGET_RECTANGLE = 0x7,
    NVN_TEXTURE_TARGET_CUBEMAP = 0x8,
    NVN_TEXTURE_TARGET_CUBEMAP_ARRAY = 0x9,
    NVN_TEXTURE_TARGET_BUFFER = 0xA,
} NVNtextureTarget;

typedef enum NVNtextureDepthStencilMode {
    NVN_TEXTURE_DEPTH_STENCIL_MODE_DEPTH = 0x0,
    NVN_TEXTURE_DEPTH_STENCIL_MODE_STENCIL = 0x1,
} NVNtextureDepthStencilMode;

typedef enum NVNlogicOp {
    NVN_LOGIC_OP_CLEAR = 0x0,
    NVN_LOGIC_OP_AND = 0x1,
    NVN_LOGIC_OP_AND_REVERSE = 0x2,
    NVN_LOGIC_OP_COPY = 0x3,
    NVN_LOGIC_OP_AND_INVERTED = 0x4,
    NVN_LOGIC_OP_NOOP = 0x5,
    NVN_LOGIC_OP_XOR = 0x6,
    NVN_LOGIC_OP_OR = 0x7,
    NVN_LOGIC_OP_NOR = 0x8,
    NVN_LOGIC_OP_EQUIV = 0x9,
    NVN_LOGIC_OP_INVERT = 0xA,
    NVN_LOGIC_OP_OR_REVERSE = 0xB,
    NVN_LOGIC_OP_COPY_INVERTED = 0xC,
    NVN_LOGIC_OP_OR_INVERTED = 0xD,
    NVN_LOGIC_OP_NAND = 0xE,
    NVN_LOGIC_OP_SET = 0xF,
} NVNlogicOp;

typedef enum NVNalphaFunc {
    NVN_ALPHA_FUNC_NEVER = 0x1,
    NVN_ALPHA_FUNC_LESS = 0x2,
    NVN_ALPHA_FUNC_EQUAL = 0x3,
    NVN_ALPHA_FUNC_LEQUAL = 0x4,
    NVN_ALPHA_FUNC_GREATER = 0x5,
    NVN_ALPHA_FUNC_NOTEQUAL = 0x6,
    NVN_ALPHA_FUNC_GEQUAL = 0x7,
    NVN_ALPHA_FUNC_ALWAYS = 0x8,
} NVNalphaFunc;

typedef enum NVNblendAdvancedMode {
    NVN_BLEND_ADVANCED_MODE_NONE = 0x0,
    NVN_BLEND_ADVANCED_MODE_ZERO = 0x5,
    NVN_BLEND_ADVANCED_MODE_SRC = 0x6,
    NVN_BLEND_ADVANCED_MODE_DST = 0x7,
    NVN_BLEND_ADVANCED_MODE_SRC_OVER = 0x8,
    NVN_BLEND_ADVANCED_MODE_DST_OVER = 0x9,
    NVN_BLEND_ADVANCED_MODE_SRC_IN = 0xA,
    NVN_BLEND_ADVANCED_MODE_DST_IN = 0xB,
    NVN_BLEND_ADVANCED_MODE_SRC_OUT = 0xC,
    NVN_BLEND_ADVANCED_MODE_DST_OUT = 0xD,
    NVN_BLEND_ADVANCED_MODE_SRC_ATOP = 0xE,
    NVN_BLEND_ADVANCED_MODE_DST_ATOP = 0xF,
    NVN_BLEND_ADVANCED_MODE_XOR = 0x10,
    NVN_BLEND_ADVANCED_MODE_PLUS = 0x11,
    NVN_BLEND_ADVANCED_MODE_PLUS_CLAMPED = 0x12,
    NVN_BLEND_ADVANCED_MODE_PLUS_CLAMPED_ALPHA = 0x13,
    NVN_BLEND_ADVANCED_MODE_PLUS_DARKER = 0x14,
    NVN_BLEND_ADVANCED_MODE_MULTIPLY = 0x15,
    NVN_BLEND_ADVANCED_MODE_SCREEN = 0x16,
    NVN_BLEND_ADVANCED_MODE_OVERLAY = 0x17,
    NVN_BLEND_ADVANCED_MODE_DARKEN = 0x18,
    NVN_BLEND_ADVANCED_MODE_LIGHTEN = 0x19,
    NVN_BLEND_ADVANCED_MODE_COLORDODGE = 0x1A,
    NVN_BLEND_ADVANCED_MODE_COLORBURN = 0x1B,
    NVN_BLEND_ADVANCED_MODE_HARDLIGHT = 0x1C,
    NVN_BLEND_ADVANCED_MODE_SOFTLIGHT = 0x1D,
    NVN_BLEND_ADVANCED_MODE_DIFFERENCE = 0x1E,
    NVN_BLEND_ADVANCED_MODE_MINUS = 0x1F,
    NVN_BLEND_ADVANCED_MODE_MINUS_CLAMPED = 0x20,
    NVN_BLEND_ADVANCED_MODE_EXCLUSION = 0x21,
    NVN_BLEND_ADVANCED_MODE_CONTRAST = 0x22,
    NVN_BLEND_ADVANCED_MODE_INVERT = 0x23,
    NVN_BLEND_ADVANCED_MODE_INVERT_RGB = 0x24,
    NVN_BLEND_ADVANCED_MODE_INVERT_OVG = 0x25,
    NVN_BLEND_ADVANCED_MODE_LINEARDODGE = 0x26,
    NVN_BLEND_ADVANCED_MODE_LINEARBURN = 0x27,
    NVN_BLEND_ADVANCED_MODE_VIVIDLIGHT = 0x28,
    NVN_BLEND_ADVANCED_MODE_LINEARLIGHT = 0x29,
    NVN_BLEND_ADVANCED_MODE_PINLIGHT = 0x2A,
    NVN_BLEND_ADVANCED_MODE_HARDMIX = 0x2B,
    NVN_BLEND_ADVANCED_MODE_RED = 0x2C,
    NVN_BLEND_ADVANCED_MODE_GREEN = 0x2D,
    NVN_BLEND_ADVANCED_MODE_BLUE = 0x2E,
    NVN_BLEND_ADVANCED_MODE_HSL_HUE = 0x2F,
    NVN_BLEND_ADVANCED_MODE_HSL_SATURATION = 0x30,
    NVN_BLEND_ADVANCED_MODE_HSL_COLOR = 0x31,
    NVN_BLEND_ADVANCED_MODE_HSL_LUMINOSITY = 0x32,
} NVNblendAdvancedMode;

typedef enum NVNminFilter {
    NVN_MIN_FILTER_NEAREST = 0x0,
    NVN_MIN_FILTER_LINEAR = 0x1,
    NVN_MIN_FILTER_NEAREST_MIPMAP_NEAREST = 0x2,
    NVN_MIN_FILTER_LINEAR_MIPMAP_NEAREST = 0x3,
    NVN_MIN_FILTER_NEAREST_MIPMAP_LINEAR = 0x4,
    NVN_MIN_FILTER_LINEAR_MIPMAP_LINEAR = 0x5,
} NVNminFilter;

typedef enum NVNmagFilter {
    NVN_MAG_FILTER_NEAREST = 0x0,
    NVN_MAG_FILTER_LINEAR = 0x1,
} NVNmagFilter;

typedef enum NVNwrapMode {
    NVN_WRAP_MODE_CLAMP = 0x0,
    NVN_WRAP_MODE_REPEAT = 0x1,
    NVN_WRAP_MODE_MIRROR_CLAMP = 0x2,
    NVN_WRAP_MODE_MIRROR_CLAMP_TO_EDGE = 0x3,
    NVN_WRAP_MODE_MIRROR_CLAMP_TO_BORDER = 0x4,
    NVN_WRAP_MODE_CLAMP_TO_BORDER = 0x5,
    NVN_WRAP_MODE_MIRRORED_REPEAT = 0x6,
    NVN_WRAP_MODE_CLAMP_TO_EDGE = 0x7,
} NVNwrapMode;

typedef enum NVNcompareMode {
    NVN_COMPARE_MODE_NONE = 0x0,
    NVN_COMPARE_MODE_COMPARE_R_TO_TEXTURE = 0x1,
} NVNcompareMode;

typedef enum NVNcompareFunc {
    NVN_COMPARE_FUNC_NEVER = 0x1,
    NVN_COMPARE_FUNC_LESS = 0x2,
    NVN_COMPARE_FUNC_EQUAL = 0x3,
    NVN_COMPARE_FUNC_LEQUAL = 0x4,
    NVN_COMPARE_FUNC_GREATER = 0x5,
    NVN_COMPARE_FUNC_NOTEQUAL = 0x6,
    NVN_COMPARE_FUNC_GEQUAL = 0x7,
    NVN_COMPARE_FUNC_ALWAYS = 0x8,
} NVNcompareFunc;

typedef enum NVNsamplerReduction {
    NVN_SAMPLER_REDUCTION_AVERAGE = 0x0,
    NVN_SAMPLER_REDUCTION_MIN = 0x1,
    NVN_SAMPLER_REDUCTION_MAX = 0x2,
} NVNsamplerReduction;

typedef enum NVNblendFunc {
    NVN_BLEND_FUNC_ZERO = 0x1,
    NVN_BLEND_FUNC_ONE = 0x2,
    NVN_BLEND_FUNC_SRC_COLOR = 0x3,
    NVN_BLEND_FUNC_ONE_MINUS_SRC_COLOR = 0x4,
    NVN_BLEND_FUNC_SRC_ALPHA = 0x5,
    NVN_BLEND_FUNC_ONE_MINUS_SRC_ALPHA = 0x6,
    NVN_BLEND_FUNC_DST_ALPHA = 0x7,
    NVN_BLEND_FUNC_ONE_MINUS_DST_ALPHA = 0x8,
    NVN_BLEND_FUNC_DST_COLOR = 0x9,
    NVN_BLEND_FUNC_ONE_MINUS_DST_COLOR = 0xA,
    NVN_BLEND_FUNC_SRC_ALPHA_SATURATE = 0xB,
    NVN_BLEND_FUNC_SRC1_COLOR = 0x10,
    NVN_BLEND_FUNC_ONE_MINUS_SRC1_COLOR = 0x11,
    NVN_BLEND_FUNC_SRC1_ALPHA = 0x12,
    NVN_BLEND_FUNC_ONE_MINUS_SRC1_ALPHA = 0x13,
    NVN_BLEND_FUNC_CONSTANT_COLOR = 0x61,
    NVN_BLEND_FUNC_ONE_MINUS_CONSTANT_COLOR = 0x62,
    NVN_BLEND_FUNC_CONSTANT_ALPHA = 0x63,
    NVN_BLEND_FUNC_ONE_MINUS_CONSTANT_ALPHA = 0x64,
} NVNblendFunc;

typedef enum NVNblendEquation {
    NVN_BLEND_EQUATION_ADD = 0x1,
    NVN_BLEND_EQUATION_SUB = 0x2,
    NVN_BLEND_EQUATION_REVERSE_SUB = 0x3,
    NVN_BLEND_EQUATION_MIN = 0x4,
    NVN_BLEND_EQUATION_MAX = 0x5,
} NVNblendEquation;

typedef enum NVNblendAdvancedOverlap {
    NVN_BLEND_ADVANCED_OVERLAP_UNCORRELATED = 0x0,
    NVN_BLEND_ADVANCED_OVERLAP_DISJOINT = 0x1,
    NVN_BLEND_ADVANCED_OVERLAP_CONJOINT = 0x2,
} NVNblendAdvancedOverlap;

typedef enum NVNcoverageModulationMode {
    NVN_COVERAGE_MODULATION_MODE_NONE = 0x0,
    NVN_COVERAGE_MODULATION_MODE_RGB = 0x1,
    NVN_COVERAGE_MODULATION_MODE_ALPHA = 0x2,
    NVN_COVERAGE_MODULATION_MODE_RGBA = 0x3,
} NVNcoverageModulationMode;

typedef enum NVNdepthFunc {
    NVN_DEPTH_FUNC_NEVER = 0x1,
    NVN_DEPTH_FUNC_LESS = 0x2,
    NVN_DEPTH_FUNC_EQUAL = 0x3,
    NVN_DEPTH_FUNC_LEQUAL = 0x4,
    NVN_DEPTH_FUNC_GREATER = 0x5,
    NVN_DEPTH_FUNC_NOTEQUAL = 0x6,
    NVN_DEPTH_FUNC_GEQUAL = 0x7,
    NVN_DEPTH_FUNC_ALWAYS = 0x8,
} NVNdepthFunc;

typedef enum NVNstencilFunc {
    NVN_STENCIL_FUNC_NEVER = 0x1,
    NVN_STENCIL_FUNC_LESS = 0x2,
    NVN_STENCIL_FUNC_EQUAL = 0x3,
    NVN_STENCIL_FUNC_LEQUAL = 0x4,
    NVN_STENCIL_FUNC_GREATER = 0x5,
    NVN_STENCIL_FUNC_NOTEQUAL = 0x6,
    NVN_STENCIL_FUNC_GEQUAL = 0x7,
    NVN_STENCIL_FUNC_ALWAYS = 0x8,
} NVNstencilFunc;

typedef enum NVNstencilOp {
    NVN_STENCIL_OP_KEEP = 0x1,
    NVN_STENCIL_OP_ZERO = 0x2,
    NVN_STENCIL_OP_REPLACE = 0x3,
    NVN_STENCIL_OP_INCR = 0x4,
    NVN_STENCIL_OP_DECR = 0x5,
    NVN_STENCIL_OP_INVERT = 0x6,
    NVN_STENCIL_OP_INCR_WRAP = 0x7,
    NVN_STENCIL_OP_DECR_WRAP = 0x8,
} NVNstencilOp;

typedef enum NVNfrontFace {
    NVN_FRONT_FACE_CW = 0x0,
    NVN_FRONT_FACE_CCW = 0x1,
} NVNfrontFace;

typedef enum NVNsyncWaitResult {
    NVN_SYNC_WAIT_RESULT_ALREADY_SIGNALED = 0x0,
    NVN_SYNC_WAIT_RESULT_CONDITION_SATISFIED = 0x1,
    NVN_SYNC_WAIT_RESULT_TIMEOUT_EXPIRED = 0x2,
    NVN_SYNC_WAIT_RESULT_FAILED = 0x3,
} NVNsyncWaitResult;

typedef enum NVNpolygonOffsetEnable {
    NVN_POLYGON_OFFSET_ENABLE_NONE = 0x0,
    NVN_POLYGON_OFFSET_ENABLE_POINT = 0x1,
    NVN_POLYGON_OFFSET_ENABLE_LINE = 0x2,
    NVN_POLYGON_OFFSET_ENABLE_FILL = 0x4,
} NVNpolygonOffsetEnable;

typedef enum NVNpolygonMode {
    NVN_POLYGON_MODE_POINT = 0x0,
    NVN_POLYGON_MODE_LINE = 0x1,
    NVN_POLYGON_MODE_FILL = 0x2,
} NVNpolygonMode;

typedef enum NVNviewportSwizzle {
    NVN_VIEWPORT_SWIZZLE_POSITIVE_X = 0x0,
    NVN_VIEWPORT_SWIZZLE_NEGATIVE_X = 0x1,
    NVN_VIEWPORT_SWIZZLE_POSITIVE_Y = 0x2,
    NVN_VIEWPORT_SWIZZLE_NEGATIVE_Y = 0x3,
    NVN_VIEWPORT_SWIZZLE_POSITIVE_Z = 0x4,
    NVN_VIEWPORT_SWIZZLE_NEGATIVE_Z = 0x5,
    NVN_VIEWPORT_SWIZZLE_POSITIVE_W = 0x6,
    NVN_VIEWPORT_SWIZZLE_NEGATIVE_W = 0x7,
} NVNviewportSwizzle;

typedef enum NVNtiledCacheAction {
    NVN_TILED_CACHE_ACTION_ENABLE = 0x1,
    NVN_TILED_CACHE_ACTION_DISABLE = 0x2,
    NVN_TILED_CACHE_ACTION_FLUSH = 0x3,
    NVN_TILED_CACHE_ACTION_FLUSH_NO_TILING = 0x4,
    NVN_TILED_CACHE_ACTION_ENABLE_RENDER_TARGET_BINNING = 0x5,
    NVN_TILED_CACHE_ACTION_DISABLE_RENDER_TARGET_BINNING = 0x6,
} NVNtiledCacheAction;

typedef enum NVNconditionalRenderMode {
    NVN_CONDITIONAL_RENDER_MODE_RENDER_IF_EQUAL = 0x0,
    NVN_CONDITIONAL_RENDER_MODE_RENDER_IF_NOT_EQUAL = 0x1,
} NVNconditionalRenderMode;

typedef enum NVNcopyFlags {
    NVN_COPY_FLAGS_NONE = 0x0,
    NVN_COPY_FLAGS_LINEAR_FILTER_BIT = 0x1,
    NVN_COPY_FLAGS_ENGINE_2D_BIT = 0x2,
    NVN_COPY_FLAGS_MIRROR_X_BIT = 0x4,
    NVN_COPY_FLAGS_MIRROR_Y_BIT = 0x8,
    NVN_COPY_FLAGS_MIRROR_Z_BIT = 0x10,
} NVNcopyFlags;

typedef enum NVNsyncFlagBits {
    NVN_SYNC_FLAG_FLUSH_FOR_CPU_BIT = 0x1,
} NVNsyncFlagBits;

typedef enum NVNeventSignalFlags {
    NVN_EVENT_SIGNAL_FLAGS_NO_WAIT_MEMORY_BIT = 0x1,
} NVNeventSignalFlags;

typedef struct NVNdevice {
    _Alignas(8) unsigned char opaque[0x3000];
} NVNdevice;
_Static_assert(sizeof(NVNdevice) == 0x3000, "size of NVNdevice");

typedef struct NVNdeviceBuilder {
    _Alignas(8) unsigned char opaque[0x40];
} NVNdeviceBuilder;
_Static_assert(sizeof(NVNdeviceBuilder) == 0x40, "size of NVNdeviceBuilder");

typedef struct NVNqueue {
    _Alignas(8) unsigned char opaque[0x2000];
} NVNqueue;
_Static_assert(sizeof(NVNqueue) == 0x2000, "size of NVNqueue");

typedef struct NVNqueueBuilder {
    _Alignas(8) unsigned char opaque[0x40];
} NVNqueueBuilder;
_Static_assert(sizeof(NVNqueueBuilder) == 0x40, "size of NVNqueueBuilder");

typedef struct NVNwindow {
    _Alignas(8) unsigned char opaque[0x180];
} NVNwindow;
_Static_assert(sizeof(NVNwindow) == 0x180, "size of NVNwindow");

typedef struct NVNwindowBuilder {
    _Alignas(8) unsigned char opaque[0x40];
} NVNwindowBuilder;
_Static_assert(sizeof(NVNwindowBuilder) == 0x40, "size of NVNwindowBuilder");

typedef struct NVNcommandBuffer {
    _Alignas(8) unsigned char opaque[0xa0];
} NVNcommandBuffer;
_Static_assert(sizeof(NVNcommandBuffer) == 0xa0, "size of NVNcommandBuffer");

typedef struct NVNprogram {
    _Alignas(8) unsigned char opaque[0xc0];
} NVNprogram;
_Static_assert(sizeof(NVNprogram) == 0xc0, "size of NVNprogram");

typedef struct NVNmemoryPool {
    _Alignas(8) unsigned char opaque[0x100];
} NVNmemoryPool;
_Static_assert(sizeof(NVNmemoryPool) == 0x100, "size of NVNmemoryPool");

typedef struct NVNmemoryPoolBuilder {
    _Alignas(8) unsigned char opaque[0x40];
} NVNmemoryPoolBuilder;
_Static_assert(sizeof(NVNmemoryPoolBuilder) == 0x40, "size of NVNmemoryPoolBuilder");

typedef struct NVNtexturePool {
    _Alignas(8) unsigned char opaque[0x20];
} NVNtexturePool;
_Static_assert(sizeof(NVNtexturePool) == 0x20, "size of NVNtexturePool");

typedef struct NVNsamplerPool {
    _Alignas(8) unsigned char opaque[0x20];
} NVNsamplerPool;
_Static_assert(sizeof(NVNsamplerPool) == 0x20, "size of NVNsamplerPool");

typedef struct NVNbuffer {
    _Alignas(8) unsigned char opaque[0x30];
} NVNbuffer;
_Static_assert(sizeof(NVNbuffer) == 0x30, "size of NVNbuffer");

typedef struct NVNbufferBuilder {
    _Alignas(8) unsigned char opaque[0x40];
} NVNbufferBuilder;
_Static_assert(sizeof(NVNbufferBuilder) == 0x40, "size of NVNbufferBuilder");

typedef struct NVNtexture {
    _Alignas(8) unsigned char opaque[0xc0];
} NVNtexture;
_Static_assert(sizeof(NVNtexture) == 0xc0, "size of NVNtexture");

typedef struct NVNtextureBuilder {
    _Alignas(8) unsigned char opaque[0x80];
} NVNtextureBuilder;
_Static_assert(sizeof(NVNtextureBuilder) == 0x80, "size of NVNtextureBuilder");

typedef struct NVNtextureView {
    _Alignas(8) unsigned char opaque[0x28];
} NVNtextureView;
_Static_assert(sizeof(NVNtextureView) == 0x28, "size of NVNtextureView");

typedef struct NVNsampler {
    _Alignas(8) unsigned char opaque[0x60];
} NVNsampler;
_Static_assert(sizeof(NVNsampler) == 0x60, "size of NVNsampler");

typedef struct NVNsamplerBuilder {
    _Alignas(8) unsigned char opaque[0x60];
} NVNsamplerBuilder;
_Static_assert(sizeof(NVNsamplerBuilder) == 0x60, "size of NVNsamplerBuilder");

typedef struct NVNsync {
    _Alignas(8) unsigned char opaque[0x40];
} NVNsync;
_Static_assert(sizeof(NVNsync) == 0x40, "size of NVNsync");

typedef struct NVNevent {
    _Alignas(8) unsigned char opaque[0x40];
} NVNevent;
_Static_assert(sizeof(NVNevent) == 0x40, "size of NVNevent");

typedef struct NVNeventBuilder {
    _Alignas(8) unsigned char opaque[0x20];
} NVNeventBuilder;
_Static_assert(sizeof(NVNeventBuilder) == 0x20, "size of NVNeventBuilder");

typedef struct NVNblendState {
    _Alignas(4) unsigned char opaque[0x8];
} NVNblendState;
_Static_assert(sizeof(NVNblendState) == 0x8, "size of NVNblendState");

typedef struct NVNcolorState {
    _Alignas(4) unsigned char opaque[0x4];
} NVNcolorState;
_Static_assert(sizeof(NVNcolorState) == 0x4, "size of NVNcolorState");

typedef struct NVNchannelMaskState {
    _Alignas(4) unsigned char opaque[0x4];
} NVNchannelMaskState;
_Static_assert(sizeof(NVNchannelMaskState) == 0x4, "size of NVNchannelMaskState");

typedef struct NVNmultisampleState {
    _Alignas(4) unsigned char opaque[0x18];
} NVNmultisampleState;
_Static_assert(sizeof(NVNmultisampleState) == 0x18, "size of NVNmultisampleState");

typedef struct NVNpolygonState {
    _Alignas(4) unsigned char opaque[0x4];
} NVNpolygonState;
_Static_assert(sizeof(NVNpolygonState) == 0x4, "size of NVNpolygonState");

typedef struct NVNdepthStencilState {
    _Alignas(4) unsigned char opaque[0x8];
} NVNdepthStencilState;
_Static_assert(sizeof(NVNdepthStencilState) == 0x8, "size of NVNdepthStencilState");

typedef struct NVNvertexAttribState {
    _Alignas(4) unsigned char opaque[0x4];
} NVNvertexAttribState;
_Static_assert(sizeof(NVNvertexAttribState) == 0x4, "size of NVNvertexAttribState");

typedef struct NVNvertexStreamState {
    _Alignas(4) unsigned char opaque[0x8];
} NVNvertexStreamState;
_Static_assert(sizeof(NVNvertexStreamState) == 0x8, "size of NVNvertexStreamState");

typedef struct NVNshaderData {
    uint64_t data;
    const void* control;
} NVNshaderData;
_Static_assert(sizeof(NVNshaderData) == 0x10, "size of NVNshaderData");

typedef struct NVNcopyRegion {
    int xoffset;
    int yoffset;
    int zoffset;
    int width;
    int height;
    int depth;
} NVNcopyRegion;
_Static_assert(sizeof(NVNcopyRegion) == 0x18, "size of NVNcopyRegion");

typedef struct NVNbufferRange {
    uint64_t address;
    uint64_t size;
} NVNbufferRange;
_Static_assert(sizeof(NVNbufferRange) == 0x10, "size of NVNbufferRange");

typedef struct NVNcounterData {
    uint64_t counter;
    uint64_t timestamp;
} NVNcounterData;
_Static_assert(sizeof(NVNcounterData) == 0x10, "size of NVNcounterData");

typedef struct NVNrectangle {
    int x;
    int y;
    int width;
    int height;
} NVNrectangle;
_Static_assert(sizeof(NVNrectangle) == 0x10, "size of NVNrectangle");

typedef struct NVNpackagedTextureLayout {
    _Alignas(8) unsigned char opaque[0x8];
} NVNpackagedTextureLayout;
_Static_assert(sizeof(NVNpackagedTextureLayout) == 0x8, "size of NVNpackagedTextureLayout");

typedef struct NVNseparateTextureHandle {
    uint64_t value;
} NVNseparateTextureHandle;
_Static_assert(sizeof(NVNseparateTextureHandle) == 0x8, "size of NVNseparateTextureHandle");

typedef struct NVNseparateSamplerHandle {
    uint64_t value;
} NVNseparateSamplerHandle;
_Static_assert(sizeof(NVNseparateSamplerHandle) == 0x8, "size of NVNseparateSamplerHandle");

typedef void (*PFNNVNGENERICFUNCPTRPROC)(void);
typedef void (*PFNNVNDEBUGCALLBACKPROC)(int, int, int, int, const char*, void*);
typedef void (*PFNNVNWALKDEBUGDATABASECALLBACKPROC)(void*, void*);
typedef void (*PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC)(NVNcommandBuffer*, NVNcommandBufferMemoryEvent, size_t, void*);

/* The one symbol that a title imports; everything else is asked for by name. */
PFNNVNGENERICFUNCPTRPROC nvnBootstrapLoader(const char* name);

extern void (*pfnc_nvnDeviceBuilderSetDefaults)(NVNdeviceBuilder* builder);
static inline void nvnDeviceBuilderSetDefaults(NVNdeviceBuilder* builder) { pfnc_nvnDeviceBuilderSetDefaults(builder); }
extern void (*pfnc_nvnDeviceBuilderSetFlags)(NVNdeviceBuilder* builder, int flags);
static inline void nvnDeviceBuilderSetFlags(NVNdeviceBuilder* builder, int flags) { pfnc_nvnDeviceBuilderSetFlags(builder, flags); }
extern NVNboolean (*pfnc_nvnDeviceInitialize)(NVNdevice* device, const NVNdeviceBuilder* builder);
static inline NVNboolean nvnDeviceInitialize(NVNdevice* device, const NVNdeviceBuilder* builder) { return pfnc_nvnDeviceInitialize(device, builder); }
extern void (*pfnc_nvnDeviceFinalize)(NVNdevice* device);
static inline void nvnDeviceFinalize(NVNdevice* device) { pfnc_nvnDeviceFinalize(device); }
extern void (*pfnc_nvnDeviceSetDebugLabel)(NVNdevice* device, const char* label);
static inline void nvnDeviceSetDebugLabel(NVNdevice* device, const char* label) { pfnc_nvnDeviceSetDebugLabel(device, label); }
extern PFNNVNGENERICFUNCPTRPROC (*pfnc_nvnDeviceGetProcAddress)(const NVNdevice* device, const char* name);
static inline PFNNVNGENERICFUNCPTRPROC nvnDeviceGetProcAddress(const NVNdevice* device, const char* name) { return pfnc_nvnDeviceGetProcAddress(device, name); }
extern void (*pfnc_nvnDeviceGetInteger)(const NVNdevice* device, NVNdeviceInfo pname, int* v);
static inline void nvnDeviceGetInteger(const NVNdevice* device, NVNdeviceInfo pname, int* v) { pfnc_nvnDeviceGetInteger(device, pname, v); }
extern uint64_t (*pfnc_nvnDeviceGetCurrentTimestampInNanoseconds)(const NVNdevice* device);
static inline uint64_t nvnDeviceGetCurrentTimestampInNanoseconds(const NVNdevice* device) { return pfnc_nvnDeviceGetCurrentTimestampInNanoseconds(device); }
extern void (*pfnc_nvnDeviceSetIntermediateShaderCache)(NVNdevice* device, int value);
static inline void nvnDeviceSetIntermediateShaderCache(NVNdevice* device, int value) { pfnc_nvnDeviceSetIntermediateShaderCache(device, value); }
extern NVNtextureHandle (*pfnc_nvnDeviceGetTextureHandle)(const NVNdevice* device, int textureID, int samplerID);
static inline NVNtextureHandle nvnDeviceGetTextureHandle(const NVNdevice* device, int textureID, int samplerID) { return pfnc_nvnDeviceGetTextureHandle(device, textureID, samplerID); }
extern NVNtextureHandle (*pfnc_nvnDeviceGetTexelFetchHandle)(const NVNdevice* device, int textureID);
static inline NVNtextureHandle nvnDeviceGetTexelFetchHandle(const NVNdevice* device, int textureID) { return pfnc_nvnDeviceGetTexelFetchHandle(device, textureID); }
extern NVNimageHandle (*pfnc_nvnDeviceGetImageHandle)(const NVNdevice* device, int textureID);
static inline NVNimageHandle nvnDeviceGetImageHandle(const NVNdevice* device, int textureID) { return pfnc_nvnDeviceGetImageHandle(device, textureID); }
extern void (*pfnc_nvnDeviceInstallDebugCallback)(NVNdevice* device, const PFNNVNDEBUGCALLBACKPROC callback, void* callbackData, NVNboolean enable);
static inline void nvnDeviceInstallDebugCallback(NVNdevice* device, const PFNNVNDEBUGCALLBACKPROC callback, void* callbackData, NVNboolean enable) { pfnc_nvnDeviceInstallDebugCallback(device, callback, callbackData, enable); }
extern NVNdebugDomainId (*pfnc_nvnDeviceGenerateDebugDomainId)(const NVNdevice* device, const char* name);
static inline NVNdebugDomainId nvnDeviceGenerateDebugDomainId(const NVNdevice* device, const char* name) { return pfnc_nvnDeviceGenerateDebugDomainId(device, name); }
extern void (*pfnc_nvnDeviceSetWindowOriginMode)(NVNdevice* device, NVNwindowOriginMode windowOriginMode);
static inline void nvnDeviceSetWindowOriginMode(NVNdevice* device, NVNwindowOriginMode windowOriginMode) { pfnc_nvnDeviceSetWindowOriginMode(device, windowOriginMode); }
extern void (*pfnc_nvnDeviceSetDepthMode)(NVNdevice* device, NVNdepthMode depthMode);
static inline void nvnDeviceSetDepthMode(NVNdevice* device, NVNdepthMode depthMode) { pfnc_nvnDeviceSetDepthMode(device, depthMode); }
extern NVNboolean (*pfnc_nvnDeviceRegisterFastClearColor)(NVNdevice* device, const float* color, NVNformat format);
static inline NVNboolean nvnDeviceRegisterFastClearColor(NVNdevice* device, const float* color, NVNformat format) { return pfnc_nvnDeviceRegisterFastClearColor(device, color, format); }
extern NVNboolean (*pfnc_nvnDeviceRegisterFastClearColori)(NVNdevice* device, const int* color, NVNformat format);
static inline NVNboolean nvnDeviceRegisterFastClearColori(NVNdevice* device, const int* color, NVNformat format) { return pfnc_nvnDeviceRegisterFastClearColori(device, color, format); }
extern NVNboolean (*pfnc_nvnDeviceRegisterFastClearColorui)(NVNdevice* device, const uint32_t* color, NVNformat format);
static inline NVNboolean nvnDeviceRegisterFastClearColorui(NVNdevice* device, const uint32_t* color, NVNformat format) { return pfnc_nvnDeviceRegisterFastClearColorui(device, color, format); }
extern NVNboolean (*pfnc_nvnDeviceRegisterFastClearDepth)(NVNdevice* device, float depth);
static inline NVNboolean nvnDeviceRegisterFastClearDepth(NVNdevice* device, float depth) { return pfnc_nvnDeviceRegisterFastClearDepth(device, depth); }
extern NVNwindowOriginMode (*pfnc_nvnDeviceGetWindowOriginMode)(const NVNdevice* device);
static inline NVNwindowOriginMode nvnDeviceGetWindowOriginMode(const NVNdevice* device) { return pfnc_nvnDeviceGetWindowOriginMode(device); }
extern NVNdepthMode (*pfnc_nvnDeviceGetDepthMode)(const NVNdevice* device);
static inline NVNdepthMode nvnDeviceGetDepthMode(const NVNdevice* device) { return pfnc_nvnDeviceGetDepthMode(device); }
extern uint64_t (*pfnc_nvnDeviceGetTimestampInNanoseconds)(const NVNdevice* device, const NVNcounterData* counterData);
static inline uint64_t nvnDeviceGetTimestampInNanoseconds(const NVNdevice* device, const NVNcounterData* counterData) { return pfnc_nvnDeviceGetTimestampInNanoseconds(device, counterData); }
extern void (*pfnc_nvnDeviceApplyDeferredFinalizes)(NVNdevice* device, int numFrames);
static inline void nvnDeviceApplyDeferredFinalizes(NVNdevice* device, int numFrames) { pfnc_nvnDeviceApplyDeferredFinalizes(device, numFrames); }
extern void (*pfnc_nvnDeviceFinalizeCommandHandle)(NVNdevice* device, NVNcommandHandle handle);
static inline void nvnDeviceFinalizeCommandHandle(NVNdevice* device, NVNcommandHandle handle) { pfnc_nvnDeviceFinalizeCommandHandle(device, handle); }
extern void (*pfnc_nvnDeviceWalkDebugDatabase)(const NVNdevice* device, NVNdebugObjectType debugObjectType, PFNNVNWALKDEBUGDATABASECALLBACKPROC callback, void* callbackData);
static inline void nvnDeviceWalkDebugDatabase(const NVNdevice* device, NVNdebugObjectType debugObjectType, PFNNVNWALKDEBUGDATABASECALLBACKPROC callback, void* callbackData) { pfnc_nvnDeviceWalkDebugDatabase(device, debugObjectType, callback, callbackData); }
extern NVNseparateTextureHandle (*pfnc_nvnDeviceGetSeparateTextureHandle)(const NVNdevice* device, int textureID);
static inline NVNseparateTextureHandle nvnDeviceGetSeparateTextureHandle(const NVNdevice* device, int textureID) { return pfnc_nvnDeviceGetSeparateTextureHandle(device, textureID); }
extern NVNseparateSamplerHandle (*pfnc_nvnDeviceGetSeparateSamplerHandle)(const NVNdevice* device, int samplerID);
static inline NVNseparateSamplerHandle nvnDeviceGetSeparateSamplerHandle(const NVNdevice* device, int samplerID) { return pfnc_nvnDeviceGetSeparateSamplerHandle(device, samplerID); }
extern NVNboolean (*pfnc_nvnDeviceIsExternalDebuggerAttached)(const NVNdevice* device);
static inline NVNboolean nvnDeviceIsExternalDebuggerAttached(const NVNdevice* device) { return pfnc_nvnDeviceIsExternalDebuggerAttached(device); }
extern NVNqueueGetErrorResult (*pfnc_nvnQueueGetError)(NVNqueue* queue, NVNqueueErrorInfo* info);
static inline NVNqueueGetErrorResult nvnQueueGetError(NVNqueue* queue, NVNqueueErrorInfo* info) { return pfnc_nvnQueueGetError(queue, info); }
extern size_t (*pfnc_nvnQueueGetTotalCommandMemoryUsed)(NVNqueue* queue);
static inline size_t nvnQueueGetTotalCommandMemoryUsed(NVNqueue* queue) { return pfnc_nvnQueueGetTotalCommandMemoryUsed(queue); }
extern size_t (*pfnc_nvnQueueGetTotalControlMemoryUsed)(NVNqueue* queue);
static inline size_t nvnQueueGetTotalControlMemoryUsed(NVNqueue* queue) { return pfnc_nvnQueueGetTotalControlMemoryUsed(queue); }
extern size_t (*pfnc_nvnQueueGetTotalComputeMemoryUsed)(NVNqueue* queue);
static inline size_t nvnQueueGetTotalComputeMemoryUsed(NVNqueue* queue) { return pfnc_nvnQueueGetTotalComputeMemoryUsed(queue); }
extern void (*pfnc_nvnQueueResetMemoryUsageCounts)(NVNqueue* queue);
static inline void nvnQueueResetMemoryUsageCounts(NVNqueue* queue) { pfnc_nvnQueueResetMemoryUsageCounts(queue); }
extern void (*pfnc_nvnQueueBuilderSetDevice)(NVNqueueBuilder* builder, NVNdevice* device);
static inline void nvnQueueBuilderSetDevice(NVNqueueBuilder* builder, NVNdevice* device) { pfnc_nvnQueueBuilderSetDevice(builder, device); }
extern void (*pfnc_nvnQueueBuilderSetDefaults)(NVNqueueBuilder* builder);
static inline void nvnQueueBuilderSetDefaults(NVNqueueBuilder* builder) { pfnc_nvnQueueBuilderSetDefaults(builder); }
extern void (*pfnc_nvnQueueBuilderSetFlags)(NVNqueueBuilder* builder, int flags);
static inline void nvnQueueBuilderSetFlags(NVNqueueBuilder* builder, int flags) { pfnc_nvnQueueBuilderSetFlags(builder, flags); }
extern void (*pfnc_nvnQueueBuilderSetCommandMemorySize)(NVNqueueBuilder* builder, size_t size);
static inline void nvnQueueBuilderSetCommandMemorySize(NVNqueueBuilder* builder, size_t size) { pfnc_nvnQueueBuilderSetCommandMemorySize(builder, size); }
extern void (*pfnc_nvnQueueBuilderSetComputeMemorySize)(NVNqueueBuilder* builder, size_t size);
static inline void nvnQueueBuilderSetComputeMemorySize(NVNqueueBuilder* builder, size_t size) { pfnc_nvnQueueBuilderSetComputeMemorySize(builder, size); }
extern void (*pfnc_nvnQueueBuilderSetControlMemorySize)(NVNqueueBuilder* builder, size_t size);
static inline void nvnQueueBuilderSetControlMemorySize(NVNqueueBuilder* builder, size_t size) { pfnc_nvnQueueBuilderSetControlMemorySize(builder, size); }
extern size_t (*pfnc_nvnQueueBuilderGetQueueMemorySize)(const NVNqueueBuilder* builder);
static inline size_t nvnQueueBuilderGetQueueMemorySize(const NVNqueueBuilder* builder) { return pfnc_nvnQueueBuilderGetQueueMemorySize(builder); }
extern void (*pfnc_nvnQueueBuilderSetQueueMemory)(NVNqueueBuilder* builder, void* memory, size_t size);
static inline void nvnQueueBuilderSetQueueMemory(NVNqueueBuilder* builder, void* memory, size_t size) { pfnc_nvnQueueBuilderSetQueueMemory(builder, memory, size); }
extern void (*pfnc_nvnQueueBuilderSetCommandFlushThreshold)(NVNqueueBuilder* builder, size_t size);
static inline void nvnQueueBuilderSetCommandFlushThreshold(NVNqueueBuilder* builder, size_t size) { pfnc_nvnQueueBuilderSetCommandFlushThreshold(builder, size); }
extern NVNboolean (*pfnc_nvnQueueInitialize)(NVNqueue* queue, const NVNqueueBuilder* builder);
static inline NVNboolean nvnQueueInitialize(NVNqueue* queue, const NVNqueueBuilder* builder) { return pfnc_nvnQueueInitialize(queue, builder); }
extern void (*pfnc_nvnQueueFinalize)(NVNqueue* queue);
static inline void nvnQueueFinalize(NVNqueue* queue) { pfnc_nvnQueueFinalize(queue); }
extern void (*pfnc_nvnQueueSetDebugLabel)(NVNqueue* queue, const char* label);
static inline void nvnQueueSetDebugLabel(NVNqueue* queue, const char* label) { pfnc_nvnQueueSetDebugLabel(queue, label); }
extern void (*pfnc_nvnQueueSubmitCommands)(NVNqueue* queue, int numCommands, const NVNcommandHandle* handles);
static inline void nvnQueueSubmitCommands(NVNqueue* queue, int numCommands, const NVNcommandHandle* handles) { pfnc_nvnQueueSubmitCommands(queue, numCommands, handles); }
extern void (*pfnc_nvnQueueFlush)(NVNqueue* queue);
static inline void nvnQueueFlush(NVNqueue* queue) { pfnc_nvnQueueFlush(queue); }
extern void (*pfnc_nvnQueueFinish)(NVNqueue* queue);
static inline void nvnQueueFinish(NVNqueue* queue) { pfnc_nvnQueueFinish(queue); }
extern void (*pfnc_nvnQueuePresentTexture)(NVNqueue* queue, NVNwindow* window, int textureIndex);
static inline void nvnQueuePresentTexture(NVNqueue* queue, NVNwindow* window, int textureIndex) { pfnc_nvnQueuePresentTexture(queue, window, textureIndex); }
extern NVNqueueAcquireTextureResult (*pfnc_nvnQueueAcquireTexture)(NVNqueue* queue, NVNwindow* window, int* textureIndex);
static inline NVNqueueAcquireTextureResult nvnQueueAcquireTexture(NVNqueue* queue, NVNwindow* window, int* textureIndex) { return pfnc_nvnQueueAcquireTexture(queue, window, textureIndex); }
extern void (*pfnc_nvnWindowBuilderSetDevice)(NVNwindowBuilder* builder, NVNdevice* device);
static inline void nvnWindowBuilderSetDevice(NVNwindowBuilder* builder, NVNdevice* device) { pfnc_nvnWindowBuilderSetDevice(builder, device); }
extern void (*pfnc_nvnWindowBuilderSetDefaults)(NVNwindowBuilder* builder);
static inline void nvnWindowBuilderSetDefaults(NVNwindowBuilder* builder) { pfnc_nvnWindowBuilderSetDefaults(builder); }
extern void (*pfnc_nvnWindowBuilderSetNativeWindow)(NVNwindowBuilder* builder, NVNnativeWindow nativeWindow);
static inline void nvnWindowBuilderSetNativeWindow(NVNwindowBuilder* builder, NVNnativeWindow nativeWindow) { pfnc_nvnWindowBuilderSetNativeWindow(builder, nativeWindow); }
extern void (*pfnc_nvnWindowBuilderSetTextures)(NVNwindowBuilder* builder, int numTextures, NVNtexture* const* textures);
static inline void nvnWindowBuilderSetTextures(NVNwindowBuilder* builder, int numTextures, NVNtexture* const* textures) { pfnc_nvnWindowBuilderSetTextures(builder, numTextures, textures); }
extern void (*pfnc_nvnWindowBuilderSetPresentInterval)(NVNwindowBuilder* builder, int presentInterval);
static inline void nvnWindowBuilderSetPresentInterval(NVNwindowBuilder* builder, int presentInterval) { pfnc_nvnWindowBuilderSetPresentInterval(builder, presentInterval); }
extern NVNnativeWindow (*pfnc_nvnWindowBuilderGetNativeWindow)(const NVNwindowBuilder* builder);
static inline NVNnativeWindow nvnWindowBuilderGetNativeWindow(const NVNwindowBuilder* builder) { return pfnc_nvnWindowBuilderGetNativeWindow(builder); }
extern int (*pfnc_nvnWindowBuilderGetPresentInterval)(const NVNwindowBuilder* builder);
static inline int nvnWindowBuilderGetPresentInterval(const NVNwindowBuilder* builder) { return pfnc_nvnWindowBuilderGetPresentInterval(builder); }
extern NVNboolean (*pfnc_nvnWindowInitialize)(NVNwindow* window, const NVNwindowBuilder* builder);
static inline NVNboolean nvnWindowInitialize(NVNwindow* window, const NVNwindowBuilder* builder) { return pfnc_nvnWindowInitialize(window, builder); }
extern void (*pfnc_nvnWindowFinalize)(NVNwindow* window);
static inline void nvnWindowFinalize(NVNwindow* window) { pfnc_nvnWindowFinalize(window); }
extern void (*pfnc_nvnWindowSetDebugLabel)(NVNwindow* window, const char* label);
static inline void nvnWindowSetDebugLabel(NVNwindow* window, const char* label) { pfnc_nvnWindowSetDebugLabel(window, label); }
extern NVNwindowAcquireTextureResult (*pfnc_nvnWindowAcquireTexture)(NVNwindow* window, NVNsync* textureAvailableSync, int* textureIndex);
static inline NVNwindowAcquireTextureResult nvnWindowAcquireTexture(NVNwindow* window, NVNsync* textureAvailableSync, int* textureIndex) { return pfnc_nvnWindowAcquireTexture(window, textureAvailableSync, textureIndex); }
extern NVNnativeWindow (*pfnc_nvnWindowGetNativeWindow)(const NVNwindow* window);
static inline NVNnativeWindow nvnWindowGetNativeWindow(const NVNwindow* window) { return pfnc_nvnWindowGetNativeWindow(window); }
extern int (*pfnc_nvnWindowGetPresentInterval)(const NVNwindow* window);
static inline int nvnWindowGetPresentInterval(const NVNwindow* window) { return pfnc_nvnWindowGetPresentInterval(window); }
extern void (*pfnc_nvnWindowSetPresentInterval)(NVNwindow* window, int presentInterval);
static inline void nvnWindowSetPresentInterval(NVNwindow* window, int presentInterval) { pfnc_nvnWindowSetPresentInterval(window, presentInterval); }
extern void (*pfnc_nvnWindowSetCrop)(NVNwindow* window, int x, int y, int w, int h);
static inline void nvnWindowSetCrop(NVNwindow* window, int x, int y, int w, int h) { pfnc_nvnWindowSetCrop(window, x, y, w, h); }
extern void (*pfnc_nvnWindowGetCrop)(const NVNwindow* window, NVNrectangle* rectangle);
static inline void nvnWindowGetCrop(const NVNwindow* window, NVNrectangle* rectangle) { pfnc_nvnWindowGetCrop(window, rectangle); }
extern NVNboolean (*pfnc_nvnProgramInitialize)(NVNprogram* program, NVNdevice* device);
static inline NVNboolean nvnProgramInitialize(NVNprogram* program, NVNdevice* device) { return pfnc_nvnProgramInitialize(program, device); }
extern void (*pfnc_nvnProgramFinalize)(NVNprogram* program);
static inline void nvnProgramFinalize(NVNprogram* program) { pfnc_nvnProgramFinalize(program); }
extern void (*pfnc_nvnProgramSetDebugLabel)(NVNprogram* program, const char* label);
static inline void nvnProgramSetDebugLabel(NVNprogram* program, const char* label) { pfnc_nvnProgramSetDebugLabel(program, label); }
extern NVNboolean (*pfnc_nvnProgramSetShaders)(NVNprogram* program, int count, const NVNshaderData* stageData);
static inline NVNboolean nvnProgramSetShaders(NVNprogram* program, int count, const NVNshaderData* stageData) { return pfnc_nvnProgramSetShaders(program, count, stageData); }
extern void (*pfnc_nvnMemoryPoolBuilderSetDevice)(NVNmemoryPoolBuilder* builder, NVNdevice* device);
static inline void nvnMemoryPoolBuilderSetDevice(NVNmemoryPoolBuilder* builder, NVNdevice* device) { pfnc_nvnMemoryPoolBuilderSetDevice(builder, device); }
extern void (*pfnc_nvnMemoryPoolBuilderSetDefaults)(NVNmemoryPoolBuilder* builder);
static inline void nvnMemoryPoolBuilderSetDefaults(NVNmemoryPoolBuilder* builder) { pfnc_nvnMemoryPoolBuilderSetDefaults(builder); }
extern void (*pfnc_nvnMemoryPoolBuilderSetStorage)(NVNmemoryPoolBuilder* builder, void* memory, size_t size);
static inline void nvnMemoryPoolBuilderSetStorage(NVNmemoryPoolBuilder* builder, void* memory, size_t size) { pfnc_nvnMemoryPoolBuilderSetStorage(builder, memory, size); }
extern void (*pfnc_nvnMemoryPoolBuilderSetFlags)(NVNmemoryPoolBuilder* builder, int flags);
static inline void nvnMemoryPoolBuilderSetFlags(NVNmemoryPoolBuilder* builder, int flags) { pfnc_nvnMemoryPoolBuilderSetFlags(builder, flags); }
extern void* (*pfnc_nvnMemoryPoolBuilderGetMemory)(const NVNmemoryPoolBuilder* builder);
static inline void* nvnMemoryPoolBuilderGetMemory(const NVNmemoryPoolBuilder* builder) { return pfnc_nvnMemoryPoolBuilderGetMemory(builder); }
extern size_t (*pfnc_nvnMemoryPoolBuilderGetSize)(const NVNmemoryPoolBuilder* builder);
static inline size_t nvnMemoryPoolBuilderGetSize(const NVNmemoryPoolBuilder* builder) { return pfnc_nvnMemoryPoolBuilderGetSize(builder); }
extern NVNmemoryPoolFlags (*pfnc_nvnMemoryPoolBuilderGetFlags)(const NVNmemoryPoolBuilder* builder);
static inline NVNmemoryPoolFlags nvnMemoryPoolBuilderGetFlags(const NVNmemoryPoolBuilder* builder) { return pfnc_nvnMemoryPoolBuilderGetFlags(builder); }
extern NVNboolean (*pfnc_nvnMemoryPoolInitialize)(NVNmemoryPool* pool, const NVNmemoryPoolBuilder* builder);
static inline NVNboolean nvnMemoryPoolInitialize(NVNmemoryPool* pool, const NVNmemoryPoolBuilder* builder) { return pfnc_nvnMemoryPoolInitialize(pool, builder); }
extern void (*pfnc_nvnMemoryPoolSetDebugLabel)(NVNmemoryPool* pool, const char* label);
static inline void nvnMemoryPoolSetDebugLabel(NVNmemoryPool* pool, const char* label) { pfnc_nvnMemoryPoolSetDebugLabel(pool, label); }
extern void (*pfnc_nvnMemoryPoolFinalize)(NVNmemoryPool* pool);
static inline void nvnMemoryPoolFinalize(NVNmemoryPool* pool) { pfnc_nvnMemoryPoolFinalize(pool); }
extern void* (*pfnc_nvnMemoryPoolMap)(const NVNmemoryPool* pool);
static inline void* nvnMemoryPoolMap(const NVNmemoryPool* pool) { return pfnc_nvnMemoryPoolMap(pool); }
extern void (*pfnc_nvnMemoryPoolFlushMappedRange)(const NVNmemoryPool* pool, ptrdiff_t offset, size_t size);
static inline void nvnMemoryPoolFlushMappedRange(const NVNmemoryPool* pool, ptrdiff_t offset, size_t size) { pfnc_nvnMemoryPoolFlushMappedRange(pool, offset, size); }
extern void (*pfnc_nvnMemoryPoolInvalidateMappedRange)(const NVNmemoryPool* pool, ptrdiff_t offset, size_t size);
static inline void nvnMemoryPoolInvalidateMappedRange(const NVNmemoryPool* pool, ptrdiff_t offset, size_t size) { pfnc_nvnMemoryPoolInvalidateMappedRange(pool, offset, size); }
extern NVNbufferAddress (*pfnc_nvnMemoryPoolGetBufferAddress)(const NVNmemoryPool* pool);
static inline NVNbufferAddress nvnMemoryPoolGetBufferAddress(const NVNmemoryPool* pool) { return pfnc_nvnMemoryPoolGetBufferAddress(pool); }
extern NVNboolean (*pfnc_nvnMemoryPoolMapVirtual)(NVNmemoryPool* pool, int numRequests, const NVNmappingRequest* requests);
static inline NVNboolean nvnMemoryPoolMapVirtual(NVNmemoryPool* pool, int numRequests, const NVNmappingRequest* requests) { return pfnc_nvnMemoryPoolMapVirtual(pool, numRequests, requests); }
extern size_t (*pfnc_nvnMemoryPoolGetSize)(const NVNmemoryPool* pool);
static inline size_t nvnMemoryPoolGetSize(const NVNmemoryPool* pool) { return pfnc_nvnMemoryPoolGetSize(pool); }
extern NVNmemoryPoolFlags (*pfnc_nvnMemoryPoolGetFlags)(const NVNmemoryPool* pool);
static inline NVNmemoryPoolFlags nvnMemoryPoolGetFlags(const NVNmemoryPool* pool) { return pfnc_nvnMemoryPoolGetFlags(pool); }
extern NVNboolean (*pfnc_nvnTexturePoolInitialize)(NVNtexturePool* texturePool, const NVNmemoryPool* memoryPool, ptrdiff_t offset, int numDescriptors);
static inline NVNboolean nvnTexturePoolInitialize(NVNtexturePool* texturePool, const NVNmemoryPool* memoryPool, ptrdiff_t offset, int numDescriptors) { return pfnc_nvnTexturePoolInitialize(texturePool, memoryPool, offset, numDescriptors); }
extern void (*pfnc_nvnTexturePoolSetDebugLabel)(NVNtexturePool* pool, const char* label);
static inline void nvnTexturePoolSetDebugLabel(NVNtexturePool* pool, const char* label) { pfnc_nvnTexturePoolSetDebugLabel(pool, label); }
extern void (*pfnc_nvnTexturePoolFinalize)(NVNtexturePool* pool);
static inline void nvnTexturePoolFinalize(NVNtexturePool* pool) { pfnc_nvnTexturePoolFinalize(pool); }
extern void (*pfnc_nvnTexturePoolRegisterTexture)(const NVNtexturePool* pool, int id, const NVNtexture* texture, const NVNtextureView* view);
static inline void nvnTexturePoolRegisterTexture(const NVNtexturePool* pool, int id, const NVNtexture* texture, const NVNtextureView* view) { pfnc_nvnTexturePoolRegisterTexture(pool, id, texture, view); }
extern void (*pfnc_nvnTexturePoolRegisterImage)(const NVNtexturePool* pool, int id, const NVNtexture* texture, const NVNtextureView* view);
static inline void nvnTexturePoolRegisterImage(const NVNtexturePool* pool, int id, const NVNtexture* texture, const NVNtextureView* view) { pfnc_nvnTexturePoolRegisterImage(pool, id, texture, view); }
extern const NVNmemoryPool* (*pfnc_nvnTexturePoolGetMemoryPool)(const NVNtexturePool* pool);
static inline const NVNmemoryPool* nvnTexturePoolGetMemoryPool(const NVNtexturePool* pool) { return pfnc_nvnTexturePoolGetMemoryPool(pool); }
extern ptrdiff_t (*pfnc_nvnTexturePoolGetMemoryOffset)(const NVNtexturePool* pool);
static inline ptrdiff_t nvnTexturePoolGetMemoryOffset(const NVNtexturePool* pool) { return pfnc_nvnTexturePoolGetMemoryOffset(pool); }
extern int (*pfnc_nvnTexturePoolGetSize)(const NVNtexturePool* pool);
static inline int nvnTexturePoolGetSize(const NVNtexturePool* pool) { return pfnc_nvnTexturePoolGetSize(pool); }
extern NVNboolean (*pfnc_nvnSamplerPoolInitialize)(NVNsamplerPool* samplerPool, const NVNmemoryPool* memoryPool, ptrdiff_t offset, int numDescriptors);
static inline NVNboolean nvnSamplerPoolInitialize(NVNsamplerPool* samplerPool, const NVNmemoryPool* memoryPool, ptrdiff_t offset, int numDescriptors) { return pfnc_nvnSamplerPoolInitialize(samplerPool, memoryPool, offset, numDescriptors); }
extern void (*pfnc_nvnSamplerPoolSetDebugLabel)(NVNsamplerPool* pool, const char* label);
static inline void nvnSamplerPoolSetDebugLabel(NVNsamplerPool* pool, const char* label) { pfnc_nvnSamplerPoolSetDebugLabel(pool, label); }
extern void (*pfnc_nvnSamplerPoolFinalize)(NVNsamplerPool* pool);
static inline void nvnSamplerPoolFinalize(NVNsamplerPool* pool) { pfnc_nvnSamplerPoolFinalize(pool); }
extern void (*pfnc_nvnSamplerPoolRegisterSampler)(const NVNsamplerPool* pool, int id, const NVNsampler* sampler);
static inline void nvnSamplerPoolRegisterSampler(const NVNsamplerPool* pool, int id, const NVNsampler* sampler) { pfnc_nvnSamplerPoolRegisterSampler(pool, id, sampler); }
extern void (*pfnc_nvnSamplerPoolRegisterSamplerBuilder)(const NVNsamplerPool* pool, int id, const NVNsamplerBuilder* builder);
static inline void nvnSamplerPoolRegisterSamplerBuilder(const NVNsamplerPool* pool, int id, const NVNsamplerBuilder* builder) { pfnc_nvnSamplerPoolRegisterSamplerBuilder(pool, id, builder); }
extern const NVNmemoryPool* (*pfnc_nvnSamplerPoolGetMemoryPool)(const NVNsamplerPool* pool);
static inline const NVNmemoryPool* nvnSamplerPoolGetMemoryPool(const NVNsamplerPool* pool) { return pfnc_nvnSamplerPoolGetMemoryPool(pool); }
extern ptrdiff_t (*pfnc_nvnSamplerPoolGetMemoryOffset)(const NVNsamplerPool* pool);
static inline ptrdiff_t nvnSamplerPoolGetMemoryOffset(const NVNsamplerPool* pool) { return pfnc_nvnSamplerPoolGetMemoryOffset(pool); }
extern int (*pfnc_nvnSamplerPoolGetSize)(const NVNsamplerPool* pool);
static inline int nvnSamplerPoolGetSize(const NVNsamplerPool* pool) { return pfnc_nvnSamplerPoolGetSize(pool); }
extern void (*pfnc_nvnBufferBuilderSetDevice)(NVNbufferBuilder* builder, NVNdevice* device);
static inline void nvnBufferBuilderSetDevice(NVNbufferBuilder* builder, NVNdevice* device) { pfnc_nvnBufferBuilderSetDevice(builder, device); }
extern void (*pfnc_nvnBufferBuilderSetDefaults)(NVNbufferBuilder* builder);
static inline void nvnBufferBuilderSetDefaults(NVNbufferBuilder* builder) { pfnc_nvnBufferBuilderSetDefaults(builder); }
extern void (*pfnc_nvnBufferBuilderSetStorage)(NVNbufferBuilder* builder, NVNmemoryPool* pool, ptrdiff_t offset, size_t size);
static inline void nvnBufferBuilderSetStorage(NVNbufferBuilder* builder, NVNmemoryPool* pool, ptrdiff_t offset, size_t size) { pfnc_nvnBufferBuilderSetStorage(builder, pool, offset, size); }
extern NVNmemoryPool* (*pfnc_nvnBufferBuilderGetMemoryPool)(const NVNbufferBuilder* builder);
static inline NVNmemoryPool* nvnBufferBuilderGetMemoryPool(const NVNbufferBuilder* builder) { return pfnc_nvnBufferBuilderGetMemoryPool(builder); }
extern ptrdiff_t (*pfnc_nvnBufferBuilderGetMemoryOffset)(const NVNbufferBuilder* builder);
static inline ptrdiff_t nvnBufferBuilderGetMemoryOffset(const NVNbufferBuilder* builder) { return pfnc_nvnBufferBuilderGetMemoryOffset(builder); }
extern size_t (*pfnc_nvnBufferBuilderGetSize)(const NVNbufferBuilder* builder);
static inline size_t nvnBufferBuilderGetSize(const NVNbufferBuilder* builder) { return pfnc_nvnBufferBuilderGetSize(builder); }
extern NVNboolean (*pfnc_nvnBufferInitialize)(NVNbuffer* buffer, const NVNbufferBuilder* builder);
static inline NVNboolean nvnBufferInitialize(NVNbuffer* buffer, const NVNbufferBuilder* builder) { return pfnc_nvnBufferInitialize(buffer, builder); }
extern void (*pfnc_nvnBufferSetDebugLabel)(NVNbuffer* buffer, const char* label);
static inline void nvnBufferSetDebugLabel(NVNbuffer* buffer, const char* label) { pfnc_nvnBufferSetDebugLabel(buffer, label); }
extern void (*pfnc_nvnBufferFinalize)(NVNbuffer* buffer);
static inline void nvnBufferFinalize(NVNbuffer* buffer) { pfnc_nvnBufferFinalize(buffer); }
extern void* (*pfnc_nvnBufferMap)(const NVNbuffer* buffer);
static inline void* nvnBufferMap(const NVNbuffer* buffer) { return pfnc_nvnBufferMap(buffer); }
extern NVNbufferAddress (*pfnc_nvnBufferGetAddress)(const NVNbuffer* buffer);
static inline NVNbufferAddress nvnBufferGetAddress(const NVNbuffer* buffer) { return pfnc_nvnBufferGetAddress(buffer); }
extern void (*pfnc_nvnBufferFlushMappedRange)(const NVNbuffer* buffer, ptrdiff_t offset, size_t size);
static inline void nvnBufferFlushMappedRange(const NVNbuffer* buffer, ptrdiff_t offset, size_t size) { pfnc_nvnBufferFlushMappedRange(buffer, offset, size); }
extern void (*pfnc_nvnBufferInvalidateMappedRange)(const NVNbuffer* buffer, ptrdiff_t offset, size_t size);
static inline void nvnBufferInvalidateMappedRange(const NVNbuffer* buffer, ptrdiff_t offset, size_t size) { pfnc_nvnBufferInvalidateMappedRange(buffer, offset, size); }
extern NVNmemoryPool* (*pfnc_nvnBufferGetMemoryPool)(const NVNbuffer* buffer);
static inline NVNmemoryPool* nvnBufferGetMemoryPool(const NVNbuffer* buffer) { return pfnc_nvnBufferGetMemoryPool(buffer); }
extern ptrdiff_t (*pfnc_nvnBufferGetMemoryOffset)(const NVNbuffer* buffer);
static inline ptrdiff_t nvnBufferGetMemoryOffset(const NVNbuffer* buffer) { return pfnc_nvnBufferGetMemoryOffset(buffer); }
extern size_t (*pfnc_nvnBufferGetSize)(const NVNbuffer* buffer);
static inline size_t nvnBufferGetSize(const NVNbuffer* buffer) { return pfnc_nvnBufferGetSize(buffer); }
extern uint64_t (*pfnc_nvnBufferGetDebugID)(const NVNbuffer* buffer);
static inline uint64_t nvnBufferGetDebugID(const NVNbuffer* buffer) { return pfnc_nvnBufferGetDebugID(buffer); }
extern void (*pfnc_nvnTextureBuilderSetDevice)(NVNtextureBuilder* builder, NVNdevice* device);
static inline void nvnTextureBuilderSetDevice(NVNtextureBuilder* builder, NVNdevice* device) { pfnc_nvnTextureBuilderSetDevice(builder, device); }
extern void (*pfnc_nvnTextureBuilderSetDefaults)(NVNtextureBuilder* builder);
static inline void nvnTextureBuilderSetDefaults(NVNtextureBuilder* builder) { pfnc_nvnTextureBuilderSetDefaults(builder); }
extern void (*pfnc_nvnTextureBuilderSetFlags)(NVNtextureBuilder* builder, int flags);
static inline void nvnTextureBuilderSetFlags(NVNtextureBuilder* builder, int flags) { pfnc_nvnTextureBuilderSetFlags(builder, flags); }
extern void (*pfnc_nvnTextureBuilderSetTarget)(NVNtextureBuilder* builder, NVNtextureTarget target);
static inline void nvnTextureBuilderSetTarget(NVNtextureBuilder* builder, NVNtextureTarget target) { pfnc_nvnTextureBuilderSetTarget(builder, target); }
extern void (*pfnc_nvnTextureBuilderSetWidth)(NVNtextureBuilder* builder, int width);
static inline void nvnTextureBuilderSetWidth(NVNtextureBuilder* builder, int width) { pfnc_nvnTextureBuilderSetWidth(builder, width); }
extern void (*pfnc_nvnTextureBuilderSetHeight)(NVNtextureBuilder* builder, int height);
static inline void nvnTextureBuilderSetHeight(NVNtextureBuilder* builder, int height) { pfnc_nvnTextureBuilderSetHeight(builder, height); }
extern void (*pfnc_nvnTextureBuilderSetDepth)(NVNtextureBuilder* builder, int depth);
static inline void nvnTextureBuilderSetDepth(NVNtextureBuilder* builder, int depth) { pfnc_nvnTextureBuilderSetDepth(builder, depth); }
extern void (*pfnc_nvnTextureBuilderSetSize1D)(NVNtextureBuilder* builder, int size);
static inline void nvnTextureBuilderSetSize1D(NVNtextureBuilder* builder, int size) { pfnc_nvnTextureBuilderSetSize1D(builder, size); }
extern void (*pfnc_nvnTextureBuilderSetSize2D)(NVNtextureBuilder* builder, int width, int height);
static inline void nvnTextureBuilderSetSize2D(NVNtextureBuilder* builder, int width, int height) { pfnc_nvnTextureBuilderSetSize2D(builder, width, height); }
extern void (*pfnc_nvnTextureBuilderSetSize3D)(NVNtextureBuilder* builder, int width, int height, int depth);
static inline void nvnTextureBuilderSetSize3D(NVNtextureBuilder* builder, int width, int height, int depth) { pfnc_nvnTextureBuilderSetSize3D(builder, width, height, depth); }
extern void (*pfnc_nvnTextureBuilderSetLevels)(NVNtextureBuilder* builder, int numLevels);
static inline void nvnTextureBuilderSetLevels(NVNtextureBuilder* builder, int numLevels) { pfnc_nvnTextureBuilderSetLevels(builder, numLevels); }
extern void (*pfnc_nvnTextureBuilderSetFormat)(NVNtextureBuilder* builder, NVNformat format);
static inline void nvnTextureBuilderSetFormat(NVNtextureBuilder* builder, NVNformat format) { pfnc_nvnTextureBuilderSetFormat(builder, format); }
extern void (*pfnc_nvnTextureBuilderSetSamples)(NVNtextureBuilder* builder, int samples);
static inline void nvnTextureBuilderSetSamples(NVNtextureBuilder* builder, int samples) { pfnc_nvnTextureBuilderSetSamples(builder, samples); }
extern void (*pfnc_nvnTextureBuilderSetSwizzle)(NVNtextureBuilder* builder, NVNtextureSwizzle r, NVNtextureSwizzle g, NVNtextureSwizzle b, NVNtextureSwizzle a);
static inline void nvnTextureBuilderSetSwizzle(NVNtextureBuilder* builder, NVNtextureSwizzle r, NVNtextureSwizzle g, NVNtextureSwizzle b, NVNtextureSwizzle a) { pfnc_nvnTextureBuilderSetSwizzle(builder, r, g, b, a); }
extern void (*pfnc_nvnTextureBuilderSetDepthStencilMode)(NVNtextureBuilder* builder, NVNtextureDepthStencilMode mode);
static inline void nvnTextureBuilderSetDepthStencilMode(NVNtextureBuilder* builder, NVNtextureDepthStencilMode mode) { pfnc_nvnTextureBuilderSetDepthStencilMode(builder, mode); }
extern size_t (*pfnc_nvnTextureBuilderGetStorageSize)(const NVNtextureBuilder* builder);
static inline size_t nvnTextureBuilderGetStorageSize(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetStorageSize(builder); }
extern size_t (*pfnc_nvnTextureBuilderGetStorageAlignment)(const NVNtextureBuilder* builder);
static inline size_t nvnTextureBuilderGetStorageAlignment(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetStorageAlignment(builder); }
extern void (*pfnc_nvnTextureBuilderSetStorage)(NVNtextureBuilder* builder, NVNmemoryPool* pool, ptrdiff_t offset);
static inline void nvnTextureBuilderSetStorage(NVNtextureBuilder* builder, NVNmemoryPool* pool, ptrdiff_t offset) { pfnc_nvnTextureBuilderSetStorage(builder, pool, offset); }
extern void (*pfnc_nvnTextureBuilderSetPackagedTextureData)(NVNtextureBuilder* builder, const void* data);
static inline void nvnTextureBuilderSetPackagedTextureData(NVNtextureBuilder* builder, const void* data) { pfnc_nvnTextureBuilderSetPackagedTextureData(builder, data); }
extern void (*pfnc_nvnTextureBuilderSetPackagedTextureLayout)(NVNtextureBuilder* builder, const NVNpackagedTextureLayout* layout);
static inline void nvnTextureBuilderSetPackagedTextureLayout(NVNtextureBuilder* builder, const NVNpackagedTextureLayout* layout) { pfnc_nvnTextureBuilderSetPackagedTextureLayout(builder, layout); }
extern void (*pfnc_nvnTextureBuilderSetStride)(NVNtextureBuilder* builder, ptrdiff_t stride);
static inline void nvnTextureBuilderSetStride(NVNtextureBuilder* builder, ptrdiff_t stride) { pfnc_nvnTextureBuilderSetStride(builder, stride); }
extern void (*pfnc_nvnTextureBuilderSetGLTextureName)(NVNtextureBuilder* builder, uint32_t name);
static inline void nvnTextureBuilderSetGLTextureName(NVNtextureBuilder* builder, uint32_t name) { pfnc_nvnTextureBuilderSetGLTextureName(builder, name); }
extern NVNstorageClass (*pfnc_nvnTextureBuilderGetStorageClass)(const NVNtextureBuilder* builder);
static inline NVNstorageClass nvnTextureBuilderGetStorageClass(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetStorageClass(builder); }
extern NVNtextureFlags (*pfnc_nvnTextureBuilderGetFlags)(const NVNtextureBuilder* builder);
static inline NVNtextureFlags nvnTextureBuilderGetFlags(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetFlags(builder); }
extern NVNtextureTarget (*pfnc_nvnTextureBuilderGetTarget)(const NVNtextureBuilder* builder);
static inline NVNtextureTarget nvnTextureBuilderGetTarget(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetTarget(builder); }
extern int (*pfnc_nvnTextureBuilderGetWidth)(const NVNtextureBuilder* builder);
static inline int nvnTextureBuilderGetWidth(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetWidth(builder); }
extern int (*pfnc_nvnTextureBuilderGetHeight)(const NVNtextureBuilder* builder);
static inline int nvnTextureBuilderGetHeight(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetHeight(builder); }
extern int (*pfnc_nvnTextureBuilderGetDepth)(const NVNtextureBuilder* builder);
static inline int nvnTextureBuilderGetDepth(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetDepth(builder); }
extern int (*pfnc_nvnTextureBuilderGetLevels)(const NVNtextureBuilder* builder);
static inline int nvnTextureBuilderGetLevels(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetLevels(builder); }
extern NVNformat (*pfnc_nvnTextureBuilderGetFormat)(const NVNtextureBuilder* builder);
static inline NVNformat nvnTextureBuilderGetFormat(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetFormat(builder); }
extern int (*pfnc_nvnTextureBuilderGetSamples)(const NVNtextureBuilder* builder);
static inline int nvnTextureBuilderGetSamples(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetSamples(builder); }
extern void (*pfnc_nvnTextureBuilderGetSwizzle)(const NVNtextureBuilder* builder, NVNtextureSwizzle* r, NVNtextureSwizzle* g, NVNtextureSwizzle* b, NVNtextureSwizzle* a);
static inline void nvnTextureBuilderGetSwizzle(const NVNtextureBuilder* builder, NVNtextureSwizzle* r, NVNtextureSwizzle* g, NVNtextureSwizzle* b, NVNtextureSwizzle* a) { pfnc_nvnTextureBuilderGetSwizzle(builder, r, g, b, a); }
extern NVNtextureDepthStencilMode (*pfnc_nvnTextureBuilderGetDepthStencilMode)(const NVNtextureBuilder* builder);
static inline NVNtextureDepthStencilMode nvnTextureBuilderGetDepthStencilMode(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetDepthStencilMode(builder); }
extern const void* (*pfnc_nvnTextureBuilderGetPackagedTextureData)(const NVNtextureBuilder* builder);
static inline const void* nvnTextureBuilderGetPackagedTextureData(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetPackagedTextureData(builder); }
extern ptrdiff_t (*pfnc_nvnTextureBuilderGetStride)(const NVNtextureBuilder* builder);
static inline ptrdiff_t nvnTextureBuilderGetStride(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetStride(builder); }
extern void (*pfnc_nvnTextureBuilderGetSparseTileLayout)(const NVNtextureBuilder* builder, NVNtextureSparseTileLayout* layout);
static inline void nvnTextureBuilderGetSparseTileLayout(const NVNtextureBuilder* builder, NVNtextureSparseTileLayout* layout) { pfnc_nvnTextureBuilderGetSparseTileLayout(builder, layout); }
extern uint32_t (*pfnc_nvnTextureBuilderGetGLTextureName)(const NVNtextureBuilder* builder);
static inline uint32_t nvnTextureBuilderGetGLTextureName(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetGLTextureName(builder); }
extern size_t (*pfnc_nvnTextureBuilderGetZCullStorageSize)(const NVNtextureBuilder* builder);
static inline size_t nvnTextureBuilderGetZCullStorageSize(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetZCullStorageSize(builder); }
extern NVNmemoryPool* (*pfnc_nvnTextureBuilderGetMemoryPool)(const NVNtextureBuilder* builder);
static inline NVNmemoryPool* nvnTextureBuilderGetMemoryPool(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetMemoryPool(builder); }
extern ptrdiff_t (*pfnc_nvnTextureBuilderGetMemoryOffset)(const NVNtextureBuilder* builder);
static inline ptrdiff_t nvnTextureBuilderGetMemoryOffset(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetMemoryOffset(builder); }
extern void (*pfnc_nvnTextureViewSetDefaults)(NVNtextureView* view);
static inline void nvnTextureViewSetDefaults(NVNtextureView* view) { pfnc_nvnTextureViewSetDefaults(view); }
extern void (*pfnc_nvnTextureViewSetLevels)(NVNtextureView* view, int baseLevel, int numLevels);
static inline void nvnTextureViewSetLevels(NVNtextureView* view, int baseLevel, int numLevels) { pfnc_nvnTextureViewSetLevels(view, baseLevel, numLevels); }
extern void (*pfnc_nvnTextureViewSetLayers)(NVNtextureView* view, int minLayer, int numLayers);
static inline void nvnTextureViewSetLayers(NVNtextureView* view, int minLayer, int numLayers) { pfnc_nvnTextureViewSetLayers(view, minLayer, numLayers); }
extern void (*pfnc_nvnTextureViewSetFormat)(NVNtextureView* view, NVNformat format);
static inline void nvnTextureViewSetFormat(NVNtextureView* view, NVNformat format) { pfnc_nvnTextureViewSetFormat(view, format); }
extern void (*pfnc_nvnTextureViewSetSwizzle)(NVNtextureView* view, NVNtextureSwizzle r, NVNtextureSwizzle g, NVNtextureSwizzle b, NVNtextureSwizzle a);
static inline void nvnTextureViewSetSwizzle(NVNtextureView* view, NVNtextureSwizzle r, NVNtextureSwizzle g, NVNtextureSwizzle b, NVNtextureSwizzle a) { pfnc_nvnTextureViewSetSwizzle(view, r, g, b, a); }
extern void (*pfnc_nvnTextureViewSetDepthStencilMode)(NVNtextureView* view, NVNtextureDepthStencilMode mode);
static inline void nvnTextureViewSetDepthStencilMode(NVNtextureView* view, NVNtextureDepthStencilMode mode) { pfnc_nvnTextureViewSetDepthStencilMode(view, mode); }
extern void (*pfnc_nvnTextureViewSetTarget)(NVNtextureView* view, NVNtextureTarget target);
static inline void nvnTextureViewSetTarget(NVNtextureView* view, NVNtextureTarget target) { pfnc_nvnTextureViewSetTarget(view, target); }
extern NVNboolean (*pfnc_nvnTextureViewGetLevels)(const NVNtextureView* view, int* baseLevel, int* numLevels);
static inline NVNboolean nvnTextureViewGetLevels(const NVNtextureView* view, int* baseLevel, int* numLevels) { return pfnc_nvnTextureViewGetLevels(view, baseLevel, numLevels); }
extern NVNboolean (*pfnc_nvnTextureViewGetLayers)(const NVNtextureView* view, int* minLayer, int* numLayers);
static inline NVNboolean nvnTextureViewGetLayers(const NVNtextureView* view, int* minLayer, int* numLayers) { return pfnc_nvnTextureViewGetLayers(view, minLayer, numLayers); }
extern NVNboolean (*pfnc_nvnTextureViewGetFormat)(const NVNtextureView* view, NVNformat* format);
static inline NVNboolean nvnTextureViewGetFormat(const NVNtextureView* view, NVNformat* format) { return pfnc_nvnTextureViewGetFormat(view, format); }
extern NVNboolean (*pfnc_nvnTextureViewGetSwizzle)(const NVNtextureView* view, NVNtextureSwizzle* r, NVNtextureSwizzle* g, NVNtextureSwizzle* b, NVNtextureSwizzle* a);
static inline NVNboolean nvnTextureViewGetSwizzle(const NVNtextureView* view, NVNtextureSwizzle* r, NVNtextureSwizzle* g, NVNtextureSwizzle* b, NVNtextureSwizzle* a) { return pfnc_nvnTextureViewGetSwizzle(view, r, g, b, a); }
extern NVNboolean (*pfnc_nvnTextureViewGetDepthStencilMode)(const NVNtextureView* view, NVNtextureDepthStencilMode* mode);
static inline NVNboolean nvnTextureViewGetDepthStencilMode(const NVNtextureView* view, NVNtextureDepthStencilMode* mode) { return pfnc_nvnTextureViewGetDepthStencilMode(view, mode); }
extern NVNboolean (*pfnc_nvnTextureViewGetTarget)(const NVNtextureView* view, NVNtextureTarget* target);
static inline NVNboolean nvnTextureViewGetTarget(const NVNtextureView* view, NVNtextureTarget* target) { return pfnc_nvnTextureViewGetTarget(view, target); }
extern NVNboolean (*pfnc_nvnTextureViewCompare)(const NVNtextureView* view1, const NVNtextureView* view2);
static inline NVNboolean nvnTextureViewCompare(const NVNtextureView* view1, const NVNtextureView* view2) { return pfnc_nvnTextureViewCompare(view1, view2); }
extern NVNboolean (*pfnc_nvnTextureInitialize)(NVNtexture* texture, const NVNtextureBuilder* builder);
static inline NVNboolean nvnTextureInitialize(NVNtexture* texture, const NVNtextureBuilder* builder) { return pfnc_nvnTextureInitialize(texture, builder); }
extern size_t (*pfnc_nvnTextureGetZCullStorageSize)(const NVNtexture* texture);
static inline size_t nvnTextureGetZCullStorageSize(const NVNtexture* texture) { return pfnc_nvnTextureGetZCullStorageSize(texture); }
extern void (*pfnc_nvnTextureFinalize)(NVNtexture* texture);
static inline void nvnTextureFinalize(NVNtexture* texture) { pfnc_nvnTextureFinalize(texture); }
extern void (*pfnc_nvnTextureSetDebugLabel)(NVNtexture* texture, const char* label);
static inline void nvnTextureSetDebugLabel(NVNtexture* texture, const char* label) { pfnc_nvnTextureSetDebugLabel(texture, label); }
extern NVNstorageClass (*pfnc_nvnTextureGetStorageClass)(const NVNtexture* texture);
static inline NVNstorageClass nvnTextureGetStorageClass(const NVNtexture* texture) { return pfnc_nvnTextureGetStorageClass(texture); }
extern ptrdiff_t (*pfnc_nvnTextureGetViewOffset)(const NVNtexture* texture, const NVNtextureView* view);
static inline ptrdiff_t nvnTextureGetViewOffset(const NVNtexture* texture, const NVNtextureView* view) { return pfnc_nvnTextureGetViewOffset(texture, view); }
extern NVNtextureFlags (*pfnc_nvnTextureGetFlags)(const NVNtexture* texture);
static inline NVNtextureFlags nvnTextureGetFlags(const NVNtexture* texture) { return pfnc_nvnTextureGetFlags(texture); }
extern NVNtextureTarget (*pfnc_nvnTextureGetTarget)(const NVNtexture* texture);
static inline NVNtextureTarget nvnTextureGetTarget(const NVNtexture* texture) { return pfnc_nvnTextureGetTarget(texture); }
extern int (*pfnc_nvnTextureGetWidth)(const NVNtexture* texture);
static inline int nvnTextureGetWidth(const NVNtexture* texture) { return pfnc_nvnTextureGetWidth(texture); }
extern int (*pfnc_nvnTextureGetHeight)(const NVNtexture* texture);
static inline int nvnTextureGetHeight(const NVNtexture* texture) { return pfnc_nvnTextureGetHeight(texture); }
extern int (*pfnc_nvnTextureGetDepth)(const NVNtexture* texture);
static inline int nvnTextureGetDepth(const NVNtexture* texture) { return pfnc_nvnTextureGetDepth(texture); }
extern int (*pfnc_nvnTextureGetLevels)(const NVNtexture* texture);
static inline int nvnTextureGetLevels(const NVNtexture* texture) { return pfnc_nvnTextureGetLevels(texture); }
extern NVNformat (*pfnc_nvnTextureGetFormat)(const NVNtexture* texture);
static inline NVNformat nvnTextureGetFormat(const NVNtexture* texture) { return pfnc_nvnTextureGetFormat(texture); }
extern int (*pfnc_nvnTextureGetSamples)(const NVNtexture* texture);
static inline int nvnTextureGetSamples(const NVNtexture* texture) { return pfnc_nvnTextureGetSamples(texture); }
extern void (*pfnc_nvnTextureGetSwizzle)(const NVNtexture* texture, NVNtextureSwizzle* r, NVNtextureSwizzle* g, NVNtextureSwizzle* b, NVNtextureSwizzle* a);
static inline void nvnTextureGetSwizzle(const NVNtexture* texture, NVNtextureSwizzle* r, NVNtextureSwizzle* g, NVNtextureSwizzle* b, NVNtextureSwizzle* a) { pfnc_nvnTextureGetSwizzle(texture, r, g, b, a); }
extern NVNtextureDepthStencilMode (*pfnc_nvnTextureGetDepthStencilMode)(const NVNtexture* texture);
static inline NVNtextureDepthStencilMode nvnTextureGetDepthStencilMode(const NVNtexture* texture) { return pfnc_nvnTextureGetDepthStencilMode(texture); }
extern ptrdiff_t (*pfnc_nvnTextureGetStride)(const NVNtexture* texture);
static inline ptrdiff_t nvnTextureGetStride(const NVNtexture* texture) { return pfnc_nvnTextureGetStride(texture); }
extern NVNtextureAddress (*pfnc_nvnTextureGetTextureAddress)(const NVNtexture* texture);
static inline NVNtextureAddress nvnTextureGetTextureAddress(const NVNtexture* texture) { return pfnc_nvnTextureGetTextureAddress(texture); }
extern void (*pfnc_nvnTextureGetSparseTileLayout)(const NVNtexture* texture, NVNtextureSparseTileLayout* layout);
static inline void nvnTextureGetSparseTileLayout(const NVNtexture* texture, NVNtextureSparseTileLayout* layout) { pfnc_nvnTextureGetSparseTileLayout(texture, layout); }
extern void (*pfnc_nvnTextureWriteTexels)(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, const void* data);
static inline void nvnTextureWriteTexels(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, const void* data) { pfnc_nvnTextureWriteTexels(texture, view, region, data); }
extern void (*pfnc_nvnTextureWriteTexelsStrided)(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, const void* data, ptrdiff_t rowStride, ptrdiff_t imageStride);
static inline void nvnTextureWriteTexelsStrided(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, const void* data, ptrdiff_t rowStride, ptrdiff_t imageStride) { pfnc_nvnTextureWriteTexelsStrided(texture, view, region, data, rowStride, imageStride); }
extern void (*pfnc_nvnTextureReadTexels)(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, void* data);
static inline void nvnTextureReadTexels(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, void* data) { pfnc_nvnTextureReadTexels(texture, view, region, data); }
extern void (*pfnc_nvnTextureReadTexelsStrided)(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, void* data, ptrdiff_t rowStride, ptrdiff_t imageStride);
static inline void nvnTextureReadTexelsStrided(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, void* data, ptrdiff_t rowStride, ptrdiff_t imageStride) { pfnc_nvnTextureReadTexelsStrided(texture, view, region, data, rowStride, imageStride); }
extern void (*pfnc_nvnTextureFlushTexels)(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region);
static inline void nvnTextureFlushTexels(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region) { pfnc_nvnTextureFlushTexels(texture, view, region); }
extern void (*pfnc_nvnTextureInvalidateTexels)(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region);
static inline void nvnTextureInvalidateTexels(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region) { pfnc_nvnTextureInvalidateTexels(texture, view, region); }
extern NVNmemoryPool* (*pfnc_nvnTextureGetMemoryPool)(const NVNtexture* texture);
static inline NVNmemoryPool* nvnTextureGetMemoryPool(const NVNtexture* texture) { return pfnc_nvnTextureGetMemoryPool(texture); }
extern ptrdiff_t (*pfnc_nvnTextureGetMemoryOffset)(const NVNtexture* texture);
static inline ptrdiff_t nvnTextureGetMemoryOffset(const NVNtexture* texture) { return pfnc_nvnTextureGetMemoryOffset(texture); }
extern int (*pfnc_nvnTextureGetStorageSize)(const NVNtexture* texture);
static inline int nvnTextureGetStorageSize(const NVNtexture* texture) { return pfnc_nvnTextureGetStorageSize(texture); }
extern NVNboolean (*pfnc_nvnTextureCompare)(const NVNtexture* texture1, const NVNtexture* texture2);
static inline NVNboolean nvnTextureCompare(const NVNtexture* texture1, const NVNtexture* texture2) { return pfnc_nvnTextureCompare(texture1, texture2); }
extern uint64_t (*pfnc_nvnTextureGetDebugID)(const NVNtexture* texture);
static inline uint64_t nvnTextureGetDebugID(const NVNtexture* texture) { return pfnc_nvnTextureGetDebugID(texture); }
extern void (*pfnc_nvnSamplerBuilderSetDevice)(NVNsamplerBuilder* builder, NVNdevice* device);
static inline void nvnSamplerBuilderSetDevice(NVNsamplerBuilder* builder, NVNdevice* device) { pfnc_nvnSamplerBuilderSetDevice(builder, device); }
extern void (*pfnc_nvnSamplerBuilderSetDefaults)(NVNsamplerBuilder* builder);
static inline void nvnSamplerBuilderSetDefaults(NVNsamplerBuilder* builder) { pfnc_nvnSamplerBuilderSetDefaults(builder); }
extern void (*pfnc_nvnSamplerBuilderSetMinMagFilter)(NVNsamplerBuilder* builder, NVNminFilter min, NVNmagFilter mag);
static inline void nvnSamplerBuilderSetMinMagFilter(NVNsamplerBuilder* builder, NVNminFilter min, NVNmagFilter mag) { pfnc_nvnSamplerBuilderSetMinMagFilter(builder, min, mag); }
extern void (*pfnc_nvnSamplerBuilderSetWrapMode)(NVNsamplerBuilder* builder, NVNwrapMode s, NVNwrapMode t, NVNwrapMode r);
static inline void nvnSamplerBuilderSetWrapMode(NVNsamplerBuilder* builder, NVNwrapMode s, NVNwrapMode t, NVNwrapMode r) { pfnc_nvnSamplerBuilderSetWrapMode(builder, s, t, r); }
extern void (*pfnc_nvnSamplerBuilderSetLodClamp)(NVNsamplerBuilder* builder, float min, float max);
static inline void nvnSamplerBuilderSetLodClamp(NVNsamplerBuilder* builder, float min, float max) { pfnc_nvnSamplerBuilderSetLodClamp(builder, min, max); }
extern void (*pfnc_nvnSamplerBuilderSetLodBias)(NVNsamplerBuilder* builder, float bias);
static inline void nvnSamplerBuilderSetLodBias(NVNsamplerBuilder* builder, float bias) { pfnc_nvnSamplerBuilderSetLodBias(builder, bias); }
extern void (*pfnc_nvnSamplerBuilderSetCompare)(NVNsamplerBuilder* builder, NVNcompareMode mode, NVNcompareFunc func);
static inline void nvnSamplerBuilderSetCompare(NVNsamplerBuilder* builder, NVNcompareMode mode, NVNcompareFunc func) { pfnc_nvnSamplerBuilderSetCompare(builder, mode, func); }
extern void (*pfnc_nvnSamplerBuilderSetBorderColor)(NVNsamplerBuilder* builder, const float* borderColor);
static inline void nvnSamplerBuilderSetBorderColor(NVNsamplerBuilder* builder, const float* borderColor) { pfnc_nvnSamplerBuilderSetBorderColor(builder, borderColor); }
extern void (*pfnc_nvnSamplerBuilderSetBorderColori)(NVNsamplerBuilder* builder, const int* borderColor);
static inline void nvnSamplerBuilderSetBorderColori(NVNsamplerBuilder* builder, const int* borderColor) { pfnc_nvnSamplerBuilderSetBorderColori(builder, borderColor); }
extern void (*pfnc_nvnSamplerBuilderSetBorderColorui)(NVNsamplerBuilder* builder, const uint32_t* borderColor);
static inline void nvnSamplerBuilderSetBorderColorui(NVNsamplerBuilder* builder, const uint32_t* borderColor) { pfnc_nvnSamplerBuilderSetBorderColorui(builder, borderColor); }
extern void (*pfnc_nvnSamplerBuilderSetMaxAnisotropy)(NVNsamplerBuilder* builder, float maxAniso);
static inline void nvnSamplerBuilderSetMaxAnisotropy(NVNsamplerBuilder* builder, float maxAniso) { pfnc_nvnSamplerBuilderSetMaxAnisotropy(builder, maxAniso); }
extern void (*pfnc_nvnSamplerBuilderSetReductionFilter)(NVNsamplerBuilder* builder, NVNsamplerReduction filter);
static inline void nvnSamplerBuilderSetReductionFilter(NVNsamplerBuilder* builder, NVNsamplerReduction filter) { pfnc_nvnSamplerBuilderSetReductionFilter(builder, filter); }
extern void (*pfnc_nvnSamplerBuilderSetLodSnap)(NVNsamplerBuilder* builder, float f);
static inline void nvnSamplerBuilderSetLodSnap(NVNsamplerBuilder* builder, float f) { pfnc_nvnSamplerBuilderSetLodSnap(builder, f); }
extern void (*pfnc_nvnSamplerBuilderGetMinMagFilter)(const NVNsamplerBuilder* builder, NVNminFilter* min, NVNmagFilter* mag);
static inline void nvnSamplerBuilderGetMinMagFilter(const NVNsamplerBuilder* builder, NVNminFilter* min, NVNmagFilter* mag) { pfnc_nvnSamplerBuilderGetMinMagFilter(builder, min, mag); }
extern void (*pfnc_nvnSamplerBuilderGetWrapMode)(const NVNsamplerBuilder* builder, NVNwrapMode* s, NVNwrapMode* t, NVNwrapMode* r);
static inline void nvnSamplerBuilderGetWrapMode(const NVNsamplerBuilder* builder, NVNwrapMode* s, NVNwrapMode* t, NVNwrapMode* r) { pfnc_nvnSamplerBuilderGetWrapMode(builder, s, t, r); }
extern void (*pfnc_nvnSamplerBuilderGetLodClamp)(const NVNsamplerBuilder* builder, float* min, float* max);
static inline void nvnSamplerBuilderGetLodClamp(const NVNsamplerBuilder* builder, float* min, float* max) { pfnc_nvnSamplerBuilderGetLodClamp(builder, min, max); }
extern float (*pfnc_nvnSamplerBuilderGetLodBias)(const NVNsamplerBuilder* builder);
static inline float nvnSamplerBuilderGetLodBias(const NVNsamplerBuilder* builder) { return pfnc_nvnSamplerBuilderGetLodBias(builder); }
extern void (*pfnc_nvnSamplerBuilderGetCompare)(const NVNsamplerBuilder* builder, NVNcompareMode* mode, NVNcompareFunc* func);
static inline void nvnSamplerBuilderGetCompare(const NVNsamplerBuilder* builder, NVNcompareMode* mode, NVNcompareFunc* func) { pfnc_nvnSamplerBuilderGetCompare(builder, mode, func); }
extern void (*pfnc_nvnSamplerBuilderGetBorderColor)(const NVNsamplerBuilder* builder, float* borderColor);
static inline void nvnSamplerBuilderGetBorderColor(const NVNsamplerBuilder* builder, float* borderColor) { pfnc_nvnSamplerBuilderGetBorderColor(builder, borderColor); }
extern void (*pfnc_nvnSamplerBuilderGetBorderColori)(const NVNsamplerBuilder* builder, int* borderColor);
static inline void nvnSamplerBuilderGetBorderColori(const NVNsamplerBuilder* builder, int* borderColor) { pfnc_nvnSamplerBuilderGetBorderColori(builder, borderColor); }
extern void (*pfnc_nvnSamplerBuilderGetBorderColorui)(const NVNsamplerBuilder* builder, uint32_t* borderColor);
static inline void nvnSamplerBuilderGetBorderColorui(const NVNsamplerBuilder* builder, uint32_t* borderColor) { pfnc_nvnSamplerBuilderGetBorderColorui(builder, borderColor); }
extern float (*pfnc_nvnSamplerBuilderGetMaxAnisotropy)(const NVNsamplerBuilder* builder);
static inline float nvnSamplerBuilderGetMaxAnisotropy(const NVNsamplerBuilder* builder) { return pfnc_nvnSamplerBuilderGetMaxAnisotropy(builder); }
extern NVNsamplerReduction (*pfnc_nvnSamplerBuilderGetReductionFilter)(const NVNsamplerBuilder* builder);
static inline NVNsamplerReduction nvnSamplerBuilderGetReductionFilter(const NVNsamplerBuilder* builder) { return pfnc_nvnSamplerBuilderGetReductionFilter(builder); }
extern float (*pfnc_nvnSamplerBuilderGetLodSnap)(const NVNsamplerBuilder* builder);
static inline float nvnSamplerBuilderGetLodSnap(const NVNsamplerBuilder* builder) { return pfnc_nvnSamplerBuilderGetLodSnap(builder); }
extern NVNboolean (*pfnc_nvnSamplerInitialize)(NVNsampler* sampler, const NVNsamplerBuilder* builder);
static inline NVNboolean nvnSamplerInitialize(NVNsampler* sampler, const NVNsamplerBuilder* builder) { return pfnc_nvnSamplerInitialize(sampler, builder); }
extern void (*pfnc_nvnSamplerFinalize)(NVNsampler* sampler);
static inline void nvnSamplerFinalize(NVNsampler* sampler) { pfnc_nvnSamplerFinalize(sampler); }
extern void (*pfnc_nvnSamplerSetDebugLabel)(NVNsampler* sampler, const char* label);
static inline void nvnSamplerSetDebugLabel(NVNsampler* sampler, const char* label) { pfnc_nvnSamplerSetDebugLabel(sampler, label); }
extern void (*pfnc_nvnSamplerGetMinMagFilter)(const NVNsampler* sampler, NVNminFilter* min, NVNmagFilter* mag);
static inline void nvnSamplerGetMinMagFilter(const NVNsampler* sampler, NVNminFilter* min, NVNmagFilter* mag) { pfnc_nvnSamplerGetMinMagFilter(sampler, min, mag); }
extern void (*pfnc_nvnSamplerGetWrapMode)(const NVNsampler* sampler, NVNwrapMode* s, NVNwrapMode* t, NVNwrapMode* r);
static inline void nvnSamplerGetWrapMode(const NVNsampler* sampler, NVNwrapMode* s, NVNwrapMode* t, NVNwrapMode* r) { pfnc_nvnSamplerGetWrapMode(sampler, s, t, r); }
extern void (*pfnc_nvnSamplerGetLodClamp)(const NVNsampler* sampler, float* min, float* max);
static inline void nvnSamplerGetLodClamp(const NVNsampler* sampler, float* min, float* max) { pfnc_nvnSamplerGetLodClamp(sampler, min, max); }
extern float (*pfnc_nvnSamplerGetLodBias)(const NVNsampler* sampler);
static inline float nvnSamplerGetLodBias(const NVNsampler* sampler) { return pfnc_nvnSamplerGetLodBias(sampler); }
extern void (*pfnc_nvnSamplerGetCompare)(const NVNsampler* sampler, NVNcompareMode* mode, NVNcompareFunc* func);
static inline void nvnSamplerGetCompare(const NVNsampler* sampler, NVNcompareMode* mode, NVNcompareFunc* func) { pfnc_nvnSamplerGetCompare(sampler, mode, func); }
extern void (*pfnc_nvnSamplerGetBorderColor)(const NVNsampler* sampler, float* borderColor);
static inline void nvnSamplerGetBorderColor(const NVNsampler* sampler, float* borderColor) { pfnc_nvnSamplerGetBorderColor(sampler, borderColor); }
extern void (*pfnc_nvnSamplerGetBorderColori)(const NVNsampler* sampler, int* borderColor);
static inline void nvnSamplerGetBorderColori(const NVNsampler* sampler, int* borderColor) { pfnc_nvnSamplerGetBorderColori(sampler, borderColor); }
extern void (*pfnc_nvnSamplerGetBorderColorui)(const NVNsampler* sampler, uint32_t* borderColor);
static inline void nvnSamplerGetBorderColorui(const NVNsampler* sampler, uint32_t* borderColor) { pfnc_nvnSamplerGetBorderColorui(sampler, borderColor); }
extern float (*pfnc_nvnSamplerGetMaxAnisotropy)(const NVNsampler* sampler);
static inline float nvnSamplerGetMaxAnisotropy(const NVNsampler* sampler) { return pfnc_nvnSamplerGetMaxAnisotropy(sampler); }
extern NVNsamplerReduction (*pfnc_nvnSamplerGetReductionFilter)(const NVNsampler* sampler);
static inline NVNsamplerReduction nvnSamplerGetReductionFilter(const NVNsampler* sampler) { return pfnc_nvnSamplerGetReductionFilter(sampler); }
extern NVNboolean (*pfnc_nvnSamplerCompare)(const NVNsampler* sampler1, const NVNsampler* sampler2);
static inline NVNboolean nvnSamplerCompare(const NVNsampler* sampler1, const NVNsampler* sampler2) { return pfnc_nvnSamplerCompare(sampler1, sampler2); }
extern uint64_t (*pfnc_nvnSamplerGetDebugID)(const NVNsampler* sampler);
static inline uint64_t nvnSamplerGetDebugID(const NVNsampler* sampler) { return pfnc_nvnSamplerGetDebugID(sampler); }
extern void (*pfnc_nvnBlendStateSetDefaults)(NVNblendState* blend);
static inline void nvnBlendStateSetDefaults(NVNblendState* blend) { pfnc_nvnBlendStateSetDefaults(blend); }
extern void (*pfnc_nvnBlendStateSetBlendTarget)(NVNblendState* blend, int target);
static inline void nvnBlendStateSetBlendTarget(NVNblendState* blend, int target) { pfnc_nvnBlendStateSetBlendTarget(blend, target); }
extern void (*pfnc_nvnBlendStateSetBlendFunc)(NVNblendState* blend, NVNblendFunc srcFunc, NVNblendFunc dstFunc, NVNblendFunc srcFuncAlpha, NVNblendFunc dstFuncAlpha);
static inline void nvnBlendStateSetBlendFunc(NVNblendState* blend, NVNblendFunc srcFunc, NVNblendFunc dstFunc, NVNblendFunc srcFuncAlpha, NVNblendFunc dstFuncAlpha) { pfnc_nvnBlendStateSetBlendFunc(blend, srcFunc, dstFunc, srcFuncAlpha, dstFuncAlpha); }
extern void (*pfnc_nvnBlendStateSetBlendEquation)(NVNblendState* blend, NVNblendEquation modeRGB, NVNblendEquation modeAlpha);
static inline void nvnBlendStateSetBlendEquation(NVNblendState* blend, NVNblendEquation modeRGB, NVNblendEquation modeAlpha) { pfnc_nvnBlendStateSetBlendEquation(blend, modeRGB, modeAlpha); }
extern void (*pfnc_nvnBlendStateSetAdvancedMode)(NVNblendState* blend, NVNblendAdvancedMode mode);
static inline void nvnBlendStateSetAdvancedMode(NVNblendState* blend, NVNblendAdvancedMode mode) { pfnc_nvnBlendStateSetAdvancedMode(blend, mode); }
extern void (*pfnc_nvnBlendStateSetAdvancedOverlap)(NVNblendState* blend, NVNblendAdvancedOverlap overlap);
static inline void nvnBlendStateSetAdvancedOverlap(NVNblendState* blend, NVNblendAdvancedOverlap overlap) { pfnc_nvnBlendStateSetAdvancedOverlap(blend, overlap); }
extern void (*pfnc_nvnBlendStateSetAdvancedPremultipliedSrc)(NVNblendState* blend, NVNboolean b);
static inline void nvnBlendStateSetAdvancedPremultipliedSrc(NVNblendState* blend, NVNboolean b) { pfnc_nvnBlendStateSetAdvancedPremultipliedSrc(blend, b); }
extern void (*pfnc_nvnBlendStateSetAdvancedNormalizedDst)(NVNblendState* blend, NVNboolean b);
static inline void nvnBlendStateSetAdvancedNormalizedDst(NVNblendState* blend, NVNboolean b) { pfnc_nvnBlendStateSetAdvancedNormalizedDst(blend, b); }
extern int (*pfnc_nvnBlendStateGetBlendTarget)(const NVNblendState* blend);
static inline int nvnBlendStateGetBlendTarget(const NVNblendState* blend) { return pfnc_nvnBlendStateGetBlendTarget(blend); }
extern void (*pfnc_nvnBlendStateGetBlendFunc)(const NVNblendState* blend, NVNblendFunc* srcFunc, NVNblendFunc* dstFunc, NVNblendFunc* srcFuncAlpha, NVNblendFunc* dstFuncAlpha);
static inline void nvnBlendStateGetBlendFunc(const NVNblendState* blend, NVNblendFunc* srcFunc, NVNblendFunc* dstFunc, NVNblendFunc* srcFuncAlpha, NVNblendFunc* dstFuncAlpha) { pfnc_nvnBlendStateGetBlendFunc(blend, srcFunc, dstFunc, srcFuncAlpha, dstFuncAlpha); }
extern void (*pfnc_nvnBlendStateGetBlendEquation)(const NVNblendState* blend, NVNblendEquation* modeRGB, NVNblendEquation* modeAlpha);
static inline void nvnBlendStateGetBlendEquation(const NVNblendState* blend, NVNblendEquation* modeRGB, NVNblendEquation* modeAlpha) { pfnc_nvnBlendStateGetBlendEquation(blend, modeRGB, modeAlpha); }
extern NVNblendAdvancedMode (*pfnc_nvnBlendStateGetAdvancedMode)(const NVNblendState* blend);
static inline NVNblendAdvancedMode nvnBlendStateGetAdvancedMode(const NVNblendState* blend) { return pfnc_nvnBlendStateGetAdvancedMode(blend); }
extern NVNblendAdvancedOverlap (*pfnc_nvnBlendStateGetAdvancedOverlap)(const NVNblendState* blend);
static inline NVNblendAdvancedOverlap nvnBlendStateGetAdvancedOverlap(const NVNblendState* blend) { return pfnc_nvnBlendStateGetAdvancedOverlap(blend); }
extern NVNboolean (*pfnc_nvnBlendStateGetAdvancedPremultipliedSrc)(const NVNblendState* blend);
static inline NVNboolean nvnBlendStateGetAdvancedPremultipliedSrc(const NVNblendState* blend) { return pfnc_nvnBlendStateGetAdvancedPremultipliedSrc(blend); }
extern NVNboolean (*pfnc_nvnBlendStateGetAdvancedNormalizedDst)(const NVNblendState* blend);
static inline NVNboolean nvnBlendStateGetAdvancedNormalizedDst(const NVNblendState* blend) { return pfnc_nvnBlendStateGetAdvancedNormalizedDst(blend); }
extern void (*pfnc_nvnColorStateSetDefaults)(NVNcolorState* color);
static inline void nvnColorStateSetDefaults(NVNcolorState* color) { pfnc_nvnColorStateSetDefaults(color); }
extern void (*pfnc_nvnColorStateSetBlendEnable)(NVNcolorState* color, int index, NVNboolean enable);
static inline void nvnColorStateSetBlendEnable(NVNcolorState* color, int index, NVNboolean enable) { pfnc_nvnColorStateSetBlendEnable(color, index, enable); }
extern void (*pfnc_nvnColorStateSetLogicOp)(NVNcolorState* color, NVNlogicOp logicOp);
static inline void nvnColorStateSetLogicOp(NVNcolorState* color, NVNlogicOp logicOp) { pfnc_nvnColorStateSetLogicOp(color, logicOp); }
extern void (*pfnc_nvnColorStateSetAlphaTest)(NVNcolorState* color, NVNalphaFunc alphaFunc);
static inline void nvnColorStateSetAlphaTest(NVNcolorState* color, NVNalphaFunc alphaFunc) { pfnc_nvnColorStateSetAlphaTest(color, alphaFunc); }
extern NVNboolean (*pfnc_nvnColorStateGetBlendEnable)(const NVNcolorState* color, int index);
static inline NVNboolean nvnColorStateGetBlendEnable(const NVNcolorState* color, int index) { return pfnc_nvnColorStateGetBlendEnable(color, index); }
extern NVNlogicOp (*pfnc_nvnColorStateGetLogicOp)(const NVNcolorState* color);
static inline NVNlogicOp nvnColorStateGetLogicOp(const NVNcolorState* color) { return pfnc_nvnColorStateGetLogicOp(color); }
extern NVNalphaFunc (*pfnc_nvnColorStateGetAlphaTest)(const NVNcolorState* color);
static inline NVNalphaFunc nvnColorStateGetAlphaTest(const NVNcolorState* color) { return pfnc_nvnColorStateGetAlphaTest(color); }
extern void (*pfnc_nvnChannelMaskStateSetDefaults)(NVNchannelMaskState* channelMask);
static inline void nvnChannelMaskStateSetDefaults(NVNchannelMaskState* channelMask) { pfnc_nvnChannelMaskStateSetDefaults(channelMask); }
extern void (*pfnc_nvnChannelMaskStateSetChannelMask)(NVNchannelMaskState* channelMask, int index, NVNboolean r, NVNboolean g, NVNboolean b, NVNboolean a);
static inline void nvnChannelMaskStateSetChannelMask(NVNchannelMaskState* channelMask, int index, NVNboolean r, NVNboolean g, NVNboolean b, NVNboolean a) { pfnc_nvnChannelMaskStateSetChannelMask(channelMask, index, r, g, b, a); }
extern void (*pfnc_nvnChannelMaskStateGetChannelMask)(const NVNchannelMaskState* channelMask, int index, NVNboolean* r, NVNboolean* g, NVNboolean* b, NVNboolean* a);
static inline void nvnChannelMaskStateGetChannelMask(const NVNchannelMaskState* channelMask, int index, NVNboolean* r, NVNboolean* g, NVNboolean* b, NVNboolean* a) { pfnc_nvnChannelMaskStateGetChannelMask(channelMask, index, r, g, b, a); }
extern void (*pfnc_nvnMultisampleStateSetDefaults)(NVNmultisampleState* multisample);
static inline void nvnMultisampleStateSetDefaults(NVNmultisampleState* multisample) { pfnc_nvnMultisampleStateSetDefaults(multisample); }
extern void (*pfnc_nvnMultisampleStateSetMultisampleEnable)(NVNmultisampleState* multisample, NVNboolean enable);
static inline void nvnMultisampleStateSetMultisampleEnable(NVNmultisampleState* multisample, NVNboolean enable) { pfnc_nvnMultisampleStateSetMultisampleEnable(multisample, enable); }
extern void (*pfnc_nvnMultisampleStateSetSamples)(NVNmultisampleState* multisample, int samples);
static inline void nvnMultisampleStateSetSamples(NVNmultisampleState* multisample, int samples) { pfnc_nvnMultisampleStateSetSamples(multisample, samples); }
extern void (*pfnc_nvnMultisampleStateSetAlphaToCoverageEnable)(NVNmultisampleState* multisample, NVNboolean enable);
static inline void nvnMultisampleStateSetAlphaToCoverageEnable(NVNmultisampleState* multisample, NVNboolean enable) { pfnc_nvnMultisampleStateSetAlphaToCoverageEnable(multisample, enable); }
extern void (*pfnc_nvnMultisampleStateSetAlphaToCoverageDither)(NVNmultisampleState* multisample, NVNboolean enable);
static inline void nvnMultisampleStateSetAlphaToCoverageDither(NVNmultisampleState* multisample, NVNboolean enable) { pfnc_nvnMultisampleStateSetAlphaToCoverageDither(multisample, enable); }
extern NVNboolean (*pfnc_nvnMultisampleStateGetMultisampleEnable)(const NVNmultisampleState* multisample);
static inline NVNboolean nvnMultisampleStateGetMultisampleEnable(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetMultisampleEnable(multisample); }
extern int (*pfnc_nvnMultisampleStateGetSamples)(const NVNmultisampleState* multisample);
static inline int nvnMultisampleStateGetSamples(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetSamples(multisample); }
extern NVNboolean (*pfnc_nvnMultisampleStateGetAlphaToCoverageEnable)(const NVNmultisampleState* multisample);
static inline NVNboolean nvnMultisampleStateGetAlphaToCoverageEnable(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetAlphaToCoverageEnable(multisample); }
extern NVNboolean (*pfnc_nvnMultisampleStateGetAlphaToCoverageDither)(const NVNmultisampleState* multisample);
static inline NVNboolean nvnMultisampleStateGetAlphaToCoverageDither(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetAlphaToCoverageDither(multisample); }
extern void (*pfnc_nvnMultisampleStateSetRasterSamples)(NVNmultisampleState* multisample, int samples);
static inline void nvnMultisampleStateSetRasterSamples(NVNmultisampleState* multisample, int samples) { pfnc_nvnMultisampleStateSetRasterSamples(multisample, samples); }
extern int (*pfnc_nvnMultisampleStateGetRasterSamples)(NVNmultisampleState* multisample);
static inline int nvnMultisampleStateGetRasterSamples(NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetRasterSamples(multisample); }
extern void (*pfnc_nvnMultisampleStateSetCoverageModulationMode)(NVNmultisampleState* multisample, NVNcoverageModulationMode mode);
static inline void nvnMultisampleStateSetCoverageModulationMode(NVNmultisampleState* multisample, NVNcoverageModulationMode mode) { pfnc_nvnMultisampleStateSetCoverageModulationMode(multisample, mode); }
extern NVNcoverageModulationMode (*pfnc_nvnMultisampleStateGetCoverageModulationMode)(const NVNmultisampleState* multisample);
static inline NVNcoverageModulationMode nvnMultisampleStateGetCoverageModulationMode(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetCoverageModulationMode(multisample); }
extern void (*pfnc_nvnMultisampleStateSetCoverageToColorEnable)(NVNmultisampleState* multisample, NVNboolean enable);
static inline void nvnMultisampleStateSetCoverageToColorEnable(NVNmultisampleState* multisample, NVNboolean enable) { pfnc_nvnMultisampleStateSetCoverageToColorEnable(multisample, enable); }
extern NVNboolean (*pfnc_nvnMultisampleStateGetCoverageToColorEnable)(const NVNmultisampleState* multisample);
static inline NVNboolean nvnMultisampleStateGetCoverageToColorEnable(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetCoverageToColorEnable(multisample); }
extern void (*pfnc_nvnMultisampleStateSetCoverageToColorOutput)(NVNmultisampleState* multisample, int index);
static inline void nvnMultisampleStateSetCoverageToColorOutput(NVNmultisampleState* multisample, int index) { pfnc_nvnMultisampleStateSetCoverageToColorOutput(multisample, index); }
extern int (*pfnc_nvnMultisampleStateGetCoverageToColorOutput)(const NVNmultisampleState* multisample);
static inline int nvnMultisampleStateGetCoverageToColorOutput(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetCoverageToColorOutput(multisample); }
extern void (*pfnc_nvnMultisampleStateSetSampleLocationsEnable)(NVNmultisampleState* multisample, NVNboolean enable);
static inline void nvnMultisampleStateSetSampleLocationsEnable(NVNmultisampleState* multisample, NVNboolean enable) { pfnc_nvnMultisampleStateSetSampleLocationsEnable(multisample, enable); }
extern NVNboolean (*pfnc_nvnMultisampleStateGetSampleLocationsEnable)(const NVNmultisampleState* multisample);
static inline NVNboolean nvnMultisampleStateGetSampleLocationsEnable(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetSampleLocationsEnable(multisample); }
extern void (*pfnc_nvnMultisampleStateGetSampleLocationsGrid)(NVNmultisampleState* multisample, int* w, int* h);
static inline void nvnMultisampleStateGetSampleLocationsGrid(NVNmultisampleState* multisample, int* w, int* h) { pfnc_nvnMultisampleStateGetSampleLocationsGrid(multisample, w, h); }
extern void (*pfnc_nvnMultisampleStateSetSampleLocationsGridEnable)(NVNmultisampleState* multisample, NVNboolean enable);
static inline void nvnMultisampleStateSetSampleLocationsGridEnable(NVNmultisampleState* multisample, NVNboolean enable) { pfnc_nvnMultisampleStateSetSampleLocationsGridEnable(multisample, enable); }
extern NVNboolean (*pfnc_nvnMultisampleStateGetSampleLocationsGridEnable)(const NVNmultisampleState* multisample);
static inline NVNboolean nvnMultisampleStateGetSampleLocationsGridEnable(const NVNmultisampleState* multisample) { return pfnc_nvnMultisampleStateGetSampleLocationsGridEnable(multisample); }
extern void (*pfnc_nvnMultisampleStateSetSampleLocations)(NVNmultisampleState* multisample, int first, int count, const float* locations);
static inline void nvnMultisampleStateSetSampleLocations(NVNmultisampleState* multisample, int first, int count, const float* locations) { pfnc_nvnMultisampleStateSetSampleLocations(multisample, first, count, locations); }
extern void (*pfnc_nvnPolygonStateSetDefaults)(NVNpolygonState* polygon);
static inline void nvnPolygonStateSetDefaults(NVNpolygonState* polygon) { pfnc_nvnPolygonStateSetDefaults(polygon); }
extern void (*pfnc_nvnPolygonStateSetCullFace)(NVNpolygonState* polygon, NVNface face);
static inline void nvnPolygonStateSetCullFace(NVNpolygonState* polygon, NVNface face) { pfnc_nvnPolygonStateSetCullFace(polygon, face); }
extern void (*pfnc_nvnPolygonStateSetFrontFace)(NVNpolygonState* polygon, NVNfrontFace face);
static inline void nvnPolygonStateSetFrontFace(NVNpolygonState* polygon, NVNfrontFace face) { pfnc_nvnPolygonStateSetFrontFace(polygon, face); }
extern void (*pfnc_nvnPolygonStateSetPolygonMode)(NVNpolygonState* polygon, NVNpolygonMode polygonMode);
static inline void nvnPolygonStateSetPolygonMode(NVNpolygonState* polygon, NVNpolygonMode polygonMode) { pfnc_nvnPolygonStateSetPolygonMode(polygon, polygonMode); }
extern void (*pfnc_nvnPolygonStateSetPolygonOffsetEnables)(NVNpolygonState* polygon, int enables);
static inline void nvnPolygonStateSetPolygonOffsetEnables(NVNpolygonState* polygon, int enables) { pfnc_nvnPolygonStateSetPolygonOffsetEnables(polygon, enables); }
extern NVNface (*pfnc_nvnPolygonStateGetCullFace)(const NVNpolygonState* polygon);
static inline NVNface nvnPolygonStateGetCullFace(const NVNpolygonState* polygon) { return pfnc_nvnPolygonStateGetCullFace(polygon); }
extern NVNfrontFace (*pfnc_nvnPolygonStateGetFrontFace)(const NVNpolygonState* polygon);
static inline NVNfrontFace nvnPolygonStateGetFrontFace(const NVNpolygonState* polygon) { return pfnc_nvnPolygonStateGetFrontFace(polygon); }
extern NVNpolygonMode (*pfnc_nvnPolygonStateGetPolygonMode)(const NVNpolygonState* polygon);
static inline NVNpolygonMode nvnPolygonStateGetPolygonMode(const NVNpolygonState* polygon) { return pfnc_nvnPolygonStateGetPolygonMode(polygon); }
extern NVNpolygonOffsetEnable (*pfnc_nvnPolygonStateGetPolygonOffsetEnables)(const NVNpolygonState* polygon);
static inline NVNpolygonOffsetEnable nvnPolygonStateGetPolygonOffsetEnables(const NVNpolygonState* polygon) { return pfnc_nvnPolygonStateGetPolygonOffsetEnables(polygon); }
extern void (*pfnc_nvnDepthStencilStateSetDefaults)(NVNdepthStencilState* depthStencil);
static inline void nvnDepthStencilStateSetDefaults(NVNdepthStencilState* depthStencil) { pfnc_nvnDepthStencilStateSetDefaults(depthStencil); }
extern void (*pfnc_nvnDepthStencilStateSetDepthTestEnable)(NVNdepthStencilState* depthStencil, NVNboolean enable);
static inline void nvnDepthStencilStateSetDepthTestEnable(NVNdepthStencilState* depthStencil, NVNboolean enable) { pfnc_nvnDepthStencilStateSetDepthTestEnable(depthStencil, enable); }
extern void (*pfnc_nvnDepthStencilStateSetDepthWriteEnable)(NVNdepthStencilState* depthStencil, NVNboolean enable);
static inline void nvnDepthStencilStateSetDepthWriteEnable(NVNdepthStencilState* depthStencil, NVNboolean enable) { pfnc_nvnDepthStencilStateSetDepthWriteEnable(depthStencil, enable); }
extern void (*pfnc_nvnDepthStencilStateSetDepthFunc)(NVNdepthStencilState* depthStencil, NVNdepthFunc func);
static inline void nvnDepthStencilStateSetDepthFunc(NVNdepthStencilState* depthStencil, NVNdepthFunc func) { pfnc_nvnDepthStencilStateSetDepthFunc(depthStencil, func); }
extern void (*pfnc_nvnDepthStencilStateSetStencilTestEnable)(NVNdepthStencilState* depthStencil, NVNboolean enable);
static inline void nvnDepthStencilStateSetStencilTestEnable(NVNdepthStencilState* depthStencil, NVNboolean enable) { pfnc_nvnDepthStencilStateSetStencilTestEnable(depthStencil, enable); }
extern void (*pfnc_nvnDepthStencilStateSetStencilFunc)(NVNdepthStencilState* depthStencil, NVNface faces, NVNstencilFunc func);
static inline void nvnDepthStencilStateSetStencilFunc(NVNdepthStencilState* depthStencil, NVNface faces, NVNstencilFunc func) { pfnc_nvnDepthStencilStateSetStencilFunc(depthStencil, faces, func); }
extern void (*pfnc_nvnDepthStencilStateSetStencilOp)(NVNdepthStencilState* depthStencil, NVNface faces, NVNstencilOp fail, NVNstencilOp depthFail, NVNstencilOp depthPass);
static inline void nvnDepthStencilStateSetStencilOp(NVNdepthStencilState* depthStencil, NVNface faces, NVNstencilOp fail, NVNstencilOp depthFail, NVNstencilOp depthPass) { pfnc_nvnDepthStencilStateSetStencilOp(depthStencil, faces, fail, depthFail, depthPass); }
extern NVNboolean (*pfnc_nvnDepthStencilStateGetDepthTestEnable)(const NVNdepthStencilState* depthStencil);
static inline NVNboolean nvnDepthStencilStateGetDepthTestEnable(const NVNdepthStencilState* depthStencil) { return pfnc_nvnDepthStencilStateGetDepthTestEnable(depthStencil); }
extern NVNboolean (*pfnc_nvnDepthStencilStateGetDepthWriteEnable)(const NVNdepthStencilState* depthStencil);
static inline NVNboolean nvnDepthStencilStateGetDepthWriteEnable(const NVNdepthStencilState* depthStencil) { return pfnc_nvnDepthStencilStateGetDepthWriteEnable(depthStencil); }
extern NVNdepthFunc (*pfnc_nvnDepthStencilStateGetDepthFunc)(const NVNdepthStencilState* depthStencil);
static inline NVNdepthFunc nvnDepthStencilStateGetDepthFunc(const NVNdepthStencilState* depthStencil) { return pfnc_nvnDepthStencilStateGetDepthFunc(depthStencil); }
extern NVNboolean (*pfnc_nvnDepthStencilStateGetStencilTestEnable)(const NVNdepthStencilState* depthStencil);
static inline NVNboolean nvnDepthStencilStateGetStencilTestEnable(const NVNdepthStencilState* depthStencil) { return pfnc_nvnDepthStencilStateGetStencilTestEnable(depthStencil); }
extern NVNstencilFunc (*pfnc_nvnDepthStencilStateGetStencilFunc)(const NVNdepthStencilState* depthStencil, NVNface faces);
static inline NVNstencilFunc nvnDepthStencilStateGetStencilFunc(const NVNdepthStencilState* depthStencil, NVNface faces) { return pfnc_nvnDepthStencilStateGetStencilFunc(depthStencil, faces); }
extern void (*pfnc_nvnDepthStencilStateGetStencilOp)(const NVNdepthStencilState* depthStencil, NVNface faces, NVNstencilOp* fail, NVNstencilOp* depthFail, NVNstencilOp* depthPass);
static inline void nvnDepthStencilStateGetStencilOp(const NVNdepthStencilState* depthStencil, NVNface faces, NVNstencilOp* fail, NVNstencilOp* depthFail, NVNstencilOp* depthPass) { pfnc_nvnDepthStencilStateGetStencilOp(depthStencil, faces, fail, depthFail, depthPass); }
extern void (*pfnc_nvnVertexAttribStateSetDefaults)(NVNvertexAttribState* attrib);
static inline void nvnVertexAttribStateSetDefaults(NVNvertexAttribState* attrib) { pfnc_nvnVertexAttribStateSetDefaults(attrib); }
extern void (*pfnc_nvnVertexAttribStateSetFormat)(NVNvertexAttribState* attrib, NVNformat format, ptrdiff_t relativeOffset);
static inline void nvnVertexAttribStateSetFormat(NVNvertexAttribState* attrib, NVNformat format, ptrdiff_t relativeOffset) { pfnc_nvnVertexAttribStateSetFormat(attrib, format, relativeOffset); }
extern void (*pfnc_nvnVertexAttribStateSetStreamIndex)(NVNvertexAttribState* attrib, int streamIndex);
static inline void nvnVertexAttribStateSetStreamIndex(NVNvertexAttribState* attrib, int streamIndex) { pfnc_nvnVertexAttribStateSetStreamIndex(attrib, streamIndex); }
extern void (*pfnc_nvnVertexAttribStateGetFormat)(const NVNvertexAttribState* attrib, NVNformat* format, ptrdiff_t* relativeOffset);
static inline void nvnVertexAttribStateGetFormat(const NVNvertexAttribState* attrib, NVNformat* format, ptrdiff_t* relativeOffset) { pfnc_nvnVertexAttribStateGetFormat(attrib, format, relativeOffset); }
extern int (*pfnc_nvnVertexAttribStateGetStreamIndex)(const NVNvertexAttribState* attrib);
static inline int nvnVertexAttribStateGetStreamIndex(const NVNvertexAttribState* attrib) { return pfnc_nvnVertexAttribStateGetStreamIndex(attrib); }
extern void (*pfnc_nvnVertexStreamStateSetDefaults)(NVNvertexStreamState* stream);
static inline void nvnVertexStreamStateSetDefaults(NVNvertexStreamState* stream) { pfnc_nvnVertexStreamStateSetDefaults(stream); }
extern void (*pfnc_nvnVertexStreamStateSetStride)(NVNvertexStreamState* stream, ptrdiff_t stride);
static inline void nvnVertexStreamStateSetStride(NVNvertexStreamState* stream, ptrdiff_t stride) { pfnc_nvnVertexStreamStateSetStride(stream, stride); }
extern void (*pfnc_nvnVertexStreamStateSetDivisor)(NVNvertexStreamState* stream, int divisor);
static inline void nvnVertexStreamStateSetDivisor(NVNvertexStreamState* stream, int divisor) { pfnc_nvnVertexStreamStateSetDivisor(stream, divisor); }
extern ptrdiff_t (*pfnc_nvnVertexStreamStateGetStride)(const NVNvertexStreamState* stream);
static inline ptrdiff_t nvnVertexStreamStateGetStride(const NVNvertexStreamState* stream) { return pfnc_nvnVertexStreamStateGetStride(stream); }
extern int (*pfnc_nvnVertexStreamStateGetDivisor)(const NVNvertexStreamState* stream);
static inline int nvnVertexStreamStateGetDivisor(const NVNvertexStreamState* stream) { return pfnc_nvnVertexStreamStateGetDivisor(stream); }
extern NVNboolean (*pfnc_nvnCommandBufferInitialize)(NVNcommandBuffer* cmdBuf, NVNdevice* device);
static inline NVNboolean nvnCommandBufferInitialize(NVNcommandBuffer* cmdBuf, NVNdevice* device) { return pfnc_nvnCommandBufferInitialize(cmdBuf, device); }
extern void (*pfnc_nvnCommandBufferFinalize)(NVNcommandBuffer* cmdBuf);
static inline void nvnCommandBufferFinalize(NVNcommandBuffer* cmdBuf) { pfnc_nvnCommandBufferFinalize(cmdBuf); }
extern void (*pfnc_nvnCommandBufferSetDebugLabel)(NVNcommandBuffer* cmdBuf, const char* label);
static inline void nvnCommandBufferSetDebugLabel(NVNcommandBuffer* cmdBuf, const char* label) { pfnc_nvnCommandBufferSetDebugLabel(cmdBuf, label); }
extern void (*pfnc_nvnCommandBufferSetMemoryCallback)(NVNcommandBuffer* cmdBuf, PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC callback);
static inline void nvnCommandBufferSetMemoryCallback(NVNcommandBuffer* cmdBuf, PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC callback) { pfnc_nvnCommandBufferSetMemoryCallback(cmdBuf, callback); }
extern void (*pfnc_nvnCommandBufferSetMemoryCallbackData)(NVNcommandBuffer* cmdBuf, void* callbackData);
static inline void nvnCommandBufferSetMemoryCallbackData(NVNcommandBuffer* cmdBuf, void* callbackData) { pfnc_nvnCommandBufferSetMemoryCallbackData(cmdBuf, callbackData); }
extern void (*pfnc_nvnCommandBufferAddCommandMemory)(NVNcommandBuffer* cmdBuf, const NVNmemoryPool* pool, ptrdiff_t offset, size_t size);
static inline void nvnCommandBufferAddCommandMemory(NVNcommandBuffer* cmdBuf, const NVNmemoryPool* pool, ptrdiff_t offset, size_t size) { pfnc_nvnCommandBufferAddCommandMemory(cmdBuf, pool, offset, size); }
extern void (*pfnc_nvnCommandBufferAddControlMemory)(NVNcommandBuffer* cmdBuf, void* memory, size_t size);
static inline void nvnCommandBufferAddControlMemory(NVNcommandBuffer* cmdBuf, void* memory, size_t size) { pfnc_nvnCommandBufferAddControlMemory(cmdBuf, memory, size); }
extern size_t (*pfnc_nvnCommandBufferGetCommandMemorySize)(const NVNcommandBuffer* cmdBuf);
static inline size_t nvnCommandBufferGetCommandMemorySize(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetCommandMemorySize(cmdBuf); }
extern size_t (*pfnc_nvnCommandBufferGetCommandMemoryUsed)(const NVNcommandBuffer* cmdBuf);
static inline size_t nvnCommandBufferGetCommandMemoryUsed(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetCommandMemoryUsed(cmdBuf); }
extern size_t (*pfnc_nvnCommandBufferGetCommandMemoryFree)(const NVNcommandBuffer* cmdBuf);
static inline size_t nvnCommandBufferGetCommandMemoryFree(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetCommandMemoryFree(cmdBuf); }
extern size_t (*pfnc_nvnCommandBufferGetControlMemorySize)(const NVNcommandBuffer* cmdBuf);
static inline size_t nvnCommandBufferGetControlMemorySize(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetControlMemorySize(cmdBuf); }
extern size_t (*pfnc_nvnCommandBufferGetControlMemoryUsed)(const NVNcommandBuffer* cmdBuf);
static inline size_t nvnCommandBufferGetControlMemoryUsed(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetControlMemoryUsed(cmdBuf); }
extern size_t (*pfnc_nvnCommandBufferGetControlMemoryFree)(const NVNcommandBuffer* cmdBuf);
static inline size_t nvnCommandBufferGetControlMemoryFree(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetControlMemoryFree(cmdBuf); }
extern void (*pfnc_nvnCommandBufferBeginRecording)(NVNcommandBuffer* cmdBuf);
static inline void nvnCommandBufferBeginRecording(NVNcommandBuffer* cmdBuf) { pfnc_nvnCommandBufferBeginRecording(cmdBuf); }
extern NVNcommandHandle (*pfnc_nvnCommandBufferEndRecording)(NVNcommandBuffer* cmdBuf);
static inline NVNcommandHandle nvnCommandBufferEndRecording(NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferEndRecording(cmdBuf); }
extern void (*pfnc_nvnCommandBufferCallCommands)(NVNcommandBuffer* cmdBuf, int numCommands, const NVNcommandHandle* handles);
static inline void nvnCommandBufferCallCommands(NVNcommandBuffer* cmdBuf, int numCommands, const NVNcommandHandle* handles) { pfnc_nvnCommandBufferCallCommands(cmdBuf, numCommands, handles); }
extern void (*pfnc_nvnCommandBufferCopyCommands)(NVNcommandBuffer* cmdBuf, int numCommands, const NVNcommandHandle* handles);
static inline void nvnCommandBufferCopyCommands(NVNcommandBuffer* cmdBuf, int numCommands, const NVNcommandHandle* handles) { pfnc_nvnCommandBufferCopyCommands(cmdBuf, numCommands, handles); }
extern void (*pfnc_nvnCommandBufferBindBlendState)(NVNcommandBuffer* cmdBuf, const NVNblendState* blend);
static inline void nvnCommandBufferBindBlendState(NVNcommandBuffer* cmdBuf, const NVNblendState* blend) { pfnc_nvnCommandBufferBindBlendState(cmdBuf, blend); }
extern void (*pfnc_nvnCommandBufferBindChannelMaskState)(NVNcommandBuffer* cmdBuf, const NVNchannelMaskState* channelMask);
static inline void nvnCommandBufferBindChannelMaskState(NVNcommandBuffer* cmdBuf, const NVNchannelMaskState* channelMask) { pfnc_nvnCommandBufferBindChannelMaskState(cmdBuf, channelMask); }
extern void (*pfnc_nvnCommandBufferBindColorState)(NVNcommandBuffer* cmdBuf, const NVNcolorState* color);
static inline void nvnCommandBufferBindColorState(NVNcommandBuffer* cmdBuf, const NVNcolorState* color) { pfnc_nvnCommandBufferBindColorState(cmdBuf, color); }
extern void (*pfnc_nvnCommandBufferBindMultisampleState)(NVNcommandBuffer* cmdBuf, const NVNmultisampleState* multisample);
static inline void nvnCommandBufferBindMultisampleState(NVNcommandBuffer* cmdBuf, const NVNmultisampleState* multisample) { pfnc_nvnCommandBufferBindMultisampleState(cmdBuf, multisample); }
extern void (*pfnc_nvnCommandBufferBindPolygonState)(NVNcommandBuffer* cmdBuf, const NVNpolygonState* polygon);
static inline void nvnCommandBufferBindPolygonState(NVNcommandBuffer* cmdBuf, const NVNpolygonState* polygon) { pfnc_nvnCommandBufferBindPolygonState(cmdBuf, polygon); }
extern void (*pfnc_nvnCommandBufferBindDepthStencilState)(NVNcommandBuffer* cmdBuf, const NVNdepthStencilState* depthStencil);
static inline void nvnCommandBufferBindDepthStencilState(NVNcommandBuffer* cmdBuf, const NVNdepthStencilState* depthStencil) { pfnc_nvnCommandBufferBindDepthStencilState(cmdBuf, depthStencil); }
extern void (*pfnc_nvnCommandBufferBindVertexAttribState)(NVNcommandBuffer* cmdBuf, int numAttribs, const NVNvertexAttribState* attribs);
static inline void nvnCommandBufferBindVertexAttribState(NVNcommandBuffer* cmdBuf, int numAttribs, const NVNvertexAttribState* attribs) { pfnc_nvnCommandBufferBindVertexAttribState(cmdBuf, numAttribs, attribs); }
extern void (*pfnc_nvnCommandBufferBindVertexStreamState)(NVNcommandBuffer* cmdBuf, int numStreams, const NVNvertexStreamState* streams);
static inline void nvnCommandBufferBindVertexStreamState(NVNcommandBuffer* cmdBuf, int numStreams, const NVNvertexStreamState* streams) { pfnc_nvnCommandBufferBindVertexStreamState(cmdBuf, numStreams, streams); }
extern void (*pfnc_nvnCommandBufferBindProgram)(NVNcommandBuffer* cmdBuf, const NVNprogram* program, int stageBits);
static inline void nvnCommandBufferBindProgram(NVNcommandBuffer* cmdBuf, const NVNprogram* program, int stageBits) { pfnc_nvnCommandBufferBindProgram(cmdBuf, program, stageBits); }
extern void (*pfnc_nvnCommandBufferBindVertexBuffer)(NVNcommandBuffer* cmdBuf, int index, NVNbufferAddress buffer, size_t size);
static inline void nvnCommandBufferBindVertexBuffer(NVNcommandBuffer* cmdBuf, int index, NVNbufferAddress buffer, size_t size) { pfnc_nvnCommandBufferBindVertexBuffer(cmdBuf, index, buffer, size); }
extern void (*pfnc_nvnCommandBufferBindVertexBuffers)(NVNcommandBuffer* cmdBuf, int first, int count, const NVNbufferRange* buffers);
static inline void nvnCommandBufferBindVertexBuffers(NVNcommandBuffer* cmdBuf, int first, int count, const NVNbufferRange* buffers) { pfnc_nvnCommandBufferBindVertexBuffers(cmdBuf, first, count, buffers); }
extern void (*pfnc_nvnCommandBufferBindUniformBuffer)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNbufferAddress buffer, size_t size);
static inline void nvnCommandBufferBindUniformBuffer(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNbufferAddress buffer, size_t size) { pfnc_nvnCommandBufferBindUniformBuffer(cmdBuf, stage, index, buffer, size); }
extern void (*pfnc_nvnCommandBufferBindUniformBuffers)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNbufferRange* buffers);
static inline void nvnCommandBufferBindUniformBuffers(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNbufferRange* buffers) { pfnc_nvnCommandBufferBindUniformBuffers(cmdBuf, stage, first, count, buffers); }
extern void (*pfnc_nvnCommandBufferBindTransformFeedbackBuffer)(NVNcommandBuffer* cmdBuf, int index, NVNbufferAddress buffer, size_t size);
static inline void nvnCommandBufferBindTransformFeedbackBuffer(NVNcommandBuffer* cmdBuf, int index, NVNbufferAddress buffer, size_t size) { pfnc_nvnCommandBufferBindTransformFeedbackBuffer(cmdBuf, index, buffer, size); }
extern void (*pfnc_nvnCommandBufferBindTransformFeedbackBuffers)(NVNcommandBuffer* cmdBuf, int first, int count, const NVNbufferRange* buffers);
static inline void nvnCommandBufferBindTransformFeedbackBuffers(NVNcommandBuffer* cmdBuf, int first, int count, const NVNbufferRange* buffers) { pfnc_nvnCommandBufferBindTransformFeedbackBuffers(cmdBuf, first, count, buffers); }
extern void (*pfnc_nvnCommandBufferBindStorageBuffer)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNbufferAddress buffer, size_t size);
static inline void nvnCommandBufferBindStorageBuffer(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNbufferAddress buffer, size_t size) { pfnc_nvnCommandBufferBindStorageBuffer(cmdBuf, stage, index, buffer, size); }
extern void (*pfnc_nvnCommandBufferBindStorageBuffers)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNbufferRange* buffers);
static inline void nvnCommandBufferBindStorageBuffers(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNbufferRange* buffers) { pfnc_nvnCommandBufferBindStorageBuffers(cmdBuf, stage, first, count, buffers); }
extern void (*pfnc_nvnCommandBufferBindTexture)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNtextureHandle texture);
static inline void nvnCommandBufferBindTexture(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNtextureHandle texture) { pfnc_nvnCommandBufferBindTexture(cmdBuf, stage, index, texture); }
extern void (*pfnc_nvnCommandBufferBindTextures)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNtextureHandle* textures);
static inline void nvnCommandBufferBindTextures(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNtextureHandle* textures) { pfnc_nvnCommandBufferBindTextures(cmdBuf, stage, first, count, textures); }
extern void (*pfnc_nvnCommandBufferBindImage)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNimageHandle image);
static inline void nvnCommandBufferBindImage(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNimageHandle image) { pfnc_nvnCommandBufferBindImage(cmdBuf, stage, index, image); }
extern void (*pfnc_nvnCommandBufferBindImages)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNimageHandle* images);
static inline void nvnCommandBufferBindImages(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNimageHandle* images) { pfnc_nvnCommandBufferBindImages(cmdBuf, stage, first, count, images); }
extern void (*pfnc_nvnCommandBufferSetPatchSize)(NVNcommandBuffer* cmdBuf, int patchSize);
static inline void nvnCommandBufferSetPatchSize(NVNcommandBuffer* cmdBuf, int patchSize) { pfnc_nvnCommandBufferSetPatchSize(cmdBuf, patchSize); }
extern void (*pfnc_nvnCommandBufferSetInnerTessellationLevels)(NVNcommandBuffer* cmdBuf, const float* levels);
static inline void nvnCommandBufferSetInnerTessellationLevels(NVNcommandBuffer* cmdBuf, const float* levels) { pfnc_nvnCommandBufferSetInnerTessellationLevels(cmdBuf, levels); }
extern void (*pfnc_nvnCommandBufferSetOuterTessellationLevels)(NVNcommandBuffer* cmdBuf, const float* levels);
static inline void nvnCommandBufferSetOuterTessellationLevels(NVNcommandBuffer* cmdBuf, const float* levels) { pfnc_nvnCommandBufferSetOuterTessellationLevels(cmdBuf, levels); }
extern void (*pfnc_nvnCommandBufferSetPrimitiveRestart)(NVNcommandBuffer* cmdBuf, NVNboolean enable, int index);
static inline void nvnCommandBufferSetPrimitiveRestart(NVNcommandBuffer* cmdBuf, NVNboolean enable, int index) { pfnc_nvnCommandBufferSetPrimitiveRestart(cmdBuf, enable, index); }
extern void (*pfnc_nvnCommandBufferBeginTransformFeedback)(NVNcommandBuffer* cmdBuf, NVNbufferAddress control);
static inline void nvnCommandBufferBeginTransformFeedback(NVNcommandBuffer* cmdBuf, NVNbufferAddress control) { pfnc_nvnCommandBufferBeginTransformFeedback(cmdBuf, control); }
extern void (*pfnc_nvnCommandBufferEndTransformFeedback)(NVNcommandBuffer* cmdBuf, NVNbufferAddress control);
static inline void nvnCommandBufferEndTransformFeedback(NVNcommandBuffer* cmdBuf, NVNbufferAddress control) { pfnc_nvnCommandBufferEndTransformFeedback(cmdBuf, control); }
extern void (*pfnc_nvnCommandBufferPauseTransformFeedback)(NVNcommandBuffer* cmdBuf, NVNbufferAddress control);
static inline void nvnCommandBufferPauseTransformFeedback(NVNcommandBuffer* cmdBuf, NVNbufferAddress control) { pfnc_nvnCommandBufferPauseTransformFeedback(cmdBuf, control); }
extern void (*pfnc_nvnCommandBufferResumeTransformFeedback)(NVNcommandBuffer* cmdBuf, NVNbufferAddress control);
static inline void nvnCommandBufferResumeTransformFeedback(NVNcommandBuffer* cmdBuf, NVNbufferAddress control) { pfnc_nvnCommandBufferResumeTransformFeedback(cmdBuf, control); }
extern void (*pfnc_nvnCommandBufferDrawTransformFeedback)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNbufferAddress control);
static inline void nvnCommandBufferDrawTransformFeedback(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNbufferAddress control) { pfnc_nvnCommandBufferDrawTransformFeedback(cmdBuf, mode, control); }
extern void (*pfnc_nvnCommandBufferDrawArrays)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, int first, int count);
static inline void nvnCommandBufferDrawArrays(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, int first, int count) { pfnc_nvnCommandBufferDrawArrays(cmdBuf, mode, first, count); }
extern void (*pfnc_nvnCommandBufferDrawElements)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indexBuffer);
static inline void nvnCommandBufferDrawElements(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indexBuffer) { pfnc_nvnCommandBufferDrawElements(cmdBuf, mode, type, count, indexBuffer); }
extern void (*pfnc_nvnCommandBufferDrawElementsBaseVertex)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indexBuffer, int baseVertex);
static inline void nvnCommandBufferDrawElementsBaseVertex(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indexBuffer, int baseVertex) { pfnc_nvnCommandBufferDrawElementsBaseVertex(cmdBuf, mode, type, count, indexBuffer, baseVertex); }
extern void (*pfnc_nvnCommandBufferDrawArraysInstanced)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, int first, int count, int baseInstance, int instanceCount);
static inline void nvnCommandBufferDrawArraysInstanced(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, int first, int count, int baseInstance, int instanceCount) { pfnc_nvnCommandBufferDrawArraysInstanced(cmdBuf, mode, first, count, baseInstance, instanceCount); }
extern void (*pfnc_nvnCommandBufferDrawElementsInstanced)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indexBuffer, int baseVertex, int baseInstance, int instanceCount);
static inline void nvnCommandBufferDrawElementsInstanced(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indexBuffer, int baseVertex, int baseInstance, int instanceCount) { pfnc_nvnCommandBufferDrawElementsInstanced(cmdBuf, mode, type, count, indexBuffer, baseVertex, baseInstance, instanceCount); }
extern void (*pfnc_nvnCommandBufferDrawArraysIndirect)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNbufferAddress indirectBuffer);
static inline void nvnCommandBufferDrawArraysIndirect(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNbufferAddress indirectBuffer) { pfnc_nvnCommandBufferDrawArraysIndirect(cmdBuf, mode, indirectBuffer); }
extern void (*pfnc_nvnCommandBufferDrawElementsIndirect)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, NVNbufferAddress indexBuffer, NVNbufferAddress indirectBuffer);
static inline void nvnCommandBufferDrawElementsIndirect(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, NVNbufferAddress indexBuffer, NVNbufferAddress indirectBuffer) { pfnc_nvnCommandBufferDrawElementsIndirect(cmdBuf, mode, type, indexBuffer, indirectBuffer); }
extern void (*pfnc_nvnCommandBufferMultiDrawArraysIndirectCount)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNbufferAddress indirectBuffer, NVNbufferAddress countBuffer, int maxDrawCount, ptrdiff_t stride);
static inline void nvnCommandBufferMultiDrawArraysIndirectCount(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNbufferAddress indirectBuffer, NVNbufferAddress countBuffer, int maxDrawCount, ptrdiff_t stride) { pfnc_nvnCommandBufferMultiDrawArraysIndirectCount(cmdBuf, mode, indirectBuffer, countBuffer, maxDrawCount, stride); }
extern void (*pfnc_nvnCommandBufferMultiDrawElementsIndirectCount)(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, NVNbufferAddress indexBuffer, NVNbufferAddress indirectBuffer, NVNbufferAddress countBuffer, int maxDrawCount, ptrdiff_t stride);
static inline void nvnCommandBufferMultiDrawElementsIndirectCount(NVNcommandBuffer* cmdBuf, NVNdrawPrimitive mode, NVNindexType type, NVNbufferAddress indexBuffer, NVNbufferAddress indirectBuffer, NVNbufferAddress countBuffer, int maxDrawCount, ptrdiff_t stride) { pfnc_nvnCommandBufferMultiDrawElementsIndirectCount(cmdBuf, mode, type, indexBuffer, indirectBuffer, countBuffer, maxDrawCount, stride); }
extern void (*pfnc_nvnCommandBufferClearColor)(NVNcommandBuffer* cmdBuf, int index, const float* color, int mask);
static inline void nvnCommandBufferClearColor(NVNcommandBuffer* cmdBuf, int index, const float* color, int mask) { pfnc_nvnCommandBufferClearColor(cmdBuf, index, color, mask); }
extern void (*pfnc_nvnCommandBufferClearColori)(NVNcommandBuffer* cmdBuf, int index, const int* color, int mask);
static inline void nvnCommandBufferClearColori(NVNcommandBuffer* cmdBuf, int index, const int* color, int mask) { pfnc_nvnCommandBufferClearColori(cmdBuf, index, color, mask); }
extern void (*pfnc_nvnCommandBufferClearColorui)(NVNcommandBuffer* cmdBuf, int index, const uint32_t* color, int mask);
static inline void nvnCommandBufferClearColorui(NVNcommandBuffer* cmdBuf, int index, const uint32_t* color, int mask) { pfnc_nvnCommandBufferClearColorui(cmdBuf, index, color, mask); }
extern void (*pfnc_nvnCommandBufferClearDepthStencil)(NVNcommandBuffer* cmdBuf, float depthValue, NVNboolean depthMask, int stencilValue, int stencilMask);
static inline void nvnCommandBufferClearDepthStencil(NVNcommandBuffer* cmdBuf, float depthValue, NVNboolean depthMask, int stencilValue, int stencilMask) { pfnc_nvnCommandBufferClearDepthStencil(cmdBuf, depthValue, depthMask, stencilValue, stencilMask); }
extern void (*pfnc_nvnCommandBufferDispatchCompute)(NVNcommandBuffer* cmdBuf, int groupsX, int groupsY, int groupsZ);
static inline void nvnCommandBufferDispatchCompute(NVNcommandBuffer* cmdBuf, int groupsX, int groupsY, int groupsZ) { pfnc_nvnCommandBufferDispatchCompute(cmdBuf, groupsX, groupsY, groupsZ); }
extern void (*pfnc_nvnCommandBufferDispatchComputeIndirect)(NVNcommandBuffer* cmdBuf, NVNbufferAddress indirectBuffer);
static inline void nvnCommandBufferDispatchComputeIndirect(NVNcommandBuffer* cmdBuf, NVNbufferAddress indirectBuffer) { pfnc_nvnCommandBufferDispatchComputeIndirect(cmdBuf, indirectBuffer); }
extern void (*pfnc_nvnCommandBufferSetViewport)(NVNcommandBuffer* cmdBuf, int x, int y, int w, int h);
static inline void nvnCommandBufferSetViewport(NVNcommandBuffer* cmdBuf, int x, int y, int w, int h) { pfnc_nvnCommandBufferSetViewport(cmdBuf, x, y, w, h); }
extern void (*pfnc_nvnCommandBufferSetViewports)(NVNcommandBuffer* cmdBuf, int first, int count, const float* xywh);
static inline void nvnCommandBufferSetViewports(NVNcommandBuffer* cmdBuf, int first, int count, const float* xywh) { pfnc_nvnCommandBufferSetViewports(cmdBuf, first, count, xywh); }
extern void (*pfnc_nvnCommandBufferSetViewportSwizzles)(NVNcommandBuffer* cmdBuf, int first, int count, const NVNviewportSwizzle* swizzles);
static inline void nvnCommandBufferSetViewportSwizzles(NVNcommandBuffer* cmdBuf, int first, int count, const NVNviewportSwizzle* swizzles) { pfnc_nvnCommandBufferSetViewportSwizzles(cmdBuf, first, count, swizzles); }
extern void (*pfnc_nvnCommandBufferSetScissor)(NVNcommandBuffer* cmdBuf, int x, int y, int w, int h);
static inline void nvnCommandBufferSetScissor(NVNcommandBuffer* cmdBuf, int x, int y, int w, int h) { pfnc_nvnCommandBufferSetScissor(cmdBuf, x, y, w, h); }
extern void (*pfnc_nvnCommandBufferSetScissors)(NVNcommandBuffer* cmdBuf, int first, int count, const int* rects);
static inline void nvnCommandBufferSetScissors(NVNcommandBuffer* cmdBuf, int first, int count, const int* rects) { pfnc_nvnCommandBufferSetScissors(cmdBuf, first, count, rects); }
extern void (*pfnc_nvnCommandBufferSetDepthRange)(NVNcommandBuffer* cmdBuf, float zNear, float zFar);
static inline void nvnCommandBufferSetDepthRange(NVNcommandBuffer* cmdBuf, float zNear, float zFar) { pfnc_nvnCommandBufferSetDepthRange(cmdBuf, zNear, zFar); }
extern void (*pfnc_nvnCommandBufferSetDepthBounds)(NVNcommandBuffer* cmdBuf, NVNboolean enable, float zMin, float zMax);
static inline void nvnCommandBufferSetDepthBounds(NVNcommandBuffer* cmdBuf, NVNboolean enable, float zMin, float zMax) { pfnc_nvnCommandBufferSetDepthBounds(cmdBuf, enable, zMin, zMax); }
extern void (*pfnc_nvnCommandBufferSetDepthRanges)(NVNcommandBuffer* cmdBuf, int first, int count, const float* ranges);
static inline void nvnCommandBufferSetDepthRanges(NVNcommandBuffer* cmdBuf, int first, int count, const float* ranges) { pfnc_nvnCommandBufferSetDepthRanges(cmdBuf, first, count, ranges); }
extern void (*pfnc_nvnCommandBufferSetTiledCacheAction)(NVNcommandBuffer* cmdBuf, NVNtiledCacheAction action);
static inline void nvnCommandBufferSetTiledCacheAction(NVNcommandBuffer* cmdBuf, NVNtiledCacheAction action) { pfnc_nvnCommandBufferSetTiledCacheAction(cmdBuf, action); }
extern void (*pfnc_nvnCommandBufferSetTiledCacheTileSize)(NVNcommandBuffer* cmdBuf, int w, int h);
static inline void nvnCommandBufferSetTiledCacheTileSize(NVNcommandBuffer* cmdBuf, int w, int h) { pfnc_nvnCommandBufferSetTiledCacheTileSize(cmdBuf, w, h); }
extern void (*pfnc_nvnCommandBufferBindSeparateTexture)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNseparateTextureHandle handle);
static inline void nvnCommandBufferBindSeparateTexture(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNseparateTextureHandle handle) { pfnc_nvnCommandBufferBindSeparateTexture(cmdBuf, stage, index, handle); }
extern void (*pfnc_nvnCommandBufferBindSeparateSampler)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNseparateSamplerHandle handle);
static inline void nvnCommandBufferBindSeparateSampler(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int index, NVNseparateSamplerHandle handle) { pfnc_nvnCommandBufferBindSeparateSampler(cmdBuf, stage, index, handle); }
extern void (*pfnc_nvnCommandBufferBindSeparateTextures)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNseparateTextureHandle* handles);
static inline void nvnCommandBufferBindSeparateTextures(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNseparateTextureHandle* handles) { pfnc_nvnCommandBufferBindSeparateTextures(cmdBuf, stage, first, count, handles); }
extern void (*pfnc_nvnCommandBufferBindSeparateSamplers)(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNseparateSamplerHandle* handles);
static inline void nvnCommandBufferBindSeparateSamplers(NVNcommandBuffer* cmdBuf, NVNshaderStage stage, int first, int count, const NVNseparateSamplerHandle* handles) { pfnc_nvnCommandBufferBindSeparateSamplers(cmdBuf, stage, first, count, handles); }
extern void (*pfnc_nvnCommandBufferSetStencilValueMask)(NVNcommandBuffer* cmdBuf, NVNface faces, int mask);
static inline void nvnCommandBufferSetStencilValueMask(NVNcommandBuffer* cmdBuf, NVNface faces, int mask) { pfnc_nvnCommandBufferSetStencilValueMask(cmdBuf, faces, mask); }
extern void (*pfnc_nvnCommandBufferSetStencilMask)(NVNcommandBuffer* cmdBuf, NVNface faces, int mask);
static inline void nvnCommandBufferSetStencilMask(NVNcommandBuffer* cmdBuf, NVNface faces, int mask) { pfnc_nvnCommandBufferSetStencilMask(cmdBuf, faces, mask); }
extern void (*pfnc_nvnCommandBufferSetStencilRef)(NVNcommandBuffer* cmdBuf, NVNface faces, int ref);
static inline void nvnCommandBufferSetStencilRef(NVNcommandBuffer* cmdBuf, NVNface faces, int ref) { pfnc_nvnCommandBufferSetStencilRef(cmdBuf, faces, ref); }
extern void (*pfnc_nvnCommandBufferSetBlendColor)(NVNcommandBuffer* cmdBuf, const float* blendColor);
static inline void nvnCommandBufferSetBlendColor(NVNcommandBuffer* cmdBuf, const float* blendColor) { pfnc_nvnCommandBufferSetBlendColor(cmdBuf, blendColor); }
extern void (*pfnc_nvnCommandBufferSetPointSize)(NVNcommandBuffer* cmdBuf, float pointSize);
static inline void nvnCommandBufferSetPointSize(NVNcommandBuffer* cmdBuf, float pointSize) { pfnc_nvnCommandBufferSetPointSize(cmdBuf, pointSize); }
extern void (*pfnc_nvnCommandBufferSetLineWidth)(NVNcommandBuffer* cmdBuf, float lineWidth);
static inline void nvnCommandBufferSetLineWidth(NVNcommandBuffer* cmdBuf, float lineWidth) { pfnc_nvnCommandBufferSetLineWidth(cmdBuf, lineWidth); }
extern void (*pfnc_nvnCommandBufferSetPolygonOffsetClamp)(NVNcommandBuffer* cmdBuf, float factor, float units, float clamp);
static inline void nvnCommandBufferSetPolygonOffsetClamp(NVNcommandBuffer* cmdBuf, float factor, float units, float clamp) { pfnc_nvnCommandBufferSetPolygonOffsetClamp(cmdBuf, factor, units, clamp); }
extern void (*pfnc_nvnCommandBufferSetAlphaRef)(NVNcommandBuffer* cmdBuf, float ref);
static inline void nvnCommandBufferSetAlphaRef(NVNcommandBuffer* cmdBuf, float ref) { pfnc_nvnCommandBufferSetAlphaRef(cmdBuf, ref); }
extern void (*pfnc_nvnCommandBufferSetSampleMask)(NVNcommandBuffer* cmdBuf, int mask);
static inline void nvnCommandBufferSetSampleMask(NVNcommandBuffer* cmdBuf, int mask) { pfnc_nvnCommandBufferSetSampleMask(cmdBuf, mask); }
extern void (*pfnc_nvnCommandBufferSetRasterizerDiscard)(NVNcommandBuffer* cmdBuf, NVNboolean discard);
static inline void nvnCommandBufferSetRasterizerDiscard(NVNcommandBuffer* cmdBuf, NVNboolean discard) { pfnc_nvnCommandBufferSetRasterizerDiscard(cmdBuf, discard); }
extern void (*pfnc_nvnCommandBufferSetDepthClamp)(NVNcommandBuffer* cmdBuf, NVNboolean clamp);
static inline void nvnCommandBufferSetDepthClamp(NVNcommandBuffer* cmdBuf, NVNboolean clamp) { pfnc_nvnCommandBufferSetDepthClamp(cmdBuf, clamp); }
extern void (*pfnc_nvnCommandBufferSetConservativeRasterEnable)(NVNcommandBuffer* cmdBuf, NVNboolean enable);
static inline void nvnCommandBufferSetConservativeRasterEnable(NVNcommandBuffer* cmdBuf, NVNboolean enable) { pfnc_nvnCommandBufferSetConservativeRasterEnable(cmdBuf, enable); }
extern void (*pfnc_nvnCommandBufferSetConservativeRasterDilate)(NVNcommandBuffer* cmdBuf, float dilate);
static inline void nvnCommandBufferSetConservativeRasterDilate(NVNcommandBuffer* cmdBuf, float dilate) { pfnc_nvnCommandBufferSetConservativeRasterDilate(cmdBuf, dilate); }
extern void (*pfnc_nvnCommandBufferSetSubpixelPrecisionBias)(NVNcommandBuffer* cmdBuf, int xBits, int yBits);
static inline void nvnCommandBufferSetSubpixelPrecisionBias(NVNcommandBuffer* cmdBuf, int xBits, int yBits) { pfnc_nvnCommandBufferSetSubpixelPrecisionBias(cmdBuf, xBits, yBits); }
extern void (*pfnc_nvnCommandBufferCopyBufferToTexture)(NVNcommandBuffer* cmdBuf, NVNbufferAddress buffer, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, int flags);
static inline void nvnCommandBufferCopyBufferToTexture(NVNcommandBuffer* cmdBuf, NVNbufferAddress buffer, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, int flags) { pfnc_nvnCommandBufferCopyBufferToTexture(cmdBuf, buffer, dstTexture, dstView, dstRegion, flags); }
extern void (*pfnc_nvnCommandBufferCopyTextureToBuffer)(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNcopyRegion* srcRegion, NVNbufferAddress buffer, int flags);
static inline void nvnCommandBufferCopyTextureToBuffer(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNcopyRegion* srcRegion, NVNbufferAddress buffer, int flags) { pfnc_nvnCommandBufferCopyTextureToBuffer(cmdBuf, srcTexture, srcView, srcRegion, buffer, flags); }
extern void (*pfnc_nvnCommandBufferCopyTextureToTexture)(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNcopyRegion* srcRegion, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, int flags);
static inline void nvnCommandBufferCopyTextureToTexture(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNcopyRegion* srcRegion, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, int flags) { pfnc_nvnCommandBufferCopyTextureToTexture(cmdBuf, srcTexture, srcView, srcRegion, dstTexture, dstView, dstRegion, flags); }
extern void (*pfnc_nvnCommandBufferCopyBufferToBuffer)(NVNcommandBuffer* cmdBuf, NVNbufferAddress src, NVNbufferAddress dst, size_t size, int flags);
static inline void nvnCommandBufferCopyBufferToBuffer(NVNcommandBuffer* cmdBuf, NVNbufferAddress src, NVNbufferAddress dst, size_t size, int flags) { pfnc_nvnCommandBufferCopyBufferToBuffer(cmdBuf, src, dst, size, flags); }
extern void (*pfnc_nvnCommandBufferClearBuffer)(NVNcommandBuffer* cmdBuf, NVNbufferAddress buffer, size_t size, uint32_t value);
static inline void nvnCommandBufferClearBuffer(NVNcommandBuffer* cmdBuf, NVNbufferAddress buffer, size_t size, uint32_t value) { pfnc_nvnCommandBufferClearBuffer(cmdBuf, buffer, size, value); }
extern void (*pfnc_nvnCommandBufferClearTexture)(NVNcommandBuffer* cmdBuf, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, const float* color, int mask);
static inline void nvnCommandBufferClearTexture(NVNcommandBuffer* cmdBuf, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, const float* color, int mask) { pfnc_nvnCommandBufferClearTexture(cmdBuf, dstTexture, dstView, dstRegion, color, mask); }
extern void (*pfnc_nvnCommandBufferClearTexturei)(NVNcommandBuffer* cmdBuf, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, const int* color, int mask);
static inline void nvnCommandBufferClearTexturei(NVNcommandBuffer* cmdBuf, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, const int* color, int mask) { pfnc_nvnCommandBufferClearTexturei(cmdBuf, dstTexture, dstView, dstRegion, color, mask); }
extern void (*pfnc_nvnCommandBufferClearTextureui)(NVNcommandBuffer* cmdBuf, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, const uint32_t* color, int mask);
static inline void nvnCommandBufferClearTextureui(NVNcommandBuffer* cmdBuf, const NVNtexture* dstTexture, const NVNtextureView* dstView, const NVNcopyRegion* dstRegion, const uint32_t* color, int mask) { pfnc_nvnCommandBufferClearTextureui(cmdBuf, dstTexture, dstView, dstRegion, color, mask); }
extern void (*pfnc_nvnCommandBufferUpdateUniformBuffer)(NVNcommandBuffer* cmdBuf, NVNbufferAddress buffer, size_t bufferSize, ptrdiff_t updateOffset, size_t updateSize, const void* data);
static inline void nvnCommandBufferUpdateUniformBuffer(NVNcommandBuffer* cmdBuf, NVNbufferAddress buffer, size_t bufferSize, ptrdiff_t updateOffset, size_t updateSize, const void* data) { pfnc_nvnCommandBufferUpdateUniformBuffer(cmdBuf, buffer, bufferSize, updateOffset, updateSize, data); }
extern void (*pfnc_nvnCommandBufferReportCounter)(NVNcommandBuffer* cmdBuf, NVNcounterType counter, NVNbufferAddress buffer);
static inline void nvnCommandBufferReportCounter(NVNcommandBuffer* cmdBuf, NVNcounterType counter, NVNbufferAddress buffer) { pfnc_nvnCommandBufferReportCounter(cmdBuf, counter, buffer); }
extern void (*pfnc_nvnCommandBufferResetCounter)(NVNcommandBuffer* cmdBuf, NVNcounterType counter);
static inline void nvnCommandBufferResetCounter(NVNcommandBuffer* cmdBuf, NVNcounterType counter) { pfnc_nvnCommandBufferResetCounter(cmdBuf, counter); }
extern void (*pfnc_nvnCommandBufferReportValue)(NVNcommandBuffer* cmdBuf, uint32_t value, NVNbufferAddress buffer);
static inline void nvnCommandBufferReportValue(NVNcommandBuffer* cmdBuf, uint32_t value, NVNbufferAddress buffer) { pfnc_nvnCommandBufferReportValue(cmdBuf, value, buffer); }
extern void (*pfnc_nvnCommandBufferSetRenderEnable)(NVNcommandBuffer* cmdBuf, NVNboolean enable);
static inline void nvnCommandBufferSetRenderEnable(NVNcommandBuffer* cmdBuf, NVNboolean enable) { pfnc_nvnCommandBufferSetRenderEnable(cmdBuf, enable); }
extern void (*pfnc_nvnCommandBufferSetRenderEnableConditional)(NVNcommandBuffer* cmdBuf, NVNconditionalRenderMode mode, NVNbufferAddress addr);
static inline void nvnCommandBufferSetRenderEnableConditional(NVNcommandBuffer* cmdBuf, NVNconditionalRenderMode mode, NVNbufferAddress addr) { pfnc_nvnCommandBufferSetRenderEnableConditional(cmdBuf, mode, addr); }
extern void (*pfnc_nvnCommandBufferSetRenderTargets)(NVNcommandBuffer* cmdBuf, int numColors, const NVNtexture* const* colors, const NVNtextureView* const* colorViews, const NVNtexture* depthStencil, const NVNtextureView* depthStencilView);
static inline void nvnCommandBufferSetRenderTargets(NVNcommandBuffer* cmdBuf, int numColors, const NVNtexture* const* colors, const NVNtextureView* const* colorViews, const NVNtexture* depthStencil, const NVNtextureView* depthStencilView) { pfnc_nvnCommandBufferSetRenderTargets(cmdBuf, numColors, colors, colorViews, depthStencil, depthStencilView); }
extern void (*pfnc_nvnCommandBufferDiscardColor)(NVNcommandBuffer* cmdBuf, int index);
static inline void nvnCommandBufferDiscardColor(NVNcommandBuffer* cmdBuf, int index) { pfnc_nvnCommandBufferDiscardColor(cmdBuf, index); }
extern void (*pfnc_nvnCommandBufferDiscardDepthStencil)(NVNcommandBuffer* cmdBuf);
static inline void nvnCommandBufferDiscardDepthStencil(NVNcommandBuffer* cmdBuf) { pfnc_nvnCommandBufferDiscardDepthStencil(cmdBuf); }
extern void (*pfnc_nvnCommandBufferDownsample)(NVNcommandBuffer* cmdBuf, const NVNtexture* src, const NVNtexture* dst);
static inline void nvnCommandBufferDownsample(NVNcommandBuffer* cmdBuf, const NVNtexture* src, const NVNtexture* dst) { pfnc_nvnCommandBufferDownsample(cmdBuf, src, dst); }
extern void (*pfnc_nvnCommandBufferTiledDownsample)(NVNcommandBuffer* cmdBuf, const NVNtexture* src, const NVNtexture* dst);
static inline void nvnCommandBufferTiledDownsample(NVNcommandBuffer* cmdBuf, const NVNtexture* src, const NVNtexture* dst) { pfnc_nvnCommandBufferTiledDownsample(cmdBuf, src, dst); }
extern void (*pfnc_nvnCommandBufferDownsampleTextureView)(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNtexture* dstTexture, const NVNtextureView* dstView);
static inline void nvnCommandBufferDownsampleTextureView(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNtexture* dstTexture, const NVNtextureView* dstView) { pfnc_nvnCommandBufferDownsampleTextureView(cmdBuf, srcTexture, srcView, dstTexture, dstView); }
extern void (*pfnc_nvnCommandBufferTiledDownsampleTextureView)(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNtexture* dstTexture, const NVNtextureView* dstView);
static inline void nvnCommandBufferTiledDownsampleTextureView(NVNcommandBuffer* cmdBuf, const NVNtexture* srcTexture, const NVNtextureView* srcView, const NVNtexture* dstTexture, const NVNtextureView* dstView) { pfnc_nvnCommandBufferTiledDownsampleTextureView(cmdBuf, srcTexture, srcView, dstTexture, dstView); }
extern void (*pfnc_nvnCommandBufferBarrier)(NVNcommandBuffer* cmdBuf, int barrierBits);
static inline void nvnCommandBufferBarrier(NVNcommandBuffer* cmdBuf, int barrierBits) { pfnc_nvnCommandBufferBarrier(cmdBuf, barrierBits); }
extern void (*pfnc_nvnCommandBufferWaitSync)(NVNcommandBuffer* cmdBuf, const NVNsync* sync);
static inline void nvnCommandBufferWaitSync(NVNcommandBuffer* cmdBuf, const NVNsync* sync) { pfnc_nvnCommandBufferWaitSync(cmdBuf, sync); }
extern void (*pfnc_nvnCommandBufferFenceSync)(NVNcommandBuffer* cmdBuf, NVNsync* sync, NVNsyncCondition condition, int flags);
static inline void nvnCommandBufferFenceSync(NVNcommandBuffer* cmdBuf, NVNsync* sync, NVNsyncCondition condition, int flags) { pfnc_nvnCommandBufferFenceSync(cmdBuf, sync, condition, flags); }
extern void (*pfnc_nvnCommandBufferSetTexturePool)(NVNcommandBuffer* cmdBuf, const NVNtexturePool* pool);
static inline void nvnCommandBufferSetTexturePool(NVNcommandBuffer* cmdBuf, const NVNtexturePool* pool) { pfnc_nvnCommandBufferSetTexturePool(cmdBuf, pool); }
extern void (*pfnc_nvnCommandBufferSetSamplerPool)(NVNcommandBuffer* cmdBuf, const NVNsamplerPool* pool);
static inline void nvnCommandBufferSetSamplerPool(NVNcommandBuffer* cmdBuf, const NVNsamplerPool* pool) { pfnc_nvnCommandBufferSetSamplerPool(cmdBuf, pool); }
extern void (*pfnc_nvnCommandBufferSetShaderScratchMemory)(NVNcommandBuffer* cmdBuf, const NVNmemoryPool* pool, ptrdiff_t offset, size_t size);
static inline void nvnCommandBufferSetShaderScratchMemory(NVNcommandBuffer* cmdBuf, const NVNmemoryPool* pool, ptrdiff_t offset, size_t size) { pfnc_nvnCommandBufferSetShaderScratchMemory(cmdBuf, pool, offset, size); }
extern void (*pfnc_nvnCommandBufferSaveZCullData)(NVNcommandBuffer* cmdBuf, NVNbufferAddress addr, size_t size);
static inline void nvnCommandBufferSaveZCullData(NVNcommandBuffer* cmdBuf, NVNbufferAddress addr, size_t size) { pfnc_nvnCommandBufferSaveZCullData(cmdBuf, addr, size); }
extern void (*pfnc_nvnCommandBufferRestoreZCullData)(NVNcommandBuffer* cmdBuf, NVNbufferAddress addr, size_t size);
static inline void nvnCommandBufferRestoreZCullData(NVNcommandBuffer* cmdBuf, NVNbufferAddress addr, size_t size) { pfnc_nvnCommandBufferRestoreZCullData(cmdBuf, addr, size); }
extern void (*pfnc_nvnCommandBufferSetCopyRowStride)(NVNcommandBuffer* cmdBuf, ptrdiff_t stride);
static inline void nvnCommandBufferSetCopyRowStride(NVNcommandBuffer* cmdBuf, ptrdiff_t stride) { pfnc_nvnCommandBufferSetCopyRowStride(cmdBuf, stride); }
extern void (*pfnc_nvnCommandBufferSetCopyImageStride)(NVNcommandBuffer* cmdBuf, ptrdiff_t stride);
static inline void nvnCommandBufferSetCopyImageStride(NVNcommandBuffer* cmdBuf, ptrdiff_t stride) { pfnc_nvnCommandBufferSetCopyImageStride(cmdBuf, stride); }
extern ptrdiff_t (*pfnc_nvnCommandBufferGetCopyRowStride)(const NVNcommandBuffer* cmdBuf);
static inline ptrdiff_t nvnCommandBufferGetCopyRowStride(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetCopyRowStride(cmdBuf); }
extern ptrdiff_t (*pfnc_nvnCommandBufferGetCopyImageStride)(const NVNcommandBuffer* cmdBuf);
static inline ptrdiff_t nvnCommandBufferGetCopyImageStride(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetCopyImageStride(cmdBuf); }
extern void (*pfnc_nvnCommandBufferDrawTexture)(NVNcommandBuffer* cmdBuf, NVNtextureHandle handle, const NVNdrawTextureRegion* dstRegion, const NVNdrawTextureRegion* srcRegion);
static inline void nvnCommandBufferDrawTexture(NVNcommandBuffer* cmdBuf, NVNtextureHandle handle, const NVNdrawTextureRegion* dstRegion, const NVNdrawTextureRegion* srcRegion) { pfnc_nvnCommandBufferDrawTexture(cmdBuf, handle, dstRegion, srcRegion); }
extern void (*pfnc_nvnCommandBufferSetProgramSubroutines)(NVNcommandBuffer* cmdBuf, NVNprogram* program, NVNshaderStage stage, const int first, const int count, const int* values);
static inline void nvnCommandBufferSetProgramSubroutines(NVNcommandBuffer* cmdBuf, NVNprogram* program, NVNshaderStage stage, const int first, const int count, const int* values) { pfnc_nvnCommandBufferSetProgramSubroutines(cmdBuf, program, stage, first, count, values); }
extern void (*pfnc_nvnCommandBufferBindCoverageModulationTable)(NVNcommandBuffer* cmdBuf, const float* entries);
static inline void nvnCommandBufferBindCoverageModulationTable(NVNcommandBuffer* cmdBuf, const float* entries) { pfnc_nvnCommandBufferBindCoverageModulationTable(cmdBuf, entries); }
extern void (*pfnc_nvnCommandBufferResolveDepthBuffer)(NVNcommandBuffer* cmdBuf);
static inline void nvnCommandBufferResolveDepthBuffer(NVNcommandBuffer* cmdBuf) { pfnc_nvnCommandBufferResolveDepthBuffer(cmdBuf); }
extern void (*pfnc_nvnCommandBufferPushDebugGroupStatic)(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description);
static inline void nvnCommandBufferPushDebugGroupStatic(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description) { pfnc_nvnCommandBufferPushDebugGroupStatic(cmdBuf, domainId, description); }
extern void (*pfnc_nvnCommandBufferPushDebugGroupDynamic)(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description);
static inline void nvnCommandBufferPushDebugGroupDynamic(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description) { pfnc_nvnCommandBufferPushDebugGroupDynamic(cmdBuf, domainId, description); }
extern void (*pfnc_nvnCommandBufferPushDebugGroup)(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description);
static inline void nvnCommandBufferPushDebugGroup(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description) { pfnc_nvnCommandBufferPushDebugGroup(cmdBuf, domainId, description); }
extern void (*pfnc_nvnCommandBufferPopDebugGroup)(NVNcommandBuffer* cmdBuf);
static inline void nvnCommandBufferPopDebugGroup(NVNcommandBuffer* cmdBuf) { pfnc_nvnCommandBufferPopDebugGroup(cmdBuf); }
extern void (*pfnc_nvnCommandBufferPopDebugGroupId)(NVNcommandBuffer* cmdBuf, uint32_t domainId);
static inline void nvnCommandBufferPopDebugGroupId(NVNcommandBuffer* cmdBuf, uint32_t domainId) { pfnc_nvnCommandBufferPopDebugGroupId(cmdBuf, domainId); }
extern void (*pfnc_nvnCommandBufferInsertDebugMarkerStatic)(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description);
static inline void nvnCommandBufferInsertDebugMarkerStatic(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description) { pfnc_nvnCommandBufferInsertDebugMarkerStatic(cmdBuf, domainId, description); }
extern void (*pfnc_nvnCommandBufferInsertDebugMarkerDynamic)(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description);
static inline void nvnCommandBufferInsertDebugMarkerDynamic(NVNcommandBuffer* cmdBuf, uint32_t domainId, const char* description) { pfnc_nvnCommandBufferInsertDebugMarkerDynamic(cmdBuf, domainId, description); }
extern void (*pfnc_nvnCommandBufferInsertDebugMarker)(NVNcommandBuffer* cmdBuf, const char* description);
static inline void nvnCommandBufferInsertDebugMarker(NVNcommandBuffer* cmdBuf, const char* description) { pfnc_nvnCommandBufferInsertDebugMarker(cmdBuf, description); }
extern PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC (*pfnc_nvnCommandBufferGetMemoryCallback)(const NVNcommandBuffer* cmdBuf);
static inline PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC nvnCommandBufferGetMemoryCallback(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetMemoryCallback(cmdBuf); }
extern void* (*pfnc_nvnCommandBufferGetMemoryCallbackData)(const NVNcommandBuffer* cmdBuf);
static inline void* nvnCommandBufferGetMemoryCallbackData(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferGetMemoryCallbackData(cmdBuf); }
extern NVNboolean (*pfnc_nvnCommandBufferIsRecording)(const NVNcommandBuffer* cmdBuf);
static inline NVNboolean nvnCommandBufferIsRecording(const NVNcommandBuffer* cmdBuf) { return pfnc_nvnCommandBufferIsRecording(cmdBuf); }
extern NVNboolean (*pfnc_nvnSyncInitialize)(NVNsync* sync, NVNdevice* device);
static inline NVNboolean nvnSyncInitialize(NVNsync* sync, NVNdevice* device) { return pfnc_nvnSyncInitialize(sync, device); }
extern void (*pfnc_nvnSyncFinalize)(NVNsync* sync);
static inline void nvnSyncFinalize(NVNsync* sync) { pfnc_nvnSyncFinalize(sync); }
extern void (*pfnc_nvnSyncSetDebugLabel)(NVNsync* sync, const char* label);
static inline void nvnSyncSetDebugLabel(NVNsync* sync, const char* label) { pfnc_nvnSyncSetDebugLabel(sync, label); }
extern void (*pfnc_nvnQueueFenceSync)(NVNqueue* queue, NVNsync* sync, NVNsyncCondition condition, int flags);
static inline void nvnQueueFenceSync(NVNqueue* queue, NVNsync* sync, NVNsyncCondition condition, int flags) { pfnc_nvnQueueFenceSync(queue, sync, condition, flags); }
extern NVNsyncWaitResult (*pfnc_nvnSyncWait)(const NVNsync* sync, uint64_t timeoutNs);
static inline NVNsyncWaitResult nvnSyncWait(const NVNsync* sync, uint64_t timeoutNs) { return pfnc_nvnSyncWait(sync, timeoutNs); }
extern NVNboolean (*pfnc_nvnQueueWaitSync)(NVNqueue* queue, const NVNsync* sync);
static inline NVNboolean nvnQueueWaitSync(NVNqueue* queue, const NVNsync* sync) { return pfnc_nvnQueueWaitSync(queue, sync); }
extern void (*pfnc_nvnEventBuilderSetDefaults)(NVNeventBuilder* builder);
static inline void nvnEventBuilderSetDefaults(NVNeventBuilder* builder) { pfnc_nvnEventBuilderSetDefaults(builder); }
extern void (*pfnc_nvnEventBuilderSetStorage)(NVNeventBuilder* builder, const NVNmemoryPool* pool, int64_t offset);
static inline void nvnEventBuilderSetStorage(NVNeventBuilder* builder, const NVNmemoryPool* pool, int64_t offset) { pfnc_nvnEventBuilderSetStorage(builder, pool, offset); }
extern NVNboolean (*pfnc_nvnEventInitialize)(NVNevent* event, const NVNeventBuilder* builder);
static inline NVNboolean nvnEventInitialize(NVNevent* event, const NVNeventBuilder* builder) { return pfnc_nvnEventInitialize(event, builder); }
extern void (*pfnc_nvnEventFinalize)(NVNevent* event);
static inline void nvnEventFinalize(NVNevent* event) { pfnc_nvnEventFinalize(event); }
extern uint32_t (*pfnc_nvnEventGetValue)(const NVNevent* event);
static inline uint32_t nvnEventGetValue(const NVNevent* event) { return pfnc_nvnEventGetValue(event); }
extern void (*pfnc_nvnEventSignal)(NVNevent* event, NVNeventSignalMode mode, uint32_t value);
static inline void nvnEventSignal(NVNevent* event, NVNeventSignalMode mode, uint32_t value) { pfnc_nvnEventSignal(event, mode, value); }
extern void (*pfnc_nvnCommandBufferWaitEvent)(NVNcommandBuffer* cmdBuf, const NVNevent* event, NVNeventWaitMode waitMode, uint32_t value);
static inline void nvnCommandBufferWaitEvent(NVNcommandBuffer* cmdBuf, const NVNevent* event, NVNeventWaitMode waitMode, uint32_t value) { pfnc_nvnCommandBufferWaitEvent(cmdBuf, event, waitMode, value); }
extern void (*pfnc_nvnCommandBufferSignalEvent)(NVNcommandBuffer* cmdBuf, const NVNevent* event, NVNeventSignalMode mode, NVNeventSignalLocation location, int flags, uint32_t value);
static inline void nvnCommandBufferSignalEvent(NVNcommandBuffer* cmdBuf, const NVNevent* event, NVNeventSignalMode mode, NVNeventSignalLocation location, int flags, uint32_t value) { pfnc_nvnCommandBufferSignalEvent(cmdBuf, event, mode, location, flags, value); }
extern int (*pfnc_nvnDeviceBuilderGetFlags)(const NVNdeviceBuilder* builder);
static inline int nvnDeviceBuilderGetFlags(const NVNdeviceBuilder* builder) { return pfnc_nvnDeviceBuilderGetFlags(builder); }
extern const NVNdevice* (*pfnc_nvnQueueBuilderGetDevice)(const NVNqueueBuilder* builder);
static inline const NVNdevice* nvnQueueBuilderGetDevice(const NVNqueueBuilder* builder) { return pfnc_nvnQueueBuilderGetDevice(builder); }
extern int (*pfnc_nvnQueueBuilderGetFlags)(const NVNqueueBuilder* builder);
static inline int nvnQueueBuilderGetFlags(const NVNqueueBuilder* builder) { return pfnc_nvnQueueBuilderGetFlags(builder); }
extern NVNboolean (*pfnc_nvnQueueBuilderGetCommandMemorySize)(const NVNqueueBuilder* builder, int* size);
static inline NVNboolean nvnQueueBuilderGetCommandMemorySize(const NVNqueueBuilder* builder, int* size) { return pfnc_nvnQueueBuilderGetCommandMemorySize(builder, size); }
extern NVNboolean (*pfnc_nvnQueueBuilderGetComputeMemorySize)(const NVNqueueBuilder* builder, int* size);
static inline NVNboolean nvnQueueBuilderGetComputeMemorySize(const NVNqueueBuilder* builder, int* size) { return pfnc_nvnQueueBuilderGetComputeMemorySize(builder, size); }
extern NVNboolean (*pfnc_nvnQueueBuilderGetControlMemorySize)(const NVNqueueBuilder* builder, int* size);
static inline NVNboolean nvnQueueBuilderGetControlMemorySize(const NVNqueueBuilder* builder, int* size) { return pfnc_nvnQueueBuilderGetControlMemorySize(builder, size); }
extern NVNboolean (*pfnc_nvnQueueBuilderGetCommandFlushThreshold)(const NVNqueueBuilder* builder, int* threshold);
static inline NVNboolean nvnQueueBuilderGetCommandFlushThreshold(const NVNqueueBuilder* builder, int* threshold) { return pfnc_nvnQueueBuilderGetCommandFlushThreshold(builder, threshold); }
extern int (*pfnc_nvnQueueBuilderGetMemorySize)(const NVNqueueBuilder* builder);
static inline int nvnQueueBuilderGetMemorySize(const NVNqueueBuilder* builder) { return pfnc_nvnQueueBuilderGetMemorySize(builder); }
extern void* (*pfnc_nvnQueueBuilderGetMemory)(const NVNqueueBuilder* builder);
static inline void* nvnQueueBuilderGetMemory(const NVNqueueBuilder* builder) { return pfnc_nvnQueueBuilderGetMemory(builder); }
extern const NVNdevice* (*pfnc_nvnWindowBuilderGetDevice)(const NVNwindowBuilder* builder);
static inline const NVNdevice* nvnWindowBuilderGetDevice(const NVNwindowBuilder* builder) { return pfnc_nvnWindowBuilderGetDevice(builder); }
extern int (*pfnc_nvnWindowBuilderGetNumTextures)(const NVNwindowBuilder* builder);
static inline int nvnWindowBuilderGetNumTextures(const NVNwindowBuilder* builder) { return pfnc_nvnWindowBuilderGetNumTextures(builder); }
extern const NVNtexture* (*pfnc_nvnWindowBuilderGetTexture)(const NVNwindowBuilder* builder, int index);
static inline const NVNtexture* nvnWindowBuilderGetTexture(const NVNwindowBuilder* builder, int index) { return pfnc_nvnWindowBuilderGetTexture(builder, index); }
extern const NVNdevice* (*pfnc_nvnMemoryPoolBuilderGetDevice)(const NVNmemoryPoolBuilder* builder);
static inline const NVNdevice* nvnMemoryPoolBuilderGetDevice(const NVNmemoryPoolBuilder* builder) { return pfnc_nvnMemoryPoolBuilderGetDevice(builder); }
extern const NVNdevice* (*pfnc_nvnBufferBuilderGetDevice)(const NVNbufferBuilder* builder);
static inline const NVNdevice* nvnBufferBuilderGetDevice(const NVNbufferBuilder* builder) { return pfnc_nvnBufferBuilderGetDevice(builder); }
extern const NVNdevice* (*pfnc_nvnTextureBuilderGetDevice)(const NVNtextureBuilder* builder);
static inline const NVNdevice* nvnTextureBuilderGetDevice(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetDevice(builder); }
extern NVNboolean (*pfnc_nvnTextureBuilderGetPackagedTextureLayout)(const NVNtextureBuilder* builder, NVNpackagedTextureLayout* layout);
static inline NVNboolean nvnTextureBuilderGetPackagedTextureLayout(const NVNtextureBuilder* builder, NVNpackagedTextureLayout* layout) { return pfnc_nvnTextureBuilderGetPackagedTextureLayout(builder, layout); }
extern const NVNdevice* (*pfnc_nvnSamplerBuilderGetDevice)(const NVNsamplerBuilder* builder);
static inline const NVNdevice* nvnSamplerBuilderGetDevice(const NVNsamplerBuilder* builder) { return pfnc_nvnSamplerBuilderGetDevice(builder); }
extern const NVNmemoryPool* (*pfnc_nvnEventBuilderGetStorage)(const NVNeventBuilder* builder, int64_t* offset);
static inline const NVNmemoryPool* nvnEventBuilderGetStorage(const NVNeventBuilder* builder, int64_t* offset) { return pfnc_nvnEventBuilderGetStorage(builder, offset); }
extern void (*pfnc_nvnCommandBufferSetStencilCullCriteria)(NVNcommandBuffer* cmdBuf, NVNstencilFunc func, int ref, int mask);
static inline void nvnCommandBufferSetStencilCullCriteria(NVNcommandBuffer* cmdBuf, NVNstencilFunc func, int ref, int mask) { pfnc_nvnCommandBufferSetStencilCullCriteria(cmdBuf, func, ref, mask); }
extern void (*pfnc_nvnCommandBufferSetColorReductionEnable)(NVNcommandBuffer* cmdBuf, NVNboolean enable);
static inline void nvnCommandBufferSetColorReductionEnable(NVNcommandBuffer* cmdBuf, NVNboolean enable) { pfnc_nvnCommandBufferSetColorReductionEnable(cmdBuf, enable); }
extern int (*pfnc_nvnQueueBuilderGetQueuePriority)(const NVNqueueBuilder* builder);
static inline int nvnQueueBuilderGetQueuePriority(const NVNqueueBuilder* builder) { return pfnc_nvnQueueBuilderGetQueuePriority(builder); }
extern void (*pfnc_nvnWindowBuilderSetNumActiveTextures)(NVNwindowBuilder* builder, int count);
static inline void nvnWindowBuilderSetNumActiveTextures(NVNwindowBuilder* builder, int count) { pfnc_nvnWindowBuilderSetNumActiveTextures(builder, count); }
extern int (*pfnc_nvnWindowBuilderGetNumActiveTextures)(const NVNwindowBuilder* builder);
static inline int nvnWindowBuilderGetNumActiveTextures(const NVNwindowBuilder* builder) { return pfnc_nvnWindowBuilderGetNumActiveTextures(builder); }
extern int (*pfnc_nvnWindowGetNumTextures)(const NVNwindow* window);
static inline int nvnWindowGetNumTextures(const NVNwindow* window) { return pfnc_nvnWindowGetNumTextures(window); }
extern void (*pfnc_nvnWindowSetNumActiveTextures)(NVNwindow* window, int count);
static inline void nvnWindowSetNumActiveTextures(NVNwindow* window, int count) { pfnc_nvnWindowSetNumActiveTextures(window, count); }
extern int (*pfnc_nvnWindowGetNumActiveTextures)(const NVNwindow* window);
static inline int nvnWindowGetNumActiveTextures(const NVNwindow* window) { return pfnc_nvnWindowGetNumActiveTextures(window); }
extern int (*pfnc_nvnTextureBuilderGetRawStorageClass)(const NVNtextureBuilder* builder);
static inline int nvnTextureBuilderGetRawStorageClass(const NVNtextureBuilder* builder) { return pfnc_nvnTextureBuilderGetRawStorageClass(builder); }
extern int (*pfnc_nvnTextureGetRawStorageClass)(const NVNtexture* texture);
static inline int nvnTextureGetRawStorageClass(const NVNtexture* texture) { return pfnc_nvnTextureGetRawStorageClass(texture); }
extern void (*pfnc_nvnCommandBufferSetCommandMemoryCallbackEnabled)(NVNcommandBuffer* cmdBuf, NVNboolean enable);
static inline void nvnCommandBufferSetCommandMemoryCallbackEnabled(NVNcommandBuffer* cmdBuf, NVNboolean enable) { pfnc_nvnCommandBufferSetCommandMemoryCallbackEnabled(cmdBuf, enable); }
extern NVNmemoryPool* (*pfnc_nvnEventBuilderGetMemoryPool)(const NVNeventBuilder* builder);
static inline NVNmemoryPool* nvnEventBuilderGetMemoryPool(const NVNeventBuilder* builder) { return pfnc_nvnEventBuilderGetMemoryPool(builder); }
extern NVNmemoryPool* (*pfnc_nvnEventGetMemoryPool)(const NVNevent* event);
static inline NVNmemoryPool* nvnEventGetMemoryPool(const NVNevent* event) { return pfnc_nvnEventGetMemoryPool(event); }
extern void (*pfnc_nvnQueueBuilderSetQueuePriority)(NVNqueueBuilder* builder, int priority);
static inline void nvnQueueBuilderSetQueuePriority(NVNqueueBuilder* builder, int priority) { pfnc_nvnQueueBuilderSetQueuePriority(builder, priority); }

/* X(name) for every function above, for the table of `nvn_load_procs`. */
#define NVN_FOR_EACH_FUNCTION(X) \
    X(nvnDeviceBuilderSetDefaults) \
    X(nvnDeviceBuilderSetFlags) \
    X(nvnDeviceInitialize) \
    X(nvnDeviceFinalize) \
    X(nvnDeviceSetDebugLabel) \
    X(nvnDeviceGetProcAddress) \
    X(nvnDeviceGetInteger) \
    X(nvnDeviceGetCurrentTimestampInNanoseconds) \
    X(nvnDeviceSetIntermediateShaderCache) \
    X(nvnDeviceGetTextureHandle) \
    X(nvnDeviceGetTexelFetchHandle) \
    X(nvnDeviceGetImageHandle) \
    X(nvnDeviceInstallDebugCallback) \
    X(nvnDeviceGenerateDebugDomainId) \
    X(nvnDeviceSetWindowOriginMode) \
    X(nvnDeviceSetDepthMode) \
    X(nvnDeviceRegisterFastClearColor) \
    X(nvnDeviceRegisterFastClearColori) \
    X(nvnDeviceRegisterFastClearColorui) \
    X(nvnDeviceRegisterFastClearDepth) \
    X(nvnDeviceGetWindowOriginMode) \
    X(nvnDeviceGetDepthMode) \
    X(nvnDeviceGetTimestampInNanoseconds) \
    X(nvnDeviceApplyDeferredFinalizes) \
    X(nvnDeviceFinalizeCommandHandle) \
    X(nvnDeviceWalkDebugDatabase) \
    X(nvnDeviceGetSeparateTextureHandle) \
    X(nvnDeviceGetSeparateSamplerHandle) \
    X(nvnDeviceIsExternalDebuggerAttached) \
    X(nvnQueueGetError) \
    X(nvnQueueGetTotalCommandMemoryUsed) \
    X(nvnQueueGetTotalControlMemoryUsed) \
    X(nvnQueueGetTotalComputeMemoryUsed) \
    X(nvnQueueResetMemoryUsageCounts) \
    X(nvnQueueBuilderSetDevice) \
    X(nvnQueueBuilderSetDefaults) \
    X(nvnQueueBuilderSetFlags) \
    X(nvnQueueBuilderSetCommandMemorySize) \
    X(nvnQueueBuilderSetComputeMemorySize) \
    X(nvnQueueBuilderSetControlMemorySize) \
    X(nvnQueueBuilderGetQueueMemorySize) \
    X(nvnQueueBuilderSetQueueMemory) \
    X(nvnQueueBuilderSetCommandFlushThreshold) \
    X(nvnQueueInitialize) \
    X(nvnQueueFinalize) \
    X(nvnQueueSetDebugLabel) \
    X(nvnQueueSubmitCommands) \
    X(nvnQueueFlush) \
    X(nvnQueueFinish) \
    X(nvnQueuePresentTexture) \
    X(nvnQueueAcquireTexture) \
    X(nvnWindowBuilderSetDevice) \
    X(nvnWindowBuilderSetDefaults) \
    X(nvnWindowBuilderSetNativeWindow) \
    X(nvnWindowBuilderSetTextures) \
    X(nvnWindowBuilderSetPresentInterval) \
    X(nvnWindowBuilderGetNativeWindow) \
    X(nvnWindowBuilderGetPresentInterval) \
    X(nvnWindowInitialize) \
    X(nvnWindowFinalize) \
    X(nvnWindowSetDebugLabel) \
    X(nvnWindowAcquireTexture) \
    X(nvnWindowGetNativeWindow) \
    X(nvnWindowGetPresentInterval) \
    X(nvnWindowSetPresentInterval) \
    X(nvnWindowSetCrop) \
    X(nvnWindowGetCrop) \
    X(nvnProgramInitialize) \
    X(nvnProgramFinalize) \
    X(nvnProgramSetDebugLabel) \
    X(nvnProgramSetShaders) \
    X(nvnMemoryPoolBuilderSetDevice) \
    X(nvnMemoryPoolBuilderSetDefaults) \
    X(nvnMemoryPoolBuilderSetStorage) \
    X(nvnMemoryPoolBuilderSetFlags) \
    X(nvnMemoryPoolBuilderGetMemory) \
    X(nvnMemoryPoolBuilderGetSize) \
    X(nvnMemoryPoolBuilderGetFlags) \
    X(nvnMemoryPoolInitialize) \
    X(nvnMemoryPoolSetDebugLabel) \
    X(nvnMemoryPoolFinalize) \
    X(nvnMemoryPoolMap) \
    X(nvnMemoryPoolFlushMappedRange) \
    X(nvnMemoryPoolInvalidateMappedRange) \
    X(nvnMemoryPoolGetBufferAddress) \
    X(nvnMemoryPoolMapVirtual) \
    X(nvnMemoryPoolGetSize) \
    X(nvnMemoryPoolGetFlags) \
    X(nvnTexturePoolInitialize) \
    X(nvnTexturePoolSetDebugLabel) \
    X(nvnTexturePoolFinalize) \
    X(nvnTexturePoolRegisterTexture) \
    X(nvnTexturePoolRegisterImage) \
    X(nvnTexturePoolGetMemoryPool) \
    X(nvnTexturePoolGetMemoryOffset) \
    X(nvnTexturePoolGetSize) \
    X(nvnSamplerPoolInitialize) \
    X(nvnSamplerPoolSetDebugLabel) \
    X(nvnSamplerPoolFinalize) \
    X(nvnSamplerPoolRegisterSampler) \
    X(nvnSamplerPoolRegisterSamplerBuilder) \
    X(nvnSamplerPoolGetMemoryPool) \
    X(nvnSamplerPoolGetMemoryOffset) \
    X(nvnSamplerPoolGetSize) \
    X(nvnBufferBuilderSetDevice) \
    X(nvnBufferBuilderSetDefaults) \
    X(nvnBufferBuilderSetStorage) \
    X(nvnBufferBuilderGetMemoryPool) \
    X(nvnBufferBuilderGetMemoryOffset) \
    X(nvnBufferBuilderGetSize) \
    X(nvnBufferInitialize) \
    X(nvnBufferSetDebugLabel) \
    X(nvnBufferFinalize) \
    X(nvnBufferMap) \
    X(nvnBufferGetAddress) \
    X(nvnBufferFlushMappedRange) \
    X(nvnBufferInvalidateMappedRange) \
    X(nvnBufferGetMemoryPool) \
    X(nvnBufferGetMemoryOffset) \
    X(nvnBufferGetSize) \
    X(nvnBufferGetDebugID) \
    X(nvnTextureBuilderSetDevice) \
    X(nvnTextureBuilderSetDefaults) \
    X(nvnTextureBuilderSetFlags) \
    X(nvnTextureBuilderSetTarget) \
    X(nvnTextureBuilderSetWidth) \
    X(nvnTextureBuilderSetHeight) \
    X(nvnTextureBuilderSetDepth) \
    X(nvnTextureBuilderSetSize1D) \
    X(nvnTextureBuilderSetSize2D) \
    X(nvnTextureBuilderSetSize3D) \
    X(nvnTextureBuilderSetLevels) \
    X(nvnTextureBuilderSetFormat) \
    X(nvnTextureBuilderSetSamples) \
    X(nvnTextureBuilderSetSwizzle) \
    X(nvnTextureBuilderSetDepthStencilMode) \
    X(nvnTextureBuilderGetStorageSize) \
    X(nvnTextureBuilderGetStorageAlignment) \
    X(nvnTextureBuilderSetStorage) \
    X(nvnTextureBuilderSetPackagedTextureData) \
    X(nvnTextureBuilderSetPackagedTextureLayout) \
    X(nvnTextureBuilderSetStride) \
    X(nvnTextureBuilderSetGLTextureName) \
    X(nvnTextureBuilderGetStorageClass) \
    X(nvnTextureBuilderGetFlags) \
    X(nvnTextureBuilderGetTarget) \
    X(nvnTextureBuilderGetWidth) \
    X(nvnTextureBuilderGetHeight) \
    X(nvnTextureBuilderGetDepth) \
    X(nvnTextureBuilderGetLevels) \
    X(nvnTextureBuilderGetFormat) \
    X(nvnTextureBuilderGetSamples) \
    X(nvnTextureBuilderGetSwizzle) \
    X(nvnTextureBuilderGetDepthStencilMode) \
    X(nvnTextureBuilderGetPackagedTextureData) \
    X(nvnTextureBuilderGetStride) \
    X(nvnTextureBuilderGetSparseTileLayout) \
    X(nvnTextureBuilderGetGLTextureName) \
    X(nvnTextureBuilderGetZCullStorageSize) \
    X(nvnTextureBuilderGetMemoryPool) \
    X(nvnTextureBuilderGetMemoryOffset) \
    X(nvnTextureViewSetDefaults) \
    X(nvnTextureViewSetLevels) \
    X(nvnTextureViewSetLayers) \
    X(nvnTextureViewSetFormat) \
    X(nvnTextureViewSetSwizzle) \
    X(nvnTextureViewSetDepthStencilMode) \
    X(nvnTextureViewSetTarget) \
    X(nvnTextureViewGetLevels) \
    X(nvnTextureViewGetLayers) \
    X(nvnTextureViewGetFormat) \
    X(nvnTextureViewGetSwizzle) \
    X(nvnTextureViewGetDepthStencilMode) \
    X(nvnTextureViewGetTarget) \
    X(nvnTextureViewCompare) \
    X(nvnTextureInitialize) \
    X(nvnTextureGetZCullStorageSize) \
    X(nvnTextureFinalize) \
    X(nvnTextureSetDebugLabel) \
    X(nvnTextureGetStorageClass) \
    X(nvnTextureGetViewOffset) \
    X(nvnTextureGetFlags) \
    X(nvnTextureGetTarget) \
    X(nvnTextureGetWidth) \
    X(nvnTextureGetHeight) \
    X(nvnTextureGetDepth) \
    X(nvnTextureGetLevels) \
    X(nvnTextureGetFormat) \
    X(nvnTextureGetSamples) \
    X(nvnTextureGetSwizzle) \
    X(nvnTextureGetDepthStencilMode) \
    X(nvnTextureGetStride) \
    X(nvnTextureGetTextureAddress) \
    X(nvnTextureGetSparseTileLayout) \
    X(nvnTextureWriteTexels) \
    X(nvnTextureWriteTexelsStrided) \
    X(nvnTextureReadTexels) \
    X(nvnTextureReadTexelsStrided) \
    X(nvnTextureFlushTexels) \
    X(nvnTextureInvalidateTexels) \
    X(nvnTextureGetMemoryPool) \
    X(nvnTextureGetMemoryOffset) \
    X(nvnTextureGetStorageSize) \
    X(nvnTextureCompare) \
    X(nvnTextureGetDebugID) \
    X(nvnSamplerBuilderSetDevice) \
    X(nvnSamplerBuilderSetDefaults) \
    X(nvnSamplerBuilderSetMinMagFilter) \
    X(nvnSamplerBuilderSetWrapMode) \
    X(nvnSamplerBuilderSetLodClamp) \
    X(nvnSamplerBuilderSetLodBias) \
    X(nvnSamplerBuilderSetCompare) \
    X(nvnSamplerBuilderSetBorderColor) \
    X(nvnSamplerBuilderSetBorderColori) \
    X(nvnSamplerBuilderSetBorderColorui) \
    X(nvnSamplerBuilderSetMaxAnisotropy) \
    X(nvnSamplerBuilderSetReductionFilter) \
    X(nvnSamplerBuilderSetLodSnap) \
    X(nvnSamplerBuilderGetMinMagFilter) \
    X(nvnSamplerBuilderGetWrapMode) \
    X(nvnSamplerBuilderGetLodClamp) \
    X(nvnSamplerBuilderGetLodBias) \
    X(nvnSamplerBuilderGetCompare) \
    X(nvnSamplerBuilderGetBorderColor) \
    X(nvnSamplerBuilderGetBorderColori) \
    X(nvnSamplerBuilderGetBorderColorui) \
    X(nvnSamplerBuilderGetMaxAnisotropy) \
    X(nvnSamplerBuilderGetReductionFilter) \
    X(nvnSamplerBuilderGetLodSnap) \
    X(nvnSamplerInitialize) \
    X(nvnSamplerFinalize) \
    X(nvnSamplerSetDebugLabel) \
    X(nvnSamplerGetMinMagFilter) \
    X(nvnSamplerGetWrapMode) \
    X(nvnSamplerGetLodClamp) \
    X(nvnSamplerGetLodBias) \
    X(nvnSamplerGetCompare) \
    X(nvnSamplerGetBorderColor) \
    X(nvnSamplerGetBorderColori) \
    X(nvnSamplerGetBorderColorui) \
    X(nvnSamplerGetMaxAnisotropy) \
    X(nvnSamplerGetReductionFilter) \
    X(nvnSamplerCompare) \
    X(nvnSamplerGetDebugID) \
    X(nvnBlendStateSetDefaults) \
    X(nvnBlendStateSetBlendTarget) \
    X(nvnBlendStateSetBlendFunc) \
    X(nvnBlendStateSetBlendEquation) \
    X(nvnBlendStateSetAdvancedMode) \
    X(nvnBlendStateSetAdvancedOverlap) \
    X(nvnBlendStateSetAdvancedPremultipliedSrc) \
    X(nvnBlendStateSetAdvancedNormalizedDst) \
    X(nvnBlendStateGetBlendTarget) \
    X(nvnBlendStateGetBlendFunc) \
    X(nvnBlendStateGetBlendEquation) \
    X(nvnBlendStateGetAdvancedMode) \
    X(nvnBlendStateGetAdvancedOverlap) \
    X(nvnBlendStateGetAdvancedPremultipliedSrc) \
    X(nvnBlendStateGetAdvancedNormalizedDst) \
    X(nvnColorStateSetDefaults) \
    X(nvnColorStateSetBlendEnable) \
    X(nvnColorStateSetLogicOp) \
    X(nvnColorStateSetAlphaTest) \
    X(nvnColorStateGetBlendEnable) \
    X(nvnColorStateGetLogicOp) \
    X(nvnColorStateGetAlphaTest) \
    X(nvnChannelMaskStateSetDefaults) \
    X(nvnChannelMaskStateSetChannelMask) \
    X(nvnChannelMaskStateGetChannelMask) \
    X(nvnMultisampleStateSetDefaults) \
    X(nvnMultisampleStateSetMultisampleEnable) \
    X(nvnMultisampleStateSetSamples) \
    X(nvnMultisampleStateSetAlphaToCoverageEnable) \
    X(nvnMultisampleStateSetAlphaToCoverageDither) \
    X(nvnMultisampleStateGetMultisampleEnable) \
    X(nvnMultisampleStateGetSamples) \
    X(nvnMultisampleStateGetAlphaToCoverageEnable) \
    X(nvnMultisampleStateGetAlphaToCoverageDither) \
    X(nvnMultisampleStateSetRasterSamples) \
    X(nvnMultisampleStateGetRasterSamples) \
    X(nvnMultisampleStateSetCoverageModulationMode) \
    X(nvnMultisampleStateGetCoverageModulationMode) \
    X(nvnMultisampleStateSetCoverageToColorEnable) \
    X(nvnMultisampleStateGetCoverageToColorEnable) \
    X(nvnMultisampleStateSetCoverageToColorOutput) \
    X(nvnMultisampleStateGetCoverageToColorOutput) \
    X(nvnMultisampleStateSetSampleLocationsEnable) \
    X(nvnMultisampleStateGetSampleLocationsEnable) \
    X(nvnMultisampleStateGetSampleLocationsGrid) \
    X(nvnMultisampleStateSetSampleLocationsGridEnable) \
    X(nvnMultisampleStateGetSampleLocationsGridEnable) \
    X(nvnMultisampleStateSetSampleLocations) \
    X(nvnPolygonStateSetDefaults) \
    X(nvnPolygonStateSetCullFace) \
    X(nvnPolygonStateSetFrontFace) \
    X(nvnPolygonStateSetPolygonMode) \
    X(nvnPolygonStateSetPolygonOffsetEnables) \
    X(nvnPolygonStateGetCullFace) \
    X(nvnPolygonStateGetFrontFace) \
    X(nvnPolygonStateGetPolygonMode) \
    X(nvnPolygonStateGetPolygonOffsetEnables) \
    X(nvnDepthStencilStateSetDefaults) \
    X(nvnDepthStencilStateSetDepthTestEnable) \
    X(nvnDepthStencilStateSetDepthWriteEnable) \
    X(nvnDepthStencilStateSetDepthFunc) \
    X(nvnDepthStencilStateSetStencilTestEnable) \
    X(nvnDepthStencilStateSetStencilFunc) \
    X(nvnDepthStencilStateSetStencilOp) \
    X(nvnDepthStencilStateGetDepthTestEnable) \
    X(nvnDepthStencilStateGetDepthWriteEnable) \
    X(nvnDepthStencilStateGetDepthFunc) \
    X(nvnDepthStencilStateGetStencilTestEnable) \
    X(nvnDepthStencilStateGetStencilFunc) \
    X(nvnDepthStencilStateGetStencilOp) \
    X(nvnVertexAttribStateSetDefaults) \
    X(nvnVertexAttribStateSetFormat) \
    X(nvnVertexAttribStateSetStreamIndex) \
    X(nvnVertexAttribStateGetFormat) \
    X(nvnVertexAttribStateGetStreamIndex) \
    X(nvnVertexStreamStateSetDefaults) \
    X(nvnVertexStreamStateSetStride) \
    X(nvnVertexStreamStateSetDivisor) \
    X(nvnVertexStreamStateGetStride) \
    X(nvnVertexStreamStateGetDivisor) \
    X(nvnCommandBufferInitialize) \
    X(nvnCommandBufferFinalize) \
    X(nvnCommandBufferSetDebugLabel) \
    X(nvnCommandBufferSetMemoryCallback) \
    X(nvnCommandBufferSetMemoryCallbackData) \
    X(nvnCommandBufferAddCommandMemory) \
    X(nvnCommandBufferAddControlMemory) \
    X(nvnCommandBufferGetCommandMemorySize) \
    X(nvnCommandBufferGetCommandMemoryUsed) \
    X(nvnCommandBufferGetCommandMemoryFree) \
    X(nvnCommandBufferGetControlMemorySize) \
    X(nvnCommandBufferGetControlMemoryUsed) \
    X(nvnCommandBufferGetControlMemoryFree) \
    X(nvnCommandBufferBeginRecording) \
    X(nvnCommandBufferEndRecording) \
    X(nvnCommandBufferCallCommands) \
    X(nvnCommandBufferCopyCommands) \
    X(nvnCommandBufferBindBlendState) \
    X(nvnCommandBufferBindChannelMaskState) \
    X(nvnCommandBufferBindColorState) \
    X(nvnCommandBufferBindMultisampleState) \
    X(nvnCommandBufferBindPolygonState) \
    X(nvnCommandBufferBindDepthStencilState) \
    X(nvnCommandBufferBindVertexAttribState) \
    X(nvnCommandBufferBindVertexStreamState) \
    X(nvnCommandBufferBindProgram) \
    X(nvnCommandBufferBindVertexBuffer) \
    X(nvnCommandBufferBindVertexBuffers) \
    X(nvnCommandBufferBindUniformBuffer) \
    X(nvnCommandBufferBindUniformBuffers) \
    X(nvnCommandBufferBindTransformFeedbackBuffer) \
    X(nvnCommandBufferBindTransformFeedbackBuffers) \
    X(nvnCommandBufferBindStorageBuffer) \
    X(nvnCommandBufferBindStorageBuffers) \
    X(nvnCommandBufferBindTexture) \
    X(nvnCommandBufferBindTextures) \
    X(nvnCommandBufferBindImage) \
    X(nvnCommandBufferBindImages) \
    X(nvnCommandBufferSetPatchSize) \
    X(nvnCommandBufferSetInnerTessellationLevels) \
    X(nvnCommandBufferSetOuterTessellationLevels) \
    X(nvnCommandBufferSetPrimitiveRestart) \
    X(nvnCommandBufferBeginTransformFeedback) \
    X(nvnCommandBufferEndTransformFeedback) \
    X(nvnCommandBufferPauseTransformFeedback) \
    X(nvnCommandBufferResumeTransformFeedback) \
    X(nvnCommandBufferDrawTransformFeedback) \
    X(nvnCommandBufferDrawArrays) \
    X(nvnCommandBufferDrawElements) \
    X(nvnCommandBufferDrawElementsBaseVertex) \
    X(nvnCommandBufferDrawArraysInstanced) \
    X(nvnCommandBufferDrawElementsInstanced) \
    X(nvnCommandBufferDrawArraysIndirect) \
    X(nvnCommandBufferDrawElementsIndirect) \
    X(nvnCommandBufferMultiDrawArraysIndirectCount) \
    X(nvnCommandBufferMultiDrawElementsIndirectCount) \
    X(nvnCommandBufferClearColor) \
    X(nvnCommandBufferClearColori) \
    X(nvnCommandBufferClearColorui) \
    X(nvnCommandBufferClearDepthStencil) \
    X(nvnCommandBufferDispatchCompute) \
    X(nvnCommandBufferDispatchComputeIndirect) \
    X(nvnCommandBufferSetViewport) \
    X(nvnCommandBufferSetViewports) \
    X(nvnCommandBufferSetViewportSwizzles) \
    X(nvnCommandBufferSetScissor) \
    X(nvnCommandBufferSetScissors) \
    X(nvnCommandBufferSetDepthRange) \
    X(nvnCommandBufferSetDepthBounds) \
    X(nvnCommandBufferSetDepthRanges) \
    X(nvnCommandBufferSetTiledCacheAction) \
    X(nvnCommandBufferSetTiledCacheTileSize) \
    X(nvnCommandBufferBindSeparateTexture) \
    X(nvnCommandBufferBindSeparateSampler) \
    X(nvnCommandBufferBindSeparateTextures) \
    X(nvnCommandBufferBindSeparateSamplers) \
    X(nvnCommandBufferSetStencilValueMask) \
    X(nvnCommandBufferSetStencilMask) \
    X(nvnCommandBufferSetStencilRef) \
    X(nvnCommandBufferSetBlendColor) \
    X(nvnCommandBufferSetPointSize) \
    X(nvnCommandBufferSetLineWidth) \
    X(nvnCommandBufferSetPolygonOffsetClamp) \
    X(nvnCommandBufferSetAlphaRef) \
    X(nvnCommandBufferSetSampleMask) \
    X(nvnCommandBufferSetRasterizerDiscard) \
    X(nvnCommandBufferSetDepthClamp) \
    X(nvnCommandBufferSetConservativeRasterEnable) \
    X(nvnCommandBufferSetConservativeRasterDilate) \
    X(nvnCommandBufferSetSubpixelPrecisionBias) \
    X(nvnCommandBufferCopyBufferToTexture) \
    X(nvnCommandBufferCopyTextureToBuffer) \
    X(nvnCommandBufferCopyTextureToTexture) \
    X(nvnCommandBufferCopyBufferToBuffer) \
    X(nvnCommandBufferClearBuffer) \
    X(nvnCommandBufferClearTexture) \
    X(nvnCommandBufferClearTexturei) \
    X(nvnCommandBufferClearTextureui) \
    X(nvnCommandBufferUpdateUniformBuffer) \
    X(nvnCommandBufferReportCounter) \
    X(nvnCommandBufferResetCounter) \
    X(nvnCommandBufferReportValue) \
    X(nvnCommandBufferSetRenderEnable) \
    X(nvnCommandBufferSetRenderEnableConditional) \
    X(nvnCommandBufferSetRenderTargets) \
    X(nvnCommandBufferDiscardColor) \
    X(nvnCommandBufferDiscardDepthStencil) \
    X(nvnCommandBufferDownsample) \
    X(nvnCommandBufferTiledDownsample) \
    X(nvnCommandBufferDownsampleTextureView) \
    X(nvnCommandBufferTiledDownsampleTextureView) \
    X(nvnCommandBufferBarrier) \
    X(nvnCommandBufferWaitSync) \
    X(nvnCommandBufferFenceSync) \
    X(nvnCommandBufferSetTexturePool) \
    X(nvnCommandBufferSetSamplerPool) \
    X(nvnCommandBufferSetShaderScratchMemory) \
    X(nvnCommandBufferSaveZCullData) \
    X(nvnCommandBufferRestoreZCullData) \
    X(nvnCommandBufferSetCopyRowStride) \
    X(nvnCommandBufferSetCopyImageStride) \
    X(nvnCommandBufferGetCopyRowStride) \
    X(nvnCommandBufferGetCopyImageStride) \
    X(nvnCommandBufferDrawTexture) \
    X(nvnCommandBufferSetProgramSubroutines) \
    X(nvnCommandBufferBindCoverageModulationTable) \
    X(nvnCommandBufferResolveDepthBuffer) \
    X(nvnCommandBufferPushDebugGroupStatic) \
    X(nvnCommandBufferPushDebugGroupDynamic) \
    X(nvnCommandBufferPushDebugGroup) \
    X(nvnCommandBufferPopDebugGroup) \
    X(nvnCommandBufferPopDebugGroupId) \
    X(nvnCommandBufferInsertDebugMarkerStatic) \
    X(nvnCommandBufferInsertDebugMarkerDynamic) \
    X(nvnCommandBufferInsertDebugMarker) \
    X(nvnCommandBufferGetMemoryCallback) \
    X(nvnCommandBufferGetMemoryCallbackData) \
    X(nvnCommandBufferIsRecording) \
    X(nvnSyncInitialize) \
    X(nvnSyncFinalize) \
    X(nvnSyncSetDebugLabel) \
    X(nvnQueueFenceSync) \
    X(nvnSyncWait) \
    X(nvnQueueWaitSync) \
    X(nvnEventBuilderSetDefaults) \
    X(nvnEventBuilderSetStorage) \
    X(nvnEventInitialize) \
    X(nvnEventFinalize) \
    X(nvnEventGetValue) \
    X(nvnEventSignal) \
    X(nvnCommandBufferWaitEvent) \
    X(nvnCommandBufferSignalEvent) \
    X(nvnDeviceBuilderGetFlags) \
    X(nvnQueueBuilderGetDevice) \
    X(nvnQueueBuilderGetFlags) \
    X(nvnQueueBuilderGetCommandMemorySize) \
    X(nvnQueueBuilderGetComputeMemorySize) \
    X(nvnQueueBuilderGetControlMemorySize) \
    X(nvnQueueBuilderGetCommandFlushThreshold) \
    X(nvnQueueBuilderGetMemorySize) \
    X(nvnQueueBuilderGetMemory) \
    X(nvnWindowBuilderGetDevice) \
    X(nvnWindowBuilderGetNumTextures) \
    X(nvnWindowBuilderGetTexture) \
    X(nvnMemoryPoolBuilderGetDevice) \
    X(nvnBufferBuilderGetDevice) \
    X(nvnTextureBuilderGetDevice) \
    X(nvnTextureBuilderGetPackagedTextureLayout) \
    X(nvnSamplerBuilderGetDevice) \
    X(nvnEventBuilderGetStorage) \
    X(nvnCommandBufferSetStencilCullCriteria) \
    X(nvnCommandBufferSetColorReductionEnable) \
    X(nvnQueueBuilderGetQueuePriority) \
    X(nvnWindowBuilderSetNumActiveTextures) \
    X(nvnWindowBuilderGetNumActiveTextures) \
    X(nvnWindowGetNumTextures) \
    X(nvnWindowSetNumActiveTextures) \
    X(nvnWindowGetNumActiveTextures) \
    X(nvnTextureBuilderGetRawStorageClass) \
    X(nvnTextureGetRawStorageClass) \
    X(nvnCommandBufferSetCommandMemoryCallbackEnabled) \
    X(nvnEventBuilderGetMemoryPool) \
    X(nvnEventGetMemoryPool) \
    X(nvnQueueBuilderSetQueuePriority)

#endif
