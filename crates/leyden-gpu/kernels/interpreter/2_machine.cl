/* ---- The machine ---- */

#define NOTHING 0x7fffffff
#define ABSENT_BYTE 255
#define ABSENT_LABEL 0xffff

/* A value. Patches have the smallest box that holds them: top i, left j, h rows, w columns. The
 * empty set has none of these. n is the number of elements; colour is that of an object, -1 if it
 * has several. The lines of one colour of a grid of h x w have a bit for each row in i, for each column in
 * j, and the grid in their slot. A range starts with i and goes on in steps of j; it is a tuple. */
typedef struct {
  int tag, i, j, h, w, n, colour, slot;
} Val;

typedef struct {
  LOCAL Val *registers;
  LOCAL int *scratch;
  LOCAL int *parents;
  LOCAL uint *slots;
  GLOBAL const int *code;
  int lane, lanes, parity, phase;
} Machine;

/* An instruction's words. The lowest eight bits of the second are its phases; above them is the fuel for
 * calls that became no instruction. */
#define PHASES 1
#define TARGET 2
#define SLOT 3
#define ARGUMENT 4
#define LINE 9
#define FLAGS 10
#define JUMP 11

/* Stops the program. Lanes read the flag of this phase after its barrier, and the next phase has the
 * other flag, so no lane can see a flag too early. */
FN void stop(const Machine *m, int status) {
  if (m->lane == 0) m->scratch[m->parity] = status;
}

FN void jump(const Machine *m, int target) {
  if (m->lane == 0) m->scratch[2 + m->parity] = target;
}

/* Memory for results that lanes compute together. */
FN LOCAL int *shared_words(const Machine *m) { return m->scratch + 6; }

/* A bit for each element of a set that a filter keeps. */
FN LOCAL int *marks(const Machine *m) { return m->scratch + SCRATCH_WORDS - MARK_WORDS; }
FN int is_marked(const Machine *m, int number) { return marks(m)[number >> 5] >> (number & 31) & 1; }

FN LOCAL Val *argument(const Machine *m, int k) { return m->registers + m->code[ARGUMENT + k]; }
FN LOCAL Val *target(const Machine *m) { return m->registers + m->code[TARGET]; }
FN LOCAL uint *words_of(const Machine *m, int slot) { return m->slots + slot * (SLOT_BYTES / 4); }
FN LOCAL uchar *bytes_of(const Machine *m, int slot) { return (LOCAL uchar *)words_of(m, slot); }
FN LOCAL ushort *labels_of(const Machine *m, int slot) { return (LOCAL ushort *)words_of(m, slot); }

FN int least(int a, int b) { return a < b ? a : b; }
FN int most(int a, int b) { return a > b ? a : b; }
FN int magnitude(int x) { return x < 0 ? -x : x; }

/* Small enough that sums of a few cannot overflow. */
FN int is_near(int x) { return x > -100000000 && x < 100000000; }
FN int is_colour(LOCAL Val *v) { return v->tag == TAG_INT && v->i >= 0 && v->i <= MAX_COLOUR; }
FN int is_patch(LOCAL Val *v) { return v->tag == TAG_INDICES || v->tag == TAG_OBJECT; }
FN int is_set(LOCAL Val *v) {
  return is_patch(v) || v->tag == TAG_EMPTY || v->tag == TAG_OBJECTS || v->tag == TAG_LINES;
}
FN int is_patch_or_empty(LOCAL Val *v) { return is_patch(v) || v->tag == TAG_EMPTY; }
FN int is_near_pair(LOCAL Val *v) { return v->tag == TAG_PAIR && is_near(v->i) && is_near(v->j); }
FN int is_near_place(LOCAL Val *v) {
  return (v->tag == TAG_PAIR || v->tag == TAG_CELL) && is_near(v->i) && is_near(v->j);
}

FN int truth(LOCAL Val *v) {
  if (v->tag == TAG_INT || v->tag == TAG_BOOL) return v->i != 0;
  if (v->tag == TAG_RANGE) return v->n != 0;
  return v->tag != TAG_EMPTY;
}

FN void put(LOCAL Val *v, int tag, int i, int j) {
  v->tag = tag;
  v->i = i;
  v->j = j;
  v->h = v->w = v->n = 0;
  v->colour = -1;
  v->slot = -1;
}

FN void put_empty(LOCAL Val *v) { put(v, TAG_EMPTY, 0, 0); }

FN int cell(const Machine *m, LOCAL Val *grid, int i, int j) {
  return bytes_of(m, grid->slot)[i * grid->w + j];
}

FN int words_per_row(int width) { return (width + 31) >> 5; }

/* The colour of a patch at a location, 0 for indices, -1 where it has no cell. */
APART int at(const Machine *m, LOCAL Val *v, int i, int j) {
  int row = i - v->i, column = j - v->j;
  if (row < 0 || column < 0 || row >= v->h || column >= v->w) return -1;
  if (v->tag == TAG_INDICES) {
    uint word = words_of(m, v->slot)[row * words_per_row(v->w) + (column >> 5)];
    return (word >> (column & 31) & 1u) ? 0 : -1;
  }
  if (v->tag == TAG_OBJECT) {
    int byte = bytes_of(m, v->slot)[row * v->w + column];
    return byte == ABSENT_BYTE ? -1 : byte;
  }
  if (v->tag == TAG_OBJECTS) {
    int label = labels_of(m, v->slot)[row * v->w + column];
    return label == ABSENT_LABEL ? -1 : label & 15;
  }
  return -1;
}

/* The number of the object at a place of a label image, -1 for none. An object's number is the
 * place of its first cell, row by row. */
FN int label_at(const Machine *m, LOCAL Val *objects, int place) {
  int label = labels_of(m, objects->slot)[place];
  return label == ABSENT_LABEL ? -1 : label >> 4;
}

FN int colour_in_image(const Machine *m, LOCAL Val *objects, int place) {
  return labels_of(m, objects->slot)[place] & 15;
}

