//! Lines and labelled points as PNG, without dependencies: enough to look at a regret curve or a map.

use std::io;
use std::path::Path;

use crate::font::glyph;

const WIDTH: usize = 1120;
const HEIGHT: usize = 640;
/// Width of a letter with its gap, and height of a line of text.
const LETTER: usize = 12;
const LINE: usize = 20;

const WHITE: u8 = 0;
const BLACK: u8 = 1;
const GREY: u8 = 2;
const FIRST: u8 = 3;
/// White, black, grey, then eight colours that the colour-blind can tell apart (Okabe and Ito, yellow
/// darkened; the last a dark grey).
const PALETTE: [[u8; 3]; 11] = [
    [255, 255, 255],
    [0, 0, 0],
    [220, 220, 220],
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [170, 150, 0],
    [90, 90, 90],
];

/// A plot of named lines and of labelled points.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    x_label: String,
    y_label: String,
    logarithmic: bool,
    /// Whether a step is as long in both directions.
    equal: bool,
    lines: Vec<(String, Vec<(f64, f64)>)>,
    points: Vec<(String, (f64, f64))>,
}

impl Plot {
    /// An empty plot.
    pub fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        let (title, x_label, y_label) = (title.into(), x_label.into(), y_label.into());
        Self {
            title,
            x_label,
            y_label,
            logarithmic: false,
            equal: false,
            lines: Vec::new(),
            points: Vec::new(),
        }
    }

    /// Makes the vertical axis logarithmic, base ten. Values that are not positive have no place on it: they
    /// are drawn on the lower edge.
    #[must_use]
    pub fn log_y(self) -> Self {
        Self { logarithmic: true, ..self }
    }

    /// Makes a step as long in both directions, as on a map; not for a logarithmic axis.
    #[must_use]
    pub fn equal(self) -> Self {
        Self { equal: true, ..self }
    }

    /// Adds a point with its name beside it. One that is not finite is left out.
    #[must_use]
    pub fn point(mut self, name: &str, at: (f64, f64)) -> Self {
        if at.0.is_finite() && at.1.is_finite() {
            self.points.push((name.into(), at));
        }
        self
    }

    /// Adds a line through (x, y). A value that is NaN or infinite leaves a gap.
    #[must_use]
    pub fn line(mut self, name: &str, points: &[(f64, f64)]) -> Self {
        self.lines.push((name.into(), points.to_vec()));
        self
    }

    /// Adds a line through (1, y₁), (2, y₂), …
    #[must_use]
    pub fn curve(self, name: &str, values: &[f64]) -> Self {
        let points: Vec<_> = values.iter().enumerate().map(|(i, &y)| ((i + 1) as f64, y)).collect();
        self.line(name, &points)
    }

    /// Writes the PNG.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        std::fs::write(path, self.png())
    }

    /// The PNG.
    pub fn png(&self) -> Vec<u8> {
        self.draw().png()
    }

    fn draw(&self) -> Canvas {
        let mut canvas = Canvas { dots: vec![WHITE; WIDTH * HEIGHT] };
        let (left, top, right, bottom) = self.frame();
        let (mut x_low, mut x_high) = self.range(|p| Some(p.0));
        let (mut y_low, mut y_high) = self.range(|p| self.height(p.1));
        if self.logarithmic {
            (y_low, y_high) = (y_low.floor(), y_high.ceil());
        }
        if self.equal {
            // A margin, so that no point lies on the frame.
            let across = 1.1 * (x_high - x_low) / (right - left) as f64;
            let dot = across.max(1.1 * (y_high - y_low) / (bottom - top) as f64);
            let widen = |low: f64, high: f64, dots: usize| {
                let (middle, half) = (0.5 * (low + high), 0.5 * dot * dots as f64);
                (middle - half, middle + half)
            };
            (x_low, x_high) = widen(x_low, x_high, right - left);
            (y_low, y_high) = widen(y_low, y_high, bottom - top);
        }
        let column = |x: f64| left as f64 + (x - x_low) / (x_high - x_low) * (right - left) as f64;
        let row = |y: f64| bottom as f64 - (y - y_low) / (y_high - y_low) * (bottom - top) as f64;

        for x in ticks(x_low, x_high, false) {
            let at = column(x).round() as usize;
            canvas.stroke((at as f64, top as f64), (at as f64, bottom as f64), 0, GREY);
            let label = number(x);
            canvas.text(at.saturating_sub(label.len() * LETTER / 2), bottom + 8, &label, BLACK);
        }
        for y in ticks(y_low, y_high, self.logarithmic) {
            let at = row(y).round() as usize;
            canvas.stroke((left as f64, at as f64), (right as f64, at as f64), 0, GREY);
            let label = if self.logarithmic { format!("1e{y}") } else { number(y) };
            canvas.text((left - 8).saturating_sub(label.len() * LETTER), at.saturating_sub(7), &label, BLACK);
        }
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        for pair in corners.windows(2) {
            canvas.stroke(
                (pair[0].0 as f64, pair[0].1 as f64),
                (pair[1].0 as f64, pair[1].1 as f64),
                0,
                BLACK,
            );
        }

        for (index, (_, points)) in self.lines.iter().enumerate() {
            let mut last: Option<(f64, f64)> = None;
            for (step, &(x, y)) in points.iter().enumerate() {
                let here = match self.height(y) {
                    Some(y) if x.is_finite() => Some((column(x), row(y))),
                    _ if self.logarithmic && y <= 0.0 && x.is_finite() => Some((column(x), bottom as f64)),
                    _ => None,
                };
                if let Some(here) = here
                    && !(is_dashed(index) && step % 2 == 1)
                {
                    canvas.stroke(last.unwrap_or(here), here, 1, colour(index));
                }
                last = here;
            }
        }

        for (index, (name, _)) in self.lines.iter().enumerate() {
            let (x, y) = (right + 14, top + 4 + index * LINE);
            let dashes = if is_dashed(index) { &[(0, 8), (16, 24)][..] } else { &[(0, 24)] };
            for (from, to) in dashes {
                let ends = [from, to].map(|along| ((x + along) as f64, (y + 7) as f64));
                canvas.stroke(ends[0], ends[1], 1, colour(index));
            }
            canvas.text(x + 32, y, name, BLACK);
        }
        let dots: Vec<(f64, f64)> = self.points.iter().map(|(_, p)| (column(p.0), row(p.1))).collect();
        self.label(&mut canvas, &dots);
        canvas.text(left, 18, &self.title, BLACK);
        let middle = (left + right) / 2;
        canvas.text(
            middle.saturating_sub(self.x_label.len() * LETTER / 2),
            HEIGHT - 32,
            &self.x_label,
            BLACK,
        );
        canvas.text_upwards(10, (top + bottom) / 2 + self.y_label.len() * LETTER / 2, &self.y_label, BLACK);
        canvas
    }

    /// Draws the points, and their names where they hide nothing: as near as there is room, with a stroke to what is not beside it.
    fn label(&self, canvas: &mut Canvas, dots: &[(f64, f64)]) {
        let (left, top, right, bottom) = self.frame();
        // Left, top, width, height.
        let mut taken: Vec<[f64; 4]> = dots.iter().map(|&(x, y)| [x - 5.0, y - 5.0, 10.0, 10.0]).collect();
        let mut names = Vec::new();
        let free = |taken: &[[f64; 4]], [x, y, w, h]: [f64; 4]| {
            let inside = x > left as f64 && y > top as f64 && x + w < right as f64 && y + h < bottom as f64;
            let apart = |&[a, b, c, d]: &[f64; 4]| x >= a + c || a >= x + w || y >= b + d || b >= y + h;
            inside && taken.iter().all(apart)
        };
        for ((name, _), &(x, y)) in self.points.iter().zip(dots) {
            let (width, height) = (((name.chars().count() + 1) * LETTER) as f64, 18.0);
            let around = (0..40).flat_map(|ring| (0..24).map(move |turn| (ring, turn)));
            let place = around
                .map(|(ring, turn)| {
                    let (sin, cos) = (f64::from(turn) / 24.0 * std::f64::consts::TAU).sin_cos();
                    let (along, down) = (0.5 * width + 7.0, 0.5 * height + 5.0);
                    let far = 9.0 * f64::from(ring);
                    let middle = (x + (along + far) * cos, y + (down + far) * sin);
                    (ring, [middle.0 - 0.5 * width, middle.1 - 0.5 * height, width, height])
                })
                .find(|&(_, place)| free(&taken, place));
            // On a map that is full, a point without a name.
            if let Some((ring, place)) = place {
                taken.push(place);
                names.push((name, place));
                if ring > 0 {
                    let [a, b, c, d] = place;
                    canvas.stroke((x, y), (x.clamp(a, a + c), y.clamp(b, b + d)), 0, colour(5));
                }
            }
        }
        for (name, [x, y, w, h]) in names {
            // No stroke runs through a name.
            for line in y as usize..(y + h) as usize {
                canvas.stroke((x, line as f64), (x + w, line as f64), 0, WHITE);
            }
            canvas.text(x as usize + LETTER / 2, y as usize + 1, name, BLACK);
        }
        for &(x, y) in dots {
            canvas.stroke((x, y), (x, y), 4, FIRST);
        }
    }

    /// Left, top, right and bottom of the frame. The names of the lines stand to its right, where they hide
    /// nothing.
    fn frame(&self) -> (usize, usize, usize, usize) {
        let widest = self.lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        (110, 50, WIDTH - 60 - (widest * LETTER).min(WIDTH / 2), HEIGHT - 70)
    }

    /// Where a value stands on the vertical axis, if it has a place.
    fn height(&self, y: f64) -> Option<f64> {
        let place = if self.logarithmic { if y > 0.0 { y.log10() } else { f64::NAN } } else { y };
        place.is_finite().then_some(place)
    }

    /// The smallest interval around all points, widened where it is empty.
    fn range(&self, pick: impl Fn(&(f64, f64)) -> Option<f64>) -> (f64, f64) {
        let values =
            self.lines.iter().flat_map(|(_, points)| points).chain(self.points.iter().map(|(_, at)| at));
        let values = values.filter_map(pick).filter(|v| v.is_finite());
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if low < high {
            (low, high)
        } else if low == high {
            (low - 0.5, high + 0.5)
        } else {
            (0.0, 1.0)
        }
    }
}

/// Whether a line is drawn in every other step: its colour was used before.
fn is_dashed(index: usize) -> bool {
    index / (PALETTE.len() - FIRST as usize) % 2 == 1
}

fn colour(index: usize) -> u8 {
    FIRST + (index % (PALETTE.len() - FIRST as usize)) as u8
}

/// At most about ten round values in the interval: steps of 1, 2 or 5 times a power of ten, whole ones if asked.
fn ticks(low: f64, high: f64, whole: bool) -> Vec<f64> {
    let rough = (high - low) / 8.0;
    let power = 10.0_f64.powf(rough.log10().floor());
    let mut step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
    if whole {
        step = step.round().max(1.0);
    }
    let first = (low / step).ceil();
    (0..40).map(|i| (first + f64::from(i)) * step).take_while(|&v| v <= high + 1e-9 * step).collect()
}

/// A tick without the dust of binary fractions.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.1e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// One colour index per dot.
struct Canvas {
    dots: Vec<u8>,
}

impl Canvas {
    fn dot(&mut self, x: usize, y: usize, colour: u8) {
        if x < WIDTH && y < HEIGHT {
            self.dots[y * WIDTH + x] = colour;
        }
    }

    /// A straight stroke, `thick` dots wider on each side.
    fn stroke(&mut self, from: (f64, f64), to: (f64, f64), thick: i32, colour: u8) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).ceil().max(1.0);
        for i in 0..=steps as usize {
            let part = i as f64 / steps;
            let (x, y) = ((from.0 + part * dx).round() as i32, (from.1 + part * dy).round() as i32);
            for a in -thick..=thick {
                for b in -thick..=thick {
                    if let (Ok(x), Ok(y)) = (usize::try_from(x + a), usize::try_from(y + b)) {
                        self.dot(x, y, colour);
                    }
                }
            }
        }
    }

    fn text(&mut self, x: usize, y: usize, text: &str, colour: u8) {
        Self::letters(text, |along, down| self.dot(x + along, y + down, colour));
    }

    /// Text that reads from `y` upwards.
    fn text_upwards(&mut self, x: usize, y: usize, text: &str, colour: u8) {
        Self::letters(text, |along, down| {
            if let Some(y) = y.checked_sub(along) {
                self.dot(x + down, y, colour);
            }
        });
    }

    /// Calls `dot(along, down)` for every dot of the text, each dot of the font two by two.
    fn letters(text: &str, mut dot: impl FnMut(usize, usize)) {
        for (position, letter) in text.chars().enumerate() {
            for (i, column) in glyph(letter).into_iter().enumerate() {
                for j in (0..8).filter(|j| column >> j & 1 == 1) {
                    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        dot(position * LETTER + 2 * i + a, 2 * j + b);
                    }
                }
            }
        }
    }

    /// PNG with four bits per dot and a palette, in stored (not compressed) deflate blocks.
    fn png(&self) -> Vec<u8> {
        let mut raw = Vec::with_capacity((WIDTH / 2 + 1) * HEIGHT);
        for row in self.dots.chunks_exact(WIDTH) {
            raw.push(0);
            raw.extend(row.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]));
        }
        let mut zlib = vec![0x78, 0x01];
        let blocks = raw.chunks(0xFFFF);
        let count = blocks.len();
        for (index, block) in blocks.enumerate() {
            let length = block.len() as u16;
            zlib.push(u8::from(index + 1 == count));
            zlib.extend(length.to_le_bytes());
            zlib.extend((!length).to_le_bytes());
            zlib.extend(block);
        }
        zlib.extend(adler32(&raw).to_be_bytes());

        let mut header = Vec::new();
        header.extend((WIDTH as u32).to_be_bytes());
        header.extend((HEIGHT as u32).to_be_bytes());
        header.extend([4, 3, 0, 0, 0]);
        let mut png = vec![0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n'];
        chunk(&mut png, b"IHDR", &header);
        chunk(&mut png, b"PLTE", PALETTE.as_flattened());
        chunk(&mut png, b"IDAT", &zlib);
        chunk(&mut png, b"IEND", &[]);
        png
    }
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let start = png.len();
    png.extend(kind);
    png.extend(data);
    let sum = crc32(&png[start..]);
    png.extend(sum.to_be_bytes());
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |c, _| if c & 1 == 1 { c >> 1 ^ 0xEDB8_8320 } else { c >> 1 })
    })
}

fn adler32(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_the_published_ones() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 100.0, false), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(-3.0, 1.0, true), [-3.0, -2.0, -1.0, 0.0, 1.0]);
        assert_eq!(number(0.30000000000000004), "0.3");
        assert_eq!(number(-0.00000000001), "-1.0e-11");
    }

    #[test]
    fn lines_are_drawn_where_their_values_are() {
        let plot = Plot::new("t", "x", "y").log_y().curve("a", &[1.0, 0.1, 0.01]);
        let canvas = plot.draw();
        let at = |x: usize, y: usize| canvas.dots[y * WIDTH + x];
        let (left, top, right, bottom) = plot.frame();
        assert_eq!(at((left + right) / 2, (top + bottom) / 2), FIRST, "0.1 is half-way on a log axis");
        assert_eq!(at(left, top), FIRST);
        assert_eq!(at(right, bottom), FIRST);
    }

    #[test]
    fn any_values_give_a_whole_file() {
        let odd = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-300, 1e300];
        for plot in [
            Plot::new("", "", ""),
            Plot::new("map", "", "").equal().point("a", (1.0, 1.0)).point("odd", (f64::NAN, 1.0)),
            Plot::new("map", "", "").point("no room", (0.0, 0.0)).point(&"w".repeat(200), (1.0, 1.0)),
            Plot::new("odd", "x", "y").curve("odd", &odd),
            Plot::new("odd", "x", "y").log_y().curve("odd", &odd).curve("flat", &[2.0, 2.0]),
            Plot::new("one", "x", "y").line("one", &[(f64::NAN, 1.0), (3.0, 3.0)]),
        ] {
            let png = plot.png();
            assert_eq!(&png[1..4], b"PNG");
            assert_eq!(&png[png.len() - 8..png.len() - 4], b"IEND");
        }
    }
}
