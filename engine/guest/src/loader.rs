//! Placing and linking a title's modules (catalogue ), and the shared object of its lifted code.

use std::collections::{BTreeMap, HashMap};
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use recomp::nso::{Nso, RelocationKind, Symbol, SymbolBinding, SymbolVisibility};

use crate::abi::{ABI_VERSION, Context, Host, MANIFEST_MAGIC, MANIFEST_SYMBOL, Manifest, ModuleTable};
use crate::knob::Knob;
use crate::memory::{GuestMemory, GuestWrite, MemoryError, MemoryFault, MemoryState, PAGE_SIZE, Permission};
use crate::registry::{DataWord, HostRegistry};
use crate::title::TitleModule;

/// Why a title could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The lifted object can't be opened.
    #[error("cannot open the lifted code {path}: {source}; run `ferrograph recomp` for this title again")]
    Open {
        /// The file.
        path: PathBuf,
        /// The dynamic linker's answer.
        source: libloading::Error,
    },
    /// The lifted object is not for this program, machine or title.
    #[error("the lifted code {path} cannot be used: {reason}; run `ferrograph recomp` for this title again")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What does not match.
        reason: String,
    },
    /// Guest memory refused something.
    #[error("module {module}: {source}")]
    Memory {
        /// Which module.
        module: String,
        /// What happened.
        source: MemoryError,
    },
    /// A relocation points outside its module.
    #[error("module {module}: the relocation at offset {offset:#x} lies outside the module")]
    Relocation {
        /// Which module.
        module: String,
        /// Where.
        offset: u64,
    },
    /// A relocation of a kind that cannot be applied.
    #[error("module {module}: the relocation at offset {offset:#x} is of kind {kind}, which cannot be applied")]
    RelocationKind {
        /// Which module.
        module: String,
        /// Where.
        offset: u64,
        /// Its kind.
        kind: String,
    },
    /// Too many unresolved names.
    #[error("no room for a stand-in for {name}: too many host functions")]
    TooManyStubs {
        /// The name.
        name: String,
    },
}

impl LoadError {
    fn memory(module: &str) -> impl Fn(MemoryError) -> LoadError + '_ {
        move |source| LoadError::Memory { module: module.to_owned(), source }
    }

    fn fault(module: &str) -> impl Fn(MemoryFault) -> LoadError + '_ {
        move |fault| LoadError::Memory { module: module.to_owned(), source: fault.into() }
    }
}

/// A module at its guest address.
#[derive(Debug, Clone)]
pub struct LoadedModule {
    /// "main", "subsdk0", "sdk".
    pub name: String,
    /// Guest address of its text.
    pub base: u64,
    /// Contents, symbols and relocations.
    pub nso: Nso,
}

impl LoadedModule {
    /// One past its last guest address (bss included).
    pub fn end(&self) -> u64 {
        self.base + self.nso.memory_size()
    }

    /// Guest address of an exported symbol.
    pub fn exported(&self, name: &str) -> Option<u64> {
        let exports = |symbol: &&Symbol| {
            symbol.name == name
                && symbol.is_definition()
                && symbol.binding != SymbolBinding::Local
                && !matches!(symbol.visibility, SymbolVisibility::Hidden | SymbolVisibility::Internal)
        };
        self.nso.dynamic.symbols.iter().find(exports).map(|symbol| self.base + symbol.value)
    }

    /// Guest addresses of its constructors, in order: DT_INIT if present, otherwise DT_INIT_ARRAY.
    pub fn constructors(&self) -> Vec<u64> {
        match self.nso.dynamic.init {
            Some(init) => vec![self.base + init],
            None => self
                .nso
                .dynamic
                .init_array
                .iter()
                .filter(|offset| **offset != 0)
                .map(|offset| self.base + offset)
                .collect(),
        }
    }

    /// Guest addresses of its destructors, in order.
    pub fn destructors(&self) -> Vec<u64> {
        let array = self.nso.dynamic.fini_array.iter().rev().filter(|offset| **offset != 0);
        match self.nso.dynamic.fini {
            Some(fini) => vec![self.base + fini],
            None => array.map(|offset| self.base + offset).collect(),
        }
    }
}

/// Where each module goes: the first at `base`, each other on the page after its predecessor's bss.
pub fn place_modules(modules: Vec<TitleModule>, base: u64) -> Vec<LoadedModule> {
    let mut next = base;
    let place = |module: TitleModule| {
        let placed = LoadedModule { name: module.name, base: next, nso: module.nso };
        next = placed.end().next_multiple_of(PAGE_SIZE);
        placed
    };
    modules.into_iter().map(place).collect()
}

/// How a title's imports were resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkSummary {
    /// Names bound to host functions.
    pub host: usize,
    /// Names bound to another module or the module itself.
    pub modules: usize,
    /// Weak names that became 0.
    pub weak: Vec<String>,
    /// Names that nobody has: their stand-ins log once and return 0.
    pub unresolved: Vec<String>,
    /// Every import by name, sorted.
    pub imports: Vec<Import>,
}

/// A name that a title imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The mangled name.
    pub name: String,
    /// What it is bound to.
    pub state: ImportState,
}

/// What an import is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportState {
    /// A function of the host.
    Host,
    /// A module of the title.
    Module,
    /// Nothing, and the title said that this may be: a null pointer.
    Weak,
    /// A stand-in that logs its first call with the caller, and returns 0.
    Stub,
}

/// A name as a person reads it.
pub fn demangle(name: &str) -> String {
    let options = cpp_demangle::DemangleOptions::default();
    cpp_demangle::Symbol::new(name)
        .ok()
        .and_then(|symbol| symbol.demangle(&options).ok())
        .unwrap_or_else(|| name.to_owned())
}

/// Maps, fills and links placed modules; afterwards text and read-only data are read-only.
pub fn link(memory: &GuestMemory, registry: &HostRegistry, modules: &[LoadedModule]) -> Result<LinkSummary, LoadError> {
    link_with(memory, registry, modules, None)
}

pub(crate) fn link_with(
    memory: &GuestMemory,
    registry: &HostRegistry,
    modules: &[LoadedModule],
    knob: Option<Knob>,
) -> Result<LinkSummary, LoadError> {
    for module in modules {
        let error = LoadError::memory(&module.name);
        // One mapping for the whole module; bss and the gaps between segments are zero because fresh guest memory is.
        memory
            .map(module.base, module.nso.memory_size(), Permission::ReadWrite, MemoryState::CodeData)
            .map_err(&error)?;
        for segment in &module.nso.segments {
            memory
                .write(module.base + segment.memory_offset, &segment.bytes)
                .map_err(LoadError::fault(&module.name))?;
        }
    }
    let data = place_data(memory, registry)?;
    let mut exports: HashMap<&str, u64> = HashMap::new();
    for module in modules {
        for symbol in &module.nso.dynamic.symbols {
            let visible = !matches!(symbol.visibility, SymbolVisibility::Hidden | SymbolVisibility::Internal);
            if symbol.is_definition() && symbol.binding != SymbolBinding::Local && visible && !symbol.name.is_empty() {
                exports.entry(&symbol.name).or_insert(module.base + symbol.value);
            }
        }
    }
    let mut linker = Linker {
        registry,
        knob,
        exports,
        data,
        stubs: HashMap::new(),
        summary: LinkSummary::default(),
        counted: HashMap::new(),
    };
    for module in modules {
        for relocation in &module.nso.dynamic.relocations {
            let place = module.base + relocation.offset;
            let size = if relocation.kind == RelocationKind::Abs32 { 4 } else { 8 };
            if relocation.offset.checked_add(size).is_none_or(|end| end > module.nso.memory_size()) {
                return Err(LoadError::Relocation { module: module.name.clone(), offset: relocation.offset });
            }
            let addend = relocation.addend as u64;
            let fault = LoadError::fault(&module.name);
            match relocation.kind {
                RelocationKind::Relative => memory.write_u64(place, module.base.wrapping_add(addend)).map_err(fault)?,
                RelocationKind::Abs64 | RelocationKind::GlobDat | RelocationKind::JumpSlot => {
                    let target = linker.resolve(module, relocation.symbol)?;
                    // A weak name that nobody has is 0, whatever its addend.
                    let value = if target == 0 { 0 } else { target.wrapping_add(addend) };
                    memory.write_u64(place, value).map_err(fault)?;
                }
                RelocationKind::Abs32 => {
                    let target = linker.resolve(module, relocation.symbol)?;
                    memory.write_u32(place, target.wrapping_add(addend) as u32).map_err(fault)?;
                }
                RelocationKind::Tls(_) | RelocationKind::Other(_) => {
                    let kind = format!("{:?}", relocation.kind);
                    return Err(LoadError::RelocationKind {
                        module: module.name.clone(),
                        offset: relocation.offset,
                        kind,
                    });
                }
            }
        }
    }
    for module in modules {
        let [text, read_only, data] = &module.nso.segments;
        let seal = |offset: u64, end: u64, permission| {
            let (start, end) = (module.base + offset, module.base + end);
            if end > start {
                memory.protect(start, end - start, permission).map_err(LoadError::memory(&module.name))
            } else {
                Ok(())
            }
        };
        seal(text.memory_offset, read_only.memory_offset, Permission::ReadExecute)?;
        seal(read_only.memory_offset, data.memory_offset, Permission::Read)?;
    }
    linker.summary.unresolved.sort();
    linker.summary.weak.sort();
    linker.summary.imports.sort();
    Ok(linker.summary)
}

/// Gives registered data objects guest memory.
fn place_data(memory: &GuestMemory, registry: &HostRegistry) -> Result<HashMap<String, u64>, LoadError> {
    let mut placed = HashMap::new();
    for object in registry.data() {
        let address =
            memory.allocate_local(object.words.len() as u64 * 8, 16).map_err(LoadError::memory("host data"))?;
        for (index, word) in object.words.iter().enumerate() {
            let value = match word {
                DataWord::Value(value) => *value,
                DataWord::Function(name) => registry.address_of(name).unwrap_or(0),
            };
            memory.write_u64(address + index as u64 * 8, value).map_err(LoadError::fault("host data"))?;
        }
        placed.insert(object.name, address);
    }
    Ok(placed)
}

struct Linker<'a> {
    registry: &'a HostRegistry,
    knob: Option<Knob>,
    exports: HashMap<&'a str, u64>,
    data: HashMap<String, u64>,
    stubs: HashMap<String, u64>,
    counted: HashMap<String, ()>,
    summary: LinkSummary,
}

impl Linker<'_> {
    /// Host functions first, then the modules in order; a name that a module defines for itself alone binds there.
    fn resolve(&mut self, module: &LoadedModule, index: u32) -> Result<u64, LoadError> {
        if index == 0 {
            return Ok(module.base);
        }
        let Some(symbol) = module.nso.dynamic.symbols.get(index as usize) else {
            return Err(LoadError::Relocation { module: module.name.clone(), offset: u64::from(index) });
        };
        if symbol.is_definition()
            && (symbol.binding == SymbolBinding::Local || symbol.visibility != SymbolVisibility::Default)
        {
            return Ok(module.base + symbol.value);
        }
        let first = self.counted.insert(symbol.name.clone(), ()).is_none();
        let (target, state) = self.bind(symbol, first)?;
        if first {
            self.summary.imports.push(Import { name: symbol.name.clone(), state });
        }
        Ok(target)
    }

    fn bind(&mut self, symbol: &Symbol, first: bool) -> Result<(u64, ImportState), LoadError> {
        // What a module brings itself (its own malloc, its own copy of a library function) wins inside the title, so that all modules agree.
        let own =
            self.exports.get(symbol.name.as_str()).copied().filter(|_| self.knob != Some(Knob::UnresolvedModules));
        let boundary = own.is_none()
            || symbol.name.starts_with("_ZN2nn")
            || symbol.name.starts_with("_ZNK2nn")
            || symbol.name.starts_with("nvn");
        if boundary
            && let Some(address) =
                self.registry.address_of(&symbol.name).or_else(|| self.data.get(&symbol.name).copied())
        {
            self.summary.host += usize::from(first);
            return Ok((address, ImportState::Host));
        }
        if let Some(address) = own {
            self.summary.modules += usize::from(first);
            return Ok((address, ImportState::Module));
        }
        if symbol.binding == SymbolBinding::Weak {
            if first {
                self.summary.weak.push(symbol.name.clone());
            }
            return Ok((0, ImportState::Weak));
        }
        if self.knob == Some(Knob::NullImports) {
            return Ok((0, ImportState::Stub));
        }
        Ok((self.stub(&symbol.name)?, ImportState::Stub))
    }

    fn stub(&mut self, name: &str) -> Result<u64, LoadError> {
        if let Some(address) = self.stubs.get(name) {
            return Ok(*address);
        }
        let readable = demangle(name);
        let reported = AtomicBool::new(false);
        let address = self.registry.register_stub(name, move |call| {
            if !reported.swap(true, Ordering::Relaxed) {
                let caller = call.process().title().describe(call.return_address());
                tracing::warn!(target: "imports", "{readable} is not implemented (called by {caller}); it returns 0 from now on");
            }
            call.set_x(0, 0);
        });
        let address = address.ok_or_else(|| LoadError::TooManyStubs { name: name.to_owned() })?;
        self.stubs.insert(name.to_owned(), address);
        self.summary.unresolved.push(name.to_owned());
        Ok(address)
    }
}

/// The lifted code of a title, opened and checked.
pub struct LiftedObject {
    path: PathBuf,
    manifest: &'static Manifest,
    // Never closed: guest threads may be parked inside it.
    _library: std::mem::ManuallyDrop<libloading::Library>,
}

// SAFETY: the manifest and all it points to are constant statics of the object.
unsafe impl Send for LiftedObject {}
// SAFETY: as above.
unsafe impl Sync for LiftedObject {}

impl std::fmt::Debug for LiftedObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiftedObject").field("path", &self.path).finish_non_exhaustive()
    }
}

impl LiftedObject {
    /// Opens `path` and checks its manifest against this program, this machine and the placed modules, before any of its code runs. (A lifted object
    /// runs nothing of the title when it is opened.)
    pub fn open(path: &Path, modules: &[LoadedModule]) -> Result<LiftedObject, LoadError> {
        let open = |source| LoadError::Open { path: path.to_owned(), source };
        // SAFETY: all that runs at opening is the set-up of tables of the support code; no code of the title.
        let library = unsafe { libloading::Library::new(path) }.map_err(open)?;
        // SAFETY: the symbol is a static object of the ABI; its first word is checked before anything else is read.
        let manifest: *const Manifest =
            unsafe { *library.get::<*const Manifest>(MANIFEST_SYMBOL.as_bytes()).map_err(open)? };
        // SAFETY: the symbol's address is that of a static in the object, which is never closed after this check succeeds.
        let manifest: &'static Manifest = unsafe { &*manifest };
        // SAFETY: the tables a manifest names are statics of the same object.
        unsafe { check_manifest(manifest, modules) }
            .map_err(|reason| LoadError::Manifest { path: path.to_owned(), reason })?;
        Ok(LiftedObject { path: path.to_owned(), manifest, _library: std::mem::ManuallyDrop::new(library) })
    }

    fn modules(&self) -> &'static [ModuleTable] {
        if self.manifest.module_count == 0 {
            return &[];
        }
        // SAFETY: checked in open: module_count tables, statics of the object.
        unsafe { std::slice::from_raw_parts(self.manifest.modules, self.manifest.module_count as usize) }
    }

    pub(crate) fn attach(&self, host: &Host) {
        if let Some(attach) = self.manifest.attach {
            // SAFETY: the ABI's call; `host` lives in the process, which outlives every thread that runs lifted code (they hold it).
            unsafe { attach(host) };
        }
    }

    pub(crate) fn enter(&self, context: *mut Context, pc: u64) {
        if let Some(enter) = self.manifest.enter {
            // SAFETY: the ABI's call; the caller checked that pc has an entry and the context is its own thread's.
            unsafe { enter(context, pc) };
        }
    }

    /// Whether an entry exists at a guest address.
    pub fn is_lifted(&self, pc: u64) -> bool {
        let Some(table) = self.modules().iter().find(|table| (table.text_begin..table.text_end).contains(&pc)) else {
            return false;
        };
        let offset = pc - table.text_begin;
        // SAFETY: the table has one entry per word of text (the ABI).
        offset.is_multiple_of(4) && unsafe { (*table.entries.add((offset / 4) as usize)).is_some() }
    }

    /// Start of the lifted function that holds a guest address.
    pub fn function_start(&self, pc: u64) -> Option<u64> {
        let table = self.modules().iter().find(|table| (table.text_begin..table.text_end).contains(&pc))?;
        if table.function_count == 0 || table.function_starts.is_null() {
            return None;
        }
        // SAFETY: function_count sorted addresses, statics of the object (the ABI).
        let starts = unsafe { std::slice::from_raw_parts(table.function_starts, table.function_count as usize) };
        starts.partition_point(|start| *start <= pc).checked_sub(1).map(|index| starts[index])
    }

    /// Start of the lifted function that a host instruction belongs to, when it belongs to this object. For reports: it walks all entries.
    pub fn function_at_host(&self, instruction: u64) -> Option<u64> {
        let mut best: Option<(u64, u64)> = None;
        for table in self.modules() {
            for index in 0..(table.text_end - table.text_begin) / 4 {
                // SAFETY: the table has one entry per word of text (the ABI).
                let entry = unsafe { *table.entries.add(index as usize) };
                let Some(host) = entry.map(|entry| entry as usize as u64).filter(|host| *host <= instruction) else {
                    continue;
                };
                if best.is_none_or(|(nearest, _)| host > nearest) {
                    best = Some((host, table.text_begin + index * 4));
                }
            }
        }
        // The object's code lies in one run: what is far behind the last function is another library's.
        let (host, pc) = best.filter(|(host, _)| instruction - host < 1 << 20)?;
        let same_object = |address: u64| {
            // SAFETY: dladdr fills the structure or says that it could not; all zero is a valid value of it.
            unsafe {
                let mut info: libc::Dl_info = std::mem::zeroed();
                (libc::dladdr(address as *const libc::c_void, &mut info) != 0).then_some(info.dli_fbase as usize)
            }
        };
        (same_object(host)? == same_object(instruction)?).then(|| self.function_start(pc).unwrap_or(pc))
    }

    /// Words that could not be lifted, over all modules.
    pub fn unknown_instructions(&self) -> u64 {
        self.modules().iter().map(|table| table.unknown_instructions).sum()
    }
}

/// # Safety
/// The manifest's pointers must be null or point to statics as the ABI describes them.
unsafe fn check_manifest(manifest: &Manifest, modules: &[LoadedModule]) -> Result<(), String> {
    if manifest.magic != MANIFEST_MAGIC {
        return Err(format!("its manifest begins with {:#010x} instead of {MANIFEST_MAGIC:#010x}", manifest.magic));
    }
    if manifest.abi_version != ABI_VERSION {
        return Err(format!("it is of ABI version {}, this program of {ABI_VERSION}", manifest.abi_version));
    }
    check_cpu_level(manifest.cpu_level)?;
    if manifest.enter.is_none() || (manifest.modules.is_null() && manifest.module_count != 0) {
        return Err("its manifest lacks the entry function or the module tables".into());
    }
    if manifest.module_count as usize != modules.len() {
        return Err(format!("it holds {} modules, the title {}", manifest.module_count, modules.len()));
    }
    for (index, module) in modules.iter().enumerate() {
        // SAFETY: index is below module_count.
        let table = unsafe { &*manifest.modules.add(index) };
        let name = if table.name.is_null() {
            String::new()
        } else {
            // SAFETY: a NUL-terminated static.
            unsafe { CStr::from_ptr(table.name) }.to_string_lossy().into_owned()
        };
        if name != module.name {
            return Err(format!("module {index} is {name:?} there and {:?} in the title", module.name));
        }
        if table.build_id != module.nso.build_id {
            return Err(format!(
                "module {name} was lifted from build {}, the title has build {}",
                recomp::nso::hex_without_padding(&table.build_id),
                module.nso.build_id_hex()
            ));
        }
        if table.base != module.base {
            return Err(format!("module {name} was lifted for {:#x}, its place is {:#x}", table.base, module.base));
        }
        let text_end = module.base + module.nso.segments[1].memory_offset.max(module.nso.segments[0].end());
        if table.entries.is_null()
            || table.text_begin < module.base
            || table.text_end > text_end
            || table.text_begin > table.text_end
        {
            return Err(format!(
                "module {name}'s table covers {:#x}..{:#x}, outside its text",
                table.text_begin, table.text_end
            ));
        }
    }
    Ok(())
}

fn check_cpu_level(level: u32) -> Result<(), String> {
    match level {
        1 => Ok(()),
        #[cfg(target_arch = "x86_64")]
        3 if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("movbe") =>
        {
            Ok(())
        }
        3 => Err("it was compiled for x86-64-v3 (AVX2, BMI2, FMA), which this processor lacks".into()),
        other => Err(format!("it names the unknown processor level {other}")),
    }
}

/// A title in memory with its lifted code.
#[derive(Debug)]
pub struct LinkedTitle {
    /// Modules in the order of their addresses.
    pub modules: Vec<LoadedModule>,
    /// The lifted code.
    pub object: LiftedObject,
    /// How imports were resolved.
    pub summary: LinkSummary,
    /// Sorted function symbols: guest address to name.
    symbols: BTreeMap<u64, String>,
}

impl LinkedTitle {
    pub(crate) fn new(modules: Vec<LoadedModule>, object: LiftedObject, summary: LinkSummary) -> LinkedTitle {
        let mut symbols = BTreeMap::new();
        for module in &modules {
            for symbol in
                module.nso.dynamic.symbols.iter().filter(|symbol| symbol.is_definition() && symbol.is_function())
            {
                symbols.entry(module.base + symbol.value).or_insert_with(|| symbol.name.clone());
            }
        }
        LinkedTitle { modules, object, summary, symbols }
    }

    /// The module that holds a guest address.
    pub fn module_of(&self, pc: u64) -> Option<&LoadedModule> {
        self.modules.iter().find(|module| (module.base..module.end()).contains(&pc))
    }

    /// Whether lifted code exists at a guest address.
    pub fn is_lifted(&self, pc: u64) -> bool {
        self.object.is_lifted(pc)
    }

    /// A guest address as `module+offset (function+offset)`.
    pub fn describe(&self, pc: u64) -> String {
        let Some(module) = self.module_of(pc) else { return format!("{pc:#x}") };
        let place = format!("{}+{:#x} [{pc:#x}]", module.name, pc - module.base);
        let start = self.object.function_start(pc);
        let symbol = self.symbols.range(..=pc).next_back().filter(|(address, _)| module_contains(module, **address));
        match (symbol, start) {
            (Some((address, name)), start) if start.is_none_or(|start| start <= *address) => {
                format!("{place} {}+{:#x}", demangle(name), pc - address)
            }
            (_, Some(start)) => format!("{place} sub_{start:x}+{:#x}", pc - start),
            _ => place,
        }
    }

    /// Guest address of an exported symbol of any module, in module order.
    pub fn exported(&self, name: &str) -> Option<u64> {
        self.modules.iter().find_map(|module| module.exported(name))
    }
}

fn module_contains(module: &LoadedModule, address: u64) -> bool {
    (module.base..module.end()).contains(&address)
}
