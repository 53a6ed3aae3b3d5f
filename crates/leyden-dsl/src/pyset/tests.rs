use super::*;

fn of(keys: &[i64]) -> Table<i64> {
    let mut table = Table::new();
    for &key in keys {
        table.add(key, key);
    }
    table
}

fn order(table: &Table<i64>) -> Vec<i64> {
    table.iter().copied().collect()
}

#[test]
fn colliding_keys_keep_their_order_of_insertion() {
    assert_eq!(order(&of(&[8, 0])), [8, 0]);
    assert_eq!(order(&of(&[0, 8])), [0, 8]);
    assert_eq!(order(&of(&[8, 1])), [8, 1]);
}

#[test]
fn the_fifth_key_grows_the_table() {
    assert_eq!(order(&of(&[16, 9, 3, 2])), [16, 9, 2, 3]);
    assert_eq!(order(&of(&[16, 9, 3, 2, 1])), [1, 2, 3, 9, 16]);
}

#[test]
fn a_copy_may_have_another_order() {
    let set = of(&[86, 15, 60, 41, 88]);
    assert_eq!(order(&set), [41, 15, 86, 88, 60]);
    assert_eq!(order(&set.copy()), [86, 88, 41, 60, 15]);
    assert_eq!(order(&set.retabled()), [86, 88, 41, 60, 15]);
}

#[test]
fn identity_decides_the_order_of_an_intersection() {
    let set = of(&[8, 0]);
    let equal = of(&[0, 8]);
    assert_eq!(order(&set.intersection(&set, true)), [8, 0]);
    assert_eq!(order(&set.intersection(&equal, false)), [0, 8]);
}

#[test]
fn a_difference_leaves_dummies_that_a_copy_drops() {
    let set = of(&[0, 1, 2, 3, 32, 33, 34, 35]);
    let rest = set.difference(&of(&[0]));
    assert_eq!(rest.len(), 7);
    assert!(rest.fill > rest.used);
    assert_eq!(rest.copy().fill, 7);
}

#[test]
fn numbers_order_as_keys_do() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for round in 0..300 {
        let n = random(if round % 10 == 0 { 3_000 } else { 60 });
        let spread = 1 << random(40);
        let keys: Vec<i64> = (0..n).map(|_| random(spread) as i64).collect();
        // In some rounds, many keys share few hashes.
        let hashes: Vec<i64> = keys.iter().map(|k| k & !(round % 4)).collect();
        let mut table = Table::new();
        for (hash, key) in hashes.iter().zip(&keys) {
            table.add(*hash, *key);
        }
        let order = insertion_order(&hashes, |a, b| keys[a] == keys[b]);
        let order: Vec<i64> = order.iter().map(|k| keys[*k as usize]).collect();
        assert!(table.iter().eq(&order), "round {round}");
        let distinct = order.clone();
        let mut again: Vec<i64> = Vec::new();
        for key in &keys {
            if !again.contains(key) {
                again.push(*key);
            }
        }
        let hashes: Vec<i64> = again.iter().map(|k| k & !(round % 4)).collect();
        let order = order_of_distinct(&hashes);
        let order: Vec<i64> = order.iter().map(|k| again[*k as usize]).collect();
        assert_eq!(order, distinct, "round {round}");
    }
}
