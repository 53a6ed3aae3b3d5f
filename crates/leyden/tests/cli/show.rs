use crate::{Sandbox, words};

const TASK: &str = r#"{"train": [{"input": [[1, 2], [3, 4]], "output": [[1, 2, 9]]}],
    "test": [{"input": [[5]]}]}"#;

#[test]
fn plain_tasks_are_digits() {
    let sandbox = Sandbox::new();
    sandbox.write("a & b.json", TASK);
    let expected = "\
a & b

train[0]  2×2 → 1×3
1 2  →  1 2 9
3 4

test[0]  1×1 → ?
5  →  ?
";
    assert_eq!(
        sandbox.leyden(&["show", "a & b.json"]).ok().stdout,
        expected
    );
}

#[test]
fn colours_come_when_asked_for() {
    let sandbox = Sandbox::new();
    let show = |color| {
        sandbox
            .leyden(&["show", "1e7d0001", "--color", color])
            .ok()
            .stdout
    };
    assert!(show("truecolor").contains("\x1b[48;2;0;116;217m"));
    assert!(show("256").contains("\x1b[48;5;"));
    assert!(!show("plain").contains('\x1b') && !show("auto").contains('\x1b'));
    let args = words("show 1e7d0001 --color truecolor --palette safe");
    assert!(
        sandbox
            .leyden(&args)
            .ok()
            .stdout
            .contains("\x1b[48;2;3;56;230m")
    );
}

#[test]
fn numbers_stand_in_their_cells() {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", TASK);
    let text = sandbox
        .leyden(&["show", "a.json", "--color", "256", "--numbers"])
        .ok()
        .stdout;
    assert!(
        text.contains("m1 \x1b") && text.contains("m9 \x1b"),
        "{text:?}"
    );
}

#[test]
fn pictures_are_well_formed() {
    let sandbox = Sandbox::new();
    sandbox.write("a & b.json", TASK);
    let args = ["show", "a & b.json", "--svg", "out.svg", "--numbers"];
    assert!(sandbox.leyden(&args).ok().stdout.contains("train[0]"));
    let svg = sandbox.read("out.svg");
    check_well_formed(&svg);
    assert!(svg.contains("<title id=\"title\">ARC task a &amp; b</title>"));
    assert!(svg.contains("role=\"img\"") && svg.contains("aria-label=\"train[0] 2×2 → 1×3\""));
    assert!(svg.contains(">9</text>"));
    let ran = sandbox.leyden(&["show", "1e7d0001", "--svg", "-"]).ok();
    check_well_formed(&ran.stdout);
}

/// Checks that elements are closed in order, attributes are quoted, and no `&` or `<` stands alone.
fn check_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut pieces = xml.split('<');
    assert_eq!(pieces.next(), Some(""));
    for piece in pieces {
        let (tag, text) = piece.split_once('>').expect("every tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert!(
            !text.contains('>') && text.split('&').skip(1).all(|rest| rest.contains(';')),
            "{text}"
        );
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap()),
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn unknown_tasks_get_a_hint() {
    let sandbox = Sandbox::new();
    sandbox.leyden(&["show", "1e7d001"]).refused(&[
        "1e7d001",
        "did you mean 1e7d0001?",
        "leyden get",
    ]);
    sandbox
        .leyden(&["show", "zz", "--data", "demo"])
        .refused(&["demo has no task zz"]);
}
