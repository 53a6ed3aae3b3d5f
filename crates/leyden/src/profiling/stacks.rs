//! Turns the recorder's frames into stacks of callers and callees.

use std::collections::{BTreeMap, HashMap};

use leyden_exec::record::{Figures, Key, Label, Row};
use leyden_profile::model::{Frame, FrameKind, Layer, Path, Stacks};

use super::build::is_waiting;
use super::measure::{Detail, Measured};

/// With more programs than this, stacks go straight from programs to primitives.
const MOST_UNITS_WITH_LINES: usize = 40;

/// Frames by name, each once.
#[derive(Default)]
struct FrameTable {
    stacks: Stacks,
    places: HashMap<Frame, u32>,
    paths: BTreeMap<Vec<u32>, (f64, u64)>,
}

impl FrameTable {
    fn frame(&mut self, frame: Frame) -> u32 {
        let next = self.places.len() as u32;
        let frames = &mut self.stacks.frames;
        *self.places.entry(frame).or_insert_with_key(|frame| {
            frames.push(frame.clone());
            next
        })
    }

    fn finish(mut self) -> Stacks {
        let path = |(frames, (self_ns, calls)): (Vec<u32>, (f64, u64))| Path {
            frames,
            self_ns: self_ns.round() as u64,
            calls,
        };
        self.stacks.paths = self.paths.into_iter().map(path).collect();
        self.stacks
    }
}

pub(super) fn stacks(measured: &Measured, detail: Detail) -> Stacks {
    let has_lines = detail == Detail::Lines || measured.units.len() <= MOST_UNITS_WITH_LINES;
    let mut table = FrameTable::default();
    for (path, it) in &measured.frames {
        add_path(&mut table, measured, path, it, has_lines);
    }
    for (row, it) in measured.recording.rows() {
        if let (Row::Work(work), false) = (row, is_waiting(&row)) {
            let layer = table.frame(Frame::of(work.layer()));
            let work = table.frame(engine_frame(work.name()));
            let entry = table.paths.entry(vec![layer, work]).or_default();
            *entry = (entry.0 + it.figures.self_ns, entry.1 + it.figures.calls);
        }
    }
    table.finish()
}

fn add_path(
    table: &mut FrameTable,
    measured: &Measured,
    path: &[Key],
    figures: &Figures,
    has_lines: bool,
) {
    let is_again = path
        .iter()
        .any(|key| matches!(key, Key::Reference(slow) if slow.is_again()));
    let layer = if is_again {
        Layer::FaultHandling
    } else {
        Layer::Execute
    };
    let mut frames = vec![table.frame(Frame::of(layer))];
    let mut unit = None;
    for key in path {
        match key {
            Key::Unit(number) => {
                unit = measured.units.get(*number as usize);
                let name = unit.map_or("?", |unit| unit.name.as_str());
                let file = unit.map_or("", |unit| unit.file.as_str());
                frames.push(table.frame(Frame {
                    name: name.to_owned(),
                    kind: FrameKind::Program,
                    file: file.to_owned(),
                    line: 0,
                }));
            }
            Key::Node(node, label) => {
                if has_lines {
                    frames.push(table.frame(Frame {
                        name: unit.map_or("?", |unit| unit.node(*node)).to_owned(),
                        kind: FrameKind::Line,
                        file: unit.map_or("", |unit| unit.file.as_str()).to_owned(),
                        line: unit.map_or(0, |unit| unit.line(*node)),
                    }));
                }
                frames.push(table.frame(label_frame(*label)));
            }
            Key::Inner(label) => frames.push(table.frame(label_frame(*label))),
            Key::Reference(slow) => {
                let row = if slow.is_again() {
                    Row::Again(slow.prim)
                } else {
                    Row::Exact
                };
                frames.push(table.frame(engine_frame(&row.name())));
            }
        }
    }
    let entry = table.paths.entry(frames).or_default();
    *entry = (entry.0 + figures.self_ns, entry.1 + figures.calls);
}

fn label_frame(label: Label) -> Frame {
    match label {
        Label::Prim(prim) => Frame::primitive(prim.name()),
        other => engine_frame(&Row::Line(other).name()),
    }
}

fn engine_frame(name: &str) -> Frame {
    Frame {
        name: name.to_owned(),
        kind: FrameKind::Engine,
        ..Frame::default()
    }
}
