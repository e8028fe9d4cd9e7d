//! What a check found.

use std::fmt;

/// What a [`Problem`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProblemCode {
    /// Pages, indexes or constraints, as SQLite's own check says.
    Pages,
    /// A row refers to one that is not there.
    ForeignKeys,
    /// A table, index, trigger or view is missing, changed, or does not belong here.
    Schema,
    /// The counters that keep keys from being used twice are behind, or at their end.
    Sequence,
    /// The row that says which store this is.
    Store,
    /// A part could not be read to its end.
    Unreadable,
    /// Rows of a session that is not there.
    Session,
    /// A parent is missing, belongs to another session, or is not the one that was declared.
    Parent,
    /// Nodes from which no way leads to a root.
    Cycle,
    /// A node's run does not start where it says.
    RunStart,
    /// A node's count of messages is false.
    Messages,
    /// Keys are missing between those of a session's nodes, or none are left.
    Gap,
    /// An id that is used twice or does not fit its session.
    Id,
    /// A node or summary names a branch of another session, or one that never was.
    Branch,
    /// A branch ends at a node that is missing or belongs to another session.
    Leaf,
    /// The session has no active branch, or one that is not its own.
    ActiveBranch,
    /// A branch is marked as active and is not, or the other way round.
    Resting,
    /// A node without children at which no branch ends.
    UnnamedLeaf,
    /// A note of which generated names are taken is false.
    Hint,
    /// A payload is not JSON text, or its envelope is cut at a false place.
    Payload,
    /// A session's meta or an operation's detail is not a JSON object.
    Json,
    /// A text that is not valid UTF-8.
    Text,
    /// A guard is held and does not say by whom, or with which number.
    Guard,
    /// An operation speaks of a node or branch that is not there, or of another session.
    Operation,
    /// An import or a deletion was not finished. Nothing is lost.
    Leftover,
    /// A root that declares a parent which was never written: the path to it is cut. Nothing is lost.
    Orphan,
    /// A label on an id that no node has. It is kept, and counts when that node comes.
    Label,
    /// A summary as of an id that no node has. It is kept.
    Summary,
}

impl ProblemCode {
    /// Every code, for lists in documentation and tests.
    pub const ALL: &'static [ProblemCode] = &[
        ProblemCode::Pages,
        ProblemCode::ForeignKeys,
        ProblemCode::Schema,
        ProblemCode::Sequence,
        ProblemCode::Store,
        ProblemCode::Unreadable,
        ProblemCode::Session,
        ProblemCode::Parent,
        ProblemCode::Cycle,
        ProblemCode::RunStart,
        ProblemCode::Messages,
        ProblemCode::Gap,
        ProblemCode::Id,
        ProblemCode::Branch,
        ProblemCode::Leaf,
        ProblemCode::ActiveBranch,
        ProblemCode::Resting,
        ProblemCode::UnnamedLeaf,
        ProblemCode::Hint,
        ProblemCode::Payload,
        ProblemCode::Json,
        ProblemCode::Text,
        ProblemCode::Guard,
        ProblemCode::Operation,
        ProblemCode::Leftover,
        ProblemCode::Orphan,
        ProblemCode::Label,
        ProblemCode::Summary,
    ];

    /// The code as a stable word: `unnamed_leaf`.
    pub fn as_str(self) -> &'static str {
        match self {
            ProblemCode::Pages => "pages",
            ProblemCode::ForeignKeys => "foreign_keys",
            ProblemCode::Schema => "schema",
            ProblemCode::Sequence => "sequence",
            ProblemCode::Store => "store",
            ProblemCode::Unreadable => "unreadable",
            ProblemCode::Session => "session",
            ProblemCode::Parent => "parent",
            ProblemCode::Cycle => "cycle",
            ProblemCode::RunStart => "run_start",
            ProblemCode::Messages => "messages",
            ProblemCode::Gap => "gap",
            ProblemCode::Id => "id",
            ProblemCode::Branch => "branch",
            ProblemCode::Leaf => "leaf",
            ProblemCode::ActiveBranch => "active_branch",
            ProblemCode::Resting => "resting",
            ProblemCode::UnnamedLeaf => "unnamed_leaf",
            ProblemCode::Hint => "hint",
            ProblemCode::Payload => "payload",
            ProblemCode::Json => "json",
            ProblemCode::Text => "text",
            ProblemCode::Guard => "guard",
            ProblemCode::Operation => "operation",
            ProblemCode::Leftover => "leftover",
            ProblemCode::Orphan => "orphan",
            ProblemCode::Label => "label",
            ProblemCode::Summary => "summary",
        }
    }

    /// Whether it is damage, or only something worth knowing.
    pub fn is_damage(self) -> bool {
        !matches!(
            self,
            ProblemCode::Leftover | ProblemCode::Orphan | ProblemCode::Label | ProblemCode::Summary
        )
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What it is about, for programs.
    pub code: ProblemCode,
    /// The session it is in, if it is in one.
    pub session: Option<String>,
    /// The node it is at, if it is at one.
    pub node: Option<String>,
    /// The branch it is at, if it is at one.
    pub branch: Option<String>,
    /// What is wrong and what to do about it, for people: one sentence, which may change.
    pub text: String,
}

impl Problem {
    pub(super) fn new(code: ProblemCode, text: impl Into<String>) -> Problem {
        Problem {
            code,
            session: None,
            node: None,
            branch: None,
            text: text.into(),
        }
    }

    pub(super) fn at_node(mut self, id: impl Into<String>) -> Problem {
        self.node = Some(id.into());
        self
    }

    pub(super) fn at_branch(mut self, name: impl Into<String>) -> Problem {
        self.branch = Some(name.into());
        self
    }
}

/// What a check looked at and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// What was found: the file first, then session by session. Of each code at most as many as the options allow.
    pub problems: Vec<Problem>,
    /// How many more were found and are not listed.
    pub omitted: u64,
    /// Sessions looked at, hidden ones included.
    pub sessions: u64,
    /// Nodes looked at.
    pub nodes: u64,
    /// Branches looked at.
    pub branches: u64,
    /// Branches that were made for leaves without a name, as session id and branch name.
    pub adopted: Vec<(String, String)>,
}

impl CheckReport {
    /// Whether nothing is damaged. What is only worth knowing does not count.
    pub fn is_healthy(&self) -> bool {
        !self.problems.iter().any(|problem| problem.code.is_damage())
    }
}

/// A number with its words: `1 node is`, `2 nodes are`.
pub(super) fn are(count: impl TryInto<u64> + fmt::Display, one: &str, many: &str) -> String {
    let words = format!("{count} ");
    let is_one = count.try_into().is_ok_and(|count| count == 1);
    words + if is_one { one } else { many }
}

/// Collects problems, not more of each code than can be read.
pub(super) struct Findings {
    pub report: CheckReport,
    limit: usize,
    counts: [usize; ProblemCode::ALL.len()],
    session: Option<String>,
}

impl Findings {
    pub(super) fn new(limit: usize) -> Findings {
        // Damage must show, whatever the limit.
        Findings {
            report: CheckReport::default(),
            limit: limit.max(1),
            counts: [0; ProblemCode::ALL.len()],
            session: None,
        }
    }

    /// Names the session that the problems from here on are in.
    pub(super) fn enter(&mut self, session: Option<&str>) {
        self.session = session.map(str::to_owned);
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Whether one more of this code would be left out of the list, so that nobody need look up what it would say.
    pub(super) fn is_full(&self, code: ProblemCode) -> bool {
        self.counts[code as usize] >= self.limit
    }

    /// Counts a problem that is left out of the list.
    pub(super) fn omit(&mut self) {
        self.report.omitted += 1;
    }

    pub(super) fn add(&mut self, mut problem: Problem) {
        if self.is_full(problem.code) {
            return self.omit();
        }
        self.counts[problem.code as usize] += 1;
        problem.session = self.session.clone();
        self.report.problems.push(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_in_the_order_of_its_number() {
        for (index, code) in ProblemCode::ALL.iter().enumerate() {
            assert_eq!(*code as usize, index, "{code}");
        }
    }

    #[test]
    fn a_code_that_is_found_too_often_does_not_crowd_out_others() {
        let mut findings = Findings::new(2);
        for _ in 0..5 {
            findings.add(Problem::new(ProblemCode::Cycle, "x"));
        }
        findings.add(Problem::new(ProblemCode::Leaf, "y"));
        assert_eq!(findings.report.problems.len(), 3);
        assert_eq!(findings.report.omitted, 3);
    }
}
