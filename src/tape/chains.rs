//! Into how many rising chains a row of clock readings splits: two clocks may share one field.

/// Counts the chains: as many as the longest strictly falling row of readings has members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chains {
    /// The last reading of each chain. They fall strictly from chain to chain.
    ends: Vec<i64>,
}

impl Chains {
    /// Puts a reading on the chain whose end it can follow and is nearest to, or begins another one.
    /// Answers whether it began one.
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
