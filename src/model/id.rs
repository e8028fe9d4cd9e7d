//! Ids as people and programs see them.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl From<String> for $name {
            fn from(id: String) -> Self {
                $name(id.into())
            }
        }
        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                $name(id.into())
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }
        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }
    };
}

id_type!(
    /// A node's id, unique inside its session: `n17`, 8 hex digits, or whatever the caller or the source gave.
    NodeId
);
id_type!(
    /// A session's id, unique inside its store.
    SessionId
);

/// Whether an id has the form that sessions make themselves: `n` and decimal digits.
pub(crate) fn is_counted(id: &str) -> bool {
    id.strip_prefix('n').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The number of an id `n<decimal>` in its canonical spelling, without leading zeros.
pub(crate) fn counted(id: &str) -> Option<u64> {
    let digits = id.strip_prefix('n')?;
    let canonical = digits == "0" || !digits.starts_with('0');
    if canonical && is_counted(id) {
        digits.parse().ok()
    } else {
        None
    }
}

/// 8 lower-case hex digits from a random UUID, as pi makes entry ids.
pub(crate) fn random_hex() -> String {
    let mut hex = uuid::Uuid::new_v4().simple().to_string();
    hex.truncate(8);
    hex
}

/// A new session id: a UUID version 7.
pub(crate) fn new_session_id() -> SessionId {
    SessionId::from(uuid::Uuid::now_v7().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_ids_are_canonical() {
        assert_eq!(counted("n0"), Some(0));
        assert_eq!(counted("n18446744073709551615"), Some(u64::MAX));
        for id in ["n", "n01", "n1a", "x1", "n-1", "n18446744073709551616", ""] {
            assert_eq!(counted(id), None, "{id}");
        }
        assert!(is_counted("n007") && !is_counted("n"));
    }
}
