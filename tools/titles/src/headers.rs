//! Guest headers made from the fact tables: `nvn.h` from `engine/nvn/data`, `nn/*.h` from `tests/titles/data`.
//!
//! Every object has the exact size and alignment of the SDK's and is opaque; every NVN function is a pointer that
//! `nvn_load_procs` fetches by name, wrapped by an inline function, as in a real client; every `nn::` function is declared
//! under a C name with its mangled symbol.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{self, TitleError};

const NOTICE: &str = "/* Made by `titles::headers` from the tables; edit those instead. */\n";

struct Table {
    path: PathBuf,
    rows: Vec<Vec<String>>,
}

fn table(path: PathBuf, columns: usize) -> Result<Table, TitleError> {
    let text = String::from_utf8_lossy(&error::read(&path)?).into_owned();
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if cells.len() != columns {
            let what = format!("{} columns, {columns} expected", cells.len());
            return Err(TitleError::Table { path, line: number + 1, what });
        }
        rows.push(cells);
    }
    Ok(Table { path, rows })
}

fn number(table: &Table, row: usize, text: &str) -> Result<u64, TitleError> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|reason| TitleError::Table {
        path: table.path.clone(),
        line: row + 2,
        what: format!("{text:?} is no number: {reason}"),
    })
}

/// One parameter of a C function.
struct Parameter {
    declaration: String,
    name: String,
}

fn parameters(text: &str) -> Vec<Parameter> {
    text.split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let name = match part.find("(*") {
                Some(at) => part[at + 2..].split(')').next().unwrap_or_default(),
                None => part.rsplit([' ', '*']).next().unwrap_or_default(),
            };
            Parameter { declaration: part.to_owned(), name: name.to_owned() }
        })
        .collect()
}

fn list(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "void".to_owned();
    }
    let all: Vec<&str> = parameters.iter().map(|parameter| parameter.declaration.as_str()).collect();
    all.join(", ")
}

fn object(out: &mut String, name: &str, size: &str, alignment: &str, fields: &str) {
    if size.is_empty() {
        let _ = writeln!(out, "typedef struct {name} {name};");
        return;
    }
    if fields.is_empty() {
        let _ = writeln!(
            out,
            "typedef struct {name} {{\n    _Alignas({alignment}) unsigned char opaque[{size}];\n}} {name};"
        );
    } else {
        let _ = writeln!(out, "typedef struct {name} {{");
        for field in fields.split(';') {
            let _ = writeln!(out, "    {};", field.trim());
        }
        let _ = writeln!(out, "}} {name};");
    }
    let _ = writeln!(out, "_Static_assert(sizeof({name}) == {size}, \"size of {name}\");\n");
}

/// The text of `nvn.h`.
///
/// # Errors
/// A table is missing or a line of it does not fit.
pub fn nvn(root: &Path) -> Result<String, TitleError> {
    let data = root.join("engine/nvn/data");
    let functions = table(data.join("functions.tsv"), 3)?;
    let enums = table(data.join("enums.tsv"), 3)?;
    let objects = table(data.join("objects.tsv"), 4)?;
    let mut out = String::from(NOTICE);
    out.push_str(
        "#ifndef NVN_H\n#define NVN_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
         typedef uint8_t NVNboolean;\ntypedef uint64_t NVNbufferAddress;\ntypedef uint64_t NVNtextureAddress;\n\
         typedef uint64_t NVNtextureHandle;\ntypedef uint64_t NVNimageHandle;\ntypedef uint64_t NVNcommandHandle;\n\
         typedef int NVNdebugDomainId;\ntypedef int NVNstorageClass;\ntypedef void* NVNnativeWindow;\n\
         typedef struct NVNqueueErrorInfo NVNqueueErrorInfo;\ntypedef struct NVNmappingRequest NVNmappingRequest;\n\
         typedef struct NVNtextureSparseTileLayout NVNtextureSparseTileLayout;\n\
         typedef struct NVNdrawTextureRegion NVNdrawTextureRegion;\n\n",
    );

    let mut order: Vec<&str> = Vec::new();
    let mut by_name: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (row, cells) in enums.rows.iter().enumerate() {
        number(&enums, row, &cells[2])?;
        let entry = by_name.entry(&cells[0]).or_insert_with(|| {
            order.push(&cells[0]);
            Vec::new()
        });
        entry.push((&cells[1], &cells[2]));
    }
    for name in order {
        let _ = writeln!(out, "typedef enum {name} {{");
        for (enumerator, value) in &by_name[name] {
            let _ = writeln!(out, "    {enumerator} = {value},");
        }
        let _ = writeln!(out, "}} {name};\n");
    }

    let scalar = ["NVNcommandHandle"];
    for (row, cells) in objects.rows.iter().enumerate() {
        if scalar.contains(&cells[0].as_str()) {
            continue;
        }
        number(&objects, row, &cells[1])?;
        object(&mut out, &cells[0], &cells[1], &cells[2], &cells[3]);
    }

    out.push_str(
        "typedef void (*PFNNVNGENERICFUNCPTRPROC)(void);\n\
         typedef void (*PFNNVNDEBUGCALLBACKPROC)(int, int, int, int, const char*, void*);\n\
         typedef void (*PFNNVNWALKDEBUGDATABASECALLBACKPROC)(void*, void*);\n\
         typedef void (*PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC)(NVNcommandBuffer*, NVNcommandBufferMemoryEvent, size_t, void*);\n\n\
         /* The one symbol that a title imports; everything else is asked for by name. */\n\
         PFNNVNGENERICFUNCPTRPROC nvnBootstrapLoader(const char* name);\n\n",
    );
    for cells in &functions.rows {
        let (name, result) = (&cells[0], &cells[1]);
        if name == "nvnBootstrapLoader" {
            continue;
        }
        let params = parameters(&cells[2]);
        let names: Vec<&str> = params.iter().map(|parameter| parameter.name.as_str()).collect();
        let pass = if result == "void" { "" } else { "return " };
        let _ = writeln!(
            out,
            "extern {result} (*pfnc_{name})({list});\nstatic inline {result} {name}({list}) {{ {pass}pfnc_{name}({args}); }}",
            list = list(&params),
            args = names.join(", "),
        );
    }
    out.push_str("\n/* X(name) for every function above, for the table of `nvn_load_procs`. */\n#define NVN_FOR_EACH_FUNCTION(X)");
    for cells in &functions.rows {
        if cells[0] != "nvnBootstrapLoader" {
            let _ = write!(out, " \\\n    X({})", cells[0]);
        }
    }
    out.push_str("\n\n#endif\n");
    Ok(out)
}

/// The texts of `nn/NAME.h`, by file name.
///
/// # Errors
/// A table is missing or a line of it does not fit.
pub fn nn(root: &Path) -> Result<Vec<(String, String)>, TitleError> {
    let data = root.join("tests/titles/data");
    let functions = table(data.join("nn.tsv"), 5)?;
    let types = table(data.join("nn_types.tsv"), 5)?;
    let constants = table(data.join("nn_constants.tsv"), 3)?;
    let mut names: Vec<&str> = functions.rows.iter().map(|cells| cells[0].as_str()).collect();
    names.dedup();
    let mut headers = Vec::new();
    for name in names {
        let guard = format!("NN_{}_H", name.to_uppercase());
        let mut out = format!(
            "{NOTICE}#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
             #ifndef NN_RESULT_DEFINED\n#define NN_RESULT_DEFINED\n/* 0 is success; else module | description << 9. */\n\
             typedef uint32_t nn_Result;\n#endif\n\n"
        );
        for (row, cells) in constants.rows.iter().enumerate().filter(|(_, cells)| cells[0] == name) {
            number(&constants, row, &cells[2])?;
            let _ = writeln!(out, "#define {} {}u", cells[1], cells[2]);
        }
        out.push('\n');
        for cells in types.rows.iter().filter(|cells| cells[0] == name) {
            object(&mut out, &cells[1], &cells[2], &cells[3], &cells[4]);
        }
        for cells in functions.rows.iter().filter(|cells| cells[0] == name) {
            let (prefix, result) = match cells[3].strip_prefix("_Noreturn ") {
                Some(result) => ("_Noreturn ", result),
                None => ("", cells[3].as_str()),
            };
            let _ = writeln!(
                out,
                "{prefix}{result} {}({}) __asm__(\"{}\");",
                cells[1],
                list(&parameters(&cells[4])),
                cells[2]
            );
        }
        out.push_str("\n#endif\n");
        headers.push((format!("{name}.h"), out));
    }
    Ok(headers)
}

/// Writes every header under `tests/titles/include` and returns the files whose text changed.
///
/// # Errors
/// A table is wrong or a file cannot be written.
pub fn write(root: &Path) -> Result<Vec<PathBuf>, TitleError> {
    let include = root.join("tests/titles/include");
    let folder = include.join("nn");
    std::fs::create_dir_all(&folder).map_err(TitleError::io("create", &folder))?;
    let mut all = vec![(include.join("nvn.h"), nvn(root)?)];
    all.extend(nn(root)?.into_iter().map(|(name, text)| (folder.join(name), text)));
    let mut changed = Vec::new();
    for (path, text) in all {
        if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            error::write(&path, text.as_bytes())?;
            changed.push(path);
        }
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tracked_headers_are_those_of_the_tables() {
        let root = crate::repository_root();
        let changed = write(&root).expect("tables are complete");
        assert!(changed.is_empty(), "headers were stale and have been rewritten: {changed:?}");
    }

    #[test]
    fn parameter_names_are_found() {
        let params = parameters("const char* name; void (*entry)(void*); NVNtexture* const* textures; int x");
        let names: Vec<&str> = params.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["name", "entry", "textures", "x"]);
    }

    #[test]
    fn a_short_line_is_reported_with_its_number() {
        let path = std::env::temp_dir().join(format!("titles-table-{}.tsv", std::process::id()));
        std::fs::write(&path, "a\tb\nx\ty\nz\n").expect("temporary file");
        let error = table(path.clone(), 2).err().expect("second line is short");
        let _ = std::fs::remove_file(path);
        assert!(error.to_string().contains(":3: 1 columns"), "{error}");
    }
}
