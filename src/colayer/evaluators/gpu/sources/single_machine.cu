// 1 | r_j | Σ C_j: sequences from θ, their costs, and LS, the adjacent-swap descent.
//
// The stack of instances: the jobs of instance x are first[x]..first[x + 1] − 1. `number` is the place of a job in the
// order of (p, r, index) of its instance; r and p lie in that order. `level` counts, for each number, the smaller
// different pairs (p, r): jobs of one level are the same job, to cost and to LS.

// orders[row, jobs of x] = the numbers of the jobs by θ, ties by index; a block per (row, instance).
extern "C" __global__ void sort_rows(
    const double *theta, u16 *orders, const i64 *first, const u16 *number, int x0, i64 total, int most
) {
    extern __shared__ double shared[];
    Sorting s((char *)shared, most);
    i64 begin = first[x0 + blockIdx.y];
    int n = (int)(first[x0 + blockIdx.y + 1] - begin);
    const double *row = theta + blockIdx.x * total + begin;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s.keys[i] = row[i];
    __syncthreads();
    u16 *order = sorted(s, n);
    u16 *out = orders + blockIdx.x * total + begin;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = number[begin + order[i]];
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

// LS of whole-number data, by a warp: the algorithm of the processor's `descend_integral`, with its names.
struct Descent {
    u16 *order, *descents; // levels by place; places
    int *start;
    const int *r, *p; // by level
    int n;

    // Whether b (with its r) passes the job at place q, if it reaches it.
    __device__ bool passes(int b, int r_b, int q) const { return r_b <= start[q] && b < order[q]; }

    // The first place of the ascending run first..k that b passes; it passes k. The 32 places before k first, as most
    // moves are short, then 32 places spread over what is left.
    __device__ int reached(int b, int r_b, int first, int k) const {
        int low = first - 1; // the answer lies in low + 1..k
        for (int step = 1; k - low > 1; step = (k - low - 2 + WARP) / WARP) {
            int q = k - step * (lane() + 1);
            u32 passed = __ballot_sync(ALL, q > low && passes(b, r_b, q));
            int count = passed == ALL ? WARP : __ffs(~passed) - 1;
            if (count < WARP) low = max(low, k - step * (count + 1));
            k -= step * count;
        }
        return k;
    }

    // Moves the places k..d − 1 on by one, and their starts by `delay`; the start at k stays.
    __device__ void shift(int k, int d, int delay) const {
        for (int top = d; top > k; top -= 4 * WARP) {
            u16 jobs[4];
            int starts[4];
            for (int i = 0; i < 4; ++i) {
                int q = top - i * WARP - lane();
                if (q > k) jobs[i] = order[q - 1], starts[i] = start[q - 1];
            }
            __syncwarp();
            for (int i = 0; i < 4; ++i) {
                int q = top - i * WARP - lane();
                if (q > k) order[q] = jobs[i], start[q] = starts[i] + delay;
            }
            __syncwarp();
        }
    }

    // Moves the job b at d to k in the prefix 0..m with idle time behind k; the new bound on the last gap.
    __device__ int insert(int b, int k, int d, int m, int last_gap) const {
        shift(k, d, 0);
        int q = k + 1, delay = 0;
        if (lane() == 0) {
            order[k] = (u16)b;
            int begin = k > 0 ? max(start[k - 1] + p[order[k - 1]], r[b]) : r[b];
            start[k] = begin;
            int done = begin + p[b], gap = k;
            while (q <= d) {
                if (q > last_gap + 1) {
                    delay = done - start[q];
                    break;
                }
                int x = order[q];
                begin = max(done, r[x]);
                if (begin == start[q]) {
                    gap = last_gap + 1;
                    break;
                }
                if (begin > done) gap = q;
                start[q] = begin;
                done = begin + p[x];
                q += 1;
            }
            if (last_gap <= d) last_gap = min(gap, d);
        }
        q = __shfl_sync(ALL, q, 0);
        delay = __shfl_sync(ALL, delay, 0);
        if (delay != 0)
            for (int i = q + lane(); i <= d; i += WARP) start[i] += delay;
        __syncwarp();
        if (lane() == 0) {
            int done = start[d] + p[order[d]];
            for (q = d + 1; q <= m; ++q) {
                int x = order[q];
                int begin = max(done, r[x]);
                if (begin == start[q]) break;
                if (begin > done) last_gap = max(last_gap, q);
                start[q] = begin;
                done = begin + p[x];
            }
        }
        __syncwarp();
        return __shfl_sync(ALL, last_gap, 0);
    }

    // One lane writes what all know; nobody reads the old value after it, nobody the new one before.
    __device__ void put(int place, int value) const {
        __syncwarp();
        if (lane() == 0) descents[place] = (u16)value;
        __syncwarp();
    }

    __device__ void run() const {
        int left = 0, right = n, last_gap = 0;
        int a = order[0], begin = r[a];
        if (lane() == 0) start[0] = begin;
        __syncwarp();
        for (int m = 1; m < n; ++m) {
            a = order[m - 1];
            int b = order[m];
            int done = start[m - 1] + p[a];
            begin = done;
            if (r[b] > done) begin = r[b], last_gap = m;
            if (lane() == 0) start[m] = begin;
            __syncwarp();
            if (b >= a) continue;
            put(--right, m);
            while (right < n) {
                int d = descents[right++];
                b = order[d];
                int r_b = r[b], p_b = p[b];
                if (r_b > start[d - 1]) {
                    put(left++, d);
                    continue;
                }
                // without b, d + 1 may be a new descent
                if (d < m && !(right < n && descents[right] == d + 1) && order[d + 1] < order[d - 1]) put(--right, d + 1);
                int k = d - 1;
                while (true) { // k: the first place b reaches; the descents it passes are put off, one place on
                    int first = left > 0 ? descents[left - 1] : 0;
                    k = reached(b, r_b, first, k);
                    if (k > first || k == 0 || !passes(b, r_b, k - 1)) break;
                    k -= 1;
                    left -= 1;
                    put(--right, first + 1);
                }
                if (k > last_gap) {
                    shift(k, d, p_b);
                    if (lane() == 0) order[k] = (u16)b;
                    __syncwarp();
                } else {
                    last_gap = insert(b, k, d, m, last_gap);
                }
                if (k > 0 && !(left > 0 && descents[left - 1] == k) && b < order[k - 1]) put(left++, k);
            }
        }
    }

    // The sum of the completion times.
    __device__ i64 cost() const {
        i64 sum = 0;
        for (int i = lane(); i < n; i += WARP) sum += start[i] + p[order[i]];
        return over_warp<Sum>(sum);
    }
};

// out[row, x] = cost / scale after LS, of whole-number data with times below 2^31, and the sequence as levels where
// `keep` says so; a warp per (row, instance). Shared memory: r and p by level, then order, starts and descents of
// each warp: 8 bytes per job each.
extern "C" __global__ void descend_whole(
    const u16 *orders, const i64 *first, const u16 *level, const double *r, const double *p, const double *scale,
    int x0, int rows, i64 total, int most, u16 *levels, int keep, double *out, int columns
) {
    extern __shared__ double shared[];
    int *r_all = (int *)shared, *p_all = r_all + most;
    int x = x0 + blockIdx.y;
    i64 begin = first[x];
    int n = (int)(first[x + 1] - begin);
    for (int i = threadIdx.x; i < n; i += blockDim.x) { // jobs of one level write the same
        r_all[level[begin + i]] = (int)r[begin + i];
        p_all[level[begin + i]] = (int)p[begin + i];
    }
    __syncthreads();
    i64 row = (i64)blockIdx.x * (blockDim.x / WARP) + warp();
    if (row >= rows) return;
    Descent s;
    s.start = p_all + most + warp() * (2 * most);
    s.order = (u16 *)(s.start + most);
    s.descents = s.order + most;
    s.r = r_all;
    s.p = p_all;
    s.n = n;
    for (int i = lane(); i < n; i += WARP) s.order[i] = level[begin + orders[row * total + begin + i]];
    __syncwarp();
    s.run();
    if (keep)
        for (int i = lane(); i < n; i += WARP) levels[row * total + begin + i] = s.order[i];
    i64 cost = s.cost();
    if (lane() == 0) out[row * columns + x] = (double)cost / scale[x];
}
