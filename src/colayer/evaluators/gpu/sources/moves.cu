// What it does to Σ C_j of a sequence that one job moves, and the slope of the smoothed cost in its priority: one thread
// for each job of each sequence. See learning/network/insertions.py.
//
// All arrays are (sequences, n), by place: priorities as drawn and the job's own, r, p and the completion times.

#define MOST_PLACES 33 // 2·window + 1

struct Sequence {
    const double *r, *p, *end;
    int n;

    __device__ double free(int k) const { return k > 0 ? end[k - 1] : 0.0; }

    // What is still to change from place k on where the machine is free at t, up to where nothing does.
    __device__ double rest(int k, double t) const {
        double change = 0.0;
        for (; k < n && fabs(t - end[k - 1]) > 1e-9; ++k) {
            t = fmax(t, r[k]) + p[k];
            change += t - end[k];
        }
        return change;
    }

    // Job a runs before that at place b < a.
    __device__ double earlier(int a, int b) const {
        double t = fmax(free(b), r[a]) + p[a], change = t - end[a];
        for (int k = b; k < a; ++k) {
            t = fmax(t, r[k]) + p[k];
            change += t - end[k];
        }
        return change + rest(a + 1, t);
    }
};

// φ((other − own)/width)/width.
__device__ double density(double other, double own, double width) {
    double distance = (other - own) / width;
    return exp(-0.5 * distance * distance) * 0.3989422804014327 / width;
}

// The derivative of E C_i, and with a temperature T > 0 that of −T·log E exp(−C_i/T).
extern "C" __global__ void slopes(const double *drawn, const double *own, const double *r, const double *p,
                                  const double *end, long long rows, int n, int window, double width,
                                  double temperature, double *out) {
    long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= rows * n) return;
    int a = (int)(id % n);
    long long begin = id - a;
    Sequence jobs{r + begin, p + begin, end + begin, n};
    drawn += begin;
    double mine = own[id], change[MOST_PLACES]; // by place, from the first to the last that is tried
    int low = a - window > 0 ? a - window : 0, high = a + window < n - 1 ? a + window : n - 1;
    for (int b = low; b < a; ++b) change[b - low] = jobs.earlier(a, b);
    change[a - low] = 0.0;
    double t = jobs.free(a), passed = 0.0;
    for (int b = a + 1; b <= high; ++b) {
        t = fmax(t, jobs.r[b]) + jobs.p[b];
        passed += t - jobs.end[b];
        double last = fmax(t, jobs.r[a]) + jobs.p[a];
        change[b - low] = passed + last - jobs.end[a] + jobs.rest(b + 1, last);
    }
    double least = 0.0;
    for (int b = low; b <= high; ++b) least = fmin(least, change[b - low]);
    double total = 0.0, among = 0.0, below = 0.0;
    for (int b = low; b <= high; ++b) {
        double here = change[b - low], up_to = 1.0;
        if (temperature > 0.0) here = exp((least - here) / temperature);
        if (b < high) {
            double other = drawn[b < a ? b : b + 1], next = change[b + 1 - low]; // passed between b and b + 1
            if (temperature > 0.0) {
                next = -exp((least - next) / temperature);
                total += (next + here) * density(other, mine, width);
                up_to = 0.5 * erfc((mine - other) / (width * 1.4142135623730951));
            } else {
                total += (next - here) * density(other, mine, width);
            }
        }
        among += here * (up_to - below);
        below = up_to;
    }
    out[id] = temperature > 0.0 ? temperature * total / fmax(among, 1e-12) : total;
}
