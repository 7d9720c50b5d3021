//! Compiles and links the modules of a title, and writes its ExeFS and RomFS.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use recomp::nso::WriteOptions;

use crate::error::{self, TitleError};
use crate::npdm::{self, Npdm};
use crate::romfs;

/// A title that can be built: its folder under `tests/titles` and what its NPDM says.
#[derive(Debug, Clone, Copy)]
pub struct Title {
    /// Folder name.
    pub name: &'static str,
    /// Program id.
    pub program_id: u64,
    /// Modules in load order; each is a subfolder with C (and S) files.
    pub modules: &'static [&'static str],
}

/// Every title there is.
pub const TITLES: &[Title] = &[
    Title { name: "clear", program_id: 0x0100_0000_00F0_1000, modules: &["main"] },
    Title { name: "island", program_id: 0x0100_0000_00F0_0000, modules: &["main", "subsdk0"] },
];

/// Where the parts of a built title lie.
#[derive(Debug, Clone)]
pub struct Built {
    /// The title's folder: `exefs/` and `romfs/` are below it.
    pub folder: PathBuf,
    /// The linked ELF of each module, in load order, for tools that want symbols.
    pub elfs: Vec<PathBuf>,
}

pub(crate) const WARNINGS: &[&str] =
    &["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"];
/// Float rules that give the same numbers on every machine.
pub(crate) const NUMBERS: &[&str] = &["-ffp-contract=off", "-fno-math-errno"];

const GUEST: &[&str] = &[
    "--target=aarch64-none-elf",
    "-mcpu=cortex-a57",
    "-O2",
    "-g1",
    "-ffreestanding",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fno-common",
    "-funwind-tables",
    "-fasynchronous-unwind-tables",
];

/// The root of the checkout this crate was built in.
#[must_use]
pub fn repository_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

pub(crate) fn title(name: &str) -> Result<&'static Title, TitleError> {
    TITLES.iter().find(|title| title.name == name).ok_or_else(|| {
        let known: Vec<&str> = TITLES.iter().map(|title| title.name).collect();
        TitleError::UnknownTitle(name.to_owned(), known.join(", "))
    })
}

pub(crate) fn sources(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, TitleError> {
    let entries = std::fs::read_dir(folder).map_err(TitleError::io("read", folder))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(TitleError::io("read", folder))?.path();
        let wanted = path.extension().is_some_and(|found| extensions.iter().any(|one| found == *one));
        if wanted {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(crate) fn run(command: &mut Command, what: &Path) -> Result<(), TitleError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| TitleError::Tool { tool: tool.clone(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(TitleError::ToolFailed { tool, what: what.display().to_string(), output })
}

pub(crate) fn object_name(source: &Path) -> PathBuf {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let kind = source.extension().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{stem}.{kind}.o"))
}

/// Builds the title `name` from `root` (see [`repository_root`]) into `out`: `exefs/{main,subsdk0,main.npdm}` and `romfs/`.
///
/// # Errors
/// The title is unknown, a table or source is wrong, or clang-19 or ld.lld-19 is missing.
pub fn build(root: &Path, name: &str, out: &Path) -> Result<Built, TitleError> {
    let title = title(name)?;
    crate::headers::write(root)?;
    let titles = root.join("tests/titles");
    let folder = titles.join(title.name);
    let exefs = out.join("exefs");
    std::fs::create_dir_all(&exefs).map_err(TitleError::io("create", &exefs))?;

    let mut elfs = Vec::new();
    for module in title.modules {
        let elf = link(&titles, &folder, module, out)?;
        let nso = convert(module, &elf)?;
        error::write(&exefs.join(module), &nso)?;
        elfs.push(elf);
    }
    let meta = Npdm {
        name: title.name.to_owned(),
        program_id: title.program_id,
        main_stack: 0x10_0000,
        main_priority: 44,
        main_core: 0,
    };
    romfs::write(&folder, &out.join("romfs"))?;
    error::write(&exefs.join("main.npdm"), &npdm::bytes(&meta))?;
    Ok(Built { folder: out.to_path_buf(), elfs })
}

/// Time of the latest change below `path`.
fn newest(path: &Path) -> Option<SystemTime> {
    let about = path.metadata().ok()?;
    if !about.is_dir() {
        return about.modified().ok();
    }
    std::fs::read_dir(path).ok()?.flatten().filter_map(|entry| newest(&entry.path())).max()
}

/// Whether `out` holds the title `name` as [`build`] would make it: its NPDM, which is written last, is younger than every source, table and shared file. False when anything is missing.
#[must_use]
pub fn is_current(root: &Path, name: &str, out: &Path) -> bool {
    let titles = root.join("tests/titles");
    let inputs = [
        titles.join("include"),
        titles.join("runtime"),
        titles.join("data"),
        titles.join(name),
        root.join("engine/nvn/data"),
        std::env::current_exe().unwrap_or_default(),
    ];
    let Some(built) = newest(&out.join("exefs/main.npdm")) else { return false };
    let made =
        title(name).is_ok_and(|title| title.modules.iter().all(|module| out.join("exefs").join(module).is_file()));
    let changed = inputs.iter().map(|input| newest(input)).max().flatten();
    made && out.join("romfs").is_dir() && changed.is_some_and(|changed| changed < built)
}

fn link(titles: &Path, folder: &Path, module: &str, out: &Path) -> Result<PathBuf, TitleError> {
    let objects = out.join("obj").join(module);
    std::fs::create_dir_all(&objects).map_err(TitleError::io("create", &objects))?;
    let mut files = sources(&titles.join("runtime"), &["S"])?;
    files.extend(sources(&folder.join(module), &["c", "S"])?);
    let elf = out.join("obj").join(format!("{module}.elf"));
    let mut linker = Command::new("ld.lld-19");
    linker
        .args(["-shared", "--hash-style=both", "--eh-frame-hdr", "--build-id=sha1", "-z", "norelro"])
        .args(["-z", "max-page-size=0x1000", "-z", "nognustack", "-z", "now", "--no-undefined-version", "-T"])
        .arg(titles.join("runtime/module.ld"))
        .arg("-o")
        .arg(&elf);
    for file in &files {
        let object = objects.join(object_name(file));
        let mut compiler = Command::new("clang-19");
        compiler.args(GUEST).args(NUMBERS).arg("-I").arg(titles.join("include")).arg("-I").arg(folder);
        if file.extension().is_some_and(|kind| kind == "c") {
            compiler.args(WARNINGS);
        } else {
            compiler.arg(format!("-DMODULE_NAME=\"{module}.nss\""));
        }
        run(compiler.arg("-c").arg(file).arg("-o").arg(&object), file)?;
        linker.arg(&object);
    }
    run(&mut linker, &elf)?;
    Ok(elf)
}

fn convert(module: &str, elf: &Path) -> Result<Vec<u8>, TitleError> {
    let bytes = error::read(elf)?;
    let options = WriteOptions { name: format!("{module}.nss"), ..WriteOptions::default() };
    recomp::nso::from_elf(&bytes, &options).map_err(|what| TitleError::Module { module: module.to_owned(), what })
}
