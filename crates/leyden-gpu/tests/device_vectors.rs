//! Turns CPython's test vectors for each primitive (`tests/vectors`) into programs for the device:
//! lines that make the arguments, the call, lines that show the result. The expected answers are
//! the CPU's, whose engines other tests compare with CPython.
#![cfg(feature = "opencl")]
#![allow(clippy::print_stderr, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use leyden_dsl::codec::decode;
use leyden_dsl::cx::{Cx, call_prim};
use leyden_dsl::table::{Constant, Dialect, Prim};
use leyden_dsl::value::Value;
use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_gpu::opencl::{Session, Settings};
use leyden_gpu::{Compiled, GpuError, Job, Samples, device_primitives};
use leyden_grid::Grid;
use leyden_lang::{ConstId, Input, Line, Op, Operand, Program};
use serde_json::Value as Json;

type Location = (i64, i64);

/// An unfinished program, and its grid.
#[derive(Clone, Default)]
struct Maker {
    lines: Vec<Line>,
    input: Option<Grid>,
    /// Whether arrays are tuples rather than grids.
    wants_tuples: bool,
}

/// The kind of a result, which decides how to show it.
#[derive(Clone, Copy)]
enum Kind {
    Set,
    Tuple,
    Other,
}

impl Kind {
    fn of(out: &Json) -> Kind {
        if out.get("set").is_some() {
            return Kind::Set;
        }
        let is_plain = location(out).is_some() || grid(out).is_some();
        if out.is_array() && !is_plain {
            Kind::Tuple
        } else {
            Kind::Other
        }
    }
}

fn integers(json: &Json) -> Option<Vec<i64>> {
    json.as_array()?.iter().map(Json::as_i64).collect()
}

fn location(json: &Json) -> Option<Location> {
    match integers(json)?[..] {
        [i, j] => Some((i, j)),
        _ => None,
    }
}

fn cell(json: &Json) -> Option<(i64, Location)> {
    match &json.as_array()?[..] {
        [colour, place] => Some((colour.as_i64()?, location(place)?)),
        _ => None,
    }
}

fn grid(json: &Json) -> Option<Grid> {
    let row = |row: &Json| -> Option<Vec<u8>> {
        let row = integers(row)?;
        row.into_iter().map(|n| u8::try_from(n).ok()).collect()
    };
    let rows: Option<Vec<Vec<u8>>> = json.as_array()?.iter().map(row).collect();
    Grid::from_rows(&rows?).ok()
}

impl Maker {
    fn push(&mut self, op: Op) -> Operand {
        let source_line = self.lines.len() as u32 + 1;
        self.lines.push(Line {
            op,
            source_line,
            span: 0..0,
        });
        Operand::Var(self.lines.len() as u32 - 1)
    }

    fn call(&mut self, prim: Prim, args: &[Operand]) -> Operand {
        self.push(Op::Call {
            callee: Operand::Prim(prim),
            args: args.to_vec(),
        })
    }

    fn pair(&mut self, (i, j): Location) -> Operand {
        self.push(Op::Tuple(vec![Operand::Int(i), Operand::Int(j)]))
    }

    fn truth(&self, wanted: bool) -> Operand {
        let is_it = |id: &ConstId| matches!(id.value(), Constant::Bool(b) if b == wanted);
        Operand::Const(ConstId::all().find(is_it).unwrap())
    }

    /// Adds lines that make an argument; `None` if the device cannot make it.
    fn value(&mut self, json: &Json) -> Option<Operand> {
        if let Some(truth) = json.as_bool() {
            return Some(self.truth(truth));
        }
        if let Some(n) = json.as_i64() {
            return Some(Operand::Int(n));
        }
        if let Some(name) = json.get("fn") {
            return Prim::by_name(name.as_str()?).map(Operand::Prim);
        }
        if let Some(call) = json.get("call") {
            let (name, args) = call.as_array()?.split_first()?;
            let prim = Prim::by_name(name.as_str()?)?;
            let args: Option<Vec<_>> = args.iter().map(|arg| self.value(arg)).collect();
            return Some(self.call(prim, &args?));
        }
        if let Some(set) = json.get("set") {
            return self.set(set.as_array()?);
        }
        if let Some(place) = location(json) {
            return Some(self.pair(place));
        }
        match grid(json) {
            Some(grid) if !self.wants_tuples => Some(self.grid(grid)),
            _ => self.tuple(json.as_array()?),
        }
    }

    fn tuple(&mut self, items: &[Json]) -> Option<Operand> {
        let items: Option<Vec<Operand>> = items.iter().map(|item| self.value(item)).collect();
        Some(self.push(Op::Tuple(items?)))
    }

    /// The input, if it is still free, or a canvas with colours filled in.
    fn grid(&mut self, grid: Grid) -> Operand {
        if self.input.is_none() {
            self.input = Some(grid);
            return Operand::Input(Input::I);
        }
        let first = grid.cells()[0];
        let size = self.pair((grid.height() as i64, grid.width() as i64));
        let mut made = self.call(Prim::canvas, &[Operand::Int(first.into()), size]);
        let colours: BTreeSet<u8> = grid.cells().iter().copied().collect();
        for colour in colours.into_iter().filter(|colour| *colour != first) {
            let at = |(k, _): (usize, &u8)| ((k / grid.width()) as i64, (k % grid.width()) as i64);
            let cells = grid.cells().iter().enumerate();
            let places: Vec<Location> = cells.filter(|(_, c)| **c == colour).map(at).collect();
            let places = self.indices(&places);
            made = self.call(Prim::fill, &[made, Operand::Int(colour.into()), places]);
        }
        made
    }

    fn indices(&mut self, places: &[Location]) -> Operand {
        let (first, others) = places.split_first().unwrap();
        let first = self.pair(*first);
        let mut all = self.call(Prim::initset, &[first]);
        for place in others {
            let place = self.pair(*place);
            all = self.call(Prim::insert, &[place, all]);
        }
        all
    }

    fn object(&mut self, cells: &[(i64, Location)]) -> Operand {
        let mut by_colour: BTreeMap<i64, Vec<Location>> = BTreeMap::new();
        for (colour, place) in cells {
            by_colour.entry(*colour).or_default().push(*place);
        }
        let mut all = None;
        for (colour, places) in by_colour {
            let places = self.indices(&places);
            let part = self.call(Prim::recolor, &[Operand::Int(colour), places]);
            all = Some(match all {
                Some(all) => self.call(Prim::combine, &[all, part]),
                None => part,
            });
        }
        all.unwrap()
    }

    fn set(&mut self, elements: &[Json]) -> Option<Operand> {
        const MOST: usize = 120;
        if elements.len() > MOST {
            return None;
        }
        if elements.is_empty() {
            let all = self.call(Prim::asindices, &[Operand::Input(Input::I)]);
            return Some(self.call(Prim::difference, &[all, all]));
        }
        let places: Option<Vec<Location>> = elements.iter().map(location).collect();
        if let Some(places) = places {
            return Some(self.indices(&places));
        }
        let cells: Option<Vec<_>> = elements.iter().map(cell).collect();
        if let Some(cells) = cells {
            return Some(self.object(&cells));
        }
        let colours: Option<Vec<i64>> = elements.iter().map(Json::as_i64).collect();
        match colours {
            Some(colours) => self.colours(&colours),
            None => self.objects(elements),
        }
    }

    /// The palette of a grid with these colours.
    fn colours(&mut self, colours: &[i64]) -> Option<Operand> {
        let row: Option<Vec<u8>> = colours.iter().map(|n| u8::try_from(*n).ok()).collect();
        let grid = Grid::from_rows(&[row?]).ok()?;
        let grid = self.grid(grid);
        Some(self.call(Prim::palette, &[grid]))
    }

    /// The objects of a grid that has exactly these, if such a grid exists.
    fn objects(&mut self, elements: &[Json]) -> Option<Operand> {
        let wanted = decode(&serde_json::json!({ "set": elements }))?;
        let mut cells = BTreeMap::new();
        for element in elements {
            for json in element.get("set")?.as_array()? {
                let (colour, place) = cell(json)?;
                cells.insert(place, u8::try_from(colour).ok()?);
            }
        }
        let background = (0..10).find(|colour| !cells.values().any(|c| c == colour))?;
        let mut rows = vec![vec![background; 30]; 30];
        for ((i, j), colour) in cells {
            *rows
                .get_mut(usize::try_from(i).ok()?)?
                .get_mut(usize::try_from(j).ok()?)? = colour;
        }
        let grid = Grid::from_rows(&rows).ok()?;
        let (prim, switches) = way_to(&grid, &wanted)?;
        let grid = self.grid(grid);
        let switches = switches.iter().map(|switch| self.truth(*switch));
        let args: Vec<Operand> = [grid].into_iter().chain(switches).collect();
        Some(self.call(prim, &args))
    }

    /// Programs that end with the value, or with grids that show all of it.
    fn finished(self, value: Operand, kind: Kind, dialect: Dialect) -> Vec<(Program, Grid)> {
        let ends: &[fn(&mut Maker, Operand) -> Operand] = match kind {
            Kind::Other => &[|_, value| value],
            Kind::Tuple => &[
                |maker, value| maker.call(Prim::size, &[value]),
                |maker, value| maker.call(Prim::first, &[value]),
                |maker, value| maker.call(Prim::last, &[value]),
                |maker, value| maker.call(Prim::merge, &[value]),
            ],
            Kind::Set => &[
                |maker, value| maker.call(Prim::first, &[value]),
                |maker, value| {
                    let identity = Operand::Prim(Prim::identity);
                    let merged = maker.call(Prim::mapply, &[identity, value]);
                    maker.shown(Prim::fill, merged)
                },
                |maker, value| {
                    let identity = Operand::Prim(Prim::identity);
                    maker.call(Prim::valmax, &[value, identity])
                },
                |maker, value| maker.call(Prim::size, &[value]),
                |maker, value| maker.call(Prim::ulcorner, &[value]),
                |maker, value| maker.shown(Prim::fill, value),
                |maker, value| maker.shown(Prim::paint, value),
                |maker, value| {
                    let merged = maker.call(Prim::merge, &[value]);
                    maker.shown(Prim::paint, merged)
                },
                |maker, value| maker.call(Prim::maximum, &[value]),
            ],
        };
        let input = self.input.clone();
        let input = input.unwrap_or(Grid::from_rows(&[vec![0]]).unwrap());
        let program = |end: &fn(&mut Maker, Operand) -> Operand| {
            let mut maker = self.clone();
            let output = end(&mut maker, value);
            let program = Program {
                name: "vector".to_owned(),
                dialect,
                inputs: vec![Input::I],
                lines: maker.lines,
                output,
            };
            (program, input.clone())
        };
        ends.iter().map(program).collect()
    }

    /// A patch on a canvas of its size.
    fn shown(&mut self, prim: Prim, patch: Operand) -> Operand {
        let size = self.call(Prim::shape, &[patch]);
        let canvas = self.call(Prim::canvas, &[Operand::Int(14), size]);
        let patch = self.call(Prim::normalize, &[patch]);
        match prim {
            Prim::fill => self.call(prim, &[canvas, Operand::Int(13), patch]),
            _ => self.call(prim, &[canvas, patch]),
        }
    }
}

/// A call that finds these objects in a grid.
fn way_to(grid: &Grid, wanted: &Value) -> Option<(Prim, Vec<bool>)> {
    let finds = |prim: Prim, switches: &[bool]| {
        let value = |row: &[u8]| Value::tuple(row.iter().map(|c| i64::from(*c).into()).collect());
        let rows: Result<Vec<Value>, _> = grid.rows().map(value).collect();
        let grid = rows.and_then(Value::tuple).ok();
        let switches = switches.iter().map(|switch| (*switch).into());
        let args: Vec<Value> = grid.into_iter().chain(switches).collect();
        call_prim(&mut Cx::new(Dialect::ArcDsl), prim, &args).is_ok_and(|found| found == *wanted)
    };
    let mut ways = vec![(Prim::fgpartition, Vec::new())];
    for k in 0..4 {
        ways.push((Prim::objects, vec![k & 1 != 0, k & 2 != 0, true]));
    }
    ways.into_iter()
        .find(|(prim, switches)| finds(*prim, switches))
}

/// Turns a case into programs, if the device can make its arguments.
fn programs(prim: Prim, case: &Json) -> Vec<(Program, Grid)> {
    let dialect = if case["d"] == "re-arc" {
        Dialect::ReArc
    } else {
        Dialect::ArcDsl
    };
    let mut maker = Maker {
        wants_tuples: matches!(prim, Prim::pair | Prim::papply | Prim::rapply),
        ..Maker::default()
    };
    let args: Option<Vec<Operand>> = case["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arg| maker.value(arg))
        .collect();
    let Some(args) = args else {
        return Vec::new();
    };
    let result = maker.call(prim, &args);
    match case.get("then").and_then(Json::as_array) {
        Some(calls) => calls
            .iter()
            .filter_map(|args| called(maker.clone(), result, args))
            .flat_map(|(maker, value)| maker.finished(value, Kind::Other, dialect))
            .collect(),
        None => {
            let kind = case.get("out").map_or(Kind::Other, Kind::of);
            maker.finished(result, kind, dialect)
        }
    }
}

fn called(mut maker: Maker, callee: Operand, args: &Json) -> Option<(Maker, Operand)> {
    let args = args.as_array()?.iter().map(|arg| maker.value(arg));
    let args: Option<Vec<Operand>> = args.collect();
    let value = maker.push(Op::Call {
        callee,
        args: args?,
    });
    Some((maker, value))
}

#[derive(Debug, Default)]
struct Count {
    n_cases: usize,
    n_programs: usize,
    n_answered: usize,
}

fn check(session: &Session, prim: Prim, wrong: &mut Vec<String>) -> Count {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let text = std::fs::read_to_string(directory.join(format!("{prim}.jsonl"))).unwrap();
    let cases: Vec<Json> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut batch = Vec::new();
    for (program, grid) in cases.iter().flat_map(|case| programs(prim, case)) {
        if let Ok(compiled) = Compiled::of(&program) {
            batch.push((program, grid, compiled));
        }
    }
    let mut samples = Samples::default();
    let mut jobs = Vec::new();
    for (program, (_, grid, _)) in (0..).zip(&batch) {
        let sample = samples.push(grid, None);
        jobs.push(Job { program, sample });
    }
    let compiled: Vec<Compiled> = batch.iter().map(|(_, _, c)| c.clone()).collect();
    let resident = session.upload(&samples).unwrap();
    let answers = session.run(&resident, &compiled, &jobs, true).unwrap();
    let mut count = Count {
        n_cases: cases.len(),
        n_programs: batch.len(),
        ..Count::default()
    };
    for ((program, grid, _), answer) in batch.iter().zip(&answers) {
        let Some(ours) = answer.outcome() else {
            continue;
        };
        count.n_answered += 1;
        let theirs = Engine::default().run(program, &Sample::of(grid));
        if ours != theirs {
            let (ours, theirs) = (ours.to_json(), theirs.to_json());
            wrong.push(format!("{program}on {grid:?}\n  {ours}\n  {theirs}"));
        }
    }
    count
}

fn check_all() -> Result<(), GpuError> {
    let session = Session::open(0, Settings::default())?;
    let mut wrong = Vec::new();
    let mut counts = BTreeMap::new();
    for prim in device_primitives() {
        counts.insert(prim.name(), check(&session, prim, &mut wrong));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let sum = |part: fn(&Count) -> usize| counts.values().map(part).sum::<usize>();
    eprintln!(
        "{} primitives, {} cases, {} programs, {} answers",
        counts.len(),
        sum(|c| c.n_cases),
        sum(|c| c.n_programs),
        sum(|c| c.n_answered)
    );
    let unasked: Vec<_> = counts.iter().filter(|(_, c)| c.n_answered == 0).collect();
    assert!(unasked.is_empty(), "no answer about {unasked:?}");
    Ok(())
}

#[test]
fn the_device_gives_what_the_cpu_gives_for_what_cpython_was_asked() {
    match with_large_stack(check_all) {
        Ok(()) => {}
        Err(reason @ (GpuError::NoLoader | GpuError::NoDevice)) => eprintln!("skipped: {reason}"),
        Err(error) => panic!("{error}"),
    }
}
