//! Lifts a title and prints what came out: `cargo run -p recomp --example lift -- EXEFS OUT`.
#![allow(clippy::print_stdout)]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(exefs), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: lift EXEFS OUT".into());
    };
    let begin = std::time::Instant::now();
    let build = recomp::lift_title(exefs.as_ref(), out.as_ref(), &recomp::Options::default(), &mut |_| {})?;
    println!(
        "{} ({} sources, {} compiled, {:.1} s)",
        build.object.display(),
        build.sources,
        build.compiled,
        begin.elapsed().as_secs_f64()
    );
    for module in &build.modules {
        println!(
            "{} at {:#x}: {} functions, {} jump tables, {} unresolved branches, {} unknown instructions",
            module.name,
            module.base,
            module.functions,
            module.jump_tables,
            module.unresolved.len(),
            module.unknown.len()
        );
        for address in &module.unresolved {
            println!("  unresolved {address:#x}");
        }
        for (address, word) in &module.unknown {
            println!("  unknown {word:08x} at {address:#x}");
        }
    }
    Ok(())
}
