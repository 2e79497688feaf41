//! A set of call identities that is cheap to clone, and cheaper still while it is small.

use imbl::OrdSet;

/// How many entries are kept in a plain list. Cloning so few is cheap; beyond it the set is shared.
const FEW: usize = 16;

#[derive(Clone, Default, PartialEq)]
pub struct CallSet {
    few: Vec<u64>,
    many: Option<OrdSet<u64>>,
}

impl CallSet {
    pub fn insert(&mut self, call: u64) {
        if let Some(many) = &mut self.many {
            many.insert(call);
        } else if !self.few.contains(&call) {
            if self.few.len() < FEW {
                self.few.push(call);
            } else {
                let mut many: OrdSet<u64> = self.few.drain(..).collect();
                many.insert(call);
                self.many = Some(many);
            }
        }
    }

    /// True if it was there.
    pub fn remove(&mut self, call: u64) -> bool {
        match &mut self.many {
            Some(many) => {
                let removed = many.remove(&call).is_some();
                if many.is_empty() {
                    self.many = None;
                }
                removed
            }
            None => match self.few.iter().position(|known| *known == call) {
                Some(place) => {
                    self.few.swap_remove(place);
                    true
                }
                None => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_behave_alike() {
        let mut set = CallSet::default();
        let mut naive = std::collections::BTreeSet::new();
        for round in 0..200_u64 {
            let call = round * 7 % 41;
            if round % 3 == 0 {
                assert_eq!(set.remove(call), naive.remove(&call), "round {round}");
            } else {
                set.insert(call);
                naive.insert(call);
            }
        }
        assert!(naive.iter().all(|call| set.remove(*call)));
    }
}
