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

// A job at its place in a schedule of whole-number data, with its start; jobs compare by (p, r). `Row` is how the jobs of
// a schedule lie in memory, room for an even number.
//
// In 48 bits, for p below 2^8 and times below 2^20: the start in the lowest, so that it can be added to, then r, then p.
struct Narrow {
    u64 bits;

    __device__ Narrow() {}
    __device__ Narrow(u64 bits) : bits(bits) {}
    __device__ Narrow(int p, int r, int start) : bits((u64)p << 40 | (u64)r << 20 | (u64)start) {}
    __device__ int p() const { return (int)(bits >> 40); }
    __device__ int r() const { return (int)(bits >> 20) & 0xfffff; }
    __device__ int start() const { return (int)bits & 0xfffff; }
    __device__ bool before(Narrow x) const { return (bits | 0xfffff) < x.bits; } // whatever the starts
    __device__ Narrow later(int by) const { return bits + (i64)by; }
    __device__ Narrow of(int lane) const { return __shfl_sync(ALL, bits, lane); }

    struct Row {
        u32 *high;
        u16 *low;

        __device__ Row(void *memory, int most) : high((u32 *)memory + warp() * (most / 2 * 3)), low((u16 *)(high + most)) {}
        __device__ Narrow operator[](int i) const { return (u64)high[i] << 16 | low[i]; }
        __device__ void put(int i, Narrow x) const { high[i] = (u32)(x.bits >> 16), low[i] = (u16)x.bits; }
    };
};

// The same in 12 bytes, for times below 2^31.
struct Wide {
    int length, release, begin;

    __device__ Wide() {}
    __device__ Wide(int p, int r, int start) : length(p), release(r), begin(start) {}
    __device__ int p() const { return length; }
    __device__ int r() const { return release; }
    __device__ int start() const { return begin; }
    __device__ bool before(Wide x) const { return (length < x.length) | ((length == x.length) & (release < x.release)); }
    __device__ Wide later(int by) const { return {length, release, begin + by}; }
    __device__ Wide of(int lane) const {
        return {__shfl_sync(ALL, length, lane), __shfl_sync(ALL, release, lane), __shfl_sync(ALL, begin, lane)};
    }

    struct Row {
        Wide *jobs;

        __device__ Row(void *memory, int most) : jobs((Wide *)memory + warp() * most) {}
        __device__ Wide operator[](int i) const { return jobs[i]; }
        __device__ void put(int i, Wide x) const { jobs[i] = x; }
    };
};

#define DEEP 4              // places per lane that are looked at together
#define REACH (DEEP * WARP) // places of all lanes

// LS of whole-number data, by a warp: the leftmost job that may pass the one before it moves back as far as it can,
// again and again, as the rule says. Exact sums let all places change at once.
//
// Most moves are over one place: where the jobs before got later, a job x that is too long is passed by the next one, by
// the one behind that, and so on, a chain. `ripple` makes all moves of a chain at once, in 32 places that the lanes hold;
// `move` makes one move, over any distance.
//
// Invariant: no job at 1..q − 1 passes the one before it, nor one at clean..dirty − 1; starts of 0..known − 1 are those
// of the sequence.
template <class Job> struct Descent {
    typename Job::Row jobs; // by place
    int n, known, q, clean, dirty;

    __device__ Descent(void *memory, int most, int n) : jobs(memory, most), n(n) {}

    // Whether b passes x, if it comes to stand behind it. No branches: loads of many places overlap.
    __device__ static bool passes(Job b, Job x) { return (b.r() <= x.start()) & b.before(x); }
    __device__ static int end(Job x) { return x.start() + x.p(); }

    // Starts of the next places behind the known ones, as many as `ripple` looks at: p before, from there on, + the
    // most of r − p before up to there.
    __device__ void extend() {
        int i = known + lane(), high = min(n, known + WARP - 2);
        Job own = jobs[min(i, n - 1)];
        int upto = own.p();
        for (int step = 1; step < WARP; step *= 2) {
            int other = __shfl_up_sync(ALL, upto, step);
            if (lane() >= step) upto += other;
        }
        int sum = upto - own.p(), late = own.r() - sum;
        if (known > 0) late = max(late, end(jobs[known - 1]));
        for (int step = 1; step < WARP; step *= 2) late = max(late, __shfl_up_sync(ALL, late, step));
        if (i < high) jobs.put(i, Job(own.p(), own.r(), sum + late));
        __syncwarp();
        q = known, known = high, clean = dirty = n; // what was clean ended before
    }

    // The first of the REACH places from low on, below high, whose job passes the one before it, or −1.
    __device__ int look(int low, int high) const {
        bool found[DEEP];
#pragma unroll
        for (int i = 0; i < DEEP; ++i) {
            int own = low + i * WARP + lane(), safe = min(own, high - 1);
            found[i] = (own < high) & passes(jobs[safe], jobs[safe - 1]);
        }
#pragma unroll
        for (int i = 0; i < DEEP; ++i) {
            u32 some = __ballot_sync(ALL, found[i]);
            if (some != 0) return low + i * WARP + __ffs(some) - 1;
        }
        return -1;
    }

    // Looks for the next job that moves, from q on. Where it is in a chain, moves the chain, and those behind it within
    // 32 places. Returns the place of a job that is to move otherwise, or −1: q is the place to look on from.
    //
    // In a chain over x the jobs d, d + 1, … pass x, and not the one before x or the one that just passed it: each takes
    // the place before its own, earlier by p of x. There is no idle time from x on, since they are ready when x starts;
    // nor is there before x, and so all that lies behind the chain is as it was.
    __device__ int ripple() {
        int low = max(0, q - 2), high = min(low + WARP, known);
        bool there = low + lane() < high, moved = false;
        Job own = jobs[min(low + lane(), high - 1)];
        u32 waited = __ballot_sync(ALL, own.start() == own.r()); // places that may follow idle time: chains bring none
        int far = -1;
        while (true) {
            Job last = own.of(max(lane() - 1, 0));
            u32 some = __ballot_sync(ALL, there & passes(own, last)); // no job passes itself
            if (some == 0) break;
            int d = __ffs(some) - 1;
            Job b = own.of(d), x = own.of(d - 1);
            bool behind = lane() > d, next = passes(own, x.later(own.start() - end(x))); // when those before have passed
            bool twice = behind & passes(own, last.later(-x.p()));
            u32 passed = __ballot_sync(ALL, lane() < d ? passes(b, own) : there & next & !twice);
            if ((waited >> (d - 1) & 1) || (passed >> (d - 2) & 1)) { // at place 0 any job has waited
                far = low + d;
                break;
            }
            int e = d + __ffs(~(passed >> d)) - 2; // the last place of the chain, where x goes
            int source = lane() == e ? d - 1 : lane() + ((lane() >= d - 1) & (lane() < e));
            int later = lane() == e ? end(own) - end(x) : source > lane() ? -x.p() : 0;
            own = own.of(source).later(later);
            if (clean <= low + e + 1) clean = low + e + 2; // the job there has another before it
            moved = true;
        }
        if (moved) {
            if (there) jobs.put(low + lane(), own);
            __syncwarp();
        }
        if (far >= 0) return far;
        q = high;
        if (moved) return -1;
        for (int limit = min(clean, known); q < limit; q = min(q + REACH, limit)) {
            int found = look(q, limit);
            if (found >= 0) {
                q = found;
                break;
            }
        }
        return -1;
    }

    // How many of the places top, top − 1, …, which go to `held`, b passes before it meets one that it does not.
    __device__ int passed(Job b, int top, Job *held) const {
        bool found[DEEP];
#pragma unroll
        for (int i = 0; i < DEEP; ++i) {
            int own = top - i * WARP - lane();
            held[i] = jobs[max(own, 0)];
            found[i] = (own >= 0) & passes(b, held[i]);
        }
#pragma unroll
        for (int i = 0; i < DEEP; ++i) {
            u32 some = __ballot_sync(ALL, found[i]);
            if (some != ALL) return i * WARP + __ffs(~some) - 1;
        }
        return REACH;
    }

    // The idle time between the jobs at k..d − 1.
    __device__ int idle_between(int k, int d) const {
        int idle = 0;
        for (int own = k + 1 + lane(); own < d; own += WARP) idle += jobs[own].start() - end(jobs[own - 1]);
        return over_warp<Sum>(idle);
    }

    // Moves the places of `held` from k on by one, later by `delay` but for the idle time, since k, that takes it up:
    // `idle` up to the first of them, top, and after the call up to the next. Returns how many it keeps from being later.
    __device__ int shift(int top, int k, int delay, int &idle, Job *held) const {
        int same = 0;
#pragma unroll
        for (int i = 0; i < DEEP; ++i) {
            int own = top - i * WARP - lane(), late = delay;
            if (idle > 0) {
                int gap = own > k ? held[i].start() - end(jobs[own - 1]) : 0, upto = gap;
                if (__ballot_sync(ALL, gap > 0) != 0) {
                    for (int step = 1; step < WARP; step *= 2) {
                        int other = __shfl_up_sync(ALL, upto, step);
                        if (lane() >= step) upto += other;
                    }
                }
                late = max(0, delay - (idle - upto + gap));
                idle -= __shfl_sync(ALL, upto, WARP - 1);
                same += __popc(__ballot_sync(ALL, (own >= k) & (late == 0)));
            }
            held[i] = held[i].later(late);
        }
        __syncwarp(); // all have read
#pragma unroll
        for (int i = 0; i < DEEP; ++i) {
            int own = top - i * WARP - lane();
            if (own >= k) jobs.put(own + 1, held[i]);
        }
        __syncwarp();
        return same;
    }

    // The job before place i ends earlier by `gain`: so do those behind it, up to their release dates.
    __device__ void hasten(int i, int gain) const {
        for (; gain > 0 && i < known; i += WARP) {
            Job own = jobs[min(i + lane(), known - 1)];
            int slack = min(gain, own.start() - own.r());
            for (int step = 1; step < WARP; step *= 2) slack = min(slack, __shfl_up_sync(ALL, slack, step));
            if (i + lane() < known) jobs.put(i + lane(), own.later(-slack));
            gain = __shfl_sync(ALL, slack, WARP - 1);
        }
        __syncwarp();
    }

    // The job at d, which passes the one before it, moves back.
    __device__ void move(int d) {
        Job b = jobs[d], last = jobs[d - 1], held[DEEP];
        int k = d, count;
        bool waited = false;
        do {
            int top = k - 1;
            count = passed(b, top, held);
            k -= count;
#pragma unroll
            for (int i = 0; i < DEEP; ++i)
                waited |= (top - i * WARP - lane() >= k) & (held[i].start() == held[i].r()); // as behind idle time
        } while (count == REACH);
        Job old = jobs[k];
        int ready = k > 0 ? end(jobs[k - 1]) : 0;
        int begin = max(ready, b.r()), delay = max(0, begin + b.p() - old.start());
        int idle = __ballot_sync(ALL, waited) != 0 ? idle_between(k, d) : 0, same = 0;
        int gain = end(b) - end(last) - max(0, delay - idle);
        for (int top = d - 1; top >= k; top -= REACH) {
            if (d - k >= REACH) { // else still held
#pragma unroll
                for (int i = 0; i < DEEP; ++i) held[i] = jobs[max(k, top - i * WARP - lane())];
            }
            same += shift(top, k, delay, idle, held);
        }
        if (lane() == 0) jobs.put(k, Job(b.p(), b.r(), begin));
        __syncwarp();
        hasten(d + 1, gain);
        // Behind the last job that is later all is as it was, up to the place that b left.
        if (delay == 0) same = d - k;
        q = k + 2;
        if (clean <= d + 1 || same > dirty - clean) clean = d - same + 2, dirty = d + 1;
    }

    __device__ void run() {
        known = 0;
        extend();
        q = 1;
        while (true) {
            if (q >= clean) q = max(q, dirty), clean = dirty = n;
            if (q < known) {
                int d = ripple();
                if (d >= 0) move(d);
            } else if (known < n) {
                extend();
            } else {
                return;
            }
        }
    }
};

// LS of the jobs of `order`, in `memory`, and its cost; the levels after it where there is room for them.
template <class Job>
__device__ i64 descended(
    const u16 *order, const double *r, const double *p, const u16 *level, int n, int most, u16 *levels, void *memory
) {
    Descent<Job> s(memory, most, n);
    for (int i = lane(); i < n; i += WARP) s.jobs.put(i, Job((int)p[order[i]], (int)r[order[i]], 0));
    __syncwarp();
    s.run();
    i64 cost = 0;
    for (int i = lane(); i < n; i += WARP) cost += s.end(s.jobs[i]);
    for (int i = lane(); levels != 0 && i < n; i += WARP) { // the numbers are in the order of (p, r)
        double length = s.jobs[i].p(), release = s.jobs[i].r();
        int low = 0, high = n - 1; // the first number with that (p, r)
        while (low < high) {
            int middle = (low + high) / 2;
            if (p[middle] < length || (p[middle] == length && r[middle] < release))
                low = middle + 1;
            else
                high = middle;
        }
        levels[i] = level[low];
    }
    return over_warp<Sum>(cost);
}

// out[row, x] = cost / scale after LS, of whole-number data that fits Wide or, where `narrow` says so, Narrow, and the
// sequence as levels where `keep` says so; a warp per (row, instance). Shared memory: a row of `most` jobs per warp.
extern "C" __global__ void descend_whole(
    const u16 *orders, const i64 *first, const u16 *level, const double *r, const double *p, const double *scale,
    int x0, int rows, i64 total, int most, int narrow, u16 *levels, int keep, double *out, int columns
) {
    extern __shared__ double shared[];
    int x = x0 + blockIdx.y;
    i64 begin = first[x], row = (i64)blockIdx.x * (blockDim.x / WARP) + warp();
    int n = (int)(first[x + 1] - begin);
    if (row >= rows) return;
    r += begin;
    p += begin;
    level += begin;
    i64 place = row * total + begin, cost;
    u16 *kept = keep ? levels + place : 0;
    if (narrow)
        cost = descended<Narrow>(orders + place, r, p, level, n, most, kept, shared);
    else
        cost = descended<Wide>(orders + place, r, p, level, n, most, kept, shared);
    if (lane() == 0) out[row * columns + x] = (double)cost / scale[x];
}
