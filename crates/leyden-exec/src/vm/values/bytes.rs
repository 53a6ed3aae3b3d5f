//! Eight cells at a time, as the bytes of a word, the first of them in its lowest byte.

/// The lowest bits of all bytes.
const LOWEST: u64 = 0x0101_0101_0101_0101;
/// All bits of each byte but the highest.
const LOWER: u64 = 0x7f7f_7f7f_7f7f_7f7f;

#[inline]
pub(crate) fn word_of(cells: &[i8; 8]) -> u64 {
    u64::from_le_bytes(cells.map(|v| v as u8))
}

#[inline]
pub(crate) fn cells_of(word: u64) -> [i8; 8] {
    word.to_le_bytes().map(|v| v as i8)
}

/// Eight cells from some place on; zeros after the last cell.
#[inline]
pub(crate) fn word_at(cells: &[i8], place: usize) -> u64 {
    match cells[place..].first_chunk() {
        Some(block) => word_of(block),
        None => last_word(&cells[place..]),
    }
}

#[cold]
pub(crate) fn last_word(cells: &[i8]) -> u64 {
    let mut block = [0; 8];
    block[..cells.len()].copy_from_slice(cells);
    word_of(&block)
}

/// Sets eight cells from some place on, or those that exist.
#[inline]
pub(crate) fn set_word_at(cells: &mut [i8], place: usize, word: u64) {
    let block = cells_of(word);
    match cells[place..].first_chunk_mut() {
        Some(cells) => *cells = block,
        None => {
            let rest = &mut cells[place..];
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }
}

#[inline]
pub(crate) fn in_each_byte(colour: i8) -> u64 {
    u64::from(colour as u8) * LOWEST
}

/// The lowest bit of each byte that is 0.
#[inline]
fn marks_of_zeros(word: u64) -> u64 {
    let is_used = ((word & LOWER) + LOWER) | word;
    !is_used >> 7 & LOWEST
}

/// One bit for each byte that is 0.
#[inline]
pub(crate) fn zero_bytes(word: u64) -> u8 {
    lowest_bits(marks_of_zeros(word))
}

/// The lowest bit of each byte.
#[inline]
pub(crate) fn lowest_bits(word: u64) -> u8 {
    // Gathers them in the highest byte.
    ((word & LOWEST).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// All bits of each byte that is 0, none of the others.
#[inline]
pub(crate) fn where_zero(word: u64) -> u64 {
    marks_of_zeros(word) * 0xff
}

/// All bits of each byte whose number is set in `bits`, and none of the other bytes.
#[inline]
pub(crate) fn where_set(bits: u8) -> u64 {
    // Each byte keeps another bit.
    let bits = (u64::from(bits) * LOWEST) & 0x8040_2010_0804_0201;
    ((bits + LOWER) >> 7 & LOWEST) * 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_bits_stand_for_each_other() {
        for bits in 0..=u8::MAX {
            let bytes = where_set(bits).to_le_bytes();
            let has = |k: usize| bits >> k & 1 == 1;
            assert!((0..8).all(|k| bytes[k] == if has(k) { 0xff } else { 0 }));
            assert_eq!(zero_bytes(!where_set(bits)), bits);
            assert_eq!(lowest_bits(where_set(bits)), bits);
            let odd = in_each_byte(-128) & where_set(bits) | in_each_byte(1) & !where_set(bits);
            assert_eq!(zero_bytes(odd), 0);
            assert_eq!(where_zero(odd ^ in_each_byte(-128)), where_set(bits));
        }
    }

    #[test]
    fn cells_are_read_and_set_up_to_the_last() {
        for n in 0..20i8 {
            let cells: Vec<i8> = (1..=n).collect();
            for place in 0..=cells.len() {
                let word = cells_of(word_at(&cells, place));
                let n_left = (cells.len() - place).min(8);
                assert_eq!(word[..n_left], cells[place..][..n_left]);
                assert!(word[n_left..].iter().all(|v| *v == 0));
                let mut changed = cells.clone();
                set_word_at(&mut changed, place, in_each_byte(-7));
                let is_set = |k: usize| (place..place + 8).contains(&k);
                let wanted = |k: usize| if is_set(k) { -7 } else { cells[k] };
                assert!(changed.iter().enumerate().all(|(k, v)| *v == wanted(k)));
            }
        }
    }
}
