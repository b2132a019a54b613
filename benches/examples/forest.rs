//! Fits an ensemble to a file of rows, predicts another, and says how long each took: for `sklearn/forest.py`.
//!
//! ```text
//! forest kind trees features leaf depth seed train test out
//! file = rows, dims as u64, then x row after row, then y, all f64; little-endian
//! ```

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use infill::forest::{Data, Forest, Settings, Size};
use infill::rng::Generator;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [kind, trees, features, leaf, depth, seed, train, test, out] = &args[..] else {
        return Err("forest kind trees features leaf depth seed train test out".into());
    };
    let mut settings = match kind.as_str() {
        "random" => Settings::RANDOM,
        "extra" => Settings::EXTRA,
        "boosted" => Settings::BOOSTED,
        _ => return Err("kind is random, extra or boosted".into()),
    };
    settings.features = features.parse()?;
    settings.leaf = leaf.parse()?;
    settings.depth = depth.parse()?;
    let (dims, x, y) = read(train)?;
    let (_, points, _) = read(test)?;
    let trees: usize = trees.parse()?;

    let size = Size::full(y.len(), dims, trees);
    let mut block = vec![0; size.words::<f64>()];
    let mut work = vec![0; size.work::<f64>()];
    let levels = vec![0; dims];
    let mut forest = Forest::new(size, &mut block)?;
    let start = Instant::now();
    let data = Data { x: &x, y: &y, levels: &levels };
    forest.fit(&data, &settings, &mut work, &mut Generator::new(seed.parse()?))?;
    let fit = start.elapsed();

    let (mut means, mut variances) = (vec![0.0; points.len() / dims], vec![0.0; points.len() / dims]);
    let start = Instant::now();
    forest.trees::<f64>().predict_many(&points, &mut means, &mut variances)?;
    let predict = start.elapsed();

    fs::write(out, means.iter().chain(&variances).flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())?;
    println!("{} {} {}", fit.as_secs_f64(), predict.as_secs_f64(), forest.trees::<f64>().nodes());
    Ok(())
}

/// Dims, points and values.
type Table = (usize, Vec<f64>, Vec<f64>);

/// The table of a file.
fn read(path: &str) -> Result<Table, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let words: Vec<[u8; 8]> = bytes.chunks_exact(8).map(|c| c.try_into()).collect::<Result<_, _>>()?;
    let [rows, dims, values @ ..] = &words[..] else { return Err("no header".into()) };
    let (rows, dims) = (u64::from_le_bytes(*rows) as usize, u64::from_le_bytes(*dims) as usize);
    let mut x: Vec<f64> = values.iter().map(|&w| f64::from_le_bytes(w)).collect();
    if dims == 0 || Some(x.len()) != rows.checked_mul(dims + 1) {
        return Err("the counts do not fit the file".into());
    }
    let y = x.split_off(rows * dims);
    Ok((dims, x, y))
}
