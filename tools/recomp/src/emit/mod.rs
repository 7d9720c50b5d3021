//! From analysed modules to C source files.
//!
//! Functions go into files by address (one file per [`CHUNK_BYTES`] of guest text), so that a changed function changes one file and the
//! text of a file depends on nothing but its functions and the set of lifted addresses that they name.

mod function;
mod inst;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

use crate::analysis::Analysis;
use crate::image::Image;

/// Guest text per C file.
pub const CHUNK_BYTES: u64 = 16 * 1024;

/// A module with its analysis.
pub struct Module {
    /// The placed module.
    pub image: Image,
    /// What analysis found in it.
    pub analysis: Analysis,
}

/// All modules of a title, for questions that cross modules.
pub(crate) struct Program<'a> {
    modules: &'a [Module],
    lifted: HashSet<u64>,
    flags_wanted: HashSet<u64>,
}

impl<'a> Program<'a> {
    fn new(modules: &'a [Module]) -> Program<'a> {
        let mut lifted = HashSet::new();
        let mut flags_wanted = HashSet::new();
        for module in modules {
            lifted.extend(module.analysis.functions.keys());
            lifted.extend(module.analysis.owners.keys());
            for function in module.analysis.functions.values() {
                let live = function::flags_live(&module.image, function);
                flags_wanted.extend(function.labels.iter().chain([&function.start]).filter(|l| live.contains(l)));
            }
        }
        Program { modules, lifted, flags_wanted }
    }

    /// Whether a lifted function or label starts at a guest address.
    fn is_lifted(&self, address: u64) -> bool {
        self.lifted.contains(&address)
    }

    /// Whether the code at a lifted address reads the flags of whoever jumps there.
    fn flags_wanted(&self, address: u64) -> bool {
        self.flags_wanted.contains(&address)
    }
}

/// One generated C file.
#[derive(Debug, Clone)]
pub struct Source {
    /// File name without folder.
    pub name: String,
    /// Contents.
    pub text: String,
    /// Bytes of guest text in it, for progress by work.
    pub guest_bytes: u64,
}

/// Writes the C of a title: one file per stretch of text, and `tables.c` with dispatch tables and manifest.
#[must_use]
pub fn emit(modules: &[Module], cpu_level: u32, lifter_version: &str, title_key: &str) -> Vec<Source> {
    let program = Program::new(modules);
    let mut sources = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let mut chunks: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for start in module.analysis.functions.keys() {
            chunks.entry((start - module.image.base) / CHUNK_BYTES).or_default().push(*start);
        }
        for (chunk, starts) in chunks {
            let mut body = String::new();
            let mut names: BTreeSet<u64> = BTreeSet::new();
            let mut guest_bytes = 0;
            for start in starts {
                let lifted = &module.analysis.functions[&start];
                let emitted = function::emit(&program, &module.image, lifted);
                names.extend(emitted.references);
                names.insert(start);
                names.extend(&lifted.labels);
                body.push_str(&emitted.text);
                guest_bytes += lifted.blocks.values().map(|b| b.end - b.start).sum::<u64>();
            }
            let mut text = String::from("#include \"fg_lift.h\"\n");
            for name in names {
                let _ = writeln!(text, "FG_HIDDEN fg_function fg_f_{name:x};");
            }
            text.push_str(&body);
            sources.push(Source { name: format!("m{number}_{chunk:04x}.c"), text, guest_bytes });
        }
    }
    sources.push(Source {
        name: "tables.c".into(),
        text: tables(&program, cpu_level, lifter_version, title_key),
        guest_bytes: 1024,
    });
    sources
}

fn quoted(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "._-+ ".contains(c) { c } else { '_' }).collect()
}

fn tables(program: &Program<'_>, cpu_level: u32, lifter_version: &str, title_key: &str) -> String {
    let mut text = String::from("#include \"fg_lift.h\"\n");
    let mut lifted: Vec<u64> = program.lifted.iter().copied().collect();
    lifted.sort_unstable();
    for address in &lifted {
        let _ = writeln!(text, "FG_HIDDEN fg_function fg_f_{address:x};");
    }
    for (number, module) in program.modules.iter().enumerate() {
        let range = &module.image.text;
        let _ = writeln!(
            text,
            "static fg_function *const fg_entries_{number}[{}] = {{",
            ((range.end - range.start) / 4).max(1)
        );
        for address in lifted.iter().filter(|a| range.contains(a)) {
            let _ = writeln!(text, "    [{}] = fg_f_{address:x},", (address - range.start) / 4);
        }
        let starts: Vec<String> = module.analysis.functions.keys().map(|s| format!("{s:#x}ull")).collect();
        let _ = writeln!(
            text,
            "}};\nstatic const u64 fg_starts_{number}[] = {{ {} }};",
            if starts.is_empty() { "0".into() } else { starts.join(", ") }
        );
    }
    text.push_str("FG_HIDDEN const struct fg_range fg_ranges[] = {\n");
    for (number, module) in program.modules.iter().enumerate() {
        let range = &module.image.text;
        let _ =
            writeln!(text, "    {{ {:#x}ull, {:#x}ull, fg_entries_{number} }},", range.start, range.end - range.start);
    }
    let _ = writeln!(
        text,
        "}};\nFG_HIDDEN extern const u32 fg_range_count;\nFG_HIDDEN const u32 fg_range_count = {};",
        program.modules.len()
    );
    text.push_str("static const struct fg_module fg_modules[] = {\n");
    for (number, module) in program.modules.iter().enumerate() {
        let id: Vec<String> = module.image.build_id.iter().map(|b| format!("{b:#04x}")).collect();
        let range = &module.image.text;
        let _ = writeln!(
            text,
            "    {{ \"{}\", {{ {} }}, {:#x}ull, {:#x}ull, {:#x}ull, fg_entries_{number}, fg_starts_{number}, {}, {} }},",
            quoted(&module.image.name),
            id.join(", "),
            module.image.base,
            range.start,
            range.end,
            module.analysis.functions.len(),
            module.analysis.unknown.len(),
        );
    }
    let _ = writeln!(
        text,
        "}};\nFG_HIDDEN void fg_attach(const struct fg_host *host);\nFG_HIDDEN void fg_enter(C *ctx, u64 pc);\n\
         __attribute__((visibility(\"default\"))) const struct fg_manifest fg_manifest = {{\n    0x314D4746u, FG_ABI_VERSION, {cpu_level}u, {}u, fg_modules, \"{}\", \"{}\", fg_attach, fg_enter,\n}};",
        program.modules.len(),
        quoted(lifter_version),
        quoted(title_key),
    );
    text
}
