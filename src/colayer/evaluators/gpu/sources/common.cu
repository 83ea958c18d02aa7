// What the kernels of all problems share: reductions over a block, θ, and sorting with ties by index.
//
// Losses have the bits of the processor's: compiled without fused multiply-add, θ summed feature by feature in float64
// from float32 features, sums of costs in the processor's order or of whole numbers, where every order is exact.
// The file also compiles as plain C++ with the functions of `tests/support/gpu/emulation.hpp` in CUDA's place.

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned char u8;
typedef long long i64;
typedef unsigned long long u64;

#define ALL 0xffffffffu
#define WARP 32

__device__ inline int lane() { return threadIdx.x & (WARP - 1); }
__device__ inline int warp() { return threadIdx.x / WARP; }

struct Least {
    template <class T> __device__ static T of(T a, T b) { return b < a ? b : a; }
};
struct Most {
    template <class T> __device__ static T of(T a, T b) { return a < b ? b : a; }
};
struct Sum {
    template <class T> __device__ static T of(T a, T b) { return a + b; }
};

// The reduction of one value per lane, in all lanes.
template <class Op, class T> __device__ T over_warp(T value) {
    for (int step = WARP / 2; step > 0; step /= 2) value = Op::of(value, __shfl_xor_sync(ALL, value, step));
    return value;
}

// The reduction of one value per thread, in all threads; `room` holds one value per warp, in shared memory.
template <class Op, class T> __device__ T over_block(T value, T *room) {
    value = over_warp<Op>(value);
    __syncthreads();
    if (lane() == 0) room[warp()] = value;
    __syncthreads();
    value = room[0];
    for (int w = 1; w < (int)blockDim.x / WARP; ++w) value = Op::of(value, room[w]);
    __syncthreads();
    return value;
}

// values[0..n) of shared memory become the sums of those before each; values[n] the sum of all.
__device__ void sums_before(u32 *values, int n, u32 *room) {
    int each = (n + blockDim.x - 1) / blockDim.x;
    int begin = min(n, (int)threadIdx.x * each), end = min(n, begin + each);
    u32 own = 0;
    for (int i = begin; i < end; ++i) own += values[i];
    u32 upto = own;
    for (int step = 1; step < WARP; step *= 2) {
        u32 other = __shfl_up_sync(ALL, upto, step);
        if (lane() >= step) upto += other;
    }
    __syncthreads();
    if (lane() == WARP - 1) room[warp()] = upto;
    __syncthreads();
    u32 sum = upto - own;
    for (int w = 0; w < warp(); ++w) sum += room[w];
    for (int i = begin; i < end; ++i) {
        u32 value = values[i];
        values[i] = sum;
        sum += value;
    }
    if (threadIdx.x == blockDim.x - 1) values[n] = sum;
    __syncthreads();
}

#define ROWS 8 // weight vectors per thread of `thetas`

// out[row, g] = Σ_k weights[row, k]·features[k, g], summed in the order of k from 0; a block per (jobs, ROWS vectors).
extern "C" __global__ void thetas(const float *features, const double *weights, double *out, int d, int rows, i64 total) {
    extern __shared__ double shared[];
    int top = blockIdx.y * ROWS;
    for (int i = threadIdx.x; i < ROWS * d; i += blockDim.x)
        shared[i] = top + i % ROWS < rows ? weights[(i64)(top + i % ROWS) * d + i / ROWS] : 0.0;
    __syncthreads();
    i64 g = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= total) return;
    double sum[ROWS];
    for (int r = 0; r < ROWS; ++r) sum[r] = 0.0;
    for (int k = 0; k < d; ++k) {
        double feature = features[k * total + g];
        for (int r = 0; r < ROWS; ++r) sum[r] = sum[r] + shared[k * ROWS + r] * feature;
    }
    for (int r = 0; r < ROWS && top + r < rows; ++r) out[(top + r) * total + g] = sum[r];
}

// Shared memory of a sort: 16 bytes per entry.
struct Sorting {
    double *keys; // n, filled by the caller
    u32 *counts;  // n + 1
    u16 *slots;   // n; in the end the order
    u16 *items;   // n
    double *room; // one per warp

    __device__ Sorting(char *memory, int most) {
        keys = (double *)memory;
        room = keys + most + 1;
        counts = (u32 *)(room + 32);
        slots = (u16 *)(counts + most + 2);
        items = slots + most;
    }
};

#define CROWD 64 // entries in one bucket: beyond, a sorting network is faster

__device__ inline bool before(const double *keys, int a, int b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a < b); }

// Sorts items[0..n), a permutation, by (key, index) with a bitonic network whose comparisons all ascend.
__device__ void sort_by_network(const double *keys, u16 *items, int n) {
    for (int size = 2; size < 2 * n; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                int j = step == size / 2 ? i ^ (size - 1) : i ^ step;
                if (j > i && j < n && before(keys, items[j], items[i])) {
                    u16 item = items[i];
                    items[i] = items[j];
                    items[j] = item;
                }
            }
        }
    }
    __syncthreads();
}

// The indices of keys[0..n) in increasing order, ties by index. Equal buckets between least and largest key, as on the
// processor; in a bucket each entry counts those before it.
__device__ u16 *sorted(const Sorting &s, int n) {
    double low = s.keys[0], high = low;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        low = Least::of(low, s.keys[i]);
        high = Most::of(high, s.keys[i]);
    }
    low = over_block<Least>(low, s.room);
    high = over_block<Most>(high, s.room);
    double width = high - low, step = width > 0.0 ? (n - 1) / width : 0.0;
    bool even = step > 0.0 && step < 1e300 && width < 1e300; // false where buckets make no sense
    u32 crowd = 0;
    if (even) {
        for (int i = threadIdx.x; i <= n; i += blockDim.x) s.counts[i] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            u32 slot = atomicAdd(&s.counts[min((int)((s.keys[i] - low) * step), n - 1)], 1u);
            s.slots[i] = (u16)slot;
            crowd = Most::of(crowd, slot);
        }
        crowd = over_block<Most>(crowd, (u32 *)s.room);
    }
    if (!even || crowd >= CROWD) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) s.items[i] = (u16)i;
        sort_by_network(s.keys, s.items, n);
        return s.items;
    }
    sums_before(s.counts, n, (u32 *)s.room);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s.items[s.counts[min((int)((s.keys[i] - low) * step), n - 1)] + s.slots[i]] = (u16)i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int bucket = min((int)((s.keys[i] - low) * step), n - 1);
        int begin = s.counts[bucket], end = s.counts[bucket + 1], place = begin;
        for (int q = begin; q < end; ++q) place += before(s.keys, s.items[q], i);
        s.slots[place] = (u16)i;
    }
    __syncthreads();
    return s.slots;
}
