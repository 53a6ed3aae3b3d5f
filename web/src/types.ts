// The replies of the server, as crates/leyden/src/explore/table.rs describes them.

/** Rows of colours 0 to 9. */
export type Grid = number[][];
/** A cell of a drawn value: a colour, a marked place, or a place outside. */
export type Cell = number | "x" | ".";
export type Picture = Cell[][];

export type Badge = "solved" | "fits" | "part" | "none";
export type Verdict = "right" | "wrong" | "fault" | "fuel" | "unknown";

export interface SetInfo {
  id: string;
  title: string;
  tasks: number;
  has_solutions: boolean;
}

export interface About {
  version: string;
  sets: SetInfo[];
  solvers: { id: string; name: string; programs: number }[];
  store: string | null;
  can_run: boolean;
  dialects: string[];
  fuel: { default: number; first_pass: number };
  files: { id: string; name: string; kind: string }[];
}

export interface TaskLine {
  id: string;
  demos: number;
  tests: number;
  same_size: boolean;
  side: number | null;
  colours: number[];
  badge: Badge;
  credit: number;
  program: string | null;
}

export interface Pair {
  input: Grid;
  output: Grid;
}

export interface KnownProgram {
  hash: string;
  name: string;
  dialect: string;
  origin: string;
  lines: number;
  text: string;
  right: number;
  pairs: number;
  credit: number;
  fuel: number;
  verdicts: Verdict[];
}

export interface Task {
  set: string;
  id: string;
  train: Pair[];
  test: { input: Grid }[];
  has_solutions: boolean;
  programs: KnownProgram[];
}

export interface Outcome {
  grid?: Grid;
  error?: string;
  line?: number | null;
  value?: string;
}

export interface Sample {
  name: string;
  is_demo: boolean;
  outcome: Outcome;
  verdict: Verdict;
  credit: number | null;
  fuel: number;
}

export interface Finding {
  severity: "error" | "warning" | "info";
  message: string;
  label: string;
  help: string | null;
  from: number;
  to: number;
  line: number;
  column: number;
}

export interface LineValue {
  line: number;
  words: string;
  pictures: Picture[];
  fault: string | null;
}

export interface Evaluation {
  program: { name: string; dialect: string; lines: number; hash: string } | null;
  diagnostics: Finding[];
  samples: Sample[];
  values: LineValue[] | null;
  fits: boolean;
  credit?: number;
  fuel: number;
  millis: number;
}

export interface Variant {
  token: string;
  text: string;
  right: number;
  pairs: number;
  credit: number;
  fuel: number;
  grid: Grid | null;
  error: string | null;
  is_current: boolean;
}

export interface Variants {
  token: string;
  kind: string;
  from: number;
  to: number;
  variants: Variant[];
}

export interface Edit {
  text: string;
  change: string;
  right: number;
  pairs: number;
  credit: number;
  fits: boolean;
}

export interface Primitive {
  name: string;
  params: { name: string; type: string }[];
  result: string;
  theme: string;
  doc: string;
  example: { call: string; result: string } | null;
  dialects: string[];
}

export interface Words {
  primitives: Primitive[];
  constants: { name: string; value: string; dialects: string[] }[];
}

// Library and program

export interface ProgramLine {
  hash: string;
  name: string;
  dialect: string;
  /** The file or the command that it comes from. */
  origin: string;
  lines: number;
  task: string | null;
  /** What its best score in the store says; `null` without one. */
  fits: boolean | null;
  credit: number | null;
  fuel: number | null;
  parent: string | null;
  mutation: string;
  is_stored: boolean;
}

export interface Facet {
  name: string;
  values: { value: string; n: number }[];
  /** Further values, which are left out. */
  more: number;
}

export interface ProgramList {
  total: number;
  offset: number;
  programs: ProgramLine[];
  facets: Facet[];
  store: boolean;
}

export interface StoredScore {
  /** The first open data set that has the task. */
  set: string | null;
  task: string;
  right: number;
  pairs: number;
  credit: number;
  fuel: number;
}

export interface JudgedProgram {
  set: string;
  task: string;
  right: number;
  pairs: number;
  credit: number;
  fuel: number;
  verdicts: Verdict[];
}

export interface ProgramPage extends ProgramLine {
  text: string;
  children: number;
  run: number | null;
  scores: StoredScore[];
  judged: JudgedProgram | null;
}

/** A program of a lineage. A missing one has only its hash and its place. */
export interface Relative extends Partial<ProgramLine> {
  hash: string;
  /** Negative for ancestors, 0 for the program itself. */
  layer: number;
  place: number;
  children: number;
  is_missing: boolean;
}

export interface Descent {
  from: string;
  to: string;
  mutation: string;
  removed: string[];
  added: string[];
}

export interface Lineage {
  hash: string;
  nodes: Relative[];
  edges: Descent[];
}

// Batteries

export interface BatteryLine {
  id: string;
  name: string;
  programs: number;
}

export interface BatteryCounts {
  id: string;
  programs: number;
  lines: number;
  nodes: number;
  /** Lines that sharing saves. */
  saved: number;
  depth: number;
  /** Nodes of more than one program. */
  shared: number;
}

export interface NodeLine {
  id: string;
  text: string;
  users: number;
  programs: number;
  depth: number;
}

export interface NodeList {
  total: number;
  offset: number;
  nodes: NodeLine[];
}

export interface BatteryProgram {
  /** The hash of a program that has a page. */
  hash: string | null;
  name: string;
  /** The program that it was made from. */
  origin: string;
  task: string | null;
}

export interface NodePage extends Omit<NodeLine, "programs"> {
  line: string;
  dialect: string;
  n_programs: number;
  programs: BatteryProgram[];
  nodes: (NodeLine & { line: string; layer: number; place: number })[];
  edges: [from: string, to: string][];
}

export interface Matrix {
  set: string;
  total: number;
  offset: number;
  tasks: { id: string; demos: number }[];
  rows: (BatteryProgram & { right: number[] })[];
  /** Further programs with a right pair, which are left out. */
  more: number;
}

// Reports opened from files.

export interface ReportAnswer {
  demos_reproduced: number;
  demos: number;
  bits: number;
  source: string;
  dialect: string;
  program: string;
  program_hash: string;
  /** Only if the page asks for the results on tests. */
  is_right?: boolean;
}

export interface ReportRow {
  task: string;
  wall_s?: number;
  answers?: ReportAnswer[][];
}

/** The report of `solve`; that of `evolve` has no rows. */
export interface Report {
  data?: string;
  tried?: number;
  fit_all_demos?: number;
  solved?: number;
  known_programs?: number;
  stop_reason?: string;
  seed?: number;
  library?: number;
  rounds?: number;
  evaluations?: number;
  transferred?: number;
  evolved?: number;
  new?: number;
  improved?: number;
  right_on_tests?: number;
  evolved_tasks?: string[];
  best_partial?: [task: string, credit: number][];
  rows?: ReportRow[] | null;
}

// Submissions.

export type Attempted = "first" | "second" | "wrong" | "missing";

interface Share {
  right: number;
  of: number;
  share: number;
}

export type Scores = { outputs: Share; tasks: number; solved: Share } | { why_not: string };

export interface SubmissionTask {
  id: string;
  tests: number;
  is_named: boolean;
  /** Null if the outputs are not known. */
  verdicts: Attempted[] | null;
}

export interface Submission {
  name: string;
  set: string;
  set_tasks: number;
  answered: number;
  scores: Scores;
  problems: number;
  listed: { text: string; task: string | null }[];
  total: number;
  offset: number;
  tasks: SubmissionTask[];
}

export interface AttemptsAtTest {
  input: Grid;
  attempts: (Grid | null)[];
  verdict: Attempted | null;
  /** Null until asked for. */
  output: Grid | null;
}

export interface Attempts {
  set: string;
  id: string;
  has_solutions: boolean;
  tests: AttemptsAtTest[];
}

export interface DifferingTest {
  task: string;
  test: number;
  a: Attempted | null;
  b: Attempted | null;
  differs: [boolean, boolean];
}

export interface TwoSubmissions {
  set: string;
  a: { name: string; scores: Scores };
  b: { name: string; scores: Scores };
  only_a: number;
  only_b: number;
  total: number;
  offset: number;
  rows: DifferingTest[];
}

// Profiles, as docs/profile-format.md describes them.

export interface StackFrame {
  name: string;
  kind: string;
  file?: string;
  line?: number;
}

export interface Stacks {
  frames: StackFrame[];
  paths: { frames: number[]; self_ns: number; calls: number }[];
}

export interface ProfilePrimitive {
  name: string;
  kind: "primitive" | "engine" | "recorder";
  layer: string;
  theme: string;
  calls: number;
  self_ns: number;
  cumulative_ns: number;
  cells: number;
  faults: number;
}

export interface ProfileTask {
  id: string;
  runs: number;
  self_ns: number;
  faults: number;
  right: boolean | null;
  primitives: { row: number; calls: number; self_ns: number }[];
}

export interface ProfileLine {
  source: number;
  line: number;
  text: string;
  hits: number;
  time_ns: number;
  n_shared?: number;
}

export interface Estimate {
  ns: number;
  low_ns: number;
  high_ns: number;
}

export interface Profile {
  kind: "dsl" | "batch" | "framework" | "pipeline" | "lines";
  title: string;
  verdict: string;
  setting: {
    command: string;
    date: string;
    hardware: { cpu: string; cores: number; os: string; device: string | null };
    data: { name: string; n_tasks: number } | null;
    programs: { name: string; n_programs: number } | null;
    jobs: number;
  };
  totals: {
    wall_ns: number;
    whole_ns: number;
    execute_ns: number;
    outside_tasks_ns: number;
    outside_lines_ns?: number;
    reference_ns?: number;
    runs: number;
  };
  recorder: { share_of_execute: number; share_of_wall: number; how: string };
  primitives: ProfilePrimitive[];
  tasks: ProfileTask[];
  sources: { name: string; file: string }[];
  lines: ProfileLine[];
  stacks: Stacks;
  layers: { layer: string; self_ns: number; calls: number }[];
  phases: { phase: string; self_ns: number; wall_ns: number; scales_with: string; units: number }[];
  one_time: { name: string; phase: string; self_ns: number }[];
  slow_path: { reason: string; primitive: string | undefined; n_programs: number; n_runs: number; time_ns: number; expected_speedup: number | null }[];
  accuracy: { what: string; right: number; of: number }[];
  projections?: { n_tasks: number; what_if: string; estimate: Estimate; cap_ns: number; once_ns: number }[];
  budgets?: { budget: string; workers: number; n_tasks: number; what_if: string; run: Estimate; expected: number; at_least: number; at_most: number }[];
  what_ifs?: { what_if: string; execute_ns: number; execute_becomes_ns: number; whole_ns: number; whole_becomes_ns: number }[];
  advice?: { steps: { what: string; saved: number; gain: number; effort: string }[]; judged: string };
  notes: string[];
}

export type ChangeVerdict = "faster" | "slower" | "same" | "new" | "gone" | "incomparable";

export interface ProfileChange {
  name: string;
  a_ns: number;
  b_ns: number;
  /** The difference of the quotient from one that means nothing. */
  allowed: number;
  verdict: ChangeVerdict;
  /** A share of the first one's total. */
  of_total: number;
}

export interface ProfileComparison {
  a: string;
  b: string;
  sentence: string;
  total: ProfileChange;
  n_tasks: number;
  primitives: ProfileChange[];
  layers: ProfileChange[];
  tasks: ProfileChange[];
  warnings: string[];
}

// Runs.

export type RunState = "running" | "done" | "stopped" | "failed";

export interface RunOptions {
  per_task: string | null;
  budget: string | null;
  seed: number | null;
  tasks: string[] | null;
  library: string | null;
}

/** The numbers of a run that change while it goes on. */
export interface RunNumbers {
  state: RunState;
  done: number;
  rounds: number;
  solved: number;
  seconds: number;
  message: string;
}

export interface RunLine extends RunNumbers {
  id: string;
  command: "solve" | "evolve";
  set: string;
  options: RunOptions;
  /** Seconds since 1970. */
  started: number;
  /** The number of its tasks; 0 if its data set is not open now. */
  total: number;
}

export interface Find {
  task: string;
  /** Seconds since the run began. */
  seconds: number | null;
  source?: string;
  /** The text of a program that `solve` found. */
  text?: string;
  /** The seconds that `solve` spent on the task. */
  took?: number;
  /** The program that `evolve` found. */
  program?: string;
}

export type TaskState = "open" | "fits" | "none";

export interface RunTask {
  id: string;
  state: TaskState;
}

/** What an event of a run tells. */
export interface RunNews extends RunNumbers {
  task?: RunTask;
  find?: Find;
}

export interface Run extends RunLine {
  tasks: RunTask[];
  finds: Find[];
  curve: [number, number][];
  last_event: number;
}
