//! From a line to the function that carries it out, and back to a line.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::connection::Connection;
use super::failure::{Failure, code};
use super::framing::{Incoming, MAX_REQUEST_BYTES};
use super::methods;
use super::options::{Access, Dialect};
use super::output::{Data, Texts, Ticket};
use super::reading::parsed;
use super::types::answers::Nothing;
use super::write::Head;
use crate::model::ErrorKind;
use crate::model::json::{Json, validate};

/// One command of the protocol.
pub(super) struct Method {
    pub name: &'static str,
    pub access: Access,
    pub texts: Texts,
    pub run: fn(&mut Connection, String, Ticket),
    pub request: fn(&mut SchemaGenerator) -> Schema,
    /// `None` where the answer has no `data`.
    pub answer: fn(&mut SchemaGenerator) -> Option<Schema>,
}

/// Carries out a command whose answer is there when its function returns.
pub(super) fn run<Q: DeserializeOwned, A: Data>(
    handler: fn(&mut Connection, Q) -> Result<A, Failure>,
    connection: &mut Connection,
    text: String,
    ticket: Ticket,
) {
    match parsed(text) {
        Ok(request) => {
            let outcome = handler(connection, request);
            ticket.answer(outcome);
        }
        Err(failure) => ticket.fail(failure),
    }
}

/// Carries out a command that may be answered after its function has returned.
pub(super) fn run_late<Q: DeserializeOwned>(
    handler: fn(&mut Connection, Q, Ticket),
    connection: &mut Connection,
    text: String,
    ticket: Ticket,
) {
    match parsed(text) {
        Ok(request) => handler(connection, request, ticket),
        Err(failure) => ticket.fail(failure),
    }
}

pub(super) fn request_schema<Q: JsonSchema, A>(
    _: fn(&mut Connection, Q) -> Result<A, Failure>,
    generator: &mut SchemaGenerator,
) -> Schema {
    Q::json_schema(generator)
}

pub(super) fn late_request_schema<Q: JsonSchema>(
    _: fn(&mut Connection, Q, Ticket),
    generator: &mut SchemaGenerator,
) -> Schema {
    Q::json_schema(generator)
}

pub(super) fn answer_schema<Q, A: Described>(
    _: fn(&mut Connection, Q) -> Result<A, Failure>,
    generator: &mut SchemaGenerator,
) -> Option<Schema> {
    A::described(generator)
}

/// What the schema says of an answer's `data`.
pub(super) trait Described {
    fn described(generator: &mut SchemaGenerator) -> Option<Schema>;
}

impl<T: JsonSchema> Described for T {
    fn described(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
}

impl Described for Nothing {
    fn described(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// Answers one record.
pub(super) fn handle(connection: &mut Connection, incoming: Incoming) {
    let text = match incoming {
        Incoming::Line(bytes) => String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            format!("the line is not UTF-8: byte {valid} begins no character")
        }),
        Incoming::TooLong(bytes) => {
            let text = format!(
                "a request of {bytes} bytes is too long; at most {MAX_REQUEST_BYTES} are read"
            );
            return parse_ticket(connection).fail(Failure::exact(ErrorKind::TooLarge, text));
        }
    };
    let text = text.and_then(|text| match validate(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(error.to_string()),
    });
    match text {
        Ok(text) => handle_json(connection, text),
        Err(problem) => {
            let what = match connection.dialect() {
                Dialect::Dreb => "Failed to parse JSON",
                Dialect::Pi => "Failed to parse command",
            };
            let failure = Failure::new(code::PARSE_ERROR, format!("{what}: {problem}"));
            parse_ticket(connection).fail(failure);
        }
    }
}

/// What cannot be read is answered without an id.
fn parse_ticket(connection: &Connection) -> Ticket {
    plain_ticket(connection, None, "\"parse\"")
}

fn plain_ticket(connection: &Connection, id: Option<String>, command: &str) -> Ticket {
    let head = Head {
        id,
        command: Some(command.to_owned()),
    };
    Ticket::new(head, Texts::Plain, connection.dialect(), &connection.output)
}

fn handle_json(connection: &mut Connection, text: String) {
    let request = Json::new(&text);
    if request.is_null() && connection.dialect() == Dialect::Dreb {
        // The words of the original, whose clients may look for them.
        let text = "Command failed: Cannot read properties of null (reading 'type')";
        let failure = Failure::exact(ErrorKind::InvalidArgument, text);
        return plain_ticket(connection, None, "\"unknown\"").fail(failure);
    }
    let [id, kind] = request.fields(["id", "type"]);
    let name = kind.and_then(Json::as_str).map(|name| name.into_owned());
    let head = Head {
        id: id.map(|id| id.text().to_owned()),
        command: kind.map(|kind| kind.text().to_owned()),
    };
    let Some(method) = name.as_deref().and_then(methods::by_name) else {
        let shown = match (&name, kind) {
            (Some(name), _) => name.as_str(),
            (None, None) => "undefined",
            (None, Some(kind)) if kind.is_object() => "[object Object]",
            (None, Some(kind)) => kind.text(),
        };
        let failure = Failure::new(code::UNKNOWN_COMMAND, format!("Unknown command: {shown}"));
        return Ticket::new(head, Texts::Plain, connection.dialect(), &connection.output)
            .fail(failure);
    };
    let ticket = Ticket::new(head, method.texts, connection.dialect(), &connection.output);
    if !connection.server.options.allowed.contains(&method.access) {
        return ticket.fail(not_allowed(method, connection.store.is_read_only()));
    }
    // A panic is a mistake in one command. Its ticket has answered on the way out, its transaction is rolled back, and
    // what the connection holds is changed only by single assignments.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        (method.run)(connection, text, ticket);
    }));
}

/// Where the file itself is only read, what would change it says so as the library does.
fn not_allowed(method: &Method, is_read_only: bool) -> Failure {
    let name = method.name;
    let writes_other_files = matches!(name, "export" | "backup");
    if is_read_only && !writes_other_files {
        let text = format!("`{name}` would change the store, which is only read here");
        return Failure::exact(ErrorKind::ReadOnly, text);
    }
    let right = method.access.name();
    Failure {
        is_exact: true,
        ..Failure::new(
            code::NOT_ALLOWED,
            format!(
                "`{name}` is not allowed here: the server was started without the right to {right}"
            ),
        )
    }
}
