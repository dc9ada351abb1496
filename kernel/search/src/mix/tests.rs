//! Tests of `mix`.

use super::*;

#[test]
fn without_meaning_words_are_all() {
    assert_eq!(mixed(0.4, 0.8, None).to_bits(), 0.4_f32.to_bits());
}

#[test]
fn more_of_either_is_never_less() {
    for step in 0..10_u8 {
        let (low, high) = (f32::from(step) / 10.0, f32::from(step + 1) / 10.0);
        assert!(mixed(low, 1.0, Some(0.3)) < mixed(high, 1.0, Some(0.3)));
        assert!(mixed(0.3, 1.0, Some(low)) < mixed(0.3, 1.0, Some(high)));
    }
}
