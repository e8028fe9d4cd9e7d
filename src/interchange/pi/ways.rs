//! Where the new nodes of a file belong: the branches that go along with them, and what they say of labels and the title.

use std::collections::HashMap;

use super::node::Says;
use super::write::Import;
use crate::Result;
use crate::interchange::plan::{Fate, Plan};
use crate::ops::import::{Carrier, Run};

impl Import<'_> {
    /// Says which branches go along with the new nodes. Returns the node to which the branch that follows the file is to go
    /// if that is one that was there before.
    pub(super) fn set_out(&self, plan: &mut Plan, run: &mut Run) -> Result<Option<String>> {
        let last = plan.fates.last().cloned();
        let follows = match run.hidden {
            true => Some(self.store.hidden_branch(run.session_key)?),
            false => self.store.followed_branch(run.session_key)?,
        };
        let leaf_key = follows.and_then(|(_, leaf_key)| leaf_key);
        let (goes_along, goes_to) = match last {
            None => (None, None),
            Some(Fate::New(place)) => {
                let stays = match leaf_key {
                    Some(key) if !run.hidden => {
                        self.ends_below(plan, run.session_key, place, key)?
                    }
                    _ => false,
                };
                ((!stays).then_some(place), None)
            }
            Some(Fate::Known(id)) => {
                let stays = match leaf_key {
                    _ if run.hidden => false,
                    // An older copy of the file has nothing new, and takes nobody back.
                    _ if plan.nodes.is_empty() => true,
                    Some(key) => self.store.is_above(run.session_key, &id, key)?,
                    None => false,
                };
                (None, (!stays).then_some(id))
            }
        };
        plan.find_ways(goes_along);
        let id_of = |place: &usize| {
            let node = plan.nodes.get(*place);
            node.map_or_else(String::new, |node| node.id.clone())
        };
        run.carriers = plan
            .ends
            .iter()
            .enumerate()
            .map(|(way, end)| match goes_along {
                Some(_) if way == 0 => Carrier::to_file_leaf(id_of(end), follows),
                _ => Carrier::to_leaf(id_of(end)),
            })
            .collect();
        Ok(goes_to)
    }

    /// Whether the branch that follows the file will end below a new node once the orphans have their parents.
    fn ends_below(&self, plan: &Plan, session: i64, place: usize, leaf_key: i64) -> Result<bool> {
        let mut at = leaf_key;
        // Each round goes up through new nodes to a known one; a path that comes back to where it was ends the search.
        for _ in 0..=plan.nodes.len() {
            let Some((_, Some(missing))) = self.store.top_of(at)? else {
                return Ok(false);
            };
            let Some(mut node) = plan.new_node(&missing) else {
                return Ok(false);
            };
            loop {
                if node == place {
                    return Ok(true);
                }
                match plan.parents.get(node).copied().flatten() {
                    Some(parent) => node = parent,
                    None => break,
                }
            }
            let record = plan.nodes.get(node).map(|node| node.record);
            let entry = record.and_then(|record| self.census.entries.get(record));
            let Some(parent) = entry.and_then(|entry| entry.parent.as_deref()) else {
                return Ok(false);
            };
            match self.store.key_of(session, parent)? {
                Some(key) if key != leaf_key => at = key,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    /// What the new nodes say about labels and the title, where no later line of the file says otherwise.
    pub(super) fn sayings(&self, plan: &Plan) -> HashMap<usize, Says> {
        let mut sayings: HashMap<usize, Says> = HashMap::new();
        let place_of = |record: usize| match plan.fates.get(record) {
            Some(Fate::New(place)) => Some(*place),
            _ => None,
        };
        for place in self.census.labels.values().copied().filter_map(place_of) {
            sayings.entry(place).or_default().label = true;
        }
        if let Some(place) = self.census.title.and_then(place_of) {
            sayings.entry(place).or_default().title = true;
        }
        sayings
    }
}
