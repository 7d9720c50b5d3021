//! The values of render targets on disk: what `--dump-targets` writes and `diff` reads.
//!
//! # Layout
//! `targets.json` is a list of tables, one per image that the GPU wrote in the last frame, as the frame left it, and one named `presented` for the picture:
//! - `label`: the game's debug label, else the image's place (`p0+0x1000`); `~2` and so on where two images share it;
//! - `format`: the name of the game's format, or `Rgba8Unorm` for the picture;
//! - `width`, `height`, `depth`, `levels`, `layers` of the image;
//! - `planes`: per plane `file`, `encoding` and `bytes`.
//!
//! A plane's file holds levels from level 0, each its layers (or slices), each its rows from row 0 (the top row of the picture), each its texels, without
//! padding. `encoding` says how a texel lies there: `texels` as the format names it (components from the lowest bits on, little-endian); `depth16` and
//! `depth24` unsigned steps of the range in 2 and 4 bytes; `depth32f` a float; `stencil8` one byte. The first plane's file is `LABEL.raw`; that of stencil
//! beside depth `LABEL.stencil.raw`. Characters other than letters and digits are `_` in file names.

use crate::failure::{Failure, read_file};
use crate::output::write_file;
use ferrograph::graph::Graph;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Component, Path};

/// The table of a dump.
pub(crate) const TABLE: &str = "targets.json";

/// A dumped image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) label: String,
    pub(crate) format: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) levels: u8,
    pub(crate) layers: u16,
    pub(crate) planes: Vec<Plane>,
}

/// One plane of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plane {
    pub(crate) file: String,
    pub(crate) encoding: Encoding,
    pub(crate) bytes: usize,
}

/// How texels of a plane are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Encoding {
    Texels,
    Depth16,
    Depth24,
    Depth32f,
    Stencil8,
}

impl Encoding {
    fn of(number: u32) -> Self {
        match number {
            1 => Self::Depth16,
            2 => Self::Depth24,
            3 => Self::Depth32f,
            4 => Self::Stencil8,
            _ => Self::Texels,
        }
    }
}

fn safe(label: &str) -> String {
    label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Writes what the last frame left in its targets, and the picture.
pub(crate) fn dump(folder: &Path, graph: &mut Graph) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::could(format!("{}: {e}: check the folder", folder.display())))?;
    let mut table = Vec::new();
    let mut taken: HashMap<String, u32> = HashMap::new();
    for (id, name) in graph.frame_targets() {
        let times = taken.entry(name.clone()).or_default();
        *times += 1;
        let label = if *times > 1 { format!("{name}~{times}") } else { name };
        let (desc, planes) = graph.read_planes(id).map_err(Failure::could)?;
        let mut files = Vec::new();
        for (n, (plane, bytes)) in planes.iter().enumerate() {
            let file = if n == 0 { format!("{}.raw", safe(&label)) } else { format!("{}.stencil.raw", safe(&label)) };
            write_file(&folder.join(&file), bytes)?;
            files.push(Plane { file, encoding: Encoding::of(plane.encoding), bytes: bytes.len() });
        }
        let [width, height, depth] = desc.level_extent(0);
        let (levels, layers, format) = (desc.levels, desc.layers, desc.format.name().to_owned());
        table.push(Target { label, format, width, height, depth, levels, layers, planes: files });
    }
    if let Ok(shot) = graph.screenshot() {
        let plane = Plane { file: "presented.raw".to_owned(), encoding: Encoding::Texels, bytes: shot.rgba.len() };
        write_file(&folder.join(&plane.file), &shot.rgba)?;
        let ([width, height], format) = (shot.extent, "Rgba8Unorm".to_owned());
        let (label, planes) = ("presented".to_owned(), vec![plane]);
        table.push(Target { label, format, width, height, depth: 1, levels: 1, layers: 1, planes });
    }
    let text = serde_json::to_string_pretty(&table).map_err(Failure::could)?;
    write_file(&folder.join(TABLE), text.as_bytes())
}

/// Reads the table of a dump.
pub(crate) fn read_table(folder: &Path) -> Result<Vec<Target>, Failure> {
    let path = folder.join(TABLE);
    let table: Vec<Target> = serde_json::from_slice(&read_file(&path)?)
        .map_err(|e| Failure::input(format!("{}: {e}: write the dump again", path.display())))?;
    for plane in table.iter().flat_map(|target| &target.planes) {
        // Nothing outside the folder is read.
        let mut parts = Path::new(&plane.file).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            let what = format!("{}: {:?} is no file of this folder: write the dump again", path.display(), plane.file);
            return Err(Failure::input(what));
        }
    }
    Ok(table)
}
