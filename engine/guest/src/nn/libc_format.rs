//! printf of the guest: the format is walked here, each conversion is printed by the host's C library from arguments in guest registers or a va_list.

use std::ffi::CString;

use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

/// Longest output of one call.
const MAX_OUTPUT: usize = 1 << 20;
/// Longest padding or precision; larger ones are cut.
const MAX_WIDTH: i32 = 4096;

/// Where variadic arguments come from.
pub(super) enum Arguments {
    /// A variadic call: integer and vector registers from these on, then the stack.
    Registers {
        /// Next general register.
        x: usize,
        /// Next vector register.
        v: usize,
        /// Next stack slot.
        stack: u64,
    },
    /// A guest va_list (0x20 bytes).
    List(u64),
}

impl Arguments {
    /// After `fixed` integer parameters.
    pub(super) fn after(fixed: usize) -> Arguments {
        Arguments::Registers { x: fixed, v: 0, stack: 0 }
    }

    fn integer(&mut self, call: &GuestCall<'_>) -> Result<u64, GuestFault> {
        match self {
            Arguments::Registers { x, .. } if *x < 8 => {
                *x += 1;
                Ok(call.x(*x - 1))
            }
            Arguments::Registers { stack, .. } => {
                *stack += 1;
                call.stack_argument(*stack - 1)
            }
            Arguments::List(list) => Ok(call.memory().read_u64(from_list(call, *list, 0x18, 0x08, 8, 8)?)?),
        }
    }

    /// One vector register's worth, as two halves (the upper is used by long double alone).
    fn vector(&mut self, call: &GuestCall<'_>, long: bool) -> Result<[u64; 2], GuestFault> {
        match self {
            Arguments::Registers { v, .. } if *v < 8 => {
                *v += 1;
                Ok(call.v(*v - 1))
            }
            Arguments::Registers { stack, .. } => {
                if long {
                    *stack = stack.next_multiple_of(2);
                }
                let low = call.stack_argument(*stack)?;
                *stack += 1;
                let high = if long {
                    *stack += 1;
                    call.stack_argument(*stack - 1)?
                } else {
                    0
                };
                Ok([low, high])
            }
            Arguments::List(list) => {
                let address = from_list(call, *list, 0x1C, 0x10, 16, if long { 16 } else { 8 })?;
                let high = if long { call.memory().read_u64(address + 8)? } else { 0 };
                Ok([call.memory().read_u64(address)?, high])
            }
        }
    }
}

/// Takes one argument of a va_list: its address. `offset_field` is gr_offs or vr_offs, `top_field` gr_top or vr_top.
fn from_list(
    call: &GuestCall<'_>,
    list: u64,
    offset_field: u64,
    top_field: u64,
    step: i32,
    stack_size: u64,
) -> Result<u64, GuestFault> {
    let memory = call.memory();
    let offset = memory.read_u32(list + offset_field)? as i32;
    if offset < 0 {
        memory.write_u32(list + offset_field, (offset + step) as u32)?;
        return Ok(memory.read_u64(list + top_field)?.wrapping_add_signed(i64::from(offset)));
    }
    let stack = memory.read_u64(list)?.next_multiple_of(stack_size.max(8));
    memory.write_u64(list, stack + stack_size.max(8))?;
    Ok(stack)
}

/// The nearest double of an IEEE binary128 value.
fn double_from_quad([low, high]: [u64; 2]) -> f64 {
    let sign = high >> 63 << 63;
    let exponent = (high >> 48 & 0x7FFF) as i64;
    let fraction = high & 0xFFFF_FFFF_FFFF;
    if exponent == 0x7FFF {
        let nan = fraction != 0 || low != 0;
        return f64::from_bits(sign | 0x7FF0_0000_0000_0000 | u64::from(nan) << 51);
    }
    if exponent == 0 {
        return f64::from_bits(sign);
    }
    // 113 significant bits as a 64-bit head with a sticky last bit, then one correctly rounded conversion and a scaling.
    let head = 1 << 63 | fraction << 15 | low >> 49 | u64::from(low << 15 != 0);
    let scale = exponent - 16383 - 63;
    let magnitude = head as f64;
    let scaled = if scale < -1000 {
        magnitude * 2f64.powi(-900) * 2f64.powi((scale + 900).max(-1100) as i32)
    } else {
        magnitude * 2f64.powi(scale as i32)
    };
    f64::from_bits(scaled.to_bits() | sign)
}

enum Value {
    Integer(u64),
    Float(f64),
}

/// Prints one conversion with the host's C library.
fn print(specification: &str, width: i32, precision: i32, value: &Value) -> Vec<u8> {
    let Ok(format) = CString::new(specification) else { return Vec::new() };
    let mut buffer = vec![0u8; 512];
    loop {
        let (pointer, size) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the specification has exactly "*.*" and one conversion of the type that is passed; the size bounds the output.
        let length = unsafe {
            match value {
                Value::Integer(value) => libc::snprintf(pointer, size, format.as_ptr(), width, precision, *value),
                Value::Float(value) => libc::snprintf(pointer, size, format.as_ptr(), width, precision, *value),
            }
        };
        let Ok(length) = usize::try_from(length) else { return Vec::new() };
        if length < buffer.len() {
            buffer.truncate(length);
            return buffer;
        }
        buffer.resize(length + 1, 0);
    }
}

fn pad(text: &[u8], width: i32, left: bool) -> Vec<u8> {
    let fill = (width.max(0) as usize).saturating_sub(text.len());
    let mut out = Vec::with_capacity(text.len() + fill);
    if !left {
        out.resize(fill, b' ');
    }
    out.extend_from_slice(text);
    if left {
        out.resize(text.len() + fill, b' ');
    }
    out
}

/// Formats as printf does.
pub(super) fn format(call: &GuestCall<'_>, text: &[u8], arguments: &mut Arguments) -> Result<Vec<u8>, GuestFault> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let mut flags = String::new();
        while let Some(flag) = rest.first().filter(|byte| b"-+ #0".contains(byte)) {
            flags.push(*flag as char);
            rest = &rest[1..];
        }
        let mut left = flags.contains('-');
        let number = |rest: &mut &[u8], arguments: &mut Arguments| -> Result<i32, GuestFault> {
            if rest.first() == Some(&b'*') {
                *rest = &rest[1..];
                return Ok(arguments.integer(call)? as i32);
            }
            let mut value = 0i32;
            while let Some(digit) = rest.first().filter(|byte| byte.is_ascii_digit()) {
                value = value.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
                *rest = &rest[1..];
            }
            Ok(value)
        };
        let mut width = number(&mut rest, arguments)?;
        if width < 0 {
            left = true;
            flags.push('-');
            width = width.saturating_neg();
        }
        let width = width.min(MAX_WIDTH);
        let mut precision = -1;
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            precision = number(&mut rest, arguments)?.min(MAX_WIDTH);
        }
        let mut size = 4u32;
        let mut long_double = false;
        while let Some(modifier) = rest.first().filter(|byte| b"hlqjztL".contains(byte)) {
            match modifier {
                b'h' => size = if size == 2 { 1 } else { 2 },
                b'L' => long_double = true,
                _ => size = 8,
            }
            rest = &rest[1..];
        }
        let Some(conversion) = rest.first().copied() else { break };
        rest = &rest[1..];
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let raw = arguments.integer(call)?;
                let value = match size {
                    1 => i64::from(raw as i8),
                    2 => i64::from(raw as i16),
                    4 => i64::from(raw as i32),
                    _ => raw as i64,
                };
                out.extend(print(&format!("%{flags}*.*lld"), width, precision, &Value::Integer(value as u64)));
            }
            b'u' | b'o' | b'x' | b'X' => {
                let raw = arguments.integer(call)?;
                let value = match size {
                    1 => u64::from(raw as u8),
                    2 => u64::from(raw as u16),
                    4 => u64::from(raw as u32),
                    _ => raw,
                };
                out.extend(print(
                    &format!("%{flags}*.*ll{}", conversion as char),
                    width,
                    precision,
                    &Value::Integer(value),
                ));
            }
            b'c' => out.extend(pad(&[arguments.integer(call)? as u8], width, left)),
            b'p' => {
                let text = format!("{:#x}", arguments.integer(call)?);
                out.extend(pad(text.as_bytes(), width, left));
            }
            b's' => {
                let address = arguments.integer(call)?;
                let limit = if precision >= 0 { precision as u64 } else { MAX_OUTPUT as u64 };
                let text = if address == 0 { b"(null)".to_vec() } else { call.memory().read_string(address, limit)? };
                out.extend(pad(&text, width, left));
            }
            b'n' => {
                let address = arguments.integer(call)?;
                match size {
                    8 => call.memory().write_u64(address, out.len() as u64)?,
                    _ => call.memory().write_u32(address, out.len() as u32)?,
                }
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let bits = arguments.vector(call, long_double)?;
                let value = if long_double { double_from_quad(bits) } else { f64::from_bits(bits[0]) };
                out.extend(print(
                    &format!("%{flags}*.*{}", conversion as char),
                    width,
                    precision,
                    &Value::Float(value),
                ));
            }
            // An unknown conversion is shown as it is written.
            other => out.extend([b'%', other]),
        }
        if out.len() > MAX_OUTPUT {
            out.truncate(MAX_OUTPUT);
            return Ok(out);
        }
    }
    out.extend_from_slice(rest);
    Ok(out)
}

fn print_to_guest(call: &GuestCall<'_>, out: u64, size: u64, text: &[u8]) -> Result<i32, GuestFault> {
    if size > 0 {
        let kept = text.len().min(size as usize - 1);
        call.memory().write(out, &text[..kept])?;
        call.memory().write_u8(out + kept as u64, 0)?;
    }
    Ok(text.len() as i32)
}

fn log(text: &[u8]) -> i32 {
    let line = String::from_utf8_lossy(text);
    tracing::info!(target: "guest", "{}", line.trim_end());
    text.len() as i32
}

pub(super) fn register(r: &HostRegistry) {
    let read = |call: &GuestCall<'_>, address: u64| {
        Ok::<_, GuestFault>(call.memory().read_string(address, MAX_OUTPUT as u64)?)
    };
    r.register_all(&["snprintf", "_ZN2nn4util8SNPrintfEPcmPKcz"], move |c| {
        let text = format(c, &read(c, c.x(2))?, &mut Arguments::after(3))?;
        print_to_guest(c, c.x(0), c.x(1), &text)
    });
    r.register("sprintf", move |c| {
        let text = format(c, &read(c, c.x(1))?, &mut Arguments::after(2))?;
        print_to_guest(c, c.x(0), u64::MAX, &text)
    });
    r.register_all(&["vsnprintf", "_ZN2nn4util9VSNPrintfEPcmPKcSt9__va_list"], move |c| {
        let text = format(c, &read(c, c.x(2))?, &mut Arguments::List(c.x(3)))?;
        print_to_guest(c, c.x(0), c.x(1), &text)
    });
    r.register("vsprintf", move |c| {
        let text = format(c, &read(c, c.x(1))?, &mut Arguments::List(c.x(2)))?;
        print_to_guest(c, c.x(0), u64::MAX, &text)
    });
    r.register("printf", move |c| Ok::<_, GuestFault>(log(&format(c, &read(c, c.x(0))?, &mut Arguments::after(1))?)));
    r.register("vprintf", move |c| {
        Ok::<_, GuestFault>(log(&format(c, &read(c, c.x(0))?, &mut Arguments::List(c.x(1)))?))
    });
    r.register("puts", move |c| Ok::<_, GuestFault>(log(&read(c, c.x(0))?)));
    r.register("_ZN2nn4diag6detail7LogImplERKNS0_11LogMetaDataEPKcz", move |c| {
        // The metadata is not described anywhere and never looked at.
        log(&format(c, &read(c, c.x(1))?, &mut Arguments::after(2))?);
        Ok::<_, GuestFault>(())
    });
    r.register("_ZN2nn4diag6detail8VLogImplERKNS0_11LogMetaDataEPKcSt9__va_list", move |c| {
        log(&format(c, &read(c, c.x(1))?, &mut Arguments::List(c.x(2)))?);
        Ok::<_, GuestFault>(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_become_the_nearest_double() {
        // Bit patterns of binary128 values.
        assert_eq!(double_from_quad([0, 0x3FFF_0000_0000_0000]), 1.0);
        assert_eq!(double_from_quad([0, 0xC000_0000_0000_0000]), -2.0);
        assert_eq!(double_from_quad([0, 0x3FFE_0000_0000_0000]), 0.5);
        assert_eq!(double_from_quad([0x9999_9999_9999_999A, 0x3FFB_9999_9999_9999]), 0.1);
        assert_eq!(double_from_quad([0, 0x7FFF_0000_0000_0000]), f64::INFINITY);
        assert!(double_from_quad([1, 0x7FFF_0000_0000_0000]).is_nan());
        assert_eq!(double_from_quad([0, 0]), 0.0);
        assert_eq!(double_from_quad([0, 0x7FFE_0000_0000_0000]), f64::INFINITY, "too large for a double");
        assert_eq!(double_from_quad([0, 0x0001_0000_0000_0000]), 0.0, "too small for a double");
    }

    #[test]
    fn conversions_follow_the_c_library() {
        assert_eq!(print("%0*.*lld", 6, -1, &Value::Integer(-5i64 as u64)), b"-00005");
        assert_eq!(print("%#*.*llx", 0, -1, &Value::Integer(255)), b"0xff");
        assert_eq!(print("%*.*f", 8, 2, &Value::Float(2.71)), b"    2.71");
        assert_eq!(print("%*.*f", 600, 2, &Value::Float(1.0)).len(), 600);
        assert_eq!(pad(b"ab", 4, true), b"ab  ");
        assert_eq!(pad(b"ab", 4, false), b"  ab");
    }
}
