/* A CUDA driver without a GPU, for tests of the host's side: the functions of libcuda that Leyden calls.
 * Its kernel is the interpreter's own text, compiled as C, with one lane to a group.
 *
 * Like the real driver, it delays work as long as it may: it queues launches and copies of page-locked
 * memory, and does them when the host waits. So a host that reads too early reads garbage.
 *
 * It loads cubins that the device can run. It refuses PTX like a driver without a compiler, so that a test
 * fails if a device that has a cubin compiles.
 *
 * FAKE_CUDA_DEVICES is the number of devices (1), FAKE_CUDA_MEMORY the memory of each in bytes,
 * FAKE_CUDA_CAPABILITY the compute capability (7.5). With FAKE_CUDA_COMPILES the driver accepts PTX, with
 * FAKE_CUDA_REFUSES_CUBINS no cubin. FAKE_CUDA_LOG names a file that gets a line for each image.
 */

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "0_languages.cl"
#undef KERNEL
#undef FN
#undef APART
#undef MEMORY_PARAMETER
#undef DECLARE_MEMORY
#undef LANE
#undef LANES
#undef GROUP
#undef SYNC
#undef ATOMIC_MIN
#undef ATOMIC_MAX
#undef ATOMIC_ADD
#undef ATOMIC_OR
#define KERNEL static
#define FN static
#define APART static
#define MEMORY_PARAMETER , int *memory
#define DECLARE_MEMORY
#define LANE 0
#define LANES 1
#define GROUP the_group
#define SYNC()
#define ATOMIC_MIN(p, v) exchanged(p, v, *(p) < (v) ? *(p) : (v))
#define ATOMIC_MAX(p, v) exchanged(p, v, *(p) > (v) ? *(p) : (v))
#define ATOMIC_ADD(p, v) exchanged(p, v, (int)((unsigned)*(p) + (unsigned)(v)))
#define ATOMIC_OR(p, v) exchanged(p, v, *(p) | (v))
static int the_group;
static int exchanged(int *place, int operand, int after) {
  int before = *place;
  (void)operand;
  *place = after;
  return before;
}
#include "1_wire.cl"
#include "2_machine.cl"
#include "3_grids.cl"
#include "4_patches.cl"
#include "5_facts.cl"
#include "6_objects.cl"
#include "7_elements.cl"
#include "8_numbers.cl"
#include "9_interpret.cl"

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_IMAGE = 200,
  NO_BINARY_FOR_GPU = 209,
  INVALID_PTX = 218,
  COMPILER_NOT_FOUND = 221
};
#define MAX_SHARED 49152
#define N_ARGUMENTS 13

/* ---- Memory: every block is known by its bounds ---- */

typedef struct Block {
  char *start;
  size_t size;
  int is_host;
  struct Block *next;
} Block;

static Block *blocks;
static size_t used;

static size_t budget(void) {
  const char *text = getenv("FAKE_CUDA_MEMORY");
  return text ? strtoull(text, NULL, 10) : (size_t)1 << 34;
}

static Block *block_of(const void *place, size_t size) {
  Block *b;
  for (b = blocks; b; b = b->next)
    if ((char *)place >= b->start && (char *)place + size <= b->start + b->size) return b;
  return NULL;
}

static int allot(void **place, size_t size, int is_host) {
  Block *b = malloc(sizeof *b);
  if (size == 0) return INVALID_VALUE;
  if (!is_host && used + size > budget()) return OUT_OF_MEMORY;
  b->start = malloc(size);
  b->size = size;
  b->is_host = is_host;
  b->next = blocks;
  blocks = b;
  if (!is_host) used += size;
  memset(b->start, 0xa5, size);
  *place = b->start;
  return SUCCESS;
}

static int give_back(void *place) {
  Block **b;
  for (b = &blocks; *b; b = &(*b)->next)
    if ((*b)->start == place) {
      Block *gone = *b;
      if (!gone->is_host) used -= gone->size;
      *b = gone->next;
      memset(gone->start, 0x5a, gone->size);
      free(gone->start);
      free(gone);
      return SUCCESS;
    }
  return INVALID_VALUE;
}

/* ---- The queue ---- */

typedef struct Work {
  enum { COPY, RUN, SET, FREE } kind;
  char *to, *from;
  size_t size;
  int is_staged;
  void *pointers[9];
  int numbers[4];
  int n_groups;
  size_t shared;
  struct Work *next;
} Work;

static Work *first_work, **end_of_work = &first_work;

static Work *queue(int kind) {
  Work *work = calloc(1, sizeof *work);
  work->kind = kind;
  *end_of_work = work;
  end_of_work = &work->next;
  return work;
}

static void run_groups(Work *w) {
  int *memory = malloc(w->shared);
  void **p = w->pointers;
  for (the_group = 0; the_group < w->n_groups; the_group++) {
    memset(memory, 0xa5, w->shared);
    interpret(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], w->numbers[0], w->numbers[1],
              w->numbers[2], w->numbers[3], memory);
  }
  free(memory);
}

static void drain(void) {
  while (first_work) {
    Work *w = first_work;
    first_work = w->next;
    if (!first_work) end_of_work = &first_work;
    if (w->kind == COPY) memcpy(w->to, w->from, w->size);
    if (w->kind == RUN) run_groups(w);
    if (w->kind == SET) memset(w->to, 0, w->size);
    if (w->kind == FREE) give_back(w->to);
    if (w->is_staged) free(w->from);
    free(w);
  }
}

static int queue_copy(char *to, const char *from, size_t size, int is_staged) {
  Work *w = queue(COPY);
  w->to = to;
  w->from = (char *)from;
  w->size = size;
  w->is_staged = is_staged;
  return SUCCESS;
}

/* ---- The driver's functions ---- */

static int n_devices(void) {
  const char *text = getenv("FAKE_CUDA_DEVICES");
  return text ? atoi(text) : 1;
}

/* The compute capability, as in "sm_75". */
static int capability(void) {
  const char *text = getenv("FAKE_CUDA_CAPABILITY");
  int major = 7, minor = 5;
  if (text) sscanf(text, "%d.%d", &major, &minor);
  return 10 * major + minor;
}

static void *current;

int cuInit(unsigned flags) { return n_devices() > 0 ? SUCCESS : NO_DEVICE; }

int cuGetErrorName(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
  return SUCCESS;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : "an error";
  return SUCCESS;
}

int cuDeviceGetCount(int *n) { return *n = n_devices(), SUCCESS; }
int cuDeviceGet(int *device, int number) {
  *device = number;
  return number >= 0 && number < n_devices() ? SUCCESS : INVALID_VALUE;
}
int cuDeviceGetName(char *name, int size, int device) {
  return snprintf(name, size, "Fake %d", device), SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *size, int device) { return *size = budget(), SUCCESS; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  enum { SHARED = 8, MAJOR = 75, MINOR = 76, MEMORY_POOLS = 115 };
  *value = attribute == SHARED         ? MAX_SHARED
           : attribute == MAJOR        ? capability() / 10
           : attribute == MINOR        ? capability() % 10
           : attribute == MEMORY_POOLS ? 1
                                       : 0;
  return SUCCESS;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  return *context = (void *)(intptr_t)(device + 1), SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return SUCCESS; }
int cuCtxGetCurrent(void **context) { return *context = current, SUCCESS; }
int cuCtxSetCurrent(void *context) { return current = context, SUCCESS; }
int cuCtxSynchronize(void) { return drain(), SUCCESS; }

int cuStreamCreate(void **stream, unsigned flags) { return *stream = malloc(1), SUCCESS; }
int cuStreamDestroy_v2(void *stream) { return free(stream), SUCCESS; }
int cuStreamSynchronize(void *stream) { return drain(), SUCCESS; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return SUCCESS; }

/* An event is a flag: whether it was recorded. An event without a record is over at once. */
int cuEventCreate(void **event, unsigned flags) { return *event = calloc(1, 1), SUCCESS; }
int cuEventDestroy_v2(void *event) { return free(event), SUCCESS; }
int cuEventRecord(void *event, void *stream) { return *(char *)event = 1, SUCCESS; }
int cuEventSynchronize(void *event) {
  if (*(char *)event) drain();
  return SUCCESS;
}

int cuMemAlloc_v2(unsigned long long *place, size_t size) { return allot((void **)place, size, 0); }
int cuMemAllocAsync(unsigned long long *place, size_t size, void *stream) {
  return allot((void **)place, size, 0);
}
int cuMemFree_v2(unsigned long long place) { return drain(), give_back((void *)place); }
int cuMemFreeAsync(unsigned long long place, void *stream) {
  queue(FREE)->to = (char *)place;
  return SUCCESS;
}
int cuMemHostAlloc(void **place, size_t size, unsigned flags) { return allot(place, size, 1); }
int cuMemFreeHost(void *place) { return give_back(place); }
int cuMemsetD8Async(unsigned long long place, unsigned char value, size_t size, void *stream) {
  Work *w;
  if (value != 0 || !block_of((void *)place, size)) return INVALID_VALUE;
  w = queue(SET);
  w->to = (char *)place;
  w->size = size;
  return SUCCESS;
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t size, void *stream) {
  Block *here = block_of(from, size), *there = block_of((void *)to, size);
  char *staged;
  if (!there || there->is_host) return INVALID_VALUE;
  if (here && here->is_host) return queue_copy((char *)to, from, size, 0);
  staged = malloc(size);
  memcpy(staged, from, size);
  return queue_copy((char *)to, staged, size, 1);
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t size, void *stream) {
  Block *here = block_of(to, size), *there = block_of((void *)from, size);
  if (!there || there->is_host) return INVALID_VALUE;
  if (here && here->is_host) return queue_copy(to, (char *)from, size, 0);
  drain();
  memcpy(to, (char *)from, size);
  return SUCCESS;
}

/* ---- Images: cubins, which are ELF files, and the text of PTX ---- */

static int logged(const char *image, int target, int error) {
  const char *path = getenv("FAKE_CUDA_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "%s_%d %s\n", image, target, error == SUCCESS ? "loaded" : "refused");
    fclose(file);
  }
  return error;
}

/* Whether a cubin has the code of a function. */
static int has_section(const Elf64_Ehdr *elf, const char *wanted) {
  const Elf64_Shdr *sections = (const Elf64_Shdr *)((const char *)elf + elf->e_shoff);
  const char *names = (const char *)elf + sections[elf->e_shstrndx].sh_offset;
  int k;
  for (k = 0; k < elf->e_shnum; k++)
    if (strcmp(names + sections[k].sh_name, wanted) == 0 && sections[k].sh_size > 0) return 1;
  return 0;
}

/* The low byte of a cubin's flags is the target. */
static int load_cubin(const Elf64_Ehdr *elf) {
  int target = elf->e_flags & 0xff;
  int runs = target / 10 == capability() / 10 && target <= capability();
  if (getenv("FAKE_CUDA_REFUSES_CUBINS") || !runs) return logged("sm", target, NO_BINARY_FOR_GPU);
  if (elf->e_machine != EM_CUDA || elf->e_ident[EI_CLASS] != ELFCLASS64) return INVALID_IMAGE;
  return logged("sm", target, has_section(elf, ".text.interpret") ? SUCCESS : INVALID_IMAGE);
}

static int load_ptx(const char *text) {
  if (!strstr(text, ".target sm_60") || !strstr(text, ".entry interpret")) return INVALID_PTX;
  return logged("compute", 60, getenv("FAKE_CUDA_COMPILES") ? SUCCESS : COMPILER_NOT_FOUND);
}

int cuModuleLoadData(void **module, const void *image) {
  *module = (void *)1;
  return memcmp(image, ELFMAG, SELFMAG) == 0 ? load_cubin(image) : load_ptx(image);
}
int cuModuleUnload(void *module) { return SUCCESS; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = (void *)2;
  return strcmp(name, "interpret") == 0 ? SUCCESS : INVALID_VALUE;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  Work *w;
  int k;
  if (gx < 1 || gy != 1 || gz != 1 || bx < 1 || bx > 1024 || by != 1 || bz != 1) return INVALID_VALUE;
  if (shared > MAX_SHARED) return INVALID_VALUE;
  for (k = 0; k < 9; k++)
    if (!block_of(*(void **)arguments[k], 1)) return INVALID_VALUE;
  /* Jobs and records for each group. */
  if (!block_of(*(void **)arguments[6], 8 * (size_t)gx)) return INVALID_VALUE;
  if (!block_of(*(void **)arguments[7], 4 * RECORD_WORDS * (size_t)gx)) return INVALID_VALUE;
  w = queue(RUN);
  for (k = 0; k < 9; k++) w->pointers[k] = *(void **)arguments[k];
  for (k = 9; k < N_ARGUMENTS; k++) w->numbers[k - 9] = *(int *)arguments[k];
  w->n_groups = gx;
  w->shared = shared;
  return SUCCESS;
}
