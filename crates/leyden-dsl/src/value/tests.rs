use super::*;

#[test]
fn hashes_are_those_of_cpython() {
    assert_eq!(hash_int(-1), -2);
    assert_eq!(hash_int((1 << 61) - 1), 0);
    assert_eq!(hash_int(i64::MIN), -4);
    assert_eq!(Value::tuple(vec![]).unwrap().hash(), 5740354900026072187);
    assert_eq!(hash_pair(0, 0), -8458139203682520985);
    assert_eq!(hash_pair(3, -1), Value::from((3, -1)).hash());
    assert_eq!(Value::set(Table::new()).unwrap().hash(), 133146708735736);
}

#[test]
fn true_is_one_and_sets_compare_by_content() {
    assert_eq!(Value::from(true), Value::from(1));
    let set = |keys: &[i64]| Value::set(keys.iter().map(|&n| n.into()).collect()).unwrap();
    assert_eq!(set(&[8, 0]), set(&[0, 8]));
    assert_ne!(set(&[8, 0]), set(&[0, 9]));
    assert_eq!(set(&[8, 0]).to_string(), "{8, 0}");
}

#[test]
fn numbers_with_a_point_equal_whole_ones_and_nan_is_itself_only_in_containers() {
    let nan = Value::Float(f64::NAN);
    assert_eq!(Value::Float(1.0), Value::from(true));
    assert_eq!(Value::Float(2.0).hash(), Value::from(2).hash());
    assert!(nan == nan.clone() && nan.is_nan() && nan.is_truthy());
    assert_ne!(Value::Float(f64::INFINITY), nan);
    let shown = [nan, Value::Float(f64::NEG_INFINITY), Value::Float(0.0)];
    assert_eq!(shown.map(|x| x.to_string()), ["nan", "-inf", "0.0"]);
}

#[test]
fn doubling_for_ever_is_refused() {
    let mut value = Value::from(1);
    for _ in 0..23 {
        value = Value::pair(value.clone(), value).unwrap();
    }
    assert_eq!(Value::pair(value.clone(), value).err(), Some(Fault::Memory));
}

#[test]
fn nesting_is_capped_and_drops_safely() {
    let nest = || {
        let mut value = Ok(Value::from(1));
        let mut depth = 0;
        while let Ok(inner) = value {
            value = Value::tuple(vec![inner]);
            depth += 1;
        }
        depth
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(nest);
    assert_eq!(thread.unwrap().join().unwrap(), MAX_NESTING + 1);
}

#[test]
fn int_rows_are_only_for_proper_grids() {
    let grid = Value::grid(&[[1, 2], [3, 4]]);
    assert_eq!(grid.as_int_rows(), Some(vec![vec![1, 2], vec![3, 4]]));
    assert_eq!(Value::grid::<[u8; 0]>(&[]).as_int_rows(), None);
    assert_eq!(Value::from((1, 2)).as_int_rows(), None);
}
