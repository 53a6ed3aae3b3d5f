//! The kinds of values that the lines of a program can have, from the table's signatures.

use std::sync::LazyLock;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Dialect, ENTRIES, Prim};
use leyden_dsl::types::Type;
use leyden_lang::{Input, Op, Operand, Program};

use crate::meaning::Meaning;

/// The kinds that a parameter accepts: more than the table names, because programs pass more and
/// still run.
fn wanted(prim: Prim, k: usize) -> Kinds {
    let ty = prim
        .entry()
        .params
        .get(k)
        .map_or(Type::Any, |param| param.ty);
    match (prim, ty) {
        (Prim::astuple, _) => Kinds::ANY,
        (_, Type::Boolean) => Kinds::NUMBER,
        (_, Type::IntegerSet) => Kinds::CONTAINER,
        // Any set can serve as a patch, and so can a tuple of locations.
        (_, Type::Patch | Type::Object | Type::Indices | Type::Objects) => Kinds::of_type(ty)
            .or(Kinds::SET)
            .or(Kinds::TUPLES)
            .or(Kinds::TUPLE),
        (Prim::difference | Prim::totuple, Type::FrozenSet) => Kinds::CONTAINER,
        // Tokpidjin's variants for sets iterate over any container.
        (_, Type::FrozenSet) if !prim.is_classic() => Kinds::CONTAINER,
        (_, Type::Piece | Type::Element) => Kinds::of_type(ty)
            .or(Kinds::SET)
            .or(Kinds::TUPLES)
            .or(Kinds::TUPLE),
        _ => Kinds::of_type(ty),
    }
}

/// The kinds of a function's parameters and of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signature {
    params: [Kinds; 4],
    arity: usize,
    result: Kinds,
}

impl Signature {
    fn of(prim: Prim) -> Signature {
        Signature {
            params: std::array::from_fn(|k| wanted(prim, k)),
            arity: prim.arity(),
            result: plain_result(prim),
        }
    }

    fn unary(param: Kinds, result: Kinds) -> Signature {
        Signature {
            params: [param, Kinds::ANY, Kinds::ANY, Kinds::ANY],
            arity: 1,
            result,
        }
    }

    fn without_first(self) -> Signature {
        let [_, b, c, d] = self.params;
        Signature {
            params: [b, c, d, Kinds::ANY],
            arity: self.arity.saturating_sub(1),
            ..self
        }
    }

    fn without_last(self) -> Signature {
        Signature {
            arity: self.arity.saturating_sub(1),
            ..self
        }
    }

    fn takes(&self, args: &[Kinds]) -> bool {
        let mut pairs = args.iter().zip(self.params);
        self.arity == args.len() && pairs.all(|(arg, param)| arg.meet(param))
    }
}

/// The kinds of a value, and of its parameters and result if it is a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The kinds that the value can have.
    pub kinds: Kinds,
    signature: Option<Signature>,
}

impl Shape {
    fn of(kinds: Kinds) -> Shape {
        Shape {
            kinds,
            signature: None,
        }
    }

    fn function(signature: Signature) -> Shape {
        Shape {
            kinds: Kinds::FUNCTION,
            signature: Some(signature),
        }
    }

    /// The number of arguments, if the value is a function with a known signature.
    pub fn arity(&self) -> Option<usize> {
        self.signature.map(|signature| signature.arity)
    }

    /// The kinds of a call's result.
    fn result(&self) -> Kinds {
        self.signature
            .map_or(Kinds::ANY, |signature| signature.result)
    }

    /// Whether the value can be called with such arguments. An unknown signature accepts all.
    fn takes(&self, args: &[Kinds]) -> bool {
        let fits = self.signature.is_none_or(|signature| signature.takes(args));
        self.kinds.meet(Kinds::FUNCTION) && fits
    }

    fn param(&self, k: usize) -> Kinds {
        self.signature
            .map_or(Kinds::ANY, |signature| signature.params[k.min(3)])
    }
}

/// The shape of an operand, given the shapes of earlier lines.
pub fn shape_of(operand: Operand, shapes: &[Shape]) -> Shape {
    match operand {
        Operand::Var(k) => shapes
            .get(k as usize)
            .copied()
            .unwrap_or(Shape::of(Kinds::ANY)),
        Operand::Input(Input::I) => Shape::of(Kinds::GRID),
        Operand::Input(Input::S) => Shape::of(Kinds::TUPLES),
        Operand::Input(Input::C) => Shape::of(Kinds::GRID.or(Kinds::NONE)),
        Operand::Int(_) => Shape::of(Kinds::INTEGER),
        Operand::None => Shape::of(Kinds::NONE),
        Operand::Prim(prim) => SIGNATURES[prim as usize],
        Operand::Const(id) => Shape::of(Kinds::of_constant(id.value())),
    }
}

static SIGNATURES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    let shapes = ENTRIES
        .iter()
        .map(|entry| Shape::function(Signature::of(entry.prim)));
    shapes.collect()
});

/// The primitive whose rules hold for this one. Tokpidjin's variants, for one type or with a rank,
/// follow the rules of arc-dsl's primitive.
pub(crate) fn rule(prim: Prim) -> Prim {
    static RULES: LazyLock<Vec<Prim>> =
        LazyLock::new(|| ENTRIES.iter().map(|entry| rule_of(entry.prim)).collect());
    if prim.is_classic() {
        prim
    } else {
        RULES[prim as usize]
    }
}

fn rule_of(prim: Prim) -> Prim {
    use Prim::*;
    let name = prim.name();
    let base = ["_t", "_f", "_i", "_o"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix));
    match (prim, base.unwrap_or(name)) {
        _ if prim.is_classic() => prim,
        (second, _) | (_, "get_nth") => first,
        (_, "get_arg_rank") => argmax,
        (_, "get_val_rank") => valmax,
        (_, "get_common_rank") => mostcommon,
        (_, "get_rank") => maximum,
        (difference_tuple, _) => difference,
        (_, base) => Prim::by_name(base).unwrap_or(prim),
    }
}

/// The shapes of a program's lines. None if a line cannot work: it has a wrong number of arguments,
/// or an argument of a kind that the signature excludes.
pub fn check(program: &Program) -> Option<Vec<Shape>> {
    check_from(program, &[])
}

/// Like [`check`], if the shapes of the first lines are known.
pub(crate) fn check_from(program: &Program, known: &[Shape]) -> Option<Vec<Shape>> {
    let mut shapes = Vec::with_capacity(program.lines.len());
    shapes.extend_from_slice(known);
    for op in program.ops().skip(known.len()) {
        let shape = shape_of_op(op, &shapes)?;
        shapes.push(shape);
    }
    Some(shapes)
}

/// The first line that cannot work.
pub fn unsound_line(program: &Program) -> Option<usize> {
    let mut shapes = Vec::with_capacity(program.lines.len());
    program.ops().position(|op| match shape_of_op(op, &shapes) {
        Some(shape) => {
            shapes.push(shape);
            false
        }
        None => true,
    })
}

/// The shape of an operation's result; none if the operation cannot work.
pub fn shape_of_op(op: &Op, shapes: &[Shape]) -> Option<Shape> {
    match op {
        Op::Copy(value) => Some(shape_of(*value, shapes)),
        Op::Tuple(items) => Some(Shape::of(tuple_of(items, shapes))),
        Op::Call {
            callee: Operand::Prim(prim),
            args,
        } => call(*prim, args, shapes),
        Op::Call { callee, args } => {
            let callee = shape_of(*callee, shapes);
            let args: Vec<Kinds> = args
                .iter()
                .map(|arg| shape_of(*arg, shapes).kinds)
                .collect();
            callee.takes(&args).then(|| Shape::of(callee.result()))
        }
    }
}

fn tuple_of(items: &[Operand], shapes: &[Shape]) -> Kinds {
    let numbers = |item: &Operand| shape_of(*item, shapes).kinds.within(Kinds::NUMBER);
    if items.len() == 2 && items.iter().all(numbers) {
        Kinds::PAIR
    } else {
        Kinds::ANY_TUPLE
    }
}

fn call(prim: Prim, operands: &[Operand], shapes: &[Shape]) -> Option<Shape> {
    let mut buffer = [Shape::of(Kinds::ANY); 4];
    let args = buffer
        .get_mut(..operands.len())
        .filter(|_| operands.len() == prim.arity())?;
    for (arg, operand) in args.iter_mut().zip(operands) {
        *arg = shape_of(*operand, shapes);
    }
    let signature = &SIGNATURES[prim as usize];
    let fits = |(k, arg): (usize, &Shape)| arg.kinds.meet(signature.param(k));
    let args = &*args;
    let sound = args.iter().enumerate().all(fits) && functions_fit(prim, args);
    sound.then(|| result(prim, args))
}

/// Whether the primitive can call its functions on the arguments that it will pass.
fn functions_fit(prim: Prim, args: &[Shape]) -> bool {
    use Prim::*;
    let on = |k: usize, given: &[Kinds]| args[k].takes(given);
    let element = |k: usize| args[k].kinds.element();
    let prim = rule(prim);
    if let Some((container, function)) = prim.entry().each_of_one() {
        return on(function, &[element(container)]);
    }
    if let Some(([a, b], function)) = prim.entry().each_of_two() {
        return on(function, &[element(a), element(b)]);
    }
    match prim {
        c_iz | c_zo => on(1, &[Kinds::GRID]),
        c_iz_n | c_zo_n => on(1, &[Kinds::GRID]) && on(2, &[args[1].result()]),
        compose => on(0, &[args[1].result()]) && on(1, &[Kinds::ANY]),
        chain => on(0, &[args[1].result()]) && on(1, &[args[2].result()]) && on(2, &[Kinds::ANY]),
        matcher | power => on(0, &[Kinds::ANY]),
        fork => {
            on(0, &[args[1].result(), args[2].result()])
                && on(1, &[Kinds::ANY])
                && on(2, &[Kinds::ANY])
                && args[1].param(0).meet(args[2].param(0))
        }
        rbind => bindable(&args[0], args[1].kinds, |arity| arity - 1),
        lbind => bindable(&args[0], args[1].kinds, |_| 0),
        _ => true,
    }
}

/// Whether a function has an argument that can be fixed to such a value.
fn bindable(function: &Shape, fixed: Kinds, place: impl Fn(usize) -> usize) -> bool {
    match function.arity() {
        None => true,
        Some(arity) => arity >= 2 && function.param(place(arity)).meet(fixed),
    }
}

/// The shape of a call's result, as far as its arguments and the table determine it.
fn result(prim: Prim, args: &[Shape]) -> Shape {
    let shape = result_by_rule(prim, args);
    if prim.is_classic() {
        return shape;
    }
    // A variant for a type returns only this type, even if its rule allows more.
    let kinds = shape.kinds.and(plain_result(prim));
    if kinds == Kinds::NOTHING {
        Shape::of(plain_result(prim))
    } else {
        Shape { kinds, ..shape }
    }
}

fn result_by_rule(prim: Prim, args: &[Shape]) -> Shape {
    use Prim::*;
    let kinds = |k: usize| args[k].kinds;
    let unary = |param, result| Shape::function(Signature::unary(param, result));
    match rule(prim) {
        identity => args[0],
        branch => {
            if args[1] == args[2] {
                args[1]
            } else {
                Shape::of(kinds(1).or(kinds(2)))
            }
        }
        compose => unary(args[1].param(0), args[0].result()),
        chain => unary(args[2].param(0), args[0].result()),
        matcher => unary(args[0].param(0), Kinds::BOOLEAN),
        fork => unary(args[1].param(0).and(args[2].param(0)), args[0].result()),
        power => unary(args[0].param(0), args[0].result()),
        rbind => bound(&args[0], Signature::without_last),
        lbind => bound(&args[0], Signature::without_first),
        sfilter | remove | combine | difference | insert => Shape::of(kept(prim, args)),
        first | last | extract | argmax | argmin | other | mostcommon | leastcommon => {
            Shape::of(kinds(0).element())
        }
        maximum | minimum => Shape::of(kinds(0).element().or(Kinds::INTEGER)),
        valmax | valmin => Shape::of(args[1].result()),
        merge => Shape::of(merged(kinds(0))),
        apply => Shape::of(kinds(1).refilled()),
        rapply => Shape::of(kinds(0).refilled()),
        hmirror | vmirror | dmirror | cmirror | shift | normalize | upscale => {
            let result = kinds(0).and(plain_result(prim));
            Shape::of(if result == Kinds::NOTHING {
                plain_result(prim)
            } else {
                result
            })
        }
        add | subtract | multiply | divide => Shape::of(arithmetic(kinds(0), kinds(1))),
        invert | double | halve | increment | decrement | crement | sign => {
            Shape::of(arithmetic(kinds(0), Kinds::NUMBER))
        }
        astuple => Shape::of(if kinds(0).or(kinds(1)).within(Kinds::NUMBER) {
            Kinds::PAIR
        } else {
            Kinds::ANY_TUPLE
        }),
        _ => Shape::of(plain_result(prim)),
    }
}

/// The kinds of a primitive's result if the arguments are unknown.
fn plain_result(prim: Prim) -> Kinds {
    use Prim::*;
    match prim {
        // The key function decides.
        valmax | valmin => Kinds::ANY,
        // These are tuples, although their types have other names.
        p_g | p_o => Kinds::TUPLE.or(Kinds::PAIR),
        a_mr => Kinds::of_type(prim.entry().result).or(Kinds::NONE),
        // These keep the type of their container.
        apply_f | mapply_f | rapply_f => Kinds::CONTAINER,
        // The elements of a grid are rows, which are tuples.
        mapply | mfilter | mpapply | merge | sfilter | apply | rapply => Kinds::CONTAINER,
        position | index => Kinds::of_type(prim.entry().result).or(Kinds::NONE),
        _ => Kinds::of_type(prim.entry().result),
    }
}

fn bound(function: &Shape, rest: impl Fn(Signature) -> Signature) -> Shape {
    match function.signature {
        Some(signature) => Shape::function(rest(signature)),
        None => Shape::of(Kinds::FUNCTION),
    }
}

/// The kinds of a container after a change: without some elements, with one more, or joined with
/// another.
fn kept(prim: Prim, args: &[Shape]) -> Kinds {
    let (a, b) = (
        args[0].kinds,
        args.get(1).map_or(Kinds::ANY, |arg| arg.kinds),
    );
    let rule = rule(prim);
    let kinds = match rule {
        Prim::remove | Prim::insert => b,
        Prim::combine => a.and(Kinds::CONTAINER).or(b.and(a.refilled())),
        _ => a,
    };
    match rule {
        Prim::insert => kinds.and(Kinds::ANY_SET).or(Kinds::SET),
        _ => kinds.and(Kinds::CONTAINER),
    }
}

fn merged(containers: Kinds) -> Kinds {
    match containers {
        Kinds::OBJECTS => Kinds::PATCH,
        _ => containers.refilled(),
    }
}

fn arithmetic(a: Kinds, b: Kinds) -> Kinds {
    let numbers = a.meet(Kinds::NUMBER) && b.meet(Kinds::NUMBER);
    let pairs = !(a.within(Kinds::NUMBER) && b.within(Kinds::NUMBER));
    let if_so = |is_so: bool, kinds: Kinds| if is_so { kinds } else { Kinds::NOTHING };
    if_so(numbers, Kinds::INTEGER).or(if_so(pairs, Kinds::PAIR))
}

/// The primitives that programs of a dialect can call, in the order of their numbers.
pub fn primitives(dialect: Dialect) -> &'static [Prim] {
    static PRIMITIVES: LazyLock<[Vec<Prim>; Dialect::NAMED.len()]> = LazyLock::new(|| {
        Dialect::NAMED.map(|dialect| dialect.entries().map(|entry| entry.prim).collect())
    });
    &PRIMITIVES[dialect as usize]
}

/// The primitives of a dialect that can replace another one: their parameters are as many and
/// accept as much, and their result is at most as wide.
pub fn alternatives(dialect: Dialect, prim: Prim) -> &'static [Prim] {
    static CLASSIC: LazyLock<Vec<Vec<Prim>>> = LazyLock::new(|| all_alternatives(Dialect::ArcDsl));
    static TOKPIDJIN: LazyLock<Vec<Vec<Prim>>> =
        LazyLock::new(|| all_alternatives(Dialect::Tokpidjin));
    let lists = if dialect.is_classic() {
        &CLASSIC
    } else {
        &TOKPIDJIN
    };
    &lists[prim as usize]
}

fn all_alternatives(dialect: Dialect) -> Vec<Vec<Prim>> {
    let own = primitives(dialect);
    let alike = |a: Prim| own.iter().copied().filter(move |b| are_alike(a, *b));
    let lists = ENTRIES.iter().map(|entry| {
        if entry.is_in(dialect) {
            alike(entry.prim).collect()
        } else {
            Vec::new()
        }
    });
    lists.collect()
}

fn are_alike(a: Prim, b: Prim) -> bool {
    let (from, to) = (a.entry(), b.entry());
    let mut params = from.params.iter().zip(to.params).enumerate();
    let fits =
        |a: Type, b: Type| a == b || Kinds::of_type(a).within(Kinds::of_type(b)) && b != Type::Any;
    let means = |k: usize| match (Meaning::of_param(a, k), Meaning::of_param(b, k)) {
        (Some(a), Some(b)) => a.can_be(b),
        (Some(a), None) => !a.is_named(),
        (None, Some(b)) => !b.is_named(),
        (None, None) => true,
    };
    a != b
        && from.params.len() == to.params.len()
        && params.all(|(k, (x, y))| fits(x.ty, y.ty) && means(k))
        && (from.result == to.result
            || Kinds::of_type(to.result).within(Kinds::of_type(from.result))
                && from.result != Type::Any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_lang::parse;

    fn sound(body: &str) -> bool {
        let source = format!("def solve(I):\n    {}\n", body.replace("; ", "\n    "));
        check(&parse(&source, "a.py", None).unwrap()[0]).is_some()
    }

    #[test]
    fn what_can_work_passes() {
        assert!(sound(
            "x = objects(I, T, F, T); y = argmax(x, size); return subgrid(y, I)"
        ));
        assert!(sound("x = rbind(add, ONE); y = apply(x, (1, 2)); return y"));
        assert!(sound(
            "x = lbind(mapply, neighbors); y = ofcolor(I, ONE); z = x(y); return fill(I, TWO, z)"
        ));
        assert!(sound(
            "x = fork(multiply, height, width); y = objects(I, T, F, T); return argmax(y, x)"
        ));
    }

    #[test]
    fn what_cannot_work_is_found() {
        assert!(!sound("return vmirror(I, I)"));
        assert!(!sound("return fill(I, ONE, size)"));
        assert!(!sound("x = size(I); return vmirror(x)"));
        assert!(!sound("x = ofcolor(I, ONE); return apply(vmirror, x)"));
        assert!(!sound("x = compose(vmirror, size); return apply(x, I)"));
        assert!(!sound("x = rbind(size, ONE); return x"));
        assert!(!sound("x = lbind(add, ONE); return x(I, I)"));
        assert!(!sound("return papply(size, I, I)"));
    }

    #[test]
    fn alternatives_are_of_the_same_make() {
        let alternatives = |prim| super::alternatives(Dialect::ArcDsl, prim);
        assert!(alternatives(Prim::vmirror).contains(&Prim::hmirror));
        assert!(alternatives(Prim::uppermost).contains(&Prim::leftmost));
        assert!(alternatives(Prim::objects).is_empty());
    }

    #[test]
    fn alternatives_stay_in_their_dialect() {
        for dialect in Dialect::ALL {
            for entry in ENTRIES.iter() {
                let others = alternatives(dialect, entry.prim);
                let fits =
                    |it: &Prim| it.arity() == entry.prim.arity() && it.entry().is_in(dialect);
                assert!(others.iter().all(fits), "{dialect}: {}", entry.name);
                assert!(entry.is_in(dialect) || others.is_empty());
            }
        }
        let of = |prim| alternatives(Dialect::Tokpidjin, prim);
        assert!(of(Prim::hmirror_t).contains(&Prim::vmirror_t));
        assert!(of(Prim::get_arg_rank_f).contains(&Prim::get_arg_rank));
        assert!(of(Prim::hmirror).is_empty());
        // A rank is not a colour, and a number that selects a mirroring is not one that selects
        // objects.
        assert!(!of(Prim::get_color_rank_t).contains(&Prim::colorcount_t));
        assert!(!of(Prim::o_g_t).contains(&Prim::mir_rot_t));
    }

    #[test]
    fn variants_follow_the_rules_of_their_parents() {
        assert_eq!(rule(Prim::sfilter_t), Prim::sfilter);
        assert_eq!(rule(Prim::hmirror_o), Prim::hmirror);
        assert_eq!(rule(Prim::get_arg_rank_f), Prim::argmax);
        assert_eq!(rule(Prim::get_nth_t), Prim::first);
        assert_eq!(rule(Prim::difference_tuple), Prim::difference);
        assert_eq!(rule(Prim::o_g), Prim::o_g);
        assert!(
            ENTRIES
                .iter()
                .all(|entry| !entry.prim.is_classic() || rule(entry.prim) == entry.prim)
        );
    }

    #[test]
    fn programs_of_tokpidjin_are_typed_too() {
        let sound = |body: &str| {
            let source = format!(
                "def solve(S, I, C):\n    {}\n",
                body.replace("; ", "\n    ")
            );
            let dialect = Some(Dialect::Tokpidjin);
            check(&parse(&source, "a.py", dialect).unwrap()[0]).is_some()
        };
        assert!(sound(
            "x = o_g(I, R5); y = get_arg_rank_f(x, size, F0); return subgrid(y, I)"
        ));
        assert!(sound(
            "x = rbind(get_nth_f, L1); y = o_g(I, R3); return x(y)"
        ));
        assert!(sound(
            "x = c_zo_n(S, p_g, rbind(get_nth_t, F0)); return fill(I, x, asindices(I))"
        ));
        assert!(!sound("x = height_t(I); return vmirror_t(x)"));
        assert!(!sound("x = o_g(I, R5); return apply_t(hmirror_t, x)"));
        assert!(!sound(
            "x = f_ofcolor(I, ONE); return sfilter_f(x, hmirror_t)"
        ));
        assert!(!sound("return mir_rot_t(I, R1, R2)"));
    }
}
