//! A critical-difference diagram in text.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::nemenyi::groups;
use crate::error::Error;

/// A critical-difference diagram: an axis of ranks, best on the left, a name for each method, the length of the critical
/// difference, and a bar under each group of methods that do not differ.
///
/// ```text
///                CD = 1.106
///                ├─────────────┤
///                1            2            3            4
///                ├────────────┼────────────┼────────────┤
///                           ││           │      │
///                           ━━━━━━━━━━━━━━      │
///                           ││           ━━━━━━━━
///      EO 1.861 ────────────┘│           │      └───────── 3.389 BO-best
/// EO-post 1.917 ─────────────┘           └──────────────── 2.833 BO-post
/// ```
///
/// `width` is that of the axis in characters, between 10 and 1000. Names are as wide as they have characters. The text
/// is UTF-8 and ends with a line break.
///
/// # Errors
/// [`Error::NoData`] for fewer than two methods, [`Error::Shape`] if there is not one name for each rank,
/// [`Error::NotFinite`] unless each rank is between 1 and their number and `difference` is finite and not negative,
/// [`Error::Config`] for another width.
pub fn diagram(names: &[&str], ranks: &[f64], difference: f64, width: usize) -> Result<String, Error> {
    let methods = ranks.len();
    Error::NoData.when(methods < 2)?;
    Error::Shape { needed: methods }.when(names.len() != methods)?;
    let last = methods as f64;
    if ranks.iter().any(|rank| !(*rank >= 1.0 && *rank <= last))
        || !(difference >= 0.0 && difference.is_finite())
    {
        return Err(Error::NotFinite);
    }
    Error::Config.when(!(10..=1000).contains(&width))?;
    let mut order: Vec<usize> = (0..methods).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let left = methods.div_ceil(2);
    let labels: Vec<String> =
        order[..left].iter().map(|&i| format!("{} {:.3}", clean(names[i]), ranks[i])).collect();
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0) + 2;
    let scale = (width - 1) as f64 / (last - 1.0);
    let place = |rank: f64| margin + libm::round((rank - 1.0) * scale) as usize;
    let spots: Vec<usize> = order.iter().map(|&i| place(ranks[i])).collect();

    let mut canvas = Canvas::default();
    canvas.text(0, margin, &format!("CD = {difference:.3}"));
    // Longer than the axis is as good as twice as long: nothing differs.
    let length = libm::round(difference.min(2.0 * last) * scale) as usize;
    canvas.line(1, margin, margin + length, '─');
    canvas.put(1, margin, '├');
    canvas.put(1, margin + length, if length == 0 { '│' } else { '┤' });
    canvas.line(3, margin, place(last), '─');
    let mut free = 0;
    for rank in 1..=methods {
        let (x, text) = (place(rank as f64), format!("{rank}"));
        let mark = if rank == 1 {
            '├'
        } else if rank == methods {
            '┤'
        } else {
            '┼'
        };
        canvas.put(3, x, mark);
        // Where ranks lie close together, some go without a number.
        if x >= free {
            canvas.text(2, x, &text);
            free = x + text.len() + 1;
        }
    }
    let bars = groups(ranks, difference);
    let names_at = 5 + bars.len();
    for (i, &x) in spots.iter().enumerate() {
        let row = names_at + if i < left { i } else { methods - 1 - i };
        for above in 4..row {
            canvas.put(above, x, '│');
        }
    }
    for (i, &(first, end)) in bars.iter().enumerate() {
        canvas.line(5 + i, spots[first], spots[end], '━');
    }
    for (i, label) in labels.iter().enumerate() {
        canvas.text(names_at + i, margin - 2 - label.chars().count(), label);
        canvas.line(names_at + i, margin - 1, spots[i], '─');
        canvas.put(names_at + i, spots[i], '┘');
    }
    let end = margin + width;
    for i in left..methods {
        let row = names_at + methods - 1 - i;
        canvas.line(row, spots[i], end, '─');
        canvas.put(row, spots[i], '└');
        canvas.text(row, end + 2, &format!("{:.3} {}", ranks[order[i]], clean(names[order[i]])));
    }
    Ok(canvas.finish())
}

/// The name without characters that would break the lines.
fn clean(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Lines of characters that grow as they are written.
#[derive(Default)]
struct Canvas(Vec<Vec<char>>);

impl Canvas {
    fn put(&mut self, row: usize, column: usize, mark: char) {
        if self.0.len() <= row {
            self.0.resize(row + 1, vec![]);
        }
        let line = &mut self.0[row];
        if line.len() <= column {
            line.resize(column + 1, ' ');
        }
        line[column] = mark;
    }

    fn line(&mut self, row: usize, from: usize, to: usize, mark: char) {
        for column in from..=to {
            self.put(row, column, mark);
        }
    }

    fn text(&mut self, row: usize, column: usize, text: &str) {
        for (i, mark) in text.chars().enumerate() {
            self.put(row, column + i, mark);
        }
    }

    fn finish(self) -> String {
        let mut text = String::new();
        for line in self.0 {
            let written: String = line.into_iter().collect();
            text.push_str(written.trim_end());
            text.push('\n');
        }
        text
    }
}
