//! Trees as lists of parents: parents before children, cycles broken, and each node on the way of one branch.

/// The nodes of a source that are new, by their places in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// Every node, parents before their children, otherwise in the order of the source.
    pub order: Vec<usize>,
    /// Nodes that lie in a cycle and stand first in it: they become roots.
    pub broken: Vec<usize>,
}

/// Orders nodes by their parents; `None` is a root, or a node whose parent is not among them. Links of broken cycles are
/// taken out of `parents`. Costs a few steps a node, in any order and at any depth.
pub(super) fn parents_first(parents: &mut [Option<usize>]) -> Order {
    const UNSEEN: u32 = 0;
    const PLACED: u32 = u32::MAX;
    // What is neither is the number of the walk that the node is on.
    let mut state = vec![UNSEEN; parents.len()];
    let mut found = Order::default();
    found.order.reserve(parents.len());
    let mut path = Vec::new();
    for (start, walk) in (0..parents.len()).zip(1..) {
        let mut at = start;
        loop {
            match state.get(at) {
                Some(&PLACED) | None => break,
                Some(&seen) if seen == walk => {
                    // The walk came back to itself: the cycle is the part of the path from here on.
                    let cycle = path.iter().rposition(|on_path| *on_path == at).unwrap_or(0);
                    let Some(first) = path[cycle..].iter().min().copied() else {
                        break;
                    };
                    found.broken.push(first);
                    parents[first] = None;
                    path.truncate(cycle);
                    // From the broken link the rest of the cycle is walked as a path.
                    let mut again = at;
                    let mut rest = vec![again];
                    while let Some(parent) = parents[again] {
                        again = parent;
                        rest.push(again);
                    }
                    path.extend(rest);
                    break;
                }
                Some(_) => {
                    state[at] = walk;
                    path.push(at);
                }
            }
            match parents[at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        while let Some(node) = path.pop() {
            if state[node] != PLACED {
                state[node] = PLACED;
                found.order.push(node);
            }
        }
    }
    found
}

/// For each node the branch that goes along with it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    pub carrier: Vec<usize>,
    /// For each branch the node where it ends.
    pub ends: Vec<usize>,
}

/// Gives every node to the way of one branch: to that of `file_leaf` if it is above it, else to that of its first child.
/// The way of `file_leaf` is number 0, if there is one.
pub(super) fn ways(order: &[usize], parents: &[Option<usize>], file_leaf: Option<usize>) -> Ways {
    let mut carrier: Vec<Option<usize>> = vec![None; parents.len()];
    let mut ends: Vec<usize> = file_leaf.into_iter().collect();
    for node in order.iter().rev().copied() {
        if file_leaf == Some(node) {
            carrier[node] = Some(0);
        }
        let way = *carrier[node].get_or_insert_with(|| {
            ends.push(node);
            ends.len() - 1
        });
        if let Some(parent) = parents[node] {
            let is_files = file_leaf.is_some() && carrier[parent] == Some(0);
            if !is_files {
                carrier[parent] = Some(way);
            }
        }
    }
    Ways {
        carrier: carrier.into_iter().map(Option::unwrap_or_default).collect(),
        ends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_cycles_are_broken_at_their_first_node() {
        type Case<'a> = (&'a [Option<usize>], &'a [usize], &'a [usize]);
        let cases: [Case<'_>; 7] = [
            (&[], &[], &[]),
            (&[None, Some(0), Some(1)], &[0, 1, 2], &[]),
            (&[Some(2), Some(0), None], &[2, 0, 1], &[]),
            (&[Some(0)], &[0], &[0]),
            (&[Some(1), Some(0)], &[0, 1], &[0]),
            // 1 leads into the cycle 2 -> 4 -> 3 -> 2; 0 stands alone.
            (
                &[None, Some(4), Some(4), Some(2), Some(3)],
                &[0, 2, 3, 4, 1],
                &[2],
            ),
            (&[Some(1), Some(2), Some(1), Some(0)], &[1, 0, 2, 3], &[1]),
        ];
        for (parents, order, broken) in cases {
            let mut parents = parents.to_vec();
            let found = parents_first(&mut parents);
            assert_eq!(found.order, order, "{parents:?}");
            assert_eq!(found.broken, broken, "{parents:?}");
        }
    }

    #[test]
    fn a_long_chain_in_the_wrong_order_is_no_work() {
        let length = 300_000;
        let mut parents: Vec<Option<usize>> = (0..length)
            .map(|node| (node + 1 < length).then_some(node + 1))
            .collect();
        let found = parents_first(&mut parents);
        assert!(found.order.into_iter().eq((0..length).rev()));
        // One long cycle, entered again and again.
        let mut parents: Vec<Option<usize>> =
            (0..length).map(|node| Some((node + 1) % length)).collect();
        assert_eq!(parents_first(&mut parents).broken, [0]);
    }

    #[test]
    fn every_node_is_on_one_way() {
        // 0 - 1 - 2
        //   \ 3 - 4
        //       \ 5
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(3)];
        let order = [0, 1, 2, 3, 4, 5];
        let of = |file_leaf| ways(&order, &parents, file_leaf);
        assert_eq!(of(Some(5)).carrier, [0, 2, 2, 0, 1, 0]);
        assert_eq!(of(Some(5)).ends, [5, 4, 2]);
        // The source's leaf has children of its own.
        assert_eq!(of(Some(3)).carrier, [0, 3, 3, 0, 2, 1]);
        assert_eq!(of(None).carrier, [2, 2, 2, 1, 1, 0]);
    }
}
