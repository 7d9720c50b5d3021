//! Proof scenes, differential tests and benches.

#[cfg(test)]
mod repository;
pub mod scene;
