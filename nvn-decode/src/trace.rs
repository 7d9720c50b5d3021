//! The trace file (`.fgt`): records, and the guest pages they read, frame by frame.
//!
//! # Layout
//! ```text
//! header   "FGTRACE\0", u32 version, u32 zero
//! chunk*   u32 kind, u32 flags, u64 stored bytes, u64 raw bytes, u64 hash of the raw bytes, stored bytes (zstd)
//! footer   u64 offset of the index chunk, "FGTEND\0\0"
//! ```
//! Chunk kinds: `META` (UTF-8 text, one `key: value` a line), `PAGE` (distinct pages of 4096 bytes, numbered from 0 in order of appearance), `KEYF` (a
//! keyframe: the whole state before the frame whose chunk comes next; the chunk's flags are the number of that frame), `FRAM` (the records of one frame, parts
//! ended by [`Op::PartEnd`]; it has the number of its keyframe, else one more than the frame before, the first 0), `INDX` (per frame: u64 offset of its chunk,
//! u64 offset of its keyframe's chunk or 0, u32 number, u32 flags).
//!
//! A trace holds each distinct page once. A frame names pages by number ([`Op::PageRef`]), placed before the records of the part that sees them. A replay can
//! start at a frame with [`frame_flags::KEY`]: frame 0, which starts from nothing, and each frame with a keyframe. Frames may be missing (a cut trace) where a
//! keyframe follows. Without a footer (the writer died) the chunks are read in order up to the last whole one.
//!
//! # Keyframes
//! The records of a keyframe are one part, run as any other before the frame's own: first [`Op::PageRef`] of every page that a replay holds then; then
//! [`Op::KeyBegin`], device facts, pools ([`Op::PoolResource`], [`Op::PoolCreate`]), programs, labels, descriptors, windows, recorded command lists, the last
//! value of each fence, and per queue a list that binds what is bound. Behind them [`Op::ImageContents`] for every image that the GPU wrote, in planes whose
//! layout does not depend on a device ([`crate::record::Plane`]); [`Op::BufferContents`] for every byte of a pool that the GPU wrote; and [`Op::History`].
//!
//! # Versions
//! 1: no keyframes, an index without numbers. 2: this text. The index of a whole trace repeats what the chunks say, so that a reader may pass it over.
//!
//! Every length is checked before it is used; a wrong one is an error that names its offset.

use crate::memory::{GuestRead, MemoryFault, PageMemory, WriteTracking};
use crate::record::{Op, PageRef, Reader, RecordError, Writer};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// First bytes of a trace.
pub const MAGIC: &[u8; 8] = b"FGTRACE\0";
/// Last bytes of a finished trace.
pub const END_MAGIC: &[u8; 8] = b"FGTEND\0\0";
/// Version that this build writes and the newest it reads.
pub const VERSION: u32 = 2;
/// Bytes of a page.
pub const PAGE: usize = 4096;

const META: u32 = u32::from_le_bytes(*b"META");
const PAGES: u32 = u32::from_le_bytes(*b"PAGE");
const KEYFRAME: u32 = u32::from_le_bytes(*b"KEYF");
const FRAME: u32 = u32::from_le_bytes(*b"FRAM");
const INDEX: u32 = u32::from_le_bytes(*b"INDX");

const FILE_HEADER: u64 = 16;
const CHUNK_HEADER: usize = 32;
/// Pages in a chunk at most, so that one of them is unpacked in little memory.
const PAGES_IN_CHUNK: usize = (64 << 20) / PAGE;

/// Bytes that a chunk of a kind unpacks to at most. A writer refuses to write more, and to a reader more is damage.
fn largest(kind: u32) -> u64 {
    if kind == META { 1 << 20 } else { 256 << 20 }
}

/// Flags of a frame.
pub mod frame_flags {
    /// A replay can start at the frame: it is the first of a recording, or a keyframe stands before it.
    pub const KEY: u32 = 1;
}

/// Why a trace cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file system refused.
    #[error("trace: {doing} failed at byte {offset:#x}: {source}")]
    Io {
        /// What was done.
        doing: &'static str,
        /// Where.
        offset: u64,
        /// Why.
        source: io::Error,
    },
    /// Not a trace.
    #[error("not a trace: the file begins with {found:02x?}, a trace begins with \"FGTRACE\"")]
    Magic {
        /// First bytes.
        found: [u8; 8],
    },
    /// A newer version wrote it.
    #[error(
        "the trace is of version {found}; this build reads up to version {VERSION}: use the build that recorded it, or a newer one"
    )]
    Newer {
        /// Its version.
        found: u32,
    },
    /// Damage.
    #[error("the trace is damaged at byte {offset:#x}: {what}")]
    Damaged {
        /// Where.
        offset: u64,
        /// How.
        what: String,
    },
    /// More than a trace can hold.
    #[error(
        "a frame's records are {bytes} bytes, and a trace holds at most {most} of one frame: record without this frame"
    )]
    TooLarge {
        /// Size of the chunk.
        bytes: u64,
        /// The most there can be.
        most: u64,
    },
    /// No such frame.
    #[error("the trace has no frame {wanted}: it holds {held}")]
    NoFrame {
        /// Asked for.
        wanted: u64,
        /// The frames that there are, in words.
        held: String,
    },
    /// A frame that no keyframe leads to.
    #[error("a replay cannot start at frame {wanted} of the trace: no keyframe comes before it")]
    NoStart {
        /// Asked for.
        wanted: u64,
    },
    /// A record inside a frame is wrong.
    #[error("frame {frame} of the trace: {source}")]
    Record {
        /// Frame.
        frame: u64,
        /// What is wrong.
        source: RecordError,
    },
}

impl TraceError {
    /// Whether the trace is at fault, and not the machine.
    #[must_use]
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Io { .. } | Self::TooLarge { .. })
    }
}

/// FNV-1a over 8-byte words: fast enough for whole frames, and the same on every machine.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    let mut h = 0xCBF2_9CE4_8422_2325_u64 ^ bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let mut value = [0; 8];
        value.copy_from_slice(word);
        h = (h ^ u64::from_le_bytes(value)).wrapping_mul(PRIME).rotate_left(29);
    }
    for byte in words.remainder() {
        h = (h ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    h ^ h >> 32
}

/// Writes a trace.
#[derive(Debug)]
pub struct TraceWriter<W: Write + Seek> {
    out: W,
    at: u64,
    /// Page numbers by hash; equal hashes are told apart by their bytes.
    pages: HashMap<u64, Vec<u32>>,
    stored: Vec<Box<[u8]>>,
    new_pages: Vec<u8>,
    index: Vec<FrameEntry>,
    /// Keyframe of the next frame.
    key: Option<u64>,
    next: u64,
    level: i32,
}

impl<W: Write + Seek> TraceWriter<W> {
    /// Begins a trace with its facts (`key: value` lines).
    ///
    /// # Errors
    /// When the output refuses.
    pub fn new(out: W, facts: &BTreeMap<String, String>) -> Result<Self, TraceError> {
        let mut writer = Self {
            out,
            at: 0,
            pages: HashMap::new(),
            stored: Vec::new(),
            new_pages: Vec::new(),
            index: Vec::new(),
            key: None,
            next: 0,
            level: 3,
        };
        let mut header = Vec::from(*MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&[0; 4]);
        writer.put("writing the header", &header)?;
        let text: String = facts.iter().map(|(key, value)| format!("{key}: {}\n", value.replace('\n', " "))).collect();
        writer.chunk(META, 0, text.as_bytes())?;
        Ok(writer)
    }

    fn put(&mut self, doing: &'static str, bytes: &[u8]) -> Result<(), TraceError> {
        self.out.write_all(bytes).map_err(|source| TraceError::Io { doing, offset: self.at, source })?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn chunk(&mut self, kind: u32, flags: u32, raw: &[u8]) -> Result<(), TraceError> {
        if raw.len() as u64 > largest(kind) {
            return Err(TraceError::TooLarge { bytes: raw.len() as u64, most: largest(kind) });
        }
        let stored = zstd::bulk::compress(raw, self.level).map_err(|source| TraceError::Io {
            doing: "compressing a chunk",
            offset: self.at,
            source,
        })?;
        let mut header = Vec::with_capacity(CHUNK_HEADER);
        header.extend_from_slice(&kind.to_le_bytes());
        header.extend_from_slice(&flags.to_le_bytes());
        for word in [stored.len() as u64, raw.len() as u64, hash(raw)] {
            header.extend_from_slice(&word.to_le_bytes());
        }
        self.put("writing a chunk", &header)?;
        self.put("writing a chunk", &stored)
    }

    /// The number of a page, kept once. `page` is cut or padded with zeros to 4096 bytes.
    pub fn page(&mut self, page: &[u8]) -> u32 {
        let mut bytes = vec![0; PAGE];
        let length = page.len().min(PAGE);
        bytes[..length].copy_from_slice(&page[..length]);
        let numbers = self.pages.entry(hash(&bytes)).or_default();
        if let Some(known) = numbers.iter().find(|n| *self.stored[**n as usize] == *bytes) {
            return *known;
        }
        let number = self.stored.len() as u32;
        numbers.push(number);
        self.new_pages.extend_from_slice(&bytes);
        self.stored.push(bytes.into());
        number
    }

    /// Sets how hard chunks are compressed: 1 to 22; 3 at first.
    pub fn set_level(&mut self, level: i32) {
        self.level = level.clamp(1, 22);
    }

    /// Number of the next frame.
    #[must_use]
    pub fn next_frame(&self) -> u64 {
        self.next
    }

    fn new_pages(&mut self) -> Result<(), TraceError> {
        if self.new_pages.is_empty() {
            return Ok(());
        }
        let pages = std::mem::take(&mut self.new_pages);
        pages.chunks(PAGES_IN_CHUNK * PAGE).try_for_each(|some| self.chunk(PAGES, 0, some))
    }

    /// Writes the keyframe of the frame that comes next and gives that frame its number, which may be greater than [`TraceWriter::next_frame`].
    ///
    /// # Errors
    /// When the output refuses, or the number is below the next one.
    pub fn keyframe(&mut self, records: &[u8], number: u64) -> Result<(), TraceError> {
        let offset = self.at;
        let number = u32::try_from(number).ok().filter(|number| u64::from(*number) >= self.next);
        let what = || "a keyframe of a frame that has been".to_owned();
        let number = number.ok_or_else(|| TraceError::Damaged { offset, what: what() })?;
        self.new_pages()?;
        self.key = Some(self.at);
        self.next = u64::from(number);
        self.chunk(KEYFRAME, number, records)
    }

    /// Writes a whole frame: its records, pages named by [`TraceWriter::page`].
    ///
    /// # Errors
    /// When the output refuses.
    pub fn frame(&mut self, records: &[u8]) -> Result<(), TraceError> {
        self.new_pages()?;
        let key = self.key.take();
        let flags = if key.is_some() || self.next == 0 { frame_flags::KEY } else { 0 };
        self.index.push(FrameEntry { number: self.next, offset: self.at, key, flags });
        self.next += 1;
        self.chunk(FRAME, flags, records)
    }

    /// Writes index and footer. Nothing may be written after it.
    ///
    /// # Errors
    /// When the output refuses.
    pub fn finish(&mut self) -> Result<(), TraceError> {
        let offset = self.at;
        let mut index = Vec::with_capacity(self.index.len() * 24);
        for entry in std::mem::take(&mut self.index) {
            index.extend_from_slice(&entry.offset.to_le_bytes());
            index.extend_from_slice(&entry.key.unwrap_or_default().to_le_bytes());
            index.extend_from_slice(&(entry.number as u32).to_le_bytes());
            index.extend_from_slice(&entry.flags.to_le_bytes());
        }
        self.chunk(INDEX, 0, &index)?;
        self.put("writing the footer", &offset.to_le_bytes())?;
        self.put("writing the footer", END_MAGIC)?;
        self.out.flush().map_err(|source| TraceError::Io { doing: "finishing", offset: self.at, source })
    }
}

#[derive(Debug, Clone, Copy)]
struct ChunkHeader {
    kind: u32,
    flags: u32,
    stored: u64,
    raw: u64,
    hash: u64,
}

/// One frame of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameEntry {
    /// Its number.
    pub number: u64,
    /// Offset of its chunk.
    pub offset: u64,
    /// Offset of its keyframe's chunk.
    pub key: Option<u64>,
    /// Bits of [`frame_flags`].
    pub flags: u32,
}

/// Reads a trace.
#[derive(Debug)]
pub struct TraceReader<R: Read + Seek> {
    input: R,
    length: u64,
    facts: BTreeMap<String, String>,
    frames: Vec<FrameEntry>,
    /// Offset of each page chunk, and the number of its first page.
    page_chunks: Vec<(u64, u32)>,
    pages: HashMap<u32, Box<[u8]>>,
    loaded_chunks: usize,
    /// What is wrong with the end of a trace that is not whole.
    cut: Option<TraceError>,
}

impl<R: Read + Seek> TraceReader<R> {
    /// Opens a trace and finds its frames.
    ///
    /// # Errors
    /// When it is no trace, of a newer version, or damaged before its first whole frame.
    pub fn open(mut input: R) -> Result<Self, TraceError> {
        let length = input.seek(SeekFrom::End(0)).map_err(|source| TraceError::Io {
            doing: "finding the length",
            offset: 0,
            source,
        })?;
        let mut reader = Self {
            input,
            length,
            facts: BTreeMap::new(),
            frames: Vec::new(),
            page_chunks: Vec::new(),
            pages: HashMap::new(),
            loaded_chunks: 0,
            cut: None,
        };
        let mut header = [0u8; FILE_HEADER as usize];
        let have = length.min(FILE_HEADER) as usize;
        reader.read_at(0, &mut header[..have])?;
        let mut found = [0; 8];
        found.copy_from_slice(&header[..8]);
        if found != *MAGIC {
            return Err(TraceError::Magic { found });
        }
        if have < FILE_HEADER as usize {
            return Err(TraceError::Damaged { offset: length, what: "the header is cut off".to_owned() });
        }
        let version = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        if version > VERSION {
            return Err(TraceError::Newer { found: version });
        }
        reader.scan();
        match reader.cut.take() {
            Some(error) if reader.frames.is_empty() => Err(error),
            cut => {
                reader.cut = cut;
                Ok(reader)
            }
        }
    }

    /// Walks the chunk headers; a whole trace ends with its index, a cut one where it breaks off.
    fn scan(&mut self) {
        let mut at = FILE_HEADER;
        let mut next_page = 0u32;
        let (mut next, mut key) = (0u64, None);
        while at < self.length {
            let header = match self.header(at) {
                Ok(header) => header,
                Err(error) => {
                    self.cut = Some(error);
                    return;
                }
            };
            match header.kind {
                META => match self.body(at, header) {
                    Ok(body) => self.read_facts(&body),
                    Err(error) => {
                        self.cut = Some(error);
                        return;
                    }
                },
                PAGES => {
                    if header.raw % PAGE as u64 != 0 {
                        self.cut = Some(TraceError::Damaged {
                            offset: at,
                            what: format!("a page chunk of {} bytes", header.raw),
                        });
                        return;
                    }
                    self.page_chunks.push((at, next_page));
                    next_page = next_page.saturating_add((header.raw / PAGE as u64).min(u64::from(u32::MAX)) as u32);
                }
                KEYFRAME => {
                    if u64::from(header.flags) < next {
                        let what = format!("the keyframe of frame {}, which has been", header.flags);
                        self.cut = Some(TraceError::Damaged { offset: at, what });
                        return;
                    }
                    (next, key) = (u64::from(header.flags), Some(at));
                }
                FRAME => {
                    let key = key.take();
                    let flags = if key.is_some() || next == 0 { frame_flags::KEY } else { 0 };
                    self.frames.push(FrameEntry { number: next, offset: at, key, flags });
                    next += 1;
                }
                INDEX => return,
                kind => {
                    self.cut = Some(TraceError::Damaged {
                        offset: at,
                        what: format!("a chunk of the unknown kind {kind:#010x}"),
                    });
                    return;
                }
            }
            at += CHUNK_HEADER as u64 + header.stored;
        }
        self.cut = Some(TraceError::Damaged {
            offset: self.length,
            what: "the index is missing: the recording was not finished".to_owned(),
        });
    }

    fn read_facts(&mut self, body: &[u8]) {
        for line in String::from_utf8_lossy(body).lines() {
            if let Some((key, value)) = line.split_once(": ") {
                self.facts.insert(key.to_owned(), value.to_owned());
            }
        }
    }

    fn read_at(&mut self, offset: u64, out: &mut [u8]) -> Result<(), TraceError> {
        let io = |source| TraceError::Io { doing: "reading", offset, source };
        self.input.seek(SeekFrom::Start(offset)).map_err(io)?;
        self.input.read_exact(out).map_err(io)
    }

    fn header(&mut self, at: u64) -> Result<ChunkHeader, TraceError> {
        let left = self.length.saturating_sub(at);
        if left < CHUNK_HEADER as u64 {
            return Err(TraceError::Damaged {
                offset: at,
                what: format!("a chunk header is cut off after {left} bytes"),
            });
        }
        let mut bytes = [0; CHUNK_HEADER];
        self.read_at(at, &mut bytes)?;
        let word = |n: usize| u32::from_le_bytes([bytes[n], bytes[n + 1], bytes[n + 2], bytes[n + 3]]);
        let long = |n: usize| u64::from(word(n)) | u64::from(word(n + 4)) << 32;
        let header = ChunkHeader { kind: word(0), flags: word(4), stored: long(8), raw: long(16), hash: long(24) };
        if header.stored > left - CHUNK_HEADER as u64 {
            let what = format!("a chunk names {} bytes and {} are left", header.stored, left - CHUNK_HEADER as u64);
            return Err(TraceError::Damaged { offset: at, what });
        }
        if header.raw > largest(header.kind) {
            return Err(TraceError::Damaged {
                offset: at,
                what: format!("a chunk claims to unpack to {} bytes", header.raw),
            });
        }
        Ok(header)
    }

    fn body(&mut self, at: u64, header: ChunkHeader) -> Result<Vec<u8>, TraceError> {
        let mut stored = vec![0; header.stored as usize];
        self.read_at(at + CHUNK_HEADER as u64, &mut stored)?;
        let damaged = |what: String| TraceError::Damaged { offset: at, what };
        // The claimed size bounds what is unpacked, but only bytes that come out are allocated.
        let mut raw = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(stored.as_slice()).map_err(|e| damaged(format!("zstd: {e}")))?;
        decoder.take(header.raw + 1).read_to_end(&mut raw).map_err(|e| damaged(format!("zstd: {e}")))?;
        if raw.len() as u64 != header.raw {
            return Err(damaged(format!("a chunk unpacks to {} bytes and names {}", raw.len(), header.raw)));
        }
        if hash(&raw) != header.hash {
            return Err(damaged("the checksum of a chunk is wrong".to_owned()));
        }
        Ok(raw)
    }

    /// Facts about the recording.
    #[must_use]
    pub fn facts(&self) -> &BTreeMap<String, String> {
        &self.facts
    }

    /// The frames, in order.
    #[must_use]
    pub fn frames(&self) -> &[FrameEntry] {
        &self.frames
    }

    /// Number of the first frame.
    #[must_use]
    pub fn first(&self) -> Option<u64> {
        self.frames.first().map(|entry| entry.number)
    }

    /// What is wrong with the end of a trace that is not whole.
    #[must_use]
    pub fn cut(&self) -> Option<&TraceError> {
        self.cut.as_ref()
    }

    /// The nearest frame at or before `frame` at which a replay can start.
    ///
    /// # Errors
    /// When there is no such frame, or no keyframe leads to it.
    pub fn start_of(&self, frame: u64) -> Result<u64, TraceError> {
        let mut at = self.place(frame)?;
        loop {
            let entry = self.frames[at];
            if entry.flags & frame_flags::KEY != 0 {
                return Ok(entry.number);
            }
            // Behind a gap only a keyframe leads on.
            let before = at.checked_sub(1).filter(|n| self.frames[*n].number + 1 == entry.number);
            at = before.ok_or(TraceError::NoStart { wanted: frame })?;
        }
    }

    /// The frames that there are, in words: `frames 0 to 29 and 300`.
    #[must_use]
    pub fn held(&self) -> String {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for entry in &self.frames {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == entry.number => *last += 1,
                _ => runs.push((entry.number, entry.number)),
            }
        }
        let words = |(first, last): &(u64, u64)| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        match runs.iter().map(words).collect::<Vec<_>>().as_slice() {
            [] => "no frame".to_owned(),
            words => format!("frames {}", words.join(" and ")),
        }
    }

    fn place(&self, frame: u64) -> Result<usize, TraceError> {
        let found = self.frames.binary_search_by_key(&frame, |entry| entry.number);
        found.map_err(|_| TraceError::NoFrame { wanted: frame, held: self.held() })
    }

    fn entry(&self, frame: u64) -> Result<FrameEntry, TraceError> {
        self.place(frame).map(|at| self.frames[at])
    }

    /// The records of a frame's keyframe; `None` where it has none.
    ///
    /// # Errors
    /// When the frame is not there or the chunk is damaged.
    pub fn keyframe(&mut self, frame: u64) -> Result<Option<Vec<u8>>, TraceError> {
        let Some(at) = self.entry(frame)?.key else { return Ok(None) };
        let header = self.header(at)?;
        self.body(at, header).map(Some)
    }

    /// Puts the state before a frame in place: pages go into `memory`, the records come back for the graph to bring the rest back from. `None` where the
    /// frame has no keyframe.
    ///
    /// # Errors
    /// When a record or a page is wrong.
    pub fn play_keyframe(&mut self, frame: u64, memory: &PageMemory) -> Result<Option<Vec<u8>>, TraceError> {
        let Some(records) = self.keyframe(frame)? else { return Ok(None) };
        memory.clear();
        let mut state = Vec::new();
        for record in Reader::new(&records) {
            let record = record.map_err(|source| TraceError::Record { frame, source })?;
            if record.op != Op::PageRef {
                state.extend_from_slice(&records[record.offset..]);
                break;
            }
            let page: PageRef = record.get().map_err(|source| TraceError::Record { frame, source })?;
            memory.deliver(page.address, self.page(page.page)?);
        }
        for record in Reader::new(&state) {
            record.map_err(|source| TraceError::Record { frame, source })?;
        }
        Ok(Some(state))
    }

    /// The records of a frame.
    ///
    /// # Errors
    /// When the frame is not there or its chunk is damaged.
    pub fn frame(&mut self, frame: u64) -> Result<Vec<u8>, TraceError> {
        let entry = self.entry(frame)?;
        let header = self.header(entry.offset)?;
        self.body(entry.offset, header)
    }

    /// A page by number.
    ///
    /// # Errors
    /// When the trace has no such page or its chunk is damaged.
    pub fn page(&mut self, number: u32) -> Result<&[u8], TraceError> {
        if !self.pages.contains_key(&number) {
            let found = self.page_chunks.iter().rposition(|(_, first)| *first <= number);
            let missing = || TraceError::Damaged { offset: 0, what: format!("page {number} is named and not there") };
            let (at, first) = self.page_chunks[found.ok_or_else(missing)?];
            let header = self.header(at)?;
            let body = self.body(at, header)?;
            self.loaded_chunks += 1;
            for (n, page) in body.chunks_exact(PAGE).enumerate() {
                self.pages.insert(first.saturating_add(n as u32), page.into());
            }
        }
        let missing = TraceError::Damaged { offset: 0, what: format!("page {number} is named and not there") };
        self.pages.get(&number).map(|page| &**page).ok_or(missing)
    }

    /// Splits a frame into its parts: pages are put into `memory`, then `part` gets the part's records.
    ///
    /// # Errors
    /// When a record or a page is wrong, or `part` fails.
    pub fn play_frame<E: From<TraceError>>(
        &mut self,
        frame: u64,
        memory: &PageMemory,
        mut part: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let records = self.frame(frame)?;
        let mut begin = 0;
        let mut reader = Reader::new(&records);
        while let Some(record) = reader.next() {
            let record = record.map_err(|source| TraceError::Record { frame, source })?;
            match record.op {
                Op::PageRef => {
                    let page: PageRef = record.get().map_err(|source| TraceError::Record { frame, source })?;
                    memory.deliver(page.address, self.page(page.page)?);
                    begin = reader.offset();
                }
                Op::PartEnd => {
                    part(&records[begin..record.offset])?;
                    begin = reader.offset();
                }
                _ => {}
            }
        }
        if begin < records.len() {
            part(&records[begin..])?;
        }
        Ok(())
    }
}

/// Guest memory of a recording: passes reads and tracking through, and keeps the pages that a part sees as [`Op::PageRef`] records.
pub struct RecordingMemory<M: ?Sized, W: Write + Seek> {
    records: Mutex<Writer>,
    /// What a replay holds now: the number of each page by its address.
    held: Mutex<BTreeMap<u64, u32>>,
    trace: Arc<Mutex<TraceWriter<W>>>,
    memory: Arc<M>,
}

impl<M: ?Sized, W: Write + Seek> std::fmt::Debug for RecordingMemory<M, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordingMemory").finish_non_exhaustive()
    }
}

impl<M: GuestRead + WriteTracking + ?Sized, W: Write + Seek> RecordingMemory<M, W> {
    /// Records what is read through it into `trace`.
    pub fn new(memory: Arc<M>, trace: Arc<Mutex<TraceWriter<W>>>) -> Self {
        Self { records: Mutex::default(), held: Mutex::default(), trace, memory }
    }

    /// The page records since the last call, to stand before the records of the part that saw the pages.
    #[must_use]
    pub fn take_page_records(&self) -> Vec<u8> {
        std::mem::take(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner).bytes)
    }

    /// Page records of everything that a replay holds now within some ranges (first byte, length): the beginning of a keyframe.
    #[must_use]
    pub fn held_page_records(&self, ranges: &[(u64, u64)]) -> Vec<u8> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut writer = Writer::default();
        for (first, length) in ranges {
            for (address, page) in held.range(first & !(PAGE as u64 - 1)..first.saturating_add(*length)) {
                writer.record(Op::PageRef, 0, &PageRef { address: *address, page: *page, reserved: 0 });
            }
        }
        writer.bytes
    }

    fn keep(&self, address: u64, skip_zero: bool) -> Result<(), MemoryFault> {
        let mut page = [0; PAGE];
        self.memory.read(address, &mut page)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // What a replay was never given reads as zero.
        if skip_zero && !held.contains_key(&address) && page.iter().all(|b| *b == 0) {
            return Ok(());
        }
        let number = self.trace.lock().unwrap_or_else(PoisonError::into_inner).page(&page);
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.record(Op::PageRef, 0, &PageRef { address, page: number, reserved: 0 });
        held.insert(address, number);
        Ok(())
    }
}

impl<M: GuestRead + WriteTracking + ?Sized, W: Write + Seek> GuestRead for RecordingMemory<M, W> {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.memory.read(address, out)
    }
}

impl<M: GuestRead + WriteTracking + ?Sized, W: Write + Seek> WriteTracking for RecordingMemory<M, W> {
    fn track(&self, address: u64, length: u64) -> Result<(), MemoryFault> {
        self.memory.track(address, length)?;
        // A pool may hold bytes before it is tracked (packaged data): what is there now counts.
        let first = address & !(PAGE as u64 - 1);
        let end = address.saturating_add(length);
        let mut page = first;
        while page < end {
            self.keep(page, true)?;
            page += PAGE as u64;
        }
        Ok(())
    }

    fn take_dirty(&self, address: u64, length: u64, out: &mut Vec<u64>) -> Result<(), MemoryFault> {
        let before = out.len();
        self.memory.take_dirty(address, length, out)?;
        for page in &out[before..] {
            self.keep(*page, false)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::BindProgram;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn records(n: u32) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.record(Op::BindProgram, 0, &BindProgram { program: n, stages: 3 });
        writer.slice::<u8>(Op::PartEnd, 0, &[]);
        writer.bytes
    }

    fn sample() -> Vec<u8> {
        let facts = BTreeMap::from([("title".to_owned(), "island".to_owned())]);
        let mut trace = TraceWriter::new(Cursor::new(Vec::new()), &facts).expect("memory");
        for n in 0..3 {
            let mut frame = Writer::default();
            let page = trace.page(&[(n % 2) as u8; PAGE]);
            frame.record(Op::PageRef, 0, &PageRef { address: 0x1000 * u64::from(n), page, reserved: 0 });
            frame.bytes.extend(records(n));
            trace.frame(&frame.bytes).expect("memory");
        }
        trace.finish().expect("memory");
        trace.out.into_inner()
    }

    #[test]
    fn frames_pages_and_facts_come_back() {
        let mut trace = TraceReader::open(Cursor::new(sample())).expect("whole");
        assert!(trace.cut().is_none());
        assert_eq!(trace.frames().len(), 3);
        assert_eq!(trace.facts().get("title").map(String::as_str), Some("island"));
        assert_eq!(trace.start_of(2).expect("there"), 0);
        let memory = PageMemory::default();
        let mut parts = Vec::new();
        for n in 0..3 {
            trace
                .play_frame::<TraceError>(n, &memory, |part| {
                    parts.push(part.to_vec());
                    Ok(())
                })
                .expect("whole");
        }
        assert_eq!(parts.len(), 3);
        let first = Reader::new(&parts[1]).next().expect("one").expect("whole");
        assert_eq!(first.get::<BindProgram>().map(|b| b.program), Ok(1));
        let mut dirty = Vec::new();
        memory.take_dirty(0, 0x3000, &mut dirty).expect("mapped");
        assert_eq!(dirty, [0, 0x1000, 0x2000]);
        let mut byte = [0xEE; 2];
        memory.read(0x1FFF, &mut byte).expect("mapped");
        assert_eq!(byte, [1, 0]);
        let missing = trace.frame(3).expect_err("3 frames");
        assert_eq!(missing.to_string(), "the trace has no frame 3: it holds frames 0 to 2");
    }

    #[test]
    fn a_recording_names_the_pages_that_a_part_saw() {
        let trace = Arc::new(Mutex::new(TraceWriter::new(Cursor::new(Vec::new()), &BTreeMap::new()).expect("memory")));
        let live = Arc::new(PageMemory::default());
        let recording = RecordingMemory::new(live.clone(), trace);
        live.deliver(0x1000, &[7; PAGE]);
        recording.track(0, 0x4000).expect("mapped");
        live.deliver(0x2000, &[8; PAGE]);
        recording.take_dirty(0, 0x4000, &mut Vec::new()).expect("mapped");
        let bytes = recording.take_page_records();
        let seen: Vec<_> =
            Reader::new(&bytes).map(|r| r.and_then(|r| r.get::<PageRef>()).map(|p| (p.address, p.page))).collect();
        assert_eq!(seen, [Ok((0x1000, 0)), Ok((0x2000, 1))]);
        // A page that became zero is no longer what a replay holds.
        live.deliver(0x1000, &[0; PAGE]);
        recording.track(0, 0x4000).expect("mapped");
        let bytes = recording.held_page_records(&[(0, 0x2000), (0x2800, 0x100)]);
        let held: Vec<_> =
            Reader::new(&bytes).map(|r| r.and_then(|r| r.get::<PageRef>()).map(|p| (p.address, p.page))).collect();
        assert_eq!(held, [Ok((0x1000, 2)), Ok((0x2000, 1))]);
    }

    /// Frames 0, 1, and 5, 6 behind a keyframe whose page is one of frame 0.
    fn sample_with_a_keyframe() -> Vec<u8> {
        let mut trace = TraceWriter::new(Cursor::new(Vec::new()), &BTreeMap::new()).expect("memory");
        let page = trace.page(&[3; PAGE]);
        let mut frame = Writer::default();
        frame.record(Op::PageRef, 0, &PageRef { address: 0x5000, page, reserved: 0 });
        frame.bytes.extend(records(0));
        trace.frame(&frame.bytes).expect("memory");
        trace.frame(&records(1)).expect("memory");
        let mut key = Writer::default();
        key.record(Op::PageRef, 0, &PageRef { address: 0x7000, page, reserved: 0 });
        key.record(Op::KeyBegin, 0, &crate::record::KeyBegin { parts: 9, frame: 5 });
        key.slice::<u8>(Op::PartEnd, 0, &[]);
        trace.keyframe(&key.bytes, 5).expect("memory");
        trace.frame(&records(5)).expect("memory");
        trace.frame(&records(6)).expect("memory");
        assert!(trace.keyframe(&key.bytes, 6).is_err(), "frame 6 has been");
        trace.finish().expect("memory");
        trace.out.into_inner()
    }

    #[test]
    fn frames_keep_their_numbers_behind_a_keyframe() {
        let mut trace = TraceReader::open(Cursor::new(sample_with_a_keyframe())).expect("whole");
        assert_eq!(trace.held(), "frames 0 to 1 and 5 to 6");
        assert_eq!([0, 1, 5, 6].map(|n| trace.start_of(n).expect("there")), [0, 0, 5, 5]);
        assert!(matches!(trace.start_of(2), Err(TraceError::NoFrame { wanted: 2, .. })));
        let memory = PageMemory::default();
        assert_eq!(trace.play_keyframe(0, &memory).expect("whole"), None);
        trace.play_frame::<TraceError>(0, &memory, |_| Ok(())).expect("whole");
        let state = trace.play_keyframe(5, &memory).expect("whole").expect("a keyframe");
        let begin = Reader::new(&state).next().expect("one").expect("whole");
        assert_eq!(begin.get::<crate::record::KeyBegin>().map(|b| (b.parts, b.frame)), Ok((9, 5)));
        let mut bytes = [0; 2];
        memory.read(0x7FFF, &mut bytes).expect("held");
        assert_eq!(bytes, [3, 0]);
        memory.read(0x5000, &mut bytes).expect("held");
        assert_eq!(bytes, [0, 0], "a keyframe starts from nothing");
        let mut programs = Vec::new();
        trace
            .play_frame::<TraceError>(6, &memory, |part| {
                programs.push(part.to_vec());
                Ok(())
            })
            .expect("whole");
        assert_eq!(programs.len(), 1);
    }

    #[test]
    fn no_byte_of_a_keyframe_makes_it_panic() {
        let good = sample_with_a_keyframe();
        for at in 0..good.len() {
            for change in [0x01, 0x41, 0xFF] {
                let mut bytes = good.clone();
                bytes[at] ^= change;
                let Ok(mut trace) = TraceReader::open(Cursor::new(bytes)) else { continue };
                let memory = PageMemory::default();
                let numbers: Vec<_> = trace.frames().iter().map(|entry| entry.number).collect();
                for n in numbers {
                    let _ = trace.start_of(n);
                    let _ = trace.play_keyframe(n, &memory);
                    let _ = trace.play_frame::<TraceError>(n, &memory, |_| Ok(()));
                }
            }
            let Ok(mut trace) = TraceReader::open(Cursor::new(good[..at].to_vec())) else { continue };
            let numbers: Vec<_> = trace.frames().iter().map(|entry| entry.number).collect();
            for n in numbers {
                trace.frame(n).unwrap_or_else(|e| panic!("{at} bytes: {e}"));
            }
        }
    }

    #[test]
    fn equal_pages_are_kept_once() {
        let mut trace = TraceWriter::new(Cursor::new(Vec::new()), &BTreeMap::new()).expect("memory");
        let a = trace.page(&[1; PAGE]);
        let b = trace.page(&[2; PAGE]);
        assert_eq!((trace.page(&[1; PAGE]), trace.page(&[2; PAGE])), (a, b));
        assert_ne!(a, b);
    }

    #[test]
    fn a_cut_trace_is_read_up_to_its_last_whole_frame() {
        let bytes = sample();
        let whole = TraceReader::open(Cursor::new(bytes.clone())).expect("whole").frames().to_vec();
        for length in 0..bytes.len() {
            match TraceReader::open(Cursor::new(bytes[..length].to_vec())) {
                Ok(mut trace) => {
                    // A footer is a convenience: only a missing index says that the end is missing.
                    for n in 0..trace.frames().len() as u64 {
                        trace.frame(n).unwrap_or_else(|e| panic!("{length} bytes: {e}"));
                    }
                }
                Err(error) => assert!(length as u64 <= whole[0].offset + 300, "{length} bytes: {error}"),
            }
        }
    }

    /// A short run that is the same each time, or as the environment says: `cargo xtask soak` asks for many cases.
    /// A few bytes that claim to be, or are, very many.
    #[test]
    fn a_chunk_unpacks_to_what_its_kind_may_hold() {
        let bytes = |kind: u32, raw: u64| {
            let mut file = Vec::from(*MAGIC);
            file.extend_from_slice(&VERSION.to_le_bytes());
            file.extend_from_slice(&[0; 4]);
            let stored = zstd::bulk::compress(&vec![0; 2 << 20], 3).expect("compressed");
            file.extend_from_slice(&kind.to_le_bytes());
            file.extend_from_slice(&0u32.to_le_bytes());
            for word in [stored.len() as u64, raw, 0] {
                file.extend_from_slice(&word.to_le_bytes());
            }
            file.extend_from_slice(&stored);
            file
        };
        for (kind, raw) in [(META, 2 << 20), (FRAME, (256 << 20) + 1), (PAGES, u64::MAX)] {
            let wrong = TraceReader::open(std::io::Cursor::new(bytes(kind, raw))).err().map(|e| e.to_string());
            assert!(wrong.as_ref().is_some_and(|words| words.contains("claims to unpack to")), "{wrong:?}");
        }
        // One that names less than it holds is read no further than it names.
        let wrong = TraceReader::open(std::io::Cursor::new(bytes(META, 8))).err().map(|e| e.to_string());
        assert!(wrong.as_ref().is_some_and(|words| words.contains("unpacks to 9 bytes")), "{wrong:?}");
        let mut writer = TraceWriter::new(std::io::Cursor::new(Vec::new()), &BTreeMap::new()).expect("a trace");
        let facts = writer.chunk(META, 0, &vec![0; (1 << 20) + 1]);
        assert!(matches!(facts, Err(TraceError::TooLarge { .. })), "{facts:?}");
    }

    fn fuzz(cases: u32) -> ProptestConfig {
        let given = ProptestConfig::default();
        if std::env::var_os("PROPTEST_CASES").is_some() {
            given
        } else {
            ProptestConfig { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
        }
    }

    /// Reads everything there is, whatever comes of it.
    fn read_all(bytes: Vec<u8>) {
        let Ok(mut trace) = TraceReader::open(Cursor::new(bytes)) else { return };
        let memory = PageMemory::default();
        let numbers: Vec<_> = trace.frames().iter().map(|entry| entry.number).collect();
        for n in numbers {
            let _ = trace.start_of(n);
            let _ = trace.play_keyframe(n, &memory);
            let _ = trace.play_frame::<TraceError>(n, &memory, |_| Ok(()));
        }
    }

    proptest! {
        #![proptest_config(fuzz(200))]

        #[test]
        fn fuzz_trace_bytes_are_answered(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..24),
            cut in any::<prop::sample::Index>(),
            whole in any::<bool>(),
            tail in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let mut bytes = if changes.len() % 2 == 0 { sample() } else { sample_with_a_keyframe() };
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if !whole {
                bytes.truncate(cut.index(bytes.len()));
            }
            bytes.extend(tail);
            read_all(bytes);
        }

        /// Frames with good checksums and any contents.
        #[test]
        fn fuzz_trace_frames_are_answered(
            frames in prop::collection::vec(
                prop::collection::vec((0_usize..Op::ALL.len(), any::<u16>(), prop::collection::vec(any::<u8>(), 0..80)), 0..12),
                1..4,
            ),
            junk in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut trace = TraceWriter::new(Cursor::new(Vec::new()), &BTreeMap::new()).expect("memory");
            trace.page(&[3; PAGE]);
            for (n, records) in frames.iter().enumerate() {
                let mut frame = Writer::default();
                for (op, flags, payload) in records {
                    frame.slice(Op::ALL[*op], *flags, payload);
                }
                frame.bytes.extend(&junk);
                if n > 0 {
                    trace.keyframe(&frame.bytes, 2 * n as u64).expect("memory");
                }
                trace.frame(&frame.bytes).expect("memory");
            }
            trace.finish().expect("memory");
            read_all(trace.out.into_inner());
        }
    }

    #[test]
    fn damage_is_an_error_with_its_offset() {
        let good = sample();
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 0x41;
            let Ok(mut trace) = TraceReader::open(Cursor::new(bytes)) else { continue };
            let memory = PageMemory::default();
            for n in 0..trace.frames().len() as u64 {
                // Nothing may panic; a changed byte is found by the checksum or lies outside any chunk's body.
                let _ = trace.play_frame::<TraceError>(n, &memory, |_| Ok(()));
            }
        }
        let mut newer = good.clone();
        newer[8] = 9;
        assert!(matches!(TraceReader::open(Cursor::new(newer)), Err(TraceError::Newer { found: 9 })));
        assert!(matches!(TraceReader::open(Cursor::new(b"GIF89a..........".to_vec())), Err(TraceError::Magic { .. })));
    }
}
