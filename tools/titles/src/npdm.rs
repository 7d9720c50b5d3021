//! Writes `main.npdm`: META, ACID and ACI0 with one set of limits for both, unsigned.

/// What differs from title to title.
#[derive(Debug, Clone)]
pub struct Npdm {
    /// Program name, at most 15 bytes are kept.
    pub name: String,
    /// Program id.
    pub program_id: u64,
    /// Stack of the main thread in bytes, a multiple of 0x1000.
    pub main_stack: u32,
    /// Priority of the main thread as the kernel counts (28..=59).
    pub main_priority: u8,
    /// Core of the main thread (0..=2).
    pub main_core: u8,
}

const META: usize = 0x80;
const ACID: usize = 0x240;
const ACI0: usize = 0x40;
const FAC: usize = 0x2C;
const FAH: usize = 0x1C;
/// One entry: every service.
const SERVICES: [u8; 2] = [0x00, b'*'];

fn align16(value: usize) -> usize {
    value.next_multiple_of(16)
}

fn put32(out: &mut [u8], at: usize, value: usize) {
    let value = u32::try_from(value).unwrap_or(u32::MAX);
    out[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put64(out: &mut [u8], at: usize, value: u64) {
    out[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Kernel capability words of an application: priorities 28..59 on cores 0..2, every SVC of the first six groups,
/// application type, kernel 3.0, 512 handles, no debug.
fn capabilities() -> Vec<u32> {
    let mut words = vec![0x7 | 59 << 4 | 28 << 10 | 2 << 24];
    words.extend((0..6u32).map(|index| 0xF | 0x00FF_FFFF << 5 | index << 29));
    words.extend([0x1FFF | 1 << 14, 0x3FFF | 3 << 19, 0x7FFF | 512 << 16, 0xFFFF]);
    words
}

/// The bytes of the file.
#[must_use]
pub fn bytes(npdm: &Npdm) -> Vec<u8> {
    let words = capabilities();
    let kac = words.len() * 4;

    let acid_sac = align16(ACID + FAC);
    let acid_kac = align16(acid_sac + SERVICES.len());
    let acid_size = acid_kac + kac;
    let aci_at = align16(META + acid_size);
    let aci_sac = align16(ACI0 + FAH);
    let aci_kac = align16(aci_sac + SERVICES.len());
    let aci_size = aci_kac + kac;
    let mut out = vec![0; aci_at + aci_size];

    out[..4].copy_from_slice(b"META");
    out[0x0C] = 0x07;
    out[0x0E] = npdm.main_priority;
    out[0x0F] = npdm.main_core;
    put32(&mut out, 0x1C, npdm.main_stack as usize);
    let name: Vec<u8> = npdm.name.bytes().take(15).collect();
    out[0x20..0x20 + name.len()].copy_from_slice(&name);
    put32(&mut out, 0x70, aci_at);
    put32(&mut out, 0x74, aci_size);
    put32(&mut out, 0x78, META);
    put32(&mut out, 0x7C, acid_size);

    let acid = &mut out[META..META + acid_size];
    acid[0x200..0x204].copy_from_slice(b"ACID");
    put32(acid, 0x204, acid_size - 0x100);
    put32(acid, 0x20C, 1);
    put64(acid, 0x210, npdm.program_id);
    put64(acid, 0x218, npdm.program_id);
    for (at, value) in [ACID, FAC, acid_sac, SERVICES.len(), acid_kac, kac].into_iter().enumerate() {
        put32(acid, 0x220 + at * 4, value);
    }
    acid[ACID] = 1;
    put64(acid, ACID + 4, u64::MAX);
    limits(acid, acid_sac, acid_kac, &words);

    let aci = &mut out[aci_at..];
    aci[..4].copy_from_slice(b"ACI0");
    put64(aci, 0x10, npdm.program_id);
    for (at, value) in [ACI0, FAH, aci_sac, SERVICES.len(), aci_kac, kac].into_iter().enumerate() {
        put32(aci, 0x20 + at * 4, value);
    }
    aci[ACI0] = 1;
    put64(aci, ACI0 + 4, u64::MAX);
    put32(aci, ACI0 + 0x0C, FAH);
    put32(aci, ACI0 + 0x14, FAH);
    limits(aci, aci_sac, aci_kac, &words);
    out
}

fn limits(block: &mut [u8], sac: usize, kac: usize, words: &[u32]) {
    block[sac..sac + SERVICES.len()].copy_from_slice(&SERVICES);
    for (index, word) in words.iter().enumerate() {
        block[kac + index * 4..kac + index * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        bytes(&Npdm {
            name: "island".to_owned(),
            program_id: 0x0100_0000_00AB_C000,
            main_stack: 0x10_0000,
            main_priority: 44,
            main_core: 0,
        })
    }

    fn get32(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
    }

    #[test]
    fn blocks_lie_inside_the_file_and_carry_their_magic() {
        let file = sample();
        assert!(file.len() <= 0x8000);
        let (aci, aci_size) = (get32(&file, 0x70), get32(&file, 0x74));
        let (acid, acid_size) = (get32(&file, 0x78), get32(&file, 0x7C));
        assert!(aci + aci_size <= file.len() && acid + acid_size <= aci);
        assert_eq!(&file[acid + 0x200..acid + 0x204], b"ACID");
        assert_eq!(get32(&file, acid + 0x204), acid_size - 0x100);
        assert_eq!(&file[aci..aci + 4], b"ACI0");
        for (block, header, size) in [(acid, 0x220, acid_size), (aci, 0x20, aci_size)] {
            for part in 0..3 {
                let at = get32(&file, block + header + part * 8);
                let length = get32(&file, block + header + part * 8 + 4);
                assert_eq!(at % 16, 0);
                assert!(at + length <= size);
            }
        }
    }

    #[test]
    fn limits_of_both_blocks_are_identical() {
        let file = sample();
        let (aci, acid) = (get32(&file, 0x70), get32(&file, 0x78));
        let of = |at: usize, field: usize| {
            let start = at + get32(&file, at + field);
            file[start..start + get32(&file, at + field + 4)].to_vec()
        };
        assert_eq!(of(acid, 0x230), of(aci, 0x30));
        assert_eq!(of(acid, 0x228), of(aci, 0x28));
        assert_eq!(get32(&of(aci, 0x30), 0), 0x0200_73B7, "priorities 59..28, cores 0..2");
    }
}
