/* The device interpreter: one work-group (thread block) runs one program on one grid.
 *
 * The same text is OpenCL C and CUDA C; the first section is all that differs. APART is for functions
 * that are called from many places and would blow up the code if they were copied into each.
 *
 * Every instruction consists of phases. In a phase the lanes of a group work side by side and none
 * reads what another writes in that phase; after each phase all of them meet at the one barrier of
 * this file. What an instruction cannot decide ends the program as UNSURE, and the host asks the
 * CPU: values too large for their slot, odd types, ties that only the order of a set can break.
 * So a result is right or absent.
 */

#ifdef __OPENCL_VERSION__
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define FN static
#define APART static
#define MEMORY_PARAMETER , __local int *memory
#define DECLARE_MEMORY
#define LANE ((int)get_local_id(0))
#define LANES ((int)get_local_size(0))
#define GROUP ((int)get_group_id(0))
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define ATOMIC_MIN(p, v) atomic_min(p, v)
#define ATOMIC_MAX(p, v) atomic_max(p, v)
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define ATOMIC_OR(p, v) atomic_or(p, v)
typedef long wide;
#else
#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL
#define FN static __device__
#define APART static __device__ __noinline__
#define MEMORY_PARAMETER
#define DECLARE_MEMORY extern __shared__ int memory[];
#define LANE ((int)threadIdx.x)
#define LANES ((int)blockDim.x)
#define GROUP ((int)blockIdx.x)
#define SYNC() __syncthreads()
#define ATOMIC_MIN(p, v) atomicMin(p, v)
#define ATOMIC_MAX(p, v) atomicMax(p, v)
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define ATOMIC_OR(p, v) atomicOr(p, v)
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef long long wide;
#endif

/* ---- What host and device agree on; src/wire.rs has the same numbers, and a test compares. ---- */

#define TAG_INT 1
#define TAG_BOOL 2
#define TAG_PAIR 3
#define TAG_GRID 4
#define TAG_INDICES 5
#define TAG_OBJECT 6
#define TAG_EMPTY 7
#define TAG_OBJECTS 8
#define TAG_COLOURS 9
#define TAG_CELL 10

#define STATUS_RUNNING 0
#define STATUS_UNSURE 1
#define STATUS_DONE 2
#define STATUS_FAULT 16

#define FAULT_STOP_ITERATION 5
#define FAULT_VALUE_ERROR 7
#define FAULT_ZERO_DIVISION 8

#define INSTRUCTION_WORDS 12
#define PROGRAM_WORDS 8
#define CONSTANT_WORDS 4
#define RECORD_WORDS 8
#define REGISTER_WORDS 8
#define SCRATCH_WORDS 128
#define MARK_WORDS 64
#define PARENT_WORDS 1024
#define SLOT_BYTES 2048
#define MAX_GRID_CELLS 2048
#define MAX_LABELLED_CELLS 1024
#define MAX_BITS_SIDE 128
#define MAX_COLOUR 14
#define MAX_FRAME_CELLS 65536
#define MAX_WORK 1048576

#define OP_CONSTANTS 0
#define OP_LOAD 1
#define OP_OUTPUT 2
#define OP_BRANCH 3
#define OP_NEXT_ELEMENT 4
#define OP_JUMP 5
#define OP_ONLY 6
#define OP_FIRST 7
#define OP_ELEMENT 8
#define OP_BEST_RESET 9
#define OP_BEST_OFFER 10
#define OP_BEST_TAKE 11
#define OP_MARKS_RESET 12
#define OP_MARK 13
#define OP_MARKED 14
#define OP_EMPTY_SET 15
#define OP_UNITE 16
#define OP_GATHER 17
#define OP_JUMP_UNLESS 18

#define OP_HMIRROR 20
#define OP_VMIRROR 21
#define OP_DMIRROR 22
#define OP_CMIRROR 23
#define OP_UPSCALE 24
#define OP_ROT90 25
#define OP_ROT180 26
#define OP_ROT270 27
#define OP_CROP 28
#define OP_SUBGRID 29
#define OP_HCONCAT 30
#define OP_VCONCAT 31
#define OP_TOPHALF 32
#define OP_BOTTOMHALF 33
#define OP_LEFTHALF 34
#define OP_RIGHTHALF 35
#define OP_HUPSCALE 36
#define OP_VUPSCALE 37
#define OP_DOWNSCALE 38
#define OP_CANVAS 39
#define OP_REPLACE 40
#define OP_SWITCH 41
#define OP_FILL 42
#define OP_PAINT 43
#define OP_UNDERFILL 44
#define OP_UNDERPAINT 45
#define OP_TRIM 46
#define OP_CELLWISE 47

#define OP_OFCOLOR 50
#define OP_ASINDICES 51
#define OP_ASOBJECT 52
#define OP_TOINDICES 53
#define OP_RECOLOR 54
#define OP_SHIFT 55
#define OP_NORMALIZE 56
#define OP_BACKDROP 57
#define OP_DELTA 58
#define OP_BOX 59
#define OP_INBOX 60
#define OP_OUTBOX 61
#define OP_CORNERS 62
#define OP_TOOBJECT 63
#define OP_COMBINE 64
#define OP_DIFFERENCE 65
#define OP_INTERSECTION 66
#define OP_MERGE 67
#define OP_CONNECT 68
#define OP_SHOOT 69
#define OP_VFRONTIER 70
#define OP_HFRONTIER 71
#define OP_NEIGHBORS 72
#define OP_DNEIGHBORS 73
#define OP_INEIGHBORS 74
#define OP_INITSET 75
#define OP_REMOVE 77
#define OP_OCCURRENCES 78

#define OP_MOSTCOLOR 80
#define OP_LEASTCOLOR 81
#define OP_COLORCOUNT 82
#define OP_PALETTE 83
#define OP_NUMCOLORS 84
#define OP_EQUALITY 85
#define OP_CENTEROFMASS 86
#define OP_HMATCHING 87
#define OP_VMATCHING 88
#define OP_MANHATTAN 89
#define OP_ADJACENT 90
#define OP_HPERIOD 91
#define OP_VPERIOD 92

#define OP_OBJECTS 100
#define OP_PARTITION 101
#define OP_FGPARTITION 102
#define OP_COLORFILTER 103
#define OP_SIZEFILTER 104
#define OP_LARGEST_LABEL 105
#define OP_SMALLEST_LABEL 106
#define OP_COMPRESS 107

#define OP_ADD 120
#define OP_SUBTRACT 121
#define OP_MULTIPLY 122
#define OP_DIVIDE 123
#define OP_INVERT 124
#define OP_DOUBLE 125
#define OP_HALVE 126
#define OP_INCREMENT 127
#define OP_DECREMENT 128
#define OP_CREMENT 129
#define OP_SIGN 130
#define OP_EVEN 131
#define OP_FLIP 132
#define OP_GREATER 133
#define OP_POSITIVE 134
#define OP_BOTH 135
#define OP_EITHER 136
#define OP_TOIVEC 137
#define OP_TOJVEC 138
#define OP_ASTUPLE 139
#define OP_HEIGHT 140
#define OP_WIDTH 141
#define OP_SHAPE 142
#define OP_SIZE 143
#define OP_UPPERMOST 144
#define OP_LOWERMOST 145
#define OP_LEFTMOST 146
#define OP_RIGHTMOST 147
#define OP_ULCORNER 148
#define OP_URCORNER 149
#define OP_LLCORNER 150
#define OP_LRCORNER 151
#define OP_CENTER 152
#define OP_POSITION 153
#define OP_PORTRAIT 154
#define OP_SQUARE 155
#define OP_VLINE 156
#define OP_HLINE 157
#define OP_INDEX 158
#define OP_COLOR 159
#define OP_CONTAINED 160
#define OP_BORDERING 161
#define OP_LAST 162
#define OP_MAXIMUM 163
#define OP_MINIMUM 164

/* ---- The machine ---- */

#define NOTHING 0x7fffffff
#define ABSENT_BYTE 255
#define ABSENT_LABEL 0xffff

/* A value. Patches have the smallest box that holds them: top i, left j, h rows, w columns. The
 * empty set has none of these. n is the number of elements; colour is that of an object, -1 if it
 * has several. */
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

/* An instruction's words. */
#define PHASES 1
#define TARGET 2
#define SLOT 3
#define ARGUMENT 4
#define LINE 9
#define FLAGS 10
#define JUMP 11

/* How a program stops: the flag of this phase is read after its barrier, the flag of the next phase
 * is the other one, so nobody can see a flag too early. */
FN void stop(const Machine *m, int status) {
  if (m->lane == 0) m->scratch[m->parity] = status;
}

FN void jump(const Machine *m, int target) {
  if (m->lane == 0) m->scratch[2 + m->parity] = target;
}

/* Room for what lanes work out together. */
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

/* Far from where sums of a few could overflow. */
FN int is_near(int x) { return x > -100000000 && x < 100000000; }
FN int is_colour(LOCAL Val *v) { return v->tag == TAG_INT && v->i >= 0 && v->i <= MAX_COLOUR; }
FN int is_patch(LOCAL Val *v) { return v->tag == TAG_INDICES || v->tag == TAG_OBJECT; }
FN int is_set(LOCAL Val *v) { return is_patch(v) || v->tag == TAG_EMPTY || v->tag == TAG_OBJECTS; }
FN int is_patch_or_empty(LOCAL Val *v) { return is_patch(v) || v->tag == TAG_EMPTY; }
FN int is_near_pair(LOCAL Val *v) { return v->tag == TAG_PAIR && is_near(v->i) && is_near(v->j); }

FN int truth(LOCAL Val *v) {
  if (v->tag == TAG_INT || v->tag == TAG_BOOL) return v->i != 0;
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

/* ---- Grids: the size of the result, then its cells one by one ---- */

/* h x w, or the status that ends the program. */
APART int grid_size(const Machine *m, int op, int *h, int *w) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *c = argument(m, 2), *d = argument(m, 3);
  LOCAL Val *grid = op == OP_SUBGRID ? b : a;
  if (op == OP_CANVAS) {
    if (!is_colour(a) || b->tag != TAG_PAIR) return STATUS_UNSURE;
    *h = b->i;
    *w = b->j;
    return STATUS_RUNNING;
  }
  if (grid->tag != TAG_GRID) return STATUS_UNSURE;
  *h = grid->h;
  *w = grid->w;
  switch (op) {
    case OP_DMIRROR:
    case OP_CMIRROR:
    case OP_ROT90:
    case OP_ROT270:
      *h = grid->w;
      *w = grid->h;
      break;
    case OP_UPSCALE:
    case OP_HUPSCALE:
    case OP_VUPSCALE:
    case OP_DOWNSCALE:
      if (b->tag != TAG_INT || b->i < 1 || b->i > 255) return STATUS_UNSURE;
      if (op == OP_DOWNSCALE) {
        *h = (grid->h + b->i - 1) / b->i;
        *w = (grid->w + b->i - 1) / b->i;
        break;
      }
      if (op != OP_HUPSCALE) *h = grid->h * b->i;
      if (op != OP_VUPSCALE) *w = grid->w * b->i;
      break;
    case OP_CROP:
      if (!is_near_pair(b) || !is_near_pair(c) || b->i < 0 || b->j < 0) return STATUS_UNSURE;
      *h = least(grid->h - b->i, c->i);
      *w = least(grid->w - b->j, c->j);
      break;
    case OP_SUBGRID:
      if (!is_patch(a) || a->i < 0 || a->j < 0) return STATUS_UNSURE;
      *h = least(grid->h - a->i, a->h);
      *w = least(grid->w - a->j, a->w);
      break;
    case OP_HCONCAT:
      if (b->tag != TAG_GRID) return STATUS_UNSURE;
      *h = least(a->h, b->h);
      *w = a->w + b->w;
      break;
    case OP_VCONCAT:
      if (b->tag != TAG_GRID || a->w != b->w) return STATUS_UNSURE;
      *h = a->h + b->h;
      break;
    case OP_TOPHALF:
    case OP_BOTTOMHALF:
      *h = grid->h / 2;
      break;
    case OP_LEFTHALF:
    case OP_RIGHTHALF:
      *w = grid->w / 2;
      break;
    case OP_TRIM:
      *h = grid->h - 2;
      *w = grid->w - 2;
      break;
    case OP_REPLACE:
      if (b->tag != TAG_INT || !is_colour(c)) return STATUS_UNSURE;
      break;
    case OP_SWITCH:
      if (!is_colour(b) || !is_colour(c)) return STATUS_UNSURE;
      break;
    case OP_FILL:
      if (!is_colour(b) || !is_patch_or_empty(c)) return STATUS_UNSURE;
      break;
    case OP_UNDERFILL:
      if (!is_colour(b) || !is_patch_or_empty(c) || !is_colour(d)) return STATUS_UNSURE;
      break;
    case OP_PAINT:
      if (b->tag != TAG_OBJECT && b->tag != TAG_EMPTY) return STATUS_UNSURE;
      break;
    case OP_UNDERPAINT:
      if ((b->tag != TAG_OBJECT && b->tag != TAG_EMPTY) || !is_colour(c)) return STATUS_UNSURE;
      break;
    case OP_CELLWISE:
      if (b->tag != TAG_GRID || b->h < a->h || b->w < a->w || !is_colour(c)) return STATUS_UNSURE;
      break;
    default:
      break;
  }
  return STATUS_RUNNING;
}

APART int grid_cell(const Machine *m, int op, int h, int w, int i, int j) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *c = argument(m, 2), *d = argument(m, 3);
  int shown, painted;
  switch (op) {
    case OP_HMIRROR: return cell(m, a, h - 1 - i, j);
    case OP_VMIRROR: return cell(m, a, i, w - 1 - j);
    case OP_DMIRROR: return cell(m, a, j, i);
    case OP_CMIRROR: return cell(m, a, w - 1 - j, h - 1 - i);
    case OP_ROT90: return cell(m, a, w - 1 - j, i);
    case OP_ROT180: return cell(m, a, h - 1 - i, w - 1 - j);
    case OP_ROT270: return cell(m, a, j, h - 1 - i);
    case OP_UPSCALE: return cell(m, a, i / b->i, j / b->i);
    case OP_HUPSCALE: return cell(m, a, i, j / b->i);
    case OP_VUPSCALE: return cell(m, a, i / b->i, j);
    case OP_DOWNSCALE: return cell(m, a, i * b->i, j * b->i);
    case OP_CROP: return cell(m, a, i + b->i, j + b->j);
    case OP_SUBGRID: return cell(m, b, i + a->i, j + a->j);
    case OP_HCONCAT: return j < a->w ? cell(m, a, i, j) : cell(m, b, i, j - a->w);
    case OP_VCONCAT: return i < a->h ? cell(m, a, i, j) : cell(m, b, i - a->h, j);
    case OP_TOPHALF:
    case OP_LEFTHALF: return cell(m, a, i, j);
    case OP_BOTTOMHALF: return cell(m, a, i + a->h - h, j);
    case OP_RIGHTHALF: return cell(m, a, i, j + a->w - w);
    case OP_TRIM: return cell(m, a, i + 1, j + 1);
    case OP_CANVAS: return a->i;
    case OP_REPLACE:
      shown = cell(m, a, i, j);
      return shown == b->i ? c->i : shown;
    case OP_SWITCH:
      shown = cell(m, a, i, j);
      return shown == c->i ? b->i : shown == b->i ? c->i : shown;
    case OP_FILL: return at(m, c, i, j) < 0 ? cell(m, a, i, j) : b->i;
    case OP_UNDERFILL:
      shown = cell(m, a, i, j);
      return shown == d->i && at(m, c, i, j) >= 0 ? b->i : shown;
    case OP_PAINT:
      painted = at(m, b, i, j);
      return painted < 0 ? cell(m, a, i, j) : painted;
    case OP_UNDERPAINT:
      shown = cell(m, a, i, j);
      painted = at(m, b, i, j);
      return shown == c->i && painted >= 0 ? painted : shown;
    case OP_CELLWISE:
      shown = cell(m, a, i, j);
      return shown == cell(m, b, i, j) ? shown : c->i;
    default: return 0;
  }
}

FN void make_grid(const Machine *m, int op) {
  LOCAL Val *v = target(m);
  LOCAL uchar *cells = bytes_of(m, m->code[SLOT]);
  int h, w, k, status = grid_size(m, op, &h, &w);
  if (status != STATUS_RUNNING) {
    stop(m, status);
    return;
  }
  if (h < 1 || w < 1 || h > 255 || w > 255 || h * w > MAX_GRID_CELLS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  for (k = m->lane; k < h * w; k += m->lanes)
    cells[k] = (uchar)grid_cell(m, op, h, w, k / w, k % w);
  if (m->lane == 0) {
    put(v, TAG_GRID, 0, 0);
    v->h = h;
    v->w = w;
    v->n = h;
    v->slot = m->code[SLOT];
  }
}

/* ---- Patches: a frame, whether each of its places is in the patch, then the smallest box ---- */

typedef struct {
  int top, left, h, w, kind;
} Frame;

FN void frame_of(Frame *f, LOCAL Val *v) {
  f->top = v->i;
  f->left = v->j;
  f->h = v->h;
  f->w = v->w;
  f->kind = v->tag;
}

/* Two values span a frame. */
FN void frame_around(Frame *f, LOCAL Val *a, LOCAL Val *b) {
  if (b->tag == TAG_EMPTY) {
    frame_of(f, a);
    return;
  }
  frame_of(f, b);
  if (a->tag == TAG_EMPTY) return;
  f->top = least(a->i, b->i);
  f->left = least(a->j, b->j);
  f->h = most(a->i + a->h, b->i + b->h) - f->top;
  f->w = most(a->j + a->w, b->j + b->w) - f->left;
}

/* From one location to another; -1 where no line joins them, else 0 for a row or column, 1 and 2
 * for the diagonals. */
FN int line_frame(Frame *f, int ai, int aj, int bi, int bj) {
  f->top = least(ai, bi);
  f->left = least(aj, bj);
  f->h = most(ai, bi) - f->top + 1;
  f->w = most(aj, bj) - f->left + 1;
  f->kind = TAG_INDICES;
  if (ai == bi || aj == bj) return 0;
  if (bi - ai == bj - aj) return 1;
  if (bi - ai == aj - bj) return 2;
  f->h = f->w = 0;
  return -1;
}

FN int line_of_shot(LOCAL Val *a, LOCAL Val *b, Frame *f) {
  return line_frame(f, a->i, a->j, a->i + 42 * b->i, a->j + 42 * b->j);
}

/* The box that lies step cells inside that of a patch. */
FN void inset(Frame *f, LOCAL Val *v, int step) {
  int top = v->i + step, left = v->j + step;
  int bottom = v->i + v->h - 1 - step, right = v->j + v->w - 1 - step;
  f->top = least(top, bottom);
  f->left = least(left, right);
  f->h = most(top, bottom) - f->top + 1;
  f->w = most(left, right) - f->left + 1;
  f->kind = TAG_INDICES;
}

/* Where to look for the cells of a result, or the status that ends the program. A frame without
 * rows is the empty set. */
APART int patch_frame(const Machine *m, int op, Frame *f) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  f->top = f->left = f->h = f->w = 0;
  f->kind = TAG_INDICES;
  switch (op) {
    case OP_OFCOLOR:
      if (a->tag != TAG_GRID || b->tag != TAG_INT) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_INDICES;
      break;
    case OP_ASINDICES:
    case OP_ASOBJECT:
      if (a->tag != TAG_GRID) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = op == OP_ASOBJECT ? TAG_OBJECT : TAG_INDICES;
      break;
    case OP_TOINDICES:
    case OP_BACKDROP:
    case OP_DELTA:
    case OP_BOX:
      if (!is_patch_or_empty(a)) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_INDICES;
      break;
    case OP_CORNERS:
      if (!is_patch(a)) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_INDICES;
      break;
    case OP_INBOX:
    case OP_OUTBOX:
      if (a->tag == TAG_EMPTY) return STATUS_FAULT + FAULT_VALUE_ERROR;
      if (!is_patch(a)) return STATUS_UNSURE;
      inset(f, a, op == OP_INBOX ? 1 : -1);
      break;
    case OP_RECOLOR:
      if (!is_colour(a) || !is_patch_or_empty(b)) return STATUS_UNSURE;
      frame_of(f, b);
      f->kind = TAG_OBJECT;
      break;
    case OP_SHIFT:
      if (a->tag == TAG_EMPTY) break;
      if (!is_patch(a) || !is_near_pair(b)) return STATUS_UNSURE;
      frame_of(f, a);
      f->top += b->i;
      f->left += b->j;
      if (!is_near(f->top) || !is_near(f->left)) return STATUS_UNSURE;
      break;
    case OP_NORMALIZE:
      if (!is_patch_or_empty(a)) return STATUS_UNSURE;
      frame_of(f, a);
      f->top = f->left = 0;
      break;
    case OP_HMIRROR:
    case OP_VMIRROR:
    case OP_DMIRROR:
    case OP_CMIRROR:
      if (!is_patch(a)) return STATUS_UNSURE;
      frame_of(f, a);
      if (op == OP_DMIRROR || op == OP_CMIRROR) {
        f->h = a->w;
        f->w = a->h;
      }
      break;
    case OP_UPSCALE:
      if (a->tag == TAG_EMPTY) break;
      if (a->tag != TAG_OBJECT || b->tag != TAG_INT || b->i < 1 || b->i > 255) return STATUS_UNSURE;
      frame_of(f, a);
      f->h *= b->i;
      f->w *= b->i;
      break;
    case OP_TOOBJECT:
      if (!is_patch_or_empty(a) || b->tag != TAG_GRID) return STATUS_UNSURE;
      f->top = most(a->i, 0);
      f->left = most(a->j, 0);
      f->h = least(a->i + a->h, b->h) - f->top;
      f->w = least(a->j + a->w, b->w) - f->left;
      f->kind = TAG_OBJECT;
      break;
    case OP_COMBINE:
    case OP_UNITE:
      if (!is_patch_or_empty(a) || !is_patch_or_empty(b)) return STATUS_UNSURE;
      if (is_patch(a) && is_patch(b) && a->tag != b->tag) return STATUS_UNSURE;
      frame_around(f, a, b);
      break;
    case OP_DIFFERENCE:
    case OP_INTERSECTION:
      if (!is_patch_or_empty(a) || !is_patch_or_empty(b)) return STATUS_UNSURE;
      frame_of(f, a);
      break;
    case OP_MERGE:
      if (a->tag != TAG_OBJECTS && a->tag != TAG_EMPTY) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_OBJECT;
      break;
    case OP_MARKED:
      if (!is_patch(a) || a->h * a->w > 32 * MARK_WORDS) return STATUS_UNSURE;
      frame_of(f, a);
      break;
    case OP_GATHER:
      if ((a->tag != TAG_INDICES && a->tag != TAG_EMPTY) || !is_near_pair(b)) return STATUS_UNSURE;
      if (a->tag == TAG_INDICES) {
        f->top = least(a->i, b->i);
        f->left = least(a->j, b->j);
        f->h = most(a->i + a->h, b->i + 1) - f->top;
        f->w = most(a->j + a->w, b->j + 1) - f->left;
      } else {
        f->top = b->i;
        f->left = b->j;
        f->h = f->w = 1;
      }
      break;
    case OP_ELEMENT:
      if (a->tag != TAG_OBJECTS || b->tag != TAG_INT) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_OBJECT;
      break;
    case OP_CONNECT:
      if (!is_near_pair(a) || !is_near_pair(b)) return STATUS_UNSURE;
      line_frame(f, a->i, a->j, b->i, b->j);
      break;
    case OP_SHOOT:
      if (!is_near_pair(a) || b->tag != TAG_PAIR) return STATUS_UNSURE;
      if (magnitude(b->i) > 100 || magnitude(b->j) > 100) return STATUS_UNSURE;
      line_of_shot(a, b, f);
      break;
    case OP_VFRONTIER:
    case OP_HFRONTIER:
      if (!is_near_pair(a)) return STATUS_UNSURE;
      f->top = op == OP_HFRONTIER ? a->i : 0;
      f->left = op == OP_HFRONTIER ? 0 : a->j;
      f->h = op == OP_HFRONTIER ? 1 : 30;
      f->w = op == OP_HFRONTIER ? 30 : 1;
      break;
    case OP_NEIGHBORS:
    case OP_DNEIGHBORS:
    case OP_INEIGHBORS:
      if (!is_near_pair(a)) return STATUS_UNSURE;
      f->top = a->i - 1;
      f->left = a->j - 1;
      f->h = f->w = 3;
      break;
    case OP_INITSET:
      if (!is_near_pair(a)) return STATUS_UNSURE;
      f->top = a->i;
      f->left = a->j;
      f->h = f->w = 1;
      break;
    case OP_REMOVE:
      if (a->tag != TAG_PAIR) return STATUS_UNSURE;
      if (b->tag != TAG_INDICES && b->tag != TAG_EMPTY) return STATUS_UNSURE;
      frame_of(f, b);
      f->kind = TAG_INDICES;
      break;
    case OP_OCCURRENCES:
      if (a->tag != TAG_GRID || b->tag != TAG_OBJECT) return STATUS_UNSURE;
      f->h = a->h - b->h + 1;
      f->w = a->w - b->w + 1;
      break;
    default:
      return STATUS_UNSURE;
  }
  if (f->h > 0 && f->w > 0 && (f->h > 4096 || f->w > 4096 || f->h * f->w > MAX_FRAME_CELLS))
    return STATUS_UNSURE;
  return STATUS_RUNNING;
}

FN int occurs(const Machine *m, LOCAL Val *grid, LOCAL Val *object, int i, int j) {
  int k, colour;
  for (k = 0; k < object->h * object->w; k++) {
    int row = k / object->w, column = k % object->w;
    colour = at(m, object, object->i + row, object->j + column);
    if (colour >= 0 && cell(m, grid, i + row, j + column) != colour) return 0;
  }
  return 1;
}

/* Two sets have different colours here, so the result is no object. */
#define CONFLICT -2

/* The colour of the result at a place of its frame, 0 for indices, -1 for none. */
APART int patch_cell(const Machine *m, int op, const Frame *f, int i, int j) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  int in_a, in_b;
  int last_row = f->top + f->h - 1, last_column = f->left + f->w - 1;
  Frame line;
  switch (op) {
    case OP_OFCOLOR: return cell(m, a, i, j) == b->i ? 0 : -1;
    case OP_ASINDICES:
    case OP_BACKDROP:
    case OP_VFRONTIER:
    case OP_HFRONTIER:
    case OP_INITSET: return 0;
    case OP_ASOBJECT: return cell(m, a, i, j);
    case OP_TOINDICES: return at(m, a, i, j) < 0 ? -1 : 0;
    case OP_DELTA: return at(m, a, i, j) < 0 ? 0 : -1;
    case OP_BOX:
    case OP_INBOX:
    case OP_OUTBOX:
      return i == f->top || j == f->left || i == last_row || j == last_column ? 0 : -1;
    case OP_CORNERS:
      return (i == f->top || i == last_row) && (j == f->left || j == last_column) ? 0 : -1;
    case OP_RECOLOR: return at(m, b, i, j) < 0 ? -1 : a->i;
    case OP_SHIFT: return at(m, a, i - b->i, j - b->j);
    case OP_NORMALIZE: return at(m, a, i + a->i, j + a->j);
    case OP_HMIRROR: return at(m, a, 2 * a->i + a->h - 1 - i, j);
    case OP_VMIRROR: return at(m, a, i, 2 * a->j + a->w - 1 - j);
    case OP_DMIRROR: return at(m, a, j - a->j + a->i, i - a->i + a->j);
    case OP_CMIRROR: return at(m, a, a->i + a->h - 1 - (j - a->j), a->j + a->w - 1 - (i - a->i));
    case OP_UPSCALE: return at(m, a, a->i + (i - a->i) / b->i, a->j + (j - a->j) / b->i);
    case OP_TOOBJECT: return at(m, a, i, j) < 0 ? -1 : cell(m, b, i, j);
    case OP_COMBINE:
    case OP_UNITE:
      in_a = at(m, a, i, j);
      in_b = at(m, b, i, j);
      if (in_a >= 0 && in_b >= 0 && in_a != in_b) return CONFLICT;
      return in_a < 0 ? in_b : in_a;
    case OP_DIFFERENCE:
      in_a = at(m, a, i, j);
      return a->tag == b->tag && in_a == at(m, b, i, j) ? -1 : in_a;
    case OP_INTERSECTION:
      in_a = at(m, a, i, j);
      return a->tag == b->tag && in_a == at(m, b, i, j) ? in_a : -1;
    case OP_MERGE: return at(m, a, i, j);
    case OP_MARKED: return is_marked(m, (i - a->i) * a->w + j - a->j) ? at(m, a, i, j) : -1;
    case OP_GATHER: return i == b->i && j == b->j ? 0 : at(m, a, i, j);
    case OP_ELEMENT:
      return label_at(m, a, (i - a->i) * a->w + j - a->j) == b->i ? at(m, a, i, j) : -1;
    case OP_CONNECT:
    case OP_SHOOT:
      switch (op == OP_SHOOT ? line_of_shot(a, b, &line)
                             : line_frame(&line, a->i, a->j, b->i, b->j)) {
        case 0: return 0;
        case 1: return i - a->i == j - a->j ? 0 : -1;
        case 2: return i - a->i == a->j - j ? 0 : -1;
        default: return -1;
      }
    case OP_NEIGHBORS: return i == a->i && j == a->j ? -1 : 0;
    case OP_DNEIGHBORS: return (i == a->i) != (j == a->j) ? 0 : -1;
    case OP_INEIGHBORS: return i != a->i && j != a->j ? 0 : -1;
    case OP_REMOVE: return i == a->i && j == a->j ? -1 : at(m, b, i, j);
    case OP_OCCURRENCES: return occurs(m, a, b, i, j) ? 0 : -1;
    default: return -1;
  }
}

#define TOP 0
#define LEFT 1
#define BOTTOM 2
#define RIGHT 3
#define COUNT 4
#define CLASH 5
#define PALEST 6
#define DARKEST 7

FN void reset_box(LOCAL int *box) {
  box[TOP] = box[LEFT] = box[PALEST] = NOTHING;
  box[BOTTOM] = box[RIGHT] = box[DARKEST] = -NOTHING;
  box[COUNT] = box[CLASH] = 0;
}

FN void measure_patch(const Machine *m, int op, const Frame *f) {
  LOCAL int *box = shared_words(m);
  int top = NOTHING, left = NOTHING, bottom = -NOTHING, right = -NOTHING;
  int count = 0, palest = NOTHING, darkest = -NOTHING, k;
  for (k = m->lane; k < f->h * f->w; k += m->lanes) {
    int i = f->top + k / f->w, j = f->left + k % f->w;
    int colour = patch_cell(m, op, f, i, j);
    if (colour == CONFLICT) ATOMIC_OR(box + CLASH, 1);
    if (colour < 0) continue;
    count++;
    top = least(top, i);
    left = least(left, j);
    bottom = most(bottom, i);
    right = most(right, j);
    palest = least(palest, colour);
    darkest = most(darkest, colour);
  }
  if (count == 0) return;
  ATOMIC_MIN(box + TOP, top);
  ATOMIC_MIN(box + LEFT, left);
  ATOMIC_MAX(box + BOTTOM, bottom);
  ATOMIC_MAX(box + RIGHT, right);
  ATOMIC_ADD(box + COUNT, count);
  ATOMIC_MIN(box + PALEST, palest);
  ATOMIC_MAX(box + DARKEST, darkest);
}

/* Thirty-two cells of a row as bits. */
FN uint patch_word(const Machine *m, int op, const Frame *f, int i, int j, int n) {
  uint word = 0;
  int k;
  for (k = 0; k < n; k++)
    if (patch_cell(m, op, f, i, j + k) >= 0) word |= 1u << k;
  return word;
}

FN void write_patch(const Machine *m, int op, const Frame *f) {
  LOCAL int *box = shared_words(m);
  LOCAL Val *v = target(m);
  int slot = m->code[SLOT], top = box[TOP], left = box[LEFT], k;
  int h = box[BOTTOM] - top + 1, w = box[RIGHT] - left + 1;
  int is_object = f->kind == TAG_OBJECT, per_row = words_per_row(w);
  if (box[COUNT] == 0 && box[CLASH] == 0) {
    if (m->lane == 0) put_empty(v);
    return;
  }
  if (box[CLASH] || (is_object ? h * w > SLOT_BYTES : h > MAX_BITS_SIDE || w > MAX_BITS_SIDE)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (is_object) {
    for (k = m->lane; k < h * w; k += m->lanes) {
      int colour = patch_cell(m, op, f, top + k / w, left + k % w);
      bytes_of(m, slot)[k] = (uchar)(colour < 0 ? ABSENT_BYTE : colour);
    }
  } else {
    for (k = m->lane; k < h * per_row; k += m->lanes) {
      int i = top + k / per_row, first = 32 * (k % per_row);
      words_of(m, slot)[k] = patch_word(m, op, f, i, left + first, least(32, w - first));
    }
  }
  if (m->lane == 0) {
    put(v, f->kind, top, left);
    v->h = h;
    v->w = w;
    v->n = box[COUNT];
    v->slot = slot;
    if (is_object && box[PALEST] == box[DARKEST]) v->colour = box[PALEST];
  }
}

APART void make_patch(const Machine *m, int op) {
  Frame f;
  int status = patch_frame(m, op, &f);
  if (status != STATUS_RUNNING) {
    stop(m, status);
  } else if (m->phase == 0) {
    if (m->lane == 0) reset_box(shared_words(m));
  } else if (m->phase == 1) {
    if (f.h > 0 && f.w > 0) measure_patch(m, op, &f);
  } else {
    write_patch(m, op, &f);
  }
}

/* Primitives that take grids and patches. */
FN void make_either(const Machine *m, int op) {
  if (argument(m, 0)->tag != TAG_GRID)
    make_patch(m, op);
  else if (m->phase == 0)
    make_grid(m, op);
}

/* ---- Colours and comparisons: reset, gather, decide ---- */

FN void gather_colours(const Machine *m, LOCAL Val *v) {
  LOCAL int *counts = shared_words(m);
  LOCAL uchar *bytes = bytes_of(m, v->slot);
  int k;
  for (k = m->lane; k < v->h * v->w; k += m->lanes)
    if (bytes[k] != ABSENT_BYTE) ATOMIC_ADD(counts + bytes[k], 1);
}

/* The colour with the most or fewest cells, -1 if there are several. */
FN int extreme_colour(LOCAL int *counts, int wants_most) {
  int best = -1, is_tied = 0, colour;
  for (colour = 0; colour < 16; colour++) {
    if (counts[colour] == 0) continue;
    if (best >= 0 && counts[colour] == counts[best]) is_tied = 1;
    if (best < 0 || (wants_most ? counts[colour] > counts[best] : counts[colour] < counts[best])) {
      best = colour;
      is_tied = 0;
    }
  }
  return is_tied ? -1 : best;
}

FN void decide_colours(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  LOCAL int *counts = shared_words(m);
  int best, colour, mask = 0, n = 0;
  for (colour = 0; colour < 16; colour++)
    if (counts[colour]) {
      mask |= 1 << colour;
      n++;
    }
  switch (op) {
    case OP_COLORCOUNT: put(v, TAG_INT, b->i >= 0 && b->i < 16 ? counts[b->i] : 0, 0); break;
    case OP_NUMCOLORS: put(v, TAG_INT, n, 0); break;
    case OP_PALETTE:
      put(v, n ? TAG_COLOURS : TAG_EMPTY, n ? mask : 0, 0);
      v->n = n;
      break;
    default:
      best = extreme_colour(counts, op == OP_MOSTCOLOR);
      if (a->tag == TAG_EMPTY)
        stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
      else if (best < 0)
        stop(m, STATUS_UNSURE);
      else
        put(v, TAG_INT, best, 0);
  }
}

/* Where the background is asked for by a primitive that looks at something else first. */
#define GRIDS_ONLY 1

FN void ask_colours(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0);
  int k, has_cells = a->tag == TAG_GRID || a->tag == TAG_OBJECT;
  if ((!has_cells && a->tag != TAG_EMPTY) || (m->code[FLAGS] == GRIDS_ONLY && a->tag != TAG_GRID)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (op == OP_COLORCOUNT && argument(m, 1)->tag != TAG_INT) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    for (k = m->lane; k < 16; k += m->lanes) shared_words(m)[k] = 0;
  } else if (m->phase == 1) {
    if (has_cells) gather_colours(m, a);
  } else if (m->lane == 0) {
    decide_colours(m, op);
  }
}

/* Equal, unequal, or to be compared cell by cell. */
#define UNEQUAL 0
#define EQUAL 1
#define COMPARE 2
#define INCOMPARABLE 3

FN int compare_heads(LOCAL Val *a, LOCAL Val *b) {
  int a_is_number = a->tag == TAG_INT || a->tag == TAG_BOOL;
  int b_is_number = b->tag == TAG_INT || b->tag == TAG_BOOL;
  if (a_is_number && b_is_number) return a->i == b->i;
  if (a->tag != b->tag) return UNEQUAL;
  switch (a->tag) {
    case TAG_EMPTY: return EQUAL;
    case TAG_PAIR: return a->i == b->i && a->j == b->j;
    case TAG_CELL: return a->i == b->i && a->j == b->j && a->colour == b->colour;
    case TAG_COLOURS: return a->i == b->i;
    case TAG_GRID: return a->h == b->h && a->w == b->w ? COMPARE : UNEQUAL;
    case TAG_INDICES:
    case TAG_OBJECT:
      if (a->i != b->i || a->j != b->j || a->h != b->h || a->w != b->w) return UNEQUAL;
      return a->n == b->n ? COMPARE : UNEQUAL;
    default: return INCOMPARABLE;
  }
}

FN void compare_values(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  LOCAL int *differs = shared_words(m);
  int k, heads = compare_heads(a, b);
  if (heads == INCOMPARABLE) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) *differs = heads == UNEQUAL;
  } else if (m->phase == 1 && heads == COMPARE) {
    for (k = m->lane; k < a->h * a->w; k += m->lanes) {
      int i = k / a->w, j = k % a->w;
      int is_same = a->tag == TAG_GRID ? cell(m, a, i, j) == cell(m, b, i, j)
                                       : at(m, a, a->i + i, a->j + j) == at(m, b, b->i + i, b->j + j);
      if (!is_same) ATOMIC_OR(differs, 1);
    }
  } else if (m->phase == 2 && m->lane == 0) {
    put(target(m), TAG_BOOL, !*differs, 0);
  }
}

FN int floor_divided(int a, int b) {
  int quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

FN int has_row(const Machine *m, LOCAL Val *v, int i) {
  int j;
  for (j = v->j; j < v->j + v->w; j++)
    if (at(m, v, i, j) >= 0) return 1;
  return 0;
}

FN int has_column(const Machine *m, LOCAL Val *v, int j) {
  int i;
  for (i = v->i; i < v->i + v->h; i++)
    if (at(m, v, i, j) >= 0) return 1;
  return 0;
}

FN int nearest(const Machine *m, LOCAL Val *v, int i, int j) {
  int k, steps, best = NOTHING;
  for (k = 0; k < v->h * v->w; k++) {
    int row = v->i + k / v->w, column = v->j + k % v->w;
    if (at(m, v, row, column) < 0) continue;
    steps = magnitude(row - i) + magnitude(column - j);
    best = least(best, steps);
  }
  return best;
}

FN void gather_places(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  LOCAL int *words = shared_words(m);
  int k, best = NOTHING, rows = 0, columns = 0;
  if (op == OP_HMATCHING) {
    for (k = a->i + m->lane; k < a->i + a->h; k += m->lanes)
      if (has_row(m, a, k) && has_row(m, b, k)) ATOMIC_OR(words, 1);
    return;
  }
  if (op == OP_VMATCHING) {
    for (k = a->j + m->lane; k < a->j + a->w; k += m->lanes)
      if (has_column(m, a, k) && has_column(m, b, k)) ATOMIC_OR(words, 1);
    return;
  }
  for (k = m->lane; k < a->h * a->w; k += m->lanes) {
    int i = k / a->w, j = k % a->w;
    if (at(m, a, a->i + i, a->j + j) < 0) continue;
    rows += i;
    columns += j;
    if (op != OP_CENTEROFMASS) best = least(best, nearest(m, b, a->i + i, a->j + j));
  }
  ATOMIC_MIN(words + 1, best);
  ATOMIC_ADD(words + 2, rows);
  ATOMIC_ADD(words + 3, columns);
}

FN void decide_places(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *v = target(m);
  LOCAL int *words = shared_words(m);
  switch (op) {
    case OP_HMATCHING:
    case OP_VMATCHING: put(v, TAG_BOOL, words[0], 0); break;
    case OP_MANHATTAN: put(v, TAG_INT, words[1], 0); break;
    case OP_ADJACENT: put(v, TAG_BOOL, words[1] == 1, 0); break;
    default: put(v, TAG_PAIR, a->i + words[2] / a->n, a->j + words[3] / a->n);
  }
}

FN void ask_places(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  int is_alone = op == OP_CENTEROFMASS;
  int is_matching = op == OP_HMATCHING || op == OP_VMATCHING;
  if (is_alone ? !is_patch(a) : !is_patch_or_empty(a) || !is_patch_or_empty(b)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (!is_alone && (a->tag == TAG_EMPTY || b->tag == TAG_EMPTY)) {
    if (is_matching && m->lane == 0) put(v, TAG_BOOL, 0, 0);
    if (!is_matching) stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
    return;
  }
  if (!is_alone && !is_matching && a->h * a->w * (wide)(b->h * b->w) > MAX_WORK) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    if (m->lane == 0) {
      shared_words(m)[0] = shared_words(m)[2] = shared_words(m)[3] = 0;
      shared_words(m)[1] = NOTHING;
    }
  } else if (m->phase == 1) {
    gather_places(m, op);
  } else if (m->lane == 0) {
    decide_places(m, op);
  }
}

/* Does the object fit itself when moved up or to the left, as far as it stays inside? */
FN int fits_moved(const Machine *m, LOCAL Val *v, int up, int left) {
  int k;
  for (k = 0; k < v->h * v->w; k++) {
    int i = k / v->w, j = k % v->w, colour = at(m, v, v->i + i, v->j + j);
    if (colour < 0 || i < up || j < left) continue;
    if (at(m, v, v->i + i - up, v->j + j - left) != colour) return 0;
  }
  return 1;
}

FN void find_period(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0);
  int k, is_vertical = op == OP_VPERIOD, length = is_vertical ? a->h : a->w;
  if (a->tag != TAG_OBJECT && a->tag != TAG_EMPTY) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = length;
  } else if (m->phase == 1) {
    for (k = 1 + m->lane; k < length; k += m->lanes)
      if (fits_moved(m, a, is_vertical ? k : 0, is_vertical ? 0 : k)) {
        ATOMIC_MIN(shared_words(m), k);
        break;
      }
  } else if (m->lane == 0) {
    put(target(m), TAG_INT, shared_words(m)[0], 0);
  }
}

/* ---- Objects as a label image ---- */

FN int root_of(LOCAL int *parents, int k) {
  volatile LOCAL int *seen = parents;
  while (seen[k] != k) k = seen[k];
  return k;
}

/* Lock-free: the larger root is hung below the smaller; if somebody was faster, go on from there. */
APART void join(LOCAL int *parents, int a, int b) {
  for (;;) {
    int smaller, larger, before;
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a == b) return;
    smaller = least(a, b);
    larger = most(a, b);
    before = ATOMIC_MIN(parents + larger, smaller);
    if (before == larger) return;
    a = before;
    b = smaller;
  }
}

#define UNIVALUED 1
#define DIAGONAL 2
#define WITHOUT_BACKGROUND 4

FN int belong_together(int flags, int background, int a, int b) {
  if (flags & UNIVALUED) return a == b;
  return a != background && b != background;
}

FN void join_with(const Machine *m, LOCAL Val *grid, int background, int k, int row, int column) {
  int other = row * grid->w + column;
  LOCAL uchar *cells = bytes_of(m, grid->slot);
  if (row < 0 || column < 0 || column >= grid->w) return;
  if (belong_together(m->code[FLAGS], background, cells[k], cells[other]))
    join(m->parents, k, other);
}

FN void join_neighbours(const Machine *m, LOCAL Val *grid, int background) {
  int k;
  for (k = m->lane; k < grid->h * grid->w; k += m->lanes) {
    int i = k / grid->w, j = k % grid->w;
    join_with(m, grid, background, k, i - 1, j);
    join_with(m, grid, background, k, i, j - 1);
    if (m->code[FLAGS] & DIAGONAL) {
      join_with(m, grid, background, k, i - 1, j - 1);
      join_with(m, grid, background, k, i - 1, j + 1);
    }
  }
}

/* Writes a label image and counts its objects. */
FN void write_label(const Machine *m, int place, int label, int colour) {
  int is_there = label >= 0;
  labels_of(m, m->code[SLOT])[place] = (ushort)(is_there ? label << 4 | colour : ABSENT_LABEL);
  if (is_there && label == place) ATOMIC_ADD(shared_words(m) + 32, 1);
}

FN void reset_labels(const Machine *m) {
  int k;
  for (k = m->lane; k < 33; k += m->lanes) shared_words(m)[k] = k < 32 ? NOTHING : 0;
}

FN void finish_labels(const Machine *m, LOCAL Val *like) {
  LOCAL Val *v = target(m);
  int n = shared_words(m)[32], h = like->h, w = like->w;
  put(v, n ? TAG_OBJECTS : TAG_EMPTY, 0, 0);
  if (n == 0) return;
  v->h = h;
  v->w = w;
  v->n = n;
  v->slot = m->code[SLOT];
}

FN void find_objects(const Machine *m) {
  LOCAL Val *grid = argument(m, 0);
  int k, background = -1;
  if (grid->tag != TAG_GRID || grid->h * grid->w > MAX_LABELLED_CELLS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->code[FLAGS] & WITHOUT_BACKGROUND) background = argument(m, 1)->i;
  if (m->phase == 0) {
    reset_labels(m);
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes) m->parents[k] = k;
  } else if (m->phase == 1) {
    join_neighbours(m, grid, background);
  } else if (m->phase == 2) {
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes) {
      int colour = bytes_of(m, grid->slot)[k];
      write_label(m, k, colour == background ? -1 : root_of(m->parents, k), colour);
    }
  } else if (m->lane == 0) {
    finish_labels(m, grid);
  }
}

FN void part_grid(const Machine *m, int op) {
  LOCAL Val *grid = argument(m, 0);
  LOCAL int *firsts = shared_words(m);
  int k, background = -1;
  if (grid->tag != TAG_GRID || grid->h * grid->w > MAX_LABELLED_CELLS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (op == OP_FGPARTITION) background = argument(m, 1)->i;
  if (m->phase == 0) {
    reset_labels(m);
  } else if (m->phase == 1) {
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes)
      ATOMIC_MIN(firsts + bytes_of(m, grid->slot)[k], k);
  } else if (m->phase == 2) {
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes) {
      int colour = bytes_of(m, grid->slot)[k];
      write_label(m, k, colour == background ? -1 : firsts[colour], colour);
    }
  } else if (m->lane == 0) {
    finish_labels(m, grid);
  }
}

/* What is counted for each object: its cells, and whether it has several colours, one of them the
 * wanted one. */
#define HAS_WANTED 0x10000
#define HAS_OTHERS 0x20000
#define CELLS_MASK 0xffff

FN void count_cells(const Machine *m, LOCAL Val *objects, int wanted) {
  int k;
  for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
    int label = label_at(m, objects, k);
    if (label < 0) continue;
    ATOMIC_ADD(m->parents + label, 1);
    ATOMIC_OR(m->parents + label, colour_in_image(m, objects, k) == wanted ? HAS_WANTED : HAS_OTHERS);
  }
}

FN void clear_parents(const Machine *m) {
  int k;
  for (k = m->lane; k < PARENT_WORDS; k += m->lanes) m->parents[k] = 0;
}

FN int keeps(const Machine *m, int op, int label, int wanted) {
  int facts;
  if (op == OP_MARKED) return is_marked(m, label);
  facts = m->parents[label];
  if (op == OP_SIZEFILTER) return (facts & CELLS_MASK) == wanted;
  return (facts & HAS_WANTED) != 0;
}

FN void write_kept(const Machine *m, int op, LOCAL Val *objects, int wanted) {
  int k, both = HAS_WANTED | HAS_OTHERS;
  for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
    int label = label_at(m, objects, k);
    int is_kept = label >= 0 && keeps(m, op, label, wanted);
    /* Which of its colours an object shows first is a matter of order. */
    if (op == OP_COLORFILTER && is_kept && (m->parents[label] & both) == both)
      ATOMIC_OR(shared_words(m), 1);
    write_label(m, k, is_kept ? label : -1, is_kept ? colour_in_image(m, objects, k) : 0);
  }
}

FN void filter_objects(const Machine *m, int op) {
  LOCAL Val *objects = argument(m, 0), *wanted = argument(m, 1);
  if (wanted->tag != TAG_INT || (objects->tag != TAG_OBJECTS && objects->tag != TAG_EMPTY)) {
    stop(m, STATUS_UNSURE);
  } else if (objects->tag == TAG_EMPTY) {
    if (m->lane == 0) put_empty(target(m));
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = shared_words(m)[32] = 0;
    clear_parents(m);
  } else if (m->phase == 1) {
    count_cells(m, objects, wanted->i);
  } else if (m->phase == 2) {
    write_kept(m, op, objects, wanted->i);
  } else if (m->lane == 0) {
    if (shared_words(m)[0]) stop(m, STATUS_UNSURE);
    finish_labels(m, objects);
  }
}

FN int is_first_cell(const Machine *m, LOCAL Val *objects, int place) {
  return label_at(m, objects, place) == place;
}

/* The cell of a set of objects, or of an object, at a place of another image: its label and colour
 * as one number, -1 for none. Equal objects have the same label, as they begin at the same cell. */
FN int cell_beside(const Machine *m, LOCAL Val *image, LOCAL Val *other, int place) {
  int i = place / image->w, j = place % image->w, colour;
  if (other->tag == TAG_OBJECTS) {
    int label = labels_of(m, other->slot)[i * other->w + j];
    return label == ABSENT_LABEL ? -1 : label;
  }
  colour = at(m, other, i, j);
  return colour;
}

/* Which objects of the first set are not, cell by cell, in the second: their numbers are marked. */
FN void mark_unlike(const Machine *m, LOCAL Val *a, LOCAL Val *b) {
  int k;
  for (k = m->lane; k < a->h * a->w; k += m->lanes) {
    int in_a = labels_of(m, a->slot)[k], in_b = cell_beside(m, a, b, k);
    int label_in_b = b->tag == TAG_OBJECTS && in_b >= 0 ? in_b >> 4 : -1;
    if (in_a == ABSENT_LABEL) in_a = -1;
    if (b->tag == TAG_OBJECTS && in_a != in_b && label_in_b >= 0) ATOMIC_OR(m->parents + label_in_b, 1);
    if (in_a >= 0 && (b->tag == TAG_OBJECTS ? in_a != in_b : (in_a & 15) != in_b || in_b < 0))
      ATOMIC_OR(m->parents + (in_a >> 4), 1);
  }
}

/* Counts the cells of each object, above the mark. */
FN void count_above_marks(const Machine *m, LOCAL Val *objects) {
  int k;
  for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
    int label = label_at(m, objects, k);
    if (label >= 0) ATOMIC_ADD(m->parents + label, 2);
  }
}

FN int is_in_other(const Machine *m, LOCAL Val *other, int label) {
  int facts = m->parents[label];
  if (facts & 1) return 0;
  if (other->tag == TAG_OBJECT) return facts >> 1 == other->n;
  return other->tag == TAG_OBJECTS;
}

/* difference, intersection and remove of sets of objects. */
FN void sift_objects(const Machine *m, int op, LOCAL Val *a, LOCAL Val *b) {
  int k, wants_common = op == OP_INTERSECTION;
  int same_frame = b->tag != TAG_OBJECTS || (a->h == b->h && a->w == b->w);
  if (!same_frame || (b->tag != TAG_OBJECTS && b->tag != TAG_OBJECT && b->tag != TAG_EMPTY)) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[32] = 0;
    clear_parents(m);
  } else if (m->phase == 1) {
    mark_unlike(m, a, b);
    count_above_marks(m, a);
  } else if (m->phase == 2) {
    for (k = m->lane; k < a->h * a->w; k += m->lanes) {
      int label = label_at(m, a, k);
      int is_kept = label >= 0 && is_in_other(m, b, label) == wants_common;
      write_label(m, k, is_kept ? label : -1, is_kept ? colour_in_image(m, a, k) : 0);
    }
  } else if (m->lane == 0) {
    finish_labels(m, a);
  }
}

/* The same of anything: colours, patches, sets of objects. */
FN void sift(const Machine *m, int op) {
  int is_remove = op == OP_REMOVE;
  LOCAL Val *a = argument(m, is_remove), *b = argument(m, !is_remove), *v = target(m);
  int mask;
  if (a->tag == TAG_OBJECTS && (is_remove ? b->tag != TAG_OBJECTS : b->tag != TAG_OBJECT)) {
    sift_objects(m, op, a, b);
  } else if (a->tag == TAG_COLOURS) {
    if (is_remove ? b->tag != TAG_INT : b->tag != TAG_COLOURS && b->tag != TAG_EMPTY) {
      stop(m, STATUS_UNSURE);
    } else if (m->phase == 0 && m->lane == 0) {
      mask = is_remove ? (b->i >= 0 && b->i < 16 ? 1 << b->i : 0) : b->tag == TAG_EMPTY ? 0 : b->i;
      mask = op == OP_INTERSECTION ? a->i & mask : a->i & ~mask;
      put(v, mask ? TAG_COLOURS : TAG_EMPTY, mask, 0);
      for (v->n = 0; mask; mask &= mask - 1) v->n++;
    }
  } else if (m->phase < 3) {
    make_patch(m, op);
  }
}

/* The number of the object with the most or the fewest cells, if there is one such. */
FN void find_extreme(const Machine *m, int op) {
  LOCAL Val *objects = argument(m, 0);
  LOCAL int *words = shared_words(m);
  int k, is_most = op == OP_LARGEST_LABEL;
  if (objects->tag == TAG_EMPTY && m->code[FLAGS]) {
    stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
    return;
  }
  if (objects->tag != TAG_OBJECTS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    if (m->lane == 0) {
      words[0] = is_most ? -NOTHING : NOTHING;
      words[1] = 0;
    }
    clear_parents(m);
  } else if (m->phase == 1) {
    count_cells(m, objects, 0);
  } else if (m->phase == 2) {
    for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
      if (!is_first_cell(m, objects, k)) continue;
      if (is_most)
        ATOMIC_MAX(words, m->parents[k] & CELLS_MASK);
      else
        ATOMIC_MIN(words, m->parents[k] & CELLS_MASK);
    }
  } else if (m->phase == 3) {
    for (k = m->lane; k < objects->h * objects->w; k += m->lanes)
      if (is_first_cell(m, objects, k) && (m->parents[k] & CELLS_MASK) == words[0]) {
        ATOMIC_ADD(words + 1, 1);
        words[2] = k;
      }
  } else if (m->lane == 0) {
    if (words[1] != 1) stop(m, STATUS_UNSURE);
    put(target(m), TAG_INT, words[2], 0);
  }
}

/* Is there an element of this number? Those of a patch are numbered by their place in its box. */
FN int has_element(const Machine *m, LOCAL Val *set, int number) {
  if (set->tag == TAG_OBJECTS) return is_first_cell(m, set, number);
  return at(m, set, set->i + number / set->w, set->j + number % set->w) >= 0;
}

/* The number of the first element at or after a place, NOTHING for none. */
FN void find_element(const Machine *m, LOCAL Val *set, int start) {
  int k, first = NOTHING;
  for (k = start + m->lane; k < set->h * set->w; k += m->lanes)
    if (has_element(m, set, k)) {
      first = k;
      break;
    }
  if (first != NOTHING) ATOMIC_MIN(shared_words(m), first);
}

/* The number of the only element of a set; -1 of anything else. */
FN void find_only(const Machine *m) {
  LOCAL Val *a = argument(m, 0);
  int is_single = (a->tag == TAG_OBJECTS || is_patch(a)) && a->n == 1;
  if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = NOTHING;
  } else if (m->phase == 1) {
    if (is_single) find_element(m, a, 0);
  } else if (m->lane == 0) {
    put(target(m), TAG_INT, is_single ? shared_words(m)[0] : -1, 0);
  }
}

FN int only_colour(int mask) {
  int colour = 0;
  while (!(mask >> colour & 1)) colour++;
  return colour;
}

/* first, of a pair, of a cell, or of a set with one element, whose number comes with it. */
FN void take_element(const Machine *m);

FN void take_first(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *v = target(m);
  if (a->tag == TAG_EMPTY)
    stop(m, STATUS_FAULT + FAULT_STOP_ITERATION);
  else if (a->tag == TAG_PAIR || a->tag == TAG_CELL) {
    if (m->phase == 0 && m->lane == 0) put(v, TAG_INT, a->tag == TAG_PAIR ? a->i : a->colour, 0);
  } else if (a->tag == TAG_COLOURS && a->n == 1) {
    if (m->phase == 0 && m->lane == 0) put(v, TAG_INT, only_colour(a->i), 0);
  } else if (argument(m, 1)->i < 0)
    stop(m, STATUS_UNSURE);
  else
    take_element(m);
}

/* Goes on with the next element: the target register holds the number of the last one, and after
 * the last of all the program jumps. */
FN void next_element(const Machine *m) {
  LOCAL Val *set = argument(m, 0), *v = target(m);
  int is_over;
  if (!is_set(set)) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = NOTHING;
  } else if (m->phase == 1) {
    if (set->tag != TAG_EMPTY) find_element(m, set, v->i + 1);
  } else if (m->lane == 0) {
    is_over = shared_words(m)[0] == NOTHING;
    v->i = is_over ? -1 : shared_words(m)[0];
    jump(m, is_over ? m->code[JUMP] : -1);
  }
}

/* The element of a number: an object, a location, a cell of an object. */
FN void take_element(const Machine *m) {
  LOCAL Val *set = argument(m, 0), *number = argument(m, 1), *v = target(m);
  int i, j;
  if (set->tag == TAG_OBJECTS) {
    make_patch(m, OP_ELEMENT);
  } else if (!is_patch(set) || number->i < 0) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0 && m->lane == 0) {
    i = set->i + number->i / set->w;
    j = set->j + number->i % set->w;
    put(v, set->tag == TAG_OBJECT ? TAG_CELL : TAG_PAIR, i, j);
    if (set->tag == TAG_OBJECT) v->colour = at(m, set, i, j);
  }
}

/* Adds a location to indices, or a colour to colours. */
FN void gather(const Machine *m) {
  LOCAL Val *set = argument(m, 0), *element = argument(m, 1), *v = target(m);
  int mask;
  if (element->tag != TAG_INT) {
    if (set->tag == TAG_COLOURS)
      stop(m, STATUS_UNSURE);
    else
      make_patch(m, OP_GATHER);
  } else if (element->i < 0 || element->i > 15 || (set->tag != TAG_EMPTY && set->tag != TAG_COLOURS)) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0 && m->lane == 0) {
    mask = (set->tag == TAG_EMPTY ? 0 : set->i) | 1 << element->i;
    put(v, TAG_COLOURS, mask, 0);
    for (v->n = 0; mask; mask &= mask - 1) v->n++;
  }
}

/* The best key so far is a pair: the key and how often it was offered; the label is kept in n. */
FN void offer_best(const Machine *m) {
  LOCAL Val *key = argument(m, 0), *label = argument(m, 1), *v = target(m);
  int is_most = m->code[FLAGS] & 1;
  if (key->tag != TAG_INT) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->lane != 0) return;
  if (v->j > 0 && key->i == v->i) {
    v->j++;
  } else if (v->j == 0 || (is_most ? key->i > v->i : key->i < v->i)) {
    v->i = key->i;
    v->j = 1;
    v->n = label->i;
  }
}

/* The label of the only best one, or its key, which needs no only one. */
#define FAULT_IF_EMPTY 2
#define WANTS_KEY 4

FN void take_best(const Machine *m) {
  LOCAL Val *best = argument(m, 0);
  int flags = m->code[FLAGS];
  if (best->j == 0 && (flags & FAULT_IF_EMPTY)) {
    stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
  } else if (best->j == 0 || (best->j > 1 && !(flags & WANTS_KEY))) {
    stop(m, STATUS_UNSURE);
  } else if (m->lane == 0) {
    put(target(m), TAG_INT, flags & WANTS_KEY ? best->i : best->n, 0);
  }
}

FN void clear_marks(const Machine *m) {
  int k;
  for (k = m->lane; k < MARK_WORDS; k += m->lanes) marks(m)[k] = 0;
}

FN void mark(const Machine *m) {
  LOCAL Val *verdict = argument(m, 0), *number = argument(m, 1);
  if (number->i >= 32 * MARK_WORDS)
    stop(m, STATUS_UNSURE);
  else if (m->lane == 0 && truth(verdict))
    marks(m)[number->i >> 5] |= 1 << (number->i & 31);
}

FN void take_marked(const Machine *m) {
  LOCAL Val *set = argument(m, 0);
  if (set->tag == TAG_EMPTY) {
    if (m->lane == 0) put_empty(target(m));
  } else if (set->tag != TAG_OBJECTS) {
    make_patch(m, OP_MARKED);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = shared_words(m)[32] = 0;
  } else if (m->phase == 1) {
    write_kept(m, OP_MARKED, set, 0);
  } else if (m->lane == 0) {
    finish_labels(m, set);
  }
}

/* ---- compress: the table holds which lines have one colour, then which lines stay ---- */

#define COLUMN_FLAGS 256
#define KEPT_ROWS 512
#define KEPT_COLUMNS 768

FN int is_uniform(const Machine *m, LOCAL Val *grid, int line, int is_column) {
  int k, n = is_column ? grid->h : grid->w;
  int first = is_column ? cell(m, grid, 0, line) : cell(m, grid, line, 0);
  for (k = 1; k < n; k++)
    if ((is_column ? cell(m, grid, k, line) : cell(m, grid, line, k)) != first) return 0;
  return 1;
}

FN int list_kept(LOCAL int *flags, LOCAL int *kept, int n) {
  int k, n_kept = 0;
  for (k = 0; k < n; k++)
    if (!flags[k]) kept[n_kept++] = k;
  return n_kept;
}

FN void write_compressed(const Machine *m, LOCAL Val *grid, int h, int w) {
  LOCAL Val *v = target(m);
  int k;
  for (k = m->lane; k < h * w; k += m->lanes)
    bytes_of(m, m->code[SLOT])[k] =
        (uchar)cell(m, grid, m->parents[KEPT_ROWS + k / w], m->parents[KEPT_COLUMNS + k % w]);
  if (m->lane == 0) {
    put(v, TAG_GRID, 0, 0);
    v->h = v->n = h;
    v->w = w;
    v->slot = m->code[SLOT];
  }
}

FN void compress_grid(const Machine *m) {
  LOCAL Val *grid = argument(m, 0);
  LOCAL int *sides = shared_words(m);
  int k;
  if (grid->tag != TAG_GRID) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    for (k = m->lane; k < grid->h; k += m->lanes) m->parents[k] = is_uniform(m, grid, k, 0);
    for (k = m->lane; k < grid->w; k += m->lanes)
      m->parents[COLUMN_FLAGS + k] = is_uniform(m, grid, k, 1);
  } else if (m->phase == 1) {
    if (m->lane == 0) {
      sides[0] = list_kept(m->parents, m->parents + KEPT_ROWS, grid->h);
      sides[1] = list_kept(m->parents + COLUMN_FLAGS, m->parents + KEPT_COLUMNS, grid->w);
      if (sides[0] == 0 || sides[1] == 0) stop(m, STATUS_UNSURE);
    }
  } else {
    write_compressed(m, grid, sides[0], sides[1]);
  }
}

/* ---- Numbers and pairs, by the first lane ---- */

FN int fits(wide x) { return x > -2000000000 && x < 2000000000; }

/* One part of an operation on numbers. */
FN int operate(int op, wide a, wide b, wide *result) {
  switch (op) {
    case OP_ADD: *result = a + b; break;
    case OP_SUBTRACT: *result = a - b; break;
    case OP_MULTIPLY: *result = a * b; break;
    case OP_DIVIDE:
      if (b == 0) return STATUS_FAULT + FAULT_ZERO_DIVISION;
      *result = floor_divided((int)a, (int)b);
      break;
    case OP_INVERT: *result = -a; break;
    case OP_DOUBLE: *result = 2 * a; break;
    case OP_HALVE: *result = floor_divided((int)a, 2); break;
    case OP_INCREMENT: *result = a + 1; break;
    case OP_DECREMENT: *result = a - 1; break;
    case OP_CREMENT: *result = a > 0 ? a + 1 : a < 0 ? a - 1 : 0; break;
    default: *result = a > 0 ? 1 : a < 0 ? -1 : 0;
  }
  return fits(*result) ? STATUS_RUNNING : STATUS_UNSURE;
}

FN int is_number_or_pair(LOCAL Val *v) { return v->tag == TAG_INT || v->tag == TAG_PAIR; }

FN int calculate(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  int is_binary = op <= OP_DIVIDE, status;
  int has_pair = a->tag == TAG_PAIR || (is_binary && b->tag == TAG_PAIR);
  wide first, second = 0;
  if (!is_number_or_pair(a) || (is_binary && !is_number_or_pair(b))) return STATUS_UNSURE;
  status = operate(op, a->i, is_binary ? b->i : 0, &first);
  if (status != STATUS_RUNNING) return status;
  if (has_pair) {
    int other = !is_binary ? 0 : b->tag == TAG_PAIR ? b->j : b->i;
    status = operate(op, a->tag == TAG_PAIR ? a->j : a->i, other, &second);
    if (status != STATUS_RUNNING) return status;
  }
  put(target(m), has_pair ? TAG_PAIR : TAG_INT, (int)first, (int)second);
  return STATUS_RUNNING;
}

FN int judge(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  switch (op) {
    case OP_EVEN:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i % 2 == 0, 0);
      break;
    case OP_FLIP: put(v, TAG_BOOL, !truth(a), 0); break;
    case OP_GREATER:
      if (a->tag != TAG_INT || b->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i > b->i, 0);
      break;
    case OP_POSITIVE:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i > 0, 0);
      break;
    case OP_CONTAINED:
      if (a->tag == TAG_INT && b->tag == TAG_COLOURS)
        put(v, TAG_BOOL, a->i >= 0 && a->i < 16 && (b->i >> a->i & 1), 0);
      else if (a->tag == TAG_INT && b->tag == TAG_PAIR)
        put(v, TAG_BOOL, a->i == b->i || a->i == b->j, 0);
      else if (a->tag == TAG_PAIR && (b->tag == TAG_INDICES || b->tag == TAG_EMPTY))
        put(v, TAG_BOOL, is_near_pair(a) && at(m, b, a->i, a->j) >= 0, 0);
      else
        return STATUS_UNSURE;
      break;
    default:
      return STATUS_UNSURE;
  }
  return STATUS_RUNNING;
}

FN int extreme_member(int mask, int wants_most) {
  int colour, best = -1;
  for (colour = 0; colour < 16; colour++)
    if ((mask >> colour & 1) && (best < 0 || wants_most)) best = colour;
  return best;
}

/* Pairs and their parts. */
FN int arrange(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  switch (op) {
    case OP_TOIVEC:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_PAIR, a->i, 0);
      break;
    case OP_TOJVEC:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_PAIR, 0, a->i);
      break;
    case OP_ASTUPLE:
      if (a->tag != TAG_INT || b->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_PAIR, a->i, b->i);
      break;
    case OP_LAST:
      if (a->tag == TAG_PAIR)
        put(v, TAG_INT, a->j, 0);
      else if (a->tag == TAG_CELL)
        put(v, TAG_PAIR, a->i, a->j);
      else if (a->tag == TAG_INDICES && a->n == 1)
        put(v, TAG_PAIR, a->i, a->j);
      else
        return STATUS_UNSURE;
      break;
    case OP_MAXIMUM:
    case OP_MINIMUM:
      if (a->tag == TAG_EMPTY)
        put(v, TAG_INT, 0, 0);
      else if (a->tag == TAG_PAIR)
        put(v, TAG_INT, op == OP_MAXIMUM ? most(a->i, a->j) : least(a->i, a->j), 0);
      else if (a->tag == TAG_COLOURS)
        put(v, TAG_INT, extreme_member(a->i, op == OP_MAXIMUM), 0);
      else
        return STATUS_UNSURE;
      break;
    default:
      return STATUS_UNSURE;
  }
  return STATUS_RUNNING;
}

FN int extent(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *v = target(m);
  int is_grid = a->tag == TAG_GRID;
  if (op == OP_SIZE) {
    if (a->tag == TAG_PAIR)
      put(v, TAG_INT, 2, 0);
    else if (is_grid || is_set(a) || a->tag == TAG_COLOURS)
      put(v, TAG_INT, a->n, 0);
    else
      return STATUS_UNSURE;
    return STATUS_RUNNING;
  }
  if (!is_grid && !is_patch_or_empty(a)) return STATUS_UNSURE;
  switch (op) {
    case OP_HEIGHT: put(v, TAG_INT, a->h, 0); break;
    case OP_WIDTH: put(v, TAG_INT, a->w, 0); break;
    case OP_SHAPE: put(v, TAG_PAIR, a->h, a->w); break;
    case OP_PORTRAIT: put(v, TAG_BOOL, a->h > a->w, 0); break;
    case OP_SQUARE: put(v, TAG_BOOL, a->h == a->w && (is_grid || a->h * a->w == a->n), 0); break;
    case OP_VLINE:
      if (is_grid) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->h == a->n && a->w == 1, 0);
      break;
    case OP_HLINE:
      if (is_grid) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->w == a->n && a->h == 1, 0);
      break;
    default:
      return STATUS_UNSURE;
  }
  return STATUS_RUNNING;
}

FN int direction(int from, int to) { return from < to ? 1 : -1; }

FN int locate(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  int bottom = a->i + a->h - 1, right = a->j + a->w - 1, ia, ja, ib, jb;
  if (op == OP_INDEX) {
    if (a->tag != TAG_GRID || b->tag != TAG_PAIR) return STATUS_UNSURE;
    if (b->i < 0 || b->j < 0 || b->i >= a->h || b->j >= a->w) return STATUS_UNSURE;
    put(v, TAG_INT, cell(m, a, b->i, b->j), 0);
    return STATUS_RUNNING;
  }
  if (op == OP_COLOR) {
    if (a->tag == TAG_EMPTY) return STATUS_FAULT + FAULT_STOP_ITERATION;
    if (a->tag != TAG_OBJECT || a->colour < 0) return STATUS_UNSURE;
    put(v, TAG_INT, a->colour, 0);
    return STATUS_RUNNING;
  }
  if (a->tag == TAG_EMPTY && (op <= OP_RIGHTMOST || op == OP_CENTER))
    return STATUS_FAULT + FAULT_VALUE_ERROR;
  if (!is_patch(a)) return STATUS_UNSURE;
  ia = a->i + a->h / 2;
  ja = a->j + a->w / 2;
  switch (op) {
    case OP_UPPERMOST: put(v, TAG_INT, a->i, 0); break;
    case OP_LOWERMOST: put(v, TAG_INT, bottom, 0); break;
    case OP_LEFTMOST: put(v, TAG_INT, a->j, 0); break;
    case OP_RIGHTMOST: put(v, TAG_INT, right, 0); break;
    case OP_ULCORNER: put(v, TAG_PAIR, a->i, a->j); break;
    case OP_URCORNER: put(v, TAG_PAIR, a->i, right); break;
    case OP_LLCORNER: put(v, TAG_PAIR, bottom, a->j); break;
    case OP_LRCORNER: put(v, TAG_PAIR, bottom, right); break;
    case OP_CENTER: put(v, TAG_PAIR, ia, ja); break;
    case OP_BORDERING:
      if (b->tag != TAG_GRID) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i == 0 || a->j == 0 || bottom == b->h - 1 || right == b->w - 1, 0);
      break;
    default:
      if (!is_patch(b)) return STATUS_UNSURE;
      ib = b->i + b->h / 2;
      jb = b->j + b->w / 2;
      if (ia == ib)
        put(v, TAG_PAIR, 0, direction(ja, jb));
      else if (ja == jb)
        put(v, TAG_PAIR, direction(ia, ib), 0);
      else
        put(v, TAG_PAIR, direction(ia, ib), direction(ja, jb));
  }
  return STATUS_RUNNING;
}

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

/* Of two operands both and either give one back, whole. */
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

/* A cell's part of a grid's hash; src/hash.rs has the same. */
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
    else
      find_extreme(m, op);
    return;
  }
  if (op >= OP_MOSTCOLOR) {
    if (op <= OP_NUMCOLORS)
      ask_colours(m, op);
    else if (op == OP_EQUALITY)
      compare_values(m);
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

/* ---- Fuel: never less than the CPU would count, so that what is within the limit here is there ---- */

FN int weight(LOCAL Val *v) {
  if (v->tag == TAG_GRID) return v->h * v->w;
  return v->tag == TAG_PAIR || v->tag == TAG_CELL ? 2 : v->n;
}

/* Counts the arguments of an instruction and the result of the one before. */
FN void burn(const Machine *m, int limit) {
  LOCAL int *fuel = m->scratch + 4, *last = m->scratch + 5;
  int k, op = m->code[0], amount = 1 + weight(m->registers + *last);
  for (k = 0; k < 5; k++) amount += weight(argument(m, k));
  if (op == OP_OCCURRENCES || op == OP_MANHATTAN || op == OP_ADJACENT)
    amount += least(weight(argument(m, 0)), 16384) * least(weight(argument(m, 1)), 16384);
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
    if (m.phase >= m.code[PHASES]) {
      int is_jump = m.code[0] == OP_NEXT_ELEMENT || m.code[0] == OP_JUMP || m.code[0] == OP_JUMP_UNLESS;
      int goal = is_jump ? m.scratch[2 + m.parity] : -1;
      pc = goal >= 0 ? goal : pc + 1;
      if (status == STATUS_RUNNING) m.code = start + pc * INSTRUCTION_WORDS;
      m.phase = 0;
    }
    m.parity ^= 1;
  }
  /* What becomes of a fault within an iteration is for the CPU to say. */
  if (status >= STATUS_FAULT && m.code[LINE] < 0) status = STATUS_UNSURE;
  if (status != STATUS_DONE && m.lane == 0) write_record(&s, status, m.code[LINE], 0, 0, 0);
}
