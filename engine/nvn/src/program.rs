//! Programs: control and code sections are copied at `SetShaders` (nvn/shader-binary, section 1).

use crate::call::{Call, CallError, Outcome};
use crate::objects::{Program, load, update};
use nvn_decode::record::{Label, Op, ProgramHeader, StageHeader};
use std::sync::atomic::Ordering;

const CONTROL_MAGIC: u32 = 0x9876_1234;
const CODE_MAGIC: u32 = 0x1234_5678;
/// Newer headers grow; none is near this.
const LARGEST_CONTROL: u32 = 0x10_0000;
const LARGEST_CODE: u32 = 0x400_0000;

/// `nvnProgramInitialize`.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &Program::fresh())?;
    Ok(1)
}

/// `nvnProgramSetDebugLabel`: the text is copied.
pub(crate) fn set_debug_label(call: &mut Call<'_>) -> Outcome {
    let program: Program = load(call, call.x[0])?;
    let text = call.text(call.x[1])?;
    let head = Label { kind: 2, object: program.id, offset: 0 };
    call.nvn.record(|w| w.open(Op::Label, 0, bytemuck::bytes_of(&head)).bytes(text.as_bytes()).close());
    Ok(0)
}

struct StageBytes {
    stage: u32,
    control: Vec<u8>,
    code: Vec<u8>,
}

fn read_stage(call: &Call<'_>, code_address: u64, control_address: u64) -> Result<StageBytes, CallError> {
    let word = |offset: u64| call.read::<u32>(control_address.wrapping_add(offset));
    if word(0)? != CONTROL_MAGIC {
        return Err(CallError::Argument {
            what: "control section magic",
            value: u64::from(word(0)?),
            rule: "a control section begins with 0x98761234",
        });
    }
    let header = word(0x14)?;
    if !(0x7C0..=LARGEST_CONTROL).contains(&header) {
        return Err(CallError::Argument {
            what: "control section header size",
            value: u64::from(header),
            rule: "0x7C0 or more",
        });
    }
    let code_size = word(0x704)?;
    if !(0x80..=LARGEST_CODE).contains(&code_size) {
        return Err(CallError::Argument {
            what: "code section size",
            value: u64::from(code_size),
            rule: "0x80 bytes to 64 MiB",
        });
    }
    if call.read::<u32>(code_address)? != CODE_MAGIC {
        return Err(CallError::Argument {
            what: "code section address",
            value: code_address,
            rule: "a code section begins with 0x12345678",
        });
    }
    Ok(StageBytes {
        stage: word(0x714)?,
        control: call.read_slice(control_address, header as usize)?,
        code: call.read_slice(code_address, code_size as usize)?,
    })
}

/// `nvnProgramSetShaders`.
pub(crate) fn set_shaders(call: &mut Call<'_>) -> Outcome {
    load::<Program>(call, call.x[0])?;
    let count = call.count(1, "shader count", 6)?;
    let data: Vec<[u64; 2]> = call.read_slice(call.x[2], count)?;
    let stages = data.iter().map(|d| read_stage(call, d[0], d[1])).collect::<Result<Vec<_>, _>>()?;
    if let Some(bad) = stages.iter().find(|s| s.stage > 5) {
        return Err(CallError::Argument {
            what: "shader stage",
            value: u64::from(bad.stage),
            rule: "0 to 5 at control + 0x714",
        });
    }
    let id = call.nvn.next_program.fetch_add(1, Ordering::Relaxed);
    call.nvn.record(|writer| {
        let head = ProgramHeader { id, stages: stages.len() as u32 };
        let mut open = writer.open(Op::Program, 0, bytemuck::bytes_of(&head));
        for stage in &stages {
            let header =
                StageHeader { stage: stage.stage, control: stage.control.len() as u32, code: stage.code.len() as u32 };
            open = open.push(&header).bytes(&stage.control).pad().bytes(&stage.code).pad();
        }
        open.close();
    });
    let bits = stages.iter().fold(0, |bits, s| bits | 1 << s.stage);
    update(call, call.x[0], |p: &mut Program| (p.id, p.stages) = (id, bits))?;
    Ok(1)
}
