//! A steady frame allocates nothing, and the graph finds what plain vectors find.

use framegraph_bench::allocator::Counting;
use framegraph_bench::synthetic;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Tests are compiled with little optimisation, next to others: what holds there is an order of magnitude. `cargo xtask bench -- --check` has the limit.
const LIMIT: f64 = 60.0;

#[test]
fn a_steady_frame_allocates_nothing_and_is_no_order_of_magnitude_off() {
    let costs = synthetic::measure(12);
    assert!(costs.diagnostics.is_empty(), "{:?}", costs.diagnostics);
    let guilty: Vec<_> =
        costs.profile.rows.iter().filter(|row| row.allocations > 0).map(|row| (row.name, row.allocations)).collect();
    assert!(guilty.is_empty(), "allocations by system: {guilty:?}");
    assert_eq!((costs.fill.allocations, costs.plan.allocations, costs.records.allocations), (0, 0, 0));
    let ratio = costs.plan.median() / costs.plain.median();
    assert!(ratio < LIMIT, "tables to Plan cost {ratio:.1} x plain vectors");
}

#[test]
fn allocations_are_seen() {
    let before = framegraph_bench::allocator::allocations();
    std::hint::black_box(vec![0u8; 100]);
    assert_eq!(framegraph_bench::allocator::allocations(), before + 1);
}

#[test]
fn keyed_by_whole_resource_the_graph_finds_what_plain_vectors_find() {
    for agreement in synthetic::agreements() {
        assert_eq!(agreement.graph, agreement.plain);
        assert!(agreement.graph.0 > 900 && agreement.graph.1 > 20, "{agreement:?}");
    }
}
