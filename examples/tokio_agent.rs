//! An agent in an async program: a turn that lasts while a model answers, and a navigation whose summary is written by one.
//!
//! Calls of the store are synchronous and short, so each goes to a thread where blocking is allowed. What takes long, the
//! model, is awaited between them: no transaction is open then, and the turn's or the plan's guard keeps others from moving.
//!
//! Run it with `cargo run --example tokio_agent`.

use std::time::Duration;

use session_tree::{Error, ErrorKind, Message, NavigateOptions, NavigationSummary, Result, Store};

/// Runs a call of the store where blocking is allowed.
async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let joined = tokio::task::spawn_blocking(call).await;
    joined.unwrap_or_else(|error| Err(Error::new(ErrorKind::Closed, error.to_string())))
}

/// Stands for a model that takes its time.
async fn model(prompt: &str) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    format!("I have read {} bytes.", prompt.len())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let tree = blocking(|| {
        Store::builder()
            .actor("tokio-agent")
            .open_in_memory()?
            .create_session()
    })
    .await?;

    // A turn: the question, the wait, the answer. Dropping it on any way out, cancellation included, ends it.
    let begun = tree.clone();
    let turn = blocking(move || {
        let turn = begun.begin_turn(None)?;
        turn.append_message(Message::user("What is in the file?"), None)?;
        Ok(turn)
    })
    .await?;
    let answer = model("What is in the file?").await;
    blocking(move || {
        turn.append_message(Message::assistant(&answer), None)?;
        turn.end()
    })
    .await?;

    // A navigation back to the question: planned, summarised, committed. Whoever tries to move meanwhile gets `Busy`.
    let planned = tree.clone();
    let (navigation, text) = blocking(move || {
        let navigation =
            planned.plan_navigation("n0", &NavigateOptions::new().label("first try"))?;
        let text = navigation.branch_text()?.unwrap_or_default();
        Ok((navigation, text))
    })
    .await?;
    let abort = navigation.abort_handle();
    let summary = tokio::select! {
        summary = model(&text) => NavigationSummary::new(summary).by_model("stand-in"),
        () = tokio::time::sleep(Duration::from_secs(60)) => {
            blocking(move || abort.abort()).await?;
            NavigationSummary::new("")
        }
    };
    let done = blocking(move || navigation.commit(Some(summary))).await?;
    println!("cancelled: {}", done.cancelled);
    println!(
        "to be edited and sent anew: {}",
        done.editor_text.unwrap_or_default()
    );
    println!(
        "the old leaf is kept under: {}",
        done.preserved_branch.unwrap_or_default()
    );
    Ok(())
}
