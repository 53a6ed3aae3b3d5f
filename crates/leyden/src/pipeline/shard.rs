//! [`Shard`]: one of several disjoint parts of a list.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The `index`-th, counted from 0, of `of` parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// A larger number of parts is a slip.
    const MOST: usize = 1_000_000;

    /// Takes every `of`-th item: neighbours often cost alike and go to different shards.
    pub(crate) fn take<T>(self, items: Vec<T>) -> Vec<T> {
        let items = items.into_iter();
        items.skip(self.index).step_by(self.of).collect()
    }

    /// The shard, of equally many, that has the item at this place.
    pub(crate) fn with(self, place: usize) -> Shard {
        Shard {
            index: place % self.of,
            ..self
        }
    }

    /// How many shards there are.
    pub(crate) fn of(self) -> usize {
        self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let number = |text: &str| {
            if text.bytes().all(|byte| byte.is_ascii_digit()) {
                text.parse::<usize>().ok()
            } else {
                None
            }
        };
        let parts = text.split_once('/');
        let parts = parts.and_then(|(index, of)| Some((number(index)?, number(of)?)));
        let (index, of) = parts.ok_or("it must look like `0/4`: the first of four")?;
        match of {
            0 => Err("there must be at least one shard".to_owned()),
            _ if of > Shard::MOST => Err("there are at most 1,000,000 shards".to_owned()),
            _ if index >= of => Err(format!(
                "shards are counted from 0: the last of {of} is {}/{of}",
                of - 1
            )),
            _ => Ok(Shard { index, of }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_out_everything_once() {
        for of in [1, 2, 3, 7, 20] {
            let shards = (0..of).map(|index| Shard { index, of });
            let mut all: Vec<u32> = shards
                .flat_map(|shard| shard.take((0..11).collect()))
                .collect();
            all.sort_unstable();
            assert_eq!(all, (0..11).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn an_item_is_in_the_shard_that_has_it() {
        let shard = Shard { index: 0, of: 3 };
        for place in 0..9 {
            assert!(shard.with(place).take((0..9).collect()).contains(&place));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "1",
            "a/b",
            "1/",
            "/2",
            "2/2",
            "0/0",
            "-1/3",
            "+1/3",
            "0/1/2",
            " 0/2",
            "0/1000001",
        ] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        let last = "4/4".parse::<Shard>().unwrap_err();
        assert_eq!(last, "shards are counted from 0: the last of 4 is 3/4");
        assert_eq!("3/4".parse::<Shard>().unwrap().to_string(), "3/4");
    }
}
