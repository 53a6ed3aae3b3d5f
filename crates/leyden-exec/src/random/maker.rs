//! Programs in the making, line by line.

use leyden_dsl::table::{Dialect, Prim, TABLE};
use leyden_dsl::types::Type;
use leyden_lang::{Input, Line, Op, Operand, Program};

use super::Dice;
use super::shapes::{Shape, Signature, fits, is_general, set_of};

/// The largest number of lines of a random program.
const MAX_LINES: usize = 14;
/// The number of primitives to try for a line before it gets any arguments.
const ATTEMPTS_PER_LINE: usize = 8;

/// A program in the making.
pub(super) struct Maker<'d, 'b> {
    pub(super) dice: &'d mut Dice<'b>,
    /// The primitives that lines may call; if empty, all.
    pub(super) primitives: &'d [Prim],
    /// Of 16 operands, the number that is picked without regard to types.
    pub(super) wildness: usize,
    pub(super) inputs: Vec<Input>,
    pub(super) shapes: Vec<Shape>,
    pub(super) lines: Vec<Line>,
}

impl<'d, 'b> Maker<'d, 'b> {
    pub(super) fn new(dice: &'d mut Dice<'b>, primitives: &'d [Prim]) -> Maker<'d, 'b> {
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

    pub(super) fn program(mut self) -> Program {
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

    pub(super) fn add_line(&mut self) {
        let (op, shape) = match self.dice.below(24) {
            0 => self.tuple(),
            1 => self.copy(),
            2 | 3 => self.call_of_a_function(),
            _ => self.call_of_a_primitive(),
        };
        self.push(op, shape);
    }

    pub(super) fn push(&mut self, op: Op, shape: Shape) {
        let source_line = self.lines.len() as u32 + 1;
        self.lines.push(Line {
            op,
            source_line,
            span: 0..0,
        });
        self.shapes.push(shape);
    }

    pub(super) fn tuple(&mut self) -> (Op, Shape) {
        let of_functions = self.dice.one_in(3);
        let item = |maker: &mut Self| {
            if of_functions {
                Operand::Prim(maker.any_primitive())
            } else {
                maker.anything()
            }
        };
        let items: Vec<Operand> = (0..self.dice.below(4)).map(|_| item(self)).collect();
        let element = items.first().map_or(Type::Any, |item| self.shape(*item).ty);
        (Op::Tuple(items), Shape::container(Type::Tuple, element))
    }

    pub(super) fn copy(&mut self) -> (Op, Shape) {
        let operand = self.anything();
        (Op::Copy(operand), self.shape(operand))
    }

    /// Calls an earlier line, if one is a function.
    pub(super) fn call_of_a_function(&mut self) -> (Op, Shape) {
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

    pub(super) fn call_of_a_primitive(&mut self) -> (Op, Shape) {
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

    /// A call of anything with any number of any arguments.
    pub(super) fn wild_call(&mut self) -> (Op, Shape) {
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

    pub(super) fn any_primitive(&mut self) -> Prim {
        let any = |maker: &mut Self| TABLE[maker.dice.below(TABLE.len())].prim;
        self.dice.pick(self.primitives).unwrap_or_else(|| any(self))
    }

    pub(super) fn result(&self, prim: Prim, args: &[Operand]) -> Shape {
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

    pub(super) fn made_function(&self, prim: Prim, args: &[Operand]) -> Shape {
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
}
