//! Programs built around one primitive.

use leyden_dsl::table::Prim;
use leyden_dsl::types::Type;
use leyden_lang::{Input, Op, Operand, Program};

use super::shapes::{Shape, Signature, WantedFunction, element_of};
use super::{Case, Dice, Maker, grid};

/// The largest number of nested lines that make an argument.
const DEPTH: usize = 3;

/// Makes functions of functions.
const FUNCTIONS: [Prim; 6] = [
    Prim::compose,
    Prim::fork,
    Prim::matcher,
    Prim::rbind,
    Prim::lbind,
    Prim::chain,
];

impl Case {
    /// Rolls a case whose program makes arguments for a primitive from the input, calls it, and
    /// makes a grid or a number from its result. It calls only primitives of the list. Also returns
    /// the position of the line with the call.
    ///
    /// ```
    /// use leyden_dsl::table::Prim;
    /// use leyden_exec::random::{Case, Dice};
    ///
    /// let primitives = [Prim::objects, Prim::asobject, Prim::fill, Prim::ofcolor, Prim::paint];
    /// let (case, line) = Case::random_around(&mut Dice::seeded(1), Prim::fill, &primitives);
    /// let op = &case.program.lines[line].op;
    /// assert!(op.operands().any(|operand| operand == leyden_lang::Operand::Prim(Prim::fill)));
    /// ```
    pub fn random_around(dice: &mut Dice<'_>, prim: Prim, primitives: &[Prim]) -> (Case, usize) {
        let (program, line) = Maker::new(dice, primitives).around(prim);
        let case = Case {
            program,
            input: grid(dice),
            demos: Vec::new(),
            expected: dice.one_in(4).then(|| grid(dice)),
        };
        (case, line)
    }
}

impl Maker<'_, '_> {
    fn around(mut self, prim: Prim) -> (Program, usize) {
        self.inputs = vec![Input::I];
        self.wildness = [0, 0, 0, 0, 0, 0, 1, 4][self.dice.below(8)];
        if prim.entry().function().is_some() {
            self.make_functions();
        }
        let depth = 1 + self.dice.below(DEPTH);
        let args = self.made_args(prim, depth);
        let result = self.call(prim, args);
        let line = self.lines.len() - 1;
        let output = self.witness(result, DEPTH);
        let program = Program {
            name: "around".to_owned(),
            dialect: leyden_dsl::table::Dialect::CLASSIC[self.dice.below(2)],
            inputs: self.inputs,
            lines: self.lines,
            output,
        };
        (program, line)
    }

    /// Adds a line and returns its value.
    fn pushed(&mut self, op: Op, shape: Shape) -> Operand {
        self.push(op, shape);
        Operand::Var(self.lines.len() as u32 - 1)
    }

    fn call(&mut self, prim: Prim, args: Vec<Operand>) -> Operand {
        let shape = self.result(prim, &args);
        let callee = Operand::Prim(prim);
        self.pushed(Op::Call { callee, args }, shape)
    }

    /// New arguments of the types that the primitive asks for.
    fn made_args(&mut self, prim: Prim, depth: usize) -> Vec<Operand> {
        if matches!(prim, Prim::rbind | Prim::lbind)
            && let Some(args) = self.bound(prim)
        {
            return args;
        }
        if prim == Prim::rapply {
            return self.functions_and_argument(depth);
        }
        if let Some(args) = self.element_and_container(prim, depth) {
            return args;
        }
        let params = prim.entry().params;
        let mut args = vec![Operand::None; params.len()];
        let mut before = None;
        for (arg, param) in args.iter_mut().zip(params) {
            if param.ty != Type::Callable {
                let ty = match before {
                    Some((general, ty)) if general == param.ty && !self.dice.one_in(8) => ty,
                    _ => self.likely(prim, param.ty),
                };
                before = Some((param.ty, ty));
                *arg = match prim {
                    Prim::pair | Prim::papply if !self.dice.one_in(8) => self.items(depth),
                    _ => self.made(ty, depth),
                };
            }
        }
        for k in (0..params.len()).rev() {
            if params[k].ty == Type::Callable {
                let wanted = self.wanted(prim, k, &args);
                args[k] = match self.function(&wanted) {
                    Some(function) => function,
                    None => Operand::Prim(self.any_primitive()),
                };
            }
        }
        args
    }

    /// Adds a few functions of functions for later lines.
    fn make_functions(&mut self) {
        for _ in 0..self.dice.below(4) {
            let prim = FUNCTIONS[self.dice.below(FUNCTIONS.len())];
            if let Some(args) = self.args(prim) {
                self.call(prim, args);
            }
        }
    }

    /// A tuple of values of one type.
    fn items(&mut self, depth: usize) -> Operand {
        let ty = self.favourite();
        let n = 1 + self.dice.below(3);
        let items = (0..n).map(|_| self.made(ty, depth)).collect();
        self.pushed(Op::Tuple(items), Shape::container(Type::Tuple, ty))
    }

    /// Functions of one argument, in a tuple or alone in a set, and an argument for them.
    fn functions_and_argument(&mut self, depth: usize) -> Vec<Operand> {
        let ty = self.favourite();
        let wanted = WantedFunction {
            args: vec![ty],
            result: Type::Any,
        };
        let n = 1 + self.dice.below(3);
        let functions: Vec<Operand> = (0..n).filter_map(|_| self.function(&wanted)).collect();
        let functions = match functions[..] {
            [function] => self.call(Prim::initset, vec![function]),
            _ => {
                let shape = Shape::container(Type::Tuple, Type::Callable);
                self.pushed(Op::Tuple(functions), shape)
            }
        };
        vec![functions, self.made(ty, depth)]
    }

    /// A container and a possible element, for primitives that take both.
    fn element_and_container(&mut self, prim: Prim, depth: usize) -> Option<Vec<Operand>> {
        let comes_first = match prim {
            Prim::contained | Prim::insert | Prim::remove => true,
            Prim::other => false,
            _ => return None,
        };
        let ty = [Type::Indices, Type::IntegerSet, Type::Objects][self.dice.below(3)];
        let container = self.made(ty, depth);
        let element = match ty {
            Type::Objects => self.call(Prim::argmax, vec![container, Operand::Prim(Prim::size)]),
            _ => self.made(element_of(ty), depth),
        };
        Some(if comes_first {
            vec![element, container]
        } else {
            vec![container, element]
        })
    }

    /// The type of argument with which a primitive does most.
    fn likely(&mut self, prim: Prim, ty: Type) -> Type {
        use Type::*;
        let choices: &[Type] = match prim {
            _ if self.dice.one_in(8) => return self.specific(ty),
            Prim::initset => &[IntegerTuple],
            Prim::last | Prim::maximum | Prim::minimum => &[IntegerTuple, IntegerSet, Indices],
            _ if ty == ContainerContainer => &[Objects],
            Prim::sizefilter if ty == Container => &[Objects],
            _ if ty == Container && prim.entry().function().is_some() => {
                &[Objects, Objects, Objects, Indices, Object]
            }
            _ => return self.specific(ty),
        };
        choices[self.dice.below(choices.len())]
    }

    /// One of the types that a general one stands for.
    fn specific(&mut self, ty: Type) -> Type {
        use Type::*;
        let choices: &[Type] = match ty {
            Patch => &[Object, Indices],
            Element => &[Object, Grid],
            Piece => &[Object, Indices, Grid],
            Numerical => &[Integer, IntegerTuple],
            FrozenSet => &[Objects, Indices, Object, IntegerSet],
            Tuple => &[Grid, IntegerTuple],
            Container => &[Objects, Objects, Indices, Object, IntegerSet, IntegerTuple],
            ContainerContainer => &[Objects],
            Any => &[
                Integer,
                Boolean,
                IntegerTuple,
                Grid,
                Indices,
                Object,
                Objects,
            ],
            _ => return ty,
        };
        choices[self.dice.below(choices.len())]
    }

    /// A value of a type: an earlier line, a constant, or a new line.
    fn made(&mut self, ty: Type, depth: usize) -> Operand {
        if self.is_wild() {
            return self.anything();
        }
        let is_simple = matches!(ty, Type::Integer | Type::Boolean | Type::IntegerTuple);
        let wants_new = depth > 0 && !self.dice.one_in(if is_simple { 3 } else { 2 });
        if wants_new
            && !(is_simple && self.dice.one_in(2))
            && let Some(operand) = self.made_anew(ty, depth - 1)
        {
            return operand;
        }
        if let Some(operand) = self.value(ty) {
            return operand;
        }
        match depth {
            0 => Operand::Input(Input::I),
            _ => self
                .made_anew(ty, depth - 1)
                .unwrap_or(Operand::Input(Input::I)),
        }
    }

    /// A new line with a value of a type.
    fn made_anew(&mut self, ty: Type, depth: usize) -> Option<Operand> {
        if ty == Type::Object && self.dice.one_in(3) {
            let prim = [Prim::argmax, Prim::argmin, Prim::first][self.dice.below(3)];
            return Some(self.taken(prim, depth));
        }
        let gives = |prim: &Prim| Signature::of(*prim).gives == ty;
        let makers: Vec<Prim> = self.primitives.iter().copied().filter(gives).collect();
        let prim = self.dice.pick(&makers)?;
        let args = self.made_args(prim, depth);
        Some(self.call(prim, args))
    }

    /// One object of several.
    fn taken(&mut self, prim: Prim, depth: usize) -> Operand {
        let objects = self.made(Type::Objects, depth);
        let args = match prim {
            Prim::first => vec![objects],
            _ => vec![objects, Operand::Prim(Prim::size)],
        };
        self.call(prim, args)
    }

    /// An output that depends on a value.
    fn witness(&mut self, value: Operand, depth: usize) -> Operand {
        use Type::*;
        let shape = self.shape(value);
        let input = Operand::Input(Input::I);
        if depth == 0 || self.dice.one_in(12) {
            return value;
        }
        let (prim, args) = match (shape.ty, self.dice.below(4)) {
            (Grid | Integer | Boolean | IntegerTuple | Numerical, _) => return value,
            (Callable, _) => return self.called(value, depth),
            (Objects | ContainerContainer, 0) => (Prim::size, vec![value]),
            (Objects | ContainerContainer, 1) => {
                (Prim::argmax, vec![value, Operand::Prim(Prim::size)])
            }
            (Objects | ContainerContainer, _) => (Prim::merge, vec![value]),
            (FrozenSet, 0) => (Prim::mapply, vec![Operand::Prim(Prim::identity), value]),
            (FrozenSet, 1 | 2) => (Prim::merge, vec![value]),
            (Object, 0 | 1) => (Prim::paint, vec![input, value]),
            (Indices | Patch, 0 | 1) => (Prim::fill, vec![input, self.number(), value]),
            (Object | Indices | Patch, 2) => (Prim::ulcorner, vec![value]),
            (Container | Tuple | TupleTuple, 0 | 1) => (Prim::first, vec![value]),
            (TupleTuple, 2) => (Prim::last, vec![value]),
            (IntegerSet, 0 | 1) => (Prim::maximum, vec![value]),
            (IntegerSet, 2) => (Prim::contained, vec![self.number(), value]),
            (Any, 0) => return value,
            (Any, 1) => (Prim::equality, vec![value, value]),
            _ => (Prim::size, vec![value]),
        };
        let result = self.call(prim, args);
        self.witness(result, depth - 1)
    }

    /// The result of a function on arguments of its types.
    fn called(&mut self, callee: Operand, depth: usize) -> Operand {
        let Some(signature) = self.shape(callee).signature else {
            return callee;
        };
        let params = &signature.params[..signature.arity.min(4)];
        let mut args = Vec::new();
        for ty in params {
            let ty = self.specific(*ty);
            args.push(self.made(ty, depth - 1));
        }
        let result = self.pushed(Op::Call { callee, args }, Shape::of_type(signature.gives));
        self.witness(result, depth - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Outcome, with_large_stack};
    use leyden_dsl::table::TABLE;

    /// Programs reach the primitive, and their output depends on it.
    #[test]
    fn most_programs_run_through() {
        let primitives: Vec<Prim> = TABLE.iter().map(|entry| entry.prim).collect();
        let (mut n_grids, mut n_faults, mut n_late) = (0, 0, 0);
        for (k, prim) in primitives.iter().enumerate() {
            for seed in 0..10 {
                let mut dice = Dice::seeded(1_000 * k as u64 + seed);
                let (case, line) = Case::random_around(&mut dice, *prim, &primitives);
                let outcome =
                    with_large_stack(|| Engine::default().run(&case.program, &case.sample()));
                match outcome {
                    Outcome::Fault { line: at, .. } => {
                        n_faults += 1;
                        n_late += usize::from(at as usize >= line);
                    }
                    _ => n_grids += 1,
                }
            }
        }
        let n_all = n_grids + n_faults;
        assert!(2 * n_grids > n_all, "{n_grids} of {n_all} without a fault");
        let n_reached = n_grids + n_late;
        assert!(
            3 * n_reached > 2 * n_all,
            "{n_reached} of {n_all} reach the primitive"
        );
        assert!(n_late > 0);
    }
}
