//! The parts of the program that tests and tools share: the graph of a title, a replay or a scene, and the sink of the API's records.

pub mod gate;
pub mod graph;
mod live;
pub mod screen;
pub mod sink;
