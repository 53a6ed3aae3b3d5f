//! Operands that fit the parameters of a call.

use leyden_dsl::table::{Prim, TABLE};
use leyden_dsl::types::Type;
use leyden_lang::{ConstId, Input, Operand};

use super::maker::Maker;
use super::shapes::{Shape, Signature, WantedFunction, constant_type, fits};

impl Maker<'_, '_> {
    /// Arguments for a primitive, if there are fitting ones. Functions come last, because the
    /// values that they are called on must be known.
    pub(super) fn args(&mut self, prim: Prim) -> Option<Vec<Operand>> {
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

    /// The arguments of `rbind` or `lbind`: a function and a fitting argument.
    pub(super) fn bound(&mut self, prim: Prim) -> Option<Vec<Operand>> {
        let arity = 2 + [0, 0, 0, 0, 1, 2][self.dice.below(6)];
        let function = self.function(&WantedFunction {
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
            Type::Callable => self.function(&WantedFunction {
                args: vec![Type::Any],
                result: Type::Any,
            })?,
            _ => self.value(ty)?,
        };
        Some(vec![function, fixed])
    }

    /// The types of the arguments and the result that suit the function at place `k`.
    pub(super) fn wanted(&mut self, prim: Prim, k: usize, args: &[Operand]) -> WantedFunction {
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
        WantedFunction {
            args: self.called_on(prim, k, args),
            result,
        }
    }

    pub(super) fn called_on(&mut self, prim: Prim, k: usize, args: &[Operand]) -> Vec<Type> {
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

    pub(super) fn favourite(&mut self) -> Type {
        use Type::*;
        [Object, Object, Indices, Grid, Integer, IntegerTuple][self.dice.below(6)]
    }

    pub(super) fn shape(&self, operand: Operand) -> Shape {
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

    pub(super) fn variables(&self, is_wanted: impl Fn(&Shape) -> bool) -> Vec<Operand> {
        let wanted = self
            .shapes
            .iter()
            .enumerate()
            .filter(|(_, shape)| is_wanted(shape));
        wanted.map(|(k, _)| Operand::Var(k as u32)).collect()
    }

    pub(super) fn is_wild(&mut self) -> bool {
        self.dice.below(16) < self.wildness
    }

    /// A value of this type, if there is any.
    pub(super) fn value(&mut self, ty: Type) -> Option<Operand> {
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

    pub(super) fn literal(&mut self, ty: Type) -> Option<Operand> {
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

    pub(super) fn number(&mut self) -> Operand {
        Operand::Int(match self.dice.below(16) {
            0 => -(self.dice.below(5) as i64),
            1 => self.dice.below(1_000) as i64,
            2 if self.dice.one_in(8) => [i64::MIN, i64::MAX, 1 << 31, 1 << 62][self.dice.below(4)],
            _ => self.dice.below(10) as i64,
        })
    }

    /// A container of functions, if there is one.
    pub(super) fn functions(&mut self) -> Option<Operand> {
        let containers = self.variables(|shape| shape.element == Type::Callable);
        self.dice.pick(&containers)
    }

    /// A function of the wanted types, if there is one.
    pub(super) fn function(&mut self, wanted: &WantedFunction) -> Option<Operand> {
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

    pub(super) fn anything(&mut self) -> Operand {
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
