//! Turns the recorder's frames into lines, for both engines.

use leyden_exec::record::{Key, Row, RowFigures, Slow, Work};
use leyden_profile::model::{LineRow, Source};

use super::measure::Measured;
use super::units::{NodeFigures, rows_of};

/// The unit and the node of a frame that is a whole line, and the reason if it ran on the reference
/// engine.
pub(super) fn line_of(path: &[Key]) -> Option<(u32, u32, Option<Slow>)> {
    match path {
        [Key::Unit(unit), Key::Node(node, _)] => Some((*unit, *node, None)),
        [Key::Unit(unit), Key::Reference(slow), Key::Node(node, _)] => {
            Some((*unit, *node, Some(*slow)))
        }
        _ => None,
    }
}

/// All lines of all programs, with the texts they come from.
pub(super) fn lines(measured: &Measured) -> (Vec<Source>, Vec<LineRow>) {
    let mut figures: Vec<Vec<NodeFigures>> = measured
        .units
        .iter()
        .map(|unit| vec![NodeFigures::default(); unit.nodes.len()])
        .collect();
    for (path, it) in &measured.frames {
        if let Some((unit, node, slow)) = line_of(path)
            && let Some(unit) = figures.get_mut(unit as usize)
            && let Some(node) = unit.get_mut(node as usize)
        {
            node.hits += it.calls;
            node.ns += it.total_ns;
            node.faults += it.faults;
            node.cells += it.cells;
            if slow.is_some() {
                node.reference_ns += it.total_ns;
            }
        }
    }
    let (mut sources, mut lines) = (Vec::new(), Vec::new());
    for ((unit, figures), sharers) in measured.units.iter().zip(&figures).zip(&measured.sharers) {
        lines.extend(rows_of(unit, figures, sharers, &mut sources));
    }
    (sources, lines)
}

/// The workers' time outside of lines, without waiting. It comes from the recorder's other places,
/// not from the difference to the lines.
pub(super) fn outside_ns(measured: &Measured) -> f64 {
    let around_runs = |(row, it): (Row, RowFigures)| match row {
        Row::Work(Work::Waiting) => 0.0,
        Row::Work(_) => it.figures.self_ns,
        _ => 0.0,
    };
    let rows = measured.recording.rows().into_iter();
    let frames = measured.frames.iter();
    let around_lines = frames.filter(|(path, _)| matches!(path.last(), Some(Key::Reference(_))));
    rows.map(around_runs).sum::<f64>() + around_lines.map(|(_, it)| it.self_ns).sum::<f64>()
}
