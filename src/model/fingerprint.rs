//! When two records are one: the same kind, the same declared parent, the same payload.

use sha2::{Digest, Sha256};

use super::json::compact_runs;

/// Stands for a record's kind, declared parent and payload. White space outside the payload's strings does not count.
pub(crate) type Fingerprint = [u8; 16];

/// `parent` is the id that was declared, whether a node has it or not.
pub(crate) fn fingerprint(kind: &str, parent: Option<&str>, payload: &str) -> Fingerprint {
    let mut hash = Sha256::new();
    hash.update(kind.len().to_le_bytes());
    hash.update(kind);
    // `None` and the empty text declare the same: no parent.
    let parent = parent.unwrap_or_default();
    hash.update(parent.len().to_le_bytes());
    hash.update(parent);
    compact_runs(payload, |run| hash.update(run));
    let digest = hash.finalize();
    let mut short = Fingerprint::default();
    for (to, from) in short.iter_mut().zip(digest.iter()) {
        *to = *from;
    }
    short
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_count_and_everything_else_does() {
        let of = |kind, parent, payload| fingerprint(kind, parent, payload);
        let base = of("message", Some("a"), r#"{"role":"user","content":"a b"}"#);
        assert_eq!(
            base,
            of(
                "message",
                Some("a"),
                "{ \"role\": \"user\",\n\"content\" :\"a b\"} "
            )
        );
        for other in [
            of("message", Some("a"), r#"{"role":"user","content":"ab"}"#),
            of("message", Some("b"), r#"{"role":"user","content":"a b"}"#),
            of("message", None, r#"{"role":"user","content":"a b"}"#),
            of("custom", Some("a"), r#"{"role":"user","content":"a b"}"#),
        ] {
            assert_ne!(base, other);
        }
        assert_eq!(of("label", None, "{}"), of("label", Some(""), "{}"));
        assert_eq!(hex(&[0, 0xab, 0x1f]), "00ab1f");
    }
}
