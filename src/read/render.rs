//! A branch as text: one line a message.

use super::projection::Projection;
use super::text::one_line_content;
use crate::model::Result;

/// Appends `role: content` and a line feed for each message.
pub(crate) fn render_into(text: &mut String, projection: Projection) -> Result<()> {
    for message in projection {
        let message = message?;
        let json = message.json();
        text.push_str(
            &json
                .get("role")
                .and_then(|role| role.as_str())
                .unwrap_or_default(),
        );
        text.push_str(": ");
        text.push_str(&one_line_content(&message));
        text.push('\n');
    }
    Ok(())
}
