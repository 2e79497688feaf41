//! The number of rising chains in a series of clock readings: two clocks may share one field.

/// Counts the chains. Their number is the length of the longest strictly decreasing subsequence of readings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chains {
    /// The last reading of each chain, strictly decreasing from chain to chain.
    ends: Vec<i64>,
}

impl Chains {
    /// Adds a reading to the chain whose last reading is the largest one not above it, or starts a new chain. Returns
    /// whether it started one.
    pub(crate) fn add(&mut self, reading: i64) -> bool {
        let at = self.ends.partition_point(|end| *end > reading);
        match self.ends.get_mut(at) {
            Some(end) => {
                *end = reading;
                false
            }
            None => {
                self.ends.push(reading);
                true
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(readings: &[i64]) -> usize {
        let mut chains = Chains::default();
        readings.iter().for_each(|reading| {
            chains.add(*reading);
        });
        chains.count()
    }

    #[test]
    fn two_clocks_make_two_chains() {
        assert_eq!(count(&[1, 1, 2, 9]), 1);
        assert_eq!(count(&[10962, 10100, 10967, 10105, 10970]), 2);
        assert_eq!(count(&[3, 2, 1]), 3);
        assert_eq!(count(&[]), 0);
    }
}
