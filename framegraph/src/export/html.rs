//! The frame as one HTML file: no network, no other file.

use super::FrameExport;

const PAGE: &str = include_str!("page.html");

/// The page. It holds the JSON and draws it in the browser.
///
/// # Errors
/// Those of [`FrameExport::json`].
pub fn html(export: &FrameExport) -> Result<String, serde_json::Error> {
    // Inside a script element only `<` could end it early.
    let data = serde_json::to_string(export)?.replace('<', "\\u003c");
    Ok(PAGE.replacen("/*DATA*/null", &data, 1))
}
