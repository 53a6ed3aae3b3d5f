//! No call panics, hangs or takes too much memory, for any arguments.

use std::slice;

use leyden_dsl::cx::{Cx, call, call_prim};
use leyden_dsl::fault::Fault;
use leyden_dsl::table::{Dialect, Prim, TABLE, TOKPIDJIN_TABLE};
use leyden_dsl::value::Value;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => 0_i64..10,
        3 => -40_i64..40,
        1 => prop::sample::select(vec![i64::MIN, i64::MIN + 1, -1 << 40, 1 << 40, i64::MAX]),
    ]
}

fn atom() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => number().prop_map(Value::Int),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::None),
        2 => (number(), number()).prop_map(Value::from),
        1 => float(),
        1 => (0..TABLE.len()).prop_map(|k| Value::Prim(TABLE[k].prim)),
    ]
}

fn grid() -> impl Strategy<Value = Value> {
    (1_usize..6).prop_flat_map(|width| {
        let row = prop::collection::vec(0_u8..4, width);
        prop::collection::vec(row, 1..6).prop_map(|rows| Value::grid(&rows))
    })
}

fn cell() -> impl Strategy<Value = Value> {
    let location = (number(), number()).prop_map(Value::from);
    (0_i64..4, location).prop_map(|(v, location)| Value::pair(v.into(), location).expect("small"))
}

fn triple() -> impl Strategy<Value = Value> {
    let parts = (number(), number(), 0_i64..4);
    parts.prop_map(|(i, j, c)| Value::tuple([i, j, c].map(int).to_vec()).expect("small"))
}

fn float() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0])
        .prop_map(Value::Float)
}

fn set_of(elements: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(elements, 0..9)
        .prop_map(|elements| Value::set(elements.into_iter().collect()).expect("small"))
}

fn value() -> impl Strategy<Value = Value> {
    let inner = prop_oneof![
        3 => atom(),
        2 => grid(),
        2 => set_of(cell()),
        2 => set_of(triple()),
        2 => set_of((number(), number()).prop_map(Value::from)),
        1 => set_of(set_of(cell())),
    ];
    inner.prop_recursive(2, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|v| Value::tuple(v).expect("small")),
            set_of(inner),
        ]
    })
}

/// A primitive and more arguments than any primitive takes.
fn arguments() -> impl Strategy<Value = (Prim, Vec<Value>)> {
    let all: Vec<Prim> = TABLE
        .iter()
        .chain(TOKPIDJIN_TABLE)
        .map(|e| e.prim)
        .collect();
    let prim = prop::sample::select(all);
    (prim, prop::collection::vec(value(), 4))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_call_panics((prim, args) in arguments()) {
        for dialect in Dialect::ALL {
            let cx = &mut Cx::new(dialect);
            // Calls are not checked: a program made by hand may call a primitive that its dialect
            // lacks.
            if let Ok(result) = call_prim(cx, prim, &args[..prim.arity()]) {
                let _ = (result.to_string(), result.hash());
                let _ = call(cx, &result, &args[..1]);
            }
            let without_arguments = call_prim(cx, prim, &[]);
            if dialect.is_classic() { prop_assert_eq!(without_arguments, Err(Fault::TypeError)) } else { prop_assert!(without_arguments.is_ok()) }
        }
    }
}

fn int(n: i64) -> Value {
    Value::Int(n)
}

fn refuses(prim: Prim, args: &[Value], fault: Fault) {
    let outcome = call_prim(&mut Cx::new(Dialect::ArcDsl), prim, args);
    assert_eq!(outcome, Err(fault), "{prim}");
}

#[test]
fn numbers_in_the_data_do_not_make_loops() {
    const FAR: i64 = 1_000_000_000_000;
    let far = || Value::from((0, FAR));
    let corners = || Value::set([(0, 0).into(), (FAR, FAR).into()].into_iter().collect()).unwrap();
    let cell = |location: Value| Value::pair(int(1), location).unwrap();
    let object = || {
        let cells = [cell((0, 0).into()), cell((0, FAR).into())];
        Value::set(cells.into_iter().collect()).unwrap()
    };
    let grid = || Value::grid(&[[1, 2]]);
    let memory = |prim, args: &[Value]| refuses(prim, args, Fault::Memory);
    memory(Prim::connect, &[(0, 0).into(), far()]);
    memory(Prim::shoot, &[(0, 0).into(), far()]);
    memory(Prim::canvas, &[int(0), far_by_far(FAR)]);
    memory(Prim::repeat, &[int(0), int(FAR)]);
    memory(Prim::interval, &[int(0), int(FAR), int(1)]);
    memory(Prim::hupscale, &[grid(), int(FAR)]);
    memory(Prim::vupscale, &[grid(), int(FAR)]);
    memory(Prim::upscale, &[grid(), int(FAR)]);
    memory(Prim::upscale, &[object(), int(FAR)]);
    memory(Prim::hsplit, &[grid(), int(FAR)]);
    memory(Prim::vsplit, &[grid(), int(FAR)]);
    memory(Prim::backdrop, &[corners()]);
    memory(Prim::delta, &[corners()]);
    memory(Prim::r#box, &[corners()]);
    memory(Prim::inbox, &[corners()]);
    memory(Prim::outbox, &[corners()]);
    memory(Prim::hperiod, &[object()]);
    refuses(
        Prim::power,
        &[Prim::identity.into(), int(FAR)],
        Fault::RecursionError,
    );
}

fn far_by_far(far: i64) -> Value {
    (far, far).into()
}

/// The solver's body is one frame, so 999 more fit.
#[test]
fn power_recurses_as_deep_as_cpython_lets_it() {
    let test = || {
        let cx = &mut Cx::new(Dialect::ArcDsl);
        let deepest = call_prim(cx, Prim::power, &[Prim::increment.into(), int(999)]).unwrap();
        assert_eq!(call(cx, &deepest, &[int(1)]), Ok(int(1000)));
        for n in [1000, 0, -1] {
            let outcome = call_prim(cx, Prim::power, &[Prim::increment.into(), int(n)]);
            assert_eq!(outcome, Err(Fault::RecursionError));
        }
        let one_more = call_prim(cx, Prim::compose, &[Prim::increment.into(), deepest]).unwrap();
        assert_eq!(call(cx, &one_more, &[int(1)]), Err(Fault::RecursionError));
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test);
    thread.unwrap().join().unwrap();
}

#[test]
fn fuel_is_charged_by_the_table() {
    let used = |prim: Prim, args: &[Value]| {
        let cx = &mut Cx::new(Dialect::ArcDsl);
        call_prim(cx, prim, args).unwrap();
        cx.meter.used()
    };
    let grid = Value::grid(&[[1, 2, 3], [4, 5, 6]]);
    let set = Value::set([int(1), int(2)].into_iter().collect()).unwrap();
    assert_eq!(used(Prim::add, &[int(1), int(2)]), 1);
    assert_eq!(used(Prim::rot90, slice::from_ref(&grid)), 1 + 6 + 6);
    assert_eq!(used(Prim::dedupe, slice::from_ref(&grid)), 1 + 36);
    assert_eq!(
        used(Prim::apply, &[Prim::double.into(), set]),
        1 + 2 + 2 + 2
    );
}
