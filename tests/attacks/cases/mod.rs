//! The attacks as data. Each runs on a copy of `fixtures/seed.sql`, which shows the trees it speaks of.
//!
//! `$a3` in a script is the key of node 3 of session 1 (`$b3`, `$c3`, `$d3`: sessions 2 to 4). `$node` stands for the columns
//! of a node that must be given and `$rest` for values of those behind `messages`.

mod branches;
mod ddl;
mod nodes;
mod rows;
mod sessions;

/// What must come of an attack.
#[derive(Clone, Copy, PartialEq)]
pub enum Expect {
    /// Refused with a text that holds this one, and nothing in the file changed.
    Stopped(&'static str),
    /// Nothing is refused, and nothing in the file changed either.
    Harmless,
    /// It works. `check` names it with at least these codes.
    Left(&'static [&'static str]),
    /// It works, and nothing in the file tells so afterwards.
    Unseen,
}

/// One attack: a script as it would be typed into the `sqlite3` shell.
pub struct Attack {
    pub name: &'static str,
    pub sql: &'static str,
    pub expect: Expect,
}

const fn stopped(name: &'static str, by: &'static str, sql: &'static str) -> Attack {
    Attack {
        name,
        sql,
        expect: Expect::Stopped(by),
    }
}

const fn harmless(name: &'static str, sql: &'static str) -> Attack {
    Attack {
        name,
        sql,
        expect: Expect::Harmless,
    }
}

const fn left(name: &'static str, codes: &'static [&'static str], sql: &'static str) -> Attack {
    Attack {
        name,
        sql,
        expect: Expect::Left(codes),
    }
}

const fn unseen(name: &'static str, sql: &'static str) -> Attack {
    Attack {
        name,
        sql,
        expect: Expect::Unseen,
    }
}

/// Every attack.
pub fn all() -> impl Iterator<Item = &'static Attack> {
    [
        nodes::STOPPED,
        branches::STOPPED,
        sessions::STOPPED,
        rows::STOPPED,
        ddl::SWITCHES,
        ddl::LEFT,
        rows::LEFT,
    ]
    .into_iter()
    .flatten()
}

/// The script with its short forms written out.
pub fn expand(sql: &str) -> String {
    let sql = sql
        .replace("$node", "nodes (key, id, parent_key, run_start, messages, kind, created_at_ms, preview, payload)")
        .replace("$rest", "'message', 1, 'x', '{}'");
    let mut out = String::with_capacity(sql.len());
    let mut pieces = sql.split('$');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece
            .chars()
            .skip(1)
            .take_while(char::is_ascii_digit)
            .count();
        let session = piece
            .chars()
            .next()
            .map(|letter| u64::from(letter) - u64::from('a') + 1);
        let seq = piece
            .get(1..1 + digits)
            .and_then(|seq| seq.parse::<u64>().ok());
        match (session, seq) {
            (Some(session @ 1..=4), Some(seq)) => {
                out.push_str(&((session << 32) + seq).to_string());
                out.push_str(&piece[1 + digits..]);
            }
            _ => panic!("what is ${piece:.20} in a script?"),
        }
    }
    out
}
