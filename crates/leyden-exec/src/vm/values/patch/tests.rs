use crate::vm::values::arena::Room;

use super::*;

fn cells(patch: &Patch<'_>) -> Vec<(i64, i64)> {
    let mut cells = Vec::new();
    patch.cells().for_each(|cell| cells.push(cell));
    assert_eq!(cells, patch.cells().collect::<Vec<_>>());
    assert_eq!(cells.len(), patch.len());
    cells
}

#[test]
fn bits_of_other_patches_are_kept_or_taken_away() {
    let arena = Room::default();
    let shape = |n: u128| [(n * 0x9e37_79b9 % 509) | 1, 0, n * 7 % 31, (n % 5) | 2];
    let mut n_same = 0;
    for n in 0..600 {
        let (top, left) = (n as i64 % 9 - 4, n as i64 * 37 % 150 - 75);
        let a = Patch::from_rows(&arena, 0, 0, &shape(n)).expect("it fits");
        let wide = shape(n / 3).map(|row| row << (n % 100) | 1);
        let b = Patch::from_rows(&arena, top, left, &wide).expect("it fits");
        for (a, b) in [(a, b), (b, a), (a, a.moved(0, 0).expect("it fits"))] {
            for wanted in [true, false] {
                let kept = a.cells().filter(|(i, j)| b.contains(*i, *j) == wanted);
                let kept: Vec<_> = kept.collect();
                n_same += usize::from(kept.len() == a.len());
                let masked = a.masked(&arena, &b, wanted);
                assert_eq!(masked.map_or(Vec::new(), |patch| cells(&patch)), kept);
                let n = a.n_common(&b);
                assert_eq!(kept.len(), if wanted { n } else { a.len() - n });
            }
            let by = (left % 5, top - 3);
            let moved = a.moved(by.0, by.1).expect("it fits");
            let n_common = moved.cells().filter(|(i, j)| b.contains(*i, *j)).count();
            let corner = a.corner_moved(by).expect("it fits");
            assert_eq!(a.n_common_at(corner, &b), n_common);
            if a.len() >> COUNT_BITS != 0 {
                continue;
            }
            let counts = a.n_common_along(by, &b);
            for k in [0, 1, 17, 63] {
                let moved = a.moved(by.0, by.1 + k).expect("it fits");
                let bits = counts.iter().rev();
                let n_common = bits.fold(0, |n, bits| 2 * n + (bits >> k & 1) as usize);
                assert_eq!(n_common, moved.n_common(&b));
            }
        }
    }
    assert!(n_same > 600, "{n_same}");
}

#[test]
fn patches_are_turned_and_completed_in_their_boxes() {
    let arena = Room::default();
    for width in [1, 2, 9, 63, 64, 65, 100, 128] {
        let row =
            |n: u128| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> (128 - width);
        let rows = [row(1) | 1, row(2), 0, row(3) | 1 << (width - 1)];
        let patch = Patch::from_rows(&arena, -2, 5, &rows).expect("it fits");
        let (top, left) = (patch.top(), patch.left());
        let turned = |turn: &dyn Fn((i64, i64)) -> (i64, i64)| {
            let mut cells: Vec<_> = patch.cells().map(turn).collect();
            cells.sort_unstable();
            cells
        };
        let mirrored = turned(&|(i, j)| (i, left + patch.right() - j));
        assert_eq!(cells(&patch.left_right(&arena)), mirrored);
        let transposed = patch.transposed(&arena).expect("it fits");
        let wanted = turned(&|(i, j)| (top + j - left, left + i - top));
        assert_eq!(cells(&transposed), wanted);
        let rest = patch.rest_of_box(&arena).map_or(Vec::new(), |p| cells(&p));
        let places =
            (top..=patch.bottom()).flat_map(|i| (left..=patch.right()).map(move |j| (i, j)));
        let missing: Vec<_> = places.filter(|(i, j)| !patch.contains(*i, *j)).collect();
        assert_eq!(rest, missing);
    }
}

#[test]
fn diagonals_of_all_sizes_fall_and_rise() {
    for n in [1, 2, 63, 64, 65, 127, 128] {
        let falling = Patch::diagonal(-3, 5, n, true).expect("it fits");
        let rising = Patch::diagonal(-3, 5, n, false).expect("it fits");
        let places = |column: &dyn Fn(i64) -> i64| (0..n).map(|r| (r - 3, column(r))).collect();
        let (down, up): (Vec<_>, Vec<_>) = (places(&|r| 5 + r), places(&|r| 4 + n - r));
        assert_eq!((cells(&falling), cells(&rising)), (down, up));
    }
    assert!(Patch::diagonal(0, 0, 129, true).is_none());
}

#[test]
fn patches_are_joined_across_the_middle_of_a_row() {
    let arena = Room::default();
    for left in [0, 1, 40, 60, 63, 64, 65, 100] {
        let (a, b) = (Patch::rectangle(&arena, 0, 0, 2, 28), Patch::single(5, 0));
        let parts = [a.expect("it fits"), b.expect("it fits")];
        let moved = parts[0].moved(1, left).expect("it fits");
        let all = [parts[0], parts[1], moved];
        let mut canvas = Canvas::around(&arena, all.iter()).expect("it fits");
        for patch in &all {
            canvas.add(patch);
        }
        let mut wanted: Vec<_> = all.iter().flat_map(|patch| patch.cells()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        assert_eq!(cells(&canvas.finish().expect("it fits")), wanted);
    }
}
