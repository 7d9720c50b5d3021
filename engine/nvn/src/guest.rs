//! The API as functions that guest code calls.

use crate::call::Call;
use crate::device::Nvn;
use crate::table;
use ferrograph_guest::call::GuestCall;
use ferrograph_guest::registry::HostRegistry;
use std::cell::RefCell;
use std::sync::Arc;

/// Registers every function of the API with the guest's host functions, the bootstrap loader included.
pub fn register(registry: &HostRegistry, nvn: &Arc<Nvn>) {
    let mut addresses = Vec::new();
    for name in table::names() {
        let api = Arc::clone(nvn);
        let address = registry.register(name, move |guest: &mut GuestCall<'_>| -> u64 { dispatch(name, &api, guest) });
        addresses.push((name, address));
    }
    nvn.set_addresses(addresses);
}

fn dispatch(name: &'static str, nvn: &Nvn, guest: &mut GuestCall<'_>) -> u64 {
    let memory = guest.memory();
    let x = std::array::from_fn(|n| guest.x(n));
    let s = std::array::from_fn(|n| guest.s(n));
    // A call either runs guest code (the command-memory callback) or blocks, never both at once.
    let guest = RefCell::new(guest);
    let mut call = Call {
        nvn,
        memory,
        x,
        s,
        float_result: None,
        call_guest: &mut |function, arguments| {
            guest.borrow_mut().call_guest(function, arguments).unwrap_or_else(|error| {
                tracing::warn!(function = name, "the title's callback failed: {error}");
                0
            })
        },
        block: &mut |work| guest.borrow().release_core(work),
    };
    let result = table::call(name, &mut call);
    let float = call.float_result;
    if let Some(value) = float {
        guest.into_inner().set_s(0, value);
    }
    result
}
