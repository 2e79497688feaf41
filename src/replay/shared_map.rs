//! A persistent map: cheap to clone however large it grows, and cheaper still while it is small.

use imbl::OrdMap;

/// How many entries are kept in a plain list. Cloning these few is cheap; larger maps are shared trees.
const FEW: usize = 16;

#[derive(Clone)]
pub(crate) struct SharedMap<K, V> {
    few: Vec<(K, V)>,
    many: Option<OrdMap<K, V>>,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        SharedMap { few: Vec::new(), many: None }
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    pub(crate) fn insert(&mut self, key: K, value: V) {
        if let Some(many) = &mut self.many {
            many.insert(key, value);
        } else if let Some(known) = self.few.iter_mut().find(|entry| entry.0 == key) {
            known.1 = value;
        } else if self.few.len() < FEW {
            self.few.push((key, value));
        } else {
            let mut many: OrdMap<K, V> = self.few.drain(..).collect();
            many.insert(key, value);
            self.many = Some(many);
        }
    }

    /// Returns whether the key was there.
    pub(crate) fn remove(&mut self, key: &K) -> bool {
        match &mut self.many {
            Some(many) => {
                let removed = many.remove(key).is_some();
                if many.is_empty() {
                    self.many = None;
                }
                removed
            }
            None => match self.few.iter().position(|known| known.0 == *key) {
                Some(place) => {
                    self.few.swap_remove(place);
                    true
                }
                None => false,
            },
        }
    }

    pub(crate) fn clear(&mut self) {
        self.few.clear();
        self.many = None;
    }

    pub(crate) fn len(&self) -> usize {
        self.many.as_ref().map_or(self.few.len(), OrdMap::len)
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// In no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.few.iter().map(|entry| (&entry.0, &entry.1)).chain(self.many.iter().flat_map(OrdMap::iter))
    }
}

impl<K: Ord + Clone, V: Clone + PartialEq> PartialEq for SharedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let in_order =
            |map: &Self| -> OrdMap<K, V> { map.many.clone().unwrap_or_else(|| map.few.iter().cloned().collect()) };
        self.len() == other.len() && in_order(self) == in_order(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_maps_behave_alike() {
        let mut map = SharedMap::default();
        let mut naive = std::collections::BTreeMap::new();
        for round in 0..200_u64 {
            let key = round * 7 % 41;
            if round % 3 == 0 {
                assert_eq!(map.remove(&key), naive.remove(&key).is_some(), "round {round}");
            } else {
                map.insert(key, round);
                naive.insert(key, round);
            }
            assert_eq!(map.len(), naive.len());
        }
        let mut entries: Vec<(u64, u64)> = map.iter().map(|(key, value)| (*key, *value)).collect();
        entries.sort_unstable();
        assert!(entries.into_iter().eq(naive.iter().map(|(key, value)| (*key, *value))));
        assert!(naive.keys().all(|key| map.remove(key)) && map.is_empty());
    }
}
