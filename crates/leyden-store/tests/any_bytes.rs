//! Loading any bytes gives tasks or an error, and never panics.

use std::path::Path;

use leyden_store::{Subset, parse_grids, parse_solutions, parse_tasks};
use proptest::prelude::*;

const DOCUMENTS: [&str; 6] = [
    r#"{"train": [{"input": [[0, 1], [2, 3]], "output": [[4]]}], "test": [{"input": [[5]]}]}"#,
    r#"[{"input": [[0,1],[2,3]], "output": [[4]]}, {"output": [[4]], "input": [[9]]}]"#,
    r#"{"00a": {"test": [{"input": [[5]]}], "train": []}, "b\u00e9é": {"train": [], "test": [{"input": [[1]]}]}}"#,
    r#"{"train": {"00a": {"train": [], "test": [{"input": [[5]]}]}}, "eval": {}}"#,
    r#"{"00a": [[[0, 1]], [[2]]], "00b": [[[7],[7]]]}"#,
    r#"[[[0, 1]], [[2]], [[3, 4, 5], [6, 7, 8]]]"#,
];

/// A change to a document: it removes bytes at one place and inserts others.
#[derive(Debug, Clone)]
struct Change {
    at: prop::sample::Index,
    n_removed: usize,
    put: Vec<u8>,
}

fn any_change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "\"",
            "\\",
            "\\u",
            "\\ud800",
            "-",
            "1",
            "10",
            "0.5",
            "1e9",
            "null",
            "true",
            "\"train\":",
            "\"input\":[[1]],",
            " ",
            "\n",
            "é",
            "\u{0}",
            "[[[[[[[[",
        ])
        .prop_map(|text: &str| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<prop::sample::Index>(), 0..6usize, piece).prop_map(|(at, n_removed, put)| Change {
        at,
        n_removed,
        put,
    })
}

fn apply(document: &str, changes: &[Change]) -> Vec<u8> {
    let mut bytes = document.as_bytes().to_vec();
    for change in changes {
        let start = change.at.index(bytes.len() + 1);
        let end = (start + change.n_removed).min(bytes.len());
        bytes.splice(start..end, change.put.iter().copied());
    }
    bytes
}

/// Reads the bytes in every way. Each error must name the file.
fn read_every_way(bytes: &[u8]) {
    let file = Path::new("some.json");
    let subsets = Subset::EVERY.map(Some).into_iter().chain([None]);
    let tasks = subsets.map(|subset| parse_tasks(file, bytes, subset).map(drop));
    let others = [
        parse_solutions(file, bytes).map(drop),
        parse_grids(file, bytes).map(drop),
    ];
    for error in tasks.chain(others).filter_map(Result::err) {
        assert!(error.to_string().contains("some.json"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn changed_documents_do_not_panic(
        document in prop::sample::select(DOCUMENTS.to_vec()),
        changes in prop::collection::vec(any_change(), 1..5),
    ) {
        read_every_way(&apply(document, &changes));
    }

    #[test]
    fn any_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_every_way(&bytes);
    }

    /// A general JSON library accepts every document that Leyden accepts.
    #[test]
    fn accepted_documents_are_json(
        document in prop::sample::select(DOCUMENTS.to_vec()),
        changes in prop::collection::vec(any_change(), 1..3),
    ) {
        let bytes = apply(document, &changes);
        if parse_tasks(Path::new("f"), &bytes, Some(Subset::All)).is_ok()
            || parse_tasks(Path::new("f"), &bytes, None).is_ok()
        {
            let json = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes);
            prop_assert!(json.is_ok(), "{:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn every_beginning_of_a_document_is_an_error() {
    for document in DOCUMENTS {
        let boundaries = (0..document.len()).filter(|&end| document.is_char_boundary(end));
        for end in boundaries {
            let start = &document.as_bytes()[..end];
            assert!(
                parse_tasks(Path::new("f"), start, Some(Subset::All)).is_err(),
                "{end}"
            );
            assert!(parse_solutions(Path::new("f"), start).is_err(), "{end}");
            assert!(parse_grids(Path::new("f"), start).is_err(), "{end}");
        }
        read_every_way(document.as_bytes());
    }
}
