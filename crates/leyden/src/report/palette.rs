//! The ten colours.

use crate::args::PaletteName;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl Rgb {
    const fn hex(code: u32) -> Rgb {
        Rgb((code >> 16) as u8, (code >> 8) as u8, code as u8)
    }

    /// The colour in SVG's notation.
    pub(crate) fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The nearest of the 240 fixed colours of a terminal with 256.
    pub(crate) fn indexed(self) -> u8 {
        let distance = |index: u8| {
            let Rgb(r, g, b) = fixed_colour(index);
            let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
            square(r, self.0) + square(g, self.1) + square(b, self.2)
        };
        (16..=255)
            .min_by_key(|index| distance(*index))
            .unwrap_or(16)
    }

    /// Black or white, the one that is readable on this colour.
    pub(crate) fn ink(self) -> Rgb {
        if self.luminance() > 0.18 {
            Rgb(0, 0, 0)
        } else {
            Rgb(255, 255, 255)
        }
    }

    fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|channel| (f64::from(channel) / 255.0).powf(2.2))
    }
}

/// Colours 16 to 231 are a cube with six steps a side, the rest are greys.
fn fixed_colour(index: u8) -> Rgb {
    if index >= 232 {
        let grey = 8 + 10 * (index - 232);
        return Rgb(grey, grey, grey);
    }
    let step = |k: u8| if k == 0 { 0 } else { 55 + 40 * k };
    let index = index.saturating_sub(16);
    Rgb(step(index / 36), step(index / 6 % 6), step(index % 6))
}

/// A colour for each number.
pub(crate) struct Palette([Rgb; 10]);

impl Palette {
    pub(crate) fn named(name: PaletteName) -> Palette {
        match name {
            PaletteName::Arc => Palette(ARC),
            PaletteName::Safe => Palette(SAFE),
        }
    }

    pub(crate) fn colour(&self, cell: u8) -> Rgb {
        self.0
            .get(usize::from(cell))
            .copied()
            .unwrap_or(Rgb(255, 255, 255))
    }
}

/// The colours of the ARC site.
const ARC: [Rgb; 10] = [
    Rgb::hex(0x000000),
    Rgb::hex(0x0074d9),
    Rgb::hex(0xff4136),
    Rgb::hex(0x2ecc40),
    Rgb::hex(0xffdc00),
    Rgb::hex(0xaaaaaa),
    Rgb::hex(0xf012be),
    Rgb::hex(0xff851b),
    Rgb::hex(0x7fdbff),
    Rgb::hex(0x870c25),
];

/// Colours similar to ARC's, but far apart in lightness, so that people without one kind of cone
/// can tell any two of them. A search found them, and a test checks the distances.
const SAFE: [Rgb; 10] = [
    Rgb::hex(0x000000),
    Rgb::hex(0x0338e6),
    Rgb::hex(0xa82104),
    Rgb::hex(0x50be72),
    Rgb::hex(0xfaf80c),
    Rgb::hex(0x757575),
    Rgb::hex(0xea40d1),
    Rgb::hex(0xd19f29),
    Rgb::hex(0xc3effe),
    Rgb::hex(0x5d1465),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear RGB as people without one kind of cone see it (Machado, Oliveira and Fernandes 2009).
    const PROTANOPIA: [[f64; 3]; 3] = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ];
    const DEUTERANOPIA: [[f64; 3]; 3] = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ];

    const TRITANOPIA: [[f64; 3]; 3] = [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ];

    fn seen(colour: Rgb, eye: &[[f64; 3]; 3]) -> [f64; 3] {
        let linear = colour.linear();
        eye.map(|row| {
            row.iter()
                .zip(linear)
                .map(|(a, b)| a * b)
                .sum::<f64>()
                .clamp(0.0, 1.0)
        })
    }

    /// CIELAB of linear RGB.
    fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let f = |t: f64| {
            if t > 0.008856 {
                t.cbrt()
            } else {
                7.787 * t + 16.0 / 116.0
            }
        };
        let x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
        let y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
        let z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The smallest difference between two colours of a palette.
    fn closest_pair(palette: &[Rgb; 10], eye: &[[f64; 3]; 3]) -> f64 {
        let points = palette.map(|colour| lab(seen(colour, eye)));
        let distance = |a: [f64; 3], b: [f64; 3]| {
            a.iter()
                .zip(b)
                .map(|(p, q)| (p - q).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let pairs = (0..10).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .map(|(i, j)| distance(points[i], points[j]))
            .fold(f64::MAX, f64::min)
    }

    #[test]
    fn the_safe_palette_is_safer() {
        for eye in [&PROTANOPIA, &DEUTERANOPIA, &TRITANOPIA] {
            let (safe, arc) = (closest_pair(&SAFE, eye), closest_pair(&ARC, eye));
            // A difference of 2 can just be seen, one of 10 at a glance.
            assert!(safe > 25.0 && safe > 1.5 * arc, "{safe} and {arc}");
        }
    }

    #[test]
    fn terminals_get_the_nearest_colour() {
        assert_eq!(Rgb(0, 0, 0).indexed(), 16);
        assert_eq!(Rgb(255, 255, 255).indexed(), 231);
        assert_eq!(Rgb::hex(0xaaaaaa).indexed(), 248);
        assert_eq!(Rgb::hex(0xffdc00).indexed(), 220);
    }

    #[test]
    fn numbers_are_readable_on_every_colour() {
        for colour in ARC.into_iter().chain(SAFE) {
            let (a, b) = (colour.luminance(), colour.ink().luminance());
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= 4.5, "{} {contrast}", colour.css());
        }
    }
}
