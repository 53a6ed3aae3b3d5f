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

export type RunState = "running" | "done" | "stopped" | "failed";

export interface RunLine {
  id: string;
  command: "solve" | "evolve";
  state: RunState;
  set: string;
  /** Seconds since 1970. */
  started: number;
  done: number;
  rounds: number;
  solved: number;
  seconds: number;
  message: string;
}

export interface Find {
  task: string;
  seconds: number | null;
  source?: string;
  /** The text of a program that `solve` found. */
  text?: string;
  /** The program that `evolve` found. */
  program?: string;
}

export interface Run extends RunLine {
  total: number;
  tasks: { id: string; state: "open" | "fits" | "none" }[];
  finds: Find[];
  curve: [number, number][];
  last_event: number;
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
