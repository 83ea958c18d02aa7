// 1 | r_j | Σ C_j: sequences from θ, their costs, and LS, the adjacent-swap descent.
//
// The stack of instances: the jobs of instance x are first[x]..first[x + 1] − 1. `number` is the place of a job in the
// order of (p, r, index) of its instance; r and p lie in that order. `level` counts, for each number, the smaller
// different pairs (p, r): jobs of one level are the same job, to cost and to LS.

// The numbers of the jobs of an instance by θ, ties by index, in shared memory.
__device__ u16 *sorted_numbers(const Sorting &s, const double *theta, const u16 *number, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) s.keys[i] = theta[i];
    __syncthreads();
    u16 *order = sorted(s, n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) order[i] = number[order[i]];
    __syncthreads();
    return order;
}

// orders[row, jobs of x] = the numbers of the jobs by θ, ties by index; a block per (row, instance).
extern "C" __global__ void sort_rows(
    const double *theta, u16 *orders, const i64 *first, const u16 *number, int x0, i64 total, int most
) {
    extern __shared__ double shared[];
    Sorting s((char *)shared, most);
    i64 begin = first[x0 + blockIdx.y], place = blockIdx.x * total + begin;
    int n = (int)(first[x0 + blockIdx.y + 1] - begin);
    u16 *order = sorted_numbers(s, theta + place, number + begin, n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) orders[place + i] = order[i];
}

// out[row, x] = cost / scale of the jobs by θ, of whole-number data with times below 2^31; a block per (row, instance).
// Each thread has some places in a row: jobs that take `sum` and end at `end` or later make of a time t the time
// max(t + sum, end), so the times at which the threads begin are a scan.
extern "C" __global__ void sorted_costs(
    const double *theta, const i64 *first, const u16 *number, const double *r, const double *p, const double *scale,
    int x0, i64 total, int most, double *out, int columns
) {
    extern __shared__ double shared[];
    Sorting s((char *)shared, most);
    int x = x0 + blockIdx.y;
    i64 begin = first[x];
    int n = (int)(first[x + 1] - begin);
    u16 *order = sorted_numbers(s, theta + blockIdx.x * total + begin, number + begin, n);
    r += begin;
    p += begin;
    int each = (n + blockDim.x - 1) / blockDim.x;
    int low = min(n, (int)threadIdx.x * each), high = min(n, low + each);
    int sum = 0, end = 0;
    for (int i = low; i < high; ++i) {
        int j = order[i], length = (int)p[j];
        sum += length;
        end = max(end, (int)r[j]) + length;
    }
    for (int step = 1; step < WARP; step *= 2) { // with the threads before, within the warp
        int before = __shfl_up_sync(ALL, sum, step), ended = __shfl_up_sync(ALL, end, step);
        if (lane() >= step) end = max(ended + sum, end), sum += before;
    }
    int *sums = (int *)s.room, *ends = sums + WARP;
    if (lane() == WARP - 1) sums[warp()] = sum, ends[warp()] = end;
    int before = __shfl_up_sync(ALL, sum, 1), ended = __shfl_up_sync(ALL, end, 1);
    __syncthreads();
    int now = 0;
    for (int w = 0; w < warp(); ++w) now = max(now + sums[w], ends[w]);
    if (lane() > 0) now = max(now + before, ended);
    i64 cost = 0;
    for (int i = low; i < high; ++i) {
        int j = order[i];
        now = max(now, (int)r[j]) + (int)p[j];
        cost += now;
    }
    cost = over_block<Sum>(cost, (i64 *)s.room);
    if (threadIdx.x == 0) out[(i64)blockIdx.x * columns + x] = (double)cost / scale[x];
}

// LS as the rule reads (see `descend_plain` of the processor); done[i], i > 0, is kept in spare[i − 1].
__device__ void descend_plain(u16 *order, const double *r, const double *p, double *spare, int n) {
    int i = 0;
    while (i < n - 1) {
        int a = order[i], b = order[i + 1];
        double start = Most::of(i > 0 ? spare[i - 1] : 0.0, r[a]);
        if (r[b] <= start && (p[b] < p[a] || (p[b] == p[a] && r[b] < r[a]))) {
            order[i] = (u16)b;
            order[i + 1] = (u16)a;
            i = i > 0 ? i - 1 : 0;
        } else {
            spare[i] = start + p[a];
            i += 1;
        }
    }
}

// out[row, x] = cost / scale, summed in the order of the sequence, after LS if `ls`; a thread per (row, instance).
extern "C" __global__ void costs(
    double *theta, u16 *orders, const i64 *first, const double *r, const double *p, const double *scale, int x0,
    int count, int rows, i64 total, int ls, double *out, int columns
) {
    i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= (i64)rows * count) return;
    i64 row = t % rows;
    int x = x0 + (int)(t / rows);
    i64 begin = first[x];
    int n = (int)(first[x + 1] - begin);
    u16 *order = orders + row * total + begin;
    r += begin;
    p += begin;
    if (ls) descend_plain(order, r, p, theta + row * total + begin, n);
    double now = 0.0, sum = 0.0;
    for (int i = 0; i < n; ++i) {
        int j = order[i];
        now = Most::of(now, r[j]) + p[j];
        sum += now;
    }
    out[row * columns + x] = sum / scale[x];
}

#define DEEP 8             // places per lane that are looked at together in long moves
#define WIDE (DEEP * WARP) // places of all lanes

// LS of whole-number data, by a warp: the leftmost job that may pass the one before it moves back as far as it can,
// again and again, as the rule says. Exact sums let all places change at once. Most moves are over a few places: the first
// look is at one place per lane, those that follow at DEEP.
struct Descent {
    int *start, *sum, *r; // by place: start, sum of p before (n + 1 of them: p is a difference), release date
    int n;

    struct Place {
        int start, sum, p, r;
    };
    __device__ Place at(int q) const { return {start[q], sum[q], sum[q + 1] - sum[q], r[q]}; }

    // Whether b passes the job of `x`, if it comes to stand behind it. No branches: loads of many places overlap.
    __device__ static bool passes(int p_b, int r_b, const Place &x) {
        return (r_b <= x.start) & ((p_b < x.p) | ((p_b == x.p) & (r_b < x.r)));
    }

    // The first of the places low.., as many as lanes have together, below high whose job passes the one before it, or −1.
    template <int deep> __device__ int look(int low, int high) const {
        bool found[deep];
#pragma unroll
        for (int i = 0; i < deep; ++i) {
            int q = low + i * WARP + lane(), safe = min(q, high - 1);
            found[i] = (q < high) & passes(sum[safe + 1] - sum[safe], r[safe], at(safe - 1));
        }
#pragma unroll
        for (int i = 0; i < deep; ++i) {
            u32 some = __ballot_sync(ALL, found[i]);
            if (some != 0) return low + i * WARP + __ffs(some) - 1;
        }
        return -1;
    }

    // The same of low..high − 1, or high.
    __device__ int next(int low, int high) const {
        if (low >= high) return high;
        int found = look<1>(low, high);
        for (low += WARP; found < 0 && low < high; low += WIDE) found = look<DEEP>(low, high);
        return found < 0 ? high : found;
    }

    // Starts of the next places behind the `known` ones: sum before + the most of r − sum before up to there.
    __device__ int extend(int known) const {
        int q = known + lane();
        int late = q < n ? r[q] - sum[q] : -sum[n];
        if (known > 0) late = max(late, start[known - 1] - sum[known - 1]);
        for (int step = 1; step < WARP; step *= 2) late = max(late, __shfl_up_sync(ALL, late, step));
        if (q < n) start[q] = sum[q] + late;
        __syncwarp();
        return min(n, known + WARP);
    }

    // How many of the places top, top − 1, …, which go to `held`, b passes before it meets one that it does not.
    template <int deep> __device__ int passed(int p_b, int r_b, int top, Place *held) const {
        bool found[deep];
#pragma unroll
        for (int i = 0; i < deep; ++i) {
            int q = top - i * WARP - lane();
            held[i] = at(max(q, 0));
            found[i] = (q >= 0) & passes(p_b, r_b, held[i]);
        }
#pragma unroll
        for (int i = 0; i < deep; ++i) {
            u32 some = __ballot_sync(ALL, found[i]);
            if (some != ALL) return i * WARP + __ffs(~some) - 1;
        }
        return deep * WARP;
    }

    // Moves the places of `held` from k on by one, b's length later but for the idle time, since k, that takes it up:
    // start − sum is the idle time before. Returns how many are later.
    template <int deep>
    __device__ int shift(int p_b, int top, int k, int delay, int idle, const Place *held) const {
        int later = 0;
        __syncwarp(); // all have read
#pragma unroll
        for (int i = 0; i < deep; ++i) {
            int q = top - i * WARP - lane();
            int own = q >= k ? max(0, delay - (held[i].start - held[i].sum - idle)) : 0;
            if (q >= k) start[q + 1] = held[i].start + own, sum[q + 1] = held[i].sum + p_b, r[q + 1] = held[i].r;
            later += __popc(__ballot_sync(ALL, own > 0));
        }
        __syncwarp();
        return later;
    }

    // The job before place q ends earlier by `gain`: so do those behind it, up to their release dates.
    __device__ void hasten(int q, int known, int gain) const {
        for (; gain > 0 && q < known; q += WARP) {
            int own = q + lane(), slack = gain;
            if (own < known) slack = min(gain, start[own] - r[own]);
            for (int step = 1; step < WARP; step *= 2) slack = min(slack, __shfl_up_sync(ALL, slack, step));
            if (own < known) start[own] -= slack;
            gain = __shfl_sync(ALL, slack, WARP - 1);
        }
        __syncwarp();
    }

    // Invariant: no job at 1..q − 1 passes the one before it, nor one at clean..dirty − 1; starts of 0..known − 1 are
    // those of the sequence.
    __device__ void run() const {
        int known = extend(0), q = 1, clean = n, dirty = n;
        while (true) {
            int d = known;
            if (q < clean) d = next(q, min(clean, known));
            if (d >= clean) d = dirty < known ? next(max(q, dirty), known) : known;
            if (d >= known) {
                if (known == n) return;
                q = known, clean = dirty = n; // the zone ended before
                known = extend(known);
                continue;
            }
            Place b = at(d), last = at(d - 1), near[1], held[DEEP];
            int top = d - 1, count = passed<1>(b.p, b.r, top, near), k = d - count;
            if (count == WARP) {
                do {
                    count = passed<DEEP>(b.p, b.r, k - 1, held);
                    k -= count;
                } while (count == WIDE);
            }
            Place old = at(k);
            int ready = k > 0 ? start[k - 1] + old.sum - sum[k - 1] : 0;
            int begin = max(ready, b.r), delay = max(0, begin + b.p - old.start), idle = old.start - old.sum;
            int later = 0;
            if (d - k < WARP) {
                later = shift<1>(b.p, top, k, delay, idle, near);
            } else {
                for (; top >= k; top -= WIDE) {
#pragma unroll
                    for (int i = 0; i < DEEP; ++i) held[i] = at(max(k, top - i * WARP - lane()));
                    later += shift<DEEP>(b.p, top, k, delay, idle, held);
                }
            }
            if (lane() == 0) start[k] = begin, sum[k] = old.sum, r[k] = b.r;
            __syncwarp();
            int end = last.start + max(0, delay - (last.start - last.sum - idle)) + last.p;
            hasten(d + 1, known, b.start + b.p - end);
            // Behind the last job that is later all is as it was, up to the place that b left.
            q = k + 2;
            if (clean <= d + 1 || d - k - later > dirty - clean) clean = k + later + 2, dirty = d + 1;
            if (clean >= dirty) clean = dirty = n;
        }
    }
};

// out[row, x] = cost / scale after LS, of whole-number data with times below 2^31, and the sequence as levels where
// `keep` says so; a warp per (row, instance). Shared memory: 12 bytes per job and warp, and 16.
extern "C" __global__ void descend_whole(
    const u16 *orders, const i64 *first, const u16 *level, const double *r, const double *p, const double *scale,
    int x0, int rows, i64 total, int most, u16 *levels, int keep, double *out, int columns
) {
    extern __shared__ double shared[];
    int x = x0 + blockIdx.y;
    i64 begin = first[x], row = (i64)blockIdx.x * (blockDim.x / WARP) + warp();
    int n = (int)(first[x + 1] - begin);
    if (row >= rows) return;
    r += begin;
    p += begin;
    Descent s;
    s.start = (int *)shared + warp() * (3 * most + 4);
    s.sum = s.start + most;
    s.r = s.sum + most + 1;
    s.n = n;
    const u16 *order = orders + row * total + begin;
    int before = 0;
    for (int top = 0; top < n; top += WARP) {
        int i = top + lane(), length = 0;
        if (i < n) length = (int)p[order[i]], s.r[i] = (int)r[order[i]];
        int upto = length;
        for (int step = 1; step < WARP; step *= 2) {
            int other = __shfl_up_sync(ALL, upto, step);
            if (lane() >= step) upto += other;
        }
        if (i < n) s.sum[i] = before + upto - length;
        before += __shfl_sync(ALL, upto, WARP - 1);
    }
    if (lane() == 0) s.sum[n] = before;
    __syncwarp();
    s.run();
    i64 cost = 0;
    for (int i = lane(); i < n; i += WARP) cost += s.start[i];
    cost = over_warp<Sum>(cost) + before;
    if (lane() == 0) out[row * columns + x] = (double)cost / scale[x];
    if (!keep) return;
    for (int i = lane(); i < n; i += WARP) { // the numbers are in the order of (p, r)
        double length = s.sum[i + 1] - s.sum[i], release = s.r[i];
        int low = 0, high = n - 1; // the first number with that (p, r)
        while (low < high) {
            int middle = (low + high) / 2;
            if (p[middle] < length || (p[middle] == length && r[middle] < release))
                low = middle + 1;
            else
                high = middle;
        }
        levels[row * total + begin + i] = level[begin + low];
    }
}
