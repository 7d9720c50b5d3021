//! nn::fs: save data. A title writes into a working copy; a commit makes all of it durable at once, and what was not committed is
//! gone when the mount ends (catalogue A-018).
//!
//! In a user's folder: `data` is the last commit, `work` the working copy of a mount, `old` exists while a commit replaces `data`.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::fs::results::*;
use super::fs::{CHUNK, FileSystem, Mount, OpenFile, check_mount_name, path, store, transfer};
use super::locked;
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::ResultCode;
use crate::memory::GuestRead;
use crate::registry::HostRegistry;

/// Open for reading, for writing, and writing may go past the end.
pub(super) const READ: i32 = 1;
pub(super) const WRITE: i32 = 2;
pub(super) const APPEND: i32 = 4;

/// What a save area may hold, as titles are told.
const QUOTA: u64 = 64 << 20;

/// Where the save areas of a title are kept.
#[derive(Debug)]
pub(super) struct Saves {
    folder: PathBuf,
    /// They last as long as this object.
    passing: bool,
}

impl Saves {
    /// In `folder`, or for this run alone.
    pub(super) fn new(folder: Option<PathBuf>) -> Saves {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        match folder {
            Some(folder) => Saves { folder, passing: false },
            None => {
                let number = NUMBER.fetch_add(1, Ordering::Relaxed);
                let name = format!("ferrograph-saves-{}-{number}", std::process::id());
                Saves { folder: std::env::temp_dir().join(name), passing: true }
            }
        }
    }

    fn user(&self, user: [u64; 2]) -> PathBuf {
        self.folder.join(format!("{:016x}{:016x}", user[0], user[1]))
    }
}

impl Saves {
    /// The run is over.
    pub(super) fn end(&self) {
        if self.passing {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

impl Drop for Saves {
    fn drop(&mut self) {
        self.end();
    }
}

/// The result of a failed access to the host's files.
fn code(error: &std::io::Error) -> ResultCode {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => PATH_NOT_FOUND,
        ErrorKind::AlreadyExists => PATH_EXISTS,
        ErrorKind::DirectoryNotEmpty => NOT_EMPTY,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => NO_SPACE,
        _ => {
            tracing::warn!(%error, "an access to save data failed: check the folder of saves");
            PATH_NOT_FOUND
        }
    }
}

/// Copies the files and folders of `from` into the new folder `to`; nothing else is followed.
fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &target)?;
            File::open(&target)?.sync_all()?;
        }
    }
    Ok(())
}

fn remove_tree(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn size_of_tree(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of_tree(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

impl FileSystem {
    /// Makes a user's save area if there is none.
    fn ensure_save(&self, user: [u64; 2]) -> Result<(), ResultCode> {
        std::fs::create_dir_all(self.saves.user(user).join("data")).map_err(|e| code(&e))
    }

    /// Mounts the last commit of a user's save area.
    fn mount_save(&self, name: &str, user: [u64; 2]) -> Result<(), ResultCode> {
        check_mount_name(name)?;
        let folder = self.saves.user(user);
        let (data, old) = (folder.join("data"), folder.join("old"));
        // A commit that was interrupted between its two renames.
        if !data.exists() && old.exists() {
            std::fs::rename(&old, &data).map_err(|e| code(&e))?;
        }
        if !data.is_dir() {
            return Err(NO_SAVE);
        }
        // Open files are known by their real place.
        let folder = std::fs::canonicalize(folder).map_err(|e| code(&e))?;
        let (data, work) = (folder.join("data"), folder.join("work"));
        let mut mounts = locked(&self.mounts);
        if mounts.contains_key(name) || mounts.values().any(|mount| mount.root == work) {
            return Err(MOUNT_NAME_EXISTS);
        }
        remove_tree(&work).and_then(|()| copy_tree(&data, &work)).map_err(|e| code(&e))?;
        mounts.insert(name.to_owned(), Mount { root: work, save: Some(folder) });
        Ok(())
    }

    /// Makes everything that was written under a mount durable at once.
    fn commit(&self, name: &str) -> Result<(), ResultCode> {
        let mount = locked(&self.mounts).get(name).cloned().ok_or(NOT_MOUNTED)?;
        let Some(folder) = mount.save else { return Ok(()) };
        let writing = |file: &OpenFile| file.mode & WRITE != 0 && file.path.starts_with(&mount.root);
        if locked(&self.files).values().any(|file| writing(file)) {
            return Err(OPEN_FOR_WRITING);
        }
        let (data, old, new) = (folder.join("data"), folder.join("old"), folder.join("new"));
        (|| {
            remove_tree(&new)?;
            copy_tree(&mount.root, &new)?;
            remove_tree(&old)?;
            std::fs::rename(&data, &old)?;
            std::fs::rename(&new, &data)?;
            remove_tree(&old)
        })()
        .map_err(|e: std::io::Error| code(&e))
    }

    /// What a mount that ended leaves behind: nothing that was not committed.
    pub(super) fn end_mount(mount: &Mount) {
        if mount.save.is_some()
            && let Err(error) = remove_tree(&mount.root)
        {
            tracing::warn!(%error, "the working copy of save data was not removed");
        }
    }

    /// The host's place of something that may be made or changed: its folder exists, inside a mount that may be written.
    fn place(&self, path: &[u8]) -> Result<PathBuf, ResultCode> {
        let (mount, wanted) = self.locate(path)?;
        if mount.save.is_none() {
            return Err(UNSUPPORTED_WRITE);
        }
        let (Some(parent), Some(name)) = (wanted.parent(), wanted.file_name()) else { return Err(INVALID_PATH) };
        if wanted == mount.root {
            return Err(INVALID_PATH);
        }
        let root = std::fs::canonicalize(&mount.root).map_err(|e| code(&e))?;
        let parent = std::fs::canonicalize(parent).map_err(|e| code(&e))?;
        if parent.starts_with(&root) { Ok(parent.join(name)) } else { Err(PATH_NOT_FOUND) }
    }

    fn is_open(&self, place: &Path) -> bool {
        locked(&self.files).values().any(|file| file.path == place)
    }

    fn create_file(&self, path: &[u8], size: i64) -> Result<(), ResultCode> {
        let place = self.place(path)?;
        let size = u64::try_from(size).map_err(|_| OUT_OF_RANGE)?;
        if size > QUOTA {
            return Err(NO_SPACE);
        }
        let made = OpenOptions::new().write(true).create_new(true).open(place);
        made.and_then(|file| file.set_len(size)).map_err(|e| code(&e))
    }

    fn delete_file(&self, path: &[u8]) -> Result<(), ResultCode> {
        let place = self.place(path)?;
        if !place.is_file() {
            return Err(PATH_NOT_FOUND);
        }
        if self.is_open(&place) {
            return Err(IN_USE);
        }
        std::fs::remove_file(place).map_err(|e| code(&e))
    }

    fn rename(&self, from: &[u8], to: &[u8], directory: bool) -> Result<(), ResultCode> {
        if self.locate(from)?.0.root != self.locate(to)?.0.root {
            return Err(OTHER_MOUNT);
        }
        let (from, to) = (self.place(from)?, self.place(to)?);
        if from.is_dir() != directory || !from.exists() {
            return Err(PATH_NOT_FOUND);
        }
        if directory && to.starts_with(&from) {
            return Err(INTO_ITSELF);
        }
        if to.exists() {
            return Err(PATH_EXISTS);
        }
        if locked(&self.files).values().any(|file| file.path.starts_with(&from)) {
            return Err(IN_USE);
        }
        std::fs::rename(from, to).map_err(|e| code(&e))
    }

    fn create_directory(&self, path: &[u8]) -> Result<(), ResultCode> {
        std::fs::create_dir(self.place(path)?).map_err(|e| code(&e))
    }

    /// Removes a directory: an empty one, one with all it holds, or only what it holds.
    fn delete_directory(&self, path: &[u8], contents: bool, itself: bool) -> Result<(), ResultCode> {
        let root = itself.then(|| self.place(path)).transpose()?;
        let place = match root {
            Some(place) => place,
            // The root of a mount may be emptied, too.
            None if self.locate(path)?.0.save.is_none() => return Err(UNSUPPORTED_WRITE),
            None => self.existing(path)?,
        };
        if !place.is_dir() {
            return Err(PATH_NOT_FOUND);
        }
        if contents && locked(&self.files).values().any(|file| file.path.starts_with(&place)) {
            return Err(IN_USE);
        }
        let done = match (contents, itself) {
            (true, true) => std::fs::remove_dir_all(&place),
            (true, false) => std::fs::remove_dir_all(&place).and_then(|()| std::fs::create_dir(&place)),
            _ => std::fs::remove_dir(&place),
        };
        done.map_err(|e| code(&e))
    }

    fn set_size(&self, handle: u64, size: i64) -> Result<(), ResultCode> {
        let file = self.file(handle)?;
        let size = u64::try_from(size).map_err(|_| OUT_OF_RANGE)?;
        if file.mode & WRITE == 0 {
            return Err(NOT_FOR_WRITING);
        }
        if size > QUOTA {
            return Err(NO_SPACE);
        }
        file.file.set_len(size).map_err(|e| code(&e))
    }

    /// Whether `size` bytes may be written at an offset of a file.
    fn may_write(file: &OpenFile, offset: i64, size: u64) -> Result<u64, ResultCode> {
        if file.mode & WRITE == 0 {
            return Err(NOT_FOR_WRITING);
        }
        let offset = u64::try_from(offset).map_err(|_| OUT_OF_RANGE)?;
        let end = offset.checked_add(size).ok_or(OUT_OF_RANGE)?;
        let length = file.file.metadata().map_err(|e| code(&e))?.len();
        match end {
            end if end <= length => Ok(offset),
            _ if file.mode & APPEND == 0 => Err(PAST_END),
            end if end > QUOTA => Err(NO_SPACE),
            _ => Ok(offset),
        }
    }

    fn free_space(&self, path: &[u8]) -> Result<u64, ResultCode> {
        let (mount, _) = self.locate(path)?;
        Ok(if mount.save.is_some() { QUOTA.saturating_sub(size_of_tree(&mount.root)) } else { 0 })
    }
}

fn write_file(call: &GuestCall<'_>) -> Result<Result<(), ResultCode>, GuestFault> {
    let (handle, offset, buffer, size) = (call.x(0), call.x(1) as i64, call.x(2), call.x(3));
    let flush = call.x(4) != 0 && call.memory().read_u32(call.x(4))? & 1 != 0;
    let memory = call.memory();
    transfer(call, handle, buffer, size, |file| {
        let offset = match FileSystem::may_write(file, offset, size) {
            Ok(offset) => offset,
            Err(code) => return Ok(Err(code)),
        };
        let mut chunk = vec![0; CHUNK.min(size as usize)];
        let mut done = 0;
        while done < size {
            let part = (size - done).min(CHUNK as u64) as usize;
            memory.read(buffer + done, &mut chunk[..part])?;
            if let Err(error) = file.file.write_all_at(&chunk[..part], offset + done) {
                return Ok(Err(code(&error)));
            }
            done += part as u64;
        }
        Ok(if flush { file.file.sync_data().map_err(|e| code(&e)) } else { Ok(()) })
    })
}

/// The 128-bit user that an address names.
fn user(call: &GuestCall<'_>, address: u64) -> Result<[u64; 2], GuestFault> {
    Ok([call.memory().read_u64(address)?, call.memory().read_u64(address + 8)?])
}

pub(super) fn register(r: &HostRegistry) {
    fn on_path(r: &HostRegistry, name: &str, body: fn(&FileSystem, &[u8], i64) -> Result<(), ResultCode>) {
        r.register(name, move |c| {
            let (path, number) = (path(c, c.x(0))?, c.x(1) as i64);
            let files = &c.process().services().fs;
            Ok::<_, GuestFault>(c.release_core(|| body(files, &path, number)))
        });
    }
    fn on_two(r: &HostRegistry, name: &str, directory: bool) {
        r.register(name, move |c| {
            let (from, to) = (path(c, c.x(0))?, path(c, c.x(1))?);
            let files = &c.process().services().fs;
            Ok::<_, GuestFault>(c.release_core(|| files.rename(&from, &to, directory)))
        });
    }
    on_path(r, "_ZN2nn2fs10CreateFileEPKcl", |files, path, size| files.create_file(path, size));
    on_path(r, "_ZN2nn2fs10DeleteFileEPKc", |files, path, _| files.delete_file(path));
    on_path(r, "_ZN2nn2fs15CreateDirectoryEPKc", |files, path, _| files.create_directory(path));
    on_path(r, "_ZN2nn2fs15DeleteDirectoryEPKc", |files, path, _| files.delete_directory(path, false, true));
    on_path(r, "_ZN2nn2fs26DeleteDirectoryRecursivelyEPKc", |files, path, _| files.delete_directory(path, true, true));
    on_path(r, "_ZN2nn2fs25CleanDirectoryRecursivelyEPKc", |files, path, _| files.delete_directory(path, true, false));
    on_two(r, "_ZN2nn2fs10RenameFileEPKcS2_", false);
    on_two(r, "_ZN2nn2fs15RenameDirectoryEPKcS2_", true);
    r.register("_ZN2nn2fs9WriteFileENS0_10FileHandleElPKvmRKNS0_11WriteOptionE", |c| write_file(c));
    r.register("_ZN2nn2fs11SetFileSizeENS0_10FileHandleEl", |c| {
        let (files, handle, size) = (&c.process().services().fs, c.x(0), c.x(1) as i64);
        c.release_core(|| files.set_size(handle, size))
    });
    r.register("_ZN2nn2fs14EnsureSaveDataERKNS_7account3UidE", |c| {
        let (user, files) = (user(c, c.x(0))?, &c.process().services().fs);
        Ok::<_, GuestFault>(c.release_core(|| files.ensure_save(user)))
    });
    r.register("_ZN2nn2fs13MountSaveDataEPKcRKNS_7account3UidE", |c| {
        let (name, user) = (c.string(c.x(0))?, user(c, c.x(1))?);
        let files = &c.process().services().fs;
        Ok::<_, GuestFault>(c.release_core(|| files.mount_save(&name, user)))
    });
    r.register("_ZN2nn2fs21MountSaveDataForDebugEPKc", |c| {
        let (name, files) = (c.string(c.x(0))?, &c.process().services().fs);
        Ok::<_, GuestFault>(c.release_core(|| files.ensure_save([0; 2]).and_then(|()| files.mount_save(&name, [0; 2]))))
    });
    r.register_all(&["_ZN2nn2fs6CommitEPKc", "_ZN2nn2fs14CommitSaveDataEPKc"], |c| {
        let (name, files) = (c.string(c.x(0))?, &c.process().services().fs);
        Ok::<_, GuestFault>(c.release_core(|| files.commit(&name)))
    });
    r.register("_ZN2nn2fs16GetFreeSpaceSizeEPlPKc", |c| {
        let (path, files) = (path(c, c.x(1))?, &c.process().services().fs);
        let space = c.release_core(|| files.free_space(&path));
        store(space, |space| Ok(c.memory().write_u64(c.x(0), space)?))
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn files(saves: &Path) -> FileSystem {
        FileSystem::new(PathBuf::from("/nowhere"), Some(saves.to_owned()), Duration::ZERO)
    }

    const USER: [u64; 2] = [1, 2];

    #[test]
    fn what_is_committed_stays_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let first = files(folder.path());
        assert_eq!(first.mount_save("save", USER), Err(NO_SAVE));
        first.ensure_save(USER).unwrap();
        first.mount_save("save", USER).unwrap();
        assert_eq!(first.mount_save("save", USER), Err(MOUNT_NAME_EXISTS));
        first.create_file(b"save:/a.bin", 4).unwrap();
        assert_eq!(first.create_file(b"save:/a.bin", 4), Err(PATH_EXISTS));
        assert_eq!(first.create_file(b"save:/no/a.bin", 4), Err(PATH_NOT_FOUND));
        let handle = first.open_file(b"save:/a.bin", WRITE).unwrap();
        assert_eq!(first.open_file(b"save:/a.bin", READ), Err(IN_USE));
        assert_eq!(first.delete_file(b"save:/a.bin"), Err(IN_USE));
        let file = first.file(handle).unwrap();
        assert_eq!(FileSystem::may_write(&file, 0, 5), Err(PAST_END));
        assert_eq!(FileSystem::may_write(&file, 2, 2), Ok(2));
        file.file.write_all_at(b"kept", 0).unwrap();
        assert_eq!(first.commit("save"), Err(OPEN_FOR_WRITING));
        locked(&first.files).remove(&handle);
        first.commit("save").unwrap();
        first.create_file(b"save:/lost.bin", 4).unwrap();
        assert_eq!(first.commit("other"), Err(NOT_MOUNTED));
        drop(first);

        let second = files(folder.path());
        second.mount_save("save", USER).unwrap();
        let handle = second.open_file(b"save:/a.bin", READ).unwrap();
        assert_eq!(second.size(handle), Ok(4));
        let mut bytes = [0; 4];
        second.file(handle).unwrap().file.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"kept");
        assert_eq!(second.set_size(handle, 1), Err(NOT_FOR_WRITING));
        assert_eq!(second.open_file(b"save:/lost.bin", READ), Err(PATH_NOT_FOUND));
        assert_eq!(second.mount_save("again", [9, 9]), Err(NO_SAVE), "each user has an area of their own");
    }

    #[test]
    fn a_commit_that_was_cut_off_is_undone() {
        let folder = tempfile::tempdir().unwrap();
        let first = files(folder.path());
        first.ensure_save(USER).unwrap();
        first.mount_save("save", USER).unwrap();
        first.create_directory(b"save:/d").unwrap();
        first.commit("save").unwrap();
        let area = first.saves.user(USER);
        std::fs::rename(area.join("data"), area.join("old")).unwrap();
        let second = files(folder.path());
        second.mount_save("save", USER).unwrap();
        assert!(second.open_directory(b"save:/d", 3).is_ok());
    }

    #[test]
    fn folders_are_made_moved_and_removed_inside_the_area_alone() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        files.ensure_save(USER).unwrap();
        files.mount_save("save", USER).unwrap();
        for path in [&b"save:/a"[..], b"save:/a/b", b"save:/c"] {
            files.create_directory(path).unwrap();
        }
        assert_eq!(files.create_directory(b"save:/a"), Err(PATH_EXISTS));
        assert_eq!(files.create_directory(b"save:/../x"), Err(INVALID_PATH));
        assert_eq!(files.delete_directory(b"save:/a", false, true), Err(NOT_EMPTY));
        assert_eq!(files.rename(b"save:/a", b"save:/a/b/a", true), Err(INTO_ITSELF));
        assert_eq!(files.rename(b"save:/a", b"save:/c", true), Err(PATH_EXISTS));
        files.rename(b"save:/a", b"save:/e", true).unwrap();
        assert_eq!(files.delete_directory(b"save:/", true, true), Err(INVALID_PATH), "the root stays");
        files.delete_directory(b"save:/e", true, true).unwrap();
        files.delete_directory(b"save:/", true, false).unwrap();
        assert_eq!(files.open_directory(b"save:/c", 3), Err(PATH_NOT_FOUND));
        assert_eq!(files.free_space(b"save:/"), Ok(QUOTA));
        files.create_file(b"save:/f", 1000).unwrap();
        assert_eq!(files.free_space(b"save:/"), Ok(QUOTA - 1000));
        assert_eq!(files.create_file(b"save:/g", i64::MAX), Err(NO_SPACE));
    }

    #[test]
    fn saves_without_a_folder_end_with_the_run() {
        let files = FileSystem::new(PathBuf::from("/nowhere"), None, Duration::ZERO);
        files.ensure_save(USER).unwrap();
        let place = files.saves.user(USER);
        assert!(place.is_dir());
        drop(files);
        assert!(!place.exists());
    }
}
