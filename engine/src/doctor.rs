//! `ferrograph doctor`: what this machine can do, and which fallbacks apply.

use crate::failure::Failure;
use crate::output::say;
use ferrograph_vulkan::{Device, DeviceOptions};
use std::fmt::Write as _;

#[derive(Debug, serde::Serialize)]
struct Finding {
    what: &'static str,
    state: String,
    good: bool,
    advice: &'static str,
}

#[derive(Debug, serde::Serialize)]
struct FeatureRow {
    feature: &'static str,
    rule: &'static str,
    present: bool,
    fallback: &'static str,
}

#[derive(Debug, serde::Serialize)]
struct Report {
    findings: Vec<Finding>,
    device: Option<String>,
    features: Vec<FeatureRow>,
}

fn kernel_release() -> String {
    std::fs::read_to_string("/proc/sys/kernel/osrelease")
        .map(|s| s.trim().to_owned())
        .unwrap_or_else(|_| "unknown".to_owned())
}

fn find_program(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.is_file()).map(|p| p.display().to_string())
}

fn examine() -> Report {
    let mut findings = Vec::new();
    let avx2 = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    findings.push(Finding {
        what: "processor",
        state: if avx2 { "x86-64-v3".to_owned() } else { "x86-64 without AVX2 and FMA".to_owned() },
        good: avx2,
        advice: "lifted code is built for plain x86-64 and runs slower",
    });
    findings.push(Finding { what: "kernel", state: kernel_release(), good: true, advice: "" });
    let clang = ["clang-19", "clang"].iter().find_map(|name| find_program(name));
    findings.push(Finding {
        what: "C compiler for lifted code",
        good: clang.is_some(),
        state: clang.unwrap_or_else(|| "none".to_owned()),
        advice: "install clang-19 and lld-19",
    });
    match Device::new(&DeviceOptions::default()) {
        Ok(device) => {
            findings.push(Finding { what: "Vulkan device", state: device.name.clone(), good: true, advice: "" });
            let features = device
                .features
                .rows()
                .map(|(row, present)| FeatureRow { feature: row.name, rule: row.rule, present, fallback: row.fallback })
                .collect();
            Report { findings, device: Some(device.name.clone()), features }
        }
        Err(error) => {
            findings.push(Finding {
                what: "Vulkan device",
                state: error.to_string(),
                good: false,
                advice: "install a Vulkan 1.3 driver, or name one in VK_DRIVER_FILES",
            });
            Report { findings, device: None, features: Vec::new() }
        }
    }
}

/// Runs the command. Exit status 1 when a title could not be played here.
pub(crate) fn run(json: bool) -> Result<(), Failure> {
    let report = examine();
    let mut text = String::new();
    if json {
        text = serde_json::to_string_pretty(&report).map_err(Failure::could)?;
        text.push('\n');
    } else {
        for finding in &report.findings {
            let mark = if finding.good { "ok " } else { "NO " };
            let _ = writeln!(text, "{mark} {}: {}", finding.what, finding.state);
            if !finding.good {
                let _ = writeln!(text, "     {}", finding.advice);
            }
        }
        if !report.features.is_empty() {
            let _ = writeln!(text, "\n{:<40} {:<28} {:<4} without it", "feature", "needed by", "here");
            for row in &report.features {
                let here = if row.present { "yes" } else { "no" };
                let _ = writeln!(text, "{:<40} {:<28} {here:<4} {}", row.feature, row.rule, row.fallback);
            }
        }
    }
    say(&text)?;
    if report.device.is_none() {
        return Err(Failure::could("this machine has no usable Vulkan device: see above"));
    }
    Ok(())
}
