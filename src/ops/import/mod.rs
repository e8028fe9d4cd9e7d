//! Importing: nodes as a source holds them, written in short transactions.
//!
//! A new session is written hidden (state `importing`) and shown by the last transaction; whatever is left of one that was
//! interrupted has the identity of its source, and the next import of that source goes on with it. A session that is there
//! already grows batch by batch, each of which moves the branches it concerns, so that it is whole after every one.

mod begin;
mod branches;
mod finish;
mod known;
mod loose;
mod nodes;

pub(crate) use begin::{Found, IdStyle, Identity, NewImport, begin, discard, discard_all, find};
pub(crate) use branches::{BranchToMake, SummaryToMake, write_branches};
pub(crate) use finish::{Finish, active_branch, finish};
pub(crate) use known::{fingerprints, is_above, last_import, numbered, top_of};
pub(crate) use loose::{LooseRecord, write_loose};
pub(crate) use nodes::{ImportNode, LabelLine, write_nodes};

use std::time::{Duration, Instant};

/// A transaction of an import ends after this much time or this many bytes of payload, whichever comes first: others who
/// write are not kept waiting.
const BATCH_TIME: Duration = Duration::from_millis(50);
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// How much of its time and bytes a transaction has used.
struct Budget {
    since: Instant,
    bytes: usize,
}

impl Budget {
    fn start() -> Budget {
        Budget {
            since: Instant::now(),
            bytes: 0,
        }
    }

    fn spend(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    fn is_spent(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.since.elapsed() >= BATCH_TIME
    }
}

/// One import under way.
#[derive(Debug)]
pub(crate) struct Run {
    pub session_key: i64,
    /// The session is not shown yet, so nobody else can be in it and half a tree is nobody's concern.
    pub hidden: bool,
    /// The branches that go along with the new nodes; a node names its own by the place in here.
    pub carriers: Vec<Carrier>,
    /// The carriers with nodes that were written since they were moved last.
    moving: Vec<usize>,
    /// The node written last, which is the parent of the next more often than not.
    previous: Option<Previous>,
    pub done: Done,
}

#[derive(Debug)]
struct Previous {
    id: String,
    key: i64,
    run_start: i64,
}

/// What an import has done so far.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub nodes_added: u64,
    /// Orphans that got the parent they declared.
    pub adopted: Vec<String>,
    /// Orphans that stay roots for good, because their parent is their own descendant.
    pub never_adopted: Vec<String>,
    /// Branches that were made.
    pub branches: Vec<String>,
    /// What became of the branch of the source's leaf: its name.
    pub file_branch: Option<String>,
}

/// A branch that goes along with new nodes, from the one where it comes in to the one where it ends. Every new node is on
/// the way of exactly one, so that after each transaction the nodes without children are leaves of branches.
#[derive(Debug)]
pub(crate) struct Carrier {
    /// The node where it ends when everything is written.
    leaf_id: String,
    /// It is the branch of the source's leaf: `main`, unless that went its own way.
    is_file: bool,
    branch: Option<Held>,
    /// `leaf-*` branches that ended where this one came in, and go along.
    followers: Vec<i64>,
    /// The parent of the first node on its way.
    came_in_at: Option<i64>,
    /// The deepest node that was written since the branch was moved last.
    pending: Option<i64>,
    /// The node at `pending` has adopted an orphan, and so has a child.
    has_adopted: bool,
}

/// A branch row, and where it was put last.
#[derive(Clone, Copy, Debug)]
struct Held {
    key: i64,
    leaf_key: Option<i64>,
    /// It was made for this way, so it goes where the way ends at a node that has a child already.
    is_ours: bool,
}

impl Carrier {
    fn new(leaf_id: String, is_file: bool) -> Carrier {
        Carrier {
            leaf_id,
            is_file,
            branch: None,
            followers: Vec::new(),
            came_in_at: None,
            pending: None,
            has_adopted: false,
        }
    }

    /// The way to a node that is no leaf of the source's own.
    pub(crate) fn to_leaf(leaf_id: String) -> Carrier {
        Carrier::new(leaf_id, false)
    }

    /// The way to the source's leaf, along the branch that followed the source so far (`None`: a new branch `import-N`).
    pub(crate) fn to_file_leaf(leaf_id: String, follows: Option<(i64, Option<i64>)>) -> Carrier {
        Carrier {
            branch: follows.map(|(key, leaf_key)| Held {
                key,
                leaf_key,
                is_ours: false,
            }),
            ..Carrier::new(leaf_id, true)
        }
    }
}

impl Run {
    pub(crate) fn new(session_key: i64, hidden: bool) -> Run {
        Run {
            session_key,
            hidden,
            carriers: Vec::new(),
            moving: Vec::new(),
            previous: None,
            done: Done::default(),
        }
    }
}
