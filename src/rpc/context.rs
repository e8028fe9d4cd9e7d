//! What the model should see.

use super::convert;
use super::failure::Failure;
use super::types::nodes::CutDto;
use super::write::Raw;
use crate::model::Selection;
use crate::tree::SessionTree;

/// The context at the active leaf.
pub(super) struct Context {
    pub messages: Vec<Raw>,
    pub thinking_level: String,
    /// Provider and id.
    pub model: Option<(String, String)>,
    pub cut: Option<CutDto>,
}

pub(super) fn read(tree: &SessionTree) -> Result<Context, Failure> {
    let selection = Selection {
        allow_cut: true,
        ..Selection::default()
    };
    let found = convert::messages(tree, &selection)?;
    Ok(Context {
        messages: found.messages,
        thinking_level: "off".to_owned(),
        model: None,
        cut: found.cut,
    })
}
