//! The history of jumps, back and forward as in a browser.

use crate::replay::Seq;

/// The limit of the history; older jumps are dropped.
const MOST: usize = 1000;

#[derive(Clone, Debug, Default)]
pub(crate) struct JumpHistory {
    behind: Vec<Seq>,
    ahead: Vec<Seq>,
}

impl JumpHistory {
    /// Records a jump away from `at` and clears the forward history.
    pub(crate) fn leave(&mut self, at: Seq) {
        self.ahead.clear();
        if self.behind.last() != Some(&at) {
            self.behind.push(at);
        }
        if self.behind.len() > MOST {
            self.behind.remove(0);
        }
    }

    pub(crate) fn back(&mut self, at: Seq) -> Option<Seq> {
        let to = pop_other(&mut self.behind, at)?;
        self.ahead.push(at);
        Some(to)
    }

    pub(crate) fn forward(&mut self, at: Seq) -> Option<Seq> {
        let to = pop_other(&mut self.ahead, at)?;
        self.behind.push(at);
        Some(to)
    }
}

/// The last place other than `at`.
fn pop_other(places: &mut Vec<Seq>, at: Seq) -> Option<Seq> {
    while let Some(place) = places.pop() {
        if place != at {
            return Some(place);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_and_forward_retrace_the_jumps() {
        let mut history = JumpHistory::default();
        history.leave(Seq(1));
        history.leave(Seq(5));
        assert_eq!(history.back(Seq(9)), Some(Seq(5)));
        assert_eq!(history.back(Seq(5)), Some(Seq(1)));
        assert_eq!(history.back(Seq(1)), None);
        assert_eq!(history.forward(Seq(1)), Some(Seq(5)));
        assert_eq!(history.forward(Seq(5)), Some(Seq(9)));
        assert_eq!(history.forward(Seq(9)), None);
    }
}
