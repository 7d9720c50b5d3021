//! nn::fs: RomFS from a plain folder, and what it shares with save data (catalogue A-018). Every access to the host's files runs without a virtual core.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::layout::directory_entry as de;
use super::locked;
use super::save::{APPEND, READ, Saves, WRITE};
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::ResultCode;
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

/// Results of module 2.
pub mod results {
    use crate::kernel::ResultCode;

    /// No such file or directory.
    pub const PATH_NOT_FOUND: ResultCode = ResultCode(0x202);
    /// The mount name is taken.
    pub const MOUNT_NAME_EXISTS: ResultCode = ResultCode(0x7802);
    /// An offset outside the file, or a short exact read.
    pub const OUT_OF_RANGE: ResultCode = ResultCode(0x17_7A02);
    /// A null pointer.
    pub const NULL_ARGUMENT: ResultCode = ResultCode(0x2F_5E02);
    /// A bad mount name.
    pub const INVALID_MOUNT_NAME: ResultCode = ResultCode(0x2F_6202);
    /// A path without "name:/", or one that leaves the mount.
    pub const INVALID_PATH: ResultCode = ResultCode(0x2E_EA02);
    /// A path of more than 0x300 bytes.
    pub const PATH_TOO_LONG: ResultCode = ResultCode(0x2E_E602);
    /// An open mode that the file system refuses.
    pub const INVALID_OPEN_MODE: ResultCode = ResultCode(0x2F_7002);
    /// Nothing is mounted under the name.
    pub const NOT_MOUNTED: ResultCode = ResultCode(0x35_F202);
    /// A handle that names nothing.
    pub const INVALID_HANDLE: ResultCode = ResultCode(0x2F_5E02);
    /// A write to RomFS.
    pub const UNSUPPORTED_WRITE: ResultCode = ResultCode(0x31_B802);
    /// Something of the name is there.
    pub const PATH_EXISTS: ResultCode = ResultCode(0x402);
    /// The file is open.
    pub const IN_USE: ResultCode = ResultCode(0xE02);
    /// The directory holds something.
    pub const NOT_EMPTY: ResultCode = ResultCode(0x1002);
    /// No room.
    pub const NO_SPACE: ResultCode = ResultCode(0x3C02);
    /// The user has no save area.
    pub const NO_SAVE: ResultCode = ResultCode(0x7_D402);
    /// A directory would move into itself.
    pub const INTO_ITSELF: ResultCode = ResultCode(0x2F_2002);
    /// Old and new name are of different mounts.
    pub const OTHER_MOUNT: ResultCode = ResultCode(0x2F_2402);
    /// A write past the end of a file that may not grow.
    pub const PAST_END: ResultCode = ResultCode(0x30_7202);
    /// The file was not opened for writing.
    pub const NOT_FOR_WRITING: ResultCode = ResultCode(0x30_7602);
    /// A commit while a file is open for writing.
    pub const OPEN_FOR_WRITING: ResultCode = ResultCode(0x32_7202);
}

use results::*;

const MAX_PATH: usize = 0x300;
/// What QueryMountRomCacheSize asks of titles: the host keeps no tables there, but 0 is never an answer.
const ROM_CACHE_SIZE: u64 = 0x4000;
/// Bytes copied at once between a file and guest memory.
pub(super) const CHUNK: usize = 256 << 10;

struct OpenDirectory {
    entries: Vec<Entry>,
    position: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    is_file: bool,
    size: u64,
}

/// Where a mount name leads.
#[derive(Debug, Clone)]
pub(super) struct Mount {
    /// The host's folder.
    pub(super) root: PathBuf,
    /// The user's save area, for a mount that may be written.
    pub(super) save: Option<PathBuf>,
}

/// A file that a title has open.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    /// 1 read, 2 write, 4 may grow.
    pub(super) mode: i32,
    /// Where it is.
    pub(super) path: PathBuf,
}

/// Mounts and open handles of a process.
pub struct FileSystem {
    romfs: PathBuf,
    pub(super) saves: Saves,
    pub(super) mounts: Mutex<BTreeMap<String, Mount>>,
    pub(super) files: Mutex<HashMap<u64, Arc<OpenFile>>>,
    directories: Mutex<HashMap<u64, OpenDirectory>>,
    next_handle: Mutex<u64>,
    /// Added to every read and write.
    pub(super) delay: Duration,
}

impl FileSystem {
    /// Over the title's folder of files and its folder of saves (without one they last for the run), on a disk that is slower by
    /// `delay` for each read and write.
    pub fn new(romfs: PathBuf, saves: Option<PathBuf>, delay: Duration) -> FileSystem {
        FileSystem {
            romfs,
            saves: Saves::new(saves),
            mounts: Mutex::default(),
            files: Mutex::default(),
            directories: Mutex::default(),
            next_handle: Mutex::new(0),
            delay,
        }
    }

    /// The run is over: save data that lasts for the run alone goes.
    pub(crate) fn end(&self) {
        self.saves.end();
    }

    fn handle(&self) -> u64 {
        let mut next = locked(&self.next_handle);
        *next += 1;
        // Handles look like pointers on the console: never 0, 16-aligned.
        *next << 4
    }

    fn mount_rom(&self, name: &str) -> Result<(), ResultCode> {
        check_mount_name(name)?;
        let mut mounts = locked(&self.mounts);
        if mounts.contains_key(name) {
            return Err(MOUNT_NAME_EXISTS);
        }
        mounts.insert(name.to_owned(), Mount { root: self.romfs.clone(), save: None });
        Ok(())
    }

    /// The host's path of a guest path. Never leaves the mount: ".." above the root is refused, and so is a link that leads out of it.
    pub fn resolve(&self, path: &[u8]) -> Result<PathBuf, ResultCode> {
        Ok(self.locate(path)?.1)
    }

    /// The mount of a guest path, and the host's path.
    pub(super) fn locate(&self, path: &[u8]) -> Result<(Mount, PathBuf), ResultCode> {
        if path.len() > MAX_PATH {
            return Err(PATH_TOO_LONG);
        }
        let path = std::str::from_utf8(path).map_err(|_| INVALID_PATH)?;
        let (mount, rest) = path.split_once(':').ok_or(INVALID_PATH)?;
        check_mount_name(mount)?;
        if !rest.starts_with(['/', '\\']) {
            return Err(INVALID_PATH);
        }
        let mount = locked(&self.mounts).get(mount).cloned().ok_or(NOT_MOUNTED)?;
        let mut parts: Vec<&str> = Vec::new();
        for part in rest.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or(INVALID_PATH)?;
                }
                part if part.contains('\0') => return Err(INVALID_PATH),
                part => parts.push(part),
            }
        }
        let path = parts.into_iter().fold(mount.root.clone(), |path, part| path.join(part));
        Ok((mount, path))
    }

    /// As [`FileSystem::resolve`], for a path that must exist.
    pub(super) fn existing(&self, path: &[u8]) -> Result<PathBuf, ResultCode> {
        let (mount, wanted) = self.locate(path)?;
        let root = std::fs::canonicalize(mount.root).map_err(|_| PATH_NOT_FOUND)?;
        let real = std::fs::canonicalize(wanted).map_err(|_| PATH_NOT_FOUND)?;
        if real.starts_with(root) { Ok(real) } else { Err(PATH_NOT_FOUND) }
    }

    pub(super) fn open_file(&self, path: &[u8], mode: i32) -> Result<u64, ResultCode> {
        let writable = self.locate(path)?.0.save.is_some();
        let modes = if writable { READ | WRITE | APPEND } else { READ };
        if mode & !modes != 0 || mode & (READ | WRITE) == 0 {
            return Err(INVALID_OPEN_MODE);
        }
        let path = self.existing(path)?;
        if !path.is_file() {
            return Err(PATH_NOT_FOUND);
        }
        let writing = mode & WRITE != 0;
        let mut files = locked(&self.files);
        if files.values().any(|open| open.path == path && (writing || open.mode & WRITE != 0)) {
            return Err(IN_USE);
        }
        let file = File::options().read(true).write(writing).open(&path).map_err(|_| PATH_NOT_FOUND)?;
        let handle = self.handle();
        files.insert(handle, Arc::new(OpenFile { file, mode, path }));
        Ok(handle)
    }

    pub(super) fn file(&self, handle: u64) -> Result<Arc<OpenFile>, ResultCode> {
        locked(&self.files).get(&handle).cloned().ok_or(INVALID_HANDLE)
    }

    pub(super) fn size(&self, handle: u64) -> Result<u64, ResultCode> {
        self.file(handle)?.file.metadata().map(|metadata| metadata.len()).map_err(|_| PATH_NOT_FOUND)
    }

    pub(super) fn open_directory(&self, path: &[u8], mode: i32) -> Result<u64, ResultCode> {
        let path = self.existing(path)?;
        let entries = list(&path, mode).map_err(|_| PATH_NOT_FOUND)?;
        let handle = self.handle();
        locked(&self.directories).insert(handle, OpenDirectory { entries, position: 0 });
        Ok(handle)
    }
}

pub(super) fn check_mount_name(name: &str) -> Result<(), ResultCode> {
    let length_ok = (1..=15).contains(&name.len());
    // A single letter looks like a drive.
    let drive = name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic();
    if !length_ok || drive || name.starts_with('@') || name.contains([':', '/', '\\']) {
        Err(INVALID_MOUNT_NAME)
    } else {
        Ok(())
    }
}

/// Entries of a directory in RomFS order: directories, then files, each by name.
fn list(path: &Path, mode: i32) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let is_file = metadata.is_file();
        if mode & if is_file { 2 } else { 1 } == 0 {
            continue;
        }
        let Ok(name) = entry.file_name().into_string() else { continue };
        entries.push(Entry { name, is_file, size: if is_file { metadata.len() } else { 0 } });
    }
    entries.sort_by(|a, b| (a.is_file, &a.name).cmp(&(b.is_file, &b.name)));
    Ok(entries)
}

/// Moves bytes between an open file and guest memory at `buffer`, off the virtual core, after the time that the title's storage takes.
pub(super) fn transfer<T>(
    call: &GuestCall<'_>,
    handle: u64,
    buffer: u64,
    size: u64,
    body: impl FnOnce(&OpenFile) -> Result<Result<T, ResultCode>, GuestFault>,
) -> Result<Result<T, ResultCode>, GuestFault> {
    let files = &call.process().services().fs;
    let file = match files.file(handle) {
        Ok(file) => file,
        Err(code) => return Ok(Err(code)),
    };
    if size != 0 && buffer == 0 {
        return Ok(Err(NULL_ARGUMENT));
    }
    call.release_core(|| {
        if !files.delay.is_zero() {
            std::thread::sleep(files.delay);
        }
        body(&file)
    })
}

/// Copies up to `size` bytes at `offset` into guest memory; returns how many there were.
fn read_file(
    call: &GuestCall<'_>,
    handle: u64,
    offset: i64,
    buffer: u64,
    size: u64,
) -> Result<Result<u64, ResultCode>, GuestFault> {
    let memory = call.memory();
    transfer(call, handle, buffer, size, |file| {
        let Ok(length) = file.file.metadata().map(|metadata| metadata.len()) else { return Ok(Err(PATH_NOT_FOUND)) };
        let Some(offset) = u64::try_from(offset).ok().filter(|offset| *offset <= length) else {
            return Ok(Err(OUT_OF_RANGE));
        };
        let wanted = size.min(length - offset);
        // Through a buffer: a system call must not write into memory whose writes are tracked by protection.
        let mut chunk = vec![0; CHUNK.min(wanted as usize)];
        let mut done = 0;
        while done < wanted {
            let part = (wanted - done).min(CHUNK as u64) as usize;
            match file.file.read_at(&mut chunk[..part], offset + done) {
                Ok(0) => break,
                Ok(read) => {
                    memory.write(buffer + done, &chunk[..read])?;
                    done += read as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "reading a file of the title failed");
                    return Ok(Err(PATH_NOT_FOUND));
                }
            }
        }
        Ok(Ok(done))
    })
}

fn read_exact(call: &mut GuestCall<'_>) -> Result<Result<(), ResultCode>, GuestFault> {
    let size = call.x(3);
    let read = read_file(call, call.x(0), call.x(1) as i64, call.x(2), size)?;
    Ok(read.and_then(|read| if read == size { Ok(()) } else { Err(OUT_OF_RANGE) }))
}

fn read_some(call: &mut GuestCall<'_>) -> Result<Result<(), ResultCode>, GuestFault> {
    match read_file(call, call.x(1), call.x(2) as i64, call.x(3), call.x(4))? {
        Ok(read) => {
            call.memory().write_u64(call.x(0), read)?;
            Ok(Ok(()))
        }
        Err(code) => Ok(Err(code)),
    }
}

pub(super) fn path(call: &GuestCall<'_>, address: u64) -> Result<Vec<u8>, GuestFault> {
    Ok(call.memory().read_string(address, MAX_PATH as u64 + 2)?)
}

pub(super) fn store<T>(
    result: Result<T, ResultCode>,
    write: impl FnOnce(T) -> Result<(), GuestFault>,
) -> Result<Result<(), ResultCode>, GuestFault> {
    match result {
        Ok(value) => write(value).map(Ok),
        Err(code) => Ok(Err(code)),
    }
}

pub(super) fn register(r: &HostRegistry) {
    r.register("_ZN2nn2fs12SetAllocatorEPFPvmEPFvS1_mE", |_| {});
    r.register_all(
        &[
            "_ZN2nn2fs22QueryMountRomCacheSizeEPm",
            "_ZN2nn2fs22QueryMountRomCacheSizeEPmNS_13ApplicationIdE",
            "_ZN2nn2fs22QueryMountRomCacheSizeEPmm",
        ],
        |c| {
            c.memory().write_u64(c.x(0), ROM_CACHE_SIZE)?;
            Ok::<_, GuestFault>(0u32)
        },
    );
    r.register("_ZN2nn2fs8MountRomEPKcPvm", |c| {
        if c.x(0) == 0 || c.x(1) == 0 {
            return Ok(Err(NULL_ARGUMENT));
        }
        let name = c.string(c.x(0))?;
        let mounted = c.process().services().fs.mount_rom(&name);
        if mounted.is_ok() {
            c.process().milestone("RomFS mounted");
        }
        Ok::<_, GuestFault>(mounted)
    });
    r.register_all(&["_ZN2nn2fs11CanMountRomENS_13ApplicationIdE", "_ZN2nn2fs11CanMountRomEm"], |_| 1u32);
    r.register("_ZN2nn2fs19CanMountRomForDebugEv", |_| false);
    r.register("_ZN2nn2fs7UnmountEPKc", |c| {
        let name = c.string(c.x(0))?;
        let ended = locked(&c.process().services().fs.mounts).remove(&name);
        match ended {
            Some(mount) => {
                c.release_core(|| FileSystem::end_mount(&mount));
                Ok(())
            }
            None => Err(GuestFault::Misuse {
                object: "nn::fs::Unmount",
                address: c.x(0),
                rule: "the name was mounted before",
            }),
        }
    });
    r.register("_ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci", |c| {
        let (path, mode) = (path(c, c.x(1))?, c.i32(2));
        let files = &c.process().services().fs;
        let opened = c.release_core(|| files.open_file(&path, mode));
        store(opened, |handle| Ok(c.memory().write_u64(c.x(0), handle)?))
    });
    r.register("_ZN2nn2fs9CloseFileENS0_10FileHandleE", |c| {
        let file = locked(&c.process().services().fs.files).remove(&c.x(0));
        c.release_core(|| drop(file));
    });
    r.register("_ZN2nn2fs11GetFileSizeEPlNS0_10FileHandleE", |c| {
        let (files, handle) = (&c.process().services().fs, c.x(1));
        let size = c.release_core(|| files.size(handle));
        store(size, |size| Ok(c.memory().write_u64(c.x(0), size)?))
    });
    r.register_all(
        &["_ZN2nn2fs8ReadFileENS0_10FileHandleElPvm", "_ZN2nn2fs8ReadFileENS0_10FileHandleElPvmRKNS0_10ReadOptionE"],
        read_exact,
    );
    r.register_all(
        &[
            "_ZN2nn2fs8ReadFileEPmNS0_10FileHandleElPvm",
            "_ZN2nn2fs8ReadFileEPmNS0_10FileHandleElPvmRKNS0_10ReadOptionE",
            "_ZN2nn2fs8ReadFileEPmNS0_10FileHandleElPvmRKi",
        ],
        read_some,
    );
    r.register("_ZN2nn2fs9FlushFileENS0_10FileHandleE", |_| 0u32);
    r.register("_ZN2nn2fs12GetEntryTypeEPNS0_18DirectoryEntryTypeEPKc", |c| {
        let path = path(c, c.x(1))?;
        let files = &c.process().services().fs;
        let kind = c.release_core(|| files.existing(&path).map(|path| u32::from(path.is_file())));
        store(kind, |kind| Ok(c.memory().write_u32(c.x(0), kind)?))
    });
    r.register("_ZN2nn2fs13OpenDirectoryEPNS0_15DirectoryHandleEPKci", |c| {
        let (path, mode) = (path(c, c.x(1))?, c.i32(2));
        let files = &c.process().services().fs;
        let opened = c.release_core(|| files.open_directory(&path, mode));
        store(opened, |handle| Ok(c.memory().write_u64(c.x(0), handle)?))
    });
    r.register("_ZN2nn2fs13ReadDirectoryEPlPNS0_14DirectoryEntryENS0_15DirectoryHandleEl", |c| {
        let (out, buffer, handle, most) = (c.x(0), c.x(1), c.x(2), usize::try_from(c.x(3)).unwrap_or(0));
        let entries = {
            let mut directories = locked(&c.process().services().fs.directories);
            let Some(directory) = directories.get_mut(&handle) else { return Ok(Err(INVALID_HANDLE)) };
            let rest = &directory.entries[directory.position..];
            let entries = rest[..most.min(rest.len())].to_vec();
            directory.position += entries.len();
            entries
        };
        for (index, entry) in entries.iter().enumerate() {
            let mut bytes = [0u8; de::SIZE as usize];
            let kept = entry.name.len().min(de::NAME_SIZE as usize - 1);
            bytes[..kept].copy_from_slice(&entry.name.as_bytes()[..kept]);
            bytes[de::TYPE as usize] = u8::from(entry.is_file);
            bytes[de::FILE_SIZE as usize..].copy_from_slice(&entry.size.to_le_bytes());
            c.memory().write(buffer + index as u64 * de::SIZE, &bytes)?;
        }
        c.memory().write_u64(out, entries.len() as u64)?;
        Ok::<_, GuestFault>(Ok(()))
    });
    r.register("_ZN2nn2fs22GetDirectoryEntryCountEPlNS0_15DirectoryHandleE", |c| {
        let count =
            locked(&c.process().services().fs.directories).get(&c.x(1)).map(|directory| directory.entries.len() as u64);
        store(count.ok_or(INVALID_HANDLE), |count| Ok(c.memory().write_u64(c.x(0), count)?))
    });
    r.register("_ZN2nn2fs14CloseDirectoryENS0_15DirectoryHandleE", |c| {
        locked(&c.process().services().fs.directories).remove(&c.x(0));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mounted(folder: &Path) -> FileSystem {
        let files = FileSystem::new(folder.to_owned(), None, Duration::ZERO);
        files.mount_rom("content").unwrap();
        files
    }

    #[test]
    fn paths_never_leave_the_mount() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("romfs");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("a/b.txt"), "x").unwrap();
        std::fs::write(folder.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join("link")).unwrap();
        let files = mounted(&root);
        for good in ["content:/a/b.txt", "content:/a/../a/./b.txt", "content:\\a\\b.txt", "content://a//b.txt"] {
            files.open_file(good.as_bytes(), 1).unwrap_or_else(|code| panic!("{good}: {code}"));
        }
        for (bad, code) in [
            ("content:/../secret", INVALID_PATH),
            ("content:/a/../../secret", INVALID_PATH),
            ("content:a/b.txt", INVALID_PATH),
            ("/a/b.txt", INVALID_PATH),
            ("other:/a/b.txt", NOT_MOUNTED),
            ("content:/A/b.txt", PATH_NOT_FOUND),
            ("content:/a", PATH_NOT_FOUND),
            ("content:/link", PATH_NOT_FOUND),
            ("c:/a/b.txt", INVALID_MOUNT_NAME),
        ] {
            assert_eq!(files.open_file(bad.as_bytes(), 1), Err(code), "{bad}");
        }
        assert_eq!(files.open_file(b"content:/a/b.txt", 2), Err(INVALID_OPEN_MODE));
        assert_eq!(files.resolve(&[b'x'; 0x301]), Err(PATH_TOO_LONG));
        assert_eq!(files.mount_rom("content"), Err(MOUNT_NAME_EXISTS));
        assert_eq!(files.mount_rom("@host"), Err(INVALID_MOUNT_NAME));
        assert_eq!(files.mount_rom("sixteen_letters_"), Err(INVALID_MOUNT_NAME));
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

        /// Whatever path a title asks for, nothing outside the mount is opened or listed.
        #[test]
        fn fuzz_rom_paths_stay_inside(
            parts in prop::collection::vec(prop::sample::select(vec!["/", "..", ".", "a", "b.txt", "link", "\\", "//", "secret", ":", "\0", "content", "\u{e9}"]), 0..12),
            raw in prop::collection::vec(any::<u8>(), 0..40),
            mounted_first in any::<bool>(),
            mode in any::<i32>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("romfs");
            std::fs::create_dir_all(root.join("a")).unwrap();
            std::fs::write(root.join("a/b.txt"), "inside").unwrap();
            std::fs::write(folder.path().join("secret"), "outside").unwrap();
            std::os::unix::fs::symlink("..", root.join("link")).unwrap();
            let files = mounted(&root);
            let mut path = if mounted_first { b"content:/".to_vec() } else { Vec::new() };
            path.extend(parts.concat().as_bytes());
            for path in [path.clone(), [&path[..], &raw].concat(), raw] {
                if let Ok(handle) = files.open_file(&path, 1) {
                    prop_assert_eq!(files.size(handle), Ok(6));
                }
                let _ = files.open_file(&path, mode);
                if let Ok(handle) = files.open_directory(&path, 3) {
                    let directories = locked(&files.directories);
                    prop_assert!(!directories[&handle].entries.iter().any(|entry| entry.name == "secret"));
                }
            }
        }
    }

    // rows: A-018
    #[test]
    fn a_thousand_files_are_listed_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for index in 0..1000u32 {
            let directory = folder.path().join(format!("d{}", index % 10));
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join(format!("f{index:04}")), index.to_le_bytes()).unwrap();
        }
        std::fs::write(folder.path().join("a_file"), "").unwrap();
        let files = mounted(folder.path());
        let top = list(&files.existing(b"content:/").unwrap(), 3).unwrap();
        let names: Vec<_> = top.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "a_file"], "directories first");
        let mut seen = 0;
        for directory in &top[..10] {
            for entry in list(&files.existing(format!("content:/{}", directory.name).as_bytes()).unwrap(), 2).unwrap() {
                let handle =
                    files.open_file(format!("content:/{}/{}", directory.name, entry.name).as_bytes(), 1).unwrap();
                assert_eq!((files.size(handle), entry.size), (Ok(4), 4));
                let mut bytes = [0; 4];
                files.file(handle).unwrap().file.read_exact_at(&mut bytes, 0).unwrap();
                assert_eq!(entry.name, format!("f{:04}", u32::from_le_bytes(bytes)));
                seen += 1;
            }
        }
        assert_eq!(seen, 1000);
        assert!(list(folder.path(), 1).unwrap().iter().all(|entry| !entry.is_file));
        assert_eq!(files.size(0x9990), Err(INVALID_HANDLE));
    }
}
