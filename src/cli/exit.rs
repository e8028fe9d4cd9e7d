//! Exit codes, and which kind of error ends in which.

use std::process::ExitCode;

use session_tree::ErrorKind;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done = 0,
    /// The answer is no, or damage was found.
    No = 1,
    /// The command or its input cannot be used.
    Usage = 2,
    /// A session, node or branch is not there.
    NotFound = 3,
    /// Somebody else holds it, has moved it, or has taken the name.
    Conflict = 4,
    /// Refused because the tree or the file is damaged.
    Damaged = 5,
    /// The file, the disk or the output cannot be used.
    Io = 6,
}

impl Exit {
    /// The exit code of a kind of error; `None` for a kind that is not known here.
    pub(crate) fn listed(kind: ErrorKind) -> Option<Exit> {
        Some(match kind {
            ErrorKind::SummarizerFailed
            | ErrorKind::HookFailed
            | ErrorKind::Cancelled
            | ErrorKind::TooDeep => Exit::No,
            ErrorKind::AmbiguousId
            | ErrorKind::InvalidArgument
            | ErrorKind::InvalidMessage
            | ErrorKind::TooLarge
            | ErrorKind::UnknownFormat => Exit::Usage,
            ErrorKind::SessionNotFound
            | ErrorKind::NodeNotFound
            | ErrorKind::BranchNotFound
            | ErrorKind::EmptyBranch => Exit::NotFound,
            ErrorKind::SessionExists
            | ErrorKind::BranchExists
            | ErrorKind::IdTaken
            | ErrorKind::LeafMoved
            | ErrorKind::TurnLost
            | ErrorKind::Busy => Exit::Conflict,
            ErrorKind::CutPath | ErrorKind::Damaged => Exit::Damaged,
            ErrorKind::NotAStore
            | ErrorKind::TooNew
            | ErrorKind::ReadOnly
            | ErrorKind::NetworkFilesystem
            | ErrorKind::Io
            | ErrorKind::Closed => Exit::Io,
            _ => return None,
        })
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Exit {
        Exit::listed(kind).unwrap_or(Exit::Io)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_its_exit_code() {
        let unlisted: Vec<_> = ErrorKind::ALL
            .iter()
            .filter(|kind| Exit::listed(**kind).is_none())
            .collect();
        assert!(unlisted.is_empty(), "{unlisted:?}");
    }

    #[test]
    fn no_error_ends_as_success() {
        for kind in ErrorKind::ALL {
            assert_ne!(Exit::from(*kind), Exit::Done, "{kind:?}");
        }
    }
}
