//! Why a command failed: a sentence for people, a code for programs.

use std::fmt;

use crate::model::{Error, ErrorKind};

/// Codes of the protocol itself. All others are error kinds ([`ErrorKind::code`]).
pub(super) mod code {
    /// The line is no JSON, or no UTF-8.
    pub const PARSE_ERROR: &str = "parse_error";
    /// No command has this name.
    pub const UNKNOWN_COMMAND: &str = "unknown_command";
    /// The command is known, but this version cannot do it yet.
    pub const NOT_BUILT: &str = "not_built";
    /// The server was started without the right to do this.
    pub const NOT_ALLOWED: &str = "not_allowed";
    /// A mistake of the server; nothing is known about the request.
    pub const INTERNAL: &str = "internal";

    pub const ALL: [&str; 5] = [
        PARSE_ERROR,
        UNKNOWN_COMMAND,
        NOT_BUILT,
        NOT_ALLOWED,
        INTERNAL,
    ];
}

/// Why a command failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub text: String,
    pub code: &'static str,
    pub retryable: bool,
    /// The text is part of the protocol and never gets a prefix.
    pub is_exact: bool,
}

impl Failure {
    pub fn new(code: &'static str, text: impl Into<String>) -> Failure {
        Failure {
            text: text.into(),
            code,
            retryable: false,
            is_exact: false,
        }
    }

    /// A text that clients compare, or that the protocol answers without a prefix.
    pub fn exact(kind: ErrorKind, text: impl Into<String>) -> Failure {
        Failure {
            is_exact: true,
            ..Failure::of(kind, text)
        }
    }

    pub fn of(kind: ErrorKind, text: impl Into<String>) -> Failure {
        Failure {
            retryable: kind == ErrorKind::Busy,
            ..Failure::new(kind.code(), text)
        }
    }

    pub fn invalid(text: impl Into<String>) -> Failure {
        Failure::of(ErrorKind::InvalidArgument, text)
    }

    /// Names the member of the request that is to blame.
    pub fn at(mut self, place: &str) -> Failure {
        self.text.insert_str(0, &format!("`{place}`: "));
        self
    }

    pub fn internal(problem: impl fmt::Display) -> Failure {
        Failure::new(
            code::INTERNAL,
            format!("the server made a mistake: {problem}"),
        )
    }

    /// What tree commands of other programs say of an unknown id.
    pub fn entry_not_found(id: &str) -> Failure {
        Failure::of(ErrorKind::NodeNotFound, format!("Entry {id} not found"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure {
            retryable: error.is_retryable(),
            ..Failure::of(error.kind(), error.to_string())
        }
    }
}
