//! What a navigation is asked for, and what came of it.

use std::fmt;

use super::error::Error;
use super::id::NodeId;

/// How to navigate. The default moves, and does nothing else.
///
/// ```
/// use session_tree::NavigateOptions;
/// let options = NavigateOptions::new().summarize(true).instructions("Keep the file names.").label("before the rewrite");
/// ```
#[derive(Clone, Debug, Default)]
pub struct NavigateOptions {
    pub(crate) summarize: bool,
    pub(crate) instructions: Option<String>,
    pub(crate) replace_instructions: bool,
    pub(crate) label: Option<String>,
    pub(crate) at: Option<i64>,
}

impl NavigateOptions {
    /// Only the move.
    pub fn new() -> NavigateOptions {
        NavigateOptions::default()
    }

    /// Whether what is left behind is summarised.
    pub fn summarize(mut self, summarize: bool) -> NavigateOptions {
        self.summarize = summarize;
        self
    }

    /// What the summariser is to look at besides its own instructions.
    pub fn instructions(mut self, instructions: impl Into<String>) -> NavigateOptions {
        self.instructions = Some(instructions.into());
        self
    }

    /// Whether the instructions take the place of the summariser's own.
    pub fn replace_instructions(mut self, replace: bool) -> NavigateOptions {
        self.replace_instructions = replace;
        self
    }

    /// A label for the summary's node or, without a summary, for the target. An empty one is none.
    pub fn label(mut self, label: impl Into<String>) -> NavigateOptions {
        self.label = Some(label.into());
        self
    }

    /// The time that is recorded, Unix time in milliseconds, instead of the store's clock.
    pub fn at(mut self, at_ms: i64) -> NavigateOptions {
        self.at = Some(at_ms);
        self
    }
}

/// A text that stands for the branch a navigation leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NavigationSummary {
    pub(crate) text: String,
    pub(crate) model_id: Option<String>,
    pub(crate) from_hook: bool,
}

impl NavigationSummary {
    /// A summary of these words. An empty one is none.
    pub fn new(text: impl Into<String>) -> NavigationSummary {
        NavigationSummary {
            text: text.into(),
            ..NavigationSummary::default()
        }
    }

    /// Names the model that wrote it.
    pub fn by_model(mut self, model_id: impl Into<String>) -> NavigationSummary {
        self.model_id = Some(model_id.into());
        self
    }

    pub(crate) fn by_hook(mut self) -> NavigationSummary {
        self.from_hook = true;
        self
    }
}

impl From<&str> for NavigationSummary {
    fn from(text: &str) -> NavigationSummary {
        NavigationSummary::new(text)
    }
}

impl From<String> for NavigationSummary {
    fn from(text: String) -> NavigationSummary {
        NavigationSummary::new(text)
    }
}

/// What came of a navigation.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Navigated {
    /// Nothing was moved: a hook said no, or it was aborted.
    pub cancelled: bool,
    /// It was cancelled by an abort.
    pub aborted: bool,
    /// To a user's message or a custom message: its text, to be edited and sent anew.
    pub editor_text: Option<String>,
    /// Where the active branch ends now; `None` before the first node.
    pub leaf: Option<NodeId>,
    /// The name under which the old leaf is kept, if it would have had none.
    pub preserved_branch: Option<String>,
    /// The node that holds the summary.
    pub summary_node: Option<NodeId>,
    /// The move was made without the summary that was asked for or given.
    pub unsummarized: Option<Unsummarized>,
    /// The move was made, and a hook failed after it.
    pub after_error: Option<Error>,
}

/// Why a navigation was made without the summary that was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsummarized {
    /// The new leaf is below the old one, or there was no old one: nothing was left behind.
    NothingLeftBehind,
    /// The summary was the empty text.
    EmptySummary,
}

impl Unsummarized {
    /// A word for programs: `nothing_left_behind` or `empty_summary`.
    pub fn code(self) -> &'static str {
        match self {
            Unsummarized::NothingLeftBehind => "nothing_left_behind",
            Unsummarized::EmptySummary => "empty_summary",
        }
    }
}

impl fmt::Display for Unsummarized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsummarized::NothingLeftBehind => {
                "moved without a summary: nothing was left behind that it could stand for"
            }
            Unsummarized::EmptySummary => "moved without a summary: the summary was empty",
        })
    }
}

/// What a hook wants of a navigation. The default: go on.
#[derive(Clone, Debug, Default)]
pub struct HookDecision {
    pub(crate) cancel: bool,
    pub(crate) summary: Option<String>,
    pub(crate) instructions: Option<(String, bool)>,
    pub(crate) label: Option<String>,
}

impl HookDecision {
    /// Go on as planned.
    pub fn go_on() -> HookDecision {
        HookDecision::default()
    }

    /// Do not navigate.
    pub fn cancel() -> HookDecision {
        HookDecision {
            cancel: true,
            ..HookDecision::default()
        }
    }

    /// Use this summary; the summariser is not asked. Without effect on a navigation that is not to be summarised.
    pub fn summary(mut self, text: impl Into<String>) -> HookDecision {
        self.summary = Some(text.into());
        self
    }

    /// Give the summariser these instructions, beside its own or (`replace`) instead of them.
    pub fn instructions(mut self, text: impl Into<String>, replace: bool) -> HookDecision {
        self.instructions = Some((text.into(), replace));
        self
    }

    /// Set this label instead of the one that was asked for.
    pub fn label(mut self, label: impl Into<String>) -> HookDecision {
        self.label = Some(label.into());
        self
    }
}
