//! Layouts of SDK objects in guest memory: titles embed them, read their fields and inline code that uses them.

/// `nn::os::ThreadType`, the newer of its two layouts (version 1).
pub mod thread_type {
    use crate::memory::{GuestMemory, GuestWrite, MemoryFault};

    /// Bytes of the object.
    pub const SIZE: u64 = 0x1C0;
    /// u8: one of the states below.
    pub const STATE: u64 = 0x40;
    /// u8.
    pub const SUSPEND_COUNT: u64 = 0x43;
    /// s16: nn::os priority.
    pub const BASE_PRIORITY: u64 = 0x44;
    /// u16: 1.
    pub const VERSION: u64 = 0x46;
    /// Stack as the creator gave it.
    pub const ORIGINAL_STACK: u64 = 0x48;
    /// Stack in use.
    pub const STACK: u64 = 0x50;
    /// Its size.
    pub const STACK_SIZE: u64 = 0x58;
    /// Argument of the entry function.
    pub const ARGUMENT: u64 = 0x60;
    /// Entry function.
    pub const FUNCTION: u64 = 0x68;
    /// `u64[32]`: thread-local slots.
    pub const TLS_SLOTS: u64 = 0x80;
    /// `char[32]`.
    pub const NAME: u64 = 0x180;
    /// `char*`.
    pub const NAME_POINTER: u64 = 0x1A0;
    /// u32.
    pub const HANDLE: u64 = 0x1B0;
    /// u64.
    pub const THREAD_ID: u64 = 0x1B8;

    /// States.
    pub mod state {
        /// Not made.
        pub const NONE: u8 = 0;
        /// Made, not started.
        pub const INITIALIZED: u8 = 1;
        /// Destroyed before its start.
        pub const DESTROYED_BEFORE_START: u8 = 2;
        /// Started.
        pub const STARTED: u8 = 3;
        /// Ended.
        pub const TERMINATED: u8 = 4;
    }

    /// What a new object is filled with.
    #[derive(Debug, Clone)]
    pub struct Fields<'a> {
        /// One of [`state`].
        pub state: u8,
        /// nn::os priority.
        pub priority: i32,
        /// Lowest address and size.
        pub stack: (u64, u64),
        /// Entry function and argument.
        pub entry: (u64, u64),
        /// At most 31 bytes are kept.
        pub name: &'a str,
        /// Kernel handle.
        pub handle: u32,
        /// Kernel thread id.
        pub thread_id: u64,
    }

    /// Zeroes and fills the object at `address`.
    pub fn write(memory: &GuestMemory, address: u64, fields: &Fields<'_>) -> Result<(), MemoryFault> {
        let mut bytes = [0u8; SIZE as usize];
        let mut put =
            |offset: u64, value: &[u8]| bytes[offset as usize..offset as usize + value.len()].copy_from_slice(value);
        // Both list nodes are unlinked: they point to themselves.
        for node in [0x00, 0x10] {
            put(node, &(address + node).to_le_bytes());
            put(node + 8, &(address + node).to_le_bytes());
        }
        put(STATE, &[fields.state]);
        put(BASE_PRIORITY, &(fields.priority as i16).to_le_bytes());
        put(VERSION, &1u16.to_le_bytes());
        put(ORIGINAL_STACK, &fields.stack.0.to_le_bytes());
        put(STACK, &fields.stack.0.to_le_bytes());
        put(STACK_SIZE, &fields.stack.1.to_le_bytes());
        put(ARGUMENT, &fields.entry.1.to_le_bytes());
        put(FUNCTION, &fields.entry.0.to_le_bytes());
        let name = fields.name.as_bytes();
        put(NAME, &name[..name.len().min(31)]);
        put(NAME_POINTER, &(address + NAME).to_le_bytes());
        put(HANDLE, &fields.handle.to_le_bytes());
        put(THREAD_ID, &fields.thread_id.to_le_bytes());
        memory.write(address, &bytes)
    }
}

/// `nn::os::MutexType`.
pub mod mutex {
    /// Bytes.
    pub const SIZE: u64 = 0x20;
    /// u8: 1 = initialised.
    pub const STATE: u64 = 0x00;
    /// bool.
    pub const RECURSIVE: u64 = 0x01;
    /// s32.
    pub const LOCK_LEVEL: u64 = 0x04;
    /// s32.
    pub const NEST_COUNT: u64 = 0x08;
    /// ThreadType*.
    pub const OWNER: u64 = 0x10;
    /// Lock word.
    pub const LOCK: u64 = 0x18;
}

/// `nn::os::ConditionVariableType`.
pub mod condition_variable {
    /// Bytes.
    pub const SIZE: u64 = 0x08;
    /// u8.
    pub const STATE: u64 = 0x00;
    /// Condition word.
    pub const KEY: u64 = 0x04;
}

/// `nn::os::EventType`.
pub mod event {
    /// Bytes.
    pub const SIZE: u64 = 0x28;
    /// bool.
    pub const SIGNALED: u64 = 0x10;
    /// bool.
    pub const INITIALLY_SIGNALED: u64 = 0x11;
    /// u8: 0 manual, 1 automatic.
    pub const CLEAR_MODE: u64 = 0x12;
    /// u8.
    pub const STATE: u64 = 0x13;
    /// u32.
    pub const BROADCAST_LOW: u64 = 0x14;
    /// u32.
    pub const BROADCAST_HIGH: u64 = 0x18;
    /// Lock word.
    pub const LOCK: u64 = 0x1C;
    /// Condition word.
    pub const KEY: u64 = 0x20;
}

/// `nn::os::SystemEventType`.
pub mod system_event {
    /// Bytes.
    pub const SIZE: u64 = 0x30;
    /// u8: 0 none, 1 event, 2 inter-process.
    pub const STATE: u64 = 0x28;
    /// bool, inter-process form.
    pub const AUTO_CLEAR: u64 = 0x10;
    /// u32, inter-process form.
    pub const READABLE: u64 = 0x14;
    /// u32, inter-process form.
    pub const WRITABLE: u64 = 0x18;
}

/// `nn::os::SemaphoreType`.
pub mod semaphore {
    /// Bytes.
    pub const SIZE: u64 = 0x28;
    /// u8.
    pub const STATE: u64 = 0x10;
    /// s32.
    pub const COUNT: u64 = 0x14;
    /// s32.
    pub const MAXIMUM: u64 = 0x18;
    /// Lock word.
    pub const LOCK: u64 = 0x1C;
    /// Condition word.
    pub const KEY: u64 = 0x20;
}

/// `nn::os::MessageQueueType`.
pub mod message_queue {
    /// Bytes.
    pub const SIZE: u64 = 0x48;
    /// u64*.
    pub const BUFFER: u64 = 0x20;
    /// s32.
    pub const CAPACITY: u64 = 0x28;
    /// s32.
    pub const COUNT: u64 = 0x2C;
    /// s32.
    pub const OFFSET: u64 = 0x30;
    /// u8.
    pub const STATE: u64 = 0x34;
    /// Lock word.
    pub const LOCK: u64 = 0x38;
    /// Condition word: room again.
    pub const NOT_FULL: u64 = 0x3C;
    /// Condition word: something to take.
    pub const NOT_EMPTY: u64 = 0x40;
}

/// `nn::os::LightEventType`.
pub mod light_event {
    /// Bytes.
    pub const SIZE: u64 = 0x0C;
    /// bool.
    pub const AUTO_CLEAR: u64 = 0x00;
    /// bool.
    pub const INITIALIZED: u64 = 0x01;
    /// s32: 0 clear, 1 clear and maybe waited for, 2 signalled.
    pub const STATE: u64 = 0x04;
}

/// Npad states of all styles but Gc.
pub mod npad {
    /// Bytes.
    pub const SIZE: u64 = 0x28;
    /// s64.
    pub const SAMPLING_NUMBER: u64 = 0x00;
    /// u64.
    pub const BUTTONS: u64 = 0x08;
    /// s32 x, y.
    pub const STICK_LEFT: u64 = 0x10;
    /// s32 x, y.
    pub const STICK_RIGHT: u64 = 0x18;
    /// u32.
    pub const ATTRIBUTES: u64 = 0x20;
}

/// `nn::fs::DirectoryEntry`.
pub mod directory_entry {
    /// Bytes.
    pub const SIZE: u64 = 0x310;
    /// Most bytes of a name, NUL included.
    pub const NAME_SIZE: u64 = 0x301;
    /// u8: 0 directory, 1 file.
    pub const TYPE: u64 = 0x304;
    /// s64.
    pub const FILE_SIZE: u64 = 0x308;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layouts once more as C structures: their compiler-given offsets must equal the constants.
    #[test]
    fn offsets_follow_from_the_fields() {
        use std::mem::{offset_of, size_of};
        #[repr(C)]
        struct ListNode([u64; 2]);
        #[repr(C)]
        struct ThreadType {
            all: ListNode,
            multi: ListNode,
            reserved: [u64; 4],
            state: u8,
            aliased: u8,
            auto: u8,
            suspend: u8,
            priority: i16,
            version: u16,
            original_stack: u64,
            stack: u64,
            stack_size: u64,
            argument: u64,
            function: u64,
            fibers: [u64; 2],
            tls: [u64; 32],
            name: [u8; 32],
            name_pointer: u64,
            cs: u32,
            cv: u32,
            handle: u32,
            history: u32,
            id: u64,
        }
        assert_eq!(size_of::<ThreadType>() as u64, thread_type::SIZE);
        for (actual, expected) in [
            (offset_of!(ThreadType, state), thread_type::STATE),
            (offset_of!(ThreadType, suspend), thread_type::SUSPEND_COUNT),
            (offset_of!(ThreadType, priority), thread_type::BASE_PRIORITY),
            (offset_of!(ThreadType, version), thread_type::VERSION),
            (offset_of!(ThreadType, original_stack), thread_type::ORIGINAL_STACK),
            (offset_of!(ThreadType, stack), thread_type::STACK),
            (offset_of!(ThreadType, stack_size), thread_type::STACK_SIZE),
            (offset_of!(ThreadType, argument), thread_type::ARGUMENT),
            (offset_of!(ThreadType, function), thread_type::FUNCTION),
            (offset_of!(ThreadType, tls), thread_type::TLS_SLOTS),
            (offset_of!(ThreadType, name), thread_type::NAME),
            (offset_of!(ThreadType, name_pointer), thread_type::NAME_POINTER),
            (offset_of!(ThreadType, handle), thread_type::HANDLE),
            (offset_of!(ThreadType, id), thread_type::THREAD_ID),
        ] {
            assert_eq!(actual as u64, expected);
        }
        #[repr(C)]
        struct Mutex {
            state: u8,
            recursive: u8,
            level: i32,
            nest: i32,
            owner: u64,
            cs: u32,
        }
        assert_eq!(size_of::<Mutex>() as u64, mutex::SIZE);
        assert_eq!(offset_of!(Mutex, owner) as u64, mutex::OWNER);
        assert_eq!(offset_of!(Mutex, cs) as u64, mutex::LOCK);
        assert_eq!(offset_of!(Mutex, nest) as u64, mutex::NEST_COUNT);
        #[repr(C)]
        struct Event {
            list: ListNode,
            signaled: u8,
            initially: u8,
            mode: u8,
            state: u8,
            low: u32,
            high: u32,
            cs: u32,
            cv: u32,
        }
        assert_eq!(size_of::<Event>() as u64, event::SIZE);
        assert_eq!(offset_of!(Event, low) as u64, event::BROADCAST_LOW);
        assert_eq!(offset_of!(Event, cs) as u64, event::LOCK);
        assert_eq!(offset_of!(Event, cv) as u64, event::KEY);
        #[repr(C)]
        struct Queue {
            not_full: ListNode,
            not_empty: ListNode,
            buffer: u64,
            capacity: i32,
            count: i32,
            offset: i32,
            state: u8,
            cs: u32,
            cv: [u32; 2],
        }
        assert_eq!(size_of::<Queue>() as u64, message_queue::SIZE);
        assert_eq!(offset_of!(Queue, cs) as u64, message_queue::LOCK);
        assert_eq!(offset_of!(Queue, cv) as u64, message_queue::NOT_FULL);
        #[repr(C)]
        struct Npad {
            number: i64,
            buttons: u64,
            left: [i32; 2],
            right: [i32; 2],
            attributes: u32,
        }
        assert_eq!(size_of::<Npad>() as u64, npad::SIZE);
        assert_eq!(offset_of!(Npad, attributes) as u64, npad::ATTRIBUTES);
        #[repr(C)]
        struct Entry {
            name: [u8; 0x301],
            pad: [u8; 3],
            kind: u8,
            size: i64,
        }
        assert_eq!(size_of::<Entry>() as u64, directory_entry::SIZE);
        assert_eq!(offset_of!(Entry, kind) as u64, directory_entry::TYPE);
        assert_eq!(offset_of!(Entry, size) as u64, directory_entry::FILE_SIZE);
    }
}
