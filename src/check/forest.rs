//! The shape of one session's tree in a few bytes a node: who is there, who has children, and whose ancestors end at a root.
//!
//! Nodes come in the order of their keys. Nearly every parent is older than its child, so where a node's ancestors end is
//! known as soon as the node is seen: where those of its parent do. Only a node with a parent that is not older (an adopted
//! orphan, or damage) has to wait for the end; every cycle goes through such a node.

use std::collections::BTreeMap;

const PAGE: usize = 4096;
const PAGE_BITS: u32 = 12;

const HAS_CHILD: u32 = 1;
const IS_NAMED: u32 = 2;
const FLAGS: u32 = 2;

/// Where the ancestors of a node end: not there, at a root, or at waiting node number `top - FIRST_WAITING`.
type Top = u32;
const ABSENT: Top = 0;
const ROOTED: Top = 1;
const FIRST_WAITING: Top = 2;

/// A node whose parent is not older than itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub seq: u32,
    pub parent: u32,
}

/// One word a node, in pages, so that a key far away costs one page and not the way there.
#[derive(Default)]
pub(super) struct Forest {
    pages: BTreeMap<u32, Box<[u32; PAGE]>>,
    waiting: Vec<Waiting>,
}

impl Forest {
    /// Adds a node with its parent, if that is in the session. Returns false where an older parent is not there.
    pub(super) fn add(&mut self, seq: u32, parent: Option<u32>) -> bool {
        let (top, known) = match parent {
            None => (ROOTED, true),
            Some(parent) => {
                *self.word_mut(parent) |= HAS_CHILD;
                if parent >= seq {
                    self.waiting.push(Waiting { seq, parent });
                    (FIRST_WAITING + (self.waiting.len() as u32 - 1), true)
                } else {
                    match self.top(parent) {
                        // Damage of another kind: the rest of its subtree is judged as if it were a root.
                        ABSENT => (ROOTED, false),
                        top => (top, true),
                    }
                }
            }
        };
        *self.word_mut(seq) |= top << FLAGS;
        known
    }

    /// Notes that a branch ends at a node. Returns false where that node is not there.
    pub(super) fn name(&mut self, seq: u32) -> bool {
        if !self.contains(seq) {
            return false;
        }
        *self.word_mut(seq) |= IS_NAMED;
        true
    }

    pub(super) fn contains(&self, seq: u32) -> bool {
        self.top(seq) != ABSENT
    }

    /// Nodes with a parent that is not older. When all nodes were added, those whose parent is not there are damage.
    pub(super) fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }

    /// Nodes without children at which no branch ends, in the order of their keys.
    pub(super) fn unnamed(&self) -> impl Iterator<Item = u32> {
        self.words()
            .filter(|(_, word)| word >> FLAGS != ABSENT && word & (HAS_CHILD | IS_NAMED) == 0)
            .map(|(seq, _)| seq)
    }

    /// The cycles, each as those of its nodes whose parent is not older.
    pub(super) fn cycles(&self) -> Vec<Vec<Waiting>> {
        let mut cycles = Vec::new();
        // 0 = not looked at, else the number of the walk that came by.
        let mut walk_of = vec![0_u32; self.waiting.len()];
        for start in 0..self.waiting.len() {
            let walk = start as u32 + 1;
            let mut at = Some(start);
            while let Some(index) = at.filter(|index| walk_of[*index] == 0) {
                walk_of[index] = walk;
                at = self.above(index);
            }
            if let Some(first) = at.filter(|index| walk_of[*index] == walk) {
                let mut cycle = vec![self.waiting[first]];
                let mut next = self.above(first);
                while let Some(index) = next.filter(|index| *index != first) {
                    cycle.push(self.waiting[index]);
                    next = self.above(index);
                }
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// How many nodes have ancestors that never end.
    pub(super) fn lost(&self) -> u64 {
        let mut is_lost: Vec<Option<bool>> = vec![None; self.waiting.len()];
        for start in 0..self.waiting.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            let lost = loop {
                match at {
                    None => break false,
                    Some(index) => match is_lost[index] {
                        Some(lost) => break lost,
                        // Marked as lost while it is being walked: coming back to it is the cycle.
                        None => {
                            is_lost[index] = Some(true);
                            path.push(index);
                            at = self.above(index);
                        }
                    },
                }
            };
            for index in path {
                is_lost[index] = Some(lost);
            }
        }
        let lost = |word: u32| {
            (word >> FLAGS)
                .checked_sub(FIRST_WAITING)
                .and_then(|index| is_lost.get(index as usize).copied().flatten())
        };
        self.words()
            .filter(|(_, word)| lost(*word) == Some(true))
            .count() as u64
    }

    /// The waiting node at which the ancestors of this waiting node's parent end.
    fn above(&self, index: usize) -> Option<usize> {
        let top = self.top(self.waiting.get(index)?.parent);
        top.checked_sub(FIRST_WAITING).map(|index| index as usize)
    }

    fn top(&self, seq: u32) -> Top {
        self.pages
            .get(&(seq >> PAGE_BITS))
            .map_or(ABSENT, |page| page[seq as usize % PAGE] >> FLAGS)
    }

    fn word_mut(&mut self, seq: u32) -> &mut u32 {
        let page = self
            .pages
            .entry(seq >> PAGE_BITS)
            .or_insert_with(|| Box::new([0; PAGE]));
        &mut page[seq as usize % PAGE]
    }

    fn words(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pages.iter().flat_map(|(page, words)| {
            words
                .iter()
                .enumerate()
                .map(move |(index, word)| ((page << PAGE_BITS) + index as u32, *word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(parents: &[(u32, Option<u32>)]) -> Forest {
        let mut forest = Forest::default();
        for (seq, parent) in parents {
            assert!(forest.add(*seq, *parent), "{seq}");
        }
        forest
    }

    fn cycles(forest: &Forest) -> Vec<Vec<u32>> {
        forest
            .cycles()
            .iter()
            .map(|cycle| cycle.iter().map(|node| node.seq).collect())
            .collect()
    }

    #[test]
    fn cycles_are_told_from_adoptions() {
        type Case = (
            &'static str,
            &'static [(u32, Option<u32>)],
            &'static [&'static [u32]],
            u64,
        );
        let cases: &[Case] = &[
            ("a chain", &[(0, None), (1, Some(0)), (2, Some(1))], &[], 0),
            (
                "an adoption",
                &[(0, Some(2)), (1, Some(0)), (2, None)],
                &[],
                0,
            ),
            (
                "adoptions in a row",
                &[(0, Some(1)), (1, Some(2)), (2, Some(3)), (3, None)],
                &[],
                0,
            ),
            ("its own parent", &[(0, Some(0)), (1, Some(0))], &[&[0]], 2),
            (
                "under its own descendant",
                &[(0, Some(2)), (1, Some(0)), (2, Some(1)), (3, None)],
                &[&[0]],
                3,
            ),
            (
                "two adoptions that close a cycle",
                &[
                    (0, Some(3)),
                    (1, Some(0)),
                    (2, Some(1)),
                    (3, Some(4)),
                    (4, Some(2)),
                    (5, None),
                ],
                &[&[0, 3]],
                5,
            ),
            (
                "two cycles and what hangs below",
                &[
                    (0, Some(0)),
                    (1, Some(1)),
                    (2, Some(4)),
                    (3, None),
                    (4, Some(1)),
                ],
                &[&[0], &[1]],
                4,
            ),
            (
                "below a cycle by adoption",
                &[(0, Some(2)), (1, None), (2, Some(2))],
                &[&[2]],
                2,
            ),
        ];
        for (name, parents, expected, lost) in cases {
            let forest = forest(parents);
            assert_eq!(
                cycles(&forest),
                expected
                    .iter()
                    .map(|cycle| cycle.to_vec())
                    .collect::<Vec<_>>(),
                "{name}"
            );
            assert_eq!(forest.lost(), *lost, "{name}");
        }
    }

    #[test]
    fn unnamed_leaves_are_those_without_child_and_branch() {
        let mut forest = forest(&[
            (0, Some(9)),
            (1, Some(0)),
            (2, Some(0)),
            (3, None),
            (9, None),
            (u32::MAX, None),
        ]);
        assert!(forest.name(2));
        assert!(!forest.name(4));
        assert_eq!(forest.unnamed().collect::<Vec<_>>(), [1, 3, u32::MAX]);
    }

    #[test]
    fn a_missing_parent_is_told_and_ends_the_ancestors() {
        let mut forest = Forest::default();
        assert!(forest.add(0, None));
        assert!(!forest.add(2, Some(1)));
        assert!(forest.add(3, Some(7)));
        assert!(!forest.contains(7) && forest.waiting() == [Waiting { seq: 3, parent: 7 }]);
        assert_eq!((cycles(&forest), forest.lost()), (vec![], 0));
    }

    #[test]
    fn a_million_nodes_take_four_bytes_each() {
        let mut forest = Forest::default();
        for seq in 0..1_000_000 {
            forest.add(seq, seq.checked_sub(1));
        }
        assert_eq!(forest.pages.len() * PAGE * 4, 4_014_080);
        assert_eq!(forest.unnamed().collect::<Vec<_>>(), [999_999]);
    }
}
