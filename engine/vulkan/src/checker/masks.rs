//! Stage and access masks, spelled out: what a mask names besides its own bits.

use crate::stream::Dependency;
use ash::vk;

use vk::AccessFlags2 as A;
use vk::PipelineStageFlags2 as S;

/// The stages of the graphics pipeline, in logical order.
const ORDER: [S; 11] = [
    S::DRAW_INDIRECT,
    S::INDEX_INPUT,
    S::VERTEX_ATTRIBUTE_INPUT,
    S::VERTEX_SHADER,
    S::TESSELLATION_CONTROL_SHADER,
    S::TESSELLATION_EVALUATION_SHADER,
    S::GEOMETRY_SHADER,
    S::EARLY_FRAGMENT_TESTS,
    S::FRAGMENT_SHADER,
    S::LATE_FRAGMENT_TESTS,
    S::COLOR_ATTACHMENT_OUTPUT,
];

/// Spells out the stages that stand for several.
pub(super) fn stages(mask: S) -> S {
    let mut all = mask;
    let mut expand = |name: S, parts: &[S]| {
        if mask.contains(name) {
            for part in parts {
                all |= *part;
            }
        }
    };
    let transfers = [S::COPY, S::RESOLVE, S::BLIT, S::CLEAR];
    expand(S::ALL_TRANSFER, &transfers);
    expand(S::VERTEX_INPUT, &ORDER[1..3]);
    expand(S::PRE_RASTERIZATION_SHADERS, &ORDER[3..7]);
    expand(S::ALL_GRAPHICS, &ORDER);
    expand(S::ALL_COMMANDS, &ORDER);
    expand(S::ALL_COMMANDS, &transfers);
    expand(S::ALL_COMMANDS, &[S::COMPUTE_SHADER]);
    const SHORT: S = S::from_raw(
        S::ALL_TRANSFER.as_raw()
            | S::VERTEX_INPUT.as_raw()
            | S::PRE_RASTERIZATION_SHADERS.as_raw()
            | S::ALL_GRAPHICS.as_raw()
            | S::ALL_COMMANDS.as_raw(),
    );
    all & !SHORT
}

/// Spells out the accesses that stand for several.
fn accesses(mask: A) -> A {
    let mut all = mask;
    let reads = A::INDIRECT_COMMAND_READ
        | A::INDEX_READ
        | A::VERTEX_ATTRIBUTE_READ
        | A::UNIFORM_READ
        | A::SHADER_SAMPLED_READ
        | A::SHADER_STORAGE_READ
        | A::COLOR_ATTACHMENT_READ
        | A::DEPTH_STENCIL_ATTACHMENT_READ
        | A::TRANSFER_READ
        | A::HOST_READ;
    let writes = A::SHADER_STORAGE_WRITE
        | A::COLOR_ATTACHMENT_WRITE
        | A::DEPTH_STENCIL_ATTACHMENT_WRITE
        | A::TRANSFER_WRITE
        | A::HOST_WRITE;
    if mask.contains(A::MEMORY_READ) {
        all |= reads;
    }
    if mask.contains(A::MEMORY_WRITE) {
        all |= writes;
    }
    if mask.contains(A::SHADER_READ) {
        all |= A::SHADER_SAMPLED_READ | A::SHADER_STORAGE_READ | A::UNIFORM_READ;
    }
    if mask.contains(A::SHADER_WRITE) {
        all |= A::SHADER_STORAGE_WRITE;
    }
    all
}

/// The scopes of a dependency.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scopes {
    /// Stages that must be done: those named and all logically before them.
    pub(super) exec_src: S,
    /// Stages that wait: those named and all logically behind them.
    pub(super) exec_dst: S,
    /// Stages and accesses whose writes become available.
    pub(super) src: (S, A),
    /// Stages and accesses to which they become visible.
    pub(super) dst: (S, A),
}

impl Scopes {
    pub(super) fn of(d: &Dependency) -> Self {
        let src = stages(d.src_stage);
        let dst = stages(d.dst_stage);
        let mut exec_src = src;
        let mut exec_dst = dst;
        for (n, stage) in ORDER.iter().enumerate() {
            if src.contains(*stage) {
                ORDER[..n].iter().for_each(|s| exec_src |= *s);
            }
            if dst.contains(*stage) {
                ORDER[n..].iter().for_each(|s| exec_dst |= *s);
            }
        }
        if src.contains(S::COMPUTE_SHADER) {
            exec_src |= S::DRAW_INDIRECT;
        }
        if dst.contains(S::DRAW_INDIRECT) {
            exec_dst |= S::COMPUTE_SHADER;
        }
        Self { exec_src, exec_dst, src: (src, accesses(d.src_access)), dst: (dst, accesses(d.dst_access)) }
    }
}
