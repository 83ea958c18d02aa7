// RDI, release date iteration, after LS: the kernels of the processor (`kernels/rdi.py`, `kernels/recombine.py`) with
// their names, a thread per (row, instance). Jobs are numbered by (p, r, index), so that numbers compare priorities.

#define CANDIDATES 16
#define STATES 8
#define BYTES 48 // of scratch memory per job

// The scratch memory of a thread.
struct Scratch {
    double *dates, *done, *trial_done;
    u16 *queue, *heap, *trial_heap, *sequence, *trial, *late, *found, *spare;
    short *balance;

    __device__ Scratch(char *memory, i64 begin, int n) {
        dates = (double *)(memory + begin * BYTES);
        done = dates + n;
        trial_done = done + n;
        queue = (u16 *)(trial_done + n);
        heap = queue + n;
        trial_heap = heap + n;
        sequence = trial_heap + n;
        trial = sequence + n;
        late = trial + n;
        found = late + n;
        spare = found + n;
        balance = (short *)(spare + n);
    }
};

__device__ void push(u16 *heap, int size, int value) {
    int i = size;
    while (i > 0) {
        int parent = (i - 1) >> 1;
        if (heap[parent] <= value) break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = (u16)value;
}

__device__ int pop(u16 *heap, int size) {
    int least = heap[0], last = size - 1, value = heap[last], i = 0;
    while (true) {
        int child = 2 * i + 1;
        if (child >= last) break;
        if (child + 1 < last && heap[child + 1] < heap[child]) child += 1;
        if (value <= heap[child]) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = (u16)value;
    return least;
}

// order[0..n) = the indices of `keys` in increasing order, ties by index: merges from the bottom up.
__device__ void sort_by(const double *keys, u16 *order, u16 *spare, int n) {
    for (int i = 0; i < n; ++i) order[i] = (u16)i;
    for (int width = 1; width < n; width *= 2) {
        for (int start = 0; start < n; start += 2 * width) {
            int middle = min(start + width, n), stop = min(start + 2 * width, n);
            if (middle == stop || keys[order[middle - 1]] <= keys[order[middle]]) continue;
            for (int k = start; k < middle; ++k) spare[k] = order[k];
            int a = start, b = middle;
            for (int k = start; a < middle; ++k) {
                if (b >= stop || keys[spare[a]] <= keys[order[b]]) order[k] = spare[a++];
                else order[k] = order[b++];
            }
        }
    }
}

__device__ double sequence_cost(const u16 *order, const double *r, const double *p, int n) {
    double now = 0.0, sum = 0.0;
    for (int i = 0; i < n; ++i) {
        int j = order[i];
        now = Most::of(now, r[j]) + p[j];
        sum += now;
    }
    return sum;
}

// Fills `dates` with dates whose schedule is `order`.
__device__ void reproduce(const u16 *order, const double *r, const double *p, int n, const Scratch &s) {
    u16 *stack = s.queue;
    double *start = s.done;
    int size = 0;
    double now = 0.0, waited = 0.0;
    for (int k = 0; k < n; ++k) {
        int j = order[k];
        double date = Most::of(r[j], waited);
        while (size > 0 && order[stack[size - 1]] < j) size -= 1;
        if (size > 0) {
            int q = stack[size - 1];
            if (r[j] <= start[q]) date = Most::of(date, start[q] + p[order[q]]);
        }
        s.dates[j] = date;
        stack[size++] = (u16)k;
        if (r[j] > now) now = waited = r[j];
        start[k] = now;
        now += p[j];
    }
}

__device__ double dispatch(const double *r, const double *p, int n, const Scratch &s) {
    int size = 0, f = 0;
    double now = 0.0, cost = 0.0;
    for (int i = 0; i < n; ++i) {
        while (f < n && s.dates[s.queue[f]] <= now) push(s.heap, size++, s.queue[f++]);
        int j;
        if (size == 0) {
            j = s.queue[f++];
            now = Most::of(now, r[j]);
        } else {
            j = pop(s.heap, size--);
        }
        now += p[j];
        s.sequence[i] = (u16)j;
        s.done[i] = now;
        cost += now;
    }
    return cost;
}

// The change of cost, and the end, when the jobs of `late` are raised to `date`.
__device__ double try_dates(
    int i, double now, double slack, double tolerance, int f, u16 *heap, int size, u16 *late, int late_size,
    double date, const double *r, const double *p, int n, const Scratch &s, int &end
) {
    double delta = 0.0;
    int differ = 0, k = i;
    while (k < n) {
        while (f < n && s.dates[s.queue[f]] <= now) push(heap, size++, s.queue[f++]);
        if (late_size > 0 && date <= now) {
            if (size < late_size) {
                u16 *other = heap;
                heap = late;
                late = other;
                int others = size;
                size = late_size;
                late_size = others;
            }
            for (int q = 0; q < late_size; ++q) push(heap, size++, late[q]);
            late_size = 0;
        }
        int j;
        if (size > 0) j = pop(heap, size--);
        else if (late_size == 0 || (f < n && s.dates[s.queue[f]] <= date)) j = s.queue[f++];
        else j = pop(late, late_size--);
        now = Most::of(now, r[j]);
        now += p[j];
        s.trial[k] = (u16)j;
        s.trial_done[k] = now;
        delta += now - s.done[k];
        int old = s.sequence[k];
        if (j != old) {
            s.balance[j] += 1;
            differ += s.balance[j] == 1 ? 1 : -1;
            s.balance[old] -= 1;
            differ += s.balance[old] == -1 ? 1 : -1;
        }
        k += 1;
        if (differ > 0) {
            if (delta > slack) {
                delta = 0.0;
                break;
            }
        } else if (now >= date) {
            if (now == s.done[k - 1]) break;
            if (now > s.done[k - 1] - tolerance && delta >= -tolerance) {
                delta = 0.0;
                break;
            }
        }
    }
    for (int q = i; q < k; ++q) s.balance[s.trial[q]] = s.balance[s.sequence[q]] = 0;
    end = k;
    return delta;
}

// RDI from the dates of the scratch memory, into `found`.
__device__ void improve(const double *r, const double *p, int n, double tolerance, const Scratch &s) {
    for (int j = 0; j < n; ++j) s.balance[j] = 0;
    double best = 1.7976931348623157e308; // as good as infinite
    while (true) {
        sort_by(s.dates, s.queue, s.spare, n);
        double cost = dispatch(r, p, n, s);
        if (cost < best - tolerance) {
            best = cost;
            for (int i = 0; i < n; ++i) s.found[i] = s.sequence[i];
        }
        int size = 0, f = 0, i = 0;
        double free = 0.0;
        while (i < n) {
            while (f < n && s.dates[s.queue[f]] <= free) push(s.heap, size++, s.queue[f++]);
            double start = free;
            if (size == 0) {
                s.heap[0] = s.queue[f++];
                size = 1;
                start = Most::of(free, r[s.heap[0]]);
            }
            int a = s.heap[0], raised = 0, end = i, g = f, count = 0;
            double delta = 0.0, date = 0.0;
            while (g < n && count < CANDIDATES && s.dates[s.queue[g]] < start + p[a] && raised == 0) {
                int b = s.queue[g++];
                date = s.dates[b];
                if (p[b] >= p[a] || date <= start) continue;
                count += 1;
                for (int both = 0; both < 2; ++both) {
                    for (int q = 0; q < size; ++q) s.trial_heap[q] = s.heap[q];
                    if (both == 0) {
                        s.late[0] = (u16)pop(s.trial_heap, size);
                        delta = try_dates(
                            i, free, p[a], tolerance, f, s.trial_heap, size - 1, s.late, 1, date, r, p, n, s, end
                        );
                    } else {
                        delta = try_dates(
                            i, free, p[a], tolerance, f, s.late, 0, s.trial_heap, size, date, r, p, n, s, end
                        );
                    }
                    if (delta < -tolerance) {
                        raised = both == 0 ? 1 : size;
                        break;
                    }
                    if (size == 1) break;
                }
            }
            if (raised > 0) {
                for (int q = i; q < end; ++q) s.sequence[q] = s.trial[q], s.done[q] = s.trial_done[q];
                cost += delta;
                for (int q = 0; q < raised; ++q) s.late[q] = (u16)pop(s.heap, size--); // all of them, in order
                int q = f;
                while (q < n && s.dates[s.queue[q]] <= date) s.queue[q - raised] = s.queue[q], q += 1;
                f -= raised;
                for (int k = 0; k < raised; ++k) {
                    s.queue[q - raised + k] = s.late[k];
                    s.dates[s.late[k]] = date;
                }
            } else {
                pop(s.heap, size--);
                free = start + p[a];
                i += 1;
            }
        }
        if (cost >= best - tolerance) return;
        best = cost;
        for (int q = 0; q < n; ++q) s.found[q] = s.sequence[q];
    }
}

// Puts the best stretches of two sequences together, in `order`; the cost. `other` is not of what is used again:
// dates, queue and heap, trial, balance.
__device__ double combine(u16 *order, const u16 *other, const double *r, const double *p, int n, const Scratch &s) {
    u8 *source = (u8 *)s.dates; // STATES per stretch
    u16 *begins = s.queue;      // n + 1, into the heap
    double times[STATES], costs[STATES], new_times[2 * STATES], new_costs[2 * STATES];
    u8 new_source[2 * STATES];
    int differ = 0, states = 1, stretches = 0;
    times[0] = costs[0] = 0.0;
    begins[0] = 0;
    for (int j = 0; j < n; ++j) s.balance[j] = 0;
    for (int k = 0; k < n; ++k) {
        int x = order[k], y = other[k];
        if (x != y) {
            s.balance[x] += 1;
            differ += s.balance[x] == 1 ? 1 : -1;
            s.balance[y] -= 1;
            differ += s.balance[y] == -1 ? 1 : -1;
        }
        if (differ > 0) continue;
        int begin = begins[stretches], found = 0;
        for (int state = 0; state < states; ++state) {
            for (int choice = 0; choice < (begin < k ? 2 : 1); ++choice) {
                double now = times[state], cost = costs[state];
                for (int q = begin; q <= k; ++q) {
                    int j = choice == 0 ? order[q] : other[q];
                    now = Most::of(now, r[j]) + p[j];
                    cost += now;
                }
                int q = found;
                while (q > 0 && (now < new_times[q - 1] || (now == new_times[q - 1] && cost < new_costs[q - 1]))) {
                    new_times[q] = new_times[q - 1];
                    new_costs[q] = new_costs[q - 1];
                    new_source[q] = new_source[q - 1];
                    q -= 1;
                }
                new_times[q] = now;
                new_costs[q] = cost;
                new_source[q] = (u8)(2 * state + choice);
                found += 1;
            }
        }
        int kept = 1;
        for (int q = 1; q < found; ++q) {
            if (new_costs[q] < new_costs[kept - 1]) {
                new_times[kept] = new_times[q];
                new_costs[kept] = new_costs[q];
                new_source[kept] = new_source[q];
                kept += 1;
            }
        }
        states = min(kept, STATES);
        for (int state = 0; state < states; ++state) {
            int q = state == 0 ? 0 : state + kept - states;
            times[state] = new_times[q];
            costs[state] = new_costs[q];
            source[stretches * STATES + state] = new_source[q];
        }
        stretches += 1;
        begins[stretches] = (u16)(k + 1);
    }
    u16 *mixed = s.trial;
    for (int i = 0; i < n; ++i) mixed[i] = order[i];
    int state = states - 1;
    for (int stretch = stretches - 1; stretch >= 0; --stretch) {
        int from = source[stretch * STATES + state];
        if (from % 2 == 1)
            for (int i = begins[stretch]; i < begins[stretch + 1]; ++i) mixed[i] = other[i];
        state = from / 2;
    }
    double best = sequence_cost(order, r, p, n);
    for (int k = 0; k < 2; ++k) {
        const u16 *candidate = k == 0 ? other : mixed;
        double cost = sequence_cost(candidate, r, p, n);
        if (cost < best) {
            best = cost;
            for (int i = 0; i < n; ++i) order[i] = candidate[i];
        }
    }
    return best;
}

// Numbers for the levels that LS leaves: jobs of one level stay in the order that they had.
__device__ void numbers_of(u16 *order, const u16 *levels, const u16 *level, int n, const Scratch &s) {
    u16 *base = s.queue, *filled = s.heap, *waiting = s.trial_heap;
    for (int j = n - 1; j >= 0; --j) base[level[j]] = filled[level[j]] = (u16)j;
    for (int i = 0; i < n; ++i) waiting[filled[level[order[i]]]++] = order[i];
    for (int i = 0; i < n; ++i) order[i] = waiting[base[levels[i]]++];
}

// truth[jobs of x] = what RDI finds from the true dates; a thread per instance.
extern "C" __global__ void rdi_true(
    u16 *truth, const i64 *first, const double *r, const double *p, const double *tolerance, int x0, int count,
    char *memory
) {
    int x = x0 + blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= x0 + count) return;
    i64 begin = first[x];
    int n = (int)(first[x + 1] - begin);
    Scratch s(memory, begin, n);
    for (int j = 0; j < n; ++j) s.dates[j] = r[begin + j];
    improve(r + begin, p + begin, n, tolerance[x], s);
    for (int i = 0; i < n; ++i) truth[begin + i] = s.found[i];
}

// out[row, x] = cost / scale after LS and RDI; every `spread`-th thread has a (row, instance): where there are few,
// a warp should not run many that part ways at every step. `levels` are those of LS where it ran, for whole-number data.
extern "C" __global__ void rdi_rows(
    u16 *orders, const u16 *levels, const i64 *first, const u16 *level, const double *r, const double *p,
    const double *scale, const double *tolerance, const u16 *truth, int x0, int count, int rows, i64 total,
    int descended, int spread, char *memory, double *out, int columns
) {
    i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (t % spread != 0) return;
    t /= spread;
    if (t >= (i64)rows * count) return;
    i64 row = t % rows;
    int x = x0 + (int)(t / rows);
    i64 begin = first[x];
    int n = (int)(first[x + 1] - begin);
    Scratch s(memory, row * total + begin, n);
    u16 *order = orders + row * total + begin;
    r += begin;
    p += begin;
    if (descended) numbers_of(order, levels + row * total + begin, level + begin, n, s);
    else descend_plain(order, r, p, s.done, n);
    reproduce(order, r, p, n, s);
    improve(r, p, n, tolerance[x], s);
    combine(order, s.found, r, p, n, s);
    out[row * columns + x] = combine(order, truth + begin, r, p, n, s) / scale[x];
}
