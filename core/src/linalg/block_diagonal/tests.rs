use std::vec;
use std::vec::Vec;

use super::super::tests::{definite, distance, entry, noise};
use super::super::{self as linalg, factor, packed, solve_lower, solve_upper};
use super::{Block, Blocks, append, clear, drop_row, group, insert, truncate};
use crate::error::Error;
use crate::real::Real;

/// Which block each of `n` rows belongs to: one block, two, many of unequal length, each row alone.
fn groupings(n: usize) -> Vec<Vec<usize>> {
    let uneven = |i: usize| (i * i * 7 + i / 3) % 11 * ((i * 5) % 7) % 6;
    vec![vec![0; n], (0..n).map(|i| i % 2).collect(), (0..n).map(uneven).collect(), (0..n).collect()]
}

fn indexed(of: &[usize]) -> Vec<u32> {
    let mut index = vec![9; of.len() + 1];
    group(&mut index, of.len(), |a, b| of[a] == of[b]);
    index
}

/// A matrix with zeros between blocks.
fn masked<R: Real>(of: &[usize], seed: u64) -> Vec<R> {
    let mut a = definite::<R>(of.len(), seed);
    for i in 0..of.len() {
        for j in (0..i).filter(|&j| of[i] != of[j]) {
            a[packed(i) + j] = R::ZERO;
        }
    }
    a
}

/// The plain triangle that a factor by blocks stands for.
fn expand<R: Real>(l: &[R], blocks: Blocks<'_>, n: usize) -> Vec<R> {
    let mut plain = vec![R::ZERO; packed(n)];
    for block in blocks.iter() {
        let mut triangle = vec![R::ZERO; packed(block.len())];
        block.load(l, &mut triangle).unwrap();
        for (t, i) in block.rows().enumerate() {
            for (u, j) in block.rows().enumerate().take(t + 1) {
                plain[packed(i) + j] = triangle[packed(t) + u];
            }
        }
    }
    plain
}

/// A factor by blocks, row after row.
fn appended<R: Real>(a: &[R], of: &[usize]) -> (Vec<R>, Vec<u32>) {
    let (mut l, mut index) = (vec![R::ZERO; a.len()], vec![0; of.len()]);
    for n in 0..of.len() {
        let block = insert(&mut index, n, |row| of[row] == of[n]).unwrap();
        let m = block.len();
        assert_eq!(block.rows().collect::<Vec<_>>(), (0..=n).filter(|&i| of[i] == of[n]).collect::<Vec<_>>());
        for (t, row) in block.rows().enumerate() {
            l[packed(n) + n + 1 - m + t] = a[packed(n) + row];
        }
        append(&mut l, block).unwrap();
    }
    (l, index)
}

fn check<R: Real>(tolerance: f64) {
    for n in [1, 2, 3, 7, 20, 45, 90] {
        for of in groupings(n) {
            let a = masked::<R>(&of, n as u64);
            let mut plain = a.clone();
            factor(&mut plain, n).unwrap();
            let (l, index) = appended(&a, &of);
            let blocks = Blocks::of(&index, n);
            assert!(blocks.is_sound() && !blocks.is_whole());
            assert!(distance(&expand(&l, blocks, n), &plain) < tolerance);
            assert!(
                (linalg::log_determinant(&l, n) - linalg::log_determinant(&plain, n)).abs().to_f64() < 1e-3
            );
            if of.iter().all(|&b| b == 0) {
                assert_eq!(l, expand(&l, blocks, n), "one block is a plain triangle");
            }
            let side = noise::<R>(n, 4);
            for upper in [false, true] {
                let (mut own, mut other, mut scratch) = (side.clone(), side.clone(), vec![R::ZERO; n]);
                blocks.solve(&l, n, &mut own, upper, &mut scratch).unwrap();
                if upper { solve_upper(&plain, n, &mut other) } else { solve_lower(&plain, n, &mut other) }
                    .unwrap();
                assert!(distance(&own, &other) < tolerance);
            }
            for block in blocks.iter() {
                let m = block.len();
                let mut sides = noise::<R>(37 * m, 5);
                let singles: Vec<R> = sides
                    .chunks_exact(m)
                    .flat_map(|side| {
                        let mut side = side.to_vec();
                        block.solve_lower(&l, &mut side, 1).unwrap();
                        side
                    })
                    .collect();
                block.solve_lower(&l, &mut sides, 37).unwrap();
                assert!(distance(&sides, &singles) < tolerance);
                let mut spread: Vec<R> = noise(n, 6);
                let front = spread[..m].to_vec();
                block.spread(&mut spread);
                let dot = block.dot(&front, &side).to_f64();
                let whole: f64 = spread.iter().zip(&side).map(|(a, b)| (*a * *b).to_f64()).sum();
                assert!((dot - whole).abs() < tolerance);
                block.gather_here(&mut spread);
                assert_eq!(spread[..m], front);
            }
            for k in [0, n / 2, n - 1] {
                check_drop(&a, &of, k, tolerance);
            }
        }
    }
}

fn check_drop<R: Real>(a: &[R], of: &[usize], k: usize, tolerance: f64) {
    let n = of.len();
    let (mut l, mut index) = appended(a, of);
    drop_row(&mut l, &mut index, n, k).unwrap();
    let kept: Vec<usize> = (0..n).filter(|&i| i != k).collect();
    let blocks = Blocks::of(&index, n - 1);
    assert!(blocks.is_sound());
    let rest: Vec<usize> = kept.iter().map(|&i| of[i]).collect();
    let by_rows = |blocks: Blocks<'_>| {
        let mut rows: Vec<Vec<usize>> = blocks.iter().map(|b| b.rows().collect()).collect();
        rows.sort();
        rows
    };
    assert_eq!(by_rows(blocks), by_rows(Blocks::of(&indexed(&rest), n - 1)));
    let mut plain: Vec<R> = Vec::new();
    for (i, &p) in kept.iter().enumerate() {
        plain.extend(kept[..=i].iter().map(|&q| R::of(entry(a, p, q))));
    }
    factor(&mut plain, n - 1).unwrap();
    let left = expand(&l, blocks, n - 1);
    assert!(distance(&left, &plain) < tolerance, "{n} {k}");
    // Nothing but zeros before the entries of a row.
    for block in blocks.iter() {
        for (t, row) in block.rows().enumerate() {
            assert!(l[packed(row)..packed(row) + row - t].iter().all(|&v| v == R::ZERO));
        }
    }
}

#[test]
fn blocks_stand_for_the_plain_triangle() {
    check::<f64>(1e-12);
    check::<f32>(2e-4);
}

#[test]
fn rows_are_grouped() {
    let of = [3, 1, 3, 2, 1, 3, 2];
    let mut index = indexed(&of);
    let rows = |index: &[u32], n: usize| -> Vec<Vec<usize>> {
        Blocks::of(index, n).iter().map(|b| b.rows().collect()).collect()
    };
    let mut found = rows(&index, 7);
    found.sort();
    assert_eq!(found, [vec![0, 2, 5], vec![1, 4], vec![3, 6]]);
    truncate(&mut index, 7, 3);
    let mut found = rows(&index, 3);
    found.sort();
    assert_eq!(found, [vec![0, 2], vec![1]]);
    let block = insert(&mut index, 3, |row| row == 1).unwrap();
    assert_eq!(block.rows().collect::<Vec<_>>(), [1, 3]);
    truncate(&mut index, 4, 0);
    clear(&mut index);
    assert!(Blocks::of(&index, 4).is_whole());
    assert!(Blocks::default().iter().next().is_none());
}

#[test]
fn bad_requests_are_refused() {
    let head = 1 << 31;
    for index in [[head, 3, 1], [head, 1, 1], [head | 1, 0, 2], [head, 2, 1], [head | 2, head | 1, head | 3]]
    {
        assert!(!Blocks::of(&index, 3).is_sound(), "{index:?}");
    }
    assert!(Blocks::of(&[head, 2, head | 1], 3).is_sound());
    // More rows than numbers, or none: nothing is believed.
    assert!(Blocks::of(&[head], 2).is_whole() && Blocks::of(&[], 1).is_whole());
    assert_eq!(insert(&mut [head, 1], 2, |_| true).unwrap_err(), Error::Shape { needed: 3 });
    let mut short = [head, 1];
    group(&mut short, 3, |_, _| true);
    assert!(Blocks::of(&short, 2).is_whole());
    let (mut l, mut index) = ([1.0f64, 0.0, 1.0], [head, head | 1]);
    assert_eq!(drop_row(&mut l, &mut index, 2, 2), Err(Error::Shape { needed: 3 }));
    assert_eq!(drop_row(&mut l[..2], &mut index, 2, 1), Err(Error::Shape { needed: 3 }));
    let block = Blocks::of(&index, 2).iter().next().unwrap();
    assert_eq!(block.solve_lower(&[1.0f64], &mut [], 1), Err(Error::Shape { needed: 1 }));
    assert_eq!(block.solve_upper(&[], &mut [1.0f64]), Err(Error::Shape { needed: 1 }));
    assert_eq!(
        Blocks::of(&index, 2).solve(&l, 2, &mut [1.0], false, &mut [0.0]),
        Err(Error::Shape { needed: 2 })
    );
    assert_eq!(append(&mut [f64::NAN], Block::default()), Err(Error::NotPositiveDefinite { row: 0 }));
    l[2] = -1.0;
    let last = Blocks::of(&index, 2).iter().nth(1).unwrap();
    assert_eq!(append(&mut l, last), Err(Error::NotPositiveDefinite { row: 1 }));
}
