//! A client of a server that runs in a thread of this process. Every message that passes is checked against the schema.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use session_tree::rpc::{self, Options};
use session_tree::{Message, SessionTree, Store};

use super::schema;

pub struct Client {
    stream: Option<UnixStream>,
    reader: BufReader<UnixStream>,
    server: Option<JoinHandle<()>>,
    next_id: u64,
    /// Events that came while an answer was awaited.
    pub events: Vec<Value>,
}

pub fn memory_store() -> Store {
    Store::builder().open_in_memory().unwrap()
}

/// A session of messages `user`, `assistant`, `user`, ... with these texts.
pub fn talk(store: &Store, texts: &[&str]) -> SessionTree {
    let messages = texts.iter().enumerate().map(|(at, text)| match at % 2 {
        0 => Message::user(text),
        _ => Message::assistant(text),
    });
    store.from_linear(messages, 1_700_000_000_000).unwrap()
}

impl Client {
    pub fn new(store: &Store) -> Client {
        Client::with(store, Options::default())
    }

    pub fn with(store: &Store, options: Options) -> Client {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let store = store.clone();
        let server = std::thread::spawn(move || {
            let writer = theirs.try_clone().unwrap();
            rpc::serve(theirs.try_clone().unwrap(), writer, &store, &options).unwrap();
            theirs.shutdown(std::net::Shutdown::Both).unwrap();
        });
        Client::over(ours, Some(server))
    }

    pub fn over(stream: UnixStream, server: Option<JoinHandle<()>>) -> Client {
        Client {
            reader: BufReader::new(stream.try_clone().unwrap()),
            stream: Some(stream),
            server,
            next_id: 1,
            events: Vec::new(),
        }
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stream = self.stream.as_mut().expect("the input was not closed");
        stream.write_all(bytes).unwrap();
    }

    pub fn send(&mut self, request: &Value) {
        self.send_bytes(format!("{request}\n").as_bytes());
    }

    /// No more requests will come.
    pub fn close_input(&mut self) {
        if let Some(stream) = self.stream.take() {
            stream.shutdown(std::net::Shutdown::Write).unwrap();
        }
    }

    /// The next line; `None` at the end.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line).unwrap() {
            0 => None,
            _ => {
                assert!(line.ends_with('\n'), "an answer ends with LF");
                Some(line)
            }
        }
    }

    /// The next message, checked against the schema.
    pub fn message(&mut self) -> Option<Value> {
        let line = self.line()?;
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        schema::check_message(&message);
        Some(message)
    }

    /// The next answer. Events before it are kept.
    pub fn answer(&mut self) -> Value {
        loop {
            let message = self
                .message()
                .expect("an answer was awaited, and the stream ended");
            if message["type"] == "response" {
                return message;
            }
            self.events.push(message);
        }
    }

    /// The next event.
    pub fn event(&mut self) -> Value {
        if !self.events.is_empty() {
            return self.events.remove(0);
        }
        let message = self
            .message()
            .expect("an event was awaited, and the stream ended");
        assert_ne!(
            message["type"], "response",
            "an event was awaited: {message}"
        );
        message
    }

    /// Sends a request and returns its answer.
    pub fn ask(&mut self, request: Value) -> Value {
        let mut request = request;
        let id = json!(format!("req_{}", self.next_id));
        self.next_id += 1;
        request["id"] = id.clone();
        self.send(&request);
        let answer = self.answer();
        assert_eq!(
            answer["id"], id,
            "answers come in the order of the requests"
        );
        assert_eq!(answer["command"], request["type"]);
        // What the schema does not allow, the server does not take either.
        if let Some(problem) = schema::problem_of_request(&request) {
            assert_eq!(answer["success"], false, "{problem}: {answer}");
        }
        answer
    }

    /// The `data` of a success; null where there is none.
    pub fn data(&mut self, request: Value) -> Value {
        let answer = self.ask(request);
        assert_eq!(answer["success"], true, "{answer}");
        answer["data"].clone()
    }

    /// The code and the text of a failure.
    pub fn failure(&mut self, request: Value) -> (String, String) {
        let answer = self.ask(request);
        assert_eq!(answer["success"], false, "{answer}");
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        (text("code"), text("error"))
    }

    /// Ends the connection and waits for the server.
    pub fn end(mut self) {
        self.close_input();
        assert_eq!(self.line(), None, "an answer nobody asked for");
        if let Some(server) = self.server.take() {
            server.join().unwrap();
        }
    }
}
