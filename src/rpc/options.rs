//! How a server is set up.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::model::Error;

/// How a server is set up. [`Options::default`] allows everything, in the dialect of dreb, and touches no other files than
/// those below the working directory.
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) session: Option<String>,
    pub(super) dialect: Dialect,
    pub(super) allowed: BTreeSet<Access>,
    pub(super) files: PathBuf,
    pub(super) summarizer: Option<Vec<String>>,
    pub(super) summarizer_timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            session: None,
            dialect: Dialect::default(),
            allowed: Access::ALL.into_iter().collect(),
            files: PathBuf::from("."),
            summarizer: None,
            summarizer_timeout: Duration::from_secs(300),
        }
    }
}

impl Options {
    /// The session a connection begins on, by its id. Without it that is the one with the newest node; in an empty store, one
    /// that comes to be with the first thing written to it.
    pub fn session(mut self, id: impl Into<String>) -> Options {
        self.session = Some(id.into());
        self
    }

    /// Whose counts, texts, events and tree shape are answered. Default: [`Dialect::Dreb`].
    pub fn dialect(mut self, dialect: Dialect) -> Options {
        self.dialect = dialect;
        self
    }

    /// What clients may do. Default: everything.
    pub fn allow(mut self, allowed: impl IntoIterator<Item = Access>) -> Options {
        self.allowed = allowed.into_iter().collect();
        self
    }

    /// The directory below which clients may name files. Default: the working directory.
    pub fn files(mut self, directory: impl Into<PathBuf>) -> Options {
        self.files = directory.into();
        self
    }

    /// The program that summarises branches, with its arguments. It gets one JSON object on its input and writes the text to
    /// its output. Default: none, so that asking for a summary is an error.
    pub fn summarizer(mut self, command: impl IntoIterator<Item = impl Into<String>>) -> Options {
        self.summarizer = Some(command.into_iter().map(Into::into).collect());
        self
    }

    /// How long the summariser may run before it is killed. Default: 300 seconds.
    pub fn summarizer_timeout(mut self, timeout: Duration) -> Options {
        self.summarizer_timeout = timeout;
        self
    }
}

/// Whose behaviour clients see where the two programs differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Trees of nodes with previews; counts of the current context; errors begin with `Command failed: `.
    #[default]
    Dreb,
    /// Trees of whole entries; counts of all entries; errors as they are.
    Pi,
}

impl Dialect {
    pub(super) fn name(self) -> &'static str {
        match self {
            Dialect::Dreb => "dreb",
            Dialect::Pi => "pi",
        }
    }
}

impl FromStr for Dialect {
    type Err = Error;

    fn from_str(name: &str) -> Result<Dialect, Error> {
        match name {
            "dreb" => Ok(Dialect::Dreb),
            "pi" => Ok(Dialect::Pi),
            _ => Err(Error::invalid(format!(
                "there is no dialect `{name}`; the dialects are dreb and pi"
            ))),
        }
    }
}

/// What a command does, as far as rights go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Looks.
    Read,
    /// Sets labels, titles and summaries.
    Label,
    /// Moves leaves and makes branches, forks and sessions.
    Navigate,
    /// Appends nodes and holds turns.
    Append,
    /// Deletes and archives sessions, imports files, frees the turns of others.
    Manage,
}

impl Access {
    /// Every right.
    pub const ALL: [Access; 5] = [
        Access::Read,
        Access::Label,
        Access::Navigate,
        Access::Append,
        Access::Manage,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Label => "label",
            Access::Navigate => "navigate",
            Access::Append => "append",
            Access::Manage => "manage",
        }
    }
}

impl FromStr for Access {
    type Err = Error;

    fn from_str(name: &str) -> Result<Access, Error> {
        Access::ALL
            .into_iter()
            .find(|access| access.name() == name)
            .ok_or_else(|| {
                Error::invalid(format!(
                    "there is no right `{name}`; the rights are read, label, navigate, append and manage"
                ))
            })
    }
}
