//! Host functions under their mangled names, each with an address that the guest can call, store and compare.
//!
//! Other crates register theirs here before a title boots (engine/nvn: `nvnBootstrapLoader` and every name it hands out).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, RwLock};

use crate::abi::HOST_FUNCTION_STRIDE;
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::ResultCode;
use crate::memory::Region;

/// Most host functions of one process, stubs included.
const CAPACITY: usize = 16384;

/// What a host function may return; it goes where the guest's calling convention wants it.
pub trait HostReturn {
    /// Stores the value in the result registers, or reports the fault.
    fn apply(self, call: &mut GuestCall<'_>) -> Result<(), GuestFault>;
}

impl HostReturn for () {
    fn apply(self, _: &mut GuestCall<'_>) -> Result<(), GuestFault> {
        Ok(())
    }
}

macro_rules! integer_returns {
    ($($type:ty => $convert:expr),*) => {
        $(impl HostReturn for $type {
            fn apply(self, call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
                let convert: fn($type) -> u64 = $convert;
                call.set_x(0, convert(self));
                Ok(())
            }
        })*
    };
}

integer_returns! {
    u64 => |value| value,
    i64 => |value| value as u64,
    u32 => u64::from,
    i32 => |value| u64::from(value as u32),
    bool => u64::from,
    ResultCode => |code| u64::from(code.0),
    Result<(), ResultCode> => |result| result.map_or_else(|code| u64::from(code.0), |()| 0)
}

impl HostReturn for f32 {
    fn apply(self, call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
        call.set_s(0, self);
        Ok(())
    }
}

impl HostReturn for f64 {
    fn apply(self, call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
        call.set_d(0, self);
        Ok(())
    }
}

impl<T: HostReturn> HostReturn for Result<T, GuestFault> {
    fn apply(self, call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
        self?.apply(call)
    }
}

type Function = Box<dyn Fn(&mut GuestCall<'_>) -> Result<(), GuestFault> + Send + Sync>;

/// A registered function.
pub struct HostFunction {
    name: String,
    stub: bool,
    function: Function,
}

impl HostFunction {
    /// The name it was registered under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it stands in for something nobody implements.
    pub fn is_stub(&self) -> bool {
        self.stub
    }

    pub(crate) fn invoke(&self, call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
        (self.function)(call)
    }
}

/// A data object that guests import by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostData {
    pub(crate) name: String,
    pub(crate) words: Vec<DataWord>,
}

/// Eight bytes of a data object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataWord {
    /// A value.
    Value(u64),
    /// The address of a registered function.
    Function(String),
}

/// All host functions of a process.
pub struct HostRegistry {
    region: Region,
    slots: Box<[OnceLock<HostFunction>]>,
    /// Name to slot, and the next free slot.
    names: RwLock<(HashMap<String, usize>, usize)>,
    data: Mutex<Vec<HostData>>,
    /// Names that are taken stay with their function.
    keep: AtomicBool,
}

impl std::fmt::Debug for HostRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostRegistry").field("region", &self.region).field("functions", &self.len()).finish()
    }
}

impl HostRegistry {
    /// An empty registry whose functions get addresses in `region` ([`crate::memory::Layout::host_text`]).
    pub fn new(region: Region) -> HostRegistry {
        let capacity = CAPACITY.min((region.size / HOST_FUNCTION_STRIDE) as usize);
        HostRegistry {
            region,
            slots: (0..capacity).map(|_| OnceLock::new()).collect(),
            // Slot 0 is where guest code returns to the host.
            names: RwLock::new((HashMap::new(), 1)),
            data: Mutex::new(Vec::new()),
            keep: AtomicBool::new(false),
        }
    }

    /// Runs `register` so that it only adds names that nobody has yet.
    pub fn register_missing(&self, register: impl FnOnce(&HostRegistry)) {
        self.keep.store(true, Ordering::SeqCst);
        register(self);
        self.keep.store(false, Ordering::SeqCst);
    }

    /// Where the addresses lie.
    pub fn region(&self) -> Region {
        self.region
    }

    /// The address in the link register when the host calls guest code.
    pub fn return_address(&self) -> u64 {
        self.region.base
    }

    /// Adds a function and returns its guest address; a later one of the same name takes the name over, and both keep their addresses. Panics only
    /// when more than 16383 functions are registered, which is a mistake of the program and not of its input.
    pub fn register<R: HostReturn>(
        &self,
        name: &str,
        function: impl Fn(&mut GuestCall<'_>) -> R + Send + Sync + 'static,
    ) -> u64 {
        self.add(name, false, Box::new(move |call| function(call).apply(call)))
            .expect("fewer host functions than slots")
    }

    /// Adds one function under several names.
    pub fn register_all<R: HostReturn>(
        &self,
        names: &[&str],
        function: impl Fn(&mut GuestCall<'_>) -> R + Send + Sync + Clone + 'static,
    ) {
        for name in names {
            self.register(name, function.clone());
        }
    }

    /// Adds a stand-in for a name that nobody implements; `None` when all slots are taken.
    pub(crate) fn register_stub(
        &self,
        name: &str,
        function: impl Fn(&mut GuestCall<'_>) + Send + Sync + 'static,
    ) -> Option<u64> {
        self.add(
            name,
            true,
            Box::new(move |call| {
                function(call);
                Ok(())
            }),
        )
    }

    fn add(&self, name: &str, stub: bool, function: Function) -> Option<u64> {
        let mut names = self.names.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.keep.load(Ordering::SeqCst)
            && let Some(slot) = names.0.get(name)
        {
            return Some(self.address(*slot));
        }
        let slot = names.1;
        self.slots.get(slot)?.set(HostFunction { name: name.to_owned(), stub, function }).ok()?;
        names.0.insert(name.to_owned(), slot);
        names.1 += 1;
        Some(self.address(slot))
    }

    /// Declares a data object that guests import by name; it gets guest memory when a title boots.
    pub fn register_data(&self, name: &str, words: Vec<DataWord>) {
        self.data
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push(HostData { name: name.to_owned(), words });
    }

    pub(crate) fn data(&self) -> Vec<HostData> {
        self.data.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    fn address(&self, slot: usize) -> u64 {
        self.region.base + slot as u64 * HOST_FUNCTION_STRIDE
    }

    /// The guest address of a registered name. Guests may call it, store it and compare it.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        let names = self.names.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        names.0.get(name).map(|slot| self.address(*slot))
    }

    /// The function at a guest address.
    pub fn function_at(&self, address: u64) -> Option<&HostFunction> {
        let offset = address.checked_sub(self.region.base)?;
        if !offset.is_multiple_of(HOST_FUNCTION_STRIDE) {
            return None;
        }
        self.slots.get((offset / HOST_FUNCTION_STRIDE) as usize)?.get()
    }

    /// How many functions are registered.
    pub fn len(&self) -> usize {
        self.names.read().unwrap_or_else(|poisoned| poisoned.into_inner()).1 - 1
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Layout;

    #[test]
    fn addresses_are_16_bytes_apart_and_found_again() {
        let region = Layout::compact(40).host_text;
        let registry = HostRegistry::new(region);
        assert!(registry.is_empty());
        let first = registry.register("a", |_| {});
        let second = registry.register("b", |_| 7u32);
        assert_eq!(first, region.base + 16, "slot 0 is the return address");
        assert_eq!(second, first + 16);
        assert_eq!(registry.address_of("b"), Some(second));
        assert_eq!(registry.address_of("c"), None);
        assert_eq!(registry.function_at(second).unwrap().name(), "b");
        for address in [region.base, second + 4, second + 16, region.base - 16, u64::MAX, region.end()] {
            assert!(registry.function_at(address).is_none(), "{address:#x}");
        }
        let replaced = registry.register("a", |_| {});
        assert_eq!(registry.address_of("a"), Some(replaced));
        assert_eq!(registry.function_at(first).unwrap().name(), "a", "an address handed out stays callable");
        assert_eq!(registry.len(), 3);
        registry.register_missing(|registry| {
            assert_eq!(registry.register("a", |_| {}), replaced, "a name that is taken stays");
            registry.register("d", |_| {});
        });
        assert_eq!(registry.len(), 4);
        assert_eq!(registry.register("d", |_| {}), region.base + 16 * 5, "afterwards the later one counts again");
    }

    #[test]
    fn names_that_are_composed_are_those_that_titles_import() {
        let registry = HostRegistry::new(Layout::compact(40).host_text);
        crate::nn::register(&registry);
        for name in [
            "_ZN2nn2os16SendMessageQueueEPNS0_16MessageQueueTypeEm",
            "_ZN2nn2os19TrySendMessageQueueEPNS0_16MessageQueueTypeEm",
            "_ZN2nn2os21TimedSendMessageQueueEPNS0_16MessageQueueTypeEmNS_8TimeSpanE",
            "_ZN2nn2os15JamMessageQueueEPNS0_16MessageQueueTypeEm",
            "_ZN2nn2os19ReceiveMessageQueueEPmPNS0_16MessageQueueTypeE",
            "_ZN2nn2os24TimedReceiveMessageQueueEPmPNS0_16MessageQueueTypeENS_8TimeSpanE",
            "_ZN2nn2os19TryPeekMessageQueueEPmPKNS0_16MessageQueueTypeE",
            "_ZN2nn2os21TimedPeekMessageQueueEPmPKNS0_16MessageQueueTypeENS_8TimeSpanE",
            "_ZN2nn3hid12GetNpadStateEPNS0_16NpadFullKeyStateERKj",
            "_ZN2nn3hid13GetNpadStatesEPNS0_17NpadHandheldStateEiRKj",
            "_ZN2nn3hid6detail13GetNpadStatesEPiPNS0_16NpadJoyDualStateEiRKj",
            "_ZN2nn3hid19GetTouchScreenStateILm16EEEvPNS0_16TouchScreenStateIXT_EEE",
            "_ZN2nn2os6detail23InternalCriticalSection5EnterEv",
            "_ZNK2nn2os6detail36InternalCriticalSectionImplByHorizon23IsLockedByCurrentThreadEv",
            "_ZN2nn2os6detail38InternalConditionVariableImplByHorizon9BroadcastEv",
        ] {
            assert!(registry.address_of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_full_registry_refuses_stubs() {
        let region = Region { base: 0x1000_0000, size: 64 };
        let registry = HostRegistry::new(region);
        for index in 0..3 {
            assert!(registry.register_stub(&format!("f{index}"), |_| {}).is_some());
        }
        assert!(registry.register_stub("f3", |_| {}).is_none());
    }
}
