/* ---- Copies ---- */

FN void copy_value(const Machine *m, LOCAL Val *from) {
  LOCAL Val *v = target(m);
  int k, slot = m->code[SLOT];
  if (from->slot >= 0)
    for (k = m->lane; k < SLOT_BYTES / 4; k += m->lanes)
      words_of(m, slot)[k] = words_of(m, from->slot)[k];
  if (m->lane == 0) {
    int has_slot = from->slot >= 0;
    *v = *from;
    if (has_slot) v->slot = slot;
  }
}

/* both and either return one of their two operands. */
FN LOCAL Val *chosen(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  if (op == OP_BOTH) return truth(a) ? b : a;
  if (op == OP_EITHER) return truth(a) ? a : b;
  return truth(a) ? b : argument(m, 2);
}

/* ---- In and out ---- */

typedef struct {
  GLOBAL const int *programs;
  GLOBAL const int *constants;
  GLOBAL const int *grids;
  GLOBAL const uchar *cells;
  GLOBAL const int *samples;
  GLOBAL int *records;
  GLOBAL uchar *outputs;
  int program, sample, group, wants_grids;
} Surroundings;

FN void load_constants(const Machine *m, const Surroundings *s) {
  GLOBAL const int *program = s->programs + s->program * PROGRAM_WORDS;
  int k;
  for (k = m->lane; k < program[3]; k += m->lanes) {
    GLOBAL const int *entry = s->constants + program[2] + k * CONSTANT_WORDS;
    put(m->registers + entry[0], entry[1], entry[2], entry[3]);
  }
}

FN void load_grid(const Machine *m, const Surroundings *s) {
  GLOBAL const int *grid = s->grids + 3 * s->samples[2 * s->sample];
  LOCAL uchar *cells = bytes_of(m, m->code[SLOT]);
  LOCAL Val *v = target(m);
  int k;
  for (k = m->lane; k < grid[1] * grid[2]; k += m->lanes) cells[k] = s->cells[grid[0] + k];
  if (m->lane == 0) {
    put(v, TAG_GRID, 0, 0);
    v->h = v->n = grid[1];
    v->w = grid[2];
    v->slot = m->code[SLOT];
  }
}

/* A cell's part of a grid's hash, as in src/hash.rs. */
FN uint mixed(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

FN int differs_from_expected(const Surroundings *s, LOCAL uchar *cells, LOCAL Val *v, int k) {
  int expected = s->samples[2 * s->sample + 1];
  GLOBAL const int *grid;
  if (expected < 0) return 1;
  grid = s->grids + 3 * expected;
  return grid[1] != v->h || grid[2] != v->w || s->cells[grid[0] + k] != cells[k];
}

FN void gather_output(const Machine *m, const Surroundings *s, LOCAL Val *v) {
  LOCAL uchar *cells = bytes_of(m, v->slot);
  LOCAL int *words = shared_words(m);
  uint low = 0, high = 0;
  int k, differs = 0;
  for (k = m->lane; k < v->h * v->w; k += m->lanes) {
    uint x = mixed((uint)(k * 16 + cells[k]) + 0x9e3779b9u);
    low += x;
    high += mixed(x ^ 0x85ebca6bu);
    differs |= differs_from_expected(s, cells, v, k);
    if (s->wants_grids) s->outputs[s->group * MAX_GRID_CELLS + k] = cells[k];
  }
  ATOMIC_ADD(words, (int)low);
  ATOMIC_ADD(words + 1, (int)high);
  if (differs) ATOMIC_OR(words + 2, 1);
}

FN void write_record(const Surroundings *s, int status, int line, int tag, int i, int j) {
  GLOBAL int *record = s->records + s->group * RECORD_WORDS;
  record[0] = status;
  record[1] = line;
  record[2] = tag;
  record[3] = i;
  record[4] = j;
}

FN void output(const Machine *m, const Surroundings *s) {
  LOCAL Val *v = argument(m, 0);
  LOCAL int *words = shared_words(m);
  int is_grid = v->tag == TAG_GRID;
  GLOBAL int *record = s->records + s->group * RECORD_WORDS;
  if (!is_grid && v->tag != TAG_INT && v->tag != TAG_BOOL && v->tag != TAG_PAIR) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) words[0] = words[1] = words[2] = 0;
  } else if (m->phase == 1) {
    if (is_grid) gather_output(m, s, v);
  } else if (m->lane == 0) {
    write_record(s, STATUS_DONE, 0, v->tag, is_grid ? v->h : v->i, is_grid ? v->w : v->j);
    record[5] = words[0];
    record[6] = words[1];
    record[7] = is_grid && words[2] == 0;
    stop(m, STATUS_DONE);
  }
}

/* Only charges fuel for its arguments, and refuses too many pairs of two sets. */
FN void charge(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  if (m->code[FLAGS] == ALL_PAIRS && a->n * (wide)b->n > MAX_PAIRS) stop(m, STATUS_UNSURE);
}

/* ---- One phase of one instruction ---- */

FN void run_phase(const Machine *m, const Surroundings *s) {
  int op = m->code[0], status = STATUS_RUNNING;
  if (op >= OP_ADD) {
    if (m->lane != 0 && op != OP_BOTH && op != OP_EITHER) return;
    if (op <= OP_SIGN)
      status = calculate(m, op);
    else if (op <= OP_POSITIVE || op == OP_CONTAINED)
      status = judge(m, op);
    else if (op == OP_BOTH || op == OP_EITHER)
      copy_value(m, chosen(m, op));
    else if (op == OP_INTERVAL)
      status = put_range(m);
    else if (op <= OP_ASTUPLE || op >= OP_LAST)
      status = arrange(m, op);
    else if (op <= OP_SIZE || (op >= OP_PORTRAIT && op <= OP_HLINE))
      status = extent(m, op);
    else
      status = locate(m, op);
    if (status != STATUS_RUNNING) stop(m, status);
    return;
  }
  if (op >= OP_OBJECTS) {
    if (op == OP_OBJECTS)
      find_objects(m);
    else if (op <= OP_FGPARTITION)
      part_grid(m, op);
    else if (op <= OP_SIZEFILTER)
      filter_objects(m, op);
    else if (op == OP_COMPRESS)
      compress_grid(m);
    else if (op == OP_FRONTIERS)
      find_lines(m);
    else
      find_extreme(m, op);
    return;
  }
  if (op >= OP_MOSTCOLOR) {
    if (op <= OP_NUMCOLORS)
      ask_colours(m, op);
    else if (op == OP_EQUALITY)
      compare_values(m);
    else if (op == OP_GRAVITATE)
      gravitate(m);
    else if (op >= OP_HPERIOD)
      find_period(m, op);
    else
      ask_places(m, op);
    return;
  }
  if (op == OP_DIFFERENCE || op == OP_INTERSECTION || op == OP_REMOVE) {
    sift(m, op);
    return;
  }
  if (op == OP_INITSET && is_colour(argument(m, 0))) {
    if (m->phase == 0 && m->lane == 0) put_colours(target(m), 1 << argument(m, 0)->i);
    return;
  }
  if (op == OP_COMBINE) {
    combine_sets(m);
    return;
  }
  if (op >= OP_OFCOLOR || op == OP_UNITE) {
    make_patch(m, op);
    return;
  }
  if (op >= OP_ROT90) {
    make_grid(m, op);
    return;
  }
  if (op >= OP_HMIRROR) {
    make_either(m, op);
    return;
  }
  switch (op) {
    case OP_CONSTANTS: load_constants(m, s); break;
    case OP_LOAD: load_grid(m, s); break;
    case OP_OUTPUT: output(m, s); break;
    case OP_BRANCH: copy_value(m, chosen(m, op)); break;
    case OP_NEXT_ELEMENT: next_element(m); break;
    case OP_JUMP: jump(m, m->code[JUMP]); break;
    case OP_JUMP_UNLESS: jump(m, truth(argument(m, 0)) ? -1 : m->code[JUMP]); break;
    case OP_ONLY: find_only(m); break;
    case OP_FIRST: take_first(m); break;
    case OP_ELEMENT: take_element(m); break;
    case OP_GATHER: gather(m); break;
    case OP_CHARGE: charge(m); break;
    case OP_BEST_RESET:
      if (m->lane == 0) put(target(m), TAG_INT, m->code[FLAGS], 0);
      break;
    case OP_BEST_OFFER: offer_best(m); break;
    case OP_BEST_TAKE: take_best(m); break;
    case OP_MARKS_RESET: clear_marks(m); break;
    case OP_MARK: mark(m); break;
    case OP_MARKED: take_marked(m); break;
    case OP_EMPTY_SET:
      if (m->lane == 0) put_empty(target(m));
      break;
    default: stop(m, STATUS_UNSURE);
  }
}

/* ---- Fuel: never less than the CPU counts, so a run within the limit here is within it there ---- */

FN int weight(LOCAL Val *v) {
  if (v->tag == TAG_GRID) return v->h * v->w;
  return v->tag == TAG_PAIR || v->tag == TAG_CELL ? 2 : v->n;
}

/* Counts the arguments of an instruction and the result of the one before. */
FN void burn(const Machine *m, int limit) {
  LOCAL int *fuel = m->scratch + 4, *last = m->scratch + 5;
  int k, op = m->code[0], amount = 1 + (m->code[PHASES] >> 8) + weight(m->registers + *last);
  for (k = 0; k < 5; k++) amount += weight(argument(m, k));
  if (op == OP_OCCURRENCES || op == OP_MANHATTAN || op == OP_ADJACENT)
    amount += least(weight(argument(m, 0)), 16384) * least(weight(argument(m, 1)), 16384);
  if (op == OP_CHARGE && m->code[FLAGS] == ALL_PAIRS)
    amount += 2 * least(argument(m, 0)->n, 16384) * least(argument(m, 1)->n, 16384);
  if (op == OP_GRAVITATE)
    amount += MOST_STEPS * least(weight(argument(m, 0)) * (weight(argument(m, 1)) + 1), 2 * MAX_WORK);
  if (amount > limit - *fuel) stop(m, STATUS_UNSURE);
  *fuel += least(amount, limit);
  *last = m->code[TARGET];
}

/* Runs job by job: a program and a sample for each group. */
KERNEL void interpret(GLOBAL const int *programs, GLOBAL const int *code,
                      GLOBAL const int *constants, GLOBAL const int *grids,
                      GLOBAL const uchar *cells, GLOBAL const int *samples,
                      GLOBAL const int *jobs, GLOBAL int *records, GLOBAL uchar *outputs,
                      int n_registers, int has_parents, int wants_grids,
                      int fuel_limit MEMORY_PARAMETER) {
  DECLARE_MEMORY
  Machine m;
  Surroundings s;
  GLOBAL const int *start;
  int pc = 0, status = STATUS_RUNNING, k;
  s.programs = programs;
  s.constants = constants;
  s.grids = grids;
  s.cells = cells;
  s.samples = samples;
  s.records = records;
  s.outputs = outputs;
  s.group = GROUP;
  s.program = jobs[2 * GROUP];
  s.sample = jobs[2 * GROUP + 1];
  s.wants_grids = wants_grids;
  m.registers = (LOCAL Val *)memory;
  m.scratch = memory + n_registers * REGISTER_WORDS;
  m.parents = m.scratch + SCRATCH_WORDS;
  m.slots = (LOCAL uint *)(m.parents + (has_parents ? PARENT_WORDS : 0));
  m.lane = LANE;
  m.lanes = LANES;
  m.parity = 0;
  m.phase = 0;
  start = code + programs[s.program * PROGRAM_WORDS];
  m.code = start;
  for (k = m.lane; k < 6; k += m.lanes) m.scratch[k] = 0;
  for (k = m.lane; k < n_registers; k += m.lanes) put(m.registers + k, TAG_INT, 0, 0);
  SYNC();
  while (status == STATUS_RUNNING) {
    if (m.phase == 0 && m.lane == 0) burn(&m, fuel_limit);
    run_phase(&m, &s);
    SYNC();
    status = m.scratch[m.parity];
    m.phase++;
    if (m.phase >= (m.code[PHASES] & 255)) {
      int is_jump = m.code[0] == OP_NEXT_ELEMENT || m.code[0] == OP_JUMP || m.code[0] == OP_JUMP_UNLESS;
      int goal = is_jump ? m.scratch[2 + m.parity] : -1;
      pc = goal >= 0 ? goal : pc + 1;
      if (status == STATUS_RUNNING) m.code = start + pc * INSTRUCTION_WORDS;
      m.phase = 0;
    }
    m.parity ^= 1;
  }
  /* The CPU decides on a fault within an iteration. */
  if (status >= STATUS_FAULT && m.code[LINE] < 0) status = STATUS_UNSURE;
  if (status != STATUS_DONE && m.lane == 0) write_record(&s, status, m.code[LINE], 0, 0, 0);
}
