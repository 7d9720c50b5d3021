//! The C and C++ runtime functions that titles import: memory, strings, numbers, sorting, guards, mathematics.

use std::collections::HashMap;
use std::ffi::CString;

use super::init;
use super::locked;
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::memory::{GuestRead, GuestWrite};
use crate::registry::{DataWord, HostRegistry};

/// Where a thread-local region keeps errno.
const TLS_ERRNO: u64 = 0x1D8;
/// Longest string that is looked at.
const MAX_STRING: u64 = 1 << 30;

/// Process-wide state of the runtime.
#[derive(Debug, Default)]
pub(crate) struct LibcState {
    /// Functions and arguments of __cxa_atexit, oldest first, with their module.
    at_exit: Vec<(u64, u64, u64)>,
    /// Guards being initialised: address to thread.
    guards: HashMap<u64, u64>,
    strtok: u64,
}

type Faultable<T> = Result<T, GuestFault>;

/// Takes the atexit list, newest first.
pub(crate) fn take_at_exit(call: &GuestCall<'_>) -> Vec<(u64, u64)> {
    let mut list = std::mem::take(&mut locked(&call.process().services().libc).at_exit);
    list.reverse();
    list.into_iter().map(|(function, argument, _)| (function, argument)).collect()
}

fn compare_strings(call: &GuestCall<'_>, left: u64, right: u64, limit: u64) -> Faultable<i32> {
    let memory = call.memory();
    let (mut a, mut b) = ([0u8; 64], [0u8; 64]);
    let mut done = 0;
    while done < limit {
        // Small steps that never cross a page, so that a string may end just before unmapped memory.
        let to_page = |address: u64| 0x1000 - (address & 0xFFF);
        let step = 64.min(limit - done).min(to_page(left + done)).min(to_page(right + done)) as usize;
        memory.read(left + done, &mut a[..step])?;
        memory.read(right + done, &mut b[..step])?;
        for (a, b) in a[..step].iter().zip(&b[..step]) {
            if a != b || *a == 0 {
                return Ok(i32::from(*a) - i32::from(*b));
            }
        }
        done += step as u64;
    }
    Ok(0)
}

fn length(call: &GuestCall<'_>, address: u64) -> Faultable<u64> {
    Ok(call.memory().string_length(address, MAX_STRING)?)
}

fn find_last(call: &GuestCall<'_>, text: u64, wanted: u8) -> Faultable<u64> {
    let bytes = call.memory().read_string(text, MAX_STRING)?;
    if wanted == 0 {
        return Ok(text + bytes.len() as u64);
    }
    Ok(bytes.iter().rposition(|byte| *byte == wanted).map_or(0, |at| text + at as u64))
}

fn find_text(call: &GuestCall<'_>, text: u64, wanted: u64) -> Faultable<u64> {
    let (bytes, wanted) =
        (call.memory().read_string(text, MAX_STRING)?, call.memory().read_string(wanted, MAX_STRING)?);
    if wanted.is_empty() {
        return Ok(text);
    }
    Ok(bytes.windows(wanted.len()).position(|window| window == wanted).map_or(0, |at| text + at as u64))
}

fn token(call: &GuestCall<'_>, text: u64, separators: u64, position: u64) -> Faultable<(u64, u64)> {
    let start = if text != 0 { text } else { position };
    if start == 0 {
        return Ok((0, 0));
    }
    let (bytes, separators) =
        (call.memory().read_string(start, MAX_STRING)?, call.memory().read_string(separators, MAX_STRING)?);
    let Some(first) = bytes.iter().position(|byte| !separators.contains(byte)) else { return Ok((0, 0)) };
    let end = bytes[first..].iter().position(|byte| separators.contains(byte)).map(|length| first + length);
    match end {
        Some(end) => {
            call.memory().write_u8(start + end as u64, 0)?;
            Ok((start + first as u64, start + end as u64 + 1))
        }
        None => Ok((start + first as u64, 0)),
    }
}

/// Runs a number parser of the host's C library on a copy of the guest's text and stores where it stopped.
fn parse<T>(
    call: &GuestCall<'_>,
    text: u64,
    end: u64,
    parser: impl FnOnce(*const libc::c_char, *mut *mut libc::c_char) -> T,
) -> Faultable<T> {
    let bytes = call.memory().read_string(text, 4096)?;
    let copy = CString::new(bytes).map_err(|_| GuestFault::Abort("a C string holds a NUL".into()))?;
    let mut stopped: *mut libc::c_char = std::ptr::null_mut();
    let value = parser(copy.as_ptr(), &mut stopped);
    if end != 0 {
        let consumed = if stopped.is_null() { 0 } else { stopped as u64 - copy.as_ptr() as u64 };
        call.memory().write_u64(end, text + consumed)?;
    }
    Ok(value)
}

/// Sorts with a guest comparator: a merge sort, so that equal elements keep their order.
fn qsort(call: &mut GuestCall<'_>) -> Faultable<()> {
    let (base, count, width, comparator) = (call.x(0), call.x(1) as usize, call.x(2) as usize, call.x(3));
    let Some(total) = count.checked_mul(width).filter(|total| *total > 0 && count > 1) else { return Ok(()) };
    if !call.memory().is_writable(base, total as u64) {
        return Err(crate::memory::MemoryFault { address: base, length: total as u64 }.into());
    }
    let mut bytes = vec![0u8; total];
    call.memory().read(base, &mut bytes)?;
    // The comparator reads elements where they lie, so two of them are put into guest memory for each comparison: the untouched array itself.
    let mut order: Vec<usize> = (0..count).collect();
    let mut scratch = vec![0usize; count];
    let mut step = 1;
    while step < count {
        let mut start = 0;
        while start < count {
            let (middle, end) = ((start + step).min(count), (start + 2 * step).min(count));
            let (mut left, mut right) = (start, middle);
            for slot in &mut scratch[start..end] {
                let take_left = if left >= middle {
                    false
                } else if right >= end {
                    true
                } else {
                    let (a, b) = (base + (order[left] * width) as u64, base + (order[right] * width) as u64);
                    call.call_guest(comparator, &[a, b])? as i32 <= 0
                };
                let from = if take_left { &mut left } else { &mut right };
                *slot = order[*from];
                *from += 1;
            }
            start = end;
        }
        std::mem::swap(&mut order, &mut scratch);
        step *= 2;
    }
    let mut sorted = Vec::with_capacity(total);
    for index in order {
        sorted.extend_from_slice(&bytes[index * width..(index + 1) * width]);
    }
    Ok(call.memory().write(base, &sorted)?)
}

fn bsearch(call: &mut GuestCall<'_>) -> Faultable<u64> {
    let (key, base, count, width, comparator) = (call.x(0), call.x(1), call.x(2), call.x(3), call.x(4));
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let element = base.wrapping_add(middle.wrapping_mul(width));
        match call.call_guest(comparator, &[key, element])? as i32 {
            0 => return Ok(element),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(0)
}

/// The Itanium ABI's guard of a function-local static: byte 0 says done.
fn guard_acquire(call: &mut GuestCall<'_>) -> Faultable<u32> {
    let (guard, me) = (call.x(0), call.thread_id().number());
    loop {
        if call.memory().load_u8(guard)? != 0 {
            return Ok(0);
        }
        let owner = {
            let mut libc = locked(&call.process().services().libc);
            *libc.guards.entry(guard).or_insert(me)
        };
        if owner == me {
            // Byte 1 marks the claim: claimed twice by one thread is recursion.
            if call.memory().load_u8(guard + 1)? != 0 {
                return Err(GuestFault::Misuse {
                    object: "a function-local static",
                    address: guard,
                    rule: "its initialiser runs itself again",
                });
            }
            call.memory().store_u8(guard + 1, 1)?;
            return Ok(1);
        }
        call.kernel().sleep(call.thread_id(), 100_000);
    }
}

fn guard_release(call: &mut GuestCall<'_>, done: u8) -> Faultable<()> {
    let guard = call.x(0);
    call.memory().store_u8(guard, done)?;
    call.memory().store_u8(guard + 1, 0)?;
    locked(&call.process().services().libc).guards.remove(&guard);
    Ok(())
}

fn finalize(call: &mut GuestCall<'_>) -> Faultable<()> {
    let module = call.x(0);
    let list: Vec<_> = {
        let at_exit = &mut locked(&call.process().services().libc).at_exit;
        let (taken, kept) = std::mem::take(at_exit).into_iter().partition(|entry| module == 0 || entry.2 == module);
        *at_exit = kept;
        taken
    };
    for (function, argument, _) in list.into_iter().rev() {
        call.call_guest(function, &[argument])?;
    }
    Ok(())
}

/// A function of one number with its C name.
type Named<T> = (&'static str, fn(T) -> T);

const MATH_F32: &[Named<f32>] = &[
    ("sinf", f32::sin),
    ("cosf", f32::cos),
    ("tanf", f32::tan),
    ("asinf", f32::asin),
    ("acosf", f32::acos),
    ("atanf", f32::atan),
    ("expf", f32::exp),
    ("exp2f", f32::exp2),
    ("logf", f32::ln),
    ("log2f", f32::log2),
    ("log10f", f32::log10),
    ("sqrtf", f32::sqrt),
    ("floorf", f32::floor),
    ("ceilf", f32::ceil),
    ("roundf", f32::round),
    ("truncf", f32::trunc),
    ("fabsf", f32::abs),
    ("sinhf", f32::sinh),
    ("coshf", f32::cosh),
    ("tanhf", f32::tanh),
];

const MATH_F64: &[Named<f64>] = &[
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("log", f64::ln),
    ("log2", f64::log2),
    ("log10", f64::log10),
    ("sqrt", f64::sqrt),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("round", f64::round),
    ("trunc", f64::trunc),
    ("fabs", f64::abs),
];

fn register_strings(r: &HostRegistry) {
    r.register_all(&["memcpy", "memmove"], |c| {
        c.memory().copy(c.x(0), c.x(1), c.x(2))?;
        Ok::<_, GuestFault>(())
    });
    r.register("memset", |c| Ok::<_, GuestFault>(c.memory().fill(c.x(0), c.w(1) as u8, c.x(2))?));
    r.register("bzero", |c| Ok::<_, GuestFault>(c.memory().fill(c.x(0), 0, c.x(1))?));
    r.register("memcmp", |c| {
        Ok::<_, GuestFault>(if c.x(2) == 0 { 0 } else { c.memory().compare(c.x(0), c.x(1), c.x(2))? })
    });
    r.register("memchr", |c| {
        Ok::<_, GuestFault>(if c.x(2) == 0 {
            0
        } else {
            c.memory().find_byte(c.x(0), c.w(1) as u8, c.x(2))?.unwrap_or(0)
        })
    });
    r.register("strlen", |c| length(c, c.x(0)));
    r.register("strnlen", |c| Ok::<_, GuestFault>(c.memory().string_length(c.x(0), c.x(1))?));
    r.register_all(&["strcmp", "strcoll"], |c| compare_strings(c, c.x(0), c.x(1), MAX_STRING));
    r.register("strncmp", |c| compare_strings(c, c.x(0), c.x(1), c.x(2)));
    r.register("strcpy", |c| {
        let length = length(c, c.x(1))?;
        Ok::<_, GuestFault>(c.memory().copy(c.x(0), c.x(1), length + 1)?)
    });
    r.register("strncpy", |c| {
        let (out, source, size) = (c.x(0), c.x(1), c.x(2));
        let length = c.memory().string_length(source, size)?;
        c.memory().copy(out, source, length)?;
        Ok::<_, GuestFault>(c.memory().fill(out + length, 0, size - length)?)
    });
    r.register("strcat", |c| {
        let (end, added) = (c.x(0) + length(c, c.x(0))?, length(c, c.x(1))?);
        Ok::<_, GuestFault>(c.memory().copy(end, c.x(1), added + 1)?)
    });
    r.register("strncat", |c| {
        let (end, added) = (c.x(0) + length(c, c.x(0))?, c.memory().string_length(c.x(1), c.x(2))?);
        c.memory().copy(end, c.x(1), added)?;
        Ok::<_, GuestFault>(c.memory().write_u8(end + added, 0)?)
    });
    r.register("strchr", |c| {
        let length = length(c, c.x(0))?;
        Ok::<_, GuestFault>(c.memory().find_byte(c.x(0), c.w(1) as u8, length + 1)?.unwrap_or(0))
    });
    r.register("strrchr", |c| find_last(c, c.x(0), c.w(1) as u8));
    r.register("strstr", |c| find_text(c, c.x(0), c.x(1)));
    r.register("strtok", |c| {
        let position = locked(&c.process().services().libc).strtok;
        let (found, next) = token(c, c.x(0), c.x(1), position)?;
        locked(&c.process().services().libc).strtok = next;
        Ok::<_, GuestFault>(found)
    });
    r.register("strtok_r", |c| {
        let position = c.memory().read_u64(c.x(2))?;
        let (found, next) = token(c, c.x(0), c.x(1), position)?;
        c.memory().write_u64(c.x(2), next)?;
        Ok::<_, GuestFault>(found)
    });
    r.register("strdup", |c| {
        let size = length(c, c.x(0))? + 1;
        let copy = init::malloc(c, size);
        if copy != 0 {
            c.memory().copy(copy, c.x(0), size)?;
        }
        Ok::<_, GuestFault>(copy)
    });
}

fn register_numbers(r: &HostRegistry) {
    // SAFETY (all parsers): the text is a NUL-terminated copy that lives through the call, and `end` is a valid place for the stop pointer.
    r.register_all(&["strtol", "strtoll"], |c| {
        let base = c.i32(2);
        // SAFETY: as above.
        parse(c, c.x(0), c.x(1), |text, end| unsafe { libc::strtoll(text, end, base) })
    });
    r.register_all(&["strtoul", "strtoull"], |c| {
        let base = c.i32(2);
        // SAFETY: as above.
        parse(c, c.x(0), c.x(1), |text, end| unsafe { libc::strtoull(text, end, base) })
    });
    // SAFETY: as above.
    r.register("strtod", |c| parse(c, c.x(0), c.x(1), |text, end| unsafe { libc::strtod(text, end) }));
    // SAFETY: as above.
    r.register("strtof", |c| parse(c, c.x(0), c.x(1), |text, end| unsafe { libc::strtof(text, end) }));
    // SAFETY: as above.
    r.register("atoi", |c| parse(c, c.x(0), 0, |text, end| unsafe { libc::strtoll(text, end, 10) } as i32));
    // SAFETY: as above.
    r.register_all(&["atol", "atoll"], |c| parse(c, c.x(0), 0, |text, end| unsafe { libc::strtoll(text, end, 10) }));
    // SAFETY: as above.
    r.register("atof", |c| parse(c, c.x(0), 0, |text, end| unsafe { libc::strtod(text, end) }));
    for (name, function) in MATH_F32 {
        r.register(name, move |c| function(c.s(0)));
    }
    for (name, function) in MATH_F64 {
        r.register(name, move |c| function(c.d(0)));
    }
    r.register("atan2f", |c| c.s(0).atan2(c.s(1)));
    r.register("powf", |c| c.s(0).powf(c.s(1)));
    r.register("fmodf", |c| c.s(0) % c.s(1));
    r.register("fminf", |c| c.s(0).min(c.s(1)));
    r.register("fmaxf", |c| c.s(0).max(c.s(1)));
    r.register("atan2", |c| c.d(0).atan2(c.d(1)));
    r.register("pow", |c| c.d(0).powf(c.d(1)));
    r.register("fmod", |c| c.d(0) % c.d(1));
    r.register("sincosf", |c| {
        let (sine, cosine) = c.s(0).sin_cos();
        c.memory().write_u32(c.x(0), sine.to_bits())?;
        Ok::<_, GuestFault>(c.memory().write_u32(c.x(1), cosine.to_bits())?)
    });
}

fn register_runtime(r: &HostRegistry) {
    r.register("qsort", qsort);
    r.register("bsearch", bsearch);
    r.register("__cxa_atexit", |c| {
        let entry = (c.x(0), c.x(1), c.x(2));
        locked(&c.process().services().libc).at_exit.push(entry);
        0u32
    });
    r.register("__cxa_finalize", finalize);
    r.register("__cxa_guard_acquire", guard_acquire);
    r.register("__cxa_guard_release", |c| guard_release(c, 1));
    r.register("__cxa_guard_abort", |c| guard_release(c, 0));
    for name in ["__cxa_pure_virtual", "__cxa_deleted_virtual"] {
        r.register(name, move |_| {
            Err::<(), _>(GuestFault::Abort(format!("{name}: a virtual function without a body was called")))
        });
    }
    r.register("abort", |_| Err::<(), _>(GuestFault::Abort("abort()".into())));
    r.register("__stack_chk_fail", |_| {
        Err::<(), _>(GuestFault::Abort("a stack buffer overflowed (__stack_chk_fail)".into()))
    });
    r.register_data("__stack_chk_guard", vec![DataWord::Value(0x00DE_ADBE_EF5A_A500)]);
    r.register_all(&["exit", "_Exit", "_exit"], |c| -> () {
        let status = c.i32(0);
        c.process().exit_from_guest(status)
    });
    r.register("__errno_location", |c| c.thread().tls() + TLS_ERRNO);
    r.register("__aarch64_read_tp", |c| c.context().tpidr_el0);
    r.register("time", |c| {
        let now = super::oe::wall_clock(c);
        if c.x(0) != 0 {
            c.memory().write_u64(c.x(0), now as u64)?;
        }
        Ok::<_, GuestFault>(now)
    });
    r.register("clock", |c| c.kernel().clock().now() / 1000);
    r.register("gettimeofday", |c| {
        c.memory().write_u64(c.x(0), super::oe::wall_clock(c) as u64)?;
        c.memory().write_u64(c.x(0) + 8, c.kernel().clock().now() / 1000 % 1_000_000)?;
        Ok::<_, GuestFault>(0u32)
    });
    r.register("clock_gettime", |c| {
        let now = c.kernel().clock().now();
        let seconds = if c.w(0) == 0 { super::oe::wall_clock(c) as u64 } else { now / 1_000_000_000 };
        c.memory().write_u64(c.x(1), seconds)?;
        c.memory().write_u64(c.x(1) + 8, now % 1_000_000_000)?;
        Ok::<_, GuestFault>(0u32)
    });
    r.register("nanosleep", |c| {
        let (seconds, rest) = (c.memory().read_u64(c.x(0))?, c.memory().read_u64(c.x(0) + 8)?);
        c.kernel().sleep(c.thread_id(), seconds.saturating_mul(1_000_000_000).saturating_add(rest));
        Ok::<_, GuestFault>(0u32)
    });
}

pub(super) fn register(r: &HostRegistry) {
    register_strings(r);
    register_numbers(r);
    register_runtime(r);
}
