// CUDA's words for a processor: the threads of a block are fibres that take turns, and give way where CUDA synchronises.
//
// A fibre runs alone until it waits for its warp or its block. A value that one thread reads before another has written
// it, or a barrier that not all threads reach, is seen: the former as a wrong number, the latter as an abort. Blocks run
// one after the other, threads in a given order (see `backwards`).
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__

struct Three {
    unsigned x, y, z;
};
static Three threadIdx, blockIdx, blockDim, gridDim;
double shared[1 << 15]; // what kernels declare: 256 KB
static bool backwards = false;

namespace emulation {
enum State { READY, WARP_WAIT, BLOCK_WAIT, DONE };
struct Fibre {
    ucontext_t context;
    std::vector<char> stack;
    State state;
};
static std::vector<Fibre> fibres;
static ucontext_t scheduler;
static int current;
static std::function<void()> body;
static unsigned long long exchange[1024];

static void enter() {
    body();
    fibres[current].state = DONE;
    swapcontext(&fibres[current].context, &scheduler);
}
static void wait(State state) {
    int self = current;
    fibres[self].state = state;
    swapcontext(&fibres[self].context, &scheduler);
}
static void block(int threads) {
    fibres.resize(threads);
    for (auto &fibre : fibres) {
        fibre.stack.resize(64 * 1024);
        getcontext(&fibre.context);
        fibre.context.uc_stack.ss_sp = fibre.stack.data();
        fibre.context.uc_stack.ss_size = fibre.stack.size();
        fibre.context.uc_link = nullptr;
        fibre.state = READY;
        makecontext(&fibre.context, enter, 0);
    }
    while (true) {
        bool ran = false;
        int left = 0, waiting = 0;
        for (int i = 0; i < threads; ++i) {
            int t = backwards ? threads - 1 - i : i;
            if (fibres[t].state != READY) continue;
            current = t;
            threadIdx.x = t;
            swapcontext(&scheduler, &fibres[t].context);
            ran = true;
        }
        for (int w = 0; w < threads; w += 32) {
            int alive = 0, at = 0;
            for (int t = w; t < w + 32 && t < threads; ++t) {
                alive += fibres[t].state != DONE;
                at += fibres[t].state == WARP_WAIT;
            }
            if (at > 0 && at == alive) {
                for (int t = w; t < w + 32 && t < threads; ++t)
                    if (fibres[t].state == WARP_WAIT) fibres[t].state = READY;
                ran = true;
            }
        }
        for (auto &fibre : fibres) {
            left += fibre.state != DONE;
            waiting += fibre.state == BLOCK_WAIT;
        }
        if (left == 0) return;
        if (waiting == left) {
            for (auto &fibre : fibres)
                if (fibre.state == BLOCK_WAIT) fibre.state = READY;
            ran = true;
        }
        if (!ran) {
            std::fprintf(stderr, "threads wait for each other\n");
            std::abort();
        }
    }
}
constexpr double UNWRITTEN = -7.25; // what was there before is nobody's zero

template <class... A, size_t... I>
void launch(void (*kernel)(A...), Three grid, int threads, size_t bytes, void **values, std::index_sequence<I...>) {
    gridDim = grid;
    blockDim = {(unsigned)threads, 1, 1};
    body = [&] { kernel(*(A *)values[I]...); };
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
            for (double &value : shared) value = UNWRITTEN;
            block(threads);
            for (size_t i = (bytes + 7) / 8; i < sizeof(shared) / 8; ++i)
                if (shared[i] != UNWRITTEN) {
                    std::fprintf(stderr, "written behind the shared memory asked for\n");
                    std::abort();
                }
        }
}
template <class... A>
void launch(void (*kernel)(A...), unsigned x, unsigned y, int threads, size_t bytes, void **values) {
    launch(kernel, Three{x, y, 1}, threads, bytes, values, std::index_sequence_for<A...>());
}
} // namespace emulation

inline void __syncwarp(unsigned = 0) { emulation::wait(emulation::WARP_WAIT); }
inline void __syncthreads() { emulation::wait(emulation::BLOCK_WAIT); }
template <class T> T from_lane(T value, int source) {
    int base = threadIdx.x & ~31u, self = threadIdx.x;
    std::memcpy(&emulation::exchange[self], &value, sizeof(T));
    __syncwarp();
    if (source < 0 || source > 31 || base + source >= (int)blockDim.x) source = self - base;
    std::memcpy(&value, &emulation::exchange[base + source], sizeof(T));
    __syncwarp();
    return value;
}
template <class T> T __shfl_sync(unsigned, T value, int source) { return from_lane(value, source); }
template <class T> T __shfl_up_sync(unsigned, T value, int by) { return from_lane(value, (int)(threadIdx.x & 31) - by); }
template <class T> T __shfl_xor_sync(unsigned, T value, int by) { return from_lane(value, (threadIdx.x & 31) ^ by); }
inline unsigned __ballot_sync(unsigned, bool value) {
    int base = threadIdx.x & ~31u;
    emulation::exchange[threadIdx.x] = value;
    __syncwarp();
    unsigned out = 0;
    for (int i = 0; i < 32 && base + i < (int)blockDim.x; ++i) out |= (unsigned)(emulation::exchange[base + i] & 1) << i;
    __syncwarp();
    return out;
}
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __ffs(unsigned value) { return __builtin_ffs((int)value); }
template <class T> T atomicAdd(T *place, T value) {
    T old = *place;
    *place = old + value;
    return old;
}
template <class T> T atomicMin(T *place, T value) {
    T old = *place;
    if (value < old) *place = value;
    return old;
}
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }

#define EXPORT(name)                                                                                                   \
    extern "C" void run_##name(unsigned x, unsigned y, int threads, size_t bytes, void **values, int reversed) {       \
        backwards = reversed;                                                                                          \
        emulation::launch(name, x, y, threads, bytes, values);                                                         \
    }
