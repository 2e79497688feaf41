//! Calls that are planned and not finished in this step: an ordered list with duplicates that is cheap to clone.

use std::collections::HashSet;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use imbl::{OrdMap, OrdSet};

/// How many entries a plain list holds. Above this, shared sets are used, because cloning a list gets expensive.
const FEW: usize = 16;

/// A list of call ids in planning order. Removing an id takes logarithmic time.
#[derive(Clone, Default)]
pub(crate) struct Pending {
    few: Vec<(u64, Arc<str>)>,
    many: Option<Many>,
}

#[derive(Clone, Default)]
struct Many {
    next: u32,
    by_order: OrdMap<u32, (u64, Arc<str>)>,
    by_call: OrdSet<(u64, u32)>,
}

impl Pending {
    pub(crate) fn add(&mut self, call: u64, id: &str) {
        let entry = (call, Arc::from(id));
        if let Some(many) = &mut self.many {
            many.add(entry);
        } else if self.few.len() < FEW {
            self.few.push(entry);
        } else {
            let mut many = Many::default();
            self.few.drain(..).for_each(|entry| many.add(entry));
            many.add(entry);
            self.many = Some(many);
        }
    }

    /// Removes every entry of the call. Returns whether there was one.
    pub(crate) fn remove(&mut self, call: u64) -> bool {
        match &mut self.many {
            Some(many) => many.remove(call),
            None => {
                let before = self.few.len();
                self.few.retain(|entry| entry.0 != call);
                self.few.len() < before
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.few.clear();
        self.many = None;
    }

    pub(crate) fn len(&self) -> usize {
        self.many.as_ref().map_or(self.few.len(), |many| many.by_order.len())
    }

    /// The ids that only `other` has, and those that only this list has. Shared parts are skipped.
    pub(crate) fn changes<'p>(&'p self, other: &'p Pending) -> (Vec<&'p str>, Vec<&'p str>) {
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        if let (Some(one), Some(two)) = (&self.many, &other.many) {
            for difference in one.by_order.diff(&two.by_order) {
                match difference {
                    DiffItem::Add(_, entry) => added.push(&*entry.1),
                    DiffItem::Remove(_, entry) => removed.push(&*entry.1),
                    DiffItem::Update { .. } => {}
                }
            }
        } else if let (None, None) = (&self.many, &other.many) {
            let has = |list: &[(u64, Arc<str>)], call: u64| list.iter().any(|entry| entry.0 == call);
            let only = |these: &'p [(u64, Arc<str>)], those: &[(u64, Arc<str>)], found: &mut Vec<&'p str>| {
                found.extend(these.iter().filter(|entry| !has(those, entry.0)).map(|entry| &*entry.1));
            };
            only(&other.few, &self.few, &mut added);
            only(&self.few, &other.few, &mut removed);
        } else {
            let (before, after): (HashSet<&str>, HashSet<&str>) = (self.iter().collect(), other.iter().collect());
            added.extend(other.iter().filter(|id| !before.contains(id)));
            removed.extend(self.iter().filter(|id| !after.contains(id)));
        }
        (added, removed)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let many = self.many.iter().flat_map(|many| many.by_order.values());
        self.few.iter().chain(many).map(|entry| &*entry.1)
    }
}

impl Many {
    fn add(&mut self, entry: (u64, Arc<str>)) {
        self.by_call.insert((entry.0, self.next));
        self.by_order.insert(self.next, entry);
        self.next += 1;
    }

    fn remove(&mut self, call: u64) -> bool {
        let orders: Vec<u32> = self.by_call.range((call, 0)..=(call, u32::MAX)).map(|entry| entry.1).collect();
        for order in &orders {
            self.by_call.remove(&(call, *order));
            self.by_order.remove(order);
        }
        !orders.is_empty()
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        if let (Some(one), Some(two)) = (&self.many, &other.many)
            && one.by_order.ptr_eq(&two.by_order)
        {
            return true;
        }
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_duplicates_survive_growing() {
        let mut pending = Pending::default();
        let mut naive: Vec<String> = Vec::new();
        for round in 0..60_u64 {
            let call = round % 23;
            pending.add(call, &call.to_string());
            naive.push(call.to_string());
            if round % 5 == 4 {
                let gone = round / 5;
                assert_eq!(pending.remove(gone), naive.contains(&gone.to_string()));
                naive.retain(|id| *id != gone.to_string());
            }
            assert!(pending.iter().eq(naive.iter()), "round {round}");
        }
    }
}
