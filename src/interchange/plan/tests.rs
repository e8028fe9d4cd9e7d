use super::*;

struct Session(Vec<(&'static str, u8)>);

fn print(of: u8) -> Fingerprint {
    [of; 16]
}

impl Known for Session {
    fn fingerprints(&self, ids: &[&str]) -> Result<Vec<Option<Fingerprint>>> {
        let find = |id: &str| self.0.iter().find(|(known, _)| *known == id);
        Ok(ids
            .iter()
            .map(|id| find(id).map(|(_, of)| print(*of)))
            .collect())
    }

    fn numbered(&self, id: &str) -> Result<Vec<(String, Fingerprint)>> {
        let prefix = format!("{id}~");
        let known = self
            .0
            .iter()
            .filter(|(known, _)| known.starts_with(&prefix));
        Ok(known
            .map(|(id, of)| ((*id).to_owned(), print(*of)))
            .collect())
    }
}

/// Records as `(id, content)`; each answer is the id of the node it becomes, `=` before one that is there already.
fn fates(session: &[(&'static str, u8)], records: &[(&str, u8)]) -> Vec<String> {
    let candidates: Vec<Candidate<'_>> = records
        .iter()
        .map(|(id, of)| Candidate {
            id,
            parent: None,
            print: print(*of),
            line: None,
        })
        .collect();
    let plan = plan(&candidates, &Session(session.to_vec())).unwrap();
    let repeats: HashSet<usize> = plan.repeats.iter().map(|repeat| repeat.record).collect();
    plan.fates
        .iter()
        .enumerate()
        .map(|(record, fate)| match fate {
            Fate::New(place) if !repeats.contains(&record) => plan.nodes[*place].id.clone(),
            Fate::New(place) => format!("again {}", plan.nodes[*place].id),
            Fate::Known(id) if !repeats.contains(&record) => format!("known {id}"),
            Fate::Known(id) => format!("again {id}"),
        })
        .collect()
}

#[test]
fn differing_records_get_numbers_and_equal_ones_fold() {
    assert_eq!(
        fates(
            &[],
            &[("a", 1), ("a", 1), ("a", 2), ("a", 3), ("a", 2), ("a", 1)]
        ),
        ["a", "again a", "a~2", "a~3", "again a~2", "again a"]
    );
    assert_eq!(
        fates(&[], &[("a", 1), ("a~2", 9), ("a", 2)]),
        ["a", "a~2", "a~3"]
    );
    assert_eq!(
        fates(&[], &[("a", 1), ("a", 2), ("a~2", 9)]),
        ["a", "a~3", "a~2"]
    );
    let session = [("a", 1), ("a~2", 2), ("b", 7)];
    assert_eq!(
        fates(
            &session,
            &[("a", 1), ("a", 2), ("a", 3), ("b", 8), ("c", 1), ("a", 2)]
        ),
        ["known a", "known a~2", "a~3", "b~2", "c", "again a~2"]
    );
    assert_eq!(fates(&session, &[("a", 2), ("a", 4)]), ["known a~2", "a~3"]);
}
