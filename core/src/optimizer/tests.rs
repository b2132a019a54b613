//! What is counted is what is cut.

use std::vec;

use crate::arena::Arena;
use crate::gp::{Gp, Size};
use crate::real::Real;
use crate::search;
use crate::trend::Trend;

fn counted_is_cut<R: Real>(dims: usize, rows: usize, trend: Trend, batch: usize, starts: usize) {
    let size = Size { rows, exact: rows, dims, thetas: dims + 2, columns: trend.columns(dims), batch };
    let mut words = vec![0; size.words::<R>()];
    let mut arena = Arena::new(&mut words);
    Gp::<R>::carve(&mut arena, trend, size).unwrap();
    assert_eq!(arena.used(), size.words::<R>());
    let mut words = vec![0; search::words::<R>(dims, batch, starts)];
    let mut arena = Arena::new(&mut words);
    search::Memory::<R>::carve(&mut arena, dims, batch, starts).unwrap();
    assert_eq!(arena.used(), search::words::<R>(dims, batch, starts));
}

#[test]
fn words_are_those_of_the_parts() {
    for dims in [1, 2, 5] {
        for rows in [1, 2, 7, 16] {
            for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
                counted_is_cut::<f64>(dims, rows, trend, 3, 2);
                counted_is_cut::<f32>(dims, rows, trend, 3, 2);
            }
        }
    }
}
