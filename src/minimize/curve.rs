//! The size of the log over the tests, as a small bar chart.

/// With more points than this, every second one is dropped.
const MOST_POINTS: usize = 1024;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Sizes, equally far apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Curve {
    sizes: Vec<usize>,
    /// One in this many sizes is kept.
    stride: usize,
    passed_over: usize,
    last: usize,
}

impl Curve {
    pub(crate) fn from(size: usize) -> Curve {
        Curve { sizes: vec![size], stride: 1, passed_over: 0, last: size }
    }

    pub(crate) fn push(&mut self, size: usize) {
        self.last = size;
        self.passed_over += 1;
        if self.passed_over < self.stride {
            return;
        }
        self.passed_over = 0;
        self.sizes.push(size);
        if self.sizes.len() > MOST_POINTS {
            let mut number = 0;
            self.sizes.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// Bars of `rows` rows, the highest row first, on a logarithmic scale. No bar is empty.
    pub(crate) fn bars(&self, columns: usize, rows: usize) -> Vec<String> {
        let height = |size: usize| ((size + 1) as f64).log2();
        let highest = self.sizes.iter().copied().map(height).fold(1.0, f64::max);
        let steps = rows * BARS.len();
        let level = |column: usize| {
            let level = (height(self.at(column, columns)) / highest * (steps - 1) as f64).round() as usize;
            level.min(steps - 1) + 1
        };
        let levels: Vec<usize> = (0..columns).map(level).collect();
        let row = |row: usize| {
            let below = (rows - 1 - row) * BARS.len();
            levels.iter().map(move |level| match level.saturating_sub(below).min(BARS.len()) {
                0 => ' ',
                filled => BARS[filled - 1],
            })
        };
        (0..rows).map(|number| row(number).collect()).collect()
    }

    fn at(&self, column: usize, columns: usize) -> usize {
        let last = columns.saturating_sub(1);
        // The last bar is the current size, also between two points.
        if column == last { self.last } else { self.sizes[column * (self.sizes.len() - 1) / last.max(1)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[usize]) -> Curve {
        let mut curve = Curve::from(sizes[0]);
        sizes[1..].iter().for_each(|size| curve.push(*size));
        curve
    }

    #[test]
    fn the_curve_falls_with_the_sizes() {
        let drawn = of(&[1000, 1000, 30, 4, 1]).bars(24, 1).concat();
        assert_eq!(drawn.chars().count(), 24);
        assert!(drawn.starts_with('█') && drawn.ends_with('▂'), "{drawn}");
        assert_eq!(of(&[0]).bars(24, 1), ["▁".repeat(24)]);
        assert_eq!(of(&[7, 7, 1]).bars(3, 2), ["██ ", "██▆"]);
    }

    #[test]
    fn a_long_search_keeps_few_points_and_ends_with_the_current_size() {
        let sizes: Vec<usize> = (0..1_000_000).rev().collect();
        let curve = of(&sizes);
        assert!(curve.sizes.len() <= MOST_POINTS);
        let (first, last) = (curve.at(0, 40), curve.at(39, 40));
        assert_eq!((first, last), (999_999, 0));
        assert!((400_000..600_000).contains(&curve.at(20, 40)), "{}", curve.at(20, 40));
    }
}
