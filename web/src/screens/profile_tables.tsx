// THE list of tables of a profile.

import type { ComponentType } from "preact";
import { about, part } from "../api.ts";
import { taskAddress } from "../parts/address.ts";
import { DataTable, ShareBar, type Column } from "../parts/data_table.tsx";
import { nanos, percent } from "../parts/times.ts";
import { grouped } from "../parts/words.ts";
import type { Estimate, Profile, ProfileLine, ProfilePrimitive, ProfileTask } from "../types.ts";

interface Table {
  /** Its name in the address. */
  name: string;
  title: string;
  count: (profile: Profile) => number;
  about: (profile: Profile) => string;
  Table: ComponentType<{ profile: Profile }>;
}

type Numbers<Row> = { [K in keyof Row]: Row[K] extends number ? K : never }[keyof Row];

/** A column of counts. */
function count<Row>(name: Numbers<Row> & string, head: string, isWide = false): Column<Row> {
  const value = (row: Row) => row[name] as number;
  return { name, head, value, shown: (row) => grouped(value(row)), isNumeric: true, isWide };
}

/** A column of times. */
function time<Row>(name: Numbers<Row> & string, head: string, isWide = false): Column<Row> {
  const value = (row: Row) => row[name] as number;
  return { name, head, value, shown: (row) => nanos(value(row)), isNumeric: true, isWide };
}

/** A column of shares of a whole, with bars. */
function share<Row>(name: Numbers<Row> & string, whole: number): Column<Row> {
  const part = (row: Row) => (row[name] as number) / Math.max(1, whole);
  return { name: "share", head: "Share", value: part, shown: (row) => <ShareBar share={part(row)} text={percent(part(row))} />, isNumeric: true };
}

function word<Row>(name: keyof Row & string, head: string, isWide = false): Column<Row> {
  return { name, head, value: (row) => String(row[name] ?? ""), isWide };
}

/** A primitive, as a link to the programs with it. */
function PrimitiveName({ row }: { row: ProfilePrimitive }) {
  if (row.kind !== "primitive") return <>{row.name}</>;
  return <a href={`/library?q=${part(row.name)}`}>{row.name}</a>;
}

function Primitives({ profile }: { profile: Profile }) {
  const mean = (row: ProfilePrimitive) => row.self_ns / Math.max(1, row.calls);
  return (
    <DataTable<ProfilePrimitive>
      of="primitives"
      rows={profile.primitives}
      sort="self_ns"
      columns={[
        { name: "name", head: "Primitive", value: (row) => row.name, shown: (row) => <PrimitiveName row={row} /> },
        time("self_ns", "Self"),
        share("self_ns", profile.totals.execute_ns),
        count("calls", "Calls"),
        { name: "mean", head: "Mean", value: mean, shown: (row) => (row.calls > 0 ? nanos(mean(row)) : "–"), isNumeric: true, isWide: true },
        time("cumulative_ns", "Cumulative", true),
        count("cells", "Cells", true),
        count("faults", "Faults", true),
        { name: "theme", head: "Theme", value: (row) => row.theme || row.kind, isWide: true },
      ]}
    />
  );
}

/** A task, as a link if its data set is open. */
function TaskName({ set, id }: { set: string | undefined; id: string }) {
  if (set === undefined) return <span class="id">{id}</span>;
  return (
    <a class="id" href={taskAddress(set, id)}>
      {id}
    </a>
  );
}

function Tasks({ profile }: { profile: Profile }) {
  const set = about.value?.sets.find((it) => it.title === profile.setting.data?.name)?.id;
  const most = (row: ProfileTask) => row.primitives.reduce((best, it) => (it.self_ns > (best?.self_ns ?? -1) ? it : best), row.primitives[0]);
  const name = (row: ProfileTask) => profile.primitives[most(row)?.row ?? -1]?.name ?? "";
  const right = (row: ProfileTask) => (row.right === null ? "–" : row.right ? "✓ right" : "✗ wrong");
  return (
    <DataTable<ProfileTask>
      of="tasks"
      rows={profile.tasks}
      sort="self_ns"
      columns={[
        { name: "id", head: "Task", value: (row) => row.id, shown: (row) => <TaskName set={set} id={row.id} /> },
        time("self_ns", "Self"),
        share("self_ns", profile.totals.execute_ns),
        count("runs", "Runs"),
        { name: "right", head: "Right", value: right, isWide: true },
        count("faults", "Faults", true),
        { name: "most", head: "Mostly", title: "The primitive with most time", value: name, isWide: true },
      ]}
    />
  );
}

function Layers({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="layers"
      rows={profile.layers}
      columns={[word("layer", "Layer"), time("self_ns", "Self"), share("self_ns", profile.totals.whole_ns), count("calls", "Calls")]}
    />
  );
}

function Phases({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="phases"
      rows={profile.phases}
      columns={[
        word("phase", "Phase"),
        time("self_ns", "Self"),
        share("self_ns", profile.totals.whole_ns),
        time("wall_ns", "Wall", true),
        word("scales_with", "Grows with", true),
        count("units", "Units", true),
      ]}
    />
  );
}

const ofLines = (profile: Profile): number => profile.lines.reduce((all, line) => all + line.time_ns, 0);

function Lines({ profile }: { profile: Profile }) {
  const source = (row: ProfileLine) => profile.sources[row.source]?.name ?? "";
  return (
    <DataTable<ProfileLine>
      of="lines"
      rows={profile.lines}
      perPage={50}
      columns={[
        { name: "line", head: "Line", value: (row) => `${source(row)} ${row.line}`, shown: (row) => row.line },
        { name: "text", head: "Text", value: (row) => row.text, shown: (row) => <code class="line-text">{row.text}</code> },
        time("time_ns", "Time"),
        share("time_ns", ofLines(profile)),
        count("hits", "Hits", true),
        { name: "source", head: "Program", value: source, isWide: true },
      ]}
    />
  );
}

function OneTime({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="costs"
      rows={profile.one_time}
      columns={[word("name", "Cost"), time("self_ns", "Self"), share("self_ns", profile.totals.whole_ns), word("phase", "Phase")]}
    />
  );
}

function SlowPath({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="reasons"
      rows={profile.slow_path}
      columns={[
        word("reason", "Reason"),
        word("primitive", "Primitive"),
        time("time_ns", "Time"),
        share("time_ns", profile.totals.execute_ns),
        count("n_programs", "Programs", true),
        count("n_runs", "Runs", true),
      ]}
    />
  );
}

function Advice({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="steps"
      rows={profile.advice?.steps ?? []}
      columns={[
        word("what", "Step"),
        { name: "saved", head: "Saves", value: (row) => row.saved, shown: (row) => <ShareBar share={row.saved} text={percent(row.saved)} />, isNumeric: true },
        { name: "gain", head: "As fast", value: (row) => row.gain, shown: (row) => `${row.gain.toFixed(2)}×`, isNumeric: true },
        word("effort", "Effort", true),
      ]}
    />
  );
}

const between = ({ low_ns, high_ns }: Estimate): string => `${nanos(low_ns)} to ${nanos(high_ns)}`;

function Projections({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="projections"
      rows={profile.projections ?? []}
      columns={[
        count("n_tasks", "Tasks"),
        { name: "what_if", head: "What if", value: (row) => row.what_if || "as now" },
        { name: "estimate", head: "Estimate", value: (row) => row.estimate.ns, shown: (row) => nanos(row.estimate.ns), isNumeric: true },
        { name: "range", head: "95 % between", value: (row) => row.estimate.high_ns, shown: (row) => between(row.estimate), isNumeric: true, isWide: true },
        time("once_ns", "Of it once", true),
      ]}
    />
  );
}

function Budgets({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="budgets"
      rows={profile.budgets ?? []}
      columns={[
        word("budget", "Budget"),
        { name: "what_if", head: "What if", value: (row) => row.what_if || "as now" },
        count("n_tasks", "Tasks", true),
        count("workers", "Workers", true),
        count("expected", "Runs that fit"),
        count("at_least", "At least"),
        count("at_most", "At most", true),
      ]}
    />
  );
}

function WhatIfs({ profile }: { profile: Profile }) {
  return (
    <DataTable
      of="changes"
      rows={profile.what_ifs ?? []}
      columns={[
        word("what_if", "What if"),
        time("execute_ns", "Execute", true),
        time("execute_becomes_ns", "becomes"),
        time("whole_ns", "Whole", true),
        time("whole_becomes_ns", "becomes"),
      ]}
    />
  );
}

const ofExecute = (profile: Profile): string => `100 % is the execute time, ${nanos(profile.totals.execute_ns)}.`;
const ofWhole = (profile: Profile): string => `100 % is the whole run, ${nanos(profile.totals.whole_ns)}.`;

export const TABLES: readonly Table[] = [
  {
    name: "primitives",
    title: "Primitives",
    count: (profile) => profile.primitives.length,
    about: (profile) => `Self times add up; cumulative times overlap. Names in brackets are work around primitives. ${ofExecute(profile)}`,
    Table: Primitives,
  },
  { name: "tasks", title: "Tasks", count: (profile) => profile.tasks.length, about: ofExecute, Table: Tasks },
  { name: "layers", title: "Layers", count: (profile) => profile.layers.length, about: ofWhole, Table: Layers },
  { name: "phases", title: "Phases", count: (profile) => profile.phases.length, about: ofWhole, Table: Phases },
  {
    name: "lines",
    title: "Lines",
    count: (profile) => profile.lines.length,
    about: (profile) =>
      `100 % is the time of all lines, ${nanos(ofLines(profile))}. The rest of the execute time, ${nanos(profile.totals.outside_lines_ns ?? 0)}, lies outside of lines.`,
    Table: Lines,
  },
  {
    name: "advice",
    title: "Advice",
    count: (profile) => profile.advice?.steps.length ?? 0,
    about: (profile) => profile.advice?.judged ?? "",
    Table: Advice,
  },
  {
    name: "slow",
    title: "Slow path",
    count: (profile) => profile.slow_path.length,
    about: (profile) => `Programs that the reference engine ran. ${ofExecute(profile)}`,
    Table: SlowPath,
  },
  {
    name: "once",
    title: "One-time costs",
    count: (profile) => profile.one_time.length,
    about: (profile) => `Costs that do not grow with the number of tasks. ${ofWhole(profile)}`,
    Table: OneTime,
  },
  {
    name: "more",
    title: "More tasks",
    count: (profile) => profile.projections?.length ?? 0,
    about: () => "How long a run of more tasks takes.",
    Table: Projections,
  },
  {
    name: "budgets",
    title: "Budgets",
    count: (profile) => profile.budgets?.length ?? 0,
    about: () => "How many runs fit into a time.",
    Table: Budgets,
  },
  {
    name: "changes",
    title: "What if",
    count: (profile) => profile.what_ifs?.length ?? 0,
    about: () => "This run after a change.",
    Table: WhatIfs,
  },
];
