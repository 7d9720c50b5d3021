//! `titles [NAME...]`: builds guest titles into `target/titles/NAME`; one whose sources did not change is left as it is.

use std::process::ExitCode;

fn main() -> ExitCode {
    let root = titles::repository_root();
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = titles::TITLES.iter().map(|title| title.name.to_owned()).collect();
    }
    for name in names {
        let out = root.join("target/titles").join(&name);
        if titles::is_current(&root, &name, &out) {
            continue;
        }
        if let Err(error) = titles::build(&root, &name, &out) {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
