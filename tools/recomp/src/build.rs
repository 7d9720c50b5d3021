//! From a title's modules to its shared object: lift, write C, compile what changed, link.
//!
//! Objects are named by the hash of everything they depend on (compiler, flags, runtime headers, source), so that an unchanged source is
//! never compiled again. `build.ninja` in the same folder describes the same edges for a build that is spread over machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::analysis::{self, Analysis};
use crate::emit::{self, Module, Source};
use crate::image::{FIRST_MODULE_BASE, Image, ImageError};
use crate::knob::Knob;
use crate::nso::{Nso, NsoError, hex_without_padding};

/// Version of the ABI between lifted code and host that this lifter writes (`FG_ABI_VERSION`).
pub const ABI_VERSION: u32 = 1;

/// Version string of this lifter; part of the title key.
pub const LIFTER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The runtime sources that generated C includes, by file name. They are part of the lifter, so that it works without a checkout.
pub const RUNTIME: [(&str, &str); 5] = [
    ("ferrograph_abi.h", include_str!("../../../recomp-out/runtime/ferrograph_abi.h")),
    ("fg_lift.h", include_str!("../../../recomp-out/runtime/fg_lift.h")),
    ("fg_fp.h", include_str!("../../../recomp-out/runtime/fg_fp.h")),
    ("fg_simd.h", include_str!("../../../recomp-out/runtime/fg_simd.h")),
    ("fg_support.c", include_str!("../../../recomp-out/runtime/fg_support.c")),
];

/// How to build.
#[derive(Debug, Clone)]
pub struct Options {
    /// Optimisation level of the C compiler, 0 to 3.
    pub opt: u8,
    /// Compilers run at once; 0 = one per processor.
    pub jobs: usize,
    /// The C compiler; `None` = `clang-19`, else what the environment variable `CC` names, else `clang`.
    pub cc: Option<String>,
    /// Use AVX2, FMA and BMI (x86-64-v3); `None` = when this machine has them.
    pub v3: Option<bool>,
    /// A planted fault, for tests.
    pub knob: Option<Knob>,
}

impl Default for Options {
    fn default() -> Options {
        Options { opt: 2, jobs: 0, cc: None, v3: None, knob: None }
    }
}

/// What the builder is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading and analysing modules; counts modules.
    Analyse,
    /// Compiling; counts bytes of guest text.
    Compile,
    /// Linking; counts 1.
    Link,
}

/// A report of progress.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Current stage.
    pub stage: Stage,
    /// Work done, in the stage's unit.
    pub done: u64,
    /// All work of the stage.
    pub total: u64,
}

/// What lifting one module gave.
#[derive(Debug, Clone)]
pub struct ModuleReport {
    /// Module name.
    pub name: String,
    /// Where it must be loaded.
    pub base: u64,
    /// Lifted functions.
    pub functions: usize,
    /// Recognised jump tables.
    pub jump_tables: usize,
    /// Indirect branches that go through the dispatch table, by address.
    pub unresolved: Vec<u64>,
    /// Words that trap at run time: address, word, name.
    pub unknown: Vec<(u64, u32)>,
}

/// A finished build.
#[derive(Debug, Clone)]
pub struct Build {
    /// The shared object.
    pub object: PathBuf,
    /// Folder with the C sources, objects and `build.ninja`.
    pub folder: PathBuf,
    /// Hash of all build ids, lifter and options, as in the manifest.
    pub title_key: String,
    /// Per module, in load order.
    pub modules: Vec<ModuleReport>,
    /// C files of the title.
    pub sources: usize,
    /// C files that had to be compiled now.
    pub compiled: usize,
    /// Whether the object was linked now.
    pub linked: bool,
}

/// Why a title could not be lifted or built.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RecompError {
    #[error(
        "no C compiler for lifted code: tried {tried}; install clang 19 (Debian: apt install clang-19 lld-19) or set CC to a clang"
    )]
    NoCompiler { tried: String },
    #[error(
        "{cc} cannot compile lifted code: {reason}; install clang 19 (Debian: apt install clang-19 lld-19) or set CC to one"
    )]
    Toolchain { cc: String, reason: String },
    #[error("{path} holds no module `main`; give the folder of an extracted ExeFS")]
    NoMain { path: PathBuf },
    #[error("module {name}: {error}")]
    Nso { name: String, error: NsoError },
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error("{path}: {error}; check that the folder exists, is writable and has room")]
    Io { path: PathBuf, error: std::io::Error },
    #[error("compiling {file} failed; this is a fault of the lifter, keep the file:\n{stderr}")]
    Compile { file: PathBuf, stderr: String },
    #[error("linking {file} failed:\n{stderr}")]
    Link { file: PathBuf, stderr: String },
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RecompError {
    let path = path.to_owned();
    move |error| RecompError::Io { path, error }
}

/// A compiler that passed the feature probe.
#[derive(Debug, Clone)]
pub struct Toolchain {
    /// The command words (`CC` may hold a launcher, as in `sccache clang-19`).
    pub command: Vec<String>,
    /// First line of its version text.
    pub version: String,
    /// Extra link flags: the linker to use.
    pub link_flags: Vec<String>,
}

impl Toolchain {
    /// Finds the compiler and compiles a probe with every dialect feature that lifted code uses.
    ///
    /// # Errors
    /// When there is no compiler, or the one found lacks a feature.
    pub fn find(cc: Option<&str>) -> Result<Toolchain, RecompError> {
        Toolchain::choose(cc, true)
    }

    fn choose(cc: Option<&str>, probe: bool) -> Result<Toolchain, RecompError> {
        let mut candidates: Vec<String> = Vec::new();
        match cc {
            Some(cc) => candidates.push(cc.to_owned()),
            None => {
                candidates.push("clang-19".into());
                candidates.extend(std::env::var("CC").ok().filter(|c| !c.trim().is_empty()));
                candidates.push("clang".into());
            }
        }
        for candidate in &candidates {
            let command: Vec<String> = candidate.split_whitespace().map(str::to_owned).collect();
            let Some((program, rest)) = command.split_first() else { continue };
            let Ok(output) = Command::new(program).args(rest).arg("--version").output() else { continue };
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let version = text.lines().next().unwrap_or_default().to_owned();
            let mut toolchain = Toolchain { command, version, link_flags: Vec::new() };
            if probe {
                toolchain.probe(candidate)?;
            }
            return Ok(toolchain);
        }
        Err(RecompError::NoCompiler { tried: candidates.join(", ") })
    }

    fn run(&self, arguments: &[&str]) -> std::io::Result<Output> {
        Command::new(&self.command[0]).args(&self.command[1..]).args(arguments).output()
    }

    fn probe(&mut self, name: &str) -> Result<(), RecompError> {
        const PROBE: &str = "typedef unsigned long long v2 __attribute__((vector_size(16)));\n\
            typedef signed char c16 __attribute__((vector_size(16)));\n\
            void g(void *); void f(void *c) { __attribute__((musttail)) return g(c); }\n\
            unsigned __int128 m(unsigned long a, unsigned long b) { return (unsigned __int128)a * b; }\n\
            c16 s(c16 a, c16 b) { return __builtin_elementwise_add_sat(a, b); }\n\
            double e(double a) { return __builtin_elementwise_fma(a, a, __builtin_elementwise_roundeven(a)); }\n\
            v2 p(v2 a) { return __builtin_shufflevector(a, a, 1, 0); }\n";
        let reject = |reason: String| RecompError::Toolchain { cc: name.to_owned(), reason };
        let folder = std::env::temp_dir().join(format!(
            "ferrograph-probe-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        std::fs::create_dir_all(&folder).map_err(io(&folder))?;
        let source = folder.join("probe.c");
        std::fs::write(&source, PROBE).map_err(io(&source))?;
        let result = (|| {
            let (source, object) =
                (source.to_string_lossy().into_owned(), folder.join("probe.so").to_string_lossy().into_owned());
            let output = self
                .run(&["-O1", "-std=gnu11", "-fPIC", "-w", "-c", &source, "-o", &format!("{object}.o")])
                .map_err(|e| reject(e.to_string()))?;
            if !output.status.success() {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let first = text.lines().find(|l| l.contains("error")).unwrap_or("the feature probe failed").to_owned();
                return Err(reject(format!("it is `{}` and says: {first}", self.version)));
            }
            for linker in ["-fuse-ld=lld-19", "-fuse-ld=lld", ""] {
                let mut arguments = vec!["-shared", "-Wl,--unresolved-symbols=ignore-all", "-o", &object];
                let from = format!("{object}.o");
                arguments.push(&from);
                if !linker.is_empty() {
                    arguments.push(linker);
                }
                if self.run(&arguments).is_ok_and(|o| o.status.success()) {
                    self.link_flags = [linker].iter().filter(|l| !l.is_empty()).map(|l| (*l).to_owned()).collect();
                    return Ok(());
                }
            }
            Err(reject("it cannot link a shared object".into()))
        })();
        let _ = std::fs::remove_dir_all(&folder);
        result
    }
}

/// Whether this machine runs x86-64-v3 code.
#[must_use]
pub fn host_has_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("f16c")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Reads the modules of an extracted ExeFS in load order (main, subsdk0 to 9, sdk) and places them.
///
/// # Errors
/// When `main` is missing or a module is damaged.
pub fn load_title(exefs: &Path) -> Result<Vec<Image>, RecompError> {
    let mut images = Vec::new();
    let mut base = FIRST_MODULE_BASE;
    let subsdk = (0..10).map(|i| format!("subsdk{i}"));
    for name in ["main".to_owned()].into_iter().chain(subsdk).chain(["sdk".to_owned()]) {
        let path = exefs.join(&name);
        let file = match std::fs::read(&path) {
            Ok(file) => file,
            Err(_) if name == "main" => return Err(RecompError::NoMain { path: exefs.to_owned() }),
            Err(_) => continue,
        };
        let nso = Nso::parse(&file).map_err(|error| RecompError::Nso { name: name.clone(), error })?;
        let image = Image::from_nso(&nso, &name, base);
        base = image.end.next_multiple_of(0x1000);
        images.push(image);
    }
    Ok(images)
}

/// Lifts and builds a title. The object is `<out_root>/<build id of main>/title.so`.
///
/// # Errors
/// See [`RecompError`]. The toolchain is checked before anything else starts.
pub fn lift_title(
    exefs: &Path,
    out_root: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Build, RecompError> {
    let toolchain = Toolchain::choose(options.cc.as_deref(), options.knob != Some(Knob::NoProbe))?;
    let images = load_title(exefs)?;
    let folder = out_root.join(hex_without_padding(&images[0].build_id));
    lift_images(images, &folder, &toolchain, options, progress)
}

/// Lifts and builds placed modules into `folder/title.so`.
///
/// # Errors
/// See [`RecompError`].
pub fn lift_images(
    images: Vec<Image>,
    folder: &Path,
    toolchain: &Toolchain,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Build, RecompError> {
    let v3 = options.v3.unwrap_or_else(host_has_v3);
    let cpu_level = if v3 { 3 } else { 1 };
    let flags = compile_flags(options, v3);
    let mut key = Sha256::new();
    key.update(LIFTER_VERSION);
    key.update(ABI_VERSION.to_le_bytes());
    key.update(&toolchain.version);
    for flag in &flags {
        key.update(flag);
    }
    for (name, text) in RUNTIME {
        key.update(name);
        key.update(text);
    }
    let environment = key.clone().finalize();
    for image in &images {
        key.update(image.build_id);
    }
    let title_key = hex(&key.finalize()[..16]);

    let total = images.len() as u64;
    let mut modules = Vec::new();
    for (done, image) in images.into_iter().enumerate() {
        progress(Progress { stage: Stage::Analyse, done: done as u64, total });
        let analysis = analysis::analyse_with(&image, options.knob);
        report(&image, &analysis);
        modules.push(Module { image, analysis });
    }
    progress(Progress { stage: Stage::Analyse, done: total, total });

    let mut sources = emit::emit(&modules, cpu_level, LIFTER_VERSION, &title_key);
    for (name, text) in RUNTIME.iter().filter(|(name, _)| name.ends_with(".c")) {
        sources.push(Source { name: (*name).to_owned(), text: (*text).to_owned(), guest_bytes: 1024 });
    }
    let c_folder = folder.join("c");
    let o_folder = folder.join("o");
    for path in [folder, &c_folder, &o_folder] {
        std::fs::create_dir_all(path).map_err(io(path))?;
    }
    for (name, text) in RUNTIME.iter().filter(|(name, _)| name.ends_with(".h")) {
        write_if_changed(&c_folder.join(name), text)?;
    }
    let mut objects = Vec::new();
    for source in &sources {
        write_if_changed(&c_folder.join(&source.name), &source.text)?;
        let mut hash = Sha256::new();
        hash.update(environment);
        hash.update(&source.text);
        objects.push(o_folder.join(format!(
            "{}-{}.o",
            source.name.trim_end_matches(".c"),
            hex(&hash.finalize()[..12])
        )));
    }
    sweep(&c_folder, &sources.iter().map(|s| s.name.clone()).chain(RUNTIME.iter().map(|r| r.0.to_owned())).collect())?;
    let object = folder.join("title.so");
    write_ninja(folder, toolchain, &flags, &sources, &objects)?;

    let compiled = compile(&sources, &objects, &c_folder, toolchain, &flags, options, progress)?;
    let kept: BTreeSet<String> =
        objects.iter().filter_map(|o| o.file_name().map(|n| n.to_string_lossy().into_owned())).collect();
    sweep(&o_folder, &kept)?;

    let list: String = objects.iter().fold(String::new(), |mut out, o| {
        let _ = writeln!(out, "\"{}\"", o.display());
        out
    });
    let list_path = folder.join("objects.rsp");
    // The length that linking left: an object that was cut off since is linked again.
    let length_path = folder.join("title.so.length");
    let whole = std::fs::metadata(&object).is_ok_and(|o| {
        o.is_file() && std::fs::read_to_string(&length_path).is_ok_and(|text| text == o.len().to_string())
    });
    let linked = write_if_changed(&list_path, &list)? || !whole || compiled > 0;
    if linked {
        progress(Progress { stage: Stage::Link, done: 0, total: 1 });
        let temporary = folder.join("title.so.new");
        let output = Command::new(&toolchain.command[0])
            .args(&toolchain.command[1..])
            .args(LINK_FLAGS)
            .args(&toolchain.link_flags)
            .arg("-o")
            .arg(&temporary)
            .arg(format!("@{}", list_path.display()))
            .arg("-lm")
            .output()
            .map_err(io(&object))?;
        if !output.status.success() {
            return Err(RecompError::Link {
                file: object,
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        let length = std::fs::metadata(&temporary).map_err(io(&temporary))?.len();
        std::fs::rename(&temporary, &object).map_err(io(&object))?;
        std::fs::write(&length_path, length.to_string()).map_err(io(&length_path))?;
        progress(Progress { stage: Stage::Link, done: 1, total: 1 });
    }
    let reports = modules
        .iter()
        .map(|m| ModuleReport {
            name: m.image.name.clone(),
            base: m.image.base,
            functions: m.analysis.functions.len(),
            jump_tables: m.analysis.tables.len(),
            unresolved: m.analysis.unresolved.iter().copied().collect(),
            unknown: m.analysis.unknown.iter().map(|(a, w)| (*a, *w)).collect(),
        })
        .collect();
    Ok(Build {
        object,
        folder: folder.to_owned(),
        title_key,
        modules: reports,
        sources: sources.len(),
        compiled,
        linked,
    })
}

const LINK_FLAGS: [&str; 4] = ["-shared", "-Wl,--no-undefined", "-Wl,-z,now", "-Wl,--build-id=none"];

fn compile_flags(options: &Options, v3: bool) -> Vec<String> {
    let mut flags =
        vec![format!("-O{}", options.opt.min(3)), if v3 { "-march=x86-64-v3".into() } else { "-march=x86-64".into() }];
    flags.extend(
        [
            "-std=gnu11",
            "-fPIC",
            "-w",
            "-fvisibility=hidden",
            "-fno-strict-aliasing",
            "-fwrapv",
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-delete-null-pointer-checks",
            "-fno-stack-protector",
            "-fomit-frame-pointer",
            "-fno-asynchronous-unwind-tables",
        ]
        .map(str::to_owned),
    );
    flags.extend(options.knob.map_or(&[][..], Knob::flags).iter().map(|flag| (*flag).to_owned()));
    flags
}

/// Says what the module's lift leaves to run time.
fn report(image: &Image, analysis: &Analysis) {
    for (address, word) in analysis.unknown.iter().take(16) {
        tracing::warn!(module = image.name, "unknown instruction {word:08x} at {address:#x}: traps when reached");
    }
    if analysis.unknown.len() > 16 {
        tracing::warn!(module = image.name, "{} unknown instructions in all", analysis.unknown.len());
    }
    for address in &analysis.unresolved {
        tracing::debug!(module = image.name, "indirect branch at {address:#x} goes through the dispatch table");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn write_if_changed(path: &Path, text: &str) -> Result<bool, RecompError> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(false);
    }
    std::fs::write(path, text).map_err(io(path))?;
    Ok(true)
}

/// Removes files that the build no longer has.
fn sweep(folder: &Path, keep: &BTreeSet<String>) -> Result<(), RecompError> {
    for entry in std::fs::read_dir(folder).map_err(io(folder))?.flatten() {
        if !keep.contains(entry.file_name().to_string_lossy().as_ref()) {
            std::fs::remove_file(entry.path()).map_err(io(&entry.path()))?;
        }
    }
    Ok(())
}

fn write_ninja(
    folder: &Path,
    toolchain: &Toolchain,
    flags: &[String],
    sources: &[Source],
    objects: &[PathBuf],
) -> Result<(), RecompError> {
    let relative = |o: &PathBuf| o.file_name().map_or_else(String::new, |n| format!("o/{}", n.to_string_lossy()));
    let mut text = String::from("# Written by the lifter. Objects are named by the hash of what they depend on.\n");
    let _ = writeln!(text, "cc = {}\nflags = {}", toolchain.command.join(" "), flags.join(" "));
    text.push_str("rule cc\n  command = $cc $flags -c $in -o $out\n  description = cc $in\n");
    let _ = writeln!(
        text,
        "rule link\n  command = $cc {} {} -o $out @$out.rsp -lm\n  rspfile = $out.rsp\n  rspfile_content = $in\n  description = link $out",
        LINK_FLAGS.join(" "),
        toolchain.link_flags.join(" ")
    );
    let by_object: BTreeMap<String, &str> =
        objects.iter().map(relative).zip(sources.iter().map(|s| s.name.as_str())).collect();
    for (object, source) in &by_object {
        let _ = writeln!(text, "build {object}: cc c/{source}");
    }
    let _ = writeln!(
        text,
        "build title.so: link {}\ndefault title.so",
        by_object.keys().cloned().collect::<Vec<_>>().join(" ")
    );
    write_if_changed(&folder.join("build.ninja"), &text)?;
    Ok(())
}

/// Compiles the sources whose object is missing. Returns their number.
fn compile(
    sources: &[Source],
    objects: &[PathBuf],
    c_folder: &Path,
    toolchain: &Toolchain,
    flags: &[String],
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<usize, RecompError> {
    let all = options.knob == Some(Knob::CompileAll);
    let mut pending: Vec<usize> = (0..sources.len()).filter(|i| all || !objects[*i].exists()).collect();
    // The longest first, so that no worker is left with a big file at the end.
    pending.sort_by_key(|i| std::cmp::Reverse(sources[*i].text.len()));
    let total: u64 = pending.iter().map(|i| sources[*i].guest_bytes).sum();
    progress(Progress { stage: Stage::Compile, done: 0, total });
    let jobs = match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<RecompError>> = Mutex::new(None);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(pending.len()) {
            let sender = sender.clone();
            let (next, failure, pending) = (&next, &failure, &pending);
            scope.spawn(move || {
                while let Some(&number) = pending.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if failure.lock().is_ok_and(|f| f.is_some()) {
                        return;
                    }
                    match compile_one(&c_folder.join(&sources[number].name), &objects[number], toolchain, flags) {
                        Ok(()) => {
                            let _ = sender.send(sources[number].guest_bytes);
                        }
                        Err(error) => {
                            if let Ok(mut slot) = failure.lock() {
                                slot.get_or_insert(error);
                            }
                            return;
                        }
                    }
                }
            });
        }
        drop(sender);
        let mut done = 0;
        for bytes in receiver {
            done += bytes;
            progress(Progress { stage: Stage::Compile, done, total });
        }
    });
    match failure.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(pending.len()),
    }
}

fn compile_one(source: &Path, object: &Path, toolchain: &Toolchain, flags: &[String]) -> Result<(), RecompError> {
    // Written beside the object and renamed, so that an interrupted compiler leaves no half object under the final name.
    let temporary = object.with_extension("o.new");
    let output = Command::new(&toolchain.command[0])
        .args(&toolchain.command[1..])
        .args(flags)
        .arg("-c")
        .arg(source)
        .arg("-o")
        .arg(&temporary)
        .output()
        .map_err(io(source))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).lines().take(30).collect::<Vec<_>>().join("\n");
        return Err(RecompError::Compile { file: source.to_owned(), stderr });
    }
    std::fs::rename(&temporary, object).map_err(io(object))
}
