//! Helpers of the benchmarks.
