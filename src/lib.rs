#[allow(dead_code)]
pub(crate) mod lines;
pub(crate) mod model;

pub use model::chat::{ChatMessage, ToolCall};
pub use model::message::{InvalidMessage, Message, TooDeep};
