//! Functions of objects: their values for all objects, and their arc-dsl.

/// A function of an object in arc-dsl, or a value that does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Of(String),
    Fixed(String),
}

impl Said {
    /// A function.
    pub(super) fn of(text: impl Into<String>) -> Said {
        Said::Of(text.into())
    }

    /// A value.
    pub(super) fn fixed(text: impl Into<String>) -> Said {
        Said::Fixed(text.into())
    }

    /// The object itself.
    pub(super) fn itself() -> Said {
        Said::of("identity")
    }

    /// A function of this value.
    pub(super) fn then(&self, function: &str) -> Said {
        match self {
            Said::Of(text) if text == "identity" => Said::of(function),
            Said::Of(text) => Said::Of(format!("compose({function}, {text})")),
            Said::Fixed(text) => Said::Fixed(format!("{function}({text})")),
        }
    }

    /// A function of two values.
    pub(super) fn both(function: &str, first: &Said, second: &Said) -> Said {
        match (first, second) {
            (Said::Of(a), Said::Of(b)) => Said::Of(format!("fork({function}, {a}, {b})")),
            (Said::Of(_), Said::Fixed(b)) => first.then(&format!("rbind({function}, {b})")),
            (Said::Fixed(a), Said::Of(_)) => second.then(&format!("lbind({function}, {a})")),
            (Said::Fixed(a), Said::Fixed(b)) => Said::Fixed(format!("{function}({a}, {b})")),
        }
    }
}

/// The values of a function for all objects. `None` stands where it has no value, or where that
/// depends on an order that objects do not have.
#[derive(Clone, Debug)]
pub(super) struct Table<V> {
    pub(super) said: Said,
    /// How much there is to say; less is better. [`priced`] turns it into bits.
    pub(super) cost: u32,
    pub(super) values: Vec<Option<V>>,
}

impl<V> Table<V> {
    pub(super) fn new(said: Said, cost: u32, values: Vec<Option<V>>) -> Table<V> {
        Table { said, cost, values }
    }
}

/// Keeps the cheapest of several tables with equal values, the cheapest first.
pub(super) fn distinct<V: PartialEq>(mut tables: Vec<Table<V>>) -> Vec<Table<V>> {
    tables.sort_by_key(|table| table.cost);
    let mut kept: Vec<Table<V>> = Vec::new();
    for table in tables {
        let has_values = table.values.iter().any(Option::is_some);
        if has_values && kept.iter().all(|it| it.values != table.values) {
            kept.push(table);
        }
    }
    kept
}

/// The bits of a choice with this cost: the logarithm of the number of choices that are no dearer.
pub(super) fn bits(costs: &[u32], cost: u32) -> f32 {
    let n = costs.iter().filter(|it| **it <= cost).count();
    (n.max(1) as f32).log2()
}
