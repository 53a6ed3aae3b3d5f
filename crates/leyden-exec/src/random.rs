//! Random programs and grids, to try the engines against each other.
//!
//! Programs are made line by line from the table. Most operands have the type a parameter asks
//! for, so that programs get somewhere; some are wrong on purpose, so that faults are met too.
//! All choices come from [`Dice`], hence the same seed or bytes give the same case.
//!
//! ```
//! use leyden_exec::random::{Case, Dice};
//! use leyden_exec::{Engine, Mode};
//!
//! let case = Case::random(&mut Dice::seeded(7));
//! let fast = Engine { fuel: 100_000, ..Engine::default() };
//! let exact = Engine { mode: Mode::Exact, ..fast.clone() };
//! let sample = case.sample();
//! assert_eq!(fast.run(&case.program, &sample), exact.run(&case.program, &sample));
//! ```

mod around;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Constant, Dialect, Prim, TABLE};
use leyden_dsl::types::Type;
use leyden_grid::{Grid, Pair};
use leyden_lang::{ConstId, Input, Line, Op, Operand, Program};

use crate::engine::Sample;

const MAX_LINES: usize = 14;
const ATTEMPTS_PER_LINE: usize = 8;

/// Where choices come from.
#[derive(Clone, Debug)]
pub struct Dice<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl<'a> Dice<'a> {
    /// Dice that roll for ever.
    pub fn seeded(seed: u64) -> Dice<'static> {
        Dice(Source::Seed(seed))
    }

    /// Dice that read their rolls from bytes, and roll zeros after the last one.
    pub fn of_bytes(bytes: &'a [u8]) -> Dice<'a> {
        Dice(Source::Bytes(bytes))
    }

    /// A number below `n`, which is at least 1.
    fn below(&mut self, n: usize) -> usize {
        match &mut self.0 {
            Source::Seed(state) => (split_mix(state) % n as u64) as usize,
            Source::Bytes(bytes) => {
                let n_bytes = if n <= 256 { 1 } else { 2 };
                let roll = (0..n_bytes).fold(0, |roll, _| roll << 8 | usize::from(next(bytes)));
                roll % n
            }
        }
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

fn next(bytes: &mut &[u8]) -> u8 {
    bytes.split_off_first().copied().unwrap_or(0)
}

/// The SplitMix64 generator.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A program and what it runs on.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The grid to transform.
    pub input: Grid,
    /// Demonstration pairs.
    pub demos: Vec<Pair>,
    /// The expected output, in some cases.
    pub expected: Option<Grid>,
}

impl Case {
    /// Rolls a case.
    pub fn random(dice: &mut Dice<'_>) -> Case {
        Case::random_among(dice, &[])
    }

    /// Rolls a case whose program calls only these primitives, those that stand in the list twice
    /// twice as often; of no primitives, all.
    pub fn random_among(dice: &mut Dice<'_>, primitives: &[Prim]) -> Case {
        let program = Maker::new(dice, primitives).program();
        let input = grid(dice);
        let n_demos = if dice.one_in(4) { dice.below(3) } else { 0 };
        let demos = (0..n_demos)
            .map(|_| Pair {
                input: grid(dice),
                output: grid(dice),
            })
            .collect();
        let expected = dice.one_in(4).then(|| grid(dice));
        Case {
            program,
            input,
            demos,
            expected,
        }
    }

    /// What the program gets to see.
    pub fn sample(&self) -> Sample<'_> {
        Sample {
            input: &self.input,
            demos: &self.demos,
            expected: self.expected.as_ref(),
        }
    }
}

/// A background with marks on it, or noise.
fn grid(dice: &mut Dice<'_>) -> Grid {
    let most = if dice.one_in(8) { 30 } else { 9 };
    let (height, width) = (1 + dice.below(most), 1 + dice.below(most));
    let colours: Vec<u8> = (0..=dice.below(4)).map(|_| dice.below(10) as u8).collect();
    let mut cells = vec![colours[0]; height * width];
    if dice.one_in(5) {
        cells.fill_with(|| colours[dice.below(colours.len())]);
    }
    for _ in 0..dice.below(8) {
        mark(dice, &mut cells, width, &colours);
    }
    let cells = Grid::from_cells(height, width, &cells);
    cells.unwrap_or_else(|error| unreachable!("sides and colours are in range: {error}"))
}

/// Paints a small rectangle.
fn mark(dice: &mut Dice<'_>, cells: &mut [u8], width: usize, colours: &[u8]) {
    let colour = colours[dice.below(colours.len())];
    let (top, left) = (dice.below(cells.len() / width), dice.below(width));
    let (bottom, right) = (top + dice.below(4), (left + dice.below(4)).min(width - 1));
    for row in cells.chunks_exact_mut(width).take(bottom + 1).skip(top) {
        row[left..=right].fill(colour);
    }
}

/// What is known of a value before the program runs.
#[derive(Clone, Copy)]
struct Shape {
    ty: Type,
    element: Type,
    signature: Option<Signature>,
}

#[derive(Clone, Copy)]
struct Signature {
    params: [Type; 4],
    arity: usize,
    gives: Type,
}

impl Signature {
    fn of(prim: Prim) -> Signature {
        let entry = prim.entry();
        let ty = |k: usize| entry.params.get(k).map_or(Type::Any, |param| param.ty);
        Signature {
            params: [ty(0), ty(1), ty(2), ty(3)],
            arity: prim.arity(),
            gives: entry.result,
        }
    }

    fn is(&self, wanted: &Wanted) -> bool {
        let mut args = wanted.args.iter().zip(self.params);
        self.arity == wanted.args.len()
            && args.all(|(value, param)| *value == Type::Any || fits(*value, param))
            && fits(self.gives, wanted.result)
    }

    fn without_first(self) -> Signature {
        let [_, b, c, d] = self.params;
        Signature {
            params: [b, c, d, Type::Any],
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
}

/// The function that would be welcome somewhere.
struct Wanted {
    args: Vec<Type>,
    result: Type,
}

impl Shape {
    fn of_type(ty: Type) -> Shape {
        Shape {
            ty,
            element: element_of(ty),
            signature: None,
        }
    }

    fn container(ty: Type, element: Type) -> Shape {
        Shape {
            ty,
            element,
            signature: None,
        }
    }

    fn function(signature: Signature) -> Shape {
        Shape {
            signature: Some(signature),
            ..Shape::of_type(Type::Callable)
        }
    }
}

fn element_of(container: Type) -> Type {
    match container {
        Type::Objects => Type::Object,
        Type::Indices => Type::IntegerTuple,
        Type::IntegerSet | Type::IntegerTuple => Type::Integer,
        Type::Object | Type::Grid | Type::TupleTuple => Type::Tuple,
        _ => Type::Any,
    }
}

fn set_of(element: Type) -> Type {
    match element {
        Type::Object => Type::Objects,
        Type::IntegerTuple => Type::Indices,
        Type::Integer => Type::IntegerSet,
        _ => Type::FrozenSet,
    }
}

/// May a value of the one type stand where the other is asked for?
fn fits(value: Type, param: Type) -> bool {
    let kinds = Kinds::of_type(value);
    match param {
        Type::Any => true,
        // A patch may well be an object.
        Type::Object => kinds.within(Kinds::PATCH),
        Type::ContainerContainer => {
            let elements = kinds.element();
            elements != Kinds::NOTHING && elements.within(Kinds::CONTAINER)
        }
        _ => kinds.within(Kinds::of_type(param)),
    }
}

/// A program in the making.
struct Maker<'d, 'b> {
    dice: &'d mut Dice<'b>,
    /// What lines may call; if empty, everything.
    primitives: &'d [Prim],
    /// How many in 16 operands are picked without regard to types.
    wildness: usize,
    inputs: Vec<Input>,
    shapes: Vec<Shape>,
    lines: Vec<Line>,
}

impl<'d, 'b> Maker<'d, 'b> {
    fn new(dice: &'d mut Dice<'b>, primitives: &'d [Prim]) -> Maker<'d, 'b> {
        let wildness = [0, 0, 0, 1, 2, 8][dice.below(6)];
        let mut inputs = vec![Input::I];
        inputs.extend(dice.one_in(8).then_some(Input::S));
        inputs.extend(dice.one_in(8).then_some(Input::C));
        Maker {
            dice,
            primitives,
            wildness,
            inputs,
            shapes: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn program(mut self) -> Program {
        let dialect = Dialect::CLASSIC[self.dice.below(Dialect::CLASSIC.len())];
        for _ in 0..=self.dice.below(MAX_LINES) {
            self.add_line();
        }
        let last = Operand::Var(self.lines.len() as u32 - 1);
        let output = if self.dice.one_in(8) {
            self.anything()
        } else {
            last
        };
        let (inputs, lines) = (self.inputs, self.lines);
        Program {
            name: "random".to_owned(),
            dialect,
            inputs,
            lines,
            output,
        }
    }

    fn add_line(&mut self) {
        let (op, shape) = match self.dice.below(24) {
            0 => self.tuple(),
            1 => self.copy(),
            2 | 3 => self.call_of_a_function(),
            _ => self.call_of_a_primitive(),
        };
        self.push(op, shape);
    }

    fn push(&mut self, op: Op, shape: Shape) {
        let source_line = self.lines.len() as u32 + 1;
        self.lines.push(Line {
            op,
            source_line,
            span: 0..0,
        });
        self.shapes.push(shape);
    }

    fn tuple(&mut self) -> (Op, Shape) {
        let of_functions = self.dice.one_in(3);
        let item = |maker: &mut Self| match of_functions {
            true => Operand::Prim(maker.any_primitive()),
            false => maker.anything(),
        };
        let items: Vec<Operand> = (0..self.dice.below(4)).map(|_| item(self)).collect();
        let element = items.first().map_or(Type::Any, |item| self.shape(*item).ty);
        (Op::Tuple(items), Shape::container(Type::Tuple, element))
    }

    fn copy(&mut self) -> (Op, Shape) {
        let operand = self.anything();
        (Op::Copy(operand), self.shape(operand))
    }

    /// Calls an earlier line, if one is a function.
    fn call_of_a_function(&mut self) -> (Op, Shape) {
        let functions: Vec<Operand> = self.variables(|shape| shape.signature.is_some());
        let Some(callee) = self.dice.pick(&functions) else {
            return self.call_of_a_primitive();
        };
        let Some(signature) = self.shape(callee).signature else {
            return self.call_of_a_primitive();
        };
        let params = &signature.params[..signature.arity.min(4)];
        let args = params
            .iter()
            .map(|ty| self.value(*ty).unwrap_or(Operand::Input(Input::I)))
            .collect();
        (Op::Call { callee, args }, Shape::of_type(signature.gives))
    }

    fn call_of_a_primitive(&mut self) -> (Op, Shape) {
        for _ in 0..ATTEMPTS_PER_LINE {
            let prim = self.any_primitive();
            if let Some(args) = self.args(prim) {
                let shape = self.result(prim, &args);
                return (
                    Op::Call {
                        callee: Operand::Prim(prim),
                        args,
                    },
                    shape,
                );
            }
        }
        self.wild_call()
    }

    /// Anything called with any number of anything.
    fn wild_call(&mut self) -> (Op, Shape) {
        let prim = self.any_primitive();
        let callee = if self.dice.one_in(8) {
            self.anything()
        } else {
            Operand::Prim(prim)
        };
        let n_args = if self.dice.one_in(8) {
            self.dice.below(5)
        } else {
            prim.arity()
        };
        let args = (0..n_args).map(|_| self.anything()).collect();
        (
            Op::Call { callee, args },
            Shape::of_type(prim.entry().result),
        )
    }

    fn any_primitive(&mut self) -> Prim {
        let any = |maker: &mut Self| TABLE[maker.dice.below(TABLE.len())].prim;
        self.dice.pick(self.primitives).unwrap_or_else(|| any(self))
    }

    /// Arguments for a primitive, if there are fitting ones. Functions come last, as what they
    /// are called on must be known.
    fn args(&mut self, prim: Prim) -> Option<Vec<Operand>> {
        if matches!(prim, Prim::rbind | Prim::lbind) {
            return self.bound(prim);
        }
        let params = prim.entry().params;
        let mut args = vec![Operand::None; params.len()];
        for (arg, param) in args
            .iter_mut()
            .zip(params)
            .filter(|(_, param)| param.ty != Type::Callable)
        {
            *arg = match prim {
                Prim::rapply if param.ty == Type::Container => self.functions()?,
                _ => self.value(param.ty)?,
            };
        }
        for k in (0..params.len())
            .rev()
            .filter(|k| params[*k].ty == Type::Callable)
        {
            let wanted = self.wanted(prim, k, &args);
            args[k] = self.function(&wanted)?;
        }
        Some(args)
    }

    /// The arguments of `rbind` or `lbind`: a function and something it can be given.
    fn bound(&mut self, prim: Prim) -> Option<Vec<Operand>> {
        let arity = 2 + [0, 0, 0, 0, 1, 2][self.dice.below(6)];
        let function = self.function(&Wanted {
            args: vec![Type::Any; arity],
            result: Type::Any,
        })?;
        let signature = self.shape(function).signature?;
        let place = if prim == Prim::rbind {
            signature.arity.checked_sub(1)?
        } else {
            0
        };
        let ty = signature.params.get(place).copied()?;
        let fixed = match ty {
            Type::Callable => self.function(&Wanted {
                args: vec![Type::Any],
                result: Type::Any,
            })?,
            _ => self.value(ty)?,
        };
        Some(vec![function, fixed])
    }

    /// What the function at that place will be called on, and should give.
    fn wanted(&mut self, prim: Prim, k: usize, args: &[Operand]) -> Wanted {
        use Prim::*;
        let result = match prim {
            sfilter | mfilter | extract => Type::Boolean,
            order | argmax | argmin | valmax | valmin => Type::Numerical,
            mapply | mpapply => Type::Container,
            _ => Type::Any,
        };
        let result = if self.dice.one_in(8) {
            Type::Any
        } else {
            result
        };
        Wanted {
            args: self.called_on(prim, k, args),
            result,
        }
    }

    fn called_on(&mut self, prim: Prim, k: usize, args: &[Operand]) -> Vec<Type> {
        use Prim::*;
        let element = |maker: &Self, k: usize| maker.shape(args[k]).element;
        let gives = |maker: &Self, k: usize| {
            maker
                .shape(args[k])
                .signature
                .map_or(Type::Any, |s| s.gives)
        };
        match prim {
            fork if k == 0 => vec![gives(self, 1), gives(self, 2)],
            fork if k == 1 => vec![
                self.shape(args[2])
                    .signature
                    .map_or(Type::Any, |s| s.params[0]),
            ],
            compose | chain if k + 1 < args.len() => vec![gives(self, k + 1)],
            compose | chain | fork | matcher | power => vec![self.favourite()],
            _ => match (prim.entry().each_of_one(), prim.entry().each_of_two()) {
                (Some((container, _)), _) => vec![element(self, container)],
                (_, Some(([a, b], _))) => vec![element(self, a), element(self, b)],
                _ => vec![element(self, 0)],
            },
        }
    }

    fn favourite(&mut self) -> Type {
        use Type::*;
        [Object, Object, Indices, Grid, Integer, IntegerTuple][self.dice.below(6)]
    }

    fn result(&self, prim: Prim, args: &[Operand]) -> Shape {
        use Prim::*;
        let given = |k: usize| self.shape(args[k]);
        let gives = |k: usize| given(k).signature.map_or(Type::Any, |s| s.gives);
        let declared = prim.entry().result;
        match prim {
            first | last | argmax | argmin | extract | other | mostcommon | leastcommon | merge
            | mfilter => Shape::of_type(given(0).element),
            order | totuple | dedupe => Shape::container(Type::Tuple, given(0).element),
            hsplit | vsplit => Shape::container(Type::Tuple, Type::Grid),
            interval => Shape::container(Type::Tuple, Type::Integer),
            papply => Shape::container(Type::Tuple, gives(0)),
            repeat => Shape::container(Type::Tuple, given(0).ty),
            initset => Shape::container(set_of(given(0).ty), given(0).ty),
            apply if fits(given(1).ty, Type::Tuple) => Shape::container(Type::Tuple, gives(0)),
            apply | prapply => Shape::container(set_of(gives(0)), gives(0)),
            mapply if fits(gives(0), Type::FrozenSet) => Shape::of_type(gives(0)),
            product => Shape::of_type(if given(0).element == Type::Integer {
                Type::Indices
            } else {
                Type::FrozenSet
            }),
            insert | branch => given(1),
            identity => given(0),
            compose | chain | fork | matcher | power | rbind | lbind => {
                self.made_function(prim, args)
            }
            _ if is_general(declared) && fits(given(0).ty, declared) => given(0),
            _ => Shape::of_type(declared),
        }
    }

    fn made_function(&self, prim: Prim, args: &[Operand]) -> Shape {
        let signature = |k: usize| self.shape(args[k]).signature;
        let inner = match prim {
            Prim::compose => signature(1),
            Prim::chain | Prim::fork => signature(2),
            Prim::rbind => signature(0).map(Signature::without_last),
            Prim::lbind => signature(0).map(Signature::without_first),
            _ => signature(0),
        };
        let gives = match prim {
            Prim::matcher => Some(Type::Boolean),
            _ => signature(0).map(|outer| outer.gives),
        };
        match (inner, gives) {
            (Some(inner), Some(gives)) => Shape::function(Signature { gives, ..inner }),
            _ => Shape::of_type(Type::Callable),
        }
    }

    fn shape(&self, operand: Operand) -> Shape {
        match operand {
            Operand::Var(k) => self.shapes[k as usize],
            Operand::Input(Input::S) => Shape::of_type(Type::TupleTuple),
            Operand::Input(_) => Shape::of_type(Type::Grid),
            Operand::Const(id) => Shape::of_type(constant_type(id)),
            Operand::Int(_) => Shape::of_type(Type::Integer),
            Operand::None => Shape::of_type(Type::Any),
            Operand::Prim(prim) => Shape::function(Signature::of(prim)),
        }
    }

    fn variables(&self, is_wanted: impl Fn(&Shape) -> bool) -> Vec<Operand> {
        let wanted = self
            .shapes
            .iter()
            .enumerate()
            .filter(|(_, shape)| is_wanted(shape));
        wanted.map(|(k, _)| Operand::Var(k as u32)).collect()
    }

    fn is_wild(&mut self) -> bool {
        self.dice.below(16) < self.wildness
    }

    /// Something of that type, if there is any.
    fn value(&mut self, ty: Type) -> Option<Operand> {
        if self.is_wild() {
            return Some(self.anything());
        }
        let unknown_will_do = self.dice.one_in(8);
        let is_fine = |found: Type| match found {
            Type::Any => unknown_will_do,
            _ => fits(found, ty),
        };
        let mut fitting = self.variables(|shape| is_fine(shape.ty));
        let inputs = self.inputs.iter().map(|input| Operand::Input(*input));
        fitting.extend(inputs.filter(|input| is_fine(self.shape(*input).ty)));
        match self.literal(ty) {
            Some(literal) if fitting.is_empty() || self.dice.one_in(2) => Some(literal),
            _ => self.dice.pick(&fitting),
        }
    }

    fn literal(&mut self, ty: Type) -> Option<Operand> {
        match ty {
            Type::Integer => Some(self.number()),
            Type::Boolean | Type::IntegerTuple | Type::Numerical | Type::Any => {
                let constants = ConstId::all().filter(|id| fits(constant_type(*id), ty));
                self.dice
                    .pick(&constants.collect::<Vec<_>>())
                    .map(Operand::Const)
            }
            _ => None,
        }
    }

    fn number(&mut self) -> Operand {
        Operand::Int(match self.dice.below(16) {
            0 => -(self.dice.below(5) as i64),
            1 => self.dice.below(1_000) as i64,
            2 if self.dice.one_in(8) => [i64::MIN, i64::MAX, 1 << 31, 1 << 62][self.dice.below(4)],
            _ => self.dice.below(10) as i64,
        })
    }

    /// A container of functions, if there is one.
    fn functions(&mut self) -> Option<Operand> {
        let containers = self.variables(|shape| shape.element == Type::Callable);
        self.dice.pick(&containers)
    }

    /// A function such as is wanted, if there is one.
    fn function(&mut self, wanted: &Wanted) -> Option<Operand> {
        if self.is_wild() {
            return Some(self.anything());
        }
        let is_it = |signature: Signature| signature.is(wanted);
        let mut fitting = self.variables(|shape| shape.signature.is_some_and(is_it));
        if fitting.is_empty() || self.dice.one_in(2) {
            let is_known =
                |prim: &Prim| self.primitives.is_empty() || self.primitives.contains(prim);
            let prims = TABLE
                .iter()
                .map(|entry| entry.prim)
                .filter(|prim| is_known(prim) && is_it(Signature::of(*prim)));
            fitting = prims.map(Operand::Prim).collect();
        }
        self.dice.pick(&fitting)
    }

    fn anything(&mut self) -> Operand {
        let n_variables = self.shapes.len();
        match self.dice.below(8) {
            0 => Operand::Prim(self.any_primitive()),
            1 => self.number(),
            2 => self.literal(Type::Any).unwrap_or(Operand::None),
            3 => Operand::Input(self.inputs[self.dice.below(self.inputs.len())]),
            4 if self.dice.one_in(4) => Operand::None,
            _ if n_variables > 0 => Operand::Var(self.dice.below(n_variables) as u32),
            _ => Operand::Input(Input::I),
        }
    }
}

fn constant_type(id: ConstId) -> Type {
    match id.value() {
        Constant::Bool(_) => Type::Boolean,
        Constant::Int(_) => Type::Integer,
        Constant::Pair(..) => Type::IntegerTuple,
    }
}

/// Does the type leave open what it is, so that the first argument says more?
fn is_general(ty: Type) -> bool {
    use Type::*;
    matches!(
        ty,
        Numerical | Patch | Element | Piece | Container | FrozenSet
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Mode, with_large_stack};

    fn texts(seeds: std::ops::Range<u64>) -> Vec<String> {
        seeds
            .map(|seed| Case::random(&mut Dice::seeded(seed)).program.to_string())
            .collect()
    }

    #[test]
    fn a_seed_gives_one_case_and_seeds_differ() {
        assert_eq!(texts(0..50), texts(0..50));
        let distinct: std::collections::BTreeSet<_> = texts(0..50).into_iter().collect();
        assert!(distinct.len() > 40);
    }

    #[test]
    fn bytes_that_run_out_still_make_a_case() {
        for bytes in [&[][..], &[255; 3], &[200; 40]] {
            let case = Case::random(&mut Dice::of_bytes(bytes));
            assert!(!case.program.lines.is_empty());
        }
    }

    #[test]
    fn every_primitive_turns_up() {
        let all = texts(0..3_000).concat();
        let is_missing = |name: &str| !all.contains(&format!("= {name}("));
        let missing: Vec<_> = TABLE
            .iter()
            .map(|entry| entry.name)
            .filter(|name| is_missing(name))
            .collect();
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn programs_print_and_read_back() {
        for seed in 0..300 {
            let program = Case::random(&mut Dice::seeded(seed)).program;
            let again = leyden_lang::parse(&program.to_string(), "random", Some(program.dialect));
            assert!(
                again.is_ok_and(|again| again[0].same_code(&program)),
                "{program}"
            );
        }
    }

    /// A taste of what the example `random_programs` does a million times.
    #[test]
    fn the_engines_agree() {
        let fast = Engine {
            fuel: 20_000,
            ..Engine::default()
        };
        let exact = Engine {
            mode: Mode::Exact,
            ..fast.clone()
        };
        with_large_stack(|| {
            for seed in 0..20_000 {
                let case = Case::random(&mut Dice::seeded(seed));
                let outcome = |engine: &Engine| engine.run(&case.program, &case.sample());
                assert_eq!(
                    outcome(&fast),
                    outcome(&exact),
                    "seed {seed}\n{}",
                    case.program
                );
            }
        });
    }
}
