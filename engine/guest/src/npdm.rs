//! The reader of `main.npdm`: process metadata. Any bytes are safe to read.

/// What the host uses of a title's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Npdm {
    /// Title name, at most 16 bytes, as text.
    pub name: String,
    /// Program id.
    pub program_id: u64,
    /// Kernel priority of the main thread (44 is usual).
    pub main_thread_priority: u8,
    /// Virtual core of the main thread.
    pub default_core: u8,
    /// Stack of the main thread in bytes, a multiple of 0x1000.
    pub main_thread_stack_size: u32,
    /// System resource size in bytes.
    pub system_resource_size: u32,
    /// Best (lowest) and worst kernel priority that threads may have.
    pub priorities: (u8, u8),
    /// Cores that threads may run on, as a mask.
    pub core_mask: u64,
    /// Handle table size.
    pub handle_table_size: u32,
}

/// Why metadata was refused. Offsets are from the file's start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NpdmError {
    /// The file ends too early or is longer than the console accepts.
    #[error("main.npdm: {size} bytes; expected between 0x80 and 0x8000 (is this the right file?)")]
    Size {
        /// Bytes in the file.
        size: usize,
    },
    /// A magic word is missing.
    #[error("main.npdm: no {expected} at offset {offset:#x}; the file is damaged or still encrypted")]
    Magic {
        /// The four characters.
        expected: &'static str,
        /// Where they belong.
        offset: usize,
    },
    /// A part lies outside the file or is too short.
    #[error("main.npdm: {part} at offset {offset:#x} with {size:#x} bytes does not fit the file")]
    Range {
        /// Which part.
        part: &'static str,
        /// Its offset.
        offset: u64,
        /// Its size.
        size: u64,
    },
    /// A 32-bit title or address space.
    #[error(
        "main.npdm: flags {flags:#x} at offset 0xc ask for a 32-bit or 36-bit address space; only 64-bit titles with 39 bits can be run"
    )]
    AddressSpace {
        /// The flags byte.
        flags: u8,
    },
    /// A value makes no sense.
    #[error("main.npdm: {field} at offset {offset:#x} is {value:#x}; {rule}")]
    Value {
        /// Which field.
        field: &'static str,
        /// Where.
        offset: usize,
        /// What was read.
        value: u64,
        /// What it must be.
        rule: &'static str,
    },
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(offset..offset.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(offset..offset.checked_add(8)?)?.try_into().ok()?))
}

fn part<'a>(file: &'a [u8], name: &'static str, offset: u32, size: u32, minimum: u32) -> Result<&'a [u8], NpdmError> {
    let error = NpdmError::Range { part: name, offset: u64::from(offset), size: u64::from(size) };
    if size < minimum {
        return Err(error);
    }
    file.get(offset as usize..).and_then(|rest| rest.get(..size as usize)).ok_or(error)
}

impl Npdm {
    /// Reads a whole `main.npdm`.
    pub fn parse(file: &[u8]) -> Result<Npdm, NpdmError> {
        if file.len() < 0x80 || file.len() > 0x8000 {
            return Err(NpdmError::Size { size: file.len() });
        }
        let word = |offset| u32_at(file, offset).unwrap_or(0);
        if &file[..4] != b"META" {
            return Err(NpdmError::Magic { expected: "META", offset: 0 });
        }
        let flags = file[0x0C];
        if flags & 1 == 0 || (flags >> 1) & 7 != 3 {
            return Err(NpdmError::AddressSpace { flags });
        }
        let stack = word(0x1C);
        if stack == 0 || !stack.is_multiple_of(0x1000) || stack > 0x1000_0000 {
            let rule = "it must be a multiple of 0x1000, at most 256 MiB";
            return Err(NpdmError::Value {
                field: "the main thread's stack size",
                offset: 0x1C,
                value: u64::from(stack),
                rule,
            });
        }
        let resource = word(0x14);
        if !resource.is_multiple_of(0x20_0000) || resource > 0x1FE0_0000 {
            let rule = "it must be a multiple of 2 MiB, at most 0x1fe00000";
            return Err(NpdmError::Value {
                field: "the system resource size",
                offset: 0x14,
                value: u64::from(resource),
                rule,
            });
        }
        let aci0_offset = word(0x70);
        let aci0 = part(file, "ACI0", aci0_offset, word(0x74), 0x40)?;
        let acid_offset = word(0x78);
        let acid = part(file, "ACID", acid_offset, word(0x7C), 0x240)?;
        if &aci0[..4] != b"ACI0" {
            return Err(NpdmError::Magic { expected: "ACI0", offset: aci0_offset as usize });
        }
        if &acid[0x200..0x204] != b"ACID" {
            return Err(NpdmError::Magic { expected: "ACID", offset: acid_offset as usize + 0x200 });
        }
        let capabilities = part(
            aci0,
            "ACI0 kernel capabilities",
            u32_at(aci0, 0x30).unwrap_or(0),
            u32_at(aci0, 0x34).unwrap_or(0),
            0,
        )?;
        let mut npdm = Npdm {
            name: String::from_utf8_lossy(file[0x20..0x30].split(|byte| *byte == 0).next().unwrap_or_default())
                .into_owned(),
            program_id: u64_at(aci0, 0x10).unwrap_or(0),
            main_thread_priority: file[0x0E],
            default_core: file[0x0F],
            main_thread_stack_size: stack,
            system_resource_size: resource,
            priorities: (28, 59),
            core_mask: 7,
            handle_table_size: 512,
        };
        for word in capabilities.chunks_exact(4) {
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            // The run of ones at the bottom names the kind of word.
            match word.trailing_ones() {
                3 => {
                    let (worst, best) = ((word >> 4 & 0x3F) as u8, (word >> 10 & 0x3F) as u8);
                    let (first, last) = (word >> 16 & 0xFF, word >> 24 & 0xFF);
                    if best <= worst && first <= last {
                        npdm.priorities = (best, worst);
                        // The fourth core is the system's and never ours to give.
                        npdm.core_mask = (first..=last.min(2)).fold(0, |mask, core| mask | 1 << core);
                    }
                }
                15 => npdm.handle_table_size = word >> 16 & 0x3FF,
                _ => {}
            }
        }
        if npdm.core_mask == 0 {
            npdm.core_mask = 7;
        }
        if npdm.main_thread_priority > 63 {
            let rule = "kernel priorities are 0 to 63";
            let value = u64::from(npdm.main_thread_priority);
            return Err(NpdmError::Value { field: "the main thread's priority", offset: 0x0E, value, rule });
        }
        if npdm.default_core > 2 || npdm.core_mask >> npdm.default_core & 1 == 0 {
            let rule = "titles may use cores 0 to 2 that their capabilities name";
            let value = u64::from(npdm.default_core);
            return Err(NpdmError::Value { field: "the default core", offset: 0x0F, value, rule });
        }
        Ok(npdm)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A minimal valid file, as the format's description lays it out.
    pub(crate) fn sample() -> Vec<u8> {
        let mut file = vec![0; 0x80];
        let put = |file: &mut Vec<u8>, offset: usize, value: u32| {
            file[offset..offset + 4].copy_from_slice(&value.to_le_bytes())
        };
        file[..4].copy_from_slice(b"META");
        file[0x0C] = 7;
        file[0x0E] = 44;
        put(&mut file, 0x1C, 0x10_0000);
        file[0x20..0x24].copy_from_slice(b"demo");
        file.resize(0x80 + 0x250, 0);
        file[0x280..0x284].copy_from_slice(b"ACID");
        let aci0 = file.len();
        file.resize(aci0 + 0x40 + 12, 0);
        file[aci0..aci0 + 4].copy_from_slice(b"ACI0");
        file[aci0 + 0x10..aci0 + 0x18].copy_from_slice(&0x0100_0000_00AB_C000u64.to_le_bytes());
        put(&mut file, aci0 + 0x30, 0x40);
        put(&mut file, aci0 + 0x34, 12);
        put(&mut file, aci0 + 0x40, 0x0200_73B7);
        put(&mut file, aci0 + 0x44, 0x0000_5FFF);
        put(&mut file, aci0 + 0x48, 0x0200_7FFF);
        put(&mut file, 0x70, aci0 as u32);
        put(&mut file, 0x74, 0x4C);
        put(&mut file, 0x78, 0x80);
        put(&mut file, 0x7C, 0x250);
        file
    }

    #[test]
    fn a_valid_file_is_read() {
        let npdm = Npdm::parse(&sample()).unwrap();
        assert_eq!(
            npdm,
            Npdm {
                name: "demo".into(),
                program_id: 0x0100_0000_00AB_C000,
                main_thread_priority: 44,
                default_core: 0,
                main_thread_stack_size: 0x10_0000,
                system_resource_size: 0,
                priorities: (28, 59),
                core_mask: 7,
                handle_table_size: 512,
            }
        );
    }

    #[test]
    fn each_broken_field_is_named() {
        let broken = |offset: usize, bytes: &[u8]| {
            let mut file = sample();
            file[offset..offset + bytes.len()].copy_from_slice(bytes);
            Npdm::parse(&file).unwrap_err()
        };
        assert_eq!(broken(0, b"NSO0"), NpdmError::Magic { expected: "META", offset: 0 });
        assert_eq!(broken(0x0C, &[0]), NpdmError::AddressSpace { flags: 0 });
        assert!(matches!(broken(0x1C, &[1]), NpdmError::Value { offset: 0x1C, .. }));
        assert!(matches!(broken(0x70, &[0xFF, 0xFF, 0xFF, 0xFF]), NpdmError::Range { part: "ACI0", .. }));
        assert!(matches!(broken(0x7C, &[0, 1]), NpdmError::Range { part: "ACID", .. }));
        assert!(matches!(broken(0x280, b"X"), NpdmError::Magic { expected: "ACID", offset: 0x280 }));
        assert!(matches!(broken(0x0F, &[3]), NpdmError::Value { offset: 0x0F, .. }));
        assert!(matches!(broken(0x0E, &[99]), NpdmError::Value { offset: 0x0E, .. }));
        assert_eq!(Npdm::parse(b"META"), Err(NpdmError::Size { size: 4 }));
    }

    /// A short run that is the same each time, or as the environment says: `cargo xtask soak` asks for many cases.
    fn fuzz(cases: u32) -> ProptestConfig {
        let given = ProptestConfig::default();
        if std::env::var_os("PROPTEST_CASES").is_some() {
            given
        } else {
            ProptestConfig { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
        }
    }

    proptest! {
        #![proptest_config(fuzz(256))]

        #[test]
        fn fuzz_npdm_bytes_are_answered(changes in proptest::collection::vec((0usize..0x320, any::<u8>()), 0..40), cut in 0usize..0x400) {
            let mut file = sample();
            for (offset, value) in changes {
                if let Some(byte) = file.get_mut(offset) {
                    *byte = value;
                }
            }
            file.truncate(cut.max(1));
            if let Ok(npdm) = Npdm::parse(&file) {
                prop_assert!(npdm.core_mask != 0 && npdm.core_mask >> 3 == 0);
            }
        }
    }
}
