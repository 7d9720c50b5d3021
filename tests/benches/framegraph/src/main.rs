//! The costs of a frame, in CPU time of the thread and in one run, so that ratios hold on a busy machine.
//!
//! `cargo run --release -p framegraph-bench [-- --frames N] [--trace FILE.fgt] [--shaders FOLDER] [--check]`
//!
//! The synthetic frame is always measured, frames of a trace and the translation of shaders where they are named. With `--check` the exit status is 1 when a
//! limit is passed, a steady frame allocates, or graph and plain vectors disagree.

use framegraph::schedule::Phase;
use framegraph_bench::allocator::Counting;
use framegraph_bench::profile::{Profile, Row};
use framegraph_bench::synthetic::{self, Cost};
use framegraph_bench::{demo, median, shaders, shortest};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// How often the cost of plain vectors (fill and analyse) the synthetic frame may cost in the graph up to its Plan, from tables as from records.
const LIMIT: f64 = 3.0;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is asked for.
struct Options {
    frames: usize,
    trace: Option<PathBuf>,
    shaders: Option<PathBuf>,
    check: bool,
}

impl Options {
    fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().collect();
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        Self {
            frames: value("--frames").and_then(|text| text.parse().ok()).unwrap_or(400),
            trace: value("--trace").map(PathBuf::from),
            shaders: value("--shaders").map(PathBuf::from),
            check: arguments.iter().any(|argument| argument == "--check"),
        }
    }
}

fn main() -> ExitCode {
    let options = Options::from_arguments();
    let mut out = io::stdout().lock();
    match run(&options, &mut out) {
        Ok(faults) => {
            for fault in &faults {
                let _ = writeln!(out, "over the limit: {fault}");
            }
            if options.check && !faults.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints; returns what passes a limit.
fn run(options: &Options, out: &mut dyn Write) -> Result<Vec<String>, Box<dyn Error>> {
    let mut faults = Vec::new();
    synthetic_frame(options.frames, out, &mut faults)?;
    if let Some(trace) = &options.trace {
        let mut profile = Profile::default();
        let frames = demo::run(trace, &mut profile)?;
        writeln!(out, "\nFrames {}.. of {}: {frames}, medians", demo::WARM, trace.display())?;
        phases(&profile, out)?;
        if profile.allocations() > 0 {
            faults.push(format!("{} allocations in {frames} steady frames of the trace", profile.allocations()));
        }
    }
    if let Some(folder) = &options.shaders {
        let all = shaders::translate_all(folder)?;
        let total: f64 = all.times.iter().sum();
        writeln!(
            out,
            "\nTranslation of {} shader stages: {:.1} ms, median {:.0} us a stage; {} KiB of machine code to {} KiB of SPIR-V",
            all.times.len(),
            total / 1e3,
            median(&all.times),
            all.bytes / 1024,
            all.words / 256,
        )?;
    }
    Ok(faults)
}

fn synthetic_frame(frames: usize, out: &mut dyn Write, faults: &mut Vec<String>) -> io::Result<()> {
    writeln!(
        out,
        "Synthetic frame: 200 passes, 600 images, 3000 draws, 2000 declared accesses; {frames} frames, medians"
    )?;
    for (n, agreement) in synthetic::agreements().iter().enumerate() {
        let ((edges, loops), same) = (agreement.graph, agreement.graph == agreement.plain);
        let verdict = if same { "as in plain vectors" } else { "NOT as in plain vectors" };
        writeln!(
            out,
            "  frame {n} keyed by whole resource: {edges} dependencies between passes, {loops} feedback draws: {verdict}"
        )?;
        if !same {
            faults
                .push(format!("frame {n}: {:?} in the graph, {:?} in plain vectors", agreement.graph, agreement.plain));
        }
    }
    let costs = synthetic::measure(frames);
    for diagnostic in &costs.diagnostics {
        writeln!(out, "  records: {diagnostic}")?;
    }
    writeln!(out, "  from tables:  {:?}", costs.from_tables)?;
    writeln!(out, "  from records: {:?}", costs.from_records)?;
    let (twin, shortest_twin) = (costs.plain.median(), costs.plain.shortest());
    let mut row = |name: &str, cost: &Cost| {
        let (time, allocations) = (cost.median(), cost.allocations);
        let (least, ratio) = (cost.shortest(), time / twin);
        writeln!(
            out,
            "  {name:<46} {time:>9.1} us   {ratio:>6.2} x   {allocations:>6} allocations   shortest {least:>8.1} us, {:>6.2} x",
            least / shortest_twin
        )
    };
    row("plain vectors: fill and analyse", &costs.plain)?;
    row("graph: fill the tables", &costs.fill)?;
    row("graph: tables to Plan", &costs.plan)?;
    row("graph: tables to Plan, keyed by whole resource", &costs.plan_whole)?;
    row("graph: records to Plan, every system", &costs.records)?;
    let to_tables = costs.profile.before(Phase::Hazards);
    let (time, least) = (median(&to_tables), shortest(&to_tables));
    let name = "graph: records to tables, its systems apart";
    writeln!(
        out,
        "  {name:<46} {time:>9.1} us   {:>6.2} x                         shortest {least:>8.1} us, {:>6.2} x",
        time / twin,
        least / shortest_twin
    )?;
    for (name, cost) in [("tables", &costs.plan), ("records", &costs.records)] {
        let ratio = cost.median() / twin;
        if ratio > LIMIT {
            faults.push(format!("{name} to Plan cost {ratio:.2} x plain vectors; the limit is {LIMIT}"));
        }
    }
    let allocations = costs.fill.allocations + costs.plan.allocations + costs.records.allocations;
    if allocations > 0 {
        faults.push(format!("{allocations} allocations in {frames} steady frames"));
    }
    writeln!(out, "\nIts systems, from records")?;
    phases(&costs.profile, out)
}

/// The systems within their phases.
fn phases(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let all: f64 = profile.rows.iter().map(Row::median).sum();
    for rows in profile.rows.chunk_by(|a, b| a.phase == b.phase) {
        let total: f64 = rows.iter().map(Row::median).sum();
        writeln!(out, "  {:<46} {total:>9.1} us   {:>5.1} %", format!("{:?}", rows[0].phase), 100.0 * total / all)?;
        for row in rows {
            let allocations =
                if row.allocations > 0 { format!("   {} allocations", row.allocations) } else { String::new() };
            let (time, least) = (row.median(), row.shortest());
            writeln!(out, "    {:<44} {time:>9.1} us   shortest {least:>8.1} us{allocations}", row.name)?;
        }
    }
    writeln!(out, "  {:<46} {all:>9.1} us", "together")
}
