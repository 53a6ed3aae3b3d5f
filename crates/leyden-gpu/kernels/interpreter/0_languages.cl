/* The device interpreter: one work-group (thread block) runs one program on one grid.
 *
 * This text is both OpenCL C and CUDA C; only the first section differs. APART marks functions that are
 * called from many places and would blow up the code if they were copied into each.
 *
 * Every instruction consists of phases. In a phase the lanes of a group work side by side and none
 * reads what another writes in that phase; after each phase all of them meet at the one barrier of
 * this file. A case that an instruction cannot decide ends the program as UNSURE, and the host asks
 * the CPU: values too large for their slot, odd types, ties that only the order of a set can break.
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

