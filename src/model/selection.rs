//! Which part of a path a caller wants.

/// Which part of a path is wanted. The default is all of the active branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The branch; `None` = the active one.
    pub branch: Option<String>,
    /// The node at which the path ends, instead of a branch's leaf.
    pub leaf: Option<String>,
    /// Ends before this node, which must be on the path: the page before it.
    pub before: Option<String>,
    /// Only the last ones, this many messages. The path above them is not walked.
    pub last: Option<u64>,
    /// Answers a cut path from the cut on, instead of failing.
    pub allow_cut: bool,
}
