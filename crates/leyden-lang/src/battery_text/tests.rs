use super::*;

fn check(source: &str, expected: &[(&str, (usize, usize))]) {
    let found = parse_battery(source).unwrap_err();
    let found: Vec<_> = found
        .iter()
        .map(|d| (d.message.as_str(), d.position(source)))
        .collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn everything_survives_printing_and_reading() {
    let source = "\
battery 1
seed 18446744073709551615
library 0000000000000000000000000000beef
engine \"leyden 0.1.0\"
t1 = objects(I, T, F, T)
t2 = argmax(t1, size) in re-arc
t3 = (t1, -7)
t4 = (S,)
t5 = ()
t6 = rbind(add, 11)
t7 = t6(None)
t8 = C
out solve_a(I) arc-dsl = t7 from solve_a lines t1 t6 t7
out b(S, I, C) re-arc = ONE from \"two words\" lines t1 None T t2 mutated constant \"1: \\u{22}x\\u{22}\" \"a b\" \"\"
out c() arc-dsl = I from c lines
";
    let file = parse_battery(source).unwrap();
    assert_eq!(file.battery.outs[1].mutations[0].what, "1: \"x\"");
    assert_eq!(file.battery.nodes[1].dialect, Dialect::ReArc);
    assert_eq!(print_battery(&file), source);
    assert!(is_battery(source));
    assert!(!is_battery("battery = 3"));
}

#[test]
fn mistakes_are_shown_at_their_place() {
    check(
        "",
        &[("this is empty; a battery starts with `battery 1`", (1, 1))],
    );
    check(
        "t1 = vmirror(I)\n",
        &[("a battery starts with `battery 1`", (1, 1))],
    );
    check("battery 2\n", &[("format 2 is not known", (1, 9))]);
    check(
        "battery 1\nt1 = vmiror(I)\nt2 = hmirror(t1)\n",
        &[("unknown name `vmiror`", (2, 6))],
    );
    check(
        "battery 1\nt1 = t2\nt2 = I\n",
        &[("unknown name `t2`", (2, 6))],
    );
    check(
        "battery 1\nt1 = I\nt1 = I\n",
        &[("`t1` already means something", (3, 1))],
    );
    check(
        "battery 1\nI = I\n",
        &[("`I` already means something", (2, 1))],
    );
    check(
        "battery 1\nseed x\n",
        &[("expected a number, found `x`", (2, 6))],
    );
    check(
        "battery 1\nout a(I) arc-dsl = I from a lines I\nout a(I) arc-dsl = I from a lines\n",
        &[("a second program called `a`", (3, 5))],
    );
    check(
        "battery 1\nout a(I) arc-dsl = I\n",
        &[("expected `from`, found the end of the line", (2, 21))],
    );
    check(
        "battery 1\nout a(I) x = I from a lines\n",
        &[("unknown dialect `x`", (2, 10))],
    );
    check(
        "battery 1\nout a(I) arc-dsl = I from a lines mutated k \"x\n",
        &[("the quotes are never closed", (2, 45))],
    );
    check(
        "battery 1\nout a(I) arc-dsl = I from a lines mutated k \"\\n\"\n",
        &[("`\\` is followed by something unknown", (2, 46))],
    );
    check(
        "battery 1\nnode 3\n",
        &[("`node` is neither a node nor `out`", (2, 1))],
    );
    check(
        "battery 1\nseed 99999999999999999999\n",
        &[("this number is out of range", (2, 6))],
    );
}
